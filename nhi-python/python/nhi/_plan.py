"""Plans: motions of least cost."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nhi import _arguments as arguments
from nhi import _nhi
from nhi._arguments import Array
from nhi._declaration import powers
from nhi._help import explained
from nhi._run import Run
from nhi._system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Kinematic:
    """The kinematics of a system, for plans in which the velocities that its constraints admit are the inputs.

    In the place of the system, `nhi.plan(nhi.Kinematic(system), p, q0, None, q1, None, h, steps)` plans a motion q' = q ⊕ h(X ν + v₀) by
    the mid-point rule, with the quasi-velocities ν of `System.frame` as inputs, `nu[0]`, `nu[1]` and so on, which are held over steps.
    Forces and masses do not count. With the kinetic energy as cost, or another square of the velocities, plans are sub-Riemannian
    geodesics.

    Args:
        system: the system. Inputs that drive its constraints are zero.
    """

    def __init__(self, system: System) -> None:
        if not isinstance(system, System):
            raise ValueError(f"system: expected a System, found {system!r}")
        self.system = system

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs: `nu[0]`, `nu[1]`, and so on."""
        return self.system._parts["nu"]

    def __repr__(self) -> str:
        return f"<nhi.Kinematic of {self.system.name}: inputs {', '.join(self.inputs)}>"


class Problem:
    """The problem of the motion of least cost from one state to another, for `multi_start`, `free_time` and `Mpc`.

    `plan(...)` is `Problem(...).solve()`; the arguments are explained there.
    """

    def __init__(
        self,
        system: System | Kinematic,
        p: Mapping[str, ArrayLike],
        q0: ArrayLike,
        v0: ArrayLike | None,
        q1: ArrayLike | Mapping[str, float] | None,
        v1: ArrayLike | Mapping[str, float] | None,
        h: float,
        steps: int,
        *,
        cost: str | None = None,
        final_cost: str | None = None,
        weights: ArrayLike = 1.0,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        conditions: Mapping[str, float] | None = None,
        via: Mapping[int, Mapping[str, float]] | None = None,
        method: str | None = None,
        guess: ArrayLike | Mapping[str, ArrayLike] | Plan | None = None,
        bodies: Mapping[str, Any] | None = None,
        tolerance: float = 1e-9,
        iterations: int = 300,
        barrier: float = 1.0,
    ) -> None:
        self.kinematic = isinstance(system, Kinematic)
        self.system = system.system if isinstance(system, Kinematic) else system
        if not isinstance(self.system, System):
            raise ValueError(f"system: expected a System, found {self.system!r}")
        self.inputs: list[str] = system.inputs
        if not self.inputs:
            raise ValueError("system: it has no inputs, of which a plan is made")
        if self.kinematic and not (v0 is None and v1 is None and method is None):
            named = "v0" if v0 is not None else "v1" if v1 is not None else "method"
            raise ValueError(f"{named}: expected None, because the inputs of Kinematic are velocities")
        self.p, self.bodies = dict(p), bodies
        self.steps, self.h = arguments.count("steps", steps, 1), arguments.positive("h", h)
        self.method = None if self.kinematic else self.system._method(method)
        names, velocities = self.system.coordinates, self.system.velocities
        dots = [f"dot_{name}" if name in names else name for name in velocities]
        if self.kinematic:
            begin: tuple[Array, Array | None] = arguments.vector("q0", q0, names), None
        else:
            begin = self.system._state("q0", q0, "v0", np.zeros(len(velocities)) if v0 is None else v0)
        self.q0, self.v0 = begin
        place = np.full(len(names), np.nan) if q1 is None else _free("q1", q1, names)
        velocity = None if v1 is None else _free("v1", v1, dots)
        count = len(self.inputs)
        r = arguments.array("weights", weights)
        if r.shape not in ((), (count,)) or not (np.isfinite(r).all() and (r > 0).all()):
            raise ValueError(f"weights: expected a positive number, or one for each of {', '.join(self.inputs)}")
        self.bounds = {text("bounds", name): _pair(name, pair) for name, pair in (bounds or {}).items()}
        asked = [(*one, self.steps) for one in _values("conditions", conditions or {})]
        for step, values in (via or {}).items():
            step = arguments.count("via", step, 1)
            asked += [(*one, step) for one in _values(f"via[{step}]", values)]
        formulas = [name for name, *_ in asked]
        drawn = [text for body in arguments.bodies(bodies) for text in body[3]]
        self.system._warn_of_unused(cost, final_cost, *self.bounds, *formulas, *drawn)
        self._arguments = (
            self.system._core,
            self.method,
            arguments.parameters(p, self.system.parameters),
            begin,
            (place, velocity),
            self.h,
            self.steps,
            np.broadcast_to(r, (count,)).tolist() if cost is None else text("cost", cost),
            None if final_cost is None else text("final_cost", final_cost),
            list(self.bounds.items()),
            asked,
            self._guess(guess),
            (
                arguments.positive("tolerance", tolerance),
                arguments.count("iterations", iterations, 1),
                arguments.positive("barrier", barrier),
            ),
        )

    def _guess(self, given: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """Configurations and velocities after each step, and inputs."""
        if given is None:
            return [], [], []
        if isinstance(given, Plan):
            given = {"q": given.q, "inputs": given.inputs} | ({} if self.kinematic else {"v": given.v})
        if not isinstance(given, Mapping):
            return [], [], arguments.rows("guess", given, self.inputs, self.steps).tolist()
        parts = {"q": self.system.coordinates} | ({} if self.kinematic else {"v": self.system.velocities})
        expected = (*parts, "inputs")
        if set(given) != set(expected):
            raise ValueError(
                f"guess: expected inputs, or a mapping with {', '.join(expected)}, found {', '.join(given)}"
            )
        rows = {}
        for name, names in parts.items():
            numbers = arguments.array(f'guess["{name}"]', given[name])
            if numbers.shape != (self.steps + 1, len(names)):
                wanted = (self.steps + 1, len(names))
                raise ValueError(f'guess["{name}"]: expected shape {wanted}, found {numbers.shape}')
            # The first state is that of the problem.
            rows[name] = numbers[1:].tolist()
        inputs = arguments.rows('guess["inputs"]', given["inputs"], self.inputs, self.steps)
        return rows["q"], rows.get("v", []), inputs.tolist()

    @property
    def _core(self) -> _nhi.Problem:
        return _nhi.Problem(*self._arguments)

    def solve(self, starts: int = 1) -> Plan:
        """The best plan from some start guesses, as `plan` returns it."""
        best, others = self._core.solve(arguments.count("starts", starts, 1))
        return self._plan(best, self.h, [self._plan(other, self.h, []) for other in others])

    def _plan(self, facts: _nhi.Found, h: float, others: list[Plan]) -> Plan:
        t = np.arange(self.steps + 1, dtype=np.float64) * h
        return Plan(t=t, **facts, others=others, problem=self)

    def __repr__(self) -> str:
        return f"<nhi.Problem of {self.system.name}: {self.steps} steps, h = {self.h}>"


@explained
class Plan(NamedTuple):
    """What `plan` returns: the motion of N steps."""

    t: Array
    """Times, shape (N + 1,)."""
    q: Array
    """Configurations, shape (N + 1, n)."""
    v: Array
    """Velocities, shape (N + 1, n); after the last step with the last inputs."""
    inputs: Array
    """Inputs of the steps, shape (N, k): `system.simulate(..., inputs=plan.inputs)` is this motion."""
    gains: Array
    """Gains K of the steps, shape (N, k, NX): u + K (x - x_k) corrects small deviations. Empty if the motion is no minimum."""
    costates: Array
    """Derivatives of the remaining cost by the state after each step, shape (N, NX)."""
    multipliers: dict[str, float]
    """What conditions cost, and bounds after every step, by names such as `"x"` and `"x at stage 3"`: the derivatives of the cost by the
    numbers that they ask for, with the opposite sign."""
    cost: float
    """The integral of the cost, and the final cost."""
    converged: bool
    """Whether the motion is a solution."""
    is_minimum: bool
    """Whether the motion is a minimum to second order."""
    cannot_meet: dict[str, float]
    """Conditions and bounds that cannot be met, or that the last states miss, and by how much. Velocities have names such as
    `"dot_x"`, others in a basis `"nu[0]"`."""
    unchanged: list[dict[str, float]]
    """What no inputs change of the conditions, to first order: momenta, or combinations of conditions, by names with factors."""
    iterations: int
    """Number of Newton steps."""
    residuals: Array
    """Residuals of the conditions of optimality before each Newton step, and at the end, shape (iterations + 1,)."""
    status: str
    """How the solution ended, in words."""
    others: list[Plan]
    """What other start guesses led to: minima, each once, the cheapest first, then what is no minimum."""
    problem: Problem
    """What was asked for."""

    @property
    def run(self) -> Run:
        """The motion that the inputs of the plan lead to, with forces of constraints, energy, files, and pictures with the bounds.

        Of a plan in velocities it has these, and no forces.

        Raises:
            StepError: a step cannot be taken, as may be where the plan has not converged.
        """
        problem, h = self.problem, float(self.t[1] - self.t[0])
        if problem.v0 is None:
            rows = self.q.tolist(), self.v.tolist(), self.inputs.tolist()
            recording = problem._core.recording(rows, h, arguments.bodies(problem.bodies))
            run = Run(recording, {"h": h, "steps": problem.steps})
        else:
            run = problem.system.simulate(
                problem.p,
                problem.q0,
                problem.v0,
                h,
                problem.steps,
                method=problem.method,
                inputs=self.inputs,
                bodies=problem.bodies,
            )
        return run._limited(problem.system._core, list(problem.bounds.items()))

    def save(self, path: str | os.PathLike[str], *, comments: bool = False) -> Path:
        """Writes the motion to a file, as `Run.save` does; `path` ends in `.csv`, `.json` or `.npz`."""
        return self.run.save(path, comments=comments)

    def view(self, path: str | os.PathLike[str], phase: tuple[str, str] | None = None) -> Path:
        """Writes a page that plays the motion, with its bounds and obstacles, as `Run.view` does."""
        return self.run.view(path, phase)

    def plot(self, phase: tuple[str, str] | None = None) -> Figure:
        """Draws the motion with its bounds and obstacles, as `Run.plot` does. Needs Matplotlib."""
        return self.run.plot(phase)

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    def __repr__(self) -> str:
        return f"<nhi.Plan of {self.problem.system.name}: {len(self.inputs)} steps, cost {self.cost:g}, {self.status}>"


@explained
class Timed(NamedTuple):
    """What `free_time` returns."""

    time: float
    """The time T of the motion."""
    plan: Plan
    """The plan, with steps of size T/N. Its cost is without that of the time."""
    derivative: float
    """The derivative of the cost, with that of the time, by T: zero, unless T is the shortest or the longest time."""
    solutions: int
    """How many problems with fixed times were solved."""


def plan(
    system: System | Kinematic,
    p: Mapping[str, ArrayLike],
    q0: ArrayLike,
    v0: ArrayLike | None,
    q1: ArrayLike | Mapping[str, float] | None,
    v1: ArrayLike | Mapping[str, float] | None,
    h: float,
    steps: int,
    *,
    cost: str | None = None,
    final_cost: str | None = None,
    weights: ArrayLike = 1.0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    conditions: Mapping[str, float] | None = None,
    via: Mapping[int, Mapping[str, float]] | None = None,
    method: str | None = None,
    guess: ArrayLike | Mapping[str, ArrayLike] | Plan | None = None,
    bodies: Mapping[str, Any] | None = None,
    tolerance: float = 1e-9,
    iterations: int = 300,
    barrier: float = 1.0,
    starts: int = 1,
) -> Plan:
    """The motion of least cost from one state to another: an exact motion of the discrete system.

    The steps and their first and second derivatives are compiled. From rest, where no input moves a wheel sideways to first
    order, the start guess is moved along a Lie bracket of two inputs, and `status` says so. A plan is a local minimum; more `starts`
    find others. A plan that has converged is a motion that `System.simulate` accepts.

    Args:
        system: a system with inputs. They may drive constraints if the method is `"dla_rattle"`, `"rdp"` or one of their variants.
            For a plan in admissible velocities, `Kinematic(system)`.
        p: values of the parameters.
        q0: configuration at the start, shape (n,).
        v0: velocity at the start, shape of the velocities, on the constraints; `None` for rest.
        q1: configuration at the end, shape (n,), with NaN for coordinates that are free, and for all entries of a pose that is free; or
            the values of some coordinates by name, `{"x": 4, "y": 1}`; `None` if it is free.
        v1: velocity at the end, shape of the velocities, on the constraints, with NaN for velocities that are free; or some by name,
            `{"dot_x": 0}`; `None` if it is free.
        h: step size.
        steps: number N of steps.
        cost: what is integrated over time, by the rule h Σ cost(x_k, u_k): a formula in coordinates, velocities, inputs, `t` and
            parameters, such as `"u^2/2 + 10*(x - 1)^2"`; the effort ½ Σ rⱼ uⱼ² if left out.
        final_cost: a formula of the last state that is added.
        weights: r of the effort, one for each input, or for all.
        bounds: the least and the largest value of inputs, of coordinates, and of other formulas such as `"x^2 + y^2"`, after every
            step; of multipliers, `"lambda(blade)"`, in every step: a wheel does not slip while the force of its constraint is small.
        conditions: values of formulas at the end, such as `{"x^2 + y^2": 1}` or `{"dot(x)": 0}`.
        via: such values after other steps, by their numbers: `{20: {"x": 1, "y": 0.5}}`.
        method: id of the method of the steps, which must have derivatives.
        guess: inputs to begin with, shape (N, k); zeros if left out. Where a simulation refuses a step with them, a part of them. With
            states that need not follow from them, `{"q": q, "v": v, "inputs": inputs}`, of shapes (N + 1, n), (N + 1, n) and (N, k), or
            another plan.
        bodies: what pictures show, as in `System.simulate`.
        tolerance: the residual of the conditions of optimality below which the motion is a solution.
        iterations: Newton steps, at most.
        barrier: how far from bounds the solution begins to look, in the unit of the cost.
        starts: number of start guesses: `guess`, and random variations of it, the same in every call. The best plan is returned,
            `others` has the rest.

    Raises:
        ValueError: names the argument; for mistakes in a formula it is a `DeclarationError`.
        RuntimeError: a formula is not finite along the motion of the guess.
    """
    return Problem(
        system,
        p,
        q0,
        v0,
        q1,
        v1,
        h,
        steps,
        cost=cost,
        final_cost=final_cost,
        weights=weights,
        bounds=bounds,
        conditions=conditions,
        via=via,
        method=method,
        guess=guess,
        bodies=bodies,
        tolerance=tolerance,
        iterations=iterations,
        barrier=barrier,
    ).solve(starts)


def multi_start(problem: Problem, count: int) -> list[Plan]:
    """The minima that solutions from several start guesses lead to, each once, the cheapest first.

    The first guess is that of the problem, the others are random variations of it, the same in every call. They are solved on all cores.

    Args:
        problem: the problem.
        count: number of start guesses.

    Raises:
        ValueError, RuntimeError: as `plan`.
    """
    best = _is_problem(problem).solve(arguments.count("count", count, 1))
    return [one for one in (best, *best.others) if one.converged and one.is_minimum]


def free_time(problem: Problem, times: tuple[float, float], price: float) -> Timed:
    """The plan of least cost whose time T is free, where a unit of time costs `price`.

    The N steps have the size T/N; that of the problem does not count. The zero of the derivative of the least cost by T, which follows
    from the multipliers of a plan, is found by secants; every plan begins with the one before.

    Args:
        problem: the problem.
        times: the shortest and the longest T. The search begins between them.
        price: the cost of a unit of time.

    Raises:
        ValueError: as `plan`.
        RuntimeError: there is no plan for a time of the search.
    """
    try:
        shortest, longest = (float(time) for time in times)
    except (TypeError, ValueError):
        raise ValueError(f"times: expected two numbers, found {times!r}") from None
    found = _is_problem(problem)._core.free_time((shortest, longest), arguments.number("price", price))
    facts, time, derivative, solutions = found
    return Timed(time, problem._plan(facts, time / problem.steps, []), derivative, solutions)


class Mpc:
    """Model predictive control: the input for every measured state is the first one of a plan from there.

    The horizon moves on by a step with every call of `step`. Its plan gets one Newton step, all of which but what depends on the
    measured state is computed before, on a thread of its own, while the input is applied. Formulas of costs and bounds that contain `t`
    have the time of the whole motion, so that a plan can follow another one.

    A condition, or a bound of states, for which there are no inputs from the measured state is a `failure`: what has to be reached is
    better a cost.

    Args:
        problem: the problem of the first horizon. Its conditions are those at the end of every horizon.

    Raises:
        ValueError: as `plan`.
        RuntimeError: there is no plan to begin with.

    >>> import nhi
    >>> cart = nhi.System(
    ...     coordinates=["x"],
    ...     inputs=["u"],
    ...     parameters=["m"],
    ...     lagrangian="m/2*dot(x)^2",
    ...     constraints=[],
    ...     force="u*dx",
    ... )
    >>> p = dict(m=1.0)
    >>> cost = dict(cost="x^2 + dot(x)^2 + u^2/100", bounds={"u": (-1, 1)})
    >>> mpc = nhi.Mpc(nhi.Problem(cart, p, [0.5], [0], None, None, 0.1, 20, **cost))
    >>> sim = cart.simulation(p, [0.5], [0], h=0.1)
    >>> for _ in range(100):
    ...     sim.step(mpc.step(sim.q, sim.v))
    >>> bool(abs(sim.q[0]) < 1e-3)
    True
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = _is_problem(problem)
        self._core = _nhi.Mpc(problem._core)
        self._steps, self._iterations = 0, 0
        self._failure: str | None = None
        self._q, self._inputs = np.empty((0, 0)), np.empty((0, 0))

    def step(self, q: ArrayLike, v: ArrayLike | None = None, z: ArrayLike | None = None) -> Array:
        """The input for the next step of time from a measured state, shape (k,), within its bounds.

        Args:
            q: configuration, shape (n,).
            v: velocity, of which the admissible part counts; none where the inputs are velocities.
            z: auxiliary states; zeros if left out.

        Raises:
            ValueError: names the argument.
        """
        system, kinematic = self._problem.system, self._problem.kinematic
        place = arguments.vector("q", q, system.coordinates)
        if (v is None) != kinematic:
            raise ValueError(f"v: expected {'None' if kinematic else arguments.meant(system.velocities)}, found {v!r}")
        velocity = np.empty(0) if v is None else arguments.vector("v", v, system.velocities)
        found = self._core.step(place, velocity, np.empty(0) if kinematic else system._auxiliary("z", z))
        u, step, self._iterations, self._failure, self._q, self._inputs = found
        self._steps = step + 1
        return u

    @property
    def steps(self) -> int:
        """Number of steps for which inputs were asked."""
        return self._steps

    @property
    def failure(self) -> str | None:
        """Why there is no new plan from the last measured state, if there is none. The input is then that of the plan before."""
        return self._failure

    @property
    def iterations(self) -> int:
        """Iterations of the interior-point method for the last input; 0 if no bound was active."""
        return self._iterations

    @property
    def q(self) -> Array:
        """Configurations of the last plan, from the measured one on, shape (N + 1, n)."""
        return self._q

    @property
    def inputs(self) -> Array:
        """Inputs of the last plan, shape (N, k)."""
        return self._inputs

    def __repr__(self) -> str:
        return f"<nhi.Mpc of {self._problem.system.name}: horizon of {self._problem.steps} steps, {self._steps} steps>"


def _is_problem(problem: Any) -> Problem:
    if not isinstance(problem, Problem):
        raise ValueError(f"problem: expected a Problem, found {problem!r}")
    return problem


def text(name: str, given: Any) -> str:
    """A formula."""
    if not isinstance(given, str):
        raise ValueError(f"{name}: expected a text, found {given!r}")
    return powers(given)


def _free(name: str, given: ArrayLike | Mapping[str, float], names: Sequence[str]) -> Array:
    """Numbers, which are NaN where they are free."""
    if isinstance(given, Mapping):
        numbers = np.full(len(names), np.nan)
        for entry, value in given.items():
            if entry not in names:
                raise ValueError(f"{name}: unknown name `{entry}`; {arguments.suggestion(entry, names, 'names')}")
            numbers[names.index(entry)] = arguments.number(f'{name}["{entry}"]', value)
    else:
        numbers = arguments.vector(name, given, names)
    if np.isinf(numbers).any() or np.isnan(numbers).all():
        raise ValueError(f"{name}: its entries must be finite, or NaN where free, and not all of them free")
    return numbers


def _values(name: str, given: Any) -> list[tuple[str, float]]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{name}: expected a mapping from formulas to numbers, found {given!r}")
    return [(text(name, formula), arguments.number(f'{name}["{formula}"]', value)) for formula, value in given.items()]


def _pair(name: str, given: Any) -> tuple[float, float]:
    try:
        least, most = (float(x) for x in given)
    except (TypeError, ValueError):
        raise ValueError(f"bounds: expected two numbers for `{name}`, found {given!r}") from None
    if not least < most:
        raise ValueError(f"bounds: expected the lower bound of `{name}` first, found {given!r}")
    return least, most
