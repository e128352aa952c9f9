//! Minimum spanning trees of all pairs, by Prim's method, cut into parts that threads share.
//!
//! The points are cut into parts. The tree of all pairs lies in the trees of the pairs inside each part and of the pairs
//! between each two: every pair is looked at once, and what is left has few links for Kruskal's method to choose from.

use std::ops::Range;

use crate::graph::neighbours::kd_tree::LEAF;
use crate::graph::neighbours::reduced::Lanes;
use crate::graph::spanning::kruskal::{Ranked, minimum_forest};
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use crate::run::parallel::vectorised;

/// Maximum number of parts that are solved separately: with more, the links between them cost more than is saved. Not tuned.
const MOST_PARTS: usize = 64;

/// Number of steps between two checks for cancellation. Not tuned.
const STEPS: usize = 256;

/// Where lengths come from. A length is what links are ordered by; NaN where a pair was not observed.
pub(crate) trait Rows: Sync {
    /// Points that lengths are asked to, made ready, [`LEAF`] in a chunk.
    type Columns: Send;

    fn n_points(&self) -> usize;

    /// How many points a part should have: its columns are gone through once for every point, and best stay in a cache.
    fn n_in_part(&self) -> usize;

    fn columns(&self, numbers: &[u32]) -> Self::Columns;

    /// The lengths from a point to those of a chunk; anything beyond its end.
    fn lengths(&self, from: usize, columns: &Self::Columns, chunk: usize) -> Lanes;
}

/// Returns the links of the minimum spanning forest of all observed pairs, shortest first; fewer if cancelled.
pub(crate) fn links<R: Rows>(rows: &R, observer: &dyn Observer) -> Vec<Ranked> {
    let n = rows.n_points();
    let n_parts = n.div_ceil(rows.n_in_part()).min(MOST_PARTS);
    let part = |at: usize| n * at / n_parts..n * (at + 1) / n_parts;
    let pairs: Vec<(usize, usize)> = (0..n_parts).flat_map(|a| (a..n_parts).map(move |b| (a, b))).collect();
    let found = parallel::map(pairs.len(), |at| {
        let (a, b) = pairs[at];
        let links = Prim::new(rows, part(a), (a != b).then(|| part(b))).run(observer);
        let fraction = (at + 1) as f64 / pairs.len() as f64;
        observer.progress(Progress { phase: "spanning tree", fraction, log_joint: None });
        links
    });
    minimum_forest(n, found.into_iter().flatten().collect())
}

/// The least of some numbers that is below `least`, or that; NaN counts for nothing.
fn least_of(numbers: &[f64], mut least: f64) -> f64 {
    for &number in numbers {
        least = if number < least { number } else { least };
    }
    least
}

/// Points that wait to be joined to the tree.
struct Side<C> {
    numbers: Vec<u32>,
    columns: C,
    /// The length of the shortest link to the tree: infinite where there is none yet, minus infinity once joined.
    nearest: Vec<Lanes>,
    from: Vec<[u32; LEAF]>,
    /// The least of each chunk that waits.
    least: Vec<f64>,
    n_waiting: usize,
}

/// Prim's method on one part, or on the pairs between two.
struct Prim<'a, R: Rows> {
    rows: &'a R,
    sides: Vec<Side<R::Columns>>,
}

/// A point that waits: side, chunk, lane.
type Place = (usize, usize, usize);

impl<'a, R: Rows> Prim<'a, R> {
    fn new(rows: &'a R, part: Range<usize>, other: Option<Range<usize>>) -> Self {
        let side = |part: Range<usize>| Side::new(rows, part.map(|i| i as u32).collect());
        Self { rows, sides: std::iter::once(part).chain(other).map(side).collect() }
    }

    fn run(mut self, observer: &dyn Observer) -> Vec<Ranked> {
        let mut links = Vec::with_capacity(self.sides.iter().map(|side| side.numbers.len()).sum());
        for step in 0.. {
            if step % STEPS == 0 && observer.cancelled() {
                break;
            }
            let Some(place) = self.next() else { break };
            let (side, chunk, lane) = place;
            let next = &self.sides[side];
            let number = next.numbers[chunk * LEAF + lane];
            if next.nearest[chunk][lane] < f64::INFINITY {
                links.push(Ranked::new(next.nearest[chunk][lane], next.from[chunk][lane], number));
            }
            self.join(place, number);
        }
        links
    }

    /// The point with the shortest link to the tree; of those without one, the first.
    fn next(&self) -> Option<Place> {
        let least = self.sides.iter().fold(f64::INFINITY, |least, side| least_of(&side.least, least));
        let mut best: Option<(Ranked, Place)> = None;
        for (at, side) in self.sides.iter().enumerate() {
            for chunk in (0..side.least.len()).filter(|&chunk| side.least[chunk] == least) {
                for lane in (0..LEAF).filter(|&lane| side.nearest[chunk][lane] == least) {
                    let Some(&number) = side.numbers.get(chunk * LEAF + lane) else { break };
                    let link = Ranked::new(least, side.from[chunk][lane], number);
                    if best.is_none_or(|(other, _)| link.before(&other)) {
                        best = Some((link, (at, chunk, lane)));
                    }
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Joins a point to the tree and offers its links to those that wait.
    fn join(&mut self, (at, chunk, lane): Place, number: u32) {
        let side = &mut self.sides[at];
        side.nearest[chunk][lane] = f64::NEG_INFINITY;
        side.find_least(chunk);
        side.n_waiting -= 1;
        if 2 * side.n_waiting < side.numbers.len() && side.numbers.len() > 4 * LEAF {
            side.drop_joined(self.rows);
        }
        let other = self.sides.len() - 1 - at;
        self.sides[other].offer(self.rows, number);
    }
}

impl<C> Side<C> {
    fn new<R: Rows<Columns = C>>(rows: &R, numbers: Vec<u32>) -> Self {
        let n_chunks = numbers.len().div_ceil(LEAF);
        let mut nearest = vec![[f64::INFINITY; LEAF]; n_chunks];
        (numbers.len()..n_chunks * LEAF).for_each(|at| nearest[at / LEAF][at % LEAF] = f64::NEG_INFINITY);
        Self {
            columns: rows.columns(&numbers),
            nearest,
            from: vec![[u32::MAX; LEAF]; n_chunks],
            least: vec![f64::INFINITY; n_chunks],
            n_waiting: numbers.len(),
            numbers,
        }
    }

    /// The least that waits in a chunk; NaN if none does.
    fn find_least(&mut self, chunk: usize) {
        let (mut least, mut any) = (f64::INFINITY, false);
        for &length in &self.nearest[chunk] {
            let waits = length > f64::NEG_INFINITY;
            any |= waits;
            least = if waits && length < least { length } else { least };
        }
        self.least[chunk] = if any { least } else { f64::NAN };
    }

    /// Offers the links of a point that was joined to those that wait.
    fn offer<R: Rows<Columns = C>>(&mut self, rows: &R, from: u32) {
        vectorised(
            #[inline(always)]
            || {
                for chunk in 0..self.nearest.len() {
                    let lengths = rows.lengths(from as usize, &self.columns, chunk);
                    let nearest = &self.nearest[chunk];
                    let mut any = false;
                    for lane in 0..LEAF {
                        any |= lengths[lane] <= nearest[lane];
                    }
                    if any {
                        self.take(chunk, from, &lengths);
                    }
                }
            },
        );
    }

    /// Takes the links of a chunk that are shorter than those known, or as short and first.
    #[inline(never)]
    fn take(&mut self, chunk: usize, from: u32, lengths: &Lanes) {
        for lane in 0..LEAF {
            let (nearest, old) = (&mut self.nearest[chunk][lane], &mut self.from[chunk][lane]);
            // Of two links of one point, that to the lower number comes first.
            if lengths[lane] < *nearest || (lengths[lane] == *nearest && from < *old) {
                (*nearest, *old) = (lengths[lane], from);
            }
        }
        self.find_least(chunk);
    }

    /// Makes the points that wait stand close together again, in the same order.
    fn drop_joined<R: Rows<Columns = C>>(&mut self, rows: &R) {
        let waits = |at: &usize| self.nearest[at / LEAF][at % LEAF] > f64::NEG_INFINITY;
        let kept: Vec<usize> = (0..self.numbers.len()).filter(waits).collect();
        let mut next = Self::new(rows, kept.iter().map(|&at| self.numbers[at]).collect());
        for (new, &old) in kept.iter().enumerate() {
            next.nearest[new / LEAF][new % LEAF] = self.nearest[old / LEAF][old % LEAF];
            next.from[new / LEAF][new % LEAF] = self.from[old / LEAF][old % LEAF];
        }
        (0..next.least.len()).for_each(|chunk| next.find_least(chunk));
        *self = next;
    }
}
