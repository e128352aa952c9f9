//! The report: one HTML file that needs nothing else, for screens of any width, for paper, light and dark.

use std::fmt::Write as _;

use serde_json::Value;
use similis::Error;
use similis::evaluate::adjusted_rand_index;
use similis::latent_graph::Proposal;

use crate::answer::{Answer, mixing, proposal_name};
use crate::plot::{Detail, escape};
use crate::study::pictures::caption;
use crate::study::{PictureKind, Study};

mod answer;
mod card;
mod rivals;

use self::answer::{clusters, members, profiles};
pub use self::card::card;
use self::rivals::rivals;

const STYLE: &str = include_str!("report/style.css");

/// Maximum number of items for which a report of a sampled posterior shows edge probabilities. Not tuned.
const MOST_WITH_EDGES: usize = 2000;

/// Maximum number of runners-up that are listed. Not tuned.
const MOST_RUNNERS_UP: usize = 10;

/// Returns the report of an answer as an HTML document; `command` is how to repeat it.
///
/// # Errors
///
/// Those of [`Study::picture`].
pub fn html(study: &Study<'_>, command: &str) -> Result<String, Error> {
    // A heading of one picture is not that of all.
    let mut study = study.clone();
    study.plot_title = None;
    study.on_page = true;
    let study = &study;
    let mut body = header(study);
    body += "<div class=\"answer\">\n";
    body += &clusters(study);
    body += &scatter(study)?;
    body += "</div>\n";
    body += &profiles(study);
    body += &members(study);
    body += &rivals(study)?;
    body += &pictures(study)?;
    if let Answer::Graph(_, fit) = study.answer {
        body += &runners_up(&fit.proposals);
    }
    body += &posterior(study);
    body += &learned(study);
    body += &settings(study);
    body += &repeat(command);
    Ok(document(&study.title(), &body))
}

/// Returns a whole document that asks nothing of the network.
pub(crate) fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn header(study: &Study<'_>) -> String {
    let labels = study.answer.labels();
    let (title, model, ended) = (escape(&study.title()), study.answer.model(), escape(&study.ended));
    let read = study.read.clone().unwrap_or_else(|| format!("{} items", labels.n_points()));
    let taken = study.seconds.map_or_else(String::new, |seconds| format!(" in {seconds:.1} s"));
    let mut text = format!(
        "<h1>{title}</h1>\n<p class=\"lead\">{}; model: {model}; {ended}{taken}.</p>\n",
        escape(&read)
    );
    let warnings: Vec<String> =
        study.remarks.iter().chain(&study.notes).cloned().chain(study.warnings()).collect();
    if !warnings.is_empty() {
        text += "<ul class=\"warnings\">\n";
        warnings.iter().for_each(|warning| {
            let _ = writeln!(text, "<li>{}</li>", escape(warning));
        });
        text += "</ul>\n";
    }
    text
}

/// The items and their clusters.
fn scatter(study: &Study<'_>) -> Result<String, Error> {
    let links = if study.pairs.sparse().is_some() {
        " Lines: the edges."
    } else if study.answer.links().is_empty() {
        ""
    } else {
        " Dotted: the links of the graph that was found."
    };
    let noise = if study.answer.noise().is_empty() { "" } else { " Grey crosses: noise." };
    let unsure = match study.unsure().len() {
        0 => String::new(),
        n => {
            let given = if study.answer.posterior().is_some() { "" } else { ", given the others" };
            format!(" Ringed: {n} whose cluster has a probability below 0.8{given}.")
        }
    };
    let words = format!("Every item, its cluster by colour and symbol.{links}{noise}{unsure}");
    Ok(figure(PictureKind::Scatter, &study.scatter(Detail::Compact)?, &words))
}

fn pictures(study: &Study<'_>) -> Result<String, Error> {
    let mut text = "<h2>Pictures</h2>\n<div class=\"pictures\">\n".to_owned();
    if study.answer.posterior().is_some() && study.answer.labels().n_points() <= MOST_WITH_EDGES {
        let edges = study.edges(Detail::Compact)?;
        text += &edges
            .map_or_else(String::new, |svg| figure(PictureKind::Edges, &svg, caption(PictureKind::Edges)));
    }
    if let Some(svg) = study.uncertainty(Detail::Compact)? {
        text += &figure(PictureKind::Uncertainty, &svg, caption(PictureKind::Uncertainty));
    }
    for picture in study.charts() {
        text += &figure(picture.kind, &picture.svg, picture.caption);
    }
    Ok(text + "</div>\n")
}

fn figure(kind: PictureKind, svg: &str, caption: &str) -> String {
    let name = similis::settings::Named::name(kind);
    format!("<figure id=\"{name}\">\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escape(caption))
}

/// A table: its id, its heading, and for each column a name and whether it holds numbers.
pub(crate) struct Table<'a> {
    pub(crate) id: &'a str,
    pub(crate) columns: &'a [(&'a str, bool)],
}

impl Table<'_> {
    /// Returns the table of these rows, whose cells are HTML already.
    pub(crate) fn of(&self, rows: &[Vec<String>]) -> String {
        let class = |number: bool| if number { " class=\"number\"" } else { "" };
        let mut text = format!("<div class=\"scroll\"><table id=\"{}\">\n<thead><tr>", self.id);
        for (name, number) in self.columns {
            let _ = write!(text, "<th{}>{}</th>", class(*number), escape(name));
        }
        text += "</tr></thead>\n<tbody>\n";
        for row in rows {
            text += "<tr>";
            for (cell, (_, number)) in row.iter().zip(self.columns) {
                let _ = write!(text, "<td{}>{cell}</td>", class(*number));
            }
            text += "</tr>\n";
        }
        text + "</tbody></table></div>\n"
    }
}

fn runners_up(proposals: &[Proposal]) -> String {
    let Some((best, others)) = proposals.split_first() else { return String::new() };
    let row = |proposal: &Proposal| {
        let behind = best.score.total() - proposal.score.total();
        let agreement = adjusted_rand_index(&best.labels, &proposal.labels).unwrap_or(0.0);
        let sizes: Vec<String> = proposal.labels.sizes().iter().take(8).map(ToString::to_string).collect();
        let more = if proposal.labels.n_clusters() > 8 { ", .." } else { "" };
        vec![
            escape(&proposal_name(proposal)),
            format!("{:.1}", proposal.score.total()),
            format!("{behind:.1}"),
            fixed(agreement, 2),
            sizes.join(", ") + more,
        ]
    };
    let possible = others.iter().filter(|other| other.score.total().is_finite());
    let rows: Vec<Vec<String>> =
        std::iter::once(best).chain(possible.take(MOST_RUNNERS_UP)).map(row).collect();
    let columns =
        [("partition", false), ("score", true), ("below best", true), ("ARI", true), ("sizes", false)];
    format!(
        "<h2>Partitions that were considered</h2>\n{}<p class=\"small\">ARI: adjusted Rand index with the answer, 1 if they \
         are equal. {} considered.</p>\n",
        Table { id: "candidates", columns: &columns }.of(&rows),
        if proposals.len() == 1 {
            "1 partition was".to_owned()
        } else {
            format!("{} partitions were", proposals.len())
        }
    )
}

/// How sure the answer is, where that was sampled.
fn posterior(study: &Study<'_>) -> String {
    let Some(posterior) = study.answer.posterior() else { return String::new() };
    let row = |number: &similis::latent_graph::NumberProbability| {
        vec![number.n_clusters.to_string(), fixed(number.probability, 3)]
    };
    let rows: Vec<Vec<String>> = posterior.numbers.iter().map(row).collect();
    let columns = [("clusters", true), ("probability", true)];
    format!(
        "<h2>How sure</h2>\n{}<p class=\"small\">The probability of each number of clusters, from {} posterior draws: {}. R-hat \
         is near 1 if the chains have converged.</p>\n",
        Table { id: "numbers-posterior", columns: &columns }.of(&rows),
        posterior.samples.len(),
        mixing(posterior)
    )
}

/// What is listed of what was learned: its name in JSON, and in words.
const LEARNED: [(&str, &str); 9] = [
    ("log_joint", "log joint"),
    ("log_joint_parts", "log joint"),
    ("score", "score of the partition"),
    ("background", "background"),
    ("gamma", "scale gamma of the affinity"),
    ("staying_probability", "probability that a random walk stays in its cluster"),
    ("n_components", "components of the graph"),
    ("n_isolated", "isolated items"),
    ("n_unobserved_links", "links that were not observed"),
];

/// A part of the score or the joint in words.
fn part_words(part: &str) -> &str {
    match part {
        "labels" => "prior of the labels",
        "graph" => "prior of the graph",
        "scales" => "prior of the scales",
        "background" => "pairs without a link",
        "prior" => "prior of the sizes",
        "evidence" => "lengths of links",
        "walk" => "random walk",
        "valleys" => "valleys of the density",
        "side" => "known labels and pairs",
        "step" => "step of the scale",
        other => other,
    }
}

/// The joint, the score and their parts.
fn learned(study: &Study<'_>) -> String {
    let learned = study.answer.learned(&[]);
    let mut rows = Vec::new();
    for (name, words) in LEARNED {
        match learned.get(name) {
            Some(Value::Object(parts)) => {
                let part = |(part, value): (&String, &Value)| {
                    let part =
                        if part == "total" { String::new() } else { format!(", {}", part_words(part)) };
                    vec![format!("{words}{part}"), number(value)]
                };
                rows.extend(parts.iter().map(part));
            }
            Some(value) if !value.is_null() => rows.push(vec![words.to_owned(), number(value)]),
            _ => {}
        }
    }
    let columns = [("what", false), ("value", true)];
    format!("<h2>What was learned</h2>\n{}", Table { id: "learned", columns: &columns }.of(&rows))
}

fn number(value: &Value) -> String {
    let fractional = value.as_f64().filter(|_| !value.is_u64());
    fractional.map_or_else(|| escape(&words(value)), |value| fixed(value, 3))
}

/// A number with `n_decimals` decimals, and no minus sign before zeros.
pub(crate) fn fixed(value: f64, n_decimals: usize) -> String {
    let words = format!("{value:.n_decimals$}");
    let zero = words.starts_with('-') && words.bytes().all(|byte| b"-0.".contains(&byte));
    words[usize::from(zero)..].to_owned()
}

fn words(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        Value::Null => "automatic".to_owned(),
        other => other.to_string(),
    }
}

fn settings(study: &Study<'_>) -> String {
    let settings = study.answer.settings();
    let row = |(name, value): (&String, &Value)| vec![escape(name), escape(&words(value))];
    let rows: Vec<Vec<String>> = settings.as_object().into_iter().flatten().map(row).collect();
    let columns = [("setting", false), ("value", false)];
    format!("<h2>Settings</h2>\n{}", Table { id: "settings", columns: &columns }.of(&rows))
}

fn repeat(command: &str) -> String {
    format!(
        "<h2>How to repeat it</h2>\n<pre>{}</pre>\n<p class=\"small\">similis {}. The same input, settings and seed give the same \
         bits, for any number of threads.</p>\n",
        escape(command),
        env!("CARGO_PKG_VERSION")
    )
}
