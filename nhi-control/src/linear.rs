//! Linear systems whose states have names.

use crate::dense::{norm2, subtract_projections};
use crate::discrete::{Discrete, entry, sizes};
use crate::riccati::optimal;
use crate::{Lqr, LqrError};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::DMatrix;
use nhi_runtime::{
    Departure, DepartureOf, Differentiable, Reduced, ReducedOf, Simulation, State, Tangential, Vector,
};

/// Entries of matrices below this, relative to the largest one, are zero.
const ZERO_BELOW: f64 = 1e-9;

/// Parts of the step size that are taken in place of it to differentiate steps by their size, by differences of order 4: a step
/// resolves the motion, so that their error is about 1e-10 of the result, and that of rounding less.
const PART: f64 = 1.0 / 64.0;

/// Entries of which this part, or less, is not a combination of those before it, depend on these.
const DEPENDENT: f64 = 1e-9;

/// δx' = A δx + B δu of steps, or d/dt δx = A δx + B δu of the [continuous](Linear::continuous) system.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    /// Names of the entries of δx.
    pub names: Vec<String>,
    /// A, states × states.
    pub a: DMatrix<f64>,
    /// B, states × inputs.
    pub b: DMatrix<f64>,
}

impl Linear {
    /// The derivatives of the step just taken, by x = (q, ν, z) and u. Entries have the names of velocities, `nu[0]` and so on, and
    /// those of auxiliary states.
    ///
    /// # Errors
    /// Those of [`Simulation::linearize`].
    pub fn of<S: Tangential, M: Differentiable<S>>(
        sim: &Simulation<S, M>,
    ) -> Result<Self, nhi_runtime::Error> {
        let step = sim.linearize()?;
        Ok(Linear::of_rows::<S>(step.a.as_ref(), step.b.as_ref()))
    }

    fn of_rows<S: Tangential>(a: &[impl AsRef<[f64]>], b: &[impl AsRef<[f64]>]) -> Self {
        Linear {
            names: (0..a.len()).map(entry::<S>).collect(),
            a: DMatrix::from_fn(a.len(), a.len(), |i, j| a[i].as_ref()[j]),
            b: DMatrix::from_fn(a.len(), S::INPUTS.len(), |i, j| b[i].as_ref()[j]),
        }
    }

    /// The derivatives of the step just taken, by coordinates and velocities: `theta` of a coordinate, `dot_theta` of its velocity,
    /// also where the constraints make it depend on others. A pose is displaced by `omega`, if that is the name of a velocity of its
    /// body, which itself is `dot_omega`; auxiliary states have their names, and quasi-velocities are `nu[0]` and so on.
    ///
    /// A velocity v = X(q) ν + v₀ has the first-order relation δv = X δν + ∂(X ν + v₀)/∂q δq to the state, before the step and after it.
    /// The rest of the state is left out as by [`Linear::without`].
    ///
    /// # Errors
    /// [`LqrError::Derivatives`] as [`Simulation::linearize`], [`LqrError::NoEntry`], [`LqrError::Dependent`] for velocities of which
    /// the constraints determine one by the others, and [`LqrError::Coupled`] if entries depend on what is left out.
    pub fn of_entries<S: Tangential, M: Differentiable<S>>(
        sim: &Simulation<S, M>,
        entries: &[&str],
    ) -> Result<Self, LqrError> {
        let (from, x) = begun(sim)?;
        let parameters = *sim.parameters();
        let before = frame::<S>(&parameters, &x, from.t, &from.inputs);
        let after = frame::<S>(&parameters, &sim.reduced(), sim.time(), &from.inputs);
        let step = Linear::of(sim).map_err(|cause| LqrError::Derivatives { cause })?;
        let whole = step.in_entries(&names::<S>(), [&before, &after], entries)?;
        whole.first(entries.len())
    }

    /// The same of the continuous equations d/dt δx = A δx + B δu, where the last step began. They are the derivatives of those of steps
    /// by their size, at the size zero.
    ///
    /// # Errors
    /// As [`Linear::of_entries`].
    pub fn continuous<S: Tangential, M: Differentiable<S> + Clone>(
        sim: &Simulation<S, M>,
        entries: &[&str],
    ) -> Result<Self, LqrError> {
        let (from, x) = begun(sim)?;
        let parameters = *sim.parameters();
        let before = frame::<S>(&parameters, &x, from.t, &from.inputs);
        let undefined = |cause| LqrError::Derivatives { cause: nhi_runtime::Error::Derivatives { cause } };
        let at = |h: f64| {
            let discrete =
                Discrete::<S, M>::of(sim.method().clone(), parameters, h).map_err(|_| LqrError::Driven)?;
            let discrete = discrete.from_time(from.t);
            let from = discrete.departure(0, &x, from.inputs.as_ref()).map_err(undefined)?;
            let after = discrete.step_from(0, &from).map_err(undefined)?;
            let step = sim.method().linearize(&parameters, &from).map_err(undefined)?;
            let after = frame::<S>(&parameters, &after, from.t + h, &from.inputs);
            let step = Linear::of_rows::<S>(step.a.as_ref(), step.b.as_ref());
            step.in_entries(&names::<S>(), [&before, &after], entries)
        };
        Linear::by_size(at, sim.h())?.first(entries.len())
    }

    /// The system with these entries y of the state, and others, y = T x, that complete them. `names` are those of all entries that are
    /// known, and `rows` their derivatives by x before and after the step.
    ///
    /// # Errors
    /// [`LqrError::NoEntry`] and [`LqrError::Dependent`].
    pub fn in_entries(
        &self,
        names: &[String],
        rows: [&DMatrix<f64>; 2],
        entries: &[&str],
    ) -> Result<Self, LqrError> {
        let wanted = places(entries, names)?;
        let [before, _] = rows;
        let mut basis = Basis::default();
        for &i in &wanted {
            let (left, part) = basis.left(before, i);
            if part <= DEPENDENT {
                return Err(LqrError::Dependent { name: names[i].clone() });
            }
            basis.add(left);
        }
        let mut all = wanted;
        while basis.0.len() < self.a.nrows() {
            let mut best: Option<(usize, Vec<f64>, f64)> = None;
            for i in (0..names.len()).filter(|i| !all.contains(i)) {
                let (left, part) = basis.left(before, i);
                if best.as_ref().is_none_or(|(.., most)| part > most + DEPENDENT) {
                    best = Some((i, left, part));
                }
            }
            // The entries of x are among the names.
            let Some((i, left, _)) = best else { break };
            all.push(i);
            basis.add(left);
        }
        let [before, after] =
            rows.map(|rows| DMatrix::from_fn(all.len(), rows.ncols(), |i, j| rows[(all[i], j)]));
        let dependent = || LqrError::Dependent { name: entries.last().map_or("", |name| name).to_owned() };
        let inverse = before.try_inverse().ok_or_else(dependent)?;
        Ok(Linear {
            names: all.iter().map(|&i| names[i].clone()).collect(),
            a: &after * &self.a * inverse,
            b: after * &self.b,
        })
    }

    /// The derivative of the systems of steps of the size s by s, at zero, where those of small sizes are known; steps of size `h`
    /// resolve the motion.
    ///
    /// # Errors
    /// Those of `at`.
    pub fn by_size<E>(at: impl Fn(f64) -> Result<Linear, E>, h: f64) -> Result<Linear, E> {
        let size = PART * h;
        let part = |multiple: f64, weight: f64| {
            let Linear { names, a, b } = at(multiple * size)?;
            let weight = weight / (12.0 * size);
            Ok(Linear { names, a: a * weight, b: b * weight })
        };
        let mut sum = part(1.0, 8.0)?;
        for (multiple, weight) in [(-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
            let Linear { a, b, .. } = part(multiple, weight)?;
            sum.a += a;
            sum.b += b;
        }
        Ok(sum)
    }

    /// The system without all but the first `count` entries; see [`Linear::without`].
    ///
    /// # Errors
    /// [`LqrError::Coupled`].
    pub fn first(&self, count: usize) -> Result<Self, LqrError> {
        let rest: Vec<&str> = self.names.iter().skip(count).map(String::as_str).collect();
        self.without(&rest)
    }

    /// The same without entries: at a relative equilibrium the cyclic coordinates, on which nothing else depends, and what stays as
    /// it is, such as the speed of a bicycle that is steered only.
    ///
    /// # Errors
    /// [`LqrError::NoEntry`] for a name that is none; [`LqrError::Coupled`] for an entry that the others change, and on which one of
    /// them depends.
    pub fn without(&self, names: &[&str]) -> Result<Self, LqrError> {
        let left = places(names, &self.names)?;
        let kept: Vec<usize> = (0..self.names.len()).filter(|i| !left.contains(i)).collect();
        let depends = |i: usize, j: usize| self.a[(i, j)].abs() > ZERO_BELOW * self.a.amax();
        let moved_by_inputs = |i: usize| self.b.row(i).amax() > ZERO_BELOW * self.b.amax();
        // Entries that are left out, and on which those that stay depend, directly or through others that are left out.
        let (mut needed, mut others) = (kept.clone(), left);
        while let Some(at) = others.iter().position(|&j| needed.iter().any(|&i| depends(i, j))) {
            let j = others.swap_remove(at);
            if moved_by_inputs(j) || kept.iter().any(|&i| depends(j, i)) {
                let dependent = needed.iter().find(|&&i| depends(i, j)).map_or(j, |&i| i);
                let [name, dependent] = [j, dependent].map(|i| self.names[i].clone());
                return Err(LqrError::Coupled { name, dependent });
            }
            needed.push(j);
        }
        Ok(Linear {
            names: kept.iter().map(|&i| self.names[i].clone()).collect(),
            a: DMatrix::from_fn(kept.len(), kept.len(), |i, j| self.a[(kept[i], kept[j])]),
            b: DMatrix::from_fn(kept.len(), self.b.ncols(), |i, j| self.b[(kept[i], j)]),
        })
    }

    /// The optimal feedback for the cost Σ δxᵀQ δx + δuᵀR δu over all steps.
    ///
    /// # Errors
    /// As [`lqr`](crate::lqr), with the names of the entries.
    pub fn lqr(&self, q: &DMatrix<f64>, r: &DMatrix<f64>) -> Result<Lqr, LqrError> {
        optimal((&self.a, &self.b), q, r, &|i| self.names[i].clone())
    }
}

/// The places of entries among `names`.
fn places(entries: &[&str], names: &[String]) -> Result<Vec<usize>, LqrError> {
    let place = |name: &&str| {
        let place = names.iter().position(|other| other == name);
        place.ok_or_else(|| LqrError::NoEntry { name: (*name).to_owned(), names: names.to_vec() })
    };
    entries.iter().map(place).collect()
}

/// Orthonormal rows.
#[derive(Default)]
struct Basis(Vec<Vec<f64>>);

impl Basis {
    /// What the row `i` has besides those of the basis, and how large a part of it that is.
    fn left(&self, rows: &DMatrix<f64>, i: usize) -> (Vec<f64>, f64) {
        let mut left: Vec<f64> = rows.row(i).iter().copied().collect();
        let size = norm2(&left);
        // Twice, against roundings.
        subtract_projections(&mut left, self.0.iter().chain(&self.0).map(Vec::as_slice));
        let part = if size > 0.0 { norm2(&left) / size } else { 0.0 };
        (left, part)
    }

    fn add(&mut self, mut row: Vec<f64>) {
        let size = norm2(&row);
        row.iter_mut().for_each(|x| *x /= size);
        self.0.push(row);
    }
}

/// Where the last step began, and the state there.
type LastStep<S, M> = (DepartureOf<S, M>, ReducedOf<S>);

fn begun<S: Tangential, M: Differentiable<S>>(sim: &Simulation<S, M>) -> Result<LastStep<S, M>, LqrError> {
    let from = *sim.departure().map_err(|cause| LqrError::Derivatives { cause })?;
    let Departure { state, inputs, t, .. } = &from;
    let parameters = *sim.parameters();
    let (q, v, z) = (state.q(), state.v(), state.z());
    let [none, some] = [0.0, 1.0].map(|u| S::basis(&parameters, &q, *t, &S::Inputs::splat(u)).v0);
    if none != some {
        return Err(LqrError::Driven);
    }
    let nu = S::quasi_velocity(&parameters, &q, &v, *t, inputs);
    Ok((from, Reduced { q, nu, z }))
}

/// Names of the entries of x, and of all velocities.
fn names<S: Tangential>() -> Vec<String> {
    let size = sizes::<S>().states;
    let velocities = S::VELOCITIES.iter().map(|name| format!("dot_{name}"));
    (0..size).map(entry::<S>).chain(velocities).collect()
}

/// Their derivatives by x: the identity, and the rows (∂(X ν + v₀)/∂q, X, 0).
fn frame<S: Tangential>(
    parameters: &S::Parameters<f64>,
    x: &ReducedOf<S>,
    t: f64,
    u: &S::Inputs<f64>,
) -> DMatrix<f64> {
    let (size, n) = (sizes::<S>().states, S::VELOCITIES.len());
    let basis = S::basis(parameters, &x.q, t, u).x;
    let by_q = S::basis_derivative(parameters, &x.q, &x.nu, t, u);
    let (basis, by_q) = (basis.as_ref(), by_q.as_ref());
    DMatrix::from_fn(size + n, size, |i, j| match i.checked_sub(size) {
        None => f64::from(u8::from(i == j)),
        Some(i) if j < n => by_q[i].as_ref()[j],
        Some(i) => basis[i].as_ref().get(j - n).copied().unwrap_or(0.0),
    })
}
