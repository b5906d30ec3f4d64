//! One run as a function from all its numbers to all its numbers, in any scalar.

use nhi_models::Row;
use nhi_runtime::{Failure, Method, Scalar, State, System, Vector};

/// Steps of a trajectory.
pub(crate) const STEPS: u64 = 50;

/// A system with its data and a method: what a run starts from is `x`, the parameters, q₀, v₀, inputs and h
/// one after the other.
pub(crate) struct Run<S: System, M> {
    pub(crate) name: String,
    pub(crate) system: S,
    pub(crate) method: M,
    pub(crate) x: Vec<f64>,
}

/// What a run starts from, by kind.
pub(crate) struct Data<S: System, T: Scalar> {
    pub(crate) parameters: S::Parameters<T>,
    pub(crate) q: S::Configuration<T>,
    pub(crate) v: S::Velocity<T>,
    pub(crate) inputs: S::Inputs<T>,
    pub(crate) h: T,
}

impl<S: System + Clone, M: Method<S> + Copy> Run<S, M> {
    pub(crate) fn new(row: &Row<S>, method: M, h: f64) -> Self {
        let (q, v) = row.start(&row.example());
        let inputs = (0..S::INPUTS.len()).map(|i| 0.3 - 0.5 * i as f64);
        let mut x = row.example().parameters().as_ref().to_vec();
        x.extend(q.as_ref());
        x.extend(v.as_ref());
        x.extend(inputs);
        x.push(h);
        Run { name: format!("{} by {}", row.name, method.id()), system: row.example(), method, x }
    }

    /// The places of parameters, q₀, v₀ and inputs in x.
    pub(crate) fn places(&self) -> [std::ops::Range<usize>; 4] {
        let mut end = 0;
        let lengths = [S::PARAMETERS.len(), S::COORDINATES.len(), S::VELOCITIES.len(), S::INPUTS.len()];
        lengths.map(|length| {
            end += length;
            end - length..end
        })
    }

    pub(crate) fn data<T: Scalar>(&self, x: &[T]) -> Data<S, T> {
        let [parameters, q, v, inputs] = self.places().map(|place| &x[place]);
        Data {
            parameters: vector(parameters),
            q: vector(q),
            v: vector(v),
            inputs: vector(inputs),
            h: x[x.len() - 1],
        }
    }

    /// q, both velocities at the node, λ and the energy after one step and after all of them.
    pub(crate) fn end<T: Scalar>(&self, x: &[T]) -> Result<Vec<T>, Failure> {
        let Data { parameters, q, v, inputs, h } = self.data(x);
        let prepared = self.method.prepare(&parameters, h)?;
        let zero = T::from_f64(0.0);
        let mut state = self.method.start(&parameters, h, &q, &v, &S::States::splat(zero), zero, &inputs)?;
        let mut end = Vec::new();
        for k in 0..STEPS {
            self.method.resync_if_due(&mut state, k);
            state = self.method.step(&prepared, &state, T::from_f64(k as f64) * h, &inputs)?;
            if k == 0 || k + 1 == STEPS {
                let (before, after) = state.jump();
                end.extend(state.q().as_ref());
                end.extend(before.as_ref());
                end.extend(after.as_ref());
                end.extend(state.lambda().as_ref());
                end.push(S::energy(&parameters, &state.q(), &state.v(), T::from_f64(0.0)));
            }
        }
        Ok(end)
    }

    /// x with v₀ made admissible.
    pub(crate) fn admissible<T: Scalar>(&self, x: &[T]) -> Result<Vec<T>, Failure> {
        let Data { parameters, q, v, .. } = self.data(x);
        let zero = T::from_f64(0.0);
        let v = S::project(&parameters, &q, &v, zero, &S::Inputs::splat(zero))?;
        let mut x = x.to_vec();
        x[self.places()[2].clone()].copy_from_slice(v.as_ref());
        Ok(x)
    }
}

pub(crate) fn vector<T: Scalar, V: Vector<T>>(entries: &[T]) -> V {
    let mut vector = V::splat(T::from_f64(0.0));
    vector.as_mut().copy_from_slice(entries);
    vector
}
