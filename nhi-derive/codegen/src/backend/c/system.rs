//! The functions of the system.

use super::function::{Body, fail_if};
use super::{Driven, Text, Unit, all_finite, doc_of};
use crate::lower::{Argument, Function};
use crate::optimised::{Optimised, SystemFunctions};
use crate::program::Role;

impl Unit<'_> {
    /// Adds the parameters, and every function of the system.
    pub(super) fn system(&self, text: &mut Text, optimised: &Optimised) {
        let of_system = &optimised.system;
        let SystemFunctions { energy, momentum, project, acceleration, .. } = of_system;
        let driven = &self.driven;
        text.typedef("Parameters.", &self.members.join("\n"), &format!("{}_parameters", self.name));
        let functions = [energy, momentum, project, acceleration].into_iter();
        functions.chain(&of_system.momentum_basis).for_each(|function| self.plain(text, function, ""));
        if self.m > 0 {
            self.plain(text, &of_system.residual, "");
            self.plain(text, &of_system.residual_scale, "static ");
            let arguments = [("q", self.entries), ("v", self.n)];
            self.vanishes(text, "residual", self.m, &arguments, *driven);
        }
        if let (Some(position), Some(scale)) = (&of_system.position, &of_system.position_scale) {
            self.plain(text, position, "");
            self.plain(text, scale, "static ");
            let count = position.outputs[0].values.len();
            let driven = Driven { by_inputs: false, ..*driven };
            self.vanishes(text, "position", count, &[("q", self.entries)], driven);
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
            let length = argument.values.len();
            let parameter = match argument.role {
                Role::Parameters => "p",
                Role::Inputs => "u",
                _ => argument.role.name(),
            };
            parameters.push(match argument.role {
                Role::Parameters => format!("const {name}_parameters *p"),
                Role::Velocity if in_place => format!("{real} v[{length}]"),
                _ if argument.scalar => format!("{real} {parameter}"),
                _ => self.array(parameter, length),
            });
            inputs.push((argument, parameter));
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
                (0..values.len()).for_each(|i| body.add(&format!("v[{i}] = result[{i}];")));
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
        self.driven.in_time
            || function.read_arguments().any(|argument| argument.role == Role::Time)
            || self.accelerates_by_inputs(function)
    }

    /// Whether inputs are an argument.
    fn takes_inputs(&self, function: &Function) -> bool {
        self.driven.by_inputs || self.accelerates_by_inputs(function)
    }

    fn accelerates_by_inputs(&self, function: &Function) -> bool {
        function.name == "acceleration" && self.inputs > 0
    }

    /// Adds whether the `m` residuals that a function computes vanish up to the rounding of its arguments, as the runtime
    /// decides.
    fn vanishes(&self, text: &mut Text, called: &str, m: usize, arguments: &[(&str, usize)], driven: Driven) {
        let Unit { name, real, .. } = self;
        let time = driven.in_time.then(|| (format!("{real} t"), "t"));
        let inputs = driven.by_inputs.then(|| (self.array("u", self.inputs), "u"));
        let arrays = arguments.iter().map(|&(array, length)| (self.array(array, length), array));
        let (declared, given): (Vec<String>, Vec<&str>) = arrays.chain(time).chain(inputs).unzip();
        let call = |function: &str, result: &str, replaced: &str| {
            let given = given.iter().map(|&name| if name == replaced { "other" } else { name });
            let given: Vec<&str> = given.collect();
            format!("{name}_{function}(p, {}, {result});", given.join(", "))
        };
        let perturbed = |&(array, length): &(&str, usize)| {
            let call = call(called, "moved", array);
            format!(
                "for (int i = 0; i < {length}; ++i) {{
    {real} other[{length}];
    nhi_perturbed({length}, {array}, i, other);
    {call}
    nhi_tolerate({m}, residual, moved, tolerance);
}}
"
            )
        };
        let body = format!(
            "{real} residual[{m}];
{real} tolerance[{m}];
{real} moved[{m}];
{}
{}
nhi_times({m}, tolerance, NHI_R(NHI_RELATIVE), tolerance);
{}return nhi_all_within({m}, residual, tolerance);",
            call(called, "residual", ""),
            call(&format!("{called}_scale"), "tolerance", ""),
            arguments.iter().map(perturbed).collect::<String>(),
        );
        let about = format!("Whether the {called} vanishes up to the rounding of its arguments.");
        let declared = declared.join(", ");
        let head = format!("static int {name}_{called}_vanishes(const {name}_parameters *p, {declared})");
        text.function(&about, &head, &body);
    }
}
