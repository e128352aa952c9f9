//! Which pairs of points may be neighbours, and the trees that join them.

mod all_pairs;
mod boruvka;
mod kd_tree;
mod kruskal;
mod leaf_search;
mod leaving;
mod minimum_tree;
mod nearest;
mod neighbours;
mod nn_descent;
mod prim;
mod reduced;
mod row_search;
mod rows;
mod single_linkage;

pub(crate) use kd_tree::near_order;
pub use minimum_tree::minimum_spanning_tree;
#[doc(hidden)]
pub use neighbours::nearly_nearest_neighbours;
pub use neighbours::{Neighbours, Search, nearest_neighbours};
pub(crate) use row_search::{Nearest, RowSearch};
pub use single_linkage::{Merge, single_linkage};

#[cfg(test)]
mod tests;
