//! The summary of an answer.

use std::fmt::Write as _;

use crate::answer::Answer;
use crate::plot::few_digits;
use crate::progress::Phase;
use crate::study::Study;

/// Maximum number of clusters that are listed; the others are counted. Not tuned.
const MOST_CLUSTERS: usize = 20;
/// Maximum number of characters of an item's name. Not tuned.
const MOST_CHARACTERS: usize = 40;

/// Returns the summary: what was read, a line for each cluster, then what was learned and how it ended.
pub fn text(study: &Study<'_>, read: &str, seconds: f64) -> String {
    let mut lines = vec![read.to_owned()];
    let n = study.answer.labels().n_clusters();
    let remarks: Vec<String> = study.remarks.iter().map(|remark| format!("; {remark}")).collect();
    let noise = match study.answer.noise().len() {
        0 => String::new(),
        1 => " and 1 noise point".to_owned(),
        n => format!(" and {n} noise points"),
    };
    lines.push(format!("{n} cluster{}{noise}{}", if n == 1 { "" } else { "s" }, remarks.concat()));
    lines.extend(clusters(study));
    lines.extend(study.answer.lines());
    lines.extend(study.warnings());
    lines.push(format!("{} in {seconds:.2} s", study.ended));
    lines.join("\n") + "\n"
}

/// A line for each cluster: size, scale and spread or probability of staying, and its most typical item.
fn clusters(study: &Study<'_>) -> Vec<String> {
    let sizes = study.answer.sizes();
    let heading = match study.answer {
        Answer::Graph(..) => format!("{:>9} {:>8} {:>10} {:>10}", "cluster", "size", "scale", "spread"),
        Answer::Feature(..) => format!("{:>9} {:>8} {:>10}", "cluster", "size", "stays"),
    };
    let approximate = if study.medoids.iter().all(|medoid| medoid.exact) { "" } else { " (approximate)" };
    let mut lines = vec![format!("{heading}  medoid{approximate}")];
    for (label, size) in sizes.iter().enumerate().take(MOST_CLUSTERS) {
        let learned = match study.answer {
            Answer::Graph(_, fit) => {
                format!("{:>10} {:>10}", number(fit.scales[label]), number(fit.spreads[label]))
            }
            Answer::Feature(_, fit) => {
                let stays = fit.staying.per_cluster.get(label).copied().unwrap_or(f64::NAN);
                format!("{:>10}", format!("{stays:.4}"))
            }
        };
        let item: String = study.item(study.medoids[label].point).chars().take(MOST_CHARACTERS).collect();
        lines.push(format!("{label:>9} {size:>8} {learned}  {item}"));
    }
    if sizes.len() > MOST_CLUSTERS {
        let n_items: usize = sizes[MOST_CLUSTERS..].iter().sum();
        lines.push(format!("{:>9} {n_items:>8} in {} more clusters", "..", sizes.len() - MOST_CLUSTERS));
    }
    lines
}

/// A number in a few digits, with the minus of a keyboard.
fn number(value: f64) -> String {
    few_digits(value).replace('\u{2212}', "-")
}

/// Returns what `--verbose` adds: the time of each phase, and the log joint after each pass.
pub fn more(study: &Study<'_>, phases: &[Phase]) -> String {
    let mut text = "phases:\n".to_owned();
    for phase in phases {
        let _ = writeln!(text, "  {:>8.2} s  {}", phase.taken.as_secs_f64(), phase.name);
    }
    let all: f64 = phases.iter().map(|phase| phase.taken.as_secs_f64()).sum();
    let _ = writeln!(text, "  {all:>8.2} s  in all");
    let trace = match study.answer {
        Answer::Graph(_, fit) => &fit.trace,
        Answer::Feature(_, fit) => &fit.trace,
    };
    if trace.len() > 1 {
        text += "trace:\n";
        for (pass, value) in trace.iter().enumerate() {
            let _ = writeln!(text, "  pass {pass:>4}: {value:.3}");
        }
    }
    text
}
