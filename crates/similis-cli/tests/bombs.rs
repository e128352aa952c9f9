//! Small files that ask for much memory are refused within the limit: 10% and 64 MB above it at most.

// Only an allocator can count what is allocated.
#![expect(unsafe_code)]
// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use similis_cli::args::{EdgeValues, Input};
use similis_cli::error::Error;
use similis_cli::io::model::SavedModel;
use similis_cli::io::{Choice, Request, pairs, read, read_last_column};
use tempfile::TempDir;

/// Counts what is held, and the most that ever was.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn came(n_bytes: usize) {
    let held = HELD.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

fn went(n_bytes: usize) {
    HELD.fetch_sub(n_bytes, Ordering::Relaxed);
}

// SAFETY: all is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        came(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        went(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved by the system without a copy.
        went(layout.size());
        came(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The limit that is given, in bytes.
const LIMIT: u64 = 64 << 20;

/// The most that may be taken: 10% and 64 MB more.
const MOST: usize = LIMIT as usize / 10 * 11 + 64_000_000;

/// Number of bytes that a bomb unpacks to: far more than [`MOST`].
const UNPACKED: u64 = 400 << 20;

/// Asserts that reading is refused for its memory, and does not take more than it may.
fn check<T>(what: &str, read: impl FnOnce() -> Result<T, Error>) {
    PEAK.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
    let before = HELD.load(Ordering::Relaxed);
    let done = read().map(|_| ());
    let taken = PEAK.load(Ordering::Relaxed) - before;
    let message = done.unwrap_err().to_string();
    assert!(taken <= MOST, "{what} took {taken} bytes: {message}");
    assert!(message.contains("memory limit") && message.contains("--memory-limit"), "{what}: {message}");
}

fn request<'a>(path: &'a Path, choice: &'a Choice, input: Option<Input>) -> Request<'a> {
    let (format, array, missing) = (None, None, false);
    let (edge_values, memory_limit) = (Some(EdgeValues::Distances), Some(LIMIT));
    Request { path, format, array, missing, choice, input, edge_values, memory_limit }
}

fn check_read(path: &Path, choice: &Choice, input: Option<Input>) {
    check(&path.display().to_string(), || read(&request(path, choice, input)));
}

/// Writes `first`, then `again` until there are [`UNPACKED`] bytes, packed by gzip.
fn packed(folder: &TempDir, name: &str, first: &[u8], again: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    let mut out = GzEncoder::new(BufWriter::new(File::create(&path).unwrap()), Compression::fast());
    fill(&mut out, first, again);
    out.finish().unwrap().into_inner().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < LIMIT / 10);
    path
}

fn fill(out: &mut impl Write, first: &[u8], again: &[u8]) {
    out.write_all(first).unwrap();
    let piece = again.repeat((1 << 20) / again.len());
    (0..UNPACKED >> 20).for_each(|_| out.write_all(&piece).unwrap());
}

fn header(dtype: &str, shape: &str, fortran: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat()
}

/// A zip file of arrays: header, number of zero bytes or the bytes themselves.
fn archive(folder: &TempDir, name: &str, arrays: &[(&str, Vec<u8>, u64)]) -> PathBuf {
    let path = folder.path().join(name);
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(1));
    for (name, bytes, n_zeros) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(*n_zeros), &mut archive).unwrap();
    }
    archive.finish().unwrap();
    path
}

fn whole(values: &[i64]) -> Vec<u8> {
    let shape = format!("({},)", values.len());
    let numbers = values.iter().flat_map(|value| value.to_le_bytes());
    header("<i8", &shape, "False").into_iter().chain(numbers).collect()
}

fn arrays(folder: &TempDir) {
    let n = UNPACKED / 8;
    let shape = format!("({n},)");
    let table = format!("({}, 2)", n / 2);
    let points = Some(Input::Points);
    let choice = Choice::default();
    let zeros = |dtype: &str, shape: &str, fortran: &str| header(dtype, shape, fortran);
    check_read(&packed(folder, "a.npy.gz", &zeros("<f8", &shape, "False"), &[0]), &choice, points);
    check_read(&packed(folder, "b.npy.gz", &zeros("<f8", &table, "True"), &[0]), &choice, points);
    // Of a byte each, they become eight times as large.
    let bytes = format!("({UNPACKED},)");
    check_read(&packed(folder, "c.npy.gz", &zeros("|i1", &bytes, "False"), &[0]), &choice, points);
    // A copy row after row beside an array that fits.
    let fits = format!("({}, 2)", LIMIT / 20);
    let path = packed(folder, "d.npy.gz", &zeros("<f8", &fits, "True"), &[0]);
    check_read(&path, &choice, points);
    let path = archive(folder, "a.npz", &[("a", zeros("<f8", &shape, "False"), UNPACKED)]);
    check_read(&path, &choice, points);
    // A zip file within a gzip file is unpacked as a whole.
    check_read(&packed(folder, "b.npz.gz", b"PK\x03\x04", &[0]), &choice, points);
}

fn sparse(folder: &TempDir) {
    let n = UNPACKED / 8;
    let shape = format!("({n},)");
    let of = |format: &[u8]| [header("|S3", "()", "False"), format.to_vec()].concat();
    let distances = Some(Input::Distances);
    let choice = Choice::default();
    for kind in ["csr", "coo"] {
        let pointers: [&str; 2] = if kind == "csr" { ["indptr", "indices"] } else { ["row", "col"] };
        let path = archive(
            folder,
            &format!("{kind}.npz"),
            &[
                ("format", of(kind.as_bytes()), 0),
                ("shape", whole(&[2, 2]), 0),
                ("data", header("<f8", &shape, "False"), UNPACKED),
                (pointers[0], header("<i8", &shape, "False"), UNPACKED),
                (pointers[1], header("<i8", &shape, "False"), UNPACKED),
            ],
        );
        check_read(&path, &choice, distances);
    }
    for n_rows in [300_000_000, 1 << 60] {
        let path = archive(
            folder,
            "vast.npz",
            &[
                ("format", of(b"coo"), 0),
                ("shape", whole(&[n_rows, n_rows]), 0),
                ("data", header("<f8", "(0,)", "False"), 0),
                ("row", header("<i8", "(0,)", "False"), 0),
                ("col", header("<i8", "(0,)", "False"), 0),
            ],
        );
        check_read(&path, &choice, distances);
    }
}

fn text(folder: &TempDir) {
    let choice = Choice::default();
    let points = Some(Input::Points);
    for (name, first, again) in [
        ("rows.csv.gz", "x,y\n", "1,2\n"),
        ("fields.csv.gz", "", "0,"),
        ("line.csv.gz", "", "7"),
        ("second-line.csv.gz", "1,2\n", "7"),
        ("blank.csv.gz", "1,2\n", " "),
        ("zeros.csv.gz", "1,2\n", "\0"),
        ("names.csv.gz", "", "a,"),
        ("words.txt.gz", "", "a "),
        ("tabs.tsv.gz", "", "\t"),
        ("comment.txt.gz", "# ", "a"),
        ("dense.mtx.gz", "%%MatrixMarket matrix array real general\n99999999 1\n", "0\n"),
        ("banner.mtx.gz", "%%MatrixMarket ", "a"),
        ("row.phy.gz", "3\na", " 0"),
        ("name.phy.gz", "3\n", "a"),
    ] {
        check_read(&packed(folder, name, first.as_bytes(), again.as_bytes()), &choice, points);
    }
    let entries = "%%MatrixMarket matrix coordinate real general\n2 2 99999999\n";
    check_read(&packed(folder, "sparse.mtx.gz", entries.as_bytes(), b"1 1 1\n"), &choice, points);
    let named = Choice { id: Some("1".to_owned()), ..Choice::default() };
    check_read(&packed(folder, "ids.csv.gz", b"", b"abcdefgh,1\n"), &named, points);
    let triangle = Some(Input::Distances);
    check_read(&packed(folder, "triangle.txt.gz", b"0\n1 0\n", b" 1"), &choice, triangle);
}

fn side(folder: &TempDir) {
    let edges = Some(Input::Edges);
    let choice = Choice::default();
    check_read(&packed(folder, "edges.csv.gz", b"", b"0,1,1\n"), &choice, edges);
    check_read(&packed(folder, "named.csv.gz", b"", b"a,b,1\n"), &choice, edges);
    check_read(&packed(folder, "wide.csv.gz", b"", b"a,"), &choice, edges);
    let labels = packed(folder, "labels.txt.gz", b"", b"0\n");
    check("labels", || read_last_column(&labels, Some(LIMIT)));
    let listed = packed(folder, "pairs.csv.gz", b"", b"0,1\n");
    check("pairs", || pairs::read(&listed, None, 2, Some(LIMIT)));
    let line = packed(folder, "line.txt.gz", b"", b"0");
    check("a line of pairs", || pairs::read(&line, None, 2, Some(LIMIT)));
}

/// A model whose labels are `label` again and again, without what follows them.
fn labels(label: &str, n_bytes: usize) -> Vec<u8> {
    let first = "{\"format\": \"similis-model\", \"version\": 1, \"unit\": 1, \"floor\": 1, \"shape\": 1, \"step\": 1,
        \"size_prior\": \"dirichlet\", \"noise\": \"none\", \"links\": [], \"noise_lengths\": [], \"columns\": null,
        \"standardise\": null, \"points\": null, \"labels\": [";
    format!("{first}{}{}]}}", format!("{label},").repeat(n_bytes / (label.len() + 1)), label).into_bytes()
}

fn models(folder: &TempDir) {
    let packed = packed(folder, "a.similis.gz", b"{\"format\": \"similis-model\", \"labels\": [", b"0,");
    check("a packed model", || SavedModel::read(&packed, Some(LIMIT)));
    let path = folder.path().join("b.similis");
    fs::write(&path, labels("0", LIMIT as usize / 2)).unwrap();
    check("a model of labels alone", || SavedModel::read(&path, Some(LIMIT)));
    // Without a limit, what is no model is refused with three times the memory of the file at most.
    let bytes = labels("{}", LIMIT as usize);
    fs::write(&path, &bytes).unwrap();
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let message = SavedModel::read(&path, None).unwrap_err().to_string();
    let taken = PEAK.load(Ordering::Relaxed) - before;
    assert!(message.contains("the entry labels") && taken < 3 * bytes.len(), "{taken}: {message}");
}

#[cfg(feature = "parquet")]
fn columns(folder: &TempDir) {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;
    let write = |name: &str, column: &ArrayRef, n_batches: usize| {
        let path = folder.path().join(name);
        let batch = RecordBatch::try_from_iter([("a", Arc::clone(column))]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        (0..n_batches).for_each(|_| writer.write(&batch).unwrap());
        writer.close().unwrap();
        path
    };
    let zeros: ArrayRef = Arc::new(Float64Array::from(vec![0.0; 1 << 20]));
    check_read(&write("rows.parquet", &zeros, 50), &Choice::default(), None);
    // One long text in every row, which the file keeps once.
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a".repeat(1 << 20); 4]));
    let named = Choice { label: Some("a".to_owned()), ..Choice::default() };
    let path = folder.path().join("texts.parquet");
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![0.0; 4]));
    let batch = RecordBatch::try_from_iter([("a", text), ("x", numbers)]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    (0..100).for_each(|_| writer.write(&batch).unwrap());
    writer.close().unwrap();
    check_read(&path, &named, Some(Input::Points));
    // One batch of zeros, packed.
    let zeros: ArrayRef = Arc::new(Float64Array::from(vec![0.0; 24 << 20]));
    let batch = RecordBatch::try_from_iter([("a", zeros)]).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let path = folder.path().join("batch.arrow");
    let file = File::create(&path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options.clone()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    check_read(&path, &Choice::default(), None);
    let path = folder.path().join("stream.arrow");
    let file = File::create(&path).unwrap();
    let mut writer = StreamWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    check_read(&path, &Choice::default(), None);
}

/// One test: what others allocate meanwhile would be counted too.
#[test]
fn a_bomb_of_any_format_is_refused_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    arrays(&folder);
    sparse(&folder);
    text(&folder);
    side(&folder);
    models(&folder);
    #[cfg(feature = "parquet")]
    columns(&folder);
}
