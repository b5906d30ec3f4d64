//! The functions of a method: a simulation as plain data.

use super::composition::Substeps;
use super::function::{Body, comment, fail_if, guard};
use super::{Unit, all_finite, declared_and_defined, doc, doc_of, members, typedef};
use crate::group::Part;
use crate::lower::Function;
use crate::method::StateKind;
use crate::optimised::{MethodFunctions, Number};
use crate::program::Role;
use nhi_methods::Variant;

/// Steps between two re-synchronisations of sines and cosines, and between two flushes of subnormal numbers; those of
/// `nhi_runtime::emitted`.
const RESYNC_EVERY: u32 = 32;
const FLUSH_EVERY: u32 = 4096;

/// Parameters that functions of a method read.
const INPUTS: [&str; 9] = ["p", "h", "t", "u", "q", "v", "prepared", "before", "state"];

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
}

impl Unit<'_> {
    /// Declarations and definitions for a method.
    pub(super) fn method(&self, functions: &MethodFunctions, variant: Variant) -> (String, String) {
        let method = Method {
            unit: self,
            functions,
            variant,
            name: format!("{}_{variant}", self.name),
            prepared: members(&functions.prepared),
            carried: members(&functions.carried),
            substeps: variant.composition.map(|composition| Substeps::of(composition, self.real)),
        };
        let MethodFunctions { prepare, starts, initial, rescale, resync, update_velocity, step, .. } =
            functions;
        let begin = starts.iter().find(|(kind, _)| *kind == variant.start).or(starts.first());
        let begin = begin.map(|(_, begin)| begin);
        let [rescale, update_velocity] =
            [rescale, update_velocity].map(|f| method.substeps.as_ref().and(f.as_ref()));
        let mut source = String::new();
        for (function, called, inputs, output) in [
            (Some(prepare), "prepare", &["p", "h"][..], "prepared"),
            (begin, "begin", &["p", "h", "q", "v", "t", "u"], "next"),
            (initial.as_ref(), "initial", &["p", "h", "state", "t"], "carried"),
            (rescale, "rescale", &["p", "h", "state", "t"], "carried"),
            (resync.as_ref(), "resync", &["state"], "carried"),
            (update_velocity, "update_velocity", &["h", "before", "state"], "v"),
            (Some(step), "next", &["prepared", "state", "t", "u"], "next"),
        ] {
            if let Some(function) = function {
                source.push_str(&method.function(function, called, inputs, output));
            }
        }
        source.push_str(&method.flush());
        let mut header = method.types();
        for (declared, defined) in
            [method.start(), method.step(), method.steps(), method.state(), method.time()]
        {
            header.push_str(&declared);
            source.push_str(&defined);
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
        let fields = self.functions.state.fields().iter().map(|role| (role, length(role)));
        fields.filter(|(_, n)| *n > 0).collect()
    }

    fn types(&self) -> String {
        let Method { unit, functions, name, prepared, carried, .. } = self;
        let real = unit.real;
        let mut text = format!("/* Simulations by {}. */\n\n", functions.id);
        let mut kept = |about: &str, what: &str, members: &[String], numbers: &[Number]| {
            if members.is_empty() {
                return None;
            }
            let lines = members.iter().zip(numbers);
            let lines: Vec<String> =
                lines.map(|(member, n)| format!("{real} {member}; /* {} */", comment(&n.doc))).collect();
            text.push_str(&typedef(about, &lines, &format!("{name}_{what}")));
            Some(format!("{name}_{what} {what};"))
        };
        let about = "What depends on the parameters and the step size alone.";
        let prepared = kept(about, "prepared", prepared, &functions.prepared);
        let carried = kept("What a step computes for the next one.", "carried", carried, &functions.carried);
        let fields = self.fields().into_iter().map(|(role, n)| format!("{real} {}[{n}];", role.name()));
        let fields: Vec<String> = fields.chain(carried).collect();
        let prepared = prepared.map(|member| match &self.substeps {
            Some(substeps) => member.replace(';', &format!("[{}];", substeps.sizes.len())),
            None => member,
        });
        let parameters = self.keeps_parameters().then(|| format!("{}_parameters parameters;", unit.name));
        let others = [
            format!("{name}_node node;"),
            format!("{real} h; /* step size */"),
            "uint64_t steps; /* steps taken */".into(),
        ];
        let simulation: Vec<String> = parameters.into_iter().chain(prepared).chain(others).collect();
        text.push_str(&typedef("A state.", &fields, &format!("{name}_node")));
        text.push_str(&typedef("A simulation: plain data, may be copied.", &simulation, name));
        text
    }

    /// The declaration of a parameter that is read, if it is not empty.
    fn input(&self, parameter: &str) -> Option<String> {
        let Method { unit, name, .. } = self;
        match parameter {
            "p" => Some(format!("const {}_parameters *p", unit.name)),
            "q" => Some(unit.array("q", unit.entries)),
            "v" => Some(unit.array("v", unit.n)),
            "u" => unit.inputs(),
            "prepared" => (!self.prepared.is_empty()).then(|| format!("const {name}_prepared *prepared")),
            "before" | "state" => Some(format!("const {name}_node *{parameter}")),
            scalar => Some(format!("{} {scalar}", unit.real)),
        }
    }

    /// The declaration of the parameter where results are written.
    fn output(&self, parameter: &str) -> Option<String> {
        let Method { name, .. } = self;
        match parameter {
            "prepared" if self.prepared.is_empty() => None,
            "next" => Some(format!("{name}_node *next")),
            "v" => Some(format!("{} v[{}]", self.unit.real, self.unit.n)),
            _ => Some(format!("{name}_{parameter} *{parameter}")),
        }
    }

    /// A lowered function from `inputs` to the struct `output`.
    fn function(&self, function: &Function, called: &str, inputs: &[&str], output: &str) -> String {
        let Method { unit, name, .. } = self;
        let retraction = self.variant.retraction.id();
        let taken = [&INPUTS[..], &["next", "carried", "all"]].concat();
        let mut body = Body::new(function, &taken, unit.real, retraction);
        let mut used = Vec::new();
        for argument in &function.arguments {
            let parameter = match &argument.role {
                Role::Parameters => "p",
                Role::Inputs => "u",
                Role::PreviousVelocity | Role::PreviousCarried => "before",
                role if argument.scalar || inputs.contains(&role.name()) => role.name(),
                _ => "state",
            };
            let is_used = body.load(argument, |i| match &argument.role {
                Role::Parameters => format!("p->{}", unit.parameters[i]),
                Role::Prepared => format!("prepared->{}", self.prepared[i]),
                Role::Carried => format!("state->carried.{}", self.carried[i]),
                Role::PreviousCarried => format!("before->carried.{}", self.carried[i]),
                Role::PreviousVelocity => format!("before->v[{i}]"),
                _ if argument.scalar => parameter.to_owned(),
                role if parameter == "state" => format!("state->{}[{i}]", role.name()),
                _ => format!("{parameter}[{i}]"),
            });
            used.extend(is_used.then_some(parameter));
        }
        for parameter in INPUTS.into_iter().filter(|p| inputs.contains(p) && !used.contains(p)) {
            if self.input(parameter).is_some() {
                body.add(&format!("(void){parameter};"));
            }
        }
        body.statements(&function.body);
        let mut checks = Vec::new();
        for (i, result) in function.outputs.iter().enumerate() {
            let (values, field) = (body.operands(&result.values), result.role.name());
            match (output, &result.role) {
                ("prepared", _) => body.store(&values, |_| format!("prepared->{}", self.prepared[i])),
                ("carried", _) => {
                    body.store(&values, |i| format!("carried->{}", self.carried[i]));
                    let all: Vec<String> = self.carried.iter().map(|m| format!("carried->{m}")).collect();
                    body.array(&format!("const {}", unit.real), "all", &all);
                    checks.extend(all_finite("all", all.len()));
                }
                ("v", _) => body.store(&values, |i| format!("v[{i}]")),
                (_, Role::Carried) => body.store(&values, |i| format!("next->carried.{}", self.carried[i])),
                _ => {
                    body.store(&values, |i| format!("next->{field}[{i}]"));
                    checks.extend(all_finite(&format!("next->{field}"), values.len()));
                }
            }
        }
        let result = match checks.as_slice() {
            [] => "NHI_OK".to_owned(),
            checks => format!("{} ? NHI_OK : NHI_NON_FINITE", checks.join(" && ")),
        };
        body.add(&format!("return {result};"));
        let parameters = inputs.iter().filter_map(|input| self.input(input)).chain(self.output(output));
        let parameters = parameters.collect::<Vec<String>>().join(", ");
        let head = format!("static nhi_status {name}_{called}({parameters})");
        let about = doc_of(function);
        format!("{}{}", doc(&about), declared_and_defined(&about, &head, &body.finish()).1)
    }

    /// Sets subnormal numbers of a state to zero.
    fn flush(&self) -> String {
        let Method { name, carried, .. } = self;
        let arrays =
            self.fields().into_iter().map(|(role, n)| format!("nhi_flush(node->{}, {n});\n", role.name()));
        let members =
            carried.iter().map(|m| format!("node->carried.{m} = nhi_flushed(node->carried.{m});\n"));
        let lines: String = arrays.chain(members).collect();
        let about = "Sets subnormal numbers to zero.";
        let head = format!("static void {name}_flush({name}_node *node)");
        format!("{}{}", doc(about), declared_and_defined(about, &head, &lines).1)
    }

    /// `, const double u[2]` and `, u` where there are control inputs.
    pub(super) fn inputs(&self) -> (String, &'static str) {
        match self.unit.inputs() {
            Some(declared) => (format!(", {declared}"), ", u"),
            None => (String::new(), ""),
        }
    }

    fn start(&self) -> (String, String) {
        let Method { unit, name, functions, .. } = self;
        let Unit { name: system, real, entries, n, .. } = unit;
        let (inputs, u) = self.inputs();
        let about = "Starts a simulation at (q0, v0) at time 0 with the step size h.
It fails where an argument is not finite, v0 violates a constraint by more than rounding, or the mass
matrix or the constraints are singular; *sim is left as it was then.";
        let head = format!(
            "nhi_status {name}_start({name} *sim, const {system}_parameters *p, \
             const {real} q0[{entries}], const {real} v0[{n}]{inputs}, {real} h)"
        );
        let finite = unit.parameters.iter().map(|parameter| format!("nhi_is_finite((double)p->{parameter})"));
        let arrays = [("q0", unit.entries), ("v0", unit.n), ("u", unit.inputs)];
        let finite = finite.chain(arrays.into_iter().filter_map(|(array, length)| all_finite(array, length)));
        let finite = finite.collect::<Vec<String>>().join(" && ");
        let mut checks = vec![
            ("!nhi_is_finite((double)h) || !(h < 0 || h > 0)".to_owned(), "NHI_INVALID_STEP_SIZE"),
            (format!("!({finite})"), "NHI_INVALID_ARGUMENT"),
        ];
        let mut at = unit.derived.mechanics.system.shape();
        for part in unit.derived.mechanics.system.group.iter().flat_map(|group| group.pose) {
            if *part == Part::Matrix {
                let bound = if *real == "float" { "64.0 * NHI_EPSILON" } else { "4e-10" };
                checks.push((format!("!(nhi_so3_defect(q0 + {at}) <= {bound})"), "NHI_INVALID_POSE"));
            }
            at += part.entries();
        }
        if unit.m > 0 {
            checks.push((format!("!{system}_is_admissible(p, q0, v0)"), "NHI_INADMISSIBLE_VELOCITY"));
        }
        let checks: String = checks.iter().map(|(condition, status)| fail_if(condition, status)).collect();
        let prepared = |place: &str| match self.prepared.is_empty() {
            true => String::new(),
            false => format!(", &started.prepared{place}"),
        };
        let (prepare, first) = match &self.substeps {
            None => (self.call("prepare", &format!("p, h{}", prepared(""))), "h".to_owned()),
            Some(Substeps { sizes, .. }) => {
                let prepare = |(i, gamma): (usize, &String)| {
                    self.call("prepare", &format!("p, h * {gamma}{}", prepared(&format!("[{i}]"))))
                };
                (sizes.iter().enumerate().map(prepare).collect(), format!("h * {}", sizes[0]))
            }
        };
        let begin = self.call("begin", &format!("p, {first}, q0, v0, t{u}, &started.node"));
        let initial = functions
            .initial
            .as_ref()
            .map(|_| self.call("initial", &format!("p, {first}, &started.node, t, &started.node.carried")));
        let initial = initial.unwrap_or_default();
        let keep = if self.keeps_parameters() { "started.parameters = *p;\n" } else { "" };
        let body = format!(
            "{name} started;
nhi_status status;
const {real} t = 0;
{checks}{prepare}{begin}{initial}{keep}started.h = h;
started.steps = 0;
*sim = started;
return NHI_OK;"
        );
        declared_and_defined(about, &head, &body)
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

    /// Whether a step depends on the parameters themselves: one of a composition, where something is carried.
    fn keeps_parameters(&self) -> bool {
        self.substeps.is_some() && self.functions.rescale.is_some()
    }

    fn step(&self) -> (String, String) {
        if let Some(substeps) = &self.substeps {
            return self.composed_step(substeps);
        }
        let Method { unit, name, functions, .. } = self;
        let (real, (inputs, u)) = (unit.real, self.inputs());
        let about = doc_of(&functions.step) + "\nA step that fails leaves the simulation as it was.";
        let (now, state, resync) = match &functions.resync {
            None => (String::new(), "sim->node", String::new()),
            Some(_) => {
                let call = self.call("resync", "&sim->node, &now.carried");
                let resync = guard(&format!("sim->steps % {RESYNC_EVERY}u == 0"), &call);
                (format!("{name}_node now = sim->node;\n"), "now", resync)
            }
        };
        let prepared = if self.prepared.is_empty() { "" } else { "&sim->prepared, " };
        let next = self.call("next", &format!("{prepared}&{state}, t{u}, &next"));
        let body = format!(
            "{name}_node next;
{now}nhi_status status;
const {real} t = ({real})sim->steps * sim->h;
{check}{resync}{next}sim->steps += 1;
{flush}sim->node = next;
return NHI_OK;",
            check = self.check_inputs(),
            flush = self.flush_if_due("next"),
        );
        declared_and_defined(&about, &format!("nhi_status {name}_step({name} *sim{inputs})"), &body)
    }

    fn steps(&self) -> (String, String) {
        let (name, (inputs, u)) = (&self.name, self.inputs());
        let head = format!("nhi_status {name}_steps({name} *sim{inputs}, uint64_t count)");
        let body = format!(
            "for (uint64_t k = 0; k < count; ++k) {{
    const nhi_status status = {name}_step(sim{u});
    if (status != NHI_OK) {{
        return status;
    }}
}}
return NHI_OK;"
        );
        declared_and_defined("Takes that many steps, up to the first one that fails.", &head, &body)
    }

    fn state(&self) -> (String, String) {
        let Method { unit, name, functions, .. } = self;
        let real = unit.real;
        let mean = if real == "float" { "(float)0.5" } else { "0.5" };
        let (mut head, mut body) = (format!("void {name}_state(const {name} *sim"), String::new());
        for (array, length) in [("q", unit.entries), ("v", unit.n), ("lambda", unit.m)] {
            let value = match (array, functions.state) {
                ("v", StateKind::Jump) => format!("{mean} * (sim->node.v_pre[i] + sim->node.v_post[i])"),
                _ => format!("sim->node.{array}[i]"),
            };
            if length > 0 {
                head.push_str(&format!(", {real} {array}[{length}]"));
                body.push_str(&format!(
                    "for (int i = 0; i < {length}; ++i) {{\n    {array}[i] = {value};\n}}\n"
                ));
            }
        }
        let about = "Configuration, velocity and multipliers (forces) of the last step.";
        declared_and_defined(about, &format!("{head})"), &body)
    }

    fn time(&self) -> (String, String) {
        let (name, real) = (&self.name, self.unit.real);
        let head = format!("{real} {name}_time(const {name} *sim)");
        declared_and_defined("Time.", &head, &format!("return ({real})sim->steps * sim->h;"))
    }
}
