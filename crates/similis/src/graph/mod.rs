//! Which pairs of points may be neighbours, and the trees that join them.

pub(crate) mod canonical;
pub(crate) mod disjoint_sets;
pub(crate) mod forest;
pub(crate) mod grouped;
pub(crate) mod lengths;
pub(crate) mod link;
pub(crate) mod modes;
pub(crate) mod neighbours;
pub mod parts;
pub(crate) mod rooted;
pub(crate) mod shared;
pub(crate) mod sorted_rows;
pub(crate) mod spanning;
pub(crate) mod tournament;
pub(crate) mod tree_sums;

#[doc(hidden)]
pub use neighbours::{Neighbours, Search, nearest_neighbours, nearly_nearest_neighbours};
#[doc(hidden)]
pub use shared::n_computed;
pub use spanning::minimum_tree::minimum_spanning_tree;
pub use spanning::single_linkage::{Merge, single_linkage};
