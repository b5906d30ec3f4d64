//! The models of the literature, from their texts.

use nhi_run::model::{MODELS, Model, named};
use nhi_run::{Error, Inputs, Run, Scheme};

/// Each can be read, starts on its constraints, and knows as many names as numbers.
#[test]
fn all_can_be_read_and_started() {
    for bundled in MODELS {
        let model = bundled.load().unwrap_or_else(|error| panic!("{}: {error}", bundled.name));
        let name = model.name();
        assert_eq!(name, bundled.name);
        assert!(bundled.on_group || model.group().is_none(), "{name}");
        assert_eq!(model.reference_coordinates().len(), model.coordinates().len(), "{name}");
        assert!(model.defaults().iter().all(|x| x.is_finite()), "{name}");
        let instance = model.instance(&model.defaults());
        let (q, v) = instance.initial();
        assert!(instance.energy(&q, &v).is_finite(), "{name}");
        assert!(instance.invariants(&q, &v).iter().all(|x| x.is_finite()), "{name}");
        let residual = instance.residual(&q, &v).into_iter().map(f64::abs).fold(0.0, f64::max);
        assert!(residual < 1e-14, "{name}: {residual:e}");
        let rk4 = if model.group().is_some() { "rkmk4" } else { "rk4" };
        let method = model.method(rk4).unwrap_or_else(|| panic!("{name}"));
        instance.start(&method, &q, &v, &[], 0.01).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Two of one name differ in their group factors.
#[test]
fn names_are_found() {
    for on_group in [false, true] {
        assert_eq!(named("snakeboard", on_group).unwrap().on_group, on_group);
        assert!(named("euler_disk", on_group).is_some());
        assert!(named("euler_disc", on_group).is_none());
    }
}

/// What is conserved is conserved by the exact flow, and outputs can be added.
#[test]
fn conserved_quantities_are_recorded() {
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    for (name, on_group) in
        [("rotating_table_skate", false), ("chaplygin_ball", true), ("mobile_robot", false)]
    {
        let model = named(name, on_group).unwrap().load_with(&[("twice", Some("2*x"))]).unwrap();
        let parameters = model.defaults();
        let (q0, v0) = model.instance(&parameters).initial();
        let system = model.system().clone();
        let inputs = Inputs::Held(vec![0.0; system.inputs().len()]);
        let run = Run {
            system,
            scheme: Scheme::Exact,
            parameters,
            q0,
            v0,
            z0: Vec::new(),
            inputs,
            h: 0.1,
            steps: 20,
            every: 1,
            project: false,
            pose: None,
        };
        let recording = run.record(go_on).unwrap();
        for name in model.invariants() {
            let values = &recording.column(name).unwrap().values;
            let change = (values[20] - values[0]).abs();
            assert_eq!(change < 1e-12, name != "twice", "{name}: {change:e}");
        }
    }
    let wrong = named("sleigh_com", false).unwrap().load_with(&[("e", Some("z"))]);
    assert!(matches!(wrong, Err(Error::Declaration(_))));
}
