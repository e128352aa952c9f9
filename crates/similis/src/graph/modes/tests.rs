use super::*;
use crate::graph::neighbours::nearest_neighbours;
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::run::observer::Silent;
use crate::run::random::stream;
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

fn plane(places: &[f64], n_dimensions: usize) -> Dissimilarity<'static> {
    let points = Points::new(places.to_vec(), places.len() / n_dimensions, n_dimensions).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn modes(places: &[f64], n_dimensions: usize, n_neighbours: usize) -> Modes {
    let observed = plane(places, n_dimensions);
    let neighbours = nearest_neighbours(&observed, n_neighbours.max(N_LINKED));
    let tree = minimum_spanning_tree(&observed, &Silent);
    let n_dimensions = Some(n_dimensions);
    Density { neighbours: &neighbours, tree: &tree, n_neighbours, floor: 1e-9, n_dimensions, weights: None }
        .modes()
}

/// Points of some centres, normal with standard deviation 1.
fn gaussians(centres: &[[f64; 2]], n_each: usize, seed: u64) -> Vec<f64> {
    let mut random = stream(seed, 0);
    let mut normal = || (0..12).map(|_| random.random_range(0.0..1.0)).sum::<f64>() - 6.0;
    let one = |centre: &[f64; 2]| {
        (0..n_each).flat_map(|_| [centre[0] + normal(), centre[1] + normal()]).collect::<Vec<_>>()
    };
    centres.iter().flat_map(one).collect()
}

#[test]
fn densities_saddles_and_prominences_by_hand_on_a_line() {
    // The second neighbour of 0, 1, 2 is 2, 1, 2 away; of 10, 11, 13 it is 3, 2, 3. In one dimension.
    let found = modes(&[0.0, 1.0, 2.0, 10.0, 11.0, 13.0], 1, 2);
    let log = |radius: f64| 2f64.ln() - radius.ln();
    let expected = [2.0, 1.0, 2.0, 3.0, 2.0, 3.0].map(log);
    assert!(found.log_density.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(found.dimension, 1.0);
    // All links within the ten nearest; between the two groups the shortest is 8 long.
    let prominent: Vec<&Saddle> = found.saddles.iter().filter(|saddle| saddle.prominence > 1e-9).collect();
    assert_eq!(prominent.len(), 1);
    assert_eq!((prominent[0].low, prominent[0].high, prominent[0].ends), (4, 1, [3, 2]));
    // The peak at 11 has r = 2, the saddle is as sparse as its length, 8: log 4 below.
    assert!((prominent[0].prominence - 4f64.ln()).abs() < 1e-12);
    assert_eq!(found.labels(2).as_slice(), [0, 0, 0, 1, 1, 1]);
    assert_eq!(found.labels(1).n_clusters(), 1);
    assert_eq!(found.highest(), [1]);
}

/// The prominences by definition: for each peak the densest of the levels at which links connect it to a denser point.
fn slow_prominences(found: &Modes, links: &[(f64, usize, usize)]) -> Vec<f64> {
    let n = found.log_density.len();
    let order = |i: usize| (found.log_density[i], std::cmp::Reverse(i));
    let mut prominences = Vec::new();
    for peak in 0..n {
        let mut reached = vec![f64::NEG_INFINITY; n];
        reached[peak] = f64::INFINITY;
        // Bellman's way: the best of the least levels of all paths.
        for _ in 0..n {
            for &(level, a, b) in links {
                let (old_a, old_b) = (reached[a], reached[b]);
                reached[a] = old_a.max(old_b.min(level));
                reached[b] = old_b.max(old_a.min(level));
            }
        }
        let saddle = (0..n).filter(|&j| order(j) > order(peak)).map(|j| reached[j]);
        let saddle = saddle.fold(f64::NEG_INFINITY, f64::max);
        let prominence = found.log_density[peak] - saddle;
        if prominence.is_finite() && prominence > 0.0 {
            prominences.push(prominence);
        }
    }
    prominences.sort_by(f64::total_cmp);
    prominences
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn prominences_are_those_of_all_paths_also_with_ties(
        places in proptest::collection::vec(0i32..12, 16..60), k in 2usize..6,
    ) {
        let places: Vec<f64> = places[..places.len() / 2 * 2].iter().map(|&place| f64::from(place)).collect();
        let found = modes(&places, 2, k);
        let observed = plane(&places, 2);
        let neighbours = nearest_neighbours(&observed, k.max(N_LINKED));
        let tree = minimum_spanning_tree(&observed, &Silent);
        let density = Density { neighbours: &neighbours, tree: &tree, n_neighbours: k, floor: 1e-9, n_dimensions: Some(2), weights: None };
        let rated = density.densest_first(found.dimension, &found.log_density);
        let links: Vec<(f64, usize, usize)> =
            rated.iter().map(|one| (one.level, one.ends[0] as usize, one.ends[1] as usize)).collect();
        let mut fast: Vec<f64> = found.saddles.iter().map(|saddle| saddle.prominence).collect();
        fast.sort_by(f64::total_cmp);
        let slow = slow_prominences(&found, &links);
        prop_assert_eq!(fast.len(), slow.len());
        prop_assert!(fast.iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn units_and_the_order_of_the_points_change_no_prominence(seed in 0u64..1000, unit in -200i32..200) {
        let places = gaussians(&[[0.0, 0.0], [5.0, 0.0]], 40, seed);
        let unit = 2f64.powi(unit);
        let mut order: Vec<usize> = (0..80).collect();
        order.shuffle(&mut stream(seed, 1));
        let shuffled: Vec<f64> =
            order.iter().flat_map(|&i| [places[2 * i] * unit, places[2 * i + 1] * unit]).collect();
        // The floor is in the unit of the lengths, and below all of them here.
        let sorted = |found: &Modes| {
            let mut all: Vec<f64> = found.saddles.iter().map(|saddle| saddle.prominence).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let floor = 1e-9 * unit;
        let observed = plane(&shuffled, 2);
        let neighbours = nearest_neighbours(&observed, 10);
        let tree = minimum_spanning_tree(&observed, &Silent);
        let other =
            Density { neighbours: &neighbours, tree: &tree, n_neighbours: 10, floor, n_dimensions: Some(2), weights: None }.modes();
        let (one, other) = (sorted(&modes(&places, 2, 10)), sorted(&other));
        prop_assert_eq!(one.len(), other.len());
        prop_assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-7));
    }
}

#[test]
fn two_gaussians_that_touch_have_two_significant_modes_and_one_has_one() {
    let (mut two, mut one) = (0, 0);
    for seed in 0..20 {
        let found = modes(&gaussians(&[[0.0, 0.0], [4.5, 0.0]], 300, seed), 2, 12);
        two += usize::from(found.significant().count() == 1);
        one += usize::from(modes(&gaussians(&[[0.0, 0.0]], 600, seed), 2, 12).significant().count() == 0);
    }
    assert!(two >= 18 && one == 20, "{two} {one}");
}

#[test]
fn significance_by_hand() {
    // By 16 neighbours: standard errors of 1/4; 25 places have sqrt(2 log 25) = 2.54 by chance. Eight modes of 0.6 are expected: 0.6 (log 8 + log 20) = 3.045.
    let significance = |z: &[f64]| Significance::new(z.iter().map(|z| z / 4.0).collect(), (400, 16), 0.6);
    let least = |z: &[f64]| significance(z).least_prominence;
    assert!((least(&[]) - 0.6 * 160f64.ln() / 4.0).abs() < 1e-12);
    // The rest, 0.5 and 0.4 with eight of 0.6, has a mean of 0.57: 0.57 (log 10 + log 20) = 3.02.
    let mean = (0.5 + 0.4 + 8.0 * 0.6) / 10.0;
    assert!((least(&[5.0, 4.0, 0.5, 0.4]) - mean * 200f64.ln() / 4.0).abs() < 1e-12);
    assert!((significance(&[5.0, 4.0, 0.5, 0.4]).chance - mean / 4.0).abs() < 1e-12);
    // No gap: 5.0, 4.9, .. fall off to chance, and none is significant.
    let smooth: Vec<f64> = (0..40).map(|at| 5.0 * 0.95f64.powi(at)).collect();
    assert!(least(&smooth) * 4.0 >= 5.0);
    // Fourteen modes of 2.5 to 2.0 with a bulk of 0.3: none stands out by itself, all of them do together.
    let bulk = [0.3; 20];
    let many: Vec<f64> =
        (0..14).map(|at| 2.5 - 0.5 * f64::from(at) / 13.0).chain(bulk.iter().copied()).collect();
    assert!((0.3..2.0).contains(&(least(&many) * 4.0)));
    // With a fifteenth of 1.27 there is no gap by a factor of 1.6 below 2.0, and 1.27 is chance.
    let rough = [&many[..14], &[1.27], &bulk[1..]].concat();
    assert!(least(&rough) * 4.0 > 2.0);
    // One of them alone is chance.
    assert!(least(&[&[2.4], &bulk[..]].concat()) * 4.0 > 2.4);
    // A high bulk asks for more: thirty modes up to 4, evenly, have a mean of 1.758 with the expected ones.
    let bulk: Vec<f64> = (1..=30).map(|at| 4.0 * f64::from(at) / 30.0).collect();
    let needed = (62.0 + 8.0 * 0.6) / 38.0 * (38f64.ln() + 20f64.ln()) / 4.0;
    assert!((least(&bulk) - needed).abs() < 1e-9, "{} {needed}", least(&bulk));
    let with = |z: f64| least(&bulk.iter().copied().chain([z]).collect::<Vec<_>>()) * 4.0;
    assert!(with(12.0) < 12.0 && with(6.0) >= 6.0);
}

#[test]
fn one_cloud_and_one_curve_have_no_second_mode() {
    let mut n_seen = [0; 3];
    for seed in 0..40 {
        let mut random = stream(seed, 7);
        let mut uniform = || random.random_range(0.0..1.0);
        let square: Vec<f64> = (0..600).map(|_| uniform()).collect();
        let ring: Vec<f64> = (0..300)
            .flat_map(|_| {
                let (angle, radius) = (std::f64::consts::TAU * uniform(), 1.0 + 0.1 * uniform());
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        let line: Vec<f64> = (0..300).flat_map(|_| [uniform(), 0.02 * uniform()]).collect();
        for (seen, places) in n_seen.iter_mut().zip([square, ring, line]) {
            *seen += usize::from(modes(&places, 2, 10).significant().count() > 0);
        }
    }
    assert!(n_seen.iter().all(|&seen| seen <= 4), "{n_seen:?}");
}

#[test]
fn odd_inputs_have_modes() {
    for places in [vec![0.0; 12], vec![0.0, 1.0], vec![0.0, 0.0, 5.0, 5.0, 5.0, 9.0]] {
        let n = places.len();
        let found = modes(&places, 1, 4);
        assert_eq!(found.log_density.len(), n);
        assert!(found.saddles.iter().all(|saddle| saddle.prominence.is_finite()));
        for n_clusters in 1..=n {
            assert!(found.labels(n_clusters).n_clusters() <= n_clusters);
        }
    }
}

#[test]
fn a_step_of_the_values_that_distances_take_is_no_valley() {
    // Rows of zeros and ones without structure: their distances are roots of whole numbers.
    for seed in 0..6 {
        let mut random = stream(seed, 0);
        let bits: Vec<f64> = (0..800 * 24).map(|_| f64::from(u8::from(random.random::<bool>()))).collect();
        let found = modes(&bits, 24, 28);
        assert_eq!(found.significant().count(), 0, "{seed}");
    }
    // Two groups of such rows are two modes still: most of the columns of a row are those of its group.
    let mut random = stream(9, 0);
    let bits: Vec<f64> = (0..800 * 24)
        .map(|at| f64::from(u8::from((at / 24 % 2 == 0) == (random.random::<f64>() < 0.85))))
        .collect();
    assert_eq!(modes(&bits, 24, 28).significant().count(), 1);
}

#[test]
fn the_step_of_a_point_by_hand() {
    // Of point 0 the neighbours are 1, 1, 2, 2, 2 away; of point 5 (at -2) 1, 1, 2, 3, 4.
    let observed = plane(&[0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 2.0, 0.0, 0.0, 2.0, -2.0, 0.0], 2);
    let (neighbours, tree) = (nearest_neighbours(&observed, 5), minimum_spanning_tree(&observed, &Silent));
    let density = |n_neighbours: usize| Density {
        neighbours: &neighbours,
        tree: &tree,
        n_neighbours,
        floor: 1e-9,
        n_dimensions: Some(2),
        weights: None,
    };
    // The third is farther than the second; the fourth is as far as the third, and the next shorter distance is a half.
    assert_eq!(density(3).step(0, 2.0), 0.0);
    assert!((density(4).step(0, 2.0) - 2.0 * 2f64.ln()).abs() < 1e-12);
    // Nothing is shorter than the first two.
    assert_eq!(density(2).step(0, 2.0), 0.0);
}
