//! Labels, pictures and reports: their formats, checked before a long run and written after it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use serde_json::Value;

use super::format::{Format, extension};
use super::label_table::LabelTable;
pub use super::whole::{Outputs, STANDARD_OUTPUT, print_with, write_bytes, write_with};
pub(crate) use super::whole::{check_destination, forget_unfinished, is_same_file, is_special};
use super::write::npy_header;
use crate::error::Error;

/// How labels are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LabelsFormat {
    /// One bare label a line.
    Txt,
    /// A header, then the name (or the number, from 0) and the label of each point.
    Csv,
    /// The same, fields separated by tabs.
    Tsv,
    /// Everything that was set and learned.
    Json,
    /// An array of NumPy.
    Npy,
    /// Parquet, with names and labels.
    Parquet,
    /// Arrow IPC, with names and labels.
    Arrow,
}

impl LabelsFormat {
    /// The ending of a file of this format.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Txt => "txt",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Npy => "npy",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// Whether it has no room for columns beside the labels.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Self::Txt | Self::Npy | Self::Json)
    }

    /// Returns the format that was given, or that the name tells; standard output, devices and pipes get text.
    ///
    /// # Errors
    ///
    /// [`Error::OutputKind`] for another extension, [`Error::NoParquet`] in a build without Parquet.
    pub fn of(path: &Path, given: Option<Self>) -> Result<Self, Error> {
        let format = match (given, extension(path).as_str()) {
            (Some(format), _) => format,
            (None, "csv") => Self::Csv,
            (None, "tsv" | "tab") => Self::Tsv,
            (None, "json") => Self::Json,
            (None, "npy") => Self::Npy,
            (None, "parquet" | "pq") => Self::Parquet,
            (None, "arrow" | "feather") => Self::Arrow,
            (None, "txt") => Self::Txt,
            (None, _) if path == Path::new(STANDARD_OUTPUT) || is_special(path) => Self::Txt,
            _ => {
                return Err(Error::OutputKind {
                    path: path.into(),
                    known: ".txt, .csv, .tsv, .json, .npy, .parquet or .arrow (or name it with --output-format)",
                });
            }
        };
        match format {
            Self::Parquet => check_columnar(path, Format::Parquet)?,
            Self::Arrow => check_columnar(path, Format::Arrow)?,
            _ => {}
        }
        Ok(format)
    }
}

/// Returns an error if this build writes no columns.
pub(crate) fn check_columnar(path: &Path, format: Format) -> Result<(), Error> {
    let columnar = matches!(format, Format::Parquet | Format::Arrow);
    if columnar && !cfg!(feature = "parquet") {
        return Err(Error::NoParquet { path: path.into(), format });
    }
    Ok(())
}

/// Writes the labels in the order of the points, replacing a file that exists.
///
/// `.txt`: one bare label a line. `.csv`, `.tsv`: a header `id,label`, then the names of the points; without names `index,label`,
/// then the points counted from 0. `.json`: the entries of the object `details`, `ids` where there are names, and
/// `labels`; details that are no object add nothing. `.npy`: an array of whole numbers. `.parquet`, `.arrow`: the columns of
/// `.csv`.
///
/// # Errors
///
/// Those of [`labels_bytes`] and of [`write_bytes`].
pub fn write_labels(
    path: &Path,
    format: Option<LabelsFormat>,
    labels: &[i64],
    ids: Option<&[String]>,
    details: &Value,
) -> Result<(), Error> {
    check_destination(path)?;
    write_bytes(path, &labels_bytes(path, format, labels, ids, details)?)
}

/// Returns the labels as the file that `path` names; see [`write_labels`].
///
/// # Errors
///
/// Those of [`LabelsFormat::of`].
pub fn labels_bytes(
    path: &Path,
    format: Option<LabelsFormat>,
    labels: &[i64],
    ids: Option<&[String]>,
    details: &Value,
) -> Result<Vec<u8>, Error> {
    let table = LabelTable { id_name: "id", ids, labels, ..LabelTable::default() };
    Ok(match (table.bytes(path, format)?, LabelsFormat::of(path, format)?) {
        (Some(bytes), _) => bytes,
        (None, LabelsFormat::Json) => labels_json(labels, ids, details).into_bytes(),
        (None, LabelsFormat::Npy) => labels_npy(labels),
        (None, _) => labels_txt(labels).into_bytes(),
    })
}

/// Checks before a long run that labels can later be written to `path`.
///
/// # Errors
///
/// Those of [`LabelsFormat::of`]; [`Error::OutputFolder`] if its folder does not exist; [`Error::Folder`] if it is a folder
/// itself.
pub fn check_labels_path(path: &Path, format: Option<LabelsFormat>) -> Result<(), Error> {
    LabelsFormat::of(path, format)?;
    check_destination(path)
}

/// Checks before a long run that a picture can later be written to `path`.
///
/// # Errors
///
/// [`Error::OutputKind`] unless it ends in `.svg`, `.png` or `.pdf`; otherwise as [`check_labels_path`].
pub fn check_picture_path(path: &Path) -> Result<(), Error> {
    let ending = extension(path);
    let wanted = if matches!(ending.as_str(), "png" | "pdf") { ending.as_str() } else { "svg" };
    check_kind(path, wanted, ".svg, .png or .pdf")
}

/// Checks before a long run that a report can later be written to `path`.
///
/// # Errors
///
/// [`Error::OutputKind`] unless it ends in `.html`; otherwise as [`check_labels_path`].
pub fn check_report_path(path: &Path) -> Result<(), Error> {
    check_kind(path, "html", ".html")
}

/// Returns a picture as the bytes of the file that `path` names: SVG, PNG or PDF, of the given width if there is one.
///
/// # Errors
///
/// [`Error::Png`] if it cannot be painted.
pub fn picture_bytes(path: &Path, svg: String, width: Option<u32>) -> Result<Vec<u8>, Error> {
    match extension(path).as_str() {
        "png" => crate::plot::png(&svg, width),
        "pdf" => crate::plot::pdf(&svg, width),
        _ => Ok(match width {
            Some(width) => crate::plot::resized(&svg, width),
            None => svg,
        }
        .into_bytes()),
    }
}

/// Checks before a long run that a table can later be written to `path`.
///
/// # Errors
///
/// [`Error::OutputKind`] unless it ends in `.csv`; otherwise as [`check_labels_path`].
pub fn check_csv_path(path: &Path) -> Result<(), Error> {
    check_kind(path, "csv", ".csv")
}

fn check_kind(path: &Path, wanted: &str, known: &'static str) -> Result<(), Error> {
    if extension(path) == wanted {
        check_destination(path)
    } else {
        Err(Error::OutputKind { path: path.into(), known })
    }
}

/// Returns one bare label a line.
pub fn labels_txt(labels: &[i64]) -> String {
    labels.iter().fold(String::new(), |mut text, label| {
        let _ = writeln!(text, "{label}");
        text
    })
}

/// Whether names are written so that no spreadsheet takes them for formulas.
static PROTECTS: AtomicBool = AtomicBool::new(false);

/// From here on, names that a spreadsheet would take for formulas are written to text files behind an apostrophe.
pub(crate) fn protect_formulas() {
    PROTECTS.store(true, Ordering::Relaxed);
}

/// Whether a spreadsheet would take a text for a formula; numbers are none.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err()
}

/// A text as a field of a CSV file: in quotation marks where it needs them.
pub(crate) fn csv_field(text: &str) -> Cow<'_, str> {
    if PROTECTS.load(Ordering::Relaxed) && is_formula(text) {
        return quoted(&format!("'{text}")).into_owned().into();
    }
    quoted(text)
}

fn quoted(text: &str) -> Cow<'_, str> {
    let special = |character: char| matches!(character, ',' | ';' | '"' | '\n' | '\r' | '\t');
    if text.contains(special) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

fn labels_npy(labels: &[i64]) -> Vec<u8> {
    let numbers = labels.iter().flat_map(|label| label.to_le_bytes());
    npy_header("<i8", &[labels.len()]).into_iter().chain(numbers).collect()
}

/// Returns one entry a line, so that the settings can be read above a million labels.
pub(super) fn labels_json(labels: &[i64], ids: Option<&[String]>, details: &Value) -> String {
    let mut text = "{\n".to_owned();
    for (key, value) in details.as_object().into_iter().flatten().filter(|(key, _)| *key != "labels") {
        let _ = writeln!(text, "  {}: {value},", Value::from(key.as_str()));
    }
    if let Some(ids) = ids {
        let _ = writeln!(text, "  \"ids\": {},", Value::from(ids));
    }
    let _ = writeln!(text, "  \"labels\": {}\n}}", Value::from(labels));
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn written(name: &str, labels: &[i64], details: &Value) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_labels(&path, None, labels, None, details).unwrap();
        fs::read_to_string(path).unwrap()
    }

    fn n_files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn txt_holds_one_bare_label_a_line() {
        assert_eq!(written("labels.txt", &[0, 1, -1], &Value::Null), "0\n1\n-1\n");
    }

    #[test]
    fn csv_has_a_header_and_counts_points_from_0() {
        assert_eq!(written("labels.CSV", &[3, -1], &Value::Null), "index,label\n0,3\n1,-1\n");
    }

    #[test]
    fn names_come_back_in_csv_and_json() {
        let folder = tempfile::tempdir().unwrap();
        let ids = ["Lee, A", "say \"x\"", " b", "c"].map(str::to_owned);
        let read = |name: &str| {
            let path = folder.path().join(name);
            write_labels(&path, None, &[0, 1, 0, 2], Some(&ids), &Value::Null).unwrap();
            fs::read_to_string(path).unwrap()
        };
        let csv = "id,label\n\"Lee, A\",0\n\"say \"\"x\"\"\",1\n\" b\",0\nc,2\n";
        assert_eq!(read("l.csv"), csv);
        let json: Value = serde_json::from_str(&read("l.json")).unwrap();
        assert_eq!(json, json!({"ids": ids, "labels": [0, 1, 0, 2]}));
    }

    #[test]
    fn json_holds_the_details_and_the_labels() {
        let details = json!({"seed": 7, "a \"name\"": [1, 2], "labels": "old"});
        let read: Value = serde_json::from_str(&written("labels.json", &[0, 1], &details)).unwrap();
        assert_eq!(read, json!({"seed": 7, "a \"name\"": [1, 2], "labels": [0, 1]}));
        let read: Value = serde_json::from_str(&written("labels.json", &[], &Value::Null)).unwrap();
        assert_eq!(read, json!({"labels": []}));
    }

    #[test]
    fn npy_holds_whole_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.npy");
        write_labels(&path, None, &[0, -1, 300], None, &Value::Null).unwrap();
        let table = crate::io::read_table(&path, false).unwrap();
        assert_eq!((table.n_dimensions, table.values.into_f64()), (1, vec![0.0, -1.0, 300.0]));
    }

    #[test]
    fn what_ends_in_gz_is_packed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.csv.gz");
        write_labels(&path, None, &[4, 5], None, &Value::Null).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(b"\x1f\x8b"));
        let table = crate::io::read_table(&path, false).unwrap();
        assert_eq!(table.values.into_f64(), [0.0, 4.0, 1.0, 5.0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_stays() {
        let kept = |path: &str| !Path::new(path).metadata().unwrap().is_file();
        let txt = Some(LabelsFormat::Txt);
        write_labels(Path::new("/dev/null"), txt, &[0], None, &Value::Null).unwrap();
        let full =
            write_labels(Path::new("/dev/full"), txt, &[0], None, &Value::Null).unwrap_err().to_string();
        assert!(full.contains("/dev/full must be writable"), "{full}");
        assert!(kept("/dev/null") && kept("/dev/full"));
    }

    #[test]
    fn an_existing_file_is_replaced_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.txt");
        fs::write(&path, "a long text that was there before\n").unwrap();
        write_labels(&path, None, &[5], None, &Value::Null).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "5\n");
        assert_eq!(n_files(folder.path()), 1);
    }

    #[test]
    fn the_mistake_is_named_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            ("labels.xls", ".txt, .csv, .tsv, .json, .npy, .parquet or .arrow"),
            ("labels", ".txt, .csv, .tsv, .json"),
            ("none/labels.txt", "no "),
            ("", "is a folder"),
        ];
        for (name, expected) in cases {
            let path =
                if name.is_empty() { folder.path().with_extension("txt") } else { folder.path().join(name) };
            if name.is_empty() {
                fs::create_dir(&path).unwrap();
            }
            let early = check_labels_path(&path, None).unwrap_err().to_string();
            let late = write_labels(&path, None, &[0], None, &Value::Null).unwrap_err().to_string();
            assert_eq!(early, late);
            assert!(early.contains(expected) && early.contains(&path.display().to_string()), "{early}");
            if name.is_empty() {
                fs::remove_dir(&path).unwrap();
            }
        }
        assert_eq!(n_files(folder.path()), 0);
    }

    #[test]
    fn a_picture_ends_in_svg_png_or_pdf_and_a_report_in_html() {
        for name in ["clusters.svg", "clusters.png", "clusters.PDF"] {
            assert!(check_picture_path(Path::new(name)).is_ok(), "{name}");
        }
        let message = check_picture_path(Path::new("clusters.jpg")).unwrap_err().to_string();
        assert!(message.contains("clusters.jpg must end in .svg, .png or .pdf"), "{message}");
        assert!(check_report_path(Path::new("report.html")).is_ok());
        assert!(check_report_path(Path::new("report.svg")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours.txt"), folder.path().join("plain.txt"));
        write_labels(&ours, None, &[0], None, &Value::Null).unwrap();
        fs::write(&plain, "0\n").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
        assert_ne!(mode(&ours) & 0o777, 0o600);
    }
}
