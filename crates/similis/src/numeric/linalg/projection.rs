//! A filtered matrix as it appears on a basis.

use crate::numeric::linalg::decomposition::Decomposition;
use crate::numeric::linalg::product;
use crate::numeric::linalg::product::View;

/// $T = V^T p(A) V$ for the columns $V$ of a basis whose filtered images are known: all but the pending block.
#[derive(Debug)]
pub(crate) struct Projection {
    width: usize,
    capacity: usize,
    n_expanded: usize,
    /// $T$, in rows of `capacity` numbers.
    values: Vec<f64>,
    /// The coefficients of the last block's image on the pending block, row-major.
    coupling: Vec<f64>,
}

impl Projection {
    /// A projection on no columns, for blocks of `width` columns.
    pub(crate) fn new(width: usize, capacity: usize) -> Self {
        let values = vec![0.0; capacity * capacity];
        Self { width, capacity, n_expanded: 0, values, coupling: Vec::new() }
    }

    /// The number of columns whose images are known.
    pub(crate) fn n_expanded(&self) -> usize {
        self.n_expanded
    }

    /// Takes in the image of the pending block: its coefficients on the basis and on the block it adds.
    pub(crate) fn expand(&mut self, coefficients: &[f64], coupling: Vec<f64>) {
        for (i, row) in coefficients.chunks_exact(self.width).enumerate() {
            for (j, &coefficient) in row.iter().enumerate() {
                self.values[i * self.capacity + self.n_expanded + j] = coefficient;
                self.values[(self.n_expanded + j) * self.capacity + i] = coefficient;
            }
        }
        self.coupling = coupling;
        self.n_expanded += self.width;
    }

    /// Replaces the columns by Ritz vectors with these eigenvalues.
    pub(crate) fn reset(&mut self, values: &[f64]) {
        self.values.fill(0.0);
        values.iter().enumerate().for_each(|(i, &value)| self.values[i * (self.capacity + 1)] = value);
        self.n_expanded = values.len();
    }

    /// The decomposition of $T$.
    pub(crate) fn decomposed(&self) -> Decomposition {
        let n = self.n_expanded;
        let rows = self.values.chunks_exact(self.capacity).take(n);
        Decomposition::of(&rows.flat_map(|row| &row[..n]).copied().collect::<Vec<_>>(), n)
    }

    /// The part of the image of a Ritz vector that leaves the expanded basis: its coefficients on the pending block.
    pub(crate) fn leaving(&self, found: &Decomposition, column: usize) -> Vec<f64> {
        let first = self.n_expanded - self.width;
        let part =
            |row: &[f64]| row.iter().enumerate().map(|(j, c)| c * found.entry(first + j, column)).sum();
        self.coupling.chunks_exact(self.width).map(part).collect()
    }

    /// The coefficients, on all columns, of orthonormal vectors that span the images of the best Ritz vectors.
    ///
    /// The image of $V s$ with $T s = \theta s$ is $\theta V s$ and what leaves the basis, so it is one application
    /// further than the Ritz vector at no cost.
    pub(crate) fn best_images(&self) -> Vec<f64> {
        let (width, n) = (self.width, self.n_expanded);
        let found = self.decomposed();
        let mut images = found.leading(width);
        images.resize((n + width) * width, 0.0);
        for column in (0..width).filter(|&column| found.values[column] > 0.0) {
            for (i, leaving) in self.leaving(&found, column).into_iter().enumerate() {
                images[(n + i) * width + column] = leaving / found.values[column];
            }
        }
        let view = View::leading(&images, width, width);
        let inner = Decomposition::of(&product::transposed_product(view, view), width);
        let factor: Vec<f64> = (0..width * width)
            .map(|e| inner.entry(e / width, e % width) / inner.values[e % width].sqrt())
            .collect();
        product::transform_rows(&mut images, width, &factor, width);
        images
    }
}
