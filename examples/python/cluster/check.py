"""Checks the sweep: the same bits from Dask with a worker killed on the way, from an interrupted and resumed run of joblib,
from three processes of MPI, and from this process alone.

    python check.py FOLDER
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
from sleighs import sweep

STEPS = "500000"
HERE = Path(__file__).parent


def with_dask(folder: Path) -> None:
    command = [sys.executable, str(HERE / "with_dask.py"), str(folder), STEPS]
    killed = False
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            print("dask:", line, end="")
            if not killed:
                children = psutil.Process(run.pid).children(recursive=True)
                workers = [child for child in children if any("spawn_main" in word for word in child.cmdline())]
                assert len(workers) == 2, workers
                os.kill(workers[0].pid, signal.SIGKILL)
                killed = True
    assert killed and run.returncode == 0


def with_joblib(folder: Path) -> None:
    # Some results are there already, as an interrupted run leaves them.
    begun = sweep(str(folder), STEPS)
    for task in range(0, begun.tasks, 3):
        begun(task)
    times = {file: file.stat().st_mtime_ns for file in folder.glob("*.npy")}
    subprocess.run([sys.executable, str(HERE / "with_joblib.py"), str(folder), STEPS], check=True)
    assert times == {file: file.stat().st_mtime_ns for file in times}


def with_mpi(folder: Path) -> None:
    # Also in a container, with more processes than processors.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "-n", "3", sys.executable, str(HERE / "with_mpi.py"), str(folder), STEPS]
    subprocess.run(command, check=True, env={**os.environ, **allowed})


def main(folder: str) -> None:
    alone = sweep(str(Path(folder, "alone")), STEPS)
    expected = [alone.function(task) for task in range(alone.tasks)]
    for engine in (with_dask, with_joblib, with_mpi):
        out = Path(folder, engine.__name__)
        engine(out)
        np.testing.assert_array_equal(sweep(str(out), STEPS).results(), expected)
    print("the same bits from all of them")


if __name__ == "__main__":
    main(*sys.argv[1:])
