//! The shortest ways from the points of a cell to other components.

use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::row_search::{any_within, walk};
use crate::graph::parts::cell::{Cell, Outline};
use crate::graph::parts::growth::Way;
use crate::graph::spanning::kruskal::Ranked;

/// Marks a node with points of several components.
const MIXED: u32 = u32::MAX;

/// Number of consecutive points that have a box together. Not tuned.
const BLOCK: usize = 64;

/// The points of a cell that look for points of other components.
#[derive(Debug)]
pub struct Seeking<'a> {
    cell: &'a Cell,
    /// The components of the points that look, in rising order; those of points are places in this list.
    components: Vec<u32>,
    /// The classes of the points, where ways lead to points of the same class alone.
    class: Option<&'a [u32]>,
    /// The box around all that look.
    corners: Vec<f64>,
    blocks: Vec<Block>,
    /// For each component the length up to which a way is of use, and the best so far.
    best: Vec<(f64, Option<Ranked>)>,
}

/// Some consecutive points.
#[derive(Debug)]
struct Block {
    /// The box around them.
    corners: Vec<f64>,
    /// Those that look: place, and place of the component.
    active: Vec<(u32, u32)>,
}

impl<'a> Seeking<'a> {
    /// Returns the points of a cell that have to look: `component` is theirs, `limits` is for each of them that of its component
    /// ([`Growth::limits`](crate::graph::parts::Growth::limits)), and `last` the distance of its last listed neighbour.
    pub fn new(cell: &'a Cell, component: &[u32], limits: &[f64], last: &[f64]) -> Self {
        // What is nearer than the last listed neighbour is listed.
        let looks = |&i: &usize| limits[i] >= 0.0 && last[i] <= limits[i];
        let mut components: Vec<u32> = (0..cell.n_points()).filter(looks).map(|i| component[i]).collect();
        components.sort_unstable();
        components.dedup();
        let place = |i: usize| components.partition_point(|&other| other < component[i]);
        let mut best = vec![(-1.0, None); components.len()];
        let mut blocks = Vec::new();
        for first in (0..cell.n_points()).step_by(BLOCK) {
            let places = first..cell.n_points().min(first + BLOCK);
            let active: Vec<(u32, u32)> =
                places.clone().filter(looks).map(|i| (i as u32, place(i) as u32)).collect();
            active.iter().for_each(|&(i, own)| best[own as usize].0 = limits[i as usize]);
            if !active.is_empty() {
                blocks.push(Block { corners: cell.surround(places), active });
            }
        }
        let corners = around(blocks.iter().map(|block| &block.corners));
        Self { cell, components, class: None, corners, blocks, best }
    }

    /// The same, where ways lead to points of the same class alone: `class` is that of each point.
    #[must_use]
    pub fn in_classes(self, class: &'a [u32]) -> Self {
        Self { class: Some(class), ..self }
    }

    /// Whether nothing has to look.
    pub fn is_idle(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether a cell may hold a way that is of use; `uniform` is the component of all its points, if they are in one.
    pub fn needs(&self, other: &Outline, uniform: Option<u32>) -> bool {
        let farthest = self.best.iter().map(|(limit, _)| *limit).fold(-1.0, f64::max);
        self.nearness(other) <= self.cell.reach(farthest)
            && self.blocks.iter().any(|block| self.reaches(block, other, uniform))
    }

    /// What no distance to a cell is below, in some unit that rises with it.
    pub fn nearness(&self, other: &Outline) -> f64 {
        other.bound(self.cell.reduced(), &self.corners)
    }

    /// Whether a point of a block may find a way in a cell whose points are not all in its component.
    fn reaches(&self, block: &Block, other: &Outline, uniform: Option<u32>) -> bool {
        let is_other = |&&(_, own): &&(u32, u32)| Some(self.components[own as usize]) != uniform;
        let limits = block.active.iter().filter(is_other).map(|&(_, own)| self.best[own as usize].0);
        let reach = self.cell.reach(limits.fold(-1.0, f64::max));
        reach >= 0.0 && other.bound(self.cell.reduced(), &block.corners) <= reach
    }

    /// Looks for ways to the points of a cell, which may be the cell itself, given their components and, if it matters, classes.
    pub fn look_in(&mut self, other: &Cell, component: &[u32], class: Option<&[u32]>) {
        let Some(tree) = other.tree() else { return };
        let (marks, outline) = (marks(&tree, component), other.outline());
        let uniform = (marks[0] != MIXED).then_some(marks[0]);
        let others = Others { cell: other, tree: &tree, component, class, marks: &marks };
        for at in 0..self.blocks.len() {
            if self.reaches(&self.blocks[at], &outline, uniform) && self.finds(&self.blocks[at], &others) {
                for looking in 0..self.blocks[at].active.len() {
                    let (i, own) = self.blocks[at].active[looking];
                    self.look_from(i as usize, own as usize, &others);
                }
            }
        }
    }

    /// Whether a point of a block, if they are all in one component, may find another component among other points.
    fn finds(&self, block: &Block, others: &Others<'_>) -> bool {
        let own = block.active[0].1;
        if block.active.iter().any(|&(_, other)| other != own) {
            return true;
        }
        let component = self.components[own as usize];
        let closed = |node: usize| others.marks[node] == component;
        let corners = block.corners.split_at(block.corners.len() / 2);
        any_within(others.tree, corners, self.cell.reach(self.best[own as usize].0), closed)
    }

    fn look_from(&mut self, i: usize, own: usize, others: &Others<'_>) {
        let (component, class) = (self.components[own], self.class.map(|class| class[i]));
        let (reach, best) = &mut self.best[own];
        let from = (self.cell.first + i) as u32;
        let row = self.cell.points.points().row(i);
        let closed = |node: usize| others.marks[node] == component;
        walk(others.tree, row, *reach, closed, |length, j| {
            let leads = others.component[j] != component && others.class.map(|class| class[j]) == class;
            if leads && length <= *reach {
                let link = Ranked::new(length, from, (others.cell.first + j) as u32);
                if best.is_none_or(|best| link.before(&best)) {
                    (*reach, *best) = (length, Some(link));
                }
            }
            *reach
        });
    }

    /// The best way of each component, in the order of the components.
    pub fn ways(&self) -> Vec<Way> {
        let found = self.components.iter().zip(&self.best);
        found.filter_map(|(&component, (_, link))| link.map(|link| Way { component, link })).collect()
    }
}

/// The box around boxes.
fn around<'a>(mut boxes: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    let mut all = boxes.next().cloned().unwrap_or_default();
    let d = all.len() / 2;
    for corners in boxes {
        for k in 0..d {
            all[k] = all[k].min(corners[k]);
            all[d + k] = all[d + k].max(corners[d + k]);
        }
    }
    all
}

/// The points that ways may lead to.
struct Others<'a> {
    cell: &'a Cell,
    tree: &'a KdTree<'a>,
    component: &'a [u32],
    class: Option<&'a [u32]>,
    marks: &'a [u32],
}

/// For each node of a tree the component that all its points are in, or [`MIXED`].
fn marks(tree: &KdTree<'_>, component: &[u32]) -> Vec<u32> {
    let mut marks = vec![MIXED; tree.nodes.len()];
    for node in (0..tree.nodes.len()).rev() {
        marks[node] = if tree.nodes[node].is_leaf() {
            let places = &tree.order[tree.positions(tree.nodes[node].first_leaf as usize)];
            let first = component[places[0] as usize];
            let same = places.iter().all(|&i| component[i as usize] == first);
            if same { first } else { MIXED }
        } else {
            let [a, b] = tree.halves(node).map(|half| marks[half]);
            if a == b { a } else { MIXED }
        };
    }
    marks
}
