//! The clusters of a level: what each adds to the score, and how they lie to each other.

use std::collections::BTreeMap;

use crate::graph::link::Link;
use crate::latent_graph::context::Context;
use crate::latent_graph::given::levels::cuts::cuts;
use crate::latent_graph::search::number::NumberScorer;
use crate::latent_graph::search::score::{ClassEvidence, members};
use crate::latent_graph::search::starts::linkage::{Balance, Part, PartJoint};
use crate::run::parallel;

/// Number of pairs of clusters whose merger is scored in full, of those that cost the least by one scale for each. Not tuned.
const N_COMPARED: usize = 3;

/// A cluster of the level.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// Its points, in rising order.
    members: Vec<usize>,
    tree: Vec<Link>,
    evidence: ClassEvidence,
    /// Size and total length, by which mergers are compared first.
    part: Part,
    split: BestSplit,
}

/// The best split of a cluster, once it was looked for.
#[derive(Clone, Debug)]
enum BestSplit {
    Unknown,
    /// It cannot be split.
    Nothing,
    Found(Split),
}

/// The points of the second part, and what the score gains.
#[derive(Clone, Debug)]
struct Split {
    second: Vec<usize>,
    gain: f64,
}

/// What the score adds up: evidences, and the steps of the walk between clusters.
#[derive(Clone, Debug)]
pub(super) struct Clusters<'a> {
    scorer: &'a NumberScorer<'a>,
    context: &'a Context<'a>,
    /// The clusters; `None` once one was merged into another.
    by_number: Vec<Option<Cluster>>,
    labels: Vec<usize>,
    /// The steps that the walk may take between the points of two clusters, the lower number first, or inside one.
    steps: BTreeMap<(usize, usize), f64>,
    joint: std::sync::Arc<PartJoint>,
    /// The points that the walk steps to or comes from, of each point.
    near: std::sync::Arc<Vec<Vec<u32>>>,
    score: f64,
}

impl<'a> Clusters<'a> {
    pub(super) fn new(scorer: &'a NumberScorer<'a>, context: &'a Context<'a>, labels: &[usize]) -> Self {
        let n = labels.len();
        let mut near = vec![Vec::new(); n];
        for i in 0..n {
            for j in scorer.scorer().walked(i) {
                near[i].push(j as u32);
                near[j].push(i as u32);
            }
        }
        let log_join = context.log_join(1.0) - context.mean_link.ln();
        let joint =
            PartJoint::new(context.mean_link, context.floor(), Balance::Dirichlet, n).joining(log_join);
        let mut found = Self {
            scorer,
            context,
            by_number: Vec::new(),
            labels: labels.to_vec(),
            steps: BTreeMap::new(),
            joint: joint.into(),
            near: near.into(),
            score: 0.0,
        };
        let members = members(labels);
        let trees = scorer.scorer().trees();
        found.by_number = parallel::map(members.len(), |at| {
            Some(found.cluster(members[at].clone(), trees.of(&members[at])))
        });
        found.steps = found.steps_of(0..n, |i| labels[i]);
        found.score = found.total();
        found
    }

    /// Number of clusters.
    pub(super) fn len(&self) -> usize {
        self.by_number.iter().flatten().count()
    }

    pub(super) fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The score of the level.
    pub(super) fn score(&self) -> f64 {
        self.score
    }

    fn cluster(&self, members: Vec<usize>, tree: Vec<Link>) -> Cluster {
        let evidence = self.scorer.scorer().class(&members, || Some(tree.clone()));
        let finite = tree.iter().map(|link| link.length).filter(|length| length.is_finite());
        let length = finite.clone().map(|length| length.max(self.joint.floor)).sum();
        let part = Part { size: members.len(), length, n_joins: tree.len() - finite.count() };
        Cluster { members, tree, evidence, part, split: BestSplit::Unknown }
    }

    /// The steps of the walk from or to some points, each counted once, between clusters.
    fn steps_of(
        &self,
        points: impl Iterator<Item = usize>,
        label: impl Fn(usize) -> usize,
    ) -> BTreeMap<(usize, usize), f64> {
        let mut steps = BTreeMap::new();
        // Consecutive steps are mostly inside one cluster: they are added up before they are looked up.
        let (mut last, mut sum) = ((usize::MAX, usize::MAX), 0.0);
        let mut enter = |pair: (usize, usize), sum: f64| {
            if sum > 0.0 {
                *steps.entry(pair).or_insert(0.0) += sum;
            }
        };
        for i in points {
            let own = label(i);
            for &j in &self.near[i] {
                let other = label(j as usize);
                let pair = (own.min(other), own.max(other));
                if pair != last {
                    enter(last, sum);
                    (last, sum) = (pair, 0.0);
                }
                // Inside a cluster every step is met from both of its ends.
                sum += if own == other { 0.5 } else { 1.0 };
            }
        }
        enter(last, sum);
        steps
    }

    fn total(&self) -> f64 {
        let all: Vec<(usize, &Cluster)> = self.numbered().collect();
        self.total_of(&all, &self.steps, |i| self.labels[i])
    }

    /// The clusters that are left, with their numbers.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Cluster)> {
        let own = |(at, cluster): (usize, &'_ Option<Cluster>)| cluster.as_ref().map(|_| at);
        self.by_number
            .iter()
            .enumerate()
            .filter_map(own)
            .filter_map(|at| Some((at, self.by_number[at].as_ref()?)))
    }

    /// The score of clusters with these numbers, given the steps of the walk between them and the cluster of each point.
    fn total_of(
        &self,
        clusters: &[(usize, &Cluster)],
        steps: &BTreeMap<(usize, usize), f64>,
        label: impl Fn(usize) -> usize,
    ) -> f64 {
        let mut touching: BTreeMap<usize, f64> = BTreeMap::new();
        for (&(a, b), &n) in steps {
            *touching.entry(a).or_insert(0.0) += n;
            *touching.entry(b).or_insert(0.0) += n;
        }
        let leaves = |&(at, _): &(usize, &Cluster)| {
            let inside = 2.0 * steps.get(&(at, at)).copied().unwrap_or(0.0);
            touching.get(&at).map_or(0.0, |all| 1.0 - inside / all)
        };
        let sizes: Vec<usize> = clusters.iter().map(|(_, cluster)| cluster.members.len()).collect();
        let evidences: Vec<&ClassEvidence> = clusters.iter().map(|(_, cluster)| &cluster.evidence).collect();
        let row = self.scorer.sum(&sizes, &evidences, clusters.iter().map(leaves).sum());
        row.total() + self.scorer.scorer().valleys(label)
    }
}

/// Splits.
impl Clusters<'_> {
    /// Splits the cluster that gains the most, or loses the least; returns the number of what stays of it, and of what leaves.
    /// Nothing where no cluster can be split.
    pub(super) fn split(&mut self) -> Option<[usize; 2]> {
        let unknown: Vec<usize> = self
            .numbered()
            .filter(|(_, cluster)| matches!(cluster.split, BestSplit::Unknown))
            .map(|(at, _)| at)
            .collect();
        let found = parallel::map(unknown.len(), |at| self.best_split(unknown[at]));
        for (at, split) in unknown.into_iter().zip(found) {
            if let Some(cluster) = &mut self.by_number[at] {
                cluster.split = split.map_or(BestSplit::Nothing, BestSplit::Found);
            }
        }
        let gain = |cluster: &Cluster| match &cluster.split {
            BestSplit::Found(split) => Some(split.gain),
            _ => None,
        };
        let gains = self.numbered().filter_map(|(at, cluster)| Some((at, gain(cluster)?)));
        let (at, _) = gains.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
        let split = std::mem::replace(&mut self.by_number[at].as_mut()?.split, BestSplit::Unknown);
        let BestSplit::Found(Split { second, .. }) = split else { return None };
        let [first, second] = self.halves(at, second)?;
        let new = self.by_number.len();
        second.members.iter().for_each(|&i| self.labels[i] = new);
        self.steps = self.steps_after(at, &first, &second);
        self.by_number[at] = Some(first);
        self.by_number.push(Some(second));
        self.score = self.total();
        Some([at, new])
    }

    /// The two parts of a cluster, the second being these points.
    fn halves(&self, at: usize, second: Vec<usize>) -> Option<[Cluster; 2]> {
        let whole = self.by_number[at].as_ref()?;
        let inside = |i: usize| second.binary_search(&i).is_ok();
        let first: Vec<usize> = whole.members.iter().copied().filter(|&i| !inside(i)).collect();
        let trees = self.scorer.scorer().trees();
        let tree = |members: &[usize], is_second: bool| {
            let links = whole.tree.iter().filter(|link| link.length.is_finite());
            let own: Vec<Link> = links
                .filter(|link| inside(link.from) == is_second && inside(link.to) == is_second)
                .copied()
                .collect();
            trees.grown(members, own, |i| members.binary_search(&i).ok())
        };
        let trees = [tree(&first, false), tree(&second, true)];
        let [tree, other] = trees;
        Some([self.cluster(first, tree), self.cluster(second, other)])
    }

    /// The steps of the walk once a cluster is split in two, the second of which has the next number.
    fn steps_after(&self, at: usize, first: &Cluster, second: &Cluster) -> BTreeMap<(usize, usize), f64> {
        let new = self.by_number.len();
        let mut is_second = vec![false; self.labels.len()];
        second.members.iter().for_each(|&i| is_second[i] = true);
        let label = |i: usize| if is_second[i] { new } else { self.labels[i] };
        let mut steps = self.steps.clone();
        steps.retain(|&(a, b), _| a != at && b != at);
        let mut own = self.steps_of(first.members.iter().chain(&second.members).copied(), label);
        // Steps between the two parts are met from both ends.
        if let Some(between) = own.get_mut(&(at, new)) {
            *between *= 0.5;
        }
        steps.append(&mut own);
        steps
    }

    /// The split of a cluster that gains the most.
    fn best_split(&self, at: usize) -> Option<Split> {
        let cluster = self.by_number[at].as_ref()?;
        let new = self.by_number.len();
        let split = |second: Vec<usize>| {
            let [first, other] = self.halves(at, second.clone())?;
            let steps = self.steps_after(at, &first, &other);
            let mut all: Vec<(usize, &Cluster)> = self.numbered().filter(|&(own, _)| own != at).collect();
            all.extend([(at, &first), (new, &other)]);
            let is_second = |i: usize| second.binary_search(&i).is_ok();
            let label = |i: usize| if self.labels[i] == at && is_second(i) { new } else { self.labels[i] };
            let gain = self.total_of(&all, &steps, label) - self.score;
            Some(Split { second, gain })
        };
        let found = cuts(self.context, &cluster.members, &cluster.tree).into_iter().filter_map(split);
        found.reduce(|best, other| if other.gain > best.gain { other } else { best })
    }
}

/// Mergers.
impl Clusters<'_> {
    /// Merges the two clusters that lose the least; returns the number of the one that stays, and of the other. Nothing where
    /// one is left.
    pub(super) fn merge(&mut self) -> Option<[usize; 2]> {
        let mut pairs: Vec<(f64, [usize; 2])> = self
            .neighbours()
            .into_iter()
            .map(|(pair, length)| (self.rough_gain(pair, length), pair))
            .collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        pairs.truncate(N_COMPARED);
        let merged = parallel::map(pairs.len(), |at| {
            let [stays, goes] = pairs[at].1;
            let merged = self.union(stays, goes)?;
            Some((self.total_after(stays, goes, &merged), merged))
        });
        let found = merged.into_iter().zip(&pairs).filter_map(|(found, &(_, pair))| Some((found?, pair)));
        let ((score, merged), [stays, goes]) =
            found.reduce(|best, other| if other.0.0 > best.0.0 { other } else { best })?;
        merged.members.iter().for_each(|&i| self.labels[i] = stays);
        self.steps = renamed(&self.steps, goes, stays);
        self.by_number[stays] = Some(merged);
        self.by_number[goes] = None;
        self.score = score;
        Some([stays, goes])
    }

    /// The pairs of clusters that lie next to each other, the lower number first, with the shortest link between them: those that
    /// the walk steps between, and those that the minimum spanning tree links.
    fn neighbours(&self) -> BTreeMap<[usize; 2], f64> {
        let mut pairs: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        let mut add = |from: usize, to: usize, length: f64| {
            let (a, b) = (self.labels[from], self.labels[to]);
            if a != b {
                let shortest = pairs.entry([a.min(b), a.max(b)]).or_insert(f64::INFINITY);
                *shortest = shortest.min(if length.is_nan() { f64::INFINITY } else { length });
            }
        };
        self.context.tree.iter().for_each(|link| add(link.from, link.to, link.length));
        for from in 0..self.labels.len() {
            self.context.neighbours.of(from).for_each(|(to, length)| add(from, to, length));
        }
        pairs
    }

    /// What a merger gains with one scale for each cluster, of the links alone; valleys and the walk as they are.
    fn rough_gain(&self, [a, b]: [usize; 2], length: f64) -> f64 {
        let part = |at: usize| self.by_number[at].as_ref().map(|cluster| cluster.part);
        let (Some(first), Some(second)) = (part(a), part(b)) else { return f64::NEG_INFINITY };
        let links = self.joint.gain(first, second, length);
        let label = |i: usize| if self.labels[i] == b { a } else { self.labels[i] };
        links + self.scorer.scorer().valleys(label)
    }

    fn union(&self, a: usize, b: usize) -> Option<Cluster> {
        let (first, second) = (self.by_number[a].as_ref()?, self.by_number[b].as_ref()?);
        let mut members = [&first.members[..], &second.members[..]].concat();
        members.sort_unstable();
        let tree = self.scorer.scorer().trees().of(&members);
        Some(self.cluster(members, tree))
    }

    fn total_after(&self, stays: usize, goes: usize, merged: &Cluster) -> f64 {
        let mut all: Vec<(usize, &Cluster)> =
            self.numbered().filter(|&(at, _)| at != stays && at != goes).collect();
        all.push((stays, merged));
        let label = |i: usize| if self.labels[i] == goes { stays } else { self.labels[i] };
        self.total_of(&all, &renamed(&self.steps, goes, stays), label)
    }
}

/// Steps of the walk where one cluster has become part of another.
fn renamed(steps: &BTreeMap<(usize, usize), f64>, from: usize, to: usize) -> BTreeMap<(usize, usize), f64> {
    let name = |at: usize| if at == from { to } else { at };
    let mut renamed = BTreeMap::new();
    for (&(a, b), &n) in steps {
        let (a, b) = (name(a), name(b));
        *renamed.entry((a.min(b), a.max(b))).or_insert(0.0) += n;
    }
    renamed
}
