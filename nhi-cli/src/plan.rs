//! `nhi plan`: motions of least cost.

use crate::case::{Malformed, vector};
use crate::declared::failed;
use crate::failed::Failed;
use crate::number::Number;
use crate::outputs::Outputs;
use crate::problem::{count, given};
use crate::stated::{Free, Motion, Stated};
use clap::Args;
use nhi_run::Limits;
use nhi_run::control::{Cost, Guess, Options, Planned, Planning};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A problem, and the files for its solution.
#[derive(Args, Debug)]
pub(crate) struct Plan {
    /// The problem, a JSON file.
    problem: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
}

const FIELDS: [&str; 8] = ["steps", "q1", "v1", "cost", "final_cost", "bounds", "guess", "starts"];

#[derive(Deserialize)]
struct Fields {
    steps: Option<Number>,
    q1: Option<Free>,
    v1: Option<Free>,
    cost: Option<String>,
    final_cost: Option<String>,
    bounds: Option<BTreeMap<String, [Option<Number>; 2]>>,
    guess: Option<Vec<Vec<Number>>>,
    starts: Option<Number>,
}

impl Plan {
    pub(crate) fn execute(&self) -> Result<(), Failed> {
        let format = self.outputs.format()?;
        let stated: Stated<Fields> = Stated::read(&self.problem, &FIELDS, &["steps", "q1"])?;
        let planning = planning(&stated).map_err(|malformed| stated.wrong(malformed))?;
        let costs = stated.own.cost.iter().chain(&stated.own.final_cost);
        stated.warn_of_unused(costs.chain(planning.bounds.iter().map(|(name, _)| name)));
        let starts = stated.own.starts.map_or(Ok(1), |starts| count(starts, "starts"));
        let starts = starts.map_err(|malformed| stated.wrong(malformed))? as usize;
        let solved = planning.solve(starts).map_err(|error| stated.unsolved(error))?;
        let (Planned { plan, .. }, others) = solved;
        let message = format!("cost {}, {}", plan.cost, plan.status);
        let is_solved = plan.status.is_converged();
        for Planned { plan: other, .. } in &others {
            eprintln!("another start guess: cost {}, {}", other.cost, other.status);
        }
        let motion = Motion {
            parameters: &planning.parameters,
            q0: &planning.q0,
            v0: &planning.v0,
            inputs: plan.inputs,
            steps: planning.steps as u64,
        };
        let (run, case) = stated.run(motion, self.outputs.out.as_deref());
        self.outputs.pictures.check_columns(&run, &stated.bodies, &[])?;
        let unsolved = || Failed::Stopped(format!("{}: {message}", self.problem.display()));
        let mut recording = match run.record(&mut |_| ControlFlow::Continue(())) {
            Ok(recording) => recording,
            // What is no solution need not be a motion.
            Err(_) if !is_solved => return Err(unsolved()),
            Err(error) => return Err(failed(error)),
        };
        if is_solved {
            // The samples may be on standard output.
            eprintln!("{message}");
        }
        self.outputs.pictures.place(&stated.bodies, &mut recording);
        recording.limits = Limits::of(&stated.system, &planning.bounds, &recording).map_err(failed)?;
        let written = self
            .outputs
            .write(&self.problem, &recording, |out, recording| format.write(out, recording, &case));
        if is_solved { written } else { Err(unsolved()) }
    }
}

fn planning(stated: &Stated<Fields>) -> Result<Planning, Malformed> {
    let Stated { system, own, .. } = stated;
    let (n, m, k) = (system.coordinates().len(), system.velocities().len(), system.inputs().len());
    let free = |entries: &Free, length: usize, name: &str| -> Result<Vec<f64>, Malformed> {
        let entries = &entries.0;
        if entries.len() != length {
            let problem = format!("expected {length} numbers or null, found {}", entries.len());
            return Err(Malformed::new(name, problem));
        }
        Ok(entries.iter().map(|entry| entry.map_or(f64::NAN, |number| number.0)).collect())
    };
    let bound = |(name, pair): (&String, &[Option<Number>; 2])| {
        let side = |which: usize, free: f64| pair[which].map_or(free, |number| number.0);
        (name.clone(), [side(0, f64::NEG_INFINITY), side(1, f64::INFINITY)])
    };
    let row = |(i, row): (usize, &Vec<Number>)| vector(row, k, &format!("guess[{i}]"));
    Ok(Planning {
        system: system.clone(),
        variant: Some(stated.variant),
        parameters: stated.parameters.clone(),
        q0: stated.q0.clone(),
        v0: stated.v0.clone(),
        q1: free(given(&own.q1, "q1")?, n, "q1")?,
        v1: own.v1.as_ref().map(|v1| free(v1, m, "v1")).transpose()?,
        conditions: Vec::new(),
        h: stated.h,
        steps: count(*given(&own.steps, "steps")?, "steps")? as usize,
        cost: match &own.cost {
            Some(cost) => Cost::Text(cost.clone()),
            None => Cost::Effort(vec![1.0; k]),
        },
        final_cost: own.final_cost.clone(),
        bounds: own.bounds.iter().flatten().map(bound).collect(),
        guess: Guess::Inputs(own.guess.iter().flatten().enumerate().map(row).collect::<Result<_, _>>()?),
        options: Options::default(),
    })
}
