//! The evidence in f64 without logarithms: one pass of messages from the leaves to the root for each step, all in one
//! traversal.

use std::sync::OnceLock;

use crate::graph::rooted::Upward;
use crate::latent_graph::search::score::varying::beliefs::OnHalves;
use crate::latent_graph::search::score::varying::{
    Halves, N_SCALES, OnGrid, STEPS, ScaleGrid, greatest, kernel,
};
use crate::numeric::exponential::exponential;
use crate::run::parallel::NullaryFnOnce;

/// Message value below which the pass is computed again in logarithms. From the range of f64.
const TINY: f64 = 1e-200;

/// Number of scales that are computed together.
const LANES: usize = 8;

/// Number of zeros on either side of [`Wide`] numbers: as far as a kernel may reach.
const MARGIN: usize = N_SCALES.next_multiple_of(LANES);

/// A number for each scale of the grid, with zeros on either side, so that a sum over near scales needs no case for the ends.
type Wide = [f64; 3 * MARGIN];

/// The numbers of [`Wide`] ones that belong to scales of the grid.
const ON_GRID: std::ops::Range<usize> = MARGIN..MARGIN + N_SCALES;

/// The weight of one link at each scale, relative to its greatest weight.
struct Weights {
    /// At the scales of the grid.
    on: Wide,
    /// Half way from each scale to the next.
    between: Wide,
    log_greatest: f64,
}

impl Weights {
    fn none() -> Self {
        Self { on: [0.0; 3 * MARGIN], between: [0.0; 3 * MARGIN], log_greatest: 0.0 }
    }

    /// Takes over the weights of a link.
    #[inline(always)]
    fn set(&mut self, logs: &OnHalves) {
        self.log_greatest = greatest(logs);
        let mut weights = *logs;
        weights.iter_mut().for_each(|weight| *weight = exponential(*weight - self.log_greatest));
        self.on[ON_GRID].iter_mut().zip(weights.iter().step_by(2)).for_each(|(on, weight)| *on = *weight);
        self.between[ON_GRID]
            .iter_mut()
            .zip(weights.iter().skip(1).step_by(2))
            .for_each(|(between, weight)| *between = *weight);
    }
}

/// The message about the scale of a point from the subtree below it: the greatest value is 1, the rest is in `log_factor`.
struct Message {
    values: OnGrid,
    log_factor: f64,
}

/// The messages of one step $\tau$ on their way up.
struct Pass {
    kernel: Vec<f64>,
    stack: Vec<Message>,
    /// The message that is carried over a link.
    below: Wide,
    /// Whether no message has underflowed.
    is_sound: bool,
}

impl Pass {
    fn new(step: f64) -> Self {
        static DEFAULT: OnceLock<Vec<Vec<f64>>> = OnceLock::new();
        let kernel = |step: f64| if step > 0.0 { kernel(step) } else { Vec::new() };
        // The default steps are used for every cluster.
        let default = DEFAULT.get_or_init(|| STEPS.iter().map(|&step| kernel(step)).collect());
        let known = STEPS.iter().position(|&other| other == step).map(|at| default[at].clone());
        let kernel = known.unwrap_or_else(|| kernel(step));
        Self { kernel, stack: Vec::new(), below: [0.0; 3 * MARGIN], is_sound: true }
    }

    fn is_needed(&self) -> bool {
        self.is_sound && !self.kernel.is_empty()
    }

    /// Takes the message of a point over the link to the point above, and joins it with what has arrived there.
    #[inline(always)]
    fn advance(&mut self, link: &Upward, weights: &Weights) {
        let leaf = Message { values: [1.0; N_SCALES], log_factor: 0.0 };
        let below = if link.is_leaf { leaf } else { self.stack.pop().unwrap_or(leaf) };
        self.below[ON_GRID].copy_from_slice(&below.values);
        let mut values = carry(&self.below, &self.kernel, weights);
        let mut log_factor = below.log_factor + weights.log_greatest;
        if let Some(other) = if link.is_first { None } else { self.stack.pop() } {
            values.iter_mut().zip(&other.values).for_each(|(value, other)| *value *= other);
            log_factor += other.log_factor;
        }
        let most = greatest(&values);
        self.is_sound = most > TINY;
        let unit = 1.0 / most;
        values.iter_mut().for_each(|value| *value *= unit);
        self.stack.push(Message { values, log_factor: log_factor + most.ln() });
    }

    /// The log evidence, once all messages have arrived.
    fn total(&self) -> f64 {
        let mean =
            |root: &Message| (root.values.iter().sum::<f64>() / N_SCALES as f64).ln() + root.log_factor;
        self.stack.first().map_or(0.0, mean)
    }
}

/// The log evidence for each step above 0, in units of the mean link; 0 for the others.
pub(crate) struct WithSteps<'a> {
    pub(crate) grid: &'a ScaleGrid,
    pub(crate) links: &'a [Upward],
    pub(crate) steps: &'a [f64],
}

impl NullaryFnOnce for WithSteps<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let Self { grid, links, steps } = self;
        let mut passes: Vec<Pass> = steps.iter().map(|&step| Pass::new(step)).collect();
        let halves = Halves::of(grid.shape);
        let mut weights = Weights::none();
        for link in links {
            weights.set(&grid.log_weights_on(&halves, link.length));
            for pass in &mut passes {
                if pass.is_needed() {
                    pass.advance(link, &weights);
                }
            }
        }
        let value = |pass: Pass| if pass.is_sound { pass.total() } else { grid.in_logs(links, &pass.kernel) };
        passes.into_iter().map(value).collect()
    }
}

/// A message after its link: $\sum_{s_j} P_\tau(\log s_j | \log s_i) \, w(\sqrt{s_i s_j}) \, m_j(s_j)$ for each $s_i$.
///
/// Scale after scale, so that sums stay in registers.
#[inline(always)]
fn carry(below: &Wide, kernel: &[f64], weights: &Weights) -> OnGrid {
    let mut above = [0.0; N_SCALES];
    let (blocks, rest) = above.as_chunks_mut::<LANES>();
    for (block, above) in blocks.iter_mut().enumerate() {
        *above = carried(below, kernel, weights, MARGIN + block * LANES);
    }
    let last = carried(below, kernel, weights, MARGIN + N_SCALES - rest.len());
    rest.copy_from_slice(&last[..rest.len()]);
    above
}

/// The message at some scales from a place on.
#[inline(always)]
fn carried(below: &Wide, kernel: &[f64], weights: &Weights, at: usize) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    let (weight, value) = (lanes(&weights.on, at), lanes(below, at));
    for lane in 0..LANES {
        sums[lane] = kernel[0] * (weight[lane] * value[lane]);
    }
    for (cells, &mass) in kernel.iter().enumerate().take(MARGIN).skip(1) {
        // Between a scale and that `cells` above it lies the weight half as far above it.
        let between = if cells.is_multiple_of(2) { &weights.on } else { &weights.between };
        let up = (lanes(between, at + cells / 2), lanes(below, at + cells));
        let down = (lanes(between, at - cells.div_ceil(2)), lanes(below, at - cells));
        for lane in 0..LANES {
            sums[lane] += mass * (up.0[lane] * up.1[lane] + down.0[lane] * down.1[lane]);
        }
    }
    sums
}

/// The numbers from a place on that are computed together.
#[inline(always)]
fn lanes(numbers: &Wide, from: usize) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    lanes.copy_from_slice(&numbers[from..from + LANES]);
    lanes
}
