//! Which pairs of points may be neighbours.

mod kd_tree;
mod neighbours;

pub use neighbours::{Neighbours, nearest_neighbours};
