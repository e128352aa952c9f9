//! Which graphs are admissible, and how probable: Eq. (9) and (10).

use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::settings::Named;

/// Which graphs a class may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphPrior {
    /// Spanning trees: the least connected graphs. The best one is a minimum spanning tree for any background.
    #[default]
    Tree,
    /// Connected graphs: Eq. (10) to the letter.
    ///
    /// The best one has every link that gains, $f(L_{ij}) < 0$: of the allowed pairs all that are shorter than some length. Where
    /// every pair is allowed, those are most pairs of a dense cluster, and the joint counts pairs where it should follow shapes;
    /// among near neighbours they are a few for each point. So the default support of these graphs is `Nearest`.
    Connected,
    /// Every point has K neighbours: Eq. (9).
    KNeighbours,
}

impl Named for GraphPrior {
    const SETTING: &'static str = "graph_prior";
    const VALUES: &'static [(&'static str, Self)] =
        &[("tree", Self::Tree), ("connected", Self::Connected), ("k_neighbours", Self::KNeighbours)];
}

/// How probable the sizes of the classes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizePrior {
    /// Graphs are uniform given the labels, with their exact number; partitions are uniform given their sizes, and sizes
    /// are uniform. The number is that of the complete graph: a support restricts which graphs are looked for, not which
    /// there could be, so that answers with different supports can be compared. Where a free number of classes is sampled, the
    /// forests of the support are counted in place of those of all pairs.
    #[default]
    Dirichlet,
    /// The paper's constants: T of Eq. (9) and (10) and $K_C$ of Eq. (6) count nothing.
    Constant,
}

impl Named for SizePrior {
    const SETTING: &'static str = "size_prior";
    const VALUES: &'static [(&'static str, Self)] =
        &[("dirichlet", Self::Dirichlet), ("constant", Self::Constant)];
}

/// The prior on graph and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    graphs: GraphPrior,
    sizes: SizePrior,
    n_neighbours: usize,
    /// $\log n!$ for every n up to the number of points.
    log_factorials: Vec<f64>,
    /// The logarithm of the fraction of all graphs on n points that are connected, up to where it rounds to 1.
    log_connected: Vec<f64>,
}

impl Prior {
    /// Returns the prior for `n_points` points; `n_neighbours` is the K of Eq. (9).
    pub fn new(graphs: GraphPrior, sizes: SizePrior, n_neighbours: usize, n_points: usize) -> Self {
        let mut log_factorials = vec![0.0; n_points + 1];
        for n in 1..=n_points {
            log_factorials[n] = log_factorials[n - 1] + (n as f64).ln();
        }
        let log_connected =
            if graphs == GraphPrior::Connected { connected_parts(n_points) } else { Vec::new() };
        Self { graphs, sizes, n_neighbours, log_factorials, log_connected }
    }

    /// Which graphs are admissible.
    pub fn graphs(&self) -> GraphPrior {
        self.graphs
    }

    /// K of Eq. (9) for a class of `n` points: fewer where the class is smaller.
    pub(crate) fn neighbours_of(&self, n: usize) -> usize {
        self.n_neighbours.min(n.saturating_sub(1))
    }

    /// Whether graphs and partitions are counted, so that all together have the probability 1.
    pub(crate) fn counts(&self) -> bool {
        self.sizes == SizePrior::Dirichlet
    }

    fn log_choose(&self, n: usize, k: usize) -> f64 {
        self.log_factorials[n] - self.log_factorials[k] - self.log_factorials[n - k]
    }

    /// The logarithm of how many graphs a class of `n` points may have: $-\log T$ of Eq. (9) and (10).
    ///
    /// Trees: $n^{n-2}$ (Cayley). K neighbours: $\binom{n-1}{K}^n$. Connected graphs: by the recursion over the component
    /// of the first point.
    pub(crate) fn log_n_graphs(&self, n: usize) -> f64 {
        let count = n as f64;
        match self.graphs {
            _ if n < 2 => 0.0,
            GraphPrior::Tree => (count - 2.0) * count.ln(),
            GraphPrior::KNeighbours => count * self.log_choose(n - 1, self.neighbours_of(n)),
            GraphPrior::Connected => {
                let all = 0.5 * count * (count - 1.0) * 2f64.ln();
                all + self.log_connected.get(n).copied().unwrap_or(0.0)
            }
        }
    }

    /// Returns what a class of `n` points adds to $\log P(\nu | C) + \log P(C)$, for an admissible graph.
    pub(crate) fn log_class(&self, n: usize) -> f64 {
        match self.sizes {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => self.log_factorials[n] - self.log_n_graphs(n),
        }
    }

    /// Returns the log probability of one tree of a class of `n` points: 0 with `Constant`.
    pub(crate) fn log_trees(&self, n: usize) -> f64 {
        match self.sizes {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => -self.log_n_graphs(n),
        }
    }

    /// Returns $\log P(\nu | C)$: Eq. (9) or Eq. (10), T exact with `Dirichlet` and 1 with `Constant`; minus infinity
    /// unless the graph is admissible.
    ///
    /// Links of Eq. (9) are directed, from a point to its neighbour.
    pub(crate) fn log_graph(&self, labels: &Labels, links: &[Link]) -> f64 {
        if !self.is_admissible(labels, links) {
            return f64::NEG_INFINITY;
        }
        match self.sizes {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => labels.sizes().iter().map(|&n| -self.log_n_graphs(n)).sum(),
        }
    }

    /// Returns $\log P(C)$ given the number of classes.
    ///
    /// $$ P(\text{partition} | M) = \frac{M! \prod_c n_c!}{N! \binom{N - 1}{M - 1}} $$
    ///
    /// with `Dirichlet`; 0, the paper's $K_C$, with `Constant`.
    pub(crate) fn log_labels(&self, labels: &Labels) -> f64 {
        self.log_partition(&labels.sizes())
    }

    /// As [`Prior::log_labels`], given the sizes of the classes.
    pub(crate) fn log_partition(&self, sizes: &[usize]) -> f64 {
        match self.sizes {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => {
                let log_orders: f64 = sizes.iter().map(|&size| self.log_factorials[size]).sum();
                log_orders + self.log_number_of_classes(sizes.len(), sizes.iter().sum())
            }
        }
    }

    /// What $\log P(C | M)$ has of M: $\log M! - \log N! - \log \binom{N - 1}{M - 1}$, or 0 with `Constant`.
    pub(crate) fn log_number_of_classes(&self, m: usize, n: usize) -> f64 {
        match self.sizes {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => {
                self.log_factorials[m] - self.log_factorials[n] - self.log_choose(n - 1, m - 1)
            }
        }
    }

    /// The logarithm of the number of spanning forests of `m` trees, one point of each marked as its root, of all pairs of `n` points:
    /// $\binom{n - 1}{m - 1} n^{n - m}$.
    pub(crate) fn log_rooted_forests(&self, m: usize, n: usize) -> f64 {
        self.log_choose(n - 1, m - 1) + (n - m) as f64 * (n as f64).ln()
    }

    fn is_admissible(&self, labels: &Labels, links: &[Link]) -> bool {
        let cluster = labels.as_slice();
        let inside =
            links.iter().all(|link| cluster[link.from] == cluster[link.to] && link.length != f64::INFINITY);
        inside
            && match self.graphs {
                GraphPrior::Tree => {
                    links.len() == labels.n_points() - labels.n_clusters() && is_connected(labels, links)
                }
                GraphPrior::Connected => is_connected(labels, links),
                GraphPrior::KNeighbours => self.has_k_neighbours(labels, links),
            }
    }

    fn has_k_neighbours(&self, labels: &Labels, links: &[Link]) -> bool {
        let sizes = labels.sizes();
        let mut pairs: Vec<(usize, usize)> = links.iter().map(|link| (link.from, link.to)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut n_neighbours = vec![0; labels.n_points()];
        pairs.iter().filter(|(from, to)| from != to).for_each(|&(from, _)| n_neighbours[from] += 1);
        let wanted = |i: usize| self.neighbours_of(sizes[labels.as_slice()[i]]);
        pairs.len() == links.len() && (0..labels.n_points()).all(|i| n_neighbours[i] == wanted(i))
    }
}

/// Whether the links join every class into one piece, and nothing else.
fn is_connected(labels: &Labels, links: &[Link]) -> bool {
    components(labels.n_points(), links.iter().copied()) == *labels
}

/// The logarithm of the part $q_n$ of all graphs on n labelled points that is connected:
/// $q_n = 1 - \sum_{k<n} \binom{n-1}{k-1} 2^{-k(n-k)} q_k$. It is 1 to the last digit beyond 80 points.
fn connected_parts(n_points: usize) -> Vec<f64> {
    let most = n_points.min(80);
    let mut parts = vec![1.0; most + 1];
    for n in 2..=most {
        let mut choose = 1.0;
        let mut disconnected = 0.0;
        for k in 1..n {
            disconnected += choose * 2f64.powi(-((k * (n - k)) as i32)) * parts[k];
            choose *= (n - k) as f64 / k as f64;
        }
        parts[n] = 1.0 - disconnected;
    }
    parts.iter().map(|part: &f64| part.ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prior(graphs: GraphPrior, sizes: SizePrior) -> Prior {
        Prior::new(graphs, sizes, 2, 12)
    }

    fn links(pairs: &[(usize, usize)]) -> Vec<Link> {
        pairs.iter().map(|&(from, to)| Link { from, to, length: 1.0 }).collect()
    }

    /// All graphs on n points, as sets of links.
    fn all_graphs(n: usize) -> Vec<Vec<Link>> {
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        (0..1usize << pairs.len())
            .map(|code| {
                let chosen: Vec<_> = pairs
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| code >> at & 1 == 1)
                    .map(|(_, &pair)| pair)
                    .collect();
                links(&chosen)
            })
            .collect()
    }

    #[test]
    fn eq_10_and_trees_count_every_admissible_graph_once() {
        for n in 1..6 {
            let labels = Labels::new(&vec![0; n]);
            for graphs in [GraphPrior::Tree, GraphPrior::Connected] {
                let prior = prior(graphs, SizePrior::Dirichlet);
                let total: f64 =
                    all_graphs(n).iter().map(|graph| prior.log_graph(&labels, graph).exp()).sum();
                assert!((total - 1.0).abs() < 1e-12, "{graphs:?} {n}: {total}");
            }
        }
    }

    #[test]
    fn eq_9_counts_every_choice_of_neighbours_once() {
        // Four points with two neighbours each: 3 choices for each, 81 in all.
        let prior = prior(GraphPrior::KNeighbours, SizePrior::Dirichlet);
        assert!((prior.log_n_graphs(4) - 81f64.ln()).abs() < 1e-12);
        let labels = Labels::new(&[0, 0, 0]);
        // Three points: the other two are the neighbours.
        let all = links(&[(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(prior.log_graph(&labels, &all), 0.0);
        assert_eq!(prior.log_graph(&labels, &all[..5]), f64::NEG_INFINITY);
        let twice = links(&[(0, 1), (0, 1), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(prior.log_graph(&labels, &twice), f64::NEG_INFINITY);
    }

    #[test]
    fn counted_graphs_prefer_equal_sizes_unless_they_are_trees() {
        // What 100 + 100 points have more than 20 + 180, against the leading terms that `LatentGraph::size_prior` names.
        let gain = |graphs: GraphPrior| {
            let prior = Prior::new(graphs, SizePrior::Dirichlet, 5, 200);
            2.0 * prior.log_class(100) - prior.log_class(20) - prior.log_class(180)
        };
        let sum = |f: fn(f64) -> f64| 2.0 * f(100.0) - f(20.0) - f(180.0);
        let (orders, squares) = (sum(|n| n * n.ln()), sum(|n| n * n));
        assert!(gain(GraphPrior::Tree).abs() < 5.0, "{}", gain(GraphPrior::Tree));
        let neighbours = gain(GraphPrior::KNeighbours) / (-4.0 * orders);
        assert!((neighbours - 1.0).abs() < 0.2 && -4.0 * orders > 250.0, "{neighbours}");
        let connected = gain(GraphPrior::Connected) / (orders - 0.5 * 2f64.ln() * squares);
        assert!((connected - 1.0).abs() < 0.02, "{connected}");
    }

    #[test]
    fn links_between_classes_and_pieces_of_classes_are_inadmissible() {
        let labels = Labels::new(&[0, 0, 1, 1]);
        for graphs in [GraphPrior::Tree, GraphPrior::Connected] {
            let prior = prior(graphs, SizePrior::Constant);
            assert_eq!(prior.log_graph(&labels, &links(&[(0, 1), (2, 3)])), 0.0);
            assert_eq!(prior.log_graph(&labels, &links(&[(0, 1)])), f64::NEG_INFINITY);
            assert_eq!(prior.log_graph(&labels, &links(&[(0, 1), (1, 2)])), f64::NEG_INFINITY);
        }
    }

    /// All labellings of n points into exactly m classes.
    fn partitions(n: usize, m: usize) -> std::collections::BTreeSet<Vec<usize>> {
        (0..m.pow(n as u32))
            .map(|code| Labels::new(&(0..n).map(|i| code / m.pow(i as u32) % m).collect::<Vec<_>>()))
            .filter(|labels| labels.n_clusters() == m)
            .map(|labels| labels.as_slice().to_vec())
            .collect()
    }

    #[test]
    fn partitions_are_counted_once() {
        for (n, m) in [(4, 2), (5, 3), (6, 2), (3, 3), (1, 1)] {
            let prior = prior(GraphPrior::Tree, SizePrior::Dirichlet);
            let total: f64 =
                partitions(n, m).iter().map(|labels| prior.log_labels(&Labels::new(labels)).exp()).sum();
            assert!((total - 1.0).abs() < 1e-12, "{n} {m} {total}");
        }
    }
}
