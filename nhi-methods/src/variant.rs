//! Methods with another start, another retraction, or composed.

use crate::{Kind, Method, StartKind};
use core::fmt;

/// Passes the coefficients of all compositions to a macro.
///
/// `for_each_composition!(callback, given...)` expands to `callback! { [given...] rows }`. A row is
///
/// ```text
/// /// Documentation of the constructor.
/// Triple4 triple4 "_triple4" 3 substeps [γ₁, γ₂, …];    up to the coefficient before the middle one
/// ```
#[macro_export]
macro_rules! for_each_composition {
    ($($callback:ident)::+ $(, $($given:tt)*)?) => {
        $($callback)::+! {
            [$($($given)*)?]

            /// Order 4 in 3 substeps, γ₁ = 1/(2 − ∛2): Creutz and Gocksch 1989, Forest 1989, Suzuki 1990,
            /// Yoshida 1990.
            Triple4 triple4 "_triple4" 3 substeps [1.3512071919596576340];
            /// Order 4 in 5 substeps, γ₁ = γ₂ = 1/(4 − ∛4): Suzuki 1990.
            Suzuki4 suzuki4 "_suzuki4" 5 substeps [0.41449077179437573714, 0.41449077179437573714];
            /// Order 6 in 7 substeps: Yoshida 1990, solution A.
            Yoshida6 yoshida6 "_yoshida6" 7 substeps [
                0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695
            ];
            /// Order 6 in 9 substeps: Kahan and Li 1997.
            KahanLi6 kahanli6 "_kahanli6" 9 substeps [
                0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                0.08221359629355080023
            ];
            /// Order 8 in 15 substeps: Suzuki and Umeno 1993.
            SuzukiUmeno8 suzukiumeno8 "_suzukiumeno8" 15 substeps [
                0.74167036435061295345, -0.40910082580003159400, 0.19075471029623837995,
                -0.57386247111608226666, 0.29906418130365592384, 0.33462491824529818378,
                0.31529309239676659663
            ];
            /// Order 8 in 17 substeps: Kahan and Li 1997.
            KahanLi8 kahanli8 "_kahanli8" 17 substeps [
                0.13020248308889008088, 0.56116298177510838456, -0.38947496264484728641,
                0.15884190655515560090, -0.39590389413323757734, 0.18453964097831570709,
                0.25837438768632204729, 0.29501172360931029887
            ];
        }
    };
}

macro_rules! compositions {
    ([] $(
        $(#[doc = $doc:literal])*
        $name:ident $constructor:ident $suffix:literal $n:literal substeps [$($gamma:literal),*];
    )*) => {
        /// The coefficients of a composition of a symmetric method of order 2.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Composition {
            $($(#[doc = $doc])* $name,)*
        }

        impl Composition {
            /// All of them.
            pub const ALL: &[Composition] = &[$(Composition::$name),*];

            /// What it adds to the id of a method, such as `_suzuki4`.
            pub const fn suffix(self) -> &'static str {
                match self { $(Composition::$name => $suffix,)* }
            }

            /// γ₁, γ₂, … up to the coefficient before the middle one. The others are the same read backwards,
            /// and the middle one is 1 − 2 (γ₁ + γ₂ + …), in the numbers computed with.
            #[expect(clippy::excessive_precision, reason = "the digits of the sources")]
            pub const fn half(self) -> &'static [f64] {
                match self { $(Composition::$name => &[$($gamma),*],)* }
            }
        }
    };
}

for_each_composition!(compositions);

impl Composition {
    /// Its order, which its id ends with.
    pub const fn order(self) -> u32 {
        match self.suffix().as_bytes().last() {
            Some(digit) => (*digit - b'0') as u32,
            None => 0,
        }
    }

    /// γ₁, …, γ_N in the numbers that `round` rounds to, each operation on them rounded.
    pub fn coefficients(self, round: impl Fn(f64) -> f64 + Copy) -> impl Iterator<Item = f64> {
        let half = self.half().iter().map(move |&gamma| round(gamma));
        let middle = round(1.0 - 2.0 * half.clone().fold(0.0, |sum, gamma| round(sum + gamma)));
        half.clone().chain([middle]).chain(half.rev())
    }
}

/// A retraction τ from the Lie algebra to the group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Retraction {
    /// The exponential map.
    #[default]
    Exp,
    /// Cayley's map.
    Cayley,
    /// The canonical coordinates of the second kind.
    Ccsk,
    /// The exponential map to order 1.
    Exp1,
    /// The exponential map to order 2.
    Exp2,
    /// The exponential map to order 4.
    Exp4,
}

impl Retraction {
    /// All of them.
    pub const ALL: [Retraction; 6] = [
        Retraction::Exp,
        Retraction::Cayley,
        Retraction::Ccsk,
        Retraction::Exp1,
        Retraction::Exp2,
        Retraction::Exp4,
    ];

    /// Its type in the runtime, such as `Cayley`.
    pub const fn marker(self) -> &'static str {
        match self {
            Retraction::Exp => "Exp",
            Retraction::Cayley => "Cayley",
            Retraction::Ccsk => "Ccsk",
            Retraction::Exp1 => "Exp1",
            Retraction::Exp2 => "Exp2",
            Retraction::Exp4 => "Exp4",
        }
    }

    /// Its name in ids and reference data, such as `cay`.
    pub const fn id(self) -> &'static str {
        match self {
            Retraction::Exp => "exp",
            Retraction::Cayley => "cay",
            Retraction::Ccsk => "ccsk",
            Retraction::Exp1 => "exp1",
            Retraction::Exp2 => "exp2",
            Retraction::Exp4 => "exp4",
        }
    }
}

impl StartKind {
    /// All of them.
    pub const ALL: [StartKind; 4] =
        [StartKind::Consistent, StartKind::Projected, StartKind::Plain, StartKind::Stepped];

    /// Its name in ids, such as `projected`.
    pub const fn id(self) -> &'static str {
        match self {
            StartKind::Consistent => "consistent",
            StartKind::Projected => "projected",
            StartKind::Plain => "plain",
            StartKind::Stepped => "stepped",
        }
    }
}

/// A method with its choices: what a value of a marker type or of the runtime's `Compose` is.
///
/// ```
/// use nhi_methods::{Composition, Method, Retraction, StartKind, Variant};
///
/// let variant = Variant::with_id("rattle_plain_cay").unwrap();
/// assert_eq!((variant.method, variant.start), (Method::Rattle, StartKind::Plain));
/// assert_eq!(variant.retraction, Retraction::Cayley);
/// let variant = Variant::with_id("dla2_suzuki4").unwrap();
/// assert_eq!((variant.method, variant.composition), (Method::Dla2, Some(Composition::Suzuki4)));
/// assert_eq!(Variant::with_id("rattle_suzuki4"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// The method.
    pub method: Method,
    /// Its start.
    pub start: StartKind,
    /// Its retraction, on groups.
    pub retraction: Retraction,
    /// The composition whose substeps it takes.
    pub composition: Option<Composition>,
}

impl From<Method> for Variant {
    /// The plain value of the marker type.
    fn from(method: Method) -> Variant {
        let facts = method.facts();
        let retraction = facts.kind.own_retraction().unwrap_or_default();
        Variant { method, start: facts.start, retraction, composition: None }
    }
}

impl Variant {
    /// The variant with that id: the id of a method, then those of a start, a retraction and a composition where they
    /// are not those of the plain method, such as `rattle_plain_cay` or `rdp_suzuki4`. `None` where there is no such
    /// method, and where the theory forbids the choice.
    pub fn with_id(id: &str) -> Option<Variant> {
        if let Some(method) = Method::with_id(id) {
            return Some(method.into());
        }
        let (rest, last) = id.rsplit_once('_')?;
        let mut variant = Variant::with_id(rest)?;
        if let Some(&composition) = Composition::ALL.iter().find(|c| &c.suffix()[1..] == last) {
            let is_new = variant.composition.is_none() && variant.is_symmetric();
            variant.composition = Some(composition);
            return is_new.then_some(variant);
        }
        let plain = Variant { start: variant.start, ..variant.method.into() };
        if variant != plain {
            // The retraction comes last but for the composition, and the start before it.
            return None;
        }
        let kind = variant.method.facts().kind;
        if let Some(retraction) = Retraction::ALL.into_iter().find(|r| r.id() == last) {
            variant.retraction = retraction;
            let has_choice = matches!(kind, Kind::Reduced | Kind::Restarted | Kind::Reflecting);
            return (has_choice && retraction != Retraction::Exp).then_some(variant);
        }
        let start = StartKind::ALL.into_iter().find(|start| start.id() == last)?;
        let is_new = variant.start == variant.method.facts().start && start != variant.start;
        variant.start = start;
        (is_new && kind == Kind::Reflecting).then_some(variant)
    }

    /// The sizes of the steps of the method that one step takes, relative to that one: γ₁, …, γ_N of a composition.
    pub fn substeps(&self) -> impl Iterator<Item = f64> {
        let composed = self.composition.into_iter().flat_map(|composition| composition.coefficients(|x| x));
        composed.chain(self.composition.is_none().then_some(1.0))
    }

    /// Its order of convergence. With [`Retraction::Ccsk`] no method is symmetric, and those of order 2 have order 1.
    pub fn order(&self) -> u32 {
        match self.composition {
            Some(composition) => composition.order(),
            None if self.retraction == Retraction::Ccsk => 1,
            None => self.method.facts().order,
        }
    }

    /// The method whose step −h undoes this one's step h: itself, if it is symmetric.
    pub fn adjoint(&self) -> Option<Variant> {
        let method = self.method.facts().adjoint.filter(|_| self.retraction != Retraction::Ccsk)?;
        Some(Variant { method, ..*self })
    }

    /// Whether it is a symmetric one-step map on the constraint manifold, which can be composed. With
    /// [`Retraction::Ccsk`] it is not, because τ(−x) is not τ(x)⁻¹.
    fn is_symmetric(&self) -> bool {
        self.adjoint() == Some(*self) && self.method.facts().kind != Kind::Reflecting
    }
}

/// The id.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Variant::from(self.method);
        f.write_str(self.method.facts().id)?;
        if self.start != plain.start {
            write!(f, "_{}", self.start.id())?;
        }
        if self.retraction != plain.retraction {
            write!(f, "_{}", self.retraction.id())?;
        }
        self.composition.map_or(Ok(()), |composition| f.write_str(composition.suffix()))
    }
}
