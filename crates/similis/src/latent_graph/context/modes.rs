//! The modes of the density of all points, and what a partition pays for merging some of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::modes::{Density, Modes, Saddle};
use crate::graph::neighbours::{Neighbours, nearest_neighbours};
use crate::graph::shared::{shared_modes, shared_neighbours};
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::sample::Sample;
use crate::plan::Plan;
use crate::run::parallel;

/// Least number of neighbours that a density is estimated from: with fewer there are no modes.
const LEAST_NEIGHBOURS: usize = 4;

/// Weight of the surprise that a prominence is by chance, in what a valley costs. Chosen on simulated scenes: from 1.5 to 5 the
/// choice hardly changes (`docs/evidence/number-and-noise.md`).
const SURPRISE: f64 = 2.0;

/// Most modes that a fit lists. Not tuned: the others are chance.
const MOST_LISTED: usize = 100;

/// A mode: a peak of the density of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The point where the density is highest.
    pub peak: usize,
    /// The ends of the densest link to a denser mode, the first in this one; `None` for the highest of all that are connected.
    pub saddle: Option<[usize; 2]>,
    /// The log density of the peak less that of the saddle; infinite without a saddle.
    pub prominence: f64,
    /// Whether chance alone hardly has modes of this prominence.
    pub is_significant: bool,
}

/// The modes of the density of the points, most prominent first, 100 at most.
#[derive(Clone, Debug, PartialEq)]
pub struct DensityModes {
    /// The neighbour whose distance is the measure of density, k.
    pub n_neighbours: usize,
    /// The intrinsic dimension of the points.
    pub dimension: f64,
    /// Prominences above this are significant.
    pub least_prominence: f64,
    /// The modes.
    pub modes: Vec<Mode>,
}

/// The modes of the points of a context.
#[derive(Debug)]
pub(crate) struct PointModes {
    /// The modes of all points, or of the subsample; `None` where too few neighbours are known.
    modes: Option<Arc<Modes>>,
    /// The subsample; `None`: all points.
    sample: Option<Sample>,
    /// Of the significant peaks, and of the ends of their saddles, the log distances of the neighbours k, 2k, 4k, ..
    log_radii: BTreeMap<usize, Vec<f64>>,
    /// The significant mode that each point belongs to; empty where there is but one.
    basins: Vec<usize>,
}

impl PointModes {
    /// The lists of the context serve where they are long enough, or where the input is no table of points. Otherwise the
    /// points, or an even subsample of many, get lists of their own.
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let n = context.n_points();
        let n_sampled = Plan::n_for_modes(n);
        let k = Plan::n_for_density(n_sampled);
        if k <= context.n_listed || !context.observed.is_measured() {
            let k = k.min(context.n_listed).min(n / 4);
            let modes = found(context, &context.neighbours, k);
            return Self::with_radii(modes, context.observed, context.weights(), None).with_basins();
        }
        if n_sampled == n {
            let neighbours = shared_neighbours(context.observed, k);
            let modes = found(context, &neighbours, k);
            return Self::with_radii(modes, context.observed, context.weights(), None).with_basins();
        }
        let sample = Sample::new(&context.tree, n, n_sampled);
        let Ok(observed) = context.observed.restricted(&sample.members) else {
            return Self::with_radii(None, context.observed, None, None);
        };
        let neighbours = nearest_neighbours(&observed, k);
        let tree = sample.contracted(&context.tree);
        let weights: Option<Vec<f64>> =
            context.weights().map(|weights| sample.members.iter().map(|&i| weights[i]).collect());
        let n_dimensions = observed.n_dimensions();
        let modes = the_more(Density {
            neighbours: &neighbours,
            tree: &tree,
            n_neighbours: k,
            floor: context.floor(),
            n_dimensions,
            weights: weights.as_deref(),
        });
        Self::with_radii(modes.map(Arc::new), &observed, weights.as_deref(), Some(sample)).with_basins()
    }

    /// The same, with the significant mode of every point.
    fn with_basins(self) -> Self {
        let labels = match self.modes() {
            Some(modes) if modes.is_smooth() && self.n_significant() > 1 => {
                modes.labels_above(modes.least_prominence)
            }
            _ => return self,
        };
        let basins = self.of_all(labels).as_slice().to_vec();
        Self { basins, ..self }
    }

    /// The labels of all points: those of the subsample extend along the minimum spanning tree.
    fn of_all(&self, labels: Labels) -> Labels {
        match &self.sample {
            Some(sample) => Labels::new(&sample.extended(labels.as_slice())),
            None => labels,
        }
    }

    /// Whether a significant valley lies between two points: they belong to different significant modes.
    pub(crate) fn valley_between(&self, i: usize, j: usize) -> bool {
        self.basins.get(i) != self.basins.get(j)
    }

    /// The modes of what was observed, with the distances of more neighbours where they are needed.
    fn with_radii(
        modes: Option<Arc<Modes>>,
        observed: &Dissimilarity<'_>,
        weights: Option<&[f64]>,
        sample: Option<Sample>,
    ) -> Self {
        let significant = modes.iter().flat_map(|modes| modes.significant());
        let mut points: Vec<usize> = significant
            .flat_map(|saddle| [saddle.low, saddle.high, saddle.ends[0], saddle.ends[1]])
            .collect();
        points.sort_unstable();
        points.dedup();
        let k = modes.as_ref().map_or((0, 1.0), |modes| (modes.n_neighbours, modes.dimension));
        let radii = parallel::map(points.len(), |at| log_radii(observed, weights, points[at], k));
        let log_radii = points.into_iter().zip(radii).collect();
        Self { modes, sample, log_radii, basins: Vec::new() }
    }

    /// The point that has this number among those whose modes were found.
    pub(crate) fn point(&self, at: usize) -> usize {
        self.sample.as_ref().map_or(at, |sample| sample.members[at])
    }

    /// The modes, numbered as [`PointModes::point`] says.
    pub(crate) fn modes(&self) -> Option<&Modes> {
        self.modes.as_deref()
    }

    /// Returns the modes for the caller.
    pub(crate) fn listed(&self) -> Option<DensityModes> {
        let modes = self.modes()?;
        let highest = modes.highest().into_iter().map(|at| Mode {
            peak: self.point(at),
            saddle: None,
            prominence: f64::INFINITY,
            is_significant: true,
        });
        let others = modes.saddles.iter().map(|saddle| Mode {
            peak: self.point(saddle.low),
            saddle: Some(saddle.ends.map(|end| self.point(end))),
            prominence: saddle.prominence,
            is_significant: saddle.prominence > modes.least_prominence,
        });
        let mut listed: Vec<Mode> = highest.chain(others).collect();
        listed.sort_by(|a, b| b.prominence.total_cmp(&a.prominence).then(a.peak.cmp(&b.peak)));
        listed.truncate(MOST_LISTED);
        let Modes { n_neighbours, dimension, least_prominence, .. } = *modes;
        Some(DensityModes { n_neighbours, dimension, least_prominence, modes: listed })
    }

    /// Returns the partition of all points into the most prominent modes, if there are `n_clusters` of them: basins of the
    /// subsample extend along the minimum spanning tree.
    pub(crate) fn labels(&self, n_clusters: usize) -> Option<Labels> {
        let labels = self.modes()?.labels(n_clusters);
        if labels.n_clusters() != n_clusters {
            return None;
        }
        Some(self.of_all(labels))
    }

    /// Returns the points of a cluster (rising numbers) that belong to its most prominent mode but the highest: those that only
    /// the saddle of that mode connects with the others. Nothing where the cluster has one mode, or a subsample has the modes.
    pub(crate) fn split(&self, members: &[usize]) -> Option<Vec<usize>> {
        let modes = self.modes().filter(|_| self.sample.is_none())?;
        let place = |i: usize| members.binary_search(&i).ok();
        let inside = |saddle: &Saddle| saddle.ends.iter().all(|&end| place(end).is_some());
        let saddles: Vec<&Saddle> = modes.saddles.iter().filter(|saddle| inside(saddle)).collect();
        let highest = saddles.iter().max_by(|a, b| a.prominence.total_cmp(&b.prominence))?;
        let mut sets = DisjointSets::new(members.len());
        let mut join = |a: usize, b: usize| {
            if let (Some(a), Some(b)) = (place(a), place(b)) {
                sets.join(a, b);
            }
        };
        modes.links().for_each(|[a, b]| join(a, b));
        let others = saddles.iter().filter(|saddle| saddle.low != highest.low);
        others.for_each(|saddle| join(saddle.ends[0], saddle.ends[1]));
        let root = sets.root(place(highest.ends[0])?);
        let second: Vec<usize> = (0..members.len()).filter(|&at| sets.root(at) == root).collect();
        Some(second.into_iter().map(|at| members[at]).collect())
    }

    /// The number of significant modes, 1 at least.
    pub(crate) fn n_significant(&self) -> usize {
        self.modes().map_or(0, |modes| modes.significant().count()) + 1
    }

    /// Returns what a partition pays for the significant valleys inside its clusters, in nats.
    ///
    /// $$ \sum_{\text{valleys inside clusters}} \max \Big( 2 k \log \cosh \frac{p}{2}, \; \frac{2 p}{\mu} \Big) $$
    ///
    /// In each cluster, modes are merged from the densest saddle to the sparsest, as those of all points are; each merge
    /// whose lower peak has a significant prominence p over the saddle is one valley. It costs the log-likelihood ratio of two
    /// densities against a common one ([`nats`]): what the data say against one mode. The more neighbours the densities are
    /// estimated from the more certain they are, until the valley itself is among them: of k, 2k, 4k, .. neighbours that
    /// number counts which says most. But where many modes are significant together, each by itself says little; then it
    /// costs what it would be surprised by if it were chance: prominences by chance are exponential, of mean $\mu$.
    pub(crate) fn valleys(&self, label: impl Fn(usize) -> usize) -> f64 {
        let Some(modes) = self.modes() else { return 0.0 };
        // By its highest peak, for each group of modes that are joined so far: the highest peak in every cluster.
        let mut groups: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        let cluster = |peak: usize| label(self.point(peak));
        let mut cost = 0.0;
        for saddle in modes.significant() {
            let lone = |peak: usize| BTreeMap::from([(cluster(peak), peak)]);
            let lower = groups.remove(&saddle.low).unwrap_or_else(|| lone(saddle.low));
            let joined = groups.entry(saddle.high).or_insert_with(|| lone(saddle.high));
            for (cluster, peak) in lower {
                let Some(other) = joined.get_mut(&cluster) else {
                    joined.insert(cluster, peak);
                    continue;
                };
                let (low, high) = modes.lower_first(peak, *other);
                cost += self.valley(modes, saddle, low);
                *other = high;
            }
        }
        self.sample.as_ref().map_or(1.0, Sample::weight) * cost
    }

    /// The log-likelihood ratio of one valley, between a peak and a saddle; 0 unless it is significant.
    fn valley(&self, modes: &Modes, saddle: &Saddle, peak: usize) -> f64 {
        let level = modes.log_density[saddle.low] - saddle.prominence;
        let prominence = modes.log_density[peak] - level;
        if prominence <= modes.least_prominence {
            return 0.0;
        }
        let k = modes.n_neighbours as f64;
        let radii = |i: usize| self.log_radii.get(&i).map_or(&[][..], Vec::as_slice);
        let ends = radii(saddle.ends[0]).iter().zip(radii(saddle.ends[1]));
        let wider = ends.zip(radii(peak)).enumerate().map(|(at, ((&one, &other), &top))| {
            nats(modes.dimension * (one.min(other) - top), k * 2f64.powi(at as i32 + 1))
        });
        let surprise = if modes.is_smooth() { SURPRISE * prominence / modes.chance } else { 0.0 };
        wider.fold(nats(prominence, k).max(surprise), f64::max)
    }
}

/// The log distances of the neighbours 2k, 4k, .. of a point, up to a quarter of all points; where points have weights, those at which
/// points of equal weight would be as dense, in this dimension.
fn log_radii(
    observed: &Dissimilarity<'_>,
    weights: Option<&[f64]>,
    i: usize,
    (k, dimension): (usize, f64),
) -> Vec<f64> {
    let weight = |j: usize| weights.map_or(1.0, |weights| weights[j]);
    let mut near = Vec::with_capacity(observed.n_points());
    observed.for_each_pair(i, |j, length| near.push((length, weight(j))));
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let most = observed.n_points() / 4;
    let counts = std::iter::successors(Some(2 * k), |count| Some(2 * count))
        .take_while(|&count| k > 0 && count <= most);
    let log_radius = |count: usize| {
        let near = near.get(..count)?;
        let load = |_: &[f64]| {
            let sum = weight(i) + near.iter().map(|&(_, weight)| weight).sum::<f64>();
            (sum / (count + 1) as f64).ln() / dimension
        };
        Some(near.last()?.0.ln() - weights.map_or(0.0, load))
    };
    counts.map_while(log_radius).collect()
}

/// The log-likelihood ratio of two densities of this log ratio against a common one, each from k neighbours, in nats.
///
/// $$ 2 k \log \cosh \frac{p}{2} $$
///
/// The volume of k neighbours has a gamma distribution of shape k: for volumes $v_1$, $v_2$ the ratio is
/// $k (2 \log \frac{v_1 + v_2}{2} - \log v_1 - \log v_2)$. 0 where the ratio is negative: no valley.
pub(crate) fn nats(log_ratio: f64, k: f64) -> f64 {
    let p = log_ratio.max(0.0);
    // log cosh x = x + log(1 + e^(-2x)) - log 2, which does not overflow.
    2.0 * k * (0.5 * p + (-p).exp().ln_1p() - 2f64.ln())
}

/// How many neighbours half of the points have: a graph lists no more than its edges.
fn typical_number(neighbours: &Neighbours) -> usize {
    let mut numbers: Vec<usize> = (0..neighbours.n_points()).map(|i| neighbours.of(i).count()).collect();
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or(0)
}

/// The modes of all points by lists of k neighbours; of one input they are found once.
fn found(context: &Context<'_>, neighbours: &Neighbours, n_neighbours: usize) -> Option<Arc<Modes>> {
    let (floor, n_dimensions, weights) =
        (context.floor(), context.observed.n_dimensions(), context.weights());
    let density = Density { neighbours, tree: &context.tree, n_neighbours, floor, n_dimensions, weights };
    if weights.is_some() || context.by_lists {
        return the_more(density).map(Arc::new);
    }
    shared_modes(context.observed, n_neighbours, || the_more(density))
}

/// The modes by k or by k / 2 neighbours: those of which more are significant. Few neighbours see small clusters, many see shallow
/// valleys.
fn the_more(density: Density<'_>) -> Option<Modes> {
    let n_neighbours = density.n_neighbours.min(typical_number(density.neighbours));
    let modes = |n_neighbours: usize| Density { n_neighbours, ..density }.modes();
    let coarse = (n_neighbours >= LEAST_NEIGHBOURS).then(|| modes(n_neighbours))?;
    let fine = Plan::half_for_density(n_neighbours).map(modes);
    let more = |fine: &Modes| fine.significant().count() > coarse.significant().count();
    Some(fine.filter(more).unwrap_or(coarse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use crate::run::random::stream;
    use rand::RngExt;

    fn plane(places: Vec<f64>) -> Dissimilarity<'static> {
        let n_points = places.len() / 2;
        let points = Points::new(places, n_points, 2).unwrap();
        Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
    }

    #[test]
    fn the_likelihood_ratio_by_hand() {
        // k (2 log((v1 + v2) / 2) - log v1 - log v2) with volumes 1 and 4, k = 2.
        let expected = 2.0 * (2.0 * 2.5f64.ln() - 4f64.ln());
        assert!((nats(4f64.ln(), 2.0) - expected).abs() < 1e-12);
        assert!(nats(0.0, 5.0).abs() < 1e-12 && nats(1e4, 5.0).is_finite());
        assert_eq!(nats(-1.0, 5.0), nats(0.0, 5.0));
    }

    #[test]
    fn a_partition_pays_for_the_valleys_inside_its_clusters_alone() {
        // Three squares in a row, 100 points each.
        let mut random = stream(5, 0);
        let place = |i: u32, random: &mut rand_chacha::ChaCha8Rng| {
            [random.random_range(0.0..1.0) + 3.0 * f64::from(i / 100), random.random_range(0.0..1.0)]
        };
        let observed = plane((0..300).flat_map(|i| place(i, &mut random)).collect());
        let context = Context::new(&observed, &Silent);
        let modes = context.modes();
        assert_eq!(modes.n_significant(), 3);
        let squares: Vec<usize> = (0..300).map(|i| i / 100).collect();
        let merged =
            |from: usize, into: usize| modes.valleys(|i| if squares[i] == from { into } else { squares[i] });
        assert_eq!(modes.valleys(|i| squares[i]), 0.0);
        let (first, second) = (merged(1, 0), merged(2, 1));
        assert!(first > 10.0 && second > 10.0);
        // One cluster pays for both valleys; cutting a square in two gains nothing.
        assert!((modes.valleys(|_| 0) - first - second).abs() < 1e-9 * (first + second));
        assert_eq!(modes.valleys(|i| i / 50), 0.0);
        assert_eq!(modes.labels(3).unwrap().as_slice(), squares);
        let listed = modes.listed().unwrap();
        assert_eq!(listed.modes.iter().filter(|mode| mode.is_significant).count(), 3);
        assert!(listed.modes[0].saddle.is_none() && listed.modes[1].saddle.is_some());
    }

    #[test]
    fn many_points_have_the_modes_of_an_even_subsample() {
        let drawn = draw(Shape::FiveBlobs, 12_000, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let context = Context::with_neighbours(&observed, &Silent, 15);
        let modes = context.modes();
        assert_eq!(modes.n_significant(), 5);
        let labels = modes.labels(5).unwrap();
        assert_eq!(labels.n_clusters(), 5);
        assert_eq!(modes.valleys(|i| labels.as_slice()[i]), 0.0);
        assert!(modes.valleys(|_| 0) > 1_000.0);
    }
}
