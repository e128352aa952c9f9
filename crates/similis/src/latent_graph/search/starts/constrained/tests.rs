use super::*;
use crate::evaluate::shapes::{Shape, draw};
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::search::starts::linkage::Linkage;
use crate::plan::Plan;
use crate::run::observer::Silent;
use crate::run::random::stream;
use rand::RngExt;

fn strewn(n_points: usize, seed: u64) -> Dissimilarity<'static> {
    let mut random = stream(seed, 0);
    let places = (0..2 * n_points).map(|_| random.random::<f64>()).collect::<Vec<_>>();
    Dissimilarity::from_points(Points::new(places, n_points, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// Every fifth point or so has one of three labels.
fn three_labels(n_points: usize, seed: u64) -> Vec<Option<usize>> {
    let mut random = stream(seed, 1);
    let known = |i: usize| (i < 3 || random.random::<f64>() < 0.2).then_some(i % 3);
    (0..n_points).map(known).collect()
}

/// The longest link of the best way from a point to each other, by relaxing over and over again.
fn bottlenecks(observed: &Dissimilarity<'_>, from: usize) -> Vec<f64> {
    let n = observed.n_points();
    let mut longest = vec![f64::INFINITY; n];
    longest[from] = 0.0;
    for _ in 0..n {
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            longest[j] = longest[j].min(longest[i].max(observed.pair(i, j).unwrap()));
        }
    }
    longest
}

#[test]
fn labels_spread_along_links_to_whom_the_shortest_steps_lead() {
    for seed in 0..8 {
        let observed = strewn(30, seed);
        let known = three_labels(30, seed);
        let constraints = Constraints::new(&(&known).into(), 30).unwrap();
        let context = Context::new(&observed, &Silent);
        let by_length = Linkage::new(30, context.tree.iter().copied());
        let labels = by_length.obeying_cut(3, &constraints).unwrap();
        assert!(constraints.obeyed_by(labels.as_slice()));
        for i in (0..30).filter(|&i| known[i].is_none()) {
            let longest = bottlenecks(&observed, i);
            let at_best = |j: &usize| known[*j].map(|_| longest[*j]);
            let least = (0..30).filter_map(|j| at_best(&j)).fold(f64::INFINITY, f64::min);
            let same = |j: usize| labels.as_slice()[j] == labels.as_slice()[i];
            assert!((0..30).any(|j| at_best(&j) == Some(least) && same(j)), "{seed}, {i}");
        }
    }
}

#[test]
fn linkages_that_obey_have_as_many_parts_as_asked() {
    let observed = strewn(40, 3);
    let known = three_labels(40, 3);
    let constraints = Constraints::new(&(&known).into(), 40).unwrap();
    let context = Context::new(&observed, &Silent);
    for (_, linkage) in &Sources::new(&context, &Plan::new(context.n_points(), true), &Silent).linkages {
        for m in 3..12 {
            let labels = linkage.obeying_cut(m, &constraints).unwrap();
            assert_eq!(labels.n_clusters(), m);
            assert!(constraints.obeyed_by(labels.as_slice()));
        }
        assert_eq!(linkage.obeying_cut(2, &constraints), None);
    }
}

#[test]
fn known_rings_are_found_by_a_few_labels_and_trusted() {
    let drawn = draw(Shape::TwoRings, 200, 1).unwrap();
    let truth = drawn.labels;
    let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
    let known: Vec<_> = (0..200).map(|i| (i % 20 == 0).then(|| truth.as_slice()[i])).collect();
    let constraints = Constraints::new(&known.into(), 200).unwrap();
    let context = Context::new(&observed, &Silent);
    let starts = Starts { n_clusters: 2, constraints: &constraints, seed: 0, plan: Plan::new(200, true) };
    let first = crate::latent_graph::search::starts::repair::honour(
        &vec![0; 200],
        &constraints,
        2,
        &context.neighbours,
    );
    let start = Start::of(Origin::Printed { restart: 0 });
    let mut kept = vec![Partition::new(start, first)];
    starts.add_obeying(
        &mut kept,
        &context,
        &Sources::new(&context, &Plan::new(context.n_points(), true), &Silent),
    );
    let spread: Vec<_> =
        kept.iter().filter(|found| found.start.obeying && Labels::new(&found.labels) == truth).collect();
    assert!(!spread.is_empty());
    assert!(spread.iter().all(|found| found.n_missed == 0.0));
}

#[test]
fn who_spreads_nonsense_misses_what_is_held_out() {
    let observed = strewn(60, 5);
    let context = Context::new(&observed, &Silent);
    let known: Vec<_> = (0..60).map(|i| (i % 2 == 0).then_some(i / 2 % 2)).collect();
    let constraints = Constraints::new(&(&known).into(), 60).unwrap();
    let folds = Folds::new(&constraints);
    let weights = NearWeights::new(&context);
    let labels: Vec<usize> = known.iter().map(|label| label.unwrap_or(0)).collect();
    let missed = folds.missed(|constraints| Some(weights.spread(&labels, 2, constraints)));
    // Half of the 30, by chance.
    assert!((8.0..=22.0).contains(&missed), "{missed}");
    // Who knows is never wrong.
    let all: Vec<usize> = (0..60).map(|i| i / 2 % 2).collect();
    assert_eq!(folds.missed(|_| Some(all.clone())), 0.0);
    assert_eq!(folds.missed(|_| Some(all.iter().map(|class| 1 - class).collect())), 0.0);
}
