use crate::Scalar;
use crate::tolerance::SMALLEST;
use core::fmt;

/// Some of the constraints of a system, by their labels, or some of its velocities, by their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Forms {
    /// Labels of all constraints of the system, or names of all velocities.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) names: &'static [&'static str],
    /// Bit a stands for the a-th of them. Those after the 64th are in no set.
    pub(crate) which: u64,
}

impl Forms {
    /// No constraints.
    pub const NONE: Forms = Forms { names: &[], which: 0 };

    /// The constraints of `names` whose bits are set in `which`, counted from the lowest bit.
    pub const fn new(names: &'static [&'static str], which: u64) -> Forms {
        Forms { names, which }
    }

    /// The labels, or names.
    pub fn labels(self) -> impl Iterator<Item = &'static str> {
        let all = self.names.iter().take(64).enumerate();
        all.filter(move |(a, _)| self.which >> a & 1 == 1).map(|(_, name)| *name)
    }
}

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, label) in self.labels().enumerate() {
            write!(f, "{}`{label}`", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// Why a computation could not be carried out at some point of the phase space.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Failure {
    /// Newton's method did not converge. Steps with checks say more: [`Failure::Unsolved`].
    NotConverged,
    /// Newton's method did not converge, nor, where equations change within a small part of an update, its safeguarded form: bisection
    /// for one equation, a line search for several.
    Unsolved {
        /// The equation with the largest residual, by the coordinate or velocity of a momentum, the label of a constraint, or an
        /// auxiliary state.
        equation: Forms,
        /// What was left of the residuals F: the size of the update −J⁻¹F relative to the unknowns. Infinite if it is no number.
        residual: f64,
        /// How often the safeguarded form evaluated the equations; zero if they have none.
        evaluations: u32,
    },
    /// The constraint one-forms are linearly dependent here.
    SingularConstraints,
    /// The same with those that are dependent.
    Dependent {
        /// These constraints.
        forms: Forms,
        /// Whether each of their one-forms vanishes by itself.
        vanish: bool,
    },
    /// The mass matrix is not positive definite here.
    SingularMass,
    /// The same with its direction: a combination of these velocities that the constraints admit has no kinetic energy here.
    NoInertia {
        /// The velocities of this combination.
        velocities: Forms,
        /// The parameters that are zero, and with another value would give it kinetic energy.
        parameters: Forms,
    },
    /// The mass matrix is singular here, although every combination of velocities that the constraints admit has kinetic energy.
    Massless {
        /// The velocities of a combination without kinetic energy, which the constraints determine.
        velocities: Forms,
        /// The parameters that are zero, and with another value would give it kinetic energy.
        parameters: Forms,
    },
    /// A combination of these velocities has a negative kinetic energy here.
    NegativeInertia {
        /// The velocities of this combination.
        velocities: Forms,
        /// The parameters that are negative, and with a positive value would give it more kinetic energy.
        parameters: Forms,
    },
    /// A result is infinite or not a number.
    NonFinite,
    /// The constraints, or the mass matrix, are nearly singular: the results of the step are finite, but its energy has
    /// changed by more than forces and drives explain, or rounding is a large part of it. [`Limits`](crate::Limits) are the bounds.
    NearlySingular {
        /// The one-forms that are nearly dependent; none if it is the mass matrix.
        forms: Forms,
        /// Condition number of μM⁻¹μᵀ, or of the mass matrix, scaled to a unit diagonal. It need not be large: within a
        /// step, the distribution of admissible velocities can turn past the singular configuration.
        condition: f64,
    },
    /// The step has multiplied the energy by a large factor, or by a small one. Neither forces on the system at rest nor drives
    /// explain that. The step size is too large for the motion. [`Limits`](crate::Limits) says when.
    EnergyJump {
        /// The kinetic energy after the step, divided by the energy that explains it. Below 1, the energy that the end of the step
        /// explains before it, divided by the kinetic energy there. Not finite where one of these energies is not.
        factor: f64,
    },
}

impl Failure {
    /// The same failure after it was read, which has no labels, of a system with constraints, velocities and parameters of these
    /// names.
    #[cfg(feature = "std")]
    pub(crate) fn with_names(
        self,
        names: &'static [&'static str],
        velocities: &'static [&'static str],
        parameters: &'static [&'static str],
    ) -> Failure {
        let of_inertia = |of: Forms, by: Forms| {
            (Forms { names: velocities, which: of.which }, Forms { names: parameters, which: by.which })
        };
        match self {
            Failure::NoInertia { velocities, parameters } => {
                let (velocities, parameters) = of_inertia(velocities, parameters);
                Failure::NoInertia { velocities, parameters }
            }
            Failure::Massless { velocities, parameters } => {
                let (velocities, parameters) = of_inertia(velocities, parameters);
                Failure::Massless { velocities, parameters }
            }
            Failure::NegativeInertia { velocities, parameters } => {
                let (velocities, parameters) = of_inertia(velocities, parameters);
                Failure::NegativeInertia { velocities, parameters }
            }
            Failure::Dependent { forms: Forms { which, .. }, vanish } => {
                Failure::Dependent { forms: Forms { names, which }, vanish }
            }
            Failure::NearlySingular { forms: Forms { which, .. }, condition } if which != 0 => {
                Failure::NearlySingular { forms: Forms { names, which }, condition }
            }
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotConverged => {
                f.write_str("Newton's method did not converge; another step size may help")
            }
            Failure::Unsolved { equation, residual, evaluations } => {
                f.write_str("the equations of the step were not solved: Newton's method did not converge")?;
                if *evaluations > 0 {
                    let safeguard = if equation.names.len() == 1 { "bisection" } else { "a line search" };
                    write!(f, ", and {safeguard} with {evaluations} evaluations")?;
                } else {
                    f.write_str(" and")?;
                }
                write!(f, " left a relative residual of {residual:.1e}")?;
                if equation.labels().next().is_some() {
                    write!(f, ", the largest in the equation of {equation}")?;
                }
                f.write_str("; another step size may help")
            }
            Failure::SingularConstraints => {
                f.write_str("the constraint one-forms are linearly dependent here")
            }
            Failure::Dependent { forms, vanish } => {
                let is_one = forms.labels().nth(1).is_none();
                write!(
                    f,
                    "the {} of the {} {forms} {} here",
                    if is_one { "one-form" } else { "one-forms" },
                    if is_one { "constraint" } else { "constraints" },
                    match (vanish, is_one) {
                        (true, true) => "vanishes",
                        (true, false) => "vanish",
                        (false, _) => "are linearly dependent",
                    }
                )
            }
            Failure::SingularMass => f.write_str("the mass matrix is not positive definite here"),
            Failure::NoInertia { velocities, parameters } => {
                f.write_str("the mass matrix is not positive definite here: ")?;
                with_values(f, parameters, "= 0")?;
                write!(
                    f,
                    "a combination of the velocities of {velocities}, which the constraints admit, has no kinetic energy"
                )
            }
            Failure::Massless { velocities, parameters } => {
                f.write_str("the mass matrix is singular here: ")?;
                with_values(f, parameters, "= 0")?;
                write!(
                    f,
                    "a combination of the velocities of {velocities} has no inertia, although the constraints determine it; a \
                     method that does not invert this matrix may take it, or leave its terms out of the Lagrangian instead of \
                     multiplying them by zero"
                )
            }
            Failure::NegativeInertia { velocities, parameters } => {
                f.write_str("the mass matrix is not positive definite here: ")?;
                with_values(f, parameters, "< 0")?;
                write!(f, "a combination of the velocities of {velocities} has negative kinetic energy")
            }
            Failure::NonFinite => f.write_str("a value became infinite or not a number"),
            Failure::NearlySingular { forms, condition } if *forms == Forms::NONE => {
                write!(f, "the mass matrix is nearly singular here: condition number {condition:.1e}")
            }
            Failure::NearlySingular { forms, condition } => write!(
                f,
                "the constraints are nearly dependent here: {forms}; condition number of μM⁻¹μᵀ {condition:.1e}"
            ),
            Failure::EnergyJump { factor } if !factor.is_finite() => {
                write!(
                    f,
                    "the kinetic energy after the step is infinite, not a number, or explained by nothing; a smaller step \
                     size may help"
                )
            }
            Failure::EnergyJump { factor } if *factor < 1.0 => write!(
                f,
                "the step multiplied the energy by {factor:.1e}, which neither forces nor drives explain; a smaller step size \
                 may help"
            ),
            Failure::EnergyJump { factor } => write!(
                f,
                "the step multiplied the energy by {factor:.1e}, more than forces and drives explain; a smaller step size may \
                 help, for stiff springs `dla2_midpoint`, for stiff damping `dla1_adjoint`"
            ),
        }
    }
}

/// `with `m`, `I` = 0 ` where there are such parameters.
fn with_values(f: &mut fmt::Formatter<'_>, parameters: &Forms, values: &str) -> fmt::Result {
    match parameters.labels().next() {
        Some(_) => write!(f, "with {parameters} {values} "),
        None => Ok(()),
    }
}

impl core::error::Error for Failure {}

/// Kinds of numbers in the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// A parameter of the system.
    Parameter,
    /// A configuration coordinate.
    Coordinate,
    /// The velocity of a coordinate.
    Velocity,
    /// A control input.
    Input,
    /// An auxiliary state.
    State,
    /// A time.
    Time,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Parameter => "parameter",
            Quantity::Coordinate => "coordinate",
            Quantity::Velocity => "velocity of",
            Quantity::Input => "input",
            Quantity::State => "auxiliary state",
            Quantity::Time => "time",
        })
    }
}

/// What is wrong with the coefficients of a composition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CoefficientFault {
    /// A coefficient is zero, infinite or not a number.
    Value {
        /// Its index, from 0.
        i: usize,
        /// The given value.
        value: f64,
    },
    /// A coefficient differs from its mirror image.
    Asymmetric {
        /// Its index, from 0.
        i: usize,
    },
    /// The sum is not 1.
    Sum {
        /// The sum.
        sum: f64,
    },
}

impl fmt::Display for CoefficientFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CoefficientFault::Value { i, value } => write!(
                f,
                "coefficient {i} of the composition must be a finite number other than zero, not {value}"
            ),
            CoefficientFault::Asymmetric { i } => write!(
                f,
                "coefficient {i} of the composition differs from its mirror image; \
                 a symmetric one reads the same backwards"
            ),
            CoefficientFault::Sum { sum } => {
                write!(f, "the coefficients of the composition add up to {sum} instead of 1")
            }
        }
    }
}

/// Why a simulation cannot continue from a snapshot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SnapshotFault {
    /// It is of another system.
    OtherSystem {
        /// Name of the given system.
        name: &'static str,
    },
    /// It is of another method.
    OtherMethod {
        /// Id of the given method.
        id: &'static str,
    },
    /// The given system has another value of a parameter.
    OtherParameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value of the given system.
        value: f64,
        /// The value in the snapshot.
        snapshot: f64,
    },
    /// Its numbers are not those of a state: by their names or count, or because one is not finite. The names of carried
    /// numbers can differ between versions of nhi.
    Numbers,
}

impl fmt::Display for SnapshotFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SnapshotFault::OtherSystem { name } => write!(f, "the snapshot belongs to a system other than `{name}`"),
            SnapshotFault::OtherMethod { id } => write!(f, "the snapshot belongs to a method other than `{id}`"),
            SnapshotFault::OtherParameter { name, value, snapshot } => write!(
                f,
                "the parameter `{name}` is {value}, but {snapshot} in the snapshot; start with the value of the snapshot, and \
                 change it afterwards by `Simulation::set_parameters`"
            ),
            SnapshotFault::Numbers => f.write_str(
                "the numbers of the snapshot are not those of a state of this method: their names or their count \
                 differ, as after a change of the declaration or of the version of nhi, or one is not finite",
            ),
        }
    }
}

/// Why a simulation could not be built or continued.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The step size is zero, infinite or not a number.
    StepSize {
        /// The given step size.
        h: f64,
    },
    /// A given value is infinite or not a number.
    NonFinite {
        /// The kind of the value.
        quantity: Quantity,
        /// Name of the parameter, coordinate or input.
        name: &'static str,
        /// The given value.
        value: f64,
    },
    /// The nodes of a table do not increase.
    Table {
        /// Name of the first node that is not above the one before it.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The initial pose is invalid: its matrix is not a rotation.
    Pose {
        /// Name of the matrix.
        name: &'static str,
        /// The largest entry of |RᵀR − 1|; for a reflection, that of the difference between r₁ × r₂ and r₃.
        defect: f64,
    },
    /// The initial configuration violates a position constraint by more than rounding.
    Position {
        /// Label of the constraint, or its text.
        name: &'static str,
        /// g(q₀).
        residual: f64,
    },
    /// The initial velocity violates a constraint by more than rounding.
    Constraint {
        /// Label of the constraint, or its text.
        name: &'static str,
        /// μ(q₀)v₀ + μ₀(q₀).
        residual: f64,
    },
    /// The coefficients of a composition are not those of a symmetric, consistent method.
    Coefficients {
        /// What is wrong with them.
        fault: CoefficientFault,
    },
    /// The method could not be started from the initial state.
    Start {
        /// The reason.
        cause: Failure,
    },
    /// A step could not be taken; the simulation stays in the state before the step.
    Step {
        /// Number of the step, the first being 1.
        step: u64,
        /// Time at which it begins.
        time: f64,
        /// The reason.
        cause: Failure,
    },
    /// No number of steps leads to the time until which a simulation was to run: they lead away from it, or are lost in its
    /// rounding.
    Unreachable {
        /// The given time.
        t: f64,
        /// The time of the simulation.
        now: f64,
        /// The step size.
        h: f64,
    },
    /// The tolerance is no positive number, infinite, or below the rounding of steps.
    Tolerance {
        /// The given tolerance.
        tolerance: f64,
    },
    /// No step of an [`AdaptiveSimulation`](crate::AdaptiveSimulation) is accurate enough.
    Stalled {
        /// The tolerance.
        tolerance: f64,
        /// Time at which the step begins.
        time: f64,
        /// The size of the last steps that were tried.
        h: f64,
        /// Why one of them failed, if it did.
        cause: Option<Failure>,
    },
    /// A snapshot does not belong to this system and method.
    Snapshot {
        /// What differs.
        fault: SnapshotFault,
    },
    /// A checkpoint does not belong to this ensemble.
    Checkpoint,
    /// There is no nearest admissible velocity at the initial configuration.
    Projection {
        /// The reason.
        cause: Failure,
    },
    /// There is no step whose derivatives could be computed.
    NoStep,
    /// The derivatives of a step are not defined.
    Derivatives {
        /// The reason.
        cause: Failure,
    },
    /// The accelerations of the continuous equations are not defined.
    Acceleration {
        /// The reason.
        cause: Failure,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::StepSize { h } => {
                write!(f, "the step size must be a finite number other than zero, not {h}")
            }
            Error::NonFinite { quantity, name, value } => {
                write!(f, "{quantity} `{name}` must be finite, not {value}")
            }
            Error::Table { name, value } => {
                write!(f, "the nodes of a table must increase, but `{name}` = {value} is not above the one before it")
            }
            Error::Pose { name, defect } => write!(
                f,
                "the matrix `{name}` of the initial pose is not a rotation: {name}ᵀ{name} = 1 with det {name} = 1 \
                 is violated by {defect:e}; a `UnitQuaternion` or `Rotation3` of nalgebra can be passed instead, \
                 and `Rotation3::from_matrix` finds the rotation nearest to a matrix"
            ),
            Error::Position { name, residual } if !residual.is_finite() => undefined(f, "position constraint", name),
            Error::Constraint { name, residual } if !residual.is_finite() => undefined(f, "constraint", name),
            Error::Position { name, residual } => write!(
                f,
                "the initial configuration violates the position constraint `{name}` by {residual:e}; \
                 `Simulation::project` takes one that satisfies it"
            ),
            Error::Constraint { name, residual } => write!(
                f,
                "the initial velocity violates the constraint `{name}` by {residual:e}; \
                 `Simulation::project` takes the nearest admissible velocity"
            ),
            Error::Coefficients { fault } => write!(f, "{fault}"),
            Error::Start { cause } => write!(f, "the method cannot be started: {cause}"),
            Error::Step { step, time, cause } => write!(f, "step {step} from t = {time}: {cause}"),
            Error::Unreachable { t, now, h } => {
                write!(f, "steps of {h} from t = {now} do not lead to t = {t}")
            }
            Error::Tolerance { tolerance } => write!(
                f,
                "the tolerance must be a finite number that is not below {SMALLEST:e}, the rounding of steps, not {tolerance}"
            ),
            Error::Stalled { time, h, cause: Some(cause), .. } => {
                write!(f, "from t = {time}: steps fail, also those of {h:.1e}: {cause}")
            }
            Error::Stalled { tolerance, time, h, cause: None } => write!(
                f,
                "from t = {time}: steps of {h:.1e} do not meet the tolerance {tolerance:e}: the motion is singular here, or \
                 less smooth than the tolerance needs"
            ),
            Error::Snapshot { fault } => write!(f, "{fault}"),
            Error::Checkpoint => f.write_str(
                "the checkpoint does not belong to this ensemble: the number of trajectories or the size of \
                 their states differs, or a value is not finite",
            ),
            Error::Projection { cause } => write!(f, "the start cannot be projected: {cause}"),
            Error::NoStep => f.write_str(
                "there is no step to differentiate: none has been taken since the simulation was started or its state or \
                 parameters were changed",
            ),
            Error::Derivatives { cause } => write!(f, "the derivatives of the step cannot be computed: {cause}"),
            Error::Acceleration { cause } => write!(f, "the acceleration cannot be computed: {cause}"),
        }
    }
}

// The cause is part of the message, so there is no `source` that would repeat it.
impl core::error::Error for Error {}

/// A constraint whose residual is infinite or not a number.
fn undefined(f: &mut fmt::Formatter<'_>, what: &str, name: &str) -> fmt::Result {
    write!(
        f,
        "the {what} `{name}` has no finite value at the initial configuration: a formula in it is singular or undefined there"
    )
}

/// All of `values` are finite, or an error that names the first which is not.
pub(crate) fn finite<T: Scalar>(
    quantity: Quantity,
    names: &'static [&'static str],
    values: &[T],
) -> Result<(), Error> {
    let values = values.iter().map(|value| value.to_f64());
    match names.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        Some((name, value)) => Err(Error::NonFinite { quantity, name, value }),
        None => Ok(()),
    }
}

/// Checks that the nodes of tables increase.
pub(crate) fn increasing<T: Scalar>(
    tables: &[(usize, usize)],
    names: &'static [&'static str],
    parameters: &[T],
) -> Result<(), Error> {
    for &(first, length) in tables {
        for i in first + 1..first + length {
            let node = |i: usize| parameters.get(i).map_or(f64::NAN, |x| x.to_f64());
            let (value, name) = (node(i), names.get(i).copied().unwrap_or_default());
            if node(i - 1) >= value {
                return Err(Error::Table { name, value });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Failure;
    use std::string::ToString;

    #[test]
    fn an_energy_without_a_factor_is_not_finite() {
        let message = |factor| Failure::EnergyJump { factor }.to_string();
        assert!(message(0.25).starts_with("the step multiplied the energy by 2.5e-1, which neither forces "));
        // A loss is no sign of stiff forces; a force that grows with the velocity explains less than it does.
        assert!(
            !message(0.25).contains("stiff") && message(16.0).contains("more than forces and drives explain")
        );
        for factor in [f64::NAN, f64::INFINITY] {
            assert!(message(factor).starts_with("the kinetic energy after the step is infinite"));
        }
    }
}
