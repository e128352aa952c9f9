//! Components of clusters that are joined by unobserved pairs only: which cluster each belongs to.

use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::latent_graph::search::Search;
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::rank::in_order;
use crate::latent_graph::search::score::penalty::{judged, missed};
use crate::latent_graph::search::score::{Scorer, members};

/// Smallest gain that counts, in nats: anything below is rounding error. Not tuned.
const LEAST_GAIN: f64 = 1e-9;

impl Search<'_> {
    /// The partitions, and the best of them after whole components changed cluster, where that is cheap.
    ///
    /// No observed pair says where a component belongs: only sizes and scales decide, which linkage weighs one merge at a
    /// time.
    pub(crate) fn with_components_moved(
        &self,
        mut ranked: Vec<Proposal>,
        scorer: &Scorer<'_>,
    ) -> Vec<Proposal> {
        let Some(first) = ranked.first().filter(|_| self.problem.context.joined_at.is_some()) else {
            return ranked;
        };
        let pieces = pieces(self.problem, first.labels.as_slice());
        let cheap = self.problem.plan.may_move_components(pieces.len(), self.n_clusters);
        if pieces.len() == self.n_clusters || !cheap {
            return ranked;
        }
        let start = Partition {
            n_missed: missed(&first.score, first.labels.as_slice(), self.problem),
            ..Partition::new(first.start, first.labels.as_slice().to_vec())
        };
        let mut placing =
            Placing { problem: self.problem, scorer, pieces, best: first.score.total(), at: start };
        while placing.improve(self.n_clusters) {}
        let score = judged(scorer.score(&placing.at.labels), &placing.at, self.problem);
        let moved = Partition { refined: true, score: Some(score), ..placing.at };
        for proposal in in_order(vec![moved], self.n_clusters) {
            if ranked.iter().all(|other| other.labels != proposal.labels) {
                ranked.insert(0, proposal);
            }
        }
        ranked
    }
}

/// The points of each component: connected by observed pairs inside a cluster.
fn pieces(problem: &Problem<'_>, labels: &[usize]) -> Vec<Vec<usize>> {
    let links = |from: usize| {
        let own = problem.support.allowed_links(from).filter(move |&(to, _)| labels[to] == labels[from]);
        own.map(move |(to, length)| Link { from, to, length })
    };
    members(components(labels.len(), (0..labels.len()).flat_map(links)).as_slice())
}

/// Components that move to the clusters where the score is greatest.
struct Placing<'a, 's> {
    problem: &'a Problem<'a>,
    scorer: &'a Scorer<'s>,
    pieces: Vec<Vec<usize>>,
    at: Partition,
    best: f64,
}

impl Placing<'_, '_> {
    /// Makes the first change that gains, of one component or of two at once; whether there is one.
    fn improve(&mut self, n_clusters: usize) -> bool {
        let n = self.pieces.len();
        let places = || (0..n).flat_map(|piece| (0..n_clusters).map(move |class| (piece, class)));
        places().any(|place| self.try_places(&[place]))
            || places().any(|(piece, class)| {
                // The other takes the place of the first.
                let left = self.at.labels[self.pieces[piece][0]];
                (0..n).any(|other| other != piece && self.try_places(&[(piece, class), (other, left)]))
            })
    }

    /// Moves components to clusters, if that gains and side information allows it; whether it did.
    fn try_places(&mut self, places: &[(usize, usize)]) -> bool {
        let constraints = self.problem.constraints;
        let mut labels = self.at.labels.clone();
        for &(piece, class) in places {
            let points = &self.pieces[piece];
            if labels[points[0]] == class || !constraints.allows_all(points, class, &labels) {
                return false;
            }
            points.iter().for_each(|&i| labels[i] = class);
        }
        let n_before = self.at.labels.iter().max();
        let filled =
            members(&labels).iter().all(|class| !class.is_empty()) && labels.iter().max() == n_before;
        let score = if filled { self.scored(&labels) } else { f64::NEG_INFINITY };
        let gains = score > self.best + LEAST_GAIN;
        if gains {
            self.at.labels = labels;
            self.best = score;
        }
        gains
    }

    fn scored(&self, labels: &[usize]) -> f64 {
        let candidate = Partition { labels: labels.to_vec(), ..self.at.clone() };
        judged(self.scorer.score(labels), &candidate, self.problem).total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::Constraints;
    use crate::constraints::side_information::SideInformation;
    use crate::graph::lengths::Lengths;
    use crate::input::labels::Labels;
    use crate::input::sparse::SparseMatrix;
    use crate::input::{Checks, Dissimilarity, Quantity};
    use crate::latent_graph::LatentGraph;
    use crate::latent_graph::context::Context;
    use crate::latent_graph::context::memory::Memory;
    use crate::latent_graph::model::prior::{GraphPrior, Prior, SizePrior};
    use crate::latent_graph::search::starts::Sources;
    use crate::latent_graph::search::starts::origin::{Origin, Start};
    use crate::latent_graph::search::{Effort, Scorers};
    use crate::latent_graph::settings::inference::{ScoreSettings, SearchParts};
    use crate::plan::Plan;
    use crate::run::observer::Silent;

    /// Three paths of eight points each that nothing joins, with links of length 1, 1.1 and 9.
    fn three_paths() -> Dissimilarity<'static> {
        let path = |first: usize, length: f64| (first..first + 7).map(move |i| (i, i + 1, length));
        let edges: Vec<_> = path(0, 1.0).chain(path(8, 1.1)).chain(path(16, 9.0)).collect();
        let matrix = SparseMatrix::from_edges(24, &edges).unwrap();
        Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
    }

    #[test]
    fn a_component_that_moves_takes_the_penalty_of_its_partition_with_it() {
        let observed = three_paths();
        let context = Context::new(&observed, &Silent).joining();
        let lengths = Lengths::given(&observed).joining();
        // The first and the last path are known; that of length 1.1 belongs with the first but begins with the last.
        let mut known = vec![None; 24];
        (known[0], known[16]) = (Some(0), Some(1));
        let constraints = Constraints::new(&SideInformation::from(&known), 24).unwrap();
        let problem = Problem {
            context: &context,
            support: &lengths,
            prior: Prior::new(GraphPrior::Tree, SizePrior::Dirichlet, 1, 24),
            constraints: &constraints,
            shape: 2.0,
            parts: SearchParts::default(),
            plan: Plan::new(24, true),
        };
        let scoring = ScoreSettings::default();
        let scorer = Scorer::new(scoring, &context);
        let start = Start::of(Origin::Printed { restart: 0 });
        let labels = (0..24).map(|i| usize::from(i >= 8)).collect();
        let begun = Partition { n_missed: 3.0, ..Partition::new(start, labels) };
        let score = judged(scorer.score(&begun.labels), &begun, &problem);
        let penalty = score.side;
        assert!(penalty < 0.0);
        let search = Search {
            problem: &problem,
            sources: &Sources::new(&context, &Plan::new(24, true), &Silent),
            scorers: &Scorers::new(scoring, &context),
            n_clusters: 2,
            effort: Effort::Full,
            given: Vec::new(),
            seed: 0,
            by_paper: Vec::new(),
            memory: Memory::new(&LatentGraph::default(), &observed),
        };
        let labels = Labels::new(&begun.labels);
        let found =
            search.with_components_moved(vec![Proposal { start, refined: true, labels, score }], &scorer);
        assert_eq!((found.len(), found[0].labels.as_slice()[8]), (2, 0));
        assert!((found[0].score.side / penalty - 1.0).abs() < 1e-12, "{}", found[0].score.side);
    }
}
