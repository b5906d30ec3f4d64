//! Growth vectors, integrable combinations, reversals and measures that are known.

use super::{declared, derived, model};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::mechanics::{Flag, Measure, Mechanics};
use nhi_codegen::method::tangent_basis;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::Role;
use nhi_codegen::report::{Answer, Block, Report};

fn flag(mechanics: &mut Mechanics) -> Flag {
    mechanics.flag(&mut BuiltIn).expect("an engine").expect("a decided flag")
}

#[test]
fn growth_vectors() {
    for (name, growth) in [
        ("src/snakeboard.rs", vec![3, 4, 5]),
        ("lie/snakeboard.rs", vec![3, 4, 5]),
        ("src/vertical_disk.rs", vec![2, 3, 4]),
        ("lie/vertical_disk.rs", vec![2, 3, 4]),
        ("src/sleigh_com.rs", vec![2, 3]),
        ("lie/chaplygin_sleigh.rs", vec![2, 3]),
        ("src/contact_oscillator.rs", vec![2, 3]),
        ("src/mobile_robot.rs", vec![2, 3, 4]),
        ("src/chaotic_r7.rs", vec![6, 7]),
        // A ball on a plane: (2, 3, 5) for the rolling directions is (3, 5) with the spin.
        ("lie/ball_as_printed.rs", vec![3, 5]),
        ("lie/suslov.rs", vec![2, 3]),
    ] {
        let mut mechanics = derived(&model(name), "rattle").mechanics;
        assert_eq!(flag(&mut mechanics).growth, growth, "{name}");
    }
}

/// Of three entries that vanish somewhere, two make a pivot: where both are zero and the third is not, the constraint is regular.
#[test]
fn bases_degenerate() {
    let plane = "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    for (constraints, expected) in [
        ("constraints(sin(z)*dx - cos(z)*dy)", &[][..]),
        ("constraints(dz - y*dx)", &[]),
        ("constraints((1 + x^2)*dx + y*dy + z*dz)", &["(x^2 + 1)^2 + y^2"]),
        ("constraints(x*dx + y*dy + z*dz)", &["x^2 + y^2"]),
    ] {
        let mut mechanics = declared(&format!("{plane}, {constraints}")).mechanics;
        let degenerate = tangent_basis(&mut mechanics).degenerate;
        let shown: Vec<String> =
            degenerate.iter().map(|&e| mechanics.system.pool.show(e).to_string()).collect();
        assert_eq!(shown, expected, "{constraints}");
    }
}

/// Constraints, growth vector, and the functions of integrable combinations.
type Case = (&'static str, &'static [usize], &'static [Option<&'static str>]);

#[test]
fn integrable_combinations() {
    let plane = "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    let cases: [Case; 8] = [
        ("constraints(dz - x*dx - y*dy)", &[2], &[None]),
        ("constraints(y*dx - x*dy)", &[2], &[None]),
        ("constraints(dz - y*dx)", &[2, 3], &[]),
        ("constraints(dx - c*dy)", &[2], &[Some("x - c*y")]),
        // One form is not integrable; its sum with the other is.
        ("constraints(dz - y*dx, dy + dz - y*dx)", &[1], &[None, None]),
        ("constraints(dx - r*dt)", &[2], &[Some("x - r*t")]),
        // Rolling on a belt: in space it is integrable, and in time it is not.
        ("constraints(dx - y*dt)", &[2], &[]),
        // Nothing is left to move: all combinations are integrable in space and time.
        ("constraints(dx - r*dt, dy, dz - c*dt)", &[0], &[Some("x - r*t"), Some("y"), Some("z - c*t")]),
    ];
    for (constraints, growth, functions) in cases {
        let mut mechanics = declared(&format!("{plane}, {constraints}")).mechanics;
        let found = flag(&mut mechanics);
        assert_eq!(found.growth, growth, "{constraints}");
        let shown: Vec<Option<String>> = found
            .holonomic
            .iter()
            .map(|h| h.potential.map(|e| mechanics.system.pool.show(e).to_string()))
            .collect();
        assert_eq!(shown.iter().map(Option::as_deref).collect::<Vec<_>>(), functions, "{constraints}");
    }
}

#[test]
fn a_report_says_that_there_is_no_free_motion() {
    let turning = "coordinates(x, y, z), constraints(dx - cos(z)*dt, dy - r*sin(z)*dt, dz - c*x*dt)";
    for (lagrangian, stiffness) in [("m/2*(dot(x)^2 + dot(y)^2)", "s = tr M"), ("0", "s = 1")] {
        let keys = format!("{turning}, lagrangian = {lagrangian}");
        let source =
            format!("#[derive(Nonholonomic)] #[nonholonomic({keys})] struct S {{ m: f64, c: f64, r: f64 }}");
        let report = Report::of(&derived(&source, "dla2"), &mut BuiltIn);
        let printed = format!("{:?}", report.unwrap_or_else(|rejected| panic!("{:?}", rejected.errors)));
        assert!(printed.contains("There is no free motion") && printed.contains(stiffness), "{printed}");
    }
}

#[test]
fn the_wheels_of_a_robot_measure_its_heading() {
    let mut mechanics = derived(&model("src/mobile_robot.rs"), "rattle").mechanics;
    let found = flag(&mut mechanics);
    let [one] = &found.holonomic[..] else { panic!("{} combinations", found.holonomic.len()) };
    let shown = one.potential.map(|e| mechanics.system.pool.show(e).to_string());
    assert_eq!(shown.as_deref(), Some("2*b*theta - r*phi_r + r*phi_l"));
}

#[test]
fn position_constraints_are_integrable() {
    let keys = "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), holonomic(x^2 + y^2 - r^2)";
    let found = flag(&mut declared(keys).mechanics);
    assert_eq!((found.growth, found.holonomic.len()), (vec![1], 1));
}

#[test]
fn reversals() {
    let reversal = |derived: &Derived| {
        let report = super::report(derived);
        let blocks = report.sections.iter().flat_map(|section| &section.blocks);
        let finding = blocks.filter_map(|block| match block {
            Block::Finding(finding) if finding.key == "reversible" => Some(finding),
            _ => None,
        });
        let found: Vec<_> = finding.collect();
        (found[0].answer, found[0].reason.clone())
    };
    let declared = |keys: &str| reversal(&declared(keys));
    let particle = "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2)";
    let field = "coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + c*(x*dot(y) - y*dot(x))";
    let plain = (Answer::Yes, "Under v → −v.".to_owned());
    let mirrored = "Under v → −v together with the reflection that changes the sign of `x`.";
    let mirrored = (Answer::Yes, mirrored.to_owned());
    assert_eq!(declared(&format!("{particle}, constraints()")), plain);
    // A field turns motions the other way round, unless they are seen in a mirror.
    assert_eq!(declared(&format!("{field}, constraints()")), mirrored);
    assert_eq!(declared(&format!("{particle}, constraints(dx - c*y*dt)")), mirrored);
    let about = (Answer::Yes, "Under v → −v, about the instant t = 0.".to_owned());
    assert_eq!(declared(&format!("{particle}, constraints(), force = c*cos(t)*dx")), about);
    assert_eq!(reversal(&derived(&model("src/contact_oscillator_gauged.rs"), "rattle")), plain);
    // Friction, and potentials that no mirror leaves as they are, exclude all four changes of signs.
    for keys in [
        format!("{particle}, constraints(), force = -c*dot(x)*dx"),
        format!("{field} - r*(x^3 + y^3), constraints()"),
    ] {
        let (answer, reason) = declared(&keys);
        assert_eq!(answer, Answer::No, "{keys}");
        assert!(reason.starts_with("Of the 4 changes of signs of coordinates that were tried"), "{reason}");
    }
    // So does a constraint that none of them preserves,
    let skewed = format!("{particle}, constraints(dx - (1 + y + y^3*x)*dt)");
    assert_eq!(declared(&skewed).0, Answer::No);
    // but no friction that the constraint keeps from doing work.
    let idle = format!("{particle}, constraints(dx), force = -c*dot(x)*dx");
    assert_eq!(declared(&idle).0, Answer::NotDecided);
}

fn measure(name: &str) -> Measure {
    let derived = derived(&model(name), "rattle");
    let mut mechanics = derived.mechanics.clone();
    let program = &derived.system.acceleration;
    let mut known = std::collections::HashMap::new();
    for statement in &program.body {
        if let nhi_codegen::program::Statement::Let { symbol, value } = statement {
            let full = mechanics.system.pool.substitute(&[*value], &known)[0];
            known.insert(*symbol, full);
        }
    }
    let role = Role::Acceleration;
    let output = program.outputs.iter().find(|output| output.role == role).expect("accelerations");
    let acceleration = mechanics.system.pool.substitute(&output.values, &known);
    mechanics.measure(&mut BuiltIn, &acceleration).expect("an engine")
}

/// Kozlov 1988: the sleigh and Suslov's body have none, unless the blade is at the centre of mass, or the body's
/// constrained axis is a principal one.
#[test]
fn measures() {
    assert!(matches!(measure("src/vertical_disk.rs"), Measure::Density(..)));
    assert!(matches!(measure("src/nh_particle.rs"), Measure::Density(..)));
    assert!(matches!(measure("src/snakeboard_free.rs"), Measure::Density(..)));
    for name in ["src/sleigh_com.rs", "src/sleigh_contact.rs", "lie/chaplygin_sleigh.rs"] {
        assert_eq!(measure(name), Measure::None, "{name}");
    }
}

/// What is said of the energy of a method.
fn energy(model_name: &str, method: &str) -> String {
    let report = super::report(&derived(&model(model_name), method));
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let tables = blocks.filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
    let table = tables.into_iter().find(|table| table.name == "expectation").expect("expectations");
    let row = table.rows.iter().find(|row| row[0] == format!("`{method}`")).expect("a row");
    row[2].split(':').next().expect("a grade").to_owned()
}

/// The scoreboard has the runs.
#[test]
fn expectations_are_those_of_long_runs() {
    const REVERSED: &str = "typical of motions that a reversal maps to themselves";
    for (name, method, grade) in [
        ("src/contact_oscillator.rs", "dla2", REVERSED),
        ("src/contact_oscillator.rs", "rattle", REVERSED),
        // The same motion: the discrete one is not reversible.
        ("src/contact_oscillator_gauged.rs", "dla2", "not to be expected"),
        ("src/contact_oscillator.rs", "dla1", "not to be expected"),
        ("src/sleigh_com.rs", "dla2", REVERSED),
        ("src/sleigh_com.rs", "rattle", "not to be expected"),
        ("lie/chaplygin_sleigh.rs", "rdp", REVERSED),
        ("lie/suslov.rs", "suslov_mv", "guaranteed"),
        ("src/mobile_robot.rs", "dla2", "nothing to keep"),
        ("src/rotating_table_skate.rs", "dla2", "nothing to keep"),
    ] {
        assert_eq!(energy(name, method), grade, "{name} {method}");
    }
}

/// Each system has the method that its motions need, and the reason.
#[test]
fn reports_recommend_a_method() {
    for (name, default, frame) in [
        ("src/gearbox.rs", "`dla2`", Some("on motions that no reversal maps to themselves")),
        ("src/contact_oscillator_gauged.rs", "`dla2`", Some("is not known to hold it for this system")),
        ("lie/chaplygin_sleigh.rs", "`rdp`", Some("on motions that no reversal maps to themselves")),
        ("src/mobile_robot.rs", "`dla2`", None),
    ] {
        let report = super::report(&derived(&model(name), "rattle"));
        let blocks = report.sections.iter().flat_map(|section| &section.blocks);
        let said: Vec<&String> = blocks
            .filter_map(|block| if let Block::Text(said) = block { Some(said) } else { None })
            .filter(|said| said.starts_with("Recommended: "))
            .collect();
        let [said] = said[..] else { panic!("{name}: {said:?}") };
        assert!(said.contains(default), "{name}: {said}");
        assert_eq!(said.contains("`frame`"), frame.is_some(), "{name}: {said}");
        assert!(frame.is_none_or(|reason| said.contains(reason)), "{name}: {said}");
    }
}

#[test]
fn rates_of_auxiliary_states() {
    let report = super::report(&declared(
        "coordinates(x), states(i), lagrangian = m/2*dot(x)^2, constraints(), force = c*i*dx, dynamics(dot(i) = r - c*i)",
    ));
    let formula = report.formulas().find(|formula| formula.name == "state_rates").expect("rates");
    assert_eq!(report.pool.show(formula.value[0][0]).to_string(), "r - c*i");
    let found = answers(&report);
    assert!(
        found.contains(&("reversible", Answer::NotDecided))
            && found.contains(&("measure", Answer::NotDecided))
    );
}

fn answers(report: &Report) -> Vec<(&'static str, Answer)> {
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let findings = blocks.filter_map(|block| match block {
        Block::Finding(finding) => Some((finding.key, finding.answer)),
        _ => None,
    });
    findings.collect()
}

#[test]
fn answers_of_a_report() {
    let report = super::report(&derived(&model("src/rotating_table_skate.rs"), "rattle"));
    let found = answers(&report);
    let answer = |key: &str| found.iter().find(|(k, _)| *k == key).map(|(_, answer)| *answer);
    assert_eq!(answer("constant_mass"), Some(Answer::Yes));
    assert_eq!(answer("gyroscopic"), Some(Answer::No));
    assert_eq!(answer("affine"), Some(Answer::Yes));
    assert_eq!(answer("time_dependence"), Some(Answer::No));
    assert_eq!(answer("holonomic"), Some(Answer::No));
}
