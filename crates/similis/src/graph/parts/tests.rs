use super::*;
use crate::graph::neighbours::nearest_neighbours;
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::Dissimilarity;
use crate::input::metric::{MeasuredPoints, Metric};
use crate::input::points::Points;
use crate::run::observer::Silent;
use proptest::prelude::*;

/// Points in the order of the curve, and the cells that some places cut them into.
fn cells(rows: &[f64], d: usize, metric: Metric, cuts: &[usize]) -> (Vec<f64>, Vec<Cell>) {
    let n = rows.len() / d;
    let order = Curve::around(rows, d).order(rows);
    let sorted: Vec<f64> = order.iter().flat_map(|&i| rows[i as usize * d..][..d].to_vec()).collect();
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % n).chain([0, n]).collect();
    places.sort_unstable();
    places.dedup();
    let cell = |pair: &[usize]| {
        let own = sorted[pair[0] * d..pair[1] * d].to_vec();
        let points = Points::new(own, pair[1] - pair[0], d).unwrap();
        Cell::new(pair[0], MeasuredPoints::new(points, metric).unwrap()).unwrap()
    };
    let cells = places.windows(2).map(cell).collect();
    (sorted, cells)
}

/// The lists of all points and their forests, cell by cell.
fn listed(cells: &[Cell], k: usize) -> (Vec<(f64, u32)>, Vec<Ranked>, Vec<f64>) {
    let (mut entries, mut links, mut last) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let mut lists = CellLists::within(cell, k);
        for other in cells {
            if lists.needs(&other.outline()) {
                lists.look_in(other);
            }
        }
        let lists = lists.into_entries();
        entries.extend_from_slice(lists.all());
        links.extend(lists.forest());
        last.extend(lists.last());
    }
    crate::graph::spanning::kruskal::sort(&mut links);
    (entries, links, last)
}

/// The tree, cell by cell.
fn tree(cells: &[Cell], links: Vec<Ranked>, last: &[f64]) -> Vec<Ranked> {
    let mut growth = Growth::new(links.into_iter(), last.to_vec());
    while !growth.is_complete() {
        let (limits, component) = (growth.limits(), growth.components().to_vec());
        let limit: Vec<f64> = component.iter().map(|&own| limits[own as usize]).collect();
        let of = |cell: &Cell| cell.first..cell.first + cell.n_points();
        let mut ways = Vec::new();
        for cell in cells {
            let mut seeking = Seeking::new(cell, &component[of(cell)], &limit[of(cell)], &last[of(cell)]);
            for other in cells {
                let own = &component[of(other)];
                let uniform = own.iter().all(|&one| one == own[0]).then(|| own[0]);
                if seeking.needs(&other.outline(), uniform) {
                    seeking.look_in(other, own, None);
                }
            }
            ways.extend(seeking.ways());
        }
        let before = growth.n_components();
        growth.join(ways.into_iter());
        assert!(growth.n_components() < before);
    }
    growth.into_tree()
}

fn check(rows: &[f64], d: usize, metric: Metric, cuts: &[usize], k: usize) {
    let n = rows.len() / d;
    let (sorted, cells) = cells(rows, d, metric, cuts);
    let observed = Dissimilarity::from_points(Points::new(sorted, n, d).unwrap(), metric).unwrap();
    let (entries, links, last) = listed(&cells, k);
    let whole = nearest_neighbours(&observed, k);
    for i in 0..n {
        let own: Vec<(f64, u32)> =
            entries[i * k..(i + 1) * k].iter().copied().filter(|&(_, j)| j != u32::MAX).collect();
        let there: Vec<(f64, u32)> = whole.of(i).map(|(j, length)| (length, j as u32)).collect();
        assert_eq!(own, there, "point {i}");
    }
    let found: Vec<(f64, usize, usize)> = tree(&cells, links, &last)
        .iter()
        .map(|link| (link.length, link.ends.0 as usize, link.ends.1 as usize))
        .collect();
    let expected: Vec<(f64, usize, usize)> = minimum_spanning_tree(&observed, &Silent)
        .iter()
        .map(|link| (link.length, link.from.min(link.to), link.from.max(link.to)))
        .collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn lists_and_tree_of_parts_are_those_of_all_points(
        seed in 0u64..1_000_000, d in 1usize..4, kind in 0usize..5, k in 1usize..11,
        cuts in prop::collection::vec(0usize..10_000, 0..64),
    ) {
        use rand::RngExt;
        let mut random = crate::run::random::stream(seed, 0);
        let n = 2 + (seed as usize) % 400;
        let mut draw = |i: usize| -> Vec<f64> {
            let values: Vec<f64> = (0..d).map(|_| random.random::<f64>()).collect();
            match kind {
                0 => values,
                // A lattice with ties and duplicates.
                1 => values.iter().map(|x| (7.0 * x).floor()).collect(),
                // On one line.
                2 => values.iter().map(|_| i as f64).collect(),
                // Two groups far apart, of unlike densities.
                3 => values.iter().map(|x| if i.is_multiple_of(3) { 50.0 + 0.01 * x } else { *x }).collect(),
                // All equal but a few.
                _ => values.iter().map(|x| if i.is_multiple_of(20) { (3.0 * x).floor() } else { 1.0 }).collect(),
            }
        };
        let rows: Vec<f64> = (0..n).flat_map(&mut draw).collect();
        let metric = [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::SquaredEuclidean][n % 4];
        check(&rows, d, metric, &cuts, k);
    }

    #[test]
    fn places_on_a_globe_lie_in_parts_too(seed in 0u64..1_000_000, cuts in prop::collection::vec(0usize..10_000, 0..9)) {
        use rand::RngExt;
        let mut random = crate::run::random::stream(seed, 0);
        let n = 30 + (seed as usize) % 300;
        let rows: Vec<f64> = (0..n)
            .flat_map(|i| {
                let spread = if i % 2 == 0 { 3.0 } else { 0.001 };
                let latitude = 0.5 * spread * (random.random::<f64>() - 0.5);
                [latitude, spread * (random.random::<f64>() - 0.5)]
            })
            .collect();
        check(&rows, 2, Metric::Haversine, &cuts, 5);
    }
}

#[test]
fn links_are_inserted_where_they_stand_in_the_order() {
    let link = |at: u32| Ranked::new(f64::from(at % 7), at, at + 1);
    for cut in [0, 1, 5, 19, 20] {
        let mut all: Vec<Ranked> = (0..20).map(link).collect();
        let links = all.split_off(cut);
        crate::graph::spanning::kruskal::sort(&mut all);
        insert(&mut all, links);
        let mut expected: Vec<Ranked> = (0..20).map(link).collect();
        crate::graph::spanning::kruskal::sort(&mut expected);
        assert_eq!(all, expected);
    }
}
