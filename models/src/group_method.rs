//! The methods on groups, with the retractions that the literature uses them with.

use crate::method::{Family, Method};

/// Rows of the method table.
macro_rules! rows {
    ($($id:literal $family:ident $order:literal $adjoint:expr, $value:expr;)*) => {
        &[$(Method { id: $id, family: Family::$family, order: $order, adjoint: $adjoint },)*]
    };
}

/// The table in parts, for `simulated!` to choose from.
macro_rules! group_methods {
    (
        bare { $($bare:tt)* }
        bare_midpoint { $($bare_midpoint:tt)* }
        retracted { $($retracted:tt)* }
        retracted_midpoint { $($retracted_midpoint:tt)* }
        bodies { $($bodies:tt)* }
    ) => {
        /// The methods of systems with a group factor; those by the mid-point rule need systems that do not
        /// depend on the pose, and the last ones free bodies that turn about a point.
        pub const GROUP_METHODS: &[Method] =
            rows!($($bare)* $($bare_midpoint)* $($retracted)* $($retracted_midpoint)* $($bodies)*);
        /// The methods of systems that do not depend on the pose.
        pub(crate) const INVARIANT: &[Method] =
            rows!($($bare)* $($bare_midpoint)* $($retracted)* $($retracted_midpoint)*);
        /// The methods of systems that depend on the pose.
        pub(crate) const ON_POSES: &[Method] = rows!($($bare)* $($retracted)*);
        /// The same methods for systems without a group factor, which retractions have no part in.
        pub(crate) const WITHOUT_GROUP: &[Method] = rows!($($bare)* $($bare_midpoint)*);

        /// `Simulated` for a system with a group factor that does not depend on the pose, for a body among
        /// them that turns about a point, for a system that depends on the pose, and for one without a
        /// group factor.
        macro_rules! simulated {
            ($type:ty, about a point) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::GROUP_METHODS;
                    $crate::method::simulate!(
                        $($bare)* $($bare_midpoint)* $($retracted)* $($retracted_midpoint)* $($bodies)*
                    );
                }
            };
            ($type:ty) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::group_method::INVARIANT;
                    $crate::method::simulate!(
                        $($bare)* $($bare_midpoint)* $($retracted)* $($retracted_midpoint)*
                    );
                }
            };
            ($type:ty, depends on the pose) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::group_method::ON_POSES;
                    $crate::method::simulate!($($bare)* $($retracted)*);
                }
            };
            ($type:ty, without a group) => {
                impl $crate::Simulated for $type {
                    const METHODS: &'static [$crate::Method] = $crate::group_method::WITHOUT_GROUP;
                    $crate::method::simulate!($($bare)* $($bare_midpoint)*);
                }
            };
        }
        pub(crate) use simulated;
    };
}

group_methods! {
    bare {
        "rdp" Dla 2 Some("rdp"), Rdp;
        "rdp_left" Dla 1 Some("rdp_right"), RdpLeft;
        "rdp_right" Dla 1 Some("rdp_left"), RdpRight;
        "rattle" Gni 2 Some("rattle"), Rattle;
        "rattle_plain" Gni 2 Some("rattle_plain"), Rattle::plain();
        "rattle_stepped" Gni 2 Some("rattle_stepped"), Rattle::stepped();
        "rattle_restarted" Restarted 2 None, RattleRestarted;
        "gni_euler_a" Gni 1 Some("gni_euler_b"), GniEulerA;
        "gni_euler_b" Gni 1 Some("gni_euler_a"), GniEulerB;
        "rkmk2" RungeKutta 2 None, Rkmk2;
        "rkmk4" RungeKutta 4 None, Rkmk4;
    }
    bare_midpoint {
        "rdp_midpoint" Dla 2 Some("rdp_midpoint"), RdpMidpoint;
        "gni_midpoint" Gni 2 Some("gni_midpoint"), GniMidpoint;
        "gni_midpoint_plain" Gni 2 Some("gni_midpoint_plain"), GniMidpoint::plain();
    }
    retracted {
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
    }
    retracted_midpoint {
        "rdp_midpoint_cay" Dla 2 Some("rdp_midpoint_cay"), RdpMidpoint::new(Cayley);
        "rdp_midpoint_ccsk" Dla 1 None, RdpMidpoint::new(Ccsk);
        "rdp_midpoint_exp1" Dla 2 Some("rdp_midpoint_exp1"), RdpMidpoint::new(Exp1);
        "rdp_midpoint_exp2" Dla 2 Some("rdp_midpoint_exp2"), RdpMidpoint::new(Exp2);
        "rdp_midpoint_exp4" Dla 2 Some("rdp_midpoint_exp4"), RdpMidpoint::new(Exp4);
        "gni_midpoint_plain_cay" Gni 2 Some("gni_midpoint_plain_cay"), GniMidpoint::plain().with(Cayley);
    }
    bodies {
        "mv_mp" Dla 1 None, MvMp;
        "suslov_mv" Dla 2 Some("suslov_mv"), SuslovMv;
        "suslov_cay" Dla 2 Some("suslov_cay"), SuslovCay;
    }
}
