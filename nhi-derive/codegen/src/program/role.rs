//! Roles of the inputs and outputs of programs.

use super::Factor;

/// A part of the basis of the admissible velocities v = X ν + v₀, with ν = Y v.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Basis {
    /// X.
    X,
    /// v₀.
    V0,
    /// Y.
    Y,
}

impl Basis {
    /// Its name in dumps and emitted code.
    pub fn name(self) -> &'static str {
        match self {
            Basis::X => "basis",
            Basis::V0 => "drift",
            Basis::Y => "dual",
        }
    }
}

/// Derivatives of a step, of velocities, or of functions y of a state. Products of a covector with derivatives have their names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Derivative {
    /// A = ∂x'/∂x.
    A,
    /// B = ∂x'/∂u.
    B,
    /// C = ∂x'/∂p.
    C,
    /// ∂x'/∂h.
    H,
    /// ∂λ'/∂x.
    LambdaX,
    /// ∂λ'/∂u.
    LambdaU,
    /// Second ones by x.
    Xx,
    /// Second ones by x and u; of functions of a state, by both together.
    Xu,
    /// Second ones by u.
    Uu,
    /// y itself.
    Value,
    /// ∂y/∂x.
    X,
    /// ∂y/∂u.
    U,
    /// ∂y/∂p.
    P,
    /// ∂(X ν + v₀)/∂q.
    Velocity,
}

impl Derivative {
    /// Its name in dumps and emitted code.
    pub fn name(self) -> &'static str {
        match self {
            Derivative::A => "a",
            Derivative::B => "b",
            Derivative::C => "c",
            Derivative::H => "h",
            Derivative::LambdaX => "lambda_x",
            Derivative::LambdaU => "lambda_u",
            Derivative::Xx => "xx",
            Derivative::Xu => "xu",
            Derivative::Uu => "uu",
            Derivative::Value => "value",
            Derivative::X => "x",
            Derivative::U => "u",
            Derivative::P => "p",
            Derivative::Velocity => "derivative",
        }
    }
}

/// The role of a group of inputs or outputs of a program. Passes and back ends go by roles, never by names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Accelerations dv/dt.
    Acceleration,
    /// Quasi-velocities ν.
    QuasiVelocity,
    /// A covector w of the results that derivatives are multiplied with.
    Covector,
    /// A part of the basis of the admissible velocities.
    Basis(Basis),
    /// Derivatives, or the value of a function of a state.
    Derivative(Derivative),
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
            Role::Acceleration => "a",
            Role::QuasiVelocity => "nu",
            Role::Covector => "w",
            Role::Basis(part) => part.name(),
            Role::Derivative(derivative) => derivative.name(),
            Role::Named(name) => name,
            Role::Factor(factor) => factor.name(),
        }
    }

    /// The role of that name.
    pub fn named(name: &str) -> Role {
        let known = Role::KNOWN.into_iter().find(|role| role.name() == name);
        known.unwrap_or_else(|| Role::Named(name.to_owned()))
    }

    /// Whether its numbers have to be finite: those of a state and derivatives have. Others are for callers to judge.
    pub fn is_tested(&self) -> bool {
        !matches!(self, Role::Named(_) | Role::Basis(_))
    }

    /// Whether it is a velocity of the state.
    pub fn is_velocity(&self) -> bool {
        matches!(self, Role::Velocity | Role::VelocityBefore | Role::VelocityAfter)
    }
}
