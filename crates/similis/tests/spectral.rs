//! Whole behaviour on shapes that k-means cannot find.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use similis::affinity::{Affinity, staying_probability};
use similis::evaluate::{adjusted_rand_index, shapes};
use similis::latent_feature::Variant;
use similis::run::random::{Random, stream};
use similis::{Dissimilarity, Labels, LatentFeature, Metric, NClusters, Points};

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

struct Shape {
    points: Points<'static>,
    labels: Labels,
}

fn normal(random: &mut Random) -> f64 {
    StandardNormal.sample(random)
}

/// Points of several classes: `place(class, random)` draws one.
fn shape(sizes: &[usize], random: &mut Random, place: impl Fn(usize, &mut Random) -> [f64; 2]) -> Shape {
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for (class, &size) in sizes.iter().enumerate() {
        for _ in 0..size {
            values.extend(place(class, random));
            labels.push(class);
        }
    }
    let n = labels.len();
    Shape { points: Points::new(values, n, 2).unwrap(), labels: Labels::new(&labels) }
}

fn rings(random: &mut Random) -> Shape {
    shape(&[100, 200], random, |class, random| {
        let (angle, radius) =
            (std::f64::consts::TAU * random.random::<f64>(), [1.0, 3.0][class] + 0.1 * normal(random));
        [radius * angle.cos(), radius * angle.sin()]
    })
}

fn moons(random: &mut Random) -> Shape {
    shape(&[150, 150], random, |class, random| {
        let angle = std::f64::consts::PI * random.random::<f64>();
        let [x, y] = [angle.cos(), angle.sin()];
        let [x, y] = if class == 0 { [x, y] } else { [1.0 - x, 0.3 - y] };
        [x + 0.06 * normal(random), y + 0.06 * normal(random)]
    })
}

fn blobs(random: &mut Random) -> Shape {
    let centres = [[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0], [3.0, 12.0]];
    shape(&[40, 60, 50, 80, 70], random, |class, random| {
        [centres[class][0] + 0.6 * normal(random), centres[class][1] + 0.6 * normal(random)]
    })
}

#[test]
fn ng_jordan_weiss_with_a_searched_scale_finds_rings_moons_and_blobs() {
    for seed in 0..10 {
        for (name, make) in [("rings", rings as fn(&mut Random) -> Shape), ("moons", moons), ("blobs", blobs)]
        {
            let drawn = make(&mut stream(seed, 0));
            let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let model = LatentFeature {
                n_clusters: NClusters::Exactly(drawn.labels.n_clusters()),
                variant: Variant::NgJordanWeiss,
                affinity: Affinity::Gaussian,
                seed,
                ..LatentFeature::default()
            };
            let fit = model.fit(&pairs, &[]).unwrap();
            let agreement = adjusted_rand_index(&fit.labels, &drawn.labels).unwrap();
            assert_eq!(agreement, 1.0, "{name}, seed {seed}, gamma {:?}: {agreement}", fit.gamma);
        }
    }
}

#[test]
fn the_largest_gap_counts_well_separated_blobs() {
    for seed in 0..5 {
        let drawn = blobs(&mut stream(seed, 0));
        let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        for affinity in [Affinity::Gaussian, Affinity::Local, Affinity::Nearest] {
            let fit = LatentFeature { affinity, ..LatentFeature::default() }.fit(&pairs, &[]).unwrap();
            assert_eq!(fit.labels, drawn.labels, "{affinity:?}, seed {seed}");
        }
    }
}

#[test]
fn permuting_the_points_permutes_the_labels_and_units_change_nothing() {
    for seed in 0..3 {
        let drawn = rings(&mut stream(seed, 0));
        let n = drawn.points.n_points();
        let model = LatentFeature { n_clusters: NClusters::Exactly(2), ..LatentFeature::default() };
        let fit = |points: Points<'_>| {
            model.fit(&Dissimilarity::from_points(points, Metric::Euclidean).unwrap(), &[]).unwrap().labels
        };
        let plain = fit(drawn.points.clone());
        let reversed: Vec<f64> = (0..n).rev().flat_map(|i| drawn.points.row(i).to_vec()).collect();
        let mut back = fit(Points::new(reversed, n, 2).unwrap()).as_slice().to_vec();
        back.reverse();
        assert_eq!(Labels::new(&back), plain);
        for unit in [1e-9, 1e9] {
            let scaled: Vec<f64> = drawn.points.as_slice().iter().map(|x| x * unit).collect();
            assert_eq!(fit(Points::new(scaled, n, 2).unwrap()), plain);
        }
    }
}

#[test]
fn a_wrong_cut_keeps_the_walker_better_than_the_right_one() {
    // Section 3.1: why spectral clustering fails where a dense shape lies in a sparse cloud.
    for shape in [
        shapes::Shape::DenseRing,
        shapes::Shape::DenseLine,
        shapes::Shape::DenseSpiral,
        shapes::Shape::DenseLetter,
    ] {
        for seed in 0..3 {
            let drawn = shapes::draw(shape, 300, seed).unwrap();
            let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let model = LatentFeature { n_clusters: NClusters::Exactly(2), ..LatentFeature::default() };
            let fit = model.fit(&pairs, &[]).unwrap();
            assert!(adjusted_rand_index(&fit.labels, &drawn.labels).unwrap() < 0.5);
            let walk = similis::affinity::nearest(&pairs, model.affinity_neighbours).unwrap();
            let right = staying_probability(&walk, &drawn.labels).unwrap().overall;
            assert!(fit.staying.overall > right, "{shape:?}, seed {seed}: {} {right}", fit.staying.overall);
        }
    }
}
