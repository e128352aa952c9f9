//! Ways to split a cluster in two: cuts of linkages of its tree, and its most prominent mode.

use crate::graph::link::Link;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::starts::balanced::balanced_linkage;
use crate::latent_graph::search::starts::linkage::{Balance, PartJoint, likelihood_linkage};

/// Greatest inequality of sizes (Gini index) of the balanced linkage: as numbers of clusters are compared. Not tuned.
const MOST_UNEQUAL: f64 = 0.3;

/// Returns the different ways to split a cluster of these points (rising numbers), given its tree: for each the points of the second
/// part, in rising order.
pub(super) fn cuts(context: &Context<'_>, members: &[usize], tree: &[Link]) -> Vec<Vec<usize>> {
    let n = members.len();
    if n < 2 {
        return Vec::new();
    }
    let place = |i: usize| members.binary_search(&i).unwrap_or(0);
    let own = |link: &Link| Link { from: place(link.from), to: place(link.to), length: link.length };
    let tree: Vec<Link> = tree.iter().map(own).collect();
    let likelihood = |balance: Balance| {
        let joint = PartJoint::new(context.mean_link, context.floor(), balance, n);
        let joint = joint.joining(context.log_join(1.0) - context.mean_link.ln());
        likelihood_linkage(&tree, n, &joint).cut(2)
    };
    let by_linkage = [
        likelihood(Balance::Dirichlet),
        likelihood(Balance::Kappa(0.3)),
        balanced_linkage(&tree, n, MOST_UNEQUAL, context.joined_at.is_some()).cut(2),
    ];
    let second = |labels: &[usize]| {
        members.iter().zip(labels).filter(|&(_, &label)| label == 1).map(|(&i, _)| i).collect::<Vec<_>>()
    };
    let mut found: Vec<Vec<usize>> = Vec::new();
    let by_modes = context.modes().split(members);
    for part in by_linkage.iter().map(|labels| second(labels.as_slice())).chain(by_modes) {
        if !part.is_empty() && part.len() < n && !found.contains(&part) {
            found.push(part);
        }
    }
    found
}
