//! Minimum spanning trees: Theorem 1, Corollary 1, and the remark that closes the proof.

use super::lengths::{Lengths, Link};
use super::likelihood::LinkOrder;
use crate::Labels;

/// Where a link stands in the order that trees are built by: price, then the numbers of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    pub(super) key: f64,
    pub(super) link: Link,
}

impl Ranked {
    pub(super) fn new(link: Link, order: &LinkOrder) -> Self {
        Self { key: order.key(link.length), link }
    }

    /// Whether this link is taken before the other: no two links are equal, so every tree is unique.
    pub(super) fn before(&self, other: &Self) -> bool {
        let ends = |link: &Link| (link.from.min(link.to), link.from.max(link.to));
        self.key < other.key || (self.key == other.key && ends(&self.link) < ends(&other.link))
    }
}

/// Returns the spanning tree of `members` that is least in `order`: Theorem 1, by Prim's method in $O(n^2)$.
///
/// With the order of the weights $f$ of Eq. (16) it is the likeliest graph under the prior `tree`, whatever the background,
/// and under `connected` where Eq. (17) holds.
pub fn spanning_tree(lengths: &Lengths<'_>, members: &[usize], order: &LinkOrder) -> Vec<Link> {
    let Some((&first, others)) = members.split_first() else {
        return Vec::new();
    };
    let link = |from: usize, to: usize| Ranked::new(Link { from, to, length: lengths.pair(from, to) }, order);
    let mut nearest: Vec<Ranked> = others.iter().map(|&to| link(first, to)).collect();
    let mut tree = Vec::with_capacity(others.len());
    while !nearest.is_empty() {
        let next =
            (1..nearest.len()).fold(0, |best, at| if nearest[at].before(&nearest[best]) { at } else { best });
        let taken = nearest.swap_remove(next).link;
        tree.push(taken);
        for candidate in &mut nearest {
            let other = link(taken.to, candidate.link.to);
            if other.before(candidate) {
                *candidate = other;
            }
        }
    }
    tree
}

/// Returns the best graph given the labels: one spanning tree for each class, Corollary 1.
///
/// `orders` holds the order of the link prices of each class.
pub fn class_trees(lengths: &Lengths<'_>, labels: &Labels, orders: &[LinkOrder]) -> Vec<Vec<Link>> {
    let members = |cluster: usize| -> Vec<usize> {
        (0..labels.n_points()).filter(|&i| labels.as_slice()[i] == cluster).collect()
    };
    (0..labels.n_clusters())
        .map(|cluster| spanning_tree(lengths, &members(cluster), &orders[cluster]))
        .collect()
}

/// Returns the best labels where all classes share one scale: Theorem 1, remark at the end of its proof.
///
/// The global tree is cut at its `n_clusters` - 1 dearest links. It holds for the prior `tree` with a constant T, shared
/// fixed scales, prices that rise with the key, a connected support, exactly `n_clusters` classes, singletons allowed; up to
/// ties.
pub fn cut_dearest(tree: &[Link], n_points: usize, n_clusters: usize, order: &LinkOrder) -> Labels {
    let mut ranked: Vec<Ranked> = tree.iter().map(|&link| Ranked::new(link, order)).collect();
    ranked.sort_by(|a, b| if a.before(b) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater });
    let n_kept = tree.len().saturating_sub(n_clusters.saturating_sub(1));
    components(n_points, ranked[..n_kept].iter().map(|ranked| ranked.link))
}

/// The connected components that links make.
pub(super) fn components(n_points: usize, links: impl Iterator<Item = Link>) -> Labels {
    let mut parent: Vec<usize> = (0..n_points).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for link in links {
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, link.to));
        parent[a] = b;
    }
    let roots: Vec<usize> = (0..n_points).map(|i| root(&mut parent, i)).collect();
    Labels::new(&roots)
}
