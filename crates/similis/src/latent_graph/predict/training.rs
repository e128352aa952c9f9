//! Leave-one-out predictions of the points of the model themselves.

use crate::error::{Error, InputError};
use crate::graph::neighbours::Neighbours;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::predict::near::{GroupOf, Near, Searches, points_of};
use crate::latent_graph::predict::sparse::SparseSearch;
use crate::latent_graph::predict::{BeliefsOf, Prediction, Predictor, Row, TakenOut, Weighing};
use crate::latent_graph::search::score::varying::beliefs::Beliefs;
use crate::run::parallel::{self, vectorised};

/// Number of near points of its own cluster that decide whether a point stays. Not tuned.
const N_ASKED: usize = 3;

impl Predictor {
    /// Returns the leave-one-out prediction of each point of the model, the others being what they are: cheap memberships, by
    /// the rule of [`Predictor::predict_points`] with the point left out. `observed` is what the model was made of.
    ///
    /// Its cluster has one point less, and its links count as not observed: for the points it was linked to (for its whole
    /// cluster where scales do not vary) the scale is that of the others. The trees are not built again, the step and the
    /// unit stay.
    ///
    /// A point that is alone in its cluster belongs there with probability 1: there are M clusters, none of them empty, so
    /// the labels of the others leave no choice. Its log density is minus infinity.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] unless these are as many points as the model has.
    pub fn memberships(&self, observed: &Dissimilarity<'_>) -> Result<Prediction, Error> {
        let everyone: Vec<usize> = (0..self.n_points()).collect();
        self.memberships_of(observed, &everyone, &self.beliefs())
    }

    /// The beliefs about scales given the tree of each cluster.
    fn beliefs(&self) -> Vec<Beliefs<'_>> {
        let trees = self.parts.trees(self.n_classes());
        parallel::map(trees.len(), |class| {
            vectorised(BeliefsOf { grid: &self.grid, tree: &trees[class], kernel: &self.kernel })
        })
    }

    /// As [`Predictor::memberships`], of some of the points.
    fn memberships_of(
        &self,
        observed: &Dissimilarity<'_>,
        points: &[usize],
        beliefs: &[Beliefs<'_>],
    ) -> Result<Prediction, Error> {
        let (first, second) = (observed.n_points(), self.n_points());
        if first != second {
            return Err(Error::Input(InputError::LabelLengths { first, second }));
        }
        if observed.quantity() == Quantity::Similarities {
            return Err(Error::Input(InputError::NeedsDistances { purpose: "membership" }));
        }
        let groups = self.groups();
        if let Some(sparse) = observed.sparse_points() {
            let search = SparseSearch::new(sparse, &groups);
            let near = |i: usize| search.of_row(sparse.points().row(i), Some(i));
            return Ok(self.rows(points.len(), |at| self.row_of(points[at], || near(points[at]), beliefs)));
        }
        let Some(measured) = observed.points() else {
            let group = GroupOf::new(&groups, first);
            return Ok(self.rows(points.len(), |at| {
                self.row_of(points[at], || group.of_observed(observed, points[at]), beliefs)
            }));
        };
        let own = points_of(measured, &groups)?;
        let searches = Searches::new(&own, &groups, points.len());
        let near = |i: usize| searches.of_row(measured.points().row(i), Some(i));
        Ok(self.rows(points.len(), |at| self.row_of(points[at], || near(points[at]), beliefs)))
    }

    /// Returns the labels of those of some points that are noise or may become noise, by the rule of
    /// [`Predictor::memberships`]; all others stay where they are.
    ///
    /// The nearest neighbours of a point in its cluster give a lower bound on that probability; most points are so much more
    /// probable there than as noise that nothing else is computed. `neighbours` are those of all points.
    pub(crate) fn labels_in_doubt(
        &self,
        observed: &Dissimilarity<'_>,
        neighbours: &Neighbours,
        points: &[usize],
    ) -> Result<Vec<(usize, Option<usize>)>, Error> {
        let beliefs = self.beliefs();
        let stays = parallel::map(points.len(), |at| self.stays(points[at], neighbours, &beliefs));
        let doubtful: Vec<usize> =
            points.iter().zip(stays).filter_map(|(&i, stays)| (!stays).then_some(i)).collect();
        let labels = self.memberships_of(observed, &doubtful, &beliefs)?.labels;
        Ok(doubtful.into_iter().zip(labels).collect())
    }

    /// Returns the most probable cluster of some points, noise left aside.
    pub(crate) fn likeliest_clusters(
        &self,
        observed: &Dissimilarity<'_>,
        points: &[usize],
    ) -> Result<Vec<usize>, Error> {
        let said = self.memberships_of(observed, points, &self.beliefs())?;
        let likeliest = |at: usize| {
            let row = &said.row(at)[..self.n_classes()];
            (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best })
        };
        Ok((0..points.len()).map(likeliest).collect())
    }

    /// Whether a point's nearest neighbours in its cluster already make it more probable there than as noise.
    fn stays(&self, i: usize, neighbours: &Neighbours, beliefs: &[Beliefs<'_>]) -> bool {
        let Some(class) = self.parts.labels[i] else { return false };
        let own = neighbours.of(i).filter(|&(j, _)| self.parts.labels[j] == Some(class));
        let own: Vec<(f64, usize)> = own.take(N_ASKED).map(|(j, length)| (length, j)).collect();
        let nearest = neighbours.of(i).next().map(|(j, length)| (length, j));
        if own.is_empty() || self.members[class].len() < 2 {
            return self.members[class].len() < 2;
        }
        let out = self.left_out(i, beliefs);
        let as_noise = self.log_noise(&vec![nearest.into_iter().collect()], Some(&out));
        let in_class = self.log_class(&own, Some(&out));
        self.log_prior(self.members[class].len() - 1) + in_class
            > (self.noise.len() as f64 + 1.0).ln() + as_noise
    }

    /// The leave-one-out prediction of a point, given its nearest points.
    fn row_of(&self, i: usize, near: impl Fn() -> Near, beliefs: &[Beliefs<'_>]) -> Row {
        match self.parts.labels[i] {
            Some(class) if self.members[class].len() == 1 => self.certain(class),
            _ => {
                let (near, out) = (near(), self.left_out(i, beliefs));
                vectorised(Weighing { predictor: self, near: &near, left_out: Some(&out) })
            }
        }
    }

    /// A point of the model, and what changes for others if it is left out.
    #[inline(always)]
    fn left_out(&self, i: usize, beliefs: &[Beliefs<'_>]) -> TakenOut {
        let class = self.parts.labels[i];
        let leaves = class.map_or(Vec::new(), |class| {
            let members = &self.members[class];
            let own = members.binary_search(&i).unwrap_or(0);
            let changed = beliefs[class].leaves_without(own).into_iter();
            changed.map(|(at, leaf)| (members.get(at).copied().unwrap_or(usize::MAX), leaf)).collect()
        });
        let noise_length = self.noise.binary_search(&i).ok().map(|at| self.parts.noise_lengths[at]);
        TakenOut { class, noise_length, leaves }
    }

    /// The row of a point that is alone in its cluster.
    fn certain(&self, class: usize) -> Row {
        let mut probabilities = vec![0.0; self.n_columns()];
        probabilities[class] = 1.0;
        Row { probabilities, log_density: f64::NEG_INFINITY }
    }
}
