//! The groups at work: RDP (Kobilarov, Martín de Diego and Ferraro, (27) and (28), corrected) written by hand for bodies without shape, with
//! constant metric 𝒢 and constraints, against the reference trajectories.
//!
//! With a basis E of the admissible velocities and unknown ξ = EΩ a step is
//!
//! ```text
//! Eᵀ((dτ⁻¹_{hξ})* 𝒢ξ − P) = 0,    g' = g τ(hξ),    P' = ((dτᴸ_{hξ})⁻¹)* 𝒢ξ.
//! ```

use super::maps::{rotation, space};
use super::{golden, numbers};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use nhi_runtime::group::{Cayley, Ccsk, Column, Exp, Exp1, Exp2, Exp4, Group, Operator, Retraction};
use nhi_runtime::group::{SE2, SE3, SO3};
use serde_json::Value;
use std::f64::consts::TAU;

/// What the data are to be met to at the last sample.
const TOLERANCE: f64 = 1e-11;

/// 𝒢 and the columns of E.
struct Body<const N: usize> {
    metric: [[f64; N]; N],
    basis: Vec<[f64; N]>,
}

#[derive(Clone, Copy)]
struct State<const N: usize, G> {
    g: G,
    p: [f64; N],
    /// ξ of the last step, and of the one before.
    xi: [f64; N],
    before: [f64; N],
}

/// Momentum after a step.
type Arrival<const N: usize> = fn([f64; N], [f64; N]) -> [f64; N];

impl<const N: usize> Body<N> {
    /// Eᵀ A E.
    fn restricted(&self, a: [[f64; N]; N]) -> DMatrix<f64> {
        let f = self.basis.len();
        DMatrix::from_fn(f, f, |i, j| self.basis[i].dot(a.apply(self.basis[j])))
    }

    /// E (EᵀAE)⁻¹ Eᵀ p.
    fn solve(&self, a: [[f64; N]; N], p: [f64; N]) -> [f64; N] {
        let rhs = DVector::from_iterator(self.basis.len(), self.basis.iter().map(|e| e.dot(p)));
        let omega = self.restricted(a).lu().solve(&rhs).expect("a regular matrix");
        self.basis.iter().zip(&omega).fold(Column::zero(), |x: [f64; N], (e, &w)| x.plus(e.times(w)))
    }

    fn start<G>(&self, g: G, v: [f64; N]) -> State<N, G> {
        State { g, p: self.metric.apply(v), xi: v, before: v }
    }

    /// The velocity at a node.
    fn velocity<G>(&self, state: &State<N, G>) -> [f64; N] {
        self.solve(self.metric, state.p)
    }

    /// One step; `arrival` is the momentum that a motion arrives with.
    fn step<G, R>(&self, state: State<N, G>, h: f64, arrival: Arrival<N>) -> State<N, G>
    where
        G: Group<Scalar = f64, Algebra = [f64; N], Operator = [[f64; N]; N]>,
        R: Retraction<G>,
    {
        let mut xi = state.xi.times(2.0).plus(state.before.negated());
        let mut iterations = 0;
        loop {
            let (sigma, nu) = (xi.times(h), self.metric.apply(xi));
            let residual = R::dtau_inv_star(sigma, nu).plus(state.p.negated());
            let jacobian = R::dtau_inv(sigma).transposed().after(self.metric).plus(R::k(sigma, nu).times(h));
            let delta = self.solve(jacobian, residual);
            xi = xi.plus(delta.negated());
            iterations += 1;
            if delta.dot(delta) < 1e-28 {
                break;
            }
            assert!(iterations < 6, "Newton's method is not quadratic: {delta:?}");
        }
        let sigma = xi.times(h);
        State { g: state.g.moved::<R>(sigma), p: arrival(sigma, self.metric.apply(xi)), xi, before: state.xi }
    }

    /// Runs a reference case and compares all of its samples.
    fn check<G, R>(&self, case: &Value, name: &str, pose: fn(&[f64]) -> G, flat: fn(G) -> Vec<f64>)
    where
        G: Group<Scalar = f64, Algebra = [f64; N], Operator = [[f64; N]; N]>,
        R: Retraction<G>,
    {
        let h = number(&case["h"]);
        let initial = &case["initial"];
        let v = numbers(&initial["v"]).try_into().expect("one velocity per dimension");
        let mut state = self.start(pose(&numbers(&initial["g"])), v);
        let mut k = 0;
        for sample in case["samples"].as_array().unwrap() {
            while k < sample["k"].as_u64().unwrap() {
                state = self.step::<G, R>(state, h, R::dtau_left_inv_star);
                k += 1;
            }
            let near = |got: &[f64], field: &str| {
                let expected = numbers(&sample[field]);
                assert_eq!(got.len(), expected.len());
                for (x, y) in got.iter().zip(&expected) {
                    let error = (x - y).abs() / (1.0 + y.abs());
                    assert!(error <= TOLERANCE, "{name}, step {k}: {field} off by {error:e}");
                }
            };
            near(&flat(state.g), "g");
            near(&self.velocity(&state), "v");
            if k > 0 {
                near(&state.xi, "z");
                near(&state.p, "p_plus");
            }
        }
        assert!(k > 100);
    }

    /// All cases of a model.
    fn check_all<G>(&self, model: &str, tau: &[&str], pose: fn(&[f64]) -> G, flat: fn(G) -> Vec<f64>)
    where
        G: Group<Scalar = f64, Algebra = [f64; N], Operator = [[f64; N]; N]>,
        Exp: Retraction<G>,
        Cayley: Retraction<G>,
        Ccsk: Retraction<G>,
    {
        for &tau in tau {
            let name = format!("{model}__rdp__{tau}__a05");
            let case = golden(&name);
            match tau {
                "exp" => self.check::<G, Exp>(&case, &name, pose, flat),
                "cay" => self.check::<G, Cayley>(&case, &name, pose, flat),
                "ccsk" => self.check::<G, Ccsk>(&case, &name, pose, flat),
                "exp1" => self.check::<G, Exp1>(&case, &name, pose, flat),
                "exp2" => self.check::<G, Exp2>(&case, &name, pose, flat),
                "exp4" => self.check::<G, Exp4>(&case, &name, pose, flat),
                other => panic!("unknown retraction {other}"),
            }
        }
    }
}

/// A number, or a fraction in a string.
fn number(value: &Value) -> f64 {
    let text = value.as_str().expect("numbers are exact");
    let mut parts = text.split('/').map(|x| x.parse::<f64>().expect("a decimal number"));
    let over = parts.next().unwrap();
    parts.fold(over, |x, under| x / under)
}

/// The parameters of a case by name.
fn parameters(name: &str) -> impl Fn(&str) -> f64 {
    let case = golden(name);
    move |parameter| number(&case["params"][parameter])
}

/// v⊥ = aω.
fn sleigh() -> Body<3> {
    let of = parameters("sleigh__rdp__exp__a05");
    let (m, a) = (of("m"), of("a"));
    Body {
        metric: [[of("I"), 0.0, 0.0], [0.0, m, 0.0], [0.0, 0.0, m]],
        basis: vec![[1.0, 0.0, a], [0.0, 1.0, 0.0]],
    }
}

/// ω₃ = 0.
fn suslov(case: &str) -> Body<3> {
    let of = parameters(case);
    let (x, y) = (of("I13"), of("I23"));
    Body {
        metric: [[of("I11"), 0.0, x], [0.0, of("I22"), y], [x, y, of("I33")]],
        basis: vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    }
}

/// V₂ = 0, V₃ = cΩ₂; the centre of mass at q.
fn body() -> Body<6> {
    let of = parameters("se3_body__rdp__exp__a05");
    let (m, c) = (of("m"), of("c"));
    let inertia = SVector::from([of("J1"), of("J2"), of("J3")]);
    let q = SVector::from([of("q1"), of("q2"), of("q3")]).cross_matrix();
    let mut metric = SMatrix::<f64, 6, 6>::identity() * m;
    metric
        .fixed_view_mut::<3, 3>(0, 0)
        .copy_from(&(SMatrix::from_diagonal(&inertia) + q.transpose() * q * m));
    metric.fixed_view_mut::<3, 3>(0, 3).copy_from(&(q * m));
    metric.fixed_view_mut::<3, 3>(3, 0).copy_from(&(q.transpose() * m));
    let unit = |i: usize| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
    let mut turning: [f64; 6] = unit(1);
    turning[5] = c;
    Body { metric: metric.transpose().into(), basis: vec![unit(0), turning, unit(2), unit(3)] }
}

fn plane(g: SE2<f64>) -> Vec<f64> {
    vec![g.theta - TAU * (g.theta / TAU).round(), g.x, g.y]
}

fn pose2(g: &[f64]) -> SE2<f64> {
    SE2 { theta: g[0], x: g[1], y: g[2] }
}

fn pose3(g: &[f64]) -> SO3<f64> {
    SO3(std::array::from_fn(|i| std::array::from_fn(|j| g[3 * i + j])))
}

fn pose6(g: &[f64]) -> SE3<f64> {
    let row = |i: usize| [g[4 * i], g[4 * i + 1], g[4 * i + 2]];
    SE3 { rotation: SO3([row(0), row(1), row(2)]), position: [g[3], g[7], g[11]] }
}

#[test]
fn sleigh_on_the_plane() {
    sleigh().check_all("sleigh", &["exp", "cay", "ccsk", "exp1", "exp2"], pose2, plane);
}

#[test]
fn suslov_problem() {
    suslov("suslov__rdp__exp__a05").check_all("suslov", &["exp", "cay", "ccsk", "exp1"], pose3, rotation);
    let special = "suslov_special__rdp__exp__a05";
    suslov(special).check_all("suslov_special", &["exp"], pose3, rotation);
}

#[test]
fn body_in_space() {
    body().check_all("se3_body", &["exp", "cay", "ccsk", "exp1", "exp2", "exp4"], pose6, space);
}

/// The position of the sleigh at t = 2 in `steps` steps.
fn position<R: Retraction<SE2<f64>>>(steps: u32, arrival: Arrival<3>) -> SVector<f64, 3> {
    let body = sleigh();
    let start = body.start(SE2::from([0.3, 0.0, 0.0]), [0.8, 1.2, 0.16]);
    let end = (0..steps).fold(start, |state, _| body.step::<_, R>(state, 2.0 / f64::from(steps), arrival));
    SVector::from(end.g.entries())
}

/// Coordinates of the second kind give a method of first order with the tangent in the body, and
/// none at all with the dτ⁻¹₋ₓ that papers write for it (section 0, Rule 0).
#[test]
fn both_tangents_are_needed() {
    let exact = position::<Exp>(4000, <Exp as Retraction<SE2<f64>>>::dtau_left_inv_star);
    let error = |steps, arrival| (position::<Ccsk>(steps, arrival) - exact).norm();
    let right: Arrival<3> = <Ccsk as Retraction<SE2<f64>>>::dtau_left_inv_star;
    let wrong: Arrival<3> = |x, mu| <Ccsk as Retraction<SE2<f64>>>::dtau_inv_star(x.negated(), mu);
    let rate = error(160, right) / error(320, right);
    assert!((rate - 2.0).abs() < 0.05, "{rate}");
    let (coarse, fine) = (error(160, wrong), error(320, wrong));
    assert!(fine > 0.1 && fine > 0.9 * coarse, "{coarse} and {fine} at half the step");
    let symmetric: Arrival<3> = |x, mu| <Exp as Retraction<SE2<f64>>>::dtau_inv_star(x.negated(), mu);
    assert!((position::<Exp>(4000, symmetric) - exact).norm() < 1e-13);
}

/// With dτ⁻¹ = 1 − ad/2 the energy is conserved to rounding (section 4.2), with the exact tangent it
/// is not.
#[test]
fn the_first_truncation_keeps_the_energy() {
    fn spread<R: Retraction<SO3<f64>>>() -> f64 {
        let body = suslov("suslov__rdp__exp__a05");
        let mut state = body.start(SO3::identity(), [0.9, -0.4, 0.0]);
        let energy = |state: &State<3, SO3<f64>>| {
            let v = body.velocity(state);
            0.5 * v.dot(body.metric.apply(v))
        };
        let start = energy(&state);
        let mut largest: f64 = 0.0;
        for _ in 0..4000 {
            state = body.step::<_, R>(state, 0.05, R::dtau_left_inv_star);
            largest = largest.max((energy(&state) - start).abs());
        }
        assert!(state.g.defect() < 1e-14);
        largest
    }
    let (truncated, exact) = (spread::<Exp1>(), spread::<Exp>());
    assert!(truncated < 1e-12, "{truncated:e}");
    assert!(exact > 1e-6, "{exact:e}");
}
