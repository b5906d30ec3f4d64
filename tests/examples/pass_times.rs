//! What each pass gains in time: by how many per cent steps that are compiled at run time take longer without it.
//!
//! `cargo run --release -p nhi-tests --example pass_times` measures the steps of the models and writes the section of
//! `docs/gains.md`. Times are the fastest of many batches, which alternate between the step and the step without a pass: other load
//! on the machine only adds time.

use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::{Method, MethodPrograms};
use nhi_codegen::optimise::{Options, passes};
use nhi_codegen::optimised::{MethodFunctions, Optimised};
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Simulation};
use nhi_models::{GROUP_MODELS, MODELS, Model};
use nhi_tests::declarations::of_model;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// The methods that are measured, where a model declares them: those of the other tables.
const METHODS: [Method; 4] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rattle];

/// Step size, the steps of a batch, and the number of batches.
const H: f64 = 0.01;
const STEPS: u64 = 200;
const BATCHES: usize = 60;

/// Per cent below which a difference counts as noise.
const NOISE: f64 = 2.0;

/// Where the section of the file begins.
const HEAD: &str = "\n## Time\n";

/// A step that is compiled with some options, and its start.
struct Step<'a> {
    compiled: Compiled,
    model: &'a dyn Model,
    method: Method,
}

impl<'a> Step<'a> {
    fn new(
        model: &'a dyn Model,
        optimised: &mut Optimised,
        method: &MethodPrograms,
        options: Options,
    ) -> Result<Step<'a>, Box<dyn Error>> {
        optimised.methods = vec![MethodFunctions::of(method, options)];
        let compiled = Compiled::new(optimised, &[method.method.into()])?;
        Ok(Step { compiled, model, method: method.method })
    }

    /// The time of a batch from the start of the model, in seconds.
    fn time(&self) -> Result<f64, Box<dyn Error>> {
        let parameters = self.model.defaults();
        let (q, v) = self.model.instance(&parameters).initial();
        let mut simulation = Simulation::new(&self.compiled, self.method.into(), &parameters, &q, &v, H)?;
        let begin = Instant::now();
        simulation.advance(STEPS)?;
        Ok(begin.elapsed().as_secs_f64())
    }
}

/// By how many per cent a step takes longer without a pass.
fn gain(whole: &Step<'_>, without: &Step<'_>) -> Result<f64, Box<dyn Error>> {
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..BATCHES {
        for (step, fastest) in [whole, without].into_iter().zip(&mut fastest) {
            *fastest = fastest.min(step.time()?);
        }
    }
    Ok(100.0 * (fastest[1] / fastest[0] - 1.0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut gains: Vec<Vec<(f64, String)>> = vec![Vec::new(); passes().len()];
    for &model in MODELS.iter().chain(GROUP_MODELS) {
        let derived = Derived::new(of_model(model), &mut BuiltIn).map_err(|error| format!("{error:?}"))?;
        let mut optimised = derived.optimised().map_err(|error| format!("{error:?}"))?;
        for method in derived.methods.iter().filter(|method| METHODS.contains(&method.method)) {
            let name = format!("{} `{}`", model.name(), method.id());
            let whole = Step::new(model, &mut optimised, method, Options::default())?;
            if let Err(error) = whole.time() {
                println!("{name}: {error}");
                continue;
            }
            for ((pass, _), gains) in passes().into_iter().zip(&mut gains) {
                let options = Options { without: Some(pass), ..Options::default() };
                let without = Step::new(model, &mut optimised, method, options)?;
                gains.push((gain(&whole, &without)?, name.clone()));
            }
            println!("{name}");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gains.md");
    let text = std::fs::read_to_string(&path)?;
    let others = text.find(HEAD).map_or(&*text, |at| &text[..at]);
    std::fs::write(&path, format!("{others}{}", section(&gains)?))?;
    Ok(())
}

/// The section of the file.
fn section(gains: &[Vec<(f64, String)>]) -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "{HEAD}
By how many per cent steps that are compiled at run time take longer without a pass: the mean over all steps, the number of steps
that take {NOISE} % longer or shorter, and the largest gain with its step. This command writes the section; no test compares it:

```sh
cargo run --release -p nhi-tests --example pass_times
```

| pass | mean | longer | shorter | largest | step |
|---|---:|---:|---:|---:|---|
"
    );
    for ((pass, _), gains) in passes().into_iter().zip(gains) {
        let mean = gains.iter().map(|(gain, _)| gain).sum::<f64>() / gains.len() as f64;
        let longer = gains.iter().filter(|(gain, _)| *gain > NOISE).count();
        let shorter = gains.iter().filter(|(gain, _)| *gain < -NOISE).count();
        let largest = gains.iter().max_by(|(a, _), (b, _)| a.total_cmp(b));
        let (most, step) = largest.map_or((0.0, ""), |(gain, step)| (*gain, step));
        writeln!(out, "| {pass} | {mean:.1} | {longer} | {shorter} | {most:.0} | {step} |")?;
    }
    Ok(out)
}
