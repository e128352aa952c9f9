//! Damaged and odd input: a message with place and cure, exit code 2, nothing written; what is only odd is read.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A file, the arguments behind it, and what the message must say: first the place, last the cure.
struct Damaged(&'static str, Vec<u8>, &'static str, &'static [&'static str]);

fn text(
    name: &'static str,
    content: &str,
    arguments: &'static str,
    says: &'static [&'static str],
) -> Damaged {
    Damaged(name, content.as_bytes().to_vec(), arguments, says)
}

/// A `.npy` file with the header `numpy.save` would write.
fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn whole(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A sparse matrix as SciPy keeps it, of two rows, with these columns.
fn sparse(format: &[u8], columns: &[i64]) -> Vec<u8> {
    npz(&[
        ("format", npy("|S3", "()", format)),
        ("shape", npy("<i8", "(2,)", &whole(&[2, 2]))),
        ("indptr", npy("<i8", "(3,)", &whole(&[0, 1, 2]))),
        ("indices", npy("<i8", "(2,)", &whole(columns))),
        ("data", npy("<f8", "(2,)", &floats(&[1.0, 1.0]))),
    ])
}

/// A sparse matrix without entries that says it is of 2^60 rows and columns.
fn vast() -> Vec<u8> {
    npz(&[
        ("format", npy("|S3", "()", b"coo")),
        ("shape", npy("<i8", "(2,)", &whole(&[1 << 60, 1 << 60]))),
        ("row", npy("<i8", "(0,)", &[])),
        ("col", npy("<i8", "(0,)", &[])),
        ("data", npy("<f8", "(0,)", &[])),
    ])
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn damaged_arrays() -> Vec<Damaged> {
    let array = npy("<f8", "(2, 2)", &floats(&[1.0, 2.0, 3.0, 4.0]));
    let two = npz(&[("a", array.clone()), ("b", array.clone())]);
    vec![
        Damaged(
            "cut.npy",
            array[..array.len() - 5].to_vec(),
            "",
            &["cut.npy", "32 bytes, got 27", "save it again"],
        ),
        Damaged("header.npy", array[..30].to_vec(), "", &["header.npy", "header", "save the array again"]),
        Damaged("magic.npy", b"not an array".to_vec(), "", &["magic.npy", "\\x93NUMPY", "numpy.save"]),
        Damaged(
            "huge.npy",
            npy("<f8", "(4611686018427387904, 8)", &[0; 8]),
            "",
            &["huge.npy", "must take", "save it again"],
        ),
        Damaged(
            "huge.npy.gz",
            gzipped(&npy("<f8", "(9223372036854775808, 4)", &[0; 8])),
            "",
            &["huge.npy.gz", "check that this is the right file", "--memory-limit"],
        ),
        Damaged("complex.npy", npy("<c16", "(1, 1)", &[0; 16]), "", &["complex.npy", "<c16", ".astype"]),
        Damaged(
            "cube.npy",
            npy("<f8", "(1, 1, 1)", &[0; 8]),
            "",
            &["cube.npy", "1 or 2 dimensions", "reshape"],
        ),
        Damaged("none.npy", npy("<f8", "(0, 3)", &[]), "", &["none.npy", "empty"]),
        Damaged(
            "nan.npy",
            npy("<f8", "(1, 2)", &floats(&[1.0, f64::NAN])),
            "",
            &["row 1, column 2", "--missing unobserved"],
        ),
        Damaged(
            "infinite.npy",
            npy("<f8", "(2, 1)", &floats(&[1.0, f64::INFINITY])),
            "",
            &["row 2, column 1", "remove the row"],
        ),
        Damaged(
            "condensed.npy",
            npy("<f8", "(4,)", &floats(&[1.0; 4])),
            "--input distances",
            &["condensed.npy", "got 4", "--input points"],
        ),
        Damaged("cut.npz", two[..two.len() - 40].to_vec(), "", &["cut.npz", "fetch it again"]),
        Damaged("two.npz", two.clone(), "", &["two.npz", "several arrays", "--array: a, b"]),
        Damaged("which.npz", two, "--array c", &["which.npz", "no array is called \"c\"", "--array: a, b"]),
        Damaged(
            "outside.npz",
            sparse(b"csr", &[0, 7]),
            "--input distances",
            &["outside.npz", "within the shape", "save_npz"],
        ),
        Damaged("other.npz", sparse(b"dok", &[0, 1]), "--input distances", &["other.npz", "dok", ".tocsr()"]),
        Damaged(
            "vast.npz",
            vast(),
            "--input distances",
            &["vast.npz", "the rows of the matrix", "--memory-limit"],
        ),
        Damaged("unsaid.npz", sparse(b"csr", &[1, 0]), "", &["unsaid.npz", "--input distances"]),
        Damaged(
            "cut.csv.gz",
            gzipped(&b"1,2\n3,4\n".repeat(99))[..40].to_vec(),
            "",
            &["cut.csv.gz", "fetch it again"],
        ),
        Damaged("named.csv", array, "", &["named.csv", "begins like npy", "--format"]),
    ]
}

/// What is said of a damaged file of columns, if this build can read it.
const COLUMNAR: &[&str] =
    if cfg!(feature = "parquet") { &["fetch it again"] } else { &["--features parquet"] };

#[expect(clippy::too_many_lines, reason = "a table")]
fn damaged_text() -> Vec<Damaged> {
    vec![
        Damaged(
            "latin.csv",
            b"1,2\n3,\xe94\n".to_vec(),
            "",
            &["line 2, column 3", "UTF-8", "save it as CSV in UTF-8"],
        ),
        Damaged(
            "utf16.csv",
            b"\xff\xfe1\0,\0".to_vec(),
            "",
            &["line 1, column 1", "save it as CSV in UTF-8"],
        ),
        text("empty.csv", "", "", &["empty.csv", "at least one row"]),
        text("blank.csv", "\n \n\r\n", "", &["blank.csv", "at least one row"]),
        text("header.csv", "x,y\n", "", &["line 1", "\"x,y\"", "add rows"]),
        text("ragged.csv", "1,2\n3,4,5\n", "", &["line 2, column 5", "got 3", "add or remove fields"]),
        text("quote.csv", "1,2\n\"3,4\n", "", &["line 2, column 1", "add the closing mark"]),
        text("nan.csv", "1,2\n3,nan\n", "", &["line 2, column 3", "field 2", "--missing unobserved"]),
        text("infinite.csv", "1,2\n3,inf\n", "", &["line 2, column 3", "remove the row"]),
        text("comma.csv", "x;y\n1,5;2\n", "", &["line 2, column 1", "decimal point", "correct it"]),
        text("same.csv", "x,y,x\n1,2,3\n", "", &["columns 1 and 3", "\"x\"", "--columns"]),
        text("again.csv", "x,y\n1,2\nx,y\n3,4\n", "", &["line 3, column 1", "header of line 1", "remove it"]),
        text("mixed.csv", "x,y\n1,2\n3;4\n", "", &["line 3, column 1", "semicolons", "one delimiter"]),
        text(
            "kinds.csv",
            "x,kind\n1,big\n",
            "",
            &["line 2, column 3", "(column \"kind\")", "\"big\"", "--columns"],
        ),
        text("names.csv", "name,x,y\nLee,1,2\n", "", &["line 2, column 1", "\"Lee\"", "--id-column"]),
        text("column.csv", "x,y\n1,2\n", "--columns x,z", &["no column \"z\"", "x, y", "name or a number"]),
        text("twice.csv", "x,y\n1,2\n", "--columns x,y --label-column y", &["column 2", "--label-column"]),
        text("one.csv", "1,2\n", "-k 2", &["one.csv", "number of points, 1, got 2", "--n-clusters auto"]),
        text("unknown.xyz", "1,2\n3,4\n", "", &["unknown.xyz", "--format csv"]),
        text(
            "points.csv",
            "1,2\n3,4\n5,6\n",
            "-k 0",
            &["between 1 and the number of points, 3, got 0", "auto"],
        ),
        text(
            "more.csv",
            "1,2\n3,4\n5,6\n",
            "-k 4",
            &["between 1 and the number of points, 3, got 4", "auto"],
        ),
        text(
            "known.csv",
            "1,2\n3,4\n5,6\n",
            "-k 2 --known-labels two.txt",
            &["two.txt: a partition has one label for each of the 3 points, got 2", "same rows"],
        ),
        text(
            "half.csv",
            "1,2\n3,4\n5,6\n",
            "-k 2 --known-labels half.txt",
            &["half.txt: row 2", "0.5", "text or a whole number"],
        ),
        text(
            "sparse.csv",
            "1,2\n3,4\n5,6\n",
            "-k 2 --known-labels sparse.mtx",
            &["sparse.mtx", "sparse matrix of 1000000 rows", "save them as .txt"],
        ),
        text("data.parquet", "no such thing", "", COLUMNAR),
        text("data.arrow", "ARROW1\0\0 cut", "", COLUMNAR),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn damaged_pairs() -> Vec<Damaged> {
    const D: &str = "--input distances";
    const E: &str = "--input edges --edge-values distances";
    vec![
        text("wide.csv", "0,1,2\n1,0,3\n", D, &["2 rows and 3 columns", "--input points"]),
        text(
            "uneven.csv",
            "0,1\n2,0\n",
            D,
            &["row 1, column 2 holds 1", "--symmetrise mean", "counted from 1"],
        ),
        text("negative.csv", "0,-1\n-1,0\n", D, &["row 1, column 2", "--input similarities"]),
        text("diagonal.csv", "1,2\n2,1\n", D, &["row 1, column 1", "--input similarities"]),
        text("gap.csv", "0,\n,0\n", D, &["line 1, column 3", "--missing unobserved"]),
        text(
            "doubt.csv",
            "1,2,2,2\n2,1,2,2\n2,2,1,2\n2,2,2,1\n",
            "",
            &["square matrix of 4 rows", "--input similarities"],
        ),
        text("order.csv", ",a,b\nb,0,1\na,1,0\n", D, &["row 1", "\"b\"", "\"a\"", "one order"]),
        text(
            "triangle.txt",
            "0\n1 0\n2 3 0\n4 5\n",
            D,
            &["line 4, column 4", "must have 4 fields", "add or remove"],
        ),
        text("unsaid.csv", "a,b,1\n", "--input edges", &["unsaid.csv", "--edge-values distances"]),
        text("below.csv", "a,b,1\nb,c,-2\n", E, &["line 2, column 5", "--edge-values similarities"]),
        text("item.csv", "0,1,5\n1,2.5,5\n", E, &["line 2, column 3", "\"2.5\"", "correct it"]),
        text("value.csv", "a,b,1\nb,c,far\n", E, &["line 2, column 5", "\"far\"", "remove the edge"]),
        text("typed.csv", "a,b,1.5x\nb,c,2\n", E, &["line 1, column 5", "\"1.5x\"", "remove the edge"]),
        text("listed.csv", "a,b,1\na,b,1\n", E, &["from \"a\" to \"b\"", "list every edge once"]),
        text("back.csv", "a,b,1\nb,a,2\n", E, &["from \"a\" to \"b\"", "--symmetrise mean"]),
        text("self.csv", "a,b,1\nb,b,2\n", E, &["\"b\" to itself", "remove that edge"]),
        text("pair.csv", "a\nb\n", E, &["three columns", "--columns"]),
        text(
            "banner.mtx",
            "%%MatrixMarket matrix array complex general\n1 1\n0 0\n",
            D,
            &["line 1", "complex", "one of these forms"],
        ),
        text(
            "sizes.mtx",
            "%%MatrixMarket matrix array real general\n2\n",
            D,
            &["line 2, column 1", "save the matrix again"],
        ),
        text(
            "entry.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n",
            D,
            &["line 3, column 3", "correct the line"],
        ),
        text(
            "short.mtx",
            "%%MatrixMarket matrix array real general\n2 2\n0\n1\n",
            D,
            &["4 entries", "got 2", "cut short"],
        ),
        text(
            "vast.mtx",
            "%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n",
            "--input distances --memory-limit 1GB",
            &["128.0 GB", "--memory-limit"],
        ),
        text("count.phy", "two\na 0 1\nb 1 0\n", "", &["line 1, column 1", "--format txt"]),
        text("vast.phy", "2147483648\na 0 1\n", "", &["vast.phy", "the matrix", "--memory-limit"]),
        text("short.phy", "3\na 0 1 2\nb 1 0\n", "", &["3 items", "cut short"]),
        text("long.phy", "2\na 0 1\nb 1 0 5\n", "", &["line 3", "\"b\" must have 2", "correct the row"]),
        text("rest.phy", "2\na 0 1\nb 1 0\nc 1 1\n", "", &["line 4", "correct the count"]),
        text("word.phy", "2\na 0 one\nb 1 0\n", "", &["line 2, column 5", "\"one\"", "correct it"]),
    ]
}

fn listing(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, Vec<u8>)> =
        entries.map(|path| (path.display().to_string(), fs::read(&path).unwrap_or_default())).collect();
    files.sort();
    files
}

/// Runs `similis cluster`, which must fail, and returns its message.
fn refusal(folder: &TempDir, arguments: &[&str]) -> String {
    let before = listing(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let run = command.current_dir(folder).arg("cluster").args(arguments).output().unwrap();
    let message = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(run.stdout.is_empty(), "{arguments:?}");
    assert!(listing(folder.path()) == before, "{arguments:?} left something behind");
    assert!(message.contains("error: ") && !message.trim_end().ends_with('.'), "{arguments:?}: {message}");
    message
}

#[test]
fn every_damage_is_told_with_place_and_cure_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    write("two.txt", b"0\n1\n");
    write("half.txt", b"0\n0.5\n1\n");
    write("sparse.mtx", b"%%MatrixMarket matrix coordinate real general\n1000000 1000000 0\n");
    write("labels.csv", b"what was there before");
    let all: Vec<Damaged> =
        [damaged_arrays(), damaged_text(), damaged_pairs()].into_iter().flatten().collect();
    assert!(all.len() >= 60, "{}", all.len());
    for Damaged(name, content, arguments, says) in all {
        write(name, &content);
        let arguments: Vec<&str> =
            std::iter::once(name).chain(arguments.split_whitespace()).chain(["-o", "labels.csv"]).collect();
        let message = refusal(&folder, &arguments);
        for words in says {
            assert!(message.contains(words), "{name}: {message:?} should say {words:?}");
        }
    }
}

#[test]
fn what_cannot_be_opened_or_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), "1,2\n3,4\n5,7\n").unwrap();
    fs::create_dir(folder.path().join("folder.csv")).unwrap();
    for (arguments, says) in [
        ("nowhere.csv", "nowhere.csv must be an existing file, but there is none; check its name"),
        ("folder.csv", "folder.csv must be a file, but it is a folder; name a file in it"),
        (
            "points.csv -o no/labels.csv",
            "no/labels.csv must lie in an existing folder, but there is no no; make it first",
        ),
        ("points.csv -o folder.csv", "folder.csv must be a file, but it is a folder"),
        ("points.csv -o labels.xls", "labels.xls must end in .txt, .csv"),
        ("points.csv -o points.csv", "points.csv would be written over; give the output another name"),
        (
            "points.csv -k 2 -o labels.csv --plot no/picture.svg",
            "no/picture.svg must lie in an existing folder",
        ),
    ] {
        let message = refusal(&folder, &arguments.split(' ').collect::<Vec<_>>());
        assert!(message.contains(says), "{arguments}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), "1,2\n3,4\n5,7\n".repeat(2000)).unwrap();
    let message = refusal(
        &folder,
        &["points.csv", "-k", "2", "--model", "latent-feature", "-o", "/dev/full", "--output-format", "csv"],
    );
    assert!(
        message.contains("/dev/full must be writable")
            && message.contains("check the folder's permissions and the disk"),
        "{message}"
    );
    // A file system that lets a file grow to 4 blocks of 512 bytes.
    let before = listing(folder.path());
    let line = format!("ulimit -f 4; exec {} convert points.csv big.csv", env!("CARGO_BIN_EXE_similis"));
    let run = Command::new("sh").current_dir(&folder).args(["-c", &line]).output().unwrap();
    let message = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{message}");
    assert!(message.contains("big.csv must be writable") && message.contains("the disk"), "{message}");
    assert!(listing(folder.path()) == before, "a part of the output was left behind");
}

#[test]
fn what_is_only_odd_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let points = "0,0\n0,1\n1,0\n50,50\n50,51\n51,50\n";
    let rows: Vec<&str> = points.lines().collect();
    let named = |ends: &str| {
        let line = |(i, row): (usize, &&str)| format!("\"Lee, {i}\",{row}");
        let rows: Vec<String> = rows.iter().enumerate().map(line).collect();
        format!("name,x,y{ends}{}{ends}", rows.join(ends))
    };
    let odd = [
        ("mark.csv", format!("\u{feff}x,y\n{points}"), ""),
        ("windows.csv", format!("x,y\r\n{}", points.replace('\n', "\r\n")), ""),
        ("both.csv", format!("\u{feff}{}", named("\r\n")), "--id-column name"),
        ("commas.csv", named("\n"), "--id-column 1"),
        ("quoted.csv", "\"0\",\"0\"\n0,\"1\"\n1,0\n\"50\" , \"50\"\n50,51\n51,50\n".to_owned(), ""),
        ("no-end.csv", points.trim_end().to_owned(), ""),
        ("blanks.csv", format!("\n{}\n\n", points.replace('\n', "\n\n").replace(',', " , ")), ""),
        ("pandas.csv", ",x,y\n0,0,0\n1,0,1\n2,1,0\n3,50,50\n4,50,51\n5,51,50\n".to_owned(), ""),
    ];
    for (name, content, arguments) in odd {
        fs::write(folder.path().join(name), content).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        let arguments = ["cluster", name, "-k", "2", "-q"].into_iter().chain(arguments.split_whitespace());
        let run = command.current_dir(&folder).args(arguments).output().unwrap();
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(String::from_utf8(run.stdout).unwrap(), "0\n0\n0\n1\n1\n1\n", "{name}");
    }
}
