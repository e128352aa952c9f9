//! Starts for many points from a whole search of a subsample.

use rand::seq::index;

use crate::constraints::Constraints;
use crate::graph::lengths::Lengths;
use crate::graph::spanning::spread::spread;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::starts::borders::smooth_borders;
use crate::latent_graph::search::starts::origin::{Origin, Smoothing, Start};
use crate::latent_graph::search::starts::{Sources, of_labels};
use crate::latent_graph::search::{Scorers, Search};
use crate::latent_graph::settings::inference::SearchPart;
use crate::plan::Plan;
use crate::run::observer::{Observer, Quiet};
use crate::run::random::{SUBSAMPLE_STREAM, stream};

/// The smoothings of propagated labels; for very many points only the first is used. Not tuned.
const SMOOTHINGS: [Smoothing; 2] =
    [Smoothing { n_neighbours: 4, shape: 1 }, Smoothing { n_neighbours: 4, shape: 2 }];

impl Search<'_> {
    /// Partitions from the best one of a whole search of a subsample of 1,000 to 1,500 points: their labels propagate along the
    /// minimum spanning tree, shortest links first, until they meet, and are smoothed.
    ///
    /// A subsample of points in space has the shapes and the density ratios of all points, and the whole search has starts
    /// that would take too long with all. Skipped for sparse graphs: a random subset of vertices keeps too few edges.
    pub(crate) fn subsample_starts(&self, observer: &dyn Observer) -> Vec<Partition> {
        let (context, plan) = (self.problem.context, &self.problem.plan);
        let wanted = self.problem.parts.has(SearchPart::ManyStarts) && context.observed.sparse().is_none();
        let size = plan.subsample_size(self.n_clusters).filter(|_| wanted && !observer.cancelled());
        let Some(size) = size else { return Vec::new() };
        let n_points = context.n_points();
        let mut drawn = index::sample(&mut stream(self.seed, SUBSAMPLE_STREAM), n_points, size).into_vec();
        drawn.sort_unstable();
        let Some(best) = self.best_of(&drawn, observer) else { return Vec::new() };
        let known = drawn.iter().copied().zip(best.labels.as_slice().iter().copied());
        let labels = spread(&context.tree, n_points, known);
        let start = Start::of(Origin::Sample { n_points: size });
        let smoothed = |by: &Smoothing| {
            let smoothed = smooth_borders(context, &labels, self.n_clusters, *by);
            of_labels(Start { smoothing: Some(*by), ..start }, &Labels::new(&smoothed))
        };
        SMOOTHINGS[..if plan.smooths_twice() { 2 } else { 1 }].iter().map(smoothed).collect()
    }

    /// The best partition of the subsample (rising numbers).
    fn best_of(&self, sample: &[usize], observer: &dyn Observer) -> Option<Proposal> {
        let observed = self.problem.context.observed.restricted(sample).ok()?;
        let (quiet, plan) = (Quiet(observer), Plan::new(sample.len(), true));
        let context = Context::new(&observed, &quiet);
        let problem = Problem {
            context: &context,
            support: &Lengths::complete_with_lists(&observed),
            prior: Prior::new(GraphPrior::Tree, self.scorers.settings.size_prior, 1, sample.len()),
            constraints: &Constraints::default(),
            plan,
            ..*self.problem
        };
        let sources = Sources::new(&context, &plan, &quiet);
        let scorers = &Scorers::new(self.scorers.settings, &context);
        let search = Search {
            problem: &problem,
            sources: &sources,
            scorers,
            by_paper: Vec::new(),
            given: Vec::new(),
            ..*self
        };
        search.run(&quiet).ok()?.into_iter().next()
    }
}
