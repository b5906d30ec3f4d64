"""Checks the sweep: the same bits from Dask with a worker killed on the way, from an interrupted and resumed run of joblib,
and from this process alone.

    python check.py FOLDER
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
from sweep import CHUNKS, collect, compute

STEPS = 500_000
HERE = Path(__file__).parent


def with_dask(folder: Path) -> None:
    command = [sys.executable, str(HERE / "with_dask.py"), str(folder), str(STEPS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        killed = False
        for line in run.stdout:
            if not killed:
                workers = [
                    child for child in psutil.Process(run.pid).children(recursive=True)
                    if any("spawn_main" in word for word in child.cmdline())
                ]
                assert len(workers) == 2, workers
                os.kill(workers[0].pid, signal.SIGKILL)
                killed = True
            print("dask:", line, end="")
    assert killed and run.returncode == 0


def with_joblib(folder: Path) -> None:
    command = [sys.executable, str(HERE / "with_joblib.py"), str(folder), str(STEPS)]
    # Some chunks are there already, as an interrupted run leaves them.
    for chunk in range(0, CHUNKS, 3):
        compute(chunk, folder, STEPS)
    times = {file: file.stat().st_mtime_ns for file in folder.glob("*.npy")}
    subprocess.run(command, check=True)
    assert times == {file: file.stat().st_mtime_ns for file in times}


def main(folder: str) -> None:
    results = []
    for name, engine in (("dask", with_dask), ("joblib", with_joblib)):
        out = Path(folder) / name
        out.mkdir(parents=True)
        engine(out)
        results.append(collect(out))
    alone = Path(folder) / "alone"
    alone.mkdir()
    for chunk in range(CHUNKS):
        compute(chunk, alone, STEPS)
    for result in results:
        np.testing.assert_array_equal(result, collect(alone))
    print("the same bits from all of them")


if __name__ == "__main__":
    main(*sys.argv[1:])
