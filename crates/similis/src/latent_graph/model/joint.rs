//! The log joint of any labels, graph and scales: Eq. (5), (6) and (11).

use crate::error::{Error, InputError};
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::model::likelihood::{LinkLengths, LinkWeight};
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::model::scale::{ScaleStep, ScaleUpdates, WeightedLength};

/// Labels, graph and scales: everything that is inferred.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The labels **C**.
    pub labels: &'a Labels,
    /// The links of the graph $\nu$.
    pub links: &'a [Link],
    /// The lengths of each class.
    pub classes: &'a [LinkLengths],
}

/// What stays fixed during inference.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// The observed pairs.
    pub lengths: &'a Lengths<'a>,
    /// The background $p_0$.
    pub background: LinkLengths,
    /// The prior on graph and labels.
    pub prior: Prior,
    /// How scales are learned.
    pub scale_step: ScaleStep,
    /// From which graphs.
    pub scale_updates: ScaleUpdates,
}

/// The log joint, term by term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogJoint {
    /// $\sum_{ij} \log p(L_{ij} | \nu_{ij} = 0)$ over all observed pairs.
    pub background: f64,
    /// $-\sum f(L_{ij})$ over the links: what they gain over the background.
    pub links: f64,
    /// $\log P(\nu | C)$.
    pub graph: f64,
    /// $\log P(C)$.
    pub labels: f64,
    /// $\log p(\beta)$.
    pub scales: f64,
}

impl LogJoint {
    /// The sum of all terms: $\log p(C, L, \beta, \nu)$.
    pub fn total(&self) -> f64 {
        self.background + self.links + self.graph + self.labels + self.scales
    }
}

impl Model<'_> {
    /// Returns the log joint of Eq. (5), factorised as Eq. (6); for the Gaussian likelihood this is Eq. (11).
    ///
    /// $$ \log p(C, L, \beta, \nu) = \sum_{ij} \log p(L_{ij} | \nu_{ij}, \beta) + \log P(\nu | C) + \log p(\beta) + \log P(C) $$
    ///
    /// The sum over pairs is written as that of the background over all observed pairs and, for each link, its class's
    /// density over the background's: Eq. (14). Pairs are unordered, but ordered under Eq. (9), whose links are directed.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] unless the labels are of the observed points, [`Error::Input`] if a cluster has no
    /// class, [`Error::Input`] if a link names a point that does not exist.
    pub fn log_joint(&self, state: State<'_>) -> Result<LogJoint, Error> {
        let (first, second) = (self.lengths.n_points(), state.labels.n_points());
        if first != second {
            return Err(Error::Input(InputError::LabelLengths { first, second }));
        }
        let (n_clusters, n_classes) = (state.labels.n_clusters(), state.classes.len());
        if n_clusters > n_classes {
            return Err(Error::Input(InputError::ClassLengths { n_clusters, n_classes }));
        }
        match state.links.iter().find(|link| link.from.max(link.to) >= first) {
            Some(link) => Err(Error::Input(InputError::Column {
                row: link.from.min(link.to),
                column: link.from.max(link.to),
                n_points: first,
            })),
            None => Ok(self.evaluate(state)),
        }
    }

    /// The log joint of a state that is known to fit the model.
    pub(crate) fn evaluate(&self, state: State<'_>) -> LogJoint {
        self.evaluate_on(self.log_background(), state)
    }

    /// As [`Model::evaluate`], where [`Model::log_background`], a sum over all pairs, is known.
    pub(crate) fn evaluate_on(&self, log_background: f64, state: State<'_>) -> LogJoint {
        let class = |link: &Link| self.weight(state.classes[state.labels.as_slice()[link.from]]);
        let finite = state.links.iter().filter(|link| link.length != f64::INFINITY);
        LogJoint {
            background: log_background,
            links: finite.map(|link| -class(link).price(link.length)).sum(),
            graph: self.prior.log_graph(state.labels, state.links),
            labels: self.prior.log_labels(state.labels),
            scales: state.classes.iter().map(|&lengths| self.scale_step.log_prior(lengths)).sum(),
        }
    }

    /// As [`Model::evaluate`], where the graph is a spanning tree of allowed links for each cluster, in the order of the labels.
    pub(crate) fn evaluate_trees(
        &self,
        labels: &Labels,
        trees: &[Vec<Link>],
        classes: &[LinkLengths],
    ) -> LogJoint {
        let gain = |(tree, &class): (&Vec<Link>, &LinkLengths)| {
            let weight = self.weight(class);
            tree.iter().map(|link| -weight.price(link.length)).sum::<f64>()
        };
        LogJoint {
            background: self.log_background(),
            links: trees.iter().zip(classes).map(gain).sum(),
            graph: labels.sizes().iter().map(|&n| self.prior.log_trees(n)).sum(),
            labels: self.prior.log_labels(labels),
            scales: classes.iter().map(|&lengths| self.scale_step.log_prior(lengths)).sum(),
        }
    }

    /// The sum of the background's log density over all observed pairs.
    pub fn log_background(&self) -> f64 {
        let sum = match self.background {
            // Linear in the length, so that the mean length says it all.
            LinkLengths::Exponential { .. } => {
                let (n_pairs, mean) = self.lengths.mean_of_all();
                n_pairs * self.background.log_density(mean)
            }
            LinkLengths::Gaussian { .. } => self.lengths.sum(|length| self.background.log_density(length)),
        };
        if self.prior.graphs() == GraphPrior::KNeighbours { 2.0 * sum } else { sum }
    }

    /// The scale that a class learns from the links of its best graph: the hard step of Eq. (12) and (13).
    pub(crate) fn scale_of(&self, links: &[Link]) -> LinkLengths {
        let observed = links.iter().map(|link| link.length).filter(|length| length.is_finite());
        let lengths: Vec<WeightedLength> =
            observed.map(|length| WeightedLength { probability: 1.0, length }).collect();
        self.scale_step.update(&lengths)
    }

    /// The link prices of a class.
    pub fn weight(&self, class: LinkLengths) -> LinkWeight {
        LinkWeight { class, background: self.background }
    }
}
