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


#: A disk that rolls upright, driven at its axle and steered.
DISK = nhi.System(
    coordinates=["x", "y", "theta", "phi"],
    parameters=["m", "i", "j", "r"],
    inputs=["drive", "steer"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2",
    constraints={"along": "dx - r*cos(theta)*dphi", "across": "dy - r*sin(theta)*dphi"},
    force="drive*dphi + steer*dtheta",
)
DISK_P = dict(m=1.0, i=0.5, j=0.25, r=1.0)
REST = [0.0, 0.0, 0.0, 0.0]
SIDEWAYS = dict(q0=REST, v0=REST, q1=[0, 1, 0, np.nan], v1=REST, h=1 / 40, steps=40)


def test_a_disk_moves_sideways():
    found = nhi.plan(DISK, DISK_P, **SIDEWAYS)
    # As in Rust.
    assert found.converged and "bracket" in found.status and abs(found.cost - 49.703570) < 1e-6
    assert found.gains.shape == (40, 2, 6) and found.inputs.shape == (40, 2)
    run = DISK.simulate(DISK_P, REST, REST, h=1 / 40, steps=40, inputs=found.inputs)
    np.testing.assert_allclose(run.q, found.q, atol=1e-9)
    np.testing.assert_allclose(run.v[-1], 0, atol=1e-8)
    bounded = nhi.plan(DISK, DISK_P, **SIDEWAYS, bounds={"drive": (-8, 8), "x": (-0.4, 0.4)})
    assert bounded.converged and bounded.cost > found.cost
    assert abs(bounded.inputs[:, 0]).max() <= 8 and abs(bounded.q[:, 0]).max() <= 0.4
    # More weight on steering costs more, twice both costs twice as much.
    twice = nhi.plan(DISK, DISK_P, **SIDEWAYS, weights=[2, 2], guess=found.inputs)
    assert twice.converged and abs(twice.cost / found.cost - 2) < 1e-9


def test_what_a_plan_cannot_meet_is_named():
    far = nhi.plan(DISK, DISK_P, **{**SIDEWAYS, "q1": [30, 0, 0, np.nan]}, bounds={"drive": (-1, 1)})
    assert not far.converged and "x" in far.cannot_meet and "cannot meet" in far.status


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (dict(q1=[0, 1]), r"q1: expected 4 numbers \(x, y, theta, phi\)"),
        (dict(q1=[np.nan] * 4), "q1: .* not all of them free"),
        (dict(v1=[1]), "v1: expected 4 numbers"),
        (dict(h=-0.1), "h: must be positive"),
        (dict(steps=0), "steps: expected an integer from 1 on"),
        (dict(weights=[1, -1]), "weights: expected a positive number"),
        (dict(bounds={"z": (0, 1)}), "bounds: `z` is no coordinate and no input"),
        (dict(bounds={"drive": (1, -1)}), "bounds: expected the lower bound of `drive` first"),
        (dict(method="gni_midpoint"), "gni_midpoint"),
        (dict(guess=[[0.0]]), "guess: expected 2 numbers"),
    ],
)
def test_arguments_of_a_plan_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        nhi.plan(DISK, DISK_P, **{**SIDEWAYS, **changed})


def test_systems_that_are_not_planned():
    with pytest.raises(ValueError, match="system: it has no inputs"):
        nhi.plan(nhi.models.sleigh_com, dict(m=1, I=1, a=1), [0] * 3, [0] * 3, [0] * 3, None, 0.1, 5)
    pushed = nhi.System(
        coordinates=["x", "y"],
        inputs=["u"],
        parameters=["m"],
        lagrangian="m/2*(dot(x)^2 + dot(y)^2)",
        constraints=["dot(y) - u"],
    )
    with pytest.raises(ValueError, match="inputs must not drive constraints"):
        nhi.plan(pushed, dict(m=1), [0, 0], [0, 0], [1, 0], None, 0.1, 5)
