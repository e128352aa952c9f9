//! The same data gives the same answer whatever file it comes in.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use clap::ValueEnum;
use serde_json::Value;
use similis::Metric;
use similis::settings::Named;
use similis_cli::io::Format;
use tempfile::TempDir;

fn similis(folder: &TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let run = command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
    run
}

fn labels(folder: &TempDir, arguments: &str) -> String {
    String::from_utf8(similis(folder, &format!("cluster {arguments} -q")).stdout).unwrap()
}

/// The formats that this build writes.
fn formats() -> impl Iterator<Item = Format> {
    let built =
        |format: &Format| cfg!(feature = "parquet") || !matches!(format, Format::Parquet | Format::Arrow);
    Format::value_variants().iter().copied().filter(built)
}

#[test]
fn points_have_the_same_labels_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    similis(&folder, "generate dense-ring -n 120 --no-labels -q -o points.csv");
    let expected = labels(&folder, "points.csv -k 2");
    for format in formats().filter(|format| *format != Format::Phylip) {
        for packed in ["", ".gz"] {
            similis(&folder, &format!("convert points.csv there.{format}{packed}"));
            assert_eq!(
                labels(&folder, &format!("there.{format}{packed} -k 2")),
                expected,
                "{format}{packed}"
            );
        }
    }
}

#[test]
fn matrices_and_pairs_have_the_same_labels_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    similis(&folder, "generate dense-ring -n 60 --no-labels -q -o points.csv");
    let expected = labels(&folder, "points.csv -k 2");
    for format in formats() {
        similis(&folder, &format!("convert points.csv there.{format} --to matrix"));
        assert_eq!(labels(&folder, &format!("there.{format} -k 2 --input distances")), expected, "{format}");
    }
    similis(&folder, "convert points.csv edges.csv --to edges");
    let edges = labels(&folder, "edges.csv --input edges --edge-values distances -k 2");
    for format in formats().filter(|format| *format != Format::Phylip) {
        similis(&folder, &format!("convert points.csv there.{format} --to edges"));
        let read = match format {
            Format::Npz | Format::Mtx => "--input distances",
            _ => "--input edges --edge-values distances",
        };
        assert_eq!(labels(&folder, &format!("there.{format} {read} -k 2")), edges, "{format}");
    }
}

#[test]
fn names_and_classes_come_through_every_format_that_has_room_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["Lee, A", "#O'Neil", "\"X\"", "Ünal", "e f", "-1"];
    let mut text = "who,x,y,kind\n".to_owned();
    for (i, name) in names.iter().enumerate() {
        writeln!(text, "\"{}\",{},{},{}", name.replace('"', "\"\""), i * i, i, ["u", "v"][i / 3]).unwrap();
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    let fit = |arguments: &str| -> Value {
        similis(&folder, &format!("cluster {arguments} -k 2 -q -o fit.json"));
        serde_json::from_str(&fs::read_to_string(folder.path().join("fit.json")).unwrap()).unwrap()
    };
    let whole = fit("people.csv --id-column who --label-column kind");
    assert_eq!(whole["ids"], serde_json::json!(names));
    for format in
        formats().filter(|format| !matches!(format, Format::Npy | Format::Npz | Format::Mtx | Format::Phylip))
    {
        similis(&folder, &format!("convert people.csv there.{format} --id-column who --label-column kind"));
        let there = fit(&format!("there.{format} --id-column id --label-column label"));
        for key in ["ids", "labels", "agreement"] {
            assert_eq!(there[key], whole[key], "{format} {key}");
        }
    }
}

#[test]
fn labels_of_text_are_read_from_every_format_with_columns() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = ["u", "v"];
    let row = |i: usize| format!("{},{},{}\n", ["p", "q", "r", "s", "t", "w"][i], i * i, kinds[i % 2]);
    let text = "who,x,kind\n".to_owned() + &(0..6).map(row).collect::<String>();
    fs::write(folder.path().join("people.csv"), text).unwrap();
    // Their order does not matter where both have names, and a field may be empty.
    let other = "who,x,kind\nw,0,v\nq,1,v\np,2,u\ns,3,v\nr,4,\nt,5,u\n";
    fs::write(folder.path().join("other.csv"), other).unwrap();
    for format in
        formats().filter(|format| !matches!(format, Format::Npy | Format::Npz | Format::Mtx | Format::Phylip))
    {
        similis(&folder, &format!("convert other.csv kinds.{format} --id-column who --label-column kind"));
        let known = format!("--id-column who --columns x --known-labels kinds.{format}");
        similis(&folder, &format!("cluster people.csv {known} -k 2 -q -o labels.txt"));
        let labels = fs::read_to_string(folder.path().join("labels.txt")).unwrap();
        let free = ["0", "1"].map(|r| format!("0\n1\n{r}\n1\n0\n1\n"));
        assert!(free.contains(&labels), "{format}: {labels}");
    }
}

/// 48 points in four coarse columns: two groups, some values shared, none of them constant or beyond a pole.
fn coarse_points() -> String {
    let mut text = "a,b,c,d\n".to_owned();
    for i in 0..48u64 {
        let random = |k: u64| (i * 4 + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let shift = if i < 24 { 0 } else { 3 };
        let value = |k: u64| (random(k) % 5 + shift * (k + 1) % 7) as f64 / 8.0 + (k as f64 + 1.0) / 16.0;
        writeln!(text, "{},{},{},{}", value(0), value(1), value(2), value(3)).unwrap();
    }
    text
}

#[test]
fn points_and_their_distances_have_the_same_labels_and_joint_under_every_metric() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), coarse_points()).unwrap();
    let fit = |arguments: &str| -> Value {
        similis(&folder, &format!("cluster {arguments} -k 2 -q -o fit.json"));
        serde_json::from_str(&fs::read_to_string(folder.path().join("fit.json")).unwrap()).unwrap()
    };
    for &(name, _) in Metric::VALUES {
        let columns = if name == "haversine" { "--columns a,b" } else { "" };
        let metric = format!("{columns} --metric {}", name.replace('_', "-"));
        similis(&folder, &format!("convert points.csv distances.npy --to matrix {metric}"));
        for model in ["latent-graph", "latent-feature"] {
            let points = fit(&format!("points.csv {metric} --model {model}"));
            let distances = fit(&format!("distances.npy --input distances --model {model}"));
            assert_eq!(points["labels"], distances["labels"], "{name} {model}");
            let [a, b] = [&points, &distances].map(|fit| fit["log_joint"].as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{name} {model}: {a} {b}");
        }
    }
}
