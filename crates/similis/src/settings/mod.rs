//! The names of settings: one name everywhere, in Rust, Python, on the command line and in files.

pub(crate) mod n_clusters;

use std::str::FromStr;

use crate::affinity::Affinity;
use crate::affinity::normalise::Normalisation;
use crate::error::Error;
use crate::graph::lengths::Support;
use crate::input::metric::Metric;
use crate::input::{Conversion, Missing, Symmetrise};
use crate::latent_feature::covariance::Covariance;
use crate::latent_feature::embedding::Variant;
use crate::latent_feature::gamma::Gamma;
use crate::latent_feature::{FeatureInference, Grouping, NFeatures};
use crate::latent_graph::Inference;
use crate::latent_graph::model::background::Background;
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::model::prior::{GraphPrior, SizePrior};
use crate::latent_graph::model::scale::{ScalePrior, ScaleUpdates};
use crate::latent_graph::noise::Noise;
use crate::latent_graph::posterior::estimate::Loss;
use crate::latent_graph::search::score::Score;
use crate::latent_graph::search::score::varying::Scales;
pub use n_clusters::NClusters;

/// A setting that is one of a few named values.
pub trait Named: Copy + PartialEq + Sized + 'static {
    /// The setting's name.
    const SETTING: &'static str;
    /// The values and their names.
    const VALUES: &'static [(&'static str, Self)];

    /// The name of this value.
    fn name(self) -> &'static str {
        // A value that carries a number (minkowski's exponent) has the name of its kind.
        let same =
            |value: &Self| *value == self || std::mem::discriminant(value) == std::mem::discriminant(&self);
        Self::VALUES.iter().find(|(_, value)| same(value)).map_or("", |(name, _)| name)
    }

    /// Returns the value of this name; dashes and underscores are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`], which lists the names.
    fn named(name: &str) -> Result<Self, Error> {
        let wanted = name.replace('-', "_");
        let found = Self::VALUES.iter().find(|(known, _)| *known == wanted);
        found.map(|&(_, value)| value).ok_or_else(|| Error::Setting {
            setting: Self::SETTING,
            given: name.to_owned(),
            known: Self::VALUES.iter().map(|&(known, _)| known).collect(),
        })
    }
}

impl Named for Metric {
    const SETTING: &'static str = "metric";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("euclidean", Self::Euclidean),
        ("squared_euclidean", Self::SquaredEuclidean),
        ("manhattan", Self::Manhattan),
        ("chebyshev", Self::Chebyshev),
        ("minkowski", Self::Minkowski { p: 3.0 }),
        ("cosine", Self::Cosine),
        ("correlation", Self::Correlation),
        ("hamming", Self::Hamming),
        ("jaccard", Self::Jaccard),
        ("haversine", Self::Haversine),
    ];
}

impl Named for Conversion {
    const SETTING: &'static str = "conversion";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("one_minus", Self::OneMinus),
        ("negative_log", Self::NegativeLog),
        ("inverse", Self::Inverse),
        ("kernel", Self::Kernel),
    ];
}

impl Named for Symmetrise {
    const SETTING: &'static str = "symmetrise";
    const VALUES: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("mean", Self::Mean), ("min", Self::Min), ("max", Self::Max)];
}

impl Named for Missing {
    const SETTING: &'static str = "missing";
    const VALUES: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("unobserved", Self::Unobserved)];
}

impl Named for Variant {
    const SETTING: &'static str = "variant";
    const VALUES: &'static [(&'static str, Self)] =
        &[("lemma1", Self::Lemma1), ("ng_jordan_weiss", Self::NgJordanWeiss), ("meila_shi", Self::MeilaShi)];
}

impl Named for Affinity {
    const SETTING: &'static str = "affinity";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("exponential", Self::Exponential),
        ("gaussian", Self::Gaussian),
        ("local", Self::Local),
        ("nearest", Self::Nearest),
    ];
}

impl Named for Normalisation {
    const SETTING: &'static str = "normalisation";
    const VALUES: &'static [(&'static str, Self)] =
        &[("random_walk", Self::RandomWalk), ("symmetric", Self::Symmetric)];
}

impl Named for Grouping {
    const SETTING: &'static str = "grouping";
    const VALUES: &'static [(&'static str, Self)] = &[("k_means", Self::KMeans), ("mixture", Self::Mixture)];
}

impl Named for Covariance {
    const SETTING: &'static str = "covariance";
    const VALUES: &'static [(&'static str, Self)] =
        &[("spherical", Self::Spherical), ("diagonal", Self::Diagonal), ("full", Self::Full)];
}

impl Named for FeatureInference {
    const SETTING: &'static str = "feature_inference";
    const VALUES: &'static [(&'static str, Self)] = &[("greedy", Self::Greedy), ("joint", Self::Joint)];
}

impl Named for Likelihood {
    const SETTING: &'static str = "likelihood";
    const VALUES: &'static [(&'static str, Self)] =
        &[("exponential", Self::Exponential), ("gaussian", Self::Gaussian)];
}

impl Named for GraphPrior {
    const SETTING: &'static str = "graph_prior";
    const VALUES: &'static [(&'static str, Self)] =
        &[("tree", Self::Tree), ("connected", Self::Connected), ("k_neighbours", Self::KNeighbours)];
}

impl Named for Support {
    const SETTING: &'static str = "support";
    const VALUES: &'static [(&'static str, Self)] =
        &[("complete", Self::Complete), ("nearest", Self::Nearest), ("given", Self::Given)];
}

impl Named for Background {
    const SETTING: &'static str = "background";
    const VALUES: &'static [(&'static str, Self)] = &[("fitted", Self::Fitted), ("theorem", Self::Theorem)];
}

impl Named for ScalePrior {
    const SETTING: &'static str = "scale_prior";
    const VALUES: &'static [(&'static str, Self)] = &[("weak", Self::Weak), ("none", Self::None)];
}

impl Named for ScaleUpdates {
    const SETTING: &'static str = "scale_updates";
    const VALUES: &'static [(&'static str, Self)] = &[("hard", Self::Hard), ("soft", Self::Soft)];
}

impl Named for SizePrior {
    const SETTING: &'static str = "size_prior";
    const VALUES: &'static [(&'static str, Self)] =
        &[("dirichlet", Self::Dirichlet), ("constant", Self::Constant)];
}

impl Named for Inference {
    const SETTING: &'static str = "inference";
    const VALUES: &'static [(&'static str, Self)] =
        &[("search", Self::Search), ("paper", Self::Paper), ("sample", Self::Sample)];
}

impl Named for Loss {
    const SETTING: &'static str = "loss";
    const VALUES: &'static [(&'static str, Self)] =
        &[("variation_of_information", Self::VariationOfInformation), ("binder", Self::Binder)];
}

impl Named for Noise {
    const SETTING: &'static str = "noise";
    const VALUES: &'static [(&'static str, Self)] = &[("none", Self::None), ("background", Self::Background)];
}

impl Named for Score {
    const SETTING: &'static str = "score";
    const VALUES: &'static [(&'static str, Self)] =
        &[("all_trees", Self::AllTrees), ("best_tree", Self::BestTree)];
}

impl Named for Scales {
    const SETTING: &'static str = "scales";
    const VALUES: &'static [(&'static str, Self)] =
        &[("per_class", Self::PerClass), ("varying", Self::Varying)];
}

/// Returns the number that `given` spells, or the error that names what may stand there.
fn number<T: FromStr>(setting: &'static str, given: &str, words: &[&'static str]) -> Result<T, Error> {
    given.parse().map_err(|_| Error::Setting {
        setting,
        given: given.to_owned(),
        known: words.iter().copied().chain(["a number"]).collect(),
    })
}

/// The error of a number of clusters that is none.
fn unknown_number(given: &str) -> Error {
    let known = vec!["auto", "a number from 1", "a range like 2-8"];
    Error::Setting { setting: "n_clusters", given: given.to_owned(), known }
}

impl FromStr for NClusters {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "auto" => Ok(Self::Auto),
            _ => match given.split_once("..").or_else(|| given.split_once('-')) {
                Some((least, most)) => {
                    let end = |end: &str| end.parse().map_err(|_| unknown_number(given));
                    Ok(Self::Between(end(least)?, end(most)?))
                }
                None => given.parse().map(Self::Exactly).map_err(|_| unknown_number(given)),
            },
        }
    }
}

impl std::fmt::Display for NClusters {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::Exactly(n) => n.fmt(out),
            Self::Between(least, most) => write!(out, "{least}-{most}"),
        }
    }
}

impl FromStr for NFeatures {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "auto" => Ok(Self::Auto),
            "n_clusters" | "n-clusters" => Ok(Self::NClusters),
            _ => number("n_features", given, &["auto", "n_clusters"]).map(Self::Exactly),
        }
    }
}

impl std::fmt::Display for NFeatures {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::NClusters => out.write_str("n_clusters"),
            Self::Exactly(n) => n.fmt(out),
        }
    }
}

impl FromStr for Gamma {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "search" => Ok(Self::Search),
            _ => number("gamma", given, &["search"]).map(Self::Given),
        }
    }
}

impl std::fmt::Display for Gamma {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Search => out.write_str("search"),
            Self::Given(gamma) => gamma.fmt(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_the_values_they_name() {
        for &(name, metric) in Metric::VALUES {
            assert_eq!(Metric::named(name), Ok(metric));
            assert_eq!(metric.name(), name);
        }
        assert_eq!(Metric::Minkowski { p: 7.0 }.name(), "minkowski");
        assert_eq!(Variant::named("ng-jordan-weiss"), Ok(Variant::NgJordanWeiss));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = Grouping::named("kmeans").unwrap_err();
        assert_eq!(error.to_string(), "grouping must be k_means or mixture, got \"kmeans\"");
        let error = "many".parse::<NClusters>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "n_clusters must be auto, a number from 1 or a range like 2-8, got \"many\""
        );
        for given in ["-1", "2-", "2..", "-3..4", "1-2-3", "2.5"] {
            assert!(given.parse::<NClusters>().is_err(), "{given}");
        }
        assert_eq!("2..8".parse(), Ok(NClusters::Between(2, 8)));
    }

    #[test]
    fn numbers_and_words_survive_the_round_trip() {
        for given in ["auto", "12", "2-8"] {
            assert_eq!(given.parse::<NClusters>().unwrap().to_string(), given);
        }
        for given in ["auto", "n_clusters", "3"] {
            assert_eq!(given.parse::<NFeatures>().unwrap().to_string(), given);
        }
        for given in ["search", "0.25"] {
            assert_eq!(given.parse::<Gamma>().unwrap().to_string(), given);
        }
    }
}
