//! Smoothing: every point takes the cluster in which its nearest cluster mates are likeliest, Eq. (9).

use crate::latent_graph::context::Context;
use crate::latent_graph::search::starts::origin::Smoothing;
use crate::run::parallel;

/// Maximum number of passes over the points. Not tuned.
pub(crate) const MAX_PASSES: usize = 30;

/// Passes end when at most one point in this number moves: a few may alternate for ever. Not tuned.
pub(crate) const SETTLED: usize = 500;

/// Number of points in one unit of parallel work. Not tuned.
const PIECE: usize = 256;

/// Smallest gain that moves a point, in nats: ties, to the last digits, leave it where it is.
pub(crate) const LEAST_GAIN: f64 = 1e-9;

/// Number of points at which a cluster loses no more, so that no cluster vanishes.
pub(crate) const LEAST_SIZE: usize = 2;

/// Returns the labels after passes in which each point goes to the cluster whose K members nearest to it are likeliest.
///
/// Under Eq. (9) with K neighbours and $L^m$ exponential, K and m being those of `by`, point i has in cluster c
///
/// $$ \log p = -K \left( \log s_c + T_{ic} / s_c \right) $$
///
/// where $T_{ic}$ is the mean of $L_{ij}^m$ over the K members j of c nearest to i, and $s_c$ its mean over the cluster. A
/// member that is not among the listed neighbours counts as twice as far as the last of them. All points move at once, given
/// the labels of the pass before; clusters of two points lose none, so that none is lost.
pub(crate) fn smooth(
    context: &Context<'_>,
    labels: &[usize],
    n_clusters: usize,
    by: Smoothing,
) -> Vec<usize> {
    NearLengths::new(context, by).smoothed(labels, n_clusters)
}

/// The lengths to listed neighbours, to the power of the shape: the same for all labels that are smoothed.
pub(crate) struct NearLengths<'a> {
    context: &'a Context<'a>,
    /// Number of nearest cluster mates (K).
    k: usize,
    /// The powers for point i are `offsets[i]..offsets[i + 1]`, in the order of its list.
    offsets: Vec<usize>,
    powers: Vec<f64>,
    /// For each point what a cluster mate that is not listed counts.
    far: Vec<f64>,
    /// The points that list point j: `listed_by[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
    listed_by: Vec<u32>,
}

impl<'a> NearLengths<'a> {
    pub(crate) fn new(context: &'a Context<'a>, by: Smoothing) -> Self {
        let power = |length: f64| (length.max(context.floor()) / context.mean_link).powi(by.shape);
        let n = context.n_points();
        let (mut offsets, mut powers, mut far) = (vec![0], Vec::new(), Vec::with_capacity(n));
        for i in 0..n {
            let list = context.neighbours.of(i);
            powers.extend(list.map(|(_, length)| power(length)));
            offsets.push(powers.len());
            let last = context.neighbours.of(i).next_back();
            far.push(power(2.0 * last.map_or(context.mean_link, |(_, length)| length)));
        }
        let (starts, listed_by) = listed_by(context);
        Self { context, k: by.n_neighbours, offsets, powers, far, starts, listed_by }
    }

    /// As [`smooth`].
    pub(crate) fn smoothed(&self, labels: &[usize], n_clusters: usize) -> Vec<usize> {
        let mut labels = labels.to_vec();
        let mut means = vec![0.0; labels.len() * n_clusters];
        let mut stale: Vec<bool> = self.offsets.windows(2).map(|list| list[0] < list[1]).collect();
        for _ in 0..MAX_PASSES {
            self.fill_means(&labels, &stale, n_clusters, &mut means);
            let scales = class_scales(&labels, n_clusters, &means);
            let moved = move_all(&mut labels, &scales, &means);
            if moved.len() <= labels.len() / SETTLED {
                break;
            }
            stale.fill(false);
            for j in moved {
                let row = self.starts[j]..self.starts[j + 1];
                self.listed_by[row].iter().for_each(|&i| stale[i as usize] = true);
            }
        }
        labels
    }

    /// Writes $T_{ic}$, row after row, for the points that list one that moved.
    fn fill_means(&self, labels: &[usize], stale: &[bool], n_clusters: usize, means: &mut [f64]) {
        parallel::for_each_piece(means, PIECE * n_clusters, |piece, rows| {
            let mut n_left = vec![0; n_clusters];
            for (at, row) in rows.chunks_mut(n_clusters).enumerate() {
                let i = piece * PIECE + at;
                if stale[i] {
                    self.fill_row(i, labels, row, &mut n_left);
                }
            }
        });
    }

    fn fill_row(&self, i: usize, labels: &[usize], row: &mut [f64], n_left: &mut [usize]) {
        row.fill(0.0);
        n_left.fill(self.k);
        let mut n_open = row.len();
        let powers = &self.powers[self.offsets[i]..self.offsets[i + 1]];
        for ((j, _), power) in self.context.neighbours.of(i).zip(powers) {
            let cluster = labels[j];
            if n_left[cluster] > 0 {
                row[cluster] += power;
                n_left[cluster] -= 1;
                n_open -= usize::from(n_left[cluster] == 0);
            }
            if n_open == 0 {
                break;
            }
        }
        for (mean, &n_left) in row.iter_mut().zip(&*n_left) {
            *mean = (*mean + n_left as f64 * self.far[i]) / self.k as f64;
        }
    }
}

/// The mean of each cluster's own lengths, with the weight of one point at the mean of all.
fn class_scales(labels: &[usize], n_clusters: usize, means: &[f64]) -> Vec<f64> {
    let (mut sums, mut sizes) = (vec![0.0; n_clusters], vec![0; n_clusters]);
    for (i, &cluster) in labels.iter().enumerate() {
        sums[cluster] += means[i * n_clusters + cluster];
        sizes[cluster] += 1;
    }
    scales(&sums, &sizes)
}

/// The same from the sums over the points of each cluster, and their numbers.
pub(crate) fn scales(sums: &[f64], sizes: &[usize]) -> Vec<f64> {
    let all = sums.iter().sum::<f64>() / sizes.iter().sum::<usize>() as f64;
    sums.iter().zip(sizes).map(|(sum, &size)| (sum + all) / (size as f64 + 1.0)).collect()
}

/// The points that list each point, one list after the other: where each begins, and all of them.
fn listed_by(context: &Context<'_>) -> (Vec<usize>, Vec<u32>) {
    let n = context.n_points();
    let mut starts = vec![0; n + 1];
    (0..n).for_each(|i| context.neighbours.of(i).for_each(|(j, _)| starts[j + 1] += 1));
    (0..n).for_each(|j| starts[j + 1] += starts[j]);
    let (mut next, mut listed_by) = (starts.clone(), vec![0; starts[n]]);
    for i in 0..n {
        for (j, _) in context.neighbours.of(i) {
            listed_by[next[j]] = i as u32;
            next[j] += 1;
        }
    }
    (starts, listed_by)
}

/// Moves every point to its likeliest cluster; returns those that moved.
fn move_all(labels: &mut [usize], scales: &[f64], means: &[f64]) -> Vec<usize> {
    let log_scales: Vec<f64> = scales.iter().map(|scale| scale.ln()).collect();
    let mut sizes = vec![0; scales.len()];
    labels.iter().for_each(|&cluster| sizes[cluster] += 1);
    let mut moved = Vec::new();
    for (i, (label, row)) in labels.iter_mut().zip(means.chunks(scales.len())).enumerate() {
        let price = |cluster: usize| log_scales[cluster] + row[cluster] / scales[cluster];
        let (_, best) = (0..scales.len()).fold((price(*label), *label), |best, cluster| {
            let price = price(cluster);
            if price < best.0 - LEAST_GAIN { (price, cluster) } else { best }
        });
        if best != *label && sizes[*label] > LEAST_SIZE {
            sizes[*label] -= 1;
            sizes[best] += 1;
            *label = best;
            moved.push(i);
        }
    }
    moved
}
