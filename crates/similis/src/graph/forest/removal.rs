//! Removal of a point from its cluster.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::forest::change::{Candidate, Change};
use crate::graph::forest::{Forest, NOWHERE};
use crate::graph::neighbours::Neighbours;

impl Forest<'_> {
    /// Removes point `i` from its cluster and reconnects the components of its tree by the cheapest links.
    ///
    /// A leaf costs nothing. Otherwise all components but the largest search their cheapest link to the rest: among their
    /// allowed links; or where every pair is allowed, in the lists of nearest neighbours as far as these prove it, and
    /// else among all pairs.
    pub fn remove(&mut self, i: usize) -> Change {
        let cluster = self.labels[i];
        let change = self.take_out(i);
        self.leave(i, cluster);
        change
    }

    /// Removes the links of a point, and its label; joins the components that are left.
    fn take_out(&mut self, i: usize) -> Change {
        let cluster = std::mem::replace(&mut self.labels[i], NOWHERE);
        self.trees.start();
        let slots: Vec<u32> = self.trees.slots(i).collect();
        let other = |slot: u32| {
            let [a, b] = self.trees.candidate(slot).rank.ends.map(|end| end as usize);
            (if a == i { b } else { a }, slot)
        };
        let parts = self.trees.smaller_parts(slots.iter().map(|&slot| other(slot)));
        slots.iter().for_each(|&slot| self.trees.unlink(slot));
        self.join_parts(cluster, parts);
        self.trees.change()
    }

    /// Joins the smaller parts of a cluster that fell apart to one another and to the largest.
    ///
    /// Any part may choose first, for its cheapest link out of it belongs to the tree. That the smallest does keeps a
    /// point from choosing more than $\log_2 n$ times.
    fn join_parts(&mut self, cluster: usize, mut parts: Vec<Vec<usize>>) {
        for (number, part) in (1..).zip(&parts) {
            part.iter().for_each(|&i| self.part[i] = number);
        }
        let mut waiting: BinaryHeap<_> = (0..parts.len()).map(|at| Reverse((parts[at].len(), at))).collect();
        while let Some(Reverse((size, at))) = waiting.pop() {
            // A part that has grown stands in the heap once more.
            if size != parts[at].len() {
                continue;
            }
            let part = std::mem::take(&mut parts[at]);
            let link = self.cheapest_link_out(cluster, &part);
            self.trees.link(link);
            let into = link.rank.ends.map(|end| self.part[end as usize]);
            let into = if into[0] as usize == at + 1 { into[1] } else { into[0] };
            part.iter().for_each(|&i| self.part[i] = into);
            if let Some(grown) = (into as usize).checked_sub(1) {
                parts[grown].extend(part);
                waiting.push(Reverse((parts[grown].len(), grown)));
            }
        }
    }

    /// The cheapest link from a part to the rest of its cluster.
    fn cheapest_link_out(&self, cluster: usize, part: &[usize]) -> Candidate {
        let mut best = None;
        if !self.lengths.is_complete() {
            part.iter().for_each(|&i| self.search_allowed(i, cluster, &mut best));
            return best.unwrap_or_else(|| self.forbidden_link_out(cluster, part));
        }
        match self.lengths.neighbours_in(&self.orders[cluster]) {
            Some(lists) => self.search_lists(lists, cluster, part, &mut best),
            None => part.iter().for_each(|&i| self.search_all(i, cluster, &mut best)),
        }
        best.unwrap_or_else(|| self.forbidden_link_out(cluster, part))
    }

    /// Whether `j` is in the cluster but not in the part that `i` is in.
    fn is_outside(&self, i: usize, j: usize, cluster: usize) -> bool {
        self.labels[j] == cluster && self.part[i] != self.part[j]
    }

    fn search_allowed(&self, i: usize, cluster: usize, best: &mut Option<Candidate>) {
        for (j, length) in self.lengths.allowed_links(i) {
            if self.is_outside(i, j, cluster) {
                improve(best, Candidate::new(i, j, length, &self.orders[cluster]));
            }
        }
    }

    fn search_all(&self, i: usize, cluster: usize, best: &mut Option<Candidate>) {
        let order = &self.orders[cluster];
        let mut least = best.map_or(f64::INFINITY, |best| best.rank.key);
        self.lengths.for_each_among(i, &self.members[cluster], |j, length| {
            // Most links are dearer: only the others need a look at their ends.
            if order.key(length) <= least && self.is_outside(i, j, cluster) {
                improve(best, Candidate::new(i, j, length, order));
                least = order.key(length);
            }
        });
    }

    /// Searches the lists of nearest neighbours, and all pairs of those points whose lists prove nothing.
    fn search_lists(&self, lists: &Neighbours, cluster: usize, part: &[usize], best: &mut Option<Candidate>) {
        let unproved = |&i: &usize| !self.search_list(lists, i, cluster, best);
        let again: Vec<usize> = part.iter().copied().filter(unproved).collect();
        for i in again {
            // What others found since may prove it.
            if !self.search_list(lists, i, cluster, best) {
                self.search_all(i, cluster, best);
            }
        }
    }

    /// Searches the list of one point; whether no link of that point can be better than the best now.
    ///
    /// A list is in the order of the links from its point. So once it comes to a link out of the part, or to one dearer
    /// than the best, all that follow, listed or not, are dearer.
    fn search_list(
        &self,
        lists: &Neighbours,
        i: usize,
        cluster: usize,
        best: &mut Option<Candidate>,
    ) -> bool {
        for (j, length) in lists.of(i) {
            let link = Candidate::new(i, j, length, &self.orders[cluster]);
            if is_before(*best, &link) {
                return true;
            }
            if self.is_outside(i, j, cluster) {
                *best = Some(link);
                return true;
            }
        }
        false
    }

    /// The first of the links between a part and the rest of its cluster, all of them forbidden.
    fn forbidden_link_out(&self, cluster: usize, part: &[usize]) -> Candidate {
        let low = |points: &mut dyn Iterator<Item = usize>| points.min().unwrap_or(NOWHERE);
        let (first, mine) = (self.first_member(cluster), low(&mut part.iter().copied()));
        let outside = |&j: &usize| self.is_outside(mine, j, cluster);
        let other = if first == mine {
            low(&mut self.members[cluster].iter().copied().filter(outside))
        } else {
            first
        };
        Candidate::forbidden(mine, other)
    }
}

fn is_before(best: Option<Candidate>, link: &Candidate) -> bool {
    best.is_some_and(|best| best.before(link))
}

/// Takes a link if it is better than the best.
fn improve(best: &mut Option<Candidate>, link: Candidate) {
    if !is_before(*best, &link) {
        *best = Some(link);
    }
}
