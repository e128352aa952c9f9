//! Cross-validates a start builder on held-out constraints.

use crate::constraints::Constraints;

/// Number of cross-validation folds into which the constrained points are dealt. Not tuned.
const N_FOLDS: usize = 5;

/// The constraints, each time with another fold of the constrained points held out.
pub(crate) struct Folds<'a> {
    constraints: &'a Constraints,
    n_bound: usize,
    rounds: Vec<Fold>,
}

struct Fold {
    held_out: Vec<bool>,
    others: Constraints,
}

impl<'a> Folds<'a> {
    pub(crate) fn new(constraints: &'a Constraints) -> Self {
        let bound: Vec<usize> = constraints.bound().collect();
        let fold = |number: usize| {
            let mut held_out = vec![false; constraints.n_points()];
            bound.iter().skip(number).step_by(N_FOLDS).for_each(|&i| held_out[i] = true);
            Fold { others: constraints.without(&held_out), held_out }
        };
        Self { constraints, n_bound: bound.len(), rounds: (0..N_FOLDS.min(bound.len())).map(fold).collect() }
    }

    /// Returns the number of constrained points that the partitions built by `make` without them get wrong; those that cannot
    /// be checked count as the others do.
    pub(crate) fn missed(&self, make: impl Fn(&Constraints) -> Option<Vec<usize>>) -> f64 {
        let (mut n_wrong, mut n_tested) = (0usize, 0usize);
        for fold in &self.rounds {
            let Some(labels) = make(&fold.others) else { continue };
            let tested = (0..labels.len()).filter(|&i| fold.held_out[i]);
            for right in tested.filter_map(|i| self.constraints.is_right(i, &labels, &fold.held_out)) {
                n_tested += 1;
                n_wrong += usize::from(!right);
            }
        }
        (self.n_bound * n_wrong) as f64 / n_tested.max(1) as f64
    }
}
