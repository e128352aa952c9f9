//! What the columns of points are called, and which look like a mistake to cluster on.

use similis::Metric;

use super::standardise::Standard;
use crate::error::Excerpt;
use crate::io::Table;

/// Rows from which on a column that counts them is told: fewer may count by chance. Not tuned.
const LEAST_COUNTED: usize = 10;

/// How many times the smallest spread of a column the greatest may be before `--standardise` is named. Not tuned.
const MOST_UNEQUAL: f64 = 100.0;

/// Returns notes on columns that count the rows, and on columns beside which others hardly matter.
pub(super) fn notes(table: &Table, metric: Metric, standardised: bool) -> Vec<String> {
    if table.n_columns < 2 || table.n_rows < LEAST_COUNTED {
        return Vec::new();
    }
    let counting: Vec<usize> = (0..table.n_columns).filter(|&column| counts_rows(table, column)).collect();
    let mut notes: Vec<String> = counting
        .iter()
        .map(|&column| {
            let (words, flag) = (named(table, column), flag(table, column));
            format!("column {words} counts the rows, and is clustered on; if it only names them, give --id-column {flag}")
        })
        .collect();
    // These metrics do not add up the columns.
    let alone = matches!(metric, Metric::Hamming | Metric::Jaccard | Metric::Haversine);
    if !standardised && !alone {
        notes.extend(unequal(table, &counting));
    }
    notes
}

/// A note on the columns with the greatest and the smallest spread, if they are of very different size.
fn unequal(table: &Table, left_out: &[usize]) -> Option<String> {
    let spread = |column: usize| {
        let entries = (0..table.n_rows).map(move |row| table.get(row * table.n_columns + column));
        let standard = Standard::new(entries);
        (column, standard.unit * standard.deviation)
    };
    let spreads: Vec<(usize, f64)> = (0..table.n_columns)
        .filter(|column| !left_out.contains(column))
        .map(spread)
        .filter(|&(_, spread)| spread > 0.0)
        .collect();
    let greatest = spreads.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let smallest = spreads.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let ratio = greatest.1 / smallest.1;
    (ratio > MOST_UNEQUAL).then(|| {
        format!(
            "column {} varies {} times as much as column {}, which hardly counts beside it; to give all columns the same weight, add \
             --standardise",
            named(table, greatest.0),
            if ratio < 1e6 { format!("{ratio:.0}") } else { format!("{ratio:.0e}") },
            named(table, smallest.0)
        )
    })
}

/// Whether a column goes up by 1 from row to row, from any whole number.
fn counts_rows(table: &Table, column: usize) -> bool {
    let at = |row: usize| table.get(row * table.n_columns + column);
    let first = at(0);
    first.fract() == 0.0 && (1..table.n_rows).all(|row| at(row) == first + row as f64)
}

/// A column by its name, or its number counted from 1, as messages show it.
fn named(table: &Table, column: usize) -> String {
    let name = table.names.as_ref().map(|names| &names[column]).filter(|name| !name.is_empty());
    name.map_or_else(|| (column + 1).to_string(), |name| Excerpt::new(name.as_bytes()).to_string())
}

/// A column as a flag takes it.
fn flag(table: &Table, column: usize) -> String {
    let plain =
        |name: &&String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let name = table.names.as_ref().map(|names| &names[column]).filter(plain);
    name.map_or_else(|| named(table, column), Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use similis::input::Values;

    /// A column that counts, one of spread about 1, one 500 times as much.
    fn table() -> Table {
        let row = |i: usize| [i as f64 + 1.0, (i % 3) as f64, 500.0 * ((i * 7) % 4) as f64];
        let names = Some(["id", "age", "my income"].map(String::from).to_vec());
        Table { names, ..Table::new(Values::from((0..12).flat_map(row).collect::<Vec<_>>()), 12, 3) }
    }

    #[test]
    fn a_column_that_counts_and_one_that_outweighs_the_others_are_told() {
        let said = notes(&table(), Metric::Euclidean, false);
        assert!(
            said[0].contains("\"id\" counts the rows") && said[0].ends_with("--id-column id"),
            "{said:?}"
        );
        assert!(said[1].starts_with("column \"my income\" varies"), "{said:?}");
        assert!(said[1].contains("column \"age\"") && said[1].ends_with("--standardise"), "{said:?}");
        assert_eq!(notes(&table(), Metric::Euclidean, true).len(), 1);
        assert_eq!(notes(&table(), Metric::Hamming, false).len(), 1);
        let unnamed = Table { names: None, ..table() };
        assert!(notes(&unnamed, Metric::Euclidean, false)[0].starts_with("column 1 counts"));
    }

    #[test]
    fn columns_of_like_spread_that_count_nothing_need_no_note() {
        let row = |i: usize| [(i % 5) as f64, 50.0 * (i % 3) as f64];
        let table = Table::new(Values::from((0..12).flat_map(row).collect::<Vec<_>>()), 12, 2);
        assert_eq!(notes(&table, Metric::Euclidean, false), Vec::<String>::new());
    }
}
