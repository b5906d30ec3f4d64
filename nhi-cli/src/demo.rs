//! The demonstration: two systems of *Simulating Nonholonomic Dynamics* (Kobilarov, Martín de Diego &
//! Ferraro) with every method, against the exact flow.

use crate::list::table;
use crate::run::Stopped;
use nhi_run::model::{Instance, METHODS, Method, Model, Phase, loaded};
use nhi_run::plot::{COLOURS, Chart, Curve, Scale, figure};
use std::f64::consts::FRAC_PI_2;
use std::time::{Duration, Instant};

/// The methods of the figures; the tables contain all.
const DRAWN: [&str; 6] = ["dla2", "dla_rattle", "rattle", "rattle_projected", "rk2_midpoint", "rk4"];

/// A system with the contents of its table and figure.
pub(crate) struct Example {
    /// Name of the figure.
    name: &'static str,
    title: String,
    instance: Box<dyn Instance>,
    start: Phase,
    h: f64,
    /// Steps until the path ends and errors are compared.
    path_steps: u64,
    /// Steps until the energy is no longer watched.
    steps: u64,
    /// The title of the path.
    path: &'static str,
    /// The drawn point at a configuration.
    point: Box<Point>,
    /// How energy errors are drawn: their magnitudes, or with their signs.
    energy: Scale,
    /// The remark below the table.
    remark: &'static str,
}

/// A point of the plane, of a configuration.
type Point = dyn Fn(&[f64]) -> (f64, f64);

/// The output of an example.
pub(crate) struct Outcome {
    /// Title, table and remark.
    pub(crate) text: String,
    /// File name and contents of the figure.
    pub(crate) figure: (String, String),
}

/// The examples.
pub(crate) fn examples() -> Result<[Example; 2], Stopped> {
    Ok([sleigh()?, snakeboard()?])
}

/// The sleigh comes backwards, stops and leaves forwards, turning all the time: its blade draws a heart.
fn sleigh() -> Result<Example, Stopped> {
    let [m, inertia, a]: [f64; 3] = [1.0, 0.5, 0.3];
    let instance = loaded("sleigh_com", false).map_err(Stopped::new)?.instance(&[m, inertia, a]);
    // Where its blade stands still at the origin, with energy 1/2; it starts some time before.
    let before = 7.0;
    let omega = 1.0 / (inertia + m * a.powi(2)).sqrt();
    let (q, v) = ([FRAC_PI_2, 0.0, a], [omega, -a * omega, 0.0]);
    let (q, v) = instance.flow(0.0, &q, &v, &[], -before).map_err(Stopped::new)?;
    let v = instance.project(&q, &v).map_err(Stopped::new)?;
    let h = 0.05;
    Ok(Example {
        name: "sleigh",
        title: format!("Chaplygin sleigh, h = {h}"),
        instance,
        start: (q, v),
        h,
        path_steps: (2.0 * before / h).round() as u64,
        steps: 1200,
        path: "contact of the blade",
        point: Box::new(move |q| (q[1] - a * q[0].cos(), q[2] - a * q[0].sin())),
        energy: Scale::Logarithmic,
        remark: "rattle has a parasitic mode that grows while the sleigh moves forwards.",
    })
}

/// The snakeboard of their figure 4: a rotor torque of 10 Hz, 128 steps in ten seconds.
fn snakeboard() -> Result<Example, Stopped> {
    let model = loaded("snakeboard", false).map_err(Stopped::new)?;
    let instance = model.instance(&model.defaults());
    let h = 10.0 / 128.0;
    Ok(Example {
        name: "snakeboard",
        title: format!("Snakeboard with torques, h = {h}"),
        start: instance.initial(),
        instance,
        h,
        path_steps: 128,
        steps: 128,
        path: "path of the board",
        point: Box::new(|q| (q[3], q[4])),
        energy: Scale::Fill,
        remark: "The torques do work: the energy is compared with that of the exact flow.",
    })
}

/// A method's trajectory at the nodes, up to a possible failure.
struct Track {
    method: &'static Method,
    points: Vec<(f64, f64)>,
    /// Relative errors of the energy over time, with their signs.
    energy: Vec<(f64, f64)>,
    /// Largest error of a coordinate where the path ends.
    error: Option<f64>,
    time_per_step: Option<Duration>,
    stopped: Option<String>,
}

impl Example {
    /// Runs all methods.
    pub(crate) fn show(&self) -> Result<Outcome, Stopped> {
        let exact = self.exact()?;
        let tracks: Vec<_> = METHODS.iter().map(|method| self.track(method, &exact)).collect();
        let figure = (format!("{}.svg", self.name), self.draw(&tracks, &exact));
        Ok(Outcome { text: self.describe(&tracks), figure })
    }

    /// The exact flow at the nodes.
    fn exact(&self) -> Result<Vec<Phase>, Stopped> {
        let mut exact = vec![self.start.clone()];
        for k in 0..self.steps {
            let (q, v) = &exact[k as usize];
            let (t0, t1) = (k as f64 * self.h, (k + 1) as f64 * self.h);
            exact.push(self.instance.flow(t0, q, v, &[], t1).map_err(Stopped::new)?);
        }
        Ok(exact)
    }

    fn track(&self, method: &'static Method, exact: &[Phase]) -> Track {
        let mut track = Track {
            method,
            points: Vec::new(),
            energy: Vec::new(),
            error: None,
            time_per_step: None,
            stopped: None,
        };
        track.stopped = self.follow(&mut track, exact).err().map(|error| error.to_string());
        track
    }

    fn follow(&self, track: &mut Track, exact: &[Phase]) -> Result<(), nhi_runtime::Error> {
        let (q0, v0) = &self.start;
        let start = || self.instance.start(track.method, q0, v0, &[], self.h);
        let scale = self.instance.energy(q0, v0).abs();
        let mut trajectory = start()?;

        for (k, (q, v)) in (0..).zip(exact) {
            let found = trajectory.q();
            if k <= self.path_steps {
                track.points.push((self.point)(&found));
            }
            if k == self.path_steps {
                track.error = found.iter().zip(q).map(|(a, b)| (a - b).abs()).reduce(f64::max);
            }
            let error = (trajectory.energy() - self.instance.energy(q, v)) / scale;
            track.energy.push((trajectory.time(), error));
            if k < self.steps {
                trajectory.step()?;
            }
        }
        // Repeats the same steps for the timing.
        let begun = Instant::now();
        let mut taken = 0;
        while begun.elapsed() < Duration::from_millis(30) {
            let mut timed = start()?;
            timed.advance(self.steps)?;
            taken += self.steps;
        }
        track.time_per_step = Some(begun.elapsed() / taken as u32);
        Ok(())
    }

    fn describe(&self, tracks: &[Track]) -> String {
        let (path_end, end) = (self.path_steps as f64 * self.h, self.steps as f64 * self.h);
        let mut table = table([
            "method",
            "order",
            &format!("error of q at t = {path_end}"),
            &format!("largest energy error to t = {end}"),
            "time per step",
        ]);
        for track in tracks {
            let energy = track.energy.iter().map(|(_, error)| error.abs()).reduce(f64::max);
            let number = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.1e}"));
            let time = track.time_per_step.map_or("–".to_owned(), |time| format!("{} ns", time.as_nanos()));
            table.add_row([
                track.method.id,
                &track.method.order.to_string(),
                &number(track.error),
                &number(energy),
                &time,
            ]);
        }
        let mut text = format!("{}\n{}\n{}\n", self.title, table.trim_fmt(), self.remark);
        for track in tracks {
            if let Some(stopped) = &track.stopped {
                text += &format!("{} stopped: {stopped}\n", track.method.id);
            }
        }
        text
    }

    fn draw(&self, tracks: &[Track], exact: &[Phase]) -> String {
        let path = exact.iter().take(self.path_steps as usize + 1).map(|(q, _)| (self.point)(q)).collect();
        let exact = Curve { name: "exact".to_owned(), colour: "#bebebe", width: 6.0, points: path };
        let (sign, energy) = match self.energy {
            Scale::Logarithmic => (f64::abs as fn(f64) -> f64, "|E − E exact| / E(0)"),
            _ => (std::convert::identity as fn(f64) -> f64, "(E − E exact) / E(0)"),
        };
        let curves = |points: &dyn Fn(&Track) -> Vec<(f64, f64)>| {
            let drawn = DRAWN.iter().zip(COLOURS).filter_map(|(id, colour)| {
                let track = tracks.iter().find(|track| track.method.id == *id)?;
                Some(Curve { name: (*id).to_owned(), colour, width: 2.0, points: points(track) })
            });
            drawn.collect::<Vec<_>>()
        };
        let mut paths = curves(&|track| track.points.clone());
        paths.push(exact);
        let errors = curves(&|track| track.energy.iter().map(|&(t, error)| (t, sign(error))).collect());
        let path = format!("{}: {}", self.title, self.path);
        let charts = [
            Chart {
                title: path.clone(),
                x: "x".to_owned(),
                y: "y".to_owned(),
                scale: Scale::Equal,
                curves: paths,
            },
            Chart {
                title: "relative error of the energy".to_owned(),
                x: "t".to_owned(),
                y: energy.to_owned(),
                scale: self.energy,
                curves: errors,
            },
        ];
        figure(&path, &charts)
    }
}
