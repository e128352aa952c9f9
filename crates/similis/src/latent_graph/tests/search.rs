use super::*;

#[test]
fn single_equal_and_extreme_points_have_finite_scales_and_the_clusters_asked_for() {
    for places in
        [vec![3.0], vec![1.0, 2.0], vec![5.0; 9], vec![0.0, 1e-300, 1.0, 1e300], vec![0.0, 0.0, 1.0, 1.0]]
    {
        for m in 1..=places.len().min(3) {
            for settings in [LatentGraph::default(), LatentGraph::paper()] {
                for graph_prior in [GraphPrior::Tree, GraphPrior::Connected, GraphPrior::KNeighbours] {
                    let settings = LatentGraph { n_clusters: NClusters::Exactly(m), graph_prior, ..settings };
                    let settings = settings.with(&[("n_restarts", "2")]).unwrap();
                    let fit = fit_line(&settings, places.clone());
                    assert_eq!(fit.labels.n_clusters(), m);
                    assert!(!fit.log_joint.total().is_nan(), "{places:?} {settings:?}");
                    assert!(fit.scales.iter().chain(&fit.spreads).all(|x| x.is_finite()));
                }
            }
        }
    }
}

#[test]
fn every_tree_of_four_points_is_drawn_as_often() {
    let mut random = stream(23, 0);
    let n_draws = 16_000;
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..n_draws {
        let mut tree = crate::latent_graph::model::draw::uniform_tree(4, &mut random);
        tree.sort_unstable();
        *counts.entry(tree).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 16);
    let chi_square: f64 = counts.values().map(|&count| f64::from(count - 1000).powi(2) / 1000.0).sum();
    // 15 degrees of freedom: above 37.7 once in a thousand seeds.
    assert!(chi_square < 37.7, "{chi_square}");
}

#[test]
fn scales_labels_graph_and_lengths_are_all_drawn() {
    let likelihood = Likelihood::Exponential;
    let step = ScaleStep {
        likelihood,
        prior: ScalePrior::Weak,
        typical_length: 2.0,
        typical_spread: 1.0,
        floor: 1e-9,
    };
    let background = LinkLengths::Exponential { scale: 100.0 };
    let sampler = Sampler::with_drawn_scales(&step, background, 3, 5);
    assert!(sampler.classes[0] != sampler.classes[1]);
    let drawn = sampler.draw(50, 5).unwrap();
    assert_eq!((drawn.links.len(), drawn.lengths.len()), (50 - drawn.labels.n_clusters(), 1225));
}

#[test]
fn samples_have_the_lengths_of_their_classes() {
    let drawn = sampler([1.0, 5.0], 1000.0).draw(200, 1).unwrap();
    assert_eq!(drawn.links.len(), 198);
    for (class, scale) in [1.0, 5.0].into_iter().enumerate() {
        let lengths: Vec<f64> = drawn
            .links
            .iter()
            .filter(|link| drawn.classes[link.from] == class)
            .map(|link| link.length)
            .collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!((mean - scale).abs() < 4.0 * scale / (lengths.len() as f64).sqrt());
    }
    assert_eq!(drawn, sampler([1.0, 5.0], 1000.0).draw(200, 1).unwrap());
    let lists = Sampler { graph_prior: GraphPrior::KNeighbours, ..sampler([1.0, 5.0], 1000.0) };
    let drawn = lists.draw(60, 1).unwrap();
    let degree = |i: usize| drawn.links.iter().filter(|link| link.from == i || link.to == i).count();
    assert!((0..60).all(|i| degree(i) >= 5));
    assert_eq!(sampler([1.0, 5.0], 1.0).draw(0, 1), Err(Error::Input(InputError::NoPoints)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn any_draw_from_the_model_is_an_admissible_state(n in 2usize..40, seed in 0u64..1000) {
        let drawn = sampler([1.0, 5.0], 100.0).draw(n, seed).unwrap();
        let prior = Prior::new(GraphPrior::Tree, SizePrior::Dirichlet, 5, n);
        prop_assert!(prior.log_graph(&drawn.labels, &drawn.links).is_finite());
    }
}

#[test]
fn from_the_true_labels_the_simulated_classes_and_their_scales_are_kept() {
    for seed in 0..5 {
        let drawn = far_background(seed);
        let found = run_from(&drawn, &drawn.classes, &LatentGraph::default());
        let agreement = adjusted_rand_index(&Labels::new(&found.labels), &drawn.labels).unwrap();
        assert!(agreement > 0.9, "seed {seed}: {agreement}");
        for (class, scale) in [1.0, 5.0].into_iter().enumerate() {
            let n_links = found.links[class].len() as f64;
            let error = (found.classes[class].scale() / scale - 1.0).abs();
            assert!(error < 3.0 / n_links.sqrt(), "seed {seed}, class {class}: {error}");
        }
    }
}

#[test]
fn the_search_comes_near_the_simulated_classes() {
    // Where the paper's algorithm ends at chance (the next test but one), although the lengths are of no plane.
    let near = |seed: &u64| {
        let drawn = far_background(*seed);
        let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
        let fit = settings.fit(&drawn.observed().unwrap(), &[]).unwrap();
        adjusted_rand_index(&fit.labels, &drawn.labels).unwrap() > 0.5
    };
    let n_near = (0..10).filter(near).count();
    assert!(n_near >= 5, "{n_near} of 10 draws");
}

#[test]
fn the_search_does_not_depend_on_the_unit() {
    let mut random = stream(78, 0);
    let values: Vec<f64> = (0..240).map(|_| random.random()).collect();
    let points = Dissimilarity::from_points(Points::new(values, 120, 2).unwrap(), Metric::Euclidean).unwrap();
    let settings = LatentGraph { n_clusters: NClusters::Exactly(3), ..LatentGraph::default() };
    let expected = settings.fit(&points, &[]).unwrap().labels;
    // Powers of two change no digit.
    for unit in [2f64.powi(-700), 2f64.powi(700)] {
        let square: Vec<f64> =
            (0..120 * 120).map(|at| unit * points.pair(at / 120, at % 120).unwrap()).collect();
        let scaled =
            Dissimilarity::from_square(square, [120, 120], Quantity::Distances, Checks::default()).unwrap();
        let labels = settings.fit(&scaled, &[]).unwrap().labels;
        assert!(adjusted_rand_index(&labels, &expected).unwrap() > 0.99, "unit {unit}");
    }
}

#[test]
fn the_search_keeps_known_labels() {
    for seed in 0..10 {
        let mut random = stream(77, seed);
        let values: Vec<f64> = (0..120).map(|_| random.random()).collect();
        let observed =
            Dissimilarity::from_points(Points::new(values, 60, 2).unwrap(), Metric::Euclidean).unwrap();
        let known: Vec<Option<usize>> =
            (0..60).map(|i| (i % 4 == 0).then(|| random.random_range(0..3))).collect();
        let settings = LatentGraph { n_clusters: NClusters::Exactly(3), seed, ..LatentGraph::default() };
        let labels = settings.fit(&observed, &known).unwrap().labels;
        for i in (0..60).step_by(4) {
            for j in (0..60).step_by(4) {
                let same = labels.as_slice()[i] == labels.as_slice()[j];
                assert_eq!(same, known[i] == known[j], "seed {seed}, points {i} and {j}");
            }
        }
    }
}

#[test]
fn from_random_labels_the_printed_algorithm_gets_stuck_below_the_truth() {
    // Recorded, not wished for: with 5% known labels and ten restarts most answers are no better than chance, although the
    // truth is far more probable. Points move one at a time, and a wrong cluster has nothing to offer a single point.
    let stuck = (0..5).filter(|&seed| {
        let drawn = far_background(seed);
        let mut known = vec![None; 200];
        (0..200).step_by(20).for_each(|i| known[i] = Some(drawn.classes[i]));
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            inference: Some(Inference::Paper(PaperSettings::default())),
            ..LatentGraph::default()
        };
        let observed = drawn.observed().unwrap();
        let fit = settings.fit(&observed, &known).unwrap();
        let truth = run_from(&drawn, &drawn.classes, &settings);
        adjusted_rand_index(&fit.labels, &drawn.labels).unwrap() < 0.2
            && truth.log_joint.total() > fit.log_joint.total() + 100.0
    });
    assert!(stuck.count() >= 3);
}

#[test]
fn section_4_given_the_labels_equal_inner_scales_are_found_equal() {
    use crate::evaluate::shapes::{Shape, draw};
    for shape in [Shape::TwoRings, Shape::HalfMoons] {
        for seed in 0..5 {
            let drawn = draw(shape, 300, seed).unwrap();
            let known: Vec<Option<usize>> =
                drawn.labels.as_slice().iter().map(|&label| Some(label)).collect();
            let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
            let fit = settings.fit(&observed, &known).unwrap();
            let sizes = fit.labels.sizes();
            let error = (1.0 / sizes[0] as f64 + 1.0 / sizes[1] as f64).sqrt();
            let difference = (fit.scales[0] / fit.scales[1]).ln();
            assert!(difference.abs() < 2.0 * error, "{shape:?}, seed {seed}: {difference} {error}");
        }
    }
}

#[test]
fn a_fit_cancelled_at_once_has_an_answer_on_the_whole_tree() {
    // Two clouds so far apart that near neighbours join neither to the other.
    let mut random = stream(83, 0);
    let place = |i: usize, x: f64| x + if i % 4 < 2 { 0.0 } else { 1e6 };
    let values: Vec<f64> = (0..4200).map(|i| place(i, random.random())).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 2100, 2).unwrap(), Metric::Euclidean).unwrap();
    let model = LatentGraph { n_clusters: NClusters::Exactly(1), ..LatentGraph::default() };
    let fit = model.fit_observed(&observed, &[], &Impatient).unwrap();
    assert_eq!((fit.labels.n_clusters(), fit.ended), (1, Termination::Cancelled));
    let scoring = ScoreSettings::default();
    let score = |observer: &dyn Observer| scoring.score(&observed, &fit.labels, observer).unwrap();
    assert_eq!(score(&Impatient), score(&Silent));
}

#[test]
fn an_algorithm_that_must_be_told_the_number_has_that_of_a_search_with_its_settings() {
    let mut n_changed = 0;
    for seed in 0..3 {
        let drawn =
            crate::evaluate::shapes::draw(crate::evaluate::shapes::Shape::TwoRings, 150, seed).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let number = |settings: LatentGraph| settings.fit(&observed, &[]).unwrap().labels.n_clusters();
        // Two rings are one cluster where the sizes of clusters do not count.
        let changed = LatentGraph { size_prior: Some(SizePrior::Constant), ..LatentGraph::default() };
        let searched = number(changed);
        let paper = changed.with(&[("inference", "paper"), ("n_restarts", "1")]).unwrap();
        assert_eq!(number(paper), searched, "{seed}");
        n_changed += usize::from(searched != number(LatentGraph::default()));
    }
    assert!(n_changed > 0);
}
