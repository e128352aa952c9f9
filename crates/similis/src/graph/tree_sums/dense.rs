//! All spanning trees of a cluster in which every pair may be a link: plain numbers in blocks instead of logarithms.

use crate::run::parallel;
use crate::run::parallel::vectorised;

/// Number of points that are eliminated together (block size). Not tuned.
const BLOCK: usize = 32;

/// Logarithm of the largest weight after scaling: below 709, where `f64` overflows.
const GREATEST: f64 = 600.0;

/// Smallest log weight, after scaling, of a link of the maximum-weight tree for which `f64` is used; above [`NOTHING`].
const LEAST_IN_TREE: f64 = -500.0;

/// Links with a smaller log weight, after scaling, count as 0: their probability is negligible, and `f64` underflows at -708.
const NOTHING: f64 = -690.0;

/// The weights of all pairs of a cluster, and the resistances between its points.
#[derive(Debug)]
pub(crate) struct DenseTrees {
    n_points: usize,
    /// The weights, row after row, those right of the diagonal: after the elimination, what each was when the first of its
    /// ends was eliminated.
    weights: Vec<f64>,
    /// $t_k$: the sum of the weights of a point when it was eliminated.
    totals: Vec<f64>,
    /// $R_{ij}$, both ways.
    resistances: Vec<f64>,
}

/// Returns the probability of every pair $i < j$, at $i n + j$, to be a link of a tree drawn in proportion to its weight;
/// `None` where plain numbers do not reach.
///
/// The same recursions as in [`Elimination`](crate::latent_graph::search::score::all_trees::Elimination), whose sums have no differences but one: points in
/// rising order, and what blocks of them add to all others in one go.
pub(crate) fn edge_probabilities(
    n_points: usize,
    log_weight: impl Fn(usize, usize) -> f64 + Sync + Send,
) -> Option<Vec<f64>> {
    let rows = parallel::map(n_points, |i| {
        (0..n_points).map(|j| if j > i { log_weight(i, j) } else { f64::NEG_INFINITY }).collect::<Vec<_>>()
    });
    let log_weights = rows.concat();
    let greatest = log_weights.iter().fold(f64::NEG_INFINITY, |most: f64, &log| most.max(log));
    let shift = GREATEST - greatest;
    if n_points > 1 && !(bottleneck(&log_weights, n_points) + shift >= LEAST_IN_TREE) {
        return None;
    }
    let plain = |&log: &f64| if log + shift > NOTHING { (log + shift).exp() } else { 0.0 };
    let weights: Vec<f64> = log_weights.iter().map(plain).collect();
    let mut trees = DenseTrees {
        n_points,
        weights: weights.clone(),
        totals: vec![0.0; n_points],
        resistances: vec![0.0; n_points * n_points],
    };
    trees.eliminate();
    trees.resist();
    let probability = |(weight, resistance): (&f64, &f64)| (weight * resistance).clamp(0.0, 1.0);
    Some(weights.iter().zip(&trees.resistances).map(probability).collect())
}

/// The least log weight in the tree of the greatest weights, by Prim's method.
fn bottleneck(log_weights: &[f64], n: usize) -> f64 {
    let weight = |i: usize, j: usize| log_weights[i.min(j) * n + i.max(j)];
    let mut best: Vec<f64> = (0..n).map(|j| if j > 0 { weight(0, j) } else { f64::NEG_INFINITY }).collect();
    let mut waiting: Vec<usize> = (1..n).collect();
    let mut least = f64::INFINITY;
    while !waiting.is_empty() {
        let at = (1..waiting.len()).fold(0, |a, b| if best[waiting[b]] > best[waiting[a]] { b } else { a });
        let next = waiting.swap_remove(at);
        least = least.min(best[next]);
        waiting.iter().for_each(|&j| best[j] = best[j].max(weight(next, j)));
    }
    least
}

impl DenseTrees {
    /// Eliminates all points but the last: $w_{ij} \leftarrow w_{ij} + w_{ki} w_{kj} / t_k$.
    fn eliminate(&mut self) {
        let n = self.n_points;
        for start in (0..n.saturating_sub(1)).step_by(BLOCK) {
            let end = (start + BLOCK).min(n - 1);
            for k in start..end {
                let (before, rest) = self.weights.split_at_mut(k * n);
                let row = &mut rest[..n];
                add_rows(row, k, &before[start * n..], &self.totals[start..k]);
                self.totals[k] = row[k + 1..].iter().sum();
            }
            let (before, rest) = self.weights.split_at_mut(end * n);
            let (block, totals) = (&before[start * n..], &self.totals[start..end]);
            parallel::for_each_piece(rest, n, |piece, row| add_rows(row, end + piece, block, totals));
        }
    }

    /// Finds the resistances, the last eliminated points first.
    fn resist(&mut self) {
        let n = self.n_points;
        let starts: Vec<usize> = (0..n.saturating_sub(1)).step_by(BLOCK).collect();
        for &start in starts.iter().rev() {
            let end = (start + BLOCK).min(n - 1);
            for k in start..end {
                let total = self.totals[k];
                self.weights[k * n + k + 1..(k + 1) * n].iter_mut().for_each(|weight| *weight /= total);
            }
            // What the points after the block add to the mean resistances of each of its points.
            let (parts, resistances) = (&self.weights, &self.resistances);
            let means = parallel::map(n - end, |at| {
                let row = &resistances[(end + at) * n + end..(end + at + 1) * n];
                let of = |k: usize| dot(&parts[k * n + end..(k + 1) * n], row);
                vectorised(|| (start..end).map(of).collect::<Vec<_>>())
            });
            for k in (start..end).rev() {
                let from_after: Vec<f64> = means.iter().map(|of_block| of_block[k - start]).collect();
                self.resist_point(k, end, &from_after);
            }
        }
    }

    /// The resistances from point k, whose weights are parts of its total now, to all after it; `sums` are those over the
    /// points from `end` on.
    fn resist_point(&mut self, k: usize, end: usize, sums: &[f64]) {
        let n = self.n_points;
        let total = self.totals[k];
        let parts = &self.weights[k * n..(k + 1) * n];
        let row = |i: usize| &self.resistances[i * n..(i + 1) * n];
        let mut means = vec![0.0; n];
        for i in k + 1..end {
            means[i] = vectorised(|| dot(&parts[k + 1..], &row(i)[k + 1..]));
        }
        for i in end..n {
            means[i] = sums[i - end] + dot(&parts[k + 1..end], &row(i)[k + 1..end]);
        }
        let spread = 0.5 * dot(&parts[k + 1..], &means[k + 1..]);
        for i in k + 1..n {
            let resistance = total.recip() + (means[i] - spread).max(0.0);
            self.resistances[k * n + i] = resistance;
            self.resistances[i * n + k] = resistance;
        }
    }
}

/// Adds to row i, right of the diagonal, what eliminating the points of some rows above adds.
fn add_rows(row: &mut [f64], i: usize, block: &[f64], totals: &[f64]) {
    let n = row.len();
    vectorised(|| {
        for (above, total) in block.chunks_exact(n).zip(totals) {
            let part = above[i] / total;
            for (weight, other) in row[i + 1..].iter_mut().zip(&above[i + 1..]) {
                *weight += part * other;
            }
        }
    });
}

/// The sum of products, in eight sums that can be done at once.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_pieces, b_pieces) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_pieces.remainder().iter().zip(b_pieces.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_pieces.zip(b_pieces) {
        for at in 0..8 {
            sums[at] += x[at] * y[at];
        }
    }
    sums.iter().sum::<f64>() + rest
}
