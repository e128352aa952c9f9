//! The greatest ten eigenpairs of normalised affinities: a dense one, and a sparse one of nearest neighbours.
//!
//! `cargo bench --bench eigen`; with `-- --test` each case runs once.

use criterion::{Criterion, criterion_group, criterion_main};
use rand::RngExt;
use similis::numeric::linalg::{DenseOperator, KnownEigenvectors, SparseOperator, TopEigenpairs};
use similis::run::Silent;
use similis::run::parallel;
use similis::run::random;
use std::hint::black_box;

/// Points on a line in ten classes, in random order.
fn points(n: usize) -> Vec<f64> {
    let mut random = random::stream(0, 0);
    (0..n).map(|_| f64::from(random.random_range(0..10_u8)) * 2.0 + random.random_range(0.0..1.0)).collect()
}

/// Divides every entry by the roots of the sums of its row and its column.
fn normalise(n: usize, entries: &mut [(usize, usize, f64)]) {
    let mut sums = vec![0.0; n];
    for &(i, _, value) in &*entries {
        sums[i] += value;
    }
    for (i, j, value) in entries {
        *value /= (sums[*i] * sums[*j]).sqrt();
    }
}

/// The normalised Gaussian affinity of all pairs, row-major.
fn dense(n: usize) -> Vec<f64> {
    let points = points(n);
    let affinity = |i: usize, j: usize| (-(points[i] - points[j]).powi(2) / 0.18).exp();
    let mut entries: Vec<_> = (0..n * n).map(|e| (e / n, e % n, affinity(e / n, e % n))).collect();
    normalise(n, &mut entries);
    entries.into_iter().map(|(_, _, value)| value).collect()
}

/// The normalised graph of near and, rarely, far neighbours on the line.
fn sparse(n: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let points = points(n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| points[a].total_cmp(&points[b]));
    let mut entries = Vec::new();
    for position in 0..n {
        for step in (1..=8).map(|step| step * step * step) {
            let (i, j) = (order[position], order[(position + step).min(n - 1)]);
            let value = (-(points[i] - points[j]).abs() * 20.0).exp();
            entries.extend([(i, j, value), (j, i, value)]);
        }
    }
    normalise(n, &mut entries);
    entries.sort_by_key(|&(i, j, _)| (i, j));
    let offsets = (0..=n).map(|i| entries.partition_point(|entry| entry.0 < i)).collect();
    (
        offsets,
        entries.iter().map(|entry| entry.1 as u32).collect(),
        entries.iter().map(|entry| entry.2).collect(),
    )
}

fn top_ten(criterion: &mut Criterion) {
    let search = TopEigenpairs::default();
    let mut group = criterion.benchmark_group("top ten eigenpairs, one thread");
    group.sample_size(10);
    let values = dense(1500);
    let operator = DenseOperator { values: &values, n_points: 1500 };
    group.bench_function("dense 1500", |bencher| {
        let run = || search.find(black_box(&operator), KnownEigenvectors::default(), &Silent);
        bencher.iter(|| parallel::with_threads(1, run));
    });
    let (offsets, columns, values) = sparse(20_000);
    let operator = SparseOperator { offsets: &offsets, columns: &columns, values: &values };
    group.bench_function("sparse 20000", |bencher| {
        let run = || search.find(black_box(&operator), KnownEigenvectors::default(), &Silent);
        bencher.iter(|| parallel::with_threads(1, run));
    });
    group.finish();
}

criterion_group!(benches, top_ten);
criterion_main!(benches);
