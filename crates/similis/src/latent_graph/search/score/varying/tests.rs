use super::*;
use proptest::prelude::*;
use rand::RngExt;

fn grid(unit: f64, shape: f64) -> ScaleGrid {
    ScaleGrid { unit, floor: 0.01, shape, log_join: f64::NEG_INFINITY }
}

fn link(from: usize, to: usize, length: f64) -> Link {
    Link { from, to, length }
}

/// The evidence by the sum over the scales of all points, 70^3 terms for three of them.
fn by_enumeration(grid: &ScaleGrid, tree: &[Link], step: f64) -> f64 {
    let kernel = kernel(step);
    let pair = |link: &Link, scale: &[usize]| {
        let (a, b) = (scale[link.from], scale[link.to]);
        let mass = kernel.get(a.abs_diff(b)).copied().unwrap_or(0.0);
        let log_scale = log_scale(0.5 * (a + b) as f64);
        let length = (link.length / grid.unit).max(grid.floor);
        let log_weight =
            -grid.shape * (log_scale + grid.unit.ln()) - (length / log_scale.exp()).powf(grid.shape);
        mass.ln() + if link.length.is_nan() { -grid.shape * grid.unit.ln() } else { log_weight }
    };
    let n_points = tree.len() + 1;
    let term = |code: usize| {
        let scale: Vec<usize> = (0..n_points).map(|i| code / N_SCALES.pow(i as u32) % N_SCALES).collect();
        tree.iter().map(|link| pair(link, &scale)).sum::<f64>()
    };
    let terms: Vec<f64> = (0..N_SCALES.pow(n_points as u32)).map(term).collect();
    log_sum_exp(&terms) - (N_SCALES as f64).ln()
}

#[test]
fn three_points_have_the_evidence_of_all_their_scales() {
    let trees = [
        [link(0, 1, 0.7), link(1, 2, 2.5)],
        [link(4, 0, 0.2), link(4, 9, 30.0)],
        [link(0, 1, 0.0), link(0, 2, f64::NAN)],
        // So unlike that plain numbers do not reach from one to the other.
        [link(0, 1, 1.0), link(1, 2, 4e5)],
    ];
    for tree in trees {
        // The enumeration numbers points 0, 1, 2.
        let mut points: Vec<usize> = tree.iter().flat_map(|link| [link.from, link.to]).collect();
        points.sort_unstable();
        points.dedup();
        let place = |i: usize| points.iter().position(|&point| point == i).unwrap();
        let numbered = tree.map(|own| link(place(own.from), place(own.to), own.length));
        for (shape, unit) in [(1.0, 1.0), (2.0, 1.0), (2.0, 30.0)] {
            let grid = grid(unit, shape);
            let found = grid.log_evidence(&tree, &STEPS);
            for (step, found) in STEPS.into_iter().zip(found).skip(1) {
                let expected = by_enumeration(&grid, &numbered, step);
                let scale = expected.abs().max(1.0);
                assert!((found - expected).abs() < 1e-10 * scale, "{tree:?} {step}: {found} {expected}");
            }
        }
    }
}

#[test]
fn one_scale_by_hand_on_two_points() {
    // One link of the mean length, shape 1: the mean over the grid of exp(-log s - 1/s).
    let found = grid(1.0, 1.0).log_evidence(&[link(0, 1, 1.0)], &[0.0])[0];
    let term = |at: usize| {
        let log_scale = -4.0 + 0.15 * at as f64;
        (-log_scale - (-log_scale).exp()).exp()
    };
    let expected = ((0..70).map(term).sum::<f64>() / 70.0).ln();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// The evidence of two links in a row by quadrature over three scales, `fine` times as many of them as the grid has.
fn by_quadrature(grid: &ScaleGrid, lengths: [f64; 2], step: f64, fine: usize) -> f64 {
    let n = N_SCALES * fine;
    let gap = GAP / fine as f64;
    // The cells of the grid reach half a cell beyond its ends.
    let log_scale = |at: f64| LEAST - 0.5 * GAP + gap * (at + 0.5);
    let normal = |cells: usize| {
        let standard = gap * cells as f64 / step;
        gap * (-0.5 * standard * standard).exp() / (step * std::f64::consts::TAU.sqrt())
    };
    let side = |length: f64, a: usize| -> f64 {
        let weight = |b: usize| {
            let log_scale = log_scale(0.5 * (a + b) as f64);
            (-grid.shape * log_scale - (length / log_scale.exp()).powf(grid.shape)).exp()
        };
        (0..n).map(|b| normal(a.abs_diff(b)) * weight(b)).sum()
    };
    ((0..n).map(|a| side(lengths[0], a) * side(lengths[1], a)).sum::<f64>() / n as f64).ln()
}

#[test]
fn a_finer_grid_changes_little() {
    for lengths in [[1.0, 1.0], [0.5, 3.0], [0.2, 8.0]] {
        for (step, tolerance) in [(0.1, 0.02), (0.2, 0.02), (0.4, 0.02)] {
            let grid = grid(1.0, 2.0);
            let tree = [link(0, 1, lengths[0]), link(1, 2, lengths[1])];
            let found = grid.log_evidence(&tree, &[step])[0];
            let expected = by_quadrature(&grid, lengths, step, 8);
            assert!((found - expected).abs() < tolerance, "{lengths:?} {step}: {found} {expected}");
        }
    }
}

/// A random tree: each point is linked to one before it.
fn random_tree(n_points: usize, seed: u64) -> Vec<Link> {
    let mut random = crate::run::random::stream(seed, 0);
    (1..n_points)
        .map(|to| {
            // Chains, stars, and what is between.
            let back = random.random_range(1..=to.min(1 + seed as usize % 7));
            let from = if seed.is_multiple_of(5) { 0 } else { to - back };
            link(from, to, 10f64.powf(random.random_range(-1.0..1.0)))
        })
        .collect()
}

proptest! {
    #[test]
    fn plain_numbers_and_logarithms_agree(n_points in 2usize..60, seed in 0u64..1000, long in 0.0f64..4.0) {
        let mut tree = random_tree(n_points, seed);
        tree[n_points / 3].length *= 10f64.powf(long);
        let grid = grid(1.0, 2.0);
        for step in [0.05, 0.4] {
            let found = grid.log_evidence(&tree, &[step])[0];
            let expected = grid.in_logs(&rooted(&tree), &kernel(step));
            prop_assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{} {}", found, expected);
        }
    }

    #[test]
    fn the_unit_of_lengths_shifts_the_evidence_by_its_logarithm(
        n_points in 2usize..40, seed in 0u64..1000, exponent in -12.0f64..12.0, shape in prop_oneof![Just(1.0), Just(2.0)],
    ) {
        let tree = random_tree(n_points, seed);
        let unit = 10f64.powf(exponent);
        let other: Vec<Link> = tree.iter().map(|own| link(own.from, own.to, own.length * unit)).collect();
        let shift = -shape * tree.len() as f64 * unit.ln();
        let (a, b) = (grid(1.3, shape).log_evidence(&tree, &STEPS), grid(1.3 * unit, shape).log_evidence(&other, &STEPS));
        for (a, b) in a.iter().zip(b) {
            prop_assert!((a + shift - b).abs() < 1e-9 * b.abs().max(1.0), "{} {}", a + shift, b);
        }
    }

    #[test]
    fn the_order_of_the_links_changes_no_bit(n_points in 2usize..40, seed in 0u64..1000, turn in 0usize..40) {
        let tree = random_tree(n_points, seed);
        let mut other: Vec<Link> = tree.iter().map(|own| link(own.to, own.from, own.length)).collect();
        other.rotate_left(turn % tree.len());
        prop_assert_eq!(grid(1.0, 2.0).log_evidence(&tree, &STEPS[1..]), grid(1.0, 2.0).log_evidence(&other, &STEPS[1..]));
    }
}

#[test]
fn a_hub_with_one_far_neighbour_still_has_an_evidence() {
    // The hub's message says nothing of large scales in plain numbers, and the far link nothing of small ones.
    let mut tree: Vec<Link> = (1..2000).map(|to| link(0, to, 1.0)).collect();
    tree.push(link(0, 2000, 1e6));
    let found = grid(1.0, 2.0).log_evidence(&tree, &STEPS);
    assert!(found.iter().all(|value| value.is_finite()), "{found:?}");
}

#[test]
fn forbidden_links_have_no_evidence_and_no_links_need_none() {
    let forbidden = grid(1.0, 2.0).log_evidence(&[link(0, 1, f64::INFINITY)], &STEPS);
    assert!(forbidden.iter().all(|&value| value == f64::NEG_INFINITY));
    // Finite, but beyond arithmetic.
    let beyond = grid(1.0, 2.0).log_evidence(&[link(0, 1, 1e300)], &STEPS);
    assert!(beyond.iter().all(|&value| value == f64::NEG_INFINITY), "{beyond:?}");
    for value in grid(1.0, 2.0).log_evidence(&[], &STEPS) {
        assert!(value.abs() < 1e-12);
    }
}

#[test]
fn a_step_that_fits_the_lengths_has_the_greatest_evidence() {
    // Lengths that grow a thousandfold along a chain: one scale cannot explain them. Lengths all alike need but one.
    let chain =
        |length: &dyn Fn(usize) -> f64| (1..200).map(|to| link(to - 1, to, length(to))).collect::<Vec<_>>();
    let growing = grid(1.0, 2.0).log_evidence(&chain(&|to| (0.035 * to as f64 - 3.5).exp()), &STEPS);
    assert!(growing[1] > growing[0] + 50.0, "{growing:?}");
    let alike = grid(1.0, 2.0).log_evidence(&chain(&|_| 1.0), &STEPS);
    assert!(alike[0] > alike[4], "{alike:?}");
}
