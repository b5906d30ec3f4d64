//! Trajectories as JSON and as CSV.

use crate::problem::Problem;
use crate::run::Sample;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// The case and its samples, one a line.
pub(crate) fn json(out: &mut dyn Write, problem: &Problem<'_>, samples: &[Sample]) -> io::Result<()> {
    writeln!(out, "{{")?;
    for (name, value) in &problem.echo {
        writeln!(out, "  {}: {value},", Value::from(name.as_str()))?;
    }
    write!(out, "  \"samples\": [")?;
    let names = problem.model.invariants();
    for (i, sample) in samples.iter().enumerate() {
        let separator = if i == 0 { "" } else { "," };
        write!(out, "{separator}\n    {}", Value::Object(fields(problem, sample, &names)))?;
    }
    writeln!(out, "\n  ]\n}}")
}

fn fields(problem: &Problem<'_>, sample: &Sample, invariants: &[&str]) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("k".to_owned(), sample.k.into());
    fields.insert("t".to_owned(), sample.t.into());
    match problem.layout {
        Some(layout) => layout.write(&sample.q, &sample.v, &mut fields),
        None => {
            fields.insert("q".to_owned(), sample.q.as_slice().into());
            fields.insert("v".to_owned(), sample.v.as_slice().into());
        }
    }
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    add("p", sample.p.as_slice().into());
    add("lambda", sample.lambda.as_slice().into());
    add("reaction", sample.reaction.as_slice().into());
    add("energy", sample.energy.into());
    if let Some((pre, post)) = &sample.jump {
        add("p_pre", pre.as_slice().into());
        add("p_post", post.as_slice().into());
    }
    for (name, value) in invariants.iter().zip(&sample.invariants) {
        add(name, (*value).into());
    }
    fields
}

/// A header and a line per sample. The columns are those of JSON, vectors entry by entry.
pub(crate) fn csv(out: &mut dyn Write, problem: &Problem<'_>, samples: &[Sample]) -> io::Result<()> {
    let jump = samples.first().is_some_and(|sample| sample.jump.is_some());
    let velocities = problem.model.velocities();
    let mut header = vec!["k".to_owned(), "t".to_owned()];
    header.extend(problem.model.coordinates().iter().map(|&name| name.to_owned()));
    let mut vector = |kind: &str| header.extend(velocities.iter().map(|name| format!("{kind}_{name}")));
    vector("v");
    vector("p");
    if jump {
        vector("p_pre");
        vector("p_post");
    }
    // Constraints are numbered: their labels can be one-forms with commas in them.
    header.extend((0..problem.model.constraints().len()).map(|a| format!("lambda_{a}")));
    header.extend(velocities.iter().map(|name| format!("reaction_{name}")));
    header.push("energy".to_owned());
    header.extend(problem.model.invariants().iter().map(|&name| name.to_owned()));
    writeln!(out, "{}", header.join(","))?;
    for sample in samples {
        write!(out, "{},{}", sample.k, sample.t)?;
        let (pre, post) = sample.jump.as_ref().map_or((&[][..], &[][..]), |(pre, post)| (pre, post));
        let Sample { q, v, p, lambda, reaction, energy, invariants, .. } = sample;
        let vectors = [q, v, p, pre, post, lambda, reaction, &[*energy], invariants];
        for x in vectors.into_iter().flatten() {
            write!(out, ",{x}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
