//! `cargo bench -p nhi-benches`: time of 1000 steps of every case, by criterion.

use criterion::{BenchmarkId, Criterion, Throughput};
use nhi_benches::{cases, models};

const STEPS: u64 = 1000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for case in cases() {
        let mut group = criterion.benchmark_group(format!("{} {}", case.workload, case.method));
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(BenchmarkId::from_parameter(case.kind.label()), |b| {
            b.iter_batched_ref(case.start, |run| run.advance(STEPS), criterion::BatchSize::SmallInput);
        });
    }
    for case in models::generated(true) {
        let mut group = criterion.benchmark_group(case.name());
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(BenchmarkId::from_parameter(case.method.id), |b| {
            let batch = criterion::BatchSize::SmallInput;
            b.iter_batched_ref(|| case.start(false), |run| run.advance(STEPS), batch);
        });
    }
    criterion.final_summary();
}
