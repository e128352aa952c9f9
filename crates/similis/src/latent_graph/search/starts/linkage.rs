//! Linkage along a tree: its links are contracted one after the other until the wanted number of components is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::constraints::Constraints;
use crate::constraints::joined::Parts;
use crate::graph::disjoint_sets::{DisjointSets, components};
use crate::graph::link::Link;
use crate::input::labels::Labels;

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
    /// The least length of a link.
    pub(crate) floor: f64,
    pub(crate) balance: Balance,
    /// The log density of a link without a finite length; minus infinity: such links come last.
    log_join: f64,
    log_mean_link: f64,
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

/// The statistics of a point by itself.
const SINGLE: Part = Part { size: 1, length: 0.0, n_joins: 0 };

impl PartJoint {
    pub(crate) fn new(mean_link: f64, floor: f64, balance: Balance, n_points: usize) -> Self {
        let logs: Vec<f64> = (0..=n_points).map(|n| (n as f64).ln()).collect();
        let mut log_factorials = vec![0.0; n_points + 1];
        (1..=n_points).for_each(|n| log_factorials[n] = log_factorials[n - 1] + logs[n]);
        let log_mean_link = mean_link.ln();
        Self { mean_link, floor, balance, log_join: f64::NEG_INFINITY, log_mean_link, logs, log_factorials }
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

    fn joined(&self, a: Part, b: Part, length: f64) -> Part {
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

/// Number of outgoing links above which a component is a hub, whose proposals are renewed only when it has grown by
/// [`HUB_GROWTH`]. Bounds the time; not tuned.
const HUB: usize = 64;

/// Fraction of its size by which a hub grows before its proposals are renewed. Bounds the time; not tuned.
const HUB_GROWTH: f64 = 1.0 / 8.0;

/// Proposals for each link above which outdated ones are removed from the queue. Bounds the memory; not tuned.
const MOST_PROPOSALS: usize = 4;

/// Returns the contraction of the tree's links in the order of the gain in log joint, each component with its own scale;
/// links without a finite length come last, unless the joint has a density for them.
///
/// The gain of every link that leaves a component changes when the component grows. Where there are many (one point that all
/// others are linked to), updating them would take $O(n^2)$: the order of such links is by slightly outdated gains.
pub(crate) fn likelihood_linkage(tree: &[Link], n_points: usize, joint: &PartJoint) -> Linkage {
    let joins = joint.log_join > f64::NEG_INFINITY;
    let (links, unobserved): (Vec<Link>, Vec<Link>) =
        tree.iter().partition(|link| link.length.is_finite() || joins);
    let merges = Contraction::new(&links, n_points, joint).run();
    Linkage::new(n_points, merges.into_iter().map(|(link, _)| link).chain(unobserved))
}

/// A link that may be contracted next; the greatest gain comes first, of equal ones the first link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Proposal {
    /// A number that rises with the gain.
    rank: u64,
    link: Reverse<u32>,
    /// The size of the merged component when it was proposed: if it differs now, the gain is outdated.
    size: u32,
}

impl Proposal {
    fn new(gain: f64, link: u32, size: u32) -> Self {
        // In the order of the bits the negative numbers come last, and the wrong way round.
        let bits = gain.to_bits();
        let rank = if gain.is_sign_negative() { !bits } else { bits | 1 << 63 };
        Self { rank, link: Reverse(link), size }
    }
}

/// The state of likelihood linkage; components are identified by their root.
struct Contraction<'a> {
    tree: &'a [Link],
    joint: &'a PartJoint,
    joined: DisjointSets,
    parts: Vec<Part>,
    /// The log joint of each component.
    log_joints: Vec<f64>,
    /// The size of each component when its proposals were last renewed: its present size, except for hubs.
    proposed_size: Vec<u32>,
    /// The links that leave each component; among those of a hub there may be contracted ones.
    leaving: Vec<Vec<u32>>,
    proposals: BinaryHeap<Proposal>,
}

impl<'a> Contraction<'a> {
    fn new(tree: &'a [Link], n_points: usize, joint: &'a PartJoint) -> Self {
        let mut leaving = vec![Vec::new(); n_points];
        for (at, link) in tree.iter().enumerate() {
            leaving[link.from].push(at as u32);
            leaving[link.to].push(at as u32);
        }
        let mut contraction = Self {
            tree,
            joint,
            joined: DisjointSets::new(n_points),
            log_joints: vec![joint.log_joint(SINGLE); n_points],
            parts: vec![SINGLE; n_points],
            proposed_size: vec![1; n_points],
            leaving,
            proposals: BinaryHeap::new(),
        };
        (0..tree.len()).for_each(|link| contraction.propose(link as u32));
        contraction
    }

    /// The links in the order of their contraction, and what each added to the log joint.
    fn run(mut self) -> Vec<(Link, f64)> {
        let n_links = self.tree.len();
        let mut merges = Vec::with_capacity(n_links);
        while let Some(proposal) = self.proposals.pop() {
            if self.is_current(&proposal) {
                let link = proposal.link.0;
                merges.push((self.tree[link as usize], self.contract(link)));
            }
            if self.proposals.len() > MOST_PROPOSALS * n_links {
                self.forget_outdated();
            }
        }
        merges
    }

    /// The components that a link joins.
    fn ends(&mut self, link: u32) -> [usize; 2] {
        let Link { from, to, .. } = self.tree[link as usize];
        [self.joined.root(from), self.joined.root(to)]
    }

    fn is_current(&mut self, proposal: &Proposal) -> bool {
        let [a, b] = self.ends(proposal.link.0);
        a != b && self.proposed_size[a] + self.proposed_size[b] == proposal.size
    }

    fn forget_outdated(&mut self) {
        let mut proposals = std::mem::take(&mut self.proposals);
        proposals.retain(|proposal| self.is_current(proposal));
        self.proposals = proposals;
    }

    /// The gain in log joint of a link.
    fn gain(&mut self, link: u32) -> f64 {
        let ([a, b], length) = (self.ends(link), self.tree[link as usize].length);
        let joined = self.joint.joined(self.parts[a], self.parts[b], length);
        self.joint.log_joint(joined) - self.log_joints[a] - self.log_joints[b]
    }

    fn propose(&mut self, link: u32) {
        let gain = self.gain(link);
        let [a, b] = self.ends(link).map(|end| self.proposed_size[end]);
        self.proposals.push(Proposal::new(gain, link, a + b));
    }

    /// Merges two components; returns the gain.
    fn contract(&mut self, link: u32) -> f64 {
        let gain = self.gain(link);
        let [a, b] = self.ends(link);
        let (small, large) = if self.leaving[a].len() < self.leaving[b].len() { (a, b) } else { (b, a) };
        let part = self.joint.joined(self.parts[a], self.parts[b], self.tree[link as usize].length);
        self.joined.join_roots(small, large);
        self.parts[large] = part;
        self.log_joints[large] = self.joint.log_joint(part);
        let few = std::mem::take(&mut self.leaving[small]);
        let n_before = self.leaving[large].len();
        self.leaving[large].extend(few);
        let grown = part.size as f64 > (1.0 + HUB_GROWTH) * f64::from(self.proposed_size[large]);
        if self.leaving[large].len() <= HUB || grown {
            self.proposed_size[large] = part.size as u32;
            self.renew(large, 0);
        } else {
            self.renew(large, n_before);
        }
        gain
    }

    /// Proposes the links of a component again, from the given one on; contracted ones are dropped.
    fn renew(&mut self, part: usize, first: usize) {
        let renewed = self.leaving[part].split_off(first);
        for link in renewed {
            let [a, b] = self.ends(link);
            if a != b {
                self.leaving[part].push(link);
                self.propose(link);
            }
        }
    }
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
                for (merge, gain) in Contraction::new(&tree, n, &joint).run() {
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
            assert_eq!(likelihood_linkage(&tree, n, &joint(n, balance)).cut(5).n_clusters(), 5);
            let total: f64 =
                Contraction::new(&tree, n, &joint(n, balance)).run().iter().map(|(_, gain)| gain).sum();
            let whole = forest_joint(n, &tree, &joint(n, balance));
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
