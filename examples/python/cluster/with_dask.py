"""The sweep on Dask: `python with_dask.py FOLDER [BICYCLES] [SCHEDULER]`, by default with two workers on this machine.

A worker that dies does not matter: its tasks are given to another one.
"""

import sys
from pathlib import Path

from bicycles import sweep, told
from dask.distributed import Client, as_completed


def main(folder: str, bicycles: str = "1000", scheduler: str | None = None) -> None:
    all = sweep(folder, bicycles)
    local = dict(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(scheduler) if scheduler else Client(**local) as client:
        client.upload_file(str(Path(__file__).with_name("bicycles.py")))
        for future in as_completed(client.map(all, all.missing, pure=False)):
            print("done: task", future.result(), flush=True)
    print(told(all))


if __name__ == "__main__":
    main(*sys.argv[1:])
