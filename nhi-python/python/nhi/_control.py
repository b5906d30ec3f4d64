"""Feedback, plans and identification from the derivatives of steps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nhi import _arguments as arguments
from nhi import _nhi
from nhi._arguments import Array
from nhi._declaration import powers
from nhi._run import Run
from nhi._system import System


class Linear(NamedTuple):
    """What `linear` returns: δx' = A δx + B δu, or d/dt δx = A δx + B δu."""

    #: Names of the entries of δx.
    names: list[str]
    #: A, shape (states, states).
    a: Array
    #: B, shape (states, inputs).
    b: Array


def linear(
    sim: _nhi.Simulation,
    without: Sequence[str] = (),
    *,
    entries: Sequence[str] | None = None,
    continuous: bool = False,
) -> Linear:
    """A and B of the step just taken, by names of coordinates and velocities, or of x = (q, ν, z).

    With `entries`, δx are the named coordinates and velocities: `nhi.linear(sim, entries=["phi", "delta", "dot_phi", "dot_delta"])`.
    Gains for them act on `sim.q` and `sim.v` as they are: the first-order relation δv = X δν + ∂(X ν + v₀)/∂q δq is in A and B. The
    rest of the state is left out; nothing in `entries` may depend on it, unless it stays as it is, such as the speed of a bicycle that
    is steered only.

    Without `entries` they are those of x, of which ν is the velocity in a basis, v = X ν + v₀. Gains for them do not act on velocities.
    At a relative equilibrium, such as a bicycle at constant speed, leave out the cyclic coordinates, on which nothing else depends,
    and what stays as it is: `nhi.linear(sim, without=["x", "y", "psi", "nu[0]"])`. `Simulation.entries` has the names.

    Args:
        sim: a simulation that has taken a step.
        without: names of entries that are left out.
        entries: names of coordinates, such as `"phi"`, of their velocities, such as `"dot_phi"`, also of dependent ones, and those of
            `Simulation.entries`. A pose is displaced by `"omega"`, if that is the name of a velocity of its body, which itself is
            `"dot_omega"`.
        continuous: A and B of the continuous equations where the step began, d/dt δx = A δx + B δu: the derivatives of those of steps
            by their size, by differences of order 4.

    Raises:
        ValueError: names an entry that is none, or that the others change and on which one of them depends, or that the constraints
            determine by the others; before the first step, and for methods without derivatives.
    """
    if entries is None and not continuous:
        return Linear(*_nhi.without(sim.entries, *sim.linearize(), list(without)))
    names, a, b = sim._linear(None if entries is None else list(entries), bool(continuous))
    return Linear(*_nhi.without(names, np.ascontiguousarray(a), np.ascontiguousarray(b), list(without)))


class Lqr(NamedTuple):
    """What `lqr` returns."""

    #: K of δu = −K δx, shape (inputs, states).
    gain: Array
    #: P of the remaining cost δxᵀ P δx, shape (states, states).
    cost: Array
    #: Eigenvalues of A − B K, the largest first; all have moduli below one.
    eigenvalues: NDArray[np.complex128]


def lqr(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike, names: Sequence[str] | None = None) -> Lqr:
    """The feedback δu = −K δx of δx' = A δx + B δu with the least cost Σ δxᵀ Q δx + δuᵀ R δu over all steps.

    A and B are those of `Simulation.linearize`, or those of `linear`, without cyclic coordinates.

    Args:
        a: shape (states, states).
        b: shape (states, inputs).
        q: weights of the states, symmetric and positive semidefinite; a vector for a diagonal matrix.
        r: weights of the inputs, symmetric and positive definite; a vector or a number likewise.
        names: names of the entries of x, for errors.

    Raises:
        ValueError: names the argument, or the mode that no feedback stabilises or that has no weight.
    """
    given: list[Any] = [_matrix(name, x) for name, x in (("a", a), ("b", b))]
    given += [_weights(name, x) for name, x in (("q", q), ("r", r))]
    names = [f"x[{i}]" for i in range(len(given[0]))] if names is None else list(names)
    if len(names) != len(given[0]):
        raise ValueError(f"names: expected {len(given[0])}, found {len(names)}")
    gain, cost, real, imaginary = _nhi.lqr(names, *given)
    return Lqr(gain, cost, real + 1j * imaginary)


class Plan(NamedTuple):
    """What `plan` returns: the motion of N steps."""

    #: Times, shape (N + 1,).
    t: Array
    #: Configurations, shape (N + 1, n).
    q: Array
    #: Velocities, shape (N + 1, n).
    v: Array
    #: Inputs of the steps, shape (N, k): `system.simulate(..., inputs=plan.inputs)` is this motion.
    inputs: Array
    #: Gains K of the steps, shape (N, k, NX): u + K (x - x_k) corrects small deviations. Empty if the motion is no minimum.
    gains: Array
    #: The integral of the cost, and the final cost.
    cost: float
    #: Whether the motion is a solution.
    converged: bool
    #: Conditions and bounds that cannot be met, or that the last motion misses, and by how much. Velocities have names such as
    #: `"dot_x"`, others in a basis `"nu[0]"`.
    cannot_meet: dict[str, float]
    #: How the solution ended, in words.
    status: str
    #: What other start guesses led to: minima, each once, the cheapest first, then what is no minimum.
    others: list[OtherPlan]


class OtherPlan(NamedTuple):
    """What another start guess of `plan` led to."""

    #: The integral of the cost, and the final cost.
    cost: float
    #: Whether the motion is a solution.
    converged: bool
    #: How the solution ended, in words.
    status: str


def plan(
    system: System,
    p: Mapping[str, ArrayLike],
    q0: ArrayLike,
    v0: ArrayLike,
    q1: ArrayLike,
    v1: ArrayLike | None,
    h: float,
    steps: int,
    *,
    cost: str | None = None,
    final_cost: str | None = None,
    weights: ArrayLike = 1.0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    method: str | None = None,
    guess: ArrayLike | None = None,
    starts: int = 1,
) -> Plan:
    """The motion of least cost from one state to another: an exact motion of the discrete system.

    The steps and their first and second derivatives are compiled. From rest, where no input moves a wheel sideways to first
    order, the start guess is moved along a Lie bracket of two inputs, and `status` says so. A plan is a local minimum; more `starts`
    find others. A plan that has converged is a motion that `System.simulate` accepts.

    Args:
        system: a system with inputs. They may drive constraints if the method is `"dla_rattle"`, `"rdp"` or one of their variants.
        p: values of the parameters.
        q0: configuration at the start, shape (n,).
        v0: velocity at the start, shape of the velocities, on the constraints.
        q1: configuration at the end, shape (n,); NaN for coordinates that are free, and for all entries of a pose that is free.
        v1: velocity at the end, shape of `v0`, on the constraints; `None` if it is free.
        h: step size.
        steps: number N of steps.
        cost: what is integrated over time, by the rule h Σ cost(x_k, u_k): a formula in coordinates, velocities, inputs, `t` and
            parameters, such as `"u^2/2 + 10*(x - 1)^2"`; the effort ½ Σ rⱼ uⱼ² if left out.
        final_cost: a formula of the last state that is added.
        weights: r of the effort, one for each input, or for all.
        bounds: the least and the largest value of inputs, of coordinates, and of other formulas such as `"x^2 + y^2"`, after every
            step.
        method: id of the method of the steps, which must have derivatives.
        guess: inputs to begin with, shape (N, k); zeros if left out. Where a simulation refuses a step with them, a part of them.
        starts: number of start guesses: `guess`, and random variations of it, the same in every call. The best plan is returned,
            `others` has the rest.

    Raises:
        ValueError: names the argument; for mistakes in a formula it is a `DeclarationError`.
        RuntimeError: a formula is not finite along the motion of the guess.
    """
    _is_system(system)
    if not system.inputs:
        raise ValueError("system: it has no inputs, of which a plan is made")
    begin = system._state("q0", q0, "v0", v0)
    end = (_free("q1", q1, system), None if v1 is None else arguments.vector("v1", v1, system.velocities))
    steps, h = arguments.count("steps", steps, 1), _forwards(h)
    count = len(system.inputs)
    r = arguments.array("weights", weights)
    if r.shape not in ((), (count,)) or not (np.isfinite(r).all() and (r > 0).all()):
        raise ValueError(f"weights: expected a positive number, or one for each of {', '.join(system.inputs)}")
    q, v, inputs, gains, total, converged, cannot_meet, status, others = _nhi.plan(
        system._core,
        system._method(method),
        arguments.parameters(p, system.parameters),
        begin,
        end,
        h,
        steps,
        np.broadcast_to(r, (count,)).tolist() if cost is None else _text("cost", cost),
        None if final_cost is None else _text("final_cost", final_cost),
        [(_text("bounds", name), _pair(name, pair)) for name, pair in (bounds or {}).items()],
        [] if guess is None else arguments.rows("guess", guess, system.inputs, steps).tolist(),
        arguments.count("starts", starts, 1),
    )
    t = np.arange(steps + 1, dtype=np.float64) * h
    rest = [OtherPlan(*other) for other in others]
    return Plan(t, q, v, inputs, gains, total, converged, dict(cannot_meet), status, rest)


class Fit(NamedTuple):
    """What `fit` returns, for U unknowns, S samples and M measured numbers."""

    #: Values of all parameters, as `System.simulate` takes them.
    p: dict[str, Any]
    #: Names of the unknowns: parameters, then entries of the start such as `theta(0)`.
    unknowns: list[str]
    #: Their values, shape (U,); of the pose at the start the displacement of the guess.
    values: Array
    #: Their standard deviations, shape (U,): the square roots of the diagonal of `covariance`.
    deviations: Array
    #: Their covariance, that of the linearised problem, shape (U, U). Directions that are not determined do not count.
    covariance: Array
    #: χ², the sum of the squares of the residuals, each divided by its variance if deviations are given.
    chi2: float
    #: Numbers that were measured, less those that they determine: the mean of χ² if the deviations are right.
    degrees_of_freedom: int
    #: Standard deviation of the noise, √(χ²/degrees of freedom), in units of the deviations if they are given.
    noise: float
    #: How many combinations of the unknowns are determined.
    rank: int
    #: Directions along which the unknowns can change without a change of the samples, to first order, by name.
    undetermined: list[dict[str, float]]
    #: What speaks against the fit: χ² far from its degrees of freedom, or residuals that are no noise. They are warned of, too.
    warnings: list[str]
    #: The numbers of the motion less the samples, shape (S, M).
    residuals: Array
    #: The motion that fits, up to the last sample.
    run: Run
    #: What other start guesses led to, each once, by their χ².
    others: list[OtherFit]


class OtherFit(NamedTuple):
    """What another start guess of `fit` led to."""

    #: χ².
    chi2: float
    #: Values of the unknowns, shape (U,).
    values: Array


def fit(
    system: System,
    p: Mapping[str, ArrayLike],
    q0: ArrayLike,
    v0: ArrayLike,
    h: float,
    t: ArrayLike,
    samples: ArrayLike,
    measured: str | Sequence[str],
    *,
    unknowns: Sequence[str] | None = None,
    inputs: ArrayLike | None = None,
    deviations: ArrayLike | None = None,
    method: str | None = None,
    starts: int = 1,
) -> Fit:
    """Parameters, and the start, of the motion nearest to samples: nonlinear least squares with exact derivatives.

    Args:
        system: a system whose constraints inputs do not drive.
        p: values of the parameters; of the unknown ones a guess.
        q0: configuration at t = 0, shape (n,), known or a guess.
        v0: velocity at t = 0 likewise, shape of the velocities. The motion begins with the velocity that is nearest in the metric of
            the kinetic energy among those that the constraints admit with its parameters.
        h: step size of the motion.
        t: times of the samples, shape (S,), ascending, from 0 on; they need not be multiples of h.
        samples: what was measured at each time, shape (S, M), or (S,) of one number.
        measured: M formulas in coordinates, velocities, inputs, `t` and parameters, such as `["x", "y"]` or `["sqrt(x^2 + y^2)"]`.
        unknowns: names of parameters, and of entries of the start: `"x(0)"` of a coordinate, `"dot_x(0)"` of a velocity; a
            pose is displaced by `"omega(0)"` if this is the name of a velocity of it. All parameters if left out.
        inputs: control inputs, shape (k,), held, or one row for each step up to the last sample; zeros if left out.
        deviations: standard deviations of the M numbers, shape (M,), or one for all. If left out, all are equal, and estimated.
        method: id of the method, which must have derivatives.
        starts: number of start guesses: the given one, and random variations of it, the same in every call, in which unknown parameters
            are multiplied by factors up to e. The fit with the least χ² is returned, `others` has the rest.

    Raises:
        ValueError: names the argument; for mistakes in a formula it is a `DeclarationError`.
        RuntimeError: the motion of the guess cannot be computed, or the iteration does not converge, from all starts.
    """
    _is_system(system)
    q0, v0 = system._state("q0", q0, "v0", v0)
    h, method = _forwards(h), system._method(method)
    texts = [measured] if isinstance(measured, str) else list(measured)
    texts = [_text(f"measured[{i}]", text) for i, text in enumerate(texts)]
    times, numbers = arguments.array("t", t), arguments.array("samples", samples)
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times, prepend=0.0) < 0).any():
        raise ValueError("t: expected a vector of ascending times from 0 on")
    if numbers.ndim == 1 and len(texts) == 1:
        numbers = numbers[:, np.newaxis]
    if numbers.shape != (len(times), len(texts)):
        raise ValueError(f"samples: expected shape {(len(times), len(texts))}, found {numbers.shape}")
    spread = np.empty(0) if deviations is None else arguments.array("deviations", deviations)
    if spread.shape not in ((), (0,), (len(texts),)):
        raise ValueError(f"deviations: expected one number, or {len(texts)}, found shape {spread.shape}")
    if spread.ndim == 0:
        spread = np.full(len(texts), spread)
    last = float(np.ceil(times[-1] / h - 1e-9)) if len(times) else 0.0
    if last > 1e7:
        raise ValueError(f"h: {last:g} steps to the last sample are too many")
    steps = int(last)
    given = np.zeros(len(system.inputs)) if inputs is None else arguments.array("inputs", inputs)
    if given.ndim == 2 and len(given) > steps:
        given = given[:steps]
    held = arguments.rows("inputs", given, system.inputs, steps) if steps else np.empty((0, len(system.inputs)))
    all_parameters = arguments.parameters(p, system.parameters)
    answer = _nhi.fit(
        system._core,
        method,
        all_parameters,
        (q0, v0),
        h,
        held.tolist(),
        texts,
        (times.tolist(), numbers.tolist(), spread.tolist()),
        None if unknowns is None else [_text("unknowns", name) for name in unknowns],
        arguments.count("starts", starts, 1),
    )
    (found, q, v), (names, values, covariance), (chi2, degrees, noise), directions, doubts, fitted, others = answer
    for doubt in doubts:
        warnings.warn(doubt, RuntimeWarning, stacklevel=2)
    best = arguments.unflattened(found, system.parameters)
    # The start of the motion is admissible up to rounding.
    run = system.simulate(best, q, v, h, steps, method=method, inputs=held if system.inputs and steps else None)
    return Fit(
        best,
        names,
        values,
        np.sqrt(np.diag(covariance)),
        covariance,
        chi2,
        degrees,
        noise,
        len(names) - len(directions),
        [dict(zip(names, direction, strict=True)) for direction in directions],
        doubts,
        fitted - numbers,
        run,
        [OtherFit(chi2, np.array(values)) for chi2, values in others],
    )


def _is_system(system: Any) -> None:
    if not isinstance(system, System):
        raise ValueError(f"system: expected a System, found {system!r}")


def _forwards(h: Any) -> float:
    size = arguments.number("h", h)
    if not (np.isfinite(size) and size > 0):
        raise ValueError(f"h: must be positive and finite, found {size}")
    return size


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise ValueError(f"{name}: expected a text, found {given!r}")
    return powers(given)


def _free(name: str, given: ArrayLike, system: System) -> Array:
    numbers = arguments.vector(name, given, system.coordinates)
    if np.isinf(numbers).any() or np.isnan(numbers).all():
        raise ValueError(f"{name}: its entries must be finite, or NaN where free, and not all of them free")
    return numbers


def _pair(name: str, given: Any) -> tuple[float, float]:
    try:
        least, most = (float(x) for x in given)
    except (TypeError, ValueError):
        raise ValueError(f"bounds: expected two numbers for `{name}`, found {given!r}") from None
    if not least < most:
        raise ValueError(f"bounds: expected the lower bound of `{name}` first, found {given!r}")
    return least, most


def _matrix(name: str, given: ArrayLike) -> Array:
    try:
        matrix = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers: {error}") from None
    if matrix.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, found shape {matrix.shape}")
    return matrix


def _weights(name: str, given: ArrayLike) -> Array:
    if np.ndim(given) < 2:
        try:
            return np.diag(np.atleast_1d(np.asarray(given, dtype=np.float64)))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: expected numbers: {error}") from None
    return _matrix(name, given)
