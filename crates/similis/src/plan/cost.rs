//! What neighbours and the spanning tree cost, without which nothing can be searched, and what is done where there is no time for
//! them.
//!
//! Costs are those of `benchmarks/first_costs.py` (`docs/evidence/graphs-and-trees.md`), rounded: they say whether a time limit can be met, and
//! no result depends on them.

use super::crossover;

/// Neighbours and tree by a kd-tree: nanoseconds for each point and binary logarithm of their number, in one column, where there
/// are [`FITTED_POINTS`].
const BY_TREE: f64 = 40.0;

/// The exponent of the number of columns in that cost.
const BY_TREE_COLUMNS: f64 = 1.57;

/// Number of points that cost was fitted at: of more, each costs more, by an exponent that rises with each column beyond
/// [`FLAT_COLUMNS`] by [`GROWTH`], up to [`MOST_GROWTH`].
const FITTED_POINTS: f64 = 80_000.0;
const FLAT_COLUMNS: f64 = 3.0;
const GROWTH: f64 = 0.09;
const MOST_GROWTH: f64 = 0.6;

/// By a look at all pairs: nanoseconds for each pair, and for each of its columns.
const BY_PAIRS: [f64; 2] = [1.6, 0.165];

/// By nearest-neighbour descent: nanoseconds for each point, and for each of its columns.
const BY_DESCENT: [f64; 2] = [38_000.0, 370.0];

/// Number of points up to which a fit that is cancelled still finds all neighbours and the tree. Not tuned: they take at most about
/// a second.
const MOST_UNCUT: usize = 5_000;

/// Least and greatest number of points that are fitted in place of all where there is no time, and the product of points, columns
/// and these in between. Not tuned: the nearest of them to every point is found in a few seconds.
const CUT: [usize; 2] = [500, 2_000];
const CUT_WORK: usize = 20_000_000_000;

/// Least mean number of points of a cluster among them. Not tuned.
const LEAST_PER_CLUSTER: usize = 20;

/// How neighbours and the tree are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a kd-tree.
    Tree,
    /// By a look at all pairs.
    Pairs,
    /// By nearest-neighbour descent, and the tree from its lists.
    Descent,
}

impl Way {
    /// The way of points with this number of columns; `by_products` where distances are functions of products of rows.
    pub(crate) fn of_points(n_points: usize, n_columns: usize, by_products: bool) -> Self {
        if crossover::few_dimensions(n_columns) {
            Self::Tree
        } else if crossover::nn_descent_pays(n_points, by_products) {
            Self::Descent
        } else {
            Self::Pairs
        }
    }

    /// Seconds of one processor for neighbours and tree, about; rows in one cloud without clusters may take several times as long.
    pub(crate) fn seconds(self, n_points: usize, n_columns: usize) -> f64 {
        let (n, d) = (n_points as f64, n_columns as f64);
        let linear = |[one, column]: [f64; 2]| one + column * d;
        let nanoseconds = match self {
            Self::Tree => {
                let growth = (GROWTH * (d - FLAT_COLUMNS)).clamp(0.0, MOST_GROWTH);
                BY_TREE * d.powf(BY_TREE_COLUMNS) * (n / FITTED_POINTS).powf(growth) * n * n.log2().max(1.0)
            }
            Self::Pairs => linear(BY_PAIRS) * n * n,
            Self::Descent => linear(BY_DESCENT) * n,
        };
        nanoseconds / 1e9
    }
}

/// Number of points of the even sample that stands for all where a fit is cancelled before their neighbours are known, for this
/// number of clusters at least; `None` where all neighbours are found nevertheless.
pub(crate) fn cut_size(n_points: usize, n_columns: usize, n_clusters: usize) -> Option<usize> {
    let [least, most] = CUT;
    let size = (CUT_WORK / n_points.saturating_mul(n_columns).max(1)).clamp(least, most);
    let size = size.max(LEAST_PER_CLUSTER.saturating_mul(n_clusters));
    (n_points > MOST_UNCUT && size <= n_points / 2).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_that_were_measured() {
        // Points, columns, and seconds of `neighbours` and `tree` by benchmarks/first_costs.py.
        for (n, d, measured) in [
            (80_000, 2, 0.17),
            (320_000, 2, 0.70),
            (80_000, 5, 0.64),
            (320_000, 5, 3.04),
            (80_000, 8, 1.20),
            (320_000, 8, 10.2),
            (80_000, 15, 3.68),
            (10_000, 20, 0.48),
            (10_000, 80, 1.47),
            (40_000, 20, 1.81),
            (40_000, 80, 2.70),
        ] {
            let ratio = Way::of_points(n, d, true).seconds(n, d) / measured;
            assert!((0.6..1.6).contains(&ratio), "{n} x {d}: {ratio}");
        }
    }

    #[test]
    fn few_points_are_not_cut_and_many_columns_are_cut_to_fewer() {
        assert_eq!(cut_size(5_000, 100, 2), None);
        assert_eq!(cut_size(100_000, 2, 2), Some(2_000));
        assert_eq!(cut_size(1_000_000, 30, 2), Some(666));
        assert_eq!(cut_size(1_000_000, 300, 2), Some(500));
        assert_eq!(cut_size(1_000_000, 300, 100), Some(2_000));
        assert_eq!(cut_size(8_000, 2, 250), None);
    }
}
