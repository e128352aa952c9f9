//! Bad files are named for what is bad and where; good ones come back bit for bit.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use similis::input::Values;
use similis_cli::error::Error;
use similis_cli::io::read_table;
use tempfile::TempDir;

/// A file that must not be read, and what its message must say.
struct Bad {
    name: &'static str,
    content: &'static [u8],
    says: &'static [&'static str],
}

const BAD: &[Bad] = &[
    Bad {
        name: "short.csv",
        content: b"1,2\n3\n",
        says: &["line 2, column 2", "2 fields like line 1, got 1", "\"3\""],
    },
    Bad {
        name: "long.csv",
        content: b"x,y\n1,2\n\n3,4,5\n",
        says: &["line 4, column 5", "2 fields like line 1, got 3"],
    },
    Bad { name: "trailing.csv", content: b"1,2\n3,4,\n", says: &["line 2, column 5", "got 3 in \"3,4,\""] },
    Bad { name: "short.txt", content: b"1 2\n\n3\n", says: &["line 3, column 2", "got 1"] },
    Bad {
        name: "text.csv",
        content: b"1,2\n3,4\n5, six\n",
        says: &["line 3, column 4", "field 2", "\"six\""],
    },
    Bad { name: "first.csv", content: b"1.5,2.o\n3,4\n", says: &["line 1, column 5", "field 2", "\"2.o\""] },
    Bad {
        name: "comma.csv",
        content: b"1,5;2,5\n3,5;4,5\n",
        says: &["line 2, column 1", "decimal point", "\"3,5\""],
    },
    Bad { name: "windows.csv", content: b"x,y\r\n1,2\r\n3,b\r\n", says: &["line 3, column 3", "\"b\""] },
    Bad { name: "quoted.csv", content: b"\"1\",\"2\"\n\"3\",\"b\"\n", says: &["line 2, column 6", "\"b\""] },
    Bad { name: "mark.csv", content: b"\xef\xbb\xbf1,2\n3,b\n", says: &["line 2, column 3"] },
    Bad {
        name: "quote.csv",
        content: b"1,2\n3,\"4\n5,6\n",
        says: &["line 2, column 3", "quotation mark", "\"\"4\""],
    },
    Bad { name: "after.csv", content: b"1,2\n\"3\"4,5\n", says: &["line 2, column 1", "\"\"3\"4\""] },
    Bad { name: "empty.csv", content: b"", says: &["is empty"] },
    Bad { name: "blank.csv", content: b"\n  \n\r\n", says: &["is empty"] },
    Bad { name: "comments.txt", content: b"# nothing\n", says: &["is empty"] },
    Bad { name: "header.csv", content: b"\nx,y\n\n", says: &["line 2", "header \"x,y\""] },
    Bad {
        name: "nan.csv",
        content: b"1,2\n3,NaN\n",
        says: &["line 2, column 3", "field 2", "\"NaN\"", "missing"],
    },
    Bad { name: "na.tsv", content: b"1\t2\nNA\t4\n", says: &["line 2, column 1", "field 1", "\"NA\""] },
    Bad {
        name: "hole.csv",
        content: b"1,2,3\n4,,6\n",
        says: &["line 2, column 3", "field 2", "\"\"", "missing"],
    },
    Bad {
        name: "infinite.csv",
        content: b"1,2\n3,-inf\n",
        says: &["line 2, column 3", "finite", "\"-inf\""],
    },
    Bad {
        name: "overflow.csv",
        content: b"1,2\n3,1e999\n",
        says: &["line 2, column 3", "finite", "\"1e999\""],
    },
    Bad { name: "latin.csv", content: b"1,2\n3,\xe94\n", says: &["line 2, column 3", "UTF-8", "\"\\xe94\""] },
    Bad {
        name: "utf16.csv",
        content: b"\xff\xfe1\0,\0",
        says: &["line 1, column 1", "UTF-8", "\\xff\\xfe1\\u{0}"],
    },
    Bad { name: "control.csv", content: b"1,2\n3,\x1b[31m\n", says: &["line 2, column 3", "\\u{1b}[31m"] },
    Bad { name: "data", content: b"1,2\n", says: &["--format csv"] },
    Bad { name: "text.npy", content: b"1,2\n3,4\n", says: &["\\x93NUMPY", "\"1,2\\n3,\""] },
    Bad { name: "cut.npy", content: b"\x93NUMPY\x01\x00v\x00{'descr'", says: &["header"] },
];

fn file(folder: &TempDir, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).expect("the temporary folder can be written");
    path
}

fn message(path: &Path) -> String {
    read_table(path, false).expect_err("the file is bad").to_string()
}

#[test]
fn every_bad_file_is_named_with_place_and_text() {
    let folder = tempfile::tempdir().unwrap();
    for bad in BAD {
        let path = file(&folder, bad.name, bad.content);
        let message = message(&path);
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        assert!(!message.chars().any(char::is_control) && !message.ends_with('.'), "{message}");
        for words in bad.says {
            assert!(message.contains(words), "{}: {message:?} should say {words:?}", bad.name);
        }
    }
}

#[test]
fn missing_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["none.csv", "none.npy"] {
        let error = read_table(&folder.path().join(name), false).unwrap_err();
        assert!(matches!(error, Error::NoFile { .. }) && error.to_string().contains(name), "{error}");
    }
    for name in ["folder.csv", "folder.npy", "folder"] {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        let error = read_table(&path, false).unwrap_err();
        assert!(matches!(error, Error::Folder { .. }) && error.to_string().contains(name), "{error}");
    }
}

#[test]
fn a_bad_line_after_100_000_good_ones_has_the_right_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "x,y\n\n".to_owned();
    for i in 0..100_000 {
        writeln!(text, "{i},{}", i * i % 7).unwrap();
    }
    text += "12,3x\n1,2\n";
    let message = message(&file(&folder, "long.csv", text.as_bytes()));
    assert!(message.contains("line 100003, column 4") && message.contains("\"3x\""), "{message}");
}

#[test]
fn a_long_bad_line_is_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let message = message(&file(&folder, "long.csv", format!("1,2\n{}", "z".repeat(100_000)).as_bytes()));
    assert!(message.contains("zzz...") && message.len() < 400, "{message}");
}

/// Returns bit patterns that look random (splitmix64).
fn bits(n: u64) -> impl Iterator<Item = u64> {
    (1..=n).map(|k| {
        let mut z = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[test]
fn numbers_written_with_17_digits_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let edges = [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::MIN, 0.1, 1.0 / 3.0];
    let values: Vec<f64> = bits(20_000)
        .map(f64::from_bits)
        .filter(|value| value.is_finite())
        .take(19_000)
        .chain(edges)
        .collect();
    assert_eq!(values.len(), 19_008);
    let n_columns = 4;
    for (name, delimiter) in [("round.csv", ","), ("round.tsv", "\t"), ("round.txt", " ")] {
        let mut text = String::new();
        for row in values.chunks(n_columns) {
            let fields: Vec<String> = row.iter().map(|value| format!("{value:.16e}")).collect();
            writeln!(text, "{}", fields.join(delimiter)).unwrap();
        }
        let table = read_table(&file(&folder, name, text.as_bytes()), false).unwrap();
        assert_eq!((table.n_rows, table.n_columns, table.names), (values.len() / n_columns, n_columns, None));
        let Values::F64(read) = table.values else { panic!("text became single precision") };
        assert!(
            read.iter().map(|value| value.to_bits()).eq(values.iter().map(|value| value.to_bits())),
            "{name}"
        );
    }
}
