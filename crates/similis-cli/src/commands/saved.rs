//! What is kept of an answer: the model in a file, and the memberships of the points.

use similis::{LatentGraphFit, Prediction};

use super::cluster::wrong;
use super::within::Within;
use crate::answer::Answer;
use crate::args::ClusterArgs;
use crate::error::Error;
use crate::input::Observed;
use crate::io::model::SavedModel;
use crate::study::Study;

/// A model to save, and how sure the labels of its points are, as far as they were asked for.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) model: Option<SavedModel>,
    pub(super) memberships: Option<Prediction>,
    /// The items that were clustered, where they are not all.
    pub(super) within: Option<Within>,
}

/// Returns what the arguments ask to keep.
///
/// # Errors
///
/// What the library says of distances that cannot be predicted from.
pub(super) fn kept(args: &ClusterArgs, observed: &Observed, study: &Study<'_>) -> Result<Kept, Error> {
    if args.save_model.is_none() && !args.probabilities {
        return Ok(Kept::default());
    }
    let model = || {
        let parts = study.answer.predictor(&observed.pairs)?;
        let columns = observed.names.clone().filter(|_| parts.points.is_some());
        Ok(SavedModel { parts, columns, standardise: observed.standardise.clone() })
    };
    let model = args.save_model.is_some().then(model).transpose().map_err(|source| wrong(args, source))?;
    let memberships = || match study.answer {
        Answer::Graph(_, fit) if fit.posterior.is_some() => Ok(sampled(fit)),
        _ => study.memberships().cloned(),
    };
    let memberships = args.probabilities.then(memberships).transpose();
    Ok(Kept { model, memberships: memberships.map_err(|source| wrong(args, source))?, within: None })
}

/// The memberships that draws from the posterior say, in the shape of predictions.
fn sampled(fit: &LatentGraphFit) -> Prediction {
    let (n_classes, n_points) = (fit.labels.n_clusters(), fit.labels.n_points());
    Prediction {
        labels: fit.labels.as_slice().iter().copied().map(Some).collect(),
        probabilities: fit.posterior.iter().flat_map(|posterior| posterior.memberships.clone()).collect(),
        n_classes,
        n_columns: n_classes,
        log_density: vec![f64::NAN; n_points],
    }
}
