//! What the search costs with all its starts: seconds and peak memory in the plane. `cargo bench --bench search`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use rand_distr::{Distribution, StandardNormal};
use similis::run::parallel;
use similis::run::random::stream;
use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points};

/// Ten round clouds of unlike width.
fn mixture(n: usize) -> Dissimilarity<'static> {
    let mut random = stream(1, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let centres: Vec<f64> = (0..20).map(|_| 10.0 * normal()).collect();
    let place = |i: usize, axis: usize, x: f64| centres[2 * (i % 10) + axis] + 0.2 * (1 + i % 10) as f64 * x;
    let values: Vec<f64> = (0..n).flat_map(|i| [place(i, 0, normal()), place(i, 1, normal())]).collect();
    Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// The most memory this process ever had, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |size| size.trim().to_owned())
}

fn main() {
    println!("points  clusters  threads  seconds  peak memory so far");
    for n in [1000, 10_000] {
        let observed = mixture(n);
        for (n_clusters, threads) in [(2, 1), (2, 2), (10, 1), (10, 2)] {
            let model = LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() };
            let started = Instant::now();
            let fit = parallel::with_threads(threads, || model.fit(&observed, &[])).unwrap();
            let seconds = started.elapsed().as_secs_f64();
            assert_eq!(fit.labels.n_clusters(), n_clusters);
            println!("{n:6}  {n_clusters:8}  {threads:7}  {seconds:7.2}  {}", peak());
        }
    }
}
