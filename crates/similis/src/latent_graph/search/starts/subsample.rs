//! Starts of many points from a whole search of some of them.

use rand::seq::index;

use crate::constraints::Constraints;
use crate::graph::lengths::{Lengths, Link};
use crate::graph::spanning::of_clusters::root;
use crate::input::labels::Labels;
use crate::latent_graph::context::ground::Ground;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::search::at_scale::MOST_FOR_LONG;
use crate::latent_graph::search::refine::by_likelihood::Weighing;
use crate::latent_graph::search::starts::Sources;
use crate::latent_graph::search::starts::origin::{Origin, Smoothing, Start};
use crate::latent_graph::search::starts::smooth::smooth;
use crate::latent_graph::search::{FIRST_STREAM, Proposal, Search};
use crate::latent_graph::settings::inference::StartSources;
use crate::run::observer::{Observer, Quiet};
use crate::run::random::stream;

/// From how many to how many points are searched by all means: fewer of many classes, as the time grows with both.
const N_SAMPLED: [usize; 2] = [500, 1_000];
const POINTS_TIMES_CLASSES: usize = 3_000;

/// The least number of points of a class, on the mean, that the sample must have.
const LEAST_PER_CLASS: usize = 20;

/// How labels that have spread are smoothed; of very many points in the first way alone.
const SMOOTHINGS: [Smoothing; 2] =
    [Smoothing { n_neighbours: 4, shape: 1 }, Smoothing { n_neighbours: 4, shape: 2 }];

/// Up to here, points times classes, labels may be smoothed.
const MOST_SMOOTHED: usize = 20_000_000;

/// The number of the random stream that draws the sample.
const STREAM: u64 = FIRST_STREAM + (2 << 20);

impl Search<'_> {
    /// Partitions from the best one of a whole search of 500 to 1,000 points drawn at random: their labels spread along the
    /// global tree, shortest links first, until they meet, and are smoothed.
    ///
    /// A sample of points in space has the shapes and the ratios of the densities that all of them have, and the whole search has
    /// starts that would take too long with all. Some pairs of a graph are no graph: there are none then.
    pub(crate) fn sampled(&self, observer: &dyn Observer) -> Vec<(Start, Labels)> {
        let ground = self.weighing.ground;
        let n_points = ground.n_points();
        let [least, most] = N_SAMPLED;
        let n_sampled = (POINTS_TIMES_CLASSES / self.n_clusters).clamp(least, most).min(n_points / 2);
        let wanted = self.n_clusters > 1 && self.weighing.parts.starts != StartSources::Linkage;
        let fits = ground.observed.sparse().is_none() && n_sampled >= LEAST_PER_CLASS * self.n_clusters;
        if !wanted || !fits || observer.cancelled() {
            return Vec::new();
        }
        let mut sample = index::sample(&mut stream(self.seed, STREAM), n_points, n_sampled).into_vec();
        sample.sort_unstable();
        let Some(best) = self.best_of(&sample, observer) else { return Vec::new() };
        let labels = spread(
            &ground.tree,
            n_points,
            sample.iter().copied().zip(best.labels.as_slice().iter().copied()),
        );
        let start = Start::of(Origin::Sample { n_points: n_sampled });
        if n_points.saturating_mul(self.n_clusters) > MOST_SMOOTHED {
            return vec![(start, Labels::new(&labels))];
        }
        let n_ways = if n_points > MOST_FOR_LONG { 1 } else { SMOOTHINGS.len() };
        let smoothed = |by: &Smoothing| {
            let smoothed = smooth(ground, &labels, self.n_clusters, by.n_neighbours, by.shape);
            (Start { smoothing: Some(*by), ..start }, Labels::new(&smoothed))
        };
        SMOOTHINGS[..n_ways].iter().map(smoothed).collect()
    }

    /// The best partition of some points (rising numbers).
    fn best_of(&self, sample: &[usize], observer: &dyn Observer) -> Option<Proposal> {
        let observed = self.weighing.ground.observed.restricted(sample).ok()?;
        let quiet = Quiet(observer);
        let ground = Ground::new(&observed, &quiet);
        let weighing = Weighing {
            ground: &ground,
            lengths: &Lengths::complete_with_lists(&observed),
            prior: Prior::new(GraphPrior::Tree, self.scoring.size_prior, 1, sample.len()),
            constraints: &Constraints::default(),
            ..*self.weighing
        };
        let sources = Sources::new(&ground, true, &quiet);
        let search = Search { weighing: &weighing, sources: &sources, printed: Vec::new(), ..*self };
        search.run_whole(&quiet).ok()?.into_iter().next()
    }
}

/// The labels of all points: those of some spread along a tree, its first links first, until they meet.
fn spread(tree: &[Link], n_points: usize, known: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..n_points).collect();
    let mut labels: Vec<Option<usize>> = vec![None; n_points];
    known.for_each(|(i, label)| labels[i] = Some(label));
    for link in tree {
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, link.to));
        if a != b && (labels[a].is_none() || labels[b].is_none()) {
            parent[a] = b;
            labels[b] = labels[b].or(labels[a]);
        }
    }
    (0..n_points).map(|i| labels[root(&mut parent, i)].unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_spread_over_the_shortest_links_until_they_meet() {
        let link = |from: usize, length: f64| Link { from, to: from + 1, length };
        // A chain of six points whose longest link is the third; the last link is missing.
        let mut tree = [link(0, 1.0), link(1, 2.0), link(2, 9.0), link(3, 3.0), link(4, f64::NAN)];
        tree.sort_by(|a, b| a.length.total_cmp(&b.length));
        assert_eq!(spread(&tree, 6, [(0, 7), (3, 4)].into_iter()), [7, 7, 7, 4, 4, 4]);
        assert_eq!(spread(&tree, 6, [(0, 7), (1, 4)].into_iter()), [7, 4, 4, 4, 4, 4]);
        assert_eq!(spread(&tree, 6, std::iter::once((5, 2))), [2; 6]);
    }
}
