//! An even sample of the points, and how what is known of it extends to all points.

use std::sync::Arc;

use crate::graph::link::Link;
use crate::graph::spanning::spread::spread_along;

/// Some of the points, evenly taken in the order that the points have, and for each point the one of them that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The points of the sample, in rising order.
    pub(crate) members: Vec<usize>,
    /// For each point the number of a member in the sample: that which a walk along the minimum spanning tree, shortest links
    /// first, reaches first.
    pub(crate) representatives: Arc<Vec<u32>>,
}

impl Sample {
    /// Takes `size` points, from 1 to `n_points`.
    ///
    /// Points of a space of few dimensions stand in the order of a space-filling curve
    /// ([`Canonical`](crate::graph::canonical::Canonical)), so that every region has its share.
    pub(crate) fn new(tree: &[Link], n_points: usize, size: usize) -> Self {
        Self::along(tree.iter().map(|link| [link.from, link.to]), n_points, size)
    }

    /// As [`Sample::new`], given the ends of the tree's links, shortest first.
    pub(crate) fn along(tree: impl Iterator<Item = [usize; 2]>, n_points: usize, size: usize) -> Self {
        let members = Self::members(n_points, size);
        let known = members.iter().copied().enumerate().map(|(at, i)| (i, at));
        let representatives = Arc::new(spread_along(tree, n_points, known));
        Self { members, representatives }
    }

    /// The points that a sample of `size` takes.
    pub(crate) fn members(n_points: usize, size: usize) -> Vec<usize> {
        (0..size).map(|at| at * n_points / size).collect()
    }

    /// The labels of all points: each has that of its representative.
    pub(crate) fn extended(&self, labels: &[usize]) -> Vec<usize> {
        self.representatives.iter().map(|&at| labels[at as usize]).collect()
    }

    /// How many points each point of the sample stands for.
    pub(crate) fn weight(&self) -> f64 {
        self.representatives.len() as f64 / self.members.len() as f64
    }

    /// The links of a tree of all points between points with different representatives, as links between these.
    pub(crate) fn contracted(&self, tree: &[Link]) -> Vec<Link> {
        let part = |i: usize| self.representatives[i] as usize;
        let link = |link: &Link| Link { from: part(link.from), to: part(link.to), length: link.length };
        tree.iter().map(link).filter(|link| link.from != link.to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_the_sample_extend_along_the_shortest_links() {
        // A chain 0 .. 5, of which 0, 2 and 4 are taken; 3 is nearer to 4, 1 to 2, 5 to 4.
        let lengths = [3.0, 1.0, 5.0, 2.0, 4.0];
        let link = |(from, &length): (usize, &f64)| Link { from, to: from + 1, length };
        let mut tree: Vec<Link> = lengths.iter().enumerate().map(link).collect();
        tree.sort_by(|a, b| a.length.total_cmp(&b.length));
        let sample = Sample::new(&tree, 6, 3);
        assert_eq!(sample.members, [0, 2, 4]);
        assert_eq!(sample.extended(&[7, 8, 9]), [7, 8, 8, 9, 9, 9]);
        assert_eq!(sample.weight(), 2.0);
        let between: Vec<(usize, usize, f64)> =
            sample.contracted(&tree).iter().map(|link| (link.from, link.to, link.length)).collect();
        assert_eq!(between, [(0, 1, 3.0), (1, 2, 5.0)]);
    }
}
