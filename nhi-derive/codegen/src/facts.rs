//! What back ends need to know of a system beside its functions.

use crate::expr::group::Product;
use crate::mechanics::{Mechanics, Symmetry};
use crate::program::{Basis, Derivative, Role};
use crate::system::Quantity;
use std::ops::Range;

/// Names and lengths of a system's numbers, and what its functions depend on.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SystemFacts {
    /// Its name.
    pub name: String,
    /// The fields that parameters are declared as, with the lengths of arrays.
    pub fields: Vec<(String, Option<usize>)>,
    /// Names of the parameters, flattened.
    pub parameters: Vec<String>,
    /// The nodes of tables, as ranges of the parameters: they have to increase.
    pub tables: Vec<Range<usize>>,
    /// Names of the entries of a configuration.
    pub coordinates: Vec<String>,
    /// Names of the entries of a velocity. Those of coordinates have the names of the coordinates.
    pub velocities: Vec<String>,
    /// Names of the control inputs.
    pub inputs: Vec<String>,
    /// Names of the auxiliary states.
    pub states: Vec<String>,
    /// Labels of the constraints; without a label, their text.
    pub constraints: Vec<String>,
    /// How many of the constraints, the last ones, are position constraints.
    pub positions: usize,
    /// The group factors, whose poses and velocities come last.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::by_names"))]
    pub group: Product,
    /// Number of coordinates that are no entries of a pose.
    pub shape: usize,
    /// Names and directions of the momenta of symmetries.
    pub symmetries: Vec<(String, Vec<f64>)>,
    /// The same of directions along which reactions act.
    pub invariances: Vec<(String, Vec<f64>)>,
    /// Whether the momentum at rest may differ from zero.
    pub gyroscopic: bool,
    /// Whether the system may lose energy.
    pub forced: bool,
    /// Whether the mass matrix is singular everywhere.
    pub massless: bool,
    /// Whether constraints are affine in the velocities.
    pub affine: bool,
    /// Whether the Lagrangian or a constraint depends on time.
    pub time_dependent: bool,
    /// Whether a constraint depends on inputs.
    pub driven: bool,
    /// Whether nothing depends on time, and no constraint on inputs.
    pub steady: bool,
}

impl SystemFacts {
    /// Those of a system.
    pub fn of(mechanics: &Mechanics) -> SystemFacts {
        let (system, structure) = (&mechanics.system, &mechanics.structure);
        let names = |all: &[Quantity]| all.iter().map(|quantity| quantity.name.clone()).collect();
        let directions = |all: &[Symmetry]| {
            let all = all.iter();
            all.map(|s| (s.momentum.clone(), s.direction.iter().map(|&c| f64::from(c)).collect())).collect()
        };
        SystemFacts {
            name: system.name.clone(),
            fields: system.fields.clone(),
            parameters: names(&system.parameters),
            tables: system.tables.clone(),
            coordinates: names(&system.coordinates),
            velocities: system.velocity_names().cloned().collect(),
            inputs: names(&system.inputs),
            states: names(&system.states),
            constraints: system.constraints.iter().map(|constraint| constraint.label.clone()).collect(),
            positions: mechanics.positions().len(),
            group: system.group.clone(),
            shape: system.shape(),
            symmetries: directions(&mechanics.symmetries),
            invariances: directions(&mechanics.invariances),
            gyroscopic: structure.gyroscopic,
            forced: structure.may_lose_energy(),
            massless: mechanics.stiffness.is_some(),
            affine: structure.affine,
            time_dependent: structure.time_dependent,
            driven: mechanics.driving_input().is_some(),
            steady: mechanics.is_steady(),
        }
    }

    /// Number d of quasi-velocities.
    pub fn quasi_velocities(&self) -> usize {
        self.velocities.len() - self.constraints.len()
    }

    /// Number NX of tangent coordinates, those of q, ν and z.
    pub fn tangent_coordinates(&self) -> usize {
        self.velocities.len() + self.quasi_velocities() + self.states.len()
    }

    /// Numbers of rows and columns of a matrix among the results of derivatives; none of a vector.
    pub fn shape_of(&self, role: &Role) -> Option<[usize; 2]> {
        let (n, m, k) = (self.velocities.len(), self.constraints.len(), self.inputs.len());
        let (d, nx) = (self.quasi_velocities(), self.tangent_coordinates());
        Some(match role {
            Role::Basis(Basis::X) => [n, d],
            Role::Basis(Basis::Y) => [d, n],
            Role::Derivative(Derivative::A | Derivative::Xx) => [nx, nx],
            Role::Derivative(Derivative::B | Derivative::Xu) => [nx, k],
            Role::Derivative(Derivative::Uu) => [k, k],
            Role::Derivative(Derivative::C) => [nx, self.parameters.len()],
            Role::Derivative(Derivative::LambdaX) => [m, nx],
            Role::Derivative(Derivative::LambdaU) => [m, k],
            _ => return None,
        })
    }
}
