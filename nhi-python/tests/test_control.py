"""Feedback from the derivatives of steps."""

from __future__ import annotations

import nhi
import numpy as np
import pytest

#: A pendulum on a cart, upside down, with a force on the cart.
PENDULUM = nhi.System(
    coordinates=["s", "phi"],
    parameters=["M", "m", "l"],
    inputs=["f"],
    lagrangian="(M + m)/2*dot(s)^2 + m*l*cos(phi)*dot(s)*dot(phi) + m*l^2/2*dot(phi)^2 - 9.81*m*l*cos(phi)",
    constraints=[],
    force="f*ds",
)
P = dict(M=1.0, m=0.2, l=0.5)


def test_a_pendulum_is_kept_upright():
    sim = PENDULUM.simulation(P, q0=[0, 0], v0=[0, 0], h=0.02)
    sim.step([0.0])
    a, b = sim.linearize()
    assert max(abs(np.linalg.eigvals(a))) > 1.05
    feedback = nhi.lqr(a, b, q=[1, 1, 0.1, 0.1], r=0.1)
    assert feedback.gain.shape == (1, 4) and feedback.cost.shape == (4, 4)
    assert max(abs(feedback.eigenvalues)) < 1
    p, k = feedback.cost, feedback.gain
    np.testing.assert_allclose(np.diag([1, 1, 0.1, 0.1]) + a.T @ p @ (a - b @ k), p, rtol=1e-11)
    sim = PENDULUM.simulation(P, q0=[0.3, 0.2], v0=[0, 0], h=0.02)
    for _ in range(1000):
        frame = PENDULUM.frame(P, sim.q)
        x = np.concatenate([sim.q, frame.components @ sim.v])
        sim.step(-k @ x)
    assert np.abs(np.concatenate([sim.q, sim.v])).max() < 1e-6


def test_errors():
    a, b = np.array([[1.1, 0.0], [0.0, 0.5]]), np.array([[0.0], [1.0]])
    with pytest.raises(ValueError, match=r"no input moves the mode with the eigenvalue 1.1.*1.000 x\[0\]"):
        nhi.lqr(a, b, [1, 1], 1)
    with pytest.raises(ValueError, match=r"r: expected shape \(1, 1\), found \(2, 2\)"):
        nhi.lqr(a, b, [1, 1], [1, 1])
    with pytest.raises(ValueError, match="q: must be symmetric and positive semidefinite"):
        nhi.lqr(a, b, [1, -1], 1)
    with pytest.raises(ValueError, match="a: expected a matrix"):
        nhi.lqr(1.0, b, [1, 1], 1)
    with pytest.raises(ValueError, match="b: expected numbers"):
        nhi.lqr(a, "text", [1, 1], 1)
