//! The features $\Lambda$: one row for each point.

/// Feature vectors $\lambda_i$ as rows. (The paper's $\Lambda$ holds them as columns.)
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    values: Vec<f64>,
    n_rows: usize,
    n_columns: usize,
    /// The weight of each row; empty: 1 each.
    weights: Vec<f64>,
}

impl Features {
    /// Returns the features that stand in `values` row after row; missing ones at the end are 0.
    pub fn from_rows(mut values: Vec<f64>, n_rows: usize, n_columns: usize) -> Self {
        values.resize(n_rows * n_columns, 0.0);
        Self { values, n_rows, n_columns, weights: Vec::new() }
    }

    /// The same rows with weights; none for 1 each.
    pub(crate) fn weighted(self, weights: &[f64]) -> Self {
        Self { weights: weights.to_vec(), ..self }
    }

    /// The weight of a row.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weights.get(i).copied().unwrap_or(1.0)
    }

    /// The weights of all rows; empty: 1 each.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Every row times `factor(weight)`.
    pub(crate) fn scaled(mut self, factor: impl Fn(f64) -> f64) -> Self {
        for i in 0..self.weights.len() {
            let factor = factor(self.weights[i]);
            self.row_mut(i).iter_mut().for_each(|x| *x *= factor);
        }
        self
    }

    /// The rows at these places, without weights.
    pub(crate) fn rows_at(&self, places: &[u32]) -> Self {
        let values = places.iter().flat_map(|&at| self.row(at as usize)).copied().collect();
        Self::from_rows(values, places.len(), self.n_columns)
    }

    /// The sum of all weights.
    pub(crate) fn total_weight(&self) -> f64 {
        if self.weights.is_empty() { self.n_rows as f64 } else { self.weights.iter().sum() }
    }

    /// Number of rows: points.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns: dimensions (t).
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The feature vector $\lambda_i$.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// The feature vector $\lambda_i$, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// All features, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// The variance of the features about their mean, averaged over the dimensions.
    pub(crate) fn mean_variance(&self) -> f64 {
        let (n, t) = (self.total_weight(), self.n_columns);
        let mean = |k: usize| (0..self.n_rows).map(|i| self.weight(i) * self.row(i)[k]).sum::<f64>() / n;
        let variance = |k: usize| {
            let mean = mean(k);
            (0..self.n_rows).map(|i| self.weight(i) * (self.row(i)[k] - mean).powi(2)).sum::<f64>() / n
        };
        (0..t).map(variance).sum::<f64>() / t.max(1) as f64
    }
}
