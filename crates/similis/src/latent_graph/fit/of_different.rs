//! Fits of the different points: equal ones are one point with a weight.
//!
//! Links between equal points have no length, and many of them would outweigh all others: the same points given three times
//! would fall into dozens of clusters. So a search sees every place once. How many points are there counts where it says
//! something, in the density: modes, and the valleys between them. Weights are the same: a weight of w is w equal points.

use std::sync::Arc;

use crate::constraints::seen::{Seen, check_weights};
use crate::constraints::side_information::SideInformation;
use crate::error::{Error, SettingError};
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::latent_graph::settings::inference::Inference;
use crate::settings::n_clusters::NClusters;

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
        let classes = self.classes(&fit.labels, &labels);
        let mut number = vec![0; fit.scales.len()];
        classes.iter().enumerate().for_each(|(new, &old)| number[old] = new);
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
        let classes = self.classes(&proposal.labels, &labels);
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
