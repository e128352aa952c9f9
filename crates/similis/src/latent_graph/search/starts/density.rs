//! Starts from density: connected components of the densest points, and points sorted by core distance.

use rand::RngExt;

use crate::graph::disjoint_sets::components;
use crate::latent_graph::search::starts::reachability::Reachability;
use crate::run::random::Random;

/// Least fraction of the points that a dense component must hold. Not tuned.
const LEAST_PART: f64 = 0.005;

/// Returns the `n_clusters` - 1 largest connected components of the points whose core distance is within the given quantile,
/// and all other points as one more cluster; nothing where too few components are more than noise.
pub(crate) fn level(reach: &Reachability, quantile: f64, n_clusters: usize) -> Option<Vec<usize>> {
    let n = reach.core.len();
    let threshold = at_quantile(&reach.sorted_core, quantile);
    let parts = components(n, reach.tree.iter().copied().filter(|link| link.length <= threshold));
    let mut n_dense = vec![0usize; parts.n_clusters()];
    let dense = |i: usize| reach.core[i] <= threshold;
    (0..n).filter(|&i| dense(i)).for_each(|i| n_dense[parts.as_slice()[i]] += 1);
    let mut largest: Vec<usize> = (0..n_dense.len()).collect();
    largest.sort_by_key(|&part| std::cmp::Reverse(n_dense[part]));
    largest.truncate(n_clusters - 1);
    let least = (LEAST_PART * n as f64).max(3.0);
    if largest.len() + 1 < n_clusters || largest.iter().any(|&part| (n_dense[part] as f64) < least) {
        return None;
    }
    let mut class = vec![n_clusters - 1; n_dense.len()];
    largest.iter().enumerate().for_each(|(rank, &part)| class[part] = rank);
    Some((0..n).map(|i| if dense(i) { class[parts.as_slice()[i]] } else { n_clusters - 1 }).collect())
}

/// Returns the points cut into clusters by core distance, as many in each, or between quantiles that `random` draws.
pub(crate) fn spacing(reach: &Reachability, n_clusters: usize, random: Option<&mut Random>) -> Vec<usize> {
    let mut quantiles: Vec<f64> = match random {
        None => (1..n_clusters).map(|at| at as f64 / n_clusters as f64).collect(),
        Some(random) => (1..n_clusters).map(|_| random.random_range(0.1..0.9)).collect(),
    };
    quantiles.sort_by(f64::total_cmp);
    let cuts: Vec<f64> =
        quantiles.iter().map(|&quantile| at_quantile(&reach.sorted_core, quantile)).collect();
    reach.core.iter().map(|&core| cuts.partition_point(|&cut| cut < core)).collect()
}

fn at_quantile(sorted: &[f64], quantile: f64) -> f64 {
    sorted[(quantile * (sorted.len() - 1) as f64) as usize]
}
