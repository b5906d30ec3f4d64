//! The functions of the system.

use super::balance::{HERE, Point};
use super::function::{Body, fail_if};
use super::{Text, Unit, all_finite, doc_of};
use crate::lower::{Argument, Function};
use crate::optimised::{Optimised, SystemFunctions};
use crate::program::Role;

impl Unit<'_> {
    /// Adds the parameters, and every function of the system.
    pub(super) fn system(&self, text: &mut Text, optimised: &Optimised) {
        let of_system = &optimised.system;
        let SystemFunctions { energy, momentum, project, acceleration, .. } = of_system;
        text.typedef("Parameters.", &self.members.join("\n"), &format!("{}_parameters", self.name));
        let functions = [energy, momentum, project, acceleration].into_iter();
        functions.chain(&of_system.momentum_basis).for_each(|function| self.plain(text, function, ""));
        if self.m > 0 {
            self.plain(text, &of_system.residual, "");
            self.plain(text, &of_system.residual_scale, "static ");
            self.vanishes(text, &of_system.residual, &of_system.residual_scale);
        }
        if let (Some(position), Some(scale)) = (&of_system.position, &of_system.position_scale) {
            self.plain(text, position, "");
            self.plain(text, scale, "static ");
            self.vanishes(text, position, scale);
        }
    }

    /// Adds a function with arguments by their roles and results by pointers. A velocity is the result in place of the
    /// one that is given.
    fn plain(&self, text: &mut Text, function: &Function, linkage: &str) {
        let (name, real) = (&self.name, self.real);
        let in_place = function.outputs[0].role == Role::Velocity;
        let mut parameters = Vec::new();
        let mut inputs = Vec::new();
        for argument in function.arguments.iter().filter(|argument| self.is_passed(function, argument)) {
            parameters.push(match argument.role {
                Role::Velocity if in_place => format!("{real} v[{}]", argument.values.len()),
                _ => self.declared(argument),
            });
            inputs.push((argument, parameter(&argument.role)));
        }
        let returns_number = function.outputs[0].scalar;
        let outputs = function.outputs.iter().filter(|o| !o.values.is_empty() && !o.scalar);
        let outputs = outputs.map(|output| match &output.role {
            Role::Named(name) if name == "a" => (output, "dv".to_owned()),
            Role::Named(name) if function.outputs.len() > 1 => (output, super::identifier(name)),
            Role::Named(_) => (output, "out".to_owned()),
            role => (output, role.name().to_owned()),
        });
        let outputs: Vec<_> = outputs.collect();
        let declared = outputs.iter().filter(|_| !in_place);
        parameters.extend(declared.map(|(output, out)| format!("{real} {out}[{}]", output.values.len())));
        let can_fail = function.outputs.iter().any(|o| matches!(o.role, Role::Velocity | Role::Multipliers));
        let taken =
            inputs.iter().map(|(_, parameter)| *parameter).chain(outputs.iter().map(|(_, out)| out.as_str()));
        let taken: Vec<&str> = taken.chain(["p", "result"]).collect();
        let mut body = Body::new(function, &taken, real, "exp");
        let mut unused = String::new();
        for (argument, parameter) in inputs {
            let is_used = body.load(argument, |i| match argument.role {
                Role::Parameters => format!("p->{}", self.parameters[i]),
                _ if argument.scalar => parameter.to_owned(),
                _ => format!("{parameter}[{i}]"),
            });
            if !(is_used || in_place && parameter == "v") {
                unused.push_str(&format!("(void){parameter};\n"));
            }
        }
        body.add(&unused);
        body.statements(&function.body);
        if returns_number {
            let value = body.operands(&function.outputs[0].values).concat();
            body.add(&format!("return {value};"));
        }
        let mut checks = Vec::new();
        for (output, out) in &outputs {
            let values = body.operands(&output.values);
            if in_place {
                // A failure leaves the argument as it is.
                body.array(&format!("const {real}"), "result", &values);
                body.add(&fail_if(&format!("!nhi_all_finite(result, {})", values.len()), "NHI_NON_FINITE"));
                body.add(&format!("nhi_copy({}, result, v);", values.len()));
            } else {
                body.store(&values, |i| format!("{out}[{i}]"));
                checks.extend(all_finite(out, values.len()));
            }
        }
        if can_fail {
            body.return_status(&checks);
        }
        let ty = match (returns_number, can_fail) {
            (true, _) => real,
            (_, true) => "nhi_status",
            (_, false) => "void",
        };
        let head = format!("{linkage}{ty} {name}_{}({})", function.name, parameters.join(", "));
        text.function(&doc_of(function), &head, &body.text);
    }

    /// The declaration of a parameter.
    fn declared(&self, argument: &Argument) -> String {
        match parameter(&argument.role) {
            "p" => format!("const {}_parameters *p", self.name),
            parameter if argument.scalar => format!("{} {parameter}", self.real),
            parameter => self.array(parameter, argument.values.len()),
        }
    }

    /// Whether the function in C takes an argument.
    pub(super) fn is_passed(&self, function: &Function, argument: &Argument) -> bool {
        match argument.role {
            Role::States => !argument.values.is_empty(),
            Role::Time => self.takes_time(function),
            Role::Inputs => !argument.values.is_empty() && self.takes_inputs(function),
            _ => true,
        }
    }

    /// Whether the time is an argument.
    fn takes_time(&self, function: &Function) -> bool {
        self.in_time
            || function.read_arguments().any(|argument| argument.role == Role::Time)
            || self.accelerates_by_inputs(function)
    }

    /// Whether inputs are an argument.
    fn takes_inputs(&self, function: &Function) -> bool {
        self.by_inputs || self.accelerates_by_inputs(function)
    }

    fn accelerates_by_inputs(&self, function: &Function) -> bool {
        function.name == "acceleration" && self.inputs > 0
    }

    /// Adds whether the residuals that a function computes vanish up to the rounding of its arguments, as the runtime
    /// decides.
    fn vanishes(&self, text: &mut Text, function: &Function, scale: &Function) {
        let (Unit { name, real, .. }, called) = (self, &function.name);
        let m = function.outputs[0].values.len();
        let passed = function.arguments.iter().filter(|argument| self.is_passed(function, argument));
        let mut perturbed = String::new();
        for argument in passed.clone() {
            let (array, length) = (parameter(&argument.role), argument.values.len());
            let moved = match array {
                "q" => Point { q: "other", ..HERE },
                "v" => Point { v: "other", ..HERE },
                _ => continue,
            };
            let call = self.call(function, moved, "moved");
            perturbed.push_str(&format!(
                "for (int i = 0; i < {length}; ++i) {{
    {real} other[{length}];
    nhi_perturbed({length}, {array}, i, other);
    {call};
    nhi_tolerate({m}, residual, moved, tolerance);
}}
"
            ));
        }
        let [residual, tolerance] =
            [self.call(function, HERE, "residual"), self.call(scale, HERE, "tolerance")];
        let body = format!(
            "{real} residual[{m}];
{real} tolerance[{m}];
{real} moved[{m}];
{residual};
{tolerance};
nhi_times({m}, tolerance, NHI_R(NHI_RELATIVE), tolerance);
{perturbed}return nhi_all_within({m}, residual, tolerance);"
        );
        let declared = passed.map(|argument| self.declared(argument)).collect::<Vec<_>>().join(", ");
        let about = format!("Whether the {called} vanishes up to the rounding of its arguments.");
        text.function(&about, &format!("static int {name}_{called}_vanishes({declared})"), &body);
    }
}

/// The name of the parameter of an argument.
fn parameter(role: &Role) -> &str {
    match role {
        Role::Parameters => "p",
        Role::Inputs => "u",
        role => role.name(),
    }
}
