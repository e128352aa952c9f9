//! A growing orthonormal basis of tall vectors.

use crate::numeric::linalg::decomposition::Decomposition;
use crate::numeric::linalg::product;
use crate::numeric::linalg::product::View;
use crate::numeric::linalg::top_eigenpairs::KnownEigenvectors;
use crate::run::parallel;
use crate::run::random::Random;
use rand::RngExt;

/// A direction smaller than this, relative to the block that it remains from, is rounding noise.
const NOISE: f64 = 1e-13;

/// A block whose inner products differ from the unit matrix by less is orthonormal after one more rescaling.
const NEARLY_ORTHONORMAL: f64 = 1e-6;

/// Maximum number of orthogonalisation passes of a block. Not tuned.
const MAX_PASSES: usize = 6;

/// Orthonormal columns, all orthogonal to the known eigenvectors.
#[derive(Debug)]
pub(crate) struct Basis<'a> {
    known: KnownEigenvectors<'a>,
    values: Vec<f64>,
    capacity: usize,
    n_columns: usize,
}

/// A block that was appended, in terms of the basis: block = basis `coefficients` + appended columns `coupling`.
#[derive(Debug)]
pub(crate) struct Appended {
    /// Its coefficients on the columns that were there, row-major.
    pub(crate) coefficients: Vec<f64>,
    /// Its coefficients on the columns it added, row-major.
    pub(crate) coupling: Vec<f64>,
}

impl<'a> Basis<'a> {
    pub(crate) fn new(known: KnownEigenvectors<'a>, n_points: usize, capacity: usize) -> Self {
        Self { known, values: vec![0.0; n_points * capacity], capacity, n_columns: 0 }
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    pub(crate) fn has_room(&self, width: usize) -> bool {
        self.n_columns + width <= self.capacity
    }

    /// The first `n_columns` columns.
    pub(crate) fn leading(&self, n_columns: usize) -> View<'_> {
        View::leading(&self.values, n_columns, self.capacity)
    }

    /// Copies the columns from `first` on into a block as wide as `width`.
    pub(crate) fn copy_to(&self, first: usize, width: usize, block: &mut [f64]) {
        for (row, out) in self.values.chunks_exact(self.capacity).zip(block.chunks_exact_mut(width)) {
            out.copy_from_slice(&row[first..first + width]);
        }
    }

    /// Forgets all columns.
    pub(crate) fn clear(&mut self) {
        self.n_columns = 0;
    }

    /// Replaces the columns but the last `width` by their products with `factor` (`n_kept` columns), and keeps the last.
    pub(crate) fn compress(&mut self, factor: &[f64], n_kept: usize, width: usize) {
        let pending = self.n_columns - width;
        product::transform_rows(&mut self.values, self.capacity, factor, pending);
        parallel::for_each_piece(&mut self.values, product::PIECE * self.capacity, |_, rows| {
            for row in rows.chunks_exact_mut(self.capacity) {
                row.copy_within(pending..pending + width, n_kept);
            }
        });
        self.n_columns = n_kept + width;
    }

    /// Orthonormalises a block against the basis and itself, and appends it.
    ///
    /// Directions of the block that lie in the basis already are replaced by random ones.
    pub(crate) fn append(&mut self, block: &mut [f64], width: usize, random: &mut Random) -> Appended {
        let length = lengths(&gram(block, width), width).into_iter().fold(0.0, f64::max);
        let mut coefficients = self.take_out(block, width);
        // The first pass leaves rounding errors as great as the block was: a second one removes those as well.
        let again = self.take_out(block, width);
        coefficients.iter_mut().zip(again).for_each(|(sum, part)| *sum += part);
        let first = gram(block, width);
        let factor = self.orthonormalise(block, &first, length * NOISE, random);
        let coupling =
            product::transposed_product(View::new(&factor, width, width), View::new(&first, width, width));
        for (row, new) in self.values.chunks_exact_mut(self.capacity).zip(block.chunks_exact(width)) {
            row[self.n_columns..self.n_columns + width].copy_from_slice(new);
        }
        self.n_columns += width;
        Appended { coefficients, coupling }
    }

    /// Makes a block orthonormal that has nothing in common with the basis, and returns the factor that did it.
    fn orthonormalise(&self, block: &mut [f64], first: &[f64], noise: f64, random: &mut Random) -> Vec<f64> {
        let width = (first.len() as f64).sqrt() as usize;
        let mut factor = rescale(block, first, noise, random);
        for _ in 0..MAX_PASSES {
            self.take_out(block, width);
            let gram = gram(block, width);
            let next = rescale(block, &gram, NOISE, random);
            product::transform_rows(&mut factor, width, &next, width);
            if nearly_orthonormal(&gram, width) {
                break;
            }
        }
        factor
    }

    /// Takes the known eigenvectors and the basis out of a block; returns its coefficients on the basis.
    fn take_out(&self, block: &mut [f64], width: usize) -> Vec<f64> {
        if !self.known.values.is_empty() {
            let known = View::leading(self.known.vectors, self.known.values.len(), self.known.values.len());
            let coefficients = product::transposed_product(known, View::leading(block, width, width));
            product::subtract_product(block, known, &coefficients, width);
        }
        let basis = self.leading(self.n_columns);
        let coefficients = product::transposed_product(basis, View::leading(block, width, width));
        product::subtract_product(block, basis, &coefficients, width);
        coefficients
    }
}

/// Makes a block orthonormal, given its inner products, up to the rounding errors of those; returns the factor.
///
/// With $D$ the diagonal of the inner products $G$ and $U \Lambda U^T = D^{-1/2} G D^{-1/2}$ the block is multiplied by
/// $D^{-1/2} U \Lambda^{-1/2}$. Columns shorter than `noise`, and directions the columns do not span, are replaced by
/// random ones.
fn rescale(block: &mut [f64], gram: &[f64], noise: f64, random: &mut Random) -> Vec<f64> {
    let width = (gram.len() as f64).sqrt() as usize;
    let inverse: Vec<f64> = lengths(gram, width)
        .into_iter()
        .map(|length| if length > noise { 1.0 / length } else { 0.0 })
        .collect();
    let scaled: Vec<f64> =
        (0..width * width).map(|e| gram[e] * inverse[e / width] * inverse[e % width]).collect();
    let found = Decomposition::of(&scaled, width);
    let spanned = |j: usize| found.values[j] > found.values[0].max(1.0) * NOISE;
    let factor: Vec<f64> = (0..width * width)
        .map(|e| (e / width, e % width))
        .map(|(i, j)| if spanned(j) { inverse[i] * found.entry(i, j) / found.values[j].sqrt() } else { 0.0 })
        .collect();
    product::transform_rows(block, width, &factor, width);
    for j in (0..width).filter(|&j| !spanned(j)) {
        fill_with_chance(block, j, width, random);
    }
    factor
}

/// The inner products of a block's columns, row-major.
fn gram(block: &[f64], width: usize) -> Vec<f64> {
    let view = View::leading(block, width, width);
    product::transposed_product(view, view)
}

/// The lengths of columns, given their inner products.
fn lengths(gram: &[f64], width: usize) -> Vec<f64> {
    (0..width).map(|j| gram[j * (width + 1)].sqrt()).collect()
}

/// Whether inner products are those of orthonormal columns, nearly.
fn nearly_orthonormal(gram: &[f64], width: usize) -> bool {
    let unit = |entry: usize| f64::from(u8::from(entry.is_multiple_of(width + 1)));
    gram.iter().enumerate().all(|(entry, product)| (product - unit(entry)).abs() < NEARLY_ORTHONORMAL)
}

/// Fills column `j` with random numbers, of length about 1.
fn fill_with_chance(block: &mut [f64], j: usize, width: usize, random: &mut Random) {
    let scale = (3.0 / (block.len() / width) as f64).sqrt();
    block.iter_mut().skip(j).step_by(width).for_each(|entry| *entry = random.random_range(-scale..scale));
}

/// Fills a block with random numbers.
pub(crate) fn fill_all_with_chance(block: &mut [f64], random: &mut Random) {
    for entry in block {
        *entry = random.random_range(-1.0..1.0);
    }
}
