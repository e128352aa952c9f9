//! Estimates the memory of a fit before it begins.
//!
//! Every part of the work holds a number of bytes for each point; `tests/memory.rs` compares the sums with what is really
//! allocated.

use crate::error::{Error, check_memory};
use crate::graph::lengths::Support;
use crate::graph::neighbours::kd_tree::KdTree;
use crate::input::Dissimilarity;
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::model::scale::ScaleUpdates;
use crate::latent_graph::settings::inference::{N_BEGUN, Noise};
use crate::latent_graph::{Inference, LatentGraph};
use crate::plan::{N_LISTED, Plan, Spectral, crossover};
use crate::run::parallel;

/// The advice of the error message when the memory limit does not suffice.
const INSTEAD: &str = "raise memory_limit, use fewer threads, or cluster some of the points and predict the labels of the others";

/// Buffers of matrix products in each thread, in bytes. Checked by `tests/memory.rs`.
const PRODUCTS: u64 = 3 << 20;

/// The same where a matrix is decomposed in full, in bytes. Checked by `tests/memory.rs`.
const PRODUCTS_IN_FULL: u64 = 8 << 20;

/// What a whole search of a subsample of up to 1,000 points allocates in addition, in bytes. Checked by `tests/memory.rs`.
const SAMPLED: u64 = 8 << 20;

/// Number of clusters that memory is estimated for when the number of clusters is not given. Not tuned.
const LIKELY_MET: usize = 10;

/// Bytes of one map node of `subtrees`, which holds the links from a border point to other clusters. Checked by
/// `tests/memory.rs`.
const WAYS: u64 = 300;

/// A phase of the work, and its peak memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phase {
    what: &'static str,
    n_bytes: u64,
}

/// The memory limit of a fit, and the sizes that its memory depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    limit: Option<u64>,
    n_points: u64,
    n_dimensions: u64,
    n_threads: u64,
    /// Listed pairs of a sparse input, each once for each end.
    n_pairs: u64,
    /// Bytes of the input, and of its copy in the canonical order: a dense matrix is not copied.
    input: u64,
    plan: Plan,
    /// Whether a sample may be searched in place of all points.
    may_sample: bool,
    /// Whether neighbours are found by a kd-tree.
    by_kd_tree: bool,
    /// Whether every pair may be a link.
    every_pair: bool,
}

/// Bytes of an input and of its copy in the canonical order: a dense matrix is not copied. Of sparse points the different ones are
/// copied too, and their columns are indexed.
fn with_copies(observed: &Dissimilarity<'_>) -> u64 {
    // Row and value of an entry, and its column twice while they are sorted.
    const PER_ENTRY: u64 = 24;
    match observed.sparse_points() {
        Some(sparse) => 3 * observed.n_bytes() + PER_ENTRY * sparse.points().n_entries() as u64,
        None => observed.n_bytes() * if observed.is_dense() { 1 } else { 2 },
    }
}

impl Memory {
    /// Estimates from what is known before the work begins.
    pub(crate) fn new(settings: &LatentGraph, observed: &Dissimilarity<'_>) -> Self {
        let sparse = observed.sparse().map_or(0, |matrix| matrix.columns().len());
        Self {
            limit: settings.memory_limit,
            n_points: observed.n_points() as u64,
            n_dimensions: observed.points().map_or(0, |points| points.points().n_dimensions()) as u64,
            n_threads: parallel::n_threads() as u64,
            n_pairs: sparse as u64,
            input: with_copies(observed),
            plan: settings.plan(observed),
            may_sample: settings.may_sample(observed),
            by_kd_tree: observed.points().is_some_and(KdTree::serves),
            every_pair: settings.default_support(observed) == Support::Complete,
        }
    }

    /// Returns an error that names the largest phase if it exceeds the memory limit.
    ///
    /// Where the number of clusters is not known, memory is estimated for 10; larger numbers are checked when the search
    /// reaches them.
    pub(crate) fn check(&self, settings: &LatentGraph) -> Result<(), Error> {
        let (least, most) = settings.n_clusters.bounds(self.n_points as usize);
        let n_clusters = if self.plan.is_whole { least.max(most.min(LIKELY_MET)) } else { least };
        let phases = self.phases(settings, n_clusters as u64);
        let Some(greatest) = phases.into_iter().max_by_key(|phase| phase.n_bytes) else { return Ok(()) };
        check_memory(greatest.n_bytes, self.limit, greatest.what, INSTEAD)
    }

    /// Returns an error unless local search can move subtrees of these partitions, which have `n_clusters` clusters.
    pub(crate) fn check_refinement<'a>(
        &self,
        partitions: impl Iterator<Item = &'a [usize]>,
        n_clusters: usize,
    ) -> Result<(), Error> {
        let largest = partitions.map(|labels| largest_class(labels, n_clusters)).max().unwrap_or(0);
        // Clusters grow during local search.
        let n_largest = (2 * largest as u64).min(self.n_points);
        let ways = n_largest * WAYS * self.n_refining();
        check_memory(self.searching(n_clusters as u64) + ways, self.limit, "the moves of the search", INSTEAD)
    }

    /// Returns an error unless there is memory for a search for `n_clusters` clusters.
    pub(crate) fn check_search(&self, n_clusters: usize) -> Result<(), Error> {
        check_memory(self.searching(n_clusters as u64), self.limit, "the search", INSTEAD)
    }

    /// The limit for a fit of the same points while `held` bytes are in use elsewhere.
    pub(crate) fn left(&self, held: u64) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(held))
    }

    fn phases(&self, settings: &LatentGraph, n_clusters: u64) -> Vec<Phase> {
        let n_bytes = self.around_sample(n_clusters).unwrap_or_else(|| self.searching(n_clusters));
        let search = Phase { what: "the search", n_bytes };
        let lists = Phase { what: "the lists of neighbours", n_bytes: self.listing() };
        match settings.inference() {
            Inference::Search(search) if search.noise == Noise::Background => {
                vec![lists, Phase { what: "the search for noise", n_bytes: self.with_noise(n_clusters) }]
            }
            Inference::Search(_) if !settings.is_searchable() => {
                vec![lists, search, Phase { what: "the printed algorithm", n_bytes: self.printed(settings) }]
            }
            Inference::Search(_) => vec![lists, search],
            Inference::Paper(_) => {
                vec![lists, Phase { what: "the printed algorithm", n_bytes: self.printed(settings) }]
            }
            Inference::Sample(_) => {
                vec![lists, search, Phase { what: "sampling", n_bytes: self.sampled(settings) }]
            }
        }
    }

    /// While neighbours are listed and the minimum spanning tree is built: the lists, twice where they are not found by a kd-tree,
    /// and the coordinates in a tree.
    fn listing(&self) -> u64 {
        let sampled = self.may_sample && self.plan.sample_size(1).is_some();
        let plan = if sampled { self.plan.around_sample() } else { self.plan };
        let k = plan.n_listed_for_modes().unwrap_or(plan.n_listed) as u64;
        let listed = if self.by_kd_tree { 12 * k } else { 40 * k };
        self.input + self.n_points * (listed + 24 * self.n_dimensions + 150)
    }

    /// Where a sample is searched in place of all points: lists, tree and answer of all, and the search of the sample.
    fn around_sample(&self, n_clusters: u64) -> Option<u64> {
        let size = self.plan.sample_size(n_clusters as usize).filter(|_| self.may_sample)? as u64;
        let input = self.input * size / self.n_points;
        let sample = Self { n_points: size, input, plan: Plan::new(size as usize, true), ..*self };
        let each = 12 * self.plan.around_sample().n_listed as u64 + 200 + 16 * self.n_dimensions;
        Some(self.input + self.n_points * each + sample.searching(n_clusters))
    }

    /// Bytes of further copies of the pairs of a sparse input.
    fn copies(&self) -> u64 {
        16 * self.n_pairs
    }

    /// At the peak of a search.
    fn searching(&self, n_clusters: u64) -> u64 {
        let (n, d, t) = (self.n_points, self.n_dimensions, self.n_threads);
        if self.plan.is_whole {
            // Some 50 partitions and their features, each thread with distances to every cluster.
            let each = 1500 + 40 * d + 60 * n_clusters + t.min(12) * (300 + 20 * n_clusters);
            return self.input + self.copies() + n * each + self.modes() + self.products();
        }
        // Lists, support, up to eight linkages and some 15 partitions; of very many points fewer.
        let featured = self.plan.spectral != Spectral::None;
        let (held, of_thread) = match featured {
            _ if Plan::is_many(n_clusters as usize) => (800, 60),
            true => (1200, 250),
            false => (1000, 120),
        };
        let smoothed = if self.plan.may_smooth(n_clusters as usize) { 8 * n_clusters } else { 0 };
        let each = held + 50 * d + of_thread * t.min(8) + (64 + smoothed) * self.n_refining();
        let featured = if featured { 80 * n_clusters * n + PRODUCTS } else { 0 };
        // A subsample of the points has a whole search.
        let sampled = if self.n_pairs == 0 { SAMPLED + self.products() } else { 0 };
        self.input + self.copies() + n * each + self.modes() + featured.max(sampled)
    }

    /// Bytes of the lists from which modes are found: those of all points are kept, those of a subsample are also made here.
    fn modes(&self) -> u64 {
        let n_sampled = Plan::n_for_modes(self.n_points as usize);
        let of_points = self.n_pairs == 0 && self.plan.n_listed < Plan::n_for_density(n_sampled);
        let each = if self.n_points > n_sampled as u64 { 28 } else { 12 };
        if of_points { each * (n_sampled * Plan::n_for_density(n_sampled)) as u64 } else { 0 }
    }

    /// Room for the products of matrices that latent features take, in every thread.
    fn products(&self) -> u64 {
        let in_full = crossover::decomposes_in_full(self.n_points as usize);
        self.n_threads.min(3) * if in_full { PRODUCTS_IN_FULL } else { PRODUCTS }
    }

    /// Number of local searches that run at the same time.
    fn n_refining(&self) -> u64 {
        if self.plan.is_whole { self.n_threads.min(5) } else { self.n_threads.min(3) }
    }

    /// Bytes of the search with noise itself: lists, tree, and the kept points.
    pub(crate) fn around_noise(&self) -> u64 {
        self.input + self.n_points * (12 * N_LISTED as u64 + 150)
    }

    fn with_noise(&self, n_clusters: u64) -> u64 {
        let (n, d) = (self.n_points, self.n_dimensions);
        let settling = self.input + self.copies() + n * (5500 + 60 * d + 100 * n_clusters);
        (self.around_noise() + self.searching(n_clusters)).max(settling)
    }

    /// A forest for each run at work, and the labels and links of all; under Eq. (9) also the sorted lengths of all pairs.
    fn printed(&self, settings: &LatentGraph) -> u64 {
        let begun = if matches!(settings.inference(), Inference::Search(_)) { N_BEGUN as u64 } else { 0 };
        let n_runs = settings.paper_settings().n_restarts as u64 + begun;
        let (n, t) = (self.n_points, self.n_threads.min(n_runs));
        let listed = settings.graph_prior == GraphPrior::KNeighbours;
        let lists = if listed { 24 * n.min(settings.prior_neighbours as u64) } else { 0 };
        let each = 900 + 24 * self.n_dimensions + t * (350 + 2 * lists) + (60 + lists) * n_runs;
        let rows = if listed { self.sorted_rows(settings) } else { 0 };
        n.saturating_mul(each).saturating_add(self.input + self.copies() + self.soft(settings) + rows)
    }

    /// The links of every point by length: its other end, and the length.
    fn sorted_rows(&self, settings: &LatentGraph) -> u64 {
        let near = 2 * self.n_points * settings.support_neighbours as u64 + self.n_pairs;
        let n_links = if self.every_pair { self.n_points.saturating_mul(self.n_points) } else { near };
        n_links.saturating_mul(12)
    }

    /// Where all trees of a cluster count, its matrix is inverted.
    fn soft(&self, settings: &LatentGraph) -> u64 {
        let dense = settings.paper_settings().scale_updates == ScaleUpdates::Soft;
        if dense { 32 * self.n_threads * self.n_points * self.n_points } else { 0 }
    }

    /// Chains, the partitions that are kept, and how often pairs are together.
    fn sampled(&self, settings: &LatentGraph) -> u64 {
        let (n, sampling) = (self.n_points, settings.sampling());
        let n_kept = sampling.n_samples.min(sampling.n_chains * sampling.n_sweeps) as u64;
        let dense = crossover::keeps_every_co_assignment(n as usize);
        let together = if dense { 8 * n * n } else { 32 * 48 * n };
        let each = 1200 + 24 * self.n_dimensions + 300 * sampling.n_chains as u64 + 20 * n_kept;
        n.saturating_mul(each).saturating_add(self.input + self.copies() + together + self.soft(settings))
    }
}

fn largest_class(labels: &[usize], n_clusters: usize) -> usize {
    let mut sizes = vec![0; n_clusters];
    labels.iter().for_each(|&class| sizes[class] += 1);
    sizes.into_iter().max().unwrap_or(0)
}
