//! Events: conditions that become true during a run.

use crate::apart::{Phase, apart};
use crate::error::{DeclarationError, Error, Mistake};
use crate::expressions::{conditions, evaluate};
use crate::system::System;
use nhi_codegen::system::{self, Definition};
use nhi_jit::{Point, Simulation};
use nhi_runtime::bisection;

/// Conditions in the grammar of declarations, such as `x >= 1 && t < 5`, by their names. Each has an event where it becomes true.
#[derive(Clone, Default)]
pub struct Events {
    /// The system with the conditions among its definitions, 1 where they hold and 0 otherwise.
    system: Option<system::System>,
    conditions: Vec<Definition>,
    names: Vec<String>,
    /// The one that ends the run. It is the last of them.
    until: Option<String>,
}

impl Events {
    /// Those of a system: one that ends the run, and others that are recorded, by their names.
    ///
    /// # Errors
    /// [`Error::Declaration`] for mistakes in a condition.
    pub fn new(system: &System, until: Option<&str>, recorded: &[(String, String)]) -> Result<Events, Error> {
        let recorded = recorded.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let texts: Vec<(&str, &str)> = recorded.chain(until.map(|text| ("until", text))).collect();
        if texts.is_empty() {
            return Ok(Events::default());
        }
        let read = || conditions(system.source(), system.name(), &texts);
        let (system, conditions) = apart(Phase::Derivation, read)
            .unwrap_or_else(|bug| Err(DeclarationError::one(Mistake::new(bug))))?;
        let names: Vec<String> = texts.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Events { system: Some(system), conditions, names, until: until.map(str::to_owned) })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The place of the one that ends the run.
    fn last(&self) -> Option<usize> {
        self.until.as_ref().map(|_| self.names.len() - 1)
    }

    /// What holds of a simulation.
    pub(crate) fn hold(&self, simulation: &Simulation) -> Vec<bool> {
        let Some(system) = &self.system else { return Vec::new() };
        let v = simulation.v();
        let at = Point {
            parameters: simulation.parameters(),
            q: simulation.q(),
            v: &v,
            z: simulation.z(),
            t: simulation.time(),
            inputs: simulation.inputs(),
        };
        evaluate(system, &self.conditions, &at, simulation.multipliers())
            .into_iter()
            .map(|value| value > 0.5)
            .collect()
    }

    /// Whether the event that ends the run is among these.
    pub(crate) fn are_over(&self, held: &[bool]) -> bool {
        self.last().is_some_and(|last| held.get(last) == Some(&true))
    }

    /// The condition that ends the run, unless it is among those that hold.
    pub(crate) fn missed(&self, held: &[bool]) -> Option<String> {
        self.until.clone().filter(|_| !self.are_over(held))
    }

    /// No crossings yet.
    pub(crate) fn crossings(&self) -> Crossings {
        self.names.iter().map(|name| (name.clone(), Vec::new())).collect()
    }

    /// Adds the events of the step from `before` to `after`. If one of them ends the run, the simulation there.
    ///
    /// # Errors
    /// Shorter steps that fail.
    pub(crate) fn cross(
        &self,
        (before, held_before): (&Simulation, &[bool]),
        (after, held_after): (&Simulation, &[bool]),
        crossings: &mut Crossings,
    ) -> Result<Option<Simulation>, nhi_jit::Error> {
        let mut end = None;
        let begun = (0..self.names.len()).filter(|&i| held_after[i] && !held_before[i]);
        let mut located = Vec::new();
        for i in begun {
            let simulation = self.located(i, before, after)?;
            located.push((i, simulation.time()));
            if self.last() == Some(i) {
                end = Some(simulation);
            }
        }
        let limit = end.as_ref().map(Simulation::time);
        for (i, t) in located {
            let is_reached = limit.is_none_or(|limit| if before.h() > 0.0 { t <= limit } else { t >= limit });
            if is_reached {
                crossings[i].1.push(t);
            }
        }
        Ok(end)
    }

    /// The simulation after the shortest step at whose end a condition holds, up to rounding.
    fn located(
        &self,
        i: usize,
        before: &Simulation,
        after: &Simulation,
    ) -> Result<Simulation, nhi_jit::Error> {
        let (now, v) = (before.time(), before.v());
        let found = bisection::event(now, before.h(), |size| {
            let mut simulation = before.from_node(now, before.q(), [&v, &v], size)?;
            simulation.step()?;
            Ok(self.hold(&simulation)[i].then_some(simulation))
        })?;
        Ok(found.map_or_else(|| after.clone(), |(_, simulation)| simulation))
    }
}

/// Times of events, by their names.
pub type Crossings = Vec<(String, Vec<f64>)>;
