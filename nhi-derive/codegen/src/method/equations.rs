//! The equations of a scheme, for the documentation of its step.

/// Numbered equations, definitions of what occurs in them, and the meaning of symbols.
pub(super) struct Equations {
    numbered: Vec<String>,
    definitions: Vec<String>,
    symbols: Vec<String>,
}

impl Equations {
    /// Equations with the numbers (1), (2), …
    pub(super) fn new<S: Into<String>>(numbered: impl IntoIterator<Item = S>) -> Equations {
        let numbered = numbered.into_iter().map(Into::into).collect();
        Equations { numbered, definitions: Vec::new(), symbols: Vec::new() }
    }

    /// With definitions, such as those of the momenta at the ends of a step.
    pub(super) fn with(mut self, definitions: impl IntoIterator<Item = String>) -> Equations {
        self.definitions.extend(definitions);
        self
    }

    /// With a symbol's meaning, such as `ℓ = h λ': impulse`.
    pub(super) fn and(mut self, symbol: impl Into<String>) -> Equations {
        self.symbols.push(symbol.into());
        self
    }

    /// Lines of documentation.
    pub(super) fn doc(self) -> Vec<String> {
        let mut doc = vec![String::new(), "```text".to_owned()];
        let numbered = self.numbered.into_iter().enumerate();
        doc.extend(numbered.map(|(i, equation)| format!("({})  {equation}", i + 1)));
        if !self.definitions.is_empty() {
            doc.push(String::new());
            doc.extend(self.definitions);
        }
        doc.push("```".to_owned());
        if let Some((last, others)) = self.symbols.split_last() {
            doc.push(String::new());
            doc.extend(others.iter().map(|symbol| format!("{symbol};")));
            doc.push(format!("{last}."));
        }
        doc
    }
}

/// The meaning of the symbols of a velocity M⁻¹(p − a) and of its normal part.
pub(super) const AT_NODE: &str = "L_v = M v + a; B = M⁻¹ μᵀ; C = μ B";

/// c h as a factor, for c = `numerator`/`denominator` in lowest terms: `h/2 `; empty for c = 0.
pub(super) fn times_h((numerator, denominator): (i64, i64)) -> Option<String> {
    match (numerator, denominator) {
        (0, _) => None,
        (1, 1) => Some("h ".to_owned()),
        (1, d) => Some(format!("h/{d} ")),
        (n, 1) => Some(format!("{n} h ")),
        (n, d) => Some(format!("{n}/{d} h ")),
    }
}

/// What `q + h d` is on a space with that group factor.
pub(super) fn motion(group: Option<&str>) -> Option<String> {
    group.map(|name| format!("on R^k × {name} q + h d is (r + h u, g τ(h ξ)) for q = (r, g) and d = (u, ξ)"))
}
