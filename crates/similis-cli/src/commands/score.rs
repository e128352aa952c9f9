//! `similis score`: the score of a given partition.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};
use similis::affinity::{Staying, inverse_distances, staying_probability};
use similis::latent_graph::{ClassScore, JointOfLabels, PartitionScore, log_joint_of};
use similis::run::parallel;
use similis::{Dissimilarity, Labels};

use super::{print, read_as, say};
use crate::args::ScoreArgs;
use crate::error::Error;
use crate::input::{Observed, read, read_known_labels};
use crate::memory;
use crate::progress::Bar;
use crate::terminal::tell;

/// The results for a partition.
struct Scored {
    score: PartitionScore,
    /// The log joint, and the scales that it is at.
    joint: JointOfLabels,
    /// The random walk of section 3.1, whose step is likelier the shorter it is.
    walk: Staying,
}

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then printed.
pub fn run(args: &ScoreArgs) -> Result<ExitCode, Error> {
    parallel::with_threads(args.work.threads, || {
        let memory_limit = memory::limit(args.work.memory_limit);
        let observed = read(&args.input, memory_limit)?;
        say(&observed.notes, args.work.quiet);
        let labels = labels(args, &observed, memory_limit)?;
        let wrong = |source| Error::Content { path: args.input.path.clone(), source };
        let scored = scored(args, &observed.pairs, &labels, memory_limit).map_err(wrong)?;
        print(&if args.json { format!("{}\n", details(&scored)) } else { table(&scored) })?;
        if !args.work.quiet {
            let n = labels.n_clusters();
            let plural = if n == 1 { "" } else { "es" };
            tell(&format!("{}; {n} class{plural}\n", read_as(&args.input, &observed)));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The partition that the file holds: a label for each point.
fn labels(args: &ScoreArgs, observed: &Observed, memory_limit: Option<u64>) -> Result<Labels, Error> {
    let path = args.labels.clone();
    let given = read_known_labels(&path, observed, memory_limit)?;
    match given.iter().position(Option::is_none) {
        Some(row) => Err(Error::NoLabel { path, row: row + 1 }),
        None => Ok(Labels::new(&given)),
    }
}

fn scored(
    args: &ScoreArgs,
    observed: &Dissimilarity<'_>,
    labels: &Labels,
    memory_limit: Option<u64>,
) -> Result<Scored, similis::Error> {
    let bar = Bar::new(args.work.quiet);
    let settings = args.settings()?;
    let score = settings.score(observed, labels, &bar)?;
    let joint = log_joint_of(observed, labels, settings.size_prior, &bar)?;
    bar.finish();
    let walk = staying_probability(&inverse_distances(observed, memory_limit)?, labels)?;
    Ok(Scored { score, joint, walk })
}

/// The summary: the terms, then a line for each cluster.
fn table(scored: &Scored) -> String {
    let Scored { score, joint: JointOfLabels { log_joint, scales }, walk } = scored;
    let mut text = format!(
        "score {:.3} = prior {:.3} + evidence {:.3} (likeliest step {}) + walk {:.3} + valleys {:.3}\n",
        score.total(),
        score.prior,
        score.evidence,
        score.step,
        score.walk,
        score.valleys
    );
    let _ = writeln!(
        text,
        "log joint {:.3} = background {:.3} + links {:.3} + graph {:.3} + labels {:.3} + scales {:.3}",
        log_joint.total(),
        log_joint.background,
        log_joint.links,
        log_joint.graph,
        log_joint.labels,
        log_joint.scales
    );
    let _ = writeln!(text, "a random walk by inverse distances stays with probability {:.4}", walk.overall);
    let _ = writeln!(
        text,
        "{:>5} {:>8} {:>12} {:>12} {:>12} {:>14} {:>7}",
        "class", "size", "scale", "mean link", "prior", "evidence", "stay"
    );
    for (at, class) in score.classes.iter().enumerate() {
        let _ = writeln!(
            text,
            "{at:>5} {:>8} {:>12.5} {:>12.5} {:>12.3} {:>14.3} {:>7.4}",
            class.size, scales[at], class.mean_link, class.prior, class.evidence, class.stay
        );
    }
    text
}

/// Everything, as JSON; what is not a number is null.
fn details(scored: &Scored) -> Value {
    let Scored { score, joint: JointOfLabels { log_joint, scales }, walk } = scored;
    let class = |(class, scale): (&ClassScore, &f64)| {
        json!({
            "size": class.size,
            "scale": scale,
            "mean_link": class.mean_link,
            "prior": class.prior,
            "evidence": class.evidence,
            "stay": class.stay,
        })
    };
    json!({
        "score": score.total(),
        "score_parts": {"prior": score.prior, "evidence": score.evidence, "walk": score.walk, "valleys": score.valleys},
        "step": score.step,
        "log_joint": log_joint.total(),
        "log_joint_parts": {
            "background": log_joint.background,
            "links": log_joint.links,
            "graph": log_joint.graph,
            "labels": log_joint.labels,
            "scales": log_joint.scales,
        },
        "staying_probability": walk.overall,
        "classes": score.classes.iter().zip(scales).map(class).collect::<Vec<_>>(),
    })
}
