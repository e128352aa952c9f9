//! Grouping of features that obeys side information.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::latent_feature::features::Features;
use crate::latent_feature::gaussian::Gaussian;
use crate::latent_feature::kmeans::{
    KMeans, KMeansFit, means, nearest_centre, plus_plus, squared_distance, whole_value,
};
use crate::latent_feature::mixture::normalise_logs;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::run::random::Random;
use crate::run::termination::Termination;

/// Lower bound on a probability before its logarithm is taken: near the underflow of `f64`.
const LEAST: f64 = 1e-300;

impl KMeans {
    /// As [`KMeans::fit`], with clusters that obey the constraints; such clusters must exist.
    ///
    /// Every pass assigns a must-link group to the centre nearest to all its points, and cannot-linked points to different
    /// centres (after Wagstaff and others, 2001, who abandon a start where we backtrack). Known labels give the first
    /// centres.
    pub(crate) fn fit_obeying(
        &self,
        features: &Features,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Result<KMeansFit, Error> {
        if constraints.is_empty() {
            return self.fit(features, observer);
        }
        self.best_of(features, observer, |random| self.run_obeying(features, constraints, random, observer))
    }

    fn run_obeying(
        &self,
        features: &Features,
        constraints: &Constraints,
        mut random: Random,
        observer: &dyn Observer,
    ) -> KMeansFit {
        let known = constraints.named().map(|points| mean_of(features, points)).collect();
        let mut centres = plus_plus(features, self.n_clusters, known, &mut random);
        let mut best: Option<KMeansFit> = None;
        for n_iterations in 1..=self.max_iterations.max(1) {
            let labels = nearest_obeying(features, &centres, constraints);
            centres = means(features, &labels, self.n_clusters);
            let found = whole_value(features, &labels, n_iterations, Termination::IterationLimit);
            let falls = best.as_ref().is_none_or(|best| found.distortion < best.distortion * (1.0 - 1e-12));
            if !falls {
                return ended(best.unwrap_or(found), Termination::Converged);
            }
            best = Some(found);
            if observer.cancelled() {
                break;
            }
        }
        let labels = nearest_obeying(features, &centres, constraints);
        let last = whole_value(features, &labels, self.max_iterations, Termination::IterationLimit);
        let why = if observer.cancelled() { Termination::Cancelled } else { Termination::IterationLimit };
        ended(best.unwrap_or(last), why)
    }
}

fn ended(fit: KMeansFit, ended: Termination) -> KMeansFit {
    KMeansFit { ended, ..fit }
}

fn mean_of(features: &Features, points: &[usize]) -> Vec<f64> {
    let mut mean = vec![0.0; features.n_columns()];
    for &i in points {
        mean.iter_mut().zip(features.row(i)).for_each(|(sum, x)| *sum += x / points.len() as f64);
    }
    mean
}

/// The nearest centre of each point, of those that obey.
fn nearest_obeying(features: &Features, centres: &Features, constraints: &Constraints) -> Vec<usize> {
    let labels = (0..features.n_rows()).map(|i| nearest_centre(features.row(i), centres).0).collect();
    let prices = constraints.prices(centres.n_rows(), |i, row| {
        let squared = |cluster: usize| squared_distance(features.row(i), centres.row(cluster));
        row.iter_mut().enumerate().for_each(|(cluster, sum)| *sum += squared(cluster));
    });
    constraints.obeying(labels, &prices)
}

/// Must-link groups and known clusters, in the form that an E-step needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obeyed<'a> {
    pub(crate) constraints: &'a Constraints,
    /// Labels that obey: points of a known label keep theirs.
    pub(crate) labels: &'a [usize],
}

impl Obeyed<'_> {
    /// The E-step: memberships of every point; adds the log likelihood to `trace`. The points of a must-link
    /// group have the same. Cannot-links are left to the labels: see [`obeying`].
    pub(crate) fn expectation(
        &self,
        features: &Features,
        classes: &[Gaussian],
        trace: &mut Vec<f64>,
    ) -> Features {
        let (n, m) = (features.n_rows(), classes.len());
        let rows = parallel::map(n, |i| {
            let mut row: Vec<f64> = classes.iter().map(|class| class.log_density(features.row(i))).collect();
            let log_sum = if self.constraints.is_bound(i) { 0.0 } else { normalise_logs(&mut row) };
            (row, log_sum)
        });
        let n_groups = self.constraints.most_clusters_of(n);
        let all = if features.weights().is_empty() { n_groups as f64 } else { features.total_weight() };
        let weighted = |(i, (_, log_sum)): (usize, &(Vec<f64>, f64))| features.weight(i) * log_sum;
        let mut total = rows.iter().enumerate().map(weighted).sum::<f64>() - all * (m as f64).ln();
        let mut values: Vec<f64> = rows.into_iter().flat_map(|(row, _)| row).collect();
        for points in self.constraints.blocks() {
            let mut together = vec![0.0; m];
            for &i in points {
                together.iter_mut().zip(&values[i * m..]).for_each(|(sum, log)| *sum += log);
            }
            if self.constraints.is_named(points[0]) {
                let own = self.labels[points[0]];
                let others = together.iter_mut().enumerate().filter(|&(class, _)| class != own);
                others.for_each(|(_, log)| *log = f64::NEG_INFINITY);
            }
            total += normalise_logs(&mut together);
            points.iter().for_each(|&i| values[i * m..(i + 1) * m].copy_from_slice(&together));
        }
        trace.push(total);
        Features::from_rows(values, n, m)
    }
}

/// Labels near the likeliest ones that obey, and memberships given the labels of the cannot-linked points.
pub(crate) fn obeying(
    likeliest: Vec<usize>,
    memberships: &Features,
    constraints: &Constraints,
) -> (Vec<usize>, Features) {
    let prices = constraints.prices(memberships.n_columns(), |i, row| {
        row.iter_mut().zip(memberships.row(i)).for_each(|(sum, p)| *sum -= p.max(LEAST).ln());
    });
    let labels = constraints.obeying(likeliest, &prices);
    let mut memberships = memberships.clone();
    for &i in constraints.blocks().flatten() {
        let (own, row) = (labels[i], memberships.row_mut(i));
        for (class, p) in row.iter_mut().enumerate() {
            if class != own && !constraints.allows(i, class, &labels) {
                *p = 0.0;
            }
        }
        let sum: f64 = row.iter().sum();
        if sum > 0.0 && row.iter().all(|&p| p <= row[own]) {
            row.iter_mut().for_each(|p| *p /= sum);
        } else {
            row.fill(0.0);
            row[own] = 1.0;
        }
    }
    (labels, memberships)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::side_information::SideInformation;
    use crate::input::labels::Labels;
    use crate::run::observer::Silent;

    #[test]
    fn parted_points_have_different_centres() {
        // Groups {0, 1, 2} and {10, 11, 12}, but 2 is tied to 10 and parted from 0: by hand {0, 1} and the rest.
        let rows = Features::from_rows(vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0], 6, 1);
        let side = SideInformation {
            must_link: vec![(2, 3)],
            cannot_link: vec![(2, 0)],
            ..SideInformation::default()
        };
        let constraints = Constraints::new(&side, 6).unwrap();
        let settings = KMeans { n_clusters: 2, ..KMeans::default() };
        let fit = settings.fit_obeying(&rows, &constraints, &Silent).unwrap();
        assert_eq!(fit.labels, Labels::new(&[0, 0, 1, 1, 1, 1]));
        assert_eq!(fit.centres.as_slice(), [0.5, 8.75]);
        assert_eq!(fit.ended, Termination::Converged);
    }

    #[test]
    fn memberships_go_with_the_labels() {
        let side = SideInformation { cannot_link: vec![(0, 1)], ..SideInformation::default() };
        let constraints = Constraints::new(&side, 3).unwrap();
        let memberships = Features::from_rows(vec![0.9, 0.1, 0.6, 0.4, 0.2, 0.8], 3, 2);
        let (labels, given) = obeying(vec![0, 0, 1], &memberships, &constraints);
        assert_eq!(labels, [0, 1, 1]);
        assert_eq!(given.as_slice(), [1.0, 0.0, 0.0, 1.0, 0.2, 0.8]);
    }
}
