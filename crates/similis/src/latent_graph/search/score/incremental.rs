//! The contribution of every cluster to the score where each has one scale, updated while points move.

use crate::graph::forest::Forest;
use crate::graph::forest::change::{Change, Moved};
use crate::graph::link::Link;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::varying::{ScaleGrid, lowered};
use crate::latent_graph::search::score::walk::WALK_NEIGHBOURS;
use crate::latent_graph::settings::inference::ScoreSettings;

/// The statistics that the score of a cluster depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    size: i64,
    n_links: i64,
    n_observed: i64,
    /// Links that the support does not allow: with any, the cluster is impossible.
    n_forbidden: i64,
    /// The sum of the powers of the observed links.
    powers: f64,
    /// Ends of links of the random walk that are in the cluster, and those of links that are in it with both ends.
    touching: i64,
    inside: i64,
}

/// The value of a move: forbidden links that it removes, then the gain in score.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Gain {
    pub(crate) n_allowed: i64,
    pub(crate) score: f64,
}

/// Smallest gain that counts, in nats: anything below is rounding error. Not tuned.
const LEAST_GAIN: f64 = 1e-6;

impl Gain {
    pub(crate) fn is_worth_it(self) -> bool {
        self.n_allowed > 0 || (self.n_allowed == 0 && self.score > LEAST_GAIN)
    }
}

/// How tallies become a score.
#[derive(Debug)]
pub(crate) struct Valuation<'a> {
    problem: &'a Problem<'a>,
    grid: ScaleGrid,
    /// The penalty of one cluster for its probability of leaving.
    walk_price: f64,
    /// The links of the random walk at each point, in both directions; empty where the walk does not count.
    walk: Vec<Vec<u32>>,
}

impl<'a> Valuation<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>, scoring: &ScoreSettings, n_clusters: usize) -> Self {
        let context = problem.context;
        let n = context.n_points();
        let mut walk = vec![Vec::new(); if scoring.walk_weight > 0.0 { n } else { 0 }];
        for i in 0..walk.len() {
            for (j, _) in context.neighbours.of(i).take(WALK_NEIGHBOURS) {
                walk[i].push(j as u32);
                walk[j].push(i as u32);
            }
        }
        let grid = ScaleGrid::new(context, scoring.shape);
        let walk_price = scoring.walk_weight * n as f64 / n_clusters as f64;
        Self { problem, grid, walk_price, walk }
    }

    /// The tally of each cluster of a forest.
    pub(crate) fn tallies(&self, forest: &Forest<'_>) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); forest.n_classes()];
        for (cluster, tally) in tallies.iter_mut().enumerate() {
            let tree = Change { added: forest.tree(cluster).collect(), removed: Vec::new() };
            tally.size = forest.members(cluster).len() as i64;
            self.change(tally, &tree);
            for &i in forest.members(cluster) {
                tally.touching += self.links(i).count() as i64;
                tally.inside += self.links(i).filter(|&j| forest.labels()[j] == cluster).count() as i64;
            }
        }
        tallies
    }

    /// The ends of the walk's links at a point.
    fn links(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.walk.get(i).into_iter().flatten().map(|&j| j as usize)
    }

    /// The contribution of a cluster to the score; 0 if it is empty. Forbidden links are left out, or cost
    /// [`ScaleGrid::log_join`].
    ///
    /// $$ \log n! - (n - 2) \log n + \log \frac{1}{G} \sum_s s^{-m k} e^{-s^{-m} \sum L^m}
    /// - \lambda \frac{N}{M} P(\text{leave}) $$
    pub(crate) fn value(&self, tally: &Tally) -> f64 {
        if tally.size == 0 {
            return 0.0;
        }
        let evidence = self.grid.log_evidence_at_one_scale(tally.n_observed as f64, tally.powers)
            - self.grid.log_units(tally.n_links as usize);
        let joins = if self.joins() { tally.n_forbidden as f64 * self.grid.log_join } else { 0.0 };
        let stay = if tally.touching > 0 { tally.inside as f64 / tally.touching as f64 } else { 1.0 };
        let prior = self.problem.prior.log_class(tally.size as usize);
        prior + evidence + joins - self.walk_price * (1.0 - stay)
    }

    /// Whether clusters may be connected by forbidden links, at a price.
    fn joins(&self) -> bool {
        self.grid.log_join > f64::NEG_INFINITY
    }

    /// As [`Valuation::value`], whatever the random walk does.
    pub(crate) fn value_without_walk(&self, tally: &Tally) -> f64 {
        self.value(&Tally { touching: 0, inside: 0, ..*tally })
    }

    /// The gain if some tallies become others.
    pub(crate) fn gain(&self, old: &[&Tally], new: &[&Tally]) -> Gain {
        let forbidden = |tallies: &[&Tally]| tallies.iter().map(|tally| tally.n_forbidden).sum::<i64>();
        let value = |tallies: &[&Tally]| tallies.iter().map(|tally| self.value(tally)).sum::<f64>();
        let n_allowed = if self.joins() { 0 } else { forbidden(old) - forbidden(new) };
        Gain { n_allowed, score: value(new) - value(old) }
    }

    /// The tally of a cluster after point `i` leaves it; `labels` may still have it there, or nowhere.
    pub(crate) fn without(&self, i: usize, own: (usize, &Tally), change: &Change, labels: &[usize]) -> Tally {
        let mut tally = *own.1;
        self.change(&mut tally, change);
        tally.size -= 1;
        tally.touching -= self.links(i).count() as i64;
        tally.inside -= 2 * self.links(i).filter(|&j| labels[j] == own.0).count() as i64;
        tally
    }

    /// The tally of a cluster after point `i` joins it.
    pub(crate) fn with(&self, i: usize, new: (usize, &Tally), change: &Change, labels: &[usize]) -> Tally {
        let mut tally = *new.1;
        self.change(&mut tally, change);
        tally.size += 1;
        tally.touching += self.links(i).count() as i64;
        tally.inside += 2 * self.links(i).filter(|&j| labels[j] == new.0).count() as i64;
        tally
    }

    /// The tallies of the two clusters after many points move from one (`ends[0]`) to the other; `labels` are from before.
    pub(crate) fn moved(
        &self,
        tallies: &[Tally],
        ends: [usize; 2],
        moved: &Moved,
        labels: &[usize],
    ) -> [Tally; 2] {
        let [mut left, mut joined] = ends.map(|cluster| tallies[cluster]);
        self.change(&mut left, &moved.left);
        self.change(&mut joined, &moved.joined);
        let mut moving = moved.points.clone();
        moving.sort_unstable();
        let (mut touching, mut among, mut stayed, mut met) = (0, 0, 0, 0);
        for j in moved.points.iter().flat_map(|&i| self.links(i)) {
            touching += 1;
            match labels[j] {
                label if label == ends[0] && moving.binary_search(&j).is_ok() => among += 1,
                label if label == ends[0] => stayed += 1,
                label if label == ends[1] => met += 1,
                _ => {}
            }
        }
        let n = moved.points.len() as i64;
        left = Tally {
            size: left.size - n,
            touching: left.touching - touching,
            inside: left.inside - among - 2 * stayed,
            ..left
        };
        joined = Tally {
            size: joined.size + n,
            touching: joined.touching + touching,
            inside: joined.inside + among + 2 * met,
            ..joined
        };
        [left, joined]
    }

    /// Takes the links that come and go into account.
    fn change(&self, tally: &mut Tally, change: &Change) {
        change.added.iter().for_each(|link| self.count(tally, link, 1));
        change.removed.iter().for_each(|link| self.count(tally, link, -1));
    }

    fn count(&self, tally: &mut Tally, link: &Link, sign: i64) {
        tally.n_links += sign;
        if link.length == f64::INFINITY {
            tally.n_forbidden += sign;
        } else if let Some(power) = self.power(link.length) {
            tally.n_observed += sign;
            tally.powers += sign as f64 * power;
        }
    }

    /// The contribution of a cluster of `size` points with these links, without the random walk.
    pub(crate) fn value_of_part(&self, size: usize, n_observed: usize, powers: f64) -> f64 {
        let (n_links, n_observed) = (size as i64 - 1, n_observed as i64);
        let part = Tally {
            size: size as i64,
            n_links,
            n_observed,
            // Where clusters may be connected by forbidden links, all others have a length.
            n_forbidden: if self.joins() { n_links - n_observed } else { 0 },
            powers,
            ..Tally::default()
        };
        self.value(&part)
    }

    /// The power of a length that its likelihood falls with; none for a pair that was not observed, or is forbidden.
    pub(crate) fn power(&self, length: f64) -> Option<f64> {
        self.grid.power(length).filter(|power| power.is_finite())
    }

    /// The likeliest scale of a cluster, one more link of the mean length counted.
    pub(crate) fn scale(&self, tally: &Tally) -> f64 {
        let mean = (tally.powers + 1.0) / (tally.n_observed + 1) as f64;
        self.problem.context.mean_link * lowered(mean, self.problem.shape)
    }
}
