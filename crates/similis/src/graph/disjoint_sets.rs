//! Disjoint sets of points: the one union-find.

use crate::graph::link::Link;
use crate::input::labels::Labels;

/// Sets of points that grow by joins; each set is known by one of its points, its root.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Every point is a set of its own.
    pub(crate) fn new(n_points: usize) -> Self {
        Self { parent: (0..n_points as u32).collect() }
    }

    /// The root of the set that a point is in; paths are halved on the way.
    pub(crate) fn root(&mut self, point: usize) -> usize {
        let mut at = point as u32;
        while self.parent[at as usize] != at {
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at as usize
    }

    /// Makes one set of those of two points; returns whether they were two.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.join_roots(a.max(b), a.min(b));
        a != b
    }

    /// Joins the set of the root `from` to that of the root `into`, which stays the root.
    pub(crate) fn join_roots(&mut self, from: usize, into: usize) {
        self.parent[from] = into as u32;
    }
}

/// Returns the connected components that links make of points.
pub(crate) fn components(n_points: usize, links: impl Iterator<Item = Link>) -> Labels {
    let mut sets = DisjointSets::new(n_points);
    for link in links {
        sets.join(link.from, link.to);
    }
    let roots: Vec<usize> = (0..n_points).map(|i| sets.root(i)).collect();
    Labels::of_numbers(&roots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_what_a_flood_fill_finds(
            n_points in 1usize..40, ends in proptest::collection::vec((0usize..40, 0usize..40), 0..60),
        ) {
            let links: Vec<Link> = ends
                .into_iter()
                .map(|(from, to)| Link { from: from % n_points, to: to % n_points, length: 1.0 })
                .collect();
            let mut flooded: Vec<usize> = (0..n_points).collect();
            for _ in 0..n_points {
                for link in &links {
                    let least = flooded[link.from].min(flooded[link.to]);
                    (flooded[link.from], flooded[link.to]) = (least, least);
                }
            }
            prop_assert_eq!(components(n_points, links.into_iter()), Labels::new(&flooded));
        }
    }
}
