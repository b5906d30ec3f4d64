//! Derivatives of steps, against differences of the steps themselves and against each other.
//!
//! By default of four models with four methods, and of the systems here with the method that each declares. `NHI_TESTS=all`,
//! takes all models, all methods with those four, and four methods with the systems here.

use crate::files;
use crate::support::{Random, Run, distance};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::Pool;
use nhi_codegen::expr::group::{Group, Map};
use nhi_codegen::forms::{curvature_program, derivative_programs};
use nhi_codegen::functions::FirstDerivatives;
use nhi_codegen::method::{
    BasisProgram, CurvatureProgram, DerivativePrograms, Method, MethodPrograms, basis_program,
};
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_interpreter::map;
use nhi_methods::Retraction;
use nhi_runtime::Failure;
use nhi_tiers::{amount, exhaustive};

/// The methods of most models.
const METHODS: [Method; 4] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rk4];

/// What no model has: a mass matrix without an inverse, of a pin that a car and its trailer hold; two impulses, of which one is an
/// unknown and the other follows from it; coupled inertia with an auxiliary state and inputs; a state that Newton's method solves
/// for, without the reaction; two coordinates with the same acceleration; no constraints, in coordinates and on a group.
const OTHERS: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta, a, b, u, v, psi),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 + (dot(u)^2 + dot(v)^2)/4 + dot(psi)^2/8 + u*y/3,
        constraints(
            axle: sin(theta)*dx - cos(theta)*dy,
            behind_x: da - dx - c*sin(theta)*dtheta,
            behind_y: db - dy + c*cos(theta)*dtheta,
            ahead_x: da - du + l*sin(psi)*dpsi,
            ahead_y: db - dv - l*cos(psi)*dpsi,
            trailer: sin(psi)*du - cos(psi)*dv,
        ),
        force = dtheta*sin(t) - dot(psi)*dpsi,
        methods(Dla2),
    )]
    struct Hitch { m: f64, c: f64, l: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta, psi),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + c/2*dot(theta)^2 + l/2*dot(psi)^2 + c*cos(theta - psi)*dot(theta)*dot(psi)/3,
        constraints(
            axle: sin(theta)*dx - cos(theta)*dy,
            trailer: sin(psi)*dx - cos(psi)*dy + c*cos(psi - theta)*dtheta + l*dpsi,
        ),
        methods(Dla2),
    )]
    struct Trailer { m: f64, c: f64, l: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta, s),
        states(charge),
        inputs(push),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + (dot(s) + dot(x)*cos(theta) + dot(y)*sin(theta))^2) + dot(theta)^2/4
                   - cos(s)*x,
        constraints(sin(theta)*dx - cos(theta)*dy - c*dtheta),
        force = (push - charge)*ds,
        dynamics(dot(charge) = dot(s) - charge/tau),
        methods(Dla2),
    )]
    struct Loaded { m: f64, c: f64, tau: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y, s),
        states(charge),
        inputs(push),
        let(x_s = x + s*cos(theta), y_s = y + s*sin(theta)),
        lagrangian = dot(theta)^2/4 + m/2*(dot(x)^2 + dot(y)^2) + (dot(x_s)^2 + dot(y_s)^2)/2 - (s - c)^2/2,
        constraints(sin(theta)*dx - cos(theta)*dy),
        force = (push - charge^3)*ds,
        dynamics(dot(charge) = dot(s) - sin(charge)/tau),
        methods(Dla2),
    )]
    struct Saturated { m: f64, c: f64, tau: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z, w),
        inputs(push),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2 + dot(w)^2),
        constraints(dz - x*dw),
        force = push*sin(z)*(dx + dy),
        methods(Dla2),
    )]
    struct Twins { m: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(a, b),
        inputs(push),
        lagrangian = (dot(a)^2 + dot(b)^2)/2 + m*cos(a - b)*dot(a)*dot(b)/2 + cos(a),
        constraints(),
        force = push*db,
        methods(Dla2),
    )]
    struct Arm { m: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        inputs(push),
        group = SO3(R; w1, w2, w3),
        lagrangian = (w1^2 + m*w2^2 + w3^2)/2 + (dot(phi) + w1)^2/4,
        constraints(),
        force = push*dphi,
        methods(Rdp),
    )]
    struct Turned { m: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        inputs(push),
        group = SO3(R; w1, w2, w3),
        lagrangian = (w1^2 + m*w2^2 + w3^2)/2 + (dot(phi) + w1)^2/4 - R[2][2] - R[2][0]*phi/3 + R[2][0]*R[2][1],
        constraints(w3 - R[0][1]*w1/2 = 0),
        force = push*dphi,
        methods(Frame),
    )]
    struct Hung { m: f64 }";

/// Many coordinates and one constraint: derivatives are left as factors.
const COUPLED: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y[4], z[4]),
        inputs(push, pull),
        lagrangian = (dot(x)^2 + sum(i in 0..4, dot(y[i])^2 + m*dot(z[i])^2))/2
                   - (x^2 + sum(i in 0..4, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
        constraints(dx + sum(i in 0..4, y[i]*dz[i]) = 0),
        force = push*y[0]*dx + pull*push*dz[1],
        methods(Rk4),
    )]
    struct Coupled { m: f64 }";

/// The declarations of a text, with those of these methods that apply or with their own.
fn models(text: &str, methods: Option<&[Method]>) -> Vec<Derived> {
    let derived = |input| {
        let mut declaration = Declaration::parse(&input).expect("a valid declaration");
        if let Some(methods) = methods {
            declaration = declaration.with_methods(methods.to_vec());
            declaration.all_methods = true;
        }
        Derived::new(declaration, &mut BuiltIn).expect("derivable")
    };
    structs(text).expect("Rust").into_iter().map(derived).collect()
}

/// Where a step begins.
#[derive(Clone, Debug)]
struct Point {
    q: Vec<f64>,
    nu: Vec<f64>,
    z: Vec<f64>,
    u: Vec<f64>,
    p: Vec<f64>,
    h: f64,
    t: f64,
}

/// A method with its derivatives.
struct Tried<'a> {
    derived: &'a Derived,
    method: &'a MethodPrograms,
    derivatives: DerivativePrograms,
    curvature: CurvatureProgram,
    basis: BasisProgram,
}

impl Tried<'_> {
    fn group(&self) -> Option<&'static Group> {
        self.derived.mechanics.system.group.only()
    }

    /// X, v₀ and Y.
    fn basis(&self, p: &[f64], q: &[f64], t: f64, u: &[f64]) -> Vec<Vec<f64>> {
        let arguments = [p.to_vec(), q.to_vec(), vec![t], u.to_vec()];
        self.basis.basis.run(&self.basis.pool, &arguments).expect("a basis")
    }

    /// The arguments of the step from `at`, with v₀ of the inputs `u`.
    fn arguments(&self, at: &Point, u: &[f64]) -> Vec<Vec<f64>> {
        let basis = self.basis(&at.p, &at.q, at.t, u);
        let columns = at.nu.len();
        let along = |i: usize| (0..columns).map(|j| basis[0][i * columns + j] * at.nu[j]).sum::<f64>();
        let v = basis[1].iter().enumerate().map(|(i, drift)| drift + along(i)).collect();
        let lambda = vec![0.0; self.derived.mechanics.m()];
        vec![at.p.clone(), vec![at.h], at.q.clone(), v, lambda, at.z.clone(), vec![at.t], at.u.clone()]
    }

    /// (q', ν', z', λ') by entries.
    fn step(&self, at: &Point, u: &[f64]) -> Option<Vec<f64>> {
        let arguments = self.arguments(at, u);
        let [q, v, lambda, z] = self.method.step.run(&self.method.pool, &arguments).ok()?.try_into().ok()?;
        let basis = self.basis(&at.p, &q, at.t + at.h, &at.u);
        let components = basis[2].chunks(v.len()).map(|row| row.iter().zip(&v).map(|(y, v)| y * v).sum());
        let nu: Vec<f64> = components.collect();
        Some([q, nu, z, lambda].concat())
    }

    /// The point with one of (q, ν, z, u, p, h) moved.
    fn moved(&self, at: &Point, mut index: usize, by: f64) -> Point {
        let (mut at, x) = (at.clone(), &self.derived.mechanics);
        let (n, k) = (x.n(), x.system.shape());
        if index < k {
            at.q[index] += by;
            return at;
        }
        if index < n {
            let group = self.group().expect("a pose");
            let mut sigma = vec![0.0; n - k];
            sigma[index - k] = by;
            let pose = map(Map::Displaced, group, Retraction::Exp, &[at.q[k..].to_vec(), sigma]);
            at.q[k..].copy_from_slice(&pose);
            return at;
        }
        index -= n;
        let mut h = [at.h];
        for list in [&mut at.nu[..], &mut at.z, &mut at.u, &mut at.p, &mut h] {
            if let Some(number) = list.get_mut(index) {
                *number += by;
                break;
            }
            index = index.wrapping_sub(list.len());
        }
        at.h = h[0];
        at
    }

    /// The derivative of `step` along one of them, by differences of fourth order over that distance.
    fn difference(&self, at: &Point, index: usize, by: f64) -> Option<Vec<f64>> {
        difference(|by: f64| self.step(&self.moved(at, index, by), &at.u), by)
    }

    /// wᵀA and wᵀB of the step from `at`, with v₀ of the inputs `u`.
    fn pulled_back(&self, at: &Point, u: &[f64], w: &[f64]) -> Option<Vec<f64>> {
        let DerivativePrograms { pool, programs: FirstDerivatives { pull_back, .. } } = &self.derivatives;
        let arguments = [&self.arguments(at, u)[..], &[w.to_vec()]].concat();
        Some(pull_back.run(pool, &arguments).ok()?[..2].concat())
    }

    /// The derivatives of these along (x, u), by columns, of which only the symmetric part does not depend on the frames of
    /// poses.
    fn second_differences(&self, at: &Point, w: &[f64], by: f64) -> Option<Vec<f64>> {
        let size = w.len() + at.u.len();
        let column = |j| difference(|by| self.pulled_back(&self.moved(at, j, by), &at.u, w), by);
        let columns: Vec<Vec<f64>> = (0..size).map(column).collect::<Option<_>>()?;
        Some(
            (0..size * size)
                .map(|k| (k / size, k % size))
                .map(|(i, j)| (columns[i][j] + columns[j][i]) / 2.0)
                .collect(),
        )
    }

    /// Derivatives of the entries of q' by those of tangent vectors; others as they are.
    fn by_entries(&self, q: &[f64], column: &[f64]) -> Vec<f64> {
        let x = &self.derived.mechanics;
        let (n, k) = (x.n(), x.system.shape());
        let Some(group) = self.group() else { return column.to_vec() };
        let mut pool = Pool::new();
        let symbols: Vec<_> = (0..group.pose_len()).map(|i| pool.symbol(&format!("g{i}"))).collect();
        let anchor = (group.anchor)(&mut pool, &symbols);
        let names = symbols.iter().map(|&s| pool.as_symbol(s).expect("a symbol"));
        let values = names.zip(q[k..].iter().copied()).collect();
        let entries = anchor.iter().map(|row| {
            let row = pool.evaluate(row, &values);
            row.iter().zip(&column[k..n]).map(|(a, eta)| a * eta).sum::<f64>()
        });
        let entries: Vec<f64> = entries.collect();
        [&column[..k], &entries, &column[n..]].concat()
    }
}

/// The derivative at 0 by differences of fourth order over that distance.
fn difference(f: impl Fn(f64) -> Option<Vec<f64>>, by: f64) -> Option<Vec<f64>> {
    let both = |by: f64| Some((f(by)?, f(-by)?));
    let (near, far) = (both(by)?, both(2.0 * by)?);
    let slope = |i: usize| (8.0 * (near.0[i] - near.1[i]) - (far.0[i] - far.1[i])) / (12.0 * by);
    Some((0..near.0.len()).map(slope).collect())
}

/// A random point of a system.
fn point(derived: &Derived, random: &mut Random) -> Point {
    let x = &derived.mechanics;
    let mut numbers = |count: usize, middle: f64, radius: f64| -> Vec<f64> {
        (0..count).map(|_| middle + radius * random.number()).collect()
    };
    let k = x.system.shape();
    let mut q = numbers(k, 0.3, 0.6);
    if let Some(group) = x.system.group.only() {
        let identity = group.pose.iter().flat_map(|part| part.identity()).collect();
        let sigma = numbers(group.dimension, 0.0, 0.7);
        q.extend(map(Map::Displaced, group, Retraction::Exp, &[identity, sigma]));
    }
    Point {
        q,
        nu: numbers(x.n() - x.m(), 0.2, 0.8),
        z: numbers(x.z.len(), 0.0, 0.5),
        u: numbers(x.system.inputs.len(), 0.3, 0.6),
        p: numbers(x.system.parameters.len(), 1.2, 0.4),
        h: 0.05,
        t: 0.4,
    }
}

#[test]
fn derivatives_are_those_of_the_step() {
    let of_models = files::sampled().into_iter().map(|file| {
        let with_all = exhaustive() && file.is_sample();
        (file.text, Some(if with_all { Method::ALL } else { &METHODS }))
    });
    let others = OTHERS.split("\n\n").chain([COUPLED]);
    let of_others = others.map(|text| (text.to_owned(), exhaustive().then_some(&METHODS[..])));
    let texts: Vec<(String, Option<&[Method]>)> = of_models.chain(of_others).collect();
    let checked = in_parallel(&texts, |(text, _)| text, |(text, methods)| check(text, *methods));
    let methods: usize = checked.iter().map(|(methods, _)| methods).sum();
    let worst = checked.iter().fold(0.0, |worst: f64, (_, error)| worst.max(*error));
    println!("{methods} steps, {worst:e}");
    assert!(methods > amount(15, 105), "{methods}");
}

#[test]
fn derivatives_by_few_reactions_are_factors() {
    let model = models(COUPLED, None).remove(0);
    let CurvatureProgram { curvature, .. } = curvature_program(&model.mechanics, Method::Rk4).expect("known");
    let products = curvature.products();
    let names = products.iter().map(|product| curvature.outputs[product.to].role.name());
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b", "xx", "xu", "xu", "uu"]);
    assert!(products.iter().all(|product| product.rank == 4), "one reaction in each stage");
    let first = models(OTHERS, None).remove(0);
    let CurvatureProgram { curvature, .. } =
        curvature_program(&first.mechanics, Method::Dla2).expect("known");
    assert!(curvature.products().is_empty(), "as many reactions as directions");
}

/// How many steps of the declarations of a text have the right derivatives, and the largest error.
fn check(text: &str, methods: Option<&[Method]>) -> (usize, f64) {
    let mut random = Random(11);
    let (mut steps, mut worst) = (0, 0.0_f64);
    for derived in models(text, methods) {
        let x = &derived.mechanics;
        for method in &derived.methods {
            let Some(derivatives) = derivative_programs(x, method.method) else { continue };
            let name = format!("{}, {}", x.system.name, method.id());
            derivatives.programs.iter().for_each(|(_, program)| program.validate(&derivatives.pool));
            let curvature =
                curvature_program(x, method.method).expect("second derivatives beside first ones");
            curvature.curvature.validate(&curvature.pool);
            let basis = basis_program(x);
            let tried = Tried { derived: &derived, method, derivatives, curvature, basis };
            let mut compared = 0;
            for _ in 0..2 {
                let at = point(&derived, &mut random);
                compared += usize::from(compare(&tried, &at, &mut random, &mut worst, &name));
            }
            if compared == 0 {
                println!("{name}: no step succeeds");
            }
            steps += usize::from(compared > 0);
        }
    }
    (steps, worst)
}

/// Whether a step from `at` and its derivatives succeed; these are right then.
fn compare(tried: &Tried<'_>, at: &Point, random: &mut Random, worst: &mut f64, name: &str) -> bool {
    let x = &tried.derived.mechanics;
    let Some(after) = tried.step(at, &at.u) else { return false };
    let arguments = tried.arguments(at, &at.u);
    let DerivativePrograms { pool, programs } = &tried.derivatives;
    let FirstDerivatives { linearize, linearize_parameters, pull_back } = programs;
    let [a, b, lambda_x, lambda_u] = match linearize.run(pool, &arguments) {
        Ok(all) => <[_; 4]>::try_from(all).unwrap(),
        // A step needs M to be positive definite only on what the constraints admit.
        Err(Failure::SingularMass) => return false,
        Err(error) => panic!("{name}: no derivatives of a step that succeeds: {error:?}"),
    };
    let [c, by_h] = linearize_parameters.run(pool, &arguments).expect("derivatives").try_into().unwrap();
    let (entries, size, m) = (x.q.len(), x.n() + x.n() - x.m() + x.z.len(), x.m());
    let (inputs, parameters) = (at.u.len(), at.p.len());
    let w: Vec<f64> = (0..size).map(|_| random.number()).collect();
    let weighted: Vec<f64> =
        pull_back.run(pool, &[&arguments[..], std::slice::from_ref(&w)].concat()).expect("products").concat();
    let norm = [&a, &b, &c, &by_h].into_iter().flatten().fold(1.0, |norm: f64, x| norm.max(x.abs()));
    // Near singular points the derivatives depend on the last bits of their arguments.
    let ulp = |x: &f64| x * (1.0 + f64::EPSILON);
    let nearby: Vec<Vec<f64>> = arguments.iter().map(|all| all.iter().map(ulp).collect()).collect();
    let a_nearby = linearize.run(pool, &nearby).expect("derivatives nearby").remove(0);
    let c_nearby = linearize_parameters.run(pool, &nearby).expect("derivatives nearby").remove(0);
    let tolerance = 1e-13 * norm + 10.0 * (distance(&a, &a_nearby) + distance(&c, &c_nearby));
    for (index, &weighted) in weighted.iter().enumerate() {
        let column = |matrix: &[f64], rows: usize, columns: usize, j: usize| -> Vec<f64> {
            (0..rows).map(|i| matrix[i * columns + j]).collect()
        };
        let of_x = match index {
            j if j < size => column(&a, size, size, j),
            j if j < size + inputs => column(&b, size, inputs, j - size),
            j if j < size + inputs + parameters => column(&c, size, parameters, j - size - inputs),
            _ => by_h.clone(),
        };
        let product: f64 = of_x.iter().zip(&w).map(|(x, w)| x * w).sum();
        let error = (product - weighted).abs();
        assert!(error <= tolerance, "{name}: {index}: {product} and {weighted} +- {tolerance:e}");
        let mut found = tried.by_entries(&after[..entries], &of_x);
        if index < size {
            found.extend(column(&lambda_x, m, size, index));
        } else if index < size + inputs {
            found.extend(column(&lambda_u, m, inputs, index - size));
        }
        let error_over = |by: f64| {
            let Some(expected) = tried.difference(at, index, by) else { return f64::INFINITY };
            let scale = expected.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
            distance(&found, &expected[..found.len()]) / scale
        };
        let mut error = error_over(1e-4);
        // Truncation or rounding limits the differences.
        for by in [1e-3, 1e-5] {
            if error > 1e-6 {
                error = error.min(error_over(by));
            }
        }
        *worst = worst.max(error);
        assert!(error < 1e-6 || error.is_infinite(), "{name}: column {index}: {error:e}");
    }
    let all = size + inputs;
    let CurvatureProgram { pool, curvature } = &tried.curvature;
    let run = |arguments: &[Vec<f64>]| {
        let blocks = curvature.run(pool, &[arguments, std::slice::from_ref(&w)].concat());
        let [xx, xu, uu, a, b] = blocks.expect("second derivatives").try_into().unwrap();
        let entry = |i: usize, j: usize| match (i.min(j), i.max(j)) {
            // The entry itself of both halves of what is square.
            _ if i.max(j) < size => xx[i * size + j],
            (i, j) if i < size => xu[i * inputs + j - size],
            _ => uu[(i - size) * inputs + j - size],
        };
        ((0..all * all).map(|k| entry(k / all, k % all)).collect::<Vec<f64>>(), [a, b])
    };
    let ((found, first), (found_nearby, _)) = (run(&arguments), run(&nearby));
    for (first, expected) in first.iter().zip([&a, &b]) {
        let error = distance(first, expected);
        assert!(error <= tolerance, "{name}: first derivatives with second ones: {error:e} +- {tolerance:e}");
    }
    let scale = found.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (i, j) in (0..all).flat_map(|i| (0..i).map(move |j| (i, j))) {
        assert_eq!(found[i * all + j], found[j * all + i], "{name}: {i}, {j}");
    }
    let tolerance = 1e-7 + 10.0 * distance(&found, &found_nearby) / scale;
    let mut error = f64::INFINITY;
    for by in [1e-4, 1e-3, 1e-5] {
        if error >= tolerance
            && let Some(expected) = tried.second_differences(at, &w, by)
        {
            error = error.min(distance(&found, &expected) / scale);
        }
    }
    assert!(error < tolerance || error.is_infinite(), "{name}: second derivatives: {error:e}");
    true
}
