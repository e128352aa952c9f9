//! What a move changes in a tree.

use crate::graph::forest::link_cut::Rank;
use crate::graph::link::{Link, LinkOrder};

/// What a move changes in the tree of one cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Links that are new.
    pub added: Vec<Link>,
    /// Links that are gone.
    pub removed: Vec<Link>,
}

/// Points that go from one cluster to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// The points.
    pub points: Vec<usize>,
    /// What changes in the tree of the cluster that they leave.
    pub left: Change,
    /// What changes in the tree of the cluster that they join; the links they bring are among the added.
    pub joined: Change,
}

/// A link that may come into a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) rank: Rank,
    pub(crate) length: f64,
}

impl Candidate {
    #[inline]
    pub(crate) fn new(i: usize, j: usize, length: f64, order: &LinkOrder) -> Self {
        let rank = Rank { key: order.key(length), ends: [i.min(j) as u32, i.max(j) as u32] };
        Self { rank, length }
    }

    #[inline]
    pub(crate) fn forbidden(i: usize, j: usize) -> Self {
        let rank = Rank { key: f64::INFINITY, ends: [i.min(j) as u32, i.max(j) as u32] };
        Self { rank, length: f64::INFINITY }
    }

    #[inline]
    pub(crate) fn before(&self, other: &Self) -> bool {
        self.rank.before(&other.rank)
    }

    /// Whether `i` is an end of the link.
    #[inline]
    pub(crate) fn touches(&self, i: usize) -> bool {
        self.rank.ends.contains(&(i as u32))
    }

    #[inline]
    pub(crate) fn link(&self) -> Link {
        let [from, to] = self.rank.ends.map(|end| end as usize);
        Link { from, to, length: self.length }
    }
}

/// A link that came or went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) candidate: Candidate,
    pub(crate) came: bool,
}

/// Returns what many steps come to, links in the order of their ends.
pub(crate) fn net(mut steps: Vec<Step>) -> Change {
    let ends = |step: &Step| step.candidate.rank.ends;
    steps.sort_by_key(ends);
    let mut change = Change::default();
    // A link comes and goes by turns: with an odd number of steps it ends as its last step says.
    for of_one_link in steps.chunk_by(|a, b| ends(a) == ends(b)) {
        if let Some(last) = of_one_link.last().filter(|_| of_one_link.len() % 2 == 1) {
            let list = if last.came { &mut change.added } else { &mut change.removed };
            list.push(last.candidate.link());
        }
    }
    change
}
