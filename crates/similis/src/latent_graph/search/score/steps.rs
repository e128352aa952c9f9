//! The steps of varying scales that matter.

use crate::graph::grouped::points_of_clusters;
use crate::latent_graph::search::score::Scorer;
use crate::plan::Plan;

/// Difference in log evidence from the best step above which a step is left out, in nats for each point. Not tuned.
const LEAST_BEHIND: f64 = 0.01;

/// Number of clusters from which the evidence of very many is estimated, where only steps are compared by it. Not tuned.
const N_LOOKED_AT: usize = 2_000;

impl Scorer<'_> {
    /// From here on leaves out the steps whose log evidence for each of these partitions is below its best by more than 0.01 nats
    /// for each point (and 100 nats): with many points one of the steps outweighs the others for most partitions alike. One
    /// scale for each cluster, the step of 0, costs next to nothing and stays.
    pub(crate) fn leave_out_steps(&mut self, partitions: &[&[usize]]) {
        let mut counts: Vec<bool> = self.steps.iter().map(|&step| step == 0.0).collect();
        for labels in partitions {
            let per_step = self.per_step_of_some(labels);
            let most = per_step.iter().fold(f64::NEG_INFINITY, |most, &value| most.max(value));
            let margin = (LEAST_BEHIND * labels.len() as f64).max(100.0);
            let matters = |value: f64| most - value <= margin || !most.is_finite();
            counts.iter_mut().zip(per_step).for_each(|(counts, value)| *counts |= matters(value));
        }
        self.counts = counts;
    }

    /// The log evidence of a partition for each step; of very many clusters estimated from some of them, evenly chosen.
    fn per_step_of_some(&self, labels: &[usize]) -> Vec<f64> {
        let n_classes = labels.iter().max().map_or(0, |&last| last + 1);
        if !Plan::is_many(n_classes) {
            return self.per_step(&self.sized(labels, |_| None).evidences);
        }
        let every = n_classes.div_ceil(N_LOOKED_AT);
        let chosen: Vec<usize> = (0..n_classes).step_by(every).collect();
        let evidences = self.evidences(labels, &points_of_clusters(labels), &chosen, |_| None);
        self.per_step(&evidences).into_iter().map(|value| value * every as f64).collect()
    }
}
