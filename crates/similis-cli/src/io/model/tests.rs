use similis::latent_graph::ScoreSettings;
use similis::{Dissimilarity, Predictor};

use super::*;

/// A model with all that a file can hold: two classes, noise, names and standardised columns.
fn model(metric: Metric) -> SavedModel {
    let place = |i: usize| [0.1 + (i % 5) as f64 / 3.0, 7.0 * (i / 6) as f64 + (i as f64).sin()];
    let values: Vec<f64> = (0..12).flat_map(place).collect();
    let points = Points::new(values, 12, 2).unwrap();
    let pairs = Dissimilarity::from_points(points, metric).unwrap();
    let labels: Vec<Option<usize>> = (0..12).map(|i| Some(i / 6).filter(|_| i != 11)).collect();
    let parts = PredictorParts::new(&pairs, &labels, &ScoreSettings::default(), false).unwrap();
    let standard = Standard { unit: 0.1 + 0.2, mean: -0.0, deviation: 1.0 / 3.0 };
    let columns = Some(vec!["height, cm".to_owned(), "\"x\"\n".to_owned()]);
    SavedModel { parts, columns, standardise: Some(vec![standard; 2]) }
}

fn read(text: &str) -> Result<SavedModel, Error> {
    SavedModel::from_bytes(Path::new("m.similis"), text.as_bytes())
}

/// What a model says of a few new points and of a block of distances, if it is one.
fn answers(model: SavedModel) -> Option<Vec<f64>> {
    let values = model.standardised(vec![0.2, 0.4, 0.7, 6.0, -50.0, 1e6, 0.0, 0.0]);
    let n_points = model.parts.labels.len();
    let columns = model.parts.points.as_ref().map_or(2, |points| points.points().n_dimensions());
    let predictor = Predictor::try_from(model.parts).ok()?;
    let mut found = Vec::new();
    if let Ok(points) = Points::new(values, 8 / columns.min(8), columns)
        && let Ok(prediction) = predictor.predict_points(&points)
    {
        found.push(prediction);
    }
    let block: Vec<f64> = (0..2 * n_points).map(|at| at as f64).collect();
    found.push(predictor.predict_distances(&block, 2).unwrap());
    for prediction in &found {
        for i in 0..prediction.n_items() {
            assert!((prediction.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{:?}", prediction.row(i));
        }
    }
    Some(found.into_iter().flat_map(|prediction| prediction.probabilities).collect())
}

#[test]
fn a_model_comes_back_bit_for_bit_and_predicts_the_same_bits() {
    let metrics =
        [Metric::Euclidean, Metric::Minkowski { p: 0.1 + 1.2 }, Metric::Cosine, Metric::SquaredEuclidean];
    for metric in metrics {
        let saved = model(metric);
        let text = saved.text();
        let loaded = read(&text).unwrap();
        assert_eq!(loaded, saved);
        assert_eq!(loaded.text(), text);
        let bits =
            |model: SavedModel| answers(model).unwrap().iter().map(|p| p.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(loaded), bits(saved));
    }
}

#[test]
fn a_model_of_sparse_points_comes_back_bit_for_bit() {
    let offsets: Vec<usize> = (0..=12).map(|i| 2 * i).collect();
    let columns: Vec<u32> = (0..12).flat_map(|i| [i / 6, 20 + i % 5]).collect();
    let values: Vec<f64> = (0..24).map(|at| 0.1 + f64::from(at % 7) / 3.0).collect();
    let points = SparsePoints::new(&offsets, &columns, &values, 40).unwrap();
    let pairs = Dissimilarity::from_sparse_points(points.clone(), Metric::Cosine).unwrap();
    let labels: Vec<Option<usize>> = (0..12).map(|i| Some(i / 6)).collect();
    let parts = PredictorParts::new(&pairs, &labels, &ScoreSettings::default(), false).unwrap();
    let saved = SavedModel { parts, columns: None, standardise: None };
    let text = saved.text();
    let loaded = read(&text).unwrap();
    assert_eq!(loaded.text(), text);
    let predicted =
        |model: SavedModel| Predictor::try_from(model.parts).unwrap().predict_sparse_points(&points).unwrap();
    assert_eq!(predicted(loaded), predicted(saved));
    let outside = read(&text.replacen("\"n_columns\": 40", "\"n_columns\": 20", 1)).unwrap_err().to_string();
    assert!(outside.contains("names column 2"), "{outside}");
}

#[test]
fn models_without_points_and_links_that_say_nothing_come_back() {
    let mut saved = model(Metric::Euclidean);
    saved.parts.points = None;
    (saved.columns, saved.standardise) = (None, None);
    saved.parts.links[2].length = f64::NAN;
    let loaded = read(&saved.text()).unwrap();
    assert!(loaded.parts.links[2].length.is_nan());
    assert_eq!((loaded.text(), loaded.parts.points), (saved.text(), None));
}

#[test]
fn what_is_no_model_is_told_apart() {
    let good = model(Metric::Euclidean).text();
    let message = |text: &str| read(text).unwrap_err().to_string();
    for other in ["", "1,2\n3,4\n", "{}", "[1]", "{\"format\": \"other\", \"version\": 1}", "null"] {
        assert!(message(other).contains("must be a model that similis wrote"), "{other}");
    }
    let cut = message(&good[..good.len() / 2]);
    assert!(cut.contains("must be a whole model") && cut.contains("line"), "{cut}");
    for version in ["2", "\"1\"", "1.5", "-1", "null"] {
        let other = good.replace("\"version\": 1,", &format!("\"version\": {version},"));
        assert!(message(&other).contains("reads models of version 1, got"), "{}", message(&other));
    }
    let none = message(&good.replace("\"version\": 1,\n", ""));
    assert!(none.contains("got \"none\""), "{none}");
}

#[test]
fn entries_that_are_missing_or_none_are_named() {
    let good = model(Metric::Euclidean).text();
    for (old, new, says) in [
        ("\"labels\": [0", "\"labels\": [-2", "the entry labels"),
        ("\"labels\": [0", "\"labels\": [0.5", "the entry labels"),
        ("\"shape\": 2.0", "\"shape\": \"2\"", "the entry shape of a model must be a number"),
        ("\"shape\": 2.0", "\"form\": 2.0", "the entry shape"),
        ("\"shape\": 2.0", "\"shape\": -2.0", "shape of a model must be a finite number above 0"),
        ("\"size_prior\": \"dirichlet\"", "\"size_prior\": \"flat\"", "dirichlet or constant"),
        ("\"metric\": \"euclidean\"", "\"metric\": \"euclid\"", "the name of a metric"),
        ("\"n_columns\": 2", "\"n_columns\": 0", "the entry n_columns"),
        ("\"n_columns\": 2", "\"n_columns\": 3", "one for each column"),
        ("\"columns\": [", "\"columns\": [\"z\",", "the entry columns"),
        ("\"labels\": [0", "\"labels\": [9223372036854775807", "no point has the label 2"),
        ("\"links\": [[1,", "\"links\": [[7,", "join two points of one class"),
    ] {
        let changed = good.replacen(old, new, 1);
        assert_ne!(changed, good, "{old}");
        let told = read(&changed).and_then(|model| {
            let path = Path::new("m.similis").to_path_buf();
            Predictor::try_from(model.parts).map_err(|source| Error::Content { path, source })
        });
        let message = told.map(|_| ()).unwrap_err().to_string();
        assert!(message.starts_with("m.similis: ") && message.contains(says), "{new}: {message}");
    }
}

/// A repeatable stream of numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        // The generator of Marsaglia, xorshift64.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// The places of the numbers in a text.
fn number_places(text: &[u8]) -> Vec<(usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"-+.e".contains(byte);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|byte| is_part(byte)).count();
        if text[at..end].iter().any(u8::is_ascii_digit) {
            found.push((at, end));
        }
        at = end.max(at + 1);
    }
    found
}

fn mutated(good: &[u8], places: &[(usize, usize)], chance: &mut Chance) -> Vec<u8> {
    const NUMBERS: [&str; 14] = [
        "-1",
        "0",
        "1e308",
        "-1e308",
        "1e-320",
        "1e999",
        "NaN",
        "null",
        "18446744073709551616",
        "4294967296",
        "0.5",
        "-0.0",
        "[]",
        "\"x\"",
    ];
    let mut text = good.to_vec();
    match chance.below(5) {
        0 => text.truncate(chance.below(good.len())),
        1 => {
            let at = chance.below(text.len());
            text[at] ^= 1 << chance.below(8);
        }
        2 => {
            let (start, end) = places[chance.below(places.len())];
            let at = start + chance.below(end - start);
            text[at] = b'0' + chance.below(10) as u8;
        }
        3 => {
            let (start, end) = places[chance.below(places.len())];
            text.splice(start..end, NUMBERS[chance.below(NUMBERS.len())].bytes());
        }
        _ => {
            let (from, to) = (chance.below(text.len()), chance.below(text.len()));
            text.drain(from.min(to)..from.max(to).min(from.min(to) + 20));
        }
    }
    text
}

#[test]
fn ten_thousand_damaged_models_are_an_error_or_a_model() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let (mut n_models, mut n_refused) = (0, 0);
    for metric in [Metric::Euclidean, Metric::Haversine, Metric::Minkowski { p: 3.0 }, Metric::Cosine] {
        let mut saved = model(if metric == Metric::Haversine { Metric::Euclidean } else { metric });
        if metric == Metric::Haversine {
            let places: Vec<f64> =
                saved.parts.points.unwrap().points().as_slice().iter().map(|x| x / 10.0).collect();
            let points = Points::new(places, 12, 2).unwrap();
            saved.parts.points = Some(PredictorParts::kept_points(points, metric, 1.0).unwrap());
        }
        let good = saved.text().into_bytes();
        let places = number_places(&good);
        for _ in 0..2500 {
            let text = mutated(&good, &places, &mut chance);
            match SavedModel::from_bytes(Path::new("m.similis"), &text).ok().and_then(answers) {
                Some(_) => n_models += 1,
                None => n_refused += 1,
            }
        }
    }
    // Both happen often: a digit of a coordinate harms nobody, a missing bracket does.
    assert!(n_models > 1000 && n_refused > 1000, "{n_models} {n_refused}");
}
