//! The shipped examples: they are what the generator draws, and the answers that the book gives for them hold.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use similis::Labels;
use similis::evaluate::adjusted_rand_index;
use similis::evaluate::shapes::{edit_distance, grow_strings};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn clustered(name: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.arg("cluster").arg(testdata(name)).args(arguments).args(["--quiet", "--output"]).arg(&path);
    let run = command.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn labels(fit: &Value) -> Labels {
    let listed = fit["labels"].as_array().unwrap().iter();
    Labels::new(&listed.map(|label| label.as_u64().unwrap()).collect::<Vec<_>>())
}

#[test]
fn the_strings_are_those_that_grow_and_their_families_are_found() {
    let grown = grow_strings(30, &[0.03, 0.3], 40, 1);
    let text = fs::read_to_string(testdata("string-distances.csv")).unwrap();
    for (i, line) in text.lines().skip(1).enumerate() {
        let shipped: Vec<usize> = line.split(',').skip(1).map(|field| field.parse().unwrap()).collect();
        let again: Vec<usize> =
            grown.strings.iter().map(|other| edit_distance(&grown.strings[i], other)).collect();
        assert_eq!(shipped, again, "row {i}");
    }
    let families: String =
        grown.labels.as_slice().iter().fold(String::new(), |text, label| text + &label.to_string() + "\n");
    assert_eq!(fs::read_to_string(testdata("string-families.txt")).unwrap(), families);
    let fit = clustered("string-distances.csv", &["-k", "2"]);
    assert_eq!(labels(&fit), grown.labels);
    assert!(fit["scales"][1].as_f64().unwrap() > 3.0 * fit["scales"][0].as_f64().unwrap());
}

#[test]
fn the_five_groups_of_the_graph_are_found() {
    let fit =
        clustered("similarity-graph.csv", &["--input", "edges", "--edge-values", "similarities", "-k", "5"]);
    assert_eq!(fit["sizes"], serde_json::json!([20, 20, 20, 20, 20]));
}

#[test]
fn a_few_known_labels_find_the_spiral() {
    let text = fs::read_to_string(testdata("partly-labelled.csv")).unwrap();
    let kinds: Vec<&str> = text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect();
    let common = ["--label-column", "kind", "-k", "2"];
    let known = testdata("partly-known.txt");
    let agreement = |more: &[&str]| {
        let fit = clustered("partly-labelled.csv", &[&common[..], more].concat());
        adjusted_rand_index(&labels(&fit), &Labels::new(&kinds)).unwrap()
    };
    assert!(agreement(&[]) < 0.3);
    assert!(agreement(&["--known-labels", known.to_str().unwrap()]) > 0.6);
}
