//! Block Krylov search for the greatest eigenpairs, on Chebyshev filters of the matrix.
//!
//! One cycle: the basis grows block by block, each block the filtered image of the one before, made orthonormal to all
//! before it; the filter's projection on the basis gives Ritz vectors; those are refined and judged with the matrix
//! itself. Then the basis is compressed to its best Ritz vectors and the pending block (a thick restart), or, where the
//! spectrum is known better by now, replaced by a new one from the best vectors with a better filter.

use crate::numeric::linalg::basis::Basis;
use crate::numeric::linalg::chebyshev::{Filter, Spectrum, Work};
use crate::numeric::linalg::decomposition::Decomposition;
use crate::numeric::linalg::operator::SymmetricOperator;
use crate::numeric::linalg::product::View;
use crate::numeric::linalg::projection::Projection;
use crate::numeric::linalg::top_eigenpairs::{Found, KnownEigenvectors, TopEigenpairs};
use crate::numeric::linalg::{basis, decomposition, product};
use crate::run::observer::{Observer, Progress};
use crate::run::random;
use crate::run::random::Random;
use crate::run::termination::Termination;

/// Maximum number of blocks of a basis. Not tuned.
const BASIS_BLOCKS: usize = 5;

/// Number of blocks of Ritz vectors kept at a thick restart, besides the pending block. Not tuned.
const KEPT_BLOCKS: usize = 2;

/// Number of blocks multiplied by the matrix itself before the first filter is chosen. Not tuned.
const UNFILTERED_BLOCKS: usize = 3;

/// A new filter, which costs a new basis, is used if it separates the wanted eigenvalues faster by this factor. Not tuned.
const WORTH_A_NEW_BASIS: f64 = 1.5;

/// Degree of the first filter; it doubles with each new filter, as the estimate of the spectrum improves. Not tuned.
const FIRST_DEGREE: usize = 9;

/// Maximum degree of a filter. Not tuned.
const MAX_DEGREE: usize = 61;

/// Smallest log amplification of the wanted eigenvalues for which a filter is used. Not tuned.
const USEFUL_GROWTH: f64 = 3.0;

/// Where the basis promises an error below the tolerance and the last cycle left more than this part of it, restarts have gathered
/// rounding errors in the basis. Not tuned.
const STALLED: f64 = 0.5;

/// Assumed distance from the smallest Ritz value to the end of the spectrum, as a fraction of its width. Not tuned.
const MARGIN: f64 = 0.05;

/// The width of the block when `n_sought` eigenpairs are sought: a few more, so that the last converge as well.
fn block_width(n_sought: usize) -> usize {
    (n_sought + (n_sought / 4).max(4)).next_multiple_of(4)
}

/// The most columns a search for `n_sought` eigenpairs keeps.
pub(crate) fn capacity(n_sought: usize) -> usize {
    block_width(n_sought) * BASIS_BLOCKS
}

/// The state of a search.
#[derive(Debug)]
pub(crate) struct Krylov<'a, O: ?Sized> {
    operator: &'a O,
    n_sought: usize,
    width: usize,
    basis: Basis<'a>,
    projection: Projection,
    filter: Filter,
    max_degree: usize,
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
    /// The residuals of the first `n_sought` pairs together, relative to the greatest eigenvalue.
    fn error(&self, n_sought: usize) -> f64 {
        let greatest = self.values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        let of_sought = &self.residuals[..n_sought];
        if of_sought.iter().all(|&residual| residual == 0.0) {
            return 0.0;
        }
        // A sum of squares, unlike a maximum, keeps NaN.
        length(of_sought) / greatest
    }
}

impl<'a, O: SymmetricOperator + ?Sized> Krylov<'a, O> {
    /// A search from a random block.
    pub(crate) fn new(operator: &'a O, known: KnownEigenvectors<'a>, n_sought: usize, seed: u64) -> Self {
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
            projection: Projection::new(width, capacity),
            filter: Filter::identity(),
            max_degree: FIRST_DEGREE,
            least: f64::NAN,
            work,
            random,
            n_products: 0,
        }
    }

    /// Runs until the pairs are found, the products are used up or the observer cancels.
    pub(crate) fn run(mut self, settings: &TopEigenpairs, observer: &dyn Observer) -> Found {
        for _ in 0..UNFILTERED_BLOCKS {
            self.expand(observer);
        }
        let (mut first_error, mut last_error, mut promised) = (f64::NAN, f64::INFINITY, false);
        loop {
            let ritz = self.refine();
            let error = ritz.error(self.n_sought);
            first_error = error.max(first_error);
            report(observer, (first_error / error).ln() / (first_error / settings.tolerance).ln());
            if let Some(ended) = self.ended(error, settings, observer) {
                return self.found(&ritz, ended);
            }
            self.prepare(&ritz, promised && error > STALLED * last_error);
            promised = self.grow(&ritz, settings, observer);
            last_error = error;
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

    /// Makes room in the basis, with a better filter if there is one; where the search has stalled, begins a new basis.
    fn prepare(&mut self, ritz: &Ritz, stalled: bool) {
        let first = self.least.is_nan();
        if first {
            self.least = self.least_eigenvalue();
        }
        if first || self.is_outdated(&ritz.values) {
            self.filter = Filter::new(self.spectrum(&ritz.values), self.max_degree);
            self.max_degree = (2 * self.max_degree).min(MAX_DEGREE);
            self.begin_again();
        } else if stalled {
            self.begin_again();
        } else if !self.basis.has_room(self.width) {
            self.restart();
        }
    }

    /// What the refined or estimated eigenvalues tell of the spectrum.
    ///
    /// The cut is the last value of the block, but where there are more near copies of the wanted eigenvalue than the
    /// block is wide, it lies as far below as the degree can tell apart: $T_m$ grows by $2 m \sqrt{\text{gap}}$.
    fn spectrum(&self, values: &[f64]) -> Spectrum {
        let (least, wanted) = (self.least, values[self.n_sought - 1]);
        let gap = (USEFUL_GROWTH / (2.0 * self.max_degree as f64)).powi(2) * (wanted - least);
        Spectrum { least, cut: values[self.width - 1].min(wanted - gap), wanted, greatest: values[0] }
    }

    /// Whether another filter would separate these eigenvalues so much faster that a new basis pays.
    fn is_outdated(&self, values: &[f64]) -> bool {
        let spectrum = self.spectrum(values);
        let better = Filter::new(spectrum, self.max_degree);
        better.separation(spectrum) > WORTH_A_NEW_BASIS * self.filter.separation(spectrum)
    }

    /// An estimate below the least eigenvalue, from a projection of the matrix itself.
    fn least_eigenvalue(&self) -> f64 {
        let found = self.projection.decomposed();
        let last = self.projection.n_expanded() - 1;
        let leaving = length(&self.projection.leaving(&found, last));
        found.values[last] - leaving - MARGIN * (found.values[0] - found.values[last])
    }

    /// Adds blocks until the basis is full or its residuals look small enough; whether they do.
    fn grow(&mut self, ritz: &Ritz, settings: &TopEigenpairs, observer: &dyn Observer) -> bool {
        let greatest = ritz.values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        while self.basis.has_room(self.width) && !observer.cancelled() {
            self.expand(observer);
            if observer.cancelled() {
                break;
            }
            let found = self.projection.decomposed();
            self.lower_least(&found);
            let values: Vec<f64> = found.values.iter().map(|&value| self.filter.preimage(value)).collect();
            let precise = self.estimated_residual(&found, ritz) <= settings.tolerance * greatest;
            if precise || self.is_outdated(&values) {
                return precise;
            }
        }
        false
    }

    /// Lowers the estimate of the least eigenvalue where the filter has met one below it.
    fn lower_least(&mut self, found: &Decomposition) {
        let heights = &found.values;
        let lowest = heights[heights.len() - 1];
        if self.filter.is_below(lowest) {
            let (greatest, least) = (self.filter.preimage(heights[0]), self.filter.preimage(lowest));
            self.least = self.least.min(least - MARGIN * (greatest - least));
        }
    }

    /// Adds the filtered image of the pending block to the basis.
    fn expand(&mut self, observer: &dyn Observer) {
        let (width, first) = (self.width, self.projection.n_expanded());
        self.basis.copy_to(first, width, &mut self.work.block);
        let done = self.filter.apply(self.operator, width, &mut self.work, observer);
        self.n_products += done * width;
        if done < self.filter.degree() {
            return;
        }
        let added = self.basis.append(&mut self.work.image, width, &mut self.random);
        self.projection.expand(&added.coefficients, added.coupling);
    }

    /// The greatest residual the refined vectors would have, judged by the filter's.
    fn estimated_residual(&self, found: &Decomposition, ritz: &Ritz) -> f64 {
        (0..self.n_sought)
            .map(|column| {
                self.filter.residual(length(&self.projection.leaving(found, column)), ritz.values[column])
            })
            .fold(0.0, f64::max)
    }

    /// Refines the best vectors of the basis by the matrix itself (Rayleigh and Ritz) and judges them.
    fn refine(&mut self) -> Ritz {
        let width = self.width;
        if self.projection.n_expanded() == 0 {
            self.basis.copy_to(0, width, &mut self.work.block);
        } else {
            let all = self.basis.leading(self.basis.n_columns());
            product::tall_product(all, &self.projection.best_images(), width, &mut self.work.block);
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

    /// Begins a new basis with the refined vectors.
    fn begin_again(&mut self) {
        self.basis.clear();
        self.projection.reset(&[]);
        let _ = self.basis.append(&mut self.work.block, self.width, &mut self.random);
    }

    /// Compresses the basis to its best Ritz vectors and the pending block.
    fn restart(&mut self) {
        let n_kept = KEPT_BLOCKS * self.width;
        let found = self.projection.decomposed();
        self.basis.compress(&found.leading(n_kept), n_kept, self.width);
        self.projection.reset(&found.values[..n_kept]);
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

/// The Euclidean length of a vector.
fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// Tells the observer how far the search is.
fn report(observer: &dyn Observer, fraction: f64) {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    observer.progress(Progress { phase: "eigenvectors", fraction, log_joint: None });
}
