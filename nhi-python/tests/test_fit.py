"""Identification."""

from __future__ import annotations

import nhi
import numpy as np
import pytest

#: As in `nhi-control/tests/it/identify.rs`.
SLEIGH = nhi.System(
    coordinates=["theta", "x", "y"],
    parameters=["m", "j", "a"],
    inputs=["push", "turn"],
    lagrangian="j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
    force="push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta",
)
TRUE, GUESS = dict(m=2.0, j=0.6, a=0.3), dict(m=1.5, j=0.8, a=0.4)
Q0, V0 = [0.0, 0.0, 0.0], [0.4, 1.0, 0.12]
H, STEPS = 0.05, 100
TIMES = H * np.arange(STEPS)
INPUTS = np.column_stack([0.8 * np.sin(1.3 * TIMES), 0.5 * np.cos(2.1 * TIMES)])
RUN = SLEIGH.simulate(TRUE, Q0, V0, H, STEPS, inputs=INPUTS)
#: A disturbance of the samples by sines.
DISTURBED = RUN.q[1:] + 1e-3 * np.sin(7.3 * np.arange(STEPS)[:, np.newaxis] + 2.1 * np.arange(3))
GIVEN = dict(system=SLEIGH, p=GUESS, q0=Q0, v0=V0, h=H, t=RUN.t[1:], measured=["theta", "x", "y"], inputs=INPUTS)


def fit(samples=DISTURBED, **changed):
    return nhi.fit(**{**GIVEN, "samples": samples, **changed})


def test_the_result_is_that_of_rust():
    # The disturbance is a sine, not noise.
    with pytest.warns(RuntimeWarning, match="are no noise"):
        found = fit()
    assert found.unknowns == ["m", "j", "a"] and found.rank == 3 and not found.undetermined
    np.testing.assert_allclose(found.values, [1.9999787202, 0.5999597115, 0.2999946380], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.deviations, [1.3123065e-4, 3.5787292e-4, 1.1445482e-4], rtol=1e-7)
    assert found.p == dict(zip("mja", found.values, strict=True))
    # What is left is the disturbance, nearly.
    assert found.residuals.shape == (STEPS, 3) and found.degrees_of_freedom == 3 * STEPS - 3
    np.testing.assert_allclose((found.residuals**2).sum(), found.chi2, rtol=1e-12)
    np.testing.assert_allclose(found.noise, np.sqrt(found.chi2 / 297))
    assert repr(found).startswith(
        "<nhi.Fit: m = 1.99998 ± 0.00013, j = 0.59996 ± 0.00036, a = 0.299995 ± 0.00011; noise "
    )
    # The run is the motion that fits.
    np.testing.assert_allclose(found.run.q[1:] - DISTURBED, found.residuals, atol=1e-12)
    # With deviations, their covariance does not depend on what is left.
    with pytest.warns(RuntimeWarning, match="are no noise"):
        weighted = fit(deviations=found.noise)
    np.testing.assert_allclose(weighted.covariance, found.covariance, rtol=1e-6)
    np.testing.assert_allclose(weighted.chi2, 297, rtol=1e-6)


def test_the_start_and_functions_of_the_motion():
    """From distances and a velocity, between steps too; the start is unknown."""
    times = np.array([0.11, 0.32, 0.5, 0.77, 1.3, 1.83, 2.4, 3.1, 3.33, 4.2, 4.9])

    def measured(t):
        sim = SLEIGH.simulation(TRUE, [0.05, -0.1, 0.02], start, H)
        steps = int(t / H + 1e-9)
        for u in INPUTS[:steps]:
            sim.step(u)
        rest = t - steps * H
        q, v = sim.q, sim.v
        if rest > 1e-9:
            sim = SLEIGH.simulation(TRUE, q, v, rest)
            sim.step(INPUTS[steps])
            q, v = sim.q, sim.v
        return np.hypot(q[1] - 3, q[2] + 2), np.hypot(q[1] + 1, q[2] - 2), v[1] * 2.0

    start = SLEIGH.project(TRUE, [0.05, -0.1, 0.02], [0.4, 1.0, 0.17])
    samples = np.array([measured(t) for t in times])
    texts = ["sqrt((x - 3)^2 + (y + 2)^2)", "sqrt((x + 1)^2 + (y - 2)^2)", "m*dot(x)"]
    unknowns = ["m", "a", "theta(0)", "x(0)", "y(0)", "dot_theta(0)", "dot_x(0)"]
    found = fit(
        samples,
        t=times,
        measured=texts,
        unknowns=unknowns,
        p=dict(m=1.8, j=0.6, a=0.35),
        q0=[0, 0, 0],
        v0=[0.4, 1, 0.12],
    )
    assert found.unknowns == unknowns and found.rank == 7
    np.testing.assert_allclose([found.p["m"], found.p["j"], found.p["a"]], [2, 0.6, 0.3], atol=1e-8)
    np.testing.assert_allclose(found.run.q[0], [0.05, -0.1, 0.02], atol=1e-8)
    np.testing.assert_allclose(found.run.v[0], start, atol=1e-8)
    assert found.run.t[-1] >= times[-1] > found.run.t[-2] and np.abs(found.residuals).max() < 1e-8


def test_what_cannot_be_known_is_named():
    """Without forces only the ratio of inertias matters."""
    coasting = SLEIGH.simulate(TRUE, Q0, V0, H, STEPS, inputs=[0.0, 0.0])
    found = fit(coasting.q[1:], inputs=[0.0, 0.0])
    assert found.rank == 2 and found.degrees_of_freedom == 3 * STEPS - 2
    [direction] = found.undetermined
    m, j, a = found.values
    np.testing.assert_allclose([j / m, a], [0.3, 0.3], atol=1e-7)
    np.testing.assert_allclose([direction["j"] / direction["m"], direction["a"]], [0.3, 0], atol=1e-6)
    one = fit(coasting.q[1:], inputs=[0.0, 0.0], unknowns=["j", "a"])
    assert not one.undetermined and abs(one.p["j"] / 1.5 - 0.3) < 1e-9


def test_a_pose_is_found():
    """The same sleigh on SE(2), from the position of its centre."""
    posed = nhi.System(
        coordinates=[],
        group="SE2(theta, x, y; omega, v1, v2)",
        parameters=["m", "j", "a"],
        inputs=["push", "turn"],
        lagrangian="(j + m*a^2)/2*omega^2 + m/2*(v1^2 + v2^2) + m*a*omega*v2",
        constraints={"blade": "v2"},
        force="push*v1*dt + turn*omega*dt",
    )
    run = posed.simulate(TRUE, [0.9, 0.2, -0.1], [0.4, 1.0, 0.0], H, STEPS, inputs=INPUTS)
    centre = run["x"] + 0.3 * np.cos(run["theta"]), run["y"] + 0.3 * np.sin(run["theta"])
    found = nhi.fit(
        posed,
        GUESS,
        q0=[0.4, 0.0, 0.0],
        v0=[0.4, 1.0, 0.0],
        h=H,
        t=run.t[1:],
        samples=np.column_stack(centre)[1:],
        measured=["x + a*cos(theta)", "y + a*sin(theta)"],
        inputs=INPUTS,
        unknowns=["m", "j", "a", "omega(0)", "v1(0)", "v2(0)"],
    )
    assert found.rank == 6
    np.testing.assert_allclose(list(found.p.values()), [2, 0.6, 0.3], atol=1e-7)
    np.testing.assert_allclose(found.run.q[0], [0.9, 0.2, -0.1], atol=1e-7)


def test_arrays_of_parameters():
    springs = nhi.System(
        coordinates=["x"],
        parameters=["m", "k[2]"],
        lagrangian="m/2*dot(x)^2 - k[0]/2*x^2 - k[1]/4*x^4",
        constraints=[],
    )
    p = dict(m=1.0, k=[2.0, 0.5])
    run = springs.simulate(p, [1.0], [0.0], 0.1, 80)
    found = nhi.fit(
        springs, dict(m=1.0, k=[1.5, 0.8]), [1.0], [0.0], 0.1, run.t, run["x"], "x", unknowns=["k[0]", "k[1]"]
    )
    assert found.p["m"] == 1.0 and found.unknowns == ["k[0]", "k[1]"]
    np.testing.assert_allclose(found.p["k"], [2, 0.5], atol=1e-9)


def test_the_best_of_several_starts_is_returned():
    """A frequency, whose sum of squares has many minima."""
    spring = nhi.System(coordinates=["x"], parameters=["k"], lagrangian="dot(x)^2/2 - k/2*x^2", constraints=[])
    run = spring.simulate(dict(k=4.0), [1.0], [0.0], 0.05, 400)
    problem = (spring, dict(k=2.5), [1.0], [0.0], 0.05, run.t, run["x"], "x")
    with pytest.warns(RuntimeWarning, match="no noise"):
        alone = nhi.fit(*problem)
    assert alone.chi2 > 1 and alone.others == []
    several = nhi.fit(*problem, starts=30)
    assert several.chi2 < 1e-18 and abs(several.p["k"] - 4) < 1e-9
    chi2 = [other.chi2 for other in several.others]
    assert chi2 == sorted(chi2) and any(abs(x / alone.chi2 - 1) < 1e-6 for x in chi2)
    assert several.others[0].values.shape == (1,)
    with pytest.raises(ValueError, match="starts: expected an integer from 1 on"):
        nhi.fit(*problem, starts=0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (dict(system="sleigh"), "system: expected a System"),
        (dict(h=0), "h: must be positive"),
        (dict(h=1e-300), "h: .* too many"),
        (dict(t=[[1.0]]), "t: expected a vector of ascending times"),
        (dict(t=RUN.t[:0:-1]), "t: expected a vector of ascending times"),
        (dict(t=RUN.t[2:]), r"samples: expected shape \(99, 3\), found \(100, 3\)"),
        (dict(measured=["x", "y"]), r"samples: expected shape \(100, 2\), found \(100, 3\)"),
        (dict(measured=["theta", "x", 1]), r"measured\[2\]: expected a text, found 1"),
        (dict(measured=["theta", "x", "z"]), r"unknown name `z`\n --> measured\[2\]:1:1"),
        (dict(measured=["theta", "x", "floor(y)"]), r"measured\[2\]:1:1"),
        (dict(measured=[], samples=np.empty((100, 0))), "measured: expected at least one expression"),
        (dict(samples=np.full((100, 3), np.nan)), "samples: sample 0: .* finite"),
        (dict(t=[0.1], samples=[[0.0]], measured="x"), "samples: 1 measured numbers do not determine 3 unknowns"),
        (dict(deviations=[1, 2]), "deviations: expected one number, or 3"),
        (dict(deviations=[1, 0, 1]), "deviations: deviation 1: must be positive"),
        (dict(inputs=INPUTS[:7]), "inputs: expected 1 or 100 rows, found 7"),
        (dict(inputs=[1.0]), "inputs: expected 2 numbers"),
        (
            dict(unknowns=["mass"]),
            r"unknowns: there is no .* `mass`, expected one of m, j, a, theta\(0\), .*dot_y\(0\)",
        ),
        (dict(unknowns=["m", "m"]), "unknowns: `m` stands there twice"),
        (dict(unknowns=[]), "unknowns: no parameter .* is unknown"),
        (dict(p=dict(m=1.0, j=1.0)), "p: missing parameter `a`"),
        (dict(q0=[np.nan, 0, 0]), "q0: "),
        (dict(method="rattle"), "rattle"),
    ],
)
def test_arguments_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        fit(**changed)


def test_a_guess_without_a_motion(failing):
    with pytest.raises(RuntimeError, match="from the guess fails"):
        nhi.fit(failing, dict(k=50.0), [0.5], [-1.0], 0.05, [0.5, 1.0], [0.4, 0.3], "r")


def test_inputs_that_drive_constraints():
    pushed = nhi.System(
        coordinates=["x", "y"],
        inputs=["u"],
        parameters=["m"],
        lagrangian="m/2*(dot(x)^2 + dot(y)^2)",
        constraints=["dot(y) - u"],
    )
    with pytest.raises(ValueError, match="inputs drive the constraints of the system"):
        nhi.fit(pushed, dict(m=1), [0, 0], [0, 0], 0.1, [0.1], [1.0], "x", inputs=[0.0])
