//! What is written beside the labels, levels and outlier scores; weights, and bounds on sizes.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Four groups of 20 points on a line, two of which are near each other; the last point is far out.
fn points() -> String {
    let mut text = "x,y,n\n".to_owned();
    for i in 0..80u32 {
        let group = [0.0, 60.0, 300.0, 370.0][(i / 20) as usize];
        let (x, y) = (group + f64::from(i * 37 % 20), f64::from(i * 13 % 7));
        writeln!(text, "{x},{y},{}", 1 + i % 3).unwrap();
    }
    text + "2000,0,1\n"
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), points()).unwrap();
    folder
}

fn run(folder: &TempDir, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.args(line.split_whitespace()).current_dir(folder).output().unwrap()
}

fn succeeds(folder: &TempDir, line: &str) {
    let found = run(folder, line);
    assert_eq!(found.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&found.stderr));
}

fn refused(folder: &TempDir, line: &str) -> String {
    let found = run(folder, line);
    assert_eq!(found.status.code(), Some(2), "{line}");
    String::from_utf8(found.stderr).unwrap()
}

/// The columns of a CSV file, by name.
fn columns(folder: &TempDir, name: &str) -> BTreeMap<String, Vec<f64>> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in lines {
        for (name, field) in names.iter().zip(line.split(',')) {
            columns.entry((*name).to_owned()).or_default().push(field.parse().unwrap());
        }
    }
    columns
}

fn n_different(labels: &[f64]) -> usize {
    labels.iter().map(|label| *label as i64).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn levels_are_columns_and_entries_of_json() {
    let folder = folder();
    succeeds(&folder, "cluster points.csv --columns x,y -k 4 --levels 2,4-6 --output levels.csv");
    let found = columns(&folder, "levels.csv");
    for n in [2, 4, 5, 6] {
        assert_eq!(n_different(&found[&format!("level_{n}")]), n);
    }
    assert_eq!(found["level_4"], found["label"]);
    succeeds(&folder, "cluster points.csv --columns x,y -k 4 --levels 2,6 --output levels.json");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("levels.json")).unwrap()).unwrap();
    assert_eq!(json["levels"][0]["n_clusters"], 2);
    assert_eq!(json["levels"][1]["labels"].as_array().unwrap().len(), 81);
    assert_eq!(json["tree"].as_array().unwrap().len(), 5);
    assert_eq!(json["tree"][4]["n_points"], 81);
    let own: Vec<f64> =
        json["levels"][0]["labels"].as_array().unwrap().iter().map(|label| label.as_f64().unwrap()).collect();
    assert_eq!(own, found["level_2"]);
}

#[test]
fn outlier_scores_are_columns_and_entries_of_json() {
    let folder = folder();
    succeeds(&folder, "cluster points.csv --columns x,y -k 4 --scores --output scores.csv");
    let found = columns(&folder, "scores.csv");
    let scores = &found["outlier_score"];
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    assert!(scores[80] > 0.99, "{}", scores[80]);
    assert!(scores.iter().filter(|&&score| score == 0.0).count() >= 40);
    succeeds(&folder, "cluster points.csv --columns x,y -k 4 --scores --output scores.json");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("scores.json")).unwrap()).unwrap();
    assert_eq!(json["outlier_scores"].as_array().unwrap().len(), 81);
    assert_eq!(json["log_density"][3].as_f64().unwrap(), found["log_density"][3]);
}

#[test]
fn pictures_of_levels_outliers_and_peaks_are_drawn() {
    let folder = folder();
    for kind in ["levels", "outliers", "peaks"] {
        succeeds(
            &folder,
            &format!("cluster points.csv --columns x,y -k 4 -q -o l.txt --plot p.svg --plot-kind {kind}"),
        );
        let svg = fs::read_to_string(folder.path().join("p.svg")).unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{kind}");
    }
}

#[test]
fn weights_are_those_of_copies_of_the_rows() {
    let folder = folder();
    succeeds(&folder, "cluster points.csv --weight-column n --output weighted.csv");
    let mut copies = "x,y\n".to_owned();
    let mut of = Vec::new();
    for (row, line) in points().lines().skip(1).enumerate() {
        let (place, n) = line.rsplit_once(',').unwrap();
        for _ in 0..n.parse::<usize>().unwrap() {
            writeln!(copies, "{place}").unwrap();
            of.push(row);
        }
    }
    fs::write(folder.path().join("copies.csv"), copies).unwrap();
    succeeds(&folder, "cluster copies.csv --output copied.csv");
    let (weighted, copied) = (columns(&folder, "weighted.csv"), columns(&folder, "copied.csv"));
    assert_eq!(weighted["label"].len(), 81);
    let expected: Vec<f64> = of.iter().map(|&row| weighted["label"][row]).collect();
    assert_eq!(copied["label"], expected);
    assert!(refused(&folder, "cluster points.csv --weight-column nobody").contains("nobody"));
    fs::write(folder.path().join("bad.csv"), "x,n\n1,2\n2,-1\n3,1\n").unwrap();
    let words = refused(&folder, "cluster bad.csv --weight-column n");
    assert!(words.contains("got -1 in row 1"), "{words}");
    let edges = "a,b,1\nb,c,2\n";
    fs::write(folder.path().join("edges.csv"), edges).unwrap();
    let words = refused(&folder, "cluster edges.csv --input edges --edge-values distances --weight-column 3");
    assert!(words.contains("--weight-column"), "{words}");
}

#[test]
fn sizes_are_kept_and_what_has_no_room_is_refused() {
    let folder = folder();
    for model in ["latent-graph", "latent-feature"] {
        let line = format!(
            "cluster points.csv --columns x,y -k 3 --min-size 20 --max-size 40 --model {model} -o s.csv"
        );
        succeeds(&folder, &line);
        let mut sizes = BTreeMap::new();
        for label in &columns(&folder, "s.csv")["label"] {
            *sizes.entry(*label as i64).or_insert(0usize) += 1;
        }
        assert!(
            sizes.len() == 3 && sizes.values().all(|size| (20..=40).contains(size)),
            "{model}: {sizes:?}"
        );
    }
    let words = refused(&folder, "cluster points.csv --columns x,y --min-size 50 --max-size 10");
    assert!(words.contains("--min-size 50 and --max-size 10"), "{words}");
    for (line, flag) in [("--levels 2,3", "--levels"), ("--scores", "--scores")] {
        let words = refused(&folder, &format!("cluster points.csv --columns x,y -k 2 {line} -o labels.txt"));
        assert!(words.contains(flag) && words.contains(".csv"), "{words}");
    }
    assert!(refused(&folder, "cluster points.csv --columns x,y --levels 0,2").contains("from 1"));
    assert!(
        refused(&folder, "cluster points.csv --columns x,y --levels 200 -o l.csv").contains("levels of 1 to")
    );
}

#[test]
fn mixed_columns_are_measured_by_gower() {
    let folder = folder();
    let mut text = "name,age,town,score\n".to_owned();
    for i in 0..40 {
        let (age, town) = if i < 20 { (20 + i % 7, "Ulm") } else { (60 + i % 7, "Bonn") };
        let age = if i == 5 { "NA".to_owned() } else { age.to_string() };
        // A column whose text comes late is categories from its first row on.
        let score = if i == 30 { "none".to_owned() } else { (i / 20).to_string() };
        writeln!(text, "p{i},{age},{town},{score}").unwrap();
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    succeeds(&folder, "cluster people.csv --metric gower --id-column name -k 2 -o people.json");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("people.json")).unwrap()).unwrap();
    let labels: Vec<i64> =
        json["labels"].as_array().unwrap().iter().map(|label| label.as_i64().unwrap()).collect();
    assert_eq!(labels, (0..40).map(|i| i / 20).collect::<Vec<i64>>());
    let said = json["warnings"].to_string();
    assert!(said.contains("1 columns of numbers, 2 of categories"), "{said}");
    assert!(refused(&folder, "cluster people.csv --metric gower --standardise").contains("--standardise"));
    assert!(refused(&folder, "cluster people.csv --id-column name").contains("Ulm"));
}
