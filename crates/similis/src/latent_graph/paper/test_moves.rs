//! Moves that only tests make.

use super::*;

impl Run<'_> {
    /// Whether taking a point away would leave its cluster empty.
    pub(crate) fn would_empty(&self, i: usize) -> bool {
        self.graphs.members(self.graphs.labels()[i]).len() < 2
    }

    /// Moves a point to a cluster whether or not it gains; what the log joint gains at fixed scales.
    pub(crate) fn force_point(&mut self, i: usize, to: usize) -> f64 {
        let from = self.graphs.labels()[i];
        self.fill_row(i);
        self.graphs.remove(i);
        let row = std::mem::take(&mut self.row);
        let (stay, forced) = (self.candidate(i, from, &row), self.candidate(i, to, &row));
        self.row = row;
        self.graphs.insert(i, to, &forced.change);
        forced.joined.gain - stay.joined.gain
    }
}
