use super::*;

#[test]
fn every_move_leaves_the_posterior_of_a_free_number_of_classes_as_it_is() {
    let values = observed();
    let observed = distances(&values);
    let small = Small::new(&observed, &settings(NClusters::Auto), &SideInformation::default());
    let forests = small.forests();
    assert_eq!((forests.len(), by_partition(&forests, &forests).len()), (2932, 203));
    assert_all_invariant(&small);
    let some = settings(NClusters::Between(2, 4));
    assert_all_invariant(&Small::new(&observed, &some, &SideInformation::default()));
}

#[test]
fn every_move_leaves_the_posterior_of_a_fixed_number_of_classes_as_it_is() {
    let values = observed();
    let observed = distances(&values);
    for m in [1, 2, 3, 5] {
        let small = Small::new(&observed, &settings(NClusters::Exactly(m)), &SideInformation::default());
        assert_all_invariant(&small);
    }
    let gaussian = LatentGraph { likelihood: Likelihood::Gaussian, ..settings(NClusters::Exactly(2)) };
    assert_all_invariant(&Small::new(&observed, &gaussian, &SideInformation::default()));
}

#[test]
fn every_move_is_exact_on_a_support_and_under_side_information() {
    let values = observed();
    let observed = distances(&values);
    let nearest =
        LatentGraph { support: Some(Support::Nearest), support_neighbours: 2, ..LatentGraph::default() };
    let none = SideInformation::default();
    assert_all_invariant(&Small::new(&observed, &nearest, &none));
    let side = SideInformation {
        known_labels: vec![Some(0), None, None, Some(1), None, None],
        must_link: vec![(1, 4)],
        cannot_link: vec![(2, 5)],
        ..SideInformation::default()
    };
    let free = LatentGraph { n_clusters: NClusters::Between(1, 5), ..nearest };
    assert_all_invariant(&Small::new(&observed, &free, &none));
    for settings in [settings(NClusters::Auto), settings(NClusters::Exactly(3)), nearest, free] {
        assert_all_invariant(&Small::new(&observed, &settings, &side));
    }
}

#[test]
fn links_are_drawn_as_often_as_is_said() {
    let values = observed();
    let observed = distances(&values);
    let nearest =
        LatentGraph { support: Some(Support::Nearest), support_neighbours: 2, ..LatentGraph::default() };
    for settings in [settings(NClusters::Auto), nearest] {
        let small = Small::new(&observed, &settings, &SideInformation::default());
        let (moves, mut random) = (small.moves(), stream(4, 0));
        let mut counts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for _ in 0..40_000 {
            let link = moves.pick(&mut random).unwrap();
            *counts.entry((link.from.min(link.to), link.from.max(link.to))).or_default() += 1.0 / 40_000.0;
        }
        for link in small.pairs() {
            let (said, found) = (moves.log_pick(link).exp(), counts[&(link.from, link.to)]);
            assert!((said - found).abs() < 4.5 * (said / 40_000.0).sqrt(), "{link:?} {said} {found}");
        }
        assert!(
            (small.pairs().iter().map(|&link| moves.log_pick(link).exp()).sum::<f64>() - 1.0).abs() < 1e-12
        );
    }
}

#[test]
fn sums_over_forests_are_the_posterior_with_trees_and_scales_taken_out() {
    let values = observed();
    let observed = distances(&values);
    let all = settings(NClusters::Auto);
    let nearest = LatentGraph { support: Some(Support::Nearest), support_neighbours: 2, ..all };
    for settings in [all, nearest] {
        let small = Small::new(&observed, &settings, &SideInformation::default());
        let model = settings.model(&small.lengths, &global_tree(&observed, &Silent)).unwrap();
        let forests = small.forests();
        let partitions = by_partition(&forests, &forests);
        let logs: Vec<f64> =
            partitions.keys().map(|labels| by_quadrature(&model, &Labels::new(labels))).collect();
        let total = log_sum_exp(&logs);
        for ((labels, (probability, _)), log) in partitions.iter().zip(&logs) {
            assert!(((log - total).exp() - probability).abs() < 1e-10, "{labels:?}");
        }
    }
}

#[test]
fn the_gaussian_integral_is_that_of_quadrature() {
    let values = observed();
    let observed = distances(&values);
    let settings = LatentGraph { likelihood: Likelihood::Gaussian, ..settings(NClusters::Auto) };
    let small = Small::new(&observed, &settings, &SideInformation::default());
    let model = settings.model(&small.lengths, &global_tree(&observed, &Silent)).unwrap();
    let (centre, spread) = (model.scale_step.typical_length, model.scale_step.typical_spread);
    for lengths in [vec![], vec![0.7], vec![0.4, 1.9, 0.8]] {
        let sums =
            lengths.iter().fold(target::ClassSums::default(), |sum, &x| sum.plus(small.target.sums(x)));
        let (width, step) = (0.02, 0.01);
        let mut terms = Vec::new();
        for at in -250..450 {
            let own = spread * f64::exp(width * f64::from(at));
            for along in -1600..1600 {
                // The mean in units of the spread that it has given the variance.
                let class =
                    LinkLengths::Gaussian { scale: centre + step * f64::from(along) * own, spread: own };
                let density: f64 = lengths.iter().map(|&x| class.log_density(x)).sum();
                // Mean and variance: d mean = step * own, d variance = 2 own^2 * width.
                let cell = (step * own).ln() + (2.0 * own * own * width).ln();
                terms.push(density + model.scale_step.log_prior(class) + cell);
            }
        }
        let (found, expected) = (small.target.integral(sums), log_sum_exp(&terms));
        assert!((found - expected).abs() < 2e-3, "{lengths:?}: {found} {expected}");
    }
}
