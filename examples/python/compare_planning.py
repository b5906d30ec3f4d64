"""Plans and an identification by CasADi, with IPOPT and fatrop, and by nhi, in Python and in Rust: a table in Markdown.

python compare_planning.py

Needs `pip install casadi`, besides nhi, and Cargo for the Rust rows, in this repository. All solve the same equations, those of the
steps of `dla2`, with tolerances of 1e-9, and must find the same costs. CasADi has the state and the impulses of every step as unknowns
and exact derivatives. nhi begins with zero inputs, CasADi with motions that were found by trial: from zero inputs, or from wrong
waves, it finds other minima or none. Times are processor time, the least of 21 solutions, without setting up: of
CasADi's solver with its derivatives, or of the steps and derivatives of nhi, which are compiled once for each system.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import casadi as ca
import nhi
import numpy as np

RUNS = 21
#: Relative difference of costs that counts as the same.
SAME = 1e-6

DISK = dict(
    coordinates=["x", "y", "theta", "phi"],
    inputs=["drive", "steer"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2",
    constraints={"along": "dx - r*cos(theta)*dphi", "across": "dy - r*sin(theta)*dphi"},
    force="drive*dphi + steer*dtheta",
)
SNAKEBOARD = dict(
    coordinates=["psi", "phi", "theta", "x", "y"],
    inputs=["rotor", "steering"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2 + i*dot(psi)*(dot(psi)/2 + dot(theta)) + j*dot(phi)^2",
    constraints={
        "back": "-sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta",
        "front": "-sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta",
    },
    force="rotor*dpsi + steering*dphi",
)
CAR = dict(
    coordinates=["x", "y", "theta", "phi", "delta"],
    inputs=["drive", "steer"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*(dot(theta) + dot(phi))^2 + k/2*dot(delta)^2",
    constraints={
        "rear": "sin(theta)*dx - cos(theta)*dy",
        "front": "sin(theta + phi)*dx - cos(theta + phi)*dy - l*cos(phi)*dtheta",
        "trailer": "sin(delta)*dx - cos(delta)*dy + b*ddelta",
    },
    force="drive*(cos(theta)*dx + sin(theta)*dy) + steer*dphi",
)
SLEIGH = dict(
    coordinates=["theta", "x", "y"],
    inputs=["push", "turn"],
    lagrangian="j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
    force="push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta",
)


@dataclass
class Problem:
    """A plan of least effort between two states."""

    #: As the Rust program calls it.
    name: str
    system: dict
    p: dict
    q1: list
    duration: float
    steps: int
    #: The velocity at both ends.
    v: list
    #: Velocities that determine the others.
    free: list
    bounds: dict = field(default_factory=dict)
    #: The inputs of CasADi's guess, by an angle that makes one turn.
    waves: Callable = lambda s: (0 * s, 0 * s)
    #: Whether its states are on a straight line between both ends, or follow from the inputs.
    straight: bool = False


STILL = [0.0] * 5
CAR_P = dict(m=1.4, j=0.6, i=0.2, k=0.3, l=0.9, b=0.7)
PROBLEMS = [
    Problem(
        "disk sideways, N = 40",
        DISK,
        dict(m=1.0, i=0.5, j=0.25, r=1.0),
        [0.0, 1.0, 0.0, np.nan],
        1.0,
        40,
        STILL[:4],
        ["theta", "phi"],
        waves=lambda s: (10 * np.sin(s), 10 * np.cos(s)),
    ),
    Problem(
        "snakeboard gait, N = 60",
        SNAKEBOARD,
        dict(m=2.0, l=0.8, i=0.4, j=0.3),
        [0.0, 0.0, 0.0, 0.5, 0.0],
        3.0,
        60,
        STILL,
        ["psi", "phi", "x"],
        waves=lambda s: (2.5 * np.sin(2 * s), 2.6 * np.cos(2 * s)),
    ),
    Problem(
        "car with trailer, lane change, N = 50",
        CAR,
        CAR_P,
        [4.0, 1.0, 0.0, 0.0, 0.0],
        4.0,
        50,
        [1.0, 0.0, 0.0, 0.0, 0.0],
        ["x", "phi"],
    ),
    Problem(
        "car with trailer, parking with bounds, N = 80",
        CAR,
        CAR_P,
        [0.0, 0.5, 0.0, 0.0, 0.0],
        6.0,
        80,
        STILL,
        ["x", "phi"],
        bounds=dict(drive=(-8, 8), steer=(-8, 8), phi=(-0.6, 0.6)),
        waves=lambda s: (2 * np.cos(s), 2 * np.sin(s)),
        straight=True,
    ),
]


class Dla2:
    """The equations of a step in CasADi's symbols, from the same formulas: with q_h = q + h/2 v and q' = q_h + h/2 v',

    ½ (L_v(q_h, v') + L_v(q_h + h v', v')) − h/2 (L_q + f)(q_h, v')
        = ½ (L_v(q_h − h v, v) + L_v(q_h, v)) + h/2 (L_q + f)(q_h, v) + μ(q_h)ᵀ ℓ,    μ(q') v' = 0.
    """

    def __init__(self, system, p, h):
        names, inputs = system["coordinates"], system["inputs"]
        vector = lambda prefix, all: ca.vertcat(*(ca.SX.sym(prefix + name) for name in all))  # noqa: E731
        q, v, u, moved = vector("", names), vector("dot_", names), vector("", inputs), vector("d", names)
        self.n, self.m, self.k = len(names), len(system["constraints"]), len(inputs)
        p = {name: ca.SX.sym(name) if value is None else value for name, value in p.items()}
        unknown = ca.vertcat(*(value for value in p.values() if isinstance(value, ca.SX)))
        known = dict(p, **{name: getattr(ca, name) for name in ("sin", "cos")})
        known |= {str(symbol): symbol for symbol in [*ca.vertsplit(q), *ca.vertsplit(u)]}
        velocity = dict(zip(names, ca.vertsplit(v), strict=True))

        def formula(text, differentials):
            along = {"d" + name: d for name, d in zip(names, ca.vertsplit(differentials), strict=True)}
            known_here = {**known, **along, "dot": lambda symbol: velocity[str(symbol)]}
            return eval(text.replace("^", "**"), known_here)

        lagrangian = formula(system["lagrangian"], v)
        force = ca.gradient(formula(system["force"], moved), moved)
        forms = ca.vertcat(*(formula(text, v) for text in system["constraints"].values()))
        at = lambda e: ca.Function("f", [q, v, u, unknown], [e])  # noqa: E731
        momentum, bias = at(ca.gradient(lagrangian, v)), at(ca.gradient(lagrangian, q) + force)
        one_forms, residual = at(ca.jacobian(forms, v)), at(forms)
        after, impulse = ca.SX.sym("w", self.n), ca.SX.sym("l", self.m)
        node = q + h / 2 * v
        end = node + h / 2 * after
        left = (momentum(node, after, u, unknown) + momentum(node + h * after, after, u, unknown)) / 2
        left -= h / 2 * bias(node, after, u, unknown)
        right = (momentum(node - h * v, v, u, unknown) + momentum(node, v, u, unknown)) / 2
        right += h / 2 * bias(node, v, u, unknown) + one_forms(node, v, u, unknown).T @ impulse
        equations = ca.vertcat(left - right, residual(end, after, u, unknown))
        #: (q, v, u, v', ℓ, parameters) → (q', what vanishes).
        self.step = ca.Function("step", [q, v, u, after, impulse, unknown], [end, equations])


#: To the same residuals as nhi, without output.
OPTIONS = dict(
    ipopt={"ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-9},
    fatrop={"fatrop.print_level": 0, "fatrop.tol": 1e-9, "structure_detection": "auto"},
)


class Program:
    """A nonlinear program, stage by stage."""

    def __init__(self):
        self.begun = time.process_time()
        self.x, self.guess, self.low, self.high, self.g = [], [], [], [], []

    def unknown(self, guess, bounds=None):
        symbol = ca.MX.sym("x", len(guess))
        self.x.append(symbol)
        self.guess.extend(guess)
        low, high = np.array(bounds or [(-np.inf, np.inf)] * len(guess)).T
        self.low.extend(low)
        self.high.extend(high)
        return symbol

    def solve(self, name, cost):
        """Setting up and time of a solution, its iterations, cost and violation, and the unknowns."""
        x, g = ca.vertcat(*self.x), ca.vertcat(*self.g)
        options = {"print_time": False, "expand": True, **OPTIONS[name]}
        if name == "fatrop":
            options["equality"] = [True] * g.numel()
        solver = ca.nlpsol("program", name, dict(x=x, f=cost, g=g), options)
        setup, times = time.process_time() - self.begun, []
        for _ in range(RUNS):
            start = time.process_time()
            found = solver(x0=self.guess, lbx=self.low, ubx=self.high, lbg=0, ubg=0)
            times.append(time.process_time() - start)
        stats, x = solver.stats(), np.array(found["x"]).ravel()
        outside = np.maximum(np.subtract(self.low, x), np.subtract(x, self.high)).max()
        violation = max(np.abs(np.array(found["g"])).max(), outside, 0)
        return Result(setup, min(times), str(stats["iter_count"]), float(found["f"]), violation, stats["success"], x)


@dataclass
class Result:
    setup: float | None
    time: float
    iterations: str
    cost: float
    violation: float | None = None
    converged: bool = True
    x: np.ndarray | None = None


def guess(problem):
    """Inputs, and q, v and multipliers at all nodes."""
    system = nhi.System(parameters=list(problem.p), **problem.system)
    s = np.linspace(0, 1, problem.steps + 1)[:, np.newaxis]
    waves = np.hstack(problem.waves(2 * np.pi * s[:-1]))
    if problem.straight:
        q = s * np.nan_to_num(problem.q1)
        return waves, q, np.tile(problem.v, (len(s), 1)), np.zeros((len(s), len(system.constraints)))
    h, start = problem.duration / problem.steps, ([0.0] * len(problem.v), problem.v)
    run = system.simulate(problem.p, *start, h, problem.steps, inputs=waves)
    return waves, run.q, run.v, run.multipliers


def plan_by_casadi(problem, solver):
    """With the states of all steps, and v' and ℓ of each as further inputs."""
    program = Program()
    h, steps = problem.duration / problem.steps, problem.steps
    step = Dla2(problem.system, problem.p, h)
    n, k, names = step.n, step.k, problem.system["coordinates"]
    limits = lambda names: [problem.bounds.get(name, (-np.inf, np.inf)) for name in names]  # noqa: E731
    free = lambda count: [(-np.inf, np.inf)] * count  # noqa: E731
    waves, q, v, multipliers = guess(problem)
    states, inputs = [], []
    for i in range(steps + 1):
        x = [*q[i], *v[i]]
        states.append(program.unknown(x, limits(names) + free(n) if i else None))
        if i < steps:
            more = [*waves[i], *v[i + 1], *(h * multipliers[i + 1])]
            inputs.append(program.unknown(more, limits(problem.system["inputs"]) + free(n + step.m)))
    cost = 0
    for i, (x, more) in enumerate(zip(states, inputs, strict=False)):
        u, after, impulse = more[:k], more[k : k + n], more[k + n :]
        end, equations = step.step(x[:n], x[n:], u, after, impulse, ca.DM(0, 1))
        # fatrop reads the dynamics of a stage before its other equations.
        program.g.append(states[i + 1] - ca.vertcat(end, after))
        if i == 0:
            program.g.append(x - ca.DM([0.0] * n + problem.v))
        program.g.append(equations)
        cost += h / 2 * ca.sumsqr(u)
    last = states[-1]
    program.g += [last[i] - problem.q1[i] for i in range(n) if not np.isnan(problem.q1[i])]
    # The others follow from the constraints of the last step.
    program.g += [last[n + i] - problem.v[i] for i in map(names.index, problem.free)]
    return program.solve(solver, cost)


def plan_by_nhi(problem):
    begun = time.process_time()
    system = nhi.System(parameters=list(problem.p), **problem.system)
    h, q0 = problem.duration / problem.steps, [0.0] * len(problem.v)
    # Without this guess a problem of many steps begins with one of fewer, and parking ends at another minimum.
    zero = np.zeros((problem.steps, len(problem.system["inputs"])))
    solve = lambda: nhi.plan(  # noqa: E731
        system, problem.p, q0, problem.v, problem.q1, problem.v, h, problem.steps, bounds=problem.bounds, guess=zero
    )
    solve()
    first, times = time.process_time() - begun, []
    for _ in range(RUNS):
        start = time.process_time()
        found = solve()
        times.append(time.process_time() - start)
    run = system.simulate(problem.p, q0, problem.v, h, problem.steps, inputs=found.inputs)
    end = np.concatenate([run.q[-1] - problem.q1, run.v[-1] - problem.v])
    # Newton steps, and corrections of the start guess.
    iterations = " + ".join(re.findall(r"(\d+) (?:iterations|corrections)", found.status))
    result = Result(max(first - min(times), 0), min(times), iterations, found.cost)
    result.violation, result.converged = np.nanmax(np.abs(end)), found.converged
    return result


#: The identification of `--example timings`: samples of a sleigh with forces that change.
TRUE, GUESS = dict(j=0.7, m=1.3, a=0.2), dict(j=1.0, m=1.0, a=0.3)
H, COUNT, V0 = 0.05, 100, [0.4, 1.0, 0.08]
TIMES = H * np.arange(COUNT)
FORCES = np.column_stack([0.8 * np.sin(1.3 * TIMES), 0.5 * np.cos(2.1 * TIMES)])


def samples():
    sleigh = nhi.System(parameters=list(TRUE), **SLEIGH)
    seen = sleigh.simulate(TRUE, [0.0] * 3, V0, H, COUNT, inputs=FORCES).q[1:]
    return seen + 1e-3 * np.sin(np.array([1.0, 2.0, 3.0]) * 997.0 * np.arange(COUNT)[:, np.newaxis])


def fit_by_casadi(seen):
    program = Program()
    step = Dla2(SLEIGH, dict.fromkeys(TRUE), H)
    n = step.n
    p = program.unknown(list(GUESS.values()))
    x, cost = ca.vertcat(0, 0, 0, V0[0], V0[1], V0[0] * p[2]), 0
    for u, measured, v in zip(FORCES, seen, np.gradient(seen, H, axis=0), strict=True):
        more = program.unknown([*measured, *v, *[0.0] * step.m])
        q, after, impulse = more[:n], more[n : 2 * n], more[2 * n :]
        end, equations = step.step(x[:n], x[n:], u, after, impulse, p)
        program.g += [q - end, equations]
        x = ca.vertcat(q, after)
        cost += ca.sumsqr(q - measured)
    return program.solve("ipopt", cost)


def fit_by_nhi(seen):
    begun = time.process_time()
    sleigh = nhi.System(parameters=list(GUESS), **SLEIGH)
    names = SLEIGH["coordinates"]
    solve = lambda: nhi.fit(  # noqa: E731
        sleigh, GUESS, [0.0] * 3, [0.4, 1.0, 0.12], H, TIMES + H, seen, names, inputs=FORCES
    )
    solve()
    first, times = time.process_time() - begun, []
    for _ in range(RUNS):
        start = time.process_time()
        found = solve()
        times.append(time.process_time() - start)
    return Result(first - min(times), min(times), "", found.chi2, x=np.array(list(found.p.values())))


def in_rust():
    """The rows of the Rust program: least time, iterations and cost by problem."""
    root = Path(__file__).parents[2]
    command = ["cargo", "run", "--release", "--quiet", "-p", "nhi-control", "--example", "timings"]
    table = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()[2:]]
    return {name: Result(None, float(least) / 1e3, steps, float(cost)) for name, _, least, steps, cost in rows}


def main():
    print("| problem | program | set-up, s | time, ms | iterations | cost | violation |")
    print("|---|---|---:|---:|---:|---:|---:|")
    rust = in_rust()

    def row(problem, program, result):
        setup = "" if result.setup is None else f"{result.setup:.2f}"
        violation = "" if result.violation is None else f"{result.violation:.0e}"
        failed = "" if result.converged else ", not converged"
        print(
            f"| {problem} | {program} | {setup} | {1e3 * result.time:.3g} | {result.iterations}{failed} "
            f"| {result.cost:.7g} | {violation} |",
            flush=True,
        )

    different = []

    def compared(problem, expected, results):
        for program, result in results.items():
            row(problem, program, result)
            # The Rust program prints six decimals.
            if result.converged and abs(result.cost - expected) > SAME * abs(expected) + 5e-7:
                different.append(f"{problem}, {program}: {result.cost} and {expected}")

    for problem in PROBLEMS:
        ours = plan_by_nhi(problem)
        results = {f"CasADi, {solver}": plan_by_casadi(problem, solver) for solver in OPTIONS}
        results |= {"nhi, Python": ours, "nhi, Rust": rust[problem.name]}
        compared(problem.name, ours.cost, results)
    seen, name = samples(), "identification, sleigh, 100 samples"
    ours, theirs = fit_by_nhi(seen), fit_by_casadi(seen)
    compared(name, ours.cost, {"CasADi, ipopt": theirs, "nhi, Python": ours, "nhi, Rust": rust[name]})
    np.testing.assert_allclose(theirs.x[:3], ours.x, rtol=1e-6)
    if different:
        sys.exit("different costs: " + "; ".join(different))


if __name__ == "__main__":
    main()
