//! A tree of boxes that finds the nearest neighbours of points in few dimensions.

use crate::distance::{MeasuredPoints, Metric};

/// Points in a leaf.
const LEAF: usize = 16;

/// Above this many dimensions boxes rule nothing out.
const MOST_DIMENSIONS: usize = 15;

/// A bound computed in floating point may exceed the distance it bounds by rounding: neighbours that are as near must not
/// be missed.
const ROUNDING: f64 = 1.0 - 1e-12;

/// A box of points: a leaf, or two smaller boxes.
#[derive(Clone, Debug)]
struct Node {
    low: Vec<f64>,
    high: Vec<f64>,
    /// The points are `order[start..end]`.
    start: usize,
    end: usize,
    /// The numbers of the two halves; none for a leaf.
    halves: Option<[usize; 2]>,
}

/// The boxes, halved at the median of their widest side.
#[derive(Clone, Debug)]
pub(super) struct KdTree<'a> {
    points: &'a MeasuredPoints<'a>,
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// A neighbour: distance and number, in the order in which neighbours are taken.
pub(super) type Found = (f64, u32);

impl<'a> KdTree<'a> {
    /// Returns the tree of these points, if boxes are of use for their metric and dimension.
    pub(super) fn new(points: &'a MeasuredPoints<'a>) -> Option<Self> {
        let by_coordinates =
            !matches!(points.metric(), Metric::Hamming | Metric::Jaccard | Metric::Haversine);
        if !by_coordinates || points.points().n_dimensions() > MOST_DIMENSIONS {
            return None;
        }
        let order = (0..points.n_points() as u32).collect();
        let mut tree = Self { points, order, nodes: Vec::new() };
        tree.build(0, points.n_points());
        Some(tree)
    }

    /// Makes the box of `order[start..end]`; returns its number.
    fn build(&mut self, start: usize, end: usize) -> usize {
        let (low, high) = self.bounds(start, end);
        let widest = (0..low.len())
            .fold(0, |best, k| if high[k] - low[k] > high[best] - low[best] { k } else { best });
        let flat = high[widest] <= low[widest];
        let number = self.nodes.len();
        self.nodes.push(Node { low, high, start, end, halves: None });
        // Points that all coincide cannot be parted.
        if end - start > LEAF && !flat {
            let middle = usize::midpoint(start, end);
            let points = self.points.points();
            let coordinate = |&i: &u32| points.row(i as usize)[widest];
            self.order[start..end].select_nth_unstable_by(middle - start, |a, b| {
                coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b))
            });
            let halves = [self.build(start, middle), self.build(middle, end)];
            self.nodes[number].halves = Some(halves);
        }
        number
    }

    fn bounds(&self, start: usize, end: usize) -> (Vec<f64>, Vec<f64>) {
        let points = self.points.points();
        let mut low = points.row(self.order[start] as usize).to_vec();
        let mut high = low.clone();
        for &i in &self.order[start + 1..end] {
            for (k, &x) in points.row(i as usize).iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        (low, high)
    }

    /// Returns the `count` nearest neighbours of point `i`, nearest first, of equally near ones the lower number first.
    pub(super) fn nearest(&self, i: usize, count: usize) -> Vec<Found> {
        let mut found = Vec::with_capacity(count + 1);
        if count > 0 {
            self.visit(0, i, count, &mut found);
        }
        found
    }

    fn visit(&self, number: usize, i: usize, count: usize, found: &mut Vec<Found>) {
        let node = &self.nodes[number];
        let Some([first, second]) = node.halves else {
            for &j in self.order[node.start..node.end].iter().filter(|&&j| j as usize != i) {
                insert((self.points.distance(i, j as usize), j), count, found);
            }
            return;
        };
        let bounds =
            [first, second].map(|half| self.points.bound(i, &self.nodes[half].low, &self.nodes[half].high));
        let nearer = usize::from(bounds[1] < bounds[0]);
        for half in [nearer, 1 - nearer] {
            let farthest = if found.len() < count { f64::INFINITY } else { found[count - 1].0 };
            if bounds[half] * ROUNDING <= farthest {
                self.visit([first, second][half], i, count, found);
            }
        }
    }
}

/// Keeps the first `count` neighbours, in order.
fn insert(candidate: Found, count: usize, found: &mut Vec<Found>) {
    if found.len() == count && candidate >= found[count - 1] {
        return;
    }
    let at = found.partition_point(|other| *other < candidate);
    found.insert(at, candidate);
    found.truncate(count);
}
