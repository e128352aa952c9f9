//! Answers that must not change unnoticed: `testdata/golden/*.json`. `make bless` rewrites them; look at the diff.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The name of the golden file and the arguments behind `similis cluster`, the input first.
const CASES: &[(&str, &[&str])] = &[
    ("auto", &["two-scales.csv", "--n-clusters", "2"]),
    ("auto-distances", &["rings-distances.csv", "--n-clusters", "2"]),
    ("latent-feature", &["two-scales.csv", "--n-clusters", "2", "--model", "latent-feature"]),
    ("latent-feature-joint", &["two-scales.csv", "--n-clusters", "3", "--feature-inference", "joint"]),
    ("latent-feature-gaussian", &["rings-distances.csv", "--n-clusters", "2", "--affinity", "gaussian"]),
    ("latent-graph", &["two-scales.csv", "--n-clusters", "2", "--inference", "paper", "--n-restarts", "3"]),
    ("latent-graph-paper", &["thirty-points.csv", "--n-clusters", "3", "--preset", "paper"]),
];

/// What is compared: labels to the letter, the joint to 1e-7 of its size (eigenvectors are found to 1e-8).
const KEPT: &[&str] = &["labels", "log_joint", "n_clusters", "scales", "settings"];

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn answer(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.arg("cluster").arg(testdata().join(arguments[0])).args(&arguments[1..]);
    let run = command.args(["--quiet", "--output"]).arg(&path).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let fit: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let kept = KEPT.iter().filter_map(|&key| Some((key.to_owned(), fit.get(key)?.clone())));
    Value::Object(kept.collect())
}

/// Whether two answers agree: numbers that are not whole to 1e-7 of their size, all else to the letter.
fn agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-7 * a.abs().max(1e-6)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| agree(a, b)))
        }
        _ => one == other,
    }
}

#[test]
fn golden_answers_have_not_changed() {
    let bless = std::env::var_os("SIMILIS_BLESS").is_some();
    for (name, arguments) in CASES {
        let path = testdata().join("golden").join(format!("{name}.json"));
        let fit = answer(arguments);
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, serde_json::to_string(&fit).unwrap() + "\n").unwrap();
        }
        let golden: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(agree(&fit, &golden), "{name} has changed: run `make bless` and look at the diff");
    }
}
