"""Exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nhi._run import Run


class DeclarationError(ValueError):
    """A declaration has mistakes. The text shows all of them, with source lines and carets.

    The attributes are those of the first mistake, `None` where it concerns the declaration as a whole.

    Attributes:
        message: what is wrong.
        source: the argument of `System`, such as `lagrangian` or `constraints["blade"]`, or the name of the file.
        line: line in this argument or file, from 1.
        column: column in this line, from 1, in characters.
        token: the text that the carets mark.
        help: a remedy, if one is known.
        mistakes: all mistakes, as dictionaries with these keys.
    """

    def __init__(self, text: str, mistakes: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(text, mistakes)
        self.text = text
        self.mistakes = list(mistakes)
        first = self.mistakes[0]
        self.message: str = first["message"]
        self.source: str | None = first["source"]
        self.line: int | None = first["line"]
        self.column: int | None = first["column"]
        self.token: str | None = first["token"]
        self.help: str | None = first["help"]

    def __str__(self) -> str:
        return self.text


def refused(source: str, message: str, help: str | None = None, token: str | None = None) -> DeclarationError:
    """What is raised for a mistake that Python finds in an argument."""
    text = f"error: {message}\n --> {source}" + (f"\n  = help: {help}" if help else "")
    place = dict(source=source, line=None, column=None, token=token)
    return DeclarationError(text, [dict(message=message, help=help, **place)])


class StepError(ArithmeticError):
    """A step of a method could not be taken. The state is that before the step.

    Attributes:
        step: number of the step, the first being 1; 0 for the start of a method.
        time: time at which the step begins.
        reason: what is wrong.
        partial: of `System.simulate`, the `Run` up to this step; otherwise `None`.
    """

    def __init__(self, text: str, step: int, time: float, reason: str, partial: Run | None = None) -> None:
        super().__init__(text, step, time, reason)
        self.text = text
        self.step = step
        self.time = time
        self.reason = reason
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.step, self.time, self.reason, self.partial)

    def __str__(self) -> str:
        return self.text
