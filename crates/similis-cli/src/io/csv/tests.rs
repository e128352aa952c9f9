use std::fs;

use super::*;
use crate::args::Input;
use crate::io::{Choice, Content};

fn read_chosen(
    format: Format,
    text: &[u8],
    missing: bool,
    choice: &Choice,
    input: Option<Input>,
) -> Result<Table, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let (path, format) = (file.path(), Some(format));
    let (array, edge_values, memory_limit) = (None, None, None);
    match crate::io::read(&Request {
        path,
        format,
        array,
        missing,
        choice,
        input,
        edge_values,
        memory_limit,
    })? {
        Content::Table(table) => Ok(table),
        other => panic!("{other:?}"),
    }
}

fn read_as(format: Format, text: &[u8], missing: bool) -> Result<Table, Error> {
    read_chosen(format, text, missing, &Choice::default(), Some(Input::Points))
}

/// Read without a word on what it is.
fn plain(text: &str) -> Result<Table, Error> {
    read_chosen(Format::Csv, text.as_bytes(), false, &Choice::default(), None)
}

fn rows(kind: Format, text: &str) -> Vec<Vec<f64>> {
    let table = read_as(kind, text.as_bytes(), false).unwrap();
    let n_columns = table.n_columns;
    let values = table.values.into_f64();
    assert_eq!(values.len(), table.n_rows * n_columns);
    values.chunks(n_columns).map(<[f64]>::to_vec).collect()
}

fn names(text: &str) -> Option<Vec<String>> {
    read_as(Format::Csv, text.as_bytes(), true).unwrap().names
}

#[test]
fn the_same_numbers_are_read_however_they_are_laid_out() {
    let cases = [
        (Format::Csv, "1.5,-2\n3,4e1\n"),
        (Format::Csv, "1.5,-2\r\n3,4e1\r\n"),
        (Format::Csv, "1.5,-2\n3,4e1"),
        (Format::Csv, "\u{feff}1.5,-2\n3,4e1"),
        (Format::Csv, "\u{feff}x,y\n1.5,-2\n3,4e1"),
        (Format::Csv, "\n \n1.5,-2\n\n\t\n3,4e1\n\n"),
        (Format::Csv, " 1.5 ,\t-2 \n3  , +40.0\n"),
        (Format::Csv, "\"1.5\",\"-2\"\n 3 , \" 4e1 \" \n"),
        (Format::Csv, "1.5;-2\n3;4E1\n"),
        (Format::Csv, "1.5\t-2\n3\t4e1\n"),
        (Format::Tsv, "1.5\t-2\n3\t 4e1\n"),
        (Format::Txt, "1.5,-2\n3,4e1\n"),
        (Format::Txt, "1.5;-2\n3;4e1\n"),
        (Format::Txt, "1.5\t-2\n3\t4e1\n"),
        (Format::Txt, "# made by hand\n  1.5   -2 \n\t\n3 \t 4e1\n"),
        (Format::Txt, "\"a b\" \"c, d\"\n1.5 -2\n3 4e1\n"),
    ];
    for (kind, text) in cases {
        assert_eq!(rows(kind, text), [[1.5, -2.0], [3.0, 40.0]], "{kind:?} {text:?}");
    }
}

#[test]
fn a_single_column_is_a_table() {
    assert_eq!(rows(Format::Csv, "1\n2\n"), [[1.0], [2.0]]);
    assert_eq!(rows(Format::Txt, "1\n2\n"), [[1.0], [2.0]]);
}

#[test]
fn a_header_is_text_and_never_a_mistyped_row() {
    let owned = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(names("x,y\n1,2\n"), owned(&["x", "y"]));
    assert_eq!(names(" x , \"a \"\"b\"\", c\" \n1,2\n"), owned(&["x", "a \"b\", c"]));
    assert_eq!(names("site,1990,1991\n1,2,3\n"), owned(&["site", "1990", "1991"]));
    assert_eq!(names(",y\n1,2\n"), owned(&["", "y"]));
    assert_eq!(names("1st,2nd\n1,2\n"), owned(&["1st", "2nd"]));
    assert_eq!(names("NA,\n1,2\n"), None);
    assert_eq!(names("1,2\n"), None);
    for mistyped in ["1.5,2.o\n1,2\n", "1,2x\n3,4\n", "1.5,abc\n1,2\n", "x,-1\n1,2\n"] {
        let error = read_as(Format::Csv, mistyped.as_bytes(), true).unwrap_err();
        assert!(
            matches!(error, Error::NotANumber { ref place, .. } if place.line == 1),
            "{mistyped:?} {error}"
        );
    }
}

#[test]
fn missing_values_are_nan_on_request_only() {
    for text in ["1,\n", "1,NA\n", "1,na\n", "1,NaN\n", "1,nan\n", "1,\"\"\n", "1, \n"] {
        let values = read_as(Format::Csv, text.as_bytes(), true).unwrap().values.into_f64();
        assert!(values[0] == 1.0 && values[1].is_nan(), "{text:?}");
        let error = read_as(Format::Csv, text.as_bytes(), false).unwrap_err();
        assert!(matches!(error, Error::Missing { field: 2, .. }), "{text:?} {error}");
    }
    let tabs_only = read_as(Format::Tsv, b"1\t2\n\t\n", true).unwrap();
    assert_eq!((tabs_only.n_rows, tabs_only.n_columns), (2, 2));
}

#[test]
fn infinite_numbers_are_errors_even_where_missing_ones_are_not() {
    for text in ["1,inf\n", "1,-Infinity\n", "1,1e999\n"] {
        let error = read_as(Format::Csv, text.as_bytes(), true).unwrap_err();
        assert!(matches!(error, Error::Infinite { field: 2, .. }), "{text:?} {error}");
    }
}

#[test]
fn columns_are_counted_in_characters() {
    let error = read_as(Format::Csv, "x,y,z\n1,\"é, ü\",2\n".as_bytes(), false).unwrap_err();
    assert!(matches!(error, Error::NotANumber { ref place, field: 2, .. } if place.column == 4), "{error}");
    let error = read_as(Format::Txt, "x y z\n1 é 2 ü\n".as_bytes(), false).unwrap_err();
    assert!(matches!(error, Error::Ragged { ref place, n_fields: 4, .. } if place.column == 7), "{error}");
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn a_square_matrix_may_have_names_in_any_of_the_usual_places() {
    let square = vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    for text in [
        ",A,B,C\nA,0,1,2\nB,1,0,3\nC,2,3,0\n",
        "name,A,B,C\nA,0,1,2\nB,1,0,3\nC,2,3,0\n",
        "A,B,C\nA,0,1,2\nB,1,0,3\nC,2,3,0\n",
        "A,0,1,2\nB,1,0,3\nC,2,3,0\n",
        "A,0.0,1,2\nB,1,0,3\nC,2,3,0\n",
        "A\nB,1\nC,2,3\n",
        "A,0\nB,1,0\nC,2,3,0\n",
    ] {
        let table = plain(text).unwrap();
        assert_eq!(table.ids, Some(owned(&["A", "B", "C"])), "{text}");
        assert_eq!(table.values.into_f64(), square, "{text}");
    }
    for text in [",0,1,2\n0,0,1,2\n1,1,0,3\n2,2,3,0\n", ",1,2,3\n1,0,1,2\n2,1,0,3\n3,2,3,0\n"] {
        let table = plain(text).unwrap();
        assert_eq!((table.n_columns, table.ids.is_some()), (3, true), "{text}");
        assert_eq!(table.values.into_f64(), square, "{text}");
    }
}

#[test]
fn a_lower_triangle_without_names_is_told_by_its_zeros() {
    let square = vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let with = plain("0\n1,0\n2,3,0\n").unwrap();
    assert_eq!((with.n_rows, with.values.into_f64()), (3, square.clone()));
    assert!(with.notes[0].contains("on and below the diagonal of 3 rows"), "{:?}", with.notes);
    // Three rows below the diagonal are of four items.
    let below = plain("1\n2,3\n4,5,6\n").unwrap();
    assert_eq!((below.n_rows, below.n_columns), (4, 4));
    assert_eq!(below.values.into_f64()[4..8], [1.0, 0.0, 3.0, 5.0]);
    // Two rows could be a slip, unless distances were asked for.
    assert!(matches!(plain("1\n2,3\n"), Err(Error::Ragged { .. })));
    let said =
        read_chosen(Format::Csv, b"1\n2,3\n", false, &Choice::default(), Some(Input::Distances)).unwrap();
    assert_eq!(said.values.into_f64(), square);
    let broken = plain("0\n1,0\n2,3,0\n4,5,6\n").unwrap_err().to_string();
    assert!(broken.contains("line 4") && broken.contains("4 fields"), "{broken}");
}

#[test]
fn a_column_that_counts_the_rows_is_no_coordinate() {
    let pandas = plain(",x,y\n0,1.5,2\n1,3,4\n").unwrap();
    assert_eq!(pandas.values.into_f64(), [1.5, 2.0, 3.0, 4.0]);
    assert_eq!((pandas.ids, pandas.names), (Some(owned(&["0", "1"])), Some(owned(&["x", "y"]))));
    let r = plain("x,y\n\"a\",1.5,2\n\"b\",3,4\n").unwrap();
    assert_eq!((r.ids, r.values.into_f64()), (Some(owned(&["a", "b"])), vec![1.5, 2.0, 3.0, 4.0]));
    // A nameless column of other numbers is a coordinate.
    let other = plain(",y\n5,2\n7,4\n8,1\n").unwrap();
    assert_eq!((other.n_columns, other.ids), (2, None));
    assert_eq!(other.values.into_f64(), [5.0, 2.0, 7.0, 4.0, 8.0, 1.0]);
}

#[test]
fn text_among_points_names_column_value_and_cure() {
    for text in [
        "id,x,y\nA,1,2\nB,3,4\nC,5,6\n",
        "x,1990,1991\nA,1,2\nB,3,4\nC,5,6\n",
        // Square by chance.
        "id,x,y\nA,1,2\nB,3,4\n",
        "id,x\nA,1\n",
    ] {
        let message = plain(text).unwrap_err().to_string();
        assert!(message.contains("line 2, column 1") && message.contains("\"A\""), "{message}");
        assert!(message.contains("--columns") && message.contains("--id-column"), "{message}");
    }
    let message = plain("x,kind\n1,big\n2,small\n").unwrap_err().to_string();
    assert!(message.contains("field 2 (column \"kind\")") && message.contains("\"big\""), "{message}");
}

#[test]
fn columns_are_chosen_and_names_and_classes_kept_apart() {
    let text = b"name,x,note,y,kind\n\"Lee, A\",1,\"a, b\",2,u\nB,3,,4,v\nC,5,-,6,\n";
    let choice = Choice {
        columns: Some("y,x".parse().unwrap()),
        id: Some("name".to_owned()),
        label: Some("5".to_owned()),
        ..Choice::default()
    };
    let table = read_chosen(Format::Csv, text, false, &choice, None).unwrap();
    assert_eq!(table.values.into_f64(), [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]);
    assert_eq!(table.names, Some(owned(&["y", "x"])));
    assert_eq!(table.ids, Some(owned(&["Lee, A", "B", "C"])));
    assert_eq!(table.labels, Some(owned(&["u", "v", ""])));
}

#[test]
fn a_row_with_text_for_its_class_or_name_only_is_no_header() {
    let letters = "T,2,8,1\nI,5,12,3\n";
    let read = |text: &str, choice: &Choice| {
        read_chosen(Format::Csv, text.as_bytes(), false, choice, Some(Input::Points)).unwrap()
    };
    // A 1 in the record is no name.
    let first = || Some("1".to_owned());
    let by_class = read(letters, &Choice { label: first(), ..Choice::default() });
    assert_eq!((by_class.labels, by_class.names), (Some(owned(&["T", "I"])), None));
    assert_eq!(by_class.values.into_f64(), [2.0, 8.0, 1.0, 5.0, 12.0, 3.0]);
    assert!(by_class.notes[0].contains("line 1 is read as a row"), "{:?}", by_class.notes);
    let by_name = read(letters, &Choice { id: first(), ..Choice::default() });
    assert_eq!((by_name.ids, by_name.n_rows), (Some(owned(&["T", "I"])), 2));
    // A chosen name, text in a column of numbers, or a header that counts is a header still.
    for (text, id) in [
        ("site,1990,1991\nA,1,2\n", "site"),
        ("site,1990,1991\n7,1,2\n", "1990"),
        ("site,x,1991\nA,1,2\n", "1"),
        (",0,1,2\n0,1,2,3\n", "1"),
    ] {
        let table = read(text, &Choice { id: Some(id.to_owned()), ..Choice::default() });
        assert_eq!((table.n_rows, table.names.is_some()), (1, true), "{text}");
    }
}

#[test]
fn headers_that_mislead_are_refused() {
    for (text, says) in [
        ("x,y,x\n1,2,3\n", "columns 1 and 3 are both named \"x\""),
        ("x,y\n1,2\nx,y\n3,4\n", "line 3, column 1: this line repeats the header of line 1"),
        (
            "x,y\n1,2\n3;4\n",
            "line 3, column 1: fields must be separated by commas like line 1, but this line has semicolons",
        ),
        ("x,y\n1\t2\n", "but this line has tabs"),
    ] {
        let message = plain(text).unwrap_err().to_string();
        assert!(message.contains(says), "{text:?}: {message}");
    }
}

#[test]
fn every_byte_order_mark_goes() {
    let table = plain("\u{feff}\u{feff}1,2\n3,4\n").unwrap();
    assert_eq!((table.n_rows, table.names, table.notes), (2, None, Vec::new()));
}

#[test]
fn a_header_that_could_be_a_row_is_noted() {
    for text in ["l,2\n3,4\n", "#N/A,2\n3,4\n", "site,1990,1991\n1,2,3\n"] {
        let table = plain(text).unwrap();
        assert_eq!(table.n_rows, 1, "{text}");
        let first = text.lines().next().unwrap();
        assert!(table.notes.iter().any(|note| note.contains("line 1") && note.contains(first)), "{text}");
    }
    assert_eq!(plain("x,y\n3,4\n").unwrap().notes, Vec::<String>::new());
}

#[test]
fn a_mistyped_number_is_blamed_where_it_stands() {
    let message = plain("1,2\n.,3\n4,5\n").unwrap_err().to_string();
    assert!(message.contains("line 2, column 1") && message.contains("\".\""), "{message}");
}
