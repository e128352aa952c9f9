//! The greatest eigenpairs against full decompositions and against what is known of special matrices.

use super::*;
use crate::run::observer::{Observer, Silent};
use crate::run::random::Random;
use crate::run::termination::Termination;
use crate::run::{parallel, random};
use rand::RngExt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More points than are decomposed in full.
const N: usize = 330;

/// A sparse matrix that owns its parts.
struct Sparse {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    fn of(matrix: &[f64], n: usize) -> Self {
        let mut sparse = Self { offsets: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in matrix.chunks(n) {
            let entries = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
            for (column, &value) in entries {
                sparse.columns.push(column as u32);
                sparse.values.push(value);
            }
            sparse.offsets.push(sparse.columns.len());
        }
        sparse
    }

    fn operator(&self) -> SparseOperator<'_> {
        SparseOperator { offsets: &self.offsets, columns: &self.columns, values: &self.values }
    }
}

fn dense(matrix: &[f64]) -> DenseOperator<'_> {
    DenseOperator { values: matrix, n_points: matrix.len().isqrt() }
}

fn find(operator: &dyn SymmetricOperator, n_wanted: usize) -> Eigenpairs {
    TopEigenpairs { n_wanted, ..TopEigenpairs::default() }.find(
        operator,
        KnownEigenvectors::default(),
        &Silent,
    )
}

/// A symmetric matrix whose entries are kept by chance (`density`) and uniform in `range`.
fn random_symmetric(n: usize, density: f64, range: std::ops::Range<f64>, random: &mut Random) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            if random.random_bool(density) {
                let value = random.random_range(range.clone());
                matrix[i * n + j] = value;
                matrix[j * n + i] = value;
            }
        }
    }
    matrix
}

/// `n_blocks` unconnected classes: the matrix normalised so that each has eigenvalue 1, and the roots of its row sums.
fn normalised_blocks(n: usize, n_blocks: usize, density: f64, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let mut matrix = random_symmetric(n, density, 0.5..1.5, random);
    for i in 0..n {
        matrix[i * n + i] += 1.0;
        for j in (0..n).filter(|j| j % n_blocks != i % n_blocks) {
            matrix[i * n + j] = 0.0;
        }
    }
    let roots: Vec<f64> = matrix.chunks(n).map(|row| row.iter().sum::<f64>().sqrt()).collect();
    (0..n * n).for_each(|entry| matrix[entry] /= roots[entry / n] * roots[entry % n]);
    (matrix, roots)
}

/// The sine of the greatest angle between the space of the found vectors and that of as many true ones, or more.
fn greatest_angle(found: &Eigenpairs, truth: &Eigenpairs) -> f64 {
    let (n, width, n_true) = (found.n_points, found.values.len(), truth.values.len());
    let mut outside = found.vectors.clone();
    for t in 0..width {
        for j in 0..width {
            let dot: f64 = (0..n).map(|i| truth.vectors[i * n_true + t] * found.vectors[i * width + j]).sum();
            (0..n).for_each(|i| outside[i * width + j] -= dot * truth.vectors[i * n_true + t]);
        }
    }
    outside.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

fn assert_same_as_full(found: &Eigenpairs, matrix: &[f64]) {
    let truth = full_eigenpairs(matrix, found.n_points);
    assert_eq!(found.ended, Termination::Converged);
    assert!(found.n_products > 0, "the matrix was decomposed in full");
    let angle = greatest_angle(found, &truth);
    assert!(angle < 1e-6, "angle {angle} for {} vectors", found.values.len());
    let differences = found.values.iter().zip(&truth.values).map(|(found, truth)| (found - truth).abs());
    assert!(differences.fold(0.0, f64::max) < 1e-11 * truth.values[0].abs().max(1.0));
}

fn assert_orthonormal(found: &Eigenpairs) {
    let width = found.values.len();
    for (j, k) in (0..width).flat_map(|j| (0..=j).map(move |k| (j, k))) {
        let dot: f64 = found.vectors.chunks(width).map(|row| row[j] * row[k]).sum();
        assert!((dot - f64::from(u8::from(j == k))).abs() < 1e-10);
    }
}

/// The number of eigenvalues, from 2 to 12, above the widest gap.
fn n_above_the_widest_gap(matrix: &[f64], n: usize) -> usize {
    let values = full_eigenpairs(matrix, n).values;
    (2..=12).max_by(|&a, &b| (values[a - 1] - values[a]).total_cmp(&(values[b - 1] - values[b]))).unwrap()
}

#[test]
fn the_space_of_equal_top_eigenvalues_is_that_of_a_full_decomposition() {
    for case in 0..60 {
        let mut random = random::stream(1, case);
        let n_blocks = 2 + case as usize % 11;
        let density = if case % 2 == 0 { 1.0 } else { 0.5 };
        let (matrix, _) = normalised_blocks(N + case as usize, n_blocks, density, &mut random);
        assert_same_as_full(&find(&dense(&matrix), n_blocks), &matrix);
        let sparse = Sparse::of(&matrix, N + case as usize);
        assert_same_as_full(&find(&sparse.operator(), n_blocks), &matrix);
    }
}

#[test]
fn the_top_space_of_a_random_matrix_is_that_of_a_full_decomposition() {
    for case in 0..40 {
        let density = if case % 2 == 0 { 1.0 } else { 0.05 };
        let matrix = random_symmetric(N, density, -1.0..1.0, &mut random::stream(2, case));
        let n_wanted = n_above_the_widest_gap(&matrix, N);
        assert_same_as_full(&find(&dense(&matrix), n_wanted), &matrix);
        assert_same_as_full(&find(&Sparse::of(&matrix, N).operator(), n_wanted), &matrix);
    }
}

#[test]
fn ten_eigenvalues_within_a_ten_millionth_of_one_are_all_found() {
    // A = 1/2 I + sum of (value - 1/2) q q^T over ten orthonormal q.
    let vectors = full_eigenpairs(&random_symmetric(N, 1.0, -1.0..1.0, &mut random::stream(3, 0)), N).vectors;
    let values: Vec<f64> = (0..10).map(|j| 1.0 - 1e-8 * f64::from(j)).collect();
    let entry = |i: usize, j: usize| -> f64 {
        let unit = f64::from(u8::from(i == j));
        let term = |k: usize, value: f64| (value - 0.5) * vectors[i * N + k] * vectors[j * N + k];
        0.5 * unit
            + values.iter().enumerate().map(|(k, &value)| term(k, value)).sum::<f64>()
            + (10..N).map(|k| term(k, 0.5 + 0.4 * (k as f64 / N as f64 - 0.5))).sum::<f64>()
    };
    let mut matrix: Vec<f64> = (0..N * N).map(|e| entry(e / N, e % N)).collect();
    (0..N * N).for_each(|e| matrix[e] = matrix[e % N * N + e / N]);
    let found = find(&dense(&matrix), 10);
    assert_same_as_full(&found, &matrix);
    assert!(found.values.iter().zip(&values).all(|(found, value)| (found - value).abs() < 1e-12));
}

#[test]
fn known_eigenvectors_change_the_work_but_not_the_answer() {
    let (n_blocks, n_wanted) = (5, 7);
    let (matrix, roots) = normalised_blocks(N, n_blocks, 0.3, &mut random::stream(4, 0));
    let mut vectors = vec![0.0; N * n_blocks];
    for block in 0..n_blocks {
        let length = (block..N).step_by(n_blocks).map(|i| roots[i] * roots[i]).sum::<f64>().sqrt();
        (block..N).step_by(n_blocks).for_each(|i| vectors[i * n_blocks + block] = roots[i] / length);
    }
    let known = KnownEigenvectors { values: &[1.0; 5], vectors: &vectors };
    let sparse = Sparse::of(&matrix, N);
    let settings = TopEigenpairs { n_wanted, ..TopEigenpairs::default() };
    let with = settings.find(&sparse.operator(), known, &Silent);
    let without = find(&sparse.operator(), n_wanted);
    assert_same_as_full(&with, &matrix);
    assert!(greatest_angle(&with, &without) < 1e-7);
    assert!(with.n_products < without.n_products);
    assert!(with.residuals.iter().all(|&residual| residual < 1e-10));
}

#[test]
fn known_eigenvectors_that_are_not_the_greatest_do_not_hide_greater_ones() {
    let matrix = random_symmetric(N, 1.0, -1.0..1.0, &mut random::stream(5, 0));
    let truth = full_eigenpairs(&matrix, N);
    let pick = [1, 200];
    let values = pick.map(|k| truth.values[k]);
    let vectors: Vec<f64> = (0..N).flat_map(|i| pick.map(|k| truth.vectors[i * N + k])).collect();
    let known = KnownEigenvectors { values: &values, vectors: &vectors };
    let settings = TopEigenpairs { n_wanted: 6, ..TopEigenpairs::default() };
    assert_same_as_full(&settings.find(&dense(&matrix), known, &Silent), &matrix);
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads() {
    let (n, random) = (4500, &mut random::stream(6, 0));
    let sparse = ring(n, 12, random);
    let matrix = random_symmetric(700, 1.0, 0.0..1.0, random);
    let run =
        |threads| parallel::with_threads(threads, || (find(&sparse.operator(), 4), find(&dense(&matrix), 6)));
    let one = run(1);
    assert!(one.0.n_products > 0 && one.1.n_products > 0);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

/// A normalised graph of `n` points in `n_classes` rings with random weights, each point linked to the next six.
fn ring(n: usize, n_classes: usize, random: &mut Random) -> Sparse {
    let size = n / n_classes;
    let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
    for i in 0..size * n_classes {
        for step in 1..=6 {
            let j = i / size * size + (i % size + step * step) % size;
            let weight = random.random_range(0.1..1.0);
            rows[i].push((j, weight));
            rows[j].push((i, weight));
        }
    }
    let roots: Vec<f64> =
        rows.iter().map(|row| row.iter().map(|entry| entry.1).sum::<f64>().sqrt()).collect();
    let mut sparse = Sparse { offsets: vec![0], columns: Vec::new(), values: Vec::new() };
    for (i, row) in rows.iter().enumerate() {
        sparse.columns.extend(row.iter().map(|entry| entry.0 as u32));
        sparse.values.extend(row.iter().map(|&(j, weight)| weight / (roots[i] * roots[j])));
        sparse.offsets.push(sparse.columns.len());
    }
    sparse
}

/// An operator that does not renumber its points.
struct Plain<'a>(SparseOperator<'a>);

impl SymmetricOperator for Plain<'_> {
    fn n_points(&self) -> usize {
        self.0.n_points()
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        self.0.apply(block, width, out);
    }
}

#[test]
fn a_large_sparse_matrix_is_renumbered_and_has_the_same_eigenvectors() {
    let (n, random) = (12_000, &mut random::stream(9, 0));
    let tidy = ring(n, 3, random);
    let mut new: Vec<usize> = (0..n).collect();
    (1..n).for_each(|i| new.swap(i, random.random_range(0..=i)));
    let mut mixed = Sparse { offsets: vec![0], columns: Vec::new(), values: Vec::new() };
    for &point in &new {
        let entries = tidy.offsets[point]..tidy.offsets[point + 1];
        mixed.values.extend(&tidy.values[entries.clone()]);
        mixed.columns.extend(&tidy.columns[entries]);
        mixed.offsets.push(mixed.columns.len());
    }
    let mut old = vec![0; n];
    new.iter().enumerate().for_each(|(i, &point)| old[point] = i);
    mixed.columns.iter_mut().for_each(|column| *column = old[*column as usize] as u32);
    assert!(tidy.operator().renumbered().is_none());
    assert!(mixed.operator().renumbered().is_some());
    let found = find(&mixed.operator(), 3);
    let expected = find(&Plain(mixed.operator()), 3);
    assert!(found.residuals.iter().all(|&residual| residual < 1e-10));
    assert!(found.values.iter().all(|value| (value - 1.0).abs() < 1e-12));
    assert!(greatest_angle(&found, &expected) < 1e-6);
}

#[test]
fn in_each_vector_the_greatest_entry_is_positive() {
    let matrix = random_symmetric(N, 1.0, -1.0..1.0, &mut random::stream(7, 0));
    for found in [find(&dense(&matrix), 8), full_eigenpairs(&matrix, N)] {
        let width = found.values.len();
        for j in 0..width {
            let column = found.vectors.iter().skip(j).step_by(width);
            let greatest = column.max_by(|a, b| a.abs().total_cmp(&b.abs()));
            assert!(*greatest.unwrap() > 0.0);
        }
    }
}

#[test]
fn of_two_entries_tied_for_the_sign_the_first_decides() {
    // [0 -1; -1 0] has (1, -1)/sqrt 2 for eigenvalue 1 and (1, 1)/sqrt 2 for -1.
    let found = full_eigenpairs(&[0.0, -1.0, -1.0, 0.0], 2);
    let half = 0.5_f64.sqrt();
    let expected = [half, half, -half, half];
    assert!(found.vectors.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
    assert!((found.values[0] - 1.0).abs() < 1e-12 && (found.values[1] + 1.0).abs() < 1e-12);
    // The first column is tied within 1e-9, the second is not.
    let mut vectors = [-1.0, -1.0, 1.0 + 1e-12, 1.1];
    decomposition::fix_signs(&mut vectors, 2);
    assert_eq!(vectors, [1.0, -1.0, -1.0 - 1e-12, 1.1]);
}

#[test]
fn special_matrices_have_their_eigenvalues() {
    for n in [1, 2, 40, N] {
        let identity: Vec<f64> = (0..n * n).map(|e| f64::from(u8::from(e % (n + 1) == 0))).collect();
        for (matrix, value) in [(&identity, 1.0), (&vec![0.0; n * n], 0.0)] {
            for n_wanted in [1, 3, n, n + 7] {
                let found = find(&dense(matrix), n_wanted);
                assert_eq!(found.values.len(), n_wanted.min(n));
                assert_eq!(found.ended, Termination::Converged);
                assert!(found.values.iter().all(|found| (found - value).abs() < 1e-12));
                assert_orthonormal(&found);
            }
        }
    }
    assert_eq!(find(&dense(&[]), 3).values.len(), 0);
}

#[test]
fn a_matrix_of_rank_one_or_with_negative_eigenvalues_only_is_no_trouble() {
    let ones = vec![1.0; N * N];
    let found = find(&dense(&ones), 3);
    assert!((found.values[0] - N as f64).abs() < 1e-9 && found.values[1].abs() < 1e-9);
    let negative: Vec<f64> =
        (0..N * N).map(|e| if e % (N + 1) == 0 { -1.0 - (e / N) as f64 } else { 0.0 }).collect();
    let found = find(&dense(&negative), 4);
    assert!(
        found.values.iter().zip(1..).all(|(&found, expected)| (found + f64::from(expected)).abs() < 1e-8)
    );
}

#[test]
fn a_matrix_with_nan_ends_without_an_answer() {
    for n in [5, N] {
        let found = find(&dense(&vec![f64::NAN; n * n]), 2);
        assert_eq!(found.ended, Termination::IterationLimit);
        assert!(found.values.iter().all(|value| value.is_nan()));
    }
}

/// Cancels after it has been asked some number of times.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) <= 1_000_000
    }
}

#[test]
fn a_cancelled_or_limited_search_returns_orthonormal_vectors_and_says_so() {
    let matrix = random_symmetric(N, 1.0, -1.0..1.0, &mut random::stream(8, 0));
    let settings = TopEigenpairs { n_wanted: 9, ..TopEigenpairs::default() };
    for patience in [0, 1, 5, 10] {
        let observer = Impatient(AtomicUsize::new(1_000_000 + patience));
        let found = settings.find(&dense(&matrix), KnownEigenvectors::default(), &observer);
        assert_eq!(found.ended, Termination::Cancelled);
        assert_orthonormal(&found);
    }
    let limited = TopEigenpairs { max_products: 40, ..settings };
    let found = limited.find(&dense(&matrix), KnownEigenvectors::default(), &Silent);
    assert_eq!(found.ended, Termination::IterationLimit);
    assert!(found.residuals.iter().any(|&residual| residual > 1e-6));
}
