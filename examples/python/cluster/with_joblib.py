"""The sweep on joblib: `python with_joblib.py FOLDER [STEPS] [WORKERS]`."""

import sys
from pathlib import Path

from joblib import Parallel, delayed
from sweep import CHUNKS, collect, compute


def main(folder: str, steps: str = "20000", workers: str = "2") -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    Parallel(n_jobs=int(workers), verbose=5)(delayed(compute)(chunk, out, int(steps)) for chunk in range(CHUNKS))
    print("sum of all numbers:", repr(float(collect(out).sum())))


if __name__ == "__main__":
    main(*sys.argv[1:])
