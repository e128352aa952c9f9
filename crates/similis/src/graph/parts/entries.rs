//! Lists of neighbours of some consecutive points, and the forest of the pairs that they hold.

use std::cmp::Ordering;

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::spanning::kruskal::{Ranked, sort};

/// Number of links that are sorted at once. Not tuned.
const FEW: usize = 10_000;

/// An entry that holds no neighbour.
pub(crate) const UNKNOWN: (f64, u32) = (f64::INFINITY, u32::MAX);

/// The lists of consecutive points: nearest first, of equally near ones the lower number first.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// The number of the first point.
    first: usize,
    n_listed: usize,
    /// Distances and numbers, list after list; infinite where fewer points are known.
    all: Vec<(f64, u32)>,
}

impl Entries {
    /// Returns lists in which nobody is known.
    pub(crate) fn unknown(first: usize, n_points: usize, n_listed: usize) -> Self {
        Self { first, n_listed, all: vec![UNKNOWN; n_points * n_listed] }
    }

    /// Returns the nearest that several lists of each point hold: `each(i)` gives the entries of the point at place i.
    pub fn of_several(
        first: usize,
        n_points: usize,
        n_listed: usize,
        each: impl Fn(usize) -> Vec<(f64, u32)>,
    ) -> Self {
        let mut lists = Self::unknown(first, n_points, n_listed);
        for (i, list) in lists.all.chunks_mut(n_listed).enumerate() {
            let mut known = each(i);
            known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            known.dedup();
            list.iter_mut().zip(known).for_each(|(entry, found)| *entry = found);
        }
        lists
    }

    fn n_points(&self) -> usize {
        self.all.len() / self.n_listed
    }

    /// Distances and numbers, list after list.
    pub fn all(&self) -> &[(f64, u32)] {
        &self.all
    }

    pub(crate) fn all_mut(&mut self) -> &mut [(f64, u32)] {
        &mut self.all
    }

    /// The greatest distance in each list: no other point is nearer, if the lists are exact.
    pub fn last(&self) -> Vec<f64> {
        self.all.chunks(self.n_listed).map(|list| list[self.n_listed - 1].0).collect()
    }

    /// The minimum spanning forest of all listed pairs, shortest link first.
    ///
    /// The forest of the pairs of all cells is that of these forests' links.
    pub fn forest(&self) -> Vec<Ranked> {
        let mut links: Vec<Ranked> = Vec::with_capacity(self.all.len());
        for (i, list) in self.all.chunks(self.n_listed).enumerate() {
            let from = (self.first + i) as u32;
            // A pair that both list is taken once.
            let taken = |&&(length, to): &&(f64, u32)| {
                to != u32::MAX && !(to < from && self.lists_back(to, (length, from)))
            };
            links.extend(list.iter().filter(taken).map(|&(length, to)| Ranked::new(length, from, to)));
        }
        let mut forest = Vec::with_capacity(self.n_points());
        Places::new(self).join(links, &mut forest);
        forest
    }

    /// Whether the point `of` is one of these and lists a point at some distance.
    fn lists_back(&self, of: u32, other: (f64, u32)) -> bool {
        let place = (of as usize).checked_sub(self.first).filter(|&at| at < self.n_points());
        place.is_some_and(|at| {
            let list = &self.all[at * self.n_listed..][..self.n_listed];
            other.0 <= list[self.n_listed - 1].0 && list.contains(&other)
        })
    }
}

/// The points that have lists, and others that are listed, as places of one list.
struct Places {
    first: u32,
    n_own: usize,
    /// Those outside, in rising order.
    outside: Vec<u32>,
    sets: DisjointSets,
}

impl Places {
    fn new(lists: &Entries) -> Self {
        let (first, n_own) = (lists.first as u32, lists.n_points());
        let own = first..first + n_own as u32;
        let listed = lists.all.iter().map(|&(_, to)| to);
        let mut outside: Vec<u32> = listed.filter(|to| *to != u32::MAX && !own.contains(to)).collect();
        outside.sort_unstable();
        outside.dedup();
        let sets = DisjointSets::new(n_own + outside.len());
        Self { first, n_own, outside, sets }
    }

    fn of(&self, number: u32) -> usize {
        match number.checked_sub(self.first) {
            Some(at) if (at as usize) < self.n_own => at as usize,
            _ => self.n_own + self.outside.partition_point(|&other| other < number),
        }
    }

    fn joined(&mut self, link: &Ranked) -> bool {
        let [a, b] = [link.ends.0, link.ends.1].map(|end| self.of(end));
        self.sets.root(a) == self.sets.root(b)
    }

    /// Adds to the forest the links that join something, shortest first.
    ///
    /// Short links join most points, and most long ones are left out before they are sorted.
    fn join(&mut self, mut links: Vec<Ranked>, forest: &mut Vec<Ranked>) {
        while links.len() > FEW {
            let short = links.len() / 4;
            links.select_nth_unstable_by(short, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
            let mut long = links.split_off(short);
            self.join_sorted(links, forest);
            long.retain(|link| !self.joined(link));
            links = long;
        }
        self.join_sorted(links, forest);
    }

    fn join_sorted(&mut self, mut links: Vec<Ranked>, forest: &mut Vec<Ranked>) {
        sort(&mut links);
        for link in links {
            let [a, b] = [link.ends.0, link.ends.1].map(|end| self.of(end));
            if self.sets.join(a, b) {
                forest.push(link);
            }
        }
    }
}
