//! `similis score`, as a user meets it.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn score(labels: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.arg("score").arg(testdata("two-scales.csv")).arg("--labels").arg(labels);
    command.args(arguments).output().unwrap()
}

fn scored(labels: &Path, arguments: &[&str]) -> serde_json::Value {
    let run = score(labels, &[&["--json", "--quiet"][..], arguments].concat());
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

/// The true labels, and others in which a part of each cluster goes to the other.
fn partitions(folder: &Path) -> [PathBuf; 2] {
    let truth = testdata("two-scales-labels.txt");
    let text = fs::read_to_string(&truth).unwrap();
    let mixed: Vec<String> = text
        .lines()
        .enumerate()
        .map(
            |(i, label)| {
                if i % 5 == 0 { (1 - label.parse::<i32>().unwrap()).to_string() } else { label.to_owned() }
            },
        )
        .collect();
    let other = folder.join("mixed.txt");
    fs::write(&other, mixed.join("\n")).unwrap();
    [truth, other]
}

#[test]
fn the_true_partition_scores_above_a_mixed_one_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let [truth, mixed] = partitions(folder.path());
    for arguments in [&[][..], &["--score", "all-trees"], &["--scales", "per-class"], &["--shape", "1"]] {
        let (good, bad) = (scored(&truth, arguments), scored(&mixed, arguments));
        for term in ["score", "log_joint", "staying_probability"] {
            assert!(good[term].as_f64() > bad[term].as_f64(), "{arguments:?} {term}");
        }
    }
}

#[test]
fn terms_add_up_to_the_score_and_classes_to_their_terms() {
    let json = scored(&testdata("two-scales-labels.txt"), &["--scales", "per-class"]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let parts = &json["score_parts"];
    let sum = number(&parts["prior"]) + number(&parts["evidence"]) + number(&parts["walk"]);
    assert!((number(&json["score"]) - sum).abs() < 1e-9);
    let classes = json["classes"].as_array().unwrap();
    for term in ["prior", "evidence"] {
        let sum: f64 = classes.iter().map(|class| number(&class[term])).sum();
        assert!((number(&parts[term]) - sum).abs() < 1e-9, "{term}");
    }
    assert_eq!(classes.iter().map(|class| class["size"].as_u64().unwrap()).sum::<u64>(), 400);
}

#[test]
fn the_table_has_a_line_for_each_class_and_threads_change_no_byte() {
    let truth = testdata("two-scales-labels.txt");
    let text = |threads: &str| String::from_utf8(score(&truth, &["--threads", threads]).stdout).unwrap();
    let table = text("1");
    assert_eq!(table, text("3"));
    assert!(table.starts_with("score ") && table.contains("log joint"));
    let at = table.lines().position(|line| line.trim_start().starts_with("class")).unwrap();
    assert_eq!(table.lines().count() - at - 1, 2, "{table}");
}

#[test]
fn bad_partitions_and_settings_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [truth, _] = partitions(folder.path());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let short = file("short.txt", "0\n1\n");
    let unknown = file("unknown.txt", &("0\n".repeat(399) + "-1\n"));
    let fraction = file("fraction.txt", "0.5\n");
    let cases: [(&Path, &[&str], &str); 6] = [
        (&short, &[], "short.txt: a partition has one label for each of the 400 points, got 2"),
        (&unknown, &[], "unknown.txt: row 400: every point needs a label"),
        (&fraction, &[], "fraction.txt: row 1"),
        (Path::new("nowhere.txt"), &[], "nowhere.txt"),
        (&truth, &["--walk-weight", "-1"], "--walk-weight must be a finite number of at least 0, got -1"),
        (&truth, &["--shape", "0"], "shape must be a finite number above 0, got 0"),
    ];
    for (labels, arguments, expected) in cases {
        let run = score(labels, arguments);
        let message = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{message}");
        assert!(run.stdout.is_empty() && message.contains(expected), "{message}");
    }
}

#[test]
fn the_scales_are_those_of_the_fit_whose_log_joint_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.arg("cluster").arg(testdata("two-scales.csv")).args(["--n-clusters", "2", "--quiet", "--output"]);
    assert!(command.arg(&path).output().unwrap().status.success());
    let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let labels = folder.path().join("labels.txt");
    let lines: Vec<String> = fit["labels"].as_array().unwrap().iter().map(ToString::to_string).collect();
    fs::write(&labels, lines.join("\n")).unwrap();
    let scored = scored(&labels, &[]);
    let alike = |one: &serde_json::Value, other: &serde_json::Value| {
        let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
        assert!((one - other).abs() <= 1e-9 * one.abs(), "{one} and {other}");
    };
    alike(&scored["log_joint"], &fit["log_joint"]);
    for class in 0..2 {
        alike(&scored["classes"][class]["scale"], &fit["scales"][class]);
    }
}
