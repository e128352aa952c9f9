//! Local search: moves of points, subtrees, components and whole clusters.

pub(crate) mod by_likelihood;
pub(crate) mod by_score;
pub(crate) mod components;
pub(crate) mod local_scales;
pub(crate) mod parts;
pub(crate) mod subtrees;
