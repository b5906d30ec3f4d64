//! The discrete equations of the methods with derivatives by dual numbers: residuals of steps that
//! were taken.

use nhi_tests::oracle::{self, Equations};

/// A quadrature of the discrete Lagrangian: weights and places.
pub(crate) type Rule = &'static [(f64, f64)];

pub(crate) const TRAPEZOID: Rule = &[(0.5, 0.0), (0.5, 1.0)];
pub(crate) const MIDPOINT: Rule = &[(1.0, 0.5)];
pub(crate) const LEFT: Rule = &[(1.0, 0.0)];
pub(crate) const RIGHT: Rule = &[(1.0, 1.0)];

/// A system and a time step.
pub(crate) struct Discrete<'a, E> {
    pub(crate) equations: &'a E,
    pub(crate) h: f64,
    pub(crate) inputs: &'a [f64],
}

pub(crate) fn advance(q: &[f64], h: f64, v: &[f64]) -> Vec<f64> {
    q.iter().zip(v).map(|(q, v)| q + h * v).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    advance(a, -1.0, b)
}

impl<E: Equations> Discrete<'_, E> {
    /// p⁻ = Σ wᵢ (L_v − (1 − cᵢ) h F) and p⁺ = Σ wᵢ (L_v + cᵢ h F) at x + cᵢ h d, of the step that
    /// leaves x at time t with velocity d. F is L_q by the quadrature of L_v, and f by that of `forces`.
    fn momenta(&self, rule: Rule, forces: Rule, x: &[f64], d: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
        let h = self.h;
        let (mut first, mut last) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut add = |w: f64, c: f64, p: &[f64], force: &[f64]| {
            for i in 0..x.len() {
                first[i] += w * p[i] - w * h * (1.0 - c) * force[i];
                last[i] += w * p[i] + w * h * c * force[i];
            }
        };
        for &(w, c) in rule {
            let base = advance(x, c * h, d);
            let p = oracle::momentum(self.equations, &base, d);
            add(w, c, &p, &oracle::slope(self.equations, &base, d));
        }
        for &(w, c) in forces {
            let base = advance(x, c * h, d);
            let force = self.equations.force(&base, d, t + c * h, self.inputs);
            add(w, c, &vec![0.0; x.len()], &force);
        }
        (first, last)
    }

    /// μ(q)ᵀ x.
    fn pushed(&self, q: &[f64], x: &[f64]) -> Vec<f64> {
        let mut force = vec![0.0; q.len()];
        for (row, x) in oracle::forms(self.equations, q).iter().zip(x) {
            for (f, mu) in force.iter_mut().zip(row) {
                *f += mu * x;
            }
        }
        force
    }

    /// The part of `p` that is no reaction at q.
    fn unbalanced(&self, q: &[f64], p: &[f64]) -> Vec<f64> {
        let lambda = oracle::reaction(self.equations, q, p);
        advance(p, 1.0, &self.pushed(q, &lambda))
    }

    /// A step (q, v) → (q', v', λ) of the methods whose state is where the constraint is, at the
    /// place `c` of a discrete step.
    pub(crate) fn staggered(
        &self,
        (rule, forces, c): (Rule, Rule, f64),
        t: f64,
        from: &[Vec<f64>],
        to: &[Vec<f64>],
    ) -> Vec<f64> {
        let [q, v, ..] = from else { panic!("q, v and lambda") };
        let [q1, v1, lambda, ..] = to else { panic!("q, v and lambda") };
        let h = self.h;
        let node = advance(q, (1.0 - c) * h, v);
        let time = t + (1.0 - c) * h;
        let (_, arriving) = self.momenta(rule, forces, &advance(&node, -h, v), v, time - h);
        let (leaving, _) = self.momenta(rule, forces, &node, v1, time);
        let impulse: Vec<f64> = lambda.iter().map(|l| h * l).collect();
        let mut residual = minus(&minus(&leaving, &arriving), &self.pushed(&node, &impulse));
        residual.extend(minus(q1, &advance(&node, c * h, v1)));
        residual.extend(self.equations.constraints(q1, v1));
        residual
    }

    /// A step (q, v) → (q', v', λ) between nodes.
    pub(crate) fn nodal(&self, rule: Rule, t: f64, from: &[Vec<f64>], to: &[Vec<f64>]) -> Vec<f64> {
        let [q, v, ..] = from else { panic!("q, v and lambda") };
        let d = self.velocity(q, &to[0]);
        let (leaving, arriving) = self.momenta(rule, rule, q, &d, t);
        let p = oracle::momentum(self.equations, q, v);
        let mut residual = self.unbalanced(q, &minus(&leaving, &p));
        residual.extend(self.equations.constraints(&advance(q, self.h / 2.0, &d), &d));
        residual.extend(self.projected(&arriving, to));
        residual
    }

    /// A step (q, v) → (q', v', λ) that is started with the continuous multiplier.
    pub(crate) fn restarted(&self, rule: Rule, t: f64, from: &[Vec<f64>], to: &[Vec<f64>]) -> Vec<f64> {
        let [q, v, ..] = from else { panic!("q, v and lambda") };
        let d = self.velocity(q, &to[0]);
        let (leaving, arriving) = self.momenta(rule, rule, q, &d, t);
        let continuous = oracle::motion(self.equations, q, v, t, self.inputs).multipliers;
        let impulse: Vec<f64> = continuous.iter().map(|l| self.h / 2.0 * l).collect();
        let p = advance(&oracle::momentum(self.equations, q, v), 1.0, &self.pushed(q, &impulse));
        let mut residual = minus(&leaving, &p);
        residual.extend(self.projected(&arriving, to));
        residual
    }

    /// A step (q, v) → (q', v', λ) of the mid-point rule in a frame, which the derivation chooses: what does not depend on it. The
    /// constraints hold in the middle and at the end, the multipliers are those of the equations of motion in the middle, and
    /// the energy changes by nothing but forces and affine constraints, if the step averages the gradient of the potential.
    pub(crate) fn in_frame(&self, averages: bool, t: f64, from: &[Vec<f64>], to: &[Vec<f64>]) -> Vec<f64> {
        let [q, v, ..] = from else { panic!("q, v and lambda") };
        let [q1, v1, lambda, ..] = to else { panic!("q, v and lambda") };
        let d = self.velocity(q, q1);
        let middle = advance(q, self.h / 2.0, &d);
        let mut residual = self.equations.constraints(&middle, &d);
        residual.extend(self.equations.constraints(q1, v1));
        let motion = oracle::motion(self.equations, &middle, &d, t + self.h / 2.0, self.inputs);
        residual.extend(minus(lambda, &motion.multipliers));
        let still = vec![0.0; q.len()];
        let affine = self.equations.constraints(&middle, &still);
        let force = self.equations.force(&middle, &d, t + self.h / 2.0, self.inputs);
        if averages && affine.iter().chain(&force).all(|&x| x == 0.0) {
            let [before, after] = [(q, v), (q1, v1)].map(|(q, v)| oracle::energy(self.equations, q, v));
            residual.push(after - before);
        }
        residual
    }

    /// The velocity of a step.
    fn velocity(&self, q: &[f64], q1: &[f64]) -> Vec<f64> {
        q.iter().zip(q1).map(|(q, q1)| (q1 - q) / self.h).collect()
    }

    /// The momentum of a state (q, v, λ) is `arriving` + h/2 μᵀλ, and its velocity is admissible.
    fn projected(&self, arriving: &[f64], state: &[Vec<f64>]) -> Vec<f64> {
        let [q, v, lambda, ..] = state else { panic!("q, v and lambda") };
        let p = oracle::momentum(self.equations, q, v);
        let impulse: Vec<f64> = lambda.iter().map(|l| self.h / 2.0 * l).collect();
        let mut residual = minus(&minus(&p, arriving), &self.pushed(q, &impulse));
        residual.extend(self.equations.constraints(q, v));
        residual
    }

    /// A step (q, v_pre, v_post, λ) → (q', v_pre', v_post', λ') that reflects.
    pub(crate) fn reflecting(&self, rule: Rule, t: f64, from: &[Vec<f64>], to: &[Vec<f64>]) -> Vec<f64> {
        let [q, _, v_post, ..] = from else { panic!("q, v_pre, v_post and lambda") };
        let [q1, v_pre1, ..] = to else { panic!("q, v_pre, v_post and lambda") };
        let d = self.velocity(q, q1);
        let (leaving, arriving) = self.momenta(rule, rule, q, &d, t);
        let mut residual = minus(&leaving, &oracle::momentum(self.equations, q, v_post));
        residual.extend(minus(&arriving, &oracle::momentum(self.equations, q1, v_pre1)));
        residual.extend(self.jump(to));
        residual
    }

    /// p_post − p_pre = h μᵀλ, and the mean velocity is admissible.
    pub(crate) fn jump(&self, state: &[Vec<f64>]) -> Vec<f64> {
        let [q, v_pre, v_post, lambda, ..] = state else { panic!("q, v_pre, v_post and lambda") };
        let impulse: Vec<f64> = lambda.iter().map(|l| self.h * l).collect();
        let p = |v: &[f64]| oracle::momentum(self.equations, q, v);
        let mut residual = minus(&minus(&p(v_post), &p(v_pre)), &self.pushed(q, &impulse));
        residual.extend(self.equations.constraints(q, &mean(state)));
        residual
    }

    /// An explicit Runge–Kutta step with the tableau's rows `a` and weights `b`.
    pub(crate) fn runge_kutta(
        &self,
        (a, b): (&[&[f64]], &[f64]),
        t: f64,
        from: &[Vec<f64>],
    ) -> (Vec<f64>, Vec<f64>) {
        let mut slopes: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let combine = |slopes: &[(Vec<f64>, Vec<f64>)], weights: &[f64]| {
            let (mut q, mut v) = (from[0].clone(), from[1].clone());
            for ((dq, dv), w) in slopes.iter().zip(weights) {
                q = advance(&q, w * self.h, dq);
                v = advance(&v, w * self.h, dv);
            }
            (q, v)
        };
        for row in a {
            let (q, v) = combine(&slopes, row);
            let time = t + self.h * row.iter().sum::<f64>();
            let motion = oracle::motion(self.equations, &q, &v, time, self.inputs);
            slopes.push((v, motion.acceleration));
        }
        combine(&slopes, b)
    }
}

/// The velocity of a state (q, v, λ, z) or (q, v_pre, v_post, λ, z).
pub(crate) fn mean(state: &[Vec<f64>]) -> Vec<f64> {
    match state {
        [_, v, _, _] => v.clone(),
        [_, pre, post, _, _] => pre.iter().zip(post).map(|(a, b)| 0.5 * (a + b)).collect(),
        _ => panic!("(q, v, λ, z) or (q, v_pre, v_post, λ, z)"),
    }
}
