//! Coordinates in single precision, and how far apart two rows of them are.

use crate::input::points::Points;
use crate::run::parallel;
use crate::run::parallel::vectorised;

/// Number of lanes that are summed side by side: a multiple of what vector units hold. Not tuned.
const LANES: usize = 16;

/// The coordinates less their means, as part of the greatest, in single precision: half the memory to read. Rows are filled
/// up with zeros to a multiple of [`LANES`].
pub(crate) struct Rows {
    values: Vec<f32>,
    length: usize,
}

impl Rows {
    pub(crate) fn new(points: &Points<'_>) -> Self {
        let (n, d) = (points.n_points(), points.n_dimensions());
        let mut means = vec![0.0; d];
        for i in 0..n {
            means.iter_mut().zip(points.row(i)).for_each(|(mean, x)| *mean += x / n as f64);
        }
        let centred = |i: usize| points.row(i).iter().zip(&means).map(|(x, mean)| x - mean);
        let greatest = (0..n).flat_map(centred).fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let length = d.next_multiple_of(LANES);
        let mut values = vec![0.0; n * length];
        parallel::for_each_piece(&mut values, length, |i, row| {
            row.iter_mut().zip(centred(i)).for_each(|(value, x)| *value = (x / greatest) as f32);
        });
        Self { values, length }
    }

    /// The same rows in another order.
    pub(crate) fn in_order(self, order: &[u32]) -> Self {
        let values = order.iter().flat_map(|&i| self.row(i as usize)).copied().collect();
        Self { values, length: self.length }
    }

    #[inline]
    fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.length..(i + 1) * self.length]
    }

    /// Appends to `out` the squared distance from row `i` to each of `others`.
    pub(crate) fn squared(&self, i: usize, others: &[u32], out: &mut Vec<f32>) {
        vectorised(|| self.fold(i, others, out, |sum, difference| sum + difference * difference));
    }

    /// Appends to `out` the sum of absolute differences from row `i` to each of `others`.
    pub(crate) fn manhattan(&self, i: usize, others: &[u32], out: &mut Vec<f32>) {
        vectorised(|| self.fold(i, others, out, |sum, difference| sum + difference.abs()));
    }

    /// Puts together by `add`, [`LANES`] at a time, the differences of row `i` from each of `others`; appends the sums of
    /// what the lanes hold.
    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for the machine's vectors")]
    #[inline(always)]
    fn fold(&self, i: usize, others: &[u32], out: &mut Vec<f32>, add: impl Fn(f32, f32) -> f32) {
        let row = self.row(i).as_chunks::<LANES>().0;
        for &j in others {
            let mut lanes = [0.0; LANES];
            for (a, b) in row.iter().zip(self.row(j as usize).as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    lanes[lane] = add(lanes[lane], a[lane] - b[lane]);
                }
            }
            out.push(sum(lanes));
        }
    }
}

/// The sum of the lanes: halves on halves, which vector units do in four steps.
#[expect(clippy::inline_always, reason = "what is not inlined is not compiled for the machine's vectors")]
#[inline(always)]
fn sum(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high.iter()).take(half).for_each(|(a, b)| *a += b);
        half /= 2;
    }
    lanes[0]
}
