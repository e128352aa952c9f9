//! What can be wrong with a file, said so that its owner can mend it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A place in a text file, as editors count it: the first line is 1, the first character of a line is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub path: PathBuf,
    /// The line, counted from 1; blank lines count too.
    pub line: usize,
    /// The character within the line, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, line {}, column {}", self.path.display(), self.line, self.column)
    }
}

/// A short, printable piece of a file: at most 40 characters, whatever cannot be printed written as an escape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    const MAX_CHARACTERS: usize = 40;

    /// Returns the printable beginning of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        // A character takes at most 4 bytes; the rest of a long line need not be looked at.
        let beginning = &bytes[..bytes.len().min(4 * Self::MAX_CHARACTERS + 4)];
        let mut shown = String::new();
        let mut n_characters = 0;
        for chunk in beginning.utf8_chunks() {
            let valid = chunk.valid().chars().map(printable);
            let broken = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
            for piece in valid.chain(broken) {
                if n_characters == Self::MAX_CHARACTERS {
                    return Self(shown + "...");
                }
                shown += &piece;
                n_characters += 1;
            }
        }
        Self(shown)
    }
}

fn printable(character: char) -> String {
    // Escapes what would hide or reorder the message: controls, byte order marks, directional marks.
    let hidden = character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    if hidden { character.escape_default().to_string() } else { character.to_string() }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\"", self.0)
    }
}

/// Everything the command can find wrong, one variant per mistake.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No neighbours are asked for.
    #[error("n_neighbours must be at least 1, got 0")]
    NoNeighbours,
    /// The input does not exist.
    #[error("{} must be an existing file, but there is none; check its name and the folder", path.display())]
    NoFile {
        /// The file as given.
        path: PathBuf,
    },
    /// The input is a folder.
    #[error("{} must be a file, but it is a folder; name a file in it", path.display())]
    Folder {
        /// The folder as given.
        path: PathBuf,
    },
    /// The system would not let the input be read.
    #[error("{} must be readable: {source}; check its permissions and the disk", path.display())]
    Read {
        /// The file as given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The extension of the input says nothing.
    #[error(
        "{} must end in .csv, .tsv, .txt or .npy, which say what it holds; rename or convert the file",
        path.display()
    )]
    InputKind {
        /// The file as given.
        path: PathBuf,
    },
    /// There is no number in the input.
    #[error("{} must hold at least one row of numbers, but it is empty", path.display())]
    Empty {
        /// The file as given.
        path: PathBuf,
    },
    /// There is a header and nothing below it.
    #[error(
        "{}, line {line}: rows of numbers must follow the header {header}, but the file ends; \
         add rows, or mend the line if it was meant to be one",
        path.display()
    )]
    HeaderOnly {
        /// The file as given.
        path: PathBuf,
        /// The line of the header.
        line: usize,
        /// The header.
        header: Excerpt,
    },
    /// A line is not text.
    #[error("{place}: the file must be UTF-8 text, got {found}; save it as CSV in UTF-8")]
    NotUtf8 {
        /// The first byte that is not UTF-8.
        place: Place,
        /// The line from there on.
        found: Excerpt,
    },
    /// A quotation mark opens and the line ends before it closes.
    #[error("{place}: a quotation mark must be closed on its own line, got {found}; add the closing mark")]
    OpenQuote {
        /// The opening mark.
        place: Place,
        /// The line from there on.
        found: Excerpt,
    },
    /// A row has more or fewer fields than the ones above it.
    #[error(
        "{place}: every row must have {expected} fields like line {like_line}, got {n_fields} in {found}; \
         add or remove fields"
    )]
    Ragged {
        /// The first field too many, or the end of the line.
        place: Place,
        /// How many fields the first record has.
        expected: usize,
        /// The line of the first record.
        like_line: usize,
        /// How many this row has.
        n_fields: usize,
        /// The row.
        found: Excerpt,
    },
    /// A field is text where a number belongs.
    #[error(
        "{place}: field {field} must be a number with a decimal point, got {found}; \
         mend it, or remove the column if it is a name"
    )]
    NotANumber {
        /// Where the field begins.
        place: Place,
        /// Which field of the row, counted from 1.
        field: usize,
        /// What stands there.
        found: Excerpt,
    },
    /// A field is empty or a mark for "not known", and that is not allowed.
    #[error(
        "{place}: field {field} must be a number, got {found}, a missing value; fill it in, remove the row, or for a matrix give --missing unobserved"
    )]
    Missing {
        /// Where the field begins.
        place: Place,
        /// Which field of the row, counted from 1.
        field: usize,
        /// What stands there.
        found: Excerpt,
    },
    /// A number is infinite, as written or because 64 bits cannot hold it.
    #[error("{place}: field {field} must be a finite number, got {found}; mend it or remove the row")]
    Infinite {
        /// Where the field begins.
        place: Place,
        /// Which field of the row, counted from 1.
        field: usize,
        /// What stands there.
        found: Excerpt,
    },
    /// The file is called `.npy` and does not begin like one.
    #[error(
        "{}: a .npy file must begin with \\x93NUMPY, got {found}; was it saved with numpy.save?",
        path.display()
    )]
    NpyMagic {
        /// The file as given.
        path: PathBuf,
        /// Its first bytes.
        found: Excerpt,
    },
    /// The header of a `.npy` file cannot be understood.
    #[error("{}: the .npy header must be one that numpy.save writes: {source}; save the array again", path.display())]
    NpyHeader {
        /// The file as given.
        path: PathBuf,
        /// What was wrong with it.
        source: io::Error,
    },
    /// A `.npy` file is shorter than its header promises.
    #[error(
        "{}: an array of shape {shape:?} must take {expected} bytes, got {found}; the file was cut short, save it again",
        path.display()
    )]
    NpyTruncated {
        /// The file as given.
        path: PathBuf,
        /// The shape in the header.
        shape: Vec<u64>,
        /// How many bytes of data that makes.
        expected: u128,
        /// How many there are.
        found: u64,
    },
    /// An array is neither a list nor a table.
    #[error(
        "{}: the array must have 1 or 2 dimensions, got {} (shape {shape:?}); reshape it to (rows, columns)",
        path.display(), shape.len()
    )]
    NpyDimensions {
        /// The file as given.
        path: PathBuf,
        /// The shape in the header.
        shape: Vec<u64>,
    },
    /// An array holds something that is not one of the known numbers.
    #[error(
        "{}: the array must hold float32, float64, integers of 8 to 64 bits or bool, got {dtype}; \
         convert it with .astype(\"float64\")",
        path.display()
    )]
    NpyType {
        /// The file as given.
        path: PathBuf,
        /// NumPy's name of the type.
        dtype: String,
    },
    /// A value of an array is NaN, and that is not allowed.
    #[error(
        "{}: every value must be a number, got NaN in row {row}, column {column} (counted from 1); \
         fill it in, remove the row, or for a matrix give --missing unobserved",
        path.display()
    )]
    ArrayMissing {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1.
        row: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// A value of an array is infinite.
    #[error(
        "{}: every value must be finite, got an infinite one in row {row}, column {column} (counted from 1); \
         mend it or remove the row",
        path.display()
    )]
    ArrayInfinite {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1.
        row: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// The extension of the output says nothing.
    #[error("{} must end in {known}, which say how to write it; rename the output", path.display())]
    OutputKind {
        /// The file as given.
        path: PathBuf,
        /// The extensions that can be written.
        known: &'static str,
    },
    /// The output would lie in a folder that does not exist.
    #[error("{} must lie in an existing folder, but there is no {}; make it first", path.display(), folder.display())]
    OutputFolder {
        /// The file as given.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// The output cannot be written.
    #[error("{} must be writable: {source}; check the folder's permissions and the disk", path.display())]
    Write {
        /// The file as given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A matrix that may be points.
    #[error(
        "{} is a square matrix of {n_rows} rows: say what it holds with --input similarities, distances or points",
        path.display()
    )]
    Ambiguous {
        /// The file as given.
        path: PathBuf,
        /// How many rows, and columns, it has.
        n_rows: usize,
    },
    /// Edges whose values may be anything.
    #[error("{}: say what the values of the edges are with --edge-values distances or similarities", path.display())]
    EdgeValues {
        /// The file as given.
        path: PathBuf,
    },
    /// A file of edges that does not have three columns.
    #[error("{}: edges take three columns, two points and a value, got {given}", path.display())]
    EdgeColumns {
        /// The file as given.
        path: PathBuf,
        /// How many columns it has.
        given: usize,
    },
    /// An edge that names no point.
    #[error("{}: row {row}: points are numbered 0, 1, 2, .., got {given}", path.display())]
    EdgePoint {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 0 without the header.
        row: usize,
        /// What was there.
        given: f64,
    },
    /// Known labels for a model that cannot use them.
    #[error("--known-labels needs --model latent-graph: latent features cannot use them")]
    KnownLabelsModel,
    /// An output that is the input, or another output.
    #[error("{} would be written over; give the output another name", path.display())]
    Overwrite {
        /// The file as given.
        path: PathBuf,
    },
    /// A preset for the other model.
    #[error("--preset needs --model latent-graph: it sets that model's settings")]
    PresetModel,
    /// A known label that is none.
    #[error("{}: row {row}: a known label is a whole number, or -1 where it is not known, got {given}", path.display())]
    KnownLabel {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 0 without a header.
        row: usize,
        /// What was there.
        given: f64,
    },
    /// A partition of another number of points.
    #[error("{}: a partition has one label for each of the {n_points} points, got {given}", path.display())]
    LabelCount {
        /// The file as given.
        path: PathBuf,
        /// Number of labels.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A point without a label in a partition.
    #[error("{}: row {row}: every point needs a label to be scored, got -1", path.display())]
    NoLabel {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 0 without a header.
        row: usize,
    },
    /// The numbers, or the settings for them, do not make sense.
    #[error("{}: {source}", path.display())]
    Content {
        /// The file as given.
        path: PathBuf,
        /// What is wrong.
        source: similis::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_escapes_what_cannot_be_printed() {
        assert_eq!(Excerpt::new(b"a\xff\tb").to_string(), r#""a\xff\tb""#);
        assert_eq!(Excerpt::new("\u{202e}é".as_bytes()).to_string(), r#""\u{202e}é""#);
    }

    #[test]
    fn an_excerpt_is_short() {
        let long = Excerpt::new(&[b'7'; 1000]).to_string();
        assert_eq!(long, format!("\"{}...\"", "7".repeat(40)));
        assert_eq!(Excerpt::new(&[b'7'; 40]).to_string().len(), 42);
        assert_eq!(Excerpt::new("é".repeat(41).as_bytes()).to_string(), format!("\"{}...\"", "é".repeat(40)));
    }
}
