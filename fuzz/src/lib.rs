//! What is fuzzed: each target gets the bytes of a file, or the text of settings, and fails by a panic.
//!
//! cargo-fuzz runs the targets without end (`fuzz_targets/`, `make fuzz`); `crates/similis-cli/tests/fuzz.rs` includes this file and
//! runs them on the corpus and on seeded changes of it. `corpus/NAME/` holds small inputs of the target `NAME`.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use clap::Parser;
use similis::{Dissimilarity, Metric, Observer, Points, Predictor};
use similis_cli::args::{Cli, Command, EdgeValues, Input, InputArgs, Measure, Missing};
use similis_cli::input::{self, Observed};
use similis_cli::io::model::SavedModel;
use similis_cli::io::{labels, pairs};
use tempfile::TempDir;

/// A reader, or what else takes bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target and of its folder in the corpus.
    pub name: &'static str,
    /// Reads the bytes.
    pub run: fn(&[u8]),
}

/// Everything that is fuzzed.
pub const TARGETS: [Target; 14] = [
    Target { name: "csv", run: |bytes| read("csv", bytes) },
    Target { name: "txt", run: |bytes| read("txt", bytes) },
    Target { name: "gzip", run: |bytes| read("csv.gz", bytes) },
    Target { name: "npy", run: |bytes| read("npy", bytes) },
    Target { name: "npz", run: |bytes| read("npz", bytes) },
    Target { name: "mtx", run: |bytes| read("mtx", bytes) },
    Target { name: "phylip", run: |bytes| read("phy", bytes) },
    Target { name: "parquet", run: |bytes| read("parquet", bytes) },
    Target { name: "arrow", run: |bytes| read("arrow", bytes) },
    Target { name: "edges", run: edges },
    Target { name: "labels", run: known_labels },
    Target { name: "pairs", run: known_pairs },
    Target { name: "model", run: model },
    Target { name: "settings", run: settings },
];

/// Runs the target of this name.
pub fn run(name: &str, bytes: &[u8]) {
    TARGETS.iter().filter(|target| target.name == name).for_each(|target| (target.run)(bytes));
}

/// Most bytes that reading may take.
const LIMIT: Option<u64> = Some(1 << 26);

/// Number of items that labels and pairs are about.
const N_ITEMS: usize = 6;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Writes the bytes to a file whose name ends so.
fn written(extension: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
        folder.path().join(format!("input.{extension}"))
    });
    std::fs::write(&path, bytes).expect("a temporary file");
    path
}

fn arguments(path: &Path, input: Option<Input>, missing: Missing) -> InputArgs {
    InputArgs {
        path: path.into(),
        format: None,
        array: None,
        columns: None,
        id_column: None,
        label_column: None,
        weight_column: None,
        standardise: missing != Missing::Error,
        input,
        edge_values: Some(EdgeValues::Distances),
        metric: Measure::Metric(Metric::default()),
        minkowski_p: 3.0,
        conversion: None,
        symmetrise: similis::input::Symmetrise::default(),
        missing,
    }
}

/// Reads a file as each thing that it may hold.
fn read(extension: &str, bytes: &[u8]) {
    let path = written(extension, bytes);
    for input in [None, Some(Input::Points), Some(Input::Distances), Some(Input::Similarities)] {
        for missing in [Missing::Error, Missing::Unobserved, Missing::Drop] {
            if let Ok(observed) = input::read(&arguments(&path, input, missing), LIMIT) {
                check(&observed);
            }
        }
    }
}

fn edges(bytes: &[u8]) {
    let path = written("csv", bytes);
    for values in [None, Some(EdgeValues::Distances), Some(EdgeValues::Similarities)] {
        let arguments = arguments(&path, Some(Input::Edges), Missing::Error);
        if let Ok(observed) = input::read(&InputArgs { edge_values: values, ..arguments }, LIMIT) {
            check(&observed);
        }
    }
}

/// What holds of everything that was read.
fn check(observed: &Observed) {
    let n_items = observed.pairs.n_points();
    assert!(n_items > 0, "nothing was read");
    assert!(observed.ids.as_ref().is_none_or(|ids| ids.len() == n_items), "a name for each item");
    assert!(
        observed.classes.as_ref().is_none_or(|classes| classes.len() == n_items),
        "a class for each item"
    );
    for i in 0..n_items.min(20) {
        for j in 0..n_items.min(20) {
            let (pair, mirrored) = (observed.pairs.pair(i, j), observed.pairs.pair(j, i));
            assert_eq!(pair.map(f64::to_bits), mirrored.map(f64::to_bits), "{i}, {j}");
            assert!(pair.is_none_or(|value| !value.is_nan()), "{i}, {j}");
        }
    }
    assert!(!observed.described().is_empty());
}

fn known_labels(bytes: &[u8]) {
    let path = written("csv", bytes);
    let ids = ["a", "b", "c", "d", "e", "f"].map(str::to_owned);
    for ids in [None, Some(&ids[..])] {
        if let Ok(classes) = labels::read(&path, ids, N_ITEMS, LIMIT) {
            assert_eq!(classes.len(), N_ITEMS);
        }
    }
}

fn known_pairs(bytes: &[u8]) {
    let path = written("csv", bytes);
    let ids = ["a", "b", "c", "d", "e", "f"].map(str::to_owned);
    for ids in [None, Some(&ids[..])] {
        if let Ok(listed) = pairs::read(&path, ids, N_ITEMS, LIMIT) {
            assert!(listed.iter().all(|listed| listed.line > 0));
        }
    }
}

/// Reads a model, writes it, reads that; predicts from it.
fn model(bytes: &[u8]) {
    let path = Path::new("model.similis");
    let Ok(saved) = SavedModel::from_bytes(path, bytes) else { return };
    let again = SavedModel::from_bytes(path, saved.text().as_bytes()).expect("what was written is read");
    assert_eq!(again.text(), saved.text());
    let n_columns = saved.parts.points.as_ref().map(|points| points.points().n_dimensions());
    let Ok(predictor) = Predictor::try_from(saved.parts) else { return };
    let Some(Ok(points)) = n_columns.map(|n_columns| Points::new(vec![0.5; n_columns], 1, n_columns)) else {
        return;
    };
    if let Ok(prediction) = predictor.predict_points(&points) {
        let total: f64 = prediction.row(0).iter().sum();
        assert!((total - 1.0).abs() < 1e-6, "probabilities sum to {total}");
    }
}

/// Ends a fit as soon as there is an answer.
struct Ended;

impl Observer for Ended {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Parses flags, and fits six points by both models with the settings that they make.
fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let words = ["similis", "cluster", "points.csv"].into_iter().chain(text.split_whitespace());
    let Ok(Cli { command: Command::Cluster(args) }) = Cli::try_parse_from(words) else { return };
    let Ok(auto) = args.auto(LIMIT) else { return };
    let rows = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 9.0, 9.0, 9.0, 8.0, 8.0, 9.0];
    let Ok(points) = Points::new(rows, N_ITEMS, 2) else { return };
    let Ok(pairs) = Dissimilarity::from_points(points, args.input.metric()) else { return };
    if let Ok(fit) = auto.graph.fit_observed(&pairs, &[], &Ended) {
        assert_eq!(fit.labels.as_slice().len(), N_ITEMS);
    }
    if let Ok(fit) = auto.feature.fit_observed(&pairs, &[], &Ended) {
        assert_eq!(fit.labels.as_slice().len(), N_ITEMS);
    }
}
