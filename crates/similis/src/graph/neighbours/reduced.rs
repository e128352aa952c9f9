//! Reduced distances: what orders pairs as a metric does and costs less.

use crate::graph::neighbours::kd_tree::LEAF;
use crate::input::metric::Metric;

/// What is added up over the coordinates.
///
/// Sums run over the dimensions in their order, lane by lane, so that every processor gets the same bits as the metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reduced {
    /// Squared differences.
    Squares,
    /// Squared differences of points on the sphere: rounded, so that near ties are decided by the metric.
    Chords,
    /// Absolute differences.
    Absolutes,
    /// The greatest difference.
    Greatest,
    /// Powers of differences.
    Powers(f64),
}

impl Reduced {
    /// Returns what a metric is reduced to, if it grows with the difference of each coordinate.
    pub(crate) fn of(metric: Metric) -> Option<Self> {
        match metric {
            Metric::Euclidean | Metric::SquaredEuclidean | Metric::Cosine | Metric::Correlation => {
                Some(Self::Squares)
            }
            Metric::Haversine => Some(Self::Chords),
            Metric::Manhattan => Some(Self::Absolutes),
            Metric::Chebyshev => Some(Self::Greatest),
            Metric::Minkowski { p } => Some(Self::Powers(p)),
            Metric::Hamming | Metric::Jaccard => None,
        }
    }

    /// Whether pairs with the same reduced distance have the same distance.
    pub(crate) fn is_exact(self) -> bool {
        !matches!(self, Self::Chords | Self::Powers(_))
    }

    /// The least reduced distance that is surely greater than `key` in the metric too: between them lengths may be equal,
    /// or in the other order.
    #[inline(always)]
    pub(crate) fn above(self, key: f64) -> f64 {
        match self {
            Self::Squares => key * (1.0 + 8.0 * f64::EPSILON),
            Self::Absolutes | Self::Greatest => key,
            // Chords of points whose coordinates are rounded.
            Self::Chords => key + 16.0 * f64::EPSILON * (key.sqrt() + f64::EPSILON),
            // Powers underflow where the metric does not.
            Self::Powers(_) => key * (1.0 + 1e-9) + f64::MIN_POSITIVE,
        }
    }
}

/// The coordinates of a leaf's points along one dimension.
pub(crate) type Lanes = [f64; LEAF];

#[inline(always)]
fn by_kind(reduced: Reduced, from: impl Fn(usize) -> f64, block: &[Lanes]) -> Lanes {
    match reduced {
        Reduced::Squares | Reduced::Chords => each_lane(
            from,
            block,
            #[inline(always)]
            |sum, x| sum + x * x,
        ),
        Reduced::Absolutes => each_lane(from, block, |sum, x| sum + x.abs()),
        Reduced::Greatest => each_lane(from, block, |most, x| greater(most, x.abs())),
        Reduced::Powers(p) => each_lane(from, block, |sum, x| sum + x.abs().powf(p)),
    }
}

/// The reduced distances from a row of coordinates to every point of a block.
#[inline(always)]
pub(crate) fn from_row(reduced: Reduced, row: &[f64], block: &[Lanes]) -> Lanes {
    by_kind(
        reduced,
        #[inline(always)]
        |k| row[k],
        block,
    )
}

/// The reduced distances from the point in `lane` of one block to every point of another.
#[inline(always)]
pub(crate) fn to_block(reduced: Reduced, from: &[Lanes], lane: usize, block: &[Lanes]) -> Lanes {
    by_kind(
        reduced,
        #[inline(always)]
        |k| from[k][lane],
        block,
    )
}

/// Number of lanes that are summed together: what a vector unit holds; with more the compiler emits shuffles.
const TOGETHER: usize = 4;

#[inline(always)]
fn each_lane(from: impl Fn(usize) -> f64, block: &[Lanes], add: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut all = [0.0; LEAF];
    for start in (0..LEAF).step_by(2 * TOGETHER) {
        let (mut low, mut high) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for (k, others) in block.iter().enumerate() {
            let x = from(k);
            for lane in 0..TOGETHER {
                low[lane] = add(low[lane], x - others[start + lane]);
            }
            for lane in 0..TOGETHER {
                high[lane] = add(high[lane], x - others[start + TOGETHER + lane]);
            }
        }
        all[start..start + TOGETHER].copy_from_slice(&low);
        all[start + TOGETHER..start + 2 * TOGETHER].copy_from_slice(&high);
    }
    all
}

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// What no reduced distance from each point of a block to a box is below.
#[inline(always)]
pub(crate) fn bounds_to_box(reduced: Reduced, block: &[Lanes], corners: (&[f64], &[f64])) -> Lanes {
    match reduced {
        Reduced::Squares | Reduced::Chords => gaps(
            block,
            corners,
            #[inline(always)]
            |sum, gap| sum + gap * gap,
        ),
        Reduced::Absolutes => gaps(block, corners, |sum, gap| sum + gap),
        Reduced::Greatest => gaps(block, corners, greater),
        Reduced::Powers(p) => gaps(block, corners, |sum, gap| sum + gap.powf(p)),
    }
}

#[inline(always)]
fn gaps(block: &[Lanes], (low, high): (&[f64], &[f64]), add: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut sums = [0.0; LEAF];
    for k in 0..block.len().min(low.len()).min(high.len()) {
        let (low, high, coordinates) = (low[k], high[k], &block[k]);
        for lane in 0..LEAF {
            let x = coordinates[lane];
            sums[lane] = add(sums[lane], greater(0.0, greater(low - x, x - high)));
        }
    }
    sums
}

/// What no reduced distance between points of two boxes is below.
#[inline]
pub(crate) fn box_to_box(reduced: Reduced, a: (&[f64], &[f64]), b: (&[f64], &[f64])) -> f64 {
    match reduced {
        Reduced::Squares | Reduced::Chords => box_gaps(a, b, |sum, gap| sum + gap * gap),
        Reduced::Absolutes => box_gaps(a, b, |sum, gap| sum + gap),
        Reduced::Greatest => box_gaps(a, b, greater),
        Reduced::Powers(p) => box_gaps(a, b, |sum, gap| sum + gap.powf(p)),
    }
}

#[inline(always)]
fn box_gaps(a: (&[f64], &[f64]), b: (&[f64], &[f64]), add: impl Fn(f64, f64) -> f64) -> f64 {
    let d = a.0.len();
    let (a_low, a_high, b_low, b_high) = (&a.0[..d], &a.1[..d], &b.0[..d], &b.1[..d]);
    let mut sum = 0.0;
    for k in 0..d {
        sum = add(sum, greater(0.0, greater(b_low[k] - a_high[k], a_low[k] - b_high[k])));
    }
    sum
}
