//! Equations of motion by automatic differentiation and a library's ODE solver: an oracle that
//! shares nothing with the derivation and the methods under test.
//!
//! A system is a Lagrangian and a constraint residual, written as Rust functions of dual numbers.
//! With L(q, v), constraints c(q, v) = μ(q)v + μ₀(q) and forces f the acceleration a and the
//! multipliers λ solve
//!
//! ```text
//! | M  −μᵀ | | a |   | L_q − (L_vq) v + f |      M = ∂²L/∂v∂v,  μ = ∂c/∂v,
//! | μ   0  | | λ | = | −γ                 |      γ = ∂c/∂q · v.
//! ```

mod trajectory;

pub use trajectory::{Point, trajectory};

use nalgebra::{DMatrix, DVector};
pub use num_dual::DualNum;
use num_dual::{Dual, Dual64, HyperDual64};

/// Numbers with derivatives up to some order.
pub trait Number: DualNum<Primitive = f64> + Copy {}

impl<T: DualNum<Primitive = f64> + Copy> Number for T {}

/// A mechanical system on R^n.
pub trait Equations {
    /// L(q, v).
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D;

    /// μ(q)v + μ₀(q), m entries.
    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D>;

    /// Components of the work one-form, n entries.
    fn force(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
        let _ = (v, t, inputs);
        vec![0.0; q.len()]
    }
}

/// dv/dt and the multipliers λ of the reaction force μᵀλ.
#[derive(Clone, Debug)]
pub struct Motion {
    /// dv/dt, n entries.
    pub acceleration: Vec<f64>,
    /// λ, m entries.
    pub multipliers: Vec<f64>,
}

/// The matrix on the left, factorised; the right-hand side is different for every question.
struct Saddle {
    matrix: DMatrix<f64>,
    n: usize,
}

impl Saddle {
    fn at(equations: &impl Equations, q: &[f64], v: &[f64]) -> Saddle {
        let n = q.len();
        let mu = forms(equations, q);
        let m = mu.len();
        let mut matrix = DMatrix::zeros(n + m, n + m);
        for i in 0..n {
            for j in i..n {
                matrix[(i, j)] = second(equations, q, v, i, Direction::Velocity(j));
                matrix[(j, i)] = matrix[(i, j)];
            }
        }
        for (a, row) in mu.iter().enumerate() {
            for (i, &x) in row.iter().enumerate() {
                matrix[(n + a, i)] = x;
                matrix[(i, n + a)] = -x;
            }
        }
        Saddle { matrix, n }
    }

    fn solve(self, top: Vec<f64>, bottom: Vec<f64>) -> Motion {
        let rhs = DVector::from_iterator(top.len() + bottom.len(), top.into_iter().chain(bottom));
        let lu = self.matrix.full_piv_lu();
        // Not a number where the equations are singular.
        let x = lu.solve(&rhs).unwrap_or_else(|| rhs.map(|_| f64::NAN));
        Motion {
            acceleration: x.rows(0, self.n).iter().copied().collect(),
            multipliers: x.rows(self.n, x.len() - self.n).iter().copied().collect(),
        }
    }
}

/// dv/dt and λ.
pub fn motion(equations: &impl Equations, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Motion {
    let forces = forces(equations, q, v, t, inputs);
    let transport = (0..q.len()).map(|i| second(equations, q, v, i, Direction::Motion));
    let top = forces.iter().zip(transport).map(|(f, x)| f - x).collect();
    let (moving, still) = (moving(q, v), constant(v));
    let gamma = equations.constraints(&moving, &still);
    Saddle::at(equations, q, v).solve(top, gamma.iter().map(|g| -g.eps).collect())
}

/// The multipliers that keep the velocity admissible to first order when `force` acts on a body that
/// is otherwise free: −C⁻¹ μ M⁻¹ force.
pub fn reaction(equations: &impl Equations, q: &[f64], force: &[f64]) -> Vec<f64> {
    let m = forms(equations, q).len();
    Saddle::at(equations, q, &vec![0.0; q.len()]).solve(force.to_vec(), vec![0.0; m]).multipliers
}

/// The admissible velocity nearest to `v` in the kinetic-energy metric.
pub fn project(equations: &impl Equations, q: &[f64], v: &[f64]) -> Vec<f64> {
    let residual = equations.constraints(q, v);
    let correction =
        Saddle::at(equations, q, v).solve(vec![0.0; q.len()], residual.iter().map(|r| -r).collect());
    v.iter().zip(correction.acceleration).map(|(v, c)| v + c).collect()
}

/// p = ∂L/∂v.
pub fn momentum(equations: &impl Equations, q: &[f64], v: &[f64]) -> Vec<f64> {
    (0..q.len()).map(|i| equations.lagrangian(&constant(q), &along(v, i)).eps).collect()
}

/// ∂L/∂q + f.
pub fn forces(equations: &impl Equations, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
    let force = equations.force(q, v, t, inputs);
    slope(equations, q, v).iter().zip(force).map(|(l, f)| l + f).collect()
}

/// ∂L/∂q.
pub fn slope(equations: &impl Equations, q: &[f64], v: &[f64]) -> Vec<f64> {
    (0..q.len()).map(|i| equations.lagrangian(&along(q, i), &constant(v)).eps).collect()
}

/// E = p·v − L.
pub fn energy(equations: &impl Equations, q: &[f64], v: &[f64]) -> f64 {
    let p = momentum(equations, q, v);
    p.iter().zip(v).map(|(p, v)| p * v).sum::<f64>() - equations.lagrangian(q, v)
}

/// dr/dt = ∂r/∂q · v of a position r(q).
pub fn rate<D: Number, const K: usize>(
    q: &[D],
    v: &[D],
    position: impl Fn(&[Dual<D>]) -> [Dual<D>; K],
) -> [D; K] {
    let q: Vec<Dual<D>> = q.iter().zip(v).map(|(&q, &v)| Dual::new(q, v)).collect();
    position(&q).map(|r| r.eps)
}

/// μ(q), by rows.
pub fn forms(equations: &impl Equations, q: &[f64]) -> Vec<Vec<f64>> {
    let n = q.len();
    let columns: Vec<Vec<Dual64>> =
        (0..n).map(|i| equations.constraints(&constant(q), &along(&vec![0.0; n], i))).collect();
    let m = columns.first().map_or(0, Vec::len);
    (0..m).map(|a| columns.iter().map(|c| c[a].eps).collect()).collect()
}

fn constant(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|&x| Dual64::new(x, 0.0)).collect()
}

/// `x` along its `i`-th coordinate.
fn along(x: &[f64], i: usize) -> Vec<Dual64> {
    x.iter().enumerate().map(|(j, &x)| Dual64::new(x, f64::from(i == j))).collect()
}

/// q along v.
fn moving(q: &[f64], v: &[f64]) -> Vec<Dual64> {
    q.iter().zip(v).map(|(&q, &v)| Dual64::new(q, v)).collect()
}

/// A direction in (q, v).
#[derive(Clone, Copy)]
enum Direction {
    /// The j-th velocity.
    Velocity(usize),
    /// q moves with velocity v.
    Motion,
}

/// The derivative of ∂L/∂vᵢ in a direction.
fn second(equations: &impl Equations, q: &[f64], v: &[f64], i: usize, direction: Direction) -> f64 {
    let n = q.len();
    let (mut x, mut y) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for k in 0..n {
        let (dq, dv) = match direction {
            Direction::Velocity(j) => (0.0, f64::from(j == k)),
            Direction::Motion => (v[k], 0.0),
        };
        x.push(HyperDual64::new(q[k], 0.0, dq, 0.0));
        y.push(HyperDual64::new(v[k], f64::from(i == k), dv, 0.0));
    }
    equations.lagrangian(&x, &y).eps1eps2
}
