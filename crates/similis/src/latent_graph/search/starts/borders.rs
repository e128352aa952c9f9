//! Smoothing of the borders between clusters: points inside clusters stay where they are.
//!
//! Lists of neighbours are read piece by piece, so that they may lie elsewhere than in memory.

use std::ops::Range;

use crate::graph::neighbours::Neighbours;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::starts::origin::Smoothing;
use crate::latent_graph::search::starts::smooth::{LEAST_GAIN, LEAST_SIZE, MAX_PASSES, SETTLED, scales};
use crate::run::parallel;

/// Number of points in one unit of parallel work, which has a sum for every cluster. Not tuned.
const PIECE: usize = 8_192;

/// Lists of near neighbours of some points.
pub(crate) trait Listed {
    /// The neighbours `(j, distance)` of point `i`, nearest first.
    fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)>;
}

/// Lists of near neighbours of all points, which are read piece by piece.
pub(crate) trait InPieces: Sync {
    /// The lists of consecutive points; `None` where they cannot be read.
    fn piece(&self, points: Range<usize>) -> Option<impl Listed>;
}

impl Listed for &Neighbours {
    fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        Neighbours::of(self, i)
    }
}

impl InPieces for Neighbours {
    fn piece(&self, _points: Range<usize>) -> Option<impl Listed> {
        Some(self)
    }
}

/// How lengths count: the mean link is their unit, and none is below the floor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) mean_link: f64,
    pub(crate) floor: f64,
}

/// Returns labels smoothed as by [`smooth`](crate::latent_graph::search::starts::smooth::smooth), where a point may go only to
/// the clusters of its listed neighbours. So memory is needed for points at the borders alone.
pub(crate) fn smooth_borders(
    context: &Context<'_>,
    labels: &[usize],
    n_clusters: usize,
    by: Smoothing,
) -> Vec<usize> {
    let unit = Unit { mean_link: context.mean_link, floor: context.floor() };
    let short: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
    // Lists in memory can be read.
    let smoothed = smooth_listed(&context.neighbours, unit, short, n_clusters, by).unwrap_or_default();
    smoothed.into_iter().map(|label| label as usize).collect()
}

/// As [`smooth_borders`], by lists that are read piece by piece; `None` where these cannot be read.
pub(crate) fn smooth_listed(
    lists: &impl InPieces,
    unit: Unit,
    mut labels: Vec<u32>,
    n_clusters: usize,
    by: Smoothing,
) -> Option<Vec<u32>> {
    let near = NearLengths { unit, k: by.n_neighbours, shape: by.shape };
    for _ in 0..MAX_PASSES {
        let (sums, ways) = near.ways(lists, &labels, n_clusters)?;
        let mut sizes = vec![0; n_clusters];
        labels.iter().for_each(|&cluster| sizes[cluster as usize] += 1);
        let scales = scales(&sums, &sizes);
        let n_moved = move_at_borders(&mut labels, &mut sizes, &scales, &ways);
        if n_moved <= labels.len() / SETTLED {
            break;
        }
    }
    Some(labels)
}

/// A cluster that a point at a border may be in, and $T_{ic}$ there.
struct Way {
    point: u32,
    cluster: u32,
    mean: f64,
}

/// The lengths to listed neighbours, to the power of the shape.
struct NearLengths {
    unit: Unit,
    k: usize,
    shape: i32,
}

impl NearLengths {
    fn power(&self, length: f64) -> f64 {
        (length.max(self.unit.floor) / self.unit.mean_link).powi(self.shape)
    }

    /// What a cluster mate that is not listed counts.
    fn far(&self, i: usize, lists: &impl Listed) -> f64 {
        let last = lists.of(i).next_back();
        self.power(2.0 * last.map_or(self.unit.mean_link, |(_, length)| length))
    }

    /// The sums of $T_{ic}$ over the points of each cluster, and for each point with a listed neighbour in another cluster its
    /// ways: its own cluster first, then the others in rising order.
    fn ways(&self, lists: &impl InPieces, labels: &[u32], n_clusters: usize) -> Option<(Vec<f64>, Vec<Way>)> {
        let pieces = parallel::map(labels.len().div_ceil(PIECE), |piece| {
            let points = piece * PIECE..labels.len().min((piece + 1) * PIECE);
            let lists = lists.piece(points.clone())?;
            let (mut sums, mut ways) = (vec![0.0; n_clusters], Vec::new());
            for i in points {
                let mean = self.mean_in(i, labels[i], labels, &lists);
                sums[labels[i] as usize] += mean;
                self.add_ways(i, mean, (labels, &lists), &mut ways);
            }
            Some((sums, ways))
        });
        let (mut sums, mut ways) = (vec![0.0; n_clusters], Vec::new());
        for piece in pieces {
            let (own, mut of_piece) = piece?;
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            ways.append(&mut of_piece);
        }
        Some((sums, ways))
    }

    /// Adds the ways of a point, of which the mean in its own cluster is known, if it is at a border.
    fn add_ways(&self, i: usize, mean: f64, (labels, lists): (&[u32], &impl Listed), ways: &mut Vec<Way>) {
        let way = |cluster: u32, mean: f64| Way { point: i as u32, cluster, mean };
        let listed = lists.of(i).map(|(j, _)| labels[j]);
        let mut others: Vec<u32> = listed.filter(|&cluster| cluster != labels[i]).collect();
        if others.is_empty() {
            return;
        }
        others.sort_unstable();
        others.dedup();
        ways.push(way(labels[i], mean));
        ways.extend(others.into_iter().map(|cluster| way(cluster, self.mean_in(i, cluster, labels, lists))));
    }

    /// $T_{ic}$.
    fn mean_in(&self, i: usize, cluster: u32, labels: &[u32], lists: &impl Listed) -> f64 {
        let mates = lists.of(i).filter(|&(j, _)| labels[j] == cluster).take(self.k);
        let (sum, count) =
            mates.fold((0.0, 0), |(sum, count), (_, length)| (sum + self.power(length), count + 1));
        let missing = self.k - count;
        let far = if missing > 0 { missing as f64 * self.far(i, lists) } else { 0.0 };
        (sum + far) / self.k as f64
    }
}

/// Moves the points at the borders to their likeliest clusters; how many moved.
fn move_at_borders(labels: &mut [u32], sizes: &mut [usize], scales: &[f64], ways: &[Way]) -> usize {
    let log_scales: Vec<f64> = scales.iter().map(|scale| scale.ln()).collect();
    let price = |way: &Way| log_scales[way.cluster as usize] + way.mean / scales[way.cluster as usize];
    let mut n_moved = 0;
    for ways in ways.chunk_by(|a, b| a.point == b.point) {
        let best =
            ways.iter().reduce(|best, way| if price(way) < price(best) - LEAST_GAIN { way } else { best });
        let Some(&Way { point, cluster, .. }) = best else { continue };
        let own = labels[point as usize];
        if own != cluster && sizes[own as usize] > LEAST_SIZE {
            sizes[own as usize] -= 1;
            sizes[cluster as usize] += 1;
            labels[point as usize] = cluster;
            n_moved += 1;
        }
    }
    n_moved
}
