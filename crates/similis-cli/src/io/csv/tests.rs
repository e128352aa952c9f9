use std::fs;

use super::*;

fn read_as(kind: Kind, text: &[u8], missing: bool) -> Result<Table, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    read(file.path(), kind, missing)
}

fn rows(kind: Kind, text: &str) -> Vec<Vec<f64>> {
    let table = read_as(kind, text.as_bytes(), false).unwrap();
    let n_columns = table.n_columns;
    let values = table.values.into_f64();
    assert_eq!(values.len(), table.n_rows * n_columns);
    values.chunks(n_columns).map(<[f64]>::to_vec).collect()
}

fn names(text: &str) -> Option<Vec<String>> {
    read_as(Kind::Csv, text.as_bytes(), true).unwrap().names
}

#[test]
fn the_same_numbers_are_read_however_they_are_laid_out() {
    let cases = [
        (Kind::Csv, "1.5,-2\n3,4e1\n"),
        (Kind::Csv, "1.5,-2\r\n3,4e1\r\n"),
        (Kind::Csv, "1.5,-2\n3,4e1"),
        (Kind::Csv, "\u{feff}1.5,-2\n3,4e1"),
        (Kind::Csv, "\u{feff}x,y\n1.5,-2\n3,4e1"),
        (Kind::Csv, "\n \n1.5,-2\n\n\t\n3,4e1\n\n"),
        (Kind::Csv, " 1.5 ,\t-2 \n3  , +40.0\n"),
        (Kind::Csv, "\"1.5\",\"-2\"\n 3 , \" 4e1 \" \n"),
        (Kind::Csv, "1.5;-2\n3;4E1\n"),
        (Kind::Csv, "1.5\t-2\n3\t4e1\n"),
        (Kind::Tsv, "1.5\t-2\n3\t 4e1\n"),
        (Kind::Txt, "1.5,-2\n3,4e1\n"),
        (Kind::Txt, "1.5;-2\n3;4e1\n"),
        (Kind::Txt, "1.5\t-2\n3\t4e1\n"),
        (Kind::Txt, "# made by hand\n  1.5   -2 \n\t\n3 \t 4e1\n"),
        (Kind::Txt, "\"a b\" \"c, d\"\n1.5 -2\n3 4e1\n"),
    ];
    for (kind, text) in cases {
        assert_eq!(rows(kind, text), [[1.5, -2.0], [3.0, 40.0]], "{kind:?} {text:?}");
    }
}

#[test]
fn a_single_column_is_a_table() {
    assert_eq!(rows(Kind::Csv, "1\n2\n"), [[1.0], [2.0]]);
    assert_eq!(rows(Kind::Txt, "1\n2\n"), [[1.0], [2.0]]);
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
        let error = read_as(Kind::Csv, mistyped.as_bytes(), true).unwrap_err();
        assert!(
            matches!(error, Error::NotANumber { ref place, .. } if place.line == 1),
            "{mistyped:?} {error}"
        );
    }
}

#[test]
fn missing_values_are_nan_on_request_only() {
    for text in ["1,\n", "1,NA\n", "1,na\n", "1,NaN\n", "1,nan\n", "1,\"\"\n", "1, \n"] {
        let values = read_as(Kind::Csv, text.as_bytes(), true).unwrap().values.into_f64();
        assert!(values[0] == 1.0 && values[1].is_nan(), "{text:?}");
        let error = read_as(Kind::Csv, text.as_bytes(), false).unwrap_err();
        assert!(matches!(error, Error::Missing { field: 2, .. }), "{text:?} {error}");
    }
    let tabs_only = read_as(Kind::Tsv, b"1\t2\n\t\n", true).unwrap();
    assert_eq!((tabs_only.n_rows, tabs_only.n_columns), (2, 2));
}

#[test]
fn infinite_numbers_are_errors_even_where_missing_ones_are_not() {
    for text in ["1,inf\n", "1,-Infinity\n", "1,1e999\n"] {
        let error = read_as(Kind::Csv, text.as_bytes(), true).unwrap_err();
        assert!(matches!(error, Error::Infinite { field: 2, .. }), "{text:?} {error}");
    }
}

#[test]
fn columns_are_counted_in_characters() {
    let error = read_as(Kind::Csv, "x,y,z\n1,\"é, ü\",2\n".as_bytes(), false).unwrap_err();
    assert!(matches!(error, Error::NotANumber { ref place, field: 2, .. } if place.column == 4), "{error}");
    let error = read_as(Kind::Txt, "x y z\n1 é 2 ü\n".as_bytes(), false).unwrap_err();
    assert!(matches!(error, Error::Ragged { ref place, n_fields: 4, .. } if place.column == 7), "{error}");
}
