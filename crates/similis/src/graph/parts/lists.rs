//! The nearest neighbours of a cell's points, among all points.

use std::cmp::Ordering;

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::nearest::listed;
use crate::graph::neighbours::row_search::{Nearest, offer_all};
use crate::graph::parts::cell::{Cell, Outline, runs};
use crate::graph::spanning::kruskal::{Ranked, sort};
use crate::run::observer::Silent;
use crate::run::parallel;

/// Number of consecutive points that look together whether another cell is near. Not tuned.
const BLOCK: usize = 64;

/// Number of links that are sorted at once. Not tuned.
const FEW: usize = 10_000;

/// The lists of a cell's points: nearest first, of equally near ones the lower number first.
#[derive(Debug)]
pub struct CellLists<'a> {
    cell: &'a Cell,
    n_listed: usize,
    /// Distances and numbers, list after list; infinite where fewer points are known.
    entries: Vec<(f64, u32)>,
    /// For each run of points its box, and the greatest distance at which a point is of use to one of them.
    reaches: Vec<(Vec<f64>, f64)>,
}

impl<'a> CellLists<'a> {
    /// Returns the lists of the nearest in the cell itself.
    pub fn within(cell: &'a Cell, n_listed: usize) -> Self {
        let unknown = (f64::INFINITY, u32::MAX);
        let n_own = n_listed.min(cell.n_points() - 1);
        let mut entries = vec![unknown; cell.n_points() * n_listed];
        if let Some(tree) = KdTree::new(&cell.points).filter(|_| n_own > 0) {
            let number = |position: u32| cell.first as u32 + tree.order[position as usize];
            let own = listed(&tree, n_own, unknown, &Silent, |p, found| {
                (tree.length(p, found.position as usize), number(found.position))
            });
            // Nobody cancels.
            for (list, &i) in own.unwrap_or_default().chunks(n_own).zip(&tree.order) {
                entries[i as usize * n_listed..][..n_own].copy_from_slice(list);
            }
        }
        let boxes = cell.outline().boxes.into_iter().map(|corners| (corners, f64::INFINITY)).collect();
        let mut lists = Self { cell, n_listed, entries, reaches: boxes };
        lists.update_reaches();
        lists
    }

    fn update_reaches(&mut self) {
        for (run, (_, reach)) in runs(self.cell.n_points()).zip(&mut self.reaches) {
            let last = |i: usize| self.entries[(i + 1) * self.n_listed - 1].0;
            *reach = run.map(last).fold(0.0, f64::max);
        }
    }

    /// Whether another cell may hold a neighbour.
    pub fn needs(&self, other: &Outline) -> bool {
        let reduced = self.cell.reduced();
        let within =
            |(corners, reach): &(Vec<f64>, f64)| other.bound(reduced, corners) <= self.cell.reach(*reach);
        other.first != self.cell.first && self.reaches.iter().any(within)
    }

    /// The least distance to another cell, in some unit that rises with it.
    pub fn nearness(&self, other: &Outline) -> f64 {
        let to = |(corners, _): &(Vec<f64>, f64)| other.bound(self.cell.reduced(), corners);
        self.reaches.iter().map(to).fold(f64::INFINITY, f64::min)
    }

    /// Takes in the neighbours that another cell holds.
    pub fn look_in(&mut self, other: &Cell) {
        let Some(tree) = other.tree() else { return };
        let (cell, n_listed, outline) = (self.cell, self.n_listed, other.outline());
        parallel::for_each_piece(&mut self.entries, BLOCK * n_listed, |block, entries| {
            let first = block * BLOCK;
            let last = |list: &[(f64, u32)]| list[n_listed - 1].0;
            let reach = entries.chunks(n_listed).map(last).fold(0.0, f64::max);
            let corners = cell.surround(first..first + entries.len() / n_listed);
            if outline.bound(cell.reduced(), &corners) > cell.reach(reach) {
                return;
            }
            for (at, list) in entries.chunks_mut(n_listed).enumerate() {
                let mut nearest = Nearest::new(n_listed);
                list.iter().for_each(|&(distance, j)| nearest.offer(distance, j as usize));
                offer_all(&tree, cell.points.points().row(first + at), &mut nearest, |j| other.first + j);
                let found = nearest.found().iter().map(|&(distance, j)| (distance, j as u32));
                list.iter_mut().zip(found).for_each(|(entry, found)| *entry = found);
            }
        });
        self.update_reaches();
    }

    /// Distances and numbers, list after list.
    pub fn entries(&self) -> &[(f64, u32)] {
        &self.entries
    }

    /// The greatest distance in each list: no other point is nearer.
    pub fn last(&self) -> Vec<f64> {
        self.entries.chunks(self.n_listed).map(|list| list[self.n_listed - 1].0).collect()
    }

    /// The minimum spanning forest of all listed pairs, shortest link first.
    ///
    /// The forest of the pairs of all cells is that of these forests' links.
    pub fn forest(&self) -> Vec<Ranked> {
        let mut links: Vec<Ranked> = Vec::with_capacity(self.entries.len());
        for (i, list) in self.entries.chunks(self.n_listed).enumerate() {
            let from = (self.cell.first + i) as u32;
            // A pair that both list is taken once.
            let taken = |&&(_, to): &&(f64, u32)| to != u32::MAX && !(to < from && self.lists_back(to, from));
            links.extend(list.iter().filter(taken).map(|&(length, to)| Ranked::new(length, from, to)));
        }
        let mut forest = Vec::with_capacity(self.cell.n_points());
        Places::new(self.cell, &self.entries).join(links, &mut forest);
        forest
    }

    /// Whether the point `of` is in this cell and lists the point `other`.
    fn lists_back(&self, of: u32, other: u32) -> bool {
        let place = (of as usize).checked_sub(self.cell.first).filter(|&at| at < self.cell.n_points());
        place.is_some_and(|at| {
            self.entries[at * self.n_listed..][..self.n_listed].iter().any(|&(_, j)| j == other)
        })
    }
}

/// The points of a cell, and those outside that they list, as places of one list.
struct Places {
    first: u32,
    n_own: usize,
    /// Those outside, in rising order.
    outside: Vec<u32>,
    sets: DisjointSets,
}

impl Places {
    fn new(cell: &Cell, entries: &[(f64, u32)]) -> Self {
        let (first, n_own) = (cell.first as u32, cell.n_points());
        let own = first..first + n_own as u32;
        let listed = entries.iter().map(|&(_, to)| to);
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
