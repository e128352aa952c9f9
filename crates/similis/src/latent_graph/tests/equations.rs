use super::*;

#[test]
fn eq_5_6_and_11_by_hand_on_three_points() {
    // Lengths 1 (0-1), 4 (0-2), 3 (1-2); clusters {0, 1} and {2}; one link, 0-1; Gaussian about 2 with spread 1,
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
    // A link between clusters, or none inside one, has no probability.
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
        // Eq. (19): clusters are independent, so each is enumerated on its own.
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
                        size_prior: Some(size_prior),
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
                    let full = run.log_joint().total();
                    assert!((kept - full).abs() < 1e-9 * (1.0 + full.abs()), "{settings:?}: {kept} {full}");
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
        let again = NeighbourLists::new(&lengths, lists.labels(), orders.clone(), 3);
        assert_eq!(sorted(&lists), sorted(&again));
    }
}
