"""Feedback and identification from the derivatives of steps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nhi import _arguments as arguments
from nhi import _nhi
from nhi._arguments import Array
from nhi._help import explained
from nhi._plan import text
from nhi._run import Run
from nhi._system import System


@explained
class Linear(NamedTuple):
    """What `linear` returns: δx' = A δx + B δu, or d/dt δx = A δx + B δu."""

    names: list[str]
    """Names of the entries of δx."""
    a: Array
    """A, shape (states, states)."""
    b: Array
    """B, shape (states, inputs)."""


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


@explained
class Lqr(NamedTuple):
    """What `lqr` returns."""

    gain: Array
    """K of δu = −K δx, shape (inputs, states)."""
    cost: Array
    """P of the remaining cost δxᵀ P δx, shape (states, states)."""
    eigenvalues: NDArray[np.complex128]
    """Eigenvalues of A − B K, the largest first; all have moduli below one."""


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


def track(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike, q_end: ArrayLike) -> Array:
    """The feedback δu_k = −K_k δx_k along a motion with the least cost Σ δx_kᵀ Q δx_k + δu_kᵀ R δu_k, and δxᵀ Q_end δx at the end.

    A_k and B_k are those of `Simulation.linearize`, or those of `linear`, after each of the N steps of the motion.

    Args:
        a: shape (N, states, states).
        b: shape (N, states, inputs).
        q: weights of the states, symmetric and positive semidefinite; a vector for a diagonal matrix.
        r: weights of the inputs, symmetric and positive definite; a vector or a number likewise.
        q_end: weights of the last state, as `q`.

    Returns:
        The gains K_k, shape (N, inputs, states).

    Raises:
        ValueError: names the argument.
    """
    steps = [_stack(name, x) for name, x in (("a", a), ("b", b))]
    if len(steps[0]) != len(steps[1]):
        raise ValueError(f"b: expected {len(steps[0])} matrices, as in a, found {len(steps[1])}")
    weights = [_weights(name, x) for name, x in (("q", q), ("r", r), ("q_end", q_end))]
    return _nhi.track(steps[0], steps[1], weights[0], weights[1], weights[2])


@explained
class Fit(NamedTuple):
    """What `fit` returns, for U unknowns, S samples and M measured numbers."""

    p: dict[str, Any]
    """Values of all parameters, as `System.simulate` takes them."""
    unknowns: list[str]
    """Names of the unknowns: parameters, then entries of the start such as `theta(0)`."""
    values: Array
    """Their values, shape (U,); of the pose at the start the displacement of the guess."""
    deviations: Array
    """Their standard deviations, shape (U,): the square roots of the diagonal of `covariance`."""
    covariance: Array
    """Their covariance, that of the linearised problem, shape (U, U). Directions that are not determined do not count."""
    chi2: float
    """χ², the sum of the squares of the residuals, each divided by its variance if deviations are given."""
    degrees_of_freedom: int
    """Numbers that were measured, less those that they determine: the mean of χ² if the deviations are right."""
    noise: float
    """Standard deviation of the noise, √(χ²/degrees of freedom), in units of the deviations if they are given."""
    rank: int
    """How many combinations of the unknowns are determined."""
    undetermined: list[dict[str, float]]
    """Directions along which the unknowns can change without a change of the samples, to first order, by name."""
    warnings: list[str]
    """What speaks against the fit: χ² far from its degrees of freedom, residuals that are no noise, or negative masses. They are warned of,
    too."""
    residuals: Array
    """The numbers of the motion less the samples, shape (S, M)."""
    run: Run
    """The motion that fits, up to the last sample."""
    others: list[OtherFit]
    """What other start guesses led to, each once, by their χ²."""

    def __repr__(self) -> str:
        found = zip(self.unknowns, self.values, self.deviations, strict=True)
        values = ", ".join(f"{name} = {value:.6g} ± {deviation:.2g}" for name, value, deviation in found)
        undetermined = f", {len(self.undetermined)} undetermined" if self.undetermined else ""
        return f"<nhi.Fit: {values}; noise {self.noise:.2g}{undetermined}>"


@explained
class OtherFit(NamedTuple):
    """What another start guess of `fit` led to."""

    chi2: float
    """χ²."""
    values: Array
    """Values of the unknowns, shape (U,)."""


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
    if not isinstance(system, System):
        raise ValueError(f"system: expected a System, found {system!r}")
    q0, v0 = system._state("q0", q0, "v0", v0)
    h, method = arguments.positive("h", h), system._method(method)
    texts = [measured] if isinstance(measured, str) else list(measured)
    texts = [text(f"measured[{i}]", one) for i, one in enumerate(texts)]
    system._warn_of_unused(*texts)
    if inputs is None:
        system._warn_of_zeros()
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
        None if unknowns is None else [text("unknowns", name) for name in unknowns],
        arguments.count("starts", starts, 1),
    )
    (found, q, v), (names, values, covariance), (chi2, degrees, noise), directions, doubts, fitted, others = answer
    for doubt in doubts:
        warnings.warn(doubt, RuntimeWarning, stacklevel=2)
    best = arguments.unflattened(found, system.parameters)
    # The start of the motion is admissible up to rounding.
    run = system.simulate(best, q, v, h, steps, method=method, inputs=held if steps else np.zeros(len(system.inputs)))
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


def _shaped(name: str, given: ArrayLike, dimensions: int, meant: str) -> Array:
    numbers = np.ascontiguousarray(arguments.array(name, given))
    if numbers.ndim != dimensions:
        raise ValueError(f"{name}: expected {meant}, found shape {numbers.shape}")
    return numbers


def _matrix(name: str, given: ArrayLike) -> Array:
    return _shaped(name, given, 2, "a matrix")


def _stack(name: str, given: ArrayLike) -> Array:
    return _shaped(name, given, 3, "a matrix for each step")


def _weights(name: str, given: ArrayLike) -> Array:
    if np.ndim(given) < 2:
        return np.diag(np.atleast_1d(arguments.array(name, given)))
    return _matrix(name, given)
