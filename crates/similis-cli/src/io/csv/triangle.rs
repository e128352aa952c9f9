//! Lower triangles: row after row, each one value longer.

/// Whether a triangle holds its diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum Triangle {
    /// The first row has one value, that of an item with itself.
    WithDiagonal,
    /// The first row has none.
    BelowDiagonal,
}

impl Triangle {
    /// How many values row `row`, counted from 0, has.
    pub(super) fn row_length(self, row: usize) -> usize {
        row + usize::from(self == Self::WithDiagonal)
    }

    /// How many values the first `n_rows` rows have.
    pub(in crate::io) fn n_values(self, n_rows: usize) -> usize {
        match self {
            Self::WithDiagonal => n_rows * (n_rows + 1) / 2,
            Self::BelowDiagonal => n_rows * n_rows.saturating_sub(1) / 2,
        }
    }

    /// Returns the square matrix of `n` rows, row after row, its diagonal `diagonal` where the triangle has none.
    pub(in crate::io) fn square(self, values: &[f64], n: usize, diagonal: f64) -> Vec<f64> {
        let mut square = vec![diagonal; n * n];
        let mut listed = values.iter();
        for row in 0..n {
            for (column, value) in listed.by_ref().take(self.row_length(row)).enumerate() {
                square[row * n + column] = *value;
                square[column * n + row] = *value;
            }
        }
        square
    }
}
