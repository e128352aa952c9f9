use super::*;
use crate::error::{InputError, SettingError};
use crate::input::Checks;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::latent_graph::search::score::varying::STEPS;
use crate::run::observer::Silent;
use rand::RngExt;

fn plane(values: &[f64]) -> Dissimilarity<'_> {
    Dissimilarity::from_points(Points::new(values, values.len() / 2, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// Two clouds of 60 points, side by side.
fn clouds(seed: u64) -> Vec<f64> {
    let mut random = crate::run::random::stream(seed, 0);
    let mut place =
        |i: usize| [random.random::<f64>() + if i < 60 { 0.0 } else { 2.0 }, random.random::<f64>()];
    (0..120).flat_map(&mut place).collect()
}

fn halves() -> Labels {
    Labels::new(&(0..120).map(|i| i < 60).collect::<Vec<_>>())
}

fn settings(score: Score) -> ScoreSettings {
    ScoreSettings { score, ..ScoreSettings::default() }
}

#[test]
fn the_terms_by_hand_on_four_points() {
    // Places 0, 1, 5, 7 as two clusters of one link each: sizes 2! each, trees 2^0. The mean of the links 1, 4, 2 is 7/3.
    // Each point has three neighbours, one of them in its cluster: 2 * 2 of 2 * 6 ends stay, a third.
    let observed = plane(&[0.0, 0.0, 1.0, 0.0, 5.0, 0.0, 7.0, 0.0]);
    let labels = Labels::new(&[0, 0, 1, 1]);
    let settings = ScoreSettings { scales: Scales::PerClass, walk_weight: 2.0, ..ScoreSettings::default() };
    let score = settings.score(&observed, &labels, &Silent).unwrap();
    assert!((score.prior - 4f64.ln()).abs() < 1e-15);
    assert!((score.walk + 2.0 * 4.0 * (2.0 / 3.0)).abs() < 1e-12);
    let evidence = |length: f64| {
        let term = |at: usize| {
            let scale = (7.0f64 / 3.0) * (-4.0 + 0.15 * at as f64).exp();
            (-(length / scale).powi(2)).exp() / (scale * scale)
        };
        ((0..70).map(term).sum::<f64>() / 70.0).ln()
    };
    assert!((score.classes[0].evidence - evidence(1.0)).abs() < 1e-12);
    assert!((score.evidence - evidence(1.0) - evidence(2.0)).abs() < 1e-12);
    assert_eq!([score.classes[0].mean_link, score.classes[1].mean_link], [1.0, 2.0]);
    assert!((score.total() - score.prior - score.evidence - score.walk).abs() < 1e-15);
}

#[test]
fn the_evidence_is_the_mean_over_the_steps_that_all_classes_share() {
    let places = clouds(3);
    let observed = plane(&places);
    let learned = ScoreSettings::default().score(&observed, &halves(), &Silent).unwrap();
    let fixed = |step: f64| {
        let settings = ScoreSettings { step: Some(step), ..ScoreSettings::default() };
        settings.score(&observed, &halves(), &Silent).unwrap().evidence
    };
    let all = STEPS.map(fixed);
    assert!((learned.evidence - log_mean_exp(&all)).abs() < 1e-9);
    let best = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!((learned.classes.iter().map(|class| class.evidence).sum::<f64>() - best).abs() < 1e-9);
    assert_eq!(fixed(learned.step), best);
    // A step so small that no cell is ever left is one scale.
    assert!((fixed(1e-6) - fixed(0.0)).abs() < 1e-8);
}

#[test]
fn the_true_clouds_score_best() {
    for score in [Score::BestTree, Score::AllTrees] {
        let places = clouds(4);
        let observed = plane(&places);
        let context = Context::new(&observed, &Silent);
        let scorer = Scorer::new(settings(score), &context);
        let truth = scorer.score(halves().as_slice()).total();
        let outlier: Vec<usize> = (0..120).map(|i| usize::from(i == 7)).collect();
        let turned: Vec<usize> = (0..120).map(|i| usize::from(places[2 * i + 1] > 0.5)).collect();
        let moved: Vec<usize> = (0..120).map(|i| usize::from(i >= 55)).collect();
        for other in [outlier, turned, moved] {
            assert!(truth > scorer.score(&other).total() + 5.0);
        }
    }
}

#[test]
fn a_scorer_remembers_classes_and_says_the_same_again() {
    let places = clouds(5);
    let observed = plane(&places);
    let context = Context::new(&observed, &Silent);
    for score in [Score::BestTree, Score::AllTrees] {
        let scorer = Scorer::new(settings(score), &context);
        let labels: Vec<usize> = (0..120).map(|i| if i < 60 { 0 } else { 1 + i % 2 }).collect();
        let first = scorer.score(&labels);
        assert_eq!(first, scorer.score(&labels));
        // A tree that the caller brings changes no bit, in whichever order its links come.
        let brought = Scorer::new(settings(score), &context).score_with(&labels, |class| {
            let mut tree = ClassTrees::new(&context).of(&members(&labels)[class]);
            tree.reverse();
            Some(tree)
        });
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
        assert!(close(first.total(), brought.total()));
        // Clusters without points, and other numbers, change nothing.
        let renamed: Vec<usize> = labels.iter().map(|&class| 5 - 2 * class).collect();
        assert!(close(first.total(), scorer.score(&renamed).total()));
        assert_eq!(scorer.score(&renamed).classes.len(), 3);
    }
}

#[test]
fn threads_change_no_bit() {
    let places = clouds(6);
    let observed = plane(&places);
    let labels = Labels::new(&(0..120).map(|i| i % 7).collect::<Vec<_>>());
    let score = |threads: usize| {
        parallel::with_threads(threads, || ScoreSettings::default().score(&observed, &labels, &Silent))
    };
    assert_eq!(score(1), score(4));
}

#[test]
fn the_unit_of_lengths_shifts_the_score_by_its_logarithm() {
    let places = clouds(8);
    for score in [Score::BestTree, Score::AllTrees] {
        let total = |unit: f64| {
            let places: Vec<f64> = places.iter().map(|x| x * unit).collect();
            settings(score).score(&plane(&places), &halves(), &Silent).unwrap().total()
        };
        for unit in [1e-9, 1e9] {
            assert!((total(unit) - total(1.0) + 2.0 * 118.0 * f64::ln(unit)).abs() < 1e-6);
        }
    }
}

#[test]
fn a_matrix_scores_as_the_points_it_comes_from() {
    let places = clouds(9);
    let points = plane(&places);
    let entry = |at: usize| points.pair(at / 120, at % 120).unwrap();
    let values: Vec<f64> = (0..120 * 120).map(entry).collect();
    let matrix =
        Dissimilarity::from_square(values, [120, 120], Quantity::Distances, Checks::default()).unwrap();
    for score in [Score::BestTree, Score::AllTrees] {
        let of = |observed: &Dissimilarity<'_>| {
            settings(score).score(observed, &halves(), &Silent).unwrap().total()
        };
        assert!((of(&points) - of(&matrix)).abs() < 1e-9);
    }
}

#[test]
fn a_class_in_pieces_that_nothing_joins_pays_the_background_s_price_for_each_join() {
    let edges = SparseMatrix::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0), (1, 2, 5.0)]).unwrap();
    let observed = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
    for score in [Score::BestTree, Score::AllTrees] {
        let settings = ScoreSettings { step: Some(0.0), ..settings(score) };
        let of = |names: &[usize]| settings.score(&observed, &Labels::new(names), &Silent).unwrap();
        assert!(of(&[0, 0, 1, 1]).total().is_finite());
        assert!(of(&[0, 1, 2, 3]).total().is_finite());
        // The mean link of the tree 1, 1, 5 is 7 / 3, and so long counts the link between 0 and 3, at the scale of all pairs: the
        // root of their mean square, 3, or in a plane of four points twice the mean link, which is more. m = 2.
        let (mean, scale) = (7.0 / 3.0, 14.0 / 3.0);
        let join = -2.0 * f64::ln(scale) - f64::powi(mean / scale, 2);
        let found = of(&[0, 1, 1, 0]).evidence - of(&[0, 1, 1, 2]).evidence;
        assert!((found - join).abs() < 1e-12, "{found} {join}");
    }
    // A search that has clusters enough may not do so.
    let context = Context::new(&observed, &Silent);
    let scorer = Scorer::new(settings(Score::BestTree), &context);
    assert_eq!(scorer.score(&[0, 1, 1, 0]).evidence, f64::NEG_INFINITY);
}

#[test]
fn bad_settings_and_labels_are_refused() {
    let observed = plane(&[0.0, 0.0, 1.0, 0.0]);
    let labels = Labels::new(&[0, 1]);
    let score = |settings: ScoreSettings| settings.score(&observed, &labels, &Silent).map(|_| ());
    let good = ScoreSettings::default();
    for (settings, setting, given) in [
        (ScoreSettings { walk_weight: -1.0, ..good }, "walk_weight", -1.0),
        (ScoreSettings { step: Some(f64::INFINITY), ..good }, "step", f64::INFINITY),
        (ScoreSettings { shape: 0.0, ..good }, "shape", 0.0),
    ] {
        assert_eq!(score(settings), Err(Error::Settings(SettingError::ScoreSetting { setting, given })));
    }
    let one = Labels::new(&[0]);
    let error = Err(Error::Input(InputError::LabelLengths { first: 2, second: 1 }));
    assert_eq!(good.score(&observed, &one, &Silent), error);
    let alike = Dissimilarity::from_condensed(vec![0.5], Quantity::Similarities, Checks::default()).unwrap();
    assert!(matches!(
        good.score(&alike, &labels, &Silent),
        Err(Error::Input(InputError::NeedsDistances { .. }))
    ));
}
