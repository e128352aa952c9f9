//! Grouping of features by a mixture of Gaussians (section 2.1).

use crate::constraints::Constraints;
use crate::error::{Error, SettingError, check_restarts};
use crate::input::labels::Labels;
use crate::latent_feature::constrained::{Obeyed, obeying};
use crate::latent_feature::features::Features;
use crate::latent_feature::gaussian::Gaussian;
use crate::latent_feature::gaussian::covariance::Covariance;
use crate::latent_feature::kmeans::KMeans;
use crate::latent_feature::likelihood::BoundedPriors;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::run::termination::Termination;

/// A mixture of Gaussians by EM, started from k-means; the classes are equally likely, as in Lemma 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// Number of classes (M), at least 1.
    pub n_clusters: usize,
    /// The shape of $\psi_c$; default full.
    pub covariance: Covariance,
    /// The bounds on $\mu$ and $\Psi$.
    pub priors: BoundedPriors,
    /// Number of random restarts, at least 1; default 10.
    pub n_restarts: usize,
    /// Maximum number of EM steps in one restart; default 300.
    pub max_iterations: usize,
    /// A restart ends when a step gains less than this per point; default 1e-9.
    pub tolerance: f64,
    /// Random seed; default 0.
    pub seed: u64,
}

/// What the mixture found.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureFit {
    /// The likeliest class of each point.
    pub labels: Labels,
    /// The class distributions, numbered as the labels.
    pub classes: Vec<Gaussian>,
    /// How probable each class is for each point: a row for each point, numbered as the labels.
    pub memberships: Features,
    /// $\sum_i \log \frac1M \sum_c p(\lambda_i | c)$ after each step; it never falls.
    pub trace: Vec<f64>,
    /// Why the best restart stopped.
    pub ended: Termination,
}

impl MixtureFit {
    /// The log likelihood of the features.
    pub fn log_likelihood(&self) -> f64 {
        self.trace.last().copied().unwrap_or(f64::NEG_INFINITY)
    }
}

impl Mixture {
    /// Returns the mixture with `n_clusters` classes within `priors`, other settings at their defaults.
    pub fn new(n_clusters: usize, priors: BoundedPriors) -> Self {
        Self {
            n_clusters,
            covariance: Covariance::default(),
            priors,
            n_restarts: 10,
            max_iterations: 300,
            tolerance: 1e-9,
            seed: 0,
        }
    }

    /// Returns the likeliest mixture over all restarts.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`].
    pub fn fit(&self, features: &Features, observer: &dyn Observer) -> Result<MixtureFit, Error> {
        self.fit_obeying(features, &Constraints::default(), observer)
    }

    /// As [`Mixture::fit`], with labels that obey.
    pub(crate) fn fit_obeying(
        &self,
        features: &Features,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Result<MixtureFit, Error> {
        check_restarts(self.n_restarts)?;
        let runs = parallel::map(self.n_restarts, |restart| {
            (restart == 0 || !observer.cancelled())
                .then(|| self.run(features, restart as u64, constraints, observer))
        });
        let mut best: Option<MixtureFit> = None;
        for run in runs.into_iter().flatten() {
            let run = run?;
            if best.as_ref().is_none_or(|best| run.log_likelihood() > best.log_likelihood()) {
                best = Some(run);
            }
        }
        best.ok_or(Error::Settings(SettingError::NRestarts))
    }

    /// One restart: EM from the labels of one k-means.
    fn run(
        &self,
        features: &Features,
        restart: u64,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Result<MixtureFit, Error> {
        let seed = self.seed.wrapping_add(restart.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let start = KMeans { n_clusters: self.n_clusters, n_restarts: 1, seed, ..KMeans::default() };
        let labels = start.fit_obeying(features, constraints, observer)?.labels;
        let obeyed = Obeyed { constraints, labels: labels.as_slice() };
        let mut classes = self.classes_of(features, &labels);
        let mut trace = Vec::new();
        let mut ended = Termination::IterationLimit;
        let mut memberships = obeyed.expectation(features, &classes, &mut trace);
        while trace.len() <= self.max_iterations {
            classes = self.maximisation(features, &memberships, classes);
            memberships = obeyed.expectation(features, &classes, &mut trace);
            let gain = trace[trace.len() - 1] - trace[trace.len() - 2];
            if gain <= self.tolerance * features.total_weight() {
                ended = Termination::Converged;
                break;
            }
            if observer.cancelled() {
                ended = Termination::Cancelled;
                break;
            }
        }
        let Numbered { labels, classes, memberships } = Numbered::new(&memberships, &classes, constraints);
        Ok(MixtureFit { labels, classes, memberships, trace, ended })
    }

    /// The likeliest class distributions of hard labels.
    pub(crate) fn classes_of(&self, features: &Features, labels: &Labels) -> Vec<Gaussian> {
        let of = |cluster: usize| {
            let weight = |i: usize| if labels.as_slice()[i] == cluster { features.weight(i) } else { 0.0 };
            self.covariance.estimate(features, weight, &self.priors)
        };
        (0..labels.n_clusters()).filter_map(of).collect()
    }

    /// The M-step; a class that no point belongs to keeps its distribution.
    pub(crate) fn maximisation(
        &self,
        features: &Features,
        memberships: &Features,
        classes: Vec<Gaussian>,
    ) -> Vec<Gaussian> {
        let estimates = parallel::map(classes.len(), |cluster| {
            self.covariance.estimate(
                features,
                |i| features.weight(i) * memberships.row(i)[cluster],
                &self.priors,
            )
        });
        classes.into_iter().zip(estimates).map(|(old, new)| new.unwrap_or(old)).collect()
    }
}

/// Turns logarithms into probabilities that sum to 1; returns the logarithm of their sum.
pub(crate) fn normalise_logs(row: &mut [f64]) -> f64 {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
    most + sum.ln()
}

/// Classes and memberships in the order of the labels.
pub(crate) struct Numbered {
    pub(crate) labels: Labels,
    pub(crate) classes: Vec<Gaussian>,
    pub(crate) memberships: Features,
}

impl Numbered {
    /// Returns labels by the likeliest class that obeys, every class at least one point, and all else numbered as they are.
    pub(crate) fn new(memberships: &Features, classes: &[Gaussian], constraints: &Constraints) -> Self {
        let (likeliest, memberships) = obeying(hard_labels(memberships), memberships, constraints);
        let labels = Labels::new(&likeliest);
        let mut order = vec![0; classes.len()];
        likeliest.iter().zip(labels.as_slice()).for_each(|(&class, &label)| order[label] = class);
        let n = memberships.n_rows();
        let (order, rows) = (&order, &memberships);
        let columns = |i: usize| order.iter().map(move |&class| rows.row(i)[class]);
        Self {
            memberships: Features::from_rows((0..n).flat_map(columns).collect(), n, classes.len()),
            classes: order.iter().map(|&class| classes[class].clone()).collect(),
            labels,
        }
    }
}

/// The likeliest class of each point; a class that is nowhere the likeliest gets the point that comes nearest to it.
fn hard_labels(memberships: &Features) -> Vec<usize> {
    let n_classes = memberships.n_columns();
    let likeliest =
        |row: &[f64]| (0..n_classes).fold(0, |best, class| if row[class] > row[best] { class } else { best });
    let mut labels: Vec<usize> = (0..memberships.n_rows()).map(|i| likeliest(memberships.row(i))).collect();
    let mut sizes = vec![0usize; n_classes];
    labels.iter().for_each(|&class| sizes[class] += 1);
    for empty in 0..n_classes {
        if sizes[empty] > 0 {
            continue;
        }
        let spare = (0..labels.len()).filter(|&i| sizes[labels[i]] > 1);
        let belongs = |i: usize| memberships.row(i)[empty];
        if let Some(i) = spare.reduce(|best, i| if belongs(i) > belongs(best) { i } else { best }) {
            sizes[labels[i]] -= 1;
            sizes[empty] += 1;
            labels[i] = empty;
        }
    }
    labels
}
