//! What is to be clustered, and within which bounds.

use crate::constraints::Constraints;
use crate::input::Dissimilarity;
use crate::latent_graph::search::number::Range;
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
