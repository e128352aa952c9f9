//! Files of numbers: little-endian, one array after the other, written whole or not at all.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use similis::graph::parts::Ranked;

use crate::error::Error;
use crate::io::output::Outputs;

/// Bytes of a link on disk.
pub(super) const LINK: usize = 16;

/// Bytes of a listed neighbour on disk.
pub(super) const ENTRY: usize = 12;

/// Something that has a fixed number of bytes on disk.
pub(super) trait Stored: Copy {
    /// Number of bytes.
    const SIZE: usize;

    /// Appends its bytes.
    fn put(self, bytes: &mut Vec<u8>);

    /// Reads it from as many bytes.
    fn get(bytes: &[u8]) -> Self;
}

/// The first bytes as an array; there are enough of them.
fn head<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

impl Stored for u32 {
    const SIZE: usize = 4;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        Self::from_le_bytes(head(bytes))
    }
}

impl Stored for u64 {
    const SIZE: usize = 8;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        Self::from_le_bytes(head(bytes))
    }
}

impl Stored for f64 {
    const SIZE: usize = 8;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        Self::from_le_bytes(head(bytes))
    }
}

/// A listed neighbour: distance and number.
impl Stored for (f64, u32) {
    const SIZE: usize = ENTRY;

    fn put(self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }

    fn get(bytes: &[u8]) -> Self {
        (f64::get(bytes), u32::get(&bytes[8..]))
    }
}

impl Stored for Ranked {
    const SIZE: usize = LINK;

    fn put(self, bytes: &mut Vec<u8>) {
        self.length.put(bytes);
        self.ends.0.put(bytes);
        self.ends.1.put(bytes);
    }

    fn get(bytes: &[u8]) -> Self {
        Self { length: f64::get(bytes), ends: (u32::get(&bytes[8..]), u32::get(&bytes[12..])) }
    }
}

/// Number of items that are turned into bytes at once.
const CHUNK: usize = 8_192;

/// Writes items to an output.
pub(super) fn put_all<T: Stored>(out: &mut dyn Write, items: &[T]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK.min(items.len()) * T::SIZE);
    for chunk in items.chunks(CHUNK) {
        bytes.clear();
        chunk.iter().for_each(|item| item.put(&mut bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes a file of items.
pub(super) fn write<T: Stored>(path: &Path, items: &[T]) -> Result<(), Error> {
    write_with(path, |out| put_all(out, items))
}

/// Writes a file, whole or not at all; its folder is made.
pub(super) fn write_with(
    path: &Path,
    put: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.into(), source })?;
    }
    let mut outputs = Outputs::default();
    outputs.add_with(path, put)?;
    outputs.finish()
}

/// Reads a file of items, all of it.
pub(super) fn read<T: Stored>(path: &Path) -> Result<Vec<T>, Error> {
    read_with_room(path, 0)
}

/// As [`read`], with room for some items more.
pub(super) fn read_with_room<T: Stored>(path: &Path, n_more: usize) -> Result<Vec<T>, Error> {
    let mut stored = Reader::open(path)?;
    let n = stored.left / T::SIZE as u64;
    stored.take_with_room(n as usize, n_more)
}

/// A file that is read from its beginning, array after array.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |source| Error::Read { path: path.into(), source };
        let file = File::open(path).map_err(unreadable)?;
        let left = file.metadata().map_err(unreadable)?.len();
        Ok(Self { path: path.into(), file: BufReader::with_capacity(1 << 16, file), left })
    }

    /// Reads this number of items.
    pub(super) fn take<T: Stored>(&mut self, count: usize) -> Result<Vec<T>, Error> {
        self.take_with_room(count, 0)
    }

    fn take_with_room<T: Stored>(&mut self, count: usize, n_more: usize) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        let needed = (count as u64).saturating_mul(T::SIZE as u64);
        if needed > self.left || items.try_reserve_exact(count.saturating_add(n_more)).is_err() {
            return Err(Error::WorkFile { path: self.path.clone() });
        }
        self.left -= needed;
        let mut bytes = vec![0; CHUNK.min(count) * T::SIZE];
        let mut n_left = count;
        while n_left > 0 {
            let n = n_left.min(CHUNK);
            let some = &mut bytes[..n * T::SIZE];
            self.file.read_exact(some).map_err(|source| Error::Read { path: self.path.clone(), source })?;
            items.extend(some.chunks_exact(T::SIZE).map(T::get));
            n_left -= n;
        }
        Ok(items)
    }

    /// Reads one item.
    pub(super) fn one<T: Stored>(&mut self) -> Result<T, Error> {
        self.take(1)?.pop().ok_or_else(|| Error::WorkFile { path: self.path.clone() })
    }

    /// Leaves out this number of bytes.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<(), Error> {
        if bytes > self.left {
            return Err(Error::WorkFile { path: self.path.clone() });
        }
        self.left -= bytes;
        // What was read ahead is kept.
        let to = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.file.seek_relative(to).map_err(|source| Error::Read { path: self.path.clone(), source })
    }
}

/// The items of a file, read as they are asked for.
pub(super) struct Items {
    reader: Reader,
    buffer: std::vec::IntoIter<Ranked>,
    /// What went wrong; then there are no more items.
    pub(super) error: Option<Error>,
}

impl Items {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { reader: Reader::open(path)?, buffer: Vec::new().into_iter(), error: None })
    }
}

impl Iterator for Items {
    type Item = Ranked;

    fn next(&mut self) -> Option<Ranked> {
        if let Some(item) = self.buffer.next() {
            return Some(item);
        }
        let n = (self.reader.left / LINK as u64).min(CHUNK as u64) as usize;
        match self.reader.take(n) {
            Ok(items) => self.buffer = items.into_iter(),
            Err(error) => self.error = Some(error),
        }
        self.buffer.next()
    }
}
