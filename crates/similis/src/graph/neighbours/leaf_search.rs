//! Walks over a kd-tree on behalf of all points of one leaf at once.

use crate::graph::neighbours::kd_tree::{KdTree, LEAF};
use crate::graph::neighbours::reduced::{Lanes, bounds_to_box, to_block};
use crate::run::parallel::vectorised;

/// What the points of a leaf still look for.
pub(crate) trait Seeker {
    /// The greatest reduced distance that is of use to the point in each lane; negative where it looks for nothing.
    fn reach(&self) -> &Lanes;

    /// The greatest reduced distance of a point that a lane wants to be offered: it may be beyond its reach.
    fn limit(&self, lane: usize) -> f64;

    /// Whether a node holds nothing that any lane looks for.
    fn closed(&self, node: usize) -> bool;

    /// Whether a node holds nothing that a lane looks for, if its points are at a distance of `bound` or more.
    fn closed_to(&self, lane: usize, bound: f64, node: usize) -> bool;

    /// Takes notice that a lane does not look at some points, all of them at a distance of `bound` or more.
    fn skip(&mut self, lane: usize, bound: f64);

    /// As [`Seeker::skip`], for all lanes.
    fn skip_all(&mut self, bound: f64);

    /// Offers the point at `position` at a reduced distance within the limit.
    fn offer(&mut self, lane: usize, position: usize, key: f64);
}

/// A box that waits to be looked at.
struct Waiting {
    node: usize,
    bound: f64,
}

/// Walks the tree, near boxes first, and offers to `seeker` every point that is within reach of a point of the leaf at
/// `leaf_node`.
pub(crate) fn walk(tree: &KdTree<'_>, leaf_node: usize, seeker: &mut impl Seeker) {
    let leaf = tree.nodes[leaf_node].first_leaf as usize;
    let corners = tree.corners(leaf_node);
    let mut waiting: Vec<Waiting> = Vec::with_capacity(64);
    look_at(tree, leaf, leaf_node, seeker);
    waiting.push(Waiting { node: 0, bound: 0.0 });
    while let Some(Waiting { node, bound }) = waiting.pop() {
        if node == leaf_node || ruled_out(seeker, bound, node) {
            continue;
        }
        if tree.nodes[node].is_leaf() {
            look_at(tree, leaf, node, seeker);
            continue;
        }
        let [first, second] = tree.halves(node);
        let first = Waiting { node: first, bound: tree.box_bound(corners, first) };
        let second = Waiting { node: second, bound: tree.box_bound(corners, second) };
        // What is pushed last is looked at first.
        let nearness = |half: &Waiting| (half.bound, tree.nodes[half.node].least);
        if nearness(&first) < nearness(&second) {
            waiting.push(second);
            waiting.push(first);
        } else {
            waiting.push(first);
            waiting.push(second);
        }
    }
}

/// Whether any lane reaches as far as `bound`; without a branch for each lane.
#[inline(always)]
fn any_within(reach: &Lanes, bound: f64) -> bool {
    let mut any = false;
    for &reach in reach {
        any |= bound <= reach;
    }
    any
}

/// Whether no lane can find anything in a box.
fn ruled_out(seeker: &mut impl Seeker, bound: f64, node: usize) -> bool {
    if seeker.closed(node) {
        return true;
    }
    if !any_within(seeker.reach(), bound) {
        seeker.skip_all(bound);
        return true;
    }
    let none = (0..LEAF).all(|lane| bound > seeker.reach()[lane] || seeker.closed_to(lane, bound, node));
    if none {
        for lane in 0..LEAF {
            if bound > seeker.reach()[lane] {
                seeker.skip(lane, bound);
            }
        }
    }
    none
}

/// Offers the points of the leaf at `node` to the lanes of `leaf` that they are within reach of.
fn look_at(tree: &KdTree<'_>, leaf: usize, node: usize, seeker: &mut impl Seeker) {
    let other = tree.nodes[node].first_leaf as usize;
    let positions = tree.positions(other);
    let (from, block) = (tree.block(leaf), tree.block(other));
    let (n_lanes, corners) = (tree.positions(leaf).len(), tree.corners(node));
    vectorised(
        #[inline(always)]
        || {
            let bounds = bounds_to_box(tree.reduced, from, corners);
            for lane in 0..n_lanes {
                if bounds[lane] > seeker.reach()[lane] {
                    seeker.skip(lane, bounds[lane]);
                } else if !seeker.closed_to(lane, bounds[lane], node) {
                    let keys = to_block(tree.reduced, from, lane, block);
                    let limit = seeker.limit(lane);
                    let mut any = false;
                    for key in keys {
                        any |= key <= limit;
                    }
                    if any {
                        offer_all(seeker, lane, positions.clone(), &keys);
                    }
                }
            }
        },
    );
}

/// Offers the points of a leaf that are within a lane's limit.
#[inline(always)]
fn offer_all(seeker: &mut impl Seeker, lane: usize, positions: std::ops::Range<usize>, keys: &Lanes) {
    for at in 0..positions.len() {
        if keys[at] <= seeker.limit(lane) {
            seeker.offer(lane, positions.start + at, keys[at]);
        }
    }
}
