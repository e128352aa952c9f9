//! Bounds on the sizes of clusters: labels are changed so that they obey, at the borders first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::constraints::Constraints;
use crate::error::{ConstraintError, Error};
use crate::graph::shared::{shared_neighbours, shared_tree};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::run::observer::Observer;
use crate::settings::n_clusters::NClusters;

/// Number of nearest neighbours across which clusters grow. Not tuned.
const N_NEAR: usize = 10;

/// Number of clusters beyond twice the fewest possible that are tried where the number is open. Not tuned.
const N_BEYOND: usize = 10;

/// Fewest and most points of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeBounds {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl SizeBounds {
    /// The bounds that settings ask for; `None` where they ask for nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Constraints`] where the least is above the most, or no number of clusters could obey.
    pub(crate) fn new(least: usize, most: Option<usize>, n_points: usize) -> Result<Option<Self>, Error> {
        if least <= 1 && most.is_none_or(|most| most >= n_points) {
            return Ok(None);
        }
        let bounds = Self { least: least.max(1), most: most.unwrap_or(n_points) };
        let (fewest, largest) = bounds.n_clusters(n_points);
        if bounds.least > bounds.most || fewest > largest {
            let most = bounds.most;
            return Err(Error::Constraints(ConstraintError::Sizes { least, most, n_points }));
        }
        Ok(Some(bounds))
    }

    /// The fewest and the most clusters that `n_points` points can have.
    pub(crate) fn n_clusters(self, n_points: usize) -> (usize, usize) {
        (n_points.div_ceil(self.most.max(1)).max(1), n_points / self.least)
    }

    /// Whether clusters of these sizes obey.
    pub(crate) fn hold(self, sizes: &[usize]) -> bool {
        sizes.iter().all(|size| (self.least..=self.most).contains(size))
    }
}

/// What settings of the number of clusters become.
impl SizeBounds {
    /// The numbers of clusters that are asked for, as far as the bounds allow them.
    ///
    /// # Errors
    ///
    /// [`Error::Constraints`] where they allow none.
    pub(crate) fn allowed(self, asked: NClusters, n_points: usize) -> Result<NClusters, Error> {
        let (fewest, largest) = self.n_clusters(n_points);
        let error = |asked: NClusters| {
            let given = asked.to_string();
            Error::Constraints(ConstraintError::SizesNumber { given, fewest, largest, n_points })
        };
        match asked {
            NClusters::Auto if fewest == 1 => Ok(asked),
            // Larger numbers are not searched beyond what the data can ask for.
            NClusters::Auto => Ok(NClusters::Between(fewest, largest.min(2 * fewest + N_BEYOND))),
            NClusters::Exactly(n) if (fewest..=largest).contains(&n) => Ok(asked),
            NClusters::Between(least, most) if least <= largest && fewest <= most => {
                Ok(NClusters::Between(least.max(fewest), most.min(largest)))
            }
            _ => Err(error(asked)),
        }
    }

    /// Returns the labels changed so that they obey: as they are and, where the number of clusters is not given, with clusters that are
    /// too small as part of the nearest. Nothing where neither succeeds.
    pub(crate) fn made_to_obey(
        self,
        labels: &Labels,
        asked: NClusters,
        constraints: &Constraints,
        borders: &Borders,
    ) -> Vec<Labels> {
        let (fewest, largest) = self.n_clusters(labels.n_points());
        let absorbed = match asked {
            NClusters::Exactly(_) => None,
            _ => Some(self.absorbed(labels, constraints, borders)),
        };
        let tried = absorbed.iter().chain([labels]);
        let possible = tried.filter(|labels| (fewest..=largest).contains(&labels.n_clusters()));
        let found = possible.filter_map(|labels| self.obeying(labels, constraints, borders));
        found.map(|found| Labels::new(&found)).collect()
    }

    /// The labels where clusters that are too small are part of the nearest that they may join, the smallest first.
    fn absorbed(self, labels: &Labels, constraints: &Constraints, borders: &Borders) -> Labels {
        let mut own = labels.as_slice().to_vec();
        let mut left = vec![true; labels.n_clusters()];
        loop {
            let mut sizes = vec![0; left.len()];
            own.iter().for_each(|&label| sizes[label] += 1);
            let small = (0..left.len()).filter(|&at| left[at] && (1..self.least).contains(&sizes[at]));
            let Some(smallest) = small.min_by_key(|&at| sizes[at]) else { break };
            left[smallest] = false;
            let members: Vec<usize> = (0..own.len()).filter(|&i| own[i] == smallest).collect();
            let free = |to: usize| {
                !members.iter().any(|&i| constraints.is_named(i))
                    && constraints.allows_merge(&members, to, &own)
            };
            let links =
                members.iter().flat_map(|&i| &borders.near[i]).map(|&(j, cost)| (cost, own[j as usize]));
            let to = links.filter(|&(_, to)| to != smallest && free(to)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, to)) = to {
                members.iter().for_each(|&i| own[i] = to);
            }
        }
        Labels::new(&own)
    }
}

/// The links across which clusters grow.
#[derive(Debug)]
pub(crate) struct Borders {
    near: Vec<Vec<(u32, f64)>>,
}

impl Borders {
    /// The nearest neighbours of every point, and the links of the minimum spanning tree.
    pub(crate) fn new(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Self {
        let n = observed.n_points();
        let mut near = vec![Vec::new(); n];
        let is_length = observed.quantity() == Quantity::Distances;
        let mut add = |i: usize, j: usize, length: f64| {
            let cost = if is_length && length.is_finite() { length } else { 1.0 };
            near[i].push((j as u32, cost));
            near[j].push((i as u32, cost));
        };
        let lists = shared_neighbours(observed, N_NEAR);
        (0..n).for_each(|i| lists.of(i).for_each(|(j, length)| add(i, j, length)));
        shared_tree(observed, observer).iter().for_each(|link| add(link.from, link.to, link.length));
        Self { near }
    }

    /// The points in the order in which they are reached from those that have a label here, with the label that reaches them; those
    /// that no link reaches come last, with the first label.
    fn reached(&self, sources: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let n = self.near.len();
        let mut best = vec![f64::INFINITY; n];
        let mut label = vec![sources.first().map_or(0, |source| source.1); n];
        let mut queue = BinaryHeap::new();
        for &(i, own) in sources {
            (best[i], label[i]) = (0.0, own);
            queue.push(Reverse((0u64, i)));
        }
        let (mut order, mut met) = (Vec::with_capacity(n), vec![false; n]);
        while let Some(Reverse((bits, i))) = queue.pop() {
            if std::mem::replace(&mut met[i], true) {
                continue;
            }
            order.push((i, label[i]));
            let at = f64::from_bits(bits);
            for &(j, cost) in &self.near[i] {
                let j = j as usize;
                if at + cost < best[j] {
                    (best[j], label[j]) = (at + cost, label[i]);
                    // Numbers that are not negative have the order of their bits.
                    queue.push(Reverse(((at + cost).to_bits(), j)));
                }
            }
        }
        order.extend((0..n).filter(|&i| !met[i]).map(|i| (i, label[i])));
        order
    }
}

/// Labels on the way to obeying.
struct Repair<'a> {
    bounds: SizeBounds,
    constraints: &'a Constraints,
    borders: &'a Borders,
    labels: Vec<usize>,
    sizes: Vec<usize>,
}

impl SizeBounds {
    /// Returns the labels changed so that they obey, with the clusters that they have: clusters that are too small grow across their
    /// borders, then those that are too large give points to their neighbours. Points that must share a cluster move together.
    /// `None` where that does not succeed.
    pub(crate) fn obeying(
        self,
        labels: &Labels,
        constraints: &Constraints,
        borders: &Borders,
    ) -> Option<Vec<usize>> {
        let mut repair = Repair {
            bounds: self,
            constraints,
            borders,
            labels: labels.as_slice().to_vec(),
            sizes: labels.sizes(),
        };
        // Every round brings one cluster within bounds, and takes none beyond.
        for _ in 0..2 * repair.sizes.len() {
            if self.hold(&repair.sizes) {
                return Some(repair.labels);
            }
            repair.round()?;
        }
        self.hold(&repair.sizes).then_some(repair.labels)
    }
}

impl Repair<'_> {
    /// Brings the smallest of the clusters that are too small within bounds, or else the largest of those that are too large.
    fn round(&mut self) -> Option<()> {
        let SizeBounds { least, most } = self.bounds;
        let clusters = 0..self.sizes.len();
        let smallest = clusters.clone().min_by_key(|&cluster| self.sizes[cluster])?;
        if self.sizes[smallest] < least {
            return self.grow(smallest);
        }
        let largest = clusters.max_by_key(|&cluster| (self.sizes[cluster], Reverse(cluster)))?;
        if self.sizes[largest] > most { self.shed(largest) } else { Some(()) }
    }

    /// Takes the nearest points of clusters that can spare them, those that are too large first.
    fn grow(&mut self, cluster: usize) -> Option<()> {
        let own: Vec<(usize, usize)> = self.members(cluster).map(|i| (i, cluster)).collect();
        let reached = self.borders.reached(&own);
        for from_large in [true, false] {
            for &(i, _) in &reached {
                if self.sizes[cluster] >= self.bounds.least {
                    return Some(());
                }
                if !from_large || self.sizes[self.labels[i]] > self.bounds.most {
                    self.take(i, cluster);
                }
            }
        }
        (self.sizes[cluster] >= self.bounds.least).then_some(())
    }

    /// Gives points to the nearest clusters that have room.
    fn shed(&mut self, cluster: usize) -> Option<()> {
        let has_room = |other: usize| self.sizes[other] < self.bounds.most;
        let others: Vec<(usize, usize)> = self
            .labels
            .iter()
            .enumerate()
            .filter(|&(_, &own)| own != cluster && has_room(own))
            .map(|(i, &own)| (i, own))
            .collect();
        let reached = self.borders.reached(&others);
        let fallback: Vec<usize> = (0..self.sizes.len()).filter(|&other| other != cluster).collect();
        for (i, to) in reached {
            if self.sizes[cluster] <= self.bounds.most {
                return Some(());
            }
            if self.labels[i] == cluster && !self.take(i, to) {
                // The nearest is full by now.
                let _ = fallback.iter().any(|&other| self.take(i, other));
            }
        }
        (self.sizes[cluster] <= self.bounds.most).then_some(())
    }

    fn members(&self, cluster: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.labels.len()).filter(move |&i| self.labels[i] == cluster)
    }

    /// Moves a point, and those that move with it, if no size and no constraint forbids it; returns whether it did.
    fn take(&mut self, i: usize, to: usize) -> bool {
        let from = self.labels[i];
        let group = self.constraints.party_of(i);
        let n = group.len();
        let may = from != to
            && !self.constraints.is_named(i)
            && self.sizes[to] + n <= self.bounds.most
            && self.sizes[from] >= self.bounds.least + n
            && self.constraints.allows(i, to, &self.labels);
        if may {
            group.iter().for_each(|&j| self.labels[j] = to);
            self.sizes[from] -= n;
            self.sizes[to] += n;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::side_information::SideInformation;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use proptest::prelude::*;

    fn line(places: Vec<f64>) -> Dissimilarity<'static> {
        let n = places.len();
        Dissimilarity::from_points(Points::new(places, n, 1).unwrap(), Metric::Euclidean).unwrap()
    }

    proptest! {
        #[test]
        fn sizes_are_never_broken(
            places in prop::collection::vec(0u8..60, 4..50), names in prop::collection::vec(0usize..6, 50),
            least in 1usize..6, more in 0usize..20,
        ) {
            let n = places.len();
            let labels = Labels::new(&names[..n]);
            let m = labels.n_clusters();
            let most = n.div_ceil(m).max(least) + more;
            prop_assume!(least * m <= n);
            let bounds = SizeBounds { least, most };
            let observed = line(places.iter().map(|&x| f64::from(x)).collect());
            let borders = Borders::new(&observed, &Silent);
            let none = Constraints::new(&SideInformation::default(), n).unwrap();
            let found = bounds.obeying(&labels, &none, &borders);
            prop_assert!(found.is_some());
            if let Some(found) = &found {
                let found = Labels::new(found);
                prop_assert_eq!(found.n_clusters(), m);
                prop_assert!(bounds.hold(&found.sizes()));
                if bounds.hold(&labels.sizes()) {
                    prop_assert_eq!(&found, &labels);
                }
            }
        }
    }

    #[test]
    fn borders_move_first_and_groups_move_together() {
        let observed = line((0..10).map(f64::from).collect());
        let borders = Borders::new(&observed, &Silent);
        let labels = Labels::new(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        let bounds = SizeBounds { least: 4, most: 6 };
        let none = Constraints::new(&SideInformation::default(), 10).unwrap();
        assert_eq!(bounds.obeying(&labels, &none, &borders).unwrap(), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
        let tied = SideInformation { must_link: vec![(0, 7)], ..SideInformation::default() };
        let tied = Constraints::new(&tied, 10).unwrap();
        let found = bounds.obeying(&labels, &tied, &borders).unwrap();
        assert_eq!(found[0], found[7]);
        assert!(bounds.hold(&Labels::new(&found).sizes()));
        let known = SideInformation::from(&[Some(0); 8].into_iter().chain([Some(1); 2]).collect::<Vec<_>>());
        assert_eq!(bounds.obeying(&labels, &Constraints::new(&known, 10).unwrap(), &borders), None);
    }

    #[test]
    fn impossible_bounds_are_answered_clearly() {
        let words =
            |least: usize, most: Option<usize>| SizeBounds::new(least, most, 10).unwrap_err().to_string();
        assert!(words(5, Some(3)).contains("min_size 5"), "{}", words(5, Some(3)));
        assert!(words(11, None).contains("10 points"));
        // 10 points in clusters of 4 or of 4: no number fits.
        assert!(words(4, Some(4)).contains("max_size 4"));
        assert_eq!(SizeBounds::new(1, None, 10).unwrap(), None);
        assert_eq!(SizeBounds::new(0, Some(99), 10).unwrap(), None);
        assert_eq!(SizeBounds::new(3, None, 10).unwrap().unwrap().n_clusters(10), (1, 3));
    }
}
