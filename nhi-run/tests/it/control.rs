//! Functions of a state, against differences of their values.

use nhi_jit::Point;
use nhi_run::System;
use nhi_runtime::Factor;
use nhi_runtime::group::SE2;

/// A trailer on a belt: a pose, a coordinate, an auxiliary state, and constraints that depend on time and parameters.
const SOURCE: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        group = SE2(theta, x, y; omega, v, across),
        inputs(u),
        states(i),
        dynamics(dot(i) = u - i),
        lagrangian = m/2*(v^2 + across^2) + j/2*omega^2 + j/8*dot(phi)^2,
        constraints(wheel: across - a*omega*cos(phi), belt: dot(phi) - v*sin(phi)/b - c*cos(t)),
        force = i*v*dt,
    )]
    struct Trailer { m: f64, j: f64, a: f64, b: f64, c: f64 }
";

#[test]
fn derivatives_of_functions_are_those_of_differences() {
    let system = System::parse(SOURCE, "trailer.rs", None).expect("a declaration");
    let texts = [("first", "x*sin(theta) + v*across*y + u^2*i"), ("second", "a*dot(phi)*omega + m*exp(y)*t")];
    let formulas = system.formulas(&texts).expect("functions");
    let parameters = vec![1.3, 0.4, 0.6, 0.7, 0.2];
    // q, ν, z, u and the parameters, displaced by 4 + 2 + 1 + 1 + 5 numbers.
    let (q, nu, z, u) = ([0.4, 0.8, -0.3, 0.5], [0.9, -0.6], [0.7], [0.3]);
    let displaced = |by: &[f64]| {
        let mut moved = vec![q[0] + by[0]];
        let pose = [q[1], q[2], q[3]];
        moved.extend(<SE2<f64> as Factor>::displaced(&pose, &[by[1], by[2], by[3]]));
        let sum = |x: &[f64], by: &[f64]| x.iter().zip(by).map(|(x, by)| x + by).collect::<Vec<f64>>();
        (moved, sum(&nu, &by[4..6]), sum(&z, &by[6..7]), sum(&u, &by[7..8]), sum(&parameters, &by[8..]))
    };
    let at = |by: &[f64], f: &mut dyn FnMut(&Point<'_>, &[f64])| {
        let (q, nu, z, u, parameters) = displaced(by);
        f(&Point { parameters: &parameters, q: &q, v: &[], z: &z, t: 0.35, inputs: &u }, &nu);
    };
    let value = |by: &[f64]| {
        let mut values = Vec::new();
        at(by, &mut |point, nu| values = formulas.value(point, nu).expect("values"));
        values
    };
    let (mut x, mut u, mut p, mut xu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let w = [0.8, -1.7];
    at(&[0.0; 13], &mut |point, nu| {
        let slopes = formulas.linearize(point, nu).expect("slopes");
        (x, u, p) = (slopes.x, slopes.u, slopes.p);
        xu = formulas.curvature(point, nu, &w).expect("second derivatives");
    });
    assert_eq!([x.len(), u.len(), p.len(), xu.len()], [2 * 7, 2, 2 * 5, 8 * 8]);
    let along = |i: usize, size: f64, j: usize, other: f64| {
        let mut by = [0.0; 13];
        by[i] += size;
        by[j] += other;
        value(&by)
    };
    for i in 0..13 {
        let [low, high] = [-1e-5, 1e-5].map(|size| along(i, size, 0, 0.0));
        for k in 0..2 {
            let exact = match i {
                0..7 => x[7 * k + i],
                7 => u[k],
                _ => p[5 * k + i - 8],
            };
            let slope = (high[k] - low[k]) / 2e-5;
            assert!((slope - exact).abs() < 1e-8, "{k}, {i}: {slope} {exact}");
        }
    }
    let weighted = |values: Vec<f64>| values[0] * w[0] + values[1] * w[1];
    let size = 1e-3;
    for i in 0..8 {
        for j in 0..8 {
            let corner = |a: f64, b: f64| weighted(along(i, a * size, j, b * size));
            // On a group, both directions are displaced at once.
            let second = (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                / (4.0 * size * size);
            let exact = xu[8 * i + j];
            assert!((second - exact).abs() < 1e-4, "{i}, {j}: {second} {exact}");
        }
    }
}
