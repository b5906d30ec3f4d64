//! Bounds and obstacles of plans in pictures.

use crate::error::Error;
use crate::expressions::argument_of;
use crate::panels::place_names;
use crate::recording::{Quantity, Recording};
use crate::system::System;
use nhi_jit::{Formulas, Point};
use std::collections::HashMap;

/// What a motion keeps to, for pictures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// The least and the largest value of columns, by their names; they may be infinite.
    pub columns: Vec<(String, [f64; 2])>,
    /// What the motion keeps out of in a plane.
    pub areas: Option<Areas>,
}

/// Parts of a plane.
#[derive(Clone, PartialEq, Debug)]
pub struct Areas {
    /// The columns that are the coordinates of the plane.
    pub plane: [String; 2],
    /// The outlines of each: closed polygons, with the parts of the plane that an odd number of them encloses.
    pub outlines: Vec<Vec<Vec<[f64; 2]>>>,
}

/// How far areas are drawn from the middle of a motion, in its lengths: pictures of any proportions show less.
const FAR: f64 = 2.5;
/// Cells of the plane in each direction.
const CELLS: usize = 240;
/// Samples of the motion at which the dependence of a function is tested.
const TESTED: usize = 5;

impl Limits {
    /// Those of bounds: of columns, `lambda(blade)` and `dot(x)` among them, and of functions of the place in the plane that pictures
    /// show. Others have no place in pictures.
    ///
    /// # Errors
    /// Those of [`System::formulas`].
    pub fn of(
        system: &System,
        bounds: &[(String, [f64; 2])],
        recording: &Recording,
    ) -> Result<Limits, Error> {
        let (mut columns, mut outlines) = (Vec::new(), Vec::new());
        let plane = Plane::of(system, recording)?;
        for (text, pair) in bounds {
            if let Some(name) = column(text, recording) {
                if let Some(plane) = &plane
                    && let Some(axis) = plane.names.iter().position(|known| *known == name)
                {
                    outlines.extend(plane.beyond(axis, *pair));
                }
                columns.push((name, *pair));
            } else if let Some(plane) = &plane {
                let formulas = system.formulas(&[("bounds", text)])?;
                if plane.decides(&formulas, recording) {
                    outlines.push(plane.outside(&formulas, *pair));
                }
            }
        }
        outlines.retain(|outline: &Vec<Vec<[f64; 2]>>| !outline.is_empty());
        let areas =
            plane.filter(|_| !outlines.is_empty()).map(|plane| Areas { plane: plane.names, outlines });
        Ok(Limits { columns, areas })
    }
}

/// The column that a text is the value of.
fn column(text: &str, recording: &Recording) -> Option<String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let name = match (argument_of(&compact, "dot"), argument_of(&compact, "lambda")) {
        (Some(coordinate), _) => format!("dot_{coordinate}"),
        (_, Some(label)) => format!("lambda_{label}"),
        _ => compact,
    };
    recording.column(&name).is_some().then_some(name)
}

/// The plane of pictures, as far as they may show it.
struct Plane {
    names: [String; 2],
    /// Where its coordinates are in a configuration.
    places: [usize; 2],
    ranges: [[f64; 2]; 2],
    parameters: Vec<f64>,
    q: Vec<f64>,
    /// Numbers of quasi-velocities, auxiliary states and inputs.
    others: [usize; 3],
}

impl Plane {
    fn of(system: &System, recording: &Recording) -> Result<Option<Plane>, Error> {
        let Some(names) = place_names(recording) else { return Ok(None) };
        let place = |name: &String| system.coordinates().iter().position(|known| known == name);
        let [Some(x), Some(y)] = names.each_ref().map(place) else { return Ok(None) };
        let ends = names.each_ref().map(|name| {
            let values = recording.column(name).map_or(&[][..], |column| &column.values);
            let finite = values.iter().filter(|x| x.is_finite());
            finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)])
        });
        let longest = ends.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        if !longest.is_finite() {
            return Ok(None);
        }
        let far = FAR * if longest > 0.0 { longest } else { 1.0 };
        let ranges = ends.map(|[low, high]| {
            let centre = low / 2.0 + high / 2.0;
            [centre - far, centre + far]
        });
        let [_, d] = system.basis()?.sizes();
        Ok(Some(Plane {
            names,
            places: [x, y],
            ranges,
            parameters: recording.about.parameters.iter().map(|(_, value)| *value).collect(),
            q: recording.all(Quantity::Coordinate).map(|column| column.values[0]).collect(),
            others: [d, system.states().len(), system.inputs().len()],
        }))
    }

    /// Whether the place in the plane alone decides about the value of a function, at some samples of the motion.
    fn decides(&self, formulas: &Formulas, recording: &Recording) -> bool {
        let columns: Vec<&[f64]> =
            recording.all(Quantity::Coordinate).map(|column| column.values.as_slice()).collect();
        let [nu, z, inputs] =
            self.others.map(|count| (0..count).map(|i| 0.5 + 0.1 * i as f64).collect::<Vec<_>>());
        let last = recording.samples().saturating_sub(1);
        (0..TESTED).all(|i| {
            let q: Vec<f64> = columns.iter().map(|values| values[i * last / (TESTED - 1)]).collect();
            let at =
                |t: f64| Point { parameters: &self.parameters, q: &q, v: &[], z: &z, t, inputs: &inputs };
            let (Ok(slopes), Ok(now), Ok(later)) = (
                formulas.linearize(&at(0.0), &nu),
                formulas.value(&at(0.0), &nu),
                formulas.value(&at(1.0), &nu),
            ) else {
                return false;
            };
            // A pose in the plane has as many directions as entries.
            let by_others = slopes.x.iter().enumerate().filter(|(i, _)| !self.places.contains(i));
            now == later && by_others.map(|(_, by)| by).chain(&slopes.u).all(|by| *by == 0.0)
        })
    }

    /// The part of the plane where a function is not within its bounds.
    fn outside(&self, formulas: &Formulas, [least, most]: [f64; 2]) -> Vec<Vec<[f64; 2]>> {
        let [nu, z, inputs] = self.others.map(|count| vec![0.0; count]);
        let mut q = self.q.clone();
        let mut inside = |[x, y]: [f64; 2]| {
            (q[self.places[0]], q[self.places[1]]) = (x, y);
            let at = Point { parameters: &self.parameters, q: &q, v: &[], z: &z, t: 0.0, inputs: &inputs };
            // Where a function is not defined, nothing is forbidden.
            formulas.value(&at, &nu).map_or(f64::INFINITY, |value| (value[0] - least).min(most - value[0]))
        };
        outlines(&mut inside, self.ranges)
    }

    /// The parts of the plane beyond bounds of a coordinate of it.
    fn beyond(&self, axis: usize, [least, most]: [f64; 2]) -> Vec<Vec<Vec<[f64; 2]>>> {
        let [low, high] = self.ranges[axis];
        let [from, to] = self.ranges[1 - axis];
        let rectangle = |a: f64, b: f64| {
            let corners = [[a, from], [b, from], [b, to], [a, to]];
            vec![
                corners
                    .map(|[along, across]| if axis == 0 { [along, across] } else { [across, along] })
                    .to_vec(),
            ]
        };
        let below = (least > low).then(|| rectangle(low, least.min(high)));
        let above = (most < high).then(|| rectangle(most.max(low), high));
        below.into_iter().chain(above).collect()
    }
}

/// The closed polygons around the parts of a rectangle where a function is negative, by marching squares.
fn outlines(
    inside: &mut dyn FnMut([f64; 2]) -> f64,
    [[x0, x1], [y0, y1]]: [[f64; 2]; 2],
) -> Vec<Vec<[f64; 2]>> {
    let nodes = CELLS + 1;
    let place = |i: usize, j: usize| {
        let share = |k: usize, low: f64, high: f64| low + (high - low) * k as f64 / CELLS as f64;
        [share(i, x0, x1), share(j, y0, y1)]
    };
    let is_edge = |k: usize| k == 0 || k == CELLS;
    // Polygons close at the edges of the rectangle.
    let values: Vec<f64> = (0..nodes * nodes)
        .map(|node| {
            let (i, j) = (node % nodes, node / nodes);
            let value = inside(place(i, j));
            if is_edge(i) || is_edge(j) { value.abs().max(f64::MIN_POSITIVE) } else { value }
        })
        .collect();
    // From the edge of cells at which the boundary enters a cell to that at which it leaves, each by its two nodes in order.
    let mut next: HashMap<[usize; 2], [usize; 2]> = HashMap::new();
    let mut starts = Vec::new();
    for j in 0..CELLS {
        for i in 0..CELLS {
            let first = j * nodes + i;
            // Counter-clockwise.
            let corners = [first, first + 1, first + 1 + nodes, first + nodes];
            let is_forbidden = corners.map(|node| values[node] < 0.0);
            let edge = |k: usize| {
                let [a, b] = [corners[k], corners[(k + 1) % 4]];
                [a.min(b), a.max(b)]
            };
            for k in (0..4).filter(|&k| is_forbidden[k] && !is_forbidden[(k + 1) % 4]) {
                // The next edge at which the way around the cell is in the forbidden part again.
                let back = (1..4).map(|by| (k + by) % 4).find(|&l| is_forbidden[(l + 1) % 4]);
                let Some(back) = back else { continue };
                next.insert(edge(k), edge(back));
                starts.push(edge(k));
            }
        }
    }
    let crossing = |[a, b]: [usize; 2]| {
        let share = match (values[a], values[b]) {
            (u, v) if u.is_finite() && v.is_finite() => u / (u - v),
            _ => 0.5,
        };
        let [p, q] = [a, b].map(|node| place(node % nodes, node / nodes));
        [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]
    };
    let mut polygons = Vec::new();
    for start in starts {
        let (mut polygon, mut edge) = (Vec::new(), start);
        while let Some(after) = next.remove(&edge) {
            polygon.push(crossing(edge));
            edge = after;
        }
        if polygon.len() > 2 {
            polygons.push(polygon);
        }
    }
    polygons
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring has two outlines, with the lengths of circles; a half of the plane closes at the edge.
    #[test]
    fn outlines_are_closed_polygons() {
        let range = [[-2.0, 2.0], [-2.0, 2.0]];
        let length = |polygon: &Vec<[f64; 2]>| -> f64 {
            let ends = polygon.iter().zip(polygon.iter().cycle().skip(1));
            ends.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).sum()
        };
        let ring = outlines(&mut |[x, y]| (x.hypot(y) - 1.0).abs() - 0.5, range);
        let mut lengths: Vec<f64> = ring.iter().map(length).collect();
        lengths.sort_by(f64::total_cmp);
        let expected = [0.5, 1.5].map(|radius| 2.0 * std::f64::consts::PI * radius);
        assert!(
            lengths.len() == 2 && lengths.iter().zip(expected).all(|(x, y)| (x / y - 1.0).abs() < 1e-3),
            "{lengths:?}"
        );
        let half = outlines(&mut |[x, _]| x - 0.1, range);
        let [polygon] = &half[..] else { panic!("{} polygons", half.len()) };
        assert!(polygon.iter().all(|[x, y]| *x <= 0.1 + 1e-12 && y.abs() <= 2.0));
        assert!((length(polygon) / (2.0 * (2.1 + 4.0)) - 1.0).abs() < 0.02, "{}", length(polygon));
        assert!(outlines(&mut |_| f64::INFINITY, range).is_empty());
        // Two quadrants that touch at a node.
        assert_eq!(outlines(&mut |[x, y]| -x * y, range).len(), 2);
    }
}
