//! Other answers that come near, as small pictures.

use std::borrow::Cow;
use std::fmt::Write as _;

use similis::evaluate::adjusted_rand_index;
use similis::latent_graph::{LatentGraphFit, NumberScore};
use similis::{Error, Labels};

use super::fixed;
use crate::answer::Answer;
use crate::plot::escape;
use crate::study::Study;

/// Maximum number of pictures. Not tuned.
const MOST: usize = 5;

/// An adjusted Rand index from which on two partitions look the same. Not tuned.
const ALIKE: f64 = 0.98;

/// Another answer, and how it differs.
struct Rival<'a> {
    labels: Cow<'a, Labels>,
    words: String,
}

/// The best partitions into other numbers of clusters, and those of the same number that differ, as small pictures.
pub(super) fn rivals(study: &Study<'_>) -> Result<String, Error> {
    let Answer::Graph(_, fit) = study.answer else { return Ok(String::new()) };
    let mut shown: Vec<Rival<'_>> = Vec::new();
    for rival in of_numbers(fit).into_iter().chain(of_candidates(fit)) {
        let alike = |other: &Labels| adjusted_rand_index(&rival.labels, other).unwrap_or(0.0) >= ALIKE;
        let known = std::iter::once(&fit.labels).chain(shown.iter().map(|other| &*other.labels)).any(alike);
        if !known && rival.labels.n_points() == fit.labels.n_points() && shown.len() < MOST {
            shown.push(rival);
        }
    }
    if shown.is_empty() {
        return Ok(String::new());
    }
    let mut text = "<h2>Other answers</h2>\n<div class=\"small-pictures\" id=\"rivals\">\n".to_owned();
    for Rival { labels, words } in &shown {
        let n = labels.n_clusters();
        let title = format!("{n} cluster{}", if n == 1 { "" } else { "s" });
        let svg = study.partition(labels.as_slice(), &title)?;
        let _ = write!(text, "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escape(words));
    }
    Ok(text
        + "</div>\n<p class=\"small\">The best partitions that differ from the answer. Lower scores are in nats: 3 nats are a factor of \
         20.</p>\n")
}

/// The best other numbers of clusters that were searched, best first.
fn of_numbers(fit: &LatentGraphFit) -> Vec<Rival<'_>> {
    let Some(answer) = fit.numbers.iter().find(|row| row.n_clusters == fit.labels.n_clusters()) else {
        return Vec::new();
    };
    let mut others: Vec<&NumberScore> =
        fit.numbers.iter().filter(|row| row.searched && row.n_clusters != answer.n_clusters).collect();
    others.sort_by(|a, b| b.total().total_cmp(&a.total()));
    let rival = |row: &&'_ NumberScore| below(answer.total() - row.total());
    others.iter().take(3).map(|row| Rival { labels: Cow::Owned(row.labels()), words: rival(row) }).collect()
}

/// Partitions of the same number of clusters, best first.
fn of_candidates(fit: &LatentGraphFit) -> Vec<Rival<'_>> {
    let Some((best, others)) = fit.proposals.split_first() else { return Vec::new() };
    let possible = others.iter().filter(|other| other.score.total().is_finite());
    possible
        .map(|other| {
            let agreement = adjusted_rand_index(&best.labels, &other.labels).unwrap_or(0.0);
            let words = below(best.score.total() - other.score.total());
            Rival {
                labels: Cow::Borrowed(&other.labels),
                words: format!("{words}, ARI {}", fixed(agreement, 2)),
            }
        })
        .collect()
}

fn below(behind: f64) -> String {
    if behind < 0.0 { format!("score {:.1} higher", -behind) } else { format!("score {behind:.1} lower") }
}
