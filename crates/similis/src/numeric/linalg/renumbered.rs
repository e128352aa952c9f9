//! Renumbering the points of a sparse matrix, so that neighbours lie near each other in memory.

use crate::numeric::linalg::decomposition;
use crate::numeric::linalg::operator::SparseOperator;
use crate::numeric::linalg::top_eigenpairs::Eigenpairs;
use crate::plan::crossover;

/// A sparse matrix with its points in another order; products with it find their rows in the cache more often.
#[derive(Clone, Debug)]
pub struct Renumbered {
    /// The old number of each point.
    old: Vec<usize>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Renumbered {
    /// The matrix with its points in breadth-first order, or `None` where that would not bring neighbours nearer.
    pub(crate) fn new(matrix: &SparseOperator<'_>) -> Option<Self> {
        let n_points = matrix.offsets.len().saturating_sub(1);
        if !crossover::renumbering_pays(n_points) {
            return None;
        }
        let old = breadth_first(matrix);
        let mut new = vec![0; n_points];
        old.iter().enumerate().for_each(|(position, &point)| new[point] = position);
        let spread = |number: &dyn Fn(usize) -> usize| -> usize {
            let rows = (0..n_points).step_by(16);
            rows.flat_map(|i| {
                neighbours(matrix, i).iter().map(move |&j| number(i).abs_diff(number(j as usize)))
            })
            .sum()
        };
        (spread(&|point| new[point]) < spread(&|point| point) / 2).then(|| Self::ordered(matrix, old, &new))
    }

    fn ordered(matrix: &SparseOperator<'_>, old: Vec<usize>, new: &[usize]) -> Self {
        let mut offsets = vec![0];
        let mut columns = Vec::with_capacity(matrix.columns.len());
        let mut values = Vec::with_capacity(matrix.values.len());
        for &point in &old {
            columns.extend(neighbours(matrix, point).iter().map(|&j| new[j as usize] as u32));
            values.extend_from_slice(&matrix.values[matrix.offsets[point]..matrix.offsets[point + 1]]);
            offsets.push(columns.len());
        }
        Self { old, offsets, columns, values }
    }

    /// The matrix in its new order.
    pub(crate) fn operator(&self) -> SparseOperator<'_> {
        SparseOperator { offsets: &self.offsets, columns: &self.columns, values: &self.values }
    }

    /// Vectors of the old order, `width` numbers for each point, in the new order.
    pub(crate) fn reordered(&self, vectors: &[f64], width: usize) -> Vec<f64> {
        self.old.iter().flat_map(|&point| &vectors[point * width..(point + 1) * width]).copied().collect()
    }

    /// Eigenpairs of the new order, in the old order.
    pub(crate) fn restored(&self, mut found: Eigenpairs) -> Eigenpairs {
        let width = found.values.len();
        let mut vectors = vec![0.0; found.vectors.len()];
        for (row, &point) in found.vectors.chunks_exact(width.max(1)).zip(&self.old) {
            vectors[point * width..(point + 1) * width].copy_from_slice(row);
        }
        decomposition::fix_signs(&mut vectors, width);
        found.vectors = vectors;
        found
    }
}

fn neighbours<'a>(matrix: &SparseOperator<'a>, point: usize) -> &'a [u32] {
    &matrix.columns[matrix.offsets[point]..matrix.offsets[point + 1]]
}

/// The points, component by component, in breadth-first order from one that lies at the edge of its component.
fn breadth_first(matrix: &SparseOperator<'_>) -> Vec<usize> {
    let n_points = matrix.offsets.len() - 1;
    let mut seen = vec![false; n_points];
    let mut order = Vec::with_capacity(n_points);
    for point in 0..n_points {
        if !seen[point] {
            let first = order.len();
            visit(matrix, point, &mut seen, &mut order);
            let edge = order[order.len() - 1];
            order.drain(first..).for_each(|point| seen[point] = false);
            visit(matrix, edge, &mut seen, &mut order);
            // An entry without its mirror image may keep the second visit from a point of the first.
            if !seen[point] {
                visit(matrix, point, &mut seen, &mut order);
            }
        }
    }
    order
}

/// Appends the points reached from `start`, nearest first.
fn visit(matrix: &SparseOperator<'_>, start: usize, seen: &mut [bool], order: &mut Vec<usize>) {
    let mut next = order.len();
    seen[start] = true;
    order.push(start);
    while next < order.len() {
        for neighbour in neighbours(matrix, order[next]).iter().map(|&j| j as usize) {
            if !seen[neighbour] {
                seen[neighbour] = true;
                order.push(neighbour);
            }
        }
        next += 1;
    }
}
