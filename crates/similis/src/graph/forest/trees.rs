//! Trees of links between points, kept twice: as lists of each point's links, and for the dearest link of a path.

use crate::graph::forest::change::{Candidate, Change, Step, net};
use crate::graph::forest::link_cut::{LinkCut, NONE};
use crate::graph::forest::walk::{Part, Walk};
use crate::graph::link::Link;

/// One end of a link in the list of the point at that end: half 2 s + side is that of slot s.
#[derive(Clone, Copy, Debug)]
struct Half {
    next: u32,
    previous: u32,
}

/// A step, and what it takes to undo it.
#[derive(Clone, Copy, Debug)]
struct Done {
    step: Step,
    slot: u32,
    /// Where the link stood in the lists of its ends.
    halves: [Half; 2],
}

/// A forest over all points. A link has a slot; what is done can be undone, to the order of the lists.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    paths: LinkCut,
    lengths: Vec<f64>,
    /// The first half in each point's list.
    first: Vec<u32>,
    halves: Vec<Half>,
    free: Vec<u32>,
    done: Vec<Done>,
}

impl Trees {
    /// Points without links.
    pub(crate) fn new(n_points: usize) -> Self {
        Self {
            paths: LinkCut::new(n_points),
            lengths: vec![0.0; n_points],
            first: vec![NONE; n_points],
            halves: vec![Half { next: NONE, previous: NONE }; 2 * n_points],
            free: (0..n_points as u32).rev().collect(),
            done: Vec::new(),
        }
    }

    /// Forgets what was done: from here on it can be undone.
    pub(crate) fn start(&mut self) {
        self.done.clear();
    }

    /// What was done since the start.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.done.iter().map(|done| done.step)
    }

    /// What the trees gained and lost since the start.
    pub(crate) fn change(&self) -> Change {
        net(self.steps().collect())
    }

    /// Undoes what was done since the start.
    pub(crate) fn undo(&mut self) {
        while let Some(Done { step, slot, halves }) = self.done.pop() {
            if step.came {
                self.paths.cut(slot);
                self.unlist(slot, step.candidate);
            } else {
                self.enlist(step.candidate, |_, side| halves[side]);
                self.paths.link(slot);
            }
        }
    }

    /// Links two points that no path joins.
    pub(crate) fn link(&mut self, candidate: Candidate) {
        let slot = self.add(candidate);
        self.paths.link(slot);
    }

    /// Links a tree over points that have no links yet, in $O(n)$.
    pub(crate) fn link_tree(&mut self, root: usize, links: impl Iterator<Item = Candidate>) {
        let slots: Vec<u32> = links.map(|candidate| self.add(candidate)).collect();
        let mut walk = Walk::default();
        walk.fill(self, root);
        debug_assert_eq!(slots.len() + 1, walk.points.len(), "the links are a tree that holds the root");
        for (&below, &slot) in walk.points.iter().zip(&walk.up).skip(1) {
            self.paths.hang(slot, below as u32);
        }
    }

    /// Enters a link at the head of the lists of its ends; its slot.
    fn add(&mut self, candidate: Candidate) -> u32 {
        let slot = self.enlist(candidate, |first, _| Half { next: first, previous: NONE });
        let halves = [Half { next: NONE, previous: NONE }; 2];
        self.done.push(Done { step: Step { candidate, came: true }, slot, halves });
        slot
    }

    /// Enters a link in the lists of its ends, where `place` says, given the first of the list and the side; its slot.
    fn enlist(&mut self, candidate: Candidate, place: impl Fn(u32, usize) -> Half) -> u32 {
        let slot = self.free.pop().expect("a forest has fewer links than points");
        self.lengths[slot as usize] = candidate.length;
        self.paths.set_rank(slot, candidate.rank);
        for (side, end) in candidate.rank.ends.into_iter().enumerate() {
            let half = 2 * slot + side as u32;
            let between = place(self.first[end as usize], side);
            self.halves[half as usize] = between;
            self.join_halves(end, between.previous, half);
            if between.next != NONE {
                self.halves[between.next as usize].previous = half;
            }
        }
        slot
    }

    /// Takes a link from the lists of its ends.
    fn unlist(&mut self, slot: u32, candidate: Candidate) {
        for (side, end) in (0..).zip(candidate.rank.ends) {
            let Half { next, previous } = self.halves[(2 * slot + side) as usize];
            self.join_halves(end, previous, next);
            if next != NONE {
                self.halves[next as usize].previous = previous;
            }
        }
        self.free.push(slot);
    }

    /// Puts a half after another, or first in the list of a point.
    fn join_halves(&mut self, point: u32, previous: u32, half: u32) {
        match previous {
            NONE => self.first[point as usize] = half,
            _ => self.halves[previous as usize].next = half,
        }
    }

    /// Removes the link in a slot.
    pub(crate) fn unlink(&mut self, slot: u32) {
        let candidate = self.candidate(slot);
        let halves = [0, 1].map(|side| self.halves[(2 * slot + side) as usize]);
        self.done.push(Done { step: Step { candidate, came: false }, slot, halves });
        self.paths.cut(slot);
        self.unlist(slot, candidate);
    }

    /// Removes the link between the candidate's ends, if there is one.
    fn unlink_pair(&mut self, candidate: Candidate) {
        let [i, j] = candidate.rank.ends.map(|end| end as usize);
        if let Some(slot) = self.slot(i, j) {
            self.unlink(slot);
        }
    }

    /// Makes a change that was worked out before; `candidate` ranks its links.
    pub(crate) fn apply(&mut self, change: &Change, candidate: impl Fn(&Link) -> Candidate) {
        change.removed.iter().for_each(|link| self.unlink_pair(candidate(link)));
        change.added.iter().for_each(|link| self.link(candidate(link)));
    }

    /// The link in a slot.
    #[inline]
    pub(crate) fn candidate(&self, slot: u32) -> Candidate {
        Candidate { rank: *self.paths.rank(slot), length: self.lengths[slot as usize] }
    }

    /// The slots of a point's links.
    pub(crate) fn slots(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        self.halves_of(i).map(|half| half / 2)
    }

    /// The halves of a point's links.
    pub(crate) fn halves_of(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        let some = |half: u32| (half != NONE).then_some(half);
        std::iter::successors(some(self.first[i]), move |&half| some(self.halves[half as usize].next))
    }

    /// The first half of a point's links, or `NONE`.
    pub(crate) fn first_half(&self, i: usize) -> u32 {
        self.first[i]
    }

    /// The half after another in the list of its point, or `NONE`.
    pub(crate) fn next_half(&self, half: u32) -> u32 {
        self.halves[half as usize].next
    }

    /// The point that the link of a half leads to.
    #[inline]
    pub(crate) fn target(&self, half: u32) -> u32 {
        self.paths.rank(half / 2).ends[(1 - half % 2) as usize]
    }

    /// The slot of the link between two points; the two lists are searched in step, so the shorter one counts.
    pub(crate) fn slot(&self, i: usize, j: usize) -> Option<u32> {
        let (mut of_i, mut of_j) = (self.halves_of(i), self.halves_of(j));
        loop {
            let (a, b) = (of_i.next()?, of_j.next()?);
            if self.target(a) as usize == j {
                return Some(a / 2);
            }
            if self.target(b) as usize == i {
                return Some(b / 2);
            }
        }
    }

    /// Brings in the candidates, cheapest first, that make the tree cheaper: each takes the place of the dearest link of
    /// the path it closes. The first links two trees, all others lie between these, many of them at the point `around`.
    pub(crate) fn improve(&mut self, mut candidates: Vec<Candidate>, around: usize) {
        candidates.sort_unstable_by(|a, b| a.rank.compare(&b.rank));
        let mut candidates = candidates.into_iter();
        let Some(first) = candidates.next() else { return };
        self.link(first);
        let mut root = NONE;
        for candidate in candidates {
            let [mut from, mut to] = candidate.rank.ends;
            if to as usize == around {
                std::mem::swap(&mut from, &mut to);
            }
            if root != from {
                self.paths.evert(from);
                root = from;
            }
            let dearest = self.paths.dearest_from_root(to);
            if candidate.rank.before(self.paths.rank(dearest)) {
                self.unlink(dearest);
                self.link(candidate);
                root = NONE;
            }
        }
    }

    /// Returns the points of all components that hold one of `starts`, except the largest.
    ///
    /// A start is a point and a slot not to be walked through. All components are walked in step, until one is left: the cost
    /// is that of the smaller ones.
    pub(crate) fn smaller_parts(&self, starts: impl Iterator<Item = (usize, u32)>) -> Vec<Vec<usize>> {
        let mut active: Vec<Part> = starts.map(|(start, shut)| Part::new(self, start, shut)).collect();
        let mut whole = Vec::new();
        let mut turn = 0;
        while active.len() > 1 {
            turn %= active.len();
            if active[turn].step(self) {
                turn += 1;
            } else {
                whole.push(active.swap_remove(turn).into_points());
            }
        }
        whole
    }
}

#[cfg(test)]
impl Trees {
    /// The slot of the dearest link between two different points of one tree.
    pub(crate) fn dearest(&mut self, i: usize, j: usize) -> u32 {
        self.paths.evert(i as u32);
        self.paths.dearest_from_root(j as u32)
    }
}
