//! The canonical order of the items of a matrix or a graph, by colour refinement.
//!
//! An item has the colour of its sum of lengths; then items of one colour are told apart by the lengths and the colours of the
//! others, until nothing changes. What then has one colour is nearly always exchanged by a symmetry: components of a graph that are
//! alike get colours of their own, then in every component one item does, and the others are told apart again.

use crate::graph::canonical::Canonical;
use crate::graph::disjoint_sets::DisjointSets;
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
    let given: Vec<usize> = (0..observed.n_points()).collect();
    let mut items = Items::new(observed, weights);
    let colours = items.colours(&given);
    let mut order = in_order_of(&colours, &given);
    if observed.sparse().is_some() {
        order = items.by_steps(&order);
    }
    let class = items.equal(&colours);
    Canonical { equal: Labels::of_numbers(&order.iter().map(|&i| class[i]).collect::<Vec<_>>()), order }
}

/// Returns the canonical order of different items that stand for several equal ones each; those that are not told apart keep
/// the order they have.
pub(crate) fn order_of_different(observed: &Dissimilarity<'_>, weights: &[usize]) -> Vec<usize> {
    let given: Vec<usize> = (0..observed.n_points()).collect();
    in_order_of(&Items::new(observed, weights).colours(&given), &given)
}

/// Items in the order of their colours, those of one colour in the given order.
fn in_order_of(colours: &[usize], given: &[usize]) -> Vec<usize> {
    let mut order = given.to_vec();
    order.sort_by_key(|&i| colours[i]);
    order
}

/// Number of colours.
fn n_colours(colours: &[usize]) -> usize {
    colours.iter().max().map_or(0, |&last| last + 1)
}

/// The rank of each key among the different ones.
fn ranks<T: Ord>(keys: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
    let mut ranks = vec![0; keys.len()];
    for pair in order.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + usize::from(keys[pair[0]] != keys[pair[1]]);
    }
    ranks
}

/// The colours where some items of one colour come before the others of it.
fn with_own_colour(colours: &[usize], chosen: &[usize]) -> Vec<usize> {
    let mut keys: Vec<(usize, bool)> = colours.iter().map(|&colour| (colour, true)).collect();
    chosen.iter().for_each(|&i| keys[i].1 = false);
    ranks(&keys)
}

/// The colours where of components with the same colours every one has colours of its own, in their order.
fn with_parts_apart(colours: &[usize], parts: &[Vec<usize>]) -> Vec<usize> {
    let of_part = |part: &Vec<usize>| {
        let mut own: Vec<usize> = part.iter().map(|&i| colours[i]).collect();
        own.sort_unstable();
        own
    };
    let all: Vec<Vec<usize>> = parts.iter().map(of_part).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| all[a].cmp(&all[b]));
    let mut keys: Vec<(usize, usize)> = colours.iter().map(|&colour| (colour, 0)).collect();
    for alike in order.chunk_by(|&a, &b| all[a] == all[b]) {
        for (rank, &part) in alike.iter().enumerate() {
            parts[part].iter().for_each(|&i| keys[i].1 = rank);
        }
    }
    ranks(&keys)
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

    /// The colours of the items: their order.
    ///
    /// The number of passes over the pairs is limited: of very symmetric inputs with many items, what is not told apart by then
    /// has one colour, as twins have.
    fn colours(&mut self, given: &[usize]) -> Vec<usize> {
        let mut colours = self.by_sum();
        while n_colours(&colours) < colours.len() && self.n_rounds > 0 {
            let finer = self.refined(&colours).or_else(|| self.told_apart(&colours, given));
            let Some(finer) = finer else { break };
            colours = finer;
        }
        colours
    }

    /// Colours where some of what looks alike has a colour of its own: every one of several components with the same colours; where
    /// there are no such, one item of every component. `None` where only twins are left.
    fn told_apart(&self, colours: &[usize], given: &[usize]) -> Option<Vec<usize>> {
        let parts = self.parts(given);
        let apart = with_parts_apart(colours, &parts);
        if n_colours(&apart) > n_colours(colours) {
            return Some(apart);
        }
        // No two components share a colour: a choice in one does not matter to another.
        let chosen = parallel::map(parts.len(), |at| self.first_of_symmetric(colours, &parts[at]));
        let twins: Vec<usize> = chosen.into_iter().flatten().flatten().collect();
        (!twins.is_empty()).then(|| with_own_colour(colours, &twins))
    }

    /// The components of a graph in the order of their first items, each with its items in the given order; a matrix is one.
    fn parts(&self, given: &[usize]) -> Vec<Vec<usize>> {
        if self.observed.sparse().is_none() {
            return vec![given.to_vec()];
        }
        let mut sets = DisjointSets::new(given.len());
        (0..given.len()).for_each(|i| {
            self.observed.for_each_pair(i, |j, _| {
                sets.join(i, j);
            });
        });
        let mut number = vec![usize::MAX; given.len()];
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for &i in given {
            let root = sets.root(i);
            if number[root] == usize::MAX {
                number[root] = parts.len();
                parts.push(Vec::new());
            }
            parts[number[root]].push(i);
        }
        parts
    }

    fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    /// The rank of each item by its sum of lengths.
    fn by_sum(&self) -> Vec<usize> {
        let longest = parallel::map(self.n_points(), |i| {
            let mut longest = 0.0f64;
            self.observed.for_each_pair_above(i, |_, value| longest = longest.max(value.abs()));
            longest
        });
        let longest = longest.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        let sums = parallel::map(self.n_points(), |i| {
            let mut sum = 0i64;
            self.observed.for_each_pair(i, |j, value| {
                let steps = (value / longest * STEPS) as i64;
                sum = sum.wrapping_add(steps.wrapping_mul(self.weights[j] as i64));
            });
            sum
        });
        ranks(&sums)
    }

    /// The colours after one more look at the lengths and colours of the others; `None` where no colour is split.
    fn refined(&mut self, colours: &[usize]) -> Option<Vec<usize>> {
        self.n_rounds -= 1;
        let keys = parallel::map(self.n_points(), |i| {
            let own = self.observed.pair(i, i).unwrap_or(0.0);
            let equal = mixed(0.0, colours[i]).wrapping_mul(self.weights[i] as u64 - 1);
            let mut key = mixed(own, usize::MAX).wrapping_add(equal);
            // The sum of the others does not depend on their order.
            self.observed.for_each_pair(i, |j, value| {
                key = key.wrapping_add(mixed(value, colours[j]).wrapping_mul(self.weights[j] as u64));
            });
            (colours[i], key)
        });
        let finer = ranks(&keys);
        (n_colours(&finer) > n_colours(colours)).then_some(finer)
    }

    /// Of the first colour whose items in this component are not all twins, an item and its twins; `None` where there is no such
    /// colour.
    fn first_of_symmetric(&self, colours: &[usize], part: &[usize]) -> Option<Vec<usize>> {
        let alike = in_order_of(colours, part);
        let alike = alike.chunk_by(|&a, &b| colours[a] == colours[b]).filter(|alike| alike.len() > 1);
        alike.into_iter().find_map(|alike| {
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
    fn equal(&self, colours: &[usize]) -> Vec<usize> {
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
                    && colours[i] == colours[j]
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
        let mut next = 0;
        for &first in order {
            if !std::mem::replace(&mut met[first], true) {
                reached.push(first);
            }
            while next < reached.len() {
                let from: usize = reached[next];
                let mut near = Vec::new();
                self.observed.for_each_pair(from, |j, _| near.push(j));
                near.retain(|&j| !std::mem::replace(&mut met[j], true));
                near.sort_unstable_by_key(|&j| rank[j]);
                reached.extend(near);
                next += 1;
            }
        }
        reached
    }
}
