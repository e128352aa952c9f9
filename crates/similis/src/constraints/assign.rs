//! Assignment of must-link groups to clusters: local search for the cheapest assignment that obeys.

use crate::constraints::colouring::{Colouring, Painter, colour};
use crate::constraints::{Constraints, FREE};

/// Maximum number of passes over the groups. Not tuned.
const MOST_PASSES: usize = 20;

/// Smallest decrease of cost that counts as an improvement: smaller ones are rounding errors.
const LEAST_GAIN: f64 = 1e-9;

/// The cost of each cluster for each group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prices {
    n_clusters: usize,
    /// A row for each group.
    values: Vec<f64>,
}

impl Prices {
    fn row(&self, block: usize) -> &[f64] {
        &self.values[block * self.n_clusters..(block + 1) * self.n_clusters]
    }

    /// The difference in cost of the second cheapest and the cheapest cluster (the regret).
    fn regret(&self, block: usize) -> f64 {
        let (mut least, mut next) = (f64::INFINITY, f64::INFINITY);
        for &price in self.row(block) {
            if price < least {
                (least, next) = (price, least);
            } else if price < next {
                next = price;
            }
        }
        next - least
    }

    /// The cheapest cluster of a group among those that `may` be taken.
    fn cheapest(&self, block: usize, may: impl Fn(usize) -> bool) -> Option<usize> {
        let row = self.row(block);
        let classes = (0..self.n_clusters).filter(|&class| may(class));
        classes.reduce(|best, class| if row[class] < row[best] { class } else { best })
    }
}

impl Constraints {
    /// The costs of the clusters for the groups of side information, summed over their points: `add` adds those of a point to
    /// a row.
    pub(crate) fn prices(&self, n_clusters: usize, mut add: impl FnMut(usize, &mut [f64])) -> Prices {
        let mut values = vec![0.0; self.n_told * n_clusters];
        for (block, row) in self.told().iter().zip(values.chunks_mut(n_clusters.max(1))) {
            block.members.iter().for_each(|&i| add(i, row));
        }
        Prices { n_clusters, values }
    }

    /// Returns the labels changed so that they obey and no cluster is empty: groups move to cheap clusters, equal points to where
    /// most of them are, free points stay, except those that an otherwise empty cluster needs.
    ///
    /// Such labels must exist: see [`Constraints::check`].
    pub(crate) fn obeying(&self, mut labels: Vec<usize>, prices: &Prices) -> Vec<usize> {
        for (block, class) in self.told().iter().zip(self.placed(prices)) {
            block.members.iter().for_each(|&i| labels[i] = class);
        }
        self.gather_equal(&mut labels);
        self.fill_empty(&mut labels, prices.n_clusters);
        labels
    }

    /// A cluster for each group.
    fn placed(&self, prices: &Prices) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n_told).collect();
        order.sort_by(|&a, &b| prices.regret(b).total_cmp(&prices.regret(a)));
        let mut painter = Painter::new(self.told(), prices.n_clusters, &order);
        while let Some(block) = painter.next() {
            let Some(class) = prices.cheapest(block, |class| painter.allows(block, class)) else {
                return self.improved(self.coloured(prices), prices);
            };
            painter.paint(block, class);
        }
        self.improved(painter.colours(), prices)
    }

    /// A colouring, which is known to exist, with its colours matched to clusters at low cost.
    fn coloured(&self, prices: &Prices) -> Vec<usize> {
        let m = prices.n_clusters;
        let Colouring::Found(colours) = colour(self.told(), m) else { return vec![0; self.n_told] };
        let mut cost = vec![0.0; m * m];
        for (block, &colour) in colours.iter().enumerate() {
            let row = &mut cost[colour * m..(colour + 1) * m];
            row.iter_mut().zip(prices.row(block)).for_each(|(sum, price)| *sum += price);
        }
        let mut pairs: Vec<usize> = (0..m * m).collect();
        pairs.sort_by(|&a, &b| cost[a].total_cmp(&cost[b]));
        let (mut class, mut taken) = (vec![None; m], vec![false; m]);
        for (colour, to) in pairs.into_iter().map(|pair| (pair / m, pair % m)) {
            if class[colour].is_none() && !taken[to] {
                (class[colour], taken[to]) = (Some(to), true);
            }
        }
        colours.into_iter().map(|colour| class[colour].unwrap_or(colour)).collect()
    }

    /// The clusters after swaps along Kempe chains, as long as the cost falls.
    fn improved(&self, mut classes: Vec<usize>, prices: &Prices) -> Vec<usize> {
        let mut met = vec![usize::MAX; self.n_told];
        let mut n_chains = 0;
        for _ in 0..MOST_PASSES {
            let mut any = false;
            for block in 0..self.n_told {
                for to in 0..prices.n_clusters {
                    let ends = [classes[block], to];
                    let row = prices.row(block);
                    if ends[0] == to || row[to] >= row[ends[0]] {
                        continue;
                    }
                    n_chains += 1;
                    let chain = self.chain(block, ends, &classes, (&mut met, n_chains));
                    let swapped = |at: usize| if classes[at] == to { ends[0] } else { to };
                    let gain: f64 = chain
                        .iter()
                        .map(|&at| prices.row(at)[classes[at]] - prices.row(at)[swapped(at)])
                        .sum();
                    if gain > LEAST_GAIN {
                        let new: Vec<usize> = chain.iter().map(|&at| swapped(at)).collect();
                        chain.iter().zip(new).for_each(|(&at, class)| classes[at] = class);
                        any = true;
                    }
                }
            }
            if !any {
                break;
            }
        }
        classes
    }

    /// The groups of two clusters that conflicts connect to a group (a Kempe chain): they can swap clusters and still obey.
    fn chain(
        &self,
        block: usize,
        ends: [usize; 2],
        classes: &[usize],
        (met, mark): (&mut [usize], usize),
    ) -> Vec<usize> {
        let mut chain = vec![block];
        met[block] = mark;
        let mut next = 0;
        while next < chain.len() {
            for &other in &self.blocks[chain[next]].conflicts {
                if ends.contains(&classes[other]) && met[other] != mark {
                    met[other] = mark;
                    chain.push(other);
                }
            }
            next += 1;
        }
        chain
    }

    /// Gives every empty cluster a free point, or a group, of the largest cluster that has one to spare.
    fn fill_empty(&self, labels: &mut [usize], n_clusters: usize) {
        let mut sizes = vec![0usize; n_clusters];
        labels.iter().for_each(|&label| sizes[label] += 1);
        for empty in 0..n_clusters {
            if sizes[empty] > 0 {
                continue;
            }
            let Some(points) = self.spare(labels, &sizes) else { return };
            sizes[labels[points[0]]] -= points.len();
            sizes[empty] += points.len();
            points.iter().for_each(|&i| labels[i] = empty);
        }
    }

    /// Points that can leave their cluster together without emptying it: of the largest cluster that has such.
    fn spare(&self, labels: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
        let free = |i: usize| self.block_of.get(i).is_none_or(|&block| block == FREE);
        let can = |i: &usize| free(*i) && sizes[labels[*i]] > 1;
        let point = (0..labels.len()).filter(can).reduce(|best, i| {
            // The first of the last of the largest clusters.
            let (old, new) = (labels[best], labels[i]);
            if (sizes[new], new) > (sizes[old], old) { i } else { best }
        });
        if let Some(i) = point {
            return Some(vec![i]);
        }
        let movable = self.blocks.iter().filter(|block| !block.named);
        let leaves = movable.filter(|block| sizes[labels[block.members[0]]] > block.members.len());
        let best = leaves.max_by_key(|block| sizes[labels[block.members[0]]])?;
        Some(best.members.clone())
    }
}
