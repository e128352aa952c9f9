mod chains;
mod sums;

use std::collections::BTreeMap;

use super::*;
use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::graph::disjoint_sets::components;
use crate::graph::lengths::Support;
use crate::graph::link::Link;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::latent_graph::model::draw::Sampler;
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::likelihood::{Likelihood, LinkLengths};
use crate::latent_graph::posterior::forests::log_rooted_forests;
use crate::latent_graph::posterior::moves::{Cut, Reach};
use crate::latent_graph::search::score::all_trees::Elimination;
use crate::latent_graph::search::score::members;
use crate::latent_graph::search::score::varying::log_sum_exp;
use crate::run::observer::Silent;
use crate::settings::n_clusters::NClusters;
use rand::RngExt;

/// Number of points of the tests: few enough to enumerate all forests.
const N: usize = 6;

/// Lengths of six points with some structure and much doubt.
fn observed() -> Vec<f64> {
    let mut random = stream(21, 0);
    let place = |i: usize| (i as f64 / 3.0).floor() * 1.3;
    let pairs = (0..N).flat_map(|i| (i + 1..N).map(move |j| (i, j)));
    pairs.map(|(i, j)| 0.1 + (place(i) - place(j)).abs() + random.random_range(0.0..0.8)).collect()
}

fn distances(values: &[f64]) -> Dissimilarity<'_> {
    Dissimilarity::from_condensed(values, Quantity::Distances, Checks::default()).unwrap()
}

/// All that a chain of a small set looks at.
struct Small<'a> {
    lengths: Lengths<'a>,
    near: Option<Lengths<'a>>,
    constraints: Constraints,
    target: Target,
}

impl<'a> Small<'a> {
    fn new(observed: &'a Dissimilarity<'a>, settings: &LatentGraph, side: &SideInformation) -> Self {
        let tree = global_tree(observed, &Silent);
        let lengths = settings.lengths(observed, &tree);
        let near = lengths.is_complete().then(|| Lengths::nearest(observed, 2, &tree));
        let (least, most) = settings.n_clusters.bounds(N);
        let target = Target::new(&settings.model(&lengths, &tree).unwrap(), least, most);
        Self { near, target, constraints: Constraints::new(side, N).unwrap(), lengths }
    }

    fn moves(&self) -> Moves<'_> {
        Moves { lengths: &self.lengths, near: self.near.as_ref(), constraints: &self.constraints }
    }

    /// The pairs that may be links.
    fn pairs(&self) -> Vec<Link> {
        let pairs = (0..N).flat_map(|from| (from + 1..N).map(move |to| (from, to)));
        let links = pairs.map(|(from, to)| Link { from, to, length: self.lengths.pair(from, to) });
        links.filter(|link| link.length != f64::INFINITY).collect()
    }

    /// Every forest that obeys, with its probability.
    fn forests(&self) -> BTreeMap<Vec<(usize, usize)>, f64> {
        let pairs = self.pairs();
        let mut logs = BTreeMap::new();
        for code in 0..1usize << pairs.len() {
            let links: Vec<Link> =
                (0..pairs.len()).filter(|at| code >> at & 1 == 1).map(|at| pairs[at]).collect();
            let labels = components(N, links.iter().copied());
            if labels.n_clusters() + links.len() == N && self.constraints.obeyed_by(labels.as_slice()) {
                let state = State::new(&self.target, N, links);
                logs.insert(key(&state.links), state.log_weight());
            }
        }
        logs.retain(|_, log| *log > f64::NEG_INFINITY);
        let total = log_sum_exp(&logs.values().copied().collect::<Vec<_>>());
        logs.into_iter().map(|(forest, log)| (forest, (log - total).exp())).collect()
    }

    fn state(&self, forest: &[(usize, usize)]) -> State<'_> {
        let link = |&(from, to): &(usize, usize)| Link { from, to, length: self.lengths.pair(from, to) };
        State::new(&self.target, N, forest.iter().map(link).collect())
    }
}

fn key(links: &[Link]) -> Vec<(usize, usize)> {
    let mut ends: Vec<(usize, usize)> =
        links.iter().map(|link| (link.from.min(link.to), link.from.max(link.to))).collect();
    ends.sort_unstable();
    ends
}

/// Where a kernel goes from a state, and how probably; what is missing stays.
type Row = Vec<(Vec<(usize, usize)>, f64)>;

/// All ways to link one side of a cut again, with the probabilities that the chain draws them by.
fn regrafts(small: &Small<'_>, state: &State<'_>, cut: Cut, reach: Reach, share: f64) -> Row {
    let mut state = state.clone();
    let Some(part) = state.part(cut.end, cut.link, cut.most) else { return Row::new() };
    let moves = small.moves();
    let Some(candidates) = moves.candidates(&state, cut.link, &part, reach) else { return Row::new() };
    let total = log_sum_exp(&candidates.iter().map(|one| one.log_weight).collect::<Vec<_>>());
    let row = candidates.iter().map(|candidate| {
        let mut after = state.clone();
        after.regraft(cut.link, candidate.link, &part);
        (key(&after.links), share * (candidate.log_weight - total).exp())
    });
    row.collect()
}

fn point_moves(small: &Small<'_>, state: &State<'_>, reach: Reach) -> Row {
    let leaves = (0..N).filter_map(|end| Some(Cut { end, link: state.leaf_link(end)?, most: 1 }));
    leaves.flat_map(|cut| regrafts(small, state, cut, reach, 1.0 / N as f64)).collect()
}

fn subtree_moves(small: &Small<'_>, state: &State<'_>, reach: Reach, most: usize) -> Row {
    let share = 0.5 / state.links.len() as f64;
    let ends =
        |link: usize| [state.links[link].from, state.links[link].to].map(|end| Cut { link, end, most });
    let cuts = (0..state.links.len()).flat_map(ends);
    cuts.flat_map(|cut| regrafts(small, state, cut, reach, share)).collect()
}

fn exchanges(small: &Small<'_>, state: &State<'_>) -> Row {
    let moves = small.moves();
    let mut row = Row::new();
    for cut in 0..state.links.len() {
        for added in small.pairs() {
            let mut after = state.clone();
            let part = after.smaller_part(cut);
            let Some(log_ratio) = moves.exchange(&mut after, cut, &part, added) else { continue };
            after.split(cut, &part);
            after.merge(added);
            let proposed = moves.log_pick(added).exp() / state.links.len() as f64;
            row.push((key(&after.links), proposed * log_ratio.exp().min(1.0)));
        }
    }
    row
}

fn splits_and_merges(small: &Small<'_>, state: &State<'_>) -> Row {
    let moves = small.moves();
    let mut row = Row::new();
    for cut in 0..state.links.len() {
        let mut after = state.clone();
        let part = after.smaller_part(cut);
        let Some(log_ratio) = moves.split(&after, cut, &part) else { continue };
        after.split(cut, &part);
        row.push((key(&after.links), 0.5 / state.links.len() as f64 * log_ratio.exp().min(1.0)));
    }
    for added in small.pairs() {
        let mut after = state.clone();
        let Some(log_ratio) = moves.merge(&mut after, added) else { continue };
        after.merge(added);
        row.push((key(&after.links), 0.5 * moves.log_pick(added).exp() * log_ratio.exp().min(1.0)));
    }
    row
}

/// Asserts that a kernel leaves the posterior as it is, forest by forest, and so partition by partition.
fn assert_invariant(small: &Small<'_>, name: &str, kernel: impl Fn(&State<'_>) -> Row) {
    let before = small.forests();
    let mut after: BTreeMap<Vec<(usize, usize)>, f64> = BTreeMap::new();
    for (forest, probability) in &before {
        let mut stay = 1.0;
        for (to, share) in kernel(&small.state(forest)) {
            if share > 0.0 {
                stay -= share;
                *after.entry(to).or_default() += probability * share;
            }
        }
        assert!(stay > -1e-12, "{name}: {stay}");
        *after.entry(forest.clone()).or_default() += probability * stay;
    }
    assert_eq!(before.len(), after.len(), "{name}");
    for (forest, probability) in &before {
        assert!((after[forest] - probability).abs() < 1e-10 * probability.max(1e-6), "{name} {forest:?}");
    }
    let partitions: BTreeMap<Vec<usize>, (f64, f64)> = by_partition(&before, &after);
    assert!(partitions.values().all(|(before, after)| (before - after).abs() < 1e-10), "{name}");
}

fn by_partition<'m>(
    before: &'m BTreeMap<Vec<(usize, usize)>, f64>,
    after: &'m BTreeMap<Vec<(usize, usize)>, f64>,
) -> BTreeMap<Vec<usize>, (f64, f64)> {
    let mut sums: BTreeMap<Vec<usize>, (f64, f64)> = BTreeMap::new();
    for (forest, probability) in before {
        let links = forest.iter().map(|&(from, to)| Link { from, to, length: 0.0 });
        let sum = sums.entry(components(N, links).as_slice().to_vec()).or_default();
        *sum = (sum.0 + probability, sum.1 + after[forest]);
    }
    sums
}

fn assert_all_invariant(small: &Small<'_>) {
    for reach in [Reach::Near, Reach::All] {
        assert_invariant(small, "points", |state| point_moves(small, state, reach));
        for most in [1, 2, 5] {
            assert_invariant(small, "subtrees", |state| subtree_moves(small, state, reach, most));
        }
    }
    assert_invariant(small, "exchanges", |state| exchanges(small, state));
    assert_invariant(small, "splits and merges", |state| splits_and_merges(small, state));
}

fn settings(n_clusters: NClusters) -> LatentGraph {
    LatentGraph { n_clusters, support: Some(Support::Complete), ..LatentGraph::default() }
}

/// The log posterior weight of a partition as it is defined: quadrature over the rate of each cluster of the sum over its trees.
fn by_quadrature(model: &Model<'_>, labels: &Labels) -> f64 {
    let class = |members: &Vec<usize>| {
        let n = members.len();
        let pairs: Vec<Link> = (0..n)
            .flat_map(|from| (from + 1..n).map(move |to| (from, to)))
            .map(|(from, to)| Link { from, to, length: model.lengths.pair(members[from], members[to]) })
            .filter(|link| link.length != f64::INFINITY)
            .collect();
        let elimination = Elimination::new(&pairs, n);
        let width = 0.02;
        let terms: Vec<f64> = (-700..1200)
            .map(|at| {
                let log_rate = width * f64::from(at);
                let lengths = LinkLengths::Exponential { scale: (-log_rate).exp() };
                let log_weights = pairs.iter().map(|link| -model.weight(lengths).price(link.length));
                // The prior is a density of the rate.
                elimination.log_sum(log_weights.collect()) + model.scale_step.log_prior(lengths) + log_rate
            })
            .collect();
        let trees = if n < 2 { 0.0 } else { -((n - 2) as f64) * (n as f64).ln() };
        log_sum_exp(&terms) + f64::ln(width) + trees
    };
    let classes: f64 = members(labels.as_slice()).iter().map(class).sum();
    let number = crate::latent_graph::search::number::log_number(labels.n_clusters(), labels.n_points());
    let m = labels.n_clusters();
    let of_all = |m: usize| {
        let ways: f64 = (1..m).map(|k| (N - k) as f64 / k as f64).product();
        ways.ln() + (N - m) as f64 * (N as f64).ln()
    };
    let forests =
        if model.lengths.is_complete() { 0.0 } else { of_all(m) - log_rooted_forests(model.lengths, N)[m] };
    number + model.prior.log_labels(labels) + forests + classes
}
