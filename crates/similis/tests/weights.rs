//! A weight of w is w equal points.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use similis::latent_feature::{FeatureInference, Grouping, LatentFeatureFit, Variant};
use similis::latent_graph::{Inference, Noise, NumberScore, SearchSettings};
use similis::{
    Affinity, Checks, Dissimilarity, Labels, LatentFeature, LatentGraph, LatentGraphFit, Metric, NClusters,
    Points, Quantity, SideInformation,
};

fn plane(rows: &[[f64; 2]]) -> Dissimilarity<'static> {
    let points = Points::new(rows.concat(), rows.len(), 2).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn matrix(rows: &[[f64; 2]]) -> Dissimilarity<'static> {
    let (points, n) = (plane(rows), rows.len());
    let square: Vec<f64> = (0..n * n).map(|at| points.pair(at / n, at % n).unwrap()).collect();
    Dissimilarity::from_square(square, [n, n], Quantity::Distances, Checks::default()).unwrap()
}

fn weighted(weights: &[usize]) -> SideInformation {
    SideInformation { weights: weights.iter().map(|&w| w as f64).collect(), ..SideInformation::default() }
}

/// Every row as often as its weight says.
fn copied(rows: &[[f64; 2]], weights: &[usize]) -> Vec<[f64; 2]> {
    rows.iter().zip(weights).flat_map(|(&row, &w)| std::iter::repeat_n(row, w)).collect()
}

/// What does not depend on the number of rows, bit by bit.
fn bits(fit: &LatentGraphFit) -> Vec<u64> {
    let numbers = fit.numbers.iter().map(NumberScore::total);
    let proposals = fit.proposals.iter().map(|proposal| proposal.score.total());
    let rest = [fit.log_joint.total(), fit.background.scale()];
    numbers.chain(proposals).chain(fit.scales.iter().copied()).chain(rest).map(f64::to_bits).collect()
}

/// Whole numbers in the plane, of which some are equal, and their weights.
fn rows() -> impl Strategy<Value = (Vec<[f64; 2]>, Vec<usize>)> {
    let row = ((0u8..9, 0u8..9), 1usize..5);
    prop::collection::vec(row, 4..40)
        .prop_map(|rows| rows.into_iter().map(|((x, y), w)| ([f64::from(x), f64::from(y)], w)).unzip())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn whole_weights_give_the_bits_of_copies((rows, weights) in rows(), noise in any::<bool>(), auto in any::<bool>()) {
        let noise = if noise { Noise::Background } else { Noise::None };
        let inference = Some(Inference::Search(SearchSettings { noise, ..SearchSettings::default() }));
        let n_clusters = if auto { NClusters::Auto } else { NClusters::Exactly(2) };
        let model = LatentGraph { n_clusters, inference, ..LatentGraph::default() };
        let all = copied(&rows, &weights);
        let (by_weight, by_copy) = (model.fit(&plane(&rows), weighted(&weights)), model.fit(&plane(&all), &[]));
        prop_assert_eq!(by_weight.is_ok(), by_copy.is_ok());
        if let (Ok(by_weight), Ok(by_copy)) = (by_weight, by_copy) {
            prop_assert_eq!(bits(&by_weight), bits(&by_copy));
            let own = by_weight.labels_or_noise();
            let expected: Vec<Option<usize>> =
                own.iter().zip(&weights).flat_map(|(&label, &w)| std::iter::repeat_n(label, w)).collect();
            let others = by_copy.labels_or_noise();
            prop_assert_eq!(Labels::new(&expected), Labels::new(&others));
            let is_noise = |labels: &[Option<usize>]| labels.iter().map(Option::is_none).collect::<Vec<_>>();
            prop_assert_eq!(is_noise(&expected), is_noise(&others));
        }
    }
}

/// What latent features find, bit by bit, of the first copy of each row.
fn feature_bits(fit: &LatentFeatureFit, firsts: impl Iterator<Item = usize>) -> Vec<u64> {
    let rows = firsts.flat_map(|i| [fit.embedding.row(i), fit.features.row(i)].concat());
    let joint = [fit.log_joint.total(), fit.conditionals.noise];
    rows.chain(joint).chain(fit.eigenvalues.iter().copied()).map(f64::to_bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whole_weights_give_latent_features_the_bits_of_copies(
        (rows, weights) in rows(),
        variant in prop::sample::select(vec![Variant::Lemma1, Variant::NgJordanWeiss, Variant::MeilaShi]),
        affinity in prop::sample::select(vec![Affinity::Nearest, Affinity::Local, Affinity::Gaussian]),
        mixture in any::<bool>(),
        auto in any::<bool>(),
    ) {
        let n_clusters = if auto { NClusters::Auto } else { NClusters::Exactly(2) };
        let grouping = if mixture { Grouping::Mixture } else { Grouping::KMeans };
        let model = LatentFeature { n_clusters, variant, affinity, grouping, ..LatentFeature::default() };
        let all = copied(&rows, &weights);
        let (by_weight, by_copy) = (model.fit(&plane(&rows), weighted(&weights)), model.fit(&plane(&all), &[]));
        prop_assert_eq!(by_weight.is_ok(), by_copy.is_ok());
        if let (Ok(by_weight), Ok(by_copy)) = (by_weight, by_copy) {
            let firsts = weights.iter().scan(0, |next, &w| {
                let first = *next;
                *next += w;
                Some(first)
            });
            prop_assert_eq!(feature_bits(&by_weight, 0..rows.len()), feature_bits(&by_copy, firsts));
            let expected: Vec<usize> =
                by_weight.labels.as_slice().iter().zip(&weights).flat_map(|(&label, &w)| std::iter::repeat_n(label, w)).collect();
            prop_assert_eq!(Labels::new(&expected), by_copy.labels);
        }
    }
}

#[test]
fn eigenvalues_of_weighted_similarities_are_those_of_all_copies() {
    // Every item as often as its weight says: equal items are as alike as an item is to itself.
    let (weights, mut next) = ([1usize, 3, 2, 1, 4, 2], normals());
    let square: Vec<f64> = (0..36).map(|_| next().abs()).collect();
    let alike = |i: usize, j: usize| square[6 * i + j] + square[6 * j + i];
    let matrix = |items: &[usize]| {
        let values = items.iter().flat_map(|&i| items.iter().map(move |&j| (i, j)));
        let values: Vec<f64> = values.map(|(i, j)| alike(i, j)).collect();
        Dissimilarity::from_square(values, [items.len(); 2], Quantity::Similarities, Checks::default())
            .unwrap()
    };
    let copies: Vec<usize> = (0..6).flat_map(|i| std::iter::repeat_n(i, weights[i])).collect();
    let model = LatentFeature {
        n_clusters: NClusters::Exactly(2),
        variant: Variant::Lemma1,
        ..LatentFeature::default()
    };
    let by_weight = model.fit(&matrix(&[0, 1, 2, 3, 4, 5]), weighted(&weights)).unwrap();
    let by_copy = model.fit(&matrix(&copies), &[]).unwrap();
    for (a, b) in by_weight.eigenvalues.iter().zip(&by_copy.eigenvalues) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    for (at, &i) in copies.iter().enumerate() {
        let [own, other] = [by_weight.features.row(i), by_copy.features.row(at)];
        let product = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
        assert!((product(own) - product(other)).abs() < 1e-9, "{own:?} {other:?}");
        assert_eq!(by_weight.labels.as_slice()[i], by_copy.labels.as_slice()[at]);
    }
    let joint = LatentFeature { feature_inference: FeatureInference::Joint, ..model };
    assert!(joint.fit(&matrix(&[0, 1, 2, 3, 4, 5]), weighted(&weights)).is_err());
}

/// Nearly normal numbers, the same everywhere.
fn normals() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}

/// Three clouds of 60 points.
fn clouds() -> Vec<[f64; 2]> {
    let mut normal = normals();
    (0..180)
        .map(|i| {
            let [x, y] = [[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]][i / 60];
            [x + normal(), y + normal()]
        })
        .collect()
}

#[test]
fn the_same_points_given_several_times_have_the_same_clusters() {
    let (rows, model) = (clouds(), LatentGraph::default());
    let once = model.fit(&plane(&rows), &[]).unwrap();
    assert_eq!(once.labels.n_clusters(), 3);
    for times in [2, 3, 10] {
        let several = model.fit(&plane(&copied(&rows, &[times; 180])), &[]).unwrap();
        let firsts: Vec<usize> = several.labels.as_slice().iter().step_by(times).copied().collect();
        assert_eq!(firsts, once.labels.as_slice(), "{times} times");
        assert_eq!(several.graph.len(), 180 * times - 3);
    }
    let of_matrix = model.fit(&matrix(&copied(&rows, &[2; 180])), &[]).unwrap();
    let of_points = model.fit(&plane(&copied(&rows, &[2; 180])), &[]).unwrap();
    assert_eq!(of_matrix.labels, of_points.labels);
}

#[test]
fn whole_numbers_have_the_clusters_that_their_counts_tell() {
    // Two clouds whose points are rounded: most places of the lattice between them are taken.
    let mut normal = normals();
    let rows: Vec<[f64; 2]> = (0..3000)
        .map(|i| [(2.0 * normal() + 12.0 * f64::from(i / 1500)).round(), (2.0 * normal()).round()])
        .collect();
    let fit = LatentGraph::default().fit(&plane(&rows), &[]).unwrap();
    assert_eq!(fit.labels.n_clusters(), 2, "{}", fit.labels);
    let right = (0..3000).filter(|&i| fit.labels.as_slice()[i] == fit.labels.as_slice()[1500 * (i / 1500)]);
    assert!(right.count() > 2900);
}

#[test]
fn a_weight_of_0_leaves_a_point_out_and_gives_it_the_label_of_its_neighbour() {
    let mut rows = clouds();
    let model = LatentGraph { n_clusters: NClusters::Exactly(3), ..LatentGraph::default() };
    let without = model.fit(&plane(&rows), &[]).unwrap();
    rows.splice(0..0, [[9.5, 0.5], [100.0, 100.0]]);
    let weights: Vec<usize> = [0, 0].into_iter().chain([1; 180]).collect();
    let fit = model.fit(&plane(&rows), weighted(&weights)).unwrap();
    assert_eq!(Labels::new(&fit.labels.as_slice()[2..]), without.labels);
    assert_eq!(fit.labels.as_slice()[0], fit.labels.as_slice()[2 + 60]);
    assert_eq!(fit.graph.len(), 182 - 3);
}

#[test]
fn bad_weights_are_answered_clearly() {
    let observed = plane(&clouds());
    let fit = |weights: Vec<f64>, side: SideInformation| {
        let side = SideInformation { weights, ..side };
        LatentGraph::default().fit(&observed, side).unwrap_err().to_string()
    };
    let none = SideInformation::default;
    assert!(fit(vec![1.0; 3], none()).contains("one for each of the 180 points, got 3"));
    let mut bad = vec![1.0; 180];
    bad[7] = -2.0;
    assert!(fit(bad.clone(), none()).contains("got -2 in row 7"));
    bad[7] = f64::NAN;
    assert!(fit(bad.clone(), none()).contains("row 7"));
    assert!(fit(vec![0.0; 180], none()).contains("all are zero"));
    bad[7] = 0.0;
    let pairs = SideInformation { must_link: vec![(0, 1)], ..none() };
    assert!(fit(bad, pairs).contains("row 7"));
    let side = SideInformation { weights: vec![2.0; 180], ..none() };
    let paper = LatentGraph { n_clusters: NClusters::Exactly(3), ..LatentGraph::paper() };
    assert!(paper.fit(&observed, side).unwrap_err().to_string().contains("inference = search"));
}
