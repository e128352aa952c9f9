//! Block Krylov search for the greatest eigenpairs, on Chebyshev filters of the matrix.
//!
//! One cycle: the basis grows block by block, each block the filtered image of the one before, made orthonormal to all
//! before it; the filter's projection on the basis gives Ritz vectors; those are refined and judged with the matrix
//! itself. Then the basis is compressed to its best Ritz vectors and the pending block (a thick restart), or, where the
//! spectrum is known better by now, begun anew from the best vectors with a better filter.

use super::basis::{self, Basis};
use super::chebyshev::{Filter, Spectrum, Work};
use super::decomposition::{self, Decomposition};
use super::operator::SymmetricOperator;
use super::product::{self, View};
use super::top_eigenpairs::{Found, KnownEigenvectors, TopEigenpairs};
use crate::observer::{Observer, Progress};
use crate::random::{self, Random};
use crate::termination::Termination;

/// Blocks a basis holds.
const BASIS_BLOCKS: usize = 5;

/// Blocks of Ritz vectors that survive a thick restart, beside the pending block.
const KEPT_BLOCKS: usize = 2;

/// Blocks multiplied by the matrix itself before the first filter is chosen.
const UNFILTERED_BLOCKS: usize = 3;

/// A new filter is worth a new basis when it separates the wanted eigenvalues this much faster.
const WORTH_A_NEW_BASIS: f64 = 1.5;

/// How far below the least Ritz value the spectrum is taken to reach, as a part of its width.
const MARGIN: f64 = 0.1;

/// The width of the block when `n_sought` eigenpairs are sought: a few more, so that the last converge as well.
fn block_width(n_sought: usize) -> usize {
    (n_sought + (n_sought / 4).max(4)).next_multiple_of(4)
}

/// The most columns a search for `n_sought` eigenpairs keeps.
pub(super) fn capacity(n_sought: usize) -> usize {
    block_width(n_sought) * BASIS_BLOCKS
}

/// The state of a search.
#[derive(Debug)]
pub(super) struct Krylov<'a, O: ?Sized> {
    operator: &'a O,
    n_sought: usize,
    width: usize,
    basis: Basis<'a>,
    /// The columns of the basis whose filtered image is known: all but the pending block.
    n_expanded: usize,
    /// $V^T p(A) V$ for those columns $V$, in rows of `capacity` numbers.
    projected: Vec<f64>,
    /// The inner products of what the last image added to the basis.
    coupling: Vec<f64>,
    filter: Filter,
    /// Below all eigenvalues, as far as is known.
    least: f64,
    work: Work,
    random: Random,
    n_products: usize,
}

/// Refined eigenpairs; their vectors are in the block of the work space.
#[derive(Debug)]
struct Ritz {
    values: Vec<f64>,
    residuals: Vec<f64>,
}

impl Ritz {
    /// The greatest residual of the first `n_sought` pairs, relative to the greatest eigenvalue.
    fn error(&self, n_sought: usize) -> f64 {
        let greatest = self.values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        let residual =
            self.residuals[..n_sought].iter().fold(0.0_f64, |worst, &residual| worst.max(residual));
        if residual == 0.0 { 0.0 } else { residual / greatest }
    }
}

impl<'a, O: SymmetricOperator + ?Sized> Krylov<'a, O> {
    /// A search from a random block.
    pub(super) fn new(operator: &'a O, known: KnownEigenvectors<'a>, n_sought: usize, seed: u64) -> Self {
        let width = block_width(n_sought);
        let capacity = capacity(n_sought);
        let mut work = Work::new(operator.n_points() * width);
        let mut random = random::stream(seed, 0);
        basis::fill_all_with_chance(&mut work.block, &mut random);
        let mut basis = Basis::new(known, operator.n_points(), capacity);
        let _ = basis.append(&mut work.block, width, &mut random);
        Self {
            operator,
            n_sought,
            width,
            basis,
            n_expanded: 0,
            projected: vec![0.0; capacity * capacity],
            coupling: Vec::new(),
            filter: Filter::identity(),
            least: f64::NAN,
            work,
            random,
            n_products: 0,
        }
    }

    /// Runs until the pairs are found, the products are used up or the observer cancels.
    pub(super) fn run(mut self, settings: &TopEigenpairs, observer: &dyn Observer) -> Found {
        for _ in 0..UNFILTERED_BLOCKS {
            self.expand(observer);
        }
        let mut first_error = f64::NAN;
        loop {
            let ritz = self.refine();
            let error = ritz.error(self.n_sought);
            eprintln!(
                "check error {error:.2e} products {} filter {:?} expanded {} wanted {:.5} cut {:.5} top {:.5}",
                self.n_products,
                self.filter,
                self.n_expanded,
                ritz.values[self.n_sought - 1],
                ritz.values[self.width - 1],
                ritz.values[0]
            );
            first_error = error.max(first_error);
            report(observer, (first_error / error).ln() / (first_error / settings.tolerance).ln());
            if let Some(ended) = self.ended(error, settings, observer) {
                return self.found(&ritz, ended);
            }
            self.prepare(&ritz);
            self.grow(&ritz, settings, observer);
        }
    }

    /// Why the search ends here, if it does.
    fn ended(&self, error: f64, settings: &TopEigenpairs, observer: &dyn Observer) -> Option<Termination> {
        if error <= settings.tolerance {
            Some(Termination::Converged)
        } else if observer.cancelled() {
            Some(Termination::Cancelled)
        } else if error.is_nan() || self.n_products >= settings.max_products {
            Some(Termination::IterationLimit)
        } else {
            None
        }
    }

    /// Makes room in the basis, with a better filter if there is one.
    fn prepare(&mut self, ritz: &Ritz) {
        let first = self.least.is_nan();
        if first {
            self.least = self.least_eigenvalue();
        }
        if first || self.better_filter(&ritz.values).is_some() {
            self.filter = Filter::new(self.spectrum(&ritz.values));
            self.begin_anew();
        } else if !self.basis.has_room(self.width) {
            self.restart();
        }
    }

    /// What the refined or estimated eigenvalues tell of the spectrum.
    fn spectrum(&self, values: &[f64]) -> Spectrum {
        let (wanted, cut) = (values[self.n_sought - 1], values[self.width - 1]);
        Spectrum { least: self.least, cut, wanted, greatest: values[0] }
    }

    /// The filter for these eigenvalues, if it separates them so much faster that a new basis pays.
    fn better_filter(&self, values: &[f64]) -> Option<Filter> {
        let spectrum = self.spectrum(values);
        let filter = Filter::new(spectrum);
        (filter.separation(spectrum) > WORTH_A_NEW_BASIS * self.filter.separation(spectrum)).then_some(filter)
    }

    /// An estimate below the least eigenvalue, from a projection of the matrix itself.
    fn least_eigenvalue(&self) -> f64 {
        let values = self.decomposed().values;
        let (greatest, least) = (values[0], values[values.len() - 1]);
        least - MARGIN * (greatest - least)
    }

    /// Adds blocks until the basis is full or its residuals look small enough.
    fn grow(&mut self, ritz: &Ritz, settings: &TopEigenpairs, observer: &dyn Observer) {
        let greatest = ritz.values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        while self.basis.has_room(self.width) && !observer.cancelled() {
            self.expand(observer);
            let found = self.decomposed();
            let values: Vec<f64> = found.values.iter().map(|&value| self.filter.preimage(value)).collect();
            let precise = self.estimated_residual(&found, ritz) <= settings.tolerance * greatest;
            if precise || self.better_filter(&values).is_some() {
                break;
            }
        }
    }

    /// Adds the filtered image of the pending block to the basis.
    fn expand(&mut self, observer: &dyn Observer) {
        let (width, first) = (self.width, self.n_expanded);
        self.basis.copy_to(first, width, &mut self.work.block);
        let t = std::time::Instant::now();
        let done = self.filter.apply(self.operator, width, &mut self.work, observer);
        eprintln!("  filter {:.4}", t.elapsed().as_secs_f64());
        let t = std::time::Instant::now();
        self.n_products += done * width;
        if done < self.filter.degree() {
            return;
        }
        let added = self.basis.append(&mut self.work.image, width, &mut self.random);
        eprintln!("  append {:.4}", t.elapsed().as_secs_f64());
        let capacity = capacity(self.n_sought);
        for (i, row) in added.coefficients.chunks_exact(width).enumerate() {
            for (j, &coefficient) in row.iter().enumerate() {
                self.projected[i * capacity + first + j] = coefficient;
                self.projected[(first + j) * capacity + i] = coefficient;
            }
        }
        self.coupling = added.gram;
        self.n_expanded += width;
    }

    /// Decomposes the filter's projection on the basis.
    fn decomposed(&self) -> Decomposition {
        let n = self.n_expanded;
        let rows = self.projected.chunks_exact(capacity(self.n_sought)).take(n);
        Decomposition::of(&rows.flat_map(|row| &row[..n]).copied().collect::<Vec<_>>(), n)
    }

    /// The greatest residual the matrix would have, judged by the filter's.
    ///
    /// The image of Ritz vector $V s$ leaves the basis by $\sqrt{s_b^T G s_b}$, where $s_b$ are its coefficients on the
    /// block expanded last and $G$ is the coupling; division by the slope of the filter makes it a residual of $A$.
    fn estimated_residual(&self, found: &Decomposition, ritz: &Ritz) -> f64 {
        let first = self.n_expanded.saturating_sub(self.width);
        let leaving = |column: usize| -> f64 {
            let part = |i: usize| found.entry(first + i, column);
            let rows = self.coupling.chunks_exact(self.width).enumerate();
            rows.map(|(i, row)| part(i) * row.iter().enumerate().map(|(j, g)| g * part(j)).sum::<f64>()).sum()
        };
        (0..self.n_sought)
            .map(|column| leaving(column).max(0.0).sqrt() / self.filter.slope(ritz.values[column]))
            .fold(0.0, f64::max)
    }

    /// Refines the best vectors of the basis by the matrix itself (Rayleigh and Ritz) and judges them.
    fn refine(&mut self) -> Ritz {
        let (width, length) = (self.width, self.n_expanded);
        if length == 0 {
            self.basis.copy_to(0, width, &mut self.work.block);
        } else {
            let best = self.decomposed().leading(width);
            product::tall_product(self.basis.leading(length), &best, width, &mut self.work.block);
        }
        self.operator.apply(&self.work.block, width, &mut self.work.image);
        self.n_products += width;
        let block = View::leading(&self.work.block, width, width);
        let found = Decomposition::of(
            &product::transposed_product(block, View::leading(&self.work.image, width, width)),
            width,
        );
        let factor = found.leading(width);
        product::transform_rows(&mut self.work.block, width, &factor, width);
        product::transform_rows(&mut self.work.image, width, &factor, width);
        let residuals = decomposition::residual_norms(&self.work.image, &self.work.block, &found.values);
        Ritz { values: found.values, residuals }
    }

    /// Begins the basis anew with the refined vectors.
    fn begin_anew(&mut self) {
        self.basis.clear();
        self.n_expanded = 0;
        let _ = self.basis.append(&mut self.work.block, self.width, &mut self.random);
    }

    /// Compresses the basis to its best Ritz vectors and the pending block.
    fn restart(&mut self) {
        let n_kept = KEPT_BLOCKS * self.width;
        let found = self.decomposed();
        self.basis.compress(&found.leading(n_kept), n_kept, self.width);
        self.projected.fill(0.0);
        let capacity = capacity(self.n_sought);
        (0..n_kept).for_each(|i| self.projected[i * (capacity + 1)] = found.values[i]);
        self.n_expanded = n_kept;
    }

    /// The answer.
    fn found(self, ritz: &Ritz, ended: Termination) -> Found {
        let n_sought = self.n_sought;
        let rows = self.work.block.chunks_exact(self.width);
        Found {
            values: ritz.values[..n_sought].to_vec(),
            vectors: rows.flat_map(|row| &row[..n_sought]).copied().collect(),
            residuals: ritz.residuals[..n_sought].to_vec(),
            next_value: ritz.values[n_sought],
            n_products: self.n_products,
            ended,
        }
    }
}

/// Tells the observer how far the search is.
fn report(observer: &dyn Observer, fraction: f64) {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    observer.progress(Progress { phase: "eigenvectors", fraction, log_joint: None });
}
