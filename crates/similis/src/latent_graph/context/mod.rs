//! What every step of a fit looks at: the observed pairs, neighbour lists, minimum spanning tree, support.

pub(crate) mod cluster_trees;
pub(crate) mod ground;
pub(crate) mod pair_lengths;
pub(crate) mod setup;
pub(crate) mod task;
