//! The command as a user meets it: files in, files out, messages, exit codes.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use similis::Labels;
use similis::evaluate::adjusted_rand_index;

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn similis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).args(arguments).output().unwrap()
}

/// Standard output of a run that must succeed.
fn answer(arguments: &[&str]) -> String {
    let run = similis(arguments);
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The message of a run that must end with exit code 2 and print nothing else.
fn refusal(arguments: &[&str]) -> String {
    let run = similis(arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    assert!(run.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(run.stderr).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Two blobs on a line, far apart, as CSV without a header.
fn two_blobs() -> String {
    (0..40).fold(String::new(), |text, i| text + &format!("{},{}\n", i % 20, if i < 20 { 0 } else { 1000 }))
}

#[test]
fn labels_go_to_standard_output_one_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("blobs.csv");
    fs::write(&data, two_blobs()).unwrap();
    let labels = answer(&["cluster", text(&data), "--n-clusters", "2", "--quiet"]);
    let expected: String = (0..40).map(|i| if i < 20 { "0\n" } else { "1\n" }).collect();
    assert_eq!(labels, expected);
}

#[test]
fn every_output_holds_the_same_labels_and_replaces_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = testdata("two-scales.csv");
    let run = |name: &str| {
        let path = folder.path().join(name);
        fs::write(&path, "old").unwrap();
        assert_eq!(answer(&["cluster", text(&data), "-k", "2", "-q", "--output", text(&path)]), "");
        fs::read_to_string(path).unwrap()
    };
    let plain = answer(&["cluster", text(&data), "-k", "2", "-q"]);
    assert_eq!(run("labels.txt"), plain);
    let mut csv = "index,label\n".to_owned();
    plain.lines().enumerate().for_each(|(i, label)| writeln!(csv, "{i},{label}").unwrap());
    assert_eq!(run("labels.csv"), csv);
    let json: serde_json::Value = serde_json::from_str(&run("labels.json")).unwrap();
    let listed: Vec<String> = json["labels"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(listed.join("\n") + "\n", plain);
    assert_eq!(json["seed"], 0);
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["settings"]["inference"], "search");
    assert!(json["score"]["total"].as_f64().is_some_and(f64::is_finite));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn the_first_readme_command_draws_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("clusters.svg");
    answer(&["cluster", text(&testdata("two-scales.csv")), "--plot", text(&picture)]);
    let svg = fs::read_to_string(picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("two-scales.csv"));
}

#[test]
fn threads_change_no_byte() {
    let data = testdata("two-scales.csv");
    for extra in [&[][..], &["--affinity", "gaussian"], &["--affinity", "local", "--grouping", "mixture"]] {
        let run = |threads: &str| {
            let arguments =
                [&["cluster", text(&data), "-k", "3", "-q", "--threads", threads][..], extra].concat();
            answer(&arguments)
        };
        let one = run("1");
        assert_eq!(one, run("2"));
        assert_eq!(one, run("5"));
    }
}

#[test]
fn points_and_the_distances_computed_from_them_give_the_same_labels() {
    let folder = tempfile::tempdir().unwrap();
    let data = testdata("two-scales.csv");
    let rows: Vec<Vec<f64>> = fs::read_to_string(&data)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
        .collect();
    let mut matrix = String::new();
    for a in &rows {
        let distance = |b: &Vec<f64>| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
        let fields: Vec<String> = rows.iter().map(|b| distance(b).to_string()).collect();
        writeln!(matrix, "{}", fields.join(",")).unwrap();
    }
    let distances = folder.path().join("distances.csv");
    fs::write(&distances, matrix).unwrap();
    for affinity in ["nearest", "gaussian", "exponential", "local"] {
        let run = |path: &Path| answer(&["cluster", text(path), "-k", "3", "-q", "--affinity", affinity]);
        assert_eq!(run(&data), run(&distances));
    }
}

#[test]
fn a_guess_is_said_and_a_doubtful_matrix_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let run = similis(&["cluster", text(&testdata("rings-distances.csv")), "-k", "2"]);
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.contains("items, a matrix of distances (guessed; use --input to override)"), "{said}");
    let doubtful = folder.path().join("kernel.csv");
    let matrix: String = (0..5)
        .map(|i| (0..5).map(|j| if i == j { "1" } else { "0.5" }).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    fs::write(&doubtful, matrix).unwrap();
    assert!(refusal(&["cluster", text(&doubtful)]).contains("--input similarities, distances or points"));
    answer(&["cluster", text(&doubtful), "--input", "similarities", "-k", "2", "-q"]);
}

#[test]
fn the_rings_are_told_apart_from_their_distances() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.json");
    answer(&["cluster", text(&testdata("rings-distances.csv")), "-k", "2", "-q", "-o", text(&path)]);
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(json["sizes"], serde_json::json!([24, 48]));
}

#[test]
fn bad_calls_say_what_to_do_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = testdata("two-scales.csv");
    let out = folder.path().join("labels.txt");
    let negative = folder.path().join("negative.csv");
    fs::write(&negative, "0,-1\n-1,0\n").unwrap();
    let ragged = folder.path().join("ragged.csv");
    fs::write(&ragged, "1,2\n3\n").unwrap();
    let late = folder.path().join("late.csv");
    fs::write(&late, "1.5,2.5\n".repeat(100_000) + "1.5,oops\n").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[text(&data), "-k", "0"], "--n-clusters must be between 1 and the number of points, 400, got 0"),
        (&[text(&data), "-k", "401"], "got 401"),
        (&[text(&data), "--affinity", "gaussian", "--gamma", "-1"], "gamma must be a finite number above 0"),
        (&[text(&data), "--affinity-neighbours", "0"], "--affinity-neighbours must be at least 1"),
        (&[text(&data), "--n-restarts", "0"], "--n-restarts must be at least 1"),
        (&[text(&data), "--metric", "haversine"], "latitude"),
        (
            &[text(&data), "--affinity", "local", "--memory-limit", "1MB"],
            "needs 1.3 MB but the memory limit is 1.0 MB",
        ),
        (&[text(&negative), "--input", "distances"], "negative.csv: row 1, column 2"),
        (&[text(&ragged)], "ragged.csv, line 2"),
        (&[text(&late)], "late.csv, line 100001, column 5"),
        (&["nowhere.csv"], "nowhere.csv"),
    ];
    for (arguments, expected) in cases {
        let arguments = [&["cluster"][..], arguments, &["--output", text(&out)]].concat();
        let message = refusal(&arguments);
        assert!(message.starts_with("error: ") && message.contains(expected), "{arguments:?}: {message}");
        assert!(!out.exists());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn values_that_a_flag_does_not_have_are_named() {
    let data = testdata("two-scales.csv");
    for arguments in [
        ["--seed", "x"],
        ["--metric", "euclid"],
        ["--n-clusters", "many"],
        ["--n-clusters", "-1"],
        ["--gamma", "wide"],
    ] {
        let message = refusal(&[&["cluster", text(&data)][..], &arguments].concat());
        assert!(message.contains(arguments[0]) && message.contains(arguments[1]), "{message}");
    }
}

#[test]
fn nothing_that_was_given_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("blobs.csv");
    fs::write(&data, two_blobs()).unwrap();
    let message = refusal(&["cluster", text(&data), "-k", "2", "--output", text(&data)]);
    assert!(message.contains("would be written over"), "{message}");
    assert_eq!(fs::read_to_string(&data).unwrap(), two_blobs());
}

#[test]
fn many_parts_are_as_many_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("forty.csv");
    // Forty groups of twelve points, far apart: with ten neighbours, forty components.
    let points = (0..480)
        .fold(String::new(), |all, i| all + &format!("{},{}\n", 1000 * (i / 12) + i % 12 % 4, i % 12 / 4));
    fs::write(&data, points).unwrap();
    let labels = answer(&["cluster", text(&data), "-q"]);
    let expected = (0..480).fold(String::new(), |all, i| all + &format!("{}\n", i / 12));
    assert_eq!(labels, expected);
}

#[test]
fn components_of_a_graph_are_told_and_joined_if_they_are_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("edges.csv");
    // A cycle of six, a pair, and two nodes that are listed only with themselves.
    fs::write(&data, "0,1,1\n1,2,1\n2,3,1\n3,4,1\n4,5,1\n5,0,1\n6,9,4\n7,7,0\n8,8,0\n").unwrap();
    let common = ["cluster", text(&data), "--input", "edges", "--edge-values", "distances", "-k"];
    let summary = |more: &[&str]| {
        let done = similis(&[&common[..], more].concat());
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stderr).unwrap()
    };
    let told = "the graph of observed pairs has 4 components, of 6, 2, 1, .. points; 2 points are isolated";
    let few = summary(&["2"]);
    assert!(few.contains(told), "{few}");
    assert!(few.contains("note: 2 links were not observed: there are 4 components for 2 clusters"), "{few}");
    let enough = summary(&["4"]);
    assert!(enough.contains(told) && !enough.contains("not observed"), "{enough}");
    let json = folder.path().join("answer.json");
    answer(&[&common[..], &["2", "-q", "--output", text(&json)]].concat());
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(json["n_components"], 4);
    assert_eq!(json["component_sizes"], serde_json::json!([6, 2, 1, 1]));
    assert_eq!((&json["n_isolated"], &json["n_unobserved_links"]), (&2.into(), &2.into()));
    let sampled = refusal(&[&common[..], &["2", "--inference", "sample"]].concat());
    assert!(sampled.contains("inference by sampling needs connected clusters"), "{sampled}");
    assert!(sampled.contains("ask for at least 4 clusters"), "{sampled}");
}

#[test]
fn a_graph_too_large_for_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("edges.csv");
    let path = (0..2000).fold(String::new(), |path, i| path + &format!("{i},{},1\n", i + 1));
    fs::write(&data, path).unwrap();
    let arguments =
        ["cluster", text(&data), "--input", "edges", "--edge-values", "distances", "--memory-limit", "400kB"];
    // 2,001 items of 64 bytes and 2,000 edges of 160.
    assert!(refusal(&arguments).contains("needs 448.1 kB"));
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let data = testdata("two-scales.csv");
    for (flag, path) in
        [("--output", "labels.xls"), ("--plot", "clusters.bmp"), ("--output", "no/folder/labels.txt")]
    {
        let message = refusal(&["cluster", text(&data), flag, path]);
        assert!(message.contains(path), "{message}");
    }
}

#[test]
fn edges_are_read_as_observed_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.csv");
    // Two triangles, joined by a weak link that is listed both ways.
    fs::write(&path, "i,j,weight\n0,1,5\n1,2,5\n0,2,5\n3,4,5\n4,5,5\n3,5,5\n2,3,0.1\n3,2,0.1\n").unwrap();
    let common = ["cluster", text(&path), "-k", "2", "-q", "--input", "edges"];
    let named = [&common[..], &["--edge-values", "similarities"]].concat();
    assert_eq!(answer(&named), "0\n0\n0\n1\n1\n1\n");
    assert!(refusal(&common).contains("--edge-values"));
    fs::write(&path, "0,1,5\n1,2.5,5\n").unwrap();
    assert!(
        refusal(&named).contains("line 2, column 3: an item is a name or a number 0, 1, 2, .., got \"2.5\"")
    );
    fs::write(&path, "0\n1\n").unwrap();
    assert!(refusal(&named).contains("three columns"));
}

#[test]
fn the_latent_graph_model_learns_a_scale_for_each_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let (data, json) = (folder.path().join("line.csv"), folder.path().join("fit.json"));
    // Ten points close together, then ten far apart.
    let line: Vec<String> =
        (0..20).map(|i| if i < 10 { i } else { 20 * i - 150 }).map(|x| x.to_string()).collect();
    fs::write(&data, line.join("\n")).unwrap();
    let picture = folder.path().join("fit.svg");
    let common = ["cluster", text(&data), "-k", "2", "-q", "-o", text(&json), "--plot", text(&picture)];
    answer(&[&common[..], &["--model", "latent-graph", "--include", "graph"]].concat());
    let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(fit["settings"]["model"], "latent_graph");
    assert_eq!(fit["sizes"], serde_json::json!([10, 10]));
    assert!(fit["scales"][1].as_f64().unwrap() > 5.0 * fit["scales"][0].as_f64().unwrap());
    assert_eq!(fit["graph"].as_array().unwrap().len(), 18);
    assert!(fs::read_to_string(&picture).unwrap().contains("stroke-dasharray"));
    answer(&[&common[..], &["--preset", "paper"]].concat());
    let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(fit["settings"]["likelihood"], "gaussian");
    assert_eq!(fit["settings"]["scale_prior"], "none");
}

#[test]
fn known_labels_stay_in_both_models() {
    let folder = tempfile::tempdir().unwrap();
    let [data, json, known] = ["line.csv", "fit.json", "known.txt"].map(|name| folder.path().join(name));
    fs::write(&data, (0..20).map(|x| x.to_string()).collect::<Vec<_>>().join("\n")).unwrap();
    let common = ["cluster", text(&data), "-k", "2", "-q", "-o", text(&json)];
    let labels: Vec<&str> = (0..20)
        .map(|i| {
            if i == 0 || i == 5 {
                "7"
            } else if i == 19 {
                "3"
            } else {
                "-1"
            }
        })
        .collect();
    fs::write(&known, labels.join("\n")).unwrap();
    for model in ["auto", "latent-graph", "latent-feature"] {
        answer(&[&common[..], &["--known-labels", text(&known), "--model", model]].concat());
        let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(fit["labels"][0], fit["labels"][5]);
        assert_ne!(fit["labels"][0], fit["labels"][19]);
    }
    fs::write(&known, "1\n0.5\n").unwrap();
    assert!(refusal(&[&common[..], &["--known-labels", text(&known)]].concat()).contains("row 2: a label"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_the_best_answer_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let (data, json) = (folder.path().join("many.csv"), folder.path().join("fit.json"));
    // Far more work than a test would wait for.
    let points = (0..2000u64).fold(String::new(), |all, i| {
        all + &format!("{},{}\n", i.wrapping_mul(2_654_435_761) % 9973, i.wrapping_mul(40_503) % 9967)
    });
    fs::write(&data, points).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_similis"))
        .args(["cluster", text(&data), "-k", "3", "--inference", "paper", "--n-restarts", "1000", "-q"])
        .args(["--output", text(&json)])
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(run.try_wait().unwrap().is_none(), "the run was over before it could be interrupted");
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(fit["labels"].as_array().unwrap().len(), 2000);
    assert_eq!(fit["ended"], "stopped early, best answer so far");
}

#[test]
fn features_are_embedded() {
    let data = testdata("two-scales.csv");
    let csv = answer(&["embed", text(&data), "--n-features", "3"]);
    assert_eq!(csv.lines().next(), Some("feature0,feature1,feature2"));
    assert_eq!(csv.lines().count(), 401);
    let line = answer(&["embed", text(&data), "--n-features", "3", "--json"]);
    let json: serde_json::Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
    let eigenvalues: Vec<f64> =
        json["eigenvalues"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(
        (eigenvalues[0] - 1.0).abs() < 1e-9 && eigenvalues[2] <= eigenvalues[1] && eigenvalues.len() == 3
    );
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    let message = refusal(&["embed", text(&data), "--n-features", "0"]);
    assert!(message.contains("--n-features must be between 1"), "{message}");
}

#[test]
fn a_normalised_matrix_is_used_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matrix.csv");
    // Eigenvalues 3 and 1; normalised by its row sums it would have 1 and 1/3.
    fs::write(&path, "2,1\n1,2\n").unwrap();
    let common =
        ["embed", text(&path), "--input", "similarities", "-t", "2", "--variant", "lemma1", "--json"];
    let top = |arguments: &[&str]| {
        let json: serde_json::Value = serde_json::from_str(&answer(arguments)).unwrap();
        json["eigenvalues"][0].as_f64().unwrap()
    };
    assert!((top(&common) - 1.0).abs() < 1e-12);
    assert!((top(&[&common[..], &["--normalised"]].concat()) - 3.0).abs() < 1e-12);
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = answer(&["--help"]);
    let listed = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// The lines of a help text's examples.
fn examples(command: &str) -> Vec<String> {
    let help = answer(&[command, "--help"]);
    let after = help.split("Examples:").nth(1).unwrap();
    after.lines().map(str::trim).filter(|line| line.starts_with("similis ")).map(str::to_owned).collect()
}

#[test]
fn the_examples_in_every_help_text_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut n_run = 0;
    for line in commands().iter().flat_map(|command| examples(command)) {
        let words = line.split_whitespace().skip(1).map(|word| match word.split_once('/') {
            Some(("testdata", _)) => root.join(word),
            _ => PathBuf::from(word),
        });
        let run =
            Command::new(env!("CARGO_BIN_EXE_similis")).current_dir(&folder).args(words).output().unwrap();
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
        n_run += 1;
    }
    assert!(n_run >= 20, "{n_run}");
}

#[test]
fn a_seed_repeats_the_answer_and_agreement_is_measured_by_the_rand_index() {
    let data = testdata("two-scales.csv");
    let run = |seed: &str| answer(&["cluster", text(&data), "-k", "2", "-q", "--seed", seed]);
    assert_eq!(run("7"), run("7"));
    let labels = |text: &str| Labels::new(&text.lines().map(str::to_owned).collect::<Vec<_>>());
    let same = adjusted_rand_index(&labels(&run("7")), &labels(&run("7"))).unwrap();
    assert_eq!(same, 1.0);
}

#[test]
fn latent_features_of_few_points_link_at_most_half_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let six = folder.path().join("six.csv");
    fs::write(&six, "0,0\n0,1\n1,0\n9,9\n9,10\n10,9\n").unwrap();
    let labels = answer(&["cluster", text(&six), "-k", "2", "-q", "--model", "latent-feature"]);
    assert_eq!(labels, "0\n0\n0\n1\n1\n1\n");
}

#[test]
fn no_row_without_a_gap_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let gaps = folder.path().join("gaps.csv");
    fs::write(&gaps, "1,\n,2\n").unwrap();
    let out = folder.path().join("out.csv");
    for arguments in [
        &["cluster", text(&gaps), "-k", "1", "--missing", "drop", "--input", "points", "--standardise"][..],
        &["convert", text(&gaps), text(&out), "--missing", "drop", "--input", "points", "--standardise"],
    ] {
        let message = refusal(arguments);
        assert!(message.contains("at least one point is needed"), "{message}");
    }
    assert!(!out.exists());
}
