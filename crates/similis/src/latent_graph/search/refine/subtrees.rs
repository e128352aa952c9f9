//! The subtree of a cluster tree that gains most by going to another cluster.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::graph::forest::Forest;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::varying::raised;
use crate::run::observer::Observer;
use crate::run::parallel;

/// A subtree that may move: the part of the tree below a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SubtreeMove {
    /// The end of the link that is in the subtree.
    pub(crate) below: usize,
    pub(crate) above: usize,
    pub(crate) to: usize,
    /// Lower bound on the gain, at the present scales.
    pub(crate) gain: f64,
}

/// The input of the gains of subtrees.
pub(crate) struct Subtrees<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) forest: &'a Forest<'a>,
    pub(crate) scales: &'a [f64],
}

/// The part of a rooted tree below a point, the point included.
#[derive(Clone, Copy, Debug, Default)]
struct Below {
    n_points: usize,
    /// Whether a label inside is known.
    held: bool,
    /// Whether a point inside is constrained.
    bound: bool,
    /// The most that a move can gain in soft pairs.
    soft: f64,
    /// The sum of the powers of the links.
    powers: f64,
    /// The cost of the links, forbidden ones left out.
    price: f64,
    /// Forbidden links, which cost the same in every cluster.
    n_joins: usize,
}

/// The cheapest link from a subtree to a cluster.
#[derive(Clone, Copy, Debug)]
struct Way {
    price: f64,
    /// The scale at its far end.
    scale: f64,
}

/// The ways to the clusters that some link of a subtree leads to.
type Ways = BTreeMap<usize, Way>;

/// One side of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) n_points: usize,
    /// Links inside whose lengths were observed, and the sum of their powers.
    pub(crate) n_observed: usize,
    pub(crate) powers: f64,
    /// Points that may not move alone.
    n_tied: usize,
}

/// A link and its two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwoParts {
    pub(crate) ends: [usize; 2],
    pub(crate) below: Part,
    pub(crate) above: Part,
}

impl TwoParts {
    /// Whether a point may not move alone on the side that [`Forest::smaller_side`] names.
    pub(crate) fn smaller_is_held(&self) -> bool {
        // Of two equal sides it is the lower end's; to take either for it is only stricter.
        match self.below.n_points.cmp(&self.above.n_points) {
            Ordering::Less => self.below.n_tied > 0,
            Ordering::Greater => self.above.n_tied > 0,
            Ordering::Equal => self.below.n_tied + self.above.n_tied > 0,
        }
    }
}

/// A tree walked from its root: every point after its parent.
struct Rooted {
    order: Vec<usize>,
    /// The parent of each place in the order, as a place; and the length of the link to it.
    up: Vec<(usize, f64)>,
}

impl Subtrees<'_> {
    /// The move that gains most, in any cluster.
    pub(crate) fn best(&self) -> Option<SubtreeMove> {
        let classes = 0..self.forest.n_classes();
        let moves = classes.filter_map(|cluster| self.best_of(cluster));
        moves.reduce(|best, other| if other.gain > best.gain { other } else { best })
    }

    /// The best move of every cluster that has one; where `observer` cancels, of those that were looked at.
    pub(crate) fn best_of_each(&self, observer: &dyn Observer) -> Vec<SubtreeMove> {
        let best = |cluster: usize| if observer.cancelled() { None } else { self.best_of(cluster) };
        parallel::map(self.forest.n_classes(), best).into_iter().flatten().collect()
    }

    /// The best move of a subtree of less than half of a cluster.
    ///
    /// Subtrees are summed up from the leaves. In its new cluster a subtree keeps its links, at the scale of the far end of
    /// its cheapest link there: a bound on the cost of the merged tree.
    pub(crate) fn best_of(&self, cluster: usize) -> Option<SubtreeMove> {
        let tree = self.rooted(cluster)?;
        let mut below: Vec<Below> = tree.order.iter().map(|&i| self.single(i)).collect();
        let mut ways: Vec<Ways> = tree.order.iter().map(|&i| self.ways(i, cluster)).collect();
        let mut best: Option<SubtreeMove> = None;
        for at in (1..tree.order.len()).rev() {
            let (parent, length) = tree.up[at];
            let (child, above) = (tree.order[at], tree.order[parent]);
            let price = self.problem.price(length, (self.scales[child] * self.scales[above]).sqrt());
            let part = below[at];
            if part.n_points >= 2 && 2 * part.n_points < tree.order.len() && !part.held {
                for (&to, &way) in &ways[at] {
                    let links = price + self.gain(&part, cluster, to, way);
                    if !links.is_finite() || best.is_some_and(|best| links + part.soft <= best.gain) {
                        continue;
                    }
                    let soft =
                        if part.soft > 0.0 { self.soft_gain([child, above], [cluster, to]) } else { 0.0 };
                    let gain = links + soft;
                    if best.is_none_or(|best| gain > best.gain)
                        && (!part.bound || self.is_allowed(child, above, to))
                    {
                        best = Some(SubtreeMove { below: child, above, to, gain });
                    }
                }
            }
            below[parent].add(&part, price, self.power(length));
            let from_child = std::mem::take(&mut ways[at]);
            let from_parent = std::mem::take(&mut ways[parent]);
            ways[parent] = cheaper(from_parent, from_child);
        }
        best
    }

    /// What the move of the smaller side of a link gains in soft pairs.
    fn soft_gain(&self, [below, above]: [usize; 2], ends: [usize; 2]) -> f64 {
        let side = self.forest.smaller_side(below, above).unwrap_or_default();
        self.problem.constraints.soft().gain(&side, ends, self.forest.labels())
    }

    /// Whether side information lets the side of a link that is less than half of its cluster go to another.
    fn is_allowed(&self, below: usize, above: usize, to: usize) -> bool {
        let constraints = self.problem.constraints;
        let side = self.forest.smaller_side(below, above);
        side.is_some_and(|points| constraints.allows_all(&points, to, self.forest.labels()))
    }

    /// Every link of a cluster's tree and what lies on its two sides; `power` is that of an observed length.
    pub(crate) fn cuts(&self, cluster: usize, power: impl Fn(f64) -> Option<f64>) -> Vec<TwoParts> {
        let Some(tree) = self.rooted(cluster) else { return Vec::new() };
        let single = |i: usize| Part {
            n_points: 1,
            n_tied: usize::from(self.problem.constraints.is_tied(i)),
            ..Part::default()
        };
        let mut below: Vec<Part> = tree.order.iter().map(|&i| single(i)).collect();
        for at in (1..tree.order.len()).rev() {
            let (parent, length) = tree.up[at];
            let part = below[at];
            below[parent].add(&part, power(length));
        }
        let whole = below[0];
        let cut = |at: usize| {
            let (parent, length) = tree.up[at];
            let ends = [tree.order[at], tree.order[parent]];
            TwoParts { ends, below: below[at], above: whole.without(&below[at], power(length)) }
        };
        (1..tree.order.len()).map(cut).collect()
    }

    /// The gain of a subtree that joins another cluster, without the link that is cut.
    fn gain(&self, part: &Below, from: usize, to: usize, way: Way) -> f64 {
        let sizes = [from, to].map(|cluster| self.forest.members(cluster).len());
        let n = part.n_points;
        let log_class = |n: usize| self.problem.prior.log_class(n);
        let prior =
            log_class(sizes[0] - n) + log_class(sizes[1] + n) - log_class(sizes[0]) - log_class(sizes[1]);
        let shape = self.problem.shape;
        let scale = way.scale / self.problem.context.mean_link;
        let n_links = n - 1 - part.n_joins;
        let there = part.powers / raised(scale, shape) + n_links as f64 * shape * way.scale.ln();
        part.price - way.price - there + prior
    }

    fn single(&self, i: usize) -> Below {
        let constraints = self.problem.constraints;
        let (held, bound) = (constraints.is_named(i), constraints.is_bound(i));
        Below { n_points: 1, held, bound, soft: constraints.soft().most(i), ..Below::default() }
    }

    /// The power of a length that its likelihood falls with: 0 of a pair that was not observed, none of a forbidden one.
    fn power(&self, length: f64) -> Option<f64> {
        let context = self.problem.context;
        if length.is_nan() {
            return Some(0.0);
        }
        // In units of the mean link, as the scale it is divided by.
        let power = || raised(length.max(context.floor()) / context.mean_link, self.problem.shape);
        length.is_finite().then(power)
    }

    /// The cheapest link from a point to each cluster, among its listed neighbours.
    fn ways(&self, i: usize, own: usize) -> Ways {
        let mut ways = Ways::new();
        for (j, length) in self.problem.context.neighbours.of(i) {
            let cluster = self.forest.labels()[j];
            // The list is in the order of lengths: the first of a cluster is its nearest.
            if cluster != own {
                let scale = self.scales[j];
                ways.entry(cluster)
                    .or_insert_with(|| Way { price: self.problem.price(length, scale), scale });
            }
        }
        ways
    }

    fn rooted(&self, cluster: usize) -> Option<Rooted> {
        let &root = self.forest.members(cluster).first()?;
        let mut tree = Rooted { order: vec![root], up: vec![(usize::MAX, 0.0)] };
        let mut next = 0;
        while next < tree.order.len() {
            let point = tree.order[next];
            let above = tree.order.get(tree.up[next].0).copied();
            for link in self.forest.links(point) {
                let other = if link.from == point { link.to } else { link.from };
                if Some(other) != above {
                    tree.order.push(other);
                    tree.up.push((next, link.length));
                }
            }
            next += 1;
        }
        Some(tree)
    }
}

impl Below {
    /// Adds a subtree and the link that it hangs on.
    fn add(&mut self, part: &Self, price: f64, power: Option<f64>) {
        self.n_points += part.n_points;
        self.held |= part.held;
        self.bound |= part.bound;
        self.soft += part.soft;
        self.n_joins += part.n_joins + usize::from(power.is_none());
        self.powers += part.powers + power.unwrap_or(0.0);
        self.price += part.price + if power.is_some() { price } else { 0.0 };
    }
}

/// The cheaper way to each cluster, of equally cheap ones the first's; the smaller map goes into the larger.
fn cheaper(first: Ways, second: Ways) -> Ways {
    let first_is_larger = first.len() >= second.len();
    let (mut ways, fewer) = if first_is_larger { (first, second) } else { (second, first) };
    for (to, way) in fewer {
        let known = ways.entry(to).or_insert(way);
        if way.price < known.price || (way.price == known.price && !first_is_larger) {
            *known = way;
        }
    }
    ways
}

impl Part {
    /// Adds a part and the link that joins it, if it was observed.
    fn add(&mut self, part: &Self, power: Option<f64>) {
        self.n_points += part.n_points;
        self.n_observed += part.n_observed + usize::from(power.is_some());
        self.powers += part.powers + power.unwrap_or(0.0);
        self.n_tied += part.n_tied;
    }

    /// The rest of a whole.
    fn without(&self, part: &Self, power: Option<f64>) -> Self {
        Self {
            n_points: self.n_points - part.n_points,
            n_observed: self.n_observed - part.n_observed - usize::from(power.is_some()),
            // Rounding may leave a negative number.
            powers: (self.powers - part.powers - power.unwrap_or(0.0)).max(0.0),
            n_tied: self.n_tied - part.n_tied,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::stream;
    use rand::RngExt;

    #[test]
    fn of_two_ways_to_a_class_the_cheaper_is_kept_and_of_equal_ones_the_first() {
        let mut random = stream(31, 0);
        for _ in 0..200 {
            let mut ways = |scale: f64| {
                let mut some = Ways::new();
                for _ in 0..random.random_range(0..8) {
                    let price = f64::from(random.random_range(0..3));
                    some.insert(random.random_range(0..6), Way { price, scale });
                }
                some
            };
            let (first, second) = (ways(1.0), ways(2.0));
            let found = cheaper(first.clone(), second.clone());
            for to in 0..6 {
                let slow = match (first.get(&to), second.get(&to)) {
                    (Some(a), Some(b)) => Some(if b.price < a.price { b } else { a }),
                    (a, b) => a.or(b),
                };
                let seen = |way: &Way| (way.price, way.scale);
                assert_eq!(found.get(&to).map(seen), slow.map(seen));
            }
        }
    }
}
