//! Numbers of a case: JSON numbers, or strings holding an exact decimal or fraction.

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::f64::consts::PI;
use std::fmt;

/// A finite number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Number(pub(crate) f64);

/// A number, or an array of numbers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Entry {
    One(f64),
    Many(Vec<f64>),
}

/// The value of `text`, products and quotients of decimals and `pi`: "0.1", "1/5", "20*pi", "-pi/2".
pub(crate) fn exact(text: &str) -> Option<f64> {
    let (sign, text) = match text.trim().strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.trim()),
    };
    let mut value = sign;
    let mut rest = Some(('*', text));
    while let Some((operator, text)) = rest {
        let (factor, next) = match text.find(['*', '/']) {
            Some(at) => (&text[..at], Some((char::from(text.as_bytes()[at]), &text[at + 1..]))),
            None => (text, None),
        };
        let factor = match factor.trim() {
            "pi" => PI,
            decimal if decimal.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                decimal.parse().ok()?
            }
            _ => return None,
        };
        value = if operator == '*' { value * factor } else { value / factor };
        rest = next;
    }
    value.is_finite().then_some(value)
}

const EXPECTED: &str = "a number, or a string holding an exact decimal or fraction";

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Entry::deserialize(deserializer)? {
            Entry::One(x) => Ok(Number(x)),
            Entry::Many(_) => Err(de::Error::invalid_type(de::Unexpected::Seq, &EXPECTED)),
        }
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyEntry;

        impl<'de> Visitor<'de> for AnyEntry {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_u64<E: de::Error>(self, x: u64) -> Result<Entry, E> {
                Ok(Entry::One(x as f64))
            }

            fn visit_i64<E: de::Error>(self, x: i64) -> Result<Entry, E> {
                Ok(Entry::One(x as f64))
            }

            fn visit_f64<E: de::Error>(self, x: f64) -> Result<Entry, E> {
                Ok(Entry::One(x))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Entry, E> {
                let number = exact(text).map(Entry::One);
                number.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Entry, A::Error> {
                let mut numbers = Vec::new();
                while let Some(Number(x)) = entries.next_element()? {
                    numbers.push(x);
                }
                Ok(Entry::Many(numbers))
            }
        }

        deserializer.deserialize_any(AnyEntry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_decimals_and_fractions() {
        for (text, value) in [
            ("0.1", 0.1),
            ("1/5", 0.2),
            ("-2/3", -2.0 / 3.0),
            (" 20 * pi ", 20.0 * PI),
            ("pi/2", PI / 2.0),
            ("-pi", -PI),
            ("1e-3", 1e-3),
            (".5", 0.5),
        ] {
            assert_eq!(exact(text), Some(value), "{text}");
        }
        for text in ["", "-", "nan", "NaN", "inf", "1/0", "1//2", "1+1", "--1", "1e999", "pie", "1/-2", "+1"]
        {
            assert_eq!(exact(text), None, "{text}");
        }
    }

    #[test]
    fn arrays_do_not_nest() {
        assert_eq!(serde_json::from_str::<Entry>("[1, \"1/2\"]").unwrap(), Entry::Many(vec![1.0, 0.5]));
        assert!(serde_json::from_str::<Entry>("[[1]]").is_err());
        assert!(serde_json::from_str::<Entry>("true").is_err());
    }
}
