//! How probable each link is in a random tree: the elimination, gone through backwards.

use crate::latent_graph::search::score::all_trees::Elimination;
use crate::latent_graph::search::score::varying::log_sum_exp;

impl Elimination {
    /// Returns the probability of every given pair to be a link of a tree drawn in proportion to its weight; `None` where
    /// there is no tree.
    ///
    /// $$ P(e \in T) = \frac{\partial \log Z}{\partial \log w_e} = w_e R_e $$
    ///
    /// with the effective resistance $R_e$ between the ends of $e$ (the matrix-tree theorem, Kirchhoff). Eliminating a point
    /// changes no resistance between the others, so they come back in the opposite order: where $k$ was eliminated with
    /// weights $w_{ki} = t p_i$ to its neighbours,
    ///
    /// $$ R_{ki} = \frac{1}{t} + \sum_j p_j R_{ij} - \sum_{j < l} p_j p_l R_{jl} $$
    ///
    /// The difference is a squared distance from a mean, never negative, and its rounding is of the last digits of a
    /// probability: weights may span any range.
    pub(in crate::latent_graph) fn edge_probabilities(&self, log_weights: &[f64]) -> Option<Vec<f64>> {
        let mut eliminated = log_weights.to_vec();
        if self.eliminate_all(&mut eliminated) == f64::NEG_INFINITY {
            return None;
        }
        let mut log_resistances = vec![0.0; self.n_pairs];
        let mut star = Star::default();
        for bounds in self.starts.windows(2).rev() {
            let spokes = &self.spokes[bounds[0][0]..bounds[1][0]];
            let rims = &self.rims[bounds[0][1]..bounds[1][1]];
            star.fill(spokes.iter().map(|&pair| eliminated[pair as usize]));
            let found = star.log_resistances(rims.iter().map(|&pair| log_resistances[pair as usize]));
            spokes.iter().zip(found).for_each(|(&pair, value)| log_resistances[pair as usize] = value);
        }
        let probability = |(weight, resistance): (&f64, &f64)| {
            if *weight == f64::NEG_INFINITY { 0.0 } else { (weight + resistance).exp().clamp(0.0, 1.0) }
        };
        Some(log_weights.iter().zip(&log_resistances).map(probability).collect())
    }
}

/// An eliminated point and its neighbours.
#[derive(Default)]
struct Star {
    /// $\log t$: the log sum of the weights.
    log_total: f64,
    /// $\log p_i$.
    log_parts: Vec<f64>,
    /// $\log p_j R_{ij}$ for each i, j other than i.
    terms: Vec<Vec<f64>>,
}

impl Star {
    fn fill(&mut self, log_weights: impl Iterator<Item = f64>) {
        self.log_parts.clear();
        self.log_parts.extend(log_weights);
        self.log_total = log_sum_exp(&self.log_parts);
        self.log_parts.iter_mut().for_each(|part| *part -= self.log_total);
    }

    /// The log resistances of the spokes, given those of the rims: first with second, first with third, ..
    fn log_resistances(&mut self, rims: impl Iterator<Item = f64>) -> Vec<f64> {
        let n = self.log_parts.len();
        self.terms.iter_mut().for_each(Vec::clear);
        self.terms.resize(n.max(self.terms.len()), Vec::new());
        let mut rims = rims;
        for i in 0..n {
            for (j, rim) in (i + 1..n).zip(&mut rims) {
                self.terms[i].push(self.log_parts[j] + rim);
                self.terms[j].push(self.log_parts[i] + rim);
            }
        }
        let means: Vec<f64> = self.terms[..n].iter().map(|terms| log_sum_exp(terms)).collect();
        let halves: Vec<f64> = means.iter().zip(&self.log_parts).map(|(mean, part)| mean + part).collect();
        let spread = log_sum_exp(&halves) - 2f64.ln();
        means.iter().map(|&mean| self.log_resistance(mean, spread)).collect()
    }

    /// $\log(1 / t + e^{\text{mean}} - e^{\text{spread}})$.
    fn log_resistance(&self, mean: f64, spread: f64) -> f64 {
        let most = mean.max(-self.log_total).max(spread);
        let apart = ((mean - most).exp() - (spread - most).exp()).max(0.0);
        most + ((-self.log_total - most).exp() + apart).ln()
    }
}
