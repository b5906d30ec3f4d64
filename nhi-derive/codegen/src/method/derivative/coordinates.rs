//! Tangent coordinates: velocities by their components ν along a basis of the admissible ones.
//!
//! ```text
//! v = X(q) ν + v₀(q, t, u),   μ X = 0,   μ v₀ + μ₀ = 0,   ν = Y(q) v,   Y X = 1,   Y v₀ = 0.
//! ```
//!
//! ν are velocities that the constraints leave free, or combinations β vᵢ − α vⱼ of two of them, divided by α² + β²
//! ([`super::super::pivots`]).
//!
//! Where inputs u drive constraints, the velocity before a step is one of the inputs before it. A step between nodes depends on this
//! velocity by its momentum along the admissible velocities alone, Xᵀ M v: the impulse of the step replaces all other momenta. So that
//! ν and the inputs of the step determine this momentum, v₀ is orthogonal to X in the metric M if it is not so by itself,
//!
//! ```text
//! Y = (Xᵀ M X)⁻¹ Xᵀ M,   v₀ = (1 − X Y) v₁   for the solution v₁ of μ v₁ + μ₀ = 0 by the elimination.
//! ```

use crate::engine::{BuiltIn, Engine};
use crate::expr::Expr;
use crate::expr::linear::Matrix;
use crate::mechanics::Mechanics;
use crate::method::builder::Builder;
use crate::method::pivots::{Plan, named};

/// A basis of more operations is not simplified: for a bicycle in nine coordinates that takes seconds.
const LONG: usize = 200;

/// The choice of a basis, for all configurations, and how it is written.
pub(super) enum Coordinates {
    /// By the steps of the elimination of μ v + μ₀ = 0, with the metric in which v₀ is orthogonal to X.
    Eliminated { plan: Plan, mu: Matrix, mu_0: Vec<Expr>, metric: Option<Matrix> },
    /// By its entries at (q, t): where much cancels in the elimination, they take fewer operations.
    Simplified(Frame),
}

/// A basis of the admissible velocities in terms of coordinates, time and inputs: v = X ν + v₀ and ν = Y v.
pub struct TangentBasis {
    /// X, by rows.
    pub basis: Matrix,
    /// v₀.
    pub drift: Vec<Expr>,
    /// Y, by rows.
    pub components: Matrix,
    /// Where one of these vanishes, the basis degenerates even if the constraints are independent.
    pub degenerate: Vec<Expr>,
}

/// The basis to which derivatives of steps refer.
pub fn tangent_basis(x: &mut Mechanics) -> TangentBasis {
    let (q, t, n) = (x.q.clone(), x.system.t, x.n());
    let mu = x.mu.clone();
    let mut b = Builder::new(x);
    let coordinates = Coordinates::of(&mut b);
    let scratch = b.scratch();
    let frame = coordinates.at(&mut b, &q, t);
    let (plan, elimination) = Plan::of_all(&mut b, &mu, n);
    let degenerate = b.close(&plan.uncertain(&elimination), &scratch);
    let entries = b.close(&frame.entries(), &scratch);
    let Frame { basis, drift, dual } = frame.with(entries);
    let rows = (0..n).map(|i| basis.iter().map(|column| column[i]).collect()).collect();
    TangentBasis { basis: rows, drift, components: dual, degenerate }
}

/// The basis at a configuration.
pub(super) struct Frame {
    /// The columns of X.
    pub(super) basis: Matrix,
    /// v₀.
    pub(super) drift: Vec<Expr>,
    /// The rows of Y.
    pub(super) dual: Matrix,
}

impl Coordinates {
    /// Those of a system, in the way that takes the fewest operations.
    pub(super) fn of(b: &mut Builder<'_>) -> Coordinates {
        let (eliminated, simplified) = Coordinates::both(b);
        simplified.unwrap_or(eliminated)
    }

    /// Those of a system by the elimination, and simplified where that takes fewer operations. What depends on them may take fewer
    /// with the first, where derivatives of entries share those of its steps.
    pub(super) fn both(b: &mut Builder<'_>) -> (Coordinates, Option<Coordinates>) {
        let (mu, mu_0, n) = (b.x.mu.clone(), b.x.mu_t.clone(), b.x.n());
        let (q, t) = (b.x.q.clone(), b.x.system.t);
        let scratch = b.scratch();
        let (plan, _) = Plan::of_all(b, &mu, n);
        let mut eliminated = Coordinates::Eliminated { plan, mu, mu_0, metric: None };
        let mut frame = eliminated.at(b, &q, t);
        let mut written = b.close(&frame.entries(), &scratch);
        if frame.with(written.clone()).depends_on_drives(b)
            && let Coordinates::Eliminated { metric, .. } = &mut eliminated
        {
            *metric = Some(b.x.mass.clone());
            frame = eliminated.at(b, &q, t);
            written = b.close(&frame.entries(), &scratch);
        }
        b.discard(scratch);
        let cost = b.pool().cost(&written).weight();
        if cost > LONG {
            return (eliminated, None);
        }
        // A separate engine, so that the coordinates do not depend on the engine in use.
        let simple = BuiltIn.simplify(b.pool(), &written).ok();
        let simple = simple.filter(|simple| b.pool().cost(simple).weight() < cost);
        (eliminated, simple.map(|entries| Coordinates::Simplified(frame.with(entries))))
    }

    /// The basis at (q, t).
    pub(super) fn at(&self, b: &mut Builder<'_>, q: &[Expr], t: Expr) -> Frame {
        let (v, n) = (b.x.v.clone(), b.x.n());
        match self {
            Coordinates::Eliminated { plan, mu, mu_0, metric } => {
                let mu = b.matrix_at(mu, q, t);
                let mu_0 = b.at(mu_0, q, &v, t);
                let elimination = plan.applied(b, n, |i| (&mu[i], mu_0[i]));
                let dual = elimination.dual(b);
                let basis = elimination.basis().cloned().collect();
                let frame = Frame { basis, drift: elimination.particular, dual };
                match metric {
                    Some(mass) => {
                        let mass = b.matrix_at(mass, q, t);
                        frame.orthogonal(b, &mass)
                    }
                    None => frame,
                }
            }
            Coordinates::Simplified(frame) => {
                let entries = b.at(&frame.entries(), q, &v, t);
                frame.with(entries.into_iter().map(|e| named(b, "basis", e)).collect())
            }
        }
    }
}

impl Frame {
    /// All entries.
    fn entries(&self) -> Vec<Expr> {
        [self.basis.concat(), self.drift.clone(), self.dual.concat()].concat()
    }

    /// The same with other entries.
    fn with(&self, entries: Vec<Expr>) -> Frame {
        let mut vectors = entries.chunks(self.drift.len()).map(<[Expr]>::to_vec);
        let basis = vectors.by_ref().take(self.basis.len()).collect();
        let drift = vectors.next().unwrap_or_default();
        Frame { basis, drift, dual: vectors.collect() }
    }

    /// Whether the momentum Xᵀ M v₀ depends on inputs, for entries in q, t and inputs.
    fn depends_on_drives(&self, b: &mut Builder<'_>) -> bool {
        let inputs = b.x.system.input_symbols();
        let depend =
            |b: &Builder<'_>, all: &[Expr]| all.iter().any(|&e| b.x.system.pool.depends_on(e, &inputs));
        if !depend(b, &self.drift) {
            return false;
        }
        let mass = b.x.mass.clone();
        let momentum = b.apply(&mass, &self.drift);
        let along = b.apply(&self.basis, &momentum);
        let simple = BuiltIn.simplify(b.pool(), &along).unwrap_or(along);
        depend(b, &simple)
    }

    /// The same basis with v₀ and the kernel of Y orthogonal to it.
    fn orthogonal(self, b: &mut Builder<'_>, mass: &Matrix) -> Frame {
        let Frame { basis, drift, .. } = self;
        let covectors: Matrix = basis.iter().map(|x| b.apply(mass, x)).collect();
        let covectors = b.bind_matrix("covector", &covectors);
        let inertia: Matrix = covectors.iter().map(|row| b.apply(&basis, row)).collect();
        let dual = b.solve_ordered(&inertia, &covectors, &[]);
        let along = b.apply(&dual, &drift);
        let mut rest = drift;
        for (x, along) in basis.iter().zip(along) {
            let minus = b.pool().neg(along);
            rest = b.axpy(&rest, minus, x);
        }
        Frame { basis, drift: rest, dual }
    }

    /// Y v.
    pub(super) fn components(&self, b: &mut Builder<'_>, v: &[Expr]) -> Vec<Expr> {
        b.apply(&self.dual, v)
    }

    /// X ν + v₀.
    pub(super) fn velocity(&self, b: &mut Builder<'_>, nu: &[Expr]) -> Vec<Expr> {
        self.basis.iter().zip(nu).fold(self.drift.clone(), |v, (column, &nu)| b.axpy(&v, nu, column))
    }
}
