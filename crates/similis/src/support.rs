//! Which pairs of points may be neighbours, and the trees that join them.

mod boruvka;
mod kd_tree;
mod kruskal;
mod leaf_search;
mod minimum_tree;
mod nearest;
mod neighbours;
mod prim;
mod reduced;
mod rows;

pub use minimum_tree::minimum_spanning_tree;
pub use neighbours::{Neighbours, nearest_neighbours};

#[cfg(test)]
mod tests;
