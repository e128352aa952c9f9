//! Constraints with some points held out, to see who is right about these.

use crate::constraints::{Block, Constraints, FREE};

impl Constraints {
    /// Returns what is said of the other points, where nothing is said of these.
    pub(crate) fn without(&self, held_out: &[bool]) -> Self {
        let left = |block: &Block| -> Vec<usize> {
            block.members.iter().copied().filter(|&i| !held_out[i]).collect()
        };
        let members: Vec<Vec<usize>> = self.blocks.iter().map(left).collect();
        let mut numbers = vec![FREE; members.len()];
        let stay = (0..members.len()).filter(|&block| !members[block].is_empty());
        stay.enumerate().for_each(|(number, block)| numbers[block] = number as u32);
        let mut block_of = vec![FREE; self.n_points];
        let mut blocks = Vec::new();
        for (block, members) in self.blocks.iter().zip(members) {
            if members.is_empty() {
                continue;
            }
            members.iter().for_each(|&i| block_of[i] = blocks.len() as u32);
            let conflicts = block.conflicts.iter().map(|&other| numbers[other]);
            let conflicts = conflicts.filter(|&other| other != FREE).map(|other| other as usize).collect();
            blocks.push(Block { members, named: block.named, conflicts });
        }
        let n_told = numbers[..self.n_told].iter().filter(|&&number| number != FREE).count();
        Self { n_points: self.n_points, block_of, blocks, n_told, soft: self.soft.clone() }
    }

    /// Whether the cluster of a point that was held out is that of the others of its group, and none of those in conflict with
    /// it; `None` where all of these were held out too.
    pub(crate) fn is_right(&self, i: usize, labels: &[usize], held_out: &[bool]) -> Option<bool> {
        let block = &self.blocks[self.block(i)?];
        let class = |block: &Block| block.members.iter().find(|&&j| !held_out[j]).map(|&j| labels[j]);
        let with = class(block).map(|with| with == labels[i]);
        let apart = block.conflicts.iter().filter_map(|&other| class(&self.blocks[other]));
        let apart = apart.map(|other| other != labels[i]);
        with.into_iter().chain(apart).reduce(|a, b| a && b)
    }
}
