//! The functions of the system.

use super::function::{Body, fail_if};
use super::{Unit, all_finite, declared_and_defined, doc_of, typedef};
use crate::lower::Function;
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
        let mut header = typedef("Parameters.", &self.members, &format!("{}_parameters", self.name));
        let mut source = String::new();
        let public = [energy, momentum, project, acceleration].into_iter().chain(momentum_basis);
        for function in public.chain((self.m > 0).then_some(residual)) {
            let (declared, defined) = self.plain(function, "");
            header.push_str(&declared);
            source.push_str(&defined);
        }
        if self.m > 0 {
            source.push_str(&self.plain(residual_scale, "static ").1);
            source.push_str(&self.admissible());
        }
        (header, source)
    }

    /// Declaration and definition of a function with arguments by their roles and results by pointers. A velocity is
    /// the result in place of the one that is given.
    fn plain(&self, function: &Function, linkage: &str) -> (String, String) {
        let (name, real) = (&self.name, self.real);
        let in_place = function.outputs[0].role == Role::Velocity;
        let uses = function.uses();
        let mut parameters = Vec::new();
        let mut inputs = Vec::new();
        for argument in &function.arguments {
            let length = argument.values.len();
            let is_used = argument.values.iter().any(|value| uses[value.index()] > 0);
            let parameter = match argument.role {
                Role::Parameters => "p",
                Role::Time if !is_used && self.inputs == 0 => continue,
                Role::Inputs if length == 0 => continue,
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
        let outputs: Vec<_> = outputs
            .map(|output| {
                let out = match &output.role {
                    Role::Velocity => "v".to_owned(),
                    Role::Named(name) if name == "a" => "dv".to_owned(),
                    Role::Multipliers => "lambda".to_owned(),
                    Role::Named(other) if function.outputs.len() > 1 => super::identifier(other),
                    _ => "out".to_owned(),
                };
                (output, out)
            })
            .collect();
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
            if !is_used && !(in_place && parameter == "v") {
                unused.push_str(&format!("(void){parameter};\n"));
            }
        }
        body.add(&unused);
        body.statements(&function.body);
        if returns_number {
            let value = body.operands(&function.outputs[0].values).concat();
            body.add(&format!("return {value};"));
        }
        for (output, out) in &outputs {
            let values = body.operands(&output.values);
            if in_place {
                // A failure leaves the argument as it is.
                body.array(&format!("const {real}"), "result", &values);
                body.add(&fail_if(&format!("!nhi_all_finite(result, {})", values.len()), "NHI_NON_FINITE"));
                let results: Vec<String> = (0..values.len()).map(|i| format!("result[{i}]")).collect();
                body.store(&results, |i| format!("v[{i}]"));
                body.add("return NHI_OK;");
            } else {
                body.store(&values, |i| format!("{out}[{i}]"));
            }
        }
        if can_fail && !in_place {
            let checks = outputs.iter().filter_map(|(output, out)| all_finite(out, output.values.len()));
            let checks: Vec<String> = checks.collect();
            body.add(&format!("return {} ? NHI_OK : NHI_NON_FINITE;", checks.join(" && ")));
        }
        let ty = match (returns_number, can_fail) {
            (true, _) => real,
            (_, true) => "nhi_status",
            (_, false) => "void",
        };
        let head = format!("{linkage}{ty} {name}_{}({})", function.name, parameters.join(", "));
        declared_and_defined(&doc_of(function), &head, &body.finish())
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
