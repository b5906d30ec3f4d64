"""Checks the sweep: the same bits from Dask and Ray with a worker killed on the way, from an interrupted and resumed run of
joblib, from three processes of MPI, and from this process alone. Ray is left out where it is not installed.

    python check.py FOLDER
"""

import contextlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
from bicycles import sweep, told

BICYCLES = "1000"
HERE = Path(__file__).parent


def worker(run: subprocess.Popen, is_worker) -> psutil.Process:
    """Waits for a worker of a script, which in Ray is a process that runs a task at the moment."""
    while run.poll() is None:
        for child in psutil.Process(run.pid).children(recursive=True):
            # Processes end meanwhile.
            with contextlib.suppress(psutil.NoSuchProcess):
                if is_worker(" ".join(child.cmdline())):
                    return child
    raise AssertionError("the script ended before a worker was found")


def killed(engine: str, is_worker, folder: Path) -> None:
    """Runs a script, and kills a worker when the first task is done."""
    command = [sys.executable, str(HERE / f"with_{engine}.py"), str(folder), BICYCLES]
    done = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("done: "):
                done += 1
                if done == 1:
                    worker(run, is_worker).kill()
    assert run.returncode == 0 and done == 20, (run.returncode, done)


def with_dask(folder: Path) -> None:
    killed("dask", lambda command: "spawn_main" in command, folder)


def with_ray(folder: Path) -> None:
    # The processes that run tasks are named after these.
    killed("ray", lambda command: command.startswith("ray::") and "__call__" in command, folder)


def with_joblib(folder: Path) -> None:
    # Some results are there already, as an interrupted run leaves them.
    begun = sweep(str(folder), BICYCLES)
    for task in range(0, begun.tasks, 3):
        begun(task)
    times = {file: file.stat().st_mtime_ns for file in folder.glob("*.npy")}
    subprocess.run([sys.executable, str(HERE / "with_joblib.py"), str(folder), BICYCLES], check=True)
    assert times == {file: file.stat().st_mtime_ns for file in times}


def with_mpi(folder: Path) -> None:
    # Also in a container, with more processes than processors.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "-n", "3", sys.executable, str(HERE / "with_mpi.py"), str(folder), BICYCLES]
    subprocess.run(command, check=True, env={**os.environ, **allowed})


def main(folder: str) -> None:
    alone = sweep(str(Path(folder, "alone")), BICYCLES)
    for task in alone.missing:
        alone(task)
    print(told(alone))
    engines = [with_dask, with_joblib, with_mpi]
    if importlib.util.find_spec("ray"):
        engines.append(with_ray)
    for engine in engines:
        out = Path(folder, engine.__name__)
        engine(out)
        np.testing.assert_array_equal(sweep(str(out), BICYCLES).results(), alone.results())
        print(engine.__name__, "has the same bits")


if __name__ == "__main__":
    main(*sys.argv[1:])
