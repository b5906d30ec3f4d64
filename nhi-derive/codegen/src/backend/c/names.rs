//! C identifiers.

use crate::expr::Numbers;
use std::collections::BTreeSet;

/// Keywords of C and C++, and macros of `math.h`.
const RESERVED: &str = "auto break case char const continue default do double else enum extern float for goto if inline \
    int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile \
    while alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return \
    co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false \
    friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename \
    using virtual wchar_t xor xor_eq NAN INFINITY HUGE_VAL HUGE DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS linux unix";

const GREEK: &str = "αalpha βbeta γgamma δdelta εepsilon ζzeta ηeta θtheta ιiota κkappa λlambda μmu νnu ξxi οomicron πpi \
    ρrho ςsigma σsigma τtau υupsilon φphi χchi ψpsi ωomega ϑtheta ϕphi ϵepsilon";

/// `name` in ASCII: Greek letters by their names, other letters by their code points, an underscore after keywords.
pub(super) fn identifier(name: &str) -> String {
    let greek = |c: char| GREEK.split_whitespace().find_map(|entry| entry.strip_prefix(c));
    let mut out = String::new();
    for c in crate::expr::identifier(name).chars() {
        let lower = c.to_lowercase().next().unwrap_or(c);
        match greek(lower) {
            _ if c.is_ascii() => out.push(c),
            Some(spelled) if c == lower => out.push_str(spelled),
            Some(spelled) => out.extend([&spelled[..1].to_uppercase(), &spelled[1..]]),
            None => out.push_str(&format!("u{:x}", u32::from(c))),
        }
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'x');
    }
    if RESERVED.split_whitespace().any(|word| word == out) {
        out.push('_');
    }
    out
}

/// The name of a struct in snake case.
pub(super) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let is_word = |before: char| {
            before != '_'
                && (!before.is_uppercase() || chars.get(i + 1).is_some_and(|next| next.is_lowercase()))
        };
        if c.is_uppercase() && chars[..i].last().is_some_and(|&before| is_word(before)) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    identifier(&out)
}

/// Identifiers that are unique in one scope.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    numbers: Numbers,
}

impl Names {
    /// A scope in which these are taken.
    pub(super) fn beside(taken: BTreeSet<String>) -> Names {
        Names { taken, numbers: Numbers::default() }
    }

    /// A further identifier like `name`.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        self.numbers.unique(&identifier(name), |name| self.taken.insert(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Names, identifier, snake_case};

    #[test]
    fn names_are_ascii_and_no_keywords() {
        let all = ["θ", "Ω_1", "dot(x)", "y[0]", "r#type", "double", "new", "ж", "2"].map(identifier);
        assert_eq!(all, ["theta", "Omega_1", "dot_x", "y_0", "type", "double_", "new_", "u436", "x2"]);
        let all = ["ChaplyginSleigh", "SO3Ball", "W1", "Ω"].map(snake_case);
        assert_eq!(all, ["chaplygin_sleigh", "so3_ball", "w1", "omega"]);
        let mut names = Names::beside(BTreeSet::from(["q".to_owned()]));
        assert_eq!(["q", "θ", "theta"].map(|name| names.fresh(name)), ["q_2", "theta", "theta_2"]);
    }
}
