//! Label propagation: unconstrained points join the neighbours that lead to constrained ones.

use crate::constraints::Constraints;
use crate::latent_graph::context::Context;
use crate::run::parallel;

/// Number of neighbours of a point to which its label propagates. Not tuned.
pub(crate) const N_NEIGHBOURS: usize = 10;

/// The neighbour whose distance is the local scale of a point. Not tuned.
const SCALE_NEIGHBOUR: usize = 7;

/// Maximum number of conjugate gradient steps for each cluster. Not tuned.
const MOST_STEPS: usize = 300;

/// Norm of the residual, relative to the initial one, at which the solver stops. Not tuned.
const TOLERANCE: f64 = 1e-5;

/// Smallest share (of 1) that counts: a point with less in every cluster is out of reach of the known labels. Not tuned.
const LEAST: f64 = 1e-9;

/// The weights of neighbours: each at its place among those of all points.
///
/// $$ w_{ij} = e^{-d_{ij}^2 / (s_i s_j)} $$
///
/// if i is one of the 10 nearest neighbours of j, and again if j is one of i's; $s_i$ is the distance of i's 7th.
pub(crate) struct NearWeights {
    offsets: Vec<usize>,
    near: Vec<(u32, f64)>,
    /// The sum of each point's weights.
    degrees: Vec<f64>,
}

impl NearWeights {
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let n = context.n_points();
        let scale = |i: usize| {
            let last = context.neighbours.of(i).take(SCALE_NEIGHBOUR).next_back();
            last.map_or(context.mean_link, |(_, length)| length).max(context.floor())
        };
        let scales: Vec<f64> = (0..n).map(scale).collect();
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
        for i in 0..n {
            for (j, length) in context.neighbours.of(i).take(N_NEIGHBOURS) {
                let weight = (-length * length / (scales[i] * scales[j])).exp();
                rows[i].push((j as u32, weight));
                rows[j].push((i as u32, weight));
            }
        }
        let degrees = rows.iter().map(|row| row.iter().map(|(_, weight)| weight).sum()).collect();
        let mut offsets = vec![0];
        offsets.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        Self { offsets, near: rows.concat(), degrees }
    }

    fn of(&self, i: usize) -> &[(u32, f64)] {
        &self.near[self.offsets[i]..self.offsets[i + 1]]
    }

    /// The weighted sum of the neighbours' values.
    fn sum(&self, i: usize, values: &[f64]) -> f64 {
        self.of(i).iter().map(|&(j, weight)| weight * values[j as usize]).sum()
    }

    /// Returns the labels after those of constrained points propagated to all others (harmonic functions: Zhu, Ghahramani and
    /// Lafferty, 2003).
    ///
    /// The share $f_{ic}$ of cluster c in a free (unconstrained) point is the mean of its neighbours' shares,
    /// $f_{ic} = \sum_j w_{ij} f_{jc} / \sum_j w_{ij}$; a constrained point belongs to its cluster alone. A free point joins
    /// the cluster of its greatest share, and stays where it is if no share reaches it. A cluster without constrained points
    /// keeps its points.
    pub(crate) fn spread(
        &self,
        labels: &[usize],
        n_clusters: usize,
        constraints: &Constraints,
    ) -> Vec<usize> {
        let mut has_bound = vec![false; n_clusters];
        constraints.bound().for_each(|i| has_bound[labels[i]] = true);
        let held = |i: usize| constraints.is_told(i) || !has_bound[labels[i]];
        let free: Vec<bool> = (0..labels.len()).map(|i| !held(i)).collect();
        let shares = parallel::map(n_clusters, |class| self.shares(&free, |i| labels[i] == class));
        let mut spread = labels.to_vec();
        for i in (0..labels.len()).filter(|&i| free[i]) {
            let share = |class: usize| shares[class][i];
            let most =
                (1..n_clusters).fold(0, |best, class| if share(class) > share(best) { class } else { best });
            if share(most) > LEAST {
                spread[i] = most;
            }
        }
        spread
    }

    /// The shares of one cluster, by conjugate gradients: $D f - W f = 0$ at the free points, divided by D.
    fn shares(&self, free: &[bool], is_own: impl Fn(usize) -> bool) -> Vec<f64> {
        let n = free.len();
        let mut shares: Vec<f64> = (0..n).map(|i| f64::from(u8::from(!free[i] && is_own(i)))).collect();
        let over = |i: usize, value: f64| {
            if free[i] && self.degrees[i] > 0.0 { value / self.degrees[i] } else { 0.0 }
        };
        let mut left: Vec<f64> = (0..n).map(|i| if free[i] { self.sum(i, &shares) } else { 0.0 }).collect();
        let mut direction: Vec<f64> = (0..n).map(|i| over(i, left[i])).collect();
        let mut size: f64 = left.iter().zip(&direction).map(|(a, b)| a * b).sum();
        let enough = TOLERANCE * TOLERANCE * size;
        for _ in 0..MOST_STEPS {
            if size <= enough {
                break;
            }
            let image = |i: usize| {
                if free[i] { self.degrees[i] * direction[i] - self.sum(i, &direction) } else { 0.0 }
            };
            let image: Vec<f64> = (0..n).map(image).collect();
            let step = size / image.iter().zip(&direction).map(|(a, b)| a * b).sum::<f64>();
            if !step.is_finite() {
                break;
            }
            for i in 0..n {
                shares[i] += step * direction[i];
                left[i] -= step * image[i];
            }
            let next: f64 = (0..n).map(|i| left[i] * over(i, left[i])).sum();
            (0..n).for_each(|i| direction[i] = over(i, left[i]) + next / size * direction[i]);
            size = next;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use crate::run::random::stream;
    use rand::RngExt;

    fn on_a_line(places: Vec<f64>) -> Dissimilarity<'static> {
        let n = places.len();
        Dissimilarity::from_points(Points::new(places, n, 1).unwrap(), Metric::Euclidean).unwrap()
    }

    #[test]
    fn shares_are_the_means_of_the_neighbours() {
        for seed in 0..5 {
            let mut random = stream(seed, 0);
            let observed = on_a_line((0..80).map(|_| random.random::<f64>()).collect());
            let weights = NearWeights::new(&Context::new(&observed, &Silent));
            let free: Vec<bool> = (0..80).map(|i| i % 9 != 0).collect();
            let shares = weights.shares(&free, |i| i % 2 == 0);
            for i in 0..80 {
                let wanted = if free[i] {
                    weights.sum(i, &shares) / weights.degrees[i]
                } else {
                    f64::from(u8::from(i % 2 == 0))
                };
                assert!((shares[i] - wanted).abs() < 1e-3, "{seed}, {i}: {} {wanted}", shares[i]);
            }
        }
    }

    #[test]
    fn points_out_of_reach_and_classes_without_known_points_stay() {
        // Three groups of twelve: the second is unconstrained, and cluster 2 has no known label.
        let places = (0..36).map(|i| f64::from(i % 12) + 1000.0 * f64::from(i / 12)).collect();
        let observed = on_a_line(places);
        let weights = NearWeights::new(&Context::new(&observed, &Silent));
        let mut known = vec![None; 36];
        (known[0], known[1]) = (Some(0), Some(1));
        let constraints = Constraints::new(&known.into(), 36).unwrap();
        let labels: Vec<usize> = (0..36).map(|i| if i < 12 { i % 2 } else { i / 12 - 1 }).collect();
        let spread = weights.spread(&labels, 3, &constraints);
        assert_eq!(spread[12..], labels[12..]);
        assert_eq!((spread[0], spread[1]), (0, 1));
        // Those beyond 1 have it between themselves and 0.
        assert!(spread[2..12].iter().all(|&class| class == 1));
    }
}
