//! Which pair of items is best asked about: "do these two share a cluster?"
//!
//! The partitions that the search considered stand for what is in doubt, each weighted by its score. Items that all of them put
//! together form a cell. Of two cells the answer "together" or "apart" settles all pairs between them, so the question about the
//! medoids of two cells is worth the number of these pairs times the variance of the answer. So is the question about an item in doubt
//! and the medoid of its cluster, by the leave-one-out probability of the item's membership.

use std::collections::BTreeMap;

use similis::evaluate::medoids;
use similis::{Dissimilarity, Error, Labels, Predictor, SideInformation};

use crate::answer::Answer;

/// A difference of scores, in nats, that makes a partition less likely by a factor of e. Scores are too sure of themselves by about
/// this much. Not tuned.
const TEMPERATURE: f64 = 20.0;

/// Maximum number of partitions that are compared. Not tuned.
const MOST_PARTITIONS: usize = 30;

/// Maximum number of cells whose pairs are compared: the largest. Not tuned.
const MOST_CELLS: usize = 60;

/// The doubt that is left where all partitions agree: the search may have missed the right one. Not tuned.
const LEAST_DOUBT: f64 = 0.0005;

/// Maximum number of items whose memberships are computed for a question: of 5,000 they take a second. Not tuned.
const MOST_ITEMS: usize = 5_000;

/// A pair to ask about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The item with the lower number.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// How probable it is that they share a cluster, by the partitions that were considered.
    pub together: f64,
    /// The number of pairs that the answer is likely to settle.
    pub n_pairs: usize,
}

/// Returns the pair whose answer is worth most, or `None` if everything that could be asked is known.
///
/// # Errors
///
/// Those of [`medoids`].
pub fn question(
    pairs: &Dissimilarity<'_>,
    answer: &Answer,
    side: &SideInformation,
) -> Result<Option<Question>, Error> {
    let known = Known::new(pairs.n_points(), side);
    let all = between_cells(pairs, answer)?.into_iter().chain(of_items(pairs, answer)?);
    let open = all.filter(|question| !known.settles(question.first, question.second));
    Ok(open.reduce(|best, next| if next.worth() > best.worth() { next } else { best }))
}

impl Question {
    fn new(i: usize, j: usize, together: f64, n_pairs: usize) -> Self {
        Self { first: i.min(j), second: i.max(j), together, n_pairs }
    }

    /// The number of pairs that it settles, times the variance of the answer.
    fn worth(&self) -> f64 {
        (self.together * (1.0 - self.together) + LEAST_DOUBT) * self.n_pairs as f64
    }
}

/// Questions about the medoids of two cells.
fn between_cells(pairs: &Dissimilarity<'_>, answer: &Answer) -> Result<Vec<Question>, Error> {
    let partitions = partitions(answer);
    let cells = Cells::new(&partitions, pairs)?.0;
    let question = |a: &Cell, b: &Cell| {
        let same = a.labels.iter().zip(&b.labels).map(|(a, b)| a == b);
        let weights = partitions.iter().zip(same).filter(|(_, same)| *same).map(|(one, _)| one.weight);
        Question::new(a.medoid, b.medoid, weights.sum(), a.size * b.size)
    };
    let before = |at: usize| cells[..at].iter().map(move |b| (at, b));
    Ok((0..cells.len()).flat_map(before).map(|(at, b)| question(&cells[at], b)).collect())
}

/// Questions about one item and the medoid of its cluster, by the leave-one-out probability that it belongs there; none of similarities,
/// which nothing is predicted from, and of many items.
fn of_items(pairs: &Dissimilarity<'_>, answer: &Answer) -> Result<Vec<Question>, Error> {
    if pairs.n_points() > MOST_ITEMS {
        return Ok(Vec::new());
    }
    let found = answer.predictor(pairs).and_then(Predictor::try_from);
    let Ok(found) = found.and_then(|predictor| predictor.memberships(pairs)) else { return Ok(Vec::new()) };
    let (labels, sizes) = (answer.labels_or_noise(), answer.sizes());
    let medoids = medoids(pairs, answer.labels(), answer.noise())?;
    let own = |i: usize| {
        let label = labels[i].filter(|&label| medoids[label].point != i)?;
        Some(Question::new(i, medoids[label].point, found.row(i)[label], sizes[label]))
    };
    Ok((0..labels.len()).filter_map(own).collect())
}

/// A partition that was considered, and how probable it is.
struct Weighted {
    labels: Labels,
    weight: f64,
}

/// The answer and the other partitions that were considered, weights summing to 1.
fn partitions(answer: &Answer) -> Vec<Weighted> {
    let mut all = vec![Weighted { labels: answer.labels().clone(), weight: 1.0 }];
    let n_items = answer.labels().n_points();
    if let Answer::Graph(_, fit) = answer {
        let best = fit.proposals.first().map_or(0.0, |first| first.score.total());
        for proposal in fit.proposals.iter().filter(|proposal| proposal.labels.n_points() == n_items) {
            let weight = ((proposal.score.total() - best) / TEMPERATURE).exp().min(1.0);
            all.push(Weighted { labels: proposal.labels.clone(), weight });
        }
        let likeliest = fit.numbers.iter().map(|row| row.probability).fold(f64::MIN_POSITIVE, f64::max);
        for row in &fit.numbers {
            all.push(Weighted { labels: row.labels(), weight: row.probability / likeliest });
        }
    }
    all.retain(|one| one.weight.is_finite() && one.labels.n_points() == n_items);
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut distinct: Vec<Weighted> = Vec::new();
    for one in all {
        if distinct.len() < MOST_PARTITIONS && distinct.iter().all(|other| other.labels != one.labels) {
            distinct.push(one);
        }
    }
    let sum: f64 = distinct.iter().map(|one| one.weight).sum();
    distinct.iter_mut().for_each(|one| one.weight /= sum);
    distinct
}

/// Items that every partition puts together.
struct Cell {
    /// The cluster in each partition.
    labels: Vec<usize>,
    size: usize,
    medoid: usize,
}

/// The largest cells.
struct Cells(Vec<Cell>);

impl Cells {
    fn new(partitions: &[Weighted], pairs: &Dissimilarity<'_>) -> Result<Self, Error> {
        let of_item =
            |i: usize| partitions.iter().map(|one| one.labels.as_slice()[i]).collect::<Vec<usize>>();
        let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let own: Vec<usize> = (0..pairs.n_points())
            .map(|i| {
                let next = numbers.len();
                *numbers.entry(of_item(i)).or_insert(next)
            })
            .collect();
        // Numbered in the order of the items, as labels are.
        let labels = Labels::new(&own);
        let (sizes, medoids) = (labels.sizes(), medoids(pairs, &labels, &[])?);
        let mut cells: Vec<Cell> = numbers
            .into_iter()
            .map(|(labels, number)| Cell { labels, size: sizes[number], medoid: medoids[number].point })
            .collect();
        cells.sort_by_key(|cell| (std::cmp::Reverse(cell.size), cell.medoid));
        cells.truncate(MOST_CELLS);
        Ok(Self(cells))
    }
}

/// What pairs and labels say already.
struct Known {
    group: Vec<usize>,
    apart: Vec<(usize, usize)>,
    label: Vec<Option<usize>>,
}

impl Known {
    fn new(n_items: usize, side: &SideInformation) -> Self {
        let mut group: Vec<usize> = (0..n_items).collect();
        let label = |i: usize| side.known_labels.get(i).copied().flatten();
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        let by_label = (0..n_items).filter_map(|i| Some((*first.entry(label(i)?).or_insert(i), i)));
        let links: Vec<(usize, usize)> = by_label.chain(side.must_link.iter().copied()).collect();
        for (i, j) in links {
            let (a, b) = (root(&group, i), root(&group, j));
            group[a.max(b)] = a.min(b);
        }
        let group: Vec<usize> = (0..n_items).map(|i| root(&group, i)).collect();
        let mut labels = vec![None; n_items];
        (0..n_items).for_each(|i| labels[group[i]] = label(i).or(labels[group[i]]));
        let apart = side.cannot_link.iter().map(|&(i, j)| (group[i], group[j])).collect();
        Self { apart, label: labels, group }
    }

    /// Whether it follows whether two items share a cluster.
    fn settles(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.group[i], self.group[j]);
        let labelled = self.label[a].is_some() && self.label[b].is_some();
        a == b || labelled || self.apart.iter().any(|&pair| pair == (a, b) || pair == (b, a))
    }
}

fn root(group: &[usize], mut i: usize) -> usize {
    while group[i] != i {
        i = group[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use similis::{LatentGraph, Metric, NClusters, Points};

    use super::*;

    fn fitted(places: &[f64], n_clusters: NClusters) -> (Dissimilarity<'static>, Answer) {
        let points = Points::new(places.to_vec(), places.len(), 1).unwrap();
        let pairs = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let model = LatentGraph { n_clusters, ..LatentGraph::default() };
        let fit = model.fit(&pairs, &[]).unwrap();
        (pairs, Answer::Graph(model, Box::new(fit)))
    }

    #[test]
    fn what_is_known_is_not_asked_and_the_questions_come_to_an_end() {
        let places: Vec<f64> = (0..30).map(|i| f64::from(i) + 30.0 * f64::from(i / 10)).collect();
        let (pairs, answer) = fitted(&places, NClusters::Exactly(3));
        let mut side = SideInformation::default();
        let mut asked = Vec::new();
        while let Some(Question { first, second, .. }) = question(&pairs, &answer, &side).unwrap() {
            assert!(first < second && !asked.contains(&(first, second)));
            asked.push((first, second));
            let known = if first / 10 == second / 10 { &mut side.must_link } else { &mut side.cannot_link };
            known.push((first, second));
            assert!(asked.len() < 500);
        }
        assert!(asked.len() >= 3, "{asked:?}");
    }

    #[test]
    fn chains_and_labels_settle_pairs() {
        let side = SideInformation {
            known_labels: vec![Some(4), None, None, Some(4), Some(5), None],
            must_link: vec![(0, 1), (1, 2)],
            cannot_link: vec![(2, 5)],
            ..SideInformation::default()
        };
        let known = Known::new(6, &side);
        for (i, j) in [(0, 2), (2, 3), (1, 4), (3, 5)] {
            assert!(known.settles(i, j), "{i} {j}");
        }
        assert!(!known.settles(4, 5));
    }
}
