//! The models that tests take.

use nhi_models::{GROUP_MODELS, MODELS, Model};
use nhi_tiers::sampled;

/// Two models in coordinates, and one on each of SE(2) and SO(3).
const SAMPLE: [&str; 4] = ["sleigh_com", "mobile_robot", "chaplygin_sleigh", "suslov"];

/// All models in exhaustive tests, otherwise four.
pub fn models() -> Vec<&'static dyn Model> {
    let all: Vec<&dyn Model> = MODELS.iter().chain(GROUP_MODELS).copied().collect();
    sampled(&all, |model| model.name(), &SAMPLE).into_iter().copied().collect()
}
