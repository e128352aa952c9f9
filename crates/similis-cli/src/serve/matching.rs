//! Clusters keep their numbers, and so their colours, from one answer to the next.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the number that each of the new clusters is shown by.
///
/// The pair of an old and a new cluster with most items in common share a number, then the next pair; a cluster that is left gets
/// the lowest free number. `None` is noise, or an item that had no cluster before.
pub(super) fn shown_numbers(old: &[Option<usize>], new: &[Option<usize>], n_new: usize) -> Vec<usize> {
    let mut common: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for pair in old.iter().zip(new) {
        if let (Some(old), Some(new)) = pair {
            *common.entry((*old, *new)).or_default() += 1;
        }
    }
    let mut pairs: Vec<((usize, usize), usize)> = common.into_iter().collect();
    pairs.sort_by_key(|&(pair, n)| (std::cmp::Reverse(n), pair));
    let mut taken = BTreeSet::new();
    let mut numbers: Vec<Option<usize>> = vec![None; n_new];
    for ((old, new), _) in pairs {
        if numbers[new].is_none() && taken.insert(old) {
            numbers[new] = Some(old);
        }
    }
    let mut free = (0..).filter(|number| !taken.contains(number));
    numbers.into_iter().map(|number| number.or_else(|| free.next()).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(labels: &[usize]) -> Vec<Option<usize>> {
        labels.iter().copied().map(Some).collect()
    }

    #[test]
    fn equal_partitions_keep_all_numbers() {
        assert_eq!(shown_numbers(&some(&[3, 3, 1, 1, 0]), &some(&[0, 0, 1, 1, 2]), 3), [3, 1, 0]);
    }

    #[test]
    fn the_larger_part_of_a_split_keeps_the_number_and_the_other_gets_the_lowest_free_one() {
        assert_eq!(shown_numbers(&some(&[0, 0, 0, 2, 2]), &some(&[0, 1, 1, 2, 2]), 3), [1, 0, 2]);
    }

    #[test]
    fn merged_clusters_take_the_number_of_the_larger_and_noise_counts_for_nothing() {
        let old = [Some(0), Some(0), Some(4), Some(4), Some(4), None];
        assert_eq!(shown_numbers(&old, &some(&[0, 0, 0, 0, 0, 1]), 2), [4, 0]);
        assert_eq!(shown_numbers(&[], &some(&[0, 1]), 2), [0, 1]);
    }
}
