//! The search of many points: what is cheap and strong, in time about $n \log n$.

use crate::error::Error;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::input::labels::Labels;
use crate::latent_graph::search::refine::by_likelihood::{Climb, Rounds, Weighing};
use crate::latent_graph::search::score::penalty::judged;
use crate::latent_graph::search::score::{PartitionScore, Scorer};
use crate::latent_graph::search::starts::repair::honour;
use crate::latent_graph::search::starts::smooth::smooth;
use crate::latent_graph::search::starts::{Candidate, Starts, cheap_candidates};
use crate::latent_graph::search::{ALIKE, FIRST_STREAM, Proposal, Search, best_first, report};
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::run::random::stream;

/// So many of the best starts that differ are climbed from, ..
const N_CLIMBED: usize = 3;

/// .. but of more points than this only the sample's start, whose borders are rough: what a linkage leaves is seldom mended by a
/// few rounds.
pub(crate) const MOST_FOR_MANY: usize = 5_000;

/// Up to so many points a climb takes all the rounds that it needs.
pub(crate) const MOST_FOR_LONG: usize = 20_000;

impl Search<'_> {
    /// Returns every partition that was considered, best first.
    ///
    /// Linkages are cut and scored in full: their classes are parts of one tree, and many share classes. The best starts that
    /// differ, or of very many points what a sample says ([`Search::sampled`]), are climbed from in rounds ([`Climb::run_in_turns`]), where many moves are made between two looks at the whole. A climb
    /// by moves that each gain at fixed scales may lose by the score, so linkages stay in the running as they are.
    pub(crate) fn run_at_scale(&self, observer: &dyn Observer) -> Result<Vec<Proposal>, Error> {
        let Weighing { ground, constraints, .. } = self.weighing;
        let starts = Starts { n_clusters: self.n_clusters, constraints, seed: self.seed };
        let mut found = cheap_candidates(ground, self.sources, &starts, observer);
        let mut rough = starts.distinct(self.sampled(observer), ground);
        if ground.n_points() <= MOST_FOR_MANY {
            found.append(&mut rough);
        }
        report(observer, "starts", 1.0);
        self.leave_out(&mut found);
        if observer.cancelled() {
            found.truncate(1);
        }
        let mut scorer = Scorer::new(self.scoring, ground);
        if let Some(first) = found.first() {
            scorer.leave_out_steps(&first.labels);
        }
        let (found, mut scores) = self.scored(found, |candidate| candidate, &scorer, observer);
        let begun: Vec<&Candidate> = if observer.cancelled() {
            Vec::new()
        } else if rough.is_empty() {
            to_climb(&found, &scores).into_iter().map(|at| &found[at]).collect()
        } else {
            rough.iter().collect()
        };
        self.memory.check_climbs(begun.iter().map(|start| start.labels.as_slice()), self.n_clusters)?;
        let climbed = self.climbed(&begun, observer);
        scores.extend(parallel::map(climbed.len(), |at| {
            judged(scorer.score(&climbed[at].0.labels), &climbed[at].0, self.weighing)
        }));
        let all: Vec<_> = found.into_iter().map(|candidate| (candidate, false)).chain(climbed).collect();
        Ok(self.in_order(&all, &scores))
    }

    /// Where climbs from some starts end.
    fn climbed(&self, begun: &[&Candidate], observer: &dyn Observer) -> Vec<(Candidate, bool)> {
        let climbed = parallel::map(begun.len(), |at| {
            let tops = self.tops(&begun[at].labels, at, observer);
            report(observer, "climbs", (at + 1) as f64 / begun.len() as f64);
            let climbed = |labels| (Candidate { labels, ..begun[at].clone() }, true);
            tops.into_iter().map(climbed).collect::<Vec<_>>()
        });
        climbed.into_iter().flatten().collect()
    }

    /// Where a climb from a start ends, and unless there are too many points another after a shake by Eq. (9).
    fn tops(&self, labels: &[usize], number: usize, observer: &dyn Observer) -> Vec<Vec<usize>> {
        let Weighing { ground, constraints, .. } = self.weighing;
        let mut random = stream(self.seed, FIRST_STREAM + number as u64);
        let rounds = rounds(ground.n_points());
        let mut up =
            |labels: &[usize]| Climb::new(self.weighing, labels).run_in_turns(rounds, &mut random, observer);
        let top = up(labels);
        if ground.n_points() > MOST_FOR_MANY || observer.cancelled() {
            return vec![top];
        }
        let shaken = smooth(ground, &top, self.n_clusters, 2, 2);
        let shaken = honour(&shaken, constraints, self.n_clusters, &ground.neighbours);
        let again = up(&shaken);
        vec![top, again]
    }
}

/// How long points and subtrees take turns.
fn rounds(n_points: usize) -> Rounds {
    if n_points > MOST_FOR_LONG {
        Rounds { n_turns: 2, n_passes: 1, leaves_only: true }
    } else {
        Rounds { n_turns: 8, n_passes: 4, leaves_only: false }
    }
}

/// The numbers of the best starts that differ, to climb from.
fn to_climb(found: &[Candidate], scores: &[PartitionScore]) -> Vec<usize> {
    let n_points = found.first().map_or(0, |first| first.labels.len());
    let n_climbed = if n_points > MOST_FOR_MANY { 1 } else { N_CLIMBED };
    let mut chosen: Vec<(usize, Labels)> = Vec::new();
    for at in best_first(scores, PartitionScore::total) {
        let labels = Labels::new(&found[at].labels);
        let alike = |(_, other): &(usize, Labels)| {
            adjusted_rand_index(other, &labels).is_ok_and(|index| index >= ALIKE)
        };
        if chosen.len() < n_climbed && !chosen.iter().any(alike) {
            chosen.push((at, labels));
        }
    }
    chosen.into_iter().map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests;
