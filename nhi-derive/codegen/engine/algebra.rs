//! What Symbolica is asked to do.

use super::convert::Reader;
use super::wire::Id;
use symbolica::atom::{Atom, AtomCore, AtomView};
use symbolica::domains::integer::Z;
use symbolica::domains::rational::Q;
use symbolica::domains::rational_polynomial::RationalPolynomial;

/// Up to this many points on circles every combination of directions to reduce in is tried.
const MAX_COMBINED: usize = 3;

/// Partial derivatives with respect to symbols.
pub(super) fn derivatives(reader: &Reader, root: Id, symbols: &[usize]) -> Vec<Atom> {
    symbols.iter().map(|&s| reader.atom(root).derivative(Reader::symbol(s))).collect()
}

/// Equal forms of a rational function: over a common denominator, without common factors of
/// numerator and denominator, both factored; as it is, and modulo `a² + b² = 1` for each pair.
pub(super) fn rational_forms(reader: &Reader, root: Id, circles: &[(usize, usize)]) -> Vec<Atom> {
    let e = reader.atom(root);
    let mut forms = Vec::new();
    let Some((n, d)) = quotient(e) else { return forms };
    forms.push(n.factor() / d.factor());
    for eliminated in directions(circles) {
        let (n, d) = (reduce(&n, &eliminated), reduce(&d, &eliminated));
        // A denominator that vanishes on the circles is no denominator.
        if d.is_zero() {
            continue;
        }
        if let Some((n, d)) = quotient(&(n / d)) {
            let form = n.factor() / d.factor();
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    forms
}

/// Numerator and denominator without common factors.
fn quotient(e: &Atom) -> Option<(Atom, Atom)> {
    let r: RationalPolynomial<_, u16> = e.try_to_rational_polynomial(&Q, &Z, None).ok()?;
    Some((r.numerator.to_expression(), r.denominator.to_expression()))
}

/// For each pair which of the two loses its higher powers: every combination where those are few,
/// else the first of all pairs and the second of all pairs.
fn directions(circles: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    if circles.is_empty() {
        return Vec::new();
    }
    let flipped = |flips: &dyn Fn(usize) -> bool| {
        circles.iter().enumerate().map(|(i, &(a, b))| if flips(i) { (b, a) } else { (a, b) }).collect()
    };
    if circles.len() <= MAX_COMBINED {
        (0..1usize << circles.len()).map(|mask| flipped(&|i| mask >> i & 1 == 1)).collect()
    } else {
        vec![flipped(&|_| false), flipped(&|_| true)]
    }
}

/// `e` with powers of each `a` above the first replaced by a² = 1 - b².
fn reduce(e: &Atom, eliminated: &[(usize, usize)]) -> Atom {
    let mut e = e.clone();
    for &(a, b) in eliminated {
        let a = Reader::symbol(a).to_atom();
        let square = Atom::num(1) - Reader::symbol(b).to_atom().pow(2);
        let mut sum = Atom::num(0);
        for (power, coefficient) in e.coefficient_list::<u16>(&[&a]) {
            let n = degree(power.as_view());
            sum += coefficient * square.pow(n / 2) * a.pow(n % 2);
        }
        e = sum.expand();
    }
    e
}

/// The exponent in a power of a symbol.
fn degree(power: AtomView<'_>) -> i64 {
    match power {
        AtomView::Num(_) => 0,
        AtomView::Pow(p) => i64::try_from(p.get_base_exp().1).unwrap_or(1),
        _ => 1,
    }
}
