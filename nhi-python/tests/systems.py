"""Systems of several tests."""

import nhi

#: A car, steered by a torque, and values of its parameters.
CAR = nhi.System(
    coordinates=["theta", "x", "y", "phi"],
    parameters=["J", "m", "l", "c"],
    inputs=["force", "torque"],
    lagrangian="J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) + c/2*dot(phi)^2",
    constraints={
        "rear": "sin(theta)*dx - cos(theta)*dy",
        "front": "sin(theta + phi)*dx - cos(theta + phi)*dy - l*cos(phi)*dtheta",
    },
    force="force*(cos(theta)*dx + sin(theta)*dy) + torque*dphi",
)
CAR_P = dict(J=0.7, m=1.3, l=0.9, c=0.2)
