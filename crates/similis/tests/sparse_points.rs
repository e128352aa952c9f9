//! Sparse points: the answers are those of the same points with all their zeros.

#![expect(clippy::unwrap_used, reason = "tests")]

use similis::input::SparsePoints;
use similis::latent_graph::ScoreSettings;
use similis::{
    Auto, AutoFit, Dissimilarity, Error, LatentFeature, LatentGraph, Metric, NClusters, Points, Predictor,
    SideInformation, Silent,
};

/// Documents of `n_topics` topics: counts of a few of 40 words each topic has, and of words that all share.
fn documents(n: usize, n_topics: usize) -> Points<'static> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) as usize) % below
    };
    let n_words = 40 * (n_topics + 1);
    let mut counts = vec![0.0; n * n_words];
    for i in 0..n {
        for word in 0..14 {
            let topic = if word < 9 { i % n_topics } else { n_topics };
            // The lower number of two is more frequent.
            let word = random(40).min(random(40));
            counts[i * n_words + 40 * topic + word] += 1.0 / (1.0 + word as f64).sqrt();
        }
    }
    Points::new(counts, n, n_words).unwrap()
}

fn both(n: usize, n_topics: usize, metric: Metric) -> [Dissimilarity<'static>; 2] {
    let dense = documents(n, n_topics);
    let sparse = SparsePoints::from_points(&dense);
    let sparse = Dissimilarity::from_sparse_points(sparse, metric).unwrap();
    assert!(sparse.sparse_points().is_some());
    [Dissimilarity::from_points(dense, metric).unwrap(), sparse]
}

#[test]
fn sparse_points_have_the_labels_and_predictions_of_the_same_points_with_all_their_zeros() {
    for (metric, n, n_topics) in [
        (Metric::Cosine, 300, 3),
        (Metric::Euclidean, 250, 2),
        (Metric::SquaredEuclidean, 200, 4),
        (Metric::Cosine, 5_050, 4),
    ] {
        let model = LatentGraph { n_clusters: NClusters::Exactly(n_topics), ..LatentGraph::default() };
        let [dense, sparse] = both(n, n_topics, metric);
        let (expected, found) = (model.fit(&dense, &[]).unwrap(), model.fit(&sparse, &[]).unwrap());
        assert_eq!(found.labels, expected.labels, "{metric:?}, {n}");
        assert_eq!((found.scales, found.log_joint), (expected.scales, expected.log_joint), "{metric:?}, {n}");
        let labels: Vec<Option<usize>> = expected.labels.as_slice().iter().copied().map(Some).collect();
        let predictor = |pairs| Predictor::new(pairs, &labels, &ScoreSettings::default(), false).unwrap();
        let new = documents(40, n_topics);
        let known = predictor(&dense).predict_points(&new).unwrap();
        assert_eq!(
            predictor(&sparse).predict_sparse_points(&SparsePoints::from_points(&new)).unwrap(),
            known
        );
        assert_eq!(predictor(&sparse).predict_points(&new).unwrap(), known);
        assert_eq!(predictor(&dense).predict_sparse_points(&SparsePoints::from_points(&new)).unwrap(), known);
        let memberships = predictor(&sparse).memberships(&sparse).unwrap();
        assert_eq!(memberships, predictor(&dense).memberships(&dense).unwrap(), "{metric:?}, {n}");
    }
}

#[test]
fn an_unknown_number_noise_side_information_and_latent_features_work_too() {
    let [dense, sparse] = both(240, 3, Metric::Cosine);
    let auto = LatentGraph::default();
    let numbers = |pairs| auto.fit(pairs, &[]).unwrap().numbers;
    assert_eq!(numbers(&sparse), numbers(&dense));
    let noise = LatentGraph::default().with(&[("noise", "background"), ("n_clusters", "3")]).unwrap();
    let labels = |pairs| noise.fit(pairs, &[]).unwrap().labels_or_noise();
    assert_eq!(labels(&sparse), labels(&dense));
    let side = SideInformation { cannot_link: vec![(0, 3)], ..SideInformation::default() };
    let given = LatentGraph { n_clusters: NClusters::Exactly(3), ..LatentGraph::default() };
    let fit = |pairs| given.fit_observed(pairs, &side, &Silent).unwrap().labels;
    assert_eq!(fit(&sparse), fit(&dense));
    assert_ne!(fit(&sparse).as_slice()[0], fit(&sparse).as_slice()[3]);
    let features = LatentFeature { n_clusters: NClusters::Exactly(3), ..LatentFeature::default() };
    let fit = |pairs| features.fit(pairs, &[]).unwrap().labels;
    assert_eq!(fit(&sparse), fit(&dense));
    let AutoFit::Graph(found) = Auto::new(NClusters::Exactly(3)).fit(&sparse, &[]).unwrap() else { return };
    assert_eq!(found.labels.n_clusters(), 3);
}

#[test]
fn few_columns_are_a_dense_table_and_other_metrics_are_refused() {
    let points = SparsePoints::new(&[0, 1, 2], &[0, 1], &[1.0, 1.0], 15).unwrap();
    let pairs = Dissimilarity::from_sparse_points(points, Metric::Manhattan).unwrap();
    assert!(pairs.points().is_some() && pairs.pair(0, 1) == Some(2.0));
    let points = SparsePoints::new(&[0, 1, 2], &[0, 1], &[1.0, 1.0], 16).unwrap();
    let refused = Dissimilarity::from_sparse_points(points, Metric::Manhattan).unwrap_err();
    assert!(
        matches!(refused, Error::Input(_)) && refused.to_string().contains("cosine, euclidean"),
        "{refused}"
    );
}
