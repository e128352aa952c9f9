//! One answer and its input: all that pictures and the report need, in the command and in Python.

pub mod levels;
mod map;
mod modes;
pub(crate) mod outliers;
pub(crate) mod pictures;
pub(crate) mod place;

use std::sync::OnceLock;

use similis::evaluate::{Medoid, medoids};
use similis::latent_graph::Levels;
use similis::settings::Named;
use similis::{Dissimilarity, Error, Points, Prediction, Predictor, Termination};

use crate::answer::Answer;
use crate::input::Standard;
use crate::plot::Detail;
use crate::profile::{self, Profile};

use self::place::Placed;

/// Items whose cluster has a lower probability are ringed as uncertain. Not tuned.
const SURE: f64 = 0.8;
/// Maximum number of items with rings: beyond it they would overlap. Not tuned.
const MOST_RINGED: usize = 20_000;

/// Where items lie in a picture.
#[derive(Clone, Debug, Default)]
pub struct Places<'a> {
    /// Horizontal coordinates.
    pub x: &'a [f64],
    /// Vertical coordinates.
    pub y: &'a [f64],
    /// What the two axes show.
    pub names: [String; 2],
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureKind {
    /// The points, or the features of a matrix, in the plane.
    #[default]
    Scatter,
    /// Distances or similarities as shades, ordered by cluster.
    Matrix,
    /// The learned scales as bars.
    Scales,
    /// The lengths of links with the fitted density.
    Lengths,
    /// The joint, or the objective, pass by pass; of draws from the posterior, sweep by sweep.
    Trace,
    /// How probable it is that two items share a cluster, as shades: of draws from the posterior.
    CoAssignment,
    /// The points with every link as thick as it is probable.
    Edges,
    /// The points, those ringed whose cluster is in doubt: of draws from the posterior.
    Uncertainty,
    /// The score of the answer and its runners-up.
    Candidates,
    /// The score of each number of clusters.
    Numbers,
    /// The prominences of the modes of the density, and which are significant.
    Modes,
    /// The points, with the peaks of their density and the saddles between them.
    Peaks,
    /// The eigenvalues of latent features.
    Eigenvalues,
    /// The single-linkage dendrogram of the items, coloured by cluster.
    Dendrogram,
    /// The tree of the clusters: which merge first, and what each merger costs.
    Levels,
    /// The points, those ringed that are out of the ordinary.
    Outliers,
}

impl Named for PictureKind {
    const SETTING: &'static str = "plot_kind";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("scatter", Self::Scatter),
        ("matrix", Self::Matrix),
        ("scales", Self::Scales),
        ("lengths", Self::Lengths),
        ("trace", Self::Trace),
        ("co_assignment", Self::CoAssignment),
        ("edges", Self::Edges),
        ("uncertainty", Self::Uncertainty),
        ("candidates", Self::Candidates),
        ("numbers", Self::Numbers),
        ("modes", Self::Modes),
        ("peaks", Self::Peaks),
        ("eigenvalues", Self::Eigenvalues),
        ("dendrogram", Self::Dendrogram),
        ("levels", Self::Levels),
        ("outliers", Self::Outliers),
    ];
}

/// One answer, and what it was found in.
///
/// ```
/// use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points};
/// use similis_cli::answer::Answer;
/// use similis_cli::study::{PictureKind, Study};
///
/// let points = Points::new(vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0], 8, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let model = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
/// let answer = Answer::Graph(model, Box::new(model.fit(&pairs, &[])?));
/// let study = Study::new("eight points", &pairs, &answer)?;
/// assert!(study.picture(PictureKind::Scatter)?.is_some_and(|svg| svg.starts_with("<svg")));
/// assert!(similis_cli::report::html(&study, "model.fit(points)")?.contains("eight points"));
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Study<'a> {
    /// What the data are called, such as the name of their file.
    pub name: &'a str,
    /// What was observed.
    pub pairs: &'a Dissimilarity<'a>,
    /// The points as they were given, if there are any.
    pub points: Option<&'a Points<'a>>,
    /// The names of the points' columns; may be empty.
    pub column_names: &'a [String],
    /// The names of the items; may be empty, they are then counted from 0.
    pub item_names: &'a [String],
    /// How the columns of the points were shifted and scaled, if they were.
    pub standards: Option<&'a [Standard]>,
    /// The heading of a single picture, where another than the usual one is wanted.
    pub plot_title: Option<&'a str>,
    /// What was found.
    pub answer: &'a Answer,
    /// How the work ended, in words.
    pub ended: String,
    /// What was read, in words, such as the columns of points.
    pub read: Option<String>,
    /// How long it took, in seconds, where that was measured.
    pub seconds: Option<f64>,
    /// Notes on what was assumed when the data were read.
    pub notes: Vec<String>,
    /// What the reader should know first, such as how the number of clusters was found.
    pub remarks: Vec<String>,
    /// The most typical item of each cluster.
    pub medoids: Vec<Medoid>,
    /// Whether pictures stand on a page that says once what made the answer.
    pub(crate) on_page: bool,
    memberships: OnceLock<Result<Prediction, Error>>,
    placed: OnceLock<Placed>,
    levels: OnceLock<Levels>,
}

impl<'a> Study<'a> {
    /// Returns the study of an answer; points are those of `pairs`, and nothing has a name.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the answer is of another number of items.
    pub fn new(name: &'a str, pairs: &'a Dissimilarity<'a>, answer: &'a Answer) -> Result<Self, Error> {
        Ok(Self {
            name,
            pairs,
            points: pairs.points().map(similis::input::MeasuredPoints::points),
            column_names: &[],
            item_names: &[],
            standards: None,
            plot_title: None,
            answer,
            ended: answer.ended().to_string(),
            read: None,
            seconds: None,
            notes: Vec::new(),
            remarks: answer.number_remark().into_iter().collect(),
            medoids: medoids(pairs, answer.labels(), answer.noise())?,
            on_page: false,
            memberships: OnceLock::new(),
            placed: OnceLock::new(),
            levels: OnceLock::new(),
        })
    }

    /// The name of an item, or its number where items have none.
    pub fn item(&self, i: usize) -> String {
        self.item_names.get(i).cloned().unwrap_or_else(|| i.to_string())
    }

    /// The name of a column of points, or its number counted from 1.
    pub fn column(&self, column: usize) -> String {
        let name = self.column_names.get(column).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// What the points of each cluster are like, column by column; empty where there are no points.
    pub fn profiles(&self) -> Vec<Profile> {
        let labels = self.answer.labels_or_noise();
        let n_clusters = self.answer.labels().n_clusters();
        self.points
            .map_or_else(Vec::new, |points| profile::profiles(points, &labels, n_clusters, self.standards))
    }

    /// The heading of pictures and report.
    pub fn title(&self) -> String {
        let n = self.answer.labels().n_clusters();
        format!("{}: {n} cluster{}", self.name, if n == 1 { "" } else { "s" })
    }

    /// The heading of a picture: the one that was asked for, or the usual one.
    fn heading<'b>(&'b self, usual: &'b str) -> &'b str {
        self.plot_title.unwrap_or(usual)
    }

    /// Warnings and notes.
    pub fn warnings(&self) -> Vec<String> {
        self.answer.warnings()
    }

    /// Returns a picture as an SVG document, or `None` if this answer has nothing of that kind to show.
    ///
    /// # Errors
    ///
    /// Those of [`similis::LatentFeature::fit`], whose features are drawn where there are no points.
    pub fn picture(&self, kind: PictureKind) -> Result<Option<String>, Error> {
        match kind {
            PictureKind::Scatter => self.scatter(Detail::Full).map(Some),
            PictureKind::Edges => self.edges(Detail::Full),
            PictureKind::Uncertainty => self.uncertainty(Detail::Full),
            PictureKind::Outliers => self.outliers(Detail::Full),
            PictureKind::Peaks => self.peaks(Detail::Full),
            other => Ok(self.chart(other)),
        }
    }

    /// Where each item lies in a picture.
    ///
    /// # Errors
    ///
    /// Those of [`Study::picture`].
    pub fn places(&self) -> Result<Places<'_>, Error> {
        Ok(self.place()?.map_or_else(Places::default, |Placed { projection, names, .. }| Places {
            x: &projection.x,
            y: &projection.y,
            names: names.clone(),
        }))
    }

    /// Draws items where they were placed before.
    #[cfg(feature = "serve")]
    pub(crate) fn place_at(&mut self, placed: Placed) {
        self.placed = OnceLock::from(placed);
    }

    /// Where items lie, found once.
    fn place(&self) -> Result<Option<&Placed>, Error> {
        if self.placed.get().is_none() {
            let how = (self.answer.seed(), self.answer.ended() == Termination::Cancelled);
            let _ = self.placed.set(place::placed(self.pairs, self.points, self.column_names, how)?);
        }
        Ok(self.placed.get())
    }

    /// Returns the leave-one-out probability of each cluster for each item, computed once.
    ///
    /// # Errors
    ///
    /// Those of [`similis::PredictorParts::new`].
    pub fn memberships(&self) -> Result<&Prediction, Error> {
        let found = self.memberships.get_or_init(|| {
            let predictor = self.answer.predictor(self.pairs).and_then(Predictor::try_from)?;
            predictor.memberships(self.pairs)
        });
        found.as_ref().map_err(Clone::clone)
    }

    /// The items, in rising order, that belong to their cluster with a probability below 0.8: by draws from the posterior where
    /// there are any, otherwise given the others; none of similarities, which nothing is predicted from, and of more than 20,000
    /// items.
    pub fn unsure(&self) -> Vec<usize> {
        let labels = self.answer.labels_or_noise();
        // Of a sample the neighbours of all items are not known, and there was no time for them.
        if labels.len() > MOST_RINGED || self.answer.cut_to().is_some() {
            return Vec::new();
        }
        if let Some(posterior) = self.answer.posterior() {
            let own = |i: usize| labels[i].map_or(0.0, |label| posterior.row(i)[label]);
            return (0..labels.len()).filter(|&i| own(i) < SURE).collect();
        }
        let Ok(found) = self.memberships() else { return Vec::new() };
        let own = |i: usize| found.row(i)[labels[i].unwrap_or(found.n_classes)];
        (0..labels.len()).filter(|&i| own(i) < SURE).collect()
    }

    /// What made the answer; nothing on a page that says it.
    fn small_print(&self) -> String {
        if self.on_page {
            return String::new();
        }
        let version = env!("CARGO_PKG_VERSION");
        format!("similis {version}, {}, seed {}", self.answer.model(), self.answer.seed())
    }
}
