//! Items that are out of the ordinary.

use similis::Error;
use similis::latent_graph::outlier_scores;

use super::Study;
use super::map::Marks;
use crate::plot::Detail;

/// Items with a lower outlier score have no ring: 0.9 is a place ten times less probable than that of a typical item. Not tuned.
const LEAST_RINGED: f64 = 0.9;

/// What the picture shows.
pub(super) const CAPTION: &str =
    "Ringed: items whose place is at least ten times less probable than that of a typical item.";

/// How far out of the ordinary each item is.
#[derive(Clone, Debug, PartialEq)]
pub struct Outliers {
    /// The log density of each item, left out of the model.
    pub log_density: Vec<f64>,
    /// From 0, ordinary, to 1: see [`outlier_scores`].
    pub scores: Vec<f64>,
}

impl Study<'_> {
    /// Returns how far out of the ordinary each item is.
    ///
    /// # Errors
    ///
    /// Those of [`Study::memberships`].
    pub fn outlier_scores(&self) -> Result<Outliers, Error> {
        let log_density = self.memberships()?.log_density.clone();
        Ok(Outliers { scores: outlier_scores(&log_density, &log_density), log_density })
    }

    /// The points, those ringed that are out of the ordinary; nothing of similarities.
    pub(super) fn outliers(&self, detail: Detail) -> Result<Option<String>, Error> {
        let Ok(found) = self.outlier_scores() else { return Ok(None) };
        let ring = |score: &f64| (score - LEAST_RINGED).max(0.0) / (1.0 - LEAST_RINGED);
        let rings: Vec<f64> = found.scores.iter().map(ring).collect();
        let marks = Marks { doubts: &rings, ..Marks::default() };
        self.scatter_of(detail, &[], marks, "rings: outlier score above 0.9, the thicker the higher; ")
            .map(Some)
    }
}
