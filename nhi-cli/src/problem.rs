//! A valid case: a model, a method and data of the right sizes.

use crate::bodies;
use crate::case::{
    Case, GivenSample, Malformed, deserialize, echo, held_or_per_step, sized, unknown, vector,
};
use crate::group::{Layout, method_id};
use crate::models::usual_method;
use crate::number::{Entry, Number};
use nhi_run::model::{Declared, Instance, Method, Model};
use nhi_run::{Body, Inputs, Pose, Run};
use nhi_runtime::Error;
use serde_json::{Map, Value};

/// The problem to be integrated, and the method.
pub struct Problem<'a> {
    pub(crate) model: &'a Declared,
    /// For a case with separate shape and pose.
    pub(crate) layout: Option<Layout>,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) scheme: Scheme,
    pub(crate) q0: Vec<f64>,
    pub(crate) v0: Vec<f64>,
    /// Auxiliary states; all are zero if it is empty.
    pub(crate) z0: Vec<f64>,
    pub(crate) inputs: Inputs,
    /// Number of steps between samples.
    pub(crate) every: u64,
    /// The coordinates that place a body.
    pub(crate) pose: Option<Pose>,
    /// Bodies in pictures.
    pub(crate) bodies: Vec<Body>,
    /// The given fields of the case.
    pub(crate) echo: Map<String, Value>,
    /// The samples of the case.
    pub(crate) samples: Option<Value>,
}

/// How the trajectory is computed.
pub(crate) enum Scheme {
    /// By steps of a method.
    Steps { method: Method, h: f64, steps: u64 },
    /// By adaptive steps of a method, with nodes at the multiples of the time `h`, the last of which is at the time `end`.
    Adaptive { method: Method, tolerance: f64, end: f64, h: f64, steps: u64 },
    /// The exact flow after k steps, for every k.
    ExactSteps { h: f64, steps: u64 },
    /// The exact flow at the times of the samples (k, t).
    ExactTimes(Vec<(u64, f64)>),
}

impl<'a> Problem<'a> {
    /// The problem stated by the JSON `text` for one of the `models`.
    ///
    /// # Errors
    /// The first mistake, with its field.
    pub fn parse(text: &str, models: &[&'a Declared]) -> Result<Self, Malformed> {
        let case = Case::parse(text)?;
        let name = given(&case.model, "model")?;
        // A model may exist both in coordinates and on a group.
        let on_group = case.group.as_ref().is_some_and(|group| group != "R^0");
        let named = || models.iter().copied().filter(|model| model.name() == name);
        let preferred = named().find(|model| model.group().is_some() == on_group);
        let model = preferred.or_else(|| named().next()).ok_or_else(|| {
            unknown(name, "model", &models.iter().map(|model| model.name()).collect::<Vec<_>>(), "model")
        })?;
        Problem::of(case, text, model)
    }

    /// The problem stated by a case with this text, for its model.
    pub(crate) fn of(case: Case, text: &str, model: &'a Declared) -> Result<Self, Malformed> {
        all_given(&case, model)?;
        let layout = case.group.as_ref().map(|group| Layout::of(group, model)).transpose()?;
        if let Some(names) = &case.coordinates {
            coordinates(names, model)?;
        }
        let instance = model.instance(&parameters(&case, model)?);
        let (q0, v0) = start(&case, model, layout)?;
        let scheme = Scheme::of(&case, model)?;
        let every = case.every.map_or(Ok(1), |every| count(every, "every"))?;
        if every == 0 {
            return Err(Malformed::new("every", "must be at least 1"));
        }
        let inputs = inputs(&case, model.inputs().len(), &scheme)?;
        let problem = Problem {
            model,
            layout,
            instance,
            scheme,
            q0,
            v0,
            z0: case.z0.iter().flatten().map(|number| number.0).collect(),
            inputs,
            every,
            pose: case.pose.map(|names| pose(names, model.coordinates(), "pose")).transpose()?,
            bodies: case.bodies.as_ref().map_or(Ok(Vec::new()), bodies::of_case)?,
            echo: echo(text)?,
            samples: case.samples,
        };
        problem.admissible()?;
        Ok(problem)
    }

    /// The number of steps; of the exact flow at given times, that of the last one.
    pub(crate) fn steps(&self) -> u64 {
        match &self.scheme {
            Scheme::Steps { steps, .. }
            | Scheme::Adaptive { steps, .. }
            | Scheme::ExactSteps { steps, .. } => *steps,
            Scheme::ExactTimes(nodes) => nodes.last().map_or(0, |(k, _)| *k),
        }
    }

    /// The samples of the case.
    ///
    /// # Errors
    /// If there are none, or one of them is malformed.
    pub(crate) fn given_samples(&self) -> Result<Vec<GivenSample>, Malformed> {
        match &self.samples {
            Some(samples) => deserialize(samples.clone(), "samples"),
            None => Err(Malformed::new("samples", "missing: a comparison needs samples")),
        }
    }

    /// Whether the initial pose is valid and the initial velocity satisfies the constraints, as every
    /// simulation requires.
    fn admissible(&self) -> Result<(), Malformed> {
        let last = self.model.methods().last();
        let any = match &self.scheme {
            Scheme::Steps { method, .. } | Scheme::Adaptive { method, .. } => Some(method),
            // One of the continuous equations.
            _ => last,
        };
        let Some(any) = any else { return Ok(()) };
        let apart = self.echo.contains_key("initial");
        match self.instance.start(any, &self.q0, &self.v0, self.inputs.at(0), 1.0) {
            Err(Error::Constraint { name, residual }) if residual.is_finite() => {
                let nearest = match self.instance.project(&self.q0, &self.v0) {
                    Ok(v) => format!("; the nearest admissible velocity is {v:?}"),
                    Err(_) => String::new(),
                };
                let problem = format!("violates the constraint `{name}` by {residual:e}{nearest}");
                Err(Malformed::new(if apart { "initial.v" } else { "v0" }, problem))
            }
            Err(Error::Pose { name, defect }) => {
                let problem = format!("the matrix `{name}` is not a rotation; its defect is {defect:e}");
                Err(Malformed::new(if apart { "initial.g" } else { "q0" }, problem))
            }
            // The run reports all other errors.
            _ => Ok(()),
        }
    }
}

impl Scheme {
    fn of(case: &Case, model: &Declared) -> Result<Self, Malformed> {
        let id = method_or_first(case, model)?;
        paced(case)?;
        if id == "exact" {
            if case.tolerance.is_some() {
                return Err(Malformed::new("tolerance", "goes with a method; the exact flow needs none"));
            }
            return match (&case.h, &case.steps) {
                (None, None) => Ok(Scheme::ExactTimes(times(case)?)),
                _ => Ok(Scheme::ExactSteps { h: step_size(case)?, steps: steps(case)? }),
            };
        }
        let id = method_id(case, id)?;
        let method = model.method(&id).ok_or_else(|| {
            let ids: Vec<_> = model.methods().iter().map(|method| method.id).chain(["exact"]).collect();
            unknown(&id, "method", &ids, "method")
        })?;
        let Some(Number(tolerance)) = case.tolerance else {
            return Ok(Scheme::Steps { method, h: step_size(case)?, steps: steps(case)? });
        };
        let (end, every) = (given(&case.until, "until")?.0, given(&case.every_time, "every_time")?.0);
        let (h, steps) = Run::nodes(end, every).map_err(|error| match error {
            nhi_run::Error::Argument { name: "until", problem } => Malformed::new("until", problem),
            nhi_run::Error::Argument { problem, .. } => Malformed::new("every_time", problem),
            error => Malformed::new("tolerance", error.to_string()),
        })?;
        Ok(Scheme::Adaptive { method, tolerance, end, h, steps })
    }
}

/// Whether a case has either steps of one size or a tolerance.
fn paced(case: &Case) -> Result<(), Malformed> {
    let fixed = [("h", &case.h), ("steps", &case.steps), ("every", &case.every)];
    let adaptive = [("until", &case.until), ("every_time", &case.every_time)];
    let (others, problem) = match case.tolerance {
        Some(_) => (&fixed[..], "goes without `tolerance`, which has `until` and `every_time`"),
        None => (&adaptive[..], "goes with `tolerance`; with `h` there are `steps` and `every`"),
    };
    match others.iter().find(|(_, field)| field.is_some()) {
        Some((name, _)) => Err(Malformed::new(*name, problem)),
        None => Ok(()),
    }
}

/// The method of a case; if left out, the first of the declaration, of a model of the literature the usual one.
pub(crate) fn method_or_first<'c>(case: &'c Case, model: &Declared) -> Result<&'c str, Malformed> {
    let first = match case.model {
        Some(_) => usual_method(model.system()),
        None => model.system().declared().first().copied(),
    };
    let id = case.method.as_deref().or(first.map(|method| method.facts().id));
    id.ok_or_else(|| Malformed::new("method", "missing: no method applies to this system"))
}

pub(crate) fn given<'c, T>(field: &'c Option<T>, name: &str) -> Result<&'c T, Malformed> {
    field.as_ref().ok_or_else(|| Malformed::new(name, "missing"))
}

/// The parameters without values, which the model does not have either.
pub(crate) fn missing_parameters(case: &Case, model: &dyn Model) -> Vec<String> {
    let is_given = |name: &str| case.params.iter().flatten().any(|(known, _)| known == name);
    let parameters = model.parameters();
    let parameters = parameters.iter().zip(model.defaults()).filter(|(_, value)| value.is_nan());
    let parameters = parameters.map(|(name, _)| name.split('[').next().unwrap_or(name));
    let mut missing: Vec<String> =
        parameters.filter(|name| !is_given(name)).map(|name| format!("params.{name}")).collect();
    missing.dedup();
    missing
}

/// Whether nothing is missing, or one field alone, which has an error of its own.
fn all_given(case: &Case, model: &dyn Model) -> Result<(), Malformed> {
    let mut missing = missing_parameters(case, model);
    // The exact flow can do with the times of samples.
    let is_adaptive = case.tolerance.is_some();
    let is_exact = case.method.as_deref() == Some("exact") && case.h.is_none() && case.steps.is_none();
    let has_steps = !is_adaptive && !is_exact;
    let has_start = case.initial.is_none();
    for (name, is_missing) in [
        ("q0", has_start && case.q0.is_none()),
        ("v0", has_start && case.v0.is_none()),
        ("h", has_steps && case.h.is_none()),
        ("steps", has_steps && case.steps.is_none()),
        ("until", is_adaptive && case.until.is_none()),
        ("every_time", is_adaptive && case.every_time.is_none()),
    ] {
        missing.extend(is_missing.then(|| name.to_owned()));
    }
    one_missing(&missing)
}

/// An error where several fields are missing.
pub(crate) fn one_missing(missing: &[String]) -> Result<(), Malformed> {
    match missing.len() {
        0 | 1 => Ok(()),
        _ => Err(Malformed::new("", format!("missing: {}", missing.join(", ")))),
    }
}

/// Configuration and velocity at t = 0.
fn start(case: &Case, model: &dyn Model, layout: Option<Layout>) -> Result<(Vec<f64>, Vec<f64>), Malformed> {
    let n = model.velocities().len();
    let Some(initial) = &case.initial else {
        let q0 = vector(given(&case.q0, "q0")?, model.coordinates().len(), "q0")?;
        return Ok((q0, vector(given(&case.v0, "v0")?, n, "v0")?));
    };
    let layout = layout.ok_or_else(|| Malformed::new("group", "missing: `initial` goes with it"))?;
    if initial.t.is_some_and(|Number(t)| t != 0.0) {
        return Err(Malformed::new("initial.t", "must be 0"));
    }
    let none = Vec::new();
    let (r, g) = (initial.r.as_ref().unwrap_or(&none), initial.g.as_ref().unwrap_or(&none));
    let q0 = layout.configuration(r, g, "initial")?;
    Ok((q0, layout.velocity(given(&initial.v, "initial.v")?, n, "initial.v")?))
}

/// A pose in the plane, of coordinates of the model.
pub(crate) fn pose(names: [String; 3], known: &[&str], field: &str) -> Result<Pose, Malformed> {
    for name in &names {
        if !known.contains(&name.as_str()) {
            return Err(unknown(name, "coordinate", known, field));
        }
    }
    Ok(Pose::Planar(names))
}

fn step_size(case: &Case) -> Result<f64, Malformed> {
    match given(&case.h, "h")?.0 {
        0.0 => Err(Malformed::new("h", "the step size must not be zero")),
        h => Ok(h),
    }
}

fn steps(case: &Case) -> Result<u64, Malformed> {
    count(*given(&case.steps, "steps")?, "steps")
}

/// A whole number that is not negative.
pub(crate) fn count(Number(x): Number, field: &str) -> Result<u64, Malformed> {
    // Beyond 2^53 not every whole number is an f64.
    if x >= 0.0 && x.fract() == 0.0 && x <= 9_007_199_254_740_992.0 {
        Ok(x as u64)
    } else {
        Err(Malformed::new(field, format!("expected a whole number that is not negative, found {x}")))
    }
}

/// The names are the model's, or those of the reference data.
fn coordinates(names: &[String], model: &dyn Model) -> Result<(), Malformed> {
    if names == model.coordinates() || names == model.reference_coordinates() {
        Ok(())
    } else {
        let expected = model.coordinates().join(", ");
        Err(Malformed::new(
            "coordinates",
            format!("those of `{}` are {expected}, in this order", model.name()),
        ))
    }
}

/// Values of the model's parameters: those given, and defaults.
pub(crate) fn parameters(case: &Case, model: &dyn Model) -> Result<Vec<f64>, Malformed> {
    let mut values = model.defaults();
    let flat = model.parameters();
    let array =
        |name: &str| flat.iter().position(|entry| entry.split_once('[').is_some_and(|(a, _)| a == name));
    for (name, entry) in case.params.iter().flatten() {
        let field = format!("params.{name}");
        match (flat.iter().position(|known| known == name), array(name), entry) {
            (Some(at), _, Entry::One(x)) if !name.contains('[') => values[at] = *x,
            (Some(_), _, Entry::Many(_)) => {
                return Err(Malformed::new(field, "expected a number, found an array"));
            }
            (_, Some(start), entry) => {
                let length =
                    flat.iter().filter(|entry| entry.split_once('[').is_some_and(|(a, _)| a == name)).count();
                let Entry::Many(entries) = entry else {
                    return Err(Malformed::new(field, format!("expected an array of {length} numbers")));
                };
                values[start..start + length].copy_from_slice(&sized(entries.clone(), length, &field)?);
            }
            _ => {
                let mut known: Vec<_> =
                    flat.iter().map(|name| name.split('[').next().unwrap_or(name)).collect();
                known.dedup();
                return Err(unknown(name, "parameter", &known, "params"));
            }
        }
    }
    match flat.iter().zip(&values).find(|(_, value)| value.is_nan()) {
        Some((name, _)) => Err(Malformed::new(format!("params.{name}"), "missing")),
        None => Ok(values),
    }
}

/// Control inputs: none, one vector, or one vector per step.
fn inputs(case: &Case, length: usize, scheme: &Scheme) -> Result<Inputs, Malformed> {
    let Some(entries) = &case.inputs else {
        return Ok(Inputs::Held(vec![0.0; length]));
    };
    let vectors = match held_or_per_step(entries)? {
        Inputs::Held(numbers) => return Ok(Inputs::Held(sized(numbers, length, "inputs")?)),
        Inputs::PerStep(vectors) => vectors,
    };
    if let Scheme::Adaptive { .. } = scheme {
        return Err(Malformed::new("inputs", "with `tolerance` they are held: expected one vector"));
    }
    let (Scheme::Steps { steps, .. } | Scheme::ExactSteps { steps, .. }) = scheme else {
        return Err(Malformed::new("inputs", "one vector per step needs `h` and `steps`"));
    };
    if vectors.len() as u64 != *steps {
        let found = vectors.len();
        return Err(Malformed::new(
            "inputs",
            format!("expected one vector for each of {steps} steps, found {found}"),
        ));
    }
    let sized =
        vectors.into_iter().enumerate().map(|(k, numbers)| sized(numbers, length, &format!("inputs[{k}]")));
    Ok(Inputs::PerStep(sized.collect::<Result<_, _>>()?))
}

/// k and t of the samples, whose other fields are ignored.
fn times(case: &Case) -> Result<Vec<(u64, f64)>, Malformed> {
    #[derive(serde::Deserialize)]
    struct Node {
        k: Number,
        t: Number,
    }
    let Some(samples) = &case.samples else {
        return Err(Malformed::new(
            "h",
            "missing: the exact flow needs `h` and `steps`, or samples with times",
        ));
    };
    let nodes: Vec<Node> = deserialize(samples.clone(), "samples")?;
    let node = |(i, node): (usize, &Node)| Ok((count(node.k, &format!("samples[{i}].k"))?, node.t.0));
    nodes.iter().enumerate().map(node).collect()
}
