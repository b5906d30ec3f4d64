"""Feedback from the derivatives of steps."""

from __future__ import annotations

import nhi
import numpy as np
import pytest
from systems import CAR, CAR_P

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


#: A cart whose motor has a current, on a knife edge.
CART = nhi.System(
    coordinates=["theta", "x", "y"],
    parameters=["a"],
    inputs=["u"],
    states=["i"],
    lagrangian="dot(theta)^2/2 + dot(x)^2/2 + dot(y)^2/2 - x^2/2",
    constraints=["a*dtheta + sin(theta)*dx - cos(theta)*dy"],
    force="i*dtheta",
    dynamics={"i": "u - 2*i - dot(theta)"},
    methods=["dla2"],
)
#: A boat that does not drift, with a mass that swings on it.
BOAT = nhi.System(
    coordinates=["s"],
    group="SE2(theta, x, y; omega, v, w)",
    parameters=["a"],
    lagrangian="omega^2/2 + v^2/2 + w^2/2 + dot(s)^2/2 + a*dot(s)*omega - s^2/2 - cos(theta)*x/5",
    constraints=["w - a*omega"],
    methods=["rdp"],
)
#: States with arrays for each of their parts.
STATES = [(CART, ([0.3, 0.1, -0.2], [0.7, 0.4], [0.2])), (BOAT, ([0.2, 2.5, 0.4, -0.3], [0.5, 0.8, -0.6]))]


@pytest.mark.parametrize(("system", "x"), STATES)
def test_states_are_displaced_and_compared(system, x):
    delta = np.array([0.1, -0.4, 0.8, 0.3, -0.2, 0.5, 0.6])[: 6 if system is CART else 7]
    moved = system.retract(x, delta)
    assert isinstance(moved, tuple) and [part.shape for part in moved] == [np.shape(part) for part in x]
    np.testing.assert_allclose(system.difference(x, moved), delta, rtol=0, atol=1e-14)
    # Quasi-velocities and auxiliary states are added.
    np.testing.assert_array_equal(np.concatenate(moved[1:]), np.concatenate(x[1:]) + delta[len(system.velocities) :])
    if system is BOAT:
        # Along a circle of the body; full turns do not count.
        sigma, (_, theta, *place) = delta[1:4], x[0]
        turn = theta + sigma[0]
        circle = lambda angle: np.array([[np.sin(angle), np.cos(angle)], [-np.cos(angle), np.sin(angle)]])  # noqa: E731
        end = place + (circle(turn) - circle(theta)) @ sigma[1:] / sigma[0]
        np.testing.assert_allclose(moved[0][1:], [turn, *end], rtol=0, atol=1e-14)
        turned = (moved[0] + [0, 2 * np.pi, 0, 0], moved[1])
        np.testing.assert_allclose(system.difference(x, turned), delta, rtol=0, atol=1e-14)
    else:
        np.testing.assert_array_equal(moved[0], x[0] + delta[:3])


@pytest.mark.parametrize(("system", "x"), STATES)
def test_derivatives_of_steps_are_those_of_displaced_states(system, x):
    p = dict(a=0.3)

    def stepped(x):
        q, nu, *z = x
        sim = system.simulation(p, q, system.basis(p, q) @ nu, h=0.05, z0=z[0] if z else None)
        sim.step()
        return sim, (sim.q, system.frame(p, sim.q).components @ sim.v, sim.z)[: len(x)]

    sim, end = stepped(x)
    a, _ = sim.linearize()
    ends = [
        [system.difference(end, stepped(system.retract(x, by))[1]) for by in s * np.eye(len(a))] for s in (1e-4, -1e-4)
    ]
    np.testing.assert_allclose(a, (np.array(ends[0]) - ends[1]).T / 2e-4, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CART.retract(([0] * 3, [0] * 2), [0] * 6), r"x: expected a tuple \(q, nu, z\), found 2 parts"),
        (lambda: BOAT.retract(np.zeros(7), [0] * 7), r"x: expected a tuple \(q, nu\), found ndarray"),
        (lambda: BOAT.retract(([0] * 3, [0] * 3), [0] * 7), r"x\[0\]: expected 4 numbers \(s, theta, x, y\)"),
        (
            lambda: CART.retract(([0] * 3, [0] * 2, [0]), [0] * 5),
            r"delta: expected 6 numbers \(theta, x, y, nu\[0\], nu\[1\], i\), found shape \(5,\)",
        ),
        (lambda: CART.difference(([0] * 3, [0] * 3, [0]), ([0] * 3, [0] * 2, [0])), r"a\[1\]: expected 2 numbers"),
        (lambda: CART.difference(([0] * 3, [0] * 2, [0]), ([0] * 3, [0] * 2, ["i"])), r"b\[2\]: expected numbers"),
    ],
)
def test_arguments_of_displacements_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_cyclic_coordinates_are_left_out_by_name():
    free = nhi.System(
        coordinates=["s", "r"],
        parameters=["m"],
        inputs=["f"],
        lagrangian="m/2*dot(s)^2 + dot(r)^2/2 - r^2/2",
        constraints=[],
        force="f*(ds + dr)",
    )
    sim = free.simulation(dict(m=1.0), q0=[0, 0], v0=[1, 0], h=0.1)
    sim.step([0.0])
    assert sim.entries == ["s", "r", "nu[0]", "nu[1]"]
    whole, (a, b) = nhi.linear(sim), sim.linearize()
    assert whole.names == sim.entries
    np.testing.assert_array_equal(whole.a, a)
    np.testing.assert_array_equal(whole.b, b)
    rest = nhi.linear(sim, without=["s"])
    assert rest.names == ["r", "nu[0]", "nu[1]"]
    np.testing.assert_array_equal(rest.a, a[1:, 1:])
    np.testing.assert_array_equal(rest.b, b[1:])
    assert max(abs(nhi.lqr(rest.a, rest.b, [1, 1, 1], 1, names=rest.names).eigenvalues)) < 1
    with pytest.raises(ValueError, match=r"the weights q ignore the mode .*1.000 nu\[0\]"):
        nhi.lqr(rest.a, rest.b, [1, 0, 1], 1, names=rest.names)
    with pytest.raises(ValueError, match="r cannot be left out: "):
        nhi.linear(sim, without=["r"])
    with pytest.raises(ValueError, match="no entry has the name q: there are s, r"):
        nhi.linear(sim, without=["q"])
    with pytest.raises(ValueError, match="names: expected 3, found 2"):
        nhi.lqr(rest.a, rest.b, [1, 1, 1], 1, names=["r", "s"])


def test_velocities_have_their_first_order_relation():
    """∂(X ν)/∂q against differences, and A against those of steps in coordinates and velocities."""
    q, nu = np.array([0.4, 0.1, -0.3, 0.25]), np.array([0.8, 0.5])
    velocity = lambda q: CAR.basis(CAR_P, q) @ nu  # noqa: E731
    columns = []
    for i in range(4):
        by = 1e-3 * np.eye(4)[i]
        slope = 8 * (velocity(q + by) - velocity(q - by)) - (velocity(q + 2 * by) - velocity(q - 2 * by))
        columns.append(slope / (12 * 1e-3))
    np.testing.assert_allclose(CAR.basis_derivative(CAR_P, q, nu), np.transpose(columns), atol=1e-9)
    with pytest.raises(ValueError, match=r"nu: expected shape \(2,\), found \(3,\)"):
        CAR.basis_derivative(CAR_P, q, [1, 2, 3])


def test_linear_systems_are_those_of_named_entries():
    """A car along a straight line is steered by named angles and rates; the closed loop is that of A − B K."""
    start = lambda q0: CAR.simulation(CAR_P, q0=q0, v0=[0, 1.5, 0, 0], h=0.02, project=True)  # noqa: E731
    sim = start([0, 0, 0, 0])
    sim.step([0, 0])
    entries = ["y", "theta", "dot_phi", "phi"]
    names, a, b = nhi.linear(sim, entries=entries)
    assert names == entries and a.shape == (4, 4) and b.shape == (4, 2)
    feedback = nhi.lqr(a, b, q=[1, 1, 1, 1], r=[1, 1], names=names)
    sim = start([1e-6, 0, 2e-6, 0])
    x = lambda: np.array([sim.q[2], sim.q[0], sim.v[3], sim.q[3]])  # noqa: E731
    expected = x()
    for _ in range(100):
        sim.step(-feedback.gain @ x())
        expected = (a - b @ feedback.gain) @ expected
        np.testing.assert_allclose(x(), expected, atol=1e-11)
    # d/dt y = v θ, d/dt θ = v φ/l.
    rates = nhi.linear(sim_at(start), entries=entries, continuous=True)
    closed = [[0, 1.5, 0, 0], [0, 0, 0, 1.5 / 0.9], [0, 0, 0, 0], [0, 0, 1, 0]]
    np.testing.assert_allclose(rates.a, closed, atol=1e-9)
    np.testing.assert_allclose(rates.b, [[0, 0], [0, 0], [0, 5], [0, 0]], atol=1e-9)
    # Without names those of x.
    whole, again = nhi.linear(sim), nhi.linear(sim, entries=sim.entries)
    np.testing.assert_allclose(again.a, whole.a, atol=1e-12)
    assert nhi.linear(sim, continuous=True).names == sim.entries
    with pytest.raises(ValueError, match="the constraints and the entries before it determine dot_y"):
        nhi.linear(sim, entries=["theta", "dot_x", "dot_y"])
    with pytest.raises(ValueError, match="no entry has the name dot_z: there are theta, x,"):
        nhi.linear(sim, entries=["dot_z"])
    with pytest.raises(ValueError, match="cannot be left out"):
        nhi.linear(sim, entries=["y", "dot_y"])


def sim_at(start):
    sim = start([0, 0, 0, 0])
    sim.step([0, 0])
    return sim


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


def test_costs_and_bounds_are_formulas():
    effort = nhi.plan(DISK, DISK_P, **SIDEWAYS, weights=[1, 2])
    text = nhi.plan(DISK, DISK_P, **SIDEWAYS, cost="drive^2/2 + steer^2")
    assert text.converged and abs(text.cost / effort.cost - 1) < 1e-9
    np.testing.assert_allclose(text.inputs, effort.inputs, atol=1e-6)
    # The kinetic energy as a cost has velocities in it, and parameters.
    energy = "m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2"
    lazy = nhi.plan(DISK, DISK_P, **SIDEWAYS, cost=f"drive^2/2 + steer^2/2 + 100*({energy})")
    at = lambda plan: sum(DISK.energy(DISK_P, plan.q[:-1], plan.v[:-1])) / 40  # noqa: E731
    total = (lazy.inputs**2).sum() / 80 + 100 * at(lazy)
    assert lazy.converged and abs(lazy.cost - total) < 1e-9 and at(lazy) < at(effort)
    # A soft end instead of a hard one.
    soft = nhi.plan(
        DISK, DISK_P, **{**SIDEWAYS, "q1": [0, np.nan, 0, np.nan], "guess": effort.inputs}, final_cost="50*(y - 1)^2"
    )
    assert soft.converged and 0.3 < soft.q[-1, 1] < 1
    assert abs(soft.cost - (soft.inputs**2).sum() / 80 - 50 * (soft.q[-1, 1] - 1) ** 2) < 1e-9
    # Around a pillar, and with bounded power.
    round_it = nhi.plan(
        DISK,
        DISK_P,
        **SIDEWAYS,
        bounds={"(x - 0.1)^2 + (y - 0.5)^2": (0.3**2, np.inf), "drive*dot(phi)": (-20, np.inf)},
    )
    distance = np.hypot(round_it.q[:, 0] - 0.1, round_it.q[:, 1] - 0.5)
    nearest = np.hypot(effort.q[:, 0] - 0.1, effort.q[:, 1] - 0.5).min()
    assert round_it.converged and distance.min() > 0.3 - 1e-9 and nearest < 0.3


def test_a_disk_with_a_pose():
    """On SE(2), by another method: the limits of the costs agree."""
    posed = nhi.System(
        coordinates=["phi"],
        group="SE2(theta, x, y; omega, v, across)",
        parameters=["m", "i", "j", "r"],
        inputs=["drive", "steer"],
        lagrangian="m/2*(v^2 + across^2) + i/2*dot(phi)^2 + j/2*omega^2",
        constraints={"rolling": "v - r*dot(phi)", "skidding": "across"},
        force="drive*dphi + steer*dtheta",
    )

    def limit(system, q0, v0, q1, steps):
        costs = []
        for n in steps:
            found = nhi.plan(system, DISK_P, q0, v0, q1, v0, 1 / n, n)
            assert found.converged, found.status
            run = system.simulate(DISK_P, q0, v0, h=1 / n, steps=n, inputs=found.inputs)
            np.testing.assert_allclose(run.q, found.q, atol=1e-9)
            assert found.gains.shape == (n, 2, 6)
            costs.append(found.cost)
        return costs[1] + (costs[1] - costs[0]) / 3

    flat = limit(DISK, REST, REST, [0, 1, 0, np.nan], (40, 80))
    assert abs(limit(posed, REST, REST, [np.nan, 0, 0, 1], (20, 40)) / flat - 1) < 2e-4
    with pytest.raises(ValueError, match="q1: a pose is given or free as a whole"):
        nhi.plan(posed, DISK_P, REST, REST, [np.nan, 0, 0, np.nan], REST, 0.1, 10)


@pytest.mark.parametrize("group", ["SO3(R; w1, w2, w3)", "SE3(R, p; w1, w2, w3, v1, v2, v3)"])
def test_a_body_turns_in_space(group):
    """From rest to rest by three torques about one axis: the effort is 6 J² θ² / T³."""
    body = nhi.System(
        coordinates=[],
        group=group,
        parameters=["J"],
        inputs=["t1", "t2", "t3"],
        lagrangian="J/2*(w1^2 + w2^2 + w3^2)" + (" + 1/2*(v1^2 + v2^2 + v3^2)" if "SE3" in group else ""),
        constraints=[],
        force="t1*w1*dt + t2*w2*dt + t3*w3*dt",
    )
    axis, angle = np.array([2.0, -1.0, 2.0]) / 3, 1.2
    hat = np.cross(np.eye(3), axis).T
    turned = np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat
    p = [0.0] * (len(body.coordinates) - 9)
    still, begin, end = [0.0] * len(body.velocities), [*np.eye(3).ravel(), *p], [*turned.ravel(), *p]
    costs = [nhi.plan(body, dict(J=0.5), begin, still, end, still, 2 / n, n) for n in (20, 40)]
    assert all(plan.converged for plan in costs)
    np.testing.assert_allclose(costs[0].q[-1], end, atol=1e-9)
    limit = costs[1].cost + (costs[1].cost - costs[0].cost) / 3
    np.testing.assert_allclose(limit, 6 * 0.5**2 * angle**2 / 2**3, rtol=1e-5)


def test_what_a_plan_cannot_meet_is_named():
    far = nhi.plan(DISK, DISK_P, **{**SIDEWAYS, "q1": [30, 0, 0, np.nan]}, bounds={"drive": (-1, 1)})
    assert not far.converged and "x" in far.cannot_meet and "cannot meet" in far.status


def test_a_guess_that_cannot_be_simulated_is_no_error():
    rng = np.random.default_rng(1)
    for size in (1e2, 1e4, 1e6, 1e9):
        found = nhi.plan(DISK, DISK_P, **SIDEWAYS, guess=size * rng.normal(size=(40, 2)))
        if found.converged:
            run = DISK.simulate(DISK_P, REST, REST, h=1 / 40, steps=40, inputs=found.inputs)
            np.testing.assert_allclose(run.q[-1, :3], [0, 1, 0], atol=1e-6)
        else:
            assert found.cannot_meet, found.status


def test_the_best_of_several_starts_is_returned():
    car = dict(q0=[0] * 4, v0=[0] * 4, q1=[0, 0, 0.5, 0], v1=[0] * 4, h=0.1, steps=40)
    alone = nhi.plan(CAR, CAR_P, **car)
    several = nhi.plan(CAR, CAR_P, **car, starts=6)
    assert alone.others == [] and several.converged and several.cost <= alone.cost * (1 + 1e-9)
    # A mirror image of the best plan has its cost.
    assert all(other.cost >= several.cost for other in several.others if other.converged)
    again = nhi.plan(CAR, CAR_P, **car, starts=6)
    np.testing.assert_array_equal(again.inputs, several.inputs)
    with pytest.raises(ValueError, match="starts: expected an integer from 1 on"):
        nhi.plan(CAR, CAR_P, **car, starts=0)


#: Two limbs on a body in free fall.
CAT = nhi.System(
    coordinates=["theta", "alpha", "beta"],
    parameters=["i", "m"],
    inputs=["front", "back"],
    lagrangian="i/2*dot(theta)^2 + m/2*(dot(theta) + dot(alpha))^2*(1 + cos(alpha)/2)"
    " + m/2*(dot(theta) + dot(beta))^2*(1 + cos(beta)/2)",
    constraints=[],
    force="front*dalpha + back*dbeta",
)


def test_momenta_and_contradictions_are_named():
    problem = dict(q0=[0, 0.5, -0.3], v0=[0, 0, 0], h=0.05)
    for steps in (20, 40):
        turned = nhi.plan(CAT, dict(i=0.5, m=0.4), **problem, q1=[0.05, 0.5, -0.3], v1=[0, 0, 0], steps=steps)
        assert turned.converged and turned.status.endswith("no inputs change p_theta"), turned.status
        spun = nhi.plan(CAT, dict(i=0.5, m=0.4), **problem, q1=[0, 0.5, -0.3], v1=[1, 0, 0], steps=steps)
        assert not spun.converged and abs(spun.cannot_meet["dot_theta"] + 1) < 0.1, spun.status


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (dict(q1=[0, 1]), r"q1: expected 4 numbers \(x, y, theta, phi\)"),
        (dict(q1=[np.nan] * 4), "q1: .* not all of them free"),
        (dict(v1=[1]), "v1: expected 4 numbers"),
        (dict(h=-0.1), "h: must be positive"),
        (dict(steps=0), "steps: expected an integer from 1 on"),
        (dict(weights=[1, -1]), "weights: expected a positive number"),
        (dict(bounds={"z": (0, 1)}), r'unknown name `z`\n --> bounds\["z"\]:1:1(.|\n)*`drive`, `steer`$'),
        (dict(cost="drive^"), r"--> cost:1:6"),
        (dict(final_cost="[x, y, theta]"), r"expected one number, found several\n --> final_cost"),
        (dict(cost=1.0), "cost: expected a text"),
        (dict(v0=[0, 1, 0, 0]), "v0: the velocity violates the constraint `across` by 1.000e0"),
        (dict(v1=[0, 1, 0, 0]), "v1: the velocity violates the constraint `across` by 1.000e0"),
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
    with pytest.raises(ValueError, match="q0: inputs drive the constraints"):
        nhi.plan(pushed, dict(m=1), [0, 0], [0, 0], [1, 0], None, 0.1, 5)
