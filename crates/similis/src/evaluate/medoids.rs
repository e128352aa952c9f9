//! The most typical point of each cluster.

use crate::error::{Error, InputError};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::plan::crossover;
use crate::run::parallel;

/// Number of evenly spaced points of a large cluster that are candidates for its medoid. Not tuned.
const N_CANDIDATES: usize = 1000;
/// Number of evenly spaced points to which the distances of all candidates are summed. Not tuned.
const N_FIRST: usize = 500;
/// Number of the best candidates that are compared a second time. Not tuned.
const N_BEST: usize = 20;
/// Number of evenly spaced points to which the distances of the best candidates are summed. Not tuned.
const N_SECOND: usize = 5000;

/// What rounding may change of a sum of distances. From the precision of f64.
const ROUNDING: f64 = 1e-9;

/// The most typical point of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Medoid {
    /// The point.
    pub point: usize,
    /// Whether every pair of the cluster was looked at; otherwise a point nearly as typical may have been missed.
    pub exact: bool,
}

/// Returns the medoid of each cluster: the point with the least sum of distances to the others of its cluster, or with the
/// greatest sum of similarities. Of equal ones it is the first. `noise` are points, in rising order, that count for nothing.
///
/// A pair that was not observed counts as the farthest, or least similar, that was looked at in the cluster. Above
/// 2,000 points a cluster's medoid is approximate: the best of 1,000 evenly chosen points, compared by their
/// distances to 500 evenly chosen points, the 20 best of them by their distances to 5,000.
///
/// ```
/// use similis::{Dissimilarity, Labels, Metric, Points, evaluate::medoids};
/// let points = Points::new(vec![0.0, 1.0, 5.0, 9.0], 4, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let found = medoids(&pairs, &Labels::new(&[0, 0, 0, 1]), &[])?;
/// assert_eq!(found.iter().map(|medoid| medoid.point).collect::<Vec<_>>(), [1, 3]);
/// # Ok::<(), similis::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Input`] unless there is one label for each point.
pub fn medoids(observed: &Dissimilarity<'_>, labels: &Labels, noise: &[usize]) -> Result<Vec<Medoid>, Error> {
    let n_points = observed.n_points();
    if labels.n_points() != n_points {
        return Err(Error::Input(InputError::LabelLengths { first: n_points, second: labels.n_points() }));
    }
    let mut members = vec![Vec::new(); labels.n_clusters()];
    let of_clusters = |(i, _): &(usize, &usize)| noise.binary_search(i).is_err();
    labels
        .as_slice()
        .iter()
        .enumerate()
        .filter(of_clusters)
        .for_each(|(i, &cluster)| members[cluster].push(i));
    Ok(members.iter().map(|members| medoid(observed, members)).collect())
}

/// Returns the medoid of a cluster that has points.
fn medoid(observed: &Dissimilarity<'_>, members: &[usize]) -> Medoid {
    if crossover::medoid_is_exact(members.len()) {
        let bounded = observed.points().is_some_and(|points| points.metric().obeys_the_triangle_inequality());
        let most_typical = || most_typical(observed, members, members, 1)[0];
        let point = if bounded { most_central(observed, members) } else { most_typical() };
        return Medoid { point, exact: true };
    }
    let first = most_typical(observed, &evenly(members, N_CANDIDATES), &evenly(members, N_FIRST), N_BEST);
    Medoid { point: most_typical(observed, &first, &evenly(members, N_SECOND), 1)[0], exact: false }
}

/// Returns the point with the least sum of distances to the others; of equal ones the first. The triangle inequality must hold, and
/// no distance be missing.
///
/// $|S_i - n d_{ij}| \le S_j$ for the sums S of n points: what one point is apart from the others bounds their sums. Points
/// whose bound is above the least sum are not looked at (Newling & Fleuret 2017, *A sub-quadratic exact medoid algorithm*).
fn most_central(observed: &Dissimilarity<'_>, members: &[usize]) -> usize {
    let n = members.len() as f64;
    let mut bounds = vec![0.0_f64; members.len()];
    let mut best = (f64::INFINITY, usize::MAX);
    let mut left: Vec<usize> = (0..members.len()).collect();
    while let Some(next) = (0..left.len()).min_by(|&a, &b| bounds[left[a]].total_cmp(&bounds[left[b]])) {
        let at = left.swap_remove(next);
        if bounds[at] * (1.0 - ROUNDING) > best.0 {
            break;
        }
        let mut apart = Vec::with_capacity(members.len());
        for_each_other(observed, members[at], members, |_, distance| apart.push(distance));
        apart.insert(at, 0.0);
        let sum: f64 = apart.iter().sum();
        if sum < best.0 || (sum == best.0 && at < best.1) || best.1 == usize::MAX {
            best = (sum, at);
        }
        for &other in &left {
            bounds[other] = bounds[other].max((sum - n * apart[other]).abs());
        }
    }
    members[best.1]
}

/// Returns `n_wanted` points, evenly chosen, in their order.
fn evenly(members: &[usize], n_wanted: usize) -> Vec<usize> {
    let n = members.len().min(n_wanted);
    (0..n).map(|at| members[at * members.len() / n]).collect()
}

/// What was seen of one candidate: costs are distances, or similarities with the other sign.
struct Seen {
    sum: f64,
    n_missing: usize,
    worst: f64,
}

/// Returns the `n_wanted` candidates with the least sums of distances to `others`, best first.
fn most_typical(
    observed: &Dissimilarity<'_>,
    candidates: &[usize],
    others: &[usize],
    n_wanted: usize,
) -> Vec<usize> {
    let sign = if observed.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
    let seen = parallel::map(candidates.len(), |at| see(observed, candidates[at], others, sign));
    let worst = seen.iter().map(|seen| seen.worst).fold(f64::NEG_INFINITY, f64::max);
    let missing = if worst.is_finite() { worst } else { 0.0 };
    let cost = |at: usize| seen[at].sum + missing * seen[at].n_missing as f64;
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    order.into_iter().take(n_wanted).map(|at| candidates[at]).collect()
}

fn see(observed: &Dissimilarity<'_>, i: usize, others: &[usize], sign: f64) -> Seen {
    let mut seen = Seen { sum: 0.0, n_missing: 0, worst: f64::NEG_INFINITY };
    for_each_other(observed, i, others, |_, value| {
        if value.is_nan() {
            seen.n_missing += 1;
        } else {
            seen.sum += sign * value;
            seen.worst = seen.worst.max(sign * value);
        }
    });
    seen
}

/// Calls `visit(j, value)` for each of `others` but `i`, in their rising order; NaN where the pair is missing.
fn for_each_other(
    observed: &Dissimilarity<'_>,
    i: usize,
    others: &[usize],
    mut visit: impl FnMut(usize, f64),
) {
    let at = others.partition_point(|&j| j < i);
    let after = if others.get(at) == Some(&i) { at + 1 } else { at };
    observed.for_each_among(i, &others[..at], &mut visit);
    observed.for_each_among(i, &others[after..], &mut visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::sparse::SparseMatrix;
    use crate::input::{Checks, Missing};

    /// The obvious loop.
    fn slowly(observed: &Dissimilarity<'_>, labels: &[usize], cluster: usize) -> usize {
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == cluster).collect();
        let sign = if observed.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
        let pairs =
            || members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j))).filter(|(i, j)| i != j);
        let worst = pairs()
            .filter_map(|(i, j)| observed.pair(i, j))
            .fold(f64::NEG_INFINITY, |worst, value| worst.max(sign * value));
        let cost = |i: usize| -> f64 {
            members
                .iter()
                .filter(|&&j| j != i)
                .map(|&j| observed.pair(i, j).map_or(worst, |value| sign * value))
                .sum()
        };
        members.iter().copied().reduce(|best, i| if cost(i) < cost(best) - 1e-12 { i } else { best }).unwrap()
    }

    #[test]
    fn medoids_are_those_of_the_obvious_loop() {
        for seed in 0..5 {
            let drawn = draw(Shape::NestedScales, 90, seed).unwrap();
            let pairs = Dissimilarity::from_points(drawn.points, Metric::Manhattan).unwrap();
            let found = medoids(&pairs, &drawn.labels, &[]).unwrap();
            for (cluster, medoid) in found.iter().enumerate() {
                assert_eq!(medoid.point, slowly(&pairs, drawn.labels.as_slice(), cluster));
                assert!(medoid.exact);
            }
        }
    }

    #[test]
    fn bounds_find_the_medoids_of_a_look_at_all_pairs() {
        for seed in 0..20_u64 {
            for metric in [Metric::Euclidean, Metric::Chebyshev, Metric::Minkowski { p: 3.0 }] {
                let mut drawn = draw(Shape::NestedScales, 120, seed).unwrap().points.as_slice().to_vec();
                // Ties, equal points and huge units among them.
                if seed % 2 == 0 {
                    drawn.iter_mut().for_each(|value| *value = (*value * 3.0).round() * 1e150);
                }
                let points = Points::new(drawn, 120, 2).unwrap();
                let pairs = Dissimilarity::from_points(points, metric).unwrap();
                let members: Vec<usize> = (0..120).filter(|i| i % 7 != 3).collect();
                let all = most_typical(&pairs, &members, &members, 1)[0];
                assert_eq!(most_central(&pairs, &members), all, "{seed} {metric:?}");
            }
        }
    }

    #[test]
    fn similarities_and_missing_pairs_count_as_they_say() {
        let edges: Vec<(usize, usize, f64)> = (0..30_usize)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .filter(|(i, j)| (i * 7 + j * 3) % 4 != 0)
            .map(|(i, j)| (i, j, ((i * 31 + j * 17) % 97) as f64 / 97.0))
            .collect();
        let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
        for quantity in [Quantity::Distances, Quantity::Similarities] {
            let matrix = SparseMatrix::from_edges(30, &edges).unwrap();
            let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
            let pairs = Dissimilarity::from_sparse(matrix, quantity, checks).unwrap();
            let found = medoids(&pairs, &Labels::new(&labels), &[]).unwrap();
            for (cluster, medoid) in found.iter().enumerate() {
                assert_eq!(medoid.point, slowly(&pairs, &labels, cluster));
            }
        }
    }

    #[test]
    fn a_large_cluster_has_a_medoid_nearly_as_good_as_the_best() {
        let drawn = draw(Shape::FiveBlobs, 15_000, 0).unwrap();
        let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let labels = drawn.labels.as_slice();
        for (cluster, medoid) in medoids(&pairs, &drawn.labels, &[]).unwrap().into_iter().enumerate() {
            assert!(!medoid.exact && labels[medoid.point] == cluster);
            let sum = |i: usize| -> f64 {
                (0..labels.len()).filter(|&j| labels[j] == cluster).map(|j| pairs.pair(i, j).unwrap()).sum()
            };
            // No point of a sample of the others is better by a hundredth.
            let members = (0..labels.len()).filter(|&i| labels[i] == cluster);
            let best = members.step_by(20).map(sum).fold(f64::INFINITY, f64::min);
            assert!(sum(medoid.point) < 1.01 * best);
        }
    }

    #[test]
    fn labels_of_another_length_are_refused() {
        let points = Points::new(vec![0.0, 1.0], 2, 1).unwrap();
        let pairs = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        assert!(matches!(
            medoids(&pairs, &Labels::new(&[0, 0, 0]), &[]),
            Err(Error::Input(InputError::LabelLengths { .. }))
        ));
    }
}
