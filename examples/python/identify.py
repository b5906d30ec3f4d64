"""Mass, moment of inertia and blade position of a sleigh from noisy positions under known forces, with their uncertainty, and the same
without forces, when only two combinations of the three can be known. With a folder as argument, which is made if it does not exist, it
draws the samples, the motion that fits and the estimates into `identify.svg` there (Matplotlib).

    python identify.py [FOLDER]
"""

import sys
from pathlib import Path

import nhi
import numpy as np

sleigh = nhi.System(
    name="Sleigh",
    coordinates=["theta", "x", "y"],
    parameters=["m", "I", "a"],
    inputs=["push", "turn"],
    lagrangian="I/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
    force="push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta",
)
TRUE, GUESS = dict(m=2.0, I=0.6, a=0.3), dict(m=1.0, I=1.0, a=0.5)
H, STEPS, NOISE = 0.05, 120, 0.01
Q0, V0 = [0.0, 0.0, 0.0], [0.4, 1.0, 0.12]
T = H * np.arange(STEPS)
FORCES = np.column_stack([0.8 * np.sin(1.3 * T), 0.5 * np.cos(2.1 * T)])


def identified(forces):
    """From the position at every second step."""
    run = sleigh.simulate(TRUE, Q0, V0, H, STEPS, inputs=forces)
    rng = np.random.default_rng(5)
    seen = np.column_stack([run["x"], run["y"]])[2::2]
    seen += rng.normal(0, NOISE, seen.shape)
    # θ(0) is unknown, too.
    found = nhi.fit(
        sleigh,
        GUESS,
        Q0,
        V0,
        H,
        run.t[2::2],
        seen,
        ["x", "y"],
        inputs=forces,
        deviations=NOISE,
        unknowns=["m", "I", "a", "theta(0)"],
    )
    return seen, found


def main():
    seen, found = identified(FORCES)
    truth = [*TRUE.values(), 0.0]
    for name, value, deviation, true in zip(found.unknowns, found.values, found.deviations, truth, strict=True):
        print(f"{name}: {value:.4f} ± {deviation:.4f}, in truth {true}")
        assert abs(value - true) < 3 * deviation
    print(f"χ² = {found.chi2:.1f} with {found.degrees_of_freedom} degrees of freedom")
    assert found.rank == 4 and abs(found.chi2 / found.degrees_of_freedom - 1) < 0.4
    coasting = identified(None)[1]
    [direction] = coasting.undetermined
    print("without forces not determined:", ", ".join(f"{x:.3f} {name}" for name, x in direction.items()))
    # A common factor of m and I.
    assert coasting.rank == 3 and abs(direction["I"] / direction["m"] - coasting.p["I"] / coasting.p["m"]) < 1e-6
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        import matplotlib.pyplot as plt

        figure, (path, axis) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
        guess = sleigh.simulate(GUESS, Q0, V0, H, STEPS, inputs=FORCES, project=True)
        path.plot(*seen.T, ".", color="gray", markersize=3, label="samples")
        path.plot(guess["x"], guess["y"], "--", label="guess")
        path.plot(found.run["x"], found.run["y"], label="fit")
        path.set(xlabel="x", ylabel="y", aspect="equal")
        path.legend()
        # The ellipse in which m and I are with a probability of 95 %.
        root = np.linalg.cholesky(found.covariance[:2, :2])
        turn = np.linspace(0, 2 * np.pi, 100)
        axis.plot(*(found.values[:2, np.newaxis] + 2.448 * root @ [np.cos(turn), np.sin(turn)]), label="95 %")
        axis.plot(*found.values[:2], "o", label="estimate")
        axis.plot(TRUE["m"], TRUE["I"], "k+", markersize=10, label="truth")
        axis.set(xlabel="m", ylabel="I")
        axis.legend()
        figure.savefig(folder / "identify.svg")


if __name__ == "__main__":
    main()
