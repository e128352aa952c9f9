//! Nearest neighbours in many dimensions: nearly all of them, by asking neighbours for their neighbours.
//!
//! Dong, Moses & Li, *Efficient k-nearest neighbor graph construction for generic similarity measures* (WWW 2011): a
//! neighbour of a neighbour is likely to be a neighbour. Lists begin with the points that random trees leave together; in
//! each round the candidates of every point (its neighbours, and the points that list it as one) are compared with one another.
//!
//! Comparisons see the lists as they were when the round's batch began, and a list keeps the nearest of what it had and what
//! was offered, whatever the order: the same bits for any number of threads.

pub(crate) mod candidates;
pub(crate) mod lists;
pub(crate) mod pivot_trees;
pub(crate) mod rows;

use candidates::Candidates;
use lists::{Lists, Offer};
use pivot_trees::pivot_tree;
use rows::Rows;

use crate::graph::neighbours::Found;
use crate::input::metric::sparse::MeasuredSparse;
use crate::input::metric::{MeasuredPoints, Metric};
use crate::plan::crossover;
use crate::run::observer::Observer;
use crate::run::{parallel, random};

/// Number of groups whose members one thread compares at a time. Not tuned.
const PIECE: usize = 256;

/// Number of pieces whose offers are held at once; the lists are updated after each such batch. Not tuned.
const BATCH: usize = 32;

/// Maximum number of rounds; few inputs need more than eight.
const MOST_ROUNDS: usize = 16;

/// The rounds end when less than this fraction of the list entries changed in one.
const STILL: f64 = 0.003;

/// The effort of the search; `examples/nn_descent_recall.rs` measures the recall that it gives.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Length of the lists while they are searched; what lies beyond the neighbours that are wanted leads to them.
    width: usize,
    /// Number of new candidates of a point in one round, and number of old ones.
    n_candidates: usize,
    /// Random trees that the lists begin with.
    n_trees: usize,
}

impl Effort {
    /// What finds `count` neighbours.
    fn new(count: usize) -> Self {
        Self { width: (count + 15).max(30), n_candidates: (count + 10).clamp(25, 60), n_trees: 8 }
    }
}

/// Whether this search is faster than a look at every pair, which matrix products make fast for some metrics.
pub(crate) fn is_faster(n_points: usize, by_products: bool, count: usize) -> bool {
    // Long lists cost their length squared.
    crossover::nn_descent_pays(n_points, by_products) && (1..=n_points / 100).contains(&count)
}

/// Returns the `count` nearest neighbours of every point, up to a few that are missed: nearest first, of equally near ones
/// the lower number first, their distances exact; `None` if the observer cancels.
pub(crate) fn lists(
    points: &MeasuredPoints<'_>,
    count: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Option<Vec<Vec<Found>>> {
    let n = points.n_points();
    let effort = Effort::new(count.min(n - 1));
    let search = Descent { n_points: n, effort, seed, observer };
    let measured = |i: usize, others: &[u32], out: &mut Vec<f32>| {
        out.extend(others.iter().map(|&j| points.distance(i, j as usize) as f32));
    };
    let exactly = |i: usize, others: &[usize]| {
        let mut list = Vec::with_capacity(others.len());
        points.for_each_of(i, others.iter().copied(), |j, distance| list.push((distance, j as u32)));
        list
    };
    match points.metric() {
        Metric::Euclidean | Metric::SquaredEuclidean | Metric::Cosine | Metric::Correlation => {
            let (order, found) = search.run_in_order(Rows::new(points.points()), Rows::squared)?;
            Some(measured_exactly(&found, Some(&order), count, exactly))
        }
        Metric::Manhattan => {
            let (order, found) = search.run_in_order(Rows::new(points.points()), Rows::manhattan)?;
            Some(measured_exactly(&found, Some(&order), count, exactly))
        }
        _ => Some(measured_exactly(&search.run(&measured)?, None, count, exactly)),
    }
}

/// As [`lists()`], of sparse points.
pub(crate) fn lists_of_sparse(
    points: &MeasuredSparse,
    count: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Option<Vec<Vec<Found>>> {
    let n_points = points.n_points();
    let search = Descent { n_points, effort: Effort::new(count.min(n_points - 1)), seed, observer };
    let found = search.run(&|i: usize, others: &[u32], out: &mut Vec<f32>| {
        out.extend(others.iter().map(|&j| points.distance(i, j as usize) as f32));
    })?;
    let exactly = |i: usize, others: &[usize]| -> Vec<Found> {
        others.iter().map(|&j| (points.distance(i, j), j as u32)).collect()
    };
    Some(measured_exactly(&found, None, count, exactly))
}

/// The first `count` of each list by exact distances; `order` has the number of the point of each list, if not its own.
fn measured_exactly(
    found: &Lists,
    order: Option<&[u32]>,
    count: usize,
    exactly: impl Fn(usize, &[usize]) -> Vec<Found> + Sync + Send,
) -> Vec<Vec<Found>> {
    let number = |at: u32| order.map_or(at, |order| order[at as usize]) as usize;
    let mut lists = parallel::map(found.n_points(), |at| {
        let mut list = exactly(number(at as u32), &found.of(at).map(number).collect::<Vec<_>>());
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.truncate(count);
        list
    });
    let Some(order) = order else { return lists };
    let mut own = vec![Vec::new(); order.len()];
    order.iter().zip(&mut lists).for_each(|(&i, list)| own[i as usize] = std::mem::take(list));
    own
}

/// Appends to its last argument how far its first is from each of its second: any numbers that have the distances' order.
pub(crate) trait Far: Fn(usize, &[u32], &mut Vec<f32>) + Sync + Send {}

impl<F: Fn(usize, &[u32], &mut Vec<f32>) + Sync + Send> Far for F {}

/// A search for the neighbours of all points.
#[derive(Clone, Copy)]
struct Descent<'a> {
    n_points: usize,
    effort: Effort,
    seed: u64,
    observer: &'a dyn Observer,
}

impl Descent<'_> {
    /// The lists of rows, renumbered so that near ones lie together in memory; and the number of each.
    fn run_in_order(
        self,
        rows: Rows,
        far: impl Fn(&Rows, usize, &[u32], &mut Vec<f32>) + Sync + Send,
    ) -> Option<(Vec<u32>, Lists)> {
        if self.observer.cancelled() {
            return None;
        }
        let random = random::stream(self.seed, self.effort.n_trees as u64);
        let order = pivot_tree(
            self.n_points,
            self.effort.width,
            random,
            &|i: usize, others: &[u32], out: &mut Vec<f32>| {
                far(&rows, i, others, out);
            },
        )
        .order;
        let rows = rows.in_order(&order);
        let found = self.run(&|i: usize, others: &[u32], out: &mut Vec<f32>| far(&rows, i, others, out))?;
        Some((order, found))
    }

    /// The lists of points that are so `far` apart.
    fn run(self, far: &impl Far) -> Option<Lists> {
        let Self { n_points, effort, seed, observer } = self;
        let mut lists = Lists::new(n_points, effort.width);
        let trees = parallel::map_until(effort.n_trees, observer, |tree| {
            pivot_tree(n_points, effort.width, random::stream(seed, tree as u64), far)
        })?;
        for tree in &trees {
            compare(&mut lists, tree, far, observer)?;
        }
        for round in 0..MOST_ROUNDS {
            let candidates = Candidates::new(&mut lists, effort.n_candidates, seed ^ round as u64);
            let n_changed = compare(&mut lists, &candidates, far, observer)?;
            if (n_changed as f64) < STILL * (n_points * effort.width) as f64 {
                break;
            }
        }
        Some(lists)
    }
}

/// Points to be compared with one another.
#[derive(Clone, Copy, Debug)]
struct Group<'a> {
    /// Points that are compared with all of the group.
    new: &'a [u32],
    /// Points that have been compared with one another before.
    old: &'a [u32],
}

/// Groups of points to be compared with one another.
trait Groups: Sync {
    fn n_groups(&self) -> usize;
    fn group(&self, at: usize) -> Group<'_>;
}

/// Compares the members of every group and keeps what is near; returns how many places of the lists have changed, or `None` if
/// the observer cancels.
fn compare(
    lists: &mut Lists,
    groups: &impl Groups,
    far: &impl Far,
    observer: &dyn Observer,
) -> Option<usize> {
    let n_pieces = groups.n_groups().div_ceil(PIECE);
    let mut n_changed = 0;
    for first in (0..n_pieces).step_by(BATCH) {
        let offers = parallel::map_until(BATCH.min(n_pieces - first), observer, |piece| {
            let start = (first + piece) * PIECE;
            let mut comparison = Comparison::default();
            for at in start..groups.n_groups().min(start + PIECE) {
                comparison.add(lists, groups.group(at), far);
            }
            comparison.offers.sort_unstable_by_key(Offer::key);
            comparison.offers
        })?;
        n_changed += lists.accept(&offers);
    }
    Some(n_changed)
}

/// What comes of comparing the members of groups, and memory for it.
#[derive(Debug, Default)]
struct Comparison {
    offers: Vec<Offer>,
    members: Vec<u32>,
    /// The distance beyond which each member takes nothing.
    bounds: Vec<f32>,
    distances: Vec<f32>,
}

impl Comparison {
    /// Offers to each member of the group the members that may belong in its list.
    fn add(&mut self, lists: &Lists, group: Group<'_>, far: &impl Far) {
        self.members.clear();
        self.members.extend(group.new.iter().chain(group.old));
        self.bounds.clear();
        self.bounds.extend(self.members.iter().map(|&member| lists.bound(member)));
        for (at, &i) in group.new.iter().enumerate() {
            let (others, bounds) = (&self.members[at + 1..], &self.bounds[at..]);
            self.distances.clear();
            far(i as usize, others, &mut self.distances);
            for ((&j, &distance), &bound) in others.iter().zip(&self.distances).zip(&bounds[1..]) {
                // Most are far from both. A new member may be an old one too.
                if (distance <= bounds[0] || distance <= bound) && j != i {
                    for (to, point, bound) in [(i, j, bounds[0]), (j, i, bound)] {
                        if distance <= bound && lists.want(to, distance, point) {
                            self.offers.push(Offer { to, distance, point });
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
