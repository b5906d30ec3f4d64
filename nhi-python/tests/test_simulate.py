"""Runs, simulations, functions of a system and files: equal numbers with the reference data and among each other."""

from __future__ import annotations

import json
import pickle
import warnings

import nhi
import numpy as np
import pytest
from conftest import ROOT, START, P

GOLDEN = ROOT / "tests" / "golden" / "rn"


def case(path):
    """A case of the reference data, and the number of steps between its samples."""
    case = json.loads(path.read_text())
    return case, case["samples"][1]["k"]


@pytest.mark.parametrize("method", ["dla2", "dla1", "rattle", "dla_rattle", "rk4", "dla2_suzuki4"])
@pytest.mark.parametrize("model", ["sleigh_com", "mobile_robot"])
def test_runs_are_the_reference_trajectories(model, method):
    reference, every = case(GOLDEN / f"{model}__{method}.json")
    system = nhi.System.from_file(ROOT / "models" / "src" / f"{model}.rs")
    run = system.simulate(
        reference["params"],
        reference["q0"],
        reference["v0"],
        reference["h"],
        reference["steps"],
        method,
        every,
    )
    for name in ("q", "v", "p", "energy"):
        expected = np.array([sample[name] for sample in reference["samples"]])
        np.testing.assert_allclose(getattr(run, name), expected, rtol=1e-10, atol=1e-10)


def test_shapes_and_names(sleigh):
    run = sleigh.simulate(P, **START, steps=100, every=10)
    assert run.t.shape == (11,) and run.q.shape == (11, 3) and run.v.shape == (11, 3)
    assert run.energy.shape == (11,) and run.multipliers.shape == (11, 1) and run.residual.shape == (11, 1)
    assert run.columns[:8] == ["k", "t", "theta", "x", "y", "dot_theta", "dot_x", "dot_y"]
    np.testing.assert_array_equal(run["dot_x"], run.v[:, 1])
    np.testing.assert_array_equal(run["lambda_blade"], run.multipliers[:, 0])
    np.testing.assert_array_equal(run.t, run["k"] * 0.01)
    assert np.abs(run.residual).max() < 1e-14
    with pytest.raises(KeyError, match="no column `z`; there are k, t, theta"):
        run["z"]


def test_properties(sleigh):
    assert sleigh.name == "Sleigh" and sleigh.parameters == ["J", "m", "a"]
    assert sleigh.coordinates == sleigh.velocities == ["theta", "x", "y"]
    assert sleigh.constraints == ["blade"] and sleigh.inputs == []
    assert sleigh.default_method == "dla2" and {"dla2", "rattle", "rk4"} < set(sleigh.methods)


def test_the_default_method_is_the_recommended_one():
    # The first one of its `methods(...)` is another one.
    assert nhi.System.from_file(ROOT / "models" / "src" / "sleigh_com.rs").default_method == "dla2"


def test_a_system_is_what_its_source_declares(sleigh, tmp_path):
    file = tmp_path / "sleigh.rs"
    file.write_text(sleigh.source)
    again = nhi.System.from_file(file)
    assert again.fingerprint == sleigh.fingerprint
    first, second = (system.simulate(P, **START, steps=50) for system in (sleigh, again))
    np.testing.assert_array_equal(first.q, second.q)


@pytest.mark.parametrize("method", ["dla2", "rattle", "rk4", "dla2_triple4"])
def test_simulations_and_ensembles_take_the_steps_of_runs(sleigh, method):
    run = sleigh.simulate(P, **START, steps=500, method=method, every=100)
    simulation = sleigh.simulation(P, **START, method=method)
    one, many = run.q.copy(), sleigh.ensemble(P, **START, method=method).run(500, 100)
    for k in range(1, 6):
        if k % 2:
            simulation.advance(100)
        else:
            for _ in range(100):
                simulation.step()
        one[k] = simulation.q
    np.testing.assert_array_equal(one, run.q)
    np.testing.assert_array_equal(many[:, 0], run.q)
    np.testing.assert_array_equal(simulation.v, run.v[-1])
    np.testing.assert_array_equal(simulation.p, run.p[-1])
    np.testing.assert_array_equal(simulation.multipliers, run.multipliers[-1])
    assert simulation.energy == run.energy[-1] and simulation.t == run.t[-1] and simulation.steps == 500


def test_events(sleigh):
    run = sleigh.simulate(P, **START, until="x >= 0.3", record={"half": "x >= 0.3/2", "never": "y > 100"})
    assert abs(run["x"][-1] - 0.3) < 1e-14 and run.events["until"] == [run.t[-1]]
    assert run.events["half"].size == 1 and run.events["half"][0] < run.t[-1] and run.events["never"].size == 0
    assert pickle.loads(pickle.dumps(run)).events["half"] == run.events["half"]
    with pytest.warns(UserWarning, match="has not become true in 10 steps"):
        sleigh.simulate(P, **START, steps=10, until="x >= 50")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(sleigh.simulate(P, **START, steps=10, until="x >= 0").t) == 1
    with pytest.raises(TypeError, match="steps"):
        sleigh.simulate(P, **START)
    with pytest.raises(nhi.DeclarationError, match="unknown name `z`"):
        sleigh.simulate(P, **START, until="z > 1")
    # A Poincaré section of an oscillation.
    spring = nhi.System(coordinates=["x"], lagrangian="(dot(x)^2 - x^2)/2", constraints=[])
    section = spring.simulate({}, q0=[1], v0=[0], h=0.01, steps=2000, record={"upwards": "x > 0"})
    np.testing.assert_allclose(section.events["upwards"], np.pi * np.array([1.5, 3.5, 5.5]), atol=1e-3)


def test_inputs(driven):
    p, start = dict(m=1.0, k=2.0), dict(q0=[0.1], v0=[0], h=0.01)
    u = np.sin(np.linspace(0, 3, 200))[:, np.newaxis]
    run = driven.simulate(p, **start, steps=200, inputs=u)
    simulation = driven.simulation(p, **start, inputs=u[0])
    for row in u:
        simulation.step(row)
    np.testing.assert_array_equal(simulation.q, run.q[-1])
    sines = np.sin([[k * start["h"]] for k in range(200)])
    by_rows = driven.simulate(p, **start, steps=200, inputs=sines)
    by_time = driven.simulate(p, **start, steps=200, inputs=np.sin)
    np.testing.assert_array_equal(by_time.q, by_rows.q)
    held = driven.simulate(p, **start, steps=200, inputs=[0.5])
    np.testing.assert_array_equal(held["u"], np.full(201, 0.5))
    simulation = driven.simulation(p, **start)
    simulation.advance(200, [0.5])
    # A simulation starts with the inputs zero, here; those of the start do not matter to this method.
    np.testing.assert_array_equal(simulation.q, held.q[-1])
    np.testing.assert_array_equal(simulation.inputs, [0.5])
    dv, multipliers = driven.acceleration(p, [0.1], [0], inputs=[0.5])
    np.testing.assert_allclose(dv, [0.3], rtol=1e-15)
    assert multipliers.shape == (0,)


def test_inputs_of_the_steps_of_an_ensemble(driven):
    p, start = dict(m=2, k=1), dict(q0=[0.1], v0=[0.0], h=0.01)
    u = np.sin(np.arange(3 * 200).reshape(3, 200, 1))
    expected = [driven.simulate(p, **start, steps=200, every=50, inputs=one).q for one in u]
    many = driven.ensemble(p, np.full((3, 1), 0.1), [0.0], 0.01)
    q = np.concatenate([many.run(100, 50, inputs=u[:, :100]), many.run(100, 50, inputs=u[:, 100:])[1:]])
    np.testing.assert_array_equal(q, np.stack(expected, axis=1))
    # Those that were given last are held.
    simulation = driven.simulation(p, **start)
    for row in u[2]:
        simulation.step(row)
    simulation.advance(30)
    np.testing.assert_array_equal(many.run(30)[-1, 2], simulation.q)
    # The same for all members.
    many = driven.ensemble(p, np.full((3, 1), 0.1), [0.0], 0.01)
    np.testing.assert_array_equal(many.run(200, 50, inputs=u[1]), np.stack([expected[1]] * 3, axis=1))


def test_impossible_inputs_of_the_steps_of_an_ensemble(driven, sleigh):
    many = driven.ensemble(dict(m=2, k=1), np.full((3, 1), 0.1), [0.0], 0.01)
    shapes = r"inputs: expected shape \(10, 1\) for all members or \(3, 10, 1\), found \(3, 1\)"
    with pytest.raises(ValueError, match=shapes):
        many.run(10, inputs=[[1], [2], [3]])
    with pytest.raises(ValueError, match=r"inputs: nan at \(4, 0\) is no number that a step can use"):
        many.run(10, inputs=np.where(np.arange(10) == 4, np.nan, 0)[:, np.newaxis])
    assert many.steps == 0 and many.run(0, inputs=np.zeros((0, 1))).shape == (1, 3, 1)
    assert sleigh.ensemble(P, **START).run(5, inputs=np.zeros((5, 0))).shape == (2, 1, 3)


def test_the_exact_flow(driven, sleigh):
    """Of a mass on a spring with a force that is held over each step."""
    p, u = dict(m=1.0, k=4.0), np.array([[1.0], [-2.0], [0.5]])
    run = driven.simulate(p, [0.1], [0.0], 0.7, 3, "exact", inputs=u)
    x, v = 0.1, 0.0
    c, s = np.cos(1.4), np.sin(1.4)
    for (force,), q, rate in zip(u, run.q[1:], run.v[1:], strict=True):
        rest = force / 4
        x, v = rest + (x - rest) * c + v / 2 * s, -2 * (x - rest) * s + v * c
        np.testing.assert_allclose([q[0], rate[0]], [x, v], rtol=1e-13)
    assert run.about["method"] == "exact" and "lambda_blade" in sleigh.simulate(P, **START, steps=2, method="exact")
    with pytest.raises(ValueError, match="method: the exact flow is no method of steps"):
        sleigh.simulation(P, **START, method="exact")


def test_functions_of_a_system(sleigh):
    q, v = [0.3, 1, 2], [1.0, 2.0, 3.0]
    projected = sleigh.project(P, q, v)
    mu = np.array([0.2, np.sin(0.3), -np.cos(0.3)])
    assert abs(mu @ projected) < 1e-15
    # In the kinetic-energy metric, with masses of one.
    np.testing.assert_allclose(projected, v - mu * (mu @ v) / (mu @ mu), rtol=1e-14)
    assert sleigh.energy(P, q, v) == 7.0
    dv, multipliers = sleigh.acceleration(P, q, projected)
    np.testing.assert_allclose(dv, mu * multipliers[0], rtol=1e-14)
    many = sleigh.acceleration(P, np.tile(q, (5, 1)), projected)
    assert many.dv.shape == (5, 3) and many.multipliers.shape == (5, 1)
    np.testing.assert_array_equal(many.dv[4], dv)
    np.testing.assert_array_equal(sleigh.energy(P, [q, q], v), [7.0, 7.0])
    simulation = sleigh.simulation(P, q, projected, 0.1)
    np.testing.assert_array_equal(simulation.acceleration()[0], dv)
    residuals = simulation.momentum_residuals()
    assert list(residuals) == ["p_theta", "p_x", "p_y"]
    assert all(0 < abs(residual) < 0.1 for residual in residuals.values())
    assert simulation.steps == 0


def test_project_makes_a_start_admissible(sleigh):
    run = sleigh.simulate(P, [0, 0, 0], [1, 0.5, 0.3], 0.01, 10, project=True)
    np.testing.assert_array_equal(run.v[0], sleigh.project(P, [0, 0, 0], [1, 0.5, 0.3]))


def test_arrays_of_parameters_and_coordinates():
    chain = nhi.System(
        coordinates=["x[2]"],
        parameters=["k[2]", "m"],
        lagrangian="m/2*sum(i in 0..2, dot(x[i])^2) - sum(i in 0..2, k[i]/2*x[i]^2)",
        constraints=[],
    )
    assert chain.coordinates == ["x[0]", "x[1]"] and chain.parameters == ["k[0]", "k[1]", "m"]
    dv, _ = chain.acceleration(dict(k=[1, 4], m=2), [1, 1], [0, 0])
    np.testing.assert_array_equal(dv, [-0.5, -2.0])
    many = chain.ensemble(dict(k=[[1, 4], [4, 1]], m=2), [1, 1], [0, 0], 0.1).run(10)
    np.testing.assert_array_equal(many[-1, 0], many[-1, 1, ::-1])


def test_let_holonomic_and_groups():
    pendulum = nhi.System(
        coordinates=["x", "y"],
        parameters=["g", "l"],
        let={"r2": "x^2 + y^2"},
        lagrangian="1/2*(dot(x)^2 + dot(y)^2) - g*y",
        holonomic={"rod": "r2 - l^2"},
    )
    assert pendulum.default_method == "dla_rattle"
    simulation = pendulum.simulation(dict(g=9.81, l=1), [1, 0], [0, 0], 0.01)
    simulation.advance(500)
    assert abs(simulation.position_residual[0]) < 1e-13
    sleigh = nhi.System(
        coordinates=[],
        parameters=["J", "m", "a"],
        group="SE2(theta, x, y; omega, v, w)",
        lagrangian="J/2*omega^2 + m/2*(v^2 + w^2)",
        constraints=["a*omega - w"],
    )
    assert sleigh.default_method == "rdp" and sleigh.coordinates == ["theta", "x", "y"]
    assert sleigh.velocities == ["omega", "v", "w"]
    run = sleigh.simulate(P, [0, 0, 0], [1, 0.5, 0.2], 0.01, 1000, every=100)
    assert np.ptp(run.energy) < 1e-5 and run.columns[5] == "omega"


def test_files(sleigh, tmp_path):
    run = sleigh.simulate(P, **START, steps=100, every=10)
    with np.load(run.save(tmp_path / "run.npz")) as arrays:
        assert set(arrays) == {*run.columns, "about"}
        np.testing.assert_array_equal(arrays["theta"], run["theta"])
    lines = run.save(tmp_path / "run.csv", comments=True).read_text().splitlines()
    comments = [line for line in lines if line.startswith("# ")]
    assert '# method: "dla2"' in comments and lines[len(comments)].split(",") == run.columns
    numbers = np.loadtxt(lines[len(comments) + 1 :], delimiter=",")
    assert run.save(tmp_path / "plain.csv").read_text().splitlines() == lines[len(comments) :]
    np.testing.assert_array_equal(numbers, np.column_stack(list(run.values())))
    written = json.loads(run.save(tmp_path / "run.json").read_text())
    assert written["method"] == "dla2" and written["params"] == P
    np.testing.assert_array_equal([sample["q"] for sample in written["samples"]], run.q)
    page = run.view(tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Sleigh" in page
    with pytest.raises(ValueError, match="path: expected a name that ends in .csv, .json or .npz"):
        run.save(tmp_path / "run.txt")


TRAIN = dict(
    coordinates=["x", "y", "th[2]"],
    parameters=["m", "j", "l"],
    let={"back_x": "x - l*cos(th[1])", "back_y": "y - l*sin(th[1])"},
    lagrangian="m/2*(dot(x)^2 + dot(y)^2 + dot(back_x)^2 + dot(back_y)^2) + j/2*(dot(th[0])^2 + dot(th[1])^2)",
    constraints={
        "front": "sin(th[0])*dx - cos(th[0])*dy",
        "back": "sin(th[1])*d(back_x) - cos(th[1])*d(back_y)",
    },
)
BODIES = {"front": ("x", "y", "th[0]"), "back": ("back_x", "back_y", "th[1]")}


def moved(train, **more):
    start = dict(q0=[0, 0, 0, 0.5], v0=[1, 0, 0.4, 0], h=0.01, steps=100, every=10, project=True)
    return train.simulate(dict(m=1, j=0.2, l=0.7), **start, **more)


def test_bodies(tmp_path):
    declared = nhi.System(**TRAIN, bodies=BODIES)
    shown = moved(nhi.System(**TRAIN), bodies=BODIES)
    pages = [run.view(tmp_path / "run.html").read_text(encoding="utf-8") for run in (moved(declared), shown)]
    assert pages[0] == pages[1] and '"name":"back"' in pages[0]
    # Pictures of runs that were stored have them, too.
    again = pickle.loads(pickle.dumps(shown))
    assert again.view(tmp_path / "again.html").read_text(encoding="utf-8") == pages[0]
    assert ">back</text>" in again._repr_html_()
    assert not any(name.startswith("back") for name in shown.columns)
    # A size and a ball, and a body that replaces one of the declaration.
    more = moved(declared, bodies={"front": {"pose": ("x", "y**2", 0), "size": 0.5}, "lamp": {"ball": ("x", "y", "l")}})
    facts = [(name, shape, size) for (name, shape, size, _), _ in more._recording.bodies()]
    assert facts == [("front", "pose", 0.5), ("back", "pose", None), ("lamp", "ball", None)]
    np.testing.assert_allclose(more._recording.bodies()[0][1][1], more["y"] ** 2)
    case = json.loads(more.save(tmp_path / "run.json").read_text())
    assert case["bodies"]["front"] == {"pose": ["x", "y^ 2", "0"], "size": 0.5}


def test_mistakes_in_bodies():
    train = nhi.System(**TRAIN)
    for bodies, message in [
        ({"a": ("x", "y")}, r'bodies\["a"\]: expected three expressions, x, y, theta'),
        ({"a": "x"}, r'bodies\["a"\]: expected three expressions'),
        ({"a": {"bal": ("x", "y", "0")}}, r"""bodies\["a"\]: unknown shape 'bal', expected 'pose' or 'ball'"""),
        ({"a": {"size": 1}}, r'bodies\["a"\]: expected one shape'),
        ({"a": ("x", "y", None)}, r'bodies\["a"\]: expected a text, found None'),
        ([("x", "y", "0")], "bodies: expected a mapping"),
    ]:
        with pytest.raises(ValueError, match=message):
            moved(train, bodies=bodies)
    with pytest.raises(nhi.DeclarationError) as unknown:
        moved(train, bodies={"a": ("x", "bak_y", "0")})
    assert unknown.value.token == "bak_y" and unknown.value.help == "did you mean `back_y`?"
    with pytest.raises(nhi.DeclarationError) as unknown:
        nhi.System(**TRAIN, bodies={"a": ("x", "bak_y", "0")})
    assert unknown.value.token == "bak_y" and unknown.value.source == 'bodies["a"]'


def test_bodies_in_plots():
    pytest.importorskip("matplotlib")
    figure = moved(nhi.System(**TRAIN, bodies=BODIES)).plot()
    plane = figure.axes[-1]
    assert [line.get_label() for line in plane.lines] == ["front", "back"] and plane.get_aspect() == 1
    assert len(plane.patches) == 8


def test_a_case_names_its_declaration(sleigh, tmp_path):
    (tmp_path / "systems").mkdir()
    file = tmp_path / "systems" / "sleigh.rs"
    file.write_text(sleigh.source)
    run = nhi.System.from_file(file).simulate(P, [0, 0, 0], [1, 0.5, 0.3], 0.01, 10, project=True)
    written = json.loads(run.save(tmp_path / "run.json").read_text())
    assert written["declaration"] == "systems/sleigh.rs" and written["struct"] == "Sleigh"
    assert written["q0"] == [0, 0, 0] and written["v0"] == run.v[0].tolist() != [1, 0.5, 0.3]


def test_pandas_and_matplotlib(sleigh):
    run = sleigh.simulate(P, **START, steps=100, every=10)
    frame = run.to_pandas()
    assert list(frame.columns) == [name for name in run.columns if name != "t"] and frame.index.name == "t"
    np.testing.assert_array_equal(frame["y"], run["y"])
    figure = run.plot()
    assert [len(axis.lines) for axis in figure.axes] == [3, 3, 1, 1]
    *_, plane = run.plot(phase=("theta", "energy")).axes
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("theta", "energy")
    np.testing.assert_array_equal(plane.lines[0].get_ydata(), run.energy)
    with pytest.raises(ValueError, match="phase: no column `phi`; there are k, t, theta"):
        run.plot(phase=("phi", "theta"))
    assert run._repr_html_().startswith("<svg")
    assert repr(run) == "<nhi.Run of Sleigh by dla2: 11 samples, h = 0.01>"


def test_auxiliary_states():
    """A cart with a motor: its current obeys L di/dt = u − R i − k dx/dt, and k i drives the cart."""
    cart = nhi.System(
        coordinates=["x"],
        parameters=["m", "k", "R", "L"],
        inputs=["u"],
        states=["i"],
        lagrangian="m/2*dot(x)^2",
        constraints=[],
        force="k*i*dx",
        dynamics={"i": "(u - R*i - k*dot(x))/L"},
    )
    assert cart.states == ["i"]
    p, start = dict(m=1.0, k=0.5, R=2.0, L=0.1), dict(q0=[0], v0=[0], h=0.001, z0=[0.2])
    run = cart.simulate(p, **start, steps=5000, every=100, inputs=[3.0])
    assert run.z.shape == (51, 1) and run.z[0] == 0.2
    np.testing.assert_array_equal(run["i"], run.z[:, 0])
    # The linear equations of v and i, solved exactly.
    matrix = np.array([[0, 0.5], [-0.5 / 0.1, -2.0 / 0.1]])
    rest = np.linalg.solve(matrix, [0, -3.0 / 0.1])
    values, vectors = np.linalg.eig(matrix)
    exact = [rest + (vectors * np.exp(values * t)) @ np.linalg.solve(vectors, [0, 0.2] - rest) for t in run.t]
    np.testing.assert_allclose(np.column_stack([run.v, run.z]), exact, atol=2e-5)
    simulation = cart.simulation(p, **start, inputs=[3.0])
    simulation.advance(2000)
    again = pickle.loads(pickle.dumps(simulation))
    for one in (simulation, again):
        one.advance(3000)
    np.testing.assert_array_equal(simulation.z, run.z[-1])
    np.testing.assert_array_equal(again.z, run.z[-1])
    many = cart.ensemble(p, [0], [0], 0.001, inputs=[3.0], z0=[[0.2], [0.0]])
    many.run(5000)
    np.testing.assert_array_equal(many.z[0], run.z[-1])
    assert many.z[1] != many.z[0]
    np.testing.assert_array_equal(cart.acceleration(p, [0], [0], z=[0.2]).dv, [0.1])
    with pytest.raises(ValueError, match=r"z0: expected 1 number \(i\), found shape \(2,\)"):
        cart.simulation(p, [0], [0], 0.001, z0=[1, 2])


def test_models_of_the_literature():
    assert nhi.models.sleigh_com.coordinates == ["theta", "x", "y"]
    assert nhi.models.on_groups.snakeboard.default_method == "rdp"
    assert nhi.models.snakeboard.default_method == "dla2"
    for name in dir(nhi.models):
        getattr(nhi.models, name)
    with pytest.raises(AttributeError, match="there is no model `sleigh`, only "):
        nhi.models.sleigh  # noqa: B018


def test_a_tolerance(sleigh, tmp_path):
    start = {"q0": START["q0"], "v0": START["v0"]}
    run = sleigh.simulate(P, **start, tolerance=1e-7, until=2, every=0.3)
    np.testing.assert_array_equal(run.t, [*(0.3 * np.arange(7)), 2])
    assert run.about["tolerance"] == 1e-7 and run.about["steps"] > 50 and "h" not in run.about
    assert "tolerance = 1e-07" in repr(run)
    exact = sleigh.simulate(P, **start, h=0.1, steps=20, method="exact")
    assert 1e-9 < np.abs(run.q[-1] - exact.q[-1]).max() < 1e-3
    finer = sleigh.simulate(P, **start, tolerance=1e-12, until=2, every=1, method="dla2_kahanli8")
    np.testing.assert_allclose(finer.q[-1], exact.q[-1], rtol=0, atol=1e-10)
    assert pickle.loads(pickle.dumps(run)).about == run.about
    saved = json.loads(run.save(tmp_path / "run.json").read_text())
    assert (saved["tolerance"], saved["until"], saved["every_time"]) == (1e-7, 2, 0.3)
    assert len(sleigh.simulate(P, **start, tolerance=1e-6, until=-1).t) == 1001
    ended = sleigh.simulate(P, **start, tolerance=1e-9, until="x >= 0.3", every=0.1, record={"half": "x >= 0.15"})
    assert abs(ended["x"][-1] - 0.3) < 1e-14 and ended.events["until"] == [ended.t[-1]]
    assert len(ended.events["half"]) == 1


def test_what_goes_without_a_tolerance(sleigh):
    start = {"q0": START["q0"], "v0": START["v0"]}
    for error, arguments, message in [
        (TypeError, {}, "h: missing; only a run with a `tolerance`"),
        (ValueError, {"h": 0.1, "until": 3.0}, "until: a time goes with `tolerance`"),
        (ValueError, {"h": 0.1, "tolerance": 1e-6, "until": 1}, "h: goes without `tolerance`"),
        (ValueError, {"steps": 3, "tolerance": 1e-6, "until": 1}, "steps: goes without `tolerance`"),
        (TypeError, {"tolerance": 1e-6}, "until: missing"),
        (TypeError, {"tolerance": 1e-6, "until": "x > 1"}, "every: missing"),
        (ValueError, {"tolerance": 1e-6, "until": 0}, "until: the time must be finite and not zero"),
        (ValueError, {"tolerance": 1e-6, "until": 1, "every": 0}, "every: the time must be finite and positive"),
        (ValueError, {"tolerance": 0, "until": 1}, "tolerance: the tolerance must be a finite number"),
        (ValueError, {"tolerance": 1e-6, "until": 1, "inputs": lambda t: []}, "inputs: with `tolerance` they are held"),
        (ValueError, {"tolerance": 1e-6, "until": 1, "method": "exact"}, "tolerance: goes with a method"),
        (ValueError, {"tolerance": 1e-6, "until": 1, "method": "rattle"}, "tolerance: .* belongs to one step size"),
    ]:
        with pytest.raises(error, match=message):
            sleigh.simulate(P, **start, **arguments)
