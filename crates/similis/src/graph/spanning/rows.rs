//! Where Prim's method takes lengths from: stored matrices, and points in many dimensions.

use crate::graph::neighbours::kd_tree::LEAF;
use crate::graph::neighbours::reduced::{Lanes, Reduced, from_row};
use crate::graph::spanning::prim::Rows;
use crate::input::Dissimilarity;
use crate::input::metric::{MeasuredPoints, Metric};
use crate::run::parallel;

/// A square matrix, row after row, not copied.
pub(crate) struct Square<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) n_points: usize,
    /// The row of each point, where it is not that of the point's number.
    pub(crate) order: Option<&'a [usize]>,
    /// Minus 1 for similarities: the most similar comes first.
    pub(crate) sign: f64,
}

/// Columns of a stored matrix.
pub(crate) struct Stored {
    numbers: Vec<u32>,
    /// The first, if the others follow it without a gap.
    first: Option<usize>,
}

impl<T> Square<'_, T> {
    /// The row of a point, and its column.
    fn place(&self, i: usize) -> usize {
        self.order.map_or(i, |order| order[i])
    }
}

impl<T: Copy + Into<f64> + Sync> Rows for Square<'_, T> {
    type Columns = Stored;

    fn n_points(&self) -> usize {
        self.n_points
    }

    fn n_in_part(&self) -> usize {
        // Long parts of a row are read fastest: no more of them than threads. The tree is the same for any parts.
        self.n_points.div_ceil(parallel::n_threads())
    }

    fn columns(&self, numbers: &[u32]) -> Stored {
        let numbers: Vec<u32> = numbers.iter().map(|&i| self.place(i as usize) as u32).collect();
        let first = numbers.first().map(|&first| first as usize);
        let close =
            numbers.iter().zip(numbers.first().copied().unwrap_or(0)..).all(|(&number, next)| number == next);
        Stored { first: first.filter(|_| close), numbers }
    }

    #[inline(always)]
    fn lengths(&self, from: usize, columns: &Stored, chunk: usize) -> Lanes {
        let row = &self.values[self.place(from) * self.n_points..][..self.n_points];
        let start = chunk * LEAF;
        if let Some(close) = columns.first.and_then(|first| row.get(first + start..)?.first_chunk::<LEAF>()) {
            return signed(self.sign, close);
        }
        let mut values = [row[0]; LEAF];
        match columns.numbers.get(start..).and_then(<[u32]>::first_chunk::<LEAF>) {
            Some(full) => (0..LEAF).for_each(|lane| values[lane] = row[full[lane] as usize]),
            None => {
                values
                    .iter_mut()
                    .zip(&columns.numbers[start..])
                    .for_each(|(value, &to)| *value = row[to as usize]);
            }
        }
        signed(self.sign, &values)
    }
}

#[inline(always)]
fn signed<T: Copy + Into<f64>>(sign: f64, values: &[T; LEAF]) -> Lanes {
    let mut lengths = [0.0; LEAF];
    for lane in 0..LEAF {
        lengths[lane] = values[lane].into();
    }
    for length in &mut lengths {
        *length *= sign;
    }
    lengths
}

/// Any matrix of pairs, asked pair by pair.
pub(crate) struct Pairwise<'a> {
    pub(crate) observed: &'a Dissimilarity<'a>,
    pub(crate) sign: f64,
}

impl Rows for Pairwise<'_> {
    type Columns = Vec<u32>;

    fn n_points(&self) -> usize {
        self.observed.n_points()
    }

    fn n_in_part(&self) -> usize {
        self.n_points().div_ceil(parallel::n_threads())
    }

    fn columns(&self, numbers: &[u32]) -> Vec<u32> {
        numbers.to_vec()
    }

    #[inline(always)]
    fn lengths(&self, from: usize, columns: &Vec<u32>, chunk: usize) -> Lanes {
        let mut lengths = [f64::NAN; LEAF];
        for (length, &to) in lengths.iter_mut().zip(&columns[chunk * LEAF..]) {
            *length = self.observed.pair(from, to as usize).map_or(f64::NAN, |value| self.sign * value);
        }
        lengths
    }
}

/// Points in many dimensions, measured [`LEAF`] at a time.
pub(crate) struct InBlocks<'a> {
    points: &'a MeasuredPoints<'a>,
    reduced: Reduced,
}

impl<'a> InBlocks<'a> {
    /// Returns the points, if their metric adds something up over the coordinates.
    pub(crate) fn new(points: &'a MeasuredPoints<'a>) -> Option<Self> {
        let reduced = match points.metric() {
            Metric::Minkowski { .. } | Metric::Haversine => None,
            metric => Reduced::of(metric),
        };
        reduced.map(|reduced| Self { points, reduced })
    }
}

impl Rows for InBlocks<'_> {
    type Columns = Vec<Lanes>;

    fn n_points(&self) -> usize {
        self.points.n_points()
    }

    fn n_in_part(&self) -> usize {
        const CACHE: usize = 256 << 10;
        (CACHE / (self.points.points().n_dimensions() * size_of::<f64>())).max(512)
    }

    fn columns(&self, numbers: &[u32]) -> Vec<Lanes> {
        let d = self.points.points().n_dimensions();
        let mut blocks = vec![[f64::NAN; LEAF]; numbers.len().div_ceil(LEAF) * d];
        for (at, &i) in numbers.iter().enumerate() {
            for (k, &x) in self.points.points().row(i as usize).iter().enumerate() {
                blocks[at / LEAF * d + k][at % LEAF] = x;
            }
        }
        blocks
    }

    #[inline(always)]
    fn lengths(&self, from: usize, columns: &Vec<Lanes>, chunk: usize) -> Lanes {
        let row = self.points.points().row(from);
        let block = &columns[chunk * row.len()..(chunk + 1) * row.len()];
        self.points.of_sums(from_row(self.reduced, row, block))
    }
}
