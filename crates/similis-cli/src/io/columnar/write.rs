//! Columns out.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::io::write::{Column, Data};

/// Returns the columns as a Parquet file.
///
/// # Errors
///
/// What the writer says; none for columns of one length.
pub(in crate::io) fn parquet(columns: &[Column<'_>]) -> Result<Vec<u8>, ParquetError> {
    let batch = batch(columns)?;
    let settings = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(settings))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(bytes)
}

/// Returns the columns as an Arrow IPC file.
///
/// # Errors
///
/// What the writer says; none for columns of one length.
pub(in crate::io) fn arrow(columns: &[Column<'_>]) -> Result<Vec<u8>, ArrowError> {
    let batch = batch(columns)?;
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema())?;
    writer.write(&batch)?;
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

fn batch(columns: &[Column<'_>]) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| {
            let kind = match column.data {
                Data::Text(_) => DataType::Utf8,
                Data::Numbers(_) => DataType::Float64,
                Data::Whole(_) => DataType::Int64,
            };
            Field::new(column.name.as_ref(), kind, true)
        })
        .collect();
    let arrays: Vec<ArrayRef> = columns
        .iter()
        .map(|column| match &column.data {
            Data::Text(texts) => Arc::new(StringArray::from_iter_values(texts.iter())) as ArrayRef,
            // What is missing is a gap, as in every file of this kind.
            Data::Numbers(numbers) => Arc::new(
                numbers.iter().map(|&value| (!value.is_nan()).then_some(value)).collect::<Float64Array>(),
            ),
            Data::Whole(numbers) => Arc::new(Int64Array::from_iter_values(numbers.iter().copied())),
        })
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}
