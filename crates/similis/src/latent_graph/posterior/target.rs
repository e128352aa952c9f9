//! The distribution that is sampled: over forests, of which only the clusters matter.
//!
//! A spanning forest is a partition and a tree for each of its clusters. With
//!
//! $$ \pi(F) \propto P(M) \, P(C | M) \prod_c n_c^{-(n_c - 2)} \int p(\beta_c) \prod_{e \in T_c}
//! \frac{p(L_e | \beta_c)}{p_0(L_e)} \, d\beta_c $$
//!
//! the probability of a partition, the sum over its forests, is its posterior with the trees summed out and the scales
//! integrated out. The integral of one tree has a closed form, since the weak prior on scales is conjugate.
//!
//! Where not every pair may be a link, there are fewer forests, and $P(C | M)$, which counts those of all pairs, would make every cluster
//! too expensive. If the number of clusters is free, it is multiplied by $\binom{N - 1}{M - 1} N^{N - M} / F_M$: how many forests of M
//! trees with roots there are of all pairs, and of the support ([`forests`](super::forests)). Then the probabilities of all forests
//! of M trees add up to about $P(M)$: exactly if trees of the support have sizes as often as those of all pairs.

use std::f64::consts::{PI, TAU};

use crate::constraints::sizes::SizeBounds;
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::model::prior::Prior;
use crate::latent_graph::model::scale::Conjugate;
use crate::latent_graph::posterior::forests::log_rooted_forests;
use crate::latent_graph::search::number::log_number;

/// The statistics that the weight of a cluster depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ClassSums {
    /// Number of points $n_c$.
    pub(crate) n_points: usize,
    /// Number of links that were observed.
    pub(crate) n_links: usize,
    /// The sum of their lengths.
    pub(crate) sum: f64,
    /// The sum of the squares of their lengths, in units of the typical spread, about the typical length.
    pub(crate) squares: f64,
}

impl ClassSums {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            n_points: self.n_points + other.n_points,
            n_links: self.n_links + other.n_links,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            n_points: self.n_points - other.n_points,
            n_links: self.n_links - other.n_links,
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }
}

/// The log weight of forests.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    prior: Prior,
    background: LinkLengths,
    conjugate: Conjugate,
    /// $\log \Gamma$ of the shape given m links.
    log_gammas: Vec<f64>,
    /// $\log P(M)$ and what $P(C | M)$ has of M, for every M; minus infinity for numbers that are not looked for.
    log_numbers: Vec<f64>,
    /// Bounds on the sizes of clusters: the weight of partitions that break them is 0.
    sizes: Option<SizeBounds>,
}

impl Target {
    /// The target of a model, for numbers of clusters from `least` to `most`.
    pub(crate) fn new(model: &Model<'_>, least: usize, most: usize) -> Self {
        let n = model.lengths.n_points();
        let conjugate = model.scale_step.weak_prior();
        let is_free = least < most;
        let counted = is_free && model.prior.counts() && !model.lengths.is_complete();
        let forests = if counted { log_rooted_forests(model.lengths, most) } else { Vec::new() };
        let number = |m: usize| {
            let of_number = if is_free { log_number(m, n) } else { 0.0 };
            let of_partitions = model.prior.log_number_of_classes(m, n);
            // With fewer clusters than the support has components there are no forests; `least` is not below that.
            let counted =
                forests.get(m).map_or(0.0, |of_support| model.prior.log_rooted_forests(m, n) - of_support);
            if (least..=most).contains(&m) { of_number + of_partitions + counted } else { f64::NEG_INFINITY }
        };
        Self {
            prior: model.prior.clone(),
            background: model.background,
            log_gammas: log_gammas(conjugate, n),
            conjugate,
            log_numbers: (0..=n).map(|m| if m == 0 { f64::NEG_INFINITY } else { number(m) }).collect(),
            sizes: None,
        }
    }

    /// The same target among the partitions whose clusters have these sizes.
    pub(crate) fn bounded(self, sizes: Option<SizeBounds>) -> Self {
        Self { sizes, ..self }
    }

    /// The contribution of one link to the sums of its cluster.
    pub(crate) fn sums(&self, length: f64) -> ClassSums {
        if length.is_nan() {
            return ClassSums::default();
        }
        let squares = match self.conjugate {
            Conjugate::Exponential { .. } => 0.0,
            Conjugate::Gaussian { centre, spread, .. } => ((length - centre) / spread).powi(2),
        };
        ClassSums { n_points: 0, n_links: 1, sum: length, squares }
    }

    /// $-\log p_0$ of a link; 0 for one that was not observed.
    pub(crate) fn link(&self, length: f64) -> f64 {
        if length.is_nan() { 0.0 } else { -self.background.log_density(length) }
    }

    /// The log weight of the number of clusters.
    pub(crate) fn number(&self, n_classes: usize) -> f64 {
        self.log_numbers[n_classes]
    }

    /// The log weight of a cluster but for its links' $p_0$; minus infinity for one that is too small or too large.
    pub(crate) fn class(&self, sums: ClassSums) -> f64 {
        if self.sizes.is_some_and(|sizes| !sizes.hold(&[sums.n_points])) {
            return f64::NEG_INFINITY;
        }
        self.prior.log_class(sums.n_points) + self.integral(sums)
    }

    /// $\log \int p(\beta) \prod_e p(L_e | \beta) \, d\beta$ over the links of one cluster.
    ///
    /// Exponential, rate $\sim \Gamma(a, b)$: $b^a \Gamma(a + m) / (\Gamma(a) (b + \sum L)^{a + m})$. Gaussian, mean and variance
    /// normal-inverse-Gamma: $(2 \pi)^{-m/2} (\kappa_0 / \kappa_m)^{1/2} b^a \Gamma(a + m / 2) / (\Gamma(a) b_m^{a + m/2})$ with
    /// $\kappa_m = \kappa_0 + m$, $b_m = b + \frac{1}{2} [\sum (L - \mu_0)^2 - (\sum L - m \mu_0)^2 / \kappa_m]$.
    pub(crate) fn integral(&self, sums: ClassSums) -> f64 {
        let m = sums.n_links as f64;
        match self.conjugate {
            Conjugate::Exponential { shape, rate } => {
                shape * rate.ln() + self.log_gammas[sums.n_links]
                    - self.log_gammas[0]
                    - (shape + m) * (rate + sums.sum).ln()
            }
            Conjugate::Gaussian { centre, spread, links, shape, rate } => {
                let shift = (sums.sum - m * centre) / spread;
                let after = rate + 0.5 * (sums.squares - shift * shift / (links + m)).max(0.0);
                shape * rate.ln() + self.log_gammas[sums.n_links]
                    - self.log_gammas[0]
                    - (shape + 0.5 * m) * after.ln()
                    + 0.5 * (links / (links + m)).ln()
                    - m * (0.5 * TAU.ln() + spread.ln())
            }
        }
    }
}

/// $\log \Gamma$ of the shape after 0, 1, .., n links: by steps of 1 or of 1/2.
fn log_gammas(conjugate: Conjugate, n: usize) -> Vec<f64> {
    match conjugate {
        // Shapes are whole numbers: 2 and 1.
        Conjugate::Exponential { shape, .. } => {
            let mut found = vec![(1..shape as usize).map(|k| (k as f64).ln()).sum()];
            (0..n).for_each(|m| found.push(found[m] + (shape + m as f64).ln()));
            found
        }
        Conjugate::Gaussian { .. } => {
            // Gamma(1) = 1, Gamma(3/2) = sqrt(pi) / 2, Gamma(x + 1) = x Gamma(x).
            let mut found = vec![0.0, 0.5 * PI.ln() - 2f64.ln()];
            (2..=n.max(1)).for_each(|m| found.push(found[m - 2] + (0.5 * m as f64).ln()));
            found
        }
    }
}
