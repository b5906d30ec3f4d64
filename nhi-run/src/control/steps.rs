//! Steps of compiled methods as functions of the state x = (q, ν, z).

use crate::{Error, System};
use nhi_control::{PlanError, Sizes};
use nhi_jit::{Basis, Compiled, Derivatives, Manifold, Point, Simulation};
use nhi_methods::Variant;
use nhi_runtime::admissible::corrected;
use nhi_runtime::{Failure, Limits};

/// A state x = (q, ν, z).
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Configuration.
    pub q: Vec<f64>,
    /// Quasi-velocities: v = X(q) ν + v₀.
    pub nu: Vec<f64>,
    /// Auxiliary states.
    pub z: Vec<f64>,
}

impl State {
    pub(super) fn parts(&self) -> [&[f64]; 3] {
        [&self.q, &self.nu, &self.z]
    }
}

/// The step of differences of order 4, in units of what is displaced: both their error and that of rounding are about 1e-12.
pub(super) const DISPLACED: f64 = 1e-3;

/// Such differences: multiples of what is displaced, with the weights of what is there, in twelfths.
pub(super) const DIFFERENCES: [(f64, f64); 4] = [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)];

/// Where a step begins: parameters and time.
pub(super) type At<'a> = (&'a [f64], f64);

/// The steps of a method, with their first derivatives.
#[derive(Clone)]
pub(super) struct Steps {
    compiled: Compiled,
    variant: Variant,
    pub(super) derivatives: Derivatives,
    basis: Basis,
    pub(super) manifold: Manifold,
    pub(super) sizes: Sizes,
    names: Vec<String>,
    coordinates: Vec<String>,
    /// The guess of the multipliers of a step.
    pub(super) lambda: Vec<f64>,
}

/// Why a step cannot be taken.
pub(super) fn failure(error: nhi_jit::Error) -> Failure {
    match error {
        nhi_jit::Error::Start { cause }
        | nhi_jit::Error::Step { cause, .. }
        | nhi_jit::Error::Derivatives { cause }
        | nhi_jit::Error::Basis { cause } => cause,
        // Numbers that are not finite: lengths are right.
        _ => Failure::NonFinite,
    }
}

/// A point at which only the basis is evaluated.
fn point<'a>((parameters, t): At<'a>, q: &'a [f64], v: &'a [f64], inputs: &'a [f64]) -> Point<'a> {
    Point { parameters, q, v, z: &[], t, inputs }
}

impl Steps {
    pub(super) fn new(system: &System, variant: Variant) -> Result<Steps, Error> {
        let (compiled, derivatives) = (system.compiled(variant)?, system.derivatives(variant)?);
        let basis = system.basis()?;
        let [_, d] = basis.sizes();
        let names = system.velocities().iter().cloned();
        let names = names.chain((0..d).map(|i| format!("nu[{i}]"))).chain(system.states().iter().cloned());
        let names: Vec<String> = names.collect();
        Ok(Steps {
            compiled,
            variant,
            derivatives,
            basis,
            manifold: system.manifold(),
            sizes: Sizes { states: names.len(), inputs: system.inputs().len() },
            names,
            coordinates: system.coordinates().to_vec(),
            lambda: vec![0.0; system.constraints().len()],
        })
    }

    /// What the entry `i` of a tangent vector displaces.
    pub(super) fn entry(&self, i: usize) -> String {
        self.names[i].clone()
    }

    /// Names of the quasi-velocities at a state: `dot_x` where one of them is that velocity, and `nu[0]` otherwise.
    pub(super) fn velocity_names(&self, at: At<'_>, x: &State) -> Vec<String> {
        let n = self.compiled.velocities().len();
        let names = self.names[n..n + x.nu.len()].iter().cloned();
        let u = vec![0.0; self.sizes.inputs];
        let Ok(frame) = self.basis.at(&point(at, &x.q, &[], &u)) else { return names.collect() };
        let is_one = |row: &[f64]| {
            let place = row.iter().position(|&y| y == 1.0)?;
            row.iter().enumerate().all(|(i, &y)| i == place || y == 0.0).then_some(place)
        };
        let own = frame.dual.chunks(n.max(1)).map(is_one);
        names.zip(own).map(|(name, own)| own.map_or(name, |i| format!("dot_{}", self.names[i]))).collect()
    }

    /// How many velocities there are.
    pub(super) fn velocities(&self) -> usize {
        self.compiled.velocities().len()
    }

    /// v = X ν + v₀.
    pub(super) fn velocity(&self, at: At<'_>, x: &State, u: &[f64]) -> Result<Vec<f64>, Failure> {
        self.basis.velocity(&point(at, &x.q, &[], u), &x.nu).map_err(failure)
    }

    /// That the mass matrix gives some velocities a negative kinetic energy at t = 0, if it does.
    pub(super) fn negative_inertia(&self, parameters: &[f64], q: &[f64]) -> Option<Failure> {
        let (rest, z) = (vec![0.0; self.velocities()], vec![0.0; self.compiled.states().len()]);
        let inputs = vec![0.0; self.sizes.inputs];
        self.compiled.negative_inertia(&Point { z: &z, ..point((parameters, 0.0), q, &rest, &inputs) })
    }

    /// That a velocity violates constraints, with zero inputs.
    pub(super) fn violated(&self, at: At<'_>, q: &[f64], v: &[f64]) -> PlanError {
        let residual = self.compiled.residual(&point(at, q, v, &vec![0.0; self.sizes.inputs]));
        PlanError::constraints(self.compiled.constraints().iter().map(String::as_str), &residual)
    }

    /// The state with ν = Y(q) v and zero auxiliary states, of a system whose constraints inputs do not drive.
    pub(super) fn state(&self, at: At<'_>, q: &[f64], v: &[f64]) -> Result<State, PlanError> {
        let failed = |error| PlanError::Prepare { cause: failure(error) };
        let drift = |u: f64| {
            let frame = self.basis.at(&point(at, q, &[], &vec![u; self.sizes.inputs]));
            frame.map(|frame| frame.drift).map_err(failed)
        };
        if drift(0.0)? != drift(1.0)? {
            return Err(PlanError::Velocity { is_driven: true });
        }
        self.components(at, q, v)
    }

    /// The state before a step of a plan: inputs may drive constraints, if steps do not depend on those before them.
    pub(super) fn planned(&self, at: At<'_>, q: &[f64], v: &[f64]) -> Result<State, PlanError> {
        if self.variant.method.forgets_drives() { self.components(at, q, v) } else { self.state(at, q, v) }
    }

    /// The state with ν = Y(q) v, with zero inputs and auxiliary states.
    fn components(&self, at: At<'_>, q: &[f64], v: &[f64]) -> Result<State, PlanError> {
        let failed = |error| PlanError::Prepare { cause: failure(error) };
        let none = vec![0.0; self.sizes.inputs];
        let nu = self.basis.quasi_velocity(&point(at, q, v, &none)).map_err(failed)?;
        Ok(State { q: q.to_vec(), nu, z: vec![0.0; self.compiled.states().len()] })
    }

    /// Names of coordinates, velocities and auxiliary states at a start, with their values; the displacement of a pose is zero.
    pub(super) fn start_entries(&self, q: &[f64], v: &[f64]) -> Vec<(String, f64)> {
        let names = &self.names[..v.len()];
        let coordinates = names.iter().map(|name| {
            let place = self.coordinates.iter().position(|coordinate| coordinate == name);
            (name.clone(), place.map_or(0.0, |place| q[place]))
        });
        let velocities = names.iter().zip(v).map(|(name, &v)| (format!("dot_{name}"), v));
        let states = self.compiled.states().iter().map(|name| (name.to_string(), 0.0));
        coordinates.chain(velocities).chain(states).collect()
    }

    /// The start whose entries differ by `delta` from those given, on the constraints.
    pub(super) fn start(
        &self,
        parameters: &[f64],
        (q, v): (&[f64], &[f64]),
        delta: &[f64],
    ) -> Result<State, PlanError> {
        let cannot = |cause| PlanError::Prepare { cause };
        let (by_q, rest) = delta.split_at(v.len());
        let (by_v, z) = rest.split_at(v.len());
        let [_, d] = self.basis.sizes();
        let (none, no_states) = (vec![0.0; d], vec![0.0; z.len()]);
        let padded = [by_q, &none, z].concat();
        let [mut q, ..] = self.manifold.retract([q, &none, &no_states], &padded);
        let v: Vec<f64> = v.iter().zip(by_v).map(|(v, by)| v + by).collect();
        let inputs = vec![0.0; self.sizes.inputs];
        let at =
            |q: &[f64]| self.compiled.correct(&Point { parameters, q, v: &v, z, t: 0.0, inputs: &inputs });
        let size = |q: &Vec<f64>| {
            let g = self.compiled.position(&Point { parameters, q, v: &v, z, t: 0.0, inputs: &inputs });
            g.iter().fold(0.0, |size: f64, g| size.max(g.abs()))
        };
        q = corrected(q, size, |q| at(q)).map_err(cannot)?;
        let point = Point { parameters, q: &q, v: &v, z, t: 0.0, inputs: &inputs };
        let v = self.compiled.project(&point).map_err(cannot)?;
        Ok(State { z: z.to_vec(), ..self.state((parameters, 0.0), &q, &v)? })
    }

    /// What `f` makes of the point at which a step begins.
    pub(super) fn at<T>(
        &self,
        (parameters, t): At<'_>,
        x: &State,
        u: &[f64],
        f: impl FnOnce(&Point<'_>) -> Result<T, nhi_jit::Error>,
    ) -> Result<T, Failure> {
        let v = self.velocity((parameters, t), x, u)?;
        f(&Point { parameters, q: &x.q, v: &v, z: &x.z, t, inputs: u }).map_err(failure)
    }

    /// The state after a step of size `h`, which a simulation does not refuse.
    pub(super) fn step(&self, at: At<'_>, h: f64, x: &State, u: &[f64]) -> Result<State, Failure> {
        let after = self.at(at, x, u, |at| {
            let after = self.compiled.step(self.variant, at, h)?;
            let tested = self.compiled.test(&Limits::DEFAULT, at, h, &after);
            tested.map_err(|cause| nhi_jit::Error::Step { step: 1, time: at.t, cause })?;
            Ok(after)
        })?;
        let end = (at.0, at.1 + h);
        let nu = self.basis.quasi_velocity(&point(end, &after.q, &after.v, u)).map_err(failure)?;
        Ok(State { q: after.q, nu, z: after.z })
    }

    /// The multipliers of a step of size `h` from a point.
    pub(super) fn multipliers(&self, at: &Point<'_>, h: f64) -> Result<Vec<f64>, nhi_jit::Error> {
        self.compiled.step_multipliers(self.variant, at, h)
    }

    /// Appends to `states` those of a simulation from `x` at the time of `at`, with inputs that follow one another.
    ///
    /// # Errors
    /// The number of a step that it refuses, and why.
    pub(super) fn motion(
        &self,
        (parameters, t): At<'_>,
        h: f64,
        x: &State,
        inputs: &[Vec<f64>],
        states: &mut Vec<State>,
    ) -> Result<(), (usize, Failure)> {
        let Some(first) = inputs.first() else { return Ok(()) };
        let v = self.velocity((parameters, t), x, first).map_err(|cause| (0, cause))?;
        let at = Point { parameters, q: &x.q, v: &v, z: &x.z, t, inputs: first };
        // Velocities of the basis satisfy the constraints up to rounding.
        let begun = Simulation::at_point(&self.compiled, self.variant, &at, h)
            .or_else(|_| Simulation::project_point(&self.compiled, self.variant, &at, h));
        let mut sim = begun.map_err(|error| (0, failure(error)))?;
        for (k, u) in inputs.iter().enumerate() {
            let failed = |error| (k, failure(error));
            sim.step_with(u).map_err(failed)?;
            let (q, v) = (sim.q().to_vec(), sim.v());
            let nu =
                self.basis.quasi_velocity(&point((parameters, sim.time()), &q, &v, u)).map_err(failed)?;
            states.push(State { q, nu, z: sim.z().to_vec() });
        }
        Ok(())
    }

    /// Momenta of symmetries at a state, by name, with their derivatives by it, by differences of order 4: they are compared with
    /// combinations of conditions, which differ from them by much more.
    pub(super) fn momenta(&self, at: At<'_>, x: &State) -> Vec<(String, Vec<f64>)> {
        let n = self.sizes.states;
        let u = vec![0.0; self.sizes.inputs];
        let momentum = |x: &State| {
            let v = self.velocity(at, x, &u)?;
            Ok::<_, Failure>(self.compiled.momentum(&Point { z: &x.z, ..point(at, &x.q, &v, &u) }))
        };
        // ∂p/∂x, a row for each direction.
        let rows = (0..n).map(|i| {
            let mut row = vec![0.0; self.compiled.velocities().len()];
            for (multiple, weight) in DIFFERENCES {
                let mut delta = vec![0.0; n];
                delta[i] = multiple * DISPLACED;
                let p = momentum(&self.retract(x, &delta))?;
                row.iter_mut().zip(p).for_each(|(to, p)| *to += weight / (12.0 * DISPLACED) * p);
            }
            Ok::<_, Failure>(row)
        });
        let Ok(rows) = rows.collect::<Result<Vec<_>, _>>() else { return Vec::new() };
        let along =
            |xi: &[f64]| rows.iter().map(|row| row.iter().zip(xi).map(|(p, xi)| p * xi).sum()).collect();
        self.compiled.symmetries().map(|(name, xi)| (name.to_owned(), along(xi))).collect()
    }

    /// x ⊕ δ.
    pub(super) fn retract(&self, x: &State, delta: &[f64]) -> State {
        let [q, nu, z] = self.manifold.retract(x.parts(), delta);
        State { q, nu, z }
    }

    /// Sets `delta` to `to` ⊖ `from`.
    pub(super) fn difference(&self, from: &State, to: &State, delta: &mut [f64]) {
        delta.copy_from_slice(&self.manifold.difference(from.parts(), to.parts()));
    }
}
