"""Reports, and what a notebook shows."""

from __future__ import annotations

import html.parser
import json
import pickle
import re

import nhi
import pytest
from conftest import SLEIGH


def text_of(page: str) -> str:
    """What stands between the tags of a page, every one of which is closed."""
    texts, open_tags = [], []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "br"):
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

        def handle_startendtag(self, tag, attributes):
            pass

        def handle_data(self, data):
            texts.append(data)

    Parser().feed(page)
    assert not open_tags
    return "".join(texts)


def test_a_report_is_markdown(sleigh):
    report = sleigh.report()
    assert report.startswith("# Sleigh\n") and isinstance(report, str)
    headings = re.findall("^## (.*?) <a", report, re.MULTILINE)
    assert headings[:3] == ["Declaration", "Configuration", "Lagrangian"] and headings[-2:] == ["Methods", "Appendix"]
    assert report.count("$$") % 2 == 0 and "dla2" in report
    assert repr(report).startswith("<nhi.Report: ") and repr(report).endswith("# Sleigh>")
    assert pickle.loads(pickle.dumps(report)) == report


def test_formats_of_a_report(sleigh, tmp_path):
    report = sleigh.report()
    for name, content in [("a.md", str(report)), ("a.html", report.html), ("a.tex", report.tex)]:
        assert report.save(tmp_path / name).read_text(encoding="utf-8") == content
    assert "lagrangian" in json.loads(report.save(tmp_path / "a.json").read_text(encoding="utf-8"))
    assert report.html.startswith("<!DOCTYPE html>") and "Equations of motion" in text_of(report.html)
    assert report.tex.startswith("\\documentclass")
    with pytest.raises(ValueError, match=r"path: expected a name that ends in \.md, \.html, \.tex or \.json, found"):
        report.save(tmp_path / "a.pdf")


def test_what_a_notebook_shows(sleigh):
    report = sleigh.report()
    shown = report._repr_html_()
    # A part of the notebook's page, whose other parts keep their looks.
    assert shown.startswith('<div class="nhi-report"><style>.nhi-report {') and "<body" not in shown
    assert "body" not in re.search("<style>(.*?)</style>", shown, re.DOTALL)[1]
    assert "Equations of motion" in text_of(shown) and "<math" in shown
    latex = report._repr_latex_()
    assert "\\section{Lagrangian}" in latex and "\\documentclass" not in latex and "\\end{document}" not in latex

    shown = sleigh._repr_html_()
    assert "Lagrangian" in text_of(shown) and "Equations of motion" not in text_of(shown) and "<math" in shown
    formulas = sleigh._repr_latex_().split("\n\n")
    assert len(formulas) >= 2 and all(re.fullmatch(r"\$\$[^$]+\$\$", formula) for formula in formulas)


def test_prepared_methods_are_declared_and_described(tmp_path):
    system = nhi.System(**SLEIGH, methods=["rattle", "rk4", "rk4"], name="Sleigh")
    assert "methods(Rattle, Rk4)" in system.source and system.default_method == "rattle"
    report = system.report()
    methods = report[report.index("## Methods") :]
    assert "rattle" in methods and "rk4" in methods and "dla2" not in re.findall("^### .*$", methods, re.MULTILINE)
    composed = nhi.System(**SLEIGH, methods=["dla2_suzuki4"])
    assert "methods(Dla2)" in composed.source
    # Others can be used all the same.
    assert system.simulate(dict(J=1, m=1, a=0.2), [0, 0, 0], [1, 0.5, 0.2], 0.01, 10, "dla2").q.shape == (11, 3)


def test_methods_that_cannot_be_prepared():
    with pytest.raises(nhi.DeclarationError, match="unknown method `dla3`") as caught:
        nhi.System(**SLEIGH, methods=["rk4", "dla3"])
    assert caught.value.source == "methods[1]" and caught.value.token == "dla3"
    with pytest.raises(nhi.DeclarationError) as caught:
        # It is for bodies that turn about a point.
        nhi.System(**SLEIGH, methods=["rk4", "moser_veselov"])
    assert caught.value.source == "methods[1]"
    with pytest.raises(ValueError, match="methods: expected a list of texts"):
        nhi.System(**SLEIGH, methods="rk4")
