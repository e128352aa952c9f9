//! The nearest of some points to each of all.

use crate::error::Error;
use crate::graph::neighbours::row_search::{Nearest, RowSearch};
use crate::input::{Dissimilarity, Quantity};
use crate::run::parallel;

/// Returns for each point the place in `some` of the nearest of these (of similarities the most similar): its own place for one of
/// them, of equally near ones the first, and the first of all where no pair was observed.
pub(crate) fn nearest_of_some(observed: &Dissimilarity<'_>, some: &[usize]) -> Result<Vec<u32>, Error> {
    let n = observed.n_points();
    let mut places = match observed.points() {
        Some(points) => {
            let own = points.some(some)?;
            let search = RowSearch::new(&own, n);
            parallel::map(n, |i| {
                let mut nearest = Nearest::new(1);
                search.offer(points.points().row(i), &mut nearest, |at| at);
                nearest.found().first().map_or(0, |&(_, at)| at as u32)
            })
        }
        None => parallel::map(n, |i| by_pairs(observed, i, some)),
    };
    some.iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
    Ok(places)
}

/// The nearest, by a look at each pair.
pub(crate) fn by_pairs(observed: &Dissimilarity<'_>, i: usize, some: &[usize]) -> u32 {
    let sign = if observed.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
    let length = |at: usize| observed.pair(i, some[at]).map_or(f64::INFINITY, |value| sign * value);
    let nearer = |best: (usize, f64), at: usize| if length(at) < best.1 { (at, length(at)) } else { best };
    (0..some.len()).fold((0, f64::INFINITY), nearer).0 as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::Checks;
    use crate::input::metric::Metric;

    #[test]
    fn a_search_finds_what_a_look_at_every_pair_finds() {
        let drawn = draw(Shape::FiveBlobs, 700, 2).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let some: Vec<usize> = (0..700).step_by(3).collect();
        let found = nearest_of_some(&observed, &some).unwrap();
        assert!((0..700).all(|i| found[i] == by_pairs(&observed, i, &some)));
        assert!(some.iter().enumerate().all(|(at, &i)| found[i] == at as u32));
    }

    #[test]
    fn the_most_similar_is_the_nearest() {
        // Pairs 01, 02, 03, 12, 13, 23.
        let values = vec![0.1, 0.5, 0.9, 0.2, 0.3, 0.4];
        let observed =
            Dissimilarity::from_condensed(values, Quantity::Similarities, Checks::default()).unwrap();
        assert_eq!(nearest_of_some(&observed, &[2, 3]).unwrap(), [1, 1, 0, 1]);
    }
}
