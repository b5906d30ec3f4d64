"""A disc that rolls on a table without falling over, from SymPy expressions."""

import nhi
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

x, y, heading, lean, roll = qs = dynamicsymbols("x y heading lean roll")
m, r, g = sp.symbols("m r g", positive=True)

# The centre is above the point (x, y) below it; lean = 0 stands upright. Angular velocity in the axes of the disc's plane.
height = r * sp.cos(lean)
omega = sp.Matrix([lean.diff(), heading.diff() * sp.cos(lean), roll.diff() + heading.diff() * sp.sin(lean)])
inertia = sp.diag(m * r**2 / 4, m * r**2 / 4, m * r**2 / 2)
velocity = sp.Matrix([x.diff(), y.diff(), height.diff(dynamicsymbols._t)])
lagrangian = m / 2 * velocity.dot(velocity) + omega.dot(inertia * omega) / 2 - m * g * height

# The contact point is at rest: the centre moves by the turning about it, along the heading and across it.
along = x.diff() * sp.cos(heading) + y.diff() * sp.sin(heading)
across = -x.diff() * sp.sin(heading) + y.diff() * sp.cos(heading)
rolling = [
    along - r * (roll.diff() + heading.diff() * sp.sin(lean)),
    across + r * lean.diff() * sp.cos(lean),
]

disc = nhi.System.from_sympy(lagrangian, qs, nonhol_coneqs=rolling, parameters=[m, r, g], name="Disc")
print(disc)
p = dict(m=1.0, r=0.3, g=9.81)  # kg, m, m/s²
run = disc.simulate(p, q0=[0, 0, 0, 0.1, 0], v0=[3, 0, 0.2, 0, 10], h=1e-3, steps=10_000, every=10, project=True)
print("lean between", run["lean"].min(), "and", run["lean"].max())
print("energy changed by", (run.energy[-1] - run.energy[0]) / run.energy[0], "of itself")
# Fast enough to stay upright.
assert abs(run["lean"]).max() < 0.2 and abs(run.energy - run.energy[0]).max() < 1e-4 * run.energy[0]
