//! The Gaussian of one class.

pub(crate) mod covariance;

use rand_distr::{Distribution, StandardNormal};

use crate::numeric::linalg;
use crate::run::random::Random;

/// A Gaussian over feature vectors, $\mathcal{N}(\lambda; \mu, \psi)$.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Vec<f64>,
    /// Lower triangle $R$ with $\psi = R R^\top$, row after row.
    factor: Vec<f64>,
    log_normaliser: f64,
}

impl Gaussian {
    /// Returns the Gaussian with this mean and covariance (row after row), if the covariance is positive definite.
    pub fn new(mean: Vec<f64>, covariance: Vec<f64>) -> Option<Self> {
        let t = mean.len();
        let factor = linalg::cholesky(&covariance, t)?;
        let log_determinant: f64 = (0..t).map(|k| 2.0 * factor[k * t + k].ln()).sum();
        let log_normaliser = -0.5 * (t as f64 * std::f64::consts::TAU.ln() + log_determinant);
        Some(Self { mean, covariance, factor, log_normaliser })
    }

    /// The mean $\mu$.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance $\psi$, row after row.
    pub fn covariance(&self) -> &[f64] {
        &self.covariance
    }

    /// Returns the log density at `x`.
    ///
    /// $$ -\tfrac12 \left[ t \log 2\pi + \log |\psi| + (x - \mu)^\top \psi^{-1} (x - \mu) \right] $$
    pub fn log_density(&self, x: &[f64]) -> f64 {
        let t = self.mean.len();
        let mut solved = [0.0; 32];
        let mut spilled;
        let solved = if t <= 32 {
            &mut solved[..t]
        } else {
            spilled = vec![0.0; t];
            &mut spilled[..]
        };
        let mut squared = 0.0;
        for k in 0..t {
            let row = &self.factor[(k * t)..=(k * t + k)];
            let above: f64 = row[..k].iter().zip(&solved[..k]).map(|(r, s)| r * s).sum();
            solved[k] = (x[k] - self.mean[k] - above) / row[k];
            squared += solved[k] * solved[k];
        }
        self.log_normaliser - 0.5 * squared
    }

    /// Returns $\psi^{-1}$, row after row.
    pub fn precision(&self) -> Vec<f64> {
        let t = self.mean.len();
        let mut inverse = vec![0.0; t * t];
        for k in 0..t {
            let mut unit = vec![0.0; t];
            unit[k] = 1.0;
            linalg::solve_with_factor(&self.factor, &mut unit);
            inverse[k * t..(k + 1) * t].copy_from_slice(&unit);
        }
        inverse
    }

    /// Draws a vector.
    pub fn draw(&self, random: &mut Random) -> Vec<f64> {
        let t = self.mean.len();
        let normal: Vec<f64> = (0..t).map(|_| StandardNormal.sample(random)).collect();
        (0..t)
            .map(|k| {
                let row = &self.factor[(k * t)..=(k * t + k)];
                self.mean[k] + row.iter().zip(&normal).map(|(r, z)| r * z).sum::<f64>()
            })
            .collect()
    }
}
