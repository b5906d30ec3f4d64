//! Names: their meanings, clashes, and whether each use is valid in its context.

use super::ast::{Ast, Kind, Name, Range};
use super::attribute::{Indexed, quoted};
use super::definitions::{Definition, entry};
use super::error::{Context, Error, Extent};
use super::functions;
use super::integers::{Constants, Loops, unknown_constant};
use super::lower::follows_velocity;
use super::shapes::Shape;
use crate::expr::Function;
use crate::expr::group::Part;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};

/// What a declared name stands for. Quantities know the position of their first entry among all of
/// their kind, and their number of entries if they are arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Coordinate(usize, Option<usize>),
    Parameter(usize, Option<usize>),
    Input(usize, Option<usize>),
    /// Auxiliary state.
    State(usize, Option<usize>),
    /// Part of a pose: position of its first entry among the coordinates.
    Pose(usize, Part),
    /// Body velocity: position among all velocities.
    Velocity(usize),
    /// Position among the names of `let`.
    Let(usize),
}

impl Meaning {
    /// The lengths of the indices that its entries have.
    pub(crate) fn lengths(self) -> Vec<usize> {
        match self {
            Meaning::Coordinate(_, len)
            | Meaning::Parameter(_, len)
            | Meaning::Input(_, len)
            | Meaning::State(_, len) => len.into_iter().collect(),
            Meaning::Pose(_, part) => part.lengths().to_vec(),
            Meaning::Velocity(_) | Meaning::Let(_) => Vec::new(),
        }
    }

    /// Whether it is part of the configuration.
    fn is_coordinate(self) -> bool {
        matches!(self, Meaning::Coordinate(..) | Meaning::Pose(..))
    }
}

/// A parameter or an input that no formula uses.
#[derive(Clone, Debug)]
pub struct Unused {
    /// Its name, of an array without indices.
    pub name: String,
    /// Whether it is an input.
    pub is_input: bool,
    /// Where it is declared.
    pub at: Extent,
}

/// All declared names.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    names: BTreeMap<String, (Meaning, Extent)>,
    pub(super) definitions: Vec<Definition>,
    constants: Constants,
    /// Names in order of declaration, for suggestions.
    order: Vec<String>,
    /// Fields marked `skip`, to explain why they are not known.
    skipped: Vec<String>,
    /// Whether names are missing because their declaration is malformed.
    incomplete: bool,
    /// Whether some name clashes with another.
    clashing: bool,
    /// Whether an unknown name was reported.
    unknown: Cell<bool>,
    /// The names that formulas use.
    used: RefCell<HashSet<String>>,
}

/// Names with a predefined meaning.
fn reserved(name: &str) -> Option<&'static str> {
    match name {
        "t" => Some("the time"),
        "dt" => Some("the differential of the time"),
        "pi" => Some("the circle constant"),
        "dot" => Some("the time derivative"),
        "sum" => Some("the summation sign"),
        "atan2" | "sqrt" | "cross" | "norm2" | "transpose" => Some("a function"),
        _ if Function::ALL.iter().any(|f| f.name() == name) => Some("a function"),
        _ => None,
    }
}

/// The name of ∂L/∂v · v − L, unless something else is declared by it.
pub(crate) const ENERGY: &str = "energy";

/// The candidate most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&lower, &c.to_lowercase()), c))
        .filter(|(d, c)| d * 3 <= c.chars().count().max(name.chars().count()))
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

impl Scope {
    pub(crate) fn new(skipped: Vec<String>, constants: Constants, incomplete: bool) -> Scope {
        Scope { skipped, constants, incomplete, ..Scope::default() }
    }

    /// The const parameters of the struct.
    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The `i`-th name of `let`.
    pub(crate) fn definition(&self, i: usize) -> &Definition {
        &self.definitions[i]
    }

    /// Number of names of `let`.
    pub(crate) fn definitions(&self) -> usize {
        self.definitions.len()
    }

    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).map(|(meaning, _)| *meaning)
    }

    fn take_note_of_use(&self, name: &str) {
        self.used.borrow_mut().insert(name.to_owned());
    }

    /// The parameters and inputs that no formula uses, in the order of declaration.
    pub(crate) fn unused(&self) -> Vec<Unused> {
        let used = self.used.borrow();
        let unused = self.order.iter().filter(|name| !used.contains(*name));
        let known = unused.filter_map(|name| match self.names[name] {
            (Meaning::Parameter(..), at) => Some(Unused { name: name.clone(), is_input: false, at }),
            (Meaning::Input(..), at) => Some(Unused { name: name.clone(), is_input: true, at }),
            _ => None,
        });
        known.collect()
    }

    /// Whether every declared name could be read and has one meaning; otherwise nothing that counts
    /// coordinates can be trusted.
    pub(crate) fn is_sound(&self) -> bool {
        !self.incomplete && !self.clashing
    }

    /// Whether some name is used that is not declared.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown.get()
    }

    /// Collects an error about a further declaration of `name`.
    pub(super) fn clash(&mut self, error: Error, name: &str, context: &Context) {
        self.clashing = true;
        let (_, first) = self.names[name];
        context.push(error.second(first, format!("`{name}` is first declared here")));
    }

    /// Declares a name, unless it is reserved or declared already.
    pub(crate) fn declare(&mut self, name: &Name, meaning: Meaning, context: &Context) -> bool {
        if let Some(what) = reserved(&name.text) {
            self.clashing = true;
            let error = Error::new(name.at, format!("`{}` is reserved: it is {what}", name.text));
            context.push(match meaning {
                Meaning::Parameter(..) => error
                    .help("rename the field, or mark it with `#[nonholonomic(skip)]` if it is no parameter"),
                _ => error,
            });
            return false;
        }
        if self.names.contains_key(&name.text) {
            let error = Error::new(name.at, format!("the name `{}` is declared twice", name.text));
            self.clash(error, &name.text, context);
            return false;
        }
        self.names.insert(name.text.clone(), (meaning, name.at));
        self.order.push(name.text.clone());
        true
    }

    /// Reports names that read like the differential of a coordinate.
    pub(crate) fn check_differentials(&self, context: &Context) {
        for name in &self.order {
            let (meaning, at) = self.names[name];
            if !meaning.is_coordinate() {
                continue;
            }
            let differential = format!("d{name}");
            if let Some((_, other)) = self.names.get(&differential) {
                context.push(
                    Error::new(
                        *other,
                        format!("the name `{differential}` clashes with the differential of the coordinate `{name}`"),
                    )
                    .second(at, format!("the coordinate `{name}` is declared here")),
                );
            } else if reserved(&differential).is_some() {
                context.push(Error::new(
                    at,
                    format!("the differential of `{name}` would read `{differential}`, which is reserved"),
                ));
            }
        }
    }

    /// The coordinate whose differential `name` is, with the position of its first entry among the coordinates.
    pub(crate) fn differential(&self, name: &str) -> Option<(usize, Meaning)> {
        let meaning = self.meaning(name.strip_prefix('d')?)?;
        match meaning {
            _ if self.meaning(name).is_some() => None,
            Meaning::Coordinate(first, _) | Meaning::Pose(first, _) => Some((first, meaning)),
            _ => None,
        }
    }

    /// The lengths of the indices of a quantity or differential.
    pub(crate) fn lengths(&self, name: &str) -> Option<Vec<usize>> {
        let meaning = self.meaning(name).or_else(|| self.differential(name).map(|(_, meaning)| meaning))?;
        Some(meaning.lengths())
    }

    /// The first of the body velocities.
    fn body_velocity(&self) -> Option<&str> {
        self.order.iter().find(|n| matches!(self.names[*n].0, Meaning::Velocity(_))).map(String::as_str)
    }

    fn unknown(&self, name: &str, at: Extent, later: bool, loops: &[String]) -> Error {
        self.unknown.set(true);
        let error = Error::new(at, format!("unknown name `{name}`"));
        if later {
            return Error::new(at, format!("`{name}` is defined only after it is used here"))
                .help("a `let` sees the names defined before it");
        }
        if self.constants.contains(name) {
            return error.help(
                "const parameters stand in indices, in the bounds of ranges and in the lengths of arrays",
            );
        }
        if self.skipped.iter().any(|s| s == name) {
            return error.help(format!("the field `{name}` is marked `#[nonholonomic(skip)]`"));
        }
        // `xdot` and `x_dot`, and `dot_x` as columns of recordings are called.
        let behind = name.strip_suffix("dot").map(|s| s.strip_suffix('_').unwrap_or(s));
        let before = name.strip_prefix("dot").map(|s| s.strip_prefix('_').unwrap_or(s));
        let is_coordinate = |name: &&str| self.meaning(name).is_some_and(Meaning::is_coordinate);
        if let Some(coordinate) = behind.into_iter().chain(before).find(is_coordinate) {
            return error.help(format!("the velocity of `{coordinate}` is `dot({coordinate})`"));
        }
        if let Some(velocity) = name.strip_prefix('d')
            && let Some(Meaning::Velocity(_)) = self.meaning(velocity)
        {
            return error.help(format!("the one-form of the body velocity `{velocity}` is `{velocity}*dt`"));
        }
        if functions::names().contains(&name) {
            return Error::new(at, format!("`{name}` needs its argument in parentheses"))
                .help(format!("write `{name}(...)`"));
        }
        let differentials: Vec<String> =
            self.order.iter().filter(|n| self.names[*n].0.is_coordinate()).map(|n| format!("d{n}")).collect();
        let known = loops
            .iter()
            .map(String::as_str)
            .chain(self.order.iter().map(String::as_str))
            .chain(differentials.iter().map(String::as_str).filter(|_| name.starts_with('d')))
            .chain(["pi"]);
        match nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if self.order.is_empty() => error,
            None if self.order.len() <= 12 => {
                error.help(format!("known names are {}", quoted(&self.order, "and")))
            }
            None => {
                error.help("names are those of parameters, of `coordinates(...)`, `inputs(...)`, `states(...)` and of `let(...)`")
            }
        }
    }
}

/// The context of an expression, which determines the names that it may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Lagrangian,
    Constraint,
    /// A position constraint.
    Holonomic,
    Force,
    /// Rate of an auxiliary state.
    Dynamics,
    /// Place of a body in pictures.
    Body,
    Let,
    /// Argument of `dot` or `d`.
    Derivative(Outer),
}

/// Which total derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outer {
    Dot,
    D,
}

/// The quantities that the value of a `let` name contains, directly or through other names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Holds {
    pub(crate) inputs: bool,
    pub(crate) states: bool,
    pub(crate) velocities: bool,
    pub(crate) differentials: bool,
    pub(crate) multipliers: bool,
}

impl Holds {
    fn and(&mut self, other: Holds) {
        self.inputs |= other.inputs;
        self.states |= other.states;
        self.velocities |= other.velocities;
        self.differentials |= other.differentials;
        self.multipliers |= other.multipliers;
    }
}

/// Checks the names in expressions; afterwards only numbers can be wrong.
pub(crate) struct Resolver<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) context: &'a Context,
    /// What is known of the `let` names, of arrays by the entries seen so far; later ones are not visible.
    pub(crate) lets: Vec<Option<Facts>>,
    /// The sums that are vectors, which without terms nothing else tells.
    pub(crate) vector_sums: HashSet<*const Ast>,
    /// Whether something was wrong in the expression under way.
    failed: bool,
    /// The loop variables around it.
    pub(crate) loops: Vec<String>,
}

/// What is known of a `let` name or of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) holds: Holds,
    /// Missing after mistakes.
    pub(crate) shape: Option<Shape>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(scope: &'a Scope, context: &'a Context) -> Resolver<'a> {
        let lets = vec![None; scope.definitions()];
        Resolver { scope, context, lets, vector_sums: HashSet::new(), failed: false, loops: Vec::new() }
    }

    /// `check` of an expression in a family.
    pub(crate) fn check_within(&mut self, loops: &Loops, ast: &Ast, place: Place) -> Option<Facts> {
        self.loops = loops.iter().map(|(variable, _)| variable.clone()).collect();
        let facts = self.check(ast, place);
        self.loops.clear();
        facts
    }

    /// What `ast` contains and is, or `None` if errors were found.
    pub(crate) fn check(&mut self, ast: &Ast, place: Place) -> Option<Facts> {
        self.failed = false;
        let holds = self.resolve(ast, place);
        let shape = match place {
            Place::Lagrangian | Place::Force | Place::Dynamics | Place::Body => {
                self.number(ast).then_some(Shape::Number)
            }
            _ => self.number_or_vector(ast),
        };
        (!self.failed).then_some(Facts { holds, shape })
    }

    /// Takes note of a definition, of an entry if `i` is an array, and of what its value contains and is.
    pub(crate) fn define(&mut self, i: usize, at: Extent, name: &str, facts: Option<Facts>) {
        let new = facts.unwrap_or(Facts { holds: Holds::default(), shape: None });
        let Some(known) = &mut self.lets[i] else {
            self.lets[i] = Some(new);
            return;
        };
        known.holds.and(new.holds);
        if let (Some(first), Some(shape)) = (known.shape, new.shape)
            && first != shape
        {
            known.shape = None;
            let message = format!(
                "this entry is {}, but the entries of `{name}` before it are {}",
                shape.article(),
                first.plural()
            );
            self.error(Error::new(at, message));
        }
    }

    /// Whether a range is one.
    pub(crate) fn range(&mut self, range: &Range) -> bool {
        self.failed = false;
        self.checked_range(range);
        !self.failed
    }

    /// Whether the indices of a name that is defined are integers.
    pub(crate) fn indices(&mut self, indices: &[Ast]) -> bool {
        self.failed = false;
        indices.iter().for_each(|index| self.integer(index));
        !self.failed
    }

    fn checked_range(&mut self, range: &Range) {
        self.integer(&range.from);
        self.integer(&range.to);
        self.loop_variable(&range.variable);
    }

    pub(super) fn error(&mut self, error: Error) -> Holds {
        self.failed = true;
        self.context.push(error);
        Holds::default()
    }

    fn resolve(&mut self, ast: &Ast, place: Place) -> Holds {
        match &ast.kind {
            Kind::Number { .. } => Holds::default(),
            Kind::Name(name) => self.name(name, ast.at, &[], place),
            Kind::Indexed(name, indices) => {
                indices.iter().for_each(|index| self.integer(index));
                self.name(&name.text, name.at, indices, place)
            }
            Kind::Product(factors) if place == Place::Force => {
                let (mut holds, mut last) = (Holds::default(), Holds::default());
                for (i, (_, factor)) in factors.iter().enumerate() {
                    last = if last.velocities && follows_velocity(factors, i) {
                        Holds { differentials: true, ..Holds::default() }
                    } else {
                        self.resolve(factor, place)
                    };
                    holds.and(last);
                }
                holds
            }
            Kind::Paren(_)
            | Kind::Neg(_)
            | Kind::Sum(_)
            | Kind::Product(_)
            | Kind::Power(..)
            | Kind::Vector(_)
            | Kind::Choice(_) => {
                let mut holds = Holds::default();
                for child in ast.children() {
                    holds.and(self.resolve(child, place));
                }
                holds
            }
            Kind::Call(function, arguments) => self.call(function, arguments, ast.at, place),
            Kind::Loop(range, body) => {
                self.checked_range(range);
                self.loops.push(range.variable.text.clone());
                let holds = self.resolve(body, place);
                self.loops.pop();
                holds
            }
        }
    }

    pub(super) fn is_loop_variable(&self, name: &str) -> bool {
        self.loops.iter().any(|l| l == name)
    }

    fn loop_variable(&mut self, variable: &Name) {
        let name = &variable.text;
        if let Some(what) = reserved(name) {
            self.error(Error::new(variable.at, format!("`{name}` is reserved: it is {what}")));
        } else if self.is_loop_variable(name)
            || self.scope.meaning(name).is_some()
            || self.scope.differential(name).is_some()
        {
            self.error(Error::new(variable.at, format!("the loop variable `{name}` hides another `{name}`")));
        }
    }

    /// An index or a bound of a sum.
    fn integer(&mut self, ast: &Ast) {
        match &ast.kind {
            Kind::Number { .. } => {}
            Kind::Name(name) if self.is_loop_variable(name) => {}
            Kind::Name(name) if self.scope.constants.contains(name) => {
                if self.scope.constants.value(name).is_none() {
                    self.error(unknown_constant(ast, name));
                }
            }
            Kind::Name(name)
                if self.scope.lengths(name).is_none() && !matches!(name.as_str(), "pi" | "t" | "dt") =>
            {
                let error = Error::new(ast.at, format!("unknown loop variable `{name}`"));
                let error = match self.loops.as_slice() {
                    [] => error.help("indices and bounds are made of integers and of the variables of `for i in 0..3 { ... }` and `sum(i in 0..3, ...)`"),
                    [one] => error.help(format!("the loop variable here is `{one}`")),
                    known => error.help(format!("the loop variables here are {}", quoted(known, "and"))),
                };
                self.error(error);
            }
            Kind::Paren(_) | Kind::Neg(_) | Kind::Sum(_) | Kind::Product(_) => {
                ast.children().into_iter().for_each(|c| self.integer(c));
            }
            _ => {
                self.error(
                    Error::new(ast.at, "expected an integer, found an expression").help(
                        "indices and bounds are constants or loop variables, and their sums and products",
                    ),
                );
            }
        }
    }

    fn name(&mut self, name: &str, at: Extent, indices: &[Ast], place: Place) -> Holds {
        let indexed = !indices.is_empty();
        if self.is_loop_variable(name) || name == "pi" {
            return if indexed { self.error(not_an_array(name, at)) } else { Holds::default() };
        }
        if name == "t" {
            return if indexed { self.error(not_an_array(name, at)) } else { Holds::default() };
        }
        if name == "dt" {
            return match place {
                Place::Constraint if indexed => self.error(not_an_array(name, at)),
                Place::Constraint => Holds { differentials: true, ..Holds::default() },
                // It may stand behind a velocity of which the declaration could not be read.
                Place::Force if self.scope.incomplete => {
                    self.failed = true;
                    Holds::default()
                }
                Place::Force => {
                    let error =
                        Error::new(at, "a force is a one-form in the coordinates, without a `dt` term");
                    self.error(match self.scope.body_velocity() {
                        Some(velocity) => error.help(format!(
                            "`dt` stands directly behind a velocity, `{velocity}*dt`; the time itself is `t`"
                        )),
                        None => error.help("the time itself is `t`"),
                    })
                }
                _ => self.error(forbidden("the differential `dt`", at, place)),
            };
        }
        let meaning = self.scope.meaning(name);
        self.scope.take_note_of_use(name);
        if let Some(Meaning::Let(i)) = meaning {
            return self.let_name(name, i, at, indices, place);
        }
        let Some(lengths) = self.scope.lengths(name) else {
            if name == ENERGY && !indexed {
                return match takes_motion(place) {
                    true => Holds { velocities: true, ..Holds::default() },
                    false => self.error(forbidden("the energy", at, place)),
                };
            }
            self.failed = true;
            if !self.scope.incomplete {
                self.context.push_unknown(name, at, || self.scope.unknown(name, at, false, &self.loops));
            }
            return Holds::default();
        };
        // Three entries are a vector, and the rotation matrix of a pose can be multiplied by one.
        let is_whole = indices.is_empty() && lengths.iter().all(|&l| l == 3);
        if indices.len() != lengths.len() && !is_whole {
            let error = match (&lengths[..], indices) {
                ([], _) => not_an_array(name, at),
                ([len], []) => Error::new(at, format!("`{name}` is an array of {len}"))
                    .help(format!("write `{name}[0]`")),
                ([_], [_, second, ..]) => {
                    Error::new(second.at, format!("`{name}` has one index, but {} are given", indices.len()))
                        .help(format!("write `{name}[0]`"))
                }
                (_, _) => {
                    let count = if indices.len() == 1 { "one is" } else { "more are" };
                    Error::new(at, format!("`{name}` has two indices, but {count} given"))
                        .help(format!("write `{name}[0][0]`, the row first"))
                }
            };
            return self.error(error);
        }
        match meaning {
            Some(Meaning::Coordinate(..) | Meaning::Pose(..) | Meaning::Parameter(..)) => Holds::default(),
            Some(Meaning::Velocity(_)) => match place {
                Place::Derivative(_) | Place::Holonomic => {
                    self.error(forbidden(&format!("the velocity `{name}`"), at, place))
                }
                _ => Holds { velocities: true, ..Holds::default() },
            },
            Some(Meaning::Input(..)) => match place {
                _ if takes_inputs(place) => Holds { inputs: true, ..Holds::default() },
                _ => self.error(forbidden(&format!("the input `{name}`"), at, place)),
            },
            Some(Meaning::State(..)) => match place {
                _ if takes_motion(place) => Holds { states: true, ..Holds::default() },
                _ => self.error(forbidden(&format!("the auxiliary state `{name}`"), at, place)),
            },
            Some(Meaning::Let(_)) | None => match place {
                Place::Force | Place::Constraint => Holds { differentials: true, ..Holds::default() },
                _ => {
                    let coordinate = &name[1..];
                    let error = forbidden(&format!("the differential `{name}`"), at, place);
                    self.error(match place {
                        Place::Lagrangian => {
                            error.help(format!("the velocity of `{coordinate}` is `dot({coordinate})`"))
                        }
                        _ => error,
                    })
                }
            },
        }
    }

    /// The position of the auxiliary state whose rate is stated, and its name.
    pub(crate) fn state(&mut self, of: &Indexed, loops: &Loops) -> Option<(usize, String)> {
        let Indexed { name: Name { text: name, at }, indices, .. } = of;
        let error = match (self.scope.meaning(name), indices.as_slice()) {
            (Some(Meaning::State(first, None)), []) => return Some((first, name.clone())),
            (Some(Meaning::State(_, None)), _) => not_an_array(name, *at),
            (Some(Meaning::State(_, Some(len))), []) => {
                Error::new(*at, format!("`{name}` is an array of {len}")).help(format!(
                    "write `dot({name}[0]) = ...`, or `for i in 0..{len} {{ dot({name}[i]) = ... }}`"
                ))
            }
            (Some(Meaning::State(first, Some(len))), [index]) => match self.scope.integer(index, loops) {
                Ok(i) if (0..len as i64).contains(&i) => {
                    return Some((first + i as usize, entry(name, &[i])));
                }
                Ok(i) => Error::new(index.at, format!("the index {i} is out of range"))
                    .help(format!("the entries of `{name}` are `{name}[0]` to `{name}[{}]`", len - 1)),
                Err(error) => error,
            },
            (Some(Meaning::State(..)), [_, second, ..]) => {
                Error::new(second.at, format!("`{name}` has one index, but {} are given", indices.len()))
                    .help(format!("write `{name}[0]`"))
            }
            (Some(_), _) => Error::new(*at, format!("`{name}` is no auxiliary state"))
                .help("`dynamics(...)` has the rates of the names in `states(...)`"),
            (None, _) => {
                if !self.scope.incomplete {
                    self.context.push_unknown(name, *at, || self.scope.unknown(name, *at, false, &[]));
                }
                return None;
            }
        };
        self.context.push(error);
        None
    }

    fn let_name(&mut self, name: &str, i: usize, at: Extent, indices: &[Ast], place: Place) -> Holds {
        let definition = self.scope.definition(i);
        let Some(Facts { holds, shape }) = self.lets[i] else {
            self.failed = true;
            if !definition.complete {
                return Holds::default();
            }
            return self.error(match definition.entries.is_empty() {
                true => Error::new(at, format!("`{name}` has no entries"))
                    .help("the family that defines them is empty"),
                false => self.scope.unknown(name, at, true, &self.loops),
            });
        };
        let (count, given) = (definition.indices, indices.len());
        let is_component = given == count + 1 && shape != Some(Shape::Number);
        let is_vector = given == 0 && definition.has_three_entries() && shape != Some(Shape::Vector);
        if given != count && !is_component && !is_vector && definition.complete {
            let error = match (count, given) {
                (0, _) => not_an_array(name, at),
                (_, 0) => Error::new(at, format!("`{name}` is an array")),
                _ => {
                    let has = if count == 1 { "1 index" } else { &format!("{count} indices") };
                    let given = if given == 1 { "1 is" } else { &format!("{given} are") };
                    Error::new(at, format!("`{name}` has {has}, but {given} given"))
                }
            };
            let written = definition.entries.keys().next().filter(|key| !key.is_empty());
            return self.error(match written {
                Some(key) => error.help(format!("write `{}`", entry(name, key))),
                None => error,
            });
        }
        if holds.inputs && !takes_inputs(place) {
            return self.error(forbidden(&format!("an input, which `{name}` depends on,"), at, place));
        }
        if holds.states && !takes_motion(place) {
            return self.error(forbidden(
                &format!("an auxiliary state, which `{name}` depends on,"),
                at,
                place,
            ));
        }
        if holds.multipliers && !takes_motion(place) {
            let what = format!("the multiplier of a constraint, which `{name}` depends on,");
            return self.error(forbidden(&what, at, place));
        }
        if holds.velocities && matches!(place, Place::Derivative(_) | Place::Holonomic) {
            return self.error(forbidden(&format!("a velocity, which `{name}` depends on,"), at, place));
        }
        holds
    }

    fn call(&mut self, function: &Name, arguments: &[Ast], at: Extent, place: Place) -> Holds {
        let name = function.text.as_str();
        let arity = match name {
            "atan2" | "cross" | "min" | "max" => 2,
            "clamp" | "table" => 3,
            "dot" if arguments.len() == 2 => 2,
            _ => 1,
        };
        if !functions::names().contains(&name) {
            for argument in arguments {
                self.resolve(argument, place);
            }
            self.failed = true;
            // A name may be both unknown and called.
            let called = format!("{name}(");
            self.context.push_unknown(&called, function.at, || self.not_a_function(name, function.at));
            return Holds::default();
        }
        if arguments.len() != arity {
            let takes = match name {
                "atan2" => "two arguments, `atan2(y, x)`",
                "cross" => "two vectors, `cross(a, b)`",
                "dot" => "one argument, as the time derivative `dot(x)`, or two vectors, `dot(a, b)`",
                "min" | "max" => &format!("two arguments, `{name}(a, b)`"),
                "clamp" => "three arguments, `clamp(x, low, high)`",
                "table" => "three arguments, `table(x, xs, ys)`",
                "norm2" => "one vector",
                "transpose" => "one matrix",
                "lambda" => "the label of one constraint",
                _ => "one argument",
            };
            return self
                .error(Error::new(at, format!("`{name}` takes {takes}, but {} are given", arguments.len())));
        }
        match name {
            "dot" | "d" if arity == 1 => {
                let outer = if name == "dot" { Outer::Dot } else { Outer::D };
                if outer == Outer::D && !matches!(place, Place::Constraint | Place::Force) {
                    return self.error(
                        forbidden("a differential", at, place)
                            .help("the time derivative is written `dot(...)`"),
                    );
                }
                if outer == Outer::Dot && matches!(place, Place::Derivative(_) | Place::Holonomic) {
                    return self.error(forbidden("a velocity", at, place));
                }
                self.resolve(&arguments[0], Place::Derivative(outer));
                Holds {
                    velocities: outer == Outer::Dot,
                    differentials: outer == Outer::D,
                    ..Holds::default()
                }
            }
            "lambda" => self.multiplier(&arguments[0], at, place),
            "table" => {
                let holds = self.resolve(&arguments[0], place);
                let lengths = [&arguments[1], &arguments[2]].map(|array| self.parameter_array(array));
                match lengths {
                    [Some(xs), Some(ys)] if xs != ys => {
                        let message =
                            format!("a table has as many abscissas as values, but {xs} and {ys} are given");
                        self.error(Error::new(at, message))
                    }
                    [Some(xs), _] if xs < 2 => self.error(Error::new(at, "a table needs two nodes at least")),
                    _ => holds,
                }
            }
            _ => {
                let mut holds = Holds::default();
                for argument in arguments {
                    holds.and(self.resolve(argument, place));
                }
                holds
            }
        }
    }

    /// The multiplier of the constraint of a label. Whether there is one is known once all constraints are.
    fn multiplier(&mut self, label: &Ast, at: Extent, place: Place) -> Holds {
        match &label.kind {
            Kind::Name(_) => {}
            Kind::Indexed(_, indices) => indices.iter().for_each(|index| self.integer(index)),
            _ => {
                let message = "`lambda` takes the label of a constraint";
                return self.error(Error::new(label.at, message).help(
                    "with `constraints(normal: dz = 0)`, the multiplier of the constraint is `lambda(normal)`",
                ));
            }
        }
        if takes_motion(place) {
            Holds { multipliers: true, ..Holds::default() }
        } else {
            self.error(forbidden("the multiplier of a constraint", at, place))
        }
    }

    /// The length of an array of parameters; others are reported.
    fn parameter_array(&mut self, ast: &Ast) -> Option<usize> {
        if let Kind::Name(name) = &ast.kind
            && let Some(Meaning::Parameter(_, Some(length))) = self.scope.meaning(name)
        {
            self.scope.take_note_of_use(name);
            return Some(length);
        }
        self.error(
            Error::new(ast.at, "the nodes of a table are parameter arrays")
                .help("declare a field such as `xs: [f64; 4]`, and write `table(x, xs, ys)`"),
        );
        None
    }

    fn not_a_function(&self, name: &str, at: Extent) -> Error {
        if self.scope.meaning(name).is_some()
            || self.is_loop_variable(name)
            || matches!(name, "pi" | "t" | "dt")
        {
            return Error::new(at, format!("`{name}` is not a function"))
                .help(format!("for a product write `{name}*(...)`"));
        }
        if let Some(coordinate) = name.strip_prefix('d').filter(|c| self.scope.meaning(c).is_some()) {
            return Error::new(at, format!("`{name}` is not a function")).help(format!(
                "for a product write `{name}*(...)`, for the differential of `{coordinate}` just `{name}`"
            ));
        }
        functions::unknown(name, at)
    }
}

fn not_an_array(name: &str, at: Extent) -> Error {
    Error::new(at, format!("`{name}` is not an array"))
}

/// Whether inputs may stand in `place`.
fn takes_inputs(place: Place) -> bool {
    matches!(place, Place::Force | Place::Constraint | Place::Dynamics | Place::Body | Place::Let)
}

/// Whether auxiliary states, multipliers and the energy may stand in `place`.
fn takes_motion(place: Place) -> bool {
    matches!(place, Place::Force | Place::Dynamics | Place::Body | Place::Let)
}

/// `what` may not be mentioned in `place`.
fn forbidden(what: &str, at: Extent, place: Place) -> Error {
    let message = match place {
        Place::Lagrangian => format!("{what} may not appear in the Lagrangian"),
        Place::Constraint => format!("{what} may not appear in a constraint"),
        Place::Holonomic => format!("{what} may not appear in a position constraint"),
        Place::Force => format!("{what} may not appear in the force"),
        Place::Dynamics => format!("{what} may not appear in the dynamics of an auxiliary state"),
        Place::Body => format!("{what} may not appear in the place of a body"),
        Place::Let => format!("{what} may not appear in `let`"),
        Place::Derivative(Outer::Dot) => format!("{what} may not appear inside `dot`"),
        Place::Derivative(Outer::D) => format!("{what} may not appear inside `d`"),
    };
    let error = Error::new(at, message);
    match place {
        Place::Lagrangian | Place::Constraint | Place::Holonomic if what.contains("auxiliary state") => {
            error.help("auxiliary states act through the force and the dynamics of states")
        }
        Place::Lagrangian | Place::Constraint | Place::Holonomic if what.contains("the multiplier") => {
            error.help("multipliers act through the force and the dynamics of states")
        }
        Place::Derivative(Outer::Dot) if what.starts_with("the auxiliary state") => {
            error.help("its rate is what `dynamics(...)` says")
        }
        Place::Lagrangian if what.contains("input") => {
            error.help("inputs act through the force and the affine part of constraints")
        }
        Place::Holonomic => error.help(
            "a position constraint is an expression in the coordinates and `t`; one in velocities or differentials stands in `constraints(...)`",
        ),
        Place::Derivative(_) => {
            error.help("total derivatives are taken of functions of the coordinates and `t` alone")
        }
        _ => error,
    }
}
