//! The step of the scales: Eq. (12) and (13), hard, or soft by exact expected links.

use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::model::scale::ScaleUpdates;
use crate::latent_graph::paper::Run;

/// Maximum number of consecutive soft updates of all scales. Not tuned.
const MAX_SOFT_STEPS: usize = 100;

/// Relative change of a scale below which it counts as converged. Not tuned.
const SETTLED: f64 = 1e-6;

impl Run<'_> {
    /// The scale step for every cluster; whether any scale changed, as it may after its tree was built in a new order.
    pub(crate) fn update_all_scales(&mut self) -> bool {
        let before = self.classes.clone();
        match self.model.scale_updates {
            ScaleUpdates::Hard => (0..self.classes.len()).for_each(|cluster| self.update_scales(cluster)),
            ScaleUpdates::Soft => (0..self.classes.len()).for_each(|cluster| self.step_softly(cluster)),
        }
        let least = if self.model.scale_updates == ScaleUpdates::Soft { SETTLED } else { 1e-12 };
        before.iter().zip(&self.classes).any(|(old, new)| differ(*old, *new, least))
    }

    /// Soft steps until the scales converge, where scales are learned softly; whether any was made.
    pub(crate) fn settle(&mut self) -> bool {
        let soft = self.model.scale_updates == ScaleUpdates::Soft;
        if soft {
            let _ = (0..MAX_SOFT_STEPS).any(|_| !self.update_all_scales());
        }
        soft
    }

    /// One soft scale step for one cluster, and its tree in the new order of prices.
    fn step_softly(&mut self, cluster: usize) {
        let mut members = self.graphs.members(cluster).to_vec();
        members.sort_unstable();
        self.classes[cluster] = self.model.soft_step(&members, self.classes[cluster]);
        self.graphs.set_order(cluster, self.model.weight(self.classes[cluster]).order());
    }

    /// The scale step of the box for one cluster, and its tree in the new order of prices.
    ///
    /// Soft steps look at all trees and cost as much: they are made for all clusters together, pass by pass.
    pub(crate) fn update_scales(&mut self, cluster: usize) {
        if self.model.scale_updates == ScaleUpdates::Soft {
            return;
        }
        self.classes[cluster] = self.model.scale_of(&self.class_links(cluster));
        self.graphs.set_order(cluster, self.model.weight(self.classes[cluster]).order());
    }
}

/// Whether two scales, or spreads, differ by more than a fraction of them.
fn differ(a: LinkLengths, b: LinkLengths, least: f64) -> bool {
    let apart = |a: f64, b: f64| (a - b).abs() > least * a.abs().max(b.abs());
    apart(a.scale(), b.scale()) || apart(a.spread(), b.spread())
}
