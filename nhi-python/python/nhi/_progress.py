"""Progress bars, and a line while systems are derived and compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nhi._optional import needed


@contextmanager
def bar(asked: bool, steps: int) -> Iterator[Callable[[int], object] | None]:
    """What is called with the steps taken, if a bar is asked for. Needs tqdm then."""
    if not asked:
        yield None
        return
    tqdm = needed("tqdm.auto", "progress", "progress=True").tqdm
    with tqdm(total=steps, unit="step", unit_scale=True) as shown:
        yield shown.update


def show(text: str | None) -> None:
    """Replace the line on standard error by this one, or erase it, if somebody reads it: on a terminal and in a notebook."""
    stream = sys.stderr
    # Notebooks show what a kernel writes, and obey carriage returns, but their streams are no terminals.
    in_notebook = type(stream).__module__.startswith("ipykernel")
    if stream is not None and (in_notebook or stream.isatty()):
        stream.write("\r" + (text or "").ljust(_WIDTH) + ("" if text else "\r"))
        stream.flush()


_WIDTH = 40
