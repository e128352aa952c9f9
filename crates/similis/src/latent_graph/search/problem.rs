//! The input of one search: the context, the support, the constraints, the plan, and the cost of a link.

use crate::constraints::Constraints;
use crate::graph::lengths::Lengths;
use crate::latent_graph::context::Context;
use crate::latent_graph::model::prior::Prior;
use crate::latent_graph::search::score::varying::raised;
use crate::latent_graph::settings::inference::SearchParts;
use crate::plan::Plan;

/// The points to be clustered, and their constraints.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) context: &'a Context<'a>,
    /// Which pairs may be links.
    pub(crate) support: &'a Lengths<'a>,
    pub(crate) prior: Prior,
    /// The constraints, which every partition obeys.
    pub(crate) constraints: &'a Constraints,
    /// The shape of link lengths, m.
    pub(crate) shape: f64,
    /// Which moves are made.
    pub(crate) parts: SearchParts,
    /// How much of each step is done.
    pub(crate) plan: Plan,
}

impl Problem<'_> {
    /// The cost of a link: minus the log of its likelihood at a scale, up to a constant.
    ///
    /// $$ (L / s)^m + m \log s $$
    ///
    /// A pair that was not observed costs nothing, a forbidden one what [`Context::log_join`] says.
    pub(crate) fn price(&self, length: f64, scale: f64) -> f64 {
        if length.is_nan() {
            return 0.0;
        }
        if length == f64::INFINITY {
            return self.shape * self.context.mean_link.ln() - self.context.log_join(self.shape);
        }
        raised(length.max(self.context.floor()) / scale, self.shape) + self.shape * scale.ln()
    }

    /// The other clusters of the points' neighbours that the points, which move together, may join.
    pub(crate) fn clusters_near(&self, points: &[usize], own: usize, labels: &[usize]) -> Vec<usize> {
        let soft = self.constraints.soft();
        let near = |&i: &usize| {
            let listed = self.context.neighbours.of(i).map(|(j, _)| labels[j]);
            // A point that was taken out of its cluster is in none.
            listed.chain(soft.wanted(i, labels).filter(|&cluster| cluster != usize::MAX))
        };
        let mut others: Vec<usize> = points.iter().flat_map(near).filter(|&cluster| cluster != own).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|&cluster| self.constraints.allows(points[0], cluster, labels));
        others
    }
}
