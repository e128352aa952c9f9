//! Items by the group that they belong to, one group after the other.

/// The items of every group, in the order in which they were given; all of them in one piece of memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grouped<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Items with the numbers of their groups, below `n_groups`.
    pub(crate) fn new(n_groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0; n_groups + 1];
        items.clone().for_each(|(group, _)| starts[group + 1] += 1);
        (0..n_groups).for_each(|group| starts[group + 1] += starts[group]);
        let mut sorted = vec![T::default(); starts[n_groups]];
        for (group, item) in items {
            // Until all are in place, a start is where the next one goes.
            sorted[starts[group]] = item;
            starts[group] += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
        if n_groups > 0 {
            starts[n_groups] = sorted.len();
        }
        Self { starts, items: sorted }
    }

    /// The items of a group.
    pub(crate) fn of(&self, group: usize) -> &[T] {
        &self.items[self.starts[group]..self.starts[group + 1]]
    }

    /// Number of groups.
    pub(crate) fn n_groups(&self) -> usize {
        self.starts.len() - 1
    }
}

/// The points of each cluster, in rising order.
pub(crate) fn points_of_clusters(labels: &[usize]) -> Grouped<usize> {
    let n_clusters = labels.iter().max().map_or(0, |&last| last + 1);
    Grouped::new(n_clusters, labels.iter().enumerate().map(|(i, &cluster)| (cluster, i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_group_has_its_items_in_the_given_order(groups in prop::collection::vec(0usize..7, 0..40)) {
            let grouped = Grouped::new(7, groups.iter().copied().zip(100..));
            prop_assert_eq!(grouped.n_groups(), 7);
            for group in 0..7 {
                let own: Vec<i32> = (0..groups.len()).filter(|&at| groups[at] == group).map(|at| 100 + at as i32).collect();
                prop_assert_eq!(grouped.of(group), own);
            }
            let points = points_of_clusters(&groups);
            for cluster in 0..points.n_groups() {
                let own: Vec<usize> = (0..groups.len()).filter(|&i| groups[i] == cluster).collect();
                prop_assert_eq!(points.of(cluster), own);
            }
        }
    }
}
