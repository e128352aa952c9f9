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
use crate::latent_graph::settings::inference::{Inference, SearchSettings};
use crate::latent_graph::{LatentGraph, MAX_PASSES};
use crate::run::parallel;
use crate::run::random::{SEARCH_STREAMS, stream};
use crate::settings::n_clusters::NClusters;

/// Number of partitions of the search from which the paper's algorithm begins. Not tuned.
const N_BEGUN: usize = 6;

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

    fn model(
        likelihood: Likelihood,
        graph_prior: GraphPrior,
        inference: Inference,
        seed: u64,
    ) -> LatentGraph {
        let n_clusters = NClusters::Exactly(2);
        LatentGraph {
            n_clusters,
            likelihood,
            graph_prior,
            inference: Some(inference),
            seed,
            ..LatentGraph::default()
        }
    }

    #[test]
    fn a_search_is_never_less_probable_than_the_papers_algorithm() {
        let cases = [
            (Likelihood::Gaussian, GraphPrior::Tree),
            (Likelihood::Exponential, GraphPrior::KNeighbours),
            (Likelihood::Gaussian, GraphPrior::KNeighbours),
            (Likelihood::Exponential, GraphPrior::Connected),
        ];
        for (at, &(likelihood, prior)) in cases.iter().enumerate() {
            for seed in 0..25 {
                let drawn = draw(Shape::HalfMoons, 40, seed).unwrap();
                let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
                let paper = Inference::Paper(PaperSettings::default());
                let search = Inference::Search(SearchSettings::default());
                let by_paper = model(likelihood, prior, paper, seed).fit(&observed, &[]).unwrap();
                let by_search = model(likelihood, prior, search, seed).fit(&observed, &[]).unwrap();
                assert!(by_search.log_joint.total() >= by_paper.log_joint.total(), "case {at}, seed {seed}");
            }
        }
    }
}
