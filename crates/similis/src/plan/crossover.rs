//! Sizes at which one algorithm replaces another.

/// Least number of points for which a kd-tree finds neighbours faster than a look at all pairs. Not tuned.
const LEAST_FOR_A_TREE: usize = 200;

/// Least number of rows asked at once for which building a kd-tree pays, as a part of [`LEAST_FOR_A_TREE`].
const LEAST_ROWS: usize = 20;

/// Most dimensions of a kd-tree: in more, a search visits nearly every leaf. `docs/evidence/scale.md`.
const MOST_DIMENSIONS: usize = 15;

/// Least number of points of a cluster whose minimum spanning tree is built on a kd-tree. No measurement is recorded.
const LEAST_FOR_A_CLUSTER_TREE: usize = 300;

/// Most points whose pairs are all summed; of more points given by coordinates sums are estimated from the pairs of
/// [`N_SUMMED`] of them, about 1% off. `docs/evidence/scale.md`.
const MOST_SUMMED: usize = 5_000;

/// Most sparse points whose distances are all kept, in $4 n^2$ bytes: a search of few points looks at every pair many times. Not
/// tuned: 100 MB.
const MOST_KEPT_SPARSE: usize = 5_000;

/// Number of points whose pairs a sum is estimated from. Not tuned.
pub(crate) const N_SUMMED: usize = 4_000;

/// Pairs looked at for the mean squared distance of the number score, but at least those of [`LEAST_SQUARED_ROWS`] points. Not
/// tuned.
const N_SQUARED_PAIRS: usize = 20_000_000;
const LEAST_SQUARED_ROWS: usize = 16;

/// Most points of a cluster whose medoid is found by a look at all pairs. `docs/guide/pictures.md`.
const MOST_EXACT_MEDOID: usize = 2_000;

/// Most points for which the co-assignment of every pair is kept: $8 n^2$ bytes are 200 MB there.
const MOST_CO_ASSIGNED: usize = 5_000;

/// Greatest number of points of which the spanning forests of a support are counted. Counting those of 3,000 points takes about as long
/// as sampling them.
const MOST_WITH_COUNTED_FORESTS: usize = 3_000;

/// Most rows of a matrix that is decomposed in full instead of by Krylov iterations. Not tuned.
const MOST_FULL_EIGEN: usize = 300;

/// Least rows of a sparse matrix that is renumbered so that near rows lie together in memory. Not tuned.
const LEAST_RENUMBERED: usize = 10_000;

/// Least number of nodes of a component in which blocks are looked for: of fewer, eigenvalues by chance vary too much. Not tuned.
const LEAST_WITH_BLOCKS: usize = 50;

/// Largest number of nodes for which a hundred eigenpairs are computed where thirty do not reach those of chance. Not tuned: they
/// take about a minute.
const MOST_WITH_MANY_BLOCKS: usize = 100_000;

/// Least number of points for which nearest-neighbour descent is faster than a look at every pair, without matrix products and
/// with them. No measurement is recorded.
const LEAST_FOR_DESCENT: [usize; 2] = [4_000, 40_000];

/// Pairs looked at to tell the items of a matrix or a graph apart, and least and greatest number of passes over them. Not
/// tuned: about a second.
const N_COLOURED_PAIRS: usize = 400_000_000;
const COLOUR_ROUNDS: [usize; 2] = [8, 2_000];

/// Most coordinates of the points that one job of points in parts holds, and most points. Not tuned: half a gigabyte.
const MOST_COORDINATES_IN_A_GROUP: usize = 64_000_000;
const MOST_IN_A_GROUP: usize = 250_000;

/// The most points of this number of dimensions that one job of points in parts holds, about.
pub(crate) fn most_in_a_group(n_dimensions: usize) -> usize {
    (MOST_COORDINATES_IN_A_GROUP / n_dimensions.max(1)).clamp(1, MOST_IN_A_GROUP)
}

/// Number of passes over all pairs to tell the items of a matrix or a graph apart.
pub(crate) fn n_colour_rounds(n_pairs: usize) -> usize {
    let [least, most] = COLOUR_ROUNDS;
    (N_COLOURED_PAIRS / n_pairs.max(1)).clamp(least, most)
}

/// Whether points are put in order by all their distances, as the items of a matrix are.
pub(crate) fn orders_by_lengths(n_points: usize) -> bool {
    n_points <= super::MOST_WHOLE
}

/// Whether points in few dimensions are put in the order of a space-filling curve, which can be found part by part.
pub(crate) fn orders_by_curve(n_points: usize) -> bool {
    n_points > super::MOST_SEARCHED
}

/// Whether nearest-neighbour descent is faster than a look at every pair, which matrix products make fast for some metrics.
pub(crate) fn nn_descent_pays(n_points: usize, by_products: bool) -> bool {
    n_points >= LEAST_FOR_DESCENT[usize::from(by_products)]
}

/// Whether a kd-tree of these points pays where all of them are asked for their neighbours.
pub(crate) fn kd_tree_pays(n_points: usize) -> bool {
    n_points >= LEAST_FOR_A_TREE
}

/// Whether a kd-tree of these points pays where `n_rows` items are asked for their neighbours.
pub(crate) fn kd_tree_pays_for(n_points: usize, n_rows: usize) -> bool {
    kd_tree_pays(n_points) && n_rows >= LEAST_ROWS
}

/// Whether a kd-tree can be searched fast in this number of dimensions.
pub(crate) fn few_dimensions(n_dimensions: usize) -> bool {
    n_dimensions <= MOST_DIMENSIONS
}

/// Whether the minimum spanning tree of a cluster of this size is built on a kd-tree.
pub(crate) fn kd_tree_pays_for_cluster(size: usize) -> bool {
    size >= LEAST_FOR_A_CLUSTER_TREE
}

/// Whether sums over the pairs of these points are estimated.
pub(crate) fn sums_are_estimated(n_points: usize) -> bool {
    n_points > MOST_SUMMED
}

/// The number of points whose pairs the mean squared distance is computed from.
pub(crate) fn n_squared_rows(n_points: usize) -> usize {
    n_points.min((N_SQUARED_PAIRS / n_points.max(1)).max(LEAST_SQUARED_ROWS))
}

/// Whether the medoid of a cluster of this size is exact.
pub(crate) fn medoid_is_exact(size: usize) -> bool {
    size <= MOST_EXACT_MEDOID
}

/// Whether the co-assignment of every pair of these points is kept.
pub(crate) fn keeps_every_co_assignment(n_points: usize) -> bool {
    n_points <= MOST_CO_ASSIGNED
}

/// Whether the spanning forests of a support of this number of points are counted; otherwise their number is bounded.
pub(crate) fn counts_forests(n_points: usize) -> bool {
    n_points <= MOST_WITH_COUNTED_FORESTS
}

/// Whether blocks are looked for in a component of a graph with this number of nodes.
pub(crate) fn may_have_blocks(n_nodes: usize) -> bool {
    n_nodes >= LEAST_WITH_BLOCKS
}

/// Whether a component of this size is worth the eigenpairs that many blocks need.
pub(crate) fn may_have_many_blocks(n_nodes: usize) -> bool {
    n_nodes <= MOST_WITH_MANY_BLOCKS
}

/// Whether a matrix of this size is decomposed in full.
pub(crate) fn decomposes_in_full(n_rows: usize) -> bool {
    n_rows <= MOST_FULL_EIGEN
}

/// Whether a sparse matrix of this size is worth renumbering.
pub(crate) fn renumbering_pays(n_rows: usize) -> bool {
    n_rows >= LEAST_RENUMBERED
}

/// Whether all distances of this number of sparse points are kept.
pub(crate) fn keeps_sparse_distances(n_points: usize) -> bool {
    n_points <= MOST_KEPT_SPARSE
}
