//! Which cluster each point belongs to.

/// The labels **C** of all points: 0, 1, .. in order of first appearance, so equal partitions are equal vectors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Labels {
    labels: Vec<usize>,
    n_clusters: usize,
}

impl Labels {
    /// Returns the partition that `names` makes, renumbered in order of first appearance.
    ///
    /// ```
    /// use similis::Labels;
    /// let labels = Labels::new(&["sparse", "dense", "sparse"]);
    /// assert_eq!(labels.as_slice(), [0, 1, 0]);
    /// ```
    pub fn new<T: Ord>(names: &[T]) -> Self {
        let mut seen = std::collections::BTreeMap::new();
        let labels = names
            .iter()
            .map(|name| {
                let next = seen.len();
                *seen.entry(name).or_insert(next)
            })
            .collect();
        Self { labels, n_clusters: seen.len() }
    }

    /// As [`Labels::new`], of numbers below a small multiple of how many there are: in linear time.
    pub(crate) fn of_numbers(numbers: &[usize]) -> Self {
        let most = numbers.iter().max().map_or(0, |&last| last + 1);
        if most > 4 * numbers.len() {
            return Self::new(numbers);
        }
        let (mut seen, mut n_clusters) = (vec![usize::MAX; most], 0);
        let mut number = |at: usize| {
            if seen[at] == usize::MAX {
                seen[at] = n_clusters;
                n_clusters += 1;
            }
            seen[at]
        };
        let labels = numbers.iter().map(|&at| number(at)).collect();
        Self { labels, n_clusters }
    }

    /// The label of each point.
    pub fn as_slice(&self) -> &[usize] {
        &self.labels
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.labels.len()
    }

    /// Number of clusters that hold a point (M).
    pub fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    /// Number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.n_clusters];
        for &cluster in &self.labels {
            sizes[cluster] += 1;
        }
        sizes
    }
}

/// Returns the labels of items some of which keep theirs (`None` is noise, or a label that does not stay), after others were
/// clustered again: `found` has the new cluster of each of these, `None` for noise.
///
/// A new cluster that holds items whose label stays has that label. All others get numbers that no item keeps, the lowest first, in
/// the order in which they come up.
///
/// ```
/// use similis::input::continued;
/// // Cluster 1 of three was clustered again, and fell in two.
/// let stay = [Some(0), None, None, Some(2), None];
/// let found = [None, Some(0), Some(1), None, Some(0)];
/// assert_eq!(continued(&stay, &found), [Some(0), Some(1), Some(3), Some(2), Some(1)]);
/// ```
pub fn continued(stay: &[Option<usize>], found: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut names = std::collections::BTreeMap::new();
    for (&stay, &found) in stay.iter().zip(found) {
        if let (Some(stay), Some(found)) = (stay, found) {
            names.entry(found).or_insert(stay);
        }
    }
    let taken: std::collections::BTreeSet<usize> = stay.iter().flatten().copied().collect();
    let mut free = (0..).filter(|number| !taken.contains(number));
    let mut name = |found: usize| {
        let known = names.get(&found).copied().or_else(|| free.next())?;
        Some(*names.entry(found).or_insert(known))
    };
    stay.iter().zip(found).map(|(&stay, &found)| stay.or_else(|| name(found?))).collect()
}

/// The number of clusters, and the sizes of the first few.
impl std::fmt::Display for Labels {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MOST: usize = 8;
        let sizes: Vec<String> = self.sizes().iter().take(MOST).map(ToString::to_string).collect();
        let more = if self.n_clusters > MOST { ", .." } else { "" };
        let plural = if self.n_clusters == 1 { "" } else { "s" };
        write!(out, "{} cluster{plural} of {}{more} points", self.n_clusters, sizes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_count_up_in_order_of_first_appearance() {
        let labels = Labels::new(&[7, 3, 3, 9, 7]);
        assert_eq!(labels.as_slice(), [0, 1, 1, 2, 0]);
        assert_eq!(labels.sizes(), [2, 2, 1]);
        assert_eq!(Labels::new::<usize>(&[]).n_clusters(), 0);
    }

    #[test]
    fn a_partition_is_shown_by_its_sizes() {
        assert_eq!(Labels::new(&[7, 3, 3]).to_string(), "2 clusters of 1, 2 points");
        let ten: Vec<usize> = (0..10).collect();
        assert_eq!(Labels::new(&ten).to_string(), "10 clusters of 1, 1, 1, 1, 1, 1, 1, 1, .. points");
    }

    proptest! {
        #[test]
        fn equal_partitions_are_equal_vectors(names in prop::collection::vec(0u8..5, 0..40), shift in 0u8..200) {
            let renamed: Vec<u8> = names.iter().map(|name| 200 - name.wrapping_mul(17).wrapping_add(shift) % 97).collect();
            prop_assert_eq!(Labels::new(&names), Labels::new(&renamed));
            let numbers: Vec<usize> = names.iter().map(|&name| usize::from(name) * usize::from(shift % 30)).collect();
            prop_assert_eq!(Labels::of_numbers(&numbers), Labels::new(&numbers));
        }
    }
}
