//! What can be told before the work: that a time limit cannot be met.

use std::time::Duration;

use similis::auto::Model;
use similis::run::parallel;
use similis::{Auto, Dissimilarity};

use crate::args::ClusterArgs;

/// A note that neighbours and spanning tree take longer than `--time-limit`.
pub(super) fn note(
    args: &ClusterArgs,
    pairs: &Dissimilarity<'_>,
    (auto, model): (&Auto, Model),
) -> Vec<String> {
    let Some(limit) = args.time_limit else { return Vec::new() };
    words(auto, model, pairs, (limit, parallel::n_threads())).into_iter().collect()
}

/// The note, for a limit and a number of threads.
fn words(
    auto: &Auto,
    model: Model,
    pairs: &Dissimilarity<'_>,
    (limit, n_threads): (Duration, usize),
) -> Option<String> {
    let first = auto.graph.first_cost(pairs)?;
    let (seconds, limit) = (first.seconds / n_threads as f64, limit.as_secs_f64());
    let sample = first.cut_to.filter(|_| model == Model::LatentGraph);
    let then = match sample {
        Some(size) => format!("the answer will be that of an even sample of {size} items"),
        None => "they cannot be cut short".to_owned(),
    };
    (seconds > limit).then(|| {
        let n = pairs.n_points();
        let about = if seconds < 1.0 { "part of a second".to_owned() } else { format!("about {seconds:.0} s") };
        format!("the neighbours and spanning tree of {n} items take {about}, more than --time-limit {limit}: {then}")
    })
}

#[cfg(test)]
mod tests {
    use similis::{Metric, Points};

    use super::*;

    #[test]
    fn a_limit_that_cannot_be_met_is_told_before_the_work_whatever_the_clock_says() {
        let zeros = Points::new(vec![0.0; 100_000 * 8], 100_000, 8).unwrap();
        let pairs = Dissimilarity::from_points(zeros, Metric::Euclidean).unwrap();
        let auto = Auto::default();
        let said = |model, seconds, n_threads| {
            words(&auto, model, &pairs, (Duration::from_secs(seconds), n_threads)).unwrap_or_default()
        };
        let first = said(Model::LatentGraph, 1, 1);
        assert_eq!(
            first,
            "the neighbours and spanning tree of 100000 items take about 2 s, more than --time-limit 1: the answer will be that of \
             an even sample of 2000 items"
        );
        assert!(said(Model::LatentFeature, 1, 1).ends_with("they cannot be cut short"));
        assert_eq!(said(Model::LatentGraph, 1, 4), "");
        assert_eq!(said(Model::LatentGraph, 60, 1), "");
    }
}
