//! Cases of systems with a group factor in the format of the reference data: separate shape `r` and pose `g`, the
//! method with its retraction `tau` and its `quadrature`.

use crate::case::{Case, Malformed, unknown, vector};
use crate::number::Number;
use nhi_codegen::expr::group::{Group, Part};
use nhi_run::model::Model;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The positions of the entries of a configuration and a velocity in `r`, `g` and `v`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    group: Option<&'static Group>,
    /// Number of coordinates in addition to the pose.
    coordinates: usize,
    /// Number of entries of the pose.
    pose: usize,
    /// Whether `g` and `v` have them behind the pose (`SE(2)xR^1`) instead of `r` and `v` in front.
    behind: bool,
}

impl Layout {
    /// The layout of `model` in a case that calls its group `group`.
    pub(crate) fn of(group: &str, model: &dyn Model) -> Result<Self, Malformed> {
        let coordinates = model.shape();
        let pose = model.coordinates().len() - coordinates;
        let name = model.group();
        let factor = name.as_deref().and_then(Group::denoted);
        if factor.is_none() && name.is_some() {
            let reason =
                format!("`{}` has several group factors, and cases are for one at most", model.name());
            return Err(Malformed::new("group", reason));
        }
        let layout = Layout { group: factor, coordinates, pose, behind: false };
        let product = |name: &str| format!("{name}xR^{coordinates}");
        match name.as_deref() {
            None if group == "R^0" => Ok(layout),
            Some(name) if group == name => Ok(layout),
            Some(name) if group == product(name) => Ok(Layout { behind: true, ..layout }),
            None => Err(Malformed::new("group", format!("`{}` has no group factor", model.name()))),
            Some(name) => Err(Malformed::new("group", format!("that of `{}` is `{name}`", model.name()))),
        }
    }

    /// The index of an angle that is compared modulo full turns.
    pub(crate) fn angle(self) -> Option<usize> {
        self.group.filter(|group| group.pose[0] == Part::Number && group.rotations == 1)?;
        Some(self.coordinates)
    }

    /// Whether `g` is the 4 × 4 matrix of a motion of space.
    fn is_matrix(self) -> bool {
        self.group.is_some_and(|group| group.pose == [Part::Matrix, Part::Vector])
    }

    /// q from `r` and `g`.
    pub(crate) fn configuration(self, r: &[Number], g: &[Number], path: &str) -> Result<Vec<f64>, Malformed> {
        let (before, behind) = if self.behind { (0, self.coordinates) } else { (self.coordinates, 0) };
        let mut q = vector(r, before, &format!("{path}.r"))?;
        let given = if self.is_matrix() { 16 } else { self.pose };
        let g = vector(g, given + behind, &format!("{path}.g"))?;
        let (pose, more) = g.split_at(given);
        q.extend(more);
        match pose.chunks(4).collect::<Vec<_>>()[..] {
            [x, y, z, last] if self.is_matrix() => {
                if last != [0.0, 0.0, 0.0, 1.0] {
                    return Err(Malformed::new(format!("{path}.g"), "the last row must be 0, 0, 0, 1"));
                }
                let rows = [x, y, z];
                q.extend(rows.iter().flat_map(|row| &row[..3]).chain(rows.iter().map(|row| &row[3])));
            }
            _ => q.extend(pose),
        }
        Ok(q)
    }

    /// v in the system's order.
    pub(crate) fn velocity(self, v: &[Number], n: usize, field: &str) -> Result<Vec<f64>, Malformed> {
        let mut v = vector(v, n, field)?;
        if self.behind {
            v.rotate_right(self.coordinates);
        }
        Ok(v)
    }

    /// Adds `r`, `g` and `v` to the fields of a sample.
    pub(crate) fn write(self, q: &[f64], v: &[f64], fields: &mut Map<String, Value>) {
        let (r, pose) = q.split_at(self.coordinates);
        let mut g = pose.to_vec();
        if let (true, [rotation @ .., x, y, z]) = (self.is_matrix(), pose) {
            let rows = rotation.chunks(3).zip([x, y, z]);
            g = rows.flat_map(|(row, p)| row.iter().chain([p])).copied().collect();
            g.extend([0.0, 0.0, 0.0, 1.0]);
        }
        let (mut r, mut v) = (r.to_vec(), v.to_vec());
        if self.behind {
            g.append(&mut r);
            v.rotate_left(self.coordinates);
        }
        for (name, vector) in [("r", r), ("g", g), ("v", v)] {
            fields.insert(name.to_owned(), vector.into());
        }
    }
}

/// The method's id in the tables of [`nhi_run::model`].
pub(crate) fn method_id(case: &Case, method: &str) -> Result<String, Malformed> {
    let quadrature = case.quadrature.as_deref().unwrap_or("trap");
    let quadratures = |ids: [&'static str; 4]| match quadrature {
        "trap" => Ok(ids[0]),
        "1/2" | "mid" => Ok(ids[1]),
        "0" | "left" => Ok(ids[2]),
        "1" | "right" => Ok(ids[3]),
        _ => Err(unknown(quadrature, "quadrature", &["trap", "mid", "left", "right"], "quadrature")),
    };
    let stepped = case.start.as_deref().is_some_and(|start| start.starts_with("discrete start"));
    let id = match method {
        "rdp" => quadratures(["rdp", "rdp_midpoint", "rdp_left", "rdp_right"])?,
        "rgni" if stepped && quadrature == "trap" => "rattle_stepped",
        "rgni" => quadratures(["rattle_plain", "gni_midpoint_plain", "gni_euler_a", "gni_euler_b"])?,
        id => id,
    };
    Ok(match case.tau.as_deref() {
        None | Some("exp") => id.to_owned(),
        Some(_) if has_own_retraction(id) => id.to_owned(),
        Some(tau) => format!("{id}_{tau}"),
    })
}

fn has_own_retraction(id: &str) -> bool {
    nhi_methods::Method::with_id(id).is_some_and(|method| method.facts().kind.own_retraction().is_some())
}

/// Fields of the samples that are compared under other names, or left alone: the velocity `z` and the
/// momentum `p_plus` of the step before, which are no state of a node, and residuals.
pub(crate) const FIELDS_OF_SAMPLES: [&str; 9] = ["r", "g", "E", "Ec", "M", "z", "p_plus", "res", "om"];

/// What a sample says in these fields, taken out of `fields`.
pub(crate) struct GroupSample {
    pub(crate) q: Option<Vec<f64>>,
    pub(crate) energy: Option<f64>,
    /// The first two components of the momentum: the third of discrete momenta is another.
    pub(crate) momentum: Option<Vec<f64>>,
}

impl GroupSample {
    pub(crate) fn take(
        fields: &mut BTreeMap<String, Value>,
        layout: Layout,
        path: &str,
    ) -> Result<Self, Malformed> {
        let mut taken: BTreeMap<&str, Value> = BTreeMap::new();
        for name in FIELDS_OF_SAMPLES {
            taken.extend(fields.remove(name).map(|value| (name, value)));
        }
        let numbers = |name: &str| -> Result<Option<Vec<Number>>, Malformed> {
            let value = taken.get(name);
            value.map(|value| crate::case::deserialize(value, &format!("{path}.{name}"))).transpose()
        };
        let number = |name: &str| -> Result<Option<f64>, Malformed> {
            let value: Option<Number> = taken
                .get(name)
                .map(|value| crate::case::deserialize(value, &format!("{path}.{name}")))
                .transpose()?;
            Ok(value.map(|Number(x)| x))
        };
        let q = match (numbers("r")?, numbers("g")?) {
            (r, Some(g)) => Some(layout.configuration(&r.unwrap_or_default(), &g, path)?),
            (Some(r), None) => Some(layout.configuration(&r, &[], path)?),
            (None, None) => None,
        };
        let momentum = numbers("M")?.map(|m| m.iter().take(2).map(|&Number(x)| x).collect());
        Ok(GroupSample { q, energy: number("E")?.or(number("Ec")?), momentum })
    }
}
