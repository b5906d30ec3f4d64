"""A car with a trailer parks sideways, from rest to rest, with bounded forces and a bounded steering angle: the plan of least
effort. With a folder as argument, which is made if it does not exist, it draws the manoeuvre into `parking.svg` there
(Matplotlib).

    python parking.py [FOLDER]
"""

import sys
from pathlib import Path

import nhi
import numpy as np

car = nhi.System(
    name="CarWithTrailer",
    coordinates=["x", "y", "theta", "phi", "delta"],
    parameters=["m", "j", "i", "k", "l", "b"],
    inputs=["drive", "steer"],
    lagrangian="m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*(dot(theta) + dot(phi))^2 + k/2*dot(delta)^2",
    constraints={
        "rear": "sin(theta)*dx - cos(theta)*dy",
        "front": "sin(theta + phi)*dx - cos(theta + phi)*dy - l*cos(phi)*dtheta",
        "trailer": "sin(delta)*dx - cos(delta)*dy + b*ddelta",
    },
    force="drive*(cos(theta)*dx + sin(theta)*dy) + steer*dphi",
)
P = dict(m=1.4, j=0.6, i=0.2, k=0.3, l=0.9, b=0.7)
H, STEPS = 6 / 80, 80
REST = [0.0] * 5


def main():
    bounds = {"drive": (-8, 8), "steer": (-8, 8), "phi": (-0.6, 0.6)}
    plan = nhi.plan(car, P, q0=REST, v0=REST, q1=[0, 0.5, 0, 0, 0], v1=REST, h=H, steps=STEPS, bounds=bounds)
    print(f"effort {plan.cost:.6f}, {plan.status}")
    # The plan is a motion of the simulation.
    run = car.simulate(P, REST, REST, h=H, steps=STEPS, inputs=plan.inputs)
    assert plan.converged and abs(run.q[-1] - [0, 0.5, 0, 0, 0]).max() < 1e-8
    assert abs(plan.q[:, 3]).max() <= 0.6 and abs(plan.inputs).max() <= 8
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        import matplotlib.pyplot as plt

        figure, (path, inputs) = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
        x, y, theta, phi, delta = plan.q.T
        path.plot(x, y, label="rear axle")
        for k in range(0, STEPS + 1, 8):
            rear = np.array([x[k], y[k]])
            front = rear + P["l"] * np.array([np.cos(theta[k]), np.sin(theta[k])])
            hitched = rear - P["b"] * np.array([np.cos(delta[k]), np.sin(delta[k])])
            path.plot(*np.transpose([hitched, rear, front]), color="gray", alpha=0.4, linewidth=1)
        path.set(xlabel="x", ylabel="y", aspect="equal")
        path.legend()
        inputs.step(plan.t[:-1], plan.inputs, where="post", label=car.inputs)
        inputs.plot(plan.t, phi, label="phi")
        inputs.set(xlabel="t")
        inputs.legend()
        figure.savefig(folder / "parking.svg")


if __name__ == "__main__":
    main()
