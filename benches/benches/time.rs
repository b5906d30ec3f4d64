//! `cargo bench -p nhi-benches`: time of 1000 steps of the cases of the table, with criterion.

use criterion::{BenchmarkId, Criterion, Throughput};
use nhi_benches::{cases, many, models};
use std::time::Duration;

const STEPS: u64 = 1000;

fn main() {
    // Steps take nanoseconds, and there are two hundred cases.
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(20)
        .configure_from_args();
    for case in cases() {
        let mut group = criterion.benchmark_group(format!("{} {}", case.workload, case.method));
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(BenchmarkId::from_parameter(case.kind.label()), |b| {
            b.iter_batched_ref(case.start, |run| run.advance(STEPS), criterion::BatchSize::SmallInput);
        });
    }
    for case in models::generated(false) {
        let mut group = criterion.benchmark_group(case.name());
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(BenchmarkId::from_parameter(case.method.id), |b| {
            let batch = criterion::BatchSize::SmallInput;
            b.iter_batched_ref(|| case.start(false), |run| run.advance(STEPS), batch);
        });
    }
    // Ensembles on a single thread.
    let core = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Err(error) = core.build_global() {
        eprintln!("ensembles run on all threads: {error}");
    }
    for case in many::cases() {
        let name = format!("{} {}, {} trajectories", case.workload, case.method, many::TRAJECTORIES);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS * many::TRAJECTORIES as u64));
        group.bench_function(BenchmarkId::from_parameter(case.code.label()), |b| {
            b.iter_batched_ref(case.start, |run| run.advance(STEPS), criterion::BatchSize::SmallInput);
        });
    }
    criterion.final_summary();
}
