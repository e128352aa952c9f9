//! The different points, of those that have a weight: what a fit sees of equal points, and of weights.

use crate::constraints::side_information::SideInformation;
use crate::error::{ConstraintError, Error};
use crate::graph::canonical::different::Different;
use crate::graph::neighbours::nearest_of_some::by_pairs;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;

/// Returns an error unless there is a good weight for each point, or none at all.
pub(crate) fn check_weights(side: &SideInformation, n_points: usize) -> Result<(), Error> {
    let weights = &side.weights;
    if weights.is_empty() {
        return Ok(());
    }
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
    pub(crate) firsts: Vec<usize>,
    /// For each point the place in `firsts` of the one that it is equal to, or for a weight of 0 the nearest.
    pub(crate) place: Vec<u32>,
    /// Their weights.
    pub(crate) weights: Vec<f64>,
}

impl Seen {
    /// The different points of positive weight; `None` where these are all.
    pub(crate) fn new(observed: &Dissimilarity<'_>, weights: &[f64]) -> Option<Self> {
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

    /// The labels of all points, given those of the points that are seen.
    pub(crate) fn labels(&self, labels: &Labels) -> Labels {
        Labels::new(&self.place.iter().map(|&at| labels.as_slice()[at as usize]).collect::<Vec<_>>())
    }

    /// For each cluster of all points the number that it has among the points that are seen: clusters are numbered in the order of
    /// first appearance, here as there.
    pub(crate) fn classes(&self, seen: &Labels, all: &Labels) -> Vec<usize> {
        let mut classes = vec![0; seen.n_clusters()];
        for (&at, &new) in self.place.iter().zip(all.as_slice()) {
            classes[new] = seen.as_slice()[at as usize];
        }
        classes
    }
}
