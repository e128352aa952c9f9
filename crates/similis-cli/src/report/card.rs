//! The answer in a few lines, for a notebook.

use similis::Error;

use super::answer::clusters;
use crate::plot::{Detail, escape};
use crate::study::Study;

/// Returns the answer as a piece of HTML: clusters, a small picture, number, runners-up and warnings.
///
/// # Errors
///
/// Those of [`Study::picture`].
pub fn card(study: &Study<'_>) -> Result<String, Error> {
    let read = study.read.clone().unwrap_or_else(|| format!("{} items", study.answer.labels().n_points()));
    let lines = study.answer.lines().into_iter().chain(study.warnings()).chain([study.ended.clone()]);
    let lines: Vec<String> = lines.map(|line| escape(&line)).collect();
    // What styles a page has are not those of a notebook.
    let table = clusters(study)
        .replace("<h2>Clusters</h2>\n", "")
        .replace("<td", "<td style=\"padding: 2px 8px; text-align: left\"")
        .replace("<th>", "<th style=\"padding: 2px 8px; text-align: left\">")
        .replace("<th ", "<th style=\"padding: 2px 8px; text-align: left\" ")
        .replace("<table ", "<table style=\"border-collapse: collapse\" ")
        .replace(" class=\"small\"", " style=\"font-size: 85%; opacity: .8\"");
    Ok(format!(
        "<div style=\"display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start\">\n<div style=\"flex: 1 1 320px\">\n\
         <p><b>{}</b>; {}; model: {}</p>\n{table}<p style=\"font-size: 85%\">{}</p>\n</div>\n\
         <div style=\"flex: 0 1 420px\">\n{}</div>\n</div>\n",
        escape(&study.title()),
        escape(&read),
        study.answer.model(),
        lines.join("<br>"),
        study.scatter(Detail::Compact)?.replacen(
            " width=",
            " style=\"max-width: 100%; height: auto\" width=",
            1
        )
    ))
}
