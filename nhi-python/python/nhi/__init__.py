"""Simulation of mechanical systems with nonholonomic constraints, from declarations that are compiled at run time.

>>> import nhi
>>> sleigh = nhi.System(
...     coordinates=["theta", "x", "y"],
...     parameters=["J", "m", "a"],
...     lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
...     constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
... )
>>> run = sleigh.simulate(dict(J=1, m=1, a=0.2), q0=[0, 0, 0], v0=[1, 0.5, 0.2], h=0.01, steps=1000)
>>> run.q.shape
(1001, 3)
"""

from nhi import models
from nhi._control import Fit, Linear, Lqr, OtherFit, fit, linear, lqr, track
from nhi._ensemble import Ensemble
from nhi._errors import DeclarationError, StepError
from nhi._nhi import Simulation, clear_cache
from nhi._plan import Kinematic, Mpc, Plan, Problem, Timed, free_time, multi_start, plan
from nhi._report import Report
from nhi._run import Run
from nhi._system import Acceleration, Frame, System

__all__ = [
    "Acceleration",
    "DeclarationError",
    "Ensemble",
    "Fit",
    "Frame",
    "Kinematic",
    "Linear",
    "Lqr",
    "Mpc",
    "OtherFit",
    "Plan",
    "Problem",
    "Report",
    "Run",
    "Simulation",
    "StepError",
    "System",
    "Timed",
    "clear_cache",
    "fit",
    "free_time",
    "linear",
    "lqr",
    "models",
    "multi_start",
    "plan",
    "track",
]
