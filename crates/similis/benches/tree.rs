//! What the minimum spanning tree costs: how its time grows with the number of points in the plane, what dimension and
//! threads do to it, and a dense matrix. `cargo bench --bench tree`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use rand_distr::{Distribution, StandardNormal};
use similis::run::parallel;
use similis::run::random::stream;
use similis::{Checks, Dissimilarity, Metric, Points, Quantity, Silent, minimum_spanning_tree};

/// Rounds of which the fastest counts.
const ROUNDS: usize = 3;

/// Ten round clouds of unlike width.
fn mixture(n: usize, d: usize) -> Points<'static> {
    let mut random = stream(1, 0);
    let centres: Vec<f64> = (0..10 * d).map(|_| 10.0 * normal(&mut random)).collect();
    let coordinate = |at: usize, x: f64| {
        let cloud = at / d % 10;
        centres[cloud * d + at % d] + (0.2 + 0.2 * cloud as f64) * x
    };
    Points::new((0..n * d).map(|at| coordinate(at, normal(&mut random))).collect::<Vec<f64>>(), n, d).unwrap()
}

fn normal(random: &mut similis::run::random::Random) -> f64 {
    StandardNormal.sample(random)
}

/// Seconds that the tree takes on `threads` threads.
fn seconds(observed: &Dissimilarity<'_>, threads: usize) -> f64 {
    let once = || {
        let started = Instant::now();
        let tree = minimum_spanning_tree(observed, &Silent);
        assert_eq!(tree.len() + 1, observed.n_points());
        started.elapsed().as_secs_f64()
    };
    parallel::with_threads(threads, || (0..ROUNDS).map(|_| once()).fold(f64::INFINITY, f64::min))
}

fn of_points(n: usize, d: usize) -> Dissimilarity<'static> {
    Dissimilarity::from_points(mixture(n, d), Metric::Euclidean).unwrap()
}

/// The slope of log time over log n.
fn exponent(times: &[(usize, f64)]) -> f64 {
    let (first, last) = (times[0], times[times.len() - 1]);
    (last.1 / first.1).ln() / (last.0 as f64 / first.0 as f64).ln()
}

fn main() {
    println!("points in the plane, one thread");
    let times = [10_000, 100_000, 1_000_000].map(|n| {
        let time = seconds(&of_points(n, 2), 1);
        println!("{n:>9} points: {time:>8.3} s");
        (n, time)
    });
    println!("exponent {:.2}", exponent(&times));
    println!("one thread, two threads");
    for (n, d) in [(1_000_000, 2), (100_000, 10), (20_000, 50)] {
        let observed = of_points(n, d);
        let [one, two] = [1, 2].map(|threads| seconds(&observed, threads));
        println!("{n:>9} x {d:>2}: {one:>8.3} s, {two:>8.3} s, ratio {:.2}", one / two);
    }
    let n = 10_000;
    let points = of_points(n, 5);
    let values: Vec<f64> = (0..n * n).map(|at| points.pair(at / n, at % n).unwrap()).collect();
    let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let square = |values: similis::input::Values<'static>| {
        Dissimilarity::from_square(values, [n, n], Quantity::Distances, Checks::default()).unwrap()
    };
    for (name, matrix) in [("f64", square(values.into())), ("f32", square(single.into()))] {
        let [one, two] = [1, 2].map(|threads| seconds(&matrix, threads));
        println!("matrix of {n}, {name}: {one:>8.3} s, {two:>8.3} s, ratio {:.2}", one / two);
    }
}
