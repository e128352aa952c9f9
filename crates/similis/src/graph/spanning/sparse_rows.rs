//! Prim's method on sparse points: products of rows rule out the links that are too long.

use crate::graph::neighbours::sparse_rows::Index;
use crate::graph::spanning::kruskal::{Ranked, minimum_forest};
use crate::input::metric::sparse::MeasuredSparse;
use crate::run::observer::{Observer, Progress};

/// Number of steps between two checks for cancellation. Not tuned.
const STEPS: usize = 256;

/// The shortest link of each point that is not in the tree.
struct Waiting {
    numbers: Vec<u32>,
    length: Vec<f64>,
    from: Vec<u32>,
    /// The squared differences at these lengths.
    reach: Vec<f64>,
}

impl Waiting {
    /// Offers the links of a point of the tree to all that wait.
    fn offer(&mut self, index: &Index<'_>, from: u32, products: &mut Vec<f64>) {
        let points = index.points();
        let asked = index.asked(points.points().row(from as usize), products);
        for (at, &to) in self.numbers.iter().enumerate() {
            if !asked.may_be_within(self.reach[at], to as usize) {
                continue;
            }
            let length = points.distance(from as usize, to as usize);
            // Of two links of one point, that to the lower number comes first.
            if length < self.length[at] || (length == self.length[at] && from < self.from[at]) {
                (self.length[at], self.from[at]) = (length, from);
                self.reach[at] = points.squared(length);
            }
        }
    }

    /// Takes the point whose link comes first, and the link.
    fn take(&mut self) -> Option<(u32, Ranked)> {
        let link = |at: usize| Ranked::new(self.length[at], self.from[at], self.numbers[at]);
        let best = (0..self.numbers.len()).reduce(|best, at| {
            let shorter = self.length[at] < self.length[best];
            if shorter || (self.length[at] == self.length[best] && link(at).before(&link(best))) {
                at
            } else {
                best
            }
        })?;
        let link = link(best);
        self.length.swap_remove(best);
        self.from.swap_remove(best);
        self.reach.swap_remove(best);
        Some((self.numbers.swap_remove(best), link))
    }
}

/// Returns the links of the minimum spanning tree, shortest first; fewer if cancelled.
pub(crate) fn links(points: &MeasuredSparse, observer: &dyn Observer) -> Vec<Ranked> {
    let n = points.n_points();
    let index = Index::new(points);
    let none = vec![f64::INFINITY; n - 1];
    let mut waiting = Waiting {
        numbers: (1..n as u32).collect(),
        length: none.clone(),
        from: vec![u32::MAX; n - 1],
        reach: none,
    };
    let (mut products, mut links, mut from) = (Vec::new(), Vec::with_capacity(n), 0);
    while !waiting.numbers.is_empty() {
        if links.len() % STEPS == 0 {
            let fraction = links.len() as f64 / n as f64;
            observer.progress(Progress { phase: "spanning tree", fraction, log_joint: None });
            if observer.cancelled() {
                break;
            }
        }
        waiting.offer(&index, from, &mut products);
        let Some((taken, link)) = waiting.take() else { break };
        from = taken;
        links.push(link);
    }
    minimum_forest(n, links)
}
