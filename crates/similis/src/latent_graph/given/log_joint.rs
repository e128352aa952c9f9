//! The log joint of given labels.

use crate::error::Error;
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::model::joint::{LogJoint, State};
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::model::prior::SizePrior;
use crate::latent_graph::model::scale::WeightedLength;
use crate::latent_graph::search::score;
use crate::run::observer::Observer;

/// The log joint of a partition, and the scales that it is at.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOfLabels {
    /// The log joint, term by term.
    pub log_joint: LogJoint,
    /// The scale of each cluster that the log joint is at: the most probable one, its prior included.
    pub scales: Vec<f64>,
}

/// Returns the log joint (Eq. (5)) of a partition at its minimum spanning trees and the scales learned from them, under the
/// default settings of [`LatentGraph`] but for `size_prior`: exponential lengths, the prior `tree`, every observed pair
/// counted.
///
/// # Errors
///
/// [`Error::Input`], and [`Error::Input`] unless there is a label for each point.
pub fn log_joint_of(
    observed: &Dissimilarity<'_>,
    labels: &Labels,
    size_prior: SizePrior,
    observer: &dyn Observer,
) -> Result<JointOfLabels, Error> {
    score::check_partition(observed, labels)?;
    let context = Context::new(observed, observer);
    let trees = ClassTrees::new(&context);
    let lengths =
        if observed.sparse().is_some() { Lengths::given(observed) } else { Lengths::complete(observed) };
    let model = LatentGraph { size_prior: Some(size_prior), ..LatentGraph::default() }
        .model(&lengths, &context.tree)?;
    // Where no listed pair connects a cluster, its links are unobserved pairs.
    let seen =
        |link: Link| Link { length: if link.length.is_finite() { link.length } else { f64::NAN }, ..link };
    let tree = |members: &Vec<usize>| trees.of(members).into_iter().map(seen).collect();
    let links: Vec<Vec<Link>> = score::members(labels.as_slice()).iter().map(tree).collect();
    let scale = |tree: &Vec<Link>| {
        let observed = tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let weighted = |length: f64| WeightedLength { probability: 1.0, length };
        model.scale_step.update(&observed.map(weighted).collect::<Vec<_>>())
    };
    let classes: Vec<LinkLengths> = links.iter().map(scale).collect();
    let log_joint = model.log_joint(State { labels, links: &links.concat(), classes: &classes })?;
    Ok(JointOfLabels { log_joint, scales: classes.into_iter().map(LinkLengths::scale).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::InputError;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use crate::settings::n_clusters::NClusters;

    #[test]
    fn joint_and_scales_are_those_of_a_fit_with_all_labels_known() {
        let places: Vec<f64> = (0..60u32).map(|at| f64::from(at * at * 37 % 101)).collect();
        let points = Points::new(places, 30, 2).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let labels = Labels::new(&(0..30).map(|i| i % 7 / 3).collect::<Vec<_>>());
        let known: Vec<Option<usize>> = labels.as_slice().iter().copied().map(Some).collect();
        let n_clusters = NClusters::Exactly(labels.n_clusters());
        let fit = LatentGraph { n_clusters, ..LatentGraph::default() }.fit(&observed, &known).unwrap();
        let found = log_joint_of(&observed, &labels, SizePrior::Dirichlet, &Silent).unwrap();
        let total = found.log_joint.total();
        assert!((total - fit.log_joint.total()).abs() < 1e-9 * total.abs());
        assert_eq!(found.scales.len(), fit.scales.len());
        for (found, fitted) in found.scales.iter().zip(&fit.scales) {
            assert!((found - fitted).abs() < 1e-12 * fitted, "{found} and {fitted}");
        }
    }

    #[test]
    fn labels_of_other_points_are_refused() {
        let observed =
            Dissimilarity::from_points(Points::new(vec![0.0, 1.0], 2, 1).unwrap(), Metric::Euclidean)
                .unwrap();
        let found = log_joint_of(&observed, &Labels::new(&[0]), SizePrior::Dirichlet, &Silent);
        assert_eq!(found, Err(Error::Input(InputError::LabelLengths { first: 2, second: 1 })));
    }
}
