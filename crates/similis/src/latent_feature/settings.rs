//! The table of the latent feature model's settings.

use crate::affinity::Affinity;
use crate::error::Error;
use crate::latent_feature::embedding::Variant;
use crate::latent_feature::gaussian::covariance::Covariance;
use crate::latent_feature::{FeatureInference, Grouping, LatentFeature};
use crate::settings::Named;
use crate::settings::table::{Kind, Need, Setting, Value, apply, count, flag, names, number, optional, row};

type Row = Setting<LatentFeature>;

/// The setting has an effect only if distances were given.
const DISTANCES: Need = Need { setting: "input", one_of: &["distances"] };

impl LatentFeature {
    /// Every setting.
    pub const SETTINGS: &'static [Row] = &[
        Row::new(
            "n_clusters",
            Kind::NumberOrWord("M|LEAST-MOST|auto"),
            "Number of clusters: a number, a range such as 2-8, or auto, by the largest gap between eigenvalues, in graphs by \
             blocks and components.",
            |model| Value::Word(model.n_clusters.to_string()),
            |model, text| text.parse().map(|n_clusters| model.n_clusters = n_clusters),
        )
        .of_any_model(),
        Row::new(
            "normalised",
            Kind::Flag,
            "The input is a normalised similarity matrix and is used unchanged.",
            |model| Value::Flag(model.normalised),
            |model, text| flag("normalised", text).map(|normalised| model.normalised = normalised),
        ),
        Row::new(
            "affinity",
            Kind::Word(names::<Affinity>),
            "How distances become similarities.",
            |model| Value::name(model.affinity),
            |model, text| Named::named(text).map(|affinity| model.affinity = affinity),
        )
        .needs(&[DISTANCES]),
        Row::new(
            "gamma",
            Kind::NumberOrWord("GAMMA|search"),
            "Width of the affinities exponential and gaussian: a number, or search.",
            |model| Value::Word(model.gamma.to_string()),
            |model, text| text.parse().map(|gamma| model.gamma = gamma),
        )
        .needs(&[DISTANCES, Need { setting: "affinity", one_of: &["exponential", "gaussian"] }]),
        Row::new(
            "affinity_neighbours",
            Kind::Count("K"),
            "Number of neighbours that the affinity nearest links, at most half the points.",
            |model| Value::count(model.affinity_neighbours),
            |model, text| count("affinity_neighbours", text).map(|k| model.affinity_neighbours = k),
        )
        .needs(&[DISTANCES, Need { setting: "affinity", one_of: &["nearest"] }]),
        Row::new(
            "variant",
            Kind::Word(names::<Variant>),
            "Which features of the eigenvectors are used.",
            |model| Value::name(model.variant),
            |model, text| Named::named(text).map(|variant| model.variant = variant),
        ),
        Row::new(
            "n_features",
            Kind::NumberOrWord("T|auto|n-clusters"),
            "Number of features: a number, auto (by the largest gap), or n-clusters.",
            |model| Value::Word(model.n_features.to_string()),
            |model, text| text.parse().map(|n_features| model.n_features = n_features),
        ),
        Row::new(
            "grouping",
            Kind::Word(names::<Grouping>),
            "How features are grouped.",
            |model| Value::name(model.grouping),
            |model, text| Named::named(text).map(|grouping| model.grouping = grouping),
        ),
        Row::new(
            "covariance",
            Kind::Word(names::<Covariance>),
            "The covariance of the features of a cluster.",
            |model| Value::name(model.covariance),
            |model, text| Named::named(text).map(|covariance| model.covariance = covariance),
        ),
        Row::new(
            "feature_inference",
            Kind::Word(names::<FeatureInference>),
            "Features first and clusters afterwards, or both jointly.",
            |model| Value::name(model.feature_inference),
            |model, text| Named::named(text).map(|inference| model.feature_inference = inference),
        ),
        Row::new(
            "psi_floor",
            Kind::Number("PART"),
            "Lower bound on the variance of a cluster, as a fraction of the features' mean variance.",
            |model| Value::Number(model.psi_floor),
            |model, text| number("psi_floor", text).map(|floor| model.psi_floor = floor),
        ),
        Row::new(
            "n_restarts",
            Kind::Count("N"),
            "Number of random restarts of the grouping.",
            |model| Value::count(model.n_restarts),
            |model, text| count("n_restarts", text).map(|n_restarts| model.n_restarts = n_restarts),
        )
        .of_any_model(),
        Row::new(
            "min_size",
            Kind::Count("N"),
            "Fewest points of a cluster.",
            |model| Value::count(model.min_size),
            |model, text| count("min_size", text).map(|size| model.min_size = size),
        )
        .of_any_model(),
        Row::new(
            "max_size",
            Kind::Count("N"),
            "Most points of a cluster. Default: any number.",
            |model| model.max_size.map_or(Value::Automatic, Value::count),
            |model, text| {
                optional(text, |text| count("max_size", text)).map(|size| model.max_size = size)
            },
        )
        .of_any_model(),
        Row::new(
            "seed",
            Kind::Count("SEED"),
            "Random seed: the same seed gives the same answer.",
            |model| Value::Count(model.seed),
            |model, text| count("seed", text).map(|seed| model.seed = seed),
        )
        .of_any_model()
        .python("random_state"),
        Row::new(
            "memory_limit",
            Kind::Count("BYTES"),
            "Maximum size of a dense matrix, in bytes.",
            |model| model.memory_limit.map_or(Value::Automatic, Value::Count),
            |model, text| {
                optional(text, |text| count("memory_limit", text)).map(|limit| model.memory_limit = limit)
            },
        )
        .of_run(),
    ];

    /// The value of a setting, by the name it has in [`LatentFeature::SETTINGS`].
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if there is no such setting.
    pub fn get(&self, name: &str) -> Result<Value, Error> {
        row(Self::SETTINGS, name).map(|row| row.get(self))
    }

    /// Sets a setting, by the name it has in [`LatentFeature::SETTINGS`], to a value as the command line spells it.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if there is no such setting or value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        row(Self::SETTINGS, name)?.set(self, value)
    }

    /// Returns these settings with others set by name.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::set`].
    pub fn with(mut self, given: &[(&str, &str)]) -> Result<Self, Error> {
        apply(Self::SETTINGS, &mut self, given)?;
        Ok(self)
    }
}
