//! Steps of a controller allocate nothing.
#![allow(unsafe_code, reason = "an allocator that counts is one")]

use crate::systems;
use nhi_control::{Discrete, Dynamics, Mpc, Options, Problem, Quadratic};
use nhi_runtime::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() -> usize {
    COUNT.with(Cell::get)
}

fn note() {
    COUNT.with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// With and without active bounds of inputs and states, and with a condition at the end.
#[test]
fn steps_of_a_controller_allocate_nothing() {
    let h = 0.1;
    let sleigh = Discrete::new(&systems::sleigh(), Dla2, h).expect("steps");
    let mut x = sleigh.state(0, [0.0, 0.0, 1.5], [0.0, 1.0, 0.0]).expect("a state");
    let line = sleigh.state(0, [0.0; 3], [0.0, 1.0, 0.0]).expect("a state");
    let problem = Problem::new(&sleigh, 20, x)
        .cost("line", Quadratic::of_states(&[1.0, 0.0, 3.0, 0.1, 0.1], line))
        .cost("effort", Quadratic::of_inputs(&[0.01, 0.01]))
        .reach_entries(line, &[0])
        .bound_entries(line, &[0], (&[-0.3], &[0.3]))
        .bound_inputs(&[-1.0, -1.0], &[1.0, 1.0]);
    let mut mpc = Mpc::new(&problem, &Options::default()).expect("a plan");
    // Scratch of the recursion grows when it is first needed.
    let mut counts = [0, 0];
    for k in 0..80 {
        let before = count();
        let feedback = mpc.step(&x);
        let after = count();
        assert_eq!(feedback.failure, None);
        if k > 0 {
            assert_eq!(after - before, 0, "step {k} with {} iterations", feedback.iterations);
        }
        counts[usize::from(feedback.iterations > 0)] += 1;
        x = sleigh.step(k, &x, feedback.input).expect("a step");
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    let before = count();
    drop(std::hint::black_box(vec![1.0]));
    assert_eq!(count(), before + 1);
}
