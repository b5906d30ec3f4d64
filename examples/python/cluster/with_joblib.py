"""The sweep on joblib: `python with_joblib.py FOLDER [STEPS] [WORKERS]`."""

import sys

from joblib import Parallel, delayed
from sleighs import sweep


def main(folder: str, steps: str = "20000", workers: str = "2") -> None:
    all = sweep(folder, steps)
    Parallel(n_jobs=int(workers), verbose=5)(delayed(all)(task) for task in all.missing)
    print("sum of all numbers:", sum(float(result.sum()) for result in all.results()))


if __name__ == "__main__":
    main(*sys.argv[1:])
