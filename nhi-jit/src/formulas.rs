//! Functions of a state, with their derivatives, compiled.

use crate::Error;
use crate::compile::Unit;
use crate::compiled::{Callable, Point};
use crate::native::Code;
use nhi_codegen::facts::SystemFacts;
use nhi_codegen::functions::OfState;
use nhi_codegen::lower::Function;
use nhi_codegen::program::Role;
use nhi_methods::Retraction;
use nhi_runtime::Failure;
use std::fmt;
use std::sync::Arc;

/// Functions y(x, u; p) of the state x = (q, ν, z) and the inputs, compiled with their derivatives in tangent coordinates. The
/// velocity in the points that they are evaluated at is not read: it is X(q) ν + v₀.
#[derive(Clone)]
pub struct Formulas {
    shared: Arc<Shared>,
}

struct Shared {
    code: Code,
    functions: OfState<Callable>,
    count: usize,
    /// NX and number of inputs.
    sizes: [usize; 2],
}

/// First derivatives of functions, by rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Slopes {
    /// ∂y/∂x, count × NX.
    pub x: Vec<f64>,
    /// ∂y/∂u, count × inputs.
    pub u: Vec<f64>,
    /// ∂y/∂p at a fixed x, count × parameters.
    pub p: Vec<f64>,
}

impl Formulas {
    /// Those with these functions of a system.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where Cranelift does not run.
    pub fn new(facts: &SystemFacts, functions: &OfState<Function>) -> Result<Formulas, Error> {
        let mut unit = Unit::new()?;
        let functions =
            functions.as_ref().try_map(|function| Callable::of(&mut unit, function, Retraction::Exp))?;
        let sizes = [facts.tangent_coordinates(), facts.inputs.len()];
        let (code, count) = (unit.finish()?, functions.value.whole);
        Ok(Formulas { shared: Arc::new(Shared { code, functions, count, sizes }) })
    }

    /// How many functions there are.
    pub fn count(&self) -> usize {
        self.shared.count
    }

    fn call(
        &self,
        callable: &Callable,
        at: &Point<'_>,
        nu: &[f64],
        weights: &[f64],
    ) -> Result<Vec<f64>, Failure> {
        callable.call(&self.shared.code, |role| match role {
            Role::QuasiVelocity => nu,
            Role::Covector => weights,
            role => at.of(role),
        })
    }

    /// The values.
    ///
    /// # Errors
    /// A value that is not finite.
    ///
    /// # Panics
    /// Like the other functions, if the lengths of arrays are not those of the system.
    pub fn value(&self, at: &Point<'_>, nu: &[f64]) -> Result<Vec<f64>, Failure> {
        self.call(&self.shared.functions.value, at, nu, &[])
    }

    /// The first derivatives.
    ///
    /// # Errors
    /// A derivative that is not finite.
    pub fn linearize(&self, at: &Point<'_>, nu: &[f64]) -> Result<Slopes, Failure> {
        let Shared { functions, count, sizes: [size, inputs], .. } = &*self.shared;
        let mut x = self.call(&functions.linearize, at, nu, &[])?;
        let p = x.split_off(count * (size + inputs));
        let u = x.split_off(count * size);
        Ok(Slopes { x, u, p })
    }

    /// The second derivatives of w·y by (x, u), symmetric, by rows; poses are displaced by exponentials.
    ///
    /// # Errors
    /// A derivative that is not finite.
    pub fn curvature(&self, at: &Point<'_>, nu: &[f64], weights: &[f64]) -> Result<Vec<f64>, Failure> {
        self.call(&self.shared.functions.curvature, at, nu, weights)
    }
}

impl fmt::Debug for Formulas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Formulas").field("count", &self.count()).finish_non_exhaustive()
    }
}
