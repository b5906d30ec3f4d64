//! Runs the sleigh of `sleigh.rs` and prints its path.

mod sleigh;

use nhi_runtime::prelude::*;
use sleigh::Sleigh;

fn main() -> Result<(), nhi_runtime::Error> {
    let mut sim = start()?;
    println!("t,theta,x,y,energy");
    for _ in 0..100 {
        let [theta, x, y] = sim.q();
        println!("{},{theta},{x},{y},{}", sim.time(), sim.energy());
        sim.advance(10)?;
    }
    Ok(())
}

fn start() -> Result<Simulation<Sleigh, Dla2>, nhi_runtime::Error> {
    let sleigh = Sleigh { J: 1.0, m: 1.0, a: 0.2 };
    Simulation::new(sleigh, Dla2, [0.0, 0.0, 0.0], [1.0, 0.5, 0.2], 0.01)
}

#[cfg(test)]
mod tests {
    use super::start;

    /// The sleigh keeps its energy, and its blade does not slip.
    #[test]
    fn energy_and_constraint() -> Result<(), nhi_runtime::Error> {
        let mut sim = start()?;
        let energy = sim.energy();
        for _ in 0..1000 {
            sim.step()?;
            assert!((sim.energy() / energy - 1.0).abs() < 1e-3);
            assert!(sim.residual()[0].abs() < 1e-14);
        }
        Ok(())
    }
}
