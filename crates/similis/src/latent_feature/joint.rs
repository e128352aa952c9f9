//! Beyond greedy inference: features, soft labels and classes together, as section 2.1 invites.

use crate::affinity::matrix::SimilarityMatrix;
use crate::constraints::Constraints;
use crate::input::labels::Labels;
use crate::latent_feature::constrained::Obeyed;
use crate::latent_feature::features::Features;
use crate::latent_feature::gaussian::Gaussian;
use crate::latent_feature::likelihood::{GaussianConditionals, PairTerms, add_outer, gram, residual};
use crate::latent_feature::mixture::Mixture;
use crate::numeric::linalg::positive_definite::solve_positive_definite;
use crate::run::observer::{Observer, Progress};
use crate::run::termination::Termination;

/// What joint inference found.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFit {
    /// The features $\Lambda$.
    pub features: Features,
    /// The class distributions, in the order of the labels given to start from.
    pub classes: Vec<Gaussian>,
    /// How probable each class is for each point.
    pub memberships: Features,
    /// The objective at the start and after each step; it never falls.
    pub trace: Vec<f64>,
    /// Why it stopped.
    pub ended: Termination,
}

/// Joint inference by EM on the log joint of Eq. (1), the labels summed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The class distributions' settings.
    pub mixture: Mixture,
    /// The variance $\Sigma_\Lambda$ of Eq. (2), fixed.
    pub noise: f64,
    /// Maximum number of steps; default 200.
    pub max_iterations: usize,
    /// It ends when a step gains less than this per point.
    pub tolerance: f64,
}

impl Joint {
    /// Returns the end of EM from the greedy answer, `features` of Lemma 1 and their `labels`: what section 2.1 invites.
    ///
    /// It maximises
    ///
    /// $$ \sum_{i<j} \log p(L_{ij} | \lambda_i, \lambda_j) + \sum_i \log \tfrac1M \sum_c p(\lambda_i | c, \mu, \Psi), $$
    ///
    /// Eq. (1) with the labels summed out, over $\Lambda, \mu, \Psi$ within their bounds. The E-step finds the
    /// memberships; given them each $\lambda_i$ in turn has a quadratic objective, solved exactly; then $\mu$ and
    /// $\Psi$. No step lowers the objective.
    pub fn fit(
        &self,
        matrix: &SimilarityMatrix<'_>,
        features: Features,
        labels: &Labels,
        observer: &dyn Observer,
    ) -> JointFit {
        let obeyed = Obeyed { constraints: &Constraints::default(), labels: labels.as_slice() };
        self.fit_obeying(matrix, features, obeyed, observer)
    }

    /// As [`Joint::fit`]; the points of a must-link group have the same memberships, those of known labels keep theirs.
    pub(crate) fn fit_obeying(
        &self,
        matrix: &SimilarityMatrix<'_>,
        features: Features,
        obeyed: Obeyed<'_>,
        observer: &dyn Observer,
    ) -> JointFit {
        let classes = self.mixture.classes_of(&features, &Labels::new(obeyed.labels));
        let mut state = State { features, classes };
        let mut trace = Vec::new();
        let mut memberships = self.expectation(matrix, &state, obeyed, &mut trace);
        let mut ended = Termination::IterationLimit;
        for step in 0..self.max_iterations {
            let before = state.clone();
            self.move_features(matrix, &mut state, &memberships);
            state.classes = self.mixture.maximisation(&state.features, &memberships, state.classes);
            let after = self.expectation(matrix, &state, obeyed, &mut trace);
            let gain = trace[trace.len() - 1] - trace[trace.len() - 2];
            if !(gain >= 0.0) {
                // Rounding at the optimum: the state before is as good.
                trace.pop();
                state = before;
                ended = Termination::Converged;
                break;
            }
            memberships = after;
            report(observer, step, self.max_iterations, &trace);
            if gain <= self.tolerance * state.features.n_rows() as f64 {
                ended = Termination::Converged;
                break;
            }
            if observer.cancelled() {
                ended = Termination::Cancelled;
                break;
            }
        }
        JointFit { features: state.features, classes: state.classes, memberships, trace, ended }
    }

    /// The E-step; adds the objective to `trace`.
    fn expectation(
        &self,
        matrix: &SimilarityMatrix<'_>,
        state: &State,
        obeyed: Obeyed<'_>,
        trace: &mut Vec<f64>,
    ) -> Features {
        let mut log_features = Vec::new();
        let memberships = obeyed.expectation(&state.features, &state.classes, &mut log_features);
        trace.push(log_features[0] + log_similarities(matrix, &state.features, self.noise));
        memberships
    }

    /// Moves each feature vector in turn to its best place, given the others and the memberships.
    fn move_features(&self, matrix: &SimilarityMatrix<'_>, state: &mut State, memberships: &Features) {
        let t = state.features.n_columns();
        let pulls: Vec<Pull> = state.classes.iter().map(Pull::new).collect();
        let mut others = gram(&state.features);
        let (mut curvature, mut target) = (vec![0.0; t * t], vec![0.0; t]);
        for i in 0..state.features.n_rows() {
            add_outer(&mut others, state.features.row(i), -1.0);
            curvature.iter_mut().zip(&others).for_each(|(c, o)| *c = o / self.noise);
            target.fill(0.0);
            for (j, similarity) in matrix.row(i).filter(|&(j, _)| j != i) {
                let row = state.features.row(j).iter();
                target.iter_mut().zip(row).for_each(|(sum, x)| *sum += similarity * x / self.noise);
            }
            for (pull, &membership) in pulls.iter().zip(memberships.row(i)) {
                curvature.iter_mut().zip(&pull.precision).for_each(|(c, p)| *c += membership * p);
                target.iter_mut().zip(&pull.target).for_each(|(sum, x)| *sum += membership * x);
            }
            if let Some(place) = solve_positive_definite(&curvature, &target, t) {
                state.features.row_mut(i).copy_from_slice(&place);
            }
            add_outer(&mut others, state.features.row(i), 1.0);
        }
    }
}

#[derive(Clone)]
struct State {
    features: Features,
    classes: Vec<Gaussian>,
}

/// What a class adds to the quadratic objective of a feature vector: $\psi^{-1}$ and $\psi^{-1} \mu$.
struct Pull {
    precision: Vec<f64>,
    target: Vec<f64>,
}

impl Pull {
    fn new(class: &Gaussian) -> Self {
        let precision = class.precision();
        let t = class.mean().len();
        let product =
            |k: usize| precision[k * t..(k + 1) * t].iter().zip(class.mean()).map(|(p, m)| p * m).sum();
        Self { target: (0..t).map(product).collect(), precision }
    }
}

/// The log density of all similarities $i < j$ under Eq. (2), from the sum of squared residuals.
pub(crate) fn log_similarities(matrix: &SimilarityMatrix<'_>, features: &Features, noise: f64) -> f64 {
    let residual = residual(matrix, features, PairTerms::Upper);
    GaussianConditionals::log_of_squares(residual, noise)
}

fn report(observer: &dyn Observer, step: usize, most: usize, trace: &[f64]) {
    observer.progress(Progress {
        phase: "joint inference",
        fraction: (step + 1) as f64 / most as f64,
        log_joint: trace.last().copied(),
    });
}
