//! What is known of some points before anything is inferred (section 5).

/// Labels that are known, pairs that share a cluster or do not (section 5), and weights; nothing by default.
///
/// Known labels alone can be given as they are: a slice, an array or a vector of `Option<usize>`, `&[]` for nothing.
///
/// ```
/// use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points, SideInformation};
/// let points = Points::new(vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2], 9, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let model = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
/// let side = SideInformation { must_link: vec![(0, 3)], cannot_link: vec![(3, 8)], ..SideInformation::default() };
/// let fit = model.fit(&pairs, &side)?;
/// assert_eq!(fit.labels.as_slice(), [0, 0, 0, 0, 0, 0, 1, 1, 1]);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideInformation {
    /// The label of each point where it is known; empty where none is. Points with the same label share a cluster, points
    /// with different ones do not.
    pub known_labels: Vec<Option<usize>>,
    /// Pairs of points that share a cluster, and so do chains of such pairs.
    pub must_link: Vec<(usize, usize)>,
    /// Pairs of points that do not share a cluster.
    pub cannot_link: Vec<(usize, usize)>,
    /// Pairs that probably share a cluster, or probably do not: the score counts them, and nothing must obey them.
    pub soft_pairs: Vec<SoftPair>,
    /// The weight of each point, 0 or more; empty: 1 each. A weight of w is w equal points; 0 leaves the point out of the fit, and
    /// it gets the label of its nearest neighbour.
    pub weights: Vec<f64>,
}

/// Two points that probably share a cluster, or probably do not.
///
/// ```
/// use similis::SoftPair;
/// assert_eq!(SoftPair::together(0, 1, 0.5).weight, 0.0);
/// assert!((SoftPair::together(0, 1, 0.9).weight - 9f64.ln()).abs() < 1e-12);
/// assert!((SoftPair::apart(0, 1, 0.9).weight + 9f64.ln()).abs() < 1e-12);
/// assert_eq!(SoftPair::apart(0, 1, 1.0).weight, f64::NEG_INFINITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftPair {
    /// A point.
    pub first: usize,
    /// Another.
    pub second: usize,
    /// The log odds that they share a cluster, in nats: $\log \frac{p}{1 - p}$. Above 0 they probably do, below 0 they probably do
    /// not, 0 says nothing. Infinite weights are must-links and cannot-links.
    pub weight: f64,
}

impl SoftPair {
    /// Two points that share a cluster with this probability.
    pub fn together(first: usize, second: usize, probability: f64) -> Self {
        Self { first, second, weight: probability.ln() - (-probability).ln_1p() }
    }

    /// Two points that do not share a cluster with this probability.
    pub fn apart(first: usize, second: usize, probability: f64) -> Self {
        Self { first, second, weight: (-probability).ln_1p() - probability.ln() }
    }
}

impl SideInformation {
    /// Whether no label and no pair is known; weights say nothing of clusters.
    pub fn is_empty(&self) -> bool {
        !self.is_hard() && self.soft_pairs.is_empty()
    }

    /// Whether a label or a pair is known that every partition obeys.
    pub(crate) fn is_hard(&self) -> bool {
        let known = self.known_labels.iter().any(Option::is_some);
        known || !self.must_link.is_empty() || !self.cannot_link.is_empty()
    }

    /// Returns what is said of each point: its label, and the number of its must-links, cannot-links and soft pairs.
    pub(crate) fn per_point(&self, n_points: usize) -> Vec<(Option<usize>, [usize; 3])> {
        let known = |i: usize| (self.known_labels.get(i).copied().flatten(), [0; 3]);
        let mut told: Vec<_> = (0..n_points).map(known).collect();
        for (kind, pairs) in [&self.must_link, &self.cannot_link].into_iter().enumerate() {
            pairs.iter().flat_map(|&(i, j)| [i, j]).for_each(|i| told[i].1[kind] += 1);
        }
        self.soft_pairs.iter().flat_map(|pair| [pair.first, pair.second]).for_each(|i| told[i].1[2] += 1);
        told
    }

    /// Returns what is said of the same points in another order: `order[new]` is the old number of a point.
    pub(crate) fn in_order(&self, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let pairs = |pairs: &[(usize, usize)]| pairs.iter().map(|&(i, j)| (place[i], place[j])).collect();
        let soft =
            |pair: &SoftPair| SoftPair { first: place[pair.first], second: place[pair.second], ..*pair };
        Self {
            known_labels: order.iter().filter_map(|&i| self.known_labels.get(i).copied()).collect(),
            must_link: pairs(&self.must_link),
            cannot_link: pairs(&self.cannot_link),
            soft_pairs: self.soft_pairs.iter().map(soft).collect(),
            weights: order.iter().filter_map(|&i| self.weights.get(i).copied()).collect(),
        }
    }

    /// Returns what is said of `kept` points (rising numbers) alone, numbered in this order.
    pub(crate) fn restricted(&self, kept: &[usize]) -> Self {
        let place = |i: usize| kept.binary_search(&i).ok();
        let pairs = |pairs: &[(usize, usize)]| {
            pairs.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect()
        };
        let soft = |pair: &SoftPair| {
            Some(SoftPair { first: place(pair.first)?, second: place(pair.second)?, ..*pair })
        };
        Self {
            known_labels: kept.iter().filter_map(|&i| self.known_labels.get(i).copied()).collect(),
            must_link: pairs(&self.must_link),
            cannot_link: pairs(&self.cannot_link),
            soft_pairs: self.soft_pairs.iter().filter_map(soft).collect(),
            weights: kept.iter().filter_map(|&i| self.weights.get(i).copied()).collect(),
        }
    }
}

impl From<&Self> for SideInformation {
    fn from(side: &Self) -> Self {
        side.clone()
    }
}

impl From<Vec<Option<usize>>> for SideInformation {
    fn from(known_labels: Vec<Option<usize>>) -> Self {
        Self { known_labels, ..Self::default() }
    }
}

impl From<&Vec<Option<usize>>> for SideInformation {
    fn from(known_labels: &Vec<Option<usize>>) -> Self {
        known_labels.clone().into()
    }
}

impl From<&[Option<usize>]> for SideInformation {
    fn from(known_labels: &[Option<usize>]) -> Self {
        known_labels.to_vec().into()
    }
}

impl<const N: usize> From<&[Option<usize>; N]> for SideInformation {
    fn from(known_labels: &[Option<usize>; N]) -> Self {
        known_labels.to_vec().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_labels_alone_are_side_information() {
        let known = vec![None, Some(3)];
        let side = SideInformation { known_labels: known.clone(), ..SideInformation::default() };
        assert_eq!(SideInformation::from(&known), side);
        assert_eq!(SideInformation::from(&[None, Some(3)]), side);
        assert_eq!(SideInformation::from(&known[..]), side);
        assert!(!side.is_empty() && SideInformation::from(&[None]).is_empty());
    }
}
