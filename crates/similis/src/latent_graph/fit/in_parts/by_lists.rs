//! Spanning trees of points in parts whose lists may have missed neighbours: those of points in one place.

use crate::error::Error;
use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::spanning::from_lists::{join_parts, some_of_each_part};
use crate::graph::spanning::kruskal::{Ranked, minimum_forest, sort};
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::Dissimilarity;
use crate::latent_graph::fit::in_parts::{Parts, PartsPartition, unread};
use crate::run::observer::Silent;
use crate::run::parallel;

/// Returns the minimum spanning forest of links that come shortest first.
pub fn listed_forest(links: impl Iterator<Item = Ranked>, n_points: usize) -> Vec<Ranked> {
    let mut sets = DisjointSets::new(n_points);
    let mut forest = Vec::with_capacity(n_points.saturating_sub(1));
    forest.extend(links.filter(|link| sets.join(link.ends.0 as usize, link.ends.1 as usize)));
    forest
}

/// Returns the tree of `members` (rising numbers) of which a forest is given, and the links that join its parts: the shortest between
/// some points of each, spread evenly. Both have the shortest link first.
///
/// # Errors
///
/// [`Error::Input`] where rows cannot be read.
pub fn joined_forest(
    parts: &dyn Parts,
    mut forest: Vec<Ranked>,
    members: impl Iterator<Item = usize> + Clone,
) -> Result<(Vec<Ranked>, Vec<Ranked>), Error> {
    if forest.len() + 1 >= members.clone().count() {
        return Ok((forest, Vec::new()));
    }
    let some = some_of_each_part(&forest, members, parts.n_points());
    let rows = parts.rows(&some).ok_or_else(unread)?;
    let links = parallel::map(some.len(), |at| {
        let link = |other: usize| Ranked::new(rows.distance(at, other), some[at] as u32, some[other] as u32);
        (at + 1..some.len()).map(link).collect::<Vec<_>>()
    });
    let joining = join_parts(&mut forest, parts.n_points(), links.into_iter().flatten().collect());
    Ok((forest, joining))
}

/// The points of each cluster that listed links do not connect.
fn members_of_open(partition: &PartsPartition) -> impl Iterator<Item = Vec<usize>> + '_ {
    let open = (0..partition.sizes.len()).filter(|&class| partition.is_open[class]);
    open.map(|class| (0..partition.labels.len()).filter(|&i| partition.labels[i] as usize == class).collect())
}

/// Returns the links of the trees of clusters that listed links do not connect, shortest first: those of listed pairs, whose parts
/// are joined as by [`joined_forest`]. `certain` are the links of the forest of all listed pairs inside them, `listed` those that
/// [`links_of_open`](super::links_of_open) gives for these.
///
/// # Errors
///
/// [`Error::Input`] where rows cannot be read.
pub fn trees_of_open(
    parts: &dyn Parts,
    (certain, listed): (Vec<Ranked>, Vec<Ranked>),
    partition: &PartsPartition,
) -> Result<Vec<Ranked>, Error> {
    let mut links = certain;
    links.extend(listed);
    let forest = minimum_forest(parts.n_points(), links);
    let mut trees = Vec::new();
    for members in members_of_open(partition) {
        let class = partition.labels[members[0]];
        let inside = |link: &&Ranked| partition.labels[link.ends.0 as usize] == class;
        let own = forest.iter().filter(inside).copied().collect();
        trees.append(&mut joined_forest(parts, own, members.iter().copied())?.0);
    }
    sort(&mut trees);
    Ok(trees)
}

/// As [`trees_of_open`], from all pairs.
///
/// # Errors
///
/// [`Error::Input`] where rows cannot be read.
pub fn all_pairs_of_open(parts: &dyn Parts, partition: &PartsPartition) -> Result<Vec<Ranked>, Error> {
    let mut trees = Vec::new();
    for members in members_of_open(partition) {
        let rows = Dissimilarity::from_measured(parts.rows(&members).ok_or_else(unread)?);
        let number = |place: usize| members[place] as u32;
        let links = minimum_spanning_tree(&rows, &Silent);
        trees.extend(links.iter().map(|link| Ranked::new(link.length, number(link.from), number(link.to))));
    }
    sort(&mut trees);
    Ok(trees)
}
