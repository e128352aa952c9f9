//! From a file to what is observed about pairs.

mod standardise;

use std::path::Path;

use similis::error::check_memory;
use similis::input::{Missing, Quantity, Values};
use similis::{Checks, Dissimilarity, Metric, Points};

pub use self::standardise::Standard;
use crate::args::{EdgeValues, Input, InputArgs};
use crate::error::{Error, Excerpt};
use crate::io::{self, Compressed, Content, Edges, Request, Table};

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
    /// The name of each point, where the file has them.
    pub ids: Option<Vec<String>>,
    /// The known class of each point, where `--label-column` named them; empty where it is not known.
    pub classes: Option<Vec<String>>,
    /// The points as they were given, where the metric measures only their directions.
    pub original: Option<Points<'static>>,
    /// How the columns of points were shifted and scaled, where they were.
    pub standardise: Option<Vec<Standard>>,
    /// Notes on what was assumed.
    pub notes: Vec<String>,
}

/// Reads the file that the arguments name.
///
/// # Errors
///
/// Those of [`io::read`], [`Error::Ambiguous`] if it could be points or a matrix, and what
/// [`Dissimilarity`] says of its numbers, with the file's name.
pub fn read(args: &InputArgs, memory_limit: Option<u64>) -> Result<Observed, Error> {
    observe(args, read_content(args, memory_limit)?, memory_limit)
}

/// Takes what a file holds for what the arguments say.
///
/// # Errors
///
/// Those of [`read`], but for those of the file itself.
pub fn observe(args: &InputArgs, content: Content, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let observed = match content {
        Content::Table(table) => of_table(args, table, memory_limit)?,
        Content::Sparse(matrix) => of_sparse(args, matrix, memory_limit)?,
        Content::Edges(edges) => of_edges(args, edges, memory_limit)?,
    };
    match args.conversion {
        Some(conversion) => {
            let pairs = observed.pairs.into_distances(conversion, memory_limit);
            Ok(Observed { pairs: pairs.map_err(|source| wrong(args, source))?, ..observed })
        }
        None => Ok(observed),
    }
}

/// Reads what the file holds, not yet taken for anything.
///
/// # Errors
///
/// Those of [`io::read`].
pub fn read_content(args: &InputArgs, memory_limit: Option<u64>) -> Result<Content, Error> {
    io::read(&Request {
        path: &args.path,
        format: args.format,
        array: args.array.as_deref(),
        missing: args.missing == Missing::Unobserved,
        choice: &args.choice(),
        input: args.input,
        edge_values: args.edge_values,
        memory_limit,
    })
}

/// Reads known labels, with at most `memory_limit` bytes: a whole number for each point, -1 where it is not known.
///
/// # Errors
///
/// Those of [`io::read`], and [`Error::KnownLabel`] at the first number that is no label.
pub fn read_known_labels(path: &Path, memory_limit: Option<u64>) -> Result<Vec<Option<usize>>, Error> {
    let label = |(row, given): (usize, f64)| match given {
        -1.0 => Ok(None),
        whole if whole >= 0.0 && whole.fract() == 0.0 && whole < f64::from(u32::MAX) => {
            Ok(Some(whole as usize))
        }
        _ => Err(Error::KnownLabel { path: path.into(), row: row + 1, given }),
    };
    // The last column, so that labels that similis wrote (index, label) can be read.
    io::read_last_column(path, memory_limit)?.values.into_f64().into_iter().enumerate().map(label).collect()
}

fn wrong(args: &InputArgs, source: similis::Error) -> Error {
    Error::Content { path: args.path.clone(), source }
}

fn checks(args: &InputArgs, memory_limit: Option<u64>) -> Checks {
    Checks { symmetrise: args.symmetrise, missing: args.missing, memory_limit }
}

fn of_table(args: &InputArgs, mut table: Table, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let guessed = args.input.is_none();
    let input = kind(args, &table)?;
    let quantity = match input {
        Input::Edges => return of_edges(args, io::edges::of_numbers(&args.path, table)?, memory_limit),
        Input::Similarities => Quantity::Similarities,
        _ => Quantity::Distances,
    };
    let standardise = (input == Input::Points && args.standardise).then(|| standardise::columns(&mut table));
    let (notes, classes) = (std::mem::take(&mut table.notes), table.labels.take());
    let (names, mut ids) = (table.names.clone(), table.ids.take());
    let mut original = None;
    let pairs = if input == Input::Points {
        check_points(args, &table, memory_limit).map_err(|source| wrong(args, source))?;
        points(table, args, &mut original)
    } else {
        ids = matrix_ids(args, &table, ids)?;
        matrix(table, quantity, checks(args, memory_limit))
    };
    let pairs = pairs.map_err(|source| wrong(args, source))?;
    Ok(Observed { pairs, input, guessed, names, ids, classes, original, standardise, notes })
}

/// What a table is taken for.
///
/// # Errors
///
/// [`Error::Ambiguous`] where that was not said and is not beyond doubt.
pub fn kind(args: &InputArgs, table: &Table) -> Result<Input, Error> {
    let input = args.input.or_else(|| guess(table));
    input.ok_or_else(|| Error::Ambiguous { path: args.path.clone(), n_rows: table.n_rows })
}

/// Returns the table with every column at mean 0 and standard deviation 1.
pub fn standardised(mut table: Table) -> Table {
    standardise::columns(&mut table);
    table
}

/// The names of a matrix's items: of its rows, or of its columns, which must be the same where there are both.
fn matrix_ids(
    args: &InputArgs,
    table: &Table,
    ids: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, Error> {
    let square = table.n_rows == table.n_columns;
    let names = table.names.as_ref().filter(|_| square && table.n_dimensions == 2);
    let (Some(ids), Some(names)) = (&ids, names) else { return Ok(ids.or_else(|| names.cloned())) };
    // Columns that only count say nothing of their own.
    let counts =
        names.iter().enumerate().all(|(at, name)| *name == at.to_string() || *name == (at + 1).to_string());
    match ids.iter().zip(names).position(|(id, name)| id != name) {
        Some(row) if !counts => Err(Error::NamesDiffer {
            path: args.path.clone(),
            row: row + 1,
            row_name: Excerpt::new(ids[row].as_bytes()),
            column_name: Excerpt::new(names[row].as_bytes()),
        }),
        _ => Ok(Some(ids.clone())),
    }
}

fn of_sparse(args: &InputArgs, matrix: Compressed, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let (n_rows, n_columns) = (matrix.n_rows(), matrix.n_columns);
    let quantity = match (args.input, args.edge_values) {
        (Some(Input::Points), _) => {
            let needed = 8u64.saturating_mul(n_rows as u64).saturating_mul(n_columns as u64);
            let instead = "remove columns from the file";
            check_memory(needed, memory_limit, "a dense copy of the sparse points", instead)
                .map_err(|source| wrong(args, source))?;
            return of_table(args, matrix.dense(), memory_limit);
        }
        (Some(Input::Distances), _) | (Some(Input::Edges), Some(EdgeValues::Distances)) => {
            Quantity::Distances
        }
        (Some(Input::Similarities), _) | (Some(Input::Edges), Some(EdgeValues::Similarities)) => {
            Quantity::Similarities
        }
        (Some(Input::Edges), None) => return Err(Error::EdgeValues { path: args.path.clone() }),
        (None, _) => {
            return Err(Error::AmbiguousSparse { path: args.path.clone(), n_rows, n_columns });
        }
    };
    if n_rows != n_columns {
        return Err(wrong(
            args,
            similis::Error::Input(similis::error::InputError::NotSquare { n_rows, n_columns }),
        ));
    }
    let pairs = matrix
        .into_matrix()
        .and_then(|matrix| Dissimilarity::from_sparse(matrix, quantity, checks(args, memory_limit)));
    let pairs = pairs.map_err(|source| wrong(args, source))?;
    Ok(of_pairs(pairs, args.input.unwrap_or(Input::Edges)))
}

fn of_pairs(pairs: Dissimilarity<'static>, input: Input) -> Observed {
    Observed {
        pairs,
        input,
        guessed: false,
        names: None,
        ids: None,
        classes: None,
        original: None,
        standardise: None,
        notes: Vec::new(),
    }
}

/// Observed pairs; there are as many points as the greatest number asks for.
fn of_edges(args: &InputArgs, edges: Edges, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let quantity = match args.edge_values {
        Some(EdgeValues::Distances) => Quantity::Distances,
        Some(EdgeValues::Similarities) => Quantity::Similarities,
        None => return Err(Error::EdgeValues { path: args.path.clone() }),
    };
    let Edges { entries, n_points, ids } = edges;
    let needed = 16 * n_points as u64 + 64 * entries.values.len() as u64;
    let (what, instead) = ("a graph of that many points", "number the points 0, 1, 2, ..");
    check_memory(needed, memory_limit, what, instead).map_err(|source| wrong(args, source))?;
    let item = |at: usize| {
        let number = at.to_string();
        Excerpt::new(ids.as_ref().map_or(&number, |ids| &ids[at]).as_bytes())
    };
    let path = || args.path.clone();
    let matrix = entries
        .compressed(n_points, n_points)
        .both_ways()
        .map_err(|(from, to)| Error::EdgeTwice { path: path(), from: item(from), to: item(to) })?;
    let pairs = matrix
        .into_matrix()
        .and_then(|matrix| Dissimilarity::from_sparse(matrix, quantity, checks(args, memory_limit)));
    let pairs = pairs.map_err(|source| match source {
        similis::Error::Input(similis::error::InputError::Asymmetric { row, column, given, mirrored }) => {
            Error::EdgeBack { path: path(), from: item(row), to: item(column), given, back: mirrored }
        }
        similis::Error::Input(similis::error::InputError::Diagonal { row, given }) => {
            Error::EdgeSelf { path: path(), item: item(row), given }
        }
        source => wrong(args, source),
    })?;
    Ok(Observed { ids, ..of_pairs(pairs, Input::Edges) })
}

/// Whether a metric measures the directions of points: they are kept beside the points as they were given.
fn measures_directions(args: &InputArgs) -> bool {
    matches!(args.metric(), Metric::Cosine | Metric::Correlation)
}

/// Checks the memory of the points in double precision, beside what was read, and of the copies that the metric needs.
fn check_points(args: &InputArgs, table: &Table, memory_limit: Option<u64>) -> Result<(), similis::Error> {
    let as_read = if matches!(table.values, Values::F32(_)) { 4 } else { 0 };
    let copies = if measures_directions(args) { 3 } else { 1 };
    let needed = (table.values.len() as u64).saturating_mul(as_read + 8 * copies);
    check_memory(
        needed,
        memory_limit,
        "a copy of the points",
        "remove rows or columns, or raise --memory-limit",
    )
}

fn points(
    table: Table,
    args: &InputArgs,
    original: &mut Option<Points<'static>>,
) -> Result<Dissimilarity<'static>, similis::Error> {
    let (n_rows, n_columns) = (table.n_rows, table.n_columns);
    let points = Points::new(table.values.into_f64(), n_rows, n_columns)?;
    if measures_directions(args) {
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

/// What a table holds, where that is beyond doubt: a symmetric matrix with a zero diagonal and no negative entry is
/// distances; what is neither is points. `None` for a square matrix that is only one of the two.
fn guess(table: &Table) -> Option<Input> {
    let n = table.n_rows;
    // Two or three points in as many dimensions can be symmetric by chance.
    if !table.is_matrix && (n != table.n_columns || n < 4) {
        return Some(Input::Points);
    }
    let greatest = (0..n * n).map(|k| table.get(k).abs()).fold(0.0, f64::max);
    let negative = (0..n * n).any(|k| table.get(k) < 0.0);
    let zero = |i: usize| table.get(i * n + i).abs() <= 1e-6 * greatest || table.get(i * n + i).is_nan();
    let like_distances = (0..n).all(zero) && !negative && greatest > 0.0;
    match (table.is_symmetric(), like_distances) {
        (true, true) => Some(Input::Distances),
        (false, false) if !table.is_matrix => Some(Input::Points),
        // A kernel, or distances whose two directions differ.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[f64], n_columns: usize) -> Table {
        Table::new(values.to_vec().into(), values.len() / n_columns, n_columns)
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

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        input: InputArgs,
    }

    #[test]
    fn copies_of_points_keep_the_memory_limit() {
        let refused = |values: Values<'static>, metric: &str| {
            let Line { input } =
                clap::Parser::parse_from(["similis", "a.npy", "--input", "points", "--metric", metric]);
            let message = of_table(&input, Table::new(values, 500, 2), Some(10_000)).unwrap_err().to_string();
            assert!(
                message.contains("a copy of the points needs") && message.contains("10.0 kB"),
                "{message}"
            );
        };
        refused(vec![1.0f32; 1000].into(), "euclidean");
        refused(vec![1.0f64; 1000].into(), "cosine");
    }

    #[test]
    fn sparse_points_whose_size_is_beyond_counting_are_refused() {
        let Line { input } = clap::Parser::parse_from(["similis", "vast.npz", "--input", "points"]);
        // The bytes are a multiple of 2^64.
        let (offsets, n_columns) = (vec![0; 9], 1 << 61);
        let matrix = Compressed { offsets, columns: Vec::new(), values: Vec::new(), n_columns };
        let message = of_sparse(&input, matrix, Some(1 << 30)).unwrap_err().to_string();
        assert!(message.contains("remove columns from the file"), "{message}");
    }
}
