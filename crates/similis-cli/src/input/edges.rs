//! Edges between items become observed pairs.

use similis::Dissimilarity;
use similis::error::{InputError, check_memory};
use similis::input::Quantity;

use super::{Observed, checks, of_pairs, wrong};
use crate::args::{EdgeValues, Input, InputArgs};
use crate::error::{Error, Excerpt};
use crate::io::Edges;

/// Bytes that an edge takes while it is entered both ways and checked, counted from the copies that are made.
const BYTES_OF_EDGE: u64 = 160;
/// Bytes that an item takes meanwhile: where its row begins, in each of the copies.
const BYTES_OF_ITEM: u64 = 64;

/// Returns the pairs that were observed.
///
/// # Errors
///
/// [`Error::EdgeValues`], [`Error::EdgeTwice`], [`Error::EdgeBack`], [`Error::EdgeSelf`], and what [`Dissimilarity`] says of the
/// values, with the file's name.
pub(super) fn observe(args: &InputArgs, edges: Edges, memory_limit: Option<u64>) -> Result<Observed, Error> {
    let quantity = match args.edge_values {
        Some(EdgeValues::Distances) => Quantity::Distances,
        Some(EdgeValues::Similarities) => Quantity::Similarities,
        // Two items that are joined are alike.
        None if !edges.weighted => Quantity::Similarities,
        None => return Err(Error::EdgeValues { path: args.path.clone() }),
    };
    let unweighted = (!edges.weighted).then(|| {
        "the edges have no values: every one counts 1; a third column would be their values".to_owned()
    });
    let (Edges { entries, n_points, ids, .. }, note) = named(edges);
    let needed = BYTES_OF_ITEM * n_points as u64 + BYTES_OF_EDGE * entries.values.len() as u64;
    let (what, instead) =
        ("a graph of that many edges", "leave out the weakest edges, or raise --memory-limit");
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
        similis::Error::Input(InputError::Asymmetric { row, column, given, mirrored }) => {
            Error::EdgeBack { path: path(), from: item(row), to: item(column), given, back: mirrored }
        }
        similis::Error::Input(InputError::Diagonal { row, given }) => {
            Error::EdgeSelf { path: path(), item: item(row), given }
        }
        source => wrong(args, source),
    })?;
    Ok(Observed { ids, notes: unweighted.into_iter().chain(note).collect(), ..of_pairs(pairs, Input::Edges) })
}

/// Takes whole numbers that do not fill 0, 1, .., n - 1 for names, in ascending order, and says so.
///
/// Customer numbers, or numbers counted from 1, would otherwise invent an item for every number that no edge has.
fn named(mut edges: Edges) -> (Edges, Option<String>) {
    if edges.ids.is_some() {
        return (edges, None);
    }
    let entries = &mut edges.entries;
    let mut numbers = [entries.rows.as_slice(), &entries.columns].concat();
    numbers.sort_unstable();
    numbers.dedup();
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return (edges, None) };
    if numbers.len() > *last as usize {
        return (edges, None);
    }
    let note = format!(
        "{} items with ids from {first} to {last}: the ids are read as names, in ascending order; number all items 0, 1, 2, .. to \
         have them counted",
        numbers.len()
    );
    for end in entries.rows.iter_mut().chain(&mut entries.columns) {
        *end = numbers.partition_point(|number| *number < *end) as u32;
    }
    edges.n_points = numbers.len();
    edges.ids = Some(numbers.iter().map(ToString::to_string).collect());
    (edges, Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::sparse::Entries;

    fn edges(pairs: &[(usize, usize)]) -> Edges {
        let mut entries = Entries::default();
        pairs.iter().for_each(|&(from, to)| entries.push(from, to, 1.0));
        let n_points = pairs.iter().map(|&(from, to)| from.max(to) + 1).max().unwrap_or(0);
        Edges { entries, n_points, ids: None, weighted: true }
    }

    #[test]
    fn numbers_that_count_the_items_are_numbers_and_others_are_names() {
        let counted = edges(&[(2, 0), (1, 2)]);
        assert_eq!(named(counted.clone()), (counted, None));
        let (found, note) = named(edges(&[(100_003, 7), (7, 9)]));
        assert_eq!(
            (found.n_points, found.ids.unwrap()),
            (3, ["7", "9", "100003"].map(String::from).to_vec())
        );
        assert_eq!((found.entries.rows, found.entries.columns), (vec![2, 0], vec![0, 1]));
        assert!(note.unwrap().starts_with("3 items with ids from 7 to 100003"));
        // Counted from 1: there is no item 0.
        assert_eq!(named(edges(&[(1, 2), (2, 3)])).0.ids.unwrap(), ["1", "2", "3"]);
    }
}
