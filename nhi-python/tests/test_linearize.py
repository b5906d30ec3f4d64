"""Derivatives of steps, against differences of the steps themselves."""

from __future__ import annotations

import nhi
import numpy as np
import pytest
from systems import CAR
from systems import CAR_P as P

H = 0.05
U = np.array([0.3, -0.2])


def start(x, p=P, method="dla2", h=H):
    """A simulation at x = (q, ν)."""
    q, nu = x[:4], x[4:]
    frame = CAR.frame(p, q)
    return CAR.simulation(p, q0=q, v0=frame.basis @ nu + frame.drift, h=h, method=method)


def stepped(x, u, p=P, method="dla2", h=H):
    """x' and λ'."""
    sim = start(x, p, method, h)
    sim.step(u)
    return np.concatenate([sim.q, CAR.frame(p, sim.q).components @ sim.v]), sim.multipliers


def difference(f, x, by=1e-4):
    columns = []
    for i in range(len(x)):
        d = np.zeros(len(x))
        d[i] = by
        columns.append((8 * (f(x + d) - f(x - d)) - (f(x + 2 * d) - f(x - 2 * d))) / (12 * by))
    return np.array(columns).T


X = np.array([0.4, 0.1, -0.3, 0.25, 0.8, 0.5])


@pytest.mark.parametrize("method", ["dla2", "dla1", "dla_rattle", "rdp", "rk4"])
def test_derivatives_are_those_of_the_step(method):
    sim = start(X, method=method)
    sim.step(U)
    a, b = sim.linearize()
    assert a.shape == (6, 6) and b.shape == (6, 2)
    np.testing.assert_allclose(a, difference(lambda x: stepped(x, U, method=method)[0], X), atol=1e-8)
    np.testing.assert_allclose(b, difference(lambda u: stepped(X, u, method=method)[0], U), atol=1e-8)
    by_x, by_u = sim.linearize_multipliers()
    np.testing.assert_allclose(by_x, difference(lambda x: stepped(x, U, method=method)[1], X), atol=1e-7)
    np.testing.assert_allclose(by_u, difference(lambda u: stepped(X, u, method=method)[1], U), atol=1e-7)
    c, by_h = sim.linearize_parameters()
    numbers = np.array(list(P.values()))
    named = lambda values: dict(zip(P, values, strict=True))  # noqa: E731
    np.testing.assert_allclose(c, difference(lambda p: stepped(X, U, named(p), method)[0], numbers), atol=1e-8)
    np.testing.assert_allclose(
        by_h, difference(lambda h: stepped(X, U, P, method, h[0])[0], np.array([H]))[:, 0], atol=1e-8
    )
    w = np.array([0.3, -1.0, 0.7, 0.2, 0.9, -0.4])
    products = sim.pull_back(w)
    for product, derivative in zip(products, (a, b, c, by_h), strict=True):
        np.testing.assert_allclose(product, w @ derivative, atol=1e-13)
    second = sim.curvature(w)
    assert second.shape == (8, 8) and (second == second.T).all()

    def rows(xu):
        other = start(xu[:6], method=method)
        other.step(xu[6:])
        return np.concatenate(other.pull_back(w)[:2])

    np.testing.assert_allclose(second, difference(rows, np.concatenate([X, U])), atol=1e-8)


def test_derivatives_of_a_composition_are_products():
    sim = start(X, method="dla2_triple4")
    sim.step(U)
    # Its substeps, one after the other.
    first = 1 / (2 - 2 ** (1 / 3))
    x, product, by_u = X, np.eye(6), np.zeros((6, 2))
    for gamma in (first, 1 - 2 * first, first):
        part = start(x, h=gamma * H)
        part.step(U)
        a, b = part.linearize()
        product, by_u = a @ product, a @ by_u + b
        x = np.concatenate([part.q, CAR.frame(P, part.q).components @ part.v])
    for found, expected in zip(sim.linearize(), (product, by_u), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    w = np.array([0.3, -1.0, 0.7, 0.2, 0.9, -0.4])
    np.testing.assert_allclose(sim.pull_back(w)[0], w @ product, atol=1e-12)

    def rows(x):
        other = start(x, method="dla2_triple4")
        other.step(U)
        return other.pull_back(w)[0]

    np.testing.assert_allclose(sim.curvature(w)[:6, :6], difference(rows, X), atol=1e-8)


def test_the_last_step_counts():
    sim, other = start(X), start(X)
    sim.advance(100, U)
    other.advance(99, U)
    other.step(U)
    sim.step([0.0, 1.0])
    other.step([0.0, 1.0])
    for one, same in zip(sim.linearize(), other.linearize(), strict=True):
        np.testing.assert_array_equal(one, same)
    sim.advance(57)
    other.advance(56)
    other.step()
    before = other.linearize()
    for one, same in zip(sim.linearize(), before, strict=True):
        np.testing.assert_array_equal(one, same)
    # The derivatives of several steps are products.
    x = np.concatenate([X[:4], X[4:]])
    sim = start(x)
    product = np.eye(6)
    for _ in range(5):
        sim.step(U)
        product = sim.linearize()[0] @ product

    def five(x):
        sim = start(x)
        sim.advance(5, U)
        return np.concatenate([sim.q, CAR.frame(P, sim.q).components @ sim.v])

    np.testing.assert_allclose(product, difference(five, x), atol=1e-7)


def test_the_basis_is_admissible():
    frame = CAR.frame(P, X[:4])
    assert CAR.basis(P, X[:4]).shape == (4, 2)
    np.testing.assert_allclose(frame.components @ frame.basis, np.eye(2), atol=1e-15)
    for column in frame.basis.T:
        theta, phi, l = X[0], X[3], P["l"]  # noqa: E741
        rear = np.sin(theta) * column[1] - np.cos(theta) * column[2]
        front = np.sin(theta + phi) * column[1] - np.cos(theta + phi) * column[2] - l * np.cos(phi) * column[0]
        assert abs(rear) < 1e-15 and abs(front) < 1e-15


def test_affine_constraints_have_a_drift():
    belt = nhi.System(
        coordinates=["x", "y"],
        parameters=["speed"],
        lagrangian="dot(x)^2/2 + dot(y)^2/2",
        constraints={"belt": "dx - speed*cos(y)*dt"},
    )
    frame = belt.frame(dict(speed=2.0), [0.0, 0.5])
    np.testing.assert_allclose(frame.drift, [2 * np.cos(0.5), 0.0])
    np.testing.assert_array_equal(frame.basis, [[0.0], [1.0]])
    sim = belt.simulation(dict(speed=2.0), q0=[0.0, 0.5], v0=[2 * np.cos(0.5), 0.3], h=0.1)
    sim.step()
    a, b = sim.linearize()
    assert a.shape == (3, 3) and b.shape == (3, 0)
    # y' = y + h ν
    np.testing.assert_allclose(a[1:], [[0, 1, 0.1], [0, 0, 1]], atol=1e-15)


def test_poses_have_tangent_vectors_of_the_group():
    ball = nhi.models.on_groups.chaplygin_ball
    p = {name: 1.0 + 0.1 * i for i, name in enumerate(ball.parameters)}
    q = np.array([float(name in ("R[0][0]", "R[1][1]", "R[2][2]")) for name in ball.coordinates])
    frame = ball.frame(p, q)
    sim = ball.simulation(p, q0=q, v0=frame.basis @ np.full(frame.basis.shape[1], 0.3) + frame.drift, h=H)
    sim.step()
    a, _ = sim.linearize()
    n, d = frame.basis.shape
    assert a.shape == (n + d, n + d)
    assert np.isfinite(a).all()


def test_errors():
    sim = start(X)
    with pytest.raises(ValueError, match="no step has been taken"):
        sim.linearize()
    sim.step(U)
    with pytest.raises(ValueError, match="expected 6 entries of the covector, found 2"):
        sim.pull_back([1.0, 2.0])
    with pytest.raises(ValueError, match="entries of the covector"):
        sim.curvature([1.0, 2.0])
    with pytest.raises(ValueError, match="w: expected numbers"):
        sim.pull_back("no numbers")
    reflecting = start(X, method="rattle")
    reflecting.step(U)
    with pytest.raises(ValueError, match="method: .*`rattle` has no derivatives: its state has two velocities"):
        reflecting.linearize()
    with pytest.raises(ValueError, match="^q"):
        CAR.basis(P, [0.0])
    with pytest.raises(ValueError, match="p"):
        CAR.basis({}, X[:4])
