//! What the columns of points are called, and which look like a mistake to cluster on.

use similis::Metric;

use super::standardise::Standard;
use crate::error::Excerpt;
use crate::io::Table;

/// Rows from which on a column that counts them is told: fewer may count by chance. Not tuned.
const LEAST_COUNTED: usize = 10;

/// How many times the smallest spread of a column the greatest may be before `--standardise` is named. Not tuned.
const MOST_UNEQUAL: f64 = 100.0;

/// Rows and columns of numbers.
pub struct Grid<'a> {
    /// How many rows there are.
    pub n_rows: usize,
    /// How many columns.
    pub n_columns: usize,
    /// The number in a row and a column.
    pub get: &'a dyn Fn(usize, usize) -> f64,
}

impl std::fmt::Debug for Grid<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Grid({} x {})", self.n_rows, self.n_columns)
    }
}

/// What looks like a mistake to cluster on; columns are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspect {
    /// A column that counts the rows.
    Counts(usize),
    /// The column that varies most, the one that varies least, and how many times as much.
    Unequal(usize, usize, f64),
}

/// Returns columns that count the rows, and columns beside which others hardly matter; none of fewer than 10 rows or 2 columns.
pub fn suspects(grid: &Grid<'_>, metric: Metric) -> Vec<Suspect> {
    if grid.n_columns < 2 || grid.n_rows < LEAST_COUNTED {
        return Vec::new();
    }
    let counting: Vec<usize> = (0..grid.n_columns).filter(|&column| counts_rows(grid, column)).collect();
    // These metrics do not add up the columns.
    let alone = matches!(metric, Metric::Hamming | Metric::Jaccard | Metric::Haversine);
    let unequal = (!alone).then(|| unequal(grid, &counting)).flatten();
    counting.iter().map(|&column| Suspect::Counts(column)).chain(unequal).collect()
}

/// Returns notes on what looks like a mistake to cluster on.
pub(super) fn notes(table: &Table, metric: Metric, standardised: bool) -> Vec<String> {
    let get = |row: usize, column: usize| table.get(row * table.n_columns + column);
    let grid = Grid { n_rows: table.n_rows, n_columns: table.n_columns, get: &get };
    let note = |suspect: Suspect| match suspect {
        Suspect::Counts(column) => Some(format!(
            "column {} counts the rows, and is clustered on; if it only names them, give --id-column {}",
            named(table, column),
            flag(table, column)
        )),
        Suspect::Unequal(..) if standardised => None,
        Suspect::Unequal(most, least, ratio) => Some(format!(
            "column {} varies {} times as much as column {}, which hardly counts beside it; to give all columns the same weight, add \
             --standardise",
            named(table, most),
            if ratio < 1e6 { format!("{ratio:.0}") } else { format!("{ratio:.0e}") },
            named(table, least)
        )),
    };
    let edges = is_like_edges(&grid).then(|| {
        "two columns of whole numbers and a third, as a list of edges has them; if it is one, give --input edges and --edge-values \
         distances or similarities"
            .to_owned()
    });
    suspects(&grid, metric).into_iter().filter_map(note).chain(edges).collect()
}

/// Whether three columns may be a list of edges: two whole numbers, never the same two twice, of fewer items than rows.
fn is_like_edges(grid: &Grid<'_>) -> bool {
    let whole = |value: f64| value >= 0.0 && value.fract() == 0.0 && value < f64::from(u32::MAX);
    if grid.n_columns != 3 || grid.n_rows < LEAST_COUNTED {
        return false;
    }
    let ends = |row: usize| [(grid.get)(row, 0), (grid.get)(row, 1)];
    if !(0..grid.n_rows).all(|row| ends(row).into_iter().all(whole) && ends(row)[0] != ends(row)[1]) {
        return false;
    }
    let pair = |row: usize| ends(row).map(|end| end as u32);
    let pairs: std::collections::BTreeSet<[u32; 2]> = (0..grid.n_rows).map(pair).collect();
    let items: std::collections::BTreeSet<u32> = pairs.iter().flatten().copied().collect();
    pairs.len() == grid.n_rows && items.len() <= grid.n_rows
}

/// The columns with the greatest and the smallest spread, if they are of very different size.
fn unequal(grid: &Grid<'_>, left_out: &[usize]) -> Option<Suspect> {
    let spread = |column: usize| {
        let entries = (0..grid.n_rows).map(move |row| (grid.get)(row, column));
        let standard = Standard::new(entries);
        (column, standard.unit * standard.deviation)
    };
    let spreads: Vec<(usize, f64)> = (0..grid.n_columns)
        .filter(|column| !left_out.contains(column))
        .map(spread)
        .filter(|&(_, spread)| spread > 0.0)
        .collect();
    let greatest = spreads.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let smallest = spreads.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let ratio = greatest.1 / smallest.1;
    (ratio > MOST_UNEQUAL).then_some(Suspect::Unequal(greatest.0, smallest.0, ratio))
}

/// Whether a column goes up by 1 from row to row, from any whole number.
fn counts_rows(grid: &Grid<'_>, column: usize) -> bool {
    let first = (grid.get)(0, column);
    first.fract() == 0.0 && (1..grid.n_rows).all(|row| (grid.get)(row, column) == first + row as f64)
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
