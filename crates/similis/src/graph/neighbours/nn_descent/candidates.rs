//! The candidates that are compared in a round.

use crate::graph::neighbours::nn_descent::lists::{Lists, Place};
use crate::graph::neighbours::nn_descent::{Group, Groups};
use crate::run::parallel;

/// Number of lists that one thread changes at a time. Not tuned.
const PIECE: usize = 512;

/// The candidates of every point: some of its neighbours and of the points that have it as a neighbour, new ones and old ones.
#[derive(Debug)]
pub(crate) struct Candidates {
    groups: Vec<[Vec<u32>; 2]>,
}

impl Groups for Candidates {
    fn n_groups(&self) -> usize {
        self.groups.len()
    }

    fn group(&self, at: usize) -> Group<'_> {
        let [new, old] = &self.groups[at];
        Group { new, old }
    }
}

impl Candidates {
    /// Chooses at most `most` new and `most` old candidates of every point; the new neighbours that are chosen become old.
    pub(crate) fn new(lists: &mut Lists, most: usize, salt: u64) -> Self {
        let reverse = Reverse::new(lists);
        let groups = parallel::map(lists.n_points(), |i| {
            [true, false].map(|new| {
                let forward =
                    lists.places(i).iter().filter(|place| place.is_new() == new).map(|place| place.point());
                let backward = reverse.of(i).filter(|source| source.new == new).map(|source| source.point);
                chosen(i as u32, forward.chain(backward).collect(), most, salt)
            })
        });
        let width = lists.width();
        parallel::for_each_piece(lists.places_mut(), PIECE * width, |piece, places| {
            for (at, list) in places.chunks_mut(width).enumerate() {
                let [new, _] = &groups[piece * PIECE + at];
                let done = |place: &&mut Place| place.is_new() && new.contains(&place.point());
                list.iter_mut().filter(done).for_each(Place::settle);
            }
        });
        Self { groups }
    }
}

/// At most `most` of the points, by chance, in rising order.
fn chosen(i: u32, mut points: Vec<u32>, most: usize, salt: u64) -> Vec<u32> {
    points.sort_unstable();
    points.dedup();
    if points.len() > most {
        points.select_nth_unstable_by_key(most, |&j| (scrambled(i, j, salt), j));
        points.truncate(most);
        points.sort_unstable();
    }
    points
}

/// A number that looks random, the same for (i, j) and (j, i).
fn scrambled(i: u32, j: u32, salt: u64) -> u64 {
    let mut bits =
        (u64::from(i.min(j)) << 32 | u64::from(i.max(j))) ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A point that has another in its list.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    point: u32,
    new: bool,
}

/// For each point the points that have it in their lists.
struct Reverse {
    offsets: Vec<usize>,
    sources: Vec<Source>,
}

impl Reverse {
    fn new(lists: &Lists) -> Self {
        let n = lists.n_points();
        let mut offsets = vec![0; n + 1];
        (0..n).flat_map(|i| lists.of(i)).for_each(|j| offsets[j as usize + 1] += 1);
        (0..n).for_each(|j| offsets[j + 1] += offsets[j]);
        let mut ends = offsets.clone();
        let mut sources = vec![Source::default(); offsets[n]];
        for i in 0..n {
            for place in lists.places(i) {
                let end = &mut ends[place.point() as usize];
                sources[*end] = Source { point: i as u32, new: place.is_new() };
                *end += 1;
            }
        }
        Self { offsets, sources }
    }

    fn of(&self, j: usize) -> impl Iterator<Item = Source> + '_ {
        self.sources[self.offsets[j]..self.offsets[j + 1]].iter().copied()
    }
}
