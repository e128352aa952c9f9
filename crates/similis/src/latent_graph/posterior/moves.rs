//! The moves of a chain, with the probabilities that make them exact.
//!
//! - *Points* and *subtrees*: a link is cut, and what hangs on one of its ends is linked again, to its own cluster or another, by
//!   a draw from all ways there are (Gibbs). A point is what hangs on the only link of a leaf.
//! - *Exchanges*: a link goes, another comes: a cluster is split while two are merged (Metropolis-Hastings).
//! - *Splits and merges*, where the number of clusters is free: a link goes, or comes (Metropolis-Hastings).

use rand::RngExt;

use crate::constraints::Constraints;
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::latent_graph::posterior::state::{Part, State};
use crate::latent_graph::posterior::target::ClassSums;
use crate::latent_graph::search::score::varying::log_sum_exp;
use crate::run::random::Random;

/// Probability that a new link is drawn from all pairs and not from near ones, where every pair may be a link. Not tuned.
const FAR: f64 = 0.5;

/// Which links a part may be linked again by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those between near neighbours.
    Near,
    /// All that the support allows.
    All,
}

/// The input of moves.
#[derive(Debug)]
pub(crate) struct Moves<'a> {
    /// The support.
    pub(crate) lengths: &'a Lengths<'a>,
    /// Near neighbours, where every pair may be a link.
    pub(crate) near: Option<&'a Lengths<'a>>,
    pub(crate) constraints: &'a Constraints,
}

/// A way to link a part again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) link: Link,
    /// The log weight of the forest with it, but for what all share.
    pub(crate) log_weight: f64,
}

/// A cluster with a part that joins it, without the link that joins them.
struct Joined {
    class: usize,
    /// `None` where side information forbids it.
    sums: Option<ClassSums>,
    /// The log weights that change with the cluster that is joined, but for the cluster itself.
    rest: f64,
}

impl Moves<'_> {
    /// All links by which `part`, the marked side of the link `cut`, can be linked again, the old one included; `None` if the
    /// old one is not within reach, and so could not be drawn by the reverse move.
    pub(crate) fn candidates(
        &self,
        state: &State<'_>,
        cut: usize,
        part: &Part,
        reach: Reach,
    ) -> Option<Vec<Candidate>> {
        let lengths = self.near.filter(|_| reach == Reach::Near).unwrap_or(self.lengths);
        let old = state.links[cut];
        if lengths.pair(old.from, old.to) == f64::INFINITY {
            return None;
        }
        let mut joined: Vec<Joined> = Vec::new();
        let mut found = Vec::new();
        for &from in &part.points {
            let mut add = |to: usize, length: f64| {
                if state.is_marked(to) {
                    return;
                }
                let class = state.labels[to];
                let at = joined.iter().position(|other| other.class == class).unwrap_or_else(|| {
                    joined.push(self.join(state, cut, part, class));
                    joined.len() - 1
                });
                let Some(sums) = joined[at].sums else { return };
                let with = state.target.class(sums.plus(state.target.sums(length)));
                let log_weight = joined[at].rest + with + state.target.link(length);
                found.push(Candidate { link: Link { from, to, length }, log_weight });
            };
            if lengths.is_complete() {
                (0..state.n_points()).filter(|&to| to != from).for_each(|to| add(to, lengths.pair(from, to)));
            } else {
                lengths.allowed_links(from).for_each(|(to, length)| add(to, length));
            }
        }
        Some(found)
    }

    /// The cluster that a part would join.
    fn join(&self, state: &State<'_>, cut: usize, part: &Part, class: usize) -> Joined {
        let own = state.labels[part.points[0]];
        let left = state.classes[own].minus(state.target.sums(state.links[cut].length));
        if class == own {
            return Joined { class, sums: Some(left), rest: 0.0 };
        }
        let allowed = self.constraints.keeps_blocks(&part.points)
            && self.constraints.allows_merge(&part.points, class, &state.labels);
        let there = state.classes[class];
        let rest = state.target.class(left.minus(part.sums)) - state.target.class(there);
        Joined { class, sums: allowed.then(|| there.plus(part.sums)), rest }
    }

    /// Cuts a link and draws another for what hangs on `end`, unless that is more than `most` points.
    pub(crate) fn regraft(&self, state: &mut State<'_>, random: &mut Random, cut: Cut, reach: Reach) {
        let Some(part) = state.part(cut.end, cut.link, cut.most) else { return };
        let Some(candidates) = self.candidates(state, cut.link, &part, reach) else { return };
        let logs: Vec<f64> = candidates.iter().map(|candidate| candidate.log_weight).collect();
        let total = log_sum_exp(&logs);
        let mut left: f64 = random.random_range(0.0..1.0);
        for candidate in &candidates {
            left -= (candidate.log_weight - total).exp();
            if left < 0.0 {
                state.regraft(cut.link, candidate.link, &part);
                return;
            }
        }
    }

    /// Draws a link that may come: from a point at random to a near neighbour or, where every pair may be a link, to any.
    pub(crate) fn pick(&self, random: &mut Random) -> Option<Link> {
        let n = self.lengths.n_points();
        let from = random.random_range(0..n);
        let far = self.near.is_some() && random.random_bool(FAR);
        let near = self.near.unwrap_or(self.lengths).allowed(from).unwrap_or_default();
        let to = if far {
            let other = random.random_range(0..n - 1);
            other + usize::from(other >= from)
        } else if near.is_empty() {
            return None;
        } else {
            near[random.random_range(0..near.len())] as usize
        };
        Some(Link { from, to, length: self.lengths.pair(from, to) })
    }

    /// The log probability of drawing a link by [`Moves::pick`], from either of its ends.
    pub(crate) fn log_pick(&self, link: Link) -> f64 {
        let n = self.lengths.n_points() as f64;
        let one_way = |from: usize, to: usize| {
            let near = self.near.unwrap_or(self.lengths).allowed(from).unwrap_or_default();
            let is_near = near.binary_search(&(to as u32)).is_ok();
            let near = if is_near { 1.0 / near.len() as f64 } else { 0.0 };
            if self.near.is_some() { FAR / (n - 1.0) + (1.0 - FAR) * near } else { near }
        };
        ((one_way(link.from, link.to) + one_way(link.to, link.from)) / n).ln()
    }

    /// The log of the acceptance ratio of exchanging the link `cut` for `added`; `part` is the marked side of `cut`. `None`
    /// where the result is not a forest, or violates a constraint.
    pub(crate) fn exchange(
        &self,
        state: &mut State<'_>,
        cut: usize,
        part: &Part,
        added: Link,
    ) -> Option<f64> {
        let own = state.labels[part.points[0]];
        let side = |state: &State<'_>, i: usize| match state.labels[i] {
            class if class == own => (class, state.is_marked(i)),
            class => (class, false),
        };
        let ends = [side(state, added.from), side(state, added.to)];
        if ends[0] == ends[1] || added.length == f64::INFINITY {
            return None;
        }
        let old = state.links[cut];
        let rest = state.classes[own].minus(state.target.sums(old.length)).minus(part.sums);
        let sums = |end: (usize, bool)| match end {
            (class, true) if class == own => part.sums,
            (class, _) if class == own => rest,
            (class, _) => state.classes[class],
        };
        let weight = |end: (usize, bool)| state.target.class(sums(end));
        let new = sums(ends[0]).plus(sums(ends[1])).plus(state.target.sums(added.length));
        let mut log_ratio = state.target.class(new) - state.target.class(state.classes[own]);
        for piece in [(own, true), (own, false)] {
            log_ratio += if ends.contains(&piece) { 0.0 } else { weight(piece) };
        }
        for end in ends.into_iter().filter(|end| end.0 != own) {
            log_ratio -= weight(end);
        }
        log_ratio += state.target.link(added.length) - state.target.link(old.length);
        log_ratio += self.log_pick(old) - self.log_pick(added);
        self.exchange_obeys(state, cut, part, added).then_some(log_ratio)
    }

    /// Whether side information allows an exchange.
    fn exchange_obeys(&self, state: &mut State<'_>, cut: usize, part: &Part, added: Link) -> bool {
        let own = state.labels[part.points[0]];
        let ends = [state.labels[added.from], state.labels[added.to]];
        if self.constraints.is_empty() || ends == [own, own] {
            return true;
        }
        // At least one end is in a cluster that is not cut: the part of the other end joins it.
        let (start, class) = if ends[1] == own { (added.to, ends[0]) } else { (added.from, ends[1]) };
        let joining = state.part(start, cut, usize::MAX).unwrap_or_default();
        self.constraints.keeps_blocks(&part.points)
            && self.constraints.allows_merge(&joining.points, class, &state.labels)
    }

    /// The log of the acceptance ratio of cutting a link, so that `part`, one side of it, becomes a cluster.
    pub(crate) fn split(&self, state: &State<'_>, cut: usize, part: &Part) -> Option<f64> {
        if !self.constraints.keeps_blocks(&part.points) {
            return None;
        }
        let (target, old) = (state.target, state.links[cut]);
        let whole = state.classes[state.labels[old.from]];
        let rest = whole.minus(target.sums(old.length)).minus(part.sums);
        let numbers = target.number(state.n_classes + 1) - target.number(state.n_classes);
        let classes = target.class(rest) + target.class(part.sums) - target.class(whole);
        // Forwards the link is one of all that may be cut; backwards it is drawn.
        let proposals = (state.links.len() as f64).ln() + self.log_pick(old);
        Some(numbers + classes - target.link(old.length) + proposals)
    }

    /// The log of the acceptance ratio of merging two clusters by a link; `None` where it merges none, or violates a
    /// constraint.
    pub(crate) fn merge(&self, state: &mut State<'_>, added: Link) -> Option<f64> {
        let ends = [state.labels[added.from], state.labels[added.to]];
        if ends[0] == ends[1] || added.length == f64::INFINITY {
            return None;
        }
        if !self.constraints.is_empty() {
            let joining = state.part(added.from, usize::MAX, usize::MAX).unwrap_or_default();
            if !self.constraints.allows_merge(&joining.points, ends[1], &state.labels) {
                return None;
            }
        }
        let target = state.target;
        let [first, second] = ends.map(|class| state.classes[class]);
        let numbers = target.number(state.n_classes - 1) - target.number(state.n_classes);
        let whole = first.plus(second).plus(target.sums(added.length));
        let classes = target.class(whole) - target.class(first) - target.class(second);
        let proposals = -((state.links.len() + 1) as f64).ln() - self.log_pick(added);
        Some(numbers + classes + target.link(added.length) + proposals)
    }
}

/// A link that is cut, and what of it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) link: usize,
    pub(crate) end: usize,
    pub(crate) most: usize,
}
