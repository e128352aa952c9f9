//! Labels of some points, propagated to all along a spanning tree.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;

/// Marks a point whose label is not known.
const UNKNOWN: u32 = u32::MAX;

/// The labels of all points: those of the subsample propagate along a tree, its first links first, until they meet.
pub(crate) fn spread(
    tree: &[Link],
    n_points: usize,
    known: impl Iterator<Item = (usize, usize)>,
) -> Vec<usize> {
    let ends = tree.iter().map(|link| [link.from, link.to]);
    spread_along(ends, n_points, known).into_iter().map(|label| label as usize).collect()
}

/// As [`spread`], given the ends of the tree's links.
pub(crate) fn spread_along(
    tree: impl Iterator<Item = [usize; 2]>,
    n_points: usize,
    known: impl Iterator<Item = (usize, usize)>,
) -> Vec<u32> {
    let mut sets = DisjointSets::new(n_points);
    let mut labels = vec![UNKNOWN; n_points];
    known.for_each(|(i, label)| labels[i] = label as u32);
    for ends in tree {
        let [a, b] = ends.map(|end| sets.root(end));
        if a != b && (labels[a] == UNKNOWN || labels[b] == UNKNOWN) {
            sets.join_roots(a, b);
            labels[b] = if labels[b] == UNKNOWN { labels[a] } else { labels[b] };
        }
    }
    for i in 0..n_points {
        let label = labels[sets.root(i)];
        labels[i] = if label == UNKNOWN { 0 } else { label };
    }
    labels
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
