"""Feedback and plans from the derivatives of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nhi import _arguments as arguments
from nhi import _nhi
from nhi._arguments import Array
from nhi._system import System


class Lqr(NamedTuple):
    """What `lqr` returns."""

    #: K of δu = −K δx, shape (inputs, states).
    gain: Array
    #: P of the remaining cost δxᵀ P δx, shape (states, states).
    cost: Array
    #: Eigenvalues of A − B K, the largest first; all have moduli below one.
    eigenvalues: NDArray[np.complex128]


def lqr(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike) -> Lqr:
    """The feedback δu = −K δx of δx' = A δx + B δu with the least cost Σ δxᵀ Q δx + δuᵀ R δu over all steps.

    A and B are those of `Simulation.linearize`. At a relative equilibrium, such as a bicycle at constant speed, leave out the
    coordinates that nothing depends on: `keep = [3, 6, 9, 10]; nhi.lqr(a[np.ix_(keep, keep)], b[keep], q, r)`.

    Args:
        a: shape (states, states).
        b: shape (states, inputs).
        q: weights of the states, symmetric and positive semidefinite; a vector for a diagonal matrix.
        r: weights of the inputs, symmetric and positive definite; a vector or a number likewise.

    Raises:
        ValueError: names the argument, or the mode that no feedback stabilises or that has no weight.
    """
    given: list[Any] = [_matrix(name, x) for name, x in (("a", a), ("b", b))]
    given += [_weights(name, x) for name, x in (("q", q), ("r", r))]
    gain, cost, real, imaginary = _nhi.lqr(*given)
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
    #: ½ h Σ rⱼ uⱼ².
    cost: float
    #: Whether the motion is a solution.
    converged: bool
    #: Conditions and bounds that cannot be met, and by how much.
    cannot_meet: dict[str, float]
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
    weights: ArrayLike = 1.0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    method: str | None = None,
    guess: ArrayLike | None = None,
) -> Plan:
    """The motion of least ½ h Σ rⱼ uⱼ² from one state to another: an exact motion of the discrete system.

    The steps and their first and second derivatives are compiled. From rest, where no input moves a wheel sideways to first
    order, the start guess is moved along a Lie bracket of two inputs, and `status` says so. A plan is a local minimum.

    Args:
        system: a system of coordinates, with inputs that do not drive constraints.
        p: values of the parameters.
        q0: configuration at the start, shape (n,).
        v0: velocity at the start, shape (n,), on the constraints.
        q1: configuration at the end, shape (n,); NaN for coordinates that are free.
        v1: velocity at the end, shape (n,), on the constraints; `None` if it is free.
        h: step size.
        steps: number N of steps.
        weights: r, one for each input, or for all.
        bounds: the least and the largest value of coordinates and inputs, by name.
        method: id of the method of the steps, which must have derivatives.
        guess: inputs to begin with, shape (N, k); zeros if left out.

    Raises:
        ValueError: names the argument.
    """
    if not isinstance(system, System):
        raise ValueError(f"system: expected a System, found {system!r}")
    if not system.inputs:
        raise ValueError("system: it has no inputs, of which a plan is made")
    begin = system._state("q0", q0, "v0", v0)
    end = (_free("q1", q1, system), None if v1 is None else arguments.vector("v1", v1, system.velocities))
    steps, h = arguments.count("steps", steps, 1), arguments.number("h", h)
    if not (np.isfinite(h) and h > 0):
        raise ValueError(f"h: must be positive and finite, found {h}")
    count = len(system.inputs)
    r = arguments.array("weights", weights)
    if r.shape not in ((), (count,)) or not (np.isfinite(r).all() and (r > 0).all()):
        raise ValueError(f"weights: expected a positive number, or one for each of {', '.join(system.inputs)}")
    limits = {name: (-np.inf, np.inf) for name in (*system.coordinates, *system.inputs)}
    for name, pair in (bounds or {}).items():
        if name not in limits:
            raise ValueError(f"bounds: `{name}` is no coordinate and no input")
        limits[name] = _pair(name, pair)
    begin_with = None if guess is None else arguments.rows("guess", guess, system.inputs, steps).tolist()
    q, v, inputs, gains, cost, converged, cannot_meet, status = _nhi.plan(
        system._core,
        system._method(method),
        arguments.parameters(p, system.parameters),
        begin,
        end,
        h,
        steps,
        np.broadcast_to(r, (count,)).copy(),
        _sides(limits, system.inputs),
        _sides(limits, system.coordinates),
        begin_with,
    )
    return Plan(
        np.arange(steps + 1, dtype=np.float64) * h, q, v, inputs, gains, cost, converged, dict(cannot_meet), status
    )


def _sides(limits: Mapping[str, tuple[float, float]], names: list[str]) -> tuple[Array, Array]:
    pairs = np.array([limits[name] for name in names], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()


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
