//! The minimum spanning tree of some of the points, given that of all and lists of near neighbours.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::{Link, LinkOrder, Ranked};
use crate::graph::neighbours::Neighbours;
use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::row_search::walk;
use crate::input::Dissimilarity;

/// Marks a node of the kd-tree that has none of the points, and one whose points are in several parts.
const NOBODY: u32 = u32::MAX - 1;
const SEVERAL: u32 = u32::MAX;

/// What is known of all points: their distances, the exact nearest neighbours of each, and boxes around them where these are of use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    pub(crate) neighbours: &'a Neighbours,
    pub(crate) boxes: Option<&'a KdTree<'a>>,
}

impl Known<'_> {
    /// Returns the minimum spanning tree of `members`; of equally short links the one with the lowest numbers is taken.
    ///
    /// `inside` holds the links of the minimum spanning tree of all points between members: each is the shortest way across some
    /// cut, so it is one of this tree as well. They leave some parts. In rounds every part but the largest takes the shortest
    /// link that leaves it (Borůvka), which is mostly one to a listed neighbour. Only where a shorter one may not be listed, other points
    /// are looked at: $O(n k)$ for k neighbours if that is nowhere, $O(n^2)$ at worst. `place(i)` is the place of point `i` among the members.
    pub(crate) fn tree_of(
        &self,
        members: &[usize],
        inside: Vec<Link>,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Link> {
        let mut joining = Joining::new(self, members, inside, &place);
        while joining.links.len() + 1 < members.len() && joining.round() > 0 {}
        joining.links
    }
}

/// What a point knows of the links that leave its part.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Number of listed neighbours that are in its part, or no members.
    n_passed: usize,
    /// The shortest link of all, when it was last looked for, with the place of its other end.
    found: Option<(Ranked, usize)>,
    /// No link that is not listed is shorter than this.
    bound: f64,
}

/// The parts of a tree that grows.
struct Joining<'a, P> {
    known: &'a Known<'a>,
    members: &'a [usize],
    place: &'a P,
    links: Vec<Link>,
    sets: DisjointSets,
    /// The part that each member is in: the place of one of its points.
    part: Vec<u32>,
    ways: Vec<Way>,
}

impl<'a, P: Fn(usize) -> Option<usize>> Joining<'a, P> {
    fn new(known: &'a Known<'a>, members: &'a [usize], links: Vec<Link>, place: &'a P) -> Self {
        let n = members.len();
        let mut sets = DisjointSets::new(n);
        for link in &links {
            if let (Some(from), Some(to)) = (place(link.from), place(link.to)) {
                sets.join(from, to);
            }
        }
        let n_others = known.observed.n_points() - 1;
        let way = |&i: &usize| {
            let mut list = known.neighbours.of(i);
            let bound = if list.len() == n_others {
                f64::INFINITY
            } else {
                list.next_back().map_or(0.0, |(_, farthest)| farthest)
            };
            Way { n_passed: 0, found: None, bound }
        };
        let ways = members.iter().map(way).collect();
        Self { known, members, place, links, sets, part: vec![0; n], ways }
    }

    /// Gives every part but the largest the shortest link that leaves it; returns how many links there are more.
    fn round(&mut self) -> usize {
        let n = self.members.len();
        (0..n).for_each(|at| self.part[at] = self.sets.root(at) as u32);
        let mut sizes = vec![0u32; n];
        self.part.iter().for_each(|&part| sizes[part as usize] += 1);
        let largest = (0..n).fold(0, |best, at| if sizes[at] > sizes[best] { at } else { best });
        let mut best: Vec<Option<Ranked>> = vec![None; n];
        let looking: Vec<usize> = (0..n)
            .filter(|&at| self.part[at] as usize != largest && !self.look_at_list(at, &mut best))
            .collect();
        self.look_farther(&looking, &mut best);
        let n_before = self.links.len();
        for Ranked { link, .. } in best.into_iter().flatten() {
            let ends = [link.from, link.to].map(|i| (self.place)(i));
            if let [Some(from), Some(to)] = ends
                && self.sets.join(from, to)
            {
                self.links.push(link);
            }
        }
        self.links.len() - n_before
    }

    /// Offers the shortest known link of a point to its part; returns whether no other can be shorter.
    fn look_at_list(&mut self, at: usize, best: &mut [Option<Ranked>]) -> bool {
        let (i, own) = (self.members[at], self.part[at]);
        if let Some((link, _)) = self.ways[at].found.filter(|&(_, other)| self.part[other] != own) {
            offer(&mut best[own as usize], link);
            return true;
        }
        let mut n_passed = self.ways[at].n_passed;
        let leaves = |j: usize| (self.place)(j).is_some_and(|other| self.part[other] != own);
        let listed = self.known.neighbours.of(i).skip(n_passed).find(|&(j, _)| {
            let leaves = leaves(j);
            n_passed += usize::from(!leaves);
            leaves
        });
        self.ways[at].n_passed = n_passed;
        let Some((j, length)) = listed else { return self.ways[at].bound == f64::INFINITY };
        offer(&mut best[own as usize], ranked(i, j, length));
        length < self.ways[at].bound
    }

    /// Looks for shorter links of some points among those that are not listed.
    fn look_farther(&mut self, looking: &[usize], best: &mut [Option<Ranked>]) {
        let mut nodes = None;
        for &at in looking {
            let own = &mut best[self.part[at] as usize];
            let reach = own.map_or(f64::INFINITY, |best| best.key);
            if self.ways[at].bound > reach {
                continue;
            }
            let found = match self.known.boxes {
                Some(boxes) => {
                    let nodes = nodes.get_or_insert_with(|| self.parts_of_nodes(boxes));
                    self.nearest_in(boxes, nodes, at, reach)
                }
                None => self.nearest_of_all(at),
            };
            if let Some((link, _)) = found {
                offer(own, link);
            }
            self.ways[at].found = found;
            self.ways[at].bound = found.map_or(reach, |(link, _)| link.key);
        }
    }

    /// The shortest link of a point to another part, by a look at all.
    fn nearest_of_all(&self, at: usize) -> Option<(Ranked, usize)> {
        let (i, own) = (self.members[at], self.part[at]);
        let places: Vec<usize> = (0..self.members.len()).filter(|&other| self.part[other] != own).collect();
        let others: Vec<usize> = places.iter().map(|&other| self.members[other]).collect();
        let (mut best, mut next) = (None, places.iter());
        self.known.observed.for_each_among(i, &others, |j, length| {
            if let Some(&other) = next.next() {
                offer_with(&mut best, ranked(i, j, length), other);
            }
        });
        best
    }

    /// The shortest link of a point to another part, by boxes; nothing if it is longer than `reach`.
    fn nearest_in(
        &self,
        boxes: &KdTree<'_>,
        nodes: &[u32],
        at: usize,
        mut reach: f64,
    ) -> Option<(Ranked, usize)> {
        let (i, own) = (self.members[at], self.part[at]);
        let mut best = None;
        let closed = |node: usize| nodes[node] == own || nodes[node] == NOBODY;
        let row = boxes.points.points().row(i);
        walk(boxes, row, reach, closed, |length, j| {
            let leads_out = |&other: &usize| self.part[other] != own && length <= reach;
            if let Some(other) = (self.place)(j).filter(leads_out) {
                offer_with(&mut best, ranked(i, j, length), other);
                reach = length;
            }
            reach
        });
        best
    }

    /// The part that all members in each node of the kd-tree are in.
    fn parts_of_nodes(&self, boxes: &KdTree<'_>) -> Vec<u32> {
        let part =
            |position: usize| (self.place)(boxes.order[position] as usize).map_or(NOBODY, |at| self.part[at]);
        let common = |a: u32, b: u32| match (a, b) {
            (NOBODY, other) | (other, NOBODY) => other,
            (a, b) if a == b => a,
            _ => SEVERAL,
        };
        let mut parts = vec![NOBODY; boxes.nodes.len()];
        // Nodes come before their halves.
        for at in (0..parts.len()).rev() {
            let node = boxes.nodes[at];
            parts[at] = if node.is_leaf() {
                boxes.positions(node.first_leaf as usize).map(part).fold(NOBODY, common)
            } else {
                let [first, second] = boxes.halves(at);
                common(parts[first], parts[second])
            };
        }
        parts
    }
}

/// A link as trees take it, the lower number first.
fn ranked(i: usize, j: usize, length: f64) -> Ranked {
    Ranked::new(Link { from: i.min(j), to: i.max(j), length }, &LinkOrder::BY_LENGTH)
}

fn offer(best: &mut Option<Ranked>, link: Ranked) {
    if best.is_none_or(|best| link.before(&best)) {
        *best = Some(link);
    }
}

fn offer_with(best: &mut Option<(Ranked, usize)>, link: Ranked, other: usize) {
    if best.is_none_or(|(best, _)| link.before(&best)) {
        *best = Some((link, other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::lengths::Lengths;
    use crate::graph::neighbours::nearest_neighbours;
    use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
    use crate::graph::spanning::of_clusters::spanning_tree;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use proptest::prelude::*;
    use rand::RngExt;

    fn ends(tree: &[Link]) -> Vec<(usize, usize)> {
        let mut ends: Vec<_> =
            tree.iter().map(|link| (link.from.min(link.to), link.from.max(link.to))).collect();
        ends.sort_unstable();
        ends
    }

    proptest! {
        #[test]
        fn the_tree_of_some_points_is_that_of_prim(
            seed in 0u64..10_000, n in 2usize..120, k in 1usize..8, is_lattice: bool, by_boxes: bool, exponent in -30i32..30,
        ) {
            let mut random = crate::run::random::stream(seed, 0);
            let unit = 10f64.powi(exponent);
            let coordinate = |x: f64| unit * if is_lattice { (6.0 * x).floor() } else { x };
            let values: Vec<f64> = (0..2 * n).map(|_| coordinate(random.random())).collect();
            let points = Points::new(values, n, 2).unwrap();
            let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
            let neighbours = nearest_neighbours(&observed, k);
            let boxes = observed.points().filter(|_| by_boxes).and_then(KdTree::new);
            let known = Known { observed: &observed, neighbours: &neighbours, boxes: boxes.as_ref() };
            let members: Vec<usize> = (0..n).filter(|_| random.random::<f64>() < 0.6).collect();
            let place = |i: usize| members.binary_search(&i).ok();
            let whole = minimum_spanning_tree(&observed, &Silent);
            let is_inside = |link: &Link| place(link.from).is_some() && place(link.to).is_some();
            let inside: Vec<Link> = whole.into_iter().filter(is_inside).collect();
            let slow = spanning_tree(&Lengths::complete(&observed), &members, &LinkOrder::BY_LENGTH);
            let fast = known.tree_of(&members, inside, place);
            prop_assert_eq!(ends(&fast), ends(&slow));
            for link in fast {
                prop_assert_eq!(Some(link.length), observed.pair(link.from, link.to));
            }
        }
    }
}
