//! What a fit of the latent graph model returns.

pub(crate) mod by_sampling;
pub(crate) mod by_search;
pub(crate) mod near_order;

use crate::error::{Error, SettingError};
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::model::joint::LogJoint;
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::paper::Found;
use crate::latent_graph::posterior::summary::Posterior;
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::run::termination::Termination;

/// A link of the graph that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassLink {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// The class of both ends.
    pub class: usize,
    /// How long it is; NaN where the pair was not observed.
    pub length: f64,
}

/// Everything that was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentGraphFit {
    /// The cluster of each point; of noise that which it would most probably join.
    pub labels: Labels,
    /// The points that belong to no cluster, in rising order.
    pub noise: Vec<usize>,
    /// The links of the most probable graph $\nu$.
    pub graph: Vec<ClassLink>,
    /// The typical neighbour distance of each class.
    pub scales: Vec<f64>,
    /// How far neighbour distances spread.
    pub spreads: Vec<f64>,
    /// The background.
    pub background: LinkLengths,
    /// The log joint and its parts.
    pub log_joint: LogJoint,
    /// The log joint at the start of the winning restart and after each pass; of a search, of the answer alone.
    pub trace: Vec<f64>,
    /// The log joint that each restart of the printed algorithm ended with.
    pub restarts: Vec<f64>,
    /// Every partition that the search considered, best first: the first is the answer, the others are the runners-up.
    /// Empty for the printed algorithm.
    pub proposals: Vec<Proposal>,
    /// How good each number of clusters is, from the least; empty where the number was given or the printed algorithm ran.
    pub numbers: Vec<NumberScore>,
    /// The sizes of the parts that the pairs that may be links fall into, greatest first. With fewer clusters than parts, some
    /// clusters hang together over pairs that were not observed.
    pub component_sizes: Vec<usize>,
    /// How sure all this is, as draws tell; only where the posterior was sampled.
    pub posterior: Option<Posterior>,
    /// Why the work stopped.
    pub ended: Termination,
}

impl LatentGraphFit {
    /// Into how many parts the pairs that may be links fall: 1 where they join all points.
    pub fn n_components(&self) -> usize {
        self.component_sizes.len()
    }

    /// How many points are in no pair that may be a link.
    pub fn n_isolated(&self) -> usize {
        let one = self.component_sizes.len() - self.component_sizes.partition_point(|&size| size > 1);
        if self.labels.n_points() > 1 { one } else { 0 }
    }

    /// How many links of the graph are pairs that were not observed.
    pub fn n_unobserved_links(&self) -> usize {
        self.graph.iter().filter(|link| link.length.is_nan()).count()
    }

    /// The cluster of each point; `None` for noise.
    pub fn labels_or_noise(&self) -> Vec<Option<usize>> {
        let mut labels: Vec<Option<usize>> = self.labels.as_slice().iter().copied().map(Some).collect();
        self.noise.iter().for_each(|&i| labels[i] = None);
        labels
    }
}

/// The most probable run, its classes numbered in the order of first appearance.
pub(crate) fn best(runs: Vec<Found>, background: LinkLengths) -> Result<LatentGraphFit, Error> {
    let restarts: Vec<f64> = runs.iter().map(|run| run.log_joint.total()).collect();
    // Where no run is possible, the one with the fewest forbidden links comes nearest.
    let better = |best: Found, run: Found| {
        let (old, new) = (best.n_forbidden(), run.n_forbidden());
        if new < old || (new == old && run.log_joint.total() > best.log_joint.total()) { run } else { best }
    };
    let found = runs.into_iter().reduce(better).ok_or(Error::Settings(SettingError::NRestarts))?;
    let labels = Labels::new(&found.labels);
    let mut order = vec![0; found.classes.len()];
    found.labels.iter().zip(labels.as_slice()).for_each(|(&class, &label)| order[label] = class);
    let classes: Vec<LinkLengths> = order.iter().map(|&class| found.classes[class]).collect();
    let links = |class: usize| {
        let link = move |link: &Link| ClassLink { from: link.from, to: link.to, class, length: link.length };
        found.links[order[class]].iter().map(link)
    };
    Ok(LatentGraphFit {
        graph: (0..order.len()).flat_map(links).collect(),
        scales: classes.iter().map(|lengths| lengths.scale()).collect(),
        spreads: classes.iter().map(|lengths| lengths.spread()).collect(),
        labels,
        noise: Vec::new(),
        background,
        log_joint: found.log_joint,
        trace: found.trace,
        restarts,
        proposals: Vec::new(),
        numbers: Vec::new(),
        component_sizes: Vec::new(),
        posterior: None,
        ended: found.ended,
    })
}
