//! The order of the rows is no part of the answer: with ties and duplicates, permuting the rows permutes it.

#![expect(clippy::unwrap_used, reason = "tests")]

use similis::latent_graph::{NumberScore, ScoreSettings};
use similis::{
    Checks, Dissimilarity, Labels, LatentGraph, LatentGraphFit, Metric, NClusters, Points, Quantity,
    SideInformation, Silent, SparseMatrix,
};

/// Number of other orders of each input.
const N_ORDERS: u64 = 5;

/// Numbers that are the same everywhere (xorshift).
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(0x0139_408d_cbbf_7a44 ^ seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// A whole number below `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|at| order.swap(at, self.below(at + 1)));
        order
    }
}

/// Rows of whole numbers: the points of a lattice, clouds of whole numbers, or columns of 0 and 1.
struct Table {
    values: Vec<f64>,
    n_columns: usize,
    metric: Metric,
}

impl Table {
    fn draw(case: u64) -> Self {
        let mut numbers = Numbers::new(case);
        let n_rows = 16 + numbers.below(17);
        let (n_columns, n_values) = match case % 3 {
            0 => (2, 4 + numbers.below(6)),
            1 => (1 + numbers.below(3), 5),
            _ => (3 + numbers.below(18), 2),
        };
        let mut value = |row: usize| {
            let x = numbers.below(n_values) as f64;
            // Clouds of whole numbers, and some rows that are not.
            if case % 3 == 1 { x + 12.0 * (row % 3) as f64 } else { x }
        };
        let values = (0..n_rows * n_columns).map(|at| value(at / n_columns)).collect();
        let metrics = [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Hamming];
        Self { values, n_columns, metric: metrics[(case / 3) as usize % 4] }
    }

    fn n_rows(&self) -> usize {
        self.values.len() / self.n_columns
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_columns..(i + 1) * self.n_columns]
    }

    fn points(&self, order: &[usize]) -> Dissimilarity<'static> {
        let values: Vec<f64> = order.iter().flat_map(|&i| self.row(i)).copied().collect();
        let points = Points::new(values, order.len(), self.n_columns).unwrap();
        Dissimilarity::from_points(points, self.metric).unwrap()
    }

    /// Rows that are equal have the same number.
    fn classes(&self) -> Vec<usize> {
        let first = |i: usize| (0..=i).find(|&j| self.row(j) == self.row(i)).unwrap();
        (0..self.n_rows()).map(first).collect()
    }
}

/// Labels of the rows in another order as labels of the rows themselves.
fn restored(labels: &Labels, order: &[usize]) -> Labels {
    let mut own = vec![0; order.len()];
    order.iter().zip(labels.as_slice()).for_each(|(&i, &label)| own[i] = label);
    Labels::new(&own)
}

/// Everything of a fit that has to be the same, bit by bit.
fn numbers(fit: &LatentGraphFit) -> Vec<u64> {
    let proposals = fit.proposals.iter().map(|proposal| proposal.score.total());
    let numbers = fit.numbers.iter().map(NumberScore::total);
    let joint = [fit.log_joint.total(), fit.labels.n_clusters() as f64];
    proposals.chain(numbers).chain(joint).map(f64::to_bits).collect()
}

fn check_fits(
    name: &str,
    model: &LatentGraph,
    n: usize,
    make: &dyn Fn(&[usize]) -> Dissimilarity<'static>,
) -> LatentGraphFit {
    let given: Vec<usize> = (0..n).collect();
    let first = model.fit(&make(&given), &[]).unwrap();
    for seed in 0..N_ORDERS {
        let order = Numbers::new(1000 + seed).order(n);
        let fit = model.fit(&make(&order), &[]).unwrap();
        assert_eq!(restored(&fit.labels, &order), first.labels, "{name}, order {seed}");
        assert_eq!(numbers(&fit), numbers(&first), "{name}, order {seed}");
        let mut noise: Vec<usize> = fit.noise.iter().map(|&place| order[place]).collect();
        noise.sort_unstable();
        assert_eq!(noise, first.noise, "{name}, order {seed}");
    }
    first
}

fn check_together(name: &str, labels: &Labels, classes: &[usize]) {
    for (i, &first) in classes.iter().enumerate() {
        assert_eq!(labels.as_slice()[i], labels.as_slice()[first], "{name}: rows {first} and {i} are equal");
    }
}

fn of(n_clusters: NClusters) -> LatentGraph {
    LatentGraph { n_clusters, ..LatentGraph::default() }
}

#[test]
fn permuting_rows_with_ties_and_duplicates_permutes_the_answer() {
    for case in 0..200 {
        let table = Table::draw(case);
        let n_clusters = match case % 5 {
            0 => NClusters::Auto,
            1 => NClusters::Between(2, 4),
            at => NClusters::Exactly(at as usize),
        };
        let name = format!("table {case}");
        let first = check_fits(&name, &of(n_clusters), table.n_rows(), &|order| table.points(order));
        check_together(&name, &first.labels, &table.classes());
        first.numbers.iter().for_each(|row| check_together(&name, &row.labels(), &table.classes()));
    }
}

#[test]
fn the_score_is_a_function_of_the_partition() {
    for case in 0..60 {
        let (table, mut numbers) = (Table::draw(case), Numbers::new(7 * case));
        let n = table.n_rows();
        // Clusters that part equal rows.
        let names: Vec<usize> = (0..n).map(|_| numbers.below(2 + case as usize % 3)).collect();
        let score = |order: &[usize]| {
            let labels = Labels::new(&order.iter().map(|&i| names[i]).collect::<Vec<_>>());
            let score = ScoreSettings::default().score(&table.points(order), &labels, &Silent).unwrap();
            let name = |cluster: usize| labels.as_slice().iter().position(|&label| label == cluster).unwrap();
            let mut terms: Vec<(usize, u64)> = score
                .classes
                .iter()
                .enumerate()
                .map(|(cluster, class)| (names[order[name(cluster)]], class.evidence.to_bits()))
                .collect();
            terms.sort_unstable();
            (score.total().to_bits(), terms)
        };
        let given: Vec<usize> = (0..n).collect();
        for seed in 0..N_ORDERS {
            assert_eq!(score(&Numbers::new(seed).order(n)), score(&given), "table {case}, order {seed}");
        }
    }
}

/// The pairs of a table as a matrix: square, of single precision, or condensed; or a graph of the shorter ones.
fn pairs(table: &Table, order: &[usize], kind: usize) -> Dissimilarity<'static> {
    let points = table.points(order);
    let (n, checks) = (order.len(), Checks::default());
    let pair = |(i, j): (usize, usize)| points.pair(i, j).unwrap();
    let square = || (0..n * n).map(|at| pair((at / n, at % n)));
    let above = || (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    match kind {
        0 => Dissimilarity::from_square(square().collect::<Vec<f64>>(), [n, n], Quantity::Distances, checks),
        1 => {
            let single: Vec<f32> = square().map(|value| value as f32).collect();
            Dissimilarity::from_square(single, [n, n], Quantity::Distances, checks)
        }
        2 => Dissimilarity::from_condensed(
            above().map(pair).collect::<Vec<f64>>(),
            Quantity::Distances,
            checks,
        ),
        _ => {
            let mut lengths: Vec<f64> = above().map(pair).collect();
            lengths.sort_by(f64::total_cmp);
            let most = lengths[lengths.len() / 4];
            let edges: Vec<(usize, usize, f64)> =
                above().map(|(i, j)| (i, j, pair((i, j)))).filter(|edge| edge.2 <= most).collect();
            Dissimilarity::from_sparse(
                SparseMatrix::from_edges(n, &edges).unwrap(),
                Quantity::Distances,
                checks,
            )
        }
    }
    .unwrap()
}

#[test]
fn permuting_the_items_of_matrices_and_graphs_permutes_the_answer() {
    for case in 0..48 {
        // Whole numbers in three columns have ties and duplicates, but no symmetry.
        let mut numbers = Numbers::new(case);
        let n_rows = 20 + numbers.below(41);
        let mut values: Vec<f64> = (0..3 * n_rows).map(|_| numbers.below(7) as f64).collect();
        let copied = values[..9].to_vec();
        values.extend(copied);
        let table = Table { values, n_columns: 3, metric: Metric::Manhattan };
        let kind = case as usize % 4;
        let n_clusters = if case % 8 < 4 { NClusters::Auto } else { NClusters::Exactly(3) };
        let name = format!("table {case}, kind {kind}");
        let first = check_fits(&name, &of(n_clusters), table.n_rows(), &|order| pairs(&table, order, kind));
        check_together(&name, &first.labels, &table.classes());
    }
}

#[test]
fn a_symmetric_matrix_or_graph_has_one_score_and_number_in_every_order() {
    for case in 0..16 {
        // The pairs of a whole lattice, and of columns of 0 and 1: what is found may be the mirror image.
        let values: Vec<f64> = if case % 2 == 0 {
            (0..36).flat_map(|at| [f64::from(at / 6), f64::from(at % 6)]).collect()
        } else {
            (0..32).flat_map(|at| (0..4).map(move |bit| f64::from(at >> bit & 1))).collect()
        };
        let table = Table { values, n_columns: if case % 2 == 0 { 2 } else { 4 }, metric: Metric::Manhattan };
        let n = table.n_rows();
        let model = of(if case < 8 { NClusters::Auto } else { NClusters::Exactly(2 + case % 3) });
        let fit = |order: &[usize]| numbers(&model.fit(&pairs(&table, order, case / 2 % 4), &[]).unwrap());
        let given: Vec<usize> = (0..n).collect();
        for seed in 0..N_ORDERS {
            assert_eq!(fit(&Numbers::new(seed).order(n)), fit(&given), "input {case}, order {seed}");
        }
    }
}

#[test]
fn every_way_of_inference_permutes_its_answer() {
    let ways: [&[(&str, &str)]; 4] = [
        &[("noise", "background")],
        &[("inference", "sample"), ("n_sweeps", "40")],
        &[("inference", "paper"), ("n_restarts", "3")],
        &[("scales", "per-class")],
    ];
    for (at, way) in ways.iter().enumerate() {
        for case in 0..6 {
            let table = Table::draw(3 * case + 1);
            let model = of(NClusters::Exactly(3)).with(way).unwrap();
            let name = format!("way {at}, table {}", 3 * case + 1);
            let first = check_fits(&name, &model, table.n_rows(), &|order| table.points(order));
            check_together(&name, &first.labels, &table.classes());
        }
    }
}

#[test]
fn the_posterior_and_the_graph_are_of_the_callers_rows() {
    let table = Table::draw(4);
    let n = table.n_rows();
    let model = of(NClusters::Exactly(3)).with(&[("inference", "sample"), ("n_sweeps", "60")]).unwrap();
    let order = Numbers::new(9).order(n);
    let (given, other) = (table.points(&(0..n).collect::<Vec<_>>()), table.points(&order));
    let (first, fit) = (model.fit(&given, &[]).unwrap(), model.fit(&other, &[]).unwrap());
    let (a, b) = (first.posterior.unwrap(), fit.posterior.unwrap());
    for (place, &i) in order.iter().enumerate() {
        for (other_place, &j) in order.iter().enumerate() {
            assert_eq!(b.co_assignment.pair(n, place, other_place), a.co_assignment.pair(n, i, j));
        }
        let own = |labels: &Labels, i: usize| labels.as_slice()[i];
        let [here, there] = [own(&fit.labels, place), own(&first.labels, i)];
        assert_eq!(b.memberships[place * b.n_columns + here], a.memberships[i * a.n_columns + there]);
        let sum: f64 = b.memberships[place * b.n_columns..(place + 1) * b.n_columns].iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    for (sample, other) in a.samples.iter().zip(&b.samples) {
        assert_eq!(restored(other, &order), *sample);
    }
    for link in &fit.graph {
        assert_eq!(other.pair(link.from, link.to), Some(link.length));
        assert!([link.from, link.to].iter().all(|&i| fit.labels.as_slice()[i] == link.class));
    }
}

#[test]
fn side_information_is_permuted_with_the_rows_and_may_part_equal_ones() {
    for case in 0..10 {
        let table = Table::draw(3 * case + 1);
        let (n, mut numbers) = (table.n_rows(), Numbers::new(case));
        let classes = table.classes();
        let equal = (0..n).find(|&i| classes[i] != i).map(|i| (classes[i], i));
        let far = [numbers.below(n), numbers.below(n)];
        let must_link = if far[0] == far[1] || equal.is_some() { Vec::new() } else { vec![(far[0], far[1])] };
        let side = SideInformation {
            must_link,
            cannot_link: equal.into_iter().collect(),
            ..SideInformation::default()
        };
        let model = of(NClusters::Exactly(3));
        let first = model.fit(&table.points(&(0..n).collect::<Vec<_>>()), &side).unwrap();
        if let Some((i, j)) = equal {
            assert_ne!(first.labels.as_slice()[i], first.labels.as_slice()[j]);
        }
        let order = numbers.order(n);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        let moved = |pairs: &[(usize, usize)]| pairs.iter().map(|&(i, j)| (place[i], place[j])).collect();
        let other = SideInformation {
            must_link: moved(&side.must_link),
            cannot_link: moved(&side.cannot_link),
            ..SideInformation::default()
        };
        let fit = model.fit(&table.points(&order), &other).unwrap();
        assert_eq!(fit.labels.n_clusters(), first.labels.n_clusters());
        assert!((fit.proposals[0].score.total() - first.proposals[0].score.total()).abs() < 1e-9);
    }
}

#[test]
fn odd_inputs_keep_equal_rows_together_as_far_as_there_are_rows() {
    let line = |places: &[f64]| {
        let points = Points::new(places.to_vec(), places.len(), 1).unwrap();
        Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
    };
    let labels =
        |places: &[f64], n_clusters: NClusters| of(n_clusters).fit(&line(places), &[]).unwrap().labels;
    assert_eq!(labels(&[3.0], NClusters::Auto).as_slice(), [0]);
    assert_eq!(labels(&[2.0; 30], NClusters::Auto).as_slice(), [0; 30]);
    let two: Vec<f64> = (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let expected = Labels::new(&two.iter().map(|&place| place as usize).collect::<Vec<_>>());
    assert_eq!(labels(&two, NClusters::Exactly(2)), expected);
    assert!(labels(&two, NClusters::Auto).n_clusters() <= 2);
    assert_eq!(
        labels(&two, NClusters::Between(1, 7)).n_clusters().min(2),
        labels(&two, NClusters::Between(1, 7)).n_clusters()
    );
    // Fewer different rows than clusters: equal rows are parted.
    assert_eq!(labels(&two, NClusters::Exactly(5)).n_clusters(), 5);
    assert_eq!(labels(&two, NClusters::Exactly(30)).n_clusters(), 30);
    assert_eq!(labels(&[2.0; 4], NClusters::Exactly(4)).as_slice(), [0, 1, 2, 3]);
    assert_eq!(labels(&[0.0, -0.0, 5.0, -0.0], NClusters::Exactly(2)).as_slice(), [0, 0, 1, 0]);
}
