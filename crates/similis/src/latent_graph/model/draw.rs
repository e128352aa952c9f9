//! Draws from the latent graph model.

use crate::error::{InputError, SettingError};
use rand::RngExt;
use rand::seq::index;

use crate::error::Error;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::model::prior::GraphPrior;
use crate::latent_graph::model::scale::ScaleStep;
use crate::run::random::{Random, stream};

/// The distribution that is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// The lengths of each class; as many classes as there are.
    pub classes: Vec<LinkLengths>,
    /// The lengths of all other pairs.
    pub background: LinkLengths,
    /// Trees, or K neighbours; connected graphs are drawn as trees.
    pub graph_prior: GraphPrior,
    /// K of Eq. (9).
    pub prior_neighbours: usize,
}

/// One draw of labels, graph and lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSample {
    /// The class of each point, as drawn: the number of its [`LinkLengths`].
    pub classes: Vec<usize>,
    /// The labels **C** in canonical order.
    pub labels: Labels,
    /// The hidden graph $\nu$.
    pub links: Vec<Link>,
    /// The lengths **L** of all pairs, in SciPy's condensed order.
    pub lengths: Vec<f64>,
}

impl GraphSample {
    /// The lengths as observed pairs: distances, or similarities where a Gaussian drew a negative length.
    ///
    /// # Errors
    ///
    /// Those of [`Dissimilarity::from_condensed`]: none for at least two points.
    pub fn observed(&self) -> Result<Dissimilarity<'_>, Error> {
        let positive = self.lengths.iter().all(|&length| length >= 0.0);
        let quantity = if positive { Quantity::Distances } else { Quantity::Similarities };
        Dissimilarity::from_condensed(&self.lengths[..], quantity, Checks::default())
    }
}

impl Sampler {
    /// Returns a sampler of trees whose scales are drawn from the weak prior of `scale_step`.
    pub fn with_drawn_scales(
        scale_step: &ScaleStep,
        background: LinkLengths,
        n_clusters: usize,
        seed: u64,
    ) -> Self {
        // Stream 0 of a seed draws labels and lengths.
        let mut random = stream(seed, 1);
        let classes = (0..n_clusters).map(|_| scale_step.draw(&mut random)).collect();
        Self { classes, background, graph_prior: GraphPrior::Tree, prior_neighbours: 1 }
    }

    /// Draws labels, a graph for each class, and all lengths: Figure 3 from top to bottom.
    ///
    /// Labels are uniform; trees are uniform (by Prüfer's code); K neighbours are a uniform choice. A linked pair has its
    /// class's length, any other the background's. Under Eq. (9) links are directed, and a pair linked either way is linked.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], [`Error::Settings`] for no classes.
    pub fn draw(&self, n_points: usize, seed: u64) -> Result<GraphSample, Error> {
        crate::input::points::check_n_points(n_points)?;
        if self.classes.is_empty() {
            return Err(Error::Settings(SettingError::NClusters { given: 0, n_points }));
        }
        let mut random = stream(seed, 0);
        let classes = (0..n_points).map(|_| random.random_range(0..self.classes.len())).collect();
        Ok(self.draw_given(classes, &mut random))
    }

    /// As [`Sampler::draw`], for labels that are given: the number of each point's class.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a label that has no class.
    pub fn draw_labelled(&self, classes: &[usize], seed: u64) -> Result<GraphSample, Error> {
        crate::input::points::check_n_points(classes.len())?;
        let n_clusters = classes.iter().max().map_or(0, |&most| most + 1);
        let n_classes = self.classes.len();
        if n_clusters > n_classes {
            return Err(Error::Input(InputError::ClassLengths { n_clusters, n_classes }));
        }
        Ok(self.draw_given(classes.to_vec(), &mut stream(seed, 0)))
    }

    /// Draws a graph and all lengths.
    fn draw_given(&self, classes: Vec<usize>, random: &mut Random) -> GraphSample {
        let n_points = classes.len();
        let mut pairs = Vec::new();
        for class in 0..self.classes.len() {
            let members: Vec<usize> = (0..n_points).filter(|&i| classes[i] == class).collect();
            pairs.extend(
                self.draw_graph(members.len(), random).into_iter().map(|(a, b)| (members[a], members[b])),
            );
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut lengths = Vec::with_capacity(n_points * (n_points - 1) / 2);
        let mut links = Vec::new();
        for from in 0..n_points {
            for to in from + 1..n_points {
                let linked = pairs.binary_search(&(from, to)).is_ok();
                let source = if linked { self.classes[classes[from]] } else { self.background };
                let length = source.draw(random);
                lengths.push(length);
                if linked {
                    links.push(Link { from, to, length });
                }
            }
        }
        GraphSample { labels: Labels::new(&classes), classes, links, lengths }
    }

    /// Links of a graph on n points, the lower number first.
    fn draw_graph(&self, n: usize, random: &mut Random) -> Vec<(usize, usize)> {
        match self.graph_prior {
            GraphPrior::KNeighbours => {
                let k = self.prior_neighbours.min(n.saturating_sub(1));
                let mut neighbours = |i: usize| {
                    index::sample(random, n - 1, k).into_iter().map(move |j| (i, j + usize::from(j >= i)))
                };
                (0..n)
                    .flat_map(|i| neighbours(i).collect::<Vec<_>>())
                    .map(|(i, j)| (i.min(j), i.max(j)))
                    .collect()
            }
            _ => uniform_tree(n, random),
        }
    }
}

/// A uniform spanning tree of n points: a random Prüfer code, decoded.
pub(crate) fn uniform_tree(n: usize, random: &mut Random) -> Vec<(usize, usize)> {
    if n < 2 {
        return Vec::new();
    }
    let code: Vec<usize> = (0..n - 2).map(|_| random.random_range(0..n)).collect();
    let mut degree = vec![1usize; n];
    code.iter().for_each(|&i| degree[i] += 1);
    let mut leaves: std::collections::BTreeSet<usize> = (0..n).filter(|&i| degree[i] == 1).collect();
    let mut tree = Vec::with_capacity(n - 1);
    for &i in &code {
        // As long as the code lasts there are at least two leaves.
        let Some(leaf) = leaves.pop_first() else { break };
        tree.push((leaf.min(i), leaf.max(i)));
        degree[i] -= 1;
        if degree[i] == 1 {
            leaves.insert(i);
        }
    }
    let last: Vec<usize> = leaves.into_iter().collect();
    tree.push((last[0], last[1]));
    tree
}
