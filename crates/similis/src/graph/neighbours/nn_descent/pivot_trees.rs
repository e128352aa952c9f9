//! Random trees that leave near points together.

use std::ops::Range;

use rand::RngExt;

use crate::graph::neighbours::nn_descent::{Far, Group, Groups};
use crate::run::random::Random;

/// A split is accepted only if the smaller side holds at least one in this many points. Not tuned.
const LEAST_PART: usize = 16;

/// The leaves of a tree: groups of points that are near one another.
#[derive(Debug)]
pub(crate) struct Leaves {
    /// The points, leaf after leaf.
    pub(crate) order: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups for Leaves {
    fn n_groups(&self) -> usize {
        self.ends.len()
    }

    fn group(&self, at: usize) -> Group<'_> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Group { new: &self.order[start..self.ends[at]], old: &[] }
    }
}

/// Returns the leaves, of at most `leaf` points, of a tree that parts points again and again by which of two random ones
/// among them is nearer. In Euclidean space that is a random hyperplane; it serves every metric.
pub(crate) fn pivot_tree(n: usize, leaf: usize, mut random: Random, far: &impl Far) -> Leaves {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut ends = Vec::with_capacity(2 * n / leaf + 1);
    let whole: Range<usize> = 0..n;
    let mut waiting = vec![whole];
    while let Some(part) = waiting.pop() {
        if part.len() <= leaf {
            ends.push(part.end);
            continue;
        }
        let middle = part.start + divide(&mut order[part.clone()], &mut random, far);
        // The first half is taken first, so that ends rise.
        waiting.extend([middle..part.end, part.start..middle]);
    }
    Leaves { order, ends }
}

/// Puts the points nearer to the first of two random points first; returns how many they are. Points that cannot be parted
/// (most are alike) are cut in half.
fn divide(points: &mut [u32], random: &mut Random, far: &impl Far) -> usize {
    let n = points.len();
    let [one, other] = [(); 2].map(|()| points[random.random_range(0..n)] as usize);
    let [to_one, to_other] = [one, other].map(|pivot| {
        let mut distances = Vec::with_capacity(n);
        far(pivot, points, &mut distances);
        distances
    });
    let (mut first, mut second) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (&point, (to_one, to_other)) in points.iter().zip(to_one.iter().zip(&to_other)) {
        if to_one < to_other { first.push(point) } else { second.push(point) }
    }
    let n_first = first.len();
    first.extend(second);
    points.copy_from_slice(&first);
    if n_first.min(n - n_first) * LEAST_PART < n { n / 2 } else { n_first }
}
