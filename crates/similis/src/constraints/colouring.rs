//! Colours for groups: those that conflict never have the same.

use std::collections::BTreeSet;

use crate::constraints::Block;

/// The colour of a group that has none yet.
const NONE: usize = usize::MAX;

/// Minimum number of steps of the colouring search before it gives up. Not tuned.
const MOST_STEPS: usize = 200_000;

/// What a search for a colouring ends with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Colouring {
    /// The colour of each group.
    Found(Vec<usize>),
    /// There is none: every one was tried.
    Impossible,
    /// None was found in time.
    Unknown,
}

/// Blocks, of which some have a colour; next is always one of those with the fewest colours left.
pub(crate) struct Painter<'a> {
    blocks: &'a [Block],
    n_colours: usize,
    colour: Vec<usize>,
    /// How many neighbours of a group have a colour: a row for each group.
    n_near: Vec<u32>,
    /// Blocks without a colour: how many are left for it, its rank, its number.
    open: BTreeSet<(usize, usize, usize)>,
    rank: Vec<usize>,
}

impl<'a> Painter<'a> {
    /// Nothing painted; of groups with equally many colours left the first in `order` is next.
    pub(crate) fn new(blocks: &'a [Block], n_colours: usize, order: &[usize]) -> Self {
        let mut rank = vec![0; blocks.len()];
        order.iter().enumerate().for_each(|(at, &block)| rank[block] = at);
        let open = (0..blocks.len()).map(|block| (n_colours, rank[block], block)).collect();
        Self {
            blocks,
            n_colours,
            colour: vec![NONE; blocks.len()],
            n_near: vec![0; blocks.len() * n_colours],
            open,
            rank,
        }
    }

    /// The group to paint next, if any is left.
    pub(crate) fn next(&self) -> Option<usize> {
        self.open.first().map(|&(_, _, block)| block)
    }

    /// Whether no neighbour of a group has any colour.
    fn is_apart(&self, block: usize) -> bool {
        self.key(block).0 == self.n_colours
    }

    /// Whether no neighbour of a group has this colour.
    pub(crate) fn allows(&self, block: usize, colour: usize) -> bool {
        self.n_near[block * self.n_colours + colour] == 0
    }

    pub(crate) fn paint(&mut self, block: usize, colour: usize) {
        self.open.remove(&self.key(block));
        self.colour[block] = colour;
        self.change_near(block, colour, 1);
    }

    fn unpaint(&mut self, block: usize) -> usize {
        let colour = std::mem::replace(&mut self.colour[block], NONE);
        self.change_near(block, colour, -1);
        self.open.insert(self.key(block));
        colour
    }

    fn change_near(&mut self, block: usize, colour: usize, change: i32) {
        for &other in &self.blocks[block].conflicts {
            let open = self.open.remove(&self.key(other));
            let n_near = &mut self.n_near[other * self.n_colours + colour];
            *n_near = n_near.wrapping_add_signed(change);
            if open {
                self.open.insert(self.key(other));
            }
        }
    }

    fn key(&self, block: usize) -> (usize, usize, usize) {
        let near = &self.n_near[block * self.n_colours..(block + 1) * self.n_colours];
        (near.iter().filter(|&&n_near| n_near == 0).count(), self.rank[block], block)
    }

    pub(crate) fn colours(self) -> Vec<usize> {
        self.colour
    }
}

/// Returns a colouring with at most `n_colours` colours: DSATUR (the group with the fewest colours left is next) with
/// backtracking.
pub(crate) fn colour(blocks: &[Block], n_colours: usize) -> Colouring {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&block| std::cmp::Reverse(blocks[block].conflicts.len()));
    let mut painter = Painter::new(blocks, n_colours, &order);
    // The groups that were painted, and how many colours were in use before each.
    let mut done: Vec<(usize, usize)> = Vec::new();
    let (mut first, mut n_used) = (0, 0);
    for _ in 0..MOST_STEPS.max(4 * blocks.len()) {
        let Some(block) = painter.next() else { return Colouring::Found(painter.colours()) };
        if painter.is_apart(block) && first == 0 {
            // What was coloured before does not constrain what follows.
            done.clear();
            n_used = 0;
        }
        // Colours that no group has yet are alike.
        let colours = first..n_colours.min(n_used + 1);
        if let Some(colour) = colours.into_iter().find(|&colour| painter.allows(block, colour)) {
            painter.paint(block, colour);
            done.push((block, n_used));
            (first, n_used) = (0, n_used.max(colour + 1));
        } else {
            let Some((last, n_before)) = done.pop() else { return Colouring::Impossible };
            (first, n_used) = (painter.unpaint(last) + 1, n_before);
        }
    }
    Colouring::Unknown
}

/// Returns a clique of the conflict graph: the largest that a greedy search finds.
pub(crate) fn large_clique(blocks: &[Block]) -> Vec<usize> {
    /// Number of groups, those with most conflicts, from which a greedy search starts. Not tuned.
    const MOST_BEGINNINGS: usize = 200;
    let degree = |block: usize| blocks[block].conflicts.len();
    let mut first: Vec<usize> = (0..blocks.len()).collect();
    first.sort_by_key(|&block| std::cmp::Reverse(degree(block)));
    let mut best: Vec<usize> = Vec::new();
    for block in first.into_iter().take(MOST_BEGINNINGS).take_while(|&block| degree(block) > 0) {
        let mut clique = vec![block];
        let mut common = blocks[block].conflicts.clone();
        while !common.is_empty() {
            let shared = |&other: &usize| {
                common.iter().filter(|&at| blocks[other].conflicts.binary_search(at).is_ok()).count()
            };
            let Some(&next) = common.iter().max_by_key(|&other| shared(other)) else { break };
            clique.push(next);
            common.retain(|at| blocks[next].conflicts.binary_search(at).is_ok());
        }
        if clique.len() > best.len() {
            best = clique;
        }
    }
    best.sort_unstable();
    best
}
