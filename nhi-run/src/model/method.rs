//! The methods, by the ids of the literature tables and the reference data: those of the table of
//! `nhi-methods`, compositions of them, and the same with other starts and other retractions.

use nhi_methods::{Applies, Kind, Variant};
use std::sync::LazyLock;

/// What kind of map a method is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Discrete Lagrange–d'Alembert: a one-step map on the constraint manifold.
    Dla,
    /// In an orthonormal frame of the admissible velocities: a one-step map on the constraint manifold.
    Frame,
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
    const fn of(kind: Kind) -> Family {
        match kind {
            Kind::Dla | Kind::Reduced | Kind::Body => Family::Dla,
            Kind::Frame => Family::Frame,
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
    /// That of a variant, in the table or not.
    pub fn of_variant(variant: Variant) -> Method {
        let id = |variant: Variant| -> &'static str { String::leak(variant.to_string()) };
        let family = match variant.composition {
            Some(_) => Family::Composed,
            None => Family::of(variant.method.facts().kind),
        };
        Method { id: id(variant), family, order: variant.order(), adjoint: variant.adjoint().map(id) }
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
            "dla2_triple4" Compose::triple4(Dla2);
            "dla2_suzuki4" Compose::suzuki4(Dla2);
            "dla2_yoshida6" Compose::yoshida6(Dla2);
            "dla2_kahanli6" Compose::kahanli6(Dla2);
            "dla2_suzukiumeno8" Compose::suzukiumeno8(Dla2);
            "dla2_kahanli8" Compose::kahanli8(Dla2);
            "dla_rattle_suzuki4" Compose::suzuki4(DlaRattle);
            "dla_rattle_kahanli6" Compose::kahanli6(DlaRattle);
            "rattle_projected" Rattle::projected();
        }
    };
    (groups $($callback:ident)::+ $(, $($given:tt)*)?) => {
        $($callback)::+! {
            [$($($given)*)?]
            "rattle_plain" Rattle::plain();
            "rattle_stepped" Rattle::stepped();
            "gni_midpoint_plain" GniMidpoint::plain();
            "rdp_cay" Rdp::new(Cayley);
            "rdp_ccsk" Rdp::new(Ccsk);
            "rdp_exp1" Rdp::new(Exp1);
            "rdp_exp2" Rdp::new(Exp2);
            "rdp_exp4" Rdp::new(Exp4);
            "rdp_left_cay" RdpLeft::new(Cayley);
            "rdp_right_cay" RdpRight::new(Cayley);
            "rattle_cay" Rattle.with(Cayley);
            "rattle_plain_cay" Rattle::plain().with(Cayley);
            "rattle_stepped_cay" Rattle::stepped().with(Cayley);
            "gni_euler_a_cay" GniEulerA.with(Cayley);
            "gni_euler_b_cay" GniEulerB.with(Cayley);
            "rdp_midpoint_cay" RdpMidpoint::new(Cayley);
            "rdp_midpoint_ccsk" RdpMidpoint::new(Ccsk);
            "rdp_midpoint_exp1" RdpMidpoint::new(Exp1);
            "rdp_midpoint_exp2" RdpMidpoint::new(Exp2);
            "rdp_midpoint_exp4" RdpMidpoint::new(Exp4);
            "gni_midpoint_plain_cay" GniMidpoint::plain().with(Cayley);
        }
    };
}

macro_rules! ids {
    ([] $($id:literal $value:expr;)*) => { &[$($id),*] };
}

/// All methods of systems in coordinates.
pub static METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| table(false, variants!(coordinates ids)));

/// All methods of systems with a group factor; some are for systems that do not depend on the pose, some for
/// free bodies that turn about a point.
pub static GROUP_METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| table(true, variants!(groups ids)));

/// The method called `id`, of those of systems in coordinates.
pub fn method(id: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.id == id)
}

/// The methods of the table of `nhi-methods` for one kind of systems and their variants, by families.
fn table(on_groups: bool, variants: &[&str]) -> Vec<Method> {
    let is_listed = |method: &nhi_methods::Method| {
        let facts = method.facts();
        if on_groups {
            !matches!(facts.applies, Applies::Coordinates(_))
        } else {
            !facts.kind.is_for_groups()
        }
    };
    let methods = nhi_methods::Method::ALL.iter().copied().filter(is_listed).map(Variant::from);
    let variants = variants.iter().filter_map(|id| Variant::with_id(id));
    let mut table: Vec<Method> = methods.chain(variants).map(Method::of_variant).collect();
    table.sort_by_key(|method| method.family);
    table
}
