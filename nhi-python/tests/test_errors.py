"""Errors name the argument, the place and the step."""

from __future__ import annotations

import pickle
import sys

import nhi
import numpy as np
import pytest
from conftest import SLEIGH, START, P


@pytest.mark.parametrize(
    ("changed", "source", "line", "column", "token"),
    [
        (dict(lagrangian="J/2*dot(theta)^2 +\n   M/2*dot(x)^2"), "lagrangian", 2, 4, "M"),
        (dict(constraints={"blade": "a*dthta"}), 'constraints["blade"]', 1, 3, "dthta"),
        (dict(constraints=["dx", "dtheta + dz"]), "constraints[1]", 1, 10, "dz"),
        (dict(let={"s": "sin(θ)"}), 'let["s"]', 1, 5, "θ"),
        (dict(force="-c*dot(x)*dx"), "force", 1, 2, "c"),
        (dict(lagrangian="J/2*(dot(theta)"), "lagrangian", 1, 5, "("),
        (dict(parameters=["J", "m", "in"]), "parameters[2]", 1, 1, "in"),
        (dict(lagrangian="m/2*dot(x)^3"), "lagrangian", 1, 5, "dot(x)^3"),
        (dict(lagrangian="m/2*dot(x)^2 + floor(y)"), "lagrangian", 1, 16, "floor"),
        (dict(let={"x": "sin(theta)"}), 'let["x"]', 1, 1, "x"),
        (dict(parameters=["J", "m", "a[k]"]), "length of parameters[2]", 1, 1, "k"),
        (dict(holonomic={"rod": "x^2 + y^2 - l^2"}), 'holonomic["rod"]', 1, 13, "l"),
    ],
)
def test_mistakes_are_placed_in_the_arguments(changed, source, line, column, token):
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System(**{**SLEIGH, **changed})
    error = caught.value
    assert (error.source, error.line, error.column, error.token) == (source, line, column, token)
    assert f"--> {source}:{line}:{column}" in str(error) and "^" * len(token) in str(error)


def test_all_mistakes_are_reported_with_help():
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System(**{**SLEIGH, "lagrangian": "J/2*dot(theta)^2 + mm/2*dot(x)^2 + jj"})
    error = caught.value
    assert [mistake["token"] for mistake in error.mistakes] == ["mm", "jj"]
    assert error.help and "`m`" in error.help and error.help in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.token == "mm"


def test_powers_as_in_python():
    stars = nhi.System(**{**SLEIGH, "lagrangian": SLEIGH["lagrangian"].replace("^", "**")})
    assert str(stars.report()) == str(nhi.System(**SLEIGH).report())
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System(**{**SLEIGH, "lagrangian": "J/2*dot(theta)**2 + mm/2*dot(x)**2"})
    assert (caught.value.column, caught.value.token) == (21, "mm")


def test_mistakes_of_files(tmp_path):
    file = tmp_path / "bad.rs"
    file.write_text(
        "#[derive(Nonholonomic)]\n#[nonholonomic(coordinates(x), lagrangian = dot(y)^2, constraints())]\nstruct S;"
    )
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System.from_file(file)
    assert (caught.value.source, caught.value.line, caught.value.token) == (str(file), 2, "y")
    file.write_text("struct S;")
    with pytest.raises(nhi.DeclarationError, match="no struct here derives `Nonholonomic`"):
        nhi.System.from_file(file)


def test_constraints_must_be_given():
    with pytest.raises(nhi.DeclarationError, match=r"missing constraints[^$]*write `constraints=\[\]`"):
        nhi.System(**{**SLEIGH, "constraints": None})


def test_labels_are_names():
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System(**{**SLEIGH, "constraints": {"left wheel": "dx"}})
    assert caught.value.source == 'constraints["left wheel"]' and caught.value.token == "left wheel"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (dict(p=dict(J=1, m=1)), "p: missing parameter `a`"),
        (dict(p=dict(J=1, m=1, a=1, mass=1)), "p: unknown parameter `mass`"),
        (dict(p=dict(J=1, m=1, a=[1, 2])), r'p\["a"\]: expected shape \(\), found \(2,\)'),
        (dict(p=dict(J=1, m=1, a="long")), r'p\["a"\]: expected numbers'),
        (dict(p=dict(J=1, m=np.nan, a=1)), "p: .*`m` must be finite"),
        (dict(p=3), "p: expected a dictionary"),
        (dict(q0=[0, 0]), r"q0: expected 3 numbers \(theta, x, y\), found shape \(2,\)"),
        (dict(v0=[1, 0.5, 0.3]), "v0: .*constraint `blade`"),
        (dict(v0=[1, np.inf, 0.2]), "v0: .*`x` must be finite"),
        (dict(h=0), "h: "),
        (dict(h="fast"), "h: expected a number"),
        (dict(method="dla3"), "method `dla3`: unknown method, did you mean `dla"),
        (dict(method="DLA2"), "method `DLA2`: unknown method, did you mean `dla2`"),
        (dict(steps=-1), "steps: expected an integer from 0 on, found -1"),
        (dict(steps=1.5), "steps: expected an integer, found 1.5"),
        (dict(every=0), "every: expected an integer from 1 on, found 0"),
        (dict(inputs=[1]), r"inputs: expected 0 numbers, found shape \(1,\)"),
    ],
)
def test_arguments_are_named(sleigh, changed, message):
    with pytest.raises(ValueError, match=message) as caught:
        sleigh.simulate(**{**dict(p=P, steps=10), **START, **changed})
    assert not isinstance(caught.value, nhi.DeclarationError)


def test_arguments_of_other_functions(sleigh, driven):
    with pytest.raises(ValueError, match="q0: expected 1 or 3 rows, found 2|q0: .*different numbers of members"):
        sleigh.ensemble(dict(P, a=np.ones(3)), q0=np.zeros((2, 3)), v0=[0, 0, 0], h=0.01)
    with pytest.raises(ValueError, match="member 1: v0: .*`blade`"):
        sleigh.ensemble(P, q0=[0, 0, 0], v0=[[1, 0.5, 0.2], [1, 0.5, 0.3]], h=0.01)
    with pytest.raises(ValueError, match="inputs: expected 1 inputs, found 2"):
        driven.simulation(dict(m=1, k=1), [0], [0], 0.1).step([1, 2])
    with pytest.raises(ValueError, match="inputs: expected numbers: "):
        driven.simulation(dict(m=1, k=1), [0], [0], 0.1).step(["fast"])
    with pytest.raises(ValueError, match="inputs: expected numbers in the order of their declaration, found names"):
        driven.simulate(dict(m=1, k=1), [0], [0], 0.1, 5, inputs={"u": 1})
    with pytest.raises(ValueError, match="q0: expected numbers in the order of their declaration, found names"):
        sleigh.simulate(P, dict(theta=1), [0, 0, 0], h=0.01, steps=5)
    with pytest.raises(ValueError, match="inputs: expected a row for each of 5 steps, found 4"):
        driven.simulate(dict(m=1, k=1), [0], [0], 0.1, 5, inputs=np.zeros((4, 1)))
    rod = nhi.System(coordinates=["x", "y"], lagrangian="dot(x)^2 + dot(y)^2", holonomic=["x^2 + y^2 - 1"])
    with pytest.raises(ValueError, match="method `dla2`: does not apply to this system: "):
        rod.simulation({}, [1, 0], [0, 1], 0.1, method="dla2")
    with pytest.raises(ValueError, match="q0: .*position constraint"):
        rod.simulation({}, [1.1, 0], [0, 1], 0.1)
    with pytest.raises(ValueError, match="q: expected 3 numbers"):
        sleigh.energy(P, [0, 0], [0, 0, 0])
    with pytest.raises(ValueError, match='coordinates: expected a list of texts, found the text "theta"'):
        nhi.System(**{**SLEIGH, "coordinates": "theta"})


def test_an_exact_flow_that_ends_early_is_an_error():
    """A particle falls into the centre of its attraction at t = π/√8."""
    falling = nhi.System(coordinates=["x"], lagrangian="dot(x)^2/2 + 1/x", constraints=[])
    with pytest.raises(nhi.StepError) as caught:
        falling.simulate({}, [1], [0], 0.01, 200, method="exact")
    error, partial = caught.value, caught.value.partial
    assert error.step == len(partial.t) == 112 and error.time == partial.t[-1] == pytest.approx(1.11)
    assert partial.about["stopped"] == str(error) and error.reason in str(error)
    # x = cos²η, t = (η + sin η cos η)/√2 ends at π/√8 = 1.1107.
    eta = np.arccos(np.sqrt(partial["x"]))
    np.testing.assert_allclose((eta + np.sin(eta) * np.cos(eta)) / np.sqrt(2), partial.t, atol=1e-6)


def test_a_failing_step_leaves_the_state(failing):
    p, start = dict(k=1.0), dict(q0=[0.1], v0=[-1], h=0.01)
    with pytest.raises(nhi.StepError) as caught:
        failing.simulate(p, **start, steps=1000)
    error, partial = caught.value, caught.value.partial
    assert len(partial.t) == error.step and partial.about["stopped"] == str(error)
    assert error.time == partial.t[-1] and error.reason in str(error)
    simulation = failing.simulation(p, **start)
    with pytest.raises(nhi.StepError) as again:
        for _ in range(1000):
            simulation.step()
    assert again.value.step == error.step and again.value.partial is None
    np.testing.assert_array_equal(simulation.q, partial.q[-1])
    with pytest.raises(nhi.StepError):
        simulation.advance(10)
    np.testing.assert_array_equal(simulation.q, partial.q[-1])
    sent = pickle.loads(pickle.dumps(error))
    assert (sent.step, sent.time, sent.reason, str(sent)) == (error.step, error.time, error.reason, str(error))
    np.testing.assert_array_equal(sent.partial.q, partial.q)


def test_a_member_that_fails_stays_behind(failing):
    many = failing.ensemble(dict(k=1.0), q0=[[0.1], [5.0]], v0=[[-1], [0]], h=0.01)
    with pytest.warns(RuntimeWarning, match="1 of 2 members failed, member 0: "):
        q = many.run(100, 1)
    alone = failing.simulate(dict(k=1.0), [5.0], [0], 0.01, 100)
    np.testing.assert_array_equal(q[:, 1], alone.q)
    error = many.failures[0]
    assert isinstance(error, nhi.StepError)
    assert np.isfinite(q[: error.step, 0]).all() and np.isnan(q[error.step :, 0]).all()
    assert np.isnan(many.energy).tolist() == [True, False]


def test_primes_are_no_velocities():
    with pytest.raises(nhi.DeclarationError, match="the velocity of `x` is `dot") as caught:
        nhi.System(coordinates=["x"], lagrangian="1/2*x'^2", constraints=[])
    assert (caught.value.column, caught.value.token) == (6, "'")


def test_a_start_that_is_refused_names_the_remedy(sleigh):
    with pytest.raises(ValueError, match=r"^v0: .* `blade` by \S+; `project=True` begins at"):
        sleigh.simulation(P, [0, 0, 0], [1, 0.5, 0.3], 0.01)


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("pandas", "pandas", lambda run, system: run.to_pandas()),
        ("matplotlib", "plot", lambda run, system: run.plot()),
        ("tqdm", "progress", lambda run, system: system.simulate(P, **START, steps=10, progress=True)),
    ],
)
def test_a_missing_package_is_named(sleigh, monkeypatch, package, extra, use):
    run = sleigh.simulate(P, **START, steps=10)
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=rf"needs {package}, .*pip install 'nhi\[{extra}\]'"):
        use(run, sleigh)
