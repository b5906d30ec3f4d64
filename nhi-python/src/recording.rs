//! Recordings: columns of samples, files and pictures.

use crate::error::start;
use crate::system::Core;
use nhi_run::{
    About, Adaptive, Areas, Bodies, Body, Column, Crossings, Format, Limits, Pose, Quantity, RecordedBody,
    Shape, System,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Cursor;

/// Names of quantities in Python.
const QUANTITIES: [(&str, Quantity); 16] = [
    ("step", Quantity::Step),
    ("time", Quantity::Time),
    ("swept", Quantity::Swept),
    ("coordinate", Quantity::Coordinate),
    ("velocity", Quantity::Velocity),
    ("state", Quantity::State),
    ("input", Quantity::Input),
    ("momentum", Quantity::Momentum),
    ("momentum_before", Quantity::MomentumBefore),
    ("momentum_after", Quantity::MomentumAfter),
    ("multiplier", Quantity::Multiplier),
    ("reaction", Quantity::Reaction),
    ("energy", Quantity::Energy),
    ("residual", Quantity::Residual),
    ("position_residual", Quantity::PositionResidual),
    ("output", Quantity::Output),
];

fn quantity(name: &str) -> PyResult<Quantity> {
    let found = QUANTITIES.iter().find(|(known, _)| *known == name);
    found.map(|(_, quantity)| *quantity).ok_or_else(|| PyValueError::new_err(format!("no quantity `{name}`")))
}

fn name(quantity: Quantity) -> &'static str {
    QUANTITIES.iter().find(|(_, known)| *known == quantity).map_or("", |(name, _)| name)
}

/// Method, step size, and of adaptive steps their tolerance, their number, and how many pairs were repeated.
type Steps = (String, f64, Option<(f64, u64, u64)>);

/// What was run, for pickles: system, declaration, parameters, steps, whether its energy is conserved, names of the pose's columns,
/// why it ended, events.
type Facts =
    (String, String, Vec<(String, f64)>, Steps, bool, Option<Vec<String>>, Option<String>, Crossings);

/// Bounds of columns, and the columns of a plane with the outlines of what is out of bounds there.
type LimitFacts = (Vec<(String, [f64; 2])>, Option<([String; 2], Vec<Vec<Vec<[f64; 2]>>>)>);

/// A body: name, shape, size and expressions.
pub(crate) type BodyFacts = (String, String, Option<f64>, [String; 3]);

/// A body at all samples: its facts and the values of its expressions.
type BodyColumns<'py> = (BodyFacts, Vec<Bound<'py, PyArray1<f64>>>);

fn shape(name: &str) -> PyResult<Shape> {
    let found = Shape::ALL.into_iter().find(|shape| shape.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("no shape `{name}`")))
}

/// Bodies of these facts.
pub(crate) fn bodies(facts: Vec<BodyFacts>) -> PyResult<Vec<Body>> {
    let body = |(name, kind, size, place): BodyFacts| Ok(Body { name, shape: shape(&kind)?, place, size });
    facts.into_iter().map(body).collect()
}

/// The samples of a run as named columns.
#[pyclass(frozen, module = "nhi._nhi")]
pub(crate) struct Recording {
    pub(crate) inner: nhi_run::Recording,
    /// What pictures show.
    pub(crate) shown: Shown,
}

/// Bodies in pictures.
pub(crate) enum Shown {
    /// Those of the declaration.
    Declared(System),
    /// Those that were given, and those of the declaration.
    Given(Box<Bodies>),
    /// Those that the recording has.
    Recorded,
}

impl Recording {
    /// The recording with its bodies.
    fn drawn(&self) -> Cow<'_, nhi_run::Recording> {
        let mut drawn = self.inner.clone();
        match &self.shown {
            Shown::Declared(system) if !system.bodies().is_empty() => {
                Bodies::of(system, &[]).expect("the declaration has no mistakes").place(&mut drawn);
            }
            Shown::Given(bodies) => bodies.place(&mut drawn),
            _ => return Cow::Borrowed(&self.inner),
        }
        Cow::Owned(drawn)
    }
}

#[pymethods]
impl Recording {
    /// Number of samples.
    fn __len__(&self) -> usize {
        self.inner.samples()
    }

    /// Names of the columns.
    fn names(&self) -> Vec<&str> {
        self.inner.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// Names of the columns that hold a quantity.
    fn names_of(&self, name: &str) -> PyResult<Vec<&str>> {
        Ok(self.inner.all(quantity(name)?).map(|column| column.name.as_str()).collect())
    }

    /// The column of this name, shape (K,).
    fn column<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner.column(name).map(|column| PyArray1::from_slice(py, &column.values))
    }

    /// All columns of a quantity, shape (K, number of columns).
    fn matrix<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns: Vec<&[f64]> =
            self.inner.all(quantity(name)?).map(|column| column.values.as_slice()).collect();
        let samples = self.inner.samples();
        let rows = (0..samples).flat_map(|k| columns.iter().map(move |column| column[k]));
        rows.collect::<Vec<f64>>().into_pyarray(py).reshape([samples, columns.len()])
    }

    /// What was run, by name.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let About { system, declaration, parameters, method, h, adaptive, stopped, events, .. } =
            &self.inner.about;
        let about = PyDict::new(py);
        about.set_item("system", system)?;
        about.set_item("declaration", declaration)?;
        about.set_item("parameters", parameters.iter().cloned().collect::<BTreeMap<_, _>>())?;
        about.set_item("method", method)?;
        match adaptive {
            None => about.set_item("h", h)?,
            Some(Adaptive { tolerance, steps, rejections }) => {
                about.set_item("tolerance", tolerance)?;
                about.set_item("steps", steps)?;
                about.set_item("rejections", rejections)?;
            }
        }
        about.set_item("stopped", stopped)?;
        about.set_item("events", events.iter().cloned().collect::<BTreeMap<_, _>>())?;
        Ok(about)
    }

    /// What is suspicious about the run.
    fn warnings(&self) -> Vec<&str> {
        self.inner.about.warnings.iter().map(String::as_str).collect()
    }

    /// The page that plays the motion, with the names of the columns of the phase plane.
    fn page(&self, py: Python<'_>, phase: Option<(String, String)>) -> String {
        let phase = phase.as_ref().map(|(x, y)| [x.as_str(), y.as_str()]);
        py.detach(|| nhi_run::page(&self.drawn(), phase))
    }

    /// A picture of the motion as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| nhi_run::plot(&self.drawn(), None))
    }

    /// The bodies of pictures, with the values of their expressions.
    fn bodies<'py>(&self, py: Python<'py>) -> Vec<BodyColumns<'py>> {
        let drawn = py.detach(|| self.drawn());
        let body = |body: &RecordedBody| {
            let place = body.place.each_ref().map(|column| column.name.clone());
            let values = body.place.iter().map(|column| PyArray1::from_slice(py, &column.values));
            ((body.name.clone(), body.shape.name().to_owned(), body.size, place), values.collect())
        };
        drawn.bodies.iter().map(body).collect()
    }

    /// The same samples with bounds, which pictures show.
    fn limited(&self, py: Python<'_>, core: &Core, bounds: Vec<(String, [f64; 2])>) -> PyResult<Recording> {
        let mut inner = py.detach(|| self.drawn().into_owned());
        let limits = py.detach(|| Limits::of(&core.system, &bounds, &inner));
        inner.limits = limits.map_err(|error| start(py, &error))?;
        Ok(Recording { inner, shown: Shown::Recorded })
    }

    /// Bounds of columns, and the columns of a plane with the outlines of what is out of bounds there.
    fn limits(&self) -> LimitFacts {
        let Limits { columns, areas } = self.inner.limits.clone();
        (columns, areas.map(|Areas { plane, outlines }| (plane, outlines)))
    }

    /// The bytes of a file in the format of this extension, CSV perhaps with comments. JSON begins with the fields of the case, a
    /// text of JSON.
    fn file(&self, py: Python<'_>, extension: &str, case: &str, comments: bool) -> PyResult<Vec<u8>> {
        let format =
            Format::of(extension).map_err(|message| PyValueError::new_err(format!("path: {message}")))?;
        let format = if comments { format.with_comments() } else { format };
        let case =
            serde_json::from_str(case).map_err(|error| PyValueError::new_err(format!("case: {error}")))?;
        let mut out = Cursor::new(Vec::new());
        py.detach(|| format.write(&mut out, &self.inner, &case))?;
        Ok(out.into_inner())
    }

    #[allow(clippy::type_complexity, reason = "a tuple for pickle")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (Facts, Vec<(String, &'static str, Bound<'py, PyArray1<f64>>)>, Vec<BodyColumns<'py>>, LimitFacts),
    )> {
        let py = slf.py();
        let nhi_run::Recording { about, columns, .. } = &slf.get().inner;
        let pose = about.pose.clone().map(|pose| match pose {
            Pose::Planar(names) => names.to_vec(),
            Pose::Rotation(names) => names.to_vec(),
            Pose::Rigid(rotation, position) => [&rotation[..], &position].concat(),
        });
        let About {
            system,
            declaration,
            parameters,
            method,
            h,
            adaptive,
            conservative,
            pose: _,
            stopped,
            events,
            warnings: _,
        } = about.clone();
        let columns = columns.iter().map(|column| {
            (column.name.clone(), name(column.quantity), PyArray1::from_slice(py, &column.values))
        });
        let adaptive =
            adaptive.map(|Adaptive { tolerance, steps, rejections }| (tolerance, steps, rejections));
        let run = (method, h, adaptive);
        let facts = (system, declaration, parameters, run, conservative, pose, stopped, events);
        let this = slf.get();
        Ok((slf.get_type().getattr("_of")?, (facts, columns.collect(), this.bodies(py), this.limits())))
    }

    #[classmethod]
    fn _of(
        _class: &Bound<'_, PyType>,
        facts: Facts,
        columns: Vec<(String, String, PyReadonlyArray1<'_, f64>)>,
        bodies: Vec<(BodyFacts, Vec<PyReadonlyArray1<'_, f64>>)>,
        limits: LimitFacts,
    ) -> PyResult<Recording> {
        let (system, declaration, parameters, (method, h, adaptive), conservative, pose, stopped, events) =
            facts;
        let adaptive =
            adaptive.map(|(tolerance, steps, rejections)| Adaptive { tolerance, steps, rejections });
        let pose = pose.and_then(|names| match names.len() {
            3 => Some(Pose::Planar(names.try_into().ok()?)),
            9 => Some(Pose::Rotation(names.try_into().ok()?)),
            _ => {
                let (rotation, position) = names.split_at_checked(9)?;
                Some(Pose::Rigid(rotation.to_vec().try_into().ok()?, position.to_vec().try_into().ok()?))
            }
        });
        let columns = columns.into_iter().map(|(name, kind, values)| {
            Ok(Column { name, quantity: quantity(&kind)?, values: values.as_slice()?.to_vec() })
        });
        // They were given when it ran.
        let warnings = Vec::new();
        let about = About {
            system,
            declaration,
            parameters,
            method,
            h,
            adaptive,
            conservative,
            pose,
            stopped,
            events,
            warnings,
        };
        let body = |((name, kind, size, place), values): (BodyFacts, Vec<PyReadonlyArray1<'_, f64>>)| {
            let columns = place.into_iter().zip(values).map(|(name, values)| {
                let values = values.as_slice()?.to_vec();
                Ok(Column { name, quantity: Quantity::Output, values })
            });
            let columns = columns.collect::<PyResult<Vec<_>>>()?;
            let place = columns.try_into().map_err(|_| PyValueError::new_err("a body has three columns"))?;
            Ok(RecordedBody { name, shape: shape(&kind)?, size, place })
        };
        let bodies = bodies.into_iter().map(body).collect::<PyResult<_>>()?;
        let columns = columns.collect::<PyResult<_>>()?;
        let (columns_of_bounds, areas) = limits;
        let areas = areas.map(|(plane, outlines)| Areas { plane, outlines });
        let limits = Limits { columns: columns_of_bounds, areas };
        Ok(Recording { inner: nhi_run::Recording { about, columns, bodies, limits }, shown: Shown::Recorded })
    }
}
