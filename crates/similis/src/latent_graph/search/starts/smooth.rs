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
    let near = NearLengths { context, k: by.n_neighbours, shape: by.shape };
    let mut labels = labels.to_vec();
    let mut means = vec![0.0; labels.len() * n_clusters];
    let mut moved = vec![true; labels.len()];
    for _ in 0..MAX_PASSES {
        near.fill_means(&labels, &moved, n_clusters, &mut means);
        let scales = class_scales(&labels, n_clusters, &means);
        move_all(&mut labels, &mut moved, &scales, &means);
        if moved.iter().filter(|&&moved| moved).count() <= labels.len() / SETTLED {
            break;
        }
    }
    labels
}

/// The lengths to listed neighbours, to the power of the shape.
struct NearLengths<'a> {
    context: &'a Context<'a>,
    k: usize,
    shape: i32,
}

impl NearLengths<'_> {
    fn power(&self, length: f64) -> f64 {
        (length.max(self.context.floor()) / self.context.mean_link).powi(self.shape)
    }

    /// What a cluster mate that is not listed counts.
    fn far(&self, i: usize) -> f64 {
        let last = self.context.neighbours.of(i).next_back();
        self.power(2.0 * last.map_or(self.context.mean_link, |(_, length)| length))
    }

    /// Writes $T_{ic}$, row after row, for points that have a neighbour that moved.
    fn fill_means(&self, labels: &[usize], moved: &[bool], n_clusters: usize, means: &mut [f64]) {
        parallel::for_each_piece(means, PIECE * n_clusters, |piece, rows| {
            let mut n_left = vec![0; n_clusters];
            for (at, row) in rows.chunks_mut(n_clusters).enumerate() {
                let i = piece * PIECE + at;
                if self.context.neighbours.of(i).any(|(j, _)| moved[j]) {
                    self.fill_row(i, labels, row, &mut n_left);
                }
            }
        });
    }

    fn fill_row(&self, i: usize, labels: &[usize], row: &mut [f64], n_left: &mut [usize]) {
        row.fill(0.0);
        n_left.fill(self.k);
        let mut n_open = row.len();
        for (j, length) in self.context.neighbours.of(i) {
            let cluster = labels[j];
            if n_left[cluster] > 0 {
                row[cluster] += self.power(length);
                n_left[cluster] -= 1;
                n_open -= usize::from(n_left[cluster] == 0);
            }
            if n_open == 0 {
                break;
            }
        }
        let far = self.far(i);
        for (mean, &n_left) in row.iter_mut().zip(&*n_left) {
            *mean = (*mean + n_left as f64 * far) / self.k as f64;
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

/// Moves every point to its likeliest cluster, and marks those that moved.
fn move_all(labels: &mut [usize], moved: &mut [bool], scales: &[f64], means: &[f64]) {
    let log_scales: Vec<f64> = scales.iter().map(|scale| scale.ln()).collect();
    let mut sizes = vec![0; scales.len()];
    labels.iter().for_each(|&cluster| sizes[cluster] += 1);
    let rows = means.chunks(scales.len());
    for ((label, moved), row) in labels.iter_mut().zip(moved).zip(rows) {
        let price = |cluster: usize| log_scales[cluster] + row[cluster] / scales[cluster];
        let best = (0..scales.len()).fold(*label, |best, cluster| {
            if price(cluster) < price(best) - LEAST_GAIN { cluster } else { best }
        });
        *moved = best != *label && sizes[*label] > LEAST_SIZE;
        if *moved {
            sizes[*label] -= 1;
            sizes[best] += 1;
            *label = best;
        }
    }
}
