//! Files of released versions are read for ever: `testdata/versions` has a folder for each, which never changes.
//!
//! `tests/schemas.py` made them, and checks that they fit today's schemas.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn similis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).args(arguments).output().unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(
        &fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    )
    .unwrap()
}

/// The stored models, each with the prediction that its version made with it.
fn models() -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    for version in fs::read_dir(testdata().join("versions")).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(&version).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if let Some(kind) = name.strip_prefix("model-").and_then(|name| name.strip_suffix(".similis")) {
                let prediction = read(&version.join(format!("prediction-{kind}.json")));
                found.push((path, prediction));
            }
        }
    }
    found
}

/// Whether two predictions are the same: numbers to 1e-9, which other processors may round otherwise.
fn agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b)),
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(1.0)
        }
        _ => one == other,
    }
}

#[test]
fn models_of_every_version_predict_what_they_predicted_then() {
    let models = models();
    assert!(models.len() >= 4, "{}", models.len());
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("now.json");
    for (model, then) in models {
        let input = testdata().join("..").join(then["input"].as_str().unwrap());
        let arguments =
            ["predict", model.to_str().unwrap(), input.to_str().unwrap(), "--probabilities", "-q", "-o"];
        let run = similis(&[&arguments[..], &[output.to_str().unwrap()]].concat());
        assert!(run.status.success(), "{}: {}", model.display(), String::from_utf8_lossy(&run.stderr));
        let now = read(&output);
        for key in ["labels", "log_density", "probabilities", "n_clusters"] {
            let is_kept = then.get(key).is_none_or(|stored| agree(stored, &now[key]));
            assert!(is_kept, "{}: {key} is not what it was", model.display());
        }
    }
}

#[test]
fn this_version_has_stored_files() {
    let folder = testdata().join("versions").join(env!("CARGO_PKG_VERSION"));
    assert!(folder.exists(), "{}: run `make store-version`", folder.display());
}

#[test]
fn schemas_are_listed_and_printed_and_others_refused() {
    let listed = String::from_utf8(similis(&["schema"]).stdout).unwrap();
    let names: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(names.contains(&"answer") && names.contains(&"model"), "{listed}");
    for name in names {
        let printed = similis(&["schema", name]).stdout;
        let schema: Value = serde_json::from_slice(&printed).unwrap();
        assert_eq!(schema["$id"], format!("urn:similis:schema:{name}"));
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.json"));
        assert_eq!(fs::read(shipped).unwrap(), printed);
    }
    let refused = similis(&["schema", "anwser"]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(message.contains("anwser") && message.contains("answer"), "{message}");
}
