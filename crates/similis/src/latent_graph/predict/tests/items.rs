use super::*;

#[test]
fn a_leaf_more_changes_the_evidence_by_its_density() {
    let mut random = crate::run::random::stream(3, 0);
    for case in 0..60 {
        let n = 2 + case % 12;
        let (unit, shape) = ([1.0, 30.0, 1e-9][case % 3], [1.0, 2.0, 0.7][case / 3 % 3]);
        let length = |u: f64| unit * (8.0 * u - 4.0).exp();
        let mut links: Vec<Link> = (1..n)
            .map(|to| Link { from: random.random_range(0..to), to, length: length(random.random()) })
            .collect();
        if case % 5 == 4 {
            links[0].length = f64::NAN;
        }
        let grid = ScaleGrid { unit, floor: 0.01, shape, log_join: f64::NEG_INFINITY };
        for step in [0.0, 0.03, 0.1, 0.4] {
            let kernel = LogKernel::new(step);
            let leaves: Vec<OnHalves> = Beliefs::new(&grid, &links, &kernel).leaves().collect();
            let before = grid.log_evidence(&links, &[step])[0];
            for (j, leaf) in leaves.iter().enumerate() {
                let new = length(random.random());
                let density = leaf_log_density(leaf, &grid.bounded_log_weights(new)) - grid.log_units(1);
                let grown = [&links[..], &[Link { from: j, to: n, length: new }]].concat();
                let expected = grid.log_evidence(&grown, &[step])[0] - before;
                assert!((density - expected).abs() < 1e-10 * expected.abs().max(1.0), "{density} {expected}");
            }
        }
    }
}

#[test]
fn two_lone_points_by_hand() {
    // Both clusters have one point, whose scale may be any: the same prior, and a link each of known length.
    let predictor = Predictor::new(&line(&[0.0, 10.0]), &some(&[0, 1]), &at_step(0.0), false).unwrap();
    let found = predictor.predict_points(&Points::new(vec![2.0], 1, 1).unwrap()).unwrap();
    // The unit is the only link, 10; shape 2: the mean over the grid of s^-2 exp(-(L/s)^2).
    let density = |length: f64| {
        let scale = |at: usize| (-4.0 + 0.15 * at as f64).exp();
        (0..70).map(|at| scale(at).powi(-2) * (-(length / scale(at)).powi(2)).exp()).sum::<f64>() / 70.0
    };
    let (near, far) = (density(0.2), density(0.8));
    assert!((found.row(0)[0] - near / (near + far)).abs() < 1e-12, "{:?}", found.row(0));
    // P(c | n) = (1 + 1) / (2 + 2), one tree; the density is that of the squared length.
    let log_density = (0.5 * (near + far) / 100.0).ln();
    assert!((found.log_density[0] - log_density).abs() < 1e-12);
}

#[test]
fn larger_classes_count_as_the_size_prior_says() {
    // The factor of model.md, (n + 1) n^(n-2) / (n + 1)^(n-1), for a cluster of 4: 5 * 16 / 125.
    let labels = some(&[0, 0, 0, 0, 1]);
    let pairs = line(&[0.0, 1.0, 2.0, 3.0, 9.0]);
    let predictor = Predictor::new(&pairs, &labels, &ScoreSettings::default(), false).unwrap();
    assert!((predictor.log_prior(4) - (5.0f64 * 16.0 / 125.0).ln()).abs() < 1e-14);
    assert!((predictor.log_prior(1) - 2f64.ln()).abs() < 1e-14);
    let constant = ScoreSettings { size_prior: SizePrior::Constant, ..ScoreSettings::default() };
    assert_eq!(Predictor::new(&pairs, &labels, &constant, false).unwrap().log_prior(4), 0.0);
}

#[test]
fn the_scoring_of_a_model_holds_its_size_prior() {
    let (labels, pairs) = (some(&[0, 0, 0, 0, 1]), line(&[0.0, 1.0, 2.0, 3.0, 9.0]));
    let log_prior = |model: LatentGraph| {
        Predictor::new(&pairs, &labels, &model.score_settings(), false).unwrap().log_prior(4)
    };
    // With a constant prior on sizes, as the paper has it, the size of a cluster does not count.
    assert_eq!(log_prior(LatentGraph::paper()), 0.0);
    assert!(log_prior(LatentGraph::default()) < 0.0);
}

#[test]
fn points_and_distances_give_the_same_probabilities() {
    let mut random = crate::run::random::stream(11, 0);
    let metrics =
        [Metric::Euclidean, Metric::Manhattan, Metric::Cosine, Metric::Chebyshev, Metric::SquaredEuclidean];
    for (case, metric) in metrics.into_iter().cycle().take(10).enumerate() {
        let d = 2 + case % 3;
        let unit = [1.0, 1e130][case / 5];
        let mut draw =
            |n: usize| (0..n * d).map(|_| unit * (0.1 + random.random::<f64>())).collect::<Vec<f64>>();
        let (old, new) = (draw(600), draw(100));
        let labels: Vec<Option<usize>> = (0..600)
            .map(|i| if i % 50 == 7 { None } else { Some(usize::from(old[i * d] > 0.6 * unit)) })
            .collect();
        let labels =
            if labels[0] == Some(1) { labels.iter().map(|l| l.map(|c| 1 - c)).collect() } else { labels };
        let pairs = Dissimilarity::from_points(Points::new(old.clone(), 600, d).unwrap(), metric).unwrap();
        let predictor = Predictor::new(&pairs, &labels, &ScoreSettings::default(), false).unwrap();
        let by_points = predictor.predict_points(&Points::new(new.clone(), 100, d).unwrap()).unwrap();
        let by_distances = predictor.predict_distances(&block(&old, &new, d, metric), 100).unwrap();
        assert_eq!(by_points.n_columns, 3);
        for (a, b) in by_points.probabilities.iter().zip(&by_distances.probabilities) {
            assert!((a - b).abs() < 1e-9, "{metric:?}: {a} {b}");
        }
        assert_eq!(by_points.labels, by_distances.labels);
        assert_eq!(
            with_threads(1, || predictor.predict_points(&Points::new(new, 100, d).unwrap()).unwrap()),
            by_points
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rows_add_up_to_1_whatever_the_points_and_classes(
        // A lattice has ties and duplicates.
        places in prop::collection::vec(0i32..8, 1..40),
        classes in prop::collection::vec(0usize..5, 40),
        unit in prop::sample::select(vec![1.0, 1e-300, 1e-30, 1e30, 1e150]),
        step in prop::sample::select(vec![None, Some(0.0), Some(0.3), Some(5.0)]),
        (shape, kind) in (prop::sample::select(vec![0.3, 1.0, 2.0, 40.0]), 0..4)
    ) {
        let old: Vec<f64> = places.iter().map(|&x| unit * f64::from(x)).collect();
        let n = old.len();
        let labels: Vec<Option<usize>> = match kind {
            0 => vec![Some(0); n],
            1 => (0..n).map(Some).collect(),
            2 => some(Labels::new(&classes[..n]).as_slice()),
            _ => {
                let named: Vec<usize> = classes[..n].iter().copied().filter(|&class| class > 0).collect();
                let mut known = some(Labels::new(&named).as_slice()).into_iter();
                classes[..n].iter().map(|&class| if class > 0 { known.next().unwrap() } else { None }).collect()
            }
        };
        prop_assume!(labels.iter().any(Option::is_some));
        let settings = ScoreSettings { step, shape, ..ScoreSettings::default() };
        let predictor = Predictor::new(&line(&old), &labels, &settings, false).unwrap();
        let new: Vec<f64> = old.iter().copied().chain([0.0, 1e9 * unit, 1e150, 1e308, -1e308, 0.4 * unit]).collect();
        let found = predictor.predict_points(&Points::new(new.clone(), new.len(), 1).unwrap()).unwrap();
        check_rows(&found)?;
        let distances: Vec<f64> = (0..n).map(|j| if j % 2 == 0 { f64::MAX } else { 0.0 }).collect();
        check_rows(&predictor.predict_distances(&distances, 1).unwrap())?;
        check_rows(&predictor.memberships(&line(&old)).unwrap())?;
    }
}

#[test]
fn units_change_nothing() {
    let old: Vec<f64> =
        (0..40).map(|i| f64::from(i * i % 17) + if i % 2 == 0 { 0.0 } else { 30.0 }).collect();
    let labels: Vec<Option<usize>> = (0..40).map(|i| Some(i % 2)).collect();
    let predict = |unit: f64| {
        let scaled = |places: &[f64]| places.iter().map(|x| x * unit).collect::<Vec<_>>();
        let predictor =
            Predictor::new(&line(&scaled(&old)), &labels, &ScoreSettings::default(), false).unwrap();
        predictor.predict_points(&Points::new(scaled(&[1.5, 22.0, 24.0, 90.0]), 4, 1).unwrap()).unwrap()
    };
    let plain = predict(1.0);
    for unit in [1e-200, 1e-5, 1e7, 1e150] {
        let other = predict(unit);
        for (a, b) in plain.probabilities.iter().zip(&other.probabilities) {
            assert!((a - b).abs() < 1e-9, "{unit}: {a} {b}");
        }
    }
}

#[test]
fn a_leaf_taken_out_is_as_new_to_the_others() {
    let sample = draw(Shape::NestedScales, 120, 5).unwrap();
    let pairs = Dissimilarity::from_points(sample.points.clone(), Metric::Euclidean).unwrap();
    let labels = some(sample.labels.as_slice());
    for (step, tolerance) in [(0.0, 1e-9), (0.2, 0.1)] {
        let predictor = Predictor::new(&pairs, &labels, &at_step(step), false).unwrap();
        let found = predictor.memberships(&pairs).unwrap();
        let links = &predictor.parts().links;
        let degree = |i: usize| links.iter().filter(|link| link.from == i || link.to == i).count();
        let mut worst = 0f64;
        for i in (0..120).filter(|&i| degree(i) == 1) {
            let row = Points::new(sample.points.row(i).to_vec(), 1, 2).unwrap();
            let as_new = without(&predictor, i).predict_points(&row).unwrap();
            let apart = found.row(i).iter().zip(as_new.row(0)).map(|(a, b)| (a - b).abs());
            worst = apart.fold(worst, f64::max);
        }
        assert!(worst < tolerance, "{step}: {worst}");
    }
}
