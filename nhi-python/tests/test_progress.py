"""The line that is shown while systems are derived and compiled."""

from __future__ import annotations

import io
import sys

import pytest
from nhi import _progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_is_replaced_and_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    _progress.show("second derivatives: 2 s")
    _progress.show("compilation: 3 s")
    _progress.show(None)
    shown = terminal.getvalue().split("\r")
    assert [line.rstrip() for line in shown] == ["", "second derivatives: 2 s", "compilation: 3 s", "", ""]
    assert len({len(line) for line in shown[1:4]}) == 1, "each line covers the one before"


def test_nothing_is_written_to_files(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    _progress.show("derivation: 1 s")
    assert file.getvalue() == ""
