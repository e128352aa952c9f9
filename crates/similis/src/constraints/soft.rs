//! Soft pairs: points that probably share a cluster, or probably do not.

use std::sync::Arc;

use crate::constraints::side_information::{SideInformation, SoftPair};
use crate::error::{ConstraintError, Error};

/// The soft pairs of every point, both ways round; empty where there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Soft(Arc<Vec<Vec<(u32, f64)>>>);

impl Soft {
    /// Pairs of points that exist, with finite weights.
    pub(crate) fn new(pairs: &[SoftPair], n_points: usize) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        let mut near = vec![Vec::new(); n_points];
        for &SoftPair { first, second, weight } in pairs {
            near[first].push((second as u32, weight));
            near[second].push((first as u32, weight));
        }
        // Sums have the same bits in whatever order the pairs were given.
        near.iter_mut().for_each(|own| own.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))));
        Self(Arc::new(near))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pairs of a point: the other point, and the weight.
    fn of(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.0.get(i).into_iter().flatten().map(|&(j, weight)| (j as usize, weight))
    }

    /// The same pairs of points in another order: `order[new]` is the old number of a point.
    pub(crate) fn in_order(&self, order: &[usize]) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        let row = |&old: &usize| {
            let mut own: Vec<(u32, f64)> = self.of(old).map(|(j, weight)| (place[j], weight)).collect();
            own.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            own
        };
        Self(Arc::new(order.iter().map(row).collect()))
    }

    /// The pairs as if they were certain: those that are probably together, and those that are probably apart.
    pub(crate) fn as_certain(&self) -> [Vec<(usize, usize)>; 2] {
        let all = (0..self.0.len())
            .flat_map(|i| self.of(i).filter(move |&(j, _)| j > i).map(move |(j, weight)| (i, j, weight)));
        let (together, apart): (Vec<_>, Vec<_>) =
            all.filter(|&(_, _, weight)| weight != 0.0).partition(|&(_, _, weight)| weight > 0.0);
        [together, apart].map(|pairs| pairs.into_iter().map(|(i, j, _)| (i, j)).collect())
    }

    /// Minus the weights of the pairs that a partition does not do what they ask for.
    ///
    /// $$ -\sum_{(i, j)} |w_{ij}| \, [\text{together}_{ij} \ne (w_{ij} > 0)] $$
    ///
    /// With $w = \log \frac{p}{1 - p}$ this is the log probability of what the pairs say, given the partition, but for a constant.
    pub(crate) fn penalty(&self, labels: &[usize]) -> f64 {
        let of_point = |i: usize| {
            let later = self.of(i).filter(move |&(j, _)| j > i);
            let broken = later.filter(|&(j, weight)| (labels[i] == labels[j]) != (weight > 0.0));
            broken.map(|(_, weight)| weight.abs()).sum::<f64>()
        };
        -(0..self.0.len()).map(of_point).sum::<f64>()
    }

    /// What speaks for a cluster by the pairs of some points, which move together, with others that are in it.
    pub(crate) fn pull(&self, points: &[usize], cluster: usize, labels: &[usize]) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let inside = |j: usize| points.len() > 1 && points.contains(&j);
        let pairs = points.iter().flat_map(|&i| self.of(i).filter(move |&(j, _)| j != i));
        pairs.filter(|&(j, _)| labels[j] == cluster && !inside(j)).map(|(_, weight)| weight).sum()
    }

    /// What a move of points from one cluster to another gains.
    pub(crate) fn gain(&self, points: &[usize], [from, to]: [usize; 2], labels: &[usize]) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let mut moving = points.to_vec();
        moving.sort_unstable();
        let mut gain = 0.0;
        for (j, weight) in points.iter().flat_map(|&i| self.of(i)) {
            if moving.binary_search(&j).is_err() {
                gain += weight * (f64::from(labels[j] == to) - f64::from(labels[j] == from));
            }
        }
        gain
    }

    /// The most that a move of a point with others can gain.
    pub(crate) fn most(&self, i: usize) -> f64 {
        self.of(i).map(|(_, weight)| weight.abs()).sum()
    }

    /// The clusters of the points that a point should be with.
    pub(crate) fn wanted<'a>(&'a self, i: usize, labels: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        self.of(i).filter(|&(_, weight)| weight > 0.0).map(|(j, _)| labels[j])
    }

    /// Whether a pair of a point is not what it should be.
    pub(crate) fn is_broken_at(&self, i: usize, labels: &[usize]) -> bool {
        self.of(i).any(|(j, weight)| (labels[i] == labels[j]) != (weight > 0.0))
    }
}

impl SideInformation {
    /// Returns the same with certain pairs among the hard ones, and without those that say nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Constraints`] for a pair of points that do not exist, of a point with itself that should not be together, or with a
    /// weight that is not a number.
    pub(crate) fn settled(mut self, n_points: usize) -> Result<Self, Error> {
        let mut soft = Vec::new();
        for (at, pair) in std::mem::take(&mut self.soft_pairs).into_iter().enumerate() {
            let SoftPair { first, second, weight } = pair;
            if let Some(row) = [first, second].into_iter().find(|&row| row >= n_points) {
                return Err(Error::Constraints(ConstraintError::LinkRange {
                    list: "soft_pairs",
                    row,
                    n_points,
                }));
            }
            match weight {
                _ if weight.is_nan() => {
                    return Err(Error::Constraints(ConstraintError::PairWeight { at }));
                }
                f64::INFINITY => self.must_link.push((first, second)),
                f64::NEG_INFINITY => self.cannot_link.push((first, second)),
                _ if first == second && weight < 0.0 => {
                    return Err(Error::Constraints(ConstraintError::CannotLinkSelf { row: first }));
                }
                _ if weight == 0.0 || first == second => {}
                _ => soft.push(pair),
            }
        }
        self.soft_pairs = soft;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_penalty_is_the_weight_of_what_is_broken_by_hand_on_four_points() {
        let pair = |first, second, weight| SoftPair { first, second, weight };
        let soft = Soft::new(&[pair(0, 1, 2.0), pair(1, 2, -0.5), pair(3, 0, 1.0), pair(2, 1, 0.25)], 4);
        // 0 and 1 are together; 1 and 2 are apart as one pair asks for, against the other; 0 and 3 are apart.
        assert_eq!(soft.penalty(&[0, 0, 1, 1]), -0.25 - 1.0);
        assert_eq!(soft.penalty(&[0, 0, 0, 0]), -0.5);
        assert!(soft.is_broken_at(3, &[0, 0, 1, 1]) && !soft.is_broken_at(3, &[0; 4]));
        assert_eq!(soft.in_order(&[3, 1, 2, 0]).penalty(&[1, 0, 1, 0]), -0.25 - 1.0);
    }

    proptest! {
        #[test]
        fn what_a_move_gains_is_the_change_of_the_penalty(
            pairs in prop::collection::vec((0usize..8, 0usize..8, -3i8..4), 0..20),
            labels in prop::collection::vec(0usize..3, 8),
            moving in prop::collection::vec(any::<bool>(), 8), to in 0usize..3
        ) {
            let pairs = pairs.into_iter().filter(|(i, j, _)| i != j);
            let pair = |(first, second, weight): (usize, usize, i8)| SoftPair { first, second, weight: f64::from(weight) };
            let soft = Soft::new(&pairs.map(pair).collect::<Vec<_>>(), 8);
            let from = labels[0];
            let points: Vec<usize> = (0..8).filter(|&i| moving[i] && labels[i] == from).collect();
            let mut after = labels.clone();
            points.iter().for_each(|&i| after[i] = to);
            let gain = soft.penalty(&after) - soft.penalty(&labels);
            prop_assert!(from == to || (soft.gain(&points, [from, to], &labels) - gain).abs() < 1e-9);
            let pulls = soft.pull(&points, to, &labels) - soft.pull(&points, from, &labels);
            prop_assert!(from == to || (pulls - gain).abs() < 1e-9);
            let most: f64 = points.iter().map(|&i| soft.most(i)).sum();
            prop_assert!(gain <= most + 1e-9);
        }
    }
}
