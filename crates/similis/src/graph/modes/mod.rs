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

/// Their mean prominence in one dimension, in standard errors; in d dimensions it is divided by d. From draws of 300 to 3,000
/// points: 1.0 to 1.8 along lines and rings, 0.5 to 0.9 in squares and cubes.
const EXPECTED: f64 = 1.4;

/// The logarithm of 20: one in twenty inputs without modes may have one.
const LEVEL: f64 = 2.995_732_273_553_991;

/// Ratio of the last significant prominence to the next. Not tuned.
const GAP: f64 = 1.2;

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
    /// Prominences above this are significant: see [`least_prominence`].
    pub(crate) least_prominence: f64,
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
}

impl Density<'_> {
    /// The logarithm of the distance of the k-th neighbour, and how many neighbours that is: fewer where fewer are listed.
    fn log_radius(&self, i: usize, k: usize) -> Option<(f64, usize)> {
        let (at, (_, radius)) = self.neighbours.of(i).take(k).enumerate().last()?;
        Some((radius.max(self.floor).ln(), at + 1))
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
        let log = |(log_radius, k): (f64, usize)| (k as f64).ln() - dimension * log_radius;
        parallel::map(self.neighbours.n_points(), |i| {
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
        let sizes = (log_density.len(), self.n_neighbours);
        let least_prominence = least_prominence(prominences, sizes, EXPECTED / dimension);
        Modes { n_neighbours: self.n_neighbours, dimension, log_density, saddles, least_prominence, links }
    }

    /// The links, densest first; of equally dense ones first that to the denser point.
    fn densest_first(&self, dimension: f64, log_density: &[f64]) -> Vec<Rated> {
        let listed = |from: usize| {
            let link = move |(to, length): (usize, f64)| Link { from, to, length };
            self.neighbours.of(from).take(N_LINKED).map(link)
        };
        let all = (0..log_density.len()).flat_map(listed).chain(self.tree.iter().copied());
        let log_k = (self.n_neighbours as f64).ln();
        let rated = |link: Link| {
            let own = log_k - dimension * link.length.max(self.floor).ln();
            let level = log_density[link.from].min(log_density[link.to]).min(own);
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

/// Returns the prominence that significant modes exceed, given all prominences. Those of chance are what the data themselves
/// say they are: the bulk of the small ones.
///
/// The m most prominent modes are significant, in standard errors $z = p \sqrt{k}$, if the last of them has
///
/// $$ z_m > \sqrt{2 \log (n / k)} + 1, \qquad z_m > \mu (\log K + \log 20), \qquad z_m > 1.2 \, z_{m+1} $$
///
/// The first is what n / k separate places give by chance in a cloud: the highest of n / k normal errors, and one standard
/// error of the saddle. The second is the highest of K exponential prominences of mean $\mu$, at the level of 5%; K and
/// $\mu$ are those of the modes that are less prominent than the m-th, [`N_EXPECTED`] modes of the mean `expected` counted
/// with them: along a curve no path goes around a chance gap, and prominences by chance are twice as high as in a cloud. The
/// third asks for a gap between them and the rest: where the density is rough, as along many a curve, the prominences fall
/// off without one. m is the greatest number that qualifies.
fn least_prominence(
    mut prominences: Vec<f64>,
    (n_points, n_neighbours): (usize, usize),
    expected: f64,
) -> f64 {
    let root = (n_neighbours as f64).sqrt();
    let places = (n_points as f64 / n_neighbours as f64).max(1.0);
    let by_chance = (2.0 * places.ln()).sqrt() + 1.0;
    prominences.sort_by(|a, b| b.total_cmp(a));
    let all: Vec<f64> = prominences.iter().map(|prominence| prominence * root).collect();
    let below = |m: usize| all.get(m).copied().unwrap_or(0.0);
    let needed = |m: usize| by_chance.max(highest_of(&all[m..], expected)).max(GAP * below(m));
    match (1..=all.len()).rev().find(|&m| all[m - 1] > needed(m)) {
        Some(m) => needed(m).max(below(m)) / root,
        None => needed(0).max(below(0)) / root,
    }
}

/// What the highest of some exponential prominences hardly exceeds, in standard errors.
fn highest_of(prominences: &[f64], expected: f64) -> f64 {
    let n = prominences.len() as f64 + N_EXPECTED;
    let mean = (prominences.iter().sum::<f64>() + N_EXPECTED * expected) / n;
    mean * (n.ln() + LEVEL)
}

/// A link with the $\log f$ at which it joins its ends.
#[derive(Clone, Copy, Debug)]
struct Rated {
    level: f64,
    ends: [u32; 2],
}

impl Modes {
    /// The saddles of the modes that are significant, the densest first.
    pub(crate) fn significant(&self) -> impl Iterator<Item = &Saddle> {
        self.saddles.iter().filter(|saddle| saddle.prominence > self.least_prominence)
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
        Labels::new(&roots)
    }
}

#[cfg(test)]
mod tests;
