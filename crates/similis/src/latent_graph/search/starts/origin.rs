//! The origin of a partition, in words.

use std::fmt::{Display, Formatter, Result};

use crate::latent_graph::search::starts::linkage::Balance;
use crate::latent_graph::settings::inference::{SearchPart, SearchParts};

/// The origin of a partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// How it was made.
    pub origin: Origin,
    /// How it was smoothed, if it was.
    pub smoothing: Option<Smoothing>,
    /// Whether it was built from side information; otherwise it was only repaired to obey it.
    pub obeying: bool,
}

/// How a partition was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// Likelihood linkage: links of a tree were contracted in the order of the gain in log joint.
    Linkage {
        /// How strongly components of similar sizes are preferred.
        balance: Balance,
        /// The neighbour that mutual reachability counts by; `None`: the tree is that of the distances.
        core: Option<usize>,
    },
    /// Balanced linkage: links of a tree were contracted by length, smallest components first where sizes are too unequal.
    Balanced {
        /// The Gini index of sizes above which the smallest components come first.
        most_unequal: f64,
        /// As of `Linkage`.
        core: Option<usize>,
    },
    /// By the latent feature model.
    Features {
        /// How many neighbours the affinity links.
        n_neighbours: usize,
    },
    /// Density level set: the largest connected components of the densest points, and the rest.
    Level {
        /// The neighbour whose distance is the core distance.
        core: usize,
        /// The fraction of the points that counts as dense.
        quantile: f64,
    },
    /// The basins of the most prominent modes of the density.
    Modes {
        /// The neighbour whose distance is the measure of density.
        n_neighbours: usize,
    },
    /// The clusters of the condensed tree of mutual reachability with the greatest excess of mass.
    Mass {
        /// The neighbour whose distance is the core distance.
        core: usize,
    },
    /// A mixture of Gaussians in classical-scaling space: the latent feature model of the centred Gram matrix.
    Mixture {
        /// Number of dimensions of that space.
        n_dimensions: usize,
    },
    /// Points sorted by the distance of a neighbour, and cut.
    Spacing {
        /// The neighbour whose distance is the core distance.
        core: usize,
        /// 0: as many points in each cluster; otherwise the number of the draw.
        draw: u64,
    },
    /// By the algorithm box of section 3.3.
    Printed {
        /// The number of the restart.
        restart: usize,
    },
    /// Label propagation from the constrained points to their neighbours.
    Spread {
        /// Number of neighbours of a point to which its label propagates.
        n_neighbours: usize,
    },
    /// The best partition of a subsample, propagated to all points.
    Sample {
        /// Size of the subsample.
        n_points: usize,
    },
}

/// How labels are smoothed: by Eq. (9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smoothing {
    /// How many cluster mates of a point count (K).
    pub n_neighbours: usize,
    /// The power of lengths that is exponential (m).
    pub shape: i32,
}

impl Start {
    /// A partition as its origin left it, which knew of no side information.
    pub(crate) fn of(origin: Origin) -> Self {
        Self { origin, smoothing: None, obeying: false }
    }
}

impl Origin {
    /// Whether such partitions are not left out.
    pub(crate) fn is_part_of(self, parts: SearchParts) -> bool {
        match self {
            Self::Features { .. } => parts.has(SearchPart::Features),
            Self::Modes { .. } => parts.has(SearchPart::Modes),
            Self::Mixture { .. } => parts.has(SearchPart::Mixtures),
            Self::Mass { .. } => parts.has(SearchPart::ExcessOfMass),
            _ => true,
        }
    }
}

impl Display for Start {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        self.origin.fmt(out)?;
        out.write_str(if self.obeying { ", obeying" } else { "" })?;
        match self.smoothing {
            None => Ok(()),
            Some(Smoothing { n_neighbours, shape: 1 }) => write!(out, ", smoothed by {n_neighbours}"),
            Some(Smoothing { n_neighbours, shape }) => {
                write!(out, ", smoothed by {n_neighbours} (power {shape})")
            }
        }
    }
}

impl Display for Origin {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match *self {
            Self::Linkage { balance, core } => {
                out.write_str("likelihood linkage")?;
                if let Balance::Kappa(kappa) = balance {
                    write!(out, ", balance {kappa}")?;
                }
                write_core(core, out)
            }
            Self::Balanced { most_unequal, core } => {
                write!(out, "balanced linkage {most_unequal}")?;
                write_core(core, out)
            }
            Self::Features { n_neighbours } => write!(out, "latent features, {n_neighbours} neighbours"),
            Self::Level { core, quantile } => write!(out, "density level {quantile:.2}, {core} neighbours"),
            Self::Modes { n_neighbours } => write!(out, "modes of the density, {n_neighbours} neighbours"),
            Self::Mass { core } => write!(out, "excess of mass, {core} neighbours"),
            Self::Mixture { n_dimensions } => write!(out, "mixture of Gaussians, {n_dimensions} dimensions"),
            Self::Spacing { core, draw: 0 } => write!(out, "equal parts by spacing, {core} neighbours"),
            Self::Spacing { core, draw } => write!(out, "parts by spacing, draw {draw}, {core} neighbours"),
            Self::Printed { restart } => write!(out, "printed algorithm, restart {restart}"),
            Self::Spread { n_neighbours } => {
                write!(out, "side information spread to {n_neighbours} neighbours")
            }
            Self::Sample { n_points } => write!(out, "search of {n_points} points"),
        }
    }
}

fn write_core(core: Option<usize>, out: &mut Formatter<'_>) -> Result {
    core.map_or(Ok(()), |core| write!(out, ", reachability {core}"))
}
