//! Side information, checked: which points move together, and which never share a cluster.
//!
//! A must-link group (`Block`) is a set of points that must share a cluster: those of a known label, and those that a chain of
//! must-links joins. Two groups *conflict* if a cannot-link lies between them, or if both have a known label. A partition obeys
//! if every group is in one cluster and no two groups in conflict share one: a colouring of the conflict graph.

pub(crate) mod assign;
pub(crate) mod colouring;
pub(crate) mod equal;
pub(crate) mod held_out;
pub(crate) mod joined;
pub(crate) mod seen;
pub(crate) mod side_information;
pub(crate) mod sizes;
pub(crate) mod soft;
pub(crate) mod ties;

use crate::error::{ConstraintError, Error};
use crate::input::labels::Labels;
use colouring::{Colouring, colour, large_clique};
use side_information::SideInformation;
use soft::Soft;
use ties::Ties;

/// The group of an unconstrained point.
const FREE: u32 = u32::MAX;

/// A must-link group, a single point with cannot-links, or a group of equal points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block {
    /// Its points, rising.
    members: Vec<usize>,
    /// Whether it has a known label.
    named: bool,
    /// The groups that it conflicts with, rising.
    conflicts: Vec<usize>,
}

/// Side information without contradictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Constraints {
    n_points: usize,
    /// The group of each point, `FREE` for unconstrained points; empty if there are no constraints.
    block_of: Vec<u32>,
    blocks: Vec<Block>,
    /// Number of groups that side information names; the others, which follow them, are equal points that stay together.
    n_told: usize,
    /// Pairs that a partition need not obey.
    soft: Soft,
}

/// No constraints.
#[cfg(test)]
pub(crate) static NONE: std::sync::LazyLock<Constraints> = std::sync::LazyLock::new(Constraints::default);

impl Constraints {
    /// Returns the groups and conflicts of `n_points` points.
    ///
    /// # Errors
    ///
    /// [`Error::Constraints`], and where pieces contradict each other
    /// [`Error::Constraints`].
    pub(crate) fn new(side: &SideInformation, n_points: usize) -> Result<Self, Error> {
        check_places(side, n_points)?;
        let soft = Soft::new(&side.soft_pairs, n_points);
        if !side.is_hard() {
            return Ok(Self { n_points, soft, ..Self::default() });
        }
        let ties = Ties::new(side, n_points);
        ties.check_labels()?;
        let groups = ties.groups();
        for &(first, second) in &side.cannot_link {
            if groups.as_slice()[first] == groups.as_slice()[second] {
                return Err(ties.contradiction(first, second));
            }
        }
        Ok(Self { soft, ..Self::of_groups(side, &groups) })
    }

    /// The constraints that soft pairs would be if they were certain; where that is a contradiction, those of points that are probably
    /// together. `None` where there are no soft pairs.
    pub(crate) fn as_if_certain(&self) -> Option<Self> {
        let [must_link, cannot_link] = Some(&self.soft).filter(|soft| !soft.is_empty())?.as_certain();
        let side = SideInformation { must_link, cannot_link, ..SideInformation::default() };
        let together = || SideInformation { cannot_link: Vec::new(), ..side.clone() };
        Self::new(&side, self.n_points).or_else(|_| Self::new(&together(), self.n_points)).ok()
    }

    /// The must-link groups of tied points, and their conflicts.
    fn of_groups(side: &SideInformation, groups: &Labels) -> Self {
        let n_points = groups.n_points();
        let mut named = vec![false; groups.n_clusters()];
        let mut bound: Vec<bool> = groups.sizes().iter().map(|&size| size > 1).collect();
        for (known, &group) in side.known_labels.iter().zip(groups.as_slice()) {
            named[group] |= known.is_some();
            bound[group] |= known.is_some();
        }
        let ends = |&(first, second): &(usize, usize)| [first, second].map(|i| groups.as_slice()[i]);
        side.cannot_link.iter().flat_map(ends).for_each(|group| bound[group] = true);
        let mut numbers = vec![FREE; groups.n_clusters()];
        let bound_groups = (0..groups.n_clusters()).filter(|&group| bound[group]);
        let mut blocks = Vec::new();
        for group in bound_groups {
            numbers[group] = blocks.len() as u32;
            blocks.push(Block { named: named[group], ..Block::default() });
        }
        let block_of: Vec<u32> = groups.as_slice().iter().map(|&group| numbers[group]).collect();
        for (i, &block) in block_of.iter().enumerate().filter(|&(_, &block)| block != FREE) {
            blocks[block as usize].members.push(i);
        }
        let n_told = blocks.len();
        let mut constraints = Self { n_points, block_of, blocks, n_told, soft: Soft::default() };
        constraints.add_conflicts(&side.cannot_link);
        constraints
    }

    /// Pairs of points that share a cluster; chains of them connect every group.
    pub(crate) fn ties(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocks.iter().flat_map(|block| block.members.windows(2).map(|pair| (pair[0], pair[1])))
    }

    fn add_conflicts(&mut self, cannot_link: &[(usize, usize)]) {
        let named: Vec<usize> = (0..self.blocks.len()).filter(|&block| self.blocks[block].named).collect();
        let apart = named.iter().enumerate().flat_map(|(at, &a)| named[..at].iter().map(move |&b| (a, b)));
        let linked = cannot_link.iter().map(|&(i, j)| (self.block_of[i] as usize, self.block_of[j] as usize));
        let conflicts: Vec<(usize, usize)> = apart.chain(linked).collect();
        for (a, b) in conflicts {
            self.blocks[a].conflicts.push(b);
            self.blocks[b].conflicts.push(a);
        }
        for block in &mut self.blocks {
            block.conflicts.sort_unstable();
            block.conflicts.dedup();
        }
    }

    /// The same constraints for points in another order: `order[new]` is the old number of a point.
    pub(crate) fn in_order(&self, order: &[usize]) -> Self {
        let soft = self.soft.in_order(order);
        if self.is_empty() {
            return Self { soft, ..self.clone() };
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let mut blocks = self.blocks.clone();
        for block in &mut blocks {
            block.members.iter_mut().for_each(|i| *i = place[*i]);
            block.members.sort_unstable();
        }
        Self { block_of: order.iter().map(|&i| self.block_of[i]).collect(), blocks, soft, ..*self }
    }

    /// Returns an error unless some partition into exactly `n_clusters` clusters obeys.
    ///
    /// # Errors
    ///
    /// [`Error::Constraints`].
    pub(crate) fn check(&self, n_clusters: usize) -> Result<(), Error> {
        let n_named = self.n_named();
        if n_named > n_clusters {
            return Err(Error::Constraints(ConstraintError::KnownClasses { given: n_named, n_clusters }));
        }
        let most = self.most_clusters();
        if most < n_clusters {
            let tied = self.blocks.iter().any(|block| !block.named && block.members.len() > 1);
            let (given, wanted) = (most - n_named, n_clusters - n_named);
            return Err(if tied {
                Error::Constraints(ConstraintError::MustLinkTooMany { given: most, n_clusters })
            } else {
                Error::Constraints(ConstraintError::KnownTooMany { given, wanted, n_clusters })
            });
        }
        match colour(self.told(), n_clusters) {
            Colouring::Found(_) => Ok(()),
            missing => Err(self.too_few_colours(n_clusters, missing == Colouring::Impossible)),
        }
    }

    fn too_few_colours(&self, n_clusters: usize, proven: bool) -> Error {
        let clique = large_clique(self.told());
        if clique.len() <= n_clusters {
            return Error::Constraints(ConstraintError::CannotLinkTooMany { n_clusters, proven });
        }
        let points = clique.iter().take(n_clusters + 1).map(|&block| self.blocks[block].members[0]);
        Error::Constraints(ConstraintError::CannotLinkClique { points: points.collect(), n_clusters })
    }

    /// The number of clusters nearest to `wanted` that obeying partitions can have.
    pub(crate) fn n_clusters_near(&self, wanted: usize) -> usize {
        if self.is_empty() {
            return wanted;
        }
        let least = large_clique(self.told()).len().max(1);
        let mut n_clusters = wanted.min(self.most_clusters()).max(least);
        while n_clusters < self.most_clusters() && self.check(n_clusters).is_err() {
            n_clusters += 1;
        }
        n_clusters
    }

    pub(crate) fn n_points(&self) -> usize {
        self.n_points
    }

    /// The largest possible number of clusters: one for each group and each free point.
    pub(crate) fn most_clusters(&self) -> usize {
        let n_bound: usize = self.blocks.iter().map(|block| block.members.len()).sum();
        self.n_points - n_bound + self.blocks.len()
    }

    /// As [`Constraints::most_clusters`], of `n_points` points, also if there are no constraints.
    pub(crate) fn most_clusters_of(&self, n_points: usize) -> usize {
        if self.is_empty() { n_points } else { self.most_clusters() }
    }

    /// The points of each group; together they are the constrained points.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[usize]> {
        self.blocks.iter().map(|block| block.members.as_slice())
    }

    /// The groups that side information names.
    fn told(&self) -> &[Block] {
        &self.blocks[..self.n_told]
    }

    /// Whether there is side information.
    pub(crate) fn is_informed(&self) -> bool {
        self.n_told > 0
    }

    /// Whether side information says something of a point.
    pub(crate) fn is_told(&self, i: usize) -> bool {
        self.block(i).is_some_and(|block| block < self.n_told)
    }

    /// The points of which side information says something.
    pub(crate) fn bound(&self) -> impl Iterator<Item = usize> {
        self.told().iter().flat_map(|block| block.members.iter().copied())
    }

    /// The points of each known label.
    pub(crate) fn named(&self) -> impl Iterator<Item = &[usize]> {
        self.blocks.iter().filter(|block| block.named).map(|block| block.members.as_slice())
    }

    fn n_named(&self) -> usize {
        self.blocks.iter().filter(|block| block.named).count()
    }

    /// The pairs that a partition need not obey.
    pub(crate) fn soft(&self) -> &Soft {
        &self.soft
    }

    /// Whether there are no constraints that every partition obeys.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    fn block(&self, i: usize) -> Option<usize> {
        self.block_of.get(i).filter(|&&block| block != FREE).map(|&block| block as usize)
    }

    /// Whether a point is constrained, or equal to another.
    pub(crate) fn is_bound(&self, i: usize) -> bool {
        self.block(i).is_some()
    }

    /// Whether a point has a known label, and so stays where it is.
    pub(crate) fn is_named(&self, i: usize) -> bool {
        self.block(i).is_some_and(|block| self.blocks[block].named)
    }

    /// Whether a point may not move alone: its label is known, or it is tied to others.
    pub(crate) fn is_tied(&self, i: usize) -> bool {
        let tied = |block: usize| self.blocks[block].named || self.blocks[block].members.len() > 1;
        self.block(i).is_some_and(tied)
    }

    /// The points that move together: every must-link group of more than one point without a known label.
    pub(crate) fn parties(&self) -> impl Iterator<Item = &[usize]> {
        let moves = |block: &&Block| !block.named && block.members.len() > 1;
        self.blocks.iter().filter(moves).map(|block| block.members.as_slice())
    }

    /// The points that move with a point, itself among them.
    pub(crate) fn party_of(&self, i: usize) -> Vec<usize> {
        self.block(i).map_or_else(|| vec![i], |block| self.blocks[block].members.clone())
    }

    /// Whether the group of a point conflicts with no group in a cluster; `labels` are those of all points.
    pub(crate) fn allows(&self, i: usize, cluster: usize, labels: &[usize]) -> bool {
        self.block(i).is_none_or(|block| {
            let there = |&other: &usize| labels[self.blocks[other].members[0]] == cluster;
            !self.blocks[block].conflicts.iter().any(there)
        })
    }

    /// Whether points of one cluster may all move to another: whole groups, none with a known label, none in conflict there.
    pub(crate) fn allows_all(&self, points: &[usize], cluster: usize, labels: &[usize]) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut bound: Vec<usize> = points.iter().filter_map(|&i| self.block(i)).collect();
        bound.sort_unstable();
        bound.chunk_by(|a, b| a == b).all(|found| {
            let block = &self.blocks[found[0]];
            !block.named
                && found.len() == block.members.len()
                && self.allows(block.members[0], cluster, labels)
        })
    }

    /// Whether the points are a union of whole groups and unconstrained points.
    pub(crate) fn keeps_blocks(&self, points: &[usize]) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut bound: Vec<usize> = points.iter().filter_map(|&i| self.block(i)).collect();
        bound.sort_unstable();
        bound.chunk_by(|a, b| a == b).all(|found| found.len() == self.blocks[found[0]].members.len())
    }

    /// Whether two clusters may be merged: all points of one, and `cluster`.
    pub(crate) fn allows_merge(&self, points: &[usize], cluster: usize, labels: &[usize]) -> bool {
        points.iter().all(|&i| self.allows(i, cluster, labels))
    }

    /// Whether a partition obeys.
    #[cfg(test)]
    pub(crate) fn obeyed_by(&self, labels: &[usize]) -> bool {
        self.blocks.iter().all(|block| {
            let own = labels[block.members[0]];
            block.members.iter().all(|&i| labels[i] == own) && self.allows(block.members[0], own, labels)
        })
    }
}

/// Returns an error unless every piece of side information names points that exist.
fn check_places(side: &SideInformation, n_points: usize) -> Result<(), Error> {
    let given = side.known_labels.len();
    if given != 0 && given != n_points {
        return Err(Error::Constraints(ConstraintError::KnownLabels { given, n_points }));
    }
    for (list, pairs) in [("must_link", &side.must_link), ("cannot_link", &side.cannot_link)] {
        for &(first, second) in pairs {
            if let Some(row) = [first, second].into_iter().find(|&row| row >= n_points) {
                return Err(Error::Constraints(ConstraintError::LinkRange { list, row, n_points }));
            }
        }
    }
    let itself = side.cannot_link.iter().find(|(first, second)| first == second);
    itself.map_or(Ok(()), |&(row, _)| Err(Error::Constraints(ConstraintError::CannotLinkSelf { row })))
}

#[cfg(test)]
mod tests;
