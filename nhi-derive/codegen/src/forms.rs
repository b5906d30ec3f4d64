//! The programs of a method, in the forms that take the fewest operations.
//!
//! A scheme can be written in several forms ([`StepForms`], [`DerivativeForms`]). They are compared by their operations after one
//! round of the passes, or as they are written where that round would take too long.

use crate::expr::Pool;
use crate::functions::FirstDerivatives;
use crate::mechanics::Mechanics;
use crate::method::{
    CurvatureProgram, DerivativeForm, DerivativeForms, DerivativePrograms, Method, MethodPrograms, StepForm,
    StepForms,
};
use crate::optimise::estimate;
use crate::parallel::in_parallel;
use crate::program::{Constants, Operations, Product, Program};
use crate::target::TARGET;

/// The programs of a method for a system.
pub fn method_programs(x: &Mechanics, method: Method) -> MethodPrograms {
    let (forms, step) = step(x, method);
    let is_differentiated = x.system.differentiated.contains(&method);
    let derivatives =
        is_differentiated.then(|| derivative_programs(x, method).zip(curvature_program(x, method)));
    forms.with(step, derivatives.flatten())
}

/// The same for readers, without derivatives.
pub fn readable_programs(x: &Mechanics, method: Method) -> MethodPrograms {
    let (mut forms, step) = step(x, method);
    let step = forms.readable(&step);
    forms.with(step, None)
}

/// The derivatives of a method's step; none for methods that reflect, whose state has two velocities, and where a map has no
/// known derivative.
pub fn derivative_programs(x: &Mechanics, method: Method) -> Option<DerivativePrograms> {
    let (_, DerivativeForm { pool, programs, .. }) = derivatives(&DerivativeForms::first(x, method)?)?;
    let [linearize, linearize_parameters, pull_back] = programs.try_into().ok()?;
    let programs = FirstDerivatives { linearize, linearize_parameters, pull_back };
    Some(DerivativePrograms { pool, programs })
}

/// The second derivatives of a method's step, where there are first ones.
pub fn curvature_program(x: &Mechanics, method: Method) -> Option<CurvatureProgram> {
    let forms = [false, true].into_iter().filter_map(|pushes| DerivativeForms::second(x, method, pushes));
    let all = forms.filter_map(|forms| derivatives(&forms));
    let (_, DerivativeForm { pool, programs, .. }) = all.min_by_key(|(weight, _)| *weight)?;
    let [curvature] = programs.try_into().ok()?;
    Some(CurvatureProgram { pool, curvature })
}

/// A step in its best form.
fn step(x: &Mechanics, method: Method) -> (StepForms, StepForm) {
    let mut forms = StepForms::of(x, method);
    let written = forms.written();
    let best = cheapest(forms.pool(), written, TARGET.very_long);
    let best = match forms.parted(&best) {
        Some(parted) => cheapest(forms.pool(), vec![best, parted], TARGET.most_compared),
        None => best,
    };
    (forms, best)
}

/// The form of a step with the fewest operations: when it is nearly done, or as it is written where one has `most` operations.
fn cheapest(pool: &Pool, mut forms: Vec<StepForm>, most: usize) -> StepForm {
    if forms.len() == 1 {
        return forms.remove(0);
    }
    let all = |count: fn(&Pool, &Program) -> (usize, usize)| {
        in_parallel(&forms, |_| "comparison of the forms of a step", |form| count(pool, &form.step))
    };
    let written = all(written);
    let are_short = written.iter().all(|&(operations, _)| operations < most);
    let costs = if are_short { all(nearly_done) } else { written };
    let (_, least) = costs.into_iter().zip(forms).min_by_key(|&(cost, _)| cost).expect("a first form");
    least
}

/// The operations of a program as it is written.
fn written(pool: &Pool, program: &Program) -> (usize, usize) {
    let (mut pool, program) = program.isolated(pool);
    Operations::of(&mut pool, &mut Constants::default(), &program).weight()
}

/// Those when it is nearly done.
fn nearly_done(pool: &Pool, program: &Program) -> (usize, usize) {
    let (mut pool, program) = program.isolated(pool);
    estimate(&mut pool, &mut Constants::default(), &program)
}

/// Derivatives in their best form, and its operations.
fn derivatives(forms: &DerivativeForms) -> Option<((usize, usize), DerivativeForm)> {
    let weighed = |form: DerivativeForm| (weight(&form.pool, &form.programs[0]), form);
    let mut best = forms.written().map(weighed).min_by_key(|(weight, _)| *weight)?;
    for other in [DerivativeForms::simplified, DerivativeForms::factored] {
        if let Some(other) = other(forms, &best.1).map(weighed)
            && other.0 < best.0
        {
            best = other;
        }
    }
    Some(best)
}

/// The operations of derivatives when they are nearly done, or as they are written if they are very long.
fn weight(pool: &Pool, program: &Program) -> (usize, usize) {
    let as_written = written(pool, program);
    let (each, prepared) =
        if as_written.0 < TARGET.most_compared { nearly_done(pool, program) } else { as_written };
    // An addition and a multiplication for each term.
    let of_products = 2 * program.products().iter().map(Product::terms).sum::<usize>();
    (each - of_products + of_products / TARGET.terms_at_once, prepared)
}
