//! What the maps of groups cost.

use super::{Group, Map};

/// Operations inside of a map of a group. Signs are free; no map divides in a motion of less than half a radian.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Inside {
    /// Additions and subtractions.
    pub adds: usize,
    /// Multiplications.
    pub muls: usize,
    /// Sines and cosines, those of one angle together.
    pub sin_cos: usize,
}

/// Operations of the runtime's functions with the exponential map as the retraction, for a motion of less than half a
/// radian, where they sum series. A compiler shares the series of maps of the same motion, which this does not. The
/// test `inside_of_maps` of `nhi-interpreter` counts them.
#[rustfmt::skip]
const TABLE: &[(&str, Map, [usize; 3])] = &[
    ("SE2", Map::Moved, [31, 35, 1]),
    ("SE2", Map::Start, [19, 27, 0]),
    ("SE2", Map::End, [19, 27, 0]),
    ("SE2", Map::Displaced, [31, 35, 1]),
    ("SE2", Map::Rate, [19, 28, 0]),
    ("SE2", Map::TangentLeft, [26, 32, 0]),
    ("SE2", Map::InverseTangent, [15, 21, 0]),
    ("SE2", Map::StartTangent, [31, 37, 0]),
    ("SE2", Map::StartCurvature, [78, 76, 0]),
    ("SO3", Map::Moved, [98, 118, 0]),
    ("SO3", Map::Start, [26, 34, 0]),
    ("SO3", Map::End, [26, 34, 0]),
    ("SO3", Map::Displaced, [98, 118, 0]),
    ("SO3", Map::Rate, [26, 34, 0]),
    ("SO3", Map::TangentLeft, [37, 39, 0]),
    ("SO3", Map::InverseTangent, [26, 28, 0]),
    ("SO3", Map::StartTangent, [51, 63, 0]),
    ("SO3", Map::StartCurvature, [111, 133, 0]),
    ("SE3", Map::Moved, [125, 145, 0]),
    ("SE3", Map::Start, [72, 95, 0]),
    ("SE3", Map::End, [72, 95, 0]),
    ("SE3", Map::Displaced, [125, 145, 0]),
    ("SE3", Map::Rate, [72, 95, 0]),
    ("SE3", Map::TangentLeft, [86, 98, 0]),
    ("SE3", Map::InverseTangent, [61, 73, 0]),
    ("SE3", Map::StartTangent, [141, 182, 0]),
    ("SE3", Map::StartCurvature, [299, 335, 0]),
];

impl Map {
    /// All of them.
    pub const ALL: [Map; 9] = [
        Map::Moved,
        Map::Start,
        Map::End,
        Map::Displaced,
        Map::Rate,
        Map::TangentLeft,
        Map::InverseTangent,
        Map::StartTangent,
        Map::StartCurvature,
    ];

    /// The operations that it consists of, with the exponential map as the retraction.
    pub fn operations(self, group: &Group) -> Inside {
        let row = TABLE.iter().find(|&&(name, map, _)| name == group.name && map == self);
        let [adds, muls, sin_cos] = row.map_or([0; 3], |row| row.2);
        Inside { adds, muls, sin_cos }
    }
}
