//! Moves of subtrees and of whole clusters.

use crate::graph::forest::change::{Change, Moved, Step, net};
use crate::graph::forest::{Forest, NOWHERE};

impl Forest<'_> {
    /// The points on the smaller side of the link between `i` and `j`, at the cost of that side; none if there is no
    /// such link. The other side has the rest of the cluster; of two equal sides it is the lower end's.
    pub fn smaller_side(&self, i: usize, j: usize) -> Option<Vec<usize>> {
        let slot = self.trees.slot(i, j)?;
        let ends = [i.min(j), i.max(j)];
        self.trees.smaller_parts(ends.into_iter().map(|end| (end, slot))).pop()
    }

    /// Returns what changes if the link between `i` and `j` is cut and its smaller side goes to cluster `to`, which may be
    /// empty; none if there is no such link, or the side would stay where it is.
    ///
    /// Where every pair may be a link, each point of the smaller tree takes one pass over the larger. Else the allowed
    /// links between the two are tried one by one.
    pub fn subtree_move(&mut self, i: usize, j: usize, to: usize) -> Option<Moved> {
        let moved = self.rehang(i, j, to);
        self.trees.undo();
        moved
    }

    /// Makes a [`Forest::subtree_move`].
    pub fn move_subtree(&mut self, i: usize, j: usize, to: usize) -> Option<Moved> {
        let from = self.labels[i];
        let moved = self.rehang(i, j, to)?;
        self.settle(&moved, from, to);
        Some(moved)
    }

    /// Returns what changes if all points of cluster `from` go to another, `to`.
    pub fn merging(&mut self, from: usize, to: usize) -> Moved {
        self.trees.start();
        let moved = self.join(self.members[from].clone(), from, to);
        self.trees.undo();
        moved
    }

    /// Makes a [`Forest::merging`]; cluster `from` is empty afterwards.
    pub fn merge(&mut self, from: usize, to: usize) -> Moved {
        self.trees.start();
        let moved = self.join(self.members[from].clone(), from, to);
        self.settle(&moved, from, to);
        moved
    }

    /// Cuts a link and joins its smaller side to the tree of another cluster; labels stay.
    fn rehang(&mut self, i: usize, j: usize, to: usize) -> Option<Moved> {
        self.trees.start();
        let slot = self.trees.slot(i, j).filter(|_| self.labels[i] != to)?;
        let points = self.smaller_side(i, j)?;
        let cut = self.trees.candidate(slot).link();
        self.trees.unlink(slot);
        let mut moved = self.join(points, self.labels[i], to);
        moved.left.removed.push(cut);
        Some(moved)
    }

    /// Joins a tree over points of cluster `from`, linked to nothing else, to that of cluster `to`.
    fn join(&mut self, points: Vec<usize>, from: usize, to: usize) -> Moved {
        if from == to || points.is_empty() {
            return Moved::default();
        }
        let mut brought = Vec::new();
        for &i in &points {
            let candidates = self.trees.slots(i).map(|slot| self.trees.candidate(slot));
            let from_lower = candidates.filter(|candidate| candidate.rank.ends[0] as usize == i);
            brought.extend(from_lower.map(|candidate| Step { candidate, came: true }));
        }
        let removed = brought.iter().map(|step| step.candidate.link()).collect();
        let n_before = self.trees.steps().count();
        self.join_trees(&points, from, to);
        let steps = brought.iter().copied().chain(self.trees.steps().skip(n_before)).collect();
        Moved { points, left: Change { added: Vec::new(), removed }, joined: net(steps) }
    }

    fn join_trees(&mut self, points: &[usize], from: usize, to: usize) {
        let order = self.orders[to];
        if !self.orders[from].agrees(&order, self.lengths.any_missing()) {
            let mut rising = points.to_vec();
            rising.sort_unstable();
            self.dissolve(points);
            self.build_over(&rising, order);
        }
        if self.members[to].is_empty() {
            return;
        }
        let candidates = if self.lengths.is_complete() {
            self.links_between(points, &self.members[to].clone(), to)
        } else {
            self.links_into(points, to)
        };
        self.trees.improve(candidates, NOWHERE);
    }

    /// Gives points that have moved their new label.
    fn settle(&mut self, moved: &Moved, from: usize, to: usize) {
        for &i in &moved.points {
            self.leave(i, from);
            self.enter(i, to);
        }
    }
}
