//! Machine code in memory: everything that is unsafe about it.
//!
//! - [`symbols`] are the functions of the runtime that compiled code calls. They read and write arrays through pointers
//!   whose lengths the map of the group determines; `compile` passes arrays of these lengths.
//! - [`Code`] calls compiled functions. Their addresses never leave it, and it passes only slices of the lengths with which
//!   a function was compiled.
//! - [`Memory`] releases the memory of functions, after the last call.

#![allow(unsafe_code, reason = "calls of machine code, and calls from it")]

use crate::compile::status;
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use nhi_codegen::expr::group::Map;
use nhi_methods::Retraction;
use nhi_runtime::emitted::{self, Careful, Next, Saddle};
use nhi_runtime::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4};
use nhi_runtime::{Factor, Failure, Retracts, Scalar, Vector};
use std::cell::Cell;
use std::mem;
use std::slice;
use std::sync::Mutex;

/// (arguments, results) → status
type Plain = unsafe extern "C" fn(*const f64, *mut f64) -> i32;

/// (state, data, first step, number of steps, steps taken) → status
type Loop = unsafe extern "C" fn(*mut f64, *const f64, i64, i64, *mut i64) -> i32;

/// A compiled function of numbers: its place among those of the [`Code`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainId(pub(crate) usize);

/// A compiled loop over steps: its place among those of the [`Code`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopId(pub(crate) usize);

/// A function with the lengths of its two arrays.
struct Entry<F> {
    function: F,
    lengths: [usize; 2],
}

impl<F> Entry<F> {
    /// The function, for arrays of these lengths.
    fn function(&self, lengths: [usize; 2]) -> &F {
        assert_eq!(self.lengths, lengths, "lengths of the arrays of a compiled function");
        &self.function
    }
}

/// A module, whose memory is released with it: Cranelift leaves it allocated otherwise.
pub(crate) struct Memory {
    /// Taken when the memory is released.
    module: Option<JITModule>,
}

impl Memory {
    pub(crate) fn new(module: JITModule) -> Memory {
        Memory { module: Some(module) }
    }

    /// The module.
    pub(crate) fn module(&mut self) -> &mut JITModule {
        self.module.as_mut().expect("the module is there until it is dropped")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions are called by `Code` alone, which owns the memory and is borrowed by calls; their
            // addresses do not leave it.
            unsafe { module.free_memory() }
        }
    }
}

/// Compiled functions and their memory.
pub(crate) struct Code {
    plain: Vec<Entry<Plain>>,
    loops: Vec<Entry<Loop>>,
    /// Kept until the functions are dropped. The mutex makes it `Sync`.
    _memory: Mutex<Memory>,
}

impl Code {
    /// The functions of a finished module, which `compile` has written with the signatures [`Plain`] and [`Loop`] for arrays
    /// of these lengths: arguments and results, or state and data. Ids are their places.
    pub(crate) fn new(
        mut memory: Memory,
        plain: &[(FuncId, [usize; 2])],
        loops: &[(FuncId, [usize; 2])],
    ) -> Code {
        let module = memory.module();
        let plain = plain.iter().map(|&(id, lengths)| {
            // SAFETY: the function was compiled with this signature.
            let function = unsafe { mem::transmute::<*const u8, Plain>(module.get_finalized_function(id)) };
            Entry { function, lengths }
        });
        let plain = plain.collect();
        let loops = loops.iter().map(|&(id, lengths)| {
            // SAFETY: as above.
            let function = unsafe { mem::transmute::<*const u8, Loop>(module.get_finalized_function(id)) };
            Entry { function, lengths }
        });
        let loops = loops.collect();
        Code { plain, loops, _memory: Mutex::new(memory) }
    }

    /// Calls a function: its status.
    pub(crate) fn call(&self, id: PlainId, arguments: &[f64], results: &mut [f64]) -> i32 {
        let function = self.plain[id.0].function([arguments.len(), results.len()]);
        // SAFETY: the memory is released only when `self` is dropped. The function reads as many arguments and writes as
        // many results as it was compiled for, which are the lengths of the slices.
        unsafe { function(arguments.as_ptr(), results.as_mut_ptr()) }
    }

    /// Takes `count` steps after the first `steps` ones: the status and how many were taken.
    pub(crate) fn run(
        &self,
        id: LoopId,
        state: &mut [f64],
        data: &[f64],
        steps: u64,
        count: u64,
    ) -> (i32, u64) {
        let function = self.loops[id.0].function([state.len(), data.len()]);
        let mut taken = 0;
        // SAFETY: as above; the loop reads and writes a state of this length, and reads data of this length.
        let status = unsafe {
            function(state.as_mut_ptr(), data.as_ptr(), steps.cast_signed(), count.cast_signed(), &mut taken)
        };
        (status, taken.cast_unsigned())
    }
}

/// The functions of the runtime that compiled code calls: their symbols and addresses.
pub(crate) fn symbols() -> Vec<(String, *const u8)> {
    let start: unsafe extern "C" fn(f64, usize, *mut f64, i32) = start_carefully;
    let next: unsafe extern "C" fn(usize, *mut f64, *const &'static str) -> i32 = carefully;
    let end: unsafe extern "C" fn(usize, *const f64, *const &'static str) = not_converged;
    let newton = [
        ("start_carefully", start as *const u8),
        ("carefully", next as *const u8),
        ("not_converged", end as *const u8),
    ];
    let solve: unsafe extern "C" fn(usize, usize, usize, *mut f64) -> i32 = saddle_point;
    let linear = [("saddle_point", solve as *const u8)];
    let named = elementary().into_iter().chain(newton).chain(linear);
    named.map(|(name, address)| (name.to_owned(), address)).chain(maps()).collect()
}

/// Numbers in memory of linear equations for `n` velocities and `m` constraints: M, μ and ν, which have so many rows, f and r, and room
/// for sizes, scales and orders.
pub(crate) const fn numbers_of_saddle_point(n: usize, m: usize, rows: usize) -> usize {
    n * n + 2 * n * rows + 5 * n + 3 * m
}

/// Replaces f and r by x and λ; returns zero, or the status of a failure.
///
/// # Safety
/// `numbers` has [`numbers_of_saddle_point`], of which those of the equations have been written before.
unsafe extern "C" fn saddle_point(n: usize, m: usize, rows: usize, numbers: *mut f64) -> i32 {
    const { assert!(size_of::<usize>() <= size_of::<f64>() && align_of::<usize>() <= align_of::<f64>()) };
    let given = n * n + n * rows + n + m;
    // SAFETY: the caller's promise; what has not been written is written first, and the orders lie in the last 2 (n + m) numbers, which
    // are not used as numbers.
    let (numbers, order) = unsafe {
        numbers.add(given).write_bytes(0, numbers_of_saddle_point(n, m, rows) - given);
        let rest = numbers_of_saddle_point(n, m, rows) - 2 * (n + m);
        let order = slice::from_raw_parts_mut(numbers.add(rest).cast::<usize>(), 2 * (n + m));
        (slice::from_raw_parts_mut(numbers, rest), order)
    };
    let (mass, rest) = numbers.split_at_mut(n * n);
    let (mu, rest) = rest.split_at_mut(n * rows);
    let (rhs, rest) = rest.split_at_mut(n + m);
    let (sizes, scales) = rest.split_at_mut(n * rows);
    let solved = Saddle { n, mass, mu, rhs, sizes, scales, order }.solve();
    solved.map_or_else(status::of, |()| 0)
}

/// What [`carefully`] returns besides zero, where the iteration goes on: it is solved, or has failed.
pub(crate) const SOLVED: i32 = 1;
const FAILED: i32 = 2;

/// Numbers in memory of Newton's method with a safeguard for `n` unknowns: the unknowns, their update and their weights, the
/// points that [`Careful::next`] keeps, and its state.
pub(crate) const fn numbers_of_safeguard(n: usize) -> usize {
    5 * n + Careful::NUMBERS
}

/// # Safety
/// `numbers` has room for [`numbers_of_safeguard`].
unsafe extern "C" fn start_carefully(scale2: f64, n: usize, numbers: *mut f64, jumps: i32) {
    let careful = Careful::new(f64::EPSILON, scale2, jumps != 0);
    // SAFETY: the caller has reserved that many.
    unsafe {
        numbers.add(3 * n).write_bytes(0, 2 * n);
        write(&careful.numbers(), numbers.add(5 * n));
    }
}

thread_local! {
    /// The last failure of [`carefully`] or [`not_converged`] on this thread, which compiled code returns as a mere status.
    static LAST_UNSOLVED: Cell<Option<Failure>> = const { Cell::new(None) };
}

/// The last failure of an iteration on this thread.
pub(crate) fn unsolved() -> Option<Failure> {
    LAST_UNSOLVED.get()
}

/// # Safety
/// `numbers` has [`numbers_of_safeguard`], of which [`start_carefully`] has written the last ones before. `names` are `n` names of
/// equations.
unsafe extern "C" fn carefully(n: usize, numbers: *mut f64, names: *const &'static str) -> i32 {
    // SAFETY: the caller's promise; all of them have been written.
    let numbers = unsafe { slice::from_raw_parts_mut(numbers, numbers_of_safeguard(n)) };
    let [x, delta, weights, base, direction, state] = parts(numbers, n);
    let mut careful = Careful::of(std::array::from_fn(|i| state[i]));
    let next = careful.next(x, delta, weights, base, direction);
    state.copy_from_slice(&careful.numbers());
    match next {
        Next::At => 0,
        Next::Enclosed => SOLVED,
        Next::Updated | Next::Solved => {
            x.iter_mut().zip(delta).for_each(|(x, d)| *x += *d);
            if next == Next::Solved { SOLVED } else { 0 }
        }
        Next::Failed => {
            // SAFETY: the caller's promise; interned names are never released.
            let equations: &'static [&'static str] = unsafe { slice::from_raw_parts(names, n) };
            LAST_UNSOLVED.set(Some(careful.unsolved((x, delta, weights), equations)));
            FAILED
        }
    }
}

/// Numbers in memory of the failure of an iteration for `n` unknowns: the last update, the weights, ‖δ‖² and ‖x‖².
pub(crate) const fn numbers_of_failure(n: usize) -> usize {
    2 * n + 2
}

/// # Safety
/// `numbers` has [`numbers_of_failure`], all of them written. `names` are `n` names of equations.
unsafe extern "C" fn not_converged(n: usize, numbers: *const f64, names: *const &'static str) {
    // SAFETY: the caller's promise; interned names are never released.
    let (numbers, equations): (&[f64], &'static [&'static str]) =
        unsafe { (slice::from_raw_parts(numbers, numbers_of_failure(n)), slice::from_raw_parts(names, n)) };
    let (delta, rest) = numbers.split_at(n);
    let (weights, sizes) = rest.split_at(n);
    LAST_UNSOLVED.set(Some(emitted::unsolved((delta, weights), (sizes[0], sizes[1]), equations, 0)));
}

/// Five parts of `n` numbers, and the rest.
fn parts(numbers: &mut [f64], n: usize) -> [&mut [f64]; 6] {
    let (x, rest) = numbers.split_at_mut(n);
    let (delta, rest) = rest.split_at_mut(n);
    let (weights, rest) = rest.split_at_mut(n);
    let (base, rest) = rest.split_at_mut(n);
    let (direction, state) = rest.split_at_mut(n);
    [x, delta, weights, base, direction, state]
}

/// The symbol of a map of a group.
pub(crate) fn map_symbol(map: Map, group: &str, retraction: Retraction) -> String {
    format!("{group}_{}_{}", retraction.id(), map.name())
}

macro_rules! elementary {
    ($($name:ident)*) => {
        /// Functions of one number, those of two, and `sin_cos`, which stores its two results.
        fn elementary() -> Vec<(&'static str, *const u8)> {
            $(
                extern "C" fn $name(x: f64) -> f64 {
                    Scalar::$name(x)
                }
            )*
            extern "C" fn atan2(y: f64, x: f64) -> f64 {
                Scalar::atan2(y, x)
            }
            extern "C" fn powf(x: f64, y: f64) -> f64 {
                Scalar::powf(x, y)
            }
            /// # Safety
            /// `results` has room for two numbers.
            unsafe extern "C" fn sin_cos(x: f64, results: *mut f64) {
                let (sin, cos) = Scalar::sin_cos(x);
                // SAFETY: the caller has reserved two numbers.
                unsafe { write(&[sin, cos], results) }
            }
            vec![
                $((stringify!($name), $name as extern "C" fn(f64) -> f64 as *const u8),)*
                ("atan2", atan2 as extern "C" fn(f64, f64) -> f64 as *const u8),
                ("powf", powf as extern "C" fn(f64, f64) -> f64 as *const u8),
                ("sin_cos", sin_cos as unsafe extern "C" fn(f64, *mut f64) as *const u8),
            ]
        }
    };
}

elementary!(tan asin acos atan sinh cosh tanh exp ln);

/// # Safety
/// `from` points to as many numbers as the vector has.
unsafe fn read<V: Vector<f64>>(from: *const f64) -> V {
    let mut vector = V::splat(0.0);
    let entries = vector.as_mut();
    // SAFETY: the caller's promise.
    entries.copy_from_slice(unsafe { slice::from_raw_parts(from, entries.len()) });
    vector
}

/// # Safety
/// `to` has room for as many numbers.
unsafe fn write(numbers: &[f64], to: *mut f64) {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(to, numbers.len()) }.copy_from_slice(numbers);
}

/// (first argument, second argument, results); of a map of one argument the second is ignored.
type OfGroup = unsafe extern "C" fn(*const f64, *const f64, *mut f64);

macro_rules! define_maps {
    ($($map:ident $name:ident |$first:ident, $second:ident| $value:expr;)*) => {
        /// The maps of a group with one retraction.
        fn maps_with<G: Factor, R: Retracts<G>>() -> Vec<(Map, OfGroup)> {
            $(
                /// # Safety
                /// The pointers are to arguments of the map, and to room for its results.
                #[allow(clippy::extra_unused_type_parameters, reason = "some maps depend on the group alone")]
                unsafe extern "C" fn $name<G: Factor, R: Retracts<G>>(
                    $first: *const f64,
                    $second: *const f64,
                    results: *mut f64,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { write($value.as_ref(), results) }
                }
            )*
            vec![$((Map::$map, $name::<G, R>)),*]
        }
    };
}

define_maps! {
    Moved moved |g, sigma| R::moved(&read(g), &read(sigma));
    Start start |sigma, nu| R::dtau_inv_star(&read(sigma), &read(nu));
    End end |sigma, nu| R::dtau_left_inv_star(&read(sigma), &read(nu));
    Displaced displaced |g, sigma| G::displaced(&read(g), &read(sigma));
    Rate rate |sigma, xi| G::dexp_left_inv(&read(sigma), &read(xi));
    TangentLeft tangent_left |sigma, _ignored| R::dtau_left(&read(sigma));
    InverseTangent inverse_tangent |sigma, _ignored| R::dtau_inv(&read(sigma));
    StartTangent start_tangent |sigma, nu| R::k(&read(sigma), &read(nu));
    StartCurvature start_curvature |sigma, nu| R::k_tangent(&read(sigma), &read(nu));
}

/// The maps of a group with a retraction.
type Maps = fn(Retraction) -> Vec<(Map, OfGroup)>;

macro_rules! define_groups {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// All groups.
        const GROUPS: &[(&str, Maps)] = &[$((stringify!($group), of_group::<nhi_runtime::group::$group<f64>>)),*];
    };
}

nhi_runtime::for_each_group!(define_groups);

/// The maps of all groups with all retractions.
fn maps() -> Vec<(String, *const u8)> {
    let mut all = Vec::new();
    for (group, maps) in GROUPS {
        for retraction in Retraction::ALL {
            for (map, function) in maps(retraction) {
                all.push((map_symbol(map, group, retraction), function as *const u8));
            }
        }
    }
    all
}

fn of_group<G: Factor>(retraction: Retraction) -> Vec<(Map, OfGroup)>
where
    Exp: Retracts<G>,
    Cayley: Retracts<G>,
    Ccsk: Retracts<G>,
    Exp1: Retracts<G>,
    Exp2: Retracts<G>,
    Exp4: Retracts<G>,
{
    match retraction {
        Retraction::Exp => maps_with::<G, Exp>(),
        Retraction::Cayley => maps_with::<G, Cayley>(),
        Retraction::Ccsk => maps_with::<G, Ccsk>(),
        Retraction::Exp1 => maps_with::<G, Exp1>(),
        Retraction::Exp2 => maps_with::<G, Exp2>(),
        Retraction::Exp4 => maps_with::<G, Exp4>(),
    }
}
