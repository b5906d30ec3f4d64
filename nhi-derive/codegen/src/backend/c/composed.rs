//! Derivatives of composed steps, by the chain rule over the parts.

use super::Text;
use super::composition::Substeps;
use super::function::STATUS;
use super::method::Method;
use crate::functions::FirstDerivatives;
use crate::lower::Function;

/// What a derivative returns: names of arrays with their shapes.
type Arrays<'a> = &'a [(&'a str, [usize; 2])];

impl Method<'_, '_> {
    /// Adds the derivatives of a composed step. Those of its parts are added already, as `_part_linearize` and so on.
    pub(super) fn composed_derivatives(
        &self,
        text: &mut Text,
        substeps: &Substeps,
        (first, curvature): &(FirstDerivatives<Function>, Function),
    ) {
        let FirstDerivatives { linearize, linearize_parameters, pull_back } = first;
        let Method { unit, name, .. } = self;
        let (real, u, n) = (unit.real, unit.u(), substeps.count());
        let inputs = unit.parameter("u").map(|declared| format!(", {declared}")).unwrap_or_default();
        let part = "parts[i] = *sim;\nparts[i].h = h;\nparts[i].node = now;\n";
        let counter = if self.is_safeguarded { "uint64_t evaluations = 0;\n" } else { "" };
        let steps = counter.to_owned() + &self.substeps_from(substeps, part, "&evaluations");
        let head = format!("static {STATUS} {name}_parts(const {name} *sim{inputs}, {name} parts[{n}])");
        text.function(
            "Where the parts of a step begin, and their sizes.",
            &head,
            &(steps + "return NHI_OK;"),
        );
        let nx = unit.optimised.facts.tangent_coordinates();
        let (k, m, np) = (unit.inputs, unit.m, unit.numbers.len());
        let gamma = format!("static const {real} gamma[{n}] = {{{}}};\n", substeps.gamma.join(", "));
        // The arguments of a part, and of the derivatives of the whole.
        let part = |function: &Function, at: &str, arrays: Arrays<'_>, prefix: &str| {
            let arrays: String = arrays
                .iter()
                .filter(|(_, shape)| shape[0] * shape[1] > 0)
                .fold(String::new(), |all, (array, _)| all + ", " + prefix + array);
            let w = if function.has_covector() { ", by" } else { "" };
            self.call(&format!("part_{}", function.name), &format!("&parts[{at}], p{u}{w}{arrays}"))
        };
        let declared = |arrays: Arrays<'_>, prefix: &str| -> String {
            let arrays = arrays.iter().filter(|(_, shape)| shape[0] * shape[1] > 0);
            arrays
                .map(|(array, [rows, columns])| format!("{real} {prefix}{array}[{}];\n", rows * columns))
                .collect()
        };
        // to += x y
        let product =
            |x: &str, y: &str, to: &str, [rows, inner, columns]: [usize; 3]| match rows * inner * columns {
                0 => String::new(),
                _ => format!("nhi_add_matrix_product({rows}, {inner}, {columns}, {x}, {y}, {to});\n"),
            };
        let transposed =
            |x: &str, y: &str, to: &str, [inner, rows, columns]: [usize; 3]| match rows * inner * columns {
                0 => String::new(),
                _ => format!("nhi_add_product({inner}, {rows}, {columns}, {x}, {y}, {to});\n"),
            };
        let copy = |from: &str, to: &str, length: usize| match length {
            0 => String::new(),
            _ => format!("nhi_copy({length}, {from}, {to});\n"),
        };
        let zero = |array: &str, length: usize| match length {
            0 => String::new(),
            _ => format!("nhi_zero({length}, {array});\n"),
        };
        let sum = |x: &str, to: &str, length: usize| match length {
            0 => String::new(),
            _ => format!("nhi_add({length}, {to}, {x}, {to});\n"),
        };
        let by_state: Arrays<'_> =
            &[("a", [nx, nx]), ("b", [nx, k]), ("lambda_x", [m, nx]), ("lambda_u", [m, k])];
        let by_parameters: Arrays<'_> = &[("c", [nx, np]), ("by_h", [nx, 1])];
        let pulled: Arrays<'_> = &[("a", [nx, 1]), ("b", [k, 1]), ("c", [np, 1]), ("by_h", [1, 1])];
        let second: Arrays<'_> =
            &[("xx", [nx, nx]), ("xu", [nx, k]), ("uu", [k, k]), ("a", [nx, nx]), ("b", [nx, k])];
        let start = format!("{name} parts[{n}];\nnhi_status status;\n");
        let parts = self.call("parts", &format!("sim{u}, parts"));
        let bodies = [
            (linearize, {
                let last = [
                    product("part_lambda_x", "b", "part_lambda_u", [m, nx, k]),
                    zero("lambda_x", m * nx),
                    product("part_lambda_x", "a", "lambda_x", [m, nx, nx]),
                    copy("part_lambda_u", "lambda_u", m * k),
                    zero("next_a", nx * nx),
                    product("part_a", "a", "next_a", [nx, nx, nx]),
                    product("part_a", "b", "part_b", [nx, nx, k]),
                    copy("next_a", "a", nx * nx),
                    copy("part_b", "b", nx * k),
                ];
                format!(
                    "{start}{}{real} next_a[{}];\n{parts}{}for (int i = 1; i < {n}; ++i) {{\n{}{}}}\n",
                    declared(by_state, "part_"),
                    nx * nx,
                    part(linearize, "0", by_state, ""),
                    part(linearize, "i", by_state, "part_"),
                    last.concat(),
                )
            }),
            (linearize_parameters, {
                let last = [
                    product("part_a", "c", "part_c", [nx, nx, np]),
                    copy("part_c", "c", nx * np),
                    format!("nhi_times({nx}, part_by_h, gamma[i], part_by_h);\n"),
                    product("part_a", "by_h", "part_by_h", [nx, nx, 1]),
                    copy("part_by_h", "by_h", nx),
                ];
                format!(
                    "{gamma}{start}{}{}{parts}{}{}for (int i = 0; i < {n}; ++i) {{\n{}{}{}}}\n",
                    declared(by_state, "part_"),
                    declared(by_parameters, "part_"),
                    zero("c", nx * np),
                    zero("by_h", nx),
                    part(linearize, "i", by_state, "part_"),
                    part(linearize_parameters, "i", by_parameters, "part_"),
                    last.concat(),
                )
            }),
            (pull_back, {
                let last = [
                    copy("part_a", "by", nx),
                    sum("part_b", "b", k),
                    sum("part_c", "c", np),
                    "by_h[0] = by_h[0] + gamma[i] * part_by_h[0];\n".to_owned(),
                ];
                format!(
                    "{gamma}{start}{real} by[{nx}];\n{}{parts}{}{}{}{}for (int i = {n} - 1; i >= 0; --i) {{\n{}{}}}\n{}",
                    declared(pulled, "part_"),
                    copy("w", "by", nx),
                    zero("b", k),
                    zero("c", np),
                    zero("by_h", 1),
                    part(pull_back, "i", pulled, "part_"),
                    last.concat(),
                    copy("by", "a", nx),
                )
            }),
            // Backwards: the second derivatives of a part and those after it are those of the latter, taken along A and B
            // of the part, and its own with the covector that the latter pull back.
            (curvature, {
                let last = [
                    zero("by_x", nx),
                    transposed("part_a", "by", "by_x", [nx, nx, 1]),
                    copy("by_x", "by", nx),
                    zero("by_a", nx * nx),
                    product("xx", "part_a", "by_a", [nx, nx, nx]),
                    copy("xu", "by_b", nx * k),
                    product("xx", "part_b", "by_b", [nx, nx, k]),
                    transposed("part_a", "by_a", "part_xx", [nx, nx, nx]),
                    copy("part_xx", "xx", nx * nx),
                    transposed("part_a", "by_b", "part_xu", [nx, nx, k]),
                    transposed("part_b", "by_b", "part_uu", [nx, k, k]),
                    transposed("xu", "part_b", "part_uu", [nx, k, k]),
                    copy("part_xu", "xu", nx * k),
                    sum("part_uu", "uu", k * k),
                    product("a", "part_b", "b", [nx, nx, k]),
                    zero("by_a", nx * nx),
                    product("a", "part_a", "by_a", [nx, nx, nx]),
                    copy("by_a", "a", nx * nx),
                ];
                let scratch: Arrays<'_> =
                    &[("by", [nx, 1]), ("by_x", [nx, 1]), ("by_a", [nx, nx]), ("by_b", [nx, k])];
                let mirror = |array: &str, length: usize| match length {
                    0 => String::new(),
                    _ => format!("nhi_mirror({length}, {array});\n"),
                };
                format!(
                    "{start}{}{}{parts}{}{}{}{}nhi_identity({nx}, a);\n{}\
                         for (int i = {n} - 1; i >= 0; --i) {{\n{}{}}}\n{}{}",
                    declared(second, "part_"),
                    declared(scratch, ""),
                    copy("w", "by", nx),
                    zero("xx", nx * nx),
                    zero("xu", nx * k),
                    zero("uu", k * k),
                    zero("b", nx * k),
                    part(curvature, "i", second, "part_"),
                    last.concat(),
                    mirror("xx", nx),
                    mirror("uu", k),
                )
            }),
        ];
        for (function, body) in bodies {
            let about =
                format!("{}\nBy the chain rule over the {n} parts of the step.", function.doc.join("\n"));
            text.function(
                &about,
                &self.derivative_head(function, &function.name),
                &(body + "return NHI_OK;"),
            );
        }
    }
}
