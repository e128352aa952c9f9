//! Features from eigenvectors: the variants of spectral clustering that users know by name.

pub(in crate::latent_feature) mod blocks;

use crate::affinity::matrix::SimilarityMatrix;
use crate::affinity::normalise::{Normalisation, Normalised, normalise};
use crate::affinity::random_walk::{Staying, staying_by};
use crate::input::labels::Labels;
use crate::input::sparse::SparseMatrix;
use crate::latent_feature::features::Features;
use crate::numeric::linalg::operator::{DenseOperator, SparseOperator, SymmetricOperator};
use crate::numeric::linalg::renumbered::Renumbered;
use crate::numeric::linalg::top_eigenpairs::{Eigenpairs, KnownEigenvectors, TopEigenpairs};
use crate::run::observer::Observer;
use crate::settings::Named;

/// Which features of the eigenvectors are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// $D^{1/2} V^\top$, the features of Lemma 1.
    Lemma1,
    /// Rows of $V$ scaled to length 1, the diagonal of **L** set to 0 (Ng, Jordan & Weiss, 2002).
    #[default]
    NgJordanWeiss,
    /// Eigenvectors of the random walk $S^{-1} L$ (Meila & Shi, 2001).
    MeilaShi,
}

impl Named for Variant {
    const SETTING: &'static str = "variant";
    const VALUES: &'static [(&'static str, Self)] =
        &[("lemma1", Self::Lemma1), ("ng_jordan_weiss", Self::NgJordanWeiss), ("meila_shi", Self::MeilaShi)];
}

/// The greatest eigenvalues of the normalised affinity matrix, and their eigenvectors.
#[derive(Clone, Debug)]
pub struct Spectrum<'a> {
    /// The eigenpairs of $S^{-1/2} L S^{-1/2}$, greatest eigenvalue first.
    pub eigenpairs: Eigenpairs,
    /// The normalised matrix they are of.
    pub normalised: Normalised<'a>,
    /// Number of connected components of the affinity graph; each that has any similarity has eigenvalue 1.
    pub n_components: usize,
    /// How many points each of them has, largest first.
    pub component_sizes: Vec<usize>,
}

/// Returns how many points each component has, largest first.
fn sizes(components: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; components.iter().max().map_or(0, |last| last + 1)];
    components.iter().for_each(|&component| sizes[component] += 1);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

impl<'a> Spectrum<'a> {
    /// Returns the top `solver.n_wanted` eigenpairs of the affinity matrix, normalised as footnote 1 says.
    ///
    /// $S^{-1} L$ is not symmetric; the matrix it is similar to, $S^{-1/2} L S^{-1/2}$, has the same eigenvalues. The
    /// eigenvector $S^{1/2} 1_A$ of each connected component $A$ is known and not searched for.
    pub fn new(
        mut affinity: SimilarityMatrix<'a>,
        variant: Variant,
        solver: &TopEigenpairs,
        observer: &dyn Observer,
    ) -> Self {
        if variant == Variant::NgJordanWeiss {
            affinity.map(|i, j, value| if i == j { 0.0 } else { value });
        }
        let components = affinity.components();
        let n_components = components.iter().max().map_or(0, |last| last + 1);
        let normalised = normalise(affinity, Normalisation::Symmetric);
        let known = component_eigenvectors(&components, &normalised.degrees, solver.n_wanted);
        let values = vec![1.0; known.len() / normalised.degrees.len().max(1)];
        let known = KnownEigenvectors { values: &values, vectors: &known };
        let eigenpairs = solver.find(&normalised.matrix, known, observer);
        Self { eigenpairs, normalised, n_components, component_sizes: sizes(&components) }
    }

    /// Returns the top eigenpairs of a matrix that is normalised already, taken as it is.
    pub fn of_normalised(
        matrix: SimilarityMatrix<'a>,
        solver: &TopEigenpairs,
        observer: &dyn Observer,
    ) -> Self {
        let component_sizes = sizes(&matrix.components());
        let n_components = component_sizes.len();
        let eigenpairs = solver.find(&matrix, KnownEigenvectors::default(), observer);
        let degrees = vec![1.0; matrix.n_points()];
        let isolated = matrix.isolated();
        let normalised = Normalised { matrix, degrees, isolated };
        Self { eigenpairs, normalised, n_components, component_sizes }
    }

    /// Returns the features of the first `t` eigenvectors under `variant`.
    pub fn features(&self, t: usize, variant: Variant) -> Features {
        match variant {
            Variant::Lemma1 => self.lemma_1(t),
            Variant::NgJordanWeiss => self.ng_jordan_weiss(t),
            Variant::MeilaShi => self.meila_shi(t),
        }
    }

    /// Returns the maximiser $\Lambda^*$ of step 1 of greedy inference: Lemma 1, Eq. (4).
    ///
    /// $$ \Lambda^* = D^{1/2} V^\top = \arg\min_\Lambda \sum_{ij} (L_{ij} - \lambda_i^\top \lambda_j)^2 $$
    ///
    /// # Differs from the paper
    ///
    /// A Gram matrix has no negative eigenvalue: one among the top t gives a feature that is 0, which is then the
    /// minimiser of Eq. (4). [`Spectrum::n_negative`] counts them.
    pub fn lemma_1(&self, t: usize) -> Features {
        let roots: Vec<f64> = self.eigenpairs.values.iter().map(|value| value.max(0.0).sqrt()).collect();
        self.columns(t, |_, k, entry| roots[k] * entry)
    }

    /// Returns the rows of V scaled to length 1; a row of zeros stays so.
    fn ng_jordan_weiss(&self, t: usize) -> Features {
        let mut features = self.columns(t, |_, _, entry| entry);
        for i in 0..features.n_rows() {
            let row = features.row_mut(i);
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        features
    }

    /// Returns the eigenvectors $S^{-1/2} V$ of the random walk, scaled so that a constant one is 1.
    fn meila_shi(&self, t: usize) -> Features {
        let volume: f64 = self.normalised.degrees.iter().sum();
        let degree = |i: usize| self.normalised.degrees[i];
        self.columns(t, |i, _, entry| if degree(i) > 0.0 { entry * (volume / degree(i)).sqrt() } else { 0.0 })
    }

    /// How likely a random walk over the affinity stays in its cluster.
    pub(crate) fn staying(&self, labels: &Labels) -> Staying {
        let roots: Vec<f64> = self.normalised.degrees.iter().map(|degree| degree.sqrt()).collect();
        staying_by(&self.normalised.matrix, labels, |i, j, entry| entry.max(0.0) * (roots[i] * roots[j]))
    }

    /// How many of the first `t` eigenvalues are negative, beyond rounding.
    pub fn n_negative(&self, t: usize) -> usize {
        self.eigenpairs.values.iter().take(t).filter(|&&value| value < -1e-12).count()
    }

    /// Returns the largest eigengap among the first `most` eigenvalues: the eigenvectors above it separate the clusters.
    ///
    /// The escape rate $1 - \lambda_k$ of a walk rises most, as a ratio, from the last cluster's to the next: in a graph
    /// without clusters it rises steadily, so that plain differences of eigenvalues grow with $k$ and mislead. One
    /// cluster is found only where $\lambda_2 < \frac12$: a walk forgets its start within a few steps.
    pub fn largest_gap(&self, most: usize) -> Gap {
        self.largest_gap_between(1, most)
    }

    /// As [`Spectrum::largest_gap`], with at least `least` eigenvalues above it.
    pub fn largest_gap_between(&self, least: usize, most: usize) -> Gap {
        let values = &self.eigenpairs.values;
        let width = |above: usize| values.get(above).map_or(0.0, |next| values[above - 1] - next);
        if most < 2 || (least < 2 && values.get(1).is_none_or(|&second| second < 0.5)) {
            return Gap { above: 1, width: width(1), ratio: 1.0 };
        }
        // Below a hundredth of the last rate a cluster is as good as cut off: how far below tells nothing.
        let lowest = 0.01 * (1.0 - values[values.len() - 1]).max(1e-9);
        let rate = |k: usize| (1.0 - values[k]).max(lowest);
        let ratio = |above: usize| rate(above) / rate(above - 1);
        let candidates = least.max(2)..values.len().min(most + 1);
        let best = candidates.reduce(|best, above| if ratio(above) > ratio(best) { above } else { best });
        let above = best.unwrap_or(values.len()).clamp(least, most.max(least));
        let ratio = if (1..values.len()).contains(&above) { ratio(above) } else { 1.0 };
        Gap { above, width: width(above), ratio }
    }

    fn columns(&self, t: usize, entry: impl Fn(usize, usize, f64) -> f64) -> Features {
        let (n, found) = (self.eigenpairs.n_points, self.eigenpairs.values.len());
        let row = |i: usize| (0..t.min(found)).map(move |k| (i, k));
        let values =
            (0..n).flat_map(row).map(|(i, k)| entry(i, k, self.eigenpairs.vectors[i * found + k])).collect();
        Features::from_rows(values, n, t.min(found))
    }
}

/// A gap between two neighbouring eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// How many eigenvalues lie above it.
    pub above: usize,
    /// How wide it is.
    pub width: f64,
    /// How many times greater the escape rate behind it is.
    pub ratio: f64,
}

/// The known eigenvectors of the largest `most` components, eigenvalue 1 each, as columns: row after row.
fn component_eigenvectors(components: &[usize], degrees: &[f64], most: usize) -> Vec<f64> {
    let n_components = components.iter().max().map_or(0, |last| last + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_components];
    components.iter().enumerate().for_each(|(i, &component)| members[component].push(i));
    // A point without any similarity has no step to take, so no eigenvalue 1.
    members.retain(|points| points.iter().any(|&i| degrees[i] > 0.0));
    members.sort_by_key(|points| std::cmp::Reverse(points.len()));
    members.truncate(most);
    let n_known = members.len();
    let mut vectors = vec![0.0; components.len() * n_known];
    for (k, points) in members.iter().enumerate() {
        let volume: f64 = points.iter().map(|&i| degrees[i]).sum();
        points.iter().for_each(|&i| vectors[i * n_known + k] = (degrees[i] / volume).sqrt());
    }
    vectors
}

impl SymmetricOperator for SimilarityMatrix<'_> {
    fn n_points(&self) -> usize {
        SimilarityMatrix::n_points(self)
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        match self {
            Self::Dense { values, n_points } => {
                DenseOperator { values, n_points: *n_points }.apply(block, width, out);
            }
            Self::Sparse(matrix) => sparse_operator(matrix).apply(block, width, out),
        }
    }

    fn renumbered(&self) -> Option<Renumbered> {
        match self {
            Self::Dense { .. } => None,
            Self::Sparse(matrix) => sparse_operator(matrix).renumbered(),
        }
    }
}

fn sparse_operator<'a>(matrix: &'a SparseMatrix<'_>) -> SparseOperator<'a> {
    SparseOperator { offsets: matrix.offsets(), columns: matrix.columns(), values: matrix.values() }
}
