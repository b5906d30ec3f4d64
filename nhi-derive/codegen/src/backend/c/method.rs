//! The functions of a method: a simulation as plain data.

use super::composition::Substeps;
use super::function::{Parameter, Printed, STATUS, comment, fail_if, guard, stored};
use super::{Text, Unit, all_finite, doc_of, members};
use crate::expr::group::Part;
use crate::lower::{Argument, Function, Output};
use crate::optimised::{MethodFunctions, Number};
use crate::program::{Derivative, Role, StateKind};
use nhi_methods::{Retraction, Variant};

/// Steps between two re-synchronisations of sines and cosines, and between two flushes of subnormal numbers; those of
/// `nhi_runtime::emitted`.
const RESYNC_EVERY: u32 = 32;
const FLUSH_EVERY: u32 = 4096;

/// The names of one method.
pub(super) struct Method<'a, 'u> {
    pub(super) unit: &'a Unit<'u>,
    pub(super) functions: &'a MethodFunctions,
    pub(super) variant: Variant,
    /// Prefix of its names.
    pub(super) name: String,
    pub(super) prepared: Vec<String>,
    carried: Vec<String>,
    substeps: Option<Substeps>,
    /// Whether the equations of the step are solved with a safeguard where Newton's method fails.
    pub(super) is_safeguarded: bool,
}

impl Unit<'_> {
    /// Adds the types and functions of a method.
    pub(super) fn method(&self, text: &mut Text, functions: &MethodFunctions, variant: Variant) {
        let method = Method {
            unit: self,
            functions,
            variant,
            name: format!("{}_{variant}", self.name),
            prepared: members(&functions.prepared),
            carried: members(&functions.carried),
            substeps: variant.composition.map(|composition| Substeps::of(composition, self.real)),
            is_safeguarded: functions.step.has_safeguard(),
        };
        let MethodFunctions { prepare, starts, initial, rescale, resync, update_velocity, step, .. } =
            functions;
        let begin = starts.iter().find(|(kind, _)| *kind == variant.start).or(starts.first());
        let begin = begin.map(|(_, begin)| begin);
        let [rescale, update_velocity] =
            [rescale, update_velocity].map(|f| method.substeps.as_ref().and(f.as_ref()));
        method.types(text);
        for (function, called, inputs, output) in [
            (Some(prepare), "prepare", &["p", "h"][..], "prepared"),
            (begin, "begin", &["p", "h", "q", "v", "states", "t", "u"], "next"),
            (initial.as_ref(), "initial", &["p", "h", "state", "t"], "carried"),
            (rescale, "rescale", &["p", "h", "state", "t"], "carried"),
            (resync.as_ref(), "resync", &["state"], "carried"),
            (update_velocity, "update_velocity", &["h", "before", "state"], "velocity"),
            (Some(step), "next", &["prepared", "state", "t", "u"], "next"),
        ] {
            if let Some(function) = function {
                method.function(text, function, called, inputs, Some(output));
            }
        }
        method.flush(text);
        method.start(text);
        method.steps(text);
        method.state_and_time(text);
        method.statistics(text);
        method.derivatives(text);
    }
}

impl Method<'_, '_> {
    /// Fields of the state with their lengths, but for what is carried.
    fn fields(&self) -> Vec<(&Role, usize)> {
        let length = |role: &Role| match role {
            Role::Configuration => self.unit.entries,
            Role::Multipliers => self.unit.m,
            Role::States => self.unit.states,
            _ => self.unit.n,
        };
        let fields = self.functions.state.fields().iter().map(|role| (role, length(role)));
        fields.filter(|(_, n)| *n > 0).collect()
    }

    fn types(&self, text: &mut Text) {
        let Method { unit, functions, variant, name, prepared, carried, substeps, is_safeguarded } = self;
        let real = unit.real;
        text.header.push_str(&format!("/* Simulations by {variant}. */\n\n"));
        let mut kept = |about: &str, what: &str, members: &[String], numbers: &[Number]| {
            let lines = members.iter().zip(numbers);
            let lines: String =
                lines.map(|(member, n)| format!("{real} {member}; /* {} */\n", comment(&n.doc))).collect();
            if lines.is_empty() {
                return String::new();
            }
            text.typedef(about, &lines, &format!("{name}_{what}"));
            format!("{name}_{what} {what};\n")
        };
        let about = "What depends on the parameters and the step size alone.";
        let prepared = kept(about, "prepared", prepared, &functions.prepared);
        let about = "What a step computes for the next one.";
        let carried = kept(about, "carried", carried, &functions.carried);
        let fields = self.fields().into_iter().map(|(role, n)| format!("{real} {}[{n}];\n", role.name()));
        let fields: String = fields.chain([carried]).collect();
        text.typedef("A state.", &fields, &format!("{name}_node"));
        let prepared = substeps.as_ref().map_or(prepared.clone(), |substeps| {
            prepared.replace(';', &format!("[{}];", substeps.sizes.len()))
        });
        let system = &unit.name;
        let statistics = if *is_safeguarded { "\nnhi_statistics statistics;" } else { "" };
        let simulation = format!(
            "{system}_parameters parameters;
{prepared}{name}_node node;
double kinetic_energy; /* of the state */
{real} h; /* step size */
uint64_t steps; /* steps taken */{statistics}"
        );
        text.typedef("A simulation: plain data, may be copied.", &simulation, name);
    }

    /// The declaration of a parameter, if it is not empty; of a struct with `qualifier`.
    fn parameter(&self, parameter: &str, qualifier: &str) -> Option<String> {
        let Method { unit, name, .. } = self;
        Some(match parameter {
            "sim" => format!("const {name} *sim"),
            "p" | "h" | "t" | "q" | "v" | "states" | "u" => return unit.parameter(parameter),
            "prepared" if self.prepared.is_empty() => return None,
            "before" | "state" | "next" => format!("{qualifier}{name}_node *{parameter}"),
            "velocity" => format!("{} velocity[{}]", unit.real, unit.n),
            _ => format!("{qualifier}{name}_{parameter} *{parameter}"),
        })
    }

    /// A lowered function from `inputs` to the struct `output`; without one, a derivative of the step, to arrays.
    pub(super) fn function<'a>(
        &'a self,
        text: &mut Text,
        function: &'a Function,
        called: &str,
        inputs: &[&'a str],
        output: Option<&'a str>,
    ) {
        let Method { unit, name, carried, .. } = self;
        let mut about = doc_of(function);
        let is_public = output.is_none() && self.substeps.is_none();
        if is_public {
            about.push_str(&format!(
                "\nThe step is the one that {name}_step takes next from *sim, with the parameters that it was started with."
            ));
        }
        let known = inputs.iter().filter_map(|&input| Some((input, self.parameter(input, "const ")?)));
        let counts = called == "next" && self.is_safeguarded;
        let (named, results) = match output {
            Some(output) => {
                let result = self.parameter(output, "").map(|declaration| (output, declaration));
                let evaluations = ("evaluations", "uint64_t *evaluations".to_owned());
                (Vec::new(), result.into_iter().chain(counts.then_some(evaluations)).collect())
            }
            None => self.arrays(function),
        };
        let printed = Printed {
            function,
            about,
            head: (if is_public { "" } else { "static " }, STATUS, format!("{name}_{called}")),
            inputs: known.chain(named).collect(),
            results,
            variables: function
                .factors()
                .map(|factor| format!("{};\n", unit.declared(factor.role.name(), factor)))
                .collect(),
            counts,
            retraction: self.variant.retraction,
        };
        let (of_state, node) = if output.is_some() { ("state", "state->") } else { ("sim", "sim->node.") };
        let number = |argument: &'a Argument, i: usize| match &argument.role {
            Role::Prepared => ("prepared", format!("prepared->{}", self.prepared[i])),
            Role::Carried => (of_state, format!("{node}carried.{}", carried[i])),
            Role::PreviousCarried => ("before", format!("before->carried.{}", carried[i])),
            Role::PreviousVelocity => ("before", format!("before->v[{i}]")),
            Role::StepSize if output.is_none() => ("sim", "sim->h".to_owned()),
            Role::Time if output.is_none() => ("sim", format!("(({})sim->steps * sim->h)", unit.real)),
            Role::Parameters | Role::Inputs | Role::Covector => unit.number(argument, i),
            role if argument.scalar || inputs.contains(&role.name()) => unit.number(argument, i),
            role => (of_state, format!("{node}{}[{i}]", role.name())),
        };
        let members = |of: &str| carried.iter().map(|member| format!("{of}{member}")).collect();
        printed.add(text, unit.real, number, |i, result| match (output, &result.role) {
            (None, Role::Factor(_)) => (stored(result.role.name(), result).0, None),
            (None, _) => stored(result_array(result), result),
            (Some("prepared"), _) => (vec![format!("prepared->{}", self.prepared[i])], None),
            (Some("carried"), _) => {
                let finite = carried.iter().map(|member| format!("nhi_is_finite((double)carried->{member})"));
                (members("carried->"), Some(finite.collect::<Vec<String>>().join(" &&\n        ")))
            }
            (Some("velocity"), _) => (stored("velocity", result).0, None),
            (_, Role::Carried) => (members("next->carried."), None),
            (_, role) => stored(&format!("next->{}", role.name()), result),
        });
    }

    /// Sets subnormal numbers of a state to zero.
    fn flush(&self, text: &mut Text) {
        let Method { name, carried, .. } = self;
        let arrays =
            self.fields().into_iter().map(|(role, n)| format!("nhi_flush(node->{}, {n});\n", role.name()));
        let members =
            carried.iter().map(|m| format!("node->carried.{m} = nhi_flushed(node->carried.{m});\n"));
        let lines: String = arrays.chain(members).collect();
        let head = format!("static void {name}_flush({name}_node *node)");
        text.function("Sets subnormal numbers to zero.", &head, &lines);
    }

    fn start(&self, text: &mut Text) {
        let Method { unit, name, functions, .. } = self;
        let (Unit { name: system, real, .. }, u) = (unit, unit.u());
        let z = if unit.states > 0 { ", states0" } else { "" };
        let about = "Starts a simulation at (q0, v0) at time 0 with the step size h.
It fails where an argument is not finite, the nodes of a table do not increase, q0 or v0 violates a constraint by more than rounding, or the mass
matrix or the constraints are singular; *sim is left as it was then.";
        let head = format!(
            "nhi_status {name}_start({name} *sim, {})",
            unit.parameters(&["p", "q0", "v0", "states0", "u", "h"])
        );
        let finite = unit.numbers.iter().map(|parameter| format!("nhi_is_finite((double)p->{parameter})"));
        let arrays = [("q0", unit.entries), ("v0", unit.n), ("states0", unit.states), ("u", unit.inputs)];
        let finite = finite.chain(arrays.into_iter().filter_map(|(array, length)| all_finite(array, length)));
        let finite = finite.collect::<Vec<String>>().join(" && ");
        let mut checks = vec![
            ("!nhi_is_finite((double)h) || !(h < 0 || h > 0)".to_owned(), "NHI_INVALID_STEP_SIZE"),
            (format!("!({finite})"), "NHI_INVALID_ARGUMENT"),
        ];
        let facts = &unit.optimised.facts;
        for nodes in &facts.tables {
            let pairs = unit.numbers[nodes.clone()].windows(2);
            let increase: Vec<String> =
                pairs.map(|pair| format!("p->{} < p->{}", pair[0], pair[1])).collect();
            checks.push((format!("!({})", increase.join(" && ")), "NHI_INVALID_ARGUMENT"));
        }
        let mut at = facts.shape;
        for part in facts.group.parts() {
            if *part == Part::Matrix {
                checks.push((
                    format!("!(nhi_so3_defect(q0 + {at}) <= NHI_LARGEST_DEFECT)"),
                    "NHI_INVALID_POSE",
                ));
            }
            at += part.entries();
        }
        let t = if facts.time_dependent { ", t" } else { "" };
        if facts.positions > 0 {
            let call = format!("!{system}_position_vanishes(p, q0{t})");
            checks.push((call, "NHI_INADMISSIBLE_CONFIGURATION"));
        }
        if unit.m > 0 {
            let u = if facts.driven { ", u" } else { "" };
            let call = format!("!{system}_residual_vanishes(p, q0, v0{t}{u})");
            checks.push((call, "NHI_INADMISSIBLE_VELOCITY"));
        }
        let checks: String = checks.iter().map(|(condition, status)| fail_if(condition, status)).collect();
        // The sizes of different steps, with what is prepared for each.
        let sizes = self.substeps.as_ref().map_or(vec![("h".to_owned(), String::new())], |substeps| {
            let sizes = substeps.sizes.iter().enumerate();
            sizes.map(|(i, gamma)| (format!("h * {gamma}"), format!("[{i}]"))).collect()
        });
        let mut calls = String::new();
        for (h, place) in &sizes {
            let prepared = if self.prepared.is_empty() { "" } else { &format!(", &started.prepared{place}") };
            calls.push_str(&self.call("prepare", &format!("p, {h}{prepared}")));
        }
        let first = &sizes[0].0;
        calls.push_str(&self.call("begin", &format!("p, {first}, q0, v0{z}, t{u}, &started.node")));
        if functions.initial.is_some() {
            let arguments = format!("p, {first}, &started.node, t, &started.node.carried");
            calls.push_str(&self.call("initial", &arguments));
        }
        calls.push_str(&self.kinetic_energy("started.kinetic_energy", ("p", "started.node", "t")));
        let statistics = match self.is_safeguarded {
            true => "started.statistics.safeguarded = 0;\nstarted.statistics.evaluations = 0;\n",
            false => "",
        };
        let body = format!(
            "{name} started;
nhi_status status;
const {real} t = 0;
{checks}{calls}started.parameters = *p;
started.h = h;
started.steps = 0;
{statistics}*sim = started;
return NHI_OK;"
        );
        text.function(about, &head, &body);
    }

    /// A call that fails as the called function does.
    pub(super) fn call(&self, called: &str, arguments: &str) -> String {
        format!("status = {}_{called}({arguments});\n{}", self.name, fail_if("status != NHI_OK", "status"))
    }

    /// Refuses inputs that are not finite.
    pub(super) fn check_inputs(&self) -> String {
        let finite = all_finite("u", self.unit.inputs);
        finite.map(|finite| fail_if(&format!("!{finite}"), "NHI_INVALID_ARGUMENT")).unwrap_or_default()
    }

    /// Sets subnormal numbers of a state to zero, after a step.
    pub(super) fn flush_if_due(&self, node: &str) -> String {
        guard(&format!("sim->steps % {FLUSH_EVERY}u == 0"), &format!("{}_flush(&{node});", self.name))
    }

    /// The argument of `next` that evaluations are counted in.
    pub(super) fn counted(&self, evaluations: &str) -> String {
        if self.is_safeguarded { format!(", {evaluations}") } else { String::new() }
    }

    /// What a step with a safeguard adds before its equations are solved, and after it has been accepted.
    pub(super) fn counts_of_step(&self) -> [&'static str; 2] {
        match self.is_safeguarded {
            true => [
                "const uint64_t evaluations = sim->statistics.evaluations;\n",
                "sim->statistics.safeguarded += sim->statistics.evaluations > evaluations;\n",
            ],
            false => [""; 2],
        }
    }

    /// The body of `_step`, of a method that is not composed.
    fn step(&self) -> String {
        let Method { unit, name, functions, .. } = self;
        let (real, u) = (unit.real, unit.u());
        let (now, state, resync) = match &functions.resync {
            None => (String::new(), "sim->node", String::new()),
            Some(_) => {
                let call = self.call("resync", "&sim->node, &now.carried");
                let resync = guard(&format!("sim->steps % {RESYNC_EVERY}u == 0"), &call);
                (format!("{name}_node now = sim->node;\n"), "now", resync)
            }
        };
        let prepared = if self.prepared.is_empty() { "" } else { "&sim->prepared, " };
        let counted = self.counted("&sim->statistics.evaluations");
        let next = self.call("next", &format!("{prepared}&{state}, t{u}, &next{counted}"));
        let [before, after] = self.counts_of_step();
        format!(
            "{name}_node next;
{now}nhi_status status;
{before}const {real} t = ({real})sim->steps * sim->h;
{check}{resync}{next}{test}sim->steps += 1;
{flush}sim->node = next;
sim->kinetic_energy = kinetic_energy;
{after}return NHI_OK;",
            check = self.check_inputs(),
            test = self.test_of("next", "t"),
            flush = self.flush_if_due("next"),
        )
    }

    fn steps(&self, text: &mut Text) {
        let Method { unit, name, functions, variant, .. } = self;
        let inputs = unit.parameter("u").map(|declared| format!(", {declared}")).unwrap_or_default();
        let (which, body) = match &self.substeps {
            None => (String::new(), self.step()),
            Some(substeps) => {
                let (n, id) = (substeps.count(), functions.id());
                let which = format!("One step of `{variant}`: {n} steps of `{id}` of different sizes.\n\n");
                (which, self.composed_step(substeps))
            }
        };
        let but = if self.is_safeguarded { ", but for the count of evaluations" } else { "" };
        let about = format!(
            "{which}{}\nA step that fails leaves the simulation as it was{but}.",
            doc_of(&functions.step)
        );
        text.function(&about, &format!("nhi_status {name}_step({name} *sim{inputs})"), &body);
        let head = format!("nhi_status {name}_steps({name} *sim{inputs}, uint64_t count)");
        let body = format!(
            "for (uint64_t k = 0; k < count; ++k) {{
    const nhi_status status = {name}_step(sim{u});
    if (status != NHI_OK) {{
        return status;
    }}
}}
return NHI_OK;",
            u = unit.u()
        );
        text.function("Takes that many steps, up to the first one that fails.", &head, &body);
    }

    /// Copies the velocity of a state to an array.
    pub(super) fn velocity_of(&self, node: &str, out: &str) -> String {
        let n = self.unit.n;
        match self.functions.state {
            StateKind::Node => format!("nhi_copy({n}, {node}.v, {out});\n"),
            StateKind::Jump => format!("nhi_mean({n}, {node}.v_pre, {node}.v_post, {out});\n"),
        }
    }

    fn state_and_time(&self, text: &mut Text) {
        let Method { unit, name, .. } = self;
        let real = unit.real;
        let (mut head, mut body) = (format!("void {name}_state(const {name} *sim"), String::new());
        let arrays = [("q", unit.entries), ("v", unit.n), ("lambda", unit.m), ("states", unit.states)];
        for (array, length) in arrays {
            if length > 0 {
                head.push_str(&format!(", {real} {array}[{length}]"));
                body.push_str(&match array {
                    "v" => self.velocity_of("sim->node", "v"),
                    _ => format!("nhi_copy({length}, sim->node.{array}, {array});\n"),
                });
            }
        }
        let about = match unit.states {
            0 => "Configuration, velocity and multipliers (forces) of the last step.",
            _ => "Configuration, velocity, multipliers (forces) of the last step, and auxiliary states.",
        };
        text.function(about, &format!("{head})"), &body);
        let head = format!("{real} {name}_time(const {name} *sim)");
        text.function("Time.", &head, &format!("return ({real})sim->steps * sim->h;"));
    }

    /// Adds the counts of safeguarded steps, if there can be any.
    fn statistics(&self, text: &mut Text) {
        if self.is_safeguarded {
            let name = &self.name;
            let head = format!("nhi_statistics {name}_statistics(const {name} *sim)");
            text.function("Counts since the start.", &head, "return sim->statistics;");
        }
    }

    /// Adds the derivatives, if they are asked for. The tangents of other retractions are not those of the motion; and where time or
    /// inputs drive a system, the derivatives of parts do not determine those of their composition.
    fn derivatives(&self, text: &mut Text) {
        let is_known = matches!(self.variant.retraction, Retraction::Exp | Retraction::Cayley)
            && (self.substeps.is_none() || self.unit.optimised.facts.steady);
        let Some(derivatives) = self.functions.derivatives.as_ref().filter(|_| is_known) else { return };
        let prefix = if self.substeps.is_some() { "part_" } else { "" };
        for (name, function) in self.functions.all_derivatives() {
            self.function(text, function, &format!("{prefix}{name}"), &OF_DERIVATIVES, None);
        }
        if let Some(substeps) = &self.substeps {
            self.composed_derivatives(text, substeps, derivatives);
        }
    }

    /// The declaration of a derivative of a composed step.
    pub(super) fn derivative_head(&self, function: &Function, called: &str) -> String {
        let inputs = OF_DERIVATIVES.iter().filter_map(|&input| self.parameter(input, "const "));
        let (named, results) = self.arrays(function);
        let parameters = inputs.chain(named.into_iter().chain(results).map(|(_, declaration)| declaration));
        format!("{STATUS} {}_{called}({})", self.name, parameters.collect::<Vec<_>>().join(", "))
    }

    /// Arguments of a derivative beside [`OF_DERIVATIVES`], and its results.
    fn arrays<'a>(&self, function: &'a Function) -> (Vec<Parameter<'a>>, Vec<Parameter<'a>>) {
        let unit = self.unit;
        let covectors = function.arguments.iter().filter(|argument| argument.role == Role::Covector);
        let covectors = covectors.map(|w| (w.role.name(), unit.array(w.role.name(), w.values.len())));
        (covectors.collect(), unit.results(function, result_array))
    }
}

/// What derivatives take.
const OF_DERIVATIVES: [&str; 3] = ["sim", "p", "u"];

/// The array for a result of a derivative. The step size has the name `h`.
fn result_array(result: &Output) -> &str {
    if result.role == Role::Derivative(Derivative::H) { "by_h" } else { result.role.name() }
}
