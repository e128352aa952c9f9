//! The settings of a score, and the score of given labels.

use crate::error::{Error, SettingError};
use crate::graph::canonical::Canonical;
use crate::graph::canonical::different::Different;
use crate::graph::shared::reordered;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::score::varying::STEPS;
use crate::latent_graph::search::score::{PartitionScore, Scorer, check_partition};
use crate::latent_graph::settings::inference::{Scales, Score, ScoreSettings};
use crate::run::observer::Observer;

impl ScoreSettings {
    /// Returns the score of a partition of the observed points.
    ///
    /// ```
    /// use similis::latent_graph::ScoreSettings;
    /// use similis::{Dissimilarity, Labels, Metric, Points, Silent};
    /// let places: Vec<f64> = (0..20).map(|i| f64::from(i) + if i < 10 { 0.0 } else { 50.0 }).collect();
    /// let pairs = Dissimilarity::from_points(Points::new(places, 20, 1)?, Metric::Euclidean)?;
    /// let halves: Vec<bool> = (0..20).map(|i| i < 10).collect();
    /// let thirds: Vec<bool> = (0..20).map(|i| i < 7).collect();
    /// let score = |names: &[bool]| ScoreSettings::default().score(&pairs, &Labels::new(names), &Silent);
    /// assert!(score(&halves)?.total() > score(&thirds)?.total());
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`], [`Error::Settings`], and [`Error::Input`] unless there is a label for each
    /// point.
    pub fn score(
        &self,
        observed: &Dissimilarity<'_>,
        labels: &Labels,
        observer: &dyn Observer,
    ) -> Result<PartitionScore, Error> {
        self.check()?;
        check_partition(observed, labels)?;
        // Equal points of a cluster count as one, as in a search.
        match Different::in_clusters(observed, labels) {
            Some(Different { firsts, weights, .. }) => {
                let own: Vec<usize> = firsts.iter().map(|&i| labels.as_slice()[i]).collect();
                self.score_of(&observed.restricted(&firsts)?, &Labels::new(&own), &weights, observer)
            }
            None => self.score_of(observed, labels, &[], observer),
        }
    }

    /// The score of a partition of points with weights.
    fn score_of(
        &self,
        observed: &Dissimilarity<'_>,
        labels: &Labels,
        weights: &[f64],
        observer: &dyn Observer,
    ) -> Result<PartitionScore, Error> {
        // Ties are broken by numbers: in the canonical order the score does not depend on the order of rows.
        let canonical = Canonical::new(observed, weights).with_clusters(labels);
        let own = if canonical.is_given() { None } else { Some(reordered(observed, &canonical.order)?) };
        let weights: Vec<f64> = canonical.order.iter().filter_map(|&i| weights.get(i).copied()).collect();
        let context = Context::new(own.as_ref().unwrap_or(observed), observer).joining().weighted(&weights);
        let here = canonical.labels(labels);
        let mut score = Scorer::new(*self, &context).score(here.as_slice());
        let (_, clusters) = canonical.restored(&here);
        score.classes = clusters.iter().map(|&cluster| score.classes[cluster]).collect();
        Ok(score)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let settings = [
            ("walk_weight", self.walk_weight),
            ("valley_weight", self.valley_weight),
            ("step", self.step.unwrap_or(0.0)),
            ("shape", self.shape),
        ];
        let good = |setting: &str, given: f64| {
            given.is_finite() && given >= 0.0 && (setting != "shape" || given > 0.0)
        };
        match settings.into_iter().find(|&(setting, given)| !good(setting, given)) {
            Some((setting, given)) => Err(Error::Settings(SettingError::ScoreSetting { setting, given })),
            None => Ok(()),
        }
    }

    /// The steps that the evidence is the mean over.
    pub(crate) fn steps(&self) -> Vec<f64> {
        match (self.score, self.scales, self.step) {
            (Score::AllTrees, _, _) | (_, Scales::PerClass, _) => vec![0.0],
            (_, _, Some(step)) => vec![step],
            (_, _, None) => STEPS.to_vec(),
        }
    }
}
