use std::fs;

use super::*;
use crate::io::{Content, Request};

/// Returns a `.npy` file with the header `numpy.save` would write.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn read_bytes(bytes: &[u8], missing: bool) -> Result<Table, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    let choice = crate::io::Choice::default();
    let (path, format) = (file.path(), Some(crate::io::Format::Npy));
    let (array, input, edge_values, memory_limit) = (None, None, None, None);
    let choice = &choice;
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

fn le(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn every_number_type_of_either_byte_order_is_read() {
    let cases: [(&str, Vec<u8>); 15] = [
        ("<f8", le(&[1.0, 0.0, 2.0])),
        (">f8", [1.0_f64, 0.0, 2.0].iter().flat_map(|value| value.to_be_bytes()).collect()),
        ("|i1", vec![1, 0, 2]),
        ("<i2", vec![1, 0, 0, 0, 2, 0]),
        (">i2", vec![0, 1, 0, 0, 0, 2]),
        ("<i4", [1_i32, 0, 2].iter().flat_map(|value| value.to_le_bytes()).collect()),
        (">i4", [1_i32, 0, 2].iter().flat_map(|value| value.to_be_bytes()).collect()),
        ("<i8", [1_i64, 0, 2].iter().flat_map(|value| value.to_le_bytes()).collect()),
        (">i8", [1_i64, 0, 2].iter().flat_map(|value| value.to_be_bytes()).collect()),
        ("|u1", vec![1, 0, 2]),
        ("<u2", vec![1, 0, 0, 0, 2, 0]),
        (">u2", vec![0, 1, 0, 0, 0, 2]),
        ("<u4", [1_u32, 0, 2].iter().flat_map(|value| value.to_le_bytes()).collect()),
        ("<u8", [1_u64, 0, 2].iter().flat_map(|value| value.to_le_bytes()).collect()),
        (">u8", [1_u64, 0, 2].iter().flat_map(|value| value.to_be_bytes()).collect()),
    ];
    for (descr, data) in cases {
        let table = read_bytes(&npy(descr, false, "(3,)", &data), false).unwrap();
        assert_eq!(table.values, Values::from(vec![1.0, 0.0, 2.0]), "{descr}");
        assert_eq!((table.n_rows, table.n_columns, table.n_dimensions), (3, 1, 1), "{descr}");
    }
    let bools = read_bytes(&npy("|b1", false, "(2,)", &[1, 0]), false).unwrap();
    assert_eq!(bools.values, Values::from(vec![1.0, 0.0]));
    let negative = read_bytes(&npy("|i1", false, "(1,)", &[0xff]), false).unwrap();
    assert_eq!(negative.values, Values::from(vec![-1.0]));
}

#[test]
fn single_precision_stays_single() {
    for (descr, data) in [("<f4", 0.1_f32.to_le_bytes()), (">f4", 0.1_f32.to_be_bytes())] {
        let table = read_bytes(&npy(descr, false, "(1, 1)", &data), false).unwrap();
        assert_eq!(table.values, Values::from(vec![0.1f32]));
        assert_eq!(table.n_dimensions, 2);
    }
}

#[test]
fn both_orders_come_out_row_after_row() {
    let c = read_bytes(&npy("<f8", false, "(2, 3)", &le(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])), false).unwrap();
    let fortran =
        read_bytes(&npy("<f8", true, "(2, 3)", &le(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0])), false).unwrap();
    assert_eq!(c.values, Values::from(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(c, fortran);
}

#[test]
fn a_large_fortran_array_is_the_transpose() {
    let (n_rows, n_columns) = (150, 131);
    let by_columns: Vec<f64> =
        (0..n_columns).flat_map(|j| (0..n_rows).map(move |i| f64::from(1000 * i + j))).collect();
    let shape = format!("({n_rows}, {n_columns})");
    let table = read_bytes(&npy("<f8", true, &shape, &le(&by_columns)), false).unwrap();
    let by_rows: Vec<f64> =
        (0..n_rows).flat_map(|i| (0..n_columns).map(move |j| f64::from(1000 * i + j))).collect();
    assert_eq!(table.values, Values::from(by_rows));
}

#[test]
fn nan_is_kept_on_request_and_infinity_never() {
    let nan = npy("<f8", true, "(2, 3)", &le(&[1.0, 4.0, 2.0, 5.0, f64::NAN, 6.0]));
    let Values::F64(values) = read_bytes(&nan, true).unwrap().values else {
        panic!("float64 became float32")
    };
    assert!(values[2].is_nan() && values[5] == 6.0);
    let error = read_bytes(&nan, false).unwrap_err();
    assert!(matches!(error, Error::ArrayMissing { row: 1, column: 3, .. }), "{error}");
    let infinite =
        npy("<f4", false, "(2, 2)", &[[0; 4], [0; 4], [0; 4], f32::INFINITY.to_le_bytes()].concat());
    let error = read_bytes(&infinite, true).unwrap_err();
    assert!(matches!(error, Error::ArrayInfinite { row: 2, column: 2, .. }), "{error}");
}

#[test]
fn a_broken_array_is_named_for_what_is_broken() {
    let whole = npy("<f8", false, "(2, 2)", &le(&[0.0; 4]));
    let huge = npy("<f8", false, "(4294967296, 4294967296)", &le(&[0.0; 4]));
    let cases = [
        (b"".to_vec(), "is empty"),
        (b"1,2\n3,4\n".to_vec(), "got \"1,2\\n3,\""),
        (whole[..3].to_vec(), "must begin with"),
        (whole[..7].to_vec(), "header"),
        (whole[..40].to_vec(), "header"),
        (whole[..whole.len() - 1].to_vec(), "must take 32 bytes, got 31"),
        (huge, "must take 147573952589676412928 bytes, got 32"),
        (npy("<f8", false, "(2, 2, 1)", &le(&[0.0; 4])), "got 3 (shape [2, 2, 1])"),
        (npy("<f8", false, "()", &le(&[0.0])), "got 0"),
        (npy("<f8", false, "(0, 2)", &[]), "is empty"),
        (npy("<f8", false, "(2, 0)", &[]), "is empty"),
        (npy("<c16", false, "(2,)", &le(&[0.0; 4])), "<c16"),
        (npy("<f2", false, "(2,)", &[0; 4]), "<f2"),
        (npy("<U3", false, "(1,)", &[0; 12]), "<U3"),
        (npy("|O", false, "(1,)", &[0; 12]), "|O"),
        (npy("<M8[ns]", false, "(1,)", &[0; 8]), "<M8[ns]"),
    ];
    for (bytes, expected) in cases {
        let message = read_bytes(&bytes, false).unwrap_err().to_string();
        assert!(message.contains(expected), "{message} should say {expected}");
    }
}
