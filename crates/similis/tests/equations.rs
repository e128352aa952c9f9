//! `EQUATIONS.md` points at what exists, and what it points at cites it.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

const NOT_YET: &str = "not yet";
const PAPER: &str = "## The paper";
const BEYOND: &str = "## Beyond the paper";

/// A row of one of the two tables.
struct Row {
    /// A statement of the paper, or the name of what is computed beyond it.
    name: String,
    /// Whether it differs from the paper, or the page of the book.
    page: String,
    function: String,
    test: String,
}

/// A source file: its path as the table writes it, and its text.
struct Source {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    fs::read_to_string(root().join("EQUATIONS.md")).unwrap()
}

/// The rows of the table below a heading.
fn rows(heading: &str) -> Vec<Row> {
    let text = document();
    let below = text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}")).1;
    let section = below.split("\n## ").next().unwrap();
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<String> =
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
    assert_eq!(cells.len(), 5, "{line}");
    Row { name: cells[0].clone(), page: cells[2].clone(), function: cells[3].clone(), test: cells[4].clone() }
}

fn all_rows() -> Vec<Row> {
    rows(PAPER).into_iter().chain(rows(BEYOND)).filter(|row| row.function != NOT_YET).collect()
}

/// Every Rust file below the folders, named as seen from the first of them.
fn sources(base: &str, folders: &[&str]) -> Vec<Source> {
    let base = root().join(base);
    let mut found = Vec::new();
    for folder in folders {
        collect(&base, folder, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(base: &Path, folder: &str, found: &mut Vec<Source>) {
    for entry in fs::read_dir(base.join(folder)).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if folder == "." { name } else { format!("{folder}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            collect(base, &path, found);
        } else if entry.path().extension().is_some_and(|end| end == "rs") {
            found.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path });
        }
    }
}

fn function_sources() -> Vec<Source> {
    sources("crates/similis/src", &[".", "../../similis-cli/src"])
}

fn test_sources() -> Vec<Source> {
    sources("crates/similis", &["src", "tests", "../similis-cli/src", "../similis-cli/tests"])
}

/// The doc comments of every item called `name` in a file; an item is a function, a trait, a struct or an enum.
fn docs_of(source: &str, name: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let defines = |line: &str| {
        ["fn ", "trait ", "struct ", "enum "].iter().any(|kind| {
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

/// Whether the file has an item of that name whose documentation says what the row asks for: a statement of the paper by its
/// name, anything else by any comment.
fn documents(source: &str, item: &str, statement: Option<&str>) -> bool {
    docs_of(source, item).iter().any(|doc| match statement {
        Some(statement) => doc.to_lowercase().contains(&statement.to_lowercase()),
        None => doc.contains("///"),
    })
}

fn is_test(source: &str, name: &str) -> bool {
    source.find(&format!("fn {name}(")).is_some_and(|at| source[..at].trim_end().ends_with("#[test]"))
}

/// Whether a path has a folder or a file called as another file is, without its ending.
fn is_named_after(path: &str, file: &str) -> bool {
    let stem = |name: &str| name.trim_end_matches(".rs").to_owned();
    let old = file.rsplit('/').next().map(stem);
    path.split('/').map(stem).any(|part| Some(part) == old)
}

/// Where an item is: at the place that the table has, if it is there; else in the only file that has it, or in the only one of
/// these whose folder or name is that of the old file.
fn place(cell: &str, sources: &[Source], holds: impl Fn(&str, &str) -> bool) -> Result<String, String> {
    let (file, name) = cell.split_once("::").ok_or_else(|| format!("{cell}: write file::name"))?;
    if sources.iter().any(|source| source.path == file && holds(&source.text, name)) {
        return Ok(cell.to_owned());
    }
    let holding = sources.iter().filter(|source| holds(&source.text, name));
    let all: Vec<&str> = holding.map(|source| source.path.as_str()).collect();
    let alike: Vec<&str> = all.iter().copied().filter(|path| is_named_after(path, file)).collect();
    match (&all[..], &alike[..]) {
        ([only], _) | (_, [only]) => Ok(format!("{only}::{name}")),
        ([], _) => Err(format!("{cell}: no file has it, or its documentation does not cite the row")),
        _ => Err(format!("{cell}: not there, but in several other files: {}", all.join(", "))),
    }
}

/// The place of each function and test, as the table has it and as it is; and what cannot be found.
fn places() -> (Vec<(String, String)>, Vec<String>) {
    let (functions, tests) = (function_sources(), test_sources());
    let (mut found, mut lost) = (Vec::new(), Vec::new());
    let mut note = |row: &Row, cell: &str, place: Result<String, String>| match place {
        Ok(place) => found.push((cell.to_owned(), place)),
        Err(reason) => lost.push(format!("{}: {reason}", row.name)),
    };
    let of_paper = rows(PAPER).len();
    for (at, row) in all_rows().iter().enumerate() {
        let statement = (at < of_paper).then_some(row.name.as_str());
        note(
            row,
            &row.function,
            place(&row.function, &functions, |text, name| documents(text, name, statement)),
        );
        note(row, &row.test, place(&row.test, &tests, is_test));
    }
    (found, lost)
}

#[test]
fn every_row_points_at_a_function_that_cites_it_and_at_a_test() {
    let (_, lost) = places();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// Run by `make bless` too, which writes the places of what has moved.
#[test]
fn golden_places_of_functions_and_tests_are_where_the_tables_say() {
    let moved: Vec<(String, String)> = places().0.into_iter().filter(|(cell, place)| cell != place).collect();
    if std::env::var_os("SIMILIS_BLESS").is_some() {
        let text = moved.iter().fold(document(), |text, (cell, place)| {
            text.replace(&format!("`{cell}`"), &format!("`{place}`"))
        });
        fs::write(root().join("EQUATIONS.md"), text).unwrap();
    } else {
        let lines: Vec<String> = moved.iter().map(|(cell, place)| format!("{cell} is now {place}")).collect();
        assert!(lines.is_empty(), "run `make bless`:\n{}", lines.join("\n"));
    }
}

#[test]
fn every_numbered_statement_of_the_paper_has_a_row() {
    let rows = rows(PAPER);
    let has = |statement: &str| rows.iter().any(|row| row.name == statement);
    let equations = (1..=19).filter(|&number| number != 15).map(|number| format!("Eq. ({number})"));
    let figures = (1..=5).map(|number| format!("Figure {number}"));
    let named = ["Lemma 1", "Theorem 1", "Corollary 1", "Algorithm box"].map(str::to_owned);
    for statement in equations.chain(figures).chain(named) {
        assert!(has(&statement), "no row for {statement}");
    }
}

#[test]
fn what_differs_from_the_paper_or_goes_beyond_it_is_in_the_book() {
    for row in rows(PAPER) {
        assert!(row.page == "no" || row.page.contains("](docs/"), "{}: {}", row.name, row.page);
    }
    for row in rows(BEYOND) {
        assert!(row.page.contains("](docs/"), "{}: {}", row.name, row.page);
    }
}

#[test]
fn what_moved_is_found_by_its_name_unless_several_files_have_it() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let sources = [
        source("a.rs", "/// Eq. (1).\nfn one() {}\n/// Sum.\nfn sum() {}"),
        source("b.rs", "/// Sum.\nfn sum() {}\nfn bare() {}"),
    ];
    let find = |cell: &str, statement: Option<&str>| {
        place(cell, &sources, |text, name| documents(text, name, statement))
    };
    assert_eq!(find("old.rs::one", Some("Eq. (1)")), Ok("a.rs::one".to_owned()));
    assert!(find("a.rs::one", Some("Eq. (2)")).is_err());
    assert_eq!(find("b.rs::sum", None), Ok("b.rs::sum".to_owned()));
    assert!(find("old.rs::sum", None).unwrap_err().contains("a.rs, b.rs"));
    assert_eq!(find("x/b.rs::sum", None), Ok("b.rs::sum".to_owned()));
    assert!(find("b.rs::bare", None).is_err());
}
