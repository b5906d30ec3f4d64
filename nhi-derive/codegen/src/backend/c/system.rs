//! The functions of the system.

use super::balance::{HERE, Point};
use super::function::{Parameter, Printed, STATUS, stored};
use super::{Text, Unit, doc_of};
use crate::expr::group::Block;
use crate::functions::OfSystem;
use crate::lower::{Argument, Function, Output};
use crate::program::Role;
use nhi_methods::Retraction;

impl Unit<'_> {
    /// Adds the parameters, and every function of the system.
    pub(super) fn system(&self, text: &mut Text) {
        let of_system = &self.optimised.system;
        let OfSystem { energy, momentum, project, acceleration, .. } = of_system;
        text.typedef("Parameters.", &self.members.join("\n"), &format!("{}_parameters", self.name));
        let once = Function { name: "project_once".into(), ..project.clone() };
        let functions = [energy, momentum, acceleration].into_iter();
        functions.chain(&of_system.momentum_basis).for_each(|function| self.plain(text, function, ""));
        if self.m > 0 {
            self.plain(text, &of_system.residual, "");
            self.plain(text, &of_system.residual_scale, "static ");
            self.vanishes(text, &of_system.residual, &of_system.residual_scale);
            self.plain(text, &once, "static ");
            self.project(text, &once, &of_system.residual);
        } else {
            self.plain(text, project, "");
        }
        if let (Some(position), Some(scale)) = (&of_system.position, &of_system.position_scale) {
            self.plain(text, position, "");
            self.plain(text, scale, "static ");
            self.vanishes(text, position, scale);
        }
        if let Some(basis) = &self.optimised.basis {
            self.plain(text, basis, "");
            self.optimised.basis_derivative.iter().for_each(|function| self.plain(text, function, ""));
            self.manifold(text);
        }
    }

    /// Adds the projection of a velocity, repeated until the residual is rounding of the result, as the runtime does.
    fn project(&self, text: &mut Text, once: &Function, residual: &Function) {
        let (name, real, n) = (&self.name, self.real, self.n);
        let passed = once.arguments.iter().filter(|argument| self.is_passed(once, argument));
        let inputs = passed.filter_map(|argument| match parameter(&argument.role) {
            "v" => Some(format!("{real} v[{n}]")),
            name => self.parameter(name),
        });
        let inputs: Vec<String> = inputs.collect();
        let passed = residual.arguments.iter().filter(|argument| self.is_passed(residual, argument));
        let passed: Vec<&str> = passed.map(|argument| parameter(&argument.role)).collect();
        let vanishes = format!("{name}_{}_vanishes({})", residual.name, passed.join(", "));
        let once = self.call(once, HERE, "");
        let body = format!(
            "{STATUS} status = {once};
const double first = nhi_largest({n}, v);
int i = 0;
while (status == NHI_OK && i < 256 && !{vanishes}) {{
    nhi_flush(v, {n});
    status = {once};
    ++i;
}}
if (status == NHI_OK && i == 256 && nhi_largest({n}, v) > 2.0 * first) {{
    /* Dependent up to rounding. */
    status = NHI_SINGULAR_CONSTRAINTS;
}}
return status;"
        );
        let head = format!("{STATUS} {name}_project({})", inputs.join(", "));
        let about = "Nearest admissible velocity in the kinetic-energy metric, with a residual that is rounding of its own.";
        text.function(about, &head, &body);
    }

    /// Adds the displacement of states by tangent vectors, and its inverse.
    fn manifold(&self, text: &mut Text) {
        let (name, real, facts) = (&self.name, self.real, &self.optimised.facts);
        let (d, nx, shape) = (facts.quasi_velocities(), facts.tangent_coordinates(), facts.shape);
        // Of x, by their names and where they begin in a tangent vector.
        let others = [("nu", d, self.n), ("states", self.states, self.n + d)];
        let others = || others.iter().filter(|(_, length, _)| *length > 0);
        let state = |suffix: &str, is_result: bool| {
            let arrays = others().map(|&(array, length, _)| (array, length));
            let arrays = [("q", self.entries)].into_iter().chain(arrays).map(|(array, length)| {
                let declared = format!("{array}{suffix}");
                if is_result { format!("{real} {declared}[{length}]") } else { self.array(&declared, length) }
            });
            arrays.collect::<Vec<_>>().join(", ")
        };
        let each = |length: usize, statement: String| match length {
            0 => String::new(),
            _ => format!("for (int i = 0; i < {length}; ++i) {{\n    {statement}\n}}\n"),
        };
        let mut moved = each(shape, "q1[i] = q[i] + delta[i];".to_owned());
        let mut between = each(shape, "delta[i] = q1[i] - q[i];".to_owned());
        for Block { group, pose, velocity } in facts.group.blocks(shape) {
            let (group, pose, velocity) = (group.runtime.to_lowercase(), pose.start, velocity.start);
            moved.push_str(&format!("nhi_{group}_displaced(q + {pose}, delta + {velocity}, q1 + {pose});\n"));
            between.push_str(&format!(
                "nhi_{group}_displacement(q + {pose}, q1 + {pose}, delta + {velocity});\n"
            ));
        }
        for &(array, length, first) in others() {
            moved.push_str(&each(length, format!("{array}1[i] = {array}[i] + delta[{first} + i];")));
            between.push_str(&each(length, format!("delta[{first} + i] = {array}1[i] - {array}[i];")));
        }
        text.function(
            "x ⊕ δ: the state (q1, nu1) to which a tangent vector displaces (q, nu), in another place. Poses are displaced by\n\
             g exp(δg), all others by addition.",
            &format!(
                "void {name}_retract({}, {}, {})",
                state("", false),
                self.array("delta", nx),
                state("1", true)
            ),
            &moved,
        );
        text.function(
            "The tangent vector δ with x ⊕ δ = x1: log(g⁻¹g1) of poses, with the smallest rotation, and differences of all\n\
             others.",
            &format!("void {name}_difference({}, {}, {real} delta[{nx}])", state("", false), state("1", false)),
            &between,
        );
    }

    /// Adds a function with arguments by their roles and results by pointers. A velocity is the result in place of the
    /// one that is given, which a failure leaves as it is.
    fn plain<'a>(&'a self, text: &mut Text, function: &'a Function, linkage: &'static str) {
        let (name, real) = (&self.name, self.real);
        let first = &function.outputs[0];
        let in_place = first.role == Role::Velocity;
        let inputs = function.arguments.iter().filter(|argument| self.is_passed(function, argument));
        let inputs = inputs.filter_map(|argument| match parameter(&argument.role) {
            "v" if in_place => Some(("v", format!("{real} v[{}]", self.n))),
            name => Some((name, self.parameter(name)?)),
        });
        let out = |output: &'a Output| match &output.role {
            Role::Acceleration => "dv",
            Role::Named(name) if function.outputs.len() > 1 => name,
            Role::Named(_) => "out",
            role => role.name(),
        };
        let printed = Printed {
            function,
            about: doc_of(function),
            head: (
                linkage,
                if first.scalar {
                    real
                } else if function.can_fail() {
                    STATUS
                } else {
                    "void"
                },
                format!("{name}_{}", function.name),
            ),
            inputs: inputs.collect(),
            results: if in_place || first.scalar { Vec::new() } else { self.results(function, out) },
            variables: if in_place {
                format!("{real} result[{}];", first.values.len())
            } else {
                String::new()
            },
            counts: false,
            retraction: Retraction::Exp,
        };
        printed.add(
            text,
            real,
            |argument, i| self.number(argument, i),
            |_, output| match in_place {
                true => (
                    stored("result", output).0,
                    Some(format!("nhi_replace({}, result, v)", output.values.len())),
                ),
                false => stored(out(output), output),
            },
        );
    }

    /// The parameters that results are written to, with these names.
    pub(super) fn results<'a>(
        &self,
        function: &'a Function,
        name: impl Fn(&'a Output) -> &'a str,
    ) -> Vec<Parameter<'a>> {
        let results = function.whole().filter(|output| !output.values.is_empty());
        results.map(|result| (name(result), self.declared(name(result), result))).collect()
    }

    /// An array for results.
    pub(super) fn declared(&self, name: &str, results: &Output) -> String {
        format!("{} {name}[{}]", self.real, results.values.len())
    }

    /// The parameter of an argument, and the place of one of its numbers there.
    pub(super) fn number<'a>(&self, argument: &'a Argument, i: usize) -> (&'a str, String) {
        let parameter = parameter(&argument.role);
        let place = match argument.role {
            Role::Parameters => format!("p->{}", self.numbers[i]),
            _ if argument.scalar => parameter.to_owned(),
            _ => format!("{parameter}[{i}]"),
        };
        (parameter, place)
    }

    /// Whether the function in C takes an argument: time and inputs also where this system does without them, but others of
    /// its functions do not.
    pub(super) fn is_passed(&self, function: &Function, argument: &Argument) -> bool {
        let is_driven = function.outputs[0].role == Role::Acceleration && self.inputs > 0;
        let reads_time = || function.read_arguments().any(|argument| argument.role == Role::Time);
        match argument.role {
            Role::States => self.states > 0,
            Role::Time => self.optimised.facts.time_dependent || is_driven || reads_time(),
            Role::Inputs => self.inputs > 0 && (self.optimised.facts.driven || is_driven),
            _ => true,
        }
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
        let parameters: Vec<&str> = passed.map(|argument| parameter(&argument.role)).collect();
        let parameters = self.parameters(&parameters);
        let about = format!("Whether the {called} vanishes up to the rounding of its arguments.");
        text.function(&about, &format!("static int {name}_{called}_vanishes({parameters})"), &body);
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
