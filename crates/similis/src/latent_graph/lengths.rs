//! The lengths of all pairs, and which pairs may be links.

use super::tree::components;
use crate::dissimilarity::Dissimilarity;
use crate::support::nearest_neighbours;

/// Which pairs may be links of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Every pair, the paper's choice.
    #[default]
    Complete,
    /// Near neighbours, and the links of the global spanning tree, so that the support is connected.
    Nearest,
    /// The pairs that a sparse input lists.
    Given,
}

/// A link between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// How long it is; NaN for a pair that was not observed, infinite for one that is forbidden.
    pub length: f64,
}

/// The length of every pair: NaN where it was not observed, infinite where a link is forbidden.
///
/// The two must not be mixed: a missing pair may be a link at no gain, a forbidden one may not be a link.
#[derive(Debug)]
pub struct Lengths<'a> {
    observed: &'a Dissimilarity<'a>,
    allowed: Option<Vec<Vec<u32>>>,
    any_missing: bool,
}

impl<'a> Lengths<'a> {
    /// Every pair may be a link.
    pub fn complete(observed: &'a Dissimilarity<'a>) -> Self {
        Self { observed, allowed: None, any_missing: !observed.is_complete() }
    }

    /// Only observed pairs may be links.
    pub fn given(observed: &'a Dissimilarity<'a>) -> Self {
        let listed = |i: usize| {
            let mut others = Vec::new();
            observed.for_each_pair(i, |j, _| others.push(j as u32));
            others
        };
        let allowed = (0..observed.n_points()).map(listed).collect();
        Self { observed, allowed: Some(allowed), any_missing: false }
    }

    /// Only the `n_neighbours` nearest neighbours of each point, and `tree`, may be links.
    pub fn nearest(observed: &'a Dissimilarity<'a>, n_neighbours: usize, tree: &[Link]) -> Self {
        let n = observed.n_points();
        let neighbours = nearest_neighbours(observed, n_neighbours);
        let mut allowed = vec![Vec::new(); n];
        let mut allow = |i: usize, j: usize| {
            allowed[i].push(j as u32);
            allowed[j].push(i as u32);
        };
        (0..n).for_each(|i| neighbours.of(i).for_each(|(j, _)| allow(i, j)));
        tree.iter().filter(|link| link.length.is_finite()).for_each(|link| allow(link.from, link.to));
        for others in &mut allowed {
            others.sort_unstable();
            others.dedup();
        }
        Self { observed, allowed: Some(allowed), any_missing: false }
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    /// Whether a link may be a pair that was not observed.
    pub fn any_missing(&self) -> bool {
        self.any_missing
    }

    /// The length of the pair (i, j).
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        let forbidden =
            self.allowed.as_ref().is_some_and(|allowed| allowed[i].binary_search(&(j as u32)).is_err());
        if forbidden { f64::INFINITY } else { self.observed.pair(i, j).unwrap_or(f64::NAN) }
    }

    /// Calls `visit(j, length)` for each of `others`, none of which is `i`.
    pub(super) fn for_each_among(&self, i: usize, others: &[usize], mut visit: impl FnMut(usize, f64)) {
        match &self.allowed {
            Some(_) => others.iter().for_each(|&j| visit(j, self.pair(i, j))),
            None => self.observed.for_each_among(i, others, visit),
        }
    }

    /// The points that `i` may be linked to, where not every pair is allowed.
    pub(super) fn allowed(&self, i: usize) -> Option<&[u32]> {
        self.allowed.as_ref().map(|allowed| &allowed[i][..])
    }

    /// Into how many parts the support falls.
    pub(super) fn n_parts(&self) -> usize {
        let n = self.n_points();
        let links = |from: usize| {
            let others = self.allowed(from).unwrap_or_default().iter();
            others.map(move |&to| Link { from, to: to as usize, length: 0.0 })
        };
        if self.allowed.is_none() { 1 } else { components(n, (0..n).flat_map(links)).n_clusters() }
    }

    /// Writes the lengths from `i` to every point into `row`.
    pub fn fill(&self, i: usize, row: &mut [f64]) {
        if let Some(allowed) = &self.allowed {
            row.fill(f64::INFINITY);
            allowed[i].iter().for_each(|&j| row[j as usize] = self.pair(i, j as usize));
        } else {
            row.fill(f64::NAN);
            self.observed.for_each_pair(i, |j, length| row[j] = length);
        }
    }

    /// The sum over all observed pairs $i < j$ of `value(length)`.
    pub fn sum(&self, value: impl Fn(f64) -> f64 + Sync + Send) -> f64 {
        let rows = crate::parallel::map(self.n_points(), |i| {
            let mut sum = 0.0;
            self.observed.for_each_pair(i, |j, length| {
                if j > i {
                    sum += value(length);
                }
            });
            sum
        });
        rows.iter().sum()
    }
}
