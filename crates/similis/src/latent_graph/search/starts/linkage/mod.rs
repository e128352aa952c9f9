//! Linkage along a tree: its links are contracted one after the other until the wanted number of components is left.

pub(crate) mod contraction;

use crate::constraints::Constraints;
use crate::constraints::joined::Parts;
use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use contraction::Contraction;

/// The order in which the links of a tree were contracted: one partition for every number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linkage {
    n_points: usize,
    /// The ends of the links, first to last.
    merges: Vec<[u32; 2]>,
}

impl Linkage {
    /// Links of a spanning tree in the order of their contraction.
    pub(crate) fn new(n_points: usize, merges: impl Iterator<Item = Link>) -> Self {
        Self { n_points, merges: merges.map(|link| [link.from as u32, link.to as u32]).collect() }
    }

    /// The links in the order of their contraction, without their lengths.
    fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.merges.iter().map(|&[from, to]| Link { from: from as usize, to: to as usize, length: 0.0 })
    }

    /// Returns the partition into `n_clusters` components (at most as many as points).
    pub(crate) fn cut(&self, n_clusters: usize) -> Labels {
        let n_joined = self.n_points.saturating_sub(n_clusters);
        components(self.n_points, self.links().take(n_joined))
    }

    /// The merges that are left where there are `n_clusters` components.
    pub(crate) fn merges_from(&self, n_clusters: usize) -> impl Iterator<Item = Link> + '_ {
        self.links().skip(self.n_points.saturating_sub(n_clusters))
    }

    /// As [`Linkage::cut`], of the linkage that begins with must-link groups and leaves out merges of cannot-link points;
    /// `None` where that ends with more components.
    ///
    /// Where each of `n_clusters` labels is known for some point, every other point has the label that the links contracted
    /// first lead to: labels propagate until they meet.
    pub(crate) fn obeying_cut(&self, n_clusters: usize, constraints: &Constraints) -> Option<Labels> {
        let mut parts = Parts::new(constraints);
        for link in self.links() {
            if parts.n_parts() > n_clusters {
                parts.join(link.from, link.to);
            }
        }
        parts.join_rest(n_clusters);
        (parts.n_parts() == n_clusters).then(|| parts.labels())
    }
}

/// How strongly components of similar sizes are preferred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Balance {
    /// As [`SizePrior::Dirichlet`](crate::latent_graph::model::prior::SizePrior::Dirichlet) has it: $\log n! - (n - 2) \log n$
    /// for a part of n points.
    Dirichlet,
    /// $-\kappa n \log n$; 0 is the paper's constant, 1 counts trees but not labels.
    Kappa(f64),
}

/// The log joint of one component, its scale integrated out.
///
/// $$ \log \int \text{Exp}(b) \prod_{e} \beta e^{-\beta L_e} d\beta = \log b + \log (n - 1)! - n \log (b + S) $$
///
/// for a tree of $n - 1$ links of total length $S$, where the rate $\beta$ has the prior of shape 1 and rate b, the mean link;
/// and the [`Balance`].
#[derive(Debug)]
pub(crate) struct PartJoint {
    pub(crate) mean_link: f64,
    log_mean_link: f64,
    /// The least length of a link.
    pub(crate) floor: f64,
    pub(crate) balance: Balance,
    /// The log density of a link without a finite length; minus infinity: such links come last.
    log_join: f64,
    logs: Vec<f64>,
    log_factorials: Vec<f64>,
}

/// The statistics that the joint of a component depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) size: usize,
    /// The total length of its links.
    pub(crate) length: f64,
    /// Links without a finite length.
    pub(crate) n_joins: usize,
}

impl PartJoint {
    pub(crate) fn new(mean_link: f64, floor: f64, balance: Balance, n_points: usize) -> Self {
        let logs: Vec<f64> = (0..=n_points).map(|n| (n as f64).ln()).collect();
        let mut log_factorials = vec![0.0; n_points + 1];
        (1..=n_points).for_each(|n| log_factorials[n] = log_factorials[n - 1] + logs[n]);
        let log_mean_link = mean_link.ln();
        Self { mean_link, log_mean_link, floor, balance, log_join: f64::NEG_INFINITY, logs, log_factorials }
    }

    /// The same, where links without a finite length have this log density.
    pub(crate) fn joining(self, log_join: f64) -> Self {
        Self { log_join, ..self }
    }

    pub(crate) fn log_joint(&self, part: Part) -> f64 {
        let (n, size) = (part.size, part.size as f64);
        let n_lengths = n - 1 - part.n_joins;
        let links = self.log_mean_link + self.log_factorials[n_lengths]
            - (n_lengths + 1) as f64 * (self.mean_link + part.length).ln();
        let joins = if part.n_joins > 0 { part.n_joins as f64 * self.log_join } else { 0.0 };
        let sizes = match self.balance {
            Balance::Dirichlet => self.log_factorials[n] - (size - 2.0) * self.logs[n],
            Balance::Kappa(kappa) => -kappa * size * self.logs[n],
        };
        links + sizes + joins
    }

    /// The component that a link of this length makes of two.
    pub(crate) fn joined(&self, a: Part, b: Part, length: f64) -> Part {
        let (size, n_joins) = (a.size + b.size, a.n_joins + b.n_joins);
        if length.is_finite() {
            return Part { size, length: a.length + b.length + length.max(self.floor), n_joins };
        }
        Part { size, length: a.length + b.length, n_joins: n_joins + 1 }
    }

    /// The gain in log joint if a link of this length joins two components.
    pub(crate) fn gain(&self, a: Part, b: Part, length: f64) -> f64 {
        self.log_joint(self.joined(a, b, length)) - self.log_joint(a) - self.log_joint(b)
    }
}

/// Returns the contraction of the tree's links in the order of the gain in log joint, each component with its own scale;
/// links without a finite length come last, unless the joint has a density for them.
///
/// The gain of every link that leaves a component changes when the component grows. Where there are many (one point that all
/// others are linked to), updating them would take $O(n^2)$: the order of such links is by slightly outdated gains.
pub(crate) fn likelihood_linkage(tree: &[Link], n_points: usize, joint: &PartJoint) -> Linkage {
    let joins = joint.log_join > f64::NEG_INFINITY;
    let is_weighed = |link: &&Link| link.length.is_finite() || joins;
    let unobserved = tree.iter().filter(|link| !is_weighed(link)).copied();
    let contraction = Contraction::new(tree.iter().filter(is_weighed).copied(), n_points, joint);
    Linkage::new(n_points, contraction.map(|(link, _)| link).chain(unobserved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::stream;
    use rand::RngExt;

    /// The balances that the tests try.
    const BALANCES: [Balance; 3] = [Balance::Dirichlet, Balance::Kappa(0.1), Balance::Kappa(0.3)];

    /// A random tree; `lattice`: with many links of the same length, some of length 0.
    fn random_tree(n_points: usize, lattice: bool, number: u64) -> Vec<Link> {
        let mut random = stream(5, number);
        let link = |to: usize| {
            let length: f64 = random.random_range(0.0..3.0);
            let from = random.random_range(to.saturating_sub(4)..to);
            Link { from, to, length: if lattice { length.floor() } else { length } }
        };
        (1..n_points).map(link).collect()
    }

    fn joint(n_points: usize, balance: Balance) -> PartJoint {
        PartJoint::new(1.3, 0.01, balance, n_points)
    }

    /// The log joint of the forest that some links make, from scratch.
    fn forest_joint(n_points: usize, links: &[Link], joint: &PartJoint) -> f64 {
        let labels = components(n_points, links.iter().copied());
        let mut parts: Vec<Part> =
            labels.sizes().iter().map(|&size| Part { size, length: 0.0, n_joins: 0 }).collect();
        for link in links {
            parts[labels.as_slice()[link.from]].length += link.length.max(joint.floor);
        }
        parts.iter().map(|&part| joint.log_joint(part)).sum()
    }

    #[test]
    fn the_joint_of_a_part_by_hand() {
        // Two points, one link of length 2, b = 1: integral of exp(-r) r exp(-2 r) dr = 1 / 9; sizes: log 2! - 0.
        let joint = PartJoint::new(1.0, 0.01, Balance::Dirichlet, 2);
        let found = joint.log_joint(Part { size: 2, length: 2.0, n_joins: 0 });
        assert!((found - (2f64.ln() - 9f64.ln())).abs() < 1e-15);
        assert_eq!(joint.log_joint(Part { size: 1, length: 0.0, n_joins: 0 }), 0.0);
    }

    #[test]
    fn gains_are_differences_of_the_log_joint_and_the_greatest_there_are() {
        for number in 0..60 {
            let n = 2 + number as usize % 23;
            let tree = random_tree(n, number % 2 == 0, number);
            for balance in BALANCES {
                let joint = joint(n, balance);
                let mut done: Vec<Link> = Vec::new();
                for (merge, gain) in Contraction::new(tree.iter().copied(), n, &joint) {
                    let before = forest_joint(n, &done, &joint);
                    let gain_of = |link: &Link| {
                        let with = [&done[..], &[*link]].concat();
                        forest_joint(n, &with, &joint) - before
                    };
                    assert!((gain_of(&merge) - gain).abs() < 1e-9);
                    let left = tree.iter().filter(|link| !done.contains(link));
                    assert!(left.map(gain_of).all(|other| other <= gain + 1e-9));
                    done.push(merge);
                }
                assert_eq!(done.len(), n - 1);
            }
        }
    }

    #[test]
    fn every_number_of_parts_can_be_had_and_fewer_parts_join_more() {
        let tree = random_tree(40, true, 0);
        let linkage = likelihood_linkage(&tree, 40, &joint(40, Balance::Dirichlet));
        for m in 1..=40 {
            assert_eq!(linkage.cut(m).n_clusters(), m);
        }
        let (finer, coarser) = (linkage.cut(7), linkage.cut(6));
        let both: Vec<_> = finer.as_slice().iter().zip(coarser.as_slice()).collect();
        assert_eq!(Labels::new(&both), finer);
    }

    #[test]
    fn gains_at_a_hub_of_all_points_add_up_to_the_joint_of_its_tree() {
        // As the tree of points that all coincide. In O(n^2) it would take minutes.
        let n = 30_000;
        let tree: Vec<Link> = (1..n).map(|to| Link { from: 0, to, length: (to % 7) as f64 }).collect();
        for balance in BALANCES {
            let joint = joint(n, balance);
            assert_eq!(likelihood_linkage(&tree, n, &joint).cut(5).n_clusters(), 5);
            let total: f64 = Contraction::new(tree.iter().copied(), n, &joint).map(|(_, gain)| gain).sum();
            let whole = forest_joint(n, &tree, &joint);
            assert!((total / whole - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn links_without_a_length_come_last() {
        let mut tree = random_tree(20, false, 3);
        tree[4].length = f64::NAN;
        tree[9].length = f64::INFINITY;
        let linkage = likelihood_linkage(&tree, 20, &joint(20, Balance::Kappa(0.1)));
        let finite: Vec<Link> = tree.iter().copied().filter(|link| link.length.is_finite()).collect();
        assert_eq!(linkage.cut(3), components(20, finite.into_iter()));
        assert_eq!(linkage.cut(1).n_clusters(), 1);
    }
}
