//! A tree from its leaves to its root, in an order that needs little memory.

use crate::graph::link::Link;

/// A link from a point to the point above it, its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Upward {
    /// How long the link is.
    pub(crate) length: f64,
    /// Whether nothing is below the point.
    pub(crate) is_leaf: bool,
    /// Whether it is the first of its parent's links that is taken.
    pub(crate) is_first: bool,
}

/// Returns the links of a tree, each after all those below it, so that an upward pass in this order needs only a stack:
/// the message of a point that is no leaf lies on top when its link is taken, and after a link that is not its parent's
/// first the message of the parent lies below it.
///
/// The largest part below a point comes first: the stack never holds more than $\log_2 n$ messages. The root is the point of
/// the lowest number, and the order depends on the links alone, not on how they are listed.
pub(crate) fn rooted(tree: &[Link]) -> Vec<Upward> {
    let Some(walk) = Walk::new(tree) else { return Vec::new() };
    let mut heaviest = vec![usize::MAX; walk.parent.len()];
    let mut stack = vec![0];
    let mut links = Vec::with_capacity(tree.len());
    while let Some(i) = stack.pop() {
        let mut below: Vec<usize> = walk.below(i).collect();
        below.sort_unstable_by_key(|&child| (std::cmp::Reverse(walk.size[child]), child));
        if let Some(&child) = below.first() {
            heaviest[i] = child;
        }
        if i != 0 {
            let (is_leaf, is_first) = (below.is_empty(), heaviest[walk.parent[i]] == i);
            links.push(Upward { length: walk.up[i], is_leaf, is_first });
        }
        // The heaviest is pushed first, so taken last; then all is turned round.
        stack.append(&mut below);
    }
    links.reverse();
    links
}

/// The points of a tree, numbered 0, 1, .. in the order of their numbers, and what lies above and below each.
#[derive(Debug)]
pub(crate) struct Walk {
    offsets: Vec<usize>,
    others: Vec<(usize, f64)>,
    /// The point above each; the first has none.
    pub(crate) parent: Vec<usize>,
    /// The length of the link to the parent.
    pub(crate) up: Vec<f64>,
    /// The points, each after the one above it.
    pub(crate) order: Vec<usize>,
    /// How many points the part below holds, the point itself with it.
    pub(crate) size: Vec<usize>,
}

impl Walk {
    /// `None` for a tree without links.
    pub(crate) fn new(tree: &[Link]) -> Option<Self> {
        let mut points: Vec<usize> = tree.iter().flat_map(|link| [link.from, link.to]).collect();
        points.sort_unstable();
        points.dedup();
        let n = points.len();
        let place = |i: usize| points.binary_search(&i).unwrap_or(0);
        let ends: Vec<[usize; 2]> = tree.iter().map(|link| [place(link.from), place(link.to)]).collect();
        let mut offsets = vec![0; n + 1];
        ends.iter().flatten().for_each(|&end| offsets[end + 1] += 1);
        (0..n).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut next = offsets.clone();
        let mut others = vec![(0, 0.0); 2 * tree.len()];
        for (&[a, b], link) in ends.iter().zip(tree) {
            for (from, to) in [(a, b), (b, a)] {
                others[next[from]] = (to, link.length);
                next[from] += 1;
            }
        }
        let (parent, up, size) = (vec![usize::MAX; n], vec![0.0; n], vec![1; n]);
        (n > 0).then(|| Self { offsets, others, parent, up, order: vec![0], size }.climbed())
    }

    /// Fills in what lies above and below, from point 0 outwards and back.
    fn climbed(mut self) -> Self {
        let mut next = 0;
        while let Some(&i) = self.order.get(next) {
            for at in self.offsets[i]..self.offsets[i + 1] {
                let (other, length) = self.others[at];
                if other != self.parent[i] {
                    self.parent[other] = i;
                    self.up[other] = length;
                    self.order.push(other);
                }
            }
            next += 1;
        }
        self.order.iter().skip(1).rev().for_each(|&i| self.size[self.parent[i]] += self.size[i]);
        self
    }

    /// The points right below one.
    fn below(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.around(i).filter(move |&other| other != self.parent[i])
    }

    /// The points that one is linked to.
    pub(crate) fn around(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others[self.offsets[i]..self.offsets[i + 1]].iter().map(|&(other, _)| other)
    }
}
