"""Arguments as arrays, with errors that name them."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from nhi._nhi import Body

Array = NDArray[np.float64]


def array(argument: str, given: ArrayLike) -> Array:
    """The numbers in an array."""
    if isinstance(given, Mapping):
        raise ValueError(f"{argument}: expected numbers in the order of their declaration, found names")
    try:
        return np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}: expected numbers: {error}") from None


def vector(argument: str, given: ArrayLike, names: Sequence[str]) -> Array:
    """A number for each of `names`, shape (len(names),)."""
    numbers = array(argument, given)
    if numbers.shape != (len(names),):
        raise ValueError(f"{argument}: expected {meant(names)}, found shape {numbers.shape}")
    return numbers


def rows(argument: str, given: ArrayLike, names: Sequence[str], count: int | None) -> Array:
    """`count` rows of such numbers; one row stands for all, and is alone without `count`."""
    numbers = array(argument, given)
    if numbers.ndim not in (1, 2) or numbers.shape[-1] != len(names):
        raise ValueError(f"{argument}: expected {meant(names)} in a row, found shape {numbers.shape}")
    if numbers.ndim == 1:
        numbers = numbers[np.newaxis]
    if count is not None and len(numbers) not in (1, count):
        raise ValueError(f"{argument}: expected 1 or {count} rows, found {len(numbers)}")
    return numbers if count is None else np.ascontiguousarray(np.broadcast_to(numbers, (count, len(names))))


def parts(argument: str, given: Sequence[ArrayLike], named: Mapping[str, Sequence[str]]) -> tuple[Array, ...]:
    """A tuple with a vector for each part of a state, by their names."""
    is_tuple = isinstance(given, (tuple, list))
    if not is_tuple or len(given) != len(named):
        found = f"{len(given)} part{'' if len(given) == 1 else 's'}" if is_tuple else type(given).__name__
        raise ValueError(f"{argument}: expected a tuple ({', '.join(named)}), found {found}")
    each = zip(given, named.values(), strict=True)
    return tuple(vector(f"{argument}[{i}]", part, names) for i, (part, names) in enumerate(each))


def per_step(argument: str, given: ArrayLike, names: Sequence[str], members: int, steps: int) -> Array | None:
    """Inputs of each step, shape (members or 1, steps, len(names)); none where there is nothing to give."""
    numbers = array(argument, given)
    shape = (steps, len(names))
    if numbers.shape not in (shape, (members, *shape)):
        raise ValueError(
            f"{argument}: expected shape {shape} for all members or {(members, *shape)}, found {numbers.shape}"
        )
    if not np.isfinite(numbers).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(numbers))[0])
        raise ValueError(f"{argument}: {numbers[place]} at {place} is no number that a step can use")
    return numbers.reshape(-1, *shape) if numbers.size else None


def meant(names: Sequence[str]) -> str:
    shown = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:10])}, ..., {names[-1]}"
    return f"{len(names)} number{'' if len(names) == 1 else 's'}" + (f" ({shown})" if names else "")


def count(argument: str, given: Any, least: int) -> int:
    """An integer, not less than `least`."""
    try:
        number = operator.index(given)
    except TypeError:
        raise ValueError(f"{argument}: expected an integer, found {given!r}") from None
    if not least <= number < 2**63:
        raise ValueError(f"{argument}: expected an integer from {least} on, found {number}")
    return number


def number(argument: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}: expected a number, found {given!r}") from None


def positive(argument: str, given: Any) -> float:
    found = number(argument, given)
    if not (np.isfinite(found) and found > 0):
        raise ValueError(f"{argument}: must be positive and finite, found {found}")
    return found


def suggestion(name: object, known: Iterable[str], kind: str) -> str:
    """What to say about an unknown name: the nearest known one, or all of this kind."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"the {kind} are {', '.join(known) or 'none'}"


def fields(flattened: Sequence[str]) -> dict[str, int | None]:
    """The parameters as declared, with the lengths of arrays: `c[0]`, `c[1]` are `c` of length 2."""
    found: dict[str, int | None] = {}
    for name in flattened:
        field, bracket, _ = name.partition("[")
        found[field] = (found.get(field) or 0) + 1 if bracket else None
    return found


def unflattened(values: Array, flattened: Sequence[str]) -> dict[str, Any]:
    """The parameters by their declared names: numbers, and lists for arrays."""
    found: dict[str, Any] = {}
    at = 0
    for name, length in fields(flattened).items():
        found[name] = float(values[at]) if length is None else values[at : at + length].tolist()
        at += length or 1
    return found


def parameters(given: Any, flattened: Sequence[str], count: int | None = None) -> Array:
    """Values of all parameters, shape (number of them,); for `count` members, shape (count, number of them)."""
    known = fields(flattened)
    if not isinstance(given, Mapping):
        raise ValueError(f"p: expected a dictionary with the parameters {', '.join(known)}, found {given!r}")
    for name in given:
        if name not in known:
            raise ValueError(f"p: unknown parameter `{name}`; {suggestion(name, known, 'parameters')}")
    missing = [name for name in known if name not in given]
    if missing:
        raise ValueError(f"p: missing parameter{'s' * (len(missing) > 1)} {', '.join(f'`{n}`' for n in missing)}")
    columns = []
    for name, length in known.items():
        values = array(f'p["{name}"]', given[name])
        own: tuple[int, ...] = () if length is None else (length,)
        each = (*(() if count is None else (count,)), *own)
        if values.shape not in (own, each):
            shapes = " or ".join(str(shape) for shape in dict.fromkeys((own, each)))
            raise ValueError(f'p["{name}"]: expected shape {shapes}, found {values.shape}')
        columns.append(np.broadcast_to(values, each).reshape((*each[: len(each) - len(own)], length or 1)))
    shape = () if count is None else (count,)
    return np.ascontiguousarray(np.concatenate([np.empty((*shape, 0)), *columns], axis=-1))


def members(p: Mapping[str, Any], flattened: Sequence[str], *others: ArrayLike) -> int:
    """How many members an ensemble has: the length of what is given for each of them."""
    lengths = {}
    for name, length in fields(flattened).items():
        if name in p and np.ndim(p[name]) > (length is not None):
            lengths[f'p["{name}"]'] = len(p[name])
    for argument, given in zip(("q0", "v0", "z0", "inputs"), others, strict=True):
        if np.ndim(given) == 2:
            lengths[argument] = len(given)  # type: ignore[arg-type]
    several = {argument: length for argument, length in lengths.items() if length != 1}
    if len(set(several.values())) > 1:
        found = ", ".join(f"{argument} for {length}" for argument, length in several.items())
        raise ValueError(f"{list(several)[-1]}: the arguments are for different numbers of members: {found}")
    return next(iter(several.values()), 1)


#: The expressions of the shapes of bodies.
SHAPES = {"pose": ("x", "y", "theta"), "ball": ("x", "y", "z")}


def bodies(given: Mapping[str, Any] | None) -> list[Body]:
    """Name, shape, size and expressions of bodies in pictures."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"bodies: expected a mapping from names to expressions, found {given!r}")
    return [_body(f'bodies["{name}"]', name, body) for name, body in (given or {}).items()]


def _body(argument: str, name: str, given: Any) -> Body:
    size = None
    if isinstance(given, Mapping):
        given = dict(given)
        if "size" in given:
            size = number(f"{argument}: size", given.pop("size"))
        if len(given) != 1:
            raise ValueError(f"{argument}: expected one shape, {' or '.join(map(repr, SHAPES))}, found {list(given)}")
        [(shape, place)] = given.items()
    else:
        shape, place = "pose", given
    if shape not in SHAPES:
        raise ValueError(f"{argument}: unknown shape {shape!r}, expected {' or '.join(map(repr, SHAPES))}")
    if isinstance(place, str) or not isinstance(place, Sequence) or len(place) != 3:
        raise ValueError(f"{argument}: expected three expressions, {', '.join(SHAPES[shape])}, found {place!r}")
    for text in place:
        if isinstance(text, bool) or not isinstance(text, (str, int, float)):
            raise ValueError(f"{argument}: expected a text, found {text!r}")
    x, y, last = (text.replace("**", "^ ") if isinstance(text, str) else repr(text) for text in place)
    return name, shape, size, (x, y, last)
