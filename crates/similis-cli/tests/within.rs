//! A part is clustered again: the rest keeps its labels, and the part has those of a fit of its own.

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
fn answer(folder: &Path, arguments: &[&str]) -> Vec<i64> {
    let run = similis(folder, arguments);
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

/// The message of a run that must end with exit code 2.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let run = similis(folder, arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(run.stderr).unwrap()
}

/// Writes 90 points in three clouds, the last of which is two, by name.
fn write(folder: &Path) {
    let mut text = "name,x,y\n".to_owned();
    for i in 0..90 {
        let (x, y) = (f64::from(i * 37 % 19) / 9.0, f64::from(i * 53 % 23) / 11.0);
        let [right, up] = [[0.0, 0.0], [40.0, 0.0], [0.0, 40.0 + f64::from(i / 3 % 2) * 6.0]][i as usize % 3];
        let _ = writeln!(text, "p{i},{},{}", x + right, y + up);
    }
    fs::write(folder.join("points.csv"), text).unwrap();
}

#[test]
fn the_rest_keeps_its_labels_and_the_part_has_those_of_a_fit_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at);
    let input = ["cluster", "points.csv", "--id-column", "name", "-q"];
    let cluster = |more: &[&str]| answer(at, &[&input, more].concat());
    let before = cluster(&["-k", "3", "--output", "before.csv"]);
    assert!(before.is_empty());
    let before = cluster(&["-k", "3"]);
    assert_eq!(before[..3], [0, 1, 2]);
    for file in ["before.csv", "before.txt"] {
        let lines: Vec<String> = before.iter().map(i64::to_string).collect();
        fs::write(at.join("before.txt"), lines.join("\n")).unwrap();
        for part in [2, 0] {
            let within = part.to_string();
            let after = cluster(&["-k", "2", "--within", &within, "--labels", file]);
            let inside = |i: &usize| before[*i] == part;
            assert!((0..90).filter(|i| !inside(i)).all(|i| after[i] == before[i]), "{after:?}");
            let own: Vec<i64> = (0..90).filter(inside).map(|i| after[i]).collect();
            // The first of the new clusters takes the number that is free, the other the next.
            assert_eq!(own[0], part);
            assert!(own.contains(&3) && own.iter().all(|label| [part, 3].contains(label)));
            let rows = fs::read_to_string(at.join("points.csv")).unwrap();
            let kept = rows.lines().enumerate().filter(|(row, _)| *row == 0 || inside(&(row - 1)));
            let kept: Vec<&str> = kept.map(|(_, line)| line).collect();
            fs::write(at.join("part.csv"), kept.join("\n")).unwrap();
            let alone = answer(at, &["cluster", "part.csv", "--id-column", "name", "-k", "2", "-q"]);
            let renamed: Vec<i64> = alone.iter().map(|label| if *label == 0 { part } else { 3 }).collect();
            assert_eq!(own, renamed);
        }
    }
}

#[test]
fn outputs_hold_all_items_and_the_summary_is_of_the_part() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at);
    answer(at, &["cluster", "points.csv", "--id-column", "name", "-k", "3", "-q", "--output", "before.csv"]);
    let again = ["cluster", "points.csv", "--id-column", "name", "--labels", "before.csv", "--within"];
    let run = similis(
        at,
        &[&again[..], &["0,1", "-k", "1", "--output", "after.json", "--plot", "part.svg"]].concat(),
    );
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && told.contains("60 of 90 items are clustered again"), "{told}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(at.join("after.json")).unwrap()).unwrap();
    assert_eq!((json["labels"].as_array().unwrap().len(), json["n_points"].as_u64()), (90, Some(60)));
    assert_eq!(json["within"], serde_json::json!([0, 1]));
    let labels: Vec<i64> =
        json["labels"].as_array().unwrap().iter().map(|label| label.as_i64().unwrap()).collect();
    assert!(labels.chunks(3).all(|three| three == [0, 0, 2]), "{labels:?}");
    answer(at, &[&again[..], &["2", "-k", "2", "-q", "--output", "after.csv"]].concat());
    let table = fs::read_to_string(at.join("after.csv")).unwrap();
    assert!(table.starts_with("name,label\np0,0\np1,1\np2,2\n") && table.lines().count() == 91, "{table}");
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at);
    fs::write(at.join("before.txt"), "0\n1\n2\n".repeat(30)).unwrap();
    let input = ["cluster", "points.csv", "--id-column", "name"];
    let told = |more: &[&str]| refusal(at, &[&input, more].concat());
    assert!(
        told(&["--within", "7", "--labels", "before.txt"]).contains("no item of before.txt has such a label")
    );
    assert!(told(&["--within", "1"]).contains("--labels"));
    assert!(told(&["--labels", "before.txt"]).contains("--within"));
    assert!(told(&["--within", "1", "--labels", "before.txt", "--save-model", "m"]).contains("--save-model"));
    let over = told(&["--within", "1", "--labels", "before.txt", "--output", "before.txt"]);
    assert!(over.contains("before.txt"), "{over}");
}
