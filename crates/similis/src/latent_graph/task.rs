//! What is to be clustered, and within which bounds.

use super::number::Range;
use crate::constraints::Constraints;
use crate::dissimilarity::Dissimilarity;
use crate::observer::Observer;

/// What every way of inference is given.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) observed: &'a Dissimilarity<'a>,
    /// From how many to how many clusters there may be.
    pub(super) range: Range,
    pub(super) constraints: &'a Constraints,
    pub(super) observer: &'a dyn Observer,
}
