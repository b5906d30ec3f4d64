"""A bicycle, and a sweep over many for every engine: which of them fall over?"""

import warnings
from functools import partial

import nhi
import numpy as np
from nhi.distributed import Sweep

#: The centre (x, y, z) of the rear wheel, yaw psi, roll phi and pitch theta of the rear frame, whose third axis is that of
#: the steering, the steering angle delta, and the angles of the wheels. Both wheels roll without slip and stay on the
#: ground: six one-forms. Vectors are in axes that turn with the yaw.
BICYCLE = dict(
    name="Bicycle",
    coordinates=["x", "y", "z", "psi", "phi", "theta", "delta", "rear", "front"],
    # Radius, masses and moments of inertia of the wheels; from wheel to wheel; of the rear and the front frame mass, centre of
    # mass and moments of inertia.
    parameters="r mr mf jr jry l1 l3 mb c1 c3 jb1 jb2 jb3 mh d1 d3 jh1 jh2 jh3".split(),
    let={
        "sp": "sin(phi)",
        "cp": "cos(phi)",
        "st": "sin(theta)",
        "ct": "cos(theta)",
        "sd": "sin(delta)",
        "cd": "cos(delta)",
        # Velocity of the centre of the rear wheel.
        "vx": "cos(psi)*dot(x) + sin(psi)*dot(y)",
        "vy": "-sin(psi)*dot(x) + cos(psi)*dot(y)",
        "vz": "dot(z)",
        # Angular velocities of the rear frame, the rear wheel and the front frame.
        "bx": "dot(phi)",
        "by": "dot(theta)*cp",
        "bz": "dot(psi) + dot(theta)*sp",
        "rx": "bx",
        "ry": "by + dot(rear)*cp",
        "rz": "bz + dot(rear)*sp",
        "hx": "bx + dot(delta)*st",
        "hy": "by - dot(delta)*sp*ct",
        "hz": "bz + dot(delta)*cp*ct",
        # The axis of the front wheel, and its angular velocity.
        "f1": "-sd*ct",
        "f2": "cp*cd - sp*sd*st",
        "f3": "sp*cd + cp*sd*st",
        "fx": "hx + dot(front)*f1",
        "fy": "hy + dot(front)*f2",
        "fz": "hz + dot(front)*f3",
        # From the centre of the rear wheel to that of the front wheel, and the velocity of the latter.
        "u1": "l1*ct + l3*st",
        "u3": "-l1*st + l3*ct",
        "px": "u1",
        "py": "-sp*u3",
        "pz": "cp*u3",
        "qx": "vx + by*pz - bz*py",
        "qy": "vy + bz*px - bx*pz",
        "qz": "vz + bx*py - by*px",
        # From the centres of the wheels to the points of contact.
        "cy": "r*sp",
        "cz": "-r*cp",
        "root": "sqrt(1 - f3^2)",
        "gx": "r*f3*f1/root",
        "gy": "r*f3*f2/root",
        "gz": "-r*root",
        # Centres of mass of the frames.
        "b1": "c1*ct + c3*st",
        "b3": "-c1*st + c3*ct",
        "mx": "vx + by*cp*b3 + bz*sp*b3",
        "my": "vy + bz*b1 - bx*cp*b3",
        "mz": "vz - bx*sp*b3 - by*b1",
        "e1": "d1*cd*ct + d3*st",
        "e2": "d1*sd",
        "e3": "-d1*cd*st + d3*ct",
        "kx": "e1",
        "ky": "cp*e2 - sp*e3",
        "kz": "sp*e2 + cp*e3",
        "nx": "qx + hy*kz - hz*ky",
        "ny": "qy + hz*kx - hx*kz",
        "nz": "qz + hx*ky - hy*kx",
        # Angular velocities of the frames in their own axes.
        "w1": "dot(phi)*ct - dot(psi)*cp*st",
        "w2": "dot(theta) + dot(psi)*sp",
        "w3": "dot(phi)*st + dot(psi)*cp*ct",
        "o1": "cd*w1 + sd*w2",
        "o2": "-sd*w1 + cd*w2",
        "o3": "w3 + dot(delta)",
    },
    lagrangian="mb/2*(mx^2 + my^2 + mz^2) + (jb1*w1^2 + jb2*w2^2 + jb3*w3^2)/2"
    " + mh/2*(nx^2 + ny^2 + nz^2) + (jh1*o1^2 + jh2*o2^2 + jh3*o3^2)/2"
    " + mr/2*(vx^2 + vy^2 + vz^2) + (jr*(w1^2 + w3^2) + jry*(w2 + dot(rear))^2)/2"
    " + mf/2*(qx^2 + qy^2 + qz^2) + (jr*(o1^2 + o3^2) + jry*(o2 + dot(front))^2)/2"
    " - 9.81*(mr*z + mb*(z + cp*b3) + mf*(z + pz) + mh*(z + pz + kz))",
    constraints={
        "rear_x": "vx + ry*cz - rz*cy",
        "rear_y": "vy - rx*cz",
        "rear_z": "vz + rx*cy",
        "front_x": "qx + fy*gz - fz*gy",
        "front_y": "qy + fz*gx - fx*gz",
        "front_z": "qz + fx*gy - fy*gx",
    },
)
#: The steering axis leans back.
TILT = -0.31
#: In kg, m and s.
P = dict(
    dict(r=0.3, mr=2.0, mf=3.0, jr=0.06, jry=0.12, l1=1.0, l3=np.tan(TILT), mb=85.0, c1=0.5, c3=0.5),
    **dict(jb1=9.2, jb2=11.0, jb3=2.8, mh=4.0, d1=-0.05, d3=0.4, jh1=0.06, jh2=0.06, jh3=0.01),
)
#: Upright: with this pitch both wheels are on the ground.
Q0 = np.array([0.0, 0.0, P["r"], 0.0, 0.0, TILT, 0.0, 0.0, 0.0])
#: Steps of 5 ms.
H, STEPS = 0.005, 400


def falls(task: int, bicycles: int) -> np.ndarray:
    """For random bicycles speed, mass of the rider, height of its centre and the time until the roll is 45°, rows of an
    array; the time is infinite for those that do not fall while they are watched."""
    rng = np.random.default_rng([2024, task])
    speed, mass = rng.uniform(1, 9, bicycles), rng.uniform(40, 110, bicycles)
    height = rng.uniform(0.3, 0.7, bicycles)
    v0 = np.zeros((bicycles, 9))
    v0[:, 0], v0[:, 4] = speed, rng.uniform(-0.2, 0.2, bicycles)
    v0[:, 7] = v0[:, 8] = speed / P["r"]
    system = nhi.System(**BICYCLE)
    many = system.ensemble(dict(P, mb=mass, c3=height), Q0, v0, H, project=True)
    # Steps fail where a bicycle lies on the ground; its numbers are NaN then.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        fallen = ~(abs(many.run(STEPS, 10)[:, :, 4]) < np.pi / 4)
    first = np.where(fallen.any(axis=0), fallen.argmax(axis=0) * 10 * H, np.inf)
    return np.column_stack([speed, mass, height, first])


def sweep(folder: str, bicycles: str = "1000") -> Sweep:
    """The sweep over this many bicycles in 20 tasks, which do not depend on the engine or the number of its workers."""
    each = int(bicycles) // 20
    about = dict(system=nhi.System(**BICYCLE).fingerprint, h=H, steps=STEPS, bicycles=each)
    return Sweep(partial(falls, bicycles=each), 20, folder, about)


def told(all: Sweep) -> str:
    """What the results say."""
    speed, _, _, first = np.concatenate(all.results()).T
    rows = [
        f"{low} to {low + 2} m/s: {np.isinf(first[(speed >= low) & (speed < low + 2)]).mean():.0%}"
        for low in (1, 3, 5, 7)
    ]
    return f"Of {len(speed)} bicycles did not fall in {H * STEPS:g} s at " + ", ".join(rows)
