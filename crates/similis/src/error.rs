//! Every mistake a caller can make.

use crate::quantity::{Conversion, Quantity};

/// A mistake in what a caller passed: what must hold, what was given, what to try.
///
/// Rows and columns count from 0; [`Error::counted_from`] changes that.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to cluster.
    #[error("at least one point is needed, got none")]
    NoPoints,
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
    /// A sparse entry is listed twice.
    #[error("row {row}, column {column} is listed twice; list every pair once")]
    Duplicate {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// More points than an index can number.
    #[error("at most {} points are possible, got {given}", u32::MAX)]
    TooManyPoints {
        /// Number of points given.
        given: usize,
    },
    /// The exponent of the Minkowski metric is no exponent.
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
    /// A search was asked for under a likelihood or a graph prior that it does not know.
    #[error(
        "inference search needs the likelihood exponential and the graph prior tree; leave inference out, or say paper"
    )]
    Inference,
    /// A length that is none.
    #[error(
        "typical_length must be a finite number above 0, got {given}; leave it out for the mean link of the global tree"
    )]
    TypicalLength {
        /// What was given.
        given: f64,
    },
    /// Sampling was asked for without a density to integrate scales with.
    #[error("inference sample integrates scales out and needs a prior for them; set scale_prior to weak")]
    NeedsScalePrior,
    /// Nothing would be sampled.
    #[error("{setting} must be at least 1, got 0")]
    ZeroSampling {
        /// The setting.
        setting: &'static str,
    },
    /// A part of all sweeps that is none.
    #[error(
        "burn_in must be a number from 0 to below 1, the part of the sweeps that is left out, got {given}"
    )]
    BurnIn {
        /// What was given.
        given: f64,
    },
    /// No partition to start a chain from.
    #[error(
        "no partition into connected classes was found to start from; allow more clusters or a wider support"
    )]
    NoStart,
    /// Something that only trees have was asked of other graphs.
    #[error("{purpose} is known for trees only; set graph_prior to tree")]
    NeedsTrees {
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
    /// A step would need more memory than allowed.
    #[error("{what} needs {} but the memory limit is {}; {instead}", bytes(*needed), bytes(*limit))]
    Memory {
        /// What would be held.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        instead: &'static str,
    },
    /// The scale of an affinity is no scale.
    #[error("gamma must be a finite number above 0, got {given}; leave it out to have it searched")]
    Gamma {
        /// The scale given.
        given: f64,
    },
    /// A count of neighbours below 1.
    #[error("affinity_neighbours must be at least 1, got {given}")]
    Neighbours {
        /// The count given.
        given: usize,
    },
    /// Noise where only the search knows it.
    #[error(
        "noise = background needs inference = search, with an exponential likelihood and the prior tree; leave the others out, or set noise = none"
    )]
    NoiseInference,
    /// A range of numbers of clusters that is none, or that the points cannot have.
    #[error(
        "n_clusters must be a range from 1 or more up to at most the number of points, {n_points}, got {least}-{most}"
    )]
    NClustersRange {
        /// Least number given.
        least: usize,
        /// Greatest number given.
        most: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A number of clusters that the points cannot have.
    #[error("n_clusters must be between 1 and the number of points, {n_points}, got {given}")]
    NClusters {
        /// Number given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A number of features that the points cannot have.
    #[error("n_features must be between 1 and the number of points, {n_points}, got {given}")]
    NFeatures {
        /// Number given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A floor under the variances that is none.
    #[error("psi_floor must lie between 1e-12 and 1, got {given}: it is a part of the features' variance")]
    PsiFloor {
        /// The floor given.
        given: f64,
    },
    /// A setting has no such value.
    #[error("{setting} must be {}, got {given:?}", either(known))]
    Setting {
        /// The setting.
        setting: &'static str,
        /// The value given.
        given: String,
        /// The values there are.
        known: Vec<&'static str>,
    },
    /// No restart at all.
    #[error("n_restarts must be at least 1, got 0")]
    NRestarts,
    /// Too few points to draw every class of a shape.
    #[error("n_points must be at least {least} to draw a shape, got {given}")]
    TooFewForShape {
        /// Number of points given.
        given: usize,
        /// The least number of points.
        least: usize,
    },
    /// No background makes Theorem 1 hold.
    #[error(
        "background theorem needs a gap between the class and all lengths: {least:.6} must exceed {variance:.6}, which no \
         learned scale allows; set background to fitted"
    )]
    Theorem {
        /// The least squared distance of a length from the scale (for the exponential: the least length).
        least: f64,
        /// The variance of the class (for the exponential: its scale).
        variance: f64,
    },
    /// A support in more parts than clusters.
    #[error(
        "{purpose} needs clusters that hang together, and the pairs that may be links leave {n_parts} parts that nothing \
         joins, more than n_clusters, {n_clusters}; ask for at least {n_parts} clusters, set support to complete, or leave it \
         to the search, which joins parts"
    )]
    Parts {
        /// What needs clusters in one piece.
        purpose: &'static str,
        /// Number of parts.
        n_parts: usize,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// Points that the observed pairs do not join.
    #[error(
        "a dendrogram needs pairs that join all points, got {n_parts} parts that nothing joins; cluster each part by itself"
    )]
    Unjoined {
        /// Number of parts.
        n_parts: usize,
    },
    /// A number of neighbours below 1.
    #[error("{setting} must be at least 1, got 0")]
    ZeroNeighbours {
        /// The setting.
        setting: &'static str,
    },
    /// Known labels of another number of points.
    #[error("known_labels must hold one entry for each of the {n_points} points, got {given}")]
    KnownLabels {
        /// Number of entries given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// More known classes than clusters.
    #[error(
        "known_labels name {given} classes, but n_clusters is {n_clusters}; ask for at least as many clusters"
    )]
    KnownClasses {
        /// Number of classes that are named.
        given: usize,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// Known labels leave too few points for the other clusters.
    #[error(
        "{n_clusters} clusters need more points without a known label: {given} are left for {wanted} clusters"
    )]
    KnownTooMany {
        /// Points without a known label.
        given: usize,
        /// Clusters that no known label names.
        wanted: usize,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// A pair of side information names a point that does not exist.
    #[error("{list} names row {row}, but there are only {n_points} points")]
    LinkRange {
        /// The list: must_link or cannot_link.
        list: &'static str,
        /// The row given.
        row: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A point that may not share a cluster with itself.
    #[error(
        "cannot_link names row {row} twice in one pair, but a point shares every cluster with itself; leave the pair out"
    )]
    CannotLinkSelf {
        /// The row.
        row: usize,
    },
    /// Must-links tie points with different known labels.
    #[error(
        "must_link ties the rows {}, but known_labels gives the first {first_label} and the last {second_label}; \
         leave out one of these pairs or labels",
        listed(chain, " - ")
    )]
    MustLinkLabels {
        /// The points from one to the other, each must-linked with the next.
        chain: Vec<usize>,
        /// The known label of the first.
        first_label: usize,
        /// The known label of the last.
        second_label: usize,
    },
    /// A cannot-link between points with the same known label.
    #[error(
        "cannot_link parts the rows {} and {}, but known_labels gives both {label}; leave out the pair or a label",
        rows[0], rows[1]
    )]
    CannotLinkLabels {
        /// The two points.
        rows: [usize; 2],
        /// The label of both.
        label: usize,
    },
    /// A cannot-link between points that are tied.
    #[error(
        "cannot_link parts the rows {} and {}, but must_link (or equal known_labels) ties {}; \
         leave out one of these pairs",
        chain.first().unwrap_or(&0), chain.last().unwrap_or(&0), listed(chain, " - ")
    )]
    LinkContradiction {
        /// The points from one of the parted ones to the other, each tied to the next.
        chain: Vec<usize>,
    },
    /// Must-links leave fewer groups than clusters.
    #[error(
        "must_link leaves only {given} groups for {n_clusters} clusters; ask for at most {given} clusters"
    )]
    MustLinkTooMany {
        /// Groups of tied points, and points that are not tied.
        given: usize,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// More points that are all parted from each other than clusters.
    #[error(
        "the rows {} must all be in different clusters, but n_clusters is {n_clusters}; ask for at least {} clusters",
        listed(points, ", "), points.len()
    )]
    CannotLinkClique {
        /// The points.
        points: Vec<usize>,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// Cannot-links that so few clusters cannot keep.
    #[error(
        "no partition into {n_clusters} clusters that keeps every pair of cannot_link apart {}; ask for more clusters",
        if *proven { "exists" } else { "was found" }
    )]
    CannotLinkTooMany {
        /// Number of clusters.
        n_clusters: usize,
        /// Whether it is certain that there is none.
        proven: bool,
    },
    /// A setting of the score that is no such number.
    #[error("{setting} must be a finite number {}, got {given}", if *setting == "shape" { "above 0" } else { "of at least 0" })]
    ScoreSetting {
        /// The setting.
        setting: &'static str,
        /// The number given.
        given: f64,
    },
    /// Fewer class distributions than clusters.
    #[error("every cluster needs a class distribution: {n_clusters} clusters, {n_classes} classes")]
    ClassLengths {
        /// Number of clusters.
        n_clusters: usize,
        /// Number of classes.
        n_classes: usize,
    },
    /// A partition without any class.
    #[error("at least one point must belong to a class, got {n_points} points that are all noise")]
    NoClasses {
        /// Number of points.
        n_points: usize,
    },
    /// A class without points.
    #[error("classes must be numbered 0, 1, .. without a gap, but no point has the label {class}")]
    EmptyClass {
        /// The number that is missing.
        class: usize,
    },
    /// A number of a saved model that it cannot have.
    #[error("{name} of a model must be a finite number {}, got {given}", model_range(name))]
    ModelNumber {
        /// Which number.
        name: &'static str,
        /// What was given.
        given: f64,
    },
    /// A link of a saved model that is none.
    #[error(
        "a link of a model must join two points of one class by a length of 0 or more, got {from} to {to} of length {length}"
    )]
    ModelLink {
        /// One end.
        from: usize,
        /// The other.
        to: usize,
        /// The length given.
        length: f64,
    },
    /// Links of a saved model that are not the trees of its classes.
    #[error(
        "the links of a model must be a spanning tree of each class: {expected} links and no ring, got {given} links"
    )]
    ModelLinks {
        /// Number of links given.
        given: usize,
        /// Number of links of the trees.
        expected: usize,
    },
    /// A saved model with more or fewer lengths of noise points than such points.
    #[error("a model of {expected} noise points must have as many lengths of theirs, got {given}")]
    ModelNoise {
        /// Number of lengths given.
        given: usize,
        /// Number of noise points.
        expected: usize,
    },
    /// A saved model with more or fewer points than labels.
    #[error("a model of {n_points} labels must have as many points, got {given}")]
    ModelPoints {
        /// Number of points given.
        given: usize,
        /// Number of labels.
        n_points: usize,
    },
    /// New points with other columns than the model's.
    #[error("new points must have as many columns as those of the model, {expected}, got {given}")]
    NewColumns {
        /// Columns of the new points.
        given: usize,
        /// Columns of the model's.
        expected: usize,
    },
    /// A block of distances that does not fit the model.
    #[error(
        "distances of {n_new} new items to the {n_points} points of the model take {n_new} rows of {n_points} numbers, got {given} numbers"
    )]
    NewDistances {
        /// Number of new items.
        n_new: usize,
        /// Number of points of the model.
        n_points: usize,
        /// How many numbers were given.
        given: usize,
    },
    /// A distance of a new item to a point of the model that is none.
    #[error(
        "row {row}, column {column}: the distance of a new item must be a finite number of at least 0, got {given}; give all of them"
    )]
    NewDistance {
        /// The new item.
        row: usize,
        /// The point of the model.
        column: usize,
        /// What was there.
        given: f64,
    },
    /// Points were given to a model that has none.
    #[error(
        "the model was made of distances and has no points; give the distances of each new item to its {n_points} points"
    )]
    NoModelPoints {
        /// Number of points of the model.
        n_points: usize,
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

impl Error {
    /// Returns the rows that contradict each other, where pairs of points do; counted from 0.
    pub fn rows_of_pairs(&self) -> &[usize] {
        match self {
            Self::CannotLinkSelf { row } => std::slice::from_ref(row),
            Self::CannotLinkLabels { rows, .. } => rows,
            Self::MustLinkLabels { chain: rows, .. }
            | Self::LinkContradiction { chain: rows }
            | Self::CannotLinkClique { points: rows, .. } => rows,
            _ => &[],
        }
    }

    /// Returns the error with rows and columns counted from `first` instead of 0, as people and files count.
    #[must_use]
    pub fn counted_from(mut self, first: usize) -> Self {
        match &mut self {
            Self::Coordinate { row, column, .. }
            | Self::Missing { row, column, .. }
            | Self::Infinite { row, column, .. }
            | Self::Negative { row, column, .. }
            | Self::Asymmetric { row, column, .. }
            | Self::Duplicate { row, column }
            | Self::NewDistance { row, column, .. }
            | Self::Conversion { row, column, .. } => {
                *row += first;
                *column += first;
            }
            Self::Diagonal { row, .. }
            | Self::Direction { row, .. }
            | Self::Latitude { row, .. }
            | Self::LinkRange { row, .. }
            | Self::CannotLinkSelf { row } => {
                *row += first;
            }
            Self::CannotLinkLabels { rows, .. } => rows.iter_mut().for_each(|row| *row += first),
            Self::LinkContradiction { chain: rows }
            | Self::MustLinkLabels { chain: rows, .. }
            | Self::CannotLinkClique { points: rows, .. } => {
                rows.iter_mut().for_each(|row| *row += first);
            }
            _ => {}
        }
        self
    }
}

fn negative_cure(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Distances => "if these are similarities, say so",
        Quantity::Similarities => "shift or clip the similarities first",
    }
}

/// Which numbers a model may have.
fn model_range(name: &str) -> &'static str {
    match name {
        "step" => "of at least 0",
        "shape" => "above 0 and at most 1e6",
        _ => "above 0",
    }
}

/// Rows with something between them; of many only the first and the last.
fn listed(rows: &[usize], between: &str) -> String {
    const MOST: usize = 12;
    let words = |rows: &[usize]| rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(between);
    if rows.len() <= MOST {
        return words(rows);
    }
    let (first, last) = (&rows[..MOST / 2], &rows[rows.len() - MOST / 2..]);
    format!("{}{between}..{between}{}", words(first), words(last))
}

/// The words as a list in a sentence: "a, b or c".
fn either(words: &[&str]) -> String {
    match words {
        [first @ .., second, last] => {
            let listed: Vec<&str> = first.iter().chain([second]).copied().collect();
            format!("{} or {last}", listed.join(", "))
        }
        _ => words.concat(),
    }
}

/// Returns a number of bytes as people write it.
pub fn bytes(n: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// Returns an error if `needed` bytes are more than `limit`.
///
/// # Errors
///
/// [`Error::Memory`], made of the arguments.
pub fn check_memory(
    needed: u64,
    limit: Option<u64>,
    what: &'static str,
    instead: &'static str,
) -> Result<(), Error> {
    match limit {
        Some(limit) if needed > limit => Err(Error::Memory { what, needed, limit, instead }),
        _ => Ok(()),
    }
}
