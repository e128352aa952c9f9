//! Parts of points that grow by joins, and never break a constraint.

use crate::constraints::Constraints;
use crate::input::labels::Labels;

/// A partition that joins make coarser: it begins with every block and every free point by itself.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'a> {
    constraints: &'a Constraints,
    /// The point above each; a part is known by the one at the top.
    above: Vec<usize>,
    /// The blocks in the part of each top.
    held: Vec<Vec<usize>>,
    n_left: usize,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(constraints: &'a Constraints) -> Self {
        let n_points = constraints.n_points;
        let (mut above, mut held): (Vec<usize>, _) = ((0..n_points).collect(), vec![Vec::new(); n_points]);
        for (number, block) in constraints.blocks.iter().enumerate() {
            let top = block.members[0];
            block.members.iter().for_each(|&i| above[i] = top);
            held[top].push(number);
        }
        Self { constraints, above, held, n_left: constraints.most_clusters() }
    }

    pub(crate) fn n_parts(&self) -> usize {
        self.n_left
    }

    /// Makes one part of those of two points, unless they conflict or are one already; whether it did.
    pub(crate) fn join(&mut self, i: usize, j: usize) -> bool {
        let (mut few, mut many) = (self.top(i), self.top(j));
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
        self.above[few] = many;
        self.n_left -= 1;
        true
    }

    fn conflict(&mut self, few: usize, many: usize) -> bool {
        let constraints = self.constraints;
        let blocks = std::mem::take(&mut self.held[few]);
        let others = blocks.iter().flat_map(|&block| &constraints.blocks[block].conflicts);
        let found = others.map(|&other| constraints.blocks[other].members[0]).any(|i| self.top(i) == many);
        self.held[few] = blocks;
        found
    }

    fn top(&mut self, mut i: usize) -> usize {
        while self.above[i] != i {
            self.above[i] = self.above[self.above[i]];
            i = self.above[i];
        }
        i
    }

    /// Joins parts that do not conflict, great ones first, until no more than so many are left or all do.
    pub(crate) fn join_rest(&mut self, n_clusters: usize) {
        let mut sizes = vec![0; self.above.len()];
        (0..self.above.len()).for_each(|i| sizes[self.top(i)] += 1);
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
        let tops: Vec<usize> = (0..self.above.len()).map(|i| self.top(i)).collect();
        Labels::new(&tops)
    }
}
