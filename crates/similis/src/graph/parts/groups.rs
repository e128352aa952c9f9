//! Neighbours of points in many dimensions, where no box tells which cells are near: lists within overlapping groups.
//!
//! Every point is in the `N_OVERLAPPING` groups whose centres are nearest to it. Its neighbours are looked for in each of them
//! as among all points ([`Search`]), and the nearest of all its lists are kept: points that a border parts are together in
//! another group. Where there is one group its lists are those of all points in one place.

use crate::error::Error;
use crate::graph::neighbours::Search;
use crate::graph::neighbours::row_search::Nearest;
use crate::graph::parts::entries::UNKNOWN;
use crate::graph::spanning::kruskal::Ranked;
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::Dissimilarity;
use crate::input::metric::MeasuredPoints;
use crate::input::points::Points;
use crate::plan::crossover;
use crate::run::observer::Silent;
use crate::run::parallel;

/// Number of groups that each point is in, if there are as many. `docs/evidence/scale.md`.
const N_OVERLAPPING: usize = 2;

/// Number of points that centres are found from: for each group, and at least. Not tuned.
const N_SAMPLED: usize = 200;
const LEAST_SAMPLED: usize = 2_000;

/// Number of passes that find the centres of two halves. Not tuned.
const N_PASSES: usize = 12;

/// Number of points that one thread handles at a time. Not tuned.
const PIECE: usize = 1_024;

/// The groups of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The centre of each group.
    centres: Points<'static>,
}

impl Groups {
    /// The most points of this number of dimensions that a group or a cell has, about.
    pub fn most_points(n_dimensions: usize) -> usize {
        crossover::most_in_a_group(n_dimensions)
    }

    /// The number of groups for a number of points where none is given: one, if it may have all.
    pub fn count(n_points: usize, n_dimensions: usize) -> usize {
        let most = Self::most_points(n_dimensions);
        if n_points <= most { 1 } else { (N_OVERLAPPING * n_points).div_ceil(most) }
    }

    /// The points that centres are found from.
    pub fn sampled(n_points: usize, n_groups: usize) -> Vec<usize> {
        let n = (n_groups * N_SAMPLED).max(LEAST_SAMPLED).min(n_points);
        (0..n).map(|at| (at as u128 * n_points as u128 / n as u128) as usize).collect()
    }

    /// Returns groups that share some points about evenly: again and again the largest is halved. Fewer than `n_groups`, where
    /// points cannot be parted.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for points without coordinates.
    pub fn new(sample: &Points<'_>, n_groups: usize) -> Result<Self, Error> {
        // As few as overlap would all be the same.
        let n_groups = if n_groups <= N_OVERLAPPING { 1 } else { n_groups };
        let mut parts: Vec<Vec<usize>> = vec![(0..sample.n_points()).collect()];
        while parts.len() < n_groups {
            let largest = (0..parts.len()).rev().max_by_key(|&at| parts[at].len()).unwrap_or(0);
            let Some([first, second]) = halves(sample, &parts[largest]) else { break };
            parts[largest] = first;
            parts.push(second);
        }
        let centres: Vec<f64> = parts.iter().flat_map(|part| mean(sample, part)).collect();
        Self::of_centres(centres, sample.n_dimensions())
    }

    /// Returns the groups with these centres, one row after the other.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where these are no rows of finite numbers.
    pub fn of_centres(centres: Vec<f64>, n_dimensions: usize) -> Result<Self, Error> {
        let n = centres.len() / n_dimensions.max(1);
        Ok(Self { centres: Points::new(centres, n, n_dimensions)? })
    }

    /// The centres, one row after the other.
    pub fn centres(&self) -> &[f64] {
        self.centres.as_slice()
    }

    /// Number of groups.
    pub fn n_groups(&self) -> usize {
        self.centres.n_points()
    }

    /// For each group the points in it, in rising order.
    pub fn members(&self, points: &Points<'_>) -> Vec<Vec<u32>> {
        let n = points.n_points();
        let mut groups = vec![Vec::new(); self.n_groups()];
        let pieces = parallel::map(n.div_ceil(PIECE), |piece| {
            let own = piece * PIECE..n.min((piece + 1) * PIECE);
            own.map(|i| self.nearest(points.row(i))).collect::<Vec<_>>()
        });
        for (i, nearest) in pieces.into_iter().flatten().enumerate() {
            nearest.found().iter().for_each(|&(_, group)| groups[group].push(i as u32));
        }
        groups
    }

    fn nearest(&self, row: &[f64]) -> Nearest {
        let mut nearest = Nearest::new(N_OVERLAPPING);
        (0..self.n_groups()).for_each(|group| nearest.offer(apart(row, self.centres.row(group)), group));
        nearest
    }
}

/// The squared distance of two rows.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn mean(points: &Points<'_>, part: &[usize]) -> Vec<f64> {
    let mut sum = vec![0.0; points.n_dimensions()];
    for &i in part {
        sum.iter_mut().zip(points.row(i)).for_each(|(sum, x)| *sum += x / part.len() as f64);
    }
    sum
}

/// Two halves of a part, each nearer to its own mean: they begin with the point that is farthest from the mean, and the one that
/// is farthest from that.
fn halves(points: &Points<'_>, part: &[usize]) -> Option<[Vec<usize>; 2]> {
    let farthest = |from: &[f64]| {
        let farther = |a: &usize, b: &usize| {
            apart(points.row(*a), from).total_cmp(&apart(points.row(*b), from)).then(b.cmp(a))
        };
        part.iter().copied().max_by(farther).map(|i| points.row(i).to_vec())
    };
    let first = farthest(&mean(points, part))?;
    let mut centres = [farthest(&first)?, first];
    for _ in 0..N_PASSES {
        let is_first = |i: &usize| apart(points.row(*i), &centres[0]) < apart(points.row(*i), &centres[1]);
        let (first, second): (Vec<usize>, Vec<usize>) = part.iter().copied().partition(is_first);
        if first.is_empty() || second.is_empty() {
            return None;
        }
        let means = [mean(points, &first), mean(points, &second)];
        if means == centres {
            return Some([first, second]);
        }
        centres = means;
    }
    let is_first = |i: &usize| apart(points.row(*i), &centres[0]) < apart(points.row(*i), &centres[1]);
    let (first, second): (Vec<usize>, Vec<usize>) = part.iter().copied().partition(is_first);
    (!first.is_empty() && !second.is_empty()).then_some([first, second])
}

/// The lists of the points of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLists {
    /// Distances and numbers, list after list, nearest first; infinite where fewer points are known.
    pub entries: Vec<(f64, u32)>,
    /// The minimum spanning tree of all pairs, shortest link first, where no neighbour can have been missed.
    pub tree: Option<Vec<Ranked>>,
}

/// Returns the lists of the points of a group, whose numbers rise; with its tree, if `with_tree` and if no neighbour can have been
/// missed.
pub fn lists_of_group(
    points: MeasuredPoints<'static>,
    numbers: &[u32],
    n_listed: usize,
    with_tree: bool,
) -> GroupLists {
    let observed = Dissimilarity::from_measured(points);
    let found = Search::default().nearest_neighbours(&observed, n_listed);
    let mut entries = vec![UNKNOWN; numbers.len() * n_listed];
    for (i, list) in entries.chunks_mut(n_listed).enumerate() {
        let known = found.of(i).map(|(j, distance)| (distance, numbers[j]));
        list.iter_mut().zip(known).for_each(|(entry, known)| *entry = known);
    }
    let tree = || {
        let links = minimum_spanning_tree(&observed, &Silent);
        let ranked = links.iter().map(|link| Ranked::new(link.length, numbers[link.from], numbers[link.to]));
        ranked.collect()
    };
    let tree = (with_tree && found.is_exact()).then(tree);
    GroupLists { entries, tree }
}

/// Returns the nearest of a cell's points to each of some points that all cells look at, list after list: `points` are those of the
/// cell, the first of which has the number `first`.
pub fn nearest_to_each(
    points: &MeasuredPoints<'_>,
    first: usize,
    (rows, numbers): (&Points<'_>, &[usize]),
    n_listed: usize,
) -> Vec<(f64, u32)> {
    let lists = parallel::map(numbers.len(), |at| {
        let mut nearest = Nearest::new(n_listed);
        for j in (0..points.n_points()).filter(|j| first + j != numbers[at]) {
            nearest.offer(points.distance_to(rows.row(at), j), first + j);
        }
        let found = nearest.found().iter().map(|&(distance, j)| (distance, j as u32));
        found.chain(std::iter::repeat(UNKNOWN)).take(n_listed).collect::<Vec<_>>()
    });
    lists.concat()
}

/// Returns the share of listed neighbours that are nearest: `nearest` are those that a look at all pairs finds, in as many entries.
pub fn proven_share(listed: &[(f64, u32)], nearest: &[(f64, u32)], n_listed: usize) -> f64 {
    let (mut n_proven, mut n_known) = (0usize, 0usize);
    for (listed, nearest) in listed.chunks(n_listed).zip(nearest.chunks(n_listed)) {
        let farthest = nearest.iter().rfind(|entry| entry.1 != UNKNOWN.1).map_or(0.0, |last| last.0);
        n_known += nearest.iter().filter(|entry| entry.1 != UNKNOWN.1).count();
        n_proven += listed.iter().filter(|entry| entry.0 <= farthest).count();
    }
    if n_known == 0 { 1.0 } else { n_proven as f64 / n_known as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::neighbours::nearest_neighbours;
    use crate::graph::parts::entries::Entries;
    use crate::input::metric::Metric;
    use rand::RngExt;

    const N_LISTED: usize = 6;

    /// Points about three centres in 20 dimensions.
    fn points(n: usize) -> MeasuredPoints<'static> {
        let mut random = crate::run::random::stream(17, 0);
        let place = |at: usize| random.random::<f64>() + 0.1 * ((at / 20 % 3) as f64);
        let rows = (0..n * 20).map(place).collect::<Vec<_>>();
        MeasuredPoints::new(Points::new(rows, n, 20).unwrap(), Metric::Euclidean).unwrap()
    }

    /// The lists of all points, by groups.
    fn by_groups(points: &MeasuredPoints<'static>, groups: &Groups) -> Entries {
        let mut known: Vec<Vec<(f64, u32)>> = vec![Vec::new(); points.n_points()];
        for own in groups.members(points.points()) {
            let places: Vec<usize> = own.iter().map(|&i| i as usize).collect();
            let lists = lists_of_group(points.some(&places).unwrap(), &own, N_LISTED, false);
            for (i, list) in places.into_iter().zip(lists.entries.chunks(N_LISTED)) {
                known[i].extend_from_slice(list);
            }
        }
        Entries::of_several(0, known.len(), N_LISTED, |i| known[i].clone())
    }

    #[test]
    fn groups_overlap_and_hold_about_as_many_points_each() {
        let points = points(1_500);
        for n_groups in [1, 3, 5, 9] {
            let groups = Groups::new(points.points(), n_groups).unwrap();
            let members = groups.members(points.points());
            assert_eq!(members.len(), n_groups);
            let of_each = N_OVERLAPPING.min(n_groups);
            assert_eq!(members.iter().map(Vec::len).sum::<usize>(), of_each * 1_500);
            let even = of_each * 1_500 / n_groups;
            assert!(members.iter().all(|own| own.len() < 3 * even && own.is_sorted()));
            let again = Groups::of_centres(groups.centres().to_vec(), 20).unwrap();
            assert_eq!(again, groups);
        }
        assert_eq!(Groups::new(points.points(), N_OVERLAPPING).unwrap().n_groups(), 1);
        // Equal points cannot be parted.
        let equal = Points::new(vec![1.0; 50 * 20], 50, 20).unwrap();
        assert_eq!(Groups::new(&equal, 4).unwrap().n_groups(), 1);
    }

    #[test]
    fn the_share_of_proven_neighbours_is_counted_and_one_group_misses_none() {
        let points = points(1_500);
        let observed = Dissimilarity::from_measured(points.clone());
        let whole = nearest_neighbours(&observed, N_LISTED);
        let exact: Vec<(f64, u32)> = (0..1_500)
            .flat_map(|i| whole.of(i).map(|(j, length)| (length, j as u32)).collect::<Vec<_>>())
            .collect();
        let all: Vec<usize> = (0..1_500).collect();
        let each = nearest_to_each(&points, 0, (points.points(), &all), N_LISTED);
        assert_eq!(each, exact);
        for n_groups in [1, 6] {
            let groups = Groups::new(points.points(), n_groups).unwrap();
            let lists = by_groups(&points, &groups);
            let n_right = lists.all().iter().zip(exact.chunks(N_LISTED).flat_map(|list| [list; N_LISTED]));
            let n_right = n_right.filter(|(entry, list)| list.contains(entry)).count();
            let share = proven_share(lists.all(), &exact, N_LISTED);
            assert_eq!(share, n_right as f64 / exact.len() as f64);
            assert!(if n_groups == 1 { share == 1.0 } else { share > 0.4 && share < 1.0 }, "{share}");
        }
    }

    #[test]
    fn the_tree_of_one_group_is_that_of_all_pairs() {
        let points = points(300);
        let numbers: Vec<u32> = (0..300).map(|i| 2 * i + 5).collect();
        let lists = lists_of_group(points.clone(), &numbers, N_LISTED, true);
        let expected: Vec<Ranked> = minimum_spanning_tree(&Dissimilarity::from_measured(points), &Silent)
            .iter()
            .map(|link| Ranked::new(link.length, numbers[link.from], numbers[link.to]))
            .collect();
        assert_eq!(lists.tree.unwrap(), expected);
    }
}
