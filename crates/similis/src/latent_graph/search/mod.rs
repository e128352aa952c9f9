//! Inference by search: many starts, climbs from the best of them, and a score that decides.

pub(crate) mod at_scale;
pub(crate) mod number;
pub(crate) mod refine;
pub(crate) mod score;
pub(crate) mod starts;

use crate::error::Error;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::input::labels::Labels;
use crate::latent_graph::memory::Memory;
use crate::latent_graph::settings::inference::{Scales, Score, ScoreSettings, SearchParts, StartSources};
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use crate::run::random::stream;
use refine::by_likelihood::{Climb, Weighing};
use refine::by_score::Ascent;
use score::incremental::Valuation;
use score::penalty::{judged, missed};
use score::{PartitionScore, Scorer};
use starts::origin::{Origin, Start};
use starts::repair::honour;
use starts::smooth::smooth;
use starts::{Candidate, Sources, Starts, candidates};

/// Up to so many points all starts are tried.
const MOST_WHOLE: usize = 3_000;

/// Up to so many points five climbs are made, above only three.
const FEW_POINTS: usize = 600;

/// Starts that agree by more than this, as the adjusted Rand index has it, would end in the same place.
pub(crate) const ALIKE: f64 = 0.8;

/// Of the starts, so many of the best may be climbed from.
const N_RANKED: usize = 40;

/// Where the numbers of random streams of climbs begin, away from those of restarts and starts.
pub(crate) const FIRST_STREAM: u64 = 1 << 33;

/// The best partitions that are regrouped where the score itself can be climbed.
const N_REGROUPED: usize = 3;

impl SearchParts {
    /// Whether so many points are searched by all means.
    pub(crate) fn is_whole(self, n_points: usize) -> bool {
        self.whole && n_points <= MOST_WHOLE
    }
}

/// A partition that was considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Where it came from.
    pub start: Start,
    /// Whether it was moved on from there by single points and subtrees.
    pub climbed: bool,
    /// The partition.
    pub labels: Labels,
    /// How good it is.
    pub score: PartitionScore,
}

/// What a search needs.
pub(crate) struct Search<'a> {
    pub(crate) weighing: &'a Weighing<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) scoring: ScoreSettings,
    pub(crate) n_clusters: usize,
    pub(crate) seed: u64,
    /// What restarts of the printed algorithm ended with.
    pub(crate) printed: Vec<Vec<usize>>,
    /// What may be taken.
    pub(crate) memory: Memory,
}

impl Search<'_> {
    /// Returns every partition that was considered, best first.
    ///
    /// Starts are ranked by the score with one scale for each class. From the best ones that differ the climbs go; every
    /// climb is shaken once by Eq. (9) and made again. Linkages, latent features and climbs are then scored in full.
    ///
    /// Of many points only what is cheap and strong is done: see [`Search::run_at_scale`].
    pub(crate) fn run(&self, observer: &dyn Observer) -> Result<Vec<Proposal>, Error> {
        if self.weighing.parts.is_whole(self.weighing.ground.n_points()) {
            self.run_whole(observer)
        } else {
            self.run_at_scale(observer)
        }
    }

    /// As [`Search::run`], with all starts, however many points there are.
    pub(crate) fn run_whole(&self, observer: &dyn Observer) -> Result<Vec<Proposal>, Error> {
        let starts =
            Starts { n_clusters: self.n_clusters, constraints: self.weighing.constraints, seed: self.seed };
        let mut found = candidates(self.weighing.ground, self.sources, &starts, observer);
        self.leave_out(&mut found);
        let mut chosen = if observer.cancelled() { Vec::new() } else { self.choose(&found, observer) };
        chosen.extend(found.len()..found.len() + self.printed.len());
        found.extend(self.printed.iter().enumerate().map(|(restart, labels)| Candidate {
            start: Start::of(Origin::Printed { restart }),
            labels: labels.clone(),
            missed: 0.0,
        }));
        let begun = chosen.iter().map(|&at| found[at].labels.as_slice());
        self.memory.check_climbs(begun, self.n_clusters)?;
        let climbed = parallel::map(chosen.len(), |at| {
            let tops = self.climb(&found[chosen[at]].labels, at, observer);
            report(observer, "climbs", (at + 1) as f64 / chosen.len() as f64);
            tops.into_iter()
                .map(|labels| (Candidate { labels, ..found[chosen[at]].clone() }, true))
                .collect::<Vec<_>>()
        });
        let proposed = found.into_iter().filter(|candidate| is_proposal(candidate.start));
        let proposed = proposed.map(|candidate| (candidate, false));
        let climbed = climbed.into_iter().flatten();
        let all: Vec<_> = if observer.cancelled() {
            // A few answers are enough for whoever does not want to wait, and what was climbed is the best of them.
            climbed.chain(proposed).take(8).collect()
        } else {
            proposed.chain(climbed).collect()
        };
        let scorer = Scorer::new(self.scoring, self.weighing.ground);
        let ranked = self.ranked(all, &scorer, observer);
        let ranked = self.regrouped(ranked, &scorer, observer);
        Ok(self.placed(ranked, &scorer))
    }

    /// The partitions, and what the best become by splits and merges, where the score itself can be climbed.
    fn regrouped(
        &self,
        mut ranked: Vec<Proposal>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> Vec<Proposal> {
        let wanted = self.weighing.parts.split_merge && climbs_score(&self.scoring) && self.n_clusters > 1;
        if !wanted || observer.cancelled() {
            return ranked;
        }
        let valuation = Valuation::new(self.weighing, &self.scoring, self.n_clusters);
        let ground = self.weighing.ground;
        let found = parallel::map(ranked.len().min(N_REGROUPED), |at| {
            let mut random = stream(self.seed, FIRST_STREAM + (1 << 20) + at as u64);
            let ascent = Ascent::new(self.weighing, &valuation, ranked[at].labels.as_slice());
            let labels = ascent.run(&mut random, observer);
            (Candidate { start: ranked[at].start, labels, missed: missed(&ranked[at].score, ground) }, true)
        });
        for proposal in self.ranked(found, scorer, observer) {
            let after = ranked.partition_point(|other| other.score.total() >= proposal.score.total());
            if ranked.iter().all(|other| other.labels != proposal.labels) {
                ranked.insert(after, proposal);
            }
        }
        ranked
    }

    /// Drops the starts that are not wanted; the first, a linkage, always is.
    pub(crate) fn leave_out(&self, found: &mut Vec<Candidate>) {
        match self.weighing.parts.starts {
            StartSources::All => {}
            StartSources::WithoutFeatures => {
                found.retain(|candidate| !matches!(candidate.start.origin, Origin::Features { .. }));
            }
            StartSources::Linkage => found.truncate(1),
        }
    }

    /// The numbers of the starts to climb from; none where `observer` cancels.
    fn choose(&self, found: &[Candidate], observer: &dyn Observer) -> Vec<usize> {
        let quick = ScoreSettings { score: Score::BestTree, scales: Scales::PerClass, ..self.scoring };
        let scorer = Scorer::new(quick, self.weighing.ground);
        let scores = parallel::map(found.len(), |at| {
            report(observer, "choice of starts", (at + 1) as f64 / found.len() as f64);
            let judged = || judged(scorer.score(&found[at].labels), &found[at], self.weighing);
            (!observer.cancelled()).then(judged)
        });
        let Some(scores) = scores.into_iter().collect::<Option<Vec<_>>>() else { return Vec::new() };
        let few = found.first().is_some_and(|first| first.labels.len() <= FEW_POINTS);
        let mut order = best_first(&scores, PartitionScore::total);
        order.truncate(N_RANKED);
        if few {
            // Where shapes of unlike density lie in one another the walk is against every right partition.
            order
                .extend(best_first(&scores, |score| score.prior + score.evidence).into_iter().take(N_RANKED));
        }
        let mut chosen: Vec<(usize, Labels)> = Vec::new();
        for at in order {
            let labels = Labels::new(&found[at].labels);
            let alike = |(_, other): &(usize, Labels)| {
                adjusted_rand_index(other, &labels).is_ok_and(|index| index >= ALIKE)
            };
            if chosen.len() < if few { 5 } else { 3 } && !chosen.iter().any(alike) {
                chosen.push((at, labels));
            }
        }
        chosen.into_iter().map(|(at, _)| at).collect()
    }

    /// Climbs, shakes the labels, and climbs again; where the score itself can be climbed, both tops.
    fn climb(&self, labels: &[usize], number: usize, observer: &dyn Observer) -> Vec<Vec<usize>> {
        let mut random = stream(self.seed, FIRST_STREAM + number as u64);
        let valuation = climbs_score(&self.scoring)
            .then(|| Valuation::new(self.weighing, &self.scoring, self.n_clusters));
        let mut up = |labels: &[usize]| match &valuation {
            Some(valuation) => Ascent::new(self.weighing, valuation, labels).settled(&mut random, observer),
            None => Climb::new(self.weighing, labels).run(&mut random, observer),
        };
        let top = up(labels);
        if observer.cancelled() {
            return vec![top];
        }
        let Weighing { ground, constraints, .. } = self.weighing;
        let shaken = smooth(ground, &top, self.n_clusters, 2, 2);
        let shaken = honour(&shaken, constraints, self.n_clusters, &ground.neighbours);
        let again = up(&shaken);
        if valuation.is_some() { vec![top, again] } else { vec![again] }
    }

    /// All partitions with their scores, best first, each once.
    fn ranked(
        &self,
        all: Vec<(Candidate, bool)>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> Vec<Proposal> {
        let (all, scores) = self.scored(all, |(candidate, _)| candidate, scorer, observer);
        self.in_order(&all, &scores)
    }

    /// Partitions with their scores; where `observer` cancels, those that were scored by then, the first at least.
    pub(crate) fn scored<T: Sync>(
        &self,
        all: Vec<T>,
        candidate: impl Fn(&T) -> &Candidate + Sync + Send,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> (Vec<T>, Vec<PartitionScore>) {
        let scores = parallel::map(all.len(), |at| {
            let candidate = candidate(&all[at]);
            let score = || judged(scorer.score(&candidate.labels), candidate, self.weighing);
            let score = (at == 0 || !observer.cancelled()).then(score);
            report(observer, "scores", (at + 1) as f64 / all.len() as f64);
            score
        });
        all.into_iter().zip(scores).filter_map(|(one, score)| Some((one, score?))).unzip()
    }

    /// All partitions, best first, each once.
    pub(crate) fn in_order(&self, all: &[(Candidate, bool)], scores: &[PartitionScore]) -> Vec<Proposal> {
        let order = best_first(scores, PartitionScore::total);
        let mut proposals: Vec<Proposal> = Vec::with_capacity(all.len());
        for at in order {
            let (candidate, climbed) = &all[at];
            let labels = Labels::new(&candidate.labels);
            if labels.n_clusters() == self.n_clusters && proposals.iter().all(|other| other.labels != labels)
            {
                let (start, score) = (candidate.start, scores[at].clone());
                proposals.push(Proposal { start, climbed: *climbed, labels, score });
            }
        }
        proposals
    }
}

/// Whether the gain of a move in the score itself is known: with one scale for each class and its best tree it is.
pub(crate) fn climbs_score(scoring: &ScoreSettings) -> bool {
    scoring.score == Score::BestTree && scoring.scales == Scales::PerClass
}

/// Whether a start may be the answer as it is: levels, spacings and random labels are only to climb from.
fn is_proposal(start: Start) -> bool {
    let stands = matches!(
        start.origin,
        Origin::Linkage { .. }
            | Origin::Balanced { .. }
            | Origin::Features { .. }
            | Origin::Printed { .. }
            | Origin::Spread { .. }
    );
    stands && start.smoothing.is_none()
}

pub(crate) fn report(observer: &dyn Observer, phase: &'static str, fraction: f64) {
    observer.progress(Progress { phase, fraction, log_joint: None });
}

/// The numbers of the scores, best first; of equal ones the first.
pub(crate) fn best_first(scores: &[PartitionScore], value: impl Fn(&PartitionScore) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let rank =
        |at: usize| Some(value(&scores[at])).filter(|value| !value.is_nan()).unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
    order
}
