//! The house rules of the source tree: floors that only look down, folders and files that stay small, and one place for every
//! choice that depends on size.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules, lowest first: each may use those before it.
const FLOORS: [&str; 14] = [
    "plan",
    "quantity",
    "error",
    "settings",
    "run",
    "numeric",
    "input",
    "graph",
    "affinity",
    "constraints",
    "evaluate",
    "latent_feature",
    "latent_graph",
    "auto",
];

/// The modules of `latent_graph`, lowest first.
const LATENT_GRAPH: [&str; 10] =
    ["model", "settings", "context", "paper", "search", "posterior", "predict", "fit", "given", "noise"];

/// Most entries of a folder.
const MOST_ENTRIES: usize = 16;

/// Most entries of `latent_graph`.
const MOST_IN_LATENT_GRAPH: usize = 12;

/// Most lines of a file.
const MOST_LINES: usize = 400;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// What a folder holds.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the source tree can be listed");
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Every source file with its path below `src`.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(source()).unwrap_or(&path);
                let name = below.to_string_lossy().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).expect("a source file is text")));
            }
        }
    }
    files.sort();
    files
}

/// The code of a file without comments, and without its tests.
fn code(text: &str) -> String {
    let product = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let without = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    product.lines().map(without).collect::<Vec<_>>().join("\n")
}

fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests.rs" || part == "tests" || part.ends_with("_tests.rs"))
}

/// The names that follow a prefix in code: `crate::graph::..` after `crate::` is graph.
fn named_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            // A list: only the first word of each entry counts.
            Some(list) => {
                let list = list.split(';').next().unwrap_or_default();
                names.extend(list.split(',').map(first_word));
            }
            None => {
                names.insert(first_word(rest));
            }
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.trim().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// What is wrong with the modules below a folder: a module that uses one above it.
fn upward(folder: &str, prefix: &str, order: &[&str]) -> Vec<String> {
    let rank = |name: &str| order.iter().position(|&known| known == name);
    let mut wrong = Vec::new();
    for (name, text) in files().into_iter().filter(|(name, _)| !is_test(name)) {
        let Some(below) = name.strip_prefix(folder) else { continue };
        let own = below.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if own == "lib" || own == "mod" {
            continue;
        }
        let Some(own_rank) = rank(own) else {
            wrong.push(format!("{name}: {own} has no floor"));
            continue;
        };
        for used in named_after(&code(&text), prefix) {
            if rank(&used).is_some_and(|used| used > own_rank) {
                wrong.push(format!("{name} uses {prefix}{used}, which is above it"));
            }
        }
    }
    wrong
}

#[test]
fn every_module_uses_only_those_below_it() {
    let wrong = upward("", "crate::", &FLOORS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let wrong = upward("latent_graph/", "crate::latent_graph::", &LATENT_GRAPH);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_have_few_entries_and_files_few_lines() {
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        let entries: Vec<PathBuf> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let most = if folder.ends_with("latent_graph") { MOST_IN_LATENT_GRAPH } else { MOST_ENTRIES };
        assert!(entries.len() <= most, "{}: {} entries", folder.display(), entries.len());
        folders.extend(entries.into_iter().filter(|path| path.is_dir()));
    }
    for (name, text) in files() {
        let n_lines = text.lines().count();
        assert!(n_lines <= MOST_LINES, "{name}: {n_lines} lines");
    }
}

/// Whether a word counts points.
fn counts_points(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '!', '&']);
    ["n", "n_points", "n_points()", "n_rows", "n_items"]
        .iter()
        .any(|name| word == *name || word.strip_suffix(name).is_some_and(|before| before.ends_with('.')))
}

/// Whether a word is a constant of some size: a name in capitals, or a number of three digits or more.
fn is_threshold(word: &str) -> bool {
    let word = word.trim_end_matches([',', ';', ')', '{', '(']).trim_start_matches('(');
    let capitals = word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    capitals || (digits > 2 && word.chars().all(|letter| letter.is_ascii_digit() || letter == '_'))
}

#[test]
fn only_the_plan_compares_a_number_of_points_with_a_constant() {
    // Fewer points than this cannot be drawn: a mistake, not a choice. The other is a fraction of the points.
    const CHECKS: [&str; 2] = ["n_points < LEAST_POINTS", "* LEAST_PART < n"];
    let mut wrong = Vec::new();
    for (name, text) in files() {
        if is_test(&name) || name.starts_with("plan/") {
            continue;
        }
        for line in code(&text).lines().filter(|line| !CHECKS.iter().any(|check| line.contains(check))) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for three in words.windows(3).filter(|three| ["<", "<=", ">", ">="].contains(&three[1])) {
                let compares = |a: usize, b: usize| counts_points(three[a]) && is_threshold(three[b]);
                if compares(0, 2) || compares(2, 0) {
                    wrong.push(format!("{name}: {}", line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comparisons_with_a_constant_are_seen() {
    assert!(counts_points("context.n_points()") && counts_points("n") && !counts_points("labels.len()"));
    assert!(
        is_threshold("MOST_WHOLE")
            && is_threshold("5_000")
            && !is_threshold("n_points")
            && !is_threshold("2")
    );
}
