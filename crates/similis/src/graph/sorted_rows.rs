//! The links of every point sorted by length, from which the cheapest in any order of prices are read off.

use std::ops::Range;

use crate::graph::link::LinkOrder;

/// The observed links of every point that are allowed, shortest first.
///
/// The price of a link depends on its length alone, and falls towards one length and rises from it ([`LinkOrder`]). So whatever
/// the order, the cheapest links of a point stand next to one another, or at the ends of its row: where scales change, nothing is
/// sorted again.
#[derive(Debug)]
pub(crate) struct SortedRows {
    /// Row i is `offsets[i]..offsets[i + 1]`.
    offsets: Vec<usize>,
    others: Vec<u32>,
    lengths: Vec<f64>,
}

impl SortedRows {
    /// Sorts the rows of `n_points` points with at most `n_links` links, counted from both ends, in time $O(n^2 \log n)$ where every
    /// pair may be a link; `fill(i, row)` writes the lengths from `i`. What is not finite is left out: pairs that were not observed,
    /// or are forbidden.
    pub(crate) fn new(n_points: usize, n_links: usize, fill: impl Fn(usize, &mut [f64])) -> Self {
        let (mut others, mut lengths) = (Vec::with_capacity(n_links), Vec::with_capacity(n_links));
        let mut offsets = vec![0];
        let mut row = vec![0.0; n_points];
        let mut order: Vec<u32> = Vec::with_capacity(n_points);
        for i in 0..n_points {
            fill(i, &mut row);
            order.clear();
            order.extend((0..n_points as u32).filter(|&j| j as usize != i && row[j as usize].is_finite()));
            order.sort_unstable_by(|&a, &b| row[a as usize].total_cmp(&row[b as usize]).then(a.cmp(&b)));
            lengths.extend(order.iter().map(|&j| row[j as usize]));
            others.extend_from_slice(&order);
            offsets.push(others.len());
        }
        Self { offsets, others, lengths }
    }

    /// The links `(j, length, key)` of `i`, cheapest first; those of the same price in no particular order.
    pub(crate) fn by_price<'a>(&'a self, i: usize, order: &'a LinkOrder) -> ByPrice<'a> {
        let row = self.offsets[i]..self.offsets[i + 1];
        let split = |centre: f64| row.start + self.lengths[row.clone()].partition_point(|&x| x < centre);
        let (up, down) = match (order.centre.map(split), order.rising) {
            // Outwards from the cheapest length.
            (Some(split), true) => (split..row.end, row.start..split),
            // Inwards from both ends to the dearest.
            (Some(split), false) => (row.start..split, split..row.end),
            (None, true) => (row, 0..0),
            (None, false) => (0..0, row),
        };
        ByPrice { rows: self, order, up, down }
    }
}

/// The links of a point, cheapest first: see [`SortedRows::by_price`].
#[derive(Debug)]
pub(crate) struct ByPrice<'a> {
    rows: &'a SortedRows,
    order: &'a LinkOrder,
    /// Links that are taken from the shortest on.
    up: Range<usize>,
    /// Links that are taken from the longest on.
    down: Range<usize>,
}

impl Iterator for ByPrice<'_> {
    type Item = (usize, f64, f64);

    /// The next point, the length of the link to it, and its key.
    fn next(&mut self) -> Option<Self::Item> {
        let key = |at: usize| self.order.key(self.rows.lengths[at]);
        let from_below = match (self.up.is_empty(), self.down.is_empty()) {
            (false, false) => key(self.up.start) <= key(self.down.end - 1),
            (is_done, _) => !is_done,
        };
        let at = if from_below { self.up.next()? } else { self.down.next_back()? };
        Some((self.rows.others[at] as usize, self.rows.lengths[at], key(at)))
    }
}
