//! How much memory a fit takes, told before it begins.
//!
//! Every part of the work holds so many bytes for a point; `tests/memory.rs` compares their sums with what is taken in truth.

use crate::error::{Error, check_memory};
use crate::input::Dissimilarity;
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::model::scale::ScaleUpdates;
use crate::latent_graph::settings::inference::Noise;
use crate::latent_graph::{Inference, LatentGraph};
use crate::plan::{N_LISTED, Plan, Spectral, crossover};
use crate::run::parallel;

/// What to do where memory does not suffice.
const INSTEAD: &str = "raise memory_limit, use fewer threads, or cluster some of the points and predict the labels of the others";

/// What products of matrices take in a thread, ..
const PRODUCTS: u64 = 5 << 20;

/// .. and where an affinity links every pair.
const PRODUCTS_OF_PAIRS: u64 = 8 << 20;

/// What a whole search of a sample of up to 1,000 points takes, besides.
const SAMPLED: u64 = 8 << 20;

/// So many clusters a search is taken to meet where nobody says how many there are.
const LIKELY_MET: usize = 10;

/// The ways from a point at the border of a class to others, as `subtrees` has them: one node of a map.
const WAYS: u64 = 300;

/// A part of the work, and what is held at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phase {
    what: &'static str,
    n_bytes: u64,
}

/// What a fit may take, and takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    limit: Option<u64>,
    n_points: u64,
    n_dimensions: u64,
    n_threads: u64,
    /// Listed pairs of a sparse input, each once for each end.
    n_pairs: u64,
    /// What was given.
    input: u64,
    plan: Plan,
}

impl Memory {
    /// What is known before the work begins.
    pub(crate) fn new(settings: &LatentGraph, observed: &Dissimilarity<'_>) -> Self {
        let sparse = observed.sparse().map_or(0, |matrix| matrix.columns().len());
        Self {
            limit: settings.memory_limit,
            n_points: observed.n_points() as u64,
            n_dimensions: observed.points().map_or(0, |points| points.points().n_dimensions()) as u64,
            n_threads: parallel::n_threads() as u64,
            n_pairs: sparse as u64,
            input: observed.n_bytes(),
            plan: settings.plan(observed),
        }
    }

    /// Returns an error that names the greatest part of the work if it does not fit into the memory limit.
    ///
    /// Where the number of clusters is not known, a whole search is taken to meet 10; more are checked when they are met.
    pub(crate) fn check(&self, settings: &LatentGraph) -> Result<(), Error> {
        let (least, most) = settings.n_clusters.bounds(self.n_points as usize);
        let n_clusters = if self.plan.is_whole { least.max(most.min(LIKELY_MET)) } else { least };
        let phases = self.phases(settings, n_clusters as u64);
        let Some(greatest) = phases.into_iter().max_by_key(|phase| phase.n_bytes) else { return Ok(()) };
        check_memory(greatest.n_bytes, self.limit, greatest.what, INSTEAD)
    }

    /// Returns an error unless subtrees of these partitions, of so many clusters, can be moved.
    pub(crate) fn check_climbs<'a>(
        &self,
        partitions: impl Iterator<Item = &'a [usize]>,
        n_clusters: usize,
    ) -> Result<(), Error> {
        let largest = partitions.map(|labels| largest_class(labels, n_clusters)).max().unwrap_or(0);
        // Classes grow while they are climbed from.
        let n_largest = (2 * largest as u64).min(self.n_points);
        let ways = n_largest * WAYS * self.n_climbs();
        check_memory(self.searching(n_clusters as u64) + ways, self.limit, "the moves of the search", INSTEAD)
    }

    /// Returns an error unless a search for so many clusters can be made.
    pub(crate) fn check_search(&self, n_clusters: usize) -> Result<(), Error> {
        check_memory(self.searching(n_clusters as u64), self.limit, "the search", INSTEAD)
    }

    /// As of a fit of the same points where so much is held by others.
    pub(crate) fn left(&self, held: u64) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(held))
    }

    fn phases(&self, settings: &LatentGraph, n_clusters: u64) -> Vec<Phase> {
        let search = Phase { what: "the search", n_bytes: self.searching(n_clusters) };
        let lists = Phase { what: "the lists of neighbours", n_bytes: self.listing() };
        match settings.inference() {
            Inference::Search(search) if search.noise == Noise::Background => {
                vec![lists, Phase { what: "the search for noise", n_bytes: self.with_noise(n_clusters) }]
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

    /// While neighbours are listed and the global tree is built: the lists, twice, and the coordinates in a tree.
    fn listing(&self) -> u64 {
        let k = self.plan.n_listed as u64;
        self.input + self.n_points * (40 * k + 24 * self.n_dimensions + 150)
    }

    /// What is kept of every pair of a sparse input, besides.
    fn copies(&self) -> u64 {
        16 * self.n_pairs
    }

    /// At the peak of a search.
    fn searching(&self, n_clusters: u64) -> u64 {
        let (n, d, t) = (self.n_points, self.n_dimensions, self.n_threads);
        if self.plan.is_whole {
            // Some 150 partitions and their features, each thread with distances to every class.
            let each = 5000 + 40 * d + 200 * n_clusters + t.min(12) * (600 + 30 * n_clusters);
            let pairs = if self.plan.spectral == Spectral::AllPairs { 8 * n * n } else { 0 };
            return self.input
                + self.copies()
                + n * each
                + pairs
                + self.products(self.plan.spectral == Spectral::AllPairs);
        }
        // Lists, support, up to eight linkages and some 15 partitions; of very many points fewer.
        let featured = self.plan.spectral != Spectral::None;
        let (held, of_thread) = if featured { (1200, 250) } else { (1000, 120) };
        let each = held + 50 * d + of_thread * t.min(8) + (64 + 8 * n_clusters) * self.n_climbs();
        let featured = if featured { 80 * n_clusters * n + PRODUCTS } else { 0 };
        // Points are numbered anew, and some of them searched by all means.
        let sampled = if self.n_pairs == 0 { SAMPLED + self.products(true) } else { 0 };
        2 * self.input + self.copies() + n * each + featured.max(sampled)
    }

    /// Room for the products of matrices that latent features take, in every thread.
    fn products(&self, of_pairs: bool) -> u64 {
        self.n_threads.min(7) * if of_pairs { PRODUCTS_OF_PAIRS } else { PRODUCTS }
    }

    /// How many climbs are made at the same time.
    fn n_climbs(&self) -> u64 {
        if self.plan.is_whole { self.n_threads.min(5) } else { self.n_threads.min(3) }
    }

    /// What the search for noise itself holds: lists, tree, and the points that are kept.
    pub(crate) fn around_noise(&self) -> u64 {
        self.input + self.n_points * (12 * N_LISTED as u64 + 150)
    }

    fn with_noise(&self, n_clusters: u64) -> u64 {
        let (n, d) = (self.n_points, self.n_dimensions);
        let settling = self.input + self.copies() + n * (5500 + 60 * d + 100 * n_clusters);
        (self.around_noise() + self.searching(n_clusters)).max(settling)
    }

    /// A forest for each restart at work, and the labels and links of all.
    fn printed(&self, settings: &LatentGraph) -> u64 {
        let n_restarts = settings.paper_settings().n_restarts as u64;
        let (n, t) = (self.n_points, self.n_threads.min(n_restarts));
        let listed = settings.graph_prior == GraphPrior::KNeighbours;
        let lists = if listed { 24 * settings.prior_neighbours as u64 } else { 0 };
        let each = 900 + 24 * self.n_dimensions + t * (350 + 2 * lists) + (60 + lists) * n_restarts;
        self.input + self.copies() + n * each + self.soft(settings)
    }

    /// Where every tree of a class counts its matrix is inverted.
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
        self.input + self.copies() + n * each + together + self.soft(settings)
    }
}

fn largest_class(labels: &[usize], n_clusters: usize) -> usize {
    let mut sizes = vec![0; n_clusters];
    labels.iter().for_each(|&class| sizes[class] += 1);
    sizes.into_iter().max().unwrap_or(0)
}
