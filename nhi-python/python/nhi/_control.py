"""Feedback from the derivatives of steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nhi import _nhi
from nhi._arguments import Array


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
