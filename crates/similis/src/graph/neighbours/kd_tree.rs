//! A tree of boxes around points in few dimensions.

use crate::graph::canonical::rows::compare;
use crate::graph::neighbours::reduced::{Lanes, Reduced, box_to_box};
use crate::input::metric::{MeasuredPoints, Metric};
use crate::plan::crossover;
use crate::run::parallel;

/// Number of points in a leaf; the last leaf may hold fewer. Not tuned.
pub(crate) const LEAF: usize = 16;

/// Largest exponent of a Minkowski distance for which bounding boxes are used. Not tuned.
const MOST_POWER: f64 = 8.0;

/// Number of leaves of a branch that one thread builds alone. Not tuned.
const BRANCH: usize = 256;

/// A box of points: one leaf, or two smaller boxes of which the first follows it in the list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) first_leaf: u32,
    pub(crate) n_leaves: u32,
    /// The least number of a point inside: decides whether a box that is only as near can matter.
    pub(crate) least: u32,
}

impl Node {
    /// Leaves of the first half.
    fn half(self) -> usize {
        (self.n_leaves as usize).div_ceil(2)
    }

    pub(crate) fn is_leaf(self) -> bool {
        self.n_leaves == 1
    }
}

/// Boxes halved at the median of their widest side, and the points in the order of the leaves.
///
/// A *position* is a place in that order; a *number* is the caller's.
#[derive(Clone, Debug)]
pub(crate) struct KdTree<'a> {
    pub(crate) points: &'a MeasuredPoints<'a>,
    pub(crate) reduced: Reduced,
    /// The number of the point at each position.
    pub(crate) order: Vec<u32>,
    /// For each leaf the coordinates, dimension after dimension; infinite where a leaf is not full.
    blocks: Vec<Lanes>,
    pub(crate) nodes: Vec<Node>,
    /// For each node the low corner of its box, then the high one.
    boxes: Vec<f64>,
    n_dimensions: usize,
}

/// The points in an order in which near ones have near numbers, if boxes are of use for their metric and dimension: that of
/// the leaves, and of the coordinates in a leaf. It does not depend on the order in which the points are given.
pub(crate) fn near_order(points: &MeasuredPoints<'_>) -> Option<Vec<usize>> {
    let tree = KdTree::new(points)?;
    let mut order: Vec<usize> = tree.order.iter().map(|&i| i as usize).collect();
    let row = |i: usize| points.points().row(i);
    order.chunks_mut(LEAF).for_each(|leaf| leaf.sort_by(|&a, &b| compare(row(a), row(b)).then(a.cmp(&b))));
    Some(order)
}

/// A part of the tree being built.
struct Branch<'a> {
    rows: &'a [f64],
    n_dimensions: usize,
    first_leaf: usize,
    /// Whether the order stays as it is.
    in_order: bool,
    order: &'a mut [u32],
    nodes: &'a mut [Node],
    boxes: &'a mut [f64],
}

impl<'a> KdTree<'a> {
    /// Returns the tree of these points, if boxes are of use for their metric and dimension.
    pub(crate) fn new(points: &'a MeasuredPoints<'a>) -> Option<Self> {
        Self::build(points, false)
    }

    /// As [`KdTree::new`], of points of which near ones have near numbers: leaves hold consecutive points. It is built faster,
    /// and searched a little more slowly.
    pub(crate) fn in_order(points: &'a MeasuredPoints<'a>) -> Option<Self> {
        Self::build(points, true)
    }

    fn build(points: &'a MeasuredPoints<'a>, in_order: bool) -> Option<Self> {
        let reduced = Reduced::of(points.metric()).filter(|_| Self::serves(points))?;
        let given = points.points().as_slice();
        let (prepared, n_dimensions) = match points.metric() {
            Metric::Haversine => (Some(on_sphere(given)), 3),
            Metric::Minkowski { .. } => (Some(within_one(given)), points.points().n_dimensions()),
            _ => (None, points.points().n_dimensions()),
        };
        let rows = prepared.as_deref().unwrap_or(given);
        let n_leaves = points.n_points().div_ceil(LEAF);
        let mut order: Vec<u32> = (0..points.n_points() as u32).collect();
        let mut nodes = vec![Node::default(); 2 * n_leaves - 1];
        let mut boxes = vec![0.0; nodes.len() * 2 * n_dimensions];
        let first_leaf = 0;
        let branch = Branch {
            rows,
            n_dimensions,
            first_leaf,
            in_order,
            order: &mut order,
            nodes: &mut nodes,
            boxes: &mut boxes,
        };
        branch.build();
        let blocks = blocks(rows, &order, n_dimensions);
        Some(Self { points, reduced, order, blocks, nodes, boxes, n_dimensions })
    }

    /// Whether boxes are of use for the metric and the dimension of these points.
    pub(crate) fn serves(points: &MeasuredPoints<'_>) -> bool {
        let few = match points.metric() {
            Metric::Haversine => true,
            // Powers of larger exponents leave the range of numbers.
            Metric::Minkowski { p } if p > MOST_POWER => false,
            _ => crossover::few_dimensions(points.points().n_dimensions()),
        };
        few && Reduced::of(points.metric()).is_some()
    }

    pub(crate) fn n_points(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn n_dimensions(&self) -> usize {
        self.n_dimensions
    }

    /// The positions of a leaf.
    pub(crate) fn positions(&self, leaf: usize) -> std::ops::Range<usize> {
        leaf * LEAF..((leaf + 1) * LEAF).min(self.n_points())
    }

    /// The coordinates of a leaf's points, dimension after dimension.
    pub(crate) fn block(&self, leaf: usize) -> &[Lanes] {
        &self.blocks[leaf * self.n_dimensions..(leaf + 1) * self.n_dimensions]
    }

    /// The low and the high corner of a node's box.
    pub(crate) fn corners(&self, node: usize) -> (&[f64], &[f64]) {
        let d = self.n_dimensions;
        self.boxes[2 * node * d..2 * (node + 1) * d].split_at(d)
    }

    /// The two halves of a node that is no leaf.
    pub(crate) fn halves(&self, node: usize) -> [usize; 2] {
        [node + 1, node + 2 * self.nodes[node].half()]
    }

    /// What no reduced distance between points of a leaf's box and of a node's is below.
    pub(crate) fn box_bound(&self, leaf_box: (&[f64], &[f64]), node: usize) -> f64 {
        box_to_box(self.reduced, leaf_box, self.corners(node))
    }

    /// The node of each leaf.
    pub(crate) fn leaf_nodes(&self) -> Vec<u32> {
        (0..self.nodes.len() as u32).filter(|&node| self.nodes[node as usize].is_leaf()).collect()
    }

    /// Whether nothing at the same reduced distance from `p` as `q` is nearer.
    pub(crate) fn equals_are_ties(&self, p: usize, q: usize) -> bool {
        self.reduced.is_exact() || self.length(p, q) == 0.0
    }

    /// The distance between the points at two positions, as the metric computes it.
    pub(crate) fn length(&self, p: usize, q: usize) -> f64 {
        self.points.distance(self.order[p] as usize, self.order[q] as usize)
    }
}

impl Branch<'_> {
    fn build(self) {
        let d = self.n_dimensions;
        let n_leaves = self.nodes.len().div_ceil(2);
        let (own, rest) = self.boxes.split_at_mut(2 * d);
        let least = self.order.iter().copied().min().unwrap_or(0);
        self.nodes[0] = Node { first_leaf: self.first_leaf as u32, n_leaves: n_leaves as u32, least };
        let node = self.nodes[0];
        let half = node.half();
        // In order, boxes of halves make that of the whole; otherwise the whole is parted along the widest side of its box.
        if node.is_leaf() || !self.in_order {
            let widest = surround(self.rows, self.order, own);
            if node.is_leaf() {
                return;
            }
            part(self.rows, d, self.order, (half * LEAF, widest));
        }
        let (first_order, second_order) = self.order.split_at_mut(half * LEAF);
        let (first_nodes, second_nodes) = self.nodes[1..].split_at_mut(2 * half - 1);
        let (first_boxes, second_boxes) = rest.split_at_mut((2 * half - 1) * 2 * d);
        let first = Branch {
            order: first_order,
            nodes: first_nodes,
            boxes: first_boxes,
            rows: self.rows,
            n_dimensions: d,
            first_leaf: self.first_leaf,
            in_order: self.in_order,
        };
        let second = Branch {
            order: second_order,
            nodes: second_nodes,
            boxes: second_boxes,
            first_leaf: self.first_leaf + half,
            ..first
        };
        build_both(first, second, n_leaves > BRANCH);
        if self.in_order {
            let (first, second) = rest.split_at((2 * half - 1) * 2 * d);
            join_boxes(own, first, second);
        }
    }
}

fn build_both(first: Branch<'_>, second: Branch<'_>, at_once: bool) {
    if at_once {
        parallel::join(|| first.build(), || second.build());
    } else {
        first.build();
        second.build();
    }
}

/// Writes the corners of the box around two boxes, the first of each list.
fn join_boxes(own: &mut [f64], first: &[f64], second: &[f64]) {
    let d = own.len() / 2;
    for k in 0..d {
        own[k] = first[k].min(second[k]);
        own[d + k] = first[d + k].max(second[d + k]);
    }
}

/// Writes the corners of the box around some points; returns its widest side.
fn surround(rows: &[f64], order: &[u32], corners: &mut [f64]) -> usize {
    let d = corners.len() / 2;
    let (low, high) = corners.split_at_mut(d);
    low.fill(f64::INFINITY);
    high.fill(f64::NEG_INFINITY);
    for &i in order {
        for (k, &x) in rows[i as usize * d..][..d].iter().enumerate() {
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    (0..d).fold(0, |best, k| if high[k] - low[k] > high[best] - low[best] { k } else { best })
}

/// Puts the points that come first along a side before the others: `(how many, which side)`. Ties are broken by the other
/// coordinates, so that the halves do not depend on the order of the points.
fn part(rows: &[f64], d: usize, order: &mut [u32], (count, side): (usize, usize)) {
    let row = |i: u32| &rows[i as usize * d..][..d];
    let mut keyed: Vec<(f64, u32)> = order.iter().map(|&i| (row(i)[side] + 0.0, i)).collect();
    keyed.select_nth_unstable_by(count, |a, b| {
        a.0.total_cmp(&b.0).then_with(|| compare(row(a.1), row(b.1))).then(a.1.cmp(&b.1))
    });
    order.iter_mut().zip(&keyed).for_each(|(place, &(_, i))| *place = i);
}

/// The coordinates leaf after leaf.
fn blocks(rows: &[f64], order: &[u32], d: usize) -> Vec<Lanes> {
    let mut blocks = vec![[f64::INFINITY; LEAF]; order.len().div_ceil(LEAF) * d];
    parallel::for_each_piece(&mut blocks, d, |leaf, block| {
        for (lane, &i) in order[leaf * LEAF..].iter().take(LEAF).enumerate() {
            for (k, &x) in rows[i as usize * d..][..d].iter().enumerate() {
                block[k][lane] = x;
            }
        }
    });
    blocks
}

/// Coordinates divided by the greatest, so that powers of their differences do not overflow.
fn within_one(coordinates: &[f64]) -> Vec<f64> {
    let greatest = coordinates.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let divisor = if greatest > 0.0 { greatest } else { 1.0 };
    coordinates.iter().map(|x| x / divisor).collect()
}

/// Places on the globe as points of the unit sphere: the nearest by chord is the nearest by angle.
fn on_sphere(places: &[f64]) -> Vec<f64> {
    places.chunks_exact(2).flat_map(on_unit_sphere).collect()
}

/// A latitude and longitude as a point of the unit sphere.
pub(crate) fn on_unit_sphere(place: &[f64]) -> [f64; 3] {
    let (latitude, longitude) = (place[0], place[1]);
    let (cosine, sine) = (latitude.cos(), latitude.sin());
    [cosine * longitude.cos(), cosine * longitude.sin(), sine]
}
