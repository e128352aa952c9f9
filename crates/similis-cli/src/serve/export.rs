//! The page as one file that needs no server: its script, its style and the answer inside it.

use std::fmt::Write as _;

use serde_json::{Value, json};
use similis::Error;
use similis::Metric;
use similis::settings::Named;

use super::data::Column;
use super::session::Session;
use super::shown::{Shown, labels};
use crate::commands::cluster::input_name;
use crate::plot::escape;
use crate::study::PictureKind;

/// The page, its script and its style, built from `web/` by `make web`.
pub(super) const INDEX: &str = include_str!("../../assets/web/index.html");
pub(super) const SCRIPT: &str = include_str!("../../assets/web/app.js");
pub(super) const STYLE: &str = include_str!("../../assets/web/app.css");

/// The pictures that the page shows beside the map.
pub(super) const PICTURES: [PictureKind; 9] = [
    PictureKind::Numbers,
    PictureKind::Candidates,
    PictureKind::Scales,
    PictureKind::Lengths,
    PictureKind::Modes,
    PictureKind::Matrix,
    PictureKind::CoAssignment,
    PictureKind::Eigenvalues,
    PictureKind::Trace,
];

/// Maximum number of items with names and columns in an exported page. Not tuned: about 20 MB.
const MOST_WITH_COLUMNS: usize = 200_000;

/// Everything that does not change: the items, their columns, what can be set.
pub(super) fn meta(session: &Session) -> Value {
    let data = &session.data;
    let metrics: Vec<&str> = Metric::VALUES.iter().map(|(name, _)| *name).collect();
    let n_numbers = data.points().map_or(0, similis::Points::n_dimensions);
    json!({
        "name": data.name,
        "version": env!("CARGO_PKG_VERSION"),
        "n_items": data.n_items(),
        "input": input_name(data.observed.input),
        "described": data.described,
        "columns": data.column_names(),
        "n_numbers": n_numbers,
        "metrics": if n_numbers > 0 { metrics } else { Vec::new() },
        "axes": data.placed.names,
        "note": data.placed.note.trim_start_matches("; "),
        "pictures": PICTURES.map(Named::name),
        "captions": PICTURES.map(crate::study::pictures::caption),
        "parquet": cfg!(feature = "parquet"),
        "named": data.observed.ids.is_some(),
    })
}

/// Places between -1 and 1, `x` and `y` in turn, both by one scale unless the second only counts the rows.
pub(super) fn places(session: &Session) -> Vec<f32> {
    let projection = &session.data.placed.projection;
    let range = |values: &[f64]| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (f64::midpoint(least, most), (most - least) / 2.0)
    };
    let ((x, half_x), (y, half_y)) = (range(&projection.x), range(&projection.y));
    let own = session.data.points().is_some_and(|points| points.n_dimensions() == 1);
    let widest = half_x.max(half_y);
    let scale = |half: f64| 1.0 / if own { half } else { widest }.max(f64::MIN_POSITIVE);
    let (scale_x, scale_y) = (scale(half_x), scale(half_y));
    let places = projection.x.iter().zip(&projection.y);
    places.flat_map(|(a, b)| [((a - x) * scale_x) as f32, ((b - y) * scale_y) as f32]).collect()
}

/// Returns the page with an answer, as one file.
///
/// # Errors
///
/// Those of [`crate::study::Study::picture`].
pub(super) fn page(session: &Session, shown: &Shown) -> Result<String, Error> {
    let state = state(session, shown)?.to_string().replace('<', "\\u003c");
    let policy =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";
    let mut page = String::with_capacity(state.len() + SCRIPT.len() + STYLE.len() + 1000);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <script type=\"application/json\" id=\"state\">{state}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&session.data.name)
    );
    Ok(page)
}

/// Everything that a page without a server shows.
fn state(session: &Session, shown: &Shown) -> Result<Value, Error> {
    let data = &session.data;
    let mut pictures = serde_json::Map::new();
    let study = shown.study(data)?;
    let ends = study.shown_links().into_iter().flat_map(|link| [shown.kept[link.from], shown.kept[link.to]]);
    let links: Vec<usize> = ends.collect();
    for kind in PICTURES {
        if let Some(svg) = study.picture(kind)? {
            pictures.insert(kind.name().to_owned(), json!(svg));
        }
    }
    let small = data.n_items() <= MOST_WITH_COLUMNS;
    let columns: Vec<Value> = (0..data.column_names().len())
        .filter(|_| small)
        .map(|at| match data.column(at) {
            Some(Column::Numbers(numbers)) => json!(numbers),
            Some(Column::Words(words)) => json!(words),
            None => Value::Null,
        })
        .collect();
    let rivals: Vec<Vec<i32>> =
        shown.rivals().iter().map(|rival| labels(&shown.renumbered(rival.labels))).collect();
    Ok(json!({
        "meta": meta(session),
        "places": places(session),
        "answer": shown.json(data)?,
        "labels": labels(&shown.labels),
        "links": links,
        "unsure": shown.unsure(data),
        "corrections": shown.said.json(),
        "rivals": if small { rivals } else { Vec::new() },
        "levels": if small { shown.kept_levels() } else { None },
        "names": data.observed.ids.as_ref().filter(|_| small),
        "columns": columns,
        "pictures": pictures,
        "shell": super::recipe::shell(shown, data, &session.args),
        "python": super::recipe::python(shown, data, &session.args),
    }))
}
