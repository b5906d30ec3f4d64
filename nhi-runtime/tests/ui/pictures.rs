use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, th[2]),
    let(x1 = x - l*cos(th[1]), y1 = y - l*sin(th[1])),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(th[0])^2 + dot(th[1])^2)/2,
    constraints(),
    bodies(
        truck: pose(x, y),
        trailer: pose(x1, y2, th[1]),
        marble: bal(x, y, l),
        box0 pose(x, y, 0),
        wheel: pose(x, y, th),
        turning: pose(x, y, dx),
        ball: ball(x, y, l, 0),
        for i in 0..2 { axle: pose(x, y, th[i]) },
        axle: pose(x, y, 0),
        empty,
    ),
)]
struct Tractor {
    l: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2/2,
    constraints(),
    body(a: pose(x, 0, 0)),
    bodies = pose(x, 0, 0),
    bodies(a: pose(x, 0, 0)),
)]
struct Keys;

fn main() {}
