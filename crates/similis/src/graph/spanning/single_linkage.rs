//! Single linkage: the minimum spanning tree as a dendrogram.

use crate::error::{Error, InputError, SettingError};
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::{Dissimilarity, Quantity};
use crate::run::observer::{Observer, Uncancelled};

/// Two groups that become one.
///
/// Groups are numbered as SciPy does: points first, then the groups in the order in which they were made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merge {
    /// The group with the lower number.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// The length of the shortest link between the two.
    pub height: f64,
    /// How many points the new group has.
    pub size: usize,
}

/// Returns the merges of single linkage, lowest first: as many as points, less one.
///
/// ```
/// use similis::graph::single_linkage;
/// use similis::{Dissimilarity, Metric, Points, Silent};
/// let points = Points::new(vec![0.0, 1.0, 3.0], 3, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let merges = single_linkage(&pairs, &Silent)?;
/// assert_eq!((merges[0].first, merges[0].second, merges[0].height, merges[0].size), (0, 1, 1.0, 2));
/// assert_eq!((merges[1].first, merges[1].second, merges[1].height, merges[1].size), (2, 3, 2.0, 3));
/// # Ok::<(), similis::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Input`], and [`Error::Settings`] where the observed pairs do not join all points.
pub fn single_linkage(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Result<Vec<Merge>, Error> {
    if observed.quantity() == Quantity::Similarities {
        return Err(Error::Input(InputError::NeedsDistances { purpose: "a dendrogram" }));
    }
    let n = observed.n_points();
    let tree = minimum_spanning_tree(observed, &Uncancelled(observer));
    if tree.len() + 1 < n {
        return Err(Error::Settings(SettingError::Unjoined { n_parts: n - tree.len() }));
    }
    let mut groups = Groups { parent: (0..2 * n - 1).collect(), size: vec![1; 2 * n - 1] };
    let merges = tree.iter().enumerate().map(|(at, link)| {
        let (one, other) = (groups.of(link.from), groups.of(link.to));
        let size = groups.join([one, other], n + at);
        Merge { first: one.min(other), second: one.max(other), height: link.length, size }
    });
    Ok(merges.collect())
}

/// Which group each point is in.
struct Groups {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Groups {
    /// The group that `i` is in now.
    fn of(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            // Every second step is cut short: paths halve.
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Makes the group `made` of two; its size.
    fn join(&mut self, [one, other]: [usize; 2], made: usize) -> usize {
        (self.parent[one], self.parent[other]) = (made, made);
        self.size[made] = self.size[one] + self.size[other];
        self.size[made]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::sparse::SparseMatrix;
    use crate::run::observer::Silent;

    /// Merges by their definition: again and again the two groups with the shortest distance between them.
    fn slowly(observed: &Dissimilarity<'_>) -> Vec<(f64, usize)> {
        let mut groups: Vec<Vec<usize>> = (0..observed.n_points()).map(|i| vec![i]).collect();
        let mut merges = Vec::new();
        while groups.len() > 1 {
            let apart = |a: &[usize], b: &[usize]| {
                let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
                pairs.map(|(i, j)| observed.pair(i, j).unwrap()).fold(f64::INFINITY, f64::min)
            };
            let pairs = (0..groups.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
            let nearest = pairs.map(|(a, b)| (apart(&groups[a], &groups[b]), a, b));
            let (height, a, b) = nearest.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
            let joined = [groups.remove(a), groups.remove(b)].concat();
            merges.push((height, joined.len()));
            groups.push(joined);
        }
        merges
    }

    #[test]
    fn merges_are_those_of_the_definition() {
        let places: Vec<f64> = (0..60u32).map(|at| f64::from(at * at * 37 % 101).powf(1.3)).collect();
        let points = Points::new(places, 30, 2).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let merges = single_linkage(&observed, &Silent).unwrap();
        for (merge, (height, size)) in merges.iter().zip(slowly(&observed)) {
            assert!((merge.height - height).abs() < 1e-12 * height);
            assert_eq!(merge.size, size);
        }
        assert_eq!(merges.len(), 29);
    }

    #[test]
    fn every_group_is_joined_once() {
        let places: Vec<f64> = (0..40u32).map(|at| f64::from(at * at % 23)).collect();
        let observed =
            Dissimilarity::from_points(Points::new(places, 40, 1).unwrap(), Metric::Euclidean).unwrap();
        let merges = single_linkage(&observed, &Silent).unwrap();
        let mut joined: Vec<usize> = merges.iter().flat_map(|merge| [merge.first, merge.second]).collect();
        joined.sort_unstable();
        assert_eq!(joined, (0..78).collect::<Vec<_>>());
        assert!(merges.is_sorted_by(|a, b| a.height <= b.height));
    }

    #[test]
    fn what_has_no_dendrogram_is_refused() {
        let parts = SparseMatrix::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
        let observed =
            Dissimilarity::from_sparse(parts.clone(), Quantity::Distances, Checks::default()).unwrap();
        assert_eq!(
            single_linkage(&observed, &Silent),
            Err(Error::Settings(SettingError::Unjoined { n_parts: 2 }))
        );
        let observed = Dissimilarity::from_sparse(parts, Quantity::Similarities, Checks::default()).unwrap();
        assert!(matches!(
            single_linkage(&observed, &Silent),
            Err(Error::Input(InputError::NeedsDistances { .. }))
        ));
    }
}
