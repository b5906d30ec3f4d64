"""Progress bars."""

from __future__ import annotations

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
