//! Ties between points, and the chains of them that contradict something.

use crate::error::ConstraintError;
use std::collections::{BTreeMap, VecDeque};

use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::labels::Labels;

/// Which points are tied: by must-links, and by the labels that they share.
///
/// Nodes are the points and, after them, the labels.
pub(crate) struct Ties<'a> {
    side: &'a SideInformation,
    n_points: usize,
    linked: Vec<Vec<usize>>,
}

impl<'a> Ties<'a> {
    pub(crate) fn new(side: &'a SideInformation, n_points: usize) -> Self {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut linked: Vec<Vec<usize>> = vec![Vec::new(); n_points];
        for (i, known) in side.known_labels.iter().enumerate() {
            let Some(known) = known else { continue };
            let next = n_points + numbers.len();
            let node = *numbers.entry(*known).or_insert(next);
            if node == linked.len() {
                linked.push(Vec::new());
            }
            linked[i].push(node);
            linked[node].push(i);
        }
        for &(first, second) in &side.must_link {
            linked[first].push(second);
            linked[second].push(first);
        }
        Self { side, n_points, linked }
    }

    /// The group of each point: tied points share one.
    pub(crate) fn groups(&self) -> Labels {
        let mut group = vec![usize::MAX; self.linked.len()];
        for first in 0..self.n_points {
            let mut reached = if group[first] == usize::MAX { vec![first] } else { Vec::new() };
            while let Some(node) = reached.pop() {
                if group[node] == usize::MAX {
                    group[node] = first;
                    reached.extend(&self.linked[node]);
                }
            }
        }
        Labels::new(&group[..self.n_points])
    }

    /// Returns an error if must-links tie points with different known labels.
    pub(crate) fn check_labels(&self) -> Result<(), Error> {
        let mut reached = vec![false; self.n_points];
        for (first, known) in self.side.known_labels.iter().enumerate() {
            let Some(first_label) = *known else { continue };
            if std::mem::replace(&mut reached[first], true) {
                continue;
            }
            let differs = |i: usize| self.label(i).filter(|&label| label != first_label);
            let walk = self.walk(first, |node| node < self.n_points, |node| differs(node).is_some());
            walk.reached.iter().for_each(|&i| reached[i] = true);
            if let Some((chain, second_label)) = walk.end.and_then(|end| Some((walk.chain(), differs(end)?)))
            {
                return Err(Error::Constraints(ConstraintError::MustLinkLabels {
                    chain,
                    first_label,
                    second_label,
                }));
            }
        }
        Ok(())
    }

    /// The error that two tied points may not share a cluster.
    pub(crate) fn contradiction(&self, first: usize, second: usize) -> Error {
        if let Some(label) = self.label(first).filter(|&label| self.label(second) == Some(label)) {
            return Error::Constraints(ConstraintError::CannotLinkLabels { rows: [first, second], label });
        }
        let walk = self.walk(first, |_| true, |node| node == second);
        let chain = walk.chain().into_iter().filter(|&node| node < self.n_points).collect();
        Error::Constraints(ConstraintError::LinkContradiction { chain })
    }

    fn label(&self, i: usize) -> Option<usize> {
        self.side.known_labels.get(i).copied().flatten()
    }

    /// Walks from a node over all that `may` be entered, nearest first, to the first that is the `end`.
    fn walk(&self, first: usize, may: impl Fn(usize) -> bool, end: impl Fn(usize) -> bool) -> Walk {
        let mut walk = Walk { reached: vec![first], came: BTreeMap::from([(first, first)]), end: None };
        let mut next = VecDeque::from([first]);
        while let Some(node) = next.pop_front() {
            for &other in self.linked[node].iter().filter(|&&other| may(other)) {
                if walk.came.contains_key(&other) {
                    continue;
                }
                walk.came.insert(other, node);
                walk.reached.push(other);
                if end(other) {
                    walk.end = Some(other);
                    return walk;
                }
                next.push_back(other);
            }
        }
        walk
    }
}

/// Where a walk came along.
struct Walk {
    reached: Vec<usize>,
    /// The node before each.
    came: BTreeMap<usize, usize>,
    end: Option<usize>,
}

impl Walk {
    /// The nodes from the first to the end.
    fn chain(&self) -> Vec<usize> {
        let mut chain: Vec<usize> = self.end.into_iter().collect();
        while let Some(&before) = chain.last().and_then(|last| self.came.get(last)) {
            if Some(&before) == chain.last() {
                break;
            }
            chain.push(before);
        }
        chain.reverse();
        chain
    }
}
