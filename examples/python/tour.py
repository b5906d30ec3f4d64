"""A tour of the package: a sleigh, a run, a picture, a page, steps with inputs, and many sleighs at once. Its files are in a folder,
`out` if none is given (pandas, Matplotlib).

python tour.py [FOLDER]
"""

import sys
from pathlib import Path

import nhi
import numpy as np

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

# A body in the plane on a blade, which it cannot move across; a torque steers it.
sleigh = nhi.System(
    name="Sleigh",
    coordinates=["theta", "x", "y"],
    parameters=["J", "m", "a"],
    inputs=["torque"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)",
    constraints={"blade": "a*dtheta + sin(theta)*dx - cos(theta)*dy"},
    force="torque*dtheta",
)
p = dict(J=1.0, m=1.0, a=0.2)  # kg m², kg, m

# One run. Without a torque, the energy is kept.
run = sleigh.simulate(p, q0=[0, 0, 0], v0=[1, 0.5, 0.2], h=0.01, steps=10_000, every=10)
print(run)
print("energy between", run.energy.min(), "and", run.energy.max())
assert np.ptp(run.energy) < 1e-3 * run.energy[0]
run.plot().savefig(out / "sleigh.svg")
run.view(out / "sleigh.html")
run.save(out / "sleigh.npz")
print(run.to_pandas().head(3)[["theta", "x", "y", "energy"]])

# Step by step, with a controller in Python that turns the sleigh to the heading 1.
sim = sleigh.simulation(p, q0=[0, 0, 0], v0=[0, 1, 0], h=0.01)
for _ in range(3000):
    (theta, _, _), (omega, _, _) = sim.q, sim.v
    sim.step([4 * (1 - theta) - 3 * omega])
print("heading after", sim.t, "s:", sim.q[0])
assert abs(sim.q[0] - 1) < 0.1

# A thousand sleighs with blades at different places.
a = np.linspace(0.1, 1, 1000)
many = sleigh.ensemble(dict(p, a=a), q0=[0, 0, 0], v0=np.column_stack([np.ones(1000), np.full(1000, 0.5), a]), h=0.01)
q = many.run(steps=2000, every=100)
print("headings after", many.t, "s:", q[-1, ::250, 0])
assert q.shape == (21, 1000, 3) and not many.failures
