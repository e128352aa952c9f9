use std::fs;

use super::*;
use crate::io::write::{Column, Data};
use crate::io::{Choice, read_table};

fn columns<'a>(names: &'a [String], numbers: &'a [f64]) -> Vec<Column<'a>> {
    vec![
        Column { name: "name".into(), data: Data::Text(names.into()) },
        Column { name: "x".into(), data: Data::Numbers(numbers.into()) },
        Column { name: "n".into(), data: Data::Whole((&[4, 5, 6][..]).into()) },
    ]
}

fn file(format: Format, columns: &[Column<'_>]) -> tempfile::NamedTempFile {
    let bytes = match format {
        Format::Parquet => parquet(columns).unwrap(),
        _ => arrow(columns).unwrap(),
    };
    let file = tempfile::NamedTempFile::with_suffix(format!(".{format}")).unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

fn read_with(path: &Path, choice: &Choice, input: Option<Input>, missing: bool) -> Result<Content, Error> {
    let (format, array, edge_values, memory_limit) = (None, None, None, None);
    crate::io::read(&Request { path, format, array, missing, choice, input, edge_values, memory_limit })
}

#[test]
fn columns_come_back_in_both_formats() {
    let names = ["a", "b, c", ""].map(str::to_owned);
    for format in [Format::Parquet, Format::Arrow] {
        let file = file(format, &columns(&names, &[1.5, f64::NAN, -1e300]));
        let choice = Choice { id: Some("name".to_owned()), ..Choice::default() };
        let Content::Table(table) = read_with(file.path(), &choice, None, true).unwrap() else {
            panic!("{format}")
        };
        assert_eq!(table.ids, Some(names.to_vec()));
        assert_eq!(table.names, Some(vec!["x".to_owned(), "n".to_owned()]));
        let values = table.values.into_f64();
        assert!(values[2].is_nan());
        assert_eq!([values[0], values[1], values[3], values[4], values[5]], [1.5, 4.0, 5.0, -1e300, 6.0]);
        let gap = read_with(file.path(), &choice, None, false).unwrap_err();
        assert!(matches!(gap, Error::ArrayMissing { row: 2, column: 2, .. }), "{gap}");
        let text = read_table(file.path(), true).unwrap_err().to_string();
        assert!(
            text.contains("column 1, \"name\", must hold numbers") && text.contains("--columns"),
            "{text}"
        );
    }
}

#[test]
fn a_first_column_of_text_names_the_rows_of_a_square_matrix_only() {
    let names = ["a", "b", "c"].map(str::to_owned);
    let square = vec![
        Column { name: "".into(), data: Data::Text((&names[..]).into()) },
        Column { name: "a".into(), data: Data::Numbers((&[0.0, 1.0, 2.0][..]).into()) },
        Column { name: "b".into(), data: Data::Numbers((&[1.0, 0.0, 3.0][..]).into()) },
        Column { name: "c".into(), data: Data::Numbers((&[2.0, 3.0, 0.0][..]).into()) },
    ];
    let whole = file(Format::Parquet, &square);
    let Content::Table(table) = read_with(whole.path(), &Choice::default(), None, false).unwrap() else {
        panic!()
    };
    assert_eq!(table.ids, Some(names.to_vec()));
    assert_eq!(table.values.into_f64(), [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
    let points = file(Format::Parquet, &square[..3]);
    let refused = read_with(points.path(), &Choice::default(), None, false).unwrap_err();
    assert!(matches!(refused, Error::ColumnType { column: 1, .. }), "{refused}");
}

#[test]
fn edges_between_names_are_read() {
    let [from, to] = [["u", "u"], ["v", "w"]].map(|ends| ends.map(str::to_owned));
    let list = vec![
        Column { name: "i".into(), data: Data::Text((&from[..]).into()) },
        Column { name: "j".into(), data: Data::Text((&to[..]).into()) },
        Column { name: "d".into(), data: Data::Numbers((&[1.0, 2.0][..]).into()) },
    ];
    let file = file(Format::Arrow, &list);
    let content = read_with(file.path(), &Choice::default(), Some(Input::Edges), false).unwrap();
    let Content::Edges(edges) = content else { panic!("{content:?}") };
    assert_eq!(edges.ids.unwrap(), ["u", "v", "w"]);
    assert_eq!((edges.entries.rows, edges.entries.columns), (vec![0, 0], vec![1, 2]));
}

#[test]
fn damaged_files_are_called_so() {
    let names = ["a", "b", "c"].map(str::to_owned);
    for format in [Format::Parquet, Format::Arrow] {
        let whole = file(format, &columns(&names, &[1.0, 2.0, 3.0]));
        let bytes = fs::read(whole.path()).unwrap();
        for length in [0, 4, 8, 20, bytes.len() / 2, bytes.len() - 1] {
            fs::write(whole.path(), &bytes[..length]).unwrap();
            let message = read_table(whole.path(), false).unwrap_err().to_string();
            let told = if length == 0 { "is empty" } else { "must be whole" };
            assert!(message.contains(told), "{format} {length}: {message}");
        }
    }
}

#[test]
fn no_changed_byte_ends_the_program() {
    let names = ["a", "b", "c"].map(str::to_owned);
    for format in [Format::Parquet, Format::Arrow] {
        let whole = file(format, &columns(&names, &[1.0, 2.0, 3.0]));
        let bytes = fs::read(whole.path()).unwrap();
        let mut n_refused = 0;
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x5a;
            fs::write(whole.path(), &changed).unwrap();
            let choice = Choice { id: Some("1".to_owned()), ..Choice::default() };
            n_refused += usize::from(read_with(whole.path(), &choice, None, true).is_err());
        }
        assert!(n_refused > 0 && n_refused < bytes.len(), "{format} {n_refused}");
    }
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    use parquet::basic::BrotliLevel;
    use parquet::file::metadata::ParquetMetaDataReader;
    let names = ["a", "b", "c"].map(str::to_owned);
    let bytes = Bytes::from(parquet(&columns(&names, &[1.0, 2.0, 3.0])).unwrap());
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes).unwrap();
    assert!(Plan::check_codecs(&metadata, Path::new("a.parquet")).is_ok());
    let group = metadata.row_group(0).clone();
    let brotli = |chunk: &ColumnChunkMetaData| {
        chunk
            .clone()
            .into_builder()
            .set_compression(Compression::BROTLI(BrotliLevel::default()))
            .build()
            .unwrap()
    };
    let chunks = group.columns().iter().map(brotli).collect();
    let group = group.into_builder().set_column_metadata(chunks).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
    let message = Plan::check_codecs(&metadata, Path::new("a.parquet")).unwrap_err().to_string();
    assert!(
        message.contains("a.parquet") && message.contains("brotli") && message.contains("zstd"),
        "{message}"
    );
}
