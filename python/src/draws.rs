//! Draws from the models, and shapes.

use numpy::{
    PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use similis::evaluate::shapes::{Shape, draw};
use similis::latent_feature::{Gaussian, GaussianConditionals, PairTerms, sample};
use similis::latent_graph::{GraphPrior, Likelihood, LinkLengths, Sampler};
use similis::settings::Named;

use crate::arrays::{labels, matrix, table};
use crate::wrong;

/// Returns points of a shape and the class of each.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn make_shapes<'py>(
    py: Python<'py>,
    shape: &str,
    n_points: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>)> {
    let sample = draw(Shape::named(shape).map_err(wrong)?, n_points, seed).map_err(wrong)?;
    Ok((table(py, sample.points.as_slice().to_vec(), 2)?, labels(py, &sample.labels)))
}

/// What a latent graph is drawn by: Python's `similis._draws.GraphModel`.
#[derive(Debug, FromPyObject)]
pub(crate) struct GraphModel<'py> {
    scales: PyReadonlyArray1<'py, f64>,
    spreads: Option<PyReadonlyArray1<'py, f64>>,
    background: f64,
    background_spread: Option<f64>,
    graph_prior: String,
    prior_neighbours: usize,
}

/// Returns labels, links and condensed lengths drawn from the latent graph model.
#[pyfunction]
pub(crate) fn sample_latent_graph<'py>(
    py: Python<'py>,
    n_points: usize,
    model: GraphModel<'py>,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let scales = model.scales.as_slice()?;
    let spreads = model.spreads.as_ref().map(|spreads| spreads.as_slice()).transpose()?;
    let classes = (0..scales.len()).map(|at| {
        let spread = spreads.map(|spreads| spreads.get(at).copied().unwrap_or(f64::NAN));
        lengths("scales", scales[at], spread)
    });
    let sampler = Sampler {
        classes: classes.collect::<PyResult<_>>()?,
        background: lengths("background", model.background, model.background_spread)?,
        graph_prior: GraphPrior::named(&model.graph_prior).map_err(wrong)?,
        prior_neighbours: model.prior_neighbours,
    };
    let drawn = sampler.draw(n_points, seed).map_err(wrong)?;
    let found = PyDict::new(py);
    found.set_item("labels", labels(py, &drawn.labels))?;
    let ends = drawn.links.iter().flat_map(|link| [link.from as i64, link.to as i64]);
    found.set_item("links", table(py, ends.collect(), 2)?)?;
    found.set_item("link_lengths", PyArray1::from_iter(py, drawn.links.iter().map(|link| link.length)))?;
    found.set_item("lengths", PyArray1::from_vec(py, drawn.lengths))?;
    Ok(found)
}

/// Exponential lengths, or Gaussian ones where a spread is given.
fn lengths(name: &str, scale: f64, spread: Option<f64>) -> PyResult<LinkLengths> {
    let likelihood = if spread.is_some() { Likelihood::Gaussian } else { Likelihood::Exponential };
    let good = |value: f64| value.is_finite() && value > 0.0;
    match (likelihood, spread) {
        (Likelihood::Exponential, _) if good(scale) => Ok(LinkLengths::Exponential { scale }),
        (Likelihood::Gaussian, Some(spread)) if scale.is_finite() && good(spread) => {
            Ok(LinkLengths::Gaussian { scale, spread })
        }
        _ => Err(PyValueError::new_err(format!(
            "{name} must be finite numbers above 0, with a spread above 0 for each if there are any, got scale {scale} and \
             spread {spread:?}"
        ))),
    }
}

/// Returns labels, features and similarities drawn from the latent feature model.
#[pyfunction]
pub(crate) fn sample_latent_feature<'py>(
    py: Python<'py>,
    n_points: usize,
    classes: (PyReadonlyArray2<'py, f64>, PyReadonlyArray3<'py, f64>),
    noise: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let (means, covariances) = classes;
    let [n_classes, width] = [means.shape()[0], means.shape()[1]];
    if covariances.shape() != [n_classes, width, width] || width == 0 {
        return Err(PyValueError::new_err(format!(
            "covariances must have the shape {:?} that the means ask for, got {:?}",
            [n_classes, width, width],
            covariances.shape()
        )));
    }
    if !(noise.is_finite() && noise > 0.0) {
        return Err(PyValueError::new_err(format!("noise must be a finite number above 0, got {noise}")));
    }
    let (means, covariances) = (means.as_slice()?, covariances.as_slice()?);
    let gaussian = |(class, (mean, covariance)): (usize, (&[f64], &[f64]))| {
        Gaussian::new(mean.to_vec(), covariance.to_vec()).ok_or_else(|| {
            PyValueError::new_err(format!("the covariance of class {class} must be positive definite"))
        })
    };
    let all = means.chunks(width).zip(covariances.chunks(width * width)).enumerate();
    let classes: PyResult<Vec<Gaussian>> = all.map(gaussian).collect();
    let model = GaussianConditionals { noise, classes: classes? };
    let drawn = sample(&model, n_points, PairTerms::UpperAndDiagonal, seed).map_err(wrong)?;
    let found = PyDict::new(py);
    found.set_item("labels", labels(py, &drawn.labels))?;
    found.set_item("features", table(py, drawn.features.as_slice().to_vec(), width)?)?;
    found.set_item("similarities", matrix(py, &drawn.matrix)?)?;
    Ok(found)
}
