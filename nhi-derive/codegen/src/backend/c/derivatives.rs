//! The derivatives of the step of a method.

use super::function::Body;
use super::method::Method;
use super::{Text, all_finite, doc_of};
use crate::lower::Function;
use crate::program::Role;
use nhi_methods::{Retraction, Variant};

/// Parameters of these functions that are no results.
const PARAMETERS: [&str; 5] = ["sim", "p", "u", "w", "t"];

impl Method<'_, '_> {
    /// Adds the derivatives, if they are asked for. Those of a composition are products of these, and the tangents of other
    /// retractions are not those of the motion.
    pub(super) fn derivatives(&self, text: &mut Text) {
        let Variant { composition, retraction, .. } = self.variant;
        let are_known = composition.is_none() && matches!(retraction, Retraction::Exp | Retraction::Cayley);
        let first = self.functions.derivatives.iter().flat_map(|derivatives| derivatives.all());
        let all = first.chain(&self.functions.curvature).filter(|_| are_known);
        all.for_each(|function| self.derivative(text, function));
    }

    fn derivative(&self, text: &mut Text, function: &Function) {
        let Method { unit, name, .. } = self;
        let real = unit.real;
        let outputs: Vec<_> = function.outputs.iter().filter(|output| !output.values.is_empty()).collect();
        let names: Vec<String> = outputs
            .iter()
            .map(|output| match output.role.name() {
                "h" => "by_h".to_owned(),
                name => name.to_owned(),
            })
            .collect();
        let taken: Vec<&str> = PARAMETERS.into_iter().chain(names.iter().map(String::as_str)).collect();
        let mut body = Body::new(function, &taken, real, self.variant.retraction.id());
        let mut parameters = vec![format!("const {name} *sim"), format!("const {}_parameters *p", unit.name)];
        let (mut reads_sim, mut reads_p) = (false, false);
        for argument in &function.arguments {
            let is_used = body.load(argument, |i| match &argument.role {
                Role::Parameters => format!("p->{}", unit.parameters[i]),
                Role::StepSize => "sim->h".to_owned(),
                Role::Time => format!("(({real})sim->steps * sim->h)"),
                Role::Inputs => format!("u[{i}]"),
                Role::Named(name) => format!("{name}[{i}]"),
                role => format!("sim->node.{}[{i}]", role.name()),
            });
            let array = match &argument.role {
                Role::Parameters => {
                    reads_p |= is_used;
                    continue;
                }
                Role::Inputs => "u",
                Role::Named(name) => name,
                _ => {
                    reads_sim |= is_used;
                    continue;
                }
            };
            if !argument.values.is_empty() {
                parameters.push(unit.array(array, argument.values.len()));
                if !is_used {
                    body.add(&format!("(void){array};"));
                }
            }
        }
        for (parameter, is_read) in [("sim", reads_sim), ("p", reads_p)] {
            if !is_read {
                body.add(&format!("(void){parameter};"));
            }
        }
        body.statements(&function.body);
        let mut checks = Vec::new();
        for (output, out) in outputs.iter().zip(&names) {
            let values = body.operands(&output.values);
            parameters.push(format!("{real} {out}[{}]", values.len()));
            body.store(&values, |i| format!("{out}[{i}]"));
            checks.extend(all_finite(out, values.len()));
        }
        body.return_status(&checks);
        let about = format!(
            "{}\nThe step is the one that {name}_step takes next from *sim, with the parameters that it was started with.",
            doc_of(function)
        );
        let head = format!("nhi_status {name}_{}({})", function.name, parameters.join(", "));
        text.function(&about, &head, &body.text);
    }
}
