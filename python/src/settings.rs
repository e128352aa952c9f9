//! Settings as Python has them: the names and values of the library, in a dictionary.

use std::str::FromStr;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use similis::latent_graph::{Sampling, ScoreSettings};
use similis::settings::Named;
use similis::{Auto, Error, LatentFeature, LatentGraph, Metric, Missing, Symmetrise};

use crate::wrong;

/// Settings by their names; what is not given has the library's default.
pub(crate) struct Settings<'a, 'py>(pub(crate) &'a Bound<'py, PyDict>);

impl Settings<'_, '_> {
    /// What stands under a name, as text: numbers of any kind are read the way the command reads them.
    fn text(&self, name: &str) -> PyResult<Option<String>> {
        self.0.get_item(name)?.map(|value| Ok(value.str()?.to_string())).transpose()
    }

    fn named<T: Named>(&self, usual: T) -> PyResult<T> {
        let given = self.text(T::SETTING)?;
        given.map_or(Ok(usual), |name| T::named(&name).map_err(wrong))
    }

    /// A setting that is `None` where the model decides.
    fn optional<T: Named>(&self) -> PyResult<Option<T>> {
        match self.0.get_item(T::SETTING)? {
            Some(value) if !value.is_none() => T::named(&value.str()?.to_string()).map(Some).map_err(wrong),
            _ => Ok(None),
        }
    }

    fn parsed<T: FromStr<Err = Error>>(&self, name: &str, usual: T) -> PyResult<T> {
        self.text(name)?.map_or(Ok(usual), |given| given.parse().map_err(wrong))
    }

    fn number<T: FromStr>(&self, name: &'static str, usual: T, what: &'static str) -> PyResult<T> {
        let wrong = |given: &str| {
            let given = given.to_owned();
            wrong(Error::Setting { setting: name, given, known: vec![what] })
        };
        self.text(name)?.map_or(Ok(usual), |given| given.parse().map_err(|_| wrong(&given)))
    }

    fn count(&self, name: &'static str, usual: usize) -> PyResult<usize> {
        self.number(name, usual, "a whole number")
    }

    fn seed(&self, usual: u64) -> PyResult<u64> {
        self.number("seed", usual, "a whole number")
    }

    /// The model that is named.
    pub(crate) fn model(&self) -> PyResult<String> {
        Ok(self.text("model")?.unwrap_or_default())
    }

    /// The settings of the latent graph model.
    pub(crate) fn graph(&self, memory_limit: Option<u64>) -> PyResult<LatentGraph> {
        let usual = LatentGraph::default();
        Ok(LatentGraph {
            n_clusters: self.parsed("n_clusters", usual.n_clusters)?,
            likelihood: self.named(usual.likelihood)?,
            graph_prior: self.named(usual.graph_prior)?,
            prior_neighbours: self.count("prior_neighbours", usual.prior_neighbours)?,
            support: self.optional()?,
            support_neighbours: self.count("support_neighbours", usual.support_neighbours)?,
            background: self.named(usual.background)?,
            scale_prior: self.named(usual.scale_prior)?,
            typical_length: self.optional_number("typical_length")?,
            scale_updates: self.named(usual.scale_updates)?,
            inference: self.optional()?,
            noise: self.named(usual.noise)?,
            scoring: ScoreSettings {
                score: self.named(usual.scoring.score)?,
                scales: self.named(usual.scoring.scales)?,
                size_prior: self.named(usual.scoring.size_prior)?,
                ..usual.scoring
            },
            sampling: self.sampling()?,
            n_restarts: self.count("n_restarts", usual.n_restarts)?,
            seed: self.seed(usual.seed)?,
            memory_limit,
            ..usual
        })
    }

    /// How the posterior is sampled.
    fn sampling(&self) -> PyResult<Sampling> {
        let usual = Sampling::default();
        Ok(Sampling {
            n_chains: self.count("n_chains", usual.n_chains)?,
            n_sweeps: self.count("n_sweeps", usual.n_sweeps)?,
            burn_in: self.number("burn_in", usual.burn_in, "a number")?,
            n_samples: self.count("n_samples", usual.n_samples)?,
            loss: self.named(usual.loss)?,
        })
    }

    /// A number that is `None` where the model decides.
    fn optional_number(&self, name: &'static str) -> PyResult<Option<f64>> {
        let given = self.0.get_item(name)?.filter(|value| !value.is_none());
        given.map(|_| self.number(name, 0.0, "a number")).transpose()
    }

    /// The settings of the latent feature model.
    pub(crate) fn feature(&self, memory_limit: Option<u64>) -> PyResult<LatentFeature> {
        let usual = LatentFeature::default();
        let normalised = self.0.get_item("normalised")?;
        Ok(LatentFeature {
            n_clusters: self.parsed("n_clusters", usual.n_clusters)?,
            normalised: normalised.map_or(Ok(usual.normalised), |value| value.is_truthy())?,
            variant: self.named(usual.variant)?,
            affinity: self.named(usual.affinity)?,
            gamma: self.parsed("gamma", usual.gamma)?,
            affinity_neighbours: self.count("affinity_neighbours", usual.affinity_neighbours)?,
            n_features: self.parsed("n_features", usual.n_features)?,
            grouping: self.named(usual.grouping)?,
            covariance: self.named(usual.covariance)?,
            feature_inference: self.named(usual.feature_inference)?,
            psi_floor: self.number("psi_floor", usual.psi_floor, "a number")?,
            n_restarts: self.count("n_restarts", usual.n_restarts)?,
            seed: self.seed(usual.seed)?,
            memory_limit,
        })
    }

    /// The settings of both.
    pub(crate) fn auto(&self, memory_limit: Option<u64>) -> PyResult<Auto> {
        Ok(Auto { graph: self.graph(memory_limit)?, feature: self.feature(memory_limit)? })
    }

    /// The settings of a score.
    pub(crate) fn scoring(&self) -> PyResult<ScoreSettings> {
        let usual = ScoreSettings::default();
        Ok(ScoreSettings {
            score: self.named(usual.score)?,
            scales: self.named(usual.scales)?,
            step: self.optional_number("step")?,
            shape: self.number("shape", usual.shape, "a number")?,
            size_prior: self.named(usual.size_prior)?,
            walk_weight: self.number("walk_weight", usual.walk_weight, "a number")?,
        })
    }
}

/// Returns the library's defaults by model and setting, for the test that compares the estimators with them.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("input", input_defaults(py)?)?;
    all.set_item("latent_graph", graph_defaults(py)?)?;
    all.set_item("latent_feature", feature_defaults(py)?)?;
    all.set_item("score", score_defaults(py)?)?;
    Ok(all)
}

fn input_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = PyDict::new(py);
    settings.set_item("metric", Metric::default().name())?;
    if let Ok(Metric::Minkowski { p }) = Metric::named("minkowski") {
        settings.set_item("minkowski_p", p)?;
    }
    settings.set_item("symmetrise", Symmetrise::default().name())?;
    settings.set_item("missing", Missing::default().name())?;
    Ok(settings)
}

fn graph_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let usual = LatentGraph::default();
    let settings = PyDict::new(py);
    settings.set_item("n_clusters", usual.n_clusters.to_string())?;
    settings.set_item("likelihood", usual.likelihood.name())?;
    settings.set_item("graph_prior", usual.graph_prior.name())?;
    settings.set_item("prior_neighbours", usual.prior_neighbours)?;
    settings.set_item("support", usual.support.map(Named::name))?;
    settings.set_item("support_neighbours", usual.support_neighbours)?;
    settings.set_item("background", usual.background.name())?;
    settings.set_item("scale_prior", usual.scale_prior.name())?;
    settings.set_item("typical_length", usual.typical_length)?;
    settings.set_item("scale_updates", usual.scale_updates.name())?;
    settings.set_item("size_prior", usual.scoring.size_prior.name())?;
    settings.set_item("inference", usual.inference.map(Named::name))?;
    settings.set_item("noise", usual.noise.name())?;
    settings.set_item("score", usual.scoring.score.name())?;
    settings.set_item("scales", usual.scoring.scales.name())?;
    settings.set_item("n_chains", usual.sampling.n_chains)?;
    settings.set_item("n_sweeps", usual.sampling.n_sweeps)?;
    settings.set_item("burn_in", usual.sampling.burn_in)?;
    settings.set_item("n_samples", usual.sampling.n_samples)?;
    settings.set_item("loss", usual.sampling.loss.name())?;
    settings.set_item("n_restarts", usual.n_restarts)?;
    settings.set_item("random_state", usual.seed)?;
    settings.set_item("memory_limit", usual.memory_limit)?;
    Ok(settings)
}

fn feature_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let usual = LatentFeature::default();
    let settings = PyDict::new(py);
    settings.set_item("n_clusters", usual.n_clusters.to_string())?;
    settings.set_item("normalised", usual.normalised)?;
    settings.set_item("variant", usual.variant.name())?;
    settings.set_item("affinity", usual.affinity.name())?;
    settings.set_item("gamma", usual.gamma.to_string())?;
    settings.set_item("affinity_neighbours", usual.affinity_neighbours)?;
    settings.set_item("n_features", usual.n_features.to_string())?;
    settings.set_item("grouping", usual.grouping.name())?;
    settings.set_item("covariance", usual.covariance.name())?;
    settings.set_item("feature_inference", usual.feature_inference.name())?;
    settings.set_item("psi_floor", usual.psi_floor)?;
    settings.set_item("n_restarts", usual.n_restarts)?;
    settings.set_item("random_state", usual.seed)?;
    settings.set_item("memory_limit", usual.memory_limit)?;
    Ok(settings)
}

fn score_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let usual = ScoreSettings::default();
    let settings = PyDict::new(py);
    settings.set_item("score", usual.score.name())?;
    settings.set_item("scales", usual.scales.name())?;
    settings.set_item("step", usual.step)?;
    settings.set_item("shape", usual.shape)?;
    settings.set_item("size_prior", usual.size_prior.name())?;
    settings.set_item("walk_weight", usual.walk_weight)?;
    Ok(settings)
}
