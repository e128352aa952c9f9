//! `similis neighbours`, `similis tree` and `similis linkage`: tables of pairs, and the dendrogram.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the command in a folder with the files of [`FILES`].
fn similis(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

/// Standard output of a run that must succeed.
fn answer(folder: &Path, arguments: &str) -> String {
    let run = similis(folder, arguments);
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Points at 0, 1, 3 and 7 in every form they can be given in; kernel: similarities; parts: pairs in two parts.
const FILES: [(&str, &str); 5] = [
    ("points.csv", "0\n1\n3\n7\n"),
    ("distances.csv", "0,1,3,7\n1,0,2,6\n3,2,0,4\n7,6,4,0\n"),
    ("kernel.csv", "1,0.9,0.1\n0.9,1,0.5\n0.1,0.5,1\n"),
    ("edges.csv", "0,1,1\n1,2,2\n0,2,3\n2,3,4\n"),
    ("parts.csv", "0,1,1\n2,3,5\n"),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    FILES.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    folder
}

#[test]
fn tables_are_what_they_are_by_hand() {
    let nearest = "i,j,distance\n0,1,1\n1,0,1\n2,1,2\n3,2,4\n";
    let tree = "from,to,length\n0,1,1\n1,2,2\n2,3,4\n";
    let cases = [
        ("neighbours points.csv -k 1", nearest),
        ("neighbours points.csv -k 1 --exact --seed 3", nearest),
        ("neighbours distances.csv --input distances -k 1", nearest),
        ("neighbours edges.csv --input edges --edge-values distances -k 1", nearest),
        ("neighbours kernel.csv --input similarities -k 1", "i,j,similarity\n0,1,0.9\n1,0,0.9\n2,1,0.5\n"),
        // As many as there are.
        (
            "neighbours parts.csv --input edges --edge-values distances -k 9",
            "i,j,distance\n0,1,1\n1,0,1\n2,3,5\n3,2,5\n",
        ),
        ("tree points.csv", tree),
        ("tree distances.csv --input distances --threads 3", tree),
        ("tree edges.csv --input edges --edge-values distances", tree),
        ("tree kernel.csv --input similarities", "from,to,similarity\n0,1,0.9\n1,2,0.5\n"),
        ("tree parts.csv --input edges --edge-values distances", "from,to,length\n0,1,1\n2,3,5\n"),
    ];
    let folder = folder();
    for (arguments, expected) in cases {
        assert_eq!(answer(folder.path(), arguments), expected, "{arguments}");
        let quiet = format!("{arguments} --output table.csv --quiet");
        assert_eq!(answer(folder.path(), &quiet), "");
        assert_eq!(fs::read_to_string(folder.path().join("table.csv")).unwrap(), expected, "{arguments}");
    }
}

#[test]
fn a_line_of_json_comes_last_and_tables_only_where_asked_for() {
    let folder = folder();
    let cases = [
        ("neighbours points.csv -k 2", "pairs", Value::from(8)),
        ("neighbours points.csv -k 2", "exact", Value::from(true)),
        ("tree points.csv", "weight", Value::from(7.0)),
        ("tree kernel.csv --input similarities", "weight", Value::from(1.4)),
    ];
    for (arguments, key, expected) in cases {
        for output in ["", " -o table.csv"] {
            let text = answer(folder.path(), &format!("{arguments} --json{output}"));
            assert_eq!(text.lines().count(), 1, "{text}");
            let json: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(json[key], expected, "{arguments}");
            assert!(json["seconds"].as_f64().unwrap() >= 0.0);
            assert_eq!(folder.path().join("table.csv").exists(), !output.is_empty());
        }
        fs::remove_file(folder.path().join("table.csv")).unwrap();
    }
}

#[test]
fn parts_that_no_pair_joins_are_counted() {
    let run = similis(folder().path(), "tree parts.csv --input edges --edge-values distances --quiet");
    assert_eq!(
        String::from_utf8(run.stderr).unwrap(),
        "note: the graph of observed pairs has 2 components: a tree for each\n"
    );
}

#[test]
fn neighbours_can_be_clustered_as_edges() {
    let folder = folder();
    answer(folder.path(), "neighbours points.csv -k 2 -o pairs.csv");
    let labels = answer(
        folder.path(),
        "cluster pairs.csv --input edges --edge-values distances --symmetrise mean -k 1 -q",
    );
    assert_eq!(labels, "0\n0\n0\n0\n");
}

#[test]
fn lists_that_may_miss_some_say_so_and_threads_and_the_seed_change_nothing() {
    let folder = folder();
    let mut points = String::new();
    for i in 0..4500u64 {
        let field = |k: u64| (i * 20 + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        writeln!(points, "{}", (0..20).map(|k| field(k).to_string()).collect::<Vec<_>>().join(",")).unwrap();
    }
    fs::write(folder.path().join("many.csv"), points).unwrap();
    let command = "neighbours many.csv --metric hamming -k 3 --seed 1";
    let run = similis(folder.path(), command);
    assert!(String::from_utf8_lossy(&run.stderr).contains("a few may be missed"));
    let lists = String::from_utf8(run.stdout).unwrap();
    assert_eq!(lists.lines().count(), 1 + 3 * 4500);
    assert_eq!(lists, answer(folder.path(), &format!("{command} --threads 1")));
    let exact = answer(folder.path(), &format!("{command} --exact --json"));
    assert!(exact.contains("\"exact\":true"), "{exact}");
}

#[test]
fn bad_calls_say_what_to_do_and_write_nothing() {
    let cases = [
        ("neighbours points.csv -k 0", "n_neighbours must be at least 1"),
        ("neighbours points.csv -k x", "--n-neighbours"),
        ("neighbours points.csv -o points.csv", "would be written over"),
        ("neighbours points.csv -o lists.txt", "lists.txt must end in .csv"),
        ("neighbours nowhere.csv", "nowhere.csv"),
        ("neighbours edges.csv --input edges", "--edge-values"),
        ("tree points.csv --input distances", "square"),
        ("tree points.csv -o no/folder/tree.csv", "no/folder"),
        ("tree points.csv --n-restarts 3", "--n-restarts"),
        ("tree nowhere.npy", "nowhere.npy"),
    ];
    let folder = folder();
    for (arguments, expected) in cases {
        let run = similis(folder.path(), arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments}");
        assert!(run.stdout.is_empty());
        let message = String::from_utf8(run.stderr).unwrap();
        assert!(message.contains(expected), "{arguments}: {message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), FILES.len());
}

#[test]
fn a_dendrogram_is_written_as_scipy_and_newick_have_it() {
    let folder = folder();
    let linkage = "first,second,height,size\n0,1,1,2\n2,4,2,3\n3,5,4,4\n";
    assert_eq!(answer(folder.path(), "linkage points.csv"), linkage);
    assert_eq!(answer(folder.path(), "linkage distances.csv --input distances"), linkage);
    let tree = "(3:2,(2:1,(0:0.5,1:0.5):0.5):1);\n";
    assert_eq!(answer(folder.path(), "linkage points.csv --output-format newick"), tree);
    assert_eq!(answer(folder.path(), "linkage points.csv -o tree.nwk"), "");
    assert_eq!(fs::read_to_string(folder.path().join("tree.nwk")).unwrap(), tree);
    fs::write(folder.path().join("names.csv"), "id,x\nHomo sapiens,0\nmouse,1\nrat,3\n").unwrap();
    let named = answer(folder.path(), "linkage names.csv --id-column id --output-format newick");
    assert_eq!(named, "(rat:1,('Homo sapiens':0.5,mouse:0.5):0.5);\n");
    let json: Value = serde_json::from_str(&answer(folder.path(), "linkage points.csv --json")).unwrap();
    assert_eq!((&json["merges"], &json["height"]), (&3.into(), &4.0.into()));
}

#[test]
fn what_has_no_dendrogram_is_refused_with_what_to_try() {
    let folder = folder();
    for (arguments, says) in [
        ("linkage points.csv -o tree.txt", "tree.txt must end in .csv, .nwk"),
        ("linkage points.csv -o none/tree.nwk", "no "),
        ("linkage points.csv -o points.csv", "points.csv"),
        ("linkage kernel.csv --input similarities", "--conversion"),
        ("linkage parts.csv --input edges --edge-values distances", "2"),
    ] {
        let run = similis(folder.path(), arguments);
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(says), "{arguments}: {said}");
    }
}
