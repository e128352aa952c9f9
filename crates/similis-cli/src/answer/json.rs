//! The answer as JSON.

use serde_json::{Map, Value, json};
use similis::auto::Model;
use similis::latent_graph::{ClassLink, DensityModes, Mode, NumberScore, PartitionScore, Proposal};
use similis::settings::{self, Named, Setting};
use similis::{LatentFeature, LatentGraph};

use super::{Answer, largest, posterior};
use crate::args::Include;

impl Answer {
    /// All settings as JSON, under the names they have everywhere: the same ones repeat the run.
    pub fn settings(&self) -> Value {
        match self {
            Self::Feature(model, _) => {
                let mut settings = settings_json(LatentFeature::SETTINGS, model);
                settings.insert("model".to_owned(), json!(Model::LatentFeature.name()));
                Value::Object(settings)
            }
            Self::Graph(model, _) => {
                let mut settings = settings_json(LatentGraph::SETTINGS, model);
                settings.insert("model".to_owned(), json!(Model::LatentGraph.name()));
                // What was automatic is settled.
                settings.insert("inference".to_owned(), json!(model.inference().name()));
                Value::Object(settings)
            }
        }
    }

    /// What was learned, as JSON, with the larger parts that are included.
    pub fn learned(&self, include: &[Include]) -> Map<String, Value> {
        let Value::Object(mut learned) = self.learned_in_short() else { return Map::new() };
        if let Self::Graph(_, fit) = self {
            let link = |link: &ClassLink| json!([link.from, link.to, link.length]);
            let n_points = fit.labels.n_points();
            let candidate = |proposal: &Proposal| candidate(proposal, n_points);
            for part in include {
                match part {
                    Include::Graph => {
                        learned.insert("graph".to_owned(), fit.graph.iter().map(link).collect())
                    }
                    Include::Candidates => {
                        learned.insert("candidates".to_owned(), fit.proposals.iter().map(candidate).collect())
                    }
                };
            }
        }
        learned
    }

    fn learned_in_short(&self) -> Value {
        match self {
            Self::Feature(_, fit) => json!({
                "log_joint": fit.log_joint.total(),
                "gamma": fit.gamma,
                "eigenvalues": fit.eigenvalues,
                "staying_probability": fit.staying.overall,
                "isolated": fit.isolated,
                "n_components": fit.n_components,
                "component_sizes": largest(&fit.component_sizes),
                "n_isolated": fit.isolated.len(),
                "number_by": fit.number_by.name(),
            }),
            Self::Graph(_, fit) => json!({
                "log_joint": fit.log_joint.total(),
                "log_joint_parts": {
                    "background": fit.log_joint.background,
                    "links": fit.log_joint.links,
                    "graph": fit.log_joint.graph,
                    "labels": fit.log_joint.labels,
                    "scales": fit.log_joint.scales,
                },
                "scales": fit.scales,
                "spreads": fit.spreads,
                "background": {"scale": fit.background.scale(), "spread": fit.background.spread()},
                "trace": fit.trace,
                "restarts": fit.restarts,
                "score": fit.proposals.first().map(|best| score(&best.score)),
                "noise": fit.noise,
                "n_components": fit.n_components(),
                "component_sizes": largest(&fit.component_sizes),
                "n_isolated": fit.n_isolated(),
                "plan": fit.plan.map(|plan| plan.to_string()),
                "n_unobserved_links": fit.n_unobserved_links(),
                "cut_to": fit.cut_to,
                "numbers": fit.numbers.iter().map(number).collect::<Vec<_>>(),
                "modes": fit.modes.as_ref().map(modes),
                "posterior": fit.posterior.as_ref().map(posterior::json),
            }),
        }
    }
}

/// The settings of a table, but those that only limit the run.
fn settings_json<M>(rows: &[Setting<M>], model: &M) -> Map<String, Value> {
    let kept = rows.iter().filter(|row| !row.of_run);
    kept.map(|row| (row.name.to_owned(), json_of(row.get(model)))).collect()
}

fn json_of(value: settings::Value) -> Value {
    match value {
        settings::Value::Automatic => Value::Null,
        settings::Value::Flag(flag) => json!(flag),
        settings::Value::Count(count) => json!(count),
        settings::Value::Number(number) => json!(number),
        settings::Value::Word(word) => json!(word),
    }
}

/// A score and its parts.
fn score(score: &PartitionScore) -> Value {
    json!({
        "total": score.total(),
        "prior": score.prior,
        "evidence": score.evidence,
        "walk": score.walk,
        "valleys": score.valleys,
        "side": score.side,
        "step": score.step,
    })
}

/// A partition that was considered: where it came from, how good it is, and its labels where they are of all points and not of a
/// sample.
fn candidate(proposal: &Proposal, n_points: usize) -> Value {
    let mut entries = json!({
        "start": proposal.start.to_string(),
        "climbed": proposal.refined,
        "score": proposal.score.total(),
        "sizes": proposal.labels.sizes(),
    });
    if proposal.labels.n_points() == n_points {
        entries["labels"] = proposal.labels.as_slice().into();
    }
    entries
}

/// The modes of the density; what has no saddle has no prominence.
fn modes(modes: &DensityModes) -> Value {
    let mode = |mode: &Mode| {
        json!({
            "peak": mode.peak,
            "saddle": mode.saddle,
            "prominence": mode.saddle.map(|_| mode.prominence),
            "significant": mode.is_significant,
        })
    };
    json!({
        "n_neighbours": modes.n_neighbours,
        "dimension": modes.dimension,
        "least_prominence": modes.least_prominence,
        "modes": modes.modes.iter().map(mode).collect::<Vec<_>>(),
    })
}

/// How good a number of clusters is.
fn number(row: &NumberScore) -> Value {
    json!({
        "n_clusters": row.n_clusters,
        "score": row.total(),
        "prior": row.prior,
        "evidence": row.evidence,
        "walk": row.walk,
        "valleys": row.valleys,
        "side": row.side,
        "probability": row.probability,
        "searched": row.searched,
    })
}
