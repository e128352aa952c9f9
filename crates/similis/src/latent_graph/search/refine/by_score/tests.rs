use super::*;
use crate::constraints::NONE;
use crate::graph::lengths::Lengths;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::context::Context;
use crate::latent_graph::model::prior::{GraphPrior, Prior, SizePrior};
use crate::latent_graph::search::score::Scorer;
use crate::latent_graph::settings::inference::{
    PaperSettings, Scales, Score, ScoreSettings, SearchParts, SearchSettings,
};
use crate::latent_graph::{Inference, LatentGraph};
use crate::plan::Plan;
use crate::run::observer::Silent;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use rand::RngExt;

fn plane(values: &[f64]) -> Dissimilarity<'_> {
    Dissimilarity::from_points(Points::new(values, values.len() / 2, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// Uniform points, in every third case on a lattice, so that there are ties and duplicates.
fn places(case: u64, n: usize) -> Vec<f64> {
    let mut random = stream(31, case);
    let lattice = |x: f64| if case.is_multiple_of(3) { (6.0 * x).floor() } else { x };
    (0..2 * n).map(|_| lattice(random.random())).collect()
}

fn one_scale(case: u64) -> ScoreSettings {
    ScoreSettings {
        score: Score::BestTree,
        scales: Scales::PerClass,
        shape: if case.is_multiple_of(2) { 1.0 } else { 2.0 },
        size_prior: if case % 4 < 2 { SizePrior::Dirichlet } else { SizePrior::Constant },
        walk_weight: if case % 5 < 3 { 1.0 } else { 0.0 },
        ..ScoreSettings::default()
    }
}

/// The paper's own score: exponential lengths, one scale for each cluster, its best tree, constant priors.
fn of_the_paper() -> ScoreSettings {
    ScoreSettings {
        scales: Scales::PerClass,
        shape: 1.0,
        size_prior: SizePrior::Constant,
        walk_weight: 0.0,
        ..ScoreSettings::default()
    }
}

fn searched(scoring: ScoreSettings, n_clusters: usize, seed: u64) -> LatentGraph {
    let ScoreSettings { score, scales, step, shape, size_prior, walk_weight, valley_weight } = scoring;
    let search = SearchSettings {
        score,
        scales,
        step,
        shape,
        walk_weight,
        valley_weight,
        ..SearchSettings::default()
    };
    LatentGraph {
        n_clusters: NClusters::Exactly(n_clusters),
        size_prior: Some(size_prior),
        inference: Some(Inference::Search(search)),
        seed,
        ..LatentGraph::default()
    }
}

/// Labels at random, every cluster with at least one point.
fn labels_at_random(n: usize, n_clusters: usize, random: &mut Random) -> Vec<usize> {
    let mut labels: Vec<usize> = (0..n).map(|_| random.random_range(0..n_clusters)).collect();
    (0..n_clusters).for_each(|cluster| labels[cluster] = cluster);
    labels
}

/// Makes moves of every kind on one input and checks what each gains; how many of points, subtrees, and splits with merges.
fn checked_moves(case: u64) -> [usize; 3] {
    let (values, scoring, n_clusters) = (places(case, 40), one_scale(case), 2 + case as usize % 3);
    let observed = plane(&values);
    let context = Context::new(&observed, &Silent);
    let lengths = Lengths::complete_with_lists(&observed);
    let prior = Prior::new(GraphPrior::Tree, scoring.size_prior, 1, 40);
    let (shape, parts) = (scoring.shape, SearchParts::default());
    let (context, support, plan) = (&context, &lengths, Plan::new(40, true));
    let problem = Problem { context, support, prior, constraints: &NONE, shape, parts, plan };
    let valuation = Valuation::new(&problem, &scoring, n_clusters);
    let (scorer, mut random) = (Scorer::new(scoring, context), stream(32, case));
    let labels = labels_at_random(40, n_clusters, &mut random);
    let mut ascent = Ascent::new(&problem, &valuation, &labels);
    let mut score = scorer.score(&labels).total();
    let mut check = |gain: Gain, labels: &[usize]| {
        let new = scorer.score(labels).total();
        let predicted = score + gain.score;
        assert!((new - predicted).abs() <= 1e-9 * new.abs().max(1.0), "{case}: {new} {predicted}");
        assert!(new > score, "{case}");
        score = new;
    };
    let mut n_moves = [0; 3];
    for i in (0..3).flat_map(|_| 0..40) {
        if let Some(gain) = ascent.move_point(i) {
            check(gain, ascent.forest.labels());
            n_moves[0] += 1;
        }
        if let Some(gain) = (i == 39).then(|| ascent.move_subtree()).flatten() {
            check(gain, ascent.forest.labels());
            n_moves[1] += 1;
        }
    }
    while let Some(better) = ascent.split_and_merge(&mut random, &Silent) {
        check(better.gain_over(&ascent), better.forest.labels());
        ascent = better;
        n_moves[2] += 1;
    }
    n_moves
}

#[test]
fn every_move_raises_the_score_by_what_it_predicted() {
    let moves: Vec<[usize; 3]> = (0..60).map(checked_moves).collect();
    let [points, subtrees, splits] = [0, 1, 2].map(|kind| moves.iter().map(|n| n[kind]).sum::<usize>());
    assert!(points > 1000 && subtrees > 10 && splits > 20, "{points} {subtrees} {splits}");
}

#[test]
fn the_search_never_ends_below_the_printed_algorithm() {
    for case in 0..100 {
        let values = places(case, 30);
        let observed = plane(&values);
        let n_clusters = 2 + case as usize % 4;
        let search = searched(of_the_paper(), n_clusters, case);
        let printed = LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..search };
        let score = |model: &LatentGraph| {
            let fit = model.fit(&observed, &[]).unwrap();
            of_the_paper().score(&observed, &fit.labels, &Silent).unwrap().total()
        };
        let (ours, theirs) = (score(&search), score(&printed));
        assert!(ours >= theirs - 1e-9 * theirs.abs(), "{case}: {ours} {theirs}");
    }
}

/// Three groups of points of unlike scale, in reach of one another.
fn planted(case: u64) -> Vec<f64> {
    let mut random = stream(33, case);
    let sizes = [[4, 4, 4], [3, 4, 5], [2, 4, 6]][case as usize % 3];
    let mut values = Vec::new();
    for size in sizes {
        let (x, y): (f64, f64) = (random.random(), random.random());
        let scale = 10f64.powf(-2.0 * random.random::<f64>());
        for _ in 0..size {
            values.extend([x + scale * random.random::<f64>(), y + scale * random.random::<f64>()]);
        }
    }
    values
}

/// The greatest score of all partitions of 12 points into three clusters, from the scores of all sets of points.
fn best_of_all(observed: &Dissimilarity<'_>, scoring: ScoreSettings) -> f64 {
    let context = Context::new(observed, &Silent);
    let scorer = Scorer::new(scoring, &context);
    let prior = Prior::new(GraphPrior::Tree, scoring.size_prior, 1, 12);
    let of_set = |set: u32| {
        let members: Vec<usize> = (0..12).filter(|i| set >> i & 1 == 1).collect();
        prior.log_class(members.len()) + scorer.class(&members, || None).per_step[0]
    };
    let all: Vec<f64> = (0..1u32 << 12).map(|set| if set == 0 { 0.0 } else { of_set(set) }).collect();
    let everyone = (1u32 << 12) - 1;
    let mut best = f64::NEG_INFINITY;
    // The first cluster has point 0, the second the first point that is left.
    for first in (1..everyone).step_by(2) {
        let rest = everyone & !first;
        let lowest = rest & rest.wrapping_neg();
        let mut second = rest;
        while second > 0 {
            if second & lowest != 0 && second != rest {
                best = best.max(all[first as usize] + all[second as usize] + all[(rest & !second) as usize]);
            }
            second = (second - 1) & rest;
        }
    }
    best
}

#[test]
fn the_search_finds_the_best_of_all_partitions_of_twelve_points() {
    let mut n_found = 0;
    for case in 0..200 {
        let values = planted(case);
        let observed = plane(&values);
        let scoring = of_the_paper();
        let fit = searched(scoring, 3, 0).fit(&observed, &[]).unwrap();
        let found = scoring.score(&observed, &fit.labels, &Silent).unwrap().total();
        let best = best_of_all(&observed, scoring);
        assert!(found <= best + 1e-9 * best.abs(), "{case}: {found} {best}");
        n_found += usize::from(found >= best - 1e-9 * best.abs());
    }
    assert!(n_found >= 190, "{n_found} of 200");
}

#[test]
fn known_labels_stay_through_splits_and_merges() {
    for case in 0..10 {
        let values = places(case, 30);
        let observed = plane(&values);
        let known: Vec<Option<usize>> = (0..30).map(|i| (i % 5 == 0).then_some(i % 2)).collect();
        let fit = searched(one_scale(case), 3, 0).fit(&observed, &known).unwrap();
        let label = |i: usize| fit.labels.as_slice()[i];
        for (i, j) in (0..6).flat_map(|a| (0..a).map(move |b| (5 * a, 5 * b))) {
            assert_eq!(label(i) == label(j), known[i] == known[j], "{case}");
        }
        assert_eq!(Labels::new(fit.labels.as_slice()).n_clusters(), 3);
    }
}
