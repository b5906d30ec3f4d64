//! Derivatives of steps, compiled.

mod composed;

use crate::compile::Unit;
use crate::compiled::{Callable, Point};
use crate::native::Code;
use crate::{Error, Simulation};
use composed::Substeps;
use nhi_codegen::facts::SystemFacts;
use nhi_codegen::functions::FirstDerivatives;
use nhi_codegen::lower::Function;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::program::Role;
use nhi_methods::{Retraction, Variant};
use nhi_runtime::Failure;
use std::fmt;
use std::slice;
use std::sync::Arc;

/// The basis of the admissible velocities, compiled: v = X(q) ν + v₀.
#[derive(Clone)]
pub struct Basis {
    shared: Arc<(Code, Callable)>,
    sizes: [usize; 2],
}

/// The derivatives ∂(X(q) ν + v₀)/∂q of velocities at fixed ν, compiled.
#[derive(Clone)]
pub struct BasisDerivative {
    shared: Arc<(Code, Callable)>,
}

/// A basis of the admissible velocities at a configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// X, n × d, by rows.
    pub basis: Vec<f64>,
    /// v₀, n.
    pub drift: Vec<f64>,
    /// Y, d × n, by rows: ν = Y v.
    pub dual: Vec<f64>,
}

/// The derivatives of the step of a method, compiled. They share no code with the steps themselves.
#[derive(Clone)]
pub struct Derivatives {
    variant: Variant,
    plain: Arc<Plain>,
    substeps: Option<Arc<Substeps>>,
}

/// The second derivatives of the step of a method, compiled apart from the first ones: they are longer.
#[derive(Clone)]
pub struct SecondDerivatives {
    variant: Variant,
    plain: Arc<PlainSecond>,
    substeps: Option<Arc<Substeps>>,
}

/// Derivatives of the step of a method that is not composed.
struct Plain {
    code: Code,
    /// NX, m, number of inputs, number of parameters.
    sizes: [usize; 4],
    functions: FirstDerivatives<Callable>,
}

/// Second derivatives of the step of a method that is not composed.
struct PlainSecond {
    code: Code,
    /// NX and number of inputs.
    sizes: [usize; 2],
    curvature: Callable,
}

/// Where a step begins: the point, the first guess of the multipliers, and the size of the step.
type Departure<'a> = (&'a Point<'a>, &'a [f64], f64);

/// First derivatives of a step in the tangent coordinates x = (q, ν, z), NX numbers, with v = X(q) ν + v₀. A pose has the
/// tangent vectors g⁻¹ dg. Matrices are stored by rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearization {
    /// A = ∂x'/∂x, NX × NX.
    pub a: Vec<f64>,
    /// B = ∂x'/∂u, NX × inputs.
    pub b: Vec<f64>,
    /// ∂λ'/∂x, m × NX.
    pub lambda_x: Vec<f64>,
    /// ∂λ'/∂u, m × inputs.
    pub lambda_u: Vec<f64>,
}

/// Derivatives of a step by the parameters and by its size.
#[derive(Clone, PartialEq, Debug)]
pub struct ByParameters {
    /// C = ∂x'/∂p, NX × parameters, by rows.
    pub c: Vec<f64>,
    /// ∂x'/∂h, NX.
    pub h: Vec<f64>,
}

/// Products of a covector w of the state after a step with its derivatives.
#[derive(Clone, PartialEq, Debug)]
pub struct PullBack {
    /// wᵀA, NX.
    pub a: Vec<f64>,
    /// wᵀB, one number per input.
    pub b: Vec<f64>,
    /// wᵀC, one number per parameter.
    pub c: Vec<f64>,
    /// wᵀ∂x'/∂h.
    pub h: f64,
}

/// Second derivatives of w·x' for a covector w of the state x' after a step, those of δ ↦ w·(x'(x ⊕ δ, u + δu) ⊖ x'(x, u)):
/// poses are displaced by exponentials. A and B, which they are computed from, come with them. Matrices are stored by rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Curvature {
    /// ∂²/∂x², symmetric, NX × NX.
    pub xx: Vec<f64>,
    /// ∂²/∂x∂u, NX × inputs.
    pub xu: Vec<f64>,
    /// ∂²/∂u², symmetric, inputs × inputs.
    pub uu: Vec<f64>,
    /// A = ∂x'/∂x, NX × NX.
    pub a: Vec<f64>,
    /// B = ∂x'/∂u, NX × inputs.
    pub b: Vec<f64>,
}

impl Curvature {
    /// The whole matrix of second derivatives by (x, u), symmetric, by rows.
    pub fn matrix(&self) -> Vec<f64> {
        let n = self.xx.len().isqrt() + self.uu.len().isqrt();
        let mut matrix = vec![0.0; n * n];
        add_blocks([&self.xx, &self.xu, &self.uu], &mut matrix);
        matrix
    }
}

/// Adds the blocks ∂²/∂x², ∂²/∂x∂u and ∂²/∂u² to the whole matrix.
fn add_blocks([xx, xu, uu]: [&[f64]; 3], matrix: &mut [f64]) {
    let (size, inputs) = (xx.len().isqrt(), uu.len().isqrt());
    let add = |to: &mut [f64], by: &[f64]| to.iter_mut().zip(by).for_each(|(to, by)| *to += by);
    for (i, row) in matrix.chunks_exact_mut(size + inputs).enumerate() {
        let (by_x, by_u) = row.split_at_mut(size);
        match i.checked_sub(size) {
            None => {
                add(by_x, &xx[i * size..]);
                add(by_u, &xu[i * inputs..]);
            }
            Some(k) => {
                by_x.iter_mut().zip(xu.iter().skip(k).step_by(inputs)).for_each(|(to, by)| *to += by);
                add(by_u, &uu[k * inputs..]);
            }
        }
    }
}

/// Sets the rows of `ab` to those of A and B, one beside the other.
fn set_beside([a, b]: [&[f64]; 2], size: usize, ab: &mut [f64]) {
    let inputs = b.len() / size;
    for (i, row) in ab.chunks_exact_mut(size + inputs).enumerate() {
        let (by_x, by_u) = row.split_at_mut(size);
        by_x.copy_from_slice(&a[i * size..(i + 1) * size]);
        by_u.copy_from_slice(&b[i * inputs..(i + 1) * inputs]);
    }
}

/// Why the functions are missing.
const NO_FUNCTIONS: &str = "its state has two velocities, or a map has no known derivative";

/// The results of a function of derivatives.
fn call(code: &Code, callable: &Callable, from: Departure<'_>, w: &[f64]) -> Result<Vec<f64>, Error> {
    let (at, lambda, h) = from;
    let numbers = callable.call(code, |role| match role {
        Role::StepSize => slice::from_ref(&h),
        Role::Multipliers => lambda,
        Role::Covector => w,
        role => at.of(role),
    });
    numbers.map_err(|cause| Error::Derivatives { cause })
}

impl BasisDerivative {
    /// Those that a function computes.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where Cranelift does not run.
    pub fn new(function: &Function) -> Result<BasisDerivative, Error> {
        let mut unit = Unit::new()?;
        let callable = Callable::of(&mut unit, function, Retraction::Exp)?;
        Ok(BasisDerivative { shared: Arc::new((unit.finish()?, callable)) })
    }

    /// The matrix, n × n by rows, at (parameters, q, t, inputs) of a point. A pose is displaced by the velocities of its body.
    ///
    /// # Errors
    /// [`Error::Basis`] where its entries are not finite.
    ///
    /// # Panics
    /// If the lengths of arrays are not those of the system.
    pub fn at(&self, at: &Point<'_>, nu: &[f64]) -> Result<Vec<f64>, Error> {
        let (code, callable) = &*self.shared;
        let numbers = callable.call(code, |role| match role {
            Role::QuasiVelocity => nu,
            role => at.of(role),
        });
        numbers.map_err(|cause| Error::Basis { cause })
    }
}

impl Basis {
    /// That of a system, which a function computes.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where Cranelift does not run.
    pub fn new(facts: &SystemFacts, function: &Function) -> Result<Basis, Error> {
        let mut unit = Unit::new()?;
        let callable = Callable::of(&mut unit, function, Retraction::Exp)?;
        let sizes = [facts.velocities.len(), facts.quasi_velocities()];
        Ok(Basis { shared: Arc::new((unit.finish()?, callable)), sizes })
    }

    /// Lengths n of a velocity and d of ν.
    pub fn sizes(&self) -> [usize; 2] {
        self.sizes
    }

    /// The basis at (parameters, q, t, inputs) of a point.
    ///
    /// # Errors
    /// [`Error::Basis`] where its entries are not finite.
    ///
    /// # Panics
    /// If the lengths of arrays at the point are not those of the system.
    pub fn at(&self, at: &Point<'_>) -> Result<Frame, Error> {
        let mut numbers = self.numbers(at)?;
        let [n, d] = self.sizes;
        let dual = numbers.split_off(n * d + n);
        let drift = numbers.split_off(n * d);
        Ok(Frame { basis: numbers, drift, dual })
    }

    /// The velocity v = X ν + v₀ at a point, whose own velocity is not read.
    ///
    /// # Errors
    /// As [`Basis::at`].
    ///
    /// # Panics
    /// As [`Basis::at`].
    pub fn velocity(&self, at: &Point<'_>, nu: &[f64]) -> Result<Vec<f64>, Error> {
        let [n, d] = self.sizes;
        let numbers = self.numbers(at)?;
        let (basis, rest) = numbers.split_at(n * d);
        Ok((0..n).map(|i| rest[i] + product(&basis[i * d..], nu)).collect())
    }

    /// The quasi-velocities ν = Y v at a point.
    ///
    /// # Errors
    /// As [`Basis::at`].
    ///
    /// # Panics
    /// As [`Basis::at`].
    pub fn quasi_velocity(&self, at: &Point<'_>) -> Result<Vec<f64>, Error> {
        let [n, d] = self.sizes;
        let dual = &self.numbers(at)?[n * d + n..];
        Ok((0..d).map(|i| product(&dual[i * n..], at.v)).collect())
    }

    fn numbers(&self, at: &Point<'_>) -> Result<Vec<f64>, Error> {
        let (code, callable) = &*self.shared;
        let numbers = callable.call(code, |role| at.of(role)).and_then(|numbers| {
            if numbers.iter().all(|x| x.is_finite()) { Ok(numbers) } else { Err(Failure::NonFinite) }
        });
        numbers.map_err(|cause| Error::Basis { cause })
    }
}

/// Σ aᵢ xᵢ.
fn product(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

impl Plain {
    fn new(
        facts: &SystemFacts,
        functions: &FirstDerivatives<Function>,
        variant: Variant,
    ) -> Result<Plain, Error> {
        let mut unit = Unit::new()?;
        let functions =
            functions.as_ref().try_map(|function| Callable::of(&mut unit, function, variant.retraction))?;
        let [m, inputs, parameters] = [&facts.constraints, &facts.inputs, &facts.parameters].map(Vec::len);
        let sizes = [facts.tangent_coordinates(), m, inputs, parameters];
        Ok(Plain { code: unit.finish()?, sizes, functions })
    }

    fn linearize(&self, from: Departure<'_>) -> Result<Linearization, Error> {
        let [size, m, inputs, _] = self.sizes;
        let mut a = call(&self.code, &self.functions.linearize, from, &[])?;
        let lambda_u = a.split_off(size * (size + inputs) + m * size);
        let lambda_x = a.split_off(size * (size + inputs));
        let b = a.split_off(size * size);
        Ok(Linearization { a, b, lambda_x, lambda_u })
    }

    fn linearize_to(&self, from: Departure<'_>, ab: &mut [f64]) -> Result<(), Error> {
        let [size, _, inputs, _] = self.sizes;
        let numbers = call(&self.code, &self.functions.linearize, from, &[])?;
        let (a, rest) = numbers.split_at(size * size);
        set_beside([a, &rest[..size * inputs]], size, ab);
        Ok(())
    }

    fn linearize_parameters(&self, from: Departure<'_>) -> Result<ByParameters, Error> {
        let [size, .., parameters] = self.sizes;
        let mut c = call(&self.code, &self.functions.linearize_parameters, from, &[])?;
        let h = c.split_off(size * parameters);
        Ok(ByParameters { c, h })
    }

    fn pull_back(&self, from: Departure<'_>, w: &[f64]) -> Result<PullBack, Error> {
        let [size, _, inputs, parameters] = self.sizes;
        let mut a = call(&self.code, &self.functions.pull_back, from, w)?;
        let h = a[size + inputs + parameters];
        a.truncate(size + inputs + parameters);
        let c = a.split_off(size + inputs);
        let b = a.split_off(size);
        Ok(PullBack { a, b, c, h })
    }
}

impl Derivatives {
    /// Why the steps of a method have no derivatives, as far as that is known before they are derived.
    pub fn refusal(facts: &SystemFacts, variant: Variant) -> Option<Error> {
        let none = |reason| Some(Error::NoDerivatives { variant, reason });
        if variant.composition.is_some() && !facts.steady {
            return none(
                "the system depends on time, or its constraints on inputs: the derivatives of the parts do not determine \
                 those of their composition then",
            );
        }
        // Others are not symmetric, or their tangents are truncated and not those of the motion.
        if !facts.group.is_trivial() && !matches!(variant.retraction, Retraction::Exp | Retraction::Cayley) {
            return none("the tangent of its retraction is not that of the motion; use `exp` or `cay`");
        }
        None
    }

    /// Those of the step of a method of `optimised`, from their functions, if there are any.
    ///
    /// # Errors
    /// [`Error::NoDerivatives`] for methods that reflect, whose state has two velocities, for steps with maps of a group whose
    /// derivatives are not known, and for compositions where the system depends on time or its constraints on inputs.
    /// [`Error::Unavailable`] where Cranelift does not run.
    pub fn new(
        optimised: &Optimised,
        variant: Variant,
        functions: impl FnOnce() -> Option<FirstDerivatives<Function>>,
    ) -> Result<Derivatives, Error> {
        if let Some(error) = Derivatives::refusal(&optimised.facts, variant) {
            return Err(error);
        }
        let functions = functions().ok_or(Error::NoDerivatives { variant, reason: NO_FUNCTIONS })?;
        let plain = Arc::new(Plain::new(&optimised.facts, &functions, variant)?);
        Ok(Derivatives { variant, plain, substeps: Substeps::new(optimised, variant)?.map(Arc::new) })
    }

    /// The method.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// NX, the number of tangent coordinates.
    pub fn tangent_coordinates(&self) -> usize {
        self.plain.sizes[0]
    }

    /// A, B and the derivatives of the multipliers, of the step of size `h` from a point. The multipliers `lambda` are the first
    /// guess of Newton's method.
    ///
    /// # Errors
    /// [`Error::Derivatives`] if the step fails, or its equations are singular.
    ///
    /// # Panics
    /// Like the other functions, if the lengths of arrays are not those of the system.
    pub fn linearize(&self, at: &Point<'_>, lambda: &[f64], h: f64) -> Result<Linearization, Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.linearize(from),
            Some(substeps) => substeps.linearize(&self.plain, from),
        }
    }

    /// Sets the rows of `ab` to those of A and B, one beside the other.
    ///
    /// # Errors
    /// As [`Derivatives::linearize`].
    ///
    /// # Panics
    /// As [`Derivatives::linearize`].
    pub fn linearize_to(&self, at: &Point<'_>, lambda: &[f64], h: f64, ab: &mut [f64]) -> Result<(), Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.linearize_to(from, ab),
            Some(substeps) => {
                let Linearization { a, b, .. } = substeps.linearize(&self.plain, from)?;
                set_beside([&a, &b], self.tangent_coordinates(), ab);
                Ok(())
            }
        }
    }

    /// C and ∂x'/∂h of the same step.
    ///
    /// # Errors
    /// As [`Derivatives::linearize`].
    pub fn linearize_parameters(
        &self,
        at: &Point<'_>,
        lambda: &[f64],
        h: f64,
    ) -> Result<ByParameters, Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.linearize_parameters(from),
            Some(substeps) => substeps.linearize_parameters(&self.plain, from),
        }
    }

    /// wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of the same step.
    ///
    /// # Errors
    /// As [`Derivatives::linearize`].
    pub fn pull_back(&self, at: &Point<'_>, lambda: &[f64], h: f64, w: &[f64]) -> Result<PullBack, Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.pull_back(from, w),
            Some(substeps) => substeps.pull_back(&self.plain, from, w),
        }
    }
}

impl PlainSecond {
    fn new(facts: &SystemFacts, function: &Function, variant: Variant) -> Result<PlainSecond, Error> {
        let mut unit = Unit::new()?;
        let curvature = Callable::of(&mut unit, function, variant.retraction)?;
        let sizes = [facts.tangent_coordinates(), facts.inputs.len()];
        Ok(PlainSecond { code: unit.finish()?, sizes, curvature })
    }

    fn curvature(&self, from: Departure<'_>, w: &[f64]) -> Result<Curvature, Error> {
        let numbers = call(&self.code, &self.curvature, from, w)?;
        let [xx, xu, uu, a, b] = self.blocks(&numbers).map(<[f64]>::to_vec);
        Ok(Curvature { xx, xu, uu, a, b })
    }

    fn curvature_to(
        &self,
        from: Departure<'_>,
        w: &[f64],
        (ab, matrix): (&mut [f64], &mut [f64]),
    ) -> Result<(), Error> {
        let numbers = call(&self.code, &self.curvature, from, w)?;
        let [xx, xu, uu, a, b] = self.blocks(&numbers);
        add_blocks([xx, xu, uu], matrix);
        set_beside([a, b], self.sizes[0], ab);
        Ok(())
    }

    /// The blocks ∂²/∂x², ∂²/∂x∂u and ∂²/∂u², A and B of these numbers.
    fn blocks<'a>(&self, numbers: &'a [f64]) -> [&'a [f64]; 5] {
        let [size, inputs] = self.sizes;
        let mut rest = numbers;
        [size * size, size * inputs, inputs * inputs, size * size, size * inputs].map(|length| {
            let (block, others) = rest.split_at(length);
            rest = others;
            block
        })
    }
}

impl SecondDerivatives {
    /// Those of the step of a method of `optimised`, from their function, if there is one.
    ///
    /// # Errors
    /// As [`Derivatives::new`].
    pub fn new(
        optimised: &Optimised,
        variant: Variant,
        function: impl FnOnce() -> Option<Function>,
    ) -> Result<SecondDerivatives, Error> {
        if let Some(error) = Derivatives::refusal(&optimised.facts, variant) {
            return Err(error);
        }
        let function = function().ok_or(Error::NoDerivatives { variant, reason: NO_FUNCTIONS })?;
        let plain = Arc::new(PlainSecond::new(&optimised.facts, &function, variant)?);
        Ok(SecondDerivatives { variant, plain, substeps: Substeps::new(optimised, variant)?.map(Arc::new) })
    }

    /// The method.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// NX, the number of tangent coordinates.
    pub fn tangent_coordinates(&self) -> usize {
        self.plain.sizes[0]
    }

    /// The second derivatives of w·x', and A and B, of the step of size `h` from a point. The multipliers `lambda` are the first guess of
    /// Newton's method.
    ///
    /// # Errors
    /// [`Error::Derivatives`] if the step fails, or its equations are singular.
    ///
    /// # Panics
    /// If the lengths of arrays are not those of the system.
    pub fn curvature(&self, at: &Point<'_>, lambda: &[f64], h: f64, w: &[f64]) -> Result<Curvature, Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.curvature(from, w),
            Some(substeps) => substeps.curvature(&self.plain, from, w),
        }
    }

    /// Adds the whole matrix of the second derivatives by (x, u) to `matrix`, and sets the rows of `ab` to those of A and B, one
    /// beside the other.
    ///
    /// # Errors
    /// As [`SecondDerivatives::curvature`].
    ///
    /// # Panics
    /// As [`SecondDerivatives::curvature`].
    pub fn curvature_to(
        &self,
        at: &Point<'_>,
        lambda: &[f64],
        h: f64,
        w: &[f64],
        (ab, matrix): (&mut [f64], &mut [f64]),
    ) -> Result<(), Error> {
        let from = (at, lambda, h);
        match &self.substeps {
            None => self.plain.curvature_to(from, w, (ab, matrix)),
            Some(substeps) => {
                let Curvature { xx, xu, uu, a, b } = substeps.curvature(&self.plain, from, w)?;
                add_blocks([&xx, &xu, &uu], matrix);
                set_beside([&a, &b], self.tangent_coordinates(), ab);
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Basis").field("sizes", &self.sizes).finish_non_exhaustive()
    }
}

impl fmt::Debug for Derivatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derivatives").field("variant", &self.variant).finish_non_exhaustive()
    }
}

impl fmt::Debug for SecondDerivatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondDerivatives").field("variant", &self.variant).finish_non_exhaustive()
    }
}

impl Simulation {
    /// A, B and the derivatives of the multipliers, of the step just taken, from the state and with the inputs that it had.
    ///
    /// # Errors
    /// [`Error::NoStep`] before the first step, and right after a step that failed; [`Error::NotCompiled`] for the derivatives of
    /// another method; [`Error::Derivatives`].
    pub fn linearize(&self, derivatives: &Derivatives) -> Result<Linearization, Error> {
        self.before_step(derivatives.variant())?.with(|at, lambda, h| derivatives.linearize(at, lambda, h))
    }

    /// C and ∂x'/∂h of the step just taken.
    ///
    /// # Errors
    /// As [`Simulation::linearize`].
    pub fn linearize_parameters(&self, derivatives: &Derivatives) -> Result<ByParameters, Error> {
        self.before_step(derivatives.variant())?
            .with(|at, lambda, h| derivatives.linearize_parameters(at, lambda, h))
    }

    /// wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of the step just taken.
    ///
    /// # Errors
    /// As [`Simulation::linearize`], and [`Error::Length`] for a covector of another length than NX.
    pub fn pull_back(&self, derivatives: &Derivatives, w: &[f64]) -> Result<PullBack, Error> {
        has_length(w, derivatives.tangent_coordinates())?;
        self.before_step(derivatives.variant())?.with(|at, lambda, h| derivatives.pull_back(at, lambda, h, w))
    }

    /// The second derivatives of w·x' for the state x' after the step just taken.
    ///
    /// # Errors
    /// As [`Simulation::pull_back`].
    pub fn curvature(&self, derivatives: &SecondDerivatives, w: &[f64]) -> Result<Curvature, Error> {
        has_length(w, derivatives.tangent_coordinates())?;
        self.before_step(derivatives.variant())?.with(|at, lambda, h| derivatives.curvature(at, lambda, h, w))
    }

    fn before_step(&self, variant: Variant) -> Result<Simulation, Error> {
        if variant != self.variant() {
            return Err(Error::NotCompiled { variant });
        }
        self.before_last_step().ok_or(Error::NoStep)
    }

    fn with<T>(&self, f: impl FnOnce(&Point<'_>, &[f64], f64) -> Result<T, Error>) -> Result<T, Error> {
        f(&self.at(&self.v()), self.multipliers(), self.h())
    }
}

fn has_length(w: &[f64], expected: usize) -> Result<(), Error> {
    let found = w.len();
    if found != expected {
        return Err(Error::Length { what: "entries of the covector", expected, found });
    }
    Ok(())
}
