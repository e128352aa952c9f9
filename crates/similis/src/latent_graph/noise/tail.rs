//! Points that are too sparse for the tail of their cluster.
//!
//! Distances of near neighbours measure how sparse the points are around one: $v = r_k^d$ is the volume of its cell, d the
//! intrinsic dimension of its cluster. In a Gaussian cloud of d dimensions a cell is larger than v with probability
//!
//! $$ P(v) = Q\Big( \frac{d}{2}, \; h_d + \log \frac{v}{\tilde v} \Big), \qquad Q(d / 2, h_d) = \frac{1}{2} $$
//!
//! where $\tilde v$ is the median cell of the cluster and Q the incomplete gamma function; in the plane that is
//! $\tilde v / 2 v$. Clusters with an edge have fewer large cells. So a cluster with more large cells than that holds points
//! that are not its own. Which ones, the rule of Benjamini and Hochberg says: the m largest cells of n are noise, m the greatest
//! number with $P(v_m) \le q \, m / n$, so that of those called noise a fraction of about q is the cluster's tail; and with
//! $P(v_m) \le 1/100$, so that a cluster loses few of its own points however many others there are.
//!
//! Noise that was found tells how sparse noise is. It is scattered over all clusters alike, so that a point around which the
//! density is less than 1.5 times that of noise is twice as probably noise as not, whichever its cluster.

use crate::graph::neighbours::Neighbours;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::score::members;
use crate::numeric::gamma::upper_gamma;

/// The neighbours (k) whose distances measure cells: one sees a single outlier, four see groups of a few. Chosen with
/// [`RATE`].
const NEIGHBOURS: [usize; 3] = [1, 2, 4];

/// The expected fraction q of tails among the points called noise. Chosen on draws of two Gaussians with uniform noise:
/// `docs/evidence/number-and-noise.md`.
const RATE: f64 = 0.25;

/// The greatest fraction of a cluster's own points that may be called noise by one of [`NEIGHBOURS`]. Chosen with [`RATE`].
const MOST_OWN: f64 = 0.01;

/// The neighbour whose distance is compared with that of noise. Not tuned.
const COMPARED: usize = 3;

/// The density, in units of that of noise, below which a point is at least twice as probably noise as not: one part noise and
/// half a part cluster.
const AS_DENSE: f64 = 1.5;

/// The neighbours whose distances give the intrinsic dimension: twice as many are $2^{1/d}$ times as far. Not tuned.
const NEAR_AND_FAR: [usize; 2] = [5, 10];

/// Upper bound of the intrinsic dimension where the input is no table of points. Not tuned.
const MOST_DIMENSIONS: f64 = 50.0;

/// Maximum number of rounds in which the median is computed again without the noise. Not tuned: two are enough as a rule.
const MAX_ROUNDS: usize = 5;

/// What noise is found from.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// Lists of at least ten neighbours, or of all other points where there are fewer.
    neighbours: &'a Neighbours,
    /// The least length that counts.
    floor: f64,
    /// Number of columns of a table of points.
    n_dimensions: Option<usize>,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(context: &'a Context<'_>) -> Self {
        let n_dimensions = context.observed.n_dimensions();
        Self { neighbours: &context.neighbours, floor: context.floor(), n_dimensions }
    }

    /// Returns which points are noise, given the cluster of every point. Every cluster keeps at least half of its points.
    pub(crate) fn noise(&self, labels: &[usize]) -> Vec<bool> {
        let clusters: Vec<Vec<usize>> = members(labels).into_iter().filter(|own| !own.is_empty()).collect();
        let dimensions: Vec<f64> = clusters.iter().map(|own| self.dimension(own)).collect();
        let mut is_noise = vec![false; labels.len()];
        for (own, &dimension) in clusters.iter().zip(&dimensions) {
            for k in NEIGHBOURS {
                self.beyond_tail(own, k, dimension).into_iter().for_each(|i| is_noise[i] = true);
            }
            keep_half(own, &mut is_noise);
        }
        // Noise fills the space, not only the curves and sheets that clusters may be.
        let most = dimensions.iter().fold(1.0, |most: f64, &dimension| most.max(dimension));
        self.add_as_sparse(&clusters, &mut is_noise, self.n_dimensions.map_or(most, |n| n as f64));
        is_noise
    }

    /// The points of a cluster whose cells are larger than its tail explains.
    fn beyond_tail(&self, own: &[usize], k: usize, dimension: f64) -> Vec<usize> {
        let mut cells: Vec<(f64, usize)> =
            own.iter().filter_map(|&i| Some((self.log_radius(i, k)?, i))).collect();
        cells.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let n = cells.len();
        let tail = Tail::new(dimension);
        let mut n_noise = 0;
        for _ in 0..MAX_ROUNDS {
            let Some(&(median, _)) = cells.get(usize::midpoint(n_noise, n)) else { break };
            if median <= self.floor.ln() {
                // Half of the points coincide with others: their cells measure nothing.
                return Vec::new();
            }
            let level = |m: usize| MOST_OWN.min(RATE * m as f64 / n as f64);
            let is_beyond = |m: usize| tail.exceeded(cells[m - 1].0 - median) <= level(m);
            let found = (1..=n / 2).rev().find(|&m| is_beyond(m)).unwrap_or(0);
            if found == n_noise {
                break;
            }
            n_noise = found;
        }
        cells[..n_noise].iter().map(|&(_, i)| i).collect()
    }

    /// Adds the points that are about as sparse as the noise is; none of a cluster that would lose half of its points.
    fn add_as_sparse(&self, clusters: &[Vec<usize>], is_noise: &mut [bool], dimension: f64) {
        let noise = (0..is_noise.len()).filter(|&i| is_noise[i]);
        let Some(usual) = median(noise.filter_map(|i| self.log_radius(i, COMPARED)).collect()) else {
            return;
        };
        let least = usual - AS_DENSE.ln() / dimension;
        for own in clusters {
            let is_sparse = |&&i: &&usize| {
                is_noise[i] || self.log_radius(i, COMPARED).is_some_and(|radius| radius > least)
            };
            let sparse: Vec<usize> = own.iter().filter(is_sparse).copied().collect();
            if 2 * sparse.len() <= own.len() {
                sparse.into_iter().for_each(|i| is_noise[i] = true);
            }
        }
    }

    /// The intrinsic dimension of a cluster: the median over its points, at least 1 and at most the number of columns.
    fn dimension(&self, own: &[usize]) -> f64 {
        let [near, far] = NEAR_AND_FAR;
        let growth = |&i: &usize| Some(self.log_radius(i, far)? - self.log_radius(i, near)?);
        let most = self.n_dimensions.map_or(MOST_DIMENSIONS, |n| n as f64);
        let ratio = (far as f64 / near as f64).ln();
        median(own.iter().filter_map(growth).collect())
            .map_or(1.0, |growth| (ratio / growth).clamp(1.0, most))
    }

    /// The logarithm of the distance of a point's k-th neighbour, where there is one.
    fn log_radius(&self, i: usize, k: usize) -> Option<f64> {
        self.neighbours.of(i).nth(k - 1).map(|(_, radius)| radius.max(self.floor).ln())
    }
}

/// The tail of a Gaussian cloud.
struct Tail {
    dimension: f64,
    /// $h_d$: half the median of a chi-squared variable.
    half_median: f64,
}

impl Tail {
    fn new(dimension: f64) -> Self {
        // The median of a chi-squared variable is below its mean d.
        let (mut low, mut high) = (0.0, 0.5 * dimension);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if upper_gamma(0.5 * dimension, middle) > 0.5 { low = middle } else { high = middle }
        }
        Self { dimension, half_median: low }
    }

    /// P(v): the probability of a larger cell, given the logarithm of its radius over the median one.
    fn exceeded(&self, log_ratio: f64) -> f64 {
        upper_gamma(0.5 * self.dimension, self.half_median + self.dimension * log_ratio)
    }
}

/// Takes all points of a cluster back where more than half of them are noise.
fn keep_half(own: &[usize], is_noise: &mut [bool]) {
    if 2 * own.iter().filter(|&&i| is_noise[i]).count() > own.len() {
        own.iter().for_each(|&i| is_noise[i] = false);
    }
}

/// The upper median.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::neighbours::nearest_neighbours;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::random::stream;
    use rand::RngExt;

    fn noise_of(places: &[f64], n_columns: usize, labels: &[usize]) -> Vec<bool> {
        let points = Points::new(places, labels.len(), n_columns).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let neighbours = nearest_neighbours(&observed, 15);
        Cells { neighbours: &neighbours, floor: 1e-9, n_dimensions: Some(n_columns) }.noise(labels)
    }

    /// A draw of the normal distribution (Box and Muller).
    fn normal(random: &mut rand_chacha::ChaCha8Rng) -> f64 {
        let (a, b): (f64, f64) = (random.random(), random.random());
        (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    #[test]
    fn the_tail_of_the_plane_by_hand() {
        // v / v_median = 2 * 2: P = 1 / 8.
        let tail = Tail::new(2.0);
        assert!((tail.exceeded(2f64.ln()) - 0.125).abs() < 1e-9);
        assert!((tail.exceeded(0.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_cloud_alone_has_no_noise() {
        for n_columns in [1, 2, 5] {
            for seed in 0..5 {
                let mut random = stream(seed, n_columns as u64);
                let gaussian: Vec<f64> = (0..300 * n_columns).map(|_| normal(&mut random)).collect();
                let uniform: Vec<f64> = (0..300 * n_columns).map(|_| random.random()).collect();
                for places in [gaussian, uniform] {
                    let noise = noise_of(&places, n_columns, &[0; 300]);
                    let n_noise = noise.iter().filter(|&&is_noise| is_noise).count();
                    assert!(n_noise <= 6, "{n_columns} columns, seed {seed}: {n_noise} of 300");
                }
            }
        }
    }

    #[test]
    fn uniform_noise_around_two_clouds_is_found() {
        // Standard deviations 0.3 and 0.6, four apart; noise counts where it is beyond four of them.
        let (mut found, mut far, mut wrong) = (0, 0, 0);
        for seed in 0..4 {
            for n_noise in [10, 30, 60] {
                let mut random = stream(seed, n_noise);
                let mut places: Vec<[f64; 2]> = Vec::new();
                for (spread, centre) in [(0.3, 0.0), (0.6, 4.0)] {
                    places.extend(
                        (0..125)
                            .map(|_| [centre + spread * normal(&mut random), spread * normal(&mut random)]),
                    );
                }
                places.extend(
                    (0..n_noise).map(|_| [random.random_range(-2.0..6.8), random.random_range(-2.6..2.6)]),
                );
                let labels: Vec<usize> = places.iter().map(|place| usize::from(place[0] > 1.6)).collect();
                let noise = noise_of(&places.concat(), 2, &labels);
                let is_far = |place: &[f64; 2]| {
                    place[0].hypot(place[1]) > 1.2 && (place[0] - 4.0).hypot(place[1]) > 2.4
                };
                far += places[250..].iter().filter(|place| is_far(place)).count();
                found += (250..places.len()).filter(|&i| noise[i] && is_far(&places[i])).count();
                wrong += noise[..250].iter().filter(|&&is_noise| is_noise).count();
            }
        }
        println!("{found} of {far} found, {wrong} of 3000 wrongly called noise");
        assert!(found as f64 >= 0.85 * far as f64, "{found} of {far}");
        assert!(wrong <= 60, "{wrong} of 3000");
    }

    #[test]
    fn points_that_coincide_are_no_measure() {
        let places: Vec<f64> = (0..60).map(|i| f64::from(i / 3)).collect();
        assert!(noise_of(&places, 1, &[0; 60]).iter().all(|&is_noise| !is_noise));
    }
}
