//! The methods, by the ids of the literature tables and the reference data: those of the table of
//! `nhi-methods`, compositions of them, and the same with other starts and other retractions.

use nhi_methods::{Applies, Kind, Variant};

/// What kind of map a method is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Discrete Lagrange–d'Alembert: a one-step map on the constraint manifold.
    Dla,
    /// A composition of such maps.
    Composed,
    /// Geometric nonholonomic integrator: reflects the momentum at every node.
    Gni,
    /// Such a method restarted at every node: a one-step map on the constraint manifold, not reversible.
    Restarted,
    /// Runge–Kutta on the index-reduced equations: drifts off the constraints.
    RungeKutta,
}

impl Family {
    const ALL: [Family; 5] =
        [Family::Dla, Family::Composed, Family::Gni, Family::Restarted, Family::RungeKutta];

    const fn of(kind: Kind) -> Family {
        match kind {
            Kind::Dla | Kind::Reduced | Kind::Body => Family::Dla,
            Kind::Reflecting => Family::Gni,
            Kind::Restarted => Family::Restarted,
            Kind::RungeKutta | Kind::MuntheKaas => Family::RungeKutta,
        }
    }
}

/// A row of the method table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Method {
    /// Name on the command line and in reference data.
    pub id: &'static str,
    /// Kind.
    pub family: Family,
    /// Order of convergence.
    pub order: u32,
    /// The method whose step −h undoes this one's step h: itself, if it is symmetric.
    pub adjoint: Option<&'static str>,
}

impl Method {
    const fn of(method: nhi_methods::Method) -> Method {
        let facts = method.facts();
        let adjoint = match facts.adjoint {
            Some(adjoint) => Some(adjoint.facts().id),
            None => None,
        };
        Method { id: facts.id, family: Family::of(facts.kind), order: facts.order, adjoint }
    }

    /// Whether its steps can be compiled at run time: those of a pair of two methods cannot.
    pub fn is_compiled_at_run_time(&self) -> bool {
        Variant::with_id(self.id).is_some()
    }

    /// Of any variant, in the table or not.
    pub fn of_variant(variant: Variant) -> Method {
        let of_method = Method::of(variant.method);
        let id: &'static str = String::leak(variant.to_string());
        match variant.composition {
            Some(composition) => {
                Method { id, family: Family::Composed, order: composition.order(), adjoint: Some(id) }
            }
            None => Method {
                id,
                adjoint: of_method.adjoint.filter(|adjoint| *adjoint == of_method.id).map(|_| id),
                ..of_method
            },
        }
    }
}

/// Passes the variants of methods to a macro: in coordinates compositions and starts, on groups starts and
/// retractions. `variants!(coordinates callback, given...)` expands to `callback! { [given...] rows }`.
#[doc(hidden)]
#[macro_export]
macro_rules! variants {
    (coordinates $($callback:ident)::+ $(, $($given:tt)*)?) => {
        $($callback)::+! {
            [$($($given)*)?]
            "dla2_triple4" Composed 4 Some("dla2_triple4"), Compose::triple4(Dla2);
            "dla2_suzuki4" Composed 4 Some("dla2_suzuki4"), Compose::suzuki4(Dla2);
            "dla2_yoshida6" Composed 6 Some("dla2_yoshida6"), Compose::yoshida6(Dla2);
            "dla2_kahanli6" Composed 6 Some("dla2_kahanli6"), Compose::kahanli6(Dla2);
            "dla2_suzukiumeno8" Composed 8 Some("dla2_suzukiumeno8"), Compose::suzukiumeno8(Dla2);
            "dla2_kahanli8" Composed 8 Some("dla2_kahanli8"), Compose::kahanli8(Dla2);
            "dla_rattle_suzuki4" Composed 4 Some("dla_rattle_suzuki4"), Compose::suzuki4(DlaRattle);
            "dla_rattle_kahanli6" Composed 6 Some("dla_rattle_kahanli6"), Compose::kahanli6(DlaRattle);
            "rattle_projected" Gni 2 Some("rattle_projected"), Rattle::projected();
            "gni_euler_ab" Gni 2 Some("gni_euler_ab"), GniEulerAb;
        }
    };
    (groups $($callback:ident)::+ $(, $($given:tt)*)?) => {
        $($callback)::+! {
            [$($($given)*)?]
            "rattle_plain" Gni 2 Some("rattle_plain"), Rattle::plain();
            "rattle_stepped" Gni 2 Some("rattle_stepped"), Rattle::stepped();
            "gni_midpoint_plain" Gni 2 Some("gni_midpoint_plain"), GniMidpoint::plain();
            "rdp_cay" Dla 2 Some("rdp_cay"), Rdp::new(Cayley);
            "rdp_ccsk" Dla 1 None, Rdp::new(Ccsk);
            "rdp_exp1" Dla 2 Some("rdp_exp1"), Rdp::new(Exp1);
            "rdp_exp2" Dla 2 Some("rdp_exp2"), Rdp::new(Exp2);
            "rdp_exp4" Dla 2 Some("rdp_exp4"), Rdp::new(Exp4);
            "rdp_left_cay" Dla 1 Some("rdp_right_cay"), RdpLeft::new(Cayley);
            "rdp_right_cay" Dla 1 Some("rdp_left_cay"), RdpRight::new(Cayley);
            "rattle_cay" Gni 2 Some("rattle_cay"), Rattle.with(Cayley);
            "rattle_plain_cay" Gni 2 Some("rattle_plain_cay"), Rattle::plain().with(Cayley);
            "rattle_stepped_cay" Gni 2 Some("rattle_stepped_cay"), Rattle::stepped().with(Cayley);
            "gni_euler_a_cay" Gni 1 Some("gni_euler_b_cay"), GniEulerA.with(Cayley);
            "gni_euler_b_cay" Gni 1 Some("gni_euler_a_cay"), GniEulerB.with(Cayley);
            "rdp_midpoint_cay" Dla 2 Some("rdp_midpoint_cay"), RdpMidpoint::new(Cayley);
            "rdp_midpoint_ccsk" Dla 1 None, RdpMidpoint::new(Ccsk);
            "rdp_midpoint_exp1" Dla 2 Some("rdp_midpoint_exp1"), RdpMidpoint::new(Exp1);
            "rdp_midpoint_exp2" Dla 2 Some("rdp_midpoint_exp2"), RdpMidpoint::new(Exp2);
            "rdp_midpoint_exp4" Dla 2 Some("rdp_midpoint_exp4"), RdpMidpoint::new(Exp4);
            "gni_midpoint_plain_cay" Gni 2 Some("gni_midpoint_plain_cay"), GniMidpoint::plain().with(Cayley);
        }
    };
}

macro_rules! rows {
    ([] $($id:literal $family:ident $order:literal $adjoint:expr, $value:expr;)*) => {
        &[$(Method { id: $id, family: Family::$family, order: $order, adjoint: $adjoint },)*]
    };
}

const IN_COORDINATES: &[Method] = variants!(coordinates rows);
const ON_GROUPS: &[Method] = variants!(groups rows);

/// All methods of systems in coordinates.
pub const METHODS: &[Method] = &table::<{ count(false) + IN_COORDINATES.len() }>(false, IN_COORDINATES);

/// The method called `id`, of those of systems in coordinates.
pub fn method(id: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.id == id)
}

/// All methods of systems with a group factor; some are for systems that do not depend on the pose, some for
/// free bodies that turn about a point.
pub const GROUP_METHODS: &[Method] = &table::<{ count(true) + ON_GROUPS.len() }>(true, ON_GROUPS);

/// The methods of the table of `nhi-methods` for one kind of systems and their variants, by families.
const fn table<const N: usize>(on_groups: bool, variants: &[Method]) -> [Method; N] {
    let mut table = [variants[0]; N];
    let (mut n, mut f) = (0, 0);
    while f < Family::ALL.len() {
        let mut i = 0;
        while i < nhi_methods::Method::ALL.len() {
            let method = Method::of(nhi_methods::Method::ALL[i]);
            if is_listed(nhi_methods::Method::ALL[i], on_groups)
                && method.family as u8 == Family::ALL[f] as u8
            {
                table[n] = method;
                n += 1;
            }
            i += 1;
        }
        let mut i = 0;
        while i < variants.len() {
            if variants[i].family as u8 == Family::ALL[f] as u8 {
                table[n] = variants[i];
                n += 1;
            }
            i += 1;
        }
        f += 1;
    }
    assert!(n == N, "every method has a family");
    table
}

const fn count(on_groups: bool) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < nhi_methods::Method::ALL.len() {
        n += is_listed(nhi_methods::Method::ALL[i], on_groups) as usize;
        i += 1;
    }
    n
}

const fn is_listed(method: nhi_methods::Method, on_groups: bool) -> bool {
    let facts = method.facts();
    if on_groups { !matches!(facts.applies, Applies::Coordinates(_)) } else { !facts.kind.is_for_groups() }
}
