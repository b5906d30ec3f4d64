//! The methods on groups, with the retractions that the literature uses them with.

use crate::method::{Family, Method};

macro_rules! group_methods {
    (
        all { $($id:literal $family:ident $order:literal $adjoint:expr, $value:expr;)* }
        midpoint { $($mid_id:literal $mid_family:ident $mid_order:literal $mid_adjoint:expr, $mid_value:expr;)* }
    ) => {
        /// The methods of systems with a group factor; those by the mid-point rule, which need systems that
        /// do not depend on the pose, come last.
        pub const GROUP_METHODS: &[Method] = &[
            $(Method { id: $id, family: Family::$family, order: $order, adjoint: $adjoint },)*
            $(Method { id: $mid_id, family: Family::$mid_family, order: $mid_order, adjoint: $mid_adjoint },)*
        ];

        /// The methods of systems that depend on the pose.
        pub(crate) const ON_POSES: &[Method] = GROUP_METHODS.split_at([$($id),*].len()).0;

        /// `Simulated` for a system that does not depend on the pose, or one that does.
        macro_rules! simulated {
            ($type:ty) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::GROUP_METHODS;
                    $crate::method::simulate!($($id $value;)* $($mid_id $mid_value;)*);
                }
            };
            ($type:ty, depends on the pose) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::group_method::ON_POSES;
                    $crate::method::simulate!($($id $value;)*);
                }
            };
        }
        pub(crate) use simulated;
    };
}

group_methods! {
    all {
        "rdp" Dla 2 Some("rdp"), Rdp;
        "rdp_cay" Dla 2 Some("rdp_cay"), Rdp::new(Cayley);
        "rdp_ccsk" Dla 1 None, Rdp::new(Ccsk);
        "rdp_exp1" Dla 2 Some("rdp_exp1"), Rdp::new(Exp1);
        "rdp_exp2" Dla 2 Some("rdp_exp2"), Rdp::new(Exp2);
        "rdp_exp4" Dla 2 Some("rdp_exp4"), Rdp::new(Exp4);
        "rdp_left" Dla 1 Some("rdp_right"), RdpLeft;
        "rdp_left_cay" Dla 1 Some("rdp_right_cay"), RdpLeft::new(Cayley);
        "rdp_right" Dla 1 Some("rdp_left"), RdpRight;
        "rdp_right_cay" Dla 1 Some("rdp_left_cay"), RdpRight::new(Cayley);
        "rattle" Gni 2 Some("rattle"), Rattle;
        "rattle_cay" Gni 2 Some("rattle_cay"), Rattle.with(Cayley);
        "rattle_plain" Gni 2 Some("rattle_plain"), Rattle::plain();
        "rattle_plain_cay" Gni 2 Some("rattle_plain_cay"), Rattle::plain().with(Cayley);
        "rattle_restarted" Restarted 2 None, RattleRestarted;
        "gni_euler_a" Gni 1 Some("gni_euler_b"), GniEulerA;
        "gni_euler_a_cay" Gni 1 Some("gni_euler_b_cay"), GniEulerA.with(Cayley);
        "gni_euler_b" Gni 1 Some("gni_euler_a"), GniEulerB;
        "gni_euler_b_cay" Gni 1 Some("gni_euler_a_cay"), GniEulerB.with(Cayley);
        "rkmk2" RungeKutta 2 None, Rkmk2;
        "rkmk4" RungeKutta 4 None, Rkmk4;
    }
    midpoint {
        "rdp_midpoint" Dla 2 Some("rdp_midpoint"), RdpMidpoint;
        "rdp_midpoint_cay" Dla 2 Some("rdp_midpoint_cay"), RdpMidpoint::new(Cayley);
        "rdp_midpoint_ccsk" Dla 1 None, RdpMidpoint::new(Ccsk);
        "rdp_midpoint_exp1" Dla 2 Some("rdp_midpoint_exp1"), RdpMidpoint::new(Exp1);
        "rdp_midpoint_exp2" Dla 2 Some("rdp_midpoint_exp2"), RdpMidpoint::new(Exp2);
        "rdp_midpoint_exp4" Dla 2 Some("rdp_midpoint_exp4"), RdpMidpoint::new(Exp4);
        "gni_midpoint_plain" Gni 2 Some("gni_midpoint_plain"), GniMidpoint::plain();
        "gni_midpoint_plain_cay" Gni 2 Some("gni_midpoint_plain_cay"), GniMidpoint::plain().with(Cayley);
    }
}
