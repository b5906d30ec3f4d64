//! Lists of models and methods.

use comfy_table::{LineStyle, Row, Table, TableStyle};
use nhi_run::model::{Declared, Family, GROUP_METHODS, METHODS, MODELS, Method, Model};
use rayon::prelude::*;

/// A table in the common style.
pub(crate) fn table(header: impl Into<Row>) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().top_border(line).header_separator(line).bottom_border(line));
    table.set_header(header);
    table
}

/// All models with coordinates, parameters and initial data, and all methods.
pub(crate) fn models() -> Result<String, nhi_run::Error> {
    let mut text = String::new();
    let models: Result<Vec<Declared>, _> = MODELS.par_iter().map(|model| model.load()).collect();
    for model in models? {
        let instance = model.instance(&model.defaults());
        let (q0, v0) = instance.initial();
        let defaults = model.parameters().iter().zip(model.defaults());
        let parameters: Vec<_> = defaults.map(|(name, value)| format!("{name} = {value}")).collect();
        text += &format!("{}: {}\n", model.name(), model.summary());
        if let Some(group) = model.group() {
            text += &format!("    group        {group}\n");
        }
        text += &format!("    coordinates  {}\n", model.coordinates().join(", "));
        if model.velocities() != model.coordinates() {
            text += &format!("    velocities   {}\n", model.velocities().join(", "));
        }
        if !parameters.is_empty() {
            text += &format!("    parameters   {}\n", parameters.join(", "));
        }
        text += &format!("    q0           {q0:?}\n    v0           {v0:?}\n\n");
    }
    let exact = ["exact", "", "the exact flow, to nearly the accuracy of f64"];
    let mut methods = table(["method", "order", "kind"]);
    methods.add_rows(METHODS.iter().map(row));
    methods.add_row(exact);
    let mut on_groups = table(["method on groups", "order", "kind"]);
    on_groups.add_rows(GROUP_METHODS.iter().map(row));
    on_groups.add_row(exact);
    Ok(format!("{text}{}\n\n{}\n", methods.trim_fmt(), on_groups.trim_fmt()))
}

fn row(method: &Method) -> [String; 3] {
    let kind = match method.family {
        Family::Dla => "one-step map on the constraint manifold (discrete Lagrange-d'Alembert)",
        Family::Frame => "one-step map on the constraint manifold (orthonormal frame); exact energy",
        Family::Composed => "composition of such maps",
        Family::Gni => "reflects the momentum (geometric nonholonomic integrator); parasitic modes",
        Family::Restarted => "reflects the momentum, restarted at every node",
        Family::RungeKutta => "Runge-Kutta, drifts off the constraints",
    };
    [method.id.to_owned(), method.order.to_string(), kind.to_owned()]
}
