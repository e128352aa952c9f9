//! The normalised affinity matrix (footnote 1).

use crate::affinity::matrix::SimilarityMatrix;
use crate::settings::Named;

/// How an affinity matrix is normalised; $S$ is diagonal with $s_{ii} = \sum_j L_{ij}$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalisation {
    /// $S^{-1} L$: the rows are the steps of a random walk. Not symmetric.
    RandomWalk,
    /// $S^{-1/2} L S^{-1/2}$: symmetric, with the same eigenvalues.
    Symmetric,
}

impl Named for Normalisation {
    const SETTING: &'static str = "normalisation";
    const VALUES: &'static [(&'static str, Self)] =
        &[("random_walk", Self::RandomWalk), ("symmetric", Self::Symmetric)];
}

/// A normalised affinity matrix and what it was divided by.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalised<'a> {
    /// The normalised matrix.
    pub matrix: SimilarityMatrix<'a>,
    /// The row sums $s_{ii}$ before normalisation.
    pub degrees: Vec<f64>,
    /// Points that are similar to no other point; a row without any similarity stays zero.
    pub isolated: Vec<usize>,
}

/// Returns the normalised matrix: footnote 1 of the paper.
///
/// $$ L \leftarrow S^{-1} L \quad\text{or}\quad L \leftarrow S^{-1/2} L S^{-1/2}, \qquad s_{ii} = \sum_j L_{ij} $$
///
/// A row of zeros stays a row of zeros. Isolated points are listed: they belong to no cluster that the matrix shows.
pub fn normalise(mut matrix: SimilarityMatrix<'_>, normalisation: Normalisation) -> Normalised<'_> {
    let degrees = matrix.degrees();
    let isolated = matrix.isolated();
    // Roots are divided by one after the other: the product of two tiny degrees would be 0.
    let roots: Vec<f64> = degrees.iter().map(|degree| degree.sqrt()).collect();
    let divided = |value: f64, one: f64, other: f64| if value == 0.0 { 0.0 } else { value / one / other };
    matrix.map(|i, j, value| match normalisation {
        Normalisation::RandomWalk => divided(value, degrees[i], 1.0),
        // The same bits for (i, j) and (j, i).
        Normalisation::Symmetric => divided(value, roots[i.min(j)], roots[i.max(j)]),
    });
    Normalised { matrix, degrees, isolated }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::sparse::SparseMatrix;

    fn dense(values: &[f64]) -> SimilarityMatrix<'static> {
        SimilarityMatrix::Dense { values: values.to_vec().into(), n_points: values.len().isqrt() }
    }

    fn all(matrix: &SimilarityMatrix<'_>) -> Vec<f64> {
        let n = matrix.n_points();
        (0..n * n).map(|at| matrix.get(at / n, at % n)).collect()
    }

    #[test]
    fn footnote_1_by_hand() {
        // L = (3 1; 1 0) has row sums 4 and 1.
        let matrix = dense(&[3.0, 1.0, 1.0, 0.0]);
        let walk = normalise(matrix.clone(), Normalisation::RandomWalk);
        assert_eq!(all(&walk.matrix), [0.75, 0.25, 1.0, 0.0]);
        assert_eq!(walk.degrees, [4.0, 1.0]);
        // S^-1/2 = diag(1/2, 1).
        let symmetric = normalise(matrix, Normalisation::Symmetric);
        assert_eq!(all(&symmetric.matrix), [0.75, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn isolated_points_are_reported_and_stay_zero() {
        let sparse =
            SimilarityMatrix::Sparse(SparseMatrix::from_edges(4, &[(0, 2, 2.0), (3, 3, 1.0)]).unwrap());
        let normalised = normalise(sparse, Normalisation::Symmetric);
        assert_eq!(normalised.isolated, [1, 3]);
        assert_eq!(normalised.matrix.row(1).count(), 0);
        assert!((normalised.matrix.get(0, 2) - 1.0).abs() < 1e-15);
        assert_eq!(normalised.matrix.get(3, 3), 1.0);
    }

    #[test]
    fn tiny_and_huge_similarities_normalise_alike() {
        for unit in [1e-300, 1.0, 1e300] {
            let normalised = normalise(dense(&[0.0, unit, unit, unit]), Normalisation::Symmetric);
            let expected = [0.0, 0.5f64.sqrt(), 0.5f64.sqrt(), 0.5];
            assert!(all(&normalised.matrix).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
        }
    }
}
