//! The minimum spanning tree of points, by Boruvka's method on a kd-tree.

pub(crate) mod leaving;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::neighbours::kd_tree::{KdTree, LEAF};
use crate::graph::neighbours::leaf_search::walk;
use crate::graph::neighbours::nearest::{Neighbour, nearest};
use crate::graph::spanning::kruskal::{Ranked, sort};
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use leaving::{Leaving, lower};

/// Number of leaves that one thread handles at a time. Not tuned.
const PIECE: usize = 64;

/// Marks a position or component that does not exist.
pub(crate) const NONE: u32 = u32::MAX;

/// The nearest point of another component, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Its reduced distance; where `position` is [`NONE`], what the reduced distance is not below.
    pub(crate) key: f64,
    pub(crate) position: u32,
    /// How many of its list were looked at.
    pub(crate) n_used: u8,
}

impl Nearest {
    /// Moves on to the first of its list that is not in its `own` component, unless that is where it is.
    #[inline]
    fn advance(&mut self, list: &[Neighbour], own: u32, component: &[u32]) {
        if self.position != NONE && component[self.position as usize] != own {
            return;
        }
        self.position = NONE;
        while (self.n_used as usize) < list.len() && self.position == NONE {
            let next = list[self.n_used as usize];
            self.key = next.key;
            if component[next.position as usize] != own {
                self.position = next.position;
            }
            self.n_used += 1;
        }
    }
}

/// The components and what is known of their ways out.
pub(crate) struct Rounds<'a> {
    pub(crate) tree: &'a KdTree<'a>,
    leaf_nodes: Vec<u32>,
    /// The nearest neighbours of each position, `n_listed` each.
    lists: Vec<Neighbour>,
    n_listed: usize,
    nearest: Vec<Nearest>,
    pub(crate) component: Vec<u32>,
    n_components: usize,
    /// Number of points of each component.
    sizes: Vec<u32>,
    /// The component that all points of a node are in, or [`NONE`].
    pub(crate) node_component: Vec<u32>,
}

/// Returns the links of the minimum spanning tree, shortest first; fewer if cancelled.
///
/// The first round takes nearest neighbours; in each later one every component but the largest finds its shortest link to
/// another. A point looks only where something nearer than its component's best so far can be, and remembers what it has
/// ruled out.
pub(crate) fn links(tree: &KdTree<'_>, observer: &dyn Observer) -> Vec<Ranked> {
    links_with(tree, &[], observer)
}

/// As [`links`], where the ends of some of its links are known.
pub(crate) fn links_with(tree: &KdTree<'_>, known: &[[usize; 2]], observer: &dyn Observer) -> Vec<Ranked> {
    let n = tree.n_points();
    let mut links = Vec::with_capacity(n.saturating_sub(1));
    // Where most links are known, few points look for others.
    let n_listed = if 2 * known.len() < n { n_listed(n, tree.n_dimensions()) } else { 0 };
    let Some(mut rounds) = Rounds::new(tree, n_listed, observer) else { return links };
    rounds.take(known, &mut links);
    while rounds.n_components > 1 {
        let n_before = rounds.n_components;
        if rounds.round(&mut links, observer).is_none() {
            break;
        }
        debug_assert!(rounds.n_components < n_before, "every component finds a link");
        let fraction = 1.0 - rounds.n_components as f64 / n as f64;
        observer.progress(Progress { phase: "spanning tree", fraction, log_joint: None });
    }
    sort(&mut links);
    links
}

/// Neighbours found in the first round: more of them spare later searches.
fn n_listed(n_points: usize, n_dimensions: usize) -> usize {
    let usual = if n_dimensions <= 3 { 4 } else { 8 };
    usual.min(n_points - 1)
}

impl<'a> Rounds<'a> {
    fn new(tree: &'a KdTree<'a>, n_listed: usize, observer: &dyn Observer) -> Option<Self> {
        let n = tree.n_points();
        let lists = if n_listed > 0 { nearest(tree, n_listed, observer)? } else { Vec::new() };
        Some(Self {
            tree,
            leaf_nodes: tree.leaf_nodes(),
            lists,
            n_listed,
            nearest: vec![Nearest { key: 0.0, position: NONE, n_used: 0 }; n],
            component: (0..n as u32).collect(),
            n_components: n,
            sizes: vec![1; n],
            node_component: vec![NONE; tree.nodes.len()],
        })
    }

    /// Begins with the components that links of the tree make.
    fn take(&mut self, known: &[[usize; 2]], links: &mut Vec<Ranked>) {
        if known.is_empty() {
            return;
        }
        let mut position = vec![NONE; self.component.len()];
        self.tree.order.iter().zip(0..).for_each(|(&i, p)| position[i as usize] = p);
        let mut joined = DisjointSets::new(self.n_components);
        for ends in known {
            let [p, q] = ends.map(|end| position[end]);
            joined.join(p as usize, q as usize);
            links.push(self.rank(p, q));
        }
        self.renumber(&mut joined);
    }

    /// Links every component but the largest to its nearest other; `None`, and no links, if the observer cancels.
    fn round(&mut self, links: &mut Vec<Ranked>, observer: &dyn Observer) -> Option<()> {
        let best = self.use_lists();
        let idle = self.largest();
        self.mark_nodes();
        self.search(&best, idle, observer)?;
        self.merge(&best, idle, links);
        Some(())
    }

    /// Moves every point on to the first of its list that is in another component; returns the least reduced distance, so
    /// far, from each component to another.
    fn use_lists(&mut self) -> Vec<AtomicU64> {
        let best: Vec<AtomicU64> =
            (0..self.n_components).map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
        let (lists, n_listed, component) = (&self.lists, self.n_listed, &self.component);
        parallel::for_each_piece(&mut self.nearest, PIECE * LEAF, |piece, nearest| {
            for (at, nearest) in nearest.iter_mut().enumerate() {
                let p = piece * PIECE * LEAF + at;
                nearest.advance(&lists[p * n_listed..(p + 1) * n_listed], component[p], component);
                if nearest.position != NONE {
                    lower(&best[component[p] as usize], nearest.key);
                }
            }
        });
        best
    }

    /// The component with the most points: the others find their ways to it.
    fn largest(&self) -> u32 {
        let larger = |best: usize, at: usize| if self.sizes[at] > self.sizes[best] { at } else { best };
        (0..self.n_components).fold(0, larger) as u32
    }

    /// Marks the nodes whose points are all in one component.
    fn mark_nodes(&mut self) {
        let (tree, component) = (self.tree, &self.component);
        let leaf = |node: usize| {
            let own = &component[tree.positions(tree.nodes[node].first_leaf as usize)];
            if own.iter().all(|&other| other == own[0]) { own[0] } else { NONE }
        };
        parallel::for_each_piece(&mut self.node_component, PIECE, |piece, marks| {
            let nodes = (piece * PIECE..).zip(marks).filter(|&(node, _)| tree.nodes[node].is_leaf());
            nodes.for_each(|(node, mark)| *mark = leaf(node));
        });
        for node in (0..tree.nodes.len()).rev().filter(|&node| !tree.nodes[node].is_leaf()) {
            let [a, b] = tree.halves(node).map(|half| self.node_component[half]);
            self.node_component[node] = if a == b { a } else { NONE };
        }
    }

    /// Finds the nearest point of another component where it may be the component's best.
    fn search(&mut self, best: &[AtomicU64], idle: u32, observer: &dyn Observer) -> Option<()> {
        let mut nearest = std::mem::take(&mut self.nearest);
        let rounds = &*self;
        let ended = parallel::for_each_piece_until(&mut nearest, PIECE * LEAF, observer, |piece, nearest| {
            for (at, own) in nearest.chunks_mut(LEAF).enumerate() {
                let leaf = piece * PIECE + at;
                let mut leaving = Leaving::new(rounds, leaf, own, best);
                if leaving.choose(idle) {
                    walk(rounds.tree, rounds.leaf_nodes[leaf] as usize, &mut leaving);
                    leaving.conclude();
                }
            }
        });
        self.nearest = nearest;
        ended
    }

    /// Takes the best link of every component but the idle one.
    fn merge(&mut self, best: &[AtomicU64], idle: u32, links: &mut Vec<Ranked>) {
        let mut chosen: Vec<Option<(Nearest, u32)>> = vec![None; self.n_components];
        for p in self.contenders(best, idle) {
            let nearest = self.nearest[p as usize];
            let chosen = &mut chosen[self.component[p as usize] as usize];
            if chosen.is_none_or(|(other, from)| self.before((&nearest, p), (&other, from))) {
                *chosen = Some((nearest, p));
            }
        }
        let mut joined = DisjointSets::new(self.n_components);
        for (nearest, from) in chosen.into_iter().flatten() {
            let [a, b] = [from, nearest.position].map(|p| self.component[p as usize]);
            if joined.join(a as usize, b as usize) {
                links.push(self.rank(from, nearest.position));
            }
        }
        self.renumber(&mut joined);
    }

    /// The points whose way out may be the best of their component.
    fn contenders(&self, best: &[AtomicU64], idle: u32) -> Vec<u32> {
        let contends = |&p: &usize| {
            let (nearest, component) = (&self.nearest[p], self.component[p]);
            let least = f64::from_bits(best[component as usize].load(Ordering::Relaxed));
            nearest.position != NONE && component != idle && nearest.key <= self.tree.reduced.above(least)
        };
        let n = self.nearest.len();
        let pieces = parallel::map(n.div_ceil(PIECE * LEAF), |piece| {
            let points = piece * PIECE * LEAF..n.min((piece + 1) * PIECE * LEAF);
            points.filter(contends).map(|p| p as u32).collect::<Vec<_>>()
        });
        pieces.into_iter().flatten().collect()
    }

    /// Numbers the components that were joined.
    fn renumber(&mut self, joined: &mut DisjointSets) {
        let mut number = vec![NONE; self.n_components];
        let mut sizes: Vec<u32> = Vec::new();
        for at in 0..self.n_components {
            let root = joined.root(at);
            if number[root] == NONE {
                number[root] = sizes.len() as u32;
                sizes.push(0);
            }
            number[at] = number[root];
            sizes[number[at] as usize] += self.sizes[at];
        }
        parallel::for_each_piece(&mut self.component, PIECE * LEAF, |_, part| {
            part.iter_mut().for_each(|component| *component = number[*component as usize]);
        });
        self.n_components = sizes.len();
        self.sizes = sizes;
    }

    /// Whether one way out is taken before another.
    pub(crate) fn before(&self, a: (&Nearest, u32), b: (&Nearest, u32)) -> bool {
        let above = |key: f64| self.tree.reduced.above(key);
        if a.0.key > above(b.0.key) || b.0.key > above(a.0.key) {
            return a.0.key < b.0.key;
        }
        self.rank(a.1, a.0.position) < self.rank(b.1, b.0.position)
    }

    fn rank(&self, p: u32, q: u32) -> Ranked {
        let [a, b] = [p, q].map(|position| self.tree.order[position as usize]);
        Ranked::new(self.tree.length(p as usize, q as usize), a, b)
    }
}
