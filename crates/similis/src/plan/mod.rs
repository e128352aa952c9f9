//! Everything that depends on how many points there are: the one place that compares a number of points with a constant.
//!
//! [`Plan`] says how much of each step of a search is done; the functions of `crossover` say from which size on one algorithm
//! replaces another that gives the same result, or an estimate. `docs/how/plan.md` shows the plan of 100 to 1,000,000 points; a
//! test compares that table with this module.

pub(crate) mod cost;
pub(crate) mod crossover;

#[cfg(test)]
mod tests;

/// Number of neighbours listed for each point in a whole search, and where there is no plan. Not tuned: the score looks at 5.
pub(crate) const N_LISTED: usize = 30;

/// Number of points up to which every start is built and refined one move at a time. `docs/evidence/scale.md` compares both
/// ways.
const MOST_WHOLE: usize = 3_000;

/// Number of points up to which density level sets, latent features, label propagation and three refinements are affordable in a
/// search that is not whole. Not tuned.
const MOST_WITH_FEATURES: usize = 5_000;

/// Number of points up to which a refinement takes all the rounds it needs. Not tuned.
const MOST_LONG_ROUNDS: usize = 20_000;

/// Number of points up to which every pair may be a link by default. Not tuned: the paper's choice, as long as $n^2$ is cheap.
const MOST_COMPLETE: usize = 2_000;

/// Number of points up to which the paper's algorithm is one of the starts of a search with one scale a cluster. Not tuned.
const MOST_PAPER_STARTS: usize = 300;

/// Number of points up to which starts to refine are also chosen without the random walk. Not tuned.
const MOST_WITHOUT_WALK: usize = 600;

/// Points times clusters up to which labels are smoothed. Not tuned: it bounds time and memory, $8 n M$ bytes.
const MOST_SMOOTHED: usize = 20_000_000;

/// Least and greatest number of points of a subsample, and the product of points and clusters in between. Not tuned.
const SUBSAMPLE: [usize; 2] = [1_000, 1_500];
const SUBSAMPLE_TIMES_CLUSTERS: usize = 6_000;

/// Least mean number of points of a cluster in a subsample. Not tuned.
const LEAST_PER_CLUSTER: usize = 20;

/// Components squared, times clusters, times points, up to which every component is tried in every cluster. Not tuned.
const MOST_COMPONENT_MOVES: usize = 200_000;

/// Least and greatest number of splits with merges that are scored in full, and the product of their number and the points in
/// between. Not tuned: with these none is missed on 200 planted inputs (a test).
const MOVES_SCORED: [usize; 2] = [8, 64];
const MOVES_SCORED_TIMES_POINTS: usize = 8_000;

/// Number of clusters above which only one linkage is looked at: such a graph has about as many components of a few nodes each, for
/// which all linkages agree. Not tuned.
const MANY_CLUSTERS: usize = 10_000;

/// Least number of points for which the escape rates of a random walk may rule out numbers of clusters: draws without structure
/// were looked at from this number on (`docs/evidence/number-and-noise.md`).
const LEAST_FOR_ESCAPES: usize = 100;

/// Most points over which a random walk is looked at; of more an even subsample is taken. Not tuned: thirty eigenpairs take a tenth
/// of the time of a search there.
const MOST_FOR_ESCAPES: usize = 3_000;

/// Most points from which modes are found; of more points given by coordinates an even subsample is taken. Not tuned:
/// a mode of a hundredth of the points has 100 of them there, as many as the density is estimated from.
const MOST_FOR_MODES: usize = 10_000;

/// Number of points in space up to which all are searched; of more an even sample of [`N_SAMPLED`] is.
/// `docs/evidence/scale.md`.
const MOST_SEARCHED: usize = 20_000;

/// Number of points of that sample: as many as modes are found from. `docs/evidence/scale.md`.
const N_SAMPLED: usize = MOST_FOR_MODES;

/// Nearest neighbours listed for each point where a sample is searched in place of all: they connect and smooth what was found.
/// With 15 the answers are the same (`docs/evidence/scale.md`).
const N_LISTED_AROUND_SAMPLE: usize = 10;

/// Least mean number of points of a cluster in it: with fewer, all points are searched. Not tuned.
const LEAST_IN_SAMPLE: usize = 50;

/// Least number of neighbours that the density at a point is estimated from. Not tuned.
const LEAST_FOR_DENSITY: usize = 10;

/// Which cuts of minimum spanning trees are starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linkages {
    /// By the likelihood alone.
    One,
    /// The five that were most often best.
    Few,
    /// All but the two that were seldom best.
    Most,
    /// All ten.
    All,
}

/// Which density level sets are starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Densities {
    /// None.
    None,
    /// Three levels of one core distance.
    Few,
    /// Nine levels and some cuts by core distance.
    All,
}

/// Which partitions by the latent feature model are starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spectral {
    /// None.
    None,
    /// The default affinity.
    Default,
    /// Three numbers of neighbours.
    Neighbours,
}

/// What the best partition of a subsample is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subsample {
    /// Nothing: none is searched.
    None,
    /// A start like the others.
    Start,
    /// The only start that is refined.
    OnlyRefined,
}

/// How long a refinement alternates between moves of points and of subtrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Most alternations.
    pub n_turns: usize,
    /// Passes over the points in each.
    pub n_passes: usize,
    /// Whether only leaves of a cluster's tree move alone: removing an inner point means reconnecting its subtrees.
    pub leaves_only: bool,
    /// Whether scales and gains are updated after every subtree that moves; otherwise one subtree of every cluster moves before
    /// they are.
    pub one_by_one: bool,
}

/// How much of each step a search does, for a number of points.
#[allow(clippy::struct_excessive_bools, reason = "each is a step that is done or not")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Number of points.
    pub n_points: usize,
    /// Whether every start is built and refined one move at a time.
    pub is_whole: bool,
    /// Nearest neighbours listed for each point.
    pub n_listed: usize,
    /// Whether every pair may be a link where the user does not say which.
    pub complete_support: bool,
    /// Cuts of minimum spanning trees.
    pub linkages: Linkages,
    /// Density level sets.
    pub densities: Densities,
    /// Partitions by the latent feature model.
    pub spectral: Spectral,
    /// Whether a mixture of Gaussians in classical-scaling space is a start.
    pub mixture: bool,
    /// Whether known labels are propagated.
    pub propagation: bool,
    /// The role of a subsample.
    pub subsample: Subsample,
    /// Whether the paper's algorithm is a start where it may be.
    pub paper_starts: bool,
    /// How many different starts are refined.
    pub n_refined: usize,
    /// Whether starts to refine are also chosen by the score without its random walk.
    pub chooses_without_walk: bool,
    /// How long each refinement takes.
    pub rounds: Rounds,
    /// Whether each refinement is repeated after a perturbation.
    pub perturbs: bool,
    /// How many numbers of clusters on each side of the best are searched.
    pub n_beside: usize,
}

impl Plan {
    /// Returns the plan for a number of points; with `whole` false, that of a search which is not whole, whatever the number.
    pub fn new(n_points: usize, whole: bool) -> Self {
        let is_whole = whole && n_points <= MOST_WHOLE;
        if is_whole {
            return Self {
                is_whole,
                n_listed: N_LISTED,
                linkages: Linkages::All,
                densities: Densities::All,
                spectral: Spectral::Neighbours,
                mixture: true,
                propagation: true,
                subsample: Subsample::None,
                n_refined: 3,
                chooses_without_walk: n_points <= MOST_WITHOUT_WALK,
                rounds: Rounds { n_turns: 4, n_passes: 10, leaves_only: false, one_by_one: true },
                perturbs: true,
                n_beside: 1,
                ..Self::large(n_points)
            };
        }
        Self::large(n_points)
    }

    /// The plan of a search that is not whole: time and memory grow about linearly.
    fn large(n_points: usize) -> Self {
        let medium = n_points <= MOST_WITH_FEATURES;
        let long = n_points <= MOST_LONG_ROUNDS;
        Self {
            n_points,
            is_whole: false,
            n_listed: 15,
            complete_support: n_points <= MOST_COMPLETE,
            linkages: if medium { Linkages::Most } else { Linkages::Few },
            densities: if medium { Densities::Few } else { Densities::None },
            spectral: if medium { Spectral::Default } else { Spectral::None },
            mixture: false,
            propagation: medium,
            subsample: if medium { Subsample::Start } else { Subsample::OnlyRefined },
            paper_starts: n_points <= MOST_PAPER_STARTS,
            n_refined: if medium { 3 } else { 1 },
            chooses_without_walk: false,
            rounds: if long {
                Rounds { n_turns: 8, n_passes: 4, leaves_only: false, one_by_one: false }
            } else {
                Rounds { n_turns: 2, n_passes: 1, leaves_only: true, one_by_one: false }
            },
            perturbs: medium,
            n_beside: 0,
        }
    }

    /// The plan of a search that only compares numbers of clusters.
    pub(crate) fn light(&self) -> Self {
        Self { n_refined: 1, perturbs: false, ..*self }
    }

    /// The plan where there are at least this number of clusters.
    pub(crate) fn of_many(&self, n_clusters: usize) -> Self {
        if !Self::is_many(n_clusters) {
            return *self;
        }
        Self { linkages: Linkages::One, n_refined: 0, perturbs: false, subsample: Subsample::None, ..*self }
    }

    /// Whether one linkage is looked at alone.
    pub(crate) fn is_many(n_clusters: usize) -> bool {
        n_clusters > MANY_CLUSTERS
    }

    /// The plan of what is done with all points where a sample of them is searched.
    pub(crate) fn around_sample(&self) -> Self {
        Self { n_listed: N_LISTED_AROUND_SAMPLE, ..*self }
    }

    /// Number of points from which modes are found.
    pub(crate) fn n_for_modes(n_points: usize) -> usize {
        n_points.min(MOST_FOR_MODES)
    }

    /// Whether the escape rates of a random walk over this number of points are looked at.
    pub(crate) fn escapes(n_points: usize) -> bool {
        n_points >= LEAST_FOR_ESCAPES
    }

    /// Number of points over which a random walk is looked at.
    pub(crate) fn n_for_escapes(n_points: usize) -> usize {
        n_points.min(MOST_FOR_ESCAPES)
    }

    /// Number of neighbours of all points that modes need, where these are more than the search lists.
    pub(crate) fn n_listed_for_modes(&self) -> Option<usize> {
        let longer = Self::n_for_density(self.n_points);
        Some(longer).filter(|&longer| self.n_points <= MOST_FOR_MODES && longer > self.n_listed)
    }

    /// Number of neighbours that the density at a point is estimated from, k: the root of the number of points, at least
    /// 10, and at most a quarter of the points.
    pub(crate) fn n_for_density(n_points: usize) -> usize {
        let root = (n_points as f64).sqrt().round() as usize;
        root.max(LEAST_FOR_DENSITY).min(n_points / 4)
    }

    /// Half as many neighbours, if that is enough to estimate a density from.
    pub(crate) fn half_for_density(n_neighbours: usize) -> Option<usize> {
        Some(n_neighbours / 2).filter(|&half| half >= LEAST_FOR_DENSITY)
    }

    /// Number of cuts of minimum spanning trees.
    pub fn n_linkages(&self) -> usize {
        match self.linkages {
            Linkages::One => 1,
            Linkages::Few => 5,
            Linkages::Most => 8,
            Linkages::All => 10,
        }
    }

    /// Number of affinities whose latent features are grouped.
    pub fn n_affinities(&self) -> usize {
        match self.spectral {
            Spectral::None => 0,
            Spectral::Default => 1,
            Spectral::Neighbours => 3,
        }
    }

    /// Number of points of the even sample that is searched in place of all, for this number of clusters at least; `None`
    /// where all points are.
    pub fn sample_size(&self, n_clusters: usize) -> Option<usize> {
        let seen = LEAST_IN_SAMPLE.saturating_mul(n_clusters) <= N_SAMPLED;
        Some(N_SAMPLED).filter(|_| self.n_points > MOST_SEARCHED && seen)
    }

    /// Number of points of the subsample for this number of clusters; `None` where that would be too few for each.
    pub fn subsample_size(&self, n_clusters: usize) -> Option<usize> {
        let [least, most] = SUBSAMPLE;
        let size = (SUBSAMPLE_TIMES_CLUSTERS / n_clusters).clamp(least, most).min(self.n_points / 2);
        let wanted = n_clusters > 1 && self.subsample != Subsample::None;
        (wanted && size >= LEAST_PER_CLUSTER * n_clusters).then_some(size)
    }

    /// Whether labels of this number of clusters may be smoothed.
    pub fn may_smooth(&self, n_clusters: usize) -> bool {
        self.is_whole || self.n_points.saturating_mul(n_clusters) <= MOST_SMOOTHED
    }

    /// Number of splits with merges whose score is computed, of all that an estimate has put in order.
    pub fn n_moves_scored(&self) -> usize {
        (MOVES_SCORED_TIMES_POINTS / self.n_points.max(1)).clamp(MOVES_SCORED[0], MOVES_SCORED[1])
    }

    /// Whether the subsample's labels are smoothed in both ways, and not in the first alone.
    pub fn smooths_twice(&self) -> bool {
        self.n_points <= MOST_LONG_ROUNDS
    }

    /// Whether every component of every cluster may be tried in every other cluster.
    pub fn may_move_components(&self, n_components: usize, n_clusters: usize) -> bool {
        let tried = n_components.saturating_mul(n_components).saturating_mul(n_clusters * self.n_points);
        self.is_whole && tried <= MOST_COMPONENT_MOVES
    }
}

impl std::fmt::Display for Plan {
    /// One line: how many of each kind of start are built, and how many are refined.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(size) = self.sample_size(1) {
            let (n, size) = (thousands(self.n_points), thousands(size));
            return write!(out, "{n} points: a search of {size}, extended to all");
        }
        write!(out, "{} points: {} linkages", thousands(self.n_points), self.n_linkages())?;
        out.write_str(match self.densities {
            Densities::None => "",
            Densities::Few => ", 3 density levels",
            Densities::All => ", all density levels",
        })?;
        match self.n_affinities() {
            0 => {}
            1 => out.write_str(", latent features by 1 affinity")?,
            n => write!(out, ", latent features by {n} affinities")?,
        }
        if self.subsample != Subsample::None {
            write!(out, ", a subsample of up to {}", thousands(SUBSAMPLE[1]))?;
        }
        let refinements = if self.n_refined == 1 { "refinement" } else { "refinements" };
        write!(out, "; {} {refinements}", self.n_refined)?;
        out.write_str(if self.perturbs { ", each repeated after a perturbation" } else { "" })
    }
}

/// A number with a comma after every third digit from the right.
fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}
