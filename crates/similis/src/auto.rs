//! The better model for what was observed.

use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::{LatentFeature, LatentFeatureFit};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::fit::LatentGraphFit;
use crate::run::observer::{Observer, Silent};
use crate::run::termination::Termination;

/// Which model explains the similarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Latent features: spectral clustering and beyond.
    LatentFeature,
    /// Latent graphs: each cluster has its own scale.
    LatentGraph,
}

/// The settings of both models, one of which is fitted: see [`Auto::choose`].
///
/// ```
/// use similis::{Auto, Dissimilarity, LatentFeature, LatentGraph, Metric, NClusters, Points};
/// let points = Points::new(vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0], 8, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let n_clusters = NClusters::Exactly(2);
/// let auto = Auto {
///     graph: LatentGraph { n_clusters, ..LatentGraph::default() },
///     feature: LatentFeature { n_clusters, ..LatentFeature::default() },
/// };
/// assert_eq!(auto.fit(&pairs, &[])?.labels().as_slice(), [0, 0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Auto {
    /// The latent graph model's settings.
    pub graph: LatentGraph,
    /// The latent feature model's settings.
    pub feature: LatentFeature,
}

/// The fit of the model that was chosen.
#[derive(Clone, Debug)]
pub enum AutoFit {
    /// Of latent features.
    Feature(Box<LatentFeatureFit>),
    /// Of latent graphs.
    Graph(Box<LatentGraphFit>),
}

impl AutoFit {
    /// The cluster of each point.
    pub fn labels(&self) -> &Labels {
        match self {
            Self::Feature(fit) => &fit.labels,
            Self::Graph(fit) => &fit.labels,
        }
    }

    /// Why the work stopped.
    pub fn ended(&self) -> Termination {
        match self {
            Self::Feature(fit) => fit.ended,
            Self::Graph(fit) => fit.ended,
        }
    }

    /// The log joint; those of two models are of different data and never compared.
    pub fn log_joint(&self) -> f64 {
        match self {
            Self::Feature(fit) => fit.log_joint.total(),
            Self::Graph(fit) => fit.log_joint.total(),
        }
    }
}

impl Auto {
    /// Returns the model that is fitted.
    ///
    /// Latent graphs where what they are said to be (likelihood, graphs, priors, inference) is not the default, and for
    /// distances. Latent features for similarities, and where a setting of theirs is not the default. Both take side
    /// information.
    pub fn choose(&self, observed: &Dissimilarity<'_>) -> Model {
        let usual = observed.quantity() == Quantity::Distances && !self.is_feature_changed();
        if usual || self.is_graph_changed() { Model::LatentGraph } else { Model::LatentFeature }
    }

    /// Returns the fit of the model that [`Auto::choose`] names.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`] or of [`LatentFeature::fit`].
    pub fn fit(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
    ) -> Result<AutoFit, Error> {
        self.fit_observed(observed, side, &Silent)
    }

    /// As [`Auto::fit`], watched by `observer`.
    ///
    /// # Errors
    ///
    /// Those of [`Auto::fit`].
    pub fn fit_observed(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
        observer: &dyn Observer,
    ) -> Result<AutoFit, Error> {
        match self.choose(observed) {
            Model::LatentGraph => {
                let fit = self.graph.fit_observed(observed, side, observer)?;
                Ok(AutoFit::Graph(Box::new(fit)))
            }
            Model::LatentFeature => {
                Ok(AutoFit::Feature(Box::new(self.feature.fit_observed(observed, side, observer)?)))
            }
        }
    }

    /// Whether a setting that says what the features are is not the default.
    fn is_feature_changed(&self) -> bool {
        let usual = LatentFeature::default();
        // The default affinity has no scale: `gamma` alone changes nothing.
        let LatentFeature { gamma, n_clusters, n_restarts, seed, memory_limit, .. } = self.feature;
        self.feature != LatentFeature { n_clusters, gamma, n_restarts, seed, memory_limit, ..usual }
    }

    /// Whether a setting that says what the graphs are, or how they are inferred, is not the default.
    fn is_graph_changed(&self) -> bool {
        let graph = &self.graph;
        let same = LatentGraph {
            n_clusters: graph.n_clusters,
            prior_neighbours: graph.prior_neighbours,
            support_neighbours: graph.support_neighbours,
            n_restarts: graph.n_restarts,
            seed: graph.seed,
            memory_limit: graph.memory_limit,
            ..LatentGraph::default()
        };
        *graph != same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::Affinity;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::latent_feature::gamma::Gamma;
    use crate::latent_graph::model::likelihood::Likelihood;
    use crate::settings::n_clusters::NClusters;

    fn line(n_points: usize) -> Dissimilarity<'static> {
        let places = (0..n_points).map(|i| i as f64).collect::<Vec<_>>();
        Dissimilarity::from_points(Points::new(places, n_points, 1).unwrap(), Metric::Euclidean).unwrap()
    }

    #[test]
    fn a_changed_setting_names_its_model_and_the_input_decides_otherwise() {
        let auto = Auto::default();
        let similarities =
            Dissimilarity::from_condensed(vec![0.5; 6], Quantity::Similarities, Checks::default()).unwrap();
        assert_eq!(auto.choose(&line(30_000)), Model::LatentGraph);
        assert_eq!(auto.choose(&similarities), Model::LatentFeature);
        let feature = LatentFeature { affinity: Affinity::Local, ..LatentFeature::default() };
        assert_eq!(Auto { feature, ..auto }.choose(&line(9)), Model::LatentFeature);
        // The usual affinity has no scale, so a scale changes nothing.
        let gamma = LatentFeature { gamma: Gamma::Given(1.0), ..LatentFeature::default() };
        assert_eq!(Auto { feature: gamma, ..auto }.choose(&line(9)), Model::LatentGraph);
        let graph = LatentGraph { likelihood: Likelihood::Gaussian, ..LatentGraph::default() };
        assert_eq!(Auto { graph, feature }.choose(&similarities), Model::LatentGraph);
    }

    #[test]
    fn counts_and_seeds_name_no_model() {
        let n_clusters = NClusters::Exactly(2);
        let graph = LatentGraph {
            n_clusters,
            support_neighbours: 9,
            n_restarts: 3,
            seed: 7,
            ..LatentGraph::default()
        };
        let memory_limit = Some(1 << 30);
        let feature =
            LatentFeature { n_clusters, n_restarts: 3, seed: 7, memory_limit, ..LatentFeature::default() };
        let auto = Auto { graph, feature };
        assert_eq!(auto.choose(&line(9)), Model::LatentGraph);
    }

    #[test]
    fn the_fit_is_that_of_the_chosen_model() {
        let observed = line(30);
        let n_clusters = NClusters::Exactly(3);
        let graph = LatentGraph { n_clusters, ..LatentGraph::default() };
        let feature = LatentFeature { n_clusters, ..LatentFeature::default() };
        let auto = Auto { graph, feature };
        let fit = auto.fit(&observed, &[]).unwrap();
        let direct = graph.fit(&observed, &[]).unwrap();
        assert!(matches!(&fit, AutoFit::Graph(fit) if fit.scales == direct.scales));
        assert_eq!((fit.labels(), fit.log_joint()), (&direct.labels, direct.log_joint.total()));
        let feature = LatentFeature { affinity: Affinity::Local, ..feature };
        let fit = Auto { graph, feature }.fit(&observed, &[]).unwrap();
        assert!(matches!(fit, AutoFit::Feature(_)));
        assert_eq!(fit.labels(), &feature.fit(&observed, &[]).unwrap().labels);
    }
}
