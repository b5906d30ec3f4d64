"""Texts of declarations, in the grammar of the attribute `#[nonholonomic(...)]`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nhi._errors import refused
from nhi._nhi import Core, method_type

if TYPE_CHECKING:
    from nhi._nhi import Body

#: The text of an argument with what errors call it, or, without a name, what stands between.
Piece = tuple[str | None, str]

#: Systems that a process keeps: they are derived and compiled once, however often they are unpickled.
KEPT = 128


@functools.lru_cache(maxsize=KEPT)
def core(pieces: tuple[Piece, ...], file: str, name: str | None) -> Core:
    """The system with this declaration: one in each process."""
    return Core(list(pieces), file, name)


def unpickled(pieces: list[Piece], file: str, name: str | None) -> Core:
    """What `Core` is pickled as."""
    return core(tuple(tuple(piece) for piece in pieces), file, name)


def compose(
    name: str,
    coordinates: Iterable[str],
    parameters: Iterable[str],
    inputs: Iterable[str],
    group: str | None,
    let: Mapping[str, str],
    lagrangian: str,
    constraints: Any,
    holonomic: Any,
    force: str | None,
    states: Iterable[str],
    dynamics: Mapping[str, str],
    bodies: Iterable[Body],
    methods: Iterable[str],
) -> tuple[Piece, ...]:
    """The pieces of a struct with this declaration."""
    pieces: list[Piece] = [(None, "#[derive(Nonholonomic)]\n#[nonholonomic(\n")]

    def items(key: str, all: Iterable[list[Piece]]) -> None:
        pieces.append((None, f"    {key}("))
        for i, item in enumerate(all):
            pieces.extend([(None, ", " if i else ""), *item])
            # A comment ends with its line.
            if "//" in item[-1][1]:
                pieces.append((None, "\n"))
        pieces.append((None, "),\n"))

    def value(key: str, argument: str, text: str) -> None:
        pieces.extend([(None, f"    {key} = "), (argument, text), (None, "\n    ,\n")])

    items("coordinates", listed("coordinates", coordinates))
    if group is not None:
        value("group", "group", text_of("group", group))
    all_inputs = listed("inputs", inputs)
    if all_inputs:
        items("inputs", all_inputs)
    all_states = listed("states", states)
    if all_states:
        items("states", all_states)
    if let:
        items("let", named("let", " = ", let))
    value("lagrangian", "lagrangian", text_of("lagrangian", lagrangian))
    if constraints is not None:
        items("constraints", labelled("constraints", constraints))
    if holonomic is not None:
        items("holonomic", labelled("holonomic", holonomic))
    if force is not None:
        value("force", "force", text_of("force", force))
    if dynamics:
        items(
            "dynamics", [[(None, "dot("), item[0], (None, ") = "), item[2]] for item in named("dynamics", "", dynamics)]
        )
    drawn = [drawn_body(body) for body in bodies]
    if drawn:
        items("bodies", drawn)
    types = {method_type_of(f"methods[{i}]", method): f"methods[{i}]" for i, method in enumerate(methods)}
    if types:
        items("methods", [[(argument, name)] for name, argument in types.items()])
    pieces.append((None, f")]\nstruct {name} {{\n"))
    for i, parameter in enumerate(texts("parameters", parameters)):
        # `c[3]` is an array.
        field, bracket, size = parameter.partition("[")
        pieces.extend([(None, "    "), (f"parameters[{i}]", field)])
        if bracket:
            pieces.extend([(None, ": [f64; "), (f"length of parameters[{i}]", size.removesuffix("]")), (None, "],\n")])
        else:
            pieces.append((None, ": f64,\n"))
    pieces.append((None, "}\n"))
    return tuple(pieces)


def drawn_body(body: Body) -> list[Piece]:
    """`name: pose(x, y, theta)`."""
    name, shape, size, place = body
    source = f'bodies["{name}"]'
    if not name.isidentifier():
        raise refused(source, f"`{name}` is no name", "use letters, digits and `_`", name)
    if size is not None:
        raise ValueError(f"{source}: declared bodies have no size; give it to `simulate`")
    pieces: list[Piece] = [(source, name), (None, f": {shape}(")]
    for i, text in enumerate(place):
        pieces.extend([(None, ", " if i else ""), (source, text), (None, "\n" if "//" in text else "")])
    return [*pieces, (None, ")")]


def method_type_of(argument: str, method: str) -> str:
    """The type of a method, of which `method` may be an id with choices."""
    found = method_type(method)
    if found is None:
        raise refused(argument, f"unknown method `{method}`", "`System.methods` lists those that apply", method)
    return found


def labelled(argument: str, all: Any) -> list[list[Piece]]:
    """Constraints with labels (a mapping), or without (a list, or a single one)."""
    if isinstance(all, str):
        return [[(argument, all)]]
    return named(argument, ": ", all) if isinstance(all, Mapping) else listed(argument, all)


def named(argument: str, sign: str, all: Mapping[str, str]) -> list[list[Piece]]:
    """Texts with their names and a sign between."""
    found: list[list[Piece]] = []
    for name, text in all.items():
        source = f'{argument}["{name}"]'
        if not name.isidentifier():
            raise refused(source, f"`{name}` is no name", "use letters, digits and `_`", name)
        found.append([(source, name), (None, sign), (source, text_of(source, text))])
    return found


def listed(argument: str, all: Iterable[str]) -> list[list[Piece]]:
    """Texts that errors call by their places."""
    return [[(f"{argument}[{i}]", text)] for i, text in enumerate(texts(argument, all))]


def texts(argument: str, all: Iterable[str]) -> list[str]:
    """A list of texts; one text alone is a frequent slip, which would be read letter by letter."""
    if isinstance(all, str):
        raise ValueError(f'{argument}: expected a list of texts, found the text "{all}"')
    return [text_of(f"{argument}[{i}]", text) for i, text in enumerate(all)]


def text_of(argument: str, text: Any) -> str:
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise ValueError(f"{argument}: expected a text, found {text!r}")
    return powers(text) if isinstance(text, str) else repr(text)


def powers(text: str) -> str:
    """The text with powers in the grammar's notation; columns stay, for errors."""
    return text.replace("**", "^ ")
