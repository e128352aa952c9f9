//! Walks over trees: of a whole one, or of one part step by step.

use crate::graph::forest::link_cut::NONE;
use crate::graph::forest::trees::Trees;

/// A part of a tree on which a walk is under way.
pub(crate) struct Part {
    points: Vec<usize>,
    /// The slot through which each point was reached.
    through: Vec<u32>,
    /// How many points are done with, and the half to look at next.
    done: usize,
    half: u32,
}

impl Part {
    /// A walk from `start` that does not go through the slot `shut`.
    pub(crate) fn new(trees: &Trees, start: usize, shut: u32) -> Self {
        Self { points: vec![start], through: vec![shut], done: 0, half: trees.first_half(start) }
    }

    /// The points that were reached.
    pub(crate) fn into_points(self) -> Vec<usize> {
        self.points
    }

    /// Looks at one more half or point; whether there was any.
    pub(crate) fn step(&mut self, trees: &Trees) -> bool {
        if self.half == NONE {
            self.done += 1;
            let Some(&point) = self.points.get(self.done) else { return false };
            self.half = trees.first_half(point);
            return true;
        }
        if self.half / 2 != self.through[self.done] {
            self.points.push(trees.target(self.half) as usize);
            self.through.push(self.half / 2);
        }
        self.half = trees.next_half(self.half);
        true
    }
}

/// A whole tree, every point after the one above it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    pub(crate) points: Vec<usize>,
    /// Where the point above each stands among the points.
    pub(crate) above: Vec<u32>,
    /// The slot of the link to the point above.
    pub(crate) up: Vec<u32>,
}

impl Walk {
    /// Walks the tree that `root` is in.
    pub(crate) fn fill(&mut self, trees: &Trees, root: usize) {
        let Self { points, above, up } = self;
        points.clear();
        above.clear();
        up.clear();
        points.push(root);
        above.push(NONE);
        up.push(NONE);
        let mut at = 0;
        while at < points.len() {
            let back = up[at];
            for half in trees.halves_of(points[at]).filter(|half| half / 2 != back) {
                points.push(trees.target(half) as usize);
                above.push(at as u32);
                up.push(half / 2);
            }
            at += 1;
        }
    }
}
