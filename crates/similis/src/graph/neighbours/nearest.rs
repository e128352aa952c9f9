//! The nearest neighbours of all points, by a kd-tree.

use std::cmp::Ordering;

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

/// Number of neighbours from which on a list is kept unsorted while it grows. Not tuned: sorting in costs as much as a list is long.
const LEAST_UNSORTED: usize = 32;

/// A number that rises with the reduced distance, which is not negative.
fn bits(neighbour: &Neighbour) -> u64 {
    neighbour.key.to_bits()
}

/// The lists of one leaf while they grow: each sorted, or if long, unsorted with room for some that are put out together.
struct Growing<'a> {
    tree: &'a KdTree<'a>,
    first: usize,
    count: usize,
    /// Length of a list with its room.
    room: usize,
    lists: &'a mut [Neighbour],
    /// Number of neighbours in each unsorted list.
    n_listed: [usize; LEAF],
    /// The last of the nearest in each list, as far as is known.
    last: [Neighbour; LEAF],
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
        let room = if count < LEAST_UNSORTED { count } else { count + count / 3 };
        let mut lists = vec![NOBODY; LEAF * room];
        for (at, entries) in entries.chunks_mut(LEAF * count).enumerate() {
            let leaf = piece * PIECE + at;
            let mut growing = Growing::new(tree, leaf, count, &mut lists);
            walk(tree, leaf_nodes[leaf] as usize, &mut growing);
            for (lane, entries) in entries.chunks_mut(count).enumerate() {
                for (kept, &found) in entries.iter_mut().zip(growing.sorted(lane)) {
                    *kept = entry(leaf * LEAF + lane, found);
                }
            }
        }
    })?;
    Some(entries)
}

impl<'a> Growing<'a> {
    /// Empty lists of the points of a leaf.
    fn new(tree: &'a KdTree<'a>, leaf: usize, count: usize, lists: &'a mut [Neighbour]) -> Self {
        let mut reach = [-1.0; LEAF];
        reach[..tree.positions(leaf).len()].fill(f64::INFINITY);
        lists.fill(NOBODY);
        let room = lists.len() / LEAF;
        let (n_listed, last) = ([0; LEAF], [NOBODY; LEAF]);
        Self { tree, first: leaf * LEAF, count, room, lists, n_listed, last, reach }
    }

    /// Puts a neighbour at its place in a sorted list.
    #[inline(always)]
    fn sort_in(&mut self, lane: usize, offered: Neighbour) {
        let p = self.first + lane;
        let (start, last) = (lane * self.count, (lane + 1) * self.count - 1);
        let at = start + self.lists[start..last].partition_point(|&other| !self.before(p, offered, other));
        self.lists.copy_within(at..last, at + 1);
        self.lists[at] = offered;
        self.last[lane] = self.lists[last];
        self.reach[lane] = self.tree.reduced.above(self.last[lane].key);
    }

    /// Adds a neighbour to an unsorted list.
    #[inline(always)]
    fn add(&mut self, lane: usize, offered: Neighbour) {
        self.lists[lane * self.room + self.n_listed[lane]] = offered;
        self.n_listed[lane] += 1;
        if self.n_listed[lane] == self.count || self.n_listed[lane] == self.room {
            self.put_out(lane);
        }
    }

    /// Keeps the nearest of an unsorted list, the last of them behind the others.
    fn put_out(&mut self, lane: usize) {
        let (p, last) = (self.first + lane, self.count - 1);
        let lists = std::mem::take(&mut self.lists);
        let list = &mut lists[lane * self.room..][..self.n_listed[lane]];
        list.select_nth_unstable_by_key(last, bits);
        let (key, above) = (list[last].key, |key: f64| self.tree.reduced.above(key));
        let near = list.iter().filter(|other| other.key <= above(key) && above(other.key) >= key);
        // Reduced distances that are nearly equal do not decide.
        if near.count() > 1 {
            list.select_nth_unstable_by(last, |&a, &b| self.compare(p, a, b));
        }
        self.last[lane] = list[last];
        self.n_listed[lane] = self.count;
        self.reach[lane] = self.tree.reduced.above(self.last[lane].key);
        self.lists = lists;
    }

    /// The neighbours that were found, nearest first.
    fn sorted(&mut self, lane: usize) -> &[Neighbour] {
        if self.room > self.count {
            self.put_out(lane);
            let (p, lists) = (self.first + lane, std::mem::take(&mut self.lists));
            let list = &mut lists[lane * self.room..][..self.count];
            list.sort_unstable_by_key(bits);
            for alike in list.chunk_by_mut(|a, b| b.key <= self.tree.reduced.above(a.key)) {
                if alike.len() > 1 {
                    alike.sort_unstable_by(|&a, &b| self.compare(p, a, b));
                }
            }
            self.lists = lists;
        }
        &self.lists[lane * self.room..][..self.count]
    }

    /// The order of two neighbours of a position.
    fn compare(&self, p: usize, a: Neighbour, b: Neighbour) -> Ordering {
        match a.position == b.position {
            true => Ordering::Equal,
            false if self.before(p, a, b) => Ordering::Less,
            false => Ordering::Greater,
        }
    }

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
        let last = self.last[lane];
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
        if p == position || !self.before(p, offered, self.last[lane]) {
            return;
        }
        if self.room == self.count { self.sort_in(lane, offered) } else { self.add(lane, offered) }
    }
}
