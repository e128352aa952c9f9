//! Where chains start.

use crate::constraints::sizes::{Borders, SizeBounds};
use crate::error::{ConstraintError, Error, SettingError};
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::graph::spanning::of_clusters::cut_dearest;
use crate::input::labels::Labels;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::context::{Context, global_tree};
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::paper::Run;
use crate::latent_graph::search::score::members;
use crate::latent_graph::settings::LatentGraph;
use crate::latent_graph::settings::inference::{Inference, SearchSettings};
use crate::run::termination::Termination;
use crate::settings::n_clusters::NClusters;

/// The input of the choice of starts.
pub(crate) struct Starting<'a> {
    pub(crate) settings: &'a LatentGraph,
    pub(crate) task: Task<'a>,
    /// Bounds on the sizes of clusters.
    pub(crate) sizes: Option<SizeBounds>,
}

impl Starting<'_> {
    /// The forests that connect these partitions; those that need links that the support does not allow are left out.
    pub(crate) fn forests(&self, model: &Model<'_>, partitions: &[Labels]) -> Result<Vec<Vec<Link>>, Error> {
        let forest = |labels: &Labels| {
            let run = Run::from_labels(model, labels.as_slice(), labels.n_clusters(), self.task.constraints);
            let found = run.found_as_it_is(Termination::Converged);
            (found.n_forbidden() == 0).then(|| found.links.concat())
        };
        let mut forests: Vec<Vec<Link>> = partitions.iter().filter_map(forest).collect();
        if forests.is_empty() && self.sizes.is_none() && !self.task.constraints.is_informed() {
            // Every support contains the minimum spanning tree, as far as it is connected.
            forests.extend(forest(&self.cut(model, self.task.range.least)?));
        }
        Ok(forests)
    }

    /// The pairs that may be links, and the minimum spanning trees of all clusters of these partitions.
    ///
    /// # Errors
    ///
    /// Where the support is set, and so is not to be changed.
    pub(crate) fn support_with_trees(&self, partitions: &[Labels]) -> Result<Lengths<'_>, Error> {
        let Self { settings, task, .. } = *self;
        if settings.support.is_some() || task.observed.sparse().is_some() {
            return Err(if self.sizes.is_some() {
                Error::Constraints(ConstraintError::SizesNotMet)
            } else {
                Error::Settings(SettingError::NoStart)
            });
        }
        let context = Context::planned(task.observed, &settings.plan(task.observed), task.observer);
        let trees = ClassTrees::new(&context);
        let of = |labels: &Labels| {
            members(labels.as_slice()).iter().flat_map(|members| trees.of(members)).collect::<Vec<_>>()
        };
        let links: Vec<Link> = context.tree.iter().copied().chain(partitions.iter().flat_map(of)).collect();
        Ok(Lengths::nearest(task.observed, settings.support_neighbours, &links))
    }

    /// The partitions that chains start from, as different as those that are found.
    ///
    /// # Errors
    ///
    /// [`ConstraintError::SizesNotMet`] where none obeys the bounds on sizes.
    pub(crate) fn partitions(&self, model: &Model<'_>) -> Result<Vec<Labels>, Error> {
        let partitions = self.obeying(self.different(model)?);
        if partitions.is_empty() {
            Err(Error::Constraints(ConstraintError::SizesNotMet))
        } else {
            Ok(partitions)
        }
    }

    /// The partitions, changed so that they obey the bounds on sizes; without those that cannot.
    fn obeying(&self, partitions: Vec<Labels>) -> Vec<Labels> {
        let Some(sizes) = self.sizes else { return partitions };
        let Task { observed, constraints, observer, range, .. } = self.task;
        let borders = Borders::new(observed, observer);
        let asked = NClusters::Between(range.least, range.most);
        let asked = if range.least == range.most { NClusters::Exactly(range.least) } else { asked };
        let changed = partitions.iter().filter_map(|labels| {
            let found = sizes.made_to_obey(labels, asked, constraints, &borders);
            found.into_iter().find(|labels| (range.least..=range.most).contains(&labels.n_clusters()))
        });
        changed.collect()
    }

    /// Partitions to start from: the best that other inferences find, worse ones, and where the number of clusters is free
    /// one with few and one with many.
    fn different(&self, model: &Model<'_>) -> Result<Vec<Labels>, Error> {
        let found = self.found(model)?;
        let n_first = found.first().map_or(1, Labels::n_clusters);
        let n_chains = self.settings.sampling().n_chains;
        let spaced = |at: usize| found[at * (found.len() - 1) / (n_chains - 1).max(1)].clone();
        let mut starts: Vec<Labels> = (0..n_chains).map(spaced).collect();
        if self.task.range.least < self.task.range.most && !self.task.constraints.is_informed() {
            let many = (2 * n_first + 2).min(self.task.range.most);
            for (start, n_clusters) in starts.iter_mut().skip(1).zip([self.task.range.least, many]) {
                *start = self.cut(model, n_clusters)?;
            }
        }
        Ok(starts)
    }

    /// The partitions that the search finds, or restarts of the paper's algorithm where there is no search, best first.
    fn found(&self, model: &Model<'_>) -> Result<Vec<Labels>, Error> {
        let Self { settings, task, .. } = *self;
        if settings.likelihood == Likelihood::Exponential {
            let inference = Some(Inference::Search(SearchSettings::default()));
            let fit = LatentGraph { inference, ..*settings }.search(task)?;
            let others = fit.proposals.into_iter().skip(1).map(|other| other.labels);
            return Ok(std::iter::once(fit.labels).chain(others).collect());
        }
        let n_clusters = settings.estimated_number(task)?;
        let runs = settings.restarts(model, n_clusters, task.constraints, task.observer);
        let mut runs: Vec<_> = runs.into_iter().map(|run| (run.log_joint.total(), run.labels)).collect();
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(runs.into_iter().map(|(_, labels)| Labels::new(&labels)).collect())
    }

    /// The minimum spanning tree without its most expensive links.
    fn cut(&self, model: &Model<'_>, n_clusters: usize) -> Result<Labels, Error> {
        let order = model.weight(model.scale_step.update(&[])).order();
        let observed = self.task.observed;
        cut_dearest(&global_tree(observed, self.task.observer), observed.n_points(), n_clusters, &order)
    }
}
