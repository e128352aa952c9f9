//! $e^x$ for vector units.

/// $1.5 \cdot 2^{52}$: a number of moderate size, once added, has its whole part in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// $\log 2$ in two parts: the first has so few bits that small multiples of it are exact.
const LOG_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// Arguments below this give 0: near the underflow of `f64`, at -708.
const LEAST: f64 = -700.0;

/// Returns $e^x$ for $x \le 0$, 0 below -700: within two units of the last place.
///
/// Plain operations without branches, so that loops over it are done four or eight at a time, and the bits are the same on every
/// processor, which those of the system's function are not.
#[inline(always)]
pub(crate) fn exponential(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let r = (x - whole * LOG_2[0]) - whole * LOG_2[1];
    // 2^whole, from its exponent.
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    let value = power * series(r);
    if x >= LEAST { value } else { 0.0 }
}

/// $e^r$ for $|r| \le \frac12 \log 2$, by the series up to $r^{13} / 13!$.
#[inline(always)]
fn series(r: f64) -> f64 {
    const FACTORIALS: [f64; 14] = {
        let mut factorials = [1.0; 14];
        let mut n = 1;
        while n < 14 {
            factorials[n] = factorials[n - 1] / n as f64;
            n += 1;
        }
        factorials
    };
    let mut sum = FACTORIALS[13];
    let mut n = 13;
    while n > 0 {
        n -= 1;
        sum = sum * r + FACTORIALS[n];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential_to_the_last_places() {
        for at in 0..2_000_000 {
            let x = -0.00035 * f64::from(at) * 1.000_000_7;
            let (found, exact) = (exponential(x), x.exp());
            if x < LEAST {
                assert_eq!(found, 0.0);
            } else {
                assert!((found - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}: {found} and {exact}");
            }
        }
        assert_eq!((exponential(0.0), exponential(f64::NEG_INFINITY)), (1.0, 0.0));
    }
}
