mod items;
mod points;

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

/// The predictor of the same clusters without one point, all else as it was.
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
        sparse_points: None,
        points: parts.points.as_ref().map(|points| points.some(&kept).unwrap()),
        ..parts.clone()
    }
    .try_into()
    .unwrap()
}

#[test]
fn a_place_ten_times_less_probable_than_the_typical_one_scores_nine_tenths() {
    let own = [0.0, 1.0, 2.0, f64::NEG_INFINITY, 9.0];
    let scores = outlier_scores(&[1.0 - 10f64.ln(), 1.0, 5.0, f64::NEG_INFINITY], &own);
    assert!((scores[0] - 0.9).abs() < 1e-12);
    assert_eq!(scores[1..], [0.0, 0.0, 1.0]);
    // Where the typical item is alone, nothing is out of the ordinary.
    assert_eq!(outlier_scores(&[0.0, f64::NEG_INFINITY], &[f64::NEG_INFINITY; 3]), [0.0, 0.0]);
    assert_eq!(outlier_scores(&[1.0], &[]), [0.0]);
}
