"""Declared systems."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nhi import _arguments as arguments
from nhi._arguments import Array
from nhi._declaration import compose, core, texts
from nhi._ensemble import Ensemble
from nhi._errors import refused
from nhi._help import explained
from nhi._nhi import MOST_STEPS, Core, Simulation
from nhi._nhi import Report as Derivation
from nhi._progress import bar
from nhi._report import Report, displays, embedded
from nhi._run import Run


@explained
class Acceleration(NamedTuple):
    """What `System.acceleration` returns."""

    dv: Array
    """dv/dt, shape of v."""
    multipliers: Array
    """Multipliers λ, one for each constraint: the reaction is +μᵀλ."""


@explained
class Frame(NamedTuple):
    """What `System.frame` returns: v = basis @ nu + drift and nu = components @ v."""

    basis: Array
    """X, a basis of the velocities that the constraints admit, shape (n, d)."""
    drift: Array
    """v₀, the velocity that affine constraints ask for, shape (n,)."""
    components: Array
    """Y, shape (d, n)."""


class System:
    """A mechanical system with nonholonomic constraints, declared by formulas in the grammar of the Rust derive.

    Formulas are texts such as `m/2*dot(x)^2`, or `m/2*dot(x)**2`: `dot(x)` is the velocity of `x`, `dx` its differential. SymPy expressions
    are accepted as well; coordinates are then functions of `dynamicsymbols._t`.

    Args:
        coordinates: names of the coordinates; `"y[3]"` declares `y[0]`, `y[1]`, `y[2]`.
        parameters: names of the parameters; `"c[3]"` declares an array.
        lagrangian: L(q, v; parameters), quadratic in the velocities.
        constraints: one-forms that vanish, `{"blade": "sin(theta)*dx - cos(theta)*dy"}`, or a list of them without labels.
            An empty list declares a system without constraints.
        force: the work one-form of forces that have no potential, `"u*dx - c*dot(x)*dx"`; from SymPy, a mapping from
            coordinates to forces.
        let: named subexpressions, for everything after them.
        inputs: names of control inputs.
        group: a Lie group factor of the configuration space, such as `"SE2(theta, x, y; omega, v, w)"`.
        holonomic: expressions in the coordinates that vanish, as a mapping or a list.
        states: names of auxiliary states z, such as currents and filters.
        dynamics: dz/dt by states, `{"i": "(u - R*i - k*dot(phi))/L"}`.
        bodies: what pictures show, `{"truck": ("x", "y", "theta"), "marble": {"ball": ("x", "y", "z")}}`: expressions for x, y
            and the heading of a body in the plane, and for the centre of a ball.
        methods: ids of methods, such as `["dla2", "rk4"]`, which are compiled at once and described in the report. Other
            methods are compiled when they are first used.
        name: name of the system in files and pictures.

    Raises:
        DeclarationError: with the argument, line and column of every mistake.

    The equations of a system are derived at once. A method is compiled when it is first used, once in each process. A
    system can be pickled.
    """

    def __init__(
        self,
        *,
        coordinates: Iterable[Any],
        lagrangian: Any,
        parameters: Iterable[Any] = (),
        constraints: Mapping[str, Any] | Iterable[Any] | str | None = None,
        force: Any = None,
        let: Mapping[str, Any] | None = None,
        inputs: Iterable[Any] = (),
        group: str | None = None,
        holonomic: Mapping[str, Any] | Iterable[Any] | str | None = None,
        states: Iterable[Any] = (),
        dynamics: Mapping[Any, Any] | None = None,
        bodies: Mapping[str, Any] | None = None,
        methods: Iterable[str] = (),
        name: str = "System",
    ) -> None:
        if not name.isidentifier():
            raise ValueError(f'name: expected an identifier, found "{name}"')
        if constraints is None and holonomic is None:
            help = "for a system without constraints write `constraints=[]`"
            raise refused("constraints", "missing constraints", help)
        given = dict(
            coordinates=coordinates,
            parameters=parameters,
            inputs=inputs,
            group=group,
            let=let or {},
            lagrangian=lagrangian,
            constraints=constraints,
            holonomic=holonomic,
            force=force,
            states=states,
            dynamics=dynamics or {},
        )
        methods = texts("methods", methods)
        if _uses_sympy(given):
            from nhi._sympy import printed

            given = printed(given)
        drawn = arguments.bodies(bodies)
        self._core = core(compose(name, **given, bodies=drawn, methods=methods), "System(...)", None)
        self._file: Path | None = None
        for method in methods:
            self._forewarn(method)
            self._core.prepare(method)

    @classmethod
    def _of(cls, core: Core, file: Path | None) -> System:
        system = cls.__new__(cls)
        system._core, system._file = core, file
        return system

    def __reduce__(self) -> tuple[Any, ...]:
        return System._of, (self._core, self._file)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], struct: str | None = None) -> System:
        """The system that a struct in a Rust file declares by `#[derive(Nonholonomic)]`.

        Args:
            path: the file.
            struct: name of the struct, if there are several.

        Raises:
            DeclarationError: with line and column in the file.
        """
        path = Path(path)
        text = path.read_text(encoding="utf-8")
        return cls._of(core(((None, text),), os.fspath(path), struct), path.resolve())

    @classmethod
    def from_sympy(
        cls,
        Lagrangian: Any,
        qs: Iterable[Any],
        *,
        nonhol_coneqs: Iterable[Any] = (),
        hol_coneqs: Iterable[Any] = (),
        forcelist: Iterable[tuple[Any, Any]] = (),
        frame: Any = None,
        parameters: Iterable[Any] | None = None,
        inputs: Iterable[Any] | None = None,
        methods: Iterable[str] = (),
        name: str = "System",
    ) -> System:
        """The system of a Lagrangian in SymPy, with the arguments of `sympy.physics.mechanics.LagrangesMethod`.

        Args:
            Lagrangian: an expression in functions of `dynamicsymbols._t` and their derivatives.
            qs: the coordinates, such functions.
            nonhol_coneqs: expressions, linear in the derivatives, that vanish.
            hol_coneqs: expressions in the coordinates that vanish.
            forcelist: pairs of a point and its force, or of a reference frame and its torque.
            frame: the inertial frame; needed with `forcelist`.
            parameters: symbols, in the order that they should have; by default in that of their names.
            inputs: functions of time that are given; by default all that are not coordinates, in the order of their names.
            methods: ids of the methods to prepare.
            name: name of the system in files and pictures.

        Raises:
            DeclarationError: for sub-expressions that are not smooth or not quadratic in the velocities, among others.
        """
        from nhi._sympy import declared

        given = declared(Lagrangian, qs, nonhol_coneqs, hol_coneqs, forcelist, frame, parameters, inputs)
        return cls(name=name, methods=methods, **given)

    @property
    def name(self) -> str:
        """Name of the declared struct."""
        return self._core.name

    @property
    def source(self) -> str:
        """The declaration as Rust: a file with this text declares the same system to the derive and the command `nhi`."""
        return self._core.source

    @property
    def fingerprint(self) -> str:
        """Hash of the declaration, 16 hexadecimal digits, as in recorded files."""
        return self._core.fingerprint

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, arrays entry by entry."""
        return self._core.parameters

    @property
    def coordinates(self) -> list[str]:
        """Names of the n entries of a configuration; the entries of a pose come last, those of a matrix row by row."""
        return self._core.coordinates

    @property
    def velocities(self) -> list[str]:
        """Names of the entries of a velocity; those of coordinates have the coordinates' names."""
        return self._core.velocities

    @property
    def inputs(self) -> list[str]:
        """Names of the control inputs."""
        return self._core.inputs

    @property
    def states(self) -> list[str]:
        """Names of the auxiliary states."""
        return self._core.states

    @property
    def constraints(self) -> list[str]:
        """Labels of the m constraints, or their texts; position constraints come last."""
        return self._core.constraints

    @property
    def methods(self) -> list[str]:
        """Ids of the methods that apply to the system. Their compositions, such as `dla2_suzuki4`, can be used too."""
        return self._core.methods

    @property
    def default_method(self) -> str:
        """Id of the method that is used if none is named."""
        return self._core.default_method

    def report(self) -> Report:
        """The derivation as a document: equations, structure, symmetries, and what to expect of the methods.

        It is Markdown, which a notebook shows with its formulas; `.html` and `.tex` are other forms, and `.save(path)` writes
        a file.
        """
        return Report(self._core.report())

    @cached_property
    def _summary(self) -> Derivation:
        return self._core.summary()

    def simulate(
        self,
        p: Mapping[str, ArrayLike],
        q0: ArrayLike,
        v0: ArrayLike,
        h: float | None = None,
        steps: int | None = None,
        method: str | None = None,
        every: float | None = None,
        inputs: ArrayLike | Callable[[float], ArrayLike] | None = None,
        project: bool = False,
        progress: bool = False,
        z0: ArrayLike | None = None,
        until: str | float | None = None,
        record: Mapping[str, str] | None = None,
        bodies: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
    ) -> Run:
        """Integrates, and returns the samples at the start and after every `every` steps.

        With a `tolerance` in the place of `h` and `steps`, samples are at the multiples of the time `every`, and at the time `until`.

        Args:
            p: values of the parameters.
            q0: configuration at t = 0, shape (n,).
            v0: velocity at t = 0, shape (n,); with a group factor, its body velocity comes last.
            h: step size; negative to run backwards.
            steps: number of steps, with `until` the largest number, a million if left out.
            method: id of the method, one of `methods` or a composition; or `"exact"`, the exact flow to nearly the accuracy
                of numbers, which takes long.
            every: number of steps from one sample to the next, 1 if left out; with `tolerance` the time from one sample to the
                next, a thousandth of the time `until` if left out.
            inputs: control inputs, shape (k,), held, or (steps, k), one row per step, or a function of the time at which a step
                begins; zeros if left out.
            project: replace the start by the nearest admissible one, instead of refusing it.
            progress: show a bar (needs tqdm).
            z0: auxiliary states at t = 0; zeros if left out.
            until: a condition, such as `"x >= 1"`, at which the run ends: where it becomes true, which is located to rounding, is
                the last sample. With `tolerance` also the time of the last sample.
            record: conditions by names. `run.events["name"]` has the times at which each becomes true.
            bodies: what pictures show beside the bodies of the declaration: expressions for x, y and the heading by names,
                `{"trailer": ("x2", "y2", "th2")}`; with a length, `{"trailer": {"pose": ("x2", "y2", "th2"), "size": 0.8}}`; a
                ball in space, `{"marble": {"ball": ("x", "y", "z"), "size": 0.1}}`.
            tolerance: of the error of two steps in q, v and z, relative for numbers above 1, and absolute below; the sizes of the
                steps follow from it. Inputs are held.

        Raises:
            ValueError: names the argument.
            StepError: a step failed; its `partial` is the `Run` until then. A `KeyboardInterrupt` has a `partial`, too.
        """
        condition = until if isinstance(until, str) else None
        end: float | None = None
        if tolerance is None:
            if h is None:
                raise TypeError("h: missing; only a run with a `tolerance` can do without")
            if until is not condition:
                raise ValueError("until: a time goes with `tolerance`; with `h`, `steps` is the number of steps")
            if steps is None:
                if until is None:
                    raise TypeError("steps: missing; only a run with `until` can do without")
                steps = MOST_STEPS
            steps = arguments.count("steps", steps, 0)
            every = arguments.count("every", 1 if every is None else every, 1)
            h = arguments.number("h", h)
            pace: dict[str, Any] = {"h": h, "steps": steps, "every": every}
        else:
            for name, given in (("h", h), ("steps", steps)):
                if given is not None:
                    raise ValueError(f"{name}: goes without `tolerance`, from which the sizes of the steps follow")
            if until is None:
                raise TypeError("until: missing; with `tolerance` it is the time of the last sample")
            if method == "exact":
                raise ValueError("tolerance: goes with a method; the exact flow needs none")
            if callable(inputs) or np.ndim(inputs) == 2:  # type: ignore[arg-type]
                raise ValueError("inputs: with `tolerance` they are held, shape (k,)")
            if condition is None:
                end = arguments.number("until", until)
                if not 0 < abs(end) < np.inf:
                    raise ValueError(f"until: the time must be finite and not zero, found {end}")
            elif every is None:
                raise TypeError(
                    "every: missing; with a condition that ends the run, the time from one sample to the next"
                )
            h = abs(end or 0.0) / 1000 if every is None else arguments.number("every", every)
            if not 0 < h < np.inf:
                raise ValueError(f"every: the time must be finite and positive, found {h}")
            tolerance, every = arguments.number("tolerance", tolerance), 1
            steps = MOST_STEPS if end is None else max(round(abs(end) / h), 1)
            pace = {"tolerance": tolerance, "until": h * steps if end is None else end, "every_time": h}
        drawn = arguments.bodies(bodies)
        self._warn_of_unused(condition or "", *(record or {}).values(), *(text for body in drawn for text in body[3]))
        if inputs is None:
            self._warn_of_zeros()
        if callable(inputs):
            inputs = np.reshape([inputs(k * h) for k in range(steps)], (steps, -1)) if steps else None
        held = inputs is None or np.ndim(inputs) == 1
        all_inputs = self._inputs(inputs) if held else arguments.rows("inputs", inputs, self.inputs, None)  # type: ignore[arg-type]
        if method != "exact":
            method = self._method(method)
        if not held and len(all_inputs) != steps:
            raise ValueError(f"inputs: expected a row for each of {steps} steps, found {len(all_inputs)}")
        parameters = arguments.parameters(p, self.parameters)
        q0, v0 = self._state("q0", q0, "v0", v0)
        z = self._auxiliary("z0", z0)
        # What the command `nhi run` reads.
        case: dict[str, Any] = {} if self._file is None else {"declaration": str(self._file), "struct": self.name}
        case |= {"params": {name: np.asarray(p[name], float).tolist() for name in arguments.fields(self.parameters)}}
        case |= {"method": method} | pace
        if self.inputs:
            case["inputs"] = all_inputs.tolist()
        if drawn:
            case["bodies"] = {
                name: {shape: place} | ({} if size is None else {"size": size}) for name, shape, size, place in drawn
            }
        with bar(progress, steps) as update:
            recording, ended = self._core.record(
                method,
                parameters,
                q0,
                v0,
                z,
                np.atleast_2d(all_inputs),
                held,
                h,
                steps,
                every,
                project,
                update,
                condition,
                list((record or {}).items()),
                drawn,
                tolerance,
                end,
            )
        run = Run(recording, case)
        for warning in recording.warnings():
            warnings.warn(warning, stacklevel=2)
        if ended is not None:
            ended.partial = run  # type: ignore[attr-defined]
            raise ended
        return run

    def simulation(
        self,
        p: Mapping[str, ArrayLike],
        q0: ArrayLike,
        v0: ArrayLike,
        h: float,
        method: str | None = None,
        inputs: ArrayLike | None = None,
        project: bool = False,
        z0: ArrayLike | None = None,
    ) -> Simulation:
        """A simulation at its start, for step after step. Arguments and errors are those of `simulate`.

        `inputs`, shape (k,), are those at the start; they are held until others are given.
        """
        self._warn_of_unused()
        q0, v0 = self._state("q0", q0, "v0", v0)
        parameters = arguments.parameters(p, self.parameters)
        h = arguments.number("h", h)
        z, u = self._auxiliary("z0", z0), self._inputs(inputs)
        return self._core.simulation(self._method(method), parameters, q0, v0, z, u, h, project)

    def ensemble(
        self,
        p: Mapping[str, ArrayLike],
        q0: ArrayLike,
        v0: ArrayLike,
        h: float,
        method: str | None = None,
        inputs: ArrayLike | None = None,
        project: bool = False,
        z0: ArrayLike | None = None,
    ) -> Ensemble:
        """N simulations that run together, on all cores.

        Args:
            p: values of the parameters, the same for all, or an array with one for each: shape (N,), of an array
                parameter (N, length).
            q0, v0: configurations and velocities at t = 0, shape (N, n), or (n,) for all.
            h: step size.
            method: id of the method.
            inputs: control inputs, held, shape (N, k), or (k,) for all; zeros if left out.
            project: replace starts by the nearest admissible ones, instead of refusing them.
            z0: auxiliary states at t = 0, shape (N, number of them), or one row for all; zeros if left out.

        Raises:
            ValueError: names the argument, and the member whose start is impossible.
        """
        self._warn_of_unused()
        given = np.zeros(len(self.inputs)) if inputs is None else inputs
        z = np.zeros(len(self.states)) if z0 is None else z0
        n = arguments.members(p, self.parameters, q0, v0, z, given)
        return Ensemble(
            self._core,
            self._method(method),
            arguments.parameters(p, self.parameters, n),
            arguments.rows("q0", q0, self.coordinates, n),
            arguments.rows("v0", v0, self.velocities, n),
            arguments.rows("z0", z, self.states, n),
            arguments.rows("inputs", given, self.inputs, n),
            arguments.number("h", h),
            project,
        )

    def acceleration(
        self,
        p: Mapping[str, ArrayLike],
        q: ArrayLike,
        v: ArrayLike,
        t: float = 0.0,
        inputs: ArrayLike | None = None,
        z: ArrayLike | None = None,
    ) -> Acceleration:
        """dv/dt and the multipliers of the continuous equations, `dv, multipliers = ...`.

        Args:
            p: values of the parameters.
            q, v: configuration and velocity, shapes (n,); or many, shapes (N, n), for results (N, n) and (N, m).
            t: time.
            inputs: control inputs, shape (k,); zeros if left out.
            z: auxiliary states; zeros if left out.

        Raises:
            ValueError: names the argument; of `q` also where the equations are singular.
        """
        both = self._at(self._core.acceleration, p, q, v, t, inputs, z)
        n = len(self.velocities)
        return Acceleration(both[..., :n], both[..., n:])

    def project(
        self,
        p: Mapping[str, ArrayLike],
        q: ArrayLike,
        v: ArrayLike,
        t: float = 0.0,
        inputs: ArrayLike | None = None,
        z: ArrayLike | None = None,
    ) -> Array:
        """The admissible velocity at `q` nearest to `v` in the kinetic-energy metric. Arguments are those of `acceleration`."""
        projected: Array = self._at(self._core.project, p, q, v, t, inputs, z)
        return projected

    def energy(
        self,
        p: Mapping[str, ArrayLike],
        q: ArrayLike,
        v: ArrayLike,
        t: float = 0.0,
        inputs: ArrayLike | None = None,
        z: ArrayLike | None = None,
    ) -> Any:
        """∂L/∂v · v − L: a number, for many states shape (N,). Arguments are those of `acceleration`."""
        return self._at(self._core.energy, p, q, v, t, inputs, z)

    def basis(self, p: Mapping[str, ArrayLike], q: ArrayLike, t: float = 0.0, inputs: ArrayLike | None = None) -> Array:
        """X(q), shape (n, d): its columns are a basis of the velocities that the constraints admit, v = X ν + v₀.

        ν, with d = n − m components, is the velocity in the state x = (q, ν, z) that `Simulation.linearize` refers to. It
        consists of velocities that the constraints leave free, or of combinations of two of them.

        Args:
            p: values of the parameters.
            q: configuration, shape (n,).
            t: time.
            inputs: control inputs; zeros if left out.

        Raises:
            ValueError: names the argument; of `q` also where the basis degenerates.
        """
        return self.frame(p, q, t, inputs).basis

    def frame(self, p: Mapping[str, ArrayLike], q: ArrayLike, t: float = 0.0, inputs: ArrayLike | None = None) -> Frame:
        """X(q) with v₀ and the components Y(q): v = X ν + v₀ and ν = Y v. Arguments are those of `basis`."""
        return Frame(
            *self._core.basis(
                arguments.parameters(p, self.parameters),
                arguments.vector("q", q, self.coordinates),
                arguments.number("t", t),
                self._inputs(inputs),
            )
        )

    def basis_derivative(
        self,
        p: Mapping[str, ArrayLike],
        q: ArrayLike,
        nu: ArrayLike,
        t: float = 0.0,
        inputs: ArrayLike | None = None,
    ) -> Array:
        """∂(X(q) ν + v₀)/∂q at fixed ν, shape (n, n): with it, δv = X δν + ∂(X ν + v₀)/∂q δq.

        A pose is displaced by g exp(δg), and has the columns of its velocities.

        Args:
            p: values of the parameters.
            q: configuration, shape (n,); a pose on SO(3) or SE(3) has more entries in q than velocities.
            nu: ν = Y v, shape (d,), as `frame(p, q).components @ v`.
            t: time.
            inputs: control inputs; zeros if left out.

        Raises:
            ValueError: names the argument; of `q` also where the basis degenerates.
        """
        return self._core.basis_derivative(
            arguments.parameters(p, self.parameters),
            arguments.vector("q", q, self.coordinates),
            np.ascontiguousarray(arguments.array("nu", nu).reshape(-1)),
            arguments.number("t", t),
            self._inputs(inputs),
        )

    def retract(self, x: Sequence[ArrayLike], delta: ArrayLike) -> tuple[Array, ...]:
        """x ⊕ δ: the state that a tangent vector displaces. Poses are displaced by g exp(δg), all else by addition.

        A state is what `Simulation.linearize` refers to, with ν of `frame`.

        Args:
            x: state (q, nu), with auxiliary states (q, nu, z); shapes (n,), (d,) and (number of them,) in coordinates, while
                a pose on SO(3) or SE(3) has more entries in q than velocities.
            delta: (δq, δν, δz) in one array, shape (NX,); δq has the n entries of `velocities`, and those of a pose are its
                displacement in the body.

        Returns:
            A tuple of arrays, as `x`.

        Raises:
            ValueError: names the argument.
        """
        known = self._parts
        entries = [*self.velocities, *(name for part, names in known.items() if part != "q" for name in names)]
        moved = self._core.retract(self._point("x", x), arguments.vector("delta", delta, entries))
        return tuple(moved[: len(known)])

    def difference(self, a: Sequence[ArrayLike], b: Sequence[ArrayLike]) -> Array:
        """b ⊖ a, shape (NX,): the tangent vector δ with a ⊕ δ = b.

        It has log(g⁻¹g') of poses, with the smallest rotation, so that full turns of an angle of SE(2) do not count, and the
        differences of all others.

        Args:
            a, b: states, as in `retract`.

        Raises:
            ValueError: names the argument.
        """
        return self._core.difference(self._point("a", a), self._point("b", b))

    def _at(
        self,
        function: Any,
        p: Mapping[str, ArrayLike],
        q: ArrayLike,
        v: ArrayLike,
        t: float,
        inputs: ArrayLike | None,
        z: ArrayLike | None,
    ) -> Any:
        is_one = np.ndim(q) == 1 and np.ndim(v) == 1
        count = max(len(q) if np.ndim(q) == 2 else 1, len(v) if np.ndim(v) == 2 else 1)  # type: ignore[arg-type]
        results = function(
            arguments.parameters(p, self.parameters),
            arguments.rows("q", q, self.coordinates, count),
            arguments.rows("v", v, self.velocities, count),
            arguments.number("t", t),
            self._inputs(inputs),
            self._auxiliary("z", z),
        )
        return results[0] if is_one else results

    def _state(self, q_name: str, q: ArrayLike, v_name: str, v: ArrayLike) -> tuple[Array, Array]:
        return arguments.vector(q_name, q, self.coordinates), arguments.vector(v_name, v, self.velocities)

    @property
    def _parts(self) -> dict[str, list[str]]:
        """Names of the entries of a state, by its parts."""
        components = [f"nu[{i}]" for i in range(len(self.velocities) - len(self.constraints))]
        return {"q": self.coordinates, "nu": components} | ({"z": self.states} if self.states else {})

    def _point(self, argument: str, x: Sequence[ArrayLike]) -> tuple[Array, Array, Array]:
        q, nu, *z = arguments.parts(argument, x, self._parts)
        return q, nu, z[0] if z else np.empty(0)

    def _auxiliary(self, argument: str, z: ArrayLike | None) -> Array:
        names: Sequence[str] = self.states
        return np.zeros(len(names)) if z is None else arguments.vector(argument, z, names)

    def _inputs(self, inputs: ArrayLike | None) -> Array:
        names: Sequence[str] = self.inputs
        return np.zeros(len(names)) if inputs is None else arguments.vector("inputs", inputs, names)

    def _method(self, method: str | None) -> str:
        if method == "exact":
            raise ValueError("method: the exact flow is no method of steps; `simulate` takes its samples")
        method = self.default_method if method is None else method
        self._forewarn(method)
        return method

    def _forewarn(self, method: str) -> None:
        """Warns before the steps of a method are derived and compiled, if that takes long."""
        if (warning := self._core.forewarning(method)) is not None:
            warnings.warn(warning, stacklevel=4)

    def _warn_of_unused(self, *texts: Any) -> None:
        """Warns once of parameters and inputs that no formula uses, neither one of the declaration nor one of `texts`, or of those before."""
        self._texts.update(text for text in texts if isinstance(text, str))
        warning = self._core.unused(list(self._texts))
        if warning is not None and warning not in self._told:
            self._told.add(warning)
            warnings.warn(warning, stacklevel=3)

    def _warn_of_zeros(self) -> None:
        """Warns of inputs that are left out."""
        if self.inputs:
            warnings.warn("no inputs are given: " + ", ".join(f"`{name}` = 0" for name in self.inputs), stacklevel=3)

    @cached_property
    def _texts(self) -> set[str]:
        return set()

    @cached_property
    def _told(self) -> set[str]:
        return set()

    def __repr__(self) -> str:
        labels = ", ".join(self.constraints) or "none"
        return f"<nhi.System {self.name}: coordinates {', '.join(self.coordinates)}; constraints {labels}>"

    def _repr_html_(self) -> str:
        return embedded(self._summary)

    def _repr_latex_(self) -> str:
        return displays(self._summary)


def _uses_sympy(given: Any) -> bool:
    """Whether there is a SymPy expression among arguments."""
    if isinstance(given, Mapping):
        return any(_uses_sympy(item) for pair in given.items() for item in pair)
    if isinstance(given, (list, tuple)):
        return any(_uses_sympy(item) for item in given)
    return any(str(kind.__module__).partition(".")[0] == "sympy" for kind in type(given).__mro__)
