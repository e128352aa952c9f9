//! A table of numbers, with the names of its rows and columns.

use std::collections::BTreeMap;
use std::path::Path;

use similis::input::Values;

use super::choice::{Choice, Columns, Role, Roles};
use crate::error::Error;

/// A table of numbers; none is infinite, and NaN stands for a missing one where that was allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The numbers, row after row: `f32` only from a `float32` array.
    pub values: Values<'static>,
    /// How many rows there are, at least 1.
    pub n_rows: usize,
    /// How many columns of numbers there are, at least 1.
    pub n_columns: usize,
    /// 1 for a one-dimensional array, which is kept as one column and may be condensed distances; otherwise 2.
    pub n_dimensions: usize,
    /// The names of the columns of numbers, where the file has a header.
    pub names: Option<Vec<String>>,
    /// The name of each row, where the file has them.
    pub ids: Option<Vec<String>>,
    /// The known class of each row, where a column of them was named; empty where it is not known.
    pub labels: Option<Vec<String>>,
    /// The columns that hold text, by their place among the columns of numbers, where that was allowed: `None` where a field is
    /// missing.
    pub texts: BTreeMap<usize, Vec<Option<String>>>,
    /// The weight of each row, where a column of them was named.
    pub weights: Option<Vec<f64>>,
    /// Whether the form of the file leaves no doubt that this is a matrix of pairs: a triangle, or names on both sides.
    pub is_matrix: bool,
    /// What was taken for granted, for people.
    pub notes: Vec<String>,
}

impl Table {
    /// Returns a table of numbers alone.
    pub fn new(values: Values<'static>, n_rows: usize, n_columns: usize) -> Self {
        Self {
            values,
            n_rows,
            n_columns,
            n_dimensions: 2,
            names: None,
            ids: None,
            labels: None,
            texts: BTreeMap::new(),
            weights: None,
            is_matrix: false,
            notes: Vec::new(),
        }
    }

    /// Returns the columns that were chosen, of a table of numbers alone.
    ///
    /// # Errors
    ///
    /// Those of [`Choice::resolve`].
    pub(super) fn chosen(self, path: &Path, choice: &Choice) -> Result<Self, Error> {
        if choice.is_open() {
            return Ok(self);
        }
        let columns = Columns { path, names: self.names.as_deref(), n: self.n_columns };
        let roles = choice.resolve(&columns)?;
        let text = |role: Role| {
            let at = roles.of.iter().position(|other| *other == role)?;
            Some((0..self.n_rows).map(|row| self.text(row, at)).collect())
        };
        let (ids, labels) = (text(Role::Id), text(Role::Label));
        let names = self.names.as_deref().map(|names| roles.value_names(names));
        let values = match self.values {
            Values::F32(values) => Values::from(kept(&values, &roles)),
            Values::F64(values) => Values::from(kept(&values, &roles)),
        };
        Ok(Self { values, n_columns: roles.n_values, names, ids, labels, ..self })
    }

    /// Returns the table with its last column as the weights of the rows.
    pub(crate) fn with_weights(mut self) -> Self {
        let n = self.n_columns - 1;
        let weights = (0..self.n_rows).map(|row| self.get(row * (n + 1) + n)).collect();
        let values: Vec<f64> = (0..self.n_rows * n).map(|at| self.get(at / n * (n + 1) + at % n)).collect();
        self.names.iter_mut().for_each(|names| names.truncate(n));
        Self { values: values.into(), n_columns: n, weights: Some(weights), ..self }
    }

    /// Whether the table is square and equal to its mirror image, as a matrix of pairs is, up to rounding.
    pub(crate) fn is_symmetric(&self) -> bool {
        let n = self.n_rows;
        let at = |i: usize, j: usize| self.get(i * n + j);
        let greatest = (0..self.values.len()).map(|k| self.get(k).abs()).fold(0.0, f64::max);
        let same = |x: f64, y: f64| (x - y).abs() <= 1e-6 * greatest || (x.is_nan() && y.is_nan());
        n == self.n_columns && (0..n).all(|i| (0..i).all(|j| same(at(i, j), at(j, i))))
    }

    /// A number by its place, row after row.
    pub(crate) fn get(&self, at: usize) -> f64 {
        match &self.values {
            Values::F32(values) => f64::from(values[at]),
            Values::F64(values) => values[at],
        }
    }

    /// An entry as text: empty where it is missing.
    fn text(&self, row: usize, column: usize) -> String {
        let value = self.get(row * self.n_columns + column);
        if value.is_nan() { String::new() } else { value.to_string() }
    }
}

/// The columns of numbers of each row, in the order that was asked for.
fn kept<T: Copy + Default>(values: &[T], roles: &Roles) -> Vec<T> {
    let n_rows = values.len() / roles.of.len();
    let mut chosen = vec![T::default(); n_rows * roles.n_values];
    for (row, out) in values.chunks(roles.of.len()).zip(chosen.chunks_mut(roles.n_values)) {
        for (value, role) in row.iter().zip(&roles.of) {
            if let Role::Value(place) = role {
                out[*place] = *value;
            }
        }
    }
    chosen
}
