//! An answer as the page shows it: clusters under numbers that stay with their items.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use similis::evaluate::adjusted_rand_index;
use similis::latent_graph::{Levels, NumberScore};
use similis::{Dissimilarity, Error, Labels, LatentGraph, Silent};

use super::choices::Choices;
use super::corrections::Said;
use super::data::Data;
use super::matching::shown_numbers;
use crate::answer::{Answer, proposal_name};
use crate::study::{PictureKind, Study};

/// Maximum number of runners-up that are offered. Not tuned.
const MOST_RIVALS: usize = 8;

/// Number of clusters of the finest level that is offered, where the answer has fewer. Not tuned.
const MOST_LEVELS: usize = 50;

/// Maximum number of items whose links are weighed: the work grows with the cube of a cluster's size. Not tuned.
const MOST_LIKELY: usize = 3_000;

/// Links less probable than this are not drawn. Not tuned.
const LEAST_LIKELY: f64 = 0.02;

/// An answer, what it was asked for, and how it is shown.
#[derive(Debug)]
pub(super) struct Shown {
    /// Counts the answers of a session.
    pub(super) number: u64,
    /// What was clustered: all items, or those that were kept.
    pub(super) pairs: Arc<Dissimilarity<'static>>,
    pub(super) kept: Vec<usize>,
    pub(super) answer: Answer,
    pub(super) choices: Choices,
    pub(super) said: Said,
    pub(super) seconds: f64,
    /// The number that each cluster is shown by.
    pub(super) numbers: Vec<usize>,
    /// The number of each item's cluster; none of noise and of what was left out.
    pub(super) labels: Vec<Option<usize>>,
    unsure: OnceLock<Vec<usize>>,
    levels: OnceLock<Result<Levels, Error>>,
}

/// What was fitted.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) pairs: Arc<Dissimilarity<'static>>,
    pub(super) kept: Vec<usize>,
    pub(super) answer: Answer,
    pub(super) choices: Choices,
    pub(super) said: Said,
    pub(super) seconds: f64,
}

impl Shown {
    /// Returns the answer of `n_items` items, its clusters numbered as `before` as far as they share items.
    pub(super) fn new(fitted: Fitted, number: u64, n_items: usize, before: &[Option<usize>]) -> Self {
        let Fitted { pairs, kept, answer, choices, said, seconds } = fitted;
        let own = spread(&answer.labels_or_noise(), &kept, n_items);
        let numbers = shown_numbers(before, &own, answer.labels().n_clusters());
        let labels = own.iter().map(|label| label.map(|label| numbers[label])).collect();
        let (unsure, levels) = (OnceLock::new(), OnceLock::new());
        Self { number, pairs, kept, answer, choices, said, seconds, numbers, labels, unsure, levels }
    }

    /// The answer with all that its pictures need.
    pub(super) fn study<'a>(&'a self, data: &'a Data) -> Result<Study<'a>, Error> {
        let mut study = Study::new(&data.name, &self.pairs, &self.answer)?;
        data.dress(&mut study, self.kept.len() == data.n_items());
        Ok(study)
    }

    /// A picture, if this answer has it.
    pub(super) fn picture(&self, data: &Data, kind: PictureKind) -> Result<Option<String>, Error> {
        self.study(data)?.picture(kind)
    }

    /// The items whose cluster is in doubt, found once.
    pub(super) fn unsure(&self, data: &Data) -> &[usize] {
        self.unsure.get_or_init(|| {
            let rows = self.study(data).map(|study| study.unsure()).unwrap_or_default();
            rows.into_iter().map(|row| self.kept[row]).collect()
        })
    }

    /// Coarser and finer partitions, found once: the length of the JSON and the JSON, then the part of each item in the finest.
    pub(super) fn levels(&self) -> Result<Vec<u8>, Error> {
        let levels = self.found_levels()?;
        let (finest, head) = self.described_levels(levels)?;
        Ok(packed(&head, &[&labels(&finest)]))
    }

    /// The same for a page without a server; nothing where there are none.
    pub(super) fn kept_levels(&self) -> Option<Value> {
        let (finest, mut head) = self.described_levels(self.found_levels().ok()?).ok()?;
        head["finest"] = json!(labels(&finest));
        Some(head)
    }

    fn found_levels(&self) -> Result<&Levels, Error> {
        let found = self.levels.get_or_init(|| {
            let model = match &self.answer {
                Answer::Graph(model, _) => *model,
                Answer::Feature(..) => LatentGraph::default(),
            };
            let finest = MOST_LEVELS.max(self.answer.labels().n_clusters());
            model.levels(&self.pairs, self.answer.labels(), finest.min(self.kept.len()), &Silent)
        });
        found.as_ref().map_err(Clone::clone)
    }

    /// The part of each item in the finest level, none of noise, and what joins the parts.
    fn described_levels(&self, levels: &Levels) -> Result<(Vec<Option<usize>>, Value), Error> {
        let finest = levels.labels(levels.n_finest())?;
        let rows: Vec<Option<usize>> = finest.as_slice().iter().copied().map(Some).collect();
        let own = spread(&rows, &self.kept, self.labels.len());
        let finest = own.iter().zip(&self.labels).map(|(part, label)| label.and(*part)).collect();
        let head = json!({
            "n_given": levels.n_given(),
            "n_finest": levels.n_finest(),
            "scores": levels.levels().iter().map(|level| level.score).collect::<Vec<_>>(),
            "mergers": levels.mergers().iter().map(|merger| merger.clusters).collect::<Vec<_>>(),
        });
        Ok((finest, head))
    }

    /// How probable links are, where the answer has trees: the length of the JSON and the JSON, pairs of items, the most probable
    /// first, then a probability of each in thousandths.
    pub(super) fn likely_links(&self) -> Result<Option<Vec<u8>>, Error> {
        let Answer::Graph(model, fit) = &self.answer else { return Ok(None) };
        if self.kept.len() > MOST_LIKELY {
            return Ok(None);
        }
        let mut links = model.edge_probabilities(&self.pairs, fit, LEAST_LIKELY, &Silent)?;
        links.sort_by(|a, b| {
            b.probability.total_cmp(&a.probability).then((a.from, a.to).cmp(&(b.from, b.to)))
        });
        let ends = links.iter().flat_map(|link| [self.kept[link.from] as i32, self.kept[link.to] as i32]);
        let probable = links.iter().map(|link| (1000.0 * link.probability).round() as i32);
        let head = json!({"n_links": links.len()});
        Ok(Some(packed(&head, &[&ends.collect::<Vec<_>>(), &probable.collect::<Vec<_>>()])))
    }

    /// Another partition of the same items, numbered as this one.
    pub(super) fn renumbered(&self, other: &Labels) -> Vec<Option<usize>> {
        let rows: Vec<Option<usize>> = other.as_slice().iter().copied().map(Some).collect();
        let own = spread(&rows, &self.kept, self.labels.len());
        let numbers = shown_numbers(&self.labels, &own, other.n_clusters());
        own.into_iter().map(|label| label.map(|label| numbers[label])).collect()
    }

    /// Other partitions that were considered, best first, each unlike those before it.
    pub(super) fn rivals(&self) -> Vec<Rival<'_>> {
        let Answer::Graph(_, fit) = &self.answer else { return Vec::new() };
        let Some((best, others)) = fit.proposals.split_first() else { return Vec::new() };
        let mut rivals: Vec<Rival<'_>> = Vec::new();
        for other in others.iter().filter(|other| other.score.total().is_finite()) {
            let agreement = adjusted_rand_index(self.answer.labels(), &other.labels).unwrap_or(0.0);
            let known = agreement > 0.999 || rivals.iter().any(|rival| rival.labels == &other.labels);
            if !known && rivals.len() < MOST_RIVALS && other.labels.n_points() == self.kept.len() {
                let behind = best.score.total() - other.score.total();
                rivals.push(Rival { name: proposal_name(other), behind, agreement, labels: &other.labels });
            }
        }
        rivals
    }

    /// Everything about the answer but its labels and links, as JSON.
    pub(super) fn json(&self, data: &Data) -> Result<Value, Error> {
        let study = self.study(data)?;
        let n = study.answer.labels().n_clusters();
        let (mut clusters, sizes) = (Vec::new(), study.answer.sizes());
        for label in 0..n {
            let medoid = self.kept[study.medoids[label].point];
            clusters.push(json!({
                "number": self.numbers[label],
                "name": self.name_of(label),
                "size": sizes[label],
                "scale": study.answer.scales().get(label),
                "medoid": medoid,
                "medoid_name": data.item(medoid),
            }));
        }
        let warnings: Vec<String> = data.observed.notes.iter().cloned().chain(study.warnings()).collect();
        Ok(json!({
            "number": self.number,
            "model": study.answer.model(),
            "clusters": clusters,
            "n_noise": self.labels.iter().filter(|label| label.is_none()).count(),
            "numbers": self.number_scores(),
            "rivals": self.rivals().iter().map(Rival::json).collect::<Vec<_>>(),
            "lines": study.answer.lines(),
            "warnings": warnings,
            "ended": study.ended,
            "cut_short": study.answer.ended() == similis::Termination::Cancelled,
            "seconds": self.seconds,
            "choices": self.choices.json(),
        }))
    }

    /// The known label of a cluster's items, where they have one.
    fn name_of(&self, cluster: usize) -> Option<&String> {
        let own = self.answer.labels().as_slice();
        let mut known = self.said.labels.iter();
        known.find_map(|(item, name)| {
            let row = self.kept.binary_search(item).ok()?;
            (own[row] == cluster).then_some(name)
        })
    }

    fn number_scores(&self) -> Value {
        let Answer::Graph(_, fit) = &self.answer else { return json!([]) };
        let row = |row: &NumberScore| json!([row.n_clusters, row.total(), row.probability, row.searched]);
        fit.numbers.iter().map(row).collect()
    }

    /// The answer as bytes: the length of the JSON and the JSON, filled up to four bytes, a label of each item, then links.
    pub(super) fn bytes(&self, data: &Data) -> Result<Vec<u8>, Error> {
        let links = self.study(data)?.shown_links();
        let mut head = self.json(data)?;
        head["n_links"] = json!(links.len());
        let ends = links.iter().flat_map(|link| [self.kept[link.from], self.kept[link.to]]);
        Ok(packed(&head, &[&labels(&self.labels), &ends.map(|end| end as i32).collect::<Vec<_>>()]))
    }
}

/// Another partition that was considered.
pub(super) struct Rival<'a> {
    name: String,
    behind: f64,
    agreement: f64,
    pub(super) labels: &'a Labels,
}

impl Rival<'_> {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "behind": self.behind,
            "agreement": self.agreement,
            "n_clusters": self.labels.n_clusters(),
        })
    }
}

/// Labels of rows as labels of all items.
fn spread(rows: &[Option<usize>], kept: &[usize], n_items: usize) -> Vec<Option<usize>> {
    let mut labels = vec![None; n_items];
    kept.iter().zip(rows).for_each(|(&item, &label)| labels[item] = label);
    labels
}

/// Labels as numbers, -1 for none.
pub(super) fn labels(labels: &[Option<usize>]) -> Vec<i32> {
    labels.iter().map(|label| label.map_or(-1, |label| label as i32)).collect()
}

/// JSON and arrays of numbers as bytes.
pub(super) fn packed(head: &Value, arrays: &[&[i32]]) -> Vec<u8> {
    let mut text = head.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.append(&mut text);
    arrays.iter().for_each(|array| bytes.extend(array.iter().flat_map(|number| number.to_le_bytes())));
    bytes
}
