//! Starts built from side information.

use crate::constraints::Constraints;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::partition::Partition;
use crate::latent_graph::search::starts::folds::Folds;
use crate::latent_graph::search::starts::origin::{Origin, Start};
use crate::latent_graph::search::starts::propagate::{N_NEIGHBOURS, NearWeights};
use crate::latent_graph::search::starts::{Sources, Starts};
use crate::run::parallel;

impl Starts<'_> {
    /// Adds linkages that obey the constraints, and label propagation from the constrained points.
    pub(crate) fn add_obeying(&self, kept: &mut Vec<Partition>, context: &Context<'_>, sources: &Sources) {
        let folds = Folds::new(self.constraints);
        let by_length = sources.by_length(context);
        let linkages: Vec<_> = sources.linkages.iter().chain(&by_length).collect();
        let cuts = parallel::map(linkages.len(), |at| {
            let (origin, linkage) = linkages[at];
            let cut = |constraints: &Constraints| {
                linkage.obeying_cut(self.n_clusters, constraints).map(|labels| labels.as_slice().to_vec())
            };
            self.candidate(*origin, cut, &folds)
        });
        cuts.into_iter().flatten().for_each(|cut| add_new(kept, cut));
        if !self.plan.propagation {
            return;
        }
        let weights = NearWeights::new(context);
        let seeds = self.seeds(kept);
        let found = parallel::map(seeds.len(), |at| {
            let labels = &kept[seeds[at]].labels;
            let spread =
                |constraints: &Constraints| Some(weights.spread(labels, self.n_clusters, constraints));
            self.candidate(Origin::Spread { n_neighbours: N_NEIGHBOURS }, spread, &folds)
        });
        found.into_iter().flatten().for_each(|candidate| add_new(kept, candidate));
    }

    /// The partition that `make` builds from side information, and its cross-validation error.
    fn candidate(
        &self,
        origin: Origin,
        make: impl Fn(&Constraints) -> Option<Vec<usize>>,
        folds: &Folds<'_>,
    ) -> Option<Partition> {
        let labels = make(self.constraints)?;
        let start = Start { obeying: true, ..Start::of(origin) };
        Some(Partition { n_missed: folds.missed(make), ..Partition::new(start, labels) })
    }

    /// The numbers of the partitions to propagate from, all that were not smoothed: one of those that agree on the
    /// constrained points, but all where a cluster has none of these.
    fn seeds(&self, kept: &[Partition]) -> Vec<usize> {
        let mut seeds: Vec<(Labels, usize)> = Vec::new();
        let raw = kept.iter().enumerate().filter(|(_, candidate)| candidate.start.smoothing.is_none());
        for (at, candidate) in raw {
            let bound: Vec<usize> = self.constraints.bound().map(|i| candidate.labels[i]).collect();
            let bound = Labels::new(&bound);
            if bound.n_clusters() < self.n_clusters || seeds.iter().all(|(other, _)| *other != bound) {
                seeds.push((bound, at));
            }
        }
        seeds.into_iter().map(|(_, at)| at).collect()
    }
}

/// Adds a partition unless it is there already.
fn add_new(kept: &mut Vec<Partition>, found: Partition) {
    let partition = Labels::new(&found.labels);
    if kept.iter().all(|other| Labels::new(&other.labels) != partition) {
        kept.push(found);
    }
}

#[cfg(test)]
mod tests;
