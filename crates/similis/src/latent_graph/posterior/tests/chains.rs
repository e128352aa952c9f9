use super::*;

#[test]
fn long_chains_visit_partitions_as_often_as_they_are_probable() {
    let values = observed();
    let observed = distances(&values);
    for n_clusters in [NClusters::Auto, NClusters::Exactly(2)] {
        let small = Small::new(&observed, &settings(n_clusters), &SideInformation::default());
        let forests = small.forests();
        let expected = by_partition(&forests, &forests);
        let moves = small.moves();
        let start = small.state(forests.keys().next().unwrap());
        let is_free = n_clusters == NClusters::Auto;
        let mut chain = Chain { moves: &moves, state: start, random: stream(6, 0), is_free };
        let mut counts: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        let n_sweeps = 400_000;
        for _ in 0..n_sweeps {
            chain.sweep();
            *counts.entry(chain.labels().as_slice().to_vec()).or_default() += 1.0 / f64::from(n_sweeps);
        }
        assert!(counts.keys().all(|labels| expected.contains_key(labels)));
        let apart = |(labels, (probability, _)): (&Vec<usize>, &(f64, f64))| {
            (probability - counts.get(labels).copied().unwrap_or(0.0)).abs()
        };
        let total_variation = 0.5 * expected.iter().map(apart).sum::<f64>();
        assert!(total_variation < 0.02, "{n_clusters:?}: {total_variation}");
    }
}

#[test]
fn what_a_state_keeps_is_what_its_links_say() {
    let sampler = Sampler {
        classes: vec![LinkLengths::Exponential { scale: 0.1 }; 3],
        background: LinkLengths::Exponential { scale: 1.0 },
        graph_prior: GraphPrior::Tree,
        prior_neighbours: 1,
    };
    let drawn = sampler.draw(60, 3).unwrap();
    let observed = drawn.observed().unwrap();
    let tree = global_tree(&observed, &Silent);
    for support in [Support::Complete, Support::Nearest] {
        let settings = LatentGraph { support: Some(support), ..LatentGraph::default() };
        let lengths = settings.lengths(&observed, &tree);
        let near = lengths.is_complete().then(|| Lengths::nearest(&observed, 5, &tree));
        let model = settings.model(&lengths, &tree).unwrap();
        let target = Target::new(&model, 1, 60);
        let constraints = Constraints::default();
        let moves = Moves { lengths: &lengths, near: near.as_ref(), constraints: &constraints };
        let forest: Vec<Link> = tree.iter().step_by(2).copied().collect();
        let state = State::new(&target, 60, forest);
        let mut chain = Chain { moves: &moves, state, random: stream(1, 0), is_free: true };
        for _ in 0..50 {
            // Before the sums are made again.
            (0..60).for_each(|_| chain.step());
            let kept = chain.state.log_weight();
            let again = State::new(&target, 60, chain.state.links.clone());
            assert_eq!(Labels::new(&again.labels), chain.labels());
            assert_eq!(again.n_classes, chain.state.n_classes);
            assert!((again.log_weight() - kept).abs() < 1e-9);
        }
    }
}
