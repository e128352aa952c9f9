//! Minimum spanning trees: of all points, of each cluster, of lists of near neighbours.

pub(crate) mod boruvka;
pub(crate) mod from_lists;
pub(crate) mod kruskal;
pub(crate) mod minimum_tree;
pub(crate) mod of_clusters;
pub(crate) mod of_some;
pub(crate) mod prim;
pub(crate) mod rows;
pub(crate) mod single_linkage;
pub(crate) mod sparse_rows;
pub(crate) mod spread;

#[cfg(test)]
mod tests;
