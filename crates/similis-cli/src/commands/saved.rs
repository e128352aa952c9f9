//! What is kept of an answer: the model in a file, and the memberships of the points.

use similis::{LatentGraphFit, Prediction, Predictor};

use super::cluster::wrong;
use crate::answer::Answer;
use crate::args::ClusterArgs;
use crate::error::Error;
use crate::input::Observed;
use crate::io::model::SavedModel;

/// A model to save, and how sure the labels of its points are, as far as they were asked for.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) model: Option<SavedModel>,
    pub(super) memberships: Option<Prediction>,
}

/// Returns what the arguments ask to keep.
///
/// # Errors
///
/// What the library says of distances that cannot be predicted from.
pub(super) fn kept(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> Result<Kept, Error> {
    if args.save_model.is_none() && !args.probabilities {
        return Ok(Kept::default());
    }
    let parts = answer.predictor(&observed.pairs).map_err(|source| wrong(args, source))?;
    let model = args.save_model.is_some().then(|| SavedModel {
        parts: parts.clone(),
        columns: observed.names.clone().filter(|_| parts.points.is_some()),
        standardise: observed.standardise.clone(),
    });
    let memberships = |parts| match answer {
        Answer::Graph(_, fit) if fit.posterior.is_some() => Ok(sampled(fit)),
        _ => Predictor::try_from(parts)?.memberships(&observed.pairs),
    };
    let memberships = args.probabilities.then(|| memberships(parts)).transpose();
    Ok(Kept { model, memberships: memberships.map_err(|source| wrong(args, source))? })
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
