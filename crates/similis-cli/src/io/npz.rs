//! Arrays of NumPy in a zip file, and the sparse matrices that SciPy keeps in one.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::budget::Budget;
use super::source::{ReadSeek, Source, drain, unreadable};
use super::sparse::{Compressed, Entries, PER_ROW};
use super::{Content, Request, npy};
use crate::error::Error;

type Archive = ZipArchive<BufReader<Box<dyn ReadSeek>>>;

/// Returns the one array of the file, the one that `array` names, or the sparse matrix.
pub(super) fn read(source: Source, request: &Request<'_>) -> Result<Content, Error> {
    let path = source.path.clone();
    if source.head().is_empty() {
        return Err(Error::Empty { path });
    }
    let budget = source.budget.clone();
    let reader = BufReader::with_capacity(1 << 18, source.into_seekable()?);
    let archive = ZipArchive::new(reader).map_err(|error| broken(&path, error))?;
    let mut file = Npz { path, archive, budget };
    if request.array.is_none() && file.is_sparse() {
        return file.sparse(request).map(Content::Sparse);
    }
    let name = file.chosen(request.array)?;
    let budget = file.member(&name);
    let read = |mut reader: &mut dyn Read, n_bytes| {
        npy::read_table(&budget, &mut reader, Some(n_bytes), request.missing)
    };
    file.with(&name, read).map(Content::Table)
}

struct Npz {
    path: PathBuf,
    archive: Archive,
    budget: Budget,
}

impl Npz {
    /// The names of the arrays, without `.npy`.
    fn names(&self) -> Vec<String> {
        let names = self.archive.file_names().filter_map(Result::ok);
        names.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned)).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// Whether this is what `scipy.sparse.save_npz` writes.
    fn is_sparse(&self) -> bool {
        self.has("format") && self.has("shape") && self.has("data")
    }

    /// The array that is meant.
    fn chosen(&self, array: Option<&str>) -> Result<String, Error> {
        let names = self.names();
        let path = || self.path.clone();
        match (array, names.as_slice()) {
            (_, []) => Err(Error::Empty { path: path() }),
            (None, [only]) => Ok(only.clone()),
            (Some(wanted), _) if names.iter().any(|name| name == wanted) => Ok(wanted.to_owned()),
            (wanted, _) => {
                let wanted = wanted.map(str::to_owned);
                Err(Error::NpzArray { path: path(), wanted, names: names.join(", ") })
            }
        }
    }

    /// What reading an array may take, and how messages name it.
    fn member(&self, name: &str) -> Budget {
        self.budget.named(PathBuf::from(format!("{}, array {name}", self.path.display())))
    }

    /// Gives the bytes of an array, and how many there are, to `read`; then its checksum is compared.
    fn with<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn Read, u64) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let member =
            self.archive.by_name(&format!("{name}.npy")).map_err(|error| broken(&self.path, error))?;
        let n_bytes = member.size();
        let mut reader = BufReader::with_capacity(1 << 18, member);
        let found = read(&mut reader, n_bytes)?;
        drain(&self.path, &mut reader)?;
        Ok(found)
    }

    fn list<T>(&mut self, name: &str, convert: impl Fn(f64) -> T) -> Result<Vec<T>, Error> {
        let budget = self.member(name);
        self.with(name, |mut reader, _| npy::read_list(&budget, &mut reader, convert))
    }

    /// Returns the sparse matrix of `scipy.sparse.save_npz`: compressed rows, compressed columns or single entries.
    fn sparse(&mut self, request: &Request<'_>) -> Result<Compressed, Error> {
        let path = self.path.clone();
        let wrong = |what| Error::SparseArrays { path: path.clone(), what };
        let kind = self.with("format", |mut reader, _| npy::read_text(&path, &mut reader))?;
        let shape = self.list("shape", |length| length as usize)?;
        let &[n_rows, n_columns] = shape.as_slice() else { return Err(wrong("a shape of two numbers")) };
        request
            .check_memory(PER_ROW.saturating_mul(n_rows.max(n_columns) as u64), "the rows of the matrix")?;
        let index = |value: f64| if value >= 0.0 { value as u32 } else { u32::MAX };
        let parts = match kind.as_str() {
            "csr" | "csc" => ["indptr", "indices"],
            "coo" => ["row", "col"],
            _ => return Err(Error::SparseFormat { path: path.clone(), found: kind }),
        };
        if parts.iter().any(|part| !self.has(part)) {
            return Err(wrong("the arrays that its format has"));
        }
        let values = self.list("data", |value| value)?;
        let shape = [n_rows, n_columns];
        let matrix = if kind == "coo" {
            let (rows, columns) = (self.list("row", index)?, self.list("col", index)?);
            let entries = Entries { rows, columns, values };
            entries.check_compressed(&self.budget, n_rows)?;
            of_entries(entries, shape)
        } else {
            let (offsets, columns) = (self.list("indptr", |at| at as usize)?, self.list("indices", index)?);
            // Columns that become rows are listed entry by entry in between.
            let per_entry = if kind == "csc" { 28 } else { 0 };
            self.budget.check((values.len() as u64).saturating_mul(per_entry))?;
            of_compressed(Compressed { offsets, columns, values, n_columns }, shape, kind == "csc")
        };
        matrix.ok_or_else(|| wrong("an index within the shape for each entry"))
    }
}

fn of_entries(entries: Entries, [n_rows, n_columns]: [usize; 2]) -> Option<Compressed> {
    let fits = |list: &[u32], n: usize| list.len() == entries.values.len() && within(list, n);
    let good = fits(&entries.rows, n_rows) && fits(&entries.columns, n_columns);
    good.then(|| entries.compressed(n_rows, n_columns))
}

/// Compressed rows as they are; compressed columns (`turned`) as rows.
fn of_compressed(matrix: Compressed, [n_rows, n_columns]: [usize; 2], turned: bool) -> Option<Compressed> {
    let [n_major, n_minor] = if turned { [n_columns, n_rows] } else { [n_rows, n_columns] };
    let Compressed { offsets, columns, values, .. } = &matrix;
    let rising = offsets.first() == Some(&0) && offsets.is_sorted() && offsets.last() == Some(&values.len());
    let fits = columns.len() == values.len() && within(columns, n_minor);
    let matrix = (offsets.len() == n_major + 1 && rising && fits).then_some(matrix)?;
    let matrix = Compressed { n_columns: n_minor, ..matrix };
    Some(if turned { matrix.transposed() } else { matrix })
}

fn within(list: &[u32], n: usize) -> bool {
    list.iter().all(|&index| (index as usize) < n)
}

fn broken(path: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(source) => unreadable(path, source),
        other => Error::Damaged { path: path.into(), source: std::io::Error::other(other.to_string()) },
    }
}
