//! Scale that varies within a cluster (section 3.2: "the unknown measure varies even within classes"), as a likelihood.
//!
//! Every point has a scale of its own, $s_i$. Along the links of the cluster's tree $\log s_i$ is a random walk: neighbours have
//! much the same scale, far ends of a cluster may differ. The scales are integrated out exactly, on a grid, by messages that
//! go from the leaves of the tree to its root.

pub(crate) mod beliefs;
pub(crate) mod noise_scale;
pub(crate) mod passes;

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::graph::link::Link;
use crate::graph::rooted::{Upward, rooted};
use crate::latent_graph::context::Context;
use crate::run::parallel::vectorised;

use beliefs::{N_HALVES, OnHalves};
use passes::WithSteps;

/// Standard deviations $\tau$ of the change of $\log s$ over one link, equally probable a priori. Stated in
/// `docs/how/score.md`; not tuned.
pub(crate) const STEPS: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.4];

/// Number of scales on the grid; all are equally probable a priori. Not tuned: a test shows that a finer grid changes little.
pub(crate) const N_SCALES: usize = 70;

/// Difference of consecutive scales on the grid, in $\log s$. Not tuned: a test shows that a finer grid changes little.
const GAP: f64 = 0.15;

/// Logarithm of the least scale on the grid, in units of the mean link of the minimum spanning tree. Not tuned.
const LEAST: f64 = -4.0;

/// Number of standard deviations $\tau$ beyond which the transition kernel of $\log s$ is cut off. Not tuned.
const REACH: f64 = 3.2;

/// A number for each scale of the grid.
type OnGrid = [f64; N_SCALES];

/// The scales that a cluster, or a point, may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScaleGrid {
    /// The mean link of the minimum spanning tree: all else is in units of it.
    pub(crate) unit: f64,
    /// The least length of a link, in units of the mean link.
    pub(crate) floor: f64,
    /// The shape $m$ of the link lengths: 1 is the exponential of Eq. (8); 2 is how far apart nearest neighbours of a
    /// uniform cloud in the plane are (Rayleigh).
    pub(crate) shape: f64,
    /// The log weight of a forbidden link, in units of the mean link: minus infinity, or [`Context::log_join`].
    pub(crate) log_join: f64,
}

impl ScaleGrid {
    pub(crate) fn new(context: &Context<'_>, shape: f64) -> Self {
        let floor = context.floor() / context.mean_link;
        Self { unit: context.mean_link, floor, shape, log_join: context.log_join(shape) }
    }

    /// Returns the log evidence of a tree for each of some steps $\tau$, all scales integrated out: the remark of
    /// section 3.2 ("the unknown measure varies even within classes") as a likelihood.
    ///
    /// $$ \log \sum_{s} \frac{1}{G} \prod_{(i, j)} P_\tau(\log s_j | \log s_i) \, s^{-m} e^{-(L_{ij} / s)^m},
    /// \qquad s = \sqrt{s_i s_j} $$
    ///
    /// over the links of the tree; $P_\tau$ is normal with standard deviation $\tau$, as masses of the cells of the grid,
    /// and $G$ is the number of its scales. $\tau = 0$ is one scale for the cluster. A link that was not observed weighs 1 at
    /// every scale, in units of the mean link: it gains nothing; a forbidden one makes all of it minus infinity, unless
    /// clusters may be connected by such: then it has the same weight at every scale ([`Context::log_join`]).
    pub(crate) fn log_evidence(&self, tree: &[Link], steps: &[f64]) -> Vec<f64> {
        let joins = self.log_joins(tree);
        if joins == f64::NEG_INFINITY {
            return vec![joins; steps.len()];
        }
        let mut in_units = vec![0.0; steps.len()];
        if steps.iter().any(|&step| step > 0.0) {
            in_units = vectorised(WithSteps { grid: self, links: &rooted(tree), steps });
        }
        for (value, _) in in_units.iter_mut().zip(steps).filter(|(_, step)| **step == 0.0) {
            *value = log_mean_exp(&self.per_scale(tree));
        }
        let units = self.log_units(tree.len());
        in_units.into_iter().map(|value| value - units + joins).collect()
    }

    /// The log weight of the forbidden links of a tree, in units of the mean link.
    pub(crate) fn log_joins(&self, tree: &[Link]) -> f64 {
        match tree.iter().filter(|link| link.length == f64::INFINITY).count() {
            0 => 0.0,
            n_joins => n_joins as f64 * self.log_join,
        }
    }

    /// The log weight of all links of a tree at each scale: one scale for all of them.
    pub(crate) fn per_scale(&self, tree: &[Link]) -> OnGrid {
        let mut n_links = 0.0;
        let mut powers = 0.0;
        for power in tree.iter().filter_map(|link| self.power(link.length)) {
            n_links += 1.0;
            powers += power;
        }
        self.per_scale_of(n_links, powers)
    }

    /// The log weight of `n_links` links at each scale, the powers of whose lengths add up to `powers`.
    fn per_scale_of(&self, n_links: f64, powers: f64) -> OnGrid {
        std::array::from_fn(|at| {
            let log_scale = log_scale(at as f64);
            -self.shape * n_links * log_scale - powers * (-self.shape * log_scale).exp()
        })
    }

    /// The log evidence of links that share one scale, in units of the mean link.
    pub(crate) fn log_evidence_at_one_scale(&self, n_links: f64, powers: f64) -> f64 {
        log_mean_exp(&self.per_scale_of(n_links, powers))
    }

    /// The power of an observed link's length, in units of the mean link, that its likelihood falls with.
    pub(crate) fn power(&self, length: f64) -> Option<f64> {
        self.in_units(length).map(|length| raised(length, self.shape))
    }

    /// The log weight of a link at one scale of the grid, in units of the mean link.
    pub(crate) fn log_weight(&self, length: f64, at: usize) -> f64 {
        let log_scale = log_scale(at as f64);
        let weight = |length: f64| -self.shape * log_scale - (length * (-log_scale).exp()).powf(self.shape);
        self.in_units(length).map_or(0.0, weight)
    }

    /// What `n_links` log weights in units of the mean link must be lowered by to be in the unit of the lengths.
    pub(crate) fn log_units(&self, n_links: usize) -> f64 {
        self.shape * n_links as f64 * self.unit.ln()
    }

    /// The length of an observed link, at least the floor, in units of the mean link.
    fn in_units(&self, length: f64) -> Option<f64> {
        length.is_finite().then(|| (length / self.unit).max(self.floor))
    }

    /// The log weights of a link at twice as many scales as the grid has, since $\sqrt{s_i s_j}$ may lie half way.
    fn log_weights(&self, length: f64) -> OnHalves {
        self.log_weights_on(&Halves::of(self.shape), length)
    }

    /// As [`ScaleGrid::log_weights`], for callers that compute many.
    #[inline(always)]
    fn log_weights_on(&self, halves: &Halves, length: f64) -> OnHalves {
        let mut weights = [0.0; N_HALVES];
        if let Some(power) = self.power(length) {
            for (half, weight) in weights.iter_mut().enumerate() {
                *weight = halves.log_powers[half] - power * halves.powers[half];
            }
        }
        weights
    }

    /// As the passes, in logarithms throughout: for links so different that f64 would underflow.
    fn in_logs(&self, links: &[Upward], kernel: &[f64]) -> f64 {
        let log_kernel: Vec<f64> = kernel.iter().map(|mass| mass.ln()).collect();
        let mut stack: Vec<OnGrid> = Vec::new();
        // Equal rows are leaves at links of one length, and one message is that of all.
        let mut leaf: Option<(f64, OnGrid)> = None;
        for link in links {
            let carried = |below: &OnGrid| carry_logs(below, &log_kernel, &self.log_weights(link.length));
            let mut above = match leaf {
                Some((length, message)) if link.is_leaf && length == link.length => message,
                _ if link.is_leaf => carried(&[0.0; N_SCALES]),
                _ => carried(&stack.pop().unwrap_or([0.0; N_SCALES])),
            };
            if link.is_leaf {
                leaf = Some((link.length, above));
            }
            if let Some(other) = (!link.is_first).then(|| stack.pop()).flatten() {
                above.iter_mut().zip(other).for_each(|(value, other)| *value += other);
            }
            stack.push(above);
        }
        stack.first().map_or(0.0, |root| log_mean_exp(root))
    }
}

/// The scales of the grid and those half way between them, as powers: $s^{-m}$ and its logarithm.
#[derive(Clone, Debug)]
struct Halves {
    powers: OnHalves,
    log_powers: OnHalves,
}

impl Halves {
    /// The powers of a shape; those of the shapes of the two scores are computed only once.
    fn of(shape: f64) -> Cow<'static, Self> {
        static USUAL: OnceLock<[Halves; 2]> = OnceLock::new();
        let usual = || USUAL.get_or_init(|| [1.0, 2.0].map(Self::new));
        match shape {
            1.0 => Cow::Borrowed(&usual()[0]),
            2.0 => Cow::Borrowed(&usual()[1]),
            _ => Cow::Owned(Self::new(shape)),
        }
    }

    fn new(shape: f64) -> Self {
        let log_powers = std::array::from_fn(|half| -shape * log_scale(0.5 * half as f64));
        Self { powers: log_powers.map(f64::exp), log_powers }
    }
}

/// $x^m$, without logarithms for the default shapes.
#[inline(always)]
pub(crate) fn raised(x: f64, shape: f64) -> f64 {
    match shape {
        2.0 => x * x,
        1.0 => x,
        _ => x.powf(shape),
    }
}

/// $x^{1 / m}$.
#[inline(always)]
pub(crate) fn lowered(x: f64, shape: f64) -> f64 {
    match shape {
        2.0 => x.sqrt(),
        1.0 => x,
        _ => x.powf(1.0 / shape),
    }
}

/// The logarithm of a scale of the grid, or between two, in units of the mean link.
fn log_scale(at: f64) -> f64 {
    LEAST + GAP * at
}

/// The probability of staying in a cell of the grid, of going one up (or down), two up, ..
fn kernel(step: f64) -> Vec<f64> {
    let reach = ((REACH * step / GAP).ceil() as usize).clamp(2, N_SCALES - 1);
    let edge = |cell: f64| cell * GAP / step;
    let mut masses: Vec<f64> =
        (0..=reach).map(|cell| bell(edge(cell as f64 - 0.5), edge(cell as f64 + 0.5))).collect();
    let total = masses[0] + 2.0 * masses[1..].iter().sum::<f64>();
    masses.iter_mut().for_each(|mass| *mass /= total);
    masses
}

/// The integral of $e^{-x^2 / 2}$ from `from` to `to`, by Simpson's rule: ten digits. Beyond 9 there is nothing.
fn bell(from: f64, to: f64) -> f64 {
    /// Number of intervals of Simpson's rule: enough for ten digits.
    const PIECES: usize = 1000;
    let (from, to) = (from.clamp(-9.0, 9.0), to.clamp(-9.0, 9.0));
    let width = (to - from) / PIECES as f64;
    let value = |at: f64| (-0.5 * (from + width * at).powi(2)).exp();
    let piece = |at: usize| value(at as f64) + 4.0 * value(at as f64 + 0.5) + value(at as f64 + 1.0);
    (0..PIECES).map(piece).sum::<f64>() * width / 6.0
}

/// A message after its link, as the passes carry it, all in logarithms.
fn carry_logs(below: &OnGrid, log_kernel: &[f64], log_weights: &OnHalves) -> OnGrid {
    let reach = log_kernel.len() - 1;
    std::array::from_fn(|i| {
        let term = |j: usize| log_kernel[i.abs_diff(j)] + log_weights[i + j] + below[j];
        let terms: Vec<f64> = (i.saturating_sub(reach)..N_SCALES.min(i + reach + 1)).map(term).collect();
        log_sum_exp(&terms)
    })
}

/// The greatest of some numbers.
#[inline(always)]
fn greatest(numbers: &[f64]) -> f64 {
    let greater = |most: f64, number: f64| if number > most { number } else { most };
    // Lane by lane, for vector units; the greatest is the same.
    let mut lanes = [f64::NEG_INFINITY; 8];
    let (pieces, rest) = numbers.as_chunks::<8>();
    for piece in pieces {
        lanes.iter_mut().zip(piece).for_each(|(most, &number)| *most = greater(*most, number));
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(f64::NEG_INFINITY, greater)
}

/// The logarithm of a sum of numbers given by their logarithms.
pub(crate) fn log_sum_exp(logs: &[f64]) -> f64 {
    let most = greatest(logs);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// The logarithm of the mean of numbers given by their logarithms.
pub(crate) fn log_mean_exp(logs: &[f64]) -> f64 {
    log_sum_exp(logs) - (logs.len() as f64).ln()
}

#[cfg(test)]
mod tests;
