//! Sparse points from files: the answers of the same table with all its zeros.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn similis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).current_dir(folder).args(arguments).output().unwrap()
}

/// Standard output of a run that must succeed.
fn answer(folder: &Path, arguments: &[&str]) -> String {
    let run = similis(folder, arguments);
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The message of a run that must end with exit code 2.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let run = similis(folder, arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(run.stderr).unwrap()
}

/// Writes 60 rows of 40 columns, three kinds of rows in turn, as `dense.csv` and `sparse.mtx`.
fn write(folder: &Path) {
    let value = |i: usize, k: usize| match k {
        _ if k / 12 == i % 3 && (i + k) % 4 < 2 => (1 + (i * k) % 5) as f64,
        38.. => 1.0,
        _ => 0.0,
    };
    let (mut dense, mut entries, mut n_entries) = (String::new(), String::new(), 0);
    for i in 0..60 {
        let row: Vec<String> = (0..40).map(|k| value(i, k).to_string()).collect();
        let _ = writeln!(dense, "{}", row.join(","));
        for k in (0..40).filter(|&k| value(i, k) != 0.0) {
            n_entries += 1;
            let _ = writeln!(entries, "{} {} {}", i + 1, k + 1, value(i, k));
        }
    }
    fs::write(folder.join("dense.csv"), dense).unwrap();
    let head = "%%MatrixMarket matrix coordinate real general\n60 40";
    fs::write(folder.join("sparse.mtx"), format!("{head} {n_entries}\n{entries}")).unwrap();
}

#[test]
fn sparse_points_have_the_labels_models_and_predictions_of_the_dense_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at);
    for metric in ["cosine", "euclidean", "squared-euclidean", "manhattan"] {
        let cluster = |file: &str| {
            let saved = format!("{file}.similis");
            let arguments =
                ["--input", "points", "--metric", metric, "-k", "3", "--save-model", &saved, "-q"];
            answer(at, &[&["cluster", file], &arguments[..]].concat())
        };
        let (dense, sparse) = (cluster("dense.csv"), cluster("sparse.mtx"));
        assert_eq!(sparse, dense, "{metric}");
        assert!(sparse.lines().any(|label| label == "2"), "{sparse}");
        let predict = |model: &str, file: &str| {
            answer(at, &["predict", &format!("{model}.similis"), file, "--probabilities", "-q"])
        };
        let expected = predict("dense.csv", "dense.csv");
        for model in ["dense.csv", "sparse.mtx"] {
            assert_eq!(predict(model, "dense.csv"), expected, "{metric}, {model}");
            assert_eq!(predict(model, "sparse.mtx"), expected, "{metric}, {model}");
        }
    }
}

#[test]
fn summary_json_and_pictures_say_what_sparse_points_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at);
    let arguments = ["cluster", "sparse.mtx", "--input", "points", "--metric", "cosine", "-k", "3"];
    let run = similis(
        at,
        &[&arguments[..], &["--plot", "a.svg", "--report", "a.html", "--output", "a.json"]].concat(),
    );
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && told.contains("60 points in 40 columns"), "{told}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(at.join("a.json")).unwrap()).unwrap();
    assert_eq!(
        (json["input"]["metric"].as_str(), json["input"]["n_columns"].as_u64()),
        (Some("cosine"), Some(40))
    );
    assert!(fs::read_to_string(at.join("a.svg")).unwrap().starts_with("<svg"));
    let within = [&arguments[..], &["--memory-limit", "1KB"]].concat();
    assert!(refusal(at, &within).contains("memory"), "{}", refusal(at, &within));
}

#[test]
fn a_row_of_zeros_has_no_direction_and_a_coordinate_stands_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let head = "%%MatrixMarket matrix coordinate real general\n";
    fs::write(at.join("zero.mtx"), format!("{head}3 20 2\n1 1 1\n3 2 1\n")).unwrap();
    let cosine = ["--input", "points", "--metric", "cosine", "-k", "2"];
    let told = refusal(at, &[&["cluster", "zero.mtx"], &cosine[..]].concat());
    assert!(told.contains("row 2 has no direction"), "{told}");
    fs::write(at.join("twice.mtx"), format!("{head}3 20 4\n1 1 1\n1 1 2\n2 3 1\n3 2 1\n")).unwrap();
    let told = refusal(at, &[&["cluster", "twice.mtx"], &cosine[..]].concat());
    assert!(told.contains("twice"), "{told}");
}
