//! What every start, move and score of a search looks at.

use super::lengths::Link;
use super::listed_tree::listed_tree;
use super::tree::components;
use crate::dissimilarity::Dissimilarity;
use crate::observer::{Observer, Uncancelled};
use crate::support::{Neighbours, minimum_spanning_tree, nearest_neighbours};

/// How many neighbours of each point are listed.
const N_LISTED: usize = 30;

/// How many where time and memory must be linear in the number of points.
const N_LISTED_AT_SCALE: usize = 15;

/// Links shorter than this part of the mean link count as this long: duplicates have no length to learn a scale from.
const FLOOR: f64 = 0.01;

/// The observed pairs, their global tree, and the nearest neighbours of each point: computed once, shared by all.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    /// The global tree, shortest link first; see [`global_tree`].
    pub(crate) tree: Vec<Link>,
    /// The 30 nearest neighbours of each point (of many points 15), or all if there are fewer.
    pub(crate) neighbours: Neighbours,
    /// How many neighbours were asked for.
    pub(crate) n_listed: usize,
    /// Whether trees are those of the listed neighbours, as all pairs would take too long.
    pub(crate) by_lists: bool,
    /// The mean length of the links of the global tree that were observed.
    pub(crate) mean_link: f64,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(observed: &'a Dissimilarity<'a>, observer: &dyn Observer) -> Self {
        Self::with_neighbours(observed, observer, N_LISTED)
    }

    /// As [`Ground::new`], for a search of many points: 15 neighbours are listed. Where a few of them may have been missed, the
    /// global tree is that of the lists ([`listed_tree`]).
    pub(crate) fn at_scale(observed: &'a Dissimilarity<'a>, observer: &dyn Observer) -> Self {
        let neighbours = nearest_neighbours(observed, N_LISTED_AT_SCALE);
        let by_lists = !neighbours.is_exact();
        let tree = if by_lists {
            let all: Vec<usize> = (0..observed.n_points()).collect();
            listed_tree(observed, &neighbours, &all)
        } else {
            global_tree(observed, observer)
        };
        Self { by_lists, ..Self::on(observed, tree, neighbours, N_LISTED_AT_SCALE) }
    }

    /// As [`Ground::new`], for whoever asks for no neighbours: none are listed.
    pub(crate) fn without_neighbours(observed: &'a Dissimilarity<'a>, observer: &dyn Observer) -> Self {
        Self::with_neighbours(observed, observer, 0)
    }

    fn with_neighbours(observed: &'a Dissimilarity<'a>, observer: &dyn Observer, n_listed: usize) -> Self {
        let neighbours = match n_listed {
            0 => Neighbours::none(observed.n_points()),
            n => nearest_neighbours(observed, n),
        };
        Self::on(observed, global_tree(observed, observer), neighbours, n_listed)
    }

    fn on(observed: &'a Dissimilarity<'a>, tree: Vec<Link>, neighbours: Neighbours, n_listed: usize) -> Self {
        let lengths = || tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let n_links = lengths().count().max(1) as f64;
        let mean = lengths().map(|length| length / n_links).sum::<f64>();
        let mean_link = if mean > 0.0 { mean } else { 1.0 };
        Self { observed, tree, neighbours, n_listed, by_lists: false, mean_link }
    }

    pub(crate) fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    /// What shorter links count as.
    pub(crate) fn floor(&self) -> f64 {
        FLOOR * self.mean_link
    }
}

/// The tree of the nearest, or most similar, pairs over all points; where the observed pairs do not join them, parts are
/// joined to the first by links of infinite length (sparse) or that were not observed (dense).
///
/// It is built to the end even for whoever cancels: scales, supports and scores are nothing without it.
pub(super) fn global_tree(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Vec<Link> {
    let n = observed.n_points();
    let mut tree = minimum_spanning_tree(observed, &Uncancelled(observer));
    if tree.len() + 1 < n {
        let length = if observed.sparse().is_some() { f64::INFINITY } else { f64::NAN };
        let parts = components(n, tree.iter().copied());
        // Parts are numbered in the order of their first points.
        let mut n_met = 1;
        for (to, &part) in parts.as_slice().iter().enumerate() {
            if part == n_met {
                tree.push(Link { from: 0, to, length });
                n_met += 1;
            }
        }
    }
    tree
}
