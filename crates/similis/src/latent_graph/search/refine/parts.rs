//! One split with one merge at a time, by the score itself: a part of a cluster joins another cluster, or becomes one while two
//! others are merged.

use crate::graph::rooted::Walk;
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::rank::in_order;
use crate::latent_graph::search::score::penalty::judged;
use crate::latent_graph::search::score::{PartitionScore, Scorer, members};
use crate::latent_graph::search::{Effort, Search, refines_score};
use crate::latent_graph::settings::inference::SearchPart;
use crate::run::observer::Observer;
use crate::run::parallel;

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

/// The best partition that the move of one part makes; `None` where none has a higher score.
fn improved(
    problem: &Problem<'_>,
    scorer: &Scorer<'_>,
    (labels, score): &(Vec<usize>, PartitionScore),
    full: &(impl Fn(&[usize]) -> PartitionScore + Sync),
) -> Option<(Vec<usize>, PartitionScore)> {
    let moves = best(Moves::new(problem, scorer, labels).all(), problem.plan.n_moves_scored());
    let found = parallel::map(moves.len(), |at| {
        let moved = moves[at].made(labels);
        let score = full(&moved);
        (moved, score)
    });
    let best = found.into_iter().reduce(|a, b| if b.1.total() > a.1.total() { b } else { a })?;
    (best.1.total() > score.total() + LEAST_GAIN).then_some(best)
}

/// A part of a cluster, the label that it gets, and an estimate of what that adds to the score.
#[derive(Clone, Debug)]
struct Move {
    part: Vec<usize>,
    into: usize,
    /// The cluster that those join whose label the part gets; `None` where the part joins them.
    merged: Option<usize>,
    gain: f64,
}

impl Move {
    fn made(&self, labels: &[usize]) -> Vec<usize> {
        let join = |&label: &usize| self.merged.filter(|_| label == self.into).unwrap_or(label);
        let mut labels: Vec<usize> = labels.iter().map(join).collect();
        self.part.iter().for_each(|&i| labels[i] = self.into);
        labels
    }
}

/// The moves with the greatest gains; of equal ones the first.
fn best(mut moves: Vec<Move>, n_wanted: usize) -> Vec<Move> {
    moves.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    moves.truncate(n_wanted);
    moves
}

/// What the estimate needs of a cluster or of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    size: usize,
    /// Observed links, and the powers of their lengths.
    n_links: f64,
    powers: f64,
    /// Steps of the walk that end inside, counted at both ends, and all that touch it.
    inside: f64,
    touching: f64,
}

impl Sums {
    fn with_link(self, power: Option<f64>) -> Self {
        let Some(power) = power else { return self };
        Self { n_links: self.n_links + 1.0, powers: self.powers + power, ..self }
    }

    fn without_link(self, power: Option<f64>) -> Self {
        let Some(power) = power else { return self };
        Self { n_links: self.n_links - 1.0, powers: (self.powers - power).max(0.0), ..self }
    }

    /// Both together, with so many steps of the walk between them.
    fn plus(self, other: Self, between: f64) -> Self {
        Self {
            size: self.size + other.size,
            n_links: self.n_links + other.n_links,
            powers: self.powers + other.powers,
            inside: self.inside + other.inside + 2.0 * between,
            touching: self.touching + other.touching,
        }
    }

    /// What is left of a whole, with so many steps of the walk from the part to the rest.
    fn minus(self, part: Self, between: f64) -> Self {
        Self {
            size: self.size - part.size,
            n_links: self.n_links - part.n_links,
            powers: (self.powers - part.powers).max(0.0),
            inside: self.inside - part.inside - 2.0 * between,
            touching: self.touching - part.touching,
        }
    }
}

/// A part of a cluster with the sums of its links, and the power of the link that holds it.
struct Part {
    points: Vec<usize>,
    sums: Sums,
    cut: Option<f64>,
}

/// The surroundings of a part.
struct Near {
    inside: f64,
    touching: f64,
    /// Steps of the walk between the part and each cluster (its own without the part).
    to: Vec<f64>,
    /// Length of the shortest listed pair to each cluster.
    nearest: Vec<f64>,
}

/// The splits and merges of a partition.
struct Moves<'a> {
    problem: &'a Problem<'a>,
    scorer: &'a Scorer<'a>,
    labels: &'a [usize],
    /// The ends of the steps of the walk from and to each point.
    steps: Vec<Vec<usize>>,
    classes: Vec<Sums>,
    members: Vec<Vec<usize>>,
    walks: Vec<Option<Walk>>,
}

impl<'a> Moves<'a> {
    fn new(problem: &'a Problem<'a>, scorer: &'a Scorer<'a>, labels: &'a [usize]) -> Self {
        let mut steps = vec![Vec::new(); labels.len()];
        for i in 0..labels.len() {
            for j in scorer.walked(i) {
                steps[i].push(j);
                steps[j].push(i);
            }
        }
        let members = members(labels);
        let walks: Vec<Option<Walk>> =
            parallel::map(members.len(), |class| Walk::new(&scorer.tree(&members[class])));
        let mut moves = Self { problem, scorer, labels, steps, classes: Vec::new(), members, walks };
        moves.classes = (0..moves.members.len()).map(|class| moves.of_class(class)).collect();
        moves
    }

    fn of_class(&self, class: usize) -> Sums {
        let points = &self.members[class];
        let links = self.walks[class].iter().flat_map(|walk| walk.order.iter().skip(1).map(|&i| walk.up[i]));
        let sums = links.fold(Sums::default(), |sums, length| sums.with_link(self.power(length)));
        let inside = |&&j: &&usize| self.labels[j] == class;
        Sums {
            size: points.len(),
            inside: points.iter().map(|&i| self.steps[i].iter().filter(inside).count()).sum::<usize>() as f64,
            touching: points.iter().map(|&i| self.steps[i].len()).sum::<usize>() as f64,
            ..sums
        }
    }

    fn power(&self, length: f64) -> Option<f64> {
        self.scorer.grid().power(length)
    }

    /// Both sides of every link of a cluster's tree, with every cluster near by; and the best splits with the best merges of two
    /// other clusters.
    fn all(&self) -> Vec<Move> {
        let n_classes = self.members.len();
        let (mut moves, splits): (Vec<_>, Vec<_>) =
            parallel::map(n_classes, |class| self.of_tree(class)).into_iter().unzip();
        let splits = best(splits.concat(), n_classes * N_PAIRED);
        let merges =
            best((0..n_classes).flat_map(|class| self.merges(class)).collect(), n_classes * N_PAIRED);
        let paired = splits.iter().flat_map(|split| {
            let others =
                merges.iter().filter(|merge| merge.into != split.into && merge.merged != Some(split.into));
            let both = |merge: &Move| Move {
                part: split.part.clone(),
                gain: split.gain + merge.gain,
                ..merge.clone()
            };
            others.take(N_PAIRED).map(both).collect::<Vec<_>>()
        });
        moves.push(paired.collect());
        moves.concat()
    }

    /// The merges of a cluster into those of lower number near by.
    fn merges(&self, class: usize) -> Vec<Move> {
        let Near { to, nearest, .. } = self.near(class, &self.members[class]);
        let own = self.classes[class];
        let lower = (0..class).filter(|&other| nearest[other].is_finite());
        let merge = |other: usize| {
            let joined = self.classes[other].plus(own, to[other]).with_link(self.power(nearest[other]));
            let gain = self.value(joined) - self.value(own) - self.value(self.classes[other]);
            Move { part: Vec::new(), into: class, merged: Some(other), gain }
        };
        lower.map(merge).collect()
    }

    /// The moves of the parts of a cluster into others, and the splits of it: parts that keep its label for now.
    fn of_tree(&self, class: usize) -> (Vec<Move>, Vec<Move>) {
        let (mut moves, mut splits) = (Vec::new(), Vec::new());
        let (points, Some(walk)) = (&self.members[class], &self.walks[class]) else { return (moves, splits) };
        for &top in walk.order.iter().skip(1) {
            let (below, sums) = self.below(walk, top);
            let cut = self.power(walk.up[top]);
            let rest = self.classes[class].without_link(cut).minus(sums, 0.0);
            for (side, sums) in [(true, sums), (false, rest)] {
                let part = (0..points.len()).filter(|&at| below[at] == side).map(|at| points[at]).collect();
                let split = self.of_part(class, Part { points: part, sums, cut }, &mut moves);
                splits.extend(Some(split).filter(|_| side));
            }
        }
        (moves, splits)
    }

    /// The points of a tree from one of them on downwards, and the sums of their links.
    fn below(&self, walk: &Walk, top: usize) -> (Vec<bool>, Sums) {
        let mut below = vec![false; walk.parent.len()];
        let (mut stack, mut sums) = (vec![top], Sums::default());
        while let Some(i) = stack.pop() {
            below[i] = true;
            sums.size += 1;
            stack.extend(walk.below(i));
            if i != top {
                sums = sums.with_link(self.power(walk.up[i]));
            }
        }
        (below, sums)
    }

    /// Where the walk steps to from a part of a cluster, and how near the clusters are.
    fn near(&self, class: usize, part: &[usize]) -> Near {
        let inside = |j: usize| self.labels[j] == class && part.binary_search(&j).is_ok();
        let n_classes = self.classes.len();
        let mut near = Near {
            inside: 0.0,
            touching: 0.0,
            to: vec![0.0; n_classes],
            nearest: vec![f64::INFINITY; n_classes],
        };
        for &i in part {
            for &j in &self.steps[i] {
                near.touching += 1.0;
                *if inside(j) { &mut near.inside } else { &mut near.to[self.labels[j]] } += 1.0;
            }
            for (j, length) in self.problem.context.neighbours.of(i) {
                let nearest = &mut near.nearest[self.labels[j]];
                *nearest = nearest.min(length);
            }
        }
        near
    }

    /// Adds the moves of one part; returns the split.
    fn of_part(&self, class: usize, part: Part, moves: &mut Vec<Move>) -> Move {
        let Part { points, sums, cut } = part;
        let Near { inside, touching, to, nearest } = self.near(class, &points);
        let sums = Sums { inside, touching, ..sums };
        let left = self.classes[class].without_link(cut).minus(sums, to[class]);
        let known = self.value(left) - self.value(self.classes[class]);
        for into in (0..self.classes.len()).filter(|&into| into != class && nearest[into].is_finite()) {
            let joined = self.classes[into].plus(sums, to[into]).with_link(self.power(nearest[into]));
            let gain = known + self.value(joined) - self.value(self.classes[into]);
            moves.push(Move { part: points.clone(), into, merged: None, gain });
        }
        Move { part: points, into: class, merged: None, gain: known + self.value(sums) }
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
