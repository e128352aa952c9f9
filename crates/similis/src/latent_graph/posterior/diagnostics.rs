//! Whether chains have converged, and their effective sample size.

/// R-hat and effective sample size of a number that several chains went through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Diagnostics {
    /// The spread of all half chains together over the spread within each: 1 where they have converged.
    pub(crate) r_hat: f64,
    /// The effective sample size: the number of independent draws that tell as much.
    pub(crate) effective: f64,
}

impl Diagnostics {
    /// Splits every chain in two, and compares the halves (Gelman and others, *Bayesian Data Analysis*, 11.4 and 11.5).
    ///
    /// $$ \hat R = \sqrt{\frac{\widehat{\text{var}}^+}{W}}, \qquad
    /// \widehat{\text{var}}^+ = \frac{n - 1}{n} W + \frac{B}{n}, \qquad
    /// \text{ESS} = \frac{m n}{1 + 2 \sum_t \hat\rho_t} $$
    ///
    /// W and B / n are the variances within and between the m halves of n numbers, $\hat\rho_t = 1 - (W - \bar c_t) /
    /// \widehat{\text{var}}^+$ with the mean autocovariance $\bar c_t$, summed in pairs as long as these fall and are positive
    /// (Geyer). With less than four numbers in each chain nothing can be said: NaN.
    pub(crate) fn new(chains: &[&[f64]]) -> Self {
        let n = chains.iter().map(|chain| chain.len()).min().unwrap_or(0) / 2;
        if n < 2 {
            return Self { r_hat: f64::NAN, effective: f64::NAN };
        }
        let halves: Vec<&[f64]> =
            chains.iter().flat_map(|chain| [&chain[..n], &chain[chain.len() - n..]]).collect();
        let (m, count) = (halves.len() as f64, n as f64);
        let means: Vec<f64> = halves.iter().map(|half| mean(half)).collect();
        let grand = mean(&means);
        let between = means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>() / (m - 1.0);
        let at_lag = |lag: usize| {
            let of_half = |(half, mean): (&&[f64], &f64)| autocovariance(half, *mean, lag);
            halves.iter().zip(&means).map(of_half).sum::<f64>() / m
        };
        let within = at_lag(0) * count / (count - 1.0);
        let all = (count - 1.0) / count * within + between;
        if !(within > 0.0) {
            // Chains that do not move: they agree or not, and each counts as one draw.
            let r_hat = if between > 0.0 { f64::INFINITY } else { 1.0 };
            return Self { r_hat, effective: chains.len() as f64 };
        }
        let rho = |lag: usize| 1.0 - (within - at_lag(lag) * count / (count - 1.0)) / all;
        let mut sum = 0.0;
        let mut last = f64::INFINITY;
        for pair in 0..n / 2 {
            let first = if pair == 0 { 1.0 } else { rho(2 * pair) };
            let both = (first + rho(2 * pair + 1)).min(last);
            if both <= 0.0 {
                break;
            }
            sum += both;
            last = both;
        }
        let effective = m * count / (2.0 * sum - 1.0).max(1.0 / (m * count).ln());
        Self { r_hat: (all / within).sqrt(), effective }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn autocovariance(numbers: &[f64], mean: f64, lag: usize) -> f64 {
    let products = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    products.sum::<f64>() / numbers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    /// A chain whose neighbours are correlated: each is `keep` of the one before and new noise.
    fn chain(number: u64, keep: f64, shift: f64) -> Vec<f64> {
        let mut random = stream(3, number);
        let mut at = 0.0;
        let mut step = || {
            let noise: f64 = StandardNormal.sample(&mut random);
            at = keep * at + (1.0 - keep * keep).sqrt() * noise;
            at + shift
        };
        (0..4000).map(|_| step()).collect()
    }

    fn of(keep: f64, shifts: [f64; 4]) -> Diagnostics {
        let chains: Vec<Vec<f64>> = (0..4).map(|at| chain(at, keep, shifts[at as usize])).collect();
        Diagnostics::new(&chains.iter().map(|chain| &chain[..]).collect::<Vec<_>>())
    }

    #[test]
    fn independent_draws_count_in_full_and_correlated_ones_in_part() {
        let free = of(0.0, [0.0; 4]);
        assert!(
            (free.r_hat - 1.0).abs() < 0.01 && (free.effective / 16_000.0 - 1.0).abs() < 0.15,
            "{free:?}"
        );
        // The sum over lags of 0.8^t is 4: a ninth is left.
        let tied = of(0.8, [0.0; 4]);
        assert!((tied.effective / (16_000.0 / 9.0) - 1.0).abs() < 0.25, "{tied:?}");
    }

    #[test]
    fn chains_that_have_not_met_are_told() {
        assert!(of(0.0, [0.0, 0.0, 0.0, 3.0]).r_hat > 1.3);
        assert_eq!(Diagnostics::new(&[&[1.0; 9], &[2.0; 9]]).r_hat, f64::INFINITY);
        assert_eq!(Diagnostics::new(&[&[1.0; 9], &[1.0; 9]]), Diagnostics { r_hat: 1.0, effective: 2.0 });
        assert!(Diagnostics::new(&[&[1.0; 3]]).r_hat.is_nan());
    }
}
