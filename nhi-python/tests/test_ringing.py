"""Damping that is faster than the steps."""

import warnings

import nhi
import numpy as np
import pytest

WHEEL = {
    "coordinates": ["x", "w"],
    "parameters": ["m", "c"],
    "lagrangian": "m/2*(dot(x)^2 + dot(w)^2)",
    "constraints": {"roll": "dx - dw"},
    "force": "-c*dot(w)*dw",
}


def simulate(method, c):
    return nhi.System(**WHEEL).simulate({"m": 1.0, "c": c}, q0=[0, 0], v0=[1, 1], h=0.1, steps=30, method=method)


def test_ringing_is_said_with_the_method_that_damps():
    with pytest.warns(UserWarning, match=r"`dot\(w\)` change their signs at every step.*`dla1_adjoint`"):
        run = simulate("dla2", 2000.0)
    assert abs(run["dot_w"][-1]) > 0.1


def test_what_damps_or_is_resolved_does_not_ring():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        damped, resolved = simulate("dla1_adjoint", 2000.0), simulate("dla2", 1.0)
    assert np.abs(damped["dot_w"][-1]) < 1e-9
    assert 0 < resolved["dot_w"][-1] < 1


def test_errors_of_parameters_do_not_speak_of_fields():
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System(coordinates=["x"], parameters=["dot"], lagrangian="dot(x)^2/2", constraints=[])
    assert caught.value.help == "rename the parameter"


def test_statistics_of_steps():
    sim = nhi.System(**WHEEL).simulation({"m": 1.0, "c": 2000.0}, q0=[0, 0], v0=[1, 1], h=0.1)
    assert sim.statistics == {"safeguarded": 0, "evaluations": 0, "ringing": [], "unstable": []}
    for _ in range(15):
        sim.step()
    assert sim.statistics == {"safeguarded": 0, "evaluations": 0, "ringing": ["dot_x", "dot_w"], "unstable": []}


def test_safeguarded_steps_are_counted():
    block = nhi.System(
        coordinates=["x"],
        parameters=["F", "eps"],
        lagrangian="dot(x)^2/2",
        constraints=[],
        force="-F*tanh(dot(x)/eps)*dx",
    )
    sim = block.simulation({"F": 3.0, "eps": 1e-4}, q0=[0], v0=[1.00137], h=0.01, method="dla2")
    for _ in range(100):
        sim.step()
    assert 0 < sim.statistics["safeguarded"] < 100
    assert sim.statistics["evaluations"] > sim.statistics["safeguarded"]
    assert abs(sim.v[0]) < 1e-3
