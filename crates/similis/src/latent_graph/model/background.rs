//! The background: what lengths look like between points that are no neighbours; Eq. (17) and (18).

use crate::error::{Error, SettingError};
use crate::graph::lengths::Lengths;
use crate::latent_graph::model::likelihood::{Likelihood, LinkLengths};
use crate::settings::Named;

/// How the background is found. It is fixed before inference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Fitted to all observed pairs.
    #[default]
    Fitted,
    /// As Theorem 1 asks: so that a link is never likelier than no link. Possible only where Eq. (17) can hold.
    Theorem,
}

impl Named for Background {
    const SETTING: &'static str = "background";
    const VALUES: &'static [(&'static str, Self)] = &[("fitted", Self::Fitted), ("theorem", Self::Theorem)];
}

/// Returns the background fitted to all observed lengths: their mean, and for the Gaussian their standard deviation.
pub fn fitted(lengths: &Lengths<'_>, likelihood: Likelihood) -> LinkLengths {
    let (n_pairs, mean) = lengths.mean_of_all();
    let n_pairs = n_pairs.max(1.0);
    match likelihood {
        // Points that all coincide have no scale; any unit will do.
        Likelihood::Exponential => LinkLengths::Exponential { scale: if mean > 0.0 { mean } else { 1.0 } },
        Likelihood::Gaussian => {
            // In units of the mean distance, so that no square overflows.
            let unit = lengths.sum(|length| (length - mean).abs()) / n_pairs;
            let positive = |value: f64, other: f64| if value > 0.0 { value } else { other };
            let unit = positive(unit, positive(mean.abs(), 1.0));
            let variance = lengths.sum(|length| ((length - mean) / unit).powi(2)) / n_pairs;
            LinkLengths::Gaussian { scale: mean, spread: unit * positive(variance, 1.0).sqrt() }
        }
    }
}

/// Returns the bound $g$ of Eq. (18): a link is no likelier than the background where $(L - \beta)^2 \ge g$.
///
/// $$ g(\sigma_0^2, \sigma^2) = \frac{\log \sigma_0^2 - \log \sigma^2}{\sigma_0^2 - \sigma^2} \sigma_0^2 \sigma^2 $$
///
/// Both Gaussians have the same mean. It rises with $\sigma_0^2$, from $\sigma^2$ where they are equal.
pub fn bound(background_variance: f64, variance: f64) -> f64 {
    let ratio = background_variance / variance;
    if (ratio - 1.0).abs() < 1e-8 {
        // The limit, and its slope: g = variance (1 + (ratio - 1) / 2 + ..).
        return variance * (1.0 + 0.5 * (ratio - 1.0));
    }
    variance * ratio * ratio.ln() / (ratio - 1.0)
}

/// Returns the inverse of [`bound`] (Eq. (18)): the greatest background variance for which every pair with
/// $(L - \beta)^2 \ge$ `least` obeys Eq. (17).
///
/// # Errors
///
/// [`Error::Settings`] unless `least` exceeds `variance`: below it no background wider than the class exists.
pub fn widest_background(least: f64, variance: f64) -> Result<f64, Error> {
    if !(least.is_finite() && least > variance && variance > 0.0) {
        return Err(Error::Settings(SettingError::Theorem { least, variance }));
    }
    let (mut low, mut high) = (variance, 2.0 * variance);
    while bound(high, variance) < least && high < f64::MAX / 4.0 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if bound(middle, variance) <= least { low = middle } else { high = middle }
    }
    Ok(low)
}

/// Returns the background that Theorem 1 asks for: the condition Eq. (17) holds for every pair that may be a link.
///
/// $$ p(L_{ij} | \nu_{ij}, \beta_{\nu_{ij}}) \le p(L_{ij} | \nu_{ij} = 0, \beta_0) \quad \forall i, j $$
///
/// For the Gaussian $\beta_0 = \beta$ and $\sigma_0^2 = g^{-1}(\Gamma)$, $\Gamma = \min (L - \beta)^2$; for the exponential the
/// greatest mean for which the shortest length obeys it.
///
/// # Differs from the paper
///
/// The paper says that such a background always exists. It does only where $\Gamma > \sigma^2$ (or, for the exponential,
/// where every length exceeds the scale). At the maximum likelihood $\sigma^2$ is the mean of $(L - \beta)^2$ over the links,
/// so this is impossible, and under the prior `connected` the best graph is not a tree.
///
/// # Errors
///
/// [`Error::Settings`] where no such background exists.
pub fn of_theorem(lengths: &Lengths<'_>, class: LinkLengths) -> Result<LinkLengths, Error> {
    let least_of = |value: &(dyn Fn(f64) -> f64 + Sync)| {
        let mut least = f64::INFINITY;
        let mut row = vec![0.0; lengths.n_points()];
        for i in 0..lengths.n_points() {
            lengths.fill(i, &mut row);
            row.iter()
                .skip(i + 1)
                .filter(|length| length.is_finite())
                .for_each(|&length| least = least.min(value(length)));
        }
        least
    };
    match class {
        LinkLengths::Gaussian { scale, spread } => {
            let least = least_of(&|length| (length - scale).powi(2));
            let variance = widest_background(least, spread * spread)?;
            Ok(LinkLengths::Gaussian { scale, spread: variance.sqrt() })
        }
        LinkLengths::Exponential { scale } => {
            let least = least_of(&|length| length);
            Ok(LinkLengths::Exponential { scale: widest_mean(least, scale)? })
        }
    }
}

/// The greatest mean of an exponential background that is nowhere above `least` less likely than one of mean `scale`.
fn widest_mean(least: f64, scale: f64) -> Result<f64, Error> {
    if !(least.is_finite() && least > scale && scale > 0.0) {
        return Err(Error::Settings(SettingError::Theorem { least, variance: scale }));
    }
    // log(mean / scale) = length (1 / scale - 1 / mean) at the crossing, which rises with the mean.
    let crossing = |mean: f64| (mean / scale).ln() / (1.0 / scale - 1.0 / mean);
    let (mut low, mut high) = (scale * (1.0 + 1e-9), 2.0 * scale);
    while crossing(high) < least && high < f64::MAX / 4.0 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if crossing(middle) <= least { low = middle } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn eq_18_by_hand() {
        // Variances e and 1: (1 - 0) / (e - 1) * e.
        let e = std::f64::consts::E;
        assert!((bound(e, 1.0) - e / (e - 1.0)).abs() < 1e-15);
        assert!((bound(1.0, 1.0) - 1.0).abs() < 1e-15);
        assert!((bound(1.0 + 1e-7, 1.0) - bound(1.0 + 1e-9, 1.0) - 0.495e-7).abs() < 1e-10);
    }

    proptest! {
        #[test]
        fn the_bound_is_where_the_two_densities_cross(variance in 0.1f64..10.0, ratio in 1.01f64..50.0) {
            let background = variance * ratio;
            let distance = bound(background, variance).sqrt();
            let at = |variance: f64| LinkLengths::Gaussian { scale: 0.0, spread: variance.sqrt() }.log_density(distance);
            prop_assert!((at(variance) - at(background)).abs() < 1e-9);
        }

        #[test]
        fn the_inverse_of_the_bound_inverts_it(variance in 0.01f64..10.0, factor in 1.001f64..20.0) {
            let widest = widest_background(variance * factor, variance).unwrap();
            prop_assert!((bound(widest, variance) / (variance * factor) - 1.0).abs() < 1e-9);
            // Monotone and concave.
            let g = |x: f64| bound(x, variance);
            let (a, b) = (widest, widest * 1.5);
            prop_assert!(g(b) > g(a) && g(f64::midpoint(a, b)) > f64::midpoint(g(a), g(b)));
        }

        #[test]
        fn the_exponential_background_is_nowhere_less_likely(scale in 0.1f64..5.0, factor in 1.01f64..10.0, more in 0.0f64..10.0) {
            let least = scale * factor;
            let background = LinkLengths::Exponential { scale: widest_mean(least, scale).unwrap() };
            let class = LinkLengths::Exponential { scale };
            prop_assert!(background.log_density(least + more) >= class.log_density(least + more) - 1e-9);
        }
    }

    #[test]
    fn where_the_condition_cannot_hold_it_says_so() {
        for (least, variance) in [(1.0, 1.0), (0.5, 1.0), (f64::NAN, 1.0), (1.0, 0.0)] {
            assert!(matches!(
                widest_background(least, variance),
                Err(Error::Settings(SettingError::Theorem { .. }))
            ));
        }
        assert!(matches!(widest_mean(1.0, 2.0), Err(Error::Settings(SettingError::Theorem { .. }))));
    }
}
