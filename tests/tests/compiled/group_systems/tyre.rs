//! A tyre that rolls on a tilted plane: SE(3), with one-forms that depend on the attitude.

use super::chart::{Charted, angular_velocity, apply, back, cross, dot, rotation};
use nhi_runtime::prelude::*;
use nhi_tests::oracle::{Equations, Number};

/// A torus about the third axis of the body with the radii `a` and `b`, on a plane that falls along the
/// first axis by the angle `tilt`; its valve, of mass `mv`, is at (d, 0, 0).
///
/// γ, the normal of the plane in the body, is the last row of R. The lowest point of the tyre is at
/// −(a + b s)(γ₁, γ₂, 0)/s − b (0, 0, γ₃) from its centre, with s² = γ₁² + γ₂², and it is at rest.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    let(
        s = sqrt(R[2][0]^2 + R[2][1]^2),
        rho1 = -(a/s + b)*R[2][0],
        rho2 = -(a/s + b)*R[2][1],
        rho3 = -b*R[2][2],
    ),
    lagrangian = m/2*(v1^2 + v2^2 + v3^2) + (j1*(w1^2 + w2^2) + j3*w3^2)/2
               + mv/2*(v1^2 + (v2 + d*w3)^2 + (v3 - d*w2)^2)
               + (m + mv)*g*(sin(tilt)*p[0] - cos(tilt)*p[2])
               + mv*d*g*(sin(tilt)*R[0][0] - cos(tilt)*R[2][0]),
    constraints(
        v1 + w2*rho3 - w3*rho2 = 0,
        v2 + w3*rho1 - w1*rho3 = 0,
        v3 + w1*rho2 - w2*rho1 = 0,
    ),
    methods(Rdp, Rattle, RattleRestarted, Rkmk2, Rkmk4),
)]
pub(crate) struct Tyre {
    m: f64,
    j1: f64,
    j3: f64,
    a: f64,
    b: f64,
    mv: f64,
    d: f64,
    g: f64,
    tilt: f64,
}

impl Tyre {
    pub(crate) const STANDARD: Self =
        Tyre { m: 1.5, j1: 0.7, j3: 1.2, a: 0.8, b: 0.2, mv: 0.2, d: 0.7, g: 2.0, tilt: 0.2 };

    fn valve<D: Number>(&self) -> [D; 3] {
        [self.d, 0.0, 0.0].map(D::from)
    }
}

/// Coordinates are the centre and Euler's angles.
fn position<D: Number>(q: &[D]) -> [D; 3] {
    [q[0], q[1], q[2]]
}

fn angles<D: Number>(q: &[D]) -> [D; 3] {
    [q[3], q[4], q[5]]
}

fn plus<D: Number>(a: [D; 3], b: [D; 3]) -> [D; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

impl Equations for Tyre {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let (rows, spin) = (rotation(angles(q)), angular_velocity(angles(q), angles(v)));
        let valve = plus(position(v), apply(rows, cross(spin, self.valve())));
        let turning = (spin[0] * spin[0] + spin[1] * spin[1]) * self.j1 + spin[2] * spin[2] * self.j3;
        let kinetic = dot(position(v), position(v)) * self.m + dot(valve, valve) * self.mv + turning;
        let down = [self.tilt.sin(), 0.0, -self.tilt.cos()].map(D::from);
        let at = plus(position(q), apply(rows, self.valve()));
        kinetic * 0.5 + (dot(down, position(q)) * self.m + dot(down, at) * self.mv) * self.g
    }

    /// The velocity of the lowest point, from the spherical section of the tube that touches the plane: its
    /// centre is on the tyre's core, lowest there, and the plane is `b` below it.
    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let (rows, spin) = (rotation(angles(q)), angular_velocity(angles(q), angles(v)));
        let axis = [rows[0][2], rows[1][2], rows[2][2]];
        // Down the disk: −e₃ without its part along the axis.
        let steepest = [axis[2] * axis[0], axis[2] * axis[1], axis[2] * axis[2] - 1.0];
        let length = dot(steepest, steepest).sqrt();
        let core = steepest.map(|x| x / length * self.a);
        let contact = [core[0], core[1], core[2] - self.b];
        let slip = plus(position(v), cross(apply(rows, spin), contact));
        back(rows, slip).to_vec()
    }
}

impl Charted for Tyre {
    fn on_group(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (rows, spin) = (rotation(angles(q)), angular_velocity(angles(q), angles(v)));
        let entries = [rows.as_flattened(), &q[..3]].concat();
        (entries, [spin, back(rows, position(v))].concat())
    }
}
