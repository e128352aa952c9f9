//! What joins the parts that the minimum spanning tree leaves of clusters.

use crate::error::Error;
use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::spanning::kruskal::{Ranked, sort};
use crate::latent_graph::fit::in_parts::{ListsOf, PIECE, Parts, PartsPartition, unread};
use crate::latent_graph::search::starts::borders::{InPieces, Listed};
use crate::run::parallel;

/// The listed links that join the parts of clusters which the tree leaves, shortest first, and which clusters stay in parts.
pub(super) fn joined(
    parts: &dyn Parts,
    tree: &[Ranked],
    labels: &[u32],
    sizes: &[usize],
) -> Result<(Vec<Ranked>, Vec<bool>), Error> {
    let mut sets = DisjointSets::new(labels.len());
    let mut n_parts = sizes.to_vec();
    let inside = |link: &&Ranked| labels[link.ends.0 as usize] == labels[link.ends.1 as usize];
    for link in tree.iter().filter(inside) {
        sets.join(link.ends.0 as usize, link.ends.1 as usize);
        n_parts[labels[link.ends.0 as usize] as usize] -= 1;
    }
    let listed = links_between_parts(parts, labels, &mut sets, |_| true)?;
    let mut between = Vec::new();
    for link in listed {
        if sets.join(link.ends.0 as usize, link.ends.1 as usize) {
            n_parts[labels[link.ends.0 as usize] as usize] -= 1;
            between.push(link);
        }
    }
    Ok((between, n_parts.into_iter().map(|n| n > 1).collect()))
}

/// Returns the minimum spanning forest of the listed links inside clusters that are wanted between sets of points, shortest first,
/// and some more of these links: each piece leaves out what its own links make superfluous.
///
/// # Errors
///
/// [`Error::Input`] where lists cannot be read.
fn links_between_parts(
    parts: &dyn Parts,
    labels: &[u32],
    sets: &mut DisjointSets,
    wanted: impl Fn(u32) -> bool + Sync + Send,
) -> Result<Vec<Ranked>, Error> {
    let roots: Vec<u32> = (0..labels.len()).map(|i| sets.root(i) as u32).collect();
    let lists = ListsOf { parts };
    let pieces = parallel::map(labels.len().div_ceil(PIECE), |piece| {
        let points = piece * PIECE..labels.len().min((piece + 1) * PIECE);
        let lists = lists.piece(points.clone())?;
        let mut found = Vec::new();
        for i in points.filter(|&i| wanted(labels[i])) {
            let near = lists.of(i).filter(|&(j, _)| labels[j] == labels[i] && roots[j] != roots[i]);
            found.extend(near.map(|(j, length)| Ranked::new(length, i as u32, j as u32)));
        }
        Some(forest_of_sets(found, &roots))
    });
    let pieces: Option<Vec<Vec<Ranked>>> = pieces.into_iter().collect();
    let mut links: Vec<Ranked> = pieces.ok_or_else(unread)?.into_iter().flatten().collect();
    sort(&mut links);
    links.dedup();
    Ok(links)
}

/// The minimum spanning forest of links between sets that are known by their roots.
fn forest_of_sets(mut links: Vec<Ranked>, roots: &[u32]) -> Vec<Ranked> {
    let ends = |link: &Ranked| [link.ends.0, link.ends.1].map(|end| roots[end as usize]);
    let mut met: Vec<u32> = links.iter().flat_map(ends).collect();
    met.sort_unstable();
    met.dedup();
    let mut sets = DisjointSets::new(met.len());
    sort(&mut links);
    links.retain(|link| {
        let [a, b] = ends(link).map(|root| met.partition_point(|&other| other < root));
        sets.join(a, b)
    });
    links.shrink_to_fit();
    links
}

/// The listed links inside clusters that listed links do not connect, between the parts that `certain` links of their trees leave:
/// what the growth of these trees begins with.
///
/// # Errors
///
/// [`Error::Input`] where lists cannot be read.
pub fn links_of_open(
    parts: &dyn Parts,
    certain: impl Iterator<Item = Ranked>,
    partition: &PartsPartition,
) -> Result<Vec<Ranked>, Error> {
    let mut sets = DisjointSets::new(partition.labels.len());
    for link in certain {
        sets.join(link.ends.0 as usize, link.ends.1 as usize);
    }
    let wanted = |class: u32| partition.is_open[class as usize];
    links_between_parts(parts, &partition.labels, &mut sets, wanted)
}
