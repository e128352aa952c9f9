//! Soft pairs: certain ones are hard, those that say nothing change nothing, and the score counts the others.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use similis::{
    Auto, Dissimilarity, Error, LatentFeature, LatentGraph, Metric, NClusters, Points, SideInformation,
    Silent, SoftPair,
};

/// Two clouds of `n` points that touch, a point of each in turn.
fn clouds(n: usize, seed: u64) -> Dissimilarity<'static> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(88_172_645_463_325_252);
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut coordinate =
        |at: usize| random() + random() + random() + if at.is_multiple_of(4) { 2.5 } else { 0.0 };
    let points = Points::new((0..4 * n).map(&mut coordinate).collect::<Vec<_>>(), 2 * n, 2).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn model(n_clusters: NClusters) -> LatentGraph {
    LatentGraph { n_clusters, ..LatentGraph::default() }
}

fn soft(soft_pairs: Vec<SoftPair>) -> SideInformation {
    SideInformation { soft_pairs, ..SideInformation::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn certain_pairs_are_hard_ones_and_pairs_that_say_nothing_change_nothing(
        seed in 0u64..1000, ends in prop::collection::vec((0usize..30, 0usize..30), 1..5), per_class in any::<bool>()
    ) {
        let observed = clouds(15, seed);
        let ends: Vec<(usize, usize)> = ends.into_iter().filter(|(i, j)| i != j).collect();
        let model = model(NClusters::Exactly(2));
        let model = if per_class { model.with(&[("scales", "per-class")]).unwrap() } else { model };
        // As text, in which NaN is itself and numbers have all their digits.
        let fit = |side: SideInformation| format!("{:?}", model.fit(&observed, side));
        let nothing = ends.iter().map(|&(first, second)| SoftPair::apart(first, second, 0.5)).collect();
        prop_assert!(fit(soft(nothing)) == fit(SideInformation::default()));
        let must = SideInformation { must_link: ends.clone(), ..SideInformation::default() };
        let certain = ends.iter().map(|&(first, second)| SoftPair::together(first, second, 1.0)).collect();
        prop_assert!(fit(soft(certain)) == fit(must));
        let cannot = SideInformation { cannot_link: ends.clone(), ..SideInformation::default() };
        let certain = ends.iter().map(|&(first, second)| SoftPair::together(first, second, 0.0)).collect();
        prop_assert!(fit(soft(certain)) == fit(cannot));
    }

    #[test]
    fn the_score_of_every_partition_counts_the_pairs_that_it_breaks(
        seed in 0u64..1000, pairs in prop::collection::vec((0usize..30, 0usize..30, -40i32..40), 1..6), per_class in any::<bool>()
    ) {
        let observed = clouds(15, seed);
        let pair = |(first, second, tenths): (usize, usize, i32)| SoftPair { first, second, weight: f64::from(tenths) / 10.0 };
        let pairs: Vec<SoftPair> = pairs.into_iter().map(pair).filter(|pair| pair.first != pair.second).collect();
        let model = model(NClusters::Exactly(2));
        let model = if per_class { model.with(&[("scales", "per-class")]).unwrap() } else { model };
        let fit = model.fit(&observed, soft(pairs.clone())).unwrap();
        for proposal in &fit.proposals {
            let labels = proposal.labels.as_slice();
            let broken = pairs.iter().filter(|pair| (labels[pair.first] == labels[pair.second]) != (pair.weight > 0.0));
            let expected: f64 = broken.map(|pair| pair.weight.abs()).sum();
            prop_assert!((proposal.score.side + expected).abs() < 1e-9, "{} {}", proposal.score.side, expected);
        }
        // No other answer is known that is better, that of a fit without them among others.
        let free = model.fit(&observed, &[]).unwrap();
        let labels = free.labels.as_slice();
        let broken = pairs.iter().filter(|pair| (labels[pair.first] == labels[pair.second]) != (pair.weight > 0.0));
        let penalty: f64 = broken.map(|pair| pair.weight.abs()).sum();
        prop_assert!(fit.proposals[0].score.total() >= free.proposals[0].score.total() - penalty - 1e-6);
    }
}

#[test]
fn a_pair_moves_a_point_if_it_outweighs_what_the_distances_say() {
    let observed = clouds(40, 3);
    let model = model(NClusters::Exactly(2));
    let free = model.fit(&observed, &[]).unwrap();
    let labels = free.labels.as_slice();
    // Two points in the middle of different clusters.
    let medoids = similis::evaluate::medoids(&observed, &free.labels, &[]).unwrap();
    let (first, second) = (medoids[0].point, medoids[1].point);
    assert_ne!(labels[first], labels[second]);
    let fit = |weight: f64| model.fit(&observed, soft(vec![SoftPair { first, second, weight }])).unwrap();
    assert_eq!(fit(0.01).labels, free.labels);
    assert_eq!(fit(-5.0).labels, free.labels);
    let strong = fit(500.0);
    assert_eq!(strong.labels.as_slice()[first], strong.labels.as_slice()[second]);
    // Against as strong a pair only the distances count.
    let both = vec![SoftPair { first, second, weight: 500.0 }, SoftPair { first, second, weight: -500.0 }];
    assert_eq!(model.fit(&observed, soft(both)).unwrap().labels, free.labels);
}

#[test]
fn the_number_of_clusters_counts_them_and_known_labels_stay_certain() {
    let observed = clouds(40, 5);
    let free = model(NClusters::Auto).fit(&observed, &[]).unwrap();
    assert!(free.numbers.iter().all(|row| row.side == 0.0));
    let apart: Vec<SoftPair> = (0..20).map(|at| SoftPair::apart(2 * at, 2 * at + 1, 0.99)).collect();
    let found = model(NClusters::Auto).fit(&observed, soft(apart.clone())).unwrap();
    assert!(found.labels.n_clusters() > 1);
    let one = found.numbers.iter().find(|row| row.n_clusters == 1).unwrap();
    assert!((one.side + 20.0 * 99f64.ln()).abs() < 1e-9, "{}", one.side);
    let mut known_labels = vec![None; 80];
    (known_labels[0], known_labels[1]) = (Some(7), Some(7));
    let side = SideInformation { known_labels, soft_pairs: apart, ..SideInformation::default() };
    let fit = model(NClusters::Exactly(2)).fit(&observed, side).unwrap();
    assert_eq!(fit.labels.as_slice()[0], fit.labels.as_slice()[1]);
}

#[test]
fn what_does_not_know_soft_pairs_refuses_them() {
    let observed = clouds(15, 1);
    let words = |error: Error| error.to_string();
    let side = || soft(vec![SoftPair::together(0, 1, 0.9)]);
    for setting in [("inference", "paper"), ("inference", "sample"), ("likelihood", "gaussian")] {
        let other = model(NClusters::Exactly(2)).with(&[setting]).unwrap();
        let told = words(other.fit(&observed, side()).unwrap_err());
        assert!(told.contains("pairs that are probable") && told.contains("inference = search"), "{told}");
    }
    let features = LatentFeature { n_clusters: NClusters::Exactly(2), ..LatentFeature::default() };
    assert!(words(features.fit(&observed, side()).unwrap_err()).contains("only the latent graph model"));
    assert!(Auto::new(NClusters::Exactly(2)).fit_observed(&observed, side(), &Silent).is_ok());
    let wrong =
        |pair: SoftPair| words(model(NClusters::Exactly(2)).fit(&observed, soft(vec![pair])).unwrap_err());
    assert!(wrong(SoftPair::together(0, 30, 0.9)).contains("30"));
    assert!(wrong(SoftPair::together(0, 1, f64::NAN)).contains("probability from 0 to 1"));
    assert!(wrong(SoftPair::together(0, 1, 1.5)).contains("probability from 0 to 1"));
    assert!(wrong(SoftPair::apart(3, 3, 0.9)).contains('3'));
    assert!(model(NClusters::Exactly(2)).fit(&observed, soft(vec![SoftPair::together(3, 3, 0.9)])).is_ok());
}
