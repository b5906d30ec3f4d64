//! Steps of a composition: several steps of the method, each of its own size.

use super::function::{constant, guard};
use super::method::Method;
use nhi_methods::Composition;

/// The substeps of a composition in `float` or `double`, as the runtime's `Compose` takes them.
pub(super) struct Substeps {
    /// γ.
    pub(super) gamma: Vec<String>,
    /// Σ γ of those before.
    before: Vec<String>,
    /// The place of γ in `sizes`.
    size: Vec<String>,
    /// The different γ.
    pub(super) sizes: Vec<String>,
}

impl Substeps {
    pub(super) fn of(composition: Composition, real: &str) -> Substeps {
        let round = |x: f64| if real == "float" { f64::from(x as f32) } else { x };
        let (mut sum, mut sizes) = (0.0, Vec::new());
        let [mut gammas, mut before, mut size] = [const { Vec::new() }; 3];
        for gamma in composition.coefficients(round) {
            let text = constant(gamma, real);
            let place = sizes.iter().position(|other| *other == text).unwrap_or(sizes.len());
            if place == sizes.len() {
                sizes.push(text.clone());
            }
            size.push(place.to_string());
            before.push(constant(sum, real));
            gammas.push(text);
            sum = round(sum + gamma);
        }
        Substeps { gamma: gammas, before, size, sizes }
    }

    pub(super) fn count(&self) -> usize {
        self.gamma.len()
    }
}

impl Method<'_, '_> {
    /// The body of `_step` of a composition.
    pub(super) fn composed_step(&self, substeps: &Substeps) -> String {
        let real = self.unit.real;
        let [before, after] = self.counts_of_step();
        format!(
            "{before}{steps}{test}sim->steps += 1;
{flush}sim->node = now;
sim->kinetic_energy = kinetic_energy;
{after}return NHI_OK;",
            steps = self.substeps_from(substeps, "", "&sim->statistics.evaluations"),
            test = self.test_of("now", &format!("({real})sim->steps * sim->h")),
            flush = self.flush_if_due("now"),
        )
    }

    /// All substeps from the state of a simulation to `now`, with `statements` where each begins. Evaluations with a safeguard are
    /// counted in `evaluations`.
    pub(super) fn substeps_from(&self, substeps: &Substeps, statements: &str, evaluations: &str) -> String {
        let Method { unit, name, functions, .. } = self;
        let (real, u, n) = (unit.real, unit.u(), substeps.count());
        let table = |ty: &str, name: &str, values: &[String]| {
            format!("const {ty} {name}[{n}] = {{{}}};\n", values.join(", "))
        };
        let mut tables = table(real, "gamma", &substeps.gamma) + &table(real, "before", &substeps.before);
        let mut prepared = "";
        if !self.prepared.is_empty() {
            tables.push_str(&table("int", "size", &substeps.size));
            prepared = "&sim->prepared[size[i]], ";
        }
        let carry = |condition: &str, called: &str, arguments: &str| {
            let call = self.call(called, &format!("{arguments}, &carried"));
            guard(condition, &format!("{name}_carried carried;\n{call}now.carried = carried;\n"))
        };
        let resync = functions.resync.as_ref().map(|_| carry("1", "resync", "&now"));
        let rescale = functions.rescale.as_ref();
        let rescale = rescale.map(|_| carry("i > 0", "rescale", "&sim->parameters, h, &now, t"));
        let update = functions.update_velocity.as_ref();
        let update = update.map(|_| {
            let length = unit.n;
            let call = self.call("update_velocity", "h, &now, &next, v");
            format!("{real} v[{length}];\n{call}nhi_copy({length}, v, next.v);\n")
        });
        let [resync, rescale, update] = [resync, rescale, update].map(Option::unwrap_or_default);
        let counted = self.counted(evaluations);
        let next = self.call("next", &format!("{prepared}&now, t{u}, &next{counted}"));
        let substep = format!(
            "const {real} h = sim->h * gamma[i];
const {real} t = ({real})sim->steps * sim->h + sim->h * before[i];
{name}_node next;
(void)h;
{rescale}{statements}{next}{update}now = next;"
        );
        let substep: String = substep.lines().map(|line| format!("    {line}\n")).collect();
        format!(
            "{tables}{name}_node now = sim->node;
nhi_status status;
{check}{resync}for (int i = 0; i < {n}; ++i) {{
{substep}}}
",
            check = self.check_inputs(),
        )
    }
}
