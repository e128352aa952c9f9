//! Inference by sampling: chains from several starts, summarised together.

use crate::error::Error;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::fit::{LatentGraphFit, best};
use crate::latent_graph::posterior::Sampled;
use crate::latent_graph::settings::LatentGraph;

impl LatentGraph {
    /// Inference by sampling: the labels of least expected loss, and how sure they are.
    pub(crate) fn sample(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        let Sampled { found, posterior, component_sizes, background } = self.sampled(task)?;
        let fit = best(vec![found], background)?;
        Ok(LatentGraphFit { posterior: Some(posterior), component_sizes, ..fit })
    }
}
