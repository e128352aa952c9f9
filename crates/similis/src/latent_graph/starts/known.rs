//! Known labels: every start is made to agree with them.

use crate::Labels;

/// Returns the labels renumbered and changed so that every point whose class is known has that class's number.
///
/// Classes of the start take the number of the known class that they share most points with, the best match first; the
/// others take the numbers that are left, in order. Then known points get their class. A class that lost its last point to
/// this takes back a point whose class is not known, from the largest class that can spare one. There must be enough such
/// points: as many as classes without a known one.
pub(super) fn honour(labels: &Labels, known: &[Option<usize>], n_clusters: usize) -> Vec<usize> {
    if known.iter().all(Option::is_none) {
        return labels.as_slice().to_vec();
    }
    let numbers = numbers(labels, known, n_clusters);
    let own = labels.as_slice().iter().map(|&label| numbers[label]);
    let mut honoured: Vec<usize> = own.zip(known).map(|(own, known)| known.unwrap_or(own)).collect();
    refill(&mut honoured, known, n_clusters);
    honoured
}

/// The new number of each class.
fn numbers(labels: &Labels, known: &[Option<usize>], n_clusters: usize) -> Vec<usize> {
    let mut shared = vec![0usize; n_clusters * n_clusters];
    for (&label, known) in labels.as_slice().iter().zip(known) {
        known.iter().for_each(|class| shared[label * n_clusters + class] += 1);
    }
    let mut pairs: Vec<usize> = (0..shared.len()).filter(|&pair| shared[pair] > 0).collect();
    pairs.sort_by_key(|&pair| std::cmp::Reverse(shared[pair]));
    let mut number = vec![None; n_clusters];
    let mut taken = vec![false; n_clusters];
    for pair in pairs {
        let (label, class) = (pair / n_clusters, pair % n_clusters);
        if number[label].is_none() && !taken[class] {
            number[label] = Some(class);
            taken[class] = true;
        }
    }
    let mut left = (0..n_clusters).filter(|&class| !taken[class]);
    number.into_iter().map(|number| number.or_else(|| left.next()).unwrap_or(0)).collect()
}

/// Gives every empty class a free point.
fn refill(labels: &mut [usize], known: &[Option<usize>], n_clusters: usize) {
    let (mut sizes, mut free) = (vec![0usize; n_clusters], vec![0usize; n_clusters]);
    for (&label, known) in labels.iter().zip(known) {
        sizes[label] += 1;
        free[label] += usize::from(known.is_none());
    }
    for empty in 0..n_clusters {
        if sizes[empty] > 0 {
            continue;
        }
        let spares = |cluster: &usize| free[*cluster] > 0 && sizes[*cluster] > 1;
        let Some(largest) = (0..n_clusters).filter(spares).max_by_key(|&cluster| sizes[cluster]) else {
            return;
        };
        let Some(i) = (0..labels.len()).find(|&i| labels[i] == largest && known[i].is_none()) else { return };
        labels[i] = empty;
        for (cluster, change) in [(largest, -1), (empty, 1)] {
            sizes[cluster] = sizes[cluster].wrapping_add_signed(change);
            free[cluster] = free[cluster].wrapping_add_signed(change);
        }
    }
}
