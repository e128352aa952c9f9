//! The answer for very many points that lie in several parts: that of a search by a sample, in little memory.
//!
//! The parts give the minimum spanning tree and the lists of neighbours ([`parts`](crate::graph::parts)). What is done here
//! needs no coordinates but those of the sample, and a few bytes for each point: every step gives the bits of
//! [`LatentGraph::fit`].

mod by_lists;
mod joined;

use std::ops::Range;

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::{Error, InputError, SettingError};
use crate::graph::lengths::{drawn_for_sums, sum_over};
use crate::graph::link::LinkOrder;
use crate::graph::parts::cell::serves;
use crate::graph::spanning::kruskal::{Ranked, sort};
use crate::input::Dissimilarity;
use crate::input::metric::MeasuredPoints;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::least_length;
use crate::latent_graph::context::sample::Sample;
use crate::latent_graph::context::task;
use crate::latent_graph::fit::{LatentGraphFit, spread};
use crate::latent_graph::model::background::Background;
use crate::latent_graph::model::joint::LogJoint;
use crate::latent_graph::model::likelihood::{Likelihood, LinkLengths, LinkWeight};
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::model::scale::WeightedLength;
use crate::latent_graph::search::report;
use crate::latent_graph::search::starts::BY_4;
use crate::latent_graph::search::starts::borders::{InPieces, Listed, Unit, smooth_listed};
use crate::latent_graph::settings::inference::{Inference, Noise, SearchPart};
use crate::plan::Plan;
use crate::run::observer::Observer;
use crate::settings::Named;
pub use by_lists::{all_pairs_of_open, joined_forest, listed_forest, trees_of_open};
use joined::joined;
pub use joined::links_of_open;

/// Number of points whose lists are read at once. Not tuned.
const PIECE: usize = 65_536;

/// What the parts are asked for. Points are numbered along the curve.
pub trait Parts: Sync {
    /// Number of different points.
    fn n_points(&self) -> usize;

    /// Some points, given in rising order, prepared for their metric; `None` where they cannot be read.
    fn rows(&self, points: &[usize]) -> Option<MeasuredPoints<'static>>;

    /// How many equal rows each of some points stands for; empty where no two rows are equal.
    fn weights(&self, points: &[usize]) -> Option<Vec<f64>>;

    /// Distances and numbers of the nearest neighbours of consecutive points, list after list.
    fn lists(&self, points: Range<usize>) -> Option<Vec<(f64, u32)>>;
}

/// The partition of points that lie in parts.
#[derive(Clone, Debug)]
pub struct PartsPartition {
    /// The cluster of each point; clusters are numbered in the order of first appearance along the curve.
    pub labels: Vec<u32>,
    /// Number of points of each cluster.
    pub sizes: Vec<usize>,
    /// The fit of the sample.
    pub of_sample: LatentGraphFit,
    /// The points of the sample.
    pub members: Vec<usize>,
    /// Listed links that join the parts which the minimum spanning tree leaves of clusters, shortest first.
    pub between: Vec<Ranked>,
    /// For each cluster whether the listed links do not connect it: its tree must be found from all pairs.
    pub is_open: Vec<bool>,
}

impl PartsPartition {
    /// Whether both ends of a link are in one cluster, which listed links do not connect.
    pub fn is_inside_open(&self, link: &Ranked) -> bool {
        let [a, b] = [link.ends.0, link.ends.1].map(|end| self.labels[end as usize]);
        a == b && self.is_open[a as usize]
    }
}

/// What the trees of clusters that listed links do not connect have beside the links of the tree of all points inside them, and
/// what they have not. Both have the shortest link first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenTrees {
    /// Links of their trees alone.
    pub added: Vec<Ranked>,
    /// Links of the tree of all points alone.
    pub left_out: Vec<Ranked>,
}

impl OpenTrees {
    /// Returns what differs, given the links of these trees, the tree of all points, and the links in it that join what lists leave
    /// apart.
    pub fn new(
        mut trees: Vec<Ranked>,
        tree: &[Ranked],
        joining: &[Ranked],
        partition: &PartsPartition,
    ) -> Self {
        trees.retain(|link| !is_among(tree, link) || is_among(joining, link));
        let left_out = joining.iter().filter(|link| partition.is_inside_open(link)).copied().collect();
        Self { added: trees, left_out }
    }
}

/// Whether a link is one of some whose shortest stands first.
pub fn is_among(links: &[Ranked], link: &Ranked) -> bool {
    links.get(links.partition_point(|other| other.before(link))) == Some(link)
}

/// What was learned of points that lie in parts, beside their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsFit {
    /// The typical neighbour distance of each cluster.
    pub scales: Vec<f64>,
    /// The standard deviation of the links of each cluster.
    pub spreads: Vec<f64>,
    /// The background.
    pub background: LinkLengths,
    /// The log joint and its parts.
    pub log_joint: LogJoint,
}

/// The lists of parts, read piece by piece.
struct ListsOf<'a> {
    parts: &'a dyn Parts,
}

/// The lists of consecutive points.
struct Piece {
    first: usize,
    n_listed: usize,
    entries: Vec<(f64, u32)>,
}

impl Listed for Piece {
    fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        let at = (i - self.first) * self.n_listed;
        let known = self.entries[at..at + self.n_listed].iter().filter(|&&(_, j)| j != u32::MAX);
        known.map(|&(length, j)| (j as usize, length))
    }
}

impl InPieces for ListsOf<'_> {
    fn piece(&self, points: Range<usize>) -> Option<impl Listed> {
        let (first, n_listed) = (points.start, LatentGraph::n_listed_in_parts());
        let expected = points.len() * n_listed;
        let entries = self.parts.lists(points).filter(|entries| entries.len() == expected)?;
        Some(Piece { first, n_listed, entries })
    }
}

fn unread() -> Error {
    Error::Input(InputError::UnreadParts)
}

impl LatentGraph {
    /// Number of neighbours that are listed for each point.
    pub fn n_listed_in_parts() -> usize {
        Plan::new(0, true).around_sample().n_listed
    }

    /// Whether this number of points is searched by a sample: fewer need no parts.
    pub fn samples_in_parts(&self, n_points: usize) -> bool {
        Plan::new(n_points, true).sample_size(self.n_clusters.bounds(n_points).0).is_some()
    }

    /// Checks that the points of some file or folder can be clustered in parts.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a metric that boxes are of no use for, [`Error::Settings`] for settings that need all points in one
    /// place.
    pub fn check_parts(&self, metric: crate::Metric) -> Result<(), Error> {
        if !serves(metric) {
            return Err(Error::Input(InputError::NoParts { metric: metric.name() }));
        }
        let searched = match self.inference() {
            Inference::Search(search) => {
                search.noise == Noise::None
                    && search.parts.has_all_starts()
                    && search.parts.has(SearchPart::WholeSearch)
            }
            _ => false,
        };
        let plain = self.likelihood == Likelihood::Exponential
            && self.graph_prior == GraphPrior::Tree
            && self.background == Background::Fitted
            && self.min_size <= 1
            && self.max_size.is_none();
        if searched && plain { Ok(()) } else { Err(Error::Settings(SettingError::InParts)) }
    }

    /// Returns the partition of points that lie in parts, given their minimum spanning tree, shortest link first.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where parts cannot be read, or there are more clusters than a sample can tell apart; those of
    /// [`LatentGraph::fit`].
    pub fn partition_parts(
        &self,
        parts: &dyn Parts,
        tree: &[Ranked],
        observer: &dyn Observer,
    ) -> Result<PartsPartition, Error> {
        let n_points = parts.n_points();
        self.n_clusters.check(n_points)?;
        let (least, most) = self.n_clusters.bounds(n_points);
        let plan = Plan::new(n_points, true);
        let too_many = |n_clusters: usize| Error::Input(InputError::ClustersInParts { n_clusters });
        let size = plan.sample_size(least).ok_or_else(|| too_many(least))?;
        let ends = |link: &Ranked| [link.ends.0 as usize, link.ends.1 as usize];
        let sample = Sample::along(tree.iter().map(ends), n_points, size);
        let rows = parts.rows(&sample.members).ok_or_else(unread)?;
        let weights = parts.weights(&sample.members).ok_or_else(unread)?;
        let open = self.n_clusters == crate::NClusters::Auto;
        let range = task::Range { least, most: most.min(size), open };
        let none = Constraints::new(&SideInformation::default(), size)?;
        let observed = Dissimilarity::from_measured(rows);
        let some = task::Task { observed: &observed, range, constraints: &none, weights: &weights, observer };
        let of_sample = self.fit_sample(some)?;
        let n_clusters = of_sample.labels.n_clusters();
        plan.sample_size(n_clusters).ok_or_else(|| too_many(n_clusters))?;
        let own = of_sample.labels.as_slice();
        let labels: Vec<u32> = sample.representatives.iter().map(|&at| own[at as usize] as u32).collect();
        let labels = smoothed(parts, tree, labels, n_clusters, observer)?;
        let Sample { members, representatives } = sample;
        drop(representatives);
        let (labels, sizes) = in_order(labels, n_clusters);
        let (between, is_open) = joined(parts, tree, &labels, &sizes)?;
        Ok(PartsPartition { labels, sizes, of_sample, members, between, is_open })
    }

    /// Returns what is learned of a partition.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where parts cannot be read, [`Error::Settings`] for a typical length so great that long links are cheap.
    pub fn answer_parts(
        &self,
        parts: &dyn Parts,
        tree: &[Ranked],
        partition: &PartsPartition,
        of_open: &OpenTrees,
    ) -> Result<PartsFit, Error> {
        let n_points = parts.n_points();
        let (n_pairs, mean) = mean_of_all(parts)?;
        let background = LinkLengths::Exponential { scale: if mean > 0.0 { mean } else { 1.0 } };
        let scale_step = self.scale_step(background, tree.iter().map(|link| link.length));
        let prior = Prior::new(self.graph_prior, self.size_prior(), self.prior_neighbours, n_points);
        let (lengths, starts) = lengths_of_clusters(tree, partition, of_open);
        let n_clusters = partition.sizes.len();
        let of = |cluster: usize| lengths[starts[cluster]..starts[cluster + 1]].iter().copied();
        let weighted = |length: f64| WeightedLength { probability: 1.0, length };
        let classes: Vec<LinkLengths> =
            (0..n_clusters).map(|cluster| scale_step.update_each(of(cluster).map(weighted))).collect();
        let weight = |cluster: usize| LinkWeight { class: classes[cluster], background };
        if !(0..n_clusters).all(|cluster| weight(cluster).order().agrees(&LinkOrder::BY_LENGTH, false)) {
            return Err(Error::Settings(SettingError::InParts));
        }
        let gain = |cluster: usize| of(cluster).map(|length| -weight(cluster).price(length)).sum::<f64>();
        let log_joint = LogJoint {
            background: n_pairs * background.log_density(mean),
            links: (0..n_clusters).map(gain).sum(),
            graph: partition.sizes.iter().map(|&n| prior.log_trees(n)).sum(),
            labels: prior.log_partition(&partition.sizes),
            scales: classes.iter().map(|&lengths| scale_step.log_prior(lengths)).sum(),
        };
        let spreads = (0..n_clusters).map(|cluster| spread(classes[cluster], of(cluster))).collect();
        let scales = classes.iter().map(|lengths| lengths.scale()).collect();
        Ok(PartsFit { scales, spreads, background, log_joint })
    }
}

/// The number of all pairs and their mean length, estimated as of points in one place.
fn mean_of_all(parts: &dyn Parts) -> Result<(f64, f64), Error> {
    let n = parts.n_points() as f64;
    let drawn = drawn_for_sums(parts.n_points());
    let observed = Dissimilarity::from_measured(parts.rows(&drawn).ok_or_else(unread)?);
    let all: Vec<usize> = (0..drawn.len()).collect();
    let n_pairs = 0.5 * n * (n - 1.0);
    Ok((n_pairs, sum_over(&observed, &all, parts.n_points(), |length| length) / n_pairs.max(1.0)))
}

fn smoothed(
    parts: &dyn Parts,
    tree: &[Ranked],
    labels: Vec<u32>,
    n_clusters: usize,
    observer: &dyn Observer,
) -> Result<Vec<u32>, Error> {
    if n_clusters == 1 || observer.cancelled() {
        return Ok(labels);
    }
    report(observer, "borders", 0.0);
    let n_links = tree.len().max(1) as f64;
    let mean = tree.iter().map(|link| link.length / n_links).sum::<f64>();
    let mean_link = if mean > 0.0 { mean } else { 1.0 };
    let unit = Unit { mean_link, floor: least_length(mean_link) };
    let found = smooth_listed(&ListsOf { parts }, unit, labels, n_clusters, BY_4).ok_or_else(unread)?;
    report(observer, "borders", 1.0);
    Ok(found)
}

/// The labels with clusters numbered in the order of first appearance, and the sizes of the clusters.
fn in_order(mut labels: Vec<u32>, n_clusters: usize) -> (Vec<u32>, Vec<usize>) {
    let mut number = vec![u32::MAX; n_clusters];
    let mut sizes = Vec::new();
    for label in &mut labels {
        let own = &mut number[*label as usize];
        if *own == u32::MAX {
            *own = sizes.len() as u32;
            sizes.push(0);
        }
        *label = *own;
        sizes[*own as usize] += 1;
    }
    (labels, sizes)
}

/// The lengths of the links of each cluster's tree, shortest first, cluster after cluster, and where each begins.
fn lengths_of_clusters(
    tree: &[Ranked],
    partition: &PartsPartition,
    of_open: &OpenTrees,
) -> (Vec<f64>, Vec<usize>) {
    let class = |end: u32| partition.labels[end as usize] as usize;
    let closed = |link: &&Ranked| !partition.is_open[class(link.ends.0)];
    let inside =
        |link: &&Ranked| class(link.ends.0) == class(link.ends.1) && !is_among(&of_open.left_out, link);
    let mut extra: Vec<Ranked> =
        partition.between.iter().filter(closed).chain(&of_open.added).copied().collect();
    sort(&mut extra);
    let mut starts = vec![0];
    partition.sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size - 1));
    let mut ends = starts.clone();
    let mut lengths = vec![0.0; starts[partition.sizes.len()]];
    let mut add = |link: &Ranked| {
        let end = &mut ends[class(link.ends.0)];
        lengths[*end] = link.length;
        *end += 1;
    };
    let mut extra = extra.iter().peekable();
    for link in tree.iter().filter(inside) {
        while let Some(earlier) = extra.next_if(|other| other.before(link)) {
            add(earlier);
        }
        add(link);
    }
    extra.for_each(add);
    (lengths, starts)
}

#[cfg(test)]
mod tests;
