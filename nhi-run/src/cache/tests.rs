//! Systems from the cache move as those that are derived. By default, each model by one of its methods, and the derivatives of some
//! of these.

use super::file::{self, UNFINISHED};
use super::{Cache, Contents, EXTENSION};
use crate::model::{MODELS, Model};
use crate::{Inputs, Run, Scheme, System};
use nhi_jit::Point;
use nhi_methods::{Method, Variant};
use nhi_tiers::{amount, exhaustive};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::{Duration, SystemTime};
use std::{env, fs, process, thread};

const SLEIGH: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
        constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
        methods(Dla2, Rk4)
    )]
    struct Sleigh { J: f64, m: f64, a: f64 }
";

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        Folder(env::temp_dir().join(format!("nhi-cache-{}-{test}", process::id())))
    }

    /// A cache of all systems, of any size.
    fn cache(&self) -> Cache {
        Cache { folder: self.0.clone(), most_bytes: u64::MAX, patience: Duration::ZERO }
    }

    /// The names of its files, in order.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).into_iter().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sleigh(cache: Option<Cache>) -> System {
    System::cached(SLEIGH, "sleigh.rs", None, &[], cache).expect("a system")
}

/// All numbers of a run.
fn numbers(system: &System, variant: Variant, [parameters, q0, v0]: [&[f64]; 3], steps: u64) -> Vec<u64> {
    let run = Run {
        scheme: Scheme::Steps(variant),
        parameters: parameters.to_vec(),
        q0: q0.to_vec(),
        v0: v0.to_vec(),
        z0: Vec::new(),
        inputs: Inputs::Held(vec![0.1; system.inputs().len()]),
        h: 0.01,
        steps,
        every: 1,
        // Position constraints of some models hold up to rounding.
        project: true,
        pose: None,
        system: system.clone(),
    };
    let recording = run.record(&mut |_| ControlFlow::Continue(())).expect("a run");
    recording.columns.iter().flat_map(|column| &column.values).map(|x| x.to_bits()).collect()
}

fn steps_of_a_sleigh(system: &System, method: Method) -> Vec<u64> {
    numbers(system, method.into(), [&[1.0, 1.0, 0.2], &[0.0; 3], &[1.0, 0.5, 0.2]], 20)
}

#[test]
fn models_from_the_cache_move_as_derived_ones() {
    let folder = Folder::new("models");
    for (i, bundled) in MODELS.iter().enumerate() {
        let model = bundled.load().expect("a model");
        let parameters = model.defaults();
        let (q0, v0) = model.instance(&parameters).initial();
        let start: [&[f64]; 3] = [&parameters, &q0, &v0];
        let derived = model.system();
        let read = |cache| {
            let outputs = [("twice", Some("2*t"))];
            System::cached(bundled.declaration, "model.rs", Some(derived.name()), &outputs, cache)
                .expect("a system")
        };
        let methods: Vec<Method> = derived.methods().collect();
        let methods = if exhaustive() { &methods[..] } else { &methods[i % methods.len()..][..1] };
        for &method in methods {
            let variant = Variant::from(method);
            let expected = numbers(&read(None), variant, start, 50);
            let first = read(Some(folder.cache()));
            assert_eq!(first.forewarning(variant), derived.forewarning(variant));
            assert_eq!(numbers(&first, variant, start, 50), expected, "{} by {variant}", bundled.name);
            let second = read(Some(folder.cache()));
            assert_eq!(second.forewarning(variant), derived.forewarning(variant));
            assert_eq!(numbers(&second, variant, start, 50), expected, "{} by {variant}", bundled.name);
            assert!(!second.is_derived(), "{} by {variant}", bundled.name);
            assert_eq!(format!("{:?}", second.manifold()), format!("{:?}", derived.manifold()));
        }
    }
}

/// Functions of derivatives are those that were derived, and their numbers, too.
#[test]
fn derivatives_from_the_cache_are_the_same() {
    let folder = Folder::new("derivatives");
    for bundled in MODELS.iter().step_by(amount(9, 1)) {
        let model = bundled.load().expect("a model");
        let parameters = model.defaults();
        let (q0, v0) = model.instance(&parameters).initial();
        let name = model.system().name();
        let read = |cache| {
            System::cached(bundled.declaration, "model.rs", Some(name), &[], cache).expect("a system")
        };
        let numbers = |system: &System, variant: Variant| {
            let inputs = vec![0.1; system.inputs().len()];
            let z = vec![0.0; system.states().len()];
            let at = Point { parameters: &parameters, q: &q0, v: &v0, z: &z, t: 0.0, inputs: &inputs };
            let lambda = vec![0.0; system.constraints().len()];
            let basis = system.basis().expect("a basis").at(&at);
            let rate = system.basis_derivative().expect("its derivative");
            let [_, d] = system.basis().expect("a basis").sizes();
            let rate = rate.at(&at, &vec![0.3; d]);
            let text = format!("sin({}) + t", system.coordinates()[0]);
            let formulas = system.formulas(&[("a cost", &text)]).map(|formulas| formulas.count());
            let first = system.derivatives(variant);
            let first = first.map(|first| format!("{:?}", first.linearize(&at, &lambda, 0.01)));
            let second = system.second_derivatives(variant);
            let second = second.map(|second| {
                let w = vec![0.7; second.tangent_coordinates()];
                format!("{:?}", second.curvature(&at, &lambda, 0.01, &w))
            });
            format!("{basis:?} {rate:?} {formulas:?} {first:?} {second:?}")
        };
        let method = model.system().methods().next().expect("a method");
        let expected = numbers(&read(None), method.into());
        assert_eq!(numbers(&read(Some(folder.cache())), method.into()), expected, "{}", bundled.name);
        let second = read(Some(folder.cache()));
        assert_eq!(numbers(&second, method.into()), expected, "{}", bundled.name);
        assert!(!second.is_derived(), "{}", bundled.name);
    }
}

/// Wherever a file is damaged or cut, it is derived and written anew.
#[test]
fn damaged_files_are_written_anew() {
    let folder = Folder::new("damaged");
    let expected = steps_of_a_sleigh(&sleigh(Some(folder.cache())), Method::Dla2);
    let whole: Vec<(PathBuf, Vec<u8>)> =
        (folder.files().into_iter()).map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect();
    assert_eq!(whole.len(), 3, "facts, functions and those of the method");
    for (path, bytes) in &whole {
        let mut damaged = vec![Vec::new(), bytes[..bytes.len() / 2].to_vec(), [&bytes[..], b"?"].concat()];
        for place in [0, 15, bytes.len() / 2, bytes.len() - 10, bytes.len() - 1] {
            damaged.push(bytes.clone());
            damaged.last_mut().expect("that one")[place] ^= 1;
        }
        for content in damaged {
            fs::write(path, &content).expect("written");
            let system = sleigh(Some(folder.cache()));
            assert_eq!(steps_of_a_sleigh(&system, Method::Dla2), expected);
            assert!(system.is_derived(), "{} bytes are read", content.len());
            assert_eq!(&fs::read(path).expect("a file"), bytes, "the file is written anew");
        }
    }
    assert_eq!(folder.files().len(), whole.len());
}

/// Content of a right checksum that is no function is not used either.
#[test]
fn functions_that_contradict_themselves_are_not_read() {
    let folder = Folder::new("unsound");
    let parts = folder.cache().parts_of("a declaration");
    let system = sleigh(None);
    let mut function = nhi_codegen::optimised::basis_function(system.mechanics().expect("equations"));
    parts.keep("basis", &function, Duration::ZERO);
    let read: nhi_codegen::lower::Function = parts.read("basis").expect("it is kept");
    assert!(read.computes_the_same_as(&function) && read.names == function.names && read.doc == function.doc);
    function.names.pop();
    parts.keep("basis", &function, Duration::ZERO);
    assert!(parts.read::<nhi_codegen::lower::Function>("basis").is_none());
}

/// Two keys of one hash would be in one file.
#[test]
fn a_file_of_another_key_is_not_read() {
    let folder = Folder::new("key");
    fs::create_dir_all(&folder.0).expect("a folder");
    let path = folder.0.join(format!("0.{EXTENSION}"));
    file::write(&path, "a key", b"content").expect("written");
    assert_eq!(file::read(&path, "a key").as_deref(), Some(&b"content"[..]));
    assert_eq!(file::read(&path, "a kez"), None);
    assert_eq!(file::read(&path, "a ke"), None);
}

/// Other declarations and methods have other files, and formats and outputs have none.
#[test]
fn keys_are_declarations_and_methods() {
    let folder = Folder::new("keys");
    let files = |source: &str, outputs: &[(&str, Option<&str>)], method: Method| {
        let system = System::cached(source, "", None, outputs, Some(folder.cache())).expect("a system");
        steps_of_a_sleigh(&system, method);
        folder.files().len()
    };
    assert_eq!(files(SLEIGH, &[], Method::Dla2), 3);
    assert_eq!(files(SLEIGH, &[("twice", Some("2*x"))], Method::Dla2), 3);
    assert_eq!(files(&SLEIGH.replace("\n    ", "\n"), &[], Method::Dla2), 3);
    assert_eq!(files(SLEIGH, &[], Method::Rk4), 4);
    assert_eq!(files(&SLEIGH.replace("m/2", "m/3"), &[], Method::Dla2), 7);
}

#[test]
fn what_is_derived_at_once_is_not_kept() {
    let folder = Folder::new("short");
    let cache = Cache { patience: Duration::from_secs(3600), ..folder.cache() };
    steps_of_a_sleigh(&sleigh(Some(cache)), Method::Dla2);
    assert!(!folder.0.exists());
}

/// Once a system has taken long, all of its parts are kept, those before among them.
#[test]
fn short_parts_of_long_systems_are_kept() {
    let folder = Folder::new("long");
    let parts = Cache { patience: Duration::from_secs(2), ..folder.cache() }.parts_of("a declaration");
    parts.keep("first", &1_usize, Duration::from_secs(1));
    assert_eq!(parts.read::<usize>("first"), None);
    parts.keep("second", &2_usize, Duration::from_secs(1));
    parts.keep("third", &3_usize, Duration::ZERO);
    assert_eq!(["first", "second", "third"].map(|name| parts.read(name)), [Some(1), Some(2), Some(3)]);
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let folder = Folder::new("unwritable");
    fs::write(&folder.0, "a file").expect("written");
    let cache = Cache { folder: folder.0.join("nhi"), ..folder.cache() };
    let expected = steps_of_a_sleigh(&sleigh(None), Method::Dla2);
    assert_eq!(steps_of_a_sleigh(&sleigh(Some(cache)), Method::Dla2), expected);
    fs::remove_file(&folder.0).expect("removed");
}

/// Files that were used last stay.
#[test]
fn the_oldest_files_are_removed() {
    let folder = Folder::new("bounded");
    let cache = folder.cache();
    let parts = cache.clone().parts_of("a declaration");
    let age = |name: &str, seconds: u64| {
        let path = cache.path(&parts.key_of(name));
        let time = SystemTime::now() - Duration::from_secs(seconds);
        let file = fs::File::options().append(true).open(path).expect("a file");
        file.set_modified(time).expect("its time");
    };
    for (name, seconds) in [("first", 300), ("second", 200), ("third", 100)] {
        parts.keep(name, &1_usize, Duration::ZERO);
        age(name, seconds);
    }
    let Contents { files, bytes } = cache.contents().expect("a folder");
    assert_eq!(files, 3);
    assert_eq!(parts.read::<usize>("first"), Some(1));
    let bounded = Cache { most_bytes: bytes, ..cache.clone() };
    bounded.parts_of("a declaration").keep("fourth", &1_usize, Duration::ZERO);
    let kept = ["first", "second", "third", "fourth"].map(|name| cache.path(&parts.key_of(name)).exists());
    assert_eq!(kept, [true, false, true, true]);
}

#[test]
fn a_cleared_cache_is_empty() {
    let folder = Folder::new("cleared");
    let cache = folder.cache();
    assert_eq!(cache.clear().expect("no folder"), Contents::default());
    steps_of_a_sleigh(&sleigh(Some(cache.clone())), Method::Dla2);
    let other = folder.0.join("somebody.else");
    fs::write(&other, "text").expect("written");
    fs::write(folder.0.join(format!("0.1.{UNFINISHED}")), "text").expect("written");
    let contents = cache.contents().expect("a folder");
    assert_eq!(contents.files, 4);
    assert_eq!(cache.clear().expect("removed"), contents);
    assert_eq!(folder.files(), [other]);
}

/// Whoever reads while others write, and whoever removes files meanwhile.
#[test]
fn several_may_use_one_folder() {
    let folder = Folder::new("several");
    let expected = steps_of_a_sleigh(&sleigh(None), Method::Dla2);
    let together = Barrier::new(4);
    let (folder, expected, together) = (&folder, &expected, &together);
    thread::scope(|scope| {
        for i in 0..4 {
            scope.spawn(move || {
                for _ in 0..amount(10, 100) {
                    together.wait();
                    assert_eq!(&steps_of_a_sleigh(&sleigh(Some(folder.cache())), Method::Dla2), expected);
                    if i == 0 {
                        folder.cache().clear().expect("removed");
                    }
                }
            });
        }
    });
    let is_whole = |path: &PathBuf| Path::extension(path).is_some_and(|is| is == EXTENSION);
    assert!(folder.files().iter().all(is_whole), "{:?}", folder.files());
}
