//! What can be wrong with a file, with a message that says how to correct it.

mod content;
mod place;

use std::io;
use std::path::PathBuf;

pub use self::place::{Excerpt, Place};
use crate::io::Format;

/// Everything the command can find wrong, one variant per mistake.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What the library says where no file is to blame.
    #[error("{}", content::in_file(.0))]
    Library(#[from] similis::Error),
    /// Answers and the input from one place.
    #[error("--ask reads answers from standard input, so the input must be a file, got -")]
    AskStandardInput,
    /// A folder without shards.
    #[error(
        "{}: a folder of shards must hold .csv, .tsv, .txt, .npy, .npz, .parquet or .arrow files, got none of these",
        path.display()
    )]
    NoShards {
        /// The folder.
        path: PathBuf,
    },
    /// A shard that holds no points.
    #[error("{}: a shard must be a table of points, got a sparse matrix or edges", path.display())]
    NoPointShard {
        /// The file.
        path: PathBuf,
    },
    /// A shard with another number of columns than the first.
    #[error(
        "{}: every shard must have the {expected} columns of {}, got {given}; name them with --columns, or remove the file",
        path.display(), first.display()
    )]
    ShardColumns {
        /// The file.
        path: PathBuf,
        /// Its columns.
        given: usize,
        /// The first shard.
        first: PathBuf,
        /// Its columns.
        expected: usize,
    },
    /// A shard with other columns than the first.
    #[error("{}: every shard must have the columns of {}, {expected}; got {given}", path.display(), first.display())]
    ShardNames {
        /// The file.
        path: PathBuf,
        /// Its columns.
        given: String,
        /// The first shard.
        first: PathBuf,
        /// Its columns.
        expected: String,
    },
    /// More rows than can be numbered.
    #[error(
        "at most 4294967294 rows can be clustered together, got {given}; cluster a part, and predict the rest"
    )]
    TooManyRows {
        /// Number of rows.
        given: u64,
    },
    /// Something that needs all points in one place.
    #[error(
        "{flag} needs all points in one place, and shards are read one by one; leave it out, or use similis cluster"
    )]
    ShardFlag {
        /// The flag.
        flag: &'static str,
    },
    /// A work folder that is not empty.
    #[error(
        "{}: the work folder must be new or empty; go on with similis shard run, or name another by --work",
        path.display()
    )]
    WorkInUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file of a work folder that is not as it was written.
    #[error("{} is damaged; remove it and run its job again, or start again with another --work", path.display())]
    WorkFile {
        /// The file.
        path: PathBuf,
    },
    /// Arguments of a plan that are none.
    #[error("{message}")]
    WorkArguments {
        /// What is wrong.
        message: String,
    },
    /// A merge before its jobs.
    #[error(
        "{}: {n_pending} job{} of this step must be run first; see similis shard run",
        path.display(), if *n_pending == 1 { "" } else { "s" }
    )]
    PendingJobs {
        /// How many are left.
        n_pending: usize,
        /// The work folder.
        path: PathBuf,
    },
    /// Labels before there are any.
    #[error("{}: labels come last, and the step is {step}; see similis shard run", path.display())]
    NotYetLabels {
        /// The step.
        step: &'static str,
        /// The work folder.
        path: PathBuf,
    },
    /// A job that does not exist.
    #[error("{}: the current step has no job {name}; see similis shard status", path.display())]
    NoJob {
        /// The name.
        name: String,
        /// The work folder.
        path: PathBuf,
    },
    /// A folder that another process drives.
    #[error("{}: another process drives this work folder; wait for it, or end it", path.display())]
    TwoDrivers {
        /// The work folder.
        path: PathBuf,
    },
    /// An output of `cluster`, asked of the page.
    #[error(
        "--{flag} has no place here: the page has its own buttons for labels, pictures, files and questions; leave it out, or use \
         similis cluster"
    )]
    ServeOutput {
        /// The flag.
        flag: String,
    },
    /// A page for other machines without a password.
    #[error(
        "--host {host} would let every machine that reaches this one ask for the page: give --token TEXT, a password of at least 16 \
         characters, and mind that the connection is not encrypted; or leave --host out and reach the page by an SSH tunnel"
    )]
    ServeHost {
        /// The address.
        host: std::net::IpAddr,
    },
    /// A password that is too short.
    #[error("--token needs at least 16 characters, got {given}; leave it out to have links that work once")]
    ServeToken {
        /// The number of characters.
        given: usize,
    },
    /// A port that cannot be had.
    #[error("cannot listen on {host} port {port}: {source}; give another --port, or none for a free one")]
    ServePort {
        /// The address.
        host: std::net::IpAddr,
        /// The port, 0 for any.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// A fit that failed in a page.
    #[error("{message}")]
    Fit {
        /// What is wrong.
        message: String,
    },
    /// A number that must be above 0.
    #[error("--{setting} must be a finite number above 0, got {given}")]
    NotPositive {
        /// The flag.
        setting: &'static str,
        /// What was given.
        given: f64,
    },
    /// Too few points for a matrix of pairs.
    #[error("--n-points must be at least 2 to have a pair, got {given}")]
    TooFewPoints {
        /// What was given.
        given: usize,
    },
    /// A page of the manual that there is not.
    #[error("there is no command {given:?}; try one of {known}")]
    NoCommand {
        /// What was given.
        given: String,
        /// The commands there are.
        known: String,
    },
    /// Points are wanted of what has none.
    #[error("{}: there are no points in it; write a matrix or edges with --to", path.display())]
    NoPoints {
        /// The file as given.
        path: PathBuf,
    },
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
        "{}: neither the name nor the first bytes tell the format; name it with --format csv, tsv, txt, npy, npz, parquet, \
         arrow, mtx or phylip",
        path.display()
    )]
    InputKind {
        /// The file as given.
        path: PathBuf,
    },
    /// The name says one format and the first bytes another.
    #[error("{}: the name says {name}, but the file begins like {begins}; say which it is with --format", path.display())]
    FormatMismatch {
        /// The file as given.
        path: PathBuf,
        /// What its extension says.
        name: Format,
        /// What its first bytes say.
        begins: Format,
    },
    /// What was packed cannot be unpacked.
    #[error("{} must be whole: {source}; it was cut short or changed on the way, make or fetch it again", path.display())]
    Damaged {
        /// The file as given.
        path: PathBuf,
        /// What was found.
        source: io::Error,
    },
    /// This build reads no Parquet and no Arrow.
    #[error(
        "{}: this build neither reads nor writes {format} files; build it with cargo build --release --features parquet, or use CSV \
         or .npy",
        path.display()
    )]
    NoParquet {
        /// The file as given.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// The system lets the process have too little address space.
    #[error(
        "the limit of address space (ulimit -v) leaves {}, and at least {} are needed; raise it",
        similis::error::bytes(*left), similis::error::bytes(*least)
    )]
    AddressSpace {
        /// Bytes that are left.
        left: u64,
        /// Bytes that are needed.
        least: u64,
    },
    /// Reading takes more memory than it may.
    #[error(
        "{}{}: what is read takes {} but the memory limit is {}; check that this is the right file, or raise --memory-limit",
        path.display(), of_line(*line), similis::error::bytes(*needed), similis::error::bytes(*limit)
    )]
    TooLarge {
        /// The file as given.
        path: PathBuf,
        /// The line at which that was seen, counted from 1, in text.
        line: Option<usize>,
        /// Bytes needed so far.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Columns packed by a codec that this build does not have.
    #[error(
        "{}: its columns are packed by {codec}, which is not read; write the file with zstd, snappy, gzip, lz4 or none",
        path.display()
    )]
    ParquetCodec {
        /// The file as given.
        path: PathBuf,
        /// The codec.
        codec: String,
    },
    /// A column that the file does not have.
    #[error(
        "{}: no column {wanted}: there are {n_columns}, counted from 1{}; give a name or a number",
        path.display(), named(names)
    )]
    NoColumn {
        /// The file as given.
        path: PathBuf,
        /// What was asked for.
        wanted: Excerpt,
        /// How many columns there are.
        n_columns: usize,
        /// Their names, empty where the file has none.
        names: Excerpt,
    },
    /// A column that holds no numbers.
    #[error(
        "{}: column {column}, {name}, must hold numbers, got {found}; choose the columns of numbers with --columns, or name \
         this one with --id-column or --label-column",
        path.display()
    )]
    ColumnType {
        /// The file as given.
        path: PathBuf,
        /// The column, counted from 1.
        column: usize,
        /// Its name.
        name: Excerpt,
        /// Its type, or what it holds.
        found: Excerpt,
    },
    /// Two columns of one name.
    #[error(
        "{}: columns {first} and {second} are both named {name}; rename one, or choose columns by number with --columns",
        path.display()
    )]
    SameName {
        /// The file as given.
        path: PathBuf,
        /// The name.
        name: Excerpt,
        /// The first of the two, counted from 1.
        first: usize,
        /// The second of the two, counted from 1.
        second: usize,
    },
    /// A column that is asked for twice.
    #[error(
        "{}: column {column} is asked for twice; a column is one of --columns, --id-column and --label-column",
        path.display()
    )]
    ColumnTwice {
        /// The file as given.
        path: PathBuf,
        /// The column, counted from 1.
        column: usize,
    },
    /// No column is left to cluster on.
    #[error("{}: no column of numbers is left; name some with --columns", path.display())]
    NoValues {
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
         add rows, or correct the line if it was meant to be one",
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
    /// A line is separated in another way than the first.
    #[error(
        "{place}: fields must be separated by {used} like line {like_line}, but this line has {found}; \
         use one delimiter in the whole file"
    )]
    MixedDelimiter {
        /// The line.
        place: Place,
        /// What separates the fields of the first record.
        used: &'static str,
        /// What separates the fields here.
        found: &'static str,
        /// The line of the first record.
        like_line: usize,
    },
    /// The header stands once more among the rows.
    #[error("{place}: this line repeats the header of line {like_line}, {found}; remove it")]
    RepeatedHeader {
        /// Where the line begins.
        place: Place,
        /// The line of the header.
        like_line: usize,
        /// The header.
        found: Excerpt,
    },
    /// A field is text where a number belongs.
    #[error(
        "{place}: field {field}{} must be a number with a decimal point, got {found}; correct it, choose the columns of numbers \
         with --columns, or name this one with --id-column or --label-column",
        of_column(name.as_ref())
    )]
    NotANumber {
        /// Where the field begins.
        place: Place,
        /// Which field of the row, counted from 1.
        field: usize,
        /// The name of the column, where it has one.
        name: Option<Excerpt>,
        /// What stands there.
        found: Excerpt,
    },
    /// A field is empty or a mark for "not known", and that is not allowed.
    #[error(
        "{place}: field {field} must be a number, got {found}, a missing value; fill it in, leave such rows out with --missing drop, or for a matrix give --missing unobserved"
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
    #[error("{place}: field {field} must be a finite number, got {found}; correct it or remove the row")]
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
    #[error("{}: the .npy header must be one that numpy.save writes, got {found}; save the array again", path.display())]
    NpyHeader {
        /// The file as given.
        path: PathBuf,
        /// What there is of it.
        found: Excerpt,
    },
    /// A `.npz` file of several arrays, or without the one that was named.
    #[error(
        "{}: {}; name one of its arrays with --array: {names}",
        path.display(),
        wanted.as_ref().map_or_else(|| "there are several arrays".to_owned(), |name| format!("no array is called {name:?}"))
    )]
    NpzArray {
        /// The file as given.
        path: PathBuf,
        /// What was asked for.
        wanted: Option<String>,
        /// The arrays there are.
        names: String,
    },
    /// A sparse matrix of a format that is not read.
    #[error("{}: a sparse matrix must be csr, csc or coo, got {found:?}; convert it with .tocsr()", path.display())]
    SparseFormat {
        /// The file as given.
        path: PathBuf,
        /// What SciPy calls its format.
        found: String,
    },
    /// The arrays of a sparse matrix do not fit together.
    #[error("{}: the arrays of a sparse matrix must hold {what}; save it again with scipy.sparse.save_npz", path.display())]
    SparseArrays {
        /// The file as given.
        path: PathBuf,
        /// What they should hold.
        what: &'static str,
    },
    /// A sparse matrix of which it was not said what it holds.
    #[error(
        "{}: a sparse matrix of {n_rows} rows and {n_columns} columns: say what it holds with --input distances, similarities \
         or points",
        path.display()
    )]
    AmbiguousSparse {
        /// The file as given.
        path: PathBuf,
        /// How many rows it has.
        n_rows: usize,
        /// How many columns it has.
        n_columns: usize,
    },
    /// A sparse matrix where columns of numbers are wanted, such as labels.
    #[error(
        "{}: the file must hold columns of numbers, got a sparse matrix of {n_rows} rows and {n_columns} columns; save \
         them as .txt, .csv or .npy",
        path.display()
    )]
    SparseTable {
        /// The file as given.
        path: PathBuf,
        /// How many rows it has.
        n_rows: usize,
        /// How many columns it has.
        n_columns: usize,
    },
    /// The first line of a Matrix Market file says something that is not read.
    #[error(
        "{}, line 1: the first line must be %%MatrixMarket matrix, then array or coordinate, real, integer or pattern, \
         general or symmetric, got {found}; save the matrix in one of these forms",
        path.display()
    )]
    MtxBanner {
        /// The file as given.
        path: PathBuf,
        /// The line.
        found: Excerpt,
    },
    /// Invalid line of sizes in a Matrix Market file.
    #[error("{place}: the numbers of {expected} must stand here, got {found}; save the matrix again")]
    MtxSizes {
        /// The line.
        place: Place,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: Excerpt,
    },
    /// A symmetric matrix that is not square.
    #[error("{}: a symmetric matrix must be square, got {n_rows} rows and {n_columns} columns; correct the sizes", path.display())]
    MtxSymmetric {
        /// The file as given.
        path: PathBuf,
        /// Rows given.
        n_rows: usize,
        /// Columns given.
        n_columns: usize,
    },
    /// Invalid entry in a Matrix Market file.
    #[error("{place}: {expected} must stand here, got {found}; correct the line")]
    MtxEntry {
        /// Where it stands.
        place: Place,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: Excerpt,
    },
    /// More or fewer entries than the sizes say.
    #[error("{}: {expected} entries must follow the sizes, got {found}; the file was cut short or the sizes are wrong", path.display())]
    MtxEntries {
        /// The file as given.
        path: PathBuf,
        /// How many the sizes say.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Invalid first line in a PHYLIP file.
    #[error(
        "{place}: the number of items must stand here alone, got {found}; if there is none, use --format txt"
    )]
    PhylipCount {
        /// The line.
        place: Place,
        /// What stands there.
        found: Excerpt,
    },
    /// Invalid distance in a PHYLIP file.
    #[error(
        "{place}: a distance must be a finite number with a decimal point, got {found}; correct it; rows may be whole or of the lower triangle"
    )]
    PhylipDistance {
        /// Where it stands.
        place: Place,
        /// What stands there.
        found: Excerpt,
    },
    /// A row of a PHYLIP file is too long.
    #[error("{}, line {line}: item {name} must have {expected} distances, got {found}; correct the row", path.display())]
    PhylipLength {
        /// The file as given.
        path: PathBuf,
        /// The last line of the row.
        line: usize,
        /// The item.
        name: Excerpt,
        /// How many distances it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// Fewer items than the first line says.
    #[error("{}: {expected} items must follow the first line, got {found} whole ones; the file was cut short", path.display())]
    PhylipRows {
        /// The file as given.
        path: PathBuf,
        /// How many the first line says.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// More items than the first line says.
    #[error(
        "{place}: nothing must follow the {n} items that the first line promises, got {found}; correct the count"
    )]
    PhylipMore {
        /// The line.
        place: Place,
        /// How many the first line says.
        n: usize,
        /// What follows.
        found: Excerpt,
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
         fill it in, leave such rows out with --missing drop, or for a matrix give --missing unobserved",
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
         correct it or remove the row",
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
    #[error("{} must end in {known}; its ending tells how it is written, so give it another name", path.display())]
    OutputKind {
        /// The file as given.
        path: PathBuf,
        /// The extensions that can be written.
        known: &'static str,
    },
    /// A PHYLIP file of anything but a matrix.
    #[error("{}: a phylip file holds a whole matrix of pairs; add --to matrix", path.display())]
    PhylipMatrix {
        /// The file as given.
        path: PathBuf,
    },
    /// The output would lie in a folder that does not exist.
    #[error("{} must lie in an existing folder, but there is no {}; make it first", path.display(), folder.display())]
    OutputFolder {
        /// The file as given.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// The output is there and must not be changed.
    #[error("{} must be writable, but it is read-only; make it writable, or give the output another name", path.display())]
    ReadOnly {
        /// The file as given.
        path: PathBuf,
    },
    /// A figure that cannot be made.
    #[error("the figures: {source}")]
    Figures {
        /// What is wrong.
        source: similis::Error,
    },
    /// A kind of picture that an answer does not have.
    #[error("--plot-kind {kind} needs {needs}; add that, or take another kind, such as scatter or matrix")]
    NoPicture {
        /// The kind as given.
        kind: String,
        /// The flag that would give it.
        needs: &'static str,
    },
    /// Columns of the input in a format that has no room for them.
    #[error("--with-input needs an output with columns, and {} has none; write .csv, .tsv, .parquet or .arrow", path.display())]
    NoInputColumns {
        /// The file as given.
        path: PathBuf,
    },
    /// More than labels in a format that holds labels alone.
    #[error("{flag} needs an output with columns, and {} has none; write .csv, .tsv, .json, .parquet or .arrow", path.display())]
    NoRoom {
        /// The flag that asks for more.
        flag: &'static str,
        /// The file as given.
        path: PathBuf,
    },
    /// Mixed columns with what only numbers have.
    #[error(
        "--metric gower takes points; leave out --standardise and --missing drop, and --input other than points"
    )]
    MixedInput,
    /// A column of weights in a list of pairs.
    #[error(
        "--weight-column is a column of points or of a matrix; a list of edges or a sparse matrix has none"
    )]
    EdgeWeights,
    /// A picture that cannot be written as PDF.
    #[error("a picture must be one of this program's to be written as PDF; write it as .svg")]
    Picture,
    /// A picture that cannot be painted.
    #[error("a picture must fit into a PNG, and this one does not; write it as .svg")]
    Png,
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
    /// A workbook of a spreadsheet.
    #[error("{}: workbooks are not read; save the sheet as CSV and give that file", path.display())]
    Spreadsheet {
        /// The file as given.
        path: PathBuf,
    },
    /// A matrix with names that is not symmetric.
    #[error(
        "{} is a square matrix of {n_rows} rows with names, and not symmetric: say what it holds with --input distances or \
         similarities, and add --symmetrise mean, min or max",
        path.display()
    )]
    AsymmetricNamed {
        /// The file as given.
        path: PathBuf,
        /// How many rows, and columns, it has.
        n_rows: usize,
    },
    /// A file that begins as PHYLIP files do.
    #[error("{}, line {line}: a count and then names, as a PHYLIP file has them: read it with --format phylip", path.display())]
    LooksLikePhylip {
        /// The file as given.
        path: PathBuf,
        /// The line of the count.
        line: usize,
    },
    /// A file of edges, of which that was not said.
    #[error(
        "{}, line {line}: two names in a row, as a list of edges has them: read it with --input edges and, if they have values, \
         --edge-values distances or similarities",
        path.display()
    )]
    LooksLikeEdges {
        /// The file as given.
        path: PathBuf,
        /// The first line with an edge.
        line: usize,
    },
    /// A list of numbers that may be the distances of pairs.
    #[error(
        "{}: a one-dimensional array of {length} numbers, as many as {n_items} items have pairs: say what it holds with --input \
         distances (or similarities), or points for one column",
        path.display()
    )]
    AmbiguousCondensed {
        /// The file as given.
        path: PathBuf,
        /// How many numbers there are.
        length: usize,
        /// How many items have as many pairs.
        n_items: usize,
    },
    /// Edges whose values may be anything.
    #[error("{}: say what the values of the edges are with --edge-values distances or similarities", path.display())]
    EdgeValues {
        /// The file as given.
        path: PathBuf,
    },
    /// A file of edges that has neither two nor three columns.
    #[error(
        "{}: edges take two columns, or three columns, two points and a value, got {given}; choose them with --columns",
        path.display()
    )]
    EdgeColumns {
        /// The file as given.
        path: PathBuf,
        /// How many columns it has.
        given: usize,
    },
    /// An edge that names no point.
    #[error("{}: row {row}: points are numbered 0, 1, 2, .., got {given}; number them so", path.display())]
    EdgePoint {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1 without a header.
        row: usize,
        /// What was there.
        given: f64,
    },
    /// An item of an edge that is neither a name nor a whole number.
    #[error("{place}: an item is a name or a number 0, 1, 2, .., got {found}; correct it")]
    EdgeItem {
        /// Where it stands.
        place: Place,
        /// What stands there.
        found: Excerpt,
    },
    /// Invalid value of an edge.
    #[error(
        "{place}: the value of an edge must be a finite number, got {found}; correct it or remove the edge"
    )]
    EdgeValue {
        /// Where it stands.
        place: Place,
        /// What stands there.
        found: Excerpt,
    },
    /// The distance along an edge is negative.
    #[error(
        "{place}: a distance must not be negative, got {found}; if large values mean alike, give --edge-values similarities"
    )]
    EdgeNegative {
        /// Where it stands.
        place: Place,
        /// What stands there.
        found: Excerpt,
    },
    /// An edge is listed twice.
    #[error("{}: the edge from {from} to {to} is listed twice; list every edge once", path.display())]
    EdgeTwice {
        /// The file as given.
        path: PathBuf,
        /// Its first item.
        from: Excerpt,
        /// Its second item.
        to: Excerpt,
    },
    /// An edge is listed both ways with two values.
    #[error(
        "{}: the edge from {from} to {to} has the value {given}, but back it has {back}; give --symmetrise mean, min or max",
        path.display()
    )]
    EdgeBack {
        /// The file as given.
        path: PathBuf,
        /// Its first item.
        from: Excerpt,
        /// Its second item.
        to: Excerpt,
        /// The value.
        given: f64,
        /// The value of the way back.
        back: f64,
    },
    /// An item at a distance from itself.
    #[error("{}: the distance of {item} to itself must be 0, got {given}; remove that edge", path.display())]
    EdgeSelf {
        /// The file as given.
        path: PathBuf,
        /// The item.
        item: Excerpt,
        /// The distance.
        given: f64,
    },
    /// Rows and columns of a matrix are not the same items.
    #[error(
        "{}: row {row} is called {row_name} but column {row} is called {column_name}; put rows and columns in one order",
        path.display()
    )]
    NamesDiffer {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1.
        row: usize,
        /// The row's name.
        row_name: Excerpt,
        /// The column's name.
        column_name: Excerpt,
    },
    /// A file that is no model.
    #[error("{} must be a model that similis wrote with --save-model; it is something else", path.display())]
    NotModel {
        /// The file as given.
        path: PathBuf,
    },
    /// A model of another version.
    #[error("{}: this similis reads models of version 1, got {given}; take the similis that wrote it, or a newer one", path.display())]
    ModelVersion {
        /// The file as given.
        path: PathBuf,
        /// The version it has.
        given: Excerpt,
    },
    /// A model that was cut short or changed.
    #[error("{} must be a whole model, but it breaks off or is damaged at line {line}, column {column}; save it again", path.display())]
    ModelDamaged {
        /// The file as given.
        path: PathBuf,
        /// Where, counted from 1.
        line: usize,
        /// Where in that line.
        column: usize,
    },
    /// An entry of a model that is missing or something else.
    #[error("{}: the entry {entry} of a model must be {wanted}; the file was changed: save it again", path.display())]
    ModelEntry {
        /// The file as given.
        path: PathBuf,
        /// The entry.
        entry: &'static str,
        /// What must be there.
        wanted: &'static str,
    },
    /// Probabilities for a file of bare labels.
    #[error("{} holds labels alone; with --probabilities write .csv, .json, .parquet or .arrow", path.display())]
    NoProbabilities {
        /// The file as given.
        path: PathBuf,
    },
    /// New points whose columns are not the model's.
    #[error("{}: the model was made of the columns {wanted}, got {given}; say which ones they are with --columns", path.display())]
    NewColumnNames {
        /// The file as given.
        path: PathBuf,
        /// The names of its columns.
        given: Excerpt,
        /// The names of the model's columns.
        wanted: Excerpt,
    },
    /// A line of a list of pairs that has no two columns.
    #[error("{}: line {line}: a pair has two columns, the two points, and may have a third, a probability; got {given}", path.display())]
    PairColumns {
        /// The file as given.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Columns given.
        given: usize,
    },
    /// No item has the labels that are to be clustered again.
    #[error("--within {labels}: no item of {} has such a label; give labels that it holds", path.display())]
    WithinNothing {
        /// The file of labels.
        path: PathBuf,
        /// The labels that were asked for.
        labels: String,
    },
    /// What stands beside a pair is no probability.
    #[error("{}: line {line}: the third column of a pair must be a probability from 0 to 1, got {found}", path.display())]
    PairProbability {
        /// The file as given.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What was there.
        found: Excerpt,
    },
    /// A pair names something that is no point.
    #[error("{place}: expected {wanted}, got {found}")]
    PairItem {
        /// Where.
        place: Place,
        /// What was there.
        found: Excerpt,
        /// What names a point.
        wanted: String,
    },
    /// A pair, in a file of numbers, names something that is no point.
    #[error(
        "{}: row {row}: expected the number of a point, from 0 to {}, got {given}", path.display(), n_points.saturating_sub(1)
    )]
    PairPoint {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1.
        row: usize,
        /// What was there.
        given: f64,
        /// Number of points.
        n_points: usize,
    },
    /// Pairs and known labels that contradict each other.
    #[error("{}{}{}{}", content::in_flags(source), if names.is_empty() { " (rows counted from 0)" } else { "" }, content::of_names(names), content::of_places(places))]
    Pairs {
        /// What is wrong.
        source: similis::Error,
        /// The names of the rows, where they have names.
        names: Vec<(usize, String)>,
        /// The files and lines of the pairs.
        places: Vec<String>,
    },
    /// An output that is the input, or another output.
    #[error("{} would be written over; give the output another name", path.display())]
    Overwrite {
        /// The file as given.
        path: PathBuf,
    },
    /// A preset for the other model.
    #[error("--preset needs --model latent-graph: it sets that model's settings")]
    PresetModel,
    /// A label of something that is no item.
    #[error(
        "{}, line {line}: the first column must name items of the input, got {found}; correct the name, or leave the column out \
         to have the labels in the order of the items",
        path.display()
    )]
    LabelName {
        /// The file as given.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The name.
        found: Excerpt,
    },
    /// Invalid known label.
    #[error(
        "{}: row {row}: a label is text or a whole number, -1 or NA where it is not known, got {given}; correct it",
        path.display()
    )]
    KnownLabel {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1 without a header.
        row: usize,
        /// What was there.
        given: f64,
    },
    /// A partition of another number of points.
    #[error(
        "{}: a partition has one label for each of the {n_points} points, got {given}; check that both files have the same rows",
        path.display()
    )]
    LabelCount {
        /// The file as given.
        path: PathBuf,
        /// Number of labels.
        given: usize,
        /// Number of points.
        n_points: usize,
    },
    /// A point without a label in a partition.
    #[error("{}: row {row}: every point needs a label to be scored, got none; give each one", path.display())]
    NoLabel {
        /// The file as given.
        path: PathBuf,
        /// The row, counted from 1 without a header.
        row: usize,
    },
    /// The numbers, or the settings for them, do not make sense.
    #[error("{}: {}", path.display(), content::in_file(source))]
    Content {
        /// The file as given.
        path: PathBuf,
        /// What is wrong.
        source: similis::Error,
    },
}

impl Error {
    /// The error, with the line of a text that asks for too much memory.
    pub(crate) fn in_line(self, number: usize) -> Self {
        match self {
            Self::TooLarge { path, needed, limit, .. } => {
                Self::TooLarge { path, line: Some(number), needed, limit }
            }
            other => other,
        }
    }
}

/// A line, where there is one to name.
fn of_line(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

/// The names of columns, where there are any.
fn named(names: &Excerpt) -> String {
    if names.is_empty() { String::new() } else { format!(" and named {names}") }
}

/// A column's name, where it has one.
fn of_column(name: Option<&Excerpt>) -> String {
    name.map(|name| format!(" (column {name})")).unwrap_or_default()
}
