"""What the documentation shows runs."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys

import nhi
import numpy as np
import pytest
from conftest import ROOT


def test_the_docstring_of_the_package():
    assert doctest.testmod(nhi, raise_on_error=True).attempted == 4


class Client:
    """What the example of a sweep uses of a cluster's client."""

    def map(self, function, items):
        return [function(item) for item in items]

    def gather(self, futures):
        return futures


@pytest.mark.parametrize("readme", ["README.md", "nhi-python/README.md"])
def test_the_examples_of_a_readme(readme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / readme).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    # One after the other, as a reader types them.
    names = {"client": Client(), "function": lambda task: [task]}
    for block in blocks:
        exec(block, names)
    run = names["run"]
    assert run.t[-1] == 100 and isinstance(run, nhi.Run)


@pytest.mark.parametrize(
    ("chapter", "needs"),
    [
        ("first", "nhi"),
        ("many", "nhi"),
        ("control", "nhi"),
        ("sympy", "scipy"),
        ("mujoco", "mujoco"),
        ("dae", "casadi"),
    ],
)
def test_the_examples_of_the_guide(chapter, needs, tmp_path, monkeypatch):
    pytest.importorskip(needs)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "guide" / f"{chapter}.md").read_text(encoding="utf-8")
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)


def test_the_notebook():
    notebook = json.loads((ROOT / "examples" / "python" / "coin.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict = {}
    for cell in cells:
        exec(cell, names)
    # What the notebook shows of the last lines of cells.
    for shown in (names["coin"], names["coin"].report(), names["run"], names["swung"]):
        assert len(shown._repr_html_()) > 1000
    # By hand: without a torque, the coin runs on a circle at a constant rate.
    run, radius = names["run"], 1 / 0.5
    np.testing.assert_allclose(
        run.q[:, :2], radius * np.column_stack([np.sin(run.t / 2), 1 - np.cos(run.t / 2)]), atol=1e-4
    )
    np.testing.assert_allclose(np.hypot(*names["ends"][:, :2].T)[0], 10)


def test_the_notebook_of_plans():
    notebook = json.loads((ROOT / "examples" / "python" / "plan.ipynb").read_text(encoding="utf-8"))
    names: dict = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    plan, around = names["plan"], names["around"]
    # What the notebook shows of the last lines of cells.
    for shown in (names["car"], names["circle"], plan, around):
        assert len(shown._repr_html_()) > 1000
    assert "out of bounds" in around._repr_html_() and "out of bounds" not in plan._repr_html_()
    assert plan.converged and around.converged and around.cost > plan.cost
    assert np.hypot(*(around.q[:, :2] - [2, 0.4]).T).min() > 0.5 - 1e-9
    assert abs(abs(names["careful"].run.multipliers[1:]).max() / names["grip"] - 1) < 1e-6
    assert names["timed"].plan.converged and 1 < names["timed"].time < 10
    assert names["end"](names["gains"]) < 0.3 * names["end"](0 * names["gains"])
    assert np.linalg.norm(names["sim"].q[1:3] - [1, 0]) < 1e-2


@pytest.mark.parametrize("example", ["tour.py", "sympy_disc.py", "bicycle.py", "parking.py", "identify.py"])
def test_the_examples(example, tmp_path):
    # Folders are made.
    command = [sys.executable, str(ROOT / "examples" / "python" / example), str(tmp_path / "new" / "folder")]
    subprocess.run(command, check=True, env={**os.environ, "MPLBACKEND": "agg"})
