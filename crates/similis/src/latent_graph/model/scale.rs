//! The scales of a class: Eq. (12) and (13).

use std::f64::consts::TAU;

use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::latent_graph::model::likelihood::{Likelihood, LinkLengths};
use crate::run::random::Random;
use crate::settings::Named;

/// Prior on the scales of clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScalePrior {
    /// A weak conjugate prior, worth about one link of the minimum spanning tree's mean length: no class can shrink to nothing.
    #[default]
    Weak,
    /// Nothing: the paper's constant $K_\beta$.
    None,
}

impl Named for ScalePrior {
    const SETTING: &'static str = "scale_prior";
    const VALUES: &'static [(&'static str, Self)] = &[("weak", Self::Weak), ("none", Self::None)];
}

/// Which graphs scales are learned from: what $\tilde P$ of Eq. (12) and (13) is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScaleUpdates {
    /// The best graph alone: its links have probability 1, as in the algorithm box.
    #[default]
    Hard,
    /// All trees of a class, each as probable as it is given the scales: exact edge posteriors, which section 3.3 calls unknown.
    Soft,
}

impl Named for ScaleUpdates {
    const SETTING: &'static str = "scale_updates";
    const VALUES: &'static [(&'static str, Self)] = &[("hard", Self::Hard), ("soft", Self::Soft)];
}

/// A link length and how probable the link is: a term of Eq. (12) and (13).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedLength {
    /// $\tilde P(\nu_{ij} = k)$: 1 for the links of the best graph.
    pub probability: f64,
    /// $L_{ij}$.
    pub length: f64,
}

/// How scales are learned from lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleStep {
    /// The family of the lengths.
    pub likelihood: Likelihood,
    /// The prior.
    pub prior: ScalePrior,
    /// The mean link of the minimum spanning tree, at which the weak prior is centred.
    pub typical_length: f64,
    /// The spread of its links.
    pub typical_spread: f64,
    /// Lower bound on scales and spreads, a small fraction of the scale of the background; avoids overflow.
    pub floor: f64,
}

/// Shape of the Gamma prior on the rate, in the weak prior. Gives it the weight of about one link.
const SHAPE_OF_RATE: f64 = 2.0;

/// Shape of the inverse Gamma prior on the variance, in the weak prior. A weak one; not tuned.
const SHAPE_OF_VARIANCE: f64 = 1.0;

/// Scale of the inverse Gamma prior, in units of the typical variance. Chosen so that the joint mode with the mean is that
/// variance.
const VARIANCE_SCALE: f64 = 0.5 * (2.0 * SHAPE_OF_VARIANCE + 3.0);

/// Weight of the prior on a Gaussian's mean, in number of links. A weak one; not tuned.
const LINKS_OF_MEAN: f64 = 1.0;

/// The weak prior: a density whose integral over scales has a closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Conjugate {
    /// Gamma density of the rate.
    Exponential { shape: f64, rate: f64 },
    /// Normal-inverse-Gamma density of mean and variance, in units of `spread`: the mean is about `centre`, as if `links` links
    /// had been seen.
    Gaussian { centre: f64, spread: f64, links: f64, shape: f64, rate: f64 },
}

impl ScaleStep {
    /// The weak prior as numbers, whichever is set.
    pub(crate) fn weak_prior(&self) -> Conjugate {
        match self.likelihood {
            Likelihood::Exponential => Conjugate::Exponential {
                shape: SHAPE_OF_RATE,
                rate: (SHAPE_OF_RATE - 1.0) * self.typical_length,
            },
            Likelihood::Gaussian => Conjugate::Gaussian {
                centre: self.typical_length,
                spread: self.typical_spread,
                links: LINKS_OF_MEAN,
                shape: SHAPE_OF_VARIANCE,
                rate: VARIANCE_SCALE,
            },
        }
    }

    /// Returns the likeliest scale and spread of a class given its links: Eq. (12), Eq. (13), from any $\tilde P$.
    ///
    /// $$ \beta_k \leftarrow \frac{\sum_{ij} \tilde P(\nu_{ij} = k) L_{ij}}{\sum_{ij} \tilde P(\nu_{ij} = k)}, \qquad
    /// \sigma_k^2 \leftarrow \frac{\sum_{ij} \tilde P(\nu_{ij} = k) (L_{ij} - \beta_k)^2}{\sum_{ij} \tilde P(\nu_{ij} = k)} $$
    ///
    /// For the exponential likelihood the first is the mean length $1 / \beta_k$. With the weak prior the step is to the
    /// mode of the posterior: of the rate, or of mean and variance together. Without it a class without links has no
    /// scale to learn and takes the minimum spanning tree's.
    pub fn update(&self, links: &[WeightedLength]) -> LinkLengths {
        self.update_each(links.iter().copied())
    }

    /// As [`ScaleStep::update`], of links that are counted one by one.
    pub(crate) fn update_each(&self, links: impl Iterator<Item = WeightedLength> + Clone) -> LinkLengths {
        let weight: f64 = links.clone().map(|link| link.probability).sum();
        let sum: f64 = links.clone().map(|link| link.probability * link.length).sum();
        let (centre, known) = (self.typical_length, if self.prior == ScalePrior::Weak { 1.0 } else { 0.0 });
        match self.likelihood {
            Likelihood::Exponential => {
                let links = weight + known * (SHAPE_OF_RATE - 1.0);
                let scale =
                    if links > 0.0 { (sum + known * (SHAPE_OF_RATE - 1.0) * centre) / links } else { centre };
                LinkLengths::Exponential { scale: scale.max(self.floor) }
            }
            Likelihood::Gaussian => {
                if weight + known == 0.0 {
                    return LinkLengths::Gaussian { scale: centre, spread: self.typical_spread };
                }
                let prior_links = known * LINKS_OF_MEAN;
                let scale = (sum + prior_links * centre) / (weight + prior_links);
                // In units of the typical spread, so that no square overflows.
                let about = |length: f64| ((length - scale) / self.typical_spread).powi(2);
                let squares: f64 = links.map(|link| link.probability * about(link.length)).sum();
                let from_prior = known * (2.0 * VARIANCE_SCALE + LINKS_OF_MEAN * about(centre));
                let freedom = weight + known * (2.0 * SHAPE_OF_VARIANCE + 3.0);
                let spread = self.typical_spread * ((squares + from_prior) / freedom).sqrt();
                LinkLengths::Gaussian { scale, spread: spread.max(self.floor) }
            }
        }
    }

    /// Draws the scales of a class from the weak prior, whichever prior is set: without one there is nothing to draw from.
    pub fn draw(&self, random: &mut Random) -> LinkLengths {
        // A Gamma variable of shape 2 is the sum of two exponential ones, one of shape 1 is one.
        let mut exponential = || -> f64 { Exp1.sample(random) };
        match self.likelihood {
            Likelihood::Exponential => {
                let rate = (exponential() + exponential()) / ((SHAPE_OF_RATE - 1.0) * self.typical_length);
                LinkLengths::Exponential { scale: rate.recip().max(self.floor) }
            }
            Likelihood::Gaussian => {
                let spread = self.typical_spread * (VARIANCE_SCALE / exponential()).sqrt();
                let normal: f64 = StandardNormal.sample(random);
                let scale = self.typical_length + normal * spread / LINKS_OF_MEAN.sqrt();
                LinkLengths::Gaussian { scale, spread: spread.max(self.floor) }
            }
        }
    }

    /// Returns $\log p(\beta_k, \sigma_k)$; 0, the paper's constant, without a prior.
    ///
    /// Exponential: a Gamma density of the rate. Gaussian: a normal-inverse-Gamma density of mean and variance.
    pub fn log_prior(&self, lengths: LinkLengths) -> f64 {
        if self.prior == ScalePrior::None {
            return 0.0;
        }
        match lengths {
            LinkLengths::Exponential { scale } => {
                // Gamma of shape 2 and scale b = (shape - 1) * centre: log(b^2 rate e^(-b rate)).
                let b = (SHAPE_OF_RATE - 1.0) * self.typical_length;
                SHAPE_OF_RATE * b.ln() - (SHAPE_OF_RATE - 1.0) * scale.ln() - b / scale
            }
            LinkLengths::Gaussian { scale, spread } => {
                // Densities of mean and variance, in units of the typical spread and its square.
                let typical = self.typical_spread;
                let log_variance = 2.0 * (spread / typical).ln();
                let squared = LINKS_OF_MEAN * ((scale - self.typical_length) / spread).powi(2);
                let mean = 0.5 * ((LINKS_OF_MEAN / TAU).ln() - log_variance) - typical.ln();
                mean + SHAPE_OF_VARIANCE * VARIANCE_SCALE.ln()
                    - (SHAPE_OF_VARIANCE + 1.0) * log_variance
                    - 2.0 * typical.ln()
                    - VARIANCE_SCALE * (typical / spread).powi(2)
                    - 0.5 * squared
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(likelihood: Likelihood, prior: ScalePrior) -> ScaleStep {
        ScaleStep { likelihood, prior, typical_length: 1.5, typical_spread: 0.5, floor: 1e-12 }
    }

    fn weighted(terms: &[(f64, f64)]) -> Vec<WeightedLength> {
        terms.iter().map(|&(probability, length)| WeightedLength { probability, length }).collect()
    }

    #[test]
    fn eq_12_and_13_by_hand() {
        // Lengths 1 (probability 1) and 4 (probability 1/2): mean (1 + 2) / 1.5 = 2; variance (1 + 2) / 1.5 = 2.
        let links = weighted(&[(1.0, 1.0), (0.5, 4.0)]);
        let gaussian = step(Likelihood::Gaussian, ScalePrior::None).update(&links);
        assert!((gaussian.scale() - 2.0).abs() < 1e-15 && (gaussian.spread() - 2f64.sqrt()).abs() < 1e-15);
        let exponential = step(Likelihood::Exponential, ScalePrior::None).update(&links);
        assert!((exponential.scale() - 2.0).abs() < 1e-15);
        // The weak prior counts as one more link of 1.5: (3 + 1.5) / 2.5.
        let weak = step(Likelihood::Exponential, ScalePrior::Weak).update(&links);
        assert!((weak.scale() - 1.8).abs() < 1e-15);
    }

    #[test]
    fn a_class_of_one_link_keeps_a_spread_with_the_weak_prior_and_loses_it_without() {
        let links = weighted(&[(1.0, 1.5)]);
        assert!(step(Likelihood::Gaussian, ScalePrior::Weak).update(&links).spread() > 0.4);
        assert_eq!(step(Likelihood::Gaussian, ScalePrior::None).update(&links).spread(), 1e-12);
    }

    #[test]
    fn scales_are_drawn_from_the_prior() {
        // The rate has mean 2 / 1.5. Half of all variances lie above b / log 2, b = 2.5 * 0.5^2.
        let mut random = crate::run::random::stream(4, 0);
        let n = 20_000;
        let exponential = step(Likelihood::Exponential, ScalePrior::Weak);
        let mean = (0..n).map(|_| exponential.draw(&mut random).scale().recip()).sum::<f64>() / f64::from(n);
        assert!((mean - 2.0 / 1.5).abs() < 4.0 * (2f64.sqrt() / 1.5) / f64::from(n).sqrt(), "{mean}");
        let gaussian = step(Likelihood::Gaussian, ScalePrior::Weak);
        let median = 2.5 * 0.25 / 2f64.ln();
        let above = (0..n).filter(|_| gaussian.draw(&mut random).spread().powi(2) > median).count();
        assert!((above as f64 / f64::from(n) - 0.5).abs() < 4.0 * 0.5 / f64::from(n).sqrt(), "{above}");
    }

    proptest! {
        #[test]
        fn no_other_scale_is_more_probable(
            terms in prop::collection::vec((0.1f64..1.0, 0.1f64..4.0), 1..6),
            weak in any::<bool>(), gaussian in any::<bool>(), by in -0.3f64..0.3, wider in -0.3f64..0.3,
        ) {
            let likelihood = if gaussian { Likelihood::Gaussian } else { Likelihood::Exponential };
            let step = step(likelihood, if weak { ScalePrior::Weak } else { ScalePrior::None });
            let links = weighted(&terms);
            let value = |lengths: LinkLengths| {
                links.iter().map(|link| link.probability * lengths.log_density(link.length)).sum::<f64>()
                    + step.log_prior(lengths)
            };
            let best = step.update(&links);
            let other = match best {
                LinkLengths::Exponential { scale } => LinkLengths::Exponential { scale: scale * by.exp() },
                LinkLengths::Gaussian { scale, spread } => {
                    LinkLengths::Gaussian { scale: scale + by, spread: spread * wider.exp() }
                }
            };
            // One link without a prior has spread 0: nothing can be compared.
            prop_assume!(best.spread() > 1e-9);
            prop_assert!(value(best) >= value(other) - 1e-9, "{} {}", value(best), value(other));
        }
    }
}
