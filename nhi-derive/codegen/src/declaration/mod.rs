//! From tokens to a `System`: parsing, names, lowering, and every check that ends in an error of
//! the user's.
//!
//! 1. `attribute` and `fields` read the syntax and go on after mistakes.
//! 2. `names` resolves names and checks where each may be used.
//! 3. `lower` makes expressions, `forms` takes them apart as polynomials in the velocities and
//!    differentials.
//!
//! Errors are collected in one `error::Context`. After this stage nothing about a declaration can
//! be wrong but the choice of methods.

mod ast;
mod attribute;
mod cursor;
mod error;
mod fields;
mod forms;
mod functions;
mod grammar;
mod group;
mod lower;
mod names;
mod number;
mod polynomial;
mod shallow;
mod stub;

pub use error::{Error, Extent};
pub use fields::Field;
pub(crate) use shallow::shallow;
pub use stub::stub;

use crate::expr::{Expr, Pool};
use crate::system::{Constraint, Quantity, Source, System};
use ast::{Ast, Name};
use attribute::{Attributes, Declared, WHAT_TO_DECLARE, quoted};
use error::Context;
use lower::{Lowering, Reported, Symbols};
use names::{Holds, Meaning, Place, Resolver, Scope, nearest};
use nhi_methods::Method;
use std::collections::HashMap;
use syn::ext::IdentExt;

/// Most coordinates, and most parameters and inputs, that are written out.
const MAX_COORDINATES: usize = 256;
const MAX_QUANTITIES: usize = 4096;

/// What stands in `methods(...)` for every method that applies.
const ALL_METHODS: &str = "all";

/// A declaration without errors.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The struct.
    pub ident: syn::Ident,
    /// Its generics, which no parameter depends on.
    pub generics: syn::Generics,
    /// Its parameter fields.
    pub fields: Vec<Field>,
    /// Path of the runtime crate.
    pub runtime: syn::Path,
    /// Its meaning.
    pub system: System,
    /// Whether methods that do not apply to the system are left out, and are no errors: `methods(all)`.
    pub all_methods: bool,
    /// The spans of its parts, for errors of later stages.
    pub extents: Extents,
}

/// The spans of the parts of a declaration.
#[derive(Clone, Debug)]
pub struct Extents {
    /// The Lagrangian.
    pub lagrangian: Extent,
    /// Each constraint.
    pub constraints: Vec<Extent>,
    /// The force, if there is one.
    pub force: Option<Extent>,
    /// Each method; the name of the struct where `methods(...)` is left out.
    pub methods: Vec<Extent>,
}

/// A declaration with errors, and its known properties.
#[derive(Clone, Debug)]
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
}

impl Rejected {
    /// A declaration without known properties.
    pub(crate) fn unread() -> Box<Rejected> {
        let runtime = default_runtime();
        Box::new(Rejected { errors: Vec::new(), runtime, n: None, m: None, inputs: None })
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
        let attributes = Attributes::parse(&input.attrs, &context);
        let fields = fields::parse(input, &context);
        let runtime = attributes.runtime.value().cloned().unwrap_or_else(default_runtime);
        let methods = methods(&attributes, input, &context);
        missing_keys(&attributes, input, &context);

        let (scope, counts) = scope(&attributes, &fields, &context);
        let meaning = resolve_and_lower(&attributes, &fields.parameters, &scope, counts, &context);
        let errors = context.check();
        match meaning {
            Some(meaning) if errors.is_empty() => {
                let mut system = meaning.system;
                system.name = input.ident.unraw().to_string();
                system.methods = methods.iter().map(|(method, _)| *method).collect();
                let mut extents = meaning.extents;
                extents.methods = methods.iter().map(|(_, at)| *at).collect();
                Ok(Declaration {
                    ident: input.ident.clone(),
                    generics: input.generics.clone(),
                    fields: fields.parameters,
                    runtime,
                    system,
                    all_methods: attributes.methods.value().is_some_and(|names| asks_for_all(names)),
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
                m: number_of_constraints(&attributes),
                inputs: counts.map(|c| c.inputs),
            })),
        }
    }

    /// The declaration with errors that a later stage found.
    pub fn reject(&self, errors: Vec<Error>) -> Box<Rejected> {
        Box::new(Rejected {
            errors,
            runtime: self.runtime.clone(),
            n: Some(self.system.velocities.len()).filter(|_| self.system.group.is_none()),
            m: Some(self.system.constraints.len()),
            inputs: Some(self.system.inputs.len()),
        })
    }

    /// The same declaration with these methods instead of its own.
    pub fn with_methods(mut self, methods: Vec<Method>) -> Declaration {
        self.extents.methods = vec![self.ident.span().into(); methods.len()];
        self.system.methods = methods;
        self.all_methods = false;
        self
    }

    /// An error about the `i`-th method, with the reason why it does not apply.
    pub fn method_error(&self, i: usize, reason: &str) -> Error {
        Error::new(
            self.extents.methods[i],
            format!("`{}` does not apply to this system: {reason}", self.system.methods[i].facts().marker),
        )
    }
}

/// How many constraints there are, if all of them could be read.
fn number_of_constraints(attributes: &Attributes) -> Option<usize> {
    let given =
        [&attributes.constraints, &attributes.holonomic].into_iter().filter(|slot| slot.key().is_some());
    let lengths =
        given.map(|slot| slot.value().filter(|forms| forms.complete).map(|forms| forms.forms.len()));
    lengths.reduce(|m, k| Some(m? + k?))?
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

/// The methods to emit and where they stand.
fn methods(attributes: &Attributes, input: &syn::DeriveInput, context: &Context) -> Vec<(Method, Extent)> {
    if attributes.methods.key().is_none() {
        let method =
            Method::default_of(attributes.group.key().is_some(), attributes.holonomic.key().is_some());
        return vec![(method, input.ident.span().into())];
    }
    let names = attributes.methods.value().map_or(&[][..], Vec::as_slice);
    if asks_for_all(names) {
        return Method::ALL.iter().map(|method| (*method, names[0].at)).collect();
    }
    let mut result: Vec<(Method, Extent)> = Vec::new();
    for name in names {
        let Some(method) = Method::named(&name.text) else {
            context.push(unknown_method(name));
            continue;
        };
        match result.iter().find(|(other, _)| *other == method) {
            Some((_, first)) => context.push(
                Error::new(name.at, format!("the method `{}` is named twice", name.text))
                    .second(*first, format!("`{}` is first named here", name.text)),
            ),
            None => result.push((method, name.at)),
        }
    }
    result
}

fn asks_for_all(names: &[Name]) -> bool {
    matches!(names, [name] if name.text == ALL_METHODS)
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
}

/// Declares all names; the counts are missing where there are too many quantities to go on.
fn scope(attributes: &Attributes, fields: &fields::Fields, context: &Context) -> (Scope, Option<Counts>) {
    let skipped = fields.skipped.iter().map(|ident| ident.unraw().to_string()).collect();
    let mut scope = Scope::new(skipped, attributes.names_missing);
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
    if let Some(factor) = attributes.group.value() {
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
    for (i, definition) in attributes.lets.iter().enumerate() {
        scope.declare(&definition.name, Meaning::Let(i), context);
    }
    scope.check_differentials(context);
    (scope, within.then_some(counts))
}

/// The result of lowering; `system.name`, `system.methods` and `extents.methods` are left empty.
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

/// All that is left to check once the syntax is known: names first, then values.
fn resolve_and_lower(
    attributes: &Attributes,
    parameters: &[Field],
    scope: &Scope,
    counts: Option<Counts>,
    context: &Context,
) -> Option<Lowered> {
    // Names of coordinates would all be unknown.
    let group = attributes.group.value();
    let coordinates = match attributes.coordinates.value() {
        Some(coordinates) => coordinates.as_slice(),
        None if attributes.coordinates.key().is_none() && group.is_some() => &[],
        None => return None,
    };
    if attributes.group.key().is_some() && group.is_none() {
        return None;
    }
    counts?;
    let mut resolver = Resolver::new(scope, context);
    let lets: Vec<Option<(&Ast, bool)>> = attributes
        .lets
        .iter()
        .map(|definition| {
            let holds = definition.value.as_ref().and_then(|value| resolver.check(value, Place::Let));
            resolver.lets.push(holds.unwrap_or_default());
            definition.value.as_ref().map(|value| (value, holds.is_some()))
        })
        .collect();
    let lagrangian = attributes.lagrangian.value().map(|l| (l, resolver.check(l, Place::Lagrangian)));
    let mut constraints: Vec<(&attribute::Form, Place, Option<Holds>)> = Vec::new();
    for (slot, place) in
        [(&attributes.constraints, Place::Constraint), (&attributes.holonomic, Place::Holonomic)]
    {
        let forms = slot.value().into_iter().flat_map(|c| &c.forms);
        constraints.extend(forms.map(|form| (form, place, resolver.check(&form.form, place))));
    }
    let force = attributes.force.value().map(|f| (f, resolver.check(f, Place::Force)));

    // Symbols of the user's names come first. Factors are kept in this order: r*y, m*dot(x).
    let mut pool = Pool::new();
    let names = |declared: &[Declared]| flattened(declared.iter().map(|d| (d.name.text.as_str(), d.len)));
    let mut coordinate_names = names(coordinates);
    let mut velocity_names: Vec<String> = coordinate_names.iter().map(|c| format!("dot({c})")).collect();
    let differential_names: Vec<String> = coordinate_names.iter().map(|c| format!("d{c}")).collect();
    coordinate_names.extend(group.iter().flat_map(|factor| factor.coordinate_names()));
    velocity_names.extend(group.iter().flat_map(|factor| factor.velocity_names()));
    let input_names = names(attributes.inputs.value().map_or(&[], Vec::as_slice));
    let fields: Vec<(String, Option<usize>)> =
        parameters.iter().map(|f| (f.ident.unraw().to_string(), f.len)).collect();
    let parameter_names = flattened(fields.iter().map(|(name, len)| (name.as_str(), *len)));
    let mut symbols = |names: Vec<String>| names.iter().map(|name| pool.symbol(name)).collect::<Vec<_>>();
    let mut symbols = Symbols {
        parameters: symbols(parameter_names.clone()),
        coordinates: symbols(coordinate_names.clone()),
        velocities: symbols(velocity_names.clone()),
        inputs: symbols(input_names.clone()),
        t: symbols(vec!["t".to_owned()])[0],
        rates: Vec::new(),
        basis: symbols(differential_names),
        differentials: Vec::new(),
        dt: symbols(vec!["dt".to_owned()])[0],
        free: HashMap::new(),
    };
    symbols.anchor(&mut pool, group.map(|factor| factor.group));
    let mut lowering = Lowering::new(pool, symbols, scope, context);
    // An expression with unknown names has no meaning, but may contain other mistakes.
    for definition in lets {
        let value = definition.and_then(|(value, known)| lowering.lower(value).ok().filter(|_| known));
        lowering.lets.push(value);
    }
    let lagrangian = lagrangian.and_then(|(ast, holds)| match holds {
        Some(_) => lowering.regular_lagrangian(ast, &velocity_names).ok(),
        None => {
            lowering.blame_lagrangian(ast);
            None
        }
    });
    let independent = lowering.independent_constraints(&constraints);
    let force_form = match force {
        Some((ast, Some(_))) => lowering.force(ast).ok().inspect(|form| lowering.check_numbers(form, ast.at)),
        Some((ast, None)) => {
            lowering.blame_force(ast);
            None
        }
        None => {
            let zero = lowering.pool.zero();
            Some(vec![zero; velocity_names.len()])
        }
    };

    let (lagrangian, independent, force_form) = (lagrangian?, independent?, force_form?);
    let Lowering { pool, symbols, .. } = lowering;
    let quantities = |names: Vec<String>, symbols: &[Expr]| {
        names.into_iter().zip(symbols).map(|(name, &symbol)| Quantity { name, symbol }).collect()
    };
    let forms: Vec<&Ast> = constraints.iter().map(|(form, ..)| &form.form).collect();
    let force = force.map(|(ast, _)| ast);
    let lagrangian_ast = attributes.lagrangian.value()?;
    Some(Lowered {
        system: System {
            name: String::new(),
            velocities: quantities(velocity_names, &symbols.velocities),
            coordinates: quantities(coordinate_names, &symbols.coordinates),
            group: group.map(|factor| factor.group),
            parameters: quantities(parameter_names, &symbols.parameters),
            inputs: quantities(input_names, &symbols.inputs),
            t: symbols.t,
            lagrangian,
            constraints: independent,
            force: force_form,
            methods: Vec::new(),
            source: Source {
                lagrangian: lagrangian_ast.to_string(),
                constraints: forms.iter().map(ToString::to_string).collect(),
                force: force.map(ToString::to_string),
            },
            pool,
        },
        extents: Extents {
            lagrangian: lagrangian_ast.at,
            constraints: forms.iter().map(|form| form.at).collect(),
            force: force.map(|f| f.at),
            methods: Vec::new(),
        },
    })
}

impl Lowering<'_> {
    /// L, with a mass matrix that is not singular everywhere.
    fn regular_lagrangian(&mut self, ast: &Ast, names: &[String]) -> Result<Expr, Reported> {
        let (lagrangian, mass) = self.lagrangian(ast)?;
        self.check_numbers(&[lagrangian], ast.at);
        self.check_derivatives(ast, lagrangian);
        if self.scope.is_sound() && self.rank(&mass) < mass.len() {
            let error =
                Error::new(ast.at, "this Lagrangian is not regular: its mass matrix is singular everywhere");
            let absent: Vec<String> = names
                .iter()
                .zip(&mass)
                .filter(|(_, row)| row.iter().all(|e| self.pool.is_zero(*e)))
                .map(|(name, _)| name.clone())
                .collect();
            self.push(match absent.as_slice() {
                [] => error.help("some combination of the velocities has no kinetic energy"),
                _ => error.help(format!("there is no kinetic energy of {}", quoted(&absent, "or"))),
            });
            return Err(Reported);
        }
        Ok(lagrangian)
    }

    /// The constraints, with labels, not more than n − 1 and independent almost everywhere.
    fn independent_constraints(
        &mut self,
        constraints: &[(&attribute::Form, Place, Option<Holds>)],
    ) -> Option<Vec<Constraint>> {
        let n = self.symbols.velocities.len();
        let of = if self.symbols.rates == self.symbols.velocities { "coordinates" } else { "velocities" };
        let mut complete = true;
        if self.scope.is_sound()
            && let Some((excess, ..)) = constraints.get(n.saturating_sub(1))
        {
            let are_forms = constraints.iter().all(|(_, place, _)| *place == Place::Constraint);
            let what = if are_forms { " one-forms" } else { "" };
            self.push(
                Error::new(
                    excess.form.at,
                    format!("too many constraints: {}{what} for {n} {of}", constraints.len()),
                )
                .help(format!("n {of} can have at most n - 1 constraints, here {}", n.saturating_sub(1))),
            );
            complete = false;
        }
        let mut result: Vec<Constraint> = Vec::new();
        let mut rows = Vec::new();
        let mut labels: Vec<&Name> = Vec::new();
        for (form, place, holds) in constraints {
            if let Some(label) = &form.label {
                match labels.iter().find(|l| l.text == label.text) {
                    Some(first) => self.push(
                        Error::new(label.at, format!("the label `{}` is used twice", label.text))
                            .second(first.at, format!("`{}` is first used here", label.text)),
                    ),
                    None => labels.push(label),
                }
            }
            let mut position = None;
            let one_form = match holds {
                Some(_) if *place == Place::Holonomic => self.lower(&form.form).ok().map(|g| {
                    position = Some(g);
                    self.differential(g)
                }),
                Some(holds) => self.constraint(&form.form, *holds).ok(),
                None if *place == Place::Holonomic => self.lower(&form.form).ok().and(None),
                None => {
                    self.blame_constraint(&form.form);
                    None
                }
            };
            let Some(one_form) = one_form else {
                complete = false;
                continue;
            };
            let all: Vec<_> =
                one_form.coefficients.iter().copied().chain([one_form.dt]).chain(position).collect();
            self.check_numbers(&all, form.form.at);
            rows.push(one_form.coefficients.clone());
            if self.scope.is_sound() && rows.len() < n && self.rank(&rows) < rows.len() {
                rows.pop();
                let alone = one_form.coefficients.iter().all(|e| self.vanishes(*e));
                self.push(if alone && position.is_some() {
                    Error::new(form.form.at, "this position constraint does not depend on the configuration")
                } else if alone {
                    Error::new(form.form.at, "this constraint has no differential or velocity in it").help(
                        "a condition on positions is declared in `holonomic(...)`, its differential is `d(...)`",
                    )
                } else if position.is_some() {
                    Error::new(form.form.at, "this position constraint depends on the constraints before it")
                        .help("its differential is a combination of theirs, everywhere; leave one of them out")
                } else {
                    let others = match result.as_slice() {
                        [one] => format!("`{}`", one.label),
                        _ => "the ones before it".to_owned(),
                    };
                    Error::new(form.form.at, format!("this one-form depends on {others}, everywhere"))
                        .help("constraints have to be linearly independent, at least almost everywhere")
                });
                complete = false;
                continue;
            }
            result.push(Constraint {
                label: form.label.as_ref().map_or_else(|| form.form.to_string(), |l| l.text.clone()),
                form: one_form.coefficients,
                dt: one_form.dt,
                position,
            });
        }
        complete.then_some(result)
    }
}
