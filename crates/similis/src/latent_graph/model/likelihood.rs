//! How long the link between two neighbours is: Eq. (7) and (8).

use std::f64::consts::TAU;

use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::graph::link::LinkOrder;
use crate::run::random::Random;
use crate::settings::Named;

/// The family of the link lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Likelihood {
    /// Eq. (8): short links are likelier than long ones.
    #[default]
    Exponential,
    /// Eq. (7): links are about as long as one another.
    Gaussian,
}

impl Named for Likelihood {
    const SETTING: &'static str = "likelihood";
    const VALUES: &'static [(&'static str, Self)] =
        &[("exponential", Self::Exponential), ("gaussian", Self::Gaussian)];
}

/// The distribution of the lengths of one class, or of the background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkLengths {
    /// Exponential with this mean.
    Exponential {
        /// The typical length: $1 / \beta_c$ of Eq. (8), whose $\beta$ is a rate.
        scale: f64,
    },
    /// Gaussian.
    Gaussian {
        /// The typical length: $\beta_c$ of Eq. (7).
        scale: f64,
        /// Standard deviation of the lengths: $\sigma_c$.
        spread: f64,
    },
}

impl LinkLengths {
    /// The typical length.
    pub fn scale(self) -> f64 {
        match self {
            Self::Exponential { scale } | Self::Gaussian { scale, .. } => scale,
        }
    }

    /// The standard deviation of the lengths.
    pub fn spread(self) -> f64 {
        match self {
            Self::Exponential { scale } => scale,
            Self::Gaussian { spread, .. } => spread,
        }
    }

    /// Returns the log density of a length.
    pub fn log_density(self, length: f64) -> f64 {
        match self {
            Self::Exponential { scale } => log_exponential(length, scale),
            Self::Gaussian { scale, spread } => log_gaussian(length, scale, spread),
        }
    }

    /// Draws a length; a Gaussian one may be negative.
    pub fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::Exponential { scale } => {
                let unit: f64 = Exp1.sample(random);
                scale * unit
            }
            Self::Gaussian { scale, spread } => {
                let normal: f64 = StandardNormal.sample(random);
                scale + spread * normal
            }
        }
    }
}

/// Returns the log density of a length under Eq. (8), written with the mean length instead of the rate.
///
/// $$ p(L_{ij} | \nu_{ij}, \beta) = \beta_{\nu_{ij}} e^{-\beta_{\nu_{ij}} L_{ij}}, \qquad \text{scale} = 1 / \beta_{\nu_{ij}} $$
fn log_exponential(length: f64, scale: f64) -> f64 {
    -scale.ln() - length / scale
}

/// Returns the log density of a length under Eq. (7).
///
/// $$ p(L_{ij} | \nu_{ij}, \beta) = \mathcal{N}(L_{ij}; \beta_{\nu_{ij}}, \sigma^2_{\nu_{ij}}) $$
fn log_gaussian(length: f64, scale: f64, spread: f64) -> f64 {
    let standard = (length - scale) / spread;
    -0.5 * (TAU.ln() + standard * standard) - spread.ln()
}

/// The weight of a link relative to no link: what the best graph minimises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkWeight {
    /// The class's distribution.
    pub class: LinkLengths,
    /// The background.
    pub background: LinkLengths,
}

impl LinkWeight {
    /// Returns the weight $f$ of Eq. (16): the price of linking two points at this length instead of leaving the pair to
    /// the background.
    ///
    /// $$ f(L_{ij}, \nu_{ij}) = \log p(L_{ij} | \nu_{ij} = 0, \beta_0) - \log p(L_{ij} | \nu_{ij}, \beta_{\nu_{ij}}) $$
    ///
    /// Theorem 1 prints $w_{ij}$ with the opposite sign; its proof, and a *minimum* spanning tree, need this one. A
    /// missing pair (NaN) has ratio 1: its weight is 0.
    pub fn price(self, length: f64) -> f64 {
        if length.is_nan() {
            return 0.0;
        }
        self.background.log_density(length) - self.class.log_density(length)
    }

    /// Returns the order of the prices, as a simple function of the length.
    ///
    /// For the exponential it is the order of the lengths, where the class is tighter than the background. For the Gaussian
    /// it is the order of $|L - L^*|$,
    ///
    /// $$ L^* = \frac{\beta_c \sigma_0^2 - \beta_0 \sigma_c^2}{\sigma_0^2 - \sigma_c^2}, $$
    ///
    /// where the class is tighter than the background, and the opposite where it is not.
    pub fn order(self) -> LinkOrder {
        let (class, background) = (self.class, self.background);
        let ratio = (class.spread() / background.spread()).powi(2);
        match (class, background) {
            (LinkLengths::Gaussian { .. }, LinkLengths::Gaussian { .. }) if ratio != 1.0 => {
                let centre = (class.scale() - background.scale() * ratio) / (1.0 - ratio);
                LinkOrder { centre: Some(centre), rising: ratio < 1.0, missing: self.missing(Some(centre)) }
            }
            (LinkLengths::Gaussian { .. }, LinkLengths::Gaussian { .. }) => {
                // Equal spreads: the price is linear in the length.
                let rising = class.scale() < background.scale();
                LinkOrder { centre: None, rising, missing: self.missing(None) }
            }
            _ => LinkOrder {
                centre: None,
                rising: class.scale() < background.scale(),
                missing: self.missing(None),
            },
        }
    }

    /// The distance from the centre (or the length) at which the price of a link is 0, as that of a missing pair.
    fn missing(self, centre: Option<f64>) -> f64 {
        let (class, background) = (self.class, self.background);
        let ratio = (class.spread() / background.spread()).powi(2);
        match (centre, class) {
            // price(L) = price(centre) + (1 - ratio) (L - centre)^2 / 2 sigma_c^2.
            (Some(centre), _) => class.spread() * (-2.0 * self.price(centre) / (1.0 - ratio)).max(0.0).sqrt(),
            // price(L) = price(0) + slope L, all in units of the class's scale.
            (None, LinkLengths::Exponential { scale }) => {
                let slope = 1.0 - scale / background.scale();
                if slope == 0.0 { 0.0 } else { -scale * self.price(0.0) / slope }
            }
            // Equal spreads cross half way between the means.
            (None, LinkLengths::Gaussian { scale, .. }) => f64::midpoint(scale, background.scale()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn eq_7_by_hand() {
        // Length 3 about 1 with spread 2: -1/2 [log 2 pi + 1] - log 2.
        let lengths = LinkLengths::Gaussian { scale: 1.0, spread: 2.0 };
        assert!((lengths.log_density(3.0) - (-0.5 * (TAU.ln() + 1.0) - 2f64.ln())).abs() < 1e-15);
    }

    #[test]
    fn eq_8_by_hand() {
        // Length 3 at mean 2, rate 1/2: log(1/2) - 3/2.
        let lengths = LinkLengths::Exponential { scale: 2.0 };
        assert!((lengths.log_density(3.0) - (0.5f64.ln() - 1.5)).abs() < 1e-15);
    }

    #[test]
    fn draws_have_the_mean_and_spread_of_their_distribution() {
        let mut random = crate::run::random::stream(2, 0);
        for lengths in
            [LinkLengths::Exponential { scale: 2.0 }, LinkLengths::Gaussian { scale: 3.0, spread: 0.5 }]
        {
            let n = 40_000;
            let draws: Vec<f64> = (0..n).map(|_| lengths.draw(&mut random)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            assert!((mean - lengths.scale()).abs() < 4.0 * lengths.spread() / f64::from(n).sqrt());
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
            assert!((variance.sqrt() / lengths.spread() - 1.0).abs() < 0.05);
        }
    }

    fn lengths(gaussian: bool) -> impl Strategy<Value = LinkLengths> {
        (0.1f64..5.0, 0.1f64..5.0).prop_map(move |(scale, spread)| {
            if gaussian {
                LinkLengths::Gaussian { scale, spread }
            } else {
                LinkLengths::Exponential { scale }
            }
        })
    }

    proptest! {
        #[test]
        fn the_order_of_keys_is_the_order_of_prices(
            (class, background) in any::<bool>().prop_flat_map(|gaussian| (lengths(gaussian), lengths(gaussian))),
            a in 0.0f64..10.0, b in prop_oneof![0.0f64..10.0, Just(f64::NAN)],
        ) {
            let weight = LinkWeight { class, background };
            let order = weight.order();
            let (price, key) = (weight.price(a) - weight.price(b), order.key(a) - order.key(b));
            // A missing pair may be cheaper than every length there is.
            let never = b.is_nan() && weight.price(a).signum() == price.signum();
            prop_assert!(price.abs() < 1e-9 || price.signum() == key.signum() || (never && key == 0.0), "{price} {key}");
        }
    }
}
