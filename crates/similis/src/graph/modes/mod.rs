//! Modes: the peaks of the density of the points, and the valleys between them.
//!
//! The distance $r_k$ of a point's k-th neighbour says how dense the points are around it, and its own error: whatever the
//! density, $\log f$ has a standard error of about $1 / \sqrt{k}$.
//!
//! $$ \log f_i = -d \log r_k(i) $$
//!
//! where d is the intrinsic dimension. Links are taken from dense to sparse, a link being as sparse as its sparser end, or as
//! its own length where that is longer than $r_k$ of both (mutual reachability). Each joins two groups of points. The lower of
//! their peaks ends there: it is a mode whose *prominence* is what its $\log f$ has above the link's, the saddle.
//!
//! Distances of whole numbers take few values, and $r_k$ moves by steps: where the k-th neighbour is as far as the one before it,
//! $r_k$ may as well be the next shorter distance. Such a step is no valley: a link is as sparse as its ends would be there.

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::graph::neighbours::Neighbours;
use crate::input::labels::Labels;
use crate::run::parallel;

/// Number of nearest neighbours to which a point is linked; with the links of the minimum spanning tree every point is
/// reached. Not tuned.
const N_LINKED: usize = 10;

/// Upper bound of the intrinsic dimension where the input is no table of points. Not tuned: above it, distances hardly differ.
const MOST_DIMENSIONS: f64 = 50.0;

/// Number of modes by chance that are expected before the data are seen. Not tuned.
const N_EXPECTED: f64 = 8.0;

/// Their mean prominence in one dimension, in standard errors; in d dimensions it is divided by $d^{1.5}$. From draws of 100 to
/// 1,000 points without structure: lines, rings, squares, cubes, Gaussians.
const EXPECTED: f64 = 2.0;

/// Lower bound of that mean: where the dimension is high, the density itself is rough. From Gaussians in 20 dimensions.
const LEAST_EXPECTED: f64 = 0.7;

/// The logarithm of 20: one in twenty inputs without modes may have one whose prominence alone is significant.
const LEVEL: f64 = 2.995_732_273_553_991;

/// The logarithm of the odds that a gap must have against chance. Prominences by chance are not quite exponential: with
/// [`LEVEL`] one in ten rings had a gap. Modes by two numbers of neighbours are compared, hence the logarithm of 2.
const GAP_LEVEL: f64 = 5.7;

/// Least number of neighbours for which a gap counts, and the surprise of a valley: with fewer, as in graphs of low degree,
/// densities are too rough. Not tuned.
const LEAST_FOR_GAP: usize = 10;

/// Ratio of the last prominence that is significant by itself to the next. Not tuned.
const GAP: f64 = 1.2;

/// The same ratio for prominences that a gap sets apart. Chosen on draws without structure and on Gaussians that touch
/// (`docs/evidence/number-and-noise.md`).
const LEAST_RATIO: f64 = 1.6;

/// The end of a mode: the densest link from it to a denser one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Saddle {
    /// The peak of the mode that ends, and that of the denser one.
    pub(crate) low: usize,
    pub(crate) high: usize,
    /// The link: its end among the points of the mode, and the other.
    pub(crate) ends: [usize; 2],
    /// $\log f$ of the peak less that of the link.
    pub(crate) prominence: f64,
}

/// The modes of some points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Modes {
    /// k: the neighbour whose distance is the measure of density.
    pub(crate) n_neighbours: usize,
    /// The intrinsic dimension d.
    pub(crate) dimension: f64,
    /// $\log f$ of each point, up to a constant.
    pub(crate) log_density: Vec<f64>,
    /// The end of every mode but the highest of each component, the densest links first.
    pub(crate) saddles: Vec<Saddle>,
    /// Prominences above this are significant: see [`Significance`].
    pub(crate) least_prominence: f64,
    /// The mean prominence of modes by chance.
    pub(crate) chance: f64,
    /// Points, or peaks as high as the link, and what the link joins them to.
    links: Vec<[u32; 2]>,
}

/// What modes are found from: lists of at least k neighbours, a spanning tree, the least length that counts, and the number of
/// dimensions that the points have at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density<'a> {
    pub(crate) neighbours: &'a Neighbours,
    pub(crate) tree: &'a [Link],
    pub(crate) n_neighbours: usize,
    pub(crate) floor: f64,
    pub(crate) n_dimensions: Option<usize>,
    /// How many equal points each stands for; `None`: one.
    pub(crate) weights: Option<&'a [f64]>,
}

impl Density<'_> {
    /// The logarithm of the distance of the k-th neighbour, and how many neighbours that is: fewer where fewer are listed.
    fn log_radius(&self, i: usize, k: usize) -> Option<(f64, usize)> {
        let (at, (_, radius)) = self.neighbours.of(i).take(k).enumerate().next_back()?;
        Some((radius.max(self.floor).ln(), at + 1))
    }

    /// How much denser a point would be at the next shorter distance, where its k-th neighbour is as far as the one before it;
    /// otherwise 0.
    fn step(&self, i: usize, dimension: f64) -> f64 {
        let distances = self.neighbours.of(i).take(self.n_neighbours).map(|(_, distance)| distance);
        // The farthest distance, the next shorter one, and whether the last two neighbours are equally far.
        let (radius, shorter, is_tied) =
            distances.fold((0.0, 0.0, false), |(radius, shorter, _), distance| {
                if distance > radius { (distance, radius, false) } else { (radius, shorter, true) }
            });
        if is_tied && shorter > self.floor { dimension * (radius / shorter).ln() } else { 0.0 }
    }

    /// The logarithm of the mean weight of a point and its k neighbours: equal weights change no density but by a constant.
    fn log_load(&self, i: usize) -> f64 {
        let Some(weights) = self.weights else { return 0.0 };
        let near = self.neighbours.of(i).take(self.n_neighbours).map(|(j, _)| weights[j]);
        let (sum, n) = near.fold((weights[i], 1.0), |(sum, n), weight| (sum + weight, n + 1.0));
        (sum / n).ln()
    }

    /// The intrinsic dimension: half as many neighbours are $2^{-1/d}$ times as far. The median over the points, at least 1 and at
    /// most the number of columns.
    fn dimension(&self) -> f64 {
        let (k, half) = (self.n_neighbours, self.n_neighbours / 2);
        let growth = |i: usize| Some(self.log_radius(i, k)?.0 - self.log_radius(i, half)?.0);
        let mut growths: Vec<f64> = (0..self.neighbours.n_points()).filter_map(growth).collect();
        growths.sort_by(f64::total_cmp);
        let median = growths.get(growths.len() / 2).copied().unwrap_or(0.0);
        let most = self.n_dimensions.map_or(MOST_DIMENSIONS, |n| n as f64);
        if half > 0 { (2f64.ln() / median).clamp(1.0, most) } else { 1.0 }
    }

    /// $\log f$ of every point; minus infinity where no neighbour is listed.
    fn logs(&self, dimension: f64) -> Vec<f64> {
        parallel::map(self.neighbours.n_points(), |i| {
            let log =
                |(log_radius, k): (f64, usize)| (k as f64).ln() - dimension * log_radius + self.log_load(i);
            self.log_radius(i, self.n_neighbours).map_or(f64::NEG_INFINITY, log)
        })
    }

    /// Returns the modes.
    pub(crate) fn modes(&self) -> Modes {
        let dimension = self.dimension();
        let log_density = self.logs(dimension);
        let mut saddles = Vec::new();
        let mut links = Vec::new();
        let mut sets = DisjointSets::new(log_density.len());
        // The root of a set is its peak.
        for Rated { level, ends } in self.densest_first(dimension, &log_density) {
            let [a, b] = ends.map(|end| sets.root(end as usize));
            if a == b {
                continue;
            }
            let a_is_lower = (log_density[a], b) < (log_density[b], a);
            let (low, high) = if a_is_lower { (a, b) } else { (b, a) };
            let ends = ends.map(|end| end as usize);
            let ends = if a_is_lower { ends } else { [ends[1], ends[0]] };
            let prominence = log_density[low] - level;
            if prominence > 0.0 {
                saddles.push(Saddle { low, high, ends, prominence });
            } else {
                links.push([low as u32, ends[1] as u32]);
            }
            sets.join_roots(low, high);
        }
        let prominences = saddles.iter().map(|saddle| saddle.prominence).collect();
        let n_neighbours = self.n_neighbours;
        let expected = (EXPECTED / dimension.powf(1.5)).max(LEAST_EXPECTED);
        let Significance { least_prominence, chance } =
            Significance::new(prominences, (log_density.len(), n_neighbours), expected);
        Modes { n_neighbours, dimension, log_density, saddles, least_prominence, chance, links }
    }

    /// The links, densest first; of equally dense ones first that to the denser point.
    fn densest_first(&self, dimension: f64, log_density: &[f64]) -> Vec<Rated> {
        let listed = |from: usize| {
            let link = move |(to, length): (usize, f64)| Link { from, to, length };
            self.neighbours.of(from).take(N_LINKED).map(link)
        };
        let all = (0..log_density.len()).flat_map(listed).chain(self.tree.iter().copied());
        let log_k = (self.n_neighbours as f64).ln();
        let loads: Vec<f64> = match self.weights {
            Some(_) => parallel::map(log_density.len(), |i| self.log_load(i)),
            None => Vec::new(),
        };
        let load = |i: usize| loads.get(i).copied().unwrap_or(0.0);
        let raised = parallel::map(log_density.len(), |i| log_density[i] + self.step(i, dimension));
        let rated = |link: Link| {
            let own =
                log_k - dimension * link.length.max(self.floor).ln() + load(link.from).min(load(link.to));
            let is_longer = own < log_density[link.from].min(log_density[link.to]);
            let level = if is_longer { own } else { raised[link.from].min(raised[link.to]) };
            Rated { level, ends: [link.from as u32, link.to as u32] }
        };
        let mut rated: Vec<Rated> =
            all.filter(|link| link.length.is_finite() && link.from != link.to).map(rated).collect();
        let denser = |one: &Rated| log_density[one.ends[0] as usize].max(log_density[one.ends[1] as usize]);
        parallel::sort_by(&mut rated, |a, b| {
            let level = b.level.total_cmp(&a.level);
            level.then_with(|| denser(b).total_cmp(&denser(a))).then_with(|| a.ends.cmp(&b.ends))
        });
        rated
    }
}

/// What significant modes exceed, given all prominences. Those of chance are what the data themselves say they are: the bulk of
/// the small ones.
///
/// Prominences are counted in standard errors, $z = p \sqrt{k}$, the greatest first. For every m, K and $\mu$ are the number
/// and the mean of those below the m-th, [`N_EXPECTED`] modes of the mean `expected` counted with them. The m most prominent modes are
/// significant if the last of them **stands out by itself**,
///
/// $$ z_m > \sqrt{2 \log (n / k)}, \qquad z_m > \mu (\log K + \log 20), \qquad z_m > 1.2 \, z_{m+1} $$
///
/// or if **a gap sets them apart** from the rest: with $m_0$ modes that stand out by themselves,
///
/// $$ (m - m_0) (z_m - z_{m+1}) > \mu (\log K + 5.7), \qquad z_m > \mu \log K, \qquad z_m > 1.6 \, z_{m+1} $$
///
/// The first is the highest of n / k normal errors: as many separate places there are. The second is the highest of K exponential
/// prominences of mean $\mu$, at the level of 5%. The third asks for a gap: where the density is rough, as along many a curve,
/// prominences fall off without one. The fourth is for many clusters that touch, none
/// of whose modes stands out by itself: of exponential prominences the r-th and the next differ by an exponential of mean
/// $\mu / r$, so a gap after many modes is no chance. The last is there because prominences along a curve have two kinds of
/// chance, across it and along it, of which the second is larger: among these there is seldom a gap by a factor of 1.6. m is the
/// greatest number that qualifies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Significance {
    least_prominence: f64,
    /// $\mu / \sqrt{k}$.
    chance: f64,
}

impl Significance {
    fn new(mut prominences: Vec<f64>, (n_points, n_neighbours): (usize, usize), expected: f64) -> Self {
        let root = (n_neighbours as f64).sqrt();
        let by_chance = (2.0 * (n_points as f64 / n_neighbours as f64).max(1.0).ln()).sqrt();
        prominences.sort_by(|a, b| b.total_cmp(a));
        let all: Vec<f64> = prominences.iter().map(|prominence| prominence * root).collect();
        // The sums of all prominences below the m-th.
        let mut below = vec![0.0; all.len() + 1];
        (0..all.len()).rev().for_each(|m| below[m] = below[m + 1] + all[m]);
        let next = |m: usize| all.get(m).copied().unwrap_or(0.0);
        let chance = |m: usize| {
            let n = (all.len() - m) as f64 + N_EXPECTED;
            ((below[m] + N_EXPECTED * expected) / n, n.ln())
        };
        let alone = |m: usize| {
            let (mean, log_n) = chance(m);
            by_chance.max(mean * (log_n + LEVEL)).max(GAP * next(m))
        };
        let greatest = |needed: &dyn Fn(usize) -> f64| {
            (1..=all.len()).rev().find(|&m| all[m - 1] > needed(m)).unwrap_or(0)
        };
        let n_alone = greatest(&alone);
        let needed = |m: usize| {
            if n_neighbours < LEAST_FOR_GAP {
                return alone(m);
            }
            let (mean, log_n) = chance(m);
            let n_more = m.saturating_sub(n_alone).max(1) as f64;
            let gap = next(m) + mean * (log_n + GAP_LEVEL) / n_more;
            alone(m).min(gap.max(mean * log_n).max(LEAST_RATIO * next(m)))
        };
        let m = greatest(&needed);
        let least_prominence = needed(m).max(next(m)) / root;
        Self { least_prominence, chance: chance(m).0 / root }
    }
}

/// A link with the $\log f$ at which it joins its ends.
#[derive(Clone, Copy, Debug)]
struct Rated {
    level: f64,
    ends: [u32; 2],
}

impl Modes {
    /// Whether the density is smooth enough to say what prominences chance has.
    pub(crate) fn is_smooth(&self) -> bool {
        self.n_neighbours >= LEAST_FOR_GAP
    }

    /// The saddles of the modes that are significant, the densest first.
    pub(crate) fn significant(&self) -> impl Iterator<Item = &Saddle> {
        self.saddles.iter().filter(|saddle| saddle.prominence > self.least_prominence)
    }

    /// Points, or peaks as high as a link, and what the link joins them to.
    pub(crate) fn links(&self) -> impl Iterator<Item = [usize; 2]> {
        self.links.iter().map(|link| link.map(|end| end as usize))
    }

    /// Two peaks, the lower first; of equally high ones that with the greater number.
    pub(crate) fn lower_first(&self, a: usize, b: usize) -> (usize, usize) {
        let a_is_lower = (self.log_density[a], b) < (self.log_density[b], a);
        if a_is_lower { (a, b) } else { (b, a) }
    }

    /// The highest point of each component.
    pub(crate) fn highest(&self) -> Vec<usize> {
        let mut is_highest = vec![true; self.log_density.len()];
        self.saddles.iter().for_each(|saddle| is_highest[saddle.low] = false);
        self.links.iter().for_each(|link| is_highest[link[0] as usize] = false);
        (0..is_highest.len()).filter(|&at| is_highest[at]).collect()
    }

    /// Returns the partition into the most prominent modes, and their number of clusters; modes of equal prominence all count
    /// or none. Each component has a mode at least.
    pub(crate) fn labels(&self, n_clusters: usize) -> Labels {
        let mut prominences: Vec<f64> = self.saddles.iter().map(|saddle| saddle.prominence).collect();
        prominences.sort_by(|a, b| b.total_cmp(a));
        let n = self.log_density.len();
        let n_components = n - self.saddles.len() - self.links.len();
        let n_kept = n_clusters.saturating_sub(n_components);
        // Kept are those above the first that is not.
        let least = prominences.get(n_kept).copied().unwrap_or(0.0);
        self.labels_above(least)
    }

    /// The partition into the modes of a prominence above this.
    pub(crate) fn labels_above(&self, least: f64) -> Labels {
        let mut sets = DisjointSets::new(self.log_density.len());
        for &[a, b] in &self.links {
            sets.join(a as usize, b as usize);
        }
        for saddle in self.saddles.iter().filter(|saddle| saddle.prominence <= least) {
            sets.join(saddle.ends[0], saddle.ends[1]);
        }
        let roots: Vec<usize> = (0..self.log_density.len()).map(|i| sets.root(i)).collect();
        Labels::of_numbers(&roots)
    }
}

#[cfg(test)]
mod tests;
