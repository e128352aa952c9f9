//! Models saved by one run and used by another.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn testdata(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    path.to_str().unwrap().to_owned()
}

fn similis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).current_dir(folder).args(arguments).output().unwrap()
}

/// Standard output of a run that must succeed.
fn answer(folder: &Path, arguments: &[&str]) -> String {
    let run = similis(folder, arguments);
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The message of a run that must end with exit code 2 and print nothing else.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let run = similis(folder, arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    assert!(run.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(run.stderr).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The probabilities of a CSV file, row after row.
fn probabilities(csv: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').skip(2).map(|field| field.parse().unwrap()).collect();
    csv.lines().skip(1).map(row).collect()
}

#[test]
fn a_saved_model_says_where_new_points_belong() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let data = testdata("two-scales.csv");
    let labels = answer(at, &["cluster", &data, "-k", "2", "--save-model", "m.similis", "-q"]);
    // Old points as new: each is at distance 0 of itself.
    let again = answer(at, &["predict", "m.similis", &data, "-q"]);
    let same = labels.lines().zip(again.lines()).filter(|(a, b)| a == b).count();
    assert!(same * 100 >= labels.lines().count() * 98, "{same}");
    let rows = probabilities(&answer(at, &["predict", "m.similis", &data, "--probabilities", "-q"]));
    for (row, label) in rows.iter().zip(again.lines()) {
        assert_eq!(row.len(), 2);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row[label.parse::<usize>().unwrap()] >= 0.5);
    }
    // A model read, and one written again, give the same bytes for any number of threads.
    let one = answer(at, &["predict", "m.similis", &data, "--probabilities", "-q", "--threads", "1"]);
    let two = answer(at, &["predict", "m.similis", &data, "--probabilities", "-q", "--threads", "2"]);
    assert_eq!(one, two);
    let summary = similis(at, &["predict", "m.similis", &data]);
    let summary = String::from_utf8(summary.stderr).unwrap();
    assert!(summary.contains("new items by points, model m.similis"), "{summary}");
}

#[test]
fn points_and_their_distances_get_the_same_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let place = |i: i32| (f64::from(i % 7) * 0.5 + 20.0 * f64::from(i % 2), f64::from(i * i % 11) * 0.3);
    let old: Vec<(f64, f64)> = (0..40).map(place).collect();
    let new = [(1.1, 1.0), (21.0, 2.0), (10.0, 1.0), (300.0, 5.0)];
    let csv = |points: &[(f64, f64)]| {
        points.iter().fold(String::new(), |text, (x, y)| text + &format!("{x},{y}\n"))
    };
    let distance = |a: &(f64, f64), b: &(f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
    let block = |rows: &[(f64, f64)]| {
        let row = |a: &(f64, f64)| {
            old.iter().map(|b| format!("{:?}", distance(a, b))).collect::<Vec<_>>().join(",") + "\n"
        };
        rows.iter().map(row).collect::<String>()
    };
    write(at, "old.csv", &csv(&old));
    write(at, "new.csv", &csv(&new));
    write(at, "matrix.csv", &block(&old));
    write(at, "block.csv", &block(&new));
    answer(at, &["cluster", "old.csv", "--input", "points", "-k", "2", "--save-model", "p.similis", "-q"]);
    answer(
        at,
        &["cluster", "matrix.csv", "--input", "distances", "-k", "2", "--save-model", "d.similis", "-q"],
    );
    let of = |arguments: &[&str]| {
        probabilities(&answer(at, &[&["predict"], arguments, &["--probabilities", "-q"]].concat()))
    };
    let by_points = of(&["p.similis", "new.csv"]);
    for other in [of(&["d.similis", "block.csv"]), of(&["p.similis", "block.csv", "--input", "distances"])] {
        for (a, b) in by_points.iter().flatten().zip(other.iter().flatten()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
    let message = refusal(at, &["predict", "d.similis", "new.csv", "--input", "points"]);
    assert!(message.contains("made of distances and has no points"), "{message}");
    let message = refusal(at, &["predict", "d.similis", "new.csv"]);
    assert!(message.contains("4 rows of 40 numbers, got 8 numbers"), "{message}");
}

#[test]
fn columns_are_found_by_name_and_standardised_as_the_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let row = |i: i32| format!("{},{},{}\n", i, i % 6 + 100 * (i % 2), 1000 * (i % 5));
    let rows: String = (0..30).map(row).collect();
    write(
        at,
        "old.csv",
        &format!("name,a,b\n{}", rows.replace('\n', "\nx").trim_end_matches('x').replace("\nx", "\n")),
    );
    let arguments = ["cluster", "old.csv", "--columns", "a,b", "--standardise", "-k", "2", "-q"];
    answer(at, &[&arguments[..], &["--save-model", "m.similis"]].concat());
    // The same point under a header in another order, with a column more, and without a header.
    write(at, "named.csv", "b,word,a\n2000,w,3\n2000,w,103\n");
    write(at, "bare.csv", "3,2000\n103,2000\n");
    let by_name = answer(at, &["predict", "m.similis", "named.csv", "--probabilities", "-q"]);
    assert_eq!(by_name, answer(at, &["predict", "m.similis", "bare.csv", "--probabilities", "-q"]));
    let labels = answer(at, &["predict", "m.similis", "named.csv", "-q"]);
    assert_eq!(labels, "0\n1\n");
    // The names of items come back.
    write(at, "ids.csv", "who,a,b\nann,3,2000\nbob,103,2000\n");
    let arguments = ["predict", "m.similis", "ids.csv", "--id-column", "who", "-q", "-o", "-"];
    let named = answer(at, &[&arguments[..], &["--output-format", "csv"]].concat());
    assert_eq!(named, "id,label\nann,0\nbob,1\n");
    write(at, "other.csv", "c,d\n3,2000\n103,2000\n");
    let message = refusal(at, &["predict", "m.similis", "other.csv"]);
    assert!(message.contains("\"a, b\", got \"c, d\""), "{message}");
    assert_eq!(answer(at, &["predict", "m.similis", "other.csv", "--columns", "c,d", "-q"]), labels);
    write(at, "wide.csv", "1,2,3\n");
    let message = refusal(at, &["predict", "m.similis", "wide.csv"]);
    assert!(message.contains("as many columns as those of the model, 2, got 3"), "{message}");
}

#[test]
fn every_output_of_a_prediction_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let data = testdata("two-scales.csv");
    answer(at, &["cluster", &data, "-k", "2", "--save-model", "m.similis.gz", "-q", "-o", "l.txt"]);
    let plain = answer(at, &["predict", "m.similis.gz", &data, "-q"]);
    let labels: Vec<&str> = plain.lines().collect();
    answer(at, &["predict", "m.similis.gz", &data, "-q", "-o", "p.csv", "--probabilities"]);
    let csv = fs::read_to_string(at.join("p.csv")).unwrap();
    assert!(csv.starts_with("index,label,p0,p1\n0,"), "{csv}");
    assert!(csv.lines().skip(1).zip(&labels).all(|(line, label)| line.split(',').nth(1) == Some(label)));
    answer(at, &["predict", "m.similis.gz", &data, "-q", "-o", "p.json", "--probabilities"]);
    let json: Value = serde_json::from_str(&fs::read_to_string(at.join("p.json")).unwrap()).unwrap();
    assert_eq!(json["labels"].as_array().unwrap().len(), labels.len());
    let first: Vec<f64> =
        json["probabilities"][0].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    assert_eq!(first, probabilities(&csv)[0]);
    assert!(json["log_density"][0].is_number());
    let message = refusal(at, &["predict", "m.similis.gz", &data, "-o", "p.txt", "--probabilities"]);
    assert!(message.contains("holds labels alone"), "{message}");
    let message =
        refusal(at, &["predict", "m.similis.gz", &data, "-o", "m.similis.gz", "--output-format", "txt"]);
    assert!(message.contains("would be written over"), "{message}");
}

#[test]
fn memberships_come_with_the_labels() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    answer(at, &["generate", "two-rings", "--n-points", "300", "--seed", "1", "-o", "rings.csv", "-q"]);
    let arguments =
        ["cluster", "rings.csv", "--columns", "1-2", "-k", "2", "-q", "--probabilities", "-o", "l.csv"];
    answer(at, &arguments);
    let csv = fs::read_to_string(at.join("l.csv")).unwrap();
    assert!(csv.starts_with("index,label,p0,p1\n"), "{csv}");
    let agree = |line: &&str| {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        fields[2 + fields[1] as usize] > 0.5
    };
    assert!(csv.lines().skip(1).filter(agree).count() >= 291);
}

#[test]
fn files_that_are_no_models_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let data = testdata("two-scales.csv");
    let message = refusal(at, &["predict", &data, &data]);
    assert!(message.contains("must be a model that similis wrote"), "{message}");
    let message = refusal(at, &["predict", "none.similis", &data]);
    assert!(message.contains("must be an existing file"), "{message}");
    let message = refusal(at, &["cluster", &data, "-k", "2", "--save-model", "nowhere/m.similis"]);
    assert!(message.contains("nowhere"), "{message}");
    let similar = testdata("similarity-graph.csv");
    let arguments = ["cluster", &similar, "--input", "edges", "--edge-values", "similarities", "-k", "2"];
    let message = refusal(at, &[&arguments[..], &["--save-model", "m.similis"]].concat());
    assert!(message.contains("prediction needs distances"), "{message}");
    assert!(!at.join("m.similis").exists());
}
