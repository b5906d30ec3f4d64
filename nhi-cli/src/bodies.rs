//! Bodies in pictures: flags and fields of cases.

use crate::case::{Malformed, unknown};
use crate::declared::failed;
use crate::failed::Failed;
use crate::number::exact;
use clap::Args;
use nhi_run::{Bodies, Body, Shape, System};
use serde_json::{Map, Value};

/// Bodies to draw.
#[derive(Args, Debug)]
pub(crate) struct BodyFlags {
    /// A body in pictures: expressions for x, y and its heading, of a ball in space for its centre. They can use names of `let`
    /// and outputs. May be repeated.
    #[arg(long, value_name = "NAME=X,Y,THETA|NAME=ball:X,Y,Z")]
    pub(crate) body: Vec<String>,
    /// The length of a body in pictures, of a ball its diameter. May be repeated.
    #[arg(long, value_name = "NAME=LENGTH")]
    pub(crate) size: Vec<String>,
}

impl BodyFlags {
    /// The bodies of these flags, and those of the declaration that have a size by them.
    pub(crate) fn read(&self, system: &System) -> Result<Vec<Body>, Failed> {
        let wrong = |flag: &str, problem: String| Failed::Wrong(format!("--{flag}: {problem}"));
        let mut bodies = self.body.iter().map(|text| body(text)).collect::<Result<Vec<_>, _>>()?;
        for text in &self.size {
            let (name, size_text) = text
                .split_once('=')
                .ok_or_else(|| wrong("size", format!("expected NAME=LENGTH, found `{text}`")))?;
            let name = name.trim();
            let place = match bodies.iter().position(|body| body.name == name) {
                Some(place) => place,
                None => {
                    let known = || bodies.iter().chain(system.bodies());
                    let Some(declared) = known().find(|body| body.name == name) else {
                        let names: Vec<&str> = known().map(|body| body.name.as_str()).collect();
                        return Err(wrong("size", unknown(name, "body", &names, "").to_string()));
                    };
                    bodies.push(declared.clone());
                    bodies.len() - 1
                }
            };
            let size = exact(size_text).filter(|size| *size > 0.0 && size.is_finite());
            bodies[place].size = Some(size.ok_or_else(|| {
                wrong("size", format!("`{name}`: expected a positive length, found `{size_text}`"))
            })?);
        }
        Ok(bodies)
    }
}

/// The body of `NAME=X,Y,THETA` or `NAME=SHAPE:X,Y,Z`.
fn body(text: &str) -> Result<Body, Failed> {
    let wrong = |problem: String| Failed::Wrong(format!("--body: {problem}"));
    let (name, place) = text
        .split_once('=')
        .ok_or_else(|| wrong(format!("expected NAME=X,Y,THETA or NAME=ball:X,Y,Z, found `{text}`")))?;
    let (shape, place) = match place.split_once(':') {
        Some((shape, place)) => (named(shape.trim(), "").map_err(|error| wrong(error.to_string()))?, place),
        None => (Shape::Pose, place),
    };
    let name = name.trim().to_owned();
    let place = at_commas(place).into_iter().map(|text| text.trim().to_owned()).collect::<Vec<_>>();
    let place = counted(place, shape).map_err(|problem| wrong(format!("`{name}`: {problem}")))?;
    Ok(Body { name, shape, place, size: None })
}

/// The shape of this name.
fn named(name: &str, field: &str) -> Result<Shape, Malformed> {
    let names = Shape::ALL.map(Shape::name);
    let found = Shape::ALL.into_iter().find(|shape| shape.name() == name);
    found.ok_or_else(|| unknown(name, "shape", &names, field))
}

/// As many expressions as a shape needs.
fn counted(place: Vec<String>, shape: Shape) -> Result<[String; 3], String> {
    place.try_into().map_err(|place: Vec<String>| {
        let found = place.len();
        format!("expected three expressions, {}; found {found}", shape.entries().join(", "))
    })
}

/// The pieces of a text between commas outside of brackets.
fn at_commas(text: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth <= 0 => {
                pieces.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// The bodies of a case: three expressions each, or an object with a shape and perhaps a size.
pub(crate) fn of_case(bodies: &Map<String, Value>) -> Result<Vec<Body>, Malformed> {
    bodies.iter().map(|(name, value)| of_field(name, value)).collect()
}

fn of_field(name: &str, value: &Value) -> Result<Body, Malformed> {
    let field = format!("bodies.{name}");
    let wrong = |problem: String| Malformed::new(field.as_str(), problem);
    let mut size = None;
    let mut found = None;
    match value {
        Value::Array(place) => found = Some((Shape::Pose, place)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("size", value) => {
                        let number = value.as_f64().filter(|size| *size > 0.0);
                        let number =
                            number.ok_or_else(|| wrong("size: expected a positive number".to_owned()));
                        size = Some(number?);
                    }
                    (_, _) if found.is_some() => return Err(wrong("a body has one shape".to_owned())),
                    (shape, Value::Array(place)) => found = Some((named(shape, &field)?, place)),
                    (shape, _) => {
                        let entries = named(shape, &field)?.entries();
                        return Err(wrong(format!("{shape}: expected an array, {}", entries.join(", "))));
                    }
                }
            }
        }
        _ => {}
    }
    let (shape, place) = found.ok_or_else(|| {
        wrong("expected [x, y, theta], {\"pose\": [x, y, theta]} or {\"ball\": [x, y, z]}".to_owned())
    })?;
    let expression = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(wrong(format!("expected an expression, found {other}"))),
    };
    let place = place.iter().map(expression).collect::<Result<Vec<_>, _>>()?;
    let place = counted(place, shape).map_err(wrong)?;
    Ok(Body { name: name.to_owned(), shape, place, size })
}

/// The field of a case for these bodies.
pub(crate) fn field(bodies: &[Body]) -> Value {
    let field = |body: &Body| {
        let place = Value::from(body.place.to_vec());
        if body.shape == Shape::Pose && body.size.is_none() {
            return place;
        }
        let shape = (body.shape.name().to_owned(), place);
        let size = body.size.map(|size| ("size".to_owned(), size.into()));
        Value::Object([shape].into_iter().chain(size).collect())
    };
    Value::Object(bodies.iter().map(|body| (body.name.clone(), field(body))).collect())
}

/// The bodies with their expressions, in the grammar of a system's declaration.
pub(crate) fn read(system: &System, bodies: &[Body]) -> Result<Bodies, Failed> {
    Bodies::of(system, bodies).map_err(|error| failed(error.into()))
}
