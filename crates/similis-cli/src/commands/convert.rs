//! `similis convert`: a file in, the same in another format out.

use std::path::Path;
use std::process::ExitCode;

use similis::input::Values;
use similis::run::parallel;

use super::cluster::check_not_over;
use super::say;
use crate::args::{ConvertArgs, Input, Target};
use crate::error::Error;
use crate::input::{Observed, kind, observe, read_content, standardised, without_gaps};
use crate::io::output::{check_columnar, check_destination};
use crate::io::write::{Pairs, Rows, Sheet, keeps_names, write};
use crate::io::{Content, Format, Table};
use crate::memory;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &ConvertArgs) -> Result<ExitCode, Error> {
    let format = output_format(&args.output, args.output_format)?;
    check_not_over(&[Some(&args.input.path)], &[Some(&args.output)])?;
    parallel::with_threads(args.work.threads, || {
        let memory_limit = memory::limit(args.work.memory_limit);
        let content = read_content(&args.input, memory_limit)?;
        match content {
            Content::Table(table) if is_points(args, &table)? => {
                let table = without_gaps(&args.input, table)?;
                let table = if args.input.standardise { standardised(table) } else { table };
                say(&table.notes, args.work.quiet);
                written(args, format, &of_table(&table, &|i| row(&table, i)))
            }
            content => {
                let observed = observe(&args.input, content, memory_limit)?;
                say(&observed.notes, args.work.quiet);
                let n = observed.pairs.n_points();
                let row = |i: usize| (0..n).map(|j| observed.pairs.pair(i, j).unwrap_or(f64::NAN)).collect();
                written(args, format, &of_pairs(args, &observed, &row)?)
            }
        }
    })
}

/// Returns the format that was given, or that the name of the output tells; standard output gets CSV.
///
/// # Errors
///
/// [`Error::OutputKind`], [`Error::NoParquet`], and those of a file that cannot be written.
pub(super) fn output_format(path: &Path, given: Option<Format>) -> Result<Format, Error> {
    let usual = (path == Path::new(crate::io::STANDARD_INPUT)).then_some(Format::Csv);
    let format = given.or_else(|| Format::of_name(path)).or(usual).ok_or_else(|| Error::OutputKind {
        path: path.into(),
        known: ".csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .mtx or .phy (or name it with --output-format)",
    })?;
    check_columnar(path, format)?;
    check_destination(path)?;
    Ok(format)
}

/// Whether the table is to be written as the points that it holds.
fn is_points(args: &ConvertArgs, table: &Table) -> Result<bool, Error> {
    let points = kind(&args.input, table)? == Input::Points;
    match args.to {
        Some(Target::Points) if !points => Err(Error::NoPoints { path: args.input.path.clone() }),
        Some(Target::Points) | None => Ok(points),
        Some(_) => Ok(false),
    }
}

fn row(table: &Table, i: usize) -> Vec<f64> {
    let range = i * table.n_columns..(i + 1) * table.n_columns;
    match &table.values {
        Values::F32(values) => values[range].iter().map(|&value| value.into()).collect(),
        Values::F64(values) => values[range].to_vec(),
    }
}

fn of_table<'a>(table: &'a Table, row: &'a dyn Fn(usize) -> Vec<f64>) -> Sheet<'a> {
    Sheet::Points(Rows {
        n_rows: table.n_rows,
        n_columns: table.n_columns,
        row,
        names: table.names.as_deref(),
        ids: table.ids.as_deref(),
        classes: table.labels.as_deref(),
    })
}

fn of_pairs<'a>(
    args: &ConvertArgs,
    observed: &'a Observed,
    row: &'a dyn Fn(usize) -> Vec<f64>,
) -> Result<Sheet<'a>, Error> {
    let sparse = observed.pairs.sparse().is_some();
    let ids = observed.ids.as_deref();
    let n = observed.pairs.n_points();
    match args.to {
        Some(Target::Points) => Err(Error::NoPoints { path: args.input.path.clone() }),
        Some(Target::Edges) => Ok(Sheet::Pairs(Pairs { observed: &observed.pairs, ids })),
        None if sparse => Ok(Sheet::Pairs(Pairs { observed: &observed.pairs, ids })),
        Some(Target::Matrix) | None => {
            Ok(Sheet::Matrix(Rows { n_rows: n, n_columns: n, row, names: None, ids, classes: None }))
        }
    }
}

fn written(args: &ConvertArgs, format: Format, sheet: &Sheet<'_>) -> Result<ExitCode, Error> {
    write(&args.output, format, sheet)?;
    if sheet.has_names() && !keeps_names(format) {
        say(
            &[format!("a {format} file has no room for names and classes: they are left out")],
            args.work.quiet,
        );
    }
    Ok(ExitCode::SUCCESS)
}
