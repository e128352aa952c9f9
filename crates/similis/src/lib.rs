//! Clustering from similarities: the mathematics of similis.
//!
//! Two families of models explain a matrix of similarities, after Rosales & Frey, *Learning Generative Models of
//! Similarity Matrices* (UAI 2003). This crate opens no file, prints nothing and reads no clock; chance enters through
//! a `seed` alone, and the same input, settings and seed give the same bits for any number of threads.
//!
//! `EQUATIONS.md` in the repository maps every equation of the paper to the function that computes it.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/prediction.md")]
struct PredictionPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/side-information.md")]
struct SideInformationPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/number-and-noise.md")]
struct NumberAndNoisePage;

pub mod affinity;
pub mod agreement;
pub mod auto;
mod constraints;
pub mod dissimilarity;
pub mod distance;
pub mod error;
pub mod labels;
pub mod latent_feature;
pub mod latent_graph;
pub mod linalg;
pub mod medoids;
pub mod normalisation;
pub mod observer;
pub mod parallel;
pub mod points;
pub mod predict;
pub mod random;
pub mod random_walk;
pub mod selection;
pub mod settings;
pub mod shapes;
pub mod side_information;
pub mod similarity;
pub mod support;
pub mod termination;

pub use affinity::Affinity;
pub use auto::{Auto, AutoFit};
pub use dissimilarity::{Checks, Conversion, Dissimilarity, Missing, Quantity, SparseMatrix, Symmetrise};
pub use distance::Metric;
pub use error::Error;
pub use labels::Labels;
pub use latent_feature::{LatentFeature, LatentFeatureFit};
pub use latent_graph::{LatentGraph, LatentGraphFit};
pub use observer::{Observer, Progress, Silent};
pub use points::Points;
pub use predict::{Prediction, Predictor, PredictorParts};
pub use selection::NClusters;
pub use side_information::SideInformation;
pub use similarity::SimilarityMatrix;
pub use support::minimum_spanning_tree;
pub use termination::Termination;
