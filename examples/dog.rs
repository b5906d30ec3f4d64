use nhi_runtime::prelude::*;

/// A dog that runs at a man, who walks along the y axis with the speed `walk`: Bouguer's curve of pursuit.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    let(man = walk*t),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(pursuit: (man - y)*dx + x*dy = 0),
    bodies(dog: pose(x, y, atan2(dot(y), dot(x))), man: pose(0, man, pi/2)),
)]
pub struct Dog {
    pub m: f64,
    pub walk: f64,
}
