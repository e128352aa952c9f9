//! One split with one merge at a time, by the score itself: a part of a cluster joins another cluster, or becomes one while two
//! others are merged.

mod branches;

use crate::graph::rooted::Walk;
use crate::input::labels::Labels;
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::rank::in_order;
use crate::latent_graph::search::score::penalty::judged;
use crate::latent_graph::search::score::{PartitionScore, Scorer, members};
use crate::latent_graph::search::{Effort, Search, refines_score};
use crate::latent_graph::settings::inference::SearchPart;
use crate::run::observer::Observer;
use crate::run::parallel;
use branches::{Around, Branches, Side, Sums};

#[cfg(test)]
mod tests;

/// Number of best splits, and of best merges of two other clusters, that are tried together. Not tuned.
const N_PAIRED: usize = 4;

/// Most moves that are made. Not tuned: one or two are usual.
const MOST_MOVES: usize = 20;

/// Smallest gain that counts, in nats: anything below is rounding error. Not tuned.
const LEAST_GAIN: f64 = 1e-6;

impl Search<'_> {
    /// The partitions, and the best of them after splits with merges, as long as these raise the score.
    pub(crate) fn with_parts_moved(
        &self,
        mut ranked: Vec<Proposal>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> Vec<Proposal> {
        let wanted = self.problem.plan.is_whole
            && self.problem.parts.has(SearchPart::SplitMerge)
            && self.effort == Effort::Full
            && self.n_clusters > 1
            && !self.problem.constraints.is_informed()
            && !refines_score(scorer.settings());
        let Some(first) = ranked.first().filter(|_| wanted) else { return ranked };
        let start = Partition::new(first.start, first.labels.as_slice().to_vec());
        let mut best = (start.labels.clone(), first.score.clone());
        let score =
            |labels: &[usize]| judged(scorer.score(labels), &start.refined_to(labels.to_vec()), self.problem);
        for _ in 0..MOST_MOVES {
            if observer.cancelled() {
                break;
            }
            let Some(better) = improved(self.problem, scorer, &best, &score) else { break };
            best = better;
        }
        let moved = Partition { score: Some(best.1), ..start.refined_to(best.0) };
        for proposal in in_order(vec![moved], self.n_clusters) {
            if ranked.iter().all(|other| other.labels != proposal.labels) {
                ranked.insert(0, proposal);
            }
        }
        ranked
    }
}

/// The partitions into one cluster more or fewer that seem the best by an estimate of the score.
pub(crate) fn one_apart(
    problem: &Problem<'_>,
    scorer: &Scorer<'_>,
    labels: &[usize],
    n_clusters: usize,
) -> Vec<Vec<usize>> {
    let moves = Moves::new(problem, scorer, labels);
    let classes = 0..moves.classes.len();
    if n_clusters > classes.len() {
        let splits = classes.flat_map(|class| moves.of_tree(class).1).collect();
        let splits = best(splits, N_PAIRED, |split: &Move| split.gain);
        return splits.iter().map(|split| moves.made(split)).collect();
    }
    let merges =
        best(classes.flat_map(|class| moves.merges(class)).collect(), N_PAIRED, |merge: &Merge| merge.gain);
    let merged = |&Merge { both: [kept, freed], .. }: &Merge| {
        let names: Vec<usize> =
            labels.iter().map(|&label| if label == freed { kept } else { label }).collect();
        Labels::new(&names).as_slice().to_vec()
    };
    merges.iter().map(merged).collect()
}

/// The best partition that the move of one part makes; `None` where none has a higher score.
fn improved(
    problem: &Problem<'_>,
    scorer: &Scorer<'_>,
    (labels, score): &(Vec<usize>, PartitionScore),
    full: &(impl Fn(&[usize]) -> PartitionScore + Sync),
) -> Option<(Vec<usize>, PartitionScore)> {
    let found = Moves::new(problem, scorer, labels);
    let moves = best(found.all(), problem.plan.n_moves_scored(), |made: &Move| made.gain);
    let scored = parallel::map(moves.len(), |at| {
        let moved = found.made(&moves[at]);
        let score = full(&moved);
        (moved, score)
    });
    let best = scored.into_iter().reduce(|a, b| if b.1.total() > a.1.total() { b } else { a })?;
    (best.1.total() > score.total() + LEAST_GAIN).then_some(best)
}

/// A part of a cluster: what lies below a link of its tree, or all else.
#[derive(Clone, Copy, Debug)]
struct Part {
    class: usize,
    place: usize,
    is_below: bool,
}

/// A part of a cluster that gets another label, and an estimate of what that adds to the score.
#[derive(Clone, Copy, Debug)]
struct Move {
    part: Part,
    /// The label that it gets; the number of clusters, if it becomes one.
    into: usize,
    /// Two other clusters that become one, so that the second label is free for the part.
    merged: Option<[usize; 2]>,
    gain: f64,
}

/// Two clusters that become one, and an estimate of what that adds to the score.
#[derive(Clone, Copy, Debug)]
struct Merge {
    both: [usize; 2],
    gain: f64,
}

/// The greatest gains; of equal ones the first.
fn best<T: Copy>(mut all: Vec<T>, n_wanted: usize, gain: impl Fn(&T) -> f64) -> Vec<T> {
    if (1..all.len()).contains(&n_wanted) {
        // Most are far behind: only those that are not are sorted.
        let mut gains: Vec<f64> = all.iter().map(&gain).collect();
        let (_, &mut least, _) = gains.select_nth_unstable_by(n_wanted - 1, |a, b| b.total_cmp(a));
        all.retain(|one| gain(one).total_cmp(&least).is_ge());
    }
    all.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    all.truncate(n_wanted);
    all
}

/// The splits and merges of a partition.
struct Moves<'a, 's> {
    problem: &'a Problem<'a>,
    scorer: &'a Scorer<'s>,
    labels: &'a [usize],
    classes: Vec<Branches>,
    /// Each cluster as a whole, and what it adds to the score.
    wholes: Vec<(Side, f64)>,
}

impl<'a, 's> Moves<'a, 's> {
    fn new(problem: &'a Problem<'a>, scorer: &'a Scorer<'s>, labels: &'a [usize]) -> Self {
        let mut steps = vec![Vec::new(); labels.len()];
        for i in 0..labels.len() {
            for j in scorer.walked(i) {
                steps[i].push(j);
                steps[j].push(i);
            }
        }
        let members = members(labels);
        let neighbours = &problem.context.neighbours;
        let around =
            Around { labels, n_classes: members.len(), steps: &steps, neighbours, grid: scorer.grid() };
        let classes = parallel::map(members.len(), |class| {
            Branches::new(&members[class], Walk::new(&scorer.tree(&members[class])).as_ref(), &around)
        });
        let mut moves = Self { problem, scorer, labels, classes, wholes: Vec::new() };
        let whole = |class: &Branches| (class.whole(), moves.value(class.whole().sums));
        moves.wholes = moves.classes.iter().map(whole).collect();
        moves
    }

    /// The labels after a move.
    fn made(&self, made: &Move) -> Vec<usize> {
        let Part { class, place, is_below } = made.part;
        let mut labels = self.labels.to_vec();
        if let Some([kept, freed]) = made.merged {
            labels.iter_mut().filter(|label| **label == freed).for_each(|label| *label = kept);
        }
        let run = self.classes[class].run(place);
        for (at, &i) in self.classes[class].points.iter().enumerate() {
            if run.contains(&at) == is_below {
                labels[i] = made.into;
            }
        }
        labels
    }

    /// Both sides of every link of a cluster's tree, with every cluster near by; and the best splits with the best merges of two
    /// other clusters.
    fn all(&self) -> Vec<Move> {
        let n_classes = self.classes.len();
        let (mut moves, splits): (Vec<_>, Vec<_>) =
            parallel::map(n_classes, |class| self.of_tree(class)).into_iter().unzip();
        let splits = best(splits.concat(), n_classes * N_PAIRED, |split: &Move| split.gain);
        let merges = (0..n_classes).flat_map(|class| self.merges(class)).collect();
        let merges = best(merges, n_classes * N_PAIRED, |merge: &Merge| merge.gain);
        let paired = splits.iter().flat_map(|split| {
            let others = merges.iter().filter(|merge| !merge.both.contains(&split.part.class));
            let with = |merge: &Merge| Move {
                into: merge.both[1],
                merged: Some(merge.both),
                gain: split.gain + merge.gain,
                ..*split
            };
            others.take(N_PAIRED).map(with).collect::<Vec<_>>()
        });
        moves.push(paired.collect());
        moves.concat()
    }

    /// The merges of a cluster with those of lower number near by.
    fn merges(&self, class: usize) -> Vec<Merge> {
        let whole = &self.wholes[class].0;
        let lower = (0..class).filter(|&other| whole.near[other].1.is_finite());
        let merge = |other: usize| Merge {
            both: [other, class],
            gain: self.joined(whole, other) - self.wholes[class].1,
        };
        lower.map(merge).collect()
    }

    /// What it adds to the score that one side joins a cluster, but for what it takes from where it was.
    fn joined(&self, side: &Side, into: usize) -> f64 {
        let (steps, nearest) = side.near[into];
        let (other, value) = &self.wholes[into];
        self.value(other.sums.plus(side.sums, steps).with_link(self.scorer.grid().power(nearest))) - value
    }

    /// The moves of the parts of a cluster into others, and the splits of it.
    fn of_tree(&self, class: usize) -> (Vec<Move>, Vec<Move>) {
        let (mut moves, mut splits) = (Vec::new(), Vec::new());
        let branches = &self.classes[class];
        for place in 1..branches.points.len() {
            let below = branches.below(place);
            let rest = branches.rest(place, &below);
            let whole = self.wholes[class].1;
            let (left_below, left_rest) = (self.value(below.sums), self.value(rest.sums));
            let part = Part { class, place, is_below: true };
            splits.push(Move {
                part,
                into: self.classes.len(),
                merged: None,
                gain: left_below + left_rest - whole,
            });
            for (side, left, is_below) in [(&below, left_rest, true), (&rest, left_below, false)] {
                let near = |&into: &usize| into != class && side.near[into].1.is_finite();
                let into = |into| Move {
                    part: Part { is_below, ..part },
                    into,
                    merged: None,
                    gain: left + self.joined(side, into) - whole,
                };
                moves.extend((0..self.classes.len()).filter(near).map(into));
            }
        }
        (moves, splits)
    }

    /// What a cluster adds to the score, as if it had one scale.
    fn value(&self, of: Sums) -> f64 {
        let leaving = if of.touching > 0.0 { 1.0 - of.inside / of.touching } else { 0.0 };
        let each = self.labels.len() as f64 / self.classes.len() as f64;
        self.problem.prior.log_class(of.size)
            + self.scorer.grid().log_evidence_at_one_scale(of.n_links, of.powers)
            - self.scorer.settings().walk_weight * each * leaving
    }
}
