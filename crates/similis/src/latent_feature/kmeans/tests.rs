use super::*;
use crate::run::observer::Silent;
use proptest::prelude::*;

fn features(values: Vec<f64>, width: usize) -> Features {
    let n = values.len() / width;
    Features::from_rows(values, n, width)
}

fn fit(values: &[f64], n_clusters: usize) -> KMeansFit {
    let settings = KMeans { n_clusters, ..KMeans::default() };
    settings.fit(&features(values.to_vec(), 1), &Silent).unwrap()
}

#[test]
fn two_groups_on_a_line_by_hand() {
    // Groups {0, 1} and {10, 12}: means 0.5 and 11, distortion 0.25 + 0.25 + 1 + 1.
    let fit = fit(&[10.0, 0.0, 12.0, 1.0], 2);
    assert_eq!(fit.labels.as_slice(), [0, 1, 0, 1]);
    assert_eq!(fit.centres.as_slice(), [11.0, 0.5]);
    assert_eq!(fit.distortion, 2.5);
    assert_eq!(fit.ended, Termination::Converged);
}

#[test]
fn duplicates_still_give_as_many_clusters_as_asked() {
    for n_clusters in 1..=5 {
        assert_eq!(fit(&[3.0; 5], n_clusters).labels.n_clusters(), n_clusters);
    }
}

#[test]
fn impossible_counts_are_refused() {
    let rows = features(vec![0.0, 1.0], 1);
    for given in [0, 3] {
        let settings = KMeans { n_clusters: given, ..KMeans::default() };
        assert_eq!(
            settings.fit(&rows, &Silent),
            Err(Error::Settings(SettingError::NClusters { given, n_points: 2 }))
        );
    }
    let settings = KMeans { n_restarts: 0, ..KMeans::default() };
    assert_eq!(settings.fit(&rows, &Silent), Err(Error::Settings(SettingError::NRestarts)));
}

#[test]
fn a_cancelled_run_returns_its_best_so_far() {
    struct Impatient;
    impl Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let values: Vec<f64> = (0..100).map(|i| f64::from(i * i % 97)).collect();
    let settings = KMeans { n_clusters: 7, ..KMeans::default() };
    let fit = settings.fit(&features(values, 1), &Impatient).unwrap();
    assert_eq!((fit.ended, fit.n_iterations, fit.labels.n_clusters()), (Termination::Cancelled, 1, 7));
}

/// The least distortion over all groupings into exactly `n_clusters` clusters.
fn exhaustive(rows: &Features, n_clusters: usize) -> f64 {
    let n = rows.n_rows();
    let groupings = (0..n_clusters.pow(n as u32))
        .map(|code| (0..n).map(|i| code / n_clusters.pow(i as u32) % n_clusters).collect::<Vec<usize>>());
    groupings
        .filter(|cluster| Labels::new(cluster).n_clusters() == n_clusters)
        .map(|cluster| whole_value(rows, &cluster, 0, Termination::Converged).distortion)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn small_inputs_reach_the_least_distortion_of_all_groupings() {
    // A fixed seed: no number of restarts makes k-means exact for every input.
    let mut random = stream(1, 0);
    for _ in 0..300 {
        let (n, n_clusters) = (random.random_range(3..8), random.random_range(1..4));
        let lattice = random.random::<bool>();
        let place = |x: f64| if lattice { x.round() } else { x };
        let values = (0..2 * n).map(|_| place(random.random_range(-3.0..3.0))).collect();
        let rows = features(values, 2);
        let settings = KMeans { n_clusters, n_restarts: 30, ..KMeans::default() };
        let fit = settings.fit(&rows, &Silent).unwrap();
        let least = exhaustive(&rows, n_clusters);
        assert!(fit.distortion <= least * (1.0 + 1e-9) + 1e-12, "{} {least} {rows:?}", fit.distortion);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn threads_change_no_bit(values in prop::collection::vec(-1.0f64..1.0, 6000), seed in 0u64..5) {
        let rows = features(values, 2);
        let settings = KMeans { n_clusters: 5, n_restarts: 3, seed, ..KMeans::default() };
        let fits: Vec<KMeansFit> =
            [1, 2, 5].map(|threads| parallel::with_threads(threads, || settings.fit(&rows, &Silent).unwrap())).into();
        prop_assert!(fits.iter().all(|fit| fit == &fits[0]));
    }
}
