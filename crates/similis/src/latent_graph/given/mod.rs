//! Inference for given labels: their log joint, the probability of each link, random trees.

pub(crate) mod edge_probabilities;
pub(crate) mod log_joint;
pub(crate) mod random_trees;
