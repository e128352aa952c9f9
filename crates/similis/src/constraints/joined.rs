//! Sets of points that grow by joins, and never break a constraint.

use crate::constraints::Constraints;
use crate::graph::disjoint_sets::DisjointSets;
use crate::input::labels::Labels;

/// A partition that joins make coarser: it begins with one part for each must-link group and each free point.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'a> {
    constraints: &'a Constraints,
    sets: DisjointSets,
    /// The groups in the part of each top.
    held: Vec<Vec<usize>>,
    n_left: usize,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(constraints: &'a Constraints) -> Self {
        let n_points = constraints.n_points;
        let (mut sets, mut held) = (DisjointSets::new(n_points), vec![Vec::new(); n_points]);
        for (number, block) in constraints.blocks.iter().enumerate() {
            let top = block.members[0];
            block.members.iter().for_each(|&i| sets.join_roots(i, top));
            held[top].push(number);
        }
        Self { constraints, sets, held, n_left: constraints.most_clusters() }
    }

    pub(crate) fn n_parts(&self) -> usize {
        self.n_left
    }

    /// Joins the parts of two points, unless they conflict or are the same; returns whether it did.
    pub(crate) fn join(&mut self, i: usize, j: usize) -> bool {
        let (mut few, mut many) = (self.sets.root(i), self.sets.root(j));
        if few == many {
            return false;
        }
        if self.held[few].len() > self.held[many].len() {
            (few, many) = (many, few);
        }
        if self.conflict(few, many) {
            return false;
        }
        let blocks = std::mem::take(&mut self.held[few]);
        self.held[many].extend(blocks);
        self.sets.join_roots(few, many);
        self.n_left -= 1;
        true
    }

    fn conflict(&mut self, few: usize, many: usize) -> bool {
        let constraints = self.constraints;
        let blocks = std::mem::take(&mut self.held[few]);
        let others = blocks.iter().flat_map(|&block| &constraints.blocks[block].conflicts);
        let found =
            others.map(|&other| constraints.blocks[other].members[0]).any(|i| self.sets.root(i) == many);
        self.held[few] = blocks;
        found
    }

    /// Joins parts that do not conflict, the largest first, until at most `n_clusters` are left or all conflict.
    pub(crate) fn join_rest(&mut self, n_clusters: usize) {
        let mut sizes = vec![0; self.constraints.n_points];
        (0..self.constraints.n_points).for_each(|i| sizes[self.sets.root(i)] += 1);
        let mut tops: Vec<usize> = (0..sizes.len()).filter(|&top| sizes[top] > 0).collect();
        tops.sort_by_key(|&top| std::cmp::Reverse(sizes[top]));
        for (at, &small) in tops.iter().enumerate().rev() {
            if self.n_left > n_clusters {
                let _ = tops[..at].iter().any(|&great| self.join(small, great));
            }
        }
    }

    /// Returns the part of each point.
    pub(crate) fn labels(mut self) -> Labels {
        let tops: Vec<usize> = (0..self.constraints.n_points).map(|i| self.sets.root(i)).collect();
        Labels::new(&tops)
    }
}
