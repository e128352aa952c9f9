//! Flags that were given and change nothing, so that nobody waits for their effect.

use similis::latent_graph::{GraphPrior, Inference, Scales, Score, Support};
use similis::{Affinity, LatentFeature, LatentGraph, Metric, Quantity};

use crate::answer::Answer;
use crate::args::{ClusterArgs, Input};
use crate::input::Observed;

/// Settings of the latent feature model alone.
const FEATURE: &[&str] = &[
    "normalised",
    "affinity",
    "gamma",
    "affinity_neighbours",
    "variant",
    "n_features",
    "grouping",
    "covariance",
    "feature_inference",
    "psi_floor",
];

/// Settings of the latent graph model alone.
const GRAPH: &[&str] = &[
    "likelihood",
    "graph_prior",
    "prior_neighbours",
    "support",
    "support_neighbours",
    "background",
    "scale_prior",
    "scale_updates",
    "typical_length",
    "size_prior",
    "inference",
    "noise",
    "score",
    "scales",
    "step",
    "shape",
    "walk_weight",
    "n_chains",
    "n_sweeps",
    "burn_in",
    "n_samples",
    "loss",
    "without",
];

/// Settings of sampling alone.
const SAMPLING: &[&str] = &["n_chains", "n_sweeps", "burn_in", "n_samples", "loss"];

/// Settings of the search alone.
const SEARCH: &[&str] = &["score", "scales", "step", "shape", "walk_weight", "without"];

/// Flags, whether they are without effect, and why.
struct Idle(&'static [&'static str], bool, &'static str);

/// Returns a note for every group of flags without effect.
pub(super) fn notes(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> Vec<String> {
    let model = match answer {
        Answer::Feature(settings, _) => of_features(settings, observed),
        Answer::Graph(settings, _) => of_graphs(settings, observed),
    };
    let note = |Idle(settings, idle, why): Idle| {
        let given: Vec<String> = settings
            .iter()
            .filter(|setting| idle && args.given.has(setting))
            .map(|setting| format!("--{}", setting.replace('_', "-")))
            .collect();
        let verb = if given.len() > 1 { "have" } else { "has" };
        (!given.is_empty()).then(|| format!("{} {verb} no effect: {why}", given.join(", ")))
    };
    of_input(args, observed).into_iter().chain(model).filter_map(note).collect()
}

/// Flags that the latent feature model makes idle.
fn of_features(settings: &LatentFeature, observed: &Observed) -> Vec<Idle> {
    let similarities = observed.pairs.quantity() == Quantity::Similarities;
    let scaled = matches!(settings.affinity, Affinity::Exponential | Affinity::Gaussian);
    let nearest = settings.affinity == Affinity::Nearest;
    vec![
        Idle(GRAPH, true, "the model is latent-feature"),
        Idle(&["affinity", "gamma", "affinity_neighbours"], similarities, "similarities were given"),
        Idle(
            &["gamma"],
            !scaled && !similarities,
            "only the affinities exponential and gaussian have a scale",
        ),
        Idle(&["affinity_neighbours"], !nearest && !similarities, "only the affinity nearest has neighbours"),
    ]
}

/// Flags that the latent graph model makes idle.
fn of_graphs(settings: &LatentGraph, observed: &Observed) -> Vec<Idle> {
    let paper = settings.inference() == Inference::Paper;
    // With one scale a class the search also begins where the printed algorithm ends.
    let one_scale = settings.scoring.scales == Scales::PerClass && settings.scoring.score == Score::BestTree;
    let many = observed.pairs.n_points() > 2000 && observed.pairs.sparse().is_none();
    let nearest = settings.support.map_or(many, |support| support == Support::Nearest);
    let k_neighbours = settings.graph_prior == GraphPrior::KNeighbours;
    vec![
        Idle(FEATURE, true, "the model is latent-graph"),
        Idle(SEARCH, paper, "the inference is paper"),
        Idle(SAMPLING, settings.inference() != Inference::Sample, "the inference is not sample"),
        Idle(&["n_restarts"], !paper && !one_scale, "the search has its own number of starts"),
        Idle(&["prior_neighbours"], !k_neighbours, "only the graph prior k-neighbours has them"),
        Idle(&["support_neighbours"], !nearest, "only the support nearest has neighbours"),
    ]
}

/// Flags that the input makes idle.
fn of_input(args: &ClusterArgs, observed: &Observed) -> Vec<Idle> {
    let points = observed.input == Input::Points;
    let minkowski = matches!(args.input.metric(), Metric::Minkowski { .. });
    let similarities = observed.input == Input::Similarities
        || (observed.input == Input::Edges
            && args.input.edge_values == Some(crate::args::EdgeValues::Similarities));
    vec![
        Idle(&["metric", "minkowski_p", "standardise"], !points, "there are no points to measure"),
        Idle(&["minkowski_p"], points && !minkowski, "the metric is not minkowski"),
        Idle(&["symmetrise", "missing"], points, "points have no matrix"),
        Idle(&["conversion"], !similarities, "there are no similarities to convert"),
        Idle(&["edge_values"], args.input.input != Some(Input::Edges), "the input is not edges"),
    ]
}
