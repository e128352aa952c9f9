//! A comparison as a sheet of pictures, and as a report.

use std::fmt::Write as _;

use similis::{Error, Labels, Points};

use super::{Comparison, Data, Outcome};
use crate::answer::Answer;
use crate::plot::{ContactSheet, Detail, Scatter, Strip, contact_sheet_svg, escape, scatter_svg};
use crate::report::{Table, document, fixed};
use crate::study::place::{Placed, placed};

/// What is needed to draw a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What the data are called.
    pub name: &'a str,
    /// What was compared on.
    pub data: Data<'a>,
    /// The points as they were given, if there are any.
    pub points: Option<&'a Points<'a>>,
    /// How to repeat it.
    pub command: &'a str,
}

/// Returns the pictures of all variants on one sheet; a cluster has the colour of the winner's cluster that it overlaps most.
///
/// # Errors
///
/// Those of [`similis::LatentFeature::fit`], by whose features items are placed where they have no coordinates.
pub fn sheet(comparison: &Comparison, shown: &Shown<'_>) -> Result<String, Error> {
    let placed = placed(shown.data.pairs, shown.points, &[], (0, false))?;
    Ok(contact_sheet_svg(&ContactSheet {
        title: &format!("{}: the models side by side", shown.name),
        strips: &[Strip { title: String::new(), pictures: pictures(comparison, &placed) }],
        n_columns: 3,
        note: &format!("similis {}{}", env!("CARGO_PKG_VERSION"), placed.note),
    }))
}

/// A small picture of each variant that has an answer.
fn pictures(comparison: &Comparison, placed: &Placed) -> Vec<String> {
    comparison.outcomes.iter().filter_map(|outcome| picture(comparison, outcome, placed)).collect()
}

fn picture(comparison: &Comparison, outcome: &Outcome, placed: &Placed) -> Option<String> {
    let winner = comparison.outcomes[comparison.winner].labels()?;
    let answer = outcome.answer.as_ref().ok()?;
    let score = outcome.score.map(|score| format!("score {score:.0}"));
    let truth = outcome.truth.map(|truth| format!("ARI {}", fixed(truth, 2)));
    let words: Vec<String> = score.into_iter().chain(truth).collect();
    let title = format!("{}\n{}", outcome.name, words.join(", "));
    Some(scatter_svg(&Scatter {
        x: &placed.projection.x,
        y: &placed.projection.y,
        labels: &aligned(answer.labels(), winner.as_slice()),
        title: &title,
        links: &answer.links(),
        detail: Detail::Bare,
        ..Scatter::default()
    }))
}

/// Returns labels renamed so that a cluster has the name of the one it overlaps most, greatest overlaps first.
pub(crate) fn aligned(labels: &Labels, reference: &[usize]) -> Vec<usize> {
    let n_named = reference.iter().max().map_or(0, |most| most + 1);
    let n = labels.n_clusters().max(n_named);
    let mut overlaps = vec![0_usize; n * n];
    for (&label, &other) in labels.as_slice().iter().zip(reference) {
        overlaps[label * n + other] += 1;
    }
    let mut order: Vec<usize> = (0..n * n).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(overlaps[at]));
    let (mut names, mut taken) = (vec![None; n], vec![false; n]);
    for at in order {
        if names[at / n].is_none() && !taken[at % n] {
            names[at / n] = Some(at % n);
            taken[at % n] = true;
        }
    }
    labels.as_slice().iter().map(|&label| names[label].unwrap_or(label)).collect()
}

/// Returns the comparison as an HTML document that needs nothing else.
///
/// # Errors
///
/// Those of [`sheet`].
pub fn report(comparison: &Comparison, shown: &Shown<'_>) -> Result<String, Error> {
    let title = format!("{}: the models side by side", shown.name);
    let Comparison { outcomes, winner, .. } = comparison;
    let n_items = shown.data.pairs.n_points();
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"lead\">{n_items} items; best by {}: {}.</p>\n",
        escape(&title),
        if outcomes[*winner].score.is_some() { "score" } else { "probability of staying" },
        outcomes[*winner].name
    );
    let failed: Vec<String> = outcomes.iter().filter_map(failure).collect();
    if !failed.is_empty() {
        let items: Vec<String> = failed.iter().map(|words| format!("<li>{}</li>\n", escape(words))).collect();
        let _ = write!(body, "<ul class=\"warnings\">\n{}</ul>\n", items.concat());
    }
    let placed = placed(shown.data.pairs, shown.points, &[], (0, false))?;
    let figure = |svg: String| format!("<figure>\n{svg}</figure>\n");
    let figures: String = pictures(comparison, &placed).into_iter().map(figure).collect();
    let _ = write!(
        body,
        "<div class=\"small-pictures\" id=\"pictures\">\n{figures}</div>\n<p class=\"small\">A cluster has the colour of the \
         best variant's cluster that it overlaps most{}.</p>\n",
        escape(&placed.note)
    );
    body += &variants_table(comparison);
    body += &agreement_table(comparison);
    let _ = write!(
        body,
        "<h2>How to repeat it</h2>\n<pre>{}</pre>\n<p class=\"small\">similis {}</p>\n",
        escape(shown.command),
        env!("CARGO_PKG_VERSION")
    );
    Ok(document(&title, &body))
}

/// Why a variant has no answer.
pub(crate) fn failure(outcome: &Outcome) -> Option<String> {
    outcome.answer.as_ref().err().map(|error| format!("{} has no answer: {error}", outcome.name))
}

fn variants_table(comparison: &Comparison) -> String {
    let best = &comparison.outcomes[comparison.winner];
    let has_truth = comparison.outcomes.iter().any(|outcome| outcome.truth.is_some());
    let cell = |value: Option<f64>, n_decimals| {
        value.map_or_else(|| "\u{2013}".to_owned(), |value| fixed(value, n_decimals))
    };
    let row = |(at, outcome): (usize, &Outcome)| {
        let behind = best.score.zip(outcome.score).map(|(best, score)| best - score);
        let model = outcome.answer.as_ref().map_or("", Answer::model);
        let mut cells = vec![
            outcome.name.to_owned(),
            model.to_owned(),
            cell(outcome.score, 1),
            cell(behind, 1),
            cell(outcome.staying, 4),
            cell(comparison.agreement[at][comparison.winner], 2),
        ];
        cells.extend(has_truth.then(|| cell(outcome.truth, 2)));
        cells.push(fixed(outcome.seconds, 2));
        cells
    };
    let rows: Vec<Vec<String>> = comparison.outcomes.iter().enumerate().map(row).collect();
    let mut columns = vec![("variant", false), ("model", false)];
    columns.extend([("score", true), ("below best", true), ("stays", true), ("ARI", true)]);
    columns.extend(has_truth.then_some(("ARI to the truth", true)));
    columns.push(("seconds", true));
    format!(
        "<h2>Variants</h2>\n{}<p class=\"small\">Agreement: the adjusted Rand index with the best variant.</p>\n",
        Table { id: "variants", columns: &columns }.of(&rows)
    )
}

fn agreement_table(comparison: &Comparison) -> String {
    let numbers: Vec<String> = (1..=comparison.outcomes.len()).map(|number| number.to_string()).collect();
    let mut columns = vec![("", false)];
    columns.extend(numbers.iter().map(|number| (number.as_str(), true)));
    let row = |(at, outcome): (usize, &Outcome)| {
        let cell = |agreement: &Option<f64>| agreement.map_or_else(String::new, |value| fixed(value, 2));
        let name = format!("{} {}", numbers[at], outcome.name);
        std::iter::once(name).chain(comparison.agreement[at].iter().map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = comparison.outcomes.iter().enumerate().map(row).collect();
    format!("<h2>Agreement between variants</h2>\n{}", Table { id: "agreement", columns: &columns }.of(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_get_the_names_of_those_they_overlap_most() {
        let reference = Labels::new(&[0, 0, 0, 1, 1, 2]);
        // Numbered by first appearance: 0 overlaps 1, 1 overlaps 0, 2 overlaps 2.
        let labels = Labels::new(&[1, 0, 0, 1, 1, 2]);
        assert_eq!(labels.as_slice(), [0, 1, 1, 0, 0, 2]);
        assert_eq!(aligned(&labels, reference.as_slice()), [1, 0, 0, 1, 1, 2]);
        assert_eq!(aligned(&reference, reference.as_slice()), reference.as_slice());
        // More clusters than the reference has: every one keeps a name of its own.
        assert_eq!(aligned(&Labels::new(&[0, 1, 2]), &[0, 0, 0]), [0, 1, 2]);
    }
}
