//! Pairs that share a cluster, or do not, as a user of the command meets them.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a folder with six points in two groups, and files of side information.
fn run(arguments: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("six.csv", "name,x,y\na,0,0\nb,0,1\nc,1,0\nd,9,9\ne,9,8\nf,8,9\n");
    write("rows.csv", "0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n");
    write("chain.csv", "from,to\n0,1\n4,5\n1,2\n");
    write("parted.csv", "3,4\n2,0\n");
    write("three.csv", "0,1\n1,2\n2,0\n");
    write("itself.csv", "0,1\n2,2\n");
    write("names.csv", "a,b\nd,b\n");
    write("named.csv", "a,d\n");
    write("known.txt", "0\n-1\n1\n-1\n-1\n-1\n");
    write("same.txt", "5\n-1\n5\n-1\n-1\n-1\n");
    command(folder.path(), arguments)
}

fn command(folder: &Path, arguments: &str) -> Output {
    let all = ["cluster"].into_iter().chain(arguments.split(' ')).chain(["--n-clusters", "2", "--quiet"]);
    Command::new(env!("CARGO_BIN_EXE_similis")).current_dir(folder).args(all).output().unwrap()
}

/// The message of a run that is refused.
fn refusal(arguments: &str) -> String {
    let run = run(arguments);
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{arguments}");
    String::from_utf8(run.stderr).unwrap()
}

#[test]
fn pairs_hold_in_both_models_by_numbers_and_by_names() {
    for model in ["latent-graph", "latent-feature"] {
        let labels = |files: &str| {
            let run = run(&format!("{files} --model {model}"));
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            let labels = String::from_utf8(run.stdout).unwrap();
            labels.lines().map(String::from).collect::<Vec<_>>()
        };
        let found = labels("rows.csv --must-link chain.csv");
        assert!(found[0] == found[1] && found[1] == found[2] && found[4] == found[5]);
        let found = labels("rows.csv --cannot-link parted.csv");
        assert!(found[3] != found[4] && found[2] != found[0]);
        let found = labels("six.csv --id-column name --must-link named.csv");
        assert_eq!(found[0], found[3]);
    }
}

#[test]
fn contradictions_name_points_files_and_lines() {
    let words = refusal("rows.csv --must-link chain.csv --cannot-link parted.csv");
    assert!(words.contains("--cannot-link parts the rows 2 and 0"), "{words}");
    assert!(words.contains("ties 2 - 1 - 0"), "{words}");
    assert!(words.contains("parted.csv, line 2; chain.csv, lines 4, 2"), "{words}");
    let words = refusal("rows.csv --must-link chain.csv --known-labels known.txt");
    assert!(words.contains("ties the rows 0 - 1 - 2"), "{words}");
    assert!(words.contains("gives the first 0 and the last 1"), "{words}");
    assert!(words.contains("chain.csv, lines 2, 4"), "{words}");
    let words = refusal("rows.csv --cannot-link parted.csv --known-labels same.txt");
    assert!(words.contains("parts the rows 2 and 0") && words.contains("gives both 5"), "{words}");
    assert!(words.contains("parted.csv, line 2"), "{words}");
    let words = refusal("rows.csv --cannot-link itself.csv");
    assert!(words.contains("row 2 twice") && words.contains("itself.csv, line 2"), "{words}");
    let words = refusal("rows.csv --cannot-link three.csv");
    assert!(words.contains("the rows 0, 1, 2 must all be in different clusters"), "{words}");
    assert!(words.contains("three.csv, lines 1, 3, 2"), "{words}");
    let words = refusal("six.csv --id-column name --must-link names.csv --cannot-link named.csv");
    assert!(words.contains("row 0 is \"a\", row 1 is \"b\", row 3 is \"d\""), "{words}");
    assert!(words.contains("named.csv, line 1; names.csv, lines 1, 2"), "{words}");
}

#[test]
fn pairs_with_a_probability_are_weighed_and_certain_ones_hold() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("rows.csv", "0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n");
    write("doubtful.csv", "from,to,probability\n0,3,0.6\n");
    write("against.csv", "0,3,1\n");
    write("wrong.csv", "0,3,60%\n");
    let labels = |arguments: &str| {
        let run = command(folder.path(), arguments);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let free = labels("rows.csv");
    assert_eq!(free, "0\n0\n0\n1\n1\n1\n");
    assert_eq!(labels("rows.csv --must-link doubtful.csv"), free);
    assert_eq!(labels("rows.csv --must-link doubtful.csv --cannot-link against.csv"), free);
    let certain = labels("rows.csv --must-link against.csv");
    let certain: Vec<&str> = certain.lines().collect();
    assert_eq!(certain[0], certain[3]);
    let refused = command(folder.path(), "rows.csv --must-link wrong.csv");
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(words.contains("wrong.csv: line 1") && words.contains("from 0 to 1, got \"60%\""), "{words}");
    let refused = command(folder.path(), "rows.csv --must-link doubtful.csv --model latent-feature");
    assert!(String::from_utf8(refused.stderr).unwrap().contains("pairs that are probable"));
}
