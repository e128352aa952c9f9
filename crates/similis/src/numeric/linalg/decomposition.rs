//! Full decomposition of small dense symmetric matrices.

use crate::numeric::linalg::product;
use crate::numeric::linalg::product::View;
use crate::numeric::linalg::top_eigenpairs::Eigenpairs;
use crate::run::termination::Termination;
use faer::{MatRef, Side};

/// Entries this close to the greatest, relatively, count as tied with it when a sign is fixed.
const SIGN_TIE: f64 = 1e-9;

/// Eigenvalues in descending order and their eigenvectors as the columns of a row-major matrix.
#[derive(Clone, Debug)]
pub(crate) struct Decomposition {
    pub(crate) values: Vec<f64>,
    vectors: Vec<f64>,
}

impl Decomposition {
    /// Decomposes a row-major symmetric matrix of `n` rows.
    ///
    /// A matrix with an infinite entry or NaN has eigenvalues NaN and the unit vectors as eigenvectors.
    pub(crate) fn of(matrix: &[f64], n: usize) -> Self {
        let finite = matrix.iter().all(|value| value.is_finite());
        let view = MatRef::from_row_major_slice(matrix, n, n);
        let Some(found) = finite.then(|| view.self_adjoint_eigen(Side::Lower).ok()).flatten() else {
            let vectors = (0..n * n).map(|entry| f64::from(u8::from(entry % (n + 1) == 0))).collect();
            return Self { values: vec![f64::NAN; n], vectors };
        };
        let values = found.S().column_vector().iter().rev().copied().collect();
        let columns = found.U();
        let vectors = (0..n * n).map(|entry| columns[(entry / n, n - 1 - entry % n)]).collect();
        Self { values, vectors }
    }

    /// The first `n_columns` eigenvectors, as the columns of a row-major matrix.
    pub(crate) fn leading(&self, n_columns: usize) -> Vec<f64> {
        let n = self.values.len().max(1);
        self.vectors.chunks_exact(n).flat_map(|row| &row[..n_columns]).copied().collect()
    }

    /// Entry `row` of eigenvector `column`.
    pub(crate) fn entry(&self, row: usize, column: usize) -> f64 {
        self.vectors[row * self.values.len() + column]
    }
}

/// The eigenvalues of a row-major symmetric matrix of `n` rows; NaN where an entry is infinite or NaN.
pub(crate) fn eigenvalues(matrix: &[f64], n: usize) -> Vec<f64> {
    let view = MatRef::from_row_major_slice(matrix, n, n);
    let finite = matrix.iter().all(|value| value.is_finite());
    let found = finite.then(|| view.self_adjoint_eigenvalues(Side::Lower).ok()).flatten();
    found.unwrap_or_else(|| vec![f64::NAN; n])
}

/// Returns all eigenpairs of a dense symmetric matrix of `n` rows, row-major, the greatest eigenvalue first.
///
/// Signs are fixed as in [`Eigenpairs::vectors`]. A matrix with an infinite entry or NaN gives eigenvalues NaN and ends
/// with [`Termination::IterationLimit`].
pub fn full_eigenpairs(values: &[f64], n: usize) -> Eigenpairs {
    let Decomposition { values: found, mut vectors } = Decomposition::of(values, n);
    fix_signs(&mut vectors, n);
    let mut images = vec![0.0; n * n];
    product::multiply(View::new(values, n, n), View::new(&vectors, n, n), &mut images);
    let residuals = residual_norms(&images, &vectors, &found);
    let known = found.iter().all(|value| !value.is_nan());
    let ended = if known { Termination::Converged } else { Termination::IterationLimit };
    Eigenpairs { values: found, vectors, n_points: n, residuals, n_products: 0, ended }
}

/// Returns $\lVert A x_j - \lambda_j x_j \rVert$ for every column `j`, given `images` $= A X$.
pub(crate) fn residual_norms(images: &[f64], vectors: &[f64], values: &[f64]) -> Vec<f64> {
    let width = values.len();
    let squares = product::sum_rows(vectors.len() / width.max(1), width, |row, sums| {
        let of_row = row * width..(row + 1) * width;
        let entries = images[of_row.clone()].iter().zip(&vectors[of_row]).zip(values);
        for (sum, ((image, entry), value)) in sums.iter_mut().zip(entries) {
            *sum += (image - value * entry).powi(2);
        }
    });
    squares.into_iter().map(f64::sqrt).collect()
}

/// Turns every column so that its entry of greatest absolute value, the first of those tied, is positive.
pub(crate) fn fix_signs(vectors: &mut [f64], width: usize) {
    let mut greatest = vec![0.0_f64; width];
    for row in vectors.chunks_exact(width.max(1)) {
        greatest.iter_mut().zip(row).for_each(|(greatest, entry)| *greatest = greatest.max(entry.abs()));
    }
    let mut signs = vec![0.0_f64; width];
    for row in vectors.chunks_exact(width.max(1)) {
        for ((sign, greatest), entry) in signs.iter_mut().zip(&greatest).zip(row) {
            if *sign == 0.0 && entry.abs() >= greatest * (1.0 - SIGN_TIE) {
                *sign = entry.signum();
            }
        }
    }
    for row in vectors.chunks_exact_mut(width.max(1)) {
        row.iter_mut().zip(&signs).for_each(|(entry, sign)| *entry *= sign);
    }
}
