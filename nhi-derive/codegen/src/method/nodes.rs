//! Node rules: the matching of momenta where two steps meet.

use super::builder::{Builder, Nonlinear, Norm, Reduction, has_given, names_of_forms};
use super::careful::{Known, LinearEquations};
use super::discrete::{Discretisation, Quadrature, Step};
use super::impulse::with_reaction;
use super::pivots::Plan;
use super::space::{End, Space};
use super::states::{self, Beginning, States};
use crate::expr::linear::{Matrix, transposed};
use crate::expr::{Expr, identifier};
use crate::mechanics::Reaction;
use crate::program::{Singular, lets};
use crate::system::Constraint;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Updates of Newton's method without formulas, after the iteration with these. The second one makes up for what the first one has left
/// of an error that is no rounding.
const UPDATES: usize = 2;

/// The momentum equations at a node that a step leaves, with the numbers that they have in every method:
///
/// ```text
/// (1)  p⁻(w) = momentum + μᵀℓ,
/// (2)  Σ wᵢ (μ(bᵢ) w + μ₀(bᵢ)) = 0   over the constraint's quadrature, for one-forms,
///      g(q') = 0                     at the end of the step, for position constraints.
/// ```
///
/// The forces of both may depend on the new values z' of auxiliary states, which depend on w.
pub(super) struct Departure<'a> {
    pub space: &'a Space,
    pub rule: Discretisation,
    /// The node.
    pub from: &'a [Expr],
    /// The beginning of the step at the node.
    pub start: Beginning<'a>,
    /// What p⁻ has to match.
    pub before: Before<'a>,
    /// A velocity close to w; terms it satisfies cancel symbolically.
    pub near: &'a [Expr],
    /// The discrete constraint, where the node rule has one.
    pub constraint: Option<StepConstraint>,
    /// Names of w: prefix and suffix around the coordinate's.
    pub named: (&'static str, &'static str),
}

/// The discrete constraint of a step: μ w + μ₀ = 0 by `quadrature` and g(q') = 0, with impulses that act along `mu`
/// (the one-forms at the node).
pub(super) struct StepConstraint {
    pub quadrature: Quadrature,
    /// Which of the system's constraints.
    pub rows: Range<usize>,
    pub mu: Matrix,
    /// First guess of the impulses.
    pub guess: Vec<Expr>,
}

impl StepConstraint {
    /// That of these of the system's constraints at a node; none without constraints.
    pub(super) fn of(
        b: &mut Builder<'_>,
        rows: Range<usize>,
        (node, t): (&[Expr], Expr),
        quadrature: Quadrature,
        guess: Vec<Expr>,
    ) -> Option<StepConstraint> {
        let mu = b.x.mu[rows.clone()].to_vec();
        let mu = b.matrix_at(&mu, node, t);
        (!rows.is_empty()).then_some(StepConstraint { quadrature, rows, mu, guess })
    }
}

/// What is before a node.
#[derive(Clone, Copy)]
pub(super) enum Before<'a> {
    /// The state, with this momentum.
    State(&'a [Expr]),
    /// The end of a step with the momentum p⁺: one step of the method is composed of two.
    Step(Step<'a>),
}

/// Velocity w of a step and impulses ℓ of its reaction (none without a constraint).
struct Motion {
    velocity: Vec<Expr>,
    impulse: Vec<Expr>,
    /// Whether they are a [solution](Builder::solution).
    is_solution: bool,
}

/// Velocity w of a step, impulses ℓ of its reaction, and auxiliary states.
pub(super) struct Departed {
    pub velocity: Vec<Expr>,
    pub impulse: Vec<Expr>,
    /// Whether they are a [solution](Builder::solution).
    pub is_solution: bool,
    pub states: States,
}

/// A velocity that constraints give by some of its components.
struct Given {
    /// The places of these.
    free: Vec<usize>,
    /// Its derivative by each of them.
    columns: Matrix,
    /// All of its components, by the symbols of these.
    velocity: Vec<Expr>,
}

impl Given {
    /// The components, those that are given bound by the names of their symbols `w`.
    fn bound(&self, b: &mut Builder<'_>, w: &[Expr]) -> Vec<Expr> {
        let given: Vec<usize> = (0..w.len()).filter(|i| !self.free.contains(i)).collect();
        let of = |all: &[Expr]| given.iter().map(|&i| all[i]).collect::<Vec<Expr>>();
        let values = b.bind_unknowns(&of(w), &of(&self.velocity));
        let mut all = w.to_vec();
        given.iter().zip(values).for_each(|(&i, value)| all[i] = value);
        all
    }

    /// Weights of the free components: twice the kinetic energy of a unit with what it moves, by the masses alone.
    fn weights(&self, b: &mut Builder<'_>, masses: &[Expr]) -> Vec<Expr> {
        let weight = |column: &Vec<Expr>| {
            let squares: Vec<Expr> = column.iter().map(|&e| b.pool().powi(e, 2)).collect();
            crate::expr::linear::dot(b.pool(), masses, &squares)
        };
        let weights: Vec<Expr> = self.columns.iter().map(weight).collect();
        let names = self.free.iter().map(|&i| b.along("mass_", i, "")).collect::<Vec<_>>();
        names.iter().zip(weights).map(|(name, weight)| b.bind(name, weight)).collect()
    }
}

/// How the momentum equations depend on z'.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coupling {
    /// Not at all.
    None,
    /// By an explicit function of w.
    Closed,
    /// By a further unknown.
    Unknown,
}

impl Departed {
    /// The step that leaves the node (q, v) with its momentum, p⁻(q, q + h·d) = L_v(q, v) and optionally a
    /// reaction. Newton's method begins as `begin` says.
    pub(super) fn from_node(
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        (q, v): (&[Expr], &[Expr]),
        begin: Begin<'_>,
        constraint: Option<StepConstraint>,
    ) -> Departed {
        let (l_v, t) = (b.x.momentum.clone(), b.x.system.t);
        let momentum = b.at(&l_v, q, v, t);
        let states = States::of(b);
        let departure = Departure {
            space,
            rule,
            from: q,
            start: Beginning::at_state(t, &states),
            before: Before::State(&momentum),
            near: v,
            constraint,
            named: ("d_", ""),
        };
        let coupling = departure.coupling(b);
        let affine = departure.affine(b, coupling);
        let (near, momentum) = match begin {
            Begin::Pushed(v, push) if affine.is_none() || b.couples_velocities() => {
                let momentum = b.at(&l_v, q, v, t);
                (v.to_vec(), momentum.iter().zip(push).map(|(&p, &push)| b.add(p, push)).collect())
            }
            Begin::AtMean(v_pre) if affine.is_none() => (b.mean_velocity(v_pre, v), momentum.clone()),
            _ => return departure.solve_coupled(b, coupling, affine),
        };
        let begun = Departure { near: &near, before: Before::State(&momentum), ..departure };
        let affine = affine.and_then(|_| begun.affine(b, coupling));
        begun.solve_coupled(b, coupling, affine)
    }
}

/// Where the solution begins with the velocity of a step that leaves a node with the momentum of a velocity v_post.
/// Reactions are impulses in v_post: where M is nearly singular, v_post can be far from the velocity of the motion, and
/// the equations have other solutions there.
#[derive(Clone, Copy)]
pub(super) enum Begin<'a> {
    /// At v_post.
    AtVelocity,
    /// At the mean of this velocity before the reflection and v_post.
    AtMean(&'a [Expr]),
    /// At a velocity v where v_post is v + M⁻¹ times this impulse. The momentum is then computed without M⁻¹, and forces cancel
    /// the impulse before they are multiplied by M⁻¹, unless M is diagonal.
    Pushed(&'a [Expr], &'a [Expr]),
}

/// What equations (1) are in w if they are affine: trial symbols of w, p⁻ in them, and its derivative.
struct Affine {
    trial: Vec<Expr>,
    momentum: Vec<Expr>,
    jacobian: Matrix,
}

impl Departure<'_> {
    /// Emits the solution. Equations that are affine in the unknowns are solved in closed form: first for w (m
    /// unknowns remain), then for ℓ (none remains). Otherwise the unknowns of Newton's method are w and ℓ, or fewer in the
    /// reduced form, [`super::pivots`].
    pub(super) fn solve(&self, b: &mut Builder<'_>) -> Departed {
        let coupling = self.coupling(b);
        let affine = self.affine(b, coupling);
        self.solve_coupled(b, coupling, affine)
    }

    fn solve_coupled(&self, b: &mut Builder<'_>, coupling: Coupling, affine: Option<Affine>) -> Departed {
        let states = self.start.states;
        let Motion { velocity, impulse, is_solution } = self.motion(b, coupling, affine);
        let states = match coupling {
            Coupling::Unknown => states.clone(),
            Coupling::None | Coupling::Closed => {
                let step = self.step(&velocity, states, "_1");
                states.after(b, self.space, self.rule, [self.ending(step), step])
            }
        };
        Departed { velocity, impulse, is_solution, states }
    }

    /// How the equations (1) depend on z'.
    fn coupling(&self, b: &mut Builder<'_>) -> Coupling {
        if self.start.states.new.is_empty() {
            return Coupling::None;
        }
        let (scratch, states) = (b.scratch(), self.start.states);
        let trial = b.velocity_symbols(self.named.0, self.named.1);
        let gap = self.gap(b, &trial, states, "_try");
        let gap = b.close(&gap, &scratch);
        b.discard(scratch);
        if !states.occur_in(b, &gap) {
            return Coupling::None;
        }
        let scratch = b.scratch();
        let trial = b.velocity_symbols(self.named.0, self.named.1);
        let is_closed = self.solved_states(b, &trial, "_try").is_some();
        b.discard(scratch);
        if is_closed { Coupling::Closed } else { Coupling::Unknown }
    }

    /// The step with the velocity `w`.
    fn step<'b>(&'b self, w: &'b [Expr], states: &'b States, suffix: &'b str) -> Step<'b> {
        Step::leaving(self.from, w, Beginning { states, ..self.start }, suffix)
    }

    /// z' as a function of w, if F is affine in z.
    fn solved_states(&self, b: &mut Builder<'_>, w: &[Expr], suffix: &str) -> Option<States> {
        let states = self.start.states;
        let step = self.step(w, states, suffix);
        states.solved(b, self.space, self.rule, [self.ending(step), step], suffix)
    }

    /// The step of the trajectory with which a step of the method begins, for the one that leaves the node.
    fn ending<'b>(&'b self, leaving: Step<'b>) -> Step<'b> {
        match self.before {
            Before::State(_) => leaving,
            Before::Step(step) => step,
        }
    }

    /// What p⁻ has to match.
    fn momentum(&self, b: &mut Builder<'_>, states: &States) -> Vec<Expr> {
        match self.before {
            Before::State(momentum) => momentum.to_vec(),
            Before::Step(step) => step.with_states(states).momentum(b, self.space, self.rule, End::Last),
        }
    }

    /// p⁻ minus what it has to match, without a reaction.
    fn gap(&self, b: &mut Builder<'_>, w: &[Expr], states: &States, suffix: &str) -> Vec<Expr> {
        let p = self.step(w, states, suffix).momentum(b, self.space, self.rule, End::First);
        let momentum = self.momentum(b, states);
        p.into_iter().zip(momentum).map(|(p, momentum)| b.sub(p, momentum)).collect()
    }

    /// The left side of (1): everything that depends on w or z' but the reaction.
    fn left(&self, b: &mut Builder<'_>, w: &[Expr], coupling: Coupling, suffix: &str) -> Vec<Expr> {
        let states = self.start.states;
        match coupling {
            Coupling::None => self.step(w, states, suffix).momentum(b, self.space, self.rule, End::First),
            Coupling::Closed => {
                let solved = self.solved_states(b, w, suffix);
                self.gap(b, w, solved.as_ref().unwrap_or(states), suffix)
            }
            Coupling::Unknown => self.gap(b, w, states, suffix),
        }
    }

    /// The equations (1), if they are affine in w.
    fn affine(&self, b: &mut Builder<'_>, coupling: Coupling) -> Option<Affine> {
        // w without reaction needs M⁻¹.
        if !self.space.is_flat() || coupling == Coupling::Unknown || b.x.stiffness.is_some() {
            return None;
        }
        let scratch = b.scratch();
        let trial = b.velocity_symbols(self.named.0, self.named.1);
        let p = self.left(b, &trial, coupling, "_try");
        let momentum = b.close(&p, &scratch);
        let jacobian: Matrix = momentum.iter().map(|&p| b.pool().gradient(p, &trial)).collect();
        let is_affine = b.pool().are_affine(&momentum, &jacobian.concat(), &trial);
        b.discard(scratch);
        is_affine.then_some(Affine { trial, momentum, jacobian })
    }

    /// Velocity and impulses.
    fn motion(&self, b: &mut Builder<'_>, coupling: Coupling, affine: Option<Affine>) -> Motion {
        // The right side of (1).
        let momentum = match coupling {
            Coupling::None => self.momentum(b, self.start.states),
            Coupling::Closed | Coupling::Unknown => vec![b.pool().zero(); b.x.n()],
        };
        match affine {
            Some(affine) => self.solve_affine(b, &affine, &momentum),
            None => self.solve_by_newton(b, &momentum, coupling),
        }
    }

    /// The discrete constraint; `suffix` names what is bound on the way, if anything. Residuals of position constraints
    /// are divided by h, which makes them velocities as the others.
    pub(super) fn step_residual(
        &self,
        b: &mut Builder<'_>,
        StepConstraint { quadrature, rows, .. }: &StepConstraint,
        w: &[Expr],
        suffix: Option<&str>,
    ) -> Vec<Expr> {
        let one_forms = b.x.one_forms();
        let residual: Vec<Expr> = rows.clone().filter(|&a| a < one_forms).map(|a| b.x.residual[a]).collect();
        let mut terms = vec![Vec::new(); residual.len()];
        let places = if residual.is_empty() { &[][..] } else { quadrature.places() };
        for place in places {
            let distance = b.halves_of_h(place.halves());
            let mut q = self.space.advance(b, self.from, distance, w);
            if let Some(suffix) = suffix {
                q = b.bind_configuration(suffix, &q);
            }
            let time = b.add(self.start.t, distance);
            let at = b.at(&residual, &q, w, time);
            let weight = quadrature.weight(b);
            for (terms, residual) in terms.iter_mut().zip(at) {
                terms.push(b.mul(weight, residual));
            }
        }
        let mut all: Vec<Expr> = terms.iter().map(|terms| b.pool().sum(terms)).collect();
        let positions: Vec<Expr> = rows.clone().filter_map(|a| b.x.system.constraints[a].position).collect();
        if !positions.is_empty() {
            let h = b.h;
            let mut q = self.space.advance(b, self.from, h, w);
            if let Some(suffix) = suffix {
                q = b.bind_configuration(&format!("_end{suffix}"), &q);
            }
            let end = b.add(self.start.t, h);
            let g = b.at(&positions, &q, w, end);
            all.extend(g.into_iter().map(|g| b.pool().div(g, h)));
        }
        all
    }

    fn solve_affine(
        &self,
        b: &mut Builder<'_>,
        Affine { trial, momentum: p, jacobian }: &Affine,
        momentum: &[Expr],
    ) -> Motion {
        let n = trial.len();
        // One Newton step from `near` is exact.
        let map: HashMap<Expr, Expr> = trial.iter().copied().zip(self.near.iter().copied()).collect();
        let at_near = b.pool().substitute(p, &map);
        let mut rhs: Matrix = Vec::with_capacity(n);
        for i in 0..n {
            let mut row = vec![b.sub(momentum[i], at_near[i])];
            row.extend(self.constraint.iter().flat_map(|c| c.mu.iter().map(|form| form[i])));
            rhs.push(row);
        }
        let plain = *jacobian == b.x.mass;
        let is_watched = plain && self.constraint.is_some();
        if is_watched {
            b.watch();
        }
        b.equation(match &self.constraint {
            Some(_) => "(1) velocity w without reaction, and B = M⁻¹ μᵀ",
            None => "(1) velocity of the step",
        });
        let names: Vec<Vec<String>> = (0..n)
            .map(|i| {
                let columns =
                    self.constraint.iter().flat_map(|c| names_of_forms(&b.along("b_", i, ""), c.mu.len()));
                std::iter::once(b.along("change_", i, "")).chain(columns).collect()
            })
            .collect();
        let solved = if plain {
            b.solve_definite(Singular::Mass, jacobian, &rhs, &names)
        } else {
            b.solve_ordered(jacobian, &rhs, &names)
        };
        let free: Vec<Expr> = self.near.iter().zip(&solved).map(|(&v, row)| b.add(v, row[0])).collect();
        let Some(constraint) = &self.constraint else {
            let velocity = b.bind_velocities(self.named.0, self.named.1, &free);
            return Motion { velocity, impulse: Vec::new(), is_solution: false };
        };
        let free = b.bind_velocities("w_", "", &free);
        let columns: Matrix = (0..n)
            .map(|i| {
                let name = b.along("b_", i, "");
                b.bind_forms(&name, &solved[i][1..])
            })
            .collect();
        let mut impulse = self.impulse(b, &free, &columns, plain, constraint);
        b.equation("(1) velocity of the step: w + B ℓ");
        let mut velocity = with_reaction(b, &free, &columns, &impulse);
        if is_watched {
            let at_rest = b.pool().at_zero(p, trial);
            let f: Vec<Expr> = momentum.iter().zip(at_rest).map(|(&p, a)| b.sub(p, a)).collect();
            [velocity, impulse] = self.solution(b, constraint, (trial, jacobian, &f), [&velocity, &impulse]);
        }
        let velocity = b.bind_velocities(self.named.0, self.named.1, &velocity);
        Motion { velocity, impulse, is_solution: is_watched }
    }

    /// w and ℓ of M w = f + μᵀℓ and (2), where formulas give these. If (2) is not a constraint by the one-forms at the node, a solution
    /// without formulas takes updates of Newton's method from what is known: J w' = J w − F for F = 0 with J = ∂F/∂w. As a velocity of
    /// their own w' has no rounding of impulses along one-forms that nearly cancel.
    fn solution(
        &self,
        b: &mut Builder<'_>,
        constraint: &StepConstraint,
        (trial, mass, f): (&[Expr], &Matrix, &[Expr]),
        [velocity, impulse]: [&[Expr]; 2],
    ) -> [Vec<Expr>; 2] {
        let Some(watched) = b.watched.clone() else { return [velocity.to_vec(), impulse.to_vec()] };
        let (closed, jacobian) = self.closed_residual(b, constraint, trial);
        let mu = &constraint.mu;
        let is_affine = b.pool().are_affine(&closed, &jacobian.concat(), trial);
        if is_affine {
            let at_rest = b.pool().at_zero(&closed, trial);
            let r = b.negated(&[at_rest]).concat();
            let nu = (jacobian != *mu).then_some(mu);
            let equations = LinearEquations { mass, mu: &jacobian, nu, f, r: &r };
            let known = Known { x: velocity, lambda: impulse, free: None, has_inertia: nu.is_some() };
            return b.solution(&equations, &known);
        }
        if watched.iter().all(|w| w.pivot == w.diagonal) {
            b.watched = None;
            let masses = watched.into_iter().filter(|w| w.what == Singular::Mass);
            masses.for_each(|w| b.pivot(w.pivot, w.diagonal, w.what, w.row));
            return [velocity.to_vec(), impulse.to_vec()];
        }
        let (mut w, mut ell) = (velocity.to_vec(), impulse.to_vec());
        for _ in 0..UPDATES {
            b.watched = Some(watched.clone());
            w = b.bind_velocities("known_", "", &w);
            let map: HashMap<Expr, Expr> = trial.iter().copied().zip(w.iter().copied()).collect();
            let residual = b.pool().substitute(&closed, &map);
            let columns = trial.len();
            let forms = b.pool().substitute(&jacobian.concat(), &map);
            let forms: Matrix = forms.chunks(columns).map(<[Expr]>::to_vec).collect();
            let along = b.apply(&forms, &w);
            let r: Vec<Expr> = along.iter().zip(residual).map(|(&x, f)| b.sub(x, f)).collect();
            let equations = LinearEquations { mass, mu: &forms, nu: Some(mu), f, r: &r };
            [w, ell] = b.solution(&equations, &Known { x: &w, lambda: &ell, free: None, has_inertia: true });
        }
        [w, ell]
    }

    /// The discrete constraint as functions of the unknown velocity `w`, with their derivatives by it.
    pub(super) fn closed_residual(
        &self,
        b: &mut Builder<'_>,
        constraint: &StepConstraint,
        w: &[Expr],
    ) -> (Vec<Expr>, Matrix) {
        let scratch = b.scratch();
        let residual = self.step_residual(b, constraint, w, None);
        let closed = b.close(&residual, &scratch);
        b.discard(scratch);
        let jacobian = closed.iter().map(|&r| b.pool().gradient(r, w)).collect();
        (closed, jacobian)
    }

    /// Mᵢᵢ at the node, with the stiffness of the constraints where M is singular.
    fn masses(&self, b: &mut Builder<'_>) -> Vec<Expr> {
        let diagonal: Vec<Expr> = (0..b.x.n()).map(|i| b.x.inertia[i][i]).collect();
        let v = b.x.v.clone();
        b.at(&diagonal, self.from, &v, self.start.t)
    }

    /// Twice a kinetic energy for unknowns (w, ℓ) or ℓ alone: `masses` of the velocities among them
    /// and `effect` ≈ (μM⁻¹μᵀ)ₐₐ of the impulses, relative to that of `velocity` and to what positions resolve of it.
    pub(super) fn norm(
        &self,
        b: &mut Builder<'_>,
        velocity: &[Expr],
        masses: &[Expr],
        effect: Vec<Expr>,
    ) -> Norm {
        let mut squares = Vec::new();
        for (mass, &v) in self.masses(b).into_iter().zip(velocity) {
            let square = b.pool().powi(v, 2);
            squares.push(b.mul(mass, square));
        }
        squares.extend(self.resolution(b));
        let names = names_of_forms("weight", effect.len());
        let weights: Vec<Expr> =
            names.iter().zip(effect).map(|(name, effect)| b.bind_described(name, effect)).collect();
        let scale2 = b.pool().sum(&squares);
        let scale2 = b.bind("scale2", scale2);
        let masses = b.bind_velocities("mass_", "", masses);
        Norm { weights: masses.into_iter().chain(weights).collect(), scale2 }
    }

    /// Mᵢᵢ (qᵢ/16h)² for the coordinates that position constraints depend on. Residuals g(q')/h, and updates that follow from
    /// them, contain the rounding of q' divided by h: far from the origin and in short steps it is more than the rounding of a
    /// velocity.
    fn resolution(&self, b: &mut Builder<'_>) -> Vec<Expr> {
        let rows = self.constraint.as_ref().map_or(0..0, |c| c.rows.clone());
        let positions: Vec<Expr> = rows.filter_map(|a| b.x.system.constraints[a].position).collect();
        if positions.is_empty() {
            return Vec::new();
        }
        let (masses, anchor, q) = (self.masses(b), b.x.anchor.clone(), b.x.q.clone());
        let sixteen = b.pool().int(16);
        let h = b.h;
        let duration = b.mul(sixteen, h);
        let mut squares = Vec::new();
        for (j, mass) in masses.into_iter().enumerate() {
            for i in 0..q.len() {
                let pool = b.pool();
                let is_moved = !pool.is_zero(anchor[i][j]);
                if is_moved && positions.iter().any(|&g| pool.depends_on(g, &[q[i]])) {
                    let rate = b.pool().div(self.from[i], duration);
                    let square = b.pool().powi(rate, 2);
                    squares.push(b.mul(mass, square));
                }
            }
        }
        squares
    }

    /// w by some of its components, if the rows of a plan say so before the iteration: the discrete constraint is affine in w,
    /// and each row gives one component.
    fn given(&self, b: &mut Builder<'_>, plan: &Plan, w: &[Expr]) -> Option<Given> {
        let constraint = self.constraint.as_ref()?;
        let free = plan.free(w.len())?;
        let (closed, jacobian) = self.closed_residual(b, constraint, w);
        let known = |i: &usize| !plan.rest.contains(i);
        if !(0..closed.len()).filter(known).all(|i| b.pool().are_affine(&closed[i..=i], &jacobian[i], w)) {
            return None;
        }
        let at_rest = b.pool().at_zero(&closed, w);
        let tangent = plan.applied(b, w.len(), |i| (&jacobian[i], at_rest[i]));
        let columns: Matrix = tangent.basis().cloned().collect();
        let mut velocity = tangent.particular.clone();
        for (&i, column) in free.iter().zip(&columns) {
            velocity = b.axpy(&velocity, w[i], column);
        }
        Some(Given { free, columns, velocity })
    }

    fn solve_by_newton(&self, b: &mut Builder<'_>, momentum: &[Expr], coupling: Coupling) -> Motion {
        let (n, states) = (b.x.n(), self.start.states);
        let unknown_states: &[Expr] = if coupling == Coupling::Unknown { &states.new } else { &[] };
        let w = b.velocity_symbols(self.named.0, self.named.1);
        let rows = self.constraint.as_ref().map_or(0..0, |c| c.rows.clone());
        let m = rows.len();
        b.equation("(1) velocities that the constraint admits at the node");
        let reduction = match &self.constraint {
            Some(c) if b.reduces => Plan::of(b, &c.mu),
            _ => None,
        };
        // The constraints with impulses among the unknowns.
        let kept: Vec<usize> = match &reduction {
            Some((plan, _)) => plan.rest.clone(),
            None => (0..m).collect(),
        };
        let ell = b.locals("impulse", kept.len());
        let given = reduction.as_ref().and_then(|(plan, _)| self.given(b, plan, &w));
        let free: Vec<usize> = match &given {
            Some(given) => given.free.clone(),
            None => (0..n).collect(),
        };
        let free_w = free.iter().map(|&i| w[i]);
        let unknowns: Vec<Expr> = free_w.chain(ell.iter().copied()).chain(unknown_states.to_vec()).collect();
        let mut guess: Vec<Expr> = free.iter().map(|&i| self.near[i]).collect();
        guess.extend(self.constraint.iter().flat_map(|c| kept.iter().map(|&a| c.guess[a])));
        guess.extend(states.now.iter().take(unknown_states.len()));
        let mu: Matrix = self.constraint.iter().flat_map(|c| kept.iter().map(|&a| c.mu[a].clone())).collect();
        b.equation("(1) momentum at the node");
        let momentum = b.bind_velocities("p_", "", momentum);
        let masses = self.masses(b);
        let effect = weights_of_impulses(b, &mu, &masses);
        b.equation("norm of Newton's updates");
        let mut norm = self.norm(b, self.near, &masses, effect);
        if let Some(given) = &given {
            norm.weights.splice(..n, given.weights(b, &masses));
        }
        if !unknown_states.is_empty() {
            let of_states = b.weights_of_states((self.from, self.near, self.start.t), &masses, norm.scale2);
            norm.weights.extend(of_states);
        }
        let stated = match (self.constraint.is_some(), coupling) {
            (true, Coupling::Unknown) => "(1), (2) and (z)",
            (true, _) => "(1) and (2)",
            (false, Coupling::Unknown) => "(1) and (z)",
            (false, _) => "(1)",
        };
        let names = free.iter().map(|&i| b.direction(i).to_owned());
        let first = rows.start;
        let names = names.chain(kept.iter().map(|&a| b.name_of_constraint(first + a)));
        let residuals = free.iter().map(|&i| b.along("residual_", i, ""));
        let of_forms = rows.enumerate().filter(|(i, _)| given.is_none() || kept.contains(i));
        let residuals = residuals.chain(of_forms.map(|(_, a)| b.name_of_residual(a)));
        let of_states = states.residual_names(b).into_iter().take(unknown_states.len());
        let residuals = residuals.chain(of_states).collect();
        let of_states = b.x.system.states.iter().take(unknown_states.len());
        let names = names.chain(of_states.map(|state| state.name.clone())).collect();
        let reduced = match (&reduction, &given) {
            (Some((plan, at_node)), None) => Some(Reduction { plan, at_node }),
            _ => None,
        };
        let equations = Nonlinear {
            stated,
            unknowns: &unknowns,
            guess: &guess,
            names,
            residuals,
            reduction: reduced,
            linear: None,
        };
        // The residuals with the reaction of the constraints `kept`: impulses ℓ along the rows of μ.
        let residual = |b: &mut Builder<'_>, kept: &[usize], (mu, ell): (&Matrix, &[Expr])| {
            let w = match &given {
                Some(given) => b.bind_velocities(self.named.0, "_try", &given.velocity),
                None => w.clone(),
            };
            let forms = match &self.constraint {
                Some(c) if !kept.is_empty() || given.is_none() => self.step_residual(b, c, &w, Some("_try")),
                _ => Vec::new(),
            };
            let p = self.left(b, &w, coupling, "_end");
            let mut residual = gap_of(b, &p, &momentum, (mu, ell));
            // Without an effect on the solution, this makes the equations regular for the velocities where M is singular.
            if let Some(stiffness) = b.x.stiffness {
                let stiffness = b.at(&[stiffness], self.from, self.near, self.start.t)[0];
                let defects: Vec<Expr> = kept.iter().map(|&a| b.mul(stiffness, forms[a])).collect();
                let push = b.apply_transposed(mu, &defects, n);
                residual = residual.iter().zip(push).map(|(&r, push)| b.add(r, push)).collect();
            }
            match (&given, &reduction) {
                (Some(_), Some((_, at_node))) => {
                    residual = b.apply(&at_node.basis().cloned().collect(), &residual);
                    residual.extend(kept.iter().map(|&a| forms[a]));
                }
                _ => residual.extend(forms),
            }
            if coupling == Coupling::Unknown {
                let step = self.step(&w, states, "_end");
                residual.extend(states.residual(b, self.space, self.rule, [self.ending(step), step]));
            }
            residual
        };
        b.newton(equations, norm, |b| residual(b, &kept, (&mu, &ell)));
        let w = match &given {
            Some(given) => given.bound(b, &w),
            None => w.clone(),
        };
        let impulse = match (&self.constraint, &reduction) {
            (Some(constraint), Some((plan, at_node))) => {
                b.made.reduced = true;
                b.equation("(1) impulses ℓ of the constraints that were eliminated");
                let start = b.statements().len();
                let p = self.left(b, &w, coupling, "_1");
                let gap = gap_of(b, &p, &momentum, (&mu, &ell));
                let gap = b.bind_velocities("reaction_", "", &gap);
                let others = at_node.multipliers(b, &constraint.mu, &gap);
                let known = plan.rest.iter().copied().zip(ell);
                let all: HashMap<usize, Expr> = known.chain(others).collect();
                let mut impulse: Vec<Expr> = (0..m).map(|a| all[&a]).collect();
                // Derivatives of the solution follow from the equations without an elimination inside.
                if b.differentiates() && given.is_none() {
                    let every: Vec<usize> = (0..m).collect();
                    impulse = b.variables("impulse", &impulse);
                    b.equation(format!("residual of {stated} at the solution"));
                    let residual = residual(b, &every, (&constraint.mu, &impulse));
                    let unknowns = [&w, &impulse, unknown_states].concat();
                    b.keep(start, unknowns, residual);
                }
                impulse
            }
            _ => ell,
        };
        Motion { velocity: w, impulse, is_solution: false }
    }
}

/// p − momentum − μᵀℓ
fn gap_of(b: &mut Builder<'_>, p: &[Expr], momentum: &[Expr], (mu, ell): (&Matrix, &[Expr])) -> Vec<Expr> {
    let reaction = b.apply_transposed(mu, ell, p.len());
    let mut gap = Vec::with_capacity(p.len());
    for ((&p, &momentum), reaction) in p.iter().zip(momentum).zip(reaction) {
        let rhs = b.add(momentum, reaction);
        gap.push(b.sub(p, rhs));
    }
    gap
}

/// Σᵢ μₐᵢ²/Mᵢᵢ, about (μM⁻¹μᵀ)ₐₐ, for every one of these rows.
fn weights_of_impulses(b: &mut Builder<'_>, mu: &Matrix, masses: &[Expr]) -> Vec<Expr> {
    let weight = |row: &Vec<Expr>| {
        let terms = row.iter().zip(masses).map(|(&mu, &mass)| {
            let square = b.pool().powi(mu, 2);
            b.pool().div(square, mass)
        });
        let terms: Vec<Expr> = terms.collect();
        b.pool().sum(&terms)
    };
    mu.iter().map(weight).collect()
}

/// The end of a step, before the node rule there.
pub(super) struct Arrival {
    /// Configuration q' = q + h d.
    pub q: Vec<Expr>,
    /// Time t' = t + h.
    t: Expr,
    /// Velocity M⁻¹(p⁺ − a) at q'.
    pub velocity: Vec<Expr>,
    /// The constraint geometry at q'.
    pub node: Node,
    /// c σ with σ = C⁻¹(μ M⁻¹(p⁺ − a) + μ₀), for the c times the normal part B σ that the velocity is to lose:
    /// the reaction removes μᵀ times this from the momentum.
    taken: Vec<Expr>,
    /// What kept the velocity before a reflection on the position constraints: a reaction of half a step.
    kept: Vec<Expr>,
    /// s (μ x + μ₀), what the stiffness of the constraints has added to the reaction if M is singular: u is a correction to
    /// a velocity x, and (M + s μᵀμ)(v' − x) = p⁺ − a − M x − μᵀσ is M v' = p⁺ − a − μᵀ(σ − s (μ x + μ₀)) for μ v' + μ₀ = 0.
    stiff: Vec<Expr>,
    /// What becomes of it.
    normal: Normal,
    /// The number of the first statement that computes the velocity.
    start: usize,
    /// p⁺ and x.
    momentum: Vec<Expr>,
    near: Vec<Expr>,
}

/// What becomes of the normal part B σ of a velocity at a node, with the number of the equation that says so.
#[derive(Clone, Copy)]
pub(super) enum Normal {
    /// It is removed: c = 1.
    Removed(u32),
    /// It changes its sign: c = 2.
    Reflected(u32),
}

impl Normal {
    /// c
    fn times(self) -> i64 {
        match self {
            Normal::Removed(_) => 1,
            Normal::Reflected(_) => 2,
        }
    }
}

impl Arrival {
    /// The arrival of the step that has departed from a state at `from` at time `t`; `named` names the velocity.
    pub(super) fn of(
        b: &mut Builder<'_>,
        space: &Space,
        rule: Discretisation,
        (from, departed, t): (&[Expr], &Departed, Expr),
        normal: Normal,
        named: (&str, &str),
    ) -> Arrival {
        b.equation("configuration q' = q + h d");
        let (h, d) = (b.h, &departed.velocity);
        let q = space.advance(b, from, h, d);
        let q = b.bind_configuration("_1", &q);
        let beginning = Beginning::at_state(t, &departed.states);
        let p = Step::leaving(from, d, beginning, "_1").momentum(b, space, rule, End::Last);
        b.equation(match normal {
            Normal::Removed(n) => format!("({n}) u = M⁻¹(p⁺ − a) at q', and σ = C⁻¹(μ u + μ₀)"),
            Normal::Reflected(n) => {
                format!("({}) v_pre' = M⁻¹(p⁺ − a) at q', and 2 σ = 2 C⁻¹(μ v_pre' + μ₀)", n - 1)
            }
        });
        let end = b.add(t, h);
        // On vector spaces p⁺ is M d up to small terms, and M d cancels; with the tangents of a group it does not.
        let rest = vec![b.pool().zero(); d.len()];
        let near = if space.is_flat() { d } else { &rest };
        let start = b.statements().len();
        if let Normal::Removed(_) = normal {
            b.watch();
        }
        let velocity = b.velocity_of(&q, &p, near, end);
        let node = b.reaction(&q, end);
        let (velocity, kept) = match normal {
            // A reflection stays on position constraints, if the velocity before it is on them.
            Normal::Reflected(_) if b.x.has_positions() => {
                let velocity = b.bind_velocities("u_", "", &velocity);
                b.equation("v_pre' = u − B σ_g with G v_pre' = 0");
                b.tangent(&node, &velocity, true)
            }
            _ => (velocity, Vec::new()),
        };
        let velocity = b.bind_velocities(named.0, named.1, &velocity);
        // The velocity before a reflection is a result, which needs M⁻¹ in any case.
        if let Normal::Reflected(_) = normal {
            b.watch();
        }
        let sigma = b.normal_part(&node, &velocity);
        let c = b.pool().int(normal.times());
        let taken: Vec<Expr> = sigma.iter().map(|&s| b.mul(c, s)).collect();
        let taken = b.bind_forms(if normal.times() == 1 { "sigma" } else { "two_sigma" }, &taken);
        let stiff = match b.x.stiffness {
            Some(stiffness) => {
                let stiffness = b.at(&[stiffness], &q, near, end)[0];
                let along = b.apply(&node.mu, near);
                let defect: Vec<Expr> = along.iter().zip(&node.mu_t).map(|(&x, &t)| b.add(x, t)).collect();
                defect.into_iter().map(|defect| b.mul(stiffness, defect)).collect()
            }
            None => Vec::new(),
        };
        let near = near.clone();
        Arrival { start, q, t: end, velocity, node, taken, kept, stiff, normal, momentum: p, near }
    }

    /// The velocity minus the part to be removed, bound to a symbol.
    pub(super) fn remove(&mut self, b: &mut Builder<'_>, named: (&str, &str)) -> Vec<Expr> {
        b.equation(match self.normal {
            Normal::Removed(n) => format!("({n}) v' = u − B σ"),
            Normal::Reflected(n) => format!("({n}) v_post' = v_pre' − 2 B σ"),
        });
        let velocity = b.remove(&self.node, &self.velocity, &self.taken);
        let velocity = match self.normal {
            Normal::Removed(_) if b.is_implicit() => self.stated(b, &velocity),
            Normal::Removed(_) => self.solution(b, &velocity),
            Normal::Reflected(_) => self.reflection(b, &velocity),
        };
        b.bind_velocities(named.0, named.1, &velocity)
    }

    /// v' and σ of M v' = p⁺ − a − μᵀσ and μ v' = −μ₀, where formulas give this v'.
    fn solution(&mut self, b: &mut Builder<'_>, velocity: &[Expr]) -> Vec<Expr> {
        let (mass, l_v) = (b.x.mass.clone(), b.x.momentum.clone());
        let mass = b.matrix_at(&mass, &self.q, self.t);
        let rest = vec![b.pool().zero(); velocity.len()];
        let at_rest = b.at(&l_v, &self.q, &rest, self.t);
        let f: Vec<Expr> = self.momentum.iter().zip(at_rest).map(|(&p, a)| b.sub(p, a)).collect();
        for (taken, stiff) in self.taken.iter_mut().zip(self.stiff.drain(..)) {
            *taken = b.sub(*taken, stiff);
        }
        let r = self.node.mu_t.clone();
        self.solution_of(b, (&mass, &f, &r), velocity)
    }

    /// v_post' and 2 σ of M v_post' = M v_pre' − μᵀ 2σ and μ (v_pre' + v_post') = −2 μ₀, where formulas give this v_post'.
    fn reflection(&mut self, b: &mut Builder<'_>, velocity: &[Expr]) -> Vec<Expr> {
        let mass = b.x.mass.clone();
        let mass = b.matrix_at(&mass, &self.q, self.t);
        let f = b.apply(&mass, &self.velocity);
        let along = b.apply(&self.node.mu, &self.velocity);
        let two = b.pool().int(2);
        let r = b.axpy(&along, two, &self.node.mu_t);
        self.solution_of(b, (&mass, &f, &r), velocity)
    }

    /// x and what is taken, of M x = f − μᵀ taken and −μ x = r, where formulas give this x.
    fn solution_of(
        &mut self,
        b: &mut Builder<'_>,
        (mass, f, r): (&Matrix, &[Expr], &[Expr]),
        x: &[Expr],
    ) -> Vec<Expr> {
        let mu = b.negated(&self.node.mu);
        let has_inertia = matches!(self.normal, Normal::Reflected(_));
        let known = Known { x, lambda: &self.taken, free: None, has_inertia };
        let [x, taken] = b.solution(&LinearEquations { mass, mu: &mu, nu: None, f, r }, &known);
        self.taken = taken;
        x
    }

    /// Binds v' and σ, and states that (M + s μᵀμ)(v' − x) = p⁺ − a − M x − μᵀσ and μ v' = −μ₀.
    fn stated(&mut self, b: &mut Builder<'_>, velocity: &[Expr]) -> Vec<Expr> {
        let (mass, l_v) = (b.x.inertia.clone(), b.x.momentum.clone());
        let mass = b.matrix_at(&mass, &self.q, self.t);
        let reaction: Vec<Expr> = self.taken.iter().map(|&s| b.pool().neg(s)).collect();
        let momentum = |b: &mut Builder<'_>, v: &[Expr]| {
            let p = if b.x.stiffness.is_some() {
                let change: Vec<Expr> = v.iter().zip(&self.near).map(|(&v, &x)| b.sub(v, x)).collect();
                let change = b.apply(&mass, &change);
                let near = b.at(&l_v, &self.q, &self.near, self.t);
                near.iter().zip(change).map(|(&p, change)| b.add(p, change)).collect()
            } else {
                b.at(&l_v, &self.q, v, self.t)
            };
            p.iter().zip(&self.momentum).map(|(&p, &known)| b.sub(p, known)).collect()
        };
        let [velocity, reaction] = b.state_saddle_point(
            self.start,
            (&mass, &self.node),
            [velocity, &reaction],
            momentum,
            &self.node.mu_t,
        );
        self.taken = reaction.iter().map(|&r| b.pool().neg(r)).collect();
        velocity
    }

    /// Multipliers λ of the normal part: it is what reactions −μᵀλ do in half a step.
    pub(super) fn lambda(&self, b: &mut Builder<'_>) -> Vec<Expr> {
        let mut minus: Vec<Expr> = self.taken.iter().map(|&s| b.pool().neg(s)).collect();
        let first = minus.len() - self.kept.len();
        for (minus, &kept) in minus[first..].iter_mut().zip(&self.kept) {
            let two = b.pool().int(2);
            let kept = b.mul(two, kept);
            *minus = b.sub(*minus, kept);
        }
        for (minus, &stiff) in minus.iter_mut().zip(&self.stiff) {
            *minus = b.add(*minus, stiff);
        }
        forces_of(b, (&self.q, self.t), (&minus, true), 2 / self.normal.times())
    }
}

/// λ = ℓ / (h/`parts`) at (q, t), of the declared rows, where ℓ may be a [solution](Builder::solution).
pub(super) fn forces_of(
    b: &mut Builder<'_>,
    (q, t): (&[Expr], Expr),
    (impulse, is_solution): (&[Expr], bool),
    parts: i64,
) -> Vec<Expr> {
    b.equation("multipliers λ' of the declared constraints");
    let impulse = match is_solution {
        true => b.declared_of_solution((q, t), impulse),
        false => b.declared_multipliers((q, t), impulse),
    };
    let h = b.h;
    let per = b.pool().recip(h);
    let parts = b.pool().int(parts);
    let rate = b.mul(parts, per);
    impulse.iter().map(|&l| b.mul(rate, l)).collect()
}

impl Builder<'_> {
    /// Weights of auxiliary states among the unknowns of Newton's method, Σᵢ (h ∂fᵢ/∂z)²/Mᵢᵢ + e/(1 + z²) at (q, v, t) with
    /// these Mᵢᵢ: what a unit does to the motion in a step, as masses measure it, and the share of the scale e that it is of the
    /// state.
    pub(super) fn weights_of_states(
        &mut self,
        (q, v, t): (&[Expr], &[Expr], Expr),
        masses: &[Expr],
        scale: Expr,
    ) -> Vec<Expr> {
        let (h, z) = (self.h, self.x.z.clone());
        let force = self.x.force.clone();
        let gradients: Matrix = force.iter().map(|&f| self.pool().gradient(f, &z)).collect();
        let mut weights = Vec::with_capacity(z.len());
        for i in 0..z.len() {
            let column: Vec<Expr> = gradients.iter().map(|row| row[i]).collect();
            let column = self.at(&column, q, v, t);
            let size = states::size(self, z[i]);
            let mut terms = vec![self.pool().div(scale, size)];
            for (&slope, &mass) in column.iter().zip(masses) {
                let impulse = self.mul(h, slope);
                let square = self.pool().powi(impulse, 2);
                terms.push(self.pool().div(square, mass));
            }
            weights.push(self.pool().sum(&terms));
        }
        states::bind(self, "_weight", &weights)
    }

    /// B = M⁻¹μᵀ, C = μB, μ and μ₀ at a node, bound.
    pub(super) fn reaction(&mut self, q: &[Expr], t: Expr) -> Node {
        let (mu, mu_t) = (self.x.mu.clone(), self.x.mu_t.clone());
        let mu = self.matrix_at(&mu, q, t);
        let v = self.x.v.clone();
        let mu_t = self.at(&mu_t, q, &v, t);
        let n = self.x.n();
        let m = mu.len();
        let reaction = match self.x.reaction.clone() {
            Some(r) => {
                self.watch_inverse(q, t);
                let det = r.det.map(|d| self.at(&[d], q, &v, t)[0]);
                Reaction { b: self.matrix_at(&r.b, q, t), c: self.matrix_at(&r.c, q, t), det }
            }
            None => {
                let mass = self.x.inertia.clone();
                let mass = self.matrix_at(&mass, q, t);
                let rhs: Matrix = (0..n).map(|i| mu.iter().map(|form| form[i]).collect()).collect();
                let b = self.solve_definite(Singular::Mass, &mass, &rhs, &[]);
                let mut c = vec![vec![self.pool().zero(); m]; m];
                for a in 0..m {
                    for d in a..m {
                        let column: Vec<Expr> = b.iter().map(|row| row[d]).collect();
                        c[a][d] = crate::expr::linear::dot(self.pool(), &mu[a], &column);
                        c[d][a] = c[a][d];
                    }
                }
                Reaction { b, c, det: None }
            }
        };
        Node { mu, mu_t, reaction }
    }

    /// x with C x = r.
    pub(super) fn solve_c(&mut self, node: &Node, r: &[Expr]) -> Vec<Expr> {
        let rhs: Matrix = r.iter().map(|&e| vec![e]).collect();
        self.solve_c_for(node, &rhs).concat()
    }

    /// X with C X = R.
    fn solve_c_for(&mut self, node: &Node, rhs: &Matrix) -> Matrix {
        let c = &node.reaction.c;
        match node.reaction.det {
            Some(det) if !self.pool().is_zero(c[0][1]) => {
                let det = self.bind("det_c", det);
                let scale = self.mul(c[0][0], c[1][1]);
                self.pivot(det, scale, Singular::Constraints, 0);
                let mut cramer = |i: usize| -> Vec<Expr> {
                    let columns = rhs[i].iter().zip(&rhs[1 - i]);
                    let quotients = columns.map(|(&r, &other)| {
                        let (x, y) = (self.mul(c[1 - i][1 - i], r), self.mul(c[0][1], other));
                        let top = self.sub(x, y);
                        self.pool().div(top, det)
                    });
                    quotients.collect()
                };
                vec![cramer(0), cramer(1)]
            }
            _ => self.solve_definite(Singular::Constraints, c, rhs, &[]),
        }
    }

    /// X and Λ with M X = F + μᵀΛ and μ X = −G. If constraints give velocities at once, these are eliminated first, unless M is made of
    /// numbers: then M⁻¹ takes no operations.
    pub(super) fn solve_saddle_point(&mut self, equations: &SaddlePoint, of: [&Matrix; 2]) -> [Matrix; 2] {
        let SaddlePoint { mass, node, .. } = equations;
        let is_number = |&e: &Expr| self.x.system.pool.as_number(e).is_some();
        if !mass.iter().flatten().all(is_number) {
            let bordered = self.bordered(mass, &node.mu);
            if has_given(self.pool(), &bordered) {
                let [f, g] = of;
                let rhs = [f.as_slice(), &self.negated(g)].concat();
                let mut x = self.solve_ordered(&bordered, &rhs, &[]);
                let lambda = x.split_off(mass.len());
                return [x, lambda];
            }
        }
        let [free, lambda] = self.reactions(equations, of);
        [self.with_reactions(equations, &free, &lambda), lambda]
    }

    /// M and −μᵀ above μ and zeros.
    fn bordered(&mut self, mass: &Matrix, mu: &Matrix) -> Matrix {
        let zero = self.pool().zero();
        let columns = self.negated(&transposed(mu, mass.len()));
        let above = mass.iter().zip(columns).map(|(row, column)| [row.as_slice(), &column].concat());
        let below = mu.iter().map(|form| [form.as_slice(), &vec![zero; mu.len()]].concat());
        above.chain(below).collect()
    }

    /// M⁻¹ F and Λ = −C⁻¹(μ M⁻¹ F + G).
    pub(super) fn reactions(
        &mut self,
        SaddlePoint { mass, node, .. }: &SaddlePoint,
        [f, g]: [&Matrix; 2],
    ) -> [Matrix; 2] {
        let free = self.solve_definite(Singular::Mass, mass, f, &[]);
        let free = self.bind_matrix("free", &free);
        let columns = free.first().map_or(0, Vec::len);
        let along = self.product(&node.mu, &free, columns);
        let rhs = along.iter().zip(g).map(|(along, g)| {
            let sums = along.iter().zip(g).map(|(&x, &g)| {
                let sum = self.add(x, g);
                self.pool().neg(sum)
            });
            sums.collect()
        });
        let rhs: Matrix = rhs.collect();
        let lambda = self.solve_c_for(node, &rhs);
        [free, self.bind_matrix("reaction", &lambda)]
    }

    /// X = M⁻¹ F + B Λ, where rows of M⁻¹ F that end early are continued by zeros.
    pub(super) fn with_reactions(
        &mut self,
        SaddlePoint { node, .. }: &SaddlePoint,
        free: &Matrix,
        lambda: &Matrix,
    ) -> Matrix {
        let zero = self.pool().zero();
        let columns = lambda.first().or(free.first()).map_or(0, Vec::len);
        let pushed = self.product(&node.reaction.b, lambda, columns);
        let rows = free.iter().zip(pushed).map(|(free, pushed)| {
            let free = free.iter().copied().chain(std::iter::repeat(zero));
            free.zip(pushed).map(|(x, y)| self.add(x, y)).collect()
        });
        rows.collect()
    }

    /// Binds x and λ, which have been computed from statement `start` on, and states that M x = f + μᵀλ and μ x = −g, where
    /// `momentum` is M x − f. The derivatives of numbers, and of what was bound before, are known without these equations.
    pub(super) fn state_saddle_point(
        &mut self,
        start: usize,
        (mass, node): (&Matrix, &Node),
        [x, lambda]: [&[Expr]; 2],
        momentum: impl FnOnce(&mut Self, &[Expr]) -> Vec<Expr>,
        g: &[Expr],
    ) -> [Vec<Expr>; 2] {
        let values: Vec<Expr> = [x, lambda].concat().iter().map(|&e| self.bind("solution", e)).collect();
        let bound: HashSet<Expr> = lets(&self.statements()[start..]).map(|(symbol, _)| symbol).collect();
        let is_first = |i: usize| bound.contains(&values[i]) && !values[..i].contains(&values[i]);
        let places: Vec<usize> = (0..values.len()).filter(|&i| is_first(i)).collect();
        let unknowns = places.iter().map(|&i| values[i]).collect();
        let (values, lambda) = values.split_at(x.len());
        let momentum = momentum(self, values);
        let reaction = self.apply_transposed(&node.mu, lambda, values.len());
        let along = self.apply(&node.mu, values);
        let balance = momentum.iter().zip(reaction).map(|(&p, force)| self.sub(p, force));
        let mut residual: Vec<Expr> = balance.collect();
        residual.extend(along.iter().zip(g).map(|(&x, &g)| self.add(x, g)));
        self.state(unknowns, residual, SaddlePoint { mass: mass.clone(), node: node.clone(), places });
        [values.to_vec(), lambda.to_vec()]
    }

    /// The part of a velocity, or of a difference of two (not `affine`), that is tangent to the position constraints,
    /// v − B_g σ_g, and σ_g = C_gg⁻¹(G v + g_t), the part of the solution for these rows alone.
    pub(super) fn tangent(&mut self, node: &Node, v: &[Expr], affine: bool) -> (Vec<Expr>, Vec<Expr>) {
        let rows = self.x.one_forms()..self.x.m();
        let along = self.apply(&node.mu[rows.clone()].to_vec(), v);
        let zero = self.pool().zero();
        let rates = node.mu_t[rows].iter().map(|&t| if affine { t } else { zero });
        let defect: Vec<Expr> = along.into_iter().zip(rates).map(|(x, t)| self.add(x, t)).collect();
        let (sigma, normal) = self.normal_of_positions(node, &defect);
        let minus = self.pool().int(-1);
        (self.axpy(v, minus, &normal), sigma)
    }

    /// σ_g = C_gg⁻¹ r and B_g σ_g, for the rows of the position constraints alone.
    pub(super) fn normal_of_positions(&mut self, node: &Node, r: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
        let rows = self.x.one_forms()..self.x.m();
        let rhs: Matrix = r.iter().map(|&r| vec![r]).collect();
        let c = node.reaction.c[rows.clone()].iter().map(|row| row[rows.clone()].to_vec()).collect();
        let known = self.watched.as_ref().map_or(0, Vec::len);
        let sigma = self.solve_definite(Singular::Constraints, &c, &rhs, &[]).concat();
        self.watched.iter_mut().flat_map(|watched| &mut watched[known..]).for_each(|w| w.row += rows.start);
        let sigma: Vec<Expr> = sigma.iter().map(|&sigma| self.bind("sigma_g", sigma)).collect();
        let columns = node.reaction.b.iter().map(|row| row[rows.clone()].to_vec()).collect();
        let normal = self.apply(&columns, &sigma);
        (sigma, normal)
    }

    /// Multipliers of the declared rows from those of the rows in use at `q`. Fails where the declared rows
    /// are dependent.
    pub(super) fn declared_multipliers(&mut self, at: (&[Expr], Expr), used: &[Expr]) -> Vec<Expr> {
        self.multipliers(at, used, false)
    }

    /// The same after [`Builder::solution`], which needs neither M⁻¹ nor C.
    pub(super) fn declared_of_solution(&mut self, at: (&[Expr], Expr), used: &[Expr]) -> Vec<Expr> {
        let is_plain = !self.differentiates() && !self.is_implicit();
        self.multipliers(at, used, is_plain)
    }

    fn multipliers(&mut self, (q, t): (&[Expr], Expr), used: &[Expr], is_careful: bool) -> Vec<Expr> {
        let Some(combination) = self.x.combination.clone() else { return used.to_vec() };
        let combination = combination.at(|e| self.matrix_at(&vec![e.to_vec()], q, t).concat());
        if let Some(reaction) = self.x.reaction.clone() {
            let c = self.matrix_at(&reaction.c, q, t);
            for &block in &combination.blocks {
                let parallel = if is_careful { combination.parallel(self.pool(), block) } else { None };
                let known = parallel.or_else(|| combination.determinant(self.pool(), block, &c));
                let Some((determinant, diagonal)) = known else { continue };
                let determinant = self.bind("det_c", determinant);
                self.pivot(determinant, diagonal, Singular::Constraints, 0);
            }
        }
        combination.declared(self.pool(), used)
    }

    /// Multipliers of the rows in use from those of the declared ones.
    pub(super) fn used_multipliers(&mut self, (q, t): (&[Expr], Expr), declared: &[Expr]) -> Vec<Expr> {
        let Some(combination) = self.x.combination.clone() else { return declared.to_vec() };
        let combination = combination.at(|e| self.matrix_at(&vec![e.to_vec()], q, t).concat());
        combination.used(self.pool(), declared)
    }

    /// The name of the residual of a constraint: after its label, if it has one and the rows in use are the declared ones.
    pub(super) fn name_of_residual(&self, a: usize) -> String {
        match (&self.x.combination, self.x.system.constraints.get(a)) {
            (None, Some(Constraint { label, .. })) if identifier(label) == *label => {
                format!("residual_{label}")
            }
            _ => format!("residual_of_constraint_{a}"),
        }
    }

    /// The label of a constraint, if the rows in use are the declared ones.
    pub(super) fn name_of_constraint(&self, a: usize) -> String {
        match (&self.x.combination, self.x.system.constraints.get(a)) {
            (None, Some(Constraint { label, .. })) => label.clone(),
            _ => format!("combination {a} of the constraints"),
        }
    }

    /// M⁻¹ x at (q, t), for a covector x.
    pub(super) fn solve_mass(&mut self, q: &[Expr], t: Expr, x: &[Expr]) -> Vec<Expr> {
        let mass = self.x.inertia.clone();
        let mass = self.matrix_at(&mass, q, t);
        let rhs: Matrix = x.iter().map(|&e| vec![e]).collect();
        let solved = self.solve_definite(Singular::Mass, &mass, &rhs, &[]);
        solved.into_iter().map(|row| row[0]).collect()
    }

    /// Velocity M⁻¹(p − a) of a momentum at `q`, computed as a correction to `near`.
    pub(super) fn velocity_of(&mut self, q: &[Expr], p: &[Expr], near: &[Expr], t: Expr) -> Vec<Expr> {
        let l_v = self.x.momentum.clone();
        let p_near = self.at(&l_v, q, near, t);
        let defect: Vec<Expr> = p.iter().zip(p_near).map(|(&p, k)| self.sub(p, k)).collect();
        let correction = self.solve_mass(q, t, &defect);
        near.iter().zip(correction).map(|(&v, c)| self.add(v, c)).collect()
    }

    /// σ = C⁻¹(μ v + μ₀) at a node: the normal part of a velocity is B σ.
    pub(super) fn normal_part(&mut self, node: &Node, v: &[Expr]) -> Vec<Expr> {
        let along = self.apply(&node.mu, v);
        let defect: Vec<Expr> = along.into_iter().zip(&node.mu_t).map(|(x, &t)| self.add(x, t)).collect();
        let defect = self.bind_forms("defect", &defect);
        self.solve_c(node, &defect)
    }

    /// v − B σ.
    pub(super) fn remove(&mut self, node: &Node, v: &[Expr], sigma: &[Expr]) -> Vec<Expr> {
        let normal = self.apply(&node.reaction.b, sigma);
        let minus = self.pool().int(-1);
        self.axpy(v, minus, &normal)
    }
}

/// Linear equations M x = f + μᵀλ, μ x = −g for x and λ.
pub(super) struct SaddlePoint {
    /// M.
    pub(super) mass: Matrix,
    /// μ, B = M⁻¹μᵀ and C.
    pub(super) node: Node,
    /// The places of the unknowns among x and λ.
    pub(super) places: Vec<usize>,
}

/// The constraint geometry at one configuration.
#[derive(Clone)]
pub(super) struct Node {
    pub mu: Matrix,
    pub mu_t: Vec<Expr>,
    pub reaction: Reaction,
}
