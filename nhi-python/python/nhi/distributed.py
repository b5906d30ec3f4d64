"""Numbered tasks whose results are files, for any scheduler that maps a function: Dask, Ray, joblib, MPI, `multiprocessing`.

This module has no scheduler of its own. A `Sweep` can be pickled and called with the number of a task, on any machine that
sees its folder:

    sweep = Sweep(function, tasks=20, folder="results", about=dict(system=system.fingerprint, h=0.01))
    client.gather(client.map(sweep, sweep.missing))        # Dask
    Parallel(n_jobs=8)(delayed(sweep)(task) for task in sweep.missing)        # joblib
    results = sweep.results()

An interrupted sweep, started again, computes what is missing. Results depend neither on the scheduler nor on its workers, if
`function` depends on its argument alone.
"""

from __future__ import annotations

import io
import json
import os
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Sweep"]


class Sweep:
    """Numbered tasks whose results are kept in a folder.

    Args:
        function: computes the array of a task from its number, 0, 1, ....
        tasks: how many tasks there are.
        folder: where results are kept, on a disk that all workers share; it is made.
        about: what the results depend on besides, as JSON allows it: fingerprint of the system, parameters, step size. It
            is kept with the results.

    Raises:
        ValueError: the folder holds results of another sweep.
    """

    def __init__(
        self, function: Callable[[int], ArrayLike], tasks: int, folder: str | os.PathLike[str], about: Mapping[str, Any]
    ) -> None:
        self.function = function
        self.tasks = tasks
        self.folder = Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        facts = json.dumps({"tasks": tasks, **about}, sort_keys=True)
        file = self.folder / "about.json"
        if not file.exists():
            self._keep(file, facts.encode())
        elif file.read_text(encoding="utf-8") != facts:
            raise ValueError(
                f"folder: {self.folder} holds results of another sweep, {file.read_text(encoding='utf-8')}"
            )

    def __call__(self, task: int) -> int:
        """Computes the result of a task, unless it is there, and returns the number of the task."""
        file = self._file(task)
        if not file.exists():
            content = io.BytesIO()
            np.save(content, np.asarray(self.function(task)), allow_pickle=False)
            self._keep(file, content.getvalue())
        return task

    @property
    def missing(self) -> list[int]:
        """The tasks without a result."""
        return [task for task in range(self.tasks) if not self._file(task).exists()]

    def results(self) -> list[NDArray[Any]]:
        """The results of all tasks, in their order. Raises `FileNotFoundError` if one is missing."""
        return [np.load(self._file(task), allow_pickle=False) for task in range(self.tasks)]

    def _file(self, task: int) -> Path:
        if not 0 <= task < self.tasks:
            raise ValueError(f"task: expected a number from 0 to {self.tasks - 1}, found {task}")
        return self.folder / f"{task:06}.npy"

    def _keep(self, file: Path, content: bytes) -> None:
        """Writes a file that is there as a whole or not at all, whatever happens to a worker."""
        part = file.with_suffix(f".{uuid.uuid4().hex}.part")
        part.write_bytes(content)
        part.replace(file)
