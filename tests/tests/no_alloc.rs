//! Steps allocate nothing: every method, compositions and retractions included, on every model.
#![allow(unsafe_code, reason = "an allocator that counts is one")]

use nhi_models::{GROUP_MODELS, MODELS};
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

#[test]
fn the_allocator_counts() {
    let before = count();
    drop(std::hint::black_box(vec![1.0]));
    assert_eq!(count(), before + 1);
}

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = m/2*(omega^2 + v^2 + w^2),
    constraints(w - a*omega),
)]
struct Sleigh {
    m: f64,
    a: f64,
}

/// Momenta are computed where they are asked for, without allocations.
#[test]
fn momenta_allocate_nothing() {
    let sleigh = Sleigh { m: 1.0, a: 0.2 };
    let simulation = Simulation::new(sleigh, Rdp, [0.0; 3], [1.0, 0.5, 0.2], 0.01).unwrap();
    let before = count();
    let momenta = simulation.nonholonomic_momentum().fold([0.0; 2], |[_, last], next| [last, next]);
    assert_eq!(count(), before);
    assert_eq!(momenta, [1.04, 0.5]);
}

#[test]
fn steps_allocate_nothing() {
    for model in MODELS.iter().chain(GROUP_MODELS) {
        let instance = model.instance(&model.defaults());
        let (q, v) = instance.initial();
        let inputs = vec![0.1; model.inputs().len()];
        for method in model.methods() {
            let name = format!("{} on {}", method.id, model.name());
            let started = instance.start(method, &q, &v, &inputs, 0.01);
            let mut simulation = started.unwrap_or_else(|e| panic!("{name}: {e}"));
            let before = count();
            let stepped = simulation.advance(20).and_then(|()| simulation.step_with(&inputs));
            let allocations = count() - before;
            stepped.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(allocations, 0, "{name}");
        }
    }
}
