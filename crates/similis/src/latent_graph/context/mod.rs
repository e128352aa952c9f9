//! What every step of a fit looks at: the observed pairs, neighbour lists, minimum spanning tree, unit of length.

pub(crate) mod cluster_trees;
pub(crate) mod memory;
pub(crate) mod modes;
pub(crate) mod pair_lengths;
pub(crate) mod sample;
pub(crate) mod setup;
pub(crate) mod task;

use std::sync::{Arc, OnceLock};

use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::graph::neighbours::Neighbours;
use crate::graph::shared::{shared_neighbours_until, shared_tree, shared_tree_until};
use crate::graph::spanning::from_lists::listed_tree;
use crate::input::Dissimilarity;
use crate::latent_graph::context::modes::PointModes;
use crate::latent_graph::context::pair_lengths::PairLengths;
use crate::plan::{N_LISTED, Plan};
use crate::run::observer::{Observer, Progress, Silent, Uncancelled};

/// Least length of a link, as a fraction of the mean link: coinciding points have no length to learn a scale from. Not tuned.
const FLOOR: f64 = 0.01;

/// The observed pairs, their minimum spanning tree, and the nearest neighbours of each point: computed once, shared by all.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    /// The minimum spanning tree, shortest link first; see [`global_tree`].
    pub(crate) tree: Arc<Vec<Link>>,
    /// The 30 nearest neighbours of each point (of many points 15), or all if there are fewer.
    pub(crate) neighbours: Neighbours,
    /// The number of neighbours that was asked for.
    pub(crate) n_listed: usize,
    /// Whether trees are those of the listed neighbours, as all pairs would take too long.
    pub(crate) by_lists: bool,
    /// The mean length of the links of the minimum spanning tree that were observed.
    pub(crate) mean_link: f64,
    /// The scale of all pairs, in units of the mean link, where a cluster may be connected by pairs that a sparse input does
    /// not list: see [`Context::log_join`]. `None` where it may not.
    pub(crate) joined_at: Option<f64>,
    /// How many equal points each stands for; `None`: one.
    weights: Option<Arc<Vec<f64>>>,
    /// The modes of the density, once somebody asked for them.
    modes: OnceLock<PointModes>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(observed: &'a Dissimilarity<'a>, observer: &dyn Observer) -> Self {
        Self::with_neighbours(observed, observer, N_LISTED)
    }

    /// The context of a search. Where lists may have missed neighbours and the search is not whole, the minimum spanning tree is
    /// that of the lists ([`listed_tree`]).
    pub(crate) fn planned(observed: &'a Dissimilarity<'a>, plan: &Plan, observer: &dyn Observer) -> Self {
        let neighbours = listed_as_planned(observed, plan, &Uncancelled(observer));
        // Nobody cancels.
        let neighbours = neighbours.unwrap_or_else(|| Neighbours::none(observed.n_points()));
        let by_lists = is_by_lists(plan, &neighbours);
        let tree = if by_lists {
            let all: Vec<usize> = (0..observed.n_points()).collect();
            let tree = listed_tree(observed, &neighbours, &all);
            observer.progress(Progress { phase: "spanning tree", fraction: 1.0, log_joint: None });
            Arc::new(tree)
        } else {
            global_tree(observed, observer)
        };
        Self { by_lists, ..Self::on(observed, tree, neighbours, plan.n_listed) }
    }

    /// As [`Context::new`], for callers that need no neighbours: none are listed.
    pub(crate) fn without_neighbours(observed: &'a Dissimilarity<'a>, observer: &dyn Observer) -> Self {
        Self::with_neighbours(observed, observer, 0)
    }

    /// The context of some of the points (rising numbers), `observed` being these: neighbours are those of all that are among
    /// them.
    pub(crate) fn among<'b>(&self, observed: &'b Dissimilarity<'b>, kept: &[usize]) -> Context<'b> {
        let tree = global_tree(observed, &Silent);
        let context = Context::on(observed, tree, self.neighbours.among(kept), self.n_listed);
        let weights: Vec<f64> =
            self.weights().map_or_else(Vec::new, |weights| kept.iter().map(|&i| weights[i]).collect());
        let context = context.weighted(&weights);
        if self.joined_at.is_some() { context.joining() } else { context }
    }

    pub(crate) fn with_neighbours(
        observed: &'a Dissimilarity<'a>,
        observer: &dyn Observer,
        n_listed: usize,
    ) -> Self {
        let neighbours = match n_listed {
            0 => Neighbours::none(observed.n_points()),
            n => listed(observed, n, observer),
        };
        Self::on(observed, global_tree(observed, observer), neighbours, n_listed)
    }

    fn on(
        observed: &'a Dissimilarity<'a>,
        tree: Arc<Vec<Link>>,
        neighbours: Neighbours,
        n_listed: usize,
    ) -> Self {
        let lengths = || tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let n_links = lengths().count().max(1) as f64;
        let mean = lengths().map(|length| length / n_links).sum::<f64>();
        let mean_link = if mean > 0.0 { mean } else { 1.0 };
        let modes = OnceLock::new();
        let (joined_at, weights) = (None, None);
        Self { observed, tree, neighbours, n_listed, by_lists: false, mean_link, joined_at, weights, modes }
    }

    /// The same, of points that stand for several equal ones each; none given: for one.
    pub(crate) fn weighted(self, weights: &[f64]) -> Self {
        Self { weights: (!weights.is_empty()).then(|| Arc::new(weights.to_vec())), ..self }
    }

    /// How many equal points each stands for; `None`: one.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref().map(Vec::as_slice)
    }

    /// The same, where a cluster may be connected by pairs that a sparse input does not list.
    pub(crate) fn joining(self) -> Self {
        if self.observed.sparse().is_none() {
            return self;
        }
        let scale = PairLengths::new(&self).scale() / self.mean_link;
        Self { joined_at: Some(scale), ..self }
    }

    /// Returns the log weight of a link between two points that a sparse input does not list, in units of the mean link: that
    /// of a link of the mean length at the scale $s_0$ of all pairs ([`PairLengths`]), the background's.
    ///
    /// $$ -m \log s_0 - s_0^{-m} $$
    ///
    /// An unobserved pair is no evidence for or against a link: the density of its cluster over that of the background is 1,
    /// as of a missing pair of a matrix. The score leaves the background out, since that is nearly the same for every link:
    /// so what is left of such a link is the background's own weight. It is the same for all of them and at every scale, and
    /// below that of a typical link by about $\frac{m}{2} \log N$. Minus infinity where a cluster may not be connected this
    /// way.
    pub(crate) fn log_join(&self, shape: f64) -> f64 {
        self.joined_at.map_or(f64::NEG_INFINITY, |scale| -shape * scale.ln() - scale.powf(-shape))
    }

    /// The modes of the density of the points; found once.
    pub(crate) fn modes(&self) -> &PointModes {
        self.modes.get_or_init(|| PointModes::new(self))
    }

    pub(crate) fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    /// The least length of a link, in the unit of the lengths.
    pub(crate) fn floor(&self) -> f64 {
        least_length(self.mean_link)
    }
}

/// The least length of a link, given the mean link.
pub(crate) fn least_length(mean_link: f64) -> f64 {
    FLOOR * mean_link
}

/// Finds the neighbours and the tree of [`Context::planned`], which are kept with the input, until the observer cancels: then `None`.
pub(crate) fn prepared(observed: &Dissimilarity<'_>, plan: &Plan, observer: &dyn Observer) -> Option<()> {
    let neighbours = listed_as_planned(observed, plan, observer)?;
    if !is_by_lists(plan, &neighbours) {
        shared_tree_until(observed, observer)?;
    }
    Some(())
}

/// As [`prepared`], for callers that list this many neighbours and need the tree of all pairs.
pub(crate) fn prepared_lists(
    observed: &Dissimilarity<'_>,
    n_listed: usize,
    observer: &dyn Observer,
) -> Option<()> {
    listed_until(observed, n_listed, observer)?;
    shared_tree_until(observed, observer).map(drop)
}

/// Whether trees are those of the lists: where these may have missed neighbours and the search is not whole.
fn is_by_lists(plan: &Plan, neighbours: &Neighbours) -> bool {
    !plan.is_whole && !neighbours.is_exact()
}

/// The neighbours that a search of this plan lists; `None` if the observer cancels.
fn listed_as_planned(
    observed: &Dissimilarity<'_>,
    plan: &Plan,
    observer: &dyn Observer,
) -> Option<Neighbours> {
    if let Some(n_longer) = plan.n_listed_for_modes().filter(|_| observed.is_measured()) {
        // The lists of the search are the first of these, so that neighbours are looked for once.
        listed_until(observed, n_longer, observer)?;
    }
    listed_until(observed, plan.n_listed, observer)
}

/// The nearest neighbours of every point; `None` if the observer cancels.
fn listed_until(
    observed: &Dissimilarity<'_>,
    n_listed: usize,
    observer: &dyn Observer,
) -> Option<Neighbours> {
    let report = |fraction| observer.progress(Progress { phase: "neighbours", fraction, log_joint: None });
    report(0.0);
    let neighbours = shared_neighbours_until(observed, n_listed, observer)?;
    report(1.0);
    Some(neighbours)
}

/// The nearest neighbours of every point; computed even if the observer cancels, since nothing can be done without them.
fn listed(observed: &Dissimilarity<'_>, n_listed: usize, observer: &dyn Observer) -> Neighbours {
    let found = listed_until(observed, n_listed, &Uncancelled(observer));
    // Nobody cancels.
    found.unwrap_or_else(|| Neighbours::none(observed.n_points()))
}

/// The minimum spanning tree of all points, or the maximum one of similarities; where the observed pairs do not connect them,
/// components are joined by links of infinite length (sparse: in a row, single points first, then in the order of their mean
/// links) or by unobserved ones (dense: to the first).
///
/// It is completed even if the observer cancels: scales, supports and scores need it.
pub(crate) fn global_tree(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Arc<Vec<Link>> {
    let n = observed.n_points();
    let shared = shared_tree(observed, observer);
    if shared.len() + 1 >= n {
        return shared;
    }
    let mut tree = shared.to_vec();
    if observed.sparse().is_some() {
        tree.extend(row_of_parts(&tree, n));
    } else {
        let length = f64::NAN;
        let parts = components(n, tree.iter().copied());
        // Components are numbered in the order of their first points.
        let mut n_met = 1;
        for (to, &part) in parts.as_slice().iter().enumerate() {
            if part == n_met {
                tree.push(Link { from: 0, to, length });
                n_met += 1;
            }
        }
    }
    Arc::new(tree)
}

/// Forbidden links that join the components of a forest, each to the next: those of similar scale are next to each other.
fn row_of_parts(forest: &[Link], n_points: usize) -> Vec<Link> {
    let parts = components(n_points, forest.iter().copied());
    // For each component its size, the sum of its lengths and its first point.
    let mut known = vec![(0usize, 0.0, usize::MAX); parts.n_clusters()];
    for (i, &part) in parts.as_slice().iter().enumerate() {
        known[part].0 += 1;
        known[part].2 = known[part].2.min(i);
    }
    forest.iter().for_each(|link| known[parts.as_slice()[link.from]].1 += link.length);
    let mean = |&(size, sum, _): &(usize, f64, usize)| if size > 1 { sum / (size - 1) as f64 } else { 0.0 };
    known.sort_by(|a, b| (a.0 > 1).cmp(&(b.0 > 1)).then(mean(a).total_cmp(&mean(b))).then(a.2.cmp(&b.2)));
    let link = |two: &[(usize, f64, usize)]| Link { from: two[0].2, to: two[1].2, length: f64::INFINITY };
    known.windows(2).map(link).collect()
}
