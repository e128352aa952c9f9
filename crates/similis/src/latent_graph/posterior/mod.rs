//! Posterior sampling: draws from the posterior over partitions.

pub(crate) mod chain;
pub(crate) mod co_assignment;
pub(crate) mod diagnostics;
pub(crate) mod estimate;
pub(crate) mod forests;
pub(crate) mod moves;
pub(crate) mod starting;
pub(crate) mod state;
pub(crate) mod summary;
pub(crate) mod target;

pub(crate) use summary::Posterior;

use crate::constraints::sizes::SizeBounds;
use crate::error::{Error, SettingError};
use crate::graph::lengths::Lengths;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::global_tree;
use crate::latent_graph::context::task::Range;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::model::scale::ScalePrior;
use crate::latent_graph::paper::{Found, Run};
use crate::latent_graph::settings::inference::Sampling;
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use crate::run::random::{CHAIN_STREAMS, stream};
use crate::run::termination::Termination;
use chain::Chain;
use moves::Moves;
use starting::Starting;
use state::State;
use summary::Draws;
use target::Target;

/// Greatest R-hat of the log joint at which the chains count as converged. The conventional threshold of Gelman and others;
/// not tuned.
const CONVERGED: f64 = 1.1;

/// Greatest number of chains, far beyond what R-hat needs.
const MOST_CHAINS: usize = 10_000;

/// Greatest number of sweeps of a chain: with it and [`MOST_CHAINS`] the number of draws can be counted.
const MOST_SWEEPS: usize = 1_000_000_000;

impl Sampling {
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (setting, given, most) in [
            ("n_chains", self.n_chains, MOST_CHAINS),
            ("n_sweeps", self.n_sweeps, MOST_SWEEPS),
            ("n_samples", self.n_samples, MOST_CHAINS.saturating_mul(MOST_SWEEPS)),
        ] {
            if given == 0 {
                return Err(Error::Settings(SettingError::ZeroSampling { setting }));
            }
            if given > most {
                return Err(Error::Settings(SettingError::TooMany { setting, given, most }));
            }
        }
        if (0.0..1.0).contains(&self.burn_in) {
            Ok(())
        } else {
            Err(Error::Settings(SettingError::BurnIn { given: self.burn_in }))
        }
    }

    /// The first sweep that is kept.
    fn first_kept(&self) -> usize {
        (self.burn_in * self.n_sweeps as f64) as usize
    }

    /// One partition is kept in this number of sweeps.
    fn every(&self) -> usize {
        ((self.n_sweeps - self.first_kept()) * self.n_chains).div_ceil(self.n_samples)
    }
}

/// What all chains say.
pub(crate) struct Sampled {
    /// Graph, scales and log joint of the labels.
    pub(crate) found: Found,
    pub(crate) posterior: Posterior,
    pub(crate) component_sizes: Vec<usize>,
    pub(crate) background: LinkLengths,
}

/// The draws of one chain.
struct Drawn {
    trace: Vec<f64>,
    samples: Vec<Labels>,
    is_whole: bool,
}

impl LatentGraph {
    /// Returns an error unless the settings leave a posterior to sample from.
    pub(crate) fn check_sampling(&self) -> Result<(), Error> {
        self.sampling().check()?;
        if self.graph_prior != GraphPrior::Tree {
            return Err(Error::Settings(SettingError::NeedsTrees { purpose: "inference by sampling" }));
        }
        if self.scale_prior == ScalePrior::None {
            Err(Error::Settings(SettingError::NeedsScalePrior))
        } else {
            Ok(())
        }
    }

    /// Runs chains from several starts, and returns what they say together.
    pub(crate) fn sampled(&self, task: Task<'_>) -> Result<Sampled, Error> {
        let Task { observed, range, constraints, observer, .. } = task;
        let sampling = self.sampling();
        let tree = global_tree(observed, observer);
        let allowed = self.joined(self.lengths(observed, &tree), range.most, constraints)?;
        let least = constraints.n_clusters_near(range.least.max(allowed.n_parts()));
        let range = Range { least, most: range.most.max(least), ..range };
        let sizes = SizeBounds::new(self.min_size, self.max_size, observed.n_points())?;
        let starting = Starting { settings: self, task: Task { range, ..task }, sizes };
        let extended;
        let mut model = self.model(&allowed, &tree)?;
        let partitions = starting.partitions(&model)?;
        let mut starts = starting.forests(&model, &partitions)?;
        if starts.is_empty() {
            extended = starting.support_with_trees(&partitions)?;
            model = self.model(&extended, &tree)?;
            starts = starting.forests(&model, &partitions)?;
        }
        let lengths = model.lengths;
        let near = lengths.is_complete().then(|| Lengths::nearest(observed, self.support_neighbours, &tree));
        let target = Target::new(&model, range.least, range.most).bounded(sizes);
        let moves = Moves { lengths, near: near.as_ref(), constraints };
        let log_background = model.log_background();
        let runs = parallel::map(sampling.n_chains, |number| {
            let links = starts[number % starts.len()].clone();
            let state = State::new(&target, observed.n_points(), links);
            let random = stream(self.seed, CHAIN_STREAMS + number as u64);
            let chain = Chain { moves: &moves, state, random, is_free: range.least < range.most };
            self.run_chain(chain, log_background, observer)
        });
        let draws = Draws {
            traces: runs.iter().map(|run| run.trace.clone()).collect(),
            samples: runs.iter().flat_map(|run| run.samples.clone()).collect(),
            first_kept: sampling.first_kept(),
        };
        let is_whole = runs.iter().all(|run| run.is_whole);
        let (labels, posterior) = Posterior::new(draws, sampling.loss, near.as_ref().unwrap_or(lengths));
        let ended = if is_whole { ended(&posterior) } else { Termination::Cancelled };
        let found = Run::from_labels(&model, labels.as_slice(), labels.n_clusters(), constraints)
            .found_as_it_is(ended);
        Ok(Sampled { found, posterior, component_sizes: lengths.part_sizes(), background: model.background })
    }

    /// Runs one chain, until it is done or the observer cancels.
    fn run_chain(&self, mut chain: Chain<'_>, log_background: f64, observer: &dyn Observer) -> Drawn {
        let sampling = self.sampling();
        let (first, every) = (sampling.first_kept(), sampling.every());
        let mut run = Drawn { trace: Vec::new(), samples: Vec::new(), is_whole: true };
        for sweep in 0..sampling.n_sweeps {
            if observer.cancelled() {
                run.is_whole = false;
                break;
            }
            parallel::heed_stop();
            run.trace.push(log_background + chain.sweep());
            if sweep >= first && (sweep - first).is_multiple_of(every) {
                run.samples.push(chain.labels());
            }
            observer.progress(Progress {
                phase: "sampling",
                fraction: (sweep + 1) as f64 / sampling.n_sweeps as f64,
                log_joint: run.trace.last().copied(),
            });
        }
        if run.samples.is_empty() {
            run.samples.push(chain.labels());
        }
        if run.trace.is_empty() {
            run.trace.push(log_background + chain.state.log_weight());
        }
        run
    }
}

/// How whole chains ended.
fn ended(posterior: &Posterior) -> Termination {
    if posterior.r_hat <= CONVERGED { Termination::Converged } else { Termination::IterationLimit }
}

#[cfg(test)]
mod tests;
