"""The cache of derived systems."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nhi

# A chain of links on wheels, which takes some tenths of a second to derive.
RUN = """
import numpy as np
import nhi
n = 6
x, y = ["dot(x)"], ["dot(y)"]
for i in range(n - 1):
    x.append(x[-1] + f" - sin(a[{i}])*dot(a[{i}]) - sin(a[{i + 1}])*dot(a[{i + 1}])")
    y.append(y[-1] + f" + cos(a[{i}])*dot(a[{i}]) + cos(a[{i + 1}])*dot(a[{i + 1}])")
snake = nhi.System(
    coordinates=["x", "y", f"a[{n}]"],
    parameters=["m"],
    lagrangian=" + ".join(f"m/2*(({u})^2 + ({v})^2) + dot(a[{i}])^2/8" for i, (u, v) in enumerate(zip(x, y))),
    constraints=[f"-sin(a[{i}])*({u}) + cos(a[{i}])*({v})" for i, (u, v) in enumerate(zip(x, y))],
)
start = dict(q0=[0, 0, *0.2*np.arange(n)], v0=[1, 0, *np.zeros(n)], project=True)
run = snake.simulate(dict(m=1), **start, h=0.01, steps=10)
print(run.q.tobytes().hex())
"""


def test_a_system_from_the_cache_moves_as_a_derived_one(tmp_path: Path) -> None:
    def moved() -> str:
        environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path))
        done = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    derived = moved()
    kept = sorted((tmp_path / "nhi").iterdir())
    assert kept, "it takes long enough to be kept"
    assert moved() == derived
    assert sorted((tmp_path / "nhi").iterdir()) == kept


def test_the_cache_is_cleared(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    nhi.clear_cache()
    (tmp_path / "nhi").mkdir()
    (tmp_path / "nhi" / "0.derived").touch()
    (tmp_path / "nhi" / "notes").touch()
    nhi.clear_cache()
    assert [path.name for path in (tmp_path / "nhi").iterdir()] == ["notes"]
