//! How a file is laid out: told by a flag, by its name, or by its first bytes.

use std::path::Path;

use clap::ValueEnum;

/// The layouts that can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Fields between commas (or semicolons, or tabs, as the first line has them).
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Fields between blanks, tabs, commas or semicolons; lines that begin with # are comments.
    Txt,
    /// One array of NumPy.
    Npy,
    /// Arrays of NumPy in a zip file, or a sparse matrix of SciPy.
    Npz,
    /// Parquet.
    Parquet,
    /// Arrow IPC, also called Feather: file or stream.
    Arrow,
    /// Matrix Market, dense or sparse.
    Mtx,
    /// Distances as phylogenetics programs write them: a count, then names with rows or lower rows.
    Phylip,
}

/// The extensions of each format; the first is the one that messages name.
const EXTENSIONS: &[(Format, &[&str])] = &[
    (Format::Csv, &["csv"]),
    (Format::Tsv, &["tsv", "tab"]),
    (Format::Txt, &["txt", "edgelist", "edges"]),
    (Format::Npy, &["npy"]),
    (Format::Npz, &["npz"]),
    (Format::Parquet, &["parquet", "pq"]),
    (Format::Arrow, &["arrow", "feather", "ipc", "arrows"]),
    (Format::Mtx, &["mtx", "mm"]),
    (Format::Phylip, &["phy", "phylip", "dist"]),
];

/// What a file of a format begins with; no text begins so.
const MAGIC: &[(Format, &[u8])] = &[
    (Format::Npy, b"\x93NUMPY"),
    (Format::Npz, b"PK\x03\x04"),
    (Format::Npz, b"PK\x05\x06"),
    (Format::Parquet, b"PAR1"),
    (Format::Arrow, b"ARROW1"),
    (Format::Arrow, b"\xff\xff\xff\xff"),
    (Format::Mtx, b"%%MatrixMarket"),
];

impl Format {
    /// The format that a file's name tells, an ending `.gz` left aside.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = extension(path);
        EXTENSIONS.iter().find(|(_, known)| known.contains(&extension.as_str())).map(|&(format, _)| format)
    }

    /// The format that a file's first bytes tell beyond doubt.
    pub fn of_bytes(head: &[u8]) -> Option<Self> {
        MAGIC.iter().find(|(_, magic)| head.starts_with(magic)).map(|&(format, _)| format)
    }

    /// The format's name as a flag spells it.
    pub fn name(self) -> &'static str {
        EXTENSIONS.iter().find(|(format, _)| *format == self).map_or("", |(format, known)| match format {
            Self::Phylip => "phylip",
            _ => known[0],
        })
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// Returns the extension in lower case, that before `.gz` if there are two, empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    let of = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match of(path) {
        Some(last) if last == "gz" => of(Path::new(path.file_stem().unwrap_or_default())).unwrap_or_default(),
        Some(last) => last,
        None => String::new(),
    }
}

/// Whether the name says that the file is, or is to be, packed by gzip.
pub(crate) fn is_gzipped(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format_with_and_without_gz() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("a.b.CSV.gz", Some(Format::Csv)),
            ("a.feather", Some(Format::Arrow)),
            ("a.phy", Some(Format::Phylip)),
            ("a.edgelist.gz", Some(Format::Txt)),
            ("a.gz", None),
            ("csv", None),
            ("-", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn the_name_of_a_format_is_its_flag() {
        for format in Format::value_variants() {
            let flag = format.to_possible_value().unwrap();
            assert_eq!(flag.get_name(), format.name());
        }
    }
}
