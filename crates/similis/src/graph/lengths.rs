//! The lengths of all pairs, and which pairs may be links.

use crate::error::SettingError;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::error::Error;
use crate::graph::disjoint_sets::components;
use crate::graph::link::{Link, LinkOrder};
use crate::graph::neighbours::Neighbours;
use crate::graph::shared::shared_neighbours;
use crate::graph::sorted_rows::SortedRows;
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::plan::crossover::{self, N_SUMMED};
use crate::run::random::stream;
use crate::settings::Named;

/// Number of neighbours of each point that are listed if every pair may be a link: enough to find nearly every replacement
/// of a removed link. Not tuned.
const LISTED: usize = 15;

/// Which pairs may be links of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Every pair, the paper's choice.
    #[default]
    Complete,
    /// Near neighbours, and the links of the minimum spanning tree, so that the support is connected.
    Nearest,
    /// The pairs that a sparse input lists.
    Given,
}

impl Named for Support {
    const SETTING: &'static str = "support";
    const VALUES: &'static [(&'static str, Self)] =
        &[("complete", Self::Complete), ("nearest", Self::Nearest), ("given", Self::Given)];
}

/// The length of every pair: NaN where it was not observed, infinite where a link is forbidden.
///
/// The two must not be mixed: a missing pair may be a link at no gain, a forbidden one may not be a link. If the support has more
/// components than clusters, or must-links cross components, forbidden pairs are treated as missing, and used as links only
/// where nothing else connects a cluster.
#[derive(Debug)]
pub struct Lengths<'a> {
    observed: &'a Dissimilarity<'a>,
    allowed: Option<Allowed<'a>>,
    any_missing: bool,
    neighbours: Option<Neighbours>,
    /// The minimum spanning tree of the support, or its forest, where it is known: shortest link first.
    tree: Option<Vec<Link>>,
    joins: bool,
    parts: OnceLock<Labels>,
    /// The number of observed pairs and their mean length.
    all: OnceLock<(f64, f64)>,
    sorted: OnceLock<SortedRows>,
}

/// The pairs that may be links, row after row, others rising: row i is `offsets[i]..offsets[i + 1]`.
#[derive(Debug)]
struct Allowed<'a> {
    offsets: Cow<'a, [usize]>,
    others: Cow<'a, [u32]>,
    lengths: Cow<'a, [f64]>,
}

impl<'a> Allowed<'a> {
    /// Both directions of pairs that may come more than once, each with its observed length.
    fn new(observed: &Dissimilarity<'_>, pairs: impl Fn(&mut dyn FnMut(usize, usize))) -> Self {
        let n = observed.n_points();
        let mut ends = vec![0; n + 1];
        pairs(&mut |i, j| [i, j].into_iter().for_each(|end| ends[end + 1] += 1));
        (0..n).for_each(|i| ends[i + 1] += ends[i]);
        let mut others = vec![0; ends[n]];
        let mut next = ends.clone();
        pairs(&mut |i, j| {
            for (from, to) in [(i, j), (j, i)] {
                others[next[from]] = to as u32;
                next[from] += 1;
            }
        });
        let (mut offsets, mut once, mut lengths) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            let row = &mut others[ends[i]..ends[i + 1]];
            row.sort_unstable();
            for same in row.chunk_by(|a, b| a == b) {
                once.push(same[0]);
                lengths.push(observed.pair(i, same[0] as usize).unwrap_or(f64::NAN));
            }
            offsets.push(once.len());
        }
        Self { offsets: offsets.into(), others: once.into(), lengths: lengths.into() }
    }

    /// The observed pairs; those of a sparse matrix of distances, which has no diagonal, are borrowed.
    fn observed(observed: &'a Dissimilarity<'a>) -> Self {
        if let Some(matrix) = observed.sparse().filter(|_| observed.quantity() == Quantity::Distances) {
            return Self {
                offsets: matrix.offsets().into(),
                others: matrix.columns().into(),
                lengths: matrix.values().into(),
            };
        }
        let (mut offsets, mut others, mut lengths) = (vec![0], Vec::new(), Vec::new());
        for i in 0..observed.n_points() {
            observed.for_each_pair(i, |j, length| {
                others.push(j as u32);
                lengths.push(length);
            });
            offsets.push(others.len());
        }
        Self { offsets: offsets.into(), others: others.into(), lengths: lengths.into() }
    }

    fn row(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }
}

impl<'a> Lengths<'a> {
    /// Every pair may be a link.
    pub fn complete(observed: &'a Dissimilarity<'a>) -> Self {
        Self { any_missing: !observed.is_complete(), ..Self::on(observed, None) }
    }

    /// As [`Lengths::complete`], with lists of near neighbours, by which a forest finds most links that take the place of
    /// others without a look at all pairs.
    pub fn complete_with_lists(observed: &'a Dissimilarity<'a>) -> Self {
        let lengths = Self::complete(observed);
        // Missing pairs are in no list, and they may be cheaper than any.
        let neighbours = (!lengths.any_missing).then(|| shared_neighbours(observed, LISTED));
        Self { neighbours, ..lengths }
    }

    /// Only observed pairs may be links.
    pub fn given(observed: &'a Dissimilarity<'a>) -> Self {
        Self::on(observed, Some(Allowed::observed(observed)))
    }

    fn on(observed: &'a Dissimilarity<'a>, allowed: Option<Allowed<'a>>) -> Self {
        Self {
            observed,
            allowed,
            any_missing: false,
            neighbours: None,
            tree: None,
            joins: false,
            parts: OnceLock::new(),
            all: OnceLock::new(),
            sorted: OnceLock::new(),
        }
    }

    /// The same, where a cluster may be connected by pairs that are not allowed.
    pub(crate) fn joining(self) -> Self {
        Self { joins: true, ..self }
    }

    /// Whether a cluster may be connected by pairs that are not allowed.
    pub(crate) fn joins(&self) -> bool {
        self.joins
    }

    /// Only the `n_neighbours` nearest neighbours of each point, and `tree`, may be links.
    pub fn nearest(observed: &'a Dissimilarity<'a>, n_neighbours: usize, tree: &[Link]) -> Self {
        Self::nearest_of(observed, &shared_neighbours(observed, n_neighbours), n_neighbours, tree)
    }

    /// As [`Lengths::nearest`], where lists of neighbours are known.
    pub(crate) fn nearest_of(
        observed: &'a Dissimilarity<'a>,
        neighbours: &Neighbours,
        n_neighbours: usize,
        tree: &[Link],
    ) -> Self {
        let near = |i: usize| neighbours.of(i).take(n_neighbours);
        let allowed = Allowed::new(observed, |allow| {
            (0..observed.n_points()).for_each(|i| near(i).for_each(|(j, _)| allow(i, j)));
            tree.iter().filter(|link| link.length.is_finite()).for_each(|link| allow(link.from, link.to));
        });
        Self::on(observed, Some(allowed))
    }

    /// As these, with the minimum spanning tree of all points, where that is one of allowed pairs: trees of clusters are found
    /// faster by it.
    pub(crate) fn with_tree(self, tree: &[Link]) -> Self {
        let known = self.allowed.is_some() && self.observed.quantity() == Quantity::Distances;
        let finite = || tree.iter().filter(|link| link.length.is_finite()).copied().collect();
        Self { tree: known.then(finite), ..self }
    }

    /// The minimum spanning tree, or forest, of the allowed pairs by length, if it is known and this is its order.
    pub(crate) fn tree_in(&self, order: &LinkOrder) -> Option<&[Link]> {
        self.tree.as_deref().filter(|_| order.agrees(&LinkOrder::BY_LENGTH, self.any_missing))
    }

    /// The observed pairs.
    pub(crate) fn observed(&self) -> &'a Dissimilarity<'a> {
        self.observed
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
        let Some(allowed) = &self.allowed else { return self.observed.pair(i, j).unwrap_or(f64::NAN) };
        let row = allowed.row(i);
        let found = allowed.others[row.clone()].binary_search(&(j as u32));
        found.map_or(f64::INFINITY, |at| allowed.lengths[row.start + at])
    }

    /// Calls `visit(j, length)` for each of `others`, none of which is `i`.
    pub(crate) fn for_each_among(&self, i: usize, others: &[usize], mut visit: impl FnMut(usize, f64)) {
        match &self.allowed {
            Some(_) => others.iter().for_each(|&j| visit(j, self.pair(i, j))),
            None => self.observed.for_each_among(i, others, visit),
        }
    }

    /// The points that `i` may be linked to, where not every pair is allowed.
    pub(crate) fn allowed(&self, i: usize) -> Option<&[u32]> {
        self.allowed.as_ref().map(|allowed| &allowed.others[allowed.row(i)])
    }

    /// The links `(j, length)` of `i` that are allowed, where not every pair is.
    pub(crate) fn allowed_links(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.allowed.iter().flat_map(move |allowed| {
            let others = allowed.others[allowed.row(i)].iter().map(|&j| j as usize);
            others.zip(allowed.lengths[allowed.row(i)].iter().copied())
        })
    }

    /// Whether every pair may be a link.
    pub(crate) fn is_complete(&self) -> bool {
        self.allowed.is_none()
    }

    /// The lists of near neighbours, if there are any and theirs is this order.
    pub(crate) fn neighbours_in(&self, order: &LinkOrder) -> Option<&Neighbours> {
        let nearest_first = match self.observed.quantity() {
            Quantity::Distances => LinkOrder::BY_LENGTH,
            Quantity::Similarities => LinkOrder::BY_SIMILARITY,
        };
        self.neighbours.as_ref().filter(|_| order.agrees(&nearest_first, false))
    }

    /// The component of the support that each point is in; computed once.
    pub(crate) fn parts(&self) -> &Labels {
        let n = self.n_points();
        let links = |from: usize| {
            let others = self.allowed(from).unwrap_or_default().iter().map(|&to| to as usize);
            others.filter(move |&to| to > from).map(move |to| Link { from, to, length: 0.0 })
        };
        self.parts.get_or_init(|| match (&self.allowed, &self.tree) {
            (None, _) => Labels::new(&vec![0; n]),
            (_, Some(tree)) => components(n, tree.iter().copied()),
            _ => components(n, (0..n).flat_map(links)),
        })
    }

    /// The number of components of the support.
    pub(crate) fn n_parts(&self) -> usize {
        self.parts().n_clusters()
    }

    /// The sizes of the components of the support, largest first.
    pub(crate) fn part_sizes(&self) -> Vec<usize> {
        let mut sizes = self.parts().sizes();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    /// The same, unless there are more parts than clusters.
    pub(crate) fn in_few_parts(self, n_clusters: usize, purpose: &'static str) -> Result<Self, Error> {
        let n_parts = self.n_parts();
        if n_parts > n_clusters {
            Err(Error::Settings(SettingError::Parts { purpose, n_parts, n_clusters }))
        } else {
            Ok(self)
        }
    }

    /// Writes the lengths from `i` to every point into `row`.
    pub fn fill(&self, i: usize, row: &mut [f64]) {
        if self.allowed.is_some() {
            row.fill(f64::INFINITY);
            self.allowed_links(i).for_each(|(j, length)| row[j] = length);
        } else {
            row.fill(f64::NAN);
            self.observed.for_each_pair(i, |j, length| row[j] = length);
        }
    }

    /// The allowed links of every point in the order of their lengths; sorted once, for all runs.
    pub(crate) fn sorted(&self) -> &SortedRows {
        let n = self.n_points();
        let n_links = self.allowed.as_ref().map_or(n * n.saturating_sub(1), |allowed| allowed.others.len());
        self.sorted.get_or_init(|| SortedRows::new(n, n_links, |i, row| self.fill(i, row)))
    }

    /// The number of observed pairs and their mean length; estimated as [`Lengths::sum`] is, and computed once.
    pub(crate) fn mean_of_all(&self) -> (f64, f64) {
        *self.all.get_or_init(|| {
            let n = self.n_points() as f64;
            let n_pairs = if self.observed.is_measured() { 0.5 * n * (n - 1.0) } else { self.sum(|_| 1.0) };
            (n_pairs, self.sum(|length| length) / n_pairs.max(1.0))
        })
    }

    /// The sum over all observed pairs $i < j$ of `value(length)`; of more than 5,000 points that are not given by pairs it
    /// is estimated from all pairs of 4,000 of them, drawn at random once and for all.
    pub fn sum(&self, value: impl Fn(f64) -> f64 + Sync + Send) -> f64 {
        let n = self.n_points();
        if crossover::sums_are_estimated(n) && self.observed.is_measured() {
            return self.estimated_sum(value);
        }
        let rows = crate::run::parallel::map(self.n_points(), |i| {
            let mut sum = 0.0;
            self.observed.for_each_pair_above(i, |_, length| sum += value(length));
            sum
        });
        rows.iter().sum()
    }

    fn estimated_sum(&self, value: impl Fn(f64) -> f64 + Sync + Send) -> f64 {
        let n = self.n_points();
        sum_over(self.observed, &drawn_for_sums(n), n, value)
    }
}

/// The points, in rising order, from whose pairs sums over those of `n_points` points are estimated.
pub(crate) fn drawn_for_sums(n_points: usize) -> Vec<usize> {
    let mut drawn = rand::seq::index::sample(&mut stream(0, 0), n_points, N_SUMMED).into_vec();
    drawn.sort_unstable();
    drawn
}

/// The sum over all pairs of `n_points` points, estimated from the pairs of some, drawn from them.
pub(crate) fn sum_over(
    observed: &Dissimilarity<'_>,
    drawn: &[usize],
    n_points: usize,
    value: impl Fn(f64) -> f64 + Sync + Send,
) -> f64 {
    let rows = crate::run::parallel::map(drawn.len(), |at| {
        let mut sum = 0.0;
        observed.for_each_among(drawn[at], &drawn[at + 1..], |_, length| sum += value(length));
        sum
    });
    let n_pairs = |n: usize| 0.5 * n as f64 * (n - 1) as f64;
    rows.iter().sum::<f64>() * (n_pairs(n_points) / n_pairs(drawn.len()))
}
