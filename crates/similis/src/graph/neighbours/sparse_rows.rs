//! The nearest neighbours of sparse points: products of rows through an index of the columns.

use crate::graph::neighbours::Found;
use crate::input::metric::sparse::MeasuredSparse;
use crate::input::sparse_points::SparseRow;
use crate::run::observer::Observer;
use crate::run::parallel;

/// Number of points whose lists one thread fills at a time. Not tuned.
const ROWS: usize = 64;

/// The points of every column, by which the products $x \cdot y$ of a row with all points are found in the time of the entries
/// that it shares with them. As $|x - y|^2 = |x|^2 + |y|^2 - 2 x \cdot y$ they rule out, for certain, most of what is far; only the
/// rest is measured by the metric itself.
pub(crate) struct Index<'a> {
    points: &'a MeasuredSparse,
    /// The columns that any point has, rising.
    columns: Vec<u32>,
    /// The entries of column k of these are `offsets[k]..offsets[k + 1]`.
    offsets: Vec<usize>,
    entries: Vec<(u32, f64)>,
    /// The squared length of each row.
    squares: Vec<f64>,
    /// No squared distance is wrong by more than this times (the squared length of the row + the greatest).
    rounding: f64,
    greatest: f64,
}

impl<'a> Index<'a> {
    pub(crate) fn new(points: &'a MeasuredSparse) -> Self {
        let rows = points.points();
        let n = rows.n_points();
        let mut columns = rows.columns().to_vec();
        parallel::sort_by(&mut columns, u32::cmp);
        let mut offsets = vec![0];
        let runs = columns.chunk_by(|a, b| a == b);
        runs.for_each(|run| offsets.push(offsets[offsets.len() - 1] + run.len()));
        columns.dedup();
        let mut next = offsets.clone();
        let mut entries = vec![(0, 0.0); rows.n_entries()];
        for i in 0..n {
            let row = rows.row(i);
            for (column, &value) in row.columns.iter().zip(row.values) {
                let at = columns.partition_point(|other| other < column);
                entries[next[at]] = (i as u32, value);
                next[at] += 1;
            }
        }
        let squares: Vec<f64> = (0..n).map(|i| squared_length(rows.row(i))).collect();
        let longest = (0..n).map(|i| rows.row(i).values.len()).max().unwrap_or(0);
        // Sums of n terms round by at most n epsilon of their absolute values; there are four such sums.
        let rounding = 16.0 * (longest + 8) as f64 * f64::EPSILON;
        let greatest = squares.iter().copied().fold(0.0, f64::max);
        Self { points, columns, offsets, entries, squares, rounding, greatest }
    }

    pub(crate) fn points(&self) -> &'a MeasuredSparse {
        self.points
    }

    /// Adds the products of a row with all points to `products`, which are zeros.
    fn add_products(&self, row: SparseRow<'_>, products: &mut [f64]) {
        for (column, &x) in row.columns.iter().zip(row.values) {
            if let Ok(at) = self.columns.binary_search(column) {
                let own = &self.entries[self.offsets[at]..self.offsets[at + 1]];
                own.iter().for_each(|&(j, y)| products[j as usize] += x * y);
            }
        }
    }

    /// The products of a row with all points, and what else tells which of them are far.
    pub(crate) fn asked<'b>(&'b self, row: SparseRow<'b>, products: &'b mut Vec<f64>) -> Asked<'b> {
        products.clear();
        products.resize(self.squares.len(), 0.0);
        self.add_products(row, products);
        let square = squared_length(row);
        // Rows that are asked about may be longer than those of the index.
        let own = 16.0 * (row.values.len() + 8) as f64 * f64::EPSILON;
        let rounding = self.rounding.max(own) * (square + self.greatest);
        Asked { index: self, products, rounding, slack: rounding - square }
    }
}

fn squared_length(row: SparseRow<'_>) -> f64 {
    row.values.iter().map(|x| x * x).sum()
}

/// A row, compared with all points.
pub(crate) struct Asked<'a> {
    index: &'a Index<'a>,
    products: &'a [f64],
    /// No squared distance is wrong by more than this.
    rounding: f64,
    /// That, less the squared length of the row.
    slack: f64,
}

impl Asked<'_> {
    /// The squared distance to point `j`, up to rounding, less the squared length of the row.
    #[inline]
    fn estimate(&self, j: usize) -> f64 {
        self.index.squares[j] - 2.0 * self.products[j]
    }

    /// Whether point `j` may be as near as a distance, whose squared difference ([`MeasuredSparse::squared`]) is given.
    #[inline]
    pub(crate) fn may_be_within(&self, squared: f64, j: usize) -> bool {
        self.estimate(j) <= squared + self.slack
    }
}

/// Returns the `count` nearest neighbours of every point, nearest first, of equally near ones the lower number first; `None` if
/// the observer cancels.
pub(crate) fn lists(
    points: &MeasuredSparse,
    count: usize,
    observer: &dyn Observer,
) -> Option<Vec<Vec<Found>>> {
    let n = points.n_points();
    let count = count.min(n - 1);
    if count == 0 {
        return Some(vec![Vec::new(); n]);
    }
    let index = Index::new(points);
    let blocks = parallel::map_until(n.div_ceil(ROWS), observer, |block| {
        let mut memory = Memory::default();
        let rows = block * ROWS..n.min((block + 1) * ROWS);
        rows.map(|i| nearest(&index, i, count, &mut memory)).collect::<Vec<_>>()
    })?;
    Some(blocks.into_iter().flatten().collect())
}

/// The nearest neighbours of point `i`: those that may be among the nearest by their products are measured.
fn nearest(index: &Index<'_>, i: usize, count: usize, memory: &mut Memory) -> Vec<Found> {
    let points = index.points;
    let Memory { products, estimates } = memory;
    let asked = index.asked(points.points().row(i), products);
    let others = || (0..points.n_points()).filter(|&j| j != i);
    estimates.clear();
    estimates.extend(others().map(|j| asked.estimate(j)));
    let (_, &mut greatest, _) = estimates.select_nth_unstable_by(count - 1, f64::total_cmp);
    // Both this one and a nearer one may be off.
    let most = greatest + 2.0 * asked.rounding;
    let near = others().filter(|&j| asked.estimate(j) <= most);
    let mut list: Vec<Found> = near.map(|j| (points.distance(i, j), j as u32)).collect();
    list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    list.truncate(count);
    list
}

/// Memory for reuse.
#[derive(Default)]
struct Memory {
    products: Vec<f64>,
    estimates: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::sparse_points::SparsePoints;
    use crate::run::observer::Silent;
    use rand::RngExt;

    /// Points with few coordinates that are not 0, some of them equal.
    pub(crate) fn sparse(n: usize, n_dimensions: usize, n_entries: usize) -> Points<'static> {
        let mut random = crate::run::random::stream(7, n as u64);
        let mut values = vec![0.0; n * n_dimensions];
        for i in 0..n {
            values[i * n_dimensions + i % 3] = 1.0;
            for _ in 0..n_entries {
                let column = random.random_range(0..n_dimensions);
                values[i * n_dimensions + column] = f64::from(random.random_range(-2i8..4));
            }
        }
        Points::new(values, n, n_dimensions).unwrap()
    }

    #[test]
    fn lists_and_trees_are_those_of_the_same_points_with_all_their_zeros() {
        for (case, metric) in
            [Metric::Cosine, Metric::Euclidean, Metric::SquaredEuclidean].into_iter().enumerate()
        {
            let dense = sparse(150 + 100 * case, 40, 2 + 3 * case);
            let rows = SparsePoints::from_points(&dense);
            let found = MeasuredSparse::new(rows, metric).unwrap().without_kept();
            let dense = Dissimilarity::from_points(dense, metric).unwrap();
            let other = Dissimilarity::from_measured_sparse(found.clone());
            for count in [0, 1, 9, 400] {
                for (i, list) in lists(&found, count, &Silent).unwrap().into_iter().enumerate() {
                    let others = (0..dense.n_points()).filter(|&j| j != i);
                    let mut all: Vec<Found> = others.map(|j| (dense.pair(i, j).unwrap(), j as u32)).collect();
                    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    all.truncate(count);
                    assert_eq!(list, all, "{metric:?}, point {i}");
                }
            }
            let (tree, expected) =
                (minimum_spanning_tree(&other, &Silent), minimum_spanning_tree(&dense, &Silent));
            assert_eq!(tree, expected, "{metric:?}");
        }
    }
}
