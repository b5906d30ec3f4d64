//! Number literals, exactly.

use super::error::{Error, Extent};
use crate::expr::Rational;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

/// Most decimal digits of the numerator and the denominator, which is less than half of
/// [`MAX_BITS`](crate::expr::MAX_BITS). Integers that are finite as f64 have at most 309, so that only
/// fractions can be too long.
const MAX_DIGITS: usize = 600;

/// Digits of the largest finite f64.
const MAX_WHOLE_DIGITS: i64 = 309;

/// The value of a literal token, such as `12`, `0.1`, `2.` or `1e-3`; it is never negative.
pub(crate) fn parse(text: &str, at: Extent) -> Result<Rational, Error> {
    let first = text.chars().next();
    if !first.is_some_and(|c| c.is_ascii_digit()) {
        return Err(Error::new(at, format!("expected an expression, found the literal `{}`", shorten(text))));
    }
    if text.len() > 1 && text.starts_with('0') && text[1..].starts_with(['x', 'o', 'b']) {
        return Err(Error::new(at, "numbers are written in decimal"));
    }
    let mut rest = text;
    let whole = take_digits(&mut rest);
    let mut fraction = String::new();
    if let Some(r) = rest.strip_prefix('.') {
        rest = r;
        fraction = take_digits(&mut rest);
    }
    let mut exponent = 0i64;
    if let Some(mut r) = rest.strip_prefix(['e', 'E']) {
        let negative = r.starts_with('-');
        r = r.strip_prefix(['+', '-']).unwrap_or(r);
        let digits = take_digits(&mut r);
        if !digits.is_empty() {
            rest = r;
            // A number that does not fit is far outside the range checked below.
            let size = digits.parse().unwrap_or(i64::from(u32::MAX));
            exponent = if negative { -size } else { size };
        }
    }
    if !rest.is_empty() {
        return Err(suffix_error(text, rest, at));
    }
    // Leading and trailing zeros do not change the value; the remaining digits are necessary.
    let digits = whole + &fraction;
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok(Rational::zero());
    }
    let behind = digits.len() - digits.trim_end_matches('0').len();
    let scale = exponent.saturating_sub(fraction.len() as i64).saturating_add(behind as i64);
    if scale.saturating_add(significant.len() as i64) > MAX_WHOLE_DIGITS {
        return Err(not_finite(text, at));
    }
    let size = usize::try_from(scale.unsigned_abs()).unwrap_or(usize::MAX);
    if significant.len().max(size) > MAX_DIGITS {
        let message = format!("fractions of more than {MAX_DIGITS} digits cannot be used");
        return Err(Error::new(at, message).help("as f64 it has 17 significant digits"));
    }
    let digits: BigInt = significant.parse().expect("decimal digits");
    let power = num_traits::pow(BigInt::from(10), size);
    let value = if scale < 0 { Rational::new(digits, power) } else { Rational::from_integer(digits * power) };
    match value.to_f64() {
        Some(x) if x.is_finite() => Ok(value),
        _ => Err(not_finite(text, at)),
    }
}

fn not_finite(text: &str, at: Extent) -> Error {
    Error::new(at, format!("`{}` is not finite as f64", shorten(text)))
}

/// Removes leading digits and underscores from `rest`; returns the digits.
fn take_digits(rest: &mut &str) -> String {
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len());
    let (digits, tail) = rest.split_at(end);
    *rest = tail;
    digits.replace('_', "")
}

fn suffix_error(text: &str, suffix: &str, at: Extent) -> Error {
    let number = shorten(text.strip_suffix(suffix).unwrap_or(text));
    let types = [
        "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    if types.contains(&suffix) {
        Error::new(at, format!("numbers are exact and have no type, but this one has the suffix `{suffix}`"))
            .help(format!("write `{number}`"))
    } else {
        Error::new(at, format!("unexpected suffix `{suffix}` of a number"))
            .help(format!("for a product write `{number}*{suffix}`"))
    }
}

/// At most some forty characters of a literal, for messages.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        text.chars().take(36).chain("...".chars()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn value(text: &str) -> Result<Rational, String> {
        parse(text, Span::call_site().into()).map_err(|e| e.to_string())
    }

    fn ratio(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    #[test]
    fn literals_are_exact() {
        assert_eq!(value("12"), Ok(ratio(12, 1)));
        assert_eq!(value("1_000"), Ok(ratio(1000, 1)));
        assert_eq!(value("0.1"), Ok(ratio(1, 10)));
        assert_eq!(value("2."), Ok(ratio(2, 1)));
        assert_eq!(value("1e-3"), Ok(ratio(1, 1000)));
        assert_eq!(value("2.50E+2"), Ok(ratio(250, 1)));
        assert_eq!(value("0e99999999999999999999"), Ok(ratio(0, 1)));
        let long = "123456789012345678901234567890";
        assert_eq!(value(long).unwrap().to_string(), long);
        assert!(value(&format!("0.{}1", "0".repeat(500))).is_ok());
    }

    #[test]
    fn what_is_no_finite_number_is_refused() {
        for text in ["1e400", "1e99999999999999999999", "2f64", "3x", "0x1F", "\"a\"", "'a'"] {
            assert!(value(text).is_err(), "{text}");
        }
        let not_finite = |text: &str| value(text).unwrap_err().contains("is not finite as f64");
        assert!(not_finite(&"9".repeat(400)));
        assert!(not_finite(&"9".repeat(1_000_000)));
        assert!(not_finite(&format!("1{}.5", "0".repeat(309))));
        assert!(not_finite("0.001e312"));
        assert!(value("1e-99999999999999999999").is_err());
        assert!(value(&format!("0.{}1", "0".repeat(MAX_DIGITS))).is_err());
        assert!(value(&format!("0.{}", "1".repeat(1_000_000))).is_err());
    }

    #[test]
    fn zeros_do_not_make_a_number_long() {
        let zeros = "0".repeat(100_000);
        assert_eq!(value(&format!("{zeros}12")), Ok(ratio(12, 1)));
        assert_eq!(value(&format!("1.5{zeros}")), Ok(ratio(3, 2)));
        assert_eq!(value(&format!("{zeros}.{zeros}")), Ok(ratio(0, 1)));
        assert_eq!(value(&format!("12{zeros}e-100000")), Ok(ratio(12, 1)));
        assert_eq!(value(&format!("0.{zeros}12e100000")), Ok(ratio(3, 25)));
        let largest = format!("{:.0}", f64::MAX);
        assert_eq!(value(&largest).unwrap().to_string(), largest);
    }
}
