//! Minimum spanning trees: Theorem 1, Corollary 1, and the remark that closes the proof.

use crate::error::{Error, InputError};
use crate::graph::disjoint_sets::{DisjointSets, components};
use crate::graph::lengths::Lengths;
use crate::graph::link::{Link, LinkOrder, Ranked};
use crate::input::labels::Labels;
use crate::settings::n_clusters::NClusters;

/// Returns the spanning tree of `members` (rising numbers) that is least in `order`: Theorem 1, by Prim's method in
/// $O(n^2)$, or by Kruskal's where only some pairs may be links.
///
/// With the order of the weights $f$ of Eq. (16) it is the likeliest graph under the prior `tree`, whatever the background,
/// and under `connected` where Eq. (17) holds.
pub(crate) fn spanning_tree(lengths: &Lengths<'_>, members: &[usize], order: &LinkOrder) -> Vec<Link> {
    let Some((&first, others)) = members.split_first() else {
        return Vec::new();
    };
    if lengths.allowed(first).is_some() {
        return kruskal(lengths, members, order);
    }
    let mut nearest: Vec<Ranked> = Vec::with_capacity(others.len());
    lengths.for_each_among(first, others, |to, length| {
        nearest.push(Ranked::new(Link { from: first, to, length }, order));
    });
    let mut waiting = others.to_vec();
    let mut tree = Vec::with_capacity(others.len());
    while !nearest.is_empty() {
        let next =
            (1..nearest.len()).fold(0, |best, at| if nearest[at].before(&nearest[best]) { at } else { best });
        let taken = nearest.swap_remove(next).link;
        waiting.swap_remove(next);
        tree.push(taken);
        let mut candidates = nearest.iter_mut();
        lengths.for_each_among(taken.to, &waiting, |to, length| {
            let other = Ranked::new(Link { from: taken.to, to, length }, order);
            if let Some(candidate) = candidates.next().filter(|candidate| other.before(candidate)) {
                *candidate = other;
            }
        });
    }
    tree
}

/// The least spanning tree of a support that is not complete; parts that it does not join are joined by forbidden links.
fn kruskal(lengths: &Lengths<'_>, members: &[usize], order: &LinkOrder) -> Vec<Link> {
    let place = |j: usize| members.binary_search(&j);
    let mut links: Vec<Ranked> = Vec::new();
    for &from in members {
        let others = lengths.allowed(from).unwrap_or_default().iter().map(|&to| to as usize);
        for to in others.filter(|&to| to > from && place(to).is_ok()) {
            links.push(Ranked::new(Link { from, to, length: lengths.pair(from, to) }, order));
        }
    }
    links.sort_by(Ranked::compare);
    // Forbidden links are all alike: the first point takes the first of every part.
    let joining = members.iter().skip(1).map(|&to| Link { from: members[0], to, length: f64::INFINITY });
    let mut sets = DisjointSets::new(members.len());
    let mut tree = Vec::with_capacity(members.len() - 1);
    for link in links.iter().map(|ranked| ranked.link).chain(joining) {
        let (Ok(from), Ok(to)) = (place(link.from), place(link.to)) else { continue };
        if sets.join(from, to) {
            tree.push(link);
        }
    }
    tree
}

/// Returns the least spanning trees by length of all clusters, each shortest link first, given that of all points: its links
/// inside a cluster are links of the cluster's tree, and only pairs between the parts that they leave are looked at.
///
/// `links(i)` gives the pairs of point `i` that may be links; a pair that one of its ends gives is enough. Parts that none of them
/// joins are joined by forbidden links.
pub(crate) fn trees_of_classes<L: Iterator<Item = (usize, f64)>>(
    links: impl Fn(usize) -> L,
    labels: &[usize],
    n_classes: usize,
    whole: &[Link],
) -> Vec<Vec<Link>> {
    let mut sets = DisjointSets::new(labels.len());
    let mut sizes = vec![0; n_classes];
    labels.iter().for_each(|&class| sizes[class] += 1);
    let mut trees: Vec<Vec<Link>> = sizes.into_iter().map(Vec::with_capacity).collect();
    for &Link { from, to, length } in whole.iter().filter(|link| labels[link.from] == labels[link.to]) {
        sets.join(from, to);
        trees[labels[from]].push(Link { from: from.min(to), to: from.max(to), length });
    }
    for link in between_parts(links, labels, &mut sets) {
        if sets.join(link.from, link.to) {
            trees[labels[link.from]].push(link);
        }
    }
    // Forbidden links are all alike: the first point takes the first of every part.
    let mut first = vec![None; n_classes];
    for (to, &class) in labels.iter().enumerate() {
        let from = *first[class].get_or_insert(to);
        if sets.join(from, to) {
            trees[class].push(Link { from, to, length: f64::INFINITY });
        }
    }
    for tree in &mut trees {
        // No two links are equal.
        tree.sort_unstable_by(|a, b| {
            Ranked::new(*a, &LinkOrder::BY_LENGTH).compare(&Ranked::new(*b, &LinkOrder::BY_LENGTH))
        });
    }
    trees
}

/// The links between points of one cluster that are not joined yet, shortest first.
fn between_parts<L: Iterator<Item = (usize, f64)>>(
    links: impl Fn(usize) -> L,
    labels: &[usize],
    sets: &mut DisjointSets,
) -> Vec<Link> {
    let parts: Vec<u32> = (0..labels.len()).map(|i| sets.root(i) as u32).collect();
    let mut between: Vec<Ranked> = Vec::new();
    for i in 0..labels.len() {
        for (j, length) in links(i).filter(|&(j, _)| labels[j] == labels[i] && parts[j] != parts[i]) {
            let link = Link { from: i.min(j), to: i.max(j), length };
            between.push(Ranked::new(link, &LinkOrder::BY_LENGTH));
        }
    }
    between.sort_unstable_by(Ranked::compare);
    between.into_iter().map(|ranked| ranked.link).collect()
}

/// Returns the best graph given the labels: one spanning tree for each cluster, Corollary 1.
///
/// Given the labels the joint falls apart into one sum for each cluster, Eq. (19), and each is greatest for its own tree.
///
/// `orders` holds the order of the link prices of each cluster.
///
/// # Errors
///
/// [`Error::Input`] unless the labels are of the observed points, [`Error::Input`] if a cluster has no order.
pub fn class_trees(
    lengths: &Lengths<'_>,
    labels: &Labels,
    orders: &[LinkOrder],
) -> Result<Vec<Vec<Link>>, Error> {
    let (first, second) = (lengths.n_points(), labels.n_points());
    if first != second {
        return Err(Error::Input(InputError::LabelLengths { first, second }));
    }
    let (n_clusters, n_classes) = (labels.n_clusters(), orders.len());
    if n_clusters > n_classes {
        return Err(Error::Input(InputError::ClassLengths { n_clusters, n_classes }));
    }
    let members = |cluster: usize| -> Vec<usize> {
        (0..labels.n_points()).filter(|&i| labels.as_slice()[i] == cluster).collect()
    };
    Ok((0..n_clusters).map(|cluster| spanning_tree(lengths, &members(cluster), &orders[cluster])).collect())
}

/// Returns the best labels where all clusters share one scale: Theorem 1, remark at the end of its proof.
///
/// The minimum spanning tree is cut at its `n_clusters` - 1 dearest links. It holds for the prior `tree` with a constant T,
/// shared fixed scales, prices that rise with the key, a connected support, exactly `n_clusters` clusters, singletons allowed;
/// up to ties.
///
/// # Errors
///
/// [`Error::Settings`] unless `n_clusters` is between 1 and `n_points`, [`Error::Input`] if a link names a point that
/// does not exist.
pub fn cut_dearest(
    tree: &[Link],
    n_points: usize,
    n_clusters: usize,
    order: &LinkOrder,
) -> Result<Labels, Error> {
    NClusters::Exactly(n_clusters).check(n_points)?;
    if let Some(link) = tree.iter().find(|link| link.from.max(link.to) >= n_points) {
        return Err(Error::Input(InputError::Column {
            row: link.from.min(link.to),
            column: link.from.max(link.to),
            n_points,
        }));
    }
    let mut ranked: Vec<Ranked> = tree.iter().map(|&link| Ranked::new(link, order)).collect();
    ranked.sort_by(Ranked::compare);
    let n_kept = tree.len().saturating_sub(n_clusters - 1);
    Ok(components(n_points, ranked[..n_kept].iter().map(|ranked| ranked.link)))
}
