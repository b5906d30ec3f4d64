"""Samples of a run."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nhi._arguments import SHAPES, Array
from nhi._nhi import Core, Recording
from nhi._optional import needed

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nhi._nhi import Body


class Run(Mapping[str, Array]):
    """The K samples of a run, as named columns and as arrays.

    `run["theta"]` is a column, shape (K,); `run.columns` are the names: `k` and `t`, the coordinates, their velocities
    (`dot_theta`), inputs, momenta (`p_theta`), multipliers (`lambda_blade`), reactions (`reaction_theta`), `energy`, and
    residuals of the constraints (`residual_blade`). Units are those of the parameters and of the start.
    """

    def __init__(self, recording: Recording, case: Mapping[str, Any]) -> None:
        self._recording = recording
        self._case = dict(case)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._recording.names()

    @property
    def about(self) -> dict[str, Any]:
        """What was run: `system`, `declaration` (a hash), `parameters`, `method`, `h`, `events`, and `stopped`, why it ended early.

        With a tolerance there are `tolerance`, `steps`, their number, and `rejections`, the number of pairs of steps that were repeated, in
        the place of `h`.
        """
        return self._recording.about()

    @property
    def _steps(self) -> str:
        """What the sizes of the steps are, or follow from."""
        about = self.about
        name = "tolerance" if "tolerance" in about else "h"
        return f"{name} = {about[name]}"

    def __getitem__(self, name: str) -> Array:
        column = self._recording.column(name)
        if column is None:
            raise KeyError(f"no column `{name}`; there are {', '.join(self.columns)}")
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def t(self) -> Array:
        """Times, shape (K,)."""
        return self["t"]

    @cached_property
    def q(self) -> Array:
        """Configurations, shape (K, n)."""
        return self._recording.matrix("coordinate")

    @cached_property
    def v(self) -> Array:
        """Velocities dq/dt, with a group factor its body velocities last, shape (K, n)."""
        return self._recording.matrix("velocity")

    @cached_property
    def z(self) -> Array:
        """Auxiliary states, shape (K, number of them)."""
        return self._recording.matrix("state")

    @cached_property
    def p(self) -> Array:
        """Momenta ∂L/∂v, shape of `v`."""
        return self._recording.matrix("momentum")

    @cached_property
    def inputs(self) -> Array:
        """Inputs of the steps that end at the samples, shape (K, number of inputs)."""
        return self._recording.matrix("input")

    @cached_property
    def multipliers(self) -> Array:
        """Multipliers λ of the steps that end at the samples, shape (K, m): the reaction is +μᵀλ. In very short steps they contain
        the rounding of the state, divided by the step size, with position constraints by its square.
        """
        return self._recording.matrix("multiplier")

    @cached_property
    def reaction(self) -> Array:
        """Reactions μᵀλ, forces or torques on every velocity, shape of `v`."""
        return self._recording.matrix("reaction")

    @cached_property
    def events(self) -> dict[str, Array]:
        """The times at which the conditions of `record` become true, by their names, and that of `until`."""
        return {name: np.asarray(times, float) for name, times in self.about["events"].items()}

    @cached_property
    def energy(self) -> Array:
        """Energies ∂L/∂v · v − L, shape (K,)."""
        return self["energy"]

    @cached_property
    def residual(self) -> Array:
        """μ(q) v + μ₀(q) of the constraints, shape (K, m)."""
        return self._recording.matrix("residual")

    def save(self, path: str | os.PathLike[str], *, comments: bool = False) -> Path:
        """Writes a file; `path` ends in `.csv`, `.json` or `.npz`. Numbers can be read back exactly.

        With `comments`, CSV begins with lines `# name: value` that say what was run.
        JSON is a case for the command `nhi`, if the system comes from a file.
        """
        path = Path(path)
        # The start as it was, which `project` may have changed.
        case = {**self._case, "q0": self.q[0].tolist(), "v0": self.v[0].tolist()}
        if self.z.shape[1]:
            case["z0"] = self.z[0].tolist()
        if "declaration" in case:
            # Cases name files relative to themselves.
            case["declaration"] = os.path.relpath(case["declaration"], path.resolve().parent)
        path.write_bytes(self._recording.file(path.suffix.removeprefix("."), json.dumps(case), comments))
        return path

    def view(self, path: str | os.PathLike[str], phase: tuple[str, str] | None = None) -> Path:
        """Writes a page that plays the motion: one file, which a browser shows without a network.

        `phase` are the names of the columns of its phase plane, by default the first
        coordinate and its velocity, or with a pose the first two velocities of the body.
        """
        path, plane = Path(path), self._phase(phase)
        path.write_text(self._recording.page(plane), encoding="utf-8")
        return path

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a data frame with the index `t`. Needs pandas."""
        frames = needed("pandas", "pandas", "Run.to_pandas")
        frame = frames.DataFrame(dict(self)).set_index("t")
        frame.attrs = self.about
        return frame

    def plot(self, phase: tuple[str, str] | None = None) -> Figure:
        """Coordinates, velocities, multipliers and the change of the energy over time. Needs Matplotlib.

        Beside them are the bodies in the plane, with their paths, and a phase plane of two columns, whose names are `phase`.
        """
        plane = self._phase(phase)
        figures = needed("matplotlib.figure", "plot", "Run.plot")
        names = self._recording.names_of
        panels = [(kind, names(kind)) for kind in ("coordinate", "velocity", "multiplier") if names(kind)]
        bodies = [body for body in self._recording.bodies() if body[0][1] == "pose"]
        bounds, areas = self._recording.limits()
        if bounds and names("input"):
            panels.append(("input", names("input")))
        has_energy = "energy" in self.columns
        rows, width = len(panels) + has_energy, 1 + bool(bodies or areas) + (plane is not None)
        figure: Figure = figures.Figure(figsize=(7 * width, 2 * rows), layout="constrained")
        grid = figure.add_gridspec(rows, width)
        axes = [figure.add_subplot(grid[0, 0])]
        axes += [figure.add_subplot(grid[row, 0], sharex=axes[0]) for row in range(1, rows)]
        for axis in axes[:-1]:
            axis.tick_params(labelbottom=False)
        for axis, (kind, columns) in zip(axes, panels, strict=False):
            for i, column in enumerate(columns):
                style = "steps-pre" if kind == "input" else "default"
                axis.plot(self.t, self[column], color=f"C{i}", label=column, drawstyle=style)
            _draw_bounds(axis, {name: pair for name, pair in bounds if name in columns}, columns)
            axis.legend(loc="upper right", fontsize="small")
        if has_energy:
            axes[-1].plot(self.t, self.energy - self.energy[:1])
            axes[-1].set(ylabel="energy − energy(0)")
        axes[-1].set(xlabel="t")
        if bodies or areas:
            axis = figure.add_subplot(grid[:, 1])
            if bodies:
                _draw_bodies(axis, bodies)
            elif areas:
                x, y = areas[0]
                axis.plot(self[x], self[y], label=f"({x}, {y})")
                axis.set(xlabel=x, ylabel=y, aspect="equal")
            if areas:
                _draw_areas(axis, areas[1])
            axis.legend(loc="best", fontsize="small")
        if plane is not None:
            axis = figure.add_subplot(grid[:, -1])
            places = self._places()
            axis.plot(*(places[name] if name in places else self[name] for name in plane))
            axis.set(xlabel=plane[0], ylabel=plane[1])
        about = self.about
        axes[0].set_title(f"{about['system']}, {about['method']}, {self._steps}")
        return figure

    def _limited(self, core: Core, bounds: list[tuple[str, tuple[float, float]]]) -> Run:
        """The same run with bounds in its pictures."""
        return Run(self._recording.limited(core, bounds), self._case)

    def _phase(self, names: tuple[str, str] | None) -> tuple[str, str] | None:
        """The names of two columns that are there."""
        if names is None:
            return None
        if isinstance(names, str) or len(names) != 2:
            raise ValueError(f"phase: expected the names of two columns, found {names!r}")
        known = [*self.columns, *self._places()]
        for name in names:
            if name not in known:
                raise ValueError(f"phase: no column `{name}`; there are {', '.join(known)}")
        x, y = names
        return x, y

    def _places(self) -> dict[str, Array]:
        """The entries of the places of bodies, by names such as `trailer.x`."""
        bodies = ((name, SHAPES[shape], values) for (name, shape, _, _), values in self._recording.bodies())
        return {
            f"{name}.{entry}": value
            for name, entries, values in bodies
            for entry, value in zip(entries, values, strict=True)
        }

    def __repr__(self) -> str:
        about, samples = self.about, len(self._recording)
        stopped = f", stopped: {about['stopped']}" if about["stopped"] else ""
        return f"<nhi.Run of {about['system']} by {about['method']}: {samples} samples, {self._steps}{stopped}>"

    def _repr_html_(self) -> str:
        return self._recording.svg()


#: How often bodies are drawn along their paths.
INSTANTS = 4


def _draw_bodies(axis: Axes, bodies: list[tuple[Body, list[Array]]]) -> None:
    """Bodies in the plane at some instants, with their paths."""
    places = [np.array(values[:2]) for _, values in bodies]
    apart = [np.nanmax(np.hypot(*(a - b)), initial=0) for a, b in itertools.combinations(places, 2)]
    everything = np.concatenate(places, axis=1)
    extent = np.nanmax(np.ptp(everything, axis=1), initial=0) or 1.0
    # So small that they do not cover each other.
    longest = min([0.1 * extent, *(0.9 * distance for distance in apart if distance > 0)])
    corners = np.array([[16, 7, -12, -12, 7, 16], [0, -8, -8, 8, 8, 0]]) / 28
    for i, ((name, _, size, _), (x, y, heading)) in enumerate(bodies):
        colour = f"C{i}"
        axis.plot(x, y, colour, label=name)
        for k in np.unique(np.linspace(0, len(x) - 1, INSTANTS, dtype=int)) if len(x) else ():
            cos, sin = np.cos(heading[k]), np.sin(heading[k])
            ahead, left = (longest if size is None else size) * corners
            axis.fill(x[k] + cos * ahead - sin * left, y[k] + sin * ahead + cos * left, fc=(colour, 0.3), ec=colour)
    axis.set(xlabel="x", ylabel="y", aspect="equal")


def _draw_bounds(axis: Axes, bounds: Mapping[str, list[float]], columns: list[str]) -> None:
    """Bounds of curves that are not so far from them that these would be flat."""
    low, high = axis.get_ylim()
    for name, pair in bounds.items():
        for bound in pair:
            if 2 * low - high <= bound <= 2 * high - low:
                axis.axhline(bound, color=f"C{columns.index(name)}", linestyle="--", linewidth=1)


def _draw_areas(axis: Axes, areas: list[list[list[tuple[float, float]]]]) -> None:
    """What a motion keeps out of, in the part of the plane that shows the motion."""
    paths, patches = needed("matplotlib.path", "plot", "Run.plot"), needed("matplotlib.patches", "plot", "Run.plot")
    limits = axis.get_xlim(), axis.get_ylim()
    for i, outlines in enumerate(areas):
        # Closed; holes are outlined in the other direction.
        closed = [paths.Path([*outline, outline[0]], closed=True) for outline in outlines]
        label = None if i else "out of bounds"
        whole = paths.Path.make_compound_path(*closed)
        axis.add_patch(patches.PathPatch(whole, fc=("#8a6d5c", 0.25), ec="#8a6d5c", label=label))
    axis.set(xlim=limits[0], ylim=limits[1])
