use super::*;
use crate::error::SettingError;
use crate::graph::disjoint_sets::components;
use crate::graph::lengths::Support;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::model::draw::Sampler;
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::model::scale::{ScalePrior, ScaleUpdates};
use crate::latent_graph::search::score::varying::log_sum_exp;
use crate::latent_graph::{Inference, PaperSettings};
use crate::run::observer::Silent;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use proptest::prelude::*;
use rand::RngExt;

fn pairs(n_points: usize) -> Vec<Link> {
    let pair = |from: usize| (from + 1..n_points).map(move |to| Link { from, to, length: 1.0 });
    (0..n_points).flat_map(pair).collect()
}

/// The probability of each link, by going through all spanning trees among them.
fn by_enumeration(n_points: usize, links: &[Link], log_weights: &[f64]) -> Option<Vec<f64>> {
    let has = |chosen: usize, at: usize| chosen >> at & 1 == 1;
    let joins_all = |chosen: usize| {
        let own = (0..links.len()).filter(|&at| has(chosen, at)).map(|at| links[at]);
        components(n_points, own).n_clusters() == 1
    };
    let is_tree = |chosen: &usize| chosen.count_ones() as usize == n_points - 1 && joins_all(*chosen);
    let trees: Vec<usize> = (0..1usize << links.len()).filter(is_tree).collect();
    let weight = |tree: &usize| (0..links.len()).filter(|&at| has(*tree, at)).map(|at| log_weights[at]).sum();
    let logs: Vec<f64> = trees.iter().map(weight).collect();
    let total = log_sum_exp(&logs);
    let probability = |at: usize| {
        let own = trees.iter().zip(&logs).filter(|(tree, _)| has(**tree, at));
        own.map(|(_, log)| (log - total).exp()).sum()
    };
    (!trees.is_empty()).then(|| (0..links.len()).map(probability).collect())
}

/// The probabilities of all pairs from the full matrix, pair after pair.
fn dense(n_points: usize, log_weights: &[f64]) -> Option<Vec<f64>> {
    let links = pairs(n_points);
    let at = |i: usize, j: usize| links.iter().position(|link| (link.from, link.to) == (i, j)).unwrap();
    let found = dense_trees::edge_probabilities(n_points, |i, j| log_weights[at(i, j)])?;
    Some(links.iter().map(|link| found[link.from * n_points + link.to]).collect())
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10)
}

#[test]
fn a_triangle_by_hand() {
    // Weights 2, 3, 5 on 01, 02, 12: trees of 6, 10 and 15; 01 is in the first two.
    let log_weights = [2f64.ln(), 3f64.ln(), 5f64.ln()];
    let expected = [16.0 / 31.0, 21.0 / 31.0, 25.0 / 31.0];
    assert!(same(&Elimination::new(&pairs(3), 3).edge_probabilities(&log_weights).unwrap(), &expected));
    assert!(same(&dense(3, &log_weights).unwrap(), &expected));
}

#[test]
fn one_point_has_no_links_and_two_have_one() {
    assert_eq!(Elimination::new(&[], 1).edge_probabilities(&[]), Some(vec![]));
    assert!(same(&Elimination::new(&pairs(2), 2).edge_probabilities(&[-130.0]).unwrap(), &[1.0]));
    assert_eq!(Elimination::new(&[], 2).edge_probabilities(&[]), None);
    assert_eq!(dense(1, &[]), Some(vec![]));
    assert!(same(&dense(2, &[-130.0]).unwrap(), &[1.0]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn probabilities_are_those_of_all_trees_enumerated(
        n_points in 2usize..8, log_weights in prop::collection::vec(-130.0f64..130.0, 21), narrow in any::<bool>(),
        kept in 0usize..1 << 21,
    ) {
        let by = if narrow { 0.02 } else { 1.0 };
        let log_weights: Vec<f64> = log_weights.iter().map(|log| by * log).collect();
        let all = pairs(n_points);
        let expected = by_enumeration(n_points, &all, &log_weights).unwrap();
        prop_assert!(same(&dense(n_points, &log_weights).unwrap(), &expected));
        let some: Vec<usize> = (0..all.len()).filter(|at| kept >> at & 1 == 1 || kept >> (at + 1) & 1 == 1).collect();
        let links: Vec<Link> = some.iter().map(|&at| all[at]).collect();
        let own: Vec<f64> = some.iter().map(|&at| log_weights[at]).collect();
        let found = Elimination::new(&links, n_points).edge_probabilities(&own);
        match (found, by_enumeration(n_points, &links, &own)) {
            (Some(found), Some(expected)) => prop_assert!(same(&found, &expected)),
            (found, expected) => prop_assert_eq!(found, expected),
        }
    }

    #[test]
    fn those_of_a_class_add_up_to_one_less_than_its_points(
        n_points in 30usize..90, width in prop_oneof![Just(2.0), Just(130.0), Just(500.0)], seed in 0u64..1000,
    ) {
        let mut random = stream(seed, 0);
        let log_weights: Vec<f64> =
            (0..n_points * n_points).map(|_| random.random_range(-width..width)).collect();
        let found = dense_trees::edge_probabilities(n_points, |i, j| log_weights[i * n_points + j]).unwrap();
        let sum: f64 = found.iter().sum();
        prop_assert!((sum - n_points as f64 + 1.0).abs() < 1e-10, "{}", sum);
        let links = pairs(n_points);
        let own: Vec<f64> = links.iter().map(|link| log_weights[link.from * n_points + link.to]).collect();
        let sparse = Elimination::new(&links, n_points).edge_probabilities(&own).unwrap();
        let dense: Vec<f64> = links.iter().map(|link| found[link.from * n_points + link.to]).collect();
        prop_assert!(same(&sparse, &dense));
    }
}

/// Points in two clouds, their labels known, and a support.
fn fitted(support: Support, spread: f64) -> (LatentGraph, Vec<f64>, Vec<Option<usize>>) {
    let mut random = stream(5, 0);
    let mut place = |i: usize| {
        let unit: f64 = random.random_range(0.0..1.0);
        if i < 60 { spread.powf(unit) } else { -spread - 30.0 * unit }
    };
    let places: Vec<f64> = (0..200).map(|at| place(at / 2)).collect();
    let known = (0..100).map(|i| Some(usize::from(i >= 30))).collect();
    let n_clusters = NClusters::Exactly(2);
    (LatentGraph { n_clusters, support: Some(support), ..LatentGraph::default() }, places, known)
}

#[test]
fn the_links_of_a_fit_add_up_class_by_class_on_any_support() {
    for (support, spread) in [(Support::Complete, 10.0), (Support::Nearest, 10.0), (Support::Complete, 1e6)] {
        let (model, places, known) = fitted(support, spread);
        let observed =
            Dissimilarity::from_points(Points::new(places, 100, 2).unwrap(), Metric::Euclidean).unwrap();
        let fit = model.fit(&observed, &known).unwrap();
        let links = model.edge_probabilities(&observed, &fit, 0.0, &Silent).unwrap();
        for (class, size) in fit.labels.sizes().into_iter().enumerate() {
            let own = links.iter().filter(|link| link.class == class);
            let sum: f64 = own.map(|link| link.probability).sum();
            assert!((sum - size as f64 + 1.0).abs() < 1e-9, "{support:?} {spread} {class}: {sum}");
        }
        let ends = |link: &LikelyLink| (fit.labels.as_slice()[link.from], fit.labels.as_slice()[link.to]);
        assert!(links.iter().all(|link| ends(link) == (link.class, link.class)));
        let likely = model.edge_probabilities(&observed, &fit, 0.5, &Silent).unwrap();
        assert_eq!(likely.len(), links.iter().filter(|link| link.probability >= 0.5).count());
    }
}

#[test]
fn pairs_left_out_where_weights_span_too_much_have_no_probability() {
    // Scale 1 for lengths up to a million: log weights of -1e6 are beyond plain numbers.
    let places: Vec<f64> = (0..40).map(|i| 1.5f64.powi(i)).collect();
    let observed =
        Dissimilarity::from_points(Points::new(places, 40, 1).unwrap(), Metric::Euclidean).unwrap();
    let lengths = Lengths::complete(&observed);
    let members: Vec<usize> = (0..40).collect();
    let weight = LinkWeight {
        class: LinkLengths::Exponential { scale: 1.0 },
        background: LinkLengths::Exponential { scale: 1e5 },
    };
    let some = likely_links(&lengths, &members, weight);
    let all: Vec<Link> =
        pairs(40).into_iter().map(|link| Link { length: lengths.pair(link.from, link.to), ..link }).collect();
    assert!(some.len() < all.len());
    let log_weights: Vec<f64> = all.iter().map(|link| -weight.price(link.length)).collect();
    let exact = Elimination::new(&all, 40).edge_probabilities(&log_weights).unwrap();
    for (link, probability) in all.iter().zip(exact) {
        let found = some.iter().find(|(other, _)| (other.from, other.to) == (link.from, link.to));
        assert!((found.map_or(0.0, |found| found.1) - probability).abs() < 1e-10);
    }
}

#[test]
fn graphs_that_are_no_trees_are_refused() {
    let observed =
        Dissimilarity::from_points(Points::new(vec![0.0, 1.0, 3.0], 3, 1).unwrap(), Metric::Euclidean)
            .unwrap();
    let model = LatentGraph { n_clusters: NClusters::Exactly(1), ..LatentGraph::default() };
    let fit = model.fit(&observed, &[]).unwrap();
    let other = LatentGraph { graph_prior: GraphPrior::KNeighbours, ..model };
    assert!(matches!(
        other.edge_probabilities(&observed, &fit, 0.0, &Silent),
        Err(Error::Settings(SettingError::NeedsTrees { .. }))
    ));
}

/// $\log \sum_\nu p(L, \nu | C, \beta) + \log p(\beta)$ of one cluster, but for constants.
fn soft_objective(model: &Model<'_>, class: LinkLengths) -> f64 {
    let n = model.lengths.n_points();
    let weight = model.weight(class);
    let log_weights = pairs(n).into_iter().map(|link| -weight.price(model.lengths.pair(link.from, link.to)));
    Elimination::new(&pairs(n), n).log_sum(log_weights.collect()) + model.scale_step.log_prior(class)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn soft_steps_never_lower_the_sum_over_all_trees(
        n in 2usize..14, values in prop::collection::vec(0.01f64..4.0, 91), missing in any::<bool>(),
        gaussian in any::<bool>(), weak in any::<bool>(), scale in 0.05f64..3.0, spread in 0.1f64..2.0,
    ) {
        let mut values = values[..n * (n - 1) / 2].to_vec();
        if missing && n > 3 {
            values[1] = f64::NAN;
        }
        let checks = crate::input::Checks { missing: crate::input::Missing::Unobserved, ..crate::input::Checks::default() };
        let observed = Dissimilarity::from_condensed(&values[..], crate::input::Quantity::Distances, checks).unwrap();
        let likelihood = if gaussian { Likelihood::Gaussian } else { Likelihood::Exponential };
        let scale_prior = if weak { ScalePrior::Weak } else { ScalePrior::None };
        let settings = LatentGraph { likelihood, scale_prior, ..LatentGraph::default() };
        let lengths = Lengths::complete(&observed);
        let model = settings.model(&lengths, &global_tree(&observed, &Silent)).unwrap();
        let members: Vec<usize> = (0..n).collect();
        let mut class = match likelihood {
            Likelihood::Exponential => LinkLengths::Exponential { scale },
            Likelihood::Gaussian => LinkLengths::Gaussian { scale, spread },
        };
        let mut before = soft_objective(&model, class);
        for _ in 0..6 {
            class = model.soft_step(&members, class);
            // A spread of nothing has a density without bound.
            prop_assume!(class.spread() > 1e-6);
            let after = soft_objective(&model, class);
            prop_assert!(after >= before - 1e-9 * before.abs().max(1.0), "{} {}", before, after);
            before = after;
        }
    }
}

#[test]
fn soft_scales_are_nearer_to_the_truth_than_hard_ones_on_average() {
    let scales = [0.04, 0.12];
    let exponential = |scale: f64| LinkLengths::Exponential { scale };
    let sampler = Sampler {
        classes: scales.map(exponential).to_vec(),
        background: exponential(1.0),
        graph_prior: GraphPrior::Tree,
        prior_neighbours: 1,
    };
    let mut errors = [0.0, 0.0];
    for seed in 0..20 {
        let drawn = sampler.draw(40, seed).unwrap();
        let observed = drawn.observed().unwrap();
        let known: Vec<Option<usize>> = drawn.classes.iter().copied().map(Some).collect();
        for (error, scale_updates) in errors.iter_mut().zip([ScaleUpdates::Hard, ScaleUpdates::Soft]) {
            let inference = Some(Inference::Paper(PaperSettings { scale_updates, n_restarts: 1 }));
            let n_clusters = NClusters::Exactly(2);
            let model = LatentGraph { n_clusters, inference, ..LatentGraph::default() };
            let fit = model.fit(&observed, &known).unwrap();
            for (class, found) in drawn.classes.iter().zip(fit.labels.as_slice()) {
                *error += (fit.scales[*found] / scales[*class]).ln().abs() / 800.0;
            }
        }
    }
    assert!(errors[1] <= errors[0], "hard {} soft {}", errors[0], errors[1]);
}

#[test]
fn soft_updates_settle() {
    let (model, places, _) = fitted(Support::Complete, 10.0);
    let observed =
        Dissimilarity::from_points(Points::new(places, 100, 2).unwrap(), Metric::Euclidean).unwrap();
    let paper = PaperSettings { scale_updates: ScaleUpdates::Soft, n_restarts: 2 };
    let model = LatentGraph { inference: Some(Inference::Paper(paper)), ..model };
    let fit = model.fit(&observed, &[]).unwrap();
    let lengths = Lengths::complete(&observed);
    let fixed = model.model(&lengths, &global_tree(&observed, &Silent)).unwrap();
    for (class, members) in members(fit.labels.as_slice()).iter().enumerate() {
        let again = fixed.soft_step(members, fit.class_lengths(class)).scale();
        assert!((again / fit.scales[class] - 1.0).abs() < 1e-5, "{class}");
    }
    let other = LatentGraph { graph_prior: GraphPrior::Connected, ..model };
    assert!(matches!(other.fit(&observed, &[]), Err(Error::Settings(SettingError::NeedsTrees { .. }))));
}
