//! The functions in C.

use super::{BATCHES, CALLS, FUNCTIONS, Failed, ROUNDS, STEP_SIZE, STEPS, succeeded};
use nhi_codegen::backend::c;
use nhi_codegen::optimised::Optimised;
use nhi_methods::Variant;
use nhi_run::model::{Declared, Model};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The head of a C program that measures times, in nanoseconds.
const CLOCK: &str = "#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
";

/// Programs that print the times of a step and of its derivatives, one for each method.
pub(super) fn programs(
    model: &Declared,
    optimised: &Optimised,
    methods: &[Variant],
    folder: &Path,
) -> Result<Vec<Command>, Failed> {
    std::fs::create_dir_all(folder)?;
    let files = c::files(optimised, &c::Options { float: false, variants: Vec::new() });
    for file in &files {
        std::fs::write(folder.join(&file.name), &file.text)?;
    }
    let (name, header) = (files[0].name.trim_end_matches(".h"), &files[0].text);
    let programs = methods.iter().map(|method| {
        let main = format!("main_{method}.c");
        std::fs::write(folder.join(&main), program(model, header, name, &method.to_string())?)?;
        let (source, out) = (format!("{name}.c"), format!("times_{method}"));
        let arguments = ["-std=c99", "-O3", "-march=native", "-ffp-contract=off", &main, &source, "-lm"];
        succeeded(Command::new("clang").args(arguments).args(["-o", &out]).current_dir(folder))?;
        Ok(Command::new(folder.join(out)))
    });
    programs.collect()
}

/// A C program that prints the times of a step and of its derivatives.
fn program(model: &Declared, header: &str, name: &str, id: &str) -> Result<String, Failed> {
    let (q, v) = model.instance(&model.defaults()).initial();
    let mut text = format!("{CLOCK}#include \"{name}.h\"\n");
    for (array, values) in [("parameters", &model.defaults()), ("q0", &q), ("v0", &v)] {
        let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let _ = writeln!(text, "static const double {array}[] = {{{}}};", values.join(", "));
    }
    let inputs = model.inputs().len().max(1);
    let _ = writeln!(text, "static const double u[{inputs}];\nstatic const double z0[64];");
    let sim = format!("{name}_{id}");
    let mut statements = vec![call(header, &sim, "step")?.1];
    for function in FUNCTIONS {
        let (arrays, call) = call(header, &sim, function)?;
        text.push_str(&arrays);
        statements.push(call);
    }
    let (_, start) = call(header, &sim, "start")?;
    let _ = write!(
        text,
        "int main(void) {{
    {name}_parameters p = *(const {name}_parameters *)(const void *)parameters;
    static {sim} sim, first;
    double h = {STEP_SIZE:?};
    if ({start}) return 1;
    for (int i = 0; i < {STEPS}; i++) if ({step}) return 2;
    first = sim;
",
        step = statements[0],
    );
    let _ = writeln!(
        text,
        "    static double least[{count}];
    for (int round = 0; round < {ROUNDS}; round++) {{",
        count = statements.len()
    );
    for (i, statement) in statements.iter().enumerate() {
        let _ = write!(
            text,
            "        for (int batch = 0; batch < {BATCHES}; batch++) {{
            sim = first;
            double begin = now();
            for (int i = 0; i < {CALLS}; i++) {{ if ({statement}) return 3; __asm__ volatile(\"\" ::: \"memory\"); }}
            double time = (now() - begin) / {CALLS};
            if (least[{i}] == 0 || time < least[{i}]) least[{i}] = time;
        }}
"
        );
    }
    let _ = writeln!(
        text,
        "    }}\n    for (int i = 0; i < {}; i++) printf(\"%.17g\\n\", least[i]);",
        statements.len()
    );
    text.push_str("    return 0;\n}\n");
    Ok(text)
}

/// The call of a function of a simulation, and the arrays that take its results.
fn call(header: &str, sim: &str, function: &str) -> Result<(String, String), Failed> {
    let declared = header.split_once(&format!("nhi_status {sim}_{function}("));
    let (list, _) = declared.and_then(|(_, rest)| rest.split_once(')')).ok_or("no such function")?;
    let (mut arrays, mut arguments) = (String::new(), Vec::new());
    for parameter in list.split(',').map(str::trim) {
        let name = parameter.rsplit([' ', '*']).next().unwrap_or_default();
        arguments.push(match name.split_once('[') {
            None if name == "sim" || name == "p" => format!("&{name}"),
            Some((array, _)) if ["q0", "v0", "z0", "u"].contains(&array) => array.to_owned(),
            None => name.to_owned(),
            Some((array, length)) => {
                let length = length.trim_end_matches(']');
                let _ = writeln!(arrays, "static double {function}_{array}[{length}];");
                format!("{function}_{array}")
            }
        });
    }
    Ok((arrays, format!("{sim}_{function}({})", arguments.join(", "))))
}
