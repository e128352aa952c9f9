//! The result of a fit of the latent graph model.

pub(crate) mod by_joint;
pub(crate) mod by_sample;
pub(crate) mod by_sampling;
pub(crate) mod by_search;
pub(crate) mod cut_short;
pub(crate) mod in_order;
pub(crate) mod in_parts;
pub(crate) mod of_different;
pub(crate) mod sized;

use crate::error::{Error, SettingError};
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::context::modes::DensityModes;
use crate::latent_graph::model::joint::LogJoint;
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::paper::Found;
use crate::latent_graph::posterior::summary::Posterior;
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::plan::Plan;
use crate::run::termination::Termination;

/// A link of the graph that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassLink {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// The cluster of both ends.
    pub class: usize,
    /// Its length; NaN where the pair was not observed.
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
    /// The typical neighbour distance of each cluster.
    pub scales: Vec<f64>,
    /// The standard deviation of neighbour distances of each cluster: learned where lengths are Gaussian, otherwise that of the
    /// links of the graph; 0 where there are fewer than two.
    pub spreads: Vec<f64>,
    /// The background.
    pub background: LinkLengths,
    /// The log joint and its parts.
    pub log_joint: LogJoint,
    /// The log joint at the start of the winning restart and after each pass; of a search, of the answer alone.
    pub trace: Vec<f64>,
    /// The log joint that each restart of the paper's algorithm ended with.
    pub restarts: Vec<f64>,
    /// Every partition that the search considered, best first: the first is the answer, the others are the runners-up.
    /// Empty for the paper's algorithm.
    pub proposals: Vec<Proposal>,
    /// The score of each number of clusters, from the least; empty where the number was given or the paper's algorithm ran.
    pub numbers: Vec<NumberScore>,
    /// The modes of the density of the points; `None` for the paper's algorithm, and where too few neighbours are known.
    pub modes: Option<DensityModes>,
    /// The sizes of the components of the support, greatest first. With fewer clusters than components, some clusters are
    /// connected by unobserved pairs.
    pub component_sizes: Vec<usize>,
    /// How much of each step the search did; `None` for other ways of inference.
    pub plan: Option<Plan>,
    /// The posterior as its draws tell; only where it was sampled.
    pub posterior: Option<Posterior>,
    /// Number of points of the even sample that this is the fit of, where the work was cancelled before the neighbours of all
    /// points were known: every other point has the cluster of the nearest of them, and scales, graph and scores are those of
    /// the sample. `None` otherwise.
    pub cut_to: Option<usize>,
    /// Why the fit ended.
    pub ended: Termination,
}

impl LatentGraphFit {
    /// Number of components of the support: 1 where it connects all points.
    pub fn n_components(&self) -> usize {
        self.component_sizes.len()
    }

    /// Number of isolated points: those in no pair that may be a link.
    pub fn n_isolated(&self) -> usize {
        let one = self.component_sizes.len() - self.component_sizes.partition_point(|&size| size > 1);
        if self.labels.n_points() > 1 { one } else { 0 }
    }

    /// Number of links of the graph that are unobserved pairs.
    pub fn n_unobserved_links(&self) -> usize {
        self.graph.iter().filter(|link| link.length.is_nan()).count()
    }

    /// Whether the number of clusters was to be chosen, but the fit was cancelled before that number was searched to its end: it is
    /// then the best of cuts of linkages.
    pub fn number_is_provisional(&self) -> bool {
        let n_clusters = self.labels.n_clusters();
        let not_searched = self.numbers.iter().any(|row| row.n_clusters == n_clusters && !row.searched);
        self.ended == Termination::Cancelled && not_searched
    }

    /// The cluster of each point; `None` for noise.
    pub fn labels_or_noise(&self) -> Vec<Option<usize>> {
        let mut labels: Vec<Option<usize>> = self.labels.as_slice().iter().copied().map(Some).collect();
        self.noise.iter().for_each(|&i| labels[i] = None);
        labels
    }
}

/// The standard deviation of a cluster's lengths: exponential ones have no spread of their own, so that of the links is taken.
fn spread(lengths: LinkLengths, links: impl Iterator<Item = f64> + Clone) -> f64 {
    if let LinkLengths::Gaussian { spread, .. } = lengths {
        return spread;
    }
    // Squares of parts of the longest do not overflow.
    let longest = links.clone().filter(|length| !length.is_nan()).fold(0.0, f64::max);
    let parts = links.map(|length| length / longest).filter(|part| part.is_finite());
    let n = parts.clone().count().max(1) as f64;
    let mean = parts.clone().sum::<f64>() / n;
    let variance = parts.map(|part| (part - mean).powi(2)).sum::<f64>() / n;
    longest * variance.sqrt()
}

/// A line: the clusters and their sizes, noise, the log joint, and how the fit ended.
impl std::fmt::Display for LatentGraphFit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.labels)?;
        if !self.noise.is_empty() {
            write!(out, ", {} of them noise", self.noise.len())?;
        }
        write!(out, "; log joint {:.3}; {}", self.log_joint.total(), self.ended)
    }
}

/// The most probable run, its clusters numbered in the order of first appearance.
pub(crate) fn best(runs: Vec<Found>, background: LinkLengths) -> Result<LatentGraphFit, Error> {
    let restarts: Vec<f64> = runs.iter().map(|run| run.log_joint.total()).collect();
    // Where every run needs forbidden links, the one with the fewest is the best.
    let better = |best: Found, run: Found| {
        let (old, new) = (best.n_forbidden(), run.n_forbidden());
        if new < old || (new == old && run.log_joint.total() > best.log_joint.total()) { run } else { best }
    };
    let found = runs.into_iter().reduce(better).ok_or(Error::Settings(SettingError::NRestarts))?;
    let labels = Labels::of_numbers(&found.labels);
    let mut order = vec![0; found.classes.len()];
    found.labels.iter().zip(labels.as_slice()).for_each(|(&class, &label)| order[label] = class);
    let classes: Vec<LinkLengths> = order.iter().map(|&class| found.classes[class]).collect();
    let spreads = (0..order.len())
        .map(|label| spread(classes[label], found.links[order[label]].iter().map(|link| link.length)))
        .collect();
    let mut graph = Vec::with_capacity(found.links.iter().map(Vec::len).sum());
    let mut links = found.links;
    for (class, &own) in order.iter().enumerate() {
        let link = |link: Link| ClassLink { from: link.from, to: link.to, class, length: link.length };
        // Taken, so that there are not two copies of all links.
        graph.extend(std::mem::take(&mut links[own]).into_iter().map(link));
    }
    Ok(LatentGraphFit {
        graph,
        scales: classes.iter().map(|lengths| lengths.scale()).collect(),
        spreads,
        labels,
        noise: Vec::new(),
        background,
        log_joint: found.log_joint,
        trace: found.trace,
        restarts,
        proposals: Vec::new(),
        numbers: Vec::new(),
        modes: None,
        component_sizes: Vec::new(),
        plan: None,
        posterior: None,
        cut_to: None,
        ended: found.ended,
    })
}
