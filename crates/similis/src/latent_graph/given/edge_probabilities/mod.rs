//! How probable each link is, given labels and scales: exact edge posteriors.

use crate::error::{Error, InputError, SettingError};
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::graph::spanning::of_clusters::spanning_tree;
use crate::graph::tree_sums::dense as dense_trees;
use crate::input::Dissimilarity;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::global_tree;
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::likelihood::{LinkLengths, LinkWeight};
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::model::scale::WeightedLength;
use crate::latent_graph::search::score::all_trees::Elimination;
use crate::latent_graph::search::score::members;
use crate::run::observer::Observer;
use crate::run::parallel;

/// Log probability below which links are dropped where f64 would underflow. Below the precision of f64.
const NEGLIGIBLE: f64 = -70.0;

/// A pair of points of one cluster, and how probable a link between them is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelyLink {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// The cluster of both ends.
    pub class: usize,
    /// Its length; NaN where the pair was not observed.
    pub length: f64,
    /// $P(\nu_{ij} = c | L, C, \beta)$.
    pub probability: f64,
}

impl LatentGraph {
    /// Returns the probability of every link given the labels and scales of a fit, of those that have at least `least`.
    ///
    /// $$ P(\nu_{ij} = c | L, C, \beta) = w_{ij} R_{ij}, \qquad w_{ij} = \frac{p(L_{ij} | \beta_c)}{p_0(L_{ij})} $$
    ///
    /// with the effective resistance $R_{ij}$ between i and j in the network of all $w$ of the cluster (the matrix-tree theorem).
    /// They are what $\tilde P$ of Eq. (12) and (13) stands for, which section 3.3 calls unknown, and those of a cluster of $n_c$
    /// points add up to $n_c - 1$. A cluster that is not connected in the support has no tree, and no links here.
    ///
    /// ```
    /// use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points, Silent};
    /// let points = Points::new(vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0], 8, 1)?;
    /// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
    /// let model = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    /// let fit = model.fit(&pairs, &[])?;
    /// let links = model.edge_probabilities(&pairs, &fit, 0.0, &Silent)?;
    /// assert_eq!(links.len(), 12);
    /// assert!((links.iter().map(|link| link.probability).sum::<f64>() - 6.0).abs() < 1e-12);
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] unless the graphs are trees, [`Error::Input`] unless the fit is of these points,
    /// [`Error::Settings`] where the support falls into more parts than clusters.
    pub fn edge_probabilities(
        &self,
        observed: &Dissimilarity<'_>,
        fit: &LatentGraphFit,
        least: f64,
        observer: &dyn Observer,
    ) -> Result<Vec<LikelyLink>, Error> {
        check_trees(self, observed, fit)?;
        let tree = global_tree(observed, observer);
        let lengths = self.lengths(observed, &tree);
        let lengths = lengths.in_few_parts(fit.labels.n_clusters(), "the probability of links")?;
        let members = fit.members();
        let mut found = Vec::new();
        for (class, members) in members.iter().enumerate() {
            let weight = LinkWeight { class: fit.class_lengths(class), background: fit.background };
            let links = likely_links(&lengths, members, weight);
            found.extend(links.into_iter().filter(|(_, probability)| *probability >= least).map(
                |(Link { from, to, length }, probability)| LikelyLink {
                    from,
                    to,
                    class,
                    length,
                    probability,
                },
            ));
        }
        Ok(found)
    }
}

/// Returns an error unless this is a fit of trees to these points.
pub(crate) fn check_trees(
    model: &LatentGraph,
    observed: &Dissimilarity<'_>,
    fit: &LatentGraphFit,
) -> Result<(), Error> {
    let (first, second) = (observed.n_points(), fit.labels.n_points());
    if first != second {
        return Err(Error::Input(InputError::LabelLengths { first, second }));
    }
    match model.graph_prior {
        GraphPrior::Tree => Ok(()),
        _ => Err(Error::Settings(SettingError::NeedsTrees { purpose: "the probability of links" })),
    }
}

impl LatentGraphFit {
    /// The points of each cluster, rising, without noise.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = members(self.labels.as_slice());
        members.iter_mut().for_each(|class| class.retain(|i| self.noise.binary_search(i).is_err()));
        members
    }

    /// The distribution of the link lengths of a cluster.
    pub fn class_lengths(&self, class: usize) -> LinkLengths {
        match self.background {
            LinkLengths::Exponential { .. } => LinkLengths::Exponential { scale: self.scales[class] },
            LinkLengths::Gaussian { .. } => {
                LinkLengths::Gaussian { scale: self.scales[class], spread: self.spreads[class] }
            }
        }
    }
}

impl Model<'_> {
    /// Returns the scales of a cluster after one soft step: Eq. (12) and (13) with the exact probability of every link.
    ///
    /// It never lowers $\log \sum_\nu p(L, \nu | C, \beta) + \log p(\beta)$: it is a step of the EM algorithm.
    pub(crate) fn soft_step(&self, members: &[usize], class: LinkLengths) -> LinkLengths {
        let links = likely_links(self.lengths, members, self.weight(class));
        let seen = links.iter().filter(|(link, probability)| link.length.is_finite() && *probability > 0.0);
        let weighted =
            seen.map(|(link, probability)| WeightedLength { probability: *probability, length: link.length });
        self.scale_step.update(&weighted.collect::<Vec<_>>())
    }
}

/// The links that a cluster of `members` (rising numbers) may have, each with its probability; none where it has no tree.
fn likely_links(lengths: &Lengths<'_>, members: &[usize], weight: LinkWeight) -> Vec<(Link, f64)> {
    if lengths.is_complete() {
        let n = members.len();
        let length = |a: usize, b: usize| lengths.pair(members[a], members[b]);
        if let Some(found) = dense_trees::edge_probabilities(n, |a, b| -weight.price(length(a, b))) {
            let row = |a: usize| (a + 1..n).map(move |b| (a, b));
            let link = |(a, b)| Link { from: members[a], to: members[b], length: length(a, b) };
            return (0..n).flat_map(row).map(|(a, b)| (link((a, b)), found[a * n + b])).collect();
        }
    }
    let links = if lengths.is_complete() {
        weighty_pairs(lengths, members, weight)
    } else {
        allowed_pairs(lengths, members)
    };
    let place = |i: usize| members.binary_search(&i).unwrap_or_default();
    let placed: Vec<Link> =
        links.iter().map(|link| Link { from: place(link.from), to: place(link.to), ..*link }).collect();
    let log_weights: Vec<f64> = links.iter().map(|link| -weight.price(link.length)).collect();
    let found = Elimination::new(&placed, members.len()).edge_probabilities(&log_weights);
    found.map_or_else(Vec::new, |found| links.into_iter().zip(found).collect())
}

/// The pairs of members that the support allows.
fn allowed_pairs(lengths: &Lengths<'_>, members: &[usize]) -> Vec<Link> {
    let is_member = |j: usize| members.binary_search(&j).is_ok();
    let of = |&from: &usize| {
        let links = lengths.allowed_links(from).filter(move |&(to, _)| to > from && is_member(to));
        links.map(move |(to, length)| Link { from, to, length })
    };
    members.iter().flat_map(of).collect()
}

/// All pairs of members but those of negligible weight beside the maximum spanning tree: $P(e) \le (n - 1) w_e / w$ for the
/// least weight $w$ on its path.
fn weighty_pairs(lengths: &Lengths<'_>, members: &[usize], weight: LinkWeight) -> Vec<Link> {
    let n = members.len();
    let place = |i: usize| members.binary_search(&i).unwrap_or_default();
    let mut near = vec![Vec::new(); n];
    for link in spanning_tree(lengths, members, &weight.order()) {
        let (a, b, log_weight) = (place(link.from), place(link.to), -weight.price(link.length));
        near[a].push((b, log_weight));
        near[b].push((a, log_weight));
    }
    let rows = parallel::map(n, |a| {
        let mut least = vec![f64::INFINITY; n];
        let mut stack = vec![(a, a)];
        while let Some((at, from)) = stack.pop() {
            for &(next, log_weight) in near[at].iter().filter(|&&(next, _)| next != from) {
                least[next] = least[at].min(log_weight);
                stack.push((next, at));
            }
        }
        let floor = NEGLIGIBLE - (n as f64).ln();
        let link = |b: usize| {
            let (from, to) = (members[a], members[b]);
            Link { from, to, length: lengths.pair(from, to) }
        };
        let counts = |link: &Link, b: usize| -weight.price(link.length) >= least[b] + floor;
        (a + 1..n)
            .map(|b| (link(b), b))
            .filter(|(link, b)| counts(link, *b))
            .map(|(link, _)| link)
            .collect::<Vec<_>>()
    });
    rows.concat()
}

#[cfg(test)]
mod tests;
