"""What the documentation shows runs."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys

import nhi
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


@pytest.mark.parametrize("example", ["tour.py", "sympy_disc.py"])
def test_the_examples(example, tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "python" / example), str(tmp_path)]
    subprocess.run(command, check=True, env={**os.environ, "MPLBACKEND": "agg"})
