"""The models of the literature, as systems: `nhi.models.sleigh_com`; `dir(nhi.models)` lists them.

Those for methods on groups are in `nhi.models.on_groups`: two models of one name differ in this.
"""

from __future__ import annotations

from nhi._declaration import core
from nhi._nhi import models as _models
from nhi._system import System


class _Models:
    """Systems by their names, each derived when it is first asked for."""

    def __init__(self, on_group: bool) -> None:
        self._texts = {name: text for name, is_on_group, text in _models() if is_on_group == on_group}

    def __getattr__(self, name: str) -> System:
        text = self._texts.get(name)
        if text is None:
            raise AttributeError(f"there is no model `{name}`, only {', '.join(self._texts)}")
        return System._of(core(((None, text),), f"{name}.rs", None), None)

    def __dir__(self) -> list[str]:
        return list(self._texts)


on_groups = _Models(on_group=True)
_coordinates = _Models(on_group=False)


def __getattr__(name: str) -> System:
    if name.startswith("__"):
        raise AttributeError(name)
    return _coordinates.__getattr__(name)


def __dir__() -> list[str]:
    return [*dir(_coordinates), "on_groups"]
