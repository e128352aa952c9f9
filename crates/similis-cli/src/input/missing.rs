//! Rows of points with missing values are left out, where that was asked for.

use similis::input::Values;

use crate::io::Table;

/// Returns the table without the rows that have a missing value, and a note of how many these are.
///
/// Rows without names are then named by their numbers, counted from 0, so that the others can still be found.
pub(super) fn without_gaps(table: Table) -> Table {
    let n_columns = table.n_columns;
    let is_whole = |row: &usize| (0..n_columns).all(|column| !table.get(row * n_columns + column).is_nan());
    let kept: Vec<usize> = (0..table.n_rows).filter(is_whole).collect();
    let n_dropped = table.n_rows - kept.len();
    if n_dropped == 0 {
        return table;
    }
    let values: Vec<f64> = kept
        .iter()
        .flat_map(|row| (0..n_columns).map(move |column| row * n_columns + column))
        .map(|at| table.get(at))
        .collect();
    let of_kept =
        |names: Vec<String>| -> Vec<String> { kept.iter().map(|&row| names[row].clone()).collect() };
    let numbers = || kept.iter().map(ToString::to_string).collect();
    let named = if table.ids.is_none() { "; the others are named by their row, counted from 0" } else { "" };
    let mut notes = table.notes;
    notes.push(format!(
        "{n_dropped} of {} rows {} left out, because of missing values{named}",
        table.n_rows,
        if n_dropped == 1 { "is" } else { "are" }
    ));
    Table {
        names: table.names,
        ids: Some(table.ids.map_or_else(numbers, of_kept)),
        labels: table.labels.map(of_kept),
        weights: table.weights.map(|weights| kept.iter().map(|&row| weights[row]).collect()),
        notes,
        ..Table::new(Values::from(values), kept.len(), n_columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_a_gap_are_left_out_and_the_others_keep_their_names() {
        let values = vec![1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0];
        let table = Table::new(Values::from(values), 3, 2);
        let kept = without_gaps(table.clone());
        assert_eq!(kept.ids.unwrap(), ["0", "2"]);
        assert!(kept.notes[0].starts_with("1 of 3 rows is left out"), "{:?}", kept.notes);
        assert_eq!(kept.values.into_f64(), [1.0, 2.0, 5.0, 6.0]);
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let named = without_gaps(Table { ids: Some(names.clone()), labels: Some(names), ..table });
        assert_eq!(
            (named.ids.unwrap(), named.labels.unwrap()),
            (vec!["a".into(), "c".into()], vec!["a".into(), "c".into()])
        );
    }
}
