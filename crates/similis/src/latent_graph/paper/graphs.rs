//! The graphs of all clusters while points move: spanning trees, or the K nearest neighbours of Eq. (9).

use crate::graph::forest::Forest;
use crate::graph::forest::change::Change;
use crate::graph::link::{Link, LinkOrder};
use crate::latent_graph::paper::neighbour_lists::NeighbourLists;

/// The graph of every cluster, kept while points move.
#[derive(Clone, Debug)]
pub(crate) enum Graphs<'a> {
    Trees(Box<Forest<'a>>),
    Lists(NeighbourLists<'a>),
}

impl Graphs<'_> {
    pub(crate) fn labels(&self) -> &[usize] {
        match self {
            Self::Trees(forest) => forest.labels(),
            Self::Lists(lists) => lists.labels(),
        }
    }

    pub(crate) fn members(&self, cluster: usize) -> &[usize] {
        match self {
            Self::Trees(forest) => forest.members(cluster),
            Self::Lists(lists) => lists.members(cluster),
        }
    }

    pub(crate) fn links(&self, cluster: usize) -> Vec<Link> {
        match self {
            Self::Trees(forest) => forest.tree(cluster).collect(),
            Self::Lists(lists) => lists.links(cluster).collect(),
        }
    }

    pub(crate) fn set_order(&mut self, cluster: usize, order: LinkOrder) {
        match self {
            Self::Trees(forest) => forest.set_order(cluster, order),
            Self::Lists(lists) => lists.set_order(cluster, order),
        }
    }

    pub(crate) fn remove(&mut self, i: usize) {
        match self {
            Self::Trees(forest) => drop(forest.remove(i)),
            Self::Lists(lists) => drop(lists.remove(i)),
        }
    }

    pub(crate) fn insertion(&mut self, i: usize, cluster: usize, row: &[f64]) -> Change {
        match self {
            Self::Trees(forest) => forest.insertion(i, cluster),
            Self::Lists(lists) => lists.insertion(i, cluster, row),
        }
    }

    pub(crate) fn insert(&mut self, i: usize, cluster: usize, change: &Change) {
        match self {
            Self::Trees(forest) => forest.insert(i, cluster, change),
            Self::Lists(lists) => lists.insert(i, cluster, change),
        }
    }
}
