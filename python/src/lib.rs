//! `similis._lib`: arrays and settings in, arrays out. All mathematics is in the crate `similis`.

// What Python passes is extracted by value.
#![allow(clippy::needless_pass_by_value)]

mod arrays;
mod draws;
mod fits;
mod functions;
mod levels;
mod models;
mod observed;
mod page;
mod reports;
mod settings;
mod shards;
mod side;
mod watch;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What Python sees of a mistake: a `ValueError` with the library's words.
fn wrong(error: similis::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymodule]
mod _lib {
    #[pymodule_export]
    use super::draws::{make_shapes, sample_latent_feature, sample_latent_graph};
    #[pymodule_export]
    use super::fits::{Fit, edge_probabilities, fit};
    #[pymodule_export]
    use super::functions::{
        adjusted_rand_index, affinity, continued, linkage_matrix, medoids, neighbours, normalise, plane,
        score, score_partition, spanning_tree,
    };
    #[pymodule_export]
    use super::levels::{PyGower, PyLevels, levels, outlier_scores};
    #[pymodule_export]
    use super::models::{Model, load_model, model, model_of_bytes};
    #[pymodule_export]
    use super::page::{Page, page_script};
    #[pymodule_export]
    use super::reports::{card, column_notes, picture, places, profiles, report, save_picture, summary_text};
    #[pymodule_export]
    use super::settings::settings;
    #[pymodule_export]
    use super::shards::{ShardDriver, shard_plan, shard_run};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
