//! `nhi fit`: parameters and starts from samples.

use crate::case::{Malformed, deserialize, held_or_per_step, sized};
use crate::csv::Csv;
use crate::declared::failed;
use crate::failed::Failed;
use crate::files::{print, save, warn};
use crate::number::{Entry, Number};
use crate::outputs::{Pictures, format_of};
use crate::problem::{count, given};
use crate::simulate::{inputs, no_inputs, params};
use crate::stated::{Motion, Stated};
use clap::Args;
use nhi_run::Inputs;
use nhi_run::control::{Fitted, Fitting, Identified, Samples, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A problem, and the files for the fitted motion.
#[derive(Args, Debug)]
pub(crate) struct Fit {
    /// The problem, a JSON file.
    problem: PathBuf,
    /// Where to write samples of the fitted motion: `.csv`, `.json`, or `.npz` for NumPy.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pictures: Pictures,
}

const FIELDS: [&str; 6] = ["measured", "samples", "deviations", "unknowns", "inputs", "starts"];

#[derive(Deserialize)]
struct Fields {
    measured: Option<Vec<String>>,
    samples: Option<Value>,
    deviations: Option<Vec<Number>>,
    unknowns: Option<Vec<String>>,
    inputs: Option<Value>,
    starts: Option<Number>,
}

impl Fit {
    pub(crate) fn execute(&self) -> Result<(), Failed> {
        self.pictures.check()?;
        let format = self.out.as_deref().map(format_of).transpose()?;
        let stated: Stated<Fields> = Stated::read(&self.problem, &FIELDS, &["measured", "samples"])?;
        let wrong = |malformed: Malformed| stated.wrong(malformed);
        let measured = given(&stated.own.measured, "measured").map_err(wrong)?.clone();
        stated.warn_of_unused(measured.iter());
        let samples = samples(&stated, &measured)?;
        let steps = Fitting::steps(&samples.times, stated.h).map_err(|error| stated.unsolved(error))? as u64;
        let fitting = Fitting {
            system: stated.system.clone(),
            variant: stated.variant,
            parameters: stated.parameters.clone(),
            q0: stated.q0.clone(),
            v0: stated.v0.clone(),
            h: stated.h,
            inputs: held(&stated, steps)?,
            measured,
            samples,
            unknowns: stated.own.unknowns.clone(),
            starts: stated.own.starts.map_or(Ok(1), |starts| count(starts, "starts")).map_err(wrong)?
                as usize,
        };
        let Fitted { identified, q0, v0, others } =
            fitting.solve().map_err(|error| stated.unsolved(error))?;
        for direction in &identified.undetermined {
            warn(Some(format!(
                "the samples do not determine {}",
                combination(&identified.unknowns, direction)
            )));
        }
        for doubt in &identified.doubts {
            warn(Some(doubt.to_string()));
        }
        let motion =
            Motion { parameters: &identified.parameters, q0: &q0, v0: &v0, inputs: fitting.inputs, steps };
        let (run, case) = stated.run(motion, self.out.as_deref());
        self.pictures.check_columns(&run, &stated.bodies, &[])?;
        if self.out.is_some() || self.pictures.are_wanted() {
            let recording = run.record(&mut |_| ControlFlow::Continue(())).map_err(failed)?;
            if let (Some(path), Some(format)) = (&self.out, format) {
                let mut bytes = Vec::new();
                format.write(&mut bytes, &recording, &case)?;
                save(path, &bytes)?;
            }
            self.pictures.write(&recording)?;
        }
        let mut report = report(stated.system.parameters(), &identified, &q0, &v0);
        if !others.is_empty() {
            let others = others.iter().map(|other| {
                let values = other.unknowns.iter().cloned().zip(other.values.iter().map(|&x| Value::from(x)));
                json!({"chi2": other.chi_squared, "unknowns": values.collect::<Map<_, _>>()})
            });
            report.insert("others".to_owned(), others.collect());
        }
        let fields: Vec<String> =
            report.iter().map(|(name, value)| format!("  {}: {value}", Value::from(name.as_str()))).collect();
        print(format!("{{\n{}\n}}\n", fields.join(",\n")).as_bytes())
    }
}

/// The samples of a problem: rows of a time and the measured numbers, or a CSV file with these columns, and perhaps others.
fn samples(stated: &Stated<Fields>, measured: &[String]) -> Result<Samples, Failed> {
    let wrong = |malformed: Malformed| stated.wrong(malformed);
    let rows: Vec<Vec<f64>> = match given(&stated.own.samples, "samples").map_err(wrong)? {
        Value::String(file) => {
            let csv = Csv::read(&beside(&stated.file, file), "`t` and what is measured")?;
            let columns = ["t"].into_iter().chain(measured.iter().map(String::as_str));
            csv.numbers(&columns.map(|name| csv.column(name)).collect::<Result<Vec<_>, _>>()?)?
        }
        rows => {
            let rows: Vec<Vec<Number>> = deserialize(rows.clone(), "samples").map_err(wrong)?;
            let numbers = |(i, row): (usize, &Vec<Number>)| {
                let row = row.iter().map(|number| number.0).collect();
                sized(row, 1 + measured.len(), &format!("samples[{i}]"))
            };
            rows.iter().enumerate().map(numbers).collect::<Result<_, _>>().map_err(wrong)?
        }
    };
    let (times, values) = rows.into_iter().map(|row| (row[0], row[1..].to_vec())).unzip();
    let deviations = stated.own.deviations.iter().flatten().map(|number| number.0).collect();
    Ok(Samples { times, values, deviations })
}

/// A file that a problem names, relative to its own.
fn beside(problem: &Path, file: &str) -> PathBuf {
    problem.parent().unwrap_or(Path::new("")).join(file)
}

/// The inputs of each step: one vector that is held, one for each step, or a CSV file of these.
fn held(stated: &Stated<Fields>, steps: u64) -> Result<Vec<Vec<f64>>, Failed> {
    let names = stated.system.inputs();
    let wrong = |problem: String| stated.wrong(Malformed::new("inputs", problem));
    let given = match &stated.own.inputs {
        None => {
            if !names.is_empty() {
                warn(Some(no_inputs("`inputs`", names)));
            }
            Inputs::Held(vec![0.0; names.len()])
        }
        Some(Value::String(file)) => inputs(&beside(&stated.file, file), names, stated.h, steps)?,
        Some(entries) => {
            let entries: Vec<Entry> =
                deserialize(entries.clone(), "inputs").map_err(|malformed| stated.wrong(malformed))?;
            held_or_per_step(&entries).map_err(|malformed| stated.wrong(malformed))?
        }
    };
    let rows = match given {
        Inputs::Held(held) => vec![held; steps as usize],
        Inputs::PerStep(rows) if (rows.len() as u64) < steps => {
            let found = rows.len();
            return Err(wrong(format!(
                "expected one vector for each of {steps} steps up to the last sample, found {found}"
            )));
        }
        Inputs::PerStep(mut rows) => {
            rows.truncate(steps as usize);
            rows
        }
    };
    match rows.iter().find(|row| row.len() != names.len()) {
        Some(row) => Err(wrong(format!("expected {} numbers for a step, found {}", names.len(), row.len()))),
        None => Ok(rows),
    }
}

/// A combination of unknowns in words.
fn combination(names: &[String], direction: &[f64]) -> String {
    let largest = direction.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let terms = names.iter().zip(direction).filter(|(_, x)| x.abs() > 1e-6 * largest);
    terms.map(|(name, x)| format!("{x:+.3} {name}")).collect::<Vec<_>>().join(" ")
}

/// The result.
fn report(names: &[String], identified: &Identified<State>, q0: &[f64], v0: &[f64]) -> Map<String, Value> {
    let unknowns = identified.unknowns.iter().zip(&identified.values).enumerate();
    let unknowns = unknowns.map(|(i, (name, value))| {
        let deviation = identified.covariance[(i, i)].sqrt();
        (name.clone(), json!({"value": value, "deviation": deviation}))
    });
    let named = |direction: &Vec<f64>| -> Value {
        identified
            .unknowns
            .iter()
            .cloned()
            .zip(direction.iter().map(|&x| Value::from(x)))
            .collect::<Map<_, _>>()
            .into()
    };
    let covariance = identified.covariance.row_iter();
    let covariance = covariance.map(|row| Value::from(row.iter().copied().collect::<Vec<f64>>()));
    let undetermined: Vec<Value> = identified.undetermined.iter().map(named).collect();
    let fields = [
        ("unknowns", unknowns.collect::<Map<_, _>>().into()),
        ("covariance", covariance.collect()),
        ("chi2", identified.chi_squared.into()),
        ("degrees_of_freedom", identified.degrees_of_freedom.into()),
        ("noise", identified.noise.into()),
        ("rank", (identified.unknowns.len() - undetermined.len()).into()),
        ("undetermined", undetermined.into()),
        ("warnings", identified.doubts.iter().map(|doubt| Value::from(doubt.to_string())).collect()),
        ("params", params(names, &identified.parameters).into()),
        ("q0", q0.into()),
        ("v0", v0.into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
