//! One table of settings: flags, JSON and notes are compared with it.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;
use serde_json::Value;
use similis::settings::Setting;
use similis::{LatentFeature, LatentGraph};
use similis_cli::args::Cli;
use tempfile::TempDir;

const POINTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/two-scales.csv");

fn cluster(folder: &TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).args(["cluster", POINTS]).args(arguments.split_whitespace()).output().unwrap()
}

fn fitted(folder: &TempDir, arguments: &str) -> Value {
    let run = cluster(folder, &format!("{arguments} --quiet --output fit.json"));
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
    let text = std::fs::read_to_string(Path::new(folder.path()).join("fit.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn told(folder: &TempDir, arguments: &str) -> String {
    let run = cluster(folder, arguments);
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{arguments}: {told}");
    told
}

fn check_flags<M: Default>(rows: &[Setting<M>], heading: &str) {
    let command = Cli::command();
    let cluster = command.find_subcommand("cluster").unwrap();
    for row in rows {
        let flag = cluster.get_arguments().find(|flag| flag.get_id() == row.name);
        let flag = flag.unwrap_or_else(|| panic!("no flag for {}", row.name));
        assert_eq!(flag.get_long(), Some(&*row.name.replace('_', "-")));
        assert_eq!(flag.is_hide_set(), row.hidden, "{}", row.name);
        let values = flag.get_possible_values();
        let values: Vec<String> = values.iter().map(|value| value.get_name().replace('-', "_")).collect();
        if !row.words().is_empty() {
            assert_eq!(values, row.words(), "{}", row.name);
        }
        if flag.get_help_heading() == Some(heading) {
            let help = flag.get_help().unwrap().to_string();
            assert!(help.starts_with(row.help.trim_end_matches('.')), "{}: {help}", row.name);
        }
    }
    let named = |name: &str| rows.iter().any(|row| row.name == name);
    let own = cluster.get_arguments().filter(|flag| flag.get_help_heading() == Some(heading));
    own.for_each(|flag| assert!(named(flag.get_id().as_str()), "{}", flag.get_id()));
}

#[test]
fn every_setting_of_the_table_is_a_flag_and_every_flag_of_a_model_is_in_the_table() {
    check_flags(LatentGraph::SETTINGS, "Latent graphs");
    check_flags(LatentFeature::SETTINGS, "Latent features");
}

#[test]
fn json_has_every_setting_of_the_table_that_can_change_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let names = |settings: &Value| settings.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let graph = LatentGraph::SETTINGS.iter().filter(|row| !row.of_run).map(|row| row.name);
    let expected: BTreeSet<String> = graph.chain(["model"]).map(str::to_owned).collect();
    assert_eq!(names(&fitted(&folder, "-k 2 --model latent-graph")["settings"]), expected);
    let feature = LatentFeature::SETTINGS.iter().filter(|row| !row.of_run).map(|row| row.name);
    let expected: BTreeSet<String> = feature.chain(["model"]).map(str::to_owned).collect();
    assert_eq!(names(&fitted(&folder, "-k 2 --model latent-feature")["settings"]), expected);
}

/// The flags that settings in JSON stand for.
fn flags(settings: &Value) -> String {
    let flag = |(name, value): (&String, &Value)| {
        let name = name.replace('_', "-");
        match value {
            Value::Null | Value::Bool(false) => String::new(),
            Value::Bool(true) => format!("--{name}"),
            Value::String(word) if name == "without" && word == "none" => String::new(),
            Value::String(word) => format!("--{name} {}", word.replace('_', "-")),
            number => format!("--{name} {number}"),
        }
    };
    settings.as_object().unwrap().iter().map(flag).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_is_repeated_from_its_json() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "-k 3 --step 0.3 --shape 0.7 --walk-weight 0.2 --seed 3 --size-prior constant",
        "-k 4 --scales per-class --without subtree-moves,features",
        "-k 3 --inference paper --n-restarts 2 --scale-updates soft --seed 5 --typical-length 0.5",
        "-k 2 --inference sample --n-sweeps 20 --n-chains 2 --loss binder --support-neighbours 7",
        "-k 3 --affinity gaussian --gamma 0.4 --grouping mixture --covariance diagonal --seed 2",
    ] {
        let first = fitted(&folder, arguments);
        let again = fitted(&folder, &flags(&first["settings"]));
        for key in ["settings", "labels", "log_joint", "score", "scales"] {
            assert_eq!(again[key], first[key], "{arguments}: {key}");
        }
    }
}

#[test]
fn sampling_uses_the_neighbours_of_the_support() {
    let folder = tempfile::tempdir().unwrap();
    let few = "--inference sample --n-sweeps 3 --n-chains 1 --support-neighbours 9";
    assert!(!told(&folder, &format!("-k 2 {few}")).contains("no effect"));
    assert!(!told(&folder, &format!("-k 1-3 --support complete {few}")).contains("no effect"));
    let note = "--support-neighbours has no effect: support is complete, not nearest";
    assert!(told(&folder, "-k 2 --support-neighbours 9").contains(note));
}

#[test]
fn notes_name_the_setting_that_makes_another_idle() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        ("-k 2 --n-restarts 3", "--n-restarts has no effect: inference is search, not paper"),
        ("-k 2 --scale-updates soft", "--scale-updates has no effect: inference is search, not paper"),
        (
            "-k 2 --n-chains 3 --loss binder",
            "--n-chains, --loss have no effect: inference is search, not sample",
        ),
        ("-k 2 --scales per-class --step 0.1", "--step has no effect: scales is per-class, not varying"),
        (
            "-k 2 --score all-trees --scales varying",
            "--scales has no effect: score is all-trees, not best-tree",
        ),
        (
            "-k 2 --affinity local --gamma 2",
            "--gamma has no effect: affinity is local, not exponential or gaussian",
        ),
    ] {
        let told = told(&folder, arguments);
        assert!(told.contains(says), "{arguments}: {told}");
    }
}

#[test]
fn a_flag_names_its_model_even_if_its_value_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, model) in [
        ("-k 2 --step 0.1", "latent_graph"),
        ("-k 2 --affinity nearest", "latent_feature"),
        ("-k 2 --affinity nearest --score best-tree", "latent_graph"),
        // The default affinity has no scale.
        ("-k 2 --gamma 2", "latent_graph"),
    ] {
        assert_eq!(fitted(&folder, arguments)["settings"]["model"], model, "{arguments}");
    }
}

#[test]
fn no_count_is_too_large_to_be_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("six.csv"), "0,0\n0,1\n1,0\n9,9\n9,10\n10,9\n").unwrap();
    for count in ["18446744073709551615", "9223372036854775807", "1000000000000"] {
        for arguments in [
            "--model latent-feature --n-restarts",
            "--model latent-feature --grouping mixture --n-restarts",
            "--inference paper --n-restarts",
            "--inference sample --n-chains",
            "--inference sample --n-sweeps",
        ] {
            let run = cluster(&folder, &format!("-k 2 {arguments} {count}"));
            let said = String::from_utf8(run.stderr).unwrap();
            assert_eq!(run.status.code(), Some(2), "{arguments} {count}: {said}");
            assert!(said.contains("must be at most") && said.contains(count), "{said}");
        }
        // More neighbours than there are points are all of them.
        for arguments in [
            format!("--inference paper --graph-prior k-neighbours --prior-neighbours {count}"),
            format!("--support nearest --support-neighbours {count}"),
        ] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
            let command = command.current_dir(&folder).args(["cluster", "six.csv", "-k", "2"]);
            let run = command.args(arguments.split(' ')).output().unwrap();
            assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        let run = command.args(["generate", "dense-ring", "-n", count]).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && said.contains("--n-points"), "{count}: {said}");
    }
}
