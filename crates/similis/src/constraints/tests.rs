use super::*;
use crate::constraints::joined::Parts;
use crate::error::ConstraintError;
use crate::run::random::stream;
use rand::RngExt;

fn side(
    known: &[Option<usize>],
    must_link: &[(usize, usize)],
    cannot_link: &[(usize, usize)],
) -> SideInformation {
    SideInformation {
        known_labels: known.to_vec(),
        must_link: must_link.to_vec(),
        cannot_link: cannot_link.to_vec(),
        ..SideInformation::default()
    }
}

fn refused(side: &SideInformation, n_points: usize) -> Error {
    Constraints::new(side, n_points).unwrap_err()
}

#[test]
fn contradictions_name_the_points() {
    let chain = vec![0, 2, 4];
    assert_eq!(
        refused(&side(&[], &[(0, 2), (4, 2)], &[(1, 3), (0, 4)]), 5),
        Error::Constraints(ConstraintError::LinkContradiction { chain: chain.clone() })
    );
    let known = [Some(7), None, None, None, Some(3)];
    assert_eq!(
        refused(&side(&known, &[(0, 2), (4, 2)], &[]), 5),
        Error::Constraints(ConstraintError::MustLinkLabels { chain, first_label: 7, second_label: 3 })
    );
    let same = [Some(7), None, Some(7), None, None];
    assert_eq!(
        refused(&side(&same, &[], &[(2, 0)]), 5),
        Error::Constraints(ConstraintError::CannotLinkLabels { rows: [2, 0], label: 7 })
    );
    // Through a label: 1 is tied to 0, 0 has the label of 2, 2 is tied to 3.
    assert_eq!(
        refused(&side(&same, &[(0, 1), (2, 3)], &[(1, 3)]), 5),
        Error::Constraints(ConstraintError::LinkContradiction { chain: vec![1, 0, 2, 3] })
    );
    assert_eq!(
        refused(&side(&[], &[], &[(3, 3)]), 5),
        Error::Constraints(ConstraintError::CannotLinkSelf { row: 3 })
    );
    let range = Error::Constraints(ConstraintError::LinkRange { list: "must_link", row: 5, n_points: 5 });
    assert_eq!(refused(&side(&[], &[(1, 5)], &[]), 5), range);
    assert_eq!(
        refused(&side(&[None], &[], &[]), 5),
        Error::Constraints(ConstraintError::KnownLabels { given: 1, n_points: 5 })
    );
    assert!(Constraints::new(&side(&[], &[(3, 3), (1, 2), (2, 1)], &[(0, 1)]), 5).is_ok());
}

#[test]
fn messages_count_rows_as_the_caller_does() {
    let error = Error::Constraints(ConstraintError::LinkContradiction { chain: vec![0, 2, 4] });
    assert_eq!(
        error.counted_from(1).to_string(),
        "cannot_link parts the rows 1 and 5, but must_link (or equal known_labels) ties 1 - 3 - 5; \
         leave out one of these pairs"
    );
    let many =
        Error::Constraints(ConstraintError::CannotLinkClique { points: (0..14).collect(), n_clusters: 13 });
    let words = many.to_string();
    assert!(words.contains("0, 1, 2, 3, 4, 5, .., 8, 9, 10, 11, 12, 13 must all"), "{words}");
}

#[test]
fn numbers_of_clusters_that_cannot_be_are_refused() {
    let triangle = Constraints::new(&side(&[], &[(2, 3)], &[(0, 1), (1, 2), (3, 0)]), 6).unwrap();
    let clique =
        Error::Constraints(ConstraintError::CannotLinkClique { points: vec![0, 1, 2], n_clusters: 2 });
    assert_eq!(triangle.check(2), Err(clique));
    assert_eq!(triangle.check(3), Ok(()));
    assert_eq!(triangle.check(5), Ok(()));
    assert_eq!(
        triangle.check(6),
        Err(Error::Constraints(ConstraintError::MustLinkTooMany { given: 5, n_clusters: 6 }))
    );
    assert_eq!([1, 4, 6].map(|wanted| triangle.n_clusters_near(wanted)), [3, 4, 5]);
    // A ring of five is no clique, and needs three colours.
    let ring = side(&[], &[], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    let ring = Constraints::new(&ring, 9).unwrap();
    assert_eq!(
        ring.check(2),
        Err(Error::Constraints(ConstraintError::CannotLinkTooMany { n_clusters: 2, proven: true }))
    );
    assert_eq!(ring.n_clusters_near(1), 3);
    // Two known labels and a point that may have neither.
    let known = [Some(0), Some(1), None];
    let third = Constraints::new(&side(&known, &[], &[(2, 0), (1, 2)]), 3).unwrap();
    assert!(matches!(third.check(2), Err(Error::Constraints(ConstraintError::CannotLinkClique { .. }))));
    assert_eq!(Constraints::default().most_clusters(), 0);
}

#[test]
fn any_labels_are_made_to_obey_and_fill_every_class() {
    for case in 0..400 {
        let mut random = stream(3, case);
        let n = random.random_range(4..30);
        let m = random.random_range(1..=n.min(5));
        let truth: Vec<usize> = (0..n).map(|i| if i < m { i } else { random.random_range(0..m) }).collect();
        let mut side = SideInformation::default();
        for _ in 0..random.random_range(0..2 * n) {
            let pair = (random.random_range(0..n), random.random_range(0..n));
            let same = truth[pair.0] == truth[pair.1];
            if same { side.must_link.push(pair) } else { side.cannot_link.push(pair) }
        }
        if random.random::<bool>() {
            side.known_labels =
                truth.iter().map(|&class| (random.random::<f64>() < 0.2).then_some(class)).collect();
        }
        let constraints = Constraints::new(&side, n).unwrap();
        assert_eq!(constraints.check(m), Ok(()), "{case}");
        let labels: Vec<usize> = (0..n).map(|_| random.random_range(0..m)).collect();
        let prices = constraints.prices(m, |i, row| {
            row.iter_mut()
                .enumerate()
                .for_each(|(class, sum)| *sum += f64::from(u8::from(labels[i] != class)));
        });
        let obeying = constraints.obeying(labels, &prices);
        assert!(constraints.obeyed_by(&obeying), "{case}");
        assert_eq!(Labels::new(&obeying).n_clusters(), m, "{case}");
        for &(i, j) in &side.must_link {
            assert_eq!(obeying[i], obeying[j]);
        }
        for &(i, j) in &side.cannot_link {
            assert_ne!(obeying[i], obeying[j]);
        }
    }
}

#[test]
fn blocks_go_where_they_cost_least() {
    // Points 0 and 1 in one cluster, cannot-linked: the one that is nearer to the other cluster leaves.
    let constraints = Constraints::new(&side(&[], &[], &[(0, 1)]), 4).unwrap();
    let prices = constraints.prices(2, |i, row| row[1] += [2.0, 1.0][i]);
    assert_eq!(constraints.obeying(vec![0, 0, 0, 1], &prices), [0, 1, 0, 1]);
    // Cannot-links in a ring of six and two clusters: a swap of all of them is needed.
    let pairs: Vec<(usize, usize)> = (0..6).map(|i| (i, (i + 1) % 6)).collect();
    let constraints = Constraints::new(&side(&[], &[], &pairs), 6).unwrap();
    let prices = constraints.prices(2, |i, row| row[i % 2] += if i == 0 { 0.0 } else { 1.0 });
    let obeying = constraints.obeying(vec![0; 6], &prices);
    assert_eq!(obeying, [1, 0, 1, 0, 1, 0]);
}

#[test]
fn what_is_held_out_is_not_known() {
    let known = [Some(0), Some(0), Some(1), None, Some(2), None];
    let all = Constraints::new(&side(&known, &[(2, 3)], &[(5, 0)]), 6).unwrap();
    let held_out = [false, true, false, false, true, false];
    let known = [Some(0), None, Some(1), None, None, None];
    let others = Constraints::new(&side(&known, &[(2, 3)], &[(5, 0)]), 6).unwrap();
    assert_eq!(all.without(&held_out), others);
    // Point 1 belongs to 0; point 4 to neither 0 nor 2 and 3.
    assert_eq!(all.is_right(1, &[0, 0, 1, 1, 2, 1], &held_out), Some(true));
    assert_eq!(all.is_right(1, &[0, 1, 1, 1, 2, 1], &held_out), Some(false));
    assert_eq!(all.is_right(4, &[0, 0, 1, 1, 2, 1], &held_out), Some(true));
    assert_eq!(all.is_right(4, &[0, 0, 1, 1, 1, 1], &held_out), Some(false));
    // The constraints of 0 and 1 are only with each other.
    let pair = Constraints::new(&side(&[], &[(0, 1)], &[]), 3).unwrap();
    assert_eq!(pair.is_right(0, &[0, 1, 1], &[true, true, false]), None);
    assert_eq!(pair.is_right(2, &[0, 1, 1], &[true, true, false]), None);
}

#[test]
fn parts_join_unless_they_conflict() {
    let constraints = Constraints::new(&side(&[], &[(0, 3)], &[(3, 5), (1, 2)]), 7).unwrap();
    let mut parts = Parts::new(&constraints);
    assert_eq!(parts.n_parts(), 6);
    assert!(parts.join(0, 1));
    assert!(parts.join(2, 5));
    assert!(!parts.join(3, 5) && !parts.join(1, 2) && !parts.join(0, 3));
    assert_eq!(parts.n_parts(), 4);
    parts.join_rest(2);
    assert_eq!(parts.n_parts(), 2);
    parts.join_rest(1);
    let labels = parts.labels();
    assert_eq!(labels.n_clusters(), 2);
    assert!(constraints.obeyed_by(labels.as_slice()));
}
