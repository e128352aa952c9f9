//! Columns brought to one unit.

use similis::dissimilarity::Values;

use crate::io::Table;

/// Shifts and scales every column to mean 0 and standard deviation 1; a constant column becomes 0.
///
/// Returns what people should know.
pub(super) fn columns(table: &mut Table) -> Vec<String> {
    let n_columns = table.n_columns;
    let mut values = std::mem::replace(&mut table.values, Values::from(Vec::<f64>::new())).into_f64();
    let mut constant = Vec::new();
    for column in 0..n_columns {
        if !column_of(&mut values, column, n_columns) {
            constant.push((column + 1).to_string());
        }
    }
    table.values = Values::from(values);
    if constant.is_empty() {
        return Vec::new();
    }
    vec![format!("constant columns tell nothing apart: {} of those clustered on", constant.join(", "))]
}

/// Standardises one column; false if it is constant.
fn column_of(values: &mut [f64], column: usize, n_columns: usize) -> bool {
    let entries = || values[column..].iter().step_by(n_columns);
    let greatest = entries().fold(0.0, |most: f64, value| most.max(value.abs()));
    // In units of the greatest entry, so that no square overflows.
    let unit = if greatest > 0.0 { greatest } else { 1.0 };
    let n = entries().count() as f64;
    let mean = entries().map(|value| value / unit).sum::<f64>() / n;
    let variance = entries().map(|value| (value / unit - mean).powi(2)).sum::<f64>() / n;
    let deviation = variance.sqrt();
    let varies = deviation > f64::EPSILON;
    for value in values[column..].iter_mut().step_by(n_columns) {
        *value = if varies { (*value / unit - mean) / deviation } else { 0.0 };
    }
    varies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_mean_0_and_deviation_1_by_hand() {
        // Column 1: mean 2, deviation 1; column 2 is constant; column 3 is the first in another unit.
        let mut table = Table::new(Values::from(vec![1.0, 5.0, 1e300, 3.0, 5.0, 3e300]), 2, 3);
        let notes = columns(&mut table);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("2 of those"), "{notes:?}");
        let expected = [-1.0, 0.0, -1.0, 1.0, 0.0, 1.0];
        let found = table.values.into_f64();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }
}
