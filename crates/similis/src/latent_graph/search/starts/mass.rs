//! Excess of mass: clusters that last long while links are cut from the longest on (HDBSCAN; Campello, Moulavi & Sander, 2013).

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::graph::spanning::spread::spread;
use crate::input::labels::Labels;

/// The weight of points below which a component is no cluster, but points that fall out of one. HDBSCAN's default.
const LEAST_SIZE: f64 = 5.0;

/// Most clusters that are chosen. Not tuned.
const MOST: usize = 100;

/// A point that is in no cluster.
const NONE: u32 = u32::MAX;

/// The condensed tree: single linkage by mutual reachability, where components of fewer than five points are no clusters.
///
/// While the level $\lambda = 1 / r$ rises, links longer than r are cut. A cluster appears at $\lambda_c$; each of its points i,
/// of weight $w_i$, leaves it at $\lambda_i$, alone or because the cluster falls into two. Its excess of mass is
///
/// $$ E_c = \sum_{i \in c} w_i (\lambda_i - \lambda_c) $$
///
/// HDBSCAN takes the clusters, no two inside one another, whose sum of $E_c$ is greatest. Here it is the greatest for each number
/// of them.
#[derive(Debug)]
pub(crate) struct CondensedTree {
    /// Children stand before their parents.
    nodes: Vec<Node>,
    /// The smallest cluster of each point; [`NONE`] where it never is in one.
    smallest: Vec<u32>,
    /// The clusters that have no parent.
    roots: Vec<u32>,
}

/// A cluster of the condensed tree.
#[derive(Clone, Debug)]
struct Node {
    children: Option<[u32; 2]>,
    /// For 1, 2, .. clusters inside it, itself included, the greatest sum of their excesses of mass.
    best: Vec<f64>,
    /// Whether its own excess of mass is that of the best one.
    is_best: bool,
    /// The cluster that its points belong to, if it is none of its own.
    is_part_of: Option<u32>,
}

/// A component while links are added, shortest first.
#[derive(Debug)]
enum Component {
    /// Points that are no cluster yet.
    Few { points: Vec<u32>, weight: f64 },
    /// A cluster.
    Cluster(Growing),
}

/// A cluster of which it is not yet known where it appears.
#[derive(Debug)]
struct Growing {
    number: u32,
    children: Option<[u32; 2]>,
    weight: f64,
    /// $\sum_i w_i \lambda_i$.
    levels: f64,
    /// The level at which its first points are together.
    level: f64,
}

impl Growing {
    /// Whether it has not lasted yet, and holds no other cluster.
    fn begins_at(&self, level: f64) -> bool {
        self.children.is_none() && self.level == level
    }
}

impl CondensedTree {
    /// Condenses a spanning tree of mutual reachabilities, shortest link first; no link counts as shorter than `floor`. Without
    /// `weights` each point has 1.
    pub(crate) fn new(tree: &[Link], n_points: usize, floor: f64, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let mut sets = DisjointSets::new(n_points);
        let mut condensed = Self { nodes: Vec::new(), smallest: vec![NONE; n_points], roots: Vec::new() };
        let lone = |i: usize| Some(condensed.some(vec![i as u32], weight(i), 1.0 / floor));
        let mut components: Vec<Option<Component>> = (0..n_points).map(lone).collect();
        for link in tree {
            let (a, b) = (sets.root(link.from), sets.root(link.to));
            let (into, from) = (a.min(b), a.max(b));
            if let (Some(one), Some(other)) = (components[into].take(), components[from].take()) {
                components[into] = Some(condensed.merged(one, other, 1.0 / link.length.max(floor)));
                sets.join_roots(from, into);
            }
        }
        for component in components.into_iter().flatten() {
            if let Component::Cluster(cluster) = component {
                condensed.roots.push(cluster.number);
                condensed.close(&cluster, 0.0);
            }
        }
        condensed
    }

    /// The component of two that are joined at a level.
    fn merged(&mut self, one: Component, other: Component, level: f64) -> Component {
        use Component::{Cluster, Few};
        match (one, other) {
            (Few { mut points, weight }, Few { points: mut others, weight: other }) => {
                if points.len() < others.len() {
                    std::mem::swap(&mut points, &mut others);
                }
                points.append(&mut others);
                self.some(points, weight + other, level)
            }
            // Points that are no cluster fall out of the other at this level.
            (Few { points, weight }, Cluster(own)) | (Cluster(own), Few { points, weight }) => {
                self.place(&points, own.number);
                let levels = own.levels + weight * level;
                Cluster(Growing { weight: own.weight + weight, levels, ..own })
            }
            // Links of one length are there at once: what has only begun at this level is no cluster of its own.
            (Cluster(one), Cluster(other)) if one.begins_at(level) => Cluster(self.absorbed(&one, other)),
            (Cluster(one), Cluster(other)) if other.begins_at(level) => Cluster(self.absorbed(&other, one)),
            (Cluster(one), Cluster(other)) => {
                self.close(&one, level);
                self.close(&other, level);
                let children = Some([one.number, other.number]);
                Cluster(self.opened(children, one.weight + other.weight, level))
            }
        }
    }

    /// A component of these points, which are together up to a level: a cluster, if they are enough.
    fn some(&mut self, points: Vec<u32>, weight: f64, level: f64) -> Component {
        if weight < LEAST_SIZE {
            return Component::Few { points, weight };
        }
        let cluster = self.opened(None, weight, level);
        self.place(&points, cluster.number);
        Component::Cluster(cluster)
    }

    /// A cluster with the points of one that begins where they are joined.
    fn absorbed(&mut self, begun: &Growing, mut into: Growing) -> Growing {
        self.nodes[begun.number as usize].is_part_of = Some(into.number);
        into.weight += begun.weight;
        into.levels += begun.levels;
        into
    }

    /// A new cluster, all of whose points leave it at a level.
    fn opened(&mut self, children: Option<[u32; 2]>, weight: f64, level: f64) -> Growing {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { children, best: Vec::new(), is_best: false, is_part_of: None });
        Growing { number, children, weight, levels: weight * level, level }
    }

    /// Settles a cluster that appears at a level.
    fn close(&mut self, cluster: &Growing, level: f64) {
        let mass = cluster.levels - cluster.weight * level;
        let mut best = cluster.children.map_or_else(Vec::new, |children| {
            let [a, b] = children.map(|child| self.nodes[child as usize].best.as_slice());
            joined(a, b)
        });
        // The best single cluster inside it, if there is any.
        let inside = best.first().copied().unwrap_or(0.0);
        best.resize(best.len().max(1), 0.0);
        best[0] = mass.max(inside);
        let node = &mut self.nodes[cluster.number as usize];
        (node.best, node.is_best) = (best, mass >= inside);
    }

    /// These points leave this cluster alone, not with one inside it.
    fn place(&mut self, points: &[u32], number: u32) {
        points.iter().for_each(|&i| self.smallest[i as usize] = number);
    }

    /// Returns the labels of the clusters whose excess of mass is greatest among all sets of `n_clusters` of them, no two inside one
    /// another; the points outside take the label that is first reached along the tree. `None` if there are fewer.
    pub(crate) fn labels(&self, tree: &[Link], n_clusters: usize) -> Option<Labels> {
        let chosen = self.chosen(n_clusters)?;
        let mut label = vec![NONE; self.nodes.len()];
        chosen.iter().enumerate().for_each(|(at, &node)| label[node as usize] = at as u32);
        for number in (0..self.nodes.len()).rev() {
            let own = label[number];
            if own != NONE {
                let inside = self.nodes[number].children.into_iter().flatten();
                inside.for_each(|child| label[child as usize] = own);
            }
        }
        let whole = |node: u32| {
            std::iter::successors(Some(node), |&at| self.nodes.get(at as usize)?.is_part_of).last()
        };
        let of_point = |&node: &u32| label.get(whole(node)? as usize).copied().filter(|&own| own != NONE);
        let known = self.smallest.iter().enumerate();
        let known = known.filter_map(|(i, node)| of_point(node).map(|own| (i, own as usize)));
        Some(Labels::new(&spread(tree, self.smallest.len(), known)))
    }

    /// The clusters that are chosen.
    fn chosen(&self, n_clusters: usize) -> Option<Vec<u32>> {
        let &[root] = self.roots.as_slice() else { return None };
        if n_clusters == 0 || n_clusters > self.nodes[root as usize].best.len() {
            return None;
        }
        let (mut chosen, mut left) = (Vec::new(), vec![(root, n_clusters)]);
        while let Some((number, count)) = left.pop() {
            let node = &self.nodes[number as usize];
            match node.children {
                Some(children) if count > 1 || !node.is_best => {
                    let [a, b] = children.map(|child| self.nodes[child as usize].best.as_slice());
                    let of_first = division(a, b, count);
                    let counts = [of_first, count - of_first];
                    left.extend(children.into_iter().zip(counts).filter(|&(_, count)| count > 0));
                }
                _ => chosen.push(number),
            }
        }
        chosen.sort_unstable();
        Some(chosen)
    }
}

/// The greatest sum for `count` clusters, of which some are in one child and the rest in the other: how many in the first.
fn division(a: &[f64], b: &[f64], count: usize) -> usize {
    let sum = |first: usize| at(a, first) + at(b, count - first);
    let possible = count.saturating_sub(b.len())..=count.min(a.len());
    possible.reduce(|best, first| if sum(first) > sum(best) { first } else { best }).unwrap_or(0)
}

/// The greatest sum of some number of clusters of a child; nothing for none.
fn at(best: &[f64], count: usize) -> f64 {
    if count == 0 { 0.0 } else { best[count - 1] }
}

/// For 1, 2, .. clusters of two children together the greatest sum.
fn joined(a: &[f64], b: &[f64]) -> Vec<f64> {
    let most = (a.len() + b.len()).min(MOST);
    (1..=most)
        .map(|count| {
            let first = division(a, b, count);
            at(a, first) + at(b, count - first)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A chain of points with these gaps, its links shortest first.
    fn chain(gaps: &[f64]) -> Vec<Link> {
        let link = |(from, &length): (usize, &f64)| Link { from, to: from + 1, length };
        let mut tree: Vec<Link> = gaps.iter().enumerate().map(link).collect();
        tree.sort_by(|a, b| a.length.total_cmp(&b.length));
        tree
    }

    fn condensed(tree: &[Link]) -> CondensedTree {
        CondensedTree::new(tree, tree.len() + 1, 1e-9, None)
    }

    #[test]
    fn excess_of_mass_by_hand() {
        // Five points at gaps of 1, five at gaps of 0.5, and 4 between them.
        let tree = chain(&[1.0, 1.0, 1.0, 1.0, 4.0, 0.5, 0.5, 0.5, 0.5]);
        let found = condensed(&tree);
        // 5 (1 - 1/4) and 5 (2 - 1/4); both together last from 0 to 1/4.
        let mut best: Vec<Vec<f64>> = found.nodes.iter().map(|node| node.best.clone()).collect();
        best.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a.len().cmp(&b.len())));
        assert_eq!(best, [vec![3.75], vec![8.75], vec![8.75, 12.5]]);
        assert_eq!(found.labels(&tree, 2).unwrap().as_slice(), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        // The one cluster with the greatest excess takes all points.
        assert_eq!(found.labels(&tree, 1).unwrap().as_slice(), [0; 10]);
        assert!(found.labels(&tree, 3).is_none() && found.labels(&tree, 0).is_none());
        // A sixth point at a distance of 2 falls out of the second cluster, and belongs to it all the same.
        let longer = chain(&[1.0, 1.0, 1.0, 1.0, 4.0, 0.5, 0.5, 0.5, 0.5, 2.0]);
        assert_eq!(condensed(&longer).labels(&longer, 2).unwrap().sizes(), [5, 6]);
    }

    #[test]
    fn a_weight_is_so_many_points() {
        // Three points of weight 5, 5 and 2, and as many copies of each.
        let tree = chain(&[3.0, 2.0]);
        let weighted = CondensedTree::new(&tree, 3, 0.5, Some(&[5.0, 5.0, 2.0]));
        assert_eq!(weighted.labels(&tree, 2).unwrap().as_slice(), [0, 1, 1]);
        let copies = chain(&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
        let copied = CondensedTree::new(&copies, 12, 0.5, None);
        assert_eq!(copied.labels(&copies, 2).unwrap().sizes(), [5, 7]);
        let best = |found: &CondensedTree| found.nodes[found.roots[0] as usize].best.clone();
        assert_eq!(best(&weighted), best(&copied));
    }

    /// Every set of clusters of which none is inside another, with the sum of their excesses of mass, found by trying all.
    fn all_sets(found: &CondensedTree, masses: &[f64], node: u32) -> Vec<(Vec<u32>, f64)> {
        let mut sets = vec![(Vec::new(), 0.0)];
        if let Some([a, b]) = found.nodes[node as usize].children {
            sets.clear();
            for (first, sum) in all_sets(found, masses, a) {
                for (second, other) in all_sets(found, masses, b) {
                    sets.push(([first.clone(), second].concat(), sum + other));
                }
            }
        }
        sets.push((vec![node], masses[node as usize]));
        sets
    }

    proptest! {
        #[test]
        fn the_chosen_clusters_have_the_greatest_excess_of_all(
            gaps in proptest::collection::vec(1u8..30, 4..60), n_clusters in 1usize..6,
        ) {
            let tree = chain(&gaps.iter().map(|&gap| f64::from(gap)).collect::<Vec<f64>>());
            let found = condensed(&tree);
            // The excess of each cluster, from its definition: its points leave it one by one, or at its end.
            let masses = masses(&found, &tree);
            let sets = all_sets(&found, &masses, found.roots[0]);
            let best = sets.iter().filter(|(set, _)| set.len() == n_clusters).map(|&(_, sum)| sum).reduce(f64::max);
            let chosen = found.chosen(n_clusters);
            prop_assert_eq!(chosen.is_some(), best.is_some());
            if let (Some(chosen), Some(best)) = (chosen, best) {
                let sum: f64 = chosen.iter().map(|&node| masses[node as usize]).sum();
                prop_assert!((sum - best).abs() <= 1e-9 * best.abs().max(1.0), "{sum} {best}");
                let labels = found.labels(&tree, n_clusters).unwrap();
                prop_assert_eq!(labels.n_clusters(), n_clusters);
            }
        }
    }

    /// The excess of mass of every cluster: the points of it that are together in a component of five or more at each level,
    /// added up level by level.
    fn masses(found: &CondensedTree, tree: &[Link]) -> Vec<f64> {
        let n_points = tree.len() + 1;
        let inside = |node: u32, i: usize| {
            let mut at = found.smallest[i];
            while let Some(whole) = found.nodes.get(at as usize).and_then(|own| own.is_part_of) {
                at = whole;
            }
            while at != NONE && at != node {
                let parent = |up: &Node| up.children.is_some_and(|children| children.contains(&at));
                at = found.nodes.iter().position(parent).map_or(NONE, |up| up as u32);
            }
            at == node
        };
        let mut levels: Vec<f64> = tree.iter().map(|link| 1.0 / link.length).collect();
        levels.push(0.0);
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let of = |node: u32| {
            let members: Vec<usize> = (0..n_points).filter(|&i| inside(node, i)).collect();
            let mut mass = 0.0;
            for step in levels.windows(2) {
                // Between two levels the links up to the upper level are there.
                let mut sets = DisjointSets::new(n_points);
                let there = tree.iter().filter(|link| 1.0 / link.length >= step[1]);
                for link in there {
                    sets.join(link.from, link.to);
                }
                let roots: Vec<usize> = members.iter().map(|&i| sets.root(i)).collect();
                let size = |root: usize| (0..n_points).filter(|&i| sets.clone().root(i) == root).count();
                let large: Vec<usize> = roots.iter().copied().filter(|&root| size(root) >= 5).collect();
                // It has fallen into two, or apart.
                if large.is_empty() || large.iter().any(|&root| root != large[0]) {
                    break;
                }
                // All of the component are its points, or it has not appeared yet.
                if size(large[0]) == large.len() {
                    mass += large.len() as f64 * (step[1] - step[0]);
                }
            }
            mass
        };
        (0..found.nodes.len() as u32).map(of).collect()
    }
}
