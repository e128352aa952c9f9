//! `EQUATIONS.md` points at what exists, and what it points at cites it.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

const NOT_YET: &str = "not yet";

struct Row {
    paper: String,
    function: String,
    test: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join("EQUATIONS.md")).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    text.lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| {
            let cells = cells(line);
            assert_eq!(cells.len(), 4, "{line}");
            Row { paper: cells[0].clone(), function: cells[2].clone(), test: cells[3].clone() }
        })
        .collect()
}

/// The doc comments of every item called `name` in a file; an item is a function, a trait or a struct.
fn docs_of(source: &str, name: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let defines = |line: &str| {
        ["fn ", "trait ", "struct "].iter().any(|kind| {
            line.split_once(kind).is_some_and(|(before, after)| {
                let rest = after.strip_prefix(name);
                !before.contains("//")
                    && rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        })
    };
    let comment_above = |at: usize| {
        let above =
            lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
        above.copied().collect::<Vec<_>>().join("\n")
    };
    (0..lines.len()).filter(|&at| defines(lines[at])).map(comment_above).collect()
}

fn read(base: &Path, place: &str) -> (String, String) {
    let (file, name) = place.split_once("::").unwrap_or_else(|| panic!("{place}: write file::name"));
    let path = base.join(file);
    (fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())), name.to_owned())
}

#[test]
fn every_row_points_at_a_function_that_cites_it() {
    for row in rows().iter().filter(|row| row.function != NOT_YET) {
        let (source, name) = read(&root().join("crates/similis/src"), &row.function);
        let docs = docs_of(&source, &name);
        assert!(!docs.is_empty(), "{}: there is no {name} in {}", row.paper, row.function);
        let cited = |doc: &String| {
            let doc = doc.to_lowercase();
            doc.contains(&row.paper.to_lowercase())
        };
        assert!(
            docs.iter().any(cited),
            "{}: the documentation of {} does not cite it",
            row.paper,
            row.function
        );
    }
}

#[test]
fn every_row_points_at_a_test_that_exists() {
    for row in rows().iter().filter(|row| row.function != NOT_YET) {
        assert_ne!(row.test, NOT_YET, "{} is built but not tested", row.paper);
        let (source, name) = read(&root().join("crates/similis"), &row.test);
        let at =
            source.find(&format!("fn {name}(")).unwrap_or_else(|| panic!("{}: no test {name}", row.paper));
        assert!(source[..at].trim_end().ends_with("#[test]"), "{}: {name} is not a test", row.paper);
    }
}

#[test]
fn every_numbered_statement_of_the_paper_has_a_row() {
    let rows = rows();
    let has = |statement: &str| rows.iter().any(|row| row.paper == statement);
    let equations = (1..=19).filter(|&number| number != 15).map(|number| format!("Eq. ({number})"));
    let figures = (1..=5).map(|number| format!("Figure {number}"));
    let named = ["Lemma 1", "Theorem 1", "Corollary 1", "Algorithm box"].map(str::to_owned);
    for statement in equations.chain(figures).chain(named) {
        assert!(has(&statement), "no row for {statement}");
    }
}
