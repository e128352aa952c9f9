//! The paper's other likelihoods and graphs, each by the paper's algorithm and by search.

use std::fmt::Write as _;

use similis::latent_graph::{GraphPrior, Inference, Likelihood, PaperSettings, SearchSettings};
use similis::{Error, LatentGraph};

use super::{Drawn, Found, Panel};
use crate::report::fixed;

/// A model of section 3 other than the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherModel {
    /// What the table calls it.
    pub name: &'static str,
    /// Eq. (7) or (8).
    pub likelihood: Likelihood,
    /// Eq. (9), Eq. (10), or trees.
    pub graph_prior: GraphPrior,
    /// The figure by the paper's algorithm.
    pub by_paper: &'static str,
    /// The figure by search.
    pub by_search: &'static str,
}

/// The models, in the order of their strips.
pub const OTHER_MODELS: [OtherModel; 4] = [
    OtherModel {
        name: "Gaussian lengths",
        likelihood: Likelihood::Gaussian,
        graph_prior: GraphPrior::Tree,
        by_paper: "gaussian-by-paper",
        by_search: "gaussian-by-search",
    },
    OtherModel {
        name: "K neighbours",
        likelihood: Likelihood::Exponential,
        graph_prior: GraphPrior::KNeighbours,
        by_paper: "k-neighbours-by-paper",
        by_search: "k-neighbours-by-search",
    },
    OtherModel {
        name: "Gaussian, K neighbours",
        likelihood: Likelihood::Gaussian,
        graph_prior: GraphPrior::KNeighbours,
        by_paper: "gaussian-k-neighbours-by-paper",
        by_search: "gaussian-k-neighbours-by-search",
    },
    OtherModel {
        name: "Connected graphs",
        likelihood: Likelihood::Exponential,
        graph_prior: GraphPrior::Connected,
        by_paper: "connected-by-paper",
        by_search: "connected-by-search",
    },
];

impl OtherModel {
    /// The two figures and how each is inferred.
    pub fn figures(&self) -> [(&'static str, Inference); 2] {
        [
            (self.by_paper, Inference::Paper(PaperSettings::default())),
            (self.by_search, Inference::Search(SearchSettings::default())),
        ]
    }

    /// The heading of a figure, where it is one of this model.
    pub(super) fn heading(&self, figure: &str) -> Option<String> {
        let equation = match (self.likelihood, self.graph_prior) {
            (Likelihood::Gaussian, GraphPrior::KNeighbours) => "Eqs. (7) and (9)",
            (Likelihood::Gaussian, _) => "Eq. (7)",
            (_, GraphPrior::KNeighbours) => "Eq. (9)",
            (_, GraphPrior::Connected) => "Eq. (10)",
            _ => "Eq. (8)",
        };
        let how = match figure {
            _ if figure == self.by_paper => "the paper's algorithm",
            _ if figure == self.by_search => "search",
            _ => return None,
        };
        Some(format!("{}, {equation}: {how}", self.name))
    }
}

impl Drawn {
    /// Returns what another model finds by this way of inference; all else is at its default.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn by_other(&self, model: OtherModel, inference: Inference) -> Result<Found, Error> {
        let OtherModel { likelihood, graph_prior, .. } = model;
        self.by_graph(LatentGraph {
            likelihood,
            graph_prior,
            inference: Some(inference),
            ..LatentGraph::default()
        })
    }
}

/// Returns the agreements of the other models as a Markdown table: a row for each shape, and for each model a column by the paper's
/// algorithm and one by search.
pub fn table_of_models(panels: &[Panel<'_>]) -> String {
    let figures: Vec<&str> =
        OTHER_MODELS.iter().flat_map(|model| [model.by_paper, model.by_search]).collect();
    let columns: Vec<Vec<&Panel<'_>>> = figures
        .iter()
        .map(|figure| panels.iter().filter(|panel| panel.figure == *figure).collect())
        .collect();
    let mut text = "| shape |".to_owned();
    OTHER_MODELS.iter().for_each(|model| {
        let _ = write!(text, " {}, paper | search |", model.name);
    });
    text.push('\n');
    let _ = writeln!(text, "|---|{}", "---|".repeat(figures.len()));
    for (row, panel) in columns[0].iter().enumerate() {
        let _ = write!(text, "| ({}) {} |", panel.letter, panel.drawn.shape_words());
        columns.iter().for_each(|column| {
            let _ = write!(text, " {} |", fixed(column[row].found.agreement, 2));
        });
        text.push('\n');
    }
    let mean = |column: &Vec<&Panel<'_>>| {
        column.iter().map(|panel| panel.found.agreement).sum::<f64>() / column.len() as f64
    };
    let means: Vec<String> = columns.iter().map(|column| fixed(mean(column), 2)).collect();
    let _ = writeln!(text, "| mean | {} |", means.join(" | "));
    text
}
