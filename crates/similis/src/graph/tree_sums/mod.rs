//! Sums over all spanning trees of a graph.

pub(crate) mod dense;
