//! The joint distribution of the latent feature model: Eq. (1) to (3).

use crate::error::InputError;
use std::f64::consts::TAU;

use rand_distr::{Distribution, StandardNormal};

use crate::affinity::matrix::SimilarityMatrix;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_feature::features::Features;
use crate::latent_feature::gaussian::Gaussian;
use crate::latent_feature::gaussian::covariance::Covariance;
use crate::numeric::linalg;
use crate::run::parallel;
use crate::run::random::Random;

/// The conditional distributions of Eq. (1), which section 2.1 leaves open to better choices than Eq. (2) and (3).
pub trait Conditionals: Sync {
    /// Number of classes (M).
    fn n_classes(&self) -> usize;

    /// Returns $\log p(L_{ij} | \lambda_i, \lambda_j)$.
    fn log_similarity(&self, similarity: f64, first: &[f64], second: &[f64]) -> f64;

    /// Returns $\log p(\lambda_i | c_i, \mu, \Psi)$.
    fn log_feature(&self, feature: &[f64], cluster: usize) -> f64;

    /// Draws $L_{ij}$ given the two features.
    fn draw_similarity(&self, first: &[f64], second: &[f64], random: &mut Random) -> f64;

    /// Draws $\lambda_i$ given its class.
    fn draw_feature(&self, cluster: usize, random: &mut Random) -> Vec<f64>;
}

/// The paper's choice, Eq. (2) and (3): everything is Gaussian.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianConditionals {
    /// The variance $\Sigma_\Lambda$ of a similarity about the inner product of its features.
    pub noise: f64,
    /// The class distributions $(\mu_c, \psi_c)$.
    pub classes: Vec<Gaussian>,
}

impl GaussianConditionals {
    /// The log density of all similarities, Eq. (2), from the sum of their squared residuals.
    pub(crate) fn log_of_squares(residual: Residual, noise: f64) -> f64 {
        -0.5 * (residual.n_pairs * (TAU * noise).ln() + residual.sum / noise)
    }
}

impl Conditionals for GaussianConditionals {
    fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// Returns the log density of a similarity, Eq. (2).
    ///
    /// $$ p(L_{ij} | \lambda_i, \lambda_j) = \mathcal{N}(L_{ij}; \lambda_i^\top \lambda_j, \Sigma_\Lambda) $$
    fn log_similarity(&self, similarity: f64, first: &[f64], second: &[f64]) -> f64 {
        let residual = similarity - inner(first, second);
        -0.5 * ((TAU * self.noise).ln() + residual * residual / self.noise)
    }

    /// Returns the log density of a feature vector, Eq. (3).
    ///
    /// $$ p(\lambda_i | c_i, \mu, \Psi) = \mathcal{N}(\lambda_i; \mu_{c_i}, \psi_{c_i}) $$
    fn log_feature(&self, feature: &[f64], cluster: usize) -> f64 {
        self.classes[cluster].log_density(feature)
    }

    fn draw_similarity(&self, first: &[f64], second: &[f64], random: &mut Random) -> f64 {
        let normal: f64 = StandardNormal.sample(random);
        inner(first, second) + self.noise.sqrt() * normal
    }

    fn draw_feature(&self, cluster: usize, random: &mut Random) -> Vec<f64> {
        self.classes[cluster].draw(random)
    }
}

pub(crate) fn inner(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(x, y)| x * y).sum()
}

/// Which entries of **L** the product of Eq. (1) runs over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairTerms {
    /// $i < j$, for symmetric **L**.
    #[default]
    Upper,
    /// $i \le j$: the diagonal too, which Eq. (4) and so Lemma 1 count.
    UpperAndDiagonal,
    /// Every ordered pair $i \ne j$, for asymmetric **L**.
    Ordered,
}

impl PairTerms {
    fn includes(self, i: usize, j: usize) -> bool {
        match self {
            Self::Upper => i < j,
            Self::UpperAndDiagonal => i <= j,
            Self::Ordered => i != j,
        }
    }
}

/// The bounded uniform priors on $\mu$ and $\Psi$ that Lemma 1 asks for.
///
/// Without the floor on $\psi$ the joint is unbounded: a class whose features coincide has a density without limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedPriors {
    /// Every coordinate of a mean lies between minus this and this.
    pub mean_bound: f64,
    /// No variance is less.
    pub psi_floor: f64,
    /// No variance is greater.
    pub psi_ceiling: f64,
}

impl BoundedPriors {
    /// Returns $\log p(\mu) + \log p(\Psi)$ (section 2.1): the same wherever all bounds hold, minus infinity elsewhere.
    ///
    /// Each coordinate of a mean is uniform, and each variance of a class: one for `spherical`, t for `diagonal`; for
    /// `full` the t eigenvalues of $\psi$ are, with its axes uniform among all directions.
    pub fn log_density(&self, classes: &[Gaussian], covariance: Covariance) -> f64 {
        // Rounding in an eigenvalue that lies on a bound must not cost everything.
        let slack = 1e-9 * self.psi_ceiling;
        let psi = self.psi_floor * (1.0 - 1e-9) - f64::MIN_POSITIVE..=self.psi_ceiling + slack;
        let mut log_density = 0.0;
        for class in classes {
            let t = class.mean().len();
            let inside = class.mean().iter().all(|x| x.abs() <= self.mean_bound);
            let variances = linalg::full_eigenpairs(class.covariance(), t).values;
            if !inside || !variances.iter().all(|variance| psi.contains(variance)) {
                return f64::NEG_INFINITY;
            }
            log_density -= t as f64 * (2.0 * self.mean_bound).ln();
            log_density -= covariance.n_variances(t) as f64 * (self.psi_ceiling - self.psi_floor).ln();
        }
        log_density
    }
}

/// The log joint of Eq. (1), term by term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogJoint {
    /// $\log p(\mu) + \log p(\Psi)$.
    pub parameters: f64,
    /// $\sum_{ij} \log p(L_{ij} | \lambda_i, \lambda_j)$.
    pub similarities: f64,
    /// $\sum_i \log p(\lambda_i | c_i, \mu, \Psi)$.
    pub features: f64,
    /// $\sum_i \log P(c_i)$, uniform: $-N \log M$.
    pub labels: f64,
}

impl LogJoint {
    /// The sum of all terms: $\log p(C, \Lambda, L, \mu, \Psi)$.
    pub fn total(&self) -> f64 {
        self.parameters + self.similarities + self.features + self.labels
    }
}

/// Returns the log joint, Eq. (1), with any conditional distributions.
///
/// $$ p(C, \Lambda, L, \mu, \Psi) = p(\mu) p(\Psi) \prod_{ij} p(L_{ij} | \lambda_i, \lambda_j)
/// \prod_i p(\lambda_i | c_i, \mu, \Psi) P(c_i) $$
///
/// `log_prior` is $\log p(\mu) + \log p(\Psi)$, for the paper's choice [`BoundedPriors::log_density`]. Every pair is
/// visited: $O(N^2 t)$.
///
/// # Errors
///
/// [`Error::Input`] unless features, labels and matrix are of the same points; [`Error::Input`] if there are
/// more clusters than classes.
pub fn log_joint(
    model: &impl Conditionals,
    log_prior: f64,
    latent: Latent<'_>,
    matrix: &SimilarityMatrix<'_>,
    terms: PairTerms,
) -> Result<LogJoint, Error> {
    let n = latent.features.n_rows();
    for second in [latent.labels.n_points(), matrix.n_points()] {
        if second != n {
            return Err(Error::Input(InputError::LabelLengths { first: n, second }));
        }
    }
    let (n_clusters, n_classes) = (latent.labels.n_clusters(), model.n_classes());
    if n_clusters > n_classes {
        return Err(Error::Input(InputError::ClassLengths { n_clusters, n_classes }));
    }
    let rows = parallel::map(n, |i| {
        let pairs = (0..n).filter(|&j| terms.includes(i, j));
        pairs
            .map(|j| model.log_similarity(matrix.get(i, j), latent.features.row(i), latent.features.row(j)))
            .sum::<f64>()
    });
    let feature = |(i, &cluster): (usize, &usize)| model.log_feature(latent.features.row(i), cluster);
    Ok(LogJoint {
        parameters: log_prior,
        similarities: rows.iter().sum(),
        features: latent.labels.as_slice().iter().enumerate().map(feature).sum(),
        labels: -(n as f64) * (n_classes as f64).ln(),
    })
}

/// The hidden variables of the model.
#[derive(Clone, Copy, Debug)]
pub struct Latent<'a> {
    /// The features $\Lambda$.
    pub features: &'a Features,
    /// The labels **C**.
    pub labels: &'a Labels,
}

/// The sum of squared residuals of **L** about the Gram matrix of the features, without visiting every pair.
///
/// $$ \sum_{ij} (L_{ij} - \lambda_i^\top \lambda_j)^2 = |L|_F^2 - 2 \sum_{ij} L_{ij} \lambda_i^\top \lambda_j + |\Lambda^\top \Lambda|_F^2 $$
///
/// costs $O(t \cdot \text{entries} + N t^2)$; the diagonal is taken off or halved as `terms` asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Residual {
    /// The sum of squares.
    pub(crate) sum: f64,
    /// How many pairs it runs over.
    pub(crate) n_pairs: f64,
}

/// Returns the sum of squared residuals that Eq. (4) minimises, over the pairs of `terms` of a symmetric **L**.
pub(crate) fn residual(matrix: &SimilarityMatrix<'_>, features: &Features, terms: PairTerms) -> Residual {
    let n = features.n_rows();
    let rows = parallel::map(n, |i| {
        let mut ordered = 0.0;
        let mut diagonal = (inner(features.row(i), features.row(i))).powi(2);
        for (j, similarity) in matrix.row(i) {
            let fitted = inner(features.row(i), features.row(j));
            let term = similarity * (similarity - 2.0 * fitted);
            if i == j { diagonal += term } else { ordered += term }
        }
        [ordered, diagonal]
    });
    let gram = gram(features);
    let squares: f64 = gram.iter().map(|x| x * x).sum();
    let own: f64 = (0..n).map(|i| inner(features.row(i), features.row(i)).powi(2)).sum();
    let ordered = rows.iter().map(|row| row[0]).sum::<f64>() + squares - own;
    let diagonal: f64 = rows.iter().map(|row| row[1]).sum();
    let n = n as f64;
    match terms {
        PairTerms::Upper => Residual { sum: 0.5 * ordered, n_pairs: 0.5 * n * (n - 1.0) },
        PairTerms::UpperAndDiagonal => {
            Residual { sum: 0.5 * ordered + diagonal, n_pairs: 0.5 * n * (n + 1.0) }
        }
        PairTerms::Ordered => Residual { sum: ordered, n_pairs: n * (n - 1.0) },
    }
}

/// The t x t matrix $\sum_i \lambda_i \lambda_i^\top$.
pub(crate) fn gram(features: &Features) -> Vec<f64> {
    let t = features.n_columns();
    let mut gram = vec![0.0; t * t];
    for i in 0..features.n_rows() {
        add_outer(&mut gram, features.row(i), 1.0);
    }
    gram
}

/// Adds `weight` times the outer product of `row` with itself.
pub(crate) fn add_outer(sum: &mut [f64], row: &[f64], weight: f64) {
    let t = row.len();
    for (k, x) in row.iter().enumerate() {
        sum[k * t..(k + 1) * t].iter_mut().zip(row).for_each(|(sum, y)| *sum += weight * x * y);
    }
}
