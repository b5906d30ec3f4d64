//! The test that a step explains the kinetic energy that it ends with: that of `nhi_runtime::balance`, without the angle
//! between distributions and the reasons that it names.

use super::function::{fail_if, guard};
use super::method::Method;
use super::{Text, Unit};
use crate::expr::group::Block;
use crate::functions::OfSystem;
use crate::lower::Function;
use crate::program::{Role, StateKind};

/// What functions of the system are called with.
#[derive(Clone, Copy)]
pub(super) struct Point<'a> {
    pub(super) q: &'a str,
    pub(super) v: &'a str,
    pub(super) states: &'a str,
    pub(super) t: &'a str,
}

/// The parameters of a function of the system themselves.
pub(super) const HERE: Point<'_> = Point { q: "q", v: "v", states: "states", t: "t" };

impl Unit<'_> {
    /// A call of a function of the system, with the parameters `p`, the inputs `u` and the array `result`, if it has one.
    pub(super) fn call(&self, function: &Function, at: Point<'_>, result: &str) -> String {
        let passed = function.arguments.iter().filter(|argument| self.is_passed(function, argument));
        let passed = passed.map(|argument| match argument.role {
            Role::Parameters => "p",
            Role::Configuration => at.q,
            Role::Velocity => at.v,
            Role::States => at.states,
            Role::Time => at.t,
            _ => "u",
        });
        let all: Vec<&str> = passed.chain((!result.is_empty()).then_some(result)).collect();
        format!("{}_{}({})", self.name, function.name, all.join(", "))
    }

    /// Adds the kinetic energy, and whether a step explains it.
    pub(super) fn balance(&self, text: &mut Text) {
        let OfSystem { energy, momentum, project, acceleration, .. } = &self.optimised.system;
        let Unit { name, real, entries, n, .. } = self;
        let (u, unused) = (self.u(), if self.inputs > 0 { "(void)u;\n" } else { "" });
        let at_rest = match self.optimised.facts.gyroscopic {
            false => String::new(),
            true => format!(
                "const {real} rest[{n}] = {{0}};
{real} at_rest[{n}];
{};
nhi_negated({n}, at_rest, at_rest);
nhi_add({n}, inertial, at_rest, inertial);
",
                self.call(momentum, Point { v: "rest", ..HERE }, "at_rest")
            ),
        };
        let body = format!(
            "{real} inertial[{n}];
(void)t;
{unused}{};
{at_rest}return nhi_half_product({n}, v, inertial);",
            self.call(momentum, HERE, "inertial")
        );
        let parameters = self.parameters(&["p", "q", "v", "t", "u"]);
        let head = format!("static double {name}_kinetic_energy({parameters})");
        text.function("Kinetic energy, v·(p(v) − p(0))/2.", &head, &body);
        if self.tests_reflections {
            self.resolves(text);
        }

        let parameters = self.parameters(&["p", "h", "q0", "states0", "t0", "q1", "states1", "t1", "u"]);
        let head = format!("static int {name}_explains({parameters}, double before, double after)");
        let about = "Whether a step from (q0, t0) to (q1, t1) explains the kinetic energy after it:
T1 <= K (T0 + max(0, V0 - V1) + Td) + 2 h^2 A with K = NHI_LARGEST_GROWTH and the energies V at rest. Td is the
kinetic energy of the slowest admissible velocity after the step, and A that of the acceleration at rest, or where and as fast as
the drives move the system in the step. Without forces and drives, also
T1 + max(0, V1 - V0) <= K (T0 + max(0, V0 - V1)) + 4 h^2 A.";
        let ends = [("t0", "states0"), ("t1", "states1")];
        let potential = |q: &str| {
            let calls = ends.map(|(t, states)| {
                format!("(double){}", self.call(energy, Point { q, v: "rest", states, t }, ""))
            });
            calls.join(", ")
        };
        let kinetic = |q: &str, v: &str, t: &str| format!("{name}_kinetic_energy(p, {q}, {v}, {t}{u})");
        let multipliers = match self.m {
            0 => String::new(),
            m => format!("{real} lambda[{m}];\n"),
        };
        let results = if self.m > 0 { "other, lambda" } else { "other" };
        let push = |q: &str, v: &str, (t, states): (&str, &str)| {
            let call = self.call(acceleration, Point { q, v, states, t }, results);
            let energy = kinetic("q0", "other", "t0");
            format!("if ({call} == NHI_OK) {{\n    pushed = nhi_larger(pushed, {energy});\n}}\n")
        };
        let mut pushed: String = ends.iter().map(|&end| push("q0", "rest", end)).collect();
        if self.optimised.facts.affine {
            // Where and as fast as the drives move the system in the step.
            pushed.push_str(&self.driven(project));
            let places = [("q0", ends[0]), ("q0", ends[1]), ("moved", ends[1])];
            let driven: String = places.iter().map(|&(q, end)| push(q, "driven", end)).collect();
            let driven = driven.replace('\n', "\n    ");
            pushed.push_str(&format!("if (is_driven) {{\n    {}\n}}\n", driven.trim_end()));
        }
        let [risen, and_risen, passed, keep] = match self.optimised.facts.forced {
            true => ["", "", "0.0", ""],
            false => [
                "double risen = nhi_risen(potential0, potential1);\n",
                " + risen",
                "risen",
                "    risen = slowest > 0.0 ? 0.0 : risen;\n",
            ],
        };
        let unused = if self.states > 0 { "(void)states0;\n(void)states1;\n" } else { "" };
        let body = format!(
            "const {real} rest[{n}] = {{0}};
const double potential0[2] = {{{potential0}}};
const double potential1[2] = {{{potential1}}};
double owned = nhi_owned(before, potential0, potential1);
double pushed = 0.0;
{risen}{real} other[{n}] = {{0}};
{multipliers}{unused}if (after{and_risen} <= 2.0 * owned) {{
    return 1;
}}
if ({project} == NHI_OK) {{
    const double slowest = {slowest};
    owned = owned + slowest;
{keep}}}
nhi_unresolved({entries}, q0, h, {n}, other);
owned = owned + {resolved};
{pushed}return nhi_explains(owned, h, pushed, {passed}, after);",
            potential0 = potential("q0"),
            potential1 = potential("q1"),
            project = self.call(project, Point { q: "q1", v: "other", states: "states1", t: "t1" }, ""),
            slowest = kinetic("q1", "other", "t1"),
            resolved = kinetic("q0", "other", "t0"),
        );
        text.function(about, &head, &body);
    }

    /// Adds whether the velocities at a node where a method reflects leave enough digits for the step that departs from it.
    fn resolves(&self, text: &mut Text) {
        let Unit { name, real, n, .. } = self;
        let momentum = &self.optimised.system.momentum;
        let unused = if self.inputs > 0 { "(void)u;\n" } else { "" };
        let at = |v, out| self.call(momentum, Point { q: "q", v, states: "", t: "t" }, out);
        let (at_rest, less) = match self.optimised.facts.gyroscopic {
            false => (String::new(), String::new()),
            true => (
                format!(
                    "const {real} rest[{n}] = {{0}};\n{real} at_rest[{n}];\n{};\n",
                    at("rest", "at_rest")
                ),
                format!(
                    "    nhi_negated({n}, at_rest, negated);\n    nhi_add({n}, column, negated, column);\n"
                ),
            ),
        };
        let negated = if less.is_empty() { String::new() } else { format!("    {real} negated[{n}];\n") };
        let body = format!(
            "{real} along[{n}] = {{0}};
{real} column[{n}];
double of_motion = 0.0;
double of_jump = 0.0;
double product = 0.0;
{at_rest}(void)t;
{unused}for (int i = 0; i < {n}; ++i) {{
    const double motion = 0.5 * ((double)after[i] + (double)before[i]);
    const double jump = 0.5 * ((double)after[i] - (double)before[i]);
{negated}    along[i] = NHI_R(1.0);
    {column};
    along[i] = NHI_R(0.0);
{less}    of_motion += (double)column[i] * motion * motion;
    of_jump += (double)column[i] * jump * jump;
    for (int j = 0; j < {n}; ++j) {{
        product += jump * (double)column[j] * (0.5 * ((double)after[j] - (double)before[j]));
    }}
}}
return nhi_is_resolved(of_motion, of_jump, product);",
            column = at("along", "column"),
        );
        let parameters = [
            self.parameters(&["p", "q"]),
            self.array("before", *n),
            self.array("after", *n),
            self.parameters(&["t", "u"]),
        ];
        let head = format!("static int {name}_resolves({})", parameters.join(", "));
        let about = "Whether the momentum M v after a reflection is more than rounding, of these velocities before and after it.";
        text.function(about, &head, &body);
    }

    /// Declares the slowest admissible velocity before the step, whether it exists, and where it leads to.
    fn driven(&self, project: &Function) -> String {
        let Unit { real, entries, n, .. } = self;
        let shape = self.optimised.facts.shape;
        let project = self.call(project, Point { q: "q0", v: "driven", states: "states0", t: "t0" }, "");
        let coordinates = match shape {
            0 => String::new(),
            _ => format!("nhi_add({shape}, q0, by, moved);\n"),
        };
        let poses = self.optimised.facts.group.blocks(shape).into_iter().map(|block| {
            let Block { group, pose, velocity } = block;
            let (group, pose, velocity) = (group.runtime.to_lowercase(), pose.start, velocity.start);
            format!("nhi_{group}_displaced(q0 + {pose}, by + {velocity}, moved + {pose});\n")
        });
        let moved: String = [coordinates].into_iter().chain(poses).collect();
        format!(
            "{real} driven[{n}] = {{0}};
{real} by[{n}];
{real} moved[{entries}];
const int is_driven = {project} == NHI_OK;
nhi_times({n}, driven, h, by);
{moved}"
        )
    }
}

impl Method<'_, '_> {
    /// The kinetic energy of the state `node` as `called`, of parameters `p` at the time `t`.
    pub(super) fn kinetic_energy(&self, called: &str, (p, node, t): (&str, &str, &str)) -> String {
        let (Unit { name, real, n, .. }, u) = (self.unit, self.unit.u());
        match self.functions.state {
            StateKind::Node => {
                format!("{called} = {name}_kinetic_energy({p}, {node}.q, {node}.v, {t}{u});\n")
            }
            StateKind::Jump => format!(
                "{{
    {real} v[{n}];
    {}    {called} = {name}_kinetic_energy({p}, {node}.q, v, {t}{u});
}}
",
                self.velocity_of(node, "v")
            ),
        }
    }

    /// Refuses the step from the time `begin` to the state `next` if its kinetic energy is not explained.
    pub(super) fn test_of(&self, next: &str, begin: &str) -> String {
        let (Unit { name, real, .. }, u) = (self.unit, self.unit.u());
        let [states0, states1] = match self.unit.states {
            0 => Default::default(),
            _ => ["sim->node", next].map(|node| format!(", {node}.states")),
        };
        let before = match self.functions.state {
            StateKind::Node => "sim->kinetic_energy".to_owned(),
            // The motion exchanges energy with a parasitic mode.
            StateKind::Jump => {
                let [before, after] = ["v_pre", "v_post"].map(|v| {
                    format!("{name}_kinetic_energy(&sim->parameters, sim->node.q, sim->node.{v}, {begin}{u})")
                });
                format!("0.5 * ({before} + {after})")
            }
        };
        let explained = format!(
            "{name}_explains(&sim->parameters, sim->h, sim->node.q{states0}, {begin}, {next}.q{states1}, t1{u}, before, \
             kinetic_energy)"
        );
        let resolves = match self.functions.state {
            StateKind::Jump if self.unit.tests_reflections => {
                let velocities = "sim->node.v_pre, sim->node.v_post";
                let are_far = format!("nhi_are_far({}, {velocities})", self.unit.n);
                let call =
                    format!("{name}_resolves(&sim->parameters, sim->node.q, {velocities}, {begin}{u})");
                fail_if(&format!("{are_far} && !{call}"), "NHI_SINGULAR_MASS")
            }
            _ => String::new(),
        };
        let unexplained = format!("!(kinetic_energy <= 2.0 * before) && !{explained}");
        let test = format!("const double before = {before};\n{}", fail_if(&unexplained, "NHI_ENERGY_JUMP"));
        format!(
            "const {real} t1 = ({real})(sim->steps + 1) * sim->h;\ndouble kinetic_energy;\n{}{}{resolves}",
            self.kinetic_energy("kinetic_energy", ("&sim->parameters", next, "t1")),
            guard("!(kinetic_energy <= 2.0 * sim->kinetic_energy)", &test),
        )
    }
}
