//! README and book: shell blocks run, printed summaries are real, links lead somewhere, pages follow one another.
//!
//! `make bless` writes the summaries and the lines to the next and the previous page.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What README writes where the program is not installed.
const FROM_SOURCE: &str = "cargo run --release -- ";
/// The documents outside the folder of the book.
const OUTSIDE: [&str; 7] = [
    "README.md",
    "RELEASING.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "EQUATIONS.md",
    "python/README.md",
    "testdata/README.md",
];
/// The table of contents.
const CONTENTS: &str = "docs/README.md";
/// A printed summary of a run.
const SUMMARY: &str = "```text summary\n";
/// Words that the glossary replaced by others.
const RETIRED: [&str; 12] = [
    "so many",
    "anew",
    "beforehand",
    "hangs together",
    "hang together",
    "whoever",
    "of which something is said",
    "of which nothing is said",
    "mended",
    "strewn",
    "as printed",
    "global tree",
];

/// Wordings that users had to read twice: neither documents nor sources have them.
const READ_TWICE: [&str; 18] = [
    "--input says otherwise",
    "improved by moves",
    "mend it",
    "the least expected loss of",
    "the way from the start",
    "most partitions that are kept",
    "where all chance comes from",
    "both propose, and",
    "how far the logarithm of the scale goes",
    "how long links are beforehand",
    "the chains have not met",
    "must be one that the answer has",
    "with no class of probability",
    "labels -1 what belongs to no cluster",
    "what is known of some items",
    "fall into that the model takes for",
    "there is none of similarities",
    "too dear",
];
/// Folders of sources.
const SOURCES: [&str; 4] = ["crates/similis/src", "crates/similis-cli/src", "python/similis", "python/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_blessing() -> bool {
    env::var_os("SIMILIS_BLESS").is_some()
}

/// Every document, by its path from the root.
fn documents() -> Vec<String> {
    let mut found: Vec<String> = OUTSIDE.map(str::to_owned).to_vec();
    collect("docs", &mut found);
    found.sort();
    found
}

fn collect(folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap) {
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&path, found);
        } else if entry.path().extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// The blocks marked `sh`; what builds or installs is marked `sh build` and is not run here.
fn shell_blocks(text: &str) -> Vec<String> {
    text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A folder with a copy of `testdata`, as in a clone.
fn clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("testdata");
    fs::create_dir(&target).unwrap();
    for entry in fs::read_dir(root().join("testdata")).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
        }
    }
    folder
}

/// Runs a script in a folder, with this program first on the path.
fn run(script: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_similis"));
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = [program.parent().unwrap().to_path_buf()].into_iter().chain(env::split_paths(&others));
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script.replace(FROM_SOURCE, "similis ")]).current_dir(folder);
    shell.env("PATH", env::join_paths(folders).unwrap()).output().unwrap()
}

#[test]
fn every_shell_block_of_readme_and_book_runs() {
    let mut n_run = 0;
    for document in documents() {
        let folder = clone();
        for block in shell_blocks(&read(&document)) {
            let output = run(&block, folder.path());
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{document}:\n{block}\n{message}");
            n_run += 1;
        }
    }
    assert!(n_run >= 20, "{n_run}");
}

#[test]
fn only_blocks_marked_sh_are_run() {
    assert_eq!(
        shell_blocks("a\n```sh\nsimilis one\nsimilis two\n```\n```sh build\nmake\n```\n"),
        ["similis one\nsimilis two\n"]
    );
}

/// The summary that the first command of a block prints; its time is any.
fn summary_of(block: &str) -> String {
    let folder = clone();
    let output = run(block.lines().next().unwrap(), folder.path());
    let text = String::from_utf8(output.stderr).unwrap();
    let (before, after) = text.rsplit_once(" in ").unwrap_or_else(|| panic!("{block}: no time in\n{text}"));
    assert!(after.trim_end().ends_with(" s"), "{text}");
    format!("{before} in 0.40 s\n")
}

/// A document in which every printed summary is what the first command of the block before it prints.
fn with_summaries(text: &str) -> String {
    let mut pieces = text.split(SUMMARY);
    let mut out = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let block = shell_blocks(&out).pop().unwrap();
        let rest = &piece[piece.find("```").unwrap()..];
        let summary = summary_of(&block);
        out.extend([SUMMARY, &summary, rest]);
    }
    out
}

/// The text and target of each link.
fn links(text: &str) -> Vec<(String, String)> {
    let ends: Vec<usize> = text.match_indices("](").map(|(at, _)| at).collect();
    let link = |at: usize| {
        let name = text[..at].rsplit_once('[')?.1;
        let target = text[at + 2..].split_once(')')?.0;
        Some((name.to_owned(), target.to_owned()))
    };
    ends.into_iter().filter_map(link).collect()
}

/// The path of a link's file from the root, given that of the document it is in.
fn resolved(document: &str, file: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            ".." => drop(parts.pop().unwrap_or_else(|| panic!("{document}: {file} is above the root"))),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The names that headings have in links.
fn anchors(text: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_block ^= line.starts_with("```");
        if !in_block && line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
            found.push(kept.collect::<String>().replace(' ', "-"));
        }
    }
    found
}

#[test]
fn every_link_to_a_file_or_heading_of_the_repository_leads_somewhere() {
    let mut n_links = 0;
    for document in documents() {
        for (_, target) in links(&read(&document)).into_iter().filter(|(_, target)| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { document.clone() } else { resolved(&document, file) };
            assert!(root().join(&path).exists(), "{document}: {target}");
            let is_found = anchor.is_empty() || anchors(&read(&path)).iter().any(|known| known == anchor);
            assert!(is_found, "{document}: no heading of {path} is #{anchor}");
            n_links += 1;
        }
    }
    assert!(n_links >= 100, "{n_links}");
}

#[test]
fn headings_are_linked_to_by_their_letters_in_lower_case() {
    assert_eq!(
        anchors("# The paper's `auto`, R-hat\n```sh\n# no heading\n```\n## Two\n"),
        ["the-papers-auto-r-hat", "two"]
    );
}

/// Title and path of every page, in the order of the table of contents.
fn pages() -> Vec<(String, String)> {
    let contents = read(CONTENTS);
    let entries = contents.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    entries
        .map(|line| links(line).swap_remove(0))
        .map(|(title, file)| (title, resolved(CONTENTS, &file)))
        .collect()
}

/// The way from one document to another.
fn way(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let shared = from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = vec![".."; from.len() - 1 - shared];
    up.into_iter().chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The line at the end of a page.
fn navigation(pages: &[(String, String)], at: usize) -> String {
    let here = &pages[at].1;
    let link =
        |word: &str, (title, path): &(String, String)| format!("{word}: [{title}]({})", way(here, path));
    let previous = at.checked_sub(1).map(|before| link("Previous", &pages[before]));
    let contents = format!("[Contents]({})", way(here, CONTENTS));
    let next = pages.get(at + 1).map(|page| link("Next", page));
    previous.into_iter().chain([contents]).chain(next).collect::<Vec<_>>().join(" | ")
}

/// A page with the right line at its end.
fn with_navigation(text: &str, pages: &[(String, String)], at: usize) -> String {
    let body = text.split("\n---\n\n").next().unwrap().trim_end();
    format!("{body}\n\n---\n\n{}\n", navigation(pages, at))
}

#[test]
fn golden_summaries_are_what_the_command_prints_and_pages_end_with_previous_and_next() {
    let pages = pages();
    for document in documents() {
        let text = read(&document);
        let mut right = with_summaries(&text);
        if let Some(at) = pages.iter().position(|(_, path)| *path == document) {
            right = with_navigation(&right, &pages, at);
        }
        if text != right && is_blessing() {
            fs::write(root().join(&document), &right).unwrap();
        } else {
            assert!(text == right, "{document}: run `make bless`; it should be\n{right}");
        }
    }
}

#[test]
fn pages_have_the_title_that_the_contents_give_them() {
    for (title, path) in pages() {
        assert!(read(&path).starts_with(&format!("# {title}\n")), "{path}: its heading is not {title}");
    }
}

#[test]
fn the_table_of_contents_lists_every_page_once_and_counts_them() {
    let listed: Vec<String> = pages().into_iter().map(|(_, path)| path).collect();
    let is_page = |path: &String| !path.ends_with("README.md") && !path.starts_with("docs/pictures/");
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, documents().into_iter().filter(is_page).collect::<Vec<_>>());
    for number in 1..=listed.len() {
        assert!(read(CONTENTS).contains(&format!("\n{number}. [")), "{CONTENTS}: no entry {number}");
    }
}

#[test]
fn ways_go_up_and_down() {
    assert_eq!(way("docs/how/search.md", "docs/how/score.md"), "score.md");
    assert_eq!(way("docs/glossary.md", "EQUATIONS.md"), "../EQUATIONS.md");
    assert_eq!(way("CONTRIBUTING.md", "docs/evidence/figures.md"), "docs/evidence/figures.md");
    assert_eq!(resolved("docs/how/search.md", "../../EQUATIONS.md"), "EQUATIONS.md");
}

#[test]
fn no_document_uses_words_that_the_glossary_replaced() {
    for document in documents().iter().filter(|&document| document != "docs/glossary.md") {
        let text = read(document).to_lowercase();
        // Names of tests and files in code keep their words.
        let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in RETIRED {
            assert!(!prose.contains(word), "{document}: \"{word}\"");
        }
    }
}

/// The files of a folder and of the folders in it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
    }
}

#[test]
fn wordings_that_had_to_be_read_twice_are_gone() {
    let mut paths: Vec<PathBuf> = documents().iter().map(|document| root().join(document)).collect();
    SOURCES.iter().for_each(|folder| files(&root().join(folder), &mut paths));
    let is_text = |path: &&PathBuf| {
        path.extension().is_some_and(|ending| ["md", "rs", "py"].iter().any(|&own| ending == own))
    };
    let mut n_read = 0;
    for path in paths.iter().filter(is_text) {
        // Comments go over several lines.
        let text = fs::read_to_string(path).unwrap().to_lowercase().replace("///", " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in READ_TWICE {
            assert!(!text.contains(words), "{}: \"{words}\"", path.display());
        }
        n_read += 1;
    }
    assert!(n_read > 300, "{n_read}");
}
