//! Chebyshev filters: polynomials of a matrix that raise its greatest eigenvalues above the rest.

use crate::numeric::linalg::operator::SymmetricOperator;
use crate::numeric::linalg::product::PIECE;
use crate::run::observer::Observer;
use crate::run::parallel;

/// Amplification of the smallest wanted eigenvalue over the unwanted ones by one filter. Not tuned.
const AMPLIFICATION: f64 = 1e3;

/// Maximum ratio of the largest to the smallest wanted eigenvalue after one filter; it costs as many digits. Not tuned.
const DYNAMIC_RANGE: f64 = 1e4;

/// What is known of a spectrum while its greatest eigenpairs are sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spectrum {
    /// Below all eigenvalues, as far as is known.
    pub(crate) least: f64,
    /// Above the unwanted eigenvalues, but not above any wanted one.
    pub(crate) cut: f64,
    /// The least wanted eigenvalue.
    pub(crate) wanted: f64,
    /// The greatest eigenvalue.
    pub(crate) greatest: f64,
}

/// The polynomial
///
/// $$ p(\lambda) = T_m(x(\lambda)) / T_m(x(\lambda_1)), \qquad x(\lambda) = (\lambda - c) / e, $$
///
/// where $T_m$ is Chebyshev's, small on $[c - e, c + e]$ and growing fastest above it.
///
/// The degree $m$ is odd, so that an eigenvalue below $c - e$ becomes very negative instead of great.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    degree: usize,
    centre: f64,
    half_width: f64,
    greatest: f64,
}

/// Three blocks of one size: what goes in, what comes out, and one to spare.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) block: Vec<f64>,
    pub(crate) image: Vec<f64>,
    spare: Vec<f64>,
}

impl Work {
    pub(crate) fn new(length: usize) -> Self {
        Self { block: vec![0.0; length], image: vec![0.0; length], spare: vec![0.0; length] }
    }
}

impl Filter {
    /// The polynomial $p(\lambda) = \lambda$.
    pub(crate) fn identity() -> Self {
        Self { degree: 1, centre: 0.0, half_width: 1.0, greatest: 1.0 }
    }

    /// The filter for a spectrum, or the identity where the spectrum is too narrow for one.
    pub(crate) fn new(spectrum: Spectrum, max_degree: usize) -> Self {
        let half_width = (spectrum.cut - spectrum.least) / 2.0;
        let centre = f64::midpoint(spectrum.cut, spectrum.least);
        let enough = f64::EPSILON * 64.0 * spectrum.greatest.abs().max(spectrum.least.abs());
        if !(half_width.is_finite() && half_width > enough) {
            return Self::identity();
        }
        let filter = Self { degree: 1, centre, half_width, greatest: spectrum.greatest };
        let slow = filter.growth(spectrum.wanted);
        let fast = filter.growth(spectrum.greatest);
        let degree = (AMPLIFICATION.ln() / slow).min(DYNAMIC_RANGE.ln() / (fast - slow));
        Self { degree: (degree as usize).clamp(1, max_degree).saturating_sub(1) / 2 * 2 + 1, ..filter }
    }

    /// The number of products one application takes.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// How fast $|T_m|$ grows with $m$ at an eigenvalue: $\operatorname{arcosh} |x(\lambda)|$, or 0.
    fn growth(&self, value: f64) -> f64 {
        ((value - self.centre) / self.half_width).abs().max(1.0).acosh()
    }

    /// How much faster the least wanted eigenvalue grows with the degree than any unwanted one.
    pub(crate) fn separation(&self, spectrum: Spectrum) -> f64 {
        self.growth(spectrum.wanted) - self.growth(spectrum.cut).max(self.growth(spectrum.least))
    }

    /// The number $T_m(x(\lambda_1))$ the polynomial is divided by: what it reaches in its flat part is 1 over this.
    fn divisor(&self) -> f64 {
        (self.degree as f64 * self.growth(self.greatest)).cosh()
    }

    /// The eigenvalue $\lambda$ outside of the flat part with $p(\lambda)$ = `height`, or the nearer end of it.
    pub(crate) fn preimage(&self, height: f64) -> f64 {
        let unscaled = (height * self.divisor()).abs().max(1.0);
        self.centre + height.signum() * self.half_width * (unscaled.acosh() / self.degree as f64).cosh()
    }

    /// Whether a value of $p$ is that of an eigenvalue below the flat part.
    pub(crate) fn is_below(&self, height: f64) -> bool {
        self.degree > 1 && height * self.divisor() < -1.0 - 1e-6
    }

    /// What a residual of the matrix would be after one more application, given the residual of the filter.
    ///
    /// The error lies at the end of the flat part, if not below: the slope of $p$ from there to the eigenvalue turns the
    /// residual into one of the matrix, and one more application divides it by $T_m(x(\lambda))$.
    pub(crate) fn residual(&self, residual: f64, value: f64) -> f64 {
        let cut = self.centre + self.half_width;
        if self.degree == 1 || value <= cut {
            return residual * (self.greatest - self.centre);
        }
        let height = (self.degree as f64 * self.growth(value)).cosh();
        residual * self.divisor() / (height - 1.0) * (value - cut) / height
    }

    /// Writes `work.image` $= p(A)$ `work.block`, which it destroys; returns the number of products done.
    ///
    /// An observer that cancels leaves the image unfinished.
    pub(crate) fn apply<O: SymmetricOperator + ?Sized>(
        &self,
        operator: &O,
        width: usize,
        work: &mut Work,
        observer: &dyn Observer,
    ) -> usize {
        let first = self.half_width / (self.greatest - self.centre);
        operator.apply(&work.block, width, &mut work.image);
        shift_and_scale(&mut work.image, &work.block, self.centre, first / self.half_width);
        let mut ratio = first;
        for done in 1..self.degree {
            if observer.cancelled() {
                return done;
            }
            let next = 1.0 / (2.0 / first - ratio);
            operator.apply(&work.image, width, &mut work.spare);
            let step = Step { shift: self.centre, scale: 2.0 * next / self.half_width, back: ratio * next };
            step.take(&mut work.block, &work.image, &work.spare);
            std::mem::swap(&mut work.block, &mut work.image);
            ratio = next;
        }
        self.degree
    }
}

/// Replaces `image` by `scale * (image - shift * block)`.
fn shift_and_scale(image: &mut [f64], block: &[f64], shift: f64, scale: f64) {
    if shift == 0.0 && scale == 1.0 {
        return;
    }
    parallel::for_each_piece(image, PIECE, |piece, image| {
        for (image, entry) in image.iter_mut().zip(&block[piece * PIECE..]) {
            *image = scale * (*image - shift * entry);
        }
    });
}

/// One step of the three-term recurrence of the Chebyshev polynomials.
struct Step {
    shift: f64,
    scale: f64,
    back: f64,
}

impl Step {
    /// Replaces `before` by `scale * (product - shift * now) - back * before`.
    fn take(&self, before: &mut [f64], now: &[f64], product: &[f64]) {
        parallel::for_each_piece(before, PIECE * 8, |piece, before| {
            let from = piece * PIECE * 8;
            for ((before, now), product) in before.iter_mut().zip(&now[from..]).zip(&product[from..]) {
                *before = self.scale * (product - self.shift * now) - self.back * *before;
            }
        });
    }
}
