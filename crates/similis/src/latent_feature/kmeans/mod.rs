//! Grouping of features by k-means: the mixture of section 2.1 as $\psi \to 0$.

use crate::error::{SettingError, check_restarts};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;

use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_feature::features::Features;
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use crate::run::random::{Random, stream};
use crate::run::termination::Termination;

/// Number of points that one thread handles at a time: fixed, so that sums have the same bits for any number of threads.
const PIECE: usize = 2048;

/// k-means with k-means++ starts: Lloyd's passes, then moves of single points (Hartigan's) until none helps. Each
/// restart returns one whole value, and the least distortion wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMeans {
    /// Number of clusters (M), at least 1.
    pub n_clusters: usize,
    /// Number of random restarts, at least 1; default 10.
    pub n_restarts: usize,
    /// Maximum number of passes over the points in one restart; default 300.
    pub max_iterations: usize,
    /// Random seed; default 0.
    pub seed: u64,
}

impl Default for KMeans {
    fn default() -> Self {
        Self { n_clusters: 1, n_restarts: 10, max_iterations: 300, seed: 0 }
    }
}

/// What k-means found.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeansFit {
    /// The cluster of each point; every cluster has at least one.
    pub labels: Labels,
    /// The mean of each cluster, row after row.
    pub centres: Features,
    /// The sum of squared distances to the centres.
    pub distortion: f64,
    /// Passes over the points in the best restart.
    pub n_iterations: usize,
    /// Why that restart stopped.
    pub ended: Termination,
}

impl KMeans {
    /// Returns the best grouping of the rows of `features` over all restarts.
    ///
    /// $$ \min_{C, \mu} \sum_i |\lambda_i - \mu_{c_i}|^2 \qquad \text{(section 2.1, } \psi_k \to 0 \text{)} $$
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] unless `n_clusters` is between 1 and the number of rows; [`Error::Settings`].
    pub fn fit(&self, features: &Features, observer: &dyn Observer) -> Result<KMeansFit, Error> {
        self.best_of(features, observer, |random| self.run(features, random, observer))
    }

    /// Returns the run of least distortion.
    pub(crate) fn best_of(
        &self,
        features: &Features,
        observer: &dyn Observer,
        run: impl Fn(Random) -> KMeansFit + Sync,
    ) -> Result<KMeansFit, Error> {
        self.check(features)?;
        let n_done = AtomicUsize::new(0);
        let runs = parallel::map(self.n_restarts, |restart| {
            // The first restart always runs, so that a cancelled fit still has an answer.
            (restart == 0 || !observer.cancelled()).then(|| {
                let run = run(stream(self.seed, restart as u64));
                observer.progress(Progress {
                    phase: "grouping",
                    fraction: (n_done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / self.n_restarts as f64,
                    log_joint: None,
                });
                run
            })
        });
        let best = runs
            .into_iter()
            .flatten()
            .reduce(|best, run| if run.distortion < best.distortion { run } else { best });
        best.ok_or(Error::Settings(SettingError::NRestarts))
    }

    fn check(&self, features: &Features) -> Result<(), Error> {
        let n_points = features.n_rows();
        if !(1..=n_points).contains(&self.n_clusters) {
            return Err(Error::Settings(SettingError::NClusters { given: self.n_clusters, n_points }));
        }
        check_restarts(self.n_restarts)
    }

    /// One restart: passes from a k-means++ start, until neither all points at once nor one alone can be moved.
    fn run(&self, features: &Features, mut random: Random, observer: &dyn Observer) -> KMeansFit {
        let mut centres = plus_plus(features, self.n_clusters, Vec::new(), &mut random);
        let mut assigned = Assigned::none(features.n_rows());
        let mut ended = Termination::IterationLimit;
        let mut n_iterations = 0;
        while n_iterations < self.max_iterations.max(1) {
            let changed = assigned.assign_nearest(features, &centres);
            assigned.repair_empty(self.n_clusters);
            n_iterations += 1;
            centres = means(features, &assigned.cluster, self.n_clusters);
            if !changed && !assigned.move_single_points(features, &mut centres) {
                ended = Termination::Converged;
                break;
            }
            if observer.cancelled() {
                ended = Termination::Cancelled;
                break;
            }
        }
        whole_value(features, &assigned.cluster, n_iterations, ended)
    }
}

/// The fit that a grouping makes, its clusters numbered by first appearance.
pub(crate) fn whole_value(
    features: &Features,
    cluster: &[usize],
    n_iterations: usize,
    ended: Termination,
) -> KMeansFit {
    let labels = Labels::new(cluster);
    let centres = means(features, labels.as_slice(), labels.n_clusters());
    let squared =
        |i: usize| features.weight(i) * squared_distance(features.row(i), centres.row(labels.as_slice()[i]));
    let distortion = (0..features.n_rows()).map(squared).sum();
    KMeansFit { labels, centres, distortion, n_iterations, ended }
}

/// The cluster of each point and its squared distance to the centre.
struct Assigned {
    cluster: Vec<usize>,
    squared: Vec<f64>,
}

impl Assigned {
    fn none(n_points: usize) -> Self {
        Self { cluster: vec![usize::MAX; n_points], squared: vec![0.0; n_points] }
    }

    /// Gives every point to the nearest centre (the first of equally near ones); whether any changed.
    fn assign_nearest(&mut self, features: &Features, centres: &Features) -> bool {
        let n = features.n_rows();
        let pieces = parallel::map(n.div_ceil(PIECE), |piece| {
            let range = piece * PIECE..n.min((piece + 1) * PIECE);
            range.map(|i| nearest_centre(features.row(i), centres)).collect::<Vec<_>>()
        });
        let mut changed = false;
        for (i, (cluster, squared)) in pieces.into_iter().flatten().enumerate() {
            changed |= self.cluster[i] != cluster;
            self.cluster[i] = cluster;
            self.squared[i] = squared;
        }
        changed
    }

    /// Moves each point in turn to the cluster where it adds least to the distortion, centres following at once;
    /// whether any moved.
    ///
    /// Taking a point of weight w from a cluster of n gains $\frac{n w}{n - w} d^2$, giving it costs $\frac{n w}{n + w} d^2$: moves
    /// exist where Lloyd's pass sees none.
    fn move_single_points(&mut self, features: &Features, centres: &mut Features) -> bool {
        let mut sizes = vec![0.0; centres.n_rows()];
        let mut n_members = vec![0_usize; centres.n_rows()];
        for (i, &cluster) in self.cluster.iter().enumerate() {
            sizes[cluster] += features.weight(i);
            n_members[cluster] += 1;
        }
        let mut moved = false;
        for i in 0..features.n_rows() {
            let (row, weight, from) = (features.row(i), features.weight(i), self.cluster[i]);
            if n_members[from] < 2 {
                continue;
            }
            let gain = sizes[from] / (sizes[from] - weight) * squared_distance(row, centres.row(from));
            let cost = |to: usize| sizes[to] / (sizes[to] + weight) * squared_distance(row, centres.row(to));
            let others = (0..centres.n_rows()).filter(|&to| to != from).map(|to| (to, cost(to)));
            let cheapest = others.reduce(|best, other| if other.1 < best.1 { other } else { best });
            // Only beyond rounding, or two equal choices would swap for ever.
            if let Some((to, _)) = cheapest.filter(|&(_, cost)| cost < gain * (1.0 - 1e-9)) {
                shift(centres.row_mut(from), row, -weight / (sizes[from] - weight));
                shift(centres.row_mut(to), row, weight / (sizes[to] + weight));
                sizes[from] -= weight;
                sizes[to] += weight;
                n_members[from] -= 1;
                n_members[to] += 1;
                self.cluster[i] = to;
                moved = true;
            }
        }
        moved
    }

    /// Gives every empty cluster the point that lies farthest from its centre, from a cluster that can spare it.
    fn repair_empty(&mut self, n_clusters: usize) {
        let mut sizes = vec![0usize; n_clusters];
        self.cluster.iter().for_each(|&cluster| sizes[cluster] += 1);
        for empty in 0..n_clusters {
            if sizes[empty] > 0 {
                continue;
            }
            let spare = (0..self.cluster.len()).filter(|&i| sizes[self.cluster[i]] > 1);
            let farthest =
                spare.reduce(|best, i| if self.squared[i] > self.squared[best] { i } else { best });
            if let Some(i) = farthest {
                sizes[self.cluster[i]] -= 1;
                sizes[empty] += 1;
                self.cluster[i] = empty;
                self.squared[i] = 0.0;
            }
        }
    }
}

/// Moves a centre by `part` of its way to `row`.
fn shift(centre: &mut [f64], row: &[f64], part: f64) {
    centre.iter_mut().zip(row).for_each(|(c, x)| *c += part * (x - *c));
}

pub(crate) fn nearest_centre(row: &[f64], centres: &Features) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for cluster in 0..centres.n_rows() {
        let squared = squared_distance(row, centres.row(cluster));
        if squared < best.1 {
            best = (cluster, squared);
        }
    }
    best
}

pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The mean of each cluster's rows, summed in fixed pieces.
pub(crate) fn means(features: &Features, cluster: &[usize], n_clusters: usize) -> Features {
    let width = features.n_columns();
    let pieces = parallel::map(cluster.len().div_ceil(PIECE), |piece| {
        let mut sums = vec![0.0; n_clusters * (width + 1)];
        for i in piece * PIECE..cluster.len().min((piece + 1) * PIECE) {
            let sum = &mut sums[cluster[i] * (width + 1)..(cluster[i] + 1) * (width + 1)];
            let weight = features.weight(i);
            sum.iter_mut().zip(features.row(i)).for_each(|(sum, x)| *sum += weight * x);
            sum[width] += weight;
        }
        sums
    });
    let mut totals = vec![0.0; n_clusters * (width + 1)];
    for sums in pieces {
        totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    let mean = |total: &[f64]| {
        let weight = if total[width] > 0.0 { total[width] } else { 1.0 };
        total[..width].iter().map(|sum| sum / weight).collect::<Vec<_>>()
    };
    Features::from_rows(totals.chunks(width + 1).flat_map(mean).collect(), n_clusters, width)
}

/// Greedy k-means++: each next centre is the best of a few rows drawn by squared distance to the centres so far, which
/// begin with those that are `known`.
pub(crate) fn plus_plus(
    features: &Features,
    n_clusters: usize,
    known: Vec<Vec<f64>>,
    random: &mut Random,
) -> Features {
    let n = features.n_rows();
    let n_tries = 2 + (n_clusters as f64).ln() as usize;
    let mut centres = known;
    if centres.is_empty() {
        let first = if features.weights().is_empty() {
            random.random_range(0..n)
        } else {
            draw_by_weight(features.weights(), random)
        };
        centres.push(features.row(first).to_vec());
    }
    let far = vec![f64::INFINITY; n];
    let mut squared = centres.iter().fold(far, |squared, centre| to_row(features, centre, &squared));
    while centres.len() < n_clusters {
        let tries = (0..n_tries).map(|_| {
            let next = draw_by_weight(&by_weight(features, &squared), random);
            let squared = to_row(features, features.row(next), &squared);
            (by_weight(features, &squared).iter().sum::<f64>(), next, squared)
        });
        let best = tries.reduce(|best, other| if other.0 < best.0 { other } else { best });
        if let Some((_, next, nearer)) = best {
            centres.push(features.row(next).to_vec());
            squared = nearer;
        }
    }
    Features::from_rows(centres.concat(), n_clusters, features.n_columns())
}

/// Values of the rows, each times its weight.
fn by_weight<'a>(features: &Features, values: &'a [f64]) -> Cow<'a, [f64]> {
    if features.weights().is_empty() {
        return values.into();
    }
    features.weights().iter().zip(values).map(|(weight, value)| weight * value).collect()
}

/// The squared distance of each row to another, or `squared` where that is less.
fn to_row(features: &Features, to: &[f64], squared: &[f64]) -> Vec<f64> {
    let nearer = |i: usize| squared_distance(features.row(i), to).min(squared[i]);
    (0..features.n_rows()).map(nearer).collect()
}

/// Draws an index with probability proportional to its weight; any, if all weights are 0.
fn draw_by_weight(weights: &[f64], random: &mut Random) -> usize {
    let total: f64 = weights.iter().sum();
    let mut left = random.random::<f64>() * total;
    if !(total > 0.0 && total.is_finite()) {
        return random.random_range(0..weights.len());
    }
    for (i, &weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return i;
        }
    }
    weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests;
