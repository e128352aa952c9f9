//! Metrics, and points measured by one.

pub(crate) mod sparse;

use crate::error::{Error, InputError};
use crate::input::points::Points;
use crate::settings::Named;

/// How the distance between two rows of coordinates is measured.
///
/// The formulas are those SciPy users know; where a metric is undefined (an angle with a zero vector) the construction
/// of [`MeasuredPoints`] says so instead of answering NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Metric {
    /// $\sqrt{\sum_k (x_k - y_k)^2}$, the paper's $|x_i - x_j|_2$ (section 3.2).
    #[default]
    Euclidean,
    /// $\sum_k (x_k - y_k)^2$.
    SquaredEuclidean,
    /// $\sum_k |x_k - y_k|$.
    Manhattan,
    /// $\max_k |x_k - y_k|$.
    Chebyshev,
    /// $(\sum_k |x_k - y_k|^p)^{1/p}$.
    Minkowski {
        /// The exponent $p \ge 1$.
        p: f64,
    },
    /// One minus the cosine of the angle between the rows.
    Cosine,
    /// One minus the correlation of the rows.
    Correlation,
    /// The fraction of coordinates that differ.
    Hamming,
    /// Of the coordinates where either row is not zero, the fraction that differ (0 where both rows are zero).
    Jaccard,
    /// The angle between two places on a globe; columns are latitude and longitude in radians.
    Haversine,
}

impl Named for Metric {
    const SETTING: &'static str = "metric";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("euclidean", Self::Euclidean),
        ("squared_euclidean", Self::SquaredEuclidean),
        ("manhattan", Self::Manhattan),
        ("chebyshev", Self::Chebyshev),
        ("minkowski", Self::Minkowski { p: 3.0 }),
        ("cosine", Self::Cosine),
        ("correlation", Self::Correlation),
        ("hamming", Self::Hamming),
        ("jaccard", Self::Jaccard),
        ("haversine", Self::Haversine),
    ];
}

impl Metric {
    /// Whether no two points are farther apart than a way over a third.
    pub(crate) fn obeys_the_triangle_inequality(self) -> bool {
        !matches!(self, Self::SquaredEuclidean | Self::Cosine | Self::Correlation)
    }

    /// The distance between two rows that [`MeasuredPoints::new`] has prepared.
    fn between(self, a: &[f64], b: &[f64]) -> f64 {
        let differences = || a.iter().zip(b).map(|(x, y)| (x - y).abs());
        match self {
            Self::Euclidean => squared(a, b).sqrt(),
            Self::SquaredEuclidean => squared(a, b),
            Self::Manhattan => differences().sum(),
            Self::Chebyshev => differences().fold(0.0, f64::max),
            Self::Minkowski { p } => minkowski(differences().fold(0.0, f64::max), differences(), p),
            // Rows are unit vectors: |u - v|^2 / 2 = 1 - u.v, exact for equal rows and accurate for near ones.
            Self::Cosine | Self::Correlation => 0.5 * squared(a, b),
            Self::Hamming => a.iter().zip(b).filter(|(x, y)| x != y).count() as f64 / a.len() as f64,
            Self::Jaccard => jaccard(a, b),
            Self::Haversine => haversine(a, b),
        }
    }
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// As [`squared`] of several rows, side by side: a sum alone waits for each of its terms.
fn squared_of_each<const N: usize>(a: &[f64], rows: [&[f64]; N]) -> [f64; N] {
    let rows = rows.map(|row| &row[..a.len()]);
    let mut sums = [0.0; N];
    for (k, x) in a.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(rows) {
            let difference = x - row[k];
            *sum += difference * difference;
        }
    }
    sums
}

/// Dividing by the greatest difference keeps large exponents from overflowing.
fn minkowski(greatest: f64, differences: impl Iterator<Item = f64>, p: f64) -> f64 {
    if greatest == 0.0 {
        return 0.0;
    }
    greatest * differences.map(|difference| (difference / greatest).powf(p)).sum::<f64>().powf(1.0 / p)
}

fn jaccard(a: &[f64], b: &[f64]) -> f64 {
    let (mut either, mut differ) = (0usize, 0usize);
    for (x, y) in a.iter().zip(b) {
        if *x != 0.0 || *y != 0.0 {
            either += 1;
            differ += usize::from(x != y);
        }
    }
    if either == 0 { 0.0 } else { differ as f64 / either as f64 }
}

fn haversine(a: &[f64], b: &[f64]) -> f64 {
    let half_sine = |x: f64, y: f64| (0.5 * (x - y).abs()).sin().powi(2);
    let chord = half_sine(a[0], b[0]) + a[0].cos() * b[0].cos() * half_sine(a[1], b[1]);
    2.0 * chord.clamp(0.0, 1.0).sqrt().asin()
}

/// Points with the metric that measures them; pairs are computed when asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoints<'a> {
    points: Points<'a>,
    metric: Metric,
    /// What a computed distance is multiplied by: 1, or the power of two that extreme coordinates were divided by.
    unit: f64,
}

impl<'a> MeasuredPoints<'a> {
    /// Returns the points made ready for `metric`: unit rows for angles, rescaled where squares would overflow.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], and
    /// [`Error::Input`] if a distance could be infinite.
    pub fn new(points: Points<'a>, metric: Metric) -> Result<Self, Error> {
        match metric {
            Metric::Minkowski { p } if !(p.is_finite() && p >= 1.0) => {
                Err(Error::Input(InputError::Minkowski { given: p }))
            }
            Metric::Cosine | Metric::Correlation => {
                Ok(Self { points: directions(&points, metric)?, metric, unit: 1.0 })
            }
            Metric::Haversine => {
                check_globe(&points)?;
                Ok(Self { points, metric, unit: 1.0 })
            }
            Metric::Hamming | Metric::Jaccard => Ok(Self { points, metric, unit: 1.0 }),
            _ => rescaled(points, metric),
        }
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The points, as prepared for the metric.
    pub fn points(&self) -> &Points<'a> {
        &self.points
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.points.n_points()
    }

    /// The sum of the squared differences of the prepared coordinates at a distance, up to rounding, where the metric is a
    /// function of that sum.
    pub(crate) fn squared(&self, distance: f64) -> Option<f64> {
        let prepared = distance / self.unit;
        match self.metric {
            Metric::Euclidean => Some(prepared * prepared),
            Metric::SquaredEuclidean => Some(prepared),
            Metric::Cosine | Metric::Correlation => Some(2.0 * prepared),
            _ => None,
        }
    }

    /// Calls `visit(j, distance)` for each of `others`, the same bits as [`MeasuredPoints::distance`] but faster.
    pub(crate) fn for_each_of(
        &self,
        i: usize,
        others: impl Iterator<Item = usize>,
        mut visit: impl FnMut(usize, f64),
    ) {
        let row = self.points.row(i);
        match (self.metric, row) {
            (Metric::Euclidean, &[x, y]) => {
                let values = self.points.as_slice();
                others.for_each(|j| {
                    let (a, b) = (x - values[2 * j], y - values[2 * j + 1]);
                    visit(j, self.unit * (a * a + b * b).sqrt());
                });
            }
            _ if self.squared(0.0).is_some() => {
                let (mut eight, mut n) = ([0; 8], 0);
                others.for_each(|j| {
                    eight[n] = j;
                    n += 1;
                    if n == eight.len() {
                        let sums = squared_of_each(row, eight.map(|j| self.points.row(j)));
                        eight.iter().zip(self.of_sums(sums)).for_each(|(&j, distance)| visit(j, distance));
                        n = 0;
                    }
                });
                eight[..n].iter().for_each(|&j| visit(j, self.distance(i, j)));
            }
            _ => others.for_each(|j| visit(j, self.distance(i, j))),
        }
    }

    /// The distances whose sums over the coordinates are given: of squares, of absolute differences, or the greatest.
    #[inline(always)]
    pub(crate) fn of_sums<const N: usize>(&self, mut sums: [f64; N]) -> [f64; N] {
        let factor = match self.metric {
            Metric::Cosine | Metric::Correlation => 0.5,
            _ => 1.0,
        };
        for sum in &mut sums {
            let distance = if self.metric == Metric::Euclidean { sum.sqrt() } else { *sum };
            *sum = self.unit * (factor * distance);
        }
        sums
    }

    /// What extreme coordinates were divided by, as a factor of distances: 1, or a power of two.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Returns points that were prepared before: what [`MeasuredPoints::points`] and [`MeasuredPoints::unit`] gave.
    pub(crate) fn of_prepared(points: Points<'a>, metric: Metric, unit: f64) -> Result<Self, Error> {
        match metric {
            Metric::Minkowski { p } if !(p.is_finite() && p >= 1.0) => {
                return Err(Error::Input(InputError::Minkowski { given: p }));
            }
            Metric::Haversine => check_globe(&points)?,
            _ => {}
        }
        Ok(Self { points, metric, unit })
    }

    /// The same points, owned.
    pub(crate) fn to_owned(&self) -> MeasuredPoints<'static> {
        MeasuredPoints { points: self.points.map_rows(|_| {}), metric: self.metric, unit: self.unit }
    }

    /// Some of the points, in the order given.
    pub(crate) fn some(&self, chosen: &[usize]) -> Result<MeasuredPoints<'static>, Error> {
        let rows: Vec<f64> = chosen.iter().flat_map(|&i| self.points.row(i)).copied().collect();
        let points = Points::new(rows, chosen.len(), self.points.n_dimensions())?;
        Ok(MeasuredPoints { points, metric: self.metric, unit: self.unit })
    }

    /// Returns other points made ready as these were, so that [`MeasuredPoints::distance_to`] measures them.
    pub(crate) fn prepare(&self, others: &Points<'_>) -> Result<Points<'static>, Error> {
        match self.metric {
            Metric::Cosine | Metric::Correlation => directions(others, self.metric),
            Metric::Haversine => check_globe(others).map(|()| others.map_rows(|_| {})),
            _ => {
                let squared = self.metric == Metric::SquaredEuclidean;
                let divisor = if squared { self.unit.sqrt() } else { self.unit };
                Ok(others.map_rows(|row| row.iter_mut().for_each(|x| *x /= divisor)))
            }
        }
    }

    /// The distance from a prepared row of coordinates to point `j`; where it overflows, the greatest number there is.
    pub(crate) fn distance_to(&self, row: &[f64], j: usize) -> f64 {
        let distance = self.unit * self.metric.between(row, self.points.row(j));
        if distance.is_finite() { distance } else { f64::MAX }
    }

    /// The distance between points `i` and `j`: the same bits for (j, i), and 0 for (i, i).
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.unit * self.metric.between(self.points.row(i), self.points.row(j))
    }
}

/// Rows divided by their lengths, after subtraction of their means for the correlation.
fn directions(points: &Points<'_>, metric: Metric) -> Result<Points<'static>, Error> {
    let centred = metric == Metric::Correlation;
    let unit = points.map_rows(|row| {
        let scale = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if scale > 0.0 {
            row.iter_mut().for_each(|x| *x /= scale);
        }
        if centred {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            row.iter_mut().for_each(|x| *x -= mean);
        }
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        // A centred constant row keeps rounding errors of its mean: that is no direction.
        let none = if centred { 4.0 * f64::EPSILON * row.len() as f64 } else { 0.0 };
        let divisor = if length > none { length } else { f64::INFINITY };
        row.iter_mut().for_each(|x| *x /= divisor);
    });
    let state = if centred { "equal" } else { "zero" };
    match (0..unit.n_points()).find(|&i| unit.row(i).iter().all(|&x| x == 0.0)) {
        Some(row) => Err(Error::Input(InputError::Direction { row, metric: metric.name(), state })),
        None => Ok(unit),
    }
}

fn check_globe(points: &Points<'_>) -> Result<(), Error> {
    if points.n_dimensions() != 2 {
        return Err(Error::Input(InputError::HaversineColumns { given: points.n_dimensions() }));
    }
    let pole = std::f64::consts::FRAC_PI_2 * (1.0 + f64::EPSILON);
    match (0..points.n_points()).find(|&i| points.row(i)[0].abs() > pole) {
        Some(row) => Err(Error::Input(InputError::Latitude { row, given: points.row(row)[0] })),
        None => Ok(()),
    }
}

/// The power of two that coordinates are divided by where the greatest is so large or small that squares would leave the range
/// of `f64`.
fn power_of_two(greatest: f64) -> Option<f64> {
    let extreme = greatest > 0.0 && !(1e-100..=1e100).contains(&greatest);
    extreme.then(|| 2f64.powi(greatest.max(f64::MIN_POSITIVE).log2().floor() as i32))
}

/// Divides by a power of two, which costs no digits, where squares of the coordinates would leave the range of `f64`.
fn rescaled(points: Points<'_>, metric: Metric) -> Result<MeasuredPoints<'_>, Error> {
    let greatest = points.as_slice().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let found = power_of_two(greatest);
    let scale = found.unwrap_or(1.0);
    let measured = if found.is_some() {
        // Two steps: the reciprocal of the smallest scales is not a finite number.
        let points = points.map_rows(|row| row.iter_mut().for_each(|x| *x /= scale));
        let unit = if metric == Metric::SquaredEuclidean { scale * scale } else { scale };
        MeasuredPoints { points, metric, unit }
    } else {
        MeasuredPoints { points, metric, unit: 1.0 }
    };
    if measured.widest().is_finite() {
        Ok(measured)
    } else {
        Err(Error::Input(InputError::Overflow { divisor: scale }))
    }
}

impl MeasuredPoints<'_> {
    /// The length of the diagonal of the points' box: no distance of the coordinate metrics is greater.
    fn widest(&self) -> f64 {
        let mut low = self.points.row(0).to_vec();
        let mut high = low.clone();
        for i in 1..self.n_points() {
            for (k, &x) in self.points.row(i).iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        self.unit * self.metric.between(&low, &high)
    }
}

#[cfg(test)]
mod tests;
