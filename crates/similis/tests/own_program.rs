//! The seventh way of use (the others: `crates/similis-cli/tests/ways_of_use.rs`): a program of one's own, which is the example.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, unreachable_pub)]
#[path = "../examples/own_program.rs"]
mod own_program;

use own_program::{Patience, families, of_new_row, two_rows};
use similis::Termination;

#[test]
fn words_are_clustered_by_a_distance_of_the_programs_own() {
    let words = ["karin", "karim", "carin", "karina", "telescope", "telescopes", "telescoped"];
    let fit = families(&words).unwrap();
    assert_eq!(fit.labels().as_slice(), [0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(fit.labels().to_string(), "2 clusters of 4, 3 points");
    // A mistake is a value with words, and no panic.
    assert!(families(&[]).unwrap_err().to_string().contains("at least one"));
}

#[test]
fn single_precision_a_limit_and_new_rows_take_a_few_lines() {
    let (fit, cluster) = of_new_row(&two_rows(), [1.1, 0.3], &Patience::new(usize::MAX)).unwrap();
    assert_eq!((fit.ended(), fit.labels().sizes()), (Termination::Converged, vec![40, 20]));
    assert_eq!(cluster, 0);
    let (early, _) = of_new_row(&two_rows(), [1.1, 0.3], &Patience::new(3)).unwrap();
    assert_eq!((early.ended(), early.labels().n_clusters()), (Termination::Cancelled, 2));
}
