//! Where the paper's algorithm finds the clusters and where it gets stuck, and the search beside it: mean adjusted Rand index
//! over seeds. `cargo run --release --example paper_on_shapes` prints the table of the book's page on latent graphs.
#![allow(clippy::print_stdout)]

use similis::evaluate::adjusted_rand_index;
use similis::evaluate::shapes::{Shape, draw};
use similis::latent_graph::{Inference, PaperSettings};
use similis::settings::Named;
use similis::{Dissimilarity, Error, LatentFeature, LatentGraph, Metric, NClusters};

const N_POINTS: usize = 200;
const N_SEEDS: u64 = 10;

/// The adjusted Rand index of each method with the clusters of one draw: spectral clustering, `paper`, `paper` with
/// exponential lengths and weak priors, the search.
fn agreements(shape: Shape, seed: u64) -> Result<[f64; 4], Error> {
    let drawn = draw(shape, N_POINTS, seed)?;
    let n_clusters = NClusters::Exactly(drawn.labels.n_clusters());
    let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean)?;
    let spectral = LatentFeature { n_clusters, seed, ..LatentFeature::default() }.fit(&pairs, &[])?.labels;
    let paper = LatentGraph { n_clusters, seed, ..LatentGraph::paper() }.fit(&pairs, &[])?.labels;
    let search = LatentGraph { n_clusters, seed, ..LatentGraph::default() };
    let guarded = LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..search }
        .fit(&pairs, &[])?
        .labels;
    let searched = search.fit(&pairs, &[])?.labels;
    let agreement = |labels| adjusted_rand_index(&labels, &drawn.labels);
    Ok([agreement(spectral)?, agreement(paper)?, agreement(guarded)?, agreement(searched)?])
}

fn row(name: &str, means: &[f64]) -> String {
    let cells: Vec<String> = means.iter().map(|mean| format!("{mean:.2}")).collect();
    format!("| {name} | {} |", cells.join(" | "))
}

fn main() -> Result<(), Error> {
    println!(
        "| shape | spectral | preset paper | exponential, weak priors | search |\n|---|---|---|---|---|"
    );
    let mut totals = [0.0; 4];
    for &(name, shape) in Shape::VALUES {
        let mut sums = [0.0; 4];
        for seed in 0..N_SEEDS {
            sums.iter_mut()
                .zip(agreements(shape, seed)?)
                .for_each(|(sum, agreement)| *sum += agreement / N_SEEDS as f64);
        }
        println!("{}", row(name, &sums));
        totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum / Shape::VALUES.len() as f64);
    }
    println!("{}", row("mean", &totals));
    Ok(())
}
