//! The different items of an input: equal ones are one item with a weight.

use std::cmp::Ordering;

use crate::graph::canonical::{colours, rows};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::run::parallel;

/// The items that differ from each other, and which of them every item is equal to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Different {
    /// The first of each class of equal items, in rising order.
    pub(crate) firsts: Vec<usize>,
    /// For each item the place in `firsts` of the one that it is equal to.
    pub(crate) place: Vec<u32>,
    /// The weight of each class: the sum of those of its items, which are 1 where none are given.
    pub(crate) weights: Vec<f64>,
}

impl Different {
    /// Returns the different items of a table of points or a complete matrix of distances; `None` where no two are equal, and for
    /// other inputs. `weights` are those of the items, or empty.
    pub(crate) fn new(observed: &Dissimilarity<'_>, weights: &[f64]) -> Option<Self> {
        let class = match rows::comparison(observed) {
            Some(compare) => of_rows(observed, &compare)?,
            None => of_matrix(observed)?,
        };
        Some(Self::of_classes(&class, weights))
    }

    /// As [`Different::new`], where equal items of different clusters are different.
    pub(crate) fn in_clusters(observed: &Dissimilarity<'_>, labels: &Labels) -> Option<Self> {
        let Self { place, .. } = Self::new(observed, &[])?;
        let both: Vec<(u32, usize)> = place.into_iter().zip(labels.as_slice().iter().copied()).collect();
        Some(Self::of_classes(Labels::new(&both).as_slice(), &[]))
    }

    /// The items of each class, given the number of one of its items for each item.
    fn of_classes(class: &[usize], weights: &[f64]) -> Self {
        let mut at = vec![u32::MAX; class.len()];
        let mut found = Self { firsts: Vec::new(), place: vec![0; class.len()], weights: Vec::new() };
        for (i, &class) in class.iter().enumerate() {
            if at[class] == u32::MAX {
                at[class] = found.firsts.len() as u32;
                found.firsts.push(i);
                found.weights.push(0.0);
            }
            found.place[i] = at[class];
            found.weights[at[class] as usize] += weights.get(i).copied().unwrap_or(1.0);
        }
        found
    }
}

/// For each point the number of one that is equal to it; `None` where all differ.
fn of_rows(observed: &Dissimilarity<'_>, compare: &impl Fn(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    let n = observed.n_points();
    let mut hashed = parallel::map(n, |i| (hash_of_row(observed, i), i as u32));
    hashed.sort_unstable();
    let mut class: Vec<usize> = (0..n).collect();
    let mut any = false;
    for run in hashed.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        // Rows of one hash are nearly always equal.
        let mut firsts: Vec<usize> = Vec::new();
        for &(_, i) in run {
            let i = i as usize;
            match firsts.iter().find(|&&first| compare(first, i).is_eq()) {
                Some(&first) => (class[i], any) = (first, true),
                None => firsts.push(i),
            }
        }
    }
    any.then_some(class)
}

/// A number that equal points share, and hardly any others.
fn hash_of_row(observed: &Dissimilarity<'_>, i: usize) -> u64 {
    const START: u64 = 0x51_7c_c1_b7;
    let mix = |bits: u64, other: u64| (bits ^ other).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let dense = observed.points().map(|measured| measured.points().row(i));
    let sparse = observed.sparse_points().map(|measured| measured.points().row(i));
    match (dense, sparse) {
        (Some(row), _) => row.iter().fold(START, |bits, &x| mix(bits, (x + 0.0).to_bits())),
        (_, Some(row)) => {
            let entries = row.columns.iter().zip(row.values).filter(|&(_, &x)| x != 0.0);
            entries.fold(START, |bits, (&column, x)| mix(mix(bits, u64::from(column)), x.to_bits()))
        }
        _ => START,
    }
}

/// The same for the items of a complete matrix of distances.
fn of_matrix(observed: &Dissimilarity<'_>) -> Option<Vec<usize>> {
    if observed.quantity() == Quantity::Similarities || observed.sparse().is_some() {
        return None;
    }
    let n = observed.n_points();
    let has_zero = |i: usize| (0..i).any(|j| observed.pair(i, j) == Some(0.0));
    let zeros = parallel::map(n, has_zero);
    if !zeros.contains(&true) || !observed.is_complete() {
        return None;
    }
    let canonical = colours::canonical(observed);
    if canonical.equal.n_clusters() == n {
        return None;
    }
    let mut class = vec![0; n];
    canonical.order.iter().zip(canonical.equal.as_slice()).for_each(|(&i, &own)| class[i] = own);
    Some(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_items_are_found_in_points_and_in_their_matrix(values in prop::collection::vec(0u8..4, 2..40)) {
            let n = values.len() / 2;
            let places: Vec<f64> = values[..2 * n].iter().map(|&x| f64::from(x)).collect();
            let row = |i: usize| &places[2 * i..2 * i + 2];
            let points = Points::new(places.clone(), n, 2).unwrap();
            let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
            let square: Vec<f64> = (0..n * n).map(|at| observed.pair(at / n, at % n).unwrap()).collect();
            let matrix = Dissimilarity::from_square(square, [n, n], Quantity::Distances, Checks::default()).unwrap();
            let given: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let found = Different::new(&observed, &given);
            prop_assert_eq!(&found, &Different::new(&matrix, &given));
            let is_first = |&i: &usize| (0..i).all(|j| row(j) != row(i));
            let firsts: Vec<usize> = (0..n).filter(is_first).collect();
            prop_assert_eq!(found.is_none(), firsts.len() == n);
            if let Some(found) = &found {
                prop_assert_eq!(&found.firsts, &firsts);
                for i in 0..n {
                    prop_assert_eq!(row(found.firsts[found.place[i] as usize]), row(i));
                }
                let weight = |&first: &usize| (0..n).filter(|&i| row(i) == row(first)).map(|i| given[i]).sum::<f64>();
                prop_assert_eq!(&found.weights, &firsts.iter().map(weight).collect::<Vec<_>>());
            }
        }
    }
}
