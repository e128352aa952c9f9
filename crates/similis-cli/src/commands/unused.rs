//! Notes on flags that were given but have no effect.

use similis::auto::Model;
use similis::{Auto, Metric};

use crate::answer::Answer;
use crate::args::models::dashed;
use crate::args::{ClusterArgs, Input, Missing};
use crate::input::Observed;
use crate::io::Format;

/// Flags of the input, whether they are without effect, and why.
struct Idle(&'static [&'static str], bool, &'static str);

/// Returns a note for every group of flags without effect.
pub(super) fn notes(args: &ClusterArgs, observed: &Observed, auto: &Auto, answer: &Answer) -> Vec<String> {
    let given = |name: &str| args.given.has(name);
    let model = match answer {
        Answer::Feature(..) => Model::LatentFeature,
        Answer::Graph(..) => Model::LatentGraph,
    };
    let of_input = of_input(args, observed).into_iter().filter(|Idle(_, idle, _)| *idle);
    let mut reasons: Vec<(String, Vec<&str>)> = of_input
        .map(|Idle(names, _, why)| {
            (why.to_owned(), names.iter().copied().filter(|name| given(name)).collect())
        })
        .collect();
    for idle in auto.idle(model, &observed.pairs, &given) {
        let why = dashed(&idle.to_string());
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(idle.setting),
            None => reasons.push((why, vec![idle.setting])),
        }
    }
    reasons
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(why, names)| note(&why, &names))
        .collect()
}

fn note(why: &str, names: &[&str]) -> String {
    let flags: Vec<String> = names.iter().map(|name| format!("--{}", dashed(name))).collect();
    let verb = if flags.len() > 1 { "have" } else { "has" };
    format!("{} {verb} no effect: {why}", flags.join(", "))
}

/// Flags that have no effect for this input.
fn of_input(args: &ClusterArgs, observed: &Observed) -> Vec<Idle> {
    let points = observed.input == Input::Points;
    let format = args.input.format.or_else(|| Format::of_name(&args.input.path));
    let minkowski = matches!(args.input.metric(), Metric::Minkowski { .. });
    let similarities = observed.input == Input::Similarities
        || (observed.input == Input::Edges
            && args.input.edge_values == Some(crate::args::EdgeValues::Similarities));
    vec![
        Idle(&["metric", "minkowski_p", "standardise"], !points, "there are no points to measure"),
        Idle(&["minkowski_p"], points && !minkowski, "the metric is not minkowski"),
        Idle(&["symmetrise"], points, "points have no matrix"),
        Idle(&["missing"], points && args.input.missing != Missing::Drop, "points have no matrix"),
        Idle(
            &["missing"],
            !points && args.input.missing == Missing::Drop,
            "a matrix has no rows to leave out",
        ),
        Idle(&["conversion"], !similarities, "there are no similarities to convert"),
        Idle(&["plot_kind", "plot_title", "plot_width"], args.plot.is_none(), "there is no --plot"),
        Idle(&["array"], format != Some(Format::Npz), "the file is not .npz"),
        Idle(&["edge_values"], args.input.input != Some(Input::Edges), "the input is not edges"),
    ]
}
