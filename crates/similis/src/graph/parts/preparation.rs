//! How rows are prepared for their metric, part by part, as all rows together would be.

use crate::error::{Error, InputError};
use crate::graph::parts::cell::serves;
use crate::input::metric::{MeasuredPoints, Metric};
use crate::input::points::Points;
use crate::settings::Named;

/// How rows are prepared: unit rows for angles, rescaled where squares would overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    metric: Metric,
    unit: f64,
}

impl Preparation {
    /// Returns how rows in a box are prepared.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a metric that boxes are of no use for, or if a distance could be infinite.
    pub fn new(metric: Metric, low: &[f64], high: &[f64]) -> Result<Self, Error> {
        if !serves(metric) {
            return Err(Error::Input(InputError::NoParts { metric: metric.name() }));
        }
        let unit = match metric {
            Metric::Cosine | Metric::Correlation | Metric::Haversine => 1.0,
            _ => MeasuredPoints::new(Points::new([low, high].concat(), 2, low.len())?, metric)?.unit(),
        };
        Ok(Self { metric, unit })
    }

    /// Returns some of the rows, prepared.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where the metric is not defined for a row.
    pub fn rows(&self, rows: &Points<'_>) -> Result<MeasuredPoints<'static>, Error> {
        // Only metric and unit of the points that are asked matter.
        let origin = Points::new(vec![0.0; rows.n_dimensions()], 1, rows.n_dimensions())?;
        let like = MeasuredPoints::of_prepared(origin, self.metric, self.unit)?;
        self.prepared(like.prepare(rows)?)
    }

    /// Returns rows that were prepared before.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for places that are none on a globe.
    pub fn prepared(&self, rows: Points<'static>) -> Result<MeasuredPoints<'static>, Error> {
        MeasuredPoints::of_prepared(rows, self.metric, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::canonical::curve::corners;

    #[test]
    fn parts_are_prepared_as_all_rows_together() {
        let rows = [3.0, 4.0, -1.0, 0.5, 2.0, 2.0, 0.1, -0.7];
        for unit in [1.0, 1e-150, 1e150] {
            let scaled: Vec<f64> = rows.iter().map(|x| x * unit).collect();
            for metric in [Metric::Euclidean, Metric::SquaredEuclidean, Metric::Manhattan, Metric::Cosine] {
                let all = MeasuredPoints::new(Points::new(scaled.clone(), 4, 2).unwrap(), metric);
                let (low, high) = corners(&scaled, 2);
                let Ok(all) = all else {
                    assert!(Preparation::new(metric, &low, &high).is_err());
                    continue;
                };
                let preparation = Preparation::new(metric, &low, &high).unwrap();
                for part in [0..4, 4..8] {
                    let some = Points::new(scaled[part.clone()].to_vec(), 2, 2).unwrap();
                    let found = preparation.rows(&some).unwrap();
                    assert_eq!(found.points().as_slice(), &all.points().as_slice()[part]);
                    assert_eq!(found.unit(), all.unit());
                }
            }
        }
        let wide = [0.0; 16];
        assert!(Preparation::new(Metric::Euclidean, &wide, &wide).is_ok());
        assert!(Preparation::new(Metric::Hamming, &wide, &wide).is_err());
    }
}
