//! How alike two labellings are: the adjusted Rand index and adjusted mutual information.

use crate::error::InputError;
use std::collections::BTreeMap;

use crate::error::Error;
use crate::input::labels::Labels;

/// Returns the adjusted Rand index of two labellings: 1 for equal partitions, about 0 for independent ones.
///
/// With $n_{ab}$ points in cluster $a$ of the one and $b$ of the other, and pairs counted by $\binom{n}{2}$,
///
/// $$ \frac{\sum_{ab} \binom{n_{ab}}{2} - E}{\frac12 \left[ \sum_a \binom{n_a}{2} + \sum_b \binom{n_b}{2} \right] - E},
/// \qquad E = \sum_a \binom{n_a}{2} \sum_b \binom{n_b}{2} \Big/ \binom{n}{2}. $$
///
/// # Errors
///
/// [`Error::Input`] unless both label the same number of points.
pub fn adjusted_rand_index(first: &Labels, second: &Labels) -> Result<f64, Error> {
    let table = Contingency::new(first, second)?;
    let pairs = |n: usize| n as f64 * (n as f64 - 1.0) / 2.0;
    let both: f64 = table.cells.values().map(|&n| pairs(n)).sum();
    let in_first: f64 = table.rows.iter().map(|&n| pairs(n)).sum();
    let in_second: f64 = table.columns.iter().map(|&n| pairs(n)).sum();
    let all = pairs(table.n_points);
    let expected = if all > 0.0 { in_first * in_second / all } else { 0.0 };
    let most = 0.5 * (in_first + in_second);
    // Both are one cluster, or both are singletons: the partitions are equal.
    Ok(if most == expected { 1.0 } else { (both - expected) / (most - expected) })
}

/// Returns the adjusted mutual information of two labellings: 1 for equal partitions, about 0 for independent ones.
///
/// $$ \frac{I - E(I)}{\frac12 (H_1 + H_2) - E(I)} $$
///
/// with the mutual information $I$, the entropies $H$, and the mean $E(I)$ over all relabellings with the same sizes.
///
/// # Errors
///
/// [`Error::Input`] unless both label the same number of points.
pub fn adjusted_mutual_information(first: &Labels, second: &Labels) -> Result<f64, Error> {
    let table = Contingency::new(first, second)?;
    if first == second {
        return Ok(1.0);
    }
    let expected = table.expected_mutual_information();
    let most = 0.5 * (table.entropy(&table.rows) + table.entropy(&table.columns));
    let below = most - expected;
    let information = table.mutual_information() - expected;
    // One cluster against anything but itself tells nothing.
    Ok(if below.abs() < f64::EPSILON { 0.0 } else { information / below })
}

/// How many points each pair of clusters shares.
struct Contingency {
    cells: BTreeMap<(usize, usize), usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    n_points: usize,
}

impl Contingency {
    fn new(first: &Labels, second: &Labels) -> Result<Self, Error> {
        let n_points = first.n_points();
        if n_points != second.n_points() {
            return Err(Error::Input(InputError::LabelLengths {
                first: n_points,
                second: second.n_points(),
            }));
        }
        let mut cells = BTreeMap::new();
        for (&a, &b) in first.as_slice().iter().zip(second.as_slice()) {
            *cells.entry((a, b)).or_insert(0) += 1;
        }
        Ok(Self { cells, rows: first.sizes(), columns: second.sizes(), n_points })
    }

    fn entropy(&self, sizes: &[usize]) -> f64 {
        sizes.iter().map(|&n| n as f64 / self.n_points as f64).map(|p| -p * p.ln()).sum()
    }

    fn mutual_information(&self) -> f64 {
        let n = self.n_points as f64;
        let cell = |(&(a, b), &shared): (&(usize, usize), &usize)| {
            let shared = shared as f64;
            shared / n * (n * shared / (self.rows[a] as f64 * self.columns[b] as f64)).ln()
        };
        self.cells.iter().map(cell).sum()
    }

    /// The mean of the mutual information when labels are dealt at random: a hypergeometric sum for each cell.
    fn expected_mutual_information(&self) -> f64 {
        let n = self.n_points;
        let mut log_factorials = vec![0.0; n + 1];
        for k in 1..=n {
            log_factorials[k] = log_factorials[k - 1] + (k as f64).ln();
        }
        let log_factorial = |k: usize| log_factorials[k];
        let mut expected = 0.0;
        for &a in &self.rows {
            for &b in &self.columns {
                let fixed = log_factorial(a) + log_factorial(b) + log_factorial(n - a) + log_factorial(n - b)
                    - log_factorial(n);
                for shared in (a + b).saturating_sub(n).max(1)..=a.min(b) {
                    let weight = fixed
                        - log_factorial(shared)
                        - log_factorial(a - shared)
                        - log_factorial(b - shared)
                        - log_factorial(n + shared - a - b);
                    let ratio = n as f64 * shared as f64 / (a as f64 * b as f64);
                    expected += shared as f64 / n as f64 * ratio.ln() * weight.exp();
                }
            }
        }
        expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(names: &[usize]) -> Labels {
        Labels::new(names)
    }

    #[test]
    fn adjusted_rand_index_by_hand() {
        // Sizes 2, 2 against 1, 3; shared cells (1, 1, 2): together 1 of the 6 pairs; expected (1 + 1) * 3 / 6 = 1;
        // most (2 + 3) / 2 = 2.5: (1 - 1) / (2.5 - 1) = 0.
        let index = adjusted_rand_index(&labels(&[0, 0, 1, 1]), &labels(&[0, 1, 1, 1])).unwrap();
        assert_eq!(index, 0.0);
        // Sizes 3, 2 against 2, 3; cells 2, 1, 2: together 2; expected 4 * 4 / 10 = 1.6; most 4: 0.4 / 2.4 = 1 / 6.
        let index = adjusted_rand_index(&labels(&[0, 0, 0, 1, 1]), &labels(&[0, 0, 1, 1, 1])).unwrap();
        assert!((index - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn labellings_of_different_length_are_refused() {
        let error = Error::Input(InputError::LabelLengths { first: 2, second: 3 });
        assert_eq!(adjusted_rand_index(&labels(&[0, 1]), &labels(&[0, 1, 1])), Err(error.clone()));
        assert_eq!(adjusted_mutual_information(&labels(&[0, 1]), &labels(&[0, 1, 1])), Err(error));
    }

    #[test]
    fn edge_cases_agree_with_what_users_expect() {
        let (one, each) = (labels(&[0, 0, 0]), labels(&[0, 1, 2]));
        for equal in [&one, &each, &labels(&[]), &labels(&[0])] {
            assert_eq!(adjusted_rand_index(equal, equal), Ok(1.0));
            assert_eq!(adjusted_mutual_information(equal, equal), Ok(1.0));
        }
        assert_eq!(adjusted_rand_index(&one, &each), Ok(0.0));
        assert_eq!(adjusted_mutual_information(&one, &each), Ok(0.0));
    }

    /// All orders of the items.
    fn orders(items: &[usize]) -> Vec<Vec<usize>> {
        if items.is_empty() {
            return vec![vec![]];
        }
        (0..items.len())
            .flat_map(|first| {
                let mut rest = items.to_vec();
                let head = rest.remove(first);
                orders(&rest).into_iter().map(move |tail| [vec![head], tail].concat())
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn expected_information_is_the_mean_over_all_orders(
            first in prop::collection::vec(0usize..3, 5), second in prop::collection::vec(0usize..3, 5)
        ) {
            let (a, b) = (labels(&first), labels(&second));
            let expected = Contingency::new(&a, &b).unwrap().expected_mutual_information();
            let orders = orders(&second);
            let mean = orders.iter()
                .map(|order| Contingency::new(&a, &labels(order)).unwrap().mutual_information())
                .sum::<f64>() / orders.len() as f64;
            prop_assert!((expected - mean).abs() < 1e-12, "{expected} {mean}");
        }

        #[test]
        fn the_rand_index_counts_pairs(
            first in prop::collection::vec(0usize..4, 2..20), shift in 1usize..5
        ) {
            let second: Vec<usize> = first.iter().enumerate().map(|(i, c)| (c + i / shift) % 4).collect();
            let n = first.len();
            let (mut both, mut one, mut other, mut all) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..n {
                for j in i + 1..n {
                    let (a, b) = (first[i] == first[j], second[i] == second[j]);
                    both += f64::from(u8::from(a && b));
                    one += f64::from(u8::from(a));
                    other += f64::from(u8::from(b));
                    all += 1.0;
                }
            }
            let expected: f64 = one * other / all;
            let most: f64 = f64::midpoint(one, other);
            let plain = if most == expected { 1.0 } else { (both - expected) / (most - expected) };
            let index = adjusted_rand_index(&labels(&first), &labels(&second)).unwrap();
            prop_assert!((index - plain).abs() < 1e-12);
        }
    }
}
