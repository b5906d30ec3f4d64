//! What the tests share.

use nhi_run::{Error, Events, Inputs, Recording, Run, Scheme, System};
use std::ops::ControlFlow;

/// A run by the method of this id, or by the exact flow, with all samples. Inputs are zero.
pub(crate) fn run(
    system: System,
    method: &str,
    [parameters, q0, v0]: [&[f64]; 3],
    (h, steps): (f64, u64),
) -> Run {
    let scheme = match method {
        "exact" => Scheme::Exact,
        id => Scheme::Steps(system.variant(id).expect("a method")),
    };
    Run {
        scheme,
        parameters: parameters.to_vec(),
        q0: q0.to_vec(),
        v0: v0.to_vec(),
        z0: Vec::new(),
        inputs: Inputs::Held(vec![0.0; system.inputs().len()]),
        h,
        steps,
        every: 1,
        project: false,
        pose: None,
        system,
    }
}

/// Its samples, until a condition, with the times of events.
pub(crate) fn record(run: &Run, until: Option<&str>, recorded: &[(&str, &str)]) -> Result<Recording, Error> {
    let recorded: Vec<(String, String)> =
        recorded.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let events = Events::new(&run.system, until, &recorded)?;
    run.record_with(&events, &mut |_| ControlFlow::Continue(()))
}
