use crate::error::{ConstraintError, InputError, SettingError};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::*;
use crate::constraints::NONE;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::graph::spanning::of_clusters::spanning_tree;
use crate::input::Checks;
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::paper::Found;
use crate::latent_graph::paper::neighbour_lists::NeighbourLists;
use crate::run::parallel::with_threads;
use crate::run::random::Random;
use crate::run::termination::Termination;

/// Random lengths of all pairs of n points; whole numbers make ties.
fn random_lengths(n: usize, ties: bool, random: &mut Random) -> Dissimilarity<'static> {
    let value = |x: f64| if ties { (3.0 * x).ceil() } else { x };
    let lengths: Vec<f64> =
        (0..n * (n - 1) / 2).map(|_| value(0.05 + 4.0 * random.random::<f64>())).collect();
    Dissimilarity::from_condensed(lengths, Quantity::Distances, Checks::default()).unwrap()
}

fn random_class(gaussian: bool, random: &mut Random) -> LinkLengths {
    let mut draw = || 0.2 + 3.0 * random.random::<f64>();
    if gaussian {
        LinkLengths::Gaussian { scale: draw(), spread: draw() }
    } else {
        LinkLengths::Exponential { scale: draw() }
    }
}

fn model<'a>(
    lengths: &'a Lengths<'a>,
    background: LinkLengths,
    graphs: GraphPrior,
    sizes: SizePrior,
) -> Model<'a> {
    let likelihood = match background {
        LinkLengths::Exponential { .. } => Likelihood::Exponential,
        LinkLengths::Gaussian { .. } => Likelihood::Gaussian,
    };
    let scale_step = ScaleStep {
        likelihood,
        prior: ScalePrior::None,
        typical_length: 1.0,
        typical_spread: 0.5,
        floor: 1e-9,
    };
    let prior = Prior::new(graphs, sizes, 2, lengths.n_points());
    Model { lengths, background, prior, scale_step, scale_updates: ScaleUpdates::Hard }
}

/// All spanning trees of `members`, by Prüfer's codes.
fn all_trees(members: &[usize], lengths: &Lengths<'_>) -> Vec<Vec<Link>> {
    let n = members.len();
    if n < 2 {
        return vec![Vec::new()];
    }
    let link = |a: usize, b: usize| Link {
        from: members[a],
        to: members[b],
        length: lengths.pair(members[a], members[b]),
    };
    (0..n.pow(n as u32 - 2))
        .map(|number| {
            let code: Vec<usize> = (0..n - 2).map(|at| number / n.pow(at as u32) % n).collect();
            let mut degree = vec![1; n];
            code.iter().for_each(|&i| degree[i] += 1);
            let mut tree = Vec::new();
            for &i in &code {
                let leaf = (0..n).find(|&leaf| degree[leaf] == 1).unwrap();
                tree.push(link(leaf, i));
                degree[leaf] -= 1;
                degree[i] -= 1;
            }
            let last: Vec<usize> = (0..n).filter(|&i| degree[i] == 1).collect();
            tree.push(link(last[0], last[1]));
            tree
        })
        .collect()
}

fn members(labels: &Labels, cluster: usize) -> Vec<usize> {
    (0..labels.n_points()).filter(|&i| labels.as_slice()[i] == cluster).collect()
}

#[test]
fn eq_5_6_and_11_by_hand_on_three_points() {
    // Lengths 1 (0-1), 4 (0-2), 3 (1-2); classes {0, 1} and {2}; one link, 0-1; Gaussian about 2 with spread 1,
    // background about 3 with spread 2.
    let observed =
        Dissimilarity::from_condensed(vec![1.0, 4.0, 3.0], Quantity::Distances, Checks::default()).unwrap();
    let lengths = Lengths::complete(&observed);
    let background = LinkLengths::Gaussian { scale: 3.0, spread: 2.0 };
    let model = model(&lengths, background, GraphPrior::Tree, SizePrior::Constant);
    let labels = Labels::new(&[0, 0, 1]);
    let links = [Link { from: 0, to: 1, length: 1.0 }];
    let classes = [LinkLengths::Gaussian { scale: 2.0, spread: 1.0 }; 2];
    let joint = model.evaluate(State { labels: &labels, links: &links, classes: &classes });
    // Eq. (11): -1/2 [ (1 - 2)^2 / 1 + log 1 + (4 - 3)^2 / 4 + log 4 + (3 - 3)^2 / 4 + log 4 ] - 3/2 log 2 pi.
    let expected = -0.5 * (1.0 + 0.25 + 2.0 * 4f64.ln()) - 1.5 * std::f64::consts::TAU.ln();
    assert!((joint.total() - expected).abs() < 1e-14);
    // A link between classes, or none inside one, has no probability.
    for links in [&[Link { from: 0, to: 2, length: 4.0 }][..], &[]] {
        let joint = model.evaluate(State { labels: &labels, links, classes: &classes });
        assert_eq!(joint.total(), f64::NEG_INFINITY);
    }
    // What does not fit the model is refused.
    let state = |labels, links, classes| State { labels, links, classes };
    let other = Labels::new(&[0, 0]);
    let refused = model.log_joint(state(&other, &links, &classes));
    assert_eq!(refused, Err(Error::Input(InputError::LabelLengths { first: 3, second: 2 })));
    let refused = model.log_joint(state(&labels, &links, &classes[..1]));
    assert_eq!(refused, Err(Error::Input(InputError::ClassLengths { n_clusters: 2, n_classes: 1 })));
    let beyond = [Link { from: 0, to: 7, length: 1.0 }];
    let refused = model.log_joint(state(&labels, &beyond, &classes));
    assert_eq!(refused, Err(Error::Input(InputError::Column { row: 0, column: 7, n_points: 3 })));
    assert_eq!(model.log_joint(state(&labels, &links, &classes)), Ok(joint));
    // With exact counts: {0, 1} has one tree; P(partition | 2) = 2! 2! 1! / (3! binom(2, 1)) = 1/3.
    let model = Model { prior: Prior::new(GraphPrior::Tree, SizePrior::Dirichlet, 2, 3), ..model };
    let joint = model.evaluate(State { labels: &labels, links: &links, classes: &classes });
    assert!((joint.total() - expected + 3f64.ln()).abs() < 1e-14);
}

#[test]
fn eq_14_and_16_the_joint_is_the_background_and_the_prices() {
    let mut random = stream(3, 0);
    let observed = random_lengths(5, false, &mut random);
    let lengths = Lengths::complete(&observed);
    let background = LinkLengths::Exponential { scale: 2.0 };
    let model = model(&lengths, background, GraphPrior::Tree, SizePrior::Constant);
    let class = LinkLengths::Exponential { scale: 0.5 };
    let labels = Labels::new(&[0; 5]);
    let tree = spanning_tree(&lengths, &[0, 1, 2, 3, 4], &LinkOrder::BY_LENGTH);
    let joint = model.evaluate(State { labels: &labels, links: &tree, classes: &[class] });
    // The plain double product of Eq. (6).
    let linked = |i, j| tree.iter().any(|link| (link.from.min(link.to), link.from.max(link.to)) == (i, j));
    let mut plain = 0.0;
    for i in 0..5 {
        for j in i + 1..5 {
            plain += if linked(i, j) { class } else { background }.log_density(lengths.pair(i, j));
        }
    }
    assert!((joint.total() - plain).abs() < 1e-12);
}

#[test]
fn corollary_1_the_best_trees_are_minimum_spanning_trees_for_any_background() {
    let mut random = stream(5, 0);
    for draw in 0..150 {
        let n = random.random_range(2..7);
        let observed = random_lengths(n, draw % 3 == 0, &mut random);
        let lengths = Lengths::complete(&observed);
        let gaussian = draw % 2 == 0;
        let model =
            model(&lengths, random_class(gaussian, &mut random), GraphPrior::Tree, SizePrior::Constant);
        let m = random.random_range(1..=2.min(n));
        let mut names: Vec<usize> = (0..n).map(|i| i % m).collect();
        names.shuffle(&mut random);
        let labels = Labels::new(&names);
        let classes: Vec<LinkLengths> = (0..m).map(|_| random_class(gaussian, &mut random)).collect();
        let orders: Vec<LinkOrder> = classes.iter().map(|&class| model.weight(class).order()).collect();
        let ours: Vec<Link> = class_trees(&lengths, &labels, &orders).unwrap().concat();
        let value =
            |links: &[Link]| model.evaluate(State { labels: &labels, links, classes: &classes }).total();
        // Eq. (19): classes are independent, so each is enumerated on its own.
        let mut best = Vec::new();
        for (cluster, &class) in classes.iter().enumerate() {
            let price = |tree: &Vec<Link>| {
                tree.iter().map(|link| model.weight(class).price(link.length)).sum::<f64>()
            };
            let trees = all_trees(&members(&labels, cluster), &lengths);
            best.extend(trees.into_iter().min_by(|a, b| price(a).total_cmp(&price(b))).unwrap());
        }
        assert!((value(&ours) - value(&best)).abs() < 1e-9, "draw {draw}");
    }
}

/// All graphs on five points.
fn all_graphs(lengths: &Lengths<'_>) -> Vec<Vec<Link>> {
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
    let link = |&(from, to): &(usize, usize)| Link { from, to, length: lengths.pair(from, to) };
    (0..1 << pairs.len())
        .map(|code: usize| {
            (0..pairs.len()).filter(|at| code >> at & 1 == 1).map(|at| link(&pairs[at])).collect()
        })
        .collect()
}

/// The number of links of the best connected graph on five points.
fn best_connected(lengths: &Lengths<'_>, class: LinkLengths, background: LinkLengths) -> usize {
    let model = model(lengths, background, GraphPrior::Connected, SizePrior::Constant);
    let labels = Labels::new(&[0; 5]);
    let value = |links: &[Link]| model.evaluate(State { labels: &labels, links, classes: &[class] }).total();
    all_graphs(lengths).iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap().len()
}

#[test]
fn theorem_1_holds_where_its_condition_can_and_fails_at_the_likeliest_spread() {
    let mut random = stream(7, 0);
    let (mut n_trees, mut n_links) = (0, 0);
    for _ in 0..100 {
        let observed = random_lengths(5, false, &mut random);
        let lengths = Lengths::complete(&observed);
        let scale = 0.2 + 3.0 * random.random::<f64>();
        let mut least = f64::INFINITY;
        (0..5).for_each(|i| (0..i).for_each(|j| least = least.min((lengths.pair(i, j) - scale).powi(2))));
        // Gamma > sigma^2: the background of Eq. (18) exists, and the best connected graph is the tree.
        let class = LinkLengths::Gaussian { scale, spread: (least / 2.0).sqrt() };
        let background = of_theorem(&lengths, class).unwrap();
        assert_eq!(best_connected(&lengths, class, background), 4);
        // Eq. (17) holds for every pair.
        let weight = LinkWeight { class, background };
        (0..5).for_each(|i| (0..i).for_each(|j| assert!(weight.price(lengths.pair(i, j)) >= -1e-9)));
        // At the likeliest spread of the tree's links it does not exist, and no wide background gives a tree.
        let tree = spanning_tree(&lengths, &[0, 1, 2, 3, 4], &weight.order());
        let variance = tree.iter().map(|link| (link.length - scale).powi(2)).sum::<f64>() / 4.0;
        let likeliest = LinkLengths::Gaussian { scale, spread: variance.sqrt() };
        assert!(matches!(
            of_theorem(&lengths, likeliest),
            Err(Error::Settings(SettingError::Theorem { .. }))
        ));
        let wide = LinkLengths::Gaussian { scale, spread: 10.0 };
        let n = best_connected(&lengths, likeliest, wide);
        n_trees += usize::from(n == 4);
        n_links += n;
    }
    assert!(n_trees <= 20 && n_links > 600, "{n_trees} trees, {n_links} links in 100 draws of 4 to 10");
}

#[test]
fn theorem_1_remark_the_best_labels_cut_the_dearest_links() {
    let mut random = stream(9, 0);
    for draw in 0..60 {
        let n = random.random_range(2..8);
        let m = random.random_range(1..=n.min(4));
        let observed = random_lengths(n, false, &mut random);
        let lengths = Lengths::complete(&observed);
        let gaussian = draw % 2 == 0;
        let mut ends = [random_class(gaussian, &mut random), random_class(gaussian, &mut random)];
        ends.sort_by(|a, b| a.spread().total_cmp(&b.spread()));
        let [class, background] = ends;
        let model = model(&lengths, background, GraphPrior::Tree, SizePrior::Constant);
        let order = model.weight(class).order();
        let all: Vec<usize> = (0..n).collect();
        let value = |labels: &Labels| {
            let links = class_trees(&lengths, labels, &vec![order; m]).unwrap().concat();
            model.evaluate(State { labels, links: &links, classes: &vec![class; m] }).total()
        };
        let tree = spanning_tree(&lengths, &all, &order);
        let ours = cut_dearest(&tree, n, m, &order).unwrap();
        assert_eq!(ours.n_clusters(), m);
        let partitions = (0..m.pow(n as u32))
            .map(|code| Labels::new(&(0..n).map(|i| code / m.pow(i as u32) % m).collect::<Vec<_>>()))
            .filter(|labels| labels.n_clusters() == m);
        let best = partitions.map(|labels| value(&labels)).fold(f64::NEG_INFINITY, f64::max);
        assert!((value(&ours) - best).abs() < 1e-9, "draw {draw}");
    }
}

/// A run from random labels on random data.
fn checked_moves(observed: &Dissimilarity<'_>, settings: &LatentGraph, n_moves: usize, random: &mut Random) {
    let n = observed.n_points();
    let everything = Lengths::complete(observed);
    let all: Vec<usize> = (0..n).collect();
    let tree = spanning_tree(&everything, &all, &LinkOrder::BY_LENGTH);
    let lengths = settings.lengths(observed, &tree);
    let model = settings.model(&lengths, &tree).unwrap();
    let mut run = Run::from_random_labels(&model, 3, &NONE, random);
    let mut joint = run.log_joint().total();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    for _ in 0..n_moves {
        let i = random.random_range(0..n);
        let moved = run.place_point(i);
        let placed = run.log_joint().total();
        let gain = moved.map_or(0.0, |moved| moved.gain);
        // A class in pieces is impossible; mending it may cost what is left of the joint.
        let possible = joint > f64::NEG_INFINITY;
        assert!(gain >= 0.0 || !possible);
        assert!(close(placed, joint + gain) || !possible, "{settings:?}: {joint} + {gain} {placed}");
        if let Some(moved) = moved {
            run.update_scales(moved.from);
            run.update_scales(moved.to);
        }
        let updated = run.log_joint().total();
        assert!(updated >= placed - 1e-9 * (1.0 + placed.abs()), "{settings:?}: {placed} {updated}");
        joint = updated;
    }
}

#[test]
fn no_point_step_and_no_scale_step_lowers_the_joint() {
    let mut random = stream(11, 0);
    for draw in 0..12 {
        let n = random.random_range(8..26);
        let lattice = draw % 3 == 0;
        let place = |x: f64| if lattice { (5.0 * x).floor() } else { x };
        let values: Vec<f64> = (0..2 * n).map(|_| place(random.random())).collect();
        let observed =
            Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Euclidean).unwrap();
        for graph_prior in [GraphPrior::Tree, GraphPrior::Connected, GraphPrior::KNeighbours] {
            for likelihood in [Likelihood::Exponential, Likelihood::Gaussian] {
                for scale_prior in [ScalePrior::Weak, ScalePrior::None] {
                    let size_prior = if draw % 2 == 0 { SizePrior::Dirichlet } else { SizePrior::Constant };
                    let support = Some(if draw % 4 == 1 { Support::Nearest } else { Support::Complete });
                    let support =
                        if graph_prior == GraphPrior::Tree { support } else { Some(Support::Complete) };
                    let settings = LatentGraph {
                        graph_prior,
                        likelihood,
                        scale_prior,
                        size_prior,
                        support,
                        prior_neighbours: 3,
                        support_neighbours: 4,
                        ..LatentGraph::default()
                    };
                    checked_moves(&observed, &settings, 80, &mut random);
                }
            }
        }
    }
}

#[test]
fn forced_moves_change_the_joint_by_what_was_predicted() {
    let mut random = stream(25, 0);
    let n = 18;
    let mut n_moves = 0;
    for draw in 0..12 {
        let observed = random_lengths(n, draw % 3 == 0, &mut random);
        let lengths = Lengths::complete(&observed);
        let tree = global_tree(&observed, &Silent);
        for graph_prior in [GraphPrior::Tree, GraphPrior::Connected, GraphPrior::KNeighbours] {
            for likelihood in [Likelihood::Exponential, Likelihood::Gaussian] {
                let settings =
                    LatentGraph { graph_prior, likelihood, prior_neighbours: 3, ..LatentGraph::default() };
                let model = settings.model(&lengths, &tree).unwrap();
                let mut run = Run::from_random_labels(&model, 3, &NONE, &mut random);
                let mut kept = run.log_joint().total();
                for _ in 0..150 {
                    let (i, to) = (random.random_range(0..n), random.random_range(0..3));
                    if run.would_empty(i) {
                        continue;
                    }
                    // The joint is kept by the predicted gains alone, and compared with the sum over all pairs.
                    kept += run.force_point(i, to);
                    let anew = run.log_joint().total();
                    assert!((kept - anew).abs() < 1e-9 * (1.0 + anew.abs()), "{settings:?}: {kept} {anew}");
                    n_moves += 1;
                }
                (0..3).for_each(|cluster| run.update_scales(cluster));
            }
        }
    }
    assert!(n_moves > 9000, "{n_moves}");
}

#[test]
fn the_neighbour_lists_are_the_cheapest_links_after_every_move() {
    let mut random = stream(13, 0);
    let n = 20;
    let observed = random_lengths(n, true, &mut random);
    let lengths = Lengths::complete(&observed);
    let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let orders = vec![LinkOrder::BY_LENGTH; 2];
    let mut lists = NeighbourLists::new(&lengths, &labels, orders.clone(), 3);
    let mut row = vec![0.0; n];
    let sorted = |lists: &NeighbourLists<'_>| {
        let mut links: Vec<(usize, usize)> =
            (0..2).flat_map(|cluster| lists.links(cluster)).map(|link| (link.from, link.to)).collect();
        links.sort_unstable();
        links
    };
    for _ in 0..500 {
        let (i, to) = (random.random_range(0..n), random.random_range(0..2));
        if lists.members(lists.labels()[i]).len() < 2 {
            continue;
        }
        lengths.fill(i, &mut row);
        lists.remove(i);
        let change = lists.insertion(i, to, &row);
        lists.insert(i, to, &change);
        let anew = NeighbourLists::new(&lengths, lists.labels(), orders.clone(), 3);
        assert_eq!(sorted(&lists), sorted(&anew));
    }
}

/// Points on a line: 20 close together, then 20 far apart.
fn dense_and_sparse(unit: f64) -> Vec<f64> {
    let mut random = stream(15, 0);
    (0..40)
        .map(|i| f64::from(if i < 20 { i } else { 10 * i - 100 }) + 0.3 * random.random::<f64>())
        .map(|x| x * unit)
        .collect()
}

fn fit_line(settings: &LatentGraph, places: Vec<f64>) -> LatentGraphFit {
    let n = places.len();
    let observed = Dissimilarity::from_points(Points::new(places, n, 1).unwrap(), Metric::Euclidean).unwrap();
    settings.fit(&observed, &[]).unwrap()
}

#[test]
fn units_change_only_scales_and_the_joint_by_a_known_constant() {
    for (likelihood, scale_prior) in [
        (Likelihood::Exponential, ScalePrior::Weak),
        (Likelihood::Exponential, ScalePrior::None),
        (Likelihood::Gaussian, ScalePrior::Weak),
        (Likelihood::Gaussian, ScalePrior::None),
    ] {
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            likelihood,
            scale_prior,
            ..LatentGraph::default()
        };
        let settings = settings.with(&[("n_restarts", "3")]).unwrap();
        let plain = fit_line(&settings, dense_and_sparse(1.0));
        for unit in [1e-9, 1e9] {
            let scaled = fit_line(&settings, dense_and_sparse(unit));
            assert_eq!(scaled.labels, plain.labels);
            for (a, b) in scaled.scales.iter().zip(&plain.scales) {
                assert!((a / unit / b - 1.0).abs() < 1e-9);
            }
            // Each of the 780 densities of a length is per unit; the prior's is of a rate, or of a length and its square.
            let per_class = match (scale_prior, likelihood) {
                (ScalePrior::None, _) => 0.0,
                (_, Likelihood::Exponential) => 1.0,
                (_, Likelihood::Gaussian) => -3.0,
            };
            let expected = plain.log_joint.total() + (2.0 * per_class - 780.0) * unit.ln();
            assert!(
                (scaled.log_joint.total() - expected).abs() < 1e-6 * expected.abs(),
                "{likelihood:?} {scale_prior:?}"
            );
        }
    }
}

#[test]
fn permuting_the_points_permutes_every_step() {
    // Random starts are drawn by number, so another order of hard data is another start. From the same labels, visited in
    // the same order, every step is the same.
    let mut random = stream(17, 0);
    let n = 40;
    let values: Vec<f64> = (0..2 * n).map(|_| random.random()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut random);
    let shuffled: Vec<f64> = order.iter().flat_map(|&i| values[2 * i..2 * i + 2].to_vec()).collect();
    let start: Vec<usize> = (0..n).map(|i| i % 3).collect();
    let visits: Vec<usize> = (0..200).map(|_| random.random_range(0..n)).collect();
    let run = |values: Vec<f64>, start: &[usize], visits: &[usize]| {
        let observed =
            Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Euclidean).unwrap();
        let lengths = Lengths::complete(&observed);
        let model = LatentGraph::default().model(&lengths, &global_tree(&observed, &Silent)).unwrap();
        let mut run = Run::from_labels(&model, start, 3, &NONE);
        let moves: Vec<bool> = visits.iter().map(|&i| run.move_point(i)).collect();
        (moves, run.log_joint().total())
    };
    let place: Vec<usize> = (0..n).map(|i| order.iter().position(|&j| j == i).unwrap()).collect();
    let plain = run(values, &start, &visits);
    let permuted_start: Vec<usize> = order.iter().map(|&i| start[i]).collect();
    let permuted_visits: Vec<usize> = visits.iter().map(|&i| place[i]).collect();
    let permuted = run(shuffled, &permuted_start, &permuted_visits);
    assert_eq!(plain.0, permuted.0);
    assert!(plain.0.iter().filter(|&&moved| moved).count() > 5);
    assert!((plain.1 - permuted.1).abs() < 1e-9);
}

#[test]
fn permuting_well_separated_points_permutes_the_answer() {
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let places = dense_and_sparse(1.0);
    let plain = fit_line(&settings, places.clone());
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.shuffle(&mut stream(17, 0));
    let permuted = fit_line(&settings, order.iter().map(|&i| places[i]).collect());
    let expected: Vec<usize> = order.iter().map(|&i| plain.labels.as_slice()[i]).collect();
    assert_eq!(permuted.labels, Labels::new(&expected));
}

#[test]
fn threads_change_no_bit_of_a_fit() {
    let mut random = stream(19, 0);
    let values: Vec<f64> = (0..160).map(|_| random.random()).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 80, 2).unwrap(), Metric::Euclidean).unwrap();
    let printed =
        LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..LatentGraph::default() };
    for settings in [LatentGraph::default(), printed, LatentGraph::paper()] {
        let settings = LatentGraph { n_clusters: NClusters::Exactly(3), ..settings };
        let fits = [1, 2, 5].map(|threads| with_threads(threads, || settings.fit(&observed, &[]).unwrap()));
        assert!(fits.iter().all(|fit| fit == &fits[0]));
    }
}

#[test]
fn a_fit_is_consistent_with_itself() {
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let found = fit_line(&settings, dense_and_sparse(1.0));
    assert_eq!(found.proposals[0].labels, found.labels);
    let scores: Vec<f64> = found.proposals.iter().map(|proposal| proposal.score.total()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let fit = fit_line(
        &LatentGraph { inference: Some(Inference::Paper(PaperSettings::default())), ..settings },
        dense_and_sparse(1.0),
    );
    for fit in [&found, &fit] {
        assert_eq!(fit.graph.len(), 38);
        assert!(fit.graph.iter().all(|link| fit.labels.as_slice()[link.from] == link.class));
    }
    assert_eq!(fit.restarts.len(), 10);
    let most = fit.restarts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(fit.log_joint.total(), most);
    assert_eq!(fit.trace.last(), Some(&most));
    assert!(fit.trace.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9));
    assert_eq!(fit.ended, Termination::Converged);
}

#[test]
fn at_convergence_the_scales_are_those_of_the_links() {
    // Eq. (12) and (13) hold of the answer, also where a new scale changes the order of links and so the tree.
    let mut random = stream(27, 0);
    let values: Vec<f64> = (0..120).map(|_| random.random()).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 60, 2).unwrap(), Metric::Euclidean).unwrap();
    let fit = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::paper() }
        .fit(&observed, &[])
        .unwrap();
    assert_eq!(fit.ended, Termination::Converged);
    for (class, (&scale, &spread)) in fit.scales.iter().zip(&fit.spreads).enumerate() {
        let lengths: Vec<f64> =
            fit.graph.iter().filter(|link| link.class == class).map(|link| link.length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let variance = lengths.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / lengths.len() as f64;
        assert!((mean - scale).abs() < 1e-9 && (variance.sqrt() - spread).abs() < 1e-9, "{mean} {scale}");
    }
}

#[test]
fn section_3_2_similarities_are_taken_as_they_are() {
    // Two blocks: 0.9 within, 0.1 between, a little noise. The most similar pairs are the links.
    let mut random = stream(29, 0);
    let n = 20;
    let mut values = vec![1.0; n * n];
    for i in 0..n {
        for j in i + 1..n {
            let level = if (i < 10) == (j < 10) { 0.9 } else { 0.1 };
            let value = level + 0.02 * random.random::<f64>();
            (values[i * n + j], values[j * n + i]) = (value, value);
        }
    }
    let observed =
        Dissimilarity::from_square(values, [n, n], Quantity::Similarities, Checks::default()).unwrap();
    // Half of the labels are known: the printed search is weak, and the model is what is shown.
    let known: Vec<Option<usize>> = (0..n).map(|i| (i % 2 == 0).then_some(i / 10)).collect();
    for support in [Support::Complete, Support::Nearest] {
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            likelihood: Likelihood::Gaussian,
            support: Some(support),
            support_neighbours: 5,
            ..LatentGraph::default()
        };
        let fit = settings.fit(&observed, &known).unwrap();
        let truth: Vec<usize> = (0..n).map(|i| i / 10).collect();
        assert_eq!(fit.labels, Labels::new(&truth), "{support:?}");
        assert!(fit.scales.iter().all(|&scale| scale > 0.85), "{:?}", fit.scales);
    }
}

#[test]
fn missing_pairs_do_not_depend_on_the_unit() {
    for unit in [1e-18, 1.0, 1e18] {
        let class = LinkLengths::Exponential { scale: unit };
        let weight = LinkWeight { class, background: LinkLengths::Exponential { scale: 10.0 * unit } };
        let order = weight.order();
        // The price is 0 where log 10 = 0.9 L.
        let crossing = unit * 10f64.ln() / 0.9;
        assert!(
            order.key(0.99 * crossing) < order.key(f64::NAN)
                && order.key(f64::NAN) < order.key(1.01 * crossing)
        );
    }
}

#[test]
fn a_support_in_more_parts_than_clusters_is_refused() {
    let edges = [(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0)];
    let matrix = crate::input::sparse::SparseMatrix::from_edges(6, &edges).unwrap();
    let observed = Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap();
    let settings = |n| LatentGraph { n_clusters: NClusters::Exactly(n), ..LatentGraph::default() };
    let sampled = LatentGraph { inference: Some(Inference::Sample(Sampling::default())), ..settings(2) };
    let purpose = "inference by sampling";
    assert_eq!(
        sampled.fit(&observed, &[]),
        Err(Error::Settings(SettingError::Parts { purpose, n_parts: 3, n_clusters: 2 }))
    );
    let fit = settings(3).fit(&observed, &[]).unwrap();
    assert_eq!(fit.labels.as_slice(), [0, 0, 1, 1, 2, 2]);
}

#[test]
fn section_5_known_labels_stay() {
    let places = dense_and_sparse(1.0);
    let observed =
        Dissimilarity::from_points(Points::new(places, 40, 1).unwrap(), Metric::Euclidean).unwrap();
    let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    // A lie in the middle of the dense class: it is kept.
    let mut known = vec![None; 40];
    (known[0], known[10], known[39]) = (Some(7), Some(3), Some(3));
    let fit = settings.fit(&observed, &known).unwrap();
    let labels = fit.labels.as_slice();
    assert!(labels[0] != labels[10] && labels[10] == labels[39]);
    let refused = |known: &[Option<usize>]| settings.fit(&observed, known).unwrap_err();
    assert_eq!(
        refused(&[None; 3]),
        Error::Constraints(ConstraintError::KnownLabels { given: 3, n_points: 40 })
    );
    let three: Vec<Option<usize>> = (0..40).map(|i| (i < 3).then_some(i)).collect();
    assert_eq!(
        refused(&three),
        Error::Constraints(ConstraintError::KnownClasses { given: 3, n_clusters: 2 })
    );
    assert_eq!(
        refused(&[Some(0); 40]),
        Error::Constraints(ConstraintError::KnownTooMany { given: 0, wanted: 1, n_clusters: 2 })
    );
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let observed = random_lengths(4, false, &mut stream(21, 0));
    let default = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
    let refused = |settings: LatentGraph| settings.fit(&observed, &[]).unwrap_err();
    let n_clusters = NClusters::Exactly(5);
    assert_eq!(
        refused(LatentGraph { n_clusters, ..default }),
        Error::Settings(SettingError::NClusters { given: 5, n_points: 4 })
    );
    let none = PaperSettings { n_restarts: 0, ..PaperSettings::default() };
    let inference = Some(Inference::Paper(none));
    assert_eq!(refused(LatentGraph { inference, ..default }), Error::Settings(SettingError::NRestarts));
    assert_eq!(default.with(&[("n_restarts", "0")]), Err(Error::Settings(SettingError::NRestarts)));
    let setting = "prior_neighbours";
    assert_eq!(
        refused(LatentGraph { prior_neighbours: 0, ..default }),
        Error::Settings(SettingError::ZeroNeighbours { setting })
    );
    let theorem =
        LatentGraph { background: Background::Theorem, likelihood: Likelihood::Gaussian, ..default };
    assert!(matches!(refused(theorem), Error::Settings(SettingError::Theorem { .. })));
    let negative = vec![1.0, -0.5, 0.2];
    let similarities =
        Dissimilarity::from_condensed(negative, Quantity::Similarities, Checks::default()).unwrap();
    let purpose = "the exponential likelihood";
    assert_eq!(default.fit(&similarities, &[]), Err(Error::Input(InputError::NeedsDistances { purpose })));
    let gaussian = LatentGraph { likelihood: Likelihood::Gaussian, ..default };
    assert_eq!(gaussian.fit(&similarities, &[]).unwrap().labels.n_clusters(), 2);
}

#[test]
fn single_equal_and_extreme_points_have_finite_scales_and_the_clusters_asked_for() {
    for places in
        [vec![3.0], vec![1.0, 2.0], vec![5.0; 9], vec![0.0, 1e-300, 1.0, 1e300], vec![0.0, 0.0, 1.0, 1.0]]
    {
        for m in 1..=places.len().min(3) {
            for settings in [LatentGraph::default(), LatentGraph::paper()] {
                for graph_prior in [GraphPrior::Tree, GraphPrior::Connected, GraphPrior::KNeighbours] {
                    let settings = LatentGraph { n_clusters: NClusters::Exactly(m), graph_prior, ..settings };
                    let settings = settings.with(&[("n_restarts", "2")]).unwrap();
                    let fit = fit_line(&settings, places.clone());
                    assert_eq!(fit.labels.n_clusters(), m);
                    assert!(!fit.log_joint.total().is_nan(), "{places:?} {settings:?}");
                    assert!(fit.scales.iter().chain(&fit.spreads).all(|x| x.is_finite()));
                }
            }
        }
    }
}

fn sampler(scales: [f64; 2], background: f64) -> Sampler {
    Sampler {
        classes: scales.map(|scale| LinkLengths::Exponential { scale }).into(),
        background: LinkLengths::Exponential { scale: background },
        graph_prior: GraphPrior::Tree,
        prior_neighbours: 5,
    }
}

#[test]
fn every_tree_of_four_points_is_drawn_as_often() {
    let mut random = stream(23, 0);
    let n_draws = 16_000;
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..n_draws {
        let mut tree = crate::latent_graph::model::draw::uniform_tree(4, &mut random);
        tree.sort_unstable();
        *counts.entry(tree).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 16);
    let chi_square: f64 = counts.values().map(|&count| f64::from(count - 1000).powi(2) / 1000.0).sum();
    // 15 degrees of freedom: above 37.7 once in a thousand seeds.
    assert!(chi_square < 37.7, "{chi_square}");
}

#[test]
fn scales_labels_graph_and_lengths_are_all_drawn() {
    let likelihood = Likelihood::Exponential;
    let step = ScaleStep {
        likelihood,
        prior: ScalePrior::Weak,
        typical_length: 2.0,
        typical_spread: 1.0,
        floor: 1e-9,
    };
    let background = LinkLengths::Exponential { scale: 100.0 };
    let sampler = Sampler::with_drawn_scales(&step, background, 3, 5);
    assert!(sampler.classes[0] != sampler.classes[1]);
    let drawn = sampler.draw(50, 5).unwrap();
    assert_eq!((drawn.links.len(), drawn.lengths.len()), (50 - drawn.labels.n_clusters(), 1225));
}

#[test]
fn samples_have_the_lengths_of_their_classes() {
    let drawn = sampler([1.0, 5.0], 1000.0).draw(200, 1).unwrap();
    assert_eq!(drawn.links.len(), 198);
    for (class, scale) in [1.0, 5.0].into_iter().enumerate() {
        let lengths: Vec<f64> = drawn
            .links
            .iter()
            .filter(|link| drawn.classes[link.from] == class)
            .map(|link| link.length)
            .collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!((mean - scale).abs() < 4.0 * scale / (lengths.len() as f64).sqrt());
    }
    assert_eq!(drawn, sampler([1.0, 5.0], 1000.0).draw(200, 1).unwrap());
    let lists = Sampler { graph_prior: GraphPrior::KNeighbours, ..sampler([1.0, 5.0], 1000.0) };
    let drawn = lists.draw(60, 1).unwrap();
    let degree = |i: usize| drawn.links.iter().filter(|link| link.from == i || link.to == i).count();
    assert!((0..60).all(|i| degree(i) >= 5));
    assert_eq!(sampler([1.0, 5.0], 1.0).draw(0, 1), Err(Error::Input(InputError::NoPoints)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn any_draw_from_the_model_is_an_admissible_state(n in 2usize..40, seed in 0u64..1000) {
        let drawn = sampler([1.0, 5.0], 100.0).draw(n, seed).unwrap();
        let prior = Prior::new(GraphPrior::Tree, SizePrior::Dirichlet, 5, n);
        prop_assert!(prior.log_graph(&drawn.labels, &drawn.links).is_finite());
    }
}

/// A sample whose background is at least 100 n times as long as any class's links.
fn far_background(seed: u64) -> GraphSample {
    sampler([1.0, 5.0], 100.0 * 200.0 * 5.0).draw(200, seed).unwrap()
}

/// The answer of the algorithm box from given labels.
fn run_from(drawn: &GraphSample, labels: &[usize], settings: &LatentGraph) -> Found {
    let observed = drawn.observed().unwrap();
    let lengths = Lengths::complete(&observed);
    let all: Vec<usize> = (0..observed.n_points()).collect();
    let tree = spanning_tree(&lengths, &all, &LinkOrder::BY_LENGTH);
    let model = settings.model(&lengths, &tree).unwrap();
    Run::from_labels(&model, labels, 2, &NONE).run(MAX_PASSES, &mut stream(0, 0), &Silent)
}

#[test]
fn from_the_true_labels_the_simulated_classes_and_their_scales_are_kept() {
    for seed in 0..5 {
        let drawn = far_background(seed);
        let found = run_from(&drawn, &drawn.classes, &LatentGraph::default());
        let agreement = adjusted_rand_index(&Labels::new(&found.labels), &drawn.labels).unwrap();
        assert!(agreement > 0.9, "seed {seed}: {agreement}");
        for (class, scale) in [1.0, 5.0].into_iter().enumerate() {
            let n_links = found.links[class].len() as f64;
            let error = (found.classes[class].scale() / scale - 1.0).abs();
            assert!(error < 3.0 / n_links.sqrt(), "seed {seed}, class {class}: {error}");
        }
    }
}

#[test]
fn the_search_comes_near_the_simulated_classes() {
    // Where the printed algorithm ends at chance (the next test but one), although the lengths are of no plane.
    for seed in 0..3 {
        let drawn = far_background(seed);
        let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
        let fit = settings.fit(&drawn.observed().unwrap(), &[]).unwrap();
        let agreement = adjusted_rand_index(&fit.labels, &drawn.labels).unwrap();
        assert!(agreement > 0.5, "seed {seed}: {agreement}");
    }
}

#[test]
fn the_search_does_not_depend_on_the_unit() {
    let mut random = stream(78, 0);
    let values: Vec<f64> = (0..240).map(|_| random.random()).collect();
    let points = Dissimilarity::from_points(Points::new(values, 120, 2).unwrap(), Metric::Euclidean).unwrap();
    let settings = LatentGraph { n_clusters: NClusters::Exactly(3), ..LatentGraph::default() };
    let expected = settings.fit(&points, &[]).unwrap().labels;
    // Powers of two change no digit.
    for unit in [2f64.powi(-700), 2f64.powi(700)] {
        let square: Vec<f64> =
            (0..120 * 120).map(|at| unit * points.pair(at / 120, at % 120).unwrap()).collect();
        let scaled =
            Dissimilarity::from_square(square, [120, 120], Quantity::Distances, Checks::default()).unwrap();
        let labels = settings.fit(&scaled, &[]).unwrap().labels;
        assert!(adjusted_rand_index(&labels, &expected).unwrap() > 0.99, "unit {unit}");
    }
}

#[test]
fn the_search_keeps_known_labels() {
    for seed in 0..10 {
        let mut random = stream(77, seed);
        let values: Vec<f64> = (0..120).map(|_| random.random()).collect();
        let observed =
            Dissimilarity::from_points(Points::new(values, 60, 2).unwrap(), Metric::Euclidean).unwrap();
        let known: Vec<Option<usize>> =
            (0..60).map(|i| (i % 4 == 0).then(|| random.random_range(0..3))).collect();
        let settings = LatentGraph { n_clusters: NClusters::Exactly(3), seed, ..LatentGraph::default() };
        let labels = settings.fit(&observed, &known).unwrap().labels;
        for i in (0..60).step_by(4) {
            for j in (0..60).step_by(4) {
                let same = labels.as_slice()[i] == labels.as_slice()[j];
                assert_eq!(same, known[i] == known[j], "seed {seed}, points {i} and {j}");
            }
        }
    }
}

#[test]
fn from_random_labels_the_printed_algorithm_gets_stuck_below_the_truth() {
    // Recorded, not wished for: with 5% known labels and ten restarts most answers are no better than chance, although the
    // truth is far more probable. Points move one at a time, and a wrong class has nothing to offer a single point.
    let stuck = (0..5).filter(|&seed| {
        let drawn = far_background(seed);
        let mut known = vec![None; 200];
        (0..200).step_by(20).for_each(|i| known[i] = Some(drawn.classes[i]));
        let settings = LatentGraph {
            n_clusters: NClusters::Exactly(2),
            inference: Some(Inference::Paper(PaperSettings::default())),
            ..LatentGraph::default()
        };
        let observed = drawn.observed().unwrap();
        let fit = settings.fit(&observed, &known).unwrap();
        let truth = run_from(&drawn, &drawn.classes, &settings);
        adjusted_rand_index(&fit.labels, &drawn.labels).unwrap() < 0.2
            && truth.log_joint.total() > fit.log_joint.total() + 100.0
    });
    assert!(stuck.count() >= 3);
}

#[test]
fn section_4_given_the_labels_equal_inner_scales_are_found_equal() {
    use crate::evaluate::shapes::{Shape, draw};
    for shape in [Shape::TwoRings, Shape::HalfMoons] {
        for seed in 0..5 {
            let drawn = draw(shape, 300, seed).unwrap();
            let known: Vec<Option<usize>> =
                drawn.labels.as_slice().iter().map(|&label| Some(label)).collect();
            let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let settings = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
            let fit = settings.fit(&observed, &known).unwrap();
            let sizes = fit.labels.sizes();
            let error = (1.0 / sizes[0] as f64 + 1.0 / sizes[1] as f64).sqrt();
            let difference = (fit.scales[0] / fit.scales[1]).ln();
            assert!(difference.abs() < 2.0 * error, "{shape:?}, seed {seed}: {difference} {error}");
        }
    }
}

/// Cancels whatever it is asked.
struct Impatient;

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn whoever_cancels_at_once_gets_an_answer_on_the_whole_tree() {
    // Two clouds so far apart that near neighbours join neither to the other.
    let mut random = stream(83, 0);
    let place = |i: usize, x: f64| x + if i % 4 < 2 { 0.0 } else { 1e6 };
    let values: Vec<f64> = (0..4200).map(|i| place(i, random.random())).collect();
    let observed =
        Dissimilarity::from_points(Points::new(values, 2100, 2).unwrap(), Metric::Euclidean).unwrap();
    let model = LatentGraph { n_clusters: NClusters::Exactly(1), ..LatentGraph::default() };
    let fit = model.fit_observed(&observed, &[], &Impatient).unwrap();
    assert_eq!((fit.labels.n_clusters(), fit.ended), (1, Termination::Cancelled));
    let scoring = ScoreSettings::default();
    let score = |observer: &dyn Observer| scoring.score(&observed, &fit.labels, observer).unwrap();
    assert_eq!(score(&Impatient), score(&Silent));
}

#[test]
fn an_algorithm_that_must_be_told_the_number_has_that_of_a_search_with_its_settings() {
    let mut n_changed = 0;
    for seed in 0..3 {
        let drawn =
            crate::evaluate::shapes::draw(crate::evaluate::shapes::Shape::TwoRings, 80, seed).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let number = |settings: LatentGraph| settings.fit(&observed, &[]).unwrap().labels.n_clusters();
        // Two rings are one cluster where the sizes of clusters do not count.
        let changed = LatentGraph { size_prior: SizePrior::Constant, ..LatentGraph::default() };
        let searched = number(changed);
        let paper = changed.with(&[("inference", "paper"), ("n_restarts", "1")]).unwrap();
        assert_eq!(number(paper), searched, "{seed}");
        n_changed += usize::from(searched != number(LatentGraph::default()));
    }
    assert!(n_changed > 0);
}
