//! A canonical order of the items: a function of what was observed, not of the order of the rows.
//!
//! With tied lengths there are several minimum spanning trees and several lists of nearest neighbours. Ties are broken by the
//! numbers of the items; so items are numbered canonically first, and permuting the rows permutes the answer.

pub(crate) mod coloured;
pub(crate) mod colours;
pub(crate) mod curve;
pub(crate) mod different;
pub(crate) mod rows;

use crate::graph::neighbours::kd_tree::{KdTree, near_order};
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::input::metric::MeasuredPoints;
use crate::plan::crossover;
use curve::Curve;

/// The canonical order, and which items are equal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Canonical {
    /// The number, in the caller's order, of the item at each place.
    pub(crate) order: Vec<usize>,
    /// The class of equal items of the item at each place: the same coordinates, or a distance of 0 and the same distances to
    /// all others. Classes are numbered in the order of first appearance.
    pub(crate) equal: Labels,
}

impl Canonical {
    /// Returns the canonical order.
    ///
    /// The items of a matrix or a graph, and points that are not too many, are ordered by colour refinement ([`colours`]): so
    /// points and the matrix of their distances have one order. Of more points those in few dimensions have the order of the
    /// leaves of a kd-tree, and of very many that of a space-filling curve ([`curve`]), so that near ones have near numbers;
    /// others have that of their coordinates. Items that can be exchanged
    /// without a change of what was observed keep the caller's order: equal ones, and those that a symmetry of a matrix maps
    /// to each other; points that a symmetry maps to each other have the order of their coordinates.
    ///
    /// `weights` are those of the items, or empty: items of different weights cannot be exchanged.
    pub(crate) fn new(observed: &Dissimilarity<'_>, weights: &[f64]) -> Self {
        let ranks = rank_of_weights(weights, observed.n_points());
        let Some(compare) = rows::comparison(observed) else {
            return colours::canonical_of(observed, &ranks);
        };
        let sorted = rows::sorted(observed.n_points(), &compare);
        let class = rows::classes(&sorted, &compare);
        let order = match observed.n_points() {
            n if crossover::orders_by_lengths(n) => by_lengths(observed, &sorted, &class, &ranks),
            n if crossover::orders_by_curve(n) => observed.points().and_then(curve_order),
            _ => observed.points().and_then(near_order),
        };
        let order = order.unwrap_or(sorted);
        let equal = Labels::of_numbers(&order.iter().map(|&i| class[i]).collect::<Vec<_>>());
        Self { order, equal }
    }

    /// Returns the order in which equal items of different clusters stand by their clusters, and these by their items: the
    /// score of a partition that parts equal items does not depend on the order of rows either.
    pub(crate) fn with_clusters(self, labels: &Labels) -> Self {
        let mut items: Vec<Vec<usize>> = vec![Vec::new(); labels.n_clusters()];
        let classes = self.equal.as_slice();
        self.order.iter().zip(classes).for_each(|(&i, &class)| items[labels.as_slice()[i]].push(class));
        items.iter_mut().for_each(|items| items.sort_unstable());
        let mut ranked: Vec<usize> = (0..items.len()).collect();
        ranked.sort_by(|&a, &b| items[a].cmp(&items[b]));
        let mut rank = vec![0; items.len()];
        ranked.iter().enumerate().for_each(|(at, &cluster)| rank[cluster] = at);
        self.with_equal_by(|i| rank[labels.as_slice()[i]])
    }

    /// Returns the order in which equal items stand by a key of theirs, given the number of the item.
    pub(crate) fn with_equal_by<K: Ord>(self, key: impl Fn(usize) -> K) -> Self {
        let Self { mut order, equal } = self;
        if equal.n_clusters() == equal.n_points() {
            return Self { order, equal };
        }
        // Every class keeps its places.
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); equal.n_clusters()];
        equal.as_slice().iter().enumerate().for_each(|(place, &class)| places[class].push(place));
        for places in places.iter().filter(|places| places.len() > 1) {
            let mut own: Vec<usize> = places.iter().map(|&place| order[place]).collect();
            own.sort_by_key(|&i| key(i));
            places.iter().zip(own).for_each(|(&place, i)| order[place] = i);
        }
        Self { order, equal }
    }

    /// Returns labels of the items in the caller's order as labels in the canonical one.
    pub(crate) fn labels(&self, labels: &Labels) -> Labels {
        Labels::of_numbers(&self.order.iter().map(|&i| labels.as_slice()[i]).collect::<Vec<_>>())
    }

    /// Returns labels in the canonical order as labels in the caller's, and for each cluster of these its number in the
    /// canonical order.
    pub(crate) fn restored(&self, labels: &Labels) -> (Labels, Vec<usize>) {
        let mut own = vec![0; self.order.len()];
        self.order.iter().zip(labels.as_slice()).for_each(|(&i, &cluster)| own[i] = cluster);
        let restored = Labels::of_numbers(&own);
        let mut clusters = vec![0; restored.n_clusters()];
        restored.as_slice().iter().zip(own).for_each(|(&there, here)| clusters[there] = here);
        (restored, clusters)
    }

    /// Whether the caller's order is the canonical one.
    pub(crate) fn is_given(&self) -> bool {
        self.order.iter().enumerate().all(|(place, &i)| place == i)
    }
}

/// Points in the order of a space-filling curve, if they have few dimensions and boxes are of use for their metric.
fn curve_order(points: &MeasuredPoints<'_>) -> Option<Vec<usize>> {
    let rows = points.points();
    let order = || Curve::around(rows.as_slice(), rows.n_dimensions()).order(rows.as_slice());
    KdTree::serves(points).then(|| order().into_iter().map(|i| i as usize).collect())
}

/// Points in the order of the items of their matrix: different ones by colour refinement, equal ones in the caller's order.
fn by_lengths(
    observed: &Dissimilarity<'_>,
    sorted: &[usize],
    class: &[usize],
    ranks: &[usize],
) -> Option<Vec<usize>> {
    let equal: Vec<&[usize]> = sorted.chunk_by(|&a, &b| class[a] == class[b]).collect();
    let firsts: Vec<usize> = equal.iter().map(|equal| equal[0]).collect();
    let weights: Vec<usize> = equal.iter().map(|equal| equal.iter().map(|&i| ranks[i]).sum()).collect();
    let different = observed.restricted(&firsts).ok()?;
    let order = colours::order_of_different(&different, &weights);
    Some(order.iter().flat_map(|&at| equal[at]).copied().collect())
}

/// For each weight its rank among the different ones, from 1; 1 for all where there are none.
fn rank_of_weights(weights: &[f64], n_points: usize) -> Vec<usize> {
    if weights.is_empty() {
        return vec![1; n_points];
    }
    let mut different = weights.to_vec();
    different.sort_by(f64::total_cmp);
    different.dedup();
    weights.iter().map(|weight| different.partition_point(|other| other < weight) + 1).collect()
}

#[cfg(test)]
mod tests;
