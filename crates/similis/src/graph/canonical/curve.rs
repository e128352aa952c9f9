//! The order of points along a space-filling curve: Morton's, by interleaved bits of the coordinates.
//!
//! Where a point stands depends on its own coordinates and on the box around all points alone. So points that lie in several
//! parts can be put in one order, and cut into cells of consecutive points, without being in one place.

use std::cmp::Ordering;

use crate::graph::canonical::rows;
use crate::run::parallel;

/// Number of steps along the widest side of the box, as a power of two: what a coordinate can tell apart.
const STEPS: f64 = (1u64 << 52) as f64;

/// Bits of a [`Curve::prefix`].
const N_BITS: usize = 63;

/// Number of rows that one thread handles at a time. Not tuned.
const PIECE: usize = 4_096;

/// The curve through a box: cells are halved along one side after the other, the widest box of all being a cube.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    low: Vec<f64>,
    width: f64,
}

impl Curve {
    /// Returns the curve through the box with these corners.
    pub fn new(low: &[f64], high: &[f64]) -> Self {
        let widest = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
        let width = if widest > 0.0 && widest.is_finite() { widest } else { 1.0 };
        Self { low: low.to_vec(), width }
    }

    /// Returns the curve through the box around some rows of coordinates.
    pub(crate) fn around(rows: &[f64], n_dimensions: usize) -> Self {
        let (low, high) = corners(rows, n_dimensions);
        Self::new(&low, &high)
    }

    /// The step of a coordinate: it never falls as the coordinate rises.
    fn step(&self, k: usize, x: f64) -> u64 {
        ((x - self.low[k]) / self.width * STEPS) as u64
    }

    /// The first bits of a row's place on the curve: rows with different ones are in their order.
    pub fn prefix(&self, row: &[f64]) -> u64 {
        let d = row.len().max(1);
        let steps: Vec<u64> = row.iter().enumerate().map(|(k, &x)| self.step(k, x)).collect();
        // Steps go up to 2^52 itself: 53 bits.
        let levels = 0..(N_BITS / d).min(53);
        let bits = levels.flat_map(|level| steps.iter().map(move |step| (step >> (52 - level)) & 1));
        bits.fold(0, |prefix, bit| (prefix << 1) | bit)
    }

    /// Compares two rows by their places on the curve; those in one place by their coordinates.
    pub fn compare(&self, first: &[f64], second: &[f64]) -> Ordering {
        let (mut order, mut most) = (None, None);
        for (k, (&a, &b)) in first.iter().zip(second).enumerate() {
            let (a, b) = (self.step(k, a), self.step(k, b));
            // The first of the sides on which the highest bit differs decides.
            let highest = (a ^ b).checked_ilog2();
            if highest > most {
                (order, most) = (Some(a.cmp(&b)), highest);
            }
        }
        order.unwrap_or_else(|| rows::compare(first, second))
    }

    /// The numbers of rows in the order of the curve; equal rows in the order of their numbers.
    pub fn order(&self, rows: &[f64]) -> Vec<u32> {
        let d = self.low.len();
        let mut keyed = vec![(0, 0); rows.len() / d];
        parallel::for_each_piece(&mut keyed, PIECE, |piece, keyed| {
            for (at, keyed) in keyed.iter_mut().enumerate() {
                let i = piece * PIECE + at;
                *keyed = (self.prefix(&rows[i * d..(i + 1) * d]), i as u32);
            }
        });
        let row = |i: u32| &rows[i as usize * d..][..d];
        parallel::sort_by(&mut keyed, |a, b| {
            a.0.cmp(&b.0).then_with(|| self.compare(row(a.1), row(b.1))).then(a.1.cmp(&b.1))
        });
        keyed.into_iter().map(|(_, i)| i).collect()
    }
}

/// The corners of the box around some rows of coordinates.
pub fn corners(rows: &[f64], n_dimensions: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut low, mut high) = (vec![f64::INFINITY; n_dimensions], vec![f64::NEG_INFINITY; n_dimensions]);
    for row in rows.chunks_exact(n_dimensions) {
        for (k, &x) in row.iter().enumerate() {
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_curve_of_four_by_four_by_hand() {
        // Places 0 to 3 on both sides: (x, y) = (0, 0) (0, 1) (1, 0) (1, 1), then (0, 2) .., (2, 0) .., (2, 2) ..
        let place = |at: usize| [(at / 4) as f64, (at % 4) as f64];
        let rows: Vec<f64> = (0..16).flat_map(place).collect();
        let curve = Curve::new(&[0.0, 0.0], &[4.0, 4.0]);
        let order: Vec<u32> = curve.order(&rows);
        assert_eq!(order, [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
    }

    proptest! {
        #[test]
        fn the_order_is_total_and_does_not_depend_on_the_rows_that_are_sorted(
            values in prop::collection::vec(-8i32..8, 6..90), d in 1usize..4, unit in 0usize..3,
        ) {
            let unit = [1.0, 1e-30, 1e60][unit];
            let n = values.len() / d;
            let rows: Vec<f64> = values[..n * d].iter().map(|&x| f64::from(x) * unit).collect();
            let curve = Curve::around(&rows, d);
            let row = |i: u32| &rows[i as usize * d..][..d];
            let order = curve.order(&rows);
            for pair in order.windows(2) {
                let apart = curve.compare(row(pair[0]), row(pair[1]));
                prop_assert!(apart.is_lt() || (apart.is_eq() && pair[0] < pair[1] && row(pair[0]) == row(pair[1])));
                prop_assert!(curve.prefix(row(pair[0])) <= curve.prefix(row(pair[1])));
            }
            // Any two, not only neighbours, stand as they compare.
            for (at, &i) in order.iter().enumerate() {
                for &j in &order[at + 1..] {
                    prop_assert!(curve.compare(row(i), row(j)).is_le());
                    prop_assert!(curve.compare(row(j), row(i)).is_ge());
                }
            }
        }
    }
}
