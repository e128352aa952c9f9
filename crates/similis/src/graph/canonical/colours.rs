//! The canonical order of the items of a matrix or a graph, by colour refinement.
//!
//! An item has the colour of its sum of lengths; then items of one colour are told apart by the lengths and the colours of the
//! others, until nothing changes. What then has one colour is nearly always exchanged by a symmetry: components of a graph that are
//! alike get colours of their own, then in every component one item does, and the others are told apart again.

use crate::graph::canonical::Canonical;
use crate::graph::canonical::coloured::Coloured;
use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::grouped::{Grouped, points_of_clusters};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::plan::crossover;
use crate::run::parallel;

/// Steps into which the longest length is divided where lengths are summed: sums of whole numbers do not depend on an order.
const STEPS: f64 = (1u64 << 40) as f64;

/// The items, of which each may stand for several that are equal.
struct Items<'a> {
    observed: &'a Dissimilarity<'a>,
    /// Number of equal items that each stands for.
    weights: &'a [usize],
    /// Number of passes over all pairs that are left.
    n_rounds: usize,
}

/// Returns the canonical order of the items of a matrix or a graph; those that are not told apart keep the caller's.
pub(crate) fn canonical(observed: &Dissimilarity<'_>) -> Canonical {
    canonical_of(observed, &vec![1; observed.n_points()])
}

/// As [`canonical`], of items that have weights, from 1.
pub(crate) fn canonical_of(observed: &Dissimilarity<'_>, weights: &[usize]) -> Canonical {
    let mut items = Items::new(observed, weights);
    let coloured = items.coloured();
    let mut order = coloured.order();
    if observed.sparse().is_some() {
        order = items.by_steps(&order);
    }
    let class = items.equal(&coloured);
    Canonical { equal: Labels::of_numbers(&order.iter().map(|&i| class[i]).collect::<Vec<_>>()), order }
}

/// Returns the canonical order of different items that stand for several equal ones each; those that are not told apart keep
/// the order they have.
pub(crate) fn order_of_different(observed: &Dissimilarity<'_>, weights: &[usize]) -> Vec<usize> {
    Items::new(observed, weights).coloured().order()
}

/// For each item the rank of its component among those with the same colours, in the order of the components; 0 for all others.
fn ranks_of_alike(coloured: &Coloured, parts: &Grouped<usize>) -> Vec<u32> {
    // A colour that only one item has is in no other component.
    let is_shared = |&part: &usize| parts.of(part).iter().all(|&i| coloured.is_shared(i));
    let of_part = |part: usize| {
        let mut own: Vec<usize> = parts.of(part).iter().map(|&i| coloured.colour(i)).collect();
        own.sort_unstable();
        (own, part)
    };
    let mut all: Vec<(Vec<usize>, usize)> = (0..parts.n_groups()).filter(is_shared).map(of_part).collect();
    all.sort_unstable();
    let mut ranks = vec![0; coloured.n_items()];
    for alike in all.chunk_by(|a, b| a.0 == b.0) {
        for (rank, &(_, part)) in alike.iter().enumerate() {
            parts.of(part).iter().for_each(|&i| ranks[i] = rank as u32);
        }
    }
    ranks
}

/// A number that depends on all bits of two others.
fn mixed(value: f64, colour: usize) -> u64 {
    let mut bits = (value + 0.0).to_bits() ^ (colour as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl<'a> Items<'a> {
    fn new(observed: &'a Dissimilarity<'a>, weights: &'a [usize]) -> Self {
        let n_pairs =
            observed.sparse().map_or_else(|| observed.n_points().pow(2), |matrix| matrix.values().len());
        Self { observed, weights, n_rounds: crossover::n_colour_rounds(n_pairs) }
    }

    /// The items in the order of their colours.
    ///
    /// The number of passes over the pairs is limited: of very symmetric inputs with many items, what is not told apart by then
    /// has one colour, as twins have.
    fn coloured(&mut self) -> Coloured {
        let mut coloured = Coloured::new(self.n_points());
        let sums = self.sums();
        coloured.split(|_, i| sums[i]);
        drop(sums);
        while !coloured.all_differ() && self.n_rounds > 0 {
            self.n_rounds -= 1;
            if !self.refine(&mut coloured) && !self.tell_apart(&mut coloured) {
                break;
            }
        }
        coloured
    }

    /// Gives some of what looks alike a colour of its own: every one of several components with the same colours; where there are no
    /// such, one item of every component. Whether any was: otherwise only twins are left.
    fn tell_apart(&self, coloured: &mut Coloured) -> bool {
        let parts = self.parts();
        let ranks = ranks_of_alike(coloured, &parts);
        if coloured.split(|_, i| ranks[i]) {
            return true;
        }
        // No two components share a colour: a choice in one does not matter to another.
        let chosen = parallel::map(parts.n_groups(), |at| self.first_of_symmetric(coloured, parts.of(at)));
        let mut is_other = vec![true; self.n_points()];
        chosen.into_iter().flatten().flatten().for_each(|i| is_other[i] = false);
        coloured.split(|_, i| is_other[i])
    }

    /// The components of a graph in the order of their first items, each with its items in rising order; a matrix is one.
    fn parts(&self) -> Grouped<usize> {
        if self.observed.sparse().is_none() {
            return points_of_clusters(&vec![0; self.n_points()]);
        }
        let mut sets = DisjointSets::new(self.n_points());
        (0..self.n_points()).for_each(|i| {
            self.observed.for_each_pair(i, |j, _| {
                sets.join(i, j);
            });
        });
        let roots: Vec<usize> = (0..self.n_points()).map(|i| sets.root(i)).collect();
        points_of_clusters(Labels::of_numbers(&roots).as_slice())
    }

    fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    /// The sum of the lengths of each item.
    fn sums(&self) -> Vec<i64> {
        let longest = parallel::map(self.n_points(), |i| {
            let mut longest = 0.0f64;
            self.observed.for_each_pair_above(i, |_, value| longest = longest.max(value.abs()));
            longest
        });
        let longest = longest.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        parallel::map(self.n_points(), |i| {
            let mut sum = 0i64;
            self.observed.for_each_pair(i, |j, value| {
                let steps = (value / longest * STEPS) as i64;
                sum = sum.wrapping_add(steps.wrapping_mul(self.weights[j] as i64));
            });
            sum
        })
    }

    /// Takes one more look at the lengths and colours of the others; whether a colour was split.
    fn refine(&self, coloured: &mut Coloured) -> bool {
        coloured.split(|before, i| {
            let own = self.observed.pair(i, i).unwrap_or(0.0);
            let equal = mixed(0.0, before.colour(i)).wrapping_mul(self.weights[i] as u64 - 1);
            let mut key = mixed(own, usize::MAX).wrapping_add(equal);
            // The sum of the others does not depend on their order.
            self.observed.for_each_pair(i, |j, value| {
                key = key.wrapping_add(mixed(value, before.colour(j)).wrapping_mul(self.weights[j] as u64));
            });
            key
        })
    }

    /// Of the first colour whose items in this component are not all twins, an item and its twins; `None` where there is no such
    /// colour.
    fn first_of_symmetric(&self, coloured: &Coloured, part: &[usize]) -> Option<Vec<usize>> {
        let mut open: Vec<usize> = part.iter().copied().filter(|&i| coloured.is_shared(i)).collect();
        open.sort_by_key(|&i| coloured.colour(i));
        let alike = open.chunk_by(|&a, &b| coloured.colour(a) == coloured.colour(b));
        alike.filter(|alike| alike.len() > 1).find_map(|alike| {
            let (twins, others): (Vec<usize>, Vec<usize>) =
                alike.iter().partition(|&&i| i == alike[0] || self.are_twins(alike[0], i));
            (!others.is_empty()).then_some(twins)
        })
    }

    /// Whether two items can be exchanged: the same was observed between either and every third.
    fn are_twins(&self, i: usize, j: usize) -> bool {
        if let Some(matrix) = self.observed.sparse() {
            let others = |i: usize, j: usize| matrix.row(i).filter(move |&(k, _)| k != i && k != j);
            return others(i, j).eq(others(j, i));
        }
        let pair = |i: usize, k: usize| self.observed.pair(i, k);
        (0..self.n_points()).filter(|&k| k != i && k != j).all(|k| pair(i, k) == pair(j, k))
    }

    /// The class of equal items of each item: twins at a distance of 0. It has the number of its first item.
    fn equal(&self, coloured: &Coloured) -> Vec<usize> {
        let mut class: Vec<usize> = (0..self.n_points()).collect();
        if self.observed.quantity() == Quantity::Similarities {
            return class;
        }
        for i in 0..self.n_points() {
            let mut first = None;
            self.observed.for_each_pair(i, |j, value| {
                if first.is_none()
                    && j < i
                    && value == 0.0
                    && coloured.colour(i) == coloured.colour(j)
                    && self.are_twins(i, j)
                {
                    first = Some(j);
                }
            });
            class[i] = first.map_or(i, |first| class[first]);
        }
        class
    }

    /// The items of a graph in the order in which steps along its pairs reach them, so that near ones have near numbers: from
    /// the first of each component, neighbours in the given order.
    fn by_steps(&self, order: &[usize]) -> Vec<usize> {
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &i)| rank[i] = at);
        let (mut met, mut reached) = (vec![false; order.len()], Vec::with_capacity(order.len()));
        let (mut next, mut near) = (0, Vec::new());
        for &first in order {
            if !std::mem::replace(&mut met[first], true) {
                reached.push(first);
            }
            while next < reached.len() {
                let from: usize = reached[next];
                self.observed.for_each_pair(from, |j, _| near.push(j));
                near.retain(|&j| !std::mem::replace(&mut met[j], true));
                near.sort_unstable_by_key(|&j| rank[j]);
                reached.append(&mut near);
                next += 1;
            }
        }
        reached
    }
}
