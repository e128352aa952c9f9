//! Columns brought to one unit.

use similis::input::Values;

use crate::io::Table;

/// How a column was shifted and scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standard {
    /// The greatest absolute entry, so that no square overflows; 1 where all are 0.
    pub unit: f64,
    /// The mean, in that unit.
    pub mean: f64,
    /// The standard deviation, in that unit; 0 for a constant column, which tells nothing apart.
    pub deviation: f64,
}

impl Standard {
    /// Returns how a column is brought to mean 0 and standard deviation 1.
    pub(super) fn new(entries: impl Iterator<Item = f64> + Clone) -> Self {
        let greatest = entries.clone().fold(0.0, |most: f64, value| most.max(value.abs()));
        let unit = if greatest > 0.0 { greatest } else { 1.0 };
        let n = entries.clone().count() as f64;
        let mean = entries.clone().map(|value| value / unit).sum::<f64>() / n;
        let variance = entries.map(|value| (value / unit - mean).powi(2)).sum::<f64>() / n;
        let deviation = variance.sqrt();
        Self { unit, mean, deviation: if deviation > f64::EPSILON { deviation } else { 0.0 } }
    }

    /// Returns an entry of the column, or a new one, shifted and scaled; 0 in a constant column.
    pub fn of(self, value: f64) -> f64 {
        if self.deviation > 0.0 { (value / self.unit - self.mean) / self.deviation } else { 0.0 }
    }

    /// Returns the entry that was shifted and scaled to `value`; the mean of a constant column.
    pub fn back(self, value: f64) -> f64 {
        self.unit * (self.mean + self.deviation * value)
    }
}

/// Shifts and scales every column to mean 0 and standard deviation 1; a constant column becomes 0.
///
/// Returns how; what people should know is added to the table's notes.
pub(super) fn columns(table: &mut Table) -> Vec<Standard> {
    let n_columns = table.n_columns;
    let mut values = std::mem::replace(&mut table.values, Values::from(Vec::<f64>::new())).into_f64();
    let standard = |column: usize| Standard::new(values.iter().skip(column).step_by(n_columns).copied());
    let standards: Vec<Standard> = (0..n_columns).map(standard).collect();
    values
        .iter_mut()
        .zip(standards.iter().cycle())
        .for_each(|(value, standard)| *value = standard.of(*value));
    table.values = Values::from(values);
    let constant = (1..=n_columns).filter(|&column| standards[column - 1].deviation == 0.0);
    let constant: Vec<String> = constant.map(|column| column.to_string()).collect();
    if !constant.is_empty() {
        let listed = constant.join(", ");
        table.notes.push(format!("constant columns have no effect: {listed} of those clustered on"));
    }
    standards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_mean_0_and_deviation_1_by_hand() {
        // Column 1: mean 2, deviation 1; column 2 is constant; column 3 is the first in another unit.
        let mut table = Table::new(Values::from(vec![1.0, 5.0, 1e300, 3.0, 5.0, 3e300]), 2, 3);
        let standards = columns(&mut table);
        assert_eq!(table.notes.len(), 1);
        assert!(table.notes[0].contains("2 of those"), "{:?}", table.notes);
        let expected = [-1.0, 0.0, -1.0, 1.0, 0.0, 1.0];
        let found = table.values.into_f64();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        // A new entry in the middle; the constant column has nothing to say.
        assert_eq!(standards[1].of(7.0), 0.0);
        assert!((standards[0].of(2.5) - 0.5).abs() < 1e-12);
    }
}
