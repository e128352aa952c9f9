//! Where bytes come from: a file or standard input, gzipped or not.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::budget::Budget;
use super::format::Format;
use crate::error::Error;

/// Number of first bytes that are enough to recognise any format.
const HEAD: u64 = 16;

/// Number of bytes read at a time. Not tuned.
const PIECE: usize = 1 << 18;

/// The name of standard input on the command line.
pub const STANDARD_INPUT: &str = "-";

/// Bytes on their way in, the first of them known.
pub(super) struct Source {
    /// The file as given.
    pub(super) path: PathBuf,
    reader: Box<dyn BufRead>,
    head: Vec<u8>,
    /// The number of bytes, if it is known before reading.
    pub(super) n_bytes: Option<u64>,
    /// Whether the bytes are unpacked on their way.
    is_packed: bool,
    /// What reading it may take.
    pub(super) budget: Budget,
}

/// What readers of archives need.
pub(super) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A file that can be read in any order.
pub(super) enum Whole {
    File(File),
    Bytes(Vec<u8>),
}

impl Source {
    /// Opens a file, or standard input for `-`, to be read with at most `memory_limit` bytes; gzip is unpacked.
    pub(super) fn open(path: &Path, memory_limit: Option<u64>) -> Result<Self, Error> {
        let budget = Budget::new(path, memory_limit);
        let (reader, n_bytes): (Box<dyn BufRead>, _) = if path == Path::new(STANDARD_INPUT) {
            (Box::new(BufReader::with_capacity(PIECE, std::io::stdin())), None)
        } else {
            let (file, n_bytes) = open(path)?;
            let whole = Promised { file, left: n_bytes.unwrap_or(0) };
            (Box::new(BufReader::with_capacity(PIECE, whole)), n_bytes)
        };
        let source = Self::begin(budget.clone(), reader, n_bytes)?;
        if !source.head.starts_with(b"\x1f\x8b") {
            return Ok(source);
        }
        let unpacked = BufReader::with_capacity(PIECE, MultiGzDecoder::new(source.reader));
        Ok(Self { is_packed: true, ..Self::begin(budget, Box::new(unpacked), None)? })
    }

    /// Takes a look at the first bytes, which stay.
    fn begin(budget: Budget, mut reader: Box<dyn BufRead>, n_bytes: Option<u64>) -> Result<Self, Error> {
        let path = budget.path().to_path_buf();
        let mut head = Vec::new();
        reader.by_ref().take(HEAD).read_to_end(&mut head).map_err(|source| unreadable(&path, source))?;
        let reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(Self { path, reader, head, n_bytes, is_packed: false, budget })
    }

    /// Returns the format that was named, or that name and first bytes tell.
    pub(super) fn format(&self, given: Option<Format>) -> Result<Format, Error> {
        let path = self.path.clone();
        match (given, Format::of_name(&self.path), Format::of_bytes(&self.head)) {
            // What an array's name promises, its reader checks.
            (None, Some(Format::Npy), _) => Ok(Format::Npy),
            (None, Some(name), Some(begins)) if name != begins => {
                Err(Error::FormatMismatch { path, name, begins })
            }
            (Some(format), ..) | (None, Some(format), _) | (None, None, Some(format)) => Ok(format),
            (None, None, None) if path == Path::new(STANDARD_INPUT) => Ok(Format::Csv),
            (None, None, None) if self.head.is_empty() => Err(Error::Empty { path }),
            (None, None, None) => Err(Error::InputKind { path }),
        }
    }

    /// The bytes from the first on.
    pub(super) fn into_reader(self) -> Box<dyn BufRead> {
        self.reader
    }

    /// Gives the bytes from the first on to `read`, then checks what it left of packed ones.
    ///
    /// The checksum stands behind the last byte: who stops at the last number has not compared it.
    pub(super) fn read_to_end<T>(
        mut self,
        read: impl FnOnce(&mut dyn BufRead) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let found = read(&mut self.reader)?;
        if self.is_packed {
            drain(&self.path, &mut self.reader)?;
        }
        Ok(found)
    }

    /// The first bytes.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The bytes in any order: the file itself, or all of it in memory where there is no plain file.
    pub(super) fn into_whole(self) -> Result<Whole, Error> {
        if self.n_bytes.is_some() {
            return Ok(Whole::File(open(&self.path)?.0));
        }
        self.into_bytes().map(Whole::Bytes)
    }

    /// All bytes.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        loop {
            self.budget.grow(&mut bytes, PIECE)?;
            let piece = self.reader.by_ref().take(PIECE as u64).read_to_end(&mut bytes);
            if piece.map_err(|source| unreadable(&self.path, source))? < PIECE {
                return Ok(bytes);
            }
        }
    }

    /// As [`Source::into_whole`], as a reader.
    pub(super) fn into_seekable(self) -> Result<Box<dyn ReadSeek>, Error> {
        Ok(match self.into_whole()? {
            Whole::File(file) => Box::new(file),
            Whole::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        })
    }
}

/// A file that must have as many bytes as when it was opened: one that shrinks meanwhile would lose rows without a word.
struct Promised {
    file: File,
    /// How many bytes must still come.
    left: u64,
}

impl Read for Promised {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_read = self.file.read(buffer)?;
        if n_read == 0 && self.left > 0 && !buffer.is_empty() {
            let words = format!("it became {} bytes shorter while it was read", self.left);
            return Err(std::io::Error::new(ErrorKind::UnexpectedEof, words));
        }
        self.left = self.left.saturating_sub(n_read as u64);
        Ok(n_read)
    }
}

/// Opens a file; its length where it is a plain one.
fn open(path: &Path) -> Result<(File, Option<u64>), Error> {
    let file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NoFile { path: path.into() },
        _ => unreadable(path, source),
    })?;
    let metadata = file.metadata().map_err(|source| unreadable(path, source))?;
    if metadata.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

/// Reads what is left, so that the checksum at the end of packed bytes is compared.
pub(super) fn drain(path: &Path, reader: &mut dyn Read) -> Result<(), Error> {
    std::io::copy(reader, &mut std::io::sink()).map(|_| ()).map_err(|source| unreadable(path, source))
}

/// The error for bytes that do not come: the system refuses, or what was packed is damaged.
pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Error {
    match source.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput => {
            Error::Damaged { path: path.into(), source }
        }
        _ => Error::Read { path: path.into(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_shrinks_while_it_is_read_is_refused() {
        let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
        std::fs::write(file.path(), "1,2\n".repeat(PIECE)).unwrap();
        let source = Source::open(file.path(), None).unwrap();
        file.as_file().set_len(4 * 1000).unwrap();
        let mut text = String::new();
        let error = source.into_reader().read_to_string(&mut text).unwrap_err();
        let message = unreadable(file.path(), error).to_string();
        assert!(message.contains("shorter while it was read") && message.contains("again"), "{message}");
    }
}
