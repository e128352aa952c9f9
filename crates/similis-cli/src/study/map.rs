//! The items on a map: points where there are any, otherwise where their distances or features put them.

use similis::latent_graph::{GraphPrior, LikelyLink};
use similis::{Error, Silent};

use super::Study;
use super::place::Placed;
use crate::answer::Answer;
use crate::plot::{Detail, Link, Peak, Scatter, scatter_svg};

/// Links with a lower probability are not drawn. Not tuned.
const LEAST_DRAWN: f64 = 0.02;

/// Number of edges of a graph from which on they are drawn pale: they would hide the items. Not tuned.
const PALE_FROM: usize = 1000;

/// Maximum number of edges of a graph that are drawn; of more an even selection is. Not tuned.
const MOST_EDGES: usize = 20_000;

/// A link, and how probable it is where that is drawn.
#[derive(Clone, Copy)]
pub(super) struct WeightedLink {
    pub(super) link: Link,
    pub(super) weight: Option<f64>,
}

/// What is drawn over the points.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    /// How much each point's cluster is in doubt: rings.
    pub(super) doubts: &'a [f64],
    /// Peaks of the density.
    pub(super) peaks: &'a [Peak],
}

impl Study<'_> {
    /// The clusters as a scatter plot: points where there are any, otherwise where their distances or features put them.
    pub(crate) fn scatter(&self, detail: Detail) -> Result<String, Error> {
        let observed = self.observed_edges();
        let found = self.answer.links().into_iter().map(|link| WeightedLink { link, weight: None });
        let links = if observed.is_empty() { found.collect() } else { observed };
        self.scatter_of(detail, &links, Marks::default(), "")
    }

    /// The links that a scatter plot shows: the edges of a graph, otherwise those that were found.
    #[cfg(feature = "serve")]
    pub(crate) fn shown_links(&self) -> Vec<Link> {
        let observed = self.observed_edges();
        if observed.is_empty() {
            self.answer.links()
        } else {
            observed.iter().map(|edge| edge.link).collect()
        }
    }

    /// The edges of a graph, evenly chosen and pale if there are many; none of other inputs.
    fn observed_edges(&self) -> Vec<WeightedLink> {
        let Some(graph) = self.pairs.sparse().filter(|_| self.points.is_none()) else { return Vec::new() };
        let n_edges = graph.values().len() / 2;
        let step = n_edges.div_ceil(MOST_EDGES).max(1);
        let weight = Some(if n_edges > PALE_FROM { 0.05 } else { 0.3 });
        let row = |i: usize| graph.row(i).filter(move |&(j, _)| j > i).map(move |(j, _)| (i, j));
        let links = (0..graph.n_points()).flat_map(row).step_by(step);
        links.map(|(from, to)| WeightedLink { link: Link { from, to }, weight }).collect()
    }

    /// Every link as thick as it is probable, where the graphs are trees.
    pub(crate) fn edges(&self, detail: Detail) -> Result<Option<String>, Error> {
        let Answer::Graph(settings, fit) = self.answer else { return Ok(None) };
        if settings.graph_prior != GraphPrior::Tree {
            return Ok(None);
        }
        let likely = settings.edge_probabilities(self.pairs, fit, LEAST_DRAWN, &Silent)?;
        let weighted = |link: &LikelyLink| WeightedLink {
            link: Link { from: link.from, to: link.to },
            weight: Some(link.probability),
        };
        let links: Vec<WeightedLink> = likely.iter().map(weighted).collect();
        let words = "lines: how probable each link is, given clusters and scales; ";
        self.scatter_of(detail, &links, Marks::default(), words).map(Some)
    }

    /// The points whose cluster is in doubt, where the posterior was sampled.
    pub(crate) fn uncertainty(&self, detail: Detail) -> Result<Option<String>, Error> {
        let Some(posterior) = self.answer.posterior() else { return Ok(None) };
        let entropies = posterior.entropies();
        let marks = Marks { doubts: &entropies, ..Marks::default() };
        self.scatter_of(detail, &[], marks, "rings: the entropy of the memberships; ").map(Some)
    }

    /// Another partition of the same items, as a small picture of points alone.
    pub(crate) fn partition(&self, labels: &[usize], title: &str) -> Result<String, Error> {
        let Some(Placed { projection, .. }) = self.place()? else { return Ok(String::new()) };
        let (x, y) = (&projection.x, &projection.y);
        Ok(scatter_svg(&Scatter { x, y, labels, title, detail: Detail::Bare, ..Scatter::default() }))
    }

    /// The items on a map, with these links and marks; `words` say what they are.
    pub(super) fn scatter_of(
        &self,
        detail: Detail,
        links: &[WeightedLink],
        marks: Marks<'_>,
        words: &str,
    ) -> Result<String, Error> {
        let Some(Placed { projection, names, note }) = self.place()? else { return Ok(String::new()) };
        Ok(scatter_svg(&Scatter {
            x: &projection.x,
            y: &projection.y,
            labels: self.answer.labels().as_slice(),
            noise: self.answer.noise(),
            // Pictures of probabilities have their own way to show doubt.
            unsure: &if words.is_empty() { self.unsure() } else { Vec::new() },
            title: self.heading(&self.title()),
            x_name: &names[0],
            y_name: &names[1],
            links: &links.iter().map(|weighted| weighted.link).collect::<Vec<_>>(),
            weights: &links.iter().filter_map(|weighted| weighted.weight).collect::<Vec<_>>(),
            doubts: marks.doubts,
            peaks: marks.peaks,
            scales: self.answer.scales(),
            no_axes: names.iter().all(String::is_empty),
            own_scales: self.points.is_some_and(|points| points.n_dimensions() == 1),
            detail,
            names: self.item_names,
            note: &format!("{words}{}{note}", self.small_print()),
        }))
    }
}
