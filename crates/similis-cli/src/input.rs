//! From a table to what is observed about pairs.

use std::path::Path;

use similis::dissimilarity::{Missing, Quantity, Values};
use similis::error::check_memory;
use similis::{Checks, Dissimilarity, Metric, Points, SparseMatrix};

use crate::args::{EdgeValues, Input, InputArgs};
use crate::error::Error;
use crate::io::{Table, read_table};

/// What was read, and as what.
#[derive(Debug)]
pub struct Observed {
    /// What is observed about pairs.
    pub pairs: Dissimilarity<'static>,
    /// What the numbers were taken for.
    pub input: Input,
    /// Whether that was a guess.
    pub guessed: bool,
    /// The names of the columns, where the file has a header.
    pub names: Option<Vec<String>>,
    /// The points as they were given, where the metric measures only their directions.
    pub original: Option<Points<'static>>,
}

/// Reads the file that the arguments name.
///
/// # Errors
///
/// Those of [`read_table`], [`Error::Ambiguous`] if it could be points or a matrix, and what
/// [`Dissimilarity`] says of its numbers, with the file's name.
pub fn read(args: &InputArgs, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let missing = args.missing == Missing::Unobserved;
    let table = read_table(&args.path, missing)?;
    let guessed = args.input.is_none();
    let input = match args.input {
        Some(input) => input,
        None => {
            guess(&table).ok_or_else(|| Error::Ambiguous { path: args.path.clone(), n_rows: table.n_rows })?
        }
    };
    let checks = Checks { symmetrise: args.symmetrise, missing: args.missing, memory_limit };
    let names = table.names.clone();
    let wrong = |source| Error::Content { path: args.path.clone(), source };
    let mut original = None;
    let pairs = match input {
        Input::Points => points(table, args, &mut original),
        Input::Distances => matrix(table, Quantity::Distances, checks),
        Input::Similarities => matrix(table, Quantity::Similarities, checks),
        Input::Edges => edges(&args.path, table, edge_quantity(args)?, checks)?,
    };
    let pairs = match args.conversion {
        Some(conversion) => pairs.and_then(|pairs| pairs.into_distances(conversion, memory_limit)),
        None => pairs,
    };
    Ok(Observed { pairs: pairs.map_err(wrong)?, input, guessed, names, original })
}

/// Reads known labels: a whole number for each point, -1 where it is not known.
///
/// # Errors
///
/// Those of [`read_table`], and [`Error::KnownLabel`] at the first number that is no label.
pub fn read_known_labels(path: &Path) -> Result<Vec<Option<usize>>, Error> {
    let label = |(row, given): (usize, f64)| match given {
        -1.0 => Ok(None),
        whole if whole >= 0.0 && whole.fract() == 0.0 && whole < f64::from(u32::MAX) => {
            Ok(Some(whole as usize))
        }
        _ => Err(Error::KnownLabel { path: path.into(), row, given }),
    };
    let table = read_table(path, false)?;
    // The last column, so that labels that similis wrote (index, label) can be read.
    let last = table.values.into_f64().into_iter().skip(table.n_columns - 1).step_by(table.n_columns);
    last.enumerate().map(label).collect()
}

fn points(
    table: Table,
    args: &InputArgs,
    original: &mut Option<Points<'static>>,
) -> Result<Dissimilarity<'static>, similis::Error> {
    let (n_rows, n_columns) = (table.n_rows, table.n_columns);
    let points = Points::new(table.values.into_f64(), n_rows, n_columns)?;
    if matches!(args.metric(), Metric::Cosine | Metric::Correlation) {
        *original = Some(points.clone());
    }
    Dissimilarity::from_points(points, args.metric())
}

fn matrix(
    table: Table,
    quantity: Quantity,
    checks: Checks,
) -> Result<Dissimilarity<'static>, similis::Error> {
    let shape = [table.n_rows, table.n_columns];
    if table.n_dimensions == 1 {
        Dissimilarity::from_condensed(table.values, quantity, checks)
    } else {
        Dissimilarity::from_square(table.values, shape, quantity, checks)
    }
}

fn edge_quantity(args: &InputArgs) -> Result<Quantity, Error> {
    match args.edge_values {
        Some(EdgeValues::Distances) => Ok(Quantity::Distances),
        Some(EdgeValues::Similarities) => Ok(Quantity::Similarities),
        None => Err(Error::EdgeValues { path: args.path.clone() }),
    }
}

/// A row for each observed pair; there are as many points as the greatest number asks for.
///
/// The outer error is one of the file's form, the inner one of its numbers.
fn edges(
    path: &Path,
    table: Table,
    quantity: Quantity,
    checks: Checks,
) -> Result<Result<Dissimilarity<'static>, similis::Error>, Error> {
    let n_columns = table.n_columns;
    if n_columns != 3 {
        return Err(Error::EdgeColumns { path: path.into(), given: n_columns });
    }
    let values = table.values.into_f64();
    let mut listed = Vec::with_capacity(values.len() / 3);
    for (row, edge) in values.chunks(3).enumerate() {
        let point = |given: f64| {
            let whole = given >= 0.0 && given.fract() == 0.0 && given < f64::from(u32::MAX);
            if whole { Ok(given as usize) } else { Err(Error::EdgePoint { path: path.into(), row, given }) }
        };
        listed.push((point(edge[0])?, point(edge[1])?, edge[2]));
    }
    let n_points = listed.iter().map(|&(i, j, _)| i.max(j) + 1).max().unwrap_or(0);
    let needed = 16 * n_points as u64 + 100 * listed.len() as u64;
    let fits = check_memory(
        needed,
        checks.memory_limit,
        "a graph of that many points",
        "number the points 0, 1, 2, ..",
    );
    let matrix = fits.and_then(|()| SparseMatrix::from_edges(n_points, &listed));
    Ok(matrix.and_then(|matrix| Dissimilarity::from_sparse(matrix, quantity, checks)))
}

/// What a table holds, where that is beyond doubt: a symmetric matrix with a zero diagonal and no negative entry is
/// distances; what is neither is points. `None` for a square matrix that is only one of the two.
fn guess(table: &Table) -> Option<Input> {
    let n = table.n_rows;
    let at = |i: usize, j: usize| match &table.values {
        Values::F32(values) => f64::from(values[i * n + j]),
        Values::F64(values) => values[i * n + j],
    };
    // Two or three points in as many dimensions can be symmetric by chance.
    if n != table.n_columns || n < 4 {
        return Some(Input::Points);
    }
    let greatest = (0..n * n).map(|k| at(k / n, k % n).abs()).fold(0.0, f64::max);
    let same = |x: f64, y: f64| (x - y).abs() <= 1e-6 * greatest || (x.is_nan() && y.is_nan());
    let symmetric = (0..n).all(|i| (0..i).all(|j| same(at(i, j), at(j, i))));
    let negative = (0..n * n).any(|k| at(k / n, k % n) < 0.0);
    let like_distances = (0..n).all(|i| same(at(i, i), 0.0)) && !negative && greatest > 0.0;
    match (symmetric, like_distances) {
        (true, true) => Some(Input::Distances),
        (false, false) => Some(Input::Points),
        // A kernel, or distances whose two directions differ.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[f64], n_columns: usize) -> Table {
        Table {
            values: values.to_vec().into(),
            n_rows: values.len() / n_columns,
            n_columns,
            n_dimensions: 2,
            names: None,
        }
    }

    #[test]
    fn only_what_is_beyond_doubt_is_guessed() {
        let mut square = vec![1.0; 16];
        (0..4).for_each(|i| square[5 * i] = 0.0);
        assert_eq!(guess(&table(&square, 4)), Some(Input::Distances));
        square[1] = 2.0;
        assert_eq!(guess(&table(&square, 4)), None);
        square[0] = 2.0;
        assert_eq!(guess(&table(&square, 4)), Some(Input::Points));
        assert_eq!(guess(&table(&[1.0; 16], 4)), None);
        assert_eq!(guess(&table(&[0.0; 12], 3)), Some(Input::Points));
        assert_eq!(guess(&table(&[0.0, 1.0, 1.0, 0.0], 2)), Some(Input::Points));
    }
}
