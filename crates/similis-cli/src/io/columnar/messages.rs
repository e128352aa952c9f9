//! How large the batches of an Arrow file or stream are once they are unpacked.

use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::{RecordBatch, root_as_message};

use crate::error::Error;
use crate::io::budget::Budget;

/// What stands before the length of a message, but in files of the oldest programs.
const CONTINUES: [u8; 4] = [0xff; 4];

/// Number of bytes before the first message of a file, without the zeros that fill up to a multiple of 64 or so.
const FILE_HEAD: u64 = 8;

/// Number of bytes within which the first message of a file begins.
const MOST_HEAD: u64 = 4096;

/// Returns an error if a batch takes more memory than there may be: a packed one is unpacked as a whole.
///
/// What is no message ends the search: the reader will say what is wrong with it.
pub(super) fn check(reader: &mut (impl Read + Seek), is_file: bool, budget: &Budget) -> Result<(), Error> {
    let mut at = if is_file { FILE_HEAD } else { 0 };
    while is_file && at < MOST_HEAD && bytes(reader, at) == Some([0; 8]) {
        at += 8;
    }
    while let Some(message) = Message::read(reader, at, budget) {
        budget.check(message.n_bytes)?;
        at = message.end;
    }
    Ok(())
}

struct Message {
    /// What its body takes, packed and unpacked.
    n_bytes: u64,
    /// Where the next one begins.
    end: u64,
}

impl Message {
    fn read(reader: &mut (impl Read + Seek), at: u64, budget: &Budget) -> Option<Self> {
        let first: [u8; 4] = bytes(reader, at)?;
        let (length, body) =
            if first == CONTINUES { (bytes(reader, at + 4)?, at + 8) } else { (first, at + 4) };
        let length = u64::from(u32::from_le_bytes(length));
        if length == 0 || length > budget.left() {
            return None;
        }
        reader.seek(SeekFrom::Start(body)).ok()?;
        let mut header = Vec::new();
        reader.take(length).read_to_end(&mut header).ok()?;
        let message = root_as_message(&header).ok()?;
        let body = body.checked_add(length)?;
        let n_packed = u64::try_from(message.bodyLength()).ok()?;
        let batch = message
            .header_as_record_batch()
            .or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()));
        let n_unpacked = batch.map_or(0, |batch| unpacked(reader, body, batch));
        Some(Self { n_bytes: n_packed.saturating_add(n_unpacked), end: body.checked_add(n_packed)? })
    }
}

/// How many bytes the packed buffers of a batch become: each begins with that number.
fn unpacked(reader: &mut (impl Read + Seek), body: u64, batch: RecordBatch<'_>) -> u64 {
    if batch.compression().is_none() {
        return 0;
    }
    let lengths = batch.buffers().into_iter().flatten().filter_map(|buffer| {
        let offset = u64::try_from(buffer.offset()).ok().filter(|_| buffer.length() > 0)?;
        let length = i64::from_le_bytes(bytes(reader, body.checked_add(offset)?)?);
        // -1: not packed after all.
        u64::try_from(length).ok()
    });
    lengths.fold(0, u64::saturating_add)
}

fn bytes<const N: usize>(reader: &mut (impl Read + Seek), at: u64) -> Option<[u8; N]> {
    let mut found = [0; N];
    reader.seek(SeekFrom::Start(at)).ok()?;
    reader.read_exact(&mut found).ok()?;
    Some(found)
}
