"""The same sleigh, snakeboard and bicycle with SymPy and SciPy, with PyDy, with CasADi and with nhi: a table in Markdown.

python compare.py [SYSTEM]...

Needs `pip install scipy sympy pydy cython setuptools casadi` and a C compiler, besides nhi. All read one declaration. Times are
processor time, which other programs on the machine disturb little, with that of compilers. Constraints are the largest
residuals, in units of the declaration, energies the largest relative change, and the end the largest error of a coordinate,
by nhi's exact flow.
"""

import re
import resource
import sys
import types
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import casadi as ca
import nhi
import numpy as np
import sympy as sp
from pydy.codegen.ode_function_generators import generate_ode_function
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

sys.path.insert(0, str(Path(__file__).parent / "cluster"))
import bicycles  # noqa: E402

#: Of SciPy's and CasADi's integrators.
RELATIVE, ABSOLUTE = 1e-9, 1e-10

SLEIGH = dict(
    name="Sleigh",
    coordinates=["theta", "x", "y"],
    parameters=["J", "m", "a"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dot(theta) + sin(theta)*dot(x) - cos(theta)*dot(y)"},
)
SNAKEBOARD = dict(
    name="Snakeboard",
    coordinates=["psi", "phi", "theta", "x", "y"],
    parameters=["m", "l", "I", "J"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2 + I*dot(psi)*(dot(psi)/2 + dot(theta)) + J*dot(phi)^2",
    constraints={
        "back": "-sin(theta + phi)*dot(x) + cos(theta + phi)*dot(y) - l*cos(phi)*dot(theta)",
        "front": "-sin(theta - phi)*dot(x) + cos(theta - phi)*dot(y) + l*cos(phi)*dot(theta)",
    },
)


@dataclass
class Problem:
    """A declaration, parameters, a start and how long it moves; `h` is the step size of nhi's default method."""

    declared: dict
    p: dict
    q0: list
    v0: list
    duration: float
    h: float
    system: nhi.System = field(init=False)

    def __post_init__(self):
        self.system = nhi.System(**self.declared)
        self.v0 = self.system.project(self.p, self.q0, self.v0)
        self.n = len(self.q0)
        self.times = np.linspace(0, self.duration, 51)

    def formulas(self, math, q, v, p):
        """The Lagrangian and the constraints as `math` makes them of positions, velocities and parameters."""
        names = {name: getattr(math, name) for name in ("sin", "cos", "sqrt")}
        names |= dict(zip(self.declared["parameters"], p, strict=True))
        names |= dict(zip(self.declared["coordinates"], q, strict=True))
        names |= {f"dot_{name}": rate for name, rate in zip(self.declared["coordinates"], v, strict=True)}

        def value(text):
            return eval(re.sub(r"dot\((\w+)\)", r"dot_\1", text).replace("^", "**"), names)

        for name, text in self.declared.get("let", {}).items():
            names[name] = value(text)
        return value(self.declared["lagrangian"]), [value(text) for text in self.declared["constraints"].values()]

    @property
    def numbers(self):
        return [float(self.p[name]) for name in self.declared["parameters"]]


PROBLEMS = {
    "sleigh": lambda: Problem(SLEIGH, dict(J=0.5, m=1, a=0.2), [0.3, 0, 0], [1.2, 0.6, 0.4], 10, 0.01),
    "snakeboard": lambda: Problem(
        SNAKEBOARD, dict(m=1, l=1, I=0.4, J=2), [1.5, 1, 0, 0, 0], [2.5, -0.02, -0.8, 0.5, 0], 10, 0.01
    ),
    "bicycle": lambda: Problem(bicycles.BICYCLE, bicycles.P, bicycles.Q0, [6.0, 0, 0, 0, 0.1, 0, 0, 20, 20], 2, 0.005),
}


class Timed:
    """Seconds on all processors in a `with` block."""

    @staticmethod
    def now():
        used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    def __enter__(self):
        self.start = self.now()
        return self

    def __exit__(self, *_):
        self.seconds = self.now() - self.start


def equations(problem):
    """The index-reduced equations of SymPy's `LagrangesMethod`, with symbols for the state."""
    n, names = problem.n, problem.declared["coordinates"]
    q = dynamicsymbols(" ".join(names))
    t = dynamicsymbols._t
    p = sp.symbols(" ".join(problem.declared["parameters"]))
    lagrangian, constraints = problem.formulas(sp, q, [one.diff(t) for one in q], p)
    method = LagrangesMethod(lagrangian, list(q), nonhol_coneqs=constraints)
    method.form_lagranges_equations()
    states = [*q, *(one.diff(t) for one in q)]
    # Accelerations and multipliers: mass matrix and constraints, as SymPy has them after the kinematics.
    return states, p, method.mass_matrix_full[n:, n:], method.forcing_full[n:, :]


def integrated(problem, rhs):
    """States at the times, by SciPy."""
    start = np.concatenate([problem.q0, problem.v0])
    span = (0, problem.duration)
    solved = solve_ivp(rhs, span, start, "RK45", problem.times, rtol=RELATIVE, atol=ABSOLUTE)
    assert solved.success, solved.message
    return solved.y.T


def with_sympy(problem):
    with Timed() as derivation:
        states, p, matrix, forcing = equations(problem)
        evaluate = sp.lambdify([states, p], [matrix, forcing], cse=True)
    n, numbers = problem.n, problem.numbers

    def rhs(_, state):
        matrix, forcing = evaluate(state, numbers)
        return np.concatenate([state[n:], np.linalg.solve(matrix, forcing).ravel()[:n]])

    with Timed() as motion:
        states = integrated(problem, rhs)
    return derivation, motion, states


def with_pydy(problem):
    n, m = problem.n, len(problem.declared["constraints"])
    with Timed() as derivation:
        states, p, matrix, forcing = equations(problem)
        # Multipliers are the rates of impulses, which nothing depends on: PyDy has no others.
        speeds = dynamicsymbols(f"u:{n + m}")
        rates = dict(zip(states[n:], speeds[:n], strict=True))
        evaluate = generate_ode_function(
            forcing.xreplace(rates),
            states[:n],
            list(speeds),
            list(p),
            mass_matrix=matrix.xreplace(rates),
            coordinate_derivatives=sp.Matrix(speeds[:n]),
            generator="cython",
            linear_sys_solver="numpy",
            constants_arg_type="array",
        )
    numbers, impulses = np.array(problem.numbers), np.zeros(m)

    def rhs(t, state):
        # A copy, since the function writes into one array in every call.
        return evaluate(np.concatenate([state, impulses]), t, numbers)[: 2 * n].copy()

    with Timed() as motion:
        states = integrated(problem, rhs)
    return derivation, motion, states


def with_casadi(problem):
    n, m = problem.n, len(problem.declared["constraints"])
    with Timed() as derivation:
        q, v, a, forces = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("a", n), ca.SX.sym("lambda", m)
        math = types.SimpleNamespace(sin=ca.sin, cos=ca.cos, sqrt=ca.sqrt)
        lagrangian, constraints = problem.formulas(math, ca.vertsplit(q), ca.vertsplit(v), problem.numbers)
        momentum, constraint = ca.gradient(lagrangian, v), ca.vertcat(*constraints)
        along = ca.jacobian(constraint, v)
        motion = ca.jtimes(momentum, v, a) + ca.jtimes(momentum, q, v) - ca.gradient(lagrangian, q) - along.T @ forces
        kept = ca.jtimes(constraint, v, a) + ca.jtimes(constraint, q, v)
        state, algebraic = ca.vertcat(q, v), ca.vertcat(a, forces)
        dae = dict(x=state, z=algebraic, ode=ca.vertcat(v, a), alg=ca.vertcat(motion, kept))
        options = dict(reltol=RELATIVE, abstol=ABSOLUTE, max_num_steps=10**6)
        integrate = ca.integrator("integrate", "idas", dae, 0, list(problem.times), options)
    # Consistent accelerations and multipliers at the start.
    dv, multipliers = problem.system.acceleration(problem.p, problem.q0, problem.v0)
    with Timed() as motion:
        solved = integrate(x0=np.concatenate([problem.q0, problem.v0]), z0=np.concatenate([dv, multipliers]))
    return derivation, motion, np.array(solved["xf"]).T


def with_nhi(problem, method, factor):
    with Timed() as derivation:
        # Another name, so that nothing is known of it yet.
        system = nhi.System(**{**problem.declared, "name": f"Fresh_{method}"}, methods=[method])
    steps = round(problem.duration / (factor * problem.h))
    with Timed() as motion:
        run = system.simulate(
            problem.p,
            problem.q0,
            problem.v0,
            problem.duration / steps,
            steps,
            method,
            steps // (len(problem.times) - 1),
        )
    return derivation, motion, np.column_stack([run.q, run.v])


TOOLS = {
    "SymPy, lambdify, SciPy's RK45": with_sympy,
    "SymPy, PyDy's Cython, SciPy's RK45": with_pydy,
    "CasADi, idas": with_casadi,
    "nhi, `dla2`": lambda problem: with_nhi(problem, "dla2", 1),
    "nhi, `dla2_suzuki4`": lambda problem: with_nhi(problem, "dla2_suzuki4", 1),
    "nhi, `rk4`": lambda problem: with_nhi(problem, "rk4", 1),
}


def main(*names):
    warnings.filterwarnings("ignore", category=SyntaxWarning)
    print("| system | tool | derivation and compilation | per second of motion | constraints | energy | end |")
    print("|---|---|---|---|---|---|---|")
    for name in names or PROBLEMS:
        problem = PROBLEMS[name]()
        exact = problem.system.simulate(problem.p, problem.q0, problem.v0, problem.duration, 1, "exact")
        for tool, run in TOOLS.items():
            derivation, motion, states = run(problem)
            q, v = np.split(states, 2, axis=1)
            _, residuals = problem.formulas(np, q.T, v.T, problem.numbers)
            energy = problem.system.energy(problem.p, q, v)
            print(
                f"| {name} | {tool} | {derivation.seconds:.2g} s | {1e3 * motion.seconds / problem.duration:.2g} ms "
                f"| {np.abs(residuals).max():.0e} | {np.abs(energy / energy[0] - 1).max():.0e} "
                f"| {np.abs(q[-1] - exact.q[-1]).max():.0e} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
