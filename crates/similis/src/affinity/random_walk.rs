//! The random walk that explains why spectral clustering fails (section 3.1).

use crate::affinity::matrix::SimilarityMatrix;
use crate::error::{Error, InputError};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};

/// How likely a random walker stays in the set it starts in.
#[derive(Clone, Debug, PartialEq)]
pub struct Staying {
    /// For each cluster.
    pub per_cluster: Vec<f64>,
    /// For a start anywhere.
    pub overall: f64,
}

/// Returns the probability that one step of a random walk stays in its cluster (section 3.1, footnote 3).
///
/// $$ P(A \to A) = \frac{\sum_{i, j \in A} L_{ij}}{\sum_{i \in A} \sum_j L_{ij}} $$
///
/// The walker goes from $i$ to $j$ with probability $L_{ij} / s_{ii}$ and starts with probability proportional to
/// that of reaching the starting point, $s_{ii}$. Spectral clustering seeks partitions that make this large, which is
/// not always what the clusters are. A cluster without any similarity keeps the walker: 1.
///
/// # Errors
///
/// [`Error::Input`] unless there is a label for each row of `matrix`.
pub fn staying_probability(matrix: &SimilarityMatrix<'_>, labels: &Labels) -> Result<Staying, Error> {
    if matrix.n_points() != labels.n_points() {
        return Err(Error::Input(InputError::LabelLengths {
            first: matrix.n_points(),
            second: labels.n_points(),
        }));
    }
    Ok(staying_by(matrix, labels, |_, _, similarity| similarity))
}

/// As [`staying_probability`], each entry of the matrix passed through `similarity(i, j, entry)`.
pub(crate) fn staying_by(
    matrix: &SimilarityMatrix<'_>,
    labels: &Labels,
    similarity: impl Fn(usize, usize, f64) -> f64,
) -> Staying {
    let cluster = labels.as_slice();
    let mut inside = vec![0.0; labels.n_clusters()];
    let mut leaving = vec![0.0; labels.n_clusters()];
    for i in 0..matrix.n_points() {
        for (j, entry) in matrix.row(i) {
            let sum = if cluster[i] == cluster[j] { &mut inside } else { &mut leaving };
            sum[cluster[i]] += similarity(i, j, entry);
        }
    }
    let probability = |stay: f64, leave: f64| if stay + leave > 0.0 { stay / (stay + leave) } else { 1.0 };
    Staying {
        per_cluster: inside.iter().zip(&leaving).map(|(&stay, &leave)| probability(stay, leave)).collect(),
        overall: probability(inside.iter().sum(), leaving.iter().sum()),
    }
}

/// Returns the walker's measure of footnote 3, $L_{ij} = 1 / d_{ij}$, and 0 on the diagonal.
///
/// Points at distance 0 count as lying at the least positive distance, at which the walk is defined.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Settings`] if the dense matrix would not fit.
pub fn inverse_distances(
    distances: &Dissimilarity<'_>,
    memory_limit: Option<u64>,
) -> Result<SimilarityMatrix<'static>, Error> {
    if distances.quantity() == Quantity::Similarities {
        return Err(Error::Input(InputError::NeedsDistances { purpose: "the inverse distance" }));
    }
    let mut least = f64::INFINITY;
    for i in 0..distances.n_points() {
        distances.for_each_pair(i, |_, distance| {
            if distance > 0.0 {
                least = least.min(distance);
            }
        });
    }
    let least = if least.is_finite() { least } else { 1.0 };
    // Relative to the least distance, so that tiny units do not overflow; the walk is the same.
    SimilarityMatrix::dense(distances.n_points(), memory_limit, |i, row| {
        distances.for_each_pair(i, |j, distance| row[j] = least / distance.max(least));
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;

    fn line(places: &[f64]) -> Dissimilarity<'_> {
        Dissimilarity::from_points(Points::new(places, places.len(), 1).unwrap(), Metric::Euclidean).unwrap()
    }

    #[test]
    fn footnote_3_by_hand() {
        // At 0, 1, 3 the inverse distances are 1 (0-1), 1/3 (0-3), 1/2 (1-3). Clusters {0, 1}, {3}:
        // inside the first 2 * 1, leaving it 1/3 + 1/2 = 5/6: 2 / (17/6) = 12/17. The second never stays.
        // In all 2 of 2 + 2 * 5/6 = 11/3: 6/11.
        let walk = inverse_distances(&line(&[0.0, 1.0, 3.0]), None).unwrap();
        let staying = staying_probability(&walk, &Labels::new(&[0, 0, 1])).unwrap();
        assert!((staying.per_cluster[0] - 12.0 / 17.0).abs() < 1e-15);
        assert_eq!(staying.per_cluster[1], 0.0);
        assert!((staying.overall - 6.0 / 11.0).abs() < 1e-15);
    }

    #[test]
    fn duplicates_and_units_leave_the_walk_defined() {
        let labels = Labels::new(&[0, 0, 1, 1]);
        let mut answers = Vec::new();
        for unit in [1e-200, 1.0, 1e200] {
            let places: Vec<f64> = [0.0, 0.0, 4.0, 5.0].iter().map(|x| x * unit).collect();
            let walk = inverse_distances(&line(&places), None).unwrap();
            answers.push(staying_probability(&walk, &labels).unwrap().overall);
        }
        assert!(answers.iter().all(|answer| (answer - answers[1]).abs() < 1e-12), "{answers:?}");
        let all_equal = inverse_distances(&line(&[2.0; 4]), None).unwrap();
        // Three equal steps, one of which stays.
        assert!((staying_probability(&all_equal, &labels).unwrap().overall - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn labels_of_other_points_are_refused() {
        let walk = inverse_distances(&line(&[0.0, 1.0]), None).unwrap();
        let error = Error::Input(InputError::LabelLengths { first: 2, second: 1 });
        assert_eq!(staying_probability(&walk, &Labels::new(&[0])), Err(error));
    }
}
