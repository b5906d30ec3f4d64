//! Requirements on Lagrangians, constraints and forces as polynomials in the velocities and
//! differentials, and which part of them is to blame where they are not.

use super::ast::{Ast, Kind};
use super::error::{Error, Extent};
use super::lower::{Lowering, Reported, Value};
use super::names::Holds;
use super::polynomial::{Monomial, Obstacle, Polynomial, polynomial};
use crate::expr::{Expr, Pool, Zero};

/// A constraint as written: in differentials, or in velocities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    Differentials,
    Velocities,
}

/// How many velocities, one-forms of velocities and `dt` a monomial has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Degrees {
    velocities: usize,
    differentials: usize,
    dt: usize,
}

/// What to declare instead of a constraint that is not linear in the velocities. (Principles for its reaction contradict each
/// other: Marle 1998, *Various approaches to conservative and nonconservative nonholonomic systems*.)
const NONLINEAR: &str = "d'Alembert's principle gives the reactions of linear constraints alone; an input can prescribe a speed, \
     `dx - speed*cos(theta)*dt` and `dy - speed*sin(theta)*dt`, and a `force` can keep a relation, as a controller with \
     auxiliary states does";

/// The fault of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    NotQuadratic,
    /// A constraint in velocities.
    NotLinearInVelocities,
    /// A constraint in differentials.
    NonlinearForm,
    /// A force.
    NotLinearInDifferentials,
    /// The coefficient of a differential depends on a velocity.
    VelocityInCoefficient,
    /// The coefficient of a velocity or a differential depends on an input.
    InputInCoefficient,
    /// The coefficient of a velocity in a Lagrangian is piecewise.
    PiecewiseKinetic,
    /// The coefficient of a velocity or a differential in a constraint is piecewise.
    PiecewiseConstraint,
}

impl Fault {
    fn message(self) -> &'static str {
        match self {
            Fault::NotQuadratic => "this is not quadratic in the velocities",
            Fault::NotLinearInVelocities => "this is not linear in the velocities",
            Fault::NonlinearForm | Fault::NotLinearInDifferentials => {
                "this is not linear in the differentials"
            }
            Fault::VelocityInCoefficient => "the coefficient of a differential may not depend on velocities",
            Fault::InputInCoefficient => {
                "the coefficient of a velocity or a differential may not depend on inputs"
            }
            Fault::PiecewiseKinetic => "a piecewise function may not stand in the kinetic energy",
            Fault::PiecewiseConstraint => {
                "a piecewise function may not stand in the coefficient of a constraint"
            }
        }
    }

    /// The error about a term; `decided` if it is known not to be zero.
    fn error(self, at: Extent, decided: bool) -> Error {
        if !decided {
            return Error::new(at, format!("{}, and it is not decided whether it is zero", self.message()))
                .help("leave it out if it is zero");
        }
        let error = Error::new(at, self.message());
        match self {
            Fault::NotQuadratic => error.help("a Lagrangian is a polynomial of degree two in the velocities"),
            Fault::NotLinearInVelocities | Fault::NonlinearForm => error.help(NONLINEAR),
            Fault::NotLinearInDifferentials => error,
            Fault::VelocityInCoefficient => {
                error.help("velocities are multiplied by `dt` alone: `dot(x)*dt` is `dx`")
            }
            Fault::PiecewiseKinetic => error.help(
                "masses that change with the configuration are differentiated; forces and potentials may be piecewise",
            ),
            Fault::PiecewiseConstraint => error.help(
                "the admissible velocities would jump; an event can stop the motion, which goes on with other constraints",
            ),
            Fault::InputInCoefficient => error.help(
                "declare this quantity as a coordinate and drive it: with the coordinate `s` and its rate as the input, `dot(s) - rate` is one more constraint",
            ),
        }
    }
}

/// The rule that each part of an expression has to obey on its own.
#[derive(Clone, Copy)]
enum Rule {
    Lagrangian,
    Constraint(Notation),
    Force,
}

impl Rule {
    fn fault(self, degrees: Degrees) -> Option<Fault> {
        let Degrees { velocities, differentials, dt } = degrees;
        match self {
            Rule::Lagrangian => (velocities > 2).then_some(Fault::NotQuadratic),
            Rule::Force => (differentials > 1).then_some(Fault::NotLinearInDifferentials),
            Rule::Constraint(_) if differentials + dt > 1 => Some(Fault::NonlinearForm),
            Rule::Constraint(_) if velocities > 1 => Some(Fault::NotLinearInVelocities),
            Rule::Constraint(_) if differentials == 1 && velocities == 1 => {
                Some(Fault::VelocityInCoefficient)
            }
            Rule::Constraint(_) => None,
        }
    }

    /// For expressions that are not polynomials in them.
    fn fault_of_functions(self) -> Fault {
        match self {
            Rule::Lagrangian => Fault::NotQuadratic,
            Rule::Constraint(Notation::Velocities) => Fault::NotLinearInVelocities,
            Rule::Constraint(Notation::Differentials) => Fault::NonlinearForm,
            Rule::Force => Fault::NotLinearInDifferentials,
        }
    }
}

/// Coefficients of a one-form.
pub(crate) struct OneForm {
    pub(crate) coefficients: Vec<Expr>,
    pub(crate) dt: Expr,
}

/// What an expression is that keeps a rule.
struct Checked {
    terms: Polynomial,
    /// Whether further terms, which broke the rule, turned out to be zero.
    dropped: bool,
}

/// The sum of `terms` in these variables.
fn from_terms(pool: &mut Pool, terms: &Polynomial, variables: &[Expr]) -> Expr {
    let products = terms.iter().map(|(monomial, &coefficient)| {
        let variables = monomial.iter().map(|&i| variables[usize::from(i)]);
        let factors: Vec<Expr> = [coefficient].into_iter().chain(variables).collect();
        pool.product(&factors)
    });
    let products: Vec<Expr> = products.collect();
    pool.sum(&products)
}

impl Lowering<'_> {
    /// L, and the entries ∂²L/∂vᵢ∂vⱼ of its mass matrix.
    pub(crate) fn lagrangian(&mut self, ast: &Ast) -> Result<(Expr, Vec<Vec<Expr>>), Reported> {
        let e = self.value_under(ast, Rule::Lagrangian)?.number()?;
        let Checked { terms, dropped } = self.checked(ast, e, Rule::Lagrangian)?;
        let e = if dropped { from_terms(&mut self.pool, &terms, &self.symbols.velocities) } else { e };
        let potential = terms.get(&Vec::new()).copied();
        if let Some(condition) = potential.and_then(|potential| self.pool.jump(potential)) {
            return self.blame_jump(ast, condition);
        }
        let n = self.symbols.velocities.len();
        let zero = self.pool.zero();
        let mut mass = vec![vec![zero; n]; n];
        for (monomial, coefficient) in terms {
            if let [i, j] = monomial[..] {
                let (i, j) = (usize::from(i), usize::from(j));
                // v₀² / 2 has the coefficient 1/2 and the second derivative 1.
                let entry = if i == j { self.pool.add(coefficient, coefficient) } else { coefficient };
                mass[i][j] = entry;
                mass[j][i] = entry;
            }
        }
        Ok((e, mass))
    }

    /// Reports the terms of a potential energy that jump where `condition` changes its sign.
    fn blame_jump<T>(&mut self, ast: &Ast, condition: Expr) -> Result<T, Reported> {
        let (mut open, mut jumping) = (vec![ast], ast);
        while let Some(part) = open.pop() {
            let jumps = self.lower(part).is_ok_and(|e| self.pool.jump(e).is_some());
            if jumps {
                jumping = part;
                open = match &part.kind {
                    Kind::Sum(_) | Kind::Paren(_) | Kind::Neg(_) => part.children(),
                    _ => break,
                };
            }
        }
        let condition = self.pool.show(condition).to_string();
        let error = Error::new(jumping.at, format!("the potential energy jumps where `{condition}` is zero"));
        self.push(error.help(
            "a potential has to be continuous, as `max(0, x)^2` is; at a wall an event can stop the motion",
        ));
        Err(Reported)
    }

    /// μ and μ₀ of a constraint in either notation; of one for every component of a vector.
    pub(crate) fn constraint(&mut self, ast: &Ast, holds: Holds) -> Result<Vec<OneForm>, Reported> {
        let notation = if holds.differentials { Notation::Differentials } else { Notation::Velocities };
        let value = self.value_under(ast, Rule::Constraint(notation))?;
        value.entries().iter().map(|&e| self.one_form(ast, e, notation)).collect()
    }

    fn one_form(&mut self, ast: &Ast, e: Expr, notation: Notation) -> Result<OneForm, Reported> {
        let Checked { terms, .. } = self.checked(ast, e, Rule::Constraint(notation))?;
        let n = self.symbols.velocities.len();
        let mut form = self.zero_form();
        let mut without = false;
        for (monomial, coefficient) in terms {
            let degrees = self.degrees(&monomial);
            let i = monomial.first().map(|&i| usize::from(i));
            let slot = match (notation, degrees, i) {
                // dot(x) or dot(x)*dt
                (Notation::Velocities, Degrees { velocities: 1, .. }, Some(i)) => &mut form.coefficients[i],
                (Notation::Differentials, Degrees { velocities: 1, dt: 1, .. }, Some(i)) => {
                    &mut form.coefficients[i]
                }
                (Notation::Differentials, Degrees { differentials: 1, .. }, Some(i)) => {
                    &mut form.coefficients[i - n]
                }
                (Notation::Velocities, ..) | (_, Degrees { dt: 1, .. }, _) => &mut form.dt,
                _ => {
                    without = true;
                    continue;
                }
            };
            *slot = self.pool.add(*slot, coefficient);
        }
        if without { self.blame_missing(ast, "a factor such as `dx` or `dt`") } else { Ok(form) }
    }

    /// The differential of a function of the configuration and time.
    pub(crate) fn differential(&mut self, g: Expr) -> OneForm {
        let rates = self.symbols.rates.clone();
        let zero = self.pool.zero();
        let along = self.total_derivative(g, &rates, zero);
        let coefficients = self.pool.gradient(along, &self.symbols.velocities);
        OneForm { coefficients, dt: self.pool.gradient(g, &[self.symbols.t])[0] }
    }

    /// The components of a work one-form.
    pub(crate) fn force(&mut self, ast: &Ast) -> Result<Vec<Expr>, Reported> {
        self.in_force = true;
        let result = self.work_form(ast);
        self.in_force = false;
        result
    }

    fn work_form(&mut self, ast: &Ast) -> Result<Vec<Expr>, Reported> {
        let e = self.value_under(ast, Rule::Force)?.number()?;
        let Checked { terms, .. } = self.checked(ast, e, Rule::Force)?;
        let mut form = self.zero_form();
        let mut without = false;
        for (monomial, coefficient) in terms {
            match monomial.first() {
                Some(&i) => form.coefficients[usize::from(i)] = coefficient,
                None => without = true,
            }
        }
        if without { self.blame_missing(ast, "a factor such as `dx`") } else { Ok(form.coefficients) }
    }

    /// v dt for a velocity or for a vector of them.
    pub(crate) fn velocity_value(&mut self, ast: &Ast, value: Value) -> Result<Value, Reported> {
        Ok(match value {
            Value::Number(e) => Value::Number(self.velocity_form(ast, e)?),
            Value::Vector([a, b, c]) => Value::Vector([
                self.velocity_form(ast, a)?,
                self.velocity_form(ast, b)?,
                self.velocity_form(ast, c)?,
            ]),
            Value::Matrix(_) => return Err(Reported),
        })
    }

    /// v dt for `e`, the meaning of `ast`, which has to be a velocity v: the direction of a force that
    /// may depend on velocities too, as in `-c*v*omega*dt`.
    fn velocity_form(&mut self, ast: &Ast, e: Expr) -> Result<Expr, Reported> {
        let velocities = self.symbols.velocities.clone();
        let mut linear = Vec::new();
        let mut is_velocity = true;
        match polynomial(&mut self.pool, e, &velocities) {
            Ok(terms) => {
                for (monomial, coefficient) in terms {
                    match monomial[..] {
                        [i] => linear.push(self.pool.mul(coefficient, self.symbols.basis[usize::from(i)])),
                        _ => is_velocity &= self.vanishes(coefficient),
                    }
                }
            }
            Err(_) => is_velocity = false,
        }
        if is_velocity {
            return Ok(self.pool.sum(&linear));
        }
        if self.has_bad_names && !self.pool.depends_on(e, &velocities) {
            // A `dt` behind something without a velocity was reported with the names.
            return Err(Reported);
        }
        self.report(ast, || {
            Error::new(ast.at, "this is not linear in the velocities")
                .help("what stands before `dt` is a velocity: `-c*omega*omega*dt` acts against `omega`")
        })
    }

    fn zero_form(&mut self) -> OneForm {
        let zero = self.pool.zero();
        OneForm { coefficients: vec![zero; self.symbols.velocities.len()], dt: zero }
    }

    /// The variables of a rule: velocities v, then their one-forms v dt, then `dt`.
    fn variables(&self, rule: Rule) -> Vec<Expr> {
        match rule {
            Rule::Lagrangian => self.symbols.velocities.clone(),
            Rule::Force => self.symbols.basis.clone(),
            Rule::Constraint(_) => {
                [&self.symbols.velocities[..], &self.symbols.basis[..], &[self.symbols.dt]].concat()
            }
        }
    }

    /// Degrees of a monomial in the variables of a constraint.
    fn degrees(&self, monomial: &Monomial) -> Degrees {
        let n = self.symbols.velocities.len();
        let count = |range: std::ops::Range<usize>| {
            monomial.iter().filter(|&&i| range.contains(&usize::from(i))).count()
        };
        Degrees { velocities: count(0..n), differentials: count(n..2 * n), dt: count(2 * n..2 * n + 1) }
    }

    fn degrees_under(&self, rule: Rule, monomial: &Monomial) -> Degrees {
        let none = Degrees { velocities: 0, differentials: 0, dt: 0 };
        match rule {
            Rule::Lagrangian => Degrees { velocities: monomial.len(), ..none },
            Rule::Force => Degrees { differentials: monomial.len(), ..none },
            Rule::Constraint(_) => self.degrees(monomial),
        }
    }

    /// How a term breaks the rule, unless it is zero.
    fn fault_of_term(&self, rule: Rule, monomial: &Monomial, coefficient: Expr) -> Option<Fault> {
        let degrees = self.degrees_under(rule, monomial);
        rule.fault(degrees).or_else(|| match rule {
            Rule::Lagrangian if degrees.velocities > 0 && self.pool.has_select(&[coefficient]) => {
                Some(Fault::PiecewiseKinetic)
            }
            Rule::Constraint(_)
                if degrees.velocities + degrees.differentials > 0 && self.pool.has_select(&[coefficient]) =>
            {
                Some(Fault::PiecewiseConstraint)
            }
            Rule::Constraint(_) if degrees.velocities + degrees.differentials > 0 => {
                let is_driven = self.pool.depends_on(coefficient, &self.symbols.inputs);
                is_driven.then_some(Fault::InputInCoefficient)
            }
            _ => None,
        })
    }

    /// What `ast` means; if that is nothing, its terms that break the rule are reported.
    fn value_under(&mut self, ast: &Ast, rule: Rule) -> Result<Value, Reported> {
        let value = self.value(ast);
        if value.is_err() {
            self.blame_terms(ast, rule);
        }
        value
    }

    /// The polynomial of `e`, the meaning of `ast` or a component of it, if it keeps the rule; otherwise the bad parts of
    /// `ast` are reported.
    fn checked(&mut self, ast: &Ast, e: Expr, rule: Rule) -> Result<Checked, Reported> {
        let variables = self.variables(rule);
        match polynomial(&mut self.pool, e, &variables) {
            Ok(mut terms) => {
                // Coefficients may be zero without looking so.
                let bad: Vec<Monomial> = terms
                    .iter()
                    .filter(|&(monomial, &c)| self.fault_of_term(rule, monomial, c).is_some())
                    .map(|(monomial, _)| monomial.clone())
                    .collect();
                for monomial in &bad {
                    if !self.vanishes(terms[monomial]) {
                        return self.blame(ast, rule);
                    }
                    terms.remove(monomial);
                }
                Ok(Checked { terms, dropped: !bad.is_empty() })
            }
            Err(Obstacle::NotPolynomial) => self.blame(ast, rule),
            Err(Obstacle::TooLarge) => {
                self.push(Error::new(ast.at, "this has too many terms when multiplied out"));
                Err(Reported)
            }
        }
    }

    /// Reports the smallest parts of `ast` that break the rule by themselves.
    fn blame<T>(&mut self, ast: &Ast, rule: Rule) -> Result<T, Reported> {
        let mut found = Vec::new();
        if !self.with_more_work(|this| this.find_bad(ast, rule, &mut found)) {
            // Only the whole breaks it, which the caller reports.
            found.push((ast.at, rule.fault_of_functions(), true));
        }
        self.push_faults(rule, found);
        Err(Reported)
    }

    /// Reports faults. Every term of a Lagrangian and of a force is right or wrong on its own, but a constraint is one equation: of
    /// several faults of one kind in it, only the first is reported.
    fn push_faults(&mut self, rule: Rule, found: Vec<(Extent, Fault, bool)>) {
        let mut seen = Vec::new();
        for (at, fault, decided) in found {
            if matches!(rule, Rule::Constraint(_)) && seen.contains(&fault) {
                continue;
            }
            seen.push(fault);
            self.push(fault.error(at, decided));
        }
    }

    /// Reports the parts of a force that has other errors.
    pub(crate) fn blame_force(&mut self, ast: &Ast) {
        (self.in_force, self.has_bad_names) = (true, true);
        self.blame_terms(ast, Rule::Force);
        (self.in_force, self.has_bad_names) = (false, false);
    }

    /// Reports the parts of a Lagrangian that has other errors.
    pub(crate) fn blame_lagrangian(&mut self, ast: &Ast) {
        self.blame_terms(ast, Rule::Lagrangian);
    }

    /// Reports the parts of a constraint that has other errors.
    pub(crate) fn blame_constraint(&mut self, ast: &Ast) {
        self.blame_terms(ast, Rule::Constraint(Notation::Differentials));
    }

    /// Reports the terms that break the rule by themselves, in a sum of which other terms have no meaning.
    fn blame_terms(&mut self, ast: &Ast, rule: Rule) {
        let mut found = Vec::new();
        self.find_bad_terms(ast, rule, &mut found);
        self.push_faults(rule, found);
    }

    fn find_bad_terms(&mut self, ast: &Ast, rule: Rule, found: &mut Vec<(Extent, Fault, bool)>) {
        match &ast.kind {
            Kind::Sum(_) | Kind::Paren(_) | Kind::Neg(_) | Kind::Vector(_) => {
                ast.children().into_iter().for_each(|term| self.find_bad_terms(term, rule, found));
            }
            _ => {
                self.find_bad(ast, rule, found);
            }
        }
    }

    /// How a number, or a component of a vector, breaks the rule, if it does, and whether that is certain.
    fn fault(&mut self, value: Value, rule: Rule) -> Option<(Fault, bool)> {
        let mut undecided = None;
        for &e in value.entries() {
            match self.fault_of_number(e, rule) {
                Some((fault, true)) => return Some((fault, true)),
                fault => undecided = undecided.or(fault),
            }
        }
        undecided
    }

    fn fault_of_number(&mut self, e: Expr, rule: Rule) -> Option<(Fault, bool)> {
        let variables = self.variables(rule);
        let Ok(terms) = polynomial(&mut self.pool, e, &variables) else {
            return Some((rule.fault_of_functions(), true));
        };
        let mut undecided = None;
        for (monomial, coefficient) in terms {
            let Some(fault) = self.fault_of_term(rule, &monomial, coefficient) else { continue };
            match self.zero_test(coefficient) {
                Zero::No => return Some((fault, true)),
                Zero::Undecided => undecided = undecided.or(Some((fault, false))),
                Zero::Yes => {}
            }
        }
        undecided
    }

    /// Whether `ast` breaks the rule on its own; if so, the parts that do are added to `found`.
    fn find_bad(&mut self, ast: &Ast, rule: Rule, found: &mut Vec<(Extent, Fault, bool)>) -> bool {
        let Ok(value) = self.value(ast) else { return false };
        let Some((fault, decided)) = self.fault(value, rule) else { return false };
        let inside = match &ast.kind {
            Kind::Loop(range, body) => match self.bounds(range) {
                Ok(values) => values
                    .into_iter()
                    .any(|i| self.with_loop(&range.variable, i, |this| this.find_bad(body, rule, found))),
                Err(Reported) => false,
            },
            // Degrees are undefined inside a function.
            Kind::Call(..) | Kind::Indexed(..) => false,
            // A factor that breaks the rule does not show that the product does.
            Kind::Product(_) if !decided => false,
            // All bad terms of a sum and components of a vector, but one bad operand of everything else.
            Kind::Sum(_) | Kind::Vector(_) => {
                let before = found.len();
                for part in ast.children() {
                    self.find_bad(part, rule, found);
                }
                found.len() > before
            }
            _ => ast.children().into_iter().any(|c| self.find_bad(c, rule, found)),
        };
        if !inside {
            found.push((ast.at, fault, decided));
        }
        true
    }

    /// Reports the terms of a form that have no differential.
    fn blame_missing<T>(&mut self, ast: &Ast, factor: &str) -> Result<T, Reported> {
        let mut found = Vec::new();
        self.with_more_work(|this| this.find_missing(ast, &mut found));
        for at in found {
            self.push(
                Error::new(at, "this term carries no differential")
                    .help(format!("every term of a one-form has {factor}")),
            );
        }
        Err(Reported)
    }

    fn find_missing(&mut self, ast: &Ast, found: &mut Vec<Extent>) {
        let parts: Vec<&Ast> = match &ast.kind {
            Kind::Sum(_) | Kind::Vector(_) => {
                ast.children().into_iter().filter(|c| self.has_term_without(c)).collect()
            }
            // A factor that is a sum of both kinds of terms.
            Kind::Product(_) | Kind::Paren(_) | Kind::Neg(_) => {
                ast.children().into_iter().filter(|c| self.has_both(c)).collect()
            }
            _ => Vec::new(),
        };
        if parts.is_empty() {
            found.push(ast.at);
        }
        for part in parts {
            self.find_missing(part, found);
        }
    }

    /// For a part of a form: whether it has terms (without, with) differentials.
    fn terms_without_and_with(&mut self, ast: &Ast) -> (bool, bool) {
        let mut variables = self.symbols.basis.clone();
        variables.push(self.symbols.dt);
        let (mut without, mut with) = (false, false);
        if let Ok(value) = self.value(ast) {
            for &e in value.entries() {
                if let Ok(terms) = polynomial(&mut self.pool, e, &variables) {
                    without |= terms.contains_key(&Vec::new());
                    with |= terms.keys().any(|m| !m.is_empty());
                }
            }
        }
        (without, with)
    }

    fn has_term_without(&mut self, ast: &Ast) -> bool {
        self.terms_without_and_with(ast).0
    }

    fn has_both(&mut self, ast: &Ast) -> bool {
        self.terms_without_and_with(ast) == (true, true)
    }
}
