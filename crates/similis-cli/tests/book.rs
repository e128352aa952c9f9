//! The commands in the book run, each page from top to bottom.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lines of a page's shell blocks that call the program.
fn calls(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect();
    let call = |line: &&str| line.strip_prefix("similis ").map(str::to_owned);
    assert!(lines.iter().all(|line| call(line).is_some()), "{}: {lines:?}", page.display());
    lines.iter().filter_map(call).collect()
}

#[test]
fn the_shell_blocks_of_the_book_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut n_run = 0;
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let page = entry.unwrap().path();
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        for line in calls(&page) {
            let words = line.split_whitespace().map(|word| match word.split_once('/') {
                Some(("testdata", _)) => root.join(word),
                _ => PathBuf::from(word),
            });
            let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
            let run = command.current_dir(&folder).args(words).output().unwrap();
            assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
            n_run += 1;
        }
    }
    assert!(n_run >= 12, "{n_run}");
}
