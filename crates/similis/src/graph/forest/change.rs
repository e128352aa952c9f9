//! What a move changes in a tree, and what a class's links come to.

use crate::graph::forest::link_cut::Rank;
use crate::graph::link::Link;
use crate::graph::link::LinkOrder;

/// What a move changes in the tree of one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Links that are new.
    pub added: Vec<Link>,
    /// Links that are gone.
    pub removed: Vec<Link>,
}

/// Points that go from one class to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// The points.
    pub points: Vec<usize>,
    /// What changes in the tree of the class that they leave.
    pub left: Change,
    /// What changes in the tree of the class that they join; the links they bring are among the added.
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

/// What the links of a class's tree come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// Links whose length was observed.
    pub n_observed: usize,
    /// Links that the support does not allow: with any, the class is inadmissible.
    pub n_forbidden: usize,
    /// Links of pairs that were not observed.
    pub n_missing: usize,
    sum: f64,
    /// What rounding took from the sum: so much is lost by adding and subtracting that moves would show.
    lost: f64,
}

impl Total {
    /// The sum of the observed lengths.
    pub fn length(&self) -> f64 {
        self.sum + self.lost
    }

    /// Takes a change into account.
    pub(crate) fn apply(&mut self, change: &Change) {
        for link in &change.added {
            *self.count(link) += 1;
            self.add(link.length);
        }
        for link in &change.removed {
            *self.count(link) -= 1;
            self.add(-link.length);
        }
    }

    fn count(&mut self, link: &Link) -> &mut usize {
        match link.length {
            length if length.is_finite() => &mut self.n_observed,
            length if length.is_nan() => &mut self.n_missing,
            _ => &mut self.n_forbidden,
        }
    }

    /// Adds a length, and what its rounding lost beside it (Knuth's two-sum).
    fn add(&mut self, length: f64) {
        if length.is_finite() {
            let sum = self.sum + length;
            let added = sum - self.sum;
            self.lost += (self.sum - (sum - added)) + (length - added);
            self.sum = sum;
        }
    }
}
