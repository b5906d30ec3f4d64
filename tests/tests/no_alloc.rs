//! Steps allocate nothing: every method, compositions and retractions included, on every model.
#![allow(unsafe_code, reason = "an allocator that counts is one")]

use nhi_models::{GROUP_MODELS, MODELS, Row, chaotic_r7, lie, sleigh_com};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System as Declared};
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

/// Many steps at once: in closed form, by Newton's method, on a group, and of a composition.
#[test]
fn many_steps_at_once_allocate_nothing() {
    fn check<S: Declared + Clone, M: Method<S>>(row: &Row<S>, method: M) {
        let (q, v) = row.start(&row.example());
        let mut simulation = Simulation::new(row.example(), method, q, v, 0.01).unwrap();
        let before = count();
        let advanced = simulation.advance(3_000).and_then(|()| simulation.advance_fused(3_000));
        let allocations = count() - before;
        assert_eq!((advanced, allocations), (Ok(()), 0), "{}", row.name);
    }

    check(&chaotic_r7::MODEL, Dla2);
    check(&chaotic_r7::MODEL, Compose::suzuki4(Dla2));
    check(&sleigh_com::MODEL, Dla2);
    check(&sleigh_com::MODEL, Rattle);
    check(&lie::chaplygin_sleigh::MODEL, Rdp);
}

/// Steps whose sizes follow from a tolerance, among them rejected ones, and shortened ones to a time.
#[test]
fn adaptive_steps_allocate_nothing() {
    fn check<S: Declared + Clone, M: Method<S>>(row: &Row<S>, method: M)
    where
        M::State<f64>: nhi_runtime::AnyStepSize,
    {
        let (q, v) = row.start(&row.example());
        let builder = Simulation::builder(row.example(), method).start(q, v);
        let mut simulation = builder.tolerance(1e-7).build().unwrap();
        let before = count();
        let ran = (1..=20).try_for_each(|k| simulation.run_until(0.5 * f64::from(k)));
        let stepped = ran.and_then(|()| simulation.step());
        let allocations = count() - before;
        assert_eq!((stepped, allocations), (Ok(()), 0), "{}", row.name);
        assert!(simulation.rejections() > 0, "{}", row.name);
    }

    check(&chaotic_r7::MODEL, Dla2);
    check(&chaotic_r7::MODEL, Compose::suzuki4(Dla2));
    check(&lie::chaplygin_sleigh::MODEL, Rdp);
}

/// Three blocks of trajectories on one and on several threads. Threads allocate nothing; who gives them
/// work from outside may have to lengthen their queue, for a call and not for a step.
#[test]
fn ensembles_allocate_nothing() {
    fn check<S: Declared + Clone + Send + Sync, M: Method<S> + Clone + Send + Sync>(row: &Row<S>, method: M) {
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let all = (0..150).map(|_| row.start(&row.example()));
            let mut ensemble = Ensemble::new(row.example(), method.clone(), all, 0.01).unwrap();
            // What threads allocate once, when they first look for work.
            pool.install(|| ensemble.advance(1));
            for steps in [1, 100, 600] {
                let inside = || pool.broadcast(|_| count()).into_iter().sum::<usize>();
                let (threads_before, before) = (inside(), count());
                pool.install(|| ensemble.advance(steps));
                let outside = count() - before;
                assert_eq!(inside() - threads_before, 0, "{} on {threads} threads", row.name);
                assert!(outside <= 1, "{}: {outside} for {steps} steps", row.name);
            }
            assert_eq!((ensemble.steps(), ensemble.failures().count()), (702, 0));
        }
    }

    check(&chaotic_r7::MODEL, Dla2);
    check(&sleigh_com::MODEL, Rattle);
    check(&sleigh_com::MODEL, Dla2);
    check(&lie::chaplygin_sleigh::MODEL, Rdp);
}
