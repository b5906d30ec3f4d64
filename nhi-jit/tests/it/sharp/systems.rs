//! Declarations with sharp but smooth functions in every place; not compiled, but derived at run time.

/// Friction of two blocks on a spring.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*(x - y)^2,
    constraints(),
    force = -f*tanh(dot(x)/e)*dx - f*tanh(dot(y)/e)*dy,
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Blocks { m: f64, k: f64, f: f64, e: f64 }

/// A block on a spring that is attracted by a groove.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2 - k/2*x^2 - f*sqrt(x^2 + e^2),
    constraints(),
    force = -f*dot(x)/sqrt(dot(x)^2 + e^2)*dx,
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Groove { m: f64, k: f64, f: f64, e: f64 }

/// A particle between walls.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2 - k*x^8 - f*exp(x/e),
    constraints(),
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Walls { m: f64, k: f64, f: f64, e: f64 }

/// A body whose mass changes.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(1 + tanh(y/e)^2)*dot(x)^2 + m/2*dot(y)^2 - k/2*(x^2 + y^2),
    constraints(),
    force = -f*dot(x)*dx,
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Growing { m: f64, k: f64, f: f64, e: f64 }

/// A particle on a ramp.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2,
    constraints(ramp: dy - (1 + tanh(x/e))/2*dx = 0),
    force = -f*dot(x)*dx,
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Ramp { m: f64, k: f64, f: f64, e: f64 }

/// A bead on a bent wire.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2 - f*y,
    holonomic(wire: y - sqrt(x^2 + e^2) + e = 0),
    methods(DlaRattle, DlaRattleMidpoint, Rattle)
)]
struct Wire { m: f64, k: f64, f: f64, e: f64 }

/// A sleigh with dry friction.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = m/2*(dot(theta)^2 + dot(x)^2 + dot(y)^2) - k/2*x^2,
    constraints(blade: e*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = -f*(dot(x)*dx + dot(y)*dy)/sqrt(dot(x)^2 + dot(y)^2 + e^2),
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Sleigh { m: f64, k: f64, f: f64, e: f64 }

/// Polynomials and sines, at which no function is sharp.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + f*cos(x/e)*cos(y) - k*x^4,
    constraints(rolling: dy - cos(x/e)*dx = 0),
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Smooth { m: f64, k: f64, f: f64, e: f64 }

/// A pendulum on a spring.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2 + f*cos(x/e) - k*x^4,
    constraints(),
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniMidpoint)
)]
struct Pendulum { m: f64, k: f64, f: f64, e: f64 }
