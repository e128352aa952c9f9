use super::*;
use crate::constraints::NONE;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::evaluate::shapes::{Shape, draw};
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::latent_graph::search::starts::borders::smooth_borders;
use crate::latent_graph::search::starts::smooth::smooth;
use crate::run::observer::Silent;

fn whole() -> Plan {
    Plan::new(300, true)
}

fn starts(n_clusters: usize) -> Starts<'static> {
    Starts { n_clusters, constraints: &NONE, seed: 0, plan: whole() }
}

fn from(observed: &Dissimilarity<'_>, starts: &Starts<'_>) -> Vec<Partition> {
    let context = Context::new(observed, &Silent);
    starts.build(&context, &Sources::new(&context, &starts.plan, &Silent), &Silent)
}

fn on_a_line(places: &[f64]) -> Dissimilarity<'static> {
    let points = Points::new(places.to_vec(), places.len(), 1).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn rings(n_points: usize) -> (Dissimilarity<'static>, Labels) {
    let drawn = draw(Shape::TwoRings, n_points, 1).unwrap();
    (Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap(), drawn.labels)
}

/// Every candidate has M clusters in order of first appearance, and no two are equal.
fn check(found: &[Partition], n_clusters: usize) {
    assert!(!found.is_empty());
    for (at, candidate) in found.iter().enumerate() {
        let labels = Labels::new(&candidate.labels);
        assert_eq!(labels.n_clusters(), n_clusters, "{}", candidate.start);
        assert_eq!(labels.as_slice(), candidate.labels);
        assert!(found[..at].iter().all(|other| other.labels != candidate.labels));
    }
}

#[test]
fn odd_inputs_have_starts_with_exactly_as_many_classes_as_asked() {
    let lattice: Vec<f64> = (0..40).map(|i| f64::from(i / 4)).collect();
    for places in [vec![2.0], vec![1.0, 2.0], vec![5.0; 9], vec![0.0, 1e-300, 1.0, 1e300], lattice] {
        for m in [1, 2, 3, 4, 9, 40] {
            if m <= places.len() {
                check(&from(&on_a_line(&places), &starts(m)), m);
            }
        }
    }
}

#[test]
fn one_class_and_all_classes_have_one_partition() {
    let observed = on_a_line(&[0.0, 1.0, 3.0, 4.0, 9.0]);
    assert_eq!(from(&observed, &starts(1)).len(), 1);
    assert_eq!(from(&observed, &starts(5)).len(), 1);
}

#[test]
fn sparse_graphs_in_parts_have_starts() {
    let edges = [(0, 1, 1.0), (1, 2, 1.5), (0, 2, 2.0), (3, 4, 0.5), (4, 5, 0.2), (6, 7, 3.0)];
    let graph = SparseMatrix::from_edges(9, &edges).unwrap();
    let observed = Dissimilarity::from_sparse(graph, Quantity::Distances, Checks::default()).unwrap();
    for m in 1..=9 {
        check(&from(&observed, &starts(m)), m);
    }
    let parts = from(&observed, &starts(4));
    assert_eq!(parts[0].labels, [0, 0, 0, 1, 1, 1, 2, 2, 3]);
}

#[test]
fn matrices_with_gaps_have_starts() {
    let mut values: Vec<f64> = (0..45).map(|at| 1.0 + f64::from(at * 7 % 11)).collect();
    (0..45).step_by(3).for_each(|at| values[at] = f64::NAN);
    let checks = Checks { missing: crate::input::Missing::Unobserved, ..Checks::default() };
    let observed = Dissimilarity::from_condensed(values, Quantity::Distances, checks).unwrap();
    for m in [1, 2, 5, 10] {
        check(&from(&observed, &starts(m)), m);
    }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let (observed, _) = rings(150);
    let run = |threads, seed| {
        parallel::with_threads(threads, || {
            from(&observed, &Starts { n_clusters: 3, constraints: &NONE, seed, plan: whole() })
        })
    };
    let first = run(1, 0);
    assert_eq!(first, run(2, 0));
    assert_eq!(first, run(5, 0));
    assert_ne!(first, run(2, 1));
}

#[test]
fn rings_are_among_the_starts_and_survive_smoothing() {
    let (observed, truth) = rings(300);
    let found = from(&observed, &starts(2));
    check(&found, 2);
    assert!(found.iter().any(|candidate| candidate.labels == truth.as_slice()));
    let context = Context::new(&observed, &Silent);
    let spoilt: Vec<usize> = truth
        .as_slice()
        .iter()
        .enumerate()
        .map(|(i, &label)| if i % 9 == 0 { 1 - label } else { label })
        .collect();
    let smoothed = Labels::new(&smooth(&context, &spoilt, 2, BY_4));
    assert_eq!(adjusted_rand_index(&smoothed, &truth), Ok(1.0));
}

#[test]
fn smoothing_by_hand() {
    // A point of cluster 1 between points of cluster 0: its nearest mates are 0.1 and 5 away.
    let observed = on_a_line(&[0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 5.3]);
    let context = Context::new(&observed, &Silent);
    let by = Smoothing { n_neighbours: 2, shape: 1 };
    let smoothed = smooth(&context, &[0, 1, 0, 0, 1, 1, 1, 1], 2, by);
    assert_eq!(smoothed, [0, 0, 0, 0, 1, 1, 1, 1]);
}

/// One pass of [`smooth_borders`] as its sentence says it: every point looks at its own cluster and those of its neighbours.
fn passed(context: &Context<'_>, labels: &[usize], n_clusters: usize, by: Smoothing) -> Vec<usize> {
    let power = |length: f64| (length.max(context.floor()) / context.mean_link).powi(by.shape);
    let mean = |i: usize, cluster: usize| {
        let near: Vec<(usize, f64)> = context.neighbours.of(i).collect();
        let far = power(2.0 * near.last().unwrap().1);
        let mates = near.iter().filter(|(j, _)| labels[*j] == cluster).map(|&(_, length)| power(length));
        mates.chain(std::iter::repeat(far)).take(by.n_neighbours).sum::<f64>() / by.n_neighbours as f64
    };
    let own: Vec<f64> = (0..labels.len()).map(|i| mean(i, labels[i])).collect();
    let all = own.iter().sum::<f64>() / labels.len() as f64;
    let scale = |cluster: usize| {
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == cluster).collect();
        (members.iter().map(|&i| own[i]).sum::<f64>() + all) / (members.len() as f64 + 1.0)
    };
    let scales: Vec<f64> = (0..n_clusters).map(scale).collect();
    let likeliest = |i: usize| {
        let price = |cluster: usize| scales[cluster].ln() + mean(i, cluster) / scales[cluster];
        let near = |cluster: &usize| context.neighbours.of(i).any(|(j, _)| labels[j] == *cluster);
        let better = |best, cluster| if price(cluster) < price(best) - 1e-9 { cluster } else { best };
        (0..n_clusters).filter(near).fold(labels[i], better)
    };
    (0..labels.len()).map(likeliest).collect()
}

/// The passes of [`smooth_borders`].
fn smoothed_at_borders(
    context: &Context<'_>,
    labels: &[usize],
    n_clusters: usize,
    by: Smoothing,
) -> Vec<usize> {
    let mut labels = labels.to_vec();
    for _ in 0..30 {
        let next = passed(context, &labels, n_clusters, by);
        let n_moved = labels.iter().zip(&next).filter(|(old, new)| old != new).count();
        labels = next;
        if n_moved <= labels.len() / 500 {
            break;
        }
    }
    labels
}

#[test]
fn borders_are_smoothed_as_point_by_point() {
    for seed in 0..6 {
        let drawn = draw(Shape::FiveBlobs, 600, seed).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let context = Context::new(&observed, &Silent);
        let spoilt: Vec<usize> = drawn
            .labels
            .as_slice()
            .iter()
            .enumerate()
            .map(|(i, &label)| if i % 7 == 0 { (label + 1) % 5 } else { label })
            .collect();
        for by in [BY_4, Smoothing { n_neighbours: 2, shape: 2 }] {
            let found = smooth_borders(&context, &spoilt, 5, by);
            assert_eq!(found, smoothed_at_borders(&context, &spoilt, 5, by), "{seed} {by:?}");
            assert_ne!(found, spoilt);
        }
    }
}

#[test]
fn known_points_have_their_class_in_every_start() {
    let (observed, truth) = rings(120);
    let mut known = vec![None; 120];
    // Numbered the other way round than they appear.
    (0..120).step_by(11).for_each(|i| known[i] = Some(1 - truth.as_slice()[i]));
    let constraints = Constraints::new(&known.into(), 120).unwrap();
    for n_clusters in [2, 4] {
        let found =
            from(&observed, &Starts { n_clusters, constraints: &constraints, seed: 0, plan: whole() });
        assert!(!found.is_empty());
        for candidate in &found {
            assert_eq!(Labels::new(&candidate.labels).n_clusters(), n_clusters);
            assert!(constraints.obeyed_by(&candidate.labels), "{}", candidate.start);
        }
    }
    let found = from(&observed, &Starts { n_clusters: 2, constraints: &constraints, seed: 0, plan: whole() });
    assert!(found.iter().any(|candidate| Labels::new(&candidate.labels) == truth));
}

#[test]
fn a_class_that_known_labels_empty_is_filled_again() {
    let observed = on_a_line(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let neighbours = Context::new(&observed, &Silent).neighbours;
    let known = Constraints::new(&(&[Some(0), Some(0), None, Some(0), None]).into(), 5).unwrap();
    let honoured = honour(&[0, 1, 1, 2, 1], &known, 3, &neighbours);
    assert_eq!(Labels::new(&honoured).n_clusters(), 3);
    assert!(known.obeyed_by(&honoured));
    assert_eq!(honour(&[0, 1, 1, 2, 1], &NONE, 3, &neighbours), [0, 1, 1, 2, 1]);
}

#[test]
fn a_cancelled_run_has_starts() {
    struct Impatient;
    impl Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let (observed, _) = rings(100);
    let context = Context::new(&observed, &Silent);
    check(&starts(3).build(&context, &Sources::new(&context, &whole(), &Silent), &Impatient), 3);
}

#[test]
fn the_tree_of_mutual_reachability_is_that_of_all_pairs() {
    // Where every pair is listed it is exact.
    let drawn = draw(Shape::HalfMoons, 31, 2).unwrap();
    let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
    let context = Context::new(&observed, &Silent);
    let reach = Reachability::new(&context, 5, 30);
    let far = |i: usize, j: usize| observed.pair(i, j).unwrap().max(reach.core[i]).max(reach.core[j]);
    let values: Vec<f64> =
        (0..31).flat_map(|i| (i + 1..31).map(move |j| (i, j))).map(|(i, j)| far(i, j)).collect();
    let all = Dissimilarity::from_condensed(values, Quantity::Distances, Checks::default()).unwrap();
    let total = |tree: &[crate::graph::link::Link]| tree.iter().map(|link| link.length).sum::<f64>();
    let exact = crate::graph::spanning::minimum_tree::minimum_spanning_tree(&all, &Silent);
    assert_eq!(reach.tree.len(), 30);
    assert!((total(&reach.tree) - total(&exact)).abs() < 1e-12);
}

#[test]
fn starts_have_names_that_users_understand() {
    let name = |origin, smoothing| Start { smoothing, ..Start::of(origin) }.to_string();
    let linkage = |balance, core| Origin::Linkage { balance, core };
    assert_eq!(name(linkage(Balance::Dirichlet, None), None), "likelihood linkage");
    assert_eq!(
        name(linkage(Balance::Kappa(0.3), Some(5)), Some(BY_4)),
        "likelihood linkage, balance 0.3, reachability 5, smoothed by 4"
    );
    assert_eq!(name(Origin::Balanced { most_unequal: 0.3, core: None }, None), "balanced linkage 0.3");
    assert_eq!(name(Origin::Features { n_neighbours: 10 }, None), "latent features, 10 neighbours");
    assert_eq!(
        name(Origin::Level { core: 5, quantile: 0.35 }, Some(BY_4)),
        "density level 0.35, 5 neighbours, smoothed by 4"
    );
}
