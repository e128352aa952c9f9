//! Labels of some points, propagated to all along a spanning tree.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;

/// The labels of all points: those of the subsample propagate along a tree, its first links first, until they meet.
pub(crate) fn spread(
    tree: &[Link],
    n_points: usize,
    known: impl Iterator<Item = (usize, usize)>,
) -> Vec<usize> {
    let mut sets = DisjointSets::new(n_points);
    let mut labels: Vec<Option<usize>> = vec![None; n_points];
    known.for_each(|(i, label)| labels[i] = Some(label));
    for link in tree {
        let (a, b) = (sets.root(link.from), sets.root(link.to));
        if a != b && (labels[a].is_none() || labels[b].is_none()) {
            sets.join_roots(a, b);
            labels[b] = labels[b].or(labels[a]);
        }
    }
    (0..n_points).map(|i| labels[sets.root(i)].unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_spread_over_the_shortest_links_until_they_meet() {
        let link = |from: usize, length: f64| Link { from, to: from + 1, length };
        // A chain of six points whose longest link is the third; the last link is missing.
        let mut tree = [link(0, 1.0), link(1, 2.0), link(2, 9.0), link(3, 3.0), link(4, f64::NAN)];
        tree.sort_by(|a, b| a.length.total_cmp(&b.length));
        assert_eq!(spread(&tree, 6, [(0, 7), (3, 4)].into_iter()), [7, 7, 7, 4, 4, 4]);
        assert_eq!(spread(&tree, 6, [(0, 7), (1, 4)].into_iter()), [7, 4, 4, 4, 4, 4]);
        assert_eq!(spread(&tree, 6, std::iter::once((5, 2))), [2; 6]);
    }
}
