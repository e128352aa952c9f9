//! What is to be clustered, and within which bounds.

use crate::constraints::Constraints;
use crate::input::Dissimilarity;
use crate::run::observer::Observer;

/// What every way of inference is given.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    /// From how many to how many clusters there may be.
    pub(crate) range: Range,
    pub(crate) constraints: &'a Constraints,
    pub(crate) observer: &'a dyn Observer,
}

/// From how many to how many clusters are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// Whether nobody asked for numbers so great that they cannot be the best.
    pub(crate) open: bool,
}
