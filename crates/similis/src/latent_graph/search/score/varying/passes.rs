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

/// The weight of one link at each scale, relative to its greatest weight.
struct Weights {
    /// At the scales of the grid.
    on: OnGrid,
    /// Half way from each scale to the next.
    between: OnGrid,
    log_greatest: f64,
}

impl Weights {
    #[inline(always)]
    fn new(logs: &OnHalves) -> Self {
        let log_greatest = greatest(logs);
        let mut weights = *logs;
        weights.iter_mut().for_each(|weight| *weight = exponential(*weight - log_greatest));
        let (mut on, mut between) = ([0.0; N_SCALES], [0.0; N_SCALES]);
        on.iter_mut().zip(weights.iter().step_by(2)).for_each(|(on, weight)| *on = *weight);
        between
            .iter_mut()
            .zip(weights.iter().skip(1).step_by(2))
            .for_each(|(between, weight)| *between = *weight);
        Self { on, between, log_greatest }
    }

    /// The weights between each scale and that `cells` above it.
    #[inline(always)]
    fn apart(&self, cells: usize) -> &[f64] {
        let weights = if cells.is_multiple_of(2) { &self.on } else { &self.between };
        &weights[cells / 2..]
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
        Self { kernel, stack: Vec::new(), is_sound: true }
    }

    fn is_needed(&self) -> bool {
        self.is_sound && !self.kernel.is_empty()
    }

    /// Takes the message of a point over the link to the point above, and joins it with what has arrived there.
    #[inline(always)]
    fn advance(&mut self, link: &Upward, weights: &Weights) {
        let leaf = Message { values: [1.0; N_SCALES], log_factor: 0.0 };
        let below = if link.is_leaf { leaf } else { self.stack.pop().unwrap_or(leaf) };
        let mut values = carry(&below.values, &self.kernel, weights);
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
        for link in links {
            let weights = Weights::new(&grid.log_weights_on(&halves, link.length));
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
#[inline(always)]
fn carry(below: &OnGrid, kernel: &[f64], weights: &Weights) -> OnGrid {
    let mut above = [0.0; N_SCALES];
    for (cells, &mass) in kernel.iter().enumerate() {
        let apart = &weights.apart(cells)[..N_SCALES - cells];
        for ((above, below), weight) in above.iter_mut().zip(&below[cells..]).zip(apart) {
            *above += mass * weight * below;
        }
        if cells > 0 {
            for ((above, below), weight) in above[cells..].iter_mut().zip(below).zip(apart) {
                *above += mass * weight * below;
            }
        }
    }
    above
}
