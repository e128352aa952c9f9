//! The nearest neighbours of all points, by a kd-tree.

use crate::graph::neighbours::kd_tree::{KdTree, LEAF};
use crate::graph::neighbours::leaf_search::{Seeker, walk};
use crate::graph::neighbours::reduced::Lanes;
use crate::run::observer::Observer;
use crate::run::parallel;

/// Number of leaves that one thread searches at a time. Not tuned.
const PIECE: usize = 64;

/// A neighbour of some position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbour {
    /// The reduced distance.
    pub(crate) key: f64,
    pub(crate) position: u32,
}

/// An empty entry of a list.
const NOBODY: Neighbour = Neighbour { key: f64::INFINITY, position: u32::MAX };

/// The lists of one leaf while they grow.
struct Growing<'a> {
    tree: &'a KdTree<'a>,
    first: usize,
    count: usize,
    lists: &'a mut [Neighbour],
    reach: Lanes,
}

/// Returns the `count` nearest neighbours of every position, one list after another, nearest first, of equally near ones
/// the lower number first; `count` is below the number of points. `None` if the observer cancels.
pub(crate) fn nearest(tree: &KdTree<'_>, count: usize, observer: &dyn Observer) -> Option<Vec<Neighbour>> {
    listed(tree, count, NOBODY, observer, |_, neighbour| neighbour)
}

/// As [`nearest`], where `entry(p, neighbour)` is what is kept of a neighbour of position `p`; `empty` fills the room for them.
pub(crate) fn listed<T: Copy + Send>(
    tree: &KdTree<'_>,
    count: usize,
    empty: T,
    observer: &dyn Observer,
    entry: impl Fn(usize, Neighbour) -> T + Sync + Send,
) -> Option<Vec<T>> {
    let mut entries = vec![empty; tree.n_points() * count];
    let leaf_nodes = tree.leaf_nodes();
    parallel::for_each_piece_until(&mut entries, PIECE * LEAF * count, observer, |piece, entries| {
        let mut room = vec![NOBODY; LEAF * count];
        for (at, entries) in entries.chunks_mut(LEAF * count).enumerate() {
            let leaf = piece * PIECE + at;
            let mut reach = [-1.0; LEAF];
            reach[..tree.positions(leaf).len()].fill(f64::INFINITY);
            let lists = &mut room[..entries.len()];
            lists.fill(NOBODY);
            walk(
                tree,
                leaf_nodes[leaf] as usize,
                &mut Growing { tree, first: leaf * LEAF, count, lists, reach },
            );
            for (at, (kept, &found)) in entries.iter_mut().zip(&*lists).enumerate() {
                *kept = entry(leaf * LEAF + at / count, found);
            }
        }
    })?;
    Some(entries)
}

impl Growing<'_> {
    /// Whether the first of two neighbours of a position comes before the second.
    #[inline(always)]
    fn before(&self, p: usize, a: Neighbour, b: Neighbour) -> bool {
        let reduced = self.tree.reduced;
        if reduced.above(a.key) < b.key {
            return true;
        }
        a.key <= reduced.above(b.key) && self.wins_tie(p, a, b)
    }

    /// As [`Growing::before`], where the reduced distances do not decide.
    #[cold]
    fn wins_tie(&self, p: usize, a: Neighbour, b: Neighbour) -> bool {
        let rank = |q: u32| (self.tree.length(p, q as usize), self.tree.order[q as usize]);
        b.position == u32::MAX || rank(a.position) < rank(b.position)
    }
}

impl Seeker for Growing<'_> {
    #[inline(always)]
    fn reach(&self) -> &Lanes {
        &self.reach
    }

    #[inline(always)]
    fn limit(&self, lane: usize) -> f64 {
        self.reach[lane]
    }

    #[inline(always)]
    fn closed(&self, _node: usize) -> bool {
        false
    }

    #[inline(always)]
    fn closed_to(&self, lane: usize, bound: f64, node: usize) -> bool {
        // Where the last of the list is as near, the least number inside decides.
        let last = self.lists[(lane + 1) * self.count - 1];
        bound == last.key
            && last.position != u32::MAX
            && self.tree.equals_are_ties(self.first + lane, last.position as usize)
            && self.tree.nodes[node].least >= self.tree.order[last.position as usize]
    }

    #[inline(always)]
    fn skip(&mut self, _lane: usize, _bound: f64) {}

    #[inline(always)]
    fn skip_all(&mut self, _bound: f64) {}

    #[inline(always)]
    fn offer(&mut self, lane: usize, position: usize, key: f64) {
        let p = self.first + lane;
        let offered = Neighbour { key, position: position as u32 };
        let (start, last) = (lane * self.count, (lane + 1) * self.count - 1);
        if p == position || !self.before(p, offered, self.lists[last]) {
            return;
        }
        let at = start + self.lists[start..last].partition_point(|&other| !self.before(p, offered, other));
        self.lists.copy_within(at..last, at + 1);
        self.lists[at] = offered;
        self.reach[lane] = self.tree.reduced.above(self.lists[last].key);
    }
}
