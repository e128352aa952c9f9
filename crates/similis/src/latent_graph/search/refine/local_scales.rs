//! The scale at each point: that of its cluster, drawn towards the links near it.

use crate::graph::forest::Forest;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::varying::{lowered, raised};

/// Number of links along the cluster tree within which a link counts as near. Not tuned.
const HOPS: usize = 4;

/// Maximum number of near links of a point: one of many coinciding points may have as many as there are points. Not tuned.
const MOST_LINKS: usize = 64;

/// Maximum number of links of one point that are looked at: all leaves of a hub would look at all of its links. Not tuned.
const MOST_OF_ONE: usize = 4 * MOST_LINKS;

/// Weight of the cluster's own scale, in number of links. Not tuned.
const CLASS_WEIGHT: f64 = 10.0;

/// Writes the scale at each point.
///
/// $$ s_i^m = \frac{10 s_c^m + \sum_{e \text{ near } i} L_e^m}{10 + \#\{e \text{ near } i\}} $$
///
/// over the links within four steps of `i` along the tree of its cluster; $s_c$ is the scale of the cluster, to which one link
/// of the mean length of the minimum spanning tree is added, so that it exists for a single point.
pub(crate) fn local_scales(forest: &Forest<'_>, problem: &Problem<'_>, scales: &mut [f64]) {
    let (context, shape) = (problem.context, problem.shape);
    // In units of the mean link: powers in other units may overflow.
    let power = |length: f64| raised(length.max(context.floor()) / context.mean_link, shape);
    let near = Near::new(forest, scales.len(), power);
    let mut reached = Vec::new();
    for cluster in 0..forest.n_classes() {
        let mut class = (1.0, 1usize);
        for link in forest.tree(cluster).filter(|link| link.length.is_finite()) {
            class = (class.0 + power(link.length), class.1 + 1);
        }
        let of_class = class.0 / class.1 as f64;
        for &i in forest.members(cluster) {
            let (sum, count) = near.sum(i, &mut reached);
            let mean = (CLASS_WEIGHT * of_class + sum) / (CLASS_WEIGHT + count as f64);
            scales[i] = context.mean_link * lowered(mean, shape);
        }
    }
}

/// The links of every point, as they are walked along: those of point i are `offsets[i]..offsets[i + 1]`.
struct Near {
    offsets: Vec<usize>,
    /// The other end of each link, and the power of its length; NaN where it was not observed.
    links: Vec<(usize, f64)>,
}

/// A point that a walk has reached, the point it was reached from, and the number of steps.
type Reached = (usize, usize, usize);

impl Near {
    fn new(forest: &Forest<'_>, n_points: usize, power: impl Fn(f64) -> f64) -> Self {
        let mut near = Self { offsets: vec![0], links: Vec::with_capacity(2 * n_points) };
        for i in 0..n_points {
            for link in forest.links(i).take(MOST_OF_ONE) {
                // Unobserved pairs connect nothing that is near, and one point may have thousands of them.
                if link.length != f64::INFINITY {
                    let other = if link.from == i { link.to } else { link.from };
                    let power = if link.length.is_finite() { power(link.length) } else { f64::NAN };
                    near.links.push((other, power));
                }
            }
            near.offsets.push(near.links.len());
        }
        near
    }

    /// The sum over the links within reach of `i`, and their number; `reached` is room for the walk.
    fn sum(&self, i: usize, reached: &mut Vec<Reached>) -> (f64, usize) {
        let (mut sum, mut count) = (0.0, 0);
        reached.clear();
        reached.push((i, usize::MAX, 0));
        let mut next = 0;
        while let Some(&(point, from, steps)) = reached.get(next) {
            next += 1;
            if steps == HOPS || count >= MOST_LINKS {
                break;
            }
            for &(other, power) in &self.links[self.offsets[point]..self.offsets[point + 1]] {
                if other != from {
                    reached.push((other, point, steps + 1));
                    if !power.is_nan() {
                        sum += power;
                        count += 1;
                    }
                }
            }
        }
        (sum, count)
    }
}
