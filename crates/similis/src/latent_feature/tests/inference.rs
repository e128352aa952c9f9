use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn joint_inference_never_lowers_its_objective(
        seed in 0u64..1_000_000, n in 4usize..25, m in 1usize..4, covariance in 0usize..3
    ) {
        let covariance = [Covariance::Spherical, Covariance::Diagonal, Covariance::Full][covariance];
        let observed = similarities(random_matrix(n, &mut stream(seed, 0)));
        let model = LatentFeature {
            n_clusters: NClusters::Exactly(m),
            feature_inference: FeatureInference::Joint,
            covariance,
            ..LatentFeature::default()
        };
        let fit = model.fit(&observed, &[]).unwrap();
        prop_assert!(fit.trace.windows(2).all(|pair| pair[1] >= pair[0]), "{:?}", fit.trace);
        prop_assert!(fit.trace.iter().all(|value| value.is_finite()));
        prop_assert_eq!(fit.labels.n_clusters(), m);
        let memberships = fit.memberships.unwrap();
        prop_assert!((0..n).all(|i| (memberships.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_mixtures_likelihood_never_falls(
        values in prop::collection::vec(prop_oneof![-1.0f64..1.0, Just(0.5)], 8..60), m in 1usize..4, shape in 0usize..3
    ) {
        let features = rows(&values[..values.len() / 2 * 2], 2);
        let priors = BoundedPriors { mean_bound: 1.0, psi_floor: 1e-6, psi_ceiling: 1.0 };
        let covariance = [Covariance::Spherical, Covariance::Diagonal, Covariance::Full][shape];
        let settings = Mixture { covariance, n_restarts: 3, ..Mixture::new(m, priors) };
        let fit = settings.fit(&features, &Silent).unwrap();
        let rounding = 1e-9 * (1.0 + fit.log_likelihood().abs());
        prop_assert!(fit.trace.windows(2).all(|pair| pair[1] >= pair[0] - rounding), "{:?}", fit.trace);
        prop_assert_eq!(fit.labels.n_clusters(), m);
        prop_assert!(priors.log_density(&fit.classes, covariance).is_finite());
        // The trace ends with the likelihood of the classes that are returned.
        let log_mean = |i: usize| {
            let densities = fit.classes.iter().map(|class| class.log_density(features.row(i)).exp());
            (densities.sum::<f64>() / m as f64).ln()
        };
        let plain: f64 = (0..features.n_rows()).map(log_mean).sum();
        prop_assert!((plain - fit.log_likelihood()).abs() < 1e-6 * (1.0 + plain.abs()), "{plain}");
    }
}

#[test]
fn single_equal_and_extreme_points_have_a_finite_joint_and_the_clusters_asked_for() {
    let fit = |values: Vec<f64>, m: usize| {
        let n = values.len();
        let points = crate::input::points::Points::new(values, n, 1).unwrap();
        let pairs = Dissimilarity::from_points(points, crate::input::metric::Metric::Euclidean).unwrap();
        for affinity in [Affinity::Exponential, Affinity::Gaussian, Affinity::Local, Affinity::Nearest] {
            for variant in [Variant::Lemma1, Variant::NgJordanWeiss, Variant::MeilaShi] {
                for n_clusters in [NClusters::Auto, NClusters::Exactly(m)] {
                    let model = LatentFeature { n_clusters, variant, affinity, ..LatentFeature::default() };
                    let fit = model.fit(&pairs, &[]).unwrap();
                    assert_eq!(fit.labels.n_points(), n);
                    assert!(fit.log_joint.total().is_finite());
                    if n_clusters != NClusters::Auto {
                        assert_eq!(fit.labels.n_clusters(), m);
                    }
                }
            }
        }
    };
    fit(vec![5.0], 1); // one point
    fit(vec![1.0, 2.0], 2); // as many clusters as points
    fit(vec![3.0; 7], 3); // duplicates only
    fit(vec![0.0, 1e-300, 1.0, 1e300], 2); // extreme units
    fit((0..20).map(f64::from).collect(), 20);
    fit((0..20).map(f64::from).collect(), 1);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let observed = similarities(vec![1.0, 0.5, 0.5, 1.0]);
    let refused = |model: LatentFeature| model.fit(&observed, &[]).unwrap_err();
    let default = LatentFeature::default();
    for given in [0, 3] {
        let n_clusters = NClusters::Exactly(given);
        assert_eq!(
            refused(LatentFeature { n_clusters, ..default }),
            Error::Settings(SettingError::NClusters { given, n_points: 2 })
        );
        let n_features = NFeatures::Exactly(given);
        assert_eq!(
            refused(LatentFeature { n_features, ..default }),
            Error::Settings(SettingError::NFeatures { given, n_points: 2 })
        );
    }
    assert_eq!(refused(LatentFeature { n_restarts: 0, ..default }), Error::Settings(SettingError::NRestarts));
    for psi_floor in [0.0, -1.0, 1e-13, 1.5, f64::NAN] {
        assert!(matches!(
            refused(LatentFeature { psi_floor, ..default }),
            Error::Settings(SettingError::PsiFloor { .. })
        ));
    }
    let distances = Dissimilarity::from_condensed(vec![1.0], Quantity::Distances, Checks::default()).unwrap();
    let model = LatentFeature { normalised: true, ..default };
    assert_eq!(model.fit(&distances, &[]).unwrap_err(), Error::Input(InputError::NormalisedDistances));
}

#[test]
fn threads_change_no_bit_of_a_fit() {
    let mut random = stream(23, 0);
    let n = 350;
    let values: Vec<f64> = (0..2 * n).map(|_| random.random::<f64>()).collect();
    let points = crate::input::points::Points::new(values, n, 2).unwrap();
    let pairs = Dissimilarity::from_points(points, crate::input::metric::Metric::Euclidean).unwrap();
    for (affinity, feature_inference) in [
        (Affinity::Nearest, FeatureInference::Greedy),
        (Affinity::Gaussian, FeatureInference::Greedy),
        (Affinity::Nearest, FeatureInference::Joint),
    ] {
        let model = LatentFeature {
            n_clusters: NClusters::Exactly(4),
            gamma: Gamma::Given(0.2),
            grouping: Grouping::Mixture,
            affinity,
            feature_inference,
            ..LatentFeature::default()
        };
        let fits = [1, 2, 5].map(|threads| with_threads(threads, || model.fit(&pairs, &[]).unwrap()));
        for fit in &fits {
            assert_eq!(fit.labels, fits[0].labels);
            assert_eq!(fit.embedding, fits[0].embedding);
            assert_eq!(fit.eigenvalues, fits[0].eigenvalues);
            assert_eq!(fit.log_joint, fits[0].log_joint);
            assert_eq!(fit.memberships, fits[0].memberships);
            assert_eq!(fit.trace, fits[0].trace);
        }
    }
}

#[test]
fn many_components_found_by_auto_have_the_fit_of_as_many_clusters_asked_for() {
    let observed = paths(35);
    for variant in [Variant::NgJordanWeiss, Variant::Lemma1, Variant::MeilaShi] {
        let auto = LatentFeature { variant, ..LatentFeature::default() };
        let asked = LatentFeature { n_clusters: NClusters::Exactly(35), ..auto };
        let (mut found, asked) = (auto.fit(&observed, &[]).unwrap(), asked.fit(&observed, &[]).unwrap());
        assert_eq!((found.number_by, asked.number_by), (NumberBy::Components, NumberBy::Given));
        found.number_by = NumberBy::Given;
        assert_eq!((found.n_components, found.labels.n_clusters()), (35, 35));
        let (sizes, n) = (&found.component_sizes, found.labels.n_points());
        assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (35, n));
        assert!(format!("{found:?}") == format!("{asked:?}"), "{variant:?}");
        // Degrees of a path are 0.2, 0.8 and 0.6: the known eigenvector's second entry is the root of 0.8 / 1.6.
        let entry = found.features.row(1).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!((entry - 0.5f64.sqrt()).abs() < 1e-12, "{variant:?}: {entry}");
    }
}
