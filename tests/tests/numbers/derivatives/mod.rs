//! Simulations in other numbers than `f64`: derivatives by dual numbers, `f32`, and numbers of one's own.

mod differences;
mod exact;
mod own;
mod run;
mod single;

use nhi_models::{self as models, Row, Simulated, Visitor, lie};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};

/// What is checked of a model by a method.
#[derive(Clone, Copy)]
enum Check {
    Differences,
    Single,
}

impl Check {
    fn run<S: System + Clone, M: Method<S> + Copy>(self, row: &Row<S>, method: M, h: f64) {
        let run = run::Run::new(row, method, h);
        match self {
            Check::Differences => differences::check(&run),
            Check::Single => single::check(&run),
        }
    }

    /// By all methods of the model.
    fn run_all<S: Simulated>(self, row: &Row<S>, h: f64) {
        for method in S::methods() {
            S::with_method(method, Checked { check: self, row, h }).expect("a declared method");
        }
    }
}

struct Checked<'r, S: System + 'static> {
    check: Check,
    row: &'r Row<S>,
    h: f64,
}

impl<S: Simulated> Visitor<S> for Checked<'_, S> {
    type Out = ();

    fn visit<M: Method<S> + Copy + Sync + 'static>(self, method: M) {
        self.check.run(self.row, method, self.h);
    }
}

/// Two tests per model, by all of its methods or by those of a list.
macro_rules! tests {
    ($($name:ident $row:path, $h:literal: $methods:tt;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn derivatives_are_those_of_differences() {
                    tests!(@ $methods Check::Differences, $row, $h);
                }

                #[test]
                fn single_precision_is_as_good_as_its_rounding() {
                    tests!(@ $methods Check::Single, $row, $h);
                }
            }
        )*

        /// A new method for groups has to be added to the list of at least one model.
        #[test]
        fn methods_for_groups_are_tested() {
            let tested = concat!($(stringify!($methods)),*);
            let methods = nhi_methods::Method::ALL.iter().map(|method| method.facts());
            for method in methods.filter(|method| method.kind.is_for_groups()) {
                let named = tested.split(|c: char| !c.is_alphanumeric()).any(|name| name == method.marker);
                assert!(named, "{} is in none of the lists", method.marker);
            }
        }
    };
    (@ all $check:expr, $row:path, $h:literal) => {
        $check.run_all(&$row, $h)
    };
    (@ [$($method:expr),* $(,)?] $check:expr, $row:path, $h:literal) => {
        $($check.run(&$row, $method, $h);)*
    };
}

tests! {
    contact_oscillator models::contact_oscillator::MODEL, 0.05: all;
    contact_oscillator_gauged models::contact_oscillator_gauged::MODEL, 0.05: [
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk4, Compose::triple4(DlaRattle),
        Compose::kahanli6(DlaRattleMidpoint)
    ];
    perturbed_oscillator models::perturbed_oscillator::MODEL, 0.05: [Dla2, DlaRattle, Rattle, Rk4];
    chaotic_r7 models::chaotic_r7::MODEL, 0.05: [Dla2, Dla2Midpoint, Rattle, Rk4];
    sleigh_com models::sleigh_com::MODEL, 0.02: [
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4, Compose::kahanli8(Dla2)
    ];
    sleigh_contact models::sleigh_contact::MODEL, 0.02: [Dla2, Dla2Midpoint, DlaRattle, Rattle, Rk4];
    snakeboard models::snakeboard::MODEL, 0.005: [
        Dla1, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted, GniMidpoint,
        GniEulerA, Rk4, Compose::suzuki4(Dla2)
    ];
    snakeboard_free models::snakeboard_free::MODEL, 0.01: [Dla2, Dla2Midpoint, Rattle, Rk4];
    vertical_disk models::vertical_disk::MODEL, 0.02: [Dla2, Dla2Midpoint, Rattle, Rk4];
    knife_incline models::knife_incline::MODEL, 0.02: [Dla2, Dla2Midpoint, Rattle, Rk4];
    rotating_table_skate models::rotating_table_skate::MODEL, 0.02: [Dla2, Dla2Midpoint, Rattle, Rk4];
    nh_particle models::nh_particle::MODEL, 0.05: [Dla2, Dla2Midpoint, Rattle, Rk4];
    nh_particle_harmonic models::nh_particle::HARMONIC, 0.05: [Dla2, Dla2Midpoint, Rattle, Rk4];
    euler_disk models::euler_disk::MODEL, 0.005: [
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, Rk2Heun, Rk4, Compose::suzuki4(DlaRattle)
    ];
    mobile_robot models::mobile_robot::MODEL, 0.02: [Dla2, Dla2Midpoint, DlaRattle, Rattle, Rk4];
    sleigh_moving_mass models::sleigh_moving_mass::MODEL, 0.02: [
        Dla1, Dla2, Dla2Midpoint, DlaRattle, Rattle, GniMidpoint, Rk4
    ];
    magnetic_particle models::magnetic_particle::MODEL, 0.02: [Dla2, Dla2Midpoint, DlaRattle, Rattle, Rk4];
    gearbox models::gearbox::BOTH, 0.05: [Dla2, Dla2Midpoint, DlaRattle, Rattle, Rk4];
    tractor models::tractor::MODEL, 0.02: [Dla2, Dla2Midpoint, Rattle, Rk4];

    se2_sleigh lie::chaplygin_sleigh::MODEL, 0.02: [
        Rdp, RdpMidpoint, RdpLeft, RdpRight, Rattle, Rattle::plain(), Rattle::stepped(), RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rkmk2, Rkmk4, Rdp::new(Cayley), Rdp::new(Ccsk), Rdp::new(Exp1),
        Rdp::new(Exp2), Rdp::new(Exp4), Rattle.with(Cayley), Compose::suzuki4(Rdp)
    ];
    se2_snakeboard lie::snakeboard::MODEL, 0.01: [Rdp, Rattle, Rkmk4, Compose::kahanli6(Rdp)];
    se2_robot lie::two_wheeled_robot::MODEL, 0.02: [Rdp, Rdp::new(Cayley), Rattle, Rkmk4];
    se2_roller_racer lie::roller_racer::MODEL, 0.02: [Rdp, RdpMidpoint, Rdp::new(Ccsk), Rattle, Rkmk4];
    se2_vertical_disk lie::vertical_disk::MODEL, 0.02: [Rdp, Rattle, Rkmk4];
    ball_as_printed lie::ball_as_printed::MODEL, 0.02: [Rdp, Rattle, Rkmk4];
    chaplygin_ball lie::chaplygin_ball::MODEL, 0.02: [
        Rdp, RdpLeft, Rattle, RattleRestarted, GniEulerA, Rkmk4, Rdp::new(Cayley), Rdp::new(Ccsk),
        Rdp::new(Exp1), Rattle.with(Cayley), Compose::suzuki4(Rdp)
    ];
    chaplygin_top lie::chaplygin_ball::TOP, 0.02: [Rdp, Rattle, Rkmk4];
    suslov lie::suslov::MODEL, 0.05: [
        Rdp, RdpMidpoint, RdpLeft, Rattle, Rattle::plain(), RattleRestarted, GniMidpoint, GniEulerA, Rkmk2,
        Rkmk4, Rdp::new(Cayley), Rdp::new(Ccsk), Rdp::new(Exp2), Rattle.with(Cayley), MvMp, SuslovMv, SuslovCay
    ];
    se3_body lie::se3_body::MODEL, 0.02: [
        Rdp, RdpLeft, Rattle, RattleRestarted, Rkmk4, Rdp::new(Cayley), Rdp::new(Ccsk), Rdp::new(Exp4),
        Compose::suzuki4(Rdp)
    ];
    so3_particle lie::nonholonomic_particle::MODEL, 0.05: [Rdp, Rattle];
    rattleback lie::rattleback::MODEL, 0.005: [Rdp, Rattle, Rkmk4];
}
