//! The sum over all spanning trees of a cluster: the matrix-tree theorem without a subtraction.

pub(crate) mod edges;

use crate::graph::link::Link;
use crate::graph::neighbours::Neighbours;
use crate::latent_graph::search::score::varying::{N_SCALES, ScaleGrid, log_sum_exp};

/// Number of nearest neighbours in its cluster that a point may be linked to. Not tuned.
const N_NEIGHBOURS: usize = 15;

/// Log probability below that of the likeliest scale, in nats, at which a scale adds nothing to the sum. From the precision
/// of f64.
const NEGLIGIBLE: f64 = 60.0;

/// The pairs of a cluster that may be links of a tree: near neighbours, and one tree, so that they join all of it.
#[derive(Debug)]
pub(crate) struct SupportedTrees<'a> {
    tree: &'a [Link],
    /// The pairs, ends numbered by their place in the cluster.
    links: Vec<Link>,
    elimination: Elimination,
}

impl<'a> SupportedTrees<'a> {
    /// Returns the support of `members` (rising numbers): those of each point's 15 nearest neighbours that are members too,
    /// and `tree`.
    pub(crate) fn new(neighbours: &Neighbours, members: &[usize], tree: &'a [Link]) -> Self {
        let place = |i: usize| members.binary_search(&i).ok();
        let near = members.iter().flat_map(|&from| {
            let own = neighbours.of(from).filter(|&(to, _)| place(to).is_some()).take(N_NEIGHBOURS);
            own.map(move |(to, length)| Link { from, to, length })
        });
        let numbered = |link: Link| {
            let (a, b) = (place(link.from)?, place(link.to)?);
            Some(Link { from: a.min(b), to: a.max(b), length: link.length })
        };
        let mut links: Vec<Link> = near.chain(tree.iter().copied()).filter_map(numbered).collect();
        links.sort_by_key(|link| (link.from, link.to));
        links.dedup_by_key(|link| (link.from, link.to));
        let elimination = Elimination::new(&links, members.len());
        Self { tree, links, elimination }
    }

    /// Returns the log evidence of the cluster: the sum over its trees, its scale integrated out.
    ///
    /// $$ \log \sum_s \frac{1}{G} \sum_{T} \prod_{(i, j) \in T} s^{-m} e^{-(L_{ij} / s)^m} $$
    ///
    /// over the scales of the grid, outwards from the scale at which the minimum spanning tree weighs most, as far as terms
    /// count.
    pub(crate) fn log_evidence(&self, grid: &ScaleGrid) -> f64 {
        let joins = grid.log_joins(self.tree);
        if joins == f64::NEG_INFINITY {
            return joins;
        }
        let best_tree = grid.per_scale(self.tree);
        let start = (1..N_SCALES).fold(0, |best, at| if best_tree[at] > best_tree[best] { at } else { best });
        let mut terms = vec![self.at_scale(grid, start)];
        let mut most = terms[0];
        let ways: [&mut dyn Iterator<Item = usize>; 2] = [&mut (0..start).rev(), &mut (start + 1..N_SCALES)];
        for way in ways {
            for at in way {
                let term = self.at_scale(grid, at);
                terms.push(term);
                most = most.max(term);
                if term < most - NEGLIGIBLE {
                    break;
                }
            }
        }
        log_sum_exp(&terms) - (N_SCALES as f64).ln() - grid.log_units(self.tree.len()) + joins
    }

    /// The log sum over the trees at one scale of the grid, in units of the mean link.
    fn at_scale(&self, grid: &ScaleGrid, at: usize) -> f64 {
        let log_weights: Vec<f64> = self.links.iter().map(|link| grid.log_weight(link.length, at)).collect();
        self.elimination.log_sum(log_weights)
    }
}

/// The order in which points are eliminated, and what each touches: the same for all weights.
#[derive(Debug)]
pub(crate) struct Elimination {
    /// Pairs that have a weight in the end: those given first, then those that eliminations add.
    n_pairs: usize,
    /// Where the entries of each eliminated point begin in `spokes` and in `rims`.
    starts: Vec<[usize; 2]>,
    /// The pairs of each point, when it is eliminated, with its neighbours.
    spokes: Vec<u32>,
    /// The pairs of its neighbours: first with second, first with third, .., second with third, ..
    rims: Vec<u32>,
}

impl Elimination {
    /// Plans the elimination of all points but the last, those of the fewest neighbours first.
    pub(crate) fn new(links: &[Link], n_points: usize) -> Self {
        let mut graph = vec![Vec::new(); n_points];
        for (pair, link) in links.iter().enumerate() {
            graph[link.from].push((link.to as u32, pair as u32));
            graph[link.to].push((link.from as u32, pair as u32));
        }
        graph.iter_mut().for_each(|list| list.sort_unstable());
        let mut waiting: std::collections::BTreeSet<(usize, usize)> =
            graph.iter().enumerate().map(|(i, list)| (list.len(), i)).collect();
        let mut plan = Self { n_pairs: links.len(), starts: vec![], spokes: vec![], rims: vec![] };
        while let Some((_, point)) = waiting.pop_first().filter(|_| !waiting.is_empty()) {
            let spokes = std::mem::take(&mut graph[point]);
            spokes.iter().for_each(|&(i, _)| {
                waiting.remove(&(graph[i as usize].len(), i as usize));
            });
            plan.eliminate(point, &spokes, &mut graph);
            waiting.extend(spokes.iter().map(|&(i, _)| (graph[i as usize].len(), i as usize)));
        }
        plan.starts.push([plan.spokes.len(), plan.rims.len()]);
        plan
    }

    /// Takes a point out of the graph and makes its neighbours neighbours of one another.
    fn eliminate(&mut self, point: usize, spokes: &[(u32, u32)], graph: &mut [Vec<(u32, u32)>]) {
        self.starts.push([self.spokes.len(), self.rims.len()]);
        self.spokes.extend(spokes.iter().map(|&(_, pair)| pair));
        for (at, &(i, _)) in spokes.iter().enumerate() {
            graph[i as usize].retain(|&(other, _)| other as usize != point);
            for &(j, _) in &spokes[at + 1..] {
                let found = graph[i as usize].binary_search_by_key(&j, |&(other, _)| other);
                let pair = found.map_or(self.n_pairs as u32, |at| graph[i as usize][at].1);
                if let Err(at) = found {
                    self.n_pairs += 1;
                    graph[i as usize].insert(at, (j, pair));
                    let place = graph[j as usize].partition_point(|&(other, _)| other < i);
                    graph[j as usize].insert(place, (i, pair));
                }
                self.rims.push(pair);
            }
        }
    }

    /// Returns the logarithm of the sum over all spanning trees of the product of their weights.
    ///
    /// Eliminating point $k$, its weights to its neighbours being $w_{ki}$ with the sum $w_k$, multiplies the sum over trees
    /// by $w_k$ and adds $w_{ki} w_{kj} / w_k$ to every $w_{ij}$. Nothing is ever subtracted, and all is done in logarithms:
    /// no digit is lost where weights span hundreds of orders of magnitude.
    pub(crate) fn log_sum(&self, mut log_weights: Vec<f64>) -> f64 {
        self.eliminate_all(&mut log_weights)
    }

    /// As [`Elimination::log_sum`]; leaves in `log_weights` what every pair weighed when one of its ends was eliminated.
    fn eliminate_all(&self, log_weights: &mut Vec<f64>) -> f64 {
        log_weights.resize(self.n_pairs, f64::NEG_INFINITY);
        let mut log_sum = 0.0;
        let mut own = Vec::new();
        for bounds in self.starts.windows(2) {
            let spokes = &self.spokes[bounds[0][0]..bounds[1][0]];
            own.clear();
            own.extend(spokes.iter().map(|&pair| log_weights[pair as usize]));
            let total = log_sum_exp(&own);
            if total == f64::NEG_INFINITY {
                return total;
            }
            log_sum += total;
            let mut rims = self.rims[bounds[0][1]..bounds[1][1]].iter();
            for (at, first) in own.iter().enumerate() {
                for (second, &pair) in own[at + 1..].iter().zip(&mut rims) {
                    let weight = &mut log_weights[pair as usize];
                    *weight = log_add(*weight, first - total + second);
                }
            }
        }
        log_sum
    }
}

/// The logarithm of the sum of two numbers given by their logarithms.
pub(crate) fn log_add(a: f64, b: f64) -> f64 {
    let (less, more) = if a < b { (a, b) } else { (b, a) };
    let apart = less - more;
    // Beyond this the sum is the greater of the two to the last digit.
    if apart > -40.0 { more + apart.exp().ln_1p() } else { more }
}

#[cfg(test)]
mod tests;
