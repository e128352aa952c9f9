//! The shortest ways from the points of a cell to other components.

use std::collections::HashMap;

use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::row_search::walk;
use crate::graph::parts::cell::{Cell, Outline, runs};
use crate::graph::parts::growth::Way;
use crate::graph::spanning::kruskal::Ranked;

/// Marks a node with points of several components.
const MIXED: u32 = u32::MAX;

/// The points of a cell that look for points of other components.
#[derive(Debug)]
pub struct Seeking<'a> {
    cell: &'a Cell,
    component: &'a [u32],
    /// The classes of the points, where ways lead to points of the same class alone.
    class: Option<&'a [u32]>,
    /// The places that look, in rising order, run by run.
    active: Vec<Vec<usize>>,
    boxes: Vec<Vec<f64>>,
    /// For each component of a point that looks the length up to which a way is of use, and the best so far.
    best: HashMap<u32, (f64, Option<Ranked>)>,
}

impl<'a> Seeking<'a> {
    /// Returns the points of a cell that have to look: `component` is theirs, `limits` is for each of them that of its component
    /// ([`Growth::limits`](crate::graph::parts::Growth::limits)), and `last` the distance of its last listed neighbour.
    pub fn new(cell: &'a Cell, component: &'a [u32], limits: &[f64], last: &[f64]) -> Self {
        // What is nearer than the last listed neighbour is listed.
        let looks = |&i: &usize| limits[i] >= 0.0 && last[i] <= limits[i];
        let active: Vec<Vec<usize>> = runs(cell.n_points()).map(|run| run.filter(looks).collect()).collect();
        let best = active.iter().flatten().map(|&i| (component[i], (limits[i], None))).collect();
        Self { cell, component, class: None, active, boxes: cell.outline().boxes, best }
    }

    /// The same, where ways lead to points of the same class alone: `class` is that of each point.
    pub fn in_classes(self, class: &'a [u32]) -> Self {
        Self { class: Some(class), ..self }
    }

    /// Whether nothing has to look.
    pub fn is_idle(&self) -> bool {
        self.best.is_empty()
    }

    /// Whether a cell may hold a way that is of use; `uniform` is the component of all its points, if they are in one.
    pub fn needs(&self, other: &Outline, uniform: Option<u32>) -> bool {
        self.active.iter().zip(&self.boxes).any(|(run, corners)| {
            !run.is_empty() && other.bound(self.cell.reduced(), corners) <= self.reach_of(run, uniform)
        })
    }

    /// The least distance to a cell, in some unit that rises with it.
    pub fn nearness(&self, other: &Outline) -> f64 {
        let runs = self.active.iter().zip(&self.boxes).filter(|(run, _)| !run.is_empty());
        runs.map(|(_, corners)| other.bound(self.cell.reduced(), corners)).fold(f64::INFINITY, f64::min)
    }

    /// How far, in reduced distance, the points of a run look for points that are not all in the component `uniform`.
    fn reach_of(&self, run: &[usize], uniform: Option<u32>) -> f64 {
        let others = run.iter().map(|&i| self.component[i]).filter(|&own| Some(own) != uniform);
        self.cell.reach(others.map(|own| self.best[&own].0).fold(-1.0, f64::max))
    }

    /// Looks for ways to the points of a cell, which may be the cell itself, given their components and, if it matters, classes.
    pub fn look_in(&mut self, other: &Cell, component: &[u32], class: Option<&[u32]>) {
        let Some(tree) = other.tree() else { return };
        let (marks, outline) = (marks(&tree, component), other.outline());
        let uniform = (marks[0] != MIXED).then_some(marks[0]);
        for run in 0..self.active.len() {
            let near = outline.bound(self.cell.reduced(), &self.boxes[run]);
            if self.active[run].is_empty() || near > self.reach_of(&self.active[run], uniform) {
                continue;
            }
            for at in 0..self.active[run].len() {
                let i = self.active[run][at];
                if self.cell.bound(i, &outline) <= self.cell.reach(self.best[&self.component[i]].0) {
                    self.look_from(i, &Others { cell: other, tree: &tree, component, class, marks: &marks });
                }
            }
        }
    }

    fn look_from(&mut self, i: usize, others: &Others<'_>) {
        let (own, class) = (self.component[i], self.class.map(|class| class[i]));
        let Some((reach, best)) = self.best.get_mut(&own) else { return };
        let from = (self.cell.first + i) as u32;
        let row = self.cell.points.points().row(i);
        let closed = |node: usize| others.marks[node] == own;
        walk(others.tree, row, *reach, closed, |length, j| {
            let leads = others.component[j] != own && others.class.map(|class| class[j]) == class;
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
        let way = |(&component, &(_, link)): (&u32, &(f64, Option<Ranked>))| {
            link.map(|link| Way { component, link })
        };
        let mut ways: Vec<Way> = self.best.iter().filter_map(way).collect();
        ways.sort_unstable_by_key(|way| way.component);
        ways
    }
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
