//! Negative controls: the formulas as printed, or with a term left out, do not converge.
//! They are written by hand, on the functions of the declared systems and the groups
//! of the runtime; the right formula in the same code is the emitted method. What becomes of coordinates of
//! the second kind with dτ⁻¹₋ₓ is among the tests of the groups.

use super::case::{Case, distance};
use nalgebra::{DMatrix, DVector};
use nhi_models::lie::{
    ball_as_printed::BallAsPrinted, roller_racer::RollerRacer, two_wheeled_robot::TwoWheeledRobot,
};
use nhi_runtime::group::{Exp, SE2, SO3};
use nhi_runtime::{Dual, Factor, Fields, Retracts, System, Vector};
use std::marker::PhantomData;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Variant {
    Right,
    /// +Aᵀ instead of −Aᵀ in the equation of the shape.
    SignOfConnection,
    /// ∂ℓ/∂r left out.
    NoBaseDerivative,
    /// +2Q*Π instead of −2Q*Π in the node rule, which is −2Q*Π instead of +2Q*Π after it.
    SignOfAffineTerm,
}
use Variant::{NoBaseDerivative, Right, SignOfAffineTerm, SignOfConnection};

/// The mechanics of a declared system on R^k × G without potential energy, invariant under G.
struct ByHand<S: System, G> {
    parameters: Vec<f64>,
    k: usize,
    marker: PhantomData<(S, G)>,
}

/// A configuration with the momentum that the next step begins with.
#[derive(Clone, Debug)]
struct State {
    q: Vec<f64>,
    p: DVector<f64>,
}

fn vector<T: Copy, V: Vector<T>>(entries: impl IntoIterator<Item = T>) -> V {
    let mut entries = entries.into_iter();
    let first = entries.next().expect("entries");
    let mut vector = V::splat(first);
    for (entry, x) in vector.as_mut()[1..].iter_mut().zip(entries.by_ref()) {
        *entry = x;
    }
    assert!(entries.next().is_none(), "as many entries");
    vector
}

fn list(entries: &[f64]) -> impl Iterator<Item = f64> + '_ {
    entries.iter().copied()
}

impl<S: System, G: Factor> ByHand<S, G>
where
    Exp: Retracts<G>,
{
    fn of(case: &Case) -> Self {
        let k = case.v0.len() - G::Algebra::<f64>::LEN;
        ByHand { parameters: case.instance.parameters(), k, marker: PhantomData }
    }

    fn n(&self) -> usize {
        self.k + G::Algebra::<f64>::LEN
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> DVector<f64> {
        let p = S::momentum::<f64>(&vector(list(&self.parameters)), &vector(list(q)), &vector(list(v)), 0.0);
        DVector::from_column_slice(p.as_ref())
    }

    /// ∂ℓ/∂r, which is that of the energy, and nothing for the body.
    fn slope(&self, q: &[f64], v: &[f64]) -> DVector<f64> {
        let constant = |x: f64| Dual::constant(x);
        DVector::from_fn(self.n(), |i, _| {
            let moved = q.iter().enumerate().map(|(j, &x)| Dual { re: x, eps: [f64::from(i == j)] });
            let parameters = vector(self.parameters.iter().copied().map(constant));
            let v = vector(v.iter().copied().map(constant));
            if i < self.k {
                S::energy::<Dual<f64>>(&parameters, &vector(moved), &v, constant(0.0)).eps[0]
            } else {
                0.0
            }
        })
    }

    fn residual(&self, q: &[f64], v: &[f64]) -> DVector<f64> {
        let residual = S::residual::<f64>(
            &vector(list(&self.parameters)),
            &vector(list(q)),
            &vector(list(v)),
            0.0,
            &S::Inputs::splat(0.0),
        );
        DVector::from_column_slice(residual.as_ref())
    }

    fn unit(&self, i: usize) -> Vec<f64> {
        (0..self.n()).map(|j| f64::from(i == j)).collect()
    }

    /// 𝒢, column by column.
    fn metric(&self, q: &[f64]) -> DMatrix<f64> {
        DMatrix::from_columns(&(0..self.n()).map(|i| self.momentum(q, &self.unit(i))).collect::<Vec<_>>())
    }

    /// μ and c: μv = c.
    fn forms(&self, q: &[f64]) -> (DMatrix<f64>, DVector<f64>) {
        let c = -self.residual(q, &vec![0.0; self.n()]);
        let columns: Vec<_> = (0..self.n()).map(|i| self.residual(q, &self.unit(i)) + &c).collect();
        (DMatrix::from_columns(&columns), c)
    }

    /// The columns of D = (1 0; −A E), with the wrong sign of A if wanted. (b; Eᵀ𝒢_gg) A = (a; Eᵀ𝒢_gr).
    fn admissible(&self, q: &[f64], variant: Variant) -> DMatrix<f64> {
        let (n, k) = (self.n(), self.k);
        let (mu, _) = self.forms(q);
        let (a, b) = (mu.columns(0, k), mu.columns(k, n - k));
        // The kernel of b: the three-dimensional algebras have the cross product of two rows there.
        let kernel = match b.nrows() {
            2 => DMatrix::from_columns(&[b.row(0).transpose().cross(&b.row(1).transpose())]),
            _ => DMatrix::zeros(n - k, 0),
        };
        let metric = self.metric(q);
        let below = kernel.transpose() * metric.rows(k, n - k);
        let stacked = |top: DMatrix<f64>, bottom: DMatrix<f64>| {
            let rows: Vec<_> = top.row_iter().chain(bottom.row_iter()).map(|row| row.into_owned()).collect();
            DMatrix::from_rows(&rows)
        };
        let left = stacked(b.into_owned(), below.columns(k, n - k).into_owned());
        let right = stacked(a.into_owned(), below.columns(0, k).into_owned());
        let connection = left.lu().solve(&right).expect("a connection");
        let sign = if variant == SignOfConnection { 1.0 } else { -1.0 };
        let mut d = DMatrix::zeros(n, k + kernel.ncols());
        d.view_mut((0, 0), (k, k)).fill_with_identity();
        d.view_mut((k, 0), (n - k, k)).copy_from(&(connection * sign));
        d.view_mut((k, k), (n - k, kernel.ncols())).copy_from(&kernel);
        d
    }

    /// r + s u, with the pose left alone.
    fn shifted(&self, q: &[f64], z: &[f64], s: f64) -> Vec<f64> {
        q.iter().enumerate().map(|(i, x)| if i < self.k { x + s * z[i] } else { *x }).collect()
    }

    /// The node at the end of a step.
    fn reached(&self, q: &[f64], z: &[f64], h: f64) -> Vec<f64> {
        let sigma = z[self.k..].iter().map(|x| h * x);
        let pose = <Exp as Retracts<G>>::moved::<f64>(&vector(list(&q[self.k..])), &vector(sigma));
        [&self.shifted(q, z, h)[..self.k], pose.as_ref()].concat()
    }

    /// p⁻ and p⁺ of the step with α = ½.
    fn momenta(&self, q: &[f64], z: &[f64], h: f64, variant: Variant) -> (DVector<f64>, DVector<f64>) {
        let base = self.shifted(q, z, h / 2.0);
        let nu = self.momentum(&base, z);
        let sigma: G::Algebra<f64> = vector(z[self.k..].iter().map(|x| h * x));
        let body: G::Algebra<f64> = vector(list(&nu.as_slice()[self.k..]));
        let with = |tail: G::Algebra<f64>| {
            DVector::from_iterator(self.n(), list(&nu.as_slice()[..self.k]).chain(list(tail.as_ref())))
        };
        let slope = match variant {
            NoBaseDerivative => DVector::zeros(self.n()),
            _ => self.slope(&base, z) * (h / 2.0),
        };
        let left = with(<Exp as Retracts<G>>::dtau_inv_star::<f64>(&sigma, &body)) - &slope;
        let right = with(<Exp as Retracts<G>>::dtau_left_inv_star::<f64>(&sigma, &body)) + &slope;
        (left, right)
    }

    /// A zero of `f` near `z`.
    fn solve(&self, mut z: DVector<f64>, f: impl Fn(&DVector<f64>) -> DVector<f64>) -> DVector<f64> {
        const EPS: f64 = 1e-6;
        for _ in 0..20 {
            let columns: Vec<_> = (0..z.len())
                .map(|i| {
                    let (mut up, mut down) = (z.clone(), z.clone());
                    up[i] += EPS;
                    down[i] -= EPS;
                    (f(&up) - f(&down)) / (2.0 * EPS)
                })
                .collect();
            let delta = DMatrix::from_columns(&columns).lu().solve(&f(&z)).expect("a regular matrix");
            z -= &delta;
            if delta.amax() < 1e-13 * (1.0 + z.amax()) {
                return z;
            }
        }
        panic!("no solution");
    }

    /// A step of RDP.
    fn rdp(&self, state: &State, guess: &DVector<f64>, h: f64, variant: Variant) -> (State, DVector<f64>) {
        let d = self.admissible(&state.q, variant);
        let z = self.solve(guess.clone(), |z| {
            let z = z.as_slice();
            let equations = d.transpose() * (self.momenta(&state.q, z, h, variant).0 - &state.p);
            let constraints = self.residual(&self.shifted(&state.q, z, h / 2.0), z);
            let all = equations.iter().chain(&constraints).copied();
            DVector::from_iterator(self.n(), all)
        });
        let p = self.momenta(&state.q, z.as_slice(), h, variant).1;
        (State { q: self.reached(&state.q, z.as_slice(), h), p }, z)
    }

    /// A step of GNI; the momentum of a state is the one after the reflection.
    fn gni(&self, state: &State, guess: &DVector<f64>, h: f64, variant: Variant) -> (State, DVector<f64>) {
        let z = self.solve(guess.clone(), |z| self.momenta(&state.q, z.as_slice(), h, variant).0 - &state.p);
        let q = self.reached(&state.q, z.as_slice(), h);
        let arriving = self.momenta(&state.q, z.as_slice(), h, variant).1;
        let (mu, c) = self.forms(&q);
        let inverse = self.metric(&q).try_inverse().expect("a metric");
        let gram = (&mu * &inverse * mu.transpose()).lu();
        let normal = mu.transpose() * gram.solve(&(&mu * inverse * &arriving)).expect("independent forms");
        let affine = mu.transpose() * gram.solve(&c).expect("independent forms");
        let sign = if variant == SignOfAffineTerm { -2.0 } else { 2.0 };
        (State { q, p: arriving - normal * 2.0 + affine * sign }, z)
    }

    /// The configuration at `duration` of a run by `step`.
    fn run(
        &self,
        case: &Case,
        duration: f64,
        steps: u32,
        step: impl Fn(&State, &DVector<f64>, f64) -> (State, DVector<f64>),
    ) -> Vec<f64> {
        let v = DVector::from_column_slice(&case.v0);
        let mut state = State { q: case.q0.clone(), p: self.momentum(&case.q0, &case.v0) };
        let mut guess = v;
        for _ in 0..steps {
            (state, guess) = step(&state, &guess, duration / f64::from(steps));
        }
        state.q
    }
}

const T: f64 = 1.0;

/// The right formula is the emitted method, and the wrong one has an error that no step size makes smaller.
fn controls(case: &Case, id: &str, right: Vec<f64>, wrong: [Vec<f64>; 2], least: f64) {
    let mut emitted = case.start(id, T / 40.0);
    emitted.advance(40).unwrap();
    let apart = distance(&right, &emitted.q());
    let (exact, _) = case.instance.flow(0.0, &case.q0, &case.v0, &[], T).unwrap();
    let [coarse, fine] = wrong.map(|q| distance(&q, &exact));
    println!("{}: {apart:.1e} from {id}, wrong {coarse:.2e} and {fine:.2e}", case.name);
    assert!(apart < 1e-11, "{}: {apart:e} from the emitted {id}", case.name);
    assert!(distance(&right, &exact) < 0.1 * fine, "{}: the right formula converges", case.name);
    assert!(fine > least && fine > 0.8 * coarse, "{}: {coarse:e}, {fine:e} at half the step", case.name);
}

#[test]
fn the_sign_of_the_connection() {
    let case = Case::of("robot");
    let robot = ByHand::<TwoWheeledRobot, SE2<f64>>::of(&case);
    let run =
        |steps, variant| robot.run(&case, T, steps, |state, guess, h| robot.rdp(state, guess, h, variant));
    let wrong = [run(40, SignOfConnection), run(80, SignOfConnection)];
    controls(&case, "rdp_midpoint", run(40, Right), wrong, 1.0);

    let case = Case::of("roller_racer");
    let racer = ByHand::<RollerRacer, SE2<f64>>::of(&case);
    let run =
        |steps, variant| racer.run(&case, T, steps, |state, guess, h| racer.rdp(state, guess, h, variant));
    let wrong = [run(40, SignOfConnection), run(80, SignOfConnection)];
    controls(&case, "rdp_midpoint", run(40, Right), wrong, 0.1);
}

#[test]
fn the_derivative_along_the_shape() {
    let case = Case::with("roller_racer_m2_forced", &[("c", 0.0)]);
    let racer = ByHand::<RollerRacer, SE2<f64>>::of(&case);
    let run =
        |steps, variant| racer.run(&case, T, steps, |state, guess, h| racer.rdp(state, guess, h, variant));
    let wrong = [run(40, NoBaseDerivative), run(80, NoBaseDerivative)];
    controls(&case, "rdp_midpoint", run(40, Right), wrong, 0.01);
}

#[test]
fn the_sign_of_the_affine_term() {
    for name in ["ball_homogeneous_rotating", "ball_printed_rotating"] {
        let case = Case::of(name);
        let ball = ByHand::<BallAsPrinted, SO3<f64>>::of(&case);
        let run =
            |steps, variant| ball.run(&case, T, steps, |state, guess, h| ball.gni(state, guess, h, variant));
        let wrong = [run(40, SignOfAffineTerm), run(80, SignOfAffineTerm)];
        controls(&case, "rattle_plain", run(40, Right), wrong, 0.1);
    }
}
