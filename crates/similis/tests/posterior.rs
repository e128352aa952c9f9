//! The posterior over partitions, from the outside: what draws say, and that they say it truly.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use similis::error::SettingError;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rand::seq::SliceRandom;
use similis::latent_graph::{
    CoAssignment, GraphPrior, GraphSample, Inference, Likelihood, LinkLengths, Loss, Sampler, Sampling,
    ScalePrior, ScaleStep, Support,
};
use similis::run::parallel::with_threads;
use similis::run::random::stream;
use similis::settings::Named;
use similis::{
    Dissimilarity, Error, LatentGraph, Metric, NClusters, Observer, Points, Progress, SideInformation,
    Termination,
};

/// Two clouds in the plane that touch.
fn clouds(n: usize) -> Vec<f64> {
    let golden = |i: usize, by: f64| (i as f64 * by).fract();
    let place = |i: usize| {
        let (x, y) = (golden(i, 0.754_877_666), golden(i, 0.569_840_291));
        if i < n / 2 { [x, y] } else { [1.15 + 3.0 * x, 3.0 * y] }
    };
    (0..n).flat_map(place).collect()
}

fn model(n_clusters: NClusters, n_sweeps: usize) -> LatentGraph {
    let sampling = Sampling { n_chains: 2, n_sweeps, ..Sampling::default() };
    LatentGraph { n_clusters, inference: Some(Inference::Sample(sampling)), ..LatentGraph::default() }
}

fn observed(places: &[f64]) -> Dissimilarity<'_> {
    Dissimilarity::from_points(Points::new(places, places.len() / 2, 2).unwrap(), Metric::Euclidean).unwrap()
}

#[test]
fn memberships_and_co_assignments_are_probabilities_and_labels_the_least_expected_loss() {
    let places = clouds(60);
    let pairs = observed(&places);
    for loss in [Loss::VariationOfInformation, Loss::Binder] {
        for n_clusters in [NClusters::Auto, NClusters::Exactly(2), NClusters::Between(2, 5)] {
            let model = model(n_clusters, 200);
            let model = model.with(&[("loss", loss.name())]).unwrap();
            let fit = model.fit(&pairs, &[]).unwrap();
            let posterior = fit.posterior.as_ref().unwrap();
            assert_eq!(posterior.n_columns, fit.labels.n_clusters());
            for i in 0..60 {
                let sum: f64 = posterior.row(i).iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            }
            let numbers: f64 = posterior.numbers.iter().map(|row| row.probability).sum();
            assert!((numbers - 1.0).abs() < 1e-12);
            let allowed = |m: usize| match n_clusters {
                NClusters::Exactly(n) => m == n,
                NClusters::Between(least, most) => (least..=most).contains(&m),
                NClusters::Auto => true,
            };
            assert!(posterior.samples.iter().all(|sample| allowed(sample.n_clusters())));
            let CoAssignment::Dense(values) = &posterior.co_assignment else { panic!("60 points are few") };
            assert_eq!(values.len(), 60 * 59 / 2);
            let together = |i: usize, j: usize| {
                let same = posterior.samples.iter().filter(|one| one.as_slice()[i] == one.as_slice()[j]);
                same.count() as f64 / posterior.samples.len() as f64
            };
            for (i, j) in [(0, 1), (3, 59), (58, 59), (17, 30)] {
                assert_eq!(posterior.co_assignment.pair(60, j, i), Some(together(i, j)));
            }
            assert!(posterior.samples.contains(&fit.labels) && posterior.expected_loss >= 0.0);
            assert_eq!(posterior.traces.iter().map(Vec::len).collect::<Vec<_>>(), [200, 200]);
        }
    }
}

#[test]
fn the_number_of_separated_clouds_is_found_and_a_square_is_one() {
    let square = |i: usize| [(i as f64 * 0.754_877_666).fract(), (i as f64 * 0.569_840_291).fract()];
    let most_probable = |places: &[f64]| {
        let fit = model(NClusters::Between(1, 6), 400).fit(&observed(places), &[]).unwrap();
        let numbers = fit.posterior.unwrap().numbers;
        let best = numbers.iter().max_by(|a, b| a.probability.total_cmp(&b.probability)).unwrap();
        assert!(best.probability > 0.8, "{numbers:?}");
        best.n_clusters
    };
    let one: Vec<f64> = (0..90).flat_map(square).collect();
    assert_eq!(most_probable(&one), 1);
    let three: Vec<f64> = (0..90).flat_map(|i| square(i).map(|x| x + 6.0 * (i % 3) as f64)).collect();
    assert_eq!(most_probable(&three), 3);
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let places = clouds(50);
    let pairs = observed(&places);
    let model = model(NClusters::Between(1, 50), 60);
    let one = with_threads(1, || model.fit(&pairs, &[])).unwrap();
    let two = with_threads(2, || model.fit(&pairs, &[])).unwrap();
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
    let other = LatentGraph { seed: 1, ..model }.fit(&pairs, &[]).unwrap();
    assert_ne!(one.posterior.unwrap().traces, other.posterior.unwrap().traces);
}

#[test]
fn every_draw_obeys_side_information() {
    let places = clouds(40);
    let pairs = observed(&places);
    let mut known_labels = vec![None; 40];
    (known_labels[0], known_labels[1], known_labels[30]) = (Some(0), Some(0), Some(1));
    let side = SideInformation {
        known_labels,
        must_link: vec![(5, 33)],
        cannot_link: vec![(5, 6), (10, 11)],
        ..SideInformation::default()
    };
    for n_clusters in [NClusters::Between(1, 40), NClusters::Exactly(3)] {
        let fit = model(n_clusters, 100).fit(&pairs, &side).unwrap();
        for sample in &fit.posterior.unwrap().samples {
            let of = sample.as_slice();
            assert!(
                of[0] == of[1] && of[0] != of[30] && of[5] == of[33] && of[5] != of[6] && of[10] != of[11]
            );
        }
    }
}

#[test]
fn supports_gaussians_and_tiny_sets_are_sampled_too() {
    let places = clouds(50);
    let pairs = observed(&places);
    let nearest = LatentGraph { support: Some(Support::Nearest), ..model(NClusters::Between(1, 50), 50) };
    assert!(nearest.fit(&pairs, &[]).unwrap().log_joint.total().is_finite());
    let gaussian = LatentGraph { likelihood: Likelihood::Gaussian, ..model(NClusters::Exactly(2), 50) };
    assert_eq!(gaussian.fit(&pairs, &[]).unwrap().labels.n_clusters(), 2);
    for n in [1, 2, 3] {
        let few = observed(&places[..2 * n]);
        let fit = model(NClusters::Auto, 40).fit(&few, &[]).unwrap();
        assert_eq!(fit.posterior.unwrap().memberships.len(), n * fit.labels.n_clusters());
    }
    let same = [1.0; 20];
    assert!(model(NClusters::Auto, 20).fit(&observed(&same), &[]).is_ok());
}

#[test]
fn settings_that_leave_no_posterior_are_refused() {
    let places = clouds(10);
    let pairs = observed(&places);
    let good = model(NClusters::Exactly(2), 10);
    let fit = |model: LatentGraph| model.fit(&pairs, &[]).unwrap_err();
    assert_eq!(
        fit(LatentGraph { scale_prior: ScalePrior::None, ..good }),
        Error::Settings(SettingError::NeedsScalePrior)
    );
    let lists = LatentGraph { graph_prior: GraphPrior::KNeighbours, ..good };
    assert!(matches!(fit(lists), Error::Settings(SettingError::NeedsTrees { .. })));
    let none = good.with(&[("n_chains", "0")]).unwrap();
    assert_eq!(fit(none), Error::Settings(SettingError::ZeroSampling { setting: "n_chains" }));
    let all = good.with(&[("burn_in", "1")]).unwrap();
    assert_eq!(fit(all), Error::Settings(SettingError::BurnIn { given: 1.0 }));
}

/// Cancels after some sweeps.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn progress(&self, progress: Progress) {
        if progress.phase == "sampling" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 20
    }
}

#[test]
fn whoever_stops_early_gets_what_there_is() {
    let places = clouds(40);
    let pairs = observed(&places);
    let observer = Impatient(AtomicUsize::new(0));
    let fit = model(NClusters::Between(1, 30), 1_000_000).fit_observed(&pairs, &[], &observer).unwrap();
    let posterior = fit.posterior.unwrap();
    assert_eq!(fit.ended, Termination::Cancelled);
    assert!(!posterior.samples.is_empty() && posterior.traces.iter().all(|trace| trace.len() < 30));
}

/// Data drawn from the model: sizes of two classes uniform, scales from their prior.
fn drawn(seed: u64) -> GraphSample {
    let step = ScaleStep {
        likelihood: Likelihood::Exponential,
        prior: ScalePrior::Weak,
        typical_length: TYPICAL,
        typical_spread: TYPICAL,
        floor: 1e-9,
    };
    let mut random = stream(seed, 5);
    let size = random.random_range(1..N_DRAWN);
    let mut classes: Vec<usize> = (0..N_DRAWN).map(|i| usize::from(i >= size)).collect();
    classes.shuffle(&mut random);
    let background = LinkLengths::Exponential { scale: 1.0 };
    Sampler::with_drawn_scales(&step, background, 2, seed).draw_labelled(&classes, seed).unwrap()
}

const N_DRAWN: usize = 30;

/// Prior mean of link lengths; lengths between clusters are 1.
const TYPICAL: f64 = 0.04;

/// Of the memberships from `least` to `most`: how many there are, and how many of them name the true class.
fn calibration(n_sets: u64, least: f64, most: f64) -> (usize, usize) {
    let (mut n_all, mut n_right) = (0, 0);
    for seed in 0..n_sets {
        let drawn = drawn(seed);
        let pairs = drawn.observed().unwrap();
        let model = LatentGraph {
            typical_length: Some(TYPICAL),
            support: Some(Support::Complete),
            ..model(NClusters::Exactly(2), 600)
        };
        let fit = model.fit(&pairs, &[]).unwrap();
        let posterior = fit.posterior.unwrap();
        let truth = drawn.labels.as_slice();
        let n_same = (0..N_DRAWN).filter(|&i| fit.labels.as_slice()[i] == truth[i]).count();
        for (i, &own) in truth.iter().enumerate() {
            // Which of the two classes is called 0 says nothing.
            let own = if 2 * n_same < N_DRAWN { 1 - own } else { own };
            for (class, membership) in posterior.row(i).iter().enumerate() {
                if (least..most).contains(membership) {
                    n_all += 1;
                    n_right += usize::from(class == own);
                }
            }
        }
    }
    (n_all, n_right)
}

#[test]
fn memberships_between_0_8_and_0_9_are_right_about_as_often() {
    let (n_all, n_right) = calibration(40, 0.8, 0.9);
    let part = n_right as f64 / n_all as f64;
    assert!(n_all > 100 && (0.75..0.95).contains(&part), "{n_right} of {n_all}");
}
