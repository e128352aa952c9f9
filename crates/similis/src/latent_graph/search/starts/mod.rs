//! The starts of the search: partitions with as many classes as wanted, from many sources.
//!
//! None is right for every input; the search climbs from the best of them by its own score. Lengths must be distances.

pub(crate) mod balanced;
pub(crate) mod constrained;
pub(crate) mod density;
pub(crate) mod features;
pub(crate) mod folds;
pub(crate) mod linkage;
pub(crate) mod origin;
pub(crate) mod propagate;
pub(crate) mod reachability;
pub(crate) mod repair;
pub(crate) mod smooth;
pub(crate) mod subsample;

pub(crate) use origin::{Origin, Smoothing, Start};
use smooth::smooth;

use crate::constraints::Constraints;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::context::ground::Ground;
use crate::latent_graph::search::at_scale::MOST_FOR_MANY;
use crate::run::observer::{Observer, Progress, Quiet};
use crate::run::parallel;
use crate::run::random::stream;
use balanced::balanced_linkage;
use density::{at_random, level, spacing};
use features::{feature_starts, usual_feature_start};
use linkage::{Balance, Linkage, PartJoint, likelihood_linkage};
use reachability::Reachability;
use repair::honour;

/// The neighbours whose distance is a core distance. Linkage takes the first.
const CORES: [usize; 2] = [5, 10];

/// The parts of the points that are dense, where only a few levels are looked at.
const FEW_QUANTILES: [f64; 3] = [0.25, 0.45, 0.65];

/// Up to here, points times classes, labels may be smoothed where there are many points.
const MOST_SMOOTHED: usize = 20_000_000;

/// Where the numbers of random streams begin, away from those of restarts.
const FIRST_STREAM: u64 = 1 << 32;

const BY_2: Smoothing = Smoothing { n_neighbours: 2, shape: 1 };
const BY_4: Smoothing = Smoothing { n_neighbours: 4, shape: 1 };
const BY_4_SQUARED: Smoothing = Smoothing { n_neighbours: 4, shape: 2 };

/// A partition to start from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// Where it came from.
    pub(crate) start: Start,
    /// The class of each point: 0 .. M, where nothing is known beforehand in order of first appearance.
    pub(crate) labels: Vec<usize>,
    /// How many points of which something is said its maker is wrong about when they are held out; 0 where side information
    /// took no part in its making.
    pub(crate) missed: f64,
}

/// What the starts depend on, besides what was observed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starts<'a> {
    /// Number of clusters (M), from 1 to the number of points.
    pub(crate) n_clusters: usize,
    /// What every partition must obey; M classes can.
    pub(crate) constraints: &'a Constraints,
    /// Where all chance comes from.
    pub(crate) seed: u64,
}

/// What starts of every number of classes are taken from: computed once.
#[derive(Debug)]
pub(crate) struct Sources {
    reach: Vec<Reachability>,
    linkages: Vec<(Origin, Linkage)>,
}

impl Sources {
    /// Computes what all starts need, or where the search is not `whole` what linkages do; where `observer` cancels, with fewer
    /// linkages, one at least.
    pub(crate) fn new(ground: &Ground<'_>, whole: bool, observer: &dyn Observer) -> Self {
        let (n_cores, n_near) = if whole { (CORES.len(), usize::MAX) } else { (1, 2 * CORES[0]) };
        let reach = parallel::map(n_cores, |at| Reachability::new(ground, CORES[at], n_near));
        let mut origins = linkage_origins(Some(CORES[0])).to_vec();
        origins.retain(|origin| whole || !is_seldom_best(*origin));
        if ground.n_points() > MOST_FOR_MANY {
            origins.retain(|origin| is_often_best(*origin));
        }
        let linkages = parallel::map(origins.len(), |at| {
            let linkage = || linked(ground, &reach[0], origins[at]).map(|linkage| (origins[at], linkage));
            let linkage = (at == 0 || !observer.cancelled()).then(linkage).flatten();
            let fraction = (at + 1) as f64 / origins.len() as f64;
            observer.progress(Progress { phase: "linkages", fraction, log_joint: None });
            linkage
        });
        Self { linkages: linkages.into_iter().flatten().collect(), reach }
    }

    /// Linkages by length alone, on both trees: only side information can stop them in time.
    fn by_length(&self, ground: &Ground<'_>) -> Vec<(Origin, Linkage)> {
        let of_tree = |core: Option<usize>, tree: &[Link]| {
            let origin = Origin::Balanced { most_unequal: 1.0, core };
            (origin, Linkage::new(ground.n_points(), tree.iter().copied()))
        };
        let reached = self.reach.iter().take(1).map(|reach| of_tree(Some(CORES[0]), &reach.tree));
        std::iter::once(of_tree(None, &ground.tree)).chain(reached).collect()
    }

    /// Returns the different cuts of all linkages into `n_clusters` parts that obey side information.
    pub(crate) fn cuts(
        &self,
        ground: &Ground<'_>,
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Vec<Candidate> {
        self.cuts_of(|_| true, ground, n_clusters, constraints)
    }

    /// As [`Sources::cuts`], of the linkages alone that numbers of classes are compared by where there are many points.
    pub(crate) fn few_cuts(
        &self,
        ground: &Ground<'_>,
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Vec<Candidate> {
        self.cuts_of(is_for_numbers, ground, n_clusters, constraints)
    }

    fn cuts_of(
        &self,
        wanted: impl Fn(Origin) -> bool,
        ground: &Ground<'_>,
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for (origin, linkage) in self.linkages.iter().filter(|(origin, _)| wanted(*origin)) {
            let labels =
                honour(linkage.cut(n_clusters).as_slice(), constraints, n_clusters, &ground.neighbours);
            if found.iter().all(|other| other.labels != labels) {
                found.push(Candidate { start: Start::of(*origin), labels, missed: 0.0 });
            }
        }
        found
    }
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

/// Whether a linkage is cut into every number of classes even where there are many points.
fn is_for_numbers(origin: Origin) -> bool {
    matches!(
        origin,
        Origin::Linkage { balance: Balance::Dirichlet | Balance::Kappa(0.3), core: None }
            | Origin::Balanced { most_unequal: 0.3, core: None }
    )
}

/// Whether a linkage is made of any number of points.
fn is_often_best(origin: Origin) -> bool {
    match origin {
        Origin::Linkage { balance: Balance::Dirichlet, .. } => true,
        Origin::Linkage { balance, core } => core.is_none() && balance == Balance::Kappa(0.3),
        Origin::Balanced { most_unequal, core } => core.is_none() && most_unequal < 0.5,
        _ => false,
    }
}

/// Whether a linkage is left out where there are many points.
fn is_seldom_best(origin: Origin) -> bool {
    match origin {
        Origin::Linkage { balance: Balance::Kappa(_), core } => core.is_some(),
        Origin::Balanced { most_unequal, core } => core.is_none() && most_unequal > 0.5,
        _ => false,
    }
}

/// Returns different partitions with exactly M classes, at least one; each obeys side information (see [`honour`]).
///
/// Where `observer` cancels, the sources that were not yet asked are left out.
pub(crate) fn candidates(
    ground: &Ground<'_>,
    sources: &Sources,
    starts: &Starts<'_>,
    observer: &dyn Observer,
) -> Vec<Candidate> {
    let report = |fraction| report(observer, fraction);
    report(0.0);
    let mut found = starts.linkages(ground, sources);
    report(0.2);
    // One class, or every point its own: there is but one partition.
    if starts.n_clusters > 1 && starts.n_clusters < ground.n_points() {
        if !observer.cancelled() {
            found.extend(starts.densities(ground, &sources.reach, observer));
            report(0.5);
        }
        if !observer.cancelled() {
            found.extend(starts.features(ground, observer));
        }
    }
    report(1.0);
    let mut kept = starts.distinct(found, ground);
    if !starts.constraints.is_empty() && !observer.cancelled() {
        starts.add_obeying(&mut kept, ground, sources);
    }
    kept
}

/// Returns different partitions with exactly M classes, at least one: the cuts of linkages and, where there are not too many
/// points, density levels and what the latent feature model finds with its usual affinity.
pub(crate) fn cheap_candidates(
    ground: &Ground<'_>,
    sources: &Sources,
    starts: &Starts<'_>,
    observer: &dyn Observer,
) -> Vec<Candidate> {
    let mut found = sources.cuts(ground, starts.n_clusters, starts.constraints);
    report(observer, 0.5);
    let is_one = starts.n_clusters == 1 || starts.n_clusters == ground.n_points();
    if !is_one && ground.n_points() <= MOST_FOR_MANY && !observer.cancelled() {
        found.extend(starts.distinct(starts.levels(ground, &sources.reach), ground));
    }
    if !is_one && ground.n_points() <= MOST_FOR_MANY && !observer.cancelled() {
        let features = usual_feature_start(ground, starts.n_clusters, starts.seed, &Quiet(observer));
        let features = features.into_iter();
        let features = features.map(|(origin, labels)| (Start::of(origin), labels));
        found.extend(starts.distinct(features.collect(), ground));
    }
    if !starts.constraints.is_empty() && !observer.cancelled() {
        starts.add_obeying(&mut found, ground, sources);
    }
    found
}

fn report(observer: &dyn Observer, fraction: f64) {
    observer.progress(Progress { phase: "starts", fraction, log_joint: None });
}

/// A partition as its source left it.
pub(crate) type Found = (Start, Labels);

impl Starts<'_> {
    /// Linkages of both kinds, on both trees; those by likelihood smoothed too.
    fn linkages(&self, ground: &Ground<'_>, sources: &Sources) -> Vec<Found> {
        let found = parallel::map(sources.linkages.len(), |at| {
            let (origin, linkage) = &sources.linkages[at];
            let smoothings: &[Smoothing] =
                if matches!(origin, Origin::Linkage { .. }) { &[BY_2, BY_4] } else { &[] };
            self.smoothed(ground, *origin, linkage.cut(self.n_clusters).as_slice(), smoothings)
        });
        found.into_iter().flatten().collect()
    }

    /// What the latent feature model finds.
    fn features(&self, ground: &Ground<'_>, observer: &dyn Observer) -> Vec<Found> {
        let found = feature_starts(ground, self.n_clusters, self.seed, &Quiet(observer));
        found.into_iter().map(|(origin, labels)| (Start::of(origin), labels)).collect()
    }

    /// A few density levels, each raw and, where there is room for it, smoothed.
    fn levels(&self, ground: &Ground<'_>, reach: &[Reachability]) -> Vec<Found> {
        let room = ground.n_points().saturating_mul(self.n_clusters) <= MOST_SMOOTHED;
        let smoothings: &[Smoothing] = if room { &[BY_4] } else { &[] };
        let found = parallel::map(FEW_QUANTILES.len(), |at| {
            let origin = Origin::Level { core: CORES[0], quantile: FEW_QUANTILES[at] };
            let labels = self.by_density(ground, reach, origin)?;
            Some(self.smoothed(ground, origin, &labels, smoothings))
        });
        found.into_iter().flatten().flatten().collect()
    }

    /// Density levels, spacings and random labels, each raw and smoothed.
    fn densities(&self, ground: &Ground<'_>, reach: &[Reachability], observer: &dyn Observer) -> Vec<Found> {
        let origins = self.density_origins();
        let found = parallel::map(origins.len(), |at| {
            let labels = self.by_density(ground, reach, origins[at]).filter(|_| !observer.cancelled())?;
            Some(self.smoothed(ground, origins[at], &labels, &[BY_2, BY_4, BY_4_SQUARED]))
        });
        found.into_iter().flatten().flatten().collect()
    }

    fn density_origins(&self) -> Vec<Origin> {
        let n_draws = if self.n_clusters == 2 { 1 } else { 3 };
        let mut origins = Vec::new();
        for core in CORES {
            let quantile = |at: u32| 0.15 + 0.1 * f64::from(at);
            origins.extend((0..9).map(|at| Origin::Level { core, quantile: quantile(at) }));
            origins.extend((0..=n_draws).map(|draw| Origin::Spacing { core, draw }));
        }
        origins.extend((0..4).map(|draw| Origin::Random { draw }));
        origins
    }

    fn by_density(&self, ground: &Ground<'_>, reach: &[Reachability], origin: Origin) -> Option<Vec<usize>> {
        let random = |number: usize, draw: u64| stream(self.seed, FIRST_STREAM + 100 * number as u64 + draw);
        let of = |core: usize| reach.iter().find(|reach| reach.n_neighbours == core);
        match origin {
            Origin::Level { core, quantile } => level(of(core)?, quantile, self.n_clusters),
            Origin::Spacing { core, draw: 0 } => Some(spacing(of(core)?, self.n_clusters, None)),
            Origin::Spacing { core, draw } => {
                Some(spacing(of(core)?, self.n_clusters, Some(&mut random(core, draw))))
            }
            Origin::Random { draw } => {
                Some(at_random(ground.n_points(), self.n_clusters, &mut random(0, draw)))
            }
            _ => None,
        }
    }

    /// Labels as they are, and smoothed in each way.
    fn smoothed(
        &self,
        ground: &Ground<'_>,
        origin: Origin,
        labels: &[usize],
        smoothings: &[Smoothing],
    ) -> Vec<Found> {
        let smooth_by = |by: &Smoothing| {
            let smoothed = smooth(ground, labels, self.n_clusters, by.n_neighbours, by.shape);
            (Start { smoothing: Some(*by), ..Start::of(origin) }, Labels::new(&smoothed))
        };
        let raw = (Start::of(origin), Labels::new(labels));
        std::iter::once(raw).chain(smoothings.iter().map(smooth_by)).collect()
    }

    /// The first of each partition that has exactly M classes, with side information honoured.
    pub(crate) fn distinct(&self, found: Vec<Found>, ground: &Ground<'_>) -> Vec<Candidate> {
        let mut kept: Vec<Candidate> = Vec::new();
        for (start, labels) in found {
            if labels.n_clusters() != self.n_clusters {
                continue;
            }
            let labels = honour(labels.as_slice(), self.constraints, self.n_clusters, &ground.neighbours);
            if kept.iter().all(|other| other.labels != labels) {
                kept.push(Candidate { start, labels, missed: 0.0 });
            }
        }
        kept
    }
}

/// The linkage that an origin names, if it names one.
fn linked(ground: &Ground<'_>, reach: &Reachability, origin: Origin) -> Option<Linkage> {
    let n = ground.n_points();
    let tree = |core: Option<usize>| {
        core.map_or((&ground.tree, ground.mean_link), |_| (&reach.tree, reach.mean_link))
    };
    match origin {
        Origin::Linkage { balance, core } => {
            let (tree, mean_link) = tree(core);
            let joint = PartJoint::new(mean_link, ground.floor(), balance, n);
            let joint = joint.joining(ground.log_join(1.0) - ground.mean_link.ln());
            Some(likelihood_linkage(tree, n, &joint))
        }
        Origin::Balanced { most_unequal, core } => {
            Some(balanced_linkage(tree(core).0, n, most_unequal, ground.joined_at.is_some()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
