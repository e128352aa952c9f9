//! The nearest of some points to a row of coordinates that is not one of them.

use crate::graph::neighbours::kd_tree::{KdTree, on_unit_sphere};
use crate::graph::neighbours::reduced::{Reduced, box_to_box, from_row};
use crate::input::metric::{MeasuredPoints, Metric};
use crate::plan::crossover;

/// Room for the nodes that wait in a walk: as many as a tree of a thousand million points is deep, and a few more.
const DEPTH: usize = 32;

/// The nearest points found so far: at most `most`, nearest first, ties by the lower number.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    most: usize,
    found: Vec<(f64, usize)>,
}

impl Nearest {
    /// Room for the `most` nearest, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, found: Vec::with_capacity(most + 1) }
    }

    /// Adds a point at some distance, if it is among the nearest.
    #[inline]
    pub(crate) fn offer(&mut self, distance: f64, i: usize) {
        if self.found.len() == self.most && self.found.last().is_some_and(|last| *last <= (distance, i)) {
            return;
        }
        let at = self.found.partition_point(|other| *other < (distance, i));
        self.found.insert(at, (distance, i));
        self.found.truncate(self.most);
    }

    /// Distances and numbers.
    pub(crate) fn found(&self) -> &[(f64, usize)] {
        &self.found
    }

    /// The greatest distance that is still of use.
    pub(crate) fn reach(&self) -> f64 {
        if self.found.len() < self.most {
            f64::INFINITY
        } else {
            self.found.last().map_or(0.0, |last| last.0)
        }
    }
}

/// Looks for the nearest of some points, by a tree where there are many in few dimensions.
#[derive(Debug)]
pub(crate) struct RowSearch<'a> {
    points: &'a MeasuredPoints<'a>,
    tree: Option<KdTree<'a>>,
}

impl<'a> RowSearch<'a> {
    /// A tree is built only for `n_rows` rows that are worth it: what is found is the same.
    pub(crate) fn new(points: &'a MeasuredPoints<'a>, n_rows: usize) -> Self {
        let pays = crossover::kd_tree_pays_for(points.n_points(), n_rows) && serves_rows(points.metric());
        Self { points, tree: Some(points).filter(|_| pays).and_then(KdTree::new) }
    }

    /// Offers to `nearest` all points that are among the nearest to a prepared row, point `i` as `number(i)`, which must rise
    /// with i.
    pub(crate) fn offer(&self, row: &[f64], nearest: &mut Nearest, number: impl Fn(usize) -> usize) {
        match &self.tree {
            Some(tree) => offer_all(tree, row, nearest, number),
            None => (0..self.points.n_points())
                .for_each(|i| nearest.offer(self.points.distance_to(row, i), number(i))),
        }
    }
}

/// Whether rows can be looked for in a tree: powers of coordinates are of coordinates that were changed once more.
pub(crate) fn serves_rows(metric: Metric) -> bool {
    Reduced::of(metric).is_some_and(|reduced| !matches!(reduced, Reduced::Powers(_)))
}

/// As [`RowSearch::offer`], of the points of a tree.
pub(crate) fn offer_all(
    tree: &KdTree<'_>,
    row: &[f64],
    nearest: &mut Nearest,
    number: impl Fn(usize) -> usize,
) {
    let reach = nearest.reach();
    walk(
        tree,
        row,
        reach,
        |_| false,
        |distance, i| {
            nearest.offer(distance, number(i));
            nearest.reach()
        },
    );
}

/// Calls `visit(distance, i)` for the points within `reach` of a prepared row, and a few beyond; it returns the greatest distance
/// still of use. Nodes that are `closed` are left out.
pub(crate) fn walk(
    tree: &KdTree<'_>,
    row: &[f64],
    mut reach: f64,
    closed: impl Fn(usize) -> bool,
    mut visit: impl FnMut(f64, usize) -> f64,
) {
    let on_sphere = on_sphere_of(tree, row);
    let place = on_sphere.as_ref().map_or(row, |place| place.as_slice());
    let bound = |node: usize| box_to_box(tree.reduced, (place, place), tree.corners(node));
    let limit = |reach: f64| tree.reduced.above(key(tree.points, reach));
    let mut waiting = Vec::with_capacity(DEPTH);
    waiting.push((bound(0), 0));
    while let Some((least, node)) = waiting.pop() {
        if least > limit(reach) || closed(node) {
            continue;
        }
        if !tree.nodes[node].is_leaf() {
            let [first, second] = tree.halves(node).map(|half| (bound(half), half));
            // What is pushed last is looked at first.
            let (near, far) = if first.0 < second.0 { (first, second) } else { (second, first) };
            waiting.extend([far, near]);
            continue;
        }
        let leaf = tree.nodes[node].first_leaf as usize;
        let keys = from_row(tree.reduced, place, tree.block(leaf));
        for (position, key) in tree.positions(leaf).zip(keys) {
            if key <= limit(reach) {
                let i = tree.order[position] as usize;
                reach = visit(tree.points.distance_to(row, i), i);
            }
        }
    }
}

/// Whether a leaf may hold a point within a reduced distance of `limit` of a prepared row.
pub(crate) fn may_reach(tree: &KdTree<'_>, row: &[f64], limit: f64) -> bool {
    let on_sphere = on_sphere_of(tree, row);
    let place = on_sphere.as_ref().map_or(row, |place| place.as_slice());
    any_within(tree, (place, place), limit, |_| false)
}

/// Whether a leaf that is not `closed` may hold a point within a reduced distance of `limit` of a box.
pub(crate) fn any_within(
    tree: &KdTree<'_>,
    corners: (&[f64], &[f64]),
    limit: f64,
    closed: impl Fn(usize) -> bool,
) -> bool {
    let mut waiting = Vec::with_capacity(DEPTH);
    waiting.push(0);
    while let Some(node) = waiting.pop() {
        if closed(node) || tree.box_bound(corners, node) > limit {
            continue;
        }
        if tree.nodes[node].is_leaf() {
            return true;
        }
        waiting.extend(tree.halves(node));
    }
    false
}

/// The place on the unit sphere of a row, where the boxes of a tree are there.
fn on_sphere_of(tree: &KdTree<'_>, row: &[f64]) -> Option<[f64; 3]> {
    (tree.reduced == Reduced::Chords).then(|| on_unit_sphere(row))
}

/// The reduced distance at a distance, a little more where rounding could make it less.
pub(crate) fn key(points: &MeasuredPoints<'_>, distance: f64) -> f64 {
    if points.metric() == Metric::Haversine {
        let half = 0.5 * distance.min(std::f64::consts::PI);
        return (2.0 * half.sin()).powi(2) * (1.0 + 8.0 * f64::EPSILON);
    }
    let squared = points.squared(distance).map(|key| key * (1.0 + 8.0 * f64::EPSILON));
    squared.unwrap_or(distance / points.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use rand::RngExt;

    #[test]
    fn a_tree_finds_what_a_look_at_all_points_finds() {
        let mut random = crate::run::random::stream(5, 0);
        let metrics = [
            Metric::Euclidean,
            Metric::SquaredEuclidean,
            Metric::Manhattan,
            Metric::Chebyshev,
            Metric::Cosine,
            Metric::Haversine,
            Metric::Minkowski { p: 3.0 },
        ];
        for (case, metric) in metrics.into_iter().cycle().take(42).enumerate() {
            let d = if metric == Metric::Haversine { 2 } else { 1 + case % 5 };
            // Lattices have ties and duplicates; extreme units are rescaled.
            let unit = if metric == Metric::Haversine { 1.0 } else { [1.0, 1e-150, 1e120][case % 3] };
            let place =
                |x: f64| unit * if case % 2 == 0 { x + 0.01 } else { (4.0 * x).floor() * 0.25 + 0.25 };
            let values: Vec<f64> = (0..400 * d).map(|_| place(random.random())).collect();
            let points = MeasuredPoints::new(Points::new(values, 400, d).unwrap(), metric).unwrap();
            let others: Vec<f64> = (0..50 * d).map(|_| place(random.random::<f64>() * 1.2)).collect();
            let others = points.prepare(&Points::new(others, 50, d).unwrap()).unwrap();
            let (by_tree, by_scan) = (RowSearch::new(&points, 50), RowSearch::new(&points, 1));
            assert!(by_scan.tree.is_none());
            for i in 0..50 {
                let found = [&by_tree, &by_scan].map(|search| {
                    let mut nearest = Nearest::new(15);
                    search.offer(others.row(i), &mut nearest, |i| 2 * i);
                    nearest.found().to_vec()
                });
                assert_eq!(found[0], found[1], "{metric:?}, {d} dimensions");
                assert_eq!(found[0].len(), 15);
            }
        }
    }
}
