//! The answer: clusters, what sets them apart, and who is in them.

use std::fmt::Write as _;

use super::Table;
use crate::answer::Answer;
use crate::plot::{escape, few_digits, symbol_svg};
use crate::profile::telling_columns;
use crate::study::Study;

/// Maximum number of columns in the table of profiles: those that differ most between clusters. Not tuned.
const MOST_COLUMNS: usize = 8;

/// Maximum number of items of a cluster that are listed. Not tuned.
const MOST_MEMBERS: usize = 500;

/// The clusters: how many items each has, its scale, what sets it apart.
pub(super) fn clusters(study: &Study<'_>) -> String {
    let sizes = study.answer.sizes();
    let profiles = study.profiles();
    let row = |label: usize| {
        let mut cells = vec![format!("{} {label}", symbol_svg(label)), sizes[label].to_string()];
        cells.extend(learned(study.answer, label));
        cells.push(escape(&study.item(study.medoids[label].point)));
        cells.extend(profiles.get(label).map(|profile| escape(&profile.in_words(&|k| study.column(k)))));
        cells
    };
    let mut rows: Vec<Vec<String>> = (0..sizes.len()).map(row).collect();
    let n_noise = study.answer.noise().len();
    if n_noise > 0 {
        rows.push(vec!["noise".to_owned(), n_noise.to_string()]);
    }
    let (own, what) = match study.answer {
        Answer::Graph(..) => {
            (&["scale", "spread"][..], "Scale: the typical length of a link. Spread: its standard deviation.")
        }
        Answer::Feature(..) => {
            (&["stays"][..], "Stays: how likely a step of a random walk from this cluster stays in it.")
        }
    };
    let numbers = ["items"].iter().chain(own).chain(&["medoid"]).map(|name| (*name, true));
    let apart = (!profiles.is_empty()).then_some(("what sets it apart", false));
    let columns: Vec<(&str, bool)> = [("cluster", false)].into_iter().chain(numbers).chain(apart).collect();
    let some =
        if study.medoids.iter().all(|medoid| medoid.exact) { "" } else { " (approximate in large clusters)" };
    let counted = if study.item_names.is_empty() { ", counted from 0" } else { "" };
    format!(
        "<section>\n<h2>Clusters</h2>\n{}<p class=\"small\">{what} Medoid: the item nearest to all others of its \
         cluster{some}{counted}.</p>\n</section>\n",
        Table { id: "classes", columns: &columns }.of(&rows)
    )
}

/// What was learned of a cluster: scale and spread, or how likely a random walk stays.
fn learned(answer: &Answer, label: usize) -> Vec<String> {
    match answer {
        Answer::Graph(_, fit) => vec![few_digits(fit.scales[label]), few_digits(fit.spreads[label])],
        Answer::Feature(_, fit) => {
            let stays = fit.staying.per_cluster.get(label);
            vec![stays.map_or_else(String::new, |&stay| few_digits(stay))]
        }
    }
}

/// The means of the columns that differ most between clusters; nothing where there are no points.
pub(super) fn profiles(study: &Study<'_>) -> String {
    let profiles = study.profiles();
    let shown = telling_columns(&profiles, MOST_COLUMNS);
    if shown.is_empty() {
        return String::new();
    }
    let row = |profile: &crate::profile::Profile| {
        let cell = |&column: &usize| {
            let own = profile.columns[column];
            let tenths = (10.0 * own.difference).round();
            let sign = if tenths < 0.0 {
                "\u{2212}"
            } else if tenths > 0.0 {
                "+"
            } else {
                ""
            };
            format!("{} <small>({sign}{:.1})</small>", few_digits(own.mean), tenths.abs() / 10.0)
        };
        std::iter::once(format!("{} {}", symbol_svg(profile.label), profile.label))
            .chain(shown.iter().map(cell))
            .collect()
    };
    let rows: Vec<Vec<String>> = profiles.iter().map(row).collect();
    let names: Vec<String> = shown.iter().map(|&column| study.column(column)).collect();
    let columns: Vec<(&str, bool)> =
        std::iter::once(("cluster", false)).chain(names.iter().map(|name| (name.as_str(), true))).collect();
    let n = profiles[0].columns.len();
    let some = if n > shown.len() {
        format!(" The {} of {n} columns that differ most between clusters.", shown.len())
    } else {
        String::new()
    };
    format!(
        "<h2>What sets the clusters apart</h2>\n{}<p class=\"small\">The mean of each column and, in brackets, how many standard \
         deviations it is from the mean of all points.{some}</p>\n",
        Table { id: "profiles", columns: &columns }.of(&rows)
    )
}

/// The items of each cluster by name; nothing where they have none.
pub(super) fn members(study: &Study<'_>) -> String {
    if study.item_names.is_empty() {
        return String::new();
    }
    let labels = study.answer.labels_or_noise();
    let mut text = "<h2>Members</h2>\n".to_owned();
    let groups = (0..study.answer.sizes().len()).map(Some).chain([None]);
    for group in groups {
        let names: Vec<&String> = labels
            .iter()
            .zip(study.item_names)
            .filter(|(label, _)| **label == group)
            .map(|(_, name)| name)
            .collect();
        if names.is_empty() {
            continue;
        }
        let head = group.map_or("noise".to_owned(), |label| format!("{} cluster {label}", symbol_svg(label)));
        let listed: Vec<String> = names.iter().take(MOST_MEMBERS).map(|name| escape(name)).collect();
        let more = match names.len().saturating_sub(MOST_MEMBERS) {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        let open = if names.len() <= 30 { " open" } else { "" };
        let _ = writeln!(
            text,
            "<details{open}><summary>{head}: {}</summary><p>{}{more}</p></details>",
            names.len(),
            listed.join(", ")
        );
    }
    text
}
