//! The paper's figures, made again on shapes like its own.

mod models;
mod sheet;

pub use self::models::{OTHER_MODELS, OtherModel, table_of_models};
pub use self::sheet::{Panel, contact_sheet, sheet_of_models, table};

use similis::affinity::Affinity;
use similis::error::SettingError;
use similis::evaluate::adjusted_rand_index;
use similis::evaluate::shapes::{Shape, ShapeSample, draw};
use similis::latent_graph::{ClassLink, GraphPrior, Inference, Likelihood, PaperSettings};
use similis::settings::Named;
use similis::{Dissimilarity, Error, Labels, LatentFeature, LatentGraph, Metric, NClusters};

/// The shapes of panels (a) to (i): the first two have classes of one scale, all others of two.
pub const SHAPES: [Shape; 9] = [
    Shape::TwoRings,
    Shape::HalfMoons,
    Shape::DenseBlob,
    Shape::DenseRing,
    Shape::DenseLine,
    Shape::CrossingLines,
    Shape::DenseSpiral,
    Shape::DenseLetter,
    Shape::OverlappingSquares,
];

/// Default number of points in each panel. Not tuned.
pub const N_POINTS: usize = 200;

/// The numbers of neighbours that Figure 5 tries.
const NEIGHBOURS: [usize; 3] = [2, 3, 5];
/// Number of random starts of Figure 5: few, because with its graph prior every step looks at every pair. Not tuned.
const N_STARTS: usize = 3;

/// Points with their true classes, and all distances.
#[derive(Debug)]
pub struct Drawn {
    /// Which shape.
    pub shape: Shape,
    /// The points and their classes.
    pub sample: ShapeSample,
    pairs: Dissimilarity<'static>,
    seed: u64,
}

/// What was found in a panel.
#[derive(Clone, Debug)]
pub struct Found {
    /// The clusters.
    pub labels: Labels,
    /// The graph that was found; empty for spectral clustering.
    pub graph: Vec<ClassLink>,
    /// What the panel says of the method, such as the scale that was used.
    pub words: String,
    /// The adjusted Rand index with the true classes.
    pub agreement: f64,
}

impl Drawn {
    /// Draws points of a shape.
    ///
    /// # Errors
    ///
    /// Those of [`draw`].
    pub fn new(shape: Shape, n_points: usize, seed: u64) -> Result<Self, Error> {
        let sample = draw(shape, n_points, seed)?;
        let pairs = Dissimilarity::from_points(sample.points.clone(), Metric::Euclidean)?;
        Ok(Self { shape, sample, pairs, seed })
    }

    /// The name of the shape, in words.
    pub(crate) fn shape_words(&self) -> String {
        self.shape.name().replace('_', " ")
    }

    fn n_clusters(&self) -> NClusters {
        NClusters::Exactly(self.sample.labels.n_clusters())
    }

    /// Returns what spectral clustering finds at its best scale: a panel of Figure 2.
    ///
    /// The scale is searched as Ng, Jordan & Weiss do: the tightest clusters win.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::fit`].
    pub fn figure_2(&self) -> Result<Found, Error> {
        let model = LatentFeature {
            n_clusters: self.n_clusters(),
            affinity: Affinity::Exponential,
            seed: self.seed,
            ..LatentFeature::default()
        };
        let fit = model.fit(&self.pairs, &[])?;
        let words = fit.gamma.map_or_else(String::new, |gamma| format!("gamma {gamma:.3}"));
        self.found(fit.labels, Vec::new(), words)
    }

    /// Returns what the latent graph model finds by search: a panel of Figure 4.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn figure_4(&self) -> Result<Found, Error> {
        self.by_graph(LatentGraph::default())
    }

    /// Returns what the paper's exact setting and its own algorithm find: Figure 4.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn figure_4_as_printed(&self) -> Result<Found, Error> {
        self.by_graph(LatentGraph::paper())
    }

    /// Returns what the prior of Eq. (9) finds with the best of several numbers of neighbours: Figure 5, left and centre.
    ///
    /// The truth chooses the number: the paper searched "for a good number of neighbors", too.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn figure_5_neighbours(&self) -> Result<Found, Error> {
        let mut best: Option<Found> = None;
        for prior_neighbours in NEIGHBOURS {
            let paper = PaperSettings { n_restarts: N_STARTS, ..PaperSettings::default() };
            let (graph_prior, inference) = (GraphPrior::KNeighbours, Some(Inference::Paper(paper)));
            let settings = LatentGraph { graph_prior, prior_neighbours, inference, ..LatentGraph::paper() };
            let found = self.by_graph(settings)?;
            let found = Found { words: format!("K = {prior_neighbours}, {}", found.words), ..found };
            if best.as_ref().is_none_or(|best| found.agreement > best.agreement) {
                best = Some(found);
            }
        }
        best.ok_or(Error::Settings(SettingError::NRestarts))
    }

    /// Returns what the paper's algorithm finds with the exponential likelihood of Eq. (8): Figure 5, right.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn figure_5_exponential(&self) -> Result<Found, Error> {
        let (likelihood, inference) =
            (Likelihood::Exponential, Some(Inference::Paper(PaperSettings::default())));
        self.by_graph(LatentGraph { likelihood, inference, ..LatentGraph::default() })
    }

    fn by_graph(&self, settings: LatentGraph) -> Result<Found, Error> {
        let settings = LatentGraph { n_clusters: self.n_clusters(), seed: self.seed, ..settings };
        let fit = settings.fit(&self.pairs, &[])?;
        let scales: Vec<String> = fit.scales.iter().map(|scale| format!("{scale:.2}")).collect();
        let words = format!("scales {}", scales.join(", "));
        // As in the paper the graph of one class is shown: of the one with the greatest scale, where links can be seen.
        let greatest = (0..fit.scales.len()).max_by(|&a, &b| fit.scales[a].total_cmp(&fit.scales[b]));
        let graph = fit.graph.into_iter().filter(|link| Some(link.class) == greatest).collect();
        self.found(fit.labels, graph, words)
    }

    fn found(&self, labels: Labels, graph: Vec<ClassLink>, words: String) -> Result<Found, Error> {
        let agreement = adjusted_rand_index(&labels, &self.sample.labels)?;
        Ok(Found { labels, graph, words, agreement })
    }
}
