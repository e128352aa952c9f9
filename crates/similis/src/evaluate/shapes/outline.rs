//! The outlines that points are drawn along, as lists of corners.

use crate::evaluate::shapes::source::Place;

/// Number of straight pieces of a curve: enough that their corners are not visible. Not tuned.
const N_PIECES: usize = 240;

/// The strokes of the letter A: two legs and the bar between them.
pub(crate) const LETTER_A: [[Place; 2]; 3] =
    [[[-2.4, -3.0], [0.0, 3.2]], [[2.4, -3.0], [0.0, 3.2]], [[-1.5, -0.8], [1.5, -0.8]]];

/// Returns the arc around `centre` from one angle to another, in degrees.
pub(crate) fn arc(centre: Place, radius: f64, degrees: [f64; 2]) -> Vec<Place> {
    curve(|t| {
        let [x, y] = polar(radius, degrees[0] + t * (degrees[1] - degrees[0]));
        [centre[0] + x, centre[1] + y]
    })
}

/// Returns the spiral around the origin whose radius grows evenly from the first of `radii` to the second.
///
/// It starts at the angle `degrees` and turns `n_turns` times.
pub(crate) fn spiral(radii: [f64; 2], n_turns: f64, degrees: f64) -> Vec<Place> {
    curve(|t| polar(radii[0] + t * (radii[1] - radii[0]), degrees + t * n_turns * 360.0))
}

/// Returns the corners of the path that `place` takes from 0 to 1.
fn curve(place: impl Fn(f64) -> Place) -> Vec<Place> {
    (0..=N_PIECES).map(|piece| place(piece as f64 / N_PIECES as f64)).collect()
}

fn polar(radius: f64, degrees: f64) -> Place {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    [radius * cosine, radius * sine]
}
