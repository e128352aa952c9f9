//! The minimum spanning tree, grown from the forests of the cells and from ways between components.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::spanning::kruskal::{Ranked, sort};

/// The shortest way out of a component that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The component.
    pub component: u32,
    /// The link to another component.
    pub link: Ranked,
}

/// A part of the minimum spanning tree, and the components that it makes of the points.
///
/// A link that is the shortest out of some set of points belongs to the tree. The forest of listed pairs gives for every link
/// such a set, but a pair that nobody lists might be shorter: it is longer than every listed neighbour of its ends. So a link
/// is *certain* if it is shorter than the longest listed neighbour of each point on one of its sides. For all others the
/// shortest way out of their components is looked for ([`Seeking`](crate::graph::parts::Seeking)).
#[derive(Debug)]
pub struct Growth {
    /// Links that belong to the tree; where some were known before, those that were found since.
    tree: Vec<Ranked>,
    /// Links of the forest of listed pairs that are not certain and join different components, shortest first.
    open: Vec<Ranked>,
    component: Vec<u32>,
    n_components: usize,
    /// The class of each point, where a tree is wanted for some classes alone, and for each class whether it is.
    classes: Option<(Vec<u32>, Vec<bool>)>,
}

impl Growth {
    /// Returns what the listed pairs tell: `links` are those of the forests of all cells, shortest first, and `last` is for each
    /// point the distance of its last listed neighbour.
    pub fn new(links: impl Iterator<Item = Ranked>, last: Vec<f64>) -> Self {
        let n_points = last.len();
        let (mut listed, mut least) = (DisjointSets::new(n_points), last);
        let (mut tree, mut open) = (Vec::with_capacity(n_points.saturating_sub(1)), Vec::new());
        for link in links {
            let [a, b] = [link.ends.0, link.ends.1].map(|end| listed.root(end as usize));
            if a == b {
                continue;
            }
            let is_certain = link.length < least[a].max(least[b]);
            let into = if is_certain { &mut tree } else { &mut open };
            into.push(link);
            listed.join_roots(a.max(b), a.min(b));
            least[a.min(b)] = least[a].min(least[b]);
        }
        drop((listed, least));
        let (component, classes) = (Vec::new(), None);
        let mut growth = Self { tree: Vec::new(), open, component, n_components: n_points, classes };
        growth.number(tree.iter().copied(), n_points);
        Self { tree, ..growth }
    }

    /// Returns a growth that goes on: the components of the points that [`Growth::components`] gave, and the links that
    /// [`Growth::parts`] gave as those that may belong to the tree. Its tree is what is found from here on.
    pub fn resumed(component: Vec<u32>, open: Vec<Ranked>) -> Self {
        let n_components = component.iter().max().map_or(0, |&last| last as usize + 1);
        let mut growth = Self { tree: Vec::new(), open, component, n_components, classes: None };
        growth.leave_out_inner();
        growth
    }

    /// The links that belong to the tree, in the order in which they were found, and those that may.
    pub fn parts(&self) -> (&[Ranked], &[Ranked]) {
        (&self.tree, &self.open)
    }

    /// Returns the growth of a tree for each of some classes: `certain` are links that surely belong to them, `listed` those of
    /// listed pairs, both inside classes that are wanted. Its tree is what is found beside the certain ones.
    pub fn of_classes(
        (class, wanted): (Vec<u32>, Vec<bool>),
        certain: impl Iterator<Item = Ranked>,
        listed: Vec<Ranked>,
    ) -> Self {
        let n_points = class.len();
        let classes = Some((class, wanted));
        let mut growth =
            Self { tree: Vec::new(), open: listed, component: Vec::new(), n_components: n_points, classes };
        growth.number(certain, n_points);
        growth
    }

    /// Numbers the components that links make, in the order of their first points.
    fn number(&mut self, links: impl Iterator<Item = Ranked>, n_points: usize) {
        let mut sets = DisjointSets::new(n_points);
        for link in links {
            sets.join(link.ends.0 as usize, link.ends.1 as usize);
        }
        // The root of a set is its first point.
        self.component = vec![0; n_points];
        let mut n_components = 0;
        for i in 0..n_points {
            let root = sets.root(i);
            self.component[i] = if root == i {
                n_components += 1;
                n_components - 1
            } else {
                self.component[root]
            };
        }
        self.n_components = n_components as usize;
        self.leave_out_inner();
    }

    /// Leaves out the open links that join nothing any more.
    fn leave_out_inner(&mut self) {
        let component = &self.component;
        self.open.retain(|link| component[link.ends.0 as usize] != component[link.ends.1 as usize]);
    }

    /// Numbers the components that joins of components make, in the order of their first points.
    fn renumber_joined(&mut self, mut joined: DisjointSets) {
        // The root of a set is its first component, which has its first point.
        let mut number = vec![0; self.n_components];
        let mut n_components = 0;
        for old in 0..self.n_components {
            let root = joined.root(old);
            number[old] = if root == old {
                n_components += 1;
                n_components - 1
            } else {
                number[root]
            };
        }
        self.component.iter_mut().for_each(|own| *own = number[*own as usize]);
        self.n_components = n_components as usize;
        self.leave_out_inner();
    }

    /// Whether the tree is complete.
    pub fn is_complete(&self) -> bool {
        self.limits().iter().all(|&limit| limit < 0.0)
    }

    /// Number of components.
    pub fn n_components(&self) -> usize {
        self.n_components
    }

    /// The component of each point.
    pub fn components(&self) -> &[u32] {
        &self.component
    }

    /// For each component the length of its shortest listed way out, infinite where there is none: no longer one is of use. The
    /// largest component (of each class) has -1: it need not look for a way, since the others find theirs.
    pub fn limits(&self) -> Vec<f64> {
        let mut limits = vec![f64::INFINITY; self.n_components];
        for link in &self.open {
            for end in [link.ends.0, link.ends.1] {
                let limit = &mut limits[self.component[end as usize] as usize];
                *limit = limit.min(link.length);
            }
        }
        let mut sizes = vec![0u32; self.n_components];
        self.component.iter().for_each(|&component| sizes[component as usize] += 1);
        for largest in self.idle(&sizes) {
            limits[largest] = -1.0;
        }
        limits
    }

    /// The components that need not look for a way: the largest of each class, and all of classes that are not wanted.
    fn idle(&self, sizes: &[u32]) -> Vec<usize> {
        let Some((class, wanted)) = &self.classes else {
            let larger = |best: usize, at: usize| if sizes[at] > sizes[best] { at } else { best };
            return vec![(0..sizes.len()).fold(0, larger)];
        };
        let mut largest: Vec<Option<usize>> = vec![None; wanted.len()];
        let mut idle = Vec::new();
        let mut n_met = 0;
        for (&component, &class) in self.component.iter().zip(class) {
            // Components are numbered in the order of their first points.
            if component as usize == n_met {
                n_met += 1;
                let best = &mut largest[class as usize];
                if !wanted[class as usize] {
                    idle.push(component as usize);
                } else if best.is_none_or(|best| sizes[component as usize] > sizes[best]) {
                    *best = Some(component as usize);
                }
            }
        }
        idle.extend(largest.into_iter().flatten());
        idle
    }

    /// Joins every component but the largest to another, by its shortest way out: one of those that were found within the limits,
    /// or a listed one.
    pub fn join(&mut self, ways: impl Iterator<Item = Way>) {
        let limits = self.limits();
        let mut best: Vec<Option<Ranked>> = vec![None; self.n_components];
        let mut offer = |component: u32, link: Ranked| {
            let best = &mut best[component as usize];
            if limits[component as usize] >= 0.0 && best.is_none_or(|other| link.before(&other)) {
                *best = Some(link);
            }
        };
        ways.for_each(|way| offer(way.component, way.link));
        for link in &self.open {
            for end in [link.ends.0, link.ends.1] {
                offer(self.component[end as usize], *link);
            }
        }
        let mut joined = DisjointSets::new(self.n_components);
        for link in best.into_iter().flatten() {
            let [a, b] = [link.ends.0, link.ends.1].map(|end| self.component[end as usize] as usize);
            if joined.join(a, b) {
                self.tree.push(link);
            }
        }
        self.renumber_joined(joined);
    }

    /// The links of the tree, shortest first.
    pub fn into_tree(self) -> Vec<Ranked> {
        let mut tree = self.tree;
        sort(&mut tree);
        tree
    }
}

/// Adds links to a tree whose links stand shortest first, so that they still do.
pub fn insert(tree: &mut Vec<Ranked>, mut links: Vec<Ranked>) {
    sort(&mut links);
    let mut n_left = tree.len();
    tree.extend_from_slice(&links);
    // From the longest on, each goes to its place at the end.
    for at in (0..tree.len()).rev() {
        let Some(last) = links.last() else { break };
        if n_left > 0 && last.before(&tree[n_left - 1]) {
            n_left -= 1;
            tree[at] = tree[n_left];
        } else {
            tree[at] = *last;
            links.pop();
        }
    }
}
