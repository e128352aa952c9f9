//! A flipped bit in a packed file is found: the file is refused, or still holds the same.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write as _;
use std::path::Path;

use similis_cli::args::Input;
use similis_cli::io::model::SavedModel;
use similis_cli::io::{Choice, Content, Request, read};
use zip::CompressionMethod::{Deflated, Stored};

const POINTS: [f64; 8] = [1.5, -2.25, 3.0, 1e-3, 0.1, 7.0, 1e9, -0.3];

/// An array of doubles or, where `dtype` says so, of other bytes.
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

fn points() -> Vec<u8> {
    npy("<f8", "(4, 2)", &floats(&POINTS))
}

fn npz(arrays: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn sparse() -> Vec<u8> {
    let arrays = [
        ("format", npy("|S3", "()", b"csr")),
        ("shape", npy("<i8", "(2,)", &whole(&[3, 3]))),
        ("indptr", npy("<i8", "(4,)", &whole(&[0, 1, 2, 2]))),
        ("indices", npy("<i8", "(2,)", &whole(&[1, 2]))),
        ("data", npy("<f8", "(2,)", &floats(&[0.5, 2.0]))),
    ];
    npz(&arrays, Deflated)
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn content(path: &Path) -> Option<Content> {
    let (choice, input) = (&Choice::default(), Some(Input::Points));
    let (format, array, missing, edge_values, memory_limit) = (None, None, false, None, Some(1 << 28));
    read(&Request { path, format, array, missing, choice, input, edge_values, memory_limit }).ok()
}

/// Flips a bit of every byte of the file in turn.
fn check_flips<T: PartialEq>(name: &str, bytes: &[u8], read: impl Fn(&Path) -> Option<T>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let expected = read(&path).unwrap();
    let mut n_refused = 0;
    for at in 0..bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&path, flipped).unwrap();
        match read(&path) {
            Some(found) => assert!(found == expected, "{name}: a flip in byte {at} changed what is read"),
            None => n_refused += 1,
        }
    }
    // Names, dates and the like may change; most of a file may not.
    assert!(2 * n_refused > bytes.len(), "{name}: {n_refused} of {} flips found", bytes.len());
}

#[test]
fn a_flipped_bit_of_an_array_in_a_zip_file_is_found() {
    check_flips("deflated.npz", &npz(&[("a", points())], Deflated), content);
    check_flips("stored.npz", &npz(&[("a", points())], Stored), content);
}

#[test]
fn a_flipped_bit_of_a_sparse_matrix_is_found() {
    check_flips("sparse.npz", &sparse(), content);
}

#[test]
fn a_flipped_bit_of_a_gzipped_file_is_found() {
    let mtx = b"%%MatrixMarket matrix array real general\n2 2\n0.5\n1\n2.25\n3\n";
    check_flips("points.npy.gz", &gzipped(&points()), content);
    check_flips("points.npz.gz", &gzipped(&npz(&[("a", points())], Stored)), content);
    check_flips("points.csv.gz", &gzipped(b"x,y\n1.5,2\n0.25,3\n"), content);
    check_flips("matrix.mtx.gz", &gzipped(mtx), content);
    check_flips("matrix.phy.gz", &gzipped(b"2\na 0 1.5\nb 1.5 0\n"), content);
}

#[cfg(feature = "parquet")]
#[test]
fn a_flipped_bit_of_gzipped_columns_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), "x,y\n1.5,2\n0.25,3\n").unwrap();
    for name in ["points.parquet", "points.arrow"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_similis"));
        let run = command.current_dir(&folder).args(["convert", "points.csv", name]).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let packed = gzipped(&fs::read(folder.path().join(name)).unwrap());
        check_flips(&format!("{name}.gz"), &packed, content);
    }
}

#[test]
fn a_flipped_bit_of_a_gzipped_model_is_found() {
    let model =
        br#"{"format": "similis-model", "version": 1, "unit": 1.0, "floor": 0.01, "shape": 1.5, "step": 0.5,
        "size_prior": "dirichlet", "noise": "none", "columns": null, "standardise": null, "labels": [0, 0, 1],
        "links": [[0, 1, 0.25]], "noise_lengths": [], "points": null}"#;
    check_flips("saved.similis.gz", &gzipped(model), |path| SavedModel::read(path, Some(1 << 28)).ok());
}
