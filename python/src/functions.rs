//! What needs no fit: trees, neighbours, affinities, scores.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use similis::affinity::{self as affinities, Normalisation, Staying, inverse_distances, staying_probability};
use similis::graph::{Search, single_linkage};
use similis::latent_graph::{JointOfLabels, Link, PartitionScore, log_joint_of};
use similis::settings::Named;
use similis::{Affinity, Labels, SimilarityMatrix, evaluate, minimum_spanning_tree};
use similis_cli::io::predictions::numbered;
use similis_cli::projection;

use crate::arrays::{matrix, table};
use crate::observed::Observed;
use crate::settings::Settings;
use crate::side::known;
use crate::watch::Run;
use crate::wrong;

/// Returns the ends and lengths of the minimum spanning tree's links, shortest first.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn spanning_tree<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    run: Run,
) -> PyResult<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f64>>)> {
    let borrowed = observed.borrow()?;
    let links = run.run(py, |observer| Ok(minimum_spanning_tree(&borrowed.pairs()?, observer)))?;
    let ends = |link: &Link| [link.from as i64, link.to as i64];
    let lengths = PyArray1::from_iter(py, links.iter().map(|link| link.length));
    Ok((table(py, links.iter().flat_map(ends).collect(), 2)?, lengths))
}

/// Returns the single-linkage dendrogram as SciPy has it.
#[pyfunction]
pub(crate) fn linkage_matrix<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let borrowed = observed.borrow()?;
    let merges = run.run(py, |observer| single_linkage(&borrowed.pairs()?, observer))?;
    let row = |merge: &similis::graph::Merge| {
        [merge.first as f64, merge.second as f64, merge.height, merge.size as f64]
    };
    table(py, merges.iter().flat_map(row).collect(), 4)
}

/// Returns distances and numbers of the nearest neighbours; where there are fewer, the rest is infinite and -1.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn neighbours<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    n_neighbours: usize,
    search: (bool, u64),
    run: Run,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>)> {
    let borrowed = observed.borrow()?;
    let search = Search { exact: search.0, seed: search.1 };
    let found = run.run(py, |_| Ok(search.nearest_neighbours(&borrowed.pairs()?, n_neighbours)))?;
    let n_points = found.n_points();
    let width = n_neighbours.min(n_points.saturating_sub(1));
    let (mut distances, mut indices) = (vec![f64::INFINITY; n_points * width], vec![-1; n_points * width]);
    for i in 0..n_points {
        for (at, (j, distance)) in found.of(i).enumerate() {
            distances[i * width + at] = distance;
            indices[i * width + at] = j as i64;
        }
    }
    Ok((table(py, distances, width)?, table(py, indices, width)?))
}

/// Returns an affinity matrix: dense, or as compressed rows.
#[pyfunction]
pub(crate) fn affinity<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    kind: &str,
    numbers: (Option<f64>, usize),
    run: Run,
) -> PyResult<Bound<'py, PyAny>> {
    let borrowed = observed.borrow()?;
    let kind = Affinity::named(kind).map_err(wrong)?;
    let (gamma, n_neighbours) = numbers;
    let limit = borrowed.memory_limit();
    // An affinity that has a scale asks for it; without one it is no number.
    let gamma = gamma.unwrap_or(f64::NAN);
    let found = run.run(py, |_| {
        let pairs = borrowed.pairs()?;
        match kind {
            Affinity::Exponential => affinities::exponential(&pairs, gamma, limit),
            Affinity::Gaussian => affinities::gaussian(&pairs, gamma, limit),
            Affinity::Local => affinities::local(&pairs, limit),
            Affinity::Nearest => affinities::nearest(&pairs, n_neighbours),
        }
    })?;
    matrix(py, &found)
}

/// Returns a similarity matrix normalised, `random_walk` or `symmetric`.
#[pyfunction]
pub(crate) fn normalise<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    normalisation: &str,
    run: Run,
) -> PyResult<Bound<'py, PyAny>> {
    let borrowed = observed.borrow()?;
    let normalisation = Normalisation::named(normalisation).map_err(wrong)?;
    let pairs = run.run(py, |_| borrowed.pairs())?;
    let found = run.run(py, |_| {
        let similarities = SimilarityMatrix::observed(&pairs, borrowed.memory_limit())?;
        Ok(affinities::normalise(similarities, normalisation))
    })?;
    matrix(py, &found.matrix)
}

/// Returns the most typical point of each cluster; a label below 0 is noise.
#[pyfunction]
pub(crate) fn medoids<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let borrowed = observed.borrow()?;
    let given = labels.as_slice()?;
    let noise: Vec<usize> = (0..given.len()).filter(|&i| given[i] < 0).collect();
    // Noise is of any cluster, and counts in none.
    let first = given.iter().copied().find(|&label| label >= 0).unwrap_or(0);
    let clusters: Vec<i64> = given.iter().map(|&label| if label < 0 { first } else { label }).collect();
    let labels = Labels::new(&clusters);
    let found = run.run(py, |_| evaluate::medoids(&borrowed.pairs()?, &labels, &noise))?;
    Ok(PyArray1::from_iter(py, found.iter().map(|medoid| medoid.point as i64)))
}

/// Returns the score of a partition.
#[pyfunction]
pub(crate) fn score_partition<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    settings: &Bound<'py, PyDict>,
    run: Run,
) -> PyResult<f64> {
    let borrowed = observed.borrow()?;
    let scoring = Settings(settings).graph()?.score_settings();
    let labels = Labels::new(labels.as_slice()?);
    let score = run.run(py, |observer| scoring.score(&borrowed.pairs()?, &labels, observer))?;
    Ok(score.total())
}

/// Returns the score of a partition, its log joint, and their parts.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    settings: &Bound<'py, PyDict>,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let borrowed = observed.borrow()?;
    let scoring = Settings(settings).scoring()?;
    let labels = Labels::new(labels.as_slice()?);
    let scored = run.run(py, |observer| {
        let pairs = borrowed.pairs()?;
        let score = scoring.score(&pairs, &labels, observer)?;
        let joint = log_joint_of(&pairs, &labels, scoring.size_prior, observer)?;
        let walk = staying_probability(&inverse_distances(&pairs, borrowed.memory_limit())?, &labels)?;
        Ok((score, joint, walk))
    })?;
    scored_dict(py, &scored.0, &scored.1, &scored.2)
}

fn scored_dict<'py>(
    py: Python<'py>,
    score: &PartitionScore,
    joint: &JointOfLabels,
    walk: &Staying,
) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("score", score.total())?;
    found.set_item("prior", score.prior)?;
    found.set_item("evidence", score.evidence)?;
    found.set_item("walk", score.walk)?;
    found.set_item("valleys", score.valleys)?;
    found.set_item("step", score.step)?;
    found.set_item("log_joint", joint.log_joint.total())?;
    found.set_item("staying_probability", walk.overall)?;
    let classes = score.classes.iter().zip(&joint.scales).map(|(class, scale)| {
        let found = PyDict::new(py);
        found.set_item("size", class.size)?;
        found.set_item("scale", scale)?;
        found.set_item("mean_link", class.mean_link)?;
        found.set_item("prior", class.prior)?;
        found.set_item("evidence", class.evidence)?;
        found.set_item("stay", class.stay)?;
        Ok(found)
    });
    found.set_item("classes", classes.collect::<PyResult<Vec<_>>>()?)?;
    Ok(found)
}

/// Returns two coordinates of each row, and the part of the variance that they show.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn plane<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f64>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64)> {
    let projection = projection::plane(rows.as_slice()?, rows.shape()[1]);
    let (x, y) = (PyArray1::from_vec(py, projection.x), PyArray1::from_vec(py, projection.y));
    Ok((x, y, projection.shown))
}

/// Returns the adjusted Rand index of two labellings.
#[pyfunction]
pub(crate) fn adjusted_rand_index(
    first: PyReadonlyArray1<'_, i64>,
    second: PyReadonlyArray1<'_, i64>,
) -> PyResult<f64> {
    let labels = |given: &PyReadonlyArray1<'_, i64>| Ok::<_, PyErr>(Labels::new(given.as_slice()?));
    evaluate::adjusted_rand_index(&labels(&first)?, &labels(&second)?).map_err(wrong)
}

/// Returns the labels of items some of which keep theirs, after others were clustered again; -1 is noise, or a label that does not
/// stay.
#[pyfunction]
pub(crate) fn continued<'py>(
    py: Python<'py>,
    stay: PyReadonlyArray1<'py, i64>,
    found: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (stay, found) = (known(stay.as_slice()?)?, known(found.as_slice()?)?);
    Ok(PyArray1::from_vec(py, numbered(&similis::input::continued(&stay, &found))))
}
