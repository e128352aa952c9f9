//! What is computed from an input is computed once, whatever is asked for.

use similis::evaluate::shapes::{Shape, draw};
use similis::graph::n_computed;
use similis::{Dissimilarity, LatentGraph, Metric};
use similis_cli::answer::Answer;
use similis_cli::report::html;
use similis_cli::study::{PictureKind, Study};

/// How often neighbour lists and spanning trees are computed for a fit, its pictures, its report and its probabilities.
fn computed(n_points: usize, settings: &[(&str, &str)]) -> [usize; 2] {
    let points = draw(Shape::TwoRings, n_points, 1).expect("two rings have this many points").points;
    let pairs = Dissimilarity::from_points(points, Metric::Euclidean).expect("points have distances");
    let model = LatentGraph::default().with(settings).expect("these are settings");
    let fit = model.fit(&pairs, &[]).expect("rings have clusters");
    let answer = Answer::Graph(model, Box::new(fit));
    let study = Study::new("rings", &pairs, &answer).expect("the answer is of these points");
    study.picture(PictureKind::Scatter).expect("points can be drawn");
    study.memberships().expect("points have memberships");
    html(&study, "similis").expect("an answer has a report");
    answer.predictor(&pairs).expect("a model can be saved");
    n_computed(&pairs)
}

#[test]
fn lists_and_tree_are_computed_once_for_fit_pictures_report_and_probabilities() {
    assert_eq!(computed(400, &[("n_clusters", "2")]), [1, 1]);
    // More points are searched in another order, and with noise in several parts.
    assert_eq!(computed(3_200, &[("n_clusters", "2")]), [1, 1]);
    assert_eq!(computed(300, &[("n_clusters", "2"), ("noise", "background")]), [1, 1]);
}
