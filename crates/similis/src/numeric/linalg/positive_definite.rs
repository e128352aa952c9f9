//! Small positive definite systems, by plain loops.

/// Returns the lower factor $G$ with $G G^T =$ `matrix`, row-major, or `None` unless the matrix is positive definite.
///
/// Only the lower triangle of `matrix` (`n` rows, row-major) is read.
pub fn cholesky(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut factor = matrix.to_vec();
    cholesky_in_place(&mut factor, n).then_some(factor)
}

/// Overwrites a row-major matrix with its lower Cholesky factor; returns whether it is positive definite.
///
/// Only the lower triangle is read; the upper one becomes 0. If the answer is no, the contents mean nothing.
pub fn cholesky_in_place(matrix: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        let (done, rest) = matrix.split_at_mut(j * n);
        for (i, above) in done.chunks_exact(n).enumerate() {
            rest[i] = (rest[i] - dot(&rest[..i], &above[..i])) / above[i];
        }
        let pivot = rest[j] - dot(&rest[..j], &rest[..j]);
        if !(pivot.is_finite() && pivot > 0.0) {
            return false;
        }
        rest[j] = pivot.sqrt();
        rest[j + 1..n].fill(0.0);
    }
    true
}

/// Returns the $x$ with `matrix` $x =$ `rhs`, or `None` unless the matrix is positive definite.
pub fn solve_positive_definite(matrix: &[f64], rhs: &[f64], n: usize) -> Option<Vec<f64>> {
    let factor = cholesky(matrix, n)?;
    let mut solution = rhs.to_vec();
    solve_with_factor(&factor, &mut solution);
    Some(solution)
}

/// Overwrites `rhs` $= b$ with the $x$ of $G G^T x = b$, given the lower factor $G$ of [`cholesky`].
pub fn solve_with_factor(factor: &[f64], rhs: &mut [f64]) {
    let n = rhs.len();
    for i in 0..n {
        let row = &factor[i * n..(i + 1) * n];
        rhs[i] = (rhs[i] - dot(&row[..i], &rhs[..i])) / row[i];
    }
    for i in (0..n).rev() {
        rhs[i] /= factor[i * n + i];
        let (before, from) = rhs.split_at_mut(i);
        before
            .iter_mut()
            .zip(&factor[i * n..])
            .for_each(|(entry, coefficient)| *entry -= coefficient * from[0]);
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_and_a_solution_by_hand() {
        // [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2]; and [4 2; 2 5] (1, 2) = (8, 12).
        assert_eq!(cholesky(&[4.0, 2.0, 2.0, 5.0], 2), Some(vec![2.0, 0.0, 1.0, 2.0]));
        assert_eq!(solve_positive_definite(&[4.0, 2.0, 2.0, 5.0], &[8.0, 12.0], 2), Some(vec![1.0, 2.0]));
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        for matrix in
            [[1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
        {
            assert_eq!(cholesky(&matrix, 2), None);
        }
    }

    #[test]
    fn a_solution_of_five_equations_satisfies_them() {
        let n = 5;
        let matrix: Vec<f64> = (0..n * n)
            .map(|entry| 1.0 / (1.0 + (entry / n + entry % n) as f64) + f64::from(u8::from(entry % 6 == 0)))
            .collect();
        let rhs = [1.0, -2.0, 3.0, 0.5, 0.0];
        let solution = solve_positive_definite(&matrix, &rhs, n).unwrap();
        for (row, rhs) in matrix.chunks(n).zip(rhs) {
            assert!((dot(row, &solution) - rhs).abs() < 1e-12);
        }
    }
}
