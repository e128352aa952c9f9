//! The exact command and the exact Python that give what is on the screen.

use std::fmt::Write as _;
use std::path::Path;

use clap::{ArgAction, CommandFactory};
use similis::settings::{Named, Setting, Value};
use similis::{LatentFeature, LatentGraph, NClusters};

use super::choices::model_name;
use super::data::Data;
use super::shown::Shown;
use crate::answer::Answer;
use crate::args::{Cli, ClusterArgs, Input};
use crate::io::output::csv_field;

/// Flags that the page sets itself, and those of outputs.
const REPLACED: [&str; 19] = [
    "path",
    "n_clusters",
    "model",
    "metric",
    "noise",
    "known_labels",
    "must_link",
    "cannot_link",
    "output",
    "output_format",
    "json",
    "with_input",
    "include",
    "probabilities",
    "save_model",
    "plot",
    "plot_kind",
    "report",
    "quiet",
];

/// Returns lines for a shell that repeat the answer and write its labels to `labels.csv`; none where no file was read.
pub(super) fn shell(shown: &Shown, data: &Data, args: &ClusterArgs) -> String {
    let mut text = String::new();
    if data.in_memory {
        return text;
    }
    if shown.kept.len() < data.n_items() {
        let n = data.n_items() - shown.kept.len();
        let _ = writeln!(
            text,
            "# {n} items are left out, which no flag of the command does: the Python lines do it."
        );
    }
    let mut words =
        vec!["similis".to_owned(), "cluster".to_owned(), quoted(&args.input.path.to_string_lossy())];
    words.extend(flags(args));
    let choices = &shown.choices;
    words.push(format!("--n-clusters {}", choices.n_clusters));
    if choices.model != crate::args::Model::Auto {
        words.push(format!("--model {}", model_name(choices.model).replace('_', "-")));
    }
    words.extend(choices.metric.map(|metric| format!("--metric {}", metric.name().replace('_', "-"))));
    if choices.noise {
        words.push("--noise background".to_owned());
    }
    for (name, lines) in side_files(shown, data) {
        let flag = name.trim_end_matches(".csv");
        let _ = writeln!(text, "cat > {name} <<'END'\n{lines}END");
        words.push(format!("--{flag} {name}"));
    }
    words.push("--output labels.csv".to_owned());
    text + &words.join(" ") + "\n"
}

/// The flags that were given and that the page does not change, as words for a shell.
fn flags(args: &ClusterArgs) -> Vec<String> {
    let command = Cli::command();
    let Some(cluster) = command.find_subcommand("cluster") else { return Vec::new() };
    let kept = |id: &str| args.given.has(id) && !REPLACED.contains(&id);
    let mut words = Vec::new();
    for arg in cluster.get_arguments().filter(|arg| kept(arg.get_id().as_str())) {
        let Some(long) = arg.get_long() else { continue };
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            words.push(format!("--{long}"));
        } else {
            let values = args.given.values(arg.get_id().as_str());
            words.extend(values.iter().map(|value| format!("--{long} {}", quoted(value))));
        }
    }
    words
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./:=,@%+".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The files of side information: their names and their lines.
fn side_files(shown: &Shown, data: &Data) -> Vec<(&'static str, String)> {
    let said = &shown.said;
    let pairs = |pairs: &[(usize, usize)]| {
        pairs.iter().fold("from,to\n".to_owned(), |mut text, &(i, j)| {
            let _ = writeln!(text, "{},{}", csv_field(&data.item(i)), csv_field(&data.item(j)));
            text
        })
    };
    let mut files = Vec::new();
    if !said.labels.is_empty() {
        let mut text = "index,label\n".to_owned();
        for item in 0..data.n_items() {
            let label = said.labels.get(&item).map_or("NA", String::as_str);
            let _ = writeln!(text, "{item},{}", csv_field(label));
        }
        files.push(("known-labels.csv", text));
    }
    if !said.must_link.is_empty() {
        files.push(("must-link.csv", pairs(&said.must_link)));
    }
    if !said.cannot_link.is_empty() {
        files.push(("cannot-link.csv", pairs(&said.cannot_link)));
    }
    files
}

/// Returns Python that repeats the answer: its last line is the labels, in the order of the items.
pub(super) fn python(shown: &Shown, data: &Data, args: &ClusterArgs) -> String {
    let (class, settings) = match &shown.answer {
        Answer::Graph(model, _) => ("LatentGraphClustering", set(LatentGraph::SETTINGS, model)),
        Answer::Feature(model, _) => ("LatentFeatureClustering", set(LatentFeature::SETTINGS, model)),
    };
    let mut arguments = vec![number(shown.choices.n_clusters)];
    arguments.extend(metric(shown, data));
    arguments.extend(settings);
    arguments.push(format!("random_state={}", args.run.seed));
    let mut text = format!("import numpy as np\nfrom similis import {class}\n\n{}", reading(data, args));
    let all = shown.kept.len() == data.n_items();
    if !all {
        let _ = writeln!(text, "kept = {:?}", shown.kept);
        let matrix = data.pairs.n_dimensions().is_none();
        text += if matrix { "X = X[np.ix_(kept, kept)]\n" } else { "X = X[kept]\n" };
    }
    let side = side_arguments(shown);
    let _ = writeln!(text, "model = {class}({}).fit(X{side})", arguments.join(", "));
    if all {
        text += "labels = model.labels_\n";
    } else {
        let _ = writeln!(text, "labels = np.full({}, -1)\nlabels[kept] = model.labels_", data.n_items());
    }
    text
}

fn number(n_clusters: NClusters) -> String {
    match n_clusters {
        NClusters::Auto => "\"auto\"".to_owned(),
        NClusters::Exactly(n) => n.to_string(),
        NClusters::Between(least, most) => format!("({least}, {most})"),
    }
}

fn metric(shown: &Shown, data: &Data) -> Vec<String> {
    match (shown.choices.metric, data.pairs.quantity()) {
        (Some(similis::Metric::Minkowski { p }), _) => {
            vec!["metric=\"minkowski\"".to_owned(), format!("minkowski_p={p:?}")]
        }
        (Some(metric), _) => vec![format!("metric=\"{}\"", metric.name())],
        (None, similis::Quantity::Distances) => vec!["metric=\"precomputed\"".to_owned()],
        (None, similis::Quantity::Similarities) => vec!["metric=\"precomputed_similarity\"".to_owned()],
    }
}

/// The settings that are not the defaults, as Python's arguments.
fn set<M: Default>(rows: &'static [Setting<M>], model: &M) -> Vec<String> {
    let own = |row: &&Setting<M>| {
        !row.of_run && !["n_clusters", "seed"].contains(&row.name) && row.get(model) != row.default()
    };
    let argument = |row: &Setting<M>| {
        let name = if row.name == "score" { "tree_score" } else { row.name };
        Some(match row.get(model) {
            Value::Automatic => return None,
            Value::Flag(flag) => format!("{name}={}", if flag { "True" } else { "False" }),
            Value::Word(word) => format!("{name}={word:?}"),
            value => format!("{name}={value}"),
        })
    };
    rows.iter().filter(own).filter_map(argument).collect()
}

/// Python that reads the file, where it is of a kind that NumPy and pandas read as this program does.
fn reading(data: &Data, args: &ClusterArgs) -> String {
    if data.in_memory {
        return String::new();
    }
    let path = format!("{:?}", args.input.path.to_string_lossy());
    let ending = Path::new(&args.input.path).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let header = data.observed.names.is_some();
    let mut text = match (ending.as_str(), data.observed.input) {
        ("npy", _) => format!("X = np.load({path})\n"),
        ("csv", Input::Points) if header => {
            let columns = data.observed.names.as_deref().unwrap_or_default();
            format!("import pandas as pd\nX = pd.read_csv({path})[{columns:?}].to_numpy(float)\n")
        }
        ("csv", Input::Points | Input::Distances | Input::Similarities) if data.observed.ids.is_none() => {
            let skip = if header { ", skiprows=1" } else { "" };
            format!("X = np.loadtxt({path}, delimiter=\",\"{skip}, ndmin=2)\n")
        }
        ("csv", Input::Distances | Input::Similarities) => {
            format!("import pandas as pd\nX = pd.read_csv({path}, index_col=0).to_numpy(float)\n")
        }
        _ => format!("X = ...  # {path}: {}, in the order of the file\n", data.described),
    };
    if data.observed.standardise.is_some() {
        text += "X = (X - X.mean(axis=0)) / X.std(axis=0)\n";
    }
    text
}

fn side_arguments(shown: &Shown) -> String {
    let side = shown.said.information(&shown.kept);
    let pairs = |pairs: &[(usize, usize)]| {
        pairs.iter().map(|(i, j)| format!("({i}, {j})")).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if !side.known_labels.is_empty() {
        let known = side.known_labels.iter().enumerate().filter_map(|(row, label)| Some((row, (*label)?)));
        let known: Vec<String> = known.map(|(row, label)| format!("{row}: {label}")).collect();
        let dictionary = known.join(", ");
        let _ = write!(text, ", known_labels=[{{{dictionary}}}.get(i, -1) for i in range(len(X))]");
    }
    if !side.must_link.is_empty() {
        let _ = write!(text, ", must_link=[{}]", pairs(&side.must_link));
    }
    if !side.cannot_link.is_empty() {
        let _ = write!(text, ", cannot_link=[{}]", pairs(&side.cannot_link));
    }
    text
}
