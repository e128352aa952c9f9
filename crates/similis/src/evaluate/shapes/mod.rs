//! Points in the plane whose clusters people see at once, in the spirit of Figures 2, 4 and 5.
//!
//! Every shape is a few parts, one per class; each part says where its points lie and how many of all
//! points it gets. Most pair a dense part with a sparse cloud that runs through it, so that no one scale suits both.

pub(crate) mod outline;
pub(crate) mod source;
pub(crate) mod strings;

pub use strings::{StringSample, edit_distance, grow_strings};

use crate::error::SettingError;
use rand::seq::SliceRandom;

use crate::error::Error;
use crate::input::labels::Labels;
use crate::input::points::Points;
use crate::run::random::stream;
use crate::settings::Named;
use outline::{LETTER_A, arc, spiral};
use source::{Place, Source};

/// Smallest number of points for which every cluster of every shape has one.
pub const LEAST_POINTS: usize = 10;

/// A kind of point set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Two rings around one centre, equally dense (Figure 4 a-b: equal inner scales).
    TwoRings,
    /// Two half circles that reach into one another, equally dense.
    HalfMoons,
    /// A dense round blob in a sparse cloud.
    DenseBlob,
    /// A dense ring, a sparse cloud inside, on and around it.
    DenseRing,
    /// A dense straight line across a sparse cloud.
    DenseLine,
    /// Two dense lines that cross, one class together, in a sparse cloud.
    CrossingLines,
    /// A dense spiral, a sparse cloud between its turns.
    DenseSpiral,
    /// A dense letter A on a sparse cloud.
    DenseLetter,
    /// A small dense square that lies half across the side of a large sparse one.
    OverlappingSquares,
    /// Two spirals, one turned half way round into the gaps of the other, one dense and one sparse.
    UnlikeSpirals,
    /// Three classes: a very dense core, a square of middling density around it, a sparse cloud around both.
    NestedScales,
    /// One even rectangle in two classes, a sea below a sky, of which the sky has lost most of its points.
    ///
    /// Section 4: "problems where missing data occurs at different rates depending on the class".
    Thinned,
    /// Five equal round blobs, well apart.
    FiveBlobs,
}

impl Named for Shape {
    const SETTING: &'static str = "shape";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("two_rings", Self::TwoRings),
        ("half_moons", Self::HalfMoons),
        ("dense_blob", Self::DenseBlob),
        ("dense_ring", Self::DenseRing),
        ("dense_line", Self::DenseLine),
        ("crossing_lines", Self::CrossingLines),
        ("dense_spiral", Self::DenseSpiral),
        ("dense_letter", Self::DenseLetter),
        ("overlapping_squares", Self::OverlappingSquares),
        ("unlike_spirals", Self::UnlikeSpirals),
        ("nested_scales", Self::NestedScales),
        ("thinned", Self::Thinned),
        ("five_blobs", Self::FiveBlobs),
    ];
}

/// Points of a shape, with the class that each was drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSample {
    /// The points, in random order.
    pub points: Points<'static>,
    /// The class of each point.
    pub labels: Labels,
}

/// The points of one class.
#[derive(Clone, Debug)]
struct Part {
    source: Source,
    /// The class's part of all points, relative to the weights of the other classes.
    weight: f64,
}

/// A point and the class it was drawn from.
#[derive(Clone, Copy, Debug)]
struct Member {
    place: Place,
    class: usize,
}

/// Draws `n_points` points of a shape; every class has at least one.
///
/// The number of points in each class depends on `n_points` alone; where they lie, and their order, on `seed`.
///
/// [`Shape::Thinned`] is section 4's data that went missing at different rates for different classes.
///
/// ```
/// use similis::evaluate::shapes::{Shape, draw};
///
/// let sample = draw(Shape::DenseRing, 200, 0)?;
/// assert_eq!(sample.points.n_points(), 200);
/// assert_eq!(sample.labels.n_clusters(), 2);
/// # Ok::<(), similis::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Settings`] below [`LEAST_POINTS`], [`Error::Input`].
pub fn draw(shape: Shape, n_points: usize, seed: u64) -> Result<ShapeSample, Error> {
    if n_points < LEAST_POINTS {
        return Err(Error::Settings(SettingError::TooFewForShape { given: n_points, least: LEAST_POINTS }));
    }
    crate::input::points::check_n_points(n_points)?;
    let parts = shape.parts();
    // A stream for each shape: two shapes of one seed do not share their cloud.
    let mut random = stream(seed, shape as u64);
    let mut members = Vec::with_capacity(n_points);
    for (class, (part, n_members)) in parts.iter().zip(class_sizes(&parts, n_points)).enumerate() {
        let places = part.source.draw(n_members, &mut random);
        members.extend(places.into_iter().map(|place| Member { place, class }));
    }
    // Labels count up in order of first appearance: a fixed order of classes would give the labels away.
    members.shuffle(&mut random);
    let coordinates: Vec<f64> = members.iter().flat_map(|member| member.place).collect();
    let classes: Vec<usize> = members.iter().map(|member| member.class).collect();
    Ok(ShapeSample { points: Points::new(coordinates, n_points, 2)?, labels: Labels::new(&classes) })
}

/// Returns the number of points of each class: in proportion to the weights, `n_points` in total.
///
/// The border between two classes is rounded, not the size of each, so that the sizes add up.
fn class_sizes(parts: &[Part], n_points: usize) -> Vec<usize> {
    let total: f64 = parts.iter().map(|part| part.weight).sum();
    let mut weight_so_far = 0.0;
    let mut n_so_far = 0;
    let size = |part: &Part| {
        weight_so_far += part.weight;
        let border = (n_points as f64 * (weight_so_far / total)).round() as usize;
        let size = border - n_so_far;
        n_so_far = border;
        size
    };
    parts.iter().map(size).collect()
}

/// The middle of every picture.
const ORIGIN: Place = [0.0, 0.0];
/// The sides of the rectangle that a sparse cloud fills.
const CLOUD: [f64; 2] = [10.0, 8.0];
/// The standard deviation of points around a dense outline: about their distance along it when there are 400.
const FINE: f64 = 0.04;
/// The standard deviation of points around the outlines of the shapes with equal scales.
const BROAD: f64 = 0.12;

impl Shape {
    /// Returns the parts of this shape, one per class.
    fn parts(self) -> Vec<Part> {
        match self {
            Self::TwoRings => two_rings(),
            Self::HalfMoons => half_moons(),
            Self::DenseBlob => in_cloud(0.6, Source::Blob { centre: [1.2, -0.8], spread: 0.4 }),
            Self::DenseRing => in_cloud(0.65, fine(vec![ring(2.5)])),
            Self::DenseLine => in_cloud(0.5, fine(vec![vec![[-4.2, -1.7], [4.2, 2.3]]])),
            Self::CrossingLines => in_cloud(0.65, fine(crossing_lines())),
            Self::DenseSpiral => in_cloud(0.7, fine(vec![spiral([0.4, 3.6], 2.0, 0.0)])),
            Self::DenseLetter => in_cloud(0.65, fine(LETTER_A.map(Vec::from).to_vec())),
            Self::OverlappingSquares => overlapping_squares(),
            Self::UnlikeSpirals => unlike_spirals(),
            Self::NestedScales => nested_scales(),
            Self::Thinned => thinned(),
            Self::FiveBlobs => five_blobs(),
        }
    }
}

/// Returns a dense part with `share` of the points (0 to 1), and the sparse cloud with the others.
fn in_cloud(share: f64, dense: Source) -> Vec<Part> {
    let cloud = Source::rectangle(ORIGIN, CLOUD);
    vec![Part { source: dense, weight: share }, Part { source: cloud, weight: 1.0 - share }]
}

fn fine(strokes: Vec<Vec<Place>>) -> Source {
    Source::Strokes { strokes, spread: FINE }
}

fn ring(radius: f64) -> Vec<Place> {
    arc(ORIGIN, radius, [0.0, 360.0])
}

fn crossing_lines() -> Vec<Vec<Place>> {
    vec![vec![[-4.0, -2.2], [4.2, 1.6]], vec![[-2.4, 3.4], [1.6, -3.5]]]
}

/// A ring's weight is its radius, so both have as many points per length.
fn two_rings() -> Vec<Part> {
    let part = |radius| Part {
        source: Source::Strokes { strokes: vec![ring(radius)], spread: BROAD },
        weight: radius,
    };
    [2.0, 4.0].map(part).to_vec()
}

fn half_moons() -> Vec<Part> {
    let part = |centre, degrees| {
        let moon = arc(centre, 2.5, degrees);
        Part { source: Source::Strokes { strokes: vec![moon], spread: BROAD }, weight: 1.0 }
    };
    vec![part([-1.25, -0.6], [0.0, 180.0]), part([1.25, 0.6], [180.0, 360.0])]
}

fn overlapping_squares() -> Vec<Part> {
    let dense = Source::rectangle([2.6, 0.9], [2.2, 2.2]);
    let sparse = Source::rectangle([-1.0, -1.0], [7.4, 7.4]);
    vec![Part { source: dense, weight: 0.65 }, Part { source: sparse, weight: 0.35 }]
}

fn unlike_spirals() -> Vec<Part> {
    let part = |degrees, weight| {
        let spiral = spiral([0.9, 4.5], 1.25, degrees);
        // Half as fine as other outlines: breadth would lend the dense spiral the scale of the sparse one.
        Part { source: Source::Strokes { strokes: vec![spiral], spread: FINE / 2.0 }, weight }
    };
    vec![part(0.0, 0.83), part(180.0, 0.17)]
}

fn nested_scales() -> Vec<Part> {
    let core = Source::Blob { centre: [0.9, 0.5], spread: 0.16 };
    let middle = Source::rectangle([0.6, 0.2], [3.0, 3.0]);
    let cloud = Source::rectangle(ORIGIN, [12.0, 12.0]);
    let part = |(source, weight)| Part { source, weight };
    [(core, 0.35), (middle, 0.35), (cloud, 0.3)].map(part).to_vec()
}

/// The sea keeps nine points in ten, the sky one in ten.
///
/// Thinning leaves uniform points uniform, so it shows in the weights alone: area times the fraction kept. Two whole
/// periods of the wave leave one third of the rectangle below it.
fn thinned() -> Vec<Part> {
    fn below_the_wave([x, y]: Place) -> bool {
        let surface = CLOUD[1] * (1.0 / 3.0 - 0.5);
        y < surface + (2.0 * std::f64::consts::TAU * x / CLOUD[0]).sin()
    }
    let sea = Source::Region { centre: ORIGIN, sides: CLOUD, holds: below_the_wave };
    let sky = Source::Region { centre: ORIGIN, sides: CLOUD, holds: |place| !below_the_wave(place) };
    vec![Part { source: sea, weight: 1.0 * 0.9 }, Part { source: sky, weight: 2.0 * 0.1 }]
}

fn five_blobs() -> Vec<Part> {
    let centres = [[-3.5, -2.5], [3.5, -2.5], [0.0, 0.0], [-3.5, 2.5], [3.5, 2.5]];
    let part = |centre| Part { source: Source::Blob { centre, spread: 0.5 }, weight: 1.0 };
    centres.map(part).to_vec()
}

#[cfg(test)]
mod tests;
