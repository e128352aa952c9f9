//! Which pairs of points may be neighbours.

mod neighbours;

pub use neighbours::{Neighbours, nearest_neighbours};
