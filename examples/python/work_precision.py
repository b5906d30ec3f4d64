"""What an error costs: steps of one size, steps by a tolerance, and SciPy's DOP853 with projection, on motions that need steps
of very different sizes. A table in Markdown.

python work_precision.py [MOTION]...

Needs `pip install scipy`, besides nhi. The error is the largest one of a configuration at the end, by nhi's exact flow. Of each
scheme the cheapest run is shown whose error is at most that of the table: step sizes are halved, tolerances divided by 4.
DOP853 evaluates nhi's compiled accelerations, and the nearest admissible velocity after each step. Seconds are those of the
faster of two runs, without compilation; those of DOP853 contain its calls from Python.
"""

import sys
import time
from dataclasses import dataclass, field

import nhi
import numpy as np
from scipy.integrate import DOP853

#: Errors of the table.
ERRORS = [1e-3, 1e-5, 1e-7]
#: No run takes longer, about.
MOST_SECONDS = 20.0


@dataclass
class Motion:
    """A declaration, parameters, a start and how long it moves."""

    declared: dict
    p: dict
    q0: list
    v0: list
    end: float
    #: Number of steps of the first run of fixed size.
    first: int
    #: Methods, with steps of one size and by a tolerance.
    fixed: list
    adaptive: list
    system: nhi.System = field(init=False)

    def __post_init__(self):
        self.system = nhi.System(**self.declared)
        self.q0 = np.array(self.q0, float)
        self.v0 = self.system.project(self.p, self.q0, self.v0)
        self.exact = self.run("exact", h=self.end / 200, steps=200, every=200).q[-1]

    def run(self, method, **pace):
        return self.system.simulate(self.p, self.q0, self.v0, method=method, **pace)

    def rates(self, q, v):
        """dq/dt."""
        group = self.declared.get("group")
        if group is None:
            return v
        n = len(self.declared["coordinates"])
        at, rest = n + 9, q[n + 9 :]
        rotation, w = q[n:at].reshape(3, 3), v[n : n + 3]
        spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([v[:n], (rotation @ spin).ravel(), rotation @ v[n + 3 :] if len(rest) else rest])


@dataclass
class Result:
    """Of a run."""

    error: float
    steps: int
    seconds: float
    #: The largest change of the energy, relative to its first value.
    energy: float


def simulated(motion, method, pace):
    """By nhi, with ten samples."""
    best = np.inf
    for _ in range(2):
        start = time.perf_counter()
        run = motion.run(method, **pace)
        best = min(best, time.perf_counter() - start)
    energy = np.abs(run.energy / run.energy[0] - 1).max()
    error = np.abs(run.q[-1] - motion.exact).max()
    return Result(error, run.about.get("steps", pace.get("steps")), best, energy)


def with_scipy(motion, tolerance):
    """By DOP853; each step ends with the nearest admissible velocity."""
    system, p, n = motion.system, motion.p, len(motion.q0)

    def rhs(t, y):
        q, v = y[:n], y[n:]
        return np.concatenate([motion.rates(q, v), system.acceleration(p, q, v, t)[0]])

    start = time.perf_counter()
    y = np.concatenate([motion.q0, motion.v0])
    solver = DOP853(rhs, 0.0, y, motion.end, rtol=tolerance, atol=tolerance)
    steps, samples = 0, [y]
    while solver.status == "running":
        if (message := solver.step()) or time.perf_counter() - start > 3 * MOST_SECONDS:
            raise RuntimeError(message or "it takes too long")
        solver.y[n:] = system.project(p, solver.y[:n], solver.y[n:], solver.t)
        solver.f = rhs(solver.t, solver.y)
        steps += 1
        samples.append(solver.y.copy())
    seconds = time.perf_counter() - start
    # Rotations leave their group; energies are those of the nearest ones.
    energies = np.array([system.energy(p, y[:n], y[n:]) for y in samples[:: max(1, len(samples) // 10)]])
    error = np.abs(solver.y[:n] - motion.exact).max()
    return Result(error, steps, seconds, np.abs(energies / energies[0] - 1).max())


def cheapest(runs):
    """The first of these runs for each error of the table, where there is one."""
    found = [None] * len(ERRORS)
    for run in runs:
        try:
            result = run()
        except (nhi.StepError, RuntimeError, ValueError):
            # Steps this large are refused.
            continue
        for i, error in enumerate(ERRORS):
            if found[i] is None and result.error <= error:
                found[i] = result
        if found[-1] is not None or result.seconds > MOST_SECONDS:
            break
    return found


def schemes(motion):
    """Runs of increasing accuracy of each scheme."""
    for method in motion.fixed:
        counts = [motion.first << k for k in range(20)]

        def fixed(steps, method=method):
            return simulated(motion, method, dict(h=motion.end / steps, steps=steps, every=max(1, steps // 10)))

        yield f"`{method}`, one size", [lambda steps=steps: fixed(steps) for steps in counts]
    tolerances = [1e-2 * 0.25**k for k in range(20)]
    for method in motion.adaptive:

        def adaptive(tolerance, method=method):
            return simulated(motion, method, dict(tolerance=tolerance, until=motion.end, every=motion.end / 10))

        yield f"`{method}`, tolerance", [lambda t=t: adaptive(t) for t in tolerances if t > 1e-13]
    yield "DOP853, projected", [lambda t=t: with_scipy(motion, t) for t in tolerances]


#: A disk that falls nearly flat on the table, and stands up again.
DISK = dict(
    coordinates=["x", "y", "phi", "theta", "psi"],
    parameters=["m", "R", "I1", "I3", "g"],
    let={
        "x_c": "x - R*sin(phi)*cos(theta)",
        "y_c": "y + R*cos(phi)*cos(theta)",
        "z_c": "R*sin(theta)",
        "spin": "dot(psi) + dot(phi)*cos(theta)",
    },
    lagrangian="m/2*(dot(x_c)^2 + dot(y_c)^2 + dot(z_c)^2) + I1/2*(dot(theta)^2 + dot(phi)^2*sin(theta)^2)"
    " + I3/2*spin^2 - m*g*z_c",
    constraints={"rolling_x": "dx + R*cos(phi)*dpsi", "rolling_y": "dy + R*sin(phi)*dpsi"},
)
#: A board whose wheels turn towards a right angle, where the constraints are dependent.
SNAKEBOARD = dict(
    coordinates=["psi", "phi", "theta", "x", "y"],
    parameters=["m", "l", "I", "J"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2 + I*dot(psi)*(dot(psi)/2 + dot(theta)) + J*dot(phi)^2"
    " - 2*sin(phi)^2",
    constraints={
        "back": "-sin(theta + phi)*dot(x) + cos(theta + phi)*dot(y) - l*cos(phi)*dot(theta)",
        "front": "-sin(theta - phi)*dot(x) + cos(theta - phi)*dot(y) + l*cos(phi)*dot(theta)",
    },
)
#: Kane and Levinson's, from a spin that it reverses.
RATTLEBACK = dict(
    coordinates=[],
    group="SE3(R, p; w1, w2, w3, v1, v2, v3)",
    parameters=["a", "b", "c", "h", "A", "B", "C", "D", "g"],
    let={
        "eps": "sqrt((a*R[2][0])^2 + (b*R[2][1])^2 + (c*R[2][2])^2)",
        "rho1": "-a^2*R[2][0]/eps",
        "rho2": "-b^2*R[2][1]/eps",
        "rho3": "h - c^2*R[2][2]/eps",
    },
    lagrangian="(v1^2 + v2^2 + v3^2 + A*w1^2 + B*w2^2 + C*w3^2)/2 + D*w1*w2 - g*p[2]",
    constraints={
        "contact_1": "v1 + w2*rho3 - w3*rho2",
        "contact_2": "v2 + w3*rho1 - w1*rho3",
        "contact_3": "v3 + w1*rho2 - w2*rho1",
    },
)
#: A top that slides with friction in proportion to its load and its sliding velocity, and inverts.
TOP = dict(
    coordinates=["x", "y", "z"],
    group="SO3(R; w1, w2, w3)",
    parameters=["m", "r", "a", "I1", "I3", "g", "mu"],
    let={
        "c": "[a*R[0][2], a*R[1][2], a*R[2][2] - r]",
        "turn": "cross(R*[w1, w2, w3], c)",
        "ux": "dot(x) + turn[0]",
        "uy": "dot(y) + turn[1]",
    },
    lagrangian="m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + I1/2*(w1^2 + w2^2) + I3/2*w3^2 - m*g*z",
    constraints={"normal": "dz + turn[2]*dt"},
    force="-mu*lambda(normal)*(ux*(dx + turn[0]*dt) + uy*(dy + turn[1]*dt))",
)


def rattleback():
    """Tilted by half a degree."""
    p = dict(a=0.2, b=0.03, c=0.02, h=0.01, A=2e-4, B=1.6e-3, C=1.7e-3, D=-2e-5, g=9.81)
    cos, sin = np.cos(np.pi / 360), np.sin(np.pi / 360)
    height = np.sqrt((p["b"] * sin) ** 2 + (p["c"] * cos) ** 2) - p["h"] * cos
    q0 = [1, 0, 0, 0, cos, -sin, 0, sin, cos, 0, 0, height]
    v0 = [0, -5 * sin, -5 * cos, 0, 0, 0]
    groups = ["rdp", "frame", "rkmk4"]
    return Motion(RATTLEBACK, p, q0, v0, 7.0, 1000, groups, ["frame", "frame_suzuki4", "rkmk4"])


def top():
    """Tilted by 0.1, until it stands on its stem."""
    m, r = 0.02, 0.02
    p = dict(m=m, r=r, a=0.3 * r, I1=131 / 350 * m * r * r, I3=0.4 * m * r * r, g=9.82, mu=0.3)
    cos, sin = np.cos(0.1), np.sin(0.1)
    q0 = [0, 0, r - 0.3 * r * cos, 1, 0, 0, 0, cos, -sin, 0, sin, cos]
    groups = ["rdp", "frame", "rkmk4"]
    return Motion(TOP, p, q0, [0, 0, 0, 0, 0, 155], 8.0, 5000, groups, ["frame", "frame_suzuki4", "rkmk4"])


COORDINATES = ["dla2", "frame", "rk4"]
#: Motions by name.
MOTIONS = {
    "disk": lambda: Motion(
        DISK,
        dict(m=1, R=1, I1=0.25, I3=0.5, g=9.81),
        [0, 0, 0, 0.5, 0],
        [0, 0, 3, 0, -3],
        1.5,
        100,
        COORDINATES,
        ["frame", "frame_suzuki4", "rk4"],
    ),
    "snakeboard": lambda: Motion(
        SNAKEBOARD,
        dict(m=1, l=1, I=0.4, J=2),
        [0.5, 1.5, 0, 0, 0],
        [2.5, -0.02, -0.8, 0.5, 0],
        10.0,
        100,
        COORDINATES,
        ["frame", "frame_suzuki4", "rk4"],
    ),
    "rattleback": rattleback,
    "tippe_top": top,
}


def main():
    print("| motion | scheme | error | steps | ms | energy |\n|---|---|---:|---:|---:|---:|")
    for name in sys.argv[1:] or MOTIONS:
        motion = MOTIONS[name]()
        for scheme, runs in schemes(motion):
            for error, result in zip(ERRORS, cheapest(runs), strict=True):
                if result is None:
                    print(f"| {name} | {scheme} | {error:.0e} | – | – | – |")
                    continue
                energy = "–" if "force" in motion.declared else f"{result.energy:.0e}"
                row = f"{error:.0e} | {result.steps} | {1e3 * result.seconds:.1f} | {energy}"
                print(f"| {name} | {scheme} | {row} |", flush=True)


if __name__ == "__main__":
    main()
