//! `nhi run`: cases, and declarations with their data on the command line.

use crate::bodies::{self, BodyFlags};
use crate::case::unknown;
use crate::csv::{Csv, not_a_number};
use crate::declared::{self, failed};
use crate::failed::Failed;
use crate::files::{extension, warn};
use crate::models;
use crate::number::exact;
use crate::outputs::Outputs;
use crate::problem::pose;
use crate::progress::{Interrupt, Progress};
use clap::Args;
use nhi_methods::Variant;
use nhi_run::model::{Declared, Model as _};
use nhi_run::{
    Bodies, Body, Events, Format, Inputs, Quantity, Recording, Run, Scheme, System, json, record_all, table,
};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What is run, and where the results go.
#[derive(Args, Debug)]
pub(crate) struct Simulate {
    /// A case, `.json`, a Rust file with a declaration, `.rs`, or the name of a model of `nhi models`.
    file: PathBuf,
    #[command(flatten)]
    start: Start,
    /// The number of steps; with `--until` the largest number, a million if left out.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The tolerance of the error of two steps, in the place of --h and --steps: relative for numbers above 1, and absolute below.
    /// The sizes of the steps follow from it. Samples are at the multiples of --every-time, and at the time --until.
    #[arg(long, value_name = "TOL")]
    tolerance: Option<String>,
    /// With --tolerance, the time from one sample to the next; a thousandth of the time --until if left out.
    #[arg(long, value_name = "DT")]
    every_time: Option<String>,
    /// End the run where a condition becomes true, such as `x >= 1`. It is located to rounding, and is the last sample. With
    /// --tolerance also the time of the last sample.
    #[arg(long, value_name = "CONDITION|T", allow_hyphen_values = true)]
    until: Option<String>,
    /// Note the times at which a condition becomes true. May be repeated.
    #[arg(long, value_name = "NAME=CONDITION")]
    event: Vec<String>,
    /// The id of a method, such as `dla2`, `dla2_suzuki4` or `exact`. Without it, the first method of the declaration; for a
    /// model `dla2`, or `rdp` if it has a pose.
    #[arg(long, value_name = "ID")]
    method: Option<String>,
    /// The number of steps from one sample to the next.
    #[arg(long, value_name = "N")]
    every: Option<u64>,
    /// Control inputs: constants, `u=0.3,w=1/2`, or a CSV file with a column for each input. The file has a row for each step,
    /// or a column `t` and a row for each change.
    #[arg(long, value_name = "FILE|NAME=VALUE,...", allow_hyphen_values = true)]
    inputs: Option<String>,
    /// A further quantity of the samples: a name of `let`, or a name with an expression; may be repeated. Pictures show outputs
    /// with the names of positions, such as `x1` and `y1`, as paths.
    #[arg(long, value_name = "NAME=EXPRESSION")]
    output: Vec<String>,
    /// The coordinates that place a body in the plane, for pictures.
    #[arg(long, value_name = "X,Y,THETA", value_delimiter = ',')]
    pose: Vec<String>,
    #[command(flatten)]
    bodies: BodyFlags,
    /// Run once for each value of a parameter, of a coordinate `x` or of a velocity `dot_x` at the start. Several sweeps run all
    /// combinations. All runs are in one table, which has a column for each swept name.
    #[arg(long, value_name = "NAME=FROM:TO:COUNT", allow_hyphen_values = true)]
    sweep: Vec<String>,
    #[command(flatten)]
    outputs: Outputs,
}

/// A declared system at its start.
#[derive(Args, Debug)]
pub(crate) struct Start {
    /// The struct, if the file has several.
    #[arg(long = "struct", value_name = "NAME")]
    name: Option<String>,
    /// Values of the parameters, `J=1,m=1,c[0]=1/2`.
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    set: Vec<String>,
    /// The configuration at t = 0, in the order of declaration.
    #[arg(long, value_name = "Q,...", allow_hyphen_values = true, value_delimiter = ',')]
    q0: Vec<String>,
    /// The velocity at t = 0.
    #[arg(long, value_name = "V,...", allow_hyphen_values = true, value_delimiter = ',')]
    v0: Vec<String>,
    /// The auxiliary states at t = 0. Without it, they are zero.
    #[arg(long, value_name = "Z,...", allow_hyphen_values = true, value_delimiter = ',')]
    z0: Vec<String>,
    /// The step size.
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    h: Option<String>,
    /// Begin at the nearest admissible configuration and velocity.
    #[arg(long)]
    project: bool,
}

/// A mistake in the flag of that name.
fn flag(name: &str, problem: impl std::fmt::Display) -> Failed {
    Failed::Wrong(format!("--{name}: {problem}"))
}

impl Simulate {
    pub(crate) fn execute(&self) -> Result<(), Failed> {
        // Whatever happens from here on, Ctrl-C ends the run and not the program.
        let interrupt = Interrupt::new();
        let format = self.outputs.format()?;
        let is_file =
            |output: &String| !output.contains('=') && Format::of(extension(Path::new(output))).is_ok();
        if let Some(file) = self.output.iter().find(|output| is_file(output)) {
            return Err(Failed::Wrong(format!(
                "--output {file}: that is a quantity of the samples; `--out {file}` writes them"
            )));
        }
        match extension(&self.file) {
            "rs" => {
                let outputs = self.further_outputs();
                let system = declared::system(&self.file, self.start.name.as_deref(), &outputs)?;
                self.declaration(system, None, &outputs, format, &interrupt)
            }
            "" if !self.file.exists() => self.model(format, &interrupt),
            _ => self.case(format, &interrupt),
        }
    }

    /// A model of the literature by its name, whose parameters and start may be left out.
    fn model(&self, format: Format, interrupt: &Interrupt) -> Result<(), Failed> {
        let bundled = declared::bundled(&self.file)?;
        let outputs = self.further_outputs();
        let model = bundled.load_with(&outputs).map_err(failed)?;
        let parameters = model.defaults();
        let (q0, v0) = model.instance(&parameters).initial();
        let defaults = Defaults { model: bundled.name, parameters, q0, v0 };
        self.declaration(model.system().clone(), Some(&defaults), &outputs, format, interrupt)
    }

    /// Names and expressions of further quantities of the samples.
    fn further_outputs(&self) -> Vec<(&str, Option<&str>)> {
        let outputs = self.output.iter().map(|output| match output.split_once('=') {
            Some((name, expression)) => (name.trim(), Some(expression.trim())),
            None => (output.trim(), None),
        });
        outputs.collect()
    }

    fn case(&self, format: Format, interrupt: &Interrupt) -> Result<(), Failed> {
        let flags = [
            ("steps", self.steps.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("every-time", self.every_time.is_some()),
            ("until", self.until.is_some()),
            ("event", !self.event.is_empty()),
            ("method", self.method.is_some()),
            ("every", self.every.is_some()),
            ("inputs", self.inputs.is_some()),
            ("output", !self.output.is_empty()),
            ("pose", !self.pose.is_empty()),
            ("body", !self.bodies.body.is_empty()),
            ("size", !self.bodies.size.is_empty()),
            ("sweep", !self.sweep.is_empty()),
        ];
        let mut flags = self.start.given().into_iter().chain(flags);
        if let Some((name, _)) = flags.find(|(_, given)| *given) {
            return Err(flag(name, "goes with a declaration, a file that ends in .rs; a case has fields"));
        }
        let problem = declared::case(&self.file)?;
        let system = problem.model.system();
        let bodies = bodies::read(system, &problem.bodies)?;
        warn(system.unused(problem.bodies.iter().flat_map(|body| &body.place).map(String::as_str)));
        if !problem.echo.contains_key("inputs") && !system.inputs().is_empty() {
            warn(Some(no_inputs("`inputs`", system.inputs())));
        }
        self.outputs.pictures.check_columns(&problem.to_run().map_err(failed)?, &bodies, &[])?;
        let mut progress = Progress::new(problem.steps());
        let recording = problem.record(&mut |k| {
            progress.at(k);
            interrupt.check()
        });
        drop(progress);
        let mut recording = recording.map_err(|error| about(self.file.display(), failed(error)))?;
        self.outputs.pictures.place(&bodies, &mut recording);
        let case = &problem.echo;
        match (format, problem.layout) {
            (Format::Json, Some(layout)) => self.outputs.write(&self.file, &recording, |out, recording| {
                json(out, recording, case, &|q, v, fields| layout.write(q, v, fields))
            }),
            _ => self
                .outputs
                .write(&self.file, &recording, |out, recording| format.write(out, recording, case)),
        }
    }

    fn declaration(
        &self,
        system: System,
        defaults: Option<&Defaults>,
        outputs: &[(&str, Option<&str>)],
        format: Format,
        interrupt: &Interrupt,
    ) -> Result<(), Failed> {
        let sweeps =
            self.sweep.iter().map(|text| Sweep::parse(text, &system)).collect::<Result<Vec<_>, _>>()?;
        let run = self.run(system, defaults, &sweeps)?;
        let swept: Vec<&str> = sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
        let drawn = self.bodies.read(&run.system)?;
        let bodies = bodies::read(&run.system, &drawn)?;
        self.outputs.pictures.check_columns(&run, &bodies, &swept)?;
        let places = drawn.iter().flat_map(|body| &body.place);
        let texts = self.until.iter().chain(&self.event).chain(places);
        warn(run.system.unused(texts.map(String::as_str)));
        if let Some(variant) = run.scheme.variant() {
            let forewarning = run.system.forewarning(variant).map_err(failed)?;
            let is_forewarned = forewarning.is_some();
            warn(forewarning);
            if !is_forewarned {
                warn(run.system.warning(variant).map_err(failed)?);
            }
        }
        let case = self.echo(&run, defaults, outputs, &drawn);
        let recording = if sweeps.is_empty() {
            let mut progress = Progress::new(run.steps);
            let events = self.events(&run.system)?;
            let recording = run.record_with(&events, &mut |k| {
                progress.at(k);
                interrupt.check()
            });
            let mut recording = recording.map_err(hint)?;
            self.outputs.pictures.place(&bodies, &mut recording);
            recording
        } else {
            if self.condition().is_some() || !self.event.is_empty() {
                return Err(flag(
                    if self.condition().is_some() { "until" } else { "event" },
                    "goes without --sweep",
                ));
            }
            self.sweep((&run, &bodies), &sweeps, interrupt)?
        };
        if self.start.project && sweeps.is_empty() && !self.outputs.quiet {
            eprint!("{}", projected(&run, &recording));
        }
        self.outputs.write(&self.file, &recording, |out, recording| {
            let mut case = case;
            if self.start.project && sweeps.is_empty() {
                for (name, quantity) in [("q0", Quantity::Coordinate), ("v0", Quantity::Velocity)] {
                    let start: Vec<f64> =
                        recording.all(quantity).filter_map(|column| column.values.first().copied()).collect();
                    case.insert(name.to_owned(), start.into());
                }
            }
            format.write(out, recording, &case)
        })
    }

    /// The events of a run.
    fn events(&self, system: &System) -> Result<Events, Failed> {
        let mut recorded = Vec::with_capacity(self.event.len());
        for event in &self.event {
            // The first `=` that is no part of a comparison.
            let (name, condition) = event
                .split_once('=')
                .filter(|(name, condition)| !name.ends_with(['<', '>', '!']) && !condition.starts_with('='))
                .ok_or_else(|| flag("event", format!("expected NAME=CONDITION, found `{event}`")))?;
            recorded.push((name.trim().to_owned(), condition.trim().to_owned()));
        }
        Events::new(system, self.condition(), &recorded).map_err(failed)
    }

    /// The time of the last sample, if it is one that ends the run.
    fn end(&self) -> Option<f64> {
        self.until.as_deref().and_then(number)
    }

    /// The condition that ends the run.
    fn condition(&self) -> Option<&str> {
        self.until.as_deref().filter(|_| self.end().is_none())
    }

    /// What determines the times of steps and samples, unless a flag is missing.
    fn pace(&self) -> Result<Option<Pace>, Failed> {
        let read = |name: &str, text: &str| number(text).ok_or_else(|| flag(name, not_a_number(text)));
        let Some(tolerance) = &self.tolerance else {
            if self.every_time.is_some() {
                return Err(flag(
                    "every-time",
                    "goes with --tolerance; --every is the number of steps from one sample to the next",
                ));
            }
            if self.end().is_some() {
                let problem = "a time goes with --tolerance; with --h, --steps is the number of steps, and `t >= T` a condition";
                return Err(flag("until", problem));
            }
            let most = self.until.as_ref().map(|_| Run::MOST_STEPS);
            let (Some(h), Some(steps)) = (&self.start.h, self.steps.or(most)) else { return Ok(None) };
            return Ok(Some(Pace::Steps { h: read("h", h)?, steps, every: self.every.unwrap_or(1) }));
        };
        for (name, is_given, instead) in [
            ("h", self.start.h.is_some(), "--tolerance, from which the sizes of the steps follow"),
            ("steps", self.steps.is_some(), "--tolerance; the last sample is at the time --until"),
            (
                "every",
                self.every.is_some(),
                "--tolerance; --every-time is the time from one sample to the next",
            ),
        ] {
            if is_given {
                return Err(flag(name, format!("goes without {instead}")));
            }
        }
        let tolerance = read("tolerance", tolerance)?;
        let every = self.every_time.as_deref().map(|text| read("every-time", text)).transpose()?;
        let (end, every) = match (self.end(), self.condition(), every) {
            (Some(end), _, every) => (end, every.unwrap_or(end.abs() / PARTS)),
            (None, Some(_), Some(every)) => (every * Run::MOST_STEPS as f64, every),
            (None, Some(_), None) => {
                let problem =
                    "missing: with a condition that ends the run, the time from one sample to the next";
                return Err(flag("every-time", problem));
            }
            (None, None, _) => return Ok(None),
        };
        let nodes = Run::nodes(end, every).map_err(|error| match error {
            nhi_run::Error::Argument { name: "every", problem } => flag("every-time", problem),
            nhi_run::Error::Argument { name, problem } => flag(name, problem),
            error => failed(error),
        });
        let (h, steps) = nodes?;
        Ok(Some(Pace::Tolerance { tolerance, end, h, steps }))
    }

    /// The run that the flags describe; swept values are those of the first combination.
    fn run(&self, system: System, defaults: Option<&Defaults>, sweeps: &[Sweep]) -> Result<Run, Failed> {
        let pace = self.pace()?;
        let is_missing = |name, is_missing: bool| is_missing.then_some(name);
        let missing = match self.tolerance {
            None => {
                let steps = self.steps.is_none() && self.until.is_none();
                [is_missing("--h H", self.start.h.is_none()), is_missing("--steps N", steps)]
            }
            Some(_) => [is_missing("--until T", pace.is_none()), None],
        };
        let missing: Vec<&str> = missing.into_iter().flatten().collect();
        self.start.all_given(&system, defaults, sweeps, &missing)?;
        let missing = missing.first().and_then(|text| text.trim_start_matches('-').split(' ').next());
        let pace = pace.ok_or_else(|| flag(missing.unwrap_or_default(), "missing"))?;
        let mut run = self.start.run(system, defaults, self.method.as_deref(), sweeps)?;
        match pace {
            Pace::Steps { h, steps, every } => (run.h, run.steps, run.every) = (h, steps, every),
            Pace::Tolerance { tolerance, end, h, steps } => {
                let Scheme::Steps(variant) = run.scheme else {
                    return Err(flag("tolerance", "goes with a method; the exact flow needs none"));
                };
                run.scheme = Scheme::Adaptive { variant, tolerance, end };
                (run.h, run.steps) = (h, steps);
            }
        }
        let names = run.system.inputs();
        match &self.inputs {
            Some(text) if text.contains('=') && !Path::new(text).exists() => {
                run.inputs = Inputs::Held(constants(text, names)?);
            }
            Some(_) if self.tolerance.is_some() => {
                return Err(flag("inputs", "with --tolerance they are held: expected NAME=VALUE,..."));
            }
            Some(file) => run.inputs = inputs(Path::new(file), names, run.h, run.steps)?,
            None if names.is_empty() => {}
            None => warn(Some(no_inputs("--inputs", names))),
        }
        run.pose = match self.pose.as_slice() {
            [] => None,
            [x, y, theta] => {
                let names = [x, y, theta].map(|name| name.trim().to_owned());
                let known: Vec<&str> = run.system.coordinates().iter().map(String::as_str).collect();
                Some(pose(names, &known, "").map_err(|malformed| flag("pose", malformed))?)
            }
            _ => return Err(flag("pose", "expected three coordinates: x, y and the heading")),
        };
        Ok(run)
    }

    /// All combinations of swept values, the last one changing fastest.
    fn sweep(
        &self,
        (run, bodies): (&Run, &Bodies),
        sweeps: &[Sweep],
        interrupt: &Interrupt,
    ) -> Result<Recording, Failed> {
        let mut runs: Vec<(Vec<f64>, Run)> = vec![(Vec::new(), run.clone())];
        for sweep in sweeps {
            let with = |(values, run): &(Vec<f64>, Run), value: f64| {
                let (mut values, mut run) = (values.clone(), run.clone());
                sweep.set(&mut run, value);
                values.push(value);
                (values, run)
            };
            runs =
                runs.iter().flat_map(|one| sweep.values.iter().map(move |&value| with(one, value))).collect();
        }
        let (values, runs): (Vec<Vec<f64>>, Vec<Run>) = runs.into_iter().unzip();
        let bar = crate::progress::steps(run.steps.saturating_mul(runs.len() as u64));
        let recorded = record_all(&runs, &|taken| {
            bar.inc(taken);
            interrupt.check()
        });
        bar.finish_and_clear();
        let names: Vec<String> = sweeps.iter().map(|sweep| sweep.name.clone()).collect();
        let mut all = Vec::new();
        for (values, recording) in values.into_iter().zip(recorded) {
            let mut recording = recording.map_err(|error| {
                let pairs = names.iter().zip(&values).map(|(name, value)| format!("{name}={value}"));
                about(pairs.collect::<Vec<_>>().join(","), hint(error))
            })?;
            self.outputs.pictures.place(bodies, &mut recording);
            all.push((values, recording));
        }
        table(&names, all).ok_or_else(|| flag("sweep", "no values"))
    }

    /// The case that describes the run.
    fn echo(
        &self,
        run: &Run,
        defaults: Option<&Defaults>,
        outputs: &[(&str, Option<&str>)],
        bodies: &[Body],
    ) -> Map<String, Value> {
        let mut case = Map::new();
        let mut add = |name: &str, value: Value| case.insert(name.to_owned(), value);
        match defaults {
            Some(defaults) => add("model", defaults.model.into()),
            None => add("declaration", beside(self.outputs.out.as_deref(), &self.file).into()),
        };
        if let Some(name) = &self.start.name {
            add("struct", name.as_str().into());
        }
        if !outputs.is_empty() {
            let pairs = outputs.iter().map(|(name, text)| ((*name).to_owned(), text.unwrap_or(name).into()));
            add("outputs", Value::Object(pairs.collect()));
        }
        if !self.pose.is_empty() {
            add("pose", self.pose.iter().map(|name| name.trim()).collect::<Vec<_>>().into());
        }
        if !bodies.is_empty() {
            add("bodies", bodies::field(bodies));
        }
        add("params", params(run.system.parameters(), &run.parameters).into());
        let method = run.scheme.variant().map_or_else(|| "exact".to_owned(), |variant| variant.to_string());
        add("method", method.into());
        match run.scheme {
            Scheme::Adaptive { tolerance, end, .. } => {
                add("tolerance", tolerance.into());
                add("until", end.into());
                add("every_time", run.h.abs().into());
            }
            Scheme::Steps(_) | Scheme::Exact => {
                add("h", run.h.into());
                add("steps", run.steps.into());
                add("every", run.every.into());
            }
        }
        add("q0", run.q0.as_slice().into());
        add("v0", run.v0.as_slice().into());
        if !run.z0.is_empty() {
            add("z0", run.z0.as_slice().into());
        }
        match &run.inputs {
            Inputs::Held(inputs) if inputs.is_empty() => {}
            Inputs::Held(inputs) => {
                add("inputs", inputs.as_slice().into());
            }
            Inputs::PerStep(all) => {
                add("inputs", all.iter().map(|inputs| Value::from(inputs.as_slice())).collect());
            }
        }
        case
    }
}

impl Start {
    /// The flags, and whether they are given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 7] {
        [
            ("struct", self.name.is_some()),
            ("set", !self.set.is_empty()),
            ("q0", !self.q0.is_empty()),
            ("v0", !self.v0.is_empty()),
            ("z0", !self.z0.is_empty()),
            ("h", self.h.is_some()),
            ("project", self.project),
        ]
    }

    /// The system of `file` as a model with this start, and the step size. `conservative` says whether its energy is
    /// conserved.
    pub(crate) fn model(&self, file: &Path, conservative: bool) -> Result<(Declared, f64), Failed> {
        let system = declared::system(file, self.name.as_deref(), &[])?;
        let missing: &[&str] = if self.h.is_none() { &["--h H"] } else { &[] };
        self.all_given(&system, None, &[], missing)?;
        let mut run = self.run(system, None, None, &[])?;
        let h = self.h.as_deref().ok_or_else(|| flag("h", "missing"))?;
        run.h = number(h).ok_or_else(|| flag("h", not_a_number(h)))?;
        if let Scheme::Steps(variant) = run.scheme {
            let simulation = run.simulation(variant).map_err(hint)?;
            (run.q0, run.v0) = (simulation.q().to_vec(), simulation.v());
        }
        let model = Declared::of(run.system).map_err(failed)?;
        Ok((model.starting(run.parameters, run.q0, run.v0, conservative), run.h))
    }

    /// Whether nothing is missing, or one flag alone, which has an error of its own. `others` are missing, too.
    fn all_given(
        &self,
        system: &System,
        defaults: Option<&Defaults>,
        sweeps: &[Sweep],
        others: &[&str],
    ) -> Result<(), Failed> {
        let mut missing = Vec::new();
        if defaults.is_none() {
            let set = |name: &String| {
                let is_swept = sweeps.iter().any(|sweep| sweep.name == *name);
                is_swept || self.set.iter().any(|text| text.split('=').next().map(str::trim) == Some(name))
            };
            let parameters = system.parameters().iter().filter(|name| !set(name));
            let parameters: Vec<String> = parameters.map(|name| format!("{name}=VALUE")).collect();
            if !parameters.is_empty() {
                missing.push(format!("--set {}", parameters.join(",")));
            }
            for (flag, flags, names, quantity) in [
                ("q0", &self.q0, system.coordinates(), Quantity::Coordinate),
                ("v0", &self.v0, system.velocities(), Quantity::Velocity),
            ] {
                let swept = sweeps.iter().filter(|sweep| sweep.quantity == quantity).count();
                if flags.is_empty() && swept < names.len() {
                    let rates = if quantity == Quantity::Velocity { system.shape() } else { 0 };
                    let names = names.iter().enumerate();
                    let names =
                        names.map(|(i, name)| format!("{}{name}", if i < rates { "dot_" } else { "" }));
                    missing.push(format!("--{flag} {}", names.collect::<Vec<_>>().join(",").to_uppercase()));
                }
            }
        }
        missing.extend(others.iter().map(|&flag| flag.to_owned()));
        match missing.len() {
            0 | 1 => Ok(()),
            _ => Err(Failed::Wrong(format!("missing: {}", missing.join(" ")))),
        }
    }

    /// A run of no steps, whose size is missing, with inputs that are zero.
    fn run(
        &self,
        system: System,
        defaults: Option<&Defaults>,
        method: Option<&str>,
        sweeps: &[Sweep],
    ) -> Result<Run, Failed> {
        let mut parameters = match defaults {
            Some(defaults) => defaults.parameters.clone(),
            None => vec![f64::NAN; system.parameters().len()],
        };
        for text in &self.set {
            assign("set", "parameter", text, system.parameters(), &mut parameters)?;
        }
        let start = |flags: &[String], name, names: &[String], quantity| -> Result<Vec<f64>, Failed> {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let swept = sweeps.iter().filter(|sweep| sweep.quantity == quantity).count();
            if flags.is_empty() {
                match (defaults, quantity) {
                    (Some(defaults), Quantity::Coordinate) => return Ok(defaults.q0.clone()),
                    (Some(defaults), Quantity::Velocity) => return Ok(defaults.v0.clone()),
                    _ if swept == names.len() => return Ok(vec![0.0; names.len()]),
                    _ => {}
                }
            }
            if flags.len() != names.len() {
                let expected = format!("expected {} numbers, {}", names.len(), names.join(", "));
                return Err(flag(name, format!("{expected}; found {}", flags.len())));
            }
            flags.iter().map(|text| number(text).ok_or_else(|| flag(name, not_a_number(text)))).collect()
        };
        let q0 = start(&self.q0, "q0", system.coordinates(), Quantity::Coordinate)?;
        let v0 = start(&self.v0, "v0", system.velocities(), Quantity::Velocity)?;
        let z0 = match self.z0.is_empty() {
            true => Vec::new(),
            false => start(&self.z0, "z0", system.states(), Quantity::State)?,
        };
        let scheme = match method {
            Some("exact") => Scheme::Exact,
            Some(id) => Scheme::Steps(system.variant(id).map_err(|error| flag("method", error))?),
            None => {
                let first = match defaults {
                    Some(_) => models::usual_method(&system),
                    None => system.declared().first().copied(),
                };
                let first =
                    first.ok_or_else(|| flag("method", "missing: no method applies to this system"))?;
                Scheme::Steps(Variant::from(first))
            }
        };
        let inputs = Inputs::Held(vec![0.0; system.inputs().len()]);
        let project = self.project;
        let mut run = Run {
            system,
            scheme,
            parameters,
            q0,
            v0,
            z0,
            inputs,
            h: f64::NAN,
            steps: 0,
            every: 1,
            project,
            pose: None,
        };
        for sweep in sweeps {
            sweep.set(&mut run, sweep.values[0]);
        }
        let parameters = run.system.parameters().iter().zip(&run.parameters);
        let missing = parameters.filter(|(_, value)| value.is_nan()).map(|(name, _)| format!("`{name}`"));
        match missing.collect::<Vec<_>>().as_slice() {
            [] => Ok(run),
            [name] => Err(flag("set", format!("the parameter {name} has no value"))),
            names => Err(flag("set", format!("the parameters {} have no values", names.join(", ")))),
        }
    }
}

/// Samples of a run until a time, if they are not given.
const PARTS: f64 = 1000.0;

/// When there are steps and samples.
enum Pace {
    /// Steps of one size.
    Steps { h: f64, steps: u64, every: u64 },
    /// Steps whose sizes follow from a tolerance, with so many nodes after the start.
    Tolerance { tolerance: f64, end: f64, h: f64, steps: u64 },
}

/// What a model has where flags are left out.
struct Defaults {
    model: &'static str,
    parameters: Vec<f64>,
    q0: Vec<f64>,
    v0: Vec<f64>,
}

/// The entries of the start that the projection has changed.
fn projected(run: &Run, recording: &Recording) -> String {
    let changed = |quantity: Quantity, given: &[f64]| -> Vec<String> {
        let columns = recording.all(quantity).zip(given);
        let pairs: Vec<_> = columns
            .filter_map(|(column, &from)| Some((&column.name, from, *column.values.first()?)))
            .collect();
        let size = pairs.iter().fold(0.0_f64, |size, (_, from, to)| size.max(from.abs()).max(to.abs()));
        let changed = pairs.into_iter().filter(|(_, from, to)| (to - from).abs() > 1e-12 * size);
        // As many digits as the change needs to be seen.
        let digits = |change: f64| (2.0 - change.abs().log10()).clamp(6.0, 17.0) as usize;
        changed.map(|(name, from, to)| format!("{name} from {from} to {to:.*}", digits(to - from))).collect()
    };
    let all = [changed(Quantity::Coordinate, &run.q0), changed(Quantity::Velocity, &run.v0)].concat();
    match all.is_empty() {
        true => "--project changed nothing\n".to_owned(),
        false => format!("--project changed {}\n", all.join(", ")),
    }
}

/// Sets the number with a name by `NAME=VALUE`.
fn assign(of: &str, kind: &str, text: &str, names: &[String], numbers: &mut [f64]) -> Result<(), Failed> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| flag(of, format!("expected NAME=VALUE, found `{text}`")))?;
    let place = place(name.trim(), names).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        flag(of, unknown(name.trim(), kind, &known, ""))
    })?;
    numbers[place] = number(value).ok_or_else(|| flag(of, not_a_number(value)))?;
    Ok(())
}

/// Inputs that are held, by their names.
fn constants(text: &str, names: &[String]) -> Result<Vec<f64>, Failed> {
    let mut inputs = vec![f64::NAN; names.len()];
    for text in text.split(',') {
        assign("inputs", "input", text, names, &mut inputs)?;
    }
    let missing: Vec<&str> =
        names.iter().zip(&inputs).filter(|(_, x)| x.is_nan()).map(|(name, _)| name.as_str()).collect();
    if !missing.is_empty() {
        warn(Some(format!("--inputs: `{}` = 0", missing.join("` = 0, `"))));
    }
    Ok(inputs.into_iter().map(|x| if x.is_nan() { 0.0 } else { x }).collect())
}

/// A start that violates constraints can be projected.
fn hint(error: nhi_run::Error) -> Failed {
    let can_be_projected = matches!(&error, nhi_run::Error::Jit(error) if error.is_near_admissible());
    match failed(error) {
        Failed::Wrong(message) if can_be_projected => {
            Failed::Wrong(format!("{message}; --project begins at the nearest admissible one"))
        }
        failed => failed,
    }
}

/// That inputs are left out.
pub(crate) fn no_inputs(field: &str, names: &[String]) -> String {
    format!("no {field} are given: `{}` = 0", names.join("` = 0, `"))
}

/// The same with what it is about.
fn about(what: impl std::fmt::Display, failed: Failed) -> Failed {
    match failed {
        Failed::Wrong(message) => Failed::Wrong(format!("{what}: {message}")),
        failed => failed,
    }
}

fn place(name: &str, names: &[String]) -> Option<usize> {
    names.iter().position(|known| known == name)
}

/// A decimal, a fraction, or a multiple of `pi`.
fn number(text: &str) -> Option<f64> {
    exact(text)
}

/// The name of a file in a case that is written to `out`: relative to it if it is in the same folder.
pub(crate) fn beside(out: Option<&Path>, file: &Path) -> String {
    let folder = out.and_then(Path::parent).unwrap_or(Path::new(""));
    let file = match folder.as_os_str().is_empty() {
        true => file.to_path_buf(),
        false => std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()),
    };
    file.display().to_string()
}

/// The parameters of a case, with arrays.
pub(crate) fn params(names: &[String], values: &[f64]) -> Map<String, Value> {
    let mut params = Map::new();
    for (name, &value) in names.iter().zip(values) {
        match name.split_once('[') {
            None => {
                params.insert(name.clone(), value.into());
            }
            Some((array, _)) => {
                if let Value::Array(entries) = params.entry(array).or_insert_with(|| Value::Array(Vec::new()))
                {
                    entries.push(value.into());
                }
            }
        }
    }
    params
}

/// Most values of one sweep.
const MOST: usize = 1_000_000;

/// Most steps with inputs of their own.
const MOST_INPUTS: u64 = 10_000_000;

/// The values of one parameter or initial value.
struct Sweep {
    name: String,
    quantity: Quantity,
    place: usize,
    values: Vec<f64>,
}

impl Sweep {
    fn parse(text: &str, system: &System) -> Result<Sweep, Failed> {
        let form = || flag("sweep", format!("expected NAME=FROM:TO:COUNT or NAME=V,V,..., found `{text}`"));
        let (name, values) = text.split_once('=').ok_or_else(form)?;
        let name = name.trim();
        let velocities: Vec<String> =
            (0..system.velocities().len()).map(|i| system.velocity_column(i)).collect();
        let lists = [
            (Quantity::Swept, system.parameters()),
            (Quantity::Coordinate, system.coordinates()),
            (Quantity::Velocity, &velocities),
        ];
        let found = lists.iter().find_map(|(quantity, names)| Some((*quantity, place(name, names)?)));
        let (quantity, place) = found.ok_or_else(|| {
            let known: Vec<&str> =
                lists.iter().flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
            flag("sweep", unknown(name, "parameter or initial value", &known, ""))
        })?;
        let read = |text: &str| number(text).ok_or_else(|| flag("sweep", not_a_number(text)));
        let values = match values.split(':').collect::<Vec<_>>().as_slice() {
            [from, to, count] => {
                let (from, to) = (read(from)?, read(to)?);
                let count: usize = count.trim().parse().map_err(|_| form())?;
                if !(2..=MOST).contains(&count) {
                    return Err(flag("sweep", format!("expected from 2 to {MOST} values, found {count}")));
                }
                (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
            }
            [list] => list.split(',').map(read).collect::<Result<Vec<_>, _>>()?,
            _ => return Err(form()),
        };
        Ok(Sweep { name: name.to_owned(), quantity, place, values })
    }

    fn set(&self, run: &mut Run, value: f64) {
        let numbers = match self.quantity {
            Quantity::Coordinate => &mut run.q0,
            Quantity::Velocity => &mut run.v0,
            _ => &mut run.parameters,
        };
        numbers[self.place] = value;
    }
}

/// Inputs per step of a CSV file.
pub(crate) fn inputs(file: &Path, names: &[String], h: f64, steps: u64) -> Result<Inputs, Failed> {
    let csv = Csv::read(file, "the inputs")?;
    let mut columns: Vec<usize> = names.iter().map(|name| csv.column(name)).collect::<Result<_, _>>()?;
    if let Some(other) = csv.header.iter().find(|name| *name != "t" && !names.contains(name)) {
        let known: Vec<&str> = names.iter().map(String::as_str).chain(["t"]).collect();
        return Err(csv.wrong(csv.first, unknown(other, "input", &known, "")));
    }
    let t = csv.find("t");
    columns.extend(t);
    let mut rows = csv.numbers(&columns)?;
    if t.is_none() {
        if rows.len() as u64 != steps {
            let found = rows.len();
            return Err(Failed::Wrong(format!(
                "{}: expected a row for each of {steps} steps, found {found}",
                file.display()
            )));
        }
        return Ok(Inputs::PerStep(rows));
    }
    let times: Vec<f64> = rows.iter_mut().filter_map(Vec::pop).collect();
    if rows.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(Failed::Wrong(format!("{}: expected rows with increasing times `t`", file.display())));
    }
    if steps > MOST_INPUTS {
        let problem = format!("inputs that change are listed for each step, at most {MOST_INPUTS} of them");
        return Err(flag("steps", problem));
    }
    // Held from the last change up to the beginning of the step; the first row holds before it, too.
    let at = |k: u64| {
        let now = k as f64 * h;
        let rows_before = times.partition_point(|t| *t <= now + 1e-9 * h.abs());
        rows[rows_before.max(1) - 1].clone()
    };
    Ok(Inputs::PerStep((0..steps).map(at).collect()))
}
