//! What was asked for, checked against what an answer can have, before the work.

use std::path::{Path, PathBuf};

use similis::auto::Model;
use similis::latent_feature::FeatureInference;
use similis::latent_graph::{GraphPrior, Inference};
use similis::settings::Named;
use similis::{Auto, NClusters, Quantity};

use crate::args::ClusterArgs;
use crate::args::models::dashed;
use crate::error::Error;
use crate::io::STANDARD_INPUT;
use crate::io::output::LabelsFormat;
use crate::study::PictureKind;

/// Where labels go, and how they are written.
pub(super) type Destination = (PathBuf, Option<LabelsFormat>);

/// Returns where the labels go: a format, or more columns, without a file are for standard output.
pub(super) fn destination(
    output: Option<&PathBuf>,
    format: Option<LabelsFormat>,
    columns: bool,
) -> Option<Destination> {
    let path = match output {
        Some(path) => path.clone(),
        None if format.is_some() || columns => PathBuf::from(STANDARD_INPUT),
        None => return None,
    };
    let bare = path == Path::new(STANDARD_INPUT) && format.is_none() && columns;
    Some((path, if bare { Some(LabelsFormat::Csv) } else { format }))
}

/// Returns an error if the picture that was asked for is one that the answer cannot have.
///
/// # Errors
///
/// [`Error::NoPicture`] with the flag that would give it.
pub(super) fn check_picture(
    args: &ClusterArgs,
    quantity: Quantity,
    auto: &Auto,
    model: Model,
) -> Result<(), Error> {
    let kind = args.plot_kind;
    let of_distances = matches!(kind, PictureKind::Dendrogram | PictureKind::Levels | PictureKind::Outliers);
    let unlike = of_distances && quantity == Quantity::Similarities;
    let of_input = unlike.then_some("--conversion one-minus or another");
    match of_input.or_else(|| needs(kind, auto, model)).filter(|_| args.plot.is_some()) {
        Some(needs) => Err(Error::NoPicture { kind: dashed(kind.name()), needs }),
        None => Ok(()),
    }
}

/// The flag without which there is no picture of this kind; `None` if there is one.
fn needs(kind: PictureKind, auto: &Auto, model: Model) -> Option<&'static str> {
    use PictureKind as Kind;
    let (inference, joint) =
        (auto.graph.inference(), auto.feature.feature_inference == FeatureInference::Joint);
    let (searched, sampled) =
        (matches!(inference, Inference::Search(_)), matches!(inference, Inference::Sample(_)));
    let (met, needs) = match (kind, model) {
        (Kind::Scatter | Kind::Matrix | Kind::Dendrogram | Kind::Levels | Kind::Outliers, _)
        | (Kind::Eigenvalues, Model::LatentFeature) => (true, ""),
        (Kind::Eigenvalues, Model::LatentGraph) => (false, "--model latent-feature"),
        (Kind::Trace, Model::LatentFeature) => (joint, "--feature-inference joint"),
        (Kind::CoAssignment | Kind::Uncertainty, Model::LatentFeature) => {
            (false, "--model latent-graph --inference sample")
        }
        (_, Model::LatentFeature) => (false, "--model latent-graph"),
        (Kind::Trace, Model::LatentGraph) => (!searched, "--inference paper or sample"),
        (Kind::CoAssignment | Kind::Uncertainty, _) => (sampled, "--inference sample"),
        (Kind::Candidates | Kind::Modes | Kind::Peaks, _) => (searched, "--inference search"),
        (Kind::Numbers, _) => (
            !matches!(auto.graph.n_clusters, NClusters::Exactly(_)),
            "--n-clusters auto or a range such as 2-8",
        ),
        (Kind::Edges, _) => (auto.graph.graph_prior == GraphPrior::Tree, "--graph-prior tree"),
        (Kind::Scales | Kind::Lengths, _) => (true, ""),
    };
    (!met).then_some(needs)
}
