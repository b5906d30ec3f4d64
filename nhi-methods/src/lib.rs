//! The methods of nhi as a table of facts.
//!
//! A method is one row of [`for_each_method!`]. Everything else about methods follows from the rows:
//! the runtime makes its marker types of them, the code generator finds there where a method applies
//! and which paper its equations are from, and the models, the command line and the tests iterate over
//! [`Method::ALL`]. How a step is computed is no fact: the scheme of each method is the code
//! generator's.
#![no_std]

mod variant;

pub use variant::{Composition, Retraction, Variant};

/// Passes the rows of all methods to a macro.
///
/// `for_each_method!(callback, given...)` expands to `callback! { [given...] rows }`. A row is
///
/// ```text
/// /// Documentation of the marker type.
/// Dla1 "dla1" {
///     kind: Dla,                    a variant of `Kind`
///     order: 1,
///     adjoint: Dla1Adjoint,         a marker, `Itself` or `None`
///     start: Consistent,            what the plain value starts with, a variant of the runtime's `Start`
///     applies: Coordinates else Rdp,    a variant of `Applies`, and what to use elsewhere
///     source: "paper, equations",
/// }
/// ```
///
/// MP06 is McLachlan and Perlmutter 2006, KMF Kobilarov, Martín de Diego and Ferraro, FJM Ferraro,
/// Jiménez and Martín de Diego.
#[macro_export]
macro_rules! for_each_method {
    ($($callback:ident)::+ $(, $($given:tt)*)?) => {
        $($callback)::+! {
            [$($($given)*)?]

            /// Discrete Lagrange–d'Alembert, order 1, dissipative; MP06 (4.12).
            Dla1 "dla1" {
                kind: Dla,
                order: 1,
                adjoint: Dla1Adjoint,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "McLachlan and Perlmutter 2006, (4.12)",
            }

            /// Adjoint of [`Dla1`], order 1, anti-dissipative; MP06 (4.17), corrected.
            Dla1Adjoint "dla1_adjoint" {
                kind: Dla,
                order: 1,
                adjoint: Dla1,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "McLachlan and Perlmutter 2006, (4.17), with the force at the old point",
            }

            /// Discrete Lagrange–d'Alembert, order 2, symmetric; MP06 (4.18). The default and
            /// recommendation.
            Dla2 "dla2" {
                kind: Dla,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "McLachlan and Perlmutter 2006, (4.18), for any quadratic Lagrangian",
            }

            /// As [`Dla2`] with midpoint quadrature, fully implicit; MP06 (4.16), corrected.
            Dla2Midpoint "dla2_midpoint" {
                kind: Dla,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "McLachlan and Perlmutter 2006, (4.16), sign of the potential corrected",
            }

            /// The scheme of [`Dla2`] read at the nodes: order 2, symmetric, forces at the nodes.
            ///
            /// It keeps position constraints. Their multipliers κ are the reaction with which a step arrives at its end, which
            /// differs from that of the continuous equations by O(h); the chapter on position constraints of the guide has
            /// the formula.
            DlaRattle "dla_rattle" {
                kind: Dla,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "the trapezoidal DLA scheme of McLachlan and Perlmutter 2006, (3.9), between nodes",
            }

            /// As [`DlaRattle`] with midpoint quadrature.
            DlaRattleMidpoint "dla_rattle_midpoint" {
                kind: Dla,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Coordinates else Rdp,
                source: "the mid-point DLA scheme of McLachlan and Perlmutter 2006, (3.9), between nodes",
            }

            /// Mid-point rule for the components of velocities in an orthonormal frame, order 2, symmetric. It keeps the energy
            /// of every conservative system up to rounding, with any sequence of step sizes.
            ///
            /// The gradient of the potential is averaged along a step: in closed form for polynomials, sines, cosines and
            /// exponentials of affine arguments, and for products of these; on groups also for affine functions of positions and of
            /// entries of rotation matrices; elsewhere with five nodes.
            Frame "frame" {
                kind: Frame,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Everywhere,
                source: "mid-point rule in an orthonormal frame, with an averaged gradient of the potential",
            }

            /// As [`Frame`] with the gradient of the potential in the middle of a step: cheaper, and the energy is exact for
            /// potentials of degree two.
            FrameMidpoint "frame_midpoint" {
                kind: Frame,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Everywhere,
                source: "mid-point rule in an orthonormal frame",
            }

            /// Discrete gradients in momentum coordinates XᵀM v, order 2, symmetric: keeps the energy of conservative systems, but none of
            /// parts that do not interact. For comparison with [`Frame`].
            ///
            /// The derivatives of the Hamiltonian are averaged along a step: in closed form for polynomials, sines, cosines and
            /// exponentials of affine arguments, and for products of these; elsewhere, as a rule those of the kinetic energy, with five
            /// nodes, whose error the energy has. Constraints are linear in the velocities, and neither they nor masses depend on time.
            DiscreteGradient "discrete_gradient" {
                kind: Frame,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Coordinates else Frame,
                source: "discrete gradients in momentum coordinates: Celledoni, Farré, Høiseth and Martín de Diego, arXiv 1605.02845",
            }

            /// Reduced d'Alembert–Pontryagin on R^k × G, trapezoidal rule, order 2, symmetric; KMF (27), (28),
            /// corrected. The default and recommendation with a group factor.
            Rdp "rdp" {
                kind: Reduced,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Everywhere,
                source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, trapezoidal rule",
            }

            /// As [`Rdp`] with midpoint quadrature (α = ½), for systems that do not depend on the pose.
            RdpMidpoint "rdp_midpoint" {
                kind: Reduced,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: InvariantSystems else Rdp,
                source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 1/2",
            }

            /// As [`Rdp`] with the base point at the left node (α = 0), order 1.
            RdpLeft "rdp_left" {
                kind: Reduced,
                order: 1,
                adjoint: RdpRight,
                start: Consistent,
                applies: Everywhere,
                source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 0",
            }

            /// As [`Rdp`] with the base point at the right node (α = 1), order 1.
            RdpRight "rdp_right" {
                kind: Reduced,
                order: 1,
                adjoint: RdpLeft,
                start: Consistent,
                applies: Everywhere,
                source: "Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, alpha = 1",
            }

            /// Geometric nonholonomic integrator with trapezoidal quadrature, order 2. Its parasitic modes
            /// can destroy long runs: prefer [`Dla2`] there.
            ///
            /// For a constant mass matrix the literature states it in other forms, with F = ∂L/∂q + f. All
            /// of them are this method, with the same numbers up to rounding:
            ///
            /// - the two-step form, nonholonomic SHAKE (KMF (9), MP06 (5.3)),
            ///   q_{k+1} − 2q_k + q_{k−1} = h²M⁻¹(F_k + μᵀλ_k), μ(q_k)(q_{k+1} − q_{k−1})/2h + μ₀ = 0;
            /// - the projected form without multipliers (KMF (14), (16)), with Qᵀ = μᵀC⁻¹μM⁻¹,
            ///   p_{k+1/2} = (1 − 2Qᵀ)p_{k−1/2} + h(1 − Qᵀ)F_k − 2μᵀC⁻¹μ₀, q_{k+1} = q_k + hM⁻¹p_{k+1/2};
            /// - the form with triples (q, p, λ), RATTLE (KMF (10), FJM (15)),
            ///   p_{k+1/2} = p_k + ½h(F + μᵀλ)_k, q_{k+1} = q_k + hM⁻¹p_{k+1/2},
            ///   p_{k+1} = p_{k+1/2} + ½h(F + μᵀλ)_{k+1} with μM⁻¹p_{k+1} + μ₀ = 0.
            Rattle "rattle" {
                kind: Reflecting,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: Everywhere,
                source: "nonholonomic RATTLE: Kobilarov, Martín de Diego and Ferraro, (10)",
            }

            /// Geometric nonholonomic integrator with midpoint quadrature, order 2. Its parasitic modes
            /// can destroy long runs: prefer [`Dla2`] there.
            GniMidpoint "gni_midpoint" {
                kind: Reflecting,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: InvariantLagrangians else Rattle,
                source: "Ferraro, Jiménez and Martín de Diego, Definition 4.1, mid-point rule",
            }

            /// Geometric nonholonomic integrator, Euler A, order 1: the kick by the forces follows the
            /// reflection. For a constant mass matrix it is FJM (13), whose p̃ is p + ½hF. Its parasitic
            /// modes can destroy long runs.
            GniEulerA "gni_euler_a" {
                kind: Reflecting,
                order: 1,
                adjoint: GniEulerB,
                start: Plain,
                applies: Everywhere,
                source: "Ferraro, Jiménez and Martín de Diego, (13)",
            }

            /// Adjoint of [`GniEulerA`]: the kick comes before the reflection; FJM (14), whose p̃ is p − ½hF.
            /// Its parasitic modes can destroy long runs.
            GniEulerB "gni_euler_b" {
                kind: Reflecting,
                order: 1,
                adjoint: GniEulerA,
                start: Plain,
                applies: Everywhere,
                source: "Ferraro, Jiménez and Martín de Diego, (14)",
            }

            /// [`Rattle`] started at every node with the multiplier of the continuous equations: order 2 on
            /// the constraint manifold, without parasitic modes; not exactly reversible.
            RattleRestarted "rattle_restarted" {
                kind: Restarted,
                order: 2,
                adjoint: None,
                start: Consistent,
                applies: Everywhere,
                source: "nonholonomic RATTLE, started at every node with the continuous multiplier",
            }

            /// The discrete rigid body of Moser and Veselov with its momentum projected at the nodes; MP06
            /// (6.7), (6.8). Order 1, loses energy in every step: to reproduce the literature, [`SuslovMv`]
            /// is better for the same systems. Keeps the constraint at the nodes exactly.
            MvMp "mv_mp" {
                kind: Body,
                order: 1,
                adjoint: None,
                start: Consistent,
                applies: FreeBodies,
                source: "McLachlan and Perlmutter 2006, (6.7)–(6.8), with Cayley's map",
            }

            /// Suslov's problem with the discrete Lagrangian of Moser and Veselov, order 2, symmetric, energy
            /// exact with one constraint (to rounding); García-Naranjo and Jiménez, for any inertia and
            /// constraint that are constant in the body. For free bodies that turn about a point, SO(3)
            /// without coordinates, potential and forces. Its equations lose their solution where h|ω| is
            /// about 1; the step then fails.
            SuslovMv "suslov_mv" {
                kind: Body,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: FreeBodies,
                source: "García-Naranjo and Jiménez, discrete Lagrangian of Moser and Veselov, with Cayley's map",
            }

            /// As [`SuslovMv`] with the consistent discrete Lagrangian hℓ(cay⁻¹(W)/h): it is [`Rdp`] with
            /// Cayley's map. The energy is not exact (one constraint: unless both inertias on its plane are
            /// equal), but off by O(h²); steps may be long.
            SuslovCay "suslov_cay" {
                kind: Body,
                order: 2,
                adjoint: Itself,
                start: Consistent,
                applies: FreeBodies,
                source: "García-Naranjo and Jiménez, consistent discrete Lagrangian, with Cayley's map",
            }

            /// Explicit midpoint rule on the index-reduced equations; drifts off the constraints.
            Rk2Midpoint "rk2_midpoint" {
                kind: RungeKutta,
                order: 2,
                adjoint: None,
                start: Consistent,
                applies: Coordinates else Rkmk4,
                source: "explicit mid-point rule on the index-reduced equations",
            }

            /// Heun's rule on the index-reduced equations; drifts off the constraints.
            Rk2Heun "rk2_heun" {
                kind: RungeKutta,
                order: 2,
                adjoint: None,
                start: Consistent,
                applies: Coordinates else Rkmk4,
                source: "Heun's rule on the index-reduced equations",
            }

            /// The classical Runge–Kutta method on the index-reduced equations; drifts off the
            /// constraints.
            Rk4 "rk4" {
                kind: RungeKutta,
                order: 4,
                adjoint: None,
                start: Consistent,
                applies: Coordinates else Rkmk4,
                source: "the classical Runge–Kutta method on the index-reduced equations",
            }

            /// Explicit midpoint rule in the logarithm of the pose's motion (Munthe-Kaas); drifts off the
            /// constraints.
            Rkmk2 "rkmk2" {
                kind: MuntheKaas,
                order: 2,
                adjoint: None,
                start: Consistent,
                applies: Everywhere,
                source: "Munthe-Kaas' form of the explicit mid-point rule",
            }

            /// The classical Runge–Kutta method in the logarithm of the pose's motion (Munthe-Kaas); drifts
            /// off the constraints.
            Rkmk4 "rkmk4" {
                kind: MuntheKaas,
                order: 4,
                adjoint: None,
                start: Consistent,
                applies: Everywhere,
                source: "Munthe-Kaas' form of the classical Runge–Kutta method",
            }
        }
    };
}

/// What kind of map a method is. The state that a step passes on follows from it, and whether it has a
/// choice of retractions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Discrete Lagrange–d'Alembert in coordinates: a one-step map on the constraint manifold.
    Dla,
    /// In an orthonormal frame of the admissible velocities: a one-step map on the constraint manifold, on groups with the
    /// exponential map.
    Frame,
    /// Reduced d'Alembert–Pontryagin: as `Dla` on R^k × G, with any retraction.
    Reduced,
    /// Geometric nonholonomic integrator: reflects the momentum at every node, with any retraction and a
    /// choice of starts.
    Reflecting,
    /// Such a method restarted at every node: a one-step map on the constraint manifold, not symmetric.
    Restarted,
    /// Discrete rigid body about a point: a one-step map on the constraint manifold, with Cayley's map.
    Body,
    /// Runge–Kutta on the index-reduced equations: drifts off the constraints.
    RungeKutta,
    /// The same in the logarithm of the pose's motion, with the exponential map.
    MuntheKaas,
}

impl Kind {
    /// The retraction of methods with equations for that one alone.
    pub const fn own_retraction(self) -> Option<Retraction> {
        match self {
            Kind::Body => Some(Retraction::Cayley),
            Kind::Frame => Some(Retraction::Exp),
            _ => None,
        }
    }

    /// Whether the method exists for the sake of group factors: in coordinates it is another form of a
    /// method for coordinates, or does not apply.
    pub const fn is_for_groups(self) -> bool {
        matches!(self, Kind::Reduced | Kind::Body | Kind::MuntheKaas)
    }
}

/// The systems that a method applies to, and which method to use for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applies {
    /// All.
    Everywhere,
    /// Systems without a group factor.
    Coordinates(Method),
    /// Systems with a Lagrangian that does not depend on the pose.
    InvariantLagrangians(Method),
    /// Systems with a Lagrangian and constraints that do not depend on the pose.
    InvariantSystems(Method),
    /// Bodies that turn about a point, SO(3) without coordinates, with kinetic energy alone and constraints
    /// that are constant in the body.
    FreeBodies,
}

/// How the state of a method is made of (q, v).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StartKind {
    /// With the multiplier of the continuous equations.
    Consistent,
    /// With the projected force.
    Projected,
    /// Without any reaction.
    Plain,
    /// With the velocity as that of the first step.
    Stepped,
}

/// What is known of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Name in the literature tables, on the command line and in reference data, such as `dla2`.
    pub id: &'static str,
    /// Name of the runtime's marker type, such as `Dla2`.
    pub marker: &'static str,
    /// What kind of map it is.
    pub kind: Kind,
    /// Order of convergence.
    pub order: u32,
    /// The method whose step −h undoes this one's step h: itself, if it is symmetric.
    pub adjoint: Option<Method>,
    /// What its plain value starts with.
    pub start: StartKind,
    /// Where it applies.
    pub applies: Applies,
    /// Where its equations are from.
    pub source: &'static str,
}

/// The enum of all methods and their facts.
macro_rules! table {
    ([] $(
        $(#[doc = $doc:literal])*
        $marker:ident $id:literal {
            kind: $kind:ident,
            order: $order:literal,
            adjoint: $adjoint:ident,
            start: $start:ident,
            applies: $applies:ident $(else $alternative:ident)?,
            source: $source:literal,
        }
    )*) => {
        /// A method, by the name of the runtime's marker type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Method {
            $(
                #[doc = concat!("`", $id, "`: ", $source, ".")]
                $marker,
            )*
        }

        impl Method {
            /// All methods, in the order of the table.
            pub const ALL: &[Method] = &[$(Method::$marker),*];

            /// What is known of it.
            pub const fn facts(self) -> &'static Facts {
                match self {
                    $(Method::$marker => &Facts {
                        id: $id,
                        marker: stringify!($marker),
                        kind: Kind::$kind,
                        order: $order,
                        adjoint: adjoint!($adjoint of $marker),
                        start: StartKind::$start,
                        applies: Applies::$applies $((Method::$alternative))?,
                        source: $source,
                    },)*
                }
            }
        }
    };
}

macro_rules! adjoint {
    (None of $marker:ident) => {
        None
    };
    (Itself of $marker:ident) => {
        Some(Method::$marker)
    };
    ($other:ident of $marker:ident) => {
        Some(Method::$other)
    };
}

for_each_method!(table);

impl Method {
    /// The method with that name of its marker type.
    pub fn named(marker: &str) -> Option<Method> {
        Method::ALL.iter().copied().find(|method| method.facts().marker == marker)
    }

    /// The method with that id.
    pub fn with_id(id: &str) -> Option<Method> {
        Method::ALL.iter().copied().find(|method| method.facts().id == id)
    }

    /// Whether a step depends on the velocity before it by its momentum along the admissible velocities alone. Steps between nodes do,
    /// since they begin with an impulse of the constraints; then it does not matter which inputs drove constraints before them.
    pub const fn forgets_drives(self) -> bool {
        matches!(self, Method::DlaRattle | Method::DlaRattleMidpoint)
            || matches!(self.facts().kind, Kind::Reduced)
    }

    /// The method that a declaration without `methods(...)` has.
    pub const fn default_of(has_group: bool, has_positions: bool) -> Method {
        match (has_group, has_positions) {
            (true, _) => Method::Rdp,
            (false, true) => Method::DlaRattle,
            (false, false) => Method::Dla2,
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{Applies, Composition, Method, Retraction, StartKind, Variant};
    use std::string::ToString;

    #[test]
    fn names_and_ids_are_unique() {
        for &method in Method::ALL {
            assert_eq!(Method::named(method.facts().marker), Some(method));
            assert_eq!(Method::with_id(method.facts().id), Some(method));
        }
    }

    #[test]
    fn adjoints_are_mutual_and_of_the_same_order() {
        for &method in Method::ALL {
            let Some(adjoint) = method.facts().adjoint else { continue };
            assert_eq!(adjoint.facts().adjoint, Some(method), "{method:?}");
            assert_eq!(adjoint.facts().order, method.facts().order, "{method:?}");
        }
    }

    #[test]
    fn ids_of_variants_are_read_as_written() {
        let mut ids = 0;
        for &method in Method::ALL {
            for start in StartKind::ALL {
                for retraction in Retraction::ALL {
                    for composition in [None].into_iter().chain(Composition::ALL.iter().copied().map(Some)) {
                        let variant = Variant { method, start, retraction, composition };
                        if let Some(read) = Variant::with_id(&variant.to_string()) {
                            assert_eq!(read, variant, "{variant}");
                            ids += 1;
                        }
                    }
                }
            }
        }
        assert!(ids > 150, "{ids}");
        for refused in
            ["rattle_suzuki4", "rdp_ccsk_suzuki4", "dla2_suzuki4_suzuki4", "dla1_suzuki4", "dla2_cay"]
        {
            assert_eq!(Variant::with_id(refused), None, "{refused}");
        }
        for refused in
            ["rattle_cay_plain", "rattle_consistent", "rdp_exp", "dla2_projected", "", "_", "rattle_"]
        {
            assert_eq!(Variant::with_id(refused), None, "{refused}");
        }
    }

    #[test]
    fn alternatives_apply_everywhere() {
        for method in Method::ALL.iter().map(|method| method.facts()) {
            if let Applies::Coordinates(other)
            | Applies::InvariantLagrangians(other)
            | Applies::InvariantSystems(other) = method.applies
            {
                assert_eq!(other.facts().applies, Applies::Everywhere, "{}", method.id);
            }
        }
    }
}
