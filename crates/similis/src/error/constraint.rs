//! Mistakes in side information: known labels and pairs that contradict themselves or the number of clusters.

/// A mistake in the side information.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConstraintError {
    /// Known labels of another number of points.
    #[error("known_labels must hold one entry for each of the {n_points} points, got {given}")]
    KnownLabels {
        /// Number of entries given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// The weight of a soft pair is not a number.
    #[error(
        "soft pair {at} must have a weight, a number, or a probability from 0 to 1; give a known one, or leave the pair out"
    )]
    PairWeight {
        /// The pair, counted from 0.
        at: usize,
    },
    /// Bounds on the sizes of clusters that no partition obeys.
    #[error(
        "no clusters of {n_points} points have min_size {least} and max_size {most}; lower min_size, or raise max_size"
    )]
    Sizes {
        /// Fewest points of a cluster.
        least: usize,
        /// Most points of a cluster.
        most: usize,
        /// Number of points.
        n_points: usize,
    },
    /// Bounds on the sizes of clusters, and a number of clusters that they do not allow.
    #[error(
        "with min_size and max_size {n_points} points have {fewest} to {largest} clusters, but n_clusters is {given}; \
         change one of them"
    )]
    SizesNumber {
        /// The numbers of clusters asked for.
        given: String,
        /// Fewest clusters.
        fewest: usize,
        /// Most clusters.
        largest: usize,
        /// Number of points.
        n_points: usize,
    },
    /// Bounds on sizes that could not be met.
    #[error(
        "no clusters were found that obey min_size and max_size together with labels, pairs and equal rows; \
         loosen the bounds, or allow another number of clusters"
    )]
    SizesNotMet,
    /// Weights of another number of points.
    #[error("weights must be one for each of the {n_points} points, got {given}")]
    NWeights {
        /// Number of weights given.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A weight that is none.
    #[error("weights must be finite numbers of at least 0, got {given} in row {row}")]
    Weight {
        /// The row.
        row: usize,
        /// What was given.
        given: f64,
    },
    /// A weight of 0 beside labels or pairs that are known.
    #[error(
        "a weight of 0, as in row {row}, leaves a point out, which labels or pairs that are known do not allow; \
         leave the row out of the input"
    )]
    ZeroWeight {
        /// The row.
        row: usize,
    },
    /// No point counts.
    #[error(
        "some weights must be above zero, but all are zero; leave the weights out, or give the points that count a weight of 1"
    )]
    NoWeight,
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
}

impl ConstraintError {
    /// Counts rows from `first` instead of 0.
    pub(crate) fn count_from(&mut self, first: usize) {
        match self {
            Self::LinkRange { row, .. } | Self::CannotLinkSelf { row } => *row += first,
            Self::CannotLinkLabels { rows, .. } => rows.iter_mut().for_each(|row| *row += first),
            Self::LinkContradiction { chain: rows }
            | Self::MustLinkLabels { chain: rows, .. }
            | Self::CannotLinkClique { points: rows, .. } => rows.iter_mut().for_each(|row| *row += first),
            _ => {}
        }
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
