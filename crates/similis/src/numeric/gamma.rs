//! The incomplete gamma function.

/// Number of terms after which series and continued fraction stop; both converge long before, for shapes up to 50.
const MOST_TERMS: usize = 1000;

/// Returns $Q(a, x) = \int_x^\infty t^{a - 1} e^{-t} dt / \Gamma(a)$, for `a` above 0; 1 for `x` of 0 and below.
///
/// $Q(d / 2, x / 2)$ is the probability that a chi-squared variable of d degrees of freedom exceeds x.
pub(crate) fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let log_front = a * x.ln() - x - log_gamma(a);
    let value =
        if x < a + 1.0 { 1.0 - log_front.exp() * series(a, x) } else { log_front.exp() * fraction(a, x) };
    value.clamp(0.0, 1.0)
}

/// $\sum_n x^n / (a (a + 1) \cdots (a + n))$.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..MOST_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// The continued fraction of $\Gamma(a, x) x^{-a} e^x$, by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = 1.0 / b;
    let mut value = d;
    for n in 1..MOST_TERMS {
        let numerator = -(n as f64) * (n as f64 - a);
        b += 2.0;
        d = 1.0 / apart_from_zero(numerator * d + b);
        c = apart_from_zero(b + numerator / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

fn apart_from_zero(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x }
}

/// $\log \Gamma(x)$ for x above 0, by Stirling's series from 10 on: twelve digits.
fn log_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_one_and_two_have_closed_forms() {
        for x in [0.01f64, 0.5, 1.0, 1.9, 2.1, 5.0, 40.0] {
            let expected = [(-x).exp(), (1.0 + x) * (-x).exp()];
            for (a, expected) in [1.0, 2.0].into_iter().zip(expected) {
                assert!((upper_gamma(a, x) / expected - 1.0).abs() < 1e-10, "{a} {x}");
            }
        }
        assert_eq!(upper_gamma(3.0, 0.0), 1.0);
    }

    #[test]
    fn it_steps_by_the_recurrence() {
        // Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1).
        for (a, x) in [(0.5, 0.2), (0.5, 3.0), (1.7, 2.6), (6.3, 7.2), (24.0, 30.0)] {
            let step = (f64::ln(x) * a - x - log_gamma(a + 1.0)).exp();
            assert!((upper_gamma(a + 1.0, x) - upper_gamma(a, x) - step).abs() < 1e-11, "{a} {x}");
        }
        // A normal variable is beyond 1.959964 in one case of twenty.
        assert!((upper_gamma(0.5, 0.5 * 1.959_963_984_540_054f64.powi(2)) - 0.05).abs() < 1e-12);
    }
}
