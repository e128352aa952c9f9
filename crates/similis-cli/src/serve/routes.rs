//! What the server answers: a fixed list of routes; no name from a client is ever a file's.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use similis::latent_graph::NumberScore;
use similis::settings::Named;

use super::data::Column;
use super::guard::Guard;
use super::http::{Request, Response};
use super::session::Session;
use super::shown::{Shown, labels, packed};
use super::{export, recipe, together};
use crate::answer::Answer;
use crate::ask::question;
use crate::io::label_table::LabelTable;
use crate::io::output::labels_bytes;
use crate::plot::Detail;
use crate::study::PictureKind;

/// Longest time that a request for news waits.
const LONG_POLL: Duration = Duration::from_secs(20);

/// Maximum number of items that a search finds. Not tuned.
const MOST_FOUND: usize = 200;

const HTML: &str = "text/html; charset=utf-8";
const BYTES: &str = "application/octet-stream";
const SVG: &str = "image/svg+xml";

/// Routes that everyone may read: they hold nothing of the data.
const PUBLIC: [(&str, &str, &str); 3] = [
    ("/", HTML, export::INDEX),
    ("/app.js", "text/javascript; charset=utf-8", export::SCRIPT),
    ("/app.css", "text/css; charset=utf-8", export::STYLE),
];

type Read = fn(&Session, &Request) -> Response;
type Change = fn(&Session, &Value) -> Response;

/// Routes that read.
const READ: [(&str, Read); 25] = [
    ("/api/meta", |session, _| meta(session)),
    ("/api/places", |session, _| Response::new(200, BYTES, places(session))),
    ("/api/state", |session, request| {
        Response::json(&session.wait(request.number("after").unwrap_or(0), LONG_POLL))
    }),
    ("/api/answer", |session, _| with_answer(session, |shown| reply(shown.bytes(&session.data), BYTES))),
    ("/api/unsure", |session, _| {
        with_answer(session, |shown| Response::json(&json!(shown.unsure(&session.data))))
    }),
    ("/api/rival", rival),
    ("/api/levels", |session, _| with_answer(session, |shown| reply(shown.levels(), BYTES))),
    ("/api/links", |session, _| {
        with_answer(session, |shown| match shown.likely_links().transpose() {
            Some(links) => reply(links, BYTES),
            None => Response::new(204, BYTES, ""),
        })
    }),
    ("/api/number", number),
    ("/api/corrections", |session, _| Response::json(&session.said().json())),
    ("/api/column", column),
    ("/api/item", item),
    ("/api/together", |session, _| {
        with_answer(session, |shown| match together::bytes(shown) {
            Some(bytes) => Response::new(200, BYTES, bytes),
            None => Response::new(204, BYTES, ""),
        })
    }),
    ("/api/rows", rows),
    ("/api/names", |session, _| names(session)),
    ("/api/search", search),
    ("/api/picture", picture),
    ("/api/question", |session, _| with_answer(session, |shown| ask(session, shown))),
    ("/api/recipe", |session, _| with_answer(session, |shown| take_away(session, shown))),
    ("/api/labels.csv", |session, _| with_answer(session, |shown| file(session, shown, "labels.csv"))),
    ("/api/labels.json", |session, _| with_answer(session, |shown| file(session, shown, "labels.json"))),
    ("/api/labels.parquet", |session, _| {
        with_answer(session, |shown| file(session, shown, "labels.parquet"))
    }),
    ("/api/map.svg", |session, _| with_answer(session, |shown| map(session, shown))),
    ("/api/map.png", |session, _| with_answer(session, |shown| map_png(session, shown))),
    ("/api/page.html", |session, _| with_answer(session, |shown| whole_page(session, shown))),
];

/// Routes that change something, given JSON.
const CHANGE: [(&str, Change); 6] = [
    ("/api/choose", |session, value| done(session.choose(value))),
    ("/api/correct", |session, value| done(session.correct(value))),
    ("/api/undo", |session, _| step(session, true)),
    ("/api/redo", |session, _| step(session, false)),
    ("/api/stop", |session, _| stop(session)),
    ("/api/selection.csv", selection),
];

/// Answers a request whose host and origin were judged already.
pub(super) fn answer(session: &Session, guard: &Guard, request: &Request) -> Response {
    let path = request.path.as_str();
    if let Some((_, kind, body)) = PUBLIC.iter().find(|(own, ..)| *own == path) {
        return if reads(request) { Response::new(200, kind, *body) } else { wrong_method("GET, HEAD") };
    }
    if path == "/api/session" {
        return if request.method == "POST" { swap(guard, request) } else { wrong_method("POST") };
    }
    let is_here = READ.iter().any(|(own, _)| *own == path) || CHANGE.iter().any(|(own, _)| *own == path);
    if is_here && !guard.knows(request) {
        return Response::text(401, "open the page by the link that the command printed; it works once");
    }
    answer_known(session, request)
}

/// Answers a request of someone who may see the data.
pub(super) fn answer_known(session: &Session, request: &Request) -> Response {
    let path = request.path.as_str();
    let (read, change) =
        (READ.iter().find(|(own, _)| *own == path), CHANGE.iter().find(|(own, _)| *own == path));
    match (read, change) {
        (None, None) => Response::text(404, "there is nothing here"),
        (Some((_, read)), _) if reads(request) => read(session, request),
        (_, Some((_, change))) if request.method == "POST" => match body(request) {
            Ok(value) => change(session, &value),
            Err(refused) => refused,
        },
        (Some(_), _) => wrong_method("GET, HEAD"),
        _ => wrong_method("POST"),
    }
}

fn reads(request: &Request) -> bool {
    ["GET", "HEAD"].contains(&request.method.as_str())
}

fn wrong_method(allowed: &str) -> Response {
    Response::text(405, "this route has another method").with("Allow", allowed)
}

/// The JSON of a request.
fn body(request: &Request) -> Result<Value, Response> {
    let kind = request.header("content-type").unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Response::text(415, "Content-Type must be application/json"));
    }
    serde_json::from_slice(&request.body)
        .map_err(|error| Response::text(400, &format!("this is no JSON: {error}")))
}

/// Swaps the token of a link for the session's cookie.
fn swap(guard: &Guard, request: &Request) -> Response {
    let value = match body(request) {
        Ok(value) => value,
        Err(refused) => return refused,
    };
    match guard.swap(value["token"].as_str().unwrap_or_default()) {
        Some(cookie) => Response::new(204, "text/plain", "").with("Set-Cookie", cookie),
        None => Response::text(
            403,
            "this token is wrong or was used before; start similis serve again for a new link",
        ),
    }
}

fn step(session: &Session, back: bool) -> Response {
    session.step(back);
    done(Ok(()))
}

fn stop(session: &Session) -> Response {
    session.stop();
    done(Ok(()))
}

fn done(result: Result<(), String>) -> Response {
    match result {
        Ok(()) => Response::json(&json!({})),
        Err(words) => Response::text(400, &words),
    }
}

fn reply(result: Result<Vec<u8>, similis::Error>, kind: &'static str) -> Response {
    match result {
        Ok(bytes) => Response::new(200, kind, bytes),
        Err(error) => Response::text(400, &error.to_string()),
    }
}

fn with_answer(session: &Session, answer: impl FnOnce(&Shown) -> Response) -> Response {
    let none = || Response::text(409, "there is no answer yet");
    session.shown().map_or_else(none, |shown| answer(&shown))
}

fn meta(session: &Session) -> Response {
    Response::json(&export::meta(session))
}

/// Places as pairs of 32-bit floats.
pub(super) fn places(session: &Session) -> Vec<u8> {
    export::places(session).iter().flat_map(|place| place.to_le_bytes()).collect()
}

fn rival(session: &Session, request: &Request) -> Response {
    let at = request.number("at").unwrap_or(0) as usize;
    with_answer(session, |shown| match shown.rivals().get(at) {
        Some(rival) => {
            Response::new(200, BYTES, packed(&json!({}), &[&labels(&shown.renumbered(rival.labels))]))
        }
        None => Response::text(404, "there is no such runner-up"),
    })
}

/// The best partition into another number of clusters, where the search has one.
fn number(session: &Session, request: &Request) -> Response {
    let of = request.number("of").unwrap_or(0) as usize;
    with_answer(session, |shown| {
        let Answer::Graph(_, fit) = &shown.answer else {
            return Response::text(404, "there is no such number");
        };
        let row = fit.numbers.iter().find(|row| row.n_clusters == of).map(NumberScore::labels);
        match row.filter(|labels| labels.n_points() == shown.kept.len()) {
            Some(row) => Response::new(200, BYTES, packed(&json!({}), &[&labels(&shown.renumbered(&row))])),
            None => Response::text(404, "there is no such number"),
        }
    })
}

fn column(session: &Session, request: &Request) -> Response {
    let at = request.number("at").unwrap_or(u64::MAX) as usize;
    match session.data.column(at) {
        Some(Column::Numbers(numbers)) => {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
            Response::new(200, BYTES, bytes)
        }
        Some(Column::Words(words)) => Response::json(&json!(words)),
        None => Response::text(404, "there is no such column"),
    }
}

fn item(session: &Session, request: &Request) -> Response {
    let at = request.number("at").map_or(usize::MAX, |at| at as usize);
    if at >= session.data.n_items() {
        return Response::text(404, "there is no such item");
    }
    Response::json(&session.data.details(at))
}

/// Several items, their numbers joined by commas.
fn rows(session: &Session, request: &Request) -> Response {
    let listed = request.parameter("of").unwrap_or_default();
    let items: Option<Vec<usize>> = listed
        .split(',')
        .filter(|item| !item.is_empty())
        .map(|item| item.parse().ok().filter(|item| *item < session.data.n_items()))
        .collect();
    match items.filter(|items| items.len() <= MOST_FOUND) {
        Some(items) => {
            Response::json(&items.into_iter().map(|item| session.data.details(item)).collect::<Value>())
        }
        None => Response::text(404, "there are no such items, or more than 200 are asked for at once"),
    }
}

/// The names of all items, where they have any.
fn names(session: &Session) -> Response {
    match &session.data.observed.ids {
        Some(names) => Response::json(&json!(names)),
        None => Response::new(204, "application/json", ""),
    }
}

fn search(session: &Session, request: &Request) -> Response {
    let found = session.data.search(&request.parameter("text").unwrap_or_default(), MOST_FOUND);
    let named = found.iter().map(|&item| json!([item, session.data.item(item)]));
    Response::json(&json!(named.collect::<Vec<_>>()))
}

fn picture(session: &Session, request: &Request) -> Response {
    let Ok(kind) = PictureKind::named(&request.parameter("kind").unwrap_or_default()) else {
        return Response::text(404, "there is no such picture");
    };
    with_answer(session, |shown| match shown.picture(&session.data, kind) {
        Ok(Some(svg)) => Response::new(200, SVG, svg),
        Ok(None) => Response::new(204, SVG, ""),
        Err(error) => Response::text(400, &error.to_string()),
    })
}

fn ask(session: &Session, shown: &Shown) -> Response {
    let side = session.said().information(&shown.kept);
    match question(&shown.pairs, &shown.answer, &side) {
        Ok(found) => Response::json(&found.map_or(Value::Null, |found| {
            let items = [shown.kept[found.first], shown.kept[found.second]];
            json!({
                "items": items,
                "details": items.map(|item| session.data.details(item)),
                "together": found.together,
                "n_pairs": found.n_pairs,
                "distance": shown.pairs.pair(found.first, found.second),
            })
        })),
        Err(error) => Response::text(400, &error.to_string()),
    }
}

fn take_away(session: &Session, shown: &Shown) -> Response {
    Response::json(&json!({
        "shell": recipe::shell(shown, &session.data, &session.args),
        "python": recipe::python(shown, &session.data, &session.args),
    }))
}

/// The labels as a file, under the numbers on the screen.
fn file(session: &Session, shown: &Shown, name: &'static str) -> Response {
    let numbers: Vec<i64> = labels(&shown.labels).into_iter().map(i64::from).collect();
    let ids = session.data.observed.ids.as_deref();
    let details = match shown.json(&session.data) {
        Ok(details) => details,
        Err(error) => return Response::text(400, &error.to_string()),
    };
    match labels_bytes(Path::new(name), None, &numbers, ids, &details) {
        Ok(bytes) => download(Response::new(200, BYTES, bytes), name),
        Err(error) => Response::text(400, &error.to_string()),
    }
}

fn download(response: Response, name: &str) -> Response {
    response.with("Content-Disposition", format!("attachment; filename=\"{name}\""))
}

/// The selected items with their labels.
fn selection(session: &Session, value: &Value) -> Response {
    let listed = value["items"].as_array().map_or(&[][..], Vec::as_slice);
    let n_items = session.data.n_items();
    let items: Option<Vec<usize>> = listed
        .iter()
        .map(|item| item.as_u64().map(|item| item as usize).filter(|item| *item < n_items))
        .collect();
    let Some(items) = items else { return Response::text(400, "items must be a list of numbers of items") };
    with_answer(session, |shown| {
        let numbers: Vec<i64> =
            items.iter().map(|&item| shown.labels[item].map_or(-1, |label| label as i64)).collect();
        let ids: Vec<String> = items.iter().map(|&item| session.data.item(item)).collect();
        let table = LabelTable { id_name: "id", ids: Some(&ids), labels: &numbers, ..LabelTable::default() };
        match table.bytes(Path::new("selection.csv"), None) {
            Ok(bytes) => download(
                Response::new(200, "text/csv; charset=utf-8", bytes.unwrap_or_default()),
                "selection.csv",
            ),
            Err(error) => Response::text(400, &error.to_string()),
        }
    })
}

fn map(session: &Session, shown: &Shown) -> Response {
    reply(map_svg(session, shown).map(String::into_bytes), SVG)
}

fn map_svg(session: &Session, shown: &Shown) -> Result<String, similis::Error> {
    shown.study(&session.data)?.scatter(Detail::Full)
}

fn map_png(session: &Session, shown: &Shown) -> Response {
    let svg = match map_svg(session, shown) {
        Ok(svg) => svg,
        Err(error) => return Response::text(400, &error.to_string()),
    };
    match crate::plot::png(&svg, Some(1600)) {
        Ok(bytes) => download(Response::new(200, "image/png", bytes), "clusters.png"),
        Err(error) => Response::text(400, &error.to_string()),
    }
}

fn whole_page(session: &Session, shown: &Shown) -> Response {
    match export::page(session, shown) {
        Ok(page) => download(Response::new(200, HTML, page), "page.html"),
        Err(error) => Response::text(400, &error.to_string()),
    }
}
