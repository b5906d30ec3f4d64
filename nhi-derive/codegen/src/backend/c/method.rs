//! The functions of a method: a simulation as plain data.

use super::function::Body;
use super::names::identifier;
use super::{Unit, all_finite, list, members};
use crate::group::Part;
use crate::lower::Function;
use crate::method::StateKind;
use crate::optimised::{MethodFunctions, Number};
use crate::program::Role;

/// Steps between two re-synchronisations of sines and cosines, and between two flushes of subnormal numbers; those of
/// `nhi_runtime::emitted`.
const RESYNC_EVERY: u32 = 32;
const FLUSH_EVERY: u32 = 4096;

/// What a function of a method writes.
enum Output {
    /// The members of `*prepared`.
    Prepared,
    /// The members of `*next`, of a state without what is carried.
    Node,
    /// The members of `*carried`, at a start.
    Carried,
    /// The members of `*carried`, of the same state.
    Resynced,
    /// The members of `*next`.
    Next,
}

/// The names of one method.
struct Method<'a, 'u> {
    unit: &'a Unit<'u>,
    functions: &'a MethodFunctions,
    /// Prefix of its names.
    name: String,
    prepared: Vec<String>,
    carried: Vec<String>,
    retraction: &'static str,
}

impl Unit<'_> {
    /// Declarations and definitions for a method.
    pub(super) fn method(&self, functions: &MethodFunctions) -> (String, String) {
        let method = Method {
            unit: self,
            functions,
            name: format!("{}_{}", self.name, identifier(functions.id)),
            prepared: members(&functions.prepared),
            carried: members(&functions.carried),
            retraction: functions.retraction.unwrap_or_default().id(),
        };
        let mut source = String::new();
        source.push_str(&method.function(&functions.prepare, "prepare", Output::Prepared));
        let start = functions.starts.iter().find(|(kind, _)| *kind == functions.start);
        let start = start.or(functions.starts.first());
        start.iter().for_each(|(_, start)| source.push_str(&method.function(start, "begin", Output::Node)));
        functions
            .initial
            .iter()
            .for_each(|f| source.push_str(&method.function(f, "initial", Output::Carried)));
        functions
            .resync
            .iter()
            .for_each(|f| source.push_str(&method.function(f, "resync", Output::Resynced)));
        source.push_str(&method.function(&functions.step, "next", Output::Next));
        source.push_str(&method.flush());
        let (mut header, public) = (method.types(), method.public());
        for (declaration, definition) in public {
            header.push_str(&declaration);
            source.push_str(&definition);
        }
        (header, source)
    }
}

impl Method<'_, '_> {
    /// Fields of the state with their lengths, but for what is carried.
    fn fields(&self) -> Vec<(&Role, usize)> {
        let length = |role: &Role| match role {
            Role::Configuration => self.unit.entries,
            Role::Multipliers => self.unit.m,
            _ => self.unit.n,
        };
        self.functions
            .state
            .fields()
            .iter()
            .map(|role| (role, length(role)))
            .filter(|(_, n)| *n > 0)
            .collect()
    }

    fn types(&self) -> String {
        let (name, real) = (&self.name, self.unit.real);
        let of_numbers = |numbers: &[Number], members: &[String]| -> String {
            let lines = numbers.iter().zip(members);
            lines
                .map(|(n, m)| format!("    {real} {m}; /* {} */\n", super::function::comment(&n.doc)))
                .collect()
        };
        let mut text = format!("/* Simulations by {}. */\n\n", self.functions.id);
        for (what, numbers, members, doc) in [
            (
                "prepared",
                &self.functions.prepared,
                &self.prepared,
                "What depends on the parameters and the step size alone.",
            ),
            ("carried", &self.functions.carried, &self.carried, "What a step computes for the next one."),
        ] {
            if !members.is_empty() {
                let lines = of_numbers(numbers, members);
                text.push_str(&format!("/* {doc} */\ntypedef struct {{\n{lines}}} {name}_{what};\n\n"));
            }
        }
        let fields: String =
            self.fields().iter().map(|(role, n)| format!("    {real} {}[{n}];\n", role.name())).collect();
        let carried =
            if self.carried.is_empty() { String::new() } else { format!("    {name}_carried carried;\n") };
        text.push_str(&format!("/* A state. */\ntypedef struct {{\n{fields}{carried}}} {name}_node;\n\n"));
        let prepared =
            if self.prepared.is_empty() { String::new() } else { format!("    {name}_prepared prepared;\n") };
        text.push_str(&format!(
            "/* A simulation: plain data, may be copied. */\ntypedef struct {{\n{prepared}    {name}_node node;\n    {real} h; /* step size */\n    uint64_t steps; /* steps taken */\n}} {name};\n\n"
        ));
        text
    }

    /// A lowered function with arguments and results by their roles.
    fn function(&self, function: &Function, called: &str, output: Output) -> String {
        let Method { unit, name, .. } = self;
        let (parameters, _) = self.parameters(&output);
        let taken: Vec<String> =
            ["p", "h", "t", "u", "q", "v", "prepared", "state", "next", "carried", "all"]
                .map(str::to_owned)
                .into();
        let mut body = Body::new(function, &taken, unit.real, self.retraction);
        let mut used: Vec<&str> = Vec::new();
        for argument in &function.arguments {
            if !argument.values.iter().any(|&value| body.is_used(value)) {
                continue;
            }
            let values = &argument.values;
            match &argument.role {
                Role::Parameters => body.load(values, |i| format!("p->{}", unit.parameters[i])),
                Role::StepSize => body.alias(values[0], "h"),
                Role::Time => body.alias(values[0], "t"),
                Role::Inputs => body.load(values, |i| format!("u[{i}]")),
                Role::Prepared => body.load(values, |i| format!("prepared->{}", self.prepared[i])),
                Role::Carried => body.load(values, |i| format!("state->carried.{}", self.carried[i])),
                role if matches!(output, Output::Node) => {
                    let array = if *role == Role::Configuration { "q" } else { "v" };
                    body.load(values, |i| format!("{array}[{i}]"));
                }
                role => body.load(values, |i| format!("state->{}[{i}]", role.name())),
            }
            used.push(match argument.role {
                Role::Parameters => "p",
                Role::StepSize => "h",
                Role::Time => "t",
                Role::Inputs => "u",
                Role::Prepared => "prepared",
                Role::Configuration if matches!(output, Output::Node) => "q",
                Role::Velocity if matches!(output, Output::Node) => "v",
                _ => "state",
            });
        }
        for parameter in ["p", "h", "t", "u", "q", "v", "prepared", "state"] {
            let is_there = parameters.iter().any(|declared| {
                let last = declared.rsplit([' ', '*']).next().unwrap_or("");
                last.split('[').next() == Some(parameter)
            });
            let is_written = parameter == "prepared" && matches!(output, Output::Prepared);
            if is_there && !is_written && !used.contains(&parameter) {
                body.line(&format!("(void){parameter};"));
            }
        }
        body.statements(&function.body);
        let mut checks = Vec::new();
        match output {
            Output::Prepared => {
                let values: Vec<String> =
                    function.outputs.iter().flat_map(|o| body.operands(&o.values)).collect();
                let both = self.prepared.iter().zip(values);
                both.for_each(|(member, value)| body.line(&format!("prepared->{member} = {value};")));
            }
            Output::Carried | Output::Resynced => {
                let values = body.operands(&function.outputs[0].values);
                for (member, value) in self.carried.iter().zip(&values) {
                    body.line(&format!("carried->{member} = {value};"));
                }
                let all: Vec<String> =
                    self.carried.iter().map(|member| format!("carried->{member}")).collect();
                let (real, n) = (unit.real, all.len());
                body.line(&format!("const {real} all[{n}] = {{{}}};", all.join(", ")));
                checks.extend(all_finite("all", n));
            }
            Output::Node | Output::Next => {
                for output in function.outputs.iter().filter(|o| !o.values.is_empty()) {
                    let values = body.operands(&output.values);
                    let field = output.role.name();
                    for (i, value) in values.iter().enumerate() {
                        match output.role {
                            Role::Carried => {
                                body.line(&format!("next->carried.{} = {value};", self.carried[i]))
                            }
                            _ => body.line(&format!("next->{field}[{i}] = {value};")),
                        }
                    }
                    if output.role != Role::Carried {
                        checks.extend(all_finite(&format!("next->{field}"), values.len()));
                    }
                }
            }
        }
        let result = if checks.is_empty() {
            "NHI_OK".to_owned()
        } else {
            format!("{} ? NHI_OK : NHI_NON_FINITE", checks.join(" && "))
        };
        body.line(&format!("return {result};"));
        let mut doc = function.doc.clone();
        doc.push(format!("Operations: {}.", function.operations));
        let head = format!("static nhi_status {name}_{called}({})", list(&parameters));
        format!("{}{head}\n{{\n{}}}\n\n", unit.doc(&doc), body.finish())
    }

    /// Parameters of a function that writes `output`, and the arguments with which it is called.
    fn parameters(&self, output: &Output) -> (Vec<String>, Vec<String>) {
        let Method { unit, name, .. } = self;
        let real = unit.real;
        let mut both: Vec<(String, &str)> = Vec::new();
        let of_parameters = (format!("const {}_parameters *p", unit.name), "p");
        let prepared = |qualifier: &str| (format!("{qualifier}{name}_prepared *prepared"), "&sim->prepared");
        let inputs = || unit.inputs().into_iter().map(|declared| (declared, "u"));
        match output {
            Output::Prepared => {
                both.extend([of_parameters, (format!("{real} h"), "h")]);
                both.extend((!self.prepared.is_empty()).then(|| prepared("")));
            }
            Output::Node => {
                both.extend([of_parameters, (format!("{real} h"), "h")]);
                both.extend([
                    (unit.array("q", unit.entries), "q0"),
                    (unit.array("v", unit.n), "v0"),
                    (format!("{real} t"), "t"),
                ]);
                both.extend(inputs());
                both.push((format!("{name}_node *next"), "&started.node"));
            }
            Output::Carried => {
                both.extend([of_parameters, (format!("{real} h"), "h")]);
                both.extend([(format!("const {name}_node *state"), "state"), (format!("{real} t"), "t")]);
                both.push((format!("{name}_carried *carried"), "carried"));
            }
            Output::Resynced => {
                both.push((format!("const {name}_node *state"), "state"));
                both.push((format!("{name}_carried *carried"), "carried"));
            }
            Output::Next => {
                both.extend((!self.prepared.is_empty()).then(|| prepared("const ")));
                both.extend([(format!("const {name}_node *state"), "state"), (format!("{real} t"), "t")]);
                both.extend(inputs());
                both.push((format!("{name}_node *next"), "&next"));
            }
        }
        both.into_iter().map(|(declared, called)| (declared, called.to_owned())).unzip()
    }

    /// Sets subnormal numbers of a state to zero.
    fn flush(&self) -> String {
        let Method { name, .. } = self;
        let arrays = self
            .fields()
            .into_iter()
            .map(|(role, n)| format!("    nhi_flush(node->{}, {n});\n", role.name()));
        let members =
            self.carried.iter().map(|m| format!("    node->carried.{m} = nhi_flushed(node->carried.{m});\n"));
        let lines: String = arrays.chain(members).collect();
        format!(
            "/* Sets subnormal numbers to zero. */\nstatic void {name}_flush({name}_node *node)\n{{\n{lines}}}\n\n"
        )
    }

    /// Declarations and definitions of what a program calls.
    fn public(&self) -> Vec<(String, String)> {
        let Method { unit, name, functions, .. } = self;
        let real = unit.real;
        let (inputs, entries, n, m) = (unit.inputs(), unit.entries, unit.n, unit.m);
        let given = |lines: &[String], head: String, body: String| {
            let doc = unit.doc(lines);
            (format!("{doc}{head};\n\n"), format!("{head}\n{{\n{body}}}\n\n"))
        };
        let u = if inputs.is_empty() { "" } else { ", u" };
        let with = |first: &[String], last: &[String]| list(&[first, &inputs, last].concat());
        let own = |qualifier: &str| vec![format!("{qualifier}{name} *sim")];

        let sim = [
            own(""),
            vec![
                format!("const {}_parameters *p", unit.name),
                unit.array("q0", entries),
                unit.array("v0", n),
            ],
        ];
        let head = format!("nhi_status {name}_start({})", with(&sim.concat(), &[format!("{real} h")]));
        let lines = [
            "Starts a simulation at (q0, v0) at time 0 with the step size h.".to_owned(),
            "It fails where an argument is not finite, v0 violates a constraint by more than rounding, or the mass".into(),
            "matrix or the constraints are singular; *sim is left as it was then.".into(),
        ];
        let start = given(&lines, head, self.start_body());

        let mut doc = functions.step.doc.clone();
        doc.push(format!("Operations: {}.", functions.step.operations));
        doc.push("A step that fails leaves the simulation as it was.".into());
        let head = format!("nhi_status {name}_step({})", with(&own(""), &[]));
        let step = given(&doc, head, self.step_body());

        let head = format!("nhi_status {name}_steps({})", with(&own(""), &["uint64_t count".to_owned()]));
        let body = format!(
            "    for (uint64_t k = 0; k < count; ++k) {{\n        const nhi_status status = {name}_step(sim{u});\n        if (status != NHI_OK) {{\n            return status;\n        }}\n    }}\n    return NHI_OK;\n"
        );
        let steps = given(&["Takes that many steps, up to the first one that fails.".into()], head, body);

        let arrays = [("q", entries), ("v", n), ("lambda", m)].into_iter().filter(|(_, length)| *length > 0);
        let outs: Vec<String> =
            arrays.clone().map(|(array, length)| format!("{real} {array}[{length}]")).collect();
        let head = format!("void {name}_state({})", list(&[own("const "), outs].concat()));
        let body: String = arrays
            .map(|(array, length)| {
                let value = match (array, functions.state) {
                    ("v", StateKind::Jump) => {
                        let half = if real == "float" { "(float)0.5" } else { "0.5" };
                        format!("{half} * (sim->node.v_pre[i] + sim->node.v_post[i])")
                    }
                    _ => format!("sim->node.{array}[i]"),
                };
                format!("    for (int i = 0; i < {length}; ++i) {{\n        {array}[i] = {value};\n    }}\n")
            })
            .collect();
        let lines = ["Configuration, velocity and multipliers (forces) of the last step.".to_owned()];
        let state = given(&lines, head, body);

        let head = format!("{real} {name}_time(const {name} *sim)");
        let time = given(&["Time.".to_owned()], head, format!("    return ({real})sim->steps * sim->h;\n"));
        vec![start, step, steps, state, time]
    }

    fn start_body(&self) -> String {
        let Method { unit, name, functions, .. } = self;
        let (system, real) = (&unit.derived.mechanics.system, unit.real);
        let mut lines = vec![
            format!("{name} started;"),
            "nhi_status status;".into(),
            format!("const {real} t = 0;"),
            "if (!nhi_is_finite((double)h) || !(h < 0 || h > 0)) {".into(),
            "    return NHI_INVALID_STEP_SIZE;".into(),
            "}".into(),
        ];
        let finite = unit.parameters.iter().map(|parameter| format!("nhi_is_finite((double)p->{parameter})"));
        let arrays = [("q0", unit.entries), ("v0", unit.n), ("u", unit.inputs)];
        let finite: Vec<String> = finite
            .chain(arrays.into_iter().filter_map(|(array, length)| all_finite(array, length)))
            .collect();
        let fails = |lines: &mut Vec<String>, condition: String, status: &str| {
            lines.extend([format!("if ({condition}) {{"), format!("    return {status};"), "}".into()]);
        };
        fails(&mut lines, format!("!({})", finite.join(" && ")), "NHI_INVALID_ARGUMENT");
        let mut at = system.shape();
        for part in system.group.iter().flat_map(|group| group.pose) {
            if *part == Part::Matrix {
                let bound = if real == "float" { "64.0 * NHI_EPSILON" } else { "4e-10" };
                fails(&mut lines, format!("!(nhi_so3_defect(q0 + {at}) <= {bound})"), "NHI_INVALID_POSE");
            }
            at += part.entries();
        }
        if unit.m > 0 {
            fails(
                &mut lines,
                format!("!{}_is_admissible(p, q0, v0)", unit.name),
                "NHI_INADMISSIBLE_VELOCITY",
            );
        }
        let mut call = |called: &str, output: Output| {
            let (_, arguments) = self.parameters(&output);
            let arguments: Vec<String> = arguments
                .into_iter()
                .map(|argument| match argument.as_str() {
                    "&sim->prepared" => "&started.prepared".to_owned(),
                    "state" => "&started.node".to_owned(),
                    "carried" => "&started.node.carried".to_owned(),
                    _ => argument,
                })
                .collect();
            lines.push(format!("status = {name}_{called}({});", arguments.join(", ")));
            lines.extend(["if (status != NHI_OK) {", "    return status;", "}"].map(str::to_owned));
        };
        call("prepare", Output::Prepared);
        call("begin", Output::Node);
        if functions.initial.is_some() {
            call("initial", Output::Carried);
        }
        lines.extend(
            ["started.h = h;", "started.steps = 0;", "*sim = started;", "return NHI_OK;"].map(str::to_owned),
        );
        lines.iter().map(|line| format!("    {line}\n")).collect()
    }

    fn step_body(&self) -> String {
        let Method { unit, name, functions, .. } = self;
        let mut lines = vec![format!("{name}_node next;")];
        let (_, arguments) = self.parameters(&Output::Next);
        let mut state = "&sim->node";
        let real = unit.real;
        let mut resync = Vec::new();
        if functions.resync.is_some() {
            state = "&now";
            lines.push(format!("{name}_node now = sim->node;"));
            resync.extend([
                format!("if (sim->steps % {RESYNC_EVERY}u == 0) {{"),
                format!("    status = {name}_resync(&sim->node, &now.carried);"),
                "    if (status != NHI_OK) {".into(),
                "        return status;".into(),
                "    }".into(),
                "}".into(),
            ]);
        }
        lines.push("nhi_status status;".into());
        lines.push(format!("const {real} t = ({real})sim->steps * sim->h;"));
        if let Some(finite) = all_finite("u", unit.inputs) {
            lines.extend([
                format!("if (!{finite}) {{"),
                "    return NHI_INVALID_ARGUMENT;".into(),
                "}".into(),
            ]);
        }
        lines.append(&mut resync);
        let arguments: Vec<String> =
            arguments.into_iter().map(|a| if a == "state" { state.to_owned() } else { a }).collect();
        lines.push(format!("status = {name}_next({});", arguments.join(", ")));
        lines.extend(
            [
                "if (status != NHI_OK) {",
                "    return status;",
                "}",
                "sim->steps += 1;",
                &format!("if (sim->steps % {FLUSH_EVERY}u == 0) {{"),
                &format!("    {name}_flush(&next);"),
                "}",
                "sim->node = next;",
                "return NHI_OK;",
            ]
            .map(str::to_owned),
        );
        lines.iter().map(|line| format!("    {line}\n")).collect()
    }
}
