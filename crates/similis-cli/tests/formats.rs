//! Files of every format, as a user meets them.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

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

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) {
    fs::write(folder.path().join(name), content).unwrap();
}

/// Four items in two pairs, as a matrix.
const PAIRS: [[f64; 4]; 4] =
    [[0.0, 1.0, 9.0, 8.0], [1.0, 0.0, 7.0, 9.5], [9.0, 7.0, 0.0, 2.0], [8.0, 9.5, 2.0, 0.0]];

/// Text of these lines.
fn joined_lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The lines of a text with a row for each item.
fn lines(row: impl Fn(usize) -> String) -> String {
    (0..4).map(|i| row(i) + "\n").collect()
}

fn joined(values: &[f64], delimiter: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(delimiter)
}

/// The same distances in every text form that has room for names.
fn named_files() -> Vec<(&'static str, String)> {
    let name = ["ape, great", "bee", "cat", "dog"];
    let plain = |i: usize| name[i].replace(", ", "_");
    let entries = || (0..4).flat_map(|i| (0..i).map(move |j| (i, j, PAIRS[i][j])));
    vec![
        (
            "named.csv",
            ",\"ape, great\",bee,cat,dog\n".to_owned()
                + &lines(|i| format!("\"{}\",{}", name[i], joined(&PAIRS[i], ","))),
        ),
        ("square.txt", lines(|i| format!("\"{}\" {}", name[i], joined(&PAIRS[i], " ")))),
        ("lower.txt", lines(|i| format!("\"{}\" {}", name[i], joined(&PAIRS[i][..i], " ")))),
        ("lower.tsv", lines(|i| format!("{}\t{}", plain(i), joined(&PAIRS[i][..=i], "\t")))),
        ("square.phy", "4\n".to_owned() + &lines(|i| format!("{} {}", plain(i), joined(&PAIRS[i], "  ")))),
        (
            "wrapped.phy",
            "  4\n".to_owned()
                + &lines(|i| format!("{} {}\n {}", plain(i), joined(&PAIRS[i][..3], " "), PAIRS[i][3])),
        ),
        ("lower.phy", "4\n".to_owned() + &lines(|i| format!("{} {}", plain(i), joined(&PAIRS[i][..i], " ")))),
        (
            "strict.phy",
            "4\n".to_owned()
                + &lines(|i| format!("{:10}{}", name[i].replace(',', ""), joined(&PAIRS[i], " "))),
        ),
        (
            "edges.csv",
            joined_lines(entries().map(|(i, j, d)| format!("\"{}\",\"{}\",{d}", name[i], name[j]))),
        ),
    ]
}

#[test]
fn distances_with_names_are_read_in_every_text_form() {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in named_files() {
        write(&folder, file, content);
        let edges = if file.starts_with("edges") {
            "--input edges --edge-values distances"
        } else {
            "--input distances"
        };
        answer(&folder, &format!("cluster {file} {edges} -k 2 -q -o labels.csv"));
        let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
        let rows: Vec<&str> = labels.lines().collect();
        assert_eq!(rows.len(), 5, "{file}: {labels}");
        let of = |item: &str| {
            rows.iter().find(|row| row.contains(item)).unwrap().rsplit(',').next().unwrap().to_owned()
        };
        assert_eq!((of("ape"), of("cat")), (of("bee"), of("dog")), "{file}: {labels}");
        assert_ne!(of("ape"), of("cat"), "{file}: {labels}");
    }
}

#[test]
fn matrix_market_is_read_dense_and_sparse_general_and_symmetric() {
    let folder = tempfile::tempdir().unwrap();
    let lower = || (0..4).flat_map(|i| (0..i).map(move |j| (i + 1, j + 1, PAIRS[i][j])));
    let both = || lower().flat_map(|(i, j, d)| [(i, j, d), (j, i, d)]);
    let listed = |entries: Vec<(usize, usize, f64)>| {
        joined_lines(entries.iter().map(|(i, j, d)| format!("{i} {j} {d}")))
    };
    let by_columns = joined_lines((0..16).map(|k| PAIRS[k % 4][k / 4].to_string()));
    let lower_columns = joined_lines((0..4).flat_map(|j| (j..4).map(move |i| PAIRS[i][j].to_string())));
    for (banner, sizes, entries) in [
        ("array real general", "4 4", by_columns),
        ("array real symmetric", "4 4", lower_columns),
        ("coordinate real general", "4 4 12", listed(both().collect())),
        ("coordinate real symmetric", "4 4 6", listed(lower().collect())),
    ] {
        write(
            &folder,
            "pairs.mtx",
            format!("%%MatrixMarket matrix {banner}\n% made by hand\n{sizes}\n{entries}"),
        );
        assert_eq!(
            answer(&folder, "cluster pairs.mtx --input distances -k 2 -q"),
            "0\n0\n1\n1\n",
            "{banner}"
        );
    }
    // Two components of a pair each: a pattern lists links alone.
    write(&folder, "links.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3\n");
    assert_eq!(answer(&folder, "cluster links.mtx --input similarities -k 2 -q"), "0\n0\n1\n1\n");
    let doubt = similis(&folder, "cluster links.mtx -k 2");
    assert!(String::from_utf8_lossy(&doubt.stderr).contains("--input distances, similarities or points"));
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn gzipped_files_and_standard_input_are_read_like_plain_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read(testdata("two-scales.csv")).unwrap();
    write(&folder, "points.csv", &text);
    write(&folder, "points.csv.gz", gzipped(&text));
    // Packed, whatever the name says.
    write(&folder, "packed.csv", gzipped(&text));
    let labels = answer(&folder, "cluster points.csv -k 2 -q");
    for file in ["points.csv.gz", "packed.csv"] {
        assert_eq!(answer(&folder, &format!("cluster {file} -k 2 -q")), labels, "{file}");
    }
    for bytes in [text.clone(), gzipped(&text)] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_similis"))
            .args(["cluster", "-", "-k", "2", "-q"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        run.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), labels);
    }
    write(&folder, "cut.csv.gz", &gzipped(&text)[..200]);
    let cut = similis(&folder, "cluster cut.csv.gz");
    assert_eq!(cut.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&cut.stderr).contains("cut.csv.gz must be whole"), "{cut:?}");
}

#[test]
fn a_name_and_first_bytes_that_disagree_are_told() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "points.dat", "1,2\n3,4\n5,6\n9,9\n");
    let unknown = similis(&folder, "cluster points.dat -k 2");
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("--format csv"), "{unknown:?}");
    answer(&folder, "cluster points.dat --format csv -k 2 -q");
    write(&folder, "array.csv", b"\x93NUMPY\x01\0");
    let other = similis(&folder, "cluster array.csv -k 2");
    assert!(String::from_utf8_lossy(&other.stderr).contains("begins like npy"), "{other:?}");
}

#[test]
fn names_come_back_from_every_command_that_lists_items() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "edges.csv", "\"a, b\",c,1\nc,d,2\n");
    let input = "edges.csv --input edges --edge-values distances -q";
    assert_eq!(answer(&folder, &format!("tree {input}")), "from,to,length\n\"a, b\",c,1\nc,d,2\n");
    let near = answer(&folder, &format!("neighbours {input} -k 1"));
    assert_eq!(near, "i,j,distance\n\"a, b\",c,1\nc,\"a, b\",1\nd,c,2\n");
    let embedded = answer(&folder, &format!("embed {input} -t 1"));
    assert!(embedded.starts_with("id,feature0\n\"a, b\","), "{embedded}");
    assert_eq!(answer(&folder, &format!("tree {input} -o -")), answer(&folder, &format!("tree {input}")));
}

#[test]
fn everything_can_pass_through_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_similis");
    let line = format!(
        "{program} generate five-blobs -n 60 -q | {program} convert - - --label-column label --output-format npy \
         | {program} cluster - -k 5 -q --output - --output-format json"
    );
    let run = Command::new("sh").current_dir(&folder).args(["-c", &line]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let fit: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(fit["sizes"], serde_json::json!([12, 12, 12, 12, 12]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
