//! The commands that make files, as a user meets them.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use clap::ValueEnum;
use similis::evaluate::shapes::Shape;
use similis::settings::Named;
use similis_cli::io::{Format, read_table};
use tempfile::TempDir;

fn similis(folder: &TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

/// Standard output of a run that must succeed.
fn answer(folder: &TempDir, arguments: &str) -> String {
    let run = similis(folder, arguments);
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The message of a run that must end with exit code 2 and print nothing else.
fn refusal(folder: &TempDir, arguments: &str) -> String {
    let run = similis(folder, arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments}");
    assert!(run.stdout.is_empty(), "{arguments}");
    String::from_utf8(run.stderr).unwrap()
}

#[test]
fn every_shape_is_drawn_and_its_classes_are_a_column() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _) in Shape::VALUES {
        let text = answer(&folder, &format!("generate {} -n 40 -q", name.replace('_', "-")));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (41, "x,y,label"), "{name}");
    }
    answer(&folder, "generate five-blobs -n 60 -q -o blobs.csv");
    answer(&folder, "generate five-blobs -n 60 -q -o blobs.npy");
    let [csv, npy] =
        ["blobs.csv", "blobs.npy"].map(|name| read_table(&folder.path().join(name), false).unwrap());
    assert_eq!((csv.n_columns, csv.values), (3, npy.values));
    let plain = answer(&folder, "generate five-blobs -n 60 -q --no-labels");
    assert_eq!(plain.lines().next(), Some("x,y"));
    assert!(refusal(&folder, "generate five-blobs -n 3").contains("--n-points must be at least 10"));
    assert!(refusal(&folder, "generate squares").contains("dense-ring"));
}

#[test]
fn known_classes_are_scored_and_not_clustered_on() {
    let folder = tempfile::tempdir().unwrap();
    answer(&folder, "generate five-blobs -n 100 -q -o blobs.csv");
    let run = similis(&folder, "cluster blobs.csv --label-column label -k 5 -o fit.json");
    let summary = String::from_utf8(run.stderr).unwrap();
    assert!(
        summary.contains("agreement with the 5 known classes of 100 points: adjusted Rand index 1.000"),
        "{summary}"
    );
    let fit: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("fit.json")).unwrap()).unwrap();
    assert_eq!(fit["agreement"]["adjusted_rand_index"], 1.0);
    assert_eq!(fit["agreement"]["adjusted_mutual_information"], 1.0);
    // By number, from an array, the same.
    answer(&folder, "generate five-blobs -n 100 -q -o blobs.npy");
    let plain = answer(&folder, "cluster blobs.npy --label-column 3 -k 5 -q");
    assert_eq!(plain, answer(&folder, "cluster blobs.csv --columns x,y -k 5 -q"));
}

#[test]
fn samples_are_clustered_back_into_their_classes() {
    let folder = tempfile::tempdir().unwrap();
    for (sample, cluster) in [
        ("latent-graph --likelihood gaussian --class-scales 1,1 --background 10", "--input distances"),
        ("latent-feature -k 2 --noise 0.02", "--input similarities --normalised"),
    ] {
        answer(&folder, &format!("sample {sample} -n 60 -o matrix.npy --labels classes.txt -q"));
        let labels = answer(&folder, &format!("cluster matrix.npy {cluster} -k 2 -q"));
        let classes = fs::read_to_string(folder.path().join("classes.txt")).unwrap();
        let [found, drawn] = [labels, classes]
            .map(|text| similis::Labels::new(&text.lines().map(str::to_owned).collect::<Vec<_>>()));
        let index = similis::evaluate::adjusted_rand_index(&found, &drawn).unwrap();
        assert!(index > 0.9, "{sample}: {index}");
    }
    for (arguments, says) in [
        (
            "sample latent-graph --class-scales 0.1,-1",
            "--class-scales must be a finite number above 0, got -1",
        ),
        ("sample latent-graph -n 1", "--n-points must be at least 2"),
        ("sample latent-feature -k 0", "--n-clusters must be between 1"),
        ("sample latent-feature --noise 0", "--noise must be a finite number above 0"),
    ] {
        assert!(refusal(&folder, arguments).contains(says), "{arguments}");
    }
}

#[test]
fn converting_there_and_back_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    answer(&folder, "generate half-moons -n 30 -q -o points.csv");
    let whole = fs::read_to_string(folder.path().join("points.csv")).unwrap();
    for format in ["csv", "tsv", "txt", "csv.gz"] {
        answer(&folder, &format!("convert points.csv there.{format} --label-column label"));
        assert_eq!(
            answer(&folder, &format!("convert there.{format} - --label-column label")),
            whole,
            "{format}"
        );
    }
    answer(&folder, "convert points.csv matrix.csv --columns x,y --to matrix");
    let matrix = fs::read_to_string(folder.path().join("matrix.csv")).unwrap();
    for format in ["npy", "npz", "mtx", "txt", "phy", "npy.gz", "mtx.gz"] {
        answer(&folder, &format!("convert matrix.csv there.{format} --input distances"));
        let back = answer(&folder, &format!("convert there.{format} - --input distances"));
        // Names that PHYLIP cannot do without come back as a column and a header.
        let back: Vec<String> = back
            .lines()
            .filter(|line| !line.starts_with("id,"))
            .map(|line| {
                let named = line.starts_with("item");
                if named { line.split_once(',').unwrap().1.to_owned() } else { line.to_owned() }
            })
            .collect();
        assert_eq!(back.join("\n") + "\n", matrix, "{format}");
    }
    answer(&folder, "convert matrix.csv pairs.csv --input distances --to edges");
    let pairs = fs::read_to_string(folder.path().join("pairs.csv")).unwrap();
    assert_eq!(pairs.lines().count(), 1 + 30 * 29 / 2);
    for (there, back) in [
        ("npy", "--input edges --edge-values distances"),
        ("npz", "--input distances"),
        ("mtx", "--input distances"),
        ("tsv", "--input edges --edge-values distances"),
    ] {
        answer(&folder, &format!("convert pairs.csv there.{there} --input edges --edge-values distances"));
        assert_eq!(answer(&folder, &format!("convert there.{there} - {back}")), pairs, "{there}");
    }
}

#[test]
fn conversions_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    answer(&folder, "generate half-moons -n 30 -q --no-labels -o points.csv");
    for (arguments, says) in [
        ("convert points.csv points.csv", "would be written over"),
        ("convert points.csv out.xls", "out.xls must end in .csv, .tsv"),
        ("convert points.csv out.phy", "add --to matrix"),
        ("convert points.csv no/folder/out.npy", "no/folder"),
        ("convert nowhere.csv out.npy", "nowhere.csv"),
    ] {
        assert!(refusal(&folder, arguments).contains(says), "{arguments}");
    }
    answer(&folder, "convert points.csv matrix.npy --to matrix");
    assert!(refusal(&folder, "convert matrix.npy out.csv --to points").contains("there are no points"));
    assert!(!folder.path().join("out.csv").exists());
}

#[test]
fn completions_and_manual_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let help = answer(&folder, "--help");
    let commands: Vec<&str> = help
        .split("Commands:")
        .nth(1)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help" && !name.starts_with('-'))
        .collect();
    assert!(commands.contains(&"cluster") && commands.len() >= 10, "{commands:?}");
    for shell in clap_complete::Shell::value_variants() {
        let script = answer(&folder, &format!("completions {shell}"));
        assert!(commands.iter().all(|name| script.contains(name)), "{shell}");
    }
    let page = answer(&folder, "man");
    assert!(page.contains(".TH") && commands.iter().all(|name| page.contains(name)), "{page}");
    for name in &commands {
        let page = answer(&folder, &format!("man {name}"));
        assert!(page.contains(&format!("similis\\-{name}")), "{page}");
        assert!(answer(&folder, &format!("{name} --help")).contains("Examples:"), "{name}");
    }
    assert!(refusal(&folder, "man clutser").contains("there is no command \"clutser\""));
}

#[test]
fn flags_without_effect_are_told() {
    let folder = tempfile::tempdir().unwrap();
    answer(&folder, "generate half-moons -n 30 -q --no-labels -o points.csv");
    answer(&folder, "convert points.csv matrix.npy --to matrix");
    for (arguments, says) in [
        ("matrix.npy --metric cosine", "--metric has no effect: there are no points"),
        ("points.csv --model latent-feature --gamma 2", "--gamma has no effect: affinity is nearest"),
        (
            "points.csv --model latent-feature --score all-trees --scales varying",
            "--score, --scales have no effect: model is latent-feature",
        ),
        (
            "points.csv --model latent-graph --affinity local",
            "--affinity has no effect: model is latent-graph",
        ),
        ("points.csv --inference paper --scales per-class", "--scales has no effect: inference is paper"),
        ("points.csv --minkowski-p 4", "--minkowski-p has no effect: the metric is not minkowski"),
    ] {
        let run = similis(&folder, &format!("cluster {arguments} -k 2"));
        let told = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.success() && told.contains(says), "{arguments}: {told}");
    }
    let silent = similis(&folder, "cluster points.csv -k 2 --metric manhattan --n-clusters 2");
    assert!(!String::from_utf8(silent.stderr).unwrap().contains("no effect"));
}

#[test]
fn a_format_is_told_from_a_name_like_the_flag() {
    for format in Format::value_variants() {
        assert_eq!(Format::of_name(Path::new(&format!("a.{format}.gz"))), Some(*format));
    }
}
