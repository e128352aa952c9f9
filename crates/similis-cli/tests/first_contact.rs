//! What a new user meets first: nothing is silently wrong, and what was read is said.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use similis::evaluate::shapes::{Shape, draw};
use tempfile::TempDir;

/// A folder with files, and the command run in it.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A desk with one file.
    fn with(name: &str, text: &str) -> Self {
        let desk = Self::new();
        desk.write(name, text);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        command.args(line.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    /// What a run that must succeed says on standard error.
    fn says(&self, line: &str) -> String {
        let run = self.run(line);
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(0), "{line}: {said}");
        said
    }

    /// The message of a run that must be refused with exit code 2.
    fn refuses(&self, line: &str) -> String {
        let run = self.run(line);
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{line}: {said}");
        assert!(run.stdout.is_empty(), "{line}");
        said
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

/// Two triangles.
fn triangles(first: usize) -> String {
    let edge = |(i, j, value): (usize, usize, f64)| format!("{} {} {value}\n", first + i, first + j);
    [(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5), (3, 4, 0.7), (4, 5, 0.7), (5, 3, 0.7)].map(edge).concat()
}

const EDGES: &str = "--input edges --edge-values similarities";

#[test]
fn ids_that_do_not_count_the_items_are_names_and_invent_none() {
    for first in [1, 100_001, 900_000_000] {
        let desk = Desk::with("ids.txt", &triangles(first));
        let said = desk.says(&format!("cluster ids.txt {EDGES} --memory-limit 2GB -o labels.csv"));
        let note = format!("6 items with ids from {first} to {}", first + 5);
        assert!(said.contains(&note), "{said}");
        let rows: String =
            (0..6).map(|i| format!("{},{}\n", first + i, usize::from(i > 2))).collect::<Vec<_>>().concat();
        assert_eq!(desk.read("labels.csv"), format!("id,label\n{rows}"));
    }
    let counted = Desk::with("ids.txt", &triangles(0));
    assert!(!counted.says(&format!("cluster ids.txt {EDGES}")).contains("names"));
}

#[test]
fn latent_features_of_a_graph_of_many_components_keep_the_memory_limit() {
    // 5,000 pairs: auto wants a cluster, and an eigenvector of 10,000 numbers, for each.
    let pairs = (0..5000).fold(String::new(), |all, i| all + &format!("{},{},1\n", 2 * i, 2 * i + 1));
    let desk = Desk::with("pairs.csv", &pairs);
    let said = desk.refuses(&format!("cluster pairs.csv {EDGES} --memory-limit 100MB"));
    assert!(said.contains("memory limit is 100.0 MB") && said.contains("--memory-limit"), "{said}");
}

/// A one-dimensional `.npy` array.
fn npy(values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let padded = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn a_condensed_array_is_asked_about_and_read_as_told() {
    let desk = Desk::new();
    let length = |i: usize, j: usize| if (i < 6) == (j < 6) { 1.0 + (i + j) as f64 / 100.0 } else { 9.0 };
    let condensed: Vec<f64> = (0..12).flat_map(|i| (i + 1..12).map(move |j| length(i, j))).collect();
    fs::write(desk.path("cond.npy"), npy(&condensed)).unwrap();
    let said = desk.refuses("cluster cond.npy");
    assert!(said.contains("66 numbers, as many as 12 items have pairs"), "{said}");
    assert!(said.contains("--input distances"), "{said}");
    let labels = String::from_utf8(desk.run("cluster cond.npy --input distances -q -o -").stdout).unwrap();
    assert_eq!(labels, "0\n".repeat(6) + &"1\n".repeat(6));
}

/// Points drawn from five blobs, as CSV with a header.
fn five_blobs(n_points: usize) -> String {
    let points = draw(Shape::FiveBlobs, n_points, 0).unwrap().points;
    let row = |i: usize| format!("{},{}\n", points.row(i)[0], points.row(i)[1]);
    "x,y\n".to_owned() + &(0..n_points).map(row).collect::<String>()
}

#[test]
fn a_number_that_was_not_searched_is_said_and_has_its_own_exit_code() {
    let desk = Desk::with("blobs.csv", &five_blobs(2000));
    let run = desk.run("cluster blobs.csv --time-limit 0.000001 -o fit.json");
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("warning: the number of clusters was not searched"), "{said}");
    // A quick number by linkage, and not 1 for want of any other.
    assert_eq!(desk.json("fit.json")["n_clusters"], 5, "{said}");
    let warnings = desk.json("fit.json")["warnings"].to_string();
    assert!(warnings.contains("was not searched"), "{warnings}");
    // A number that was given is not in doubt.
    assert!(desk.says("cluster blobs.csv -k 5 --time-limit 0.000001").contains("stopped at the time limit"));
}

#[test]
fn an_answer_of_a_sample_for_want_of_time_is_said_and_has_its_own_exit_code() {
    let desk = Desk::with("blobs.csv", &five_blobs(6000));
    let run =
        desk.run("cluster blobs.csv -k 5 --time-limit 0.000001 -o fit.json --plot p.svg --report r.html");
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(3), "{said}");
    // Before the work, by what such work costs.
    let (before, after) = said.split_once("warning: ").unwrap();
    assert!(before.contains("the answer will be that of an even sample of 2000 items"), "{said}");
    assert!(after.contains("an even sample of 2000 of the 6000 items"), "{said}");
    assert!(said.contains("(of a sample of 2000 points)"), "{said}");
    let fit = desk.json("fit.json");
    assert_eq!((&fit["cut_to"], fit["labels"].as_array().unwrap().len()), (&2000.into(), 6000));
    assert!(fit["sizes"].as_array().unwrap().len() == 5 && desk.path("p.svg").exists());
    assert!(desk.read("r.html").contains("even sample of 2000"));
    // Without haste there is no such word.
    let whole = desk.says("cluster blobs.csv -k 5 --time-limit 3600 -o fit.json");
    assert!(!whole.contains("sample") && desk.json("fit.json")["cut_to"].is_null(), "{whole}");
}

#[test]
fn columns_that_are_read_are_named_and_suspicious_ones_noted() {
    let row = |i: usize| format!("{},{},{}\n", i + 1, 9 * (i % 3) + i % 2, 9 * (i % 3) + (i / 3) % 2);
    let desk = Desk::with("id.csv", &("id,x,y\n".to_owned() + &(0..60).map(row).collect::<String>()));
    let said = desk.says("cluster id.csv -k 3 -o fit.json --report r.html");
    assert!(
        said.contains("id.csv: 60 points in 3 columns: id, x, y (guessed; use --input to override)"),
        "{said}"
    );
    assert!(
        said.contains("note: column \"id\" counts the rows") && said.contains("--id-column id"),
        "{said}"
    );
    let fit = desk.json("fit.json");
    assert_eq!(fit["input"]["columns"], serde_json::json!(["id", "x", "y"]));
    assert_eq!((&fit["input"]["n_columns"], &fit["input"]["standardise"]), (&3.into(), &false.into()));
    assert!(fit["seconds"].as_f64().unwrap() > 0.0);
    assert!(fit["warnings"][0].as_str().unwrap().contains("counts the rows"), "{fit}");
    assert!(desk.read("r.html").contains("60 points in 3 columns: id, x, y"));
    assert!(!desk.says("cluster id.csv -k 3 --id-column id").contains("counts the rows"));

    let row = |i: usize| format!("{},{}\n", 25 + 35 * (i % 2) + i % 5, 40_000 + 700 * (i * 7 % 31));
    desk.write("scales.csv", &("age,income\n".to_owned() + &(0..60).map(row).collect::<String>()));
    let said = desk.says("cluster scales.csv -k 2");
    assert!(said.contains("column \"income\" varies") && said.contains("--standardise"), "{said}");
    let said = desk.says("cluster scales.csv -k 2 --standardise -o fit.json");
    assert!(said.contains("2 columns: age, income, standardised") && !said.contains("varies"), "{said}");
    assert_eq!(desk.json("fit.json")["input"]["standardise"], true);
}

#[test]
fn a_picture_that_cannot_be_had_is_refused_before_the_work_with_the_flag_that_gives_it() {
    let desk = Desk::with("blobs.csv", &five_blobs(60));
    for (flags, needs) in [
        ("--plot-kind trace", "--plot-kind trace needs --inference paper or sample"),
        ("--plot-kind co-assignment", "--plot-kind co-assignment needs --inference sample"),
        ("--plot-kind numbers", "--n-clusters auto"),
        ("--plot-kind eigenvalues", "--model latent-feature"),
        ("--plot-kind candidates --inference paper", "--inference search"),
        ("--plot-kind trace --model latent-feature", "--feature-inference joint"),
        ("--plot-kind scales --model latent-feature", "--model latent-graph"),
    ] {
        // Before the work: known labels, which do not even exist, are not looked at.
        let said = desk
            .refuses(&format!("cluster blobs.csv -k 5 -o l.txt --plot t.svg {flags} --known-labels no.txt"));
        assert!(said.contains(needs), "{flags}: {said}");
    }
}

#[test]
fn a_picture_that_turns_out_empty_does_not_cost_the_labels() {
    // Every item is its own cluster: there is no link to show the length of.
    let desk = Desk::with("three.csv", "1,2\n4,9\n20,3\n");
    let run = desk.run("cluster three.csv -k 3 -o l.txt --plot p.svg --plot-kind lengths");
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("warning: p.svg is not drawn"), "{said}");
    assert_eq!(desk.read("l.txt"), "0\n1\n2\n");
    assert!(!desk.path("p.svg").exists());
}

#[test]
fn labels_may_be_text_wherever_labels_go() {
    let desk = Desk::with("points.csv", "name,x\na,0\nb,1\nc,9\nd,10\n");
    desk.write("families.txt", "Yers\nYers\nVib\nVib\n");
    desk.write("some.csv", "name,family\nd,Vib\na,Yers\n");
    let scored = desk.run("score points.csv --id-column name --labels families.txt");
    assert_eq!(scored.status.code(), Some(0));
    assert!(String::from_utf8(scored.stderr).unwrap().contains("2 classes"));
    let compared =
        desk.run("compare points.csv --id-column name -k 2 --variants search --labels families.txt --json");
    let json: Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(json["variants"][0]["truth"], 1.0);
    let known = desk.run("cluster points.csv --id-column name -k 2 --known-labels some.csv -q");
    assert_eq!(String::from_utf8(known.stdout).unwrap(), "0\n0\n1\n1\n");
}

#[test]
fn a_flag_that_chooses_the_model_is_noted() {
    let desk = Desk::with("blobs.csv", &five_blobs(60));
    let said = desk.says("cluster blobs.csv -k 5 --covariance diagonal --grouping mixture");
    assert!(
        said.contains("note: model latent-feature, because --grouping, --covariance are settings of it"),
        "{said}"
    );
    assert!(
        !desk.says("cluster blobs.csv -k 5 --model latent-feature --grouping mixture").contains("because")
    );
}

#[test]
fn matrices_with_names_phylip_and_edges_are_recognised_and_the_flag_is_named() {
    let desk = Desk::with("asym.tsv", "\ta\tb\tc\na\t0\t1\t2\nb\t3\t0\t4\nc\t5\t6\t0\n");
    let said = desk.refuses("cluster asym.tsv");
    assert!(said.contains("--input distances") && said.contains("--symmetrise mean"), "{said}");
    desk.write("d.csv", "3\na 0 1 2\nb 1 0 3\nc 2 3 0\n");
    assert!(desk.refuses("cluster d.csv").contains("--format phylip"));
    for edges in ["a,b,1\nb,c,2\nc,d,1\n", "source,target,similarity\na,b,1\nb,c,2\n"] {
        desk.write("pairs.csv", edges);
        let said = desk.refuses("cluster pairs.csv");
        assert!(said.contains("--input edges") && said.contains("--edge-values"), "{said}");
    }
}

#[test]
fn a_format_without_a_file_goes_to_standard_output() {
    let desk = Desk::with("points.csv", "name,x\na,0\nb,1\nc,9\nd,10\n");
    let printed = |flags: &str| {
        let run = desk.run(&format!("cluster points.csv --id-column name -k 2 -q {flags}"));
        String::from_utf8(run.stdout).unwrap()
    };
    assert_eq!(printed("--output-format csv"), "name,label\na,0\nb,0\nc,1\nd,1\n");
    assert!(printed("--probabilities").starts_with("name,label,p0,p1\na,0,"));
    let json: Value = serde_json::from_str(&printed("--output-format json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&printed("--json")).unwrap()["labels"], json["labels"]);
    assert!(desk.refuses("cluster points.csv -k 2 --json -o l.csv").contains("--json"));
    // What can be most of a large file is there only if it is asked for.
    assert!(json.get("graph").is_none() && json.get("candidates").is_none());
    let json: Value =
        serde_json::from_str(&printed("--output-format json --include graph,candidates")).unwrap();
    assert!(json["graph"].is_array() && json["candidates"][0]["labels"] == json["labels"]);
}

#[test]
fn too_few_sweeps_for_r_hat_are_said_in_words() {
    let desk = Desk::with("blobs.csv", &five_blobs(40));
    let said = desk.says("cluster blobs.csv -k 5 --inference sample --n-sweeps 1 --n-chains 1");
    assert!(said.contains("too few sweeps for R-hat") && !said.contains("NaN"), "{said}");
}

#[test]
fn new_items_that_are_like_no_cluster_are_counted() {
    let desk = Desk::with("blobs.csv", &five_blobs(100));
    desk.says("cluster blobs.csv -k 5 --save-model m.similis -q");
    desk.write("far.csv", "x,y\n1e9,1e9\n");
    let said = desk.says("predict m.similis far.csv");
    assert!(said.contains("1 new item by points") && said.contains("; 1 like no cluster"), "{said}");
    assert!(desk.says("predict m.similis blobs.csv").contains("; 0 like no cluster"));
    desk.write("both.csv", "x,y\n1e9,1e9\n3.5,2.5\n");
    desk.says("predict m.similis both.csv --scores --probabilities -o scores.csv");
    let table = desk.read("scores.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][..5], ["index", "label", "log_density", "outlier_score", "p0"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!(number(1, 3) > 0.99 && number(2, 3) < 0.9 && number(1, 2) < number(2, 2), "{table}");
    desk.says("predict m.similis both.csv --scores -o scores.json");
    assert_eq!(desk.json("scores.json")["outlier_scores"][1].as_f64().unwrap(), number(2, 3));
    assert!(desk.refuses("predict m.similis both.csv --scores -o scores.txt").contains("--scores"));
}

#[test]
fn a_workbook_and_a_reversed_range_are_answered_kindly() {
    let desk = Desk::with("real.xlsx", "PK\u{3}\u{4}");
    assert!(desk.refuses("cluster real.xlsx").contains("save the sheet as CSV"));
    desk.write("points.csv", "1,2\n3,4\n5,6\n");
    let said = desk.refuses("cluster points.csv --n-clusters 3-2");
    assert!(said.contains("got 3-2; the smaller number comes first"), "{said}");
}

#[test]
fn axes_count_columns_as_flags_do() {
    let desk = Desk::with("points.csv", "1.5,2\n3,4.5\n5,6\n");
    desk.says("cluster points.csv -k 1 --plot p.svg");
    let svg = desk.read("p.svg");
    assert!(svg.contains(">column 1<") && svg.contains(">column 2<"), "{svg}");
}

#[test]
fn rows_with_missing_values_are_left_out_if_asked_for() {
    let desk = Desk::with("gaps.csv", "x,y\n0,0\n,1\n1,NA\n0,1\n9,9\n9,8\n");
    assert!(desk.refuses("cluster gaps.csv -k 2").contains("--missing drop"));
    let said = desk.says("cluster gaps.csv -k 2 --missing drop -o labels.csv");
    assert!(said.contains("2 of 6 rows are left out") && said.contains("4 points in 2 columns"), "{said}");
    assert_eq!(desk.read("labels.csv"), "id,label\n0,0\n3,0\n4,1\n5,1\n");
}

#[test]
fn the_score_of_very_many_points_is_said_to_be_that_of_a_sample() {
    let desk = Desk::with("none.csv", "");
    desk.says("generate two-rings -n 20500 --no-labels -o rings.csv");
    let said = desk.says("cluster rings.csv -k 2 -o labels.txt");
    assert!(said.contains("(of a sample of 10000 points)"), "{said}");
    assert_eq!(desk.read("labels.txt").lines().count(), 20_500);
}

#[test]
fn what_decided_the_number_of_clusters_of_a_graph_is_said() {
    // Two rings of cliques: eight blocks in two components.
    let clique = |first: usize| {
        let pairs = (0..30).flat_map(move |i| (0..i).map(move |j| (first + i, first + j)));
        pairs.fold(String::new(), |all, (i, j)| all + &format!("n{i} n{j}\n"))
    };
    let bridge = |ring: usize, at: usize| {
        format!("n{} n{}\n", 120 * ring + 30 * at, 120 * ring + (30 * at + 31) % 120)
    };
    let bridges = (0..2).flat_map(|ring| (0..4).map(move |at| bridge(ring, at))).collect::<String>();
    let desk = Desk::with(
        "rings.edgelist",
        &((0..8).map(|block| clique(30 * block)).collect::<String>() + &bridges),
    );
    let said = desk.says("cluster rings.edgelist --input edges -o fit.json");
    assert!(said.contains("8 clusters; the number of clusters is that of blocks of the graph"), "{said}");
    assert_eq!(desk.json("fit.json")["number_by"], "blocks");
    desk.write("two.txt", &triangles(0));
    let said = desk.says(&format!("cluster two.txt {EDGES} --report r.html"));
    assert!(
        said.contains("2 clusters; the number of clusters is that of the components of the graph"),
        "{said}"
    );
    assert!(desk.read("r.html").contains("that of the components of the graph"));
    let said = desk.says(&format!("cluster two.txt {EDGES} -k 2 -o fit.json"));
    assert!(
        !said.contains("the number of clusters is") && desk.json("fit.json")["number_by"] == "given",
        "{said}"
    );
    desk.write("blobs.csv", &five_blobs(100));
    let said = desk.says("cluster blobs.csv --model latent-feature");
    assert!(said.contains("is that of the largest gap between eigenvalues"), "{said}");
}

#[test]
fn other_names_and_places_are_understood() {
    let desk = Desk::with("blobs.csv", &five_blobs(100));
    for (other, name) in [("l2", "euclidean"), ("l1", "manhattan"), ("cityblock", "manhattan")] {
        desk.says(&format!("cluster blobs.csv -k 5 --metric {other} -o other.json"));
        desk.says(&format!("cluster blobs.csv -k 5 --metric {name} -o name.json"));
        assert_eq!(desk.json("other.json")["log_joint"], desk.json("name.json")["log_joint"], "{other}");
    }
    let said = desk.refuses("tree blobs.csv -o t.nwk");
    assert!(said.contains(".csv (similis linkage writes Newick)"), "{said}");
    assert!(desk.refuses("cluster blobs.csv -o labels").contains("--output-format"));
    #[cfg(unix)]
    desk.says("cluster blobs.csv -k 5 -o /dev/null");
}
