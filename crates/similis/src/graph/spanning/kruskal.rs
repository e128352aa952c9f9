//! Minimum spanning forests of lists of links, by Kruskal's method.

use std::cmp::Ordering;

use crate::graph::disjoint_sets::DisjointSets;
use crate::run::parallel;

/// A link in the order in which links are taken: length, then the numbers of its ends.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ranked {
    /// What links are ordered by; never NaN.
    pub length: f64,
    /// The lower number first.
    pub ends: (u32, u32),
}

impl Ranked {
    /// Returns the link of two points.
    pub fn new(length: f64, a: u32, b: u32) -> Self {
        Self { length, ends: (a.min(b), a.max(b)) }
    }

    /// Whether this link is taken before another: no two links are equal, so every tree is unique.
    pub fn before(&self, other: &Self) -> bool {
        self < other
    }
}

/// Returns the links that join what those before them have not joined, shortest first.
pub(crate) fn minimum_forest(n_points: usize, mut links: Vec<Ranked>) -> Vec<Ranked> {
    sort(&mut links);
    let mut sets = DisjointSets::new(n_points);
    links.retain(|link| sets.join(link.ends.0 as usize, link.ends.1 as usize));
    links
}

/// Puts links into the order in which they are taken.
pub(crate) fn sort(links: &mut [Ranked]) {
    parallel::sort_by(links, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
}
