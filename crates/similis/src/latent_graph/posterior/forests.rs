//! How many spanning forests a support has.

use std::collections::BTreeMap;

use crate::graph::lengths::Lengths;
use crate::latent_graph::search::score::all_trees::log_add;
use crate::numeric::linalg::decomposition::eigenvalues;
use crate::plan::crossover::counts_forests;

/// Halvings of the interval in which the bound is least: its end is then as exact as a double.
const HALVINGS: usize = 60;

/// The logarithms of $F_0, F_1, ..$ up to `most`: how many spanning forests of $M$ trees, one point of each marked as its root, have
/// only links that are allowed; of many points [bounds](log_bounds).
pub(crate) fn log_rooted_forests(lengths: &Lengths<'_>, most: usize) -> Vec<f64> {
    if counts_forests(lengths.n_points()) { log_counts(lengths, most) } else { log_bounds(lengths, most) }
}

/// The numbers themselves.
///
/// $$ \det(\mathcal{L} + x I) = \sum_M F_M x^M, \qquad
/// F_M = \Big( \prod_{\lambda > 0} \lambda \Big) \, e_{M - M_0} (1 / \lambda_1, 1 / \lambda_2, ..) $$
///
/// with the Laplacian $\mathcal{L}$ of the allowed pairs, its positive eigenvalues $\lambda$, the number $M_0$ of those that are 0,
/// which is that of the components, and the elementary symmetric polynomials $e_k$. (By the matrix-tree theorem for the graph with one
/// point more, to which every point has a link of weight $x$.) Of all pairs $F_M = \binom{N - 1}{M - 1} N^{N - M}$.
///
/// $O(N^3)$ time and $O(N^2)$ memory.
fn log_counts(lengths: &Lengths<'_>, most: usize) -> Vec<f64> {
    let n_parts = lengths.n_parts();
    let mut positive = eigenvalues(&laplacian(lengths), lengths.n_points());
    positive.sort_by(|a, b| b.total_cmp(a));
    positive.truncate(lengths.n_points() - n_parts);
    // Rounding may take the least below 0.
    positive.iter_mut().for_each(|value| *value = value.max(f64::MIN_POSITIVE));
    let mut sums = vec![f64::NEG_INFINITY; (most + 1).saturating_sub(n_parts)];
    if let Some(first) = sums.first_mut() {
        *first = positive.iter().map(|value| value.ln()).sum();
    }
    for value in &positive {
        for k in (1..sums.len()).rev() {
            sums[k] = log_add(sums[k], sums[k - 1] - value.ln());
        }
    }
    let mut found = vec![f64::NEG_INFINITY; (most + 1).min(n_parts)];
    found.extend(sums);
    found
}

/// The Laplacian of the allowed pairs, row-major.
fn laplacian(lengths: &Lengths<'_>) -> Vec<f64> {
    let n = lengths.n_points();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for (j, _) in lengths.allowed_links(i) {
            matrix[i * n + j] = -1.0;
            matrix[i * n + i] += 1.0;
        }
    }
    matrix
}

/// Upper bounds on the numbers, by the numbers $d_i$ of allowed links of each point:
///
/// $$ F_M \le e_{N - M}(d_1, d_2, ..) \le \min_{x > 0} x^{-M} \prod_i (d_i + x) $$
///
/// The first is Schur's: the eigenvalues of a symmetric matrix majorise its diagonal, and $e_k$ is Schur-concave. In other words, every
/// point that is no root chooses one of its links, and cycles are counted too. $O(N)$ time for each $M$ at most, less with few different $d_i$.
fn log_bounds(lengths: &Lengths<'_>, most: usize) -> Vec<f64> {
    let mut degrees = BTreeMap::new();
    (0..lengths.n_points())
        .for_each(|i| *degrees.entry(lengths.allowed_links(i).count()).or_insert(0.0) += 1.0);
    let degrees: Vec<(f64, f64)> =
        degrees.into_iter().map(|(degree, points)| (degree as f64, points)).collect();
    let (n, n_parts) = (lengths.n_points(), lengths.n_parts());
    let bound = |m: usize| if m < n_parts { f64::NEG_INFINITY } else { log_bound(&degrees, n, m as f64) };
    (0..=most).map(bound).collect()
}

/// The least of $\sum_i \log(d_i + x) - M \log x$, where $\sum_i x / (d_i + x) = M$; `degrees` are different $d$, each with its number
/// of points.
fn log_bound(degrees: &[(f64, f64)], n_points: usize, m: f64) -> f64 {
    if m >= n_points as f64 {
        return 0.0;
    }
    let roots = |x: f64| degrees.iter().map(|(degree, points)| points * x / (degree + x)).sum::<f64>();
    // x = d M / (N - M) where all degrees are d, and so between those of the least and the greatest.
    let of_all = m / (n_points as f64 - m);
    let ends = [degrees.first(), degrees.last()].map(|end| end.map_or(1.0, |(degree, _)| degree.max(1e-300)));
    let (mut low, mut high) = ((of_all * ends[0]).ln(), (of_all * ends[1]).ln());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if roots(middle.exp()) < m { low = middle } else { high = middle }
    }
    let x = (0.5 * (low + high)).exp();
    degrees.iter().map(|(degree, points)| points * (degree + x).ln()).sum::<f64>() - m * x.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::disjoint_sets::components;
    use crate::graph::link::Link;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use proptest::prelude::*;

    /// The numbers of forests of 0, 1, .. trees, each counted as often as it has choices of roots.
    fn listed(lengths: &Lengths<'_>) -> Vec<f64> {
        let n = lengths.n_points();
        let pairs =
            (0..n).flat_map(|from| lengths.allowed_links(from).map(move |(to, length)| (from, to, length)));
        let pairs: Vec<Link> = pairs
            .filter(|&(from, to, _)| from < to)
            .map(|(from, to, length)| Link { from, to, length })
            .collect();
        let mut counts = vec![0.0; n + 1];
        for code in 0..1usize << pairs.len() {
            let links: Vec<Link> =
                (0..pairs.len()).filter(|at| code >> at & 1 == 1).map(|at| pairs[at]).collect();
            let labels = components(n, links.iter().copied());
            if labels.n_clusters() + links.len() == n {
                counts[labels.n_clusters()] +=
                    labels.sizes().iter().map(|&size| size as f64).product::<f64>();
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn forests_are_counted_as_they_are_listed(
            places in prop::collection::vec(0u8..9, 1..7), k in 1usize..3, whole in any::<bool>(),
        ) {
            let n = places.len();
            let points = Points::new(places.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(), n, 1).unwrap();
            let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
            // Without the tree of all points the support may have several components.
            let lengths = Lengths::nearest(&observed, if whole { n } else { k }, &[]);
            let (found, expected) = (log_rooted_forests(&lengths, n), listed(&lengths));
            prop_assert_eq!(found.len(), n + 1);
            let bounds = log_bounds(&lengths, n);
            for m in 0..=n {
                prop_assert!(found[m] <= bounds[m] + 1e-9, "{}: {:?} {:?}", m, found, bounds);
                prop_assert!((found[m].exp() - expected[m]).abs() < 1e-9 * expected[m].max(1.0), "{}: {:?} {:?}", m, found, expected);
            }
            if whole && n > 1 {
                // (N - 1 choose M - 1) N^(N - M) for M = 2.
                let of_two = (n as f64 - 1.0) * (n as f64).powi(n as i32 - 2);
                prop_assert!((found[2].exp() - of_two).abs() < 1e-9 * of_two);
            }
        }
    }
}
