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
