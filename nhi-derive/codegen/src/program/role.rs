//! Roles of the inputs and outputs of programs.

use super::Factor;

/// The role of a group of inputs or outputs of a program. Passes and back ends go by roles, never by names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Parameters of the system.
    Parameters,
    /// Step size h.
    StepSize,
    /// Time t.
    Time,
    /// Control inputs u, held over a step.
    Inputs,
    /// Configuration q, entries of a pose included.
    Configuration,
    /// Velocity v.
    Velocity,
    /// Velocity before the reflection at a node.
    VelocityBefore,
    /// Velocity after the reflection at a node.
    VelocityAfter,
    /// Multipliers λ.
    Multipliers,
    /// Auxiliary states z.
    States,
    /// State beside configuration, velocity and multipliers that a step computes for the next one.
    Carried,
    /// Velocity v of the state before.
    PreviousVelocity,
    /// What the state before carries.
    PreviousCarried,
    /// What depends on parameters and step size alone, computed once per simulation.
    Prepared,
    /// Anything else, such as `energy`, under its own name.
    Named(String),
    /// A factor of products that complete other results.
    Factor(Factor),
}

impl Role {
    /// The roles that have a name of their own.
    const KNOWN: [Role; 14] = [
        Role::Parameters,
        Role::StepSize,
        Role::Time,
        Role::Inputs,
        Role::Configuration,
        Role::Velocity,
        Role::VelocityBefore,
        Role::VelocityAfter,
        Role::Multipliers,
        Role::States,
        Role::Carried,
        Role::PreviousVelocity,
        Role::PreviousCarried,
        Role::Prepared,
    ];

    /// Name in dumps and emitted code.
    pub fn name(&self) -> &str {
        match self {
            Role::Parameters => "parameters",
            Role::StepSize => "h",
            Role::Time => "t",
            Role::Inputs => "inputs",
            Role::Configuration => "q",
            Role::Velocity => "v",
            Role::VelocityBefore => "v_pre",
            Role::VelocityAfter => "v_post",
            Role::Multipliers => "lambda",
            Role::States => "states",
            Role::Carried => "carried",
            Role::PreviousVelocity => "previous_v",
            Role::PreviousCarried => "previous_carried",
            Role::Prepared => "prepared",
            Role::Named(name) => name,
            Role::Factor(factor) => factor.name(),
        }
    }

    /// The role of that name.
    pub fn named(name: &str) -> Role {
        let known = Role::KNOWN.into_iter().find(|role| role.name() == name);
        known.unwrap_or_else(|| Role::Named(name.to_owned()))
    }

    /// Whether it is a velocity of the state.
    pub fn is_velocity(&self) -> bool {
        matches!(self, Role::Velocity | Role::VelocityBefore | Role::VelocityAfter)
    }
}
