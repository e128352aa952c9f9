use super::*;

#[test]
fn eq_1_to_3_by_hand_on_two_points() {
    let model = two_classes();
    // Eq. (2): L = 1.5 about 1 * 2 = 2 with variance 1/2: -1/2 [log(2 pi / 2) + (1/4) / (1/2)].
    let pair = -0.5 * (PI.ln() + 0.5);
    assert!((model.log_similarity(1.5, &[1.0], &[2.0]) - pair).abs() < 1e-15);
    // Eq. (3): 1 about 1 with variance 1; 2 about 1.5 with variance 4: -1/2 [log(8 pi) + (1/4) / 4].
    let (first, second) = (-0.5 * TAU.ln(), -0.5 * ((8.0 * PI).ln() + 1.0 / 16.0));
    assert!((model.log_feature(&[1.0], 0) - first).abs() < 1e-15);
    assert!((model.log_feature(&[2.0], 1) - second).abs() < 1e-15);
    // Eq. (1): means uniform between -4 and 4, variances between 1/2 and 9/2: -2 log 8 - 2 log 4; labels -2 log 2.
    let priors = BoundedPriors { mean_bound: 4.0, psi_floor: 0.5, psi_ceiling: 4.5 };
    let log_prior = priors.log_density(&model.classes, Covariance::Full);
    let (features, labels) = (rows(&[1.0, 2.0], 1), Labels::new(&[0, 1]));
    let latent = Latent { features: &features, labels: &labels };
    let matrix = dense(vec![9.0, 1.5, 1.5, 9.0]);
    let joint = log_joint(&model, log_prior, latent, &matrix, PairTerms::Upper).unwrap();
    let expected = -2.0 * 8f64.ln() - 2.0 * 4f64.ln() + pair + first + second - 2.0 * 2f64.ln();
    assert!((joint.total() - expected).abs() < 1e-14);
    // The diagonal adds L_00 = 9 about 1 and L_11 = 9 about 4.
    let with_diagonal = log_joint(&model, log_prior, latent, &matrix, PairTerms::UpperAndDiagonal).unwrap();
    let diagonal = -0.5 * (2.0 * PI.ln() + (64.0 + 25.0) / 0.5);
    assert!((with_diagonal.total() - expected - diagonal).abs() < 1e-12);
    // An asymmetric matrix counts both directions: L_10 = 2 fits exactly.
    let asymmetric = dense(vec![9.0, 1.5, 2.0, 9.0]);
    let ordered = log_joint(&model, log_prior, latent, &asymmetric, PairTerms::Ordered).unwrap();
    assert!((ordered.total() - expected - -0.5 * PI.ln()).abs() < 1e-14);
}

#[test]
fn parameters_outside_their_bounds_are_impossible() {
    let model = two_classes();
    let within = BoundedPriors { mean_bound: 2.0, psi_floor: 0.5, psi_ceiling: 4.0 };
    assert!(within.log_density(&model.classes, Covariance::Spherical).is_finite());
    for priors in [
        BoundedPriors { mean_bound: 1.2, ..within },
        BoundedPriors { psi_floor: 1.5, ..within },
        BoundedPriors { psi_ceiling: 3.0, ..within },
    ] {
        assert_eq!(priors.log_density(&model.classes, Covariance::Spherical), f64::NEG_INFINITY);
    }
}

#[test]
fn without_a_floor_the_joint_has_no_maximum() {
    // Two points on top of each other: the log density grows by log 10 for each hundredth of the variance.
    let at = |psi: f64| Gaussian::new(vec![0.0], vec![psi]).unwrap().log_density(&[0.0]);
    assert!((at(1e-20) - at(1e-18) - 10f64.ln()).abs() < 1e-9);
}

#[test]
fn the_conditional_distributions_can_be_replaced() {
    let model = LaplaceConditionals(two_classes());
    let drawn = sample(&model, 400, PairTerms::Upper, 3).unwrap();
    let latent = Latent { features: &drawn.features, labels: &drawn.labels };
    let joint = log_joint(&model, 0.0, latent, &drawn.matrix, PairTerms::Upper).unwrap();
    // The mean log density of a Laplace variable of scale 1 is -log 2 - 1; its standard deviation is 1.
    let n_pairs = 400.0 * 399.0 / 2.0;
    let mean = joint.similarities / n_pairs;
    assert!((mean + 2f64.ln() + 1.0).abs() < 5.0 / f64::sqrt(n_pairs), "{mean}");
    // Under the Gaussian of variance 1/2 heavy tails are less probable.
    let gaussian = log_joint(&model.0, 0.0, latent, &drawn.matrix, PairTerms::Upper).unwrap();
    assert!(gaussian.similarities < joint.similarities);
}

#[test]
fn samples_have_the_moments_of_the_model() {
    let model = two_classes();
    let n = 300;
    let drawn = sample(&model, n, PairTerms::Ordered, 5).unwrap();
    for (class, (mean, spread)) in [(1.0, 1.0), (1.5, 2.0)].into_iter().enumerate() {
        let members: Vec<f64> =
            (0..n).filter(|&i| drawn.classes[i] == class).map(|i| drawn.features.row(i)[0]).collect();
        let estimate = members.iter().sum::<f64>() / members.len() as f64;
        assert!((estimate - mean).abs() < 4.0 * spread / (members.len() as f64).sqrt());
    }
    let mut squares = 0.0;
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            squares += (drawn.matrix.get(i, j) - drawn.features.row(i)[0] * drawn.features.row(j)[0]).powi(2);
        }
    }
    let n_pairs = (n * (n - 1)) as f64;
    assert!((squares / n_pairs - 0.5).abs() < 4.0 * 0.5 * (2.0 / n_pairs).sqrt());
    assert_ne!(drawn.matrix.get(0, 1), drawn.matrix.get(1, 0));
    assert_eq!(sample(&model, 10, PairTerms::Upper, 5), sample(&model, 10, PairTerms::Upper, 5));
    assert_eq!(sample(&model, 0, PairTerms::Upper, 5), Err(Error::Input(InputError::NoPoints)));
    let none = GaussianConditionals { noise: 1.0, classes: Vec::new() };
    assert_eq!(
        sample(&none, 3, PairTerms::Upper, 5),
        Err(Error::Settings(SettingError::NClusters { given: 0, n_points: 3 }))
    );
    let (features, labels) = (rows(&[1.0, 2.0], 1), Labels::new(&[0, 1, 2]));
    let latent = Latent { features: &features, labels: &labels };
    let refused = log_joint(&model, 0.0, latent, &dense(vec![0.0; 4]), PairTerms::Upper);
    assert_eq!(refused, Err(Error::Input(InputError::LabelLengths { first: 2, second: 3 })));
    let (features, labels) = (rows(&[1.0, 2.0, 3.0], 1), Labels::new(&[0, 1, 2]));
    let latent = Latent { features: &features, labels: &labels };
    let refused = log_joint(&model, 0.0, latent, &dense(vec![0.0; 9]), PairTerms::Upper);
    assert_eq!(refused, Err(Error::Input(InputError::ClassLengths { n_clusters: 3, n_classes: 2 })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]
    #[test]
    fn the_fast_residual_is_the_double_sum(seed in 0u64..1_000_000, n in 1usize..12, t in 1usize..4) {
        let mut random = stream(seed, 0);
        let matrix = dense(random_matrix(n, &mut random));
        let values: Vec<f64> = (0..n * t).map(|_| random.random::<f64>() - 0.5).collect();
        let features = rows(&values, t);
        for terms in [PairTerms::Upper, PairTerms::UpperAndDiagonal, PairTerms::Ordered] {
            let fast = residual(&matrix, &features, terms);
            let labels = Labels::new(&vec![0; n]);
            let latent = Latent { features: &features, labels: &labels };
            // With variance 1 / (2 pi) the log density of a pair is -pi times its squared residual.
            let class = Gaussian::new(vec![0.0; t], identity(t)).unwrap();
            let model = GaussianConditionals { noise: 1.0 / TAU, classes: vec![class] };
            let slow = log_joint(&model, 0.0, latent, &matrix, terms).unwrap().similarities / -PI;
            prop_assert!((fast.sum - slow).abs() < 1e-10 * (1.0 + slow));
        }
    }
}

#[test]
fn lemma_1_features_minimise_eq_4() {
    let mut random = stream(11, 0);
    let mut n_checked = 0;
    while n_checked < 12 {
        let (n, t) = (random.random_range(3..6), random.random_range(1..4usize));
        // Shifted, so that some draws have negative eigenvalues among the top t.
        let mut values = random_matrix(n, &mut random);
        values.iter_mut().for_each(|x| *x -= 0.3);
        let pairs = jacobi(&values);
        let gap = pairs[t - 1].0.max(0.0) - pairs.get(t).map_or(f64::NEG_INFINITY, |pair| pair.0.max(0.0));
        // Without a gap the minimiser is not unique; near an eigenvalue of 0 descent takes for ever.
        if pairs.iter().any(|pair| pair.0.abs() < 0.05) || (gap < 0.05 && pairs[t - 1].0 > 0.0) {
            continue;
        }
        let solver = TopEigenpairs { n_wanted: t, ..TopEigenpairs::default() };
        let spectrum = Spectrum::of_normalised(dense(values.clone()), &solver, &Silent);
        let ours = spectrum.lemma_1(t);
        let theirs = minimiser_of_eq_4(&values, t, &mut random);
        for i in 0..n {
            for j in 0..n {
                let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
                let (a, b) =
                    (inner(ours.row(i), ours.row(j)), inner(&theirs[i * t..][..t], &theirs[j * t..][..t]));
                assert!((a - b).abs() < 1e-8, "{a} {b} {values:?}");
            }
        }
        assert_eq!(spectrum.n_negative(t), pairs[..t].iter().filter(|pair| pair.0 < 0.0).count());
        n_checked += 1;
    }
}

#[test]
fn eq_4_by_hand_on_two_points() {
    // (2 1; 1 2) has eigenvalue 3 for (1, 1) / sqrt 2: the best feature of one dimension is sqrt(3/2) for both.
    let solver = TopEigenpairs { n_wanted: 1, ..TopEigenpairs::default() };
    let spectrum = Spectrum::of_normalised(dense(vec![2.0, 1.0, 1.0, 2.0]), &solver, &Silent);
    let features = spectrum.lemma_1(1);
    assert!(features.as_slice().iter().all(|x| (x - 1.5f64.sqrt()).abs() < 1e-14));
    // What is left is 2 - 3/2 on the diagonal and 1 - 3/2 off it: in all 4 * 1/4 over ordered pairs.
    let left = residual(&spectrum.normalised.matrix, &features, PairTerms::UpperAndDiagonal);
    assert!((left.sum - 0.75).abs() < 1e-14);
}

#[test]
fn the_variants_equal_a_textbook_with_exhaustive_k_means() {
    let mut random = stream(17, 0);
    let mut n_checked = 0;
    while n_checked < 60 {
        let (n, m) = (random.random_range(4..9usize), random.random_range(2..4usize));
        let values = random_matrix(n, &mut random);
        let variant = [Variant::Lemma1, Variant::NgJordanWeiss, Variant::MeilaShi][n_checked % 3];
        let Some(features) = textbook(&values, m, variant) else { continue };
        let model = LatentFeature { n_clusters: NClusters::Exactly(m), variant, ..LatentFeature::default() };
        let model = LatentFeature { n_restarts: 40, ..model };
        let fit = model.fit(&similarities(values), &[]).unwrap();
        let ours = distortion(&features, fit.labels.as_slice(), m);
        let least = exhaustive(&features, m);
        assert!(ours <= least * (1.0 + 1e-7) + 1e-12, "{variant:?} {ours} {least}");
        n_checked += 1;
    }
}

#[test]
fn what_is_simulated_is_recovered() {
    for covariance in [Covariance::Spherical, Covariance::Diagonal, Covariance::Full] {
        for seed in 0..5 {
            let drawn = sample(&apart(covariance), 200, PairTerms::Upper, seed).unwrap();
            let SimilarityMatrix::Dense { values, .. } = drawn.matrix else { unreachable!() };
            let observed = similarities(values.into_owned());
            for (grouping, feature_inference) in [
                (Grouping::KMeans, FeatureInference::Greedy),
                (Grouping::Mixture, FeatureInference::Greedy),
                (Grouping::KMeans, FeatureInference::Joint),
            ] {
                let model = LatentFeature {
                    n_clusters: NClusters::Exactly(3),
                    n_features: NFeatures::Exactly(2),
                    variant: Variant::Lemma1,
                    normalised: true,
                    grouping,
                    covariance,
                    feature_inference,
                    ..LatentFeature::default()
                };
                let fit = model.fit(&observed, &[]).unwrap();
                let agreement = adjusted_rand_index(&fit.labels, &drawn.labels).unwrap();
                assert!(
                    agreement > 0.95,
                    "{covariance:?} {grouping:?} {feature_inference:?} seed {seed}: {agreement}"
                );
                // Features are found up to a rotation, so the classes are compared by the sizes of their parts.
                for class in &fit.conditionals.classes {
                    let trace = class.covariance()[0] + class.covariance()[3];
                    assert!((trace - 0.02).abs() < 0.012, "{trace}");
                }
                assert!((fit.conditionals.noise - 0.01).abs() < 0.001);
            }
        }
    }
}
