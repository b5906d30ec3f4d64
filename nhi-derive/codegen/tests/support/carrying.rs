//! Following the steps of a program by what its optimised form carries.

use super::Run;
use nhi_codegen::expr::Pool;
use nhi_codegen::optimise::{Options, optimise_step};
use nhi_codegen::program::{Constants, Program, Role, StepProgram};

/// Rounding of some hundred operations and of a converged Newton iteration, with the condition of
/// random mass matrices and one-forms.
pub(crate) const ROUNDING: f64 = 1e-10;

/// Arguments or results of a program.
pub(crate) type Lists = Vec<Vec<f64>>;

/// A step after the passes, with the programs of its state.
pub(crate) struct Carrying {
    pub(crate) pool: Pool,
    pub(crate) step: StepProgram,
    pub(crate) initial: Option<Program>,
    rescale: Option<Program>,
}

impl Carrying {
    pub(crate) fn new(mut pool: Pool, program: &Program, fixed: bool) -> Carrying {
        let step = StepProgram::new(&pool, program.clone(), fixed);
        let step = optimise_step(&mut pool, &mut Constants::default(), step, Options::default()).0;
        step.validate(&pool);
        let (initial, rescale) = (step.initial(), step.rescale(&mut pool));
        let others = [step.resync(&mut pool), step.update_velocity(&mut pool)];
        let all = [&initial, &rescale].into_iter().chain(&others).flatten();
        all.for_each(|program| program.validate(&pool));
        Carrying { pool, step, initial, rescale }
    }

    pub(crate) fn carries(&self) -> bool {
        !self.step.entries().is_empty()
    }

    /// What a state carries at a start with these arguments of the raw program, or, after a step with what is
    /// `carried`, for their step size.
    fn computed(&self, name: &str, arguments: &Lists, carried: Option<Vec<f64>>) -> Vec<f64> {
        let known = &arguments[..arguments.len() - 1];
        let run = |program: &Program, arguments: &[Vec<f64>]| match program.run(&self.pool, arguments) {
            Ok(carried) => carried.concat(),
            Err(e) => panic!("{name}: {e}"),
        };
        match (carried, &self.initial, &self.rescale) {
            (None, Some(initial), _) => run(initial, known),
            (Some(carried), _, Some(rescale)) => {
                let place = rescale.inputs.iter().position(|i| i.role == Role::Carried).expect("an input");
                let mut arguments = known.to_vec();
                arguments.insert(place, carried);
                run(rescale, &arguments)
            }
            (carried, ..) => carried.unwrap_or_default(),
        }
    }

    /// Follows `steps`, of arguments and results of the raw program, by what is carried.
    pub(crate) fn compare(&self, name: &str, steps: &[(Lists, Lists)]) {
        let step = &self.step.program;
        let place = step.inputs.iter().position(|i| i.role == Role::Carried);
        let mut carried = self.computed(name, &steps[0].0, None);
        let size = |arguments: &Lists| arguments[1][0];
        let mut last = size(&steps[0].0);
        for (arguments, expected) in steps {
            if size(arguments) != last {
                carried = self.computed(name, arguments, Some(carried));
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
