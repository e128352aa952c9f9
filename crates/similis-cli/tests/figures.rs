//! The paper's figures, and models side by side.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use similis::evaluate::shapes::Shape;
use similis_cli::figures::{Drawn, N_POINTS, SHAPES};

fn testdata(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name).to_str().unwrap().to_owned()
}

fn similis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).args(arguments).output().unwrap()
}

fn drawn(shape: Shape) -> Drawn {
    Drawn::new(shape, N_POINTS, 0).unwrap()
}

#[test]
fn figure_2_spectral_clustering_needs_classes_of_one_scale() {
    for shape in [Shape::TwoRings, Shape::HalfMoons] {
        assert!(drawn(shape).figure_2().unwrap().agreement > 0.99, "{shape:?}");
    }
    for shape in [Shape::DenseRing, Shape::DenseLine, Shape::CrossingLines] {
        assert!(drawn(shape).figure_2().unwrap().agreement < 0.5, "{shape:?}");
    }
}

#[test]
fn figure_4_latent_graphs_find_classes_of_one_scale_and_of_two() {
    for shape in SHAPES {
        let found = drawn(shape).figure_4().unwrap();
        // Of the spiral's 200 points two partitions, with 0.76 and 0.50, are 0.9 nats apart.
        let least = if shape == Shape::DenseSpiral { 0.4 } else { 0.8 };
        assert!(found.agreement > least, "{shape:?}: {}", found.agreement);
        // The graph of one class is shown: a tree on the points of that class.
        let class = found.graph[0].class;
        let n_members = found.labels.sizes()[class];
        assert_eq!(found.graph.len(), n_members - 1);
        assert!(found.graph.iter().all(|link| found.labels.as_slice()[link.from] == class));
    }
}

#[test]
fn figure_5_every_point_has_its_neighbours_and_lengths_may_be_exponential() {
    let small = Drawn::new(Shape::DenseRing, 60, 0).unwrap();
    let found = small.figure_5_neighbours().unwrap();
    assert!(found.words.starts_with("K = "), "{}", found.words);
    let k: usize = found.words[4..].split_once(',').unwrap().0.parse().unwrap();
    let class = found.graph[0].class;
    assert_eq!(found.graph.len(), k * found.labels.sizes()[class]);
    assert!(drawn(Shape::DenseSpiral).figure_5_exponential().unwrap().agreement > 0.3);
}

#[test]
fn all_panels_are_drawn_twice_and_once_more_on_a_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("new");
    let run = similis(&["figures", target.to_str().unwrap(), "--n-points", "40"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let table = String::from_utf8(run.stdout).unwrap();
    assert_eq!(table.lines().count(), 2 * (2 + 9 + 1) + 1, "{table}");
    let [agreement, models] =
        ["agreement.md", "models.md"].map(|name| fs::read_to_string(target.join(name)).unwrap());
    assert_eq!(table, format!("{agreement}\n{models}"));
    let names: Vec<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let n_ending = |ending: &str| names.iter().filter(|name| name.ends_with(ending)).count();
    assert_eq!((n_ending(".svg"), n_ending(".png"), names.len()), (104, 104, 210));
    let sheet = fs::read_to_string(target.join("figures.svg")).unwrap();
    assert_eq!(sheet.matches("<g transform=").count(), 30);
    assert!(names.contains(&"figure-4d-dense-ring.png".to_owned()), "{names:?}");
    let sheet = fs::read_to_string(target.join("models.svg")).unwrap();
    assert_eq!(sheet.matches("<g transform=").count(), 72);
    assert!(names.contains(&"connected-by-search-d-dense-ring.png".to_owned()), "{names:?}");
    assert!(names.contains(&"figure-4-as-printed-d-dense-ring.png".to_owned()), "{names:?}");
}

#[test]
fn models_are_compared_with_one_another_and_with_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, truth) = (testdata("two-scales.csv"), testdata("two-scales-labels.txt"));
    let (picture, report) = (path("a.svg"), path("a.html"));
    let common = [
        "compare",
        &data,
        "-k",
        "2",
        "--labels",
        &truth,
        "--variants",
        "search,ng-jordan-weiss,affinity-local",
    ];
    let run = similis(&[&common[..], &["--json", "--plot", &picture, "--report", &report]].concat());
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(found["winner"], "search");
    let variants = found["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 3);
    assert!(variants[0]["truth"].as_f64().unwrap() > 0.9 && variants[1]["truth"].as_f64().unwrap() < 0.2);
    assert_eq!(variants[1]["agreement"][1], 1.0);
    assert_eq!(variants[0]["agreement"][2], variants[2]["agreement"][0]);
    assert_eq!(fs::read_to_string(&picture).unwrap().matches("<g transform=").count(), 3);
    let html = fs::read_to_string(&report).unwrap();
    assert_eq!(html.matches("<figure>").count(), 3);
    assert!(html.contains("<table id=\"variants\">") && html.contains("ARI to the truth"));
    let table = String::from_utf8(similis(&common).stdout).unwrap();
    assert!(table.lines().nth(1).unwrap().starts_with("* search"), "{table}");
}

#[test]
fn a_column_of_classes_is_the_truth_and_wrong_labels_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("named.csv");
    let mut rows = "x,y,kind\n".to_owned();
    for i in 0..40 {
        let (y, kind) = if i < 20 { (0, "left") } else { (500, "right") };
        writeln!(rows, "{},{y},{kind}", i % 20).unwrap();
    }
    fs::write(&data, rows).unwrap();
    let data = data.to_str().unwrap();
    let run =
        similis(&["compare", data, "-k", "2", "--label-column", "kind", "--json", "--variants", "search"]);
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(found["variants"][0]["truth"], 1.0);
    let labels = folder.path().join("labels.txt");
    fs::write(&labels, "0\n1\n").unwrap();
    let run = similis(&["compare", &testdata("two-scales.csv"), "--labels", labels.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("one label for each of the 400 points, got 2"));
}
