//! Clustering from similarities: the mathematics of similis.
//!
//! Two families of models explain a matrix of similarities, after Rosales & Frey, *Learning Generative Models of
//! Similarity Matrices* (UAI 2003). This crate opens no file, prints nothing and reads no clock; chance enters through
//! a `seed` alone, and the same input, settings and seed give the same bits for any number of threads.
//!
//! `EQUATIONS.md` in the repository maps every equation of the paper to the function that computes it.

pub mod affinity;
pub mod auto;
mod constraints;
pub mod error;
pub mod evaluate;
pub mod graph;
pub mod input;
pub mod latent_feature;
pub mod latent_graph;
pub mod numeric;
pub mod plan;
mod quantity;
pub mod run;
pub mod settings;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/start/quick-start.md")]
struct QuickStartPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/prediction.md")]
struct PredictionPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/side-information.md")]
struct SideInformationPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/number.md")]
struct NumberPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/noise.md")]
struct NoisePage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/levels.md")]
struct LevelsPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/weights.md")]
struct WeightsPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/outliers.md")]
struct OutliersPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/sparse-points.md")]
struct SparsePointsPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/recipes.md")]
struct RecipesPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/mixed-columns.md")]
struct MixedColumnsPage;

pub use affinity::Affinity;
pub use affinity::matrix::SimilarityMatrix;
pub use auto::{Auto, AutoFit};
pub use constraints::side_information::{SideInformation, SoftPair};
pub use error::Error;
pub use graph::spanning::minimum_tree::minimum_spanning_tree;
pub use input::labels::Labels;
pub use input::metric::Metric;
pub use input::points::Points;
pub use input::sparse::SparseMatrix;
pub use input::{Checks, Conversion, Dissimilarity, Missing, Quantity, Symmetrise};
pub use latent_feature::{LatentFeature, LatentFeatureFit};
pub use latent_graph::LatentGraph;
pub use latent_graph::fit::LatentGraphFit;
pub use latent_graph::predict::parts::PredictorParts;
pub use latent_graph::predict::{Prediction, Predictor};
pub use run::observer::{Observer, Progress, Silent};
pub use run::termination::Termination;
pub use settings::n_clusters::NClusters;
