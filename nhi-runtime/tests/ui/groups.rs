use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(group = SE4(theta, x; v), lagrangian = v^2, constraints(w))]
struct UnknownGroup;

#[derive(Nonholonomic)]
#[nonholonomic(group = Torus(theta; omega), lagrangian = floor(omega), constraints())]
struct UnlikeAnyGroup;

#[derive(Nonholonomic)]
#[nonholonomic(group(SE2), lagrangian = v^2, constraints())]
struct WithoutSign;

#[derive(Nonholonomic)]
#[nonholonomic(group = SE2, lagrangian = v^2, constraints())]
struct WithoutNames;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y, omega, v, w),
    lagrangian = floor(omega) + v^2,
    constraints(omega*v),
    force = dx*dy,
)]
struct WithoutSemicolon;

#[derive(Nonholonomic)]
#[nonholonomic(group = SE2(theta, x; omega, v, w, u), lagrangian = v^2, constraints(), methods(Foo))]
struct Numbers;

#[derive(Nonholonomic)]
#[nonholonomic(group = SO3(R[3][3]; w1, 2, w3) extra, lagrangian = w1^2, constraints(), inputs(3))]
struct Malformed;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(s, x),
    group = SE2(theta, x, y; omega, dy, s),
    inputs(y, omega),
    let(theta = 2),
    lagrangian = omega^2,
    constraints(),
)]
struct Clashes {
    theta: f64,
    omega: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(y[2]),
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = R + R[0] + R[0][1][2] + R[3][0] + R[0][-1] + p + p[3] + p[0][0] + w1[0] + y[p],
    constraints(dR, dp, dp[3], dw1, dR[0][0] + y[0][1], sum(i in 0..4, R[i][0]*dp[i])),
)]
struct Entries;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    group = SO3(R; w1, w2, w3),
    lagrangian = omega^2 + v^2 + dot(omega)^2 + dtheta,
    constraints(d(v) + theta[0], omega*dx + dy),
)]
struct Places;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = omega^2 + v^2 + x,
    constraints(v, dx - cos(theta)*v*dt, w),
    force = omega*dt + x*dt + dt*v + u*domega + xdot,
)]
struct Meaning {
    u: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = omega^2 + v^2 + w^2,
    constraints(cos(theta)*dy - sin(theta)*dx, w),
    force = v^2*dt + sin(omega)*dt + (v + 1)*dt + v*dt*dx + (v - v)*dt,
)]
struct BeforeTime;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2,
    constraints(
        sum(i in 0..3, R[i][0]*(R[i][0]*w1 + R[i][1]*w2 + R[i][2]*w3)) = 0,
        w1 = 0,
    ),
)]
struct DependentOnTheGroup;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2 + 1/(R[0][1]^2 + R[1][1]^2 + R[2][1]^2 - 1),
    constraints(w3 = 0),
)]
struct ZeroOnTheGroup;

fn main() {}
