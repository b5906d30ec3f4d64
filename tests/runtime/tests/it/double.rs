//! A system written by hand as the derive would write it: the Chaplygin sleigh in centre-of-mass
//! coordinates (θ, x, y) with a torque on θ, and its methods `dla2` and `rattle`.
//!
//! L = J/2 θ'² + m/2 (x'² + y'²), a θ' + sin θ x' − cos θ y' = 0.

use nhi_runtime::emitted::{Newton, finite};
use nhi_runtime::{
    Acceleration, Dla2, Failure, Fields, Forgets, JumpState, Method, NodeState, Rattle, Scalar, Start,
    StepTraits, System,
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sleigh {
    pub(crate) inertia: f64,
    pub(crate) m: f64,
    pub(crate) a: f64,
}

/// The parameters that the golden data use.
pub(crate) const SLEIGH: Sleigh = Sleigh { inertia: 0.5, m: 1.0, a: 0.2 };

type Three<T> = [T; 3];

/// μ(q).
fn mu<T: Scalar>(a: T, q: &Three<T>) -> Three<T> {
    let (s, c) = q[0].sin_cos();
    [a, s, -c]
}

fn dot<T: Scalar>(a: &Three<T>, b: &Three<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// x + c y.
fn axpy<T: Scalar>(x: &Three<T>, c: T, y: &Three<T>) -> Three<T> {
    [x[0] + c * y[0], x[1] + c * y[1], x[2] + c * y[2]]
}

/// M⁻¹ p.
fn sharp<T: Scalar>(p: &Three<T>, parameters: &Three<T>) -> Three<T> {
    let [inertia, m, _] = *parameters;
    [p[0] / inertia, p[1] / m, p[2] / m]
}

impl System for Sleigh {
    const NAME: &'static str = "Sleigh";
    const COORDINATES: &'static [&'static str] = &["theta", "x", "y"];
    const PARAMETERS: &'static [&'static str] = &["inertia", "m", "a"];
    const INPUTS: &'static [&'static str] = &["torque"];
    const STATES: &'static [&'static str] = &[];
    const CONSTRAINTS: &'static [&'static str] = &["blade"];

    type Configuration<T: Scalar> = Three<T>;
    type Velocity<T: Scalar> = Three<T>;
    type Multipliers<T: Scalar> = [T; 1];
    type Inputs<T: Scalar> = [T; 1];
    type States<T: Scalar> = [T; 0];
    type Parameters<T: Scalar> = Three<T>;

    fn parameters(&self) -> Three<f64> {
        [self.inertia, self.m, self.a]
    }

    fn energy<T: Scalar>(parameters: &Three<T>, q: &Three<T>, v: &Three<T>, t: T) -> T {
        T::from_f64(0.5) * dot(v, &Self::momentum(parameters, q, v, t))
    }

    fn momentum<T: Scalar>(parameters: &Three<T>, _: &Three<T>, v: &Three<T>, _: T) -> Three<T> {
        let [inertia, m, _] = *parameters;
        [inertia * v[0], m * v[1], m * v[2]]
    }

    fn residual<T: Scalar>(parameters: &Three<T>, q: &Three<T>, v: &Three<T>, _: T, _: &[T; 1]) -> [T; 1] {
        [dot(&mu(parameters[2], q), v)]
    }

    fn residual_scale<T: Scalar>(
        parameters: &Three<T>,
        q: &Three<T>,
        v: &Three<T>,
        _: T,
        _: &[T; 1],
    ) -> [T; 1] {
        let mu = mu(parameters[2], q);
        let absolute = |x: T| (x * x).sqrt();
        [absolute(mu[0] * v[0]) + absolute(mu[1] * v[1]) + absolute(mu[2] * v[2])]
    }

    fn project_once<T: Scalar>(
        parameters: &Three<T>,
        q: &Three<T>,
        v: &Three<T>,
        _: T,
        _: &[T; 1],
    ) -> Result<Three<T>, Failure> {
        let mu = mu(parameters[2], q);
        let b = sharp(&mu, parameters);
        let v = axpy(v, -dot(&mu, v) / dot(&mu, &b), &b);
        if finite(&v) { Ok(v) } else { Err(Failure::NonFinite) }
    }

    fn acceleration_of<T: Scalar>(
        parameters: &Three<T>,
        q: &Three<T>,
        v: &Three<T>,
        _: &[T; 0],
        _: T,
        inputs: &[T; 1],
    ) -> Result<Acceleration<Self, T>, Failure> {
        let zero = T::from_f64(0.0);
        let mu = mu(parameters[2], q);
        let b = sharp(&mu, parameters);
        let free = sharp(&[inputs[0], zero, zero], parameters);
        let (s, c) = q[0].sin_cos();
        let gamma = (c * v[1] + s * v[2]) * v[0];
        let lambda = -(dot(&mu, &free) + gamma) / dot(&mu, &b);
        let dv = axpy(&free, lambda, &b);
        if finite(&dv) { Ok((dv, [lambda])) } else { Err(Failure::NonFinite) }
    }
}

/// Parameters and step size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<T> {
    parameters: Three<T>,
    h: T,
}

impl<T: Scalar> Fields<T> for Prepared<T> {
    const LEN: usize = 4;
    fn read(next: &mut impl FnMut() -> T) -> Self {
        Prepared { parameters: Three::read(next), h: next() }
    }
    fn write(&self, next: &mut impl FnMut(T)) {
        self.parameters.write(next);
        next(self.h);
    }
}

fn prepare<T: Scalar>(parameters: &Three<T>, h: T) -> Result<Prepared<T>, Failure> {
    let positive = parameters[0].to_f64() > 0.0 && parameters[1].to_f64() > 0.0;
    if positive { Ok(Prepared { parameters: *parameters, h }) } else { Err(Failure::SingularMass) }
}

/// McLachlan and Perlmutter, (4.18).
impl Method<Sleigh> for Dla2 {
    type Prepared<T: Scalar> = Prepared<T>;
    type State<T: Scalar> = NodeState<Three<T>, Three<T>, [T; 1], [T; 0]>;
    type Memory = Forgets;
    const TRAITS: StepTraits = StepTraits { has_newton: true, ..StepTraits::PLAIN };

    fn id(&self) -> &'static str {
        Self::ID
    }

    fn prepare<T: Scalar>(&self, parameters: &Three<T>, h: T) -> Result<Prepared<T>, Failure> {
        prepare(parameters, h)
    }

    fn start<T: Scalar>(
        &self,
        _: &Three<T>,
        _: T,
        q: &Three<T>,
        v: &Three<T>,
        _: &[T; 0],
        _: T,
        _: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        Ok(NodeState { q: *q, v: *v, lambda: [T::from_f64(0.0)], states: [], carried: () })
    }

    fn state<T: Scalar>(
        &self,
        _: &Three<T>,
        _: T,
        q: &Three<T>,
        jump: (&Three<T>, &Three<T>),
        lambda: &[T; 1],
        states: &[T; 0],
        _: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(NodeState::at(*q, jump, *lambda, *states))
    }

    fn step<T: Scalar>(
        &self,
        prepared: &Prepared<T>,
        state: &Self::State<T>,
        _: T,
        inputs: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        let Prepared { parameters, h } = prepared;
        let (zero, half_h) = (T::from_f64(0.0), T::from_f64(0.5) * *h);
        let q_half = axpy(&state.q, half_h, &state.v);
        let w = axpy(&state.v, *h, &sharp(&[inputs[0], zero, zero], parameters));
        let b = sharp(&mu(parameters[2], &q_half), parameters);
        // g(ℓ) = μ(q')v', v' = w + Bℓ, q' = q_half + h/2 v'.
        let (ell, []) = Newton::new().solve([*h * state.lambda[0]], |ell| {
            let v = axpy(&w, ell[0], &b);
            let (s, c) = (q_half[0] + half_h * v[0]).sin_cos();
            let g = parameters[2] * v[0] + s * v[1] - c * v[2];
            let dg_dtheta = c * v[1] + s * v[2];
            let dg = parameters[2] * b[0] + s * b[1] - c * b[2] + half_h * dg_dtheta * b[0];
            Ok(([-g / dg], || [], []))
        })?;
        let v = axpy(&w, ell[0], &b);
        let q = axpy(&q_half, half_h, &v);
        if finite(&q) && finite(&v) {
            Ok(NodeState { q, v, lambda: [ell[0] / *h], states: [], carried: () })
        } else {
            Err(Failure::NonFinite)
        }
    }
}

/// Ferraro, Jiménez and Martín de Diego, Definition 4.1 with trapezoidal quadrature.
impl Method<Sleigh> for Rattle {
    type Prepared<T: Scalar> = Prepared<T>;
    type State<T: Scalar> = JumpState<Three<T>, Three<T>, [T; 1], [T; 0]>;
    type Memory = Forgets;

    fn id(&self) -> &'static str {
        Self::ID
    }

    fn prepare<T: Scalar>(&self, parameters: &Three<T>, h: T) -> Result<Prepared<T>, Failure> {
        prepare(parameters, h)
    }

    fn start<T: Scalar>(
        &self,
        parameters: &Three<T>,
        h: T,
        q: &Three<T>,
        v: &Three<T>,
        z: &[T; 0],
        t: T,
        inputs: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        Method::<Sleigh>::start_as(self, Start::Consistent, parameters, h, q, v, z, t, inputs)
    }

    fn start_as<T: Scalar>(
        &self,
        start: Start,
        parameters: &Three<T>,
        h: T,
        q: &Three<T>,
        v: &Three<T>,
        z: &[T; 0],
        t: T,
        inputs: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        let mu = mu(parameters[2], q);
        let b = sharp(&mu, parameters);
        let zero = T::from_f64(0.0);
        let lambda = match start {
            Start::Consistent => Sleigh::acceleration_of(parameters, q, v, z, t, inputs)?.1[0],
            Start::Projected => -b[0] * inputs[0] / dot(&mu, &b),
            Start::Plain => zero,
            Start::Stepped => unreachable!("nothing here starts so"),
        };
        let half_h = T::from_f64(0.5) * h;
        Ok(JumpState {
            q: *q,
            v_pre: axpy(v, -half_h * lambda, &b),
            v_post: axpy(v, half_h * lambda, &b),
            lambda: [lambda],
            states: [],
            carried: (),
        })
    }

    fn state<T: Scalar>(
        &self,
        _: &Three<T>,
        _: T,
        q: &Three<T>,
        jump: (&Three<T>, &Three<T>),
        lambda: &[T; 1],
        states: &[T; 0],
        _: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(JumpState::at(*q, jump, *lambda, *states))
    }

    fn step<T: Scalar>(
        &self,
        prepared: &Prepared<T>,
        state: &Self::State<T>,
        _: T,
        inputs: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        let Prepared { parameters, h } = prepared;
        let zero = T::from_f64(0.0);
        let half_kick = sharp(&[T::from_f64(0.5) * *h * inputs[0], zero, zero], parameters);
        let one = T::from_f64(1.0);
        let d = axpy(&state.v_post, one, &half_kick);
        let q = axpy(&state.q, *h, &d);
        let v_pre = axpy(&d, one, &half_kick);
        let mu = mu(parameters[2], &q);
        let b = sharp(&mu, parameters);
        let impulse = T::from_f64(-2.0) * dot(&mu, &v_pre) / dot(&mu, &b);
        let v_post = axpy(&v_pre, impulse, &b);
        if finite(&q) && finite(&v_post) {
            Ok(JumpState { q, v_pre, v_post, lambda: [impulse / *h], states: [], carried: () })
        } else {
            Err(Failure::NonFinite)
        }
    }
}
