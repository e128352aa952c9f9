//! Balanced linkage (Genie): by length, but the smallest components first while their sizes are too unequal (Gagolewski,
//! Bartoszuk & Cena, 2016).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::latent_graph::search::starts::linkage::Linkage;
use crate::run::parallel;

/// Returns the contraction of the tree's links by length, where only links of a smallest component may be taken while the
/// [Gini index](Sizes::gini) of the sizes exceeds `most_unequal`; links without a finite length come last, or if `joins` as
/// the longest.
pub(crate) fn balanced_linkage(tree: &[Link], n_points: usize, most_unequal: f64, joins: bool) -> Linkage {
    let (mut links, unobserved): (Vec<Link>, Vec<Link>) =
        tree.iter().partition(|link| link.length.is_finite() || joins);
    let ends = |link: &Link| (link.from.min(link.to), link.from.max(link.to));
    parallel::sort_by(&mut links, |a, b| a.length.total_cmp(&b.length).then(ends(a).cmp(&ends(b))));
    let mut parts = Parts::new(&links, n_points);
    let mut merges = Vec::with_capacity(tree.len());
    while let Some(next) = parts.next(most_unequal) {
        parts.contract(next);
        merges.push(links[next as usize]);
    }
    Linkage::new(n_points, merges.into_iter().chain(unobserved))
}

/// The components of the contracted links, and the links that leave each.
struct Parts<'a> {
    /// All links, shortest first: a link is known by its rank.
    links: &'a [Link],
    contracted: Vec<bool>,
    /// The shortest link that is not contracted.
    shortest: usize,
    joined: DisjointSets,
    size: Vec<usize>,
    /// The links of each component, shortest on top; below the top there may be contracted ones.
    leaving: Vec<BinaryHeap<Reverse<u32>>>,
    /// Size, shortest link and root of every component that a link leaves: the first has the shortest link of a smallest
    /// component.
    by_size: BTreeSet<(usize, u32, usize)>,
    sizes: Sizes,
}

impl<'a> Parts<'a> {
    fn new(links: &'a [Link], n_points: usize) -> Self {
        let mut leaving = vec![BinaryHeap::new(); n_points];
        for (rank, link) in links.iter().enumerate() {
            leaving[link.from].push(Reverse(rank as u32));
            leaving[link.to].push(Reverse(rank as u32));
        }
        let mut parts = Self {
            links,
            contracted: vec![false; links.len()],
            shortest: 0,
            joined: DisjointSets::new(n_points),
            size: vec![1; n_points],
            leaving,
            by_size: BTreeSet::new(),
            sizes: Sizes::ones(n_points),
        };
        parts.by_size = (0..n_points).filter_map(|part| parts.listing(part)).collect();
        parts
    }

    /// The entry of a component in `by_size`, if a link leaves it.
    fn listing(&self, part: usize) -> Option<(usize, u32, usize)> {
        self.leaving[part].peek().map(|&Reverse(link)| (self.size[part], link, part))
    }

    /// The link that is contracted next.
    fn next(&mut self, most_unequal: f64) -> Option<u32> {
        if self.sizes.gini() > most_unequal {
            return self.by_size.first().map(|&(_, link, _)| link);
        }
        while *self.contracted.get(self.shortest)? {
            self.shortest += 1;
        }
        Some(self.shortest as u32)
    }

    fn contract(&mut self, link: u32) {
        self.contracted[link as usize] = true;
        let Link { from, to, .. } = self.links[link as usize];
        let (a, b) = (self.joined.root(from), self.joined.root(to));
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        for part in [small, large] {
            if let Some(listing) = self.listing(part) {
                self.by_size.remove(&listing);
            }
        }
        self.sizes.join(self.size[small], self.size[large]);
        self.joined.join_roots(small, large);
        self.size[large] += self.size[small];
        let mut links = std::mem::take(&mut self.leaving[small]);
        let leaving = &mut self.leaving[large];
        leaving.append(&mut links);
        while leaving.peek().is_some_and(|&Reverse(link)| self.contracted[link as usize]) {
            leaving.pop();
        }
        self.by_size.extend(self.listing(large));
    }
}

/// The sizes of all components and how unequal they are, in whole numbers.
struct Sizes {
    n_points: usize,
    n_parts: i64,
    /// $\sum_{a < b} |n_a - n_b|$.
    differences: i64,
    /// A binary indexed tree: the number of components with a size up to s, and of their points.
    up_to: Vec<Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    parts: i64,
    points: i64,
}

impl Sizes {
    /// Components of one point each.
    fn ones(n_points: usize) -> Self {
        let mut sizes =
            Self { n_points, n_parts: 0, differences: 0, up_to: vec![Count::default(); n_points + 1] };
        sizes.add(1, n_points as i64);
        sizes
    }

    /// Returns the Gini index of the sizes: 0 for equal ones, near 1 where one component holds all but a few points.
    ///
    /// $$ G = \frac{\sum_{a < b} |n_a - n_b|}{(k - 1) \sum_a n_a} $$
    ///
    /// for k components of sizes $n_a$.
    fn gini(&self) -> f64 {
        let most = (self.n_parts - 1) * self.n_points as i64;
        if most > 0 { self.differences as f64 / most as f64 } else { 0.0 }
    }

    /// Merges two components.
    fn join(&mut self, a: usize, b: usize) {
        for size in [a, b] {
            self.add(size, -1);
            self.differences -= self.differences_from(size);
        }
        self.differences += self.differences_from(a + b);
        self.add(a + b, 1);
    }

    fn add(&mut self, size: usize, n_parts: i64) {
        self.n_parts += n_parts;
        let mut at = size;
        while at < self.up_to.len() {
            self.up_to[at].parts += n_parts;
            self.up_to[at].points += n_parts * size as i64;
            at += at & at.wrapping_neg();
        }
    }

    fn count_up_to(&self, size: usize) -> Count {
        let mut count = Count::default();
        let mut at = size;
        while at > 0 {
            count.parts += self.up_to[at].parts;
            count.points += self.up_to[at].points;
            at &= at - 1;
        }
        count
    }

    /// $\sum_b |n_b - s|$ over all parts.
    fn differences_from(&self, size: usize) -> i64 {
        let (smaller, all) = (self.count_up_to(size), self.count_up_to(self.n_points));
        let s = size as i64;
        let above = (all.points - smaller.points) - s * (all.parts - smaller.parts);
        s * smaller.parts - smaller.points + above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::disjoint_sets::components;
    use crate::run::random::stream;
    use rand::RngExt;

    fn gini_of(sizes: &[usize]) -> f64 {
        let pairs =
            sizes.iter().enumerate().flat_map(|(at, &a)| sizes[..at].iter().map(move |&b| a.abs_diff(b)));
        let most = (sizes.len() - 1) * sizes.iter().sum::<usize>();
        if most > 0 { pairs.sum::<usize>() as f64 / most as f64 } else { 0.0 }
    }

    /// Reference implementation that scans everything in every step.
    fn slow(tree: &[Link], n_points: usize, most_unequal: f64) -> Vec<Link> {
        let mut merges: Vec<Link> = Vec::new();
        while merges.len() < tree.len() {
            let parts = components(n_points, merges.iter().copied());
            let sizes = parts.sizes();
            let size = |i: usize| sizes[parts.as_slice()[i]];
            let left = || tree.iter().filter(|link| !merges.contains(link));
            let smaller = |link: &&Link| size(link.from).min(size(link.to));
            let smallest = left().map(|link| smaller(&link)).min().unwrap();
            let unequal = gini_of(&sizes) > most_unequal;
            let allowed = left().filter(|link| !unequal || smaller(link) == smallest);
            let key = |link: &&Link| (link.length, link.from, link.to);
            merges.push(*allowed.min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap()).unwrap());
        }
        merges
    }

    #[test]
    fn the_gini_index_by_hand() {
        // Sizes 3, 1, 1: differences 2, 2, 0 over 2 * 5.
        let mut sizes = Sizes::ones(5);
        assert_eq!(sizes.gini(), 0.0);
        sizes.join(1, 1);
        sizes.join(2, 1);
        assert_eq!(sizes.gini(), 0.4);
        sizes.join(1, 3);
        sizes.join(1, 4);
        assert_eq!(sizes.gini(), 0.0);
    }

    #[test]
    fn fast_takes_the_links_that_slow_takes() {
        let mut random = stream(8, 0);
        for case in 0..120 {
            let n = 1 + case % 40;
            let reach = [1, 3, 100][case % 3];
            let link = |to: usize| {
                let length: f64 = random.random_range(0.0..4.0);
                let from = random.random_range(to.saturating_sub(reach)..to);
                Link { from, to, length: if case % 2 == 0 { length.floor() } else { length } }
            };
            let tree: Vec<Link> = (1..n).map(link).collect();
            for most_unequal in [0.0, 0.1, 0.3, 0.7, 1.0] {
                let fast = balanced_linkage(&tree, n, most_unequal, false);
                let slow = Linkage::new(n, slow(&tree, n, most_unequal).into_iter());
                assert_eq!(fast, slow, "case {case}, {most_unequal}");
            }
        }
    }

    #[test]
    fn links_without_a_length_come_last() {
        let lengths = [1.0, f64::INFINITY, 2.0, f64::NAN, 3.0];
        let tree: Vec<Link> =
            lengths.iter().enumerate().map(|(i, &length)| Link { from: i, to: i + 1, length }).collect();
        for most_unequal in [0.0, 0.3, 1.0] {
            let linkage = balanced_linkage(&tree, 6, most_unequal, false);
            assert_eq!(linkage.cut(3).as_slice(), [0, 0, 1, 1, 2, 2]);
            assert_eq!(linkage.cut(1).n_clusters(), 1);
        }
    }
}
