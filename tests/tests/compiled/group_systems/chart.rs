//! A system on R^k × G beside the same system in coordinates.

use nhi_runtime::group::{Cayley, Exp1, Exp2};
use nhi_runtime::{
    Compose, Method, Rattle, RattleRestarted, Rdp, Retracted, Rkmk2, Rkmk4, Simulation, System, Vector,
};
use nhi_tests::oracle::{self, Equations, Number, Point, trajectory};

/// A declared system whose [`Equations`] are in coordinates.
pub(crate) trait Charted: System + Equations + Clone {
    /// The entries and body velocities for coordinates and their velocities.
    fn on_group(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>);
}

/// Derivatives by dual numbers are exact, so what is left is rounding, here and in the emitted code.
const ROUNDING: f64 = 1e-11;

/// Constraint residual of a node, relative to velocities and radii of order one.
const ON_CONSTRAINT: f64 = 1e-13;

/// How far a measured order may be from the true one, with the coarser and with the finer pair of
/// step sizes.
const ORDER: [f64; 2] = [0.3, 0.1];

/// Error above which an order can be measured; the reference is good to 1e-12.
const MEASURABLE: f64 = 1e-10;

/// A vector of the runtime.
fn vector<V: Vector<f64>>(x: &[f64]) -> V {
    let mut v = V::splat(0.0);
    v.as_mut().copy_from_slice(x);
    v
}

fn assert_close(what: &str, got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() <= ROUNDING * size, "{what}: {got:?} instead of {expected:?}");
    }
}

/// Energy, residual, projection, acceleration and multipliers at states around `centre`.
pub(crate) fn equations_agree<S: Charted>(system: &S, centre: &[f64]) {
    let parameters = system.parameters();
    for k in 0..12 {
        let n = centre.len();
        let wave = |i: usize, rate: f64| (rate * (k * n + i) as f64 + 0.3).sin();
        let q: Vec<f64> = centre.iter().enumerate().map(|(i, c)| c + 0.3 * wave(i, 1.3)).collect();
        let v: Vec<f64> = (0..n).map(|i| wave(i, 2.1)).collect();
        let inputs: Vec<f64> = (0..S::INPUTS.len()).map(|i| wave(i, 0.7)).collect();
        let t = 0.2 * k as f64;
        let expected = oracle::motion(system, &q, &v, t, &inputs);
        let (pose, body) = system.on_group(&q, &v);
        let (qs, vs) = (vector::<S::Configuration<f64>>(&pose), vector::<S::Velocity<f64>>(&body));
        let (a, lambda) =
            S::acceleration_of(&parameters, &qs, &vs, &vector(&[]), t, &vector::<S::Inputs<f64>>(&inputs))
                .expect("an acceleration");
        assert_close("multipliers", lambda.as_ref(), &expected.multipliers);
        // dv/dt of the body velocities along the motion in coordinates, by a difference quotient.
        let moved = |s: f64| {
            let q: Vec<f64> =
                (0..n).map(|i| q[i] + s * v[i] + s * s / 2.0 * expected.acceleration[i]).collect();
            let v: Vec<f64> = (0..n).map(|i| v[i] + s * expected.acceleration[i]).collect();
            system.on_group(&q, &v).1
        };
        let slope = |s: f64| -> Vec<f64> {
            moved(s).iter().zip(moved(-s)).map(|(a, b)| (a - b) / (2.0 * s)).collect()
        };
        let (coarse, fine) = (slope(2e-3), slope(1e-3));
        for ((fine, coarse), a) in fine.iter().zip(coarse).zip(a.as_ref()) {
            let quotient = fine + (fine - coarse) / 3.0;
            assert!((quotient - a).abs() < 1e-7 * (1.0 + a.abs()), "acceleration {a}, but {quotient}");
        }
        assert_close("energy", &[S::energy(&parameters, &qs, &vs, 0.0)], &[oracle::energy(system, &q, &v)]);
        assert_close(
            "residual",
            S::residual(&parameters, &qs, &vs, 0.0, &S::Inputs::splat(0.0)).as_ref(),
            &system.constraints(&q, &v),
        );
        let projected = S::project(&parameters, &qs, &vs, 0.0, &S::Inputs::splat(0.0)).expect("a projection");
        let expected = oracle::project(system, &q, &v);
        assert_close("projection", projected.as_ref(), &system.on_group(&q, &expected).1);
    }
}

/// An initial value problem.
pub(crate) struct Problem<'a, S> {
    pub(crate) system: &'a S,
    /// Coordinates, and their velocities, which are projected.
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    /// One vector of inputs per interval; all intervals are equally long.
    pub(crate) inputs: &'a [&'a [f64]],
    /// End of the last interval.
    pub(crate) duration: f64,
    /// Steps per interval of the coarsest run.
    pub(crate) steps: usize,
}

/// Where a motion ends, on the group.
pub(crate) struct End {
    q: Vec<f64>,
    v: Vec<f64>,
}

impl<S: Charted> Problem<'_, S> {
    fn start(&self) -> Point {
        Point { q: self.q.to_vec(), v: oracle::project(self.system, self.q, self.v) }
    }

    /// The end of the motion in coordinates.
    pub(crate) fn reference(&self) -> End {
        let interval = self.duration / self.inputs.len() as f64;
        let mut at = self.start();
        for (i, inputs) in self.inputs.iter().enumerate() {
            let t = i as f64 * interval;
            at = trajectory(self.system, &at, (t, t + interval), inputs);
        }
        let (q, v) = self.system.on_group(&at.q, &at.v);
        End { q, v }
    }

    /// The error at the end, after `steps` steps in each interval.
    fn error<M: Method<S>>(&self, method: M, steps: usize, end: &End) -> f64 {
        let start = self.start();
        let (q, v) = self.system.on_group(&start.q, &start.v);
        let h = self.duration / (steps * self.inputs.len()) as f64;
        let first = vector::<S::Inputs<f64>>(self.inputs[0]);
        let id = method.id();
        let (q, v): (S::Configuration<f64>, S::Velocity<f64>) = (vector(&q), vector(&v));
        let mut sim = Simulation::with_inputs(self.system.clone(), method, q, v, &first, h).expect("a start");
        for inputs in self.inputs {
            let inputs = vector::<S::Inputs<f64>>(inputs);
            for _ in 0..steps {
                sim.step_with(&inputs).expect("a step");
                let residual = sim.residual().as_ref().iter().fold(0.0, |r: f64, x| r.max(x.abs()));
                assert!(residual <= ON_CONSTRAINT || id.starts_with("rkmk"), "{id}: residual {residual:e}");
                assert!(sim.q().defect() < 1e-14, "{id}: {:e} off the group", sim.q().defect());
            }
        }
        let (q, v) = (sim.q(), sim.v());
        let got = q.as_ref().iter().chain(v.as_ref());
        got.zip(end.q.iter().chain(&end.v)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// `method` converges to the motion in coordinates with its order.
    pub(crate) fn converges<M: Method<S> + Copy + std::fmt::Debug>(&self, method: M, order: f64, end: &End) {
        let errors = [1, 2, 4].map(|finer| self.error(method, finer * self.steps, end));
        let slopes = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
        println!("{} {method:?}: orders {slopes:?}, errors {errors:?}", S::NAME);
        assert!(errors[2] > MEASURABLE, "{method:?}: errors {errors:?} are too small to measure an order");
        let good = slopes.iter().zip(ORDER).all(|(s, allowed)| (s - order).abs() <= allowed);
        assert!(good, "{method:?}: orders {slopes:?}, errors {errors:?}");
    }
}

/// The methods of every group system, and compositions.
pub(crate) fn methods_converge<S: Charted>(problem: &Problem<'_, S>)
where
    Rdp: Method<S>,
    Retracted<Rdp, Cayley>: Method<S>,
    Retracted<Rdp, Exp1>: Method<S>,
    Retracted<Rdp, Exp2>: Method<S>,
    Rattle: Method<S>,
    Retracted<Rattle, Cayley>: Method<S>,
    RattleRestarted: Method<S>,
    Rkmk2: Method<S>,
    Rkmk4: Method<S>,
{
    let end = problem.reference();
    problem.converges(Rdp, 2.0, &end);
    problem.converges(Rdp::new(Cayley), 2.0, &end);
    problem.converges(Rdp::new(Exp1), 2.0, &end);
    problem.converges(Rdp::new(Exp2), 2.0, &end);
    problem.converges(Rattle, 2.0, &end);
    problem.converges(Rattle::plain(), 2.0, &end);
    problem.converges(Rattle.with(Cayley), 2.0, &end);
    problem.converges(RattleRestarted, 2.0, &end);
    problem.converges(Rkmk2, 2.0, &end);
    problem.converges(Rkmk4, 4.0, &end);
    problem.converges(Compose::suzuki4(Rdp), 4.0, &end);
    problem.converges(Compose::suzuki4(Rdp::new(Cayley)), 4.0, &end);
}

/// Euler's angles (a, b, c) about z, x, z: the rows of R = R_z(a) R_x(b) R_z(c).
pub(crate) fn rotation<D: Number>([a, b, c]: [D; 3]) -> [[D; 3]; 3] {
    let (sa, ca, sb, cb, sc, cc) = (a.sin(), a.cos(), b.sin(), b.cos(), c.sin(), c.cos());
    [
        [ca * cc - sa * cb * sc, -(ca * sc) - sa * cb * cc, sa * sb],
        [sa * cc + ca * cb * sc, -(sa * sc) + ca * cb * cc, -(ca * sb)],
        [sb * sc, sb * cc, cb],
    ]
}

/// The angular velocity in the body for the rates of Euler's angles: their axes in it are the vertical
/// (the last row of R), the line of nodes and the third axis.
pub(crate) fn angular_velocity<D: Number>([_, b, c]: [D; 3], rates: [D; 3]) -> [D; 3] {
    let (sb, cb, sc, cc) = (b.sin(), b.cos(), c.sin(), c.cos());
    [sb * sc * rates[0] + cc * rates[1], sb * cc * rates[0] - sc * rates[1], cb * rates[0] + rates[2]]
}

pub(crate) fn cross<D: Number>(a: [D; 3], b: [D; 3]) -> [D; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot<D: Number>(a: [D; 3], b: [D; 3]) -> D {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The R of rows applied to a column.
pub(crate) fn apply<D: Number>(rows: [[D; 3]; 3], x: [D; 3]) -> [D; 3] {
    rows.map(|row| dot(row, x))
}

/// Its transpose applied to a column.
pub(crate) fn back<D: Number>(rows: [[D; 3]; 3], x: [D; 3]) -> [D; 3] {
    [0, 1, 2].map(|j| rows[0][j] * x[0] + rows[1][j] * x[1] + rows[2][j] * x[2])
}
