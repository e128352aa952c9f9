//! The minimum spanning tree of the points of one cluster, built as fast as the observed pairs allow.

use std::sync::OnceLock;

use crate::graph::grouped::Grouped;
use crate::graph::lengths::Lengths;
use crate::graph::link::{Link, LinkOrder};
use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::row_search::serves_rows;
use crate::graph::spanning::from_lists::listed_tree;
use crate::graph::spanning::minimum_tree::{completed_tree, minimum_spanning_tree};
use crate::graph::spanning::of_clusters::spanning_tree;
use crate::graph::spanning::of_some::Known;
use crate::input::points::Points;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::context::Context;
use crate::plan::crossover;
use crate::run::observer::Silent;

/// The place of a point that is not in the cluster.
const NOWHERE: u32 = u32::MAX;
/// The links of the minimum spanning tree of all points inside each cluster.
#[derive(Debug)]
pub(crate) struct TreeParts<'a> {
    tree: &'a [Link],
    links: Grouped<u32>,
}

impl TreeParts<'_> {
    /// The minimum spanning tree of a cluster of this size: its links, if they connect it.
    pub(crate) fn of(&self, cluster: usize, size: usize) -> Option<Vec<Link>> {
        (self.links.of(cluster).len() + 1 == size).then(|| self.inside(cluster))
    }

    /// The links inside a cluster, which may be connected by them or not.
    pub(crate) fn inside(&self, cluster: usize) -> Vec<Link> {
        self.links.of(cluster).iter().map(|&number| self.tree[number as usize]).collect()
    }
}

/// Builds the trees of clusters.
#[derive(Debug)]
pub(crate) struct ClassTrees<'a> {
    context: &'a Context<'a>,
    lengths: Lengths<'a>,
    order: LinkOrder,
    /// Whether trees are built from the lists of neighbours and that of all points.
    by_known: bool,
    /// Boxes around points in few dimensions, once a tree needed them.
    boxes: OnceLock<Option<KdTree<'a>>>,
}

impl<'a> ClassTrees<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        let observed = context.observed;
        let lengths =
            if observed.sparse().is_some() { Lengths::given(observed) } else { Lengths::complete(observed) };
        let order = match observed.quantity() {
            Quantity::Distances => LinkOrder::BY_LENGTH,
            Quantity::Similarities => LinkOrder::BY_SIMILARITY,
        };
        let is_known = context.neighbours.is_exact() && lengths.is_complete() && !lengths.any_missing();
        let by_known = is_known && order == LinkOrder::BY_LENGTH;
        Self { context, lengths, order, by_known, boxes: OnceLock::new() }
    }

    /// Returns the minimum spanning tree of `members` (rising numbers): of equally short links the one with the lowest
    /// numbers, so that it is unique. Components are joined by links that are missing (NaN, dense input) or forbidden
    /// (infinite, sparse input).
    ///
    /// A cluster that is connected in the minimum spanning tree of all points has its links: $O(N)$. Otherwise its parts are
    /// joined by listed neighbours ([`Known::tree_of`]); where lists are not exact or pairs are missing all pairs are looked at.
    pub(crate) fn of(&self, members: &[usize]) -> Vec<Link> {
        let mut places = vec![NOWHERE; self.context.n_points()];
        members.iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
        let place = |i: usize| Some(places[i]).filter(|&at| at != NOWHERE).map(|at| at as usize);
        let is_inside = |link: &Link| places[link.from] != NOWHERE && places[link.to] != NOWHERE;
        let observed = self.context.tree.iter().filter(|link| link.length.is_finite());
        self.grown(members, observed.filter(|link| is_inside(link)).copied().collect(), place)
    }

    /// As [`ClassTrees::of`], given the links of the minimum spanning tree of all points inside the cluster, and the place of a
    /// point among its members.
    pub(crate) fn grown(
        &self,
        members: &[usize],
        inside: Vec<Link>,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Link> {
        let Context { observed, ref neighbours, by_lists, .. } = *self.context;
        if inside.len() + 1 == members.len() {
            return inside;
        }
        if self.by_known {
            return Known { observed, neighbours, boxes: self.boxes() }.tree_of(members, inside, place);
        }
        if by_lists {
            return listed_tree(observed, neighbours, members);
        }
        self.searched(members).unwrap_or_else(|| spanning_tree(&self.lengths, members, &self.order))
    }

    /// As [`ClassTrees::of`], given the links of the minimum spanning tree of all points inside the cluster, for a large part of very
    /// many points: boxes are put around its members alone.
    pub(crate) fn completed(&self, members: &[usize], inside: Vec<Link>) -> Vec<Link> {
        let place = |i: usize| members.binary_search(&i).ok();
        let completed = || {
            let ends = |link: &Link| Some([place(link.from)?, place(link.to)?]);
            let known: Vec<[usize; 2]> = inside.iter().filter_map(ends).collect();
            self.of_points(members, |own| completed_tree(own, &known))
        };
        let of_points = if self.context.by_lists { None } else { completed() };
        of_points.unwrap_or_else(|| self.grown(members, inside, place))
    }

    /// Boxes around the points, for searches from one of them; where they are of use.
    fn boxes(&self) -> Option<&KdTree<'a>> {
        let built = || {
            let points = self.context.observed.points().filter(|points| serves_rows(points.metric()))?;
            KdTree::new(points).filter(|tree| crossover::kd_tree_pays(tree.n_points()))
        };
        self.boxes.get_or_init(built).as_ref()
    }

    /// Returns the links of the minimum spanning tree of all points inside each of some clusters of `labels`. One pass over the links
    /// serves all clusters.
    pub(crate) fn parts_of_global_tree(&self, labels: &[usize], is_wanted: &[bool]) -> TreeParts<'_> {
        let inside = |(number, link): (usize, &Link)| {
            let cluster = labels[link.from];
            let inside = cluster == labels[link.to] && link.length.is_finite() && is_wanted[cluster];
            inside.then_some((cluster, number as u32))
        };
        let links = self.context.tree.iter().enumerate().filter_map(inside);
        TreeParts { tree: &self.context.tree, links: Grouped::new(is_wanted.len(), links) }
    }

    /// The tree by a search among the points, where coordinates are known and there are enough points.
    fn searched(&self, members: &[usize]) -> Option<Vec<Link>> {
        let observed = self.context.observed;
        let enough = crossover::kd_tree_pays_for_cluster(members.len());
        if let Some(points) = observed.sparse_points().filter(|_| enough) {
            let own = Dissimilarity::from_measured_sparse(points.members(members));
            let global = |link: Link| Link { from: members[link.from], to: members[link.to], ..link };
            return Some(minimum_spanning_tree(&own, &Silent).into_iter().map(global).collect());
        }
        if enough { self.of_points(members, |own| minimum_spanning_tree(own, &Silent)) } else { None }
    }

    /// The tree that `find` finds for the points of a cluster, with the numbers of all; `None` without coordinates.
    fn of_points(
        &self,
        members: &[usize],
        find: impl FnOnce(&Dissimilarity<'_>) -> Vec<Link>,
    ) -> Option<Vec<Link>> {
        let measured = self.context.observed.points()?;
        let points = measured.points();
        let rows: Vec<f64> = members.iter().flat_map(|&i| points.row(i)).copied().collect();
        let own = Points::new(rows, members.len(), points.n_dimensions()).ok()?;
        let own = Dissimilarity::from_points(own, measured.metric()).ok()?;
        let global = |link: Link| {
            let (from, to) = (members[link.from], members[link.to]);
            Link { from, to, length: measured.distance(from, to) }
        };
        Some(find(&own).into_iter().map(global).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use rand::RngExt;

    fn ends(mut tree: Vec<Link>) -> Vec<(usize, usize)> {
        tree.sort_by_key(|link| (link.from.min(link.to), link.from.max(link.to)));
        tree.iter().map(|link| (link.from.min(link.to), link.from.max(link.to))).collect()
    }

    #[test]
    fn every_way_to_the_tree_of_a_class_finds_the_same_one() {
        let mut random = crate::run::random::stream(71, 0);
        for (case, metric) in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev].iter().enumerate() {
            // A lattice has ties and duplicates.
            let lattice = |x: f64| if case == 1 { (25.0 * x).floor() } else { x };
            let values: Vec<f64> = (0..1600).map(|_| lattice(random.random())).collect();
            let points = Points::new(values, 800, 2).unwrap();
            let observed = Dissimilarity::from_points(points, *metric).unwrap();
            let context = Context::new(&observed, &Silent);
            let trees = ClassTrees::new(&context);
            for size in [1, 2, 50, 500, 800] {
                let members: Vec<usize> = (0..800).filter(|i| i * 7 % 800 < size).collect();
                let plain = spanning_tree(&trees.lengths, &members, &LinkOrder::BY_LENGTH);
                assert_eq!(ends(trees.of(&members)), ends(plain), "{metric:?} {size}");
            }
            let half: Vec<usize> = {
                let labels = crate::graph::spanning::of_clusters::cut_dearest(
                    &context.tree,
                    800,
                    2,
                    &LinkOrder::BY_LENGTH,
                )
                .unwrap();
                (0..800).filter(|&i| labels.as_slice()[i] == 0).collect()
            };
            let labels: Vec<usize> = (0..800).map(|i| usize::from(half.contains(&i))).collect();
            let own = trees.of(&half);
            assert_eq!(own.len() + 1, half.len());
            for wanted in [true, false] {
                let parts = trees.parts_of_global_tree(&labels, &[wanted, true]);
                assert_eq!(parts.inside(1), own);
                assert_eq!(parts.of(0, 800 - half.len()).is_some(), wanted || half.len() == 799);
            }
            let plain = spanning_tree(&trees.lengths, &half, &LinkOrder::BY_LENGTH);
            assert_eq!(ends(trees.of(&half)), ends(plain));
        }
    }

    #[test]
    fn trees_of_classes_are_completed_from_what_is_known_of_them() {
        let mut random = crate::run::random::stream(72, 0);
        for (case, metric) in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev].iter().enumerate() {
            // Ties and duplicates; huge and tiny units.
            let unit = [1.0, 1e-150, 1e150][case];
            let values: Vec<f64> =
                (0..1200).map(|_| unit * (12.0 * random.random::<f64>()).floor()).collect();
            let observed = Dissimilarity::from_points(Points::new(values, 600, 2).unwrap(), *metric).unwrap();
            let context = Context::new(&observed, &Silent);
            let trees = ClassTrees::new(&context);
            for n_classes in [1, 2, 3, 40, 300] {
                let labels: Vec<usize> = (0..600).map(|i| i * i / 5 % 997 % n_classes).collect();
                let inside = trees.parts_of_global_tree(&labels, &vec![true; n_classes]);
                for class in 0..n_classes {
                    let members: Vec<usize> = (0..600).filter(|&i| labels[i] == class).collect();
                    if !members.is_empty() {
                        let plain = spanning_tree(&trees.lengths, &members, &LinkOrder::BY_LENGTH);
                        let completed = trees.completed(&members, inside.inside(class));
                        assert_eq!(ends(completed), ends(plain), "{metric:?} {n_classes}");
                    }
                }
            }
        }
    }
}
