//! Fits, and what they found.

use similis::error::SettingError;
use std::time::Instant;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use similis::auto::Model;
use similis::latent_graph::{ClassLink, CoAssignment, DensityModes, Mode, NumberScore, Posterior, Proposal};
use similis::settings::Named;
use similis::{Auto, AutoFit, Dissimilarity, Error, LatentFeatureFit, LatentGraphFit, Observer, Termination};
use similis_cli::answer::Answer;
use similis_cli::io::predictions::numbered;

use crate::arrays::{labels, table};
use crate::observed::Observed;
use crate::settings::Settings;
use crate::side::{Side, side_information};
use crate::watch::Run;
use crate::wrong;

/// What the command says of a run that the time limit ended.
const OUT_OF_TIME: &str = "stopped at the time limit, best answer so far";

/// Fits the model that the settings name: `latent_graph`, `latent_feature` or `auto`. Returns the estimator's attributes,
/// without their last `_`.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    settings: &Bound<'py, PyDict>,
    side: Side<'py>,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let borrowed = observed.borrow()?;
    let model = Settings(settings).model()?;
    let auto = Settings(settings).auto(borrowed.memory_limit())?;
    let changed = Settings(settings).changed()?;
    let side = side_information(side)?;
    let fitted = |pairs: &Dissimilarity<'_>, observer: &dyn Observer| -> Result<AutoFit, Error> {
        Ok(match model.as_str() {
            "latent_graph" => AutoFit::Graph(Box::new(auto.graph.fit_observed(pairs, &side, observer)?)),
            "latent_feature" => {
                AutoFit::Feature(Box::new(auto.feature.fit_observed(pairs, &side, observer)?))
            }
            _ => auto.fit_observed(pairs, &side, observer)?,
        })
    };
    let asked = Instant::now();
    let (fit, idle, seconds) = run.run(py, |observer| {
        let started = Instant::now();
        let pairs = borrowed.pairs()?;
        let fit = fitted(&pairs, observer)?;
        let idle = idle(&auto, &fit, &pairs, &changed);
        Ok((fit, idle, started.elapsed().as_secs_f64()))
    })?;
    let out_of_time = fit.ended() == Termination::Cancelled && run.is_over(asked);
    let answer = match fit {
        AutoFit::Graph(fit) => Answer::Graph(auto.graph, fit),
        AutoFit::Feature(fit) => Answer::Feature(auto.feature, fit),
    };
    let found = answered(py, answer, seconds)?;
    found.set_item("idle", idle)?;
    if out_of_time {
        found.set_item("termination", OUT_OF_TIME)?;
    }
    Ok(found)
}

/// The attributes that an answer gives an estimator.
pub(crate) fn answered(py: Python<'_>, answer: Answer, seconds: f64) -> PyResult<Bound<'_, PyDict>> {
    let found = learned(py, &answer)?;
    found.set_item("idle", PyList::empty(py))?;
    found.set_item("termination", answer.ended().to_string())?;
    // What the library took, for the benchmark of the binding.
    found.set_item("seconds", seconds)?;
    found.set_item("notes", answer.warnings())?;
    found.set_item("number_is_provisional", answer.number_is_provisional())?;
    found.set_item("answer", Py::new(py, Fit { answer })?)?;
    Ok(found)
}

/// The settings of the fitted model that are not the default and do not affect the answer, each with the reason.
fn idle(auto: &Auto, fit: &AutoFit, pairs: &Dissimilarity<'_>, changed: &[String]) -> Vec<String> {
    let model = match fit {
        AutoFit::Graph(_) => Model::LatentGraph,
        AutoFit::Feature(_) => Model::LatentFeature,
    };
    let idle = auto.idle(model, pairs, &|name| changed.iter().any(|changed| changed == name));
    let own = idle.iter().filter(|idle| idle.need.setting != Model::SETTING);
    own.map(|idle| format!("{} has no effect: {idle}", idle.setting)).collect()
}

/// What was learned, by whichever model.
fn learned<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("labels", PyArray1::from_vec(py, numbered(&answer.labels_or_noise())))?;
    found.set_item("n_clusters", answer.labels().n_clusters())?;
    match answer {
        Answer::Graph(_, fit) => {
            found.set_item("log_joint", fit.log_joint.total())?;
            add_graph(&found, fit)?;
        }
        Answer::Feature(_, fit) => {
            found.set_item("log_joint", fit.log_joint.total())?;
            add_feature(&found, fit)?;
        }
    }
    Ok(found)
}

/// All that was found, for the report.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Fit {
    pub(crate) answer: Answer,
}

fn add_graph(found: &Bound<'_, PyDict>, fit: &LatentGraphFit) -> PyResult<()> {
    let py = found.py();
    found.set_item("model", "latent_graph")?;
    found.set_item("scales", PyArray1::from_slice(py, &fit.scales))?;
    found.set_item("spreads", PyArray1::from_slice(py, &fit.spreads))?;
    found.set_item("background_scale", fit.background.scale())?;
    found.set_item("n_components", fit.n_components())?;
    found.set_item("trace", PyArray1::from_slice(py, &fit.trace))?;
    let ends = |link: &ClassLink| [link.from as i64, link.to as i64];
    found.set_item("links", table(py, fit.graph.iter().flat_map(ends).collect(), 2)?)?;
    found.set_item("lengths", PyArray1::from_iter(py, fit.graph.iter().map(|link| link.length)))?;
    let candidates: PyResult<Vec<_>> = fit.proposals.iter().map(|proposal| candidate(py, proposal)).collect();
    found.set_item("candidates", candidates?)?;
    let numbers: PyResult<Vec<_>> = fit.numbers.iter().map(|row| number(py, row)).collect();
    found.set_item("numbers", numbers?)?;
    found.set_item("modes", fit.modes.as_ref().map(|found| modes(py, found)).transpose()?)?;
    if let Some(best) = fit.proposals.first() {
        found.set_item("score", best.score.total())?;
    }
    if let Some(posterior) = &fit.posterior {
        found.set_item("posterior", sampled(py, posterior)?)?;
    }
    // The trace begins with the start; a search has only its answer in it.
    found.set_item("n_iter", fit.trace.len().saturating_sub(1).max(1))
}

/// What draws from the posterior say.
fn sampled<'py>(py: Python<'py>, posterior: &Posterior) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let n_points = posterior.samples.first().map_or(0, similis::Labels::n_points);
    let drawn =
        posterior.samples.iter().flat_map(|sample| sample.as_slice().iter().map(|&label| label as i64));
    found.set_item("samples", table(py, drawn.collect(), n_points)?)?;
    found.set_item("memberships", table(py, posterior.memberships.clone(), posterior.n_columns)?)?;
    found.set_item("entropies", PyArray1::from_slice(py, &posterior.entropies()))?;
    let numbers = PyDict::new(py);
    for row in &posterior.numbers {
        numbers.set_item(row.n_clusters, row.probability)?;
    }
    found.set_item("n_clusters", numbers)?;
    let traces = posterior.traces.iter().map(|trace| PyArray1::from_slice(py, trace));
    found.set_item("traces", traces.collect::<Vec<_>>())?;
    found.set_item("burn_in", posterior.burn_in)?;
    found.set_item("r_hat", posterior.r_hat)?;
    found.set_item("effective_sample_size", posterior.effective_sample_size)?;
    found.set_item("loss", posterior.loss.name())?;
    found.set_item("expected_loss", posterior.expected_loss)?;
    match &posterior.co_assignment {
        CoAssignment::Dense(values) => found.set_item("co_assignment", PyArray1::from_slice(py, values))?,
        CoAssignment::Sparse(pairs) => {
            let ends = pairs.iter().flat_map(|&(i, j, _)| [i as i64, j as i64]);
            let values = PyArray1::from_iter(py, pairs.iter().map(|pair| pair.2));
            found.set_item("co_assignment", (table(py, ends.collect(), 2)?, values))?;
        }
    }
    Ok(found)
}

/// Returns the links of a fit that have at least a probability: their ends, and how probable they are.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn edge_probabilities<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    fit: &Bound<'py, Fit>,
    least: f64,
    run: Run,
) -> PyResult<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f64>>)> {
    let borrowed = observed.borrow()?;
    let Answer::Graph(settings, found) = &fit.get().answer else {
        return Err(wrong(Error::Settings(SettingError::NeedsTrees { purpose: "the probability of links" })));
    };
    let links =
        run.run(py, |observer| settings.edge_probabilities(&borrowed.pairs()?, found, least, observer))?;
    let ends = links.iter().flat_map(|link| [link.from as i64, link.to as i64]);
    let probabilities = PyArray1::from_iter(py, links.iter().map(|link| link.probability));
    Ok((table(py, ends.collect(), 2)?, probabilities))
}

/// A partition that the search considered.
fn candidate<'py>(py: Python<'py>, proposal: &Proposal) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("start", proposal.start.to_string())?;
    found.set_item("climbed", proposal.refined)?;
    found.set_item("score", proposal.score.total())?;
    found.set_item("prior", proposal.score.prior)?;
    found.set_item("evidence", proposal.score.evidence)?;
    found.set_item("walk", proposal.score.walk)?;
    found.set_item("valleys", proposal.score.valleys)?;
    found.set_item("side", proposal.score.side)?;
    found.set_item("labels", labels(py, &proposal.labels))?;
    Ok(found)
}

/// The modes of the density of the points.
fn modes<'py>(py: Python<'py>, modes: &DensityModes) -> PyResult<Bound<'py, PyDict>> {
    let mode = |mode: &Mode| {
        let found = PyDict::new(py);
        found.set_item("peak", mode.peak)?;
        found.set_item("saddle", mode.saddle)?;
        found.set_item("prominence", mode.prominence)?;
        found.set_item("significant", mode.is_significant)?;
        Ok(found)
    };
    let all: PyResult<Vec<_>> = modes.modes.iter().map(mode).collect();
    let found = PyDict::new(py);
    found.set_item("n_neighbours", modes.n_neighbours)?;
    found.set_item("dimension", modes.dimension)?;
    found.set_item("least_prominence", modes.least_prominence)?;
    found.set_item("modes", all?)?;
    Ok(found)
}

/// How good a number of clusters is.
fn number<'py>(py: Python<'py>, row: &NumberScore) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("n_clusters", row.n_clusters)?;
    found.set_item("score", row.total())?;
    found.set_item("prior", row.prior)?;
    found.set_item("evidence", row.evidence)?;
    found.set_item("walk", row.walk)?;
    found.set_item("valleys", row.valleys)?;
    found.set_item("side", row.side)?;
    found.set_item("probability", row.probability)?;
    found.set_item("searched", row.searched)?;
    found.set_item("labels", labels(py, &row.labels()))?;
    Ok(found)
}

fn add_feature(found: &Bound<'_, PyDict>, fit: &LatentFeatureFit) -> PyResult<()> {
    let py = found.py();
    found.set_item("model", "latent_feature")?;
    let embedding = &fit.embedding;
    found.set_item("embedding", table(py, embedding.as_slice().to_vec(), embedding.n_columns())?)?;
    found.set_item("eigenvalues", PyArray1::from_slice(py, &fit.eigenvalues))?;
    found.set_item("gamma", fit.gamma)?;
    found.set_item("n_components", fit.n_components)?;
    if let Some(memberships) = &fit.memberships {
        let rows = memberships.as_slice().to_vec();
        found.set_item("memberships", table(py, rows, memberships.n_columns())?)?;
    }
    found.set_item("trace", PyArray1::from_slice(py, &fit.trace))?;
    found.set_item("n_iter", fit.trace.len().max(1))
}
