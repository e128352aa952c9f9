//! The recall of nearest-neighbour descent for the 15 nearest neighbours, its time, and the time of an exact search of
//! every pair. `cargo run --release --example nn_descent_recall` prints the table; `SIMILIS_THREADS=1` before it
//! measures one thread.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use similis::graph::{Neighbours, Search, nearly_nearest_neighbours};
use similis::run::parallel;
use similis::run::random;
use similis::settings::Named;
use similis::{Dissimilarity, Error, Metric, Points};

const N_NEIGHBOURS: usize = 15;

/// What is drawn: points about centres, or uniform in a cube where there are none.
#[derive(Clone, Copy)]
struct Shape {
    n_points: usize,
    n_dimensions: usize,
    n_centres: usize,
    metric: Metric,
}

const fn shape(n_points: usize, n_dimensions: usize, n_centres: usize, metric: Metric) -> Shape {
    Shape { n_points, n_dimensions, n_centres, metric }
}

const SHAPES: [Shape; 7] = [
    shape(20_000, 50, 10, Metric::Euclidean),
    shape(20_000, 50, 200, Metric::Euclidean),
    shape(20_000, 50, 1, Metric::Euclidean),
    shape(20_000, 100, 0, Metric::Euclidean),
    shape(50_000, 30, 10, Metric::Euclidean),
    shape(20_000, 50, 10, Metric::Manhattan),
    shape(20_000, 50, 10, Metric::Cosine),
];

fn draw(shape: Shape) -> Result<Dissimilarity<'static>, Error> {
    let Shape { n_points, n_dimensions, n_centres, metric } = shape;
    let mut random = random::stream(1, 0);
    let centres: Vec<f64> = (0..n_centres * n_dimensions).map(|_| 5.0 * random.random::<f64>()).collect();
    let value = |at: usize| {
        if n_centres == 0 {
            return random.random();
        }
        let noise: f64 = StandardNormal.sample(&mut random);
        centres[at / n_dimensions % n_centres * n_dimensions + at % n_dimensions] + noise
    };
    let values: Vec<f64> = (0..n_points * n_dimensions).map(value).collect();
    Dissimilarity::from_points(Points::new(values, n_points, n_dimensions)?, metric)
}

/// What `find` finds, and the seconds it took.
fn timed(find: impl FnOnce() -> Neighbours) -> (Neighbours, f64) {
    let started = Instant::now();
    let found = find();
    (found, started.elapsed().as_secs_f64())
}

/// The recall: the fraction of true neighbours that was found; ties in distance count as found.
fn recall(found: &Neighbours, exact: &Neighbours) -> f64 {
    let hits = (0..exact.n_points()).map(|i| {
        let farthest = exact.of(i).next_back().map_or(0.0, |(_, distance)| distance);
        found.of(i).filter(|&(_, distance)| distance <= farthest).count()
    });
    hits.sum::<usize>() as f64 / exact.n_pairs() as f64
}

fn main() -> Result<(), Error> {
    let threads = std::env::var("SIMILIS_THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    println!("| points | dimensions | centres | metric | recall | seconds | every pair, seconds |");
    println!("|---|---|---|---|---|---|---|");
    for shape in SHAPES {
        let observed = draw(shape)?;
        let Some(points) = observed.points() else { continue };
        let search = Search { exact: true, seed: 0 };
        let [(found, seconds), (exact, every_pair)] = parallel::with_threads(threads, || {
            [
                timed(|| nearly_nearest_neighbours(points, N_NEIGHBOURS, 0)),
                timed(|| search.nearest_neighbours(&observed, N_NEIGHBOURS)),
            ]
        });
        let Shape { n_points, n_dimensions, n_centres, metric } = shape;
        println!(
            "| {n_points} | {n_dimensions} | {n_centres} | {} | {:.4} | {seconds:.2} | {every_pair:.2} |",
            metric.name(),
            recall(&found, &exact)
        );
    }
    Ok(())
}
