//! The programs of every model with a group factor as the scheme builder writes them and after the
//! passes: both give the same numbers, up to rounding, at random parameters and states, with the maps
//! of the groups by the runtime.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::group::{GROUPS, Group, Map, Part};
use nhi_codegen::expr::{Expr, Pool};
use nhi_codegen::lower::lower;
use nhi_codegen::method::SystemPrograms;
use nhi_codegen::optimise::{optimise, split};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Program};
use nhi_codegen::source::structs;
use nhi_interpreter::{Options, prepared, run_program};
use nhi_methods::Retraction;
use nhi_runtime::Factor;
use nhi_runtime::group::*;
use std::path::Path;

/// As of the programs on R^n: rounding of some hundred operations and of a converged Newton iteration.
const ROUNDING: f64 = 1e-10;

/// Parameters and states per model.
const STATES: u64 = 4;

macro_rules! same_groups {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        #[test]
        fn groups_are_those_of_the_runtime() {
            let runtime = [$((stringify!($group), <$group<f64> as Factor>::NAME)),*];
            assert!(GROUPS.iter().map(|group| (group.runtime, group.notation)).eq(runtime));
        }
    };
}

nhi_runtime::for_each_group!(same_groups);

#[test]
fn numbers_of_maps_that_are_left_out_are_zero_with_every_retraction() {
    let mut random = Random(5);
    for group in GROUPS {
        for map in [Map::TangentLeft, Map::InverseTangent, Map::StartTangent, Map::StartCurvature] {
            let mut pool = Pool::default();
            let lengths = map.arguments(group);
            let names: Vec<Vec<Expr>> = (lengths.iter().zip(["sigma", "nu"]))
                .map(|(&n, name)| (0..n).map(|i| pool.symbol(&format!("{name}_{i}"))).collect())
                .collect();
            let names: Vec<&[Expr]> = names.iter().map(Vec::as_slice).collect();
            let given = map.apply(&mut pool, group, &names);
            let zeros: Vec<usize> = (0..given.len()).filter(|&i| pool.is_zero(given[i])).collect();
            let translations = group.dimension - group.rotations;
            let expected = match map {
                Map::StartTangent => translations * translations,
                Map::StartCurvature => translations * translations * (3 * group.rotations + translations),
                _ => translations * group.rotations,
            };
            assert_eq!(zeros.len(), expected, "{} {}", group.name, map.name());
            let arguments: Vec<Vec<f64>> = lengths.iter().map(|&n| random.list(n)).collect();
            for retraction in Retraction::ALL {
                let numbers = nhi_interpreter::map(map, group, retraction, &arguments);
                assert!(zeros.iter().all(|&i| numbers[i] == 0.0), "{} {retraction:?}", group.name);
            }
        }
    }
}

/// Every declaration with a group factor in the files of the `models` crate, with its methods.
fn models() -> Vec<Derived> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src/lie");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut models = Vec::new();
    for file in files {
        for input in structs(&std::fs::read_to_string(&file).unwrap()).unwrap() {
            let declaration = Declaration::parse(&input).expect("no mistakes");
            models.push(Derived::new(declaration, &mut BuiltIn).expect("derivable"));
        }
    }
    models.retain(|derived| !derived.mechanics.system.group.is_trivial());
    models
}

/// Numbers of [−1, 1], the same in every run.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }

    fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }

    /// A configuration with `shape` coordinates.
    fn configuration(&mut self, shape: usize, group: &Group) -> Vec<f64> {
        let mut q = self.list(shape);
        for part in group.pose {
            match part {
                Part::Matrix => q.extend(<SO3<f64> as Factor>::displaced(&UPRIGHT, &self.numbers())),
                Part::Number | Part::Vector => q.extend(self.list(part.entries())),
            }
        }
        q
    }
}

const UPRIGHT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The results of a program before the passes, which are those after them, unless it fails in both.
fn compare(
    derived: &Derived,
    (of, raw): (&Pool, &Program),
    in_parts: bool,
    retraction: Retraction,
    arguments: &[Vec<f64>],
) -> Option<Vec<Vec<f64>>> {
    let name = format!("{}, {}", derived.mechanics.system.name, raw.name);
    let (mut pool, isolated) = raw.isolated(of);
    let optimised = optimise(&mut pool, &mut Constants::default(), &isolated);
    optimised.validate(&pool);
    let options = Options { retraction, strict: true };
    let raw = run_program(of, raw, arguments, options);
    let mut others = vec![run_program(&pool, &optimised, arguments, options)];
    if in_parts {
        // Parameters and step size come first.
        let parts = split(&pool, &optimised);
        let prepare = lower(&mut pool, &mut Constants::default(), &parts.prepare);
        others.push(prepared(&prepare, &arguments[..2], options).and_then(|kept| {
            let arguments = [&[kept.concat()], &arguments[2..]].concat();
            run_program(&pool, &parts.step, &arguments, options)
        }));
    }
    let Ok(raw) = raw else {
        assert!(others.iter().all(Result::is_err), "{name}: fails before the passes only");
        return None;
    };
    let scale = raw.iter().flatten().fold(1.0, |a: f64, x| a.max(x.abs()));
    for other in others {
        let other = other.unwrap_or_else(|e| panic!("{name}: {e} after the passes"));
        assert_eq!(raw.concat().len(), other.concat().len(), "{name}");
        for (x, y) in raw.iter().flatten().zip(other.iter().flatten()) {
            assert!((x - y).abs() <= ROUNDING * scale, "{name}: {x} and {y} beside {scale}");
        }
    }
    Some(raw)
}

#[test]
fn passes_keep_every_method_of_every_model() {
    let (mut compared, mut failed) = (0, 0);
    for derived in models() {
        let system = &derived.mechanics.system;
        let group = system.group.only().expect("a group");
        for (seed, retraction) in (0..STATES).zip(Retraction::ALL.into_iter().cycle()) {
            let mut random = Random(seed);
            let parameters: Vec<f64> =
                random.list(system.parameters.len()).into_iter().map(|x| 1.0 + x / 2.0).collect();
            let q = random.configuration(system.shape(), group);
            let v = random.list(system.velocities.len());
            let later = [vec![0.3], random.list(system.inputs.len())];
            let pool = &system.pool;
            let mut run = |pool: &Pool, program: &Program, in_parts: bool, arguments: &[Vec<f64>]| {
                let result = compare(&derived, (pool, program), in_parts, retraction, arguments);
                if result.is_some() {
                    compared += 1
                } else {
                    failed += 1
                }
                result
            };
            let given = [vec![parameters.clone(), q.clone(), v], later.to_vec()].concat();
            let Some(v) = run(pool, &derived.system.project, false, &given) else { continue };
            let state = [vec![parameters.clone(), q.clone(), v.concat()], later.to_vec()].concat();
            let SystemPrograms { energy, momentum, residual, acceleration, .. } = &derived.system;
            for program in [energy, momentum, residual] {
                run(pool, program, false, &state[..program.inputs.len()]);
            }
            // Without auxiliary states.
            run(pool, acceleration, false, &[&state[..3], &[Vec::new()], &state[3..]].concat());
            for method in &derived.methods {
                for (_, start) in &method.starts {
                    let start_at = [
                        vec![parameters.clone(), vec![0.05], q.clone(), v.concat(), Vec::new()],
                        later.to_vec(),
                    ];
                    let Some(started) = run(&method.pool, start, false, &start_at.concat()) else { continue };
                    let step_from = [vec![parameters.clone(), vec![0.05]], started, later.to_vec()];
                    run(&method.pool, &method.step, true, &step_from.concat());
                }
            }
        }
    }
    // A mass matrix that is positive for admissible velocities alone suffices for projections and accelerations, not for all steps.
    assert!(compared > 1500 && failed < compared / 10, "{compared} compared, {failed} failed");
}
