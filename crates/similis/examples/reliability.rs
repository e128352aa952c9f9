//! How often memberships are right, on data drawn from the model: draws the reliability diagram of the book.
//! `cargo run --release --example reliability docs/pictures/reliability.svg`
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;

use rand::RngExt;
use rand::seq::SliceRandom;
use similis::latent_graph::{
    GraphSample, Inference, Likelihood, LinkLengths, Sampler, Sampling, ScalePrior, ScaleStep, Support,
};
use similis::run::random::stream;
use similis::{Error, LatentGraph, NClusters};

const N_SETS: u64 = 100;
const N_POINTS: usize = 30;
const TYPICAL: f64 = 0.04;
const N_BINS: usize = 10;

/// Memberships of one range: how many, their sum, and how many name the true class.
#[derive(Clone, Copy, Default)]
struct Bin {
    n_all: usize,
    sum: f64,
    n_right: usize,
}

/// A set of two classes: sizes uniform, scales from the weak prior, lengths between classes 1 on the mean.
fn drawn(seed: u64) -> Result<GraphSample, Error> {
    let step = ScaleStep {
        likelihood: Likelihood::Exponential,
        prior: ScalePrior::Weak,
        typical_length: TYPICAL,
        typical_spread: TYPICAL,
        floor: 1e-9,
    };
    let mut random = stream(seed, 5);
    let size = random.random_range(1..N_POINTS);
    let mut classes: Vec<usize> = (0..N_POINTS).map(|i| usize::from(i >= size)).collect();
    classes.shuffle(&mut random);
    Sampler::with_drawn_scales(&step, LinkLengths::Exponential { scale: 1.0 }, 2, seed)
        .draw_labelled(&classes, seed)
}

fn reliability(typical_length: Option<f64>) -> Result<[Bin; N_BINS], Error> {
    let sampling = Sampling { n_chains: 2, n_sweeps: 1000, ..Sampling::default() };
    let (n_clusters, inference) = (NClusters::Exactly(2), Some(Inference::Sample(sampling)));
    let support = Some(Support::Complete);
    let model = LatentGraph { n_clusters, inference, support, typical_length, ..LatentGraph::default() };
    let mut bins = [Bin::default(); N_BINS];
    for seed in 0..N_SETS {
        let drawn = drawn(seed)?;
        let fit = model.fit(&drawn.observed()?, &[])?;
        let truth = drawn.labels.as_slice();
        let n_same = (0..N_POINTS).filter(|&i| fit.labels.as_slice()[i] == truth[i]).count();
        let Some(posterior) = &fit.posterior else { continue };
        for (i, &class) in truth.iter().enumerate() {
            let own = if 2 * n_same < N_POINTS { 1 - class } else { class };
            for (label, &membership) in posterior.row(i).iter().enumerate() {
                let bin = &mut bins[((membership * N_BINS as f64) as usize).min(N_BINS - 1)];
                bin.n_all += 1;
                bin.sum += membership;
                bin.n_right += usize::from(label == own);
            }
        }
    }
    Ok(bins)
}

fn line(bins: &[Bin; N_BINS], colour: &str) -> String {
    let full = bins.iter().filter(|bin| bin.n_all > 0);
    let place = |bin: &Bin| {
        let n = bin.n_all as f64;
        (60.0 + 300.0 * bin.sum / n, 340.0 - 300.0 * bin.n_right as f64 / n)
    };
    let mut path = String::new();
    let mut dots = String::new();
    for (x, y) in full.map(place) {
        let _ = write!(path, "{}{x:.1},{y:.1}", if path.is_empty() { 'M' } else { 'L' });
        let _ = write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
    }
    format!("<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" d=\"{path}\"/>{dots}\n")
}

fn picture(known: &[Bin; N_BINS], fitted: &[Bin; N_BINS]) -> String {
    let text = |x: u32, y: u32, anchor: &str, words: &str| {
        format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-family=\"sans-serif\" font-size=\"13\">{words}</text>\n"
        )
    };
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"400\" viewBox=\"0 0 400 400\">\n\
         <rect width=\"400\" height=\"400\" fill=\"#fff\"/>\n\
         <path fill=\"none\" stroke=\"#bbb\" d=\"M60,40h300v300h-300zM60,340L360,40\"/>\n",
    );
    for (at, words) in [(0, "0"), (150, "0.5"), (300, "1")] {
        svg += &text(60 + at, 358, "middle", words);
        svg += &text(54, 344 - at, "end", words);
    }
    svg += &text(210, 382, "middle", "membership");
    svg += &text(60, 28, "start", "part of the memberships that is right");
    svg += &line(fitted, "#d55e00");
    svg += &line(known, "#0072b2");
    svg += &text(230, 290, "start", "<tspan fill=\"#0072b2\">scale prior known</tspan>");
    svg += &text(230, 310, "start", "<tspan fill=\"#d55e00\">fitted to the data</tspan>");
    svg + "</svg>\n"
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (known, fitted) = (reliability(Some(TYPICAL))?, reliability(None)?);
    println!("membership  known: all right  fitted: all right");
    for (at, (a, b)) in known.iter().zip(&fitted).enumerate() {
        println!(
            "{:.1}         {:6} {:6}       {:6} {:6}",
            at as f64 / 10.0,
            a.n_all,
            a.n_right,
            b.n_all,
            b.n_right
        );
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, picture(&known, &fitted))?;
    }
    Ok(())
}
