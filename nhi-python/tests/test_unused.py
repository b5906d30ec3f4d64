"""Inputs that are left out, and names that no formula uses."""

import warnings

import nhi
import numpy as np
import pytest

P = {"m": 1, "u": 0, "c": 1}
START = ([0.0], [1.0], 0.1, 2)


def cart(force="u*dx"):
    """A cart in whose force the parameter `u` stands, not the input `u1`."""
    return nhi.System(
        coordinates=["x"], parameters=list(P), inputs=["u1"], lagrangian="m/2*dot(x)^2", constraints=[], force=force
    )


def test_names_that_no_formula_uses_are_told_once():
    system = cart()
    with pytest.warns(UserWarning, match="no formula uses the parameter `c`, nor the input `u1`") as told:
        system.simulate(P, *START, inputs=[1.0])
    assert told[0].filename == __file__
    system.simulate(P, *START, inputs=[1.0])
    system.simulation(P, *START[:3])
    for call in (
        lambda system: system.simulation(P, *START[:3]),
        lambda system: system.ensemble(P, *START[:3]),
        lambda system: nhi.plan(system, P, [0], [0], None, None, 0.1, 2),
        lambda system: nhi.fit(
            system, P, [0], [1], 0.1, measured="x", t=[0.1], samples=[0.1], unknowns=["dot_x(0)"], inputs=[0.0]
        ),
    ):
        with pytest.warns(UserWarning, match="no formula uses"):
            call(cart())


def test_what_costs_and_outputs_use_is_used():
    used = {"a": ("x", "c", "u1")}
    cart().simulate(P, *START, inputs=[1.0], bodies=used)
    cart().simulate(P, *START, inputs=[1.0], record={"far": "c*x > u1"})
    nhi.plan(cart(), P, [0], [0], None, None, 0.1, 2, cost="u1^2", conditions={"c*x": 0})
    # The motion that fits is simulated.
    samples = dict(t=[0.1], samples=[1.1], unknowns=["dot_x(0)"], inputs=[0.0])
    nhi.fit(cart(), P, [0], [1], 0.1, measured="x + c + u1", **samples)
    cart("c*u*u1*dx").simulation(P, *START[:3])


def test_inputs_that_are_left_out_are_told():
    system = cart("c*u*u1*dx")
    with pytest.warns(UserWarning, match="no inputs are given: `u1` = 0") as told:
        system.simulate(P, *START)
    assert told[0].filename == __file__
    samples = dict(measured="x", t=[0.1], samples=[0.1], unknowns=["dot_x(0)"])
    with pytest.warns(UserWarning, match="no inputs are given: `u1` = 0") as told:
        nhi.fit(system, P, [0], [1], 0.1, **samples)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for inputs in ([0.0], np.zeros((2, 1)), lambda t: [t]):
            system.simulate(P, *START, inputs=inputs)
        nhi.fit(system, P, [0], [1], 0.1, inputs=[0.0], **samples)


def test_masses_that_are_zero_have_names_and_advice():
    wheels = nhi.System(
        coordinates=["x", "phi"],
        parameters=["m", "j", "r"],
        lagrangian="m/2*dot(x)^2 + j/2*dot(phi)^2",
        constraints={"rolling": "dx - r*dphi"},
    )
    start = ([0, 0], [1, 2], 0.1, 2)
    with pytest.raises(nhi.StepError, match="with `j` = 0 .*; `frame` and `dla2` take these steps"):
        wheels.simulate({"m": 1, "j": 0, "r": 0.5}, *start, method="rattle")
    with pytest.raises(nhi.StepError, match="with `m`, `j` = 0 .* has no kinetic energy"):
        wheels.simulate({"m": 0, "j": 0, "r": 0.5}, *start)
    with pytest.raises(nhi.StepError, match="with `m` < 0 .* has negative kinetic energy"):
        wheels.simulate({"m": -1, "j": 0.1, "r": 0.5}, *start)
