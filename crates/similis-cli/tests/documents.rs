//! The shell blocks of README and book run as they stand.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What README writes where the program is not installed.
const FROM_SOURCE: &str = "cargo run --release -- ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and every page of the book.
fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    found.push(root().join("README.md"));
    found.sort();
    found
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

#[test]
fn every_shell_block_of_readme_and_book_runs() {
    let program = Path::new(env!("CARGO_BIN_EXE_similis"));
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [program.parent().unwrap().to_path_buf()].into_iter().chain(env::split_paths(&others)),
    );
    let path = path.unwrap();
    let mut n_run = 0;
    for document in documents() {
        let folder = clone();
        for block in shell_blocks(&fs::read_to_string(&document).unwrap()) {
            let script = block.replace(FROM_SOURCE, "similis ");
            let mut shell = Command::new("bash");
            shell.args(["-euo", "pipefail", "-c", &script]).current_dir(&folder).env("PATH", &path);
            let run = shell.output().unwrap();
            let message = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{}:\n{block}\n{message}", document.display());
            n_run += 1;
        }
    }
    assert!(n_run >= 8, "{n_run}");
}

#[test]
fn only_blocks_marked_sh_are_run() {
    assert_eq!(
        shell_blocks("a\n```sh\nsimilis one\nsimilis two\n```\n```sh build\nmake\n```\n"),
        ["similis one\nsimilis two\n"]
    );
}

#[test]
fn every_link_to_a_file_of_the_repository_leads_somewhere() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in
            text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
        {
            let file = target.split('#').next().unwrap();
            let local = !file.is_empty() && !file.contains("://");
            assert!(
                !local || document.parent().unwrap().join(file).exists(),
                "{}: {target}",
                document.display()
            );
        }
    }
}
