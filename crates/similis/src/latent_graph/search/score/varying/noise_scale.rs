//! The scale of the links of noise points: one for all of them.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::latent_graph::search::score::varying::beliefs::log_sum;
use crate::latent_graph::search::score::varying::{N_SCALES, OnGrid, ScaleGrid, log_scale};

/// The posterior of the scale of the links of noise points, given the known ones.
///
/// $$ P(s | L) \propto \prod_i s^{-m} e^{-(L_i / s)^m} $$
///
/// over the scales of the grid from the mean link on, as noise is scattered more thinly than the points are on average: a
/// dense cluster is not noise, however well one scale explains it. Where no noise point is known, all of them are equally
/// probable.
#[derive(Clone, Debug)]
pub(crate) struct NoiseScale {
    grid: ScaleGrid,
    /// The log weight of all known links at each scale.
    known: OnGrid,
}

impl NoiseScale {
    /// Returns the posterior given links of these lengths; NaN is one that was not observed.
    pub(crate) fn new(grid: &ScaleGrid, lengths: impl IntoIterator<Item = f64>) -> Self {
        let mut known: OnGrid = std::array::from_fn(|at| if is_thin(at) { 0.0 } else { f64::NEG_INFINITY });
        for length in lengths {
            let own = grid.on_grid(length);
            known.iter_mut().zip(own).for_each(|(sum, weight)| *sum += weight);
        }
        Self { grid: *grid, known }
    }

    /// The log evidence of the known links, in units of the mean link.
    pub(crate) fn log_evidence(&self) -> f64 {
        log_sum(&self.known) - ((0..N_SCALES).filter(|&at| is_thin(at)).count() as f64).ln()
    }

    /// The log density of one more link, in units of the mean link; `without` is a known link that is left out
    /// (leave-one-out).
    pub(crate) fn log_density(&self, length: f64, without: Option<f64>) -> f64 {
        let mut known = self.known;
        if let Some(own) = without {
            known.iter_mut().zip(self.grid.on_grid(own)).for_each(|(sum, weight)| *sum -= weight);
        }
        let all = log_sum(&known);
        if all == f64::NEG_INFINITY {
            // Lengths beyond all scales, as a damaged file may have.
            return all;
        }
        known.iter_mut().zip(self.grid.on_grid(length)).for_each(|(sum, weight)| *sum += weight);
        log_sum(&known) - all
    }
}

/// The length of each noise point's link, in the order of the points: noise and clusters, taken as one point, have a tree, and a
/// noise point's link is that towards the clusters. NaN is a link that was not observed.
///
/// `tree` is the minimum spanning tree, shortest link first: that of the merged points has no other links.
pub(crate) fn noise_lengths(tree: &[Link], labels: &[Option<usize>]) -> Vec<f64> {
    let n_points = labels.len();
    // The clusters are one more point, with the number of points.
    let end = |i: usize| if labels[i].is_some() { n_points } else { i };
    let mut sets = DisjointSets::new(n_points + 1);
    let mut around: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_points + 1];
    for link in tree {
        let (a, b) = (end(link.from), end(link.to));
        if sets.join(a, b) {
            let length = if link.length.is_finite() { link.length } else { f64::NAN };
            around[a].push((b, length));
            around[b].push((a, length));
        }
    }
    let mut lengths = vec![None; n_points + 1];
    lengths[n_points] = Some(f64::NAN);
    let mut next = vec![n_points];
    while let Some(from) = next.pop() {
        for &(to, length) in &around[from] {
            if lengths[to].is_none() {
                lengths[to] = Some(length);
                next.push(to);
            }
        }
    }
    (0..n_points).filter(|&i| labels[i].is_none()).map(|i| lengths[i].unwrap_or(f64::NAN)).collect()
}

/// Whether noise may have a scale.
fn is_thin(at: usize) -> bool {
    log_scale(at as f64) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_are_normalised_and_make_up_the_evidence() {
        let grid = ScaleGrid { unit: 1.5, floor: 1e-9, shape: 1.0, log_join: f64::NEG_INFINITY };
        let lengths = [2.0, 7.0, 3.5];
        let mut before = NoiseScale::new(&grid, []);
        let mut log_evidence = before.log_evidence();
        assert!(log_evidence.abs() < 1e-12);
        for at in 0..lengths.len() {
            log_evidence += before.log_density(lengths[at], None);
            before = NoiseScale::new(&grid, lengths[..=at].iter().copied());
            assert!((before.log_evidence() - log_evidence).abs() < 1e-9);
        }
        let without = NoiseScale::new(&grid, [2.0, 3.5]).log_density(1.0, None);
        assert!((before.log_density(1.0, Some(7.0)) - without).abs() < 1e-9);
        // The integral over all lengths, in units of the mean link.
        let pieces = 400_000;
        let total: f64 =
            (0..pieces).map(|k| before.log_density(1.5e-3 * (f64::from(k) + 0.5), None).exp() * 1e-3).sum();
        assert!((total - 1.0).abs() < 1e-2, "{total}");
    }
}
