use crate::error::{InputError, SettingError};
use proptest::prelude::*;

use super::*;

const DISTANCES: Quantity = Quantity::Distances;
const SIMILARITIES: Quantity = Quantity::Similarities;

fn square(values: &[f64], quantity: Quantity) -> Result<Dissimilarity<'_>, Error> {
    let n = values.len().isqrt();
    Dissimilarity::from_square(values, [n, n], quantity, Checks::default())
}

fn with(symmetrise: Symmetrise) -> Checks {
    Checks { symmetrise, ..Checks::default() }
}

#[test]
fn shapes_that_are_no_matrix_of_pairs_are_refused() {
    let from = |values: &[f64], shape| {
        Dissimilarity::from_square(values.to_vec(), shape, DISTANCES, Checks::default()).unwrap_err()
    };
    assert_eq!(from(&[0.0; 6], [2, 3]), Error::Input(InputError::NotSquare { n_rows: 2, n_columns: 3 }));
    assert_eq!(from(&[], [0, 0]), Error::Input(InputError::NoPoints));
    assert_eq!(
        from(&[0.0; 3], [2, 2]),
        Error::Input(InputError::Length { n_rows: 2, n_columns: 2, given: 3 })
    );
    for given in [0, 2, 4, 5, 7] {
        let condensed = Dissimilarity::from_condensed(vec![1.0; given], DISTANCES, Checks::default());
        assert_eq!(condensed.unwrap_err(), Error::Input(InputError::Condensed { given }));
    }
}

#[test]
fn bad_entries_are_named_by_row_and_column() {
    let infinite = [0.0, 1.0, f64::INFINITY, 0.0];
    assert_eq!(
        square(&infinite, DISTANCES),
        Err(Error::Input(InputError::Infinite {
            row: 1,
            column: 0,
            given: f64::INFINITY,
            quantity: DISTANCES
        }))
    );
    let nan = [0.0, f64::NAN, 1.0, 0.0];
    assert_eq!(
        square(&nan, DISTANCES),
        Err(Error::Input(InputError::Missing { row: 0, column: 1, quantity: DISTANCES }))
    );
    let negative = [0.0, 1.0, -1.0, 0.0];
    assert_eq!(
        square(&negative, DISTANCES),
        Err(Error::Input(InputError::Negative { row: 1, column: 0, given: -1.0, quantity: DISTANCES }))
    );
    let diagonal = [0.0, 1.0, 1.0, 0.5];
    assert_eq!(square(&diagonal, DISTANCES), Err(Error::Input(InputError::Diagonal { row: 1, given: 0.5 })));
    let asymmetric = [0.0, 1.0, 2.0, 0.0];
    assert_eq!(
        square(&asymmetric, DISTANCES),
        Err(Error::Input(InputError::Asymmetric { row: 0, column: 1, given: 1.0, mirrored: 2.0 }))
    );
    // Condensed entry 4 of four points is the pair (1, 3).
    let condensed =
        Dissimilarity::from_condensed(vec![1.0, 1.0, 1.0, 1.0, -2.0, 1.0], DISTANCES, Checks::default());
    assert_eq!(
        condensed,
        Err(Error::Input(InputError::Negative { row: 1, column: 3, given: -2.0, quantity: DISTANCES }))
    );
}

#[test]
fn the_first_bad_entry_is_reported_whatever_the_number_of_threads() {
    let n = 400;
    let mut values = vec![0.0; n * n];
    values[300 * n + 2] = -1.0;
    values[200 * n + 3] = -1.0;
    for threads in [1, 2, 5] {
        let error = crate::run::parallel::with_threads(threads, || square(&values, DISTANCES).unwrap_err());
        assert_eq!(
            error,
            Error::Input(InputError::Negative { row: 200, column: 3, given: -1.0, quantity: DISTANCES })
        );
    }
}

#[test]
fn similarities_may_be_negative_and_keep_their_diagonal() {
    let values = [2.0, -0.5, -0.5, 3.0];
    let pairs = square(&values, SIMILARITIES).unwrap();
    assert_eq!([pairs.pair(0, 1), pairs.pair(1, 1)], [Some(-0.5), Some(3.0)]);
}

#[test]
fn a_named_symmetrisation_decides_between_two_entries() {
    for (rule, expected) in [(Symmetrise::Mean, 2.0), (Symmetrise::Min, 1.0), (Symmetrise::Max, 3.0)] {
        let pairs =
            Dissimilarity::from_square(vec![0.0, 1.0, 3.0, 0.0], [2, 2], DISTANCES, with(rule)).unwrap();
        assert_eq!([pairs.pair(0, 1), pairs.pair(1, 0)], [Some(expected); 2]);
    }
}

#[test]
fn entries_that_differ_by_rounding_are_replaced_by_their_mean() {
    let values = [0.0, 1.0, 1.0 + 1e-12, 0.0];
    let pairs = square(&values, DISTANCES).unwrap();
    assert_eq!(pairs.pair(0, 1), pairs.pair(1, 0));
    let single = [0.0f32, 1.0, 1.000_001, 0.0];
    assert!(Dissimilarity::from_square(&single[..], [2, 2], DISTANCES, Checks::default()).is_ok());
    let limited = Checks { memory_limit: Some(16), ..Checks::default() };
    assert!(matches!(
        Dissimilarity::from_square(&values[..], [2, 2], DISTANCES, limited),
        Err(Error::Settings(SettingError::Memory { needed: 32, limit: 16, .. }))
    ));
}

#[test]
fn missing_pairs_are_neither_zero_nor_infinite() {
    let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
    let nan = f64::NAN;
    let values = vec![0.0, nan, 2.0, nan, 0.0, 3.0, 2.0, 3.0, 0.0];
    let pairs = Dissimilarity::from_square(values, [3, 3], DISTANCES, checks).unwrap();
    assert_eq!([pairs.pair(0, 1), pairs.pair(1, 2)], [None, Some(3.0)]);
    let mut seen = Vec::new();
    pairs.for_each_pair(0, |j, value| seen.push((j, value)));
    assert_eq!(seen, [(2, 2.0)]);
    // Missing on one side only is an asymmetry, which a symmetrisation fills from the other.
    let one_sided = vec![0.0, nan, 4.0, 0.0];
    let refused = Dissimilarity::from_square(one_sided.clone(), [2, 2], DISTANCES, checks);
    assert!(matches!(
        refused,
        Err(Error::Input(InputError::Asymmetric { row: 0, column: 1, mirrored: 4.0, .. }))
    ));
    let filled = Checks { symmetrise: Symmetrise::Min, ..checks };
    let pairs = Dissimilarity::from_square(one_sided, [2, 2], DISTANCES, filled).unwrap();
    assert_eq!(pairs.pair(0, 1), Some(4.0));
}

#[test]
fn sparse_rows_are_checked() {
    let new = |offsets: &[usize], columns: &[u32], values: &[f64]| {
        SparseMatrix::new(offsets.to_vec(), columns.to_vec(), values.to_vec()).unwrap_err()
    };
    assert_eq!(new(&[], &[], &[]), Error::Input(InputError::NoPoints));
    assert_eq!(new(&[0], &[], &[]), Error::Input(InputError::NoPoints));
    assert_eq!(
        new(&[1, 1], &[0], &[1.0]),
        Error::Input(InputError::Offsets { position: 0, given: 1, n_entries: 1 })
    );
    assert_eq!(
        new(&[0, 2, 1], &[0], &[1.0]),
        Error::Input(InputError::Offsets { position: 1, given: 2, n_entries: 1 })
    );
    assert_eq!(
        new(&[0, 0, 0], &[0], &[1.0]),
        Error::Input(InputError::Offsets { position: 2, given: 0, n_entries: 1 })
    );
    assert_eq!(
        new(&[0, 1], &[0], &[]),
        Error::Input(InputError::Length { n_rows: 1, n_columns: 1, given: 0 })
    );
    assert_eq!(
        new(&[0, 1, 1], &[2], &[1.0]),
        Error::Input(InputError::Column { row: 0, column: 2, n_points: 2 })
    );
    assert_eq!(
        new(&[0, 2, 2], &[1, 1], &[1.0, 2.0]),
        Error::Input(InputError::Duplicate { row: 0, column: 1 })
    );
    let edges = SparseMatrix::from_edges(2, &[(0, 5, 1.0)]);
    assert_eq!(edges, Err(Error::Input(InputError::Column { row: 0, column: 5, n_points: 2 })));
    let twice = SparseMatrix::from_edges(2, &[(0, 1, 1.0), (0, 1, 1.0)]);
    assert_eq!(twice, Err(Error::Input(InputError::Duplicate { row: 0, column: 1 })));
    let both_ways = SparseMatrix::from_edges(2, &[(0, 1, 1.0), (1, 0, 2.0)]).unwrap();
    assert!(matches!(
        Dissimilarity::from_sparse(both_ways, DISTANCES, Checks::default()),
        Err(Error::Input(InputError::Asymmetric { row: 0, column: 1, .. }))
    ));
}

#[test]
fn sparse_pairs_listed_once_need_a_symmetrisation() {
    let once = || SparseMatrix::new(vec![0, 1, 1, 2], vec![1, 1], vec![2.0, 5.0]).unwrap();
    assert!(matches!(
        Dissimilarity::from_sparse(once(), DISTANCES, Checks::default()),
        Err(Error::Input(InputError::Asymmetric { row: 0, column: 1, given: 2.0, .. }))
    ));
    let pairs = Dissimilarity::from_sparse(once(), DISTANCES, with(Symmetrise::Max)).unwrap();
    assert_eq!([pairs.pair(1, 0), pairs.pair(1, 2), pairs.pair(0, 2)], [Some(2.0), Some(5.0), None]);
}

#[test]
fn sparse_distances_drop_a_zero_diagonal_and_refuse_another() {
    let matrix =
        |diagonal| SparseMatrix::new(vec![0, 2, 3], vec![1, 0, 0], vec![1.0, diagonal, 1.0]).unwrap();
    let pairs = Dissimilarity::from_sparse(matrix(0.0), DISTANCES, Checks::default()).unwrap();
    assert_eq!(pairs.sparse().unwrap().values(), [1.0, 1.0]);
    let refused = Dissimilarity::from_sparse(matrix(3.0), DISTANCES, Checks::default());
    assert_eq!(refused, Err(Error::Input(InputError::Diagonal { row: 0, given: 3.0 })));
    let kept = Dissimilarity::from_sparse(matrix(3.0), SIMILARITIES, Checks::default()).unwrap();
    assert_eq!(kept.pair(0, 0), Some(3.0));
    let nan = SparseMatrix::from_edges(2, &[(0, 1, f64::NAN)]).unwrap();
    assert!(matches!(
        Dissimilarity::from_sparse(nan, SIMILARITIES, Checks::default()),
        Err(Error::Input(InputError::Missing { row: 0, column: 1, .. }))
    ));
}

#[test]
fn conversions_by_hand() {
    let values = [1.0, 0.25, 0.25, 1.0];
    let converted = |conversion| {
        square(&values, SIMILARITIES).unwrap().into_distances(conversion, None).unwrap().pair(0, 1).unwrap()
    };
    assert_eq!(converted(Conversion::OneMinus), 0.75);
    assert_eq!(converted(Conversion::NegativeLog), 4f64.ln());
    assert_eq!(converted(Conversion::Inverse), 4.0);
    // Unit vectors at inner product 1/4: |u - v|^2 = 2 - 1/2.
    assert_eq!(converted(Conversion::Kernel), 1.5f64.sqrt());
}

#[test]
fn similarities_outside_a_conversions_domain_are_named() {
    for (conversion, s) in [
        (Conversion::OneMinus, 1.5),
        (Conversion::NegativeLog, 0.0),
        (Conversion::NegativeLog, 1.5),
        (Conversion::Inverse, 0.0),
        (Conversion::Inverse, 1e-320),
        (Conversion::Kernel, 1.5),
    ] {
        let values = [1.0, s, s, 1.0];
        let error = square(&values, SIMILARITIES).unwrap().into_distances(conversion, None).unwrap_err();
        assert_eq!(error, Error::Input(InputError::Conversion { row: 0, column: 1, given: s, conversion }));
    }
    let condensed =
        || Dissimilarity::from_condensed(vec![0.5f32, 0.2, 2.0], SIMILARITIES, Checks::default()).unwrap();
    let error = condensed().into_distances(Conversion::OneMinus, None).unwrap_err();
    assert_eq!(
        error,
        Error::Input(InputError::Conversion {
            row: 1,
            column: 2,
            given: 2.0,
            conversion: Conversion::OneMinus
        })
    );
    assert_eq!(
        condensed().into_distances(Conversion::Kernel, None),
        Err(Error::Input(InputError::KernelDiagonal))
    );
    let limited = condensed().into_distances(Conversion::Inverse, Some(11));
    assert!(matches!(limited, Err(Error::Settings(SettingError::Memory { needed: 12, limit: 11, .. }))));
}

#[test]
fn every_error_message_says_what_was_given() {
    let error = Error::Input(InputError::Negative { row: 1, column: 0, given: -1.0, quantity: DISTANCES });
    assert_eq!(
        error.to_string(),
        "row 1, column 0: the distance must not be negative, got -1; if these are similarities, say so"
    );
    let error = Error::Settings(SettingError::Memory {
        what: "a copy",
        needed: 2_500_000_000,
        limit: 999,
        instead: "use f32",
    });
    assert_eq!(error.to_string(), "a copy needs 2.5 GB but the memory limit is 999 bytes; use f32");
}

/// All pairs in SciPy's order.
fn condensed(pairs: &Dissimilarity<'_>) -> Vec<f64> {
    let n = pairs.n_points();
    (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| pairs.pair(i, j).unwrap()).collect()
}

proptest! {
    #[test]
    fn computed_dense_condensed_sparse_and_borrowed_pairs_are_the_same_bits(
        coordinates in prop::collection::vec(-3.0f64..3.0, 6..40),
    ) {
        let n = coordinates.len() / 3;
        let points = Points::new(coordinates[..3 * n].to_vec(), n, 3).unwrap();
        let computed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let full: Vec<f64> = (0..n * n).map(|at| computed.pair(at / n, at % n).unwrap()).collect();
        let upper = condensed(&computed);
        let edges: Vec<_> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .zip(&upper).map(|((i, j), &d)| (i, j, d)).collect();
        let forms = [
            square(&full, DISTANCES).unwrap(),
            Dissimilarity::from_square(full.clone(), [n, n], DISTANCES, Checks::default()).unwrap(),
            Dissimilarity::from_condensed(&upper[..], DISTANCES, Checks::default()).unwrap(),
            Dissimilarity::from_sparse(SparseMatrix::from_edges(n, &edges).unwrap(), DISTANCES, Checks::default()).unwrap(),
        ];
        for form in &forms {
            prop_assert_eq!(form.n_points(), n);
            prop_assert_eq!(&condensed(form), &upper);
            for i in 0..n {
                let mut row = vec![0.0; n];
                form.for_each_pair(i, |j, value| row[j] = value);
                prop_assert_eq!(&row[..], &full[i * n..(i + 1) * n]);
            }
        }
        let single: Vec<f32> = upper.iter().map(|&d| d as f32).collect();
        let stored = Dissimilarity::from_condensed(single.clone(), DISTANCES, Checks::default()).unwrap();
        prop_assert!(condensed(&stored).iter().zip(&single).all(|(&d, &s)| d == f64::from(s)));
    }
}
