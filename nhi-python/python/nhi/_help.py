"""Help texts of fields."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import lru_cache
from typing import TypeVar

Results = TypeVar("Results", bound=type)


def explained(results: Results) -> Results:
    """Gives the fields of a named tuple the texts that stand below them, where editors look for them, as docstrings for `help`."""
    for name, text in _texts(results.__module__).get(results.__name__, {}).items():
        getattr(results, name).__doc__ = text
    return results


@lru_cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    """The texts below annotated names of a module's classes."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, SyntaxError):
        # Without sources there are no texts.
        return {}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return {node.name: dict(_below(node.body)) for node in classes}


def _below(body: list[ast.stmt]) -> list[tuple[str, str]]:
    found = []
    for field, text in zip(body, body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
            found.append((field.target.id, inspect.cleandoc(text.value.value)))
    return found
