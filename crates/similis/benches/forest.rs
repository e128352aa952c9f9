//! What it costs to put a point into a class's tree and to take it out, and how that grows; then one pass of the
//! algorithm box. One thread. `cargo bench --bench forest`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use rand::RngExt;
use similis::latent_graph::{Forest, Lengths, LinkOrder};
use similis::random::stream;
use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Observer, Points, Progress, parallel};

fn uniform(n: usize) -> Points<'static> {
    let mut random = stream(1, 0);
    Points::new((0..2 * n).map(|_| random.random::<f64>()).collect::<Vec<f64>>(), n, 2).unwrap()
}

/// Mean seconds of an insertion and of a removal in a tree of n points in the plane.
fn costs(n: usize) -> [f64; 2] {
    let observed = Dissimilarity::from_points(uniform(n), Metric::Euclidean).unwrap();
    let lengths = Lengths::complete(&observed);
    let mut forest = Forest::new(&lengths, &vec![0; n], vec![LinkOrder::BY_LENGTH]);
    let mut random = stream(2, 0);
    let mut row = vec![0.0; n];
    let mut spent = [0.0; 2];
    let n_moves = 300;
    for _ in 0..n_moves {
        let i = random.random_range(0..n);
        let started = Instant::now();
        forest.remove(i);
        spent[1] += started.elapsed().as_secs_f64();
        let started = Instant::now();
        lengths.fill(i, &mut row);
        let change = forest.insertion(i, 0, &row);
        forest.insert(i, 0, &change);
        spent[0] += started.elapsed().as_secs_f64();
    }
    spent.map(|seconds| seconds / f64::from(n_moves))
}

/// Stops a fit after its first pass.
struct OnePass(std::sync::atomic::AtomicBool);

impl Observer for OnePass {
    fn progress(&self, progress: Progress) {
        if progress.phase == "moving points" {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

fn main() {
    let sizes = [1000, 2000, 4000, 8000, 16_000];
    let measured: Vec<[f64; 2]> = sizes.iter().map(|&n| parallel::with_threads(1, || costs(n))).collect();
    println!("{:>8} {:>16} {:>16}", "points", "insertion, us", "removal, us");
    for (n, [insertion, removal]) in sizes.iter().zip(&measured) {
        println!("{n:>8} {:>16.1} {:>16.1}", insertion * 1e6, removal * 1e6);
    }
    let exponent = |which: usize| (measured[4][which] / measured[0][which]).ln() / 16f64.ln();
    println!("exponent {:>16.2} {:>16.2}", exponent(0), exponent(1));
    let observed = Dissimilarity::from_points(uniform(4000), Metric::Euclidean).unwrap();
    let settings = LatentGraph {
        n_clusters: NClusters::Exactly(2),
        support: Some(similis::latent_graph::Support::Complete),
        n_restarts: 1,
        ..LatentGraph::default()
    };
    let started = Instant::now();
    let observer = OnePass(std::sync::atomic::AtomicBool::new(false));
    parallel::with_threads(1, || settings.fit_observed(&observed, &[], &observer)).unwrap();
    println!("one pass over 4,000 points, set-up included: {:.2} s", started.elapsed().as_secs_f64());
}
