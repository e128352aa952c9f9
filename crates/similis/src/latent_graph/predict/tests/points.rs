use super::*;

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
    // The same clusters without noise have no such column.
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
