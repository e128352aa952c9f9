//! The starts of the search: partitions with the wanted number of clusters, from many sources.
//!
//! None is right for every input; local search refines the best of them by the score. Lengths must be distances.

pub(crate) mod balanced;
pub(crate) mod borders;
pub(crate) mod constrained;
pub(crate) mod density;
pub(crate) mod features;
pub(crate) mod folds;
pub(crate) mod linkage;
pub(crate) mod mass;
pub(crate) mod origin;
pub(crate) mod propagate;
pub(crate) mod reachability;
pub(crate) mod repair;
pub(crate) mod smooth;
pub(crate) mod subsample;

pub(crate) use origin::{Origin, Smoothing, Start};
use smooth::NearLengths;

use std::sync::OnceLock;

use crate::constraints::Constraints;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_feature::features::Features;
use crate::latent_feature::scaling::principal_coordinates;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::partition::Partition;
use crate::plan::{Densities, Linkages, Plan};
use crate::run::observer::{Observer, Progress, Quiet};
use crate::run::parallel;
use crate::run::random::{START_STREAMS, stream};
use balanced::balanced_linkage;
use density::{level, spacing};
use features::{feature_starts, mixture_start};
use linkage::{Balance, Linkage, PartJoint, likelihood_linkage};
use mass::CondensedTree;
use reachability::Reachability;
use repair::honour;

/// The neighbour (k) whose distance is the core distance. Not tuned; starts by the tenth neighbour added nothing
/// (`docs/evidence/what-was-tried.md`).
const CORE: usize = 5;

/// Fractions of the points that count as dense, for a plan with few density level sets. Not tuned.
const FEW_QUANTILES: [f64; 3] = [0.25, 0.45, 0.65];

/// Smoothing by the 4 nearest cluster mates, with exponential lengths. Not tuned.
pub(crate) const BY_4: Smoothing = Smoothing { n_neighbours: 4, shape: 1 };

/// The settings of the starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starts<'a> {
    /// Number of clusters (M), from 1 to the number of points.
    pub(crate) n_clusters: usize,
    /// The constraints, which every partition obeys; M clusters can.
    pub(crate) constraints: &'a Constraints,
    /// The seed of all random numbers.
    pub(crate) seed: u64,
    /// Which starts are built.
    pub(crate) plan: Plan,
}

/// The sources of starts for every number of clusters: computed once.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Mutual reachabilities and the number of links looked at of every point, once somebody needs them.
    reach: OnceLock<Reachability>,
    n_near: usize,
    /// `None` where there are more clusters than it has.
    condensed: Option<CondensedTree>,
    linkages: Vec<(Origin, Linkage)>,
    /// The points in classical-scaling space, where a mixture of Gaussians is a start.
    coordinates: Option<Features>,
}

impl Sources {
    /// Computes what the starts of the plan need; where `observer` cancels, with fewer linkages, one at least.
    pub(crate) fn new(context: &Context<'_>, plan: &Plan, observer: &dyn Observer) -> Self {
        let n_near = if plan.is_whole { usize::MAX } else { 2 * CORE };
        let mut sources =
            Self { reach: OnceLock::new(), n_near, condensed: None, linkages: Vec::new(), coordinates: None };
        if plan.linkages != Linkages::One {
            let tree = &sources.reach(context).tree;
            let (n, floor) = (context.n_points(), context.floor());
            sources.condensed = Some(CondensedTree::new(tree, n, floor, context.weights()));
        }
        let mut origins = linkage_origins(Some(CORE)).to_vec();
        origins.retain(|origin| least_linkages(*origin) <= plan.linkages);
        let linkages = parallel::map(origins.len(), |at| {
            let linkage = || sources.linked(context, origins[at]).map(|linkage| (origins[at], linkage));
            let linkage = (at == 0 || !observer.cancelled()).then(linkage).flatten();
            let fraction = (at + 1) as f64 / origins.len() as f64;
            observer.progress(Progress { phase: "linkages", fraction, log_joint: None });
            linkage
        });
        let mixed = plan.mixture && !observer.cancelled();
        let coordinates = mixed
            .then(|| principal_coordinates(context.observed, features::MOST_DIMENSIONS, &Quiet(observer)))
            .flatten();
        Self { linkages: linkages.into_iter().flatten().collect(), coordinates, ..sources }
    }

    /// Mutual reachabilities; found once.
    fn reach(&self, context: &Context<'_>) -> &Reachability {
        self.reach.get_or_init(|| Reachability::new(context, CORE, self.n_near))
    }

    /// The linkage that an origin names, if it names one.
    fn linked(&self, context: &Context<'_>, origin: Origin) -> Option<Linkage> {
        let n = context.n_points();
        let tree = |core: Option<usize>| match core.map(|_| self.reach(context)) {
            Some(reach) => (reach.tree.as_slice(), reach.mean_link),
            None => (context.tree.as_slice(), context.mean_link),
        };
        match origin {
            Origin::Linkage { balance, core } => {
                let (tree, mean_link) = tree(core);
                let joint = PartJoint::new(mean_link, context.floor(), balance, n);
                let joint = joint.joining(context.log_join(1.0) - context.mean_link.ln());
                Some(likelihood_linkage(tree, n, &joint))
            }
            Origin::Balanced { most_unequal, core } => {
                Some(balanced_linkage(tree(core).0, n, most_unequal, context.joined_at.is_some()))
            }
            _ => None,
        }
    }

    /// Single linkages, on both trees: only constraints can stop them in time.
    fn by_length(&self, context: &Context<'_>) -> Vec<(Origin, Linkage)> {
        let of_tree = |core: Option<usize>, tree: &[Link]| {
            let origin = Origin::Balanced { most_unequal: 1.0, core };
            (origin, Linkage::new(context.n_points(), tree.iter().copied()))
        };
        vec![of_tree(None, &context.tree), of_tree(Some(CORE), &self.reach(context).tree)]
    }

    /// Returns the different cuts into `n_clusters` components of the linkages by which numbers of clusters are compared, and the
    /// partition by modes; each obeys side information.
    pub(crate) fn cuts(
        &self,
        context: &Context<'_>,
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Vec<Partition> {
        let mut found: Vec<Partition> = Vec::new();
        for (origin, linkage) in self.linkages.iter().filter(|(origin, _)| is_for_numbers(*origin)) {
            let labels =
                honour(linkage.cut(n_clusters).as_slice(), constraints, n_clusters, &context.neighbours);
            if found.iter().all(|other| other.labels != labels) {
                found.push(Partition::new(Start::of(*origin), labels));
            }
        }
        for start in by_modes(context, n_clusters).into_iter().chain(self.by_mass(context, n_clusters)) {
            let labels = honour(&start.labels, constraints, n_clusters, &context.neighbours);
            if found.iter().all(|other| other.labels != labels) {
                found.push(Partition { labels, ..start });
            }
        }
        found
    }

    /// The linkage whose cuts are all that [`Sources::cuts`] has; `None` where there are other partitions.
    pub(crate) fn only_linkage(&self, context: &Context<'_>) -> Option<(Origin, &Linkage)> {
        let is_alone = self.condensed.is_none() && context.modes().modes().is_none();
        match self.linkages.as_slice() {
            [(origin, linkage)] if is_alone && is_for_numbers(*origin) => Some((*origin, linkage)),
            _ => None,
        }
    }

    /// The clusters of the condensed tree with the greatest excess of mass; `None` if there are fewer than `n_clusters`.
    fn by_mass(&self, context: &Context<'_>, n_clusters: usize) -> Option<Partition> {
        let labels = self.condensed.as_ref()?.labels(&self.reach(context).tree, n_clusters)?;
        Some(of_labels(Start::of(Origin::Mass { core: CORE }), &labels))
    }
}

/// The basins of the most prominent modes; `None` if there are fewer than `n_clusters`.
fn by_modes(context: &Context<'_>, n_clusters: usize) -> Option<Partition> {
    let modes = context.modes();
    let n_neighbours = modes.modes()?.n_neighbours;
    let labels = modes.labels(n_clusters)?;
    Some(of_labels(Start::of(Origin::Modes { n_neighbours }), &labels))
}

/// Linkages of both kinds, on both trees.
fn linkage_origins(core: Option<usize>) -> [Origin; 10] {
    let linkage = |balance, core| Origin::Linkage { balance, core };
    let balanced = |most_unequal, core| Origin::Balanced { most_unequal, core };
    [
        linkage(Balance::Dirichlet, None),
        linkage(Balance::Kappa(0.1), None),
        linkage(Balance::Kappa(0.3), None),
        linkage(Balance::Dirichlet, core),
        linkage(Balance::Kappa(0.1), core),
        balanced(0.1, None),
        balanced(0.3, None),
        balanced(0.5, None),
        balanced(0.7, None),
        balanced(0.3, core),
    ]
}

/// Whether a linkage is cut into every number of clusters.
fn is_for_numbers(origin: Origin) -> bool {
    matches!(
        origin,
        Origin::Linkage { balance: Balance::Dirichlet | Balance::Kappa(0.3), core: None }
            | Origin::Balanced { most_unequal: 0.3, core: None }
    )
}

/// The smallest set of linkages that this one belongs to.
fn least_linkages(origin: Origin) -> Linkages {
    match origin {
        Origin::Linkage { balance: Balance::Dirichlet, core: None } => Linkages::One,
        Origin::Linkage { balance: Balance::Dirichlet, .. } => Linkages::Few,
        Origin::Linkage { core: Some(_), .. } => Linkages::All,
        Origin::Linkage { balance: Balance::Kappa(0.3), .. } => Linkages::Few,
        Origin::Balanced { most_unequal, core: None } if most_unequal < 0.5 => Linkages::Few,
        Origin::Balanced { most_unequal, core: None } if most_unequal > 0.5 => Linkages::All,
        _ => Linkages::Most,
    }
}

fn report(observer: &dyn Observer, fraction: f64) {
    observer.progress(Progress { phase: "starts", fraction, log_joint: None });
}

impl Starts<'_> {
    /// Returns different partitions with exactly M clusters, at least one; each obeys side information (see [`honour`]).
    ///
    /// Where `observer` cancels, the remaining sources are left out.
    pub(crate) fn build(
        &self,
        context: &Context<'_>,
        sources: &Sources,
        observer: &dyn Observer,
    ) -> Vec<Partition> {
        report(observer, 0.0);
        let mut found = self.linkages(sources);
        found.extend(self.by_soft_pairs(sources));
        report(observer, 0.2);
        // One cluster, or every point, or group of points that stay together, its own: there is but one partition.
        let most = self.constraints.most_clusters_of(context.n_points());
        if self.n_clusters > 1 && self.n_clusters < most {
            found.extend(by_modes(context, self.n_clusters));
            found.extend(sources.by_mass(context, self.n_clusters));
            if !observer.cancelled() {
                found.extend(self.densities(context, sources, observer));
                report(observer, 0.5);
            }
            if !observer.cancelled() {
                found.extend(self.features(context, observer));
                let mixture =
                    |coordinates| mixture_start(coordinates, context.mean_link, self, &Quiet(observer));
                let mixture = sources.coordinates.as_ref().filter(|_| self.plan.mixture).and_then(mixture);
                found.extend(mixture.map(|(origin, labels)| of_labels(Start::of(origin), &labels)));
            }
        }
        let mut kept = self.distinct(found, context);
        if self.constraints.is_informed() && !observer.cancelled() {
            self.add_obeying(&mut kept, context, sources);
        }
        kept
    }

    /// Linkages of both kinds, on both trees.
    fn linkages(&self, sources: &Sources) -> Vec<Partition> {
        parallel::map(sources.linkages.len(), |at| {
            let (origin, linkage) = &sources.linkages[at];
            of_labels(Start::of(*origin), &linkage.cut(self.n_clusters))
        })
    }

    /// Linkages that obey the soft pairs as if they were certain.
    fn by_soft_pairs(&self, sources: &Sources) -> Vec<Partition> {
        let Some(certain) = self.constraints.as_if_certain() else { return Vec::new() };
        let cuts = parallel::map(sources.linkages.len(), |at| {
            let (origin, linkage) = &sources.linkages[at];
            let labels = linkage.obeying_cut(self.n_clusters, &certain)?;
            Some(of_labels(Start::of(*origin), &labels))
        });
        cuts.into_iter().flatten().collect()
    }

    /// Spectral clusterings by the latent feature model.
    fn features(&self, context: &Context<'_>, observer: &dyn Observer) -> Vec<Partition> {
        let found = feature_starts(context, self, &Quiet(observer));
        found.into_iter().map(|(origin, labels)| of_labels(Start::of(origin), &labels)).collect()
    }

    /// Density level sets and cuts by core distance, each as it is and smoothed.
    fn densities(&self, context: &Context<'_>, sources: &Sources, observer: &dyn Observer) -> Vec<Partition> {
        let origins = match self.plan.densities {
            Densities::None => return Vec::new(),
            Densities::Few => Self::few_levels(),
            Densities::All => self.density_origins(),
        };
        let near = self.plan.may_smooth(self.n_clusters).then(|| NearLengths::new(context, BY_4));
        let reach = sources.reach(context);
        let found = parallel::map(origins.len(), |at| {
            let labels = self.by_density(reach, origins[at]).filter(|_| !observer.cancelled())?;
            let start = Start::of(origins[at]);
            let smoothed = near.as_ref().map(|near| near.smoothed(&labels, self.n_clusters));
            let smoothed = smoothed
                .map(|labels| of_labels(Start { smoothing: Some(BY_4), ..start }, &Labels::new(&labels)));
            Some(std::iter::once(of_labels(start, &Labels::new(&labels))).chain(smoothed).collect::<Vec<_>>())
        });
        found.into_iter().flatten().flatten().collect()
    }

    /// Density level sets and cuts by core distance, smoothed.
    pub(crate) fn smoothed_levels(
        &self,
        context: &Context<'_>,
        sources: &Sources,
        observer: &dyn Observer,
    ) -> Vec<Partition> {
        let mut found = self.densities(context, sources, observer);
        found.retain(|partition| partition.start.smoothing.is_some());
        found
    }

    fn few_levels() -> Vec<Origin> {
        FEW_QUANTILES.iter().map(|&quantile| Origin::Level { core: CORE, quantile }).collect()
    }

    fn density_origins(&self) -> Vec<Origin> {
        let n_draws = if self.n_clusters == 2 { 1 } else { 3 };
        let level = |at: u32| Origin::Level { core: CORE, quantile: 0.15 + 0.1 * f64::from(at) };
        let spacing = |draw: u64| Origin::Spacing { core: CORE, draw };
        (0..9).map(level).chain((0..=n_draws).map(spacing)).collect()
    }

    fn by_density(&self, reach: &Reachability, origin: Origin) -> Option<Vec<usize>> {
        let random = |draw: u64| stream(self.seed, START_STREAMS + draw);
        match origin {
            Origin::Level { quantile, .. } => level(reach, quantile, self.n_clusters),
            Origin::Spacing { draw: 0, .. } => Some(spacing(reach, self.n_clusters, None)),
            Origin::Spacing { draw, .. } => Some(spacing(reach, self.n_clusters, Some(&mut random(draw)))),
            _ => None,
        }
    }

    /// The first of each partition that has exactly M clusters, with side information honoured.
    pub(crate) fn distinct(&self, found: Vec<Partition>, context: &Context<'_>) -> Vec<Partition> {
        let mut kept: Vec<Partition> = Vec::new();
        for partition in found {
            if n_clusters(&partition.labels) != self.n_clusters {
                continue;
            }
            let labels = honour(&partition.labels, self.constraints, self.n_clusters, &context.neighbours);
            if kept.iter().all(|other| other.labels != labels) {
                kept.push(Partition { labels, ..partition });
            }
        }
        kept
    }
}

/// A start as its source left it, clusters numbered in the order of first appearance.
pub(crate) fn of_labels(start: Start, labels: &Labels) -> Partition {
    Partition::new(start, labels.as_slice().to_vec())
}

/// Number of clusters of labels that are numbered in the order of first appearance.
fn n_clusters(labels: &[usize]) -> usize {
    labels.iter().max().map_or(0, |&last| last + 1)
}

#[cfg(test)]
mod tests;
