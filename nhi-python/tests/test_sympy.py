"""Systems from SymPy: accelerations are those of `LagrangesMethod`, for examples of its documentation and of PyDy's.

The nonholonomic examples there are the rolling disc, the rattleback, the snakeboard, the disc on an uneven street and the
bicycle. All but one are below, in coordinates where the documentation has Kane's speeds; the bicycle, which the
documentation has by Kane's method alone, is in `examples/python/compare.py`.
"""

from __future__ import annotations

import nhi
import numpy as np
import pytest
import sympy as sp
from sympy.physics import mechanics as me

t = me.dynamicsymbols._t


def compare(L, qs, values, rng, nonhol=(), hol=(), forcelist=(), frame=None, given=None, place=None):
    """dv/dt of the system and of SymPy agree to 1e-12 at random states, for symbols with these values.

    `given` are values of functions of time; `place` makes a random configuration one that position constraints admit.
    """
    given = given or {}
    system = nhi.System.from_sympy(L, qs, nonhol_coneqs=nonhol, hol_coneqs=hol, forcelist=forcelist, frame=frame)
    assert system.coordinates == [q.func.__name__ for q in qs]
    assert set(system.inputs) == {u.func.__name__ for u in given}
    lagranges = me.LagrangesMethod(
        L, qs, forcelist=forcelist, frame=frame, nonhol_coneqs=list(nonhol), hol_coneqs=list(hol)
    )
    lagranges.form_lagranges_equations()
    rates = [q.diff(t) for q in qs]
    symbols, functions = list(values), list(given)
    # Without the expressions' simplification: numbers are compared.
    equations = [lagranges.mass_matrix_full, lagranges.forcing_full]
    evaluate = sp.lambdify([qs, rates, symbols, functions], equations, cse=True)
    n = len(qs)
    p = {symbol.name: value for symbol, value in values.items()}
    u = [given[function] for function in sorted(functions, key=str)]
    for _ in range(5):
        q, v = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
        if place is not None:
            q = place(q)
        v = system.project(p, q, v, inputs=u)
        matrix, forcing = evaluate(q, v, list(values.values()), list(given.values()))
        expected = np.linalg.solve(matrix, forcing).ravel()[n : 2 * n]
        dv, multipliers = system.acceleration(p, q, v, inputs=u)
        np.testing.assert_allclose(dv, expected, rtol=1e-12, atol=1e-12)
        assert len(multipliers) == len(list(nonhol)) + len(list(hol))
    return system


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_knife_edge_on_an_inclined_plane(rng):
    x, y, phi = qs = me.dynamicsymbols("x y phi")
    m, J, g, alpha = sp.symbols("m J g alpha")
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 + J * phi.diff() ** 2 / 2 + m * g * sp.sin(alpha) * x
    blade = x.diff() * sp.sin(phi) - y.diff() * sp.cos(phi)
    system = compare(L, qs, {m: 1.5, J: 0.3, g: 9.81, alpha: 0.4}, rng, [blade])
    assert system.parameters == ["J", "alpha", "g", "m"]


def test_chaplygin_sleigh_with_friction_and_thrust(rng):
    theta, x, y, u = me.dynamicsymbols("theta x y u")
    m, J, a, c = sp.symbols("m J a c", positive=True)
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_axis(N, theta, N.z)
    O, G = me.Point("O"), me.Point("G")
    O.set_vel(N, 0)
    G.set_vel(N, x.diff() * N.x + y.diff() * N.y)
    L = m * G.vel(N).dot(G.vel(N)) / 2 + J * theta.diff() ** 2 / 2
    blade = G.vel(N).dot(B.y) - a * theta.diff()
    loads = [(G, u * B.x - c * G.vel(N)), (B, -c * theta.diff() * N.z)]
    values = {m: 2.0, J: 0.5, a: 0.2, c: 0.1}
    system = compare(L, [theta, x, y], values, rng, [blade], forcelist=loads, frame=N, given={u: 1.3})
    assert system.inputs == ["u"]


def test_rolling_disc(rng):
    """SymPy's documentation, "A rolling disc, with Lagrange's method", as a disc whose contact point rolls."""
    q1, q2, q3, q4, q5 = qs = me.dynamicsymbols("q1:6")
    r, m, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L_ = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L_.orientnew("R", "Axis", [q3, L_.y])
    C, Dmc = me.Point("C"), me.Point("Dmc")
    C.set_vel(N, q4.diff() * N.x + q5.diff() * N.y)
    Dmc.set_pos(C, r * L_.z)
    # Of the disc's centre: the contact point of the ground moves, the disc turns above it.
    velocity = C.vel(N) + (r * L_.z).diff(t, N)
    Dmc.set_vel(N, velocity)
    I = me.inertia(L_, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    body = me.RigidBody("body", Dmc, R, m, (I, Dmc))
    body.potential_energy = m * g * r * sp.cos(q2)
    lagrangian = me.Lagrangian(N, body)
    material = velocity + R.ang_vel_in(N).cross(-r * L_.z)
    rolling = [sp.simplify(material.dot(Y.x)), sp.simplify(material.dot(Y.y))]
    compare(lagrangian, list(qs), {r: 0.5, m: 2.0, g: 9.81}, rng, rolling)


def test_rolling_disc_in_three_coordinates(rng):
    """SymPy's documentation, "A rolling disc using Lagrange's method": the contact point is taken to be at rest."""
    q1, q2, q3 = qs = me.dynamicsymbols("q1:4")
    r, m, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    C = me.Point("C")
    C.set_vel(N, 0)
    Dmc = C.locatenew("Dmc", r * L.z)
    Dmc.v2pt_theory(C, N, R)
    body = me.RigidBody("body", Dmc, R, m, (me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2), Dmc))
    body.potential_energy = -m * g * r * sp.cos(q2)
    compare(me.Lagrangian(N, body), list(qs), {r: 0.5, m: 2.0, g: 9.81}, rng)


def test_rattleback(rng):
    """PyDy's documentation: an ellipsoid of Kane and Levinson (1982) that rolls on a plane, with friction."""
    q1, q2, q3, x, y = qs = me.dynamicsymbols("q1 q2 q3 x y")
    m, g, a, b, c, h, A, B, C, D, sigma = symbols = sp.symbols("m g a b c h A B C D sigma")
    N, R = me.ReferenceFrame("N"), me.ReferenceFrame("R")
    R.orient_body_fixed(N, (q1, q2, q3), "XYZ")
    # The normal in the body, and the lowest point from the centre of the ellipsoid, whose height follows from it.
    normal = [N.z.dot(axis) for axis in R]
    height = sp.sqrt(sum((length * part) ** 2 for length, part in zip((a, b, c), normal, strict=True)))
    lowest = sum(
        (-(length**2) * part / height * axis for length, part, axis in zip((a, b, c), normal, R, strict=True)), 0
    )
    O = me.Point("O")
    O.set_vel(N, 0)
    centre = O.locatenew("centre", x * N.x + y * N.y + height * N.z)
    centre.set_vel(N, centre.pos_from(O).diff(t, N))
    mass = centre.locatenew("mass", -h * R.z)
    mass.v2pt_theory(centre, N, R)
    body = me.RigidBody("body", mass, R, m, (me.inertia(R, A, B, C, D, 0, 0), mass))
    body.potential_energy = m * g * mass.pos_from(O).dot(N.z)
    slip = centre.vel(N) + R.ang_vel_in(N).cross(lowest)
    values = dict(zip(symbols, (1.0, 9.81, 0.2, 0.03, 0.02, 0.01, 2e-4, 1.6e-3, 1.7e-3, -2e-5, 1e-4), strict=True))
    friction = [(R, -sigma * R.ang_vel_in(N))]
    rolling = [slip.dot(N.x), slip.dot(N.y)]
    compare(me.Lagrangian(N, body), list(qs), values, rng, rolling, forcelist=friction, frame=N)


def test_snakeboard(rng):
    """PyDy's documentation: a board with two axles that turn, and four wheels that roll with friction in their bearings."""
    x, z, turn, front, rear, *wheels = qs = me.dynamicsymbols("x z turn front rear w0:4")
    m, mA, mB, r, l1, l2, I, J, IA, IB, c = symbols = sp.symbols("m m_A m_B r l1 l2 I J I_A I_B c")
    N = me.ReferenceFrame("N")
    board = N.orientnew("board", "Axis", [turn, N.y])
    O = me.Point("O")
    O.set_vel(N, 0)
    middle = O.locatenew("middle", x * N.x + z * N.z)
    middle.set_vel(N, x.diff() * N.x + z.diff() * N.z)
    bodies = [me.RigidBody("board", middle, board, mB, (me.inertia(board, 0, IB, 0), middle))]
    constraints, loads = [], []
    for side, angle, spins in ((-1, front, wheels[:2]), (1, rear, wheels[2:])):
        axle = board.orientnew(f"axle{side}", "Axis", [angle, board.y])
        centre = middle.locatenew(f"centre{side}", side * l2 / 2 * board.z)
        centre.v2pt_theory(middle, N, board)
        bodies.append(me.RigidBody(f"axle{side}", centre, axle, mA, (me.inertia(axle, 0, IA, 0), centre)))
        constraints.append(centre.vel(N).dot(axle.x))
        for place, spin in zip((-1, 1), spins, strict=True):
            wheel = axle.orientnew(f"wheel{side}{place}", "Axis", [spin, axle.x])
            hub = centre.locatenew(f"hub{side}{place}", place * l1 / 2 * axle.x)
            hub.v2pt_theory(centre, N, axle)
            bodies.append(me.RigidBody(f"wheel{side}{place}", hub, wheel, m, (me.inertia(wheel, J, I, I), hub)))
            constraints.append(hub.vel(N).dot(axle.z) - r * spin.diff())
            loads.append((wheel, -c * spin.diff() * axle.x))
    values = dict(zip(symbols, (0.1, 0.5, 3.0, 0.03, 0.2, 0.8, 5e-5, 9e-5, 2e-3, 0.2, 1e-3), strict=True))
    system = compare(me.Lagrangian(N, *bodies), list(qs), values, rng, constraints, forcelist=loads, frame=N)
    assert len(system.constraints) == 6


def test_disc_on_an_uneven_street(rng):
    """PyDy's documentation: a disc whose contact point follows a curve, to which a constraint on velocities holds it."""
    q, x = qs = me.dynamicsymbols("q x")
    m, g, r, I, amplitude, frequency = symbols = sp.symbols("m g r I a f")
    street = (frequency * x / 1.5) ** 2 + sum(amplitude / j * sp.sin(j * frequency * x) for j in (1, 2))
    slope = street.diff(x)
    N, disc = me.ReferenceFrame("N"), me.ReferenceFrame("disc")
    disc.orient_axis(N, q, N.z)
    O = me.Point("O")
    O.set_vel(N, 0)
    up = (N.y - slope * N.x) / sp.sqrt(1 + slope**2)
    centre = O.locatenew("centre", x * N.x + street * N.y + r * up)
    centre.set_vel(N, centre.pos_from(O).diff(t, N))
    body = me.RigidBody("disc", centre, disc, m, (me.inertia(disc, 0, 0, I), centre))
    body.potential_energy = m * g * centre.pos_from(O).dot(N.y)
    # The material point of the disc that touches the street is at rest.
    slip = centre.vel(N) + disc.ang_vel_in(N).cross(-r * up)
    rolling = slip.dot(N.x + slope * N.y)
    values = dict(zip(symbols, (1.0, 9.8, 0.4, 0.08, 1.0, 0.25), strict=True))
    compare(me.Lagrangian(N, body), list(qs), values, rng, [rolling])


def test_disc_on_an_inclined_plane(rng):
    """SymPy's tests of `LagrangesMethod`: rolling as a position constraint."""
    y, theta = qs = me.dynamicsymbols("y theta")
    m, g, R, l, alpha = sp.symbols("m g R l alpha")
    L = m * y.diff() ** 2 / 2 + m * R**2 / 4 * theta.diff() ** 2 - m * g * (l - y) * sp.sin(alpha)
    values = {m: 1.5, g: 9.81, R: 0.3, l: 2.0, alpha: 0.5}
    compare(L, list(qs), values, rng, hol=[y - R * theta], place=lambda q: np.array([0.3 * q[1], q[1]]))


def test_rolling_wheels_of_a_differential_drive(rng):
    """A robot with two driven wheels and their torques, PyDy's issue 127."""
    x, y, theta, left, right, T1, T2 = me.dynamicsymbols("x y theta left right T1 T2")
    m, J, Jw, r, b = sp.symbols("m J J_w r b")
    L = (
        m * (x.diff() ** 2 + y.diff() ** 2) / 2
        + J * theta.diff() ** 2 / 2
        + Jw * (left.diff() ** 2 + right.diff() ** 2) / 2
    )
    along = x.diff() * sp.cos(theta) + y.diff() * sp.sin(theta)
    rolling = [
        y.diff() * sp.cos(theta) - x.diff() * sp.sin(theta),
        along + b * theta.diff() - r * right.diff(),
        along - b * theta.diff() - r * left.diff(),
    ]
    system = nhi.System(
        coordinates=[x, y, theta, left, right],
        parameters=[m, J, Jw, r, b],
        inputs=[T1, T2],
        lagrangian=L,
        constraints=dict(zip(("side", "right", "left"), rolling, strict=True)),
        force={left: T1, right: T2},
    )
    assert system.parameters == ["m", "J", "J_w", "r", "b"] and system.constraints == ["side", "right", "left"]
    p = dict(m=4, J=0.1, J_w=0.01, r=0.05, b=0.2)
    dv, _ = system.acceleration(p, [0] * 5, [0] * 5, inputs=[1, 1])
    # Both wheels drive the mass: (m + 2 J_w/r²) a = 2 T/r.
    np.testing.assert_allclose(dv[0], (2 / 0.05) / (4 + 2 * 0.01 / 0.05**2), rtol=1e-14)


def test_pendulum_with_a_position_constraint(rng):
    x, y = qs = me.dynamicsymbols("x y")
    m, g, l = sp.symbols("m g l")
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y

    def place(q):
        return q / np.linalg.norm(q) * 1.2

    compare(L, list(qs), {m: 0.7, g: 9.81, l: 1.2}, rng, hol=[x**2 + y**2 - l**2], place=place)


def test_a_double_pendulum_without_constraints(rng):
    q1, q2 = qs = me.dynamicsymbols("q1 q2")
    m, l, g, k = sp.symbols("m l g k")
    N = me.ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
    O = me.Point("O")
    O.set_vel(N, 0)
    P, R = O.locatenew("P", l * A.x), O.locatenew("R", l * A.x + l * B.x)
    P.v2pt_theory(O, N, A)
    R.v2pt_theory(P, N, B)
    particles = [me.Particle("P", P, m), me.Particle("R", R, m)]
    for particle in particles:
        particle.potential_energy = -m * g * particle.point.pos_from(O).dot(N.x)
    L = me.Lagrangian(N, *particles) - k * sp.log(sp.cosh(q1 - q2))
    compare(L, list(qs), {m: 1.1, l: 0.8, g: 9.81, k: 2.0}, rng, forcelist=[(P, g * N.y)], frame=N)


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        (lambda x: sp.floor(x), "floor(x(t))"),
        (lambda x: sp.Piecewise((x, x > 0)), "Piecewise((x(t), x(t) > 0))"),
        (lambda x: sp.gamma(x), "gamma(x(t))"),
        (lambda x: x.diff(t, 2), "Derivative(x(t), (t, 2))"),
        (lambda x: sp.I * x, "I"),
        (lambda x: sp.Symbol("x'"), "x'"),
    ],
)
def test_what_cannot_be_declared_is_shown(expression, part):
    x = me.dynamicsymbols("x")
    with pytest.raises(nhi.DeclarationError) as caught:
        nhi.System.from_sympy(x.diff() ** 2 / 2 - expression(x), [x], parameters=[])
    assert caught.value.token == part and part in str(caught.value) and caught.value.source == "lagrangian"


@pytest.mark.parametrize(
    ("force", "expected"),
    [
        (lambda x: sp.Abs(x), "abs(x)"),
        (lambda x: sp.sign(x.diff()), "sign(dot(x))"),
        (lambda x: sp.Max(x, 1, -x), "max(1, max(x, -x))"),
        (lambda x: sp.Heaviside(x, 1), "step(x)"),
        (lambda x: sp.Piecewise((x, x > 1), (2, sp.And(x > -1, x < 0)), (3, True)), None),
    ],
)
def test_piecewise_functions(force, expected):
    x = me.dynamicsymbols("x")
    kinetic = x.diff() ** 2 / 2
    system = nhi.System(coordinates=[x], parameters=[], lagrangian=kinetic, constraints=[], force={x: force(x)})
    if expected is not None:
        assert f"({expected})*dx" in system.source.replace("r#", "")
    for at in [-2.0, -0.5, 0.5, 2.0]:
        a = system.acceleration({}, [at], [0.7]).dv
        value = force(x).subs({x.diff(): 0.7}).subs({x: at})
        assert float(a[0]) == float(value)


def test_lagrangians_are_quadratic():
    x = me.dynamicsymbols("x")
    with pytest.raises(nhi.DeclarationError, match="quadratic") as caught:
        nhi.System.from_sympy(x.diff() ** 2 / 2 + x.diff() ** 4, [x])
    assert caught.value.token == "dot(x)^4"


def test_printed_expressions_have_the_same_values():
    """Every form that the printer writes, through a potential: the force on x is −dV/dx."""
    x = me.dynamicsymbols("x")
    a, b = sp.symbols("a b")
    for potential in [
        1 / sp.sqrt(x),
        x ** (-a),
        (x**a) ** b,
        -((x + b) ** 2) / 3,
        sp.Rational(3, 2) * x ** sp.Rational(3, 2),
        1.25e-3 * sp.sin(x) ** 2,
        sp.exp(-(x**2)),
        sp.log(x) / sp.sec(x),
        2**x,
        sp.E**2 * sp.pi * sp.EulerGamma * x,
        x / a / sp.sqrt(b),
        sp.cot(x) ** 2 + sp.csc(x) + sp.coth(x) + sp.asinh(x) + sp.atanh(x / 2) + sp.acosh(x + 1),
        sp.atan2(x, a) + sp.tanh(x) ** -2,
        a * (x - b) / (x + b) ** -2,
        sp.Pow(-2, 3, evaluate=False) * x**2,
    ]:
        system = nhi.System.from_sympy(x.diff() ** 2 / 2 - potential, [x], parameters=[a, b])
        force = sp.lambdify([x, a, b], -potential.diff(x))
        for at in (0.3, 0.9):
            dv, _ = system.acceleration(dict(a=1.7, b=0.6), [at], [0.0])
            np.testing.assert_allclose(dv[0], force(at, 1.7, 0.6), rtol=1e-13, err_msg=str(potential))


def test_four_bar_linkage(rng):
    """SymPy's documentation, "A four bar linkage", with a mass on the third bar, and the closed loop as position constraints."""
    q1, q2, q3 = qs = me.dynamicsymbols("q1 q2 q3")
    la, lb, lc, l0, m = sp.symbols("la lb lc l0 m")
    N = me.ReferenceFrame("N")
    A, B, C = (
        N.orientnew(name, "Axis", [angle, N.z]) for name, angle in (("A", q1), ("B", q1 + q2), ("C", q1 + q2 + q3))
    )
    P1 = me.Point("P1")
    P1.set_vel(N, 0)
    P2 = P1.locatenew("P2", la * A.x)
    P3 = P2.locatenew("P3", lb * B.x)
    middle, P4 = P3.locatenew("middle", lc / 2 * C.x), P3.locatenew("P4", lc * C.x)
    for point, before, frame in ((P2, P1, A), (P3, P2, B), (middle, P3, C)):
        point.v2pt_theory(before, N, frame)
    L = me.Lagrangian(N, me.Particle("p2", P2, m), me.Particle("p3", P3, m), me.Particle("bar", middle, m))
    loop = P4.pos_from(P1) + l0 * N.x
    closed = [loop.dot(N.x), loop.dot(N.y)]
    values = {la: 1.0, lb: 1.2, lc: 0.9, l0: 1.1, m: 0.8}
    residual = sp.lambdify([qs], sp.Matrix(closed).subs(values))
    jacobian = sp.lambdify([qs], sp.Matrix(closed).subs(values).jacobian([q2, q3]))

    def place(q):
        q = np.array([0.3 * q[0], 1.5, 1.5])
        for _ in range(50):
            q[1:] -= np.linalg.solve(jacobian(q), residual(q).ravel())
        assert abs(residual(q)).max() < 1e-15
        return q

    compare(L, list(qs), values, rng, hol=closed, forcelist=[(P2, 9.81 * m * N.x)], frame=N, place=place)
