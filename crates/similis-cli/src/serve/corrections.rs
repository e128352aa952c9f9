//! What a person says of the answer: labels, pairs, items to leave out; undone and done again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use similis::SideInformation;

/// One thing that was said. Items are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Correction {
    /// These items have this label; none takes the label away.
    Label(Vec<usize>, Option<String>),
    /// All these share a cluster.
    Together(Vec<usize>),
    /// No two of these share a cluster.
    Apart(Vec<usize>),
    /// The first are one cluster's, and none of the others shares it.
    SplitOff(Vec<usize>, Vec<usize>),
    /// These belong to no cluster: the fit leaves them out.
    Noise(Vec<usize>),
    /// Only these are clustered; without items, all are again.
    Only(Vec<usize>),
    /// All that is known of labels and pairs, in place of what was known; what is not named stays.
    Replace(Known),
}

/// Labels and pairs of items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    labels: Option<Vec<(usize, String)>>,
    must_link: Option<Vec<(usize, usize)>>,
    cannot_link: Option<Vec<(usize, usize)>>,
}

impl Known {
    fn json(&self) -> Value {
        json!({"kind": "replace", "labels": self.labels, "must_link": self.must_link, "cannot_link": self.cannot_link})
    }

    fn read(value: &Value, n_items: usize) -> Result<Self, String> {
        let listed = |name: &str| value[name].as_array();
        let labels = listed("labels").map(|rows| rows.iter().map(|row| labelled(row, n_items)).collect());
        let pairs = |name: &str| listed(name).map(|rows| rows.iter().map(|row| pair(row, n_items)).collect());
        Ok(Self {
            labels: labels.transpose()?,
            must_link: pairs("must_link").transpose()?,
            cannot_link: pairs("cannot_link").transpose()?,
        })
    }
}

impl Correction {
    /// The correction as it is saved.
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Label(items, label) => json!({"kind": "label", "items": items, "label": label}),
            Self::Together(items) => json!({"kind": "together", "items": items}),
            Self::Apart(items) => json!({"kind": "apart", "items": items}),
            Self::SplitOff(items, others) => json!({"kind": "split", "items": items, "others": others}),
            Self::Noise(items) => json!({"kind": "noise", "items": items}),
            Self::Only(items) => json!({"kind": "only", "items": items}),
            Self::Replace(known) => known.json(),
        }
    }

    /// Reads a correction of `n_items` items.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(super) fn read(value: &Value, n_items: usize) -> Result<Self, String> {
        let kind = value["kind"].as_str().unwrap_or_default();
        if kind == "replace" {
            return Known::read(value, n_items).map(Self::Replace);
        }
        let items = items(value, "items", n_items)?;
        let least = match kind {
            "together" | "apart" => 2,
            "only" => 0,
            _ => 1,
        };
        if items.len() < least {
            return Err(format!("{kind} needs at least {least} items, got {}", items.len()));
        }
        match kind {
            "label" => {
                let label = value["label"].as_str().map(str::trim).filter(|label| !label.is_empty());
                check_label(label.unwrap_or("a"))?;
                Ok(Self::Label(items, label.map(str::to_owned)))
            }
            "together" => Ok(Self::Together(items)),
            "apart" if items.len() > MOST_APART => {
                Err(format!("at most {MOST_APART} items are kept apart at once, got {}", items.len()))
            }
            "apart" => Ok(Self::Apart(items)),
            "split" => Ok(Self::SplitOff(items, self::items(value, "others", n_items)?)),
            "noise" => Ok(Self::Noise(items)),
            "only" => Ok(Self::Only(items)),
            other => Err(format!(
                "a correction is label, together, apart, split, noise, only or replace, got {other:?}"
            )),
        }
    }
}

/// Maximum number of items of which no two share a cluster: all their pairs are listed. Not tuned.
const MOST_APART: usize = 50;

/// Maximum length of a label, in characters. Not tuned.
const MOST_CHARACTERS: usize = 100;

fn check_label(label: &str) -> Result<(), String> {
    let fits = label.chars().count() <= MOST_CHARACTERS && !label.chars().any(char::is_control);
    let unknown = label == "-1" || !crate::agreement::is_known(label);
    if fits && !unknown {
        return Ok(());
    }
    Err(format!(
        "a label is text of at most {MOST_CHARACTERS} characters, and not -1, NA or NaN, which mean that none is known"
    ))
}

/// Numbers of items, in rising order, each once.
fn items(value: &Value, name: &str, n_items: usize) -> Result<Vec<usize>, String> {
    let listed = value[name].as_array().ok_or_else(|| format!("{name} must be a list of items"))?;
    let all: Result<BTreeSet<usize>, String> = listed.iter().map(|value| item(value, n_items)).collect();
    Ok(all?.into_iter().collect())
}

fn item(value: &Value, n_items: usize) -> Result<usize, String> {
    let number = value.as_u64().map(|item| item as usize).filter(|item| *item < n_items);
    number.ok_or_else(|| format!("an item is a number from 0 to {}, got {value}", n_items.saturating_sub(1)))
}

fn pair(value: &Value, n_items: usize) -> Result<(usize, usize), String> {
    match value.as_array().map(Vec::as_slice) {
        Some([first, second]) => Ok((item(first, n_items)?, item(second, n_items)?)),
        _ => Err(format!("a pair is two items, got {value}")),
    }
}

fn labelled(value: &Value, n_items: usize) -> Result<(usize, String), String> {
    let label = value[1].as_str().map(str::trim).filter(|label| !label.is_empty());
    let label = label.ok_or_else(|| format!("a known label is an item and a text, got {value}"))?;
    check_label(label)?;
    Ok((item(&value[0], n_items)?, label.to_owned()))
}

/// What was said, and what was taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    pub(super) done: Vec<Correction>,
    pub(super) undone: Vec<Correction>,
}

impl History {
    /// Adds a correction; what was taken back is gone.
    pub(super) fn add(&mut self, correction: Correction) {
        self.done.push(correction);
        self.undone.clear();
    }

    /// Takes the last correction back; whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let last = self.done.pop();
        last.map(|last| self.undone.push(last)).is_some()
    }

    /// Does again what was taken back last; whether there was anything.
    pub(super) fn redo(&mut self) -> bool {
        let last = self.undone.pop();
        last.map(|last| self.done.push(last)).is_some()
    }

    /// What all corrections say together, after what files said.
    pub(super) fn said(&self, given: &Said) -> Said {
        self.done.iter().fold(given.clone(), Said::with)
    }
}

/// What is known of the items: from files, and from corrections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The label of items that have one.
    pub(super) labels: BTreeMap<usize, String>,
    /// Pairs that share a cluster.
    pub(super) must_link: Vec<(usize, usize)>,
    /// Pairs that do not.
    pub(super) cannot_link: Vec<(usize, usize)>,
    /// Items that belong to no cluster.
    pub(super) noise: BTreeSet<usize>,
    /// The only items that are clustered, if not all are.
    pub(super) only: Option<BTreeSet<usize>>,
}

impl Said {
    fn with(mut self, correction: &Correction) -> Self {
        match correction {
            Correction::Label(items, label) => items.iter().for_each(|&item| {
                match label {
                    Some(label) => self.labels.insert(item, label.clone()),
                    None => self.labels.remove(&item),
                };
            }),
            Correction::Together(items) => self.join(items),
            Correction::Apart(items) => {
                let pairs =
                    items.iter().enumerate().flat_map(|(at, &i)| items[..at].iter().map(move |&j| (j, i)));
                self.cannot_link.extend(pairs);
            }
            Correction::SplitOff(items, others) => {
                self.join(items);
                self.cannot_link.extend(others.iter().map(|&other| (items[0], other)));
            }
            Correction::Noise(items) => self.noise.extend(items),
            Correction::Only(items) => {
                self.only = (!items.is_empty()).then(|| items.iter().copied().collect());
            }
            Correction::Replace(known) => self.replace(known),
        }
        self
    }

    fn replace(&mut self, known: &Known) {
        if let Some(labels) = &known.labels {
            self.labels = labels.iter().cloned().collect();
        }
        self.must_link = known.must_link.clone().unwrap_or_else(|| std::mem::take(&mut self.must_link));
        self.cannot_link = known.cannot_link.clone().unwrap_or_else(|| std::mem::take(&mut self.cannot_link));
    }

    fn join(&mut self, items: &[usize]) {
        self.must_link.extend(items.windows(2).map(|pair| (pair[0], pair[1])));
    }

    /// The items that are clustered, in rising order.
    pub(super) fn kept(&self, n_items: usize) -> Vec<usize> {
        let asked = |item: &usize| self.only.as_ref().is_none_or(|only| only.contains(item));
        (0..n_items).filter(|item| asked(item) && !self.noise.contains(item)).collect()
    }

    /// What the fit of `kept` items must obey, their numbers counted among these.
    pub(super) fn information(&self, kept: &[usize]) -> SideInformation {
        let at = |item: usize| kept.binary_search(&item).ok();
        let pairs = |all: &[(usize, usize)]| -> Vec<(usize, usize)> {
            all.iter().filter_map(|&(i, j)| Some((at(i)?, at(j)?))).collect()
        };
        let names: BTreeSet<&String> = self.labels.values().collect();
        let number: BTreeMap<&String, usize> = names.into_iter().zip(0..).collect();
        let known_labels = if self.labels.is_empty() {
            Vec::new()
        } else {
            kept.iter().map(|item| self.labels.get(item).map(|label| number[label])).collect()
        };
        SideInformation {
            known_labels,
            must_link: pairs(&self.must_link),
            cannot_link: pairs(&self.cannot_link),
            ..SideInformation::default()
        }
    }

    /// Everything as JSON, for the map.
    pub(super) fn json(&self) -> Value {
        json!({
            "labels": self.labels.iter().collect::<Vec<_>>(),
            "must_link": self.must_link,
            "cannot_link": self.cannot_link,
            "noise": self.noise,
            "only": self.only,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_adds_up_and_can_be_taken_back() {
        let mut history = History::default();
        history.add(Correction::Label(vec![0, 1], Some("a".into())));
        history.add(Correction::Together(vec![1, 2, 4]));
        history.add(Correction::Apart(vec![0, 3, 5]));
        history.add(Correction::Noise(vec![6]));
        let said = history.said(&Said::default());
        assert_eq!(said.must_link, [(1, 2), (2, 4)]);
        assert_eq!(said.cannot_link, [(0, 3), (0, 5), (3, 5)]);
        assert_eq!(said.kept(7), [0, 1, 2, 3, 4, 5]);
        assert!(history.undo() && history.undo());
        assert_eq!(history.said(&Said::default()).cannot_link, []);
        assert!(history.redo());
        assert_eq!(history.said(&Said::default()).cannot_link.len(), 3);
        history.add(Correction::Label(vec![1], None));
        assert!(!history.redo());
        assert_eq!(history.said(&Said::default()).labels, BTreeMap::from([(0, "a".to_owned())]));
    }

    #[test]
    fn what_is_replaced_is_gone_and_what_is_not_named_stays() {
        let sent = json!({"kind": "replace", "labels": [[2, " b "]], "must_link": [[0, 1], [3, 2]], "cannot_link": null});
        let correction = Correction::read(&sent, 4).unwrap();
        assert_eq!(Correction::read(&correction.json(), 4).unwrap(), correction);
        let mut history = History::default();
        history.add(Correction::Label(vec![0], Some("a".into())));
        history.add(Correction::Apart(vec![1, 3]));
        history.add(correction);
        let said = history.said(&Said::default());
        assert_eq!(said.labels, BTreeMap::from([(2, "b".to_owned())]));
        assert_eq!((said.must_link, said.cannot_link), (vec![(0, 1), (3, 2)], vec![(1, 3)]));
        for wrong in [
            json!({"kind": "replace", "labels": [[4, "b"]]}),
            json!({"kind": "replace", "labels": [[0, "NA"]]}),
            json!({"kind": "replace", "must_link": [[0, 4]]}),
            json!({"kind": "replace", "cannot_link": [[0]]}),
        ] {
            assert!(Correction::read(&wrong, 4).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pairs_of_items_that_are_left_out_say_nothing_and_others_are_renumbered() {
        let mut history = History::default();
        history.add(Correction::Together(vec![0, 2, 3]));
        history.add(Correction::Label(vec![1, 3], Some("b".into())));
        history.add(Correction::Noise(vec![0]));
        let said = history.said(&Said::default());
        let information = said.information(&said.kept(4));
        assert_eq!(information.must_link, [(1, 2)]);
        assert_eq!(information.known_labels, [Some(0), None, Some(0)]);
    }

    #[test]
    fn a_correction_is_read_as_it_was_written_and_nonsense_is_refused() {
        let all = [
            Correction::Label(vec![1], Some("a b".into())),
            Correction::Label(vec![1], None),
            Correction::Together(vec![0, 2]),
            Correction::Apart(vec![0, 1, 2]),
            Correction::SplitOff(vec![0], vec![1, 2]),
            Correction::Noise(vec![2]),
            Correction::Only(vec![]),
        ];
        for correction in all {
            assert_eq!(Correction::read(&correction.json(), 3).as_ref(), Ok(&correction));
        }
        for wrong in [
            json!({"kind": "noise", "items": [3]}),
            json!({"kind": "noise", "items": [-1]}),
            json!({"kind": "noise", "items": []}),
            json!({"kind": "together", "items": [1, 1]}),
            json!({"kind": "label", "items": [1], "label": "NA"}),
            json!({"kind": "other", "items": [1]}),
            json!([]),
        ] {
            assert!(Correction::read(&wrong, 3).is_err(), "{wrong}");
        }
    }
}
