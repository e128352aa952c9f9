//! Mutual reachability: the distance of two points, enlarged where points are sparse.

use crate::graph::link::Link;
use crate::graph::spanning::from_lists::minimum_tree;
use crate::latent_graph::context::Context;

/// The core distances of all points and the tree of mutual reachability.
///
/// $$ r_{ij} = \max(d_{ij}, \kappa_i, \kappa_j) $$
///
/// where the core distance $\kappa_i$ is that of the k-th neighbour.
#[derive(Debug)]
pub(crate) struct Reachability {
    /// $\kappa_i$: the distance of the k-th neighbour, or of the last where there are fewer; infinite without any.
    pub(crate) core: Vec<f64>,
    /// The same in rising order.
    pub(crate) sorted_core: Vec<f64>,
    /// The minimum spanning tree of the mutual reachability, shortest link first, among the links to listed neighbours and
    /// those of the minimum spanning tree of the distances: nearly that of all pairs. Links that were not observed are
    /// infinite.
    pub(crate) tree: Vec<Link>,
    /// The mean length of the finite links; 1 where that is 0.
    pub(crate) mean_link: f64,
}

impl Reachability {
    /// Of every point the links to its `n_near` nearest neighbours are looked at.
    pub(crate) fn new(context: &Context<'_>, n_neighbours: usize, n_near: usize) -> Self {
        let core_of = |i: usize| context.neighbours.of(i).take(n_neighbours).next_back();
        let core: Vec<f64> = (0..context.n_points())
            .map(|i| core_of(i).map_or(f64::INFINITY, |(_, distance)| distance))
            .collect();
        let tree = minimum_tree(context.n_points(), reached(context, &core, n_near));
        let finite = || tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let mean = finite().sum::<f64>() / finite().count().max(1) as f64;
        let mean_link = if mean > 0.0 { mean } else { 1.0 };
        let mut sorted_core = core.clone();
        sorted_core.sort_unstable_by(f64::total_cmp);
        Self { core, sorted_core, tree, mean_link }
    }
}

/// The links to listed neighbours and those of the minimum spanning tree, with their mutual reachability as length.
fn reached(context: &Context<'_>, core: &[f64], n_near: usize) -> Vec<Link> {
    let near = |i: usize| context.neighbours.of(i).take(n_near);
    let last = |j: usize| near(j).next_back().map_or(0.0, |(_, distance)| distance);
    // A pair that is in both lists is taken from the lower point's.
    let listed = |from: usize| {
        let link = move |(to, length): (usize, f64)| Link { from, to, length };
        near(from).map(link).filter(|link| link.from < link.to || link.length >= last(link.to))
    };
    let all = (0..context.n_points()).flat_map(listed).chain(context.tree.iter().copied());
    let reach = |link: Link| {
        let length = if link.length.is_finite() { link.length } else { f64::INFINITY };
        Link { length: length.max(core[link.from]).max(core[link.to]), ..link }
    };
    all.map(reach).collect()
}
