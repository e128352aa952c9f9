//! The scale at each point: that of its class, drawn towards the links near it.

use crate::graph::forest::Forest;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::varying::{lowered, raised};

/// So many links away a link still counts as near.
const HOPS: usize = 4;

/// So many links are enough: around one of many equal points there may be as many as points.
const MOST_LINKS: usize = 64;

/// How many links the scale of the whole class counts for.
const CLASS_WEIGHT: f64 = 10.0;

/// Writes the scale at each point.
///
/// $$ s_i^m = \frac{10 s_c^m + \sum_{e \text{ near } i} L_e^m}{10 + \#\{e \text{ near } i\}} $$
///
/// over the links within four steps of `i` along the tree of its class; $s_c$ is the scale of the class, to which one link
/// of the mean length of the global tree is added, so that it exists for a single point.
pub(crate) fn local_scales(forest: &Forest<'_>, problem: &Problem<'_>, scales: &mut [f64]) {
    let (context, shape) = (problem.context, problem.shape);
    // In units of the mean link: powers of other units may leave the range of numbers.
    let power = |length: f64| raised(length.max(context.floor()) / context.mean_link, shape);
    let mut near = Near::default();
    for cluster in 0..forest.n_classes() {
        let mut class = (1.0, 1usize);
        for link in forest.tree(cluster).filter(|link| link.length.is_finite()) {
            class = (class.0 + power(link.length), class.1 + 1);
        }
        let of_class = class.0 / class.1 as f64;
        for &i in forest.members(cluster) {
            let (sum, count) = near.sum(forest, i, power);
            let mean = (CLASS_WEIGHT * of_class + sum) / (CLASS_WEIGHT + count as f64);
            scales[i] = context.mean_link * lowered(mean, shape);
        }
    }
}

/// Room for a walk around a point.
#[derive(Default)]
struct Near {
    /// Points reached, the point each was reached from, and the number of steps.
    reached: Vec<(usize, usize, usize)>,
}

impl Near {
    /// The sum over the links within reach of `i`, and their number.
    fn sum(&mut self, forest: &Forest<'_>, i: usize, power: impl Fn(f64) -> f64) -> (f64, usize) {
        let (mut sum, mut count) = (0.0, 0);
        self.reached.clear();
        self.reached.push((i, usize::MAX, 0));
        let mut next = 0;
        while let Some(&(point, from, steps)) = self.reached.get(next) {
            next += 1;
            if steps == HOPS || count >= MOST_LINKS {
                break;
            }
            for link in forest.links(point) {
                let other = if link.from == point { link.to } else { link.from };
                // Nothing is near over a pair that was not observed, and one point may have thousands of these.
                if other != from && link.length != f64::INFINITY {
                    self.reached.push((other, point, steps + 1));
                    if link.length.is_finite() {
                        sum += power(link.length);
                        count += 1;
                    }
                }
            }
        }
        (sum, count)
    }
}
