//! The points of the model themselves, each taken out of it first.

use crate::error::Error;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::predict::near::{GroupOf, Near, Searches, points_of};
use crate::latent_graph::predict::{Prediction, Predictor, Row, TakenOut};
use crate::latent_graph::search::score::varying::beliefs::Beliefs;

impl Predictor {
    /// Returns where each point of the model would belong if it were new, the others being what they are: cheap memberships,
    /// by the rule of [`Predictor::predict_points`] with the point taken out. `observed` is what the model was made of.
    ///
    /// Its class has a point less, and its links count as not observed: for the points it was linked to (for all of its class
    /// where scales do not vary) the scale is what the others say. The trees are not built anew, the step and the unit stay.
    ///
    /// A point that is alone in its class belongs there with probability 1: there are M classes, none of them empty, so
    /// the labels of the others leave no choice. Its log density is minus infinity.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsDistances`], [`Error::LabelLengths`] unless these are as many points as the model has.
    pub fn memberships(&self, observed: &Dissimilarity<'_>) -> Result<Prediction, Error> {
        let (first, second) = (observed.n_points(), self.n_points());
        if first != second {
            return Err(Error::LabelLengths { first, second });
        }
        if observed.quantity() == Quantity::Similarities {
            return Err(Error::NeedsDistances { purpose: "membership" });
        }
        let groups = self.groups();
        let Some(points) = observed.points() else {
            let group = GroupOf::new(&groups, first);
            return Ok(self.each_taken_out(|i| group.of_observed(observed, i)));
        };
        let own = points_of(points, &groups)?;
        let searches = Searches::new(&own, &groups, first);
        Ok(self.each_taken_out(|i| searches.of_row(points.points().row(i), Some(i))))
    }

    fn each_taken_out(&self, near: impl Fn(usize) -> Near + Sync + Send) -> Prediction {
        let trees = self.parts.trees(self.n_classes());
        let beliefs = crate::run::parallel::map(trees.len(), |class| {
            Beliefs::new(&self.grid, &trees[class], &self.kernel)
        });
        self.rows(self.n_points(), |i| {
            let class = self.parts.labels[i];
            let members = class.map(|class| &self.members[class]);
            if let (Some(class), Some([_])) = (class, members.map(Vec::as_slice)) {
                return self.certain(class);
            }
            let leaves = class.zip(members).map_or(Vec::new(), |(class, members)| {
                let own = members.binary_search(&i).unwrap_or(0);
                let changed = beliefs[class].leaves_without(own).into_iter();
                changed.map(|(at, leaf)| (members.get(at).copied().unwrap_or(usize::MAX), leaf)).collect()
            });
            let noise_length = self.noise.binary_search(&i).ok().map(|at| self.parts.noise_lengths[at]);
            self.weigh(&near(i), Some(&TakenOut { class, noise_length, leaves }))
        })
    }

    /// The row of a point that is alone in its class.
    fn certain(&self, class: usize) -> Row {
        let mut probabilities = vec![0.0; self.n_columns()];
        probabilities[class] = 1.0;
        Row { probabilities, log_density: f64::NEG_INFINITY }
    }
}
