use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    let(v = [x, y, z], w = [x, y], a[0] = v, a[1] = x),
    lagrangian = norm2(dot(v)) + v + dot(v, x) + norm2(v)*cross(x, c) + v*c[0],
    constraints(d(v) + v*c, dx + c*dt, v/c, d(v)^2),
    force = [dx, dy, dz],
)]
struct Shapes {
    c: [f64; 3],
}

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    let(w = [w1, w2, w3], a = R, b = R*R*w, c = transpose(w), e = dot(R, w), f = w[3]),
    lagrangian = norm2(w),
    constraints(R*w + R),
)]
struct Matrices;

fn main() {}
