//! Exact discrete Lagrange–d'Alembert equations (EDLA; McLachlan & Perlmutter 2006, (7.12); Anahory
//! Simoes, Martín de Diego & Marrero, *Exact discrete Lagrangian for constrained mechanics*).
//!
//! The exact flow of a nonholonomic system, seen at times 0, h, 2h, satisfies a discrete
//! Lagrange–d'Alembert principle of its own. With q₀, q₁, q₂ on a solution of a reversible
//! Lagrangian, L_d(q₀, q₁) = ∫ L dt along the solution from q₀ to q₁, and V ⊂ T_{q₁}Q the variations
//! of q₁ that keep both (q₀, q₁) and (q₁, q₂) joined by solutions,
//!
//! ```text
//! (1)  D₂L_d(q₀, q₁) + D₁L_d(q₁, q₂) + F⁺ + F⁻ = 0  on V,
//! (2)  F⁺ = ∫ ⟨μᵀΛ, J⟩ dt on [0, h],  F⁻ the same on [h, 2h],
//! (3)  D₂L_d(q₀, q₁) + F⁺ = ⟨p₁, ·⟩  on the variations of the first arc alone,
//!      D₁L_d(q₁, q₂) + F⁻ = −⟨p₁, ·⟩ on those of the second,
//! ```
//!
//! where J is the variation of the solution that moves q₁ and holds the other end, and Λ are the
//! multipliers. The variations come from dual numbers in the initial velocity, the integrals from
//! quadratures integrated along, so that every number is exact to the working precision: nothing is
//! lost to differences. The equations are a diagnostic, not an integrator: they do not determine q₂.

use nhi_models::{Row, contact_oscillator, nh_particle, sleigh_com, vertical_disk};
use nhi_runtime::{Dual, Failure, Fields, Scalar, System, Vector};

/// What is left of the equations.
#[derive(Clone, Debug)]
pub struct Edla {
    /// dim V.
    pub dimension: usize,
    /// Smallest singular value of the matrix whose null space gives V, those that vanish left out.
    pub gap: f64,
    /// |D₂L_d + D₁L_d|, the largest over an orthonormal basis of V: what the forces have to balance.
    pub unbalanced: f64,
    /// The left-hand side of (1), likewise.
    pub residual: f64,
    /// The largest defect of (3) over both arcs' variations of unit length.
    pub one_sided: f64,
}

/// Checks the equations on the solution of `system`, with linear constraints and without forces,
/// from (`q0`, `v0`) over two steps `h`, in the numbers `T`.
///
/// # Errors
/// Where the equations of motion are singular on the way.
pub fn edla<T: Scalar, S: System>(
    system: &S,
    q0: &S::Configuration<f64>,
    v0: &S::Velocity<f64>,
    h: f64,
) -> Result<Edla, Failure> {
    let flow = Flow::<T, S>::new(system);
    let h = T::from_f64(h);
    let q0: Vec<T> = q0.as_ref().iter().map(|&x| T::from_f64(x)).collect();
    let v0: Vec<T> = v0.as_ref().iter().map(|&x| T::from_f64(x)).collect();
    // The data are on the constraint manifold up to the rounding of `f64`.
    let v0 = flow.project(&q0, &v0)?;
    let end = flow.arc(&q0, &v0, &vec![T::from_f64(0.0); v0.len()], h + h)?;
    let first = flow.variations(&q0, &v0, h)?;
    let second = flow.variations(&end.q, &end.v, -h)?;

    let p1 = flow.momentum(&first[0].q, &first[0].v);
    let mut one_sided: f64 = 0.0;
    for (arc, sign) in first.iter().map(|arc| (arc, 1.0)).chain(second.iter().map(|arc| (arc, -1.0))) {
        let defect = arc.action + arc.work - T::from_f64(sign) * dot(&p1, &arc.dq);
        one_sided = one_sided.max((defect / norm(&arc.dq)).to_f64().abs());
    }

    // V = im A ∩ im B with the variations as columns: null vectors (a, b) of [A −B] give A a = B b.
    let negative = |arc: &Arc<T>| arc.dq.iter().map(|&x| -x).collect();
    let columns = first.iter().map(|arc| arc.dq.clone()).chain(second.iter().map(negative)).collect();
    let (singular, right) = singular_values(columns);
    // Those that vanish do so to the working precision; the others are far above its root.
    let threshold = T::EPSILON.sqrt() * singular.iter().copied().fold(0.0, f64::max);
    let mut found = Edla { dimension: 0, gap: f64::INFINITY, unbalanced: 0.0, residual: 0.0, one_sided };
    for (singular, c) in singular.into_iter().zip(&right) {
        if singular > threshold {
            found.gap = found.gap.min(singular);
            continue;
        }
        let sum = |f: fn(&Arc<T>) -> T| {
            let terms = first.iter().chain(&second).zip(c).map(|(arc, &c)| c * f(arc));
            terms.fold(T::from_f64(0.0), |sum, term| sum + term)
        };
        let mut w = vec![T::from_f64(0.0); p1.len()];
        for (arc, &c) in first.iter().zip(c) {
            add(&mut w, c, &arc.dq);
        }
        let (action, work) = (sum(|arc| arc.action), sum(|arc| arc.work));
        found.dimension += 1;
        found.unbalanced = found.unbalanced.max((action / norm(&w)).to_f64().abs());
        found.residual = found.residual.max(((action + work) / norm(&w)).to_f64().abs());
    }
    Ok(found)
}

/// The equations over two steps `h` from the models' own initial data, in the numbers `T`: five models
/// of the literature, and the disk tied by a spring.
///
/// # Errors
/// As [`edla`].
pub fn table<T: Scalar>(h: f64) -> Result<[(&'static str, Edla); 6], Failure> {
    fn of<T: Scalar, S: System>(model: &Row<S>, system: &S, h: f64) -> Result<Edla, Failure> {
        let (q0, v0) = model.start(system);
        edla::<T, S>(system, &q0, &v0, h)
    }
    let spring = vertical_disk::VerticalDisk { k: 0.8, ..vertical_disk::MODEL.example() };
    let [harmonic, free] = [&nh_particle::HARMONIC, &nh_particle::MODEL];
    let (contact, sleigh, disk) = (&contact_oscillator::MODEL, &sleigh_com::MODEL, &vertical_disk::MODEL);
    Ok([
        (harmonic.name, of::<T, _>(harmonic, &harmonic.example(), h)?),
        (contact.name, of::<T, _>(contact, &contact.example(), h)?),
        (free.name, of::<T, _>(free, &free.example(), h)?),
        (sleigh.name, of::<T, _>(sleigh, &sleigh.example(), h)?),
        (disk.name, of::<T, _>(disk, &disk.example(), h)?),
        ("vertical_disk on a spring", of::<T, _>(disk, &spring, h)?),
    ])
}

/// The end of an arc of a solution, and how it varies.
struct Arc<T> {
    q: Vec<T>,
    v: Vec<T>,
    /// J at the end.
    dq: Vec<T>,
    /// Derivative of ∫ L dt.
    action: T,
    /// ∫ ⟨μᵀΛ, J⟩ dt.
    work: T,
}

/// The exact flow of a system, with its derivative.
struct Flow<T: Scalar, S: System> {
    parameters: S::Parameters<Dual<T>>,
}

impl<T: Scalar, S: System> Flow<T, S> {
    fn new(system: &S) -> Self {
        Flow { parameters: vector(system.parameters().as_ref(), Dual::from_f64) }
    }

    /// The admissible velocity nearest to `v`.
    fn project(&self, q: &[T], v: &[T]) -> Result<Vec<T>, Failure> {
        let zero = Dual::from_f64(0.0);
        let v = S::project(
            &self.parameters,
            &vector(q, Dual::constant),
            &vector(v, Dual::constant),
            zero,
            &S::Inputs::splat(zero),
        )?;
        Ok(v.as_ref().iter().map(|x| x.re).collect())
    }

    /// ∂L/∂v.
    fn momentum(&self, q: &[T], v: &[T]) -> Vec<T> {
        let zero = Dual::from_f64(0.0);
        let p = S::momentum(&self.parameters, &vector(q, Dual::constant), &vector(v, Dual::constant), zero);
        p.as_ref().iter().map(|x| x.re).collect()
    }

    /// The arcs of length `h` from (q, v), one for each vector of an orthonormal basis of the admissible
    /// velocities by which v varies. One backwards in time carries the integrals forwards in time.
    fn variations(&self, q: &[T], v: &[T], h: T) -> Result<Vec<Arc<T>>, Failure> {
        let n = q.len();
        let mut candidates = Vec::with_capacity(n);
        for i in 0..n {
            let unit: Vec<T> = (0..n).map(|j| T::from_f64(f64::from(u8::from(i == j)))).collect();
            candidates.push(self.project(q, &unit)?);
        }
        let mut arcs = Vec::new();
        for _ in 0..n - <S::Multipliers<T> as Fields<T>>::LEN {
            candidates.sort_by(|a, b| norm(a).to_f64().total_cmp(&norm(b).to_f64()));
            let longest = candidates.pop().expect("no more directions than coordinates");
            let length = norm(&longest);
            let direction: Vec<T> = longest.iter().map(|&x| x / length).collect();
            for other in &mut candidates {
                let along = dot(other, &direction);
                add(other, -along, &direction);
            }
            arcs.push(self.arc(q, v, &direction, h)?);
        }
        Ok(arcs)
    }

    /// The arc of length `h` from (q, v) while v varies by `dv`.
    fn arc(&self, q: &[T], v: &[T], dv: &[T], h: T) -> Result<Arc<T>, Failure> {
        let n = q.len();
        let mut y: Vec<Dual<T>> = q.iter().map(|&q| Dual::constant(q)).collect();
        y.extend(v.iter().zip(dv).map(|(&re, &eps)| Dual { re, eps: [eps] }));
        y.extend([Dual::from_f64(0.0); 2]);
        let step = Dual::constant(h / T::from_f64(f64::from(STEPS)));
        for _ in 0..STEPS {
            y = self.extrapolated(&y, step)?;
        }
        let forwards = T::from_f64(h.to_f64().signum());
        Ok(Arc {
            q: y[..n].iter().map(|x| x.re).collect(),
            v: y[n..2 * n].iter().map(|x| x.re).collect(),
            dq: y[..n].iter().map(|x| x.eps[0]).collect(),
            action: forwards * y[2 * n].eps[0],
            work: forwards * y[2 * n + 1].re,
        })
    }

    /// d/dt of (q, v, ∫ L dt, ∫ ⟨μᵀΛ, J⟩ dt).
    fn field(&self, y: &[Dual<T>]) -> Result<Vec<Dual<T>>, Failure> {
        let n = (y.len() - 2) / 2;
        let (q, v) = (vector(&y[..n], |x| x), vector(&y[n..2 * n], |x| x));
        let zero = Dual::from_f64(0.0);
        let (z, inputs) = (S::States::splat(zero), S::Inputs::splat(zero));
        let (a, lambda) = S::acceleration_of(&self.parameters, &q, &v, &z, zero, &inputs)?;
        let p = S::momentum(&self.parameters, &q, &v, zero);
        let lagrangian = dot(p.as_ref(), v.as_ref()) - S::energy(&self.parameters, &q, &v, zero);
        // ⟨μᵀΛ, J⟩ = Λ · (μ J), and μ J is the constraints' residual at the velocity J.
        let j: S::Velocity<Dual<T>> = vector(&y[..n], |x: Dual<T>| Dual::constant(x.eps[0]));
        let mu_j = S::residual(&self.parameters, &q, &j, zero, &inputs);
        let work = Dual::constant(dot(lambda.as_ref(), mu_j.as_ref()).re);
        Ok([v.as_ref(), a.as_ref(), &[lagrangian, work]].concat())
    }

    /// One step of Gragg's modified midpoint rule, extrapolated (Hairer, Nørsett & Wanner, *Solving
    /// Ordinary Differential Equations I*, section II.9).
    fn extrapolated(&self, y: &[Dual<T>], h: Dual<T>) -> Result<Vec<Dual<T>>, Failure> {
        // Row j of Aitken and Neville's table.
        let mut row: Vec<Vec<Dual<T>>> = Vec::with_capacity(COLUMNS);
        for j in 0..COLUMNS {
            let mut entry = self.increment(y, h, 2 * (j + 1))?;
            for (k, above) in row.iter_mut().enumerate() {
                let (fine, coarse) = ((j + 1).pow(2) as f64, (j - k).pow(2) as f64);
                let factor = Dual::from_f64(coarse) / Dual::from_f64(fine - coarse);
                let next = entry.iter().zip(&*above).map(|(&new, &old)| new + (new - old) * factor).collect();
                *above = std::mem::replace(&mut entry, next);
            }
            row.push(entry);
        }
        Ok(y.iter().zip(&row[COLUMNS - 1]).map(|(&y, &increment)| y + increment).collect())
    }

    /// y(t + h) − y(t) with `n` substeps.
    fn increment(&self, y: &[Dual<T>], h: Dual<T>, n: usize) -> Result<Vec<Dual<T>>, Failure> {
        let substep = h / Dual::from_f64(n as f64);
        let mut previous = vec![Dual::from_f64(0.0); y.len()];
        let mut current: Vec<Dual<T>> = self.field(y)?.into_iter().map(|f| substep * f).collect();
        for _ in 1..n {
            let state: Vec<Dual<T>> = y.iter().zip(&current).map(|(&y, &increment)| y + increment).collect();
            add(&mut previous, substep + substep, &self.field(&state)?);
            std::mem::swap(&mut previous, &mut current);
        }
        Ok(current)
    }
}

/// Columns of the extrapolation table: order 16.
const COLUMNS: usize = 8;
/// Extrapolated steps per arc. Their error is below 1e-32 for arcs of length 1/2.
const STEPS: u32 = 32;

/// `entries` as a fixed-length vector.
fn vector<A: Copy, T: Scalar, V: Vector<T>>(entries: &[A], number: impl Fn(A) -> T) -> V {
    let mut vector = V::splat(T::from_f64(0.0));
    for (to, &from) in vector.as_mut().iter_mut().zip(entries) {
        *to = number(from);
    }
    vector
}

fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::from_f64(0.0), |sum, (&a, &b)| sum + a * b)
}

fn norm<T: Scalar>(a: &[T]) -> T {
    dot(a, a).sqrt()
}

/// `to` + `factor` · `from`.
fn add<T: Scalar>(to: &mut [T], factor: T, from: &[T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = *to + factor * from;
    }
}

/// Singular values of the matrix with these columns, and for each the right singular vector: Hestenes'
/// one-sided Jacobi method, which rotates pairs of columns until all are orthogonal.
fn singular_values<T: Scalar>(mut columns: Vec<Vec<T>>) -> (Vec<f64>, Vec<Vec<T>>) {
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    let k = columns.len();
    let mut right: Vec<Vec<T>> =
        (0..k).map(|i| (0..k).map(|j| if i == j { one } else { zero }).collect()).collect();
    // Convergence is quadratic; half a dozen sweeps are usual.
    for _ in 0..20 {
        for i in 0..k {
            for j in i + 1..k {
                let (a, b) = (dot(&columns[i], &columns[i]), dot(&columns[j], &columns[j]));
                let c = dot(&columns[i], &columns[j]);
                // Against the longer column: one that vanishes is left as it is.
                if c.to_f64().abs() <= T::EPSILON * (a + b).to_f64() {
                    continue;
                }
                let zeta = (b - a) / (c + c);
                let root = (one + zeta * zeta).sqrt();
                let tan = if zeta.to_f64() < 0.0 { one / (zeta - root) } else { one / (zeta + root) };
                let cos = one / (one + tan * tan).sqrt();
                for vectors in [&mut columns, &mut right] {
                    let (left, rest) = vectors.split_at_mut(j);
                    for (x, y) in left[i].iter_mut().zip(&mut rest[0]) {
                        (*x, *y) = (cos * (*x - tan * *y), cos * (*y + tan * *x));
                    }
                }
            }
        }
    }
    (columns.iter().map(|column| norm(column).to_f64()).collect(), right)
}

#[cfg(test)]
mod tests {
    use super::singular_values;

    /// (3, 4)/5 and (−4, 3)/5 times 2 and 1, mixed; and a third column in their span.
    #[test]
    fn null_vectors_are_found() {
        let (a, b) = ([1.2, 1.6], [-0.8, 0.6]);
        let columns = vec![a.to_vec(), b.to_vec(), vec![a[0] + 3.0 * b[0], a[1] + 3.0 * b[1]]];
        let (singular, right) = singular_values(columns.clone());
        let null = &right[(0..3).min_by(|&i, &j| singular[i].total_cmp(&singular[j])).unwrap()];
        for row in 0..2 {
            let image: f64 = columns.iter().zip(null).map(|(column, c)| column[row] * c).sum();
            assert!(image.abs() < 1e-15, "{image}");
        }
        assert_eq!(singular.iter().filter(|s| **s < 1e-15).count(), 1, "{singular:?}");
        // Frobenius' norm is that of the singular values.
        let squares: f64 = columns.iter().flatten().map(|x| x * x).sum();
        assert!((singular.iter().map(|s| s * s).sum::<f64>() - squares).abs() < 1e-13);
    }
}
