//! One answer and what it was found in: all that pictures and the report need, whoever asks for them.

mod pictures;
pub(crate) mod place;

use similis::medoids::{Medoid, medoids};
use similis::settings::Named;
use similis::{Dissimilarity, Error, Points, Predictor};

use crate::answer::Answer;
use crate::plot::{Detail, Scatter, scatter_svg};

use self::place::Placed;

/// How probable the cluster of an item must be for it to be sure.
const SURE: f64 = 0.8;
/// Of more items rings could not be told apart.
const MOST_RINGED: usize = 20_000;

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
    /// The joint, or the objective, pass by pass.
    Trace,
    /// The score of the answer and its runners-up.
    Candidates,
    /// The score of each number of clusters.
    Numbers,
    /// The eigenvalues of latent features.
    Eigenvalues,
}

impl Named for PictureKind {
    const SETTING: &'static str = "plot_kind";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("scatter", Self::Scatter),
        ("matrix", Self::Matrix),
        ("scales", Self::Scales),
        ("lengths", Self::Lengths),
        ("trace", Self::Trace),
        ("candidates", Self::Candidates),
        ("numbers", Self::Numbers),
        ("eigenvalues", Self::Eigenvalues),
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
    /// What was found.
    pub answer: &'a Answer,
    /// How the work ended, in words.
    pub ended: String,
    /// What was taken for granted when the data were read.
    pub notes: Vec<String>,
    /// What the reader should know first, such as how the number of clusters was found.
    pub remarks: Vec<String>,
    /// The most typical item of each cluster.
    pub medoids: Vec<Medoid>,
}

impl<'a> Study<'a> {
    /// Returns the study of an answer; points are those of `pairs`, and nothing has a name.
    ///
    /// # Errors
    ///
    /// [`Error::LabelLengths`] if the answer is of another number of items.
    pub fn new(name: &'a str, pairs: &'a Dissimilarity<'a>, answer: &'a Answer) -> Result<Self, Error> {
        Ok(Self {
            name,
            pairs,
            points: pairs.points().map(similis::distance::MeasuredPoints::points),
            column_names: &[],
            item_names: &[],
            answer,
            ended: answer.ended().to_string(),
            notes: Vec::new(),
            remarks: Vec::new(),
            medoids: medoids(pairs, answer.labels(), answer.noise())?,
        })
    }

    /// The name of an item, or its number where items have none.
    pub fn item(&self, i: usize) -> String {
        self.item_names.get(i).cloned().unwrap_or_else(|| i.to_string())
    }

    /// The heading of pictures and report.
    pub fn title(&self) -> String {
        let n = self.answer.labels().n_clusters();
        format!("{}: {n} cluster{}", self.name, if n == 1 { "" } else { "s" })
    }

    /// What the reader should be wary of.
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
            other => Ok(self.chart(other)),
        }
    }

    /// The clusters as a scatter plot: points where there are any, otherwise where their distances or features put them.
    pub(crate) fn scatter(&self, detail: Detail) -> Result<String, Error> {
        let seed = self.answer.seed();
        let Placed { projection, names, note } =
            place::placed(self.pairs, self.points, self.column_names, seed)?;
        Ok(scatter_svg(&Scatter {
            x: &projection.x,
            y: &projection.y,
            labels: self.answer.labels().as_slice(),
            noise: self.answer.noise(),
            unsure: &self.unsure(),
            title: &self.title(),
            x_name: &names[0],
            y_name: &names[1],
            links: &self.answer.links(),
            scales: self.answer.scales(),
            own_scales: self.points.is_some_and(|points| points.n_dimensions() == 1),
            detail,
            note: &format!("{}{note}", self.small_print()),
        }))
    }

    /// The items, in rising order, that belong to their cluster with a probability below 0.8, given the others; none of
    /// similarities, which nothing is predicted from, and of more than 20,000 items.
    pub fn unsure(&self) -> Vec<usize> {
        let labels = self.answer.labels_or_noise();
        if labels.len() > MOST_RINGED {
            return Vec::new();
        }
        let predictor = self.answer.predictor(self.pairs).and_then(Predictor::try_from);
        let Ok(found) = predictor.and_then(|predictor| predictor.memberships(self.pairs)) else {
            return Vec::new();
        };
        let own = |i: usize| found.row(i)[labels[i].unwrap_or(found.n_classes)];
        (0..labels.len()).filter(|&i| own(i) < SURE).collect()
    }

    /// What made the answer.
    fn small_print(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!("similis {version}, {}, seed {}", self.answer.model(), self.answer.seed())
    }
}
