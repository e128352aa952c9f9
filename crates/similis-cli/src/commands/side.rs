//! Side information from files, and where in them its contradictions are.

use std::path::PathBuf;

use similis::{SideInformation, SoftPair};

use crate::args::ClusterArgs;
use crate::error::Error;
use crate::input::{Observed, read_known_labels};
use crate::io::pairs::{self, ListedPair};
use crate::memory;

/// A file of pairs.
#[derive(Default)]
struct Pairs {
    path: PathBuf,
    listed: Vec<ListedPair>,
}

impl Pairs {
    fn read(path: Option<&PathBuf>, observed: &Observed, memory_limit: Option<u64>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Self::default()) };
        let listed = pairs::read(path, observed.ids.as_deref(), observed.pairs.n_points(), memory_limit)?;
        Ok(Self { path: path.clone(), listed })
    }

    /// The pairs that are certain.
    fn points(&self) -> Vec<pairs::Pair> {
        let certain = self.listed.iter().filter(|listed| listed.probability.is_none());
        certain.map(|listed| listed.pair).collect()
    }

    /// The others, given what a pair with a probability is.
    fn soft(&self, pair: fn(usize, usize, f64) -> SoftPair) -> impl Iterator<Item = SoftPair> {
        let probable = move |listed: &ListedPair| {
            listed.probability.map(|probability| pair(listed.pair.0, listed.pair.1, probability))
        };
        self.listed.iter().filter_map(probable)
    }

    /// Where pairs of points are named, if they are.
    fn place(&self, wanted: &[[usize; 2]]) -> Option<String> {
        let named = |&[i, j]: &[usize; 2]| {
            let found = self.listed.iter().find(|listed| [(i, j), (j, i)].contains(&listed.pair));
            found.map(|listed| listed.line.to_string())
        };
        let lines: Vec<String> = wanted.iter().filter_map(named).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        (!lines.is_empty()).then(|| format!("{}, {word} {}", self.path.display(), lines.join(", ")))
    }
}

/// Side information, and the files it was read from.
pub(crate) struct Side {
    known_labels: Vec<Option<usize>>,
    must_link: Pairs,
    cannot_link: Pairs,
    weights: Vec<f64>,
}

impl Side {
    /// Reads the files that the arguments name.
    pub(crate) fn read(args: &ClusterArgs, observed: &Observed) -> Result<Self, Error> {
        let limit = memory::limit(args.run.work.memory_limit);
        Ok(Self {
            known_labels: known_labels(args, observed, limit)?,
            must_link: Pairs::read(args.must_link.as_ref(), observed, limit)?,
            cannot_link: Pairs::read(args.cannot_link.as_ref(), observed, limit)?,
            weights: observed.weights.clone(),
        })
    }

    pub(crate) fn information(&self) -> SideInformation {
        SideInformation {
            known_labels: self.known_labels.clone(),
            must_link: self.must_link.points(),
            cannot_link: self.cannot_link.points(),
            soft_pairs: {
                let apart = self.cannot_link.soft(SoftPair::apart);
                self.must_link.soft(SoftPair::together).chain(apart).collect()
            },
            weights: self.weights.clone(),
        }
    }

    /// The files and lines of the pairs that contradict.
    pub(super) fn places(&self, error: &similis::Error) -> Vec<String> {
        let rows = error.rows_of_pairs();
        let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Vec::new() };
        let all = || rows.iter().enumerate().flat_map(|(at, &i)| rows[..at].iter().map(move |&j| [j, i]));
        let cannot = match error {
            similis::Error::Constraints(similis::error::ConstraintError::MustLinkLabels { .. }) => Vec::new(),
            similis::Error::Constraints(similis::error::ConstraintError::CannotLinkClique { .. }) => {
                all().collect()
            }
            _ => vec![[first, last]],
        };
        let must: Vec<[usize; 2]> = match error {
            similis::Error::Constraints(
                similis::error::ConstraintError::MustLinkLabels { .. }
                | similis::error::ConstraintError::LinkContradiction { .. },
            ) => rows.windows(2).map(|pair| [pair[0], pair[1]]).collect(),
            _ => Vec::new(),
        };
        [self.cannot_link.place(&cannot), self.must_link.place(&must)].into_iter().flatten().collect()
    }
}

/// The known label of each point, none where no file names them.
fn known_labels(
    args: &ClusterArgs,
    observed: &Observed,
    memory_limit: Option<u64>,
) -> Result<Vec<Option<usize>>, Error> {
    let Some(path) = args.known_labels.as_deref() else { return Ok(Vec::new()) };
    read_known_labels(path, observed, memory_limit)
}
