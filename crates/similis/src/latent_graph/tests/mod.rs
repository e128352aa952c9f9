mod components;
mod equations;
mod inference;
mod search;

use crate::error::{ConstraintError, InputError, SettingError};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::*;
use crate::constraints::NONE;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::graph::spanning::of_clusters::spanning_tree;
use crate::input::Checks;
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::paper::Found;
use crate::latent_graph::paper::neighbour_lists::NeighbourLists;
use crate::run::parallel::with_threads;
use crate::run::random::Random;
use crate::run::termination::Termination;

/// Random lengths of all pairs of n points; whole numbers make ties.
fn random_lengths(n: usize, ties: bool, random: &mut Random) -> Dissimilarity<'static> {
    let value = |x: f64| if ties { (3.0 * x).ceil() } else { x };
    let lengths: Vec<f64> =
        (0..n * (n - 1) / 2).map(|_| value(0.05 + 4.0 * random.random::<f64>())).collect();
    Dissimilarity::from_condensed(lengths, Quantity::Distances, Checks::default()).unwrap()
}

fn random_class(gaussian: bool, random: &mut Random) -> LinkLengths {
    let mut draw = || 0.2 + 3.0 * random.random::<f64>();
    if gaussian {
        LinkLengths::Gaussian { scale: draw(), spread: draw() }
    } else {
        LinkLengths::Exponential { scale: draw() }
    }
}

fn model<'a>(
    lengths: &'a Lengths<'a>,
    background: LinkLengths,
    graphs: GraphPrior,
    sizes: SizePrior,
) -> Model<'a> {
    let likelihood = match background {
        LinkLengths::Exponential { .. } => Likelihood::Exponential,
        LinkLengths::Gaussian { .. } => Likelihood::Gaussian,
    };
    let scale_step = ScaleStep {
        likelihood,
        prior: ScalePrior::None,
        typical_length: 1.0,
        typical_spread: 0.5,
        floor: 1e-9,
    };
    let prior = Prior::new(graphs, sizes, 2, lengths.n_points());
    Model { lengths, background, prior, scale_step, scale_updates: ScaleUpdates::Hard }
}

/// All spanning trees of `members`, by Prüfer's codes.
fn all_trees(members: &[usize], lengths: &Lengths<'_>) -> Vec<Vec<Link>> {
    let n = members.len();
    if n < 2 {
        return vec![Vec::new()];
    }
    let link = |a: usize, b: usize| Link {
        from: members[a],
        to: members[b],
        length: lengths.pair(members[a], members[b]),
    };
    (0..n.pow(n as u32 - 2))
        .map(|number| {
            let code: Vec<usize> = (0..n - 2).map(|at| number / n.pow(at as u32) % n).collect();
            let mut degree = vec![1; n];
            code.iter().for_each(|&i| degree[i] += 1);
            let mut tree = Vec::new();
            for &i in &code {
                let leaf = (0..n).find(|&leaf| degree[leaf] == 1).unwrap();
                tree.push(link(leaf, i));
                degree[leaf] -= 1;
                degree[i] -= 1;
            }
            let last: Vec<usize> = (0..n).filter(|&i| degree[i] == 1).collect();
            tree.push(link(last[0], last[1]));
            tree
        })
        .collect()
}

fn members(labels: &Labels, cluster: usize) -> Vec<usize> {
    (0..labels.n_points()).filter(|&i| labels.as_slice()[i] == cluster).collect()
}

/// All graphs on five points.
fn all_graphs(lengths: &Lengths<'_>) -> Vec<Vec<Link>> {
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
    let link = |&(from, to): &(usize, usize)| Link { from, to, length: lengths.pair(from, to) };
    (0..1 << pairs.len())
        .map(|code: usize| {
            (0..pairs.len()).filter(|at| code >> at & 1 == 1).map(|at| link(&pairs[at])).collect()
        })
        .collect()
}

/// The number of links of the best connected graph on five points.
fn best_connected(lengths: &Lengths<'_>, class: LinkLengths, background: LinkLengths) -> usize {
    let model = model(lengths, background, GraphPrior::Connected, SizePrior::Constant);
    let labels = Labels::new(&[0; 5]);
    let value = |links: &[Link]| model.evaluate(State { labels: &labels, links, classes: &[class] }).total();
    all_graphs(lengths).iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap().len()
}

/// A run from random labels on random data.
fn checked_moves(observed: &Dissimilarity<'_>, settings: &LatentGraph, n_moves: usize, random: &mut Random) {
    let n = observed.n_points();
    let everything = Lengths::complete(observed);
    let all: Vec<usize> = (0..n).collect();
    let tree = spanning_tree(&everything, &all, &LinkOrder::BY_LENGTH);
    let lengths = settings.lengths(observed, &tree);
    let model = settings.model(&lengths, &tree).unwrap();
    let mut run = Run::from_random_labels(&model, 3, &NONE, random);
    let mut joint = run.log_joint().total();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    for _ in 0..n_moves {
        let i = random.random_range(0..n);
        let moved = run.place_point(i);
        let placed = run.log_joint().total();
        let gain = moved.map_or(0.0, |moved| moved.gain);
        // A cluster in pieces is impossible; fixing it may cost what is left of the joint.
        let possible = joint > f64::NEG_INFINITY;
        assert!(gain >= 0.0 || !possible);
        assert!(close(placed, joint + gain) || !possible, "{settings:?}: {joint} + {gain} {placed}");
        if let Some(moved) = moved {
            run.update_scales(moved.from);
            run.update_scales(moved.to);
        }
        let updated = run.log_joint().total();
        assert!(updated >= placed - 1e-9 * (1.0 + placed.abs()), "{settings:?}: {placed} {updated}");
        joint = updated;
    }
}

/// Points on a line: 20 close together, then 20 far apart.
fn dense_and_sparse(unit: f64) -> Vec<f64> {
    let mut random = stream(15, 0);
    (0..40)
        .map(|i| f64::from(if i < 20 { i } else { 10 * i - 100 }) + 0.3 * random.random::<f64>())
        .map(|x| x * unit)
        .collect()
}

fn fit_line(settings: &LatentGraph, places: Vec<f64>) -> LatentGraphFit {
    let n = places.len();
    let observed = Dissimilarity::from_points(Points::new(places, n, 1).unwrap(), Metric::Euclidean).unwrap();
    settings.fit(&observed, &[]).unwrap()
}

fn sampler(scales: [f64; 2], background: f64) -> Sampler {
    Sampler {
        classes: scales.map(|scale| LinkLengths::Exponential { scale }).into(),
        background: LinkLengths::Exponential { scale: background },
        graph_prior: GraphPrior::Tree,
        prior_neighbours: 5,
    }
}

/// A sample whose background is at least 100 n times as long as any cluster's links.
fn far_background(seed: u64) -> GraphSample {
    sampler([1.0, 5.0], 100.0 * 200.0 * 5.0).draw(200, seed).unwrap()
}

/// The answer of the algorithm box from given labels.
fn run_from(drawn: &GraphSample, labels: &[usize], settings: &LatentGraph) -> Found {
    let observed = drawn.observed().unwrap();
    let lengths = Lengths::complete(&observed);
    let all: Vec<usize> = (0..observed.n_points()).collect();
    let tree = spanning_tree(&lengths, &all, &LinkOrder::BY_LENGTH);
    let model = settings.model(&lengths, &tree).unwrap();
    Run::from_labels(&model, labels, 2, &NONE).run(MAX_PASSES, &mut stream(0, 0), &Silent)
}

/// Cancels whatever it is asked.
struct Impatient;

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}
