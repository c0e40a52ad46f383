use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use std::time::Duration;
fn sort(c: &mut Criterion) {
    let mut group = c.benchmark_group("sort");
    group.sample_size(10).warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(200));
    for method in ["stable", "unstable"] {
        for n in [1000u64, 2000, 4000, 8000, 16000, 32000] {
            let numbers: Vec<u64> = (0..n).map(|i| i * 7919 % 10007).collect();
            group.bench_with_input(BenchmarkId::new(method, n), &numbers, |b, v| {
                b.iter(|| { let mut w = v.clone(); if method == "stable" { w.sort() } else { w.sort_unstable() }; w })
            });
        }
    }
    group.finish();
}
criterion_group!(benches, sort);
criterion_main!(benches);
