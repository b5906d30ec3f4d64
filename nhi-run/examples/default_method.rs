//! Whether the frame method is a better default than `dla2`, on groups than `rdp`: the time that both take for the same error.
//!
//! ```text
//! cargo run --release -p nhi-run --example default_method [-- --out docs/default-method.md]
//! ```

use nhi_run::model::{Instance, MODELS, Method, Model, loaded};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

/// The time at which errors are compared, and the number of steps to it.
const SPAN: f64 = 3.0;
const STEPS: u64 = 480;
/// Passes in which a step is timed.
const PASSES: usize = 200;

/// The method that may become the default.
const FRAME: &str = "frame";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = match &arguments[..] {
        [] => None,
        [flag, file] if flag == "--out" => Some(file),
        _ => return Err("expected nothing or --out FILE".into()),
    };
    let mut text = HEAD.to_owned();
    table(&mut text, false, "dla2")?;
    table(&mut text, true, "rdp")?;
    match out {
        Some(file) => fs::write(file, text)?,
        None => println!("{text}"),
    }
    Ok(())
}

const HEAD: &str = "# The default method\n\n\
    Written by `cargo run --release -p nhi-run --example default_method -- --out docs/default-method.md`. Both methods have order 2, \
    so that the time for a given error is the time of a step times the root of the error after a given number of steps: 480, at t = 3. \
    The error is the largest one of a configuration. Ratios below 1 are in favour of `frame`. Steps are compiled at run \
    time. In coordinates, `frame` becomes the default if it takes no more time for three quarters of the models; so on groups.\n";

/// A row for each model, and the number of those for which the frame method takes no more time.
fn table(text: &mut String, on_group: bool, default: &str) -> Result<(), Box<dyn Error>> {
    let place = if on_group { "on groups" } else { "in coordinates" };
    writeln!(text, "\n## Models {place}\n\n| model | errors | times of a step | times for the same error |")?;
    writeln!(text, "|---|---:|---:|---:|")?;
    let (mut better, mut all) = (0, 0);
    for bundled in MODELS.iter().filter(|bundled| bundled.on_group == on_group) {
        let model = loaded(bundled.name, on_group)?;
        let methods = [FRAME, default].map(|id| model.methods().iter().find(|method| method.id == id));
        let [Some(frame), Some(known)] = methods else {
            return Err(format!("{} has not both methods", model.name()).into());
        };
        let instance = model.instance(&model.defaults());
        let [errors, times] = [errors, times].map(|of| of(model, &*instance, [frame, known]).map(ratio));
        let (errors, times) = (errors?, times?);
        let same = times * errors.sqrt();
        all += 1;
        better += u32::from(same <= 1.0);
        writeln!(text, "| {} | {errors:.2} | {times:.2} | {same:.2} |", model.name())?;
    }
    writeln!(text, "\n`frame` takes no more time than `{default}` for {better} of {all} models.")?;
    Ok(())
}

fn ratio([frame, known]: [f64; 2]) -> f64 {
    frame / known
}

type Pair = Result<[f64; 2], Box<dyn Error>>;

/// The largest errors of a configuration.
fn errors(model: &dyn Model, instance: &dyn Instance, methods: [&Method; 2]) -> Pair {
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let (exact, _) = instance.flow(0.0, &q, &v, &inputs, SPAN)?;
    let mut found = [0.0; 2];
    for (error, method) in found.iter_mut().zip(methods) {
        let mut trajectory = instance.start(method, &q, &v, &inputs, SPAN / STEPS as f64)?;
        trajectory.advance(STEPS)?;
        let differences = trajectory.q().into_iter().zip(&exact).map(|(q, exact)| (q - exact).abs());
        *error = differences.fold(0.0, f64::max);
    }
    Ok(found)
}

/// Seconds of these steps: the fastest of many passes, since other load only adds time. Those of the methods alternate.
fn times(model: &dyn Model, instance: &dyn Instance, methods: [&Method; 2]) -> Pair {
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..PASSES {
        for (best, method) in best.iter_mut().zip(methods) {
            let mut trajectory = instance.start(method, &q, &v, &inputs, SPAN / STEPS as f64)?;
            let start = Instant::now();
            trajectory.advance(STEPS)?;
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(best)
}
