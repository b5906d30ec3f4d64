"""A sweep, for every engine: where sleighs with 200 places of the blade are after some steps, in 20 tasks."""

from functools import partial

import nhi
import numpy as np
from nhi.distributed import Sweep

SLEIGH = nhi.System(
    name="Sleigh",
    coordinates=["theta", "x", "y"],
    parameters=["J", "m", "a"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
)
# Tasks do not depend on the engine or the number of its workers.
PLACES = np.array_split(np.linspace(0.1, 1.0, 200), 20)


def end(task: int, steps: int) -> np.ndarray:
    """The configurations at the end, shape (10, 3)."""
    a = PLACES[task]
    v0 = np.column_stack([np.ones_like(a), np.full_like(a, 0.5), a])
    return SLEIGH.ensemble(dict(J=1, m=1, a=a), q0=[0, 0, 0], v0=v0, h=0.01).run(steps)[-1]


def sweep(folder: str, steps: str = "20000") -> Sweep:
    """The sweep with results in `folder`."""
    about = dict(system=SLEIGH.fingerprint, steps=int(steps))
    return Sweep(partial(end, steps=int(steps)), len(PLACES), folder, about)
