//! Seven ways in which people use the command, each from the files they have to the right answer.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with files, and the command run in it.
struct Desk(TempDir);

impl Desk {
    fn with(files: &[(&str, String)]) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| fs::write(desk.path(name), text).unwrap());
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        command.args(line.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    /// What a run does that is given this on standard input.
    fn given(&self, line: &str, text: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        let piped = command.args(line.split_whitespace()).current_dir(&self.0).stdin(Stdio::piped());
        let mut child = piped.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// What a run that must succeed says on standard error.
    fn says(&self, line: &str) -> String {
        let run = self.run(line);
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(0), "{line}: {said}");
        said
    }

    /// The message of a run that must be refused.
    fn refuses(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.status.code(), Some(2), "{line}");
        String::from_utf8(run.stderr).unwrap()
    }
}

/// Customers of two kinds: young with low incomes, old with high ones; a name, a gap, a column of text, a known class.
fn customers() -> String {
    let mut text = "customer_id,age,income,member,town,kind\n".to_owned();
    for i in 0..60 {
        let (age, income, member) = match i % 2 {
            0 => (22 + i % 7, 21_000 + 97 * i, 0),
            _ => (58 + i % 9, 64_000 + 113 * i, 1),
        };
        let age = if i == 10 { String::new() } else { age.to_string() };
        let (town, kind) = (["Ulm", "Bonn"][i % 2], ["young", "old"][i % 2]);
        writeln!(text, "C{i:03},{age},{income},{member},{town},{kind}").unwrap();
    }
    text
}

#[test]
fn a_data_scientist_with_a_mixed_table() {
    let desk = Desk::with(&[("customers.csv", customers())]);
    // Each message names the flag that leads on.
    assert!(desk.refuses("cluster customers.csv").contains("--id-column"));
    let common =
        "cluster customers.csv --id-column customer_id --label-column kind --columns age,income,member";
    assert!(desk.refuses(common).contains("--missing drop"));
    assert!(desk.says(&format!("{common} --missing drop")).contains("--standardise"));
    let flags = "--missing drop --standardise -k 2 -o labels.csv --with-input --report r.html";
    let said = desk.says(&format!("{common} {flags}"));
    assert!(said.contains("1 of 60 rows is left out") && said.contains("adjusted Rand index 1.00"), "{said}");
    let labels = desk.read("labels.csv");
    assert!(
        labels.starts_with("customer_id,age,income,member,kind,label\nC000,22,21000,0,young,0\n"),
        "{labels}"
    );
    // What one shows to colleagues: means and shares in the units of the file.
    let page = desk.read("r.html");
    assert!(page.contains("<table id=\"profiles\">") && page.contains("high income"), "profiles");
    desk.says(&format!("{common} --missing drop --standardise -k 2 -o fit.json"));
    let fit: Value = serde_json::from_str(&desk.read("fit.json")).unwrap();
    let mean = &fit["profiles"][1]["columns"];
    let income = mean.as_array().unwrap().iter().find(|column| column["column"] == "income").unwrap();
    assert!((income["mean"].as_f64().unwrap() - 67_390.0).abs() < 1.0, "{income}");
}

/// Distances of two families of organisms, as PHYLIP.
fn phylip() -> String {
    let apart = |i: usize, j: usize| match (i == j, (i < 4) == (j < 4)) {
        (true, _) => 0.0,
        (_, true) => 0.1 + 0.01 * (i + j) as f64,
        (_, false) => 0.9,
    };
    let mut text = "8\n".to_owned();
    for i in 0..8 {
        let row: Vec<String> = (0..8).map(|j| format!("{:.2}", apart(i, j))).collect();
        writeln!(text, "{}{i} {}", if i < 4 { "Ecoli" } else { "Vibrio" }, row.join(" ")).unwrap();
    }
    text
}

/// A one-dimensional array of NumPy.
fn npy(values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn a_bioinformatician_with_distances() {
    let desk = Desk::with(&[("d.phy", phylip())]);
    desk.says("cluster d.phy -k 2 -o clades.tsv --plot tree.pdf --plot-kind dendrogram --plot-title Clades");
    let clades = desk.read("clades.tsv");
    assert!(clades.starts_with("id\tlabel\nEcoli0\t0\n") && clades.ends_with("Vibrio7\t1\n"), "{clades}");
    assert!(fs::read(desk.path("tree.pdf")).unwrap().starts_with(b"%PDF"));
    desk.says("linkage d.phy -o tree.nwk");
    let tree = desk.read("tree.nwk");
    assert!(tree.ends_with(");\n") && (0..4).all(|i| tree.contains(&format!("Ecoli{i}:"))), "{tree}");
    desk.says("cluster d.phy -k 2 -q --plot names.svg --plot-kind matrix");
    assert!(desk.read("names.svg").contains(">Vibrio5</text>"));
    // On standard input the message names the flag that leads on.
    let refused = desk.given("cluster -", &phylip());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("--format phylip"));
    let piped = desk.given("cluster - --format phylip -k 2 -q", &phylip());
    assert_eq!(piped.stdout, b"0\n0\n0\n0\n1\n1\n1\n1\n");
    // SciPy's condensed distances, which are not taken for points of one column.
    let row = |i: usize| phylip().lines().nth(i + 1).unwrap().split(' ').skip(1).map(str::to_owned).collect();
    let lengths = |i: usize| -> Vec<f64> {
        let row: Vec<String> = row(i);
        row[i + 1..].iter().map(|length| length.parse().unwrap()).collect()
    };
    fs::write(desk.path("condensed.npy"), npy(&(0..8).flat_map(lengths).collect::<Vec<_>>())).unwrap();
    assert!(desk.refuses("cluster condensed.npy").contains("--input distances"));
    let condensed = desk.run("cluster condensed.npy --input distances -k 2 -q");
    assert_eq!(condensed.stdout, piped.stdout);
}

#[test]
fn someone_with_a_graph() {
    let pairs = "source,target\nann,bob\nbob,cy\ncy,ann\ndan,eve\neve,fay\nfay,dan\ncy,dan\n";
    let numbered = "101 102 0.9\n102 103 0.8\n101 103 0.9\n204 205 0.9\n205 206 0.8\n204 206 0.7\n";
    let desk = Desk::with(&[("friends.csv", pairs.to_owned()), ("weights.txt", numbered.to_owned())]);
    assert!(desk.refuses("cluster friends.csv").contains("--input edges"));
    let said = desk.says("cluster friends.csv --input edges -k 2 -o friends.tsv");
    assert!(said.contains("the edges have no values: every one counts 1"), "{said}");
    assert_eq!(desk.read("friends.tsv"), "id\tlabel\nann\t0\nbob\t0\ncy\t0\ndan\t1\neve\t1\nfay\t1\n");
    assert!(desk.refuses("cluster weights.txt --input edges").contains("--edge-values"));
    let said = desk.says("cluster weights.txt --input edges --edge-values similarities -o w.csv");
    assert!(said.contains("6 items with ids from 101 to 206"), "{said}");
    assert_eq!(desk.read("w.csv"), "id,label\n101,0\n102,0\n103,0\n204,1\n205,1\n206,1\n");
}

#[test]
fn a_list_of_edges_in_numbers_is_asked_about() {
    let edges = (0..12).fold(String::new(), |all, i| all + &format!("{},{},0.5\n", i, (i + 1) % 12));
    let desk = Desk::with(&[("ring.csv", edges)]);
    assert!(desk.says("cluster ring.csv -k 2").contains("give --input edges"));
    // Points in space are not.
    let points = (0..12).fold(String::new(), |all, i| all + &format!("{}.5,{},1\n", i, i * i % 7));
    fs::write(desk.path("points.csv"), points).unwrap();
    assert!(!desk.says("cluster points.csv -k 2").contains("--input edges"));
}

#[test]
fn an_engineer_with_limits_and_json() {
    let desk = Desk::with(&[]);
    desk.says("generate five-blobs -n 1500 --no-labels -o blobs.csv");
    let said = desk.refuses("cluster blobs.csv -k 5 --memory-limit 10KB");
    assert!(said.contains("memory") && said.contains("--memory-limit"), "{said}");
    let run = desk.run("cluster blobs.csv --time-limit 0.000001 -o cut.json");
    assert_eq!(run.status.code(), Some(3));
    let said = desk.says("cluster blobs.csv -k 5 -v -o fit.json");
    // A line a phase, while it runs: standard error is no terminal here.
    let (before, _) = said.split_once("5 clusters").unwrap();
    assert!(before.contains(" s  reading") && before.contains(" s  local search"), "{said}");
    let fit: Value = serde_json::from_str(&desk.read("fit.json")).unwrap();
    assert_eq!((&fit["n_points"], &fit["n_clusters"]), (&1500.into(), &5.into()));
    for key in ["seconds", "warnings", "settings", "version", "profiles"] {
        assert!(!fit[key].is_null(), "{key}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn an_engineer_with_parquet() {
    let desk = Desk::with(&[]);
    desk.says("generate five-blobs -n 1500 --no-labels -o blobs.csv");
    desk.says("generate five-blobs -n 1500 -o classes.csv");
    desk.says("convert blobs.csv blobs.parquet");
    let said =
        desk.says("cluster blobs.parquet -k 5 --memory-limit 1GB --time-limit 3600 -o labels.parquet -v");
    assert!(said.contains("1500 points in 2 columns: x, y"), "{said}");
    let scored = desk.says("convert labels.parquet labels.csv --columns label");
    assert!(!scored.contains("warning"), "{scored}");
    let column = |name: &str, at: usize| -> Vec<String> {
        desk.read(name).lines().skip(1).map(|row| row.split(',').nth(at).unwrap().to_owned()).collect()
    };
    let (found, classes) = (column("labels.csv", 0), column("classes.csv", 2));
    assert_eq!(found.len(), 1500);
    let pairs: std::collections::BTreeSet<_> = found.iter().zip(&classes).collect();
    assert_eq!(pairs.len(), 5, "each cluster is a class: {pairs:?}");
}

#[cfg(unix)]
#[test]
fn an_engineer_whose_scheduler_ends_the_run() {
    let desk = Desk::with(&[]);
    desk.says("generate five-blobs -n 600 -o blobs.csv");
    // Work without an end, as far as a scheduler is concerned.
    let line = "cluster blobs.csv --columns x,y --label-column label -k 5 --inference sample --n-sweeps 100000000 -v -o fit.json";
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let mut run = command.args(line.split(' ')).current_dir(&desk.0).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|phase| phase.ends_with("s  sampling")));
    Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
    let rest = said.collect::<Vec<_>>().join("\n");
    assert_eq!(run.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("best answer so far"), "{rest}");
    let fit: Value = serde_json::from_str(&desk.read("fit.json")).unwrap();
    assert_eq!(fit["labels"].as_array().unwrap().len(), 600);
    assert_eq!((&fit["n_clusters"], &fit["agreement"]["adjusted_rand_index"]), (&5.into(), &1.0.into()));
}

#[test]
fn a_researcher_who_repeats_the_paper() {
    let desk = Desk::with(&[]);
    desk.says("generate two-rings -n 120 -o rings.csv --seed 1");
    let common = "cluster rings.csv --columns x,y --label-column label -k 2";
    desk.says(&format!("{common} --preset paper --n-restarts 2 --plot t.svg --plot-kind trace"));
    let said = desk.says(&format!("{common} --inference search -o l.csv"));
    assert!(said.contains("adjusted Rand index 1.00"), "{said}");
    let scored = desk.run("score rings.csv --columns x,y --labels l.csv --json");
    let json: Value = serde_json::from_slice(&scored.stdout).unwrap();
    assert!(json["score"].is_object() || json["score"].is_number(), "{json}");
    assert!(
        desk.says("compare rings.csv --columns x,y -k 2 --variants search,meila-shi").contains("done in")
    );
}

#[test]
fn someone_who_makes_mistakes() {
    let desk = Desk::with(&[("points.csv", "x,y\n0,0\n0,1\n9,9\n9,8\n".to_owned())]);
    for (line, says) in [
        ("cluster ponts.csv", "ponts.csv"),
        ("clutser points.csv", "cluster"),
        ("cluster points.csv --standardize", "--standardise"),
        ("cluster points.csv -k 9", "9"),
        ("cluster points.csv -k 2 -o l.xls", ".csv, .tsv"),
        ("cluster points.csv -k 2 -o l.txt --with-input", "write .csv, .tsv, .parquet or .arrow"),
        ("cluster points.csv -k 2 --plot p.jpg", ".svg, .png or .pdf"),
        ("cluster points.csv -k 2 --plot-kind dendogram --plot p.svg", "dendrogram"),
        ("cluster points.csv -k 2 -o points.csv", "points.csv"),
    ] {
        let said = desk.refuses(line);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert_eq!(desk.read("points.csv"), "x,y\n0,0\n0,1\n9,9\n9,8\n");
}

#[test]
fn what_is_odd_is_said() {
    let desk = Desk::with(&[
        ("points.csv", "x,y\n0,0\n0,1\n9,9\n9,8\n".to_owned()),
        ("one.csv", "x,y\n0,0.5\n".to_owned()),
        ("twins.phy", "3\nA 0 1 2\nA 1 0 3\nC 2 3 0\n".to_owned()),
        ("below.phy", "3\nA 0 -1 2\nB -1 0 3\nC 2 3 0\n".to_owned()),
        ("upper.phy", "3\nA 1 2\nB 3\nC\n".to_owned()),
    ]);
    for (line, says) in [
        ("cluster points.csv -k 2 --plot-kind matrix", "--plot-kind has no effect: there is no --plot"),
        ("cluster points.csv -k 2 --array x", "--array has no effect: the file is not .npz"),
        ("cluster one.csv", "there is one item: it is one cluster"),
        ("cluster twins.phy -k 2", "2 items are called \"A\""),
    ] {
        let said = desk.says(line);
        assert!(said.contains(says), "{line}: {said}");
    }
    // A prior that makes the longest links the likeliest.
    let said = desk.says("cluster points.csv -k 2 --typical-length 100");
    assert!(
        said.contains("is above that of the background") && said.contains("shorter --typical-length"),
        "{said}"
    );
    assert!(!desk.says("cluster points.csv -k 2").contains("above that of the background"));
    let said = desk.refuses("cluster below.phy -k 2");
    assert!(said.contains("row 1, column 2") && said.contains("-1"), "{said}");
    assert!(desk.refuses("cluster upper.phy -k 2").contains("of the lower triangle"));
    #[cfg(not(feature = "parquet"))]
    assert!(desk.refuses("cluster points.csv -o l.parquet").contains("neither reads nor writes parquet"));
}
