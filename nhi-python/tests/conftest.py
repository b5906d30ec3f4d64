"""Systems that several tests use."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

# Of these tests alone, also in the processes that they start.
_CACHE = tempfile.TemporaryDirectory(prefix="nhi-cache-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name

import nhi  # noqa: E402  (it reads where its cache is when it is imported)

ROOT = Path(__file__).resolve().parents[2]

SLEIGH = dict(
    coordinates=["theta", "x", "y"],
    parameters=["J", "m", "a"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
)
P = dict(J=1.0, m=1.0, a=0.2)
START = dict(q0=[0, 0, 0], v0=[1, 0.5, 0.2], h=0.01)


@pytest.fixture(scope="session")
def sleigh() -> nhi.System:
    return nhi.System(name="Sleigh", **SLEIGH)


@pytest.fixture(scope="session")
def driven() -> nhi.System:
    """A mass on a spring, with a force as input."""
    return nhi.System(
        coordinates=["x"],
        parameters=["m", "k"],
        inputs=["u"],
        lagrangian="m/2*dot(x)^2 - k/2*x^2",
        constraints=[],
        force="u*dx",
    )


@pytest.fixture(scope="session")
def failing() -> nhi.System:
    """A particle that falls to r = 0 by a force that is defined for r > 0 only."""
    return nhi.System(coordinates=["r"], parameters=["k"], lagrangian="1/2*dot(r)^2 - k*sqrt(r)", constraints=[])
