"""The sweep on Dask: `python with_dask.py FOLDER [STEPS] [SCHEDULER]`, by default with two workers on this machine.

A worker that dies does not matter: its chunks are given to another one.
"""

import sys
from pathlib import Path

from dask.distributed import Client, as_completed
from sweep import CHUNKS, collect, compute


def main(folder: str, steps: str = "20000", scheduler: str | None = None) -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    local = dict(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(scheduler) if scheduler else Client(**local) as client:
        client.upload_file(str(Path(__file__).with_name("sweep.py")))
        futures = client.map(compute, range(CHUNKS), folder=out.resolve(), steps=int(steps), pure=False)
        for done, _ in enumerate(as_completed(futures), 1):
            print(f"{done} of {CHUNKS} chunks", flush=True)
    print("sum of all numbers:", repr(float(collect(out).sum())))


if __name__ == "__main__":
    main(*sys.argv[1:])
