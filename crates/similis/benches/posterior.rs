//! How sure: exact edge posteriors, and sweeps of the sampler, at n = 2,000.

use criterion::{Criterion, criterion_group, criterion_main};
use similis::latent_graph::{Inference, Sampling, Support};
use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points, Silent};

/// Four clouds of 500 points.
fn clouds() -> Vec<f64> {
    let golden = |i: usize, by: f64| (i as f64 * by).fract();
    let place = |i: usize| {
        let (cloud, size) = (i % 4, 1.0 + (i % 4) as f64);
        let (x, y) = (golden(i, 0.754_877_666), golden(i, 0.569_840_291));
        [8.0 * (cloud % 2) as f64 + size * x, 8.0 * (cloud / 2) as f64 + size * y]
    };
    (0..2000).flat_map(place).collect()
}

fn benchmarks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("posterior of 2,000 points");
    group.sample_size(10);
    let observed =
        Dissimilarity::from_points(Points::new(clouds(), 2000, 2).expect("points"), Metric::Euclidean)
            .expect("distances");
    let one = LatentGraph { n_clusters: NClusters::Exactly(1), ..LatentGraph::default() };
    let fit = one.fit(&observed, &[]).expect("a fit");
    for (name, support) in [("complete", Support::Complete), ("nearest", Support::Nearest)] {
        let model = LatentGraph { support: Some(support), ..one };
        group.bench_function(format!("probabilities of links, one class, {name}"), |bencher| {
            bencher.iter(|| model.edge_probabilities(&observed, &fit, 0.01, &Silent));
        });
    }
    let sampling = |n_sweeps: usize| {
        let sampling = Sampling { n_chains: 2, n_sweeps, ..Sampling::default() };
        let n_clusters = NClusters::Exactly(4);
        LatentGraph { n_clusters, inference: Some(Inference::Sample(sampling)), ..LatentGraph::default() }
    };
    for n_sweeps in [1, 1000] {
        let model = sampling(n_sweeps);
        group.bench_function(format!("search, then 2 chains of {n_sweeps} sweeps"), |bencher| {
            bencher.iter(|| model.fit(&observed, &[]));
        });
    }
    group.finish();
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
