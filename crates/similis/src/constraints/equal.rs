//! Equal points stay together, unless side information parts them.

use crate::constraints::joined::Parts;
use crate::constraints::soft::Soft;
use crate::constraints::{Block, Constraints, FREE};
use crate::input::labels::Labels;

impl Constraints {
    /// Returns the constraints under which equal points stay together, as far as these allow it: `equal` is the class of each
    /// point. Groups are numbered in the order of their first points.
    pub(crate) fn with_equal(&self, equal: &Labels) -> Self {
        let n_points = equal.n_points();
        if self.is_empty() && equal.n_clusters() == n_points {
            return Self { n_points, soft: self.soft.clone(), ..Self::default() };
        }
        let groups = if self.is_empty() { equal.clone() } else { self.joined(equal) };
        let mut blocks = vec![Block::default(); groups.n_clusters()];
        let mut is_told = vec![false; blocks.len()];
        for (i, &group) in groups.as_slice().iter().enumerate() {
            blocks[group].members.push(i);
            blocks[group].named |= self.is_named(i);
            is_told[group] |= self.is_told(i);
        }
        for block in self.told() {
            let group = |block: &Block| groups.as_slice()[block.members[0]];
            let others = block.conflicts.iter().map(|&other| group(&self.blocks[other]));
            blocks[group(block)].conflicts.extend(others);
        }
        Self { soft: self.soft.clone(), ..Self::numbered(n_points, &blocks, &is_told) }
    }

    /// The class of each point where equal points are joined, but no two that conflict.
    fn joined(&self, equal: &Labels) -> Labels {
        let mut parts = Parts::new(self);
        let mut first = vec![None; equal.n_clusters()];
        for (i, &class) in equal.as_slice().iter().enumerate() {
            match first[class] {
                Some(first) => {
                    parts.join(first, i);
                }
                None => first[class] = Some(i),
            }
        }
        parts.labels()
    }

    /// The groups of which side information says something, then those of several equal points.
    fn numbered(n_points: usize, blocks: &[Block], is_told: &[bool]) -> Self {
        let told = (0..blocks.len()).filter(|&group| is_told[group]);
        let equal = (0..blocks.len()).filter(|&group| !is_told[group] && blocks[group].members.len() > 1);
        let kept: Vec<usize> = told.chain(equal).collect();
        let n_told = is_told.iter().filter(|&&is_told| is_told).count();
        let mut number = vec![FREE; blocks.len()];
        kept.iter().enumerate().for_each(|(at, &group)| number[group] = at as u32);
        let mut block_of = vec![FREE; n_points];
        let mut renumbered = Vec::with_capacity(kept.len());
        for &group in &kept {
            let Block { members, named, conflicts } = blocks[group].clone();
            members.iter().for_each(|&i| block_of[i] = number[group]);
            let mut conflicts: Vec<usize> = conflicts.iter().map(|&other| number[other] as usize).collect();
            conflicts.sort_unstable();
            conflicts.dedup();
            renumbered.push(Block { members, named, conflicts });
        }
        Self { n_points, block_of, blocks: renumbered, n_told, soft: Soft::default() }
    }

    /// Gives equal points the label that most of them have; of labels that as many have, the lowest.
    pub(crate) fn gather_equal(&self, labels: &mut [usize]) {
        for block in &self.blocks[self.n_told..] {
            let first = labels[block.members[0]];
            if block.members.iter().all(|&i| labels[i] == first) {
                continue;
            }
            let mut own: Vec<usize> = block.members.iter().map(|&i| labels[i]).collect();
            own.sort_unstable();
            let most = own
                .chunk_by(|a, b| a == b)
                .reduce(|best, same| if same.len() > best.len() { same } else { best });
            let label = most.map_or(first, |same| same[0]);
            block.members.iter().for_each(|&i| labels[i] = label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::side_information::SideInformation;

    #[test]
    fn equal_points_stay_together_unless_side_information_parts_them() {
        let equal = Labels::new(&[0, 0, 1, 2, 2, 2, 3, 3]);
        let side = SideInformation {
            must_link: vec![(1, 2)],
            cannot_link: vec![(3, 4), (2, 6)],
            ..SideInformation::default()
        };
        let constraints = Constraints::new(&side, 8).unwrap().with_equal(&equal);
        // 0 and 1 are equal, 2 is tied to 1; 5 stays with 3, 4 may not; 7 is equal to 6, which is apart from 2.
        for (labels, obeys) in [
            ([0, 0, 0, 1, 0, 1, 1, 1], true),
            ([0, 0, 0, 1, 0, 0, 1, 1], false),
            ([0, 0, 0, 1, 0, 1, 1, 0], false),
            ([1, 0, 0, 1, 0, 1, 1, 1], false),
            ([0, 0, 0, 1, 1, 1, 1, 1], false),
            ([0, 0, 0, 1, 0, 1, 0, 0], false),
        ] {
            assert_eq!(constraints.obeyed_by(&labels), obeys, "{labels:?}");
        }
        assert_eq!(constraints.most_clusters(), 4);
        assert!((0..8).all(|i| constraints.is_told(i)));
    }

    #[test]
    fn equal_points_alone_are_no_side_information() {
        let constraints = Constraints::default().with_equal(&Labels::new(&[0, 1, 1, 2, 1]));
        assert!(!constraints.is_informed() && !constraints.is_empty() && constraints.bound().count() == 0);
        assert_eq!((constraints.most_clusters(), constraints.n_clusters_near(9)), (3, 3));
        assert!(constraints.is_tied(1) && !constraints.is_tied(0));
        let prices = constraints.prices(3, |_, _| {});
        assert_eq!(constraints.obeying(vec![0, 1, 2, 2, 1], &prices), [0, 1, 1, 2, 1]);
        let none = Constraints::default().with_equal(&Labels::new(&[0, 1, 2]));
        assert!(none.is_empty() && none.n_points() == 3);
    }
}
