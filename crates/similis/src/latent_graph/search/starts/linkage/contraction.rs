//! The links of a tree in the order of the gain in log joint.

use std::cmp::Reverse;

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::graph::tournament::Tournament;
use crate::latent_graph::search::starts::linkage::{Part, PartJoint};

/// Number of outgoing links above which a component is a hub, whose links are weighed again only when it has grown by
/// [`HUB_GROWTH`]. Bounds the time; not tuned.
const HUB: usize = 64;

/// Fraction of its size by which a hub grows before its links are weighed again. Bounds the time; not tuned.
const HUB_GROWTH: f64 = 1.0 / 8.0;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A number from 1 that rises with the gain.
fn rank(gain: f64) -> u64 {
    // In the order of the bits the negative numbers come last, and the wrong way round.
    let bits = gain.to_bits();
    if gain.is_sign_negative() { (!bits).max(1) } else { bits | 1 << 63 }
}

/// A link between points below 2^32.
#[derive(Clone, Copy)]
struct Short {
    ends: [u32; 2],
    length: f64,
}

/// What is known of a component, at its root.
struct Component {
    part: Part,
    log_joint: f64,
    /// Its size when its links were last weighed: the present size, except for hubs.
    weighed_size: u32,
    /// The links that leave it, a list through [`Contraction::next`]; among those of a hub there may be contracted ones.
    first: u32,
    last: u32,
    n_leaving: u32,
}

/// The state of likelihood linkage, and an iterator over its merges: the link, and what it added to the log joint. Components are
/// identified by their root.
///
/// Links are kept in the order of their first ends, so that those near each other lie together in memory.
pub(crate) struct Contraction<'a> {
    links: Vec<Short>,
    joint: &'a PartJoint,
    joined: DisjointSets,
    components: Vec<Component>,
    /// For each end of each link, 2 l and 2 l + 1, the next in the list of its component.
    next: Vec<u32>,
    /// The gain of each link that is not contracted, as a rank; of equal ones the first of the tree comes first.
    gains: Tournament,
}

impl<'a> Contraction<'a> {
    pub(crate) fn new(
        tree: impl Iterator<Item = Link> + Clone,
        n_points: usize,
        joint: &'a PartJoint,
    ) -> Self {
        let (links, number) = by_first_ends(tree, n_points);
        let part = Part { size: 1, length: 0.0, n_joins: 0 };
        let log_joint = joint.log_joint(part);
        let one = |_| Component { part, log_joint, weighed_size: 1, first: NONE, last: NONE, n_leaving: 0 };
        let mut contraction = Self {
            next: vec![NONE; 2 * links.len()],
            links,
            joint,
            joined: DisjointSets::new(n_points),
            components: (0..n_points).map(one).collect(),
            gains: Tournament::new(Vec::new()),
        };
        for half in 0..contraction.next.len() as u32 {
            contraction.append(contraction.point(half), half);
        }
        let gain = |(link, &number): (usize, &u32)| {
            (rank(contraction.joint_of_both(link, contraction.points(link)).1), Reverse(number))
        };
        contraction.gains = Tournament::new(number.iter().enumerate().map(gain).collect());
        contraction
    }

    /// The points that a link joins.
    fn points(&self, link: usize) -> [usize; 2] {
        self.links[link].ends.map(|end| end as usize)
    }

    /// The point at an end of a link.
    fn point(&self, half: u32) -> usize {
        self.points(half as usize / 2)[half as usize % 2]
    }

    /// Puts an end of a link at the end of the list of a component.
    fn append(&mut self, component: usize, half: u32) {
        self.next[half as usize] = NONE;
        let component = &mut self.components[component];
        match component.last {
            NONE => component.first = half,
            last => self.next[last as usize] = half,
        }
        component.last = half;
        component.n_leaving += 1;
    }

    /// The components that a link joins.
    fn ends(&mut self, link: usize) -> [usize; 2] {
        self.points(link).map(|point| self.joined.root(point))
    }

    /// What a link makes of the components that it joins, and the gain in log joint.
    fn joint_of_both(&self, link: usize, ends: [usize; 2]) -> (Merged, f64) {
        let [a, b] = ends.map(|end| &self.components[end]);
        let part = self.joint.joined(a.part, b.part, self.links[link].length);
        let log_joint = self.joint.log_joint(part);
        (Merged { part, log_joint }, log_joint - a.log_joint - b.log_joint)
    }

    /// Merges two components; returns the gain.
    fn contract(&mut self, link: usize) -> f64 {
        let [a, b] = self.ends(link);
        let (Merged { part, log_joint }, gain) = self.joint_of_both(link, [a, b]);
        let n_leaving = |component: usize| self.components[component].n_leaving;
        let (small, large) = if n_leaving(a) < n_leaving(b) { (a, b) } else { (b, a) };
        let n_both = (n_leaving(a) + n_leaving(b)) as usize;
        self.joined.join_roots(small, large);
        let few = self.components[small].first;
        let component = &mut self.components[large];
        (component.part, component.log_joint) = (part, log_joint);
        let grown = part.size as f64 > (1.0 + HUB_GROWTH) * f64::from(component.weighed_size);
        if n_both <= HUB || grown {
            component.weighed_size = part.size as u32;
            let many = component.first;
            (component.first, component.last, component.n_leaving) = (NONE, NONE, 0);
            self.weigh(large, many);
        }
        self.weigh(large, few);
        gain
    }

    /// Weighs the links of a list again, and gives them to a component; contracted ones are dropped.
    fn weigh(&mut self, component: usize, mut half: u32) {
        while half != NONE {
            let next = self.next[half as usize];
            let link = half as usize / 2;
            if self.gains.rank(link) > 0 {
                self.append(component, half);
                let ends = self.ends(link);
                let (_, gain) = self.joint_of_both(link, ends);
                self.gains.set_rank(link, rank(gain));
            }
            half = next;
        }
    }
}

impl Iterator for Contraction<'_> {
    type Item = (Link, f64);

    fn next(&mut self) -> Option<(Link, f64)> {
        let link = self.gains.greatest()?;
        self.gains.set_rank(link, 0);
        let [from, to] = self.points(link);
        let length = self.links[link].length;
        Some((Link { from, to, length }, self.contract(link)))
    }
}

/// A component of two, and its log joint.
struct Merged {
    part: Part,
    log_joint: f64,
}

/// The links of a tree in the order of their first ends, and the number of each in the tree.
fn by_first_ends(tree: impl Iterator<Item = Link> + Clone, n_points: usize) -> (Vec<Short>, Vec<u32>) {
    let mut next = vec![0; n_points + 1];
    tree.clone().for_each(|link| next[link.from.min(link.to) + 1] += 1);
    (0..n_points).for_each(|i| next[i + 1] += next[i]);
    let n_links = next[n_points];
    let mut links = vec![Short { ends: [0; 2], length: 0.0 }; n_links];
    let mut numbers = vec![0; n_links];
    for (number, Link { from, to, length }) in tree.enumerate() {
        let place = &mut next[from.min(to)];
        links[*place] = Short { ends: [from as u32, to as u32], length };
        numbers[*place] = number as u32;
        *place += 1;
    }
    (links, numbers)
}
