//! Settings as Python has them: dictionaries of names and values, read through the library's tables.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use similis::error::SettingError;
use similis::latent_graph::ScoreSettings;
use similis::settings::{Kind, Named, Setting, Value};
use similis::{Auto, Error, LatentFeature, LatentGraph, Metric, Missing, Symmetrise};

use crate::wrong;

/// Settings by their names; what is not given has the library's default.
pub(crate) struct Settings<'a, 'py>(pub(crate) &'a Bound<'py, PyDict>);

impl<'py> Settings<'_, 'py> {
    /// The model that is named.
    pub(crate) fn model(&self) -> PyResult<String> {
        let model = self.0.get_item("model")?;
        model.map_or_else(|| Ok(String::new()), |model| Ok(model.str()?.to_string()))
    }

    /// The settings of both models, each under its name.
    pub(crate) fn auto(&self, memory_limit: Option<u64>) -> PyResult<Auto> {
        let graph =
            self.part("latent_graph")?.map_or_else(|| Ok(LatentGraph::default()), |own| graph(&own))?;
        let feature = match self.part("latent_feature")? {
            Some(own) => with(&texts(&own)?, |given| LatentFeature::default().with(given))?,
            None => LatentFeature::default(),
        };
        Ok(Auto {
            graph: LatentGraph { memory_limit, ..graph },
            feature: LatentFeature { memory_limit, ..feature },
        })
    }

    /// The names of the settings of models that are not the default.
    pub(crate) fn changed(&self) -> PyResult<Vec<String>> {
        let part = |name| self.part(name)?.map_or_else(|| Ok(Vec::new()), |own| texts(&own));
        let (graph, feature) = (part("latent_graph")?, part("latent_feature")?);
        Ok([changed(LatentGraph::SETTINGS, graph), changed(LatentFeature::SETTINGS, feature)].concat())
    }

    /// The settings that are not the default as flags of the command; of both models, those that they share once.
    pub(crate) fn flags(&self) -> PyResult<Vec<String>> {
        let part = |name| self.part(name)?.map_or_else(|| Ok(Vec::new()), |own| texts(&own));
        let (graph, feature) = (part("latent_graph")?, part("latent_feature")?);
        let mut flags = flags(LatentGraph::SETTINGS, &graph);
        let known: Vec<&str> = graph.iter().map(|(name, _)| &**name).collect();
        let own: Vec<_> = feature.iter().filter(|(name, _)| !known.contains(&&**name)).cloned().collect();
        flags.extend(self::flags(LatentFeature::SETTINGS, &own));
        let both = || graph.iter().chain(&feature);
        for name in ["n_clusters", "seed", "preset"] {
            let text = both().find(|(own, text)| own == name && text != "None").map(|(_, text)| text);
            flags.extend(text.map(|text| format!("--{}={text}", name.replace('_', "-"))));
        }
        let model = self.model()?;
        flags.extend((!model.is_empty()).then(|| format!("--model={}", model.replace('_', "-"))));
        Ok(flags)
    }

    /// The settings of the latent graph model.
    pub(crate) fn graph(&self) -> PyResult<LatentGraph> {
        self.part("latent_graph")?.map_or_else(|| Ok(LatentGraph::default()), |own| graph(&own))
    }

    /// The settings of a score, not of a model.
    pub(crate) fn scoring(&self) -> PyResult<ScoreSettings> {
        Ok(graph(self.0)?.score_settings())
    }

    fn part(&self, name: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.get_item(name)?.map(|part| Ok(part.cast_into::<PyDict>()?)).transpose()
    }
}

/// The settings of the latent graph model; a preset replaces those that are the default.
fn graph(settings: &Bound<'_, PyDict>) -> PyResult<LatentGraph> {
    let mut given = texts(settings)?;
    let preset = given.iter().position(|(name, _)| name == "preset").map(|at| given.remove(at).1);
    let base = match preset.as_deref() {
        None | Some("None") => LatentGraph::default(),
        Some("paper") => {
            let default = |name: &str| {
                let row = LatentGraph::SETTINGS.iter().find(|row| row.name == name);
                row.map(Setting::default).map(|default| match default {
                    Value::Automatic => "None".to_owned(),
                    default => default.to_string(),
                })
            };
            given.retain(|(name, text)| default(name).as_ref() != Some(text));
            LatentGraph::paper()
        }
        Some(other) => {
            let (given, known) = (other.to_owned(), vec!["paper", "None"]);
            return Err(wrong(Error::Settings(SettingError::Setting { setting: "preset", given, known })));
        }
    };
    with(&given, |given| base.with(given))
}

/// The names of the settings whose values are not the default.
fn changed<M: Default>(rows: &[Setting<M>], given: Vec<(String, String)>) -> Vec<String> {
    let is_changed = |name: &str, text: &str| {
        rows.iter().any(|row| row.name == name && !row.of_run && !is_default(row, text))
    };
    given.into_iter().filter(|(name, text)| is_changed(name, text)).map(|(name, _)| name).collect()
}

fn is_default<M: Default>(row: &Setting<M>, text: &str) -> bool {
    match row.default() {
        Value::Automatic => text == "None",
        Value::Flag(flag) => text.eq_ignore_ascii_case(&flag.to_string()),
        Value::Count(_) | Value::Number(_) => {
            row.default().to_string().parse::<f64>().ok() == text.parse().ok()
        }
        Value::Word(word) => text == word,
    }
}

/// The settings whose values are not the default, as flags of the command.
fn flags<M: Default>(rows: &[Setting<M>], given: &[(String, String)]) -> Vec<String> {
    let asked = |(name, _): &&(String, String)| !["n_clusters", "seed"].contains(&&**name);
    let flag = |(name, text): &(String, String)| {
        let row = rows.iter().find(|row| row.name == name && !is_default(row, text))?;
        let flag = name.replace('_', "-");
        Some(match row.kind {
            Kind::Flag => format!("--{flag}"),
            Kind::Word(_) | Kind::Words(_) => format!("--{flag}={}", text.replace('_', "-")),
            Kind::Count(_) | Kind::Number(_) | Kind::NumberOrWord(_) => format!("--{flag}={text}"),
        })
    };
    given.iter().filter(asked).filter_map(flag).collect()
}

/// The settings as text.
fn texts(settings: &Bound<'_, PyDict>) -> PyResult<Vec<(String, String)>> {
    settings.iter().map(|(name, value)| Ok((name.str()?.to_string(), value.str()?.to_string()))).collect()
}

fn with<M>(given: &[(String, String)], set: impl FnOnce(&[(&str, &str)]) -> Result<M, Error>) -> PyResult<M> {
    let given: Vec<(&str, &str)> = given.iter().map(|(name, text)| (&**name, &**text)).collect();
    set(&given).map_err(wrong)
}

/// Returns the table of settings of each model, for the tests that compare the estimators with it.
#[pyfunction]
pub(crate) fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("latent_graph", rows(py, LatentGraph::SETTINGS)?)?;
    all.set_item("latent_feature", rows(py, LatentFeature::SETTINGS)?)?;
    all.set_item("input", input(py)?)?;
    Ok(all)
}

fn rows<'py, M: Default>(py: Python<'py>, rows: &[Setting<M>]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for row in rows.iter().filter(|row| !row.hidden) {
        let entry = PyDict::new(py);
        entry.set_item("name", row.name)?;
        entry.set_item("python", row.python)?;
        entry.set_item("values", row.words())?;
        entry.set_item("help", row.help)?;
        match row.default() {
            Value::Automatic => entry.set_item("default", py.None())?,
            Value::Flag(value) => entry.set_item("default", value)?,
            Value::Count(value) => entry.set_item("default", value)?,
            Value::Number(value) => entry.set_item("default", value)?,
            Value::Word(value) => entry.set_item("default", value)?,
        }
        list.append(entry)?;
    }
    Ok(list)
}

/// The defaults of what is read, by name.
fn input(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = PyDict::new(py);
    settings.set_item("metric", Metric::default().name())?;
    if let Ok(Metric::Minkowski { p }) = Metric::named("minkowski") {
        settings.set_item("minkowski_p", p)?;
    }
    settings.set_item("symmetrise", Symmetrise::default().name())?;
    settings.set_item("missing", Missing::default().name())?;
    Ok(settings)
}
