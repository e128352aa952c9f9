use super::*;
use crate::error::{InputError, ModelError};
use crate::evaluate::shapes::{Shape, draw};
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Quantity};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::settings::inference::Scales;
use crate::run::parallel::with_threads;
use crate::settings::n_clusters::NClusters;
use proptest::prelude::*;
use rand::RngExt;

fn line(places: &[f64]) -> Dissimilarity<'static> {
    let points = Points::new(places.to_vec(), places.len(), 1).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn some(labels: &[usize]) -> Vec<Option<usize>> {
    labels.iter().copied().map(Some).collect()
}

fn at_step(step: f64) -> ScoreSettings {
    ScoreSettings { step: Some(step), ..ScoreSettings::default() }
}

/// The distances of new points to old ones, row after row.
fn block(old: &[f64], new: &[f64], n_dimensions: usize, metric: Metric) -> Vec<f64> {
    let n_old = old.len() / n_dimensions;
    let all = Points::new([old, new].concat(), (old.len() + new.len()) / n_dimensions, n_dimensions).unwrap();
    let pairs = Dissimilarity::from_points(all, metric).unwrap();
    let row = |i: usize| (0..n_old).map(move |j| (i, j));
    (n_old..pairs.n_points()).flat_map(row).map(|(i, j)| pairs.pair(i, j).unwrap()).collect()
}

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
    // Both classes have one point, whose scale may be any: the same prior, and a link each of known length.
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
    // The factor of model.md, (n + 1) n^(n-2) / (n + 1)^(n-1), for a class of 4: 5 * 16 / 125.
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
    // With a constant prior on sizes, as the paper has it, the size of a class does not count.
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

fn check_rows(prediction: &Prediction) -> Result<(), TestCaseError> {
    for i in 0..prediction.n_items() {
        let row = prediction.row(i);
        prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", row);
        prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert!(!prediction.log_density[i].is_nan());
        let best = row.iter().copied().fold(0.0, f64::max);
        let label = prediction.labels[i].unwrap_or(prediction.n_columns - 1);
        prop_assert_eq!(row[label], best);
    }
    Ok(())
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

/// The predictor of the same classes without one point, all else as it was.
fn without(predictor: &Predictor, gone: usize) -> Predictor {
    let parts = predictor.parts();
    let new = |i: usize| i - usize::from(i > gone);
    let kept: Vec<usize> = (0..predictor.n_points()).filter(|&i| i != gone).collect();
    let links = parts.links.iter().filter(|link| link.from != gone && link.to != gone);
    PredictorParts {
        labels: kept.iter().map(|&i| parts.labels[i]).collect(),
        links: links
            .map(|link| Link { from: new(link.from), to: new(link.to), length: link.length })
            .collect(),
        points: parts.points.as_ref().map(|points| points.some(&kept).unwrap()),
        ..parts.clone()
    }
    .try_into()
    .unwrap()
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

#[test]
fn the_point_a_leaf_was_linked_to_forgets_it_exactly() {
    // Two points: without the one, the other knows nothing of its scale, whatever the step.
    let pairs = line(&[0.0, 1.0, 50.0, 51.0, 52.0]);
    let labels = some(&[0, 0, 1, 1, 1]);
    for step in [0.0, 0.1, 0.4] {
        let predictor = Predictor::new(&pairs, &labels, &at_step(step), false).unwrap();
        let found = predictor.memberships(&pairs).unwrap();
        let as_new = without(&predictor, 1).predict_points(&Points::new(vec![1.0], 1, 1).unwrap()).unwrap();
        assert!((found.row(1)[0] - as_new.row(0)[0]).abs() < 1e-12);
        assert!((found.log_density[1] - as_new.log_density[0]).abs() < 1e-9);
    }
}

#[test]
fn points_and_their_distances_have_the_same_memberships() {
    let sample = draw(Shape::HalfMoons, 300, 2).unwrap();
    let pairs = Dissimilarity::from_points(sample.points.clone(), Metric::Euclidean).unwrap();
    let square: Vec<f64> = (0..300 * 300).map(|at| pairs.pair(at / 300, at % 300).unwrap()).collect();
    let matrix =
        Dissimilarity::from_square(square, [300, 300], Quantity::Distances, Checks::default()).unwrap();
    let labels = some(sample.labels.as_slice());
    let settings = ScoreSettings { scales: Scales::PerClass, ..ScoreSettings::default() };
    for settings in [ScoreSettings::default(), settings] {
        let memberships = |observed: &Dissimilarity<'_>| {
            let predictor = Predictor::new(observed, &labels, &settings, false).unwrap();
            predictor.memberships(observed).unwrap()
        };
        let (of_points, of_matrix) = (memberships(&pairs), memberships(&matrix));
        for (a, b) in of_points.probabilities.iter().zip(&of_matrix.probabilities) {
            assert!((a - b).abs() < 1e-9);
        }
    }
}

#[test]
fn a_lone_point_is_sure_of_its_class() {
    let pairs = line(&[0.0, 1.0, 2.0, 2.5]);
    let predictor = Predictor::new(&pairs, &some(&[0, 0, 0, 1]), &ScoreSettings::default(), false).unwrap();
    let found = predictor.memberships(&pairs).unwrap();
    assert_eq!((found.row(3), found.log_density[3]), (&[0.0, 1.0][..], f64::NEG_INFINITY));
    assert_eq!(found.labels[0], Some(0));
}

#[test]
fn separated_shapes_are_predicted_as_they_were_found() {
    for (shape, n_clusters) in [(Shape::TwoRings, 2), (Shape::HalfMoons, 2), (Shape::FiveBlobs, 5)] {
        let sample = draw(shape, 400, 1).unwrap();
        let pairs = Dissimilarity::from_points(sample.points, Metric::Euclidean).unwrap();
        let model = LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() };
        let labels = some(model.fit(&pairs, &[]).unwrap().labels.as_slice());
        let predictor = Predictor::new(&pairs, &labels, &model.score_settings(), false).unwrap();
        let found = predictor.memberships(&pairs).unwrap();
        let agree = labels.iter().zip(&found.labels).filter(|(a, b)| a == b).count();
        assert!(agree >= 388, "{shape:?}: {agree} of 400");
    }
}

#[test]
fn far_items_are_noise_where_noise_is_known() {
    let mut places: Vec<f64> = (0..30).map(f64::from).chain((0..30).map(|i| 100.0 + f64::from(i))).collect();
    places.extend([400.0, -300.0, 700.0]);
    let labels: Vec<Option<usize>> =
        (0..63).map(|i| if i < 30 { Some(0) } else { Some(1).filter(|_| i < 60) }).collect();
    let predictor = Predictor::new(&line(&places), &labels, &ScoreSettings::default(), false).unwrap();
    assert!(predictor.parts().noise);
    let new = Points::new(vec![3.5, 110.2, 1000.0], 3, 1).unwrap();
    let found = predictor.predict_points(&new).unwrap();
    assert_eq!(found.labels, [Some(0), Some(1), None]);
    assert_eq!((found.n_columns, predictor.n_classes()), (3, 2));
    let members = predictor.memberships(&line(&places)).unwrap();
    assert_eq!(members.labels[60..], [None, None, None]);
    // The same classes without noise have no such column.
    let known =
        Predictor::new(&line(&places[..60]), &labels[..60], &ScoreSettings::default(), false).unwrap();
    let found = known.predict_points(&new).unwrap();
    assert_eq!((found.n_columns, found.labels[2]), (2, Some(1)));
    let asked = Predictor::new(&line(&places[..60]), &labels[..60], &ScoreSettings::default(), true).unwrap();
    assert_eq!(asked.predict_points(&new).unwrap().n_columns, 3);
}

#[test]
fn classes_in_pieces_are_predicted_too() {
    let edges = SparseMatrix::from_edges(6, &[(0, 1, 1.0), (2, 3, 1.0), (4, 5, 2.0)]).unwrap();
    let pairs = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
    let labels = some(&[0, 0, 0, 0, 1, 1]);
    let predictor = Predictor::new(&pairs, &labels, &ScoreSettings::default(), false).unwrap();
    let found = predictor.predict_distances(&[0.9, 0.8, 9.0, 9.0, 8.0, 9.0], 1).unwrap();
    assert_eq!(found.labels, [Some(0)]);
    let members = predictor.memberships(&pairs).unwrap();
    assert_eq!(members.labels[..4], [Some(0); 4]);
}

#[test]
fn labels_and_items_that_do_not_fit_are_refused_with_the_values_that_were_given() {
    let pairs = line(&[0.0, 1.0, 5.0]);
    let new = |labels: &[Option<usize>]| {
        Predictor::new(&pairs, labels, &ScoreSettings::default(), false).unwrap_err()
    };
    assert_eq!(new(&[Some(0)]), Error::Input(InputError::LabelLengths { first: 3, second: 1 }));
    assert_eq!(new(&[None; 3]), Error::Model(ModelError::NoClasses { n_points: 3 }));
    assert_eq!(new(&[Some(0), Some(2), None]), Error::Model(ModelError::EmptyClass { class: 1 }));
    assert_eq!(new(&[Some(0), Some(usize::MAX), None]), Error::Model(ModelError::EmptyClass { class: 1 }));
    let similar =
        Dissimilarity::from_condensed(vec![0.5; 3], Quantity::Similarities, Checks::default()).unwrap();
    let error = Predictor::new(&similar, &[Some(0); 3], &ScoreSettings::default(), false).unwrap_err();
    assert_eq!(error, Error::Input(InputError::NeedsDistances { purpose: "prediction" }));

    let predictor = Predictor::new(&pairs, &some(&[0, 0, 1]), &ScoreSettings::default(), false).unwrap();
    let wide = Points::new(vec![1.0, 2.0], 1, 2).unwrap();
    assert_eq!(
        predictor.predict_points(&wide),
        Err(Error::Model(ModelError::NewColumns { given: 2, expected: 1 }))
    );
    let block = |values: &[f64], n_new: usize| predictor.predict_distances(values, n_new).unwrap_err();
    assert_eq!(
        block(&[1.0; 4], 1),
        Error::Model(ModelError::NewDistances { n_new: 1, n_points: 3, given: 4 })
    );
    assert_eq!(block(&[], 0), Error::Input(InputError::NoPoints));
    assert_eq!(
        block(&[0.0, 1.0, -2.0], 1),
        Error::Model(ModelError::NewDistance { row: 0, column: 2, given: -2.0 })
    );
    let nan = block(&[1.0, 1.0, 1.0, 0.0, f64::NAN, 1.0], 2);
    assert!(
        matches!(nan, Error::Model(ModelError::NewDistance { row: 1, column: 1, given }) if given.is_nan())
    );
    let parts = PredictorParts { points: None, ..predictor.parts().clone() };
    let bare = Predictor::try_from(parts).unwrap();
    let one = Points::new(vec![1.0], 1, 1).unwrap();
    assert_eq!(bare.predict_points(&one), Err(Error::Model(ModelError::NoModelPoints { n_points: 3 })));
}

#[test]
fn parts_that_are_no_model_are_refused() {
    let pairs = line(&[0.0, 1.0, 5.0, 6.0, 7.0]);
    let good = Predictor::new(&pairs, &some(&[0, 0, 1, 1, 1]), &ScoreSettings::default(), false).unwrap();
    let good = good.parts().clone();
    let refused = |parts: PredictorParts| Predictor::try_from(parts).unwrap_err();
    let number = |name: &'static str, given: f64| Error::Model(ModelError::ModelNumber { name, given });
    assert_eq!(refused(PredictorParts { unit: 0.0, ..good.clone() }), number("unit", 0.0));
    assert_eq!(refused(PredictorParts { floor: -1.0, ..good.clone() }), number("floor", -1.0));
    assert_eq!(refused(PredictorParts { shape: 1e7, ..good.clone() }), number("shape", 1e7));
    assert_eq!(refused(PredictorParts { step: -0.1, ..good.clone() }), number("step", -0.1));
    let links = |change: fn(&mut Vec<Link>)| {
        let mut parts = good.clone();
        change(&mut parts.links);
        refused(parts)
    };
    assert_eq!(links(Vec::clear), Error::Model(ModelError::ModelLinks { given: 0, expected: 3 }));
    let ring = links(|links| links[2] = links[1]);
    assert_eq!(ring, Error::Model(ModelError::ModelLinks { given: 3, expected: 3 }));
    for change in [
        |links: &mut Vec<Link>| links[0].from = 4,
        |links: &mut Vec<Link>| links[0].to = 5,
        |links: &mut Vec<Link>| links[0].to = links[0].from,
        |links: &mut Vec<Link>| links[0].length = -1.0,
        |links: &mut Vec<Link>| links[0].length = f64::INFINITY,
    ] {
        assert!(matches!(links(change), Error::Model(ModelError::ModelLink { .. })));
    }
    let points = good.points.as_ref().unwrap().some(&[0, 1]).unwrap();
    let few = refused(PredictorParts { points: Some(points), ..good.clone() });
    assert_eq!(few, Error::Model(ModelError::ModelPoints { given: 2, n_points: 5 }));
    assert!(Predictor::try_from(good).is_ok());
}
