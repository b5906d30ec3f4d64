//! Parameters and initial data of the reference cases.

use nhi_models::{GROUP_MODELS, Instance, Method, Model, Trajectory};
use serde_json::Value;
use std::{fs, path::Path};

/// A model with the parameters and the initial data of a reference case.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) model: &'static dyn Model,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) q0: Vec<f64>,
    pub(crate) v0: Vec<f64>,
}

impl Case {
    /// The case with reference data `name__exact.json`.
    pub(crate) fn of(name: &str) -> Case {
        Case::with(name, &[])
    }

    /// The same with other values of some parameters.
    pub(crate) fn with(name: &str, parameters: &[(&str, f64)]) -> Case {
        let path = format!("{}/golden/lie/{name}__exact.json", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(Path::new(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let data: Value = serde_json::from_str(&text).unwrap();
        let name_of_model = data["model"].as_str().unwrap();
        let known = GROUP_MODELS.iter().copied().find(|model| model.name() == name_of_model);
        let model = known.unwrap_or_else(|| panic!("no model {name_of_model}"));
        let values: Vec<f64> = model
            .parameters()
            .iter()
            .map(|&parameter| {
                let other = parameters.iter().find(|(name, _)| *name == parameter);
                other.map_or_else(|| number(data["params"][parameter].as_str().unwrap()), |&(_, value)| value)
            })
            .collect();
        let initial = |field: &str| -> Vec<f64> {
            data["initial"][field].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let (r, g, v) = (initial("r"), initial("g"), initial("v"));
        let (q0, v0) = match name_of_model {
            // In the data, its product group has the rolling angle last.
            "vertical_disk" => (rotated_right(g), rotated_right(v)),
            // Rows of the homogeneous matrix.
            "se3_body" => {
                let rotation = (0..9).map(|k| g[4 * (k / 3) + k % 3]);
                (rotation.chain([g[3], g[7], g[11]]).collect(), v)
            }
            _ => ([r, g].concat(), v),
        };
        let instance = model.instance(&values);
        let v0 = if parameters.is_empty() { v0 } else { instance.project(&q0, &v0).unwrap() };
        Case { name: name.to_owned(), model, instance, q0, v0 }
    }

    /// A simulation by the method with that id.
    pub(crate) fn start(&self, id: &str, h: f64) -> Box<dyn Trajectory> {
        self.instance
            .start(self.method(id), &self.q0, &self.v0, &[], h)
            .unwrap_or_else(|e| panic!("{} with {id}: {e}", self.name))
    }

    pub(crate) fn method(&self, id: &str) -> &'static Method {
        let method = self.model.methods().iter().find(|method| method.id == id);
        method.unwrap_or_else(|| panic!("{} has no method {id}", self.model.name()))
    }

    /// Whether the mid-point rule is there: nothing depends on the pose.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.model.methods().iter().any(|method| method.id == id)
    }

    /// The largest |μv + μ₀| at a node.
    pub(crate) fn residual(&self, node: &dyn Trajectory) -> f64 {
        largest(&self.instance.residual(&node.q(), &node.v()))
    }
}

/// A number, a fraction or a multiple of π.
fn number(text: &str) -> f64 {
    if let Some(factor) = text.strip_suffix("*pi") {
        return number(factor) * std::f64::consts::PI;
    }
    let mut parts = text.split('/').map(|x| x.parse::<f64>().expect("a decimal number"));
    let over = parts.next().unwrap();
    parts.fold(over, |x, under| x / under)
}

fn rotated_right(mut list: Vec<f64>) -> Vec<f64> {
    list.rotate_right(1);
    list
}

pub(crate) fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x.abs()) })
}

/// The largest difference.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}
