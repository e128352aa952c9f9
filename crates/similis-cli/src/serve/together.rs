//! How probable it is that items share a cluster, as a square of cells that the page draws.

use serde_json::json;
use similis::latent_graph::CoAssignment;

use super::shown::{Shown, packed};
use crate::answer::Answer;
use crate::study::pictures::order;

/// Maximum number of cells on a side: more items share cells. Not tuned: about as many as a panel has pixels for.
const MOST_CELLS: usize = 160;

/// Maximum number of pairs of which a cell is the mean, on a side. Not tuned.
const MOST_IN_CELL: usize = 8;

/// Returns the length of the JSON and the JSON, the items in the order of the rows, and the cells row by row in thousandths; nothing
/// where the posterior was not sampled, or not all pairs are known.
pub(super) fn bytes(shown: &Shown) -> Option<Vec<u8>> {
    let Answer::Graph(_, fit) = &shown.answer else { return None };
    let posterior = fit.posterior.as_ref()?;
    // Of very many items only pairs that may be links are counted.
    if matches!(posterior.co_assignment, CoAssignment::Sparse(_)) {
        return None;
    }
    let rows = order(&shown.answer);
    let n = rows.len();
    let n_cells = n.min(MOST_CELLS);
    let groups: Vec<Vec<usize>> =
        (0..n_cells).map(|cell| spread(&rows[cell * n / n_cells..(cell + 1) * n / n_cells])).collect();
    let together = |i: usize, j: usize| posterior.co_assignment.pair(n, i, j).unwrap_or(0.0);
    let mut cells = Vec::with_capacity(n_cells * n_cells);
    for row in &groups {
        for column in &groups {
            let sum: f64 = row.iter().flat_map(|&i| column.iter().map(move |&j| together(i, j))).sum();
            cells.push((1000.0 * sum / (row.len() * column.len()) as f64).round() as i32);
        }
    }
    let items: Vec<i32> = rows.iter().map(|&row| shown.kept[row] as i32).collect();
    Some(packed(&json!({"n_items": n, "n_cells": n_cells}), &[&items, &cells]))
}

/// Some of the items, evenly chosen.
fn spread(items: &[usize]) -> Vec<usize> {
    let n = items.len().min(MOST_IN_CELL);
    (0..n).map(|at| items[at * items.len() / n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_items_are_all_taken_and_many_evenly() {
        assert_eq!(spread(&[4, 2, 9]), [4, 2, 9]);
        let many: Vec<usize> = (0..80).collect();
        assert_eq!(spread(&many), [0, 10, 20, 30, 40, 50, 60, 70]);
    }
}
