//! Every trajectory of the reference data, by the code of `nhi check`.

use nhi_cli::{Problem, Report};
use nhi_models::{Family, MODELS, common_methods, method, model};
use nhi_run::model::{Declared, loaded};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Methods of the reference data that are not here. The list is exact.
const MISSING_METHODS: [&str; 0] = [];
/// Models of the reference data that are not here. The list is exact.
const MISSING_MODELS: [&str; 0] = [];

/// The JSON files of a folder of the reference data, sorted.
fn paths(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
}

/// The files on R^n, sorted, as (path, model, method).
fn files() -> Vec<(PathBuf, String, String)> {
    let paths = paths("rn");
    let named = paths.into_iter().map(|path| {
        let (model, method) = path.file_stem().unwrap().to_str().unwrap().split_once("__").unwrap();
        let (model, method) = (model.to_owned(), method.to_owned());
        (path, model, method)
    });
    named.collect()
}

/// All models, as the command runs them: what rustc compiles computes the same bits.
fn models() -> Vec<&'static Declared> {
    let all = nhi_run::model::MODELS.iter();
    all.map(|model| loaded(model.name, model.on_group).unwrap()).collect()
}

fn check(text: &str) -> Report {
    Problem::parse(text, &models()).unwrap().check().unwrap()
}

/// How many numbers the samples of a file hold: t, q, v, p and the energy, p before and after the
/// reflection, and the invariants that the data have.
fn numbers(model_name: &str, method_name: &str) -> usize {
    let n = model(model_name).unwrap().coordinates().len();
    let reflecting = method(method_name).is_some_and(|method| method.family == Family::Gni);
    let vectors = if reflecting { 5 } else { 3 };
    let invariants = match model_name {
        "contact_oscillator" | "perturbed_oscillator" | "nh_particle" | "nh_particle_harmonic" => 1,
        "vertical_disk" | "knife_incline" | "rotating_table_skate" => 1,
        _ => 0,
    };
    21 * (2 + vectors * n + invariants)
}

#[test]
fn every_trajectory_is_reproduced() {
    let mut deviations = Vec::new();
    for (path, model_name, method_name) in files() {
        if MISSING_METHODS.contains(&method_name.as_str()) || MISSING_MODELS.contains(&model_name.as_str()) {
            continue;
        }
        let report = check(&std::fs::read_to_string(&path).unwrap());
        assert_eq!(report.compared, numbers(&model_name, &method_name), "{}", path.display());
        let composed = method(&method_name).is_some_and(|method| method.family == Family::Composed);
        assert_eq!(report.tolerance, if composed { 1e-10 } else { 1e-11 });
        if !report.agrees() {
            deviations.push(format!("{}: {report}", path.display()));
        }
    }
    assert!(deviations.is_empty(), "{}", deviations.join("\n"));
}

#[test]
fn every_model_meets_every_method() {
    let files = files();
    let models: BTreeSet<_> = files.iter().map(|(_, model, _)| model.as_str()).collect();
    let methods: BTreeSet<_> = files.iter().map(|(_, _, method)| method.as_str()).collect();
    assert_eq!(files.len(), models.len() * methods.len());
    let missing: Vec<_> = models.iter().copied().filter(|name| model(name).is_none()).collect();
    assert_eq!(missing, MISSING_MODELS);
    let missing: Vec<_> =
        methods.iter().copied().filter(|id| *id != "exact" && method(id).is_none()).collect();
    assert_eq!(missing, MISSING_METHODS);
}

/// Models and methods without reference data, which rely on the other tests. The lists are exact.
#[test]
fn what_has_no_reference_data() {
    let files = files();
    let models = MODELS.iter().map(|model| model.name());
    let models: Vec<_> = models.filter(|name| !files.iter().any(|(_, model, _)| model == name)).collect();
    let without = [
        "contact_oscillator_gauged",
        "gearbox_reversible",
        "gearbox",
        "gearbox_asymmetric",
        "gearbox_both",
        "tractor",
    ];
    assert_eq!(models, without);
    let methods = common_methods().iter().map(|method| method.id);
    let methods: Vec<_> = methods.filter(|id| !files.iter().any(|(_, _, method)| method == id)).collect();
    assert_eq!(methods, ["dla2_yoshida6", "dla2_kahanli8", "rattle_restarted"]);
}

#[test]
fn every_trajectory_of_the_frame_method_is_reproduced() {
    let mut checked = 0;
    for path in paths("frame") {
        let (model_name, method_name) = path.file_stem().unwrap().to_str().unwrap().split_once("__").unwrap();
        let report = check(&std::fs::read_to_string(&path).unwrap());
        // Without invariants of models.
        let n = model(model_name).unwrap().coordinates().len();
        assert_eq!((method_name, report.compared), ("frame", 21 * (2 + 3 * n)), "{}", path.display());
        assert_eq!(report.tolerance, 1e-11);
        assert!(report.agrees(), "{}: {report}", path.display());
        checked += 1;
    }
    assert_eq!(checked, 9);
}

#[test]
fn every_trajectory_on_groups_is_reproduced() {
    let (mut deviations, mut checked) = (Vec::new(), 0);
    for path in paths("lie") {
        // Vectors to test the groups' maps with, for the tests of the runtime.
        if path.ends_with("group_maps.json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let case: serde_json::Value = serde_json::from_str(&text).unwrap();
        let report = Problem::parse(&text, &models()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let report = report.check().unwrap();
        let samples = case["samples"].as_array().unwrap();
        // k and what is not compared: z, p_plus and the residual.
        let sample = |sample: &serde_json::Value| -> usize {
            let count = |name| sample[name].as_array().map_or(0, Vec::len);
            // The last row of a motion of space.
            let rows = if count("g") == 16 { 4 } else { 0 };
            // Of the momentum of the Suslov methods the first two components.
            2 + count("r") + count("g") - rows + count("v") + count("M").min(2)
        };
        assert_eq!(report.compared, samples.iter().map(sample).sum::<usize>(), "{}", path.display());
        if !report.agrees() {
            deviations.push(format!("{}: {report}", path.display()));
        }
        checked += 1;
    }
    assert!(deviations.is_empty(), "{}", deviations.join("\n"));
    assert_eq!(checked, 120);
}

/// A wrong digit is found in what only groups have; a full turn of the heading is none.
#[test]
fn deviations_on_groups_are_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lie");
    for file in ["snakeboard__rdp__cay__a05", "se3_body__rdp__exp__a05", "disk__rdp__exp__a05"] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("json")).unwrap();
        let check_one = check;
        let check = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut case: serde_json::Value = serde_json::from_str(&text).unwrap();
            change(case["samples"].as_array_mut().unwrap().last_mut().unwrap());
            check_one(&case.to_string())
        };
        for (field, index) in [("r", 0), ("g", 0), ("g", 2), ("v", 1), ("E", 0)] {
            let shifted = |by: f64| {
                move |sample: &mut serde_json::Value| {
                    let entry = &mut sample[field];
                    let entry = if entry.is_array() { &mut entry[index] } else { entry };
                    if let Some(x) = entry.as_f64() {
                        *entry = (x + by).into();
                    }
                }
            };
            // No shape, or one that stands behind the pose.
            if field == "r" && !file.starts_with("snakeboard") {
                continue;
            }
            let report = check(&shifted(1e-9));
            assert!(!report.agrees(), "{file} {field}: {report}");
            let turned = check(&shifted(std::f64::consts::TAU));
            let heading = field == "g" && index == 0 && !file.starts_with("se3");
            assert_eq!(turned.agrees(), heading, "{file} {field}: {turned}");
        }
    }
}

/// One wrong digit in any kind of entry is found.
#[test]
fn deviations_are_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/rn");
    let text = std::fs::read_to_string(folder.join("vertical_disk__rattle.json")).unwrap();
    for field in ["t", "q", "v", "p", "energy", "p_pre", "p_post", "p_phi"] {
        let mut case: serde_json::Value = serde_json::from_str(&text).unwrap();
        let entry = &mut case["samples"][20][field];
        let entry = if entry.is_array() { &mut entry[2] } else { entry };
        let wrong = entry.as_f64().unwrap() + 1e-9;
        *entry = wrong.into();
        let report = check(&case.to_string());
        assert!(!report.agrees(), "{field}: {report}");
        assert!(report.entry.starts_with(&format!("samples[20].{field}")), "{field}: {report}");
    }
}
