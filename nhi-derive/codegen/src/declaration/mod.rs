//! From tokens to a `System`: parsing, names, lowering, and every check that ends in an error of
//! the user's.
//!
//! 1. `attribute` and `fields` read the syntax and go on after mistakes.
//! 2. `families` writes out what is declared for every value of a loop variable.
//! 3. `names` resolves names and checks where each may be used, `shapes` which expressions are vectors.
//! 4. `lower` makes expressions, `forms` takes them apart as polynomials in the velocities and
//!    differentials.
//!
//! Errors are collected in one `error::Context`. After this stage nothing about a declaration can
//! be wrong but the choice of methods.

mod ast;
mod attribute;
mod conditions;
mod cursor;
mod definitions;
mod error;
mod families;
mod fields;
mod forms;
mod functions;
mod grammar;
mod group;
mod integers;
mod lower;
mod names;
mod number;
mod polynomial;
mod shallow;
mod shapes;
mod state_names;
mod stub;

pub use error::{Error, Extent};
pub use fields::Field;
pub use names::Unused;
pub(crate) use shallow::shallow;
pub(crate) use state_names::NamedField;
pub use state_names::StateNames;
pub use stub::stub;

use crate::expr::group::Product;
use crate::expr::linear::dot;
use crate::expr::{Expr, Pool};
use crate::mechanics::multipliers::{self, Unsolvable};
use crate::system::{Body, Constraint, Quantity, Source, System};
use ast::{Ast, Name};
use attribute::{Asked, Attributes, Declared, Drawn, Form, Indexed, Let, Rate, WHAT_TO_DECLARE, quoted};
use definitions::entry;
use error::Context;
use families::{Instance, Items};
use forms::OneForm;
use group::Factor;
use integers::{Constants, Loops};
use lower::{Lowering, Reported, Symbols};
use names::{Facts, Meaning, Place, Resolver, Scope, nearest};
use nhi_methods::Method;
use shapes::Shape;
use std::collections::{HashMap, HashSet};
use std::fmt;
use syn::ext::IdentExt;

/// Most coordinates, and most parameters and inputs, that are written out.
const MAX_COORDINATES: usize = 256;
const MAX_QUANTITIES: usize = 4096;

/// What stands in `methods(...)` for every method that applies.
const ALL_METHODS: &str = "all";

/// A declaration without errors.
#[derive(Clone)]
pub struct Declaration {
    /// The struct.
    pub ident: syn::Ident,
    /// Its generics, which no parameter field depends on. Where the declaration uses a const parameter, without those
    /// that have default values: it is declared for these.
    pub generics: syn::Generics,
    /// Its parameter fields.
    pub fields: Vec<Field>,
    /// Path of the runtime crate.
    pub runtime: syn::Path,
    /// Its meaning.
    pub system: System,
    /// Whether methods that do not apply to the system are left out, and are no errors: `methods(all)`.
    pub all_methods: bool,
    /// The parameters and inputs that no formula uses.
    pub unused: Vec<Unused>,
    /// The spans of its parts, for errors of later stages.
    pub extents: Extents,
}

// By hand, here and below: with its feature for `Debug`, `syn` would be built twice.
impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_struct("Declaration").field("ident", &self.ident).field("system", &self.system))
            .finish_non_exhaustive()
    }
}

/// The spans of the parts of a declaration.
#[derive(Clone, Debug)]
pub struct Extents {
    /// The word `group`, if there is one.
    pub group: Option<Extent>,
    /// The Lagrangian.
    pub lagrangian: Extent,
    /// Each constraint.
    pub constraints: Vec<Extent>,
    /// The force, if there is one.
    pub force: Option<Extent>,
    /// Each method; the name of the struct where `methods(...)` is left out.
    pub methods: Vec<Extent>,
    /// The word `derivatives` of each method whose steps are to be differentiated.
    pub derivatives: Vec<Extent>,
}

/// A declaration with errors, and its known properties.
#[derive(Clone)]
pub struct Rejected {
    /// All errors, in the order of the source.
    pub errors: Vec<Error>,
    /// Path of the runtime crate.
    pub runtime: syn::Path,
    /// Number of coordinates and of velocities, if there is no group factor.
    pub n: Option<usize>,
    /// Number of constraints.
    pub m: Option<usize>,
    /// Number of inputs.
    pub inputs: Option<usize>,
    /// Number of auxiliary states.
    pub states: Option<usize>,
    /// Its names, if there is no mistake in them.
    pub names: Option<StateNames>,
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rejected").field("errors", &self.errors).finish_non_exhaustive()
    }
}

impl Rejected {
    /// A declaration without known properties.
    pub(crate) fn unread() -> Box<Rejected> {
        let runtime = default_runtime();
        Box::new(Rejected {
            errors: Vec::new(),
            runtime,
            n: None,
            m: None,
            inputs: None,
            states: None,
            names: None,
        })
    }
}

/// The default path of the runtime crate.
fn default_runtime() -> syn::Path {
    syn::parse_quote!(::nhi_runtime)
}

impl Declaration {
    /// Reads the `#[nonholonomic(...)]` attributes and the fields of a struct.
    ///
    /// # Errors
    /// Every mistake that can be found, at once.
    pub fn parse(input: &syn::DeriveInput) -> Result<Declaration, Box<Rejected>> {
        let context = Context::new();
        let constants = Constants::of(&input.generics);
        let attributes = Attributes::parse(&input.attrs, &constants, &context);
        let fields = fields::parse(input, &context);
        let runtime = attributes.runtime.value().cloned().unwrap_or_else(default_runtime);
        let methods = methods(&attributes, input, &context);
        missing_keys(&attributes, input, &context);

        let (mut scope, counts) = scope(&attributes, &fields, constants, &context);
        let lets = scope.define_entries(&attributes.lets, &context);
        let resolved = counts.and_then(|_| Resolved::new(&attributes, lets, &scope, &context));
        let m = resolved.as_ref().and_then(Resolved::number_of_constraints);
        let names = resolved.as_ref().and_then(|resolved| resolved.names(&scope));
        let meaning = resolved.and_then(|resolved| resolved.lower(&fields.parameters));
        let errors = context.check();
        match meaning {
            Some(meaning) if errors.is_empty() => {
                let mut system = meaning.system;
                system.name = input.ident.unraw().to_string();
                system.methods = methods.iter().map(|asked| asked.method).collect();
                let mut extents = meaning.extents;
                extents.methods = methods.iter().map(|asked| asked.at).collect();
                let differentiated =
                    methods.iter().filter_map(|asked| Some((asked.method, asked.derivatives?)));
                (system.differentiated, extents.derivatives) = differentiated.unzip();
                Ok(Declaration {
                    ident: input.ident.clone(),
                    generics: match scope.constants().are_used() {
                        true => integers::at_defaults(&input.generics),
                        false => input.generics.clone(),
                    },
                    fields: fields.parameters,
                    runtime,
                    system,
                    all_methods: attributes.methods.value().is_some_and(|all| asks_for_all(all).is_some()),
                    unused: scope.unused(),
                    extents,
                })
            }
            _ => Err(Box::new(Rejected {
                errors,
                runtime,
                // If names are wrong, their number may be wrong too.
                n: counts
                    .map(|c| c.coordinates)
                    .filter(|n| *n > 0 && scope.is_sound() && !scope.has_unknown())
                    .filter(|_| attributes.group.key().is_none()),
                m,
                inputs: counts.map(|c| c.inputs),
                states: counts.map(|c| c.states),
                names,
            })),
        }
    }

    /// The declaration with errors that a later stage found.
    pub fn reject(&self, errors: Vec<Error>) -> Box<Rejected> {
        Box::new(Rejected {
            errors,
            runtime: self.runtime.clone(),
            n: Some(self.system.velocities.len()).filter(|_| self.system.group.is_trivial()),
            m: Some(self.system.constraints.len()),
            inputs: Some(self.system.inputs.len()),
            states: Some(self.system.states.len()),
            names: Some(StateNames::of(&self.system)),
        })
    }

    /// The same declaration with these methods instead of its own. Those of its own that are differentiated still are.
    pub fn with_methods(mut self, methods: Vec<Method>) -> Declaration {
        let differentiated = self.system.differentiated.into_iter().zip(self.extents.derivatives);
        (self.system.differentiated, self.extents.derivatives) =
            differentiated.filter(|(method, _)| methods.contains(method)).unzip();
        self.extents.methods = vec![self.ident.span().into(); methods.len()];
        self.system.methods = methods;
        self.all_methods = false;
        self
    }

    /// The same declaration with derivatives of the steps of these of its methods.
    pub fn with_derivatives(mut self, methods: Vec<Method>) -> Declaration {
        self.extents.derivatives = vec![self.ident.span().into(); methods.len()];
        self.system.differentiated = methods;
        self
    }

    /// An error about the `i`-th method, with the reason why it does not apply.
    pub fn method_error(&self, i: usize, reason: &str) -> Error {
        Error::new(
            self.extents.methods[i],
            format!("`{}` does not apply to this system: {reason}", self.system.methods[i].facts().marker),
        )
    }

    /// An error about the derivatives of the `i`-th method that is to be differentiated, with the reason why there are none.
    pub fn derivatives_error(&self, i: usize, reason: &str) -> Error {
        let method = self.system.differentiated[i].facts().marker;
        Error::new(
            self.extents.derivatives[i],
            format!("there are no derivatives of the steps of `{method}`: {reason}"),
        )
    }
}

/// Reports keys that cannot be left out.
fn missing_keys(attributes: &Attributes, input: &syn::DeriveInput, context: &Context) {
    let Some(at) = attributes.first else {
        context.push(
            Error::new(
                input.ident.span(),
                format!("`{}` has no `#[nonholonomic(...)]` attribute", input.ident),
            )
            .help(WHAT_TO_DECLARE),
        );
        return;
    };
    if attributes.malformed {
        return;
    }
    if let (Some(key), Some([])) =
        (attributes.coordinates.key(), attributes.coordinates.value().map(Vec::as_slice))
        && !attributes.names_missing
        && attributes.group.key().is_none()
    {
        context
            .push(Error::new(key, "a system has at least one coordinate").help("write `coordinates(x, y)`"));
    }
    let required = [
        ("coordinates", "coordinates(...)", attributes.coordinates.key().or(attributes.group.key())),
        ("lagrangian", "lagrangian = ...", attributes.lagrangian.key()),
        ("constraints", "constraints(...)", attributes.constraints.key().or(attributes.holonomic.key())),
    ];
    let missing: Vec<&str> = required
        .into_iter()
        .filter(|(key, _, at)| at.is_none() && !attributes.meant.contains(key))
        .map(|(_, written, _)| written)
        .collect();
    let help = match missing.as_slice() {
        [] => return,
        ["coordinates(...)"] => "name the configuration coordinates: `coordinates(x, y)`",
        ["lagrangian = ..."] => "for example `lagrangian = m/2*dot(x)^2`",
        ["constraints(...)"] => "for a system without constraints write `constraints()`",
        _ => "these have to be declared, in any order; `constraints()` is a system without constraints",
    };
    context.push(Error::new(at, format!("missing {}", quoted(&missing, "and"))).help(help));
}

/// A method to emit.
struct AskedFor {
    method: Method,
    /// Its name.
    at: Extent,
    /// The word `derivatives` behind it.
    derivatives: Option<Extent>,
}

/// The methods to emit.
fn methods(attributes: &Attributes, input: &syn::DeriveInput, context: &Context) -> Vec<AskedFor> {
    let alone = |method, at| AskedFor { method, at, derivatives: None };
    if attributes.methods.key().is_none() {
        let method =
            Method::default_of(attributes.group.key().is_some(), attributes.holonomic.key().is_some());
        return vec![alone(method, input.ident.span().into())];
    }
    let all = attributes.methods.value().map_or(&[][..], Vec::as_slice);
    if let Some(Asked { name, derivatives }) = asks_for_all(all) {
        if let Some(at) = derivatives {
            context.push(
                Error::new(*at, "derivatives are asked for method by method, because they are long")
                    .help("name the methods: `methods(Dla2 + derivatives, Rk4)`"),
            );
        }
        return Method::ALL.iter().map(|method| alone(*method, name.at)).collect();
    }
    let mut result: Vec<AskedFor> = Vec::new();
    for Asked { name, derivatives } in all {
        let Some(method) = Method::named(&name.text) else {
            context.push(unknown_method(name));
            continue;
        };
        match result.iter().find(|other| other.method == method) {
            Some(first) => context.push(
                Error::new(name.at, format!("the method `{}` is named twice", name.text))
                    .second(first.at, format!("`{}` is first named here", name.text)),
            ),
            None => result.push(AskedFor { method, at: name.at, derivatives: *derivatives }),
        }
    }
    result
}

fn asks_for_all(all: &[Asked]) -> Option<&Asked> {
    let [only] = all else { return None };
    (only.name.text == ALL_METHODS).then_some(only)
}

fn unknown_method(name: &Name) -> Error {
    if name.text == ALL_METHODS {
        return Error::new(name.at, "`all` stands alone: it means every method that applies")
            .help("write `methods(all)`, or leave `all` out");
    }
    let error = Error::new(name.at, format!("unknown method `{}`", name.text));
    if name.text == "Compose" {
        return error.help("compositions need no code of their own: name the method that is composed");
    }
    if let Some(method) = Method::with_id(&name.text) {
        return error.help(format!("did you mean `{}`?", method.facts().marker));
    }
    let markers: Vec<&str> = Method::ALL.iter().map(|method| method.facts().marker).collect();
    match nearest(&name.text, markers.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("expected one of {}", quoted(&markers, "or"))),
    }
}

/// Numbers of flattened quantities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    coordinates: usize,
    velocities: usize,
    parameters: usize,
    inputs: usize,
    states: usize,
}

/// Declares all names; the counts are missing where there are too many quantities to go on.
fn scope(
    attributes: &Attributes,
    fields: &fields::Fields,
    constants: Constants,
    context: &Context,
) -> (Scope, Option<Counts>) {
    let skipped = fields.skipped.iter().map(|ident| ident.unraw().to_string()).collect();
    let mut scope = Scope::new(skipped, constants, attributes.names_missing);
    let mut within = true;
    let mut counts = Counts::default();
    let mut take = |count: &mut usize, len: Option<usize>, most: usize, name: &Name, what: &str| {
        let first = *count;
        *count = count.saturating_add(len.unwrap_or(1));
        if first <= most && *count > most {
            context.push(Error::new(name.at, format!("a system has at most {most} {what}")));
        }
        within &= *count <= most;
        first
    };
    let declared = |slot: &attribute::Slot<Vec<Declared>>| slot.value().cloned().unwrap_or_default();
    for Declared { name, len } in declared(&attributes.coordinates) {
        let first = take(&mut counts.coordinates, len, MAX_COORDINATES, &name, "coordinates");
        scope.declare(&name, Meaning::Coordinate(first, len), context);
    }
    counts.velocities = counts.coordinates;
    for factor in attributes.factors() {
        for (part, name) in factor.group.pose.iter().zip(&factor.pose) {
            if let Some(name) = name {
                scope.declare(name, Meaning::Pose(counts.coordinates, *part), context);
            }
            counts.coordinates += part.entries();
        }
        for name in &factor.velocities {
            if let Some(name) = name {
                scope.declare(name, Meaning::Velocity(counts.velocities), context);
            }
            counts.velocities += 1;
        }
    }
    for Field { ident, len } in &fields.parameters {
        let name = Name { text: ident.unraw().to_string(), at: ident.span().into() };
        let first = take(&mut counts.parameters, *len, MAX_QUANTITIES, &name, "parameters");
        scope.declare(&name, Meaning::Parameter(first, *len), context);
    }
    for Declared { name, len } in declared(&attributes.inputs) {
        let first = take(&mut counts.inputs, len, MAX_QUANTITIES, &name, "inputs");
        scope.declare(&name, Meaning::Input(first, len), context);
    }
    for Declared { name, len } in declared(&attributes.states) {
        let first = take(&mut counts.states, len, MAX_COORDINATES, &name, "auxiliary states");
        scope.declare(&name, Meaning::State(first, len), context);
    }
    for definition in attributes.lets.written() {
        scope.define(definition, context);
    }
    scope.check_differentials(context);
    (scope, within.then_some(counts))
}

/// The result of lowering; `system.name`, the methods and their extents are left empty.
struct Lowered {
    system: System,
    extents: Extents,
}

/// Names `x`, or `y[0]`, `y[1]`, ... of an array.
fn flattened<'a>(declared: impl Iterator<Item = (&'a str, Option<usize>)>) -> Vec<String> {
    declared
        .flat_map(|(name, len)| match len {
            None => vec![name.to_owned()],
            Some(len) => (0..len).map(|i| format!("{name}[{i}]")).collect(),
        })
        .collect()
}

/// The expressions of a declaration, with families written out and names and shapes checked.
struct Resolved<'a> {
    attributes: &'a Attributes,
    coordinates: &'a [Declared],
    resolver: Resolver<'a>,
    /// The definitions in order, with whether they are without mistakes.
    lets: Vec<(Instance<'a, Let>, bool)>,
    lagrangian: Option<(&'a Ast, Option<Facts>)>,
    constraints: Vec<Stated<'a>>,
    /// Whether all constraints are known.
    complete: bool,
    force: Option<(&'a Ast, Option<Facts>)>,
    rates: Vec<Stepped<'a>>,
    bodies: Vec<Placed<'a>>,
}

/// A body as stated, without mistakes in names and shapes.
struct Placed<'a> {
    drawn: &'a Drawn,
    loops: Loops,
    /// Its name with its indices.
    name: String,
}

/// The rate of an auxiliary state as stated.
struct Stepped<'a> {
    rate: &'a Rate,
    loops: Loops,
    /// Its place among the states; without mistakes alone.
    state: Option<usize>,
    /// Whether names and shapes in its value are right.
    known: bool,
}

/// A constraint as stated, of one component or three.
struct Stated<'a> {
    form: &'a Form,
    place: Place,
    loops: Loops,
    facts: Option<Facts>,
    /// Its label, or its text without one.
    label: String,
    text: String,
}

impl Stated<'_> {
    fn is_vector(&self) -> bool {
        self.facts.is_some_and(|facts| facts.shape == Some(Shape::Vector))
    }

    /// How many constraints it is.
    fn rows(&self) -> usize {
        if self.is_vector() { 3 } else { 1 }
    }

    /// The label of its `i`-th component.
    fn label(&self, i: usize) -> String {
        match &self.form.label {
            _ if !self.is_vector() => self.label.clone(),
            Some(_) => format!("{}[{i}]", self.label),
            None => self.text(i),
        }
    }

    /// The labels of all components, where its author gave it one.
    fn labels(&self) -> impl Iterator<Item = Option<String>> + '_ {
        (0..self.rows()).map(|i| self.form.label.is_some().then(|| self.label(i)))
    }

    /// The text of its `i`-th component.
    fn text(&self, i: usize) -> String {
        if self.is_vector() { format!("({})[{i}]", self.text) } else { self.text.clone() }
    }
}

impl<'a> Resolved<'a> {
    /// Checks names and shapes. There is no result where the names of coordinates are not known: all would be wrong.
    fn new(
        attributes: &'a Attributes,
        lets: Vec<Instance<'a, Let>>,
        scope: &'a Scope,
        context: &'a Context,
    ) -> Option<Resolved<'a>> {
        let group = &attributes.group;
        let coordinates = match attributes.coordinates.value() {
            Some(coordinates) => coordinates.as_slice(),
            None if attributes.coordinates.key().is_none() && group.value().is_some() => &[],
            None => return None,
        };
        if group.key().is_some() && group.value().is_none() {
            return None;
        }
        let mut resolver = Resolver::new(scope, context);
        let lets = definitions(lets, &mut resolver);
        let lagrangian = attributes.lagrangian.value().map(|l| (l, resolver.check(l, Place::Lagrangian)));
        let (constraints, complete) = constraints(attributes, &mut resolver);
        let force = attributes.force.value().map(|f| (f, resolver.check(f, Place::Force)));
        let rates = rates(attributes, &mut resolver);
        let bodies = bodies(attributes, &mut resolver);
        Some(Resolved {
            attributes,
            coordinates,
            resolver,
            lets,
            lagrangian,
            constraints,
            complete,
            force,
            rates,
            bodies,
        })
    }

    /// Number of constraints, if there are no mistakes about it.
    fn number_of_constraints(&self) -> Option<usize> {
        let rows = self.constraints.iter().map(|stated| match stated.facts?.shape? {
            Shape::Vector => Some(3),
            _ => Some(1),
        });
        rows.sum::<Option<usize>>().filter(|_| self.complete)
    }

    /// The names of the numbers of a state, if there is no mistake in them.
    fn names(&self, scope: &Scope) -> Option<StateNames> {
        let labels = self.constraints.iter().flat_map(|stated| (0..stated.rows()).map(|i| stated.label(i)));
        let factors = self.attributes.factors();
        let is_empty = self.coordinates.is_empty() && factors.is_empty();
        let is_known = scope.is_sound() && !is_empty && self.number_of_constraints().is_some();
        is_known.then(|| StateNames {
            coordinates: flattened(self.coordinates.iter().map(|d| (d.name.text.as_str(), d.len))),
            pose: factors.iter().flat_map(Factor::coordinate_names).collect(),
            body_velocities: factors.iter().flat_map(Factor::velocity_names).collect(),
            states: flattened(
                self.attributes.states.value().into_iter().flatten().map(|d| (d.name.text.as_str(), d.len)),
            ),
            constraints: labels.collect(),
        })
    }
}

/// Checks the definitions of `let`. Of the instances of one item, errors are reported for the first that has any.
fn definitions<'a>(
    lets: Vec<Instance<'a, Let>>,
    resolver: &mut Resolver<'_>,
) -> Vec<(Instance<'a, Let>, bool)> {
    let mut failed: HashSet<*const Let> = HashSet::new();
    let check = |instance: Instance<'a, Let>| {
        let Let { name: Indexed { name, indices, at }, value } = instance.item;
        let value = value.as_ref().filter(|_| !failed.contains(&std::ptr::from_ref(instance.item)));
        let facts = value.and_then(|value| resolver.check_within(&instance.loops, value, Place::Let));
        if facts.is_none() {
            failed.insert(instance.item);
        }
        if let Some(Meaning::Let(i)) = resolver.scope.meaning(&name.text)
            && resolver.scope.definition(i).indices == indices.len()
        {
            resolver.define(i, *at, &name.text, facts);
        }
        (instance, facts.is_some())
    };
    lets.into_iter().map(check).collect()
}

/// Checks the constraints likewise, one-forms first, and says whether all of them are known.
fn constraints<'a>(attributes: &'a Attributes, resolver: &mut Resolver<'_>) -> (Vec<Stated<'a>>, bool) {
    let lists = [(&attributes.constraints, Place::Constraint), (&attributes.holonomic, Place::Holonomic)];
    let given: Vec<_> = lists.into_iter().filter(|(slot, _)| slot.key().is_some()).collect();
    let mut complete = !given.is_empty();
    let mut result = Vec::new();
    for (slot, place) in given {
        match slot.value() {
            Some(forms) => complete &= constraints_in(forms, place, resolver, &mut result),
            None => complete = false,
        }
    }
    (result, complete)
}

/// Appends the constraints of a list to `result`, and says whether all of them are known.
fn constraints_in<'a>(
    forms: &'a Items<Form>,
    place: Place,
    resolver: &mut Resolver<'_>,
    result: &mut Vec<Stated<'a>>,
) -> bool {
    let mut failed: HashSet<*const Form> = HashSet::new();
    let (instances, mut complete) = forms.instances(resolver, &mut |resolver, form| {
        if let Some(label) = &form.label
            && !resolver.indices(&label.indices)
        {
            failed.insert(form);
        }
    });
    for Instance { item: form, loops } in instances {
        let text = form.form.with_values(&loops, resolver.scope.constants()).to_string();
        let mut label = text.clone();
        let mut sound = !failed.contains(&std::ptr::from_ref(form));
        if let (true, Some(Indexed { name, indices, .. })) = (sound, &form.label) {
            let indices = indices.iter().map(|index| resolver.scope.integer(index, &loops));
            match indices.collect::<Result<Vec<_>, _>>() {
                Ok(indices) => label = entry(&name.text, &indices),
                Err(error) => {
                    resolver.context.push(error);
                    sound = false;
                }
            }
        }
        let facts = match sound {
            true => resolver.check_within(&loops, &form.form, place),
            false => None,
        };
        if facts.is_none() {
            failed.insert(form);
            complete = false;
        }
        result.push(Stated { form, place, loops, facts, label, text });
    }
    complete
}

/// Checks the dynamics of the auxiliary states. Of the instances of one item, errors are reported for the first that has
/// any.
fn rates<'a>(attributes: &'a Attributes, resolver: &mut Resolver<'_>) -> Vec<Stepped<'a>> {
    let (states, dynamics) = (&attributes.states, &attributes.dynamics);
    if let (None, Some(key)) = (states.key(), dynamics.key())
        && !attributes.names_missing
    {
        resolver.context.push(
            Error::new(key, "there are no auxiliary states that this could be the dynamics of")
                .help("declare their names: `states(z)`"),
        );
        return Vec::new();
    }
    let Some(items) = dynamics.value() else {
        if dynamics.key().is_none() {
            without_dynamics(states.value(), &HashMap::new(), resolver);
        }
        return Vec::new();
    };
    let mut failed: HashSet<*const Rate> = HashSet::new();
    let (instances, mut complete) = items.instances(resolver, &mut |resolver, rate| {
        if !resolver.indices(&rate.state.indices) {
            failed.insert(rate);
        }
    });
    let mut firsts: HashMap<usize, &Rate> = HashMap::new();
    let mut result = Vec::new();
    for Instance { item: rate, loops } in instances {
        let is_sound = !failed.contains(&std::ptr::from_ref(rate));
        let state = if is_sound { resolver.state(&rate.state, &loops) } else { None };
        complete &= state.is_some();
        let mut known = state.is_some();
        if let Some((state, name)) = &state {
            match firsts.get(state) {
                None => {
                    firsts.insert(*state, rate);
                }
                Some(first) => {
                    resolver.context.push(given_twice(name, rate, first));
                    known = false;
                }
            }
        }
        known &= is_sound && resolver.check_within(&loops, &rate.value, Place::Dynamics).is_some();
        if !known {
            failed.insert(rate);
        }
        result.push(Stepped { rate, loops, state: state.map(|(state, _)| state), known });
    }
    if complete {
        without_dynamics(states.value(), &firsts, resolver);
    }
    result
}

/// Checks the bodies likewise, and leaves out those with mistakes.
fn bodies<'a>(attributes: &'a Attributes, resolver: &mut Resolver<'_>) -> Vec<Placed<'a>> {
    let Some(items) = attributes.bodies.value() else { return Vec::new() };
    let mut failed: HashSet<*const Drawn> = HashSet::new();
    let (instances, _) = items.instances(resolver, &mut |resolver, drawn| {
        if !resolver.indices(&drawn.name.indices) {
            failed.insert(drawn);
        }
    });
    let mut firsts: HashMap<String, &Drawn> = HashMap::new();
    let mut result = Vec::new();
    for Instance { item: drawn, loops } in instances {
        if failed.contains(&std::ptr::from_ref(drawn)) {
            continue;
        }
        let Indexed { name, indices, .. } = &drawn.name;
        let indices = indices.iter().map(|index| resolver.scope.integer(index, &loops));
        let name = match indices.collect::<Result<Vec<_>, _>>() {
            Ok(indices) => entry(&name.text, &indices),
            Err(error) => {
                resolver.context.push(error);
                failed.insert(drawn);
                continue;
            }
        };
        if let Some(first) = firsts.get(&name) {
            resolver.context.push(drawn_twice(&name, drawn, first));
            failed.insert(drawn);
            continue;
        }
        let known = drawn.place.iter().map(|ast| resolver.check_within(&loops, ast, Place::Body).is_some());
        if known.collect::<Vec<_>>().contains(&false) {
            failed.insert(drawn);
        } else {
            result.push(Placed { drawn, loops, name: name.clone() });
        }
        firsts.insert(name, drawn);
    }
    result
}

/// An error about the second body with a name.
fn drawn_twice(name: &str, drawn: &Drawn, first: &Drawn) -> Error {
    let error = Error::new(drawn.name.at, format!("the body `{name}` is declared twice"));
    match std::ptr::eq(drawn, first) {
        true => error.help("in a family the index of the name has to depend on every loop variable"),
        false => error.second(first.name.at, format!("`{name}` is first declared here")),
    }
}

/// An error about the second rate of `state`.
fn given_twice(state: &str, rate: &Rate, first: &Rate) -> Error {
    let error = Error::new(rate.state.at, format!("the dynamics of `{state}` are given twice"));
    match std::ptr::eq(rate, first) {
        true => error.help("in a family the index of the state has to depend on every loop variable"),
        false => error.second(first.state.at, format!("the dynamics of `{state}` are first given here")),
    }
}

/// Reports the auxiliary states that are not among those `given` dynamics, the first entry of each name.
fn without_dynamics(
    states: Option<&Vec<Declared>>,
    given: &HashMap<usize, &Rate>,
    resolver: &mut Resolver<'_>,
) {
    for Declared { name, .. } in states.into_iter().flatten() {
        let Some(Meaning::State(first, len)) = resolver.scope.meaning(&name.text) else { continue };
        let Some(i) = (0..len.unwrap_or(1)).find(|i| !given.contains_key(&(first + i))) else { continue };
        let entry = if len.is_some() { format!("{}[{i}]", name.text) } else { name.text.clone() };
        resolver.context.push(
            Error::new(name.at, format!("there are no dynamics of `{entry}`"))
                .help(format!("write `dynamics(dot({entry}) = ...)`")),
        );
    }
}

impl Resolved<'_> {
    /// Makes expressions of everything, with all checks that need values.
    fn lower(self, parameters: &[Field]) -> Option<Lowered> {
        let Resolved {
            attributes,
            coordinates,
            resolver,
            lets,
            lagrangian,
            constraints,
            complete,
            force,
            rates,
            bodies,
        } = self;
        let factors = attributes.factors();
        let group = Product::new(factors.iter().map(|factor| factor.group).collect());
        // Symbols of the user's names come first. Factors are kept in this order: r*y, m*dot(x).
        let mut pool = Pool::new();
        let names = |declared: &[Declared]| flattened(declared.iter().map(|d| (d.name.text.as_str(), d.len)));
        let mut coordinate_names = names(coordinates);
        let mut velocity_names: Vec<String> = coordinate_names.iter().map(|c| format!("dot({c})")).collect();
        let differential_names: Vec<String> = coordinate_names.iter().map(|c| format!("d{c}")).collect();
        coordinate_names.extend(factors.iter().flat_map(Factor::coordinate_names));
        velocity_names.extend(factors.iter().flat_map(Factor::velocity_names));
        let state_names = names(attributes.states.value().map_or(&[], Vec::as_slice));
        let input_names = names(attributes.inputs.value().map_or(&[], Vec::as_slice));
        let fields: Vec<(String, Option<usize>)> =
            parameters.iter().map(|f| (f.ident.unraw().to_string(), f.len)).collect();
        let parameter_names = flattened(fields.iter().map(|(name, len)| (name.as_str(), *len)));
        let mut symbols = |names: Vec<String>| names.iter().map(|name| pool.symbol(name)).collect::<Vec<_>>();
        let mut symbols = Symbols {
            parameters: symbols(parameter_names.clone()),
            coordinates: symbols(coordinate_names.clone()),
            velocities: symbols(velocity_names.clone()),
            states: symbols(state_names.clone()),
            inputs: symbols(input_names.clone()),
            t: symbols(vec!["t".to_owned()])[0],
            rates: Vec::new(),
            basis: symbols(differential_names),
            differentials: Vec::new(),
            dt: symbols(vec!["dt".to_owned()])[0],
            free: HashMap::new(),
        };
        symbols.anchor(&mut pool, &group);
        let mut lowering = Lowering::new(pool, symbols, resolver);
        lowering.labels = complete.then(|| constraints.iter().flat_map(Stated::labels).collect());
        // An expression with unknown names has no meaning, but may contain other mistakes.
        let mut failed: HashSet<*const Let> = HashSet::new();
        let mut definitions = Vec::new();
        for (Instance { item, loops }, known) in lets {
            let value = item.value.as_ref().filter(|_| known || failed.insert(item));
            let value = value
                .and_then(|value| lowering.with_loops(&loops, |lowering| lowering.value(value).ok()))
                .filter(|_| known);
            if let (Some(value), Ok(key)) = (value, lowering.scope.key(item, &loops)) {
                definitions.extend(value.named(&entry(&item.name.name.text, &key)));
            }
            lowering.lets.push(value);
        }
        let lagrangian = lagrangian.and_then(|(ast, holds)| match holds {
            Some(_) => lowering.lagrangian_with_mass(ast).ok(),
            None => {
                lowering.blame_lagrangian(ast);
                None
            }
        });
        let constraints = lowering.independent_constraints(&constraints).filter(|_| complete);
        let lagrangian = match (lagrangian, &constraints) {
            (Some((lagrangian, mass)), Some(rows)) => {
                let ast = attributes.lagrangian.value()?;
                let is_singular = lowering.has_singular_mass(ast, &velocity_names, &mass, rows).ok();
                is_singular.map(|is_singular| (lagrangian, is_singular))
            }
            _ => None,
        };
        let force_form = match force {
            Some((ast, Some(_))) => {
                lowering.force(ast).ok().inspect(|form| lowering.check_numbers(form, ast.at))
            }
            Some((ast, None)) => {
                lowering.blame_force(ast);
                None
            }
            None => {
                let zero = lowering.pool.zero();
                Some(vec![zero; velocity_names.len()])
            }
        };
        let force_form = match (force_form, force, &constraints) {
            (Some(form), Some((ast, _)), Some(rows)) => {
                lowering.check_multipliers(&form, ast.at, rows).then_some(form)
            }
            (form, ..) => form,
        };
        let dynamics = lowering.dynamics(&rates, state_names.len());
        let bodies = lowering.bodies(&bodies);

        let ((lagrangian, has_singular_mass), rows, force_form, dynamics) =
            (lagrangian?, constraints?, force_form?, dynamics?);
        let (constraints, texts) =
            rows.into_iter().map(|row| (row.constraint, (row.text, row.at))).unzip::<_, _, Vec<_>, Vec<_>>();
        let (texts, places): (Vec<String>, Vec<Extent>) = texts.into_iter().unzip();
        let (mut force_form, mut rates) = (force_form, dynamics.rates);
        let Lowering { mut pool, symbols, tables, multipliers, energy, .. } = lowering;
        if let Some(symbol) = energy {
            let momentum = pool.gradient(lagrangian, &symbols.velocities);
            let twice_kinetic = dot(&mut pool, &momentum, &symbols.velocities);
            let image = HashMap::from([(symbol, pool.sub(twice_kinetic, lagrangian))]);
            force_form = pool.substitute(&force_form, &image);
            rates = pool.substitute(&rates, &image);
            for definition in &mut definitions {
                definition.value = pool.substitute(&[definition.value], &image)[0];
            }
        }
        let quantities = |names: Vec<String>, symbols: &[Expr]| {
            names.into_iter().zip(symbols).map(|(name, &symbol)| Quantity { name, symbol }).collect()
        };
        let force = force.map(|(ast, _)| ast);
        let lagrangian_ast = attributes.lagrangian.value()?;
        Some(Lowered {
            system: System {
                name: String::new(),
                velocities: quantities(velocity_names, &symbols.velocities),
                coordinates: quantities(coordinate_names, &symbols.coordinates),
                group,
                fields: parameters.iter().map(|field| (field.ident.to_string(), field.len)).collect(),
                parameters: quantities(parameter_names, &symbols.parameters),
                inputs: quantities(input_names, &symbols.inputs),
                states: quantities(state_names, &symbols.states),
                t: symbols.t,
                definitions,
                lagrangian,
                has_singular_mass,
                constraints,
                force: force_form,
                multipliers,
                tables,
                dynamics: rates,
                bodies,
                methods: Vec::new(),
                differentiated: Vec::new(),
                source: Source {
                    lagrangian: lagrangian_ast.to_string(),
                    constraints: texts,
                    force: force.map(ToString::to_string),
                    dynamics: dynamics.texts,
                },
                pool,
            },
            extents: Extents {
                group: attributes.group.key(),
                lagrangian: lagrangian_ast.at,
                constraints: places,
                force: force.map(|f| f.at),
                methods: Vec::new(),
                derivatives: Vec::new(),
            },
        })
    }
}

impl Lowering<'_> {
    /// L and its mass matrix.
    fn lagrangian_with_mass(&mut self, ast: &Ast) -> Result<(Expr, Vec<Vec<Expr>>), Reported> {
        let (lagrangian, mass) = self.lagrangian(ast)?;
        self.check_numbers(&[lagrangian], ast.at);
        self.check_derivatives(ast, lagrangian);
        Ok((lagrangian, mass))
    }

    /// Whether a mass matrix is singular everywhere. It must not be so on the velocities that the constraints admit.
    fn has_singular_mass(
        &mut self,
        ast: &Ast,
        names: &[String],
        mass: &[Vec<Expr>],
        constraints: &[Row],
    ) -> Result<bool, Reported> {
        let n = mass.len();
        if !self.scope.is_sound() || self.rank(mass) == n {
            return Ok(false);
        }
        // A semidefinite M is definite on the kernel of μ if no vector is in both kernels.
        let forms = constraints.iter().map(|row| row.constraint.form.clone());
        let rows: Vec<Vec<Expr>> = mass.iter().cloned().chain(forms).collect();
        let rank = self.rank(&rows);
        if rank == n {
            return Ok(true);
        }
        // Its components: columns that the others span.
        let mut without_energy = Vec::new();
        for (j, name) in names.iter().enumerate() {
            let columns = rows.iter().map(|row| [&row[..j], &row[j + 1..]].concat()).collect::<Vec<_>>();
            if self.rank(&columns) == rank {
                without_energy.push(name.clone());
            }
        }
        let is_absent = |name: &&String| {
            let j = names.iter().position(|other| other == *name);
            j.is_some_and(|j| rows.iter().all(|row| self.pool.is_zero(row[j])))
        };
        let error = match constraints {
            [] => {
                Error::new(ast.at, "this Lagrangian is not regular: its mass matrix is singular everywhere")
            }
            _ => Error::new(
                ast.at,
                "this Lagrangian is not regular: its mass matrix is singular on the velocities that the constraints admit",
            ),
        };
        let help = match without_energy.iter().all(|name| is_absent(&name)) {
            true => format!("the kinetic energy does not depend on {}", quoted(&without_energy, "or")),
            false => format!("some combination of {} has no kinetic energy", quoted(&without_energy, "and")),
        };
        self.push(error.help(help));
        Err(Reported)
    }

    /// Whether the multipliers in a force can be solved for; otherwise that is reported.
    fn check_multipliers(&mut self, force: &[Expr], at: Extent, rows: &[Row]) -> bool {
        let symbols: Vec<Expr> = self.multipliers.iter().map(|(_, symbol)| *symbol).collect();
        if !force.iter().any(|&f| self.pool.depends_on(f, &symbols)) {
            return true;
        }
        let inputs = self.symbols.inputs.clone();
        if let Some(row) = rows.iter().find(|row| self.pool.depends_on(row.constraint.dt, &inputs)) {
            let message =
                "the multiplier of a constraint may not act in a force where an input drives a constraint";
            self.push(
                Error::new(at, message)
                    .second(row.at, "this constraint depends on an input, of which the rate, and so the multiplier, is unknown")
                    .help("make what is driven an auxiliary state or a function of `t`"),
            );
            return false;
        }
        let Err(why) = multipliers::check(&mut self.pool, force, &symbols) else { return true };
        let error = match why {
            Unsolvable::NotAffine => Error::new(at, "the force is not affine in the multipliers of constraints")
                .help("`lambda(...)` may be a factor, and stand in piecewise functions such as `abs`, `max` and `min`"),
            Unsolvable::TooManyConditions => {
                Error::new(at, "too many piecewise functions of multipliers").help("five conditions are the most")
            }
        };
        self.push(error);
        false
    }

    /// The rates of the auxiliary states, in the order of these.
    fn dynamics(&mut self, rates: &[Stepped<'_>], count: usize) -> Option<Dynamics> {
        let mut values: Vec<Option<(Expr, String)>> = vec![None; count];
        let mut failed: HashSet<*const Rate> = HashSet::new();
        for Stepped { rate, loops, state, known } in rates {
            if failed.contains(&std::ptr::from_ref(*rate)) {
                continue;
            }
            let value = self.with_loops(loops, |this| this.lower(&rate.value).ok());
            match (value, state) {
                (Some(value), Some(state)) if *known => {
                    self.check_numbers(&[value], rate.value.at);
                    let text = rate.value.with_values(loops, self.scope.constants()).to_string();
                    values[*state] = Some((value, text));
                }
                _ => {
                    failed.insert(*rate);
                }
            }
        }
        let (rates, texts) = values.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Dynamics { rates, texts })
    }

    /// The bodies, as texts. Their values are computed for errors alone.
    fn bodies(&mut self, bodies: &[Placed<'_>]) -> Vec<Body> {
        if bodies.is_empty() {
            return Vec::new();
        }
        // The order of terms in the equations does not depend on what pictures show.
        let (pool, tables) = (self.pool.clone(), self.tables.clone());
        let (multipliers, energy) = (self.multipliers.clone(), self.energy);
        let mut failed: HashSet<*const Drawn> = HashSet::new();
        let mut result = Vec::with_capacity(bodies.len());
        for Placed { drawn, loops, name } in bodies {
            if failed.contains(&std::ptr::from_ref(*drawn)) {
                continue;
            }
            let place = drawn.place.each_ref().map(|ast| {
                match self.with_loops(loops, |this| this.lower(ast).ok()) {
                    Some(value) => self.check_numbers(&[value], ast.at),
                    None => {
                        failed.insert(*drawn);
                    }
                }
                ast.with_values(loops, self.scope.constants()).to_string()
            });
            result.push(Body { name: name.clone(), shape: drawn.shape, place });
        }
        (self.pool, self.tables) = (pool, tables);
        (self.multipliers, self.energy) = (multipliers, energy);
        result
    }

    /// The constraints, with labels, not more than n and independent almost everywhere. Of the
    /// instances of one item, errors are reported for the first that has any.
    fn independent_constraints(&mut self, constraints: &[Stated<'_>]) -> Option<Vec<Row>> {
        let n = self.symbols.velocities.len();
        let mut complete = !self.scope.is_sound() || self.few_enough(constraints);
        let mut result: Vec<Row> = Vec::new();
        let mut forms = Vec::new();
        let mut labels: HashMap<String, &Form> = HashMap::new();
        let mut failed: HashSet<*const Form> = HashSet::new();
        for stated in constraints {
            let form = stated.form;
            let is_sound = !failed.contains(&std::ptr::from_ref(form));
            let components = self.with_loops(&stated.loops, |this| match (stated.facts, stated.place) {
                _ if !is_sound => None,
                (Some(_), Place::Holonomic) => this.value(&form.form).ok().map(|value| {
                    let components = value.entries().iter().map(|&g| (this.differential(g), Some(g)));
                    components.collect::<Vec<_>>()
                }),
                (None, Place::Holonomic) => this.value(&form.form).ok().and(None),
                (Some(facts), _) => {
                    let one_forms = this.constraint(&form.form, facts.holds).ok();
                    one_forms.map(|one_forms| one_forms.into_iter().map(|form| (form, None)).collect())
                }
                (None, _) => {
                    this.blame_constraint(&form.form);
                    None
                }
            });
            let Some(components) = components else {
                failed.insert(form);
                complete = false;
                continue;
            };
            for (i, (OneForm { coefficients, dt }, position)) in components.into_iter().enumerate() {
                let label = stated.label(i);
                if let Some(Indexed { name, at, .. }) = &form.label
                    && let Some(first) = labels.insert(label.clone(), form)
                    && failed.insert(form)
                {
                    let error = Error::new(*at, format!("the label `{label}` is used twice"));
                    self.push(match &first.label {
                        Some(first) if !std::ptr::eq(first, form.label.as_ref().unwrap_or(first)) => {
                            error.second(first.at, format!("`{label}` is first used here"))
                        }
                        _ => error.help(format!("number the labels of a family: `{}[i]`", name.text)),
                    });
                    complete = false;
                    break;
                }
                let all: Vec<_> = coefficients.iter().copied().chain([dt]).chain(position).collect();
                self.check_numbers(&all, form.form.at);
                if position.is_some_and(|g| self.pool.has_select(&[g])) {
                    let message = "a piecewise function may not stand in a position constraint";
                    self.push(
                        Error::new(form.form.at, message)
                            .help("its differential, a constraint on velocities, would jump"),
                    );
                    complete = false;
                    continue;
                }
                forms.push(coefficients.clone());
                if self.scope.is_sound() && forms.len() <= n && self.rank(&forms) < forms.len() {
                    forms.pop();
                    complete = false;
                    if failed.insert(form) {
                        let alone = coefficients.iter().all(|e| self.vanishes(*e));
                        self.push(dependent(stated, i, alone, &result));
                    }
                    continue;
                }
                let constraint = Constraint { label, form: coefficients, dt, position };
                result.push(Row { constraint, text: stated.text(i), at: form.form.at });
            }
        }
        complete.then_some(result)
    }

    /// Whether there are at most n constraints, or n − 1 with position constraints; otherwise that is reported.
    fn few_enough(&self, constraints: &[Stated<'_>]) -> bool {
        let n = self.symbols.velocities.len();
        let of = if self.symbols.rates == self.symbols.velocities { "coordinates" } else { "velocities" };
        let are_forms = constraints.iter().all(|stated| stated.place == Place::Constraint);
        let most = if are_forms { n } else { n.saturating_sub(1) };
        let mut count = 0;
        let mut excess = None;
        for stated in constraints {
            count += stated.rows();
            if count > most {
                excess.get_or_insert(stated.form.form.at);
            }
        }
        let Some(at) = excess else { return true };
        let (what, help) = if are_forms {
            let help = format!(
                "n {of} can have at most n constraints, here {most}; leave out those that follow from others"
            );
            (" one-forms", help)
        } else {
            let help = format!(
                "with position constraints n {of} can have at most n - 1 constraints, here {most}: what n of them determine \
                 is no motion with a start of its own; as one-forms, `d(...)` in `constraints`, n are possible"
            );
            ("", help)
        };
        self.push(Error::new(at, format!("too many constraints: {count}{what} for {n} {of}")).help(help));
        false
    }
}

/// Rates of auxiliary states with their texts.
struct Dynamics {
    rates: Vec<Expr>,
    texts: Vec<String>,
}

/// A constraint with its text and place.
struct Row {
    constraint: Constraint,
    text: String,
    at: Extent,
}

/// An error about the `i`-th component of a constraint, which depends on the constraints before it, or whose one-form
/// is zero if it does so `alone`.
fn dependent(stated: &Stated<'_>, i: usize, alone: bool, before: &[Row]) -> Error {
    let is_position = stated.place == Place::Holonomic;
    let constraint = if is_position { "this position constraint" } else { "this constraint" };
    let error = |whole: &str, what: &str| {
        let component = format!("component {i} of {constraint}");
        let subject = if stated.is_vector() { &component } else { whole };
        Error::new(stated.form.form.at, format!("{subject} {what}"))
    };
    match (alone, is_position) {
        (true, true) => error(constraint, "does not depend on the configuration"),
        (true, false) => error(constraint, "has no differential or velocity in it")
            .help("a condition on positions is declared in `holonomic(...)`, its differential is `d(...)`"),
        (false, true) => error(constraint, "depends on the constraints before it")
            .help("its differential is a combination of theirs, everywhere; leave one of them out"),
        (false, false) => {
            let others = match before {
                [one] => format!("`{}`", one.constraint.label),
                _ => "the ones before it".to_owned(),
            };
            error("this one-form", &format!("depends on {others}, everywhere"))
                .help("constraints have to be linearly independent, at least almost everywhere")
        }
    }
}
