//! How functions are stored: by `serde`, and what the program knows already, groups and methods, by names.

use crate::expr::group::Group;
use crate::method::Method;
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

/// Of the sources of this crate, in the repository also of the tables of methods: what other sources have stored is not read.
pub const SOURCES: &str = env!("NHI_SOURCES");

/// What has a name by which it is found again.
pub(crate) trait Named: Sized {
    fn name(&self) -> &'static str;
    fn named(name: &str) -> Option<Self>;
}

impl Named for &'static Group {
    fn name(&self) -> &'static str {
        self.name
    }

    fn named(name: &str) -> Option<Self> {
        Group::named(name)
    }
}

impl Named for Method {
    fn name(&self) -> &'static str {
        self.facts().marker
    }

    fn named(marker: &str) -> Option<Self> {
        Method::named(marker)
    }
}

/// A value that is stored by its name.
pub(crate) mod by_name {
    use super::{Deserialize, Deserializer, Error, Named, Serialize, Serializer};

    pub(crate) fn serialize<T: Named, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.name().serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let name = String::deserialize(from)?;
        T::named(&name).ok_or_else(|| D::Error::custom(format!("unknown name `{name}`")))
    }
}

/// The factors of a product of groups, by their names.
pub(crate) mod by_names {
    use super::{Deserialize, Deserializer, Error, Group, Serialize, Serializer};
    use crate::expr::group::Product;

    pub(crate) fn serialize<S: Serializer>(group: &Product, to: S) -> Result<S::Ok, S::Error> {
        let names: Vec<&str> = group.factors().iter().map(|group| group.name).collect();
        names.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Product, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let known = |name: &String| {
            Group::named(name).ok_or_else(|| D::Error::custom(format!("unknown name `{name}`")))
        };
        names.iter().map(known).collect::<Result<_, _>>().map(Product::new)
    }
}

/// The starts of a method, whose kinds are stored by their places in [`StartKind::ALL`](crate::method::StartKind::ALL).
pub(crate) mod starts {
    use super::{Deserialize, Deserializer, Error, Serialize, Serializer};
    use crate::lower::Function;
    use crate::method::StartKind;

    pub(crate) fn serialize<S: Serializer>(
        starts: &[(StartKind, Function)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let place = |kind: &StartKind| StartKind::ALL.iter().position(|known| known == kind);
        let starts: Vec<(Option<usize>, &Function)> =
            starts.iter().map(|(kind, function)| (place(kind), function)).collect();
        starts.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(StartKind, Function)>, D::Error> {
        let starts = Vec::<(Option<usize>, Function)>::deserialize(from)?;
        let kind = |place: Option<usize>| StartKind::ALL.get(place?).copied();
        let starts = starts.into_iter().map(|(place, function)| Some((kind(place)?, function)));
        starts.collect::<Option<_>>().ok_or_else(|| D::Error::custom("an unknown kind of start"))
    }
}
