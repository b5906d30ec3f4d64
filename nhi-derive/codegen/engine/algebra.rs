//! The requests to Symbolica.

use super::convert::Reader;
use super::wire::Id;
use symbolica::atom::{Atom, AtomCore};
use symbolica::domains::integer::{IntegerRing, Z};
use symbolica::domains::rational::Q;
use symbolica::domains::rational_polynomial::{FromNumeratorAndDenominator, RationalPolynomial};
use symbolica::poly::PolyVariable;
use symbolica::poly::factor::Factorize;
use symbolica::poly::polynomial::MultivariatePolynomial;

/// Up to this many points on circles every combination of directions to reduce in is tried.
const MAX_COMBINED: usize = 3;

type Polynomial = MultivariatePolynomial<IntegerRing, u16>;
type Fraction = RationalPolynomial<IntegerRing, u16>;

/// Partial derivatives with respect to symbols.
pub(super) fn derivatives(reader: &Reader, root: Id, symbols: &[usize]) -> Vec<Atom> {
    symbols.iter().map(|&s| reader.atom(root).derivative(Reader::symbol(s))).collect()
}

/// Equal forms of a rational function: over a common denominator, without common factors of
/// numerator and denominator, both factored; as it is, and modulo `a² + b² = 1` for each pair.
pub(super) fn rational_forms(reader: &Reader, root: Id, circles: &[(usize, usize)]) -> Vec<Atom> {
    let Ok(fraction) = reader.atom(root).try_to_rational_polynomial(&Q, &Z, None) else { return Vec::new() };
    let fraction: Fraction = fraction;
    let mut forms = vec![factored(&fraction)];
    let mut seen = vec![fraction.clone()];
    for eliminated in directions(circles) {
        let numerator = reduce(&fraction.numerator, &eliminated);
        let denominator = reduce(&fraction.denominator, &eliminated);
        // A denominator that vanishes on the circles is no denominator.
        if denominator.is_zero() {
            continue;
        }
        let reduced = Fraction::from_num_den(numerator, denominator, &Z, true);
        if !seen.contains(&reduced) {
            forms.push(factored(&reduced));
            seen.push(reduced);
        }
    }
    forms
}

/// Numerator over denominator, both factored.
fn factored(fraction: &Fraction) -> Atom {
    let product = |p: &Polynomial| {
        let factors = p.factor();
        factors.iter().fold(Atom::num(1), |all, (f, n)| all * f.to_expression().pow(*n as i64))
    };
    product(&fraction.numerator) / product(&fraction.denominator)
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

/// `p` with powers of each `a` above the first replaced by a² = 1 - b².
fn reduce(p: &Polynomial, eliminated: &[(usize, usize)]) -> Polynomial {
    let mut p = p.clone();
    for &(a, b) in eliminated {
        let (a, b) = (PolyVariable::from(Reader::symbol(a)), PolyVariable::from(Reader::symbol(b)));
        p.add_variables(&[a.clone(), b.clone()]);
        let position = |v: &PolyVariable| p.get_vars_ref().iter().position(|w| w == v).expect("just added");
        let (a, b) = (position(&a), position(&b));
        let mut b_squared = vec![0; p.nvars()];
        b_squared[b] = 2;
        let square = p.one() - p.monomial(1.into(), b_squared);
        // The terms with each power of a, which in those is replaced by a or 1.
        let mut by_power: Vec<Polynomial> = Vec::new();
        for i in 0..p.nterms() {
            let mut exponents = p.exponents(i).to_vec();
            let n = usize::from(exponents[a]);
            exponents[a] %= 2;
            by_power.resize(by_power.len().max(n + 1), p.zero());
            by_power[n].append_monomial(p.coefficients[i].clone(), &exponents);
        }
        p = by_power.into_iter().enumerate().fold(p.zero(), |sum, (n, part)| {
            if part.is_zero() { sum } else { sum + &part * &square.pow(n / 2) }
        });
    }
    p
}
