//! The nearest of some points to a row of coordinates that is not one of them.

use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::neighbours::reduced::{Reduced, box_to_box, from_row};
use crate::input::metric::MeasuredPoints;
use crate::plan::crossover;

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
    fn reach(&self) -> f64 {
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
        // Other reduced distances are of coordinates that were changed once more.
        let plain = |reduced| matches!(reduced, Reduced::Squares | Reduced::Absolutes | Reduced::Greatest);
        let pays = crossover::kd_tree_pays_for(points.n_points(), n_rows)
            && Reduced::of(points.metric()).is_some_and(plain);
        Self { points, tree: Some(points).filter(|_| pays).and_then(KdTree::new) }
    }

    /// Offers to `nearest` all points that are among the nearest to a prepared row, point `i` as `number(i)`, which must rise
    /// with i.
    pub(crate) fn offer(&self, row: &[f64], nearest: &mut Nearest, number: impl Fn(usize) -> usize) {
        match &self.tree {
            Some(tree) => self.walk(tree, row, |distance, i| {
                nearest.offer(distance, number(i));
                nearest.reach()
            }),
            None => (0..self.points.n_points())
                .for_each(|i| nearest.offer(self.points.distance_to(row, i), number(i))),
        }
    }

    /// Calls `visit(distance, i)` for points that may be near, which returns the greatest distance still of use.
    fn walk(&self, tree: &KdTree<'a>, row: &[f64], mut visit: impl FnMut(f64, usize) -> f64) {
        let bound = |node: usize| box_to_box(tree.reduced, (row, row), tree.corners(node));
        let mut reach = f64::INFINITY;
        let mut waiting = vec![(bound(0), 0)];
        while let Some((least, node)) = waiting.pop() {
            if least > tree.reduced.above(self.key(reach)) {
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
            let keys = from_row(tree.reduced, row, tree.block(leaf));
            for (position, key) in tree.positions(leaf).zip(keys) {
                if key <= tree.reduced.above(self.key(reach)) {
                    let i = tree.order[position] as usize;
                    reach = visit(self.points.distance_to(row, i), i);
                }
            }
        }
    }

    /// The reduced distance at a distance, a little more where rounding could make it less.
    fn key(&self, distance: f64) -> f64 {
        let squared = self.points.squared(distance).map(|key| key * (1.0 + 8.0 * f64::EPSILON));
        squared.unwrap_or(distance / self.points.unit())
    }
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
