//! Neighbour lists and the minimum spanning tree of points that lie in several parts: the same bits as of all points together.
//!
//! The points are numbered along a space-filling curve ([`Curve`]) and cut into *cells* of consecutive ones ([`cell`]). What
//! needs coordinates is done cell by cell, with one other cell at a time beside it:
//!
//! 1. the lists of the nearest neighbours of a cell's points, in the cell and in those near it ([`lists`]);
//! 2. the minimum spanning forest of the pairs that these lists hold;
//! 3. the shortest way from a cell's points to other components ([`ways`]).
//!
//! In between, one place that knows no coordinates merges the forests, tells which links surely belong to the tree, and joins
//! components by the ways that were found, until there is one ([`growth`]).
//!
//! In more than 15 dimensions boxes tell nothing. Points are numbered by their coordinates then, lists are made within overlapping
//! groups ([`groups`]), and the tree is that of the listed pairs, as in one place.

pub mod cell;
pub mod entries;
pub mod groups;
pub mod growth;
pub mod lists;
pub mod order;
pub mod preparation;
pub mod ways;

pub use crate::graph::canonical::curve::{Curve, corners};
pub use crate::graph::spanning::kruskal::Ranked;
pub use cell::{Cell, Outline, has_boxes};
pub use entries::Entries;
pub use groups::{Groups, lists_of_group, nearest_to_each, proven_share};
pub use growth::{Growth, Way, insert};
pub use lists::CellLists;
pub use order::Order;
pub use preparation::Preparation;
pub use ways::Seeking;

#[cfg(test)]
mod tests;
