//! Spanning trees from lists of near neighbours, where to look at all pairs would take too long.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::graph::neighbours::Neighbours;
use crate::graph::spanning::kruskal::{Ranked, minimum_forest, sort};
use crate::input::Dissimilarity;
use crate::run::parallel;

/// Number of points, spread evenly, among which components of the lists are joined. All their pairs are measured. Not tuned.
const N_JOINING: usize = 4_000;

/// Minimum number of these points in each component: with none it could not be joined.
const LEAST_JOINING: usize = 1;

/// Returns the minimum spanning tree of the listed pairs among `members` (rising numbers), shortest first. The components of the
/// lists are joined by the shortest links between some points of each, spread evenly.
///
/// Exact lists hold nearly every link of the tree of all pairs; a link that joins two components may be longer than the
/// shortest there is.
pub(crate) fn listed_tree(
    observed: &Dissimilarity<'_>,
    neighbours: &Neighbours,
    members: &[usize],
) -> Vec<Link> {
    let n = observed.n_points();
    let mut inside = vec![false; n];
    members.iter().for_each(|&i| inside[i] = true);
    let listed = |&from: &usize| {
        let link = move |(to, length): (usize, f64)| Ranked::new(length, from as u32, to as u32);
        neighbours.of(from).filter(|&(to, _)| inside[to]).map(link).collect::<Vec<_>>()
    };
    let mut tree = minimum_forest(n, members.iter().flat_map(listed).collect());
    if tree.len() + 1 < members.len() {
        let some = some_of_each_part(&tree, members.iter().copied(), n);
        let links = parallel::map(some.len(), |at| {
            let mut links = Vec::new();
            observed.for_each_among(some[at], &some[at + 1..], |to, length| {
                links.push(Ranked::new(length, some[at] as u32, to as u32));
            });
            links
        });
        join_parts(&mut tree, n, links.into_iter().flatten().collect());
    }
    let link =
        |link: Ranked| Link { from: link.ends.0 as usize, to: link.ends.1 as usize, length: link.length };
    tree.into_iter().map(link).collect()
}

/// Points of every component that links make of `members`, in rising order.
pub(crate) fn some_of_each_part(
    links: &[Ranked],
    members: impl Iterator<Item = usize> + Clone,
    n_points: usize,
) -> Vec<usize> {
    let mut sets = DisjointSets::new(n_points);
    for link in links {
        sets.join(link.ends.0 as usize, link.ends.1 as usize);
    }
    let mut sizes = vec![0u32; n_points];
    members.clone().for_each(|i| sizes[sets.root(i)] += 1);
    let n_parts = sizes.iter().filter(|&&size| size > 0).count();
    let n_wanted = (N_JOINING / n_parts.max(1)).max(LEAST_JOINING);
    let mut n_met = vec![0u32; n_points];
    let is_taken = |&i: &usize| {
        let root = sets.root(i);
        n_met[root] += 1;
        ((n_met[root] - 1) as usize).is_multiple_of((sizes[root] as usize).div_ceil(n_wanted))
    };
    members.filter(is_taken).collect()
}

/// Joins the parts that a forest leaves by the shortest of some links between them, which are returned; the forest stays in the order
/// of its links.
pub(crate) fn join_parts(forest: &mut Vec<Ranked>, n_points: usize, mut links: Vec<Ranked>) -> Vec<Ranked> {
    let mut sets = DisjointSets::new(n_points);
    let mut join = |link: &Ranked| sets.join(link.ends.0 as usize, link.ends.1 as usize);
    for link in &*forest {
        join(link);
    }
    sort(&mut links);
    links.retain(join);
    forest.extend_from_slice(&links);
    sort(forest);
    links
}

/// The order in which links are taken: length, then ends.
fn compare(a: &Link, b: &Link) -> std::cmp::Ordering {
    let ends = |link: &Link| (link.from.min(link.to), link.from.max(link.to));
    a.length.total_cmp(&b.length).then(ends(a).cmp(&ends(b)))
}

/// The minimum spanning forest of a list of links, shortest first, by Kruskal's method.
pub(crate) fn minimum_tree(n_points: usize, mut links: Vec<Link>) -> Vec<Link> {
    let mut sets = DisjointSets::new(n_points);
    parallel::sort_by(&mut links, compare);
    links.retain(|link| sets.join(link.from, link.to));
    // Few of many are left.
    links.shrink_to_fit();
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::disjoint_sets::components;
    use crate::graph::neighbours::nearest_neighbours;
    use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use rand::RngExt;

    #[test]
    fn full_lists_hold_the_tree_of_all_pairs_and_short_ones_one_not_much_longer() {
        let mut random = crate::run::random::stream(5, 0);
        // Three clouds far from each other: short lists leave them apart.
        let place = |at: usize| random.random::<f64>() + 9.0 * (at / 20 % 3) as f64;
        let points = Points::new((0..300 * 20).map(place).collect::<Vec<_>>(), 300, 20).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let exact = minimum_spanning_tree(&observed, &Silent);
        let all: Vec<usize> = (0..300).collect();
        let full = listed_tree(&observed, &nearest_neighbours(&observed, 299), &all);
        let ends =
            |tree: &[Link]| tree.iter().map(|l| (l.from.min(l.to), l.from.max(l.to))).collect::<Vec<_>>();
        assert_eq!(ends(&full), ends(&exact));
        let total = |tree: &[Link]| tree.iter().map(|link| link.length).sum::<f64>();
        let short = listed_tree(&observed, &nearest_neighbours(&observed, 8), &all);
        assert_eq!((short.len(), components(300, short.iter().copied()).n_clusters()), (299, 1));
        assert!(total(&short) < 1.01 * total(&exact));
        // The tree of some of the points has their links alone.
        let some: Vec<usize> = (0..300).filter(|i| i % 3 != 1).collect();
        let tree = listed_tree(&observed, &nearest_neighbours(&observed, 8), &some);
        assert_eq!(tree.len() + 1, some.len());
        assert!(tree.iter().all(|link| link.from % 3 != 1 && link.to % 3 != 1));
    }
}
