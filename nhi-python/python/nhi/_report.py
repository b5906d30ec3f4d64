"""Derivations as documents."""

from __future__ import annotations

import os
from pathlib import Path

from nhi._nhi import Report as Derivation


class Report(str):
    """The derivation of a system: its equations, symmetries, what methods keep, and more. `System.report` makes one.

    As a text it is Markdown, with formulas between dollar signs. A notebook shows it as a page.
    """

    _derivation: Derivation

    def __new__(cls, derivation: Derivation) -> Report:
        report = super().__new__(cls, derivation.text("md"))
        report._derivation = derivation
        return report

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        # The text alone: the system, which can be pickled, writes the other formats again.
        return str, (str(self),)

    @property
    def html(self) -> str:
        """One page that needs no other file, with formulas as MathML."""
        return self._derivation.text("html")

    @property
    def tex(self) -> str:
        """A document for LaTeX with amsmath."""
        return self._derivation.text("tex")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file; `path` ends in `.md`, `.html`, `.tex` or `.json`."""
        path = Path(path)
        extension = path.suffix.removeprefix(".")
        if extension not in ("md", "html", "tex", "json"):
            raise ValueError(f'path: expected a name that ends in .md, .html, .tex or .json, found "{path}"')
        path.write_text(self._derivation.text(extension), encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        return embedded(self._derivation)

    def _repr_latex_(self) -> str:
        _, _, rest = self.tex.partition("\\maketitle\n")
        return rest.partition("\n\\end{document}")[0]

    def __repr__(self) -> str:
        return f"<nhi.Report: {len(self.splitlines())} lines of Markdown, {self.splitlines()[0]}>"


def embedded(derivation: Derivation) -> str:
    """A report as a part of another page, whose looks it does not change."""
    page = derivation.text("html")
    style = page.partition("<style>")[2].partition("</style>")[0]
    body = page.partition("<body>")[2].partition("</body>")[0]
    # Nested rules hold for what is inside of the element, and those of the page's body for itself.
    return f'<div class="nhi-report"><style>.nhi-report {{{style.replace("body {", "& {", 1)}}}</style>{body}</div>'


def displays(derivation: Derivation) -> str:
    """The formulas of a report, each between dollar signs."""
    parts = derivation.text("md").split("$$")
    return "\n\n".join(f"$${formula}$$" for formula in parts[1::2])
