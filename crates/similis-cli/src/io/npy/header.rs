//! The header of a `.npy` array: a Python dictionary of type, order and shape.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, Excerpt};
use crate::io::source::unreadable;

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Maximum length of a header in bytes; longer ones belong to structured types, which are not supported.
const MOST_BYTES: usize = 1 << 20;

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::io) struct Header {
    /// NumPy's name of the type, such as `<f8`.
    pub(in crate::io) dtype: String,
    /// Whether columns follow one another, not rows.
    pub(in crate::io) fortran: bool,
    pub(in crate::io) shape: Vec<u64>,
    /// How many bytes the header took.
    pub(in crate::io) n_bytes: u64,
}

impl Header {
    /// Reads a header from the magic bytes on.
    pub(super) fn read(path: &Path, reader: &mut impl Read) -> Result<Self, Error> {
        let mut magic = Vec::new();
        let length = MAGIC.len() as u64;
        reader.by_ref().take(length).read_to_end(&mut magic).map_err(|source| unreadable(path, source))?;
        if magic.is_empty() {
            return Err(Error::Empty { path: path.into() });
        }
        if magic != MAGIC {
            return Err(Error::NpyMagic { path: path.into(), found: Excerpt::new(&magic) });
        }
        let wrong = |bytes: &[u8]| Error::NpyHeader { path: path.into(), found: Excerpt::new(bytes) };
        let text = text_of(reader).map_err(|bytes| wrong(&bytes))?;
        let header = Self::parse(&text.text).ok_or_else(|| wrong(text.text.as_bytes()))?;
        Ok(Self { n_bytes: text.n_bytes, ..header })
    }

    /// Reads the dictionary.
    fn parse(text: &str) -> Option<Self> {
        let inside = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        let descr = after_key(inside, "descr")?;
        let dtype = match descr.strip_prefix(['\'', '"']) {
            Some(rest) => rest.split(['\'', '"']).next()?.to_owned(),
            // A structured type: its description will be refused.
            None => descr.split_inclusive(']').next()?.to_owned(),
        };
        let order = after_key(inside, "fortran_order")?;
        let fortran =
            if order.starts_with("True") { true } else { order.starts_with("False").then_some(false)? };
        let listed = after_key(inside, "shape")?.strip_prefix('(')?.split(')').next()?;
        let lengths = listed.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape = lengths.map(|length| length.trim_end_matches('L').parse().ok()).collect::<Option<_>>()?;
        Some(Self { dtype, fortran, shape, n_bytes: 0 })
    }
}

struct HeaderText {
    text: String,
    n_bytes: u64,
}

/// Returns the dictionary behind version and length; what there is of it where the file ends too soon.
fn text_of(reader: &mut impl Read) -> Result<HeaderText, Vec<u8>> {
    let mut version = [0; 2];
    reader.read_exact(&mut version).map_err(|_| Vec::new())?;
    let mut length = [0; 4];
    let width = if version[0] == 1 { 2 } else { 4 };
    reader.read_exact(&mut length[..width]).map_err(|_| version.to_vec())?;
    let length = u32::from_le_bytes(length) as usize;
    let mut bytes = Vec::new();
    // What cannot be read is missing below.
    let _ = reader.by_ref().take(length.min(MOST_BYTES) as u64).read_to_end(&mut bytes);
    if bytes.len() < length || !(1..=3).contains(&version[0]) {
        return Err(bytes);
    }
    let n_bytes = (MAGIC.len() + 2 + width + length) as u64;
    String::from_utf8(bytes)
        .map(|text| HeaderText { text, n_bytes })
        .map_err(std::string::FromUtf8Error::into_bytes)
}

/// What follows a key and its colon.
fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|key| Some(text.find(key)? + key.len()))?;
    Some(text[at..].trim_start().strip_prefix(':')?.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_whatever_its_blanks_and_order() {
        for text in [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
            "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}",
        ] {
            let header = Header::parse(text).unwrap();
            assert_eq!((header.dtype.as_str(), header.fortran, header.shape), ("<f8", false, vec![3, 4]));
        }
        let scalar = Header::parse("{'descr': '|S3', 'fortran_order': False, 'shape': (), }").unwrap();
        assert!(scalar.shape.is_empty());
        let record =
            Header::parse("{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (2,), }");
        assert_eq!(record.unwrap().dtype, "[('x', '<f8'), ('y', '<f8')]");
    }

    #[test]
    fn what_is_no_header_is_none() {
        for text in ["", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"]
        {
            assert_eq!(Header::parse(text), None, "{text}");
        }
    }
}
