//! The parts of a predictor, which a file stores.

use crate::error::{Error, InputError, ModelError};
use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::input::metric::sparse::MeasuredSparse;
use crate::input::metric::{MeasuredPoints, Metric};
use crate::input::points::{Points, check_n_points};
use crate::input::sparse_points::SparsePoints;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::model::prior::SizePrior;
use crate::latent_graph::search::score::varying::ScaleGrid;
use crate::latent_graph::search::score::varying::noise_scale::noise_lengths;
use crate::latent_graph::settings::inference::ScoreSettings;
use crate::run::observer::Silent;
use crate::run::parallel;

/// Greatest shape of link lengths that a model may have. A guard against overflow; not tuned.
const MOST_SHAPE: f64 = 1e6;

/// The parts of a [`Predictor`](crate::latent_graph::predict::Predictor) as plain data, which a file stores.
///
/// They may hold anything: a [`Predictor`](crate::latent_graph::predict::Predictor) is made of them only if they are valid.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorParts {
    /// The cluster of each point, 0, 1, ..; `None` is noise.
    pub labels: Vec<Option<usize>>,
    /// The links of the clusters' trees. NaN is the length of a link that says nothing, where the observed pairs do not join a
    /// cluster.
    pub links: Vec<Link>,
    /// The mean link of the minimum spanning tree, above 0: scales are in units of it.
    pub unit: f64,
    /// The least length of a link, in that unit; above 0.
    pub floor: f64,
    /// The shape $m$ of link lengths, above 0 and at most a million.
    pub shape: f64,
    /// Standard deviation of the change of $\log s$ from a point to its neighbour ($\tau$), 0 or more.
    pub step: f64,
    /// Whether sizes of clusters and numbers of trees count.
    pub size_prior: SizePrior,
    /// The length of each noise point's link, in the order of the points; NaN where it was not observed.
    pub noise_lengths: Vec<f64>,
    /// Whether an item may be noise; so it is where a label is `None`.
    pub noise: bool,
    /// The points, where there are any: otherwise only distances tell where a new item belongs.
    pub points: Option<MeasuredPoints<'static>>,
    /// The points, where they are sparse.
    pub sparse_points: Option<MeasuredSparse>,
}

impl PredictorParts {
    /// Returns the parts of the predictor of a partition: see [`Predictor::new`](crate::latent_graph::predict::Predictor::new).
    ///
    /// # Errors
    ///
    /// [`Error::Input`], [`Error::Settings`], [`Error::Input`] unless there is a label for each point,
    /// [`Error::Model`] for a shape above a million.
    pub fn new(
        observed: &Dissimilarity<'_>,
        labels: &[Option<usize>],
        settings: &ScoreSettings,
        noise: bool,
    ) -> Result<Self, Error> {
        settings.check()?;
        let (first, second) = (observed.n_points(), labels.len());
        if first != second {
            return Err(Error::Input(InputError::LabelLengths { first, second }));
        }
        if observed.quantity() == Quantity::Similarities {
            return Err(Error::Input(InputError::NeedsDistances { purpose: "prediction" }));
        }
        let context = Context::without_neighbours(observed, &Silent);
        let ScaleGrid { unit, floor, shape, .. } = ScaleGrid::new(&context, settings.shape);
        let noise = noise || labels.contains(&None);
        let points = observed.points().map(MeasuredPoints::to_owned);
        let parts = Self {
            labels: labels.to_vec(),
            links: Vec::new(),
            unit,
            floor,
            shape,
            step: 0.0,
            size_prior: settings.size_prior,
            noise_lengths: noise_lengths(&context.tree, labels),
            noise,
            points,
            sparse_points: observed.sparse_points().cloned(),
        };
        parts.check_numbers()?;
        let n_classes = parts.check_labels()?;
        Ok(parts.with_trees(&context, n_classes, &settings.steps()))
    }

    /// Fills in the trees, and the likeliest of some steps given them.
    fn with_trees(self, context: &Context<'_>, n_classes: usize, steps: &[f64]) -> Self {
        let class_trees = ClassTrees::new(context);
        // A forbidden link becomes an unobserved one, which says nothing about scales.
        let silent = |link: Link| Link {
            length: if link.length.is_finite() { link.length } else { f64::NAN },
            ..link
        };
        let (grid, members) = (self.grid(), self.members(n_classes));
        let trees = parallel::map(n_classes, |class| {
            // A lone point needs no look at all links.
            let own = &members[class];
            let tree = if own.len() > 1 { class_trees.of(own) } else { Vec::new() };
            let tree: Vec<Link> = tree.into_iter().map(silent).collect();
            let per_step = grid.log_evidence(&tree, steps);
            (tree, per_step)
        });
        let at_step = |step: usize| trees.iter().map(|(_, per_step)| per_step[step]).sum::<f64>();
        let best =
            (1..steps.len()).fold(0, |best, step| if at_step(step) > at_step(best) { step } else { best });
        let links = trees.iter().flat_map(|(tree, _)| tree).copied().collect();
        Self { links, step: steps[best], ..self }
    }

    /// Returns points that were kept: coordinates as [`MeasuredPoints::points`] gave them, and [`MeasuredPoints::unit`].
    ///
    /// # Errors
    ///
    /// [`Error::Model`] unless the unit is finite and above 0, [`Error::Input`].
    pub fn kept_points(
        points: Points<'static>,
        metric: Metric,
        unit: f64,
    ) -> Result<MeasuredPoints<'static>, Error> {
        check_number("the unit of the points", unit, unit.is_finite() && unit > 0.0)?;
        MeasuredPoints::of_prepared(points, metric, unit)
    }

    /// As [`PredictorParts::kept_points`], of sparse points.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] unless the unit is finite and above 0, [`Error::Input`].
    pub fn kept_sparse_points(
        points: SparsePoints,
        metric: Metric,
        unit: f64,
    ) -> Result<MeasuredSparse, Error> {
        check_number("the unit of the points", unit, unit.is_finite() && unit > 0.0)?;
        MeasuredSparse::of_prepared(points, metric, unit)
    }

    /// Number of columns of the points, where there are any.
    pub fn n_dimensions(&self) -> Option<usize> {
        let dense = self.points.as_ref().map(|points| points.points().n_dimensions());
        dense.or_else(|| self.sparse_points.as_ref().map(|points| points.points().n_dimensions()))
    }

    pub(crate) fn grid(&self) -> ScaleGrid {
        ScaleGrid { unit: self.unit, floor: self.floor, shape: self.shape, log_join: f64::NEG_INFINITY }
    }

    /// The points of each cluster, rising.
    pub(crate) fn members(&self, n_classes: usize) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); n_classes];
        let labelled = self.labels.iter().enumerate().filter_map(|(i, label)| label.map(|class| (i, class)));
        labelled.for_each(|(i, class)| members[class].push(i));
        members
    }

    /// The links of each cluster.
    pub(crate) fn trees(&self, n_classes: usize) -> Vec<Vec<Link>> {
        let mut trees = vec![Vec::new(); n_classes];
        for link in &self.links {
            if let Some(class) = self.labels[link.from] {
                trees[class].push(*link);
            }
        }
        trees
    }

    /// Returns the number of clusters if all parts are valid.
    pub(crate) fn check(&self) -> Result<usize, Error> {
        self.check_numbers()?;
        let n_classes = self.check_labels()?;
        self.check_links(n_classes)?;
        self.check_noise()?;
        let n_points = self.labels.len();
        let dense = self.points.as_ref().map(MeasuredPoints::n_points);
        match dense.or_else(|| self.sparse_points.as_ref().map(MeasuredSparse::n_points)) {
            Some(given) if given != n_points => {
                Err(Error::Model(ModelError::ModelPoints { given, n_points }))
            }
            _ => Ok(n_classes),
        }
    }

    fn check_numbers(&self) -> Result<(), Error> {
        let positive = |given: f64| given.is_finite() && given > 0.0;
        check_number("unit", self.unit, positive(self.unit))?;
        check_number("floor", self.floor, positive(self.floor))?;
        check_number("shape", self.shape, positive(self.shape) && self.shape <= MOST_SHAPE)?;
        check_number("step", self.step, self.step.is_finite() && self.step >= 0.0)
    }

    fn check_labels(&self) -> Result<usize, Error> {
        let n_points = self.labels.len();
        check_n_points(n_points)?;
        let last =
            self.labels.iter().flatten().max().ok_or(Error::Model(ModelError::NoClasses { n_points }))?;
        // There cannot be more clusters than points: no memory is allocated for numbers that a damaged file has.
        let n_classes = (*last).min(n_points) + 1;
        let mut is_met = vec![false; n_classes];
        self.labels
            .iter()
            .flatten()
            .filter(|&&class| class < n_classes)
            .for_each(|&class| is_met[class] = true);
        match is_met.iter().position(|is_met| !is_met) {
            Some(class) => Err(Error::Model(ModelError::EmptyClass { class })),
            None => Ok(n_classes),
        }
    }

    fn check_links(&self, n_classes: usize) -> Result<(), Error> {
        let class = |i: usize| self.labels.get(i).copied().flatten();
        let is_sound = |link: &Link| {
            let joined = class(link.from).is_some() && class(link.from) == class(link.to);
            joined
                && link.from != link.to
                && (link.length.is_nan() || link.length.is_finite() && link.length >= 0.0)
        };
        if let Some(link) = self.links.iter().find(|link| !is_sound(link)) {
            return Err(Error::Model(ModelError::ModelLink {
                from: link.from,
                to: link.to,
                length: link.length,
            }));
        }
        let n_noise = self.labels.iter().filter(|label| label.is_none()).count();
        let (given, expected) = (self.links.len(), self.labels.len() - n_noise - n_classes);
        let joined = components(self.labels.len(), self.links.iter().copied()).n_clusters();
        if given == expected && joined == n_classes + n_noise {
            Ok(())
        } else {
            Err(Error::Model(ModelError::ModelLinks { given, expected }))
        }
    }

    fn check_noise(&self) -> Result<(), Error> {
        let (given, expected) =
            (self.noise_lengths.len(), self.labels.iter().filter(|label| label.is_none()).count());
        if given != expected {
            return Err(Error::Model(ModelError::ModelNoise { given, expected }));
        }
        let is_length = |length: f64| length.is_nan() || length.is_finite() && length >= 0.0;
        let wrong = self.noise_lengths.iter().find(|&&length| !is_length(length));
        wrong.map_or(Ok(()), |&given| {
            Err(Error::Model(ModelError::ModelNumber { name: "noise_lengths", given }))
        })
    }
}

fn check_number(name: &'static str, given: f64, is_good: bool) -> Result<(), Error> {
    if is_good { Ok(()) } else { Err(Error::Model(ModelError::ModelNumber { name, given })) }
}
