use super::*;
use crate::error::SettingError;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::evaluate::shapes::{Shape, draw};
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::run::observer::Silent;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use rand::RngExt;

/// A shape, and a tenth as many points scattered over a box around it; the true cluster of each, `None` for those.
fn strewn(shape: Shape, n_points: usize, seed: u64) -> (Vec<f64>, Vec<Option<usize>>) {
    let drawn = draw(shape, n_points, seed).unwrap();
    let mut places = drawn.points.as_slice().to_vec();
    let mut labels: Vec<Option<usize>> = drawn.labels.as_slice().iter().copied().map(Some).collect();
    let side = |column: usize| {
        let values = || places.iter().skip(column).step_by(2).copied();
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let sides = [side(0), side(1)];
    let mut random = stream(17, seed);
    for _ in 0..n_points / 10 {
        for (low, high) in sides {
            let room = 0.1 * (high - low);
            places.push(random.random_range(low - room..high + room));
        }
        labels.push(None);
    }
    (places, labels)
}

fn of(places: &[f64]) -> Dissimilarity<'_> {
    Dissimilarity::from_points(Points::new(places, places.len() / 2, 2).unwrap(), Metric::Euclidean).unwrap()
}

fn with_noise(n_clusters: NClusters) -> LatentGraph {
    let search = SearchSettings { noise: Noise::Background, ..SearchSettings::default() };
    LatentGraph { n_clusters, inference: Some(Inference::Search(search)), ..LatentGraph::default() }
}

fn fitted(places: &[f64], n_clusters: NClusters) -> LatentGraphFit {
    with_noise(n_clusters).fit(&of(places), &[]).unwrap()
}

/// The agreement on the points that are no noise by the truth.
fn agreement(fit: &LatentGraphFit, truth: &[Option<usize>]) -> f64 {
    let found = fit.labels_or_noise();
    let true_points: Vec<usize> = (0..truth.len()).filter(|&i| truth[i].is_some()).collect();
    let of =
        |labels: &[Option<usize>]| Labels::new(&true_points.iter().map(|&i| labels[i]).collect::<Vec<_>>());
    adjusted_rand_index(&of(&found), &of(truth)).unwrap()
}

/// Of the points that are called noise, the part that is; of those that are, the part that is called so.
fn precision_and_recall(found: &[Option<usize>], truth: &[Option<usize>]) -> (f64, f64) {
    let count = |wanted: &dyn Fn(usize) -> bool| (0..truth.len()).filter(|&i| wanted(i)).count() as f64;
    let both = count(&|i| found[i].is_none() && truth[i].is_none());
    (both / count(&|i| found[i].is_none()).max(1.0), both / count(&|i| truth[i].is_none()))
}

#[test]
fn strewn_points_are_noise_and_the_shapes_are_found() {
    for (shape, n_clusters) in [(Shape::TwoRings, 2), (Shape::FiveBlobs, 5), (Shape::HalfMoons, 2)] {
        let (places, truth) = strewn(shape, 400, 3);
        let fit = fitted(&places, NClusters::Exactly(n_clusters));
        let clean = LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() };
        let clean = clean.fit(&of(&places[..800]), &[]).unwrap();
        let found = fit.labels_or_noise();
        let (precision, recall) = precision_and_recall(&found, &truth);
        let (with, without) = (agreement(&fit, &truth), agreement(&clean, &truth[..400]));
        println!(
            "{shape:?}: agreement {with:.3} of {without:.3}, precision {precision:.2}, recall {recall:.2}"
        );
        assert!(with >= 0.95 * without, "{shape:?} {with} of {without}");
        assert!(precision > 0.8 && recall > 0.3, "{shape:?} {precision} {recall}");
        assert_eq!(fit.scales.len(), n_clusters);
        assert!(fit.graph.iter().all(|link| found[link.from] == Some(link.class)));
        assert!(fit.graph.iter().all(|link| found[link.to] == Some(link.class)));
        assert_eq!(fit.graph.len(), truth.len() - fit.noise.len() - n_clusters);
    }
}

#[test]
fn a_square_alone_is_no_noise() {
    let mut random = stream(4, 0);
    let places: Vec<f64> = (0..400).map(|_| random.random_range(0.0..1.0)).collect();
    let fit = fitted(&places, NClusters::Exactly(1));
    assert!(fit.noise.len() <= 6, "{} of 200", fit.noise.len());
    let fit = fitted(&places, NClusters::Auto);
    assert_eq!(fit.labels.n_clusters(), 1);
    assert!(fit.noise.len() <= 6, "{} of 200", fit.noise.len());
}

#[test]
fn noise_links_are_the_tree_of_noise_and_the_classes_taken_together() {
    // By Prim's, from the clusters outwards.
    let mut random = stream(6, 0);
    for n_points in [2, 3, 8, 40] {
        let places: Vec<f64> = (0..2 * n_points).map(|_| random.random_range(0.0..1.0)).collect();
        let observed = of(&places);
        let mut labels: Vec<Option<usize>> = (0..n_points)
            .map(|_| Some(random.random_range(0..3)).filter(|_| random.random_bool(0.5)))
            .collect();
        labels[0] = Some(0);
        let mut inside: Vec<usize> = (0..n_points).filter(|&i| labels[i].is_some()).collect();
        let mut lengths = Vec::new();
        while inside.len() < n_points {
            let out = (0..n_points).filter(|i| !inside.contains(i));
            let nearest =
                |i: usize| inside.iter().map(|&j| observed.pair(i, j).unwrap()).fold(f64::INFINITY, f64::min);
            let (i, length) = out.map(|i| (i, nearest(i))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            lengths.push((i, length));
            inside.push(i);
        }
        lengths.sort_by_key(|&(i, _)| i);
        let slow: Vec<f64> = lengths.into_iter().map(|(_, length)| length).collect();
        assert_eq!(noise_lengths(&Context::new(&observed, &Silent).tree, &labels), slow);
    }
}

#[test]
fn points_of_which_something_is_said_are_no_noise() {
    let mut random = stream(5, 0);
    let mut places: Vec<f64> = (0..120).map(|_| random.random_range(0.0..1.0)).collect();
    places.extend([40.0, 40.0, -30.0, 9.0]);
    let points = Points::new(places, 62, 2).unwrap();
    let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
    let model = with_noise(NClusters::Exactly(1));
    let free = model.fit(&observed, &[]).unwrap();
    assert!(free.noise.contains(&60) && free.noise.contains(&61), "{:?}", free.noise);
    let side = SideInformation { must_link: vec![(3, 60)], ..SideInformation::default() };
    let fit = model.fit(&observed, &side).unwrap();
    assert!(!fit.noise.contains(&60) && fit.noise.contains(&61), "{:?}", fit.noise);
    let printed = model.with(&[("noise", "background"), ("inference", "paper")]);
    assert_eq!(printed, Err(Error::Settings(SettingError::NoiseInference)));
}

#[test]
fn a_memory_limit_that_is_enough_for_all_points_is_enough_for_their_core() {
    let (places, _) = strewn(Shape::HalfMoons, 1000, 5);
    let fit = |memory_limit: u64| {
        let (n_clusters, memory_limit) = (NClusters::Exactly(2), Some(memory_limit));
        LatentGraph { memory_limit, ..with_noise(n_clusters) }.fit(&of(&places), &[])
    };
    let Err(Error::Settings(SettingError::Memory { needed, .. })) = fit(1) else {
        panic!("one byte is enough")
    };
    // Enough for all points, the moves of five threads included.
    assert_eq!(fit(needed + 1100 * 300 * 5).map(|fit| fit.labels.n_points()), Ok(1100));
}
