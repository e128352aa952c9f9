//! The greatest of many keys that change one at a time.

use std::cmp::Reverse;

/// Number of keys that are compared one after the other: they lie in two lines of the cache. Not tuned.
const BLOCK: usize = 8;

/// The place of no key.
const NONE: u32 = u32::MAX;

/// A rank, and a number that decides between equal ranks: the lowest comes first.
pub(crate) type Key = (u64, Reverse<u32>);

/// What is less than every key with a rank above 0.
const LEAST: Key = (0, Reverse(u32::MAX));

/// Finds the greatest of some keys, after any of them changed: a binary tree that holds the winner of every subtree.
///
/// A key that rises or falls without winning against its neighbours changes a few of these; a heap would have to keep outdated
/// keys, several times as many as there are, all over its memory.
#[derive(Debug)]
pub(crate) struct Tournament {
    keys: Vec<Key>,
    /// The place of the winner of each subtree; that of the whole at 1, those of blocks in the second half.
    winners: Vec<u32>,
}

impl Tournament {
    /// Keys of rank 0 never win.
    pub(crate) fn new(keys: Vec<Key>) -> Self {
        let n_blocks = keys.len().div_ceil(BLOCK).next_power_of_two();
        let mut tournament = Self { keys, winners: vec![NONE; 2 * n_blocks] };
        for block in 0..n_blocks {
            tournament.winners[n_blocks + block] = tournament.of_block(block);
        }
        (1..n_blocks).rev().for_each(|node| tournament.winners[node] = tournament.of_node(node));
        tournament
    }

    /// The place of the greatest key; `None` if all have rank 0.
    pub(crate) fn greatest(&self) -> Option<usize> {
        let at = self.winners[1];
        (self.key(at).0 > 0).then_some(at as usize)
    }

    /// The key at a place.
    pub(crate) fn rank(&self, at: usize) -> u64 {
        self.keys[at].0
    }

    /// Changes the rank at a place; 0 takes it out.
    pub(crate) fn set_rank(&mut self, at: usize, rank: u64) {
        self.keys[at].0 = rank;
        let n_blocks = self.winners.len() / 2;
        let block = at / BLOCK;
        let (mut node, mut winner) = (n_blocks + block, self.of_block(block));
        // Where another than the changed one wins, and did before, nothing changes further up.
        while node > 0 && (self.winners[node] != winner || winner as usize == at) {
            self.winners[node] = winner;
            node /= 2;
            if node > 0 {
                winner = self.of_node(node);
            }
        }
    }

    fn key(&self, at: u32) -> Key {
        self.keys.get(at as usize).copied().unwrap_or(LEAST)
    }

    fn of_block(&self, block: usize) -> u32 {
        let places = (block * BLOCK).min(self.keys.len())..((block + 1) * BLOCK).min(self.keys.len());
        places.max_by_key(|&at| self.keys[at]).map_or(NONE, |at| at as u32)
    }

    fn of_node(&self, node: usize) -> u32 {
        let [left, right] = [self.winners[2 * node], self.winners[2 * node + 1]];
        if self.key(right) > self.key(left) { right } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_greatest_is_what_a_look_at_all_finds(
            ranks in prop::collection::vec(0u64..6, 0..70),
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0u64..6), 0..200),
        ) {
            let mut keys: Vec<Key> =
                ranks.iter().enumerate().map(|(at, &rank)| (rank, Reverse((at * 7 % 71) as u32))).collect();
            let mut tournament = Tournament::new(keys.clone());
            let greatest = |keys: &[Key]| {
                (0..keys.len()).filter(|&at| keys[at].0 > 0).max_by_key(|&at| keys[at])
            };
            prop_assert_eq!(tournament.greatest(), greatest(&keys));
            for (at, rank) in changes.into_iter().filter(|_| !ranks.is_empty()) {
                let at = at.index(ranks.len());
                keys[at].0 = rank;
                tournament.set_rank(at, rank);
                prop_assert_eq!((tournament.rank(at), tournament.greatest()), (rank, greatest(&keys)));
            }
        }
    }
}
