//! The posterior of the scale of every point given the tree of its cluster: an upward and a downward pass of messages.
//!
//! All in logarithms: an item far from everything is explained by scales that are improbable by hundreds of nats.

use std::ops::Range;

use crate::graph::link::Link;
use crate::graph::rooted::Walk;
use crate::latent_graph::search::score::varying::{N_SCALES, OnGrid, ScaleGrid, kernel, log_scale};
use crate::numeric::exponential::exponential;

/// Number of scales on the grid and of those half way between them.
pub(crate) const N_HALVES: usize = 2 * N_SCALES - 1;

/// Upper bound of the power of a length over a scale, so that sums stay finite. From the range of f64.
const MOST_POWER: f64 = 1e290;

/// Sum below which terms may have underflowed, so that it is computed again in logarithms. From the range of f64.
const TINY: f64 = 1e-250;

/// Log distance from the greatest term, in nats, at which a term does not change the last digit of a sum. From the precision
/// of f64.
const NEGLIGIBLE: f64 = 50.0;

/// A logarithm for each scale of the grid, and for each half way between two.
pub(crate) type OnHalves = [f64; N_HALVES];

/// How the logarithm of the scale goes from a point to its neighbour: probabilities of 0, 1, .. cells, and their logarithms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogKernel {
    logs: Vec<f64>,
    masses: Vec<f64>,
}

impl LogKernel {
    /// `step` is $\tau$; 0 stays where it is.
    pub(crate) fn new(step: f64) -> Self {
        let mut masses = if step > 0.0 { kernel(step) } else { vec![1.0] };
        // A mass below the least number would be minus infinity, and its sums not a number.
        masses.iter_mut().for_each(|mass| *mass = mass.max(f64::MIN_POSITIVE));
        Self { logs: masses.iter().map(|mass| mass.ln()).collect(), masses }
    }

    /// Whether the scale is the same everywhere.
    pub(crate) fn is_still(&self) -> bool {
        self.logs.len() == 1
    }

    /// The scales that a neighbour of scale `i` may have.
    fn range(&self, i: usize) -> Range<usize> {
        let reach = self.logs.len() - 1;
        i.saturating_sub(reach)..N_SCALES.min(i + reach + 1)
    }

    /// A message after a link of some weights, its greatest value shifted to 0: in plain numbers, and in logarithms where these
    /// do not reach.
    #[inline(always)]
    fn carry(&self, below: &OnGrid, log_weights: &OnHalves) -> OnGrid {
        let (weights, log_weight) = plain(log_weights);
        let (values, log_value) = plain(below);
        let mut above = [0.0; N_SCALES];
        for (cells, &mass) in self.masses.iter().enumerate() {
            for i in 0..N_SCALES - cells {
                above[i] += mass * weights[2 * i + cells] * values[i + cells];
            }
            for i in if cells == 0 { 0..0 } else { cells..N_SCALES } {
                above[i] += mass * weights[2 * i - cells] * values[i - cells];
            }
        }
        for (i, value) in above.iter_mut().enumerate() {
            let reached = *value > TINY;
            *value = if reached {
                value.ln() + log_weight + log_value
            } else {
                self.carry_to(i, below, log_weights)
            };
        }
        settle(&mut above);
        above
    }

    /// One value of a message after a link, in logarithms throughout.
    fn carry_to(&self, i: usize, below: &OnGrid, log_weights: &OnHalves) -> f64 {
        let term = |j: usize| self.logs[i.abs_diff(j)] + log_weights[i + j] + below[j];
        log_sum(&self.range(i).map(term).collect::<Vec<_>>())
    }

    /// How probable each half scale is for a link to a new point, given how probable the scales of its other end are.
    fn to_leaf(&self, belief: &OnGrid) -> OnHalves {
        let reach = self.logs.len() - 1;
        let (values, log_value) = plain(belief);
        std::array::from_fn(|half| {
            let own = half.saturating_sub(reach).div_ceil(2).max(half.saturating_sub(N_SCALES - 1))
                ..usize::midpoint(half, reach).min(N_SCALES - 1).min(half) + 1;
            let cells = |i: usize| i.abs_diff(half - i);
            let mass = |i: usize| self.masses.get(cells(i)).map_or(0.0, |mass| mass * values[i]);
            let sum: f64 = own.clone().map(mass).sum();
            if sum > TINY {
                return sum.ln() + log_value;
            }
            let log = |i: usize| belief[i] + self.logs.get(cells(i)).map_or(f64::NEG_INFINITY, |&log| log);
            log_sum(&own.map(log).collect::<Vec<_>>())
        })
    }
}

/// Plain numbers, the greatest of them 1, and the logarithm of what they were divided by.
#[inline(always)]
fn plain<const N: usize>(logs: &[f64; N]) -> ([f64; N], f64) {
    let most = super::greatest(logs);
    let mut values = *logs;
    for value in &mut values {
        *value = exponential(*value - most);
    }
    (values, most)
}

/// The messages of one cluster's tree. Points are numbered as they stand among the cluster's rising members.
#[derive(Debug)]
pub(crate) struct Beliefs<'a> {
    kernel: &'a LogKernel,
    /// `None` for a cluster of one point.
    walk: Option<Walk>,
    /// From each point to the one above it.
    up: Vec<OnGrid>,
    /// To each point from the one above it.
    down: Vec<OnGrid>,
    /// All that arrives at each point: its belief, but for a constant.
    total: Vec<OnGrid>,
}

impl<'a> Beliefs<'a> {
    /// Returns the messages of a tree whose links join all points of a cluster; infinite links must not be among them.
    #[inline(always)]
    pub(crate) fn new(grid: &ScaleGrid, tree: &[Link], kernel: &'a LogKernel) -> Self {
        let Some(walk) = Walk::new(tree) else {
            return Self {
                kernel,
                walk: None,
                up: Vec::new(),
                down: Vec::new(),
                total: vec![[0.0; N_SCALES]],
            };
        };
        let n = walk.parent.len();
        let empty = vec![[0.0; N_SCALES]; n];
        let (mut up, mut down, mut total) = (empty.clone(), empty.clone(), empty);
        let weights = |i: usize| grid.bounded_log_weights(walk.up[i]);
        for &i in walk.order.iter().skip(1).rev() {
            settle(&mut total[i]);
            up[i] = kernel.carry(&total[i], &weights(i));
            add(&mut total[walk.parent[i]], &up[i]);
        }
        settle(&mut total[0]);
        for &i in walk.order.iter().skip(1) {
            let above = less(&total[walk.parent[i]], &up[i]);
            down[i] = kernel.carry(&above, &weights(i));
            let arrived = down[i];
            add(&mut total[i], &arrived);
            settle(&mut total[i]);
        }
        Self { kernel, walk: Some(walk), up, down, total }
    }

    /// How probable each half scale is for a link from a new point to each point of the cluster.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = OnHalves> + '_ {
        self.total.iter().map(|total| self.leaf(*total))
    }

    fn leaf(&self, mut belief: OnGrid) -> OnHalves {
        let all = log_sum(&belief);
        belief.iter_mut().for_each(|value| *value -= all);
        self.kernel.to_leaf(&belief)
    }

    /// As [`Beliefs::leaves`] with point `i` left out (leave-one-out), for the points `j` whose scale that changes most:
    /// those that `i` is linked to, or all (`usize::MAX`) where a cluster has one scale.
    ///
    /// The links of `i` count as not observed. Where there are several, their other ends stay joined through it: a stand-in
    /// for the unknown links that would join them.
    #[inline(always)]
    pub(crate) fn leaves_without(&self, i: usize) -> Vec<(usize, OnHalves)> {
        let Some(walk) = &self.walk else { return Vec::new() };
        let around: Vec<usize> = walk.around(i).collect();
        let cavity = |&j: &usize| {
            let from_i = if walk.parent[i] == j { &self.up[i] } else { &self.down[j] };
            less(&self.total[j], from_i)
        };
        let cavities: Vec<OnGrid> = around.iter().map(cavity).collect();
        if self.kernel.is_still() {
            let mut belief = [0.0; N_SCALES];
            cavities.iter().for_each(|cavity| add(&mut belief, cavity));
            return vec![(usize::MAX, self.leaf(belief))];
        }
        let silent = [0.0; N_HALVES];
        let arriving: Vec<OnGrid> =
            cavities.iter().map(|cavity| self.kernel.carry(cavity, &silent)).collect();
        let one = |at: usize| {
            let mut belief = cavities[at];
            if around.len() > 1 {
                let mut others = [0.0; N_SCALES];
                arriving
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .for_each(|(_, m)| add(&mut others, m));
                add(&mut belief, &self.kernel.carry(&others, &silent));
            }
            (around[at], self.leaf(belief))
        };
        (0..around.len()).map(one).collect()
    }
}

impl ScaleGrid {
    /// Returns the log weights of a link at every half scale, none of them infinite, in units of the mean link.
    #[inline(always)]
    pub(crate) fn bounded_log_weights(&self, length: f64) -> OnHalves {
        let mut logs = self.log_weights(length);
        if logs.iter().any(|log| !log.is_finite()) {
            let log_length = self.in_units(length).unwrap_or(1.0).min(f64::MAX).ln();
            for (half, log) in logs.iter_mut().enumerate() {
                let log_scale = log_scale(0.5 * half as f64);
                let power = (self.shape * (log_length - log_scale)).exp().min(MOST_POWER);
                *log = (-self.shape * log_scale).max(-MOST_POWER) - power;
            }
        }
        logs
    }

    /// The same at the scales of the grid alone.
    pub(crate) fn on_grid(&self, length: f64) -> OnGrid {
        let logs = self.bounded_log_weights(length);
        std::array::from_fn(|at| logs[2 * at])
    }
}

/// The log density of a link of some log weights, given how probable each half scale is, in units of the mean link.
#[inline(always)]
pub(crate) fn leaf_log_density(leaf: &OnHalves, log_weights: &OnHalves) -> f64 {
    let mut terms = *leaf;
    for (term, weight) in terms.iter_mut().zip(log_weights) {
        *term += weight;
    }
    let (values, most) = plain(&terms);
    if most == f64::NEG_INFINITY { most } else { most + total(&values).ln() }
}

/// The logarithm of a sum of numbers given by their logarithms; what does not change its last digit is left out.
pub(crate) fn log_sum(logs: &[f64]) -> f64 {
    let most = crate::latent_graph::search::score::varying::greatest(logs);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let counts = |log: &&f64| **log > most - NEGLIGIBLE;
    most + logs.iter().filter(counts).map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// The sum of some numbers, lane by lane, for vector units.
#[inline(always)]
fn total(numbers: &[f64]) -> f64 {
    let (pieces, rest) = numbers.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for piece in pieces {
        lanes.iter_mut().zip(piece).for_each(|(lane, number)| *lane += number);
    }
    lanes.iter().chain(rest).sum()
}

fn add(to: &mut OnGrid, message: &OnGrid) {
    to.iter_mut().zip(message).for_each(|(to, value)| *to += value);
}

fn less(from: &OnGrid, message: &OnGrid) -> OnGrid {
    std::array::from_fn(|at| from[at] - message[at])
}

/// Shifts a message so that its greatest value is 0: constants say nothing, and small numbers keep their digits.
fn settle(message: &mut OnGrid) {
    let most = crate::latent_graph::search::score::varying::greatest(message);
    message.iter_mut().for_each(|value| *value -= most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        #[test]
        fn plain_numbers_carry_what_logarithms_carry(seed in 0u64..500, spread in 0.0f64..6.0, step in 0usize..5) {
            let mut random = crate::run::random::stream(seed, 0);
            let kernel = LogKernel::new(super::super::STEPS[step]);
            let width = 10f64.powf(spread);
            let below: OnGrid = std::array::from_fn(|_| -width * random.random::<f64>());
            let weights: OnHalves = std::array::from_fn(|_| width * (random.random::<f64>() - 0.5));
            let mut slow: OnGrid = std::array::from_fn(|i| kernel.carry_to(i, &below, &weights));
            settle(&mut slow);
            for (fast, slow) in kernel.carry(&below, &weights).iter().zip(slow) {
                prop_assert!((fast - slow).abs() < 1e-9 * slow.abs().max(1.0), "{} {}", fast, slow);
            }
        }
    }
}
