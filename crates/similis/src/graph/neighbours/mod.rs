//! Nearest neighbours.

pub(crate) mod all_pairs;
pub(crate) mod kd_tree;
pub(crate) mod leaf_search;
pub(crate) mod nearest;
pub(crate) mod nearest_of_some;
pub(crate) mod nn_descent;
pub(crate) mod reduced;
pub(crate) mod row_search;
pub(crate) mod sparse_rows;

use std::ops::Range;
use std::sync::Arc;

use crate::input::metric::MeasuredPoints;
use crate::input::metric::sparse::MeasuredSparse;
use crate::input::{Dissimilarity, Quantity};
use crate::plan::crossover;
use crate::run::observer::{Observer, Silent};
use crate::run::parallel;
use kd_tree::KdTree;
use nearest::listed;

/// Number of points that one thread handles at a time. Not tuned.
const PIECE: usize = 64;

/// A neighbour: distance and number, in the order in which neighbours are taken.
pub(crate) type Found = (f64, u32);

/// The nearest neighbours of every point, nearest first; of equally near ones the lower number comes first.
#[derive(Clone, Debug)]
pub struct Neighbours {
    lists: Arc<Lists>,
    /// Most neighbours of a point that are shown.
    most: usize,
}

/// A listed neighbour, in 12 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
struct Entry {
    distance: f64,
    index: u32,
}

/// The listed neighbours of all points, one list after the other.
#[derive(Debug)]
struct Lists {
    entries: Vec<Entry>,
    rows: Rows,
    exact: bool,
}

/// Where the list of each point is.
#[derive(Debug)]
enum Rows {
    /// The list of point i is `offsets[i]..offsets[i + 1]`.
    Offsets(Vec<usize>),
    /// Lists of the same length, in another order: that of point i comes after `places[i]` others.
    Even { length: usize, places: Vec<u32> },
}

impl Lists {
    fn n_points(&self) -> usize {
        match &self.rows {
            Rows::Offsets(offsets) => offsets.len() - 1,
            Rows::Even { places, .. } => places.len(),
        }
    }

    fn of(&self, i: usize, most: usize) -> Range<usize> {
        match &self.rows {
            Rows::Offsets(offsets) => offsets[i]..offsets[i].saturating_add(most).min(offsets[i + 1]),
            Rows::Even { length, places } => {
                let start = places[i] as usize * length;
                start..start + most.min(*length)
            }
        }
    }
}

impl Neighbours {
    fn new(lists: impl Iterator<Item = Vec<Found>>, exact: bool) -> Self {
        let (mut offsets, mut entries) = (vec![0], Vec::new());
        for list in lists {
            entries.extend(list.iter().map(|&(distance, index)| Entry { distance, index }));
            offsets.push(entries.len());
        }
        Self::whole(Lists { entries, rows: Rows::Offsets(offsets), exact })
    }

    fn whole(lists: Lists) -> Self {
        Self { lists: Arc::new(lists), most: usize::MAX }
    }

    /// No neighbours at all.
    pub(crate) fn none(n_points: usize) -> Self {
        let rows = Rows::Offsets(vec![0; n_points + 1]);
        Self::whole(Lists { entries: Vec::new(), rows, exact: false })
    }

    /// The first `count` neighbours of each point; nothing is copied.
    pub(crate) fn first(&self, count: usize) -> Self {
        Self { lists: Arc::clone(&self.lists), most: self.most.min(count) }
    }

    /// The lists of the same points numbered otherwise: `order[place]` is the new number of the point `place`.
    pub(crate) fn renumbered(&self, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        let list = |i: usize| {
            let mut list: Vec<Found> =
                self.of(place[i]).map(|(j, distance)| (distance, order[j] as u32)).collect();
            // Of equally near ones the lower number comes first.
            let ties = list.chunk_by_mut(|a, b| a.0 == b.0);
            ties.for_each(|ties| ties.sort_unstable_by_key(|&(_, j)| j));
            list
        };
        Self::new((0..order.len()).map(list), self.lists.exact)
    }

    /// The lists of some of the points (rising numbers), numbered 0, 1, ..: the neighbours that are among them.
    pub(crate) fn among(&self, kept: &[usize]) -> Self {
        let mut place = vec![u32::MAX; self.n_points()];
        kept.iter().enumerate().for_each(|(at, &i)| place[i] = at as u32);
        let own = |i: usize| self.of(i).filter(|&(j, _)| place[j] != u32::MAX);
        let list = |&i: &usize| own(i).map(|(j, distance)| (distance, place[j])).collect();
        Self::new(kept.iter().map(list), false)
    }

    /// The neighbours `(j, distance)` of point `i`, nearest first.
    pub fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> + ExactSizeIterator + '_ {
        let entries = &self.lists.entries[self.lists.of(i, self.most)];
        entries.iter().map(|entry| (entry.index as usize, entry.distance))
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.lists.n_points()
    }

    /// Number of listed pairs, each point's own counted for itself.
    pub fn n_pairs(&self) -> usize {
        (0..self.n_points()).map(|i| self.lists.of(i, self.most).len()).sum()
    }

    /// Whether no nearer point can have been missed; the distances are exact in any case.
    pub fn is_exact(&self) -> bool {
        self.lists.exact
    }
}

/// The same lists, wherever they are kept.
impl PartialEq for Neighbours {
    fn eq(&self, other: &Self) -> bool {
        let n = self.n_points();
        n == other.n_points()
            && self.is_exact() == other.is_exact()
            && (0..n).all(|i| self.of(i).eq(other.of(i)))
    }
}

/// How neighbours are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Whether the search is exact; default: a few neighbours may be missed if that saves much time.
    pub exact: bool,
    /// Random seed of a search that is not exact; default 0.
    pub seed: u64,
}

impl Search {
    /// Returns the `n_neighbours` nearest neighbours of every point: fewer where fewer pairs were observed.
    ///
    /// Points in few dimensions are found by a kd-tree, $O(n \log n)$. Of many points in many dimensions, or under another
    /// metric, nearly all neighbours are found by asking neighbours for their neighbours, unless the search must be exact.
    /// Otherwise all pairs are looked at. Where similarities are observed the nearest is the most similar, and similarities
    /// come back in place of distances.
    pub fn nearest_neighbours(&self, distances: &Dissimilarity<'_>, n_neighbours: usize) -> Neighbours {
        let found = self.nearest_neighbours_until(distances, n_neighbours, &Silent);
        // Nobody cancels.
        found.unwrap_or_else(|| Neighbours::none(distances.n_points()))
    }

    /// As [`Search::nearest_neighbours`], until the observer cancels: then `None`.
    pub(crate) fn nearest_neighbours_until(
        &self,
        distances: &Dissimilarity<'_>,
        n_neighbours: usize,
        observer: &dyn Observer,
    ) -> Option<Neighbours> {
        let n = distances.n_points();
        if let Some(points) = distances.sparse_points() {
            return self.of_sparse_points(points, n_neighbours, observer);
        }
        let Some(points) = distances.points() else {
            let lists = in_pieces(n, observer, |i, row| of_row(distances, i, n_neighbours, row))?;
            return Some(Neighbours::new(lists, true));
        };
        if let Some(tree) = Some(points).filter(|_| crossover::kd_tree_pays(n)).and_then(KdTree::new) {
            return by_tree(&tree, n_neighbours.min(n - 1), observer);
        }
        if self.exact || !nn_descent::is_faster(n, points.squared(0.0).is_some(), n_neighbours) {
            let lists = all_pairs::lists(points, n_neighbours, observer)?;
            return Some(Neighbours::new(lists.into_iter(), true));
        }
        let lists = nn_descent::lists(points, n_neighbours, self.seed, observer)?;
        Some(Neighbours::new(lists.into_iter(), false))
    }

    /// Of sparse points: by a look at the points that share a column, or by asking neighbours.
    fn of_sparse_points(
        &self,
        points: &MeasuredSparse,
        n_neighbours: usize,
        observer: &dyn Observer,
    ) -> Option<Neighbours> {
        let n = points.n_points();
        if self.exact || !nn_descent::is_faster(n, true, n_neighbours) {
            let lists = sparse_rows::lists(points, n_neighbours, observer)?;
            return Some(Neighbours::new(lists.into_iter(), true));
        }
        let lists = nn_descent::lists_of_sparse(points, n_neighbours, self.seed, observer)?;
        Some(Neighbours::new(lists.into_iter(), false))
    }
}

/// Returns what the search that may miss some finds, however few the points: for `examples/nn_descent_recall.rs`.
#[doc(hidden)]
pub fn nearly_nearest_neighbours(points: &MeasuredPoints<'_>, n_neighbours: usize, seed: u64) -> Neighbours {
    // Nobody cancels.
    let lists = nn_descent::lists(points, n_neighbours, seed, &Silent).unwrap_or_default();
    Neighbours::new(lists.into_iter(), false)
}

/// Returns the nearest neighbours of every point as [`Search`] finds them by default.
pub fn nearest_neighbours(distances: &Dissimilarity<'_>, n_neighbours: usize) -> Neighbours {
    Search::default().nearest_neighbours(distances, n_neighbours)
}

/// The lists of all points, in the order of the tree's leaves; `None` if the observer cancels.
fn by_tree(tree: &KdTree<'_>, count: usize, observer: &dyn Observer) -> Option<Neighbours> {
    let entries = listed(tree, count, Entry { distance: 0.0, index: 0 }, observer, |p, found| {
        let q = found.position as usize;
        Entry { distance: tree.length(p, q), index: tree.order[q] }
    })?;
    let mut places = vec![0; tree.n_points()];
    tree.order.iter().enumerate().for_each(|(p, &i)| places[i as usize] = p as u32);
    Some(Neighbours::whole(Lists { entries, rows: Rows::Even { length: count, places }, exact: true }))
}

/// The lists that `list(i, memory)` makes, in parallel; the memory is for reuse. `None` if the observer cancels.
fn in_pieces(
    n: usize,
    observer: &dyn Observer,
    list: impl Fn(usize, &mut Vec<Found>) -> Vec<Found> + Sync + Send,
) -> Option<impl Iterator<Item = Vec<Found>>> {
    let pieces = parallel::map_until(n.div_ceil(PIECE), observer, |piece| {
        let mut memory = Vec::new();
        let points = piece * PIECE..n.min((piece + 1) * PIECE);
        points.map(|i| list(i, &mut memory)).collect::<Vec<_>>()
    })?;
    Some(pieces.into_iter().flatten())
}

/// The list of point `i`, by a look at every pair.
fn of_row(distances: &Dissimilarity<'_>, i: usize, n_neighbours: usize, row: &mut Vec<Found>) -> Vec<Found> {
    let sign = if distances.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
    row.clear();
    distances.for_each_pair(i, |j, value| row.push((sign * value, j as u32)));
    first(row, n_neighbours).iter().map(|&(value, j)| (sign * value, j)).collect()
}

/// The first `count` of `row` in the order of distance, then number.
fn first(row: &mut [Found], count: usize) -> &[Found] {
    let order = |a: &Found, b: &Found| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let count = count.min(row.len());
    if count < row.len() {
        row.select_nth_unstable_by(count, order);
    }
    row[..count].sort_unstable_by(order);
    &row[..count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::sparse::SparseMatrix;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        #[test]
        fn neighbours_are_the_first_of_all_others_sorted(
            whole in prop::collection::vec(0i32..6, 2..60), k in 1usize..12
        ) {
            let coordinates: Vec<f64> = whole.iter().map(|&x| f64::from(x)).collect();
            let n = coordinates.len() / 2;
            let points = Points::new(coordinates[..2 * n].to_vec(), n, 2).unwrap();
            let distances = Dissimilarity::from_points(points, Metric::Manhattan).unwrap();
            let found = nearest_neighbours(&distances, k);
            for i in 0..n {
                let mut all: Vec<(f64, usize)> =
                    (0..n).filter(|&j| j != i).map(|j| (distances.pair(i, j).unwrap(), j)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.truncate(k);
                let listed: Vec<(f64, usize)> = found.of(i).map(|(j, distance)| (distance, j)).collect();
                prop_assert_eq!(listed, all);
            }
        }
    }

    #[test]
    fn the_tree_finds_what_all_pairs_find() {
        let mut random = crate::run::random::stream(31, 0);
        let metrics = [
            Metric::Euclidean,
            Metric::SquaredEuclidean,
            Metric::Manhattan,
            Metric::Chebyshev,
            Metric::Minkowski { p: 2.5 },
            Metric::Cosine,
            Metric::Correlation,
        ];
        for case in 0..70 {
            let (metric, d) = (metrics[case % 7], 2 + case % 9);
            // Lattices have ties and duplicates; all points equal cannot be parted.
            let place = |x: f64| match case % 3 {
                0 => x,
                1 => (3.0 * x).floor() + 1.0,
                _ => 2.0,
            };
            let same = case % 3 == 2 && matches!(metric, Metric::Correlation);
            let n = 200 + case;
            let values: Vec<f64> = (0..n * d)
                .map(|at| {
                    place(random.random())
                        + if same || metric == Metric::Correlation { (at % d) as f64 * 0.1 } else { 0.0 }
                })
                .collect();
            let Ok(distances) = Dissimilarity::from_points(Points::new(values, n, d).unwrap(), metric) else {
                continue;
            };
            // Long lists are not kept sorted while they grow.
            let k = if case % 2 == 0 { 1 + case % 20 } else { 32 + case };
            let found = nearest_neighbours(&distances, k);
            let mut row = Vec::new();
            for i in 0..n {
                let list = of_row(&distances, i, k, &mut row);
                let ours: Vec<Found> = found.of(i).map(|(j, distance)| (distance, j as u32)).collect();
                assert_eq!(ours, list, "{metric:?}, {d} dimensions, point {i}");
            }
        }
    }

    #[test]
    fn the_nearest_of_similarities_is_the_most_similar() {
        let pairs =
            Dissimilarity::from_condensed(vec![0.1, 0.9, 0.5], Quantity::Similarities, Checks::default())
                .unwrap();
        let found = nearest_neighbours(&pairs, 1);
        assert_eq!(found.of(0).collect::<Vec<_>>(), [(2, 0.9)]);
        assert_eq!(found.of(1).collect::<Vec<_>>(), [(2, 0.5)]);
    }

    #[test]
    fn only_observed_pairs_are_neighbours() {
        let edges = SparseMatrix::from_edges(4, &[(0, 1, 2.0), (0, 2, 1.0)]).unwrap();
        let pairs = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
        let found = nearest_neighbours(&pairs, 3);
        assert_eq!(found.of(0).collect::<Vec<_>>(), [(2, 1.0), (1, 2.0)]);
        assert_eq!(found.of(3).count(), 0);
    }
}
