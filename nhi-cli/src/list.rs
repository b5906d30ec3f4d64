//! Lists of what there is.

use comfy_table::{LineStyle, Table, TableStyle};
use nhi_models::{Family, METHODS, MODELS};

/// A table in the style of all tables here.
pub(crate) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().top_border(line).header_separator(line).bottom_border(line));
    table.set_header(header);
    table
}

/// All models with parameters, coordinates and initial data, and all methods.
pub(crate) fn models() -> String {
    let mut models = table(["model", "what it is", "parameters and their defaults", "coordinates"]);
    for model in MODELS {
        let defaults = model.parameters().iter().zip(model.defaults());
        let parameters: Vec<_> = defaults.map(|(name, value)| format!("{name} = {value}")).collect();
        models.add_row([
            model.name(),
            model.summary(),
            &parameters.join(", "),
            &model.coordinates().join(", "),
        ]);
    }
    let mut methods = table(["method", "order", "kind"]);
    for method in METHODS {
        let kind = match method.family {
            Family::Dla => "one-step map on the constraint manifold (discrete Lagrange-d'Alembert)",
            Family::Composed => "composition of such maps",
            Family::Gni => "reflects the momentum (geometric nonholonomic integrator); parasitic modes",
            Family::Restarted => "reflects the momentum, restarted at every node",
            Family::RungeKutta => "Runge-Kutta, drifts off the constraints",
        };
        methods.add_row([method.id, &method.order.to_string(), kind]);
    }
    methods.add_row(["exact", "", "the exact flow, to nearly the accuracy of f64"]);
    format!("{models}\n\n{methods}\n")
}
