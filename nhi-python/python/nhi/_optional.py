"""Packages that only some functions need."""

from __future__ import annotations

import importlib
from types import ModuleType


def needed(module: str, extra: str, what: str) -> ModuleType:
    """A module of an optional package, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        message = f"{what} needs {package}, which is not installed: pip install 'nhi[{extra}]'"
        raise ModuleNotFoundError(message, name=package) from None
