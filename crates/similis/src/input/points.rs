//! Points with coordinates.

use crate::error::InputError;
use std::borrow::Cow;

use crate::error::Error;

/// Points as rows of coordinates, owned or borrowed; every coordinate is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Points<'a> {
    values: Cow<'a, [f64]>,
    n_rows: usize,
    n_dimensions: usize,
}

impl<'a> Points<'a> {
    /// Returns the points whose coordinates stand in `values` row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or
    /// [`Error::Input`] at the first coordinate that is not finite.
    pub fn new(
        values: impl Into<Cow<'a, [f64]>>,
        n_points: usize,
        n_dimensions: usize,
    ) -> Result<Self, Error> {
        let values = values.into();
        check_n_points(n_points)?;
        if n_dimensions == 0 {
            return Err(Error::Input(InputError::NoDimensions { n_points }));
        }
        if n_points.checked_mul(n_dimensions) != Some(values.len()) {
            return Err(Error::Input(InputError::Length {
                n_rows: n_points,
                n_columns: n_dimensions,
                given: values.len(),
            }));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let (row, column) = (at / n_dimensions, at % n_dimensions);
            return Err(Error::Input(InputError::Coordinate { row, column, given: values[at] }));
        }
        Ok(Self { values, n_rows: n_points, n_dimensions })
    }

    /// Returns points whose coordinates are in single precision; they are converted.
    ///
    /// ```
    /// use similis::Points;
    /// assert_eq!(Points::from_f32(&[0.5, 1.0, 2.0], 3, 1)?.as_slice(), [0.5, 1.0, 2.0]);
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Points::new`].
    pub fn from_f32(values: &[f32], n_points: usize, n_dimensions: usize) -> Result<Points<'static>, Error> {
        let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        Points::new(values, n_points, n_dimensions)
    }

    /// Number of points (N).
    pub fn n_points(&self) -> usize {
        self.n_rows
    }

    /// Number of coordinates of each point.
    pub fn n_dimensions(&self) -> usize {
        self.n_dimensions
    }

    /// The coordinates of point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_dimensions..(i + 1) * self.n_dimensions]
    }

    /// The coordinates of all points, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// Returns points whose rows `change` has changed; the shape stays.
    pub(crate) fn map_rows(&self, change: impl Fn(&mut [f64])) -> Points<'static> {
        let mut values = self.values.to_vec();
        values.chunks_mut(self.n_dimensions).for_each(change);
        Points { values: values.into(), n_rows: self.n_rows, n_dimensions: self.n_dimensions }
    }
}

/// Returns an error unless `n_points` can be numbered.
pub(crate) fn check_n_points(n_points: usize) -> Result<(), Error> {
    match n_points {
        0 => Err(Error::Input(InputError::NoPoints)),
        n if n > u32::MAX as usize => Err(Error::Input(InputError::TooManyPoints { given: n })),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_construction_error_names_what_was_given() {
        assert_eq!(Points::new(vec![], 0, 2), Err(Error::Input(InputError::NoPoints)));
        assert_eq!(Points::new(vec![], 3, 0), Err(Error::Input(InputError::NoDimensions { n_points: 3 })));
        let length = Error::Input(InputError::Length { n_rows: 2, n_columns: 2, given: 3 });
        assert_eq!(Points::new(vec![1.0; 3], 2, 2), Err(length));
        let overflow = Error::Input(InputError::Length { n_rows: 1 << 31, n_columns: usize::MAX, given: 3 });
        assert_eq!(Points::new(vec![1.0; 3], 1 << 31, usize::MAX), Err(overflow));
        let too_many = Error::Input(InputError::TooManyPoints { given: usize::MAX });
        assert_eq!(Points::new(vec![1.0; 3], usize::MAX, 1), Err(too_many));
        let infinite = Error::Input(InputError::Coordinate { row: 1, column: 0, given: f64::INFINITY });
        assert_eq!(Points::new(vec![1.0, 2.0, f64::INFINITY, 0.0], 2, 2), Err(infinite));
        assert!(matches!(
            Points::new(vec![1.0, f64::NAN], 1, 2),
            Err(Error::Input(InputError::Coordinate { row: 0, column: 1, given })) if given.is_nan()
        ));
    }

    #[test]
    fn points_can_be_borrowed_and_read_by_row() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let points = Points::new(&values[..], 3, 2).unwrap();
        assert_eq!(points.row(1), [3.0, 4.0]);
    }
}
