use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x[3], y[3]),
    let(
        a[0] = l,
        for i in 1..3 { a[i] = a[i + 1]*y[i] },
        for i in 2..4 { a[i] = a[5]*x[i] },
        a = 2,
    ),
    lagrangian = sum(i in 0..3, dot(x[i])^2 + dot(y[i])^2),
    constraints(
        for i in 2..5 { dx[i] },
        for i in 3..1 { dx[i] },
        for i in 0..k { dx[i] },
        for i in 0..1000000 { dx[0] },
        for i in 0..=2 { dx[i] },
        for i in 0..2 { wheel: dy[i] },
    ),
)]
struct Families {
    l: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x[3]),
    lagrangian = sum(i in 0..3, dot(x[i])^2),
    constraints(for i in 0..N { dx[i] }),
)]
struct Unknown<const N: usize>;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x[N]),
    lagrangian = sum(i in 0..N, dot(x[i])^2),
    constraints(for i in 1..N { dx[i] - dx[i - 1] }),
)]
struct Three<const N: usize = 3>;

fn is_a_system<S: nhi_runtime::System>(_: S) {}

fn main() {
    let three: Three = Three;
    is_a_system(three);
    let four: Three<4> = Three;
    is_a_system(four);
}
