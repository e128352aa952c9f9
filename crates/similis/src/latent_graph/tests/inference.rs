use super::*;

#[test]
fn units_change_only_scales_and_the_joint_by_a_known_constant() {
    for (likelihood, scale_prior) in [
        (Likelihood::Exponential, ScalePrior::Weak),
        (Likelihood::Exponential, ScalePrior::None),
        (Likelihood::Gaussian, ScalePrior::Weak),
        (Likelihood::Gaussian, ScalePrior::None),
    ] {
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            likelihood,
            scale_prior,
            ..LatentGraph::default()
        };
        let settings = settings.with(&[("n_restarts", "3")]).unwrap();
        let plain = fit_line(&settings, dense_and_sparse(1.0));
        for unit in [1e-9, 1e9] {
            let scaled = fit_line(&settings, dense_and_sparse(unit));
            assert_eq!(scaled.labels, plain.labels);
            for (a, b) in scaled.scales.iter().zip(&plain.scales) {
                assert!((a / unit / b - 1.0).abs() < 1e-9);
            }
            // Each of the 780 densities of a length is per unit; the prior's is of a rate, or of a length and its square.
            let per_class = match (scale_prior, likelihood) {
                (ScalePrior::None, _) => 0.0,
                (_, Likelihood::Exponential) => 1.0,
                (_, Likelihood::Gaussian) => -3.0,
            };
            let expected = plain.log_joint.total() + (2.0 * per_class - 780.0) * unit.ln();
            assert!(
                (scaled.log_joint.total() - expected).abs() < 1e-6 * expected.abs(),
                "{likelihood:?} {scale_prior:?}"
            );
        }
    }
}

#[test]
fn permuting_the_points_permutes_every_step() {
    // Random starts are drawn by number, so another order of hard data is another start. From the same labels, visited in
    // the same order, every step is the same.
    let mut random = stream(17, 0);
    let n = 40;
    let values: Vec<f64> = (0..2 * n).map(|_| random.random()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut random);
    let shuffled: Vec<f64> = order.iter().flat_map(|&i| values[2 * i..2 * i + 2].to_vec()).collect();
    let start: Vec<usize> = (0..n).map(|i| i % 3).collect();
    let visits: Vec<usize> = (0..200).map(|_| random.random_range(0..n)).collect();
    let run = |values: Vec<f64>, start: &[usize], visits: &[usize]| {
        let observed =
            Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Euclidean).unwrap();
        let lengths = Lengths::complete(&observed);
        let model = LatentGraph::default().model(&lengths, &global_tree(&observed, &Silent)).unwrap();
        let mut run = Run::from_labels(&model, start, 3, &NONE);
        let moves: Vec<bool> = visits.iter().map(|&i| run.move_point(i)).collect();
        (moves, run.log_joint().total())
    };
    let place: Vec<usize> = (0..n).map(|i| order.iter().position(|&j| j == i).unwrap()).collect();
    let plain = run(values, &start, &visits);
    let permuted_start: Vec<usize> = order.iter().map(|&i| start[i]).collect();
    let permuted_visits: Vec<usize> = visits.iter().map(|&i| place[i]).collect();
    let permuted = run(shuffled, &permuted_start, &permuted_visits);
    assert_eq!(plain.0, permuted.0);
    assert!(plain.0.iter().filter(|&&moved| moved).count() > 5);
    assert!((plain.1 - permuted.1).abs() < 1e-9);
}

#[test]
fn permuting_well_separated_points_permutes_the_answer() {
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let places = dense_and_sparse(1.0);
    let plain = fit_line(&settings, places.clone());
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.shuffle(&mut stream(17, 0));
    let permuted = fit_line(&settings, order.iter().map(|&i| places[i]).collect());
    let expected: Vec<usize> = order.iter().map(|&i| plain.labels.as_slice()[i]).collect();
    assert_eq!(permuted.labels, Labels::new(&expected));
}

#[test]
fn threads_change_no_bit_of_a_fit() {
    let mut random = stream(19, 0);
    let values: Vec<f64> = (0..160).map(|_| random.random()).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 80, 2).unwrap(), Metric::Euclidean).unwrap();
    let printed =
        LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..LatentGraph::default() };
    for settings in [LatentGraph::default(), printed, LatentGraph::paper()] {
        let settings = LatentGraph { n_clusters: NClusters::Exactly(3), ..settings };
        let fits = [1, 2, 5].map(|threads| with_threads(threads, || settings.fit(&observed, &[]).unwrap()));
        assert!(fits.iter().all(|fit| fit == &fits[0]));
    }
}

#[test]
fn a_fit_is_consistent_with_itself() {
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let found = fit_line(&settings, dense_and_sparse(1.0));
    assert_eq!(found.proposals[0].labels, found.labels);
    let scores: Vec<f64> = found.proposals.iter().map(|proposal| proposal.score.total()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let fit = fit_line(
        &LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..settings },
        dense_and_sparse(1.0),
    );
    for fit in [&found, &fit] {
        assert_eq!(fit.graph.len(), 38);
        assert!(fit.graph.iter().all(|link| fit.labels.as_slice()[link.from] == link.class));
    }
    assert_eq!(fit.restarts.len(), 10);
    let most = fit.restarts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(fit.log_joint.total(), most);
    assert_eq!(fit.trace.last(), Some(&most));
    assert!(fit.trace.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9));
    assert_eq!(fit.ended, Termination::Converged);
}

#[test]
fn at_convergence_the_scales_are_those_of_the_links() {
    // Eq. (12) and (13) hold of the answer, also where a new scale changes the order of links and so the tree.
    let mut random = stream(27, 0);
    let values: Vec<f64> = (0..120).map(|_| random.random()).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 60, 2).unwrap(), Metric::Euclidean).unwrap();
    let fit = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::paper() }
        .fit(&observed, &[])
        .unwrap();
    assert_eq!(fit.ended, Termination::Converged);
    for (class, (&scale, &spread)) in fit.scales.iter().zip(&fit.spreads).enumerate() {
        let lengths: Vec<f64> =
            fit.graph.iter().filter(|link| link.class == class).map(|link| link.length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let variance = lengths.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / lengths.len() as f64;
        assert!((mean - scale).abs() < 1e-9 && (variance.sqrt() - spread).abs() < 1e-9, "{mean} {scale}");
    }
}

#[test]
fn section_3_2_similarities_are_taken_as_they_are() {
    // Two blocks: 0.9 within, 0.1 between, a little noise. The most similar pairs are the links.
    let mut random = stream(29, 0);
    let n = 20;
    let mut values = vec![1.0; n * n];
    for i in 0..n {
        for j in i + 1..n {
            let level = if (i < 10) == (j < 10) { 0.9 } else { 0.1 };
            let value = level + 0.02 * random.random::<f64>();
            (values[i * n + j], values[j * n + i]) = (value, value);
        }
    }
    let observed =
        Dissimilarity::from_square(values, [n, n], Quantity::Similarities, Checks::default()).unwrap();
    // Half of the labels are known: the paper's search is weak, and the model is what is shown.
    let known: Vec<Option<usize>> = (0..n).map(|i| (i % 2 == 0).then_some(i / 10)).collect();
    for support in [Support::Complete, Support::Nearest] {
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            likelihood: Likelihood::Gaussian,
            support: Some(support),
            support_neighbours: 5,
            ..LatentGraph::default()
        };
        let fit = settings.fit(&observed, &known).unwrap();
        let truth: Vec<usize> = (0..n).map(|i| i / 10).collect();
        assert_eq!(fit.labels, Labels::new(&truth), "{support:?}");
        assert!(fit.scales.iter().all(|&scale| scale > 0.85), "{:?}", fit.scales);
    }
}

#[test]
fn missing_pairs_do_not_depend_on_the_unit() {
    for unit in [1e-18, 1.0, 1e18] {
        let class = LinkLengths::Exponential { scale: unit };
        let weight = LinkWeight { class, background: LinkLengths::Exponential { scale: 10.0 * unit } };
        let order = weight.order();
        // The price is 0 where log 10 = 0.9 L.
        let crossing = unit * 10f64.ln() / 0.9;
        assert!(
            order.key(0.99 * crossing) < order.key(f64::NAN)
                && order.key(f64::NAN) < order.key(1.01 * crossing)
        );
    }
}

#[test]
fn a_support_in_more_parts_than_clusters_is_refused() {
    let edges = [(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0)];
    let matrix = crate::input::sparse::SparseMatrix::from_edges(6, &edges).unwrap();
    let observed = Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap();
    let settings = |n| LatentGraph { n_clusters: NClusters::Exactly(n), ..LatentGraph::default() };
    let sampled = LatentGraph { inference: Some(Inference::Sample(Sampling::default())), ..settings(2) };
    let purpose = "inference by sampling";
    assert_eq!(
        sampled.fit(&observed, &[]),
        Err(Error::Settings(SettingError::Parts { purpose, n_parts: 3, n_clusters: 2 }))
    );
    let fit = settings(3).fit(&observed, &[]).unwrap();
    assert_eq!(fit.labels.as_slice(), [0, 0, 1, 1, 2, 2]);
}

#[test]
fn section_5_known_labels_stay() {
    let places = dense_and_sparse(1.0);
    let observed =
        Dissimilarity::from_points(Points::new(places, 40, 1).unwrap(), Metric::Euclidean).unwrap();
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    // A lie in the middle of the dense cluster: it is kept.
    let mut known = vec![None; 40];
    (known[0], known[10], known[39]) = (Some(7), Some(3), Some(3));
    let fit = settings.fit(&observed, &known).unwrap();
    let labels = fit.labels.as_slice();
    assert!(labels[0] != labels[10] && labels[10] == labels[39]);
    let refused = |known: &[Option<usize>]| settings.fit(&observed, known).unwrap_err();
    assert_eq!(
        refused(&[None; 3]),
        Error::Constraints(ConstraintError::KnownLabels { given: 3, n_points: 40 })
    );
    let three: Vec<Option<usize>> = (0..40).map(|i| (i < 3).then_some(i)).collect();
    assert_eq!(
        refused(&three),
        Error::Constraints(ConstraintError::KnownClasses { given: 3, n_clusters: 2 })
    );
    assert_eq!(
        refused(&[Some(0); 40]),
        Error::Constraints(ConstraintError::KnownTooMany { given: 0, wanted: 1, n_clusters: 2 })
    );
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let observed = random_lengths(4, false, &mut stream(21, 0));
    let default = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let refused = |settings: LatentGraph| settings.fit(&observed, &[]).unwrap_err();
    let n_clusters = NClusters::Exactly(5);
    assert_eq!(
        refused(LatentGraph { n_clusters, ..default }),
        Error::Settings(SettingError::NClusters { given: 5, n_points: 4 })
    );
    let none = PaperSettings { n_restarts: 0, ..PaperSettings::default() };
    let inference = Some(Inference::Paper(none));
    assert_eq!(refused(LatentGraph { inference, ..default }), Error::Settings(SettingError::NRestarts));
    assert_eq!(default.with(&[("n_restarts", "0")]), Err(Error::Settings(SettingError::NRestarts)));
    let setting = "prior_neighbours";
    assert_eq!(
        refused(LatentGraph { prior_neighbours: 0, ..default }),
        Error::Settings(SettingError::ZeroNeighbours { setting })
    );
    let theorem =
        LatentGraph { background: Background::Theorem, likelihood: Likelihood::Gaussian, ..default };
    assert!(matches!(refused(theorem), Error::Settings(SettingError::Theorem { .. })));
    let negative = vec![1.0, -0.5, 0.2];
    let similarities =
        Dissimilarity::from_condensed(negative, Quantity::Similarities, Checks::default()).unwrap();
    let purpose = "the exponential likelihood";
    assert_eq!(default.fit(&similarities, &[]), Err(Error::Input(InputError::NeedsDistances { purpose })));
    let gaussian = LatentGraph { likelihood: Likelihood::Gaussian, ..default };
    assert_eq!(gaussian.fit(&similarities, &[]).unwrap().labels.n_clusters(), 2);
}

/// Cancels once it was asked this often.
struct Patience(std::sync::atomic::AtomicUsize);

impl Observer for Patience {
    fn cancelled(&self) -> bool {
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        self.0.fetch_update(relaxed, relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn with_restarts_left_out_the_paper_s_algorithm_says_that_it_was_cancelled() {
    let paper = |n_restarts| {
        let settings = PaperSettings { n_restarts, ..PaperSettings::default() };
        LatentGraph {
            n_clusters: NClusters::Exactly(2),
            inference: Some(Inference::Paper(settings)),
            ..LatentGraph::default()
        }
    };
    let points = Points::new(dense_and_sparse(1.0), 40, 1).unwrap();
    let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
    let fit = |n_restarts, patience: usize| {
        let observer = Patience(patience.into());
        let fit = crate::run::parallel::with_threads(1, || {
            paper(n_restarts).fit_observed(&observed, &[], &observer)
        });
        (fit.unwrap(), observer.0.into_inner())
    };
    // What one restart asks, and a little more: the first converges, the second is cut short, and the others are left out.
    let (one, left) = fit(1, 1_000_000);
    assert_eq!(one.ended, Termination::Converged);
    let (cut, _) = fit(50, 1_000_000 - left + 3);
    assert!(cut.restarts.len() < 50 && cut.restarts[0] == one.log_joint.total());
    assert_eq!(cut.ended, Termination::Cancelled);
}
