//! Starts of fits are velocities, and fits that are none say so.

use nhi_run::System;
use nhi_run::control::{Doubt, Fitted, Fitting, Samples};
use serde_json::Value;

/// The problem of `tractor_fit.json`: noisy angles of a tractor with two trailers whose hitches are behind the axles.
fn tractor() -> Fitting {
    let problem: Value = serde_json::from_str(include_str!("tractor_fit.json")).expect("a problem");
    let system = System::parse(include_str!("tractor.rs"), "tractor.rs", None).expect("a declaration");
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let texts = |name: &str| -> Vec<String> {
        let all = problem[name].as_array().expect("an array").iter();
        all.map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let rows: Vec<Vec<f64>> = problem["samples"].as_array().expect("samples").iter().map(numbers).collect();
    let parameters = system.parameters().iter();
    Fitting {
        variant: system.variant("dla2").expect("a method"),
        parameters: parameters.map(|name| problem["params"][name].as_f64().expect("a value")).collect(),
        q0: numbers(&problem["q0"]),
        v0: numbers(&problem["v0"]),
        h: problem["h"].as_f64().expect("a step size"),
        inputs: Vec::new(),
        measured: texts("measured"),
        samples: Samples {
            times: rows.iter().map(|row| row[0]).collect(),
            values: rows.iter().map(|row| row[1..].to_vec()).collect(),
            deviations: numbers(&problem["deviations"]),
        },
        unknowns: Some(texts("unknowns")),
        starts: 1,
        system,
    }
}

/// The value and the deviation of an unknown.
fn value(found: &Fitted, name: &str) -> [f64; 2] {
    let known = &found.identified;
    let i = known.unknowns.iter().position(|unknown| unknown == name).expect("an unknown");
    [known.values[i], known.covariance[(i, i)].sqrt()]
}

/// The constraints depend on the unknown lengths. The start that is held is the velocity, not its components in a basis that turns
/// with the lengths.
#[test]
fn a_given_velocity_is_held_while_the_constraints_change() {
    let found = tractor().solve().expect("unknowns");
    let known = &found.identified;
    assert_eq!(known.degrees_of_freedom, 196);
    assert!((known.chi_squared - 180.0).abs() < 10.0, "{}", known.chi_squared);
    // The samples were made with these lengths.
    for (name, truth) in [("c0", 0.2), ("l1", 0.5), ("c1", 0.2), ("l2", 0.5)] {
        let [value, deviation] = value(&found, name);
        assert!((value - truth).abs() < 3.0 * deviation && deviation < 2e-3, "{name}: {value} ± {deviation}");
    }
    assert!(known.doubts.is_empty(), "{:?}", known.doubts);
}

/// With a start velocity that the samples contradict, the sum of squares and its residuals say so.
#[test]
fn a_fit_that_is_none_says_so() {
    let mut fitting = tractor();
    fitting.v0.iter_mut().for_each(|v| *v *= 0.8);
    let found = fitting.solve().expect("unknowns");
    let doubts = &found.identified.doubts;
    assert!(matches!(doubts[0], Doubt::ChiSquared { degrees_of_freedom: 196, .. }), "{doubts:?}");
    let labels: Vec<&str> = doubts[1..]
        .iter()
        .map(|doubt| match doubt {
            Doubt::Correlated { label, correlation } if *correlation > 0.5 => label.as_str(),
            _ => panic!("{doubt}"),
        })
        .collect();
    assert_eq!(labels, ["th[1]", "th[2]"]);
}

/// Unknown entries of the start are coordinates and velocities by name, and their values are values.
#[test]
fn entries_of_the_start_have_values() {
    let mut fitting = tractor();
    let at = |name: &str| fitting.system.parameters().iter().position(|known| known == name).expect("a name");
    let lengths = ["c0", "l1", "c1", "l2"].map(at);
    for (at, length) in lengths.into_iter().zip([0.2, 0.5, 0.2, 0.5]) {
        fitting.parameters[at] = length;
    }
    fitting.unknowns = Some(["th[1](0)", "th[2](0)", "dot_x(0)"].map(String::from).to_vec());
    fitting.q0[3] = 0.25;
    fitting.v0[0] = 0.8;
    let found = fitting.solve().expect("unknowns");
    for (name, truth) in [("th[1](0)", 0.3), ("th[2](0)", 0.6)] {
        let [value, deviation] = value(&found, name);
        assert!((value - truth).abs() < 4.0 * deviation && deviation < 2e-3, "{name}: {value} ± {deviation}");
    }
    assert_eq!(found.q0[3], value(&found, "th[1](0)")[0]);
    assert!(found.identified.doubts.is_empty(), "{:?}", found.identified.doubts);
}

/// A cart on wheels and a spring, whose wheels have an inertia that is unknown beside a given mass of the cart.
fn cart(mass: f64, guess: f64) -> Fitting {
    let text = "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x, phi), lagrangian = m/2*dot(x)^2 + j/2*dot(phi)^2 - k/2*x^2, constraints(dx - r*dphi))]
        struct Cart { m: f64, j: f64, r: f64, k: f64 }";
    let system = System::parse(text, "cart.rs", None).expect("a declaration");
    let times: Vec<f64> = (1..=20).map(|i| 0.1 * f64::from(i)).collect();
    // ω² = k/(m + j/r²) = 4/2, but for the error of the steps.
    let x = |t: &f64| vec![(2f64.sqrt() * t).cos()];
    Fitting {
        variant: system.variant("dla2").expect("a method"),
        parameters: vec![mass, guess, 0.5, 4.0],
        q0: vec![1.0, 2.0],
        v0: vec![0.0, 0.0],
        h: 0.05,
        inputs: Vec::new(),
        measured: vec!["x".to_owned()],
        samples: Samples { values: times.iter().map(x).collect(), times, deviations: Vec::new() },
        unknowns: Some(vec!["j".to_owned()]),
        starts: 1,
        system,
    }
}

#[test]
fn a_negative_inertia_is_told_by_the_name_of_its_parameter() {
    let name = "with `j` < 0 a combination of the velocities of `phi` has negative kinetic energy";
    let told = |found: &Fitted| -> Vec<String> {
        let doubts = found.identified.doubts.iter();
        let doubts = doubts.filter(|doubt| matches!(doubt, Doubt::NegativeInertia { .. }));
        doubts.map(ToString::to_string).collect()
    };
    // The given mass is too large: -0.25 would fit, but steps with it are refused.
    let found = cart(3.0, 0.3).solve().expect("an inertia");
    let [said] = &told(&found)[..] else { panic!("one doubt: {:?}", found.identified.doubts) };
    assert!(
        said.starts_with("what would fit better is no mechanical system: ") && said.contains(name),
        "{said}"
    );
    let refused = cart(1.0, -0.2).solve().expect_err("no steps").to_string();
    assert!(refused.starts_with("step 0 from the guess fails: ") && refused.contains(name), "{refused}");
    let found = cart(1.0, 0.3).solve().expect("an inertia");
    assert!(told(&found).is_empty() && (found.identified.parameters[1] - 0.25).abs() < 1e-2);
}
