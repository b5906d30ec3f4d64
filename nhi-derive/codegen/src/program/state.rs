//! Kinds of states.

use super::Role;

/// What a method carries from step to step; a struct of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StateKind {
    /// `NodeState { q, v, lambda, states }`.
    Node,
    /// `JumpState { q, v_pre, v_post, lambda, states }`.
    Jump,
}

impl StateKind {
    /// Name of the runtime's struct.
    pub fn type_name(self) -> &'static str {
        match self {
            StateKind::Node => "NodeState",
            StateKind::Jump => "JumpState",
        }
    }

    /// Whether a state belongs to one step size. States (q, v) serve steps of any size, one after the other;
    /// a momentum that is reflected does not, and methods with one are not composed.
    pub fn belongs_to_step_size(self) -> bool {
        self == StateKind::Jump
    }

    /// Its fields in order.
    pub fn fields(self) -> &'static [Role] {
        match self {
            StateKind::Node => &[Role::Configuration, Role::Velocity, Role::Multipliers, Role::States],
            StateKind::Jump => &[
                Role::Configuration,
                Role::VelocityBefore,
                Role::VelocityAfter,
                Role::Multipliers,
                Role::States,
            ],
        }
    }
}
