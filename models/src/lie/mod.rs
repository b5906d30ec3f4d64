//! Systems with a Lie-group factor. A pose is given by its entries: (θ, x, y) of SE(2), the rows of R
//! of SO(3), followed by p of SE(3).

pub mod ball_as_printed;
pub mod chaplygin_ball;
pub mod chaplygin_sleigh;
pub mod nonholonomic_particle;
pub mod rattleback;
pub mod roller_racer;
pub mod se3_body;
pub mod snakeboard;
pub mod suslov;
pub mod two_wheeled_robot;
pub mod vertical_disk;

use nhi_runtime::group::{Exp, Retraction, SO3};

/// The rows of the rotation exp(ŵ).
pub(crate) fn rotation(w: [f64; 3]) -> [f64; 9] {
    let SO3(rows) = Exp::tau(w);
    core::array::from_fn(|k| rows[k / 3][k % 3])
}
