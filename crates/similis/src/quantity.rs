//! What the numbers of a matrix of pairs are, and how similarities become distances.

/// What the numbers of a matrix of pairs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Small means alike; never negative, 0 from a point to itself.
    Distances,
    /// Large means alike.
    Similarities,
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Distances => "distance",
            Self::Similarities => "similarity",
        })
    }
}

/// How a similarity becomes a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// $d = 1 - s$, for similarities of at most 1.
    OneMinus,
    /// $d = -\log s$, for similarities above 0 and of at most 1.
    NegativeLog,
    /// $d = 1 / s$, for similarities above 0.
    Inverse,
    /// $d = \sqrt{s_{ii} + s_{jj} - 2 s_{ij}}$, for kernels: inner products of unknown features.
    Kernel,
}
