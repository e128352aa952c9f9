//! The inputs of a fit: the pairs that may be links, background and priors.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::graph::disjoint_sets::components;
use crate::graph::lengths::{Lengths, Support};
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::latent_graph::context::Context;
use crate::latent_graph::model::background::{Background, fitted, of_theorem};
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::likelihood::{Likelihood, LinkLengths};
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::model::scale::{ScaleStep, ScaleUpdates};
use crate::latent_graph::settings::inference::SearchPart;
use crate::latent_graph::{Inference, LatentGraph};
use crate::plan::Plan;

/// Lower bound on scales relative to the background scale; avoids overflow. Not tuned.
const FLOOR: f64 = 1e-9;

impl LatentGraph {
    /// How much of each step a search of these points does.
    pub(crate) fn plan(&self, observed: &Dissimilarity<'_>) -> Plan {
        Plan::new(observed.n_points(), self.search_settings().parts.has(SearchPart::WholeSearch))
    }

    /// The lengths of the pairs that may be links; the context's lists of neighbours serve where they are long enough and exact,
    /// or where a search that is not whole takes them as they are.
    pub(crate) fn lengths_on<'a>(&self, context: &Context<'a>) -> Lengths<'a> {
        let observed = context.observed;
        let exact = context.neighbours.is_exact() || !self.plan(observed).is_whole;
        let known = exact && self.support_neighbours <= context.n_listed;
        if known && self.default_support(observed) == Support::Nearest {
            let k = self.support_neighbours;
            let lengths = Lengths::nearest_of(observed, &context.neighbours, k, &context.tree);
            return lengths.with_tree(&context.tree);
        }
        self.lengths(observed, &context.tree).with_tree(&context.tree)
    }

    /// The pairs that may be links: as set, or the default.
    pub(crate) fn default_support(&self, observed: &Dissimilarity<'_>) -> Support {
        let default = match self.plan(observed) {
            _ if observed.sparse().is_some() => Support::Given,
            // Points in space have many short pairs, which a sum over all trees mistakes for links.
            _ if matches!(self.inference(), Inference::Sample(_)) => Support::Nearest,
            // Of all pairs every one shorter than some length gains, so that each point of a dense cluster has a link to most others.
            _ if self.graph_prior == GraphPrior::Connected => Support::Nearest,
            plan if plan.complete_support => Support::Complete,
            _ => Support::Nearest,
        };
        self.support.unwrap_or(default)
    }

    /// The support whose lists of neighbours are used: as of [`Self::default_support`], but sampling proposes moves to near
    /// neighbours also where every pair may be a link.
    pub(crate) fn listed_support(&self, observed: &Dissimilarity<'_>) -> Support {
        match self.default_support(observed) {
            Support::Complete if matches!(self.inference(), Inference::Sample(_)) => Support::Nearest,
            support => support,
        }
    }

    /// The lengths of the pairs that may be links.
    pub(crate) fn lengths<'a>(&self, observed: &'a Dissimilarity<'a>, tree: &[Link]) -> Lengths<'a> {
        match self.default_support(observed) {
            // The lists are in the order of lengths, which is not that of Gaussian prices.
            Support::Complete if self.likelihood == Likelihood::Exponential => {
                Lengths::complete_with_lists(observed)
            }
            Support::Complete => Lengths::complete(observed),
            Support::Nearest => Lengths::nearest(observed, self.support_neighbours, tree),
            Support::Given => Lengths::given(observed),
        }
    }

    /// The lengths. If the support has more components than clusters, or must-links cross components, clusters may be
    /// connected by pairs that the support does not allow.
    pub(crate) fn joined<'a>(
        &self,
        lengths: Lengths<'a>,
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Result<Lengths<'a>, Error> {
        let purpose = match self.inference() {
            Inference::Sample(_) => Some("inference by sampling"),
            _ if self.graph_prior != GraphPrior::Tree => Some("a graph prior other than tree"),
            _ if self.paper_settings().scale_updates == ScaleUpdates::Soft => {
                Some("the soft update of scales")
            }
            _ => None,
        };
        match purpose {
            Some(purpose) => lengths.in_few_parts(n_clusters, purpose),
            None if lengths.n_parts() > n_clusters.min(n_tied_parts(&lengths, constraints)) => {
                Ok(lengths.joining())
            }
            None => Ok(lengths),
        }
    }

    /// What stays fixed: background, priors, and the typical link of the minimum spanning tree.
    pub(crate) fn model<'a>(&self, lengths: &'a Lengths<'a>, tree: &[Link]) -> Result<Model<'a>, Error> {
        let fitted = fitted(lengths, self.likelihood);
        let observed = tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let scale_step = self.scale_step(fitted, observed);
        let background = match self.background {
            Background::Fitted => fitted,
            Background::Theorem => of_theorem(lengths, scale_step.update(&[]))?,
        };
        let scale_updates = self.paper_settings().scale_updates;
        let prior =
            Prior::new(self.graph_prior, self.size_prior(), self.prior_neighbours, lengths.n_points());
        Ok(Model { lengths, background, prior, scale_step, scale_updates })
    }

    /// How scales are learned, given the background and the lengths of the links of the minimum spanning tree.
    pub(crate) fn scale_step(
        &self,
        fitted: LinkLengths,
        links: impl Iterator<Item = f64> + Clone,
    ) -> ScaleStep {
        let n_links = links.clone().count().max(1) as f64;
        let mean = links.clone().map(|length| length / n_links).sum::<f64>();
        let floor = FLOOR * fitted.spread();
        let standard = |length: f64| ((length - mean) / fitted.spread()).powi(2);
        let spread = fitted.spread() * (links.map(standard).sum::<f64>() / n_links).sqrt();
        ScaleStep {
            likelihood: self.likelihood,
            prior: self.scale_prior,
            typical_length: self.typical_length.unwrap_or(if mean.abs() > floor {
                mean
            } else {
                fitted.scale()
            }),
            // A lattice has links of one length: a tenth of it is used as the spread.
            typical_spread: spread.max(0.1 * mean.abs()).max(floor),
            floor,
        }
    }
}

/// Number of components of the support, those that side information ties counted as one.
pub(crate) fn n_tied_parts(lengths: &Lengths<'_>, constraints: &Constraints) -> usize {
    let parts = lengths.parts();
    let part = |i: usize| parts.as_slice()[i];
    let ties = constraints.ties().map(|(i, j)| Link { from: part(i), to: part(j), length: 0.0 });
    components(parts.n_clusters(), ties).n_clusters()
}
