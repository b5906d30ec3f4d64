"""The sweep on joblib: `python with_joblib.py FOLDER [BICYCLES] [WORKERS]`."""

import sys

from bicycles import sweep, told
from joblib import Parallel, delayed


def main(folder: str, bicycles: str = "1000", workers: str = "2") -> None:
    all = sweep(folder, bicycles)
    Parallel(n_jobs=int(workers), verbose=5)(delayed(all)(task) for task in all.missing)
    print(told(all))


if __name__ == "__main__":
    main(*sys.argv[1:])
