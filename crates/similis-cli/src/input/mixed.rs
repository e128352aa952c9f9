//! Tables of numbers and text, by Gower's distance.

use similis::input::{Field, Gower};

use super::{Observed, of_pairs, wrong};
use crate::args::{Input, InputArgs, Missing};
use crate::error::Error;
use crate::io::Table;

/// Takes a table for mixed columns: those with text are categories.
///
/// # Errors
///
/// [`Error::MixedInput`] for what is no table of points, or flags that numbers alone have; what the library says of the columns.
pub(super) fn observe(
    args: &InputArgs,
    mut table: Table,
    memory_limit: Option<u64>,
) -> Result<Observed, Error> {
    if args.standardise
        || args.missing == Missing::Drop
        || args.input.is_some_and(|input| input != Input::Points)
    {
        return Err(Error::MixedInput);
    }
    if args.weight_column.is_some() {
        table = table.with_weights();
    }
    let n = table.n_columns;
    let column = |at: usize| match table.texts.get(&at) {
        Some(texts) => Field::Categories(texts.clone()),
        None => Field::Numbers((0..table.n_rows).map(|row| table.get(row * n + at)).collect()),
    };
    let columns: Vec<Field> = (0..n).map(column).collect();
    let gower = Gower::new(&columns).map_err(|source| wrong(args, source))?;
    let pairs = gower.distances(&columns, memory_limit).map_err(|source| wrong(args, source))?;
    let usual = || (0..n).map(|at| format!("column {}", at + 1)).collect();
    let names = table.names.clone().unwrap_or_else(usual);
    let (input, names) = match pairs.points() {
        Some(_) => (Input::Points, Some(gower.names(&names))),
        None => (Input::Distances, None),
    };
    let n_categories = table.texts.len();
    table.notes.push(format!(
        "{} columns of numbers, {n_categories} of categories, by Gower's distance",
        n - n_categories
    ));
    Ok(Observed {
        names,
        ids: table.ids,
        classes: table.labels,
        weights: table.weights.unwrap_or_default(),
        notes: table.notes,
        ..of_pairs(pairs, input)
    })
}
