//! Arrays of NumPy out.

use std::io::{self, Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Pairs, Sheet};

/// Returns the header of an array in C order, as `numpy.save` writes it.
pub(crate) fn npy_header(dtype: &str, shape: &[usize]) -> Vec<u8> {
    let listed = match shape {
        [length] => format!("({length},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {listed}, }}");
    // The numbers begin at a multiple of 64 bytes; 10 stand before the text, and a line end behind it.
    let padding = 63 - (10 + text.len()) % 64;
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}

/// Writes numbers as they stand in an array.
pub(super) fn numbers(out: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
}

/// Returns a zip file of one array `values`, or of the arrays of a sparse matrix, as SciPy names them.
pub(super) fn npz(sheet: &Sheet<'_>) -> io::Result<Vec<u8>> {
    let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
    match sheet {
        Sheet::Points(_) | Sheet::Matrix(_) => archive.add("values", |out| super::npy(out, sheet))?,
        Sheet::Pairs(pairs) => sparse(&mut archive, pairs)?,
    }
    Ok(archive.0.finish()?.into_inner())
}

struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    fn add(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .large_file(true);
        self.0.start_file(format!("{name}.npy"), options)?;
        let mut out = io::BufWriter::new(&mut self.0);
        write(&mut out)?;
        out.flush()
    }

    fn whole(&mut self, name: &str, values: &[u64]) -> io::Result<()> {
        self.add(name, |out| {
            out.write_all(&npy_header("<i8", &[values.len()]))?;
            values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
        })
    }
}

/// Compressed rows, both entries of every pair.
fn sparse(archive: &mut Archive, pairs: &Pairs<'_>) -> io::Result<()> {
    let n = pairs.observed.n_points();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let own = pairs.observed.pair(i, i).filter(|&value| value != 0.0);
        let mut row: Vec<(u64, f64)> = own.map(|value| (i as u64, value)).into_iter().collect();
        pairs.observed.for_each_pair(i, |j, value| row.push((j as u64, value)));
        row.sort_unstable_by_key(|&(j, _)| j);
        columns.extend(row.iter().map(|&(j, _)| j));
        values.extend(row.iter().map(|&(_, value)| value));
        offsets.push(columns.len() as u64);
    }
    archive.whole("indices", &columns)?;
    archive.whole("indptr", &offsets)?;
    archive.add("format", |out| {
        out.write_all(&npy_header("|S3", &[]))?;
        out.write_all(b"csr")
    })?;
    archive.whole("shape", &[n as u64, n as u64])?;
    archive.add("data", |out| {
        out.write_all(&npy_header("<f8", &[values.len()]))?;
        numbers(out, &values)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_an_array_begin_at_a_multiple_of_64_bytes() {
        for shape in [&[3][..], &[10, 20], &[123_456_789, 1], &[]] {
            let header = npy_header("<f8", shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }
}
