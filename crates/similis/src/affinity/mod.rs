//! Affinities: similarities made from distances.

pub(crate) mod matrix;
pub(crate) mod normalise;
pub(crate) mod random_walk;

use crate::error::{Error, InputError, SettingError};
use crate::graph::neighbours::Neighbours;
use crate::graph::shared::shared_neighbours;
use crate::input::sparse::SparseMatrix;
use crate::input::{Dissimilarity, Quantity};
use crate::settings::Named;
pub use matrix::SimilarityMatrix;
pub use normalise::{Normalisation, Normalised, normalise};
pub use random_walk::{Staying, inverse_distances, staying_probability};

/// Which neighbour's distance is the local scale of a point: the seventh, as Zelnik-Manor & Perona proposed.
const LOCAL_NEIGHBOUR: usize = 7;

/// How a distance becomes a similarity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// $\exp(-d / \gamma^2)$, see [`exponential`].
    Exponential,
    /// $\exp(-d^2 / 2 \gamma^2)$, see [`gaussian`].
    Gaussian,
    /// $\exp(-d^2 / s_i s_j)$ with each point's own scale, see [`local`].
    Local,
    /// 1 for nearest neighbours, 0 otherwise, see [`nearest`].
    #[default]
    Nearest,
}

impl Named for Affinity {
    const SETTING: &'static str = "affinity";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("exponential", Self::Exponential),
        ("gaussian", Self::Gaussian),
        ("local", Self::Local),
        ("nearest", Self::Nearest),
    ];
}

/// Returns the affinity of every pair of points, given their distances.
///
/// $$ L_{ij} = \exp(-d_{ij} / \gamma^2) \qquad \text{(section 1)} $$
///
/// `gamma` is the paper's $\gamma$; its square is in the unit of the distances. A missing pair has similarity 0; a
/// point is similar to itself by 1.
///
/// # Errors
///
/// [`Error::Settings`] unless `gamma` is finite and above 0; [`Error::Input`]; [`Error::Settings`].
pub fn exponential(
    distances: &Dissimilarity<'_>,
    gamma: f64,
    memory_limit: Option<u64>,
) -> Result<SimilarityMatrix<'static>, Error> {
    check_gamma(gamma)?;
    pairwise(distances, memory_limit, |_, _, distance| (-(distance / gamma) / gamma).exp())
}

/// Returns the Gaussian affinity of every pair of points, the one Ng, Jordan & Weiss use.
///
/// $$ L_{ij} = \exp(-d_{ij}^2 / 2 \gamma^2) $$
///
/// `gamma` is in the unit of the distances.
///
/// # Errors
///
/// Those of [`exponential`].
pub fn gaussian(
    distances: &Dissimilarity<'_>,
    gamma: f64,
    memory_limit: Option<u64>,
) -> Result<SimilarityMatrix<'static>, Error> {
    check_gamma(gamma)?;
    pairwise(distances, memory_limit, |_, _, distance| (-0.5 * (distance / gamma).powi(2)).exp())
}

/// Returns the locally scaled affinity of every pair of points.
///
/// $$ L_{ij} = \exp(-d_{ij}^2 / s_i s_j) $$
///
/// where $s_i$ is the distance from $i$ to its seventh neighbour (its last, where it has fewer). A point with seven
/// duplicates takes its least positive distance instead; one that has nothing but duplicates takes 1.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Settings`].
pub fn local(
    distances: &Dissimilarity<'_>,
    memory_limit: Option<u64>,
) -> Result<SimilarityMatrix<'static>, Error> {
    let neighbours = shared_neighbours(distances, LOCAL_NEIGHBOUR);
    let scales: Vec<f64> =
        (0..distances.n_points()).map(|i| local_scale(distances, &neighbours, i)).collect();
    pairwise(distances, memory_limit, move |i, j, distance| {
        (-(distance / scales[i]) * (distance / scales[j])).exp()
    })
}

fn local_scale(distances: &Dissimilarity<'_>, neighbours: &Neighbours, i: usize) -> f64 {
    let seventh = neighbours.of(i).next_back().map_or(0.0, |(_, distance)| distance);
    if seventh > 0.0 {
        return seventh;
    }
    let mut least = f64::INFINITY;
    distances.for_each_pair(i, |_, distance| {
        if distance > 0.0 {
            least = least.min(distance);
        }
    });
    if least.is_finite() { least } else { 1.0 }
}

/// Returns the graph of nearest neighbours: 1 where each of two points is among the `n_neighbours` nearest of the
/// other, ½ where only one is, 0 elsewhere and on the diagonal.
///
/// # Errors
///
/// [`Error::Settings`] for no neighbours; [`Error::Input`].
pub fn nearest(
    distances: &Dissimilarity<'_>,
    n_neighbours: usize,
) -> Result<SimilarityMatrix<'static>, Error> {
    if n_neighbours == 0 {
        return Err(Error::Settings(SettingError::Neighbours { given: n_neighbours }));
    }
    check_distances(distances)?;
    let n = distances.n_points();
    let neighbours = shared_neighbours(distances, n_neighbours);
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::with_capacity(2 * n_neighbours.min(n)); n];
    for i in 0..n {
        for (j, _) in neighbours.of(i) {
            rows[i].push((j as u32, 0.5));
            rows[j].push((i as u32, 0.5));
        }
    }
    let mut offsets = vec![0];
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in &mut rows {
        row.sort_unstable_by_key(|&(j, _)| j);
        for both in row.chunk_by(|a, b| a.0 == b.0) {
            columns.push(both[0].0);
            values.push(both.iter().map(|&(_, half)| half).sum());
        }
        offsets.push(columns.len());
    }
    Ok(SimilarityMatrix::Sparse(SparseMatrix::from_sorted_rows(offsets, columns, values)))
}

/// The matrix of `similarity(i, j, distance)` over the observed pairs, 1 on the diagonal: sparse where they are.
fn pairwise(
    distances: &Dissimilarity<'_>,
    memory_limit: Option<u64>,
    similarity: impl Fn(usize, usize, f64) -> f64 + Sync + Send,
) -> Result<SimilarityMatrix<'static>, Error> {
    check_distances(distances)?;
    let n = distances.n_points();
    if distances.sparse().is_none() {
        return SimilarityMatrix::dense(n, memory_limit, |i, row| {
            distances.for_each_pair(i, |j, distance| row[j] = similarity(i, j, distance));
            row[i] = 1.0;
        });
    }
    let mut offsets = vec![0];
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for i in 0..n {
        let start = columns.len();
        distances.for_each_pair(i, |j, distance| {
            columns.push(j as u32);
            values.push(similarity(i, j, distance));
        });
        let at = start + columns[start..].partition_point(|&j| (j as usize) < i);
        columns.insert(at, i as u32);
        values.insert(at, 1.0);
        offsets.push(columns.len());
    }
    Ok(SimilarityMatrix::Sparse(SparseMatrix::from_sorted_rows(offsets, columns, values)))
}

fn check_gamma(gamma: f64) -> Result<(), Error> {
    if gamma.is_finite() && gamma > 0.0 {
        Ok(())
    } else {
        Err(Error::Settings(SettingError::Gamma { given: gamma }))
    }
}

fn check_distances(distances: &Dissimilarity<'_>) -> Result<(), Error> {
    match distances.quantity() {
        Quantity::Distances => Ok(()),
        Quantity::Similarities => Err(Error::Input(InputError::NeedsDistances { purpose: "an affinity" })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;

    fn line(places: &[f64]) -> Dissimilarity<'_> {
        Dissimilarity::from_points(Points::new(places, places.len(), 1).unwrap(), Metric::Euclidean).unwrap()
    }

    fn all(matrix: &SimilarityMatrix<'_>) -> Vec<f64> {
        let n = matrix.n_points();
        (0..n * n).map(|at| matrix.get(at / n, at % n)).collect()
    }

    #[test]
    fn section_1_affinity_by_hand() {
        // Distance 2 at gamma 2: exp(-2 / 4) for the exponential, exp(-4 / 8) for the Gaussian: the same.
        let half = (-0.5f64).exp();
        assert_eq!(all(&exponential(&line(&[0.0, 2.0]), 2.0, None).unwrap()), [1.0, half, half, 1.0]);
        assert_eq!(all(&gaussian(&line(&[0.0, 2.0]), 2.0, None).unwrap()), [1.0, half, half, 1.0]);
    }

    #[test]
    fn local_scaling_by_hand() {
        // Three points at 0, 1, 3 have two neighbours each; their last are at distances 3, 2, 3.
        let matrix = local(&line(&[0.0, 1.0, 3.0]), None).unwrap();
        assert!((matrix.get(0, 1) - (-1.0f64 / 6.0).exp()).abs() < 1e-15);
        assert!((matrix.get(1, 2) - (-4.0f64 / 6.0).exp()).abs() < 1e-15);
        // Nine duplicates and one other point: every scale is the only positive distance.
        let mut places = [0.0; 10];
        places[9] = 5.0;
        let matrix = local(&line(&places), None).unwrap();
        assert_eq!([matrix.get(0, 1), matrix.get(0, 9)], [1.0, (-1.0f64).exp()]);
        assert_eq!(local(&line(&[2.0, 2.0]), None).unwrap().get(0, 1), 1.0);
    }

    #[test]
    fn nearest_counts_one_sided_neighbours_half() {
        // At 0, 1, 3: 0 and 1 are each other's nearest; 1 is the nearest of 3, but not the other way round.
        let matrix = nearest(&line(&[0.0, 1.0, 3.0]), 1).unwrap();
        assert_eq!(all(&matrix), [0.0, 1.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn sparse_distances_give_sparse_affinities_of_the_observed_pairs() {
        let edges = SparseMatrix::from_edges(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let pairs = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
        let matrix = exponential(&pairs, 1.0, Some(1)).unwrap();
        let (near, far) = ((-1.0f64).exp(), (-2.0f64).exp());
        assert_eq!(all(&matrix), [1.0, near, 0.0, near, 1.0, far, 0.0, far, 1.0]);
        assert!(matches!(matrix, SimilarityMatrix::Sparse(_)));
    }

    #[test]
    fn bad_scales_and_similarities_are_refused() {
        for given in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert!(matches!(
                exponential(&line(&[0.0]), given, None),
                Err(Error::Settings(SettingError::Gamma { .. }))
            ));
            assert!(matches!(
                gaussian(&line(&[0.0]), given, None),
                Err(Error::Settings(SettingError::Gamma { .. }))
            ));
        }
        assert_eq!(nearest(&line(&[0.0]), 0), Err(Error::Settings(SettingError::Neighbours { given: 0 })));
        let similarities =
            Dissimilarity::from_condensed(vec![1.0], Quantity::Similarities, Checks::default()).unwrap();
        let error = Error::Input(InputError::NeedsDistances { purpose: "an affinity" });
        assert_eq!(exponential(&similarities, 1.0, None), Err(error.clone()));
        assert_eq!(nearest(&similarities, 1), Err(error));
        assert!(matches!(
            exponential(&line(&[0.0, 1.0]), 1.0, Some(31)),
            Err(Error::Settings(SettingError::Memory { needed: 32, limit: 31, .. }))
        ));
    }

    #[test]
    fn observed_similarities_must_not_be_negative() {
        let checks = Checks::default();
        let pairs = |s| {
            Dissimilarity::from_square(vec![1.0, s, s, 1.0], [2, 2], Quantity::Similarities, checks).unwrap()
        };
        assert_eq!(all(&SimilarityMatrix::observed(&pairs(0.5), None).unwrap()), [1.0, 0.5, 0.5, 1.0]);
        let error = Error::Input(InputError::Negative {
            row: 0,
            column: 1,
            given: -0.5,
            quantity: Quantity::Similarities,
        });
        assert_eq!(SimilarityMatrix::observed(&pairs(-0.5), None), Err(error));
    }
}
