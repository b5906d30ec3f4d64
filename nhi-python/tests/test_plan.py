"""Plans in velocities, by names, with free times, from several starts, and repeated ones."""

from __future__ import annotations

import pickle

import nhi
import numpy as np
import pytest
from systems import CAR, CAR_P

#: A particle on the Heisenberg group: z is the area that its path encloses.
PARTICLE = nhi.System(
    coordinates=["x", "y", "z"],
    parameters=["m"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)",
    constraints=["dz - (x*dy - y*dx)/2"],
)
#: A disk that rolls, as a pose.
DISK = nhi.System(
    coordinates=["phi"],
    group="SE2(theta, x, y; omega, v, across)",
    parameters=["m", "i", "j", "r"],
    inputs=["drive", "steer"],
    lagrangian="m/2*(v^2 + across^2) + i/2*dot(phi)^2 + j/2*omega^2",
    constraints={"rolling": "v - r*dot(phi)", "skidding": "across"},
    force="drive*dphi + steer*omega*dt",
)
DISK_P = dict(m=1.0, i=0.5, j=0.25, r=1.0)
#: A mass on a line.
MASS = nhi.System(
    coordinates=["x"],
    parameters=["m"],
    inputs=["u"],
    lagrangian="m/2*dot(x)^2",
    constraints=[],
    force="u*dx",
)
MASS_P = dict(m=1.0)
#: Ahead, to another lane.
LANE = dict(q0=[0] * 4, v0=[0, 1, 0, 0], q1=[0, 4, 0.5, 0], v1=[0, 1, 0, 0], h=0.1, steps=40)


@pytest.mark.parametrize("n", [5, 12])
def test_geodesics_of_the_heisenberg_group_are_polygons(n):
    area = 0.7
    found = nhi.plan(nhi.Kinematic(PARTICLE), dict(m=1), [0, 0, 0], None, [0, 0, area], None, 1 / n, n)
    # Of N equal sides: energy 2 N tan(π/N) z.
    expected = 2 * n * np.tan(np.pi / n) * area
    # It can be turned about the start: such minima are not strict.
    assert found.converged and abs(found.cost / expected - 1) < 1e-9
    sides = np.hypot(*np.diff(found.q[:, :2], axis=0).T)
    np.testing.assert_allclose(sides, sides[0], rtol=1e-6)
    # Sides at the mid-points, where the velocities are those of the inputs.
    np.testing.assert_allclose(np.diff(found.q[:, :2], axis=0) * n, found.inputs, atol=1e-9)
    # By a formula.
    formula = "(dot(x)^2 + dot(y)^2)/2"
    again = nhi.plan(
        nhi.Kinematic(PARTICLE), dict(m=1), [0, 0, 0], None, {"x": 0, "y": 0, "z": area}, None, 1 / n, n, cost=formula
    )
    assert again.converged and abs(again.cost / expected - 1) < 1e-9
    np.testing.assert_array_equal(found.run.q, found.q)
    assert "energy" not in found.run.columns and found.run["nu[0]"][-1] == found.inputs[-1, 0]


def test_a_wheel_goes_sideways_in_velocities():
    """On SE(2); its energy is that of Rust's `Kinematic`."""
    wheel = nhi.Kinematic(DISK)
    assert wheel.inputs == ["nu[0]", "nu[1]"]
    cost = "(dot(phi)^2 + omega^2)/2"
    problem = dict(q0=[0, 0, 0, 0], v0=None, q1=[np.nan, 0, 0, 0.5], v1=None, h=1 / 40, steps=40, cost=cost)
    found = nhi.plan(wheel, DISK_P, **problem)
    assert found.converged and found.is_minimum and abs(found.cost - 2.960470) < 1e-6
    # What is bounded is not exceeded, and costs.
    most = 0.8 * abs(found.inputs[:, 0]).max()
    bounded = nhi.plan(wheel, DISK_P, **problem, bounds={"nu[0]": (-most, most)}, guess=found)
    assert bounded.converged and bounded.cost > found.cost and abs(bounded.inputs[:, 0]).max() <= most


def test_velocities_at_the_end_are_given_by_name():
    """The work of a car that leaves its direction free is less; what is asked for is there."""
    named = dict(LANE, v1={"dot_x": 1.0, "dot_theta": 0})
    listed = dict(LANE, v1=[0, 1, np.nan, np.nan])
    whole, some, others = (nhi.plan(CAR, CAR_P, **problem) for problem in (LANE, named, listed))
    assert whole.converged and some.converged and some.cost < whole.cost
    assert abs(some.v[-1][1] - 1) < 1e-8 and abs(some.v[-1][0]) < 1e-8 and abs(some.v[-1][3]) > 1e-3
    np.testing.assert_allclose(some.inputs, others.inputs, atol=1e-9)
    missed = nhi.plan(CAR, CAR_P, **dict(named, v1={"dot_x": 50.0}), bounds={"force": (-1, 1)})
    assert not missed.converged and missed.cannot_meet["dot_x"] < -10
    with pytest.raises(ValueError, match="v1: unknown name `dot_z`; did you mean `dot_"):
        nhi.plan(CAR, CAR_P, **dict(LANE, v1={"dot_z": 0}))
    with pytest.raises(ValueError, match="q1: unknown name `z`; the names are theta, x, y, phi"):
        nhi.plan(CAR, CAR_P, **dict(LANE, q1={"z": 0}))


def test_conditions_are_formulas_at_any_step():
    """A mass comes to x = 1 at rest by way of a point: its minimal effort is that of a spline."""
    n, t = 40, 1.0
    rest = dict(q0=[0], v0=[0], h=t / n, steps=n)
    direct = nhi.plan(MASS, MASS_P, **rest, q1=[1], v1=[0])
    stated = nhi.plan(MASS, MASS_P, **rest, q1=None, v1=None, conditions={"x**2": 1, "dot(x)": 0}, guess=direct)
    # By hand: 6 d²/T³ of the continuous problem, with 1 − 1/N² of that of steps.
    assert abs(direct.cost * (1 - 1 / n**2) / 6 - 1) < 1e-9
    assert stated.converged and abs(stated.cost / direct.cost - 1) < 1e-9
    # Through x = 1 after half of the time, which is a symmetric way there and back: 96 d² in the limit.
    there = nhi.plan(MASS, MASS_P, **rest, q1=[0], v1=[0], via={n // 2: {"x": 1.0}})
    assert there.converged and abs(there.q[n // 2, 0] - 1) < 1e-9 and abs(there.cost / 96 - 1) < 5e-3
    assert abs(there.multipliers["x after step 20"] / -192 - 1) < 5e-3
    with pytest.raises(ValueError, match=r"via\[20\]: expected a mapping from formulas to numbers, found 1"):
        nhi.plan(MASS, MASS_P, **rest, q1=[0], v1=[0], via={20: 1})
    with pytest.raises(ValueError, match="conditions: `x` is asked for after step 41, but steps are from 1 to 40"):
        nhi.plan(MASS, MASS_P, **rest, q1=[0], v1=[0], via={41: {"x": 1}})
    with pytest.raises(nhi.DeclarationError, match=r'unknown name `y`\n --> conditions\["y"\]'):
        nhi.plan(MASS, MASS_P, **rest, q1=[0], v1=[0], conditions={"y": 1})


def test_a_wheel_does_not_slip():
    free = nhi.plan(CAR, CAR_P, **LANE)
    most = lambda plan: abs(plan.run["lambda_rear"][1:]).max()  # noqa: E731
    grip = 0.8 * most(free)
    kept = nhi.plan(CAR, CAR_P, **LANE, bounds={"lambda(rear)": (-grip, grip)})
    assert kept.converged and kept.cost > free.cost
    assert abs(most(kept) / grip - 1) < 1e-7
    with pytest.raises(ValueError, match=r"no constraint has the label `read`; the labels are rear, front"):
        nhi.plan(CAR, CAR_P, **LANE, bounds={"lambda(read)": (-1, 1)})
    with pytest.raises(ValueError, match="where velocities are given there are no multipliers"):
        nhi.plan(nhi.Kinematic(CAR), CAR_P, [0] * 4, None, [0, 1, 0, 0], None, 0.1, 9, bounds={"lambda(rear)": (-1, 1)})


@pytest.mark.parametrize(("price", "times"), [(1.0, (1.0, 4.0)), (40.0, (0.3, 9.0))])
def test_the_time_of_a_double_integrator(price, times):
    """min ½∫u² + price T: the effort is 6 d²/T³, so that T⁴ = 18 d²/price, with 1 − 1/N² of steps."""
    n, d = 20, 1.5
    factor = 6 * d**2 / (1 - 1 / n**2)
    timed = nhi.free_time(nhi.Problem(MASS, MASS_P, [0], [0], [d], [0], 1.0, n), times, price)
    expected = (3 * factor / price) ** 0.25
    assert abs(timed.time / expected - 1) < 1e-6 and abs(timed.plan.t[-1] - timed.time) < 1e-12
    assert abs(timed.plan.cost / (factor / expected**3) - 1) < 1e-5 and abs(timed.derivative) < 1e-5
    run = timed.plan.run
    np.testing.assert_allclose(run.q, timed.plan.q, atol=1e-9)
    # At the shortest time the derivative says what more would save.
    short = nhi.free_time(nhi.Problem(MASS, MASS_P, [0], [0], [d], [0], 1.0, n), (1.0, 1.0), 0.0)
    assert short.time == 1.0 and abs(short.derivative / (-3 * factor) - 1) < 1e-6


def test_a_car_parks_in_several_ways():
    limits = {"force": (-8, 8), "torque": (-8, 8)}
    problem = nhi.Problem(CAR, CAR_P, [0] * 4, None, [0, 0, 0.5, 0], [0] * 4, 0.1, 40, bounds=limits)
    plans = nhi.multi_start(problem, 8)
    costs = [plan.cost for plan in plans]
    assert len(plans) >= 2 and costs == sorted(costs) and all(plan.converged and plan.is_minimum for plan in plans)
    for plan in plans:
        np.testing.assert_allclose(plan.run.q[-1], [0, 0, 0.5, 0], atol=1e-6)
    best = problem.solve(8)
    assert best.cost == costs[0] and [plan.cost for plan in best.others if plan.is_minimum] == costs[1:]


def test_a_guess_may_have_states():
    """From the motion of a plan nothing is left to do; states that do not follow from inputs are brought together."""
    found = nhi.plan(CAR, CAR_P, **LANE)
    again = nhi.plan(CAR, CAR_P, **LANE, guess=found)
    assert again.converged and again.iterations < found.iterations
    np.testing.assert_allclose(again.inputs, found.inputs, atol=1e-6)
    ramp = np.linspace(0, 1, 41)[:, np.newaxis] * np.array(LANE["q1"])
    motion = {"q": ramp, "v": np.tile([0.0, 1, 0, 0], (41, 1)), "inputs": np.zeros((40, 2))}
    other = nhi.plan(CAR, CAR_P, **LANE, guess=motion)
    assert other.converged and abs(other.cost / found.cost - 1) < 1e-8
    with pytest.raises(ValueError, match=r'guess\["q"\]: expected shape \(41, 4\), found \(40, 4\)'):
        nhi.plan(CAR, CAR_P, **LANE, guess=motion | {"q": ramp[1:]})
    with pytest.raises(ValueError, match="guess: expected inputs, or a mapping with q, v, inputs, found q, inputs"):
        nhi.plan(CAR, CAR_P, **LANE, guess={"q": ramp, "inputs": np.zeros((40, 2))})


def test_options_end_a_solution():
    few = nhi.plan(CAR, CAR_P, **LANE, iterations=2)
    assert not few.converged and few.iterations == 2 and few.residuals.shape == (3,)
    rough = nhi.plan(CAR, CAR_P, **LANE, tolerance=1e-3)
    assert rough.converged and 1e-12 < rough.residuals[-1] < 1e-3
    with pytest.raises(ValueError, match="tolerance: must be positive and finite, found 0"):
        nhi.plan(CAR, CAR_P, **LANE, tolerance=0)


def test_horizons_follow_one_another():
    """Without bounds MPC of a linear system is its LQR; with bounds inputs keep within them, and the mass comes to rest."""
    h, n = 0.1, 200
    sim = MASS.simulation(MASS_P, [0], [0], h=h)
    sim.step([0])
    a, b = sim.linearize()
    gain = nhi.lqr(a, b, q=[2 * h, 2 * h], r=0.02 * h).gain
    cost = "x^2 + dot(x)^2 + u^2/100"
    mpc = nhi.Mpc(nhi.Problem(MASS, MASS_P, [1], [0], None, None, h, n, cost=cost))
    sim = MASS.simulation(MASS_P, [1], [0], h=h)
    for k in range(30):
        u = mpc.step(sim.q, sim.v)
        np.testing.assert_allclose(u, -gain @ [sim.q[0], sim.v[0]], atol=1e-6)
        assert mpc.failure is None and mpc.iterations == 0 and mpc.steps == k + 1
        np.testing.assert_array_equal(mpc.q[0], sim.q)
        np.testing.assert_array_equal(mpc.inputs[0], u)
        sim.step(u)
    bounded = nhi.Problem(MASS, MASS_P, [1], [0], None, None, h, n, cost=cost, bounds={"u": (-0.5, 0.5)})
    mpc, sim, used = nhi.Mpc(bounded), MASS.simulation(MASS_P, [1], [0], h=h), []
    for _ in range(80):
        used.append(mpc.step(sim.q, sim.v)[0])
        sim.step(used[-1:])
    assert 0.499 < abs(np.array(used)).max() <= 0.5 and abs(sim.q[0]) < 1e-3 and abs(sim.v[0]) < 1e-3
    with pytest.raises(ValueError, match=r"q: expected 1 number \(x\), found shape \(2,\)"):
        mpc.step([0, 0], [0])
    with pytest.raises(ValueError, match=r"v: expected 1 number \(x\), found None"):
        mpc.step([0])
    with pytest.raises(ValueError, match="q: its entries must be finite"):
        mpc.step([np.nan], [0])
    # What cannot be reached is a failure, with the input of the plan before.
    hard = nhi.Mpc(nhi.Problem(MASS, MASS_P, [0], [0], [0], [0], h, 10, bounds={"u": (-0.1, 0.1)}))
    np.testing.assert_array_equal(hard.step([5], [0]), [0])
    assert "no best inputs within the bounds" in hard.failure
    with pytest.raises(RuntimeError, match="there is no plan to begin with: cannot meet"):
        nhi.Mpc(nhi.Problem(MASS, MASS_P, [5], [0], [0], [0], h, 10, bounds={"u": (-0.1, 0.1)}))


def test_velocities_are_given_step_by_step():
    """A wheel without inertia is brought to a line, along which it rolls, by repeated plans."""
    cost = "y^2 + theta^2 + (v - 1)^2 + omega^2/20"
    mpc = nhi.Mpc(nhi.Problem(nhi.Kinematic(DISK), DISK_P, [0, 0, 0, 0.3], None, None, None, 0.1, 20, cost=cost))
    q = np.array([0, 0, 0, 0.3])
    for _ in range(80):
        v = DISK.basis(DISK_P, q) @ mpc.step(q)
        q = DISK.retract((q, [0, 0]), [*(0.1 * v), 0, 0])[0]
    assert mpc.failure is None and abs(q[3]) < 1e-3 and abs(q[1]) < 1e-3 and abs(v[2] - 1) < 1e-3, q


def test_gains_along_a_motion():
    """Backwards in time they tend to those of the stationary problem, and they bring a car back to its plan."""
    sim = MASS.simulation(MASS_P, [0], [0], h=0.1)
    sim.step([0])
    a, b = sim.linearize()
    n, q, r = 400, [1.0, 0.5], 0.1
    gains = nhi.track(np.tile(a, (n, 1, 1)), np.tile(b, (n, 1, 1)), q, r, [0, 0])
    assert gains.shape == (n, 1, 2) and abs(gains[-1]).max() == 0
    np.testing.assert_allclose(gains[0], nhi.lqr(a, b, q, r).gain, rtol=1e-9)
    plan = nhi.plan(CAR, CAR_P, **LANE)
    moved = lambda: CAR.simulation(CAR_P, LANE["q0"], LANE["v0"], h=0.1)  # noqa: E731
    sim, steps = moved(), []
    for u in plan.inputs:
        sim.step(u)
        steps.append(sim.linearize())
    a, b = zip(*steps, strict=True)
    gains = nhi.track(a, b, [1] * 6, [0.1, 0.1], [10] * 6)
    ends = []
    for gain in (np.zeros((40, 2, 6)), gains):
        sim = CAR.simulation(CAR_P, [0.05, 0, 0.1, 0], LANE["v0"], h=0.1, project=True)
        for k, u in enumerate(plan.inputs):
            x = [sim.q, CAR.frame(CAR_P, sim.q).components @ sim.v]
            at = [plan.q[k], CAR.frame(CAR_P, plan.q[k]).components @ plan.v[k]]
            sim.step(u - gain[k] @ CAR.difference(at, x))
        ends.append(np.linalg.norm(sim.q - plan.q[-1]))
    assert ends[1] < 0.2 * ends[0]
    for changed, message in [
        (dict(a=a[0]), "a: expected a matrix for each step, found shape"),
        (dict(b=b[1:]), "b: expected 40 matrices, as in a, found 39"),
        (dict(r=[-1, 1]), "r: must be symmetric and positive definite"),
        (dict(q_end=[1]), r"q_end: expected shape \(6, 6\), found \(1, 1\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            nhi.track(**{**dict(a=a, b=b, q=[1] * 6, r=[1, 1], q_end=[1] * 6), **changed})


def test_a_plan_is_a_run_with_files_and_pictures(tmp_path):
    plan = nhi.plan(CAR, CAR_P, **LANE)
    run = plan.run
    np.testing.assert_allclose(run.q, plan.q, atol=1e-9)
    assert plan.save(tmp_path / "plan.csv").read_text().startswith("k,t,theta,x,y,phi")
    page = plan.view(tmp_path / "plan.html").read_text()
    assert page.startswith("<!doctype html>") and "lambda_rear" in page
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(again.run.q, run.q)
    assert repr(plan).startswith("<nhi.Plan of System: 40 steps, cost ")


RESULTS = [nhi.Plan, nhi.Timed, nhi.Fit, nhi.OtherFit, nhi.Lqr, nhi.Linear, nhi.Acceleration, nhi.Frame]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_fields_of_results_have_help(result):
    for field in result._fields:
        text = getattr(result, field).__doc__
        assert text and "Alias" not in text and text.rstrip().endswith("."), field


def test_mistakes_name_arguments():
    with pytest.raises(ValueError, match="problem: expected a Problem, found 1"):
        nhi.free_time(1, (1, 2), 1)
    problem = nhi.Problem(MASS, MASS_P, [0], [0], [1], [0], 0.1, 10)
    with pytest.raises(ValueError, match=r"times: expected two positive and finite times"):
        nhi.free_time(problem, (2, 1), 1)
    with pytest.raises(ValueError, match=r"times: expected two numbers, found 3"):
        nhi.free_time(problem, 3, 1)
    with pytest.raises(ValueError, match="count: expected an integer from 1 on"):
        nhi.multi_start(problem, 0)
    with pytest.raises(ValueError, match="v0: expected None, because the inputs of Kinematic are velocities"):
        nhi.Problem(nhi.Kinematic(MASS), MASS_P, [0], [0], [1], None, 0.1, 10)
    with pytest.raises(ValueError, match="system: expected a System, found 'car'"):
        nhi.Kinematic("car")
