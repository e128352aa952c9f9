//! Random spanning trees: Wilson's exact walk.

use rand::RngExt;

use crate::error::Error;
use crate::graph::lengths::Lengths;
use crate::input::Dissimilarity;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::global_tree;
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::given::edge_probabilities::check_trees;
use crate::latent_graph::model::likelihood::LinkWeight;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::run::random::{Random, TREE_STREAMS, stream};

impl LatentGraph {
    /// Draws a graph from its posterior given the labels and scales of a fit: a tree for each cluster, with the probability
    /// $\prod_e w_e / Z_c$, $w_e = p(L_e | \beta_c) / p_0(L_e)$.
    ///
    /// By Wilson's walk, which is exact: from each point in turn a random walk goes on until it meets the tree, and what is
    /// left of it without its loops is added. It takes as long as a walk takes to reach the root: where a cluster has a gap of
    /// $g$ nats in $\log w$, about $e^g$ steps. `seed` is that of the draw.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::edge_probabilities`].
    pub fn draw_graph(
        &self,
        observed: &Dissimilarity<'_>,
        fit: &LatentGraphFit,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<ClassLink>, Error> {
        check_trees(self, observed, fit)?;
        let tree = global_tree(observed, observer);
        let lengths = self.lengths(observed, &tree);
        let lengths = lengths.in_few_parts(fit.labels.n_clusters(), "a draw of the graph")?;
        let members = fit.members();
        let drawn = parallel::map(members.len(), |class| {
            let weight = LinkWeight { class: fit.class_lengths(class), background: fit.background };
            let mut random = stream(seed, TREE_STREAMS + class as u64);
            let walk = Walk::of_class(&lengths, &members[class], weight);
            let link = |&(a, b): &(usize, usize)| {
                let (from, to) = (members[class][a], members[class][b]);
                ClassLink { from, to, class, length: lengths.pair(from, to) }
            };
            walk.tree(&mut random).iter().map(link).collect::<Vec<_>>()
        });
        Ok(drawn.concat())
    }
}

/// Transition probabilities of the walk.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The points that each may be followed by, and the probability of going to one of them or one before.
    steps: Vec<Vec<(usize, f64)>>,
}

impl Walk {
    /// The walk on the links that the support allows a cluster to have.
    fn of_class(lengths: &Lengths<'_>, members: &[usize], weight: LinkWeight) -> Self {
        let place = |j: usize| members.binary_search(&j).ok();
        let log_weights = |a: usize| -> Vec<(usize, f64)> {
            let from = members[a];
            if lengths.is_complete() {
                let others = (0..members.len()).filter(|&b| b != a);
                others.map(|b| (b, -weight.price(lengths.pair(from, members[b])))).collect()
            } else {
                let allowed = lengths.allowed_links(from);
                allowed.filter_map(|(to, length)| Some((place(to)?, -weight.price(length)))).collect()
            }
        };
        Self::new(parallel::map(members.len(), log_weights))
    }

    /// The walk whose steps from each point have these log weights.
    pub(crate) fn new(log_weights: Vec<Vec<(usize, f64)>>) -> Self {
        let steps = |mut row: Vec<(usize, f64)>| {
            // The likeliest first: most steps are found at once.
            row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let most = row.first().map_or(0.0, |step| step.1);
            let mut sum = 0.0;
            for step in &mut row {
                sum += (step.1 - most).exp();
                step.1 = sum;
            }
            row.iter_mut().for_each(|step| step.1 /= sum);
            row
        };
        Self { steps: log_weights.into_iter().map(steps).collect() }
    }

    /// Draws a tree: the last step of every point before it meets the tree; no steps for points that cannot reach the first.
    pub(crate) fn tree(&self, random: &mut Random) -> Vec<(usize, usize)> {
        let n = self.steps.len();
        let reached = self.reached();
        let mut next = vec![usize::MAX; n];
        let mut in_tree: Vec<bool> = (0..n).map(|i| i == 0 || !reached[i]).collect();
        let mut tree = Vec::with_capacity(n.saturating_sub(1));
        for start in 0..n {
            let mut at = start;
            let mut n_steps = 0u32;
            while !in_tree[at] {
                next[at] = self.step(at, random);
                at = next[at];
                n_steps = n_steps.wrapping_add(1);
                if n_steps.is_multiple_of(1 << 16) {
                    parallel::heed_stop();
                }
            }
            at = start;
            while !in_tree[at] {
                in_tree[at] = true;
                tree.push((at, next[at]));
                at = next[at];
            }
        }
        tree
    }

    fn step(&self, from: usize, random: &mut Random) -> usize {
        let steps = &self.steps[from];
        let drawn: f64 = random.random_range(0.0..1.0);
        let at = steps.partition_point(|&(_, until)| until <= drawn);
        steps[at.min(steps.len() - 1)].0
    }

    /// Which points steps lead to from the first.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.steps.len()];
        let mut stack: Vec<usize> = (0..self.steps.len().min(1)).collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                stack.extend(self.steps[at].iter().map(|&(to, _)| to));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latent_graph::model::draw::uniform_tree;
    use crate::latent_graph::search::score::varying::log_sum_exp;
    use std::collections::BTreeMap;

    /// All trees on five points, as sorted lists of links.
    fn all_trees() -> Vec<Vec<(usize, usize)>> {
        let mut random = stream(0, 0);
        let mut found = std::collections::BTreeSet::new();
        while found.len() < 125 {
            let mut tree = uniform_tree(5, &mut random);
            tree.sort_unstable();
            found.insert(tree);
        }
        found.into_iter().collect()
    }

    #[test]
    fn walks_draw_the_125_trees_of_five_points_as_often_as_they_weigh() {
        let mut random = stream(8, 0);
        let mut log_weights = vec![vec![0.0; 5]; 5];
        for i in 0..5 {
            for j in 0..i {
                let log: f64 = random.random_range(-1.2..1.2);
                // Far from 1 all of them: only ratios count.
                log_weights[i][j] = log - 900.0;
                log_weights[j][i] = log - 900.0;
            }
        }
        let trees = all_trees();
        let log = |tree: &Vec<(usize, usize)>| tree.iter().map(|&(i, j)| log_weights[i][j]).sum::<f64>();
        let total = log_sum_exp(&trees.iter().map(log).collect::<Vec<_>>());
        let row = |i: usize| (0..5).filter(|&j| j != i).map(|j| (j, log_weights[i][j])).collect();
        let walk = Walk::new((0..5).map(row).collect());
        let n_draws = 100_000;
        let mut counts: BTreeMap<Vec<(usize, usize)>, f64> = BTreeMap::new();
        for _ in 0..n_draws {
            let mut tree: Vec<_> =
                walk.tree(&mut random).iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            tree.sort_unstable();
            *counts.entry(tree).or_default() += 1.0;
        }
        let square = |tree: &Vec<(usize, usize)>| {
            let expected = f64::from(n_draws) * (log(tree) - total).exp();
            (counts.get(tree).copied().unwrap_or(0.0) - expected).powi(2) / expected
        };
        let chi_square: f64 = trees.iter().map(square).sum();
        // 124 degrees of freedom: above 187 in one of 5,000 runs; the seed is fixed.
        assert!(counts.len() <= 125 && chi_square < 187.0, "{chi_square}");
    }

    #[test]
    fn steps_that_are_ever_so_unlikely_do_not_disturb_a_walk() {
        let rows = vec![vec![(1, 130.0)], vec![(0, 130.0), (2, 130.0)], vec![(1, 130.0), (0, -130.0)]];
        let mut tree = Walk::new(rows).tree(&mut stream(1, 0));
        tree.sort_unstable();
        assert_eq!(tree, [(1, 0), (2, 1)]);
    }
}
