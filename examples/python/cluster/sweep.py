"""One sweep, for every engine: the final state of a sleigh for 200 places of its blade.

The work is cut into chunks that do not depend on the engine or the number of its workers, and each chunk's result is a file:
an interrupted sweep, started again, computes what is missing, and the results are the same bits.
"""

import os
from pathlib import Path

import numpy as np

import nhi

SLEIGH = nhi.System(
    name="Sleigh",
    coordinates=["theta", "x", "y"],
    parameters=["J", "m", "a"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
)
PLACES = np.linspace(0.1, 1.0, 200)
CHUNKS = 20


def compute(chunk: int, folder: Path, steps: int) -> Path:
    """The configurations at the end of the runs of a chunk, as a file."""
    file = folder / f"{chunk:04}.npy"
    if not file.exists():
        a = np.array_split(PLACES, CHUNKS)[chunk]
        v0 = np.column_stack([np.ones_like(a), np.full_like(a, 0.5), a])
        many = SLEIGH.ensemble(dict(J=1, m=1, a=a), q0=[0, 0, 0], v0=v0, h=0.01)
        q = many.run(steps)[-1]
        # A file is there as a whole or not at all, whatever happens to the worker.
        part = file.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as out:
            np.save(out, q)
        part.replace(file)
    return file


def collect(folder: Path) -> np.ndarray:
    """The result of the sweep, shape (200, 3)."""
    return np.concatenate([np.load(folder / f"{chunk:04}.npy") for chunk in range(CHUNKS)])
