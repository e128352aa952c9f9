//! Prediction of new items: new points, or a block of new-to-old distances.
//!
//! A cluster is a tree, so a new item joins it by a link to one of its points, and is a leaf there:
//!
//! $$ P(c | \text{new}) \propto P(c | n) \, p(\text{new} | c), \qquad p(\text{new} | c) =
//! \frac{n_c^{n_c - 2}}{(n_c + 1)^{n_c - 1}} \sum_{j \in c} \sum_s P(s | \text{tree of } c) \, p(L_j | s) $$
//!
//! with $P(c | n) = (n_c + 1) / (N + M)$, what the Dirichlet prior on sizes says of the next item, and the ratio of numbers of
//! trees that a cluster of $n_c$ and of $n_c + 1$ points may have. $s = \sqrt{s_j s_{\text{new}}}$ is the scale of the link: that
//! of point j, whose probability given the cluster's tree messages along the tree give exactly
//! ([`Scales`](crate::latent_graph::Scales)), and of the new item, one step $\tau$ away. With
//! [`SizePrior::Constant`] neither sizes nor trees are counted.
//!
//! What it conditions on: the labels, the best tree of each cluster, the likeliest step, the unit. The sum over all trees that
//! hold the new item is replaced by that over the best tree with a leaf more; the sum over j goes over the 15 nearest points of
//! the cluster. In the plane they hold nearly all of its weight; in many dimensions, where all distances are much alike, a part
//! of it, and large clusters gain less than they would by all of their points. So these are answers to "given that the partition
//! is right, whose is this?", and not calibrated for a partition that is in doubt.

pub(crate) mod near;
pub(crate) mod parts;
pub(crate) mod sparse;
pub(crate) mod training;

pub use parts::PredictorParts;

use crate::error::{Error, ModelError};
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::points::Points;
use crate::input::sparse_points::SparsePoints;
use crate::latent_graph::model::prior::SizePrior;
use crate::latent_graph::search::score::varying::ScaleGrid;
use crate::latent_graph::search::score::varying::beliefs::{
    Beliefs, LogKernel, N_HALVES, OnHalves, leaf_log_density, log_sum,
};
use crate::latent_graph::search::score::varying::noise_scale::NoiseScale;
use crate::latent_graph::settings::inference::ScoreSettings;
use crate::run::parallel::{self, NullaryFnOnce, vectorised};
use near::{GroupOf, Near, Searches, points_of};

/// Number of nearest points of a cluster that a new item may be linked to. Not tuned.
const N_NEAR: usize = 15;

/// The weighing of one item: work for vector units.
struct Weighing<'a> {
    predictor: &'a Predictor,
    near: &'a Near,
    left_out: Option<&'a TakenOut>,
}

impl NullaryFnOnce for Weighing<'_> {
    type Output = Row;

    #[inline(always)]
    fn call(self) -> Row {
        self.predictor.weigh(self.near, self.left_out)
    }
}

/// The beliefs about scales given the tree of a cluster: work for vector units.
struct BeliefsOf<'a, 'b> {
    grid: &'b ScaleGrid,
    tree: &'b [Link],
    kernel: &'a LogKernel,
}

impl<'a> NullaryFnOnce for BeliefsOf<'a, '_> {
    type Output = Beliefs<'a>;

    #[inline(always)]
    fn call(self) -> Beliefs<'a> {
        Beliefs::new(self.grid, self.tree, self.kernel)
    }
}

/// Predicts the clusters of new items, given those of old ones.
///
/// ```
/// use similis::latent_graph::ScoreSettings;
/// use similis::latent_graph::predict::Predictor;
/// use similis::{Dissimilarity, Metric, Points};
/// let places = vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0];
/// let pairs = Dissimilarity::from_points(Points::new(places, 8, 1)?, Metric::Euclidean)?;
/// let labels = [0, 0, 0, 0, 1, 1, 1, 1].map(Some);
/// let predictor = Predictor::new(&pairs, &labels, &ScoreSettings::default(), false)?;
/// let found = predictor.predict_points(&Points::new(vec![0.15, 8.5], 2, 1)?)?;
/// assert_eq!(found.labels, [Some(0), Some(1)]);
/// assert!(found.row(0)[0] > 0.99);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predictor {
    parts: PredictorParts,
    grid: ScaleGrid,
    kernel: LogKernel,
    /// The points of each cluster, rising.
    members: Vec<Vec<usize>>,
    /// The points that are noise, rising.
    noise: Vec<usize>,
    noise_scale: NoiseScale,
    /// For each point how probable each half scale of a link to it is; nothing for noise.
    leaves: Vec<OnHalves>,
}

/// The predicted clusters of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The most probable cluster of each item; `None` is noise.
    pub labels: Vec<Option<usize>>,
    /// The probability of each cluster, item after item, in the numbering of the labels; noise, where the model knows it, comes
    /// last. Each item's add up to 1.
    pub probabilities: Vec<f64>,
    /// Number of clusters.
    pub n_classes: usize,
    /// Number of probabilities of an item: the clusters, and one more where the model knows noise.
    pub n_columns: usize,
    /// $\log p(\text{new})$ of each item, of its link's length to the power of the shape: low for what is like nothing in the
    /// model.
    pub log_density: Vec<f64>,
}

impl Prediction {
    /// The probabilities of item `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.probabilities[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.labels.len()
    }
}

/// The prediction of one item.
struct Row {
    probabilities: Vec<f64>,
    log_density: f64,
}

/// A point of the model that is left out of it.
struct TakenOut {
    class: Option<usize>,
    /// The length of its link, where it is noise.
    noise_length: Option<f64>,
    /// What changes for some points, `usize::MAX` for all of its cluster.
    leaves: Vec<(usize, OnHalves)>,
}

impl TakenOut {
    fn leaf(&self, j: usize) -> Option<&OnHalves> {
        self.leaves.iter().find(|(point, _)| *point == j || *point == usize::MAX).map(|(_, leaf)| leaf)
    }
}

impl Predictor {
    /// Returns the predictor of a partition of observed points, whichever model found it; a label of `None` is noise.
    ///
    /// Of `settings` the scales, the step, the shape and the size prior count. `noise` lets new items be noise even if no old
    /// one is.
    ///
    /// # Errors
    ///
    /// Those of [`PredictorParts::new`].
    pub fn new(
        observed: &Dissimilarity<'_>,
        labels: &[Option<usize>],
        settings: &ScoreSettings,
        noise: bool,
    ) -> Result<Self, Error> {
        PredictorParts::new(observed, labels, settings, noise)?.try_into()
    }

    /// The parts that it was made of.
    pub fn parts(&self) -> &PredictorParts {
        &self.parts
    }

    /// Number of clusters.
    pub fn n_classes(&self) -> usize {
        self.members.len()
    }

    /// Number of points of the model.
    pub fn n_points(&self) -> usize {
        self.parts.labels.len()
    }

    /// Number of probabilities that an item gets: one for each cluster, one more for noise where the model knows it.
    pub fn n_columns(&self) -> usize {
        self.n_classes() + usize::from(self.parts.noise)
    }

    /// Returns where new points belong, measured by the metric of the old ones.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model is of distances, [`Error::Model`], and what the metric says of the points:
    /// [`Error::Input`].
    pub fn predict_points(&self, points: &Points<'_>) -> Result<Prediction, Error> {
        if self.parts.sparse_points.is_some() {
            return self.predict_sparse_points(&SparsePoints::from_points(points));
        }
        let n_points = self.n_points();
        let old = self.parts.points.as_ref().ok_or(Error::Model(ModelError::NoModelPoints { n_points }))?;
        let (given, expected) = (points.n_dimensions(), old.points().n_dimensions());
        if given != expected {
            return Err(Error::Model(ModelError::NewColumns { given, expected }));
        }
        let points = old.prepare(points)?;
        let groups = self.groups();
        let own = points_of(old, &groups)?;
        let near = Searches::new(&own, &groups, points.n_points());
        Ok(self.rows(points.n_points(), |i| {
            let near = near.of_row(points.row(i), None);
            vectorised(Weighing { predictor: self, near: &near, left_out: None })
        }))
    }

    /// Returns where new items belong, given the distance of each to every point of the model: `n_new` rows of N numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], [`Error::Model`] unless the block has that shape; [`Error::Model`] at the first that
    /// is none.
    pub fn predict_distances(&self, block: &[f64], n_new: usize) -> Result<Prediction, Error> {
        near::check_block(block, n_new, self.n_points())?;
        let n = self.n_points();
        let group = GroupOf::new(&self.groups(), n);
        Ok(self.rows(n_new, |i| {
            let near = group.of_distances(&block[i * n..(i + 1) * n]);
            vectorised(Weighing { predictor: self, near: &near, left_out: None })
        }))
    }

    /// The points of the clusters, then those that are noise where the model knows it.
    fn groups(&self) -> Vec<&[usize]> {
        let noise = self.parts.noise.then_some(&self.noise[..]);
        self.members.iter().map(|members| &members[..]).chain(noise).collect()
    }

    /// All rows, in parallel.
    fn rows(&self, n_rows: usize, row: impl Fn(usize) -> Row + Sync + Send) -> Prediction {
        let rows = parallel::map(n_rows, row);
        let label = |row: &Row| {
            let best = (1..row.probabilities.len())
                .fold(0, |best, at| if row.probabilities[at] > row.probabilities[best] { at } else { best });
            Some(best).filter(|&best| best < self.n_classes())
        };
        Prediction {
            labels: rows.iter().map(label).collect(),
            log_density: rows.iter().map(|row| row.log_density).collect(),
            probabilities: rows.into_iter().flat_map(|row| row.probabilities).collect(),
            n_classes: self.n_classes(),
            n_columns: self.n_columns(),
        }
    }

    /// The prediction of an item, given the nearest points of each group.
    #[inline(always)]
    fn weigh(&self, near: &Near, out: Option<&TakenOut>) -> Row {
        let size =
            |class: Option<usize>, size: usize| size - usize::from(out.is_some_and(|out| out.class == class));
        let priors: Vec<f64> = self
            .members
            .iter()
            .enumerate()
            .map(|(class, members)| self.log_prior(size(Some(class), members.len())))
            .chain(self.parts.noise.then(|| (size(None, self.noise.len()) as f64 + 1.0).ln()))
            .collect();
        let mut logs = priors.clone();
        for class in 0..self.n_classes() {
            logs[class] += self.log_class(&near[class], out);
        }
        if self.parts.noise {
            logs[self.n_classes()] += self.log_noise(near, out);
        }
        // An item without observed distances, as a sparse matrix may have: only sizes count.
        if logs.iter().all(|&log| log == f64::NEG_INFINITY) {
            logs.copy_from_slice(&priors);
        }
        let n_old = self.n_points() - usize::from(out.is_some());
        let total = match self.parts.size_prior {
            SizePrior::Dirichlet => (n_old + self.n_columns()) as f64,
            SizePrior::Constant => self.n_columns() as f64,
        };
        let log_density = log_sum(&logs) - total.ln() - self.grid.log_units(1);
        Row { probabilities: normalised(&logs), log_density }
    }

    /// The log prior of a cluster of `n` points, up to a constant that all share: the size prior of the next item over the
    /// number of trees it may be in.
    fn log_prior(&self, n: usize) -> f64 {
        let size = n as f64;
        match self.parts.size_prior {
            SizePrior::Constant => 0.0,
            SizePrior::Dirichlet => (size - 2.0) * (size / (size + 1.0)).ln(),
        }
    }

    /// The log density of an item's link to a cluster.
    #[inline(always)]
    fn log_class(&self, near: &[(f64, usize)], out: Option<&TakenOut>) -> f64 {
        let mut logs = [f64::NEG_INFINITY; N_NEAR];
        // A loop, not a closure: this is compiled for vector units where it is inlined.
        for (log, &(length, j)) in logs.iter_mut().zip(near) {
            let same = out.filter(|out| out.class.is_some() && out.class == self.parts.labels[j]);
            let leaf = same.and_then(|out| out.leaf(j)).unwrap_or(&self.leaves[j]);
            *log = leaf_log_density(leaf, &self.grid.bounded_log_weights(length));
        }
        log_sum(&logs)
    }

    /// The log density of a noise item's link to its nearest point, which is one of all.
    fn log_noise(&self, near: &Near, out: Option<&TakenOut>) -> f64 {
        let lengths = near.iter().flatten().map(|&(length, _)| length);
        let Some(nearest) = lengths.min_by(f64::total_cmp) else { return f64::NEG_INFINITY };
        let n_old = self.n_points() - usize::from(out.is_some());
        let own = out.and_then(|out| out.noise_length);
        self.noise_scale.log_density(nearest, own) - (n_old.max(1) as f64).ln()
    }
}

impl TryFrom<PredictorParts> for Predictor {
    type Error = Error;

    /// Checks the parts, and computes what is not kept: how probable the scales of every point are.
    fn try_from(parts: PredictorParts) -> Result<Self, Error> {
        let mut parts = parts;
        let n_classes = parts.check()?;
        parts.noise |= parts.labels.contains(&None);
        let members = parts.members(n_classes);
        let noise = (0..parts.labels.len()).filter(|&i| parts.labels[i].is_none()).collect();
        let (grid, kernel) = (parts.grid(), LogKernel::new(parts.step));
        let trees = parts.trees(n_classes);
        let of_class = parallel::map(n_classes, |class| {
            vectorised(BeliefsOf { grid: &grid, tree: &trees[class], kernel: &kernel })
                .leaves()
                .collect::<Vec<_>>()
        });
        let mut leaves = vec![[0.0; N_HALVES]; parts.labels.len()];
        for (members, own) in members.iter().zip(of_class) {
            members.iter().zip(own).for_each(|(&i, leaf)| leaves[i] = leaf);
        }
        let noise_scale = NoiseScale::new(&grid, parts.noise_lengths.iter().copied());
        Ok(Self { parts, grid, kernel, members, noise, noise_scale, leaves })
    }
}

/// Returns how far out of the ordinary items are, from 0 to 1, given their log densities and those of the items that the model was
/// made of, each left out ([`Predictor::memberships`]).
///
/// $$ 1 - \min \Big( 1, \frac{p(x)}{\text{median of } p} \Big) $$
///
/// 0: its place is at least as probable as that of a typical item; 0.99: a hundred times less probable.
///
/// ```
/// use similis::latent_graph::outlier_scores;
/// let scores = outlier_scores(&[0.0, -1.0, f64::NEG_INFINITY], &[-1.0, 0.5, -3.0]);
/// assert_eq!(scores, [0.0, 0.0, 1.0]);
/// ```
pub fn outlier_scores(log_density: &[f64], of_model: &[f64]) -> Vec<f64> {
    let mut ordered = of_model.to_vec();
    ordered.sort_by(f64::total_cmp);
    let median = ordered.get(ordered.len() / 2).copied().unwrap_or(f64::NEG_INFINITY);
    // Where even the typical item is like no other, none is out of the ordinary.
    let below = |&log: &f64| if median == f64::NEG_INFINITY { 0.0 } else { (log - median).min(0.0) };
    log_density.iter().map(|log| -below(log).exp_m1()).collect()
}

/// Probabilities, given their logarithms but for a constant.
fn normalised(logs: &[f64]) -> Vec<f64> {
    let most = logs.iter().fold(f64::NEG_INFINITY, |most: f64, &log| most.max(log));
    let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests;
