//! Fits of the different points: equal ones are one point with a weight.
//!
//! Links between equal points have no length, and many of them would outweigh all others: the same points given three times
//! would fall into dozens of clusters. So a search sees every place once. How many points are there counts where it says
//! something, in the density: modes, and the valleys between them. Weights are the same: a weight of w is w equal points.

use std::sync::Arc;

use crate::constraints::side_information::SideInformation;
use crate::error::{ConstraintError, Error, SettingError};
use crate::graph::canonical::different::Different;
use crate::graph::neighbours::nearest_of_some::by_pairs;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::latent_graph::settings::inference::Inference;
use crate::settings::n_clusters::NClusters;

/// Returns an error unless there is a good weight for each point, or none at all.
fn check_weights(side: &SideInformation, n_points: usize) -> Result<(), Error> {
    let weights = &side.weights;
    if weights.len() != n_points {
        return Err(Error::Constraints(ConstraintError::NWeights { given: weights.len(), n_points }));
    }
    let bad = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    if let Some(row) = weights.iter().position(bad) {
        return Err(Error::Constraints(ConstraintError::Weight { row, given: weights[row] }));
    }
    if !weights.iter().any(|&weight| weight > 0.0) {
        return Err(Error::Constraints(ConstraintError::NoWeight));
    }
    match weights.iter().position(|&weight| weight == 0.0).filter(|_| !side.is_empty()) {
        Some(row) => Err(Error::Constraints(ConstraintError::ZeroWeight { row })),
        None => Ok(()),
    }
}

/// The points that a search sees, and what every point is to them.
pub(crate) struct Seen {
    /// The points that are seen, in rising order.
    firsts: Vec<usize>,
    /// For each point the place in `firsts` of the one that it is equal to, or for a weight of 0 the nearest.
    place: Vec<u32>,
    /// Their weights; not needed where only a fit is extended.
    weights: Vec<f64>,
}

impl Seen {
    /// The different points of positive weight; `None` where these are all.
    fn new(observed: &Dissimilarity<'_>, weights: &[f64]) -> Option<Self> {
        let n = observed.n_points();
        let each = || Different {
            firsts: (0..n).collect(),
            place: (0..n as u32).collect(),
            weights: if weights.is_empty() { vec![1.0; n] } else { weights.to_vec() },
        };
        let some_are_zero = weights.contains(&0.0);
        let Different { firsts, place, weights } = match Different::new(observed, weights) {
            Some(different) => different,
            None if some_are_zero => each(),
            None => return None,
        };
        let kept: Vec<usize> = (0..firsts.len()).filter(|&at| weights[at] > 0.0).collect();
        let mut new_place = vec![u32::MAX; firsts.len()];
        kept.iter().enumerate().for_each(|(new, &old)| new_place[old] = new as u32);
        let own: Vec<usize> = kept.iter().map(|&at| firsts[at]).collect();
        for (old, place) in new_place.iter_mut().enumerate().filter(|(_, place)| **place == u32::MAX) {
            *place = by_pairs(observed, firsts[old], &own);
        }
        Some(Self {
            place: place.iter().map(|&at| new_place[at as usize]).collect(),
            weights: kept.iter().map(|&at| weights[at]).collect(),
            firsts: own,
        })
    }

    fn labels(&self, labels: &Labels) -> Labels {
        Labels::new(&self.place.iter().map(|&at| labels.as_slice()[at as usize]).collect::<Vec<_>>())
    }
}

impl LatentGraph {
    /// Returns an error for weights that are none, and for weights that this way of inference does not know.
    pub(crate) fn check_weights(&self, side: &SideInformation, n_points: usize) -> Result<(), Error> {
        if side.weights.is_empty() {
            return Ok(());
        }
        if !matches!(self.inference(), Inference::Search(_)) {
            return Err(Error::Settings(SettingError::NeedsSearch { purpose: "weights of points" }));
        }
        check_weights(side, n_points)
    }

    /// Returns an error for soft pairs that these settings do not know.
    pub(crate) fn check_soft_pairs(&self, side: &SideInformation) -> Result<(), Error> {
        let knows = matches!(self.inference(), Inference::Search(_)) && self.is_searchable();
        if side.soft_pairs.is_empty() || knows {
            return Ok(());
        }
        Err(Error::Settings(SettingError::NeedsSearch { purpose: "pairs that are probable, not certain," }))
    }

    /// The points that a search sees, if they are fewer than all; `None` where every point is seen, and where equal points may have to
    /// be parted: for as many clusters, or by side information.
    pub(crate) fn seen(&self, observed: &Dissimilarity<'_>, side: &SideInformation) -> Option<Seen> {
        if !matches!(self.inference(), Inference::Search(_)) || !side.is_empty() {
            return None;
        }
        let seen = Seen::new(observed, &side.weights)?;
        let least = self.n_clusters.bounds(observed.n_points()).0;
        (least <= seen.firsts.len()).then_some(seen)
    }

    /// The fit of the points that are seen, as `fit` finds it, extended to all.
    pub(crate) fn fit_seen(
        &self,
        observed: &Dissimilarity<'_>,
        seen: &Seen,
        fit: impl FnOnce(&Self, &Dissimilarity<'_>, SideInformation) -> Result<LatentGraphFit, Error>,
    ) -> Result<LatentGraphFit, Error> {
        let n = seen.firsts.len();
        let n_clusters = match self.n_clusters {
            NClusters::Between(least, most) => NClusters::Between(least, most.min(n)),
            other => other,
        };
        let side = SideInformation { weights: seen.weights.clone(), ..SideInformation::default() };
        let found = fit(&Self { n_clusters, ..*self }, &observed.restricted(&seen.firsts)?, side)?;
        Ok(seen.extended(found, observed))
    }
}

impl Seen {
    /// Some points that stand for all: `place` has for each point the place of its own.
    pub(crate) fn standing_for(firsts: Vec<usize>, place: Vec<u32>) -> Self {
        Self { firsts, place, weights: Vec::new() }
    }

    /// What was found of the points that are seen, of all.
    pub(crate) fn extended(&self, fit: LatentGraphFit, observed: &Dissimilarity<'_>) -> LatentGraphFit {
        let labels = self.labels(&fit.labels);
        // Clusters are numbered in the order of first appearance, here as there.
        let mut number = vec![0; fit.scales.len()];
        let mut classes = vec![0; fit.scales.len()];
        for (&at, &new) in self.place.iter().zip(labels.as_slice()) {
            let old = fit.labels.as_slice()[at as usize];
            (number[old], classes[new]) = (new, old);
        }
        let mut is_noise = vec![false; self.firsts.len()];
        fit.noise.iter().for_each(|&at| is_noise[at] = true);
        let graph = self.graph(fit.graph, (&labels, &number), &is_noise, observed);
        let place = Arc::new(self.place.clone());
        LatentGraphFit {
            noise: (0..self.place.len()).filter(|&i| is_noise[self.place[i] as usize]).collect(),
            labels,
            graph,
            scales: classes.iter().map(|&class| fit.scales[class]).collect(),
            spreads: classes.iter().map(|&class| fit.spreads[class]).collect(),
            proposals: fit.proposals.into_iter().map(|proposal| self.proposal(proposal)).collect(),
            numbers: fit.numbers.into_iter().map(|row| self.number(row, &place)).collect(),
            modes: fit.modes.map(|modes| self.modes(modes)),
            component_sizes: vec![self.place.len()],
            ..fit
        }
    }

    /// The links of the points that are seen, and one from each other point to that which it is equal to.
    fn graph(
        &self,
        links: Vec<ClassLink>,
        (labels, number): (&Labels, &[usize]),
        is_noise: &[bool],
        observed: &Dissimilarity<'_>,
    ) -> Vec<ClassLink> {
        let link = |link: ClassLink| {
            let [from, to] = [self.firsts[link.from], self.firsts[link.to]];
            ClassLink { from, to, class: number[link.class], ..link }
        };
        let mut graph: Vec<ClassLink> = links.into_iter().map(link).collect();
        for (i, &at) in self.place.iter().enumerate() {
            let first = self.firsts[at as usize];
            if first != i && !is_noise[at as usize] {
                let (length, class) = (observed.pair(first, i).unwrap_or(f64::NAN), labels.as_slice()[i]);
                graph.push(ClassLink { from: first.min(i), to: first.max(i), class, length });
            }
        }
        graph.sort_by_key(|link| link.class);
        graph
    }

    fn proposal(&self, proposal: Proposal) -> Proposal {
        let labels = self.labels(&proposal.labels);
        let mut score = proposal.score;
        let mut classes = vec![0; score.classes.len()];
        for (&at, &new) in self.place.iter().zip(labels.as_slice()) {
            classes[new] = proposal.labels.as_slice()[at as usize];
        }
        score.classes = classes.iter().map(|&class| score.classes[class]).collect();
        Proposal { labels, score, ..proposal }
    }

    /// A row of the table of numbers: all share the places of the points.
    fn number(&self, mut row: NumberScore, place: &Arc<Vec<u32>>) -> NumberScore {
        let own = &mut row.partition.representatives;
        *own = Some(match own.take() {
            Some(of_seen) => Arc::new(self.place.iter().map(|&at| of_seen[at as usize]).collect()),
            None => Arc::clone(place),
        });
        row
    }

    fn modes(&self, modes: DensityModes) -> DensityModes {
        let own = |mode: Mode| Mode {
            peak: self.firsts[mode.peak],
            saddle: mode.saddle.map(|ends| ends.map(|end| self.firsts[end])),
            ..mode
        };
        DensityModes { modes: modes.modes.into_iter().map(own).collect(), ..modes }
    }
}
