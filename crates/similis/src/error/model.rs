//! Mistakes in a saved model, and in items to predict.

/// A mistake in a saved model, or in new items.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
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
    /// Invalid number in a saved model.
    #[error("{name} of a model must be a finite number {}, got {given}", model_range(name))]
    ModelNumber {
        /// Which number.
        name: &'static str,
        /// What was given.
        given: f64,
    },
    /// Invalid link in a saved model.
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
    /// Invalid distance of a new item to a point of the model.
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
}

/// Which numbers a model may have.
fn model_range(name: &str) -> &'static str {
    match name {
        "step" => "of at least 0",
        "shape" => "above 0 and at most 1e6",
        _ => "above 0",
    }
}
