use crate::error::{InputError, SettingError};
use std::f64::consts::{PI, TAU};

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::affinity::matrix::SimilarityMatrix;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Quantity};
use crate::latent_feature::likelihood::residual;
use crate::numeric::linalg::top_eigenpairs::TopEigenpairs;
use crate::run::parallel::with_threads;
use crate::run::random::{Random, stream};

fn dense(values: Vec<f64>) -> SimilarityMatrix<'static> {
    let n_points = values.len().isqrt();
    SimilarityMatrix::Dense { values: values.into(), n_points }
}

/// A symmetric matrix of n points with entries between 0 and 1.
fn random_matrix(n: usize, random: &mut Random) -> Vec<f64> {
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for j in i..n {
            let entry: f64 = random.random();
            values[i * n + j] = entry;
            values[j * n + i] = entry;
        }
    }
    values
}

fn similarities(values: Vec<f64>) -> Dissimilarity<'static> {
    let n = values.len().isqrt();
    Dissimilarity::from_square(values, [n, n], Quantity::Similarities, Checks::default()).unwrap()
}

fn rows(values: &[f64], width: usize) -> Features {
    Features::from_rows(values.to_vec(), values.len() / width, width)
}

fn two_classes() -> GaussianConditionals {
    let classes =
        vec![Gaussian::new(vec![1.0], vec![1.0]).unwrap(), Gaussian::new(vec![1.5], vec![4.0]).unwrap()];
    GaussianConditionals { noise: 0.5, classes }
}

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

/// Another choice for Eq. (2): similarities with heavier tails.
struct LaplaceConditionals(GaussianConditionals);

impl Conditionals for LaplaceConditionals {
    fn n_classes(&self) -> usize {
        self.0.n_classes()
    }

    fn log_similarity(&self, similarity: f64, first: &[f64], second: &[f64]) -> f64 {
        let inner: f64 = first.iter().zip(second).map(|(x, y)| x * y).sum();
        -(2f64.ln()) - (similarity - inner).abs()
    }

    fn log_feature(&self, feature: &[f64], cluster: usize) -> f64 {
        self.0.log_feature(feature, cluster)
    }

    fn draw_similarity(&self, first: &[f64], second: &[f64], random: &mut Random) -> f64 {
        let inner: f64 = first.iter().zip(second).map(|(x, y)| x * y).sum();
        let side = if random.random::<bool>() { 1.0 } else { -1.0 };
        inner - side * (1.0 - random.random::<f64>()).ln()
    }

    fn draw_feature(&self, cluster: usize, random: &mut Random) -> Vec<f64> {
        self.0.draw_feature(cluster, random)
    }
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

fn identity(t: usize) -> Vec<f64> {
    (0..t * t).map(|at| f64::from(u8::from(at % (t + 1) == 0))).collect()
}

/// All eigenpairs by Jacobi's rotations: eigenvalues falling, eigenvectors as rows.
fn jacobi(values: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let n = values.len().isqrt();
    let (mut a, mut v) = (values.to_vec(), identity(n));
    for _ in 0..100 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q].abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (2.0 * a[p * n + q]).atan2(a[q * n + q] - a[p * n + p]);
                let (s, c) = theta.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p * n + k], v[q * n + k]);
                    (v[p * n + k], v[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> =
        (0..n).map(|k| (a[k * n + k], v[k * n..(k + 1) * n].to_vec())).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
    pairs
}

/// Features that minimise Eq. (4), found by gradient descent from a random start.
fn minimiser_of_eq_4(values: &[f64], t: usize, random: &mut Random) -> Vec<f64> {
    let n = values.len().isqrt();
    let mut features: Vec<f64> = (0..n * t).map(|_| random.random::<f64>() - 0.5).collect();
    let norm: f64 = values.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..200_000 {
        let mut gradient = vec![0.0; n * t];
        for i in 0..n {
            for j in 0..n {
                let inner: f64 = (0..t).map(|k| features[i * t + k] * features[j * t + k]).sum();
                let residual = inner - values[i * n + j];
                (0..t).for_each(|k| gradient[i * t + k] += residual * features[j * t + k]);
            }
        }
        features.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= 0.1 / norm * g);
        if gradient.iter().all(|g| g.abs() < 1e-12) {
            break;
        }
    }
    features
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

/// The features a textbook describes, by a full decomposition.
fn textbook(values: &[f64], t: usize, variant: Variant) -> Option<Features> {
    let n = values.len().isqrt();
    let mut affinity = values.to_vec();
    if variant == Variant::NgJordanWeiss {
        (0..n).for_each(|i| affinity[i * n + i] = 0.0);
    }
    let degree: Vec<f64> = (0..n).map(|i| affinity[i * n..(i + 1) * n].iter().sum()).collect();
    let normalised: Vec<f64> =
        (0..n * n).map(|at| affinity[at] / (degree[at / n] * degree[at % n]).sqrt()).collect();
    let pairs = jacobi(&normalised);
    let alone = (1..=t).all(|k| k == n || pairs[k - 1].0 - pairs[k].0 > 1e-3);
    let entry = |i: usize, k: usize| match variant {
        Variant::Lemma1 => pairs[k].0.max(0.0).sqrt() * pairs[k].1[i],
        Variant::NgJordanWeiss => pairs[k].1[i],
        Variant::MeilaShi => pairs[k].1[i] / degree[i].sqrt(),
    };
    let mut features: Vec<f64> =
        (0..n).flat_map(|i| (0..t).map(move |k| (i, k))).map(|(i, k)| entry(i, k)).collect();
    if variant == Variant::NgJordanWeiss {
        for row in features.chunks_mut(t) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    alone.then(|| rows(&features, t))
}

fn distortion(features: &Features, labels: &[usize], n_clusters: usize) -> f64 {
    let centres = kmeans::means(features, labels, n_clusters);
    (0..features.n_rows()).map(|i| kmeans::squared_distance(features.row(i), centres.row(labels[i]))).sum()
}

/// The least distortion over all groupings into exactly `n_clusters` clusters.
fn exhaustive(features: &Features, n_clusters: usize) -> f64 {
    let n = features.n_rows();
    (0..n_clusters.pow(n as u32))
        .map(|code| (0..n).map(|i| code / n_clusters.pow(i as u32) % n_clusters).collect::<Vec<usize>>())
        .filter(|labels| Labels::new(labels).n_clusters() == n_clusters)
        .map(|labels| distortion(features, &labels, n_clusters))
        .fold(f64::INFINITY, f64::min)
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

/// Classes whose means lie four spreads and more apart.
fn apart(covariance: Covariance) -> GaussianConditionals {
    let spread = 0.1;
    let psi = match covariance {
        Covariance::Full => vec![spread * spread, 0.004, 0.004, spread * spread],
        _ => vec![spread * spread, 0.0, 0.0, spread * spread],
    };
    let means = [[0.9, 0.1], [0.1, 0.9], [0.8, 0.8]];
    let classes = means.map(|mean| Gaussian::new(mean.to_vec(), psi.clone()).unwrap()).into();
    GaussianConditionals { noise: 0.01, classes }
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

/// Paths of three points each, the second link of each three times as similar as the first: no two degrees in one are alike.
fn paths(n_paths: usize) -> Dissimilarity<'static> {
    let links = |at: usize| [(3 * at, 3 * at + 1, 0.2), (3 * at + 1, 3 * at + 2, 0.6)];
    let edges: Vec<(usize, usize, f64)> = (0..n_paths).flat_map(links).collect();
    let matrix = SparseMatrix::from_edges(3 * n_paths, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Similarities, Checks::default()).unwrap()
}

#[test]
fn many_components_found_by_auto_have_the_fit_of_as_many_clusters_asked_for() {
    let observed = paths(35);
    for variant in [Variant::NgJordanWeiss, Variant::Lemma1, Variant::MeilaShi] {
        let auto = LatentFeature { variant, ..LatentFeature::default() };
        let asked = LatentFeature { n_clusters: NClusters::Exactly(35), ..auto };
        let (found, asked) = (auto.fit(&observed, &[]).unwrap(), asked.fit(&observed, &[]).unwrap());
        assert_eq!((found.n_components, found.labels.n_clusters()), (35, 35));
        assert!(format!("{found:?}") == format!("{asked:?}"), "{variant:?}");
        // Degrees of a path are 0.2, 0.8 and 0.6: the known eigenvector's second entry is the root of 0.8 / 1.6.
        let entry = found.features.row(1).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!((entry - 0.5f64.sqrt()).abs() < 1e-12, "{variant:?}: {entry}");
    }
}
