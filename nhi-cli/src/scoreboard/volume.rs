//! Phase volume of the nonholonomic particle, whose flow preserves √(1 + y²) dx dy dz dẋ dẏ.
//!
//! In the variables of García-Naranjo & Vermeeren (*Structure preserving discretization of
//! time-reparametrized Hamiltonian systems with application to nonholonomic mechanics*), which leave
//! out z and have the momentum p_x = (1 + y²) ẋ, the density is 1/√(1 + y²). Start, step size, radius of the
//! cloud and time span are theirs: (p_x, x, p_y, y) = (1, 0, 1, 0), h = 0.25, 0.01 and 30.

use nhi_run::model::{Method, Model, Phase};

/// Step size.
const H: f64 = 0.25;
/// Number of steps.
const STEPS: u64 = 120;
/// Radius of the cloud.
const RADIUS: f64 = 0.01;
/// Coordinates (x, y, z, ẋ, ẏ) of the constraint manifold.
const DIMENSION: usize = 5;

/// The weighted volume of the cloud over time, relative to its initial one.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Times and volumes, from t = 0.
    pub course: Vec<(f64, f64)>,
    /// Why the run ended early.
    pub stopped: Option<String>,
}

/// The models whose volume is measured: without and with a spring.
pub const CLOUDS: [&str; 2] = ["nh_particle", "nh_particle_harmonic"];

/// Transports the cloud with `method`, or with the exact flow.
pub fn volume(model: &dyn Model, method: Option<&Method>) -> Volume {
    let instance = model.instance(&model.defaults());
    let mut volume = Volume { course: vec![(0.0, 1.0)], stopped: None };
    let mut points: Vec<_> = corners().into_iter().map(|corner| phase(&corner)).collect();
    let initial = weighted(&points);
    match method {
        None => {
            for k in 0..STEPS {
                let (t0, t1) = (k as f64 * H, (k + 1) as f64 * H);
                let moved = points.iter().map(|(q, v)| instance.flow(t0, q, v, &[], t1)).collect();
                match moved {
                    Ok(moved) => points = moved,
                    Err(failure) => {
                        volume.stopped = Some(failure.to_string());
                        return volume;
                    }
                }
                volume.course.push((t1, weighted(&points) / initial));
            }
        }
        Some(method) => {
            let start = |(q, v): &Phase| instance.start(method, q, v, &[], H);
            let mut cloud = match points.iter().map(start).collect::<Result<Vec<_>, _>>() {
                Ok(cloud) => cloud,
                Err(error) => {
                    volume.stopped = Some(error.to_string());
                    return volume;
                }
            };
            for k in 0..STEPS {
                if let Err(error) = cloud.iter_mut().try_for_each(|point| point.step()) {
                    volume.stopped = Some(error.to_string());
                    return volume;
                }
                points = cloud.iter().map(|point| (point.q(), point.v())).collect();
                volume.course.push(((k + 1) as f64 * H, weighted(&points) / initial));
            }
        }
    }
    volume
}

/// The cloud's points: the centre, and two opposite ones in every direction.
fn corners() -> Vec<[f64; DIMENSION]> {
    let centre = [0.0, 0.0, 0.0, 1.0, 1.0];
    let mut corners = vec![centre];
    for i in 0..DIMENSION {
        for sign in [1.0, -1.0] {
            let mut corner = centre;
            corner[i] += sign * RADIUS;
            corners.push(corner);
        }
    }
    corners
}

fn phase(&[x, y, z, dx, dy]: &[f64; DIMENSION]) -> Phase {
    (vec![x, y, z], vec![dx, dy, y * dx])
}

/// The volume that the cloud's axes span, times the density at its centre.
fn weighted(points: &[Phase]) -> f64 {
    let coordinates: Vec<_> = points.iter().map(|(q, v)| [q[0], q[1], q[2], v[0], v[1]]).collect();
    let pairs = &coordinates[1..];
    let axes = std::array::from_fn(|j| std::array::from_fn(|i| pairs[2 * j][i] - pairs[2 * j + 1][i]));
    (1.0 + coordinates[0][1].powi(2)).sqrt() * determinant(axes).abs()
}

/// By elimination with pivots of the largest magnitude.
fn determinant(mut rows: [[f64; DIMENSION]; DIMENSION]) -> f64 {
    let mut determinant = 1.0;
    for k in 0..DIMENSION {
        let largest =
            (k..DIMENSION).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        if largest != k {
            rows.swap(k, largest);
            determinant = -determinant;
        }
        let pivot = rows[k];
        determinant *= pivot[k];
        if pivot[k] == 0.0 {
            return 0.0;
        }
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            for (entry, above) in row.iter_mut().zip(pivot) {
                *entry -= factor * above;
            }
        }
    }
    determinant
}
