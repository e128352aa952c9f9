//! Mistakes in settings: values, and settings that do not go together or do not fit the input.

use super::bytes;

/// A mistake in the settings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingError {
    /// Invalid typical_length.
    #[error(
        "typical_length must be a finite number above 0, got {given}; leave it out for the mean link of the spanning tree"
    )]
    TypicalLength {
        /// What was given.
        given: f64,
    },
    /// Settings that need all points in one place.
    #[error(
        "points in parts are clustered by the search, with exponential lengths, trees, the fitted background, no noise label and no \
         bounds on sizes; leave the other settings out, or cluster the points in one piece"
    )]
    InParts,
    /// Sampling without a prior on scales.
    #[error("inference sample integrates scales out and needs a prior for them; set scale_prior to weak")]
    NeedsScalePrior,
    /// A count of sampling, such as n_sweeps, that is 0.
    #[error("{setting} must be at least 1, got 0")]
    ZeroSampling {
        /// The setting.
        setting: &'static str,
    },
    /// Invalid burn_in.
    #[error(
        "burn_in must be a number from 0 to below 1, the fraction of sweeps discarded as warm-up, got {given}"
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
    /// Invalid gamma.
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
    /// Noise with an inference other than search.
    #[error(
        "noise = background needs inference = search, with an exponential likelihood and the prior tree; leave the others out, or set noise = none"
    )]
    NoiseInference,
    /// Invalid range of numbers of clusters, or one that exceeds the number of points.
    #[error(
        "n_clusters must be a range from 1 or more up to at most the number of points, {n_points}, got {least}-{most}{}",
        if least > most { "; the smaller number comes first" } else { "" }
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
    /// Invalid psi_floor.
    #[error(
        "psi_floor must lie between 1e-12 and 1, got {given}: it is a fraction of the features' variance"
    )]
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
    /// More runs than any computer has time and memory for.
    #[error("{setting} must be at most {most}, got {given}; give fewer")]
    TooMany {
        /// The setting.
        setting: &'static str,
        /// The count given.
        given: usize,
        /// The greatest count.
        most: usize,
    },
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
    /// A support with more components than clusters.
    #[error(
        "{purpose} needs connected clusters, but the graph has {n_parts} components and n_clusters is {n_clusters}; ask for at \
         least {n_parts} clusters, set support to complete, or set inference to search, which joins components"
    )]
    Parts {
        /// What needs connected clusters.
        purpose: &'static str,
        /// Number of components.
        n_parts: usize,
        /// Number of clusters.
        n_clusters: usize,
    },
    /// A graph of observed pairs that is not connected.
    #[error(
        "a dendrogram needs a connected graph, got {n_parts} components; cluster each component separately"
    )]
    Unjoined {
        /// Number of components.
        n_parts: usize,
    },
    /// Weights where features and classes are found together.
    #[error("weights of points are not for feature_inference = joint; leave them out, or set it to greedy")]
    WeightsOfJoint,
    /// What only the search knows.
    #[error(
        "{purpose}: only the latent graph model with inference = search knows them; leave them out, or choose that"
    )]
    NeedsSearch {
        /// What was asked for.
        purpose: &'static str,
    },
    /// A level that there is not.
    #[error(
        "there are levels of 1 to {most} clusters, got {given}; give a number among these, or ask for finer levels"
    )]
    Level {
        /// The number of clusters that was asked for.
        given: usize,
        /// That of the finest level.
        most: usize,
    },
    /// A number of neighbours below 1.
    #[error("{setting} must be at least 1, got 0")]
    ZeroNeighbours {
        /// The setting.
        setting: &'static str,
    },
    /// Invalid setting of the score.
    #[error("{setting} must be a finite number {}, got {given}", if *setting == "shape" { "above 0" } else { "of at least 0" })]
    ScoreSetting {
        /// The setting.
        setting: &'static str,
        /// The number given.
        given: f64,
    },
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
