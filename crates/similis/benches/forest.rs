//! The cost of moving a point or a subtree to another cluster, and how that grows, where every pair may be a link and
//! where only near neighbours may; then one pass of the algorithm box. One thread. `cargo bench --bench forest`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use rand::RngExt;
use similis::latent_graph::{Forest, Inference, Lengths, LinkOrder, PaperSettings};
use similis::run::parallel;
use similis::run::random::stream;
use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Observer, Points, Progress};

/// Some subtrees are half a class: fewer of them are timed than of the points.
const N_SUBTREES: usize = 100;

fn uniform(n: usize) -> Dissimilarity<'static> {
    let mut random = stream(1, 0);
    let points = Points::new((0..2 * n).map(|_| random.random::<f64>()).collect::<Vec<f64>>(), n, 2).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

/// Seconds of an insertion (worked out, then made), of a removal, and of working out a move of a subtree.
#[derive(Default)]
struct Spent {
    insertion: Vec<f64>,
    removal: Vec<f64>,
    subtree: Vec<f64>,
}

/// Moves random points between two classes that lie all over the plane: every neighbourhood is in both.
fn moves(lengths: &Lengths<'_>, n_moves: usize) -> Spent {
    let n = lengths.n_points();
    let mut random = stream(2, 0);
    let labels: Vec<usize> = (0..n).map(|_| random.random_range(0..2)).collect();
    let mut forest = Forest::new(lengths, &labels, vec![LinkOrder::BY_LENGTH; 2]);
    let mut spent = Spent::default();
    for done in 0..n_moves {
        let i = random.random_range(0..n);
        let to = 1 - forest.labels()[i];
        spent.removal.push(seconds(|| drop(forest.remove(i))));
        spent.insertion.push(seconds(|| {
            let change = forest.insertion(i, to);
            forest.insert(i, to, &change);
        }));
        if done >= N_SUBTREES {
            continue;
        }
        // Only worked out: many moves of large subtrees would soon leave one class alone.
        let i = random.random_range(0..n);
        let (to, link) = (1 - forest.labels()[i], forest.links(i).next());
        if let Some(link) = link {
            spent.subtree.push(seconds(|| drop(forest.subtree_move(link.from, link.to, to))));
        }
    }
    spent
}

fn seconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

fn mean(seconds: &[f64]) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len() as f64
}

fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Prints the median and mean cost of moves for each size, and the exponent of the medians' growth.
fn print_costs(
    support: &str,
    sizes: &[usize],
    n_moves: usize,
    lengths: impl Fn(&Dissimilarity<'_>, &dyn Fn(&Lengths<'_>)),
) {
    println!("{support}: median (mean) of {n_moves} points and {N_SUBTREES} subtrees, us");
    println!("{:>9} {:>19} {:>19} {:>19}", "points", "insertion", "removal", "subtree");
    let medians = std::cell::RefCell::new(Vec::new());
    for &n in sizes {
        lengths(&uniform(n), &|lengths| {
            let Spent { insertion, removal, subtree } = parallel::with_threads(1, || moves(lengths, n_moves));
            let of = |seconds: &[f64]| format!("{:.1} ({:.1})", median(seconds) * 1e6, mean(seconds) * 1e6);
            println!("{n:>9} {:>19} {:>19} {:>19}", of(&insertion), of(&removal), of(&subtree));
            medians.borrow_mut().push([insertion, removal, subtree].map(|seconds| median(&seconds)));
        });
    }
    let (medians, n_sizes) = (medians.borrow(), sizes.len());
    let grown = (sizes[n_sizes - 1] as f64 / sizes[0] as f64).ln();
    let [a, b, c] = [0, 1, 2].map(|which| (medians[n_sizes - 1][which] / medians[0][which]).ln() / grown);
    println!("{:>9} {a:>19.2} {b:>19.2} {c:>19.2}\n", "exponent");
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
    print_costs("every pair", &[1000, 2000, 4000, 8000, 16_000], 300, |observed, measure| {
        measure(&Lengths::complete_with_lists(observed));
    });
    print_costs("15 neighbours", &[1000, 10_000, 100_000, 1_000_000], 3000, |observed, measure| {
        measure(&Lengths::nearest(observed, 15, &[]));
    });
    let settings = LatentGraph {
        n_clusters: NClusters::Exactly(2),
        support: Some(similis::latent_graph::Support::Complete),
        inference: Some(Inference::Paper(PaperSettings { n_restarts: 1, ..PaperSettings::default() })),
        ..LatentGraph::default()
    };
    let observed = uniform(4000);
    let observer = OnePass(std::sync::atomic::AtomicBool::new(false));
    let started = Instant::now();
    parallel::with_threads(1, || settings.fit_observed(&observed, &[], &observer)).unwrap();
    println!("one pass over 4,000 points, set-up included: {:.2} s", started.elapsed().as_secs_f64());
}
