//! `group = SE2(theta, x, y; omega, v, w)` and `group = (SO3(...), SE3(...))`: only their syntax.

use super::ast::Name;
use super::attribute::{at_key, group_extent, quoted, skip};
use super::cursor::{Cursor, token_trees};
use super::error::{Context, Error, Extent};
use super::names::nearest;
use crate::expr::group::{GROUPS, Group};
use proc_macro2::{Delimiter, TokenTree};

/// A group factor of a configuration space.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) group: &'static Group,
    /// The names of the parts of a pose, `None` for missing ones.
    pub(crate) pose: Vec<Option<Name>>,
    /// The names of the body velocities, likewise.
    pub(crate) velocities: Vec<Option<Name>>,
}

impl Factor {
    /// Whether all names could be read.
    pub(crate) fn is_complete(&self) -> bool {
        self.pose.iter().chain(&self.velocities).all(Option::is_some)
    }

    /// The names of the entries of a pose; those of missing parts are no identifiers.
    pub(crate) fn coordinate_names(&self) -> Vec<String> {
        let names = self.pose.iter().enumerate().map(|(i, name)| text(name, "part", i));
        self.group.pose.iter().zip(names).flat_map(|(part, name)| part.names(&name)).collect()
    }

    /// The names of the body velocities.
    pub(crate) fn velocity_names(&self) -> Vec<String> {
        self.velocities.iter().enumerate().map(|(i, name)| text(name, "velocity", i)).collect()
    }
}

fn text(name: &Option<Name>, what: &str, i: usize) -> String {
    name.as_ref().map_or_else(|| format!("{what} {i}"), |name| name.text.clone())
}

/// The error about a second group outside of a list.
pub(crate) fn second(at: Extent) -> Error {
    Error::new(at, "several groups are written in parentheses")
        .help("write `group = (SO3(R; w1, w2, w3), SE2(theta, x, y; omega, v, w))`")
}

/// The first name of a group in what follows, outside brackets.
fn next_group(part: &Cursor<'_>) -> Option<Extent> {
    let mut rest = *part;
    while let Some(token) = rest.next() {
        if let TokenTree::Ident(name) = token
            && Group::named(&name.to_string()).is_some()
        {
            return Some(rest.last());
        }
    }
    None
}

/// Reads what follows `group`; a group whose names are wrong is known all the same.
pub(crate) fn parse(key: &Name, part: &mut Cursor<'_>, context: &Context) -> Option<Vec<Factor>> {
    let factors =
        context.keep(equals(key, part)).and_then(|()| match part.eat_group(Delimiter::Parenthesis) {
            Some(list) => several(list, context),
            None => context.keep(named_group(part)).map(|(group, list)| vec![names(group, list, context)]),
        });
    let factors = factors.and_then(|factors| {
        if part.is_empty() || at_key(part) {
            return Some(factors);
        }
        if let Some(at) = next_group(part) {
            context.push(second(at));
            return None;
        }
        context.push(part.unexpected("`,`"));
        skip(part);
        Some(factors)
    });
    if factors.is_none() {
        skip(part);
    }
    factors
}

/// `(SO3(...), SE3(...))`; no factors if one of them cannot be read.
fn several(list: &proc_macro2::Group, context: &Context) -> Option<Vec<Factor>> {
    let tokens = token_trees(list.stream());
    let (parts, commas) = Cursor::new(&tokens, group_extent(list)).split_at_commas();
    commas.into_iter().for_each(|e| context.push(e));
    if parts.is_empty() {
        context.push(Error::new(group_extent(list), "expected a group in here").help(form(&GROUPS[0])));
        return None;
    }
    let factors = parts.into_iter().map(|mut part| {
        let (group, list) = context.keep(named_group(&mut part))?;
        context.keep(part.end("`,`"))?;
        Some(names(group, list, context))
    });
    // All mistakes are reported.
    factors.collect::<Vec<_>>().into_iter().collect()
}

fn form(group: &Group) -> String {
    format!("write `group = {}`", group.usage)
}

/// `=`.
fn equals(key: &Name, part: &mut Cursor<'_>) -> Result<(), Error> {
    if part.eat('=') {
        return Ok(());
    }
    let error = match part.is_empty() {
        true => Error::new(key.at, "expected `=` after `group`"),
        false => part.unexpected("`=` after `group`"),
    };
    Err(error.help(form(&GROUPS[0])))
}

/// `SE2` and its list.
fn named_group<'a>(part: &mut Cursor<'a>) -> Result<(&'static Group, &'a proc_macro2::Group), Error> {
    let name = part.name("the name of a group").map_err(|e| e.help(form(&GROUPS[0])))?;
    let Some(group) = Group::named(&name.text) else {
        let error = Error::new(name.at, format!("unknown group `{}`", name.text));
        let known: Vec<&str> = GROUPS.iter().map(|g| g.name).collect();
        return Err(match nearest(&name.text, known.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("the groups are {}", quoted(&known, "and"))),
        });
    };
    match part.eat_group(Delimiter::Parenthesis) {
        Some(list) => Ok((group, list)),
        None => {
            let error = match part.is_empty() {
                true => Error::new(name.at, format!("expected names after `{}`", group.name)),
                false => part.unexpected(&format!("`(` after `{}`", group.name)),
            };
            Err(error.help(form(group)))
        }
    }
}

/// The names before and after the `;`.
fn names(group: &'static Group, list: &proc_macro2::Group, context: &Context) -> Factor {
    let help = format!("write `group = {}`", group.usage);
    let tokens = token_trees(list.stream());
    let at = group_extent(list);
    let semicolon = tokens.iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
    let (pose, velocities) = match semicolon {
        Some(i) => {
            let semicolon = Extent::of(&tokens[i]);
            let before = if i == 0 { at } else { Extent::of(&tokens[i - 1]) };
            (
                list_of_names(&tokens[..i], before, context),
                list_of_names(&tokens[i + 1..], semicolon, context),
            )
        }
        None => {
            // Without it, the first names are those of the pose.
            let mut names = list_of_names(&tokens, at, context);
            let velocities = names.split_off(group.pose.len().min(names.len()));
            let place = velocities.first().or(names.last()).map_or(at, |(_, at)| *at);
            let place = if velocities.is_empty() {
                Error::new(place, "expected `;` and the body velocities after this")
            } else {
                Error::new(place, "expected `;` between the pose and the body velocities, before this")
            };
            context.push(place.help(help.clone()));
            (names, velocities)
        }
    };
    let last = semicolon.map_or(at, |i| Extent::of(&tokens[i]));
    let counted = |names: Vec<(Option<Name>, Extent)>, expected: usize, what: &str| {
        let count = names.len();
        if count != expected && (semicolon.is_some() || count > expected) {
            let at = names.get(expected).or(names.last()).map_or(last, |(_, at)| *at);
            let noun = if expected == 1 { "name" } else { "names" };
            let message =
                format!("`{}` takes {expected} {noun} for the {what}, but {count} are given", group.name);
            context.push(Error::new(at, message).help(help.clone()));
        }
        let mut names: Vec<Option<Name>> = names.into_iter().map(|(name, _)| name).collect();
        names.resize(expected, None);
        names
    };
    Factor {
        group,
        pose: counted(pose, group.pose.len(), "pose"),
        velocities: counted(velocities, group.dimension, "body velocities"),
    }
}

/// Names between commas, each with the place of what was written; malformed ones are reported.
fn list_of_names(tokens: &[TokenTree], enclosing: Extent, context: &Context) -> Vec<(Option<Name>, Extent)> {
    let (parts, commas) = Cursor::new(tokens, enclosing).split_at_commas();
    commas.into_iter().for_each(|e| context.push(e));
    parts
        .into_iter()
        .map(|mut part| {
            let at = part.peek().map_or(enclosing, Extent::of);
            let name = part.name("a name").and_then(|name| match part.peek() {
                Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Bracket => {
                    Err(Error::new(group_extent(g), format!("`{}` is named without its indices", name.text))
                        .help("the group says how many entries it has"))
                }
                _ => part.end("`,`").map(|()| name),
            });
            (context.keep(name), at)
        })
        .collect()
}
