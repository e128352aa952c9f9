//! The nearest neighbours of points by a look at every pair, in blocks that stay in the cache.

use std::ops::Range;

use crate::graph::neighbours::Found;
use crate::input::metric::MeasuredPoints;
use crate::numeric::linalg::product::row_products;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::run::parallel::vectorised;

/// Number of points whose lists one thread fills at a time. Not tuned.
const ROWS: usize = 128;

/// Number of points that they are compared with at a time. Not tuned.
const COLUMNS: usize = 512;

/// The nearest points found so far, in order: by distance, of equally near ones the lower number first.
struct Nearest {
    found: Vec<Found>,
    count: usize,
}

impl Nearest {
    fn new(count: usize) -> Self {
        Self { found: Vec::with_capacity(count + 1), count }
    }

    /// The distance beyond which nothing is taken.
    fn limit(&self) -> f64 {
        if self.found.len() < self.count { f64::INFINITY } else { self.found[self.count - 1].0 }
    }

    fn offer(&mut self, candidate: Found) {
        if self.found.len() < self.count || candidate < self.found[self.count - 1] {
            let at = self.found.partition_point(|other| *other < candidate);
            self.found.insert(at, candidate);
            self.found.truncate(self.count);
        }
    }
}

/// Returns the `count` nearest neighbours of every point, nearest first, of equally near ones the lower number first; `None` if
/// the observer cancels.
pub(crate) fn lists(
    points: &MeasuredPoints<'_>,
    count: usize,
    observer: &dyn Observer,
) -> Option<Vec<Vec<Found>>> {
    let n = points.n_points();
    let count = count.min(n - 1);
    if count == 0 {
        return Some(vec![Vec::new(); n]);
    }
    let products = Products::new(points);
    let blocks = parallel::map_until(n.div_ceil(ROWS), observer, |block| {
        let rows = block * ROWS..n.min((block + 1) * ROWS);
        let mut nearest: Vec<Nearest> = rows.clone().map(|_| Nearest::new(count)).collect();
        match &products {
            Some(products) => products.fill(rows, &mut nearest),
            None => fill(points, rows, &mut nearest),
        }
        nearest
    })?;
    Some(blocks.into_iter().flatten().map(|nearest| nearest.found).collect())
}

/// The blocks of at most [`COLUMNS`] points.
fn column_blocks(n_points: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n_points).step_by(COLUMNS).map(move |start| start..n_points.min(start + COLUMNS))
}

/// Offers every point to the lists of `rows`.
fn fill(points: &MeasuredPoints<'_>, rows: Range<usize>, nearest: &mut [Nearest]) {
    for columns in column_blocks(points.n_points()) {
        for (i, list) in rows.clone().zip(&mut *nearest) {
            columns.clone().filter(|&j| j != i).for_each(|j| list.offer((points.distance(i, j), j as u32)));
        }
    }
}

/// What finds squared distances by matrix products, $|x - y|^2 = |x|^2 + |y|^2 - 2 x \cdot y$: fast, but rounded.
///
/// Only points that this rules out for certain are not measured again by the metric itself.
struct Products<'a> {
    points: &'a MeasuredPoints<'a>,
    /// The coordinates less their means, which keeps rounding small.
    centred: Vec<f64>,
    /// The squared length of each centred row.
    squares: Vec<f64>,
    n_dimensions: usize,
    /// No squared distance from point i is wrong by more than this times (its squared length + the greatest).
    rounding: f64,
    greatest: f64,
}

impl<'a> Products<'a> {
    /// Returns the means for metrics that are a function of the squared distance.
    fn new(points: &'a MeasuredPoints<'a>) -> Option<Self> {
        points.squared(0.0)?;
        let n_dimensions = points.points().n_dimensions();
        let mut centred = points.points().as_slice().to_vec();
        let mut means = vec![0.0; n_dimensions];
        for row in centred.chunks_exact(n_dimensions) {
            means.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / points.n_points() as f64);
        }
        for row in centred.chunks_exact_mut(n_dimensions) {
            row.iter_mut().zip(&means).for_each(|(x, mean)| *x -= mean);
        }
        let squares: Vec<f64> =
            centred.chunks_exact(n_dimensions).map(|row| row.iter().map(|x| x * x).sum()).collect();
        let greatest = squares.iter().copied().fold(0.0, f64::max);
        // Sums of n terms round by at most n epsilon of their absolute values; there are four such sums.
        let rounding = 8.0 * (n_dimensions + 8) as f64 * f64::EPSILON;
        Some(Self { points, centred, squares, n_dimensions, rounding, greatest })
    }

    fn rows(&self, range: Range<usize>) -> &[f64] {
        &self.centred[range.start * self.n_dimensions..range.end * self.n_dimensions]
    }

    /// Offers every point that may be near enough to the lists of `rows`.
    fn fill(&self, rows: Range<usize>, nearest: &mut [Nearest]) {
        let mut products = vec![0.0; ROWS * COLUMNS];
        for columns in column_blocks(self.points.n_points()) {
            let products = &mut products[..rows.len() * columns.len()];
            row_products(self.rows(rows.clone()), self.rows(columns.clone()), self.n_dimensions, products);
            let lines = products.chunks_exact(columns.len());
            for ((i, list), line) in rows.clone().zip(&mut *nearest).zip(lines) {
                vectorised(|| self.offer(i, columns.start, line, list));
            }
        }
    }

    /// Offers to the list of point `i` the points from `first` on, of which `products` are the products with `i`.
    #[inline]
    fn offer(&self, i: usize, first: usize, products: &[f64], list: &mut Nearest) {
        const STEP: usize = 16;
        let slack = self.rounding * (self.squares[i] + self.greatest);
        // |y|^2 - 2 x.y must be at most this.
        let bound = |list: &Nearest| {
            self.points.squared(list.limit()).unwrap_or(f64::INFINITY) - self.squares[i] + slack
        };
        let mut most = bound(list);
        let squares = self.squares[first..].chunks(STEP);
        for (step, (products, squares)) in products.chunks(STEP).zip(squares).enumerate() {
            let near = |(product, square): (&f64, &f64)| square - 2.0 * product <= most;
            // All are compared before any is asked for: that is one vector operation.
            if !products.iter().zip(squares).map(near).fold(false, |any, near| any | near) {
                continue;
            }
            for (at, (product, square)) in products.iter().zip(squares).enumerate() {
                let j = first + step * STEP + at;
                if square - 2.0 * product <= most && j != i {
                    list.offer((self.points.distance(i, j), j as u32));
                    most = bound(list);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use rand::RngExt;

    #[test]
    fn blocks_find_what_sorting_all_distances_finds() {
        let metrics = [
            Metric::Euclidean,
            Metric::SquaredEuclidean,
            Metric::Cosine,
            Metric::Correlation,
            Metric::Jaccard,
        ];
        let mut random = crate::run::random::stream(5, 0);
        for case in 0..40 {
            let (metric, n, d) = (metrics[case % 5], 1 + case * 17, 2 + case % 30);
            // A lattice has ties and duplicates; points far from the origin lose digits in products.
            let place = |x: f64| match case % 4 {
                0 => x,
                1 => (2.0 * x).floor() + 1.0,
                2 => 1e9 + x,
                _ => 1e-200 * x,
            };
            let values = (0..n * d).map(|at| place(random.random()) + (at % d) as f64).collect::<Vec<_>>();
            let points = MeasuredPoints::new(Points::new(values, n, d).unwrap(), metric).unwrap();
            let count = case % 23;
            for (i, list) in lists(&points, count, &Silent).unwrap().into_iter().enumerate() {
                let others = (0..n).filter(|&j| j != i);
                let mut all: Vec<Found> = others.map(|j| (points.distance(i, j), j as u32)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.truncate(count);
                assert_eq!(list, all, "{metric:?}, {n} points in {d} dimensions, point {i}");
            }
        }
    }

    #[test]
    fn equal_points_have_the_first_of_all_others_as_neighbours() {
        let points = MeasuredPoints::new(Points::new(vec![0.7; 3000], 150, 20).unwrap(), Metric::Euclidean);
        for (i, list) in lists(&points.unwrap(), 3, &Silent).unwrap().iter().enumerate() {
            let expected: Vec<Found> =
                (0..150).filter(|&j| j != i as u32).take(3).map(|j| (0.0, j)).collect();
            assert_eq!(list, &expected);
        }
    }
}
