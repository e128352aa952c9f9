//! `similis cluster --ask`: questions about pairs in the terminal, and a new fit after each answer.

use std::io::BufRead;

use similis::{Points, SideInformation};

use super::cluster::Fitting;
use crate::answer::Answer;
use crate::ask::{Question, question};
use crate::error::Error;
use crate::input::Observed;
use crate::plot::few_digits;
use crate::terminal::tell;

/// Maximum number of columns that are shown with an item. Not tuned.
const MOST_COLUMNS: usize = 6;

/// Asks until nothing is left to ask or the user has had enough; returns the last answer.
///
/// # Errors
///
/// Those of the fit; an answer that contradicts earlier ones only ends the questions.
pub(super) fn refine(
    fitting: &Fitting<'_>,
    mut side: SideInformation,
    mut answer: Answer,
) -> Result<Answer, Error> {
    let wrong = |source| super::cluster::wrong(fitting.args, source);
    let mut lines = std::io::stdin().lock().lines();
    let mut n_asked = 0;
    while let Some(next) = question(&fitting.observed.pairs, &answer, &side).map_err(wrong)? {
        tell(&words(fitting.observed, &next, n_asked + 1));
        let Some(together) = reply(&mut lines) else { break };
        n_asked += 1;
        let mut more = side.clone();
        let pairs = if together { &mut more.must_link } else { &mut more.cannot_link };
        pairs.push((next.first, next.second));
        match fitting.fit(more.clone()) {
            Ok(found) => (answer, side) = (found, more),
            Err(error @ Error::Pairs { .. }) => {
                tell(&format!("note: the last answer is not used: {error}\n"));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    tell(&format!("{n_asked} question{} answered\n", if n_asked == 1 { "" } else { "s" }));
    tell(&listed(fitting.observed, "must-link", &side.must_link));
    tell(&listed(fitting.observed, "cannot-link", &side.cannot_link));
    Ok(answer)
}

/// The question in words: both items with their first columns.
fn words(observed: &Observed, question: &Question, number: usize) -> String {
    let Question { first, second, together, n_pairs } = question;
    format!(
        "question {number}: do these two share a cluster? [y/n/q]\n  {}\n  {}\n  together with probability {together:.2}; {n_pairs} pairs \
         hang on it\n",
        item(observed, *first),
        item(observed, *second)
    )
}

fn item(observed: &Observed, i: usize) -> String {
    let name = observed.ids.as_ref().map_or_else(|| format!("item {i}"), |ids| ids[i].clone());
    let points = observed
        .original
        .as_ref()
        .or_else(|| observed.pairs.points().map(similis::input::MeasuredPoints::points));
    let columns = points.map_or(0, Points::n_dimensions).min(MOST_COLUMNS);
    let value = |k: usize| {
        let column = observed.names.as_ref().and_then(|names| names.get(k));
        let column = column.map_or_else(|| format!("column {}", k + 1), Clone::clone);
        let value = points.map_or(f64::NAN, |points| points.row(i)[k]);
        let standard = observed.standardise.as_ref().and_then(|standards| standards.get(k));
        format!("{column} {}", few_digits(standard.map_or(value, |standard| standard.back(value))))
    };
    let values: Vec<String> = (0..columns).map(value).collect();
    if values.is_empty() { name } else { format!("{name}: {}", values.join(", ")) }
}

/// The next answer that can be understood; nothing at the end.
fn reply(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Option<bool> {
    loop {
        match lines.next()?.ok()?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            "q" | "quit" => return None,
            other => tell(&format!("y, n or q to end, got {other:?}\n")),
        }
    }
}

/// Pairs as a file of `--must-link` or `--cannot-link` would have them.
fn listed(observed: &Observed, name: &str, pairs: &[(usize, usize)]) -> String {
    let pair =
        |&(i, j): &(usize, usize)| format!("{},{}", super::item(observed, i), super::item(observed, j));
    if pairs.is_empty() {
        return String::new();
    }
    format!("--{name}: {}\n", pairs.iter().map(pair).collect::<Vec<_>>().join(" "))
}
