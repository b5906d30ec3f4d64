//! The functions of the system.

use super::function::Body;
use super::{Unit, all_finite, list};
use crate::lower::{Function, Statement};
use crate::optimised::{Optimised, SystemFunctions};
use crate::program::Role;

impl Unit<'_> {
    /// Declarations and definitions: the parameters, and every function of the system.
    pub(super) fn system(&self, optimised: &Optimised) -> (String, String) {
        let SystemFunctions {
            energy,
            momentum,
            residual,
            residual_scale,
            project,
            acceleration,
            momentum_basis,
        } = &optimised.system;
        let name = &self.name;
        let mut header = format!(
            "/* Parameters. */\ntypedef struct {{\n    {}\n}} {name}_parameters;\n\n",
            self.members.join("\n    ")
        );
        let mut source = String::new();
        let mut public = |of: &Function, called: &str, in_place: bool| {
            let (declared, defined) = self.plain(of, called, in_place, "");
            header.push_str(&declared);
            source.push_str(&defined);
        };
        public(energy, "energy", false);
        public(momentum, "momentum", false);
        public(project, "project", true);
        public(acceleration, "acceleration", false);
        momentum_basis.iter().for_each(|basis| public(basis, "momentum_basis", false));
        if self.m > 0 {
            public(residual, "residual", false);
            source.push_str(&self.plain(residual_scale, "residual_scale", false, "static ").1);
            source.push_str(&self.admissible());
        }
        (header, source)
    }

    /// Declaration and definition of a function with arguments by their roles and results by pointers; `in_place`: in
    /// the last array of the arguments.
    fn plain(&self, function: &Function, called: &str, in_place: bool, linkage: &str) -> (String, String) {
        let (name, real) = (&self.name, self.real);
        let mut parameters = Vec::new();
        let mut loads: Vec<(usize, String)> = Vec::new();
        let uses = function.uses();
        let mut unused = Vec::new();
        for (i, argument) in function.arguments.iter().enumerate() {
            let length = argument.values.len();
            let is_used = argument.values.iter().any(|value| uses[value.index()] > 0);
            let parameter = match argument.role {
                Role::Parameters => "p",
                Role::Configuration => "q",
                Role::Velocity => "v",
                Role::Time if !is_used && self.inputs == 0 => continue,
                Role::Time => "t",
                Role::Inputs if length == 0 => continue,
                Role::Inputs => "u",
                _ => argument.role.name(),
            };
            let is_out = in_place && argument.role == Role::Velocity;
            parameters.push(match argument.role {
                Role::Parameters => format!("const {name}_parameters *p"),
                _ if argument.scalar => format!("{real} {parameter}"),
                _ if is_out => format!("{real} {parameter}[{length}]"),
                _ => self.array(parameter, length),
            });
            if !is_used && !is_out {
                unused.push(parameter.to_owned());
            }
            loads.push((i, parameter.to_owned()));
        }
        let mut outs = Vec::new();
        let returns_number = matches!(function.outputs.as_slice(), [one] if one.scalar);
        for output in function.outputs.iter().filter(|o| !o.values.is_empty() && !returns_number) {
            let out = match &output.role {
                Role::Velocity if in_place => "v".to_owned(),
                Role::Named(name) if name == "a" => "dv".to_owned(),
                Role::Multipliers => "lambda".to_owned(),
                Role::Named(other) if function.outputs.len() > 1 => super::identifier(other),
                _ => "out".to_owned(),
            };
            if !(in_place && out == "v") {
                parameters.push(format!("{real} {out}[{}]", output.values.len()));
            }
            outs.push(out);
        }
        let can_fail = [Role::Velocity, Role::Multipliers]
            .iter()
            .any(|role| function.outputs.iter().any(|o| o.role == *role))
            || function.body.iter().any(|s| matches!(s, Statement::Pivot { .. }));
        let taken: Vec<String> = loads
            .iter()
            .map(|(_, name)| name.clone())
            .chain(outs.iter().cloned())
            .chain(["p".into(), "result".into()])
            .collect();
        let mut body = Body::new(function, &taken, real, "exp");
        for (i, parameter) in loads {
            let argument = &function.arguments[i];
            match argument.role {
                Role::Parameters => body.load(&argument.values, |i| format!("p->{}", self.parameters[i])),
                _ if argument.scalar => body.alias(argument.values[0], &parameter),
                _ => body.load(&argument.values, |i| format!("{parameter}[{i}]")),
            }
        }
        unused.iter().for_each(|parameter| body.line(&format!("(void){parameter};")));
        body.statements(&function.body);
        if returns_number {
            let value = body.operands(&function.outputs[0].values).join("");
            body.line(&format!("return {value};"));
        } else {
            let outputs: Vec<_> = function.outputs.iter().filter(|o| !o.values.is_empty()).collect();
            for (output, out) in outputs.iter().zip(&outs) {
                let values = body.operands(&output.values);
                if in_place {
                    // A failure leaves the argument as it is.
                    let length = values.len();
                    body.line(&format!("const {real} result[{length}] = {{{}}};", values.join(", ")));
                    body.line(&format!("if (!nhi_all_finite(result, {length})) {{"));
                    body.line("    return NHI_NON_FINITE;");
                    body.line("}");
                    (0..length).for_each(|i| body.line(&format!("{out}[{i}] = result[{i}];")));
                } else {
                    for (i, value) in values.into_iter().enumerate() {
                        body.line(&format!("{out}[{i}] = {value};"));
                    }
                }
            }
            if in_place {
                body.line("return NHI_OK;");
            } else if can_fail {
                let checks: Vec<String> = outputs
                    .iter()
                    .zip(&outs)
                    .filter_map(|(o, out)| all_finite(out, o.values.len()))
                    .collect();
                body.line(&format!("return {} ? NHI_OK : NHI_NON_FINITE;", checks.join(" && ")));
            }
        }
        let ty = match (returns_number, can_fail) {
            (true, _) => real,
            (_, true) => "nhi_status",
            (_, false) => "void",
        };
        let mut doc = function.doc.clone();
        doc.push(format!("Operations: {}.", function.operations));
        let (doc, head) = (self.doc(&doc), format!("{linkage}{ty} {name}_{called}({})", list(&parameters)));
        (format!("{doc}{head};\n\n"), format!("{head}\n{{\n{}}}\n\n", body.finish()))
    }

    /// Whether a velocity satisfies the constraints up to the rounding of q and v, as the runtime decides.
    fn admissible(&self) -> String {
        let Unit { name, real, entries, n, m, .. } = self;
        let relative = if *real == "float" { "(float)(16.0 * NHI_EPSILON)" } else { "1e-10" };
        let cancelled = if *real == "float" { "(float)(4.0 * NHI_EPSILON)" } else { "1e-15" };
        let perturbed = |length: usize, of: &str, call: &str| {
            format!(
                "    for (int i = 0; i < {length}; ++i) {{
        {real} largest = 0;
        {real} moved[{length}];
        for (int j = 0; j < {length}; ++j) {{
            const {real} size = {of}[j] < 0 ? -{of}[j] : {of}[j];
            largest = size > largest ? size : largest;
            moved[j] = {of}[j];
        }}
        moved[i] = moved[i] + ({relative} * ({of}[i] < 0 ? -{of}[i] : {of}[i]) + {cancelled} * largest);
        {name}_residual(p, {call}, other);
        for (int a = 0; a < {m}; ++a) {{
            const {real} change = other[a] < residual[a] ? residual[a] - other[a] : other[a] - residual[a];
            tolerance[a] = tolerance[a] + (nhi_is_finite((double)change) ? change : 0);
        }}
    }}
"
            )
        };
        format!(
            "static int {name}_is_admissible(const {name}_parameters *p, const {real} q[{entries}], const {real} v[{n}])
{{
    {real} residual[{m}];
    {real} tolerance[{m}];
    {real} other[{m}];
    {name}_residual(p, q, v, residual);
    {name}_residual_scale(p, q, v, tolerance);
    for (int a = 0; a < {m}; ++a) {{
        tolerance[a] = {relative} * tolerance[a];
    }}
{}{}    for (int a = 0; a < {m}; ++a) {{
        const {real} size = residual[a] < 0 ? -residual[a] : residual[a];
        if (!(size <= tolerance[a])) {{
            return 0;
        }}
    }}
    return 1;
}}

",
            perturbed(*entries, "q", "moved, v"),
            perturbed(*n, "v", "q, moved"),
        )
    }
}
