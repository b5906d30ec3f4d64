//! The geometry of a system with a group factor in words.

use super::{Connection, Mechanics};
use crate::expr::Expr;
use crate::expr::linear::Matrix;
use crate::system::Quantity;

/// Longest formula that is written out.
const LONGEST: usize = 400;

impl Connection {
    /// E, A, D of the system `x`, and its invariance, line by line.
    pub(crate) fn text(&self, x: &Mechanics) -> String {
        let system = &x.system;
        let (k, m) = (system.shape(), x.m());
        let name = system.group.name().unwrap_or_default();
        let names = |quantities: &[Quantity]| -> String {
            quantities.iter().map(|q| q.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (shape, xi) = (names(&system.velocities[..k]), names(&system.velocities[k..]));
        let mut lines = Vec::new();
        lines.push(match k {
            0 => format!("Q = {name}, velocities xi = ({xi})."),
            _ => format!("Q = R^{k} × {name}, velocities u = ({shape}) and xi = ({xi})."),
        });
        lines.push(match x.structure.invariant {
            true => {
                format!("Invariant under {name}: L, the one-forms and the force are the same at every pose.")
            }
            false => format!("Not invariant under {name}: L, a one-form or the force depends on the pose."),
        });
        lines.push(format!(
            "One-forms mu = ({}b), rank b = {} of {m} almost everywhere.",
            if k == 0 { "" } else { "a | " },
            self.rank
        ));
        let no_momentum = self.e.first().is_none_or(Vec::is_empty);
        lines.push(format!("Momentum basis E, b E = 0:{}", if no_momentum { " empty." } else { "" }));
        lines.extend(columns(x, &self.e, |b| format!("e_{}", b + 1)));
        if !no_momentum {
            lines.push("Nonholonomic momentum J_b = <p, (0, e_b)>.".to_owned());
        }
        match &self.a {
            None => {
                lines.push(
                    "No connection: the one-forms hold for the coordinates alone where rank b is less."
                        .into(),
                );
                lines.push("Basis D of the constraint distribution:".into());
                lines.extend(columns(x, &self.d, |i| format!("d_{}", i + 1)));
            }
            Some(_) if k == 0 => lines.push("Basis of the constraint distribution: D = E.".to_owned()),
            Some(a) => {
                lines.push("Nonholonomic connection A, b A = a and Eᵀ M_gg A = Eᵀ M_gr:".to_owned());
                lines.extend(columns(x, a, |i| format!("A_{}", system.coordinates[i].name)));
                lines.push(match no_momentum {
                    true => "Basis of the constraint distribution: D = (1; −A), xi = −A u.".to_owned(),
                    false => "Basis of the constraint distribution: D = (1 0; −A E), xi = E Omega − A u."
                        .to_owned(),
                });
            }
        }
        if let Some(det) = self.regular {
            let det = x.system.pool.show_up_to(det, LONGEST);
            lines.push(format!("Singular where det(b; Eᵀ M_gg) = {det} is zero."));
        }
        if !x.symmetries.is_empty() {
            let momenta: Vec<&str> = x.symmetries.iter().map(|s| s.momentum.as_str()).collect();
            lines.push(format!("Momenta of horizontal symmetries, conserved: {}.", momenta.join(", ")));
        }
        lines.join("\n")
    }
}

/// `  e_1 = (sin(phi), 0)` for every column.
fn columns(x: &Mechanics, a: &Matrix, name: impl Fn(usize) -> String) -> Vec<String> {
    let pool = &x.system.pool;
    let show = |e: Expr| pool.show_up_to(e, LONGEST).to_string();
    (0..a.first().map_or(0, Vec::len))
        .map(|j| {
            let entries: Vec<String> = a.iter().map(|row| show(row[j])).collect();
            format!("  {} = ({})", name(j), entries.join(", "))
        })
        .collect()
}
