//! The distances of arbitrary pairs: the background when numbers of clusters are compared.

use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::context::Context;
use crate::plan::crossover;
use crate::run::parallel;

/// The lengths of all pairs, as if the points were scattered over a plane:
///
/// $$ p_0(L) = \frac{2 L}{s_0^2} e^{-(L / s_0)^2}, \qquad s_0^2 = \overline{L^2} $$
///
/// Short pairs are rare, as in any space of two dimensions or more; an exponential has most of them near 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairLengths {
    scale: f64,
    /// The least length of a link.
    floor: f64,
    /// The unit of links that were not observed.
    unit: f64,
}

impl PairLengths {
    /// Returns the background of all observed pairs; with many points that are not under the Euclidean metric, of the pairs of an even
    /// subsample.
    ///
    /// The pairs that a graph does not list are further apart than those it does: there $s_0$ is at least what it would be in
    /// a plane, $\sqrt{N}$ times the mean link.
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let (n, unit) = (context.n_points(), context.mean_link);
        let observed =
            Some(mean_square(context.observed, unit)).filter(|&square| square > 0.0).map_or(1.0, f64::sqrt);
        let plane = if context.observed.sparse().is_some() { (n as f64).sqrt() } else { 0.0 };
        Self { scale: unit * observed.max(plane), floor: context.floor(), unit }
    }

    /// $s_0$, in the unit of the lengths.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the log density of the links of a tree. An unobserved link has that of the mean link, which is its weight
    /// among the links of a cluster.
    pub(crate) fn log_density(&self, tree: &[Link]) -> f64 {
        let of = |link: &Link| {
            if link.length.is_nan() {
                return -self.unit.ln();
            }
            let standard = link.length.max(self.floor) / self.scale;
            (2.0 * standard).ln() - standard * standard - self.scale.ln()
        };
        tree.iter().map(of).sum()
    }
}

/// The mean of $(L / u)^2$ over pairs, $u$ being the unit.
fn mean_square(observed: &Dissimilarity<'_>, unit: f64) -> f64 {
    let n = observed.n_points();
    let n_rows = crossover::n_squared_rows(n);
    if let Some(points) =
        observed.points().filter(|points| n_rows < n && points.metric() == Metric::Euclidean)
    {
        return 2.0 * variance(points.points(), unit);
    }
    let rows = parallel::map(n_rows, |at| {
        let mut sum = (0.0, 0.0);
        let add = |_: usize, length: f64| sum = (sum.0 + (length / unit).powi(2), sum.1 + 1.0);
        if n_rows == n {
            observed.for_each_pair_above(at, add);
        } else {
            observed.for_each_pair(at * n / n_rows, add);
        }
        sum
    });
    let (squares, n_pairs) = rows.iter().fold((0.0, 0.0), |all, row| (all.0 + row.0, all.1 + row.1));
    squares / n_pairs
}

/// The sum of the variances of all columns, in squared units; twice that is the mean squared Euclidean distance of all pairs.
fn variance(points: &Points<'_>, unit: f64) -> f64 {
    let n = points.n_points();
    let column = |column: usize| (0..n).map(move |i| points.row(i)[column] / unit);
    let squares = |at: usize| {
        let mean = column(at).sum::<f64>() / n as f64;
        column(at).map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    (0..points.n_dimensions()).map(squares).sum::<f64>() / (n as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::observer::Silent;

    #[test]
    fn the_density_of_links_by_hand_on_three_points() {
        // 0, 1, 3: lengths 1, 2, 3, mean square 14 / 3; the tree has links 1 and 2, mean 1.5.
        let points = Points::new(vec![0.0, 1.0, 3.0], 3, 1).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let context = Context::new(&observed, &Silent);
        let background = PairLengths::new(&context);
        let square = 14.0 / 3.0;
        let density = |length: f64| (2.0 * length / square).ln() - length * length / square;
        let expected = density(1.0) + density(2.0);
        assert!((background.log_density(&context.tree) - expected).abs() < 1e-12);
        let missing = Link { from: 0, to: 1, length: f64::NAN };
        assert!((background.log_density(&[missing]) + 1.5f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn units_of_any_size_add_the_same_to_every_link() {
        for unit in [1e-150, 1e-3, 1e150] {
            let places = [0.0, 1.0, 3.0, 3.0].map(|place| place * unit);
            let points = Points::new(places.to_vec(), 4, 1).unwrap();
            let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
            let context = Context::new(&observed, &Silent);
            let found = PairLengths::new(&context).log_density(&context.tree) + 3.0 * f64::ln(unit);
            // Squares 1, 9, 9, 4, 4, 0 over six pairs; the duplicate counts as a hundredth of the mean link, 1.
            let square = 27.0 / 6.0;
            let density = |length: f64| (2.0 * length / square).ln() - length * length / square;
            assert!((found - density(1.0) - density(2.0) - density(0.01)).abs() < 1e-9, "{unit}");
        }
    }

    #[test]
    fn twice_the_variance_is_the_mean_square_of_all_pairs() {
        let values: Vec<f64> = (0..60).map(|at| (f64::from(at) * 0.7).sin() * 1e3 + 5e3).collect();
        let points = Points::new(values, 20, 3).unwrap();
        let twice = 2.0 * variance(&points, 4.0);
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        assert!((mean_square(&observed, 4.0) / twice - 1.0).abs() < 1e-12);
    }
}
