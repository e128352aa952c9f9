//! What is asked for and what comes back when the greatest eigenpairs are sought.

use crate::numeric::linalg::decomposition::full_eigenpairs;
use crate::numeric::linalg::krylov::Krylov;
use crate::numeric::linalg::operator::SymmetricOperator;
use crate::numeric::linalg::{decomposition, krylov};
use crate::plan::crossover;
use crate::run::observer::Observer;
use crate::run::termination::Termination;

/// Number of columns multiplied at a time when an operator is written out as a matrix. Not tuned.
const STRIP: usize = 64;

/// Finds the eigenpairs of the algebraically greatest eigenvalues of a symmetric matrix.
///
/// A block Krylov method on Chebyshev polynomials of the matrix, with full reorthogonalisation and thick restarts. The
/// block is wider than the number of eigenpairs sought, so copies and near copies of an eigenvalue are all found. Small
/// problems are decomposed in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopEigenpairs {
    /// The number of eigenpairs; at most the number of points are returned. Default 10.
    pub n_wanted: usize,
    /// An eigenpair is found when $\lVert A x - \lambda x \rVert$ is at most this part of the greatest $|\lambda|$.
    /// Default 1e-10; the angle to the true space is then about `tolerance` over the relative gap below it.
    pub tolerance: f64,
    /// The products of the matrix with one vector after which the search ends unfinished. Default 200,000.
    pub max_products: usize,
    /// The seed of the random start. Default 0.
    pub seed: u64,
}

impl Default for TopEigenpairs {
    fn default() -> Self {
        Self { n_wanted: 10, tolerance: 1e-10, max_products: 200_000, seed: 0 }
    }
}

/// Orthonormal eigenvectors that are known before the search, with their eigenvalues.
///
/// They are projected out of the search and returned among the results. An example are those of the connected components of
/// a normalised affinity: eigenvalue 1, entries $\sqrt{s_i}$ on the component, scaled to length 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownEigenvectors<'a> {
    /// The eigenvalues, in any order.
    pub values: &'a [f64],
    /// The eigenvectors as columns: row-major, one row of `values.len()` numbers for each point.
    pub vectors: &'a [f64],
}

/// Eigenpairs of a symmetric matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpairs {
    /// The eigenvalues, the greatest first.
    pub values: Vec<f64>,
    /// The eigenvectors as orthonormal columns: row-major, `n_points` rows of `values.len()` numbers.
    ///
    /// In each the entry of greatest absolute value (the first of those within a relative 1e-9) is positive.
    pub vectors: Vec<f64>,
    /// The number of rows of the matrix.
    pub n_points: usize,
    /// $\lVert A x - \lambda x \rVert$ of each pair.
    pub residuals: Vec<f64>,
    /// How many products of the matrix with one vector were used.
    pub n_products: usize,
    /// Why the search ended.
    pub ended: Termination,
}

/// Copies of the eigenvectors that are held at a time: known ones and their images, found ones, and features of them.
const COPIES: u64 = 6;

impl TopEigenpairs {
    /// Bytes that the search takes for a matrix of `n_points` rows, beside the matrix.
    pub(crate) fn n_bytes(&self, n_points: usize) -> u64 {
        let n_wanted = self.n_wanted.min(n_points);
        let in_full =
            crossover::decomposes_in_full(n_points) || krylov::capacity(n_wanted) + n_wanted >= n_points / 2;
        let basis = if in_full { 3 * n_points } else { krylov::capacity(n_wanted) };
        8 * n_points as u64 * (basis as u64 + COPIES * n_wanted as u64)
    }

    /// Whether a large matrix is decomposed in full, in n^3 steps, because too many of its eigenpairs are wanted.
    pub(crate) fn decomposes_large(n_points: usize, n_wanted: usize) -> bool {
        !crossover::decomposes_in_full(n_points) && krylov::capacity(n_wanted) >= n_points / 2
    }

    /// Returns the eigenpairs of the `n_wanted` greatest eigenvalues.
    ///
    /// Known eigenvectors need not be among the greatest, except that nothing is sought where as many are known as are
    /// wanted. A matrix with an infinite entry or NaN gives eigenvalues NaN and ends with
    /// [`Termination::IterationLimit`].
    pub fn find<O: SymmetricOperator + ?Sized>(
        &self,
        operator: &O,
        known: KnownEigenvectors<'_>,
        observer: &dyn Observer,
    ) -> Eigenpairs {
        let n_points = operator.n_points();
        let n_wanted = self.n_wanted.min(n_points);
        if crossover::decomposes_in_full(n_points)
            || krylov::capacity(n_wanted) + known.values.len() >= n_points / 2
        {
            return full_eigenpairs(&written_out(operator), n_points).leading(n_wanted);
        }
        if let Some(renumbered) = operator.renumbered() {
            let vectors = renumbered.reordered(known.vectors, known.values.len());
            let known = KnownEigenvectors { vectors: &vectors, ..known };
            return renumbered.restored(self.find_large(&renumbered.operator(), known, n_wanted, observer));
        }
        self.find_large(operator, known, n_wanted, observer)
    }

    /// Returns the `n_wanted` greatest eigenpairs of a matrix too large to decompose.
    fn find_large<O: SymmetricOperator + ?Sized>(
        &self,
        operator: &O,
        known: KnownEigenvectors<'_>,
        n_wanted: usize,
        observer: &dyn Observer,
    ) -> Eigenpairs {
        let n_unknown = n_wanted.saturating_sub(known.values.len());
        if n_unknown == 0 {
            return Found::nothing().merged(operator, known, n_wanted);
        }
        let mut found = Krylov::new(operator, known, n_unknown, self.seed).run(self, observer);
        let above = |value: f64| found.next_value - value > self.tolerance * value.abs();
        let hidden = known.values.iter().any(|&value| above(value));
        if hidden && found.ended == Termination::Converged {
            let n_products = found.n_products;
            found = Krylov::new(operator, known, n_wanted, self.seed).run(self, observer);
            found.n_products += n_products;
        }
        found.merged(operator, known, n_wanted)
    }
}

impl Eigenpairs {
    /// Keeps the first `n_kept` pairs.
    fn leading(mut self, n_kept: usize) -> Self {
        let width = self.values.len().max(1);
        self.vectors = self.vectors.chunks_exact(width).flat_map(|row| &row[..n_kept]).copied().collect();
        self.values.truncate(n_kept);
        self.residuals.truncate(n_kept);
        self
    }
}

/// The pairs a search found beside the known ones.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Vec<f64>,
    pub(crate) residuals: Vec<f64>,
    /// At most the greatest eigenvalue that is neither found nor known.
    pub(crate) next_value: f64,
    pub(crate) n_products: usize,
    pub(crate) ended: Termination,
}

impl Found {
    /// The answer where nothing was sought.
    fn nothing() -> Self {
        let (values, vectors, residuals) = (Vec::new(), Vec::new(), Vec::new());
        Self { values, vectors, residuals, next_value: 0.0, n_products: 0, ended: Termination::Converged }
    }

    /// The `n_wanted` greatest of the found and the known pairs.
    fn merged<O: SymmetricOperator + ?Sized>(
        &self,
        operator: &O,
        known: KnownEigenvectors<'_>,
        n_wanted: usize,
    ) -> Eigenpairs {
        let (n_points, n_known, n_found) = (operator.n_points(), known.values.len(), self.values.len());
        let mut images = vec![0.0; n_points * n_known];
        operator.apply(known.vectors, n_known, &mut images);
        let of_known = decomposition::residual_norms(&images, known.vectors, known.values);
        let value =
            |pair: usize| if pair < n_known { known.values[pair] } else { self.values[pair - n_known] };
        let mut order: Vec<usize> = (0..n_known + n_found).collect();
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        order.truncate(n_wanted);
        let mut vectors: Vec<f64> = (0..n_points)
            .flat_map(|i| order.iter().map(move |&pair| (i, pair)))
            .map(|(i, pair)| match pair.checked_sub(n_known) {
                None => known.vectors[i * n_known + pair],
                Some(pair) => self.vectors[i * n_found + pair],
            })
            .collect();
        decomposition::fix_signs(&mut vectors, order.len());
        Eigenpairs {
            values: order.iter().map(|&pair| value(pair)).collect(),
            vectors,
            n_points,
            residuals: order
                .iter()
                .map(|&pair| *of_known.get(pair).unwrap_or_else(|| &self.residuals[pair - n_known]))
                .collect(),
            n_products: self.n_products + n_known,
            ended: self.ended,
        }
    }
}

/// Returns the operator as a row-major matrix.
fn written_out<O: SymmetricOperator + ?Sized>(operator: &O) -> Vec<f64> {
    let n = operator.n_points();
    let mut matrix = vec![0.0; n * n];
    for first in (0..n).step_by(STRIP) {
        let width = STRIP.min(n - first);
        let mut units = vec![0.0; n * width];
        (0..width).for_each(|j| units[(first + j) * width + j] = 1.0);
        let mut columns = vec![0.0; n * width];
        operator.apply(&units, width, &mut columns);
        for (row, new) in matrix.chunks_exact_mut(n).zip(columns.chunks_exact(width)) {
            row[first..first + width].copy_from_slice(new);
        }
    }
    matrix
}
