//! The clustering task: the input and its constraints.

use crate::constraints::Constraints;
use crate::input::Dissimilarity;
use crate::run::observer::Observer;

/// The input of every inference.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    /// The range of numbers of clusters to try.
    pub(crate) range: Range,
    pub(crate) constraints: &'a Constraints,
    /// How many equal points each stands for; empty: one.
    pub(crate) weights: &'a [f64],
    pub(crate) observer: &'a dyn Observer,
}

/// The range of numbers of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// True for `auto`: larger M are skipped once they cannot win.
    pub(crate) open: bool,
}
