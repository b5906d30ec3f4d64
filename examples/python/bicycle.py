"""A bicycle that falls over at low speed is kept upright by a torque on its handlebars: the optimal feedback of the exact
derivatives of its step. With a folder as argument, which is made if it does not exist, it draws the
roll into `bicycle.svg` there (Matplotlib).

    python bicycle.py [FOLDER]
"""

import sys
from pathlib import Path

import nhi
import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "cluster"))
from bicycles import BICYCLE, Q0, H, P  # noqa: E402

bicycle = nhi.System(**dict(BICYCLE, name="SteeredBicycle"), inputs=["torque"], force="torque*ddelta")

#: Roll, steering angle and their velocities. They depend neither on where the bicycle rides to nor, to first order, on its speed.
ENTRIES = ["phi", "delta", "dot_phi", "dot_delta"]
#: 5 s.
STEPS = 1000


def riding(speed, roll=0.0):
    """Straight on with that speed."""
    v0 = np.zeros(9)
    v0[0], v0[7:] = speed, speed / P["r"]
    q0 = Q0.copy()
    q0[4] = roll
    return bicycle.simulation(P, q0=q0, v0=v0, h=H, project=True)


def state(sim):
    """Their numbers."""
    roll, steering = (bicycle.velocities.index(name) for name in ENTRIES[:2])
    return np.array([sim.q[roll], sim.q[steering], sim.v[roll], sim.v[steering]])


def main():
    rolls = {}
    for speed in (2.0, 4.0, 6.0):
        sim = riding(speed)
        sim.step([0.0])
        names, a, b = nhi.linear(sim, entries=ENTRIES)
        feedback = nhi.lqr(a, b, q=[10, 1, 1, 0.1], r=0.01, names=names)
        alone, kept = max(abs(np.linalg.eigvals(a))), max(abs(feedback.eigenvalues))
        print(
            f"{speed:g} m/s: largest eigenvalue {alone ** (1 / H):.3g} per second, with feedback {kept ** (1 / H):.3g}"
        )
        sim = riding(speed, roll=0.05)
        rolls[speed] = [sim.q[4]]
        for _ in range(STEPS):
            sim.step(-feedback.gain @ state(sim))
            rolls[speed].append(sim.q[4])
        assert kept < 1 and abs(rolls[speed][-1]) < 1e-3, "the bicycle is upright"
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        import matplotlib.pyplot as plt

        for speed, roll in rolls.items():
            plt.plot(H * np.arange(STEPS + 1), roll, label=f"{speed:g} m/s")
        plt.xlabel("t / s")
        plt.ylabel("roll")
        plt.legend()
        plt.savefig(folder / "bicycle.svg")


if __name__ == "__main__":
    main()
