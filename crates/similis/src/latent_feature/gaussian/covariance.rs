//! Shapes of a class's covariance, and its bounded estimate.

use crate::latent_feature::features::Features;
use crate::latent_feature::gaussian::Gaussian;
use crate::latent_feature::likelihood::{BoundedPriors, add_outer};
use crate::numeric::linalg;
use crate::settings::Named;

/// The shape of $\psi_c$.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covariance {
    /// One variance for all dimensions.
    Spherical,
    /// One variance for each dimension.
    Diagonal,
    /// Any positive definite matrix.
    #[default]
    Full,
}

impl Named for Covariance {
    const SETTING: &'static str = "covariance";
    const VALUES: &'static [(&'static str, Self)] =
        &[("spherical", Self::Spherical), ("diagonal", Self::Diagonal), ("full", Self::Full)];
}

impl Covariance {
    /// How many variances a class has in `t` dimensions.
    pub fn n_variances(self, t: usize) -> usize {
        if self == Self::Spherical { 1 } else { t }
    }

    /// Returns the likeliest Gaussian of rows with the given `weights`, its variances within `priors`; `None` if the
    /// weights are all 0.
    ///
    /// Within bounds the likeliest covariance is the unbounded one with its variances (for `full` its eigenvalues)
    /// moved to the nearest bound.
    pub(crate) fn estimate(
        self,
        features: &Features,
        weights: impl Fn(usize) -> f64,
        priors: &BoundedPriors,
    ) -> Option<Gaussian> {
        let t = features.n_columns();
        let mut total = 0.0;
        let mut mean = vec![0.0; t];
        for i in 0..features.n_rows() {
            let weight = weights(i);
            total += weight;
            mean.iter_mut().zip(features.row(i)).for_each(|(sum, x)| *sum += weight * x);
        }
        if !(total > f64::MIN_POSITIVE) {
            return None;
        }
        mean.iter_mut().for_each(|sum| *sum = (*sum / total).clamp(-priors.mean_bound, priors.mean_bound));
        let mut scatter = vec![0.0; t * t];
        let mut centred = vec![0.0; t];
        for i in 0..features.n_rows() {
            let row = features.row(i).iter().zip(&mean).map(|(x, m)| x - m);
            centred.iter_mut().zip(row).for_each(|(c, x)| *c = x);
            add_outer(&mut scatter, &centred, weights(i) / total);
        }
        let bounded = Gaussian::new(mean.clone(), self.bounded(&scatter, t, priors));
        // Rounding may cost a full covariance its last positive eigenvalue; its diagonal is positive for certain.
        bounded.or_else(|| Gaussian::new(mean, Self::Diagonal.bounded(&scatter, t, priors)))
    }

    fn bounded(self, scatter: &[f64], t: usize, priors: &BoundedPriors) -> Vec<f64> {
        let bound = |variance: f64| variance.clamp(priors.psi_floor, priors.psi_ceiling);
        let diagonal = |k: usize| scatter[k * t + k];
        let mut psi = vec![0.0; t * t];
        match self {
            Self::Spherical => {
                let variance = bound((0..t).map(diagonal).sum::<f64>() / t as f64);
                (0..t).for_each(|k| psi[k * t + k] = variance);
            }
            Self::Diagonal => (0..t).for_each(|k| psi[k * t + k] = bound(diagonal(k))),
            Self::Full => {
                let axes = linalg::full_eigenpairs(scatter, t);
                for (k, &variance) in axes.values.iter().enumerate() {
                    let axis: Vec<f64> = (0..t).map(|row| axes.vectors[row * t + k]).collect();
                    add_outer(&mut psi, &axis, bound(variance));
                }
            }
        }
        psi
    }
}
