//! Following the steps of a program by what its optimised form carries.

use super::Run;
use nhi_codegen::expr::Pool;
use nhi_codegen::pass::{Step, optimise_step};
use nhi_codegen::program::{Constants, Program, Role};

/// Rounding of some hundred operations and of a converged Newton iteration, with the condition of
/// random mass matrices and one-forms.
pub(crate) const ROUNDING: f64 = 1e-10;

/// Arguments or results of a program.
pub(crate) type Lists = Vec<Vec<f64>>;

/// A step after the passes, with the program that makes what it carries.
pub(crate) struct Carrying {
    pub(crate) pool: Pool,
    pub(crate) step: Step,
}

impl Carrying {
    pub(crate) fn new(mut pool: Pool, program: &Program, fixed: bool) -> Carrying {
        let step = optimise_step(&mut pool, &mut Constants::default(), program, fixed);
        step.step.validate(&pool);
        if let Some(carry) = &step.carry {
            carry.validate(&pool);
        }
        Carrying { pool, step }
    }

    pub(crate) fn carries(&self) -> bool {
        !self.step.step.symbols(&Role::Carried).is_empty()
    }

    /// Follows `steps`, of arguments and results of the raw program, by what is carried.
    pub(crate) fn compare(&self, name: &str, steps: &[(Lists, Lists)]) {
        let Step { step, carry, anew, errors, .. } = &self.step;
        let place = step.inputs.iter().position(|i| i.role == Role::Carried);
        let computed = |arguments: &Lists| match carry {
            Some(carry) => match carry.run(&self.pool, &arguments[..arguments.len() - 1]) {
                Ok(carried) => carried.concat(),
                Err(e) => panic!("{name}: {e}"),
            },
            None => vec![0.0; step.symbols(&Role::Carried).len()],
        };
        let mut carried = computed(&steps[0].0);
        let size = |arguments: &Lists| arguments[1][0];
        let mut last = size(&steps[0].0);
        for (arguments, expected) in steps {
            if size(arguments) != last {
                let computed = computed(arguments);
                anew.iter().for_each(|&i| carried[i] = computed[i]);
                carried[errors.clone()].fill(0.0);
            }
            last = size(arguments);
            let mut arguments = arguments.clone();
            if let Some(place) = place {
                arguments.insert(place, carried);
            }
            let mut got = match step.run(&self.pool, &arguments) {
                Ok(got) => got,
                Err(e) => panic!("{name}: {e}"),
            };
            carried = if place.is_some() { got.pop().expect("what is carried") } else { Vec::new() };
            let scale = expected.iter().flatten().fold(1.0, |a: f64, x| a.max(x.abs()));
            assert_eq!(got.len(), expected.len(), "{name}");
            for (x, y) in got.iter().flatten().zip(expected.iter().flatten()) {
                assert!((x - y).abs() <= ROUNDING * scale, "{name}: {x} and {y} beside {scale}");
            }
        }
    }
}
