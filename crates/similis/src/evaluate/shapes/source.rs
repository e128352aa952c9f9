//! Where the points of one class lie.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::run::random::Random;

/// The coordinates of a point in the plane.
pub(crate) type Place = [f64; 2];

/// A distribution of points in the plane.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Uniform over the places of a rectangle for which `holds` is true.
    Region { centre: Place, sides: [f64; 2], holds: fn(Place) -> bool },
    /// A round Gaussian with this standard deviation.
    Blob { centre: Place, spread: f64 },
    /// Along broken lines, each through its corners: even along them, Gaussian around them.
    Strokes { strokes: Vec<Vec<Place>>, spread: f64 },
}

/// A straight piece of a stroke.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Place,
    to: Place,
    /// The length of all pieces up to the end of this one.
    length_so_far: f64,
}

impl Source {
    /// Returns the uniform distribution over a rectangle.
    pub(crate) fn rectangle(centre: Place, sides: [f64; 2]) -> Self {
        Self::Region { centre, sides, holds: |_| true }
    }

    /// Draws `n_points` places.
    pub(crate) fn draw(&self, n_points: usize, random: &mut Random) -> Vec<Place> {
        match self {
            Self::Region { centre, sides, holds } => {
                let in_rectangle = || near(*centre, sides.map(|side| side * (random.random::<f64>() - 0.5)));
                std::iter::repeat_with(in_rectangle).filter(|place| holds(*place)).take(n_points).collect()
            }
            Self::Blob { centre, spread } => {
                (0..n_points).map(|_| around(*centre, *spread, random)).collect()
            }
            Self::Strokes { strokes, spread } => {
                let on_line = evenly_along(&pieces(strokes), n_points, random);
                on_line.into_iter().map(|place| around(place, *spread, random)).collect()
            }
        }
    }
}

/// Returns one place in each of `n_points` equal steps along the pieces, anywhere in its step.
fn evenly_along(pieces: &[Piece], n_points: usize, random: &mut Random) -> Vec<Place> {
    let step = pieces.last().map_or(0.0, |piece| piece.length_so_far) / n_points as f64;
    let place = |k: usize| {
        let at = (k as f64 + random.random::<f64>()) * step;
        let reached = pieces.partition_point(|piece| piece.length_so_far < at).min(pieces.len() - 1);
        let Piece { from, to, length_so_far } = pieces[reached];
        let back = (length_so_far - at) / length(from, to);
        near(to, [back * (from[0] - to[0]), back * (from[1] - to[1])])
    };
    (0..n_points).map(place).collect()
}

fn pieces(strokes: &[Vec<Place>]) -> Vec<Piece> {
    let mut length_so_far = 0.0;
    let ends = strokes.iter().flat_map(|stroke| stroke.windows(2));
    let piece = |ends: &[Place]| {
        length_so_far += length(ends[0], ends[1]);
        Piece { from: ends[0], to: ends[1], length_so_far }
    };
    ends.map(piece).collect()
}

fn around(centre: Place, spread: f64, random: &mut Random) -> Place {
    let mut normal = || -> f64 { StandardNormal.sample(random) };
    near(centre, [spread * normal(), spread * normal()])
}

fn near(place: Place, shift: [f64; 2]) -> Place {
    [place[0] + shift[0], place[1] + shift[1]]
}

fn length(from: Place, to: Place) -> f64 {
    (to[0] - from[0]).hypot(to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::stream;

    #[test]
    fn strokes_hold_one_point_in_each_equal_step() {
        // A stroke of length 3 and one of length 1: six points are six steps of 4 / 6, so 4.5 steps fit on the first.
        let strokes = vec![vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]], vec![[5.0, 0.0], [6.0, 0.0]]];
        for seed in 0..20 {
            let places = evenly_along(&pieces(&strokes), 6, &mut stream(seed, 0));
            for (k, [x, y]) in places.into_iter().enumerate() {
                let walked = if x >= 5.0 { 3.0 + x - 5.0 } else { x + y };
                assert!((walked * 6.0 / 4.0 - k as f64 - 0.5).abs() <= 0.5 + 1e-9, "point {k} at {x}, {y}");
            }
        }
    }

    #[test]
    fn a_region_holds_only_its_own_places() {
        let region = Source::Region { centre: [3.0, 0.0], sides: [2.0, 4.0], holds: |[x, y]| x - 3.0 > y };
        let places = region.draw(500, &mut stream(0, 0));
        assert_eq!(places.len(), 500);
        assert!(places.iter().all(|[x, y]| x - 3.0 > *y && (2.0..4.0).contains(x) && y.abs() <= 2.0));
    }
}
