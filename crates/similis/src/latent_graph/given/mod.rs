//! Inference for given labels: their log joint, coarser and finer partitions, the probability of each link, random trees.

pub(crate) mod edge_probabilities;
pub(crate) mod levels;
pub(crate) mod log_joint;
pub(crate) mod random_trees;
