//! The nearest neighbours of a cell's points, among all points.

use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::nearest::listed;
use crate::graph::neighbours::row_search::{Nearest, may_reach, offer_all};
use crate::graph::parts::cell::{Cell, Outline, runs};
use crate::graph::parts::entries::{Entries, UNKNOWN};
use crate::run::observer::Silent;
use crate::run::parallel;

/// Number of consecutive points that look together whether another cell is near. Not tuned.
const BLOCK: usize = 64;

/// The lists of a cell's points: nearest first, of equally near ones the lower number first.
#[derive(Debug)]
pub struct CellLists<'a> {
    cell: &'a Cell,
    n_listed: usize,
    entries: Entries,
    /// For each run of points its box, and the greatest distance at which a point is of use to one of them.
    reaches: Vec<(Vec<f64>, f64)>,
}

impl<'a> CellLists<'a> {
    /// Returns the lists of the nearest in the cell itself.
    pub fn within(cell: &'a Cell, n_listed: usize) -> Self {
        let n_own = n_listed.min(cell.n_points() - 1);
        let mut entries = Entries::unknown(cell.first, cell.n_points(), n_listed);
        if let Some(tree) = KdTree::new(&cell.points).filter(|_| n_own > 0) {
            let number = |position: u32| cell.first as u32 + tree.order[position as usize];
            let own = listed(&tree, n_own, UNKNOWN, &Silent, |p, found| {
                (tree.length(p, found.position as usize), number(found.position))
            });
            // Nobody cancels.
            for (list, &i) in own.unwrap_or_default().chunks(n_own).zip(&tree.order) {
                entries.all_mut()[i as usize * n_listed..][..n_own].copy_from_slice(list);
            }
        }
        let boxes = cell.outline().boxes.into_iter().map(|corners| (corners, f64::INFINITY)).collect();
        let mut lists = Self { cell, n_listed, entries, reaches: boxes };
        lists.update_reaches();
        lists
    }

    fn update_reaches(&mut self) {
        for (run, (_, reach)) in runs(self.cell.n_points()).zip(&mut self.reaches) {
            let last = |i: usize| self.entries.all()[(i + 1) * self.n_listed - 1].0;
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
        parallel::for_each_piece(self.entries.all_mut(), BLOCK * n_listed, |block, entries| {
            let first = block * BLOCK;
            let last = |list: &[(f64, u32)]| list[n_listed - 1].0;
            let reach = entries.chunks(n_listed).map(last).fold(0.0, f64::max);
            let corners = cell.surround(first..first + entries.len() / n_listed);
            if outline.bound(cell.reduced(), &corners) > cell.reach(reach) {
                return;
            }
            for (at, list) in entries.chunks_mut(n_listed).enumerate() {
                let row = cell.points.points().row(first + at);
                if !may_reach(&tree, row, cell.reach(last(list))) {
                    continue;
                }
                let mut nearest = Nearest::new(n_listed);
                list.iter().for_each(|&(distance, j)| nearest.offer(distance, j as usize));
                offer_all(&tree, row, &mut nearest, |j| other.first + j);
                let found = nearest.found().iter().map(|&(distance, j)| (distance, j as u32));
                list.iter_mut().zip(found).for_each(|(entry, found)| *entry = found);
            }
        });
        self.update_reaches();
    }

    /// The lists.
    pub fn into_entries(self) -> Entries {
        self.entries
    }
}
