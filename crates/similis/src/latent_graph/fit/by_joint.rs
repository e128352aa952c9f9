//! Inference by search where links are Gaussian (Eq. (7)), or where graphs are not trees (Eqs. (9), (10)).
//!
//! The paper's algorithm ends where no single point wants to move, and from random labels that is soon. So it also begins where a
//! search for trees with exponential lengths, or spectral clustering of similarities, ends. Its random restarts are tried too, and the
//! log joint of the model that was asked for decides: the answer is never less probable than that of the paper's algorithm.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::input::Quantity;
use crate::latent_feature::LatentFeature;
use crate::latent_graph::context::global_tree;
use crate::latent_graph::context::task::{Range, Task};
use crate::latent_graph::fit::{LatentGraphFit, best};
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::paper::Run;
use crate::latent_graph::settings::inference::{Inference, N_BEGUN, SearchSettings};
use crate::latent_graph::{LatentGraph, MAX_PASSES};
use crate::run::parallel;
use crate::run::random::{SEARCH_STREAMS, stream};
use crate::settings::n_clusters::NClusters;

impl LatentGraph {
    /// Inference by search under this likelihood and this graph prior.
    pub(crate) fn search_joint(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        let Task { observed, constraints, observer, .. } = task;
        let n_clusters = self.estimated_number(task)?;
        let starts = self.begun(task, n_clusters)?;
        let tree = global_tree(observed, observer);
        let lengths = self.joined(self.lengths(observed, &tree), n_clusters, constraints)?;
        let model = self.model(&lengths, &tree)?;
        let refined = parallel::map(starts.len(), |at| {
            let mut random = stream(self.seed, SEARCH_STREAMS + at as u64);
            let run = Run::from_labels(&model, &starts[at], n_clusters, constraints);
            run.run(MAX_PASSES, &mut random, observer)
        });
        let mut runs = self.restarts(&model, n_clusters, constraints, observer);
        runs.extend(refined);
        let found = best(runs, model.background)?;
        Ok(LatentGraphFit { component_sizes: lengths.part_sizes(), ..found })
    }

    /// The labels from which the paper's algorithm begins: the best of a search for trees with exponential lengths, or spectral
    /// clusters of similarities.
    fn begun(&self, task: Task<'_>, n_clusters: usize) -> Result<Vec<Vec<usize>>, Error> {
        let Task { observed, constraints, observer, .. } = task;
        if observed.quantity() == Quantity::Similarities {
            let features = LatentFeature {
                n_clusters: NClusters::Exactly(n_clusters),
                seed: self.seed,
                memory_limit: self.memory_limit,
                ..LatentFeature::default()
            };
            let labels = features.grouped(observed, constraints, observer)?;
            return Ok(vec![labels]);
        }
        let trees = Self {
            n_clusters: NClusters::Exactly(n_clusters),
            likelihood: Likelihood::Exponential,
            graph_prior: GraphPrior::Tree,
            inference: Some(Inference::Search(SearchSettings::default())),
            ..*self
        };
        let range = Range { least: n_clusters, most: n_clusters, ..task.range };
        let found = trees.search_all(Task { range, ..task })?;
        let labels = found.proposals.iter().take(N_BEGUN).map(|one| one.labels.as_slice().to_vec());
        Ok(labels.filter(|labels| obeys(labels, constraints)).collect())
    }
}

/// Whether labels keep groups of points together.
fn obeys(labels: &[usize], constraints: &Constraints) -> bool {
    constraints.ties().all(|(i, j)| labels[i] == labels[j])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::latent_graph::settings::inference::PaperSettings;

    const SHAPES: [Shape; 4] =
        [Shape::HalfMoons, Shape::DenseRing, Shape::OverlappingSquares, Shape::UnlikeSpirals];

    /// By how much a search is more probable than the paper's algorithm from the same seed, on 100 inputs.
    fn gains(likelihood: Likelihood, graph_prior: GraphPrior) -> Vec<f64> {
        parallel::map(100, |at| {
            let drawn = draw(SHAPES[at % SHAPES.len()], 60 + at % 7, at as u64).unwrap();
            let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let fit = |inference: Inference| {
                let model = LatentGraph {
                    n_clusters: NClusters::Exactly(2 + at % 2),
                    likelihood,
                    graph_prior,
                    inference: Some(inference),
                    seed: at as u64,
                    ..LatentGraph::default()
                };
                model.fit(&observed, &[]).unwrap().log_joint.total()
            };
            fit(Inference::Search(SearchSettings::default()))
                - fit(Inference::Paper(PaperSettings::default()))
        })
    }

    #[test]
    fn a_search_is_never_less_probable_than_the_papers_algorithm() {
        for (likelihood, prior) in [
            (Likelihood::Gaussian, GraphPrior::Tree),
            (Likelihood::Exponential, GraphPrior::KNeighbours),
            (Likelihood::Gaussian, GraphPrior::KNeighbours),
            (Likelihood::Exponential, GraphPrior::Connected),
        ] {
            let gains = gains(likelihood, prior);
            // An answer that is impossible under both has no gain.
            let below: Vec<usize> = (0..gains.len()).filter(|&at| gains[at] < 0.0).collect();
            assert!(below.is_empty(), "{likelihood:?}, {prior:?}: {below:?}");
            let n_above = gains.iter().filter(|&&gain| gain > 1e-6).count();
            assert!(n_above >= 10, "{likelihood:?}, {prior:?}: {n_above}");
        }
    }
}
