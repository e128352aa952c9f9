//! The settings that the page can change.

use std::str::FromStr;

use serde_json::{Value, json};
use similis::latent_graph::Noise;
use similis::settings::Named;
use similis::{Auto, Dissimilarity, Error, Metric, NClusters};

use crate::args::{ClusterArgs, Model};

/// The settings that the page can change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choices {
    /// How many clusters.
    pub(super) n_clusters: NClusters,
    /// Which model.
    pub(super) model: Model,
    /// How points are measured; nothing of other inputs.
    pub(super) metric: Option<Metric>,
    /// Whether points may be noise.
    pub(super) noise: bool,
}

impl Choices {
    /// The settings of the command line.
    pub(super) fn new(args: &ClusterArgs, metric: Option<Metric>) -> Self {
        let noise = args.graph.given().contains(&("noise", "background"));
        Self { n_clusters: args.n_clusters, model: args.model, metric, noise }
    }

    /// The settings as JSON, under the names they have everywhere.
    pub(super) fn json(&self) -> Value {
        json!({
            "n_clusters": self.n_clusters.to_string(),
            "model": model_name(self.model),
            "metric": self.metric.map(Named::name),
            "noise": if self.noise { "background" } else { "none" },
        })
    }

    /// The settings with those changed that `value` names.
    ///
    /// # Errors
    ///
    /// What is wrong with one, in words.
    pub(super) fn with(&self, value: &Value) -> Result<Self, String> {
        let mut changed = self.clone();
        let word = |name: &str| value[name].as_str();
        if let Some(number) = word("n_clusters") {
            changed.n_clusters = NClusters::from_str(number).map_err(|error| error.to_string())?;
        }
        if let Some(model) = word("model") {
            let known = [Model::Auto, Model::LatentGraph, Model::LatentFeature];
            let found = known.into_iter().find(|known| model_name(*known) == model.replace('-', "_"));
            changed.model = found.ok_or_else(|| {
                format!("model must be auto, latent_graph or latent_feature, got {model:?}")
            })?;
        }
        if let (Some(metric), Some(_)) = (word("metric"), self.metric) {
            changed.metric = Some(Metric::named(metric).map_err(|error| error.to_string())?);
        }
        if let Some(noise) = word("noise") {
            changed.noise = Noise::named(noise).map_err(|error| error.to_string())? == Noise::Background;
        }
        Ok(changed)
    }

    /// The settings of both models, and which is fitted.
    ///
    /// # Errors
    ///
    /// Those of [`similis::LatentGraph::set`].
    pub(super) fn models(
        &self,
        args: &ClusterArgs,
        pairs: &Dissimilarity<'_>,
        memory_limit: Option<u64>,
    ) -> Result<(Auto, similis::auto::Model), Error> {
        let mut auto = args.auto(memory_limit)?;
        (auto.graph.n_clusters, auto.feature.n_clusters) = (self.n_clusters, self.n_clusters);
        let was = args.graph.given().contains(&("noise", "background"));
        if was != self.noise {
            let noise = if self.noise { Noise::Background } else { Noise::None };
            auto.graph = auto.graph.with(&[("noise", noise.name())])?;
        }
        let given = |name: &str| match name {
            "noise" => self.noise,
            name => args.given.has(name),
        };
        let model = match self.model {
            Model::Auto => auto.choose_given(pairs, &given),
            Model::LatentGraph => similis::auto::Model::LatentGraph,
            Model::LatentFeature => similis::auto::Model::LatentFeature,
        };
        Ok((auto, model))
    }
}

/// The name of a model as settings have it.
pub(super) fn model_name(model: Model) -> &'static str {
    match model {
        Model::Auto => "auto",
        Model::LatentGraph => "latent_graph",
        Model::LatentFeature => "latent_feature",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_changes_and_nonsense_is_refused() {
        let choices = Choices {
            n_clusters: NClusters::Auto,
            model: Model::Auto,
            metric: Some(Metric::Euclidean),
            noise: false,
        };
        let changed = json!({"n_clusters": "3", "model": "latent_feature", "metric": "manhattan", "noise": "background"});
        let with = choices.with(&changed).unwrap();
        assert_eq!(with.json(), changed);
        assert_eq!(choices.with(&json!({})).unwrap(), choices);
        for wrong in [
            json!({"n_clusters": "many"}),
            json!({"model": "x"}),
            json!({"metric": "x"}),
            json!({"noise": "x"}),
        ] {
            assert!(choices.with(&wrong).is_err(), "{wrong}");
        }
    }
}
