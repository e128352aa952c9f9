//! Classical scaling: the features of the centred Gram matrix.
//!
//! With $L = -\frac12 J D^2 J$, $J = I - \frac1N 1 1'$, as the similarity matrix, the features of Lemma 1 with $\lambda_i' \lambda_j = L_{ij}$
//! are the points themselves, up to a rotation: the mixture of Eq. (3) is then a mixture of the points.

use crate::input::metric::Metric;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::features::Features;
use crate::numeric::linalg::operator::SymmetricOperator;
use crate::numeric::linalg::top_eigenpairs::{KnownEigenvectors, TopEigenpairs};
use crate::run::observer::Observer;
use crate::run::parallel;

/// Number of rows of a product that one thread computes at a time. Not tuned.
const PIECE: usize = 64;

/// Part of the greatest eigenvalue below which a dimension is left out. Not tuned.
const LEAST: f64 = 1e-6;

/// Returns the points in at most `most` dimensions, about their mean: the coordinates themselves where these are so few, else the
/// greatest principal coordinates. `None` for similarities, and where pairs are missing.
pub(crate) fn principal_coordinates(
    observed: &Dissimilarity<'_>,
    most: usize,
    observer: &dyn Observer,
) -> Option<Features> {
    if observed.quantity() == Quantity::Similarities || !observed.is_complete() {
        return None;
    }
    let centred = centred_points(observed);
    if let Some(centred) = centred.as_ref().filter(|centred| centred.n_columns() <= most) {
        return Some(centred.clone());
    }
    let settings = TopEigenpairs { n_wanted: most, tolerance: 1e-6, max_products: 2_000, seed: 0 };
    let known = KnownEigenvectors::default();
    let found = match &centred {
        Some(centred) => settings.find(&GramOfPoints(centred), known, observer),
        None => settings.find(&CentredGram::new(observed), known, observer),
    };
    let greatest = found.values.first().copied().filter(|value| value.is_finite() && *value > 0.0)?;
    let n_kept = found.values.iter().take_while(|&&value| value > LEAST * greatest).count();
    let roots: Vec<f64> = found.values[..n_kept].iter().map(|value| value.sqrt()).collect();
    let row = |row: &[f64]| row.iter().zip(&roots).map(|(x, root)| x * root).collect::<Vec<f64>>();
    let values = found.vectors.chunks_exact(found.values.len()).flat_map(row).collect();
    Some(Features::from_rows(values, observed.n_points(), n_kept))
}

/// The coordinates of points with Euclidean distances, less their mean.
fn centred_points(observed: &Dissimilarity<'_>) -> Option<Features> {
    let points = observed.points().filter(|points| points.metric() == Metric::Euclidean)?.points();
    let (n, d) = (points.n_points(), points.n_dimensions());
    let mut means = vec![0.0; d];
    for i in 0..n {
        means.iter_mut().zip(points.row(i)).for_each(|(mean, x)| *mean += x / n as f64);
    }
    let centred = |i: usize| points.row(i).iter().zip(&means).map(|(x, mean)| x - mean);
    Some(Features::from_rows((0..n).flat_map(centred).collect(), n, d))
}

/// $X X'$ of centred points $X$.
struct GramOfPoints<'a>(&'a Features);

impl SymmetricOperator for GramOfPoints<'_> {
    fn n_points(&self) -> usize {
        self.0.n_rows()
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        // X' times the block, then X times that.
        let mut inner = vec![0.0; self.0.n_columns() * width];
        for (i, vectors) in block.chunks_exact(width.max(1)).enumerate() {
            for (x, sums) in self.0.row(i).iter().zip(inner.chunks_exact_mut(width)) {
                sums.iter_mut().zip(vectors).for_each(|(sum, v)| *sum += x * v);
            }
        }
        parallel::for_each_piece(out, PIECE * width, |piece, out| {
            for (row, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
                out.fill(0.0);
                for (x, sums) in self.0.row(piece * PIECE + row).iter().zip(inner.chunks_exact(width)) {
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out += x * sum);
                }
            }
        });
    }
}

/// $-\frac12 J D^2 J$, row by row.
struct CentredGram<'a> {
    observed: &'a Dissimilarity<'a>,
    /// The mean of $-\frac12 D_{ij}^2$ over each row.
    means: Vec<f64>,
    mean: f64,
    /// A length that squares neither overflow nor vanish in units of.
    unit: f64,
}

impl<'a> CentredGram<'a> {
    fn new(observed: &'a Dissimilarity<'a>) -> Self {
        let n = observed.n_points();
        let longest = parallel::map(n, |i| {
            let mut longest = 0.0f64;
            observed.for_each_pair(i, |_, length| longest = longest.max(length));
            longest
        });
        let unit = longest.into_iter().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let means = parallel::map(n, |i| {
            let mut sum = 0.0;
            observed.for_each_pair(i, |_, length| sum -= 0.5 * (length / unit).powi(2));
            sum / n as f64
        });
        let mean = means.iter().sum::<f64>() / n as f64;
        Self { observed, means, mean, unit }
    }
}

impl SymmetricOperator for CentredGram<'_> {
    fn n_points(&self) -> usize {
        self.means.len()
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        let mut sums = vec![0.0; width];
        let mut weighted = vec![0.0; width];
        for (mean, row) in self.means.iter().zip(block.chunks_exact(width.max(1))) {
            sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
            weighted.iter_mut().zip(row).for_each(|(sum, v)| *sum += mean * v);
        }
        parallel::for_each_piece(out, PIECE * width, |piece, out| {
            for (row, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
                let i = piece * PIECE + row;
                let of_row = |at: usize| (self.mean - self.means[i]) * sums[at] - weighted[at];
                out.iter_mut().enumerate().for_each(|(at, out)| *out = of_row(at));
                self.observed.for_each_pair(i, |j, length| {
                    let value = -0.5 * (length / self.unit).powi(2);
                    let row = &block[j * width..(j + 1) * width];
                    out.iter_mut().zip(row).for_each(|(out, v)| *out += value * v);
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Checks;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use crate::run::random::stream;
    use rand::RngExt;

    fn distances(features: &Features) -> Vec<f64> {
        let n = features.n_rows();
        let between = |i: usize, j: usize| {
            features.row(i).iter().zip(features.row(j)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
        };
        (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| between(i, j)).collect()
    }

    #[test]
    fn principal_coordinates_have_the_distances_of_points_and_of_their_matrix() {
        let mut random = stream(5, 0);
        // Twelve columns that hold four dimensions.
        let hidden: Vec<f64> = (0..4 * 60).map(|_| random.random_range(-1.0..1.0)).collect();
        let axes: Vec<f64> = (0..4 * 12).map(|_| random.random_range(-1.0..1.0)).collect();
        let place =
            |i: usize, column: usize| (0..4).map(|k| hidden[4 * i + k] * axes[12 * k + column]).sum::<f64>();
        let places: Vec<f64> =
            (0..60).flat_map(|i| (0..12).map(move |c| (i, c))).map(|(i, c)| place(i, c)).collect();
        let points = Points::new(places, 60, 12).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let all = distances(&centred_points(&observed).unwrap());
        let own = principal_coordinates(&observed, 6, &Silent).unwrap();
        assert_eq!(own.n_columns(), 4);
        let matrix =
            Dissimilarity::from_square(all.clone(), [60, 60], Quantity::Distances, Checks::default())
                .unwrap();
        let of_matrix = principal_coordinates(&matrix, 6, &Silent).unwrap();
        let unit = all.iter().copied().fold(0.0, f64::max);
        for ((a, b), c) in all.iter().zip(distances(&own)).zip(distances(&of_matrix)) {
            assert!((a - b).abs() < 1e-5 * unit && (a / unit - c).abs() < 1e-5, "{a} {b} {c}");
        }
        // Few columns are the coordinates themselves.
        assert_eq!(principal_coordinates(&observed, 12, &Silent).unwrap().n_columns(), 12);
    }
}
