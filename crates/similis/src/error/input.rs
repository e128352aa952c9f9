//! Mistakes in what was given: points, matrices, labels.

use crate::quantity::{Conversion, Quantity};

/// A mistake in what was given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// There is nothing to cluster.
    #[error("at least one point is needed, got none")]
    NoPoints,
    /// Columns of different lengths.
    #[error("columns must have as many rows as the first, {expected}, but column {column} has {given}")]
    MixedRows {
        /// The column, counted from 0.
        column: usize,
        /// Its rows.
        given: usize,
        /// Those of the first column.
        expected: usize,
    },
    /// Another number of mixed columns than were measured.
    #[error("there must be {expected} column{}, as when they were measured, got {given}", if *expected == 1 { "" } else { "s" })]
    MixedColumns {
        /// Number of columns given.
        given: usize,
        /// Number of columns measured.
        expected: usize,
    },
    /// Numbers where there were categories, or the other way round.
    #[error("column {column} must be of the kind that was measured: numbers or categories")]
    MixedKind {
        /// The column, counted from 0.
        column: usize,
    },
    /// Points that cannot lie in several parts.
    #[error(
        "points in parts need a metric that boxes can bound (euclidean, squared-euclidean, manhattan, chebyshev, cosine, \
         correlation or haversine), got {metric}; choose one of these, or cluster the points in one piece"
    )]
    NoParts {
        /// The metric.
        metric: &'static str,
    },
    /// Parts of the points that cannot be read.
    #[error("the parts of the points cannot be read; see what their reader says")]
    UnreadParts,
    /// More clusters than the sample of points in parts can tell apart.
    #[error(
        "points in parts are searched by a sample, which tells at most 200 clusters apart, got {n_clusters}; ask for fewer, or \
         cluster the points in one piece"
    )]
    ClustersInParts {
        /// Number of clusters.
        n_clusters: usize,
    },
    /// Points without coordinates.
    #[error("points must have at least one coordinate, got {n_points} points without any")]
    NoDimensions {
        /// Number of points given.
        n_points: usize,
    },
    /// A slice does not have the length its shape asks for.
    #[error("{n_rows} rows of {n_columns} columns take {expected} numbers, got {given}", expected = n_rows * n_columns)]
    Length {
        /// Rows asked for.
        n_rows: usize,
        /// Columns asked for.
        n_columns: usize,
        /// Length of the slice.
        given: usize,
    },
    /// A matrix of pairs is not square.
    #[error(
        "a matrix of pairs must be square, got {n_rows} rows and {n_columns} columns; if these are points, say so"
    )]
    NotSquare {
        /// Rows given.
        n_rows: usize,
        /// Columns given.
        n_columns: usize,
    },
    /// Condensed distances have a length no number of points gives.
    #[error(
        "condensed distances of n points have n (n - 1) / 2 entries, got {given}, which is no such number"
    )]
    Condensed {
        /// Length given.
        given: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error(
        "row {row}, column {column}: coordinates must be finite numbers, got {given}; remove or fill in that row"
    )]
    Coordinate {
        /// Row of the coordinate.
        row: usize,
        /// Column of the coordinate.
        column: usize,
        /// What was there.
        given: f64,
    },
    /// An entry of a matrix is NaN, and missing pairs were not allowed.
    #[error(
        "row {row}, column {column}: the {quantity} is not a number (NaN); if it was not observed, set missing to unobserved"
    )]
    Missing {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// What the matrix holds.
        quantity: Quantity,
    },
    /// An entry of a matrix is infinite.
    #[error(
        "row {row}, column {column}: a {quantity} must be finite, got {given}; leave out a pair that was not observed"
    )]
    Infinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// What was there.
        given: f64,
        /// What the matrix holds.
        quantity: Quantity,
    },
    /// A distance, or a similarity used as an affinity, is negative.
    #[error("row {row}, column {column}: the {quantity} must not be negative, got {given}; {}", negative_cure(*quantity))]
    Negative {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// What was there.
        given: f64,
        /// What the matrix holds.
        quantity: Quantity,
    },
    /// A point is not at distance 0 from itself.
    #[error(
        "row {row}, column {row}: the distance of a point to itself must be 0, got {given}; if these are similarities, say so"
    )]
    Diagonal {
        /// Row, and column, of the entry.
        row: usize,
        /// What was there.
        given: f64,
    },
    /// Two entries that should be one differ.
    #[error(
        "row {row}, column {column} holds {given} but row {column}, column {row} holds {mirrored}; \
         set symmetrise to mean, min or max to use such a matrix"
    )]
    Asymmetric {
        /// Row of the first entry.
        row: usize,
        /// Column of the first entry.
        column: usize,
        /// The first entry.
        given: f64,
        /// The entry across the diagonal (NaN where it is not listed).
        mirrored: f64,
    },
    /// The offsets of a sparse matrix are not those of its rows.
    #[error(
        "offset {position} of the sparse matrix is {given}; offsets start at 0, never fall, and end at the number of entries, {n_entries}"
    )]
    Offsets {
        /// Position in the offsets.
        position: usize,
        /// Offset given there.
        given: usize,
        /// Number of entries.
        n_entries: usize,
    },
    /// A sparse entry or an edge names a point that does not exist.
    #[error("row {row} names column {column}, but there are only {n_points} points (0 to {})", n_points.saturating_sub(1))]
    Column {
        /// Row of the entry.
        row: usize,
        /// Column given.
        column: usize,
        /// Number of points.
        n_points: usize,
    },
    /// An entry of sparse points is in a column that does not exist.
    #[error("row {row} names column {column}, but the points have only {n_dimensions} (0 to {})", n_dimensions.saturating_sub(1))]
    PointColumn {
        /// Row of the entry.
        row: usize,
        /// Column given.
        column: usize,
        /// Number of columns.
        n_dimensions: usize,
    },
    /// A coordinate of sparse points is listed twice.
    #[error("row {row}, column {column} is listed twice; list every coordinate once, or add them up")]
    Repeated {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// A metric that does not measure sparse points.
    #[error(
        "sparse points are measured by cosine, euclidean or squared_euclidean, got {metric}; use one of these, or give the points \
         as a dense table"
    )]
    SparseMetric {
        /// The metric's name.
        metric: &'static str,
    },
    /// A sparse entry is listed twice.
    #[error("row {row}, column {column} is listed twice; list every pair once")]
    Duplicate {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// A point that does not exist.
    #[error("there are {n_points} points, 0 to {}, so there is no point {given}", n_points.saturating_sub(1))]
    NoSuchPoint {
        /// The number given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// More points than an index can number.
    #[error("at most {} points are possible, got {given}", u32::MAX)]
    TooManyPoints {
        /// Number of points given.
        given: usize,
    },
    /// Invalid exponent of the Minkowski metric.
    #[error("the exponent p of the minkowski metric must be a finite number of at least 1, got {given}")]
    Minkowski {
        /// The exponent given.
        given: f64,
    },
    /// A row has no direction, and the metric measures angles.
    #[error(
        "row {row} has no direction (all its coordinates are {state}), so the {metric} metric cannot measure it; remove the row or use euclidean"
    )]
    Direction {
        /// The row.
        row: usize,
        /// The metric's name.
        metric: &'static str,
        /// What its coordinates are: zero, or equal.
        state: &'static str,
    },
    /// Points on a globe do not have two coordinates.
    #[error("the haversine metric takes two columns, latitude and longitude in radians, got {given}")]
    HaversineColumns {
        /// Number of columns given.
        given: usize,
    },
    /// A latitude beyond the poles.
    #[error(
        "row {row}: a latitude must lie between -pi/2 and pi/2, got {given}; haversine takes radians, so multiply degrees by pi/180"
    )]
    Latitude {
        /// The row.
        row: usize,
        /// The latitude given.
        given: f64,
    },
    /// Coordinates so large that their distances are infinite.
    #[error("the points lie so far apart that distances overflow; divide all coordinates by {divisor:e}")]
    Overflow {
        /// What to divide by.
        divisor: f64,
    },
    /// A similarity that the named conversion cannot turn into a distance.
    #[error("row {row}, column {column}: conversion {conversion} needs {}, got {given}", conversion.needs())]
    Conversion {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The similarity given.
        given: f64,
        /// The conversion asked for.
        conversion: Conversion,
    },
    /// The kernel conversion was asked of a form without a diagonal.
    #[error(
        "conversion kernel needs the diagonal, which a condensed or sparse matrix does not hold; give a square matrix"
    )]
    KernelDiagonal,
    /// Distances were given where similarities are needed.
    #[error("{purpose} needs similarities, got distances; make an affinity of them first")]
    NeedsSimilarities {
        /// What needs them.
        purpose: &'static str,
    },
    /// Similarities were given where distances are needed.
    #[error(
        "{purpose} needs distances, got similarities; name a conversion: one_minus, negative_log, inverse or kernel"
    )]
    NeedsDistances {
        /// What needs them.
        purpose: &'static str,
    },
    /// Distances were said to be normalised similarities.
    #[error(
        "normalised input must be similarities, got distances; leave normalised out to have an affinity made of them"
    )]
    NormalisedDistances,
    /// Fewer class distributions than clusters.
    #[error("every cluster needs a class distribution: {n_clusters} clusters, {n_classes} classes")]
    ClassLengths {
        /// Number of clusters.
        n_clusters: usize,
        /// Number of classes.
        n_classes: usize,
    },
    /// Two labellings of different numbers of points were compared.
    #[error("the two labellings must be of the same points, got {first} and {second} labels")]
    LabelLengths {
        /// Labels in the first.
        first: usize,
        /// Labels in the second.
        second: usize,
    },
}

impl InputError {
    /// Counts rows and columns from `first` instead of 0.
    pub(crate) fn count_from(&mut self, first: usize) {
        match self {
            Self::Coordinate { row, column, .. }
            | Self::Missing { row, column, .. }
            | Self::Infinite { row, column, .. }
            | Self::Negative { row, column, .. }
            | Self::Asymmetric { row, column, .. }
            | Self::Duplicate { row, column }
            | Self::Conversion { row, column, .. } => {
                *row += first;
                *column += first;
            }
            Self::Diagonal { row, .. } | Self::Direction { row, .. } | Self::Latitude { row, .. } => {
                *row += first;
            }
            _ => {}
        }
    }
}

fn negative_cure(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Distances => "if these are similarities, say so",
        Quantity::Similarities => "shift or clip the similarities first",
    }
}
