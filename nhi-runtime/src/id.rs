//! Ids of methods that are joined from their parts at compile time.

use crate::Start;

/// The id of a method with a retraction, such as `rdp_cay`: that of the method, and the name of the retraction.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    bytes: [u8; Id::LONGEST],
    length: usize,
}

impl Id {
    const LONGEST: usize = 64;
    const EMPTY: Id = Id { bytes: [0; Id::LONGEST], length: 0 };

    /// Of a method, which may have a start, with a retraction. The exponential map has no suffix.
    ///
    /// # Panics
    /// At compile time, if the id has more than 64 bytes.
    pub const fn of(method: &str, retraction: &str) -> Id {
        Id::EMPTY.and(method).retracted(retraction)
    }

    const fn retracted(self, retraction: &str) -> Id {
        match retraction.as_bytes() {
            b"exp" => self,
            _ => self.and("_").and(retraction),
        }
    }

    const fn and(mut self, part: &str) -> Id {
        let (part, mut i) = (part.as_bytes(), 0);
        assert!(self.length + part.len() <= Id::LONGEST, "an id has at most 64 bytes");
        while i < part.len() {
            self.bytes[self.length] = part[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The ids of a method with a retraction and any start, such as `rattle_plain_cay`.
#[derive(Clone, Copy, Debug)]
pub struct StartIds {
    consistent: Id,
    projected: Id,
    plain: Id,
    stepped: Id,
}

impl StartIds {
    /// Of a method whose `own` start has no suffix.
    pub const fn of(method: &str, own: Start, retraction: &str) -> StartIds {
        const fn with(method: &str, own: Start, start: Start, suffix: &str, retraction: &str) -> Id {
            let id = Id::EMPTY.and(method);
            let id = if own as u8 == start as u8 { id } else { id.and("_").and(suffix) };
            id.retracted(retraction)
        }
        StartIds {
            consistent: with(method, own, Start::Consistent, "consistent", retraction),
            projected: with(method, own, Start::Projected, "projected", retraction),
            plain: with(method, own, Start::Plain, "plain", retraction),
            stepped: with(method, own, Start::Stepped, "stepped", retraction),
        }
    }

    /// The one with a start.
    pub fn with(&self, start: Start) -> &str {
        let id = match start {
            Start::Consistent => &self.consistent,
            Start::Projected => &self.projected,
            Start::Plain => &self.plain,
            Start::Stepped => &self.stepped,
        };
        id.as_str()
    }
}
