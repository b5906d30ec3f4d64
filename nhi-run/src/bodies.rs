//! Bodies in pictures, whose places are expressions in the grammar of a declaration.

use crate::apart::{Phase, apart};
use crate::error::{DeclarationError, Mistake};
use crate::expressions::{Text, evaluate, with_texts};
use crate::recording::{Column, Quantity, RecordedBody, Recording};
use crate::system::System;
use nhi_codegen::system;
pub use nhi_codegen::system::BodyShape as Shape;
use nhi_jit::Point;

/// A body in pictures.
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    /// What the picture calls it.
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// Where it is: three expressions in the grammar of `let`.
    pub place: [String; 3],
    /// Its length, of a ball the diameter, in the unit of the coordinates. Left out, it is chosen for the picture.
    pub size: Option<f64>,
}

/// Bodies of a system, whose expressions have been read.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    bodies: Vec<Body>,
    /// The places of all bodies, three expressions of each, and the system that they belong to. None where there are no bodies.
    places: Option<(system::System, Vec<system::Definition>)>,
}

impl Bodies {
    /// Reads the expressions of the bodies of the declaration and of `bodies`, which replace those of their names. They can use names of `let` and outputs of the system.
    ///
    /// # Errors
    /// Names that are none or are given twice, sizes that are not positive, and mistakes in expressions, in a text with the name of
    /// the body.
    pub fn of(system: &System, bodies: &[Body]) -> Result<Bodies, DeclarationError> {
        let mut mistakes = Vec::new();
        for (i, Body { name, size, .. }) in bodies.iter().enumerate() {
            // With its indices in a family.
            let mut letters = name.split('[').next().unwrap_or_default().chars();
            let is_name = letters.next().is_some_and(|c| c == '_' || c.is_alphabetic())
                && letters.all(|c| c == '_' || c.is_alphanumeric());
            if !is_name {
                mistakes.push(Mistake::new(format!("the body `{name}` has no name: expected an identifier")));
            } else if bodies[..i].iter().any(|other| other.name == *name) {
                mistakes.push(Mistake::new(format!("the body `{name}` is given twice")));
            }
            if let Some(size) = size.filter(|size| !(*size > 0.0 && size.is_finite())) {
                let message = format!("the size of the body `{name}` must be positive, found {size}");
                mistakes.push(Mistake::new(message));
            }
        }
        if !mistakes.is_empty() {
            return Err(DeclarationError { mistakes });
        }
        let mut all = system.bodies().to_vec();
        for body in bodies {
            match all.iter_mut().find(|declared| declared.name == body.name) {
                Some(declared) => *declared = body.clone(),
                None => all.push(body.clone()),
            }
        }
        let bodies = all;
        if bodies.is_empty() {
            return Ok(Bodies::default());
        }
        let names: Vec<String> = bodies.iter().map(|body| format!("the body `{}`", body.name)).collect();
        let wholes: Vec<String> = bodies.iter().map(|body| body.place.join(", ")).collect();
        let mut texts = Vec::new();
        for ((body, called), whole) in bodies.iter().zip(&names).zip(&wholes) {
            let mut start = 0;
            for expression in &body.place {
                texts.push(Text { called, whole, range: start..start + expression.len() });
                start += expression.len() + ", ".len();
            }
        }
        let read = || with_texts(system.source(), system.name(), system.further_outputs(), &texts, ["", ""]);
        let places = apart(Phase::Derivation, read)
            .unwrap_or_else(|bug| Err(DeclarationError::one(Mistake::new(bug))))?;
        Ok(Bodies { bodies, places: Some(places) })
    }

    /// What the entries of the places of bodies are called in pictures: `trailer.x`, `trailer.y`, `trailer.theta`.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        let entries = |body: &Body| body.shape.entries().map(|entry| format!("{}.{entry}", body.name));
        self.bodies.iter().flat_map(entries)
    }

    /// Adds the bodies to a recording of the system.
    pub fn place(&self, recording: &mut Recording) {
        let Some((system, places)) = &self.places else { return };
        let columns = |quantity| recording.all(quantity).map(|column| &column.values).collect::<Vec<_>>();
        let [t, q, v, z, lambda, inputs] = [
            Quantity::Time,
            Quantity::Coordinate,
            Quantity::Velocity,
            Quantity::State,
            Quantity::Multiplier,
            Quantity::Input,
        ]
        .map(columns);
        let parameters: Vec<f64> = recording.about.parameters.iter().map(|(_, value)| *value).collect();
        let mut values = vec![Vec::with_capacity(recording.samples()); places.len()];
        for k in 0..recording.samples() {
            let row = |columns: &[&Vec<f64>]| columns.iter().map(|column| column[k]).collect::<Vec<_>>();
            let [q, v, z, lambda, inputs] = [&q, &v, &z, &lambda, &inputs].map(|columns| row(columns));
            let t = t.first().map_or(0.0, |t| t[k]);
            let at = Point { parameters: &parameters, q: &q, v: &v, z: &z, t, inputs: &inputs };
            for (values, value) in values.iter_mut().zip(evaluate(system, places, &at, &lambda)) {
                values.push(value);
            }
        }
        let mut values = values.into_iter();
        for body in &self.bodies {
            let place = body.place.each_ref().map(|expression| Column {
                name: expression.trim().to_owned(),
                quantity: Quantity::Output,
                values: values.next().unwrap_or_default(),
            });
            let (name, shape, size) = (body.name.clone(), body.shape, body.size);
            recording.bodies.push(RecordedBody { name, shape, size, place });
        }
    }
}
