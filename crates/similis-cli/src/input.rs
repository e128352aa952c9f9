//! From a file to what is observed about pairs.

mod columns;
mod edges;
mod missing;
mod mixed;
mod standardise;

use std::path::Path;

use similis::error::{InputError, check_memory};
use similis::input::{MeasuredSparse, Quantity, SparsePoints, Values};
use similis::{Checks, Dissimilarity, Metric, Points};

pub use self::columns::{Grid, Suspect, suspects};
pub use self::standardise::Standard;
use crate::args::{EdgeValues, Input, InputArgs, Missing};
use crate::error::{Error, Excerpt};
use crate::io::{self, Compressed, Content, Format, Request, Table};

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
    /// The weight of each point, where `--weight-column` named them; empty otherwise.
    pub weights: Vec<f64>,
    /// The points as they were given, where the metric measures only their directions.
    pub original: Option<Points<'static>>,
    /// How the columns of points were shifted and scaled, where they were.
    pub standardise: Option<Vec<Standard>>,
    /// Notes on what was assumed.
    pub notes: Vec<String>,
}

/// Maximum number of columns whose names the summary lists. Not tuned.
const MOST_NAMES: usize = 8;

impl Observed {
    /// What was read, in words: how many items, by what, in which columns.
    pub fn described(&self) -> String {
        let n = self.pairs.n_points();
        let items = |word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let quantity =
            if self.pairs.quantity() == Quantity::Distances { "distances" } else { "similarities" };
        match (self.input, self.n_columns()) {
            (Input::Points, Some(n_columns)) => {
                let columns = format!("{n_columns} column{}", if n_columns == 1 { "" } else { "s" });
                let scaled = if self.standardise.is_some() { ", standardised" } else { "" };
                format!("{} in {columns}{}{scaled}", items("point"), self.column_names())
            }
            (Input::Edges, _) => format!("{}, edges of {quantity}", items("item")),
            _ => format!("{}, a matrix of {quantity}", items("item")),
        }
    }

    /// How many columns points have.
    pub fn n_columns(&self) -> Option<usize> {
        self.pairs.n_dimensions()
    }

    /// The names of the first columns, after a colon; nothing where they have none.
    fn column_names(&self) -> String {
        let Some(names) = self.names.as_deref().filter(|names| !names.is_empty()) else {
            return String::new();
        };
        let shown = |name: &String| Excerpt::new(name.as_bytes()).to_string().trim_matches('"').to_owned();
        let listed: Vec<String> = names.iter().take(MOST_NAMES).map(shown).collect();
        let more = if names.len() > MOST_NAMES { ", .." } else { "" };
        format!(": {}{more}", listed.join(", "))
    }
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
        Content::Sparse(_) | Content::Edges(_) if args.weight_column.is_some() => {
            return Err(Error::EdgeWeights);
        }
        Content::Table(table) => of_table(args, table, memory_limit)?,
        Content::Sparse(matrix) => of_sparse(args, matrix, memory_limit)?,
        Content::Edges(edges) => edges::observe(args, edges, memory_limit)?,
    };
    let observed = with_notes(observed);
    match args.conversion {
        Some(conversion) => {
            let pairs = observed.pairs.into_distances(conversion, memory_limit);
            Ok(Observed { pairs: pairs.map_err(|source| wrong(args, source))?, ..observed })
        }
        None => Ok(observed),
    }
}

/// Adds notes on names that several items share, and on a single item.
fn with_notes(mut observed: Observed) -> Observed {
    let mut names: Vec<&String> = observed.ids.iter().flatten().collect();
    names.sort_unstable();
    let shared = names.chunk_by(|a, b| a == b).find(|same| same.len() > 1);
    let note = shared.map(|same| {
        let name = Excerpt::new(same[0].as_bytes());
        format!(
            "{} items are called {name}: names should be different, so that labels can be matched",
            same.len()
        )
    });
    let single = (observed.pairs.n_points() == 1).then(|| "there is one item: it is one cluster".to_owned());
    observed.notes.extend(note.into_iter().chain(single));
    observed
}

/// Reads what the file holds, not yet taken for anything.
///
/// # Errors
///
/// Those of [`io::read`], and [`Error::Spreadsheet`].
pub fn read_content(args: &InputArgs, memory_limit: Option<u64>) -> Result<Content, Error> {
    let ending = args.path.extension().unwrap_or_default().to_ascii_lowercase();
    if args.format.is_none() && ["xlsx", "xls", "xlsm", "ods"].iter().any(|known| ending == *known) {
        return Err(Error::Spreadsheet { path: args.path.clone() });
    }
    io::read(&Request {
        path: &args.path,
        format: args.format,
        array: args.array.as_deref(),
        missing: args.missing != Missing::Error,
        choice: &args.choice(),
        input: if args.is_mixed() { Some(Input::Points) } else { args.input },
        edge_values: args.edge_values,
        memory_limit,
    })
}

/// Reads the known label of each item, with at most `memory_limit` bytes: a number or text, `None` where it is not known.
///
/// # Errors
///
/// Those of [`io::labels::read`].
pub fn read_known_labels(
    path: &Path,
    observed: &Observed,
    memory_limit: Option<u64>,
) -> Result<Vec<Option<usize>>, Error> {
    io::labels::read(path, observed.ids.as_deref(), observed.pairs.n_points(), memory_limit)
}

fn wrong(args: &InputArgs, source: similis::Error) -> Error {
    Error::Content { path: args.path.clone(), source }
}

fn checks(args: &InputArgs, memory_limit: Option<u64>) -> Checks {
    Checks { symmetrise: args.symmetrise, missing: args.missing.in_matrix(), memory_limit }
}

fn of_table(args: &InputArgs, mut table: Table, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let guessed = args.input.is_none();
    if args.is_mixed() {
        return mixed::observe(args, table, memory_limit);
    }
    if args.weight_column.is_some() {
        table = table.with_weights();
    }
    let input = kind(args, &table)?;
    let quantity = match input {
        Input::Edges if args.weight_column.is_some() => return Err(Error::EdgeWeights),
        Input::Edges => return edges::observe(args, io::edges::of_numbers(&args.path, table)?, memory_limit),
        Input::Similarities => Quantity::Similarities,
        _ => Quantity::Distances,
    };
    if input == Input::Points {
        table = without_gaps(args, table)?;
        let notes = columns::notes(&table, args.metric(), args.standardise);
        table.notes.extend(notes);
    }
    let standardise = (input == Input::Points && args.standardise).then(|| standardise::columns(&mut table));
    let (notes, classes) = (std::mem::take(&mut table.notes), table.labels.take());
    let weights = table.weights.take().unwrap_or_default();
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
    Ok(Observed { pairs, input, guessed, names, ids, classes, weights, original, standardise, notes })
}

/// What a table is taken for.
///
/// # Errors
///
/// [`Error::Ambiguous`] where that was not said and is not beyond doubt.
pub fn kind(args: &InputArgs, table: &Table) -> Result<Input, Error> {
    // PHYLIP files hold distances, whatever is wrong with their numbers.
    let phylip = args.format.or_else(|| Format::of_name(&args.path)) == Some(Format::Phylip);
    let told = args.input.or(phylip.then_some(Input::Distances));
    if let Some(input) = told.or_else(|| guess(table)) {
        return Ok(input);
    }
    let (path, length) = (args.path.clone(), table.n_rows);
    Err(match condensed_items(table) {
        Some(n_items) => Error::AmbiguousCondensed { path, length, n_items },
        None => Error::Ambiguous { path, n_rows: length },
    })
}

/// How many items a one-dimensional array of numbers may hold the pairs of; `None` if it cannot, or for fewer than four items,
/// whose 1 or 3 pairs are as likely points.
fn condensed_items(table: &Table) -> Option<usize> {
    let n_pairs = table.n_rows;
    let n_items = (8 * n_pairs + 1).isqrt().div_ceil(2);
    let fits = table.n_dimensions == 1 && n_items >= 4 && n_items * (n_items - 1) / 2 == n_pairs;
    (fits && (0..n_pairs).all(|k| table.get(k) >= 0.0)).then_some(n_items)
}

/// Returns the table without rows that have missing values, if the arguments ask for that.
///
/// # Errors
///
/// [`Error::Content`] if no row is left.
pub fn without_gaps(args: &InputArgs, table: Table) -> Result<Table, Error> {
    if args.missing != Missing::Drop {
        return Ok(table);
    }
    let kept = missing::without_gaps(table);
    let none = || wrong(args, similis::Error::Input(InputError::NoPoints));
    if kept.n_rows == 0 { Err(none()) } else { Ok(kept) }
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
        (Some(Input::Points), _) if MeasuredSparse::measures(args.metric()) && !args.standardise => {
            return sparse_points(args, matrix, memory_limit).map_err(|source| wrong(args, source));
        }
        (Some(Input::Points), _) => {
            let needed = 8u64.saturating_mul(n_rows as u64).saturating_mul(n_columns as u64);
            let instead = "remove columns from the file, or use cosine or euclidean without --standardise, which leave it sparse";
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

/// Points that stay sparse.
fn sparse_points(
    args: &InputArgs,
    matrix: Compressed,
    memory_limit: Option<u64>,
) -> Result<Observed, similis::Error> {
    let Compressed { offsets, columns, values, n_columns } = matrix;
    let points = SparsePoints::new(&offsets, &columns, &values, n_columns)?;
    let needed = MeasuredSparse::n_bytes_of(&points, args.metric());
    check_memory(needed, memory_limit, "the sparse points", "remove rows, or raise --memory-limit")?;
    Ok(of_pairs(Dissimilarity::from_sparse_points(points, args.metric())?, Input::Points))
}

fn of_pairs(pairs: Dissimilarity<'static>, input: Input) -> Observed {
    Observed {
        pairs,
        input,
        guessed: false,
        names: None,
        ids: None,
        classes: None,
        weights: Vec::new(),
        original: None,
        standardise: None,
        notes: Vec::new(),
    }
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
/// distances; what is neither is points. `None` for a square matrix that is only one of the two, and for a one-dimensional array
/// as long as condensed distances are.
fn guess(table: &Table) -> Option<Input> {
    let n = table.n_rows;
    if condensed_items(table).is_some() {
        return None;
    }
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
    fn a_list_as_long_as_condensed_distances_is_asked_about() {
        let list = |values: &[f64]| Table { n_dimensions: 1, ..table(values, 1) };
        // 15 pairs of 6 items, and 14, which no number of items has.
        assert_eq!(guess(&list(&[1.0; 15])), None);
        assert_eq!(guess(&list(&[1.0; 14])), Some(Input::Points));
        assert_eq!(guess(&list(&[-1.0; 15])), Some(Input::Points));
        assert_eq!(guess(&table(&[1.0; 15], 1)), Some(Input::Points));
    }

    #[test]
    fn sparse_points_whose_size_is_beyond_counting_are_refused_where_they_would_be_made_dense() {
        // The bytes are a multiple of 2^64.
        let vast = || Compressed {
            offsets: vec![0; 9],
            columns: Vec::new(),
            values: Vec::new(),
            n_columns: 1 << 61,
        };
        let observed = |metric: &str| {
            let line = ["similis", "vast.npz", "--input", "points", "--metric", metric];
            let Line { input } = clap::Parser::parse_from(line);
            of_sparse(&input, vast(), Some(1 << 30))
        };
        let message = observed("manhattan").unwrap_err().to_string();
        assert!(message.contains("remove columns from the file"), "{message}");
        assert_eq!(observed("euclidean").unwrap().pairs.n_points(), 8);
    }
}
