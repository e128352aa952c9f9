use crate::error::InputError;
use proptest::prelude::*;

use super::*;

const METRICS: [Metric; 10] = [
    Metric::Euclidean,
    Metric::SquaredEuclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski { p: 2.5 },
    Metric::Cosine,
    Metric::Correlation,
    Metric::Hamming,
    Metric::Jaccard,
    Metric::Haversine,
];

fn measured(rows: &[f64], n_dimensions: usize, metric: Metric) -> Result<MeasuredPoints<'_>, Error> {
    MeasuredPoints::new(Points::new(rows, rows.len() / n_dimensions, n_dimensions).unwrap(), metric)
}

/// The formula as a textbook prints it.
fn plain(metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&x, &y)| f(x, y)).sum::<f64>();
    let count = |f: &dyn Fn(f64, f64) -> bool| a.iter().zip(b).filter(|(x, y)| f(**x, **y)).count() as f64;
    let n = a.len() as f64;
    match metric {
        Metric::Euclidean => sum(&|x, y| (x - y).powi(2)).sqrt(),
        Metric::SquaredEuclidean => sum(&|x, y| (x - y).powi(2)),
        Metric::Manhattan => sum(&|x, y| (x - y).abs()),
        Metric::Chebyshev => a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max),
        Metric::Minkowski { p } => sum(&|x, y| (x - y).abs().powf(p)).powf(1.0 / p),
        Metric::Cosine => 1.0 - sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt(),
        Metric::Correlation => {
            let (mx, my) = (sum(&|x, _| x) / n, sum(&|_, y| y) / n);
            let (sx, sy) = (sum(&|x, _| (x - mx).powi(2)), sum(&|_, y| (y - my).powi(2)));
            1.0 - sum(&|x, y| (x - mx) * (y - my)) / (sx * sy).sqrt()
        }
        Metric::Hamming => count(&|x, y| x != y) / n,
        Metric::Jaccard => match count(&|x, y| x != 0.0 || y != 0.0) {
            0.0 => 0.0,
            either => count(&|x, y| x != y) / either,
        },
        // The spherical law of cosines.
        Metric::Haversine => {
            let cosine = a[0].sin() * b[0].sin() + a[0].cos() * b[0].cos() * (a[1] - b[1]).cos();
            cosine.clamp(-1.0, 1.0).acos()
        }
    }
}

/// Three rows fit for every metric: two coordinates for the globe, and whole numbers so that some are equal or zero.
fn rows(metric: Metric) -> impl Strategy<Value = Vec<f64>> {
    let coordinate = match metric {
        Metric::Haversine => (-1.5f64..1.5).boxed(),
        Metric::Hamming | Metric::Jaccard => (0i32..3).prop_map(f64::from).boxed(),
        _ => prop_oneof![-5.0f64..5.0, (-3i32..4).prop_map(f64::from)].boxed(),
    };
    let n_dimensions = if metric == Metric::Haversine { 2..3usize } else { 1..9usize };
    n_dimensions.prop_flat_map(move |d| prop::collection::vec(coordinate.clone(), 3 * d))
}

proptest! {
    #[test]
    fn every_metric_equals_its_plain_formula((metric, rows) in prop::sample::select(&METRICS[..]).prop_flat_map(|metric| (Just(metric), rows(metric)))) {
        let d = rows.len() / 3;
        let Ok(points) = measured(&rows, d, metric) else {
            // Only rows without a direction are refused.
            prop_assert!(matches!(metric, Metric::Cosine | Metric::Correlation));
            return Ok(());
        };
        for i in 0..3 {
            prop_assert_eq!(points.distance(i, i), 0.0);
            for j in 0..3 {
                let distance = points.distance(i, j);
                let expected = plain(metric, &rows[i * d..(i + 1) * d], &rows[j * d..(j + 1) * d]);
                prop_assert!(distance >= 0.0);
                prop_assert_eq!(distance.to_bits(), points.distance(j, i).to_bits());
                // The plain formulas of the angles lose half their digits near 0.
                prop_assert!((distance - expected).abs() < 1e-7 * (1.0 + expected), "{metric:?} {distance} {expected}");
            }
        }
    }

    #[test]
    fn units_only_multiply(exponent in -1000i32..1000, rows in prop::collection::vec(-1.0f64..1.0, 8)) {
        let unit = 2f64.powi(exponent);
        let scaled: Vec<f64> = rows.iter().map(|x| x * unit).collect();
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Minkowski { p: 3.0 }] {
            let near = measured(&rows, 2, metric).unwrap().distance(0, 1) * unit;
            let far = measured(&scaled, 2, metric).unwrap().distance(0, 1);
            prop_assert!((near - far).abs() <= 1e-12 * near, "{metric:?} {near:e} {far:e}");
        }
    }
}

#[test]
fn distances_by_hand() {
    // Rows (0, 3) and (4, 0): differences 4 and 3.
    let rows = [0.0, 3.0, 4.0, 0.0];
    let distance = |metric| measured(&rows, 2, metric).unwrap().distance(0, 1);
    assert_eq!(distance(Metric::Euclidean), 5.0);
    assert_eq!(distance(Metric::SquaredEuclidean), 25.0);
    assert_eq!(distance(Metric::Manhattan), 7.0);
    assert_eq!(distance(Metric::Chebyshev), 4.0);
    assert!((distance(Metric::Cosine) - 1.0).abs() < 1e-15); // a right angle
    assert!((distance(Metric::Correlation) - 2.0).abs() < 1e-15); // one rises, the other falls
    assert_eq!(distance(Metric::Hamming), 1.0);
    assert_eq!(distance(Metric::Jaccard), 1.0);
    // A quarter of the equator.
    let quarter = std::f64::consts::FRAC_PI_2;
    let globe = [0.0, 0.0, 0.0, quarter];
    assert!((measured(&globe, 2, Metric::Haversine).unwrap().distance(0, 1) - quarter).abs() < 1e-15);
}

#[test]
fn rows_a_metric_cannot_measure_are_refused_by_number() {
    let zero = Error::Input(InputError::Direction { row: 1, metric: "cosine", state: "zero" });
    assert_eq!(measured(&[1.0, 2.0, 0.0, 0.0], 2, Metric::Cosine), Err(zero));
    let constant = Error::Input(InputError::Direction { row: 1, metric: "correlation", state: "equal" });
    assert_eq!(measured(&[1.0, 2.0, 3.0, 0.1, 0.1, 0.1], 3, Metric::Correlation), Err(constant));
    assert_eq!(
        measured(&[1.0, 2.0, 3.0], 3, Metric::Haversine),
        Err(Error::Input(InputError::HaversineColumns { given: 3 }))
    );
    assert_eq!(
        measured(&[1.0, 0.0, 50.0, 8.0], 2, Metric::Haversine),
        Err(Error::Input(InputError::Latitude { row: 1, given: 50.0 }))
    );
    assert_eq!(
        measured(&[1.0], 1, Metric::Minkowski { p: 0.5 }),
        Err(Error::Input(InputError::Minkowski { given: 0.5 }))
    );
    assert!(matches!(
        measured(&[1.0], 1, Metric::Minkowski { p: f64::NAN }),
        Err(Error::Input(InputError::Minkowski { .. }))
    ));
    assert!(matches!(
        measured(&[-1e308, 1e308], 1, Metric::Euclidean),
        Err(Error::Input(InputError::Overflow { .. }))
    ));
    assert!(matches!(
        measured(&[0.0, 1e200], 1, Metric::SquaredEuclidean),
        Err(Error::Input(InputError::Overflow { .. }))
    ));
}

#[test]
fn distances_to_many_points_have_the_bits_of_each() {
    let mut random = crate::run::random::stream(77, 0);
    for (case, metric) in METRICS.into_iter().enumerate() {
        for (n, d) in [(1, 2), (7, 2), (9, 2), (40, 2), (40, 1), (40, 7), (30, 50)] {
            if metric == Metric::Haversine && d != 2 || metric == Metric::Correlation && d == 1 {
                continue;
            }
            // Huge and tiny units, ties and equal rows.
            let unit = [1.0, 1e-160, 1e150][if metric == Metric::Haversine { 0 } else { case % 3 }];
            let lattice = |x: f64| if case % 2 == 0 { x } else { (4.0 * x).ceil() / 4.0 };
            let values: Vec<f64> = (0..n * d)
                .map(|_| unit * lattice(rand::RngExt::random_range(&mut random, 0.01..1.5)))
                .collect();
            let Ok(points) = measured(&values, d, metric) else { continue };
            let others: Vec<usize> = (0..n).rev().chain(0..n / 2).collect();
            for i in 0..n {
                let mut found = Vec::new();
                points.for_each_of(i, others.iter().copied(), |j, distance| {
                    found.push((j, distance.to_bits()));
                });
                let each: Vec<(usize, u64)> =
                    others.iter().map(|&j| (j, points.distance(i, j).to_bits())).collect();
                assert_eq!(found, each, "{metric:?}, {n} points in {d} dimensions");
            }
        }
    }
}
