//! The parity mode of reduced GNI: it grows at the rate at which the motion contracts,
//! and the restarted variant has none.

use super::case::Case;
use nhi_models::Row;
use nhi_models::lie::{chaplygin_ball, chaplygin_sleigh};
use nhi_runtime::group::Cayley;
use nhi_runtime::{Method, Rattle, RattleRestarted, Reflecting, Simulation, System};

fn start<S: System + Clone, M: Method<S>>(row: &Row<S>, method: M, h: f64) -> Simulation<S, M> {
    let (q, v) = row.start(&row.example());
    Simulation::new(row.example(), method, q, v, h).unwrap()
}

/// The parasitic part at the times `at`.
fn parasites<S: System + Clone, M: Method<S> + Reflecting>(
    row: &Row<S>,
    method: M,
    h: f64,
    at: [f64; 2],
) -> [f64; 2] {
    let mut sim = start(row, method, h);
    at.map(|t| {
        while sim.time() < t - h / 2.0 {
            sim.step().unwrap();
        }
        sim.parasite().unwrap()
    })
}

/// The rate m a V/I' of the sleigh's motion towards the straight line, I' = I + m a², V = √(2E/m).
fn contraction() -> f64 {
    let row = &chaplygin_sleigh::MODEL;
    let sleigh = &row.example();
    let (_, [omega, v, v_perp]) = row.start(sleigh);
    let twice_energy = sleigh.I * omega.powi(2) + sleigh.m * (v.powi(2) + v_perp.powi(2));
    sleigh.m * sleigh.a * (twice_energy / sleigh.m).sqrt() / (sleigh.I + sleigh.m * sleigh.a.powi(2))
}

#[test]
fn it_grows_as_the_sleigh_contracts() {
    let expected = contraction();
    assert!((expected - 0.495).abs() < 1e-3, "{expected}");
    // The physical motion: ω decays at this rate once it is straight.
    let case = Case::of("sleigh");
    let turning = |t: f64| case.instance.flow(0.0, &case.q0, &case.v0, &[], t).unwrap().1[0];
    let decay = (turning(14.0) / turning(18.0)).ln() / 4.0;
    assert!((decay - expected).abs() < 2e-3, "{decay}");

    // Between straight motion and amplitudes that are no longer small; started smoothly, without any
    // reaction, and with another retraction.
    let row = &chaplygin_sleigh::MODEL;
    let rate = |[before, after]: [f64; 2], time: f64| (after / before).ln() / time;
    let rates = [
        rate(parasites(row, Rattle::consistent(), 0.01, [8.0, 16.0]), 8.0),
        rate(parasites(row, Rattle::consistent().with(Cayley), 0.01, [8.0, 16.0]), 8.0),
        rate(parasites(row, Rattle::plain(), 1e-4, [6.0, 8.0]), 2.0),
    ];
    println!("{rates:?}, {expected} expected");
    for rate in rates {
        assert!((rate - expected).abs() < 0.02 * expected, "{rates:?} instead of {expected}");
    }
}

/// The first time at which the energy is off by a tenth.
fn destroyed<M: Method<chaplygin_sleigh::ChaplyginSleigh>>(method: M, h: f64) -> f64 {
    let mut sim = start(&chaplygin_sleigh::MODEL, method, h);
    let energy = sim.energy();
    while sim.time() < 60.0 {
        sim.step().unwrap();
        if (sim.energy() - energy).abs() > 0.1 * energy {
            return sim.time();
        }
    }
    f64::INFINITY
}

/// It destroys the sleigh's run, later for smaller steps and for the smooth start.
#[test]
fn it_destroys_the_run() {
    let times = |method: fn(f64) -> f64| [0.1, 0.05, 0.025].map(method);
    let plain = times(|h| destroyed(Rattle::plain(), h));
    let cayley = times(|h| destroyed(Rattle::consistent().with(Cayley), h));
    let smooth = times(|h| destroyed(Rattle::consistent(), h));
    println!("{plain:?} {cayley:?} {smooth:?}");
    for (times, expected) in
        [(plain, [4.7, 6.1, 7.5]), (cayley, [14.3, 18.4, 22.6]), (smooth, [17.1, 21.3, 25.5])]
    {
        assert!(times.iter().zip(expected).all(|(t, e)| (t - e).abs() <= 0.15), "{times:?}");
        // Half the step is an eighth of the amplitude, or half of it: ln 8/0.495 or ln 2/0.495 later.
        let factor: f64 = if times == plain { 2.0 } else { 8.0 };
        let later = times[2] - times[1];
        assert!((later - factor.ln() / contraction()).abs() < 0.1, "{times:?}");
    }
    assert_eq!(destroyed(RattleRestarted, 0.1), f64::INFINITY);
}

/// Chaplygin's sphere has an invariant measure: the amplitude stays what it was.
#[test]
fn it_stays_as_it_is_on_the_sphere() {
    let mut sim = start(&chaplygin_ball::MODEL, Rattle::plain(), 0.05);
    let of_each_hundred: Vec<f64> = (0..50)
        .map(|_| {
            (0..100).fold(0.0, |most: f64, _| {
                sim.step().unwrap();
                most.max(sim.parasite().unwrap())
            })
        })
        .collect();
    let (first, last) = (of_each_hundred[0], of_each_hundred[49]);
    let largest = of_each_hundred.iter().fold(0.0, |m: f64, x| m.max(*x));
    println!("{first:.2e} {last:.2e} {largest:.2e}");
    assert!(first > 1e-4 && last > 0.5 * first && largest < 2.0 * first, "{of_each_hundred:?}");
}

/// How the angular velocities of successive steps zigzag: the largest |ω_{k+1} − 2ω_k + ω_{k−1}| in the last
/// second before `until`.
fn zigzag<M: Method<chaplygin_sleigh::ChaplyginSleigh>>(method: M, h: f64, until: f64) -> f64 {
    let mut sim = start(&chaplygin_sleigh::MODEL, method, h);
    let mut angles = vec![sim.q()[0]];
    while sim.time() < until - h / 2.0 {
        sim.step().unwrap();
        angles.push(sim.q()[0]);
    }
    let rates: Vec<f64> = angles.windows(2).map(|two| (two[1] - two[0]) / h).collect();
    let last = rates.len() - (1.0 / h) as usize;
    rates[last..].windows(3).fold(0.0, |most: f64, w| most.max((w[2] - 2.0 * w[1] + w[0]).abs()))
}

/// The restarted variant has no such mode: its steps are as smooth as the motion, at all times.
#[test]
fn it_is_absent_when_restarted() {
    let h = 0.01;
    for until in [2.0, 6.0, 12.0] {
        let (carried, restarted, rdp) = (
            zigzag(Rattle::plain(), h, until),
            zigzag(RattleRestarted, h, until),
            zigzag(nhi_runtime::Rdp, h, until),
        );
        println!("to {until}: {carried:.1e} carried, {restarted:.1e} restarted, {rdp:.1e} rdp");
        assert!(restarted < 2.0 * rdp, "{restarted:e} and {rdp:e}");
        assert!(carried > 20.0 * restarted, "{carried:e} and {restarted:e}");
    }
}
